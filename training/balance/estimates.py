"""Rates and means with 95 % intervals. The unit is the game: games are independent deals.

An estimate is a dict ``{"value", "low", "high", "games"}``; value and bounds are None where no game
says anything about it. Numbers are rounded to six decimals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..intervals import Z_95, wilson_interval

Estimate = dict[str, Any]

DECIMALS = 6


def _estimate(value: float, low: float, high: float, games: int) -> Estimate:
    rounded = (round(float(x), DECIMALS) + 0.0 for x in (value, low, high))  # no -0.0
    return dict(zip(("value", "low", "high"), rounded, strict=True)) | {"games": int(games)}


def nothing() -> Estimate:
    """The estimate of what no game says anything about."""
    return {"value": None, "low": None, "high": None, "games": 0}


def rate(hits: np.ndarray) -> Estimate:
    """Share of games in which something happened, with Wilson's interval.

    Parameters
    ----------
    hits : (G,) bool
        One of each game.
    """
    games = len(hits)
    if games == 0:
        return nothing()
    share = float(np.count_nonzero(hits)) / games
    low, high = wilson_interval(share, games)
    return _estimate(share, low, high, games)


def mean(values: np.ndarray, lowest: float | None = None) -> Estimate:
    """Mean of one number a game, with the normal interval; a single game has no interval.

    Parameters
    ----------
    values : (G,) numbers
    lowest : float, optional
        What the mean cannot be below: the interval is cut there.
    """
    games = len(values)
    if games == 0:
        return nothing()
    values = np.asarray(values, dtype=np.float64)
    centre = float(values.mean())
    if games == 1:
        return _estimate(centre, centre, centre, 1) | {"low": None, "high": None}
    half = Z_95 * float(values.std(ddof=1)) / np.sqrt(games)
    low = centre - half if lowest is None else max(lowest, centre - half)
    return _estimate(centre, low, centre + half, games)


def ratio(parts: np.ndarray, wholes: np.ndarray) -> Estimate:
    """Sum of parts over sum of wholes, with the linearised normal interval, cut at 0 and 1.

    Parameters
    ----------
    parts, wholes : (G,) numbers
        Of each game, 0 <= part <= whole.
    """
    games = len(parts)
    parts, wholes = parts.astype(np.float64), wholes.astype(np.float64)
    total = float(wholes.sum())
    if games < 2 or total == 0:
        return nothing()
    share = float(parts.sum()) / total
    spread = float(np.sum((parts - share * wholes) ** 2)) * games / (games - 1)
    half = Z_95 * np.sqrt(spread) / total
    return _estimate(share, max(0.0, share - half), min(1.0, share + half), games)


def difference(hits: np.ndarray, others: np.ndarray) -> Estimate:
    """Rate of the first games less the rate of the other games, with Newcombe's interval (1998).

    Parameters
    ----------
    hits, others : (G,), (H,) bool
        Of different games.
    """
    if len(hits) == 0 or len(others) == 0:
        return nothing()
    first = float(np.count_nonzero(hits)) / len(hits)
    second = float(np.count_nonzero(others)) / len(others)
    low_1, high_1 = wilson_interval(first, len(hits))
    low_2, high_2 = wilson_interval(second, len(others))
    low = first - second - np.hypot(first - low_1, high_2 - second)
    high = first - second + np.hypot(high_1 - first, second - low_2)
    return _estimate(first - second, low, high, len(hits) + len(others))


def histogram(values: np.ndarray, first: int, last: int) -> list[int]:
    """How often each whole number ``first`` .. ``last`` occurs."""
    counts = np.bincount(np.asarray(values).ravel() - first, minlength=last - first + 1)
    return [int(count) for count in counts]
