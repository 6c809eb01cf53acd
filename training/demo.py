"""``jerusalem demo``: a game between bots, an agent trained for two minutes, its win rates."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.base import Agent
from agents.registry import make_agent
from jerusalem_env import jerusalem_v0
from jerusalem_env.envs.sb3 import SoloVecEnv
from jerusalem_env.jerusalem.game import JerusalemGame

from .evaluate import evaluate

_TABLES = 256
_STEPS = 64
_BATCH = 2048
_WINDOW = 200  # games over which the shown win rate is taken


def show_game(agents: list[Agent], seed: int, console: Console) -> None:
    """Play one game and print, round by round, what everybody did and the board after it."""
    env = jerusalem_v0.raw_env(players=len(agents), render_mode="ansi")
    env.reset(seed=seed)
    for seat, agent in enumerate(agents):
        agent.reset(seed + seat)
    this_round, line_seat, line = 0, -1, ""

    def flush() -> None:
        if line:
            console.print(f"  P{line_seat}: {line}", highlight=False, markup=False, soft_wrap=True)

    while not any(env.terminations.values()) and not any(env.truncations.values()):
        state = env.states[0]
        if state["round"] != this_round:
            flush()
            line_seat, line = -1, ""
            if this_round:
                console.print(
                    "\n" + str(env.render()) + "\n", highlight=False, markup=False, soft_wrap=True
                )
            this_round = int(state["round"])
            console.rule(f"Round {this_round}")
        seat = int(state["to_act"])
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
    """Stops the training when its time is up and moves the progress bar."""

    def __init__(self, tables: SoloVecEnv, seconds: float, progress: Progress, opponents: str):
        super().__init__()
        self._tables, self._seconds, self._progress = tables, seconds, progress
        self._opponents = opponents

    def _on_training_start(self) -> None:
        """The tables are compiled and dealt by now."""
        self._started = time.perf_counter()
        self._task = self._progress.add_task(
            f"against {self._opponents}", total=self._seconds, status=""
        )

    def _on_step(self) -> bool:
        elapsed = time.perf_counter() - self._started
        recent = list(self._tables.episode_wins)[-_WINDOW:]
        wins = f"wins {np.mean(recent):.0%}" if recent else ""
        self._progress.update(
            self._task,
            completed=min(elapsed, self._seconds),
            status=f"{self.num_timesteps / max(elapsed, 1e-9):,.0f}/s  {wins}",
        )
        return elapsed < self._seconds


def train(game: JerusalemGame, seconds: float, seed: int, console: Console) -> MaskablePPO:
    """MaskablePPO for a given time on solo tables, each other seat a random or a greedy bot.

    It learns from the margin in floors: against greedy bots a beginner never wins, so the reward
    for winning alone would tell it nothing.
    """
    opponents = [make_agent("random"), make_agent("greedy")]
    # One thread: the tables take a tenth of the time, and the network has the other cores.
    tables = SoloVecEnv(game, _TABLES, opponents, seed=seed, threads=1)
    model = MaskablePPO(
        "MlpPolicy",
        tables,
        learning_rate=1e-3,
        n_steps=_STEPS,
        batch_size=_BATCH,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256]},
        seed=seed,
        device="cpu",
    )
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[status]}"),
    )
    try:
        with Progress(*columns, console=console) as progress:
            model.learn(10**12, callback=_Clock(tables, seconds, progress, "random, greedy"))
    except KeyboardInterrupt:
        console.print("interrupted: going on with what has been learned so far")
    return model


def save(model: MaskablePPO, path: Path) -> None:
    """Write a checkpoint to a temporary name, then rename it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.stem + ".partial.zip")
    model.save(partial)
    os.replace(partial, path)


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
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=4)
    parser.add_argument("--seconds", type=float, default=120.0, help="training time (120)")
    parser.add_argument("--deals", type=int, default=250, help="deals of the evaluation (250)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("runs/demo/agent.zip"))
    parser.add_argument("--threads", type=int, help="threads of the network (all cores but one)")
    options = parser.parse_args(arguments)
    if options.seconds <= 0 or options.deals < 2:
        parser.error("--seconds must be positive and --deals at least 2")
    console = Console()
    # One core is left free: torch on all cores slows down tenfold when anything else runs.
    torch.set_num_threads(options.threads or max(1, (os.cpu_count() or 1) - 1))
    game = JerusalemGame(players=options.players, reward="margin")
    try:  # before two minutes are spent on an agent that cannot be kept
        options.out.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=options.out.parent).close()
    except OSError as error:
        return _cannot_save(options.out, error)

    console.rule("1. A game between scripted bots")
    console.print("Every decision that was not forced; boards show everything.\n")
    show_game([make_agent("greedy") for _ in range(game.players)], options.seed, console)

    console.rule("2. Training")
    model = train(game, options.seconds, options.seed, console)
    try:
        save(model, options.out)
    except OSError as error:
        return _cannot_save(options.out, error)
    console.print(f"{model.num_timesteps:,} decisions learned from; saved to {options.out}\n")

    console.rule("3. Evaluation")
    console.print(
        f"{options.deals} deals, each played with the agent in all {game.players} seats; "
        f"chance is {1 / game.players:.0%}.\n"
    )
    agent = make_agent(f"ppo:{options.out}", game)
    for name in ("random", "greedy"):
        opponents = [make_agent(name) for _ in range(game.players - 1)]
        result = evaluate(agent, opponents, game, deals=options.deals, seed=options.seed + 1)
        console.print(result.table(), highlight=False, markup=False, soft_wrap=True)
        console.print()
    return 0
