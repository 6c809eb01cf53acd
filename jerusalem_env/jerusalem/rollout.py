"""The fused batch step: decide, settle, pay, deal anew, mask and observe, in one compiled pass.

The games of a batch are split into as many chunks as there are threads; a game's course does not
depend on the split. Finished games are dealt anew at once (same-step autoreset) after their last
record has been copied to ``finals``.
"""

from __future__ import annotations

import numba
import numpy as np

from ..chance import derived_seed
from ..kernels import entry_kernel, kernel
from .engine.layout import NUM_ACTIONS, PHASE_OVER
from .engine.step import reset, running, step
from .observation import encode
from .rewards import MARGIN_SCALE
from .screen import look

REWARD_WIN, REWARD_RANK, REWARD_MARGIN = range(3)


@kernel
def pay(s, reward, out):
    """Utilities of a finished game; see ``rewards.utilities``."""
    n = s.players
    for place in range(n):
        seat = s.ranking[place]
        if reward == REWARD_WIN:
            out[seat] = 1.0 if place == 0 else -1.0 / (n - 1)
        elif reward == REWARD_RANK:
            out[seat] = 1.0 - 2.0 * place / (n - 1)
        else:
            others = 0.0
            for other in range(n):
                if other != seat:
                    others += s.floors[other]
            out[seat] = (s.floors[seat] - others / (n - 1)) / MARGIN_SCALE


@kernel
def advance_range(
    first,
    last,
    states,
    actions,
    skip_forced,
    recall,
    reward,
    batch_seed,
    episodes,
    finals,
    scratch,
    masks,
    observations,
    rewards,
    terminated,
    truncated,
):
    """Advance games ``first .. last - 1``; ``scratch`` is one view record."""
    for game in range(first, last):
        s = states[game]
        for seat in range(rewards.shape[1]):
            rewards[game, seat] = 0.0
        terminated[game] = 0
        truncated[game] = 0
        step(s, actions[game], skip_forced, masks[game])
        if not running(s):
            if s.phase == PHASE_OVER:
                terminated[game] = 1
                pay(s, reward, rewards[game])
            else:
                truncated[game] = 1
            finals[game] = states[game]
            episodes[game] += 1
            seed = derived_seed(batch_seed, game, episodes[game])
            reset(s, seed, skip_forced, masks[game])
        if observations.shape[0] > 0:
            look(s, s.to_act, recall, scratch)
            encode(scratch, observations[game])


@kernel
def first_illegal(actions, masks):
    """Index of the first game whose action is not legal, -1 if all are."""
    for game in range(actions.shape[0]):
        action = actions[game]
        if action < 0 or action >= NUM_ACTIONS or masks[game, action] == 0:
            return game
    return -1


@entry_kernel
def advance(
    states,
    actions,
    skip_forced,
    recall,
    reward,
    batch_seed,
    episodes,
    finals,
    scratch,
    masks,
    observations,
    rewards,
    terminated,
    truncated,
):
    """Advance all games on the calling thread; -1, or the first illegal game (nothing changed)."""
    wrong = first_illegal(actions, masks)
    if wrong >= 0:
        return wrong
    advance_range(
        0,
        states.shape[0],
        states,
        actions,
        skip_forced,
        recall,
        reward,
        batch_seed,
        episodes,
        finals,
        scratch[0],
        masks,
        observations,
        rewards,
        terminated,
        truncated,
    )
    return -1


@entry_kernel(parallel=True)
def advance_parallel(
    states,
    actions,
    skip_forced,
    recall,
    reward,
    batch_seed,
    episodes,
    finals,
    scratch,
    masks,
    observations,
    rewards,
    terminated,
    truncated,
):
    """``advance`` with one chunk of games and one scratch record a thread."""
    wrong = first_illegal(actions, masks)
    if wrong >= 0:
        return wrong
    chunks = scratch.shape[0]
    games = states.shape[0]
    for chunk in numba.prange(chunks):
        advance_range(
            games * chunk // chunks,
            games * (chunk + 1) // chunks,
            states,
            actions,
            skip_forced,
            recall,
            reward,
            batch_seed,
            episodes,
            finals,
            scratch[chunk],
            masks,
            observations,
            rewards,
            terminated,
            truncated,
        )
    return -1


NO_OBSERVATIONS = np.zeros((0, 0), dtype=np.float32)
