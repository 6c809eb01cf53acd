"""Where things lie in the picture: the city's sectors and areas, and the boxes around it.

Public: whoever wants to draw on top of the city (a heat map, a click) asks ``area_shapes``. All
lengths are pixels of the 1,000 x 750 canvas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ...drawing import Point, Rect
from ...drawing_parts import Box
from ..rules.board import (
    AREA_SECTOR,
    DAVIDS_TOWER,
    MARKET,
    NOBILITY,
    NUM_AREAS,
    PALACE,
    PATRIARCHATE,
    TEMPLARS,
    TOWER_SECTOR,
    areas_in_play,
    sectors_in_play,
)

WIDTH, HEIGHT = 1000, 750
ROUND_TRACK = Box(8, 8, 470, 52)
DECISION = Box(486, 8, 506, 52)
WALL_BOX = Box(8, 68, 624, 472)
CITY = Box(20, 80, 600, 448)
PANELS = Box(640, 68, 352, 646)
OFFICES_BOX = Box(8, 550, 308, 164)
CARDS_BOX = Box(324, 550, 308, 164)
LEGEND = Box(8, 720, 984, 24)

_GAP = 9
_SECTOR_WIDTH = (CITY.width - 2 * _GAP) / 3
_SECTOR_HEIGHT = (CITY.height - _GAP) / 2
HEADER = 26  # the sector's name
_PAD = 6
_LARGE_HEIGHT = 98

# Column and row of each sector: clockwise around David's Tower from the Palace on.
_PLACES = {
    PALACE: (1, 0),
    TEMPLARS: (2, 0),
    PATRIARCHATE: (2, 1),
    MARKET: (0, 1),
    NOBILITY: (0, 0),
    TOWER_SECTOR: (1, 1),
}
_TOWER_CORNER = 40  # cut off the corners of David's Tower


@dataclass(frozen=True)
class AreaShape:
    """An area of the city.

    Attributes
    ----------
    outline : tuple of points
        Its corners, clockwise from the upper left.
    centre : point
    box : Box
        The smallest upright box around it.
    """

    outline: tuple[Point, ...]
    centre: Point
    box: Box

    def inset(self, by: float) -> tuple[Point, ...]:
        """The outline, moved inwards by about so much."""
        across = 1 - 2 * by / self.box.width
        down = 1 - 2 * by / self.box.height
        x, y = self.centre
        return tuple((x + across * (a - x), y + down * (b - y)) for a, b in self.outline)


@cache
def sector_box(sector: int) -> Box:
    """The ground of a sector, its name included."""
    column, row = _PLACES[sector]
    return Box(
        CITY.x + column * (_SECTOR_WIDTH + _GAP),
        CITY.y + row * (_SECTOR_HEIGHT + _GAP),
        _SECTOR_WIDTH,
        _SECTOR_HEIGHT,
    )


@cache
def area_shape(area: int) -> AreaShape:
    """Outline and centre of an area, in play or not."""
    sector = sector_box(AREA_SECTOR[area])
    if area == DAVIDS_TOWER:
        box = sector.inset(4)
        cut, right, bottom = _TOWER_CORNER, box.right, box.bottom
        outline = (
            *((box.x + cut, box.y), (right - cut, box.y)),
            *((right, box.y + cut), (right, bottom - cut)),
            *((right - cut, bottom), (box.x + cut, bottom)),
            *((box.x, bottom - cut), (box.x, box.y + cut)),
        )
        return AreaShape(outline, box.centre, box)
    width = sector.width - 2 * _PAD
    top = sector.y + HEADER
    if area % 3 == 0:
        box = Box(sector.x + _PAD, top, width, _LARGE_HEIGHT)
    else:
        half = (width - _PAD) / 2
        x = sector.x + _PAD + (0 if area % 3 == 1 else half + _PAD)
        y = top + _LARGE_HEIGHT + _PAD
        box = Box(x, y, half, sector.bottom - _PAD - y)
    return AreaShape(Rect(box.x, box.y, box.width, box.height).corners(), box.centre, box)


@cache
def area_shapes(players: int = 4) -> Mapping[int, AreaShape]:
    """By index of each area in play (10 of them with 2 players): where it lies."""
    return MappingProxyType({area: area_shape(area) for area in areas_in_play(players)})


def areas_out_of_play(players: int) -> tuple[int, ...]:
    """The other areas (R2.4)."""
    return tuple(area for area in range(NUM_AREAS) if area not in areas_in_play(players))


def sectors_out_of_play(players: int) -> tuple[int, ...]:
    """Sectors that lie idle (R2.4)."""
    return tuple(sector for sector in range(6) if sector not in sectors_in_play(players))


def panel_box(seat: int, players: int) -> Box:
    """Where a seat's panel lies, P0 on top."""
    gap = 6
    height = (PANELS.height - gap * (players - 1)) / players
    return Box(PANELS.x, PANELS.y + seat * (height + gap), PANELS.width, height)
