"""Colours, labels and signs of this game's pictures.

Seats are told apart by colour, by shape and by number. The colours are the game's own (a colour
tells the ten starting cards) in tones that stay apart with protanopia, deuteranopia and tritanopia;
text on them is readable. The shape goes by the seat, as in the house's other pictures.
"""

from __future__ import annotations

import numpy as np

from ... import drawing_parts as house
from ...drawing import Circle, Rect, Shape, Text, fit_text
from ...drawing_parts import Box, SeatLook
from ..rules.codes import STEP_DENARII, STEP_POINTS
from ..rules.names import LOCATIONS
from .text import effect_label

# By colour of the game: its tone, and the colour of text on it.
COLOURS: tuple[tuple[str, str], ...] = (
    ("#9c1c12", "#ffffff"),
    ("#f0e442", "#000000"),
    ("#3fb984", "#000000"),
    ("#004f8f", "#ffffff"),
)
SHAPES = ("circle", "square", "triangle", "diamond")
NEUTRAL = "#8c857a"
TABLE = "#d8bf95"
SHADE = "#cdbf9f"  # the ground of the Supper
# By location, with dark text.
LOCATION_GROUNDS = ("#f2c94c", "#e9c79a", "#b9b4ac", "#8fc7ea", "#eaa9bb")
LOCATION_SIGNS = ("Mk", "De", "Mo", "La", "Te")
RESOURCE_GROUNDS = ("#b9b4ac", "#d9a066", "#8fc7ea")
RESOURCE_SIGNS = ("S", "B", "F")
APOSTLE_LOOKS: tuple[tuple[str, str], ...] = (
    ("#6b2c91", "#ffffff"),
    ("#e8871e", "#000000"),
    ("#ffffff", "#000000"),
    ("#aab2bd", "#000000"),
)
APOSTLE_SIGNS = ("P", "O", "W", "J")
# The actions of cards, in the order of ``rules.names.ACTIONS``; where there is little room shorter.
ACTION_LABELS = (
    *("market", "temple", "go", "invited", "parable", "favor", "call", "change", "redist."),
    *("meeting", "mahane", "xxxiii", "denarius", "stone", "bread", "fish", "vp3"),
)
ACTION_SIGNS = (
    *("mkt", "tem", "go", "inv", "par", "fav", "call", "chg", "red"),
    *("met", "mah", "xxx", "den", "sto", "bre", "fis", "vp"),
)
LEAST_TEXT, CROWDED_TEXT = 7.0, 6.0


def look_of(state: np.void, seat: int) -> SeatLook:
    """How a seat looks in a game."""
    tone, ink = COLOURS[state["colours"][seat]]
    return SeatLook(tone, ink, SHAPES[seat])


def numbered(state: np.void, seat: int, x: float, y: float, r: float) -> list[Shape]:
    """The mark of a seat with its number."""
    look = look_of(state, seat)
    low = 0.55 if look.shape == "triangle" else 0.36
    size = r * (0.95 if look.shape == "triangle" else 1.1)
    return [
        house.mark(look, x, y, r),
        Text(x, y + size * low, str(seat), size, look.ink, "middle", True),
    ]


def fitted(
    text: str,
    box: Box,
    size: float,
    colour: str = house.INK,
    bold: bool = False,
    middle: bool = True,
    least: float = LEAST_TEXT,
) -> Text:
    """A line of text in the middle of a box, or at its left, as large as has room."""
    text, size = fit_text(text, size, box.width, least=least, bold=bold)
    y = box.centre[1] + size * 0.36
    if middle:
        return Text(box.centre[0], y, text, size, colour, "middle", bold)
    return Text(box.x, y, text, size, colour, bold=bold)


def resource(kind: int, x: float, y: float, size: float) -> list[Shape]:
    """Stone, bread or fish: a square with its letter around (x, y)."""
    half = size / 2
    return [
        Rect(x - half, y - half, size, size, 2, RESOURCE_GROUNDS[kind], house.EDGE, 0.8),
        Text(x, y + size * 0.28, RESOURCE_SIGNS[kind], size * 0.78, house.INK, "middle", True),
    ]


def apostle(colour: int, x: float, y: float, r: float) -> list[Shape]:
    """An Apostle: a round figure with the first letter of his colour, J for Judas."""
    ground, ink = APOSTLE_LOOKS[colour]
    sign = APOSTLE_SIGNS[colour]
    return [
        Circle(x, y, r, ground, house.INK, 1.2),
        Text(x, y + r * 0.4, sign, r * 1.1, ink, "middle", True),
    ]


def symbol(location: int, box: Box, full: bool = False, mark: str = "") -> list[Shape]:
    """The symbol of a location: two letters, or its name."""
    label = (LOCATIONS[location] if full else LOCATION_SIGNS[location]) + mark
    room = Box(box.x + 1.5, box.y, box.width - 3, box.height)
    return [
        Rect(box.x, box.y, box.width, box.height, 2, LOCATION_GROUNDS[location], house.EDGE, 0.8),
        fitted(label, room, min(11, box.height * 0.75), bold=not full),
    ]


def card_actions(state: np.void, kind: int) -> list[int]:
    """The bottom actions of a card kind."""
    return [int(step) for step in state["card_actions"][kind] if step >= 0]


def card(state: np.void, kind: int, box: Box, short: bool = False) -> list[Shape]:
    """A card face up: the symbol of its location and its actions."""
    least = CROWDED_TEXT if short else LEAST_TEXT
    words = ACTION_SIGNS if short else ACTION_LABELS
    tile = min(box.height * 1.4, 20) if not short else 14
    text = (" " if short else "+").join(words[step] for step in card_actions(state, kind))
    inner = Box(box.x + 1, box.y + 1, tile, box.height - 2)
    room = Box(inner.right + 3, box.y, box.right - inner.right - 5, box.height)
    return [
        box.rect(3, house.FIELD, house.EDGE),
        *symbol(int(state["card_location"][kind]), inner),
        fitted(text, room, min(11, box.height * 0.72), middle=False, least=least),
    ]


def effect_text(state: np.void, step: int, amount: int = 0) -> str:
    """An effect or a reward for people, such as ``+2 D`` or ``meeting``; empty for none."""
    label = effect_label(state, step, amount)
    if not label or step in (STEP_POINTS, STEP_DENARII) or label.startswith("+"):
        return label
    return ACTION_LABELS[step]


def titled(box: Box, title: str, size: float = 11) -> list[Shape]:
    """A box with its title in the upper left corner."""
    room = Box(box.x + 6, box.y + 2, box.width - 12, 14)
    return [
        box.rect(5, house.PANEL, house.EDGE),
        fitted(title, room, size, bold=True, middle=False),
    ]
