"""Utilities of a finished game: zero-sum over the seats, paid at the end."""

from __future__ import annotations

import numpy as np

from .engine.layout import PHASE_OVER

REWARDS: tuple[str, ...] = ("win", "rank", "margin")
MARGIN_SCALE = 10.0  # floors that count as 1.0


def utilities(states: np.ndarray, players: int, reward: str) -> np.ndarray:
    """(B, players) float64; rows of games that are not over are 0.

    ``win``: winner +1, the others -1/(n-1). ``rank``: from +1 for the first to -1 for the last in
    equal steps. ``margin``: own floors less the mean of the others', in tens of floors.
    """
    over = states["phase"] == PHASE_OVER
    out = np.zeros((len(states), players))
    if not over.any():
        return out
    rows = np.flatnonzero(over)
    ranking = states["ranking"][rows, :players].astype(np.int64)
    if reward == "win":
        out[rows] = -1.0 / (players - 1)
        out[rows, ranking[:, 0]] = 1.0
    elif reward == "rank":
        steps = 1.0 - 2.0 * np.arange(players) / (players - 1)
        out[rows[:, None], ranking] = steps
    else:
        floors = states["floors"][rows, :players].astype(np.float64)
        others = (floors.sum(axis=1, keepdims=True) - floors) / (players - 1)
        out[rows] = (floors - others) / MARGIN_SCALE
    return out
