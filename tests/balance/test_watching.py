"""What scripted decisions show: auctions, events, rounds, lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jerusalem_env.jerusalem.engine.layout import PHASE_BID, PHASE_OPEN, PHASE_OVER, PHASE_TURN
from jerusalem_env.jerusalem.rules.board import AREAS
from tests.balance.equipment import Watched
from training.balance.simulate import FREE, NOT_IN_PLAY

NO_INCOME: dict[str, Any] = {"income": [[0, 0, 0]] * 16}


def test_auction__prices_and_places() -> None:
    watched = Watched({}, phase="open", round=1, to_act=0)
    watched.play("open admiral", "bid 0", "bid 2", "pass", "pass", "bid 5", "pass")  # seat 0 pays 5
    watched.play("open captain", "bid 0", "pass", "pass")  # seat 1 pays nothing
    watched.play("open marshal", "bid 3", "bid 4", "pass")  # seat 3 pays 4
    games = watched.games
    # captain, treasurer, marshal, admiral; seat 2 is left with the treasurer (R4.10)
    assert games.price[0, 0].tolist() == [0, FREE, 4, 5]
    assert games.place[0, 0].tolist() == [1, 3, 2, 0]
    assert (games.price[0, 1:] == NOT_IN_PLAY).all()
    assert watched.states["silver"].tolist() == [[7, 12, 12, 8]]
    assert watched.states["office"].tolist() == [[3, 0, 1, 2]]
    assert games.decisions[0, PHASE_OPEN] == 3
    assert games.decisions[0, PHASE_BID] == 6 + 3 + 3


def test_auction__without_a_raise_the_opener_pays_his_bid() -> None:
    """A6; with 2 players there is one auction, and two offices are not in play."""
    watched = Watched({"players": 2}, phase="open", round=2, to_act=1)
    watched.play("open marshal", "bid 7", "pass")
    assert watched.games.price[0, 1].tolist() == [NOT_IN_PLAY, NOT_IN_PLAY, 7, FREE]
    assert watched.games.place[0, 1].tolist() == [NOT_IN_PLAY, NOT_IN_PLAY, 0, 1]


def test_choices__are_decisions_with_more_than_one_legal_action() -> None:
    watched = Watched({}, phase="open", round=1, to_act=0, silver=[0, 12, 12, 12])
    watched.play("open admiral", "bid 0")  # without silver 0 is the only bid
    assert watched.games.decisions[0, PHASE_BID] == 1
    assert watched.games.choices[0, PHASE_BID] == 0
    assert watched.games.choices[0, PHASE_OPEN] == 1


def removed(watched: Watched, slot: int = 0) -> list[int]:
    """Squires that each seat lost in the event of round 2 + slot."""
    games = watched.games
    lost = games.before[0, slot].sum(axis=1) - games.after[0, slot].sum(axis=1)
    return [int(x) for x in lost]


def test_succession__removed_and_put_back() -> None:
    """E20: G4 and R3 each save 2 with a baron, Y3 has none."""
    board = {
        "palace.large": [2, 1, 0, 1],
        "palace.left": [1, 2, 0, 1],
        "palace.right": [1, 0, 0, 1],
        "patriarchate.large": [0, 3, 0, 0],
    }
    events, barons = ["succession", "war", "election"], ["palace.left", AREAS[6], None, None]
    watched = Watched(NO_INCOME, events=events, to_act=3, board=board, barons=barons)
    watched.play("pass", "drop palace.left", "drop palace.left")
    watched.play("drop patriarchate.large", "drop patriarchate.large")
    assert watched.states["round"][0] == 3
    assert removed(watched) == [2, 1, 0, 3]
    assert watched.games.answers.tolist() == [[4, 0, 0]]


def test_election__strikes_without_a_decision() -> None:
    board = {"patriarchate.large": [4, 2, 0, 0], "nobility.left": [0, 1, 0, 3]}
    events = ["war", "election", "succession"]
    watched = Watched(NO_INCOME, round=3, events=events, to_act=3, board=board, silver=[0] * 4)
    watched.play("pass", "pass")  # the turn, a theft
    assert watched.states["round"][0] == 4
    assert removed(watched, slot=1) == [2, 0, 0, 2]
    assert watched.games.answers.sum() == 0


def test_tax__removes_what_is_not_paid_for() -> None:
    """E22: Market 7, 4, 2, 1 and silver 4, 3, 0, 1."""
    board = {
        "market.large": [3, 1, 1, 1],
        "market.left": [2, 3, 0, 0],
        "market.right": [2, 0, 1, 0],
    }
    events, silver = ["special_tax", "war", "succession"], [4, 3, 0, 1]
    watched = Watched(NO_INCOME, events=events, to_act=3, board=board, silver=silver)
    large, left, right = (f"keep market.{part}" for part in ("large", "left", "right"))
    watched.play("pass", "pass", large, large, left, right, left, left, left, large)
    assert watched.states["round"][0] == 3
    assert removed(watched) == [3, 1, 2, 0]
    assert watched.games.answers.tolist() == [[8, 0, 0]]


def test_war__counts_own_squires_and_hits() -> None:
    board = {"templars.large": [1, 0, 0, 0], "market.large": [0, 2, 0, 0]}
    events = ["war", "special_tax", "succession"]
    watched = Watched(NO_INCOME, events=events, to_act=3, board=board, silver=[0] * 4)
    watched.play("pass", "target +1 market.large")
    assert watched.states["round"][0] == 3
    assert removed(watched) == [1, 1, 0, 0]
    assert watched.games.answers.tolist() == [[1, 0, 0]]


def test_event__a_move_out_of_the_tower_just_before_it_counts() -> None:
    """The squire that leaves David's Tower for the Palace is among those that succession takes."""
    events, board = ["succession", "war", "election"], {"davids_tower": [2, 0, 0, 0]}
    watched = Watched(NO_INCOME, events=events, to_act=3, board=board, silver=[0] * 4)
    watched.play("pass", "drop palace.large")
    assert watched.states["round"][0] == 3
    assert watched.games.before[0, 0, 0, [0, 15]].tolist() == [1, 1]
    assert removed(watched) == [1, 0, 0, 0]


def test_round__floors_prestige_and_who_is_ahead() -> None:
    """R14.1: seat 2, the treasurer, builds before seat 0, and pays the surcharge."""
    watched = Watched(
        NO_INCOME,
        round=1,
        to_act=3,
        offices=["marshal", "captain", "treasurer", "admiral"],
        prestige=[2, 0, 3, 1],
    )
    watched.play("pass")
    games = watched.games
    assert games.floors[0, 0].tolist() == [1, 0, 1, 0]
    assert games.prestige[0, 0].tolist() == [0, 0, 0, 1]
    assert games.leader[0, 0] == 2  # level with seat 0, but of the lower office (R4.2)
    assert watched.states["opener"][0] == 2


def test_end__the_leader_of_the_last_round_is_the_winner() -> None:
    watched = Watched(NO_INCOME, round=5, to_act=3, floors=[1, 4, 2, 0])
    watched.play("pass")
    assert watched.states["phase"][0] == PHASE_OVER
    assert watched.games.leader[0].tolist() == [-1, -1, -1, -1, 1]
    assert watched.games.decisions[0, PHASE_TURN] == 1
    # Once it is over, nothing more is seen.
    before = watched.games.decisions.copy()
    watched.play("pass")
    np.testing.assert_array_equal(watched.games.decisions, before)


@pytest.mark.parametrize("number", [1, 5])
def test_event__none_in_the_first_and_last_round(number: int) -> None:
    board = {"market.large": [1, 1, 0, 0]}
    watched = Watched(NO_INCOME, round=number, to_act=3, board=board, silver=[0] * 4)
    watched.play("pass")
    assert watched.games.before.sum() == 0
    assert watched.games.after.sum() == 0
