"""Facts about states as named columns, for tables of data: nothing hidden, seats as they sit.

One table of columns for a number of players gives the names, what they mean and how they are read,
so these cannot differ. What a seat may not see at the table (silver, squires in supply, cards,
events still face down) is here too: take care what a learner is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled.encoders import encoders_for, scratch_view
from ..features import scale_of, size_of
from .actions import PHASES, SOURCES
from .compiled import JERUSALEM
from .observation import features
from .rules.board import AREAS, areas_in_play
from .rules.cards import CARDS
from .rules.events import EVENT_ROUNDS, EVENTS
from .rules.offices import OFFICES
from .rules.ruleset import RuleSet

# The last name is for -1: nothing there.
_PHASE = np.array(PHASES)
_OFFICE = np.array([*OFFICES, ""])
_AREA = np.array([*AREAS, ""])
_EVENT = np.array([*EVENTS, ""])
_SOURCE = np.array([*SOURCES, ""])


class _Facts(NamedTuple):
    """What columns are read from: (B,) states, and (B, A) int8 seats in control, -1 nobody's."""

    states: np.ndarray
    control: np.ndarray


class _Column(NamedTuple):
    name: str
    meaning: str
    read: Callable[[_Facts], np.ndarray]


def columns(states: np.ndarray, players: int) -> dict[str, np.ndarray]:
    """The columns of ``column_meanings`` for (B,) full states of so many players.

    Returns
    -------
    Name -> (B,) fresh array: int8, int16 or int32 amounts and seats, -1 where there is none; bool
    flags; texts (``<U``), empty where there is nothing to name. Names, order and dtypes depend on
    the number of players alone.
    """
    facts = _Facts(states, _control(states, players))
    return {column.name: column.read(facts) for column in _table(players)}


def column_meanings(players: int) -> dict[str, str]:
    """Name -> what the column says, in the order of ``columns``."""
    return {column.name: column.meaning for column in _table(players)}


def _control(states: np.ndarray, players: int) -> np.ndarray:
    """(B, A) int8: who controls each area in play, as observations say it.

    That is the engine's control (R7.1), and also has an answer while offices are open: a tie that
    they would break is nobody's yet.
    """
    table = features(RuleSet(players=players))
    seen = np.empty((len(states), size_of(table)), dtype=np.uint8)
    rows = np.empty((1, size_of(table)), dtype=np.uint8)
    first_seat = np.zeros(len(states), dtype=np.int64)
    observe = encoders_for(JERUSALEM, players, False).observe_games
    observe(states, first_seat, scratch_view(JERUSALEM), rows, scale_of(table), seen)
    place = next(feature.slice for feature in table if feature.name == "control")
    flags = seen[:, place].reshape(len(states), (place.stop - place.start) // players, players)
    return np.where(flags.any(axis=2), flags.argmax(axis=2), -1).astype(np.int8)


@cache
def _table(players: int) -> tuple[_Column, ...]:
    return (*_flow(), *(x for seat in range(players) for x in _of_seat(seat)), *_board(players))


# --- readers --------------------------------------------------------------------------------
def _plain(field: str) -> Callable[[_Facts], np.ndarray]:
    return lambda facts: facts.states[field].copy()


def _item(field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: facts.states[field][entry].copy()


def _flag(field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: facts.states[field][entry] != 0


def _named(names: np.ndarray, field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: names[facts.states[field][entry]]


def _event_now(facts: _Facts) -> np.ndarray:
    """The event of each state's round: none in the first, nor in the last of however many (R3.3).

    What lies over the last of fewer than five rounds is never carried out (VII.a of the rules).
    """
    number = facts.states["round"].astype(np.int64)
    slot = np.clip(number - EVENT_ROUNDS[0], 0, len(EVENT_ROUNDS) - 1)
    event = np.take_along_axis(facts.states["events"], slot[:, None], axis=1)[:, 0]
    held = (number >= EVENT_ROUNDS[0]) & (number <= EVENT_ROUNDS[-1])
    return _EVENT[np.where(held & (number < facts.states["rounds"]), event, -1)]


def _controlled(seat: int) -> Callable[[_Facts], np.ndarray]:
    return lambda facts: (facts.control == seat).sum(axis=1, dtype=np.int8)


def _on_board(seat: int) -> Callable[[_Facts], np.ndarray]:
    return lambda facts: facts.states["board"][:, seat].sum(axis=1, dtype=np.int32)


def _controller(place: int) -> Callable[[_Facts], np.ndarray]:
    return lambda facts: facts.control[:, place].copy()


# --- the table ------------------------------------------------------------------------------
def _flow() -> Iterator[_Column]:
    yield _Column("round", "1 to the number of rounds", _plain("round"))
    yield _Column("phase", "what is being decided (rules VII.e)", _named(_PHASE, "phase"))
    yield _Column("decisions", "decisions taken so far, forced ones too", _plain("decisions"))
    meaning = "the event carried out in this round; none in the first and in the last"
    yield _Column("event", meaning, _event_now)
    for slot, number in enumerate(EVENT_ROUNDS):
        meaning = f"the event over round {number}, carried out unless that is the last; face down "
        meaning += "before that round"
        yield _Column(f"event_of_round_{number}", meaning, _named(_EVENT, "events", slot))
    yield _Column("opener", "seat that opened this or the last auction", _plain("opener"))
    yield _Column("auction_office", "office up for auction", _named(_OFFICE, "auction_office"))
    yield _Column("bid", "the high bid in silver, -1: none", _plain("bid"))
    yield _Column("bidder", "seat that holds the high bid, -1: none", _plain("bidder"))
    yield _Column("baron_used", "the player in turn has placed his baron", _flag("baron_used"))
    yield _Column("hired", "squires hired in this turn", _plain("hired"))
    yield _Column("genoa", "Genoa mercenaries are in force in this turn", _flag("genoa"))
    yield _Column("marshal_used", "the marshal's ability is used up", _flag("marshal_used"))
    yield _Column("source", "what began the sub-flow", _named(_SOURCE, "source"))
    yield _Column("left", "steps the sub-flow still has; removals in war", _plain("left"))
    moved = "the area of the squire being moved"
    yield _Column("lifted_from", moved, _named(_AREA, "lifted_from"))
    yield _Column("pile_size", "cards left in the pile", _plain("pile_size"))
    for card, name in enumerate(CARDS):
        meaning = f"{name} cards in the draft pool; hidden from all but who drafts"
        yield _Column(f"pool_{name}", meaning, _item("pool", card))
    for card, name in enumerate(CARDS):
        yield _Column(f"discards_{name}", f"{name} cards played", _item("discards", card))


def _of_seat(seat: int) -> Iterator[_Column]:
    whose = f"of seat {seat}"
    for name, meaning in (
        ("office", "office held this round"),
        ("last_office", "office held the round before"),
    ):
        yield _Column(f"{name}_{seat}", f"{meaning}, {whose}", _named(_OFFICE, name, seat))
    for name, meaning in (
        ("floors", "floors of the tower"),
        ("prestige", "prestige points"),
        ("silver", "silver, hidden from others"),
        ("squires", "squires in supply, hidden from others"),
        ("hand_size", "action cards in hand"),
    ):
        yield _Column(f"{name}_{seat}", f"{meaning}, {whose}", _item(name, seat))
    yield _Column(f"passed_{seat}", f"out of this auction, {whose}", _flag("passed", seat))
    standing = f"area where the baron stands, {whose}"
    yield _Column(f"baron_{seat}", standing, _named(_AREA, "baron", seat))
    yield _Column(f"areas_{seat}", f"areas controlled, {whose}", _controlled(seat))
    yield _Column(f"on_board_{seat}", f"squires on the board, {whose}", _on_board(seat))
    for card, name in enumerate(CARDS):
        meaning = f"{name} cards in hand, hidden from others, {whose}"
        yield _Column(f"hand_{name}_{seat}", meaning, _item("hand", seat, card))


def _board(players: int) -> Iterator[_Column]:
    playing = areas_in_play(players)
    for area in playing:
        for seat in range(players):
            name, meaning = AREAS[area], f"squires of seat {seat} in {AREAS[area]}"
            yield _Column(f"board_{name}_{seat}", meaning, _item("board", seat, area))
    for place, area in enumerate(playing):
        meaning = (
            f"seat that controls {AREAS[area]} as things stand, -1: nobody; while offices are open "
            "a tie is nobody's"
        )
        yield _Column(f"control_{AREAS[area]}", meaning, _controller(place))
