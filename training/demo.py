"""``jerusalem demo``: a game between bots, an agent trained for two minutes, its win rates."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from stable_baselines3.common.callbacks import BaseCallback

from agents.base import Agent
from agents.registry import make_agent, simple_agent, usual_agent
from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.errors import GameError
from jerusalem_env.game import Game
from jerusalem_env.games import add_game_argument, make_game, players_text

from .evaluate import evaluate
from .selfplay.config import read_config
from .selfplay.ppo import SelfPlayPPO
from .selfplay.run import build
from .selfplay.warm_start import imitate
from .selfplay.wins import WinRates

_SETTINGS = (
    "games.slots=256",
    "games.ticks=64",
    "ppo.learning_rate=3e-4",
    "ppo.batch_size=2048",
    "opponents.past=0.0",
    "network.shared=[256]",
    "network.policy=[256]",
)


def show_game(game: Game, agents: list[Agent], seed: int, console: Console) -> None:
    """Play one game and print, round by round, what everybody did and the board after it.

    A game whose columns have no round is told in one go.
    """
    env = GameAECEnv(game, render_mode="ansi")
    env.reset(seed=seed)
    for seat, agent in enumerate(agents):
        agent.reset(seed + seat)
    this_round, line_seat, line = 0, -1, ""

    def flush() -> None:
        if line:
            console.print(f"  P{line_seat}: {line}", highlight=False, markup=False, soft_wrap=True)

    while not any(env.terminations.values()) and not any(env.truncations.values()):
        now = int(game.columns(env.states).get("round", np.zeros(1, dtype=np.int64))[0])
        if now != this_round:
            flush()
            line_seat, line = -1, ""
            if this_round:
                console.print(
                    "\n" + str(env.render()) + "\n", highlight=False, markup=False, soft_wrap=True
                )
            this_round = now
            console.rule(f"Round {this_round}")
        seat = int(game.to_act(env.states)[0])
        views = env.game.views(env.states)
        mask = env.observe(env.agent_selection)["action_mask"].astype(np.uint8)
        action = int(agents[seat].act(views, mask[None])[0])
        name = env.action_names[action]
        if seat == line_seat:
            line += f", {name}"
        else:
            flush()
            line_seat, line = seat, name
        env.step(action)
    flush()
    console.print("\n" + str(env.render()) + "\n", highlight=False, markup=False, soft_wrap=True)


class _Clock(BaseCallback):
    """Stops the training when its time is up, and shows how it goes."""

    def __init__(self, model: SelfPlayPPO, seconds: float, progress: Progress, task: TaskID):
        super().__init__()
        self._seconds, self._progress, self._task = seconds, progress, task
        self._wins = WinRates(model.games)

    def _on_training_start(self) -> None:
        self._started = time.perf_counter()
        self._progress.update(self._task, total=self._seconds, completed=0)

    def _on_step(self) -> bool:
        elapsed = time.perf_counter() - self._started
        self._wins.add(self.locals["outcome"])
        wins = ", ".join(f"{name} {rate:.0%}" for name, (rate, _) in self._wins.rates().items())
        self._progress.update(
            self._task,
            completed=min(elapsed, self._seconds),
            description="self-play",
            status=f"{self.num_timesteps / max(elapsed, 1e-9):,.0f}/s"
            + (f"  wins: {wins}" if wins else ""),
        )
        return elapsed < self._seconds


def train(game: Game, seconds: float, seed: int, console: Console) -> SelfPlayPPO:
    """A policy for a given time: a third of it copies a teacher, then it learns by self-play.

    The same trainer as ``jerusalem train``, with smaller batches: there is no time to wait. Without
    a teacher in the game's config all the time is for self-play.
    """
    changes = [f"run.seed={seed}", *_SETTINGS]
    config = read_config(players=game.players, changes=changes, game=game.name)
    model, teacher = build(config), config.warm_start.teacher
    copying = seconds / 3 if teacher else 0.0
    playing = seconds - copying
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[status]}"),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(f"copying {teacher or 'nobody'}", total=copying, status="")
        started = time.perf_counter()

        def copied(done: int, measures: dict[str, float]) -> None:
            elapsed = time.perf_counter() - started
            progress.update(
                task,
                completed=min(elapsed, copying),
                status=f"{done / elapsed:,.0f}/s  agrees in {measures['agreement']:.0%}",
            )

        try:
            if teacher:
                agent = make_agent(teacher, game)
                imitate(model, agent, 10**9, seed=seed, seconds=copying, progress=copied)
            model.learn(10**12, callback=_Clock(model, playing, progress, task))
        except KeyboardInterrupt:
            console.print("interrupted: going on with what has been learned so far")
    return model


def _cannot_save(path: Path, error: OSError) -> int:
    print(
        f"jerusalem demo: cannot save the agent to {path}: {error}. Free some space or choose "
        "another place with --out.",
        file=sys.stderr,
    )
    return 1


def main(arguments: list[str]) -> int:
    """The command ``jerusalem demo``."""
    parser = argparse.ArgumentParser(prog="jerusalem demo", description=__doc__)
    add_game_argument(parser)
    parser.add_argument("--players", type=int, help=f"{players_text()} (the game's usual number)")
    parser.add_argument("--seconds", type=float, default=120.0, help="training time (120)")
    parser.add_argument("--deals", type=int, default=250, help="deals of the evaluation (250)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/demo/agent.zip"))
    parser.add_argument("--threads", type=int, help="threads of the network (1)")
    options = parser.parse_args(arguments)
    if options.seconds <= 0 or options.deals < 2:
        parser.error("--seconds must be positive and --deals at least 2")
    console = Console()
    # More threads than one gain little here, and crawl as soon as anything else runs.
    torch.set_num_threads(options.threads or 1)
    try:
        game = make_game(options.game, options.players)
    except GameError as error:
        parser.error(str(error))
    try:  # before two minutes are spent on an agent that cannot be kept
        options.out.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=options.out.parent).close()
    except OSError as error:
        return _cannot_save(options.out, error)

    console.rule("1. A game between scripted bots")
    console.print("Every decision that was not forced; boards show everything.\n")
    bots = [make_agent(simple_agent(game.name), game) for _ in range(game.players)]
    show_game(game, bots, options.seed, console)

    console.rule("2. Training")
    model = train(game, options.seconds, options.seed, console)
    try:
        model.save_agent(options.out)
    except OSError as error:
        return _cannot_save(options.out, error)
    console.print(
        f"{model.num_timesteps:,} decisions of its own in {model.num_games:,} games; saved to "
        f"{options.out}\n"
    )

    console.rule("3. Evaluation")
    console.print(
        f"{options.deals} deals, each played with the agent in all {game.players} seats; "
        f"chance is {1 / game.players:.0%}.\n"
    )
    agent = make_agent(f"ppo:{options.out}", game)
    for name in dict.fromkeys(("random", simple_agent(game.name), usual_agent(game.name))):
        opponents = [make_agent(name, game) for _ in range(game.players - 1)]
        result = evaluate(agent, opponents, game, deals=options.deals, seed=options.seed + 1)
        console.print(result.table(), highlight=False, markup=False, soft_wrap=True)
        console.print()
    return 0
