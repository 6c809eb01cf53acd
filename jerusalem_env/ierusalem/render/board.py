"""The rest of the board in the picture: tracks, areas, Apostles, piles, Parables, favor markers."""

from __future__ import annotations

import numpy as np

from ... import drawing_parts as house
from ...drawing import Circle, Rect, Shape, Text, fit_text
from ...drawing_parts import Box, card_back, mark, star
from ..position import parable_stacks
from ..rules.codes import BENEFIT_CALL, BENEFIT_DENARII
from ..rules.names import AREAS, JUDGMENTS
from ..words import NUMERALS
from . import palette as p
from .seen import Origins

SANHEDRIN = Box(8, 371, 500, 48)
AREA_ROW = Box(8, 424, 500, 42)
APOSTLE_ROW = Box(8, 471, 500, 64)
PILES = Box(8, 540, 500, 46)
PARABLES = Box(8, 591, 500, 56)
MARKERS = Box(8, 652, 500, 70)


def split(row: Box, parts: int, gap: float = 5) -> list[Box]:
    """Boxes side by side in a row."""
    width = (row.width - gap * (parts - 1)) / parts
    return [Box(row.x + k * (width + gap), row.y, width, row.height) for k in range(parts)]


def board_shapes(s: np.void, origins: Origins) -> list[Shape]:
    """Everything below the Last Supper."""
    return [
        *_sanhedrin(s, origins),
        *_areas(s),
        *_apostles(s, origins),
        *_piles(s),
        *_parables(s, origins),
        *_markers(s, origins),
    ]


# --- the Sanhedrin (R11) --------------------------------------------------------------------
def _sanhedrin(s: np.void, origins: Origins) -> list[Shape]:
    last, at = int(s["last_space"]), int(s["sanhedrin"])
    title = f"Sanhedrin {at} of {last}{origins.mark('sanhedrin', 'last_space')}"
    if not s["judgments_on"]:
        title += ": all Apostles are seated, the judgments are gone"
    shapes = p.titled(SANHEDRIN, title)
    width = (SANHEDRIN.width - 12) / (last + 1)
    spaces = s["judgment_space"].tolist()
    for space in range(last + 1):
        cell = Box(SANHEDRIN.x + 6 + space * width, SANHEDRIN.y + 17, width, 15)
        judged = space in spaces and bool(s["judgments_on"])
        fill = house.HIGHLIGHT if judged else house.SLOT
        shapes.append(cell.rect(2, fill, house.EDGE))
        if space == at:
            r = min(7.0, width / 2)
            shapes.append(Circle(*cell.centre, r, house.DARK))
        if width >= 14:
            ink = house.ON_DARK if space == at else house.INK
            shapes.append(Text(*_foot(cell, 9), str(space), 9, ink, "middle", space == at))
    return shapes + (_judgments(s, width, origins) if s["judgments_on"] else [])


def _foot(box: Box, size: float) -> tuple[float, float]:
    """Where a line in the middle of a box is anchored."""
    return box.centre[0], box.centre[1] + size * 0.36


def _judgments(s: np.void, width: float, origins: Origins) -> list[Shape]:
    """Names under their spaces, as wide as the neighbours leave room."""
    spaces, note = s["judgment_space"].tolist(), origins.mark("sanhedrin", "tile_spaces")
    centres = [SANHEDRIN.x + 6 + (space + 0.5) * width for space in spaces]
    shapes: list[Shape] = []
    for index, tile in enumerate(s["judgments"].tolist()):
        x = centres[index]
        left = (x - centres[index - 1]) if index else 2 * (x - SANHEDRIN.x - 4)
        right = 2 * (SANHEDRIN.right - 4 - x)
        if index + 1 < len(centres):
            right = centres[index + 1] - x
        met = int(s["sanhedrin"]) >= spaces[index]
        room = min(left, right) - 3
        text, size = fit_text(f"{JUDGMENTS[tile]}{note}", 10, max(room, 6), least=6)
        colour = house.MUTED if met else house.INK
        y = SANHEDRIN.y + 43
        shapes.append(Text(x, y, text, size, colour, "middle", not met and size >= 9))
    return shapes


# --- areas (R12.2) --------------------------------------------------------------------------
def _areas(s: np.void) -> list[Shape]:
    shapes: list[Shape] = []
    for area, box in enumerate(split(AREA_ROW, len(AREAS))):
        shapes += p.titled(box, AREAS[area].capitalize())
        shapes += p.resource(area, box.x + 70, box.y + 9.5, 12)
        price = f"recruit {s['recruit_price'][area]}"
        shapes.append(Text(box.right - 6, box.y + 13, price, 10, house.INK, "end"))
        standing = [
            seat for seat in range(int(s["players"])) for _ in range(int(s["areas"][seat, area]))
        ]
        squares = max(int(s["squares"]), len(standing))
        room = Box(box.x + 4, box.y + 18, box.width - 8, 21)
        for index, square in enumerate(split(room, squares, 2)):
            shapes.append(square.rect(2, house.SLOT, house.EDGE))
            if index < len(standing):
                r = min(8.0, square.width / 2.5)
                shapes += p.numbered(s, standing[index], *square.centre, r)
    return shapes


# --- Apostle columns (R7) -------------------------------------------------------------------
def _apostles(s: np.void, origins: Origins) -> list[Shape]:
    shapes: list[Shape] = []
    for column, box in enumerate(split(APOSTLE_ROW, 3)):
        visited = int(s["visit_column"]) == column
        shapes += p.titled(box, f"Apostles {column + 1}{origins.apostle_columns}")
        if visited:
            shapes.append(Rect(box.x, box.y, box.width, box.height, 5, None, house.INK, 2.5))
        row = Box(box.x + 6, box.y + 43, box.width - 12, 17)
        for place, tile in enumerate(split(row, 3, 4)):
            location = int(s["symbols"][column, place])
            if location >= 0:
                shapes += p.symbol(location, tile, full=True)
        x = box.x + 16
        for colour, count in enumerate(s["apostles"][column].tolist()):
            for _ in range(count):
                shapes += p.apostle(colour, x, box.y + 29, 10)
                x += 25
    return shapes


# --- cards (R10) ----------------------------------------------------------------------------
def _piles(s: np.void) -> list[Shape]:
    shapes = p.titled(PILES, f"Display: a card for {s['purchase_price']} D")
    for place, box in enumerate(split(Box(PILES.x + 6, PILES.y + 19, 318, 22), 2, 6)):
        kind = int(s["display"][place])
        if kind >= 0:
            shapes += p.card(s, kind, box)
        else:
            shapes.append(box.rect(3, house.SLOT, house.EDGE))
            shapes.append(p.fitted("empty", box.inset(3), 10, house.MUTED))
    x = PILES.x + 334
    for pile, label in (("mahane", "Mahane"), ("xxxiii", "XXXIII")):
        size = int(s[f"{pile}_size"])
        if size:
            shapes += card_back(x, PILES.y + 9, 20, 28)
        else:
            shapes.append(Rect(x, PILES.y + 9, 20, 28, 3, house.SLOT, house.EDGE))
        shapes.append(Text(x + 26, PILES.y + 22, f"{size}", 13, house.INK, bold=True))
        shapes.append(Text(x + 26, PILES.y + 36, label, 10, house.MUTED))
        x += 84
    return shapes


# --- Parables and favor markers -------------------------------------------------------------
def _parables(s: np.void, origins: Origins) -> list[Shape]:
    shapes: list[Shape] = [*p.titled(PARABLES, "Parables: points and reward of the next tile")]
    points, gains = origins.mark("parables", "points"), origins.mark("parables", "rewards")
    row = Box(PARABLES.x + 5, PARABLES.y + 18, PARABLES.width - 10, 34)
    stacks = parable_stacks(s)
    for kind, cell in enumerate(split(row, len(NUMERALS), 4)):
        stack = stacks[kind]
        shapes.append(cell.rect(3, house.FIELD if stack else house.IDLE, house.EDGE))
        left = Box(cell.x + 4, cell.y + 2, 20, 15)
        shapes.append(p.fitted(NUMERALS[kind], left, 11, bold=True, middle=False))
        if stack:
            shapes += star(cell.x + 33, cell.y + 9, 10)
            shapes.append(Text(cell.x + 40, cell.y + 13.5, f"{stack[0]}{points}", 11, house.INK))
        reward = p.effect_text(s, int(s["parable_reward"][kind]))
        text = f"{len(stack)} left"
        shapes.append(Text(cell.x + 4, cell.bottom - 4.5, text, 9, house.MUTED))
        if reward and stack:
            room = Box(cell.x + 31, cell.bottom - 15, cell.width - 34, 14)
            shapes.append(p.fitted(f"{reward}{gains}", room, 9))
    return shapes


def _markers(s: np.void, origins: Origins) -> list[Shape]:
    shapes: list[Shape] = [
        *p.titled(MARKERS, "Favor markers: benefit, symbol on the back, who has")
    ]
    scores = " ".join(str(int(x)) for x in s["favor_points"])
    text = f"Favors score {scores}{origins.mark('favors', 'points')}"
    shapes.append(Text(MARKERS.right - 6, MARKERS.y + 12.5, text, 10, house.INK, "end"))
    back = origins.mark("favors", "symbols")
    row = Box(MARKERS.x + 5, MARKERS.y + 18, MARKERS.width - 10, 48)
    for marker, cell in enumerate(split(row, len(s["marker_benefit"]), 4)):
        shapes.append(cell.rect(3, house.FIELD, house.EDGE))
        shapes += _benefit(s, marker, Box(cell.x + 2, cell.y + 1, cell.width - 4, 14), origins)
        tile = Box(cell.x + 4, cell.y + 16, cell.width - 8, 13)
        shapes += p.symbol(int(s["marker_symbol"][marker]), tile, full=True, mark=back)
        for seat in range(int(s["players"])):
            if int(s["favors"][seat]) >> marker & 1:
                x = cell.x + 8 + seat * (cell.width - 16) / 3
                shapes.append(mark(p.look_of(s, seat), x, cell.bottom - 9, 5.5))
    return shapes


def _benefit(s: np.void, marker: int, room: Box, origins: Origins) -> list[Shape]:
    benefit, amount = int(s["marker_benefit"][marker]), int(s["marker_amount"][marker])
    note = origins.mark("favors", "markers")
    if benefit == BENEFIT_CALL:
        return [p.fitted(f"call{note}", room, 10)]
    if benefit == BENEFIT_DENARII:
        return [p.fitted(f"{amount} D{note}", room, 10)]
    number = str(amount)
    x = room.centre[0] - 10
    return [
        Text(x, room.centre[1] + 3.6, number, 10, house.INK, "end"),
        *p.resource(benefit, x + 9, room.centre[1], 11),
        *([Text(x + 16, room.centre[1] + 4, note, 11, house.INK)] if note else []),
    ]
