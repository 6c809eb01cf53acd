"""The city: wall, sectors and areas; on them squires, barons and who controls what."""

from __future__ import annotations

from ... import drawing_parts as house
from ...drawing import Circle, Line, Polygon, Rect, Shape, Text, text_width
from ...drawing_parts import Box
from ..rules.board import DAVIDS_TOWER, MARKET, NOBILITY, PATRIARCHATE, TOWER_SECTOR
from . import palette as p
from .board_layout import (
    HEADER,
    WALL_BOX,
    AreaShape,
    area_shapes,
    sector_box,
    sectors_out_of_play,
)
from .seen import Seen
from .tokens import amounts, chip, crown, seat_mark, shield

_MERLON = 9  # width of a tooth of the wall, and of the gap beside it


# --- backdrop -----------------------------------------------------------------------------------
def city_backdrop(seen: Seen) -> list[Shape]:
    """All that is printed: the wall, names, incomes."""
    shapes = _wall()
    for sector in range(6):
        if sector in sectors_out_of_play(seen.players):
            shapes += _idle_sector(sector)
        else:
            shapes += _sector(sector)
    for area, shape in area_shapes(seen.players).items():
        if area == DAVIDS_TOWER:
            shapes += _tower(shape)
        else:
            shapes += _area(area, shape, seen)
    return shapes


def _wall() -> list[Shape]:
    """Teeth all around, the wall itself, a round tower at each corner."""
    box, shapes = WALL_BOX, list[Shape]()
    step = 2 * _MERLON
    for x in range(round(box.x) + 22, round(box.right) - 22, step):
        for y in (box.y - 4, box.bottom - 2):
            shapes.append(Rect(x, y, _MERLON, 6, 0, p.WALL, house.EDGE))
    for y in range(round(box.y) + 22, round(box.bottom) - 22, step):
        for x2 in (box.x - 4, box.right - 2):
            shapes.append(Rect(x2, y, 6, _MERLON, 0, p.WALL, house.EDGE))
    shapes.append(box.rect(6, p.WALL, house.EDGE))
    shapes.append(box.inset(9).rect(4, "#d8cbb0", house.EDGE))
    for x3 in (box.x + 5, box.right - 5):
        for y3 in (box.y + 5, box.bottom - 5):
            shapes.append(Circle(x3, y3, 11, p.WALL, house.EDGE, 1.5))
            shapes.append(Circle(x3, y3, 6, "#d8cbb0", house.EDGE, 1))
    return shapes


def _sector(sector: int) -> list[Shape]:
    box = sector_box(sector)
    ground = box.rect(6, p.SECTOR_GROUNDS[sector], house.EDGE)
    if sector == TOWER_SECTOR:
        return [ground]
    return [
        ground,
        Text(box.x + 10, box.y + 18.5, p.SECTOR_LABELS[sector], 15, house.INK, bold=True),
    ]


def _idle_sector(sector: int) -> list[Shape]:
    """R2.4."""
    box = sector_box(sector)
    x, y = box.centre
    return [
        box.rect(6, house.IDLE, house.EDGE),
        Text(x, y - 4, p.SECTOR_LABELS[sector], 15, house.MUTED, "middle", True),
        Text(x, y + 14, "not in play with 2 players", 12, house.MUTED, "middle"),
    ]


def _area(area: int, shape: AreaShape, seen: Seen) -> list[Shape]:
    box = shape.box
    large = area % 3 == 0
    mark = "*" if seen.reconstructed[area] else ""  # Part V
    baseline = box.y + (23 if large else 18.5)
    size = 16 if large else 13
    return [
        box.rect(5, house.FIELD, house.EDGE),
        *amounts(seen.income[area], box.centre[0], baseline, box.width - 14, mark, size),
    ]


def _tower(shape: AreaShape) -> list[Shape]:
    x = shape.centre[0]
    top = shape.box.y
    return [
        Polygon(shape.outline, 6, house.FIELD, house.EDGE, 1),
        Text(x, top + 28, p.SECTOR_LABELS[TOWER_SECTOR], 15, house.INK, "middle", True),
        Text(x, top + 46, "1 silver and a move out", 12, house.MUTED, "middle"),  # R12.1
    ]


# --- what changes -------------------------------------------------------------------------------
def city_shapes(seen: Seen) -> list[Shape]:
    """Squires, barons, control, privileges."""
    shapes: list[Shape] = []
    for area, shape in area_shapes(seen.players).items():
        shapes += _occupation(area, shape, seen)
    for sector in (PATRIARCHATE, MARKET, NOBILITY):
        if sector not in sectors_out_of_play(seen.players):
            shapes += _privilege(sector, seen)
    return shapes


def _privilege(sector: int, seen: Seen) -> list[Shape]:
    """Whose privilege it would be (R12.3), in the sector's header."""
    seat = seen.privileged(sector)
    if seat < 0:
        return []
    box = sector_box(sector)
    right, y = box.right - 10, box.y + HEADER / 2
    return [
        Text(right - 16, y + 4.5, "privilege", 11, house.INK, "end"),
        seat_mark(seat, right - 5, y + 0.5, 6.5),
    ]


def _slots(area: int, shape: AreaShape) -> list[Box]:
    """Where the plates of the four seats go: two by two, in a large area side by side."""
    box, gap = shape.box, 3
    if area != DAVIDS_TOWER and area % 3 == 0:
        width = (box.width - 12 - 3 * gap) / 4
        return [Box(box.x + 6 + k * (width + gap), box.y + 38, width, 24) for k in range(4)]
    if area == DAVIDS_TOWER:
        width, height, top = 58.0, 26.0, box.y + 66
    else:
        width, height, top = (box.width - 12 - gap) / 2, 17.0, box.y + 27
    left = box.centre[0] - width - gap / 2
    return [
        Box(left + (k % 2) * (width + gap), top + (k // 2) * (height + gap), width, height)
        for k in range(4)
    ]


def _foot(area: int, shape: AreaShape) -> float:
    """y of the row for barons and arrivals."""
    if area == DAVIDS_TOWER:
        return shape.box.y + 148
    return shape.box.bottom - (19 if area % 3 == 0 else 11)


def _occupation(area: int, shape: AreaShape, seen: Seen) -> list[Shape]:
    shapes: list[Shape] = []
    leader = seen.controller(area)
    if leader >= 0:
        shapes += _edge(area, shape, leader)
    for seat, slot in enumerate(_slots(area, shape)[: seen.players]):
        count = seen.board[area][seat]
        if count:
            shapes += chip(seat, slot.x, slot.y, slot.width, slot.height, str(count))
            if seat == leader:
                shapes += crown(slot.x + 6, slot.y, 11)
    y = _foot(area, shape)
    owner = seen.baron.index(area) if area in seen.baron else -1
    if owner >= 0:
        shapes += _ribbon(owner, area, shape)
    elif seen.arrivals[area]:  # what counts for a baron (A13); where one stands it is settled
        text = f"+{seen.arrivals[area]} this turn"
        shapes.append(Text(shape.centre[0], y + 4, text, 12, house.INK, "middle"))
    if seen.lifted_from == area:
        shapes += _dashed(shape)
    return shapes


def _edge(area: int, shape: AreaShape, seat: int) -> list[Shape]:
    """A border in the colour of the seat that controls an area (R7.1)."""
    colour = p.SEATS[seat].colour
    if area == DAVIDS_TOWER:
        points = shape.inset(3)
        return [Polygon(points, 4, None, house.INK, 6), Polygon(points, 4, None, colour, 4)]
    x, y, width, height = shape.box.x, shape.box.y, shape.box.width, shape.box.height
    return [
        Rect(x, y, width, height, 5, None, house.INK, 1.5),
        Rect(x + 3, y + 3, width - 6, height - 6, 3, None, colour, 4.5),
        Rect(x + 5.5, y + 5.5, width - 11, height - 11, 2, None, house.INK, 1),
    ]


def _ribbon(seat: int, area: int, shape: AreaShape) -> list[Shape]:
    """A baron and what he does (R8.1): a dark ribbon with his shield."""
    small = area != DAVIDS_TOWER and area % 3 != 0
    label, size, height = ("baron", 11, 15) if small else (f"P{seat}'s baron", 13, 20)
    width = text_width(label, size, True) + height * 1.25 + 9
    x, y = shape.centre[0] - width / 2, _foot(area, shape)
    return [
        Rect(x, y - height / 2, width, height, height / 2, house.DARK),
        *shield(seat, x + height * 0.6, y, height * 1.2),
        Text(x + height * 1.25, y + size * 0.36, label, size, house.ON_DARK, bold=True),
    ]


def _dashed(shape: AreaShape) -> list[Shape]:
    """Around the area that a squire is being lifted from."""
    points = shape.inset(7)
    return [
        Line(*a, *b, house.INK, 2, (5, 4))
        for a, b in zip(points, points[1:] + points[:1], strict=True)
    ]
