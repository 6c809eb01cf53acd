"""Points as things stand: what the final count would bring each seat now (R18)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import entry_kernel
from .engine.scoring import apostle_points, final_points

APOSTLES, FINAL = 0, 1


def standing(states: np.ndarray) -> np.ndarray:
    """(B, 4, 2) int32 of (B,) states or views: points around Apostles, and all of the final count.

    For a game that is over the final count has been added to its points already.
    """
    out = np.zeros((len(states), 4, 2), dtype=np.int32)
    stand_games(states, out)
    return out


@entry_kernel
def stand_games(states: Any, out: Any) -> Any:
    """Write ``standing``."""
    for game in range(states.shape[0]):
        for seat in range(states[game].players):
            out[game, seat, APOSTLES] = apostle_points(states[game], seat)
            out[game, seat, FINAL] = final_points(states[game], seat)
