"""What a finished game's points came from, and how results are split (R18)."""

from __future__ import annotations

import numpy as np

from .engine.state import AROUND_MASKS, JESUS_SPACES
from .rules.names import COLOURS


def score_parts(state: np.void) -> dict[str, list[int]]:
    """Points of each seat by where they came from; together they are its final points.

    ``points_before`` were scored during the game; the others are the parts of the final count
    (R18.2 to R18.5).
    """
    parts: dict[str, list[int]] = {
        "points_before": [],
        "points_apostles": [],
        "points_jesus": [],
        "points_parables": [],
        "points_offerings": [],
        "points_illumination": [],
    }
    for seat in range(int(state["players"])):
        spaces = int(state["supper"][seat])
        found = {
            "points_apostles": apostle_points(state, spaces),
            "points_jesus": (spaces & JESUS_SPACES).bit_count() * int(state["jesus_points"]),
            "points_parables": int(state["parable_end"][state["parables"][seat]]),
            "points_offerings": int(state["offerings"][seat]) * int(state["offering_points"]),
            "points_illumination": int(state["illumination"][seat])
            * int(state["illumination_points"]),
        }
        found["points_before"] = int(state["points"][seat]) - sum(found.values())
        for name, values in parts.items():
            values.append(found[name])
    return parts


def apostle_points(state: np.void, spaces: int) -> int:
    """Points that followers on a set of spaces (mask) have from all seated Apostles (R18.3)."""
    total = 0
    for place, colour in enumerate(state["seats"]):
        if colour < 0:
            continue
        value = int(state["apostle_value"][colour])
        for distance in range(3):
            worth = max(abs(value) - distance, 0) * (1 if value > 0 else -1)
            total += worth * (spaces & int(AROUND_MASKS[place, distance])).bit_count()
    return total


def breakdowns(states: np.ndarray, players: int) -> dict[str, np.ndarray]:
    """Name of a breakdown -> (B, n) str: the label of each seat in (B,) finished games."""
    seats = np.arange(players)
    order = (seats[None, :] - states["start"][:, None]) % players + 1
    numbers = np.array([str(number) for number in range(9)])
    return {
        "colour": np.array([*COLOURS, "none"])[states["colours"][:, :players]],
        "place in turn order": numbers[order],
        "Parables": numbers[states["parables"][:, :players]],
        "Illumination": np.where(states["illumination"][:, :players] == 1, "unused", "used"),
    }
