"""Everything else that a scripted player decides, and the kernel that decides in all phases."""

from __future__ import annotations

import numpy as np

from jerusalem_env.bits import has_flag
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.rules.board import MARKET, NUM_AREAS
from jerusalem_env.kernels import kernel

from ..compiled import legal_choice
from .auction import choose_bid, choose_draft, choose_open
from .notes import choose_noted_turn
from .turn import best_exchange, best_move, best_place, choose_turn, exchange_gain
from .worth import pay_later, pay_now, scene_of, spite_for, swing, to_beat

NO_CHANCE = np.uint64(0)


@kernel
def choose_lift(s, me, words, scene, p):
    """The squire whose leaving costs least; no second move without a gain (A32)."""
    if s.source == L.SOURCE_DEFECTOR:
        origin, _ = best_exchange(s, me, scene, p)
        if origin >= 0 and has_flag(words, L.LIFT + origin):
            return L.LIFT + origin
    if has_flag(words, L.PASS) and best_move(s, me, scene, p) <= 0.0:
        return L.PASS
    best, least = -1, 1e9
    for area in range(NUM_AREAS):
        if has_flag(words, L.LIFT + area):
            cost = -swing(s, me, area, -1, scene, p)
            if cost < least:
                best, least = L.LIFT + area, cost
    return best


@kernel
def choose_drop(s, me, words, scene, p):
    """Where one more squire is worth most (R11.12, R12.1, R15.2); out of the Tower for a gain."""
    if s.source >= L.SOURCE_INFLUENCE:
        areas = 0
        for area in range(NUM_AREAS):
            if has_flag(words, L.DROP + area):
                areas |= 1 << area
        may_block = s.baron_used == 0 and scene.movers > 0
        area, _, _ = best_place(s, me, areas, s.left, may_block, scene, p)
        if area >= 0:
            return L.DROP + area
    best, best_gain = -1, -1e9
    for area in range(NUM_AREAS):
        if has_flag(words, L.DROP + area):
            gain = swing(s, me, area, 1, scene, p)
            if gain > best_gain:
                best, best_gain = L.DROP + area, gain
    if s.phase == L.PHASE_DAVIDS_TOWER:
        cost = -swing(s, me, NUM_AREAS - 1, -1, scene, p)
        # The Tower has paid; what it costs to leave is its control in later rounds.
        if best_gain <= cost - pay_now(s, NUM_AREAS - 1, scene, p):
            return L.PASS
    return best


@kernel
def raid_gain(s, me, area, victim, scene, p):
    """Worth of an opponent's squire less in an area (R15.5)."""
    need, holder = to_beat(s, me, area)
    own = s.board[me, area]
    later = pay_later(s, area, scene, p)
    s.board[victim, area] -= 1
    need_after, holder_after = to_beat(s, me, area)
    s.board[victim, area] += 1
    gain = p.nearer * later
    if own < need and own > 0 and own >= need_after:
        gain += p.firm * later
    elif need_after < need:
        gain += p.firm_margin * later
    if own < need and (own >= need_after or holder_after != holder):
        gain += spite_for(victim, scene, p) * later
    if victim == scene.strongest:
        gain += p.spite_leader * 0.1
    return gain


@kernel
def target_gain(s, me, area, opponent, scene, p):
    """Worth of an opponent's squire gone (R15.5), or exchanged for the lifted one (R11.9)."""
    if s.source == L.SOURCE_DEFECTOR:
        return exchange_gain(s, me, s.lifted_from, area, opponent, scene, p)
    return raid_gain(s, me, area, opponent, scene, p)


@kernel
def choose_target(s, me, words, scene, p):
    """The opponent's squire whose loss (R15.5), or exchange for an own (R11.9), helps most."""
    best, best_gain = L.PASS, -1e9
    for step in range(1, s.players):
        opponent = (me + step) % s.players
        for area in range(NUM_AREAS):
            action = L.TARGET + NUM_AREAS * (step - 1) + area
            if has_flag(words, action):
                gain = target_gain(s, me, area, opponent, scene, p)
                if gain > best_gain:
                    best, best_gain = action, gain
    return best


@kernel
def choose_privilege(s, me, scene, p):
    """A card for a squire, prestige for silver, a point from the strongest (R12.4-R12.6)."""
    if s.phase == L.PHASE_PATRIARCHATE:
        if scene.left == 0:
            return L.BUY_CARD if s.hand_size[me] == 0 else L.PASS  # R13.3
        return L.BUY_CARD if p.card > scene.squire else L.PASS
    if s.phase == L.PHASE_MARKET:
        amount = min(4, int(s.silver[me] - p.reserve[scene.left]) // 2)  # R12.5
        return L.BUY_PRESTIGE + amount - 1 if amount >= 1 else L.PASS
    return L.STEAL + (scene.strongest - me + s.players) % s.players - 1


@kernel
def choose_take(s, me, scene, p):
    """The resource worth most (R11.7)."""
    squire, silver = p.muster[scene.left], scene.silver
    if squire > 1.0 and squire >= silver:
        return L.TAKE + L.RESOURCE_SQUIRE
    if silver > 1.0:
        return L.TAKE + L.RESOURCE_SILVER
    return L.TAKE + L.RESOURCE_PRESTIGE


@kernel
def choose_keep(s, words, scene, p):
    """Market squires where they are worth their silver (R15.4)."""
    if p.tax < scene.silver:
        return L.PASS
    best, best_worth = L.PASS, 0.0
    for index in range(3):
        if has_flag(words, L.KEEP + index):
            worth = pay_later(s, 3 * MARKET + index, scene, p)
            if worth > best_worth:
                best, best_worth = L.KEEP + index, worth
    return best


@kernel
def choose_other(s, me, words, key, scene, p):
    """What is not an action of a turn; a ``key`` of 0 takes chance out of it. -1: cannot tell."""
    phase = s.phase
    if phase == L.PHASE_BID:
        return choose_bid(s, me, words, key, scene, p)
    if phase == L.PHASE_OPEN:
        return choose_open(s, me, words, scene, p)
    if phase == L.PHASE_DRAFT:
        return choose_draft(s, words, scene, p)
    if phase == L.PHASE_LIFT:
        return choose_lift(s, me, words, scene, p)
    if phase == L.PHASE_DROP or phase == L.PHASE_DAVIDS_TOWER or phase == L.PHASE_SUCCESSION:
        return choose_drop(s, me, words, scene, p)
    if phase == L.PHASE_TAKE:
        return choose_take(s, me, scene, p)
    if phase == L.PHASE_TARGET or phase == L.PHASE_WAR:
        return choose_target(s, me, words, scene, p)
    if phase == L.PHASE_SPECIAL_TAX:
        return choose_keep(s, words, scene, p)
    if phase == L.PHASE_INCOME:
        return L.PASS
    if phase == L.PHASE_DISMISS:
        return -1  # the rest of a dismissal that somebody else began
    return choose_privilege(s, me, scene, p)


@kernel
def scripted_decision(s, me, words, key, scene, p):
    """A legal action for the seat to act, ``me``.

    ``words`` are its packed legal actions, ``scene`` its ``scene_of``; a ``key`` of 0 takes chance
    out of it.
    """
    if s.phase == L.PHASE_TURN:
        action = choose_turn(s, me, words, scene, p)
    else:
        action = choose_other(s, me, words, key, scene, p)
    return legal_choice(words, action)


@kernel
def noted_decision(s, me, words, notes, scene, p):
    """(a legal action for the seat to act, how often in a row it would play it), without chance.

    Placing several squires in an area, it would nearly always say the same if asked again; playouts
    save the time. ``notes``: see ``notes``.
    """
    action, times = -1, 1
    if s.phase == L.PHASE_TURN:
        action, times = choose_noted_turn(s, me, words, notes, scene, p)
    else:
        action = choose_other(s, me, words, NO_CHANCE, scene, p)
    chosen = legal_choice(words, action)
    return chosen, times if chosen == action else 1


@kernel
def choose(view, mask, words, key, parameters):
    """``scripted_decision`` as a compiled policy."""
    p = parameters[0].by_players[view.players - 2]
    return scripted_decision(view, 0, words, key, scene_of(view, 0, p), p)
