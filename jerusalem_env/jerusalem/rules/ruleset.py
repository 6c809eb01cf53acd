"""The rule set: one immutable value whose fields are the switches of rules VII.a."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from ...errors import RuleSetError
from .board import (
    AREA_SECTOR,
    DAVIDS_TOWER,
    INCOME_PRESETS,
    NUM_AREAS,
    IncomeTable,
    preset_table,
    sectors_in_play,
)

MAX_BID = 127  # the flat actions end at `bid 127` (VII.d)
MAX_INCOME = 1000  # an entry of a custom table; far above anything a game could print


@dataclass(frozen=True)
class RuleSet:
    """The rules of one game: the switches of VII.a under those names, with its defaults.

    Parameters
    ----------
    players : int
        2, 3 or 4 (R2).
    income : str or 16 x 3 table
        ``"ludorium"``, ``"six_icons"``, ``"equal_value"``, or for each area in the order of
        ``AREAS`` its (squires, silver, prestige), each 0..1000; David's Tower 0, 0, 0 (VII.b).
    first_opener : int or None
        Seat that opens the first auction; None draws it at set-up (A7).
    influence_ignores_baron, election_all_sectors, move_card_may_leave_blocked : bool
        Readings of the Dutch (D1) and French texts (D5, D8).
    marshal_moves_count_for_baron, palace_baron_round_1, decline_income : bool
        Settlements A14, A23 and A41.
    zero_ties_win_gifts, war_may_hit_templars : bool
        Settlements A42 and A44.
    rounds : int
        1..5; the gifts fall in the last round and the event of the last round is not carried out.

    Raises
    ------
    RuleSetError
        If a field has a value of the wrong type or range, or an income table could pay so much
        silver that a bid above 127 would be possible (VII.a).
    """

    players: int = 4
    income: str | IncomeTable = "ludorium"
    first_opener: int | None = None
    influence_ignores_baron: bool = False
    election_all_sectors: bool = False
    move_card_may_leave_blocked: bool = False
    marshal_moves_count_for_baron: bool = True
    palace_baron_round_1: bool = False
    decline_income: bool = False
    zero_ties_win_gifts: bool = True
    war_may_hit_templars: bool = True
    rounds: int = 5

    def __post_init__(self) -> None:
        """Check every field; normalise integers and the income table to plain tuples."""
        self._set("players", _integer("players", self.players, 2, 4))
        self._set("rounds", _integer("rounds", self.rounds, 1, 5))
        if self.first_opener is not None:
            self._set(
                "first_opener",
                _integer("first_opener", self.first_opener, 0, self.players - 1, " or None"),
            )
        for field in fields(self):
            if field.type == "bool":
                value = getattr(self, field.name)
                if not isinstance(value, bool):
                    raise RuleSetError(f"{field.name} must be True or False, got {value!r}")
        if isinstance(self.income, str):
            if self.income not in INCOME_PRESETS:
                raise RuleSetError(
                    f"unknown income preset {self.income!r}; expected one of "
                    f"{', '.join(INCOME_PRESETS)}, or a table of {NUM_AREAS} rows "
                    "(squires, silver, prestige)"
                )
        else:
            self._set("income", _checked_table(self.income))
            bound = silver_bound(self.players, self.rounds, self.income_table)
            if bound > MAX_BID:
                raise RuleSetError(
                    f"income: this table lets a player own up to {bound} silver at an auction, "
                    f"but bids end at {MAX_BID} (rules VII.a); lower its silver or squires"
                )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def income_table(self) -> IncomeTable:
        """Income by area, ((squires, silver, prestige), ...), 16 rows."""
        return preset_table(self.income) if isinstance(self.income, str) else self.income

    def to_dict(self) -> dict[str, Any]:
        """All switches as JSON-able values, in the order of VII.a."""
        values = asdict(self)
        if not isinstance(self.income, str):
            values["income"] = [list(row) for row in self.income]
        return values

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

    @classmethod
    def preset(cls, name: Any, players: int | None = None) -> RuleSet:
        """A named preset for ``players`` players (4 unless given).

        Raises
        ------
        RuleSetError
            If there is no such preset, or no such number of players.
        """
        if not isinstance(name, str) or name not in PRESETS:
            raise RuleSetError(
                f"unknown rules {name!r}; expected one of {', '.join(PRESETS)}, or a RuleSet"
            )
        return cls(players=4 if players is None else players, **PRESETS[name])


# VII.a: the default is the German text as settled there.
PRESETS: dict[str, dict[str, Any]] = {
    "german": {},
    "dutch": {"influence_ignores_baron": True},  # D1
    "french": {"election_all_sectors": True, "move_card_may_leave_blocked": True},  # D5, D8
}


def resolve_rules(rules: str | RuleSet, players: int | None = None) -> RuleSet:
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
    return RuleSet.preset(rules, players)


def silver_bound(players: int, rounds: int, table: IncomeTable) -> int:
    """The most silver a player can own at the last auction (VI.b, VII.a)."""
    sectors = sectors_in_play(players)
    in_play = [row for row, sector in zip(table, AREA_SECTOR, strict=True) if sector in sectors]
    squires = sum(row[0] for row in in_play)
    silver = sum(row[1] for row in in_play)
    done = rounds - 1
    # Thirds throughout, so that the floor is exact: C_k = 0, 2, 17/3, 28/3, 35/3, 38/3.
    cards = 6 * done if players == 2 else (0, 6, 17, 28, 35)[done]
    return (36 + done * (11 + 3 * silver) + max(done - 1, 0) * squires + cards) // 3


def _integer(name: str, value: Any, low: int, high: int, otherwise: str = "") -> int:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not low <= value <= high:
        raise RuleSetError(f"{name} must be an integer {low}..{high}{otherwise}, got {value!r}")
    return int(value)


def _checked_table(table: Any) -> IncomeTable:
    try:
        rows = [list(row) for row in table]
    except TypeError:
        rows = []
    if len(rows) != NUM_AREAS or any(len(row) != 3 for row in rows):
        raise RuleSetError(
            f"income must be a preset name or a table of {NUM_AREAS} rows of 3 numbers "
            f"(squires, silver, prestige), got {table!r}"
        )
    checked = tuple(
        (
            _integer(f"income[{area}][0]", row[0], 0, MAX_INCOME),
            _integer(f"income[{area}][1]", row[1], 0, MAX_INCOME),
            _integer(f"income[{area}][2]", row[2], 0, MAX_INCOME),
        )
        for area, row in enumerate(rows)
    )
    if checked[DAVIDS_TOWER] != (0, 0, 0):
        raise RuleSetError(
            f"income[{DAVIDS_TOWER}] (davids_tower) must be 0, 0, 0: the Tower pays only in "
            f"step 1 (R12.10), got {checked[DAVIDS_TOWER]}"
        )
    return checked
