"""Entry points over an array of games: reset, step, legal, pay. One game is a batch of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ..kernels import entry_kernel
from .rules import Rules, keeping
from .steps import steps_of


class BatchEntries(NamedTuple):
    """Entries of one game. All arrays are the caller's.

    Shapes: ``states`` (B,), ``seeds`` (B,) uint64, ``actions`` (B,) int64, ``masks`` (B, A) uint8,
    ``words`` (W,) int64 scratch for one packed mask, ``paid`` (B, n) float64.

    Attributes
    ----------
    reset_games : (states, seeds, skip_forced, words, masks)
        Deal every game from its own seed and write the first masks.
    step_games : (states, actions, skip_forced, words, masks) -> int
        Step every game that still runs; -1, or the first game whose action is illegal. ``masks``
        must be the masks of the decisions at hand; they are overwritten with those of the next. If
        an action is illegal nothing at all is changed.
    legal_games : (states, words, masks)
        Write the masks of the decisions at hand.
    pay_games : (states, reward, paid)
        Write the utilities of the games that are over, 0 of the others.
    """

    reset_games: Callable[..., None]
    step_games: Callable[..., int]
    legal_games: Callable[..., None]
    pay_games: Callable[..., None]


@cache
def batch_entries(rules: Rules) -> BatchEntries:
    """The entries for one game."""
    steps = steps_of(rules)
    reset, step, spread, over = steps.reset, steps.step, steps.spread, steps.over
    legal, running, utility = rules.legal, rules.running, rules.utility
    num_actions, kept = rules.num_actions, keeping(rules)

    @entry_kernel(**kept)
    def reset_games(states, seeds, skip_forced, words, masks):
        for game in range(states.shape[0]):
            reset(states[game], seeds[game], skip_forced, words)
            spread(words, masks[game])

    @entry_kernel(**kept)
    def step_games(states, actions, skip_forced, words, masks):
        for game in range(states.shape[0]):
            action = actions[game]
            if running(states[game]) and (
                action < 0 or action >= num_actions or masks[game, action] == 0
            ):
                return game
        for game in range(states.shape[0]):
            if running(states[game]):
                step(states[game], actions[game], skip_forced, words)
                spread(words, masks[game])
        return -1

    @entry_kernel(**kept)
    def legal_games(states, words, masks):
        for game in range(states.shape[0]):
            legal(states[game], words)
            spread(words, masks[game])

    @entry_kernel(**kept)
    def pay_games(states, reward, paid):
        for game in range(states.shape[0]):
            s = states[game]
            for seat in range(paid.shape[1]):
                paid[game, seat] = utility(s, seat, reward) if over(s) else 0.0

    return BatchEntries(reset_games, step_games, legal_games, pay_games)
