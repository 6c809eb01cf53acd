"""The final count as things stand: what the game's end would bring each seat now (R18)."""

from __future__ import annotations

import numpy as np

from ..bits import count_bits
from ..kernels import entry_kernel
from .engine.scoring import apostle_points
from .engine.state import JESUS_SPACES

PARTS = ("apostles", "jesus", "parables", "offerings", "illumination")


def final_count(states: np.ndarray) -> dict[str, np.ndarray]:
    """Part of the final count -> (B, 4) int32 points of each seat, of (B,) states or views.

    The parts are those of R18.2 to R18.5; a game that is over has them in its points already.
    """
    table = np.zeros((len(states), 4, 2), dtype=np.int32)
    count_at_the_table(states, table)
    taken = np.take_along_axis(states["parable_end"], states["parables"].astype(np.int64), axis=1)

    def each(field: str, worth: str) -> np.ndarray:
        return states[field].astype(np.int32) * states[worth][:, None].astype(np.int32)

    playing = np.arange(4) < states["players"][:, None]
    parts = {
        "apostles": table[:, :, 0],
        "jesus": table[:, :, 1] * states["jesus_points"][:, None].astype(np.int32),
        "parables": taken.astype(np.int32),
        "offerings": each("offerings", "offering_points"),
        "illumination": each("illumination", "illumination_points"),
    }
    return {name: np.where(playing, points, 0) for name, points in parts.items()}


@entry_kernel
def count_at_the_table(states, out):
    """Write (B, 4, 2): points around seated Apostles (R18.3), followers beside Jesus (R18.4)."""
    for game in range(states.shape[0]):
        for seat in range(states[game].players):
            out[game, seat, 0] = apostle_points(states[game], seat)
            out[game, seat, 1] = count_bits(states[game].supper[seat] & JESUS_SPACES)
