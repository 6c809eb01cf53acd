"""Facts about states as named columns, for tables of data."""

from __future__ import annotations

import numpy as np


def columns(states: np.ndarray, players: int) -> dict[str, np.ndarray]:
    """Name -> (B,) numbers, flags or texts."""
    raise NotImplementedError
