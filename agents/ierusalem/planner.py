"""A scripted player that plans, compiled: by weights, from the view alone.

Plan. It weighs everything as the greedy player does, but by the time that is left, and it looks
further. What judgments ahead will count is worth more, and a Meeting counts who is near the next
judgment and who would like the game to end. When a set is complete or a card completes one, the
Apostle that this turn's visit will seat is known before the card's Go is: followers go where he
is to sit. Favors go where the symbol helps least and to those who are behind. Actions of a card
that would bring nothing now make it wait.

Deterministic. Nothing depends on what is hidden, or on constants of one data file. The same kernels
guide a search: ``guide.py``.
"""

from __future__ import annotations

from jerusalem_env.bits import has_flag
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.rules.names import NUM_KINDS
from jerusalem_env.kernels import kernel
from jerusalem_env.policies import CompiledPolicy

from ..compiled import legal_choice
from .agent import DeterministicAgent
from .cards import best_column, card_worth
from .greedy import choose_clearing, light_worth, prospects, wanted
from .plan import giving_cost, guest_of, planned_scene, rows_to_visit, rows_with, with_guest
from .supper import best_seat, column_worths
from .weights import Weights, parameters_of
from .worth import NOTHING


@kernel
def played_worth(s, me, card, hand, coming, worths, rows, scene, p):
    """Worth of playing a card to the column that it suits best.

    ``rows`` are the apostle columns that can be visited anyway. If there are any, or the card
    makes a set, its Go knows the Apostle that will be seated at the end of the turn.
    """
    ready = hand - (1 << (4 * s.card_location[card]))
    _, gain = best_column(s, me, card, ready, coming, worths, scene, p)
    visited = rows | rows_with(s, me, card)
    guest = guest_of(s, me, visited, scene, p) if visited != 0 else -1
    if guest >= 0:
        _, seated = best_seat(s, me, guest, scene, p)
        expecting = with_guest(scene, guest, seated)
        return card_worth(s, me, card, expecting, p) + p.fit * gain
    return card_worth(s, me, card, scene, p) + p.fit * gain


@kernel
def plan_play(s, me, words, scene, p):
    """The card that brings most in this turn and for later sets; or the Illumination."""
    if s.hand[me] == 0:
        return choose_clearing(s, me, words, scene, p)
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    rows = rows_to_visit(s, me)
    best, best_worth = -1, NOTHING
    for card in range(NUM_KINDS):
        if (s.hand[me] >> card) & 1:
            worth = played_worth(s, me, card, hand, coming, worths, rows, scene, p)
            if worth > best_worth:
                best, best_worth = L.CARD + card, worth
    if has_flag(words, L.ILLUMINATE):
        _, worth = light_worth(s, me, scene, p)
        if worth > best_worth:
            best = L.ILLUMINATE
    return best


@kernel
def plan_favor(s, me, words, scene, p):
    """The marker that costs least to give, whoever receives it."""
    best, least = L.PASS, -NOTHING
    for marker in range(8):
        if has_flag(words, L.FAVOR + marker):
            for k in range(1, s.players):
                cost = giving_cost(s, marker, (me + k) % s.players, scene, p)
                if cost < least:
                    best, least = L.FAVOR + marker, cost
    return best


@kernel
def plan_give(s, me, scene, p):
    """The player to whom it costs least to give the chosen marker."""
    best, least = -1, -NOTHING
    for k in range(1, s.players):
        cost = giving_cost(s, s.chosen_marker, (me + k) % s.players, scene, p)
        if cost < least:
            best, least = L.GIVE + k - 1, cost
    return best


@kernel
def scene_now(s, me, p):
    """The scene of the decision at hand, with the Apostle to come if followers are on their way."""
    scene = planned_scene(s, me, -1, 0.0, p)
    phase = s.phase
    if s.stage == L.STAGE_PLAY and (
        phase == L.PHASE_SUPPER or phase == L.PHASE_CHANGE_TO or phase == L.PHASE_MARKET
    ):
        rows = rows_to_visit(s, me)
        guest = guest_of(s, me, rows, scene, p) if rows != 0 else -1
        if guest >= 0:
            _, seated = best_seat(s, me, guest, scene, p)
            scene = with_guest(scene, guest, seated)
    return scene


@kernel
def planned_in(s, me, words, scene, p):
    """What it would like to do in a scene."""
    phase = s.phase
    if phase == L.PHASE_PLAY:
        return plan_play(s, me, words, scene, p)
    if phase == L.PHASE_FAVOR:
        return plan_favor(s, me, words, scene, p)
    if phase == L.PHASE_GIVE:
        return plan_give(s, me, scene, p)
    return wanted(s, me, words, scene, p)


@kernel
def planner_action(s, me, words, p):
    """A legal action for the seat to act, ``me``."""
    return legal_choice(words, planned_in(s, me, words, scene_now(s, me, p), p))


@kernel
def choose(view, mask, words, key, parameters):
    """``planner_action`` as a compiled policy."""
    return planner_action(view, 0, words, parameters[0])


class PlannerAgent(DeterministicAgent):
    """The scripted player of this module.

    Parameters
    ----------
    weights : Weights, optional
        What it values; the tuned ones unless given.
    """

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or Weights()
        self.parameters = parameters_of(self.weights)  # (1,) weights.PLAN
        super().__init__(CompiledPolicy("planner", choose, self.parameters))
