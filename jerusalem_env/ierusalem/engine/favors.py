"""Favors and Parables (R13.4, R16)."""

from __future__ import annotations

from ...bits import allow_block, count_bits
from ...kernels import kernel
from ..rules.codes import (
    BENEFIT_CALL,
    BENEFIT_DENARII,
    STEP_FAVOR_DONE,
    STEP_NONE,
    STEP_RECEIVE,
)
from .cards import draw_xxxiii
from .flow import ask, go_on, push
from .layout import FAVOR, GIVE, PASS, PHASE_FAVOR, PHASE_GIVE
from .places import call

NUM_PARABLES, NUM_FAVORS = 7, 8


@kernel
def listen(s):
    """The next Parable, if there are followers enough at the Supper (R13.4, A40)."""
    seat = s.turn
    have = s.parables[seat]
    go_on(s)
    if have >= NUM_PARABLES or count_bits(s.supper[seat]) < s.parable_needs[have]:
        return
    taken = 0  # I7: whoever has more tiles than this one has taken one of its type
    for other in range(s.players):
        if s.parables[other] > have:
            taken += 1
    s.points[seat] += s.parable_points[taken]
    s.parables[seat] = have + 1
    if s.parable_reward[have] != STEP_NONE:
        push(s, s.parable_reward[have])


@kernel
def favor(s):
    """Ask which marker to give, if there is one left (R16.1)."""
    if s.favors[s.turn] != 0:
        ask(s, PHASE_FAVOR)
    else:
        go_on(s)


@kernel
def legal_favor(s, words):
    """A marker, or none."""
    allow_block(words, PASS, 1)
    allow_block(words, FAVOR, s.favors[s.turn])


@kernel
def apply_favor(s, action):
    """The marker is chosen; to whom is next."""
    if action == PASS:
        go_on(s)
    else:
        s.chosen_marker = action - FAVOR
        ask(s, PHASE_GIVE)


@kernel
def legal_give(s, words):
    """Any other player (R16.1, A43)."""
    allow_block(words, GIVE, (1 << (s.players - 1)) - 1)


@kernel
def apply_give(s, action):
    """The marker changes hands; benefit, XXXIII card and track follow in this order (A39)."""
    marker = s.chosen_marker
    receiver = (s.turn + 1 + action - GIVE) % s.players
    s.chosen_marker = -1
    s.favors[s.turn] &= ~(1 << marker)
    push(s, STEP_FAVOR_DONE)
    push(s, STEP_RECEIVE + 4 * marker + receiver)
    go_on(s)


@kernel
def receive(s, marker, seat):
    """The receiver gains the benefit, if possible; he may be asked, out of turn (R16.2, A38)."""
    benefit, amount = s.marker_benefit[marker], s.marker_amount[marker]
    s.symbols_held[seat, s.marker_symbol[marker]] += 1
    go_on(s)
    if benefit == BENEFIT_CALL:
        call(s, seat, 1)
    elif benefit == BENEFIT_DENARII:
        s.denarii[seat] += amount
    else:
        s.resources[seat, benefit] += amount  # R9.4: even if the camp is full


@kernel
def favor_done(s):
    """The giver draws a XXXIII card and moves on the track (R16.3, R16.4)."""
    seat = s.turn
    draw_xxxiii(s, seat)
    if s.favors_done[seat] < NUM_FAVORS:
        place = s.favors_done[seat]
        s.favors_done[seat] = place + 1
        s.points[seat] += s.favor_points[place]
        s.denarii[seat] += s.favor_denarii[place]
        if place + 1 >= s.unblock_at:
            s.blocked[seat] = 0
    go_on(s)
