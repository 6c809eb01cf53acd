"""What the scripted players have in common: each is one kernel, here and in compiled tables."""

from __future__ import annotations

import numpy as np

from jerusalem_env.bits import new_words
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.policies import CompiledPolicy

from ..base import require_masks
from ..compiled import entry_of


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
        words, no_keys = new_words(1, L.NUM_ACTIONS)[0], np.zeros(len(views), dtype=np.uint64)
        policy = self.compiled
        entry_of(policy.choose)(views, masks, no_keys, words, policy.parameters, actions)
        return actions
