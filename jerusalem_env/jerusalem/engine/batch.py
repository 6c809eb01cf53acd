"""Entry points over an array of games: reset, step, legal. One game is a batch of one.

All arrays are the caller's. Shapes: ``states`` (B,), ``seeds`` (B,) uint64, ``actions`` (B,) int64,
``masks`` (B, 309) uint8, ``words`` (5,) int64 scratch for one packed mask.
"""

from __future__ import annotations

from ...bits import unpack
from ...kernels import entry_kernel
from .layout import NUM_ACTIONS
from .legal import legal
from .step import reset, running, step


@entry_kernel
def reset_games(states, seeds, skip_forced, words, masks):
    """Deal every game from its own seed and write the first masks."""
    for game in range(states.shape[0]):
        reset(states[game], seeds[game], skip_forced, words)
        unpack(words, masks[game])


@entry_kernel
def step_games(states, actions, skip_forced, words, masks):
    """Step every game that still runs; -1, or the first game whose action is illegal.

    ``masks`` must be the masks of the decisions at hand; they are overwritten with those of the
    next. If an action is illegal nothing at all is changed.
    """
    for game in range(states.shape[0]):
        action = actions[game]
        if running(states[game]) and (
            action < 0 or action >= NUM_ACTIONS or masks[game, action] == 0
        ):
            return game
    for game in range(states.shape[0]):
        if running(states[game]):
            step(states[game], actions[game], skip_forced, words)
            unpack(words, masks[game])
    return -1


@entry_kernel
def legal_games(states, words, masks):
    """Write the masks of the decisions at hand."""
    for game in range(states.shape[0]):
        legal(states[game], words)
        unpack(words, masks[game])
