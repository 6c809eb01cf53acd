"""Estimates whose unit is the deal."""

from __future__ import annotations

import numpy as np
import pytest

from training.analysis.clusters import bootstrap, grouped, mean_by_deal, quartiles, rate_by_deal
from training.intervals import Z_95


def test_mean_by_deal__counts_deals_and_not_rows() -> None:
    values, deals = np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1])
    found = mean_by_deal(values, deals)
    # Deals' sums about the mean of 4: -4 and +4; variance 2 * (16 + 16) / 4**2 = 4.
    assert found["value"] == 4.0
    assert found["high"] - found["value"] == pytest.approx(2 * Z_95)
    assert (found["deals"], found["rows"]) == (2, 4)
    repeated = mean_by_deal(np.repeat(values, 5), np.repeat(deals, 5))
    assert repeated["high"] == pytest.approx(found["high"])  # more rows of the same deals


def test_mean_by_deal__says_nothing_where_nothing_is_known() -> None:
    assert np.isnan(mean_by_deal(np.zeros(0), np.zeros(0, np.int64))["value"])
    single = mean_by_deal(np.array([2.0, 4.0]), np.array([7, 7]))
    assert single["value"] == 3.0
    assert np.isnan(single["low"])


def test_rate_by_deal__stays_within_0_and_1() -> None:
    deals = np.repeat(np.arange(10), 4)
    all_hit = rate_by_deal(np.ones(40, np.bool_), deals)
    assert all_hit["value"] == all_hit["high"] == 1.0
    assert 0.6 < all_hit["low"] < 1.0
    half = rate_by_deal(np.arange(40) % 2 == 0, deals)
    assert half["value"] == 0.5
    assert 0.0 < half["low"] < 0.5 < half["high"] < 1.0


def test_intervals__cover_the_truth_though_rows_hang_together() -> None:
    rng = np.random.default_rng(0)
    covered = naive = 0
    for _ in range(400):
        deals = np.repeat(np.arange(40), 10)
        values = rng.normal(size=40)[deals] + 0.3 * rng.normal(size=400)
        found = mean_by_deal(values, deals)
        covered += found["low"] <= 0.0 <= found["high"]
        naive += abs(values.mean()) <= Z_95 * values.std() / 20
    assert 0.91 <= covered / 400 <= 0.98
    assert naive / 400 < 0.7  # what taking rows for independent would have given


def test_grouped__keeps_the_order_of_labels() -> None:
    values, groups = np.array([1.0, 2.0, 3.0]), np.array([5, 4, 5])
    found = grouped(mean_by_deal, values, np.array([0, 1, 2]), groups, [4, 5, 6])
    assert [x["rows"] for x in found] == [1, 2, 0]
    assert found[1]["value"] == 2.0


def test_bootstrap__is_reproducible_and_near_the_closed_form() -> None:
    rng = np.random.default_rng(1)
    deals = np.repeat(np.arange(60), 5)
    values = rng.normal(size=60)[deals] + rng.normal(size=300)

    def mean(weights: np.ndarray) -> float:
        return float(weights @ values / weights.sum())

    found = bootstrap(mean, deals, seed=3)
    assert found == bootstrap(mean, deals, seed=3)
    assert found != bootstrap(mean, deals, seed=4)
    closed = mean_by_deal(values, deals)
    assert found["value"] == pytest.approx(closed["value"])
    assert found["high"] - found["low"] == pytest.approx(closed["high"] - closed["low"], rel=0.2)


def test_quartiles__of_nothing_are_nan() -> None:
    assert quartiles(np.array([1, 2, 3, 4, 5])) == (2.0, 3.0, 4.0)
    assert np.isnan(quartiles(np.zeros(0))).all()
