"""``jerusalem play`` driven through a pseudo-terminal, and its parts."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from jerusalem_env.playroom.session import PlayError, Session, new_table
from jerusalem_env.playroom.terminal import Terminal, main, seats_of
from jerusalem_env.records import read_records, replay
from tests.playroom.equipment import first_legal
from tests.playroom.pseudo_terminal import PseudoTerminal

PROMPT = r"P\d > $"
SAVED = "jerusalem_table.json"


# --- through a pseudo-terminal -------------------------------------------------------------------
@pytest.mark.slow
def test_play__a_whole_game_at_a_terminal(tmp_path: Path) -> None:
    """Bids, a turn with undo and a hint, wrong input, a log, leaving, resuming, and the end."""
    command = ["play", "--players", "3", "--seat", "1", "--against", "random,greedy", "--seed", "3"]
    with PseudoTerminal(command, tmp_path) as terminal:
        first = terminal.until(PROMPT)
        assert "P0 greedy, P1 you, P2 random" in first
        assert "You decide" in first
        terminal.type("help")
        assert "take back a decision" in terminal.until(PROMPT)
        terminal.type("plaze something")
        assert "is no legal move now" in terminal.until(PROMPT)
        _to_a_turn(terminal)
        terminal.type("hint")
        assert re.search(r"expert would choose:\n +100\.0% █+ \w+", terminal.until(PROMPT))
        terminal.type("pl pal.la")
        assert "You place a squire in palace.large" in terminal.until(PROMPT)
        terminal.type("undo")
        assert "taken back: place palace.large" in terminal.until(PROMPT)
        terminal.type("undo")
        assert "cannot be taken back" in terminal.until(PROMPT)
        terminal.type("pl pal.la x2")
        assert "You place a squire in palace.large (×2)" in terminal.until(PROMPT)
        terminal.type("log 3")
        assert "You place a squire in palace.large" in terminal.until(PROMPT)
        terminal.type("quit")
        terminal.until("Go on with: jerusalem play --resume jerusalem_table.json")
        assert terminal.end() == 0
    saved = json.loads((tmp_path / SAVED).read_text())
    assert saved["players"] == ["greedy", None, "random"]
    assert saved["record"]["actions"][-2:] == ["place palace.large"] * 2

    again = ["play", "--resume", SAVED, "--record", "games.jsonl"]
    with PseudoTerminal(again, tmp_path) as terminal:
        terminal.until(PROMPT)
        while True:
            terminal.type("pass" if "pass " in _moves(terminal) else _some_move(terminal))
            if "The game is over" in terminal.until(rf"{PROMPT}|jerusalem replay games\.jsonl"):
                break
        assert terminal.end() == 0
    record = next(iter(read_records(tmp_path / "games.jsonl")))
    assert record.actions[: len(saved["record"]["actions"])] == tuple(saved["record"]["actions"])
    assert replay(record).position()["phase"] == "over"


def _moves(terminal: PseudoTerminal) -> str:
    terminal.type("moves")
    return terminal.until(PROMPT)


def _some_move(terminal: PseudoTerminal) -> str:
    """The first of the moves that are listed."""
    listed = re.findall(r"^  ([a-z ]{1,9}?) {2,}(.*)$", _moves(terminal), re.MULTILINE)
    kind, rest = listed[0]
    return kind if rest.startswith("(") else f"{kind} {rest.split()[0]}"


def _to_a_turn(terminal: PseudoTerminal) -> None:
    """Pass or take the first move, until squires can be placed."""
    for _ in range(60):
        moves = _moves(terminal)
        if re.search(r"^  place .*palace\.large", moves, re.MULTILINE):
            return
        terminal.type("pass" if "  pass " in moves else _some_move(terminal))
        terminal.until(PROMPT)
    raise AssertionError(f"no turn came:\n{terminal.seen[-3000:]}")


def test_play__ctrl_c_and_the_end_of_input_keep_the_game(tmp_path: Path) -> None:
    for keys in ("\x03", "\x04"):
        with PseudoTerminal(["play", "--against", "random", "--seed", "1"], tmp_path) as terminal:
            terminal.until(PROMPT)
            terminal.press_until(keys, "Go on with: jerusalem play --resume")
            assert terminal.end() == 0
        assert (tmp_path / SAVED).exists()
        (tmp_path / SAVED).unlink()


# --- its parts -----------------------------------------------------------------------------------
class Typist:
    """Types given lines, then the first legal move for ever; notes what it is asked."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.session = lines, None
        self.changes = 0  # of the person at the terminal

    def __call__(self, prompt: str) -> str:
        if "Press Enter" in prompt:
            self.changes += 1
            return ""
        if self.lines:
            return self.lines.pop(0)
        assert self.session is not None
        return first_legal(self.session)


def at_table(
    tmp_path: Path, lines: list[str], *players: str | None
) -> tuple[Terminal, io.StringIO]:
    session = new_table("jerusalem_v0", players, seed=3, agent_seed=1)
    typist, out = Typist(lines), io.StringIO()
    typist.session = session
    return Terminal(session, tmp_path / SAVED, out=out, ask=typist), out


def test_terminal__plays_to_the_end_without_showing_what_is_hidden(tmp_path: Path) -> None:
    terminal, out = at_table(tmp_path, [], None, "random", "random", "random")
    assert terminal.play()
    text = out.getvalue()
    assert "The game is over" in text
    boards = text[: text.index("game over:")].split("area  ")  # the last one shows everything
    assert len(boards) > 10
    for line in re.findall(r"^[> ] P[123] {4}.*$", "".join(boards), re.MULTILINE):
        assert line.split()[-1] in ("-", "hidden") or "hidden" in line
        assert " ? " in line
    assert not re.search(r"P[123] keeps (?!a card)", text)


def test_terminal__several_people_are_told_every_decision_once(tmp_path: Path) -> None:
    """Others' turns too; and the terminal waits between two people."""
    terminal, _ = at_table(tmp_path, [], None, "random", None)
    lines, told = terminal.session.timeline.lines, {0: [], 2: []}

    def noted(number: int, who: int | None = None) -> list[str]:
        if who is not None:
            told[who].append(number)
        return lines(number, who)

    terminal.session.timeline.lines = noted  # type: ignore[method-assign]
    assert terminal.play()
    for numbers in told.values():  # up to each one's own last decision
        assert numbers == list(range(len(numbers)))
    assert max(map(len, told.values())) > 0.9 * len(terminal.session.timeline)
    assert terminal.ask.changes > 10  # type: ignore[attr-defined]


def test_terminal__agents_alone_are_watched(tmp_path: Path) -> None:
    terminal, out = at_table(tmp_path, [], "random", "random", "random")
    assert terminal.play()
    assert "P0 random, P1 random, P2 random" in out.getvalue()
    assert "Round 5 begins" in out.getvalue()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("hint nobody", "unknown agent 'nobody'"),
        ("log many", "log shows 1 to 9999"),
        ("", "type a move"),
        ("undo", "cannot be taken back"),
        ("save /nowhere/at/all.json", "the file cannot be written"),
        ("bid x3", "is no legal move now"),
        ("HELP", "take back a decision"),
        ("log 0", "log shows 1 to 9999"),
        ("log " + "9" * 5000, "log shows 1 to 9999"),
        ("open marshal x" + "9" * 5000, "a move is repeated 1 to 9999"),
        ("save a\0b", "null byte"),
        ("o", "could be: open captain"),
        ("save existing.json", "exists and is not of this game"),
        ("open marshal x2", "open marshal: done 1 of 2 times"),
    ],
)
def test_terminal__wrong_input_gets_a_helpful_line(
    typed: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "existing.json").write_text("precious")
    terminal, out = at_table(tmp_path, [typed, "quit"], None, None, None, None)
    assert not terminal.play()
    assert (tmp_path / "existing.json").read_text() == "precious"
    assert told in out.getvalue()
    assert Session.load(tmp_path / SAVED).players == (None,) * 4


def test_play__never_over_an_earlier_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
        assert main(["--seed", str(number), "--against", "random"]) == 0
    seeds = [json.loads(path.read_text())["record"]["seed"] for path in sorted(tmp_path.iterdir())]
    assert sorted(seeds) == [0, 1, 2]
    assert "--resume jerusalem_table_3.json" in capsys.readouterr().out


def test_terminal__keeps_the_game_elsewhere_if_its_file_cannot_be_written(tmp_path: Path) -> None:
    terminal, out = at_table(tmp_path, ["open marshal", "quit"], None, None, None, None)
    terminal.file = tmp_path / "gone" / "table.json"
    assert not terminal.play()
    found = re.search(r"--resume (\S+)", out.getvalue())
    assert found
    assert len(Session.load(found[1]).timeline) == 1
    Path(found[1]).unlink()


def test_main__a_record_that_cannot_be_written_does_not_lose_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("jerusalem_env.playroom.terminal.append_records", full)
    command = ["--players", "2", "--seat", "none", "--against", "random", "--record", "x.jsonl"]
    assert main(command) == 1
    assert Session.load(SAVED).over


def test_terminal__a_failure_keeps_the_game(tmp_path: Path) -> None:
    terminal, _ = at_table(tmp_path, ["hint"], None, None)

    def broken(_: str) -> None:
        raise RuntimeError("an agent broke")

    terminal.session.hint = broken  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="an agent broke"):
        terminal.play()
    assert len(Session.load(tmp_path / SAVED).timeline) == 0


@pytest.mark.parametrize(
    ("players", "seats", "against", "found"),
    [
        (4, "0", "expert", [None, "expert", "expert", "expert"]),
        (4, "2", "a,b", ["b", "a", None, "a"]),
        (3, "1", "a,b", ["b", None, "a"]),
        (4, "0,2", "a,b", [None, "a", None, "b"]),
        (2, "0,1", "", [None, None]),
        (3, "none", "a,b,c", ["a", "b", "c"]),
    ],
)
def test_seats_of__clockwise_from_the_persons_left(
    players: int, seats: str, against: str, found: list[str | None]
) -> None:
    assert seats_of(players, seats, against) == found


@pytest.mark.parametrize(
    ("seats", "against", "told"),
    [
        ("4", "expert", "--seat must be 0 to 3"),
        ("-1", "expert", "--seat must be 0 to 3"),
        ("0", "a,b,c,d", "names 4 agents, but 3 seats are free"),
        ("0", "", "--against must name an agent"),
    ],
)
def test_seats_of__says_what_is_wrong(seats: str, against: str, told: str) -> None:
    with pytest.raises(PlayError, match=told):
        seats_of(4, seats, against)


def test_main__says_what_is_wrong(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    precious = tmp_path / "precious.jsonl"
    precious.write_text("my records")
    for arguments, told in [
        (["--against", "nobody"], "unknown agent 'nobody'"),
        (["--rules", "spanish"], "unknown rules 'spanish'"),
        (["--players", "5"], "players"),
        (["--hint", "nobody"], "unknown agent 'nobody'"),
        (["--resume", str(tmp_path / "nothing.json")], "cannot be read"),
        (["--resume", "x.json", "--seat", "1", "--seed", "3"], "leave --seat, --seed out"),
        (["--seed", "-1"], "seed must be"),
        (["--players", "0"], "--players must be at least 1"),
        (["--save", str(tmp_path / "no" / "folder.json")], "cannot be written"),
        (["--record", str(tmp_path / "no" / "folder.jsonl")], "cannot be written"),
        (["--save", str(precious)], "exists: name another file"),
    ]:
        assert main(arguments) == 2
        assert told in capsys.readouterr().err


def test_paint__colours_only_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    from jerusalem_env.playroom.screen_text import Paint

    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert Paint(io.StringIO()).seats("P1 bids") == "P1 bids"
    assert Paint(Screen()).seats("P1 bids") == "\033[1;38;5;166mP1\033[0m bids"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Paint(Screen()).seats("P1 bids") == "P1 bids"
    assert np.all([Paint(Screen()).strong("x") == "x"])
