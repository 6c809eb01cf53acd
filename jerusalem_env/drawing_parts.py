"""What pictures of all games are made of: colours, boxes, seats' marks, small signs, cards by name.

Seats are told apart by colour, by shape and by number; which colours and shapes is each game's own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .drawing import Circle, Point, Polygon, Rect, Shape, Text, fit_text, text_width

GROUND = "#efe6d2"  # the table
PANEL = "#fffdf7"  # boxes on it
FIELD = "#fffaec"  # places on the board, cards
IDLE = "#e4dfd2"  # what is out of play
SLOT = "#e9e0cb"  # empty places, tracks
INK = "#1c1812"
MUTED = "#5c5345"  # less important text
EDGE = "#6d5f49"  # of boxes
DARK = "#2b2620"  # ribbons
ON_DARK = "#ffffff"
HIGHLIGHT = "#fff1c2"  # what is going on now
SCREEN = "#6b4a2f"  # what hides something, backs of cards
SCREEN_EDGE = "#4a3220"
ON_SCREEN = "#ffffff"
COIN = "#c9ced6"


@dataclass(frozen=True)
class SeatLook:
    """How a seat looks: its colour, the colour of text on it, and the name of its shape.

    The shape is ``"circle"``, ``"square"``, ``"triangle"`` or ``"diamond"``.
    """

    colour: str
    ink: str
    shape: str


@dataclass(frozen=True)
class Box:
    """An upright box."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """x of the right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """y of the lower side."""
        return self.y + self.height

    @property
    def centre(self) -> Point:
        """The middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def inset(self, by: float) -> Box:
        """Smaller by so much on every side."""
        return Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)

    def rect(self, radius: float = 0, fill: str | None = None, stroke: str | None = None) -> Rect:
        """As a shape."""
        return Rect(self.x, self.y, self.width, self.height, radius, fill, stroke)


# --- seats --------------------------------------------------------------------------------------
def mark(
    look: SeatLook, x: float, y: float, r: float, fill: str | None = None, edge: str | None = INK
) -> Shape:
    """The shape of a seat around (x, y): circle, square, triangle or diamond, all alike in size."""
    fill = fill or look.colour
    if look.shape == "circle":
        return Circle(x, y, r * 0.95, fill, edge, 1)
    if look.shape == "square":
        a = r * 0.85
        return Rect(x - a, y - a, 2 * a, 2 * a, 0, fill, edge, 1)
    if look.shape == "triangle":
        points = ((x, y - r * 1.1), (x + r * 1.15, y + r * 0.85), (x - r * 1.15, y + r * 0.85))
        return Polygon(points, 0, fill, edge, 1)
    a = r * 1.2
    return Polygon(((x, y - a), (x + a, y), (x, y + a), (x - a, y)), 0, fill, edge, 1)


def plate(
    look: SeatLook,
    x: float,
    y: float,
    width: float,
    height: float,
    label: str,
    heavy: bool = False,
) -> list[Shape]:
    """A plate in a seat's colour with its mark and a label; ``heavy``: a thick dark edge."""
    size = min(15, height * 0.72)
    inner = height * 0.24
    room = width - height * 0.78 - 4
    text, size = fit_text(label, size, room, least=7, bold=True)
    shapes: list[Shape] = [
        Rect(x, y, width, height, 5, look.colour, INK, 2.5 if heavy else 1),
        mark(look, x + height * 0.42, y + height / 2, inner, look.ink, None),
    ]
    middle = x + height * 0.78 + room / 2
    shapes.append(Text(middle, y + height / 2 + size * 0.36, text, size, look.ink, "middle", True))
    return shapes


# --- small signs --------------------------------------------------------------------------------
def pawn(x: float, y: float, size: float, fill: str = INK) -> list[Shape]:
    """A person, ``size`` high, around (x, y)."""
    top = y - size / 2
    body: tuple[Point, ...] = (
        (x - size * 0.12, top + size * 0.42),
        (x + size * 0.12, top + size * 0.42),
        (x + size * 0.36, top + size),
        (x - size * 0.36, top + size),
    )
    return [Polygon(body, 0, fill), Circle(x, top + size * 0.26, size * 0.25, fill)]


def coin(x: float, y: float, size: float) -> list[Shape]:
    """A coin, ``size`` across."""
    return [
        Circle(x, y, size * 0.46, COIN, INK, 1.2),
        Circle(x, y, size * 0.24, None, INK, 0.8),
    ]


def star(x: float, y: float, size: float, fill: str = INK) -> list[Shape]:
    """A point, ``size`` across."""
    points = []
    for corner in range(10):
        r = size * (0.54 if corner % 2 == 0 else 0.23)
        angle = math.pi * (corner / 5 - 0.5)
        points.append((x + r * math.cos(angle), y + size * 0.03 + r * math.sin(angle)))
    return [Polygon(tuple(points), 0, fill)]


def card_back(x: float, y: float, width: float, height: float) -> list[Shape]:
    """A card face down."""
    return [
        Rect(x, y, width, height, 3, SCREEN, SCREEN_EDGE, 1),
        Rect(x + 3, y + 3, width - 6, height - 6, 2, None, "#c79a6b", 1),
    ]


def pill(
    x: float, y: float, text: str, fill: str = DARK, ink: str = ON_SCREEN, size: float = 11.5
) -> tuple[list[Shape], float]:
    """A label on a rounded plate with its left end at x, its middle at y; and its width."""
    width = text_width(text, size, True) + 14
    height = size + 7
    return [
        Rect(x, y - height / 2, width, height, height / 2, fill),
        Text(x + 7, y + size * 0.36, text, size, ink, "start", True),
    ], width


# --- cards by name ------------------------------------------------------------------------------
def plural(number: int, thing: str) -> str:
    """``1 card``, ``2 cards``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def fit_card_rows(labels: list[str], room: Box) -> list[Shape]:
    """Cards by name in rows, as large as the room allows."""
    shapes: list[Shape] = []
    for size, height in ((12.0, 18.0), (11.0, 15.5), (11.0, 12.5)):
        shapes, left = card_rows(labels, room, size, height)
        if not left:
            break
    return shapes


def card_rows(labels: list[str], room: Box, size: float, height: float) -> tuple[list[Shape], int]:
    """Cards by name in rows; what finds no room is counted in the last row. And how many those."""
    gap = 3 if height > 13 else 2
    rows: list[list[str]] = [[]]
    used = 0.0

    def wide(label: str) -> float:
        return text_width(label, size) + 12

    most = max(1, int((room.height + gap) // (height + gap)))
    for index, label in enumerate(labels):
        left = len(labels) - index
        if rows[-1] and used + wide(label) > room.width:
            if len(rows) == most:
                # The last row makes room for the number of cards that are not shown.
                while rows[-1] and used + wide(f"+{left} more") > room.width:
                    used -= wide(rows[-1].pop()) + gap
                    left += 1
                rows[-1].append(f"+{left} more")
                return _place_cards(rows, room, size, height, gap), left
            rows.append([])
            used = 0.0
        rows[-1].append(label)
        used += wide(label) + gap
    return _place_cards(rows, room, size, height, gap), 0


def _place_cards(
    rows: list[list[str]], room: Box, size: float, height: float, gap: float
) -> list[Shape]:
    shapes: list[Shape] = []
    for row, labels in enumerate(rows):
        x, y = room.x, room.y + row * (height + gap)
        for label in labels:
            width = text_width(label, size) + 12
            shapes.append(Rect(x, y, width, height, 3, FIELD, EDGE))
            shapes.append(Text(x + 6, y + height / 2 + size * 0.36, label, size, INK))
            x += width + gap
    return shapes
