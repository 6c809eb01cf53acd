"""Phase 2: a player's turn: place, baron, hire, dismiss, office ability, cards (R6, R8-R11)."""

from __future__ import annotations

import numpy as np

from ...bits import allow, allow_block, count_bits
from ...kernels import kernel
from ..rules.board import NUM_AREAS, PALACE_LARGE
from ..rules.cards import NUM_CARD_KINDS
from ..rules.offices import ADMIRAL, CAPTAIN, MARSHAL, OFFICE_SQUIRES, TREASURER
from .cards import apply_play, playable
from .control import enterable, next_after, next_in_order, own_areas
from .layout import (
    BARON,
    DISMISS,
    HIRE,
    MARSHAL_MOVE,
    MARSHAL_SILVER,
    NO_SEAT,
    PASS,
    PHASE_DISMISS,
    PHASE_TURN,
    PLACE,
    PLAY,
    SOURCE_DISMISS,
    SOURCE_MARSHAL,
    STAGE_NEXT_TURN,
    STAGE_TOWER,
)
from .moves import begin_move, end_subflow, liftable

_OFFICE_SQUIRES = np.array(OFFICE_SQUIRES, dtype=np.int64)


@kernel
def begin_turns(s):
    """The holder of the lowest office begins (R6.1)."""
    begin_turn(s, next_in_order(s, 0))


@kernel
def begin_turn(s, seat):
    """Office squires to supply, the admiral's silver; then the player decides (R6.2, R10.4)."""
    office = s.office[seat]
    s.squires[seat] += _OFFICE_SQUIRES[office]
    if office == ADMIRAL:
        s.silver[seat] += 1  # R10.4, A26
    s.to_act = seat
    s.phase = PHASE_TURN


@kernel
def next_turn(s):
    """The next player in order, or phase 3 after the last (R6.1, R3.1)."""
    seat = s.to_act
    s.hired = 0
    s.baron_used = 0
    s.genoa = 0
    s.marshal_used = 0
    for area in range(NUM_AREAS):
        s.arrivals[area] = 0
    following = next_after(s, seat)
    if following >= 0:
        begin_turn(s, following)
    else:
        s.to_act = NO_SEAT
        s.phase = STAGE_TOWER


@kernel
def hire_price(s):
    """Silver for the next squire hired this turn (R9.1, R10.2, R11.11, A27, A28)."""
    if s.office[s.to_act] == TREASURER and s.hired < 2:
        return 1 + s.hired  # 1, then 2
    return 2 if s.genoa == 1 else 3


@kernel
def may_hold_palace(s):
    """Whether the player may put his baron in the large Palace area (R8.9, R8.10, A21-A24)."""
    if s.round == 1 and s.palace_baron_round_1 == 0:
        return False  # R8.10, A23
    seat = s.to_act
    for other in range(s.players):
        if s.floors[other] > s.floors[seat]:
            return True  # he does not hold the highest tower
    for other in range(s.players):
        if s.floors[other] == s.floors[seat] and s.prestige[other] > s.prestige[seat]:
            return True  # D14: tied, but without the most prestige
    return False


@kernel
def baron_areas(s):
    """Bit mask of the areas, blocked or not, that the baron may go to (A13, R8.9)."""
    seat = s.to_act
    captain = s.office[seat] == CAPTAIN
    areas = 0
    for area in range(NUM_AREAS):
        need = (2 if area % 3 == 0 else 1) if captain else 3  # R8.2, R8.4: new own squires
        enough = s.arrivals[area] >= need and s.board[seat, area] >= need
        areas |= (1 if enough else 0) << area
    if areas & (1 << PALACE_LARGE) != 0 and not may_hold_palace(s):
        areas &= ~(1 << PALACE_LARGE)
    return areas


@kernel
def may_dismiss(s, areas):
    """Whether a seat has three squires in the given areas, its own ones (R8.7, R9.2)."""
    if count_bits(areas) >= 3:
        return True
    total = 0
    for area in range(NUM_AREAS):
        if (areas >> area) & 1:
            total += s.board[s.to_act, area]
    return total >= 3


@kernel
def apply_turn(s, action):
    """One action of a turn (R6.3)."""
    seat = s.to_act
    if action == PASS:
        s.phase = STAGE_NEXT_TURN  # A56
    elif action < BARON:
        area = action - PLACE  # R6.4
        s.squires[seat] -= 1
        s.board[seat, area] += 1
        s.arrivals[area] += 1
    elif action < HIRE:
        s.baron[seat] = action - BARON  # R8.1
        s.baron_used = 1  # A20
    elif action == HIRE:
        s.silver[seat] -= hire_price(s)  # R9.1
        s.squires[seat] += 1
        s.hired += 1
    elif action < PLAY:
        s.source = SOURCE_DISMISS
        s.left = 3
        s.phase = PHASE_DISMISS
        apply_dismiss(s, action)
    elif action < MARSHAL_MOVE:
        apply_play(s, action - PLAY)
    elif action == MARSHAL_MOVE:
        s.marshal_used = 1  # R10.3: either, or
        begin_move(s, SOURCE_MARSHAL)
    else:
        s.marshal_used = 1
        s.silver[seat] += 1


@kernel
def apply_dismiss(s, action):
    """One squire back to the stock; the third pays 1 silver (R9.2, A31)."""
    s.board[s.to_act, action - DISMISS] -= 1
    s.left -= 1
    if s.left == 0:
        s.silver[s.to_act] += 1
        end_subflow(s)


@kernel
def legal_turn(s, words):
    """Everything a player may do in his turn, until he passes."""
    seat = s.to_act
    allow(words, PASS)
    areas = enterable(s)
    if s.squires[seat] > 0:
        allow_block(words, PLACE, areas)
    if s.baron_used == 0 and s.baron[seat] < 0:  # A20
        allow_block(words, BARON, baron_areas(s) & areas)
    if s.silver[seat] >= hire_price(s):
        allow(words, HIRE)
    dismissable = own_areas(s, seat) & areas
    if may_dismiss(s, dismissable):
        allow_block(words, DISMISS, dismissable)
    for card in range(NUM_CARD_KINDS):
        if s.hand[seat, card] > 0 and playable(s, card):
            allow(words, PLAY + card)
    if s.office[seat] == MARSHAL and s.marshal_used == 0:
        allow(words, MARSHAL_SILVER)
        if liftable(s, SOURCE_MARSHAL) != 0:
            allow(words, MARSHAL_MOVE)


@kernel
def legal_dismiss(s, words):
    """Own squires in unblocked areas."""
    allow_block(words, DISMISS, own_areas(s, s.to_act) & enterable(s))
