"""A toy game whose wins are often shared, and how tests make it known beside the real ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.registry import Kind
from jerusalem_env import games
from training.toys.base import ToyGame, one_hot

GAME = "shared_v0"


class SharedGame(ToyGame):
    """Three seats name a number, 0, 1 or 2, one after the other; the highest wins, also together.

    The w seats with the highest number share what the others pay: one unit each. If all name the
    same number nobody pays. Nothing is hidden; naming 2 is best.
    """

    name = GAME
    players = 3
    action_names = ("zero", "one", "two")
    longest = 3
    information, reward = "screen", "win"

    def allowed(self, states: np.ndarray) -> np.ndarray:
        """(B, 3) bool: everything."""
        return np.ones((len(states), 3), dtype=np.bool_)

    def finished(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: all have named a number."""
        return states["history"][:, -1] >= 0

    def payoffs(self, states: np.ndarray) -> np.ndarray:
        """(B, 3) float64 by place."""
        named = states["history"].astype(np.int64)
        best = named == named.max(axis=1, keepdims=True)
        winners = best.sum(axis=1, keepdims=True)
        return np.where(best, (self.players - winners) / winners, -1.0)

    def entries(self, views: np.ndarray) -> np.ndarray:
        """(B, 12): the observer's place (3), the numbers named (3 x 3)."""
        places = self.places(views, np.zeros(len(views), dtype=np.int64))
        named = [one_hot(views["history"][:, place], 3) for place in range(3)]
        return np.concatenate([one_hot(places, 3), *named], axis=1)

    def results(self, state: np.void) -> dict[str, Any]:
        """As every toy game, and the number named by each seat."""
        return {**super().results(state), "number": state["history"].tolist()}


def _make(players: int | None = None, **given: Any) -> SharedGame:
    if players not in (None, 3):
        raise ValueError(f"{GAME} is for 3 players, got {players}")
    if given.get("rules"):
        raise ValueError(f"{GAME} has no presets of its rules, got {given['rules']!r}")
    return SharedGame()


def _read_rules(ruleset: Mapping[str, Any]) -> None:
    return None


class Always:
    """Names one number whatever happens."""

    def __init__(self, number: int) -> None:
        self.name, self.number = f"always{number}", number

    def reset(self, seed: int) -> None:
        """Nothing to restart."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 the number."""
        return np.full(len(views), self.number, dtype=np.int64)


@contextmanager
def registered() -> Iterator[None]:
    """The game and two bots of its own are known: ``greedy`` names 2, ``number:N`` names N."""
    registry.usual_agent()  # the first game's bots register when they are first asked for
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(games, "_games", dict(games._games))
        patch.setattr(registry, "_registered", dict(registry._registered))
        games.register_game(GAME, make=_make, read_rules=_read_rules, players=(3,))
        registry.register_agents(
            GAME,
            {
                "greedy": Kind(lambda argument, game: Always(2)),
                "number": Kind(lambda argument, game: Always(int(argument or 0)), "NUMBER"),
            },
            usual="greedy",
        )
        yield
    registry.standard_policies.cache_clear()
