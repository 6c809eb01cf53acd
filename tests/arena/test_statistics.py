"""The arena's arithmetic on made-up results."""

from __future__ import annotations

import json
from math import erfc

import numpy as np
import pytest
from openskill.models import PlackettLuce

from training.arena import ratings, report
from training.arena.blocks import GameResults, join_results
from training.arena.ratings import CHANCE_LEVEL, rate_entrants, rate_games
from training.arena.schedule import Schedule, make_schedule
from training.arena.statistics import (
    FEWEST_DEALS,
    Estimate,
    Summary,
    deals_needed,
    holm,
    judge,
    resampled_means,
    share_interval,
    sign_flip_p_values,
    summarise,
)
from training.evaluate import win_interval


def made_up(schedule: Schedule, ranks: np.ndarray, **amounts: np.ndarray) -> GameResults:
    """Results with ranks (D, P, n) by seat."""
    n = schedule.players
    deals = len(ranks)
    ranks = ranks.reshape(-1, n).astype(np.float64)
    return GameResults(
        lineups=schedule.lineups(np.arange(deals)).reshape(-1, n),
        ranks=ranks,
        wins=(ranks == 1).astype(np.float64),
        truncated=np.zeros(len(ranks), dtype=np.bool_),
        amounts={name: values.reshape(-1, n) for name, values in amounts.items()},
        labels={"shirt": np.tile(np.resize(["red", "blue"], n), (len(ranks), 1))},
    )


def two_players() -> Summary:
    """Three deals, two rotations: entrant 0 wins both, one, one game (in seats 0 and 1)."""
    schedule = make_schedule("table", 2, 2)
    # By seat; in rotation 1 entrant 0 sits in seat 1.
    ranks = np.array([[[1, 2], [2, 1]], [[1, 2], [1, 2]], [[2, 1], [2, 1]]])
    points = np.array([[[5, 3], [2, 6]], [[4, 3], [7, 1]], [[2, 8], [0, 4]]], dtype=np.float64)
    return summarise(made_up(schedule, ranks, points=points), schedule, ("a", "b"), seed=0)


def test_standings__by_hand() -> None:
    summary = two_players()
    a, b = summary.standings
    assert (summary.deals, summary.games, summary.chance) == (3, 6, 0.5)
    assert (a.name, a.wins, a.seats, b.wins) == ("a", 4.0, 6, 2.0)
    assert a.win_rate == Estimate(*win_interval(np.array([2, 1, 1]), 2))
    assert a.win_rate.value == pytest.approx(4 / 6)
    assert a.mean_rank.value == pytest.approx((1 + 1 + 1 + 2 + 2 + 1) / 6)
    assert b.mean_rank.value == pytest.approx(3 - a.mean_rank.value)
    assert a.amounts["points"].value == pytest.approx((5 + 6 + 4 + 1 + 2 + 4) / 6)
    assert b.amounts["points"].value == pytest.approx((3 + 2 + 3 + 7 + 8 + 0) / 6)
    for x in (*a.amounts.values(), a.mean_rank, *b.amounts.values(), b.mean_rank):
        assert x.low <= x.value <= x.high
    # Deal means of a's rank are 1, 1.5, 1.5: no resample is outside them.
    assert (a.mean_rank.low, a.mean_rank.high) == (1.0, 1.5)


def test_breakdowns__by_hand() -> None:
    summary = two_players()
    a, b = summary.standings
    assert [x.value for x in a.by_seat] == pytest.approx([2 / 3, 2 / 3])
    assert [x.value for x in b.by_seat] == pytest.approx([1 / 3, 1 / 3])
    # Seat 0 wears red, seat 1 blue.
    red = summary.breakdowns["shirt"]["red"]
    assert [share.seats for share in red] == [3, 3]
    assert red[0].win_rate is not None
    assert red[0].win_rate.value == pytest.approx(2 / 3)


def test_summary__is_json_and_text() -> None:
    summary = two_players()
    assert json.loads(json.dumps(summary.to_dict(), allow_nan=False))["games"] == 6
    text = report.text(summary, "Title", "Closing.", brief=True)
    assert "66.7%" in text
    assert "wins by shirt" in text
    assert "not distinguishable: only 3 deals, at least 50 are needed" in text


def test_truncated_games__have_no_winner_and_no_amounts() -> None:
    schedule = make_schedule("table", 2, 2)
    results = made_up(schedule, np.array([[[1, 2], [2, 1]]] * 3), points=np.ones((3, 2, 2)))
    cut = GameResults(
        lineups=results.lineups[:2],
        ranks=np.full((2, 2), 1.5),
        wins=np.zeros((2, 2)),
        truncated=np.ones(2, dtype=np.bool_),
        amounts={},
        labels={"shirt": np.full((2, 2), "")},
    )
    joined = join_results([results, cut])
    assert np.isnan(joined.amounts["points"][6:]).all()
    summary = summarise(joined, schedule, ("a", "b"), seed=0)
    assert (summary.truncated, summary.games) == (2, 8)
    a = summary.standings[0]
    assert a.win_rate.value == pytest.approx(6 / 8)
    assert a.mean_rank.value == pytest.approx((6 * 1 + 2 * 1.5) / 8)
    assert a.amounts["points"].value == 1.0
    assert sum(share[0].seats for share in summary.breakdowns["shirt"].values()) == 6
    only = summarise(join_results([cut, cut]), schedule, ("a", "b"), seed=0)
    assert only.standings[0].amounts == {}
    json.dumps(only.to_dict(), allow_nan=False)


def test_duels__matrix_and_rates_by_seat() -> None:
    """Entrant 0 alone wins every game, entrant 1 alone one game in four."""
    schedule = make_schedule("duel", 2, 4)
    ranks = np.zeros((60, 8, 4))
    others = {0: [1, 2, 3], 1: [0, 2, 3], 2: [0, 1, 3], 3: [0, 1, 2]}
    lineups = schedule.lineups(np.arange(60))
    for game in range(8):
        alone = int(np.flatnonzero(lineups[0, game] == (0 if game < 4 else 1))[0])
        winner = alone if game <= 4 else others[alone][0]
        ranks[:, game, winner] = 1
        ranks[:, game, others[winner]] = [2, 3, 4]
    summary = summarise(made_up(schedule, ranks), schedule, ("a", "b"), seed=0)
    a, b = summary.standings
    assert summary.duels[0][0] is None
    assert summary.duels[0][1] == Estimate(*win_interval(np.full(60, 4), 4))
    assert summary.duels[1][0] is not None
    assert summary.duels[1][0].value == 0.25
    # a won 4 + 3 games of a deal in 4 + 12 seats, b 0 + 1 in 12 + 4.
    assert a.win_rate.value == pytest.approx(7 / 16)
    assert b.win_rate.value == pytest.approx(1 / 16)
    assert a.wins + b.wins == summary.games
    (comparison,) = summary.comparisons
    assert comparison.verdict == "above"
    assert comparison.difference.value == pytest.approx(6 / 16)


def test_share_interval__is_win_interval_where_all_deals_have_as_many_seats() -> None:
    wins = np.random.default_rng(0).binomial(4, 0.3, 200)
    share = share_interval(wins, np.full(200, 4))
    expected = win_interval(wins, 4)
    assert (share.value, share.low, share.high) == pytest.approx(expected, abs=1e-12)


def test_share_interval__deals_without_a_seat_count_for_nothing() -> None:
    wins, seats = np.array([1, 0, 2, 0, 1]), np.array([2, 0, 3, 0, 1])
    few = share_interval(wins, seats)
    assert few == share_interval(wins[seats > 0], seats[seats > 0])
    assert few.value == pytest.approx(4 / 6)


def test_resampled_means__whole_deals() -> None:
    sums = np.array([[0.0, 0.0], [4.0, 8.0]])
    means = resampled_means(sums, np.full((2, 2), 4.0), np.random.default_rng(0), 400)
    assert set(means[:, 0].tolist()) == {0.0, 0.5, 1.0}
    np.testing.assert_array_equal(means[:, 1], 2 * means[:, 0])  # the same deals in both
    assert means[:, 0].mean() == pytest.approx(0.5, abs=0.05)


def test_sign_flips__by_hand() -> None:
    """Five deals all won: 2 of the 32 signs reach that; no difference is none."""
    differences = np.stack([np.ones(5), np.zeros(5)], axis=1)
    p_values = sign_flip_p_values(differences, np.random.default_rng(0))
    assert p_values[0] == pytest.approx(2 / 32, abs=0.01)
    assert p_values[1] == 1.0


def test_sign_flips__go_over_into_their_normal_limit() -> None:
    rng = np.random.default_rng(1)
    half = rng.normal(0.05, 1.0, (1500, 4))
    many = np.concatenate([half, half])  # 3,000 deals: the limit
    flipped = sign_flip_p_values(half, np.random.default_rng(2))
    limit = sign_flip_p_values(many, np.random.default_rng(2))
    z = np.abs(half.sum(axis=0)) / np.sqrt((half**2).sum(axis=0))
    np.testing.assert_allclose(flipped, [erfc(x / np.sqrt(2)) for x in z], atol=0.02)
    # The same deals twice: z grows by sqrt(2).
    np.testing.assert_allclose(limit, [erfc(x) for x in z], atol=1e-12)


def test_holm__by_hand() -> None:
    adjusted = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    np.testing.assert_allclose(adjusted, [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm(np.array([0.9, 0.8])), [1.0, 1.0])


def test_holm__rarely_cries_wolf() -> None:
    """28 comparisons of equals at 5 %: hardly ever a difference, but often one without it."""
    rng = np.random.default_rng(11)
    with_holm = without = 0
    for _ in range(12):
        rates = rng.normal(size=(8, 60))
        pairs = [rates[i] - rates[j] for i in range(8) for j in range(i)]
        p_values = sign_flip_p_values(np.array(pairs).T, rng)
        without += int(p_values.min() < 0.05)
        with_holm += int(holm(p_values).min() < 0.05)
    assert with_holm <= 2 < without


@pytest.mark.parametrize(
    ("low", "high", "adjusted", "deals", "verdict", "reason"),
    [
        (0.1, 0.3, 0.001, 100, "above", ""),
        (-0.3, -0.1, 0.001, 100, "below", ""),
        (-0.1, 0.3, 0.001, 100, "not distinguishable", "the interval holds 0"),
        (0.0, 0.3, 0.001, 100, "not distinguishable", "the interval holds 0"),
        (0.1, 0.3, 0.06, 100, "not distinguishable", "chance among so many comparisons"),
        (0.1, 0.3, 0.001, FEWEST_DEALS - 1, "not distinguishable", "at least 50"),
    ],
)
def test_verdict(
    low: float, high: float, adjusted: float, deals: int, verdict: str, reason: str
) -> None:
    difference = Estimate((low + high) / 2, low, high)
    found = judge("a", "b", difference, adjusted, adjusted, deals, 5_000)
    assert found.verdict == verdict
    assert reason in found.reason
    assert ("takes about 5,000 deals" in found.reason) == (verdict == "not distinguishable")


def test_few_deals__are_never_called_a_difference() -> None:
    """However clear: 49 deals, all won."""
    schedule = make_schedule("table", 2, 2)
    for deals in (FEWEST_DEALS - 1, FEWEST_DEALS):
        ranks = np.tile(np.array([[[1, 2], [2, 1]]]), (deals, 1, 1))
        summary = summarise(made_up(schedule, ranks), schedule, ("a", "b"), seed=0)
        (comparison,) = summary.comparisons
        clear = deals >= FEWEST_DEALS
        assert comparison.verdict == ("above" if clear else "not distinguishable")
        text = report.text(summary, "", "", brief=False)
        assert ("a above b" in text) == clear


def test_deals_needed__by_hand() -> None:
    differences = np.array([1.0, -1.0, 1.0, -1.0, 1.0])  # mean 0.2, standard deviation 1.0954
    # (2.8016 * 1.0954 / 0.2)^2 = 235.5
    assert deals_needed(differences) == 240
    assert deals_needed(np.array([1.0, -1.0])) is None
    assert deals_needed(np.ones(10)) == FEWEST_DEALS


# --- ratings ------------------------------------------------------------------------------------
def test_ratings__put_the_better_first() -> None:
    lineups = np.tile(np.arange(4), (50, 1))
    ranks = np.tile([2.0, 1.0, 4.0, 3.0], (50, 1))
    mu, sigma = rate_games(lineups, ranks, 4)
    assert np.argsort(-mu).tolist() == [1, 0, 3, 2]
    assert mu[0] > CHANCE_LEVEL > mu[3]
    assert (sigma < 25 / 3).all()


def test_ratings__equal_ranks_and_equal_players_stay_at_25() -> None:
    lineups = np.tile(np.arange(4), (20, 1))
    mu, _ = rate_games(lineups, np.full((20, 4), 2.5), 4)
    np.testing.assert_allclose(mu, CHANCE_LEVEL, atol=1e-9)


def test_ratings__copies_go_on_with_their_mean() -> None:
    """One game of a alone against three copies of b, by hand with the library."""
    model = PlackettLuce(tau=0.0)
    after = model.rate([[model.rating()] for _ in range(4)], ranks=[2.0, 1.0, 3.0, 4.0])
    mu, sigma = rate_games(np.array([[0, 1, 1, 1]]), np.array([[2.0, 1.0, 3.0, 4.0]]), 2)
    assert mu[0] == pytest.approx(after[0][0].mu)
    assert mu[1] == pytest.approx(np.mean([team[0].mu for team in after[1:]]))
    assert sigma[1] == pytest.approx(np.mean([team[0].sigma for team in after[1:]]))


def test_ratings__have_intervals_unless_they_take_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    lineups = np.tile(np.arange(2), (30, 2, 1))
    ranks = np.argsort(rng.random((30, 2, 2)), axis=2) + 1.0
    found = rate_entrants(lineups, ranks, 2, np.random.default_rng(1))
    assert found == rate_entrants(lineups, ranks, 2, np.random.default_rng(1))
    for rating in found:
        assert rating.low is not None
        assert rating.high is not None
        assert rating.low < rating.mu < rating.high
    monkeypatch.setattr(ratings, "_RATED_GAMES", 100)
    assert rate_entrants(lineups, ranks, 2, rng)[0].low is None
