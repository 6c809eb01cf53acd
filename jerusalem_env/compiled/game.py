"""A ``Game`` made from a game's own kernels: all of the contract that needs no rules."""

from __future__ import annotations

import threading
from abc import abstractmethod
from typing import Any

import numpy as np

from ..bits import new_words
from ..chance import derive_seeds
from ..features import Feature, caps_of, scale_of, size_of
from ..game import INFORMATION_MODES, BatchArrays, Game, Information, TableArrays, TableSettings
from ..kernels import threads_ready
from ..policies import ActionLog, CompiledPolicy, new_log
from ..simulation import Simulation
from .batch import batch_entries
from .encoders import Encoders, encoders_for, scratch_view
from .play import new_bench, players_on, slots_of
from .rollout import Settings, advances_for
from .rules import Rules
from .tables import Settings as PlayedSettings
from .tables import table_steps
from .views import redeal, seats_or_to_act, turn_seats, views_of


class _Scratch(threading.local):
    """What kernels called by this thread work in: a view, a packed mask, an observation."""

    def __init__(self, rules: Rules) -> None:
        self.view = scratch_view(rules)
        self.words = new_words(1, rules.num_actions)[0]
        self.row = np.zeros((1, rules.longest_row), dtype=np.uint8)


class CompiledGame(Game):
    """A game whose kernels are its class's ``kernels``.

    A subclass sets ``kernels`` beside ``name``, ``action_names`` and ``action_blocks``, and adds
    what knows its rules: ``new_states``, ``write_rules``, ``results``, positions, texts, pictures.
    Nothing may change an object once it is made: copies of environments share it.

    Parameters
    ----------
    players : int
    information : "screen" or "recall"
    reward : str
        One of ``rewards``.
    skip_forced : bool
        Take decisions with one legal action without asking.
    rewards : tuple of str
        Names of the rewards; ``Rules.utility`` is given the place of one among them.
    features, state_features : tuple of Feature
        The entries of an observation, and of a state vector.

    Attributes
    ----------
    kernels : Rules
        Of the class, which takes ``num_actions``, ``state_dtype`` and ``view_dtype`` from it.
    information, reward, features, state_features
        As given.

    Raises
    ------
    ValueError
        For an unknown information mode or reward.
    """

    kernels: Rules
    plays_compiled = True
    _scratch: _Scratch  # the class's: a thread has one for all games of a kind

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "kernels" in cls.__dict__:
            cls.num_actions = cls.kernels.num_actions
            cls.state_dtype = cls.kernels.state_dtype
            cls.view_dtype = cls.kernels.view_dtype
            cls._scratch = _Scratch(cls.kernels)

    def __init__(
        self,
        players: int,
        information: Information,
        reward: str,
        skip_forced: bool,
        rewards: tuple[str, ...],
        features: tuple[Feature, ...],
        state_features: tuple[Feature, ...],
    ) -> None:
        if information not in INFORMATION_MODES:
            raise ValueError(
                f"unknown information {information!r}; expected {' or '.join(INFORMATION_MODES)}"
            )
        if reward not in rewards:
            raise ValueError(f"unknown reward {reward!r}; expected one of {', '.join(rewards)}")
        self.players = players
        self.information: Information = information
        self.reward = reward
        self.skip_forced = bool(skip_forced)
        self.features = features
        self.state_features = state_features
        self.observation_size = size_of(features)
        self.state_size = size_of(state_features)
        self.observation_caps = caps_of(features)
        self.observation_scale = scale_of(features)
        self._state_scale = scale_of(state_features)
        self._recall = information == "recall"
        self._settings = Settings(self.skip_forced, rewards.index(reward))

    def _own_simulation(self) -> Simulation | None:
        """What ``simulation`` is unless it has been replaced; the same object at every call."""
        return None

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledGame:
        """Itself: nothing changes a game once it is made, so copied environments share it."""
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Without its kernels, which every process has: they took nearly all of a pickle's time."""
        replaced = self.simulation is not self._own_simulation()
        return {
            name: value for name, value in self.__dict__.items() if replaced or name != "simulation"
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """What ``__getstate__`` left out is as it is when a game is made."""
        self.__dict__.update(state)
        if "simulation" not in state:
            self.simulation = self._own_simulation()

    @property
    def _encoders(self) -> Encoders:
        return encoders_for(self.kernels, self.players, self._recall)

    # --- life of a batch of games ------------------------------------------------------------
    @abstractmethod
    def write_rules(self, states: np.ndarray) -> None:
        """Write this object's rule set into (B,) records that are to be dealt."""

    def reset(self, states: np.ndarray, seeds: np.ndarray, masks: np.ndarray) -> None:
        """Deal every game from its seed, under this object's rule set."""
        self.write_rules(states)
        deal = batch_entries(self.kernels).reset_games
        deal(states, seeds, self.skip_forced, self._scratch.words, self._checked(masks))

    def step(self, states: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> int:
        """One decision in every running game; -1, or the first game whose action is illegal."""
        step = batch_entries(self.kernels).step_games
        words = self._scratch.words
        return int(step(states, actions, self.skip_forced, words, self._checked(masks)))

    def legal(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Write the masks of the decisions at hand."""
        write = batch_entries(self.kernels).legal_games
        write(states, self._scratch.words, self._checked(masks))

    def _checked(self, masks: np.ndarray) -> np.ndarray:
        """Masks that kernels may write to."""
        if masks.dtype != np.uint8 or not masks.flags.c_contiguous:
            raise ValueError(
                f"masks must be a contiguous uint8 array (B, {self.num_actions}), got "
                f"{masks.dtype} with strides {masks.strides}"
            )
        return masks

    def check_states(self, states: np.ndarray) -> None:
        """Records of another number of players cannot go on here."""
        super().check_states(states)
        other = np.flatnonzero(states["players"] != self.players)
        if len(other):
            raise ValueError(
                f"game {other[0]} is for {states['players'][other[0]]} players, this one for "
                f"{self.players}"
            )

    def derive_seeds(self, seed: int, num_games: int, episode: int) -> np.ndarray:
        """(num_games,) uint64 game seeds."""
        return derive_seeds(seed, num_games, episode)

    def advance(self, batch: BatchArrays, actions: np.ndarray) -> int:
        """One decision in every game, finished games dealt anew; see ``rollout``."""
        as_bytes = batch.observations.dtype == np.uint8
        on_one, on_several = advances_for(self.kernels, self.players, self._recall, as_bytes)
        kernel = on_several if len(batch.scratch) > 1 and threads_ready() else on_one
        return int(kernel(batch, actions, self._settings))

    def advance_tables(
        self,
        tables: TableArrays,
        actions: np.ndarray,
        policies: tuple[CompiledPolicy, ...],
        settings: TableSettings,
        deal: bool = False,
    ) -> int:
        """The learner's decision at every table and the bots' up to its next; see ``tables``."""
        as_bytes = tables.observations.dtype == np.uint8
        on_one, on_several = table_steps(
            self.kernels, self.players, self._recall, as_bytes, policies
        )
        kernel = on_several if len(tables.scratch) > 1 and threads_ready() else on_one
        all_settings = PlayedSettings(self.skip_forced, self._settings.reward, *settings)
        parameters = tuple(policy.parameters for policy in policies)
        return int(kernel(tables, actions, deal, all_settings, parameters))

    def play_on(
        self,
        states: np.ndarray,
        seeds: np.ndarray,
        policy_of: np.ndarray,
        policies: tuple[CompiledPolicy, ...],
        threads: int = 1,
        log: ActionLog | None = None,
    ) -> int:
        """Compiled policies play games on until another's decision, or to the end; see ``play``."""
        policy_of = np.ascontiguousarray(policy_of, dtype=np.int64)
        if policy_of.shape != (len(states), self.players):
            raise ValueError(
                f"policy_of must have shape {(len(states), self.players)}, got {policy_of.shape}"
            )
        if policy_of.size and (policy_of.max() >= len(policies) or policy_of.min() < -1):
            raise ValueError(f"policy_of must be -1..{len(policies) - 1}")
        if not policies:
            return -1
        size = len(states)
        if np.shape(seeds) != (size,):
            raise ValueError(f"seeds must have shape {(size,)}, got {np.shape(seeds)}")
        if log is not None and (len(log.actions) != size or log.sizes.shape != (size,)):
            raise ValueError(
                f"log must have {size} rows, one a game, got {len(log.actions)} of actions and "
                f"sizes of shape {log.sizes.shape}"
            )
        slots = slots_of(policies)
        on_one, on_several = players_on(self.kernels, slots.kinds, self._recall)
        several = threads > 1 and len(states) > 1 and threads_ready()
        kernel = on_several if several else on_one
        bench = new_bench(self.kernels, min(threads, len(states)) if several else 1)
        seeds = np.ascontiguousarray(seeds, dtype=np.uint64)
        log = log or new_log(len(states), 0)
        skip = self.skip_forced
        return int(
            kernel(states, seeds, policy_of, slots.place, skip, bench, log, slots.parameters)
        )

    # --- reading -----------------------------------------------------------------------------
    def to_act(self, states: np.ndarray) -> np.ndarray:
        """(B,) int8 seat to act, -1 once over."""
        return states["to_act"]

    def terminated(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool."""
        return states["phase"] == self.kernels.over_phase

    def truncated(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: the watchdog stopped it."""
        stopped = states["decisions"] >= states["decision_limit"]
        return stopped & (states["phase"] != self.kernels.over_phase)

    def utilities(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64, zero-sum."""
        paid = np.empty((len(states), self.players))
        pay = batch_entries(self.kernels).pay_games
        pay(np.ascontiguousarray(states), self._settings.reward, paid)
        return paid

    # --- what a seat sees --------------------------------------------------------------------
    def views(self, states: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """(B,) views; the observer is seat 0."""
        return views_of(self.kernels, states, seats, self._recall)

    def encode(self, views: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, observation_size) observations of views: float32, or as ``out`` is."""
        out = self._buffer((len(views), self.observation_size), out)
        self._encoders.encode_views(views, self._scratch.row, self.observation_scale, out)
        return out

    def observe(
        self, states: np.ndarray, seats: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """(B, observation_size) observations by the given seats, or those to act."""
        out = self._buffer((len(states), self.observation_size), out)
        seats = seats_or_to_act(states, seats)
        view, row = self._scratch.view, self._scratch.row
        self._encoders.observe_games(states, seats, view, row, self.observation_scale, out)
        return out

    def observe_all_seats(self, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, players, observation_size): what every seat sees."""
        out = self._buffer((len(states), self.players, self.observation_size), out)
        view, row = self._scratch.view, self._scratch.row
        self._encoders.observe_all_seats(states, view, row, self.observation_scale, out)
        return out

    def state_vectors(self, states: np.ndarray) -> np.ndarray:
        """(B, state_size) float32; see ``state_features``."""
        out = self._buffer((len(states), self.state_size), None)
        view, row = self._scratch.view, self._scratch.row
        self._encoders.encode_states(states, view, row, self._state_scale, out)
        return out

    def redeal(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(B,) full states drawn from what the views leave open."""
        return redeal(self.kernels, views, rng)

    def turn_seats(self, states: np.ndarray, by: int) -> np.ndarray:
        """The same games with seat ``by`` as seat 0."""
        return turn_seats(self.kernels, states, by % self.players)

    @staticmethod
    def _buffer(shape: tuple[int, ...], out: np.ndarray | None) -> np.ndarray:
        return np.empty(shape, dtype=np.float32) if out is None else out
