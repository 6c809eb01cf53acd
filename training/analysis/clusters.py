"""Estimates with 95 % intervals from rows that belong to deals: the deal is the unit, not the row.

Decisions of one game, and games of one deal, are not independent. An estimate is a dict ``{"value",
"low", "high", "deals", "rows"}``; value and bounds are NaN where nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..intervals import Z_95, wilson_by_deal

Estimate = dict[str, Any]


def _sums(values: np.ndarray, deals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(C,) sums and (C,) numbers of rows of the deals that occur."""
    _, place = np.unique(deals, return_inverse=True)
    return np.bincount(place, weights=values), np.bincount(place).astype(np.float64)


def _estimate(value: float, low: float, high: float, deals: int, rows: int) -> Estimate:
    return {"value": value, "low": low, "high": high, "deals": deals, "rows": rows}


def _variance(values: np.ndarray, deals: np.ndarray) -> tuple[float, float, int]:
    """Mean over rows, its linearised variance between deals, and the number of deals."""
    sums, sizes = _sums(values, deals)
    mean, count = float(sums.sum() / sizes.sum()), len(sums)
    if count < 2:
        return mean, np.nan, count
    spread = float(np.sum((sums - mean * sizes) ** 2)) * count / (count - 1)
    return mean, spread / float(sizes.sum()) ** 2, count


def mean_by_deal(values: np.ndarray, deals: np.ndarray) -> Estimate:
    """Mean over rows with the normal interval whose variance comes from differences between deals.

    Parameters
    ----------
    values : (R,) numbers
    deals : (R,) int
        Which deal each row belongs to. A single deal has no interval.
    """
    values = np.asarray(values, dtype=np.float64)
    if not len(values):
        return _estimate(np.nan, np.nan, np.nan, 0, 0)
    mean, variance, count = _variance(values, deals)
    half = Z_95 * float(np.sqrt(variance))
    return _estimate(mean, mean - half, mean + half, count, len(values))


def rate_by_deal(hits: np.ndarray, deals: np.ndarray) -> Estimate:
    """Share of rows, with Wilson's interval for the effective number of rows; see ``intervals``."""
    hits = np.asarray(hits, dtype=np.float64)
    if not len(hits):
        return _estimate(np.nan, np.nan, np.nan, 0, 0)
    rate, variance, count = _variance(hits, deals)
    low, high = wilson_by_deal(rate, variance, count, float(len(hits)))
    return _estimate(rate, low, high, count, len(hits))


def grouped(
    estimator: Callable[[np.ndarray, np.ndarray], Estimate],
    values: np.ndarray,
    deals: np.ndarray,
    groups: np.ndarray,
    labels: Sequence[Any],
) -> list[Estimate]:
    """An estimate of each group of rows, in the order of ``labels``; empty groups have NaN."""
    return [estimator(values[groups == label], deals[groups == label]) for label in labels]


def bootstrap(
    statistic: Callable[[np.ndarray], float],
    deals: np.ndarray,
    seed: int,
    draws: int = 400,
) -> Estimate:
    """A statistic of weighted rows, with the percentile interval over resampled deals.

    Parameters
    ----------
    statistic : callable
        Of (R,) float64 weights of the rows: how often each row's deal was drawn.
    deals : (R,) int
    seed : int
    draws : int
    """
    _, place = np.unique(deals, return_inverse=True)
    count = int(place.max()) + 1
    rng = np.random.default_rng(seed)
    value = float(statistic(np.ones(len(deals))))
    if count < 2:
        return _estimate(value, np.nan, np.nan, count, len(deals))
    found = []
    for _ in range(draws):
        drawn = np.bincount(rng.integers(count, size=count), minlength=count)
        found.append(float(statistic(drawn[place].astype(np.float64))))
    low, high = np.quantile(found, (0.025, 0.975))
    return _estimate(value, float(low), float(high), count, len(deals))


def quartiles(values: np.ndarray) -> tuple[float, float, float]:
    """First quartile, median and third quartile; NaN for no values."""
    if not len(values):
        return (np.nan,) * 3
    first, median, third = np.quantile(values, (0.25, 0.5, 0.75))
    return float(first), float(median), float(third)
