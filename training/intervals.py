"""95 % intervals of rates: Wilson's (1927), also with the deal as the unit."""

from __future__ import annotations

import numpy as np

Z_95 = 1.959963984540054  # the normal quantile of a 95 % interval


def wilson_interval(rate: float, games: float) -> tuple[float, float]:
    """(low, high): Wilson's 95 % interval of a rate seen in so many independent games."""
    square = Z_95 * Z_95
    centre = (rate + square / (2 * games)) / (1 + square / games)
    half = Z_95 * np.sqrt(rate * (1.0 - rate) / games + square / (4 * games * games))
    half /= 1 + square / games
    # At a rate of 0 or 1 one bound is that rate; rounding must not push it past.
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return float(min(rate, low)), float(max(rate, high))


def wilson_by_deal(rate: float, variance: float, deals: int, games: float) -> tuple[float, float]:
    """(low, high): Wilson's interval where the games of a deal are not independent.

    It takes the effective number of games n = p (1 - p) / var. That is kept between the number of
    deals and the number of games: deals that all came out alike (var = 0) count as the games they
    are, and a rate of 0 or 1, which says nothing about how alike games of a deal are, counts as the
    deals.

    Shared wins are parts, such as 1/2: their spread is below p (1 - p), that of games which are won
    or lost. As n never exceeds the number of games, the interval is then rather too wide.

    Parameters
    ----------
    rate : float
    variance : float
        Of the rate, from the differences between deals.
    deals : int
    games : float
        Seats or games in all.
    """
    spread = rate * (1.0 - rate)
    if spread <= 0.0 or deals == 1:
        n = float(deals)
    else:
        n = games if variance * games <= spread else max(spread / variance, float(deals))
    return wilson_interval(rate, n)


def win_interval(wins_by_deal: np.ndarray, games_per_deal: int) -> tuple[float, float, float]:
    """(win rate, low, high): Wilson's 95 % interval with the deal as the unit.

    Parameters
    ----------
    wins_by_deal : (D,) int or float
        Games won of the ``games_per_deal`` played on each deal; shared wins count as parts.
    games_per_deal : int
    """
    rates = np.asarray(wins_by_deal, dtype=np.float64) / games_per_deal
    deals = len(rates)
    rate = float(rates.mean())
    variance = float(rates.var(ddof=1)) / deals if deals > 1 else 0.0
    return (rate, *wilson_by_deal(rate, variance, deals, float(deals * games_per_deal)))
