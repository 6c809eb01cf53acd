"""``jerusalem replay``: a recorded game in the terminal, as one HTML file, as a GIF or as PNGs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from ..envs.opponents import opponent_by_name
from ..errors import RecordError
from ..records import whole_file
from .files import StoredGame, stored_game
from .films import frames_of, write_gif, write_pngs
from .html import html_of
from .keys import Keys
from .screen_text import Paint, judgement_line, judgement_text, log_lines, named
from .session import PlayError
from .timeline import Timeline, timeline_of

_KEYS = "arrows or n, p: a decision on or back   r, R: a round   a number: go there   q: quit"


class Viewer:
    """Shows a timeline in the terminal, a decision at a time.

    Parameters
    ----------
    timeline : Timeline
    players : sequence of str or None
        Who played each seat; empty if that is not known.
    seat : int, optional
        Show what this seat could see; by default everything.
    agent : Opponent, optional
        Its judgement is shown at each decision; ``agent_name`` names it.
    """

    def __init__(
        self,
        timeline: Timeline,
        players: Sequence[str | None] = (),
        seat: int | None = None,
        agent: Any | None = None,
        agent_name: str = "",
        out: IO[str] | None = None,
    ) -> None:
        self.timeline, self.players, self.seat = timeline, tuple(players), seat
        self.agent, self.agent_name = agent, agent_name
        self.out = out or sys.stdout
        self.paint = Paint(self.out)
        self._rounds = round_starts(timeline)

    def page(self, number: int) -> str:
        """The board at decision ``number``, what was decided, and what followed."""
        timeline, game = self.timeline, self.timeline.game
        state = timeline.states[number][0]
        ended = number == len(timeline)
        lines = ["the end" if ended else f"decision {number + 1} of {len(timeline)}"]
        if self.players:
            lines[0] += f"   {named(self.players)}"
        lines += ["", self.paint.seats(game.render_text(state, self.seat)), ""]
        if ended:
            return "\n".join(lines)
        lines.append(self.paint.strong(game.describe_decision(state, self.seat)))
        if self.agent is not None:
            judgement = timeline.judge(number, self.agent)
            taken = timeline.name(number)
            lines.append(judgement_text(self.agent_name, judgement, game.action_names, taken))
        told = log_lines([timeline.lines(number, self.seat)])
        lines += [self.paint.seats(line) for line in told]
        return "\n".join(lines)

    def tell_all(self, begin: int = 0) -> None:
        """Print the game from a decision on: the board there and at each round, every decision."""
        timeline = self.timeline
        starts = [begin, *(start for start in self._rounds if start > begin), len(timeline)]
        if self.players:
            print(named(self.players), file=self.out)
        for first, last in pairwise(starts):
            print("\n" + self._board(first), file=self.out)
            if self.agent is None:
                self._tell(log_lines(timeline.lines(k, self.seat) for k in range(first, last)))
            else:
                for number in range(first, last):
                    told = log_lines([timeline.lines(number, self.seat)])
                    self._tell([*told, self._thought(number)])
        print("\n" + self._board(len(timeline)), file=self.out)

    def _tell(self, lines: Sequence[str]) -> None:
        for line in lines:
            print("  " + self.paint.seats(line), file=self.out)

    def _thought(self, number: int) -> str:
        """What the agent thinks of a decision, in a line."""
        judgement = self.timeline.judge(number, self.agent)
        names = self.timeline.game.action_names
        return f"    {self.agent_name}: {judgement_line(judgement, names)}"

    def _board(self, number: int) -> str:
        state = self.timeline.states[number][0]
        return self.paint.seats(self.timeline.game.render_text(state, self.seat)) + "\n"

    def walk(self, number: int, key: Callable[[], str]) -> None:
        """Step through by keys until ``q``."""
        digits = ""
        while True:
            print("\033[2J\033[H" + self.page(number), file=self.out)
            print(f"\n{_KEYS}{'   go to ' + digits if digits else ''}", file=self.out, flush=True)
            pressed = key()
            if pressed.isdecimal():
                digits += pressed
                continue
            if pressed == "enter" and digits:
                number = int(digits) - 1
            elif pressed in ("q", "escape", ""):
                return
            else:
                number = self.moved(number, pressed)
            number, digits = min(max(number, 0), len(self.timeline)), ""

    def moved(self, number: int, key: str) -> int:
        """Where a key leads from decision ``number``; not yet within bounds."""
        if key in ("right", "down", "n", "enter", " "):
            return number + 1
        if key in ("left", "up", "p", "backspace"):
            return number - 1
        if key == "r":
            return next((start for start in self._rounds if start > number), len(self.timeline))
        if key == "R":
            return next((start for start in reversed(self._rounds) if start < number), 0)
        if key == "home":
            return 0
        return len(self.timeline) if key == "end" else number


def round_starts(timeline: Timeline) -> list[int]:
    """The first decision of each part of the game; the whole game, if it has no rounds."""
    starts: list[int] = []
    last = None
    for number in range(len(timeline)):
        this = timeline.game.columns(timeline.states[number]).get("round")
        value = None if this is None else int(this[0])
        if not starts or value != last:
            starts.append(number)
        last = value
    return starts or [0]


def parser_of() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(prog="jerusalem replay", description=__doc__)
    parser.add_argument(
        "file", type=Path, help="records (JSON lines), or a table of jerusalem play"
    )
    parser.add_argument("--number", type=int, default=1, help="which game of the file (1)")
    parser.add_argument("--seat", type=int, help="show what this seat could see; else everything")
    parser.add_argument("--at", type=int, default=1, help="begin at this decision (1)")
    parser.add_argument("--agent", help="show what this agent thinks of each decision")
    parser.add_argument("--text", action="store_true", help="print the whole game, no keys")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write one HTML file instead")
    parser.add_argument("--gif", type=Path, metavar="FILE", help="write a film instead")
    parser.add_argument("--png", type=Path, metavar="FOLDER", help="write pictures instead")
    parser.add_argument(
        "--every",
        choices=("decision", "turn", "round"),
        default="turn",
        help="what has a picture of its own: each decision, the end of what a seat does in a row "
        "(turn), the start of each round",
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="of each picture in a GIF (1)")
    parser.add_argument("--scale", type=float, default=1.0, help="size of pictures (1: 1000 x 750)")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    return parser


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit status."""
    parser = parser_of()
    options = parser.parse_args(arguments)
    if not 0.02 <= options.seconds <= 60 or not 0.1 <= options.scale <= 4:
        parser.error("--seconds must be 0.02 to 60, --scale 0.1 to 4")
    try:
        return _run(options)
    except (PlayError, RecordError, ImportError, NotImplementedError) as error:
        print(f"jerusalem replay: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # who reads has seen enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"jerusalem replay: cannot write: {error}", file=sys.stderr)
        return 1


def _run(options: argparse.Namespace) -> int:
    stored = stored_game(options.file, options.number)
    timeline = timeline_of(stored.record)
    if not 1 <= options.at <= len(timeline) + 1:
        raise PlayError(f"--at must be 1 to {len(timeline) + 1}, got {options.at}")
    if options.seat is not None and not 0 <= options.seat < timeline.game.players:
        raise PlayError(f"--seat must be 0 to {timeline.game.players - 1}, got {options.seat}")
    agent = _agent(options.agent, timeline)
    written = False
    title = f"{stored.record.game}: {options.file.name}, game {options.number}"
    for path in (options.html, options.gif, options.png):
        _refuse(path, options.force)
    if options.html is not None:
        names = stored.players or None
        page = html_of(timeline, title, options.seat, names, agent, options.agent or "")
        _write_text(options.html, page)
        written = _told(options.html)
    if options.gif is not None or options.png is not None:
        numbers = list(frames_of(timeline, options.every, round_starts(timeline)))
        if options.gif is not None:
            write_gif(
                options.gif, timeline, numbers, options.seat, options.scale, options.seconds, _count
            )
            written = _told(options.gif)
        if options.png is not None:
            write_pngs(options.png, timeline, numbers, options.seat, options.scale, _count)
            written = _told(options.png)
    if written:
        return 0
    return _show(options, timeline, stored, agent)


def _show(
    options: argparse.Namespace, timeline: Timeline, stored: StoredGame, agent: Any | None
) -> int:
    viewer = Viewer(timeline, stored.players, options.seat, agent, options.agent or "")
    if options.text or not (sys.stdin.isatty() and sys.stdout.isatty()):
        viewer.tell_all(options.at - 1)
    else:
        with Keys() as keys:
            viewer.walk(options.at - 1, keys.read)
    return 0


def _agent(name: str | None, timeline: Timeline) -> Any | None:
    if name is None:
        return None
    try:
        agent = opponent_by_name(name, timeline.game)
    except ValueError as error:
        raise PlayError(str(error)) from error
    return agent


def _refuse(path: Path | None, force: bool) -> None:
    """Refuse to write over what is there, unless told to."""
    if path is None or force or not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    raise PlayError(f"{path} exists; --force replaces it (of a folder, pictures of that name)")


def _write_text(path: Path, text: str) -> None:
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8")


def _told(path: Path) -> bool:
    files = [path] if path.is_file() else sorted(path.iterdir())
    size = sum(file.stat().st_size for file in files)
    number = f"{len(files)} files, " if path.is_dir() else ""
    print(f"written: {path} ({number}{size / 1e6:.1f} MB)")
    return True


def _count(items: Sequence[Any]) -> Iterator[Any]:
    """The items, with a counter on the terminal."""
    for number, item in enumerate(items, 1):
        if sys.stderr.isatty():
            print(f"\r  picture {number} of {len(items)}", end="", file=sys.stderr, flush=True)
        yield item
    if sys.stderr.isatty():
        print(file=sys.stderr)
