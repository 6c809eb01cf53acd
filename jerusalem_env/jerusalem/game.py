"""Jerusalem as a ``Game``: the engine, the screen and the observations behind the contract."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..bits import new_words
from ..chance import derive_seeds
from ..drawing import Drawing
from ..game import BatchArrays, Game, TableArrays, TableSettings
from ..kernels import threads_ready
from ..policies import ActionLog, CompiledPolicy, new_log
from .actions import ACTION_BLOCKS, ACTION_NAMES
from .columns import columns
from .encoding import LONGEST_ROW, Encoders, encoders_for, scratch_view
from .engine.batch import legal_games, reset_games, step_games
from .engine.layout import NUM_ACTIONS, PHASE_OVER
from .engine.state import STATE, blank_states, write_rules
from .observation import caps_of, features, scale_of, size_of, state_features
from .play import new_bench, players_on, slots_of
from .position import read_position, write_position
from .render.picture import draw
from .render.text import render_text
from .rewards import REWARDS, utilities
from .rollout import Settings, advances_for
from .rules.offices import OFFICES, offices_in_play
from .rules.ruleset import RuleSet, resolve_rules
from .screen import INFORMATION_MODES, VIEW, Information, redeal, turn_seats, view_games
from .simulation import simulation_of
from .tables import Settings as PlayedSettings
from .tables import table_steps
from .words import describe_decision, may_take_back, narrate


class _Scratch(threading.local):
    """What kernels called by this thread work in: a view, a packed mask, an observation."""

    def __init__(self) -> None:
        self.view = scratch_view()
        self.words = new_words(1, NUM_ACTIONS)[0]
        self.row = np.zeros((1, LONGEST_ROW), dtype=np.uint8)


_SCRATCH = _Scratch()


class JerusalemGame(Game):
    """The board game for 2 to 4 players.

    Parameters
    ----------
    players : int, optional
        With a preset name; 4 unless given.
    rules : str or RuleSet
        ``"german"``, ``"dutch"``, ``"french"``, or a ``RuleSet``, which brings its own number.
    information : "screen" or "recall"
        What is hidden; see ``screen``.
    reward : "win", "rank" or "margin"
        See ``rewards.utilities``.
    skip_forced : bool
        Take decisions with one legal action without asking.

    Raises
    ------
    RuleSetError
        For unknown rules or a wrong number of players.
    ValueError
        For an unknown information mode or reward.
    """

    name = "jerusalem_v0"
    num_actions = NUM_ACTIONS
    action_names = ACTION_NAMES
    action_blocks = ACTION_BLOCKS
    state_dtype = STATE
    view_dtype = VIEW
    plays_compiled = True

    def __init__(
        self,
        players: int | None = None,
        rules: str | RuleSet = "german",
        information: Information = "screen",
        reward: str = "win",
        skip_forced: bool = True,
    ) -> None:
        self.rules = resolve_rules(rules, players)
        self.players = self.rules.players
        self.simulation = simulation_of(self.players)
        if information not in INFORMATION_MODES:
            raise ValueError(
                f"unknown information {information!r}; expected {' or '.join(INFORMATION_MODES)}"
            )
        if reward not in REWARDS:
            raise ValueError(f"unknown reward {reward!r}; expected one of {', '.join(REWARDS)}")
        self.information: Information = information
        self.reward = reward
        self.skip_forced = bool(skip_forced)
        self.features = features(self.rules, information)
        self.state_features = state_features(self.rules, information)
        self.observation_size = size_of(self.features)
        self.state_size = size_of(self.state_features)
        self.observation_caps = caps_of(self.features)
        self.observation_scale = scale_of(self.features)
        self._state_scale = scale_of(self.state_features)
        self._recall = information == "recall"
        self._settings = Settings(self.skip_forced, REWARDS.index(reward))

    @property
    def _encoders(self) -> Encoders:
        return encoders_for(self.players, self._recall)

    # --- life of a batch of games ------------------------------------------------------------
    def new_states(self, num_games: int) -> np.ndarray:
        """(num_games,) records that hold the rule set."""
        return blank_states(num_games, self.rules)

    def reset(self, states: np.ndarray, seeds: np.ndarray, masks: np.ndarray) -> None:
        """Deal every game from its seed, under this object's rule set."""
        write_rules(states, self.rules)
        reset_games(states, seeds, self.skip_forced, _SCRATCH.words, _checked(masks))

    def step(self, states: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> int:
        """One decision in every running game; -1, or the first game whose action is illegal."""
        return int(step_games(states, actions, self.skip_forced, _SCRATCH.words, _checked(masks)))

    def legal(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Write the masks of the decisions at hand."""
        legal_games(states, _SCRATCH.words, _checked(masks))

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
        on_one, on_several = advances_for(self.players, self._recall, as_bytes)
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
        on_one, on_several = table_steps(self.players, self._recall, as_bytes, policies)
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
        on_one, on_several = players_on(slots.kinds, self._recall)
        several = threads > 1 and len(states) > 1 and threads_ready()
        kernel = on_several if several else on_one
        bench = new_bench(min(threads, len(states)) if several else 1)
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
        return states["phase"] == PHASE_OVER

    def truncated(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: the watchdog stopped it."""
        return (states["decisions"] >= states["decision_limit"]) & (states["phase"] != PHASE_OVER)

    def utilities(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64, zero-sum."""
        return utilities(states, self.players, self.reward)

    def win_shares(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64: 1 for the winner of a finished game; ties are always broken."""
        shares = np.zeros((len(states), self.players))
        over = np.flatnonzero(self.terminated(states))
        shares[over, states["ranking"][over, 0]] = 1.0
        return shares

    def results(self, state: np.void) -> dict[str, Any]:
        """Ranking, floors and prestige left of a finished game."""
        n = self.players
        return {
            "ranking": [int(seat) for seat in state["ranking"][:n]],
            "floors": [int(x) for x in state["floors"][:n]],
            "prestige": [int(x) for x in state["prestige"][:n]],
        }

    def breakdowns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """By the office held in the last round, and by the number of rounds with each office."""
        n = self.players
        names = np.array([*OFFICES, "none"])  # -1: none
        numbers = np.array([str(number) for number in range(self.rules.rounds + 1)])
        found = {"office of the last round": names[states["office"][:, :n]]}
        for office in offices_in_play(n):
            held = (states["office_log"][:, : self.rules.rounds, :n] == office).sum(axis=1)
            found[f"rounds as {OFFICES[office]}"] = numbers[held]
        return found

    # --- what a seat sees --------------------------------------------------------------------
    def views(self, states: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """(B,) views; the observer is seat 0."""
        views = np.zeros(len(states), dtype=VIEW)
        view_games(states, _seats(states, seats), self._recall, views)
        return views

    def encode(self, views: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, observation_size) observations of views: float32, or as ``out`` is."""
        out = self._buffer((len(views), self.observation_size), out)
        self._encoders.encode_views(views, _SCRATCH.row, self.observation_scale, out)
        return out

    def observe(
        self, states: np.ndarray, seats: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """(B, observation_size) observations by the given seats, or those to act."""
        out = self._buffer((len(states), self.observation_size), out)
        seats = _seats(states, seats)
        self._encoders.observe_games(
            states, seats, _SCRATCH.view, _SCRATCH.row, self.observation_scale, out
        )
        return out

    def observe_all_seats(self, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, players, observation_size): what every seat sees."""
        out = self._buffer((len(states), self.players, self.observation_size), out)
        self._encoders.observe_all_seats(
            states, _SCRATCH.view, _SCRATCH.row, self.observation_scale, out
        )
        return out

    def state_vectors(self, states: np.ndarray) -> np.ndarray:
        """(B, state_size) float32; see ``state_features``."""
        out = self._buffer((len(states), self.state_size), None)
        self._encoders.encode_states(states, _SCRATCH.view, _SCRATCH.row, self._state_scale, out)
        return out

    def redeal(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(B,) full states drawn from what the views leave open; see ``screen.redeal``."""
        return redeal(views, rng)

    def turn_seats(self, states: np.ndarray, by: int) -> np.ndarray:
        """The same games with seat ``by`` as seat 0."""
        return turn_seats(states, by)

    @staticmethod
    def _buffer(shape: tuple[int, ...], out: np.ndarray | None) -> np.ndarray:
        return np.empty(shape, dtype=np.float32) if out is None else out

    # --- for people and files ----------------------------------------------------------------
    def rules_dict(self) -> dict[str, Any]:
        """The switches of VII.a."""
        return self.rules.to_dict()

    def write_position(self, state: np.void) -> dict[str, Any]:
        """The position of VII.e."""
        return write_position(state)

    def read_position(self, position: Mapping[str, Any]) -> np.ndarray:
        """An array of one state from a position of VII.e."""
        return read_position(position)

    def render_text(self, state: np.void, seat: int | None = None) -> str:
        """The board as text."""
        return render_text(state, seat, recall=self._recall)

    def draw(self, state: np.void, seat: int | None = None) -> Drawing:
        """The board as a picture, 1,000 x 750; see ``render.picture``."""
        return draw(state, seat, recall=self._recall)

    def narrate(
        self, before: np.void, action: int, after: np.void, seat: int | None = None
    ) -> list[str]:
        """An action and what followed from it in words; see ``words``."""
        return narrate(before, action, after, seat, recall=self._recall)

    def describe_decision(self, state: np.void, seat: int | None = None) -> str:
        """What is being decided, in words."""
        return describe_decision(state, seat)

    def may_take_back(self, before: np.void, after: np.void) -> bool:
        """Within one's own turn, as long as no card was drawn; see ``words``."""
        return may_take_back(before, after)

    def columns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Facts about states for tables of data; see ``columns``."""
        return columns(states, self.players)


def _seats(states: np.ndarray, seats: np.ndarray | None) -> np.ndarray:
    if seats is None:
        return np.full(len(states), -1, dtype=np.int64)
    return np.asarray(seats, dtype=np.int64)


def _checked(masks: np.ndarray) -> np.ndarray:
    """Masks that kernels may write to."""
    if masks.dtype != np.uint8 or not masks.flags.c_contiguous:
        raise ValueError(
            f"masks must be a contiguous uint8 array (B, {NUM_ACTIONS}), got {masks.dtype} with "
            f"strides {masks.strides}"
        )
    return masks
