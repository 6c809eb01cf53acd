"""A policy trained on RLlib (``training/rllib``) as an agent. Playing it needs numpy alone.

The file is a ``.npz`` without pickles, so reading one runs nothing from it:

- ``about``, a JSON text: ``format`` and its ``version``, ``game`` (name), ``settings`` of the game,
  ``players``, ``observation_size``, ``num_actions``, and facts about the training
- ``mean``, ``factor`` (F,) float32: inputs are ``(observation - mean) * factor``, clipped at
  ``INPUT_CLIP``
- ``weight_i`` (out, in), ``bias_i`` (out,) float32 for i = 0, 1, ...: linear layers, ReLU between
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from jerusalem_env.envs.opponents import Judgement
from jerusalem_env.game import Game

from .base import AgentError, require_masks
from .learned import choose, probabilities

FORMAT = "jerusalem-env rllib agent"
VERSION = 1
INPUT_CLIP = 8.0  # standard deviations: what is rarer is no larger to the network

# What numpy raises for a file that is no archive of arrays, or a damaged one.
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile)


class RLlibAgent:
    """Plays the exported policy of an RLlib training.

    Parameters
    ----------
    path : str or Path
    game : Game
        Encodes the views; it must be the game that was trained on, with as many players,
        observation entries and actions.
    deterministic : bool
        The most probable legal action, or one drawn from the policy.

    Raises
    ------
    AgentError
        If the file cannot be read, or was trained on another game; from ``act``, without masks or
        when the network gives NaN (P3, P8).
    """

    def __init__(self, path: str | Path, game: Game, deterministic: bool = True) -> None:
        path = Path(path)
        self.name = f"rllib:{path.stem}"
        self.about, arrays = read_agent(path)
        self.game = game
        self.deterministic = deterministic
        self._mean, self._factor = arrays["mean"], arrays["factor"]
        self._layers = layers_of(arrays)
        self._rng = np.random.default_rng(0)
        trained = tuple(
            self.about.get(key) for key in ("game", "players", "observation_size", "num_actions")
        )
        fits = (game.name, game.players, game.observation_size, game.num_actions)
        if trained != fits or self.sizes != (game.observation_size, game.num_actions):
            raise AgentError(
                f"{path}: trained on {_told(*trained)}, but this is {_told(*fits)}; use the game "
                f"(players, information) it was trained on: {self.about.get('settings')}"
            )

    @property
    def sizes(self) -> tuple[int, int]:
        """Entries of the network's input and output."""
        return self._layers[0][0].shape[1], self._layers[-1][0].shape[0]

    def reset(self, seed: int) -> None:
        """Restart the generator that draws from the policy."""
        self._rng = np.random.default_rng(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions."""
        legal = require_masks(views, masks, self.game.num_actions).astype(np.bool_)
        draws = None if self.deterministic else self._rng.random(len(views))
        return choose(self.logits(self.game.encode(views)), legal, draws)

    def judge(self, views: np.ndarray, masks: np.ndarray) -> Judgement:
        """Its probabilities of each action; the file holds no value network."""
        legal = require_masks(views, masks, self.game.num_actions).astype(np.bool_)
        logits = self.logits(self.game.encode(views))
        return Judgement(probabilities(logits, legal), None, "")

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """(B, A) float64 unmasked logits for (B, F) float32 observations."""
        amounts = (observations - self._mean) * self._factor
        values = np.clip(amounts, -INPUT_CLIP, INPUT_CLIP)
        # Weights that are not finite give NaN or infinite logits, of which ``choose`` has its say.
        with np.errstate(over="ignore", invalid="ignore"):
            for weight, bias in self._layers[:-1]:
                values = np.maximum(values @ weight.T + bias, np.float32(0.0))
            weight, bias = self._layers[-1]
            return (values @ weight.T + bias).astype(np.float64)


def _told(name: Any, players: Any, size: Any, actions: Any) -> str:
    return f"{name} for {players} players with observations ({size},) and {actions} actions"


def read_agent(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a file says about its agent, and its arrays.

    Raises
    ------
    AgentError
        If it is no agent's file, of a newer version, or its arrays do not fit each other.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(str(arrays.pop("about")))
    except _UNREADABLE as error:
        reason = str(error).partition("\n")[0]
        raise AgentError(
            f"cannot load the agent {path}: {reason}. Give the agent.npz that `jerusalem rllib` "
            "writes, not RLlib's checkpoint folder"
        ) from error
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise AgentError(f"{path} is no agent of `jerusalem rllib`")
    if about.get("version") != VERSION:
        raise AgentError(
            f"{path} has version {about.get('version')!r} of its format, this package reads "
            f"{VERSION}; use the package that wrote it"
        )
    _check_arrays(path, arrays)
    return about, arrays


def layers_of(arrays: Mapping[str, np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
    """(weight, bias) of each layer, from the input on."""
    count = sum(name.startswith("weight_") for name in arrays)
    return [(arrays[f"weight_{layer}"], arrays[f"bias_{layer}"]) for layer in range(count)]


def _check_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that make no network."""
    try:
        layers = layers_of(arrays)
        inputs = (arrays["mean"].shape, arrays["factor"].shape)
    except KeyError as error:
        raise AgentError(f"{path} is damaged: it lacks {error}") from error
    fits = (
        bool(layers)
        and all(array.dtype == np.float32 for array in arrays.values())
        and all(weight.ndim == 2 and bias.shape == weight.shape[:1] for weight, bias in layers)
        and all(after[0].shape[1] == before[0].shape[0] for before, after in pairwise(layers))
        and inputs == ((layers[0][0].shape[1],),) * 2
    )
    if not fits:
        shapes = {name: array.shape for name, array in sorted(arrays.items())}
        raise AgentError(f"{path} is damaged: its arrays make no network: {shapes}")
