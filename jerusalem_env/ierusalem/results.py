"""What a finished game's points came from, and how results are split (R18)."""

from __future__ import annotations

import numpy as np

from .rules.names import COLOURS
from .standing import final_count


def score_parts(state: np.void) -> dict[str, list[int]]:
    """Points of each seat by where they came from; together they are its final points.

    ``points_before`` were scored during the game; the others are the parts of the final count
    (R18.2 to R18.5).
    """
    n = int(state["players"])
    counted = {
        f"points_{part}": points[0, :n].tolist()
        for part, points in final_count(np.array([state])).items()
    }
    final = [int(x) for x in state["points"][:n]]
    before = [final[seat] - sum(part[seat] for part in counted.values()) for seat in range(n)]
    return {"points_before": before, **counted}


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
