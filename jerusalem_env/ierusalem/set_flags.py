"""Sets of symbols (R7) as flags and counts in words, compiled, for observations.

An own column is 15 flags, five locations for each of its first three cards; three apostle columns
are 45 such flags.
"""

from __future__ import annotations

import numpy as np

from ..bits import count_bits
from ..compiled.encoders import all_if_less
from ..kernels import kernel
from .observation import SEEN_IN_COLUMN

# Flags of columns, 15 each: all three apostle columns at once; of each place of all of them, the
# four lower flags and the highest; the places from the second on, and the third ones.
_THRICE = 1 | 1 << 15 | 1 << 30
_BELOW_CARD, _CARD = 15 | 15 << 5 | 15 << 10, 16 | 16 << 5 | 16 << 10
_BELOW, _HIGHEST = _BELOW_CARD * _THRICE, _CARD * _THRICE
_FROM_SECOND, _THIRD = (31 << 5 | 31 << 10) * _THRICE, (31 << 10) * _THRICE
_PLACES = (1 | 1 << 5 | 1 << 10) * _THRICE
# Counts by location, 4 bits each, 20 bits an apostle column: of one card's five flags; all three
# columns at once; the highest bits.
_COUNT = np.array(
    [sum(1 << 4 * k for k in range(5) if flags >> k & 1) for flags in range(32)], dtype=np.int64
)
_EACH = 1 | 1 << 20 | 1 << 40
_HIGHS, _ONES = 0x88888 * _EACH, 0x11111 * _EACH
_LOWEST = np.array([0, 1, 3, 7, 15, 15], dtype=np.int64)  # so many bits


@kernel
def counts_held(s, seat):
    """How many symbols of each location a seat holds, 3 at most: that many a set can need."""
    counts = 0
    for location in range(5):
        counts |= min(s.symbols_held[seat, location], 3) << (4 * location)
    return counts


@kernel
def counts_of(column):
    """How often each location stands in a column."""
    return _COUNT[column & 31] + _COUNT[(column >> 5) & 31] + _COUNT[(column >> 10) & 31]


@kernel
def served(column, wanted):
    """Apostle columns that an own column's cards can be part of a set of (R7.2): flags 4, 19, 34.

    ``wanted`` are the flags of all three apostle columns. A place without a card fits any symbol.
    """
    empty = ~(column + _BELOW_CARD) & _CARD  # the highest flag of each place without a card
    fitting = (column | ((empty << 1) - (empty >> 4))) * _THRICE
    straight = ((fitting & wanted) + _BELOW) & _HIGHEST
    by_one = (((fitting << 5) & wanted & _FROM_SECOND) + _BELOW) & _HIGHEST
    by_two = (((fitting << 10) & wanted & _THIRD) + _BELOW) & _HIGHEST
    no_second, no_third = ((empty >> 5) & 16) * _THRICE, ((empty >> 10) & 16) * _THRICE
    in_a_row = straight & (straight >> 5) & (straight >> 10)
    one_left_out = (straight | (by_one >> 5)) & (by_one >> 10) & no_third
    return (in_a_row | one_left_out | ((by_two >> 10) & no_second)) & (16 * _THRICE)


@kernel
def may_follow(column, wanted):
    """Locations of the card that may come next on an own column for a set (R7.2).

    15 flags: 5 for each apostle column. The earliest place for each card leaves most for those
    behind: if any way fits, this does.
    """
    left = wanted
    for card in range(SEEN_IN_COLUMN):
        location = (column >> (5 * card)) & 31
        hits = ((left & location * _PLACES) + _BELOW) & _HIGHEST
        first = hits & ~((hits << 5) & _FROM_SECOND) & ~((hits << 10) & _THIRD)
        behind = ((first << 5) & _FROM_SECOND) | ((first << 10) & _THIRD)
        there = all_if_less(0, location)
        left &= (behind | (behind - (behind >> 4))) | ~there
    left |= (left >> 5) | (left >> 10)
    return (left & 31) | ((left >> 10) & 992) | ((left >> 20) & 31744)


@kernel
def beyond(wanted, counts):
    """The symbols of each apostle column beyond some counts, counted by location."""
    left = (wanted | _HIGHS) - counts * _EACH
    return left & (((left & _HIGHS) >> 3) * 7)


@kernel
def lacks_of(more, serves):
    """How many symbols a set of each apostle column lacks, in bits 0, 20 and 40 on; 4: none can be.

    ``more`` are those ``beyond`` what is there, ``serves`` the columns that are ``served``.
    """
    pairs = more + (more >> 4)
    lacks = (pairs + (pairs >> 8) + (more >> 16)) & (15 * _EACH)
    fails = ~serves
    lacks |= ((fails >> 2) & 4) | ((fails << 3) & (4 << 20)) | ((fails << 8) & (4 << 40))
    return lacks & ~(((lacks >> 2) & _EACH) * 3)  # 4 at most


@kernel
def complete(lacks):
    """Flags 0, 1 and 2 of the apostle columns of which a set lacks nothing."""
    sets = ~(lacks | (lacks >> 1) | (lacks >> 2)) & _EACH
    return (sets | (sets >> 19) | (sets >> 38)) & 7


@kernel
def reach(may, more, lacks, row):
    """How far a card of each location brings an own column towards a set of an apostle column.

    Four bits a location: as many of the lowest as 4 less the symbols that then lack, none if such
    a card cannot follow. So the "or" of several is the highest of them.

    ``may`` is of ``may_follow``, ``more`` of ``beyond``, ``lacks`` of ``lacks_of``.
    """
    short = (more | (more >> 1) | (more >> 2)) & _ONES
    fits = _COUNT[(may >> (5 * row)) & 31]
    lack = (lacks >> (20 * row)) & 7
    helps = fits & (short >> (20 * row))
    return helps * _LOWEST[5 - lack] + (fits ^ helps) * _LOWEST[4 - lack]


@kernel
def far_at(reached, location):
    """What ``reach`` says of a location, as a number 0..4."""
    return count_bits((reached >> (4 * location)) & 15)
