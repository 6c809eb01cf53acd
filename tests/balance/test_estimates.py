"""Rates and means with their intervals."""

from __future__ import annotations

import numpy as np
import pytest

from training.balance.estimates import difference, histogram, mean, nothing, rate, ratio


def flags(hits: int, games: int) -> np.ndarray:
    return np.arange(games) < hits


def test_rate__is_wilsons_interval() -> None:
    # 10 of 100, worked out by hand from Wilson's formula with z = 1.96
    assert rate(flags(10, 100)) == {
        "value": 0.1,
        "low": pytest.approx(0.05523, abs=1e-5),
        "high": pytest.approx(0.17437, abs=1e-5),
        "games": 100,
    }


@pytest.mark.parametrize(("hits", "bound"), [(0, "low"), (50, "high")])
def test_rate__bounds_stay_within_0_and_1(hits: int, bound: str) -> None:
    found = rate(flags(hits, 50))
    assert found[bound] == found["value"] == hits / 50
    assert 0 < found["high"] <= 1
    assert 0 <= found["low"] < 1


def test_mean__is_the_normal_interval() -> None:
    found = mean(np.array([1.0, 2.0, 3.0, 4.0]))
    half = 1.959964 * np.sqrt(5 / 3) / 2
    assert found["value"] == 2.5
    assert found["low"] == pytest.approx(2.5 - half, abs=1e-5)
    assert found["high"] == pytest.approx(2.5 + half, abs=1e-5)
    assert mean(np.array([0, 0, 0, 9]), lowest=0)["low"] == 0


def test_mean__of_one_game_has_no_interval() -> None:
    assert mean(np.array([3])) == {"value": 3.0, "low": None, "high": None, "games": 1}


def test_ratio__of_equal_games_has_no_spread() -> None:
    assert ratio(np.array([1, 2, 3]), np.array([2, 4, 6])) == {
        "value": 0.5,
        "low": 0.5,
        "high": 0.5,
        "games": 3,
    }


def test_ratio__covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        wholes = rng.integers(1, 9, 200)
        found = ratio(rng.binomial(wholes, 0.3), wholes)
        covered += found["low"] <= 0.3 <= found["high"]
    assert 0.92 <= covered / 400 <= 0.98


def test_difference__is_newcombes_interval() -> None:
    # Newcombe (1998), table II, example (a): 56/70 less 48/80, method 10
    found = difference(flags(56, 70), flags(48, 80))
    assert found["value"] == pytest.approx(0.2)
    assert found["low"] == pytest.approx(0.0524, abs=1e-4)
    assert found["high"] == pytest.approx(0.3339, abs=1e-4)
    assert found["games"] == 150


def test_estimates__of_no_game_say_nothing() -> None:
    none = np.zeros(0, dtype=np.bool_)
    assert rate(none) == mean(none) == ratio(none, none) == difference(none, none) == nothing()
    assert difference(flags(1, 2), none) == nothing()


def test_histogram__counts_from_first_to_last() -> None:
    assert histogram(np.array([[2, 4], [4, 5]]), 2, 6) == [1, 0, 2, 1, 0]
