"""``jerusalem arena``: agents against agents over common deals, every deal in all seat rotations.

One agent plays against copies of itself, as many as there are seats form a table, more a
round-robin, fewer meet in duels (one against copies of the other). Blocks of deals are kept in a
folder: the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from agents.base import AgentError
from jerusalem_env.errors import GameError
from jerusalem_env.games import short_name
from jerusalem_env.kernels import thread_limit
from jerusalem_env.records import write_records

from ..files import write_json, write_text
from ..game_options import add_game_arguments, agents_text, settle_game
from . import report
from .blocks import number_of_blocks
from .playing import EvaluationError
from .progress import ArenaProgress
from .runner import Folder, Settings, all_compiled, fingerprint, run_blocks
from .schedule import FORMATS, default_format, entrant_names
from .statistics import summarise

_INTERRUPTED = 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="jerusalem arena", description=__doc__)
    add = parser.add_argument
    add("agents", nargs="+", help=f"agents: {agents_text()}; one several times is fine")
    add("--deals", type=int, default=1000, help="each is played in all rotations (1000)")
    add("--format", choices=FORMATS, help="who meets whom; else as the number of agents says")
    add_game_arguments(parser)
    add("--seed", type=int, default=0)
    add("--out", type=Path, help="folder of the results (runs/arena/NAME)")
    add("--restart", action="store_true", help="discard what is in the folder")
    add("--records", type=Path, metavar="FILE", help="also write a record of every game")
    add("--workers", type=int, help="processes (1 if all agents are compiled, else all cores)")
    add("--threads", type=int, help="threads a process, for compiled agents")
    add("--json", action="store_true", help="print JSON instead of tables")
    return parser


def _title(settings: Settings) -> str:
    rules = f"{settings.rules} rules, " if settings.rules else ""
    return (
        f"Arena: {', '.join(dict.fromkeys(settings.agents))} ({short_name(settings.name)}, "
        f"{settings.format}, {settings.players} players, {rules}{settings.information}, "
        f"seed {settings.seed})"
    )


def run(options: argparse.Namespace) -> None:
    """Play what is left to play, write the results and print them.

    Raises
    ------
    AgentError, EvaluationError, GameError
        Where something given is wrong.
    """
    settle_game(options)
    names: list[str] = options.agents
    if len(names) == 1:
        names = names * max(1, options.players)
    settings = Settings(
        agents=tuple(names),
        players=options.players,
        rules=options.rules,
        information=options.information,
        format=options.format or default_format(len(names), options.players),
        deals=options.deals,
        seed=options.seed,
        name=options.game,
    )
    for option in ("workers", "threads"):
        value = getattr(options, option)
        if value is not None and value < 1:
            raise EvaluationError(f"{option} must be at least 1, got {value}")
    settings.check()
    game = settings.game()
    schedule = settings.schedule()
    agents = settings.make_agents(game)
    workers = options.workers or (1 if all_compiled(game, agents) else os.cpu_count() or 1)
    threads = options.threads or (thread_limit() if workers == 1 else 1)
    printed = fingerprint(settings, game, agents)
    path = options.out or Path("runs") / "arena" / settings.folder_name()
    folder = Folder(path, printed, options.restart)
    blocks = number_of_blocks(schedule, settings.deals)
    keep_records = options.records is not None

    started = time.perf_counter()
    try:
        with ArenaProgress() as progress:
            games_now = run_blocks(settings, folder, workers, threads, keep_records, progress)
    except KeyboardInterrupt:
        left = len(folder.missing(blocks, keep_records))
        print(
            f"\njerusalem arena: interrupted; {blocks - left} of {blocks} blocks are kept in "
            f"{path}. The same command goes on from there.",
            file=sys.stderr,
        )
        raise
    seconds = time.perf_counter() - started

    entrants = entrant_names(settings.agents)
    results = folder.load(blocks)
    summary = summarise(results, schedule, entrants, settings.seed)
    content: dict[str, Any] = {
        "settings": asdict(settings),
        "fingerprint": printed,
        **summary.to_dict(),
        "timing": {
            "seconds": seconds,
            "games": games_now,
            "workers": workers,
            "threads": threads,
        },
    }
    closing = report.closing_line(summary, seconds, games_now)
    title = _title(settings)
    write_json(path / "results.json", content)
    write_text(path / "results.md", report.text(summary, title, closing, brief=False))
    if options.records is not None:
        options.records.parent.mkdir(parents=True, exist_ok=True)
        write_records(options.records, folder.records(blocks))
        write_text(
            options.records.with_name(f"{options.records.stem}.seats.csv"),
            report.games_csv(results, schedule, entrants),
        )
    if options.json:
        print(json.dumps(content, indent=1))
    else:
        print(report.text(summary, title, closing, brief=True), end="")
        print(f"More in {path / 'results.md'} and results.json")


def main(arguments: list[str]) -> int:
    """The command ``jerusalem arena``."""
    options = _parser().parse_args(arguments)
    try:
        run(options)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except (AgentError, EvaluationError, GameError) as error:
        print(f"jerusalem arena: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"jerusalem arena: cannot keep the results: {error}. Free some space or choose "
            "another place with --out; finished blocks are kept.",
            file=sys.stderr,
        )
        return 2
    return 0
