"""Scripted decisions, watched as the report watches them."""

from __future__ import annotations

from typing import Any

import numpy as np

from jerusalem_env.jerusalem.actions import ACTION_NAMES
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from tests.reference_engine import build_position
from training.balance.simulate import Games, new_games, see_decisions

IDS = {name: index for index, name in enumerate(ACTION_NAMES)}


class Watched:
    """One game from a position on, forced decisions asked; what it shows is in ``games``."""

    def __init__(self, ruleset: dict[str, Any], **fields: Any) -> None:
        rules = RuleSet.from_dict(ruleset)
        self.game = JerusalemGame(rules=rules, skip_forced=False)
        self.states = self.game.read_position(build_position(rules.to_dict(), **fields))
        self.masks = np.zeros((1, self.game.num_actions), dtype=np.uint8)
        self.game.legal(self.states, self.masks)
        self.games: Games = new_games(self.game, 1)

    def play(self, *names: str) -> Watched:
        """Play these actions in turn; an illegal one fails the test."""
        for name in names:
            before, options = self.states.copy(), self.masks.sum(axis=1, dtype=np.int64)
            action = np.array([IDS[name]])
            assert self.game.step(self.states, action, self.masks) < 0, f"{name} is not legal"
            see_decisions(self.games, before, action, options, self.states)
        self.games.finals[:] = self.states
        return self
