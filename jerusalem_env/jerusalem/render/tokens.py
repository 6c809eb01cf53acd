"""Small signs of the picture's own: marks of seats, squires, coins, stars, crowns, shields."""

from __future__ import annotations

import math

from ...drawing import Circle, Point, Polygon, Rect, Shape, Text, fit_text, text_width
from .palette import DARK, INK, ON_SCREEN, SCREEN, SCREEN_EDGE, SEATS, SILVER


def seat_mark(
    seat: int, x: float, y: float, r: float, fill: str | None = None, edge: str | None = INK
) -> Shape:
    """The shape of a seat around (x, y): circle, square, triangle or diamond, all alike in size."""
    fill = fill or SEATS[seat].colour
    if seat == 0:
        return Circle(x, y, r * 0.95, fill, edge, 1)
    if seat == 1:
        a = r * 0.85
        return Rect(x - a, y - a, 2 * a, 2 * a, 0, fill, edge, 1)
    if seat == 2:
        points = ((x, y - r * 1.1), (x + r * 1.15, y + r * 0.85), (x - r * 1.15, y + r * 0.85))
        return Polygon(points, 0, fill, edge, 1)
    a = r * 1.2
    return Polygon(((x, y - a), (x + a, y), (x, y + a), (x - a, y)), 0, fill, edge, 1)


def chip(
    seat: int, x: float, y: float, width: float, height: float, label: str, heavy: bool = False
) -> list[Shape]:
    """A plate in a seat's colour with its mark and a label; ``heavy``: a thick dark edge."""
    look = SEATS[seat]
    size = min(15, height * 0.72)
    mark = height * 0.24
    room = width - height * 0.78 - 4
    text, size = fit_text(label, size, room, least=7, bold=True)
    shapes: list[Shape] = [
        Rect(x, y, width, height, 5, look.colour, INK, 2.5 if heavy else 1),
        seat_mark(seat, x + height * 0.42, y + height / 2, mark, look.ink, None),
    ]
    middle = x + height * 0.78 + room / 2
    shapes.append(Text(middle, y + height / 2 + size * 0.36, text, size, look.ink, "middle", True))
    return shapes


def name_chip(seat: int, x: float, y: float, height: float = 18) -> list[Shape]:
    """The plate ``P2`` of a seat."""
    return chip(seat, x, y, name_chip_width(height), height, f"P{seat}")


def name_chip_width(height: float = 18) -> float:
    """Width of ``name_chip``."""
    return height * 2.15


def pawn(x: float, y: float, size: float, fill: str = INK) -> list[Shape]:
    """A squire, ``size`` high, around (x, y)."""
    top = y - size / 2
    body: tuple[Point, ...] = (
        (x - size * 0.12, top + size * 0.42),
        (x + size * 0.12, top + size * 0.42),
        (x + size * 0.36, top + size),
        (x - size * 0.36, top + size),
    )
    return [Polygon(body, 0, fill), Circle(x, top + size * 0.26, size * 0.25, fill)]


def coin(x: float, y: float, size: float) -> list[Shape]:
    """A silver coin, ``size`` across."""
    return [
        Circle(x, y, size * 0.46, SILVER, INK, 1.2),
        Circle(x, y, size * 0.24, None, INK, 0.8),
    ]


def star(x: float, y: float, size: float, fill: str = INK) -> list[Shape]:
    """A prestige point, ``size`` across."""
    points = []
    for corner in range(10):
        r = size * (0.54 if corner % 2 == 0 else 0.23)
        angle = math.pi * (corner / 5 - 0.5)
        points.append((x + r * math.cos(angle), y + size * 0.03 + r * math.sin(angle)))
    return [Polygon(tuple(points), 0, fill)]


def crown(x: float, y: float, size: float, fill: str = "#ffd34d") -> list[Shape]:
    """Control of an area: a crown, ``size`` across."""
    w, h = size / 2, size * 0.36
    points = (
        *((x - w, y - h), (x - w * 0.45, y + h * 0.1), (x, y - h * 1.2)),
        *((x + w * 0.45, y + h * 0.1), (x + w, y - h), (x + w * 0.8, y + h), (x - w * 0.8, y + h)),
    )
    return [Polygon(points, 0, fill, INK, 1)]


def shield(seat: int, x: float, y: float, size: float) -> list[Shape]:
    """A seat's baron, ``size`` high, around (x, y): a shield that bears the seat's mark."""
    w, top = size * 0.42, y - size / 2
    points = (
        *((x - w, top), (x + w, top), (x + w, top + size * 0.5)),
        *((x + w * 0.6, top + size * 0.8), (x, top + size)),
        *((x - w * 0.6, top + size * 0.8), (x - w, top + size * 0.5)),
    )
    look = SEATS[seat]
    return [
        Polygon(points, 1, look.colour, "#ffffff", 1.5),
        seat_mark(seat, x, top + size * 0.42, size * 0.19, look.ink, None),
    ]


def resource(kind: int, x: float, y: float, size: float) -> list[Shape]:
    """The sign of squires (0), silver (1) or prestige (2)."""
    return (pawn, coin, star)[kind](x, y, size)


def amounts(
    values: tuple[int, int, int], x: float, y: float, room: float, mark: str = "", size: float = 13
) -> list[Shape]:
    """Squires, silver and prestige in a row around x, the baseline at y; noughts are left out."""
    parts = [(kind, str(value)) for kind, value in enumerate(values) if value]
    if not parts:
        return [Text(x, y, "pays nothing", 11, INK, "middle")]

    def wide(size: float) -> float:
        signs = sum(text_width(text, size, True) + size * 1.2 for _, text in parts)
        return signs + size * 0.55 * (len(parts) - 1) + text_width(mark, size)

    while size > 7 and wide(size) > room:
        size -= 0.5
    left = x - wide(size) / 2
    shapes: list[Shape] = []
    for kind, text in parts:
        shapes.append(Text(left, y, text, size, INK, "start", True))
        left += text_width(text, size, True) + size * 0.65
        shapes += resource(kind, left, y - size * 0.38, size * 1.0)
        left += size * 0.55 + size * 0.55
    if mark:
        shapes.append(Text(left - size * 0.5, y, mark, size, INK))
    return shapes


def card_back(x: float, y: float, width: float, height: float) -> list[Shape]:
    """A card face down."""
    return [
        Rect(x, y, width, height, 3, SCREEN, SCREEN_EDGE, 1),
        Rect(x + 3, y + 3, width - 6, height - 6, 2, None, "#c79a6b", 1),
    ]


def screen(x: float, y: float, width: float, height: float) -> list[Shape]:
    """A player's folding screen, three boards wide."""
    board, lift = width / 3, 5
    shapes: list[Shape] = []
    for index in range(3):
        left, right = x + index * board, x + (index + 1) * board
        a, b = (lift, 0) if index % 2 == 0 else (0, lift)
        points = (
            *((left, y + a), (right, y + b)),
            *((right, y + height - b), (left, y + height - a)),
        )
        shapes.append(Polygon(points, 0, SCREEN, SCREEN_EDGE, 1))
    return shapes


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
