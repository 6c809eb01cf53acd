"""What the scripted players have in common: each is one kernel, here and in compiled tables."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from jerusalem_env.bits import new_words, pack
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.kernels import entry_kernel
from jerusalem_env.policies import CompiledPolicy

from ..base import require_masks

_NO_KEY = np.uint64(0)


@cache
def _entry_of(choose: Any) -> Any:
    """The entry that asks a policy's kernel (see ``CompiledPolicy``) about a batch."""

    @entry_kernel
    def choose_actions(views, masks, words, key, parameters, actions):
        """Write an action for each of (B,) views; the views are left as they were."""
        for row in range(views.shape[0]):
            pack(masks[row], words)
            actions[row] = choose(views[row], masks[row], words, key, parameters)

    return choose_actions


class DeterministicAgent:
    """A scripted player without chance of its own, so its seed changes nothing.

    Parameters
    ----------
    policy : CompiledPolicy
        It must not use its key.
    """

    def __init__(self, policy: CompiledPolicy) -> None:
        self.name = policy.name
        self.compiled = policy

    def reset(self, seed: int) -> None:
        """It has no randomness of its own."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions."""
        masks = require_masks(views, masks, L.NUM_ACTIONS)
        actions = np.empty(len(views), dtype=np.int64)
        words = new_words(1, L.NUM_ACTIONS)[0]
        policy = self.compiled
        _entry_of(policy.choose)(views, masks, words, _NO_KEY, policy.parameters, actions)
        return actions
