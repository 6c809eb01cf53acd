"""``jerusalem train`` from outside: a whole run, killed and resumed, and its messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from agents.registry import make_agent
from jerusalem_env.jerusalem.game import JerusalemGame
from training.checkpoint_folders import complete_checkpoints as checkpoints
from training.selfplay.command import main

_TINY = [
    "--players", "2", "--seed", "3",
    "--set", "games.slots=16",
    "--set", "games.ticks=32",
    "--set", "ppo.batch_size=256",
    "--set", "network.shared=[32]",
    "--set", "network.policy=[32]",
    "--set", "network.value=[16]",
    "--set", "warm_start.decisions=0",
    "--set", "opponents.past_every=1000",
    "--set", "evaluation.final_deals=4",
    "--set", 'evaluation.tables=[["greedy"]]',
]  # fmt: skip


def _network(folder):
    return (checkpoints(folder / "checkpoints")[-1] / "network.pt").read_bytes()


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_run__leaves_agent_card_history_and_curves(tmp_path, capsys):
    folder = tmp_path / "run"
    assert main([*_TINY, "--decisions", "3000", "--out", str(folder), "--profile"]) == 0
    shown = capsys.readouterr().out
    assert "learned decisions per second" in shown
    assert "of the time in the network" in shown
    assert "against greedy" in shown
    game = JerusalemGame(2)
    agent = make_agent(f"ppo:{folder / 'agent.zip'}", game)
    states, masks = game.new_states(5), np.zeros((5, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(0, 5, 0), masks)
    actions = agent.act(game.views(states), masks)
    assert masks[np.arange(5), actions].all()
    card = (folder / "card.md").read_text()
    assert "| greedy |" in card
    about = json.loads((folder / "card.json").read_text())
    assert about["decisions"] >= 3000
    assert about["evaluation"][0]["deals"] == 4
    history = _lines(folder / "history.jsonl")
    assert [line["decisions"] for line in history] == sorted(line["decisions"] for line in history)
    assert {"value_loss", "approx_kl", "wins", "decisions_per_second"} <= set(history[-1])
    assert list((folder / "tensorboard").iterdir())
    # A folder with a run in it is not overwritten.
    assert main([*_TINY, "--decisions", "3000", "--out", str(folder)]) == 2
    assert "--resume" in capsys.readouterr().err


@pytest.mark.slow
def test_killed__goes_on_from_the_last_checkpoint_to_the_same_end(tmp_path, capsys):
    """Killed at any moment, and resumed until it is done: the network of an undisturbed run."""
    decisions = 12_000
    undisturbed = tmp_path / "one"
    assert main([*_TINY, "--decisions", str(decisions), "--out", str(undisturbed)]) == 0
    killed = tmp_path / "two"
    arguments = [*_TINY, "--set", "checkpoints.minutes=0", "--decisions", str(decisions)]
    command = [sys.executable, "-c", "import sys; from training.selfplay.command import main; "
               "sys.exit(main(sys.argv[1:]))"]  # fmt: skip
    out = ["--out", str(killed)]
    process = subprocess.Popen([*command, *arguments, *out], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 240
    while len(checkpoints(killed / "checkpoints")) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    found = checkpoints(killed / "checkpoints")
    assert found
    assert int(found[-1].name) < decisions
    assert main(["--resume", *out]) == 0
    assert _network(killed) == _network(undisturbed)
    kept = [line["decisions"] for line in _lines(killed / "history.jsonl")]
    assert kept == [line["decisions"] for line in _lines(undisturbed / "history.jsonl")]
    capsys.readouterr()


@pytest.mark.slow
def test_interrupt__saves_and_says_how_to_go_on(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-c", "import sys; from training.selfplay.command import main; "
               "sys.exit(main(sys.argv[1:]))"]  # fmt: skip
    process = subprocess.Popen(
        [*command, *_TINY, "--decisions", "100000000", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 240
    while not (folder / "history.jsonl").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    shown, told = process.communicate(timeout=120)
    assert process.returncode == 130, told
    assert "go on with --resume" in shown
    assert "stopping after this update" in told
    assert int(checkpoints(folder / "checkpoints")[-1].name) > 0


def test_resume__only_some_settings_may_change(tmp_path, capsys):
    folder = tmp_path / "run"
    assert main([*_TINY, "--decisions", "600", "--out", str(folder)]) == 0
    again = ["--resume", "--out", str(folder)]
    assert main([*again, "--set", "ppo.epochs=1"]) == 2
    assert "cannot change in a run that goes on" in capsys.readouterr().err
    assert main([*again, "--seed", "9"]) == 2
    assert main([*again, "--decisions", "1500"]) == 0
    assert json.loads((folder / "card.json").read_text())["decisions"] >= 1500


def test_begin__with_another_agent(tmp_path, capsys):
    first = tmp_path / "first"
    assert main([*_TINY, "--decisions", "600", "--out", str(first)]) == 0
    agent = f"warm_start.agent={first / 'agent.zip'}"
    second = tmp_path / "second"
    arguments = [*_TINY, "--decisions", "600", "--set", agent]
    assert main([*arguments, "--out", str(second)]) == 0
    assert "begun with" in (second / "card.md").read_text()
    third = tmp_path / "third"
    both = [str(folder / "agent.zip") for folder in (first, second)]
    started = ["--set", f"warm_start.mean_of={json.dumps(both)}", "--set", "ppo.learning_rate=1e-9"]
    started += ["--set", "ppo.final_learning_rate=0"]
    assert main([*_TINY, "--decisions", "1", *started, "--out", str(third)]) == 0
    game = JerusalemGame(2)
    weights = [
        make_agent(f"ppo:{folder / 'agent.zip'}", game).model.policy.state_dict()  # type: ignore[attr-defined]
        for folder in (first, second, third)
    ]
    assert any(not torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    for name, weight in weights[2].items():
        mean = (weights[0][name] + weights[1][name]) / 2
        assert torch.allclose(weight, mean, rtol=0, atol=1e-5), name
    assert "the mean of the weights of" in (third / "card.md").read_text()
    fourth = ["--out", str(tmp_path / "fourth"), "--set", "network.shared=[8]"]
    assert main([*arguments, *fourth]) == 2
    assert "another network" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "7"], "2, 3 or 4"),
        (["--set", "opponents.tables=[{share=0.5, bots=['nobody']}]"], "unknown agent 'nobody'"),
        (["--resume"], "no checkpoint to resume from"),
        (["--set", "warm_start.agent=none.zip"], "none.zip"),
        (
            ["--set", "warm_start.agent=none.zip", "--set", "warm_start.mean_of=['a', 'b']"],
            "warm_start.mean_of must be empty beside warm_start.agent",
        ),
    ],
)
def test_errors__are_told_in_a_line(tmp_path, capsys, arguments, message):
    assert main([*arguments, "--out", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told
