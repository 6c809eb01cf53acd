"""The fused batch step: decide, settle, pay, deal anew, mask and observe, in one compiled pass.

The games of a batch are split into as many chunks as there are threads; a game's course does not
depend on the split. Finished games are dealt anew at once (same-step autoreset) after their last
record has been copied to ``finals``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numba

from ..bits import has_flag, unpack
from ..chance import derived_seed
from ..kernels import entry_kernel, inlined_kernel, kernel
from .encoding import emitter_for
from .engine.layout import NUM_ACTIONS, PHASE_OVER
from .engine.step import reset, running, step
from .rewards import MARGIN_SCALE

REWARD_WIN, REWARD_RANK, REWARD_MARGIN = range(3)


class Settings(NamedTuple):
    """What a fused step needs to know beside the arrays of its batch."""

    skip_forced: bool
    reward: int  # REWARD_*


@kernel
def utility(s, seat, reward):
    """Utility of a seat in a finished game; see ``rewards.utilities``."""
    n = s.players
    if reward == REWARD_WIN:
        return 1.0 if s.ranking[0] == seat else -1.0 / (n - 1)
    if reward == REWARD_RANK:
        place = 0
        while s.ranking[place] != seat:
            place += 1
        return 1.0 - 2.0 * place / (n - 1)
    others = 0.0
    for other in range(n):
        if other != seat:
            others += s.floors[other]
    return (s.floors[seat] - others / (n - 1)) / MARGIN_SCALE


@kernel
def first_illegal(actions, legal):
    """Index of the first game whose action is not legal, -1 if all are."""
    for game in range(actions.shape[0]):
        action = actions[game]
        if action < 0 or action >= NUM_ACTIONS or not has_flag(legal[game], action):
            return game
    return -1


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
        if s.phase == PHASE_OVER:
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
    unpack(words, batch.masks[game])


@cache
def advances_for(
    n: int, recall: bool, as_bytes: bool
) -> tuple[Callable[..., int], Callable[..., int]]:
    """The fused step (batch, actions, settings) for ``n`` players, on one thread and on several.

    Observations are uint8 if ``as_bytes``, else float32.

    Both return -1, or the first game whose action is illegal; then nothing has changed.
    """
    emit = emitter_for(n, recall, as_bytes)
    variant = f"{n} {'recall' if recall else 'screen'} {'uint8' if as_bytes else 'float32'}"

    @kernel
    def advance_range(first, last, chunk, batch, actions, settings):
        for game in range(first, last):
            advance_game(game, actions[game], settings, batch)
            if batch.observations.shape[0] > 0:
                s = batch.states[game]
                scratch, row = batch.scratch[chunk], batch.rows[chunk]
                emit(s, s.to_act, scratch, row, batch.scale, batch.observations[game])

    @entry_kernel(variant=variant)
    def advance(batch, actions, settings):
        wrong = first_illegal(actions, batch.legal)
        if wrong < 0:
            advance_range(0, batch.states.shape[0], 0, batch, actions, settings)
        return wrong

    @entry_kernel(parallel=True, variant=variant)
    def advance_parallel(batch, actions, settings):
        wrong = first_illegal(actions, batch.legal)
        if wrong < 0:
            chunks = batch.scratch.shape[0]
            games = batch.states.shape[0]
            for chunk in numba.prange(chunks):
                first, last = games * chunk // chunks, games * (chunk + 1) // chunks
                advance_range(first, last, chunk, batch, actions, settings)
        return wrong

    return advance, advance_parallel
