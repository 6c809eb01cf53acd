"""The agent that plays by weights."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from jerusalem_env.bits import new_words
from jerusalem_env.jerusalem.engine.layout import NUM_ACTIONS
from jerusalem_env.policies import CompiledPolicy
from jerusalem_env.simulation import Guide

from ..base import require_masks
from ..compiled import entry_of
from ..keys import keys_of
from .choices import choose
from .notes import NOTES
from .proposals import MOST_PROPOSED, choose_as, propose
from .weights import Weights, parameters_of

scripted_actions = entry_of(choose)


class ScriptedAgent:
    """A player that acts by weights; only its bids waver a little, by the view and its seed.

    Parameters
    ----------
    name : str
    by_players : mapping
        Its ``Weights`` for tables of 2, 3 and 4.
    """

    def __init__(self, name: str, by_players: Mapping[int, Weights]) -> None:
        self.name = name
        self.by_players = dict(by_players)
        self.parameters = parameters_of(by_players)  # (1,) weights.PARAMETERS
        self._seed = 0

    @property
    def compiled(self) -> CompiledPolicy:
        """The same player for compiled tables."""
        return CompiledPolicy(self.name, choose, self.parameters)

    def reset(self, seed: int) -> None:
        """Restart its chance."""
        self._seed = int(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions."""
        masks = require_masks(views, masks, NUM_ACTIONS)
        actions = np.empty(len(views), dtype=np.int64)
        words = new_words(1, NUM_ACTIONS)[0]
        keys = keys_of(views, self._seed)
        scripted_actions(views, masks, keys, words, self.parameters, actions)
        return actions


def guide_of(player: ScriptedAgent) -> Guide:
    """What a search needs to be guided by a scripted player."""
    return Guide(choose_as, propose, player.parameters, MOST_PROPOSED, NOTES)
