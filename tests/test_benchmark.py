"""`jerusalem bench`, the comparison of commits and `jerusalem warmup`: what they say is true."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jerusalem_env import cli, jerusalem_v0
from jerusalem_env.jerusalem.game import JerusalemGame
from training import warmup
from training.benchmark import command, compare, forms, limits, report
from training.benchmark.measure import Figure, Run, Workload, measure

QUICK = ["--games", "8", "--sizes", "1,2", "--seconds", "0.05", "--repeats", "1", "--no-start"]


# --- measuring --------------------------------------------------------------------------------
def fixed(decisions: list[int], log: list[str], name: str) -> Workload:
    """A workload that takes exactly a second a run."""
    left = iter(decisions)

    def prepare() -> Run:
        def run(seconds: float) -> tuple[int, int, float]:
            log.append(name)
            return next(left), 7, 1.0

        return run

    return Workload("batch", name, "made up", prepare)


def test_measure__runs_in_turn_and_drops_the_warm_up() -> None:
    log: list[str] = []
    work = [fixed([1000, 3, 1, 2], log, "a"), fixed([9, 30, 10, 20], log, "b")]
    figures = list(measure(work, 0.1, 3))
    assert log == ["a", "b"] * 4
    assert [(f.median, f.lowest, f.highest, f.games) for f in figures] == [
        (2, 1, 3, 7),
        (20, 10, 30, 7),
    ]


def test_measure__tells_and_leaves_out_what_fails() -> None:
    def broken() -> Run:
        raise ImportError("no such library")

    told: list[str] = []
    work = [Workload("peers", "absent", "any", broken), fixed([1, 2], [], "a")]
    assert [f.name for f in measure(work, 0.1, 1, told.append)] == ["a"]
    assert any("absent" in text and "no such library" in text for text in told)


@pytest.mark.slow  # several forms of play, to compile
@pytest.mark.parametrize(
    "workload", forms.workloads(16, (1, 3)), ids=lambda w: f"{w.name}, {w.mode}"
)
def test_forms__all_run_and_finish_games(workload: Workload) -> None:
    run = workload.prepare()
    decisions = games = 0
    for _ in range(400):
        more, finished, seconds = run(0.02)
        assert seconds >= 0.02
        decisions += more
        games += finished
        if games:
            break
    # 475 decisions a game at random, a quarter of them the learner's; greedy bots take fewer.
    # A search finishes a game in every simulation of one decision.
    assert games > 0
    assert decisions / games > 10 if workload.name != "mcts" else games > 100 * decisions


def test_forms__count_the_decisions_that_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = {"aec": 0}
    step = jerusalem_v0.raw_env.step

    def counting(self: Any, action: Any) -> None:
        taken["aec"] += 1
        step(self, action)

    monkeypatch.setattr(jerusalem_v0.raw_env, "step", counting)
    decisions, games, _ = forms.aec_run("jerusalem_v0", 0)(0.3)
    assert decisions == taken["aec"]
    assert games > 0


# --- the command --------------------------------------------------------------------------------
@pytest.mark.slow
def test_bench__prints_tables_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, tables = tmp_path / "figures.json", tmp_path / "figures.md"
    wanted = ["--only", "batch"]
    assert cli.main(["bench", *QUICK, *wanted, "--json", str(path), "--markdown", str(tables)]) == 0
    out = capsys.readouterr().out
    written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert {"machine", "figures", "limits", "state_bytes"} <= set(written)
    assert {"cpu", "threads", "python", "numpy", "numba"} <= set(written["machine"])
    assert written["state_bytes"] == JerusalemGame.state_dtype.itemsize < 2048
    shown = out.splitlines()
    for figure in written["figures"]:
        assert 0 < figure["lowest"] <= figure["median"] <= figure["highest"]
        assert any(
            figure["name"] in line and figure["mode"] in line and f"{figure['median']:,.0f}" in line
            for line in shown
        )
    assert {figure["group"] for figure in written["figures"]} == {"batch", "batch size", "forms"}
    assert len(tables.read_text(encoding="utf-8").splitlines()) > len(written["figures"])
    for limit in written["limits"]:
        assert limit["limit"] == pytest.approx(limit["bandwidth"] / limit["bytes"])
        assert limit["share"] == pytest.approx(limit["reached"] / limit["limit"])
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["figures.json", "figures.md"]


def test_bench__without_json_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command.main([*QUICK, "--only", "AEC"]) == 0
    assert "AEC raw_env" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [
        ["--games", "0"],
        ["--seconds", "0"],
        ["--repeats", "0"],
        ["--games", "many"],
        ["--sizes", "1,two"],
        ["--sizes", "0"],
        ["--fast"],
    ],
)
def test_bench__refuses_bad_options(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(wrong)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert wrong[0] in err


def test_report__shows_every_figure_once() -> None:
    figures = [
        Figure("batch", "fast", "1 thread", 1234567.8, 1.0, 2e6, 2600.0, 3),
        Figure("peers", "slow", "loop", 12.34, 11.0, 13.0, 0.5, 3),
    ]
    text, table = report.text(figures), report.markdown(figures)
    assert "1,234,568" in text
    assert "1.0 to 2,000,000" in text
    assert text.index("Batch of all seats") < text.index("fast") < text.index("Beside other")
    assert "| slow | loop | 12.3 | 11.0 to 13.0 | 0.5 |" in table


def test_limits__count_what_a_decision_writes() -> None:
    game = JerusalemGame()
    batch = game.new_batch(10)
    written = batch.observations.nbytes + batch.masks.nbytes + batch.rewards.nbytes
    written += batch.terminated.nbytes + batch.truncated.nbytes
    assert limits.bytes_per_decision(game, 4) == written / 10
    assert limits.write_bandwidth(1.0, 1, repeats=2) > 1e6


@pytest.mark.slow
def test_start__is_measured_in_a_process_of_its_own() -> None:
    assert 0 < command.start_seconds(None) < 120


# --- two commits --------------------------------------------------------------------------------
def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(compare.ROOT), *arguments], capture_output=True, text=True, check=False
    )


def test_compare__a_commit_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main(["no-such-commit", "--rounds", "1"]) == 2
    assert "no-such-commit" in capsys.readouterr().err


@pytest.mark.slow
def test_compare__measures_both_and_fails_when_slower(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if git("rev-parse", "HEAD").returncode != 0:
        pytest.skip("not a git checkout")
    path = tmp_path / "ratios.json"
    quick = ["HEAD", "--only", "AEC", "--seconds", "0.1", "--rounds", "2", "--json", str(path)]
    assert compare.main([*quick, "--least", "0.01"]) == 0
    written = json.loads(path.read_text(encoding="utf-8"))["results"]["AEC raw_env"]
    assert len(written["base"]) == len(written["head"]) == 2
    assert written["ratios"] == pytest.approx(np.divide(written["head"], written["base"]))
    assert "AEC raw_env" in capsys.readouterr().out
    assert compare.main([*quick, "--least", "1000"]) == 1
    assert "slower than 1000.0: AEC raw_env" in capsys.readouterr().out


# --- warming up ---------------------------------------------------------------------------------
@pytest.mark.slow
def test_warmup__leaves_nothing_to_compile(tmp_path: Path) -> None:
    """Compiled once; a second run, and first uses in other processes, find everything there."""

    def run(*code: str) -> str:
        done = subprocess.run(
            [sys.executable, *code],
            env={**os.environ, "JERUSALEM_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout + done.stderr

    forms_used = ("raw_env", "batch_env", "against greedy", "bots at all seats")
    arguments = ("-m", "jerusalem_env.cli", "warmup", "--players", "2", "--only", *forms_used)
    first = run(*arguments)
    assert str(tmp_path) in first
    assert "compiled 1 in" in first
    second = run(*arguments)
    assert "0 functions compiled" in second
    assert "compiled 1 in" not in second
    use = (
        "import gymnasium, jerusalem_env\n"
        "from jerusalem_env import jerusalem_v0\n"
        "for n in (8, 256):\n"
        "    e = jerusalem_v0.batch_env(n, players=2); m = e.reset(seed=0)[1]\n"
        "    e.step(m.argmax(axis=1))\n"
        "    v = gymnasium.make_vec('Jerusalem-v0', num_envs=n, players=2, opponents='greedy')\n"
        "    v.reset(seed=0)\n"
        "a = jerusalem_v0.env(players=2); a.reset(seed=0); a.last()\n"
        "from agents.registry import make_agent\n"
        "from training.evaluate import evaluate\n"
        "evaluate(make_agent('expert'), [make_agent('random')], v.unwrapped.tables.game, 2, 0)\n"
    )
    assert run("-c", use) == ""


def test_warmup__covers_every_form_of_use() -> None:
    names = [name for name, _ in warmup.tasks((2, 4), ("screen", "recall"))]
    for part in ("raw_env", "views", "batch_env, uint8", "against random and greedy, uint8"):
        for where in ("2 players, screen", "4 players, recall"):
            assert any(name.startswith(where) and part in name for name in names)
    assert len(names) == len(set(names))
