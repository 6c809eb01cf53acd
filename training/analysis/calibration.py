"""Whether the value head is right: what it expects against what seats were paid at the end.

Both are in units of the training's reward. A decision's outcome is noisy, and decisions of one
game share theirs, so all intervals have the deal as their unit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jerusalem_env.jerusalem.engine.layout import PHASE_OPEN

from .clusters import Estimate, bootstrap, mean_by_deal, rate_by_deal
from .decisions import Decisions


@dataclass(frozen=True)
class ValueBin:
    """Decisions with like expectations: mean value, mean return, share of seats that won."""

    value: float
    returns: Estimate
    wins: Estimate
    decisions: int


def value_bins(
    values: np.ndarray, returns: np.ndarray, wins: np.ndarray, deals: np.ndarray, bins: int = 10
) -> list[ValueBin]:
    """Bins of equal numbers of decisions, by the value; fewer where many values are equal.

    Parameters
    ----------
    values, returns : (R,) float64
    wins : (R,) bool
    deals : (R,) int
    bins : int
    """
    place = _place(values, bins)
    found = []
    for index in np.unique(place):
        rows = place == index
        found.append(
            ValueBin(
                float(values[rows].mean()),
                mean_by_deal(returns[rows], deals[rows]),
                rate_by_deal(wins[rows], deals[rows]),
                int(rows.sum()),
            )
        )
    return found


def _place(values: np.ndarray, bins: int) -> np.ndarray:
    """(R,) int64 bin of each value: between its quantiles."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, bins + 1)[1:-1]))
    return np.searchsorted(edges, values, side="right")


@dataclass(frozen=True)
class Calibration:
    """How good values are, each with its interval by deal (bootstrap).

    ``explained`` is 1 - mean squared error / variance of the returns: 1 at best, 0 for a constant
    that is right on average. ``error`` is the mean absolute error, ``bias`` the mean of value less
    return, ``expected_error`` the expected calibration error: the mean over bins of |mean value -
    mean return|, by size; even for perfect values it is a little above 0, by chance.
    """

    explained: Estimate
    error: Estimate
    bias: Estimate
    expected_error: Estimate


def calibration(
    values: np.ndarray,
    returns: np.ndarray,
    deals: np.ndarray,
    bins: int = 10,
    seed: int = 0,
    draws: int = 400,
) -> Calibration:
    """Measures of values against returns; parameters as for ``value_bins`` and ``bootstrap``."""
    place = _place(values, bins)
    size = int(place.max()) + 1
    error = values - returns

    def explained(weights: np.ndarray) -> float:
        total = weights.sum()
        centre = (weights @ returns) / total
        spread = float(weights @ (returns - centre) ** 2)
        return 1.0 - float(weights @ error**2) / spread if spread > 0 else np.nan

    def expected_error(weights: np.ndarray) -> float:
        gaps = np.bincount(place, weights=weights * error, minlength=size)
        return float(np.abs(gaps).sum() / weights.sum())

    return Calibration(
        bootstrap(explained, deals, seed, draws),
        mean_by_deal(np.abs(error), deals),
        mean_by_deal(error, deals),
        bootstrap(expected_error, deals, seed, draws),
    )


def of_decisions(decisions: Decisions, rows: np.ndarray | None = None) -> Calibration:
    """The calibration of some decisions (all unless ``rows``, (R,) bool, says which)."""
    chosen = np.ones(decisions.size, dtype=np.bool_) if rows is None else rows
    return calibration(decisions.values[chosen], decisions.returns[chosen], decisions.deals[chosen])


def by_round(decisions: Decisions) -> dict[int, Calibration]:
    """The calibration of the decisions of each round."""
    return {
        int(number): of_decisions(decisions, decisions.rounds == number)
        for number in np.unique(decisions.rounds)
    }


def at_start(decisions: Decisions) -> tuple[Estimate, Estimate]:
    """Mean value and mean return of the games' first decision, where the agent has it."""
    states = decisions.states
    rows = (states["phase"] == PHASE_OPEN) & (decisions.rounds == 1)
    rows &= (states["office"] >= 0).sum(axis=1) == 0
    deals = decisions.deals[rows]
    return mean_by_deal(decisions.values[rows], deals), mean_by_deal(decisions.returns[rows], deals)
