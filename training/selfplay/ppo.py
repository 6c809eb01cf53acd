"""``MaskablePPO`` with a collector for self-play; the algorithm itself is sb3-contrib's."""

from __future__ import annotations

import copy
import os
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv

from agents.network import MaskedPolicy

from .buffer import SeatRolloutBuffer
from .games import Outcome, SelfPlayGames

_PURPOSE_ACTIONS = 7_002  # of the generators that are spawned from the seed
_POLICIES = {"MlpPolicy": MaskedPolicy}


def _compress(path: Path) -> None:
    """Pack the parts of a checkpoint again; stable-baselines3 only puts them together."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


class FrozenPolicy:
    """A copy of a policy that plays and no longer learns."""

    def __init__(self, policy: MaskedPolicy) -> None:
        self.policy = copy.deepcopy(policy)
        self.policy.optimizer = None  # type: ignore[assignment]
        self.policy.set_training_mode(False)

    def act_on(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """(B,) actions drawn from the policy."""
        uniform = torch.from_numpy(rng.random(len(masks)))
        with torch.no_grad():
            given = torch.as_tensor(observations, device=self.policy.device)
            return self.policy(given, False, masks, uniform)[0].cpu().numpy()


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO that learns from every seat its policy plays.

    Only the collecting differs: decisions are chained seat by seat (``buffer``), in games in which
    the policy plays some or all seats (``games``). ``train``, ``learn``, ``predict`` and all
    parameters are those of ``MaskablePPO``; ``n_steps`` counts ticks, in each of which one decision
    is taken in every game. Neither numpy's nor Python's global generator is used. What plays is
    kept by ``save_agent``, what goes on learning by ``checkpoints.save_checkpoint``; ``save`` and
    ``load`` know nothing of the games.

    Parameters
    ----------
    policy : str or class
        ``"MlpPolicy"`` is ``agents.network.MaskedPolicy``.
    env : SelfPlayGames
    seed : int
        Of weights, actions and minibatches; the games have their own.
    **kwargs
        As for ``MaskablePPO``.

    Attributes
    ----------
    seconds : dict of str to float
        Time spent so far: ``games`` (rules, bots, observations), ``act`` (forward passes while
        playing), ``store`` (the buffer), ``update`` (``MaskablePPO.train``).
    num_games : int
        Games finished so far.
    stopping : bool
        Set it, and the training ends before its next rollout.
    """

    rollout_buffer: SeatRolloutBuffer  # type: ignore[assignment]
    policy: MaskedPolicy

    def __init__(
        self,
        policy: str | type[MaskedPolicy],
        env: SelfPlayGames,
        *,
        seed: int = 0,
        **kwargs: Any,
    ) -> None:
        if not isinstance(env, SelfPlayGames):
            raise ValueError(f"env must be SelfPlayGames, got {type(env).__name__}")
        self.rng = np.random.default_rng([seed, _PURPOSE_ACTIONS])
        self.seconds = {"games": 0.0, "act": 0.0, "store": 0.0, "update": 0.0}
        self.num_games = 0
        self.stopping = False
        kwargs.setdefault("rollout_buffer_class", SeatRolloutBuffer)
        kwargs.setdefault("rollout_buffer_kwargs", {"seats": env.game.players, "seed": seed})
        chosen = _POLICIES.get(policy, policy) if isinstance(policy, str) else policy
        super().__init__(chosen, env, seed=seed, **kwargs)

    def _setup_model(self) -> None:
        with torch.random.fork_rng(devices=[]):  # the weights come from the seed alone
            super()._setup_model()

    def set_random_seed(self, seed: int | None = None) -> None:
        """Seed the weights; numpy's and Python's global generators are left alone (P16)."""
        if seed is not None:
            torch.manual_seed(seed)

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play ``n_rollout_steps`` ticks; False if the callback stopped it.

        ``callback.on_step`` is called at each tick with ``outcome`` among its locals.
        """
        if not use_masking:
            raise ValueError("self-play needs action masks; leave use_masking on (P8)")
        games, buffer = env, rollout_buffer
        assert isinstance(games, SelfPlayGames)
        assert isinstance(buffer, SeatRolloutBuffer)
        self.policy.set_training_mode(False)
        buffer.begin()
        callback.on_rollout_start()
        if self.stopping:  # before any tick, so that the last checkpoint is where it ends
            return False
        for _ in range(n_rollout_steps):
            outcome, decided = self._tick(games, buffer)
            self.num_timesteps += decided
            self.num_games += len(outcome.finished)
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        buffer.finish()
        callback.on_rollout_end()
        return True

    def _tick(self, games: SelfPlayGames, buffer: SeatRolloutBuffer) -> tuple[Outcome, int]:
        """One decision in every game; how many of them were the learner's."""
        started = time.perf_counter()
        rows = np.flatnonzero(games.players < 0)
        observations = games.observations[rows]
        masks = games.masks[rows].view(np.bool_)
        seats = games.seats[rows]
        uniform = torch.from_numpy(self.rng.random(len(rows)))
        with torch.no_grad():
            given = torch.as_tensor(observations, device=self.device)
            actions, values, log_probabilities = self.policy(given, False, masks, uniform)
        chosen = actions.cpu().numpy()
        acted = time.perf_counter()
        buffer.add_decisions(
            rows,
            seats,
            observations,
            masks,
            chosen,
            values.flatten().cpu().numpy(),
            log_probabilities.cpu().numpy(),
        )
        stored = time.perf_counter()
        outcome = games.advance(rows, chosen)
        played = time.perf_counter()
        if len(outcome.finished):
            buffer.end_games(
                outcome.finished,
                outcome.utilities,
                outcome.line_ups < 0,
                self._final_values(games, outcome),
            )
        self.seconds["act"] += acted - started
        self.seconds["store"] += stored - acted + time.perf_counter() - played
        self.seconds["games"] += played - stored
        return outcome, len(rows)

    def _final_values(self, games: SelfPlayGames, outcome: Outcome) -> np.ndarray | None:
        """(K, n) values of what each seat saw last in truncated games (P12), else 0."""
        if not outcome.truncated.any():
            return None
        final_values = np.zeros(outcome.utilities.shape)
        stopped = outcome.finals[outcome.truncated]
        size = (len(stopped), games.game.players, games.game.observation_size)
        seen = games.game.observe_all_seats(stopped, out=np.zeros(size, dtype=np.uint8))
        with torch.no_grad():
            given = torch.as_tensor(seen.reshape(-1, size[2]), device=self.device)
            values = self.policy.predict_values(given).cpu().numpy()
        final_values[outcome.truncated] = values.reshape(size[:2])
        return final_values

    def train(self) -> None:
        """``MaskablePPO.train``, timed; nothing if fewer than two decisions are ready."""
        buffer = self.rollout_buffer
        if len(buffer.trainable) < 2:
            return
        started = time.perf_counter()
        super().train()
        self.seconds["update"] += time.perf_counter() - started
        # What train() reports is over the whole buffer, also rows that are not in use.
        ready = buffer.trainable
        explained = explained_variance(buffer.values[ready], buffer.returns[ready])
        self.logger.record("train/explained_variance", explained)

    @property
    def games(self) -> SelfPlayGames:
        """What it learns from."""
        assert isinstance(self.env, SelfPlayGames)
        return self.env

    def save_agent(self, path: Path) -> None:
        """Write what plays: a plain ``MaskablePPO`` checkpoint for ``make_agent("ppo:PATH")``.

        It has no optimiser state. Weights that are used in bfloat16 are rounded to it, which
        changes nothing in how it plays, and with the compression makes the file much smaller.
        """
        plain = MaskablePPO(
            type(self.policy),
            env=None,  # type: ignore[arg-type]
            n_steps=1,
            batch_size=1,
            n_epochs=self.n_epochs,
            gamma=self.gamma,
            gae_lambda=self.gae_lambda,
            policy_kwargs=self.policy_kwargs,
            device="cpu",
            _init_setup_model=False,
        )
        plain.observation_space, plain.action_space = self.observation_space, self.action_space
        plain.n_envs = 1
        with torch.random.fork_rng(devices=[]):
            plain._setup_model()
        weights = {name: x.detach().cpu().clone() for name, x in self.policy.state_dict().items()}
        if self.policy.precision == "bfloat16":
            for name, weight in weights.items():
                if weight.ndim == 2 and not name.startswith("value_net"):
                    weights[name] = weight.bfloat16().float()
        plain.policy.load_state_dict(weights)
        plain.num_timesteps = self.num_timesteps
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.stem + ".partial.zip")
        plain.save(partial)
        _compress(partial)
        os.replace(partial, path)

    def _setup_learn(self, *args: Any, **kwargs: Any) -> Any:
        given = kwargs.get("reset_num_timesteps", args[2] if len(args) > 2 else True)
        if given or self._last_obs is None:
            self.rollout_buffer.reset()  # the games are dealt anew
        return super()._setup_learn(*args, **kwargs)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "rng", "rollout_buffer"]
