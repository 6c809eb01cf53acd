"""The exported agent: its file, what it refuses, and that it plays legally. Ray is not needed."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.base import Agent, AgentError
from agents.registry import make_agent
from agents.rllib import FORMAT, INPUT_CLIP, VERSION, RLlibAgent
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.rllib.equipment import random_arrays, write_random
from training.evaluate import main, play


@pytest.mark.parametrize("players", [2, 3, 4])
def test_agent__plays_legally_to_the_end(tmp_path: Path, players: int) -> None:
    game = JerusalemGame(players=players)
    write_random(tmp_path / "agent.npz", game)
    agent = make_agent(f"rllib:{tmp_path / 'agent.npz'}", game)
    assert isinstance(agent, Agent)
    assert agent.name == "rllib:agent"
    seeds = game.derive_seeds(4, 12, 0)
    states = play(game, [agent], np.zeros((12, players), np.int64), seeds)
    assert game.terminated(states).all()


def test_agent__computes_what_torch_computes(tmp_path: Path) -> None:
    import torch

    game = JerusalemGame(players=2)
    arrays = write_random(tmp_path / "agent.npz", game)
    agent = RLlibAgent(tmp_path / "agent.npz", game)
    seen = np.random.default_rng(1).random((5, game.observation_size), dtype=np.float32)
    tensors = {name: torch.as_tensor(array) for name, array in arrays.items()}
    values = (torch.as_tensor(seen) - tensors["mean"]) * tensors["factor"]
    values = values.clamp(-INPUT_CLIP, INPUT_CLIP)
    values = torch.relu(values @ tensors["weight_0"].T + tensors["bias_0"])
    values = values @ tensors["weight_1"].T + tensors["bias_1"]
    np.testing.assert_allclose(agent.logits(seen), values.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("deterministic", [True, False])
def test_agent__is_legal_with_an_extreme_network_and_refuses_nan(
    tmp_path: Path, deterministic: bool
) -> None:
    """P3: the illegal actions get the highest logits, and infinite ones."""
    game = JerusalemGame(players=3)
    states, masks = game.new_states(64), np.zeros((64, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(0, 64, 0), masks)
    rows, views = np.arange(64), game.views(states)
    path = tmp_path / "agent.npz"
    for high in (1e9, -1e9, np.inf):
        bias = np.where(masks[0] != 0, -high, high).astype(np.float32)
        write_random(path, game, bias_1=bias)
        agent = RLlibAgent(path, game, deterministic)
        assert (masks[rows, agent.act(views, masks)] == 1).all()
    write_random(path, game, bias_1=np.full(game.num_actions, np.nan, np.float32))
    with pytest.raises(AgentError, match="NaN"):
        RLlibAgent(path, game, deterministic).act(views, masks)


def test_agent__refuses_missing_masks(tmp_path: Path) -> None:
    """P8."""
    game = JerusalemGame(players=2)
    write_random(tmp_path / "agent.npz", game)
    agent = RLlibAgent(tmp_path / "agent.npz", game)
    states, masks = game.new_states(2), np.zeros((2, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(0, 2, 0), masks)
    with pytest.raises(AgentError, match="masks"):
        agent.act(game.views(states), None)  # type: ignore[arg-type]
    with pytest.raises(AgentError, match="row 0"):
        agent.act(game.views(states), np.zeros_like(masks))


def test_agent__sampling_is_seeded(tmp_path: Path) -> None:
    game = JerusalemGame(players=2)
    write_random(tmp_path / "agent.npz", game, weight_1=np.zeros((309, 8), np.float32))
    agent = RLlibAgent(tmp_path / "agent.npz", game, deterministic=False)
    states, masks = game.new_states(64), np.zeros((64, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(0, 64, 0), masks)
    views, chosen = game.views(states), []
    for seed in (1, 1, 2):
        agent.reset(seed)
        chosen.append(agent.act(views, masks).tolist())
    assert chosen[0] == chosen[1] != chosen[2]


def test_agent__chooses_the_same_under_any_redeal(tmp_path: Path) -> None:
    """P13."""
    game = JerusalemGame(players=4)
    write_random(tmp_path / "agent.npz", game)
    agent, rng = RLlibAgent(tmp_path / "agent.npz", game), np.random.default_rng(0)
    states, masks = game.new_states(20), np.zeros((20, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(1, 20, 0), masks)
    for _ in range(60):
        views = game.views(states)
        actions = agent.act(views, masks)
        again = game.views(game.redeal(views, rng), np.zeros(20, np.int64))
        np.testing.assert_array_equal(agent.act(again, masks), actions)
        assert game.step(states, actions, masks) == -1


@pytest.mark.parametrize(
    "other",
    [
        JerusalemGame(players=3),
        JerusalemGame(players=2, information="recall"),
    ],
)
def test_agent__refuses_another_game_and_says_which_it_needs(
    tmp_path: Path, other: JerusalemGame
) -> None:
    path = tmp_path / "agent.npz"
    write_random(path, JerusalemGame(players=2))
    with pytest.raises(AgentError, match=r"trained on .* 2 players .* \(215,\).*use the game"):
        make_agent(f"rllib:{path}", other)


def test_agent__refuses_a_network_that_does_not_fit_what_the_file_says(tmp_path: Path) -> None:
    game = JerusalemGame(players=2)
    path = tmp_path / "agent.npz"
    other = random_arrays(JerusalemGame(players=3))
    write_random(path, game, **other)
    with pytest.raises(AgentError, match="trained on"):
        RLlibAgent(path, game)


def damaged(kind: str, whole: Path, path: Path) -> None:
    """Write a damaged copy of an agent's file."""
    with np.load(whole) as archive:
        arrays: dict[str, Any] = {name: archive[name] for name in archive.files}
    about = json.loads(str(arrays["about"]))
    if kind == "text":
        path.write_text("not an agent")
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "cut":
        path.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    elif kind == "pickle":
        path.write_bytes(pickle.dumps(arrays))
    elif kind == "array":
        with open(path, "wb") as file:
            np.save(file, arrays["mean"])
    else:
        if kind == "object":
            arrays["bias_0"] = arrays["bias_0"].astype(object)
        elif kind == "layer":
            del arrays["bias_1"]
        elif kind == "no about":
            del arrays["about"]
        elif kind == "about":
            arrays["about"] = np.array("{")
        elif kind == "format":
            arrays["about"] = np.array(json.dumps({**about, "format": "another"}))
        elif kind == "version":
            arrays["about"] = np.array(json.dumps({**about, "version": VERSION + 1}))
        elif kind == "shape":
            arrays["weight_1"] = arrays["weight_1"][:, 1:]
        elif kind == "no layers":
            arrays = {name: arrays[name] for name in ("about", "mean", "factor")}
        with open(path, "wb") as file:
            np.savez(file, **arrays)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("missing", "cannot load the agent"),
        ("folder", "cannot load the agent"),
        ("text", "cannot load the agent"),
        ("empty", "cannot load the agent"),
        ("cut", "cannot load the agent"),
        ("pickle", "cannot load the agent"),
        ("object", "cannot load the agent"),
        ("array", "cannot load the agent"),
        ("about", "cannot load the agent"),
        ("no about", "cannot load the agent"),
        ("format", "is no agent"),
        ("version", "version 2"),
        ("layer", "lacks 'bias_1'"),
        ("shape", "make no network"),
        ("no layers", "make no network"),
    ],
)
def test_agent__refuses_a_damaged_file(tmp_path: Path, kind: str, says: str) -> None:
    game = JerusalemGame(players=2)
    whole, broken = tmp_path / "whole.npz", tmp_path / "broken.npz"
    write_random(whole, game)
    assert RLlibAgent(whole, game).about["format"] == FORMAT
    if kind == "folder":
        broken.mkdir()
    elif kind != "missing":
        damaged(kind, whole, broken)
    with pytest.raises(AgentError, match=says):
        make_agent(f"rllib:{broken}", game)


def test_agent__runs_nothing_from_a_pickle(tmp_path: Path) -> None:
    """A pickle that would write a file when it is read."""
    witness = tmp_path / "witness"

    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (witness,)

    game, whole, path = JerusalemGame(players=2), tmp_path / "a.npz", tmp_path / "trap.npz"
    write_random(whole, game)
    with np.load(whole) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays["mean"] = np.array([Trap()], dtype=object)
    with open(path, "wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(AgentError, match="cannot load"):
        RLlibAgent(path, game)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(AgentError, match="cannot load"):
        RLlibAgent(path, game)
    assert not witness.exists()


def test_registry__needs_a_path_and_a_game() -> None:
    for name, game in (("rllib:", JerusalemGame()), ("rllib:agent.npz", None)):
        with pytest.raises(AgentError, match="needs an agent's file"):
            make_agent(name, game)


def test_evaluate__plays_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "agent.npz"
    write_random(path, JerusalemGame(players=2))
    assert main([f"rllib:{path}", "random", "--players", "2", "--deals", "3"]) == 0
    assert "rllib:agent against random: wins" in capsys.readouterr().out


def test_agent__imports_neither_ray_nor_torch(tmp_path: Path) -> None:
    write_random(tmp_path / "agent.npz", JerusalemGame(players=2))
    name = f"rllib:{tmp_path / 'agent.npz'}"
    code = (
        "import sys\nfrom agents.registry import make_agent\n"
        "from jerusalem_env.jerusalem.game import JerusalemGame\n"
        f"make_agent({name!r}, JerusalemGame(players=2))\n"
        "print([name for name in ('ray', 'torch', 'stable_baselines3') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_command__says_which_extra_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from training.rllib import command

    monkeypatch.setitem(sys.modules, "ray", None)  # as if not installed
    monkeypatch.setitem(sys.modules, "ray.rllib", None)
    assert command.main(["--minutes", "1"]) == 1
    assert "pip install 'jerusalem-env[ray]'" in capsys.readouterr().err
