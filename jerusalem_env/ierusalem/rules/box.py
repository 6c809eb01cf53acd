"""The data of the game (rules Part II): one file, read, checked and turned into tables.

``box.toml`` beside this file holds every number with where it is from. Another file of the same
shape may be given instead (VII.a ``data``): its numbers, names of cards and effects may differ, but
not what the flat actions and the table are built on (numbers of cards, spaces, seats, ...).
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import codes, names
from .names import (
    ACTIONS,
    APOSTLES,
    AREAS,
    BACKS,
    COLOURS,
    JUDGMENTS,
    LOCATIONS,
    NUM_KINDS,
    NUM_SPACES,
    RESOURCES,
    SPACES,
)

BOX_FILE = Path(__file__).with_name("box.toml")
ORIGINS = ("seed", "found", "derived", "reconstructed")

_TURNED = "effects_top turned by 180 degrees"
_OWN_NUMBER = "the parable's number"
_MOST_COST = 7  # of one resource; ``space_needs`` has a row of 8
_BENEFITS = {resource: code for code, resource in enumerate(RESOURCES)} | {
    "denarii": codes.BENEFIT_DENARII
}

# What the action ids, the record and the table are built on: another file must agree.
_FIXED: dict[tuple[str, str], Any] = {
    ("components", "followers_each"): 15,
    ("components", "apostles"): 12,
    ("components", "favor_markers_each"): 8,
    ("components", "parable_types"): 7,
    ("components", "parable_tiles"): 28,
    ("components", "symbol_tiles"): 15,
    ("components", "symbol_copies"): 3,
    ("components", "judgment_tiles"): 6,
    ("components", "mahane_cards"): names.NUM_MAHANE,
    ("components", "xxxiii_cards"): names.NUM_XXXIII,
    ("components", "supply_limits"): False,
    ("setup", "in_chosen_location"): 1,
    ("setup", "in_a_corner"): 1,
    ("setup", "display"): 2,
    ("setup", "symbols_in_use"): 9,
    ("supper", "rows"): 3,
    ("supper", "columns"): 8,
    ("supper", "seat_columns"): list(names.SEAT_COLUMNS),
    ("apostles", "symbols_per_column"): 3,
    ("sanhedrin", "tiles"): list(JUDGMENTS),
}


class BoxError(ValueError):
    """A data file that cannot be read, or a value in it that is missing or cannot be."""


@dataclass(frozen=True)
class Box:
    """The values of a data file.

    Attributes
    ----------
    text : str
        The content as canonical JSON: two boxes are equal if their values are.
    """

    text: str

    @cached_property
    def content(self) -> dict[str, Any]:
        """Sections of entries; each entry is ``{"v": value, "from": origin}``."""
        content: dict[str, Any] = json.loads(self.text)
        return content

    def __getitem__(self, key: tuple[str, str]) -> Any:
        """The value of an entry, by section and name; sections of cards are ``cards.mahane``."""
        return self._entry(*key)["v"]

    def origin(self, section: str, name: str) -> str:
        """Where a value is from: ``seed``, ``found``, ``derived`` or ``reconstructed``."""
        return str(self._entry(section, name)["from"])

    def entries(self) -> Iterator[tuple[str, str, Any, str]]:
        """(section, name, value, origin) of every entry, in the order of the file."""
        for section, name, entry in _entries(self.content):
            yield section, name, entry["v"], entry["from"]

    def _entry(self, section: str, name: str) -> Mapping[str, Any]:
        found: Any = self.content
        for part in (*section.split("."), name):
            if not isinstance(found, Mapping) or part not in found:
                raise BoxError(f"{section}.{name} is missing from the data file")
            found = found[part]
        if not isinstance(found, Mapping) or set(found) != {"v", "from"}:
            raise BoxError(f'{section}.{name} must be {{v = value, from = "..."}}, got {found!r}')
        return found

    @cached_property
    def digest(self) -> int:
        """64 bits that tell this content from others."""
        return int.from_bytes(hashlib.sha256(self.text.encode()).digest()[:8], "little")

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The 55 card kinds in order (VII.c): starting, Mahane, XXXIII."""
        decks = [self["cards.starting", colour] for colour in COLOURS]
        starting = {kind for deck in decks for kind in deck}
        if self.text == usual_box_text():
            ordered = _USUAL_STARTING
        else:
            ordered = tuple(sorted(starting, key=_kind_order))
        return (*ordered, *self["cards.mahane", "kinds"], *self["cards.xxxiii", "kinds"])

    @cached_property
    def markers(self) -> tuple[str, ...]:
        """The 8 favor markers."""
        return tuple(self["favors", "markers"])

    def tables(self, players: int, by_colour: bool) -> dict[str, Any]:
        """Values for the fields of the state record that hold the data."""
        return {name: value.copy() for name, value in _tables(self, players, by_colour).items()}


# The order of VII.c, which is that of nothing else.
_USUAL_STARTING: tuple[str, ...] = (
    *("market.go", "market.parable", "market.stone+go", "market.parable+meeting", "market.favor"),
    *("market.fish+parable", "desert.parable", "desert.bread+go", "desert.go", "desert.favor"),
    *("desert.parable+meeting", "mountain.favor", "mountain.fish+parable", "mountain.stone+favor"),
    *("mountain.stone+go", "lake.favor", "lake.stone+go", "lake.parable", "lake.go"),
    *("lake.favor+meeting", "temple.favor+meeting", "temple.go", "temple.bread+favor"),
    *("temple.fish+parable", "temple.parable"),
)


def _kind_order(kind: str) -> tuple[int, int, str]:
    """Kinds of the usual box in its order, others by location behind them."""
    usual = _USUAL_STARTING.index(kind) if kind in _USUAL_STARTING else len(_USUAL_STARTING)
    return LOCATIONS.index(kind.split(".")[0]), usual, kind


def _entries(content: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, str, Any]]:
    for name, value in content.items():
        if not isinstance(value, Mapping):
            raise BoxError(f"{path}{name} must be an entry or a section, got {value!r}")
        if "v" in value or "from" in value:
            if set(value) != {"v", "from"} or value["from"] not in ORIGINS:
                raise BoxError(
                    f'{path}{name} must be {{v = value, from = "..."}} with one of '
                    f"{', '.join(ORIGINS)}, got {value!r}"
                )
            yield path.removesuffix("."), name, value
        else:
            yield from _entries(value, f"{path}{name}.")


@cache
def usual_box_text() -> str:
    """The canonical JSON of ``box.toml``."""
    return _canonical(tomllib.loads(BOX_FILE.read_text(encoding="utf-8")))


def _canonical(content: Mapping[str, Any]) -> str:
    """The content as JSON; BoxError for what JSON has no form for, as a date."""
    try:
        text = json.dumps(content, sort_keys=False, separators=(",", ":"), ensure_ascii=False)
        text.encode()  # for the digest
    except (TypeError, ValueError, RecursionError) as error:
        raise BoxError(
            f"a data file must hold numbers, texts, lists and tables alone: {error}"
        ) from error
    return text


# Boxes by digest: records hold numbers alone, names come from here.
_known: dict[int, Box] = {}


def load_box(data: str | Path | Mapping[str, Any] = "box") -> Box:
    """The box meant by ``"box"``, the path of a TOML file, or its content as a mapping.

    Raises
    ------
    BoxError
        If there is no such file, it is no TOML, or a value is missing or impossible.
    """
    if isinstance(data, Mapping):
        box = Box(_canonical(data))
    elif data == "box":
        box = Box(usual_box_text())
    else:
        path = Path(data)
        try:
            box = Box(_canonical(tomllib.loads(path.read_text(encoding="utf-8"))))
        except OSError as error:
            raise BoxError(
                f'data must be "box" or the path of a TOML file of that shape, got {str(data)!r}: '
                f"{error.strerror or error}"
            ) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BoxError(f"data file {path} is no TOML: {error}") from error
    known = _known.get(box.digest)
    if known is not None:
        return known
    for players in (3, 4):
        for by_colour in (False, True):
            _tables(box, players, by_colour)
    _known[box.digest] = box
    return box


def box_of(digest: int) -> Box:
    """The box with a digest, as records hold it.

    Raises
    ------
    BoxError
        If no box with it has been loaded in this process.
    """
    box = load_box() if int(digest) not in _known else None
    if box is not None and box.digest != int(digest):
        raise BoxError(
            f"a game uses a data file with digest {int(digest):016x} that this process has not "
            "loaded; make its RuleSet(data=...) first"
        )
    return _known[int(digest)]


# --- tables ----------------------------------------------------------------------------------
@cache
def _tables(box: Box, players: int, by_colour: bool) -> dict[str, Any]:
    list(box.entries())
    for (section, name), value in _FIXED.items():
        if box[section, name] != value:
            raise BoxError(
                f"{section}.{name} must be {value!r}: action ids and records are built on it; got "
                f"{box[section, name]!r}"
            )
    tables = (
        _cards(box) | _supper(box, players) | _apostles(box, by_colour) | _tracks(box)
    ) | _amounts(box, players)
    return {name: np.asarray(value) for name, value in tables.items()}


def _whole(
    box: Box, section: str, name: str, low: int = 0, high: int = 100, size: int | None = None
) -> Any:
    """A whole number, or a list of ``size`` of them."""
    value = box[section, name]
    values = [value] if size is None else value
    right = isinstance(values, list) and (size is None or len(values) == size)
    if not right or any(type(x) is not int or not low <= x <= high for x in values):
        kind = f"an integer {low}..{high}" if size is None else f"{size} integers {low}..{high}"
        raise BoxError(f"{section}.{name} must be {kind}, got {value!r}")
    return value


def _by_name(box: Box, section: str, name: str, keys: tuple[str, ...], low: int = 0) -> list[int]:
    """Whole numbers by name, in the order of ``keys``."""
    value = box[section, name]
    if not isinstance(value, Mapping) or set(value) != set(keys):
        raise BoxError(f"{section}.{name} must have {', '.join(keys)}, got {value!r}")
    for key in keys:
        if type(value[key]) is not int or not low <= value[key] <= 100:
            raise BoxError(f"{section}.{name}.{key} must be an integer {low}..100, got {value!r}")
    return [value[key] for key in keys]


def _listed(box: Box, section: str, name: str, size: int) -> list[Any]:
    value = box[section, name]
    if not isinstance(value, list) or len(value) != size:
        raise BoxError(f"{section}.{name} must be a list of {size}, got {value!r}")
    return value


def _cards(box: Box) -> dict[str, Any]:
    for section, size in (("cards.mahane", names.NUM_MAHANE), ("cards.xxxiii", names.NUM_XXXIII)):
        _listed(box, section, "kinds", size)
    decks = [_listed(box, "cards.starting", colour, 10) for colour in COLOURS]
    common = box["cards.mahane", "kinds"] + box["cards.xxxiii", "kinds"]
    for kind in [k for deck in decks for k in deck] + common:
        _card(kind)
    kinds = box.kinds
    if len(kinds) != NUM_KINDS or len(set(kinds)) != NUM_KINDS:
        raise BoxError(
            f"cards must be {names.NUM_STARTING} different starting kinds, {names.NUM_MAHANE} "
            f"Mahane and {names.NUM_XXXIII} XXXIII, all different; got {len(set(kinds))} of "
            f"{NUM_KINDS}"
        )
    location, actions = [], []
    for kind in kinds:
        place, bottom = _card(kind)
        location.append(place)
        actions.append([*bottom, *([-1] * (3 - len(bottom)))])
    masks = []
    for colour, deck in zip(COLOURS, decks, strict=True):
        if len(set(deck)) != 10:
            raise BoxError(f"cards.starting.{colour} must be 10 different cards, got {deck!r}")
        masks.append(sum(1 << kinds.index(kind) for kind in deck))
    return {
        "card_location": location,
        "card_actions": actions,
        "card_points": _by_name(box, "cards", "apostle_points", BACKS),
        "starting_cards": masks,
    }


def _card(kind: Any) -> tuple[int, list[int]]:
    """Location and bottom actions of a card by its name."""
    place, dot, bottom = str(kind).partition(".")
    actions = bottom.split("+")
    if not dot or place not in LOCATIONS or any(action not in ACTIONS for action in actions):
        raise BoxError(
            f"cards: {kind!r} must be location.action+action with locations "
            f"{', '.join(LOCATIONS)} and actions {', '.join(ACTIONS)}"
        )
    if not 1 <= len(actions) <= 3:
        raise BoxError(f"cards: {kind!r} must have 1 to 3 actions")
    return LOCATIONS.index(place), [ACTIONS.index(action) for action in actions]


def _effect(section: str, name: str, effect: Any) -> tuple[int, int]:
    """(step, amount) of the effect of a space or the reward of a Parable."""
    if effect == "-":
        return codes.STEP_NONE, 0
    if effect in ACTIONS:
        return ACTIONS.index(effect), 0
    what, _, amount = str(effect).rpartition("_")
    if what in ("points", "denarii") and amount.isdecimal() and 0 < int(amount) <= 20:
        return codes.STEP_POINTS if what == "points" else codes.STEP_DENARII, int(amount)
    raise BoxError(
        f"{section}.{name}: {effect!r} must be - or points_K or denarii_K or one of "
        f"{', '.join(ACTIONS)}"
    )


def _rows(box: Box, name: str) -> dict[str, list[Any]]:
    value = box["supper", name]
    rows = isinstance(value, Mapping) and set(value) == {"1", "2", "3"}
    if not rows or any(not isinstance(row, list) or len(row) != 8 for row in value.values()):
        raise BoxError(f"supper.{name} must have rows 1, 2 and 3 of 8 effects each, got {value!r}")
    return dict(value)


def _supper(box: Box, players: int) -> dict[str, Any]:
    cost = np.zeros((NUM_SPACES, 3), dtype=np.int8)
    effect = np.full(NUM_SPACES, codes.STEP_NONE, dtype=np.int8)
    amount = np.zeros(NUM_SPACES, dtype=np.int8)
    for space in (*names.CORNERS, *names.JESUS):
        cost[space] += _price(box, "table_cost", box["supper", "table_cost"])
    top = _rows(box, "effects_top")
    turned = box["supper", "effects_bottom"]
    if isinstance(turned, str) and turned.startswith(_TURNED):
        bottom = {row: top[row][::-1] for row in top}
    else:
        bottom = _rows(box, "effects_bottom")
    rows = box["supper", "row_cost"]
    if not isinstance(rows, Mapping) or set(rows) != {"1", "2", "3"}:
        raise BoxError(f"supper.row_cost must have rows 1, 2 and 3, got {rows!r}")
    columns = _listed(box, "supper", "column_cost", 8)
    for side, effects in (("top", top), ("bottom", bottom)):
        for row in (1, 2, 3):
            for column in range(1, 9):
                space = names.row_space(side, row, column)
                cost[space] += _price(box, "row_cost", rows[str(row)])
                cost[space] += _price(box, "column_cost", columns[column - 1])
                what = effects[str(row)][column - 1]
                effect[space], amount[space] = _effect("supper", f"effects_{side}", what)
    if cost.max() > _MOST_COST:
        raise BoxError(f"supper: a space may cost at most {_MOST_COST} of a resource")
    needs = np.zeros((3, 8), dtype=np.int64)
    for resource in range(3):
        for held in range(8):
            dear = [space for space in range(NUM_SPACES) if cost[space, resource] > held]
            needs[resource, held] = names.mask_of(dear)
    neutral = box["setup", "neutral_with_3"]
    if not isinstance(neutral, list) or any(space not in SPACES for space in neutral):
        raise BoxError(f"setup.neutral_with_3 must be a list of spaces, got {neutral!r}")
    taken = names.mask_of([SPACES.index(space) for space in neutral])
    if (names.CORNER_MASK & ~taken).bit_count() < 3:
        raise BoxError("setup.neutral_with_3 must leave three corners free")
    return {
        "space_cost": cost,
        "space_needs": needs,
        "space_effect": effect,
        "space_amount": amount,
        "neutral": taken if players == 3 else 0,
        "jesus_points": _whole(box, "supper", "jesus_points"),
    }


def _price(box: Box, name: str, price: Any) -> np.ndarray:
    """(3,) resources: one of a name, or amounts by name."""
    amounts = {price: 1} if isinstance(price, str) else price
    if not isinstance(amounts, Mapping) or any(
        resource not in RESOURCES or type(k) is not int or not 0 <= k <= _MOST_COST
        for resource, k in amounts.items()
    ):
        raise BoxError(f"supper.{name} must name {', '.join(RESOURCES)}, got {price!r}")
    return np.array([amounts.get(resource, 0) for resource in RESOURCES], dtype=np.int8)


def _apostles(box: Box, by_colour: bool) -> dict[str, Any]:
    name = "columns_by_colour" if by_colour else "columns_mixed"
    columns = _listed(box, "apostles", name, 3)
    supply = np.zeros((3, 4), dtype=np.int8)
    for index, column in enumerate(columns):
        if not isinstance(column, list) or any(colour not in APOSTLES for colour in column):
            raise BoxError(f"apostles.{name} must name {', '.join(APOSTLES)}, got {column!r}")
        for colour in column:
            supply[index, APOSTLES.index(colour)] += 1
    if supply.sum() != 12 or supply[:, codes.JUDAS_COLOUR].sum() != 1:
        raise BoxError(f"apostles.{name} must hold 12 Apostles, one of them judas, got {columns!r}")
    return {
        "apostle_value": _by_name(box, "apostles", "value", APOSTLES, low=-100),
        "apostle_supply": supply,
        "judas_denarii": _whole(box, "apostles", "judas_denarii"),
    }


def _tracks(box: Box) -> dict[str, Any]:
    last = _whole(box, "sanhedrin", "last_space", 1)
    spaces = _whole(box, "sanhedrin", "tile_spaces", 1, last, 6)
    if sorted(set(spaces)) != spaces:
        raise BoxError(f"sanhedrin.tile_spaces must rise, got {spaces!r}")
    needs = box["parables", "followers_needed"]
    if needs == _OWN_NUMBER:
        needs = list(range(1, 8))
    else:
        right = isinstance(needs, list) and len(needs) == 7
        if not right or any(type(x) is not int or not 0 <= x <= 100 for x in needs):
            raise BoxError(
                f"parables.followers_needed must be {_OWN_NUMBER!r} or 7 integers 0..100, got "
                f"{needs!r}"
            )
    rewards = [
        _effect("parables", "rewards", reward) for reward in _listed(box, "parables", "rewards", 7)
    ]
    if any(step in (codes.STEP_POINTS, codes.STEP_DENARII) for step, _ in rewards):
        raise BoxError("parables.rewards must be - or names of actions")
    markers = [_marker(marker) for marker in _listed(box, "favors", "markers", 8)]
    if len(set(box.markers)) != 8:
        raise BoxError(f"favors.markers must be 8 different names, got {box.markers!r}")
    symbols = _listed(box, "favors", "symbols", 8)
    if any(symbol not in LOCATIONS for symbol in symbols):
        raise BoxError(f"favors.symbols must name locations, got {symbols!r}")
    bonus = box["favors", "denarii_at"]
    places = [str(k) for k in range(1, 9)]
    if not isinstance(bonus, Mapping) or any(
        k not in places or type(x) is not int or not 0 <= x <= 100 for k, x in bonus.items()
    ):
        raise BoxError(f"favors.denarii_at must give Denarii by space 1..8, got {bonus!r}")
    return {
        "judgment_space": spaces,
        "last_space": last,
        "parable_points": _whole(box, "parables", "points", 0, 100, 4),
        "parable_needs": needs,
        "parable_reward": [step for step, _ in rewards],
        "parable_end": _whole(box, "parables", "end_points", 0, 100, 8),
        "marker_benefit": [benefit for benefit, _ in markers],
        "marker_amount": [amount for _, amount in markers],
        "marker_symbol": [LOCATIONS.index(symbol) for symbol in symbols],
        "favor_points": _whole(box, "favors", "points", 0, 100, 8),
        "favor_denarii": [bonus.get(k, 0) for k in places],
        "unblock_at": _whole(box, "favors", "unblock_at", 1, 8),
    }


def _marker(marker: Any) -> tuple[int, int]:
    """(benefit, amount) of a favor marker by its name."""
    what, _, amount = str(marker).rpartition("_")
    if what == "call" and amount in AREAS:
        return codes.BENEFIT_CALL, 1
    if what in _BENEFITS and amount.isdecimal() and 0 < int(amount) <= 20:
        return _BENEFITS[what], int(amount)
    raise BoxError(
        f"favors.markers: {marker!r} must be call_AREA or K of {', '.join(_BENEFITS)}, as stone_2"
    )


def _amounts(box: Box, players: int) -> dict[str, Any]:
    squares = box["locations", "squares"]
    if not isinstance(squares, Mapping) or set(squares) != {"3", "4"}:
        raise BoxError(f"locations.squares must have 3 and 4 players, got {squares!r}")
    each = _whole(box, "setup", "in_each_location", 0, 3)
    camp = _whole(box, "setup", "camp", 0, 14)
    if camp + 3 * each + 2 != 15:
        raise BoxError("setup: camp, areas, the chosen area and the corner must make 15 followers")
    for number in ("3", "4"):
        room = squares[number]
        if type(room) is not int or not int(number) * (each + 1) <= room <= 12:
            raise BoxError(f"locations.squares.{number} must be {int(number) * (each + 1)}..12")
    return {
        "squares": squares[str(players)],
        "max_each": _whole(box, "locations", "max_each", each + 1, 15),
        "recruit_price": _by_name(box, "locations", "recruit_price", AREAS),
        "displace_extra": _whole(box, "locations", "displace_extra"),
        "trade_price": _by_name(box, "locations", "trade_price", RESOURCES, low=1),
        "market_card_price": _whole(box, "locations", "market_card_price"),
        "purchase_price": _whole(box, "locations", "purchase_price"),
        "capacity": _whole(box, "warehouse", "capacity"),
        "capacity_unblocked": _whole(box, "warehouse", "capacity_unblocked"),
        "setup_denarii": _whole(box, "setup", "denarii_by_turn_order", 0, 100, 4),
        "setup_points": _whole(box, "setup", "points_by_turn_order", 0, 100, 4),
        "setup_resources": _whole(box, "setup", "resources", 0, 100, 3),
        "setup_offerings": _whole(box, "setup", "offerings"),
        "setup_camp": camp,
        "setup_each": each,
        "hand_limit": _whole(box, "setup", "hand", 1, 9),
        "vp3_points": _whole(box, "actions", "vp3"),
        "denarius_amount": _whole(box, "actions", "denarius"),
        "gain_amount": [_whole(box, "actions", resource) for resource in RESOURCES],
        "redistribute_discards": _whole(box, "actions", "redistribute_discards"),
        "offering_points": _whole(box, "end", "offering"),
        "illumination_points": _whole(box, "end", "illumination"),
    }
