"""Names, chance and data of Ierusalem for the plain reference, written from the rules only.

Nothing here is taken from the package but its data file `box.toml`, which is the block of Part II.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

BOX_FILE = Path(__file__).parents[2] / "jerusalem_env" / "ierusalem" / "rules" / "box.toml"

# --- Names (VII.c) ---------------------------------------------------------------------------

LOCATIONS = ("market", "desert", "mountain", "lake", "temple")
AREAS = ("desert", "mountain", "lake")
RESOURCES = ("stone", "bread", "fish")
APOSTLES = ("purple", "orange", "white", "judas")
COLOURS = ("red", "yellow", "green", "blue")
SOURCES = ("column.1", "column.2", "column.3", "favors")
DRAWS = ("left", "right", "deck")
BACKS = ("starting", "mahane", "xxxiii")

SEATS = tuple(f"{side}.{column}" for side in ("top", "bottom") for column in (1, 2, 3, 6, 7, 8))
SPACES = (
    *(f"top{row}.{column}" for row in (3, 2, 1) for column in range(1, 9)),
    *("corner.top_left", "jesus.top_left", "jesus.top_right", "corner.top_right"),
    *("corner.bottom_left", "jesus.bottom_left", "jesus.bottom_right", "corner.bottom_right"),
    *(f"bottom{row}.{column}" for row in (1, 2, 3) for column in range(1, 9)),
)
CORNERS = tuple(space for space in SPACES if space.startswith("corner"))
JESUS = tuple(space for space in SPACES if space.startswith("jesus"))

STARTING = (
    *("market.go", "market.parable", "market.stone+go", "market.parable+meeting", "market.favor"),
    *("market.fish+parable", "desert.parable", "desert.bread+go", "desert.go", "desert.favor"),
    *("desert.parable+meeting", "mountain.favor", "mountain.fish+parable", "mountain.stone+favor"),
    *("mountain.stone+go", "lake.favor", "lake.stone+go", "lake.parable", "lake.go"),
    *("lake.favor+meeting", "temple.favor+meeting", "temple.go", "temple.bread+favor"),
    *("temple.fish+parable", "temple.parable"),
)

RULESET: dict[str, Any] = {  # VII.a
    "players": 4,
    "apostle_columns": "mixed",
    "orange_scores": "all",
    "symbols": None,
    "colours": None,
    "first_player": None,
    "data": "box",
}


def around(seat: str) -> list[tuple[str, int]]:
    """The spaces around a seat of the table with their distance (R14.3)."""
    side, column = seat.split(".")
    spaces = [(f"{side}{row}.{column}", row - 1) for row in (1, 2, 3)]
    beside = {"1": "left", "8": "right"}.get(column)
    if beside is not None:
        spaces.append((f"corner.{side}_{beside}", 0))  # A46
    return spaces


# --- Chance (VII.f) --------------------------------------------------------------------------

WORD = 2**64
GOLDEN = 0x9E3779B97F4A7C15
PURPOSES = ("colours", "start", "symbols", "judgments", "mahane", "xxxiii", "corners")
DECK = 8  # + seat


def mix(x: int) -> int:
    """The mixing function of VII.f."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 % WORD
    x ^= x >> 27
    x = x * 0x94D049BB133111EB % WORD
    return x ^ x >> 31


def key_of(seed: int) -> int:
    """The key of a game from its seed."""
    return mix((seed + GOLDEN) % WORD)


def shuffled(key: int, purpose: int, counter: int, canonical: list[Any]) -> list[Any]:
    """The list in the order that chance gives it; element 0 is the top."""
    stream = mix((mix((key + GOLDEN * (purpose + 1)) % WORD) + GOLDEN * (counter + 1)) % WORD)
    used = 0
    result = list(canonical)
    for i in range(len(result) - 1, 0, -1):
        below = i + 1
        while True:
            used += 1
            number = mix((stream + GOLDEN * used) % WORD)
            if number < WORD - WORD % below:
                break
        j = number % below
        result[i], result[j] = result[j], result[i]
    return result


# --- Data (Part II) --------------------------------------------------------------------------


class Data:
    """The data file as a rule set has it: `data[section, name]`, and what follows from it."""

    def __init__(self, source: Any = "box") -> None:
        if isinstance(source, dict):
            content = source
        else:
            path = BOX_FILE if source == "box" else Path(source)
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        self.content: dict[str, Any] = content
        starting = {card for colour in COLOURS for card in self["cards.starting", colour]}
        self.starting = sorted(starting, key=_order)
        self.mahane: list[str] = self["cards.mahane", "kinds"]
        self.xxxiii: list[str] = self["cards.xxxiii", "kinds"]
        self.kinds = [*self.starting, *self.mahane, *self.xxxiii]
        self.markers: list[str] = self["favors", "markers"]
        self.cost = {space: self._cost(space) for space in SPACES}
        self.effect = {space: self._effect(space) for space in SPACES}

    def __getitem__(self, key: tuple[str, str]) -> Any:
        section, name = key
        found: Any = self.content
        for part in (*section.split("."), name):
            found = found[part]
        return found["v"]

    def back(self, card: str) -> str:
        """Which of the three backs a card has."""
        if card in self.mahane:
            return "mahane"
        return "xxxiii" if card in self.xxxiii else "starting"

    def in_order(self, cards: Any) -> list[str]:
        """Cards in the order of the kinds."""
        return sorted(cards, key=self.kinds.index)

    def symbol(self, marker: str) -> str:
        """The location on the back of a favor marker."""
        symbols: list[str] = self["favors", "symbols"]
        return symbols[self.markers.index(marker)]

    def listeners_needed(self, number: int) -> int:
        """Own followers at the Supper for the Parable of this number (R13.4)."""
        needed = self["parables", "followers_needed"]
        return number if isinstance(needed, str) else int(needed[number - 1])

    def _cost(self, space: str) -> list[int]:
        """Stone, Bread, Fish that a space costs (R14.4)."""
        cost = [0, 0, 0]
        if space in CORNERS or space in JESUS:
            prices = [self["supper", "table_cost"]]
        else:
            line, column = space.split(".")
            prices = [self["supper", "row_cost"][line[-1]]]
            prices.append(self["supper", "column_cost"][int(column) - 1])
        for price in prices:
            for resource, amount in ({price: 1} if isinstance(price, str) else price).items():
                cost[RESOURCES.index(resource)] += amount
        return cost

    def _effect(self, space: str) -> str:
        """The effect of a space (R14.5); the bottom side is the top side turned by 180 degrees."""
        if space in CORNERS or space in JESUS:
            return "-"
        line, column = space.split(".")
        side, row, place = line[:-1], line[-1], int(column)
        if side == "top":
            return str(self["supper", "effects_top"][row][place - 1])
        bottom = self["supper", "effects_bottom"]
        if isinstance(bottom, str):
            return str(self["supper", "effects_top"][row][9 - place - 1])
        return str(bottom[row][place - 1])


def _order(card: str) -> tuple[int, int, str]:
    """Starting kinds in the order of VII.c; those of another data file behind, by location."""
    usual = STARTING.index(card) if card in STARTING else len(STARTING)
    return LOCATIONS.index(card.split(".")[0]), usual, card


def copied(value: Any) -> Any:
    """A deep copy of JSON-able values, much faster than `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: copied(x) for key, x in value.items()}
    return [copied(x) for x in value] if isinstance(value, list) else value


_known: list[Data] = []


def data_of(source: Any) -> Data:
    """The data of a rule set, made once for each content."""
    if isinstance(source, dict):
        for data in _known:
            if data.content is source:  # nearly always: positions share their rule set
                return data
        for data in _known:
            if data.content == source:
                return data
        _known.append(Data(source))
        return _known[-1]
    return _file(str(source))


@cache
def _file(source: str) -> Data:
    return Data(source)
