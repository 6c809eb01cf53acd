"""``jerusalem play``: a game against agents in the terminal."""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..errors import IllegalActionError
from ..games import registered_games
from ..records import append_records
from .moves import NoSuchMoveError, find_move, moves_text, shortened
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
        The agent that gives hints unless another is named.
    out : text file
    ask : callable
        Shows a prompt and returns a line; raises EOFError at the end of input.
    """

    def __init__(
        self,
        session: Session,
        file: Path,
        hint: str = "expert",
        out: IO[str] | None = None,
        ask: Callable[[str], str] = input,
    ) -> None:
        self.session, self.file, self.hint = session, file, hint
        self.out, self.ask = out or sys.stdout, ask
        self.paint = Paint(self.out)
        self._told = len(session.timeline)  # decisions told so far
        self._seat = -1  # who sat here last
        self._shown = ""  # the legal moves that were listed last

    # --- the game ----------------------------------------------------------------------------
    def play(self) -> bool:
        """Play to the end; False if the person left before."""
        people = [seat for seat, name in enumerate(self.session.players) if name is PERSON]
        only = people[0] if len(people) == 1 else None
        self.say(named(self.session.players, only))
        if people:
            self.say("`help` tells what can be typed.")
        try:
            while not self.session.over:
                if self.session.waits_for_person:
                    self._turn()
                else:
                    self.session.agent_step()
                    if not people:
                        self._tell(None)
        except (_Left, EOFError, KeyboardInterrupt):
            self._keep(self.file)
            self.say(f"\nGo on with: jerusalem play --resume {self.file}")
            return False
        except BaseException:
            self._keep(self.file)  # whatever happened, nothing is lost
            raise
        self._tell(only)
        self.say("")
        self.say(self.paint.seats(self.session.game.render_text(self.session.env.states[0])))
        return True

    def _turn(self) -> None:
        """Ask the person to act until somebody else decides."""
        seat = self.session.to_act
        if seat != self._seat and self._seat >= 0:
            self.say(f"\nP{seat} sits down. Everybody else looks away.")
        self._seat = seat
        self._tell(seat)
        self._board()
        self._moves()
        while self.session.to_act == seat:
            taken = self._told
            self._answer(self.ask(self.paint.strong(f"P{seat} > ")), seat)
            if len(self.session.timeline) > taken and self.session.to_act == seat:
                alone = all(
                    self.session.timeline.seat(number) == seat
                    for number in range(taken, len(self.session.timeline))
                )
                self._tell(seat)
                if not alone:
                    self._board()
                self._moves(only_new=alone)

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
            "save": lambda: self._keep(Path(rest.strip() or self.file)),
            "quit": self._leave,
        }
        short = {"?": "help", "m": "moves", "b": "board", "u": "undo", "h": "hint", "q": "quit"}
        try:
            if not typed:
                self.say("type a move, or `help`")
            elif short.get(word, word) in commands:
                commands[short.get(word, word)]()
            else:
                self._move(typed)
        except (NoSuchMoveError, PlayError, IllegalActionError) as error:
            self.say(f"  {error}")
        except OSError as error:
            self.say(f"  the file cannot be written: {error}")

    def _move(self, typed: str) -> None:
        """A move, once or ``xN`` times as long as it stays legal."""
        move, times = typed, 1
        head, _, tail = typed.rpartition(" ")
        if head and tail[0] in "x×*" and tail[1:].isdecimal():
            move, times = head, int(tail[1:])
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
        self._told = len(self.session.timeline)
        self.say(f"  taken back: {name}")
        self._moves()

    def _hint(self, name: str) -> None:
        judgement = self.session.hint(name)
        self.say(judgement_text(name, judgement, self.session.game.action_names))

    def _log(self, number: str, seat: int) -> None:
        if number and not number.isdecimal():
            raise PlayError(f"log takes how many decisions to show, such as `log 20`, got {number}")
        timeline = self.session.timeline
        first = max(len(timeline) - int(number or 20), 0)
        steps = [timeline.lines(k, seat) for k in range(first, len(timeline))]
        for line in log_lines(steps) or ["nothing has happened yet"]:
            self.say("  " + self.paint.seats(line))

    def _leave(self) -> None:
        raise _Left

    def _keep(self, file: Path) -> None:
        self.session.save(file)
        self.say(f"  saved: {file}")

    def _tell(self, seat: int | None) -> None:
        """What happened since it was last told, as the seat may know it."""
        timeline = self.session.timeline
        steps = [timeline.lines(k, seat) for k in range(self._told, len(timeline))]
        for line in log_lines(steps):
            self.say("  " + self.paint.seats(line))
        self._told = len(timeline)

    def say(self, text: str) -> None:
        """Print lines."""
        print(text, file=self.out, flush=True)


def seats_of(players: int, seats: str, against: str) -> list[str | None]:
    """Who plays each seat: people at the seats named, agents at the others, clockwise in turn.

    Raises
    ------
    PlayError
        For a seat that does not exist, or agents that are too many or none.
    """
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
    """The command's arguments."""
    parser = argparse.ArgumentParser(prog="jerusalem play", description=__doc__)
    parser.add_argument("--players", type=int, default=4, help="number of seats (4)")
    parser.add_argument("--seat", default="0", help="yours (0); several people: 0,2; none to watch")
    parser.add_argument(
        "--against",
        default="expert",
        metavar="AGENT[,AGENT...]",
        help="who sits at the other seats, clockwise from your left, again from the first if "
        "there are more seats (expert); such as expert,mcts:500,ppo",
    )
    parser.add_argument("--game", default=registered_games()[0], choices=registered_games())
    parser.add_argument("--rules", default="german", help="a preset of the rules (german)")
    parser.add_argument("--seed", type=int, help="game seed; without one, each game is new")
    parser.add_argument("--hint", default="expert", help="who gives hints (expert)")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="go on with a saved game")
    parser.add_argument(
        "--save", type=Path, metavar="FILE", help=f"where the game is kept ({_TABLE})"
    )
    parser.add_argument(
        "--record", type=Path, metavar="FILE", help="add the finished game to this file of records"
    )
    return parser


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit status."""
    options = parser_of().parse_args(arguments)
    if sys.stdin.isatty():
        _with_history()
    try:
        if options.resume is not None:
            session = Session.load(options.resume)
        else:
            players = seats_of(options.players, options.seat, options.against)
            agents = secrets.randbits(64) if options.seed is None else options.seed
            session = new_table(options.game, players, options.rules, options.seed, agents)
        session.agent(options.hint)
    except PlayError as error:
        print(f"jerusalem play: {error}", file=sys.stderr)
        return 2
    terminal = Terminal(session, options.save or options.resume or Path(_TABLE), options.hint)
    if not terminal.play():
        return 0
    if options.record is not None:
        append_records(options.record, [session.record()])
        terminal.say(f"\nLook at it again: jerusalem replay {options.record}")
    return 0


def _with_history() -> None:
    """Arrow keys at the prompt, where Python has readline."""
    try:
        import readline  # noqa: F401
    except ImportError:
        return
