"""One seat against bots at many tables, as a gymnasium ``VectorEnv``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..game import Game
from .opponents import Opponent
from .solo import observation_space
from .tables import Tables


class SoloVectorEnv(VectorEnv):
    """Many solo tables stepped in one compiled call: ``gymnasium.make_vec("Jerusalem-v0", ...)``.

    Observation
        Box (B, F): float32 in [0, 1], or uint8 whole numbers. The masks are in
        ``infos["action_mask"]`` (B, A) bool and ``action_masks()``.
    Action
        (B,) integers in MultiDiscrete([A] * B).
    Reward
        (B,) float64: the learner's utility where its game ended, else 0.
    Termination
        At the end of the game; the watchdog truncates. By default an illegal action loses: the
        episode ends with reward -1 and ``infos["final_info"]["illegal_action"]`` is True there
        (``illegal="raise"`` raises instead and changes nothing).
    Autoreset
        Same-step: what is returned for a finished game is the first observation of the next, the
        reward and flags are the old one's, whose last observation is in ``infos["final_obs"][i]``
        (``infos["_final_obs"]`` says where) and seat in ``infos["final_info"]["seat"]``.
    State
        Game e at table i has the seed ``game.derive_seeds(seed, B, e)[i]`` of ``reset(seed=...)``.

    Parameters
    ----------
    game : Game
    num_envs : int
    opponents, seat, threads
        See ``Tables``.
    illegal : "lose" or "raise"
    observation_dtype : "float32" or "uint8"
    render_mode : None
    copy : bool
        Return arrays that stay the caller's; False returns views that the next step overwrites.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponents: str | Opponent | Sequence[str | Opponent] | None = None,
        seat: int | None = None,
        threads: int | None = None,
        illegal: str = "lose",
        observation_dtype: str = "float32",
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None:
            raise ValueError(
                f"many tables are not rendered; render_mode is None, got {render_mode!r}"
            )
        if illegal not in ("lose", "raise"):
            raise ValueError(f"illegal must be 'lose' or 'raise', got {illegal!r}")
        self.game = game
        self.tables = Tables(
            game, num_envs, opponents, seat, threads, observation_dtype, illegal == "lose"
        )
        self.num_envs = self.tables.num_tables
        self.action_names = game.action_names
        self.copy = copy
        self.single_observation_space = observation_space(game, observation_dtype)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal all tables; the bots play up to the learner's first decisions.

        One seed serves all tables; a list of seeds, or the option ``reset_mask``, is refused with
        ValueError.
        """
        if isinstance(seed, (list, tuple, np.ndarray)):
            raise ValueError("reset takes one seed for all tables (or None), not one for each")
        if options and "reset_mask" in options:
            raise ValueError("tables are dealt anew as they finish; reset_mask is not supported")
        super().reset(seed=seed)
        self.tables.reset(int(self.np_random.integers(0, 2**63)))
        return self._given(self.tables.observations), self._infos()

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """The learner's decision at every table, and the bots' up to its next."""
        arrays = self.tables.arrays
        finished = self.tables.step(actions)
        infos = self._infos()
        if len(finished):
            where = np.zeros(self.num_envs, dtype=np.bool_)
            where[finished] = True
            last = np.full(self.num_envs, None, dtype=object)
            for row, table in zip(self.tables.final_observations(finished), finished, strict=True):
                last[table] = row
            seats = np.where(where, arrays.final_seats, 0)
            infos["final_obs"], infos["_final_obs"] = last, where
            infos["_final_info"] = where.copy()
            infos["final_info"] = {
                "seat": seats,
                "_seat": where.copy(),
                "illegal_action": arrays.faults == 1,
                "_illegal_action": where.copy(),
            }
        return (
            self._given(self.tables.observations),
            self._given(arrays.rewards),
            self._given(arrays.terminated.view(np.bool_)),
            self._given(arrays.truncated.view(np.bool_)),
            infos,
        )

    def action_masks(self) -> np.ndarray:
        """(B, A) bool: the legal actions at every table."""
        return self._given(self.tables.masks.view(np.bool_))

    def _infos(self) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks(),
            "_action_mask": np.ones(self.num_envs, dtype=np.bool_),
            "seat": self._given(self.tables.seats),
            "_seat": np.ones(self.num_envs, dtype=np.bool_),
        }

    def _given(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array
