"""Facts about states as named columns, for tables of data: nothing hidden, seats as they sit.

One table of columns for a number of players gives the names, what they mean and how they are read,
so these cannot differ. What a seat may not see at the table (hands, decks, piles) is here too: take
care what a learner is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .actions import PHASES, SOURCES, STAGES
from .engine.layout import NEUTRAL
from .rules.names import (
    APOSTLES,
    AREAS,
    BACKS,
    COLOURS,
    DRAW_SOURCES,
    JUDGMENTS,
    LOCATIONS,
    RESOURCES,
    SEATS,
    SPACES,
)
from .standing import PARTS, final_count

# The last name is for -1: nothing there.
_PHASE = np.array(PHASES)
_STAGE = np.array(STAGES)
_COLOUR = np.array([*COLOURS, ""])
_APOSTLE = np.array([*APOSTLES, ""])
_SOURCE = np.array([*SOURCES, ""])
_SPACE = np.array([*SPACES, ""])
_LOCATION = np.array([*LOCATIONS, ""])
_JUDGMENT = np.array([*JUDGMENTS, ""])


class _Facts(NamedTuple):
    """What columns are read from: (B,) states, and the parts of the final count, (B, 4) each."""

    states: np.ndarray
    final: dict[str, np.ndarray]


class _Column(NamedTuple):
    name: str
    meaning: str
    read: Callable[[_Facts], np.ndarray]


def columns(states: np.ndarray, players: int) -> dict[str, np.ndarray]:
    """The columns of ``column_meanings`` for (B,) full states of so many players.

    Returns
    -------
    Name -> (B,) fresh array: int8, int16, int32 or int64 amounts, sets and seats, -1 where there is
    none; bool flags; texts (``<U``), empty where there is nothing to name. Names, order and dtypes
    depend on the number of players alone; those that end in ``_0`` and so on are a seat's. Sets
    are bit masks of card kinds (bit i: kind i of ``rules.box.Box.kinds``).
    """
    facts = _Facts(states, final_count(states))
    return {column.name: column.read(facts) for column in _table(players)}


def column_meanings(players: int) -> dict[str, str]:
    """Name -> what the column says, in the order of ``columns``."""
    return {column.name: column.meaning for column in _table(players)}


@cache
def _table(players: int) -> tuple[_Column, ...]:
    return (*_flow(), *(x for seat in range(players) for x in _of_seat(seat)), *_board())


# --- readers --------------------------------------------------------------------------------
def _item(field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: facts.states[field][entry].copy()


def _flag(field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: facts.states[field][entry] != 0


def _named(names: np.ndarray, field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: names[facts.states[field][entry]]


def _size(field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    """How many elements a set (mask) has."""
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: np.bitwise_count(facts.states[field][entry]).astype(np.int8)


def _sum(field: str, *place: int) -> Callable[[_Facts], np.ndarray]:
    """The sum over the last axis."""
    entry: tuple[Any, ...] = (slice(None), *place)
    return lambda facts: facts.states[field][entry].sum(axis=-1, dtype=np.int32)


def _camp_use(seat: int) -> Callable[[_Facts], np.ndarray]:
    def read(facts: _Facts) -> np.ndarray:
        s = facts.states
        used = s["camp"][:, seat].astype(np.int32) + s["offerings"][:, seat]
        return used + s["resources"][:, seat].sum(axis=1, dtype=np.int32)

    return read


def _capacity(seat: int) -> Callable[[_Facts], np.ndarray]:
    def read(facts: _Facts) -> np.ndarray:
        s = facts.states
        return np.where(s["blocked"][:, seat] == 1, s["capacity"], s["capacity_unblocked"])

    return read


def _occupant(space: int) -> Callable[[_Facts], np.ndarray]:
    def read(facts: _Facts) -> np.ndarray:
        there = (facts.states["supper"] >> space) & 1
        return np.where(there.any(axis=1), there.argmax(axis=1), -1).astype(np.int8)

    return read


def _seated(facts: _Facts) -> np.ndarray:
    return (facts.states["seats"] >= 0).sum(axis=1, dtype=np.int8)


def _part(part: str, seat: int) -> Callable[[_Facts], np.ndarray]:
    return lambda facts: facts.final[part][:, seat].copy()


def _final(seat: int) -> Callable[[_Facts], np.ndarray]:
    def read(facts: _Facts) -> np.ndarray:
        parts = np.stack([facts.final[part][:, seat] for part in PARTS])
        return parts.sum(axis=0, dtype=np.int32)

    return read


# --- the table ------------------------------------------------------------------------------
def _flow() -> Iterator[_Column]:
    yield _Column("phase", "what is being decided (rules VII.b)", _named(_PHASE, "phase"))
    yield _Column("stage", "the part of the turn (rules VII.e)", _named(_STAGE, "stage"))
    yield _Column("decisions", "decisions taken so far, forced ones too", _item("decisions"))
    yield _Column("turns", "turns begun so far", _item("turns"))
    yield _Column("turn", "the active player's seat, -1 in set-up", _item("turn"))
    yield _Column("start", "the start player's seat", _item("start"))
    yield _Column("sanhedrin", "space of the Sanhedrin marker", _item("sanhedrin"))
    yield _Column("last_space", "last space of the Sanhedrin track", _item("last_space"))
    yield _Column("judgments_on", "judgments still score", _flag("judgments_on"))
    yield _Column("apostles_seated", "Apostles at the table, of 12", _seated)
    yield _Column("invited", "going to the Last Supper costs nothing now", _flag("free"))
    yield _Column("visit_source", "with what a visit is made", _named(_SOURCE, "visit_source"))
    meaning = "apostle column being visited, 0..2, -1: no visit"
    yield _Column("visit_column", meaning, _item("visit_column"))
    meaning = "space whose follower changes places"
    yield _Column("lifted", meaning, _named(_SPACE, "lifted"))
    yield _Column("mahane_size", "cards in the Mahane pile", _item("mahane_size"))
    yield _Column("xxxiii_size", "cards in the XXXIII pile", _item("xxxiii_size"))
    for place, name in enumerate(DRAW_SOURCES[:2]):
        meaning = f"card kind in the display, {name}, -1: none"
        yield _Column(f"display_{name}", meaning, _item("display", place))


def _of_seat(seat: int) -> Iterator[_Column]:
    whose = f"of seat {seat}"

    def column(name: str, meaning: str, read: Callable[[_Facts], np.ndarray]) -> _Column:
        return _Column(f"{name}_{seat}", f"{meaning}, {whose}", read)

    yield column(
        "colour", "colour, which tells the ten starting cards", _named(_COLOUR, "colours", seat)
    )
    yield column("points", "points; after the end with the final count", _item("points", seat))
    yield column("rank", "place at the end from 1 on, ties share; 0 before", _item("ranks", seat))
    for part in PARTS:
        meaning = f"points for {part} in a final count of things as they stand"
        yield column(f"final_{part}", meaning, _part(part, seat))
    yield column("final", "points of a final count of things as they stand", _final(seat))
    yield column("denarii", "Denarii", _item("denarii", seat))
    for place, name in enumerate(RESOURCES):
        yield column(name, name, _item("resources", seat, place))
    yield column("offerings", "Offerings", _item("offerings", seat))
    yield column("camp", "followers in the camp", _item("camp", seat))
    yield column("camp_use", "squares of the camp that are needed", _camp_use(seat))
    yield column("capacity", "squares of the camp that there are", _capacity(seat))
    for place, name in enumerate(AREAS):
        yield column(name, f"followers in the {name}", _item("areas", seat, place))
    yield column("in_areas", "followers in the three areas", _sum("areas", seat))
    yield column("at_supper", "followers at the Last Supper", _size("supper", seat))
    yield column("parables", "Parables heard", _item("parables", seat))
    yield column("favors_done", "Favors done", _item("favors_done", seat))
    yield column("markers", "favor markers left", _size("favors", seat))
    for place, name in enumerate(LOCATIONS):
        yield column(f"symbol_{name}", f"{name} symbols held", _item("symbols_held", seat, place))
    yield column("illumination", "Illumination unused", _flag("illumination", seat))
    for place, name in enumerate(BACKS):
        yield column(f"hand_{name}", f"{name} cards in hand", _item("hand_counts", seat, place))
    yield column("hand", "set of cards in hand, hidden from others", _item("hand", seat))
    yield column("discards", "set of discarded starting cards", _item("discards", seat))
    yield column("deck_size", "cards in the deck", _item("deck_size", seat))
    for place in range(3):
        meaning = f"cards on own column {place + 1}"
        yield column(f"column.{place + 1}", meaning, _item("column_size", seat, place))


def _board() -> Iterator[_Column]:
    for place, name in enumerate(SEATS):
        yield _Column(f"seat_{name}", f"Apostle on {name}", _named(_APOSTLE, "seats", place))
    for place, name in enumerate(SPACES):
        meaning = f"seat whose follower stands on {name}, {NEUTRAL}: neutral, -1: nobody"
        yield _Column(f"supper_{name}", meaning, _occupant(place))
    for place in range(3):
        for index in range(3):
            meaning = f"symbol {index + 1} of apostle column {place + 1}"
            read = _named(_LOCATION, "symbols", place, index)
            yield _Column(f"apostles.{place + 1}.symbol.{index + 1}", meaning, read)
        for index, name in enumerate(APOSTLES):
            meaning = f"{name} Apostles left in apostle column {place + 1}"
            yield _Column(f"apostles.{place + 1}.{name}", meaning, _item("apostles", place, index))
    for index in range(len(JUDGMENTS)):
        meaning = f"judgment {index + 1} along the Sanhedrin track"
        yield _Column(f"judgment.{index + 1}", meaning, _named(_JUDGMENT, "judgments", index))
