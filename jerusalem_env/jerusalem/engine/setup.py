"""Set-up: the only place with chance (VII.c). One key per game, one stream per purpose.

A deal is a function of the 64-bit game seed alone: not of the batch, the place in it, other games
or any global generator (see ``chance``).
"""

from __future__ import annotations

import numpy as np

from ...chance import draw, stream
from ...kernels import kernel
from ..rules.cards import COPIES, INFLUENCE_NOBILITY, INFLUENCE_PATRIARCHATE, NUM_CARD_KINDS
from ..rules.events import ELECTION
from .layout import NO_SEAT, SOURCE_NONE, STAGE_ROUND

_COPIES = np.array(COPIES, dtype=np.int64)

PURPOSE_PILE, PURPOSE_EVENTS, PURPOSE_OPENER = range(1, 4)


@kernel
def clear(s):
    """Every field but the rule set and the watchdog's limit as before a game (R1.8)."""
    s.round = 0
    s.winner = NO_SEAT
    s.decisions = 0
    s.opener = 0
    s.auction_office = -1
    s.bid = -1
    s.bidder = NO_SEAT
    s.hired = 0
    s.baron_used = 0
    s.genoa = 0
    s.marshal_used = 0
    s.source = SOURCE_NONE
    s.left = 0
    s.lifted_from = -1
    s.saved = 0
    s.pool_size = 0
    s.pile_top = 0
    s.pile_size = 0
    s.observer = NO_SEAT
    s.recall = 0
    for seat in range(4):
        in_game = seat < s.players
        s.ranking[seat] = -1
        s.office[seat] = -1
        s.last_office[seat] = -1
        s.seat_of_office[seat] = NO_SEAT
        s.baron[seat] = -1
        s.silver[seat] = 12 if in_game else 0  # R1.8
        s.squires[seat] = 0
        s.prestige[seat] = 0
        s.floors[seat] = 0
        s.hand_size[seat] = 0
        s.passed[seat] = 0
        s.lost[seat] = 0
        s.hits[seat] = 0
        for resource in range(3):
            s.may_decline[seat, resource] = 0
        for card in range(NUM_CARD_KINDS):
            s.hand[seat, card] = 0
            s.played[seat, card] = 0
        for area in range(16):
            s.board[seat, area] = 0
        for past in range(5):
            s.office_log[past, seat] = -1
            s.draft_log[past, seat] = -1
    for area in range(16):
        s.arrivals[area] = 0
    for card in range(NUM_CARD_KINDS):
        s.discards[card] = 0
        s.pool[card] = 0
        for past in range(5):
            s.passed_on[past, card] = 0
    for place in range(27):
        s.pile[place] = -1
    for index in range(3):
        s.kept[index] = 0
        s.events[index] = -1


@kernel
def deal(s, seed):
    """Shuffle pile and events and draw the first opener; then round 1 is to begin."""
    clear(s)
    state = stream(seed, PURPOSE_PILE)  # R1.5
    size = 0
    for card in range(NUM_CARD_KINDS):
        if s.players == 2 and (card == INFLUENCE_PATRIARCHATE or card == INFLUENCE_NOBILITY):
            continue  # R2.6
        for _ in range(_COPIES[card]):
            s.pile[size] = card
            size += 1
    for last in range(size - 1, 0, -1):
        state, place = draw(state, last + 1)
        card = s.pile[last]
        s.pile[last] = s.pile[place]
        s.pile[place] = card
    s.pile_size = size

    state = stream(seed, PURPOSE_EVENTS)  # R1.4: three of the four; R2.5: not the election
    first, second, third, fourth = 0, 1, 2, 3
    if s.players == 2:
        first, second, third, fourth = 0, 2, 3, ELECTION
    remaining = 3 if s.players == 2 else 4
    for slot in range(3):
        state, place = draw(state, remaining)
        if place == 0:
            s.events[slot] = first
            first = second
            second = third
            third = fourth
        elif place == 1:
            s.events[slot] = second
            second = third
            third = fourth
        elif place == 2:
            s.events[slot] = third
            third = fourth
        else:
            s.events[slot] = fourth
        remaining -= 1

    if s.first_opener >= 0:
        s.opener = s.first_opener  # A7
    else:
        state, place = draw(stream(seed, PURPOSE_OPENER), s.players)
        s.opener = place
    s.to_act = NO_SEAT
    s.phase = STAGE_ROUND
