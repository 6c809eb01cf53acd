"""Colours and labels of pictures.

Seats are told apart by colour, by shape (``tokens.seat_mark``) and by number. The four colours
are Okabe and Ito's blue, vermillion, yellow and sky blue, the first two darkened so that white
text is readable on them; they stay apart with protanopia, deuteranopia and tritanopia.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import text

GROUND = "#efe6d2"  # the table
PANEL = "#fffdf7"  # boxes on it
FIELD = "#fffaec"  # areas of the city
IDLE = "#e4dfd2"  # what is out of play
SLOT = "#e9e0cb"  # empty places, tracks
INK = "#1c1812"
MUTED = "#5c5345"  # less important text
WALL = "#b9a98a"
WALL_EDGE = "#6d5f49"
DARK = "#2b2620"  # ribbons
ON_DARK = "#ffffff"
HIGHLIGHT = "#fff1c2"  # what is going on now
SCREEN = "#6b4a2f"  # a player's screen, backs of cards
SCREEN_EDGE = "#4a3220"
ON_SCREEN = "#ffffff"
SILVER = "#c9ced6"
SECTOR_GROUNDS = ("#ddcfe6", "#f0cfc8", "#cfe0ea", "#efdca8", "#d3e2c2", "#d9d2c6")


@dataclass(frozen=True)
class SeatLook:
    """Colour of a seat, the colour of text on it, and the name of its shape."""

    colour: str
    ink: str
    shape: str


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
