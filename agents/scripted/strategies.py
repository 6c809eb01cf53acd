"""The plans that people play, each a set of weights, and the expert.

The expert's weights were found by ``jerusalem tune`` for each number of players. A plan is what an
earlier expert knew, bent to one idea. All are played at tables of 2, 3 and 4 and under any rule
set: weights say what things are worth, and areas, offices and cards are priced from the incomes in
force.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .agent import ScriptedAgent
from .weights import PLAYER_COUNTS, Moments, Weights


@cache
def _kept(name: str) -> dict[int, Weights]:
    """The weights in a file of this folder, by number of players."""
    text = (files(__package__) / name).read_text(encoding="utf-8")
    return {int(players): Weights.from_dict(values) for players, values in json.loads(text).items()}


def plain(players: int) -> Weights:
    """What the plans have in common: an earlier expert, kept so that they stay as they are."""
    return _kept("plans.json")[players]


def expert(players: int) -> Weights:
    """The strongest: all weights tuned by play against itself, ``greedy`` and other plans."""
    return _kept("expert.json")[players]


def _times(values: Moments, *factors: float) -> Moments:
    """Five values, by rounds left, times a factor each."""
    last, one, two, three, four = (
        value * factor for value, factor in zip(values, factors, strict=True)
    )
    return last, one, two, three, four


def _least(values: Moments, least: float) -> Moments:
    last, one, two, three, four = (max(value, least) for value in values)
    return last, one, two, three, four


def _less(values: Moments, by: float) -> Moments:
    """At most 0, less so much."""
    last, one, two, three, four = (min(value, 0.0) - by for value in values)
    return last, one, two, three, four


def builder(players: int) -> Weights:
    """Prestige first: ahead in floors early, it opens auctions and pays the first builder's price.

    It holds squires and silver for worth half of what others do while rounds are left, so it
    goes for the Palace, the Nobility and the Patriarchate rather than the Templars, places all it
    has, and turns silver into prestige whenever it has the Market's privilege.
    """
    base = plain(players)
    return replace(
        base,
        squire=_times(base.squire, 1.0, 0.7, 0.5, 0.4, 0.4),
        silver=_times(base.silver, 1.0, 0.8, 0.6, 0.6, 0.6),
        keep=_times(base.keep, 1.0, 0.7, 0.5, 0.5, 0.5),
        reserve=_times(base.reserve, 1.0, 0.5, 0.3, 0.3, 0.3),
        market=base.market * 1.3,
    )


def recruiter(players: int) -> Weights:
    """Squires first: an early lead in them, to be turned into prestige in the last two rounds.

    It counts a squire paid in the first rounds for nearly twice what others do: it fights for
    the Templars and the large Patriarchate area and for offices that bring many squires, and is
    behind in floors until its numbers tell.
    """
    base = plain(players)
    return replace(
        base,
        squire=_times(base.squire, 1.0, 1.2, 1.6, 1.8, 1.8),
        muster=_times(base.muster, 1.0, 1.0, 1.3, 1.4, 1.4),
        weapon=base.weapon + 0.2,
    )


def latecomer(players: int) -> Weights:
    """Acts last: it pays for the late offices and answers what the others have done.

    To move last instead of first is worth at least three prestige to it, more with squires in
    supply, and it bids more of its silver for that. These offices bring few squires: it wins what
    the others have left thin.
    """
    base = plain(players)
    return replace(
        base,
        last_turn=_least(base.last_turn, 3.0),
        last_turn_supply=max(base.last_turn_supply, 0.1),
        price=_times(base.price, 0.7, 0.8, 0.8, 0.8, 0.8),
        share=_least(base.share, 0.6),
    )


def warden(players: int) -> Weights:
    """Moves first and shuts the gate: it buys the captain and closes an area with its baron.

    The first office brings most squires and the cheap baron, the only defence against those who
    move later; to move first is worth at least three prestige to it. It counts on the baron when it
    places, strengthens one rich area until the baron may stand there, and spends it even on a small
    one. With 2 or 3 players there is no captain, and it takes the lowest office in play.
    """
    base = plain(players)
    return replace(
        base,
        captain=base.captain + 2.0,
        last_turn=_less(base.last_turn, 3.0),
        last_turn_supply=min(base.last_turn_supply, 0.0),
        share=_least(base.share, 0.6),
        price=_times(base.price, 0.8, 0.8, 0.8, 0.8, 0.8),
        shield=max(base.shield, 0.9),
        baron_least=0.0,
    )


def hoarder(players: int) -> Weights:
    """Keeps its powder dry: squires and silver stay behind the screen for the end.

    It places a squire only where it gains much more than others ask for, hires seldom and bids
    little, until the last round: then it strikes with all it has kept, or leaves it where it is and
    takes the king's gifts for the fullest supply.
    """
    base = plain(players)
    return replace(
        base,
        keep=_times(_least(base.keep, 1.0), 0.3, 1.0, 1.0, 1.0, 1.0),
        hire=max(base.hire * 1.5, 2.0),
        reserve=_least(base.reserve, 6.0),
        share=_times(base.share, 0.6, 0.6, 0.6, 0.6, 0.6),
    )


class Strategy(NamedTuple):
    """A plan by name."""

    name: str
    weights: Callable[[int], Weights]

    @property
    def description(self) -> str:
        """Its paragraph."""
        return " ".join((self.weights.__doc__ or "").split())


STRATEGIES = {
    plan.__name__: Strategy(plan.__name__, plan)
    for plan in (builder, recruiter, latecomer, warden, hoarder, expert)
}


def make_strategy(name: str) -> ScriptedAgent:
    """The player of a plan."""
    plan = STRATEGIES[name].weights
    return ScriptedAgent(name, {players: plan(players) for players in PLAYER_COUNTS})
