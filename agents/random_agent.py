"""Uniformly random legal play."""

from __future__ import annotations

import numpy as np

from jerusalem_env.chance import sample_legal
from jerusalem_env.policies import UNIFORM

from .base import require_masks


class RandomAgent:
    """Draws uniformly from the legal actions, by its own generator."""

    name = "random"
    compiled = UNIFORM

    def __init__(self, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)

    def reset(self, seed: int) -> None:
        """Restart the generator."""
        self._rng = np.random.default_rng(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions."""
        return sample_legal(require_masks(views, masks), self._rng)
