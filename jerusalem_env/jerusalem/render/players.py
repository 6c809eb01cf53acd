"""A panel for each seat: tower, prestige, what lies behind the screen, cards."""

from __future__ import annotations

from ... import drawing_parts as house
from ...drawing import Line, Polygon, Rect, Shape, Text, fit_text, text_width
from ...drawing_parts import Box, card_back, coin, fit_card_rows, pawn, pill, plural, star
from . import palette as p
from .board_layout import panel_box
from .seen import Seen
from .tokens import screen, seat_mark

_HEADER = 28
_TOWER = 62  # width of a tower's place
_TRACK = 20  # prestige points on the track; there may be more (R14.4)
_ORDINALS = ("", "1st", "2nd", "3rd", "4th")


def panels_backdrop(seen: Seen) -> list[Shape]:
    """Boxes, headers, seats' names, the ground of towers, tracks."""
    shapes: list[Shape] = []
    for seat in range(seen.players):
        box, look = panel_box(seat, seen.players), p.SEATS[seat]
        head = Box(box.x, box.y, box.width, _HEADER)
        shapes += [
            box.rect(6, house.PANEL, house.EDGE),
            head.rect(6, look.colour, house.INK),
            Rect(box.x + 0.5, head.bottom - 7, box.width - 1, 7, 0, look.colour),
            Line(box.x, head.bottom, box.right, head.bottom, house.INK, 1),
            seat_mark(seat, box.x + 17, box.y + 14, 7.5, look.ink, None),
            Text(box.x + 32, box.y + 20, f"P{seat}", 17, look.ink, bold=True),
            Line(box.x + 10, box.bottom - 25, box.x + 10 + _TOWER, box.bottom - 25, house.EDGE, 2),
        ]
        shapes += _track(_track_box(box))
    return shapes


def panels_shapes(seen: Seen) -> list[Shape]:
    """What each seat has."""
    shapes: list[Shape] = []
    for seat in range(seen.players):
        box = panel_box(seat, seen.players)
        shapes += _header(seat, box, seen)
        shapes += _tower(seat, box, seen)
        shapes += _prestige(seat, box, seen)
        shapes += _belongings(seat, box, seen)
    return shapes


def _header(seat: int, box: Box, seen: Seen) -> list[Shape]:
    look, office = p.SEATS[seat], seen.office[seat]
    shapes: list[Shape] = []
    text = p.OFFICE_LABELS[office] if office >= 0 else "no office yet"
    shapes.append(Text(box.x + 66, box.y + 19.5, text, 14, look.ink, bold=office >= 0))
    badge = ""
    if seen.over:
        badge = f"{_ORDINALS[seen.rank(seat)]}{', winner' if seen.rank(seat) == 1 else ''}"
    elif seat == seen.to_act:
        badge = "to act"
    elif seen.auction and seen.passed[seat]:
        badge = "passed"
    if badge:
        strong = seat == seen.to_act or seen.rank(seat) == 1
        fill, ink = (house.INK, house.ON_DARK) if strong else (house.PANEL, house.INK)
        width = pill(0, 0, badge, fill, ink, 12)[1]
        shapes += pill(box.right - 8 - width, box.y + 14, badge, fill, ink, 12)[0]
        if seat == seen.to_act:
            x, y = box.right - 8 - width - 8, box.y + 14
            shapes.append(Polygon(((x - 9, y - 6), (x, y), (x - 9, y + 6)), 0, look.ink))
            edge = box.inset(-1)
            shapes.append(Rect(edge.x, edge.y, edge.width, edge.height, 7, None, house.INK, 3))
    return shapes


def _tower(seat: int, box: Box, seen: Seen) -> list[Shape]:
    """So many floors, on one scale for all seats."""
    floors, look = seen.floors[seat], p.SEATS[seat]
    foot = box.bottom - 26
    room = foot - (box.y + _HEADER) - 18
    height = min(20.0, room / max(7, *seen.floors))
    middle, wide = box.x + 10 + _TOWER / 2, 40
    gap = 1 if height >= 5 else 0
    shapes: list[Shape] = []
    for floor in range(min(floors, int(room // max(height, 0.5)))):
        y = foot - (floor + 1) * height
        rect = Rect(middle - wide / 2, y, wide, height - gap, 0, look.colour, house.INK)
        shapes.append(rect)
        if height >= 8:
            shapes.append(Rect(middle - 3, y + height * 0.3, 6, height * 0.4, 0, look.ink))
    if floors:
        top = foot - min(floors * height, room)
        for x in (-wide / 2 - 3, -6, wide / 2 - 9):
            shapes.append(Rect(middle + x, top - 8, 12, 8, 0, look.colour, house.INK))
    label, size = fit_text(plural(floors, "floor"), 14, _TOWER + 8, least=11, bold=True)
    shapes.append(Text(middle, box.bottom - 8, label, size, house.INK, "middle", True))
    return shapes


def _track_box(box: Box) -> Box:
    return Box(box.x + 142, box.y + _HEADER + 9, 200, 12)


def _track(track: Box) -> list[Shape]:
    shapes: list[Shape] = [track.rect(3, house.SLOT, house.EDGE)]
    for tick in range(0, _TRACK + 1, 5):
        x = track.x + track.width * tick / _TRACK
        if 0 < tick < _TRACK:
            shapes.append(Line(x, track.y, x, track.bottom, house.EDGE, 1))
        anchor = "middle" if 0 < tick < _TRACK else ("start" if tick == 0 else "end")
        shapes.append(Text(x, track.bottom + 11, str(tick), 11, house.MUTED, anchor))  # type: ignore[arg-type]
    return shapes


def _prestige(seat: int, box: Box, seen: Seen) -> list[Shape]:
    track, value, look = _track_box(box), seen.prestige[seat], p.SEATS[seat]
    y = track.y + 6
    text, size = fit_text(str(value), 19, 31, least=9, bold=True)
    shapes: list[Shape] = [
        *star(box.x + 92, y, 18),
        Text(box.x + 105, y + size * 0.36, text, size, house.INK, bold=True),
    ]
    if value > 0:
        width = track.width * min(value, _TRACK) / _TRACK
        shapes.append(Rect(track.x, track.y, width, track.height, 3, look.colour, house.INK))
        if value > _TRACK:  # R14.4: the track ends, points do not
            x = track.right
            points = ((x - 6, y - 9), (x + 6, y), (x - 6, y + 9))
            shapes.append(Polygon(points, 0, look.colour, house.INK, 1))
    return shapes


def _belongings(seat: int, box: Box, seen: Seen) -> list[Shape]:
    left, top = box.x + 84, box.y + _HEADER + 40
    silver, supply, hand = seen.silver[seat], seen.supply[seat], seen.hand[seat]
    room = Box(left, top, box.right - 10 - left, box.bottom - 8 - top)
    if hand is None and silver is None:
        return _behind_screen(room, seen.hand_size[seat], "silver, supply and cards")
    shapes: list[Shape] = []
    for x, sign, value, what in (
        (left, coin, silver, "silver"),
        (left + 134, pawn, supply, "in supply"),
    ):
        shown = "?" if value is None else str(value)
        shown, size = fit_text(shown, 16, 52, least=9, bold=True)
        shapes += sign(x + 8, top + 8, 16)
        shapes.append(Text(x + 21, top + 8 + size * 0.36, shown, size, house.INK, bold=True))
        at = x + 26 + text_width(shown, size, True)
        shapes.append(Text(at, top + 13, what, 12, house.MUTED))
    cards = Box(room.x, top + 24, room.width, room.height - 24)
    if hand is None and seen.hand_size[seat]:
        return shapes + _behind_screen(cards, seen.hand_size[seat], "cards")
    return shapes + _hand(cards, hand or [])


def _behind_screen(room: Box, cards: int, what: str) -> list[Shape]:
    """R1.9: only the number of cards is public."""
    height = min(room.height, 72)
    x, y = room.centre[0], room.y + height / 2
    shapes = screen(room.x, room.y, room.width, height)
    count = plural(cards, "card") if cards else "no cards"
    backs = min(cards, 6)
    if height < 66:
        text, width = f"{count} hidden", text_width(f"{count} hidden", 13, True)
        left = x - (width + 16 * backs) / 2
        for k in range(backs):
            shapes += card_back(left + 16 * k, y - 10, 14, 19)
        left += 16 * backs + (5 if backs else 0)
        return [*shapes, Text(left, y + 4.5, text, 13, house.ON_SCREEN, bold=True)]
    for k in range(backs):
        shapes += card_back(x - backs * 8 + k * 16 + 1, room.y + 9, 14, 19)
    shapes.append(
        Text(x, room.y + (45 if backs else 33), count, 13, house.ON_SCREEN, "middle", True)
    )
    below = room.y + (61 if backs else 49)
    shapes.append(Text(x, below, f"{what} hidden", 12, house.ON_SCREEN, "middle"))
    return shapes


def counted(cards: list[int]) -> list[str]:
    """Cards by name, such as ``Move 2  x2``, of copies by kind."""
    return [
        p.CARD_LABELS[card] + (f"  x{count}" if count > 1 else "")
        for card, count in enumerate(cards)
        if count > 0
    ]


def _hand(room: Box, hand: list[int]) -> list[Shape]:
    if not any(hand):
        return [Text(room.x, room.y + 13, "no cards", 12, house.MUTED)]
    return fit_card_rows(counted(hand), room)
