"""Games for self-play as a stable-baselines3 ``VecEnv``: every seat's decisions are the learner's.

Written against the Game contract alone. In each slot a game runs; at each tick one decision is
taken in every game, by whoever is to act there. Compiled bots do not take ticks: they play on at
once until somebody else is to act.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from jerusalem_env.chance import checked_seed
from jerusalem_env.errors import IllegalActionError
from jerusalem_env.game import Game

from .opponents import LEARNER, OpponentPool

_PURPOSE_LINE_UPS, _PURPOSE_BOTS = 7_001, 7_004  # generators that are spawned from the seed


class Outcome(NamedTuple):
    """What a tick ended.

    Attributes
    ----------
    finished : (K,) int64
        Slots whose game ended; they hold the next game by now.
    utilities : (K, n) float64
        What every seat of the ended games is paid.
    truncated : (K,) bool
    finals : (K,) state_dtype
        Their last records.
    line_ups : (K, n) int64
        Who sat where in them.
    """

    finished: np.ndarray
    utilities: np.ndarray
    truncated: np.ndarray
    finals: np.ndarray
    line_ups: np.ndarray


class SelfPlayGames(VecEnv):
    """Many games in which one policy learns in several seats.

    ``SelfPlayPPO`` collects from it; another algorithm's ``step`` is refused, because one reward a
    slot cannot say what every seat gets (P1).

    Parameters
    ----------
    game : Game
    num_games : int
        Slots.
    seed : int
        0 <= seed < 2**64. Game e in slot i has the seed ``game.derive_seeds(seed, B, e)[i]``.
    pool : OpponentPool, optional
        The learner plays all seats unless given.
    rewards : sequence of (weight, Game), optional
        What seats are paid: the weighted sum of the utilities of these games, which differ from
        ``game`` in their reward alone. That of ``game`` unless given.
    threads : int
        For compiled bots.

    Attributes
    ----------
    states : (B,) state_dtype
    masks : (B, A) uint8
        Of the decisions at hand.
    observations : (B, F) uint8
        Of the seats to act, uint8; times ``game.observation_scale`` in [0, 1].
    seats : (B,) int64
        To act.
    line_up : (B, n) int64
        Who sits where; -1 is the learner.
    players : (B,) int64
        Who is to act; -1 is the learner.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        seed: int = 0,
        pool: OpponentPool | None = None,
        rewards: Sequence[tuple[float, Game]] | None = None,
        threads: int = 1,
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, got {num_games}")
        self.game = game
        self.pool = pool or OpponentPool()
        if self.pool.compiled and not game.plays_compiled:
            self.pool.compiled, self.pool.compiled_index[:] = (), -1
        self.rewards = tuple(rewards or [(1.0, game)])
        self.threads = threads
        size, actions = game.observation_size, game.num_actions
        super().__init__(
            num_games,
            spaces.Box(np.zeros(size, np.uint8), game.observation_caps, dtype=np.uint8),
            spaces.Discrete(actions),
        )
        self.states = game.new_states(num_games)
        self.masks = np.zeros((num_games, actions), dtype=np.uint8)
        self.observations = np.zeros((num_games, size), dtype=np.uint8)
        self.seats = np.zeros(num_games, dtype=np.int64)
        self.line_up = np.full((num_games, game.players), LEARNER, dtype=np.int64)
        self.players = np.full(num_games, LEARNER, dtype=np.int64)
        self.kinds = self.pool.kinds(num_games)
        self.episodes = np.zeros(num_games, dtype=np.int64)
        self._slots = np.arange(num_games)
        self._bot_seeds = np.zeros(num_games, dtype=np.uint64)
        self.seed(seed)

    # --- what the trainer uses ---------------------------------------------------------------
    def advance(self, rows: np.ndarray, actions: np.ndarray) -> Outcome:
        """One decision in every game; finished games are dealt anew.

        Parameters
        ----------
        rows : (K,) int64
            The slots where the learner is to act: ``flatnonzero(players == -1)``.
        actions : (K,) int64
            Its actions there. The pool's players choose theirs here.

        Raises
        ------
        IllegalActionError
            Naming the first slot whose action is illegal; then no game has changed.
        """
        chosen = np.empty(self.num_envs, dtype=np.int64)
        chosen[rows] = actions
        if len(rows) < self.num_envs:
            self._choose_for_others(chosen)
        wrong = self.game.step(self.states, chosen, self.masks)
        if wrong >= 0:
            player = self.players[wrong]
            raise IllegalActionError(
                f"action {chosen[wrong]} of {'the learner' if player < 0 else 'an opponent'} is "
                f"illegal in slot {wrong}; choose by the action masks"
            )
        outcome = self._settle()
        self._look()
        return outcome

    def snapshot(self) -> dict[str, np.ndarray]:
        """Everything that goes on: arrays for a file."""
        return {
            "states": self.states,
            "line_up": self.line_up,
            "episodes": self.episodes,
            "bot_seeds": self._bot_seeds,
        }

    def restore(self, arrays: dict[str, np.ndarray], generator: dict[str, Any]) -> None:
        """Go on from a ``snapshot`` and the state of ``rng``; after a ``reset``."""
        self.states[:] = arrays["states"]
        self.line_up[:] = arrays["line_up"]
        self.episodes[:] = arrays["episodes"]
        self._bot_seeds[:] = arrays["bot_seeds"]
        self.rng.bit_generator.state = generator
        self.game.legal(self.states, self.masks)
        self._look()

    def _choose_for_others(self, chosen: np.ndarray) -> None:
        """Actions of the players that are called from Python."""
        bots = len(self.pool.bots)
        for player in np.unique(self.players[self.players >= 0]):
            rows = np.flatnonzero(self.players == player)
            masks = self.masks[rows]
            if player < bots:
                views = self.game.views(self.states[rows])
                chosen[rows] = self.pool.bots[player].act(views, masks)
            else:
                policy = self.pool.past[player - bots].policy
                legal = masks.view(np.bool_)
                chosen[rows] = policy.act_on(self.observations[rows], legal, self.rng)

    def _settle(self) -> Outcome:
        """Let compiled bots play on and deal finished games anew, until all games wait."""
        ended: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        rows = self._slots
        while len(rows):
            rows = self._play_bots(rows)
            over = self._over(rows)
            rows = rows[over]
            if len(rows):
                ended.append((rows, self.states[rows], self.line_up[rows]))
                self._deal(rows)
        if not ended:
            none = np.zeros(0, dtype=np.int64)
            seats = self.game.players
            return Outcome(
                none,
                np.zeros((0, seats)),
                np.zeros(0, dtype=np.bool_),
                self.states[:0],
                np.zeros((0, seats), dtype=np.int64),
            )
        finals = np.concatenate([part[1] for part in ended])
        utilities = sum(weight * game.utilities(finals) for weight, game in self.rewards)
        return Outcome(
            np.concatenate([part[0] for part in ended]),
            np.asarray(utilities),
            np.asarray(self.game.truncated(finals)),
            finals,
            np.concatenate([part[2] for part in ended]),
        )

    def _over(self, rows: np.ndarray) -> np.ndarray:
        states = self.states if len(rows) == self.num_envs else self.states[rows]
        return np.asarray(self.game.terminated(states)) | np.asarray(self.game.truncated(states))

    def _play_bots(self, rows: np.ndarray) -> np.ndarray:
        """Compiled bots play their decisions in these slots; returns the slots."""
        if not self.pool.compiled:
            return rows
        seats = np.asarray(self.game.to_act(self.states))[rows]
        players = self.line_up[rows, np.maximum(seats, 0)]
        waiting = (seats >= 0) & (players >= 0) & (players < len(self.pool.bots))
        if not waiting.any():
            return rows
        index = np.append(self.pool.compiled_index, np.full(len(self.pool.past) + 1, -1))
        going = rows[waiting]
        states, masks = self.states[going], self.masks[going]
        wrong = self.game.play_on(
            states,
            self._bot_seeds[going],
            index[self.line_up[going]],  # -1, the learner, is the last entry: -1 again
            self.pool.compiled,
            self.threads,
        )
        if wrong >= 0:
            raise IllegalActionError(f"a bot chose an illegal action in slot {going[wrong]}")
        self.game.legal(states, masks)
        self.states[going], self.masks[going] = states, masks
        return rows

    def _deal(self, rows: np.ndarray) -> None:
        """The next games of these (K,) slots."""
        self.episodes[rows] += 1
        self._begin(rows)

    def _begin(self, rows: np.ndarray) -> None:
        """Deal the games of these (K,) slots, each of the episode noted, and draw who plays."""
        episodes = self.episodes[rows]
        seeds = np.empty(len(rows), dtype=np.uint64)
        for episode in np.unique(episodes):
            these = episodes == episode
            seeds[these] = self.game.derive_seeds(self._seed, self.num_envs, int(episode))[
                rows[these]
            ]
        states, masks = self.game.new_states(len(rows)), self.masks[rows]
        self.game.reset(states, seeds, masks)
        self.states[rows], self.masks[rows] = states, masks
        for row in rows:
            self.line_up[row] = self.pool.line_up(int(self.kinds[row]), self.game.players, self.rng)
        self._bot_seeds[rows] = self.rng.integers(0, 2**64, size=len(rows), dtype=np.uint64)

    def _look(self) -> None:
        """Note who is to act, and what they see."""
        self.seats[:] = self.game.to_act(self.states)
        self.players[:] = self.line_up[self._slots, self.seats]
        self.game.observe(self.states, out=self.observations)

    # --- VecEnv ------------------------------------------------------------------------------
    def seed(self, seed: int | None = None) -> list[int | None]:
        """Set the seed of the next ``reset``."""
        if seed is not None:
            self._seed = checked_seed(seed)
        return [seed] * self.num_envs

    def reset(self) -> np.ndarray:
        """Deal all games from the seed; (B, F) uint8 observations."""
        self.rng = np.random.default_rng([self._seed, _PURPOSE_LINE_UPS])
        self.episodes[:] = 0
        self._begin(self._slots)
        self._settle()
        self._look()
        bots = np.random.default_rng([self._seed, _PURPOSE_BOTS])
        for bot in self.pool.bots:
            bot.reset(int(bots.integers(2**63)))
        return self.observations.copy()

    def action_masks(self) -> np.ndarray:
        """(B, A) bool masks of the decisions at hand."""
        return self.masks.view(np.bool_).copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Refused: see the class."""
        raise NotImplementedError(
            "SelfPlayGames pays every seat, which one reward a slot cannot tell; train on it with "
            "SelfPlayPPO, or train one seat against bots with jerusalem_env.envs.sb3.SoloVecEnv"
        )

    def step_wait(self) -> Any:
        """Refused: see the class."""
        raise NotImplementedError("see step_async")

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Serves ``action_masks``."""
        if method_name != "action_masks":
            raise AttributeError(f"self-play games have no method {method_name!r}")
        masks = self.action_masks()
        return list(masks if indices is None else masks[list(self._get_indices(indices))])

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """``render_mode`` is None for every game."""
        if attr_name != "render_mode":
            raise AttributeError(f"self-play games have no attribute {attr_name!r}")
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Games have no attributes to set."""
        raise AttributeError(f"self-play games have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing is held open."""
