"""The city: five sectors of three areas and David's Tower, with the incomes printed on them.

Indices are those of the position format and of the flat actions (rules VII.d). An income is
``(squires, silver, prestige)``, paid to whoever controls the area (R12.8-R12.10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SECTORS: tuple[str, ...] = (
    "palace",
    "templars",
    "patriarchate",
    "market",
    "nobility",
    "davids_tower",
)
PALACE, TEMPLARS, PATRIARCHATE, MARKET, NOBILITY, TOWER_SECTOR = range(6)

# R1.3: five sectors of one large and two small areas, and David's Tower, which counts as large.
AREAS: tuple[str, ...] = (
    *(f"{sector}.{size}" for sector in SECTORS[:5] for size in ("large", "left", "right")),
    "davids_tower",
)
NUM_AREAS = len(AREAS)
PALACE_LARGE = 0
DAVIDS_TOWER = 15
AREA_SECTOR: tuple[int, ...] = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5)
AREA_IS_LARGE: tuple[bool, ...] = tuple(area % 3 == 0 for area in range(NUM_AREAS))


def sectors_in_play(players: int) -> tuple[int, ...]:
    """Sector indices in play: all six, or four of them with 2 players (R2.4)."""
    if players == 2:
        return (PALACE, TEMPLARS, MARKET, TOWER_SECTOR)
    return tuple(range(6))


def areas_in_play(players: int) -> tuple[int, ...]:
    """Area indices in play, ascending: 16, or 10 with 2 players (R2.4)."""
    sectors = sectors_in_play(players)
    return tuple(area for area in range(NUM_AREAS) if AREA_SECTOR[area] in sectors)


Provenance = Literal["printed", "reconstructed"]
Income = tuple[int, int, int]


@dataclass(frozen=True)
class SectorIncome:
    """Income of one sector: its large area, each of its two small areas, and where it comes from.

    ``provenance`` is ``"printed"`` where a rule text gives the amounts in words and
    ``"reconstructed"`` where they exist only in pictures that no source describes (Part V).
    """

    large: Income
    small: Income
    provenance: Provenance


_MARKET = SectorIncome((2, 4, 0), (1, 2, 0), "printed")  # R12.10
_NOBILITY = SectorIncome((0, 4, 2), (0, 2, 1), "reconstructed")

# VII.b. Only the Market (and the Tower, which pays nothing in step 3) is known from the texts.
INCOME_PRESETS: dict[str, tuple[SectorIncome, ...]] = {
    "ludorium": (
        SectorIncome((0, 0, 4), (0, 0, 2), "reconstructed"),
        SectorIncome((6, 0, 0), (3, 0, 0), "reconstructed"),
        SectorIncome((4, 0, 2), (2, 0, 1), "reconstructed"),
        _MARKET,
        _NOBILITY,
    ),
    "six_icons": (
        SectorIncome((0, 0, 6), (0, 0, 3), "reconstructed"),
        SectorIncome((6, 0, 0), (3, 0, 0), "reconstructed"),
        SectorIncome((4, 0, 2), (2, 0, 1), "reconstructed"),
        _MARKET,
        _NOBILITY,
    ),
    "equal_value": (
        SectorIncome((0, 0, 4), (0, 0, 2), "reconstructed"),
        SectorIncome((4, 0, 0), (2, 0, 0), "reconstructed"),
        SectorIncome((2, 0, 2), (1, 0, 1), "reconstructed"),
        _MARKET,
        _NOBILITY,
    ),
}

IncomeTable = tuple[Income, ...]


def preset_table(name: str) -> IncomeTable:
    """The 16 x 3 table of an income preset; David's Tower pays nothing in step 3 (R12.10)."""
    rows: list[Income] = []
    for sector in INCOME_PRESETS[name]:
        rows += [sector.large, sector.small, sector.small]
    return (*rows, (0, 0, 0))


def income_provenance(income: str | IncomeTable) -> tuple[str, ...]:
    """Provenance of each area's income: ``printed``, ``reconstructed`` or ``custom``, by area."""
    if isinstance(income, str):
        by_sector = [sector.provenance for sector in INCOME_PRESETS[income]]
        return (*(by_sector[AREA_SECTOR[area]] for area in range(15)), "printed")
    return ("custom",) * NUM_AREAS


INCOME_NOTE = (
    "Incomes: only the Market's are given by the rule texts; those of Palace, Templars, "
    "Patriarchate and Nobility are reconstructed (printed on the board as pictures only)."
)
