"""``jerusalem record``: games as a table in a Parquet file, a row a decision; or a Minari dataset.

Agents play, or records that are there are converted (--from). A table has who decided what in which
position, everything that was hidden too, and how the game ended. Ctrl-C ends it after the games at
hand, and what was recorded so far is kept (exit status 130); a second one leaves nothing behind.
SIGTERM and SIGHUP are taken as the first Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from agents.base import AgentError
from jerusalem_env.errors import GameError, RecordError
from jerusalem_env.game import Game
from jerusalem_env.games import USUAL_GAME
from jerusalem_env.kernels import thread_limit

from ..arena.playing import EvaluationError
from ..game_options import add_game_arguments, agents_text, game_of
from ..interrupts import ENDINGS, endings_interrupt, first_interrupt
from .errors import RecordingError
from .minari_dataset import MinariEpisodes
from .parquet import ParquetRows
from .pieces import Piece
from .progress import RecordingProgress, tell
from .rows import Rows, about
from .sources import RecordedGames, played_pieces, seat_agents

_INTERRUPTED = 130
# What agents play, unless given otherwise; records bring their own.
_PLAYED = {"games": 1000, "seed": 0}
_OF_THE_GAME = ("game", "players", "rules")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="jerusalem record", description=__doc__)
    add = parser.add_argument
    add("agents", nargs="*", help=f"one for each seat, or fewer: {agents_text()}")
    add("--from", dest="records", type=Path, metavar="FILE", help="records or a table to convert")
    add("--out", type=Path, metavar="FILE", help="the Parquet file")
    add("--minari", metavar="NAME", help="a Minari dataset, such as jerusalem/expert-v0")
    add("--learner", metavar="AGENT", help="of the Minari dataset: only this agent's episodes")
    add("--games", type=int, help="how many (1000)")
    add("--paired", action="store_true", help="every deal in all rotations of the agents")
    add_game_arguments(parser, "of observations")
    parser.set_defaults(game=None)
    add("--reward", default="win", help="what utilities are: win, rank or margin (win)")
    add("--seed", type=int, help="the games depend on it (0)")
    add("--observations", action="store_true", help="also what the seat saw, and legal actions")
    add("--all-decisions", action="store_true", help="also those with one legal action")
    add("--force", action="store_true", help="replace what is there")
    add("--threads", type=int, help="for compiled agents; all cores unless given")
    return parser


class _Recording(NamedTuple):
    """What is recorded: its game, names of agents, settings, number of games, and the pieces."""

    game: Game
    agents: tuple[str, ...]
    settings: dict[str, object]
    games: int
    pieces: Callable[[], Iterator[Piece]]


def _of_records(options: argparse.Namespace) -> _Recording:
    names = (*_OF_THE_GAME, *_PLAYED, "threads")
    given = [f"--{name}" for name in names if getattr(options, name) is not None]
    given += ["--all-decisions"] * options.all_decisions + ["--paired"] * options.paired
    given += ["agents"] * bool(options.agents)
    if given:
        raise RecordingError(f"records say what was played; leave out {', '.join(given)}")
    recorded = RecordedGames(options.records, options.information, options.reward)
    settings = {"records": options.records.name}
    return _Recording(recorded.game, (), settings, recorded.games, recorded.pieces)


def _of_agents(options: argparse.Namespace) -> _Recording:
    for name, usual in _PLAYED.items():
        if getattr(options, name) is None:
            setattr(options, name, usual)
    options.game = options.game or USUAL_GAME
    game = game_of(options, reward=options.reward, skip_forced=not options.all_decisions)
    seated, names = seat_agents(game, options.agents)
    seed, paired = options.seed, options.paired
    threads = thread_limit() if options.threads is None else options.threads

    def pieces() -> Iterator[Piece]:
        return played_pieces(game, seated, options.games, seed, paired=paired, threads=threads)

    return _Recording(game, names, {"seed": seed, "paired": paired}, options.games, pieces)


class _Stop:
    """Whether it was asked to end; calling it asks."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> None:
        self.asked = True
        tell("\njerusalem record: ending after the games at hand; Ctrl-C again leaves nothing\n")


def run(options: argparse.Namespace, kept: list[str]) -> bool:
    """Record as told; returns whether all games are there, false if it was asked to end before.

    Whatever is in its place is told in ``kept``, also if an error comes after it.

    Raises
    ------
    RecordingError, RecordError, AgentError, EvaluationError, GameError
        Where something given is wrong.
    """
    if options.out is None and options.minari is None:
        raise RecordingError("name a file with --out, or a dataset with --minari")
    if not options.agents and options.records is None:
        raise RecordingError("name agents that play, such as expert, or records with --from")
    if options.learner is not None and options.minari is None:
        raise RecordingError("--learner is for a dataset; name it with --minari")
    started = time.perf_counter()
    with ExitStack() as stack:
        # What is there is found out before anything takes time.
        file = stack.enter_context(ParquetRows(options.out, options.force)) if options.out else None
        recording = _of_records(options) if options.records else _of_agents(options)
        dataset = None
        if options.minari is not None:
            dataset = stack.enter_context(
                MinariEpisodes(
                    options.minari,
                    recording.game,
                    recording.agents,
                    options.learner,
                    options.force,
                )
            )
        rows = _rows(recording, options.observations) if file is not None else None
        stop = _Stop()
        with first_interrupt(stop, ENDINGS):
            games, decisions = _write(recording, file, rows, dataset, stop)
            complete = games == recording.games
            # Both are finished before either has its name: a fault in one leaves none.
            if file is not None:
                file.finish(complete)
            if dataset is not None:
                dataset.finish()
            if file is not None:
                file.put_in_place()
                kept.append(f"{file.path}: {games:,} games, {decisions:,} rows")
            if dataset is not None:
                dataset.put_in_place()
                kept.append(
                    f"{dataset.name} ({dataset.path}): {dataset.episodes:,} episodes, "
                    f"{dataset.steps:,} steps"
                )
    seconds = time.perf_counter() - started
    print("\n".join(kept))
    if not complete:
        print(
            f"jerusalem record: interrupted; the first {games:,} of {recording.games:,} games are "
            "kept",
            file=sys.stderr,
        )
    else:
        speed = decisions / max(seconds, 1e-9)
        print(f"{decisions:,} decisions in {seconds:.1f} s, {speed:,.0f} a second")
    return complete


def _rows(recording: _Recording, observations: bool) -> Rows:
    game, agents = recording.game, recording.agents
    metadata = about(game, agents, observations, recording.settings)
    return Rows(game, agents, observations, metadata)


def _write(
    recording: _Recording,
    file: ParquetRows | None,
    rows: Rows | None,
    dataset: MinariEpisodes | None,
    stop: _Stop,
) -> tuple[int, int]:
    """Write piece after piece until all are there or it is to stop; games and decisions written."""
    progress = RecordingProgress(recording.games)
    games = decisions = 0
    for piece in recording.pieces():
        if file is not None and rows is not None:
            file.add(rows.batch(piece))
        if dataset is not None:
            dataset.add(piece)
        games = piece.first_game + len(piece.finals)
        decisions += len(piece.states)
        progress(games, decisions)
        if stop.asked:
            break
    progress.done()
    return games, decisions


def _told(kept: Sequence[str]) -> str:
    return f"written: {'; '.join(kept)}" if kept else "nothing was written"


def main(arguments: Sequence[str]) -> int:
    """The command ``jerusalem record``."""
    options = _parser().parse_args(list(arguments))
    kept: list[str] = []
    try:
        with endings_interrupt():
            complete = run(options, kept)
    except KeyboardInterrupt:
        print(f"\njerusalem record: interrupted; {_told(kept)}", file=sys.stderr)
        return _INTERRUPTED
    except (AgentError, EvaluationError, GameError, RecordError, RecordingError) as error:
        what = f"; {_told(kept)}" if kept else ""
        print(f"jerusalem record: {error}{what}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"jerusalem record: cannot read or write: {error}; {_told(kept)}", file=sys.stderr)
        return 2
    return 0 if complete else _INTERRUPTED
