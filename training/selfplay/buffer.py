"""The decisions of a rollout, chained seat by seat.

A decision's successor is the same seat's next decision in the same game, however many others decide
in between; what a seat is paid at the end belongs to its last decision. A decision whose successor
lies beyond the rollout waits: it is learned from in the next one, with the probability and value
that it was taken with. So every decision is learned from once (those that wait at the very end
never are), and none through a guess of what its seat would have seen.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.buffers import RolloutBuffer

from jerusalem_env.kernels import entry_kernel

OPEN, ENDED = -1, -2  # successors: not known yet; none, the game is over

_KEPT = ("observations", "masks", "actions", "log_probabilities", "values")


@entry_kernel
def seat_advantages(  # type: ignore[no-untyped-def]
    values, rewards, successors, bootstraps, gamma, gae_lambda, advantages
):
    """Write generalised advantage estimates (Schulman et al. 2016) along the chains.

    All arrays are (R,): ``successors`` int64, always later rows, or OPEN or ENDED; the others
    float32. ``bootstraps`` is the value of what followed a truncated game's last decision, else 0.
    An open row counts as its value alone.
    """
    for row in range(values.shape[0] - 1, -1, -1):
        after = successors[row]
        if after == OPEN:
            advantages[row] = 0.0
        elif after == ENDED:
            advantages[row] = rewards[row] + gamma * bootstraps[row] - values[row]
        else:
            change = rewards[row] + gamma * values[after] - values[row]
            advantages[row] = change + gamma * gae_lambda * advantages[after]


class SeatRolloutBuffer(RolloutBuffer):
    """What ``SelfPlayPPO`` learns from, in the form that ``MaskablePPO.train`` reads.

    Parameters
    ----------
    buffer_size : int
        Ticks of a rollout.
    observation_space, action_space, device, gae_lambda, gamma
        As for stable-baselines3's ``RolloutBuffer``.
    n_envs : int
        Slots.
    seats : int
        Of a game.
    seed : int
        Of the order in which minibatches are drawn.

    Attributes
    ----------
    observations : (R, F) as observed; masks : (R, A) bool; actions, successors : (R,) int64
    log_probabilities, values, rewards, bootstraps, advantages, returns : (R,) float32
        One row a decision, in the order they were taken; those that waited come first.
    rows : int
        How many rows are in use.
    trainable : (K,) int64
        After ``finish``: the rows to learn from.
    last_rows : (B, n) int64
        The row of each seat's latest decision, -1: none in this game yet.
    unheard : int
        Payments in this rollout to learner seats that had made no decision in their game.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        device: torch.device | str = "auto",
        gae_lambda: float = 0.95,
        gamma: float = 1.0,
        n_envs: int = 1,
        seats: int = 2,
        seed: int = 0,
    ) -> None:
        if not isinstance(observation_space, spaces.Box):
            raise ValueError(f"observations must be a Box, got {observation_space}")
        if not isinstance(action_space, spaces.Discrete):
            raise ValueError(f"actions must be Discrete, got {action_space}")
        self.seats = seats
        self.rng = np.random.default_rng(seed)
        # Besides the ticks' rows those that waited: at most one a seat.
        self.capacity = n_envs * (buffer_size + seats)
        self.num_actions = int(action_space.n)
        super().__init__(
            buffer_size, observation_space, action_space, device, gae_lambda, gamma, n_envs
        )

    def reset(self) -> None:
        """Forget everything, waiting decisions too."""
        size = self.capacity
        assert isinstance(self.observation_space, spaces.Box)
        shape = (size, *self.observation_space.shape)
        self.observations = np.zeros(shape, dtype=self.observation_space.dtype)
        self.masks = np.zeros((size, self.num_actions), dtype=np.bool_)
        self.actions = np.zeros(size, dtype=np.int64)
        self.log_probabilities = np.zeros(size, dtype=np.float32)
        self.values = np.zeros(size, dtype=np.float32)
        self.rewards = np.zeros(size, dtype=np.float32)
        self.bootstraps = np.zeros(size, dtype=np.float32)
        self.successors = np.full(size, OPEN, dtype=np.int64)
        self.advantages = np.zeros(size, dtype=np.float32)
        self.returns = np.zeros(size, dtype=np.float32)
        self.last_rows = np.full((self.n_envs, self.seats), -1, dtype=np.int64)
        self.rows = 0
        self.trainable = np.zeros(0, dtype=np.int64)
        self.full = False
        self.unheard = 0

    def begin(self) -> None:
        """Begin a rollout: keep the decisions that wait, forget the others."""
        slots, seats = np.nonzero(self.last_rows >= 0)
        waiting = self.last_rows[slots, seats]
        count = len(waiting)
        for name in _KEPT:
            array = getattr(self, name)
            array[:count] = array[waiting]
        self.rewards[:] = 0.0
        self.bootstraps[:] = 0.0
        self.successors[:] = OPEN
        self.last_rows[slots, seats] = np.arange(count)
        self.rows = count
        self.full = False
        self.unheard = 0

    def add_decisions(
        self,
        slots: np.ndarray,
        seats: np.ndarray,
        observations: np.ndarray,
        masks: np.ndarray,
        actions: np.ndarray,
        values: np.ndarray,
        log_probabilities: np.ndarray,
    ) -> None:
        """Decisions of one tick, at most one a slot: (K,) slots and seats, and what is theirs.

        Raises
        ------
        ValueError
            If the rollout holds more ticks than it was made for.
        """
        count = len(slots)
        if self.rows + count > self.capacity:
            raise ValueError(f"the rollout is full: {self.capacity} decisions")
        these = slice(self.rows, self.rows + count)
        rows = np.arange(self.rows, self.rows + count)
        self.observations[these] = observations
        self.masks[these] = masks
        self.actions[these] = actions
        self.values[these] = values
        self.log_probabilities[these] = log_probabilities
        before = self.last_rows[slots, seats]
        self.successors[before[before >= 0]] = rows[before >= 0]
        self.last_rows[slots, seats] = rows
        self.rows += count

    def end_games(
        self,
        slots: np.ndarray,
        utilities: np.ndarray,
        learners: np.ndarray,
        final_values: np.ndarray | None = None,
    ) -> None:
        """Pay the seats of games that ended: every learner's, whoever decided last (P1).

        Parameters
        ----------
        slots : (K,) int64
        utilities : (K, n)
        learners : (K, n) bool
        final_values : (K, n), optional
            Value of what each seat saw last, where the game was truncated, else 0 (P12).
        """
        # A slot may be there twice: bots can end its next game before the learner is asked.
        _, first = np.unique(slots, return_index=True)
        rows = np.full(utilities.shape, -1, dtype=np.int64)
        rows[first] = self.last_rows[slots[first]]
        told = rows >= 0
        self.unheard += int((learners & ~told).sum())
        self.rewards[rows[told]] += utilities[told]
        self.successors[rows[told]] = ENDED
        if final_values is not None:
            self.bootstraps[rows[told]] = final_values[told]
        self.last_rows[slots] = -1

    def finish(self) -> None:
        """Compute advantages and returns; what has a successor is ready to learn from."""
        rows = self.rows
        seat_advantages(
            self.values[:rows],
            self.rewards[:rows],
            self.successors[:rows],
            self.bootstraps[:rows],
            np.float32(self.gamma),
            np.float32(self.gae_lambda),
            self.advantages[:rows],
        )
        self.returns[:rows] = self.advantages[:rows] + self.values[:rows]
        self.trainable = np.flatnonzero(self.successors[:rows] != OPEN)
        self.full = True

    def get(  # type: ignore[override]
        self, batch_size: int | None = None
    ) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Minibatches of ``batch_size`` or a few more; they cover the rollout in random order."""
        if not self.full:
            raise ValueError("the rollout is not finished: call finish() first")
        order = self.rng.permutation(self.trainable)
        parts = max(1, len(order) // (batch_size or max(len(order), 1)))
        for rows in np.array_split(order, parts):
            if len(rows):
                yield self._samples(rows)

    def _samples(self, rows: np.ndarray) -> Any:
        """What ``MaskablePPO.train`` asks for; masks stay bool, observations as they are."""
        to = self.to_torch
        return MaskableRolloutBufferSamples(
            observations=to(self.observations[rows]),
            actions=to(self.actions[rows]),
            old_values=to(self.values[rows]),
            old_log_prob=to(self.log_probabilities[rows]),
            advantages=to(self.advantages[rows]),
            returns=to(self.returns[rows]),
            action_masks=to(self.masks[rows]),
        )

    # --- for checkpoints ---------------------------------------------------------------------
    def snapshot(self) -> dict[str, np.ndarray]:
        """The decisions that wait, as after ``begin``: arrays for a file."""
        slots, seats = np.nonzero(self.last_rows >= 0)
        waiting = self.last_rows[slots, seats]
        kept = {name: getattr(self, name)[waiting] for name in _KEPT}
        return {**kept, "slots": slots, "seats": seats}

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Go on from a ``snapshot``."""
        self.reset()
        count = len(arrays["slots"])
        for name in _KEPT:
            getattr(self, name)[:count] = arrays[name]
        self.last_rows[arrays["slots"], arrays["seats"]] = np.arange(count)
        self.rows = count
