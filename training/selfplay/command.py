"""``jerusalem train``: self-play PPO from a config, resumable, measured at the end."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path

from agents.base import AgentError
from jerusalem_env.games import (
    USUAL_GAME,
    add_game_argument,
    players_text,
    short_name,
    usual_players,
)

from ..checkpoint_folders import complete_checkpoints
from .checkpoints import CheckpointError, read_about
from .config import ConfigError, TrainingConfig, config_of, read_config
from .progress import TrainingProgress
from .run import Run, RunError


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="jerusalem train",
        description=__doc__,
        epilog="Settings and their defaults: training/selfplay/config.py and training/configs/. "
        "tensorboard --logdir FOLDER shows the curves.",
    )
    add_game_argument(parser, default=None)
    parser.add_argument("--players", type=int, help=f"{players_text()} (the game's usual number)")
    parser.add_argument("--config", type=Path, help="TOML (or JSON) file; only what differs")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SECTION.NAME=VALUE",
        dest="changes",
        help="a single setting, such as ppo.learning_rate=1e-4; may be given several times",
    )
    parser.add_argument("--decisions", type=int, help="the same as --set run.decisions=N")
    parser.add_argument("--seed", type=int, help="the same as --set run.seed=N")
    parser.add_argument("--device", help="auto, cpu or cuda: the same as --set run.device=...")
    parser.add_argument("--out", type=Path, help="folder of the run (runs/train_GAME_PLAYERSp)")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on from the latest checkpoint in the folder; of the settings only decisions, "
        "device, threads, checkpoints and evaluation may change; more decisions stretch the "
        "fall of the learning rate",
    )
    parser.add_argument(
        "--profile", action="store_true", help="tell in the end where the time went"
    )
    return parser


def _changes(options: argparse.Namespace) -> list[str]:
    changes = list(options.changes)
    for name in ("decisions", "seed"):
        value = getattr(options, name)
        if value is not None:
            changes.append(f"run.{name}={value}")
    if options.device is not None:
        changes.append(f'run.device="{options.device}"')
    return changes


def _resumed(folder: Path, options: argparse.Namespace) -> TrainingConfig:
    """The config of the run that goes on, with what may change."""
    found = complete_checkpoints(folder / "checkpoints")
    if not found:
        raise RunError(f"{folder} has no checkpoint to resume from; leave --resume out")
    kept = _readable(found)
    if options.game not in (None, kept.game.name):
        raise ConfigError(f"the run in {folder} is of {kept.game.name}")
    if options.players not in (None, kept.game.players):
        raise ConfigError(f"the run in {folder} is for {kept.game.players} players")
    if options.config is not None:
        raise ConfigError("--resume goes on with the run's own config; leave --config out")
    changes = _changes(options)
    given = read_config(None, kept.game.players, changes, kept.game.name)
    changed = {change.partition("=")[0].strip() for change in changes}
    sections = {
        name: dataclasses.replace(
            getattr(kept, name),
            **{key: getattr(getattr(given, name), key) for key in _keys(changed, name)},
        )
        for name in ("run", "checkpoints", "evaluation")
    }
    for change in changed:
        section = change.partition(".")[0]
        if section not in sections or change == "run.seed":
            raise ConfigError(
                f"{change} cannot change in a run that goes on; start another with --out"
            )
    return dataclasses.replace(kept, **sections)


def _readable(found: list[Path]) -> TrainingConfig:
    """The config in the latest checkpoint that can be read."""
    for checkpoint in reversed(found[1:]):
        try:
            return config_of(read_about(checkpoint)["config"], str(checkpoint))
        except (CheckpointError, KeyError):
            continue
    return config_of(read_about(found[0])["config"], str(found[0]))


def _keys(changed: set[str], section: str) -> list[str]:
    return [name.partition(".")[2] for name in changed if name.partition(".")[0] == section]


def _usual_folder(game: str, players: int) -> Path:
    """Where a run is kept unless told."""
    return Path(f"runs/train_{short_name(game)}_{players}p")


def run(options: argparse.Namespace) -> int:
    """Train as the options say; returns the exit status."""
    if options.resume:
        game = options.game or USUAL_GAME
        folder = options.out or _usual_folder(game, options.players or usual_players(game))
        config = _resumed(folder, options)
    else:
        config = read_config(options.config, options.players, _changes(options), options.game)
        folder = options.out or _usual_folder(config.game.name, config.game.players)
        if complete_checkpoints(folder / "checkpoints"):
            raise RunError(
                f"{folder} holds a run already: go on with it by --resume, or choose another "
                "folder with --out"
            )
    progress = TrainingProgress(config.run.decisions)
    training = Run(config, folder, progress)
    if options.resume:
        training.resume()
        progress.tell(f"going on at {training.model.num_timesteps:,} decisions")
    complete = training.train(profile=options.profile)
    if training.parts is not None:
        print(training.parts.text())
    if not complete:
        print(f"stopped at {training.model.num_timesteps:,} decisions; go on with --resume")
        return 130
    for result in training.finish():
        print(result.table())
    print(f"\n{folder / 'agent.zip'} plays as ppo:{folder / 'agent.zip'}; {folder / 'card.md'}")
    return 0


def main(arguments: list[str]) -> int:
    """The command ``jerusalem train``."""
    options = _parser().parse_args(arguments)
    try:
        return run(options)
    except (ConfigError, RunError, CheckpointError, AgentError) as error:
        print(f"jerusalem train: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"jerusalem train: cannot write: {error}. Free some space or choose another place "
            "with --out; --resume goes on from the latest checkpoint",
            file=sys.stderr,
        )
        return 1
