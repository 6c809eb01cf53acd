"""Who sits where: every entrant equally often in every seat, in every circular order."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from training.arena.playing import EvaluationError
from training.arena.schedule import default_format, entrant_names, make_schedule


def test_fixed__in_all_rotations() -> None:
    schedule = make_schedule("fixed", 4, 4)
    lineups = schedule.lineups(np.arange(2))
    assert lineups.shape == (2, 4, 4)
    np.testing.assert_array_equal(
        lineups[1], [[0, 1, 2, 3], [3, 0, 1, 2], [2, 3, 0, 1], [1, 2, 3, 0]]
    )


@pytest.mark.parametrize(
    ("form", "entrants"), [("table", 4), ("fixed", 4), ("round-robin", 6), ("duel", 3)]
)
def test_schedule__every_entrant_is_in_every_seat_equally_often_on_every_deal(
    form: str, entrants: int
) -> None:
    schedule = make_schedule(form, entrants, 4)
    lineups = schedule.lineups(np.arange(7))
    assert lineups.shape == (7, schedule.games_per_deal, 4)
    for deal in lineups:
        for seat in range(4):
            counts = Counter(deal[:, seat].tolist())
            assert len(counts) == entrants
            assert len(set(counts.values())) == 1


def test_table__in_every_circular_order() -> None:
    """Neighbours matter: each of the 6 orders of 4 comes in turn."""
    lineups = make_schedule("table", 4, 4).lineups(np.arange(6))
    assert {tuple(deal[0]) for deal in lineups.tolist()} == {
        (0, *rest) for rest in permutations((1, 2, 3))
    }
    assert len(make_schedule("table", 2, 2).orders) == 1


def test_round_robin__every_combination_in_every_circular_order() -> None:
    """15 tables of 4 among 6; the (n - 1)! = 6 orders come in turn."""
    schedule = make_schedule("round-robin", 6, 4)
    assert (len(schedule.tables), schedule.games_per_deal) == (15, 60)
    assert len({tuple(table) for table in schedule.tables.tolist()}) == 15
    lineups = schedule.lineups(np.arange(12)).reshape(12, 15, 4, 4)
    for table in range(15):
        circles = []
        for deal in range(12):
            seated = lineups[deal, table, 0].tolist()
            assert sorted(seated) == sorted(schedule.tables[table].tolist())
            first = seated.index(min(seated))
            circles.append(tuple(seated[first:] + seated[:first]))
        assert circles[:6] == circles[6:]
        assert len(set(circles)) == 6


def test_duel__every_ordered_pair() -> None:
    schedule = make_schedule("duel", 3, 4)
    assert {tuple(table) for table in schedule.tables.tolist()} == {
        (one, other, other, other) for one in range(3) for other in range(3) if one != other
    }
    assert schedule.tables_of_games().tolist() == [table for table in range(6) for _ in range(4)]


def test_duel__of_two_seats_is_the_same_both_ways() -> None:
    schedule = make_schedule("duel", 3, 2)
    assert schedule.tables.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert schedule.games_per_deal == 6


@pytest.mark.parametrize(
    ("entrants", "players", "form"),
    [
        (1, 4, "table"),
        (4, 4, "table"),
        (2, 2, "table"),
        (2, 4, "duel"),
        (3, 4, "duel"),
        (5, 4, "round-robin"),
    ],
)
def test_default_format(entrants: int, players: int, form: str) -> None:
    assert default_format(entrants, players) == form


@pytest.mark.parametrize(
    ("form", "entrants", "message"),
    [
        ("table", 3, "a table of 4 needs 4 agents, got 3"),
        ("round-robin", 3, "at least 4 agents"),
        ("duel", 1, "at least 2 agents"),
        ("league", 4, "unknown format 'league'"),
    ],
)
def test_schedule__refuses_what_it_cannot_seat(form: str, entrants: int, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        make_schedule(form, entrants, 4)


def test_entrant_names__number_repeated_ones() -> None:
    assert entrant_names(["a", "b", "a", "a"]) == ("a", "b", "a (2)", "a (3)")
