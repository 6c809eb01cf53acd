"""A panel for each seat: goods, camp, what the seat has done, its three columns, its hand."""

from __future__ import annotations

from functools import cache

import numpy as np

from ... import drawing_parts as house
from ...drawing import Line, Polygon, Rect, Shape, Text, fit_text, text_width
from ...drawing_parts import Box, card_back, coin, mark, pawn, pill, star
from ..rules.names import COLOURS, RESOURCES
from ..standing import final_count
from ..words import BACK_LABELS
from . import palette as p
from .seen import Origins, camp_use, columns_of, hidden_cards, is_over, members, supper_count

PANELS = Box(516, 8, 476, 714)
_HEADER = 24
_LINE = 17
_ORDINALS = ("", "1st", "2nd", "3rd", "4th")


@cache
def panel_box(seat: int, players: int) -> Box:
    """Where a seat's panel lies, P0 on top."""
    gap = 6
    height = (PANELS.height - gap * (players - 1)) / players
    return Box(PANELS.x, PANELS.y + seat * (height + gap), PANELS.width, height)


def panels_shapes(s: np.void, origins: Origins) -> list[Shape]:
    """What each seat has."""
    shapes: list[Shape] = []
    counts = {part: points[0] for part, points in final_count(np.array([s])).items()}
    for seat in range(int(s["players"])):
        box = panel_box(seat, int(s["players"]))
        shapes += _frame(s, seat, box)
        shapes += _goods(s, seat, Box(box.x + 8, box.y + _HEADER + 3, box.width - 16, _LINE))
        at_end = {part: int(points[seat]) for part, points in counts.items()}
        line = Box(box.x + 8, box.y + _HEADER + 3 + _LINE, box.width - 16, _LINE)
        shapes += _deeds(s, seat, line, at_end, origins)
        top = line.bottom + 2
        shapes += _cards(s, seat, Box(box.x + 6, top, box.width - 12, box.bottom - 5 - top))
    return shapes


def _frame(s: np.void, seat: int, box: Box) -> list[Shape]:
    look = p.look_of(s, seat)
    head = Box(box.x, box.y, box.width, _HEADER)
    shapes: list[Shape] = [
        box.rect(6, house.PANEL, house.EDGE),
        head.rect(6, look.colour, house.INK),
        Rect(box.x + 0.5, head.bottom - 7, box.width - 1, 7, 0, look.colour),
        Line(box.x, head.bottom, box.right, head.bottom, house.INK, 1),
        mark(look, box.x + 15, box.y + 12.5, 7.5, look.ink, None),
        Text(box.x + 28, box.y + 18, f"P{seat}", 16, look.ink, bold=True),
        Text(box.x + 62, box.y + 17, COLOURS[s["colours"][seat]], 12, look.ink),
        *star(box.x + 122, box.y + 12, 15, look.ink),
        Text(box.x + 134, box.y + 18, str(s["points"][seat]), 16, look.ink, bold=True),
    ]
    badge, strong = "", False
    if is_over(s):
        rank = int(s["ranks"][seat])
        badge, strong = f"{_ORDINALS[rank]}{', winner' if rank == 1 else ''}", rank == 1
    elif seat == s["to_act"]:
        badge, strong = "to act", True
    elif seat == s["turn"]:
        badge = "in turn"
    if seat == s["start"]:
        shapes.append(Text(box.x + 196, box.y + 17, "began", 11, look.ink))
    if badge:
        fill, ink = (house.INK, house.ON_DARK) if strong else (house.PANEL, house.INK)
        width = pill(0, 0, badge, fill, ink, 11)[1]
        shapes += pill(box.right - 8 - width, box.y + 12, badge, fill, ink, 11)[0]
        if seat == s["to_act"]:
            x, y = box.right - 8 - width - 8, box.y + 12
            shapes.append(Polygon(((x - 9, y - 6), (x, y), (x - 9, y + 6)), 0, look.ink))
            edge = box.inset(-1)
            shapes.append(Rect(edge.x, edge.y, edge.width, edge.height, 7, None, house.INK, 3))
    return shapes


# --- two lines of facts ---------------------------------------------------------------------
class _Line:
    """Signs and words from left to right."""

    def __init__(self, box: Box) -> None:
        self.x, self.y, self.right = box.x, box.centre[1], box.right
        self.shapes: list[Shape] = []

    def sign(self, shapes: list[Shape], width: float) -> None:
        self.shapes += shapes
        self.x += width

    def words(self, text: str, bold: bool = False, most: float = 200, gap: float = 9) -> None:
        text, size = fit_text(text, 11, min(most, self.right - self.x), p.LEAST_TEXT, bold)
        self.shapes.append(Text(self.x, self.y + size * 0.36, text, size, house.INK, bold=bold))
        self.x += text_width(text, size, bold) + gap


def _goods(s: np.void, seat: int, box: Box) -> list[Shape]:
    line = _Line(box)
    line.sign(coin(line.x + 6, line.y, 12), 15)
    line.words(str(s["denarii"][seat]), bold=True, most=34)
    for kind in range(len(RESOURCES)):
        line.sign(p.resource(kind, line.x + 6, line.y, 12), 15)
        line.words(str(s["resources"][seat, kind]), bold=True, most=28)
    line.words(f"Offerings {s['offerings'][seat]}")
    line.sign(pawn(line.x + 4, line.y, 13), 11)
    line.words(f"{s['camp'][seat]} in camp")
    used, squares = camp_use(s, seat)
    line.words(f"{used} of {squares} squares")
    line.words(f"{supper_count(s, seat)} at the Supper", gap=0)
    return line.shapes


def _deeds(
    s: np.void, seat: int, box: Box, at_end: dict[str, int], origins: Origins
) -> list[Shape]:
    line = _Line(box)
    line.words(f"Parables {s['parables'][seat]}")
    done = int(s["favors_done"][seat])
    following = ""
    if done < len(s["favor_points"]):
        score = f"{s['favor_points'][done]}{origins.mark('favors', 'points')}"
        following = f" (next {score})"
    line.words(f"Favors {done}{following}")
    line.words("Illumination" if s["illumination"][seat] else "no Illumination")
    if not is_over(s):
        jesus = origins.mark("supper", "jesus_points") if at_end["jesus"] else ""
        total = sum(at_end.values())
        line.words(f"end {total:+d}{jesus}, Apostles {at_end['apostles']:+d}")
    held = [(x, count) for x, count in enumerate(s["symbols_held"][seat].tolist()) if count]
    if held:
        wide = min(19.0, (box.right - line.x) / len(held) - 10)
        for location, count in held:
            tile = Box(line.x, box.y + 2.5, wide, 12)
            line.sign(p.symbol(location, tile), wide + 1.5)
            if count > 1:
                line.words(str(count), bold=True, gap=2)
    return line.shapes


# --- cards ----------------------------------------------------------------------------------
def _cards(s: np.void, seat: int, box: Box) -> list[Shape]:
    """The three own columns and the hand side by side."""
    shapes: list[Shape] = []
    gap = 5
    width = (box.width - 3 * gap) / 4
    source = int(s["visit_source"]) if seat == s["turn"] else -1
    columns = columns_of(s, seat)
    for column in range(3):
        room = Box(box.x + column * (width + gap), box.y, width, box.height)
        laying = seat == s["turn"] and bool(s["pool"]) and s["arrange_column"] == column
        chosen = source == column or laying
        shapes.append(_slot(room, chosen))
        count = f" ({len(columns[column])})" if columns[column] else ""
        title = Box(room.x + 4, room.y + 1, room.width - 8, 12)
        shapes.append(
            p.fitted(f"column {column + 1}{count}", title, 9.5, house.MUTED, middle=False)
        )
        inner = Box(room.x + 3, room.y + 14, room.width - 6, room.height - 16)
        shapes += card_list(s, columns[column], inner)
    room = Box(box.x + 3 * (width + gap), box.y, width, box.height)
    return shapes + _hand(s, seat, room)


def _slot(room: Box, chosen: bool) -> Rect:
    edge, thick = (house.INK, 2.5) if chosen else (house.EDGE, 1)
    return Rect(room.x, room.y, room.width, room.height, 4, house.SLOT, edge, thick)


def card_list(s: np.void, kinds: list[int], room: Box) -> list[Shape]:
    """Cards one below the other; many of them two abreast, and what has no room as a number."""
    pitch = 13.5
    rows = int((room.height + 1.5) // pitch)
    if len(kinds) <= rows:
        return [
            shape
            for row, kind in enumerate(kinds)
            for shape in p.card(s, kind, Box(room.x, room.y + row * pitch, room.width, 12))
        ]
    shown = kinds if len(kinds) <= 2 * rows else kinds[: 2 * rows - 1]
    wide = (room.width - 2) / 2
    shapes: list[Shape] = []
    for place in range(len(shown) + (len(shown) < len(kinds))):
        row, half = divmod(place, 2)
        box = Box(room.x + half * (wide + 2), room.y + row * pitch, wide, 12)
        if place < len(shown):
            shapes += p.card(s, shown[place], box, short=True)
        else:
            shapes.append(p.fitted(f"+{len(kinds) - len(shown)} more", box, 9))
    return shapes


def _hand(s: np.void, seat: int, room: Box) -> list[Shape]:
    shapes: list[Shape] = [_slot(room, False)]
    known = members(s["hand"][seat])
    hidden = hidden_cards(s, seat)
    piles = f"deck {s['deck_size'][seat]}, discards {int(s['discards'][seat]).bit_count()}"
    title = Box(room.x + 4, room.y + 1, room.width - 8, 12)
    shapes.append(p.fitted(f"hand; {piles}", title, 9.5, house.MUTED, middle=False))
    inner = Box(room.x + 3, room.y + 14, room.width - 6, room.height - 16)
    backs = [(back, count) for back, count in enumerate(hidden) if count > 0]
    foot = 14.0 * len(backs)
    for index, (back, count) in enumerate(backs):
        y = inner.bottom - foot + 14 * index
        shapes += card_back(inner.x, y, 11, 13)
        line = Box(inner.x + 15, y, inner.width - 15, 13)
        shapes.append(p.fitted(f"{count} {BACK_LABELS[back]}", line, 10, middle=False))
    cards = Box(inner.x, inner.y, inner.width, inner.height - foot)
    return shapes + card_list(s, known, cards)
