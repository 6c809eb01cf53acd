"""Apostles: visiting them, their appreciation, the Illumination (R7, R8)."""

from __future__ import annotations

from ...bits import allow_block
from ...kernels import kernel
from ..rules.codes import (
    STEP_APOSTLE,
    STEP_INVITED,
    STEP_JUDAS,
    STEP_SCORE,
    STEP_SWAP,
    STEP_VISIT_END,
)
from ..rules.names import NUM_SEATS
from .cards import back_of
from .derived import note_seat
from .flow import ask, go_on, push
from .layout import (
    APOSTLE,
    JUDAS,
    ORANGE,
    PASS,
    PHASE_APOSTLE,
    PHASE_ORANGE,
    PHASE_SEAT,
    PURPLE,
    SEAT,
    SOURCE_FAVORS,
    VISIT,
    WHITE,
)
from .own_columns import discard_column
from .scoring import points_around
from .sets import set_bits, spend_symbols
from .supper import can_swap, go_spaces


@kernel
def apostles_left(s):
    """Apostles that are not seated yet."""
    total = 0
    for column in range(3):
        for colour in range(4):
            total += s.apostles[column, colour]
    return total


@kernel
def colours_left(s, column):
    """Colours of the Apostles left in an apostle column: bit colour (A16)."""
    bits = 0
    for colour in range(4):
        if s.apostles[column, colour] > 0:
            bits |= 1 << colour
    return bits


@kernel
def seats_with(s, colour):
    """Seats of the table with an Apostle of a colour, or empty ones for -1: bit seat."""
    bits = 0
    for place in range(NUM_SEATS):
        if s.seats[place] == colour:
            bits |= 1 << place
    return bits


# --- visiting (R7) ---------------------------------------------------------------------------
@kernel
def legal_visit(s, words):
    """A set for an apostle column, or no visit."""
    allow_block(words, PASS, 1)
    allow_block(words, VISIT, set_bits(s, s.turn))


@kernel
def apply_visit(s, action):
    """Which Apostle is asked next, if any is left there; else only points (R7.4, R7.10)."""
    go_on(s)
    if action == PASS:
        return
    s.visit_source = (action - VISIT) // 3
    s.visit_column = (action - VISIT) % 3
    push(s, STEP_VISIT_END)
    if colours_left(s, s.visit_column) != 0:
        push(s, STEP_APOSTLE)


@kernel
def legal_apostle(s, words):
    """One of the Apostles in the column."""
    allow_block(words, APOSTLE, colours_left(s, s.visit_column))


@kernel
def apply_apostle(s, action):
    """The Apostle is chosen; the seat is next."""
    s.chosen_colour = action - APOSTLE
    ask(s, PHASE_SEAT)


@kernel
def choose_apostle(s):
    """Ask which Apostle."""
    ask(s, PHASE_APOSTLE)


@kernel
def legal_seat(s, words):
    """Any empty seat of the table (A16)."""
    allow_block(words, SEAT, seats_with(s, -1))


@kernel
def apply_seat(s, action):
    """The Apostle sits down and shows his appreciation (R7.4)."""
    place, colour = action - SEAT, s.chosen_colour
    s.chosen_colour = -1
    s.apostles[s.visit_column, colour] -= 1
    s.seats[place] = colour
    note_seat(s, place)
    if colour == ORANGE:
        push(s, STEP_SCORE + place)  # R7.6, A14
    else:
        appreciate(s, colour)
    go_on(s)


@kernel
def appreciate(s, colour):
    """The appreciation of a colour other than orange (R7.5, R7.7, R7.8)."""
    if colour == PURPLE:
        push(s, STEP_INVITED)
    elif colour == WHITE:
        push(s, STEP_SWAP)
    elif colour == JUDAS:
        push(s, STEP_JUDAS)


@kernel
def score_around(s, place):
    """Followers around an orange Apostle score at once: everybody's, or the visitor's (A14)."""
    for seat in range(s.players):
        if s.orange_own == 0 or seat == s.turn:
            s.points[seat] += points_around(s, place, s.supper[seat])
    go_on(s)


@kernel
def judas(s):
    """Denarii for the visitor (R7.8)."""
    s.denarii[s.turn] += s.judas_denarii
    go_on(s)


@kernel
def end_visit(s):
    """Points of the cards used, then they and the symbols go (R7.9, R7.11, R7.12, A20)."""
    seat, source = s.turn, s.visit_source
    spend_symbols(s, seat, source, s.visit_column)
    if source < SOURCE_FAVORS:
        for place in range(s.column_size[seat, source]):
            s.points[seat] += s.card_points[back_of(s.columns[seat, source, place])]
        discard_column(s, seat, source)
    s.visit_source = -1
    s.visit_column = -1
    if apostles_left(s) == 0:
        s.judgments_on = 0
    go_on(s)


# --- Illumination (R8) -----------------------------------------------------------------------
@kernel
def legal_illuminate(s, words):
    """The colours whose appreciation can be had (A18)."""
    bits = 1 << JUDAS
    if go_spaces(s, 1) != 0:
        bits |= 1 << PURPLE
    if seats_with(s, ORANGE) != 0:
        bits |= 1 << ORANGE  # R8.2
    if can_swap(s):
        bits |= 1 << WHITE
    allow_block(words, APOSTLE, bits)


@kernel
def apply_illuminate(s, action):
    """The tile is used; the appreciation follows."""
    s.illumination[s.turn] = 0
    if action - APOSTLE == ORANGE:
        ask(s, PHASE_ORANGE)
    else:
        appreciate(s, action - APOSTLE)
        go_on(s)


@kernel
def legal_orange(s, words):
    """A seat with an orange Apostle."""
    allow_block(words, SEAT, seats_with(s, ORANGE))


@kernel
def apply_orange(s, action):
    """The followers around it score."""
    push(s, STEP_SCORE + action - SEAT)
    go_on(s)
