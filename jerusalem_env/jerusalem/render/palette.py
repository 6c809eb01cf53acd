"""Colours and labels of this game's pictures; those of all games are in ``drawing_parts``.

Seats are told apart by colour, by shape (``tokens.seat_mark``) and by number. The four colours
are Okabe and Ito's blue, vermillion, yellow and sky blue, the first two darkened so that white
text is readable on them; they stay apart with protanopia, deuteranopia and tritanopia.
"""

from __future__ import annotations

from ...drawing_parts import SeatLook
from . import text

WALL = "#b9a98a"
SECTOR_GROUNDS = ("#ddcfe6", "#f0cfc8", "#cfe0ea", "#efdca8", "#d3e2c2", "#d9d2c6")


SEATS: tuple[SeatLook, ...] = (
    SeatLook("#005a8f", "#ffffff", "circle"),
    SeatLook("#b84e00", "#ffffff", "square"),
    SeatLook("#f0e442", "#000000", "triangle"),
    SeatLook("#56b4e9", "#000000", "diamond"),
)

SECTOR_LABELS = ("Palace", "Templars", "Patriarchate", "Market", "Nobility", "David's Tower")
SIZE_LABELS = ("large", "left", "right")
OFFICE_LABELS = ("Captain", "Treasurer", "Marshal", "Admiral")
EVENT_LABELS = ("Succession", "Election", "Special tax", "War")
CARD_LABELS = (
    "+1 squire",
    "+2 silver",
    "+2 prestige",
    "+2 resources",
    "+1 squire +1 silver",
    "Defector",
    "Move 2",
    "Genoa",
    "Influence Palace",
    "Influence Templars",
    "Influence Patriarchate",
    "Influence Market",
    "Influence Nobility",
    "Influence David's Tower",
)
SOURCE_LABELS = (
    "dismissal",
    "+2 resources",
    "the marshal",
    "Move 2",
    "Defector",
    *(f"Influence {sector}" for sector in SECTOR_LABELS),
)
# Shorter where the picture has little room.
DECISIONS = {
    **text.DECISIONS,
    "drop": "chooses where a squire goes",
    "davids_tower": "may move a squire out of the Tower",
}


def area_label(area: int) -> str:
    """Name of an area for people."""
    if area == 15:
        return SECTOR_LABELS[5]
    return f"{SECTOR_LABELS[area // 3]} {SIZE_LABELS[area % 3]}"
