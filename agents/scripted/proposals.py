"""What a search should look at: the decisions worth a thought, best first by the weights.

Bids are grouped (pass, the next few, the limit, half of it) and placements thinned to areas where
squires would gain something; everything else is offered, as far as there is room.
"""

from __future__ import annotations

from jerusalem_env.bits import has_flag
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.engine.moves import influence_areas
from jerusalem_env.jerusalem.engine.state import SECTOR_OF
from jerusalem_env.jerusalem.rules import cards as C
from jerusalem_env.jerusalem.rules.board import NUM_AREAS
from jerusalem_env.kernels import kernel

from ..search.offers import offer, with_pass
from .auction import bid_limit, card_worth, office_worth
from .choices import NO_CHANCE, noted_decision, scripted_decision, target_gain
from .turn import affordable, best_exchange, best_hire, best_move, best_place
from .worth import (
    best_addition,
    pay_later,
    pay_now,
    privilege_at_stake,
    risk_of,
    scene_of,
    swing,
    to_beat,
)

MOST_PROPOSED = 16


@kernel
def propose_bids(s, me, words, scene, p, actions, ranks, count):
    """Pass, the next bids, the limit and half of it."""
    if has_flag(words, L.PASS):
        count = offer(actions, ranks, count, L.PASS, 10.0)
    first = s.bid + 1
    limit = int(bid_limit(s, me, scene, p))
    for more in range(4):
        if has_flag(words, L.BID + first + more):
            count = offer(actions, ranks, count, L.BID + first + more, 9.0 - more)
    for bid in (limit // 2, limit):
        if bid > first + 3 and bid < 128 and has_flag(words, L.BID + bid):
            count = offer(actions, ranks, count, L.BID + bid, 5.0)
    return count


@kernel
def propose_cards(s, me, words, may_block, scene, p, actions, ranks, count):
    """Playing each card in hand."""
    for card in range(C.NUM_CARD_KINDS):
        if not has_flag(words, L.PLAY + card):
            continue
        rank = 0.05
        if card >= C.INFLUENCE_PALACE:
            areas = influence_areas(s, card - C.INFLUENCE_PALACE)
            _, _, gain = best_place(s, me, areas, 2, may_block, scene, p)
            rank = gain / 2.0
        elif card == C.DEFECTOR:
            _, rank = best_exchange(s, me, scene, p)
        elif card == C.MOVE_2:
            rank = best_move(s, me, scene, p)
        elif card != C.GENOA:
            rank = 0.5
        count = offer(actions, ranks, count, L.PLAY + card, rank)
    return count


@kernel
def propose_turn(s, me, words, scene, p, actions, ranks, count):
    """Placements that gain, the end of the turn, hires, cards, the baron, the marshal."""
    may_block = s.baron_used == 0 and scene.movers > 0
    reach = s.squires[me] + affordable(s, me)
    count = offer(actions, ranks, count, L.PASS, p.keep[scene.left])
    at, privilege = 0, 0.0
    for area in range(NUM_AREAS):
        if area % 3 == 0:  # another sector begins
            at, privilege = privilege_at_stake(s, me, SECTOR_OF[area], reach, scene, p)
        if has_flag(words, L.PLACE + area):
            added, gain = best_addition(s, me, area, reach, may_block, at, privilege, scene, p)
            if added > 0:
                count = offer(actions, ranks, count, L.PLACE + area, gain / added)
        if has_flag(words, L.BARON + area):
            need, _ = to_beat(s, me, area)
            pay = pay_now(s, area, scene, p) + pay_later(s, area, scene, p)
            rank = 0.1 + pay * risk_of(max(s.board[me, area] - need, 0), scene, p)
            count = offer(actions, ranks, count, L.BARON + area, rank)
    if has_flag(words, L.HIRE):
        _, hires, net = best_hire(s, me, scene.open_areas, may_block, scene, p)
        count = offer(actions, ranks, count, L.HIRE, net / hires if hires > 0 else 0.02)
    count = propose_cards(s, me, words, may_block, scene, p, actions, ranks, count)
    if has_flag(words, L.MARSHAL_MOVE):
        count = offer(actions, ranks, count, L.MARSHAL_MOVE, best_move(s, me, scene, p))
    if has_flag(words, L.MARSHAL_SILVER):
        count = offer(actions, ranks, count, L.MARSHAL_SILVER, 0.1)
    spare, least = -1, -1e9  # the squire that is missed least: three of them pay 1 silver (R9.2)
    for area in range(NUM_AREAS):
        if has_flag(words, L.DISMISS + area):
            change = swing(s, me, area, -1, scene, p)
            if change > least:
                spare, least = area, change
    if spare >= 0:
        count = offer(actions, ranks, count, L.DISMISS + spare, scene.silver / 3.0 + least)
    return with_pass(actions, count, L.PASS)


@kernel
def propose_targets(s, me, words, scene, p, actions, ranks, count):
    """Opponents' squires by what their going, or the exchange, would gain."""
    if has_flag(words, L.PASS):
        count = offer(actions, ranks, count, L.PASS, 0.0)
    for step in range(1, s.players):
        opponent = (me + step) % s.players
        for area in range(NUM_AREAS):
            action = L.TARGET + NUM_AREAS * (step - 1) + area
            if has_flag(words, action):
                rank = target_gain(s, me, area, opponent, scene, p)
                count = offer(actions, ranks, count, action, rank)
    return count


@kernel
def propose_others(s, me, words, scene, p, actions, ranks, count):
    """Everything that is legal, squires that move by what they gain."""
    for action in range(L.NUM_ACTIONS):
        if has_flag(words, action):
            rank = -0.01 * action
            if action >= L.LIFT and action < L.DROP:
                rank = swing(s, me, action - L.LIFT, -1, scene, p)
            elif action >= L.DISMISS and action < L.PLAY:
                rank = swing(s, me, action - L.DISMISS, -1, scene, p)
            elif action >= L.DROP and action < L.TAKE:
                rank = swing(s, me, action - L.DROP, 1, scene, p)
            elif action >= L.OPEN and action < L.BID:
                rank = office_worth(s, me, action - L.OPEN, 4.0, scene, p)
            elif action >= L.DRAFT and action < L.PLACE:
                rank = card_worth(s, action - L.DRAFT, scene, p)
            count = offer(actions, ranks, count, action, rank)
    return count


@kernel
def propose(s, me, words, parameters, actions, ranks):
    """Write the decisions worth a look, best first, the scripted one before all; how many."""
    p = parameters[0].by_players[s.players - 2]
    scene = scene_of(s, me, p)
    actions[0] = scripted_decision(s, me, words, NO_CHANCE, scene, p)
    ranks[0] = 1e9
    if s.phase == L.PHASE_TURN:
        return propose_turn(s, me, words, scene, p, actions, ranks, 1)
    if s.phase == L.PHASE_BID:
        return propose_bids(s, me, words, scene, p, actions, ranks, 1)
    if s.phase == L.PHASE_TARGET or s.phase == L.PHASE_WAR:
        return propose_targets(s, me, words, scene, p, actions, ranks, 1)
    return propose_others(s, me, words, scene, p, actions, ranks, 1)


@kernel
def choose_as(s, me, words, parameters, notes):
    """(the scripted decision of any seat, how often in a row)."""
    p = parameters[0].by_players[s.players - 2]
    return noted_decision(s, me, words, notes, scene_of(s, me, p), p)
