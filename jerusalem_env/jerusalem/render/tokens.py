"""Small signs of the picture's own: marks of seats, squires, coins, stars, crowns, shields."""

from __future__ import annotations

from ...drawing import Polygon, Shape, Text, text_width
from ...drawing_parts import INK, SCREEN, SCREEN_EDGE, coin, mark, pawn, plate, star
from .palette import SEATS


def seat_mark(
    seat: int, x: float, y: float, r: float, fill: str | None = None, edge: str | None = INK
) -> Shape:
    """The shape of a seat around (x, y)."""
    return mark(SEATS[seat], x, y, r, fill, edge)


def chip(
    seat: int, x: float, y: float, width: float, height: float, label: str, heavy: bool = False
) -> list[Shape]:
    """A plate in a seat's colour with its mark and a label; ``heavy``: a thick dark edge."""
    return plate(SEATS[seat], x, y, width, height, label, heavy)


def name_chip(seat: int, x: float, y: float, height: float = 18) -> list[Shape]:
    """The plate ``P2`` of a seat."""
    return chip(seat, x, y, name_chip_width(height), height, f"P{seat}")


def name_chip_width(height: float = 18) -> float:
    """Width of ``name_chip``."""
    return height * 2.15


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
