"""Bots that a game's compiled tables can play inside their step: no call back to Python.

A ``CompiledPolicy`` is a kernel and its parameters. What a bot may know is its view, its legal
actions and a key for its own chance; a table gives it nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .bits import count_flags, nth_flag
from .chance import draw, one_way, stream
from .kernels import entry_kernel, kernel

# What the streams of a table's game seed are for; the games themselves use small numbers.
PURPOSE_SEAT = 201  # the learner's seat, then a bot for every seat
PURPOSE_DECISION = 1_000  # + decisions taken so far: a bot's own chance


MOST_DEALS = 1_000  # games in a row that may end before the learner has a decision


@kernel
def decision_key(game_seed, decisions):
    """A bot's key for one decision; the game seed, which holds the whole deal, is not in it."""
    return one_way(game_seed, PURPOSE_DECISION + decisions)


class CompiledPolicy(NamedTuple):
    """A bot as a kernel.

    Attributes
    ----------
    name : str
    choose : kernel (view, mask, words, key, parameters) -> action
        ``view`` is a view record in which the bot is seat 0 and to act, to be left as it was;
        ``mask`` (A,) uint8 and ``words`` (W,) int64 its legal actions, twice; ``key`` a uint64
        that differs from decision to decision.
    parameters : array
        What ``choose`` is given last.
    needs_view : bool
        False if ``choose`` looks at ``words`` and ``key`` alone: the rest is then not filled in.
    """

    name: str
    choose: Any
    parameters: np.ndarray
    needs_view: bool = True


class ActionLog(NamedTuple):
    """What ``Game.play_on`` writes the actions down in, forced ones left out.

    Attributes
    ----------
    actions : (B, L) int16
        Those of each game in order; what does not fit in L is not kept.
    sizes : (B,) int64
        How many of each row are filled; what is there is added to.
    """

    actions: np.ndarray
    sizes: np.ndarray


def new_log(games: int, length: int) -> ActionLog:
    """An empty log for ``length`` actions of each game; 0 keeps none."""
    return ActionLog(np.zeros((games, length), np.int16), np.zeros(games, np.int64))


@kernel
def _uniform(view, mask, words, key, parameters):
    """A uniformly drawn legal action."""
    _, index = draw(key, count_flags(words))
    return nth_flag(words, index)


UNIFORM = CompiledPolicy("random", _uniform, np.zeros(0), needs_view=False)


@kernel
def draw_seats(game_seed, fixed_seat, num_policies, bots):
    """Write a policy for every seat to ``bots`` (n,); returns the learner's seat.

    The seat is drawn uniformly unless ``fixed_seat`` >= 0 (P21).
    """
    state, seat = draw(stream(game_seed, PURPOSE_SEAT), bots.shape[0])
    for other in range(bots.shape[0]):
        state, policy = draw(state, num_policies)
        bots[other] = policy
    return fixed_seat if fixed_seat >= 0 else seat


@entry_kernel
def draw_all_seats(game_seeds, fixed_seat, num_policies, bots, seats):
    """``draw_seats`` for (B,) game seeds: writes ``bots`` (B, n) and ``seats`` (B,)."""
    for game in range(game_seeds.shape[0]):
        seats[game] = draw_seats(game_seeds[game], fixed_seat, num_policies, bots[game])
