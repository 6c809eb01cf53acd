"""A training on Ray: built, resumed, watched, saved, exported."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch

from jerusalem_env import __version__
from jerusalem_env.game import Game

from ..checkpoint_folders import (
    complete_checkpoints,
    keep_latest,
    new_checkpoint,
    put_in_place,
)
from ..files import append_json, write_json
from ..interrupts import first_interrupt
from .config import POLICY, make_config
from .export import write_agent
from .game_statistics import GAMES, LENGTH, PAID, TRUNCATED, WINS
from .module import policy_arrays

_KEPT = 2  # checkpoints
_PATIENCE = 2  # iterations without a decision, a minute each, until the training is given up
_WINDOW = 500  # the latest games that means are taken over: at least so many, once there are
_STEPS = "num_env_steps_sampled_lifetime"


class RunError(ValueError):
    """A folder or a cluster that cannot be used for a training."""


@dataclass(frozen=True)
class Scale:
    """How a training is spread; may change when it goes on.

    ``address`` is that of a Ray cluster (``"auto"``, ``"ray://..."``); without one Ray is started
    on this machine. ``threads`` are those of the main process where it learns itself: several crawl
    where other processes want the cores too.
    """

    address: str | None = None
    env_runners: int = 1
    envs_per_runner: int = 16
    learners: int = 0
    gpus_per_learner: float = 0.0
    threads: int = 1


@dataclass(frozen=True)
class Learning:
    """What a training is, beside its game; stays when it goes on."""

    steps_per_learner: int = 8_192
    minibatch: int = 1_024
    epochs: int = 4
    learning_rate: float = 3e-4
    entropy: float = 0.01
    hidden: tuple[int, ...] = (256, 256)
    seed: int = 0


@dataclass(frozen=True)
class Iteration:
    """What an iteration has brought.

    Attributes
    ----------
    number, decisions, games : int
        Iterations, decisions and finished games of the whole training so far.
    speed : float
        Decisions per second of this iteration, learning included.
    seconds_left : float
    length : float
        Mean decisions of a game, over the latest games; NaN before the first has ended.
    wins : tuple of float
        Win rate of each seat, over the same.
    paid : float
        Part of all games in which every seat was credited with what the engine paid (P1).
    truncated : float
        Part of all games that the watchdog stopped.
    """

    number: int
    decisions: int
    games: int
    speed: float
    seconds_left: float
    length: float
    wins: tuple[float, ...]
    paid: float
    truncated: float

    def line(self) -> str:
        """The progress in a line."""
        text = (
            f"{self.number:>5}: {self.decisions:,} decisions, {self.speed:,.0f}/s, "
            f"{_time(self.seconds_left)} left; {self.games:,} games"
        )
        if self.games and not np.isnan(self.length):
            wins = " ".join(f"{rate:.0%}" for rate in self.wins)
            text += (
                f" of {self.length:.0f} decisions; wins by seat {wins}; "
                f"every seat paid in {self.paid:.1%}"
            )
            text += f"; {self.truncated:.1%} truncated" if self.truncated else ""
        return text


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


@contextmanager
def cluster(scale: Scale) -> Iterator[None]:
    """Ray, connected to or started here and stopped in the end; one that runs here is left running.

    Raises
    ------
    RunError
        If the cluster cannot be reached.
    """
    if ray.is_initialized():
        yield
        return
    # Ray reports usage to its makers unless told not to.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Its core reports as an error that restarting a runner may fail; that ends up here anyway.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    for name in ("ray", "ray.rllib"):
        logging.getLogger(name).setLevel(logging.ERROR)
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if scale.address is None:
        # Processes to start are not cores to keep busy: they take turns where cores are few.
        needed = scale.env_runners + scale.learners + 1
        options |= {
            "address": "local",
            "num_cpus": max(os.cpu_count() or 1, needed),
            "include_dashboard": False,
        }
    else:
        options["address"] = scale.address
    try:
        ray.init(**options)
    except (ConnectionError, ValueError) as error:
        raise RunError(f"cannot reach the Ray cluster {scale.address}: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()


class Run:
    """A training in its folder.

    Parameters
    ----------
    folder : Path
        Gets ``run.json``, ``history.jsonl`` (a line an iteration), ``checkpoints/``, and at the end
        ``agent.npz``.
    make_game : callable
        Makes the game from ``settings``; can be imported on every machine.
    settings : dict
        JSON-able.
    learning, scale
        See there.
    resume : bool
        Go on from the latest checkpoint in the folder, with the settings and the ``learning`` that
        it was begun with. A checkpoint of RLlib holds pickles: go on only from your own.

    Raises
    ------
    RunError
        If there is nothing to go on from, or a run where a new one is to begin.
    """

    def __init__(
        self,
        folder: Path,
        make_game: Callable[..., Game],
        settings: dict[str, Any],
        learning: Learning | None = None,
        scale: Scale | None = None,
        resume: bool = False,
    ) -> None:
        self.folder = folder.resolve()
        self.scale = scale or Scale()
        found = checkpoints(self.folder)
        if resume and not found:
            raise RunError(f"{folder} has no checkpoint to resume from; leave --resume out")
        if found and not resume:
            raise RunError(
                f"{folder} holds a run already: go on with it by --resume, or choose another "
                "folder with --out"
            )
        self.settings, self.learning = settings, learning or Learning()
        if resume:
            self.settings, self.learning = _read_run(self.folder)
        self.game = make_game(**self.settings)
        self.stopping = False
        self.decisions = int(found[-1].name) if resume else 0
        config = make_config(
            make_game,
            self.settings,
            env_runners=self.scale.env_runners,
            envs_per_runner=self.scale.envs_per_runner,
            learners=self.scale.learners,
            gpus_per_learner=self.scale.gpus_per_learner,
            **{**asdict(self.learning), "seed": self._seed_from(self.decisions)},
        )
        torch.set_num_threads(self.scale.threads)
        self.algorithm = config.build_algo()
        if resume:
            self.algorithm.restore_from_path(str(found[-1]))
        else:
            write_json(
                self.folder / "run.json",
                {"settings": self.settings, "learning": asdict(self.learning)},
            )
        metrics = self.algorithm.metrics
        self._sums = [self._told(lambda name: metrics.peek(("env_runners", name), default=0.0))]

    def _told(self, read: Callable[[str], float]) -> np.ndarray:
        """Games, their decisions and the wins of each seat, summed over the training so far."""
        wins = (f"{WINS}/player_{seat}" for seat in range(self.game.players))
        return np.array([read(name) for name in (GAMES, LENGTH, *wins)])

    def _seed_from(self, decisions: int) -> int:
        """RLlib's seed, 0 <= seed < 2**31; another where a run goes on, so no deal comes twice."""
        words = np.random.SeedSequence([self.learning.seed, decisions]).generate_state(1)
        return int(words[0] >> 1)

    def train(
        self,
        minutes: float,
        iterations: int | None = None,
        save_minutes: float = 5.0,
        tell: Callable[[str], None] = print,
    ) -> bool:
        """Train until the time is up or the iterations are done; saved in the end.

        Parameters
        ----------
        minutes : float
        iterations : int, optional
            The most of them.
        save_minutes : float
            Between checkpoints.
        tell : callable
            Gets a line for each iteration.

        Returns
        -------
        False if Ctrl-C has ended it. The iteration at hand is finished first; a second Ctrl-C
        interrupts it.

        Raises
        ------
        RunError
            If no environment runner plays.
        """
        began = saved = time.monotonic()
        done = idle = 0
        with first_interrupt(lambda: self._ask_to_stop(tell)):
            while not self.stopping and idle < _PATIENCE:
                before, started = self.decisions, time.monotonic()
                result = self.algorithm.train()
                now = time.monotonic()
                done += 1
                self.decisions = int(result.get("env_runners", {}).get(_STEPS, before))
                idle = idle + 1 if self.decisions <= before else 0
                left = max(60 * minutes - (now - began), 0.0)
                speed = (self.decisions - before) / (now - started)
                iteration = self._iteration(result, speed, left)
                self._note(iteration)
                tell(iteration.line())
                if left <= 0 or done == iterations:
                    break
                if now - saved >= 60 * save_minutes:
                    self.save()
                    saved = time.monotonic()
        if idle >= _PATIENCE:
            raise RunError(
                "no environment runner has played for "
                f"{_PATIENCE} iterations; their errors are in Ray's logs ({_log_folder()})"
            )
        self.save()
        return not self.stopping

    def _iteration(self, result: dict[str, Any], speed: float, left: float) -> Iteration:
        """What RLlib's result says, whose sums go over the whole training."""
        told = result.get("env_runners", {})
        self._sums.append(self._told(lambda name: float(told.get(name, 0.0))))
        games = self._sums[-1][0]
        while len(self._sums) > 2 and games - self._sums[1][0] >= _WINDOW:
            self._sums.pop(0)
        latest, all_games = self._sums[-1] - self._sums[0], max(games, 1.0)
        means = latest[1:] / latest[0] if latest[0] else np.full(len(latest) - 1, np.nan)
        return Iteration(
            number=int(result["training_iteration"]),
            decisions=self.decisions,
            games=int(games),
            speed=speed,
            seconds_left=left,
            length=float(means[0]),
            wins=tuple(float(rate) for rate in means[1:]),
            paid=float(told.get(PAID, 0.0)) / all_games,
            truncated=float(told.get(TRUNCATED, 0.0)) / all_games,
        )

    def _note(self, iteration: Iteration) -> None:
        """A line of the history; null for what is not known yet."""
        content = asdict(iteration)
        if np.isnan(iteration.length):
            content |= {"length": None, "wins": None}
        append_json(self.folder / "history.jsonl", content)

    def save(self) -> Path:
        """Write a checkpoint; complete or not there at all. The latest two are kept."""
        folder = self.folder / "checkpoints"
        partial, target = new_checkpoint(folder, self.decisions)
        self.algorithm.save_to_path(str(partial))
        put_in_place(partial, target)
        keep_latest(folder, _KEPT)
        return target

    def arrays(self) -> dict[str, np.ndarray]:
        """The policy as the arrays of an agent's file."""
        weights = self.algorithm.learner_group.get_weights(module_ids=[POLICY])
        return policy_arrays(weights[POLICY])

    def export(self) -> Path:
        """Write the policy as an agent of the arena: ``agent.npz``."""
        path = self.folder / "agent.npz"
        libraries = {name: version(name) for name in ("ray", "torch", "gymnasium", "numpy")}
        write_agent(
            path,
            self.arrays(),
            self.game,
            self.settings,
            {
                "decisions": self.decisions,
                "learning": asdict(self.learning),
                "libraries": {"jerusalem-env": __version__, **libraries},
            },
        )
        return path

    def stop(self) -> None:
        """End RLlib's processes."""
        self.algorithm.stop()

    def _ask_to_stop(self, tell: Callable[[str], None]) -> None:
        self.stopping = True
        tell("stopping after this iteration; Ctrl-C again to stop at once, unsaved")


def checkpoints(folder: Path) -> list[Path]:
    """The complete checkpoints of a run, oldest first."""
    return complete_checkpoints(folder / "checkpoints")


def _read_run(folder: Path) -> tuple[dict[str, Any], Learning]:
    """Settings of the game and of the learning that a run was begun with."""
    try:
        content = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        learning = replace(Learning(**content["learning"]))
        hidden = tuple(int(width) for width in learning.hidden)
        return dict(content["settings"]), replace(learning, hidden=hidden)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"cannot go on from {folder}: run.json: {error}") from error


def _log_folder() -> str:
    return str(Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "session_latest" / "logs")
