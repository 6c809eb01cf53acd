"""A training from its config: built, resumed, watched, saved, measured."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule, get_device

from agents.base import Agent
from agents.learned import PPOAgent
from agents.network import best_precision
from agents.registry import make_agent
from jerusalem_env import games
from jerusalem_env.game import Game
from jerusalem_env.kernels import thread_limit

from ..checkpoint_folders import complete_checkpoints, keep_latest
from ..evaluate import EvaluationResult, evaluate
from ..files import append_json, write_json, write_text
from ..interrupts import first_interrupt
from .card import write_card
from .checkpoints import (
    CheckpointError,
    load_checkpoint,
    provenance,
    read_about,
    save_checkpoint,
)
from .config import ConfigError, TrainingConfig
from .games import SelfPlayGames
from .opponents import BotTables, OpponentPool
from .ppo import FrozenPolicy, SelfPlayPPO
from .profile import PartTimes
from .progress import TrainingProgress
from .warm_start import imitate
from .wins import WinRates

_HISTORY, _EVALUATIONS = "history.jsonl", "evaluations.jsonl"
_NEVER = 10**12  # iterations: the logger is dumped here instead


class RunError(ValueError):
    """A folder that cannot be used for a run."""


def make_game(config: TrainingConfig, reward: str = "win") -> Game:
    """The game of a config. Raises GameError."""
    game = config.game
    return games.make_game(
        game.name,
        game.players,
        game.rules or None,
        information=game.information,
        reward=reward,
    )


def _settled(config: TrainingConfig) -> TrainingConfig:
    """A config in which nothing depends on the machine any more. Raises ConfigError."""
    device = config.run.device
    try:
        found = get_device(device)
    except RuntimeError as error:
        raise ConfigError(f"run.device: {str(error).splitlines()[0]}") from error
    if device.startswith("cuda") and found.type != "cuda":
        raise ConfigError("run.device is cuda, but torch sees no GPU here; use auto or cpu")
    precision = config.network.precision
    if precision == "auto":
        precision = best_precision(str(found))
    network = dataclasses.replace(config.network, precision=precision)
    return dataclasses.replace(config, network=network)


def _bots(names: tuple[str, ...], game: Game) -> tuple[Agent, ...]:
    """New bots by their names."""
    return tuple(make_agent(name, game) for name in names)


def build(config: TrainingConfig) -> SelfPlayPPO:
    """A new model with its games and opponents.

    Raises
    ------
    ConfigError
        If the game or a share of opponents cannot be.
    AgentError
        For unknown bots.
    """
    try:
        game = make_game(config)
    except ValueError as error:
        raise ConfigError(f"game: {error}") from error
    weights = {
        "win": config.reward.win,
        "rank": config.reward.rank,
        "margin": config.reward.margin,
    }
    pool = OpponentPool(
        [BotTables(table.share, _bots(table.bots, game)) for table in config.opponents.tables],
        past=config.opponents.past,
        keep=config.opponents.past_kept,
    )
    played = SelfPlayGames(
        game,
        config.games.slots,
        seed=config.run.seed,
        pool=pool,
        rewards=[(weight, make_game(config, name)) for name, weight in weights.items() if weight],
        threads=config.games.threads or thread_limit(),
    )
    ppo, network = config.ppo, config.network
    return SelfPlayPPO(
        "MlpPolicy",
        played,
        learning_rate=LinearSchedule(ppo.learning_rate, ppo.final_learning_rate, 1.0),
        n_steps=config.games.ticks,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.entropy,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.max_grad_norm,
        target_kl=ppo.target_kl or None,
        policy_kwargs={
            "precision": _settled(config).network.precision,
            "features_extractor_kwargs": {"layers": network.shared},
            "net_arch": {"pi": list(network.policy), "vf": list(network.value)},
            "optimizer_kwargs": {"fused": True, "eps": 1e-5},
        },
        seed=config.run.seed,
        device=config.run.device,
    )


class _Watch(BaseCallback):
    """Between rollouts: past policies, checkpoints, evaluations, the history; then the display."""

    def __init__(self, run: Run, config: TrainingConfig, progress: TrainingProgress) -> None:
        super().__init__()
        self._run, self._config, self._progress = run, config, progress

    def _on_training_start(self) -> None:
        self._saved = self._evaluated = time.monotonic()
        self._last = (self.num_timesteps, time.perf_counter())

    def _on_rollout_start(self) -> None:
        run, now = self._run, time.monotonic()
        self._note()  # before the checkpoint: a line is of steps that are not lost
        every = self._config.opponents.past_every
        if self._config.opponents.past > 0 and self.num_timesteps >= run.next_past:
            run.model.games.pool.add_past(self.num_timesteps, FrozenPolicy(run.model.policy))
            run.next_past = (self.num_timesteps // every + 1) * every
        stopping = run.model.stopping
        if stopping or not run.saved or now - self._saved >= 60 * self._config.checkpoints.minutes:
            run.save()
            self._saved = time.monotonic()
        minutes = self._config.evaluation.minutes
        if minutes > 0 and now - self._evaluated >= 60 * minutes and not stopping:
            run.measure(self._config.evaluation.deals, self._progress)
            self._evaluated = time.monotonic()
        self._last = (self.num_timesteps, time.perf_counter())  # speed is without all this

    def _on_training_end(self) -> None:
        self._note()

    def _note(self) -> None:
        """The rollout and update that were just made: in the history, as curves, on display."""
        before, then = self._last
        self._last = (self.num_timesteps, time.perf_counter())
        if self.num_timesteps == before:
            return
        speed = (self.num_timesteps - before) / max(self._last[1] - then, 1e-9)
        rates = self._run.wins.rates()
        measures = {
            key.partition("/")[2]: float(f"{float(value):.6g}")
            for key, value in self.logger.name_to_value.items()
            if key.startswith("train/")
        }
        self._run.note(
            {
                "decisions": self.num_timesteps,
                "games": self._run.model.num_games,
                "decisions_per_second": round(speed),
                "wins": {name: [round(rate, 4), games] for name, (rate, games) in rates.items()},
                **measures,
            }
        )
        for name, (rate, _) in rates.items():
            self.logger.record(f"wins/{name}", rate)
        self.logger.record("time/decisions_per_second", speed)
        self.logger.dump(self.num_timesteps)
        self._progress.update(self.num_timesteps, speed, rates)

    def _on_step(self) -> bool:
        self._run.wins.add(self.locals["outcome"])
        return True


class Run:
    """A training in its folder.

    Parameters
    ----------
    config : TrainingConfig
    folder : Path
        Gets ``config.json``, ``checkpoints/``, ``history.jsonl`` (a line an update),
        ``evaluations.jsonl``, ``tensorboard/``, and at the end ``agent.zip`` and ``card.md``.
    progress : TrainingProgress, optional
    """

    def __init__(
        self, config: TrainingConfig, folder: Path, progress: TrainingProgress | None = None
    ) -> None:
        self.config = config = _settled(config)
        self.folder = folder
        self.progress = progress or TrainingProgress(config.run.decisions)
        self.saved = False
        self.next_past = 0
        self.warm_start: dict[str, float] = {}
        self._made = [provenance()]  # of each session
        torch.set_num_threads(config.run.threads)
        self.model = build(self.config)
        for table in config.evaluation.tables:  # unknown names are told now and not in hours
            _bots(table, self.model.games.game)
        self.wins = WinRates(self.model.games)

    def resume(self) -> None:
        """Go on from the latest checkpoint, exactly. Raises CheckpointError or RunError."""
        found = complete_checkpoints(self.folder / "checkpoints")
        if not found:
            raise RunError(f"{self.folder} has no checkpoint to resume from")
        while True:
            try:
                load_checkpoint(found[-1], self.model)
                break
            except CheckpointError as error:
                if len(found) == 1:
                    raise
                self.progress.tell(f"{error}; trying the one before")
                found.pop()
        about = read_about(found[-1])
        self.next_past, self.warm_start = about["next_past"], about["warm_start"]
        self.wins.restore(about["wins"])
        self._made = [*about["provenance"], *self._made]
        self.saved = True
        write_json(self.folder / "config.json", self.config.to_dict())
        for name in (_HISTORY, _EVALUATIONS):
            _forget_after(self.folder / name, self.model.num_timesteps)

    def train(self, profile: bool = False) -> bool:
        """Learn until all decisions are made; False if it was stopped before.

        The first interrupt (Ctrl-C) ends it after the update at hand, with a checkpoint; a second
        one ends it at once. ``profile`` keeps in ``parts`` where the time goes.
        """
        config, model = self.config, self.model
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.saved:
            write_json(self.folder / "config.json", config.to_dict())
            if config.warm_start.begun_with:
                self._take_over(config.warm_start.begun_with)
            elif config.warm_start.teacher and config.warm_start.decisions > 0:
                self._imitate()
        model.set_logger(configure(str(self.folder / "tensorboard"), ["tensorboard"]))
        self.parts = PartTimes(model) if profile else None
        left = config.run.decisions - model.num_timesteps
        if left > 0:
            watch = _Watch(self, config, self.progress)
            with self.progress, first_interrupt(self._interrupted):
                # A model that has not been resumed deals its games at the start.
                model.learn(left, watch, log_interval=_NEVER, reset_num_timesteps=not self.saved)
        if self.parts is not None:
            self.parts.close()
        if model.num_timesteps < config.run.decisions:
            return False
        self.save()
        return not model.stopping

    def finish(self) -> list[EvaluationResult]:
        """The final evaluation; writes ``agent.zip`` and its card."""
        self.model.save_agent(self.folder / "agent.zip")
        deals = self.config.evaluation.final_deals
        self.progress.tell(f"measuring over {deals:,} deals; Ctrl-C and --resume do it later")
        results = self.measure(deals, self.progress, "final")
        self.model.logger.dump(self.model.num_timesteps)
        write_card(self.folder, self.config, self.model, self._made, self.warm_start, results)
        return results

    def save(self) -> None:
        """Write a checkpoint and remove old ones."""
        folder = self.folder / "checkpoints"
        broken = [
            name
            for name, weights in self.model.policy.named_parameters()
            if not torch.isfinite(weights).all()
        ]
        if broken:
            raise RunError(
                f"the training has diverged: {broken[0]} is not finite after "
                f"{self.model.num_timesteps:,} decisions. The latest checkpoint in {folder} is of "
                "before; begin another run from its agent.zip (warm_start.agent) with a lower "
                "learning rate"
            )
        about = {
            "config": self.config.to_dict(),
            "provenance": self._made,
            "game": {"name": self.model.games.game.name, **self.model.games.game.rules_dict()},
            "next_past": self.next_past,
            "warm_start": self.warm_start,
            "wins": self.wins.snapshot(),
        }
        save_checkpoint(folder, self.model, about)
        keep_latest(folder, self.config.checkpoints.kept)
        self.saved = True

    def measure(
        self, deals: int, progress: TrainingProgress, kind: str = "while training"
    ) -> list[EvaluationResult]:
        """Evaluate the policy, its likeliest actions, at all tables of the config."""
        game = self.model.games.game
        agent, results = PPOAgent(self.model, game), []
        for names in self.config.evaluation.tables:
            seed = self.config.evaluation.seed
            result = evaluate(agent, _bots(names, game), game, deals, seed)
            label = "+".join(names)
            self.model.logger.record(f"evaluation/{label}", result.win_rate)
            line = {"decisions": self.model.num_timesteps, "kind": kind, **result.to_dict()}
            append_json(self.folder / _EVALUATIONS, line)
            progress.tell(
                f"{self.model.num_timesteps / 1e6:,.1f} million decisions: wins "
                f"{result.win_rate:.1%} ({result.low:.1%} to {result.high:.1%}) against {label}"
            )
            results.append(result)
        return results

    def note(self, line: dict[str, Any]) -> None:
        """Add a line to the history."""
        append_json(self.folder / _HISTORY, line)

    def _take_over(self, paths: Sequence[str]) -> None:
        """Begin with the weights of another agent, or with the mean of several."""
        policy, found = self.model.policy, []
        for path in paths:
            other = PPOAgent(path, self.model.games.game)
            try:
                policy.load_state_dict(other.model.policy.state_dict())
            except RuntimeError as error:
                raise RunError(
                    f"{path} has another network than the config: "
                    f"{str(error).splitlines()[-1].strip()}"
                ) from error
            found.append(other.model.policy.state_dict())
            self.progress.tell(
                f"beginning with {path}, {other.model.num_timesteps:,} decisions old"
            )
        policy.load_state_dict(
            {name: torch.stack([one[name] for one in found]).mean(dim=0) for name in found[0]}
        )

    def _imitate(self) -> None:
        settings = self.config.warm_start
        teacher = make_agent(settings.teacher, self.model.games.game)
        started = time.perf_counter()

        def told(done: int, measures: dict[str, float]) -> None:
            seconds = time.perf_counter() - started
            left = seconds * max(settings.decisions - done, 0) / done
            self.progress.tell(
                f"imitating {settings.teacher}: {done / 1e6:.1f} of "
                f"{settings.decisions / 1e6:.1f} million decisions, {done / seconds:,.0f} per "
                f"second, {left:.0f} s left; agrees in {measures['agreement']:.1%}"
            )

        self.warm_start = imitate(
            self.model,
            teacher,
            settings.decisions,
            seed=self.config.run.seed,
            learning_rate=settings.learning_rate,
            batch_size=settings.batch_size,
            progress=told,
            learner_share=settings.learner_share,
        )

    def _interrupted(self) -> None:
        self.model.stopping = True
        self.progress.tell("stopping after this update; once more Ctrl-C stops at once")


def _forget_after(path: Path, decisions: int) -> None:
    """Drop what a history says about steps that were lost, and a line half written."""
    if not path.exists():
        return
    kept = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            if json.loads(line)["decisions"] <= decisions:
                kept.append(line)
        except (ValueError, KeyError):
            break
    write_text(path, "".join(line + "\n" for line in kept))
