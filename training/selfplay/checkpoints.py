"""Checkpoints of a training: complete or not there at all, and enough to go on bit for bit.

A run's folder has one folder a checkpoint, named by the decisions learned from, which it gets when
all of its files are on disk: see ``training.checkpoint_folders``.
"""

from __future__ import annotations

import json
import os
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.learned import UNREADABLE
from jerusalem_env import __version__

from ..benchmark.measure import machine
from ..checkpoint_folders import new_checkpoint, put_in_place
from ..files import write_arrays, write_json
from .ppo import FrozenPolicy, SelfPlayPPO

_LIBRARIES = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib", "jerusalem-env")

# What numpy, torch and json raise for files that are damaged or of another training.
_UNREADABLE = (*UNREADABLE, zlib.error)


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or of another game or network."""


def provenance() -> dict[str, Any]:
    """What made a checkpoint: code version (git commit if there is one), libraries, machine."""
    code: dict[str, Any] = {"version": __version__, "commit": None, "changed": None}
    here = Path(__file__).resolve().parents[2]
    try:
        # An installed package may lie inside of somebody else's repository.
        if Path(_git(here, "rev-parse", "--show-toplevel")).resolve() == here:
            commit = _git(here, "rev-parse", "HEAD")
            code.update(commit=commit, changed=bool(_git(here, "status", "--porcelain", "-uno")))
    except (OSError, subprocess.CalledProcessError):
        pass  # no git
    about = machine(_LIBRARIES)
    if torch.cuda.is_available():
        about["gpu"] = torch.cuda.get_device_name()
    return {"code": code, "machine": about}


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def save_checkpoint(folder: Path, model: SelfPlayPPO, about: dict[str, Any]) -> Path:
    """Write a checkpoint into ``folder``; returns its path.

    Call it between an update and the next rollout, when nothing is half done.

    Parameters
    ----------
    folder : Path
        Of all checkpoints of a run.
    model : SelfPlayPPO
    about : dict
        JSON-able, kept in it: config, provenance, and what the run needs to go on.
    """
    games = model.games
    partial, target = new_checkpoint(folder, model.num_timesteps)
    partial.mkdir()
    torch.save(
        {
            "policy": model.policy.state_dict(),
            "optimiser": model.policy.optimizer.state_dict(),
        },
        partial / "network.pt",
    )
    for index, past in enumerate(games.pool.past):
        assert isinstance(past.policy, FrozenPolicy)
        torch.save(past.policy.policy.state_dict(), partial / f"past_{index}.pt")
    arrays = {f"games.{name}": array for name, array in games.snapshot().items()}
    arrays |= {f"buffer.{name}": x for name, x in model.rollout_buffer.snapshot().items()}
    write_arrays(partial / "arrays.npz", arrays)
    state = {
        "decisions": model.num_timesteps,
        "num_games": model.num_games,
        "updates": model._n_updates,
        "seconds": model.seconds,
        "past": [past.decisions for past in games.pool.past],
        "generators": {
            "actions": model.rng.bit_generator.state,
            "games": games.rng.bit_generator.state,
            "minibatches": model.rollout_buffer.rng.bit_generator.state,
        },
        "about": about,
    }
    write_json(partial / "state.json", state)
    model.save_agent(partial / "agent.zip")
    for path in partial.iterdir():  # on disk before it has its name
        with open(path, "rb") as file:
            os.fsync(file.fileno())
    put_in_place(partial, target)
    return target


def read_about(checkpoint: Path) -> dict[str, Any]:
    """What was said about a checkpoint when it was saved. Raises CheckpointError."""
    try:
        about: dict[str, Any] = _read_state(checkpoint)["about"]
    except KeyError as error:
        raise CheckpointError(f"the checkpoint {checkpoint} lacks {error}") from error
    return about


def load_checkpoint(checkpoint: Path, model: SelfPlayPPO) -> None:
    """Go on from a checkpoint: everything that the training depends on is as it was.

    Raises
    ------
    CheckpointError
        If it cannot be read, or is of another game, network or number of slots.
    """
    state = _read_state(checkpoint)
    games = model.games
    try:
        network = torch.load(
            checkpoint / "network.pt", map_location=model.device, weights_only=True
        )
        model.policy.load_state_dict(network["policy"])
        model.policy.optimizer.load_state_dict(network["optimiser"])
        games.reset()  # before past policies can take part in its draws
        games.pool.past.clear()
        for index, decisions in enumerate(state["past"]):
            frozen = FrozenPolicy(model.policy)
            path = checkpoint / f"past_{index}.pt"
            frozen.policy.load_state_dict(
                torch.load(path, map_location=model.device, weights_only=True)
            )
            games.pool.add_past(decisions, frozen)
        with open(checkpoint / "arrays.npz", "rb") as raw, np.load(raw) as file:
            arrays = {name: file[name] for name in file.files}
        _check_sizes(arrays, games.num_envs)
        games.restore(_part(arrays, "games."), state["generators"]["games"])
        model.rollout_buffer.restore(_part(arrays, "buffer."))
        model.rollout_buffer.rng.bit_generator.state = state["generators"]["minibatches"]
        model.rng.bit_generator.state = state["generators"]["actions"]
        model.num_timesteps = int(state["decisions"])
        model.num_games = int(state["num_games"])
        model._n_updates = int(state["updates"])
        model.seconds = dict(state["seconds"])
    except _UNREADABLE as error:
        reason = str(error).partition("\n")[0]
        raise CheckpointError(
            f"cannot go on from {checkpoint}: {reason}. It needs the config it was trained with; "
            "to start anew choose another folder with --out"
        ) from error
    model._last_obs = games.observations  # so that learn() does not deal anew


def _check_sizes(arrays: dict[str, np.ndarray], slots: int) -> None:
    """Refuse arrays of another number of slots; a single one would spread over all."""
    found = len(arrays["games.states"])
    if found != slots:
        raise ValueError(f"it has {found} slots, the config {slots}")


def _part(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, np.ndarray]:
    return {name[len(prefix) :]: x for name, x in arrays.items() if name.startswith(prefix)}


def _read_state(checkpoint: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads((checkpoint / "state.json").read_text("utf-8"))
        return content
    except (OSError, ValueError) as error:
        raise CheckpointError(f"cannot read the checkpoint {checkpoint}: {error}") from error
