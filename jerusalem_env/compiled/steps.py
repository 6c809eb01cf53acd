"""One decision, all that follows by itself, and the next decision's mask."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from ..bits import WORD, has_flag, only_flag, unpack, unpack_short
from ..kernels import kernel
from .rules import Rules


class Steps(NamedTuple):
    """Kernels of one game; ``words`` (W,) int64 is a packed mask.

    Attributes
    ----------
    over : kernel (s) -> bool
    refuses : kernel (words, action) -> bool
        Whether an action (any int64) is illegal.
    first_illegal : kernel (actions, masks) -> int
        First row of the packed ``masks`` (B, W) that refuses its action, -1 if none does.
    spread : kernel (words, mask)
        ``bits.unpack`` for so many actions.
    step : kernel (s, action, skip_forced, words)
        One decision and all that follows by itself; writes the next decision's mask.
    play : kernel (s, action, words)
        ``step`` with forced decisions taken.
    reset : kernel (s, seed, skip_forced, words)
        A new game; writes the first decision's mask.
    """

    over: Any
    refuses: Any
    first_illegal: Any
    spread: Any
    step: Any
    play: Any
    reset: Any


@cache
def steps_of(rules: Rules) -> Steps:
    """The kernels for one game."""
    apply, settle, legal = rules.apply, rules.settle, rules.legal
    running, deal = rules.running, rules.deal
    over_phase, num_actions = rules.over_phase, rules.num_actions

    @kernel
    def over(s):
        """Whether the game has come to its end."""
        return s.phase == over_phase

    @kernel
    def refuses(words, action):
        """Whether an action is illegal."""
        return action < 0 or action >= num_actions or not has_flag(words, action)

    @kernel
    def first_illegal(actions, masks):
        """Index of the first game whose action is not legal, -1 if all are."""
        for game in range(actions.shape[0]):
            if refuses(masks[game], actions[game]):
                return game
        return -1

    @kernel
    def take_forced(s, words):
        """Take decisions with one legal action until a real one comes."""
        legal(s, words)
        while running(s):
            action = only_flag(words)
            if action < 0:
                return
            apply(s, action)
            settle(s)
            legal(s, words)

    @kernel
    def step(s, action, skip_forced, words):
        """One decision and all that follows by itself."""
        apply(s, action)
        settle(s)
        if skip_forced:
            take_forced(s, words)
        else:
            legal(s, words)

    @kernel
    def play(s, action, words):
        """A decision, forced ones after it included."""
        step(s, action, True, words)

    @kernel
    def reset(s, seed, skip_forced, words):
        """A new game from a game seed."""
        deal(s, seed)
        settle(s)
        if skip_forced:
            take_forced(s, words)
        else:
            legal(s, words)

    spread = unpack if num_actions >= WORD else unpack_short
    return Steps(over, refuses, first_illegal, spread, step, play, reset)
