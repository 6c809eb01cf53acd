"""Phase 1: which office to open, how far to bid, which card to keep (R4, R5)."""

from __future__ import annotations

import numpy as np

from jerusalem_env.bits import has_flag
from jerusalem_env.chance import draw
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.engine.control import in_play
from jerusalem_env.jerusalem.rules import cards as C
from jerusalem_env.jerusalem.rules.board import NUM_AREAS
from jerusalem_env.jerusalem.rules.offices import (
    ADMIRAL,
    CAPTAIN,
    MARSHAL,
    OFFICE_SQUIRES,
    TREASURER,
)
from jerusalem_env.kernels import kernel

from .worth import pay_now

_SQUIRES = np.array(OFFICE_SQUIRES, dtype=np.int64)
_STEPS = 1001


@kernel
def contested(s, scene, p):
    """What all areas pay this round, shared among the players."""
    total = 0.0
    playing = in_play(s)
    for area in range(NUM_AREAS):
        if (playing >> area) & 1:
            total += pay_now(s, area, scene, p)
    return total / s.players


@kernel
def office_worth(s, me, office, share, scene, p):
    """Worth of an office: its squires, its place in the order, its ability (R6.2, R3.4, R10)."""
    worth = p.muster[scene.left] * _SQUIRES[office]
    first = 4 - s.players
    place = (office - first) / (s.players - 1.0)  # 0: moves first, 1: last
    # What is at stake grows with what the areas pay; 4 is about a player's share of the city.
    worth += place * (p.last_turn[scene.left] * share / 4.0 + p.last_turn_supply * s.squires[me])
    if office == CAPTAIN:
        worth += p.captain
    elif office == TREASURER:
        worth += p.treasurer
    elif office == MARSHAL:
        worth += p.marshal
    elif office == ADMIRAL:
        worth += scene.silver  # R10.4
    return worth


@kernel
def bid_limit(s, me, scene, p):
    """Most silver it bids for the office on offer: what it is worth beyond the others left."""
    share = contested(s, scene, p)
    own = office_worth(s, me, s.auction_office, share, scene, p)
    best, worst = -1e9, 1e9
    for office in range(4 - s.players, 4):
        if s.seat_of_office[office] < 0 and office != s.auction_office:
            worth = office_worth(s, me, office, share, scene, p)
            best, worst = max(best, worth), min(worst, worth)
    instead = p.fallback * best + (1.0 - p.fallback) * worst
    limit = (own - instead) / max(p.price[scene.left], 0.01)
    return min(limit, p.share[scene.left] * s.silver[me])


@kernel
def choose_bid(s, me, words, key, scene, p):
    """One more than the high bid while that is within its limit (R4.4, A1).

    Chance moves the limit a little at every bid, unless ``key`` is 0: players who think alike would
    else bid alike in every game.
    """
    bid = s.bid + 1
    if bid == 0:
        return L.BID
    if has_flag(words, L.BID + bid):
        limit = bid_limit(s, me, scene, p)
        if key != 0:
            _, chance = draw(key, _STEPS)
            limit *= 1.0 + p.waver * (2.0 * chance / (_STEPS - 1.0) - 1.0)
        if bid <= limit:
            return L.BID + bid
    return L.PASS


@kernel
def choose_open(s, me, words, scene, p):
    """The office worth most to it, or least (R4.3)."""
    share = contested(s, scene, p)
    chosen, most = -1, -1e9
    for office in range(4):
        if has_flag(words, L.OPEN + office):
            worth = p.open_best * office_worth(s, me, office, share, scene, p)
            if worth > most:
                chosen, most = L.OPEN + office, worth
    return chosen


@kernel
def card_worth(s, card, scene, p):
    """Worth of a card to be kept (R11)."""
    muster = p.muster[scene.left]
    if card == C.SQUIRE:
        return muster
    if card == C.SILVER_2:
        return 2.0 * scene.silver
    if card == C.PRESTIGE_2:
        return 2.0
    if card == C.RESOURCES_2:
        return 2.0 * max(1.0, muster, scene.silver)
    if card == C.SQUIRE_SILVER:
        return muster + scene.silver
    if card == C.DEFECTOR:
        return p.defector
    if card == C.MOVE_2:
        return p.move
    if card == C.GENOA:
        return p.genoa
    return 2.0 * muster + p.influence


@kernel
def choose_draft(s, words, scene, p):
    """The card worth most (R5.1)."""
    chosen, most = -1, -1e9
    for card in range(C.NUM_CARD_KINDS):
        if has_flag(words, L.DRAFT + card):
            worth = card_worth(s, card, scene, p)
            if worth > most:
                chosen, most = L.DRAFT + card, worth
    return chosen
