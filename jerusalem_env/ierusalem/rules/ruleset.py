"""The rule set: one immutable value whose fields are the switches of rules VII.a."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ...errors import RuleSetError, is_integer
from .box import Box, BoxError, load_box
from .names import COLOURS, LOCATIONS

APOSTLE_COLUMNS = ("mixed", "by_colour")
ORANGE_SCORES = ("all", "own")
_SYMBOL_COPIES = 3


@dataclass(frozen=True)
class RuleSet:
    """The rules of one game: the switches of VII.a under those names, with its defaults.

    Parameters
    ----------
    players : int
        3 or 4 (R4).
    apostle_columns : "mixed" or "by_colour"
        How the Apostles stand in the apostle columns at first (V.b; reconstructed).
    orange_scores : "all" or "own"
        Whose followers score when an orange Apostle is seated (A14).
    symbols : None or nine location names
        Of the apostle columns, the first column first; None draws them (R2.2, A3).
    colours : None or a list of colours
        Of each seat, all different; None draws them (A2).
    first_player : None or int
        The start player's seat; None draws it (A2).
    data : "box", str, mapping or Box
        ``"box"``, the path of another data file of the same shape, or its content (Part II).

    Raises
    ------
    RuleSetError
        If a field has a value of the wrong type or range, or the data file cannot be used.
    """

    players: int = 4
    apostle_columns: str = "mixed"
    orange_scores: str = "all"
    symbols: tuple[str, ...] | None = None
    colours: tuple[str, ...] | None = None
    first_player: int | None = None
    data: Any = "box"

    def __post_init__(self) -> None:
        """Check every field; normalise lists to tuples and the data to a ``Box``."""
        if not is_integer(self.players, 3, 4):
            raise RuleSetError(f"players must be an integer 3..4, got {self.players!r}")
        self._set("players", int(self.players))
        for name, known in (
            ("apostle_columns", APOSTLE_COLUMNS),
            ("orange_scores", ORANGE_SCORES),
        ):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in known:
                raise RuleSetError(f"{name} must be {' or '.join(known)}, got {value!r}")
        self._set("symbols", self._names("symbols", LOCATIONS, 9))
        if self.symbols is not None:
            for location in LOCATIONS:
                if self.symbols.count(location) > _SYMBOL_COPIES:
                    raise RuleSetError(
                        f"symbols must hold {location} at most {_SYMBOL_COPIES} times (R1.8), got "
                        f"{list(self.symbols)!r}"
                    )
        self._set("colours", self._names("colours", COLOURS, self.players))
        if self.colours is not None and len(set(self.colours)) != self.players:
            raise RuleSetError(f"colours must all differ, got {list(self.colours)!r}")
        if self.first_player is not None:
            if not is_integer(self.first_player, 0, self.players - 1):
                raise RuleSetError(
                    f"first_player must be None or an integer 0..{self.players - 1}, got "
                    f"{self.first_player!r}"
                )
            self._set("first_player", int(self.first_player))
        if not isinstance(self.data, Box):
            if not isinstance(self.data, (str, Path, Mapping)):
                raise RuleSetError(
                    f'data must be "box", a path or the content of a data file, got {self.data!r}'
                )
            try:
                self._set("data", load_box(self.data))
            except BoxError as error:
                raise RuleSetError(str(error)) from error

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _names(self, name: str, known: tuple[str, ...], size: int) -> tuple[str, ...] | None:
        value = getattr(self, name)
        if value is None:
            return None
        right = isinstance(value, (list, tuple)) and len(value) == size
        if not right or any(x not in known for x in value):
            raise RuleSetError(
                f"{name} must be None or {size} of {', '.join(known)}, got {value!r}"
            )
        return tuple(value)

    @property
    def box(self) -> Box:
        """The data in use."""
        box: Box = self.data
        return box

    def tables(self) -> dict[str, Any]:
        """Values for the fields of the state record that hold switches and data."""
        by_colour = self.apostle_columns == "by_colour"
        symbols, colours = self.symbols, [-1] * 4
        for seat, colour in enumerate(self.colours or ()):
            colours[seat] = COLOURS.index(colour)
        drawn = [[-1] * 3] * 3
        return {
            "players": self.players,
            "data_id": self.box.digest,
            "by_colour": int(by_colour),
            "orange_own": int(self.orange_scores == "own"),
            "fixed_first": -1 if self.first_player is None else self.first_player,
            "fixed_colours": colours,
            "fixed_symbols": drawn
            if symbols is None
            else [[LOCATIONS.index(x) for x in symbols[3 * j : 3 * j + 3]] for j in range(3)],
            **self.box.tables(self.players, by_colour),
        }

    def to_dict(self) -> dict[str, Any]:
        """All switches as JSON-able values, in the order of VII.a."""
        return {
            "players": self.players,
            "apostle_columns": self.apostle_columns,
            "orange_scores": self.orange_scores,
            "symbols": None if self.symbols is None else list(self.symbols),
            "colours": None if self.colours is None else list(self.colours),
            "first_player": self.first_player,
            "data": "box" if self.box == load_box() else self.box.content,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RuleSet:
        """The rule set that ``to_dict`` wrote; missing switches take their defaults.

        Raises
        ------
        RuleSetError
            For an unknown switch or a bad value; the message names it.
        """
        if not isinstance(values, Mapping):
            raise RuleSetError(f"ruleset must be an object of switches, got {values!r}")
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise RuleSetError(f"unknown switch {name!r}; expected some of {', '.join(known)}")
        return cls(**values)


# VII.a: one preset, the data of Part II with every switch at its default.
PRESETS: dict[str, dict[str, Any]] = {
    "box": {},
    "by_colour": {"apostle_columns": "by_colour"},  # V.b
}


def resolve_rules(rules: Any, players: int | None = None) -> RuleSet:
    """The rule set meant by a preset name with ``players``, or by a ``RuleSet`` by itself.

    Raises
    ------
    RuleSetError
        For an unknown preset, a wrong number, or a ``RuleSet`` with another number beside it.
    """
    if isinstance(rules, RuleSet):
        if players is not None and players != rules.players:
            raise RuleSetError(
                f"players={players!r} contradicts the rule set, which is for {rules.players}; "
                "leave players out, or pass RuleSet(players=...)"
            )
        return rules
    if not isinstance(rules, str) or rules not in PRESETS:
        raise RuleSetError(
            f"unknown rules {rules!r}; expected one of {', '.join(PRESETS)}, or a RuleSet"
        )
    return RuleSet(players=4 if players is None else players, **PRESETS[rules])
