"""Search among what a learned policy thinks of."""

from __future__ import annotations

from typing import Any

import numpy as np

from jerusalem_env.game import Game
from jerusalem_env.simulation import Guide

from ..learned import PPOAgent, masked_logits
from .agent import SearchAgent

_MOST = 6  # decisions that are compared
_LEAST = 0.05  # of the likeliest one's probability: what is less likely is not looked at


class GuidedSearchAgent(SearchAgent):
    """A search that chooses among the policy's likeliest decisions, and prefers the likeliest.

    Where the policy is sure it plays at once. Elsewhere every candidate is simulated on the same
    redeals, the guide playing all seats after it, and another than the policy's own is played only
    if it is better by ``doubt`` standard errors. A network's last digits depend on the number of
    views that it is given at once, and so could what is just likely enough.

    Parameters
    ----------
    policy : PPOAgent
    game, guide, **kwargs
        As for ``SearchAgent``.
    """

    def __init__(self, policy: PPOAgent, game: Game, guide: Guide, **kwargs: Any) -> None:
        super().__init__(game, guide, **kwargs)
        self._policy = policy

    def proposals(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B, C) the policy's decisions, likeliest first, those that are unlikely left out."""
        logits = masked_logits(self._policy.logits_of(views), masks.astype(np.bool_))
        order = np.argsort(-logits, axis=1, kind="stable")[:, :_MOST]
        best = np.take_along_axis(logits, order, axis=1)
        likely = (best >= best[:, :1] + np.log(_LEAST)) & np.isfinite(best)
        return np.where(likely, order, -1)
