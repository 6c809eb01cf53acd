"""Networks and games for the tests of training on RLlib; nothing here needs Ray."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from jerusalem_env import RuleSet
from jerusalem_env.game import Game
from jerusalem_env.jerusalem.game import JerusalemGame
from training.rllib.export import write_agent


def short_game(players: int = 2, reward: str = "win") -> JerusalemGame:
    """Jerusalem over one round: a module-level function, as RLlib's configurations want."""
    return JerusalemGame(rules=RuleSet(players=players, rounds=1), reward=reward)


def watched_game(players: int = 2, most: int = 20) -> JerusalemGame:
    """Jerusalem that its watchdog stops early."""
    return _Watched(players, most)


class _Watched(JerusalemGame):
    """Its records carry another limit of decisions."""

    def __init__(self, players: int, most: int) -> None:
        super().__init__(players=players)
        self._most = most

    def reset(self, states: np.ndarray, seeds: np.ndarray, masks: np.ndarray) -> None:
        super().reset(states, seeds, masks)
        states["decision_limit"] = self._most


def random_arrays(
    game: Game, hidden: tuple[int, ...] = (8,), seed: int = 0
) -> dict[str, np.ndarray]:
    """The arrays of an untrained agent."""
    rng = np.random.default_rng(seed)
    sizes = (game.observation_size, *hidden, game.num_actions)
    arrays = {
        "mean": rng.random(sizes[0], dtype=np.float32),
        "factor": 1.0 + rng.random(sizes[0], dtype=np.float32),
    }
    for layer, (wide, narrow) in enumerate(pairwise(sizes)):
        arrays[f"weight_{layer}"] = rng.normal(size=(narrow, wide)).astype(np.float32)
        arrays[f"bias_{layer}"] = rng.normal(size=narrow).astype(np.float32)
    return arrays


def write_random(path: Path, game: Game, **changes: np.ndarray) -> dict[str, np.ndarray]:
    """Write an untrained agent, some arrays replaced; returns its arrays."""
    arrays = {**random_arrays(game), **changes}
    write_agent(path, arrays, game, {"players": game.players}, {"decisions": 0})
    return arrays
