"""``jerusalem replay``: in the terminal, as text, as HTML, GIF and PNGs."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from jerusalem_env.playroom.films import frames_of
from jerusalem_env.playroom.replay import Viewer, main, round_starts
from jerusalem_env.playroom.session import new_table
from jerusalem_env.records import write_records
from tests.playroom.equipment import played, played_record
from tests.playroom.pseudo_terminal import PseudoTerminal


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    write_records(path, [played_record(4), played_record(2)])
    return path


def test_replay__as_text_tells_every_decision(
    games: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(games)]) == 0
    text = capsys.readouterr().out
    assert text.count("area  ") == 6  # at the start of each round, and the end
    assert "Round 5 begins" in text
    assert "game over" in text
    timeline = played(4)
    times = sum("×" not in line for line in text.splitlines())
    assert times > 100
    for number in (0, 20, len(timeline) - 1):
        assert timeline.lines(number)[0] in text


def test_replay__as_a_seat_saw_it(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(games), "--seat", "1", "--text"]) == 0
    text = capsys.readouterr().out
    assert "You " in text
    assert "P1 " not in text.replace("> P1 ", "").replace("  P1 ", "")
    assert " ? " in text


def test_replay__shows_what_an_agent_thinks() -> None:
    timeline = played(4)

    class Certain:
        def reset(self, seed: int) -> None: ...

        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return masks.argmax(axis=1)

    viewer = Viewer(timeline, (None, "a", "b", "c"), None, Certain(), "certain", io.StringIO())
    page = viewer.page(10)
    first = timeline.game.action_names[int(timeline.mask(10).argmax())]
    assert "decision 11 of" in page
    assert "certain would choose:" in page
    assert f"100.0% {'█' * 20} {first}" in page
    assert ("<- taken" in page) == (timeline.name(10) == first)
    assert viewer.page(len(timeline)).startswith("the end")


def test_viewer__keys_lead_where_they_say() -> None:
    timeline = played(4)
    viewer = Viewer(timeline, out=io.StringIO())
    starts = round_starts(timeline)
    assert len(starts) == 5
    assert starts[0] == 0
    assert viewer.moved(5, "right") == 6
    assert viewer.moved(5, "left") == 4
    assert viewer.moved(0, "r") == starts[1]
    assert viewer.moved(starts[1], "R") == 0
    assert viewer.moved(starts[4], "r") == len(timeline)
    assert viewer.moved(7, "home") == 0
    assert viewer.moved(7, "end") == len(timeline)
    assert viewer.moved(7, "unknown") == 7
    out = io.StringIO()
    viewer = Viewer(timeline, out=out)
    keys = iter(["left", "right", "1", "2", "enter", "9", "9", "9", "9", "enter", "q"])
    viewer.walk(0, lambda: next(keys))
    shown = [page.splitlines()[0] for page in out.getvalue().split("\033[2J\033[H")[1:]]
    total = len(timeline)
    wanted = [1, 1, 2, 2, 2, 12, 12, 12, 12, 12]
    assert shown == [*(f"decision {number} of {total}" for number in wanted), "the end"]


def test_replay__by_keys_at_a_terminal(games: Path, tmp_path: Path) -> None:
    total = len(played(4))
    with PseudoTerminal(["replay", games.name, "--at", "3"], tmp_path) as terminal:
        terminal.until(f"decision 3 of {total}")
        for keys, number in [("\x1b[C", 4), ("n", 5), ("\x1b[D", 4), ("p", 3), ("20\n", 20)]:
            terminal.until("q: quit")
            terminal.press(keys)
            terminal.until(f"decision {number} of {total}")
        terminal.press("\x1b[F")
        terminal.until("the end")
        terminal.press("q")
        assert terminal.end() == 0


def test_frames__of_decisions_turns_and_rounds() -> None:
    timeline = played(4)
    rounds = round_starts(timeline)
    every = list(frames_of(timeline, "decision", rounds))
    assert every == list(range(len(timeline) + 1))
    assert list(frames_of(timeline, "round", rounds)) == [*rounds, len(timeline)]
    turns = list(frames_of(timeline, "turn", rounds))
    assert turns[0] == 0
    assert turns[-1] == len(timeline)
    assert len(rounds) < len(turns) < len(every)


def test_replay__as_gif_and_pngs(
    games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gif, folder = tmp_path / "game.gif", tmp_path / "pictures"
    files = ["--gif", str(gif), "--png", str(folder)]
    sizes = ["--every", "round", "--scale", "0.5", "--seconds", "0.5"]
    assert main([str(games), "--number", "2", *files, *sizes]) == 0
    assert capsys.readouterr().out.count("written:") == 2
    with Image.open(gif) as film:
        assert film.size == (500, 375)
        assert film.n_frames == 6
        assert film.info["duration"] == 500
        film.seek(5)
        assert film.info["duration"] == 1500
        last = np.asarray(film.convert("RGB")).astype(int)
    pictures = sorted(folder.iterdir())
    assert [path.name for path in pictures][:1] == ["decision_0001.png"]
    assert len(pictures) == 6
    with Image.open(pictures[-1]) as picture:
        wanted = np.asarray(picture.convert("RGB")).astype(int)
    assert np.abs(last - wanted).mean() < 4  # of 255: the palette has 128 colours
    # What is there is not replaced unasked, and of a folder only such pictures.
    (folder / "notes.txt").write_text("mine")
    assert main([str(games), *files, *sizes]) == 2
    assert "exists; --force replaces it" in capsys.readouterr().err
    assert main([str(games), "--number", "2", *files, *sizes, "--force"]) == 0
    assert (folder / "notes.txt").read_text() == "mine"
    assert len(list(folder.iterdir())) == 7
    assert not [path for path in tmp_path.iterdir() if "partial" in path.name]


def test_replay__as_html(games: Path, tmp_path: Path) -> None:
    path = tmp_path / "game.html"
    assert main([str(games), "--number", "2", "--html", str(path), "--agent", "expert"]) == 0
    text = path.read_text(encoding="utf-8")
    assert "games.jsonl, game 2" in text
    assert "expert" in text


def test_replay__of_a_saved_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = new_table("jerusalem_v0", ["random", "greedy", None], seed=1)
    session.save(tmp_path / "table.json")
    assert main([str(tmp_path / "table.json")]) == 0
    assert "P0 random, P1 greedy, P2 a person" in capsys.readouterr().out


def test_replay__says_what_is_wrong(games: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, told in [
        ([str(games), "--number", "3"], "holds games 1 to 2, asked for 3"),
        ([str(games), "--seat", "4"], "--seat must be 0 to 3, got 4"),
        ([str(games), "--agent", "nobody"], "unknown agent 'nobody'"),
        ([str(games.with_name("none.jsonl"))], "cannot be read"),
    ]:
        assert main(arguments) == 2
        assert told in capsys.readouterr().err
    games.write_text(games.read_text().replace("open ", "shut ", 1))
    assert main([str(games)]) == 2
    assert "is no action of this game" in capsys.readouterr().err
