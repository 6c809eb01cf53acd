"""Files and the command: complete or not there at all, and plain about what is wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyarrow.parquet import ParquetWriter

from agents.registry import make_agent
from jerusalem_env import __version__
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.playroom.session import new_table
from jerusalem_env.records import write_records
from tests.playroom.equipment import first_legal
from tests.record.equipment import SHORT, plain_rows, plain_table, records_of
from training.record import (
    ParquetRows,
    RecordingError,
    command,
    read_about,
    record_games,
    write_parquet,
)
from training.record.pieces import Piece
from training.record.rows import meanings
from training.record.sources import played_pieces, seat_agents

pytestmark = pytest.mark.slow

GAME = JerusalemGame(rules=SHORT[2])
AGENTS = ["greedy", "random"]
PLAYED = ["greedy", "random", "--players", "2", "--seed", "3"]


def test_parquet__is_read_by_pandas(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "games.parquet"
    written = write_parquet(path, record_games(GAME, AGENTS, 6, seed=3, observations=True, rows=1))
    frame = pd.read_parquet(path)
    batches = record_games(GAME, AGENTS, 6, seed=3, observations=True)
    expected = plain_table(batches).to_pandas()
    assert written == (6, len(expected))
    assert os.listdir(path.parent) == ["games.parquet"]
    assert list(frame.columns) == list(meanings(GAME, observations=True))
    assert frame["phase"].dtype == "category"
    assert frame["silver_0"].dtype == "int32"
    assert frame["game_seed"].dtype == "uint64"
    assert frame["won"].dtype == "bool"
    for name in frame.columns:
        assert [str(x) for x in frame[name]] == [str(x) for x in expected[name]], name
    wins = frame.drop_duplicates(["game", "seat"]).groupby("agent", observed=True)["won"]
    assert wins.mean().to_dict()["greedy"] > 0.5


def test_parquet__has_what_it_is_in_its_metadata(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    written = write_parquet(path, record_games(GAME, AGENTS, 3, seed=3))
    about = read_about(path)
    assert about["game"] == "jerusalem_v0"
    assert about["version"] == __version__
    assert about["ruleset"] == GAME.rules_dict()
    assert about["agents"] == AGENTS
    assert about["seed"] == 3
    assert about["columns"] == meanings(GAME)
    assert (about["games"], about["decisions"]) == written
    assert about["complete"] is True
    (tmp_path / "other").write_text("nothing of ours")
    with pytest.raises(RecordingError, match="is not a recording"):
        read_about(tmp_path / "other")


def test_parquet__row_groups_are_bounded(tmp_path: Path, monkeypatch: Any) -> None:
    import pyarrow.parquet

    monkeypatch.setattr("training.record.parquet._ROW_GROUP_BYTES", 100_000)
    path = tmp_path / "games.parquet"
    batches = list(record_games(GAME, AGENTS, 12, seed=3, rows=100))
    write_parquet(path, iter(batches))
    file = pyarrow.parquet.ParquetFile(path)
    assert file.num_row_groups > 1
    assert plain_table(file.iter_batches()).equals(plain_table(batches))


def test_parquet__an_interrupted_write_leaves_what_was_there(tmp_path: Path) -> None:
    def interrupted() -> Iterator[Any]:
        yield from record_games(GAME, AGENTS, 2)
        raise KeyboardInterrupt

    path = tmp_path / "games.parquet"
    with pytest.raises(KeyboardInterrupt):
        write_parquet(path, interrupted())
    assert os.listdir(tmp_path) == []
    write_parquet(path, record_games(GAME, AGENTS, 1))
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        write_parquet(path, interrupted(), overwrite=True)
    assert os.listdir(tmp_path) == ["games.parquet"]
    assert path.read_bytes() == before


def test_parquet__nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    path.write_text("dear")
    with pytest.raises(RecordingError, match=r"is there already; .* --force"):
        write_parquet(path, record_games(GAME, AGENTS, 1))
    assert path.read_text() == "dear"
    write_parquet(path, record_games(GAME, AGENTS, 1), overwrite=True)
    assert read_about(path)["games"] == 1
    with pytest.raises(RecordingError, match="is a folder"):
        ParquetRows(tmp_path)
    with pytest.raises(RecordingError, match="nothing to write"):
        write_parquet(tmp_path / "none.parquet", [])
    assert os.listdir(tmp_path) == ["games.parquet"]


def test_parquet__says_how_to_install_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(RecordingError, match=r"pip install 'jerusalem-env\[data\]'"):
        next(record_games(GAME, AGENTS, 1))
    assert command.main([*PLAYED, "--out", str(tmp_path / "x.parquet")]) == 2
    assert "pip install 'jerusalem-env[data]'" in capsys.readouterr().err


# --- the command ----------------------------------------------------------------------------
def test_command__writes_what_the_functions_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.parquet"
    more = ["--games", "2", "--all-decisions", "--observations", "--paired", "--threads", "1"]
    assert command.main([*PLAYED, *more, "--out", str(path)]) == 0
    assert "2 games" in capsys.readouterr().out
    game = JerusalemGame(2, skip_forced=False)
    other = tmp_path / "other.parquet"
    batches = record_games(game, AGENTS, 2, seed=3, observations=True, paired=True)
    write_parquet(other, batches)
    pd.testing.assert_frame_equal(pd.read_parquet(path), pd.read_parquet(other))
    assert read_about(path) == read_about(other)


def test_command__converts_records(tmp_path: Path) -> None:
    rows = plain_rows(record_games(GAME, AGENTS, 2, seed=3))
    write_records(tmp_path / "games.jsonl", records_of(GAME, rows))
    path = tmp_path / "games.parquet"
    options = ["--from", str(tmp_path / "games.jsonl"), "--out", str(path)]
    assert command.main(options) == 0
    frame = pd.read_parquet(path)
    assert frame["action_name"].tolist() == [row["action_name"] for row in rows]
    assert frame["agent"].isna().all()
    assert read_about(path)["ruleset"] == GAME.rules_dict()
    assert read_about(path)["records"] == "games.jsonl"


def test_command__converts_a_saved_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = new_table("jerusalem_v0", [None, "random"], seed=4)
    for _ in range(6):
        table.step(table.game.action_names.index(first_legal(table)))
    table.save(tmp_path / "table.json")
    path = tmp_path / "games.parquet"
    options = ["--from", str(tmp_path / "table.json"), "--out", str(path)]
    assert command.main(options) == 0
    frame = pd.read_parquet(path)
    assert frame["action_name"].tolist() == list(table.record().actions)
    assert set(frame["outcome"]) == {"unfinished"}
    assert read_about(path)["games"] == 1

    path.unlink()
    text = (tmp_path / "table.json").read_text()
    (tmp_path / "table.json").write_text(text.replace('"version": 1', '"version": 99'))
    assert command.main(options) == 2
    told = capsys.readouterr().err
    assert "line 1: is not JSON" in told
    assert "nor is it a saved table" in told
    assert "has version 99" in told
    assert os.listdir(tmp_path) == ["table.json"]


def _interrupting(times: int) -> Any:
    """Pieces of two games, with Ctrl-C so many times after the first of them."""

    def pieces(*arguments: Any, **options: Any) -> Iterator[Piece]:
        for number, piece in enumerate(played_pieces(*arguments, **{**options, "rows": 1})):
            if number == 1:
                for _ in range(times):
                    os.kill(os.getpid(), signal.SIGINT)
            yield piece

    return pieces


def test_command__the_first_interrupt_keeps_the_games_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.parquet"
    monkeypatch.setattr(command, "played_pieces", _interrupting(1))
    assert command.main([*PLAYED, "--games", "9", "--out", str(path)]) == 130
    assert "the first 2 of 9 games are kept" in capsys.readouterr().err
    about = read_about(path)
    assert (about["games"], about["complete"]) == (2, False)
    game = JerusalemGame(2)
    batches = record_games(game, AGENTS, 9, seed=3, rows=1)
    expected = [row for row in plain_rows(batches) if row["game"] < 2]
    frame = pd.read_parquet(path)
    assert frame["action"].tolist() == [row["action"] for row in expected]
    assert os.listdir(tmp_path) == ["games.parquet"]


def test_command__the_second_interrupt_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "played_pieces", _interrupting(2))
    assert command.main([*PLAYED, "--games", "9", "--out", str(tmp_path / "g.parquet")]) == 130
    assert "nothing was written" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


# Records slowly: says when it has written something, and goes on for longer than a test may.
_SLOW = """
import sys, time
from training.record import command
from training.record.parquet import ParquetRows

add = ParquetRows.add

def told(self, batch):
    add(self, batch)
    print("added", flush=True)
    time.sleep(0.2)

ParquetRows.add = told
seat_agents = command.seat_agents

def told_agents(*arguments):
    print("seating", flush=True)
    time.sleep(60 if "--slow-agents" in sys.argv else 0)
    return seat_agents(*arguments)

command.seat_agents = told_agents
sys.argv = [argument for argument in sys.argv if argument != "--slow-agents"]
sys.exit(command.main(sys.argv[1:]))
"""


def _recording(path: Path, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    options = {"stderr": subprocess.PIPE, **options}
    played = [*PLAYED, "--games", "1000000", "--threads", "1", "--out", str(path)]
    return subprocess.Popen(
        [sys.executable, "-c", _SLOW, *played, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def _read_until(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    assert any(told.strip() == line for told in process.stdout)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_command__an_ending_keeps_the_games_so_far(number: signal.Signals, tmp_path: Path) -> None:
    """Sent twice, as `timeout` and closing terminals do."""
    path = tmp_path / "games.parquet"
    process = _recording(path)
    _read_until(process, "added")
    process.send_signal(number)
    time.sleep(0.05)
    process.send_signal(number)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 130, told
    assert "ending after the games at hand" in told
    about = read_about(path)
    assert about["games"] > 0
    assert about["complete"] is False
    assert os.listdir(tmp_path) == ["games.parquet"]


def test_command__a_terminal_that_closes_keeps_the_games_so_far(tmp_path: Path) -> None:
    """What can no longer be told is no fault."""
    path = tmp_path / "games.parquet"
    ours, theirs = os.openpty()
    process = _recording(path, stderr=theirs)
    os.close(theirs)
    _read_until(process, "added")
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=120)
    assert read_about(path)["games"] > 0
    assert os.listdir(tmp_path) == ["games.parquet"]


def test_command__an_ending_before_the_games_leaves_nothing(tmp_path: Path) -> None:
    process = _recording(tmp_path / "games.parquet", "--slow-agents")
    _read_until(process, "seating")
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=50)
    assert process.returncode == 130, told
    assert "interrupted; nothing was written" in told
    assert os.listdir(tmp_path) == []


def test_command__under_nohup_a_hangup_changes_nothing(tmp_path: Path) -> None:
    process = _recording(
        tmp_path / "games.parquet",
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    _read_until(process, "added")
    process.send_signal(signal.SIGHUP)
    for _ in range(3):
        _read_until(process, "added")
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert "ending" in process.communicate(timeout=120)[1]
    assert process.returncode == 130


def test_command__a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor does a writer that fails again when it is closed again."""
    close = ParquetWriter.close

    def full(writer: ParquetWriter) -> None:
        close(writer)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ParquetWriter, "close", full)
    assert command.main([*PLAYED, "--games", "2", "--out", str(tmp_path / "g.parquet")]) == 2
    assert "No space left on device; nothing was written" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["greedy"], "name a file with --out"),
        (["--out", "{}/x"], "name agents that play"),
        (["greedy", "--out", "{}/x", "--learner", "greedy"], "--learner is for a dataset"),
        (["nobody", "--out", "{}/x"], "unknown agent 'nobody'"),
        (["greedy", "--out", "{}/x", "--rules", "swiss"], "swiss"),
        (["greedy", "--out", "{}/x", "--players", "7"], "players"),
        (["greedy", "--out", "{}/x", "--games", "0"], "games must be at least 1"),
        (["greedy", "--out", "{}/x", "--from", "y"], "leave out agents"),
        (["--out", "{}/x", "--from", "y", "--games", "3"], "leave out --games"),
        (["--out", "{}/x", "--from", "{}/y"], "cannot read or write"),
    ],
)
def test_command__wrong_arguments_are_named(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([argument.format(tmp_path) for argument in arguments]) == 2
    assert message in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_command__refuses_a_file_that_is_there_before_it_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.parquet"
    path.write_text("dear")
    monkeypatch.setattr(command, "seat_agents", None)  # not even agents are made
    assert command.main([*PLAYED, "--out", str(path)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_command__tells_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("training.record.progress._SECONDS_A_LINE", 0.0)
    monkeypatch.setattr(command, "played_pieces", _interrupting(0))
    assert command.main([*PLAYED, "--games", "4", "--out", str(tmp_path / "g.parquet")]) == 0
    told = capsys.readouterr().err
    assert "3 of 4 games" in told
    assert "a second" in told
    assert "left" in told


def test_agents__equal_names_are_made_once() -> None:
    seated, names = seat_agents(JerusalemGame(4), ["greedy", "random"])
    assert names == ("greedy", "random", "greedy", "random")
    assert seated[0] is seated[2]
    own = make_agent("greedy")
    assert seat_agents(JerusalemGame(2), [own])[0] == (own, own)
