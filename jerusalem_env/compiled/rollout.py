"""The fused batch step: decide, settle, pay, deal anew, mask and observe, in one compiled pass.

Threads take games of a batch in turn (``sharing``); a game's course does not depend on who takes
it. Finished games are dealt anew at once (same-step autoreset) after their last record has been
copied to ``finals``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numba

from ..chance import derived_seed
from ..copying import prefetch_record
from ..kernels import entry_kernel, inlined_kernel, kernel
from ..sharing import claim, games_at_once
from .encoders import emitter_for
from .rules import Rules, form, keeping, mode
from .steps import steps_of

_MOST_AT_ONCE = 64  # games that a thread takes: some 20 microseconds


class Settings(NamedTuple):
    """What a fused step needs to know beside the arrays of its batch."""

    skip_forced: bool
    reward: int  # its place among the names of the game's rewards


@cache
def advances_for(
    rules: Rules, n: int, recall: bool, as_bytes: bool
) -> tuple[Callable[..., int], Callable[..., int]]:
    """The fused step (batch, actions, settings) for ``n`` players, on one thread and on several.

    Observations are uint8 if ``as_bytes``, else float32.

    Both return -1, or the first game whose action is illegal; then nothing has changed.
    """
    emit = emitter_for(rules, n, recall, as_bytes)
    steps = steps_of(rules)
    step, reset, over, first_illegal = steps.step, steps.reset, steps.over, steps.first_illegal
    spread, running, utility = steps.spread, rules.running, rules.utility
    kept = keeping(rules, n, mode(recall), form(as_bytes))

    @inlined_kernel
    def advance_game(game, action, settings, batch):
        """One decision in one game of a batch, all but its observation."""
        s = batch.states[game]
        for seat in range(batch.rewards.shape[1]):
            batch.rewards[game, seat] = 0.0
        batch.terminated[game] = 0
        batch.truncated[game] = 0
        words = batch.legal[game]
        step(s, action, settings.skip_forced, words)
        if not running(s):
            if over(s):
                batch.terminated[game] = 1
                for seat in range(batch.rewards.shape[1]):
                    batch.rewards[game, seat] = utility(s, seat, settings.reward)
            else:
                batch.truncated[game] = 1
            batch.finals[game] = batch.states[game]
            batch.episodes[game] += 1
            batch.states[game] = batch.blank[0]
            seed = derived_seed(batch.seed[0], game, batch.episodes[game])
            reset(s, seed, settings.skip_forced, words)
        spread(words, batch.masks[game])

    @kernel
    def advance_range(first, last, thread, batch, actions, settings):
        for game in range(first, last):
            # A large batch outgrows the caches: without this a step waits for memory most of its
            # time (4,096 games: 1.4 to 1.9 times as many decisions a second with it).
            prefetch_record(batch.states, min(game + 1, last - 1))
            advance_game(game, actions[game], settings, batch)
            if batch.observations.shape[0] > 0:
                s = batch.states[game]
                scratch, row = batch.scratch[thread], batch.rows[thread]
                emit(s, s.to_act, scratch, row, batch.scale, batch.observations[game])

    @entry_kernel(**kept)
    def advance(batch, actions, settings):
        wrong = first_illegal(actions, batch.legal)
        if wrong < 0:
            advance_range(0, batch.states.shape[0], 0, batch, actions, settings)
        return wrong

    @entry_kernel(parallel=True, **kept)
    def advance_parallel(batch, actions, settings):
        wrong = first_illegal(actions, batch.legal)
        if wrong < 0:
            threads, games = batch.scratch.shape[0], batch.states.shape[0]
            taken = games_at_once(games, threads, _MOST_AT_ONCE)
            counter = batch.counter  # Numba drops what happens to a tuple's field inside of prange
            counter[0] = 0
            for thread in numba.prange(threads):
                first = claim(counter, taken)
                while first < games:
                    last = min(first + taken, games)
                    advance_range(first, last, thread, batch, actions, settings)
                    first = claim(counter, taken)
        return wrong

    return advance, advance_parallel
