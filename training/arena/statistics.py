"""What the results of an arena say: rates, intervals, breakdowns, comparisons.

The deal is the unit of everything: the games of one deal share cards and so are not independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import ceil, erfc, sqrt
from typing import Any

import numpy as np

from ..intervals import Z_95, wilson_by_deal, win_interval
from .blocks import GameResults
from .ratings import Rating, rate_entrants
from .schedule import Schedule

FEWEST_DEALS = 50  # with fewer no difference is called one
LEVEL = 0.05
_RESAMPLES = 2_000  # of the bootstrap
_FEWEST_FLIPS = 9_999
_FLIPS_A_COMPARISON = 100  # so that the smallest p-value survives the correction for them all
_MOST_FLIPPED = 2_000  # deals; with more the normal limit of the sign-flip test is as good
_POWER = Z_95 + 0.8416212335729143  # seen in 80 % of arenas of that size
_BOOTSTRAP, _FLIPPING, _RATING = 1, 2, 3  # purposes of the generators


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """What an entrant reached.

    Attributes
    ----------
    name : str
    seats : int
        Seats it had over all games; copies of it at one table count each.
    wins : float
    win_rate : Estimate
        Wins per seat.
    mean_rank : Estimate
        From 1.
    amounts : dict
        Means of the amounts that the game's results have.
    rating : Rating
    by_seat : tuple of Estimate
        Win rates in seat 0, 1, ...
    """

    name: str
    seats: int
    wins: float
    win_rate: Estimate
    mean_rank: Estimate
    amounts: dict[str, Estimate]
    rating: Rating
    by_seat: tuple[Estimate, ...]


@dataclass(frozen=True)
class Share:
    """Part of an entrant's results: how often, and the win rate there (None if never)."""

    seats: int
    win_rate: Estimate | None


@dataclass(frozen=True)
class Comparison:
    """Two entrants on common deals.

    Attributes
    ----------
    one, other : str
    difference : Estimate
        Win rate of one less that of the other.
    p_value, adjusted : float
        Of the paired sign-flip test by deal, alone and after Holm's correction.
    deals_needed : int or None
        Deals with which a difference as large as the one seen would be found in four of five
        arenas, roughly; None where none was seen.
    verdict : str
        ``"above"``, ``"below"`` or ``"not distinguishable"``.
    reason : str
        Why the two cannot be told apart; else empty.
    """

    one: str
    other: str
    difference: Estimate
    p_value: float
    adjusted: float
    deals_needed: int | None
    verdict: str
    reason: str


@dataclass(frozen=True)
class Summary:
    """Everything an arena reports.

    Attributes
    ----------
    format : str
    players, deals, games, truncated : int
    standings : tuple of Standing
        In the order given.
    breakdowns : name -> label -> one Share an entrant
    comparisons : tuple of Comparison
    duels : tuple of tuple, empty for other formats
        Win rate of the row's entrant alone against copies of the column's; None on the diagonal.
    """

    format: str
    players: int
    deals: int
    games: int
    truncated: int
    standings: tuple[Standing, ...]
    breakdowns: dict[str, dict[str, tuple[Share, ...]]]
    comparisons: tuple[Comparison, ...]
    duels: tuple[tuple[Estimate | None, ...], ...]

    @property
    def chance(self) -> float:
        """Win rate of equal players."""
        return 1.0 / self.players

    def to_dict(self) -> dict[str, Any]:
        """JSON-able values."""
        return {"chance": self.chance, "fewest_deals": FEWEST_DEALS, **asdict(self)}


def share_interval(wins_by_deal: np.ndarray, seats_by_deal: np.ndarray) -> Estimate:
    """Win rate where the number of seats differs by deal: ``win_interval`` for a ratio.

    The variance of the ratio of the two sums is taken by linearisation (Cochran 1977, 2.11); it
    gives the effective number of games of Wilson's interval, at least the number of deals with any
    seat (or of seats, if fewer), at most the number of seats.
    """
    some = seats_by_deal > 0
    wins, seats = wins_by_deal[some].astype(np.float64), seats_by_deal[some].astype(np.float64)
    deals, total = len(seats), float(seats.sum())
    rate = float(wins.sum()) / total
    residuals = wins - rate * seats
    variance = float((residuals**2).sum()) / total**2 * (deals / (deals - 1) if deals > 1 else 1.0)
    return Estimate(rate, *wilson_by_deal(rate, variance, deals, total))


def resampled_means(
    sums: np.ndarray, counts: np.ndarray, rng: np.random.Generator, resamples: int = _RESAMPLES
) -> np.ndarray:
    """(R, K) means of resampled deals: sums (D, K) over counts (D, K), whole deals drawn."""
    deals = len(sums)
    means = np.empty((resamples, sums.shape[1]))
    with np.errstate(invalid="ignore"):  # 0 / 0: nothing was drawn that has a count
        for index in range(resamples):
            weights = np.bincount(rng.integers(0, deals, deals), minlength=deals)
            means[index] = (weights @ sums) / (weights @ counts)
    return means


def sign_flip_p_values(differences: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(M,) two-sided p-values that the (D, M) paired differences have mean 0.

    If two entrants were equal, each deal's difference could as well have come out the other way
    round: the sum is compared with sums under random signs, and for many deals with their normal
    limit.
    """
    deals = len(differences)
    seen = np.abs(differences.sum(axis=0))
    if deals > _MOST_FLIPPED:
        spread = np.sqrt((differences**2).sum(axis=0))
        return np.array(
            [
                erfc(x / s / sqrt(2)) if s > 0 else 1.0
                for x, s in zip(seen.tolist(), spread.tolist(), strict=True)
            ]
        )
    reached = np.zeros(differences.shape[1])
    flips = left = max(_FEWEST_FLIPS, _FLIPS_A_COMPARISON * differences.shape[1])
    while left:
        rows = min(left, 500)
        signs = rng.integers(0, 2, (rows, deals)) * 2.0 - 1.0
        reached += (np.abs(signs @ differences) >= seen - 1e-9).sum(axis=0)
        left -= rows
    return (reached + 1) / (flips + 1)


def holm(p_values: np.ndarray) -> np.ndarray:
    """(M,) p-values adjusted by Holm's step-down method (1979)."""
    count = len(p_values)
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(
        1.0, np.maximum.accumulate(p_values[order] * (count - np.arange(count)))
    )
    return adjusted


def deals_needed(differences: np.ndarray) -> int | None:
    """Deals that would roughly show the mean of (D,) paired differences, to two digits."""
    mean = float(differences.mean())
    if mean == 0.0 or len(differences) < 2:
        return None
    deals = max(float(FEWEST_DEALS), (_POWER * float(differences.std(ddof=1)) / mean) ** 2)
    step = 10 ** max(0, len(str(int(deals))) - 2)
    return ceil(deals / step) * step


def judge(
    one: str,
    other: str,
    difference: Estimate,
    p_value: float,
    adjusted: float,
    deals: int,
    needed: int | None,
) -> Comparison:
    """The verdict: a difference only with enough deals, and if interval and test agree on it."""
    verdict, reason = "not distinguishable", ""
    excludes = difference.low > 0.0 or difference.high < 0.0
    if deals < FEWEST_DEALS:
        reason = f"only {deals} deals, at least {FEWEST_DEALS} are needed"
    elif not excludes:
        reason = "the interval holds 0"
    elif adjusted >= LEVEL:
        reason = "it may be chance among so many comparisons"
    else:
        verdict = "above" if difference.value > 0.0 else "below"
    if reason and needed is not None and needed > deals:
        reason += f"; a difference of this size takes about {needed:,} deals"
    return Comparison(one, other, difference, p_value, adjusted, needed, verdict, reason)


def _interval(value: float, drawn: np.ndarray) -> Estimate:
    """A value with the middle 95 % of its resamples."""
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def _sums(values: np.ndarray, here: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums and counts by deal (D,) of values (D, P, n) at the places ``here``, NaN left out."""
    here = here & ~np.isnan(values)
    return np.where(here, values, 0.0).sum(axis=(1, 2)), here.sum(axis=(1, 2))


def summarise(
    results: GameResults, schedule: Schedule, names: tuple[str, ...], seed: int
) -> Summary:
    """The summary of all games of an arena.

    Parameters
    ----------
    results : GameResults
        D deals of ``schedule.games_per_deal`` games each.
    schedule : Schedule
    names : tuple of str
        One for each entrant.
    seed : int
        Seed of the resampling.
    """
    n, entrants = schedule.players, len(names)
    shape = (-1, schedule.games_per_deal, n)
    lineups = results.lineups.reshape(shape)
    wins, ranks = results.wins.reshape(shape), results.ranks.reshape(shape)
    amounts = {name: values.reshape(shape) for name, values in results.amounts.items()}
    deals = len(lineups)
    seated = [lineups == entrant for entrant in range(entrants)]
    ratings = rate_entrants(lineups, ranks, entrants, np.random.default_rng([seed, _RATING]))

    # One column an entrant of every value, so that all are resampled over the same deals.
    values = [wins, ranks, *amounts.values()]
    pairs = [[_sums(value, here) for here in seated] for value in values]
    sums = np.array([[pair[0] for pair in row] for row in pairs], dtype=np.float64)  # (V, E, D)
    counts = np.array([[pair[1] for pair in row] for row in pairs], dtype=np.float64)
    flat = (len(values) * entrants, deals)
    drawn = resampled_means(
        sums.reshape(flat).T, counts.reshape(flat).T, np.random.default_rng([seed, _BOOTSTRAP])
    ).reshape(-1, len(values), entrants)
    with np.errstate(invalid="ignore"):
        means = sums.sum(axis=2) / counts.sum(axis=2)  # (V, E)

    standings = []
    for entrant, entrant_name in enumerate(names):
        seats = int(counts[0, entrant, 0])  # the same on every deal
        estimates = {
            name: _interval(float(means[value, entrant]), drawn[:, value, entrant])
            for value, name in enumerate(("rank", *amounts), 1)
            if counts[value, entrant].any()  # else all its games were truncated
        }
        standings.append(
            Standing(
                name=entrant_name,
                seats=seats * deals,
                wins=float(wins[seated[entrant]].sum()),
                win_rate=Estimate(*win_interval(sums[0, entrant], seats)),
                mean_rank=estimates.pop("rank"),
                amounts=estimates,
                rating=ratings[entrant],
                by_seat=tuple(
                    share_interval(
                        (wins * seated[entrant])[:, :, seat].sum(axis=1),
                        seated[entrant][:, :, seat].sum(axis=1),
                    )
                    for seat in range(n)
                ),
            )
        )
    return Summary(
        format=schedule.format,
        players=n,
        deals=deals,
        games=deals * schedule.games_per_deal,
        truncated=int(results.truncated.sum()),
        standings=tuple(standings),
        breakdowns=_breakdowns(results.labels, wins, seated),
        comparisons=_compare(names, sums[0] / counts[0], drawn[:, 0], seed),
        duels=_duels(schedule, wins, lineups, entrants),
    )


def _breakdowns(
    labels: Mapping[str, np.ndarray], wins: np.ndarray, seated: list[np.ndarray]
) -> dict[str, dict[str, tuple[Share, ...]]]:
    found: dict[str, dict[str, tuple[Share, ...]]] = {}
    for name, texts in labels.items():
        known, codes = np.unique(texts, return_inverse=True)
        codes = codes.reshape(wins.shape)
        found[name] = {}
        for code, label in enumerate(known.tolist()):
            if not label:
                continue  # truncated games
            shares = []
            for here in seated:
                at = here & (codes == code)
                seats = at.sum(axis=(1, 2))
                rate = share_interval((wins * at).sum(axis=(1, 2)), seats) if seats.any() else None
                shares.append(Share(int(seats.sum()), rate))
            found[name][label] = tuple(shares)
    return found


def _compare(
    names: tuple[str, ...], rates: np.ndarray, drawn: np.ndarray, seed: int
) -> tuple[Comparison, ...]:
    """All pairs, from win rates by deal (E, D) and resampled win rates (R, E)."""
    pairs = [(one, other) for one in range(len(names)) for other in range(one + 1, len(names))]
    if not pairs:
        return ()
    differences = np.array([rates[one] - rates[other] for one, other in pairs]).T  # (D, M)
    p_values = sign_flip_p_values(differences, np.random.default_rng([seed, _FLIPPING]))
    adjusted = holm(p_values)
    return tuple(
        judge(
            names[one],
            names[other],
            _interval(float(differences[:, pair].mean()), drawn[:, one] - drawn[:, other]),
            float(p_values[pair]),
            float(adjusted[pair]),
            len(differences),
            deals_needed(differences[:, pair]),
        )
        for pair, (one, other) in enumerate(pairs)
    )


def _duels(
    schedule: Schedule, wins: np.ndarray, lineups: np.ndarray, entrants: int
) -> tuple[tuple[Estimate | None, ...], ...]:
    if schedule.format != "duel":
        return ()
    n = schedule.players
    cells: list[list[Estimate | None]] = [[None] * entrants for _ in range(entrants)]
    for table, (one, other) in enumerate(schedule.tables[:, :2].tolist()):
        games = slice(table * n, (table + 1) * n)
        for single, copies in ((one, other), (other, one))[: 2 if n == 2 else 1]:
            won = (wins[:, games] * (lineups[:, games] == single)).sum(axis=(1, 2))
            cells[single][copies] = Estimate(*win_interval(won, n))
    return tuple(tuple(row) for row in cells)
