"""What the first three notebooks compute, on numbers that can be checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("openskill")

from training.analysis import arena_figures, balance_figures, style
from training.arena.blocks import GameResults
from training.arena.runner import Settings
from training.arena.statistics import Estimate


def table_of_two(
    winners: list[list[int]], agents: tuple[str, str] = ("a", "b")
) -> arena_figures.Arena:
    """An arena of two entrants: for each deal who won with entrant 0 in seat 0, and in seat 1."""
    settings = Settings(agents, 2, "german", "screen", "table", len(winners), 0)
    lineups = np.tile([[0, 1], [1, 0]], (len(winners), 1))
    wins = (lineups == np.array(winners).reshape(-1, 1)).astype(np.float64)
    games = len(wins)
    results = GameResults(lineups, 2 - wins, wins, np.zeros(games, np.bool_), {}, {})
    return arena_figures.Arena(settings, settings.schedule(), results)


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        ({"value": 0.25, "low": 0.2, "high": 0.3, "games": 9}, (0.25, 0.2, 0.3)),
        (Estimate(0.25, 0.2, 0.3), (0.25, 0.2, 0.3)),
        ((0.25, 0.2, 0.3), (0.25, 0.2, 0.3)),
        ({"value": None, "low": None, "high": None}, (np.nan,) * 3),
        (None, (np.nan,) * 3),
    ],
)
def test_bounds__of_every_kind_of_estimate(estimate: object, expected: tuple[float, ...]) -> None:
    np.testing.assert_equal(style.bounds(estimate), expected)


def test_told__value_unit_and_interval() -> None:
    assert style.told((0.251, 0.238, 0.264), 100, 1, " %") == "25.1 % (23.8 to 26.4)"
    assert style.told((0.02, -0.01, 0.05), 100, 1, sign="+") == "+2.0 (-1.0 to +5.0)"
    assert style.told({"value": 3.0, "low": None, "high": None}, digits=0) == "3"
    assert style.told(None) == "-"


def test_png__same_figure_same_bytes() -> None:
    def drawn() -> bytes:
        figure, axes = style.new_figure(title="A title")
        style.bars(axes[0, 0], range(2), [(1, 0.5, 1.5), None], label="bars")
        style.points(axes[0, 0], range(2), [(1, 0.5, 1.5), None], label="points")
        style.label_axes(axes[0, 0], "panel", "x", "y (silver)")
        return style.png(figure)

    assert drawn() == drawn()


def test_rates__wins_per_seat_on_each_deal() -> None:
    arena = table_of_two([[0, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(arena.rates(), [[1, 0], [0.5, 0.5], [0, 1]])


def test_spreads__alike_games_are_worth_half_and_opposite_ones_everything() -> None:
    alike = table_of_two([[0, 0], [1, 1]] * 50)  # the deal decides who wins
    seats = table_of_two([[0, 1], [0, 1]] * 50)  # the seat decides who wins
    assert arena_figures.spreads(alike, 200)[0].saved == pytest.approx(0.5, rel=0.02)
    assert arena_figures.spreads(seats, 200)[0].rotated == 0.0


def test_coverage__by_game_is_too_narrow_where_the_deal_decides() -> None:
    rng = np.random.default_rng(0)
    winners = np.repeat(rng.integers(0, 2, (4_000, 1)), 2, axis=1)
    found = arena_figures.coverage(table_of_two(winners.tolist()), 40)
    assert len(found.by_deal) == 100
    assert found.covered(found.by_deal) >= 0.9
    assert found.covered(found.as_games) < 0.9
    assert found.corrected.sum() <= found.plain.sum()


def test_best_of__is_better_than_each() -> None:
    rng = np.random.default_rng(0)
    arena = table_of_two(rng.integers(0, 2, (2_000, 2)).tolist())
    best = arena_figures.best_of(arena, deals=10, candidates=10)
    assert len(best) == 20
    assert best.mean() > 0.6


def test_paired_gain__none_without_correlation_all_with_it() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.random(5_000), rng.random(5_000)
    correlation, error = arena_figures.paired_gain(one, other)
    assert abs(correlation) < 0.05
    assert error == pytest.approx(1.0, abs=0.03)
    assert arena_figures.paired_gain(one, one + 1.0) == pytest.approx((1.0, 0.0))


def test_power__a_sure_difference_is_always_found() -> None:
    arena = table_of_two([[0, 0], [0, 0], [0, 1], [0, 0]] * 20)
    (found,) = arena_figures.power(arena, 0, 1, [40])
    assert found.value == 1.0


@pytest.mark.slow
def test_play_condition__same_deals_for_called_and_compiled_agents() -> None:
    expert = balance_figures.play_condition("expert", 2, games=4, seed=3)
    again = balance_figures.play_condition("expert", 2, games=4, seed=3)
    ppo = balance_figures.play_condition("ppo", 2, games=4, seed=3)
    assert expert.numbers == again.numbers
    for field in ("opener",):
        np.testing.assert_array_equal(getattr(expert.games, field), getattr(ppo.games, field))
    np.testing.assert_array_equal(expert.games.finals["events"], ppo.games.finals["events"])
    rates = balance_figures.office_wins(expert.games)
    assert list(rates) == ["marshal", "admiral"]
    for number in range(5):
        assert sum(rates[name][number]["value"] for name in rates) == pytest.approx(1.0)


@pytest.mark.slow
def test_play_arena__is_what_the_command_plays() -> None:
    arena = arena_figures.play_arena(["greedy", "random"], deals=4, players=2, seed=1)
    assert arena.summary.format == "table"
    assert arena.games == 8
    assert arena.rates().mean(axis=0) == pytest.approx(
        [x.win_rate.value for x in arena.summary.standings]
    )
