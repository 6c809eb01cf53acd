"""Ratings for games of several players: Plackett-Luce by OpenSkill (Weng and Lin 2011).

Games are rated in the order of the deals, every entrant starting at 25. The agents do not change
while they play, so nothing is added to a rating's uncertainty from game to game (``tau`` 0). Where
several copies of an entrant sit at a table, each is rated as a player of its own that comes with
the entrant's rating, and the entrant goes on with the mean of what its copies have got.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from openskill.models import PlackettLuce

from ..intervals import Z_95

CHANCE_LEVEL = 25.0  # where players that are all equal stay
_RATED_GAMES = 200_000  # spent on the bootstrap at the most: some five seconds
_RESAMPLES = 100
_FEWEST_RESAMPLES = 20  # fewer say too little: then there is no interval


@dataclass(frozen=True)
class Rating:
    """An entrant's rating.

    Attributes
    ----------
    mu, sigma : float
        The library's mean and standard deviation. ``sigma`` takes games for independent.
    low, high : float or None
        95 % interval of ``mu`` by resampling whole deals; None where it would take too long.
    """

    mu: float
    sigma: float
    low: float | None = None
    high: float | None = None


def rate_games(
    lineups: np.ndarray, ranks: np.ndarray, entrants: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mu and sigma (E,) of each entrant after (G, n) line-ups with ranks by seat, in that order."""
    model = PlackettLuce(tau=0.0)
    mu, sigma = [model.mu] * entrants, [model.sigma] * entrants
    for seated, reached in zip(lineups.tolist(), ranks.tolist(), strict=True):
        before = [[model.rating(mu[entrant], sigma[entrant])] for entrant in seated]
        after = model.rate(before, ranks=reached)
        gathered: dict[int, list[int]] = {}
        for seat, entrant in enumerate(seated):
            gathered.setdefault(entrant, []).append(seat)
        for entrant, seats in gathered.items():
            mu[entrant] = sum(after[seat][0].mu for seat in seats) / len(seats)
            sigma[entrant] = sum(after[seat][0].sigma for seat in seats) / len(seats)
    return np.array(mu), np.array(sigma)


def rate_entrants(
    lineups: np.ndarray, ranks: np.ndarray, entrants: int, rng: np.random.Generator
) -> tuple[Rating, ...]:
    """Ratings over D deals of P games, with intervals from resampled deals.

    A resample is rated in the order it was drawn in, so the intervals also hold what depends on
    the order of the games.

    Parameters
    ----------
    lineups : (D, P, n) int64
    ranks : (D, P, n) float64
    entrants : int
        Number of entrants.
    rng : numpy.random.Generator
        Draws the deals.
    """
    deals, games, n = lineups.shape
    mu, sigma = rate_games(lineups.reshape(-1, n), ranks.reshape(-1, n), entrants)
    resamples = min(_RESAMPLES, _RATED_GAMES // (deals * games))
    if resamples < _FEWEST_RESAMPLES or deals < 2:
        return tuple(Rating(float(m), float(s)) for m, s in zip(mu, sigma, strict=True))
    drawn = np.empty((resamples, entrants))
    for index in range(resamples):
        rows = rng.integers(0, deals, deals)
        again, _ = rate_games(lineups[rows].reshape(-1, n), ranks[rows].reshape(-1, n), entrants)
        drawn[index] = again
    half = Z_95 * drawn.std(axis=0, ddof=1)
    return tuple(
        Rating(float(m), float(s), float(m - h), float(m + h))
        for m, s, h in zip(mu, sigma, half, strict=True)
    )
