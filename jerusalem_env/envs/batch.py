"""Many games at once, every seat played by the caller, over any ``Game``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium.vector import AutoresetMode

from ..bits import pack_rows
from ..chance import checked_seed, sample_packed
from ..copying import take_records
from ..errors import NotResetError, is_integer
from ..game import Game
from ..kernels import thread_limit
from .legality import checked_actions, illegal_in_batch
from .threads import checked_threads


class BatchEnv:
    """A batch of games in which the caller decides for whoever is to act.

    Everything a mask, an observation or a reward column belongs to is the seat in ``to_act``.

    Autoreset is same-step: a game that ends is dealt anew within ``step``. What ``step`` returns
    for it is the first decision of the new game; the rewards, ``terminated`` and ``truncated`` are
    those of the old one, and ``infos`` keep its last observations (P7, P11):

    - ``infos["finished"]`` (K,) int64: the games that ended in this step
    - ``infos["final_observation"]`` (K, n, F): the last observation of each seat
    - ``infos["final_states"]`` (K,): their last records

    Parameters
    ----------
    game : Game
    num_games : int
    observation_dtype : "float32", "uint8" or None
        uint8 observations are whole numbers; times ``game.observation_scale`` they are the float32
        ones, bit for bit. None leaves observations out: an array of shape (B, 0) is returned.
    copy : bool
        Return arrays that stay the caller's; False returns views that the next step overwrites.
    threads : int, optional
        All that numba has for 128 games or more, else 1, unless given; results do not depend on it
        (P18).
    """

    metadata: ClassVar = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: Game,
        num_games: int,
        observation_dtype: str | None = "float32",
        copy: bool = True,
        threads: int | None = None,
    ) -> None:
        if not is_integer(num_games, 1, 2**31 - 1):
            raise ValueError(f"num_games must be a positive integer, got {num_games!r}")
        self.num_games = int(num_games)
        if observation_dtype not in ("float32", "uint8", None):
            raise ValueError(
                f"observation_dtype must be 'float32', 'uint8' or None, got {observation_dtype!r}"
            )
        self.game = game
        self.copy = copy
        self.action_names = game.action_names
        self._with_observations = observation_dtype is not None
        self._dtype = np.dtype(observation_dtype or "float32")
        self._arrays = game.new_batch(
            self.num_games, checked_threads(threads, self.num_games), observation_dtype
        )
        self._actions = np.zeros(self.num_games, dtype=np.int64)
        self._rng: np.random.Generator | None = None
        self._has_reset = False

    @property
    def states(self) -> np.ndarray:
        """(B,) records of the games, live."""
        return self._arrays.states

    @property
    def to_act(self) -> np.ndarray:
        """(B,) seat that decides in each game."""
        return np.array(self.game.to_act(self._arrays.states))

    @property
    def threads(self) -> int:
        """Threads in use: 1 in a fork of a process that used several."""
        return min(len(self._arrays.scratch), thread_limit())

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """Deal all games.

        Parameters
        ----------
        seed : int, optional
            0 <= seed < 2**64. Game i of episode e has the game seed
            ``game.derive_seeds(seed, B, e)[i]``, whatever the batch size; ``raw_env.reset`` with
            that seed plays the same deal. Without a seed, fresh entropy.

        Returns
        -------
        observations (B, F) float32, action masks (B, A) bool, infos
        """
        if seed is None:
            if self._rng is None:
                self._rng = np.random.default_rng()
            seed = int(self._rng.integers(0, 2**64, dtype=np.uint64))
        else:
            seed = checked_seed(seed)
            self._rng = np.random.default_rng(seed)
        self.game.reset_batch(self._arrays, seed)
        self._has_reset = True
        return self._given(self._observations()), self._given(self._masks()), {}

    def set_states(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """Go on from these games, one in each place; where one ends, the batch's own deals follow.

        Each goes on under the rules in its record; the games dealt after it have the batch's.

        Parameters
        ----------
        states : (B,) ``game.state_dtype``
            Copied. A position becomes one by ``game.read_position``.

        Returns
        -------
        As ``reset``.

        Raises
        ------
        ValueError
            For another shape or dtype or number of players, or if a game is over; then nothing has
            changed.
        NotResetError
            Before the first ``reset``, which gives the seed of later games.
        """
        if not self._has_reset:
            raise NotResetError("call reset() first")
        arrays = self._arrays
        states = np.asarray(states)
        if states.shape != arrays.states.shape:
            raise ValueError(f"states must be {self.num_games} records, got shape {states.shape}")
        self.game.check_states(states)
        over = np.asarray(self.game.terminated(states)) | np.asarray(self.game.truncated(states))
        if over.any():
            raise ValueError(f"game {np.flatnonzero(over)[0]} is over; only running games go on")
        arrays.states[:] = states
        self.game.legal(arrays.states, arrays.masks)
        pack_rows(arrays.masks, arrays.legal)
        if self._with_observations:
            self.game.observe(arrays.states, out=arrays.observations)
        return self._given(self._observations()), self._given(self._masks()), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One decision in every game.

        Parameters
        ----------
        actions : (B,) int

        Returns
        -------
        observations (B, F), action masks (B, A) bool, rewards (B, n) float64, terminated (B,) bool,
        truncated (B,) bool, infos

        Raises
        ------
        IllegalActionError
            For a wrong shape or dtype, or naming the first game whose action is not legal; then no
            game has changed.
        NotResetError
            Before the first ``reset``.
        """
        if not self._has_reset:
            raise NotResetError("call reset() first")
        actions = checked_actions(actions, self.num_games)
        arrays = self._arrays
        self._actions[:] = actions  # of one type and layout, whatever is given
        wrong = self.game.advance(arrays, self._actions)
        if wrong >= 0:
            seat, mask = self.to_act[wrong], arrays.masks[wrong]
            raise illegal_in_batch(
                self.action_names, int(actions[wrong]), f"in game {wrong}", seat, mask
            )
        infos: dict[str, Any] = {}
        done = np.flatnonzero((arrays.terminated | arrays.truncated).view(np.bool_))
        if len(done):
            infos["finished"] = done
            infos["final_states"] = take_records(arrays.finals, done)
            if self._with_observations:
                infos["final_observation"] = self._last_observations(infos["final_states"])
        return (
            self._given(self._observations()),
            self._given(self._masks()),
            self._given(arrays.rewards),
            self._given(arrays.terminated.view(np.bool_)),
            self._given(arrays.truncated.view(np.bool_)),
            infos,
        )

    def sample_actions(self, rng: np.random.Generator) -> np.ndarray:
        """(B,) int64: a uniformly drawn legal action for every game, compiled."""
        if not self._has_reset:
            raise NotResetError("call reset() first")
        return sample_packed(self._arrays.legal, rng, self.threads)

    def _last_observations(self, finals: np.ndarray) -> np.ndarray:
        """(K, n, F) what each seat saw at the end."""
        shape = (len(finals), self.game.players, self.game.observation_size)
        return self.game.observe_all_seats(finals, out=np.empty(shape, dtype=self._dtype))

    def _observations(self) -> np.ndarray:
        if self._with_observations:
            return self._arrays.observations
        return np.zeros((self.num_games, 0), dtype=self._dtype)

    def _masks(self) -> np.ndarray:
        return self._arrays.masks.view(np.bool_)

    def _given(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array
