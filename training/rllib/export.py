"""Writing a trained policy to the one file that plays it without Ray: see ``agents/rllib.py``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents.rllib import FORMAT, VERSION
from jerusalem_env.game import Game

from ..files import write_arrays


def write_agent(
    path: Path,
    arrays: Mapping[str, np.ndarray],
    game: Game,
    settings: Mapping[str, Any],
    training: Mapping[str, Any],
) -> None:
    """Write an agent's file, under a temporary name first.

    Parameters
    ----------
    path : Path
        Ending in ``.npz``.
    arrays : mapping
        ``mean``, ``factor``, ``weight_i`` and ``bias_i`` as the format has them.
    game : Game
        What it was trained on.
    settings : mapping
        JSON-able: what the game was made of.
    training : mapping
        JSON-able facts to keep with it, such as the number of decisions.
    """
    about = {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "players": game.players,
        "observation_size": game.observation_size,
        "num_actions": game.num_actions,
        "settings": dict(settings),
        "rules": game.rules_dict(),
        "training": dict(training),
    }
    write_arrays(path, {**arrays, "about": np.array(json.dumps(about))})
