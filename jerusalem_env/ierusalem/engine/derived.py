"""What follows from the rest of a record and is kept in it, as every observation asks for it.

No rule reads these fields. They are written where what they follow from changes: the own columns
(``note_column``), the seats of the table (``note_seat``), followers at the Supper
(``note_supper``), and at set-up, as when a position is read, all of them (``derive``). All they
tell lies open on the table.

``column_facts`` hold in one word what the first three cards of an own column are to sets (R7.2):

- bits 0..14: their locations, 5 flags for each card
- 15..29: locations of the card that may come next for a set, 5 flags for each apostle column
- 30..49: how often each location stands there, 4 bits each
- 50..52: apostle columns that the column's cards can be part of a set of
- 53..61: points of the cards (R7.9)
"""

from __future__ import annotations

import numpy as np

from ...bits import lowest_bit
from ...bytewise import sum_where
from ...kernels import entry_kernel, kernel
from ..rules.names import NUM_SEATS
from .cards import back_of
from .scoring import value_at
from .state import AROUND_MASKS, JESUS_SPACES

DERIVED_FIELDS = (
    *("symbol_flags", "symbol_counts", "judgment_flags", "seat_flags"),
    *("column_facts", "cards_laid", "space_worth", "table_points"),
)
SEEN_IN_COLUMN = 3  # a column with more cards cannot serve (A6)

FACTS_FOLLOW, FACTS_COUNTS, FACTS_SERVED, FACTS_POINTS = 15, 30, 50, 53
FLAGS_OF_COLUMN, FLAGS_OF_COUNTS = (1 << 15) - 1, (1 << 20) - 1
# What ``column_facts`` would be of no column: the source of a set of symbols held alone (R7.3). It
# has a card, as a source without one is none.
NO_COLUMN = 1 | 7 << FACTS_SERVED

# Flags of columns, 15 each: all three apostle columns at once; of each place of all of them, the
# four lower flags and the highest; the places from the second on, and the third ones.
_THRICE = 1 | 1 << 15 | 1 << 30
_BELOW_CARD, _CARD = 15 | 15 << 5 | 15 << 10, 16 | 16 << 5 | 16 << 10
_BELOW, _HIGHEST = _BELOW_CARD * _THRICE, _CARD * _THRICE
_FROM_SECOND, _THIRD = (31 << 5 | 31 << 10) * _THRICE, (31 << 10) * _THRICE
_PLACES = (1 | 1 << 5 | 1 << 10) * _THRICE
# Counts by location, 4 bits each, of one card's five flags.
SPREAD = np.array(
    [sum(1 << 4 * k for k in range(5) if flags >> k & 1) for flags in range(32)], dtype=np.int64
)


@kernel
def counts_of(column):
    """How often each location stands in a column."""
    return SPREAD[column & 31] + SPREAD[(column >> 5) & 31] + SPREAD[(column >> 10) & 31]


@kernel
def served(column, wanted):
    """Apostle columns that an own column's cards can be part of a set of (R7.2): flags 0, 1, 2.

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
    found = in_a_row | one_left_out | ((by_two >> 10) & no_second)
    return ((found >> 4) & 1) | ((found >> 18) & 2) | ((found >> 32) & 4)


@kernel
def may_follow(column, wanted):
    """Locations of the card that may come next on an own column for a set (R7.2).

    15 flags: 5 for each apostle column. The earliest place for each card leaves most for those
    behind: if any way fits, this does.
    """
    left = wanted
    for card in range(SEEN_IN_COLUMN):
        location = (column >> (5 * card)) & 31
        if location != 0:
            hits = ((left & location * _PLACES) + _BELOW) & _HIGHEST
            first = hits & ~((hits << 5) & _FROM_SECOND) & ~((hits << 10) & _THIRD)
            behind = ((first << 5) & _FROM_SECOND) | ((first << 10) & _THIRD)
            left &= behind | (behind - (behind >> 4))
    left |= (left >> 5) | (left >> 10)
    return (left & 31) | ((left >> 10) & 992) | ((left >> 20) & 31744)


@kernel
def facts_of(s, seat, column):
    """The ``column_facts`` of an own column."""
    size = s.column_size[seat, column]
    flags, points = 0, 0
    for place in range(min(size, SEEN_IN_COLUMN)):
        card = s.columns[seat, column, place]
        flags |= 1 << (5 * place + s.card_location[card])
        points += s.card_points[back_of(card)]
    facts = flags | counts_of(flags) << FACTS_COUNTS | points << FACTS_POINTS
    if size < SEEN_IN_COLUMN:
        facts |= may_follow(flags, s.symbol_flags) << FACTS_FOLLOW
    if size <= SEEN_IN_COLUMN:
        facts |= served(flags, s.symbol_flags) << FACTS_SERVED
    return facts


@kernel
def note_column(s, seat, column):
    """An own column has changed; whoever changes it also keeps ``cards_laid``."""
    s.column_facts[seat, column] = facts_of(s, seat, column)


@kernel
def note_supper(s):
    """Followers have come to the Supper or moved there."""
    # All sums first: each reads on over the end of ``space_worth``, where these are written.
    points = sum_where(s.space_worth, s.supper[0]), sum_where(s.space_worth, s.supper[1])
    more = sum_where(s.space_worth, s.supper[2]), sum_where(s.space_worth, s.supper[3])
    s.table_points[0], s.table_points[1] = points
    s.table_points[2], s.table_points[3] = more


@kernel
def weigh_around(s, place):
    """Keep what the Apostle on a seat of the table makes of it and of the spaces around."""
    colour = s.seats[place]
    s.seat_flags |= 1 << (4 * place + colour)
    for distance in range(3):
        spaces, worth = AROUND_MASKS[place, distance], value_at(s, colour, distance)
        while spaces != 0:
            s.space_worth[lowest_bit(spaces)] = worth  # a space is around one seat alone
            spaces &= spaces - 1


@kernel
def note_seat(s, place):
    """An Apostle has sat down on a seat of the table."""
    weigh_around(s, place)
    note_supper(s)


@kernel
def derive(s):
    """All that follows from the rest."""
    s.symbol_flags, s.symbol_counts, s.judgment_flags, s.seat_flags = 0, 0, 0, 0
    for column in range(3):
        for place in range(3):
            symbol = s.symbols[column, place]
            s.symbol_flags |= 1 << (15 * column + 5 * place + symbol)
            s.symbol_counts += 1 << (20 * column + 4 * symbol)
    for place in range(6):
        s.judgment_flags |= 1 << (6 * place + s.judgments[place])
    for space in range(s.space_worth.shape[0]):
        s.space_worth[space] = s.jesus_points if (JESUS_SPACES >> space) & 1 != 0 else 0  # R18.4
    for place in range(NUM_SEATS):
        if s.seats[place] >= 0:
            weigh_around(s, place)
    note_supper(s)
    for seat in range(4):  # rows beyond the players stay so
        s.cards_laid[seat] = 0
        for column in range(3):
            s.column_facts[seat, column] = 0
    for seat in range(s.players):
        for column in range(3):
            note_column(s, seat, column)
            for place in range(s.column_size[seat, column]):
                s.cards_laid[seat] |= 1 << s.columns[seat, column, place]


@entry_kernel
def derive_games(states):
    """``derive`` for every record (B,)."""
    for game in range(states.shape[0]):
        derive(states[game])
