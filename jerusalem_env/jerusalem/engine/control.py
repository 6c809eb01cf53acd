"""Who controls what: areas, sectors, blocked areas, and who comes next (R3.4, R7, R8)."""

from __future__ import annotations

from ...kernels import kernel
from ..rules.board import NUM_AREAS
from .layout import NO_SEAT
from .state import ALL_AREAS_MASK, TWO_PLAYER_MASK


@kernel
def in_play(s):
    """Bit mask of the areas in play: 16, or 10 with 2 players."""
    return TWO_PLAYER_MASK if s.players == 2 else ALL_AREAS_MASK  # R2.4


@kernel
def blocked(s):
    """Bit mask of the areas where a baron stands."""
    mask = 0
    for seat in range(s.players):
        if s.baron[seat] >= 0:
            mask |= 1 << s.baron[seat]  # R8.1: the area only, not its sector
    return mask


@kernel
def enterable(s):
    """Bit mask of the areas that squires and barons may enter: in play and unblocked."""
    return in_play(s) & ~blocked(s)  # R8.5, A17, A35


@kernel
def own_areas(s, seat):
    """Bit mask of the areas where a seat has squires."""
    mask = 0
    for area in range(NUM_AREAS):
        if s.board[seat, area] > 0:
            mask |= 1 << area
    return mask


@kernel
def controller(s, area):
    """Seat with the most squires in an area; ties to the lowest office; -1 if there are none."""
    best, holder = 0, NO_SEAT  # R7.2
    for office in range(4):
        seat = s.seat_of_office[office]
        if seat >= 0 and s.board[seat, area] > best:  # R7.1; R7.3: barons do not count
            best, holder = s.board[seat, area], seat
    return holder


@kernel
def sector_total(s, sector, seat):
    """Squires of a seat in the three areas of a sector (0..4)."""
    return s.board[seat, 3 * sector] + s.board[seat, 3 * sector + 1] + s.board[seat, 3 * sector + 2]


@kernel
def privileged(s, sector):
    """Seat with the most squires in a sector; ties to the lowest office; -1 if there are none."""
    best, holder = 0, NO_SEAT  # A40
    for office in range(4):
        seat = s.seat_of_office[office]
        if seat >= 0 and sector_total(s, sector, seat) > best:  # R12.3
            best, holder = sector_total(s, sector, seat), seat
    return holder


@kernel
def next_in_order(s, office):
    """Seat that holds the lowest office from ``office`` on, -1 if there is none (R3.4)."""
    for candidate in range(office, 4):
        if s.seat_of_office[candidate] >= 0:
            return s.seat_of_office[candidate]
    return NO_SEAT


@kernel
def next_after(s, seat):
    """Seat that follows in player order, -1 after the last (R3.4)."""
    return next_in_order(s, s.office[seat] + 1)
