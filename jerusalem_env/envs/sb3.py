"""A stable-baselines3 ``VecEnv`` of solo tables. Needs the extra ``train``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from ..chance import checked_seed
from ..errors import IllegalActionError
from ..game import Game
from .solo import Opponent, SoloTables


class SoloVecEnv(VecEnv):
    """Many solo tables for ``MaskablePPO``: one network, one seat a table, bots in the others.

    Finished games are dealt anew within the step, as stable-baselines3 expects: the returned
    observation is the new game's, the old one's last is in ``infos[i]["terminal_observation"]``
    (P11), and a truncation is told by ``infos[i]["TimeLimit.truncated"]``. ``action_masks()``
    serves all tables at once.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Opponent] | None = None,
        seat: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(
            num_envs,
            spaces.Box(0.0, 1.0, (game.observation_size,), np.float32),
            spaces.Discrete(game.num_actions),
        )
        self.game = game
        self.tables = SoloTables(game, num_envs, opponents, seat)
        self._next_seed: int | None = checked_seed(seed)
        self._actions: np.ndarray | None = None
        self.episode_rewards: list[float] = []  # of finished games, oldest first
        self.episode_wins: list[bool] = []
        self._lengths = np.zeros(num_envs, dtype=np.int64)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Set the seed of the next ``reset``."""
        if seed is not None:
            self._next_seed = checked_seed(seed)
        return [seed] * self.num_envs

    def reset(self) -> np.ndarray:
        """Deal all tables: from the seed the first time, then always other games."""
        seed = self.tables.next_seed() if self._next_seed is None else self._next_seed
        self._next_seed = None
        self.tables.reset(seed)
        self._redeal_finished()
        self._lengths[:] = 0
        return self.tables.observations()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for ``step_wait``."""
        self._actions = np.asarray(actions, dtype=np.int64)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Decide, let the bots play, deal finished tables anew."""
        assert self._actions is not None
        wrong = self.tables.decide(self._actions)
        if wrong >= 0:
            raise IllegalActionError(
                f"action {self._actions[wrong]} is not legal at table {wrong}; train with action "
                "masks (MaskablePPO)"
            )
        self.tables.play_bots()
        self._lengths += 1
        rewards = self.tables.rewards().astype(np.float32)
        done = self.tables.done()
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        finished = np.flatnonzero(done)
        if len(finished):
            last = self.game.observe(self.tables.states[finished], self.tables.seats[finished])
            truncated = self.game.truncated(self.tables.states)
            for row, table in enumerate(finished):
                reward = float(rewards[table])
                self.episode_rewards.append(reward)
                self.episode_wins.append(self._won(int(table)))
                infos[table] = {
                    "terminal_observation": last[row],
                    "TimeLimit.truncated": bool(truncated[table]),
                    "episode": {"r": reward, "l": int(self._lengths[table]), "t": 0.0},
                }
            self._lengths[finished] = 0
            self._redeal_finished()
        return self.tables.observations(), rewards, done, infos

    def _won(self, table: int) -> bool:
        """Whether the learner came first in the finished game of a table."""
        state = self.tables.states[table : table + 1]
        if not self.game.terminated(state)[0]:
            return False
        return bool(self.game.results(state[0])["ranking"][0] == self.tables.seats[table])

    def _redeal_finished(self) -> None:
        """New games until the learner is to act at every table."""
        finished = np.flatnonzero(self.tables.done())
        while len(finished):
            self.tables.deal(finished)
            self.tables.play_bots()
            finished = np.flatnonzero(self.tables.done())

    def action_masks(self) -> np.ndarray:
        """(B, A) bool masks of the learner's decisions."""
        return self.tables.masks.view(np.bool_).copy()

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Serves ``action_masks``, the only method a table has."""
        if method_name != "action_masks":
            raise AttributeError(f"a solo table has no method {method_name!r}, only action_masks")
        return list(self.action_masks()[list(self._get_indices(indices))])

    def has_attr(self, attr_name: str) -> bool:
        """Whether ``env_method`` or ``get_attr`` would serve it."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """``render_mode`` is None for every table."""
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        if attr_name == "action_masks":
            return [self.action_masks for _ in self._get_indices(indices)]
        raise AttributeError(f"a solo table has no attribute {attr_name!r}")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Tables have no attributes to set."""
        raise AttributeError(f"a solo table has no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No table is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing is held open."""
