"""The planner as a guide for search: it plays all seats in playouts and says what to look at."""

from __future__ import annotations

from jerusalem_env.bits import has_flag, lowest_bit
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.rules.names import NUM_KINDS, NUM_SPACES
from jerusalem_env.kernels import kernel
from jerusalem_env.simulation import Guide

from ..compiled import legal_choice
from ..search.offers import offer, with_pass
from .cards import stack_worth
from .greedy import light_worth, prospects
from .plan import giving_cost, rows_to_visit
from .planner import PlannerAgent, planned_in, played_worth, scene_now
from .supper import (
    arrival_worth,
    column_worths,
    effect_worth,
    place_worth,
    seat_worth,
)

MOST_PROPOSED = 16


@kernel
def propose_play(s, me, words, scene, p, actions, ranks, count):
    """Every card of the hand, and the Illumination."""
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    rows = rows_to_visit(s, me)
    for card in range(NUM_KINDS):
        if has_flag(words, L.CARD + card):
            rank = played_worth(s, me, card, hand, coming, worths, rows, scene, p)
            count = offer(actions, ranks, count, L.CARD + card, rank)
    if has_flag(words, L.ILLUMINATE):
        _, rank = light_worth(s, me, scene, p)
        count = offer(actions, ranks, count, L.ILLUMINATE, rank)
    return count


@kernel
def propose_columns(s, me, words, scene, p, actions, ranks, count):
    """Every own column for the chosen card."""
    card = s.chosen_card
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    ready = hand - (1 << (4 * s.card_location[card]))
    for column in range(3):
        rank = stack_worth(s, me, column, card, ready, coming, worths, scene, p)
        rank -= stack_worth(s, me, column, -1, ready, coming, worths, scene, p)
        count = offer(actions, ranks, count, L.COLUMN + column, rank)
    return count


@kernel
def propose_spaces(s, me, words, scene, p, actions, ranks, count):
    """The best spaces by what they are worth less their cost, and not to go."""
    priced = s.phase == L.PHASE_SUPPER and s.free == 0
    swapped = s.phase == L.PHASE_SWAP_WITH
    for space in range(NUM_SPACES):
        if not has_flag(words, L.SPACE + space):
            continue
        rank = place_worth(s, me, space, scene, p)
        if not swapped:
            rank += effect_worth(s, me, space, scene, p)
        if priced:
            for resource in range(3):
                rank -= s.space_cost[space, resource] * scene.goods[resource]
        count = offer(actions, ranks, count, L.SPACE + space, rank)
    if has_flag(words, L.PASS):
        return with_pass(
            actions, offer(actions, ranks, count, L.PASS, -arrival_worth(scene)), L.PASS
        )
    return count


@kernel
def propose_gifts(s, me, words, scene, p, actions, ranks, count):
    """Markers and receivers by what giving costs; to decline last."""
    for marker in range(8):
        if has_flag(words, L.FAVOR + marker):
            cost = giving_cost(s, marker, (me + 1) % s.players, scene, p)
            for k in range(2, s.players):
                cost = min(cost, giving_cost(s, marker, (me + k) % s.players, scene, p))
            count = offer(actions, ranks, count, L.FAVOR + marker, -cost)
    for k in range(1, s.players):
        if has_flag(words, L.GIVE + k - 1):
            cost = giving_cost(s, s.chosen_marker, (me + k) % s.players, scene, p)
            count = offer(actions, ranks, count, L.GIVE + k - 1, -cost)
    if has_flag(words, L.PASS):
        count = offer(actions, ranks, count, L.PASS, -100.0)
    return count


@kernel
def propose_others(s, me, words, scene, p, actions, ranks, count):
    """Everything that is legal, as far as there is room: seats and followers by their worth."""
    for word in range(words.shape[0]):
        flags = words[word]
        while flags != 0:
            action = 64 * word + lowest_bit(flags)
            flags &= flags - 1
            rank = -0.01 * action
            if action >= L.LIFT and action < L.OFFERING:
                rank = -place_worth(s, me, action - L.LIFT, scene, p)
            elif action >= L.SEAT and action < L.REARRANGE and s.phase == L.PHASE_SEAT:
                rank = seat_worth(s, me, action - L.SEAT, s.chosen_colour, scene, p)
            count = offer(actions, ranks, count, action, rank)
    if has_flag(words, L.PASS):
        return with_pass(actions, count, L.PASS)
    return count


@kernel
def propose(s, me, words, parameters, actions, ranks):
    """Write the decisions worth a look, best first, the planner's before all; how many."""
    p = parameters[0]
    scene = scene_now(s, me, p)
    actions[0] = legal_choice(words, planned_in(s, me, words, scene, p))
    ranks[0] = 1e9
    phase = s.phase
    if phase == L.PHASE_PLAY and s.hand[me] != 0:
        return propose_play(s, me, words, scene, p, actions, ranks, 1)
    if phase == L.PHASE_COLUMN:
        return propose_columns(s, me, words, scene, p, actions, ranks, 1)
    if phase == L.PHASE_SUPPER or phase == L.PHASE_CHANGE_TO or phase == L.PHASE_SWAP_WITH:
        return propose_spaces(s, me, words, scene, p, actions, ranks, 1)
    if phase == L.PHASE_FAVOR or phase == L.PHASE_GIVE:
        return propose_gifts(s, me, words, scene, p, actions, ranks, 1)
    return propose_others(s, me, words, scene, p, actions, ranks, 1)


@kernel
def choose_as(s, me, words, parameters, notes):
    """(the planner's decision for any seat, how often in a row: once)."""
    p = parameters[0]
    return legal_choice(words, planned_in(s, me, words, scene_now(s, me, p), p)), 1


def guide_of(player: PlannerAgent) -> Guide:
    """What a search needs to be guided by a planner."""
    return Guide(choose_as, propose, player.parameters, MOST_PROPOSED)
