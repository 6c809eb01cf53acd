"""Offices, places, cards and differences, against what the positions themselves say."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from matplotlib.figure import Figure

from jerusalem_env.jerusalem.actions import ACTION_IDS
from jerusalem_env.jerusalem.engine.layout import (
    BARON,
    DRAFT,
    PASS,
    PHASE_BID,
    PHASE_DRAFT,
    PHASE_TURN,
    PLACE,
)
from training.analysis import disagreement, drafts, offices, placement
from training.analysis.board_map import colour_scale, draw_board
from training.analysis.decisions import Decisions


def test_sales__prices_are_the_silver_that_is_gone(alone: Decisions) -> None:
    """Round 1: everybody begins with 12, and nothing is paid but for offices before the draft."""
    sold = offices.sales(alone)
    games, seats = alone.player_rows()
    first = sold.rounds == 1
    price = np.full((len(alone.finals), 4), -9)
    price[games, seats] = np.maximum(sold.prices[first], 0)
    rows = np.flatnonzero((alone.phases == PHASE_DRAFT) & (alone.rounds == 1))
    assert len(rows) == 3 * 3
    assert (alone.mine("silver")[rows] == 12 - price[alone.games[rows], alone.seats[rows]]).all()


def test_sales__every_office_is_held_once_a_round(alone: Decisions) -> None:
    sold = offices.sales(alone)
    assert len(sold.rounds) == 3 * 4 * 5
    for number in range(1, 6):
        held = np.bincount(sold.offices[sold.rounds == number], minlength=4)
        assert (held == 3).all()
    rows = offices.prices(alone)
    assert [row.held["value"] for row in rows] == [0.25] * 20
    assert sum(row.paid["rows"] for row in rows) == (sold.prices >= 0).sum()
    wins = [row.wins["value"] * row.wins["rows"] for row in offices.holders(alone, 3)]
    assert sum(wins) == pytest.approx(3)


def test_stays_in__is_the_share_that_does_not_pass(at_experts: Decisions) -> None:
    found = offices.stays_in(at_experts, office=0, rounds=(1, 2, 3, 4, 5), highest=3)
    states, captain = at_experts.states, at_experts.states["auction_office"] == 0
    rows = (at_experts.phases == PHASE_BID) & captain & at_experts.masks[:, PASS]
    rows &= states["bid"] == 1  # the next bid is 2 or more
    assert found.mine[1]["rows"] == rows.sum() > 0
    assert found.mine[1]["value"] == np.mean(at_experts.actions[rows] != PASS)
    assert found.reference[1]["value"] == np.mean(at_experts.reference_actions[rows] != PASS)


def test_raises__are_at_least_one_silver(at_experts: Decisions) -> None:
    mine, theirs = offices.raises(at_experts)
    assert mine["value"] >= 1.0
    assert theirs["value"] >= 1.0
    assert mine["rows"] == theirs["rows"] > 0


def test_opened__shares_are_of_the_offices_left(alone: Decisions) -> None:
    found = offices.opened(alone)
    assert list(found) == [1, 2, 3, 4, 5]
    # Three auctions a game: what is opened, over all offices, is every auction once.
    opened = sum(share["value"] * share["rows"] for share in found[1])
    assert opened == pytest.approx(9)


def test_placement__counts_every_squire_and_baron(alone: Decisions) -> None:
    placed = placement.counts(alone, PLACE)
    assert placed.shape == (12, 5, 16)
    is_place = (alone.actions >= PLACE) & (alone.actions < PLACE + 16)
    assert placed.sum() == is_place.sum()
    assert placement.counts(alone, BARON).sum(axis=2).max() == 1
    by_area = placement.placed(alone)
    assert sum(x["value"] for x in by_area) == pytest.approx(placed.sum() / (12 * 5))
    use = placement.baron_use(alone)
    total = sum(x["value"] * x["rows"] for x in use["by_round"].values())
    assert total == pytest.approx(sum(x["value"] * x["rows"] for x in use["by_office"].values()))


def test_baron_moments__lie_within_the_turn(alone: Decisions) -> None:
    moments = placement.baron_moments(alone)
    barons = np.flatnonzero((alone.actions >= BARON) & (alone.actions < BARON + 16))
    assert len(moments.share) == len(barons)
    assert moments.share.min() >= 0.0
    assert moments.share.max() <= 1.0
    row = barons[0]
    board = alone.states["board"][row, :, alone.actions[row] - BARON]
    assert moments.own[0] == board[alone.seats[row]] > 0


def test_kept__is_of_the_pools_that_hold_the_card(at_experts: Decisions) -> None:
    for row in drafts.kept(at_experts):
        pool = at_experts.states["pool"][:, row.card] > 0
        there = pool & (at_experts.phases == PHASE_DRAFT)
        assert row.mine["rows"] == there.sum()
        if there.any():
            taken = at_experts.actions[there] == DRAFT + row.card
            assert row.mine["value"] == pytest.approx(taken.mean())
    soon = drafts.played_at_once(at_experts)
    drafted = np.sum((at_experts.actions >= DRAFT) & (at_experts.actions < DRAFT + 14))
    assert sum(x["rows"] for x in soon) == drafted


def test_disagreement__one_of_order_alone_is_told_apart(at_experts: Decisions) -> None:
    turn = np.flatnonzero((at_experts.phases == PHASE_TURN) & (at_experts.rounds == 1))
    first, second = turn[:2]
    assert at_experts.actions[first] != at_experts.actions[turn[-1]]
    reference = at_experts.actions.copy()
    later = turn[(at_experts.games[turn] == at_experts.games[first])][-1]
    reference[first] = at_experts.actions[later]  # the agent does it, but last of all
    reference[second] = ACTION_IDS["hire"]
    made = dataclasses.replace(at_experts, reference_actions=reference)
    assert disagreement.done_later(made)[first]
    assert not disagreement.done_later(made)[second]
    row = disagreement.overall(made)
    assert row.differs["value"] * made.size == pytest.approx(2)
    assert row.never["value"] * made.size == pytest.approx(1)


def test_disagreement__nobody_differs_from_himself(at_experts: Decisions) -> None:
    same = dataclasses.replace(at_experts, reference_actions=at_experts.actions)
    assert all(row.differs["value"] == 0.0 for row in disagreement.by_phase(same))
    assert sum(row.decisions for row in disagreement.by_phase(same)) == same.size
    assert sum(row.decisions for row in disagreement.by_kind(same)) == same.size
    assert disagreement.surest(same, PHASE_TURN, 3) == []
    mine, theirs, shares = disagreement.kinds_table(same, PHASE_TURN)
    assert mine == theirs
    assert np.trace(shares) == pytest.approx(1.0)


def test_surest__are_ordered_and_told_in_a_line(at_experts: Decisions) -> None:
    rows = disagreement.surest(at_experts, PHASE_BID, 2)
    assert 1 <= len(rows) <= 2
    gaps = (at_experts.probabilities - at_experts.reference_probabilities)[rows]
    assert (np.diff(gaps) <= 0).all()
    text = disagreement.describe(at_experts, rows[0])
    assert "bid for" in text
    assert "agent `" in text
    assert "\n" not in text


@pytest.mark.parametrize(("players", "areas"), [(2, 10), (4, 16)])
def test_draw_board__draws_every_area_in_play(players: int, areas: int) -> None:
    ax = Figure().subplots()
    amounts = np.linspace(-1.0, 1.0, 16)
    draw_board(ax, amounts, players, colour_scale([amounts], signed=True), "{:.1f}".format, "x")
    assert len(ax.patches) == areas
    assert sum(text.get_text() == "-1.0" for text in ax.texts) == 1
