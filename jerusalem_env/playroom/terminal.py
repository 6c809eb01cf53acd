"""``jerusalem play``: a game against agents in the terminal."""

from __future__ import annotations

import argparse
import contextlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from ..envs.opponents import usual_opponent
from ..games import USUAL_GAME, add_game_argument, players_text, usual_players
from ..records import append_records
from .moves import find_move, moves_text, shortened
from .screen_text import Paint, judgement_text, log_lines, named
from .session import PERSON, PlayError, Session, new_table

_TABLE = "jerusalem_table.json"
_HELP = """\
Moves: the name, or the beginnings of its words and of their parts, such as `{short}` for
`{name}`, if they fit one move only. The first word may be left out, numbers are typed whole.
`{short} x3` does it three times.
  moves, m          the legal moves            board, b       the board as you see it
  undo, u           take back a decision of your turn
  hint, h [AGENT]   what an agent would do     log [N]        the last N decisions in words
  save [FILE]       keep the game              quit, q        keep the game and leave
  help, ?           this"""


class _Left(Exception):
    """The person leaves the table; the game is kept."""


class Terminal:
    """A session at a terminal.

    Parameters
    ----------
    session : Session
    file : Path
        Where the game is kept when the person leaves, and by ``save``.
    hint : str
        The agent that gives hints unless another is named; the game's usual one unless given.
    out : text file
    ask : callable
        Shows a prompt and returns a line; raises EOFError at the end of input.
    """

    def __init__(
        self,
        session: Session,
        file: Path,
        hint: str | None = None,
        out: IO[str] | None = None,
        ask: Callable[[str], str] = input,
    ) -> None:
        self.session, self.file = session, file
        self.hint = hint or usual_opponent(session.game.name)
        self.out, self.ask = out or sys.stdout, ask
        self.paint = Paint(self.out)
        self.people = [seat for seat, name in enumerate(session.players) if name is PERSON]
        # How many decisions each who looks on has been told; None is who watches agents.
        now = len(session.timeline)
        self._told: dict[int | None, int] = dict.fromkeys([*self.people, None], now)
        self._seat = -1  # who sits here
        self._shown = ""  # the legal moves that were listed last

    # --- the game ----------------------------------------------------------------------------
    def play(self) -> bool:
        """Play to the end; False if the person left before. Whatever happens, the game is kept."""
        only = self.people[0] if len(self.people) == 1 else None
        self.say(named(self.session.players, only))
        if self.people:
            self.say("`help` tells what can be typed.")
        try:
            while not self.session.over:
                if self.session.waits_for_person:
                    self._turn()
                else:
                    self.session.agent_step()
                    if not self.people:
                        self._tell(None)
        except (_Left, EOFError, KeyboardInterrupt):
            file = self.keep()
            self.say(f"\nGo on with: jerusalem play --resume {file}")
            return False
        except BaseException:
            self.keep()
            raise
        if (
            len(self.people) > 1
        ):  # now all may see all; what the last of them knows is not told again
            self._told[None] = self._told.get(self._seat, 0)
        self._tell(only)
        self.say("")
        self.say(self.paint.seats(self.session.game.render_text(self.session.env.states[0])))
        return True

    def keep(self) -> Path:
        """Save the game: to its file or, if that cannot be, to the folder for temporary files."""
        file = self.file
        try:
            self.session.save(file)
        except (OSError, PlayError) as error:
            with contextlib.suppress(OSError):  # the terminal itself may have gone
                self.say(f"  {error}")
            file = Path(tempfile.mkdtemp(prefix="jerusalem-table-")) / self.file.name
            self.session.save(file)
        with contextlib.suppress(OSError):
            self.say(f"  saved: {file}")
        return file

    def _turn(self) -> None:
        """Ask the person to act until somebody else decides."""
        seat = self.session.to_act
        if seat != self._seat and len(self.people) > 1:
            self._change_seats(seat)
        self._seat = seat
        self._tell(seat)
        self._board()
        self._moves()
        while self.session.to_act == seat:
            before = len(self.session.timeline)
            self._answer(self.ask(self.paint.strong(f"P{seat} > ")), seat)
            if len(self.session.timeline) > before and self.session.to_act == seat:
                self._tell(seat)
                same_turn = self.session.may_take_back()
                if not same_turn:  # others, or the rules, have moved on in between
                    self._board()
                self._moves(only_new=same_turn)

    def _change_seats(self, seat: int) -> None:
        """Wait until the others look away; nothing of theirs stays on the screen."""
        self.paint.clear()
        self.ask(f"P{seat} is next. Press Enter when nobody else looks. ")
        self.paint.clear()

    def _answer(self, typed: str, seat: int) -> None:
        """Do what was typed, or say what is wrong with it."""
        typed = typed.strip()
        word, _, rest = typed.partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "help": self._help,
            "moves": self._moves,
            "board": self._board,
            "undo": self._undo,
            "hint": lambda: self._hint(rest.strip() or self.hint),
            "log": lambda: self._log(rest.strip(), seat),
            "save": lambda: self._save(rest.strip()),
            "quit": self._leave,
        }
        short = {"?": "help", "m": "moves", "b": "board", "u": "undo", "h": "hint", "q": "quit"}
        command = short.get(word.lower(), word.lower())
        try:
            if not typed:
                self.say("type a move, or `help`")
            elif command in commands:
                commands[command]()
            else:
                self._move(typed)
        except OSError as error:
            self.say(f"  the file cannot be written: {error}")
        except ValueError as error:  # also our own, and what files cannot be called
            self.say(f"  {error}")

    def _move(self, typed: str) -> None:
        """A move, once or ``xN`` times as long as it stays legal."""
        move, times = typed, 1
        head, _, tail = typed.rpartition(" ")
        if head and tail[0] in "x×*" and tail[1:].isdecimal():
            move, times = head, _number(tail[1:], "a move is repeated")
        seat, names = self.session.to_act, self.session.game.action_names
        legal = self._legal()
        name = find_move(move, legal)
        done = 0
        while done < times and self.session.to_act == seat and name in self._legal():
            self.session.step(names.index(name))
            done += 1
        if done < times:
            self.say(f"  {name}: done {done} of {times} times; then it was not legal any more")

    def _legal(self) -> list[str]:
        mask = self.session.timeline.mask(len(self.session.timeline))
        names = self.session.game.action_names
        return [name for action, name in enumerate(names) if mask[action]]

    # --- what can be asked for ---------------------------------------------------------------
    def _help(self) -> None:
        name = max(self._legal(), key=len)
        self.say(_HELP.format(name=name, short=shortened(name)))

    def _board(self) -> None:
        state = self.session.env.states[0]
        self.say("")
        self.say(self.paint.seats(self.session.game.render_text(state, self.session.to_act)))

    def _moves(self, only_new: bool = False) -> None:
        """What is decided, and the legal moves unless they are those that were shown last."""
        session = self.session
        state = session.env.states[0]
        decision = session.game.describe_decision(state, session.to_act)
        self.say("\n" + self.paint.strong(self.paint.seats(decision)))
        width = max(60, shutil.get_terminal_size((100, 24)).columns)
        text = moves_text(session.game, session.timeline.mask(len(session.timeline)), width)
        if not only_new or text != self._shown:
            self.say(text)
        self._shown = text

    def _undo(self) -> None:
        name = self.session.take_back()
        now = len(self.session.timeline)
        self._told = {who: min(told, now) for who, told in self._told.items()}
        self.say(f"  taken back: {name}")
        self._moves()

    def _hint(self, name: str) -> None:
        judgement = self.session.hint(name)
        self.say(judgement_text(name, judgement, self.session.game.action_names))

    def _log(self, number: str, seat: int) -> None:
        timeline = self.session.timeline
        first = max(len(timeline) - (_number(number, "log shows") if number else 20), 0)
        steps = [timeline.lines(k, seat) for k in range(first, len(timeline))]
        for line in log_lines(steps) or ["nothing has happened yet"]:
            self.say("  " + self.paint.seats(line))

    def _leave(self) -> None:
        raise _Left

    def _save(self, name: str) -> None:
        file = Path(name) if name else self.file
        self.session.save(file)
        self.say(f"  saved: {file}")

    def _tell(self, who: int | None) -> None:
        """What has happened since it was last told to them, as they may know it."""
        timeline = self.session.timeline
        steps = [timeline.lines(k, who) for k in range(self._told[who], len(timeline))]
        for line in log_lines(steps):
            self.say("  " + self.paint.seats(line))
        self._told[who] = len(timeline)

    def say(self, text: str) -> None:
        """Print lines."""
        print(text, file=self.out, flush=True)


def _number(text: str, what: str) -> int:
    """A number of times, 1 to 9999. Raises PlayError."""
    if not text.isdecimal() or not 0 < len(text) <= 4 or int(text) == 0:
        raise PlayError(f"{what} 1 to 9999 times or decisions, got {text[:20]!r}")
    return int(text)


def seats_of(players: int, seats: str, against: str) -> list[str | None]:
    """Who plays each seat: people at the seats named, agents at the others, clockwise in turn.

    Raises
    ------
    PlayError
        For a seat that does not exist, or agents that are too many or none.
    """
    if players < 1:
        raise PlayError(f"--players must be at least 1, got {players}")
    people: list[int] = []
    for text in seats.split(","):
        if text.strip() == "none":
            continue
        if not text.strip().isdecimal() or int(text) >= players:
            raise PlayError(
                f"--seat must be 0 to {players - 1} (several as 0,2; `none` to watch), got {text}"
            )
        people.append(int(text))
    names = [name.strip() for name in against.split(",") if name.strip()]
    first = people[0] if people else -1
    others = [(first + k) % players for k in range(1, players + 1)]
    others = [seat for seat in others if seat not in people]
    if len(names) > len(others):
        raise PlayError(f"--against names {len(names)} agents, but {len(others)} seats are free")
    if not names and others:
        raise PlayError("--against must name an agent, such as expert or expert,greedy")
    found: list[str | None] = [PERSON] * players
    for number, seat in enumerate(others):
        found[seat] = names[number % len(names)]
    return found


def parser_of() -> argparse.ArgumentParser:
    """The command's arguments; those of a new game are None unless given."""
    parser = argparse.ArgumentParser(prog="jerusalem play", description=__doc__)
    add_game_argument(parser, default=None)
    parser.add_argument("--players", type=int, help=f"{players_text()} (the game's usual number)")
    parser.add_argument("--seat", help="yours (0); several people: 0,2; none to watch")
    parser.add_argument(
        "--against",
        metavar="AGENT[,AGENT...]",
        help="who sits at the other seats, clockwise from your left, again from the first if "
        "there are more seats (the game's usual agent); such as expert,mcts:500,ppo",
    )
    parser.add_argument("--rules", help="a preset of the rules (the game's usual one)")
    parser.add_argument("--seed", type=int, help="game seed; without one, each game is new")
    parser.add_argument("--hint", help="who gives hints (the game's usual agent)")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on with a saved game")
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help=f"where the game is kept ({_TABLE})"
    )
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="add the finished game to this file of records"
    )
    return parser


_OF_A_NEW_GAME = ("players", "seat", "against", "game", "rules", "seed")


def _session_of(options: argparse.Namespace) -> Session:
    """The game that is asked for. Raises PlayError."""
    if options.resume is not None:
        given = [f"--{name}" for name in _OF_A_NEW_GAME if getattr(options, name) is not None]
        if given:
            raise PlayError(f"a saved game brings its own settings: leave {', '.join(given)} out")
        return Session.load(options.resume)
    game = options.game or USUAL_GAME
    players = seats_of(
        usual_players(game) if options.players is None else options.players,
        "0" if options.seat is None else options.seat,
        usual_opponent(game) if options.against is None else options.against,
    )
    agents = secrets.randbits(64) if options.seed is None else options.seed
    return new_table(game, players, options.rules, options.seed, agents)


def _file_of(options: argparse.Namespace) -> Path:
    """Where the game is kept: never over another game. Raises PlayError."""
    if options.save is None and options.resume is not None:
        return Path(options.resume)
    if options.save is not None:
        if options.save.exists() and options.save != options.resume:
            raise PlayError(f"{options.save} exists: name another file, or go on with --resume")
        return Path(options.save)
    file, number = Path(_TABLE), 1
    while file.exists():
        number += 1
        file = Path(_TABLE).with_stem(f"{Path(_TABLE).stem}_{number}")
    return file


def _require_folder(file: Path | None) -> None:
    """Refuse a file that could not be written at the end. Raises PlayError."""
    if file is not None and not os.access(file.resolve().parent, os.W_OK):
        raise PlayError(f"{file} cannot be written: its folder is not there, or closed to you")


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit status."""
    options = parser_of().parse_args(arguments)
    if sys.stdin.isatty():
        _with_history()
    try:
        session, file = _session_of(options), _file_of(options)
        hint = options.hint or usual_opponent(session.game.name)
        session.agent(hint)
        _require_folder(file)
        _require_folder(options.record)
    except PlayError as error:
        print(f"jerusalem play: {error}", file=sys.stderr)
        return 2
    terminal = Terminal(session, file, hint)
    with _ended_politely():
        if not terminal.play():
            return 0
    if options.record is not None:
        try:
            append_records(options.record, [session.record()])
        except OSError as error:
            terminal.say(f"the record cannot be written: {error}")
            terminal.keep()
            return 1
        terminal.say(f"\nLook at it again: jerusalem replay {options.record}")
    return 0


@contextlib.contextmanager
def _ended_politely() -> Iterator[None]:
    """Being told to end, or a terminal that goes, is like Ctrl-C: the game is kept."""
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = {number: signal.signal(number, _interrupt) for number in signals}
    except ValueError:  # not the main thread
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _with_history() -> None:
    """Arrow keys at the prompt, where Python has readline."""
    try:
        import readline  # noqa: F401
    except ImportError:
        return
