"""``jerusalem rllib``: one policy for all seats, trained on a Ray cluster or on Ray here."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from jerusalem_env.games import (
    USUAL_GAME,
    add_game_argument,
    make_game,
    players_text,
    usual_players,
    usual_rules,
)

from ..game_options import rules_text

_MISSING = "this needs the extra `ray`: pip install 'jerusalem-env[ray]'"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jerusalem rllib",
        description=__doc__,
        epilog="The agent that it writes plays everywhere as rllib:PATH, without Ray. On a cluster "
        "start Ray on each machine (`ray start`) and give --address auto on one of them.",
    )
    add_game_argument(parser, default=None)
    parser.add_argument("--players", type=int, help=f"{players_text()} (the game's usual number)")
    parser.add_argument("--rules", help=rules_text())
    parser.add_argument("--information", choices=("screen", "recall"), help="(screen)")
    parser.add_argument("--reward", choices=("win", "rank", "margin"), help="(win)")
    parser.add_argument("--minutes", type=float, default=3.0, help="to train from now on (3)")
    parser.add_argument("--iterations", type=int, help="the most of them")
    parser.add_argument("--address", help="of a Ray cluster: auto, ray://...; else Ray starts here")
    parser.add_argument(
        "--runners", type=int, default=1, help="processes that play; 0: the main one plays (1)"
    )
    parser.add_argument(
        "--games", type=int, default=16, help="that each of them plays at once (16)"
    )
    parser.add_argument(
        "--learners", type=int, default=0, help="processes that learn; 0: the main one learns (0)"
    )
    parser.add_argument("--gpus-per-learner", type=float, default=0.0, help="(0)")
    parser.add_argument(
        "--threads", type=int, default=1, help="of the main process where it learns itself (1)"
    )
    parser.add_argument("--steps", type=int, help="decisions per learner and update (8192)")
    parser.add_argument("--minibatch", type=int, help="(1024)")
    parser.add_argument("--epochs", type=int, help="(4)")
    parser.add_argument("--learning-rate", type=float, help="(3e-4)")
    parser.add_argument("--entropy", type=float, help="weight of the entropy (0.01)")
    parser.add_argument("--hidden", type=int, nargs="+", help="widths of the layers (256 256)")
    parser.add_argument("--seed", type=int, help="(0)")
    parser.add_argument("--save-minutes", type=float, default=5.0, help="between checkpoints (5)")
    parser.add_argument("--out", type=Path, default=Path("runs/rllib"), help="(runs/rllib)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on from the latest checkpoint in the folder, with the game and the learning "
        "settings of its beginning; only how it is spread and how long may change",
    )
    return parser


_GAME = ("game", "players", "rules", "information", "reward")
_LEARNING = {
    "steps": "steps_per_learner",
    "minibatch": "minibatch",
    "epochs": "epochs",
    "learning_rate": "learning_rate",
    "entropy": "entropy",
    "hidden": "hidden",
    "seed": "seed",
}


def run(options: argparse.Namespace) -> int:
    """Train as the options say; returns the exit status."""
    from .run import Learning, Run, RunError, Scale, cluster

    chosen = {name for name in (*_GAME, *_LEARNING) if getattr(options, name) is not None}
    if options.resume and chosen:
        raise RunError(
            f"--{min(chosen).replace('_', '-')} cannot change in a run that goes on; start another "
            "with --out"
        )
    given: dict[str, Any] = {}
    for option in chosen & set(_LEARNING):
        value = getattr(options, option)
        given[_LEARNING[option]] = tuple(value) if isinstance(value, list) else value
    scale = Scale(
        options.address,
        options.runners,
        options.games,
        options.learners,
        options.gpus_per_learner,
        options.threads,
    )
    game = options.game or USUAL_GAME
    settings: dict[str, Any] = {
        "name": game,
        "players": usual_players(game) if options.players is None else options.players,
        "rules": options.rules or usual_rules(game),
        "information": options.information or "screen",
        "reward": options.reward or "win",
    }
    make_game(**settings)  # says what is wrong with them before Ray starts
    with cluster(scale):
        training = Run(options.out, make_game, settings, Learning(**given), scale, options.resume)
        try:
            if options.resume:
                print(f"going on at {training.decisions:,} decisions", flush=True)
            complete = training.train(
                options.minutes,
                options.iterations,
                options.save_minutes,
                tell=lambda text: print(text, flush=True),
            )
            path = training.export()
        finally:
            training.stop()
    shown = options.out / path.name
    print(f"{shown} plays as rllib:{shown}")
    if not complete:
        print(f"stopped at {training.decisions:,} decisions; go on with --resume")
        return 130
    return 0


def main(arguments: list[str]) -> int:
    """The command ``jerusalem rllib``."""
    options = _parser().parse_args(arguments)
    try:
        import ray.rllib
    except ImportError as error:
        print(f"jerusalem rllib: {_MISSING} ({error})", file=sys.stderr)
        return 1
    del ray
    try:
        return run(options)
    except ValueError as error:  # RunError and GameError are
        print(f"jerusalem rllib: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"jerusalem rllib: cannot write: {error}. Free some space or choose another place with "
            "--out; --resume goes on from the latest checkpoint",
            file=sys.stderr,
        )
        return 1
