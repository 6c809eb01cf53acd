"""A stable-baselines3 ``VecEnv`` of solo tables. Needs the extra ``train``."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from ..chance import checked_seed
from ..errors import NotResetError
from ..game import Game
from .opponents import Opponent
from .solo import observation_space
from .tables import Tables

_KEPT = 100_000  # results of the latest finished games


class SoloVecEnv(VecEnv):
    """Many solo tables for ``MaskablePPO``: one network, one seat a table, bots in the others.

    Finished games are dealt anew within the step, as stable-baselines3 expects: the returned
    observation is the new game's, the old one's last is in ``infos[i]["terminal_observation"]``
    (P11), and a truncation is told by ``infos[i]["TimeLimit.truncated"]``. ``action_masks()`` and
    ``env_method("action_masks")`` serve all tables at once. The dictionaries of tables at which no
    game finished are the same empty ones in every step: write nothing into them.

    Parameters
    ----------
    game : Game
    num_envs : int
    opponents, seat, threads
        See ``Tables``.
    seed : int
    observation_dtype : "float32" or "uint8"
        uint8 takes a quarter of the memory; a policy must then scale it
        (``game.observation_scale``).

    Attributes
    ----------
    episode_rewards, episode_wins : deque of float
        Of the latest 100,000 finished games, oldest first. A win is 1, or 1 / w where w seats share
        it, so that their mean is the win rate.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: str | Opponent | Sequence[str | Opponent] | None = None,
        seat: int | None = None,
        seed: int = 0,
        threads: int | None = None,
        observation_dtype: str = "float32",
    ) -> None:
        self._next_seed: int | None = checked_seed(seed)
        self._rng = np.random.default_rng(seed)
        self.game = game
        self.tables = Tables(game, num_envs, opponents, seat, threads, observation_dtype)
        super().__init__(
            num_envs,
            observation_space(game, observation_dtype),
            spaces.Discrete(game.num_actions),
        )
        self._actions: np.ndarray | None = None
        self.episode_rewards: deque[float] = deque(maxlen=_KEPT)
        self.episode_wins: deque[float] = deque(maxlen=_KEPT)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Set the seed of the next ``reset``."""
        if seed is not None:
            self._next_seed = checked_seed(seed)
            self._rng = np.random.default_rng(seed)
        return [seed] * self.num_envs

    def reset(self) -> np.ndarray:
        """Deal all tables: from the seed the first time, then always other games."""
        seed = self._next_seed
        if seed is None:
            seed = int(self._rng.integers(0, 2**64, dtype=np.uint64))
        self._next_seed = None
        self.tables.reset(seed)
        self._lengths[:] = 0
        return self.tables.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Decide, let the bots play, deal finished tables anew."""
        if self._actions is None:
            raise NotResetError("call step(actions), or step_async before step_wait")
        arrays = self.tables.arrays
        finished = self.tables.step(self._actions)
        self._lengths += 1
        rewards = arrays.rewards.astype(np.float32)
        dones = np.zeros(self.num_envs, dtype=np.bool_)
        infos = self._infos.copy()
        if len(finished):
            dones[finished] = True
            last = self.tables.final_observations(finished)
            for row, table in enumerate(finished):
                reward = float(rewards[table])
                self.episode_rewards.append(reward)
                self.episode_wins.append(self._won(int(table)))
                infos[table] = {
                    "terminal_observation": last[row],
                    "TimeLimit.truncated": bool(arrays.truncated[table]),
                    "episode": {"r": reward, "l": int(self._lengths[table]), "t": 0.0},
                }
            self._lengths[finished] = 0
        return self.tables.observations.copy(), rewards, dones, infos

    def _won(self, table: int) -> float:
        """The learner's part of the win in the game that just finished at a table."""
        arrays = self.tables.arrays
        shares = self.game.win_shares(arrays.finals[table : table + 1])
        return float(shares[0, arrays.final_seats[table]])

    def action_masks(self) -> np.ndarray:
        """(B, A) bool masks of the learner's decisions."""
        return self.tables.masks.view(np.bool_).copy()

    def _masks_of(self, table: int) -> np.ndarray:
        """(A,) bool mask of one table."""
        return self.tables.masks[table].astype(np.bool_)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Serves ``action_masks``, the only method a table has."""
        if method_name != "action_masks":
            raise AttributeError(f"a solo table has no method {method_name!r}, only action_masks")
        masks = self.action_masks()
        return list(masks if indices is None else masks[list(self._get_indices(indices))])

    def has_attr(self, attr_name: str) -> bool:
        """Whether ``env_method`` or ``get_attr`` would serve it."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """``render_mode`` is None for every table."""
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        if attr_name == "action_masks":
            return [partial(self._masks_of, table) for table in self._get_indices(indices)]
        raise AttributeError(f"a solo table has no attribute {attr_name!r}")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Tables have no attributes to set."""
        raise AttributeError(f"a solo table has no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No table is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing is held open."""
