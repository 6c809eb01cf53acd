"""The three own columns of a seat: cards come and go (R6.1, R6.4, R13.8)."""

from __future__ import annotations

from ...kernels import kernel
from .cards import discard
from .derived import note_column


@kernel
def lay_down(s, seat, column, card):
    """A card comes to an own column."""
    s.columns[seat, column, s.column_size[seat, column]] = card
    s.column_size[seat, column] += 1
    s.cards_laid[seat] |= 1 << card
    note_column(s, seat, column)


@kernel
def take_up(s, seat, column):
    """All cards leave an own column; the mask of their kinds."""
    cards = 0
    for place in range(s.column_size[seat, column]):
        cards |= 1 << s.columns[seat, column, place]
        s.columns[seat, column, place] = -1
    s.column_size[seat, column] = 0
    s.cards_laid[seat] &= ~cards
    note_column(s, seat, column)
    return cards


@kernel
def discard_column(s, seat, column):
    """All cards of an own column are discarded, the first played first (A24)."""
    for place in range(s.column_size[seat, column]):
        discard(s, seat, s.columns[seat, column, place])
    take_up(s, seat, column)
