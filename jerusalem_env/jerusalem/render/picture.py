"""The board as a picture: city, players, offices, cards, event, who decides what."""

from __future__ import annotations

import numpy as np

from ... import drawing_parts as house
from ...drawing import Drawing
from . import palette
from .board_layout import HEIGHT, WIDTH
from .city import city_backdrop, city_shapes
from .players import panels_backdrop, panels_shapes
from .seen import Seen, see
from .strip import (
    card_shapes,
    decision_shapes,
    legend_backdrop,
    office_shapes,
    round_shapes,
    strip_backdrop,
)


def draw(state: np.void, seat: int | None = None, recall: bool = False) -> Drawing:
    """The board as a picture, 1,000 x 750.

    Parameters
    ----------
    state : STATE record
    seat : int, optional
        Show only what this seat sees (seats keep their numbers); by default everything.
    recall : bool
        With ``seat``: the seat keeps count of silver and supplies.
    """
    seen = see(state, seat, recall)
    return Drawing(
        WIDTH,
        HEIGHT,
        [
            *city_backdrop(seen),
            *panels_backdrop(seen),
            *strip_backdrop(),
            *legend_backdrop(seen),
        ],
        [
            *city_shapes(seen),
            *panels_shapes(seen),
            *round_shapes(seen),
            *decision_shapes(seen),
            *office_shapes(seen),
            *card_shapes(seen),
        ],
        title=f"Jerusalem, round {seen.round} of {seen.rounds}",
        description=_description(seen),
        ground=house.GROUND,
    )


def _description(seen: Seen) -> str:
    """The position in a few sentences."""
    parts = []
    if seen.over:
        parts.append(f"Game over: P{seen.ranking[0]} wins.")
    else:
        parts.append(f"P{seen.to_act} {palette.DECISIONS[seen.phase]}.")
    for seat in range(seen.players):
        office = seen.office[seat]
        held = f", {palette.OFFICE_LABELS[office]}" if office >= 0 else ""
        parts.append(
            f"P{seat}{held}: {seen.floors[seat]} floors, {seen.prestige[seat]} prestige, "
            f"{seen.hand_size[seat]} cards."
        )
    return " ".join(parts)
