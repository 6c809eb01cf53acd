"""The board as a picture: the Last Supper, tracks, areas, cards, a panel for each seat."""

from __future__ import annotations

import numpy as np

from ... import drawing_parts as house
from ...drawing import Drawing, Rect, Shape, Text, fit_text, text_width
from ...drawing_parts import Box, coin, pawn, plate
from ..rules.names import COLOURS, LOCATIONS
from ..words import decision_of, describe_decision
from . import palette as p
from .board import board_shapes
from .players import panels_shapes
from .seen import NOTE, Origins, is_over, seats_in_order, see, supper_count
from .supper import supper_backdrop, supper_shapes

WIDTH, HEIGHT = 1000, 750
DECISION = Box(8, 8, 500, 38)
LEGEND = Box(8, 727, 984, 18)


def draw(state: np.void, seat: int | None = None, recall: bool = False) -> Drawing:
    """The board as a picture, 1,000 x 750.

    Parameters
    ----------
    state : STATE record
    seat : int, optional
        Show only what this seat sees (seats keep their numbers); by default everything.
    recall : bool
        With ``seat``: the seat remembers all cards that everybody has seen.
    """
    s = see(state, seat, recall)
    origins = Origins(state)
    return Drawing(
        WIDTH,
        HEIGHT,
        [*supper_backdrop(), *_legend(s, origins)],
        [
            *_decision(s),
            *supper_shapes(s, origins),
            *board_shapes(s, origins),
            *panels_shapes(s, origins),
        ],
        title=f"Ierusalem, turn {s['turns']}",
        description=_description(s),
        ground=house.GROUND,
    )


def _description(s: np.void) -> str:
    """The position in a few sentences."""
    parts = [f"{describe_decision(s)[0].upper()}{describe_decision(s)[1:]}."]
    parts.append(f"Sanhedrin {s['sanhedrin']} of {s['last_space']}.")
    for seat in range(int(s["players"])):
        parts.append(
            f"P{seat} {COLOURS[s['colours'][seat]]}: {s['points'][seat]} points, "
            f"{supper_count(s, seat)} followers at the Supper, {s['denarii'][seat]} Denarii."
        )
    return " ".join(parts)


def _decision(s: np.void) -> list[Shape]:
    """Who decides what; or who has won."""
    box = DECISION
    shapes: list[Shape] = [Rect(box.x, box.y, box.width, box.height, 6, house.HIGHLIGHT, house.INK)]
    if is_over(s):
        ranking = list(seats_in_order(s))
        seats = [seat for rank, seat in ranking if rank == 1]
        what = "wins the game" if len(seats) == 1 else "win together"
        detail = "Final points: " + ", ".join(f"P{x} {s['points'][x]}" for _, x in ranking)
    else:
        seats = [int(s["to_act"])]
        what = f"decides {decision_of(s)}"
        turn = f"turn {s['turns']} of P{s['turn']}" if s["turn"] >= 0 else "set-up"
        detail = turn[0].upper() + turn[1:]
    x = box.x + 8
    for seat in seats:
        shapes += plate(p.look_of(s, seat), x, box.y + 4, 40, 18, f"P{seat}")
        x += 45
    text, size = fit_text(what, 14, box.right - 8 - x, least=9, bold=True)
    shapes.append(Text(x + 2, box.y + 18, text, size, house.INK, bold=True))
    text, size = fit_text(detail, 11, box.width - 16, least=8)
    shapes.append(Text(box.x + 8, box.y + 33, text, size, house.INK))
    return shapes


def _legend(s: np.void, origins: Origins) -> list[Shape]:
    """What the signs mean."""
    y, size = LEGEND.centre[1], 10.0
    x = LEGEND.x
    shapes: list[Shape] = []

    def word(text: str, gap: float = 10) -> None:
        nonlocal x
        shapes.append(Text(x, y + size * 0.36, text, size, house.INK))
        x += text_width(text, size) + gap

    for kind, label in enumerate(("stone", "bread", "fish")):
        shapes.extend(p.resource(kind, x + 6, y, 11))
        x += 14
        word(label)
    shapes.extend(coin(x + 6, y, 12))
    x += 14
    word("D Denarii")
    for location, name in enumerate(LOCATIONS):
        shapes.extend(p.symbol(location, Box(x, y - 6, 17, 12)))
        x += 19
        word(name, 8)
    value = origins.mark("apostles", "value")
    for colour, points in enumerate(s["apostle_value"].tolist()):
        shapes.extend(p.apostle(colour, x + 7, y, 7))
        x += 16
        word(f"{points}{value}", 7)
    if int(s["neutral"]):
        shapes.extend(pawn(x + 5, y, 12, p.NEUTRAL))
        x += 13
        word("neutral")
    green = origins.mark("cards", "apostle_points")
    points = "/".join(str(int(x)) for x in s["card_points"])
    word(f"cards in a visit {points}{green}")
    if origins.any():
        text, fit = fit_text(NOTE, size, LEGEND.right - x, least=p.LEAST_TEXT)
        shapes.append(Text(x, y + fit * 0.36, text, fit, house.INK, bold=False))
    return shapes
