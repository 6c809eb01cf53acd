"""The command and its folder: reproducible, resumable, and plain about what is wrong."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jerusalem_env.records import read_records, replay
from training.arena import ratings, runner
from training.arena.blocks import GameResults
from training.arena.command import main
from training.arena.runner import Settings, fingerprint

AGENTS = ("greedy", "random")
DEALS = ("--deals", "70")  # three blocks


def results_of(folder: Path) -> str:
    """results.json without what differs from run to run."""
    content = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    del content["timing"]
    return json.dumps(content)


def run(folder: Path, *more: str, agents: Sequence[str] = AGENTS) -> int:
    return main([*agents, *DEALS, "--out", str(folder), *more])


@pytest.fixture(scope="module", autouse=True)
def _few_resamples() -> Iterator[None]:
    """The ratings' intervals take most of the time, and are not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "_RESAMPLES", 20)
        yield


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An arena played in one go on one thread."""
    folder = tmp_path_factory.mktemp("plain")
    assert run(folder, "--threads", "1") == 0
    return folder


def test_command__prints_tables_and_writes_results(
    plain: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(plain) == 0  # everything is there
    out = capsys.readouterr().out
    for expected in ("greedy above random", "wins by seat", "560 games on 70 deals", "admiral"):
        assert expected in out
    assert "rounds as admiral" not in out
    assert "rounds as admiral" in (plain / "results.md").read_text(encoding="utf-8")
    assert run(plain, "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["games"] == 560
    assert printed["timing"]["games"] == 0
    assert printed["settings"]["format"] == "duel"
    assert [x["name"] for x in printed["standings"]] == list(AGENTS)
    assert list(plain.rglob("*.partial")) == []


@pytest.mark.slow
@pytest.mark.parametrize("more", [("--threads", "2"), ("--workers", "2")])
def test_command__threads_and_workers_change_nothing(
    plain: Path, tmp_path: Path, more: tuple[str, str]
) -> None:
    assert run(tmp_path, *more) == 0
    assert results_of(tmp_path) == results_of(plain)


def test_command__seeds_differ(plain: Path, tmp_path: Path) -> None:
    assert run(tmp_path, "--seed", "1") == 0
    names = ("standings", "comparisons")
    found = [json.loads(results_of(folder)) for folder in (plain, tmp_path)]
    assert [found[0][name] for name in names] != [found[1][name] for name in names]


def test_command__goes_on_after_an_interruption(
    plain: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    real, played = runner.play_block, []

    def interrupted(*arguments: Any) -> tuple[GameResults, list[Any]]:
        if len(played) == 1:
            raise KeyboardInterrupt
        played.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(runner, "play_block", interrupted)
    assert run(tmp_path) == 130
    told = capsys.readouterr().err
    assert "1 of 3 blocks are kept" in told
    assert "goes on" in told
    assert not (tmp_path / "results.json").exists()
    monkeypatch.setattr(runner, "play_block", real)
    assert run(tmp_path) == 0
    assert "304 games played" in capsys.readouterr().out  # of 560: a block of 32 deals was there
    assert results_of(tmp_path) == results_of(plain)


def test_command__refuses_the_folder_of_another_arena(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ("--deals", "2", "--out", str(tmp_path))
    assert main([*AGENTS, *few]) == 0
    assert main([*AGENTS, *few, "--seed", "3"]) == 2
    told = capsys.readouterr().err
    assert "holds an arena that differs in seed;" in told
    assert "--restart" in told
    assert main([*AGENTS, *few, "--seed", "3", "--restart"]) == 0
    assert json.loads(results_of(tmp_path))["settings"]["seed"] == 3
    (tmp_path / "blocks" / "000000.npz").write_bytes(b"nothing")
    capsys.readouterr()
    assert main([*AGENTS, *few, "--seed", "3"]) == 2
    assert "000000.npz cannot be read" in capsys.readouterr().err
    (tmp_path / "fingerprint.json").write_text("{")
    assert main([*AGENTS, *few, "--seed", "3"]) == 2
    assert "fingerprint.json cannot be read" in capsys.readouterr().err
    (tmp_path / "fingerprint.json").unlink()
    assert main([*AGENTS, *few, "--seed", "3"]) == 2
    assert "blocks of an unknown arena" in capsys.readouterr().err
    beside = tmp_path / "blocks" / "notes.txt"
    beside.write_text("not ours")
    assert main([*AGENTS, *few, "--seed", "3", "--restart"]) == 0
    assert beside.exists()


def test_fingerprint__tells_checkpoints_apart_by_their_content(tmp_path: Path) -> None:
    class Learned:
        name = "learned"

        def reset(self, seed: int) -> None:
            """Nothing to restart."""

        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return masks.argmax(axis=1)

    path = tmp_path / "agent.zip"
    settings = Settings((f"ppo:{path}",), 4, "german", "screen", "table", 2, 0)
    found = []
    for content in (b"one", b"two", b"one"):
        path.write_bytes(content)
        found.append(fingerprint(settings, settings.game(), [Learned()]))
    assert found[0] == found[2] != found[1]
    json.dumps(found[0])


def test_records__replay_and_say_who_sat_where(tmp_path: Path) -> None:
    """Asked for afterwards: the blocks without records are played again, to the same results."""
    file = tmp_path / "games" / "all.jsonl"
    few = ["random", "greedy", "--players", "2", "--deals", "3", "--out", str(tmp_path / "arena")]
    assert main(few) == 0
    before = results_of(tmp_path / "arena")
    assert main([*few, "--records", str(file)]) == 0
    assert results_of(tmp_path / "arena") == before
    records = list(read_records(file))
    with open(file.with_name("all.seats.csv"), encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(records) == len(rows) == 6
    for record, row in zip(records, rows, strict=True):
        state = replay(record).states[0]
        assert {row["agent_0"], row["agent_1"]} == {"random", "greedy"}
        assert row[f"rank_{int(state['winner'])}"] == "1"
    assert [row["agent_0"] for row in rows] == ["random", "greedy"] * 3


def test_command__one_agent_plays_copies_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["greedy", "--deals", "2", "--players", "3"]) == 0
    assert "greedy (3)" in capsys.readouterr().out
    (folder,) = (tmp_path / "runs" / "arena").iterdir()
    assert folder.name.startswith("greedy-greedy-greedy-jerusalem-table-3p-2-seed0-")
    assert (folder / "results.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "unknown agent 'nobody'"),
        (["random", "--players", "5"], "players"),
        (["random", "--players", "0"], "players"),
        (["random", "--rules", "spanish"], "spanish"),
        (["random", "--seed", "-1"], "seed must be"),
        (["random", "--deals", "1"], "deals must be at least 2"),
        (["random", "greedy", "--format", "table"], "a table of 4 needs 4 agents, got 2"),
        (["random", "--workers", "0"], "workers must be at least 1"),
        (["random", "--threads", "-3"], "threads must be at least 1"),
        (["ppo:missing.zip"], "cannot load the checkpoint"),
    ],
)
def test_command__says_what_is_wrong(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--out", str(tmp_path / "arena")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "arena").exists()


def test_command__a_folder_that_cannot_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert main(["random", "--deals", "2", "--out", str(tmp_path / "file" / "arena")]) == 2
    assert "cannot keep the results" in capsys.readouterr().err
