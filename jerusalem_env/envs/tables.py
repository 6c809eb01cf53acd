"""Tables at which one seat, the learner's, is the caller's and bots play the others.

``gymnasium.make``, ``gymnasium.make_vec`` and the stable-baselines3 ``VecEnv`` are thin forms of
this one class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..bits import pack_rows
from ..chance import checked_seed
from ..copying import take_records
from ..errors import IllegalActionError, NotResetError, is_integer
from ..game import Game, TableSettings
from ..policies import MOST_DEALS, draw_all_seats
from .legality import checked_actions, illegal_in_batch
from .opponents import Opponent, checked_opponents, compiled_policies
from .threads import checked_threads


class Tables:
    """Many games with one learner each.

    Each new game seats the learner anew, uniformly unless ``seat`` is fixed, and draws a bot for
    every other seat (P21). A step is the learner's decision and all the bots' up to its next;
    finished games are dealt anew within it. Game e at table i has the seed
    ``game.derive_seeds(seed, B, e)[i]``, from which also the seats come: a table does not depend on
    how many there are.

    If every opponent has a compiled policy and the game can play them (``game.plays_compiled``) the
    whole step is one compiled call and the bots' chance comes from the game seeds too. Otherwise
    the bots are asked in turn for all tables at which they are to act, and use their own chance.

    Attributes
    ----------
    arrays : TableArrays
        Live: ``states``, ``masks``, ``observations``, ``rewards``, ``terminated``, ``truncated``,
        ``seats`` and, for the tables in ``finished``, ``finals`` and ``final_seats``.
    compiled : bool
        Whether the bots are played inside the compiled step.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        opponents: str | Opponent | Sequence[str | Opponent] | None = None,
        seat: int | None = None,
        threads: int | None = None,
        observation_dtype: str | None = "float32",
        illegal_loses: bool = False,
        autoreset: bool = True,
    ) -> None:
        if seat is not None and not is_integer(seat, 0, game.players - 1):
            raise ValueError(f"seat must be 0..{game.players - 1} or None, got {seat!r}")
        if not is_integer(num_tables, 1, 2**31 - 1):
            raise ValueError(f"the number of tables must be a positive integer, got {num_tables!r}")
        if observation_dtype not in ("float32", "uint8", None):
            raise ValueError(
                f"observation_dtype must be 'float32', 'uint8' or None, got {observation_dtype!r}"
            )
        self._has_reset = False
        self.game = game
        self.num_tables = int(num_tables)
        self.set_opponents(opponents)
        self._settings = TableSettings(
            -1 if seat is None else int(seat), bool(illegal_loses), bool(autoreset)
        )
        self._dtype = np.dtype(observation_dtype or "float32")
        self.arrays = game.new_tables(
            self.num_tables, checked_threads(threads, self.num_tables), observation_dtype
        )
        self._actions = np.zeros(self.num_tables, dtype=np.int64)

    def set_opponents(self, opponents: str | Opponent | Sequence[str | Opponent] | None) -> None:
        """Other opponents from the next step on, in games that are being played too (P21)."""
        self.opponents = checked_opponents(opponents, self.game)
        self._policies = compiled_policies(self.opponents) if self.game.plays_compiled else None
        self.compiled = self._policies is not None
        if self._has_reset:
            self.arrays.bots[:] %= len(self.opponents)

    @property
    def states(self) -> np.ndarray:
        """(B,) records of the games, live."""
        return self.arrays.states

    @property
    def masks(self) -> np.ndarray:
        """(B, A) uint8 masks of the learner's decisions, live."""
        return self.arrays.masks

    @property
    def seats(self) -> np.ndarray:
        """(B,) int64 the learner's seat at each table, live."""
        return self.arrays.seats

    @property
    def observations(self) -> np.ndarray:
        """(B, F) what the learner sees, live; (B, 0) without observations."""
        if len(self.arrays.observations):
            return self.arrays.observations
        return np.zeros((self.num_tables, 0), dtype=self._dtype)

    def reset(self, seed: int) -> None:
        """Deal every table from its seed and play up to the learner's first decisions."""
        arrays = self.arrays
        arrays.seed[0] = checked_seed(seed)
        arrays.episodes[:] = -1
        if self._policies is not None:
            self.game.advance_tables(
                arrays, self._actions, self._policies, self._settings, deal=True
            )
        else:
            seeds = np.random.default_rng(seed).integers(0, 2**63, size=len(self.opponents))
            for opponent, own_seed in zip(self.opponents, seeds, strict=True):
                opponent.reset(int(own_seed))
            self._clear_outcomes()
            self._deal(np.arange(self.num_tables))
            self._observe()
        self._has_reset = True
        self._refuse_bots_errors()

    def step(self, actions: np.ndarray) -> np.ndarray:
        """The learner's decisions, the bots' up to its next ones, and new deals.

        Parameters
        ----------
        actions : (B,) int

        Returns
        -------
        (K,) int64: the tables whose game finished in this step.

        Raises
        ------
        IllegalActionError
            For a wrong shape or dtype, or naming the first table with an illegal action (unless
            that loses the game); then nothing has changed. Also if a bot breaks the rules; the
            tables must be reset then.
        NotResetError
            Before the first ``reset``.
        """
        if not self._has_reset:
            raise NotResetError("call reset() first")
        actions = checked_actions(actions, self.num_tables)
        self._actions[:] = actions  # of one type and layout, whatever is given
        if self._policies is not None:
            wrong = self.game.advance_tables(
                self.arrays, self._actions, self._policies, self._settings
            )
        else:
            wrong = self._play_step(self._actions)
        if wrong >= 0:
            names, seat, mask = self.game.action_names, self.seats[wrong], self.masks[wrong]
            raise illegal_in_batch(names, int(actions[wrong]), f"at table {wrong}", seat, mask)
        self._refuse_bots_errors()
        return self.finished()

    def finished(self) -> np.ndarray:
        """(K,) int64: the tables whose game finished in the last step."""
        done = (self.arrays.terminated | self.arrays.truncated).view(np.bool_)
        return np.flatnonzero(done)

    def final_observations(self, finished: np.ndarray) -> np.ndarray:
        """(K, F) what the learner saw last in the games that finished."""
        out = np.empty((len(finished), self.game.observation_size), dtype=self._dtype)
        finals = take_records(self.arrays.finals, finished)
        return self.game.observe(finals, self.arrays.final_seats[finished], out)

    def _refuse_bots_errors(self) -> None:
        if not (self.arrays.faults > 1).any():
            return
        table = int(np.flatnonzero(self.arrays.faults > 1)[0])
        if self.arrays.faults[table] > 2:
            self._has_reset = False
            raise RuntimeError(
                f"{MOST_DEALS} games in a row at table {table} ended without a decision of the "
                "learner: under these rules it has none"
            )
        seat = int(self.game.to_act(self.states)[table])
        bot = self.opponents[int(self.arrays.bots[table, seat])]
        self._has_reset = False
        raise IllegalActionError(
            f"opponent {getattr(bot, 'name', bot)!r} in seat {seat} of table {table} chose an "
            "action that is not legal; an opponent must choose from its mask"
        )

    # --- opponents that are not compiled: the same steps, one call of each bot a round ---------
    def _play_step(self, actions: np.ndarray) -> int:
        """As ``Game.advance_tables``."""
        arrays, game = self.arrays, self.game
        rows = np.arange(self.num_tables)
        inside = (actions >= 0) & (actions < game.num_actions)
        legal = inside & (arrays.masks[rows, np.where(inside, actions, 0)] != 0)
        if not legal.all() and not self._settings.illegal_loses:
            return int(np.flatnonzero(~legal)[0])
        self._clear_outcomes()
        arrays.faults[~legal] = 1
        arrays.rewards[~legal] = -1.0
        arrays.terminated[~legal] = 1
        playing = rows[legal]
        states, masks = arrays.states[playing], arrays.masks[playing]
        game.step(states, actions[playing], masks)
        arrays.states[playing], arrays.masks[playing] = states, masks
        self._play_bots(playing)
        states = arrays.states[playing]
        arrays.terminated[playing] = game.terminated(states)
        arrays.truncated[playing] = game.truncated(states)
        arrays.rewards[playing] = game.utilities(states)[
            np.arange(len(playing)), arrays.seats[playing]
        ]
        done = self.finished()
        arrays.finals[done] = arrays.states[done]
        arrays.final_seats[done] = arrays.seats[done]
        if self._settings.autoreset:
            self._deal(done)
        self._observe()
        return -1

    def _clear_outcomes(self) -> None:
        arrays = self.arrays
        for outcome in (arrays.rewards, arrays.terminated, arrays.truncated, arrays.faults):
            outcome[:] = 0

    def _observe(self) -> None:
        pack_rows(self.arrays.masks, self.arrays.legal)
        if len(self.arrays.observations):
            self.game.observe(self.states, self.seats, self.arrays.observations)

    def _deal(self, tables: np.ndarray) -> None:
        """New games at some tables, up to one in which the learner has a decision."""
        arrays, game = self.arrays, self.game
        for _ in range(MOST_DEALS):
            if not len(tables):
                return
            arrays.episodes[tables] += 1
            for episode in np.unique(arrays.episodes[tables]):
                some = tables[arrays.episodes[tables] == episode]
                seeds = game.derive_seeds(int(arrays.seed[0]), self.num_tables, int(episode))
                arrays.game_seeds[some] = seeds[some]
            states, masks = arrays.states[tables], arrays.masks[tables]
            game.reset(states, arrays.game_seeds[tables], masks)
            arrays.states[tables], arrays.masks[tables] = states, masks
            bots, seats = arrays.bots[tables], arrays.seats[tables]
            draw_all_seats(
                arrays.game_seeds[tables],
                self._settings.fixed_seat,
                len(self.opponents),
                bots,
                seats,
            )
            arrays.bots[tables], arrays.seats[tables] = bots, seats
            self._play_bots(tables)
            tables = tables[self._over(tables)]
        arrays.faults[tables] = 3

    def _play_bots(self, tables: np.ndarray) -> None:
        """Bots decide until, at every one of the tables, the learner is to act or it is over."""
        arrays, game = self.arrays, self.game
        waiting = self._waiting(tables)
        while len(waiting):
            states, masks = arrays.states[waiting], arrays.masks[waiting]
            to_act = np.asarray(game.to_act(states), dtype=np.int64)
            bots = arrays.bots[waiting, to_act]
            views = game.views(states)
            actions = np.empty(len(waiting), dtype=np.int64)
            for index in np.unique(bots):
                rows = bots == index
                actions[rows] = self.opponents[index].act(views[rows], masks[rows])
            wrong = game.step(states, actions, masks)
            if wrong >= 0:
                arrays.faults[waiting[wrong]] = 2
                return
            arrays.states[waiting], arrays.masks[waiting] = states, masks
            waiting = self._waiting(waiting)

    def _waiting(self, tables: np.ndarray) -> np.ndarray:
        """Those of the tables where a bot is to act."""
        to_act = self.game.to_act(self.arrays.states[tables])
        return tables[~self._over(tables) & (to_act != self.seats[tables])]

    def _over(self, tables: np.ndarray) -> np.ndarray:
        """(K,) bool: at which of the tables the game is terminated or truncated."""
        states = self.arrays.states[tables]
        return np.asarray(self.game.terminated(states)) | np.asarray(self.game.truncated(states))
