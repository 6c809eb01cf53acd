"""What the toy games share: a game is its deal and the actions taken so far, nothing else.

A toy game says what is dealt, what is legal, when it is over, what it pays and what is seen; all
else of the ``Game`` contract is here, in numpy over whole batches. Who is to act follows from how
many actions were taken: seats take turns, one decision each.

Seats and places. A *place* is a player's number in the rules: place 0 opens. The seat of place p is
``(first + p) % players``. Rules and records are written by place, so turning the table changes
``first`` alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from jerusalem_env.bits import pack_rows
from jerusalem_env.chance import derive_seeds, draw, stream
from jerusalem_env.errors import PositionError, is_integer
from jerusalem_env.game import ActionBlock, BatchArrays, Game
from jerusalem_env.kernels import entry_kernel

NOBODY = -1  # to act, once a game is over
NONE = -1  # in histories: not taken yet; in deals: not visible


@entry_kernel
def draw_into(seeds: Any, purpose: Any, n: Any, out: Any) -> None:
    """Write a number 0..n-1 for one purpose of each seed."""
    for game in range(seeds.shape[0]):
        out[game] = draw(stream(seeds[game], purpose), n)[1]


def drawn(seeds: np.ndarray, purpose: int, n: int) -> np.ndarray:
    """(B,) int64 in 0..n-1, each drawn from its (B,) uint64 seed; purposes are independent."""
    out = np.empty(len(seeds), dtype=np.int64)
    draw_into(np.asarray(seeds, dtype=np.uint64), np.uint64(purpose), np.int64(n), out)
    return out


def one_hot(numbers: np.ndarray, size: int) -> np.ndarray:
    """(B, size) uint8: 1 at each number 0..size-1; a row of 0 where the number is negative."""
    return (numbers[:, None] == np.arange(size)).view(np.uint8)


class Dealt(NamedTuple):
    """A field of the record that the deal sets.

    Attributes
    ----------
    name : str
    shape : tuple of int
    low, high : int
        What it can be, both included.
    """

    name: str
    shape: tuple[int, ...]
    low: int
    high: int


class ToyGame(Game):
    """Base of the toy games.

    State
        ``players``, all there is of a rule set; ``first``, the seat of place 0; ``history``
        (longest,), the actions taken, then -1; ``decisions``, how many; ``decision_limit``, the
        watchdog; and the fields of ``dealt``.
        A view is such a record too, turned, with -1 for what its seat does not see.
    Decisions
        All are asked, forced ones too (``skip_forced`` is False).

    Attributes
    ----------
    longest : int
        Decisions of the longest game.
    dealt : tuple of Dealt
        Further fields of the record, by place where they belong to players.
    """

    skip_forced = False
    longest: int
    dealt: tuple[Dealt, ...] = ()

    def __init__(self) -> None:
        self.num_actions = len(self.action_names)
        self.action_blocks = (ActionBlock("play", 0, tuple(self.action_names), "a choice"),)
        deal = [(field.name, np.int8, field.shape) for field in self.dealt]
        self.state_dtype = np.dtype(
            [
                ("players", np.int8),
                ("first", np.int8),
                ("history", np.int8, (self.longest,)),
                ("decisions", np.int32),
                ("decision_limit", np.int32),
                *deal,
            ]
        )
        self.view_dtype = self.state_dtype
        self.observation_size = self.state_size = self.entries(self.new_states(1)).shape[1]
        self.observation_caps = np.ones(self.observation_size, dtype=np.uint8)
        self.observation_scale = np.ones(self.observation_size, dtype=np.float32)

    # --- what a toy game says ----------------------------------------------------------------
    def deal(self, states: np.ndarray, seeds: np.ndarray) -> None:
        """Write the fields of ``dealt``, and ``first`` if it is not 0, from (B,) uint64 seeds."""

    @abstractmethod
    def allowed(self, states: np.ndarray) -> np.ndarray:
        """(B, A) bool: the legal actions of games that run; of others, anything."""

    @abstractmethod
    def finished(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: played to the end."""

    @abstractmethod
    def payoffs(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64 by place, for finished games; of others, anything."""

    @abstractmethod
    def entries(self, views: np.ndarray) -> np.ndarray:
        """(B, F) uint8 flags that the observer, seat 0, sees in views; full records also do."""

    def hide(self, states: np.ndarray, seats: np.ndarray) -> None:
        """Overwrite with -1 what the seat of each game does not see; nothing is hidden here."""

    # --- life of a batch of games ------------------------------------------------------------
    def new_states(self, num_games: int) -> np.ndarray:
        """(num_games,) records with the number of players and the watchdog in them."""
        states = np.zeros(num_games, dtype=self.state_dtype)
        states["players"] = self.players
        states["history"] = NONE
        states["decision_limit"] = self.longest + 1
        return states

    def reset(self, states: np.ndarray, seeds: np.ndarray, masks: np.ndarray) -> None:
        """Deal every game from its seed."""
        limits = states["decision_limit"].copy()
        states[:] = self.new_states(len(states))
        states["decision_limit"] = limits
        self.deal(states, np.asarray(seeds, dtype=np.uint64))
        self.legal(states, masks)

    def step(self, states: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> int:
        """One decision in every running game; -1, or the first game whose action is illegal."""
        actions = np.asarray(actions)
        running = self._running(states)
        inside = (actions >= 0) & (actions < self.num_actions)
        # What is legal is asked of the record, not of ``masks``: stale masks are no permission.
        permitted = self.allowed(states)[np.arange(len(states)), np.where(inside, actions, 0)]
        wrong = running & ~(inside & permitted)
        if wrong.any():
            return int(wrong.argmax())
        rows = np.flatnonzero(running)
        taken = states["decisions"][rows]
        states["history"][rows, taken] = actions[rows]
        states["decisions"][rows] = taken + 1
        self.legal(states, masks)
        return -1

    def legal(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Write the masks of the decisions at hand; all 0 where there is none."""
        masks[:] = self.allowed(states) & self._running(states)[:, None]

    def derive_seeds(self, seed: int, num_games: int, episode: int) -> np.ndarray:
        """(num_games,) uint64 game seeds."""
        return derive_seeds(seed, num_games, episode)

    def advance(self, batch: BatchArrays, actions: np.ndarray) -> int:
        """One decision in every game, finished games dealt anew."""
        wrong = self.step(batch.states, actions, batch.masks)
        if wrong >= 0:
            return wrong
        batch.terminated[:] = self.terminated(batch.states)
        batch.truncated[:] = self.truncated(batch.states)
        batch.rewards[:] = self.utilities(batch.states)
        ended = np.flatnonzero(batch.terminated | batch.truncated)
        if len(ended):
            batch.finals[ended] = batch.states[ended]
            batch.episodes[ended] += 1
            dealt, masks = np.repeat(batch.blank, len(ended)), batch.masks[ended]
            self.reset(dealt, self._next_seeds(batch, ended), masks)
            batch.states[ended], batch.masks[ended] = dealt, masks
        pack_rows(batch.masks, batch.legal)
        if len(batch.observations):
            self.observe(batch.states, out=batch.observations)
        return -1

    def _next_seeds(self, batch: BatchArrays, places: np.ndarray) -> np.ndarray:
        """Seeds of the games that these places of a batch begin now."""
        seeds = np.empty(len(places), dtype=np.uint64)
        episodes, size = batch.episodes[places], len(batch.states)
        for episode in np.unique(episodes):
            these = episodes == episode
            of_batch = self.derive_seeds(int(batch.seed[0]), size, int(episode))
            seeds[these] = of_batch[places[these]]
        return seeds

    # --- reading -----------------------------------------------------------------------------
    def places(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """(B,) place of a (B,) seat in each game."""
        return (np.asarray(seats, dtype=np.int64) - states["first"]) % self.players

    def place_to_act(self, states: np.ndarray) -> np.ndarray:
        """(B,) place whose turn it is, also of games that are over."""
        return states["decisions"].astype(np.int64) % self.players

    def to_act(self, states: np.ndarray) -> np.ndarray:
        """(B,) int64 seat to act, -1 once over."""
        seats = (states["first"] + self.place_to_act(states)) % self.players
        return np.where(self._running(states), seats, NOBODY)

    def terminated(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool."""
        return self.finished(states)

    def truncated(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: the watchdog stopped it."""
        return (states["decisions"] >= states["decision_limit"]) & ~self.finished(states)

    def _running(self, states: np.ndarray) -> np.ndarray:
        return (states["decisions"] < states["decision_limit"]) & ~self.finished(states)

    def utilities(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64, zero-sum."""
        places = (
            np.arange(self.players) - states["first"][:, None].astype(np.int64)
        ) % self.players
        by_seat = np.take_along_axis(self.payoffs(states), places, axis=1)
        return np.where(self.finished(states)[:, None], by_seat, 0.0)

    def results(self, state: np.void) -> dict[str, Any]:
        """Ranking, ranks and utilities of a finished game; who is paid the same shares a rank."""
        paid = self.utilities(np.array([state]))[0]
        return {
            "ranking": np.argsort(-paid, kind="stable").tolist(),  # ties: the lower seat first
            "ranks": [1 + int((paid > own).sum()) for own in paid],
            "utility": paid.tolist(),
        }

    # --- what a seat sees --------------------------------------------------------------------
    def views(self, states: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """(B,) records turned so that the observer is seat 0, without what it does not see."""
        seats = np.maximum(self.to_act(states) if seats is None else np.asarray(seats), 0)
        seen = states.copy()
        self.hide(seen, seats)
        seen["first"] = (states["first"] - seats) % self.players
        return seen

    def encode(self, views: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, observation_size) flags of views: float32, or as ``out`` is."""
        entries = self.entries(views)
        if out is None:
            return entries.astype(np.float32)
        out[:] = entries
        return out

    def observe(
        self, states: np.ndarray, seats: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """(B, observation_size) flags seen by the given seats, or those to act."""
        return self.encode(self.views(states, seats), out)

    def observe_all_seats(self, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, players, observation_size): what every seat sees."""
        if out is None:
            shape = (len(states), self.players, self.observation_size)
            out = np.empty(shape, dtype=np.float32)
        for seat in range(self.players):
            out[:, seat] = self.entries(self.views(states, np.full(len(states), seat)))
        return out

    def state_vectors(self, states: np.ndarray) -> np.ndarray:
        """(B, state_size) float32: what seat 0 would see if nothing were hidden."""
        return self.entries(states).astype(np.float32)

    def redeal(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(B,) full states, observer in seat 0; where nothing is hidden there is but one."""
        return views.copy()

    def turn_seats(self, states: np.ndarray, by: int) -> np.ndarray:
        """The same games with seat ``by`` as seat 0."""
        turned = states.copy()
        turned["first"] = (states["first"] - by) % self.players
        return turned

    # --- for people and files ----------------------------------------------------------------
    def rules_dict(self) -> dict[str, Any]:
        """The number of players; toy games have no variants."""
        return {"players": self.players}

    def write_position(self, state: np.void) -> dict[str, Any]:
        """``first``, the fields of the deal, and the names of the actions taken."""
        taken = state["history"][: state["decisions"]]
        return {
            "first": int(state["first"]),
            **{field.name: state[field.name].tolist() for field in self.dealt},
            "history": [self.action_names[action] for action in taken],
        }

    def read_position(self, position: Mapping[str, Any]) -> np.ndarray:
        """An array of one state: the deal, and the actions taken again; the watchdog starts afresh.

        Raises
        ------
        PositionError
            For a missing or unknown field, a value out of range, or an action that is not legal.
        """
        known = ["first", *(field.name for field in self.dealt), "history"]
        given: Any = position
        if not isinstance(given, Mapping) or set(given) != set(known):
            raise PositionError(f"a position of {self.name} has {', '.join(known)}: {position!r}")
        states = self.new_states(1)
        for field in (Dealt("first", (), 0, self.players - 1), *self.dealt):
            states[field.name][0] = _checked(position[field.name], field)
        self.check_deal(states[0])
        masks = np.zeros((1, self.num_actions), dtype=np.uint8)
        if not isinstance(position["history"], list):
            raise PositionError(f"history: must be a list of actions, got {position['history']!r}")
        for number, name in enumerate(position["history"], 1):
            action = self.action_names.index(name) if name in self.action_names else -1
            if self.finished(states)[0] or self.step(states, np.array([action]), masks) >= 0:
                raise PositionError(f"history: action {number}, {name!r}, is not legal there")
        return states

    def check_deal(self, state: np.void) -> None:
        """PositionError for a deal that cannot be, though each number is in its range."""

    def describe(self, state: np.void) -> str:
        """A line about the deal as far as it is visible; none unless a game says more."""
        return ""

    def render_text(self, state: np.void, seat: int | None = None) -> str:
        """Deal, actions so far, and who is to act or what is paid."""
        states = np.array([state])
        if seat is not None:
            self.hide(states, np.array([seat]))
        shown = states[0]
        lines = [self.name, self.describe(shown)]
        for number, action in enumerate(shown["history"][: shown["decisions"]]):
            mover = (int(shown["first"]) + number) % self.players
            lines.append(f"seat {mover}: {self.action_names[action]}")
        if self.terminated(states)[0]:
            lines.append(f"over, pays {self.utilities(np.array([state]))[0].tolist()}")
        elif self.truncated(states)[0]:
            lines.append("stopped by the watchdog")
        else:
            lines.append(f"seat {self.to_act(states)[0]} to act")
        return "\n".join(line for line in lines if line)


def _checked(value: Any, field: Dealt) -> Any:
    """A value of a position, if it has the field's shape and range."""
    numbers = [value] if field.shape == () else value
    wanted = 1 if field.shape == () else field.shape[0]
    fits = isinstance(numbers, list) and len(numbers) == wanted
    if not fits or not all(is_integer(number, field.low, field.high) for number in numbers):
        some = "an integer" if field.shape == () else f"{wanted} integers"
        raise PositionError(
            f"{field.name}: must be {some} {field.low}..{field.high}, got {value!r}"
        )
    return value
