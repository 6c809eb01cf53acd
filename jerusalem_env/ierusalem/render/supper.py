"""The Last Supper in the picture: 56 spaces, 12 seats, Jesus (R14.1)."""

from __future__ import annotations

from functools import cache

import numpy as np

from ... import drawing_parts as house
from ...drawing import Rect, Shape, Text, text_width
from ...drawing_parts import Box, pawn
from ..engine.layout import NEUTRAL
from ..rules.names import JESUS, SEATS, SPACES
from . import palette as p
from .seen import Origins, occupants

SUPPER = Box(8, 54, 500, 310)
_HEAD = 13
_SIDE = 42  # width of the corners' columns
_CELL = (SUPPER.width - 2 * _SIDE) / 8
_ROW, _TABLE = 35, 43


@cache
def space_box(space: int) -> Box:
    """Where a space of the Last Supper lies."""
    name = SPACES[space]
    if name.startswith(("corner", "jesus")):
        kind, place = name.split(".")
        side, half = place.split("_")
        if kind == "jesus":
            return _cell(_table_top(side), 4 if half == "left" else 5, _TABLE)
        x = SUPPER.x if half == "left" else SUPPER.right - _SIDE
        return Box(x, _table_top(side), _SIDE, _TABLE).inset(1.5)
    side, row, column = name[:-3], int(name[-3]), int(name[-1])
    down = 3 - row if side == "top" else row - 1
    top = SUPPER.y + _HEAD if side == "top" else _table_top("bottom") + _TABLE
    return _cell(top + down * _ROW, column, _ROW)


@cache
def seat_box(seat: int) -> Box:
    """Where a seat of the table lies."""
    side, column = SEATS[seat].split(".")
    return _cell(_table_top(side), int(column), _TABLE)


def _table_top(side: str) -> float:
    return SUPPER.y + _HEAD + 3 * _ROW + (0 if side == "top" else _TABLE)


def _cell(top: float, column: int, height: float) -> Box:
    return Box(SUPPER.x + _SIDE + (column - 1) * _CELL, top, _CELL, height).inset(1.5)


def supper_backdrop() -> list[Shape]:
    """The ground, the table, numbers of rows and columns."""
    shapes: list[Shape] = [SUPPER.inset(-2).rect(5, p.SHADE, house.EDGE)]
    table = Box(SUPPER.x + _SIDE, _table_top("top"), 8 * _CELL, 2 * _TABLE)
    shapes.append(table.rect(3, p.TABLE, house.EDGE))
    for column in range(1, 9):
        x = SUPPER.x + _SIDE + (column - 0.5) * _CELL
        shapes.append(Text(x, SUPPER.y + 9.5, str(column), 9.5, house.INK, "middle"))
    for side in ("top", "bottom"):
        for row in (1, 2, 3):
            box = space_box(SPACES.index(f"{side}{row}.1"))
            room = Box(SUPPER.x + 1, box.y, _SIDE - 3, box.height)
            shapes.append(p.fitted(f"{side}{row}", room, 9.5))
    return shapes


def supper_shapes(s: np.void, origins: Origins) -> list[Shape]:
    """Followers, costs and effects of empty spaces, Apostles."""
    shapes: list[Shape] = []
    marked = {int(s["lifted"]), int(s["chosen_space"])}
    for space, occupant in enumerate(occupants(s)):
        box = space_box(space)
        chosen = space in marked
        fill = house.HIGHLIGHT if chosen else house.PANEL if occupant >= 0 else house.FIELD
        shapes.append(
            Rect(
                box.x,
                box.y,
                box.width,
                box.height,
                4,
                fill,
                house.INK if chosen else house.EDGE,
                2.5 if chosen else 1,
            )
        )
        if occupant == NEUTRAL:
            shapes += pawn(*box.centre, box.height * 0.6, p.NEUTRAL)
        elif occupant >= 0:
            shapes += p.numbered(s, occupant, *box.centre, 12.5)
        else:
            shapes += _empty(s, space, box, origins)
    for seat, colour in enumerate(s["seats"].tolist()):
        box = seat_box(seat)
        shapes.append(box.rect(12, house.SLOT, house.EDGE))
        if colour >= 0:
            shapes += p.apostle(colour, *box.centre, 15)
        else:
            shapes.append(p.fitted("seat", box.inset(4), 9.5, house.MUTED))
    return shapes


def _empty(s: np.void, space: int, box: Box, origins: Origins) -> list[Shape]:
    """Cost and effect, or what a space beside Jesus scores."""
    effect = p.effect_text(s, int(s["space_effect"][space]), int(s["space_amount"][space]))
    effect += origins.effect(space) if effect else ""
    if space in JESUS:
        effect = f"Jesus {s['jesus_points']}{origins.mark('supper', 'jesus_points')}"
    middle = box.centre[1] - (8 if effect else 0)
    shapes = _cost(s["space_cost"][space].tolist(), origins.cost(space), box, middle)
    if effect:
        room = Box(box.x + 2, middle + 8, box.width - 4, 13)
        shapes.append(p.fitted(effect, room, 10))
    return shapes


def _cost(cost: list[int], mark: str, box: Box, y: float) -> list[Shape]:
    """A square for each resource; three and more of one are a number and a square."""
    signs: list[tuple[str, int]] = []
    for kind, number in enumerate(cost):
        signs += [("", kind)] * number if number < 3 else [(str(number), kind)]
    if not signs:
        return [p.fitted(f"free{mark}", Box(box.x + 2, y - 6, box.width - 4, 12), 10)]
    size = 12.0
    after = text_width(mark, 11) + 1 if mark else 0

    def wide(size: float) -> float:
        numbers = sum(text_width(label, size * 0.8, True) + 1 for label, _ in signs if label)
        return numbers + len(signs) * (size + 1) + after

    while wide(size) > box.width - 4 and size > 7:
        size -= 0.5
    x = box.centre[0] - wide(size) / 2
    shapes: list[Shape] = []
    for label, kind in signs:
        if label:
            shapes.append(Text(x, y + size * 0.29, label, size * 0.8, house.INK, bold=True))
            x += text_width(label, size * 0.8, True) + 1
        shapes += p.resource(kind, x + size / 2, y, size)
        x += size + 1
    if mark:
        shapes.append(Text(x, y + 4, mark, 11, house.INK))
    return shapes
