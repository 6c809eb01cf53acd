"""``jerusalem balance``: what thousands of games between equal players say about the game itself.

One agent plays all seats; a condition is a number of players with an income preset. Seat advantage,
office prices, floors, length, first builders and events are written to report.json and report.md,
with figures as PNG. Finished conditions are kept in the folder and not simulated again.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from agents.base import AgentError
from agents.registry import agent_names
from jerusalem_env import __version__
from jerusalem_env.chance import checked_seed
from jerusalem_env.jerusalem.rules.board import INCOME_NOTE, INCOME_PRESETS
from jerusalem_env.kernels import thread_limit

from ..files import write_json, write_text
from ..game_options import only_first_game, refuse_other_games
from .conditions import Condition, Plan, run_condition
from .report import markdown
from .simulate import BalanceError

PLAYERS = (2, 3, 4)
FIGURES = "figures"
_OF_ONE_GAME = "it looks at the prices, floors and events of its rules"


def make_report(plan: Plan, conditions: list[Condition], out: Path, restart: bool = False) -> Any:
    """Simulate what is missing and write report.json, report.md and the figures into ``out``.

    Parameters
    ----------
    plan : Plan
    conditions : list of Condition
        In the order of the report.
    out : Path
    restart : bool
        Simulate finished conditions too.

    Returns
    -------
    The report, as in report.json.

    Raises
    ------
    AgentError, BalanceError
        If the agent does not exist, or cannot play this.
    OSError
        If a file cannot be written.
    """
    results = _run_all(plan, conditions, out, restart)
    report = {
        "provenance": {
            "version": __version__,
            "agent": plan.agent,
            "games": plan.games,
            "seed": plan.seed,
            "unit": "game: an independent deal; intervals are 95 %",
            "incomes": INCOME_NOTE,
        },
        "conditions": results,
    }
    write_json(out / "report.json", report)
    from .figures import draw_all  # matplotlib only where figures are drawn

    figures = draw_all(report, out / FIGURES)
    write_text(out / "report.md", markdown(report, figures, out))
    return report


def _run_all(
    plan: Plan, conditions: list[Condition], out: Path, restart: bool
) -> list[dict[str, Any]]:
    """Every condition's result, with a progress bar, or a line each where there is no terminal."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    results = []
    with bar:
        task = bar.add_task("", total=plan.games * len(conditions), speed="")
        for condition in conditions:
            bar.update(task, description=condition.name)
            started = time.perf_counter()
            done = 0

            def advance(games: int, started: float = started) -> None:
                nonlocal done
                done += games
                speed = done / max(time.perf_counter() - started, 1e-9)
                bar.update(task, advance=games, speed=f"{speed:,.0f} games/s")

            result, simulated = run_condition(condition, plan, out, restart, advance)
            results.append(result)
            if not simulated:
                bar.update(task, advance=plan.games)
            if not console.is_terminal:
                seconds = time.perf_counter() - started
                how = f"{plan.games} games in {seconds:.1f} s" if simulated else "kept"
                print(f"{condition.name}: {how}", file=sys.stderr, flush=True)
    return results


def main(arguments: list[str]) -> int:
    """The command ``jerusalem balance``."""
    presets = tuple(INCOME_PRESETS)
    parser = argparse.ArgumentParser(prog="jerusalem balance", description=__doc__)
    parser.add_argument(
        "--agent", default="expert", help=f"plays all seats: {', '.join(agent_names())} (expert)"
    )
    parser.add_argument("--games", type=int, default=10_000, help="a condition (10000)")
    parser.add_argument("--players", type=int, nargs="+", choices=PLAYERS, default=list(PLAYERS))
    parser.add_argument("--income", nargs="+", choices=presets, default=list(presets))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, help="all cores unless given; changes no result")
    parser.add_argument("--out", type=Path, default=Path("runs/balance"), help="the folder")
    parser.add_argument("--restart", action="store_true", help="simulate finished conditions again")
    only_first_game(parser, _OF_ONE_GAME)
    options = parser.parse_args(arguments)
    refuse_other_games(parser, options.game, _OF_ONE_GAME)
    threads = thread_limit() if options.threads is None else options.threads
    if options.games < 2 or threads < 1:
        parser.error("--games must be at least 2 and --threads at least 1")
    try:
        plan = Plan(options.agent, options.games, checked_seed(options.seed), threads)
        conditions = [
            Condition(players, income)
            for players in dict.fromkeys(options.players)
            for income in dict.fromkeys(options.income)
        ]
        make_report(plan, conditions, options.out, options.restart)
    except (AgentError, BalanceError) as error:
        print(f"jerusalem balance: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"jerusalem balance: cannot write the report: {error}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"jerusalem balance: {error}", file=sys.stderr)
        return 2
    print(f"{options.out / 'report.md'}, report.json and {FIGURES}/")
    return 0
