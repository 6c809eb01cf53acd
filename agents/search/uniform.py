"""A guide for any game: it knows nothing, plays at random and proposes every legal action."""

from __future__ import annotations

from typing import Any

import numpy as np

from jerusalem_env.bits import count_flags, nth_flag
from jerusalem_env.chance import draw, mix
from jerusalem_env.game import Game
from jerusalem_env.kernels import kernel
from jerusalem_env.simulation import Guide

from .tree import Settings

_BEYOND_A_FLOAT = np.uint64(11)  # bits of a stream's state that a float64 cannot hold

# How a search without knowledge looks at proposals: all are equally likely to be good, soon many
# are looked at, and the first of them is not worth keeping in doubt.
UNIFORM_SEARCH: dict[str, Any] = {"settings": Settings(widen=2.0, prior=1.0), "doubt": 0.0}


@kernel
def choose_uniform(state, seat, words, parameters, notes):
    """(a uniformly drawn legal action, 1); its chance is the playout's number in ``notes``."""
    place = notes.shape[0] - 1
    chance, index = draw(mix(np.uint64(notes[place])), count_flags(words))
    notes[place] = np.float64(mix(chance) >> _BEYOND_A_FLOAT)
    return nth_flag(words, index), 1


@kernel
def propose_all(state, seat, words, parameters, actions, ranks):
    """Every legal action, in an order that is ``parameters``': the same at every decision."""
    count = count_flags(words)
    for index in range(count):
        actions[index] = nth_flag(words, index)
        ranks[index] = parameters[actions[index]]
    for index in range(1, count):  # insertion sort, by rank
        action, rank = actions[index], ranks[index]
        at = index
        while at > 0 and ranks[at - 1] > rank:
            actions[at], ranks[at] = actions[at - 1], ranks[at - 1]
            at -= 1
        actions[at], ranks[at] = action, rank
    return count


def uniform_guide(game: Game) -> Guide:
    """The guide of a game that has no better one.

    Actions of one kind have neighbouring numbers, so proposals come in a fixed order drawn once:
    what is looked at first is then of all kinds.
    """
    order = np.random.default_rng(game.num_actions).permutation(game.num_actions)
    return Guide(choose_uniform, propose_all, order.astype(np.float64), most=game.num_actions)
