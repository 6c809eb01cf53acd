"""Phase 3: David's Tower, privileges, income, gifts of the king, building (R12-R14)."""

from __future__ import annotations

from ...bits import allow, allow_block, allow_range
from ...kernels import kernel
from ..rules.board import DAVIDS_TOWER, MARKET, NOBILITY, NUM_AREAS, PATRIARCHATE
from .control import (
    blocked,
    controller,
    enterable,
    in_play,
    next_after,
    next_in_order,
    privileged,
)
from .layout import (
    BUY_CARD,
    BUY_PRESTIGE,
    DECLINE,
    DROP,
    NO_SEAT,
    PASS,
    PHASE_DAVIDS_TOWER,
    PHASE_INCOME,
    PHASE_MARKET,
    PHASE_NOBILITY,
    PHASE_PATRIARCHATE,
    RESOURCE_PRESTIGE,
    RESOURCE_SILVER,
    RESOURCE_SQUIRE,
    STAGE_BUILDING,
    STAGE_EVENT,
    STAGE_INCOME,
    STAGE_MARKET,
    STAGE_NEXT_DECLINE,
    STAGE_NOBILITY,
    STAGE_PATRIARCHATE,
    STEAL,
)


# --- step 1: David's Tower ------------------------------------------------------------------
@kernel
def tower_step(s):
    """1 silver to the controller; without a baron there he may move a squire out (R12.1, R12.2)."""
    seat = controller(s, DAVIDS_TOWER)  # A38
    s.phase = STAGE_PATRIARCHATE
    if seat < 0:
        return
    s.silver[seat] += 1
    others = enterable(s) & ~(1 << DAVIDS_TOWER)
    if (blocked(s) >> DAVIDS_TOWER) & 1 == 0 and others != 0:
        s.to_act = seat
        s.phase = PHASE_DAVIDS_TOWER


@kernel
def apply_tower(s, action):
    """The move out of the Tower, or not."""
    if action != PASS:
        s.board[s.to_act, DAVIDS_TOWER] -= 1
        s.board[s.to_act, action - DROP] += 1  # A59: any other area
    s.to_act = NO_SEAT
    s.phase = STAGE_PATRIARCHATE


@kernel
def legal_tower(s, words):
    """Any other unblocked area, or pass."""
    allow(words, PASS)
    allow_block(words, DROP, enterable(s) & ~(1 << DAVIDS_TOWER))


# --- step 2: privileges, in this order (R12.3, A39) -----------------------------------------
@kernel
def patriarchate_step(s):
    """A squire from supply for a card, if there are both (R12.4, A57)."""
    seat = privileged(s, PATRIARCHATE)
    s.phase = STAGE_MARKET
    if seat >= 0 and s.squires[seat] > 0 and s.pile_size > 0:
        s.to_act = seat
        s.phase = PHASE_PATRIARCHATE


@kernel
def apply_patriarchate(s, action):
    """The card from the top of the pile, or not."""
    if action == BUY_CARD:
        seat = s.to_act
        card = s.pile[s.pile_top]
        s.squires[seat] -= 1
        s.pile[s.pile_top] = -1
        s.pile_top += 1
        s.pile_size -= 1
        if card >= 0:
            s.hand[seat, card] += 1
        s.hand_size[seat] += 1
    s.to_act = NO_SEAT
    s.phase = STAGE_MARKET


@kernel
def market_step(s):
    """Up to 4 prestige at 2 silver each (R12.5)."""
    seat = privileged(s, MARKET)
    s.phase = STAGE_NOBILITY
    if seat >= 0 and s.silver[seat] >= 2:
        s.to_act = seat
        s.phase = PHASE_MARKET


@kernel
def apply_market(s, action):
    """The purchase, or not."""
    if action != PASS:
        amount = action - BUY_PRESTIGE + 1
        s.silver[s.to_act] -= 2 * amount
        s.prestige[s.to_act] += amount
    s.to_act = NO_SEAT
    s.phase = STAGE_NOBILITY


@kernel
def nobility_step(s):
    """A prestige point from another player (R12.6, A40)."""
    seat = privileged(s, NOBILITY)
    s.phase = STAGE_INCOME
    if seat >= 0:
        s.to_act = seat
        s.phase = PHASE_NOBILITY


@kernel
def apply_nobility(s, action):
    """The theft, or not; a victim at 0 stays at 0 and the thief still gains (R12.7)."""
    if action != PASS:
        victim = (s.to_act + action - STEAL + 1) % s.players
        s.prestige[s.to_act] += 1
        if s.prestige[victim] > 0:
            s.prestige[victim] -= 1
    s.to_act = NO_SEAT
    s.phase = STAGE_INCOME


@kernel
def legal_privilege(s, words):
    """What the holder of the privilege at hand may do, or pass."""
    allow(words, PASS)
    if s.phase == PHASE_PATRIARCHATE:
        allow(words, BUY_CARD)
    elif s.phase == PHASE_MARKET:
        allow_range(words, BUY_PRESTIGE, BUY_PRESTIGE + min(4, s.silver[s.to_act] // 2) - 1)
    else:
        allow_range(words, STEAL, STEAL + s.players - 2)


# --- step 3: income (R12.8-R12.11) ----------------------------------------------------------
@kernel
def income_step(s):
    """Every controlled area pays what is printed on it."""
    playing = in_play(s)
    for area in range(NUM_AREAS):
        if (playing >> area) & 1:
            seat = controller(s, area)  # R7.4
            if seat >= 0:
                s.squires[seat] += s.income[area, RESOURCE_SQUIRE]
                s.silver[seat] += s.income[area, RESOURCE_SILVER]
                s.prestige[seat] += s.income[area, RESOURCE_PRESTIGE]
                if s.decline_income == 1:
                    for resource in range(3):
                        s.may_decline[seat, resource] += s.income[area, resource]
    s.phase = STAGE_BUILDING
    if s.decline_income == 1:
        next_decliner(s, next_in_order(s, 0))


@kernel
def next_decliner(s, seat):
    """First seat from ``seat`` on, in player order, with income to give back (R12.11, A41)."""
    while seat >= 0:
        if s.may_decline[seat, 0] + s.may_decline[seat, 1] + s.may_decline[seat, 2] > 0:
            s.to_act = seat
            s.phase = PHASE_INCOME
            return
        seat = next_after(s, seat)
    for seat in range(4):
        for resource in range(3):
            s.may_decline[seat, resource] = 0
    s.to_act = NO_SEAT
    s.phase = STAGE_BUILDING


@kernel
def apply_decline(s, action):
    """One unit given back; on with the next player when he passes or has none left."""
    seat = s.to_act
    if action == PASS:
        s.phase = STAGE_NEXT_DECLINE
        return
    resource = action - DECLINE
    s.may_decline[seat, resource] -= 1
    if resource == RESOURCE_SQUIRE:
        s.squires[seat] -= 1
    elif resource == RESOURCE_SILVER:
        s.silver[seat] -= 1
    else:
        s.prestige[seat] -= 1
    if s.may_decline[seat, 0] + s.may_decline[seat, 1] + s.may_decline[seat, 2] == 0:
        s.phase = STAGE_NEXT_DECLINE


@kernel
def legal_decline(s, words):
    """A unit of what he received here, or pass."""
    allow(words, PASS)
    for resource in range(3):
        if s.may_decline[s.to_act, resource] > 0:
            allow(words, DECLINE + resource)


# --- gifts of the king and step 4 -----------------------------------------------------------
@kernel
def gift_of(s, amounts):
    """3 prestige for the most in supply; 1 each for all who tie for it (R13.2, A42)."""
    most, holders = 0, 0
    for seat in range(s.players):
        if amounts[seat] > most:
            most, holders = amounts[seat], 1
        elif amounts[seat] == most:
            holders += 1
    if most == 0 and s.zero_ties_win_gifts == 0:
        return
    for seat in range(s.players):
        if amounts[seat] == most:
            s.prestige[seat] += 3 if holders == 1 else 1


@kernel
def gifts(s):
    """The king rewards squires, silver and cards in supply (R13)."""
    gift_of(s, s.squires)
    gift_of(s, s.silver)
    for seat in range(s.players):
        if s.hand_size[seat] > 0:
            s.prestige[seat] += 1  # R13.3


@kernel
def floor_price(s, seat):
    """Prestige for a seat's next floor; 1 more for the first to reach it (R14.2, A43)."""
    height = s.floors[seat] + 1
    for other in range(s.players):
        if s.floors[other] >= height:
            return height + 1
    return height + 2


@kernel
def building_step(s):
    """Gifts in the last round; then all build what they can, in player order (R13, R14)."""
    if s.round == s.rounds:
        gifts(s)
    seat = next_in_order(s, 0)
    while seat >= 0:  # R14.1; A43: one pass only
        price = floor_price(s, seat)
        while s.prestige[seat] >= price:  # R14.3
            s.prestige[seat] -= price  # R14.4
            s.floors[seat] += 1
            price = floor_price(s, seat)
        seat = next_after(s, seat)
    s.phase = STAGE_EVENT
