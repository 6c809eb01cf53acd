"""What the tests of self-play share."""

from __future__ import annotations

from typing import Any

import numpy as np

from jerusalem_env.game import Game
from jerusalem_env.jerusalem.game import JerusalemGame
from training.selfplay.games import SelfPlayGames
from training.selfplay.opponents import OpponentPool
from training.selfplay.ppo import SelfPlayPPO

SMALL: dict[str, Any] = {
    "n_steps": 40,
    "batch_size": 256,
    "n_epochs": 2,
    "gamma": 1.0,
    "learning_rate": 3e-4,
    "policy_kwargs": {
        "features_extractor_kwargs": {"layers": (32,)},
        "net_arch": {"pi": [32], "vf": [16]},
    },
    "device": "cpu",
}


def small_model(
    game: Game | None = None,
    num_games: int = 16,
    seed: int = 0,
    pool: OpponentPool | None = None,
    **changes: Any,
) -> SelfPlayPPO:
    """A model that learns in a moment."""
    games = SelfPlayGames(game or JerusalemGame(2), num_games, seed=seed, pool=pool)
    return SelfPlayPPO("MlpPolicy", games, seed=seed, **{**SMALL, **changes})


def random_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(B,) uniformly drawn legal actions."""
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks], dtype=np.int64)


def weights_of(model: SelfPlayPPO) -> bytes:
    """All weights, bit for bit."""
    return b"".join(x.detach().numpy().tobytes() for x in model.policy.state_dict().values())
