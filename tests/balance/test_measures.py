"""What is made of the games: small ones by hand, then what must hold for any number of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.registry import make_agent
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from training.balance.building import first_builders, gift
from training.balance.events import controllers, events, tied
from training.balance.measures import floors, measure, seats
from training.balance.simulate import (
    FREE,
    NOT_IN_PLAY,
    ROUNDS,
    BalanceError,
    Games,
    new_games,
    policy_of,
    simulate,
)

GAMES = 60


def by_hand(players: int, games: int) -> Games:
    return new_games(JerusalemGame(players, skip_forced=False), games)


def test_first_builders__player_order_decides_within_a_round() -> None:
    """F2 with more rounds: seat 1 holds the lower office in round 1, seat 0 in round 2."""
    heights = np.zeros((1, ROUNDS, 2), dtype=np.int64)
    heights[0, 0] = [1, 2]
    heights[0, 1:] = [4, 3]
    offices = np.zeros((1, ROUNDS, 2), dtype=np.int64)
    offices[0, 0] = [3, 2]
    offices[0, 1:] = [2, 3]
    rounds, builders = first_builders(heights, offices)
    assert rounds.tolist() == [[0, 0, 1, 1]]
    assert builders.tolist() == [[1, 1, 0, 0]]


def test_first_builders__of_floors_that_nobody_has() -> None:
    heights = np.zeros((2, ROUNDS, 2), dtype=np.int64)
    heights[0, 4] = [0, 2]
    offices = np.broadcast_to([2, 3], heights.shape)
    rounds, builders = first_builders(heights, offices)
    assert rounds.tolist() == [[4, 4], [-1, -1]]
    assert builders.tolist() == [[1, 1], [-1, -1]]


def test_gift__f3() -> None:
    assert gift(np.array([[3, 3, 1]]), True).tolist() == [[1, 1, 0]]
    assert gift(np.array([[5, 2, 2]]), True).tolist() == [[3, 0, 0]]
    assert gift(np.array([[0, 0, 0]]), True).tolist() == [[1, 1, 1]]  # A42
    assert gift(np.array([[0, 0, 0]]), False).tolist() == [[0, 0, 0]]


def test_controllers__e4() -> None:
    board = np.zeros((1, 3, 16), dtype=np.int16)  # seats B R Y
    board[0, :, 6], board[0, :, 7], board[0, :, 8] = [0, 2, 2], [0, 1, 2], [1, 0, 0]
    found = controllers(board, np.array([[0, 1, 2]]))
    assert found[0, 6:9].tolist() == [1, 2, 0]
    assert (np.delete(found[0], [6, 7, 8]) == -1).all()
    assert np.flatnonzero(tied(board)[0]).tolist() == [6]


def test_floors__what_decided_the_game() -> None:
    games = by_hand(2, 4)
    games.floors[:, -1] = [[3, 2], [3, 3], [3, 3], [1, 4]]
    games.prestige[:, -1] = [[0, 1], [0, 1], [1, 1], [2, 0]]
    games.finals["ranking"][:, :2] = [[0, 1], [1, 0], [0, 1], [1, 0]]
    found = floors(games)
    assert {name: x["value"] for name, x in found["decided_by"].items()} == {
        "floors": 0.5,
        "prestige": 0.25,
        "office": 0.25,
    }
    assert found["all"]["counts"] == [0, 1, 1, 5, 1]
    assert found["winner"]["counts"] == [0, 0, 0, 3, 1]
    assert found["margin"]["counts"] == [2, 1, 0, 1]
    assert found["margin"]["mean"]["value"] == 1.0


def test_seats__relative_to_the_opener_and_by_last_office() -> None:
    games = by_hand(3, 4)
    games.opener[:] = [0, 1, 2, 2]
    games.finals["winner"] = [1, 2, 0, 2]
    games.finals["office_log"][:, -1, :3] = [[1, 2, 3]] * 4
    found = seats(games)
    assert [x["value"] for x in found["by_seat"]] == [0.25, 0.25, 0.5]
    assert [x["value"] for x in found["from_opener"]] == [0.25, 0.75, 0.0]
    assert {name: x["value"] for name, x in found["by_last_office"].items()} == {
        "treasurer": 0.25,
        "marshal": 0.25,
        "admiral": 0.5,
    }


def test_events__squires_control_and_the_leaders_chances() -> None:
    """War in round 2 of two games out of four; seat 0 is ahead before and wins one of each two."""
    games = by_hand(2, 4)
    games.finals["events"] = [[3, 0, 2], [3, 0, 2], [2, 3, 0], [0, 3, 2]]
    games.finals["winner"] = [0, 1, 0, 0]
    games.finals["office_log"][:, :, :2] = [2, 3]
    games.leader[:] = 0
    games.before[:2, 0, 0, 3], games.before[:2, 0, 1, 3] = 4, 1
    games.before[:2, 0, 1, 0] = 3  # Palace
    games.after[:2, 0, 1, 0] = 2
    games.answers[:2, 0] = [1, 1]
    games.before[2:, 1] = games.before[:2, 0]
    games.after[2:, 1] = games.after[:2, 0]
    war = events(games)["war"]
    assert war["struck"] == {"2": 2, "3": 2, "4": 0}
    removed = {name: war["removed"][name]["value"] for name in ("total", "leader", "other")}
    assert removed == {"total": 6.0, "leader": 4.0, "other": 2.0}
    assert war["removed"]["share"]["value"] == 0.75
    assert war["removed"]["by_round"]["4"]["value"] is None
    assert war["answers"]["value"] == 0.5
    control = {name: x if name == "areas" else x["value"] for name, x in war["control"].items()}
    assert control == {
        "areas": 3,
        "before": 1.0,
        "after": 0.0,
        "to_another": 0.0,
        "to_nobody": 1.0,
        "tied_before": 0.0,
        "tied_after": 0.0,
        "leader_before": 1.0,
        "leader_after": None,
    }
    chances = war["leader_wins"]["2"]["revealed"]
    assert [chances[name]["value"] for name in ("with", "without", "change")] == [0.5, 1.0, -0.5]


# --- many games ------------------------------------------------------------------------------
@pytest.fixture(scope="module", params=[2, 3, 4])
def played(request: pytest.FixtureRequest) -> tuple[Games, dict[str, Any]]:
    game = JerusalemGame(rules=RuleSet(players=request.param), skip_forced=False)
    games = simulate(game, policy_of(make_agent("greedy")), GAMES, seed=5)
    return games, measure(games)


def test_simulate__auctions(played: tuple[Games, dict[str, Any]]) -> None:
    games, numbers = played
    n = games.players
    assert sum(row["auctions"] for row in numbers["prices"]) == (n - 1) * ROUNDS * GAMES  # R4.11
    in_play = games.price[:, :, 4 - n :]
    assert (games.price[:, :, : 4 - n] == NOT_IN_PLAY).all()
    assert (in_play >= FREE).all()
    np.testing.assert_array_equal((in_play == FREE).sum(axis=2), np.ones((GAMES, ROUNDS)))
    places = np.sort(games.place[:, :, 4 - n :], axis=2)
    np.testing.assert_array_equal(places, np.broadcast_to(np.arange(n), places.shape))
    for row in numbers["prices"]:
        assert sum(share["value"] for share in row["place"]) == pytest.approx(1, abs=1e-5)


def test_simulate__rates_sum_to_1(played: tuple[Games, dict[str, Any]]) -> None:
    games, numbers = played
    for name in ("by_seat", "from_opener"):
        total = sum(x["value"] for x in numbers["seats"][name])
        assert total == pytest.approx(1, abs=1e-5)
    for shares in (numbers["seats"]["by_last_office"], numbers["floors"]["decided_by"]):
        assert sum(x["value"] for x in shares.values()) == pytest.approx(1, abs=1e-5)
    assert sum(numbers["floors"]["all"]["counts"]) == GAMES * games.players
    assert sum(numbers["floors"]["winner"]["counts"]) == GAMES
    assert sum(numbers["floors"]["margin"]["counts"]) == GAMES


def test_simulate__lengths_are_the_engines(played: tuple[Games, dict[str, Any]]) -> None:
    games, numbers = played
    np.testing.assert_array_equal(games.decisions.sum(axis=1), games.finals["decisions"])
    assert (games.choices <= games.decisions).all()
    assert sum(numbers["length"]["all"]["histogram"]["counts"]) == GAMES
    parts = sum(x["all"]["value"] for x in numbers["length"]["by_phase"].values())
    assert parts == pytest.approx(numbers["length"]["all"]["mean"]["value"], abs=1e-4)


def test_simulate__rounds_and_events(played: tuple[Games, dict[str, Any]]) -> None:
    games, numbers = played
    n = games.players
    np.testing.assert_array_equal(games.floors[:, -1], games.finals["floors"][:, :n])
    np.testing.assert_array_equal(games.prestige[:, -1], games.finals["prestige"][:, :n])
    np.testing.assert_array_equal(games.leader[:, -1], games.winner)
    assert (np.diff(games.floors, axis=1) >= 0).all()  # I13
    lost = games.before.sum(axis=3) - games.after.sum(axis=3)
    assert (lost >= 0).all()  # I8
    kinds = games.finals["events"]
    assert (games.after[kinds == 0][:, :, 0:3].sum(axis=2) <= 2).all()  # I9
    assert (games.after[kinds == 3][:, :, 3:6] == 0).all()  # I12
    for effect in numbers["events"].values():
        assert effect["removed"]["total"]["games"] == sum(effect["struck"].values())


def test_simulate__first_builders_paid_the_surcharges(
    played: tuple[Games, dict[str, Any]],
) -> None:
    """A surcharge for each floor number up to the highest, each paid once (I13)."""
    games, numbers = played
    rounds, builders = first_builders(games.floors, games.offices)
    highest = games.floors[:, -1].max(axis=1)
    np.testing.assert_array_equal((rounds >= 0).sum(axis=1), highest)
    every = np.arange(GAMES)
    for column in range(rounds.shape[1]):
        there = every[rounds[:, column] >= 0]
        reached = games.floors[there, rounds[there, column], builders[there, column]]
        assert (reached > column).all()
    share = highest.sum() / games.floors[:, -1].sum()
    assert numbers["building"]["share_first"]["value"] == pytest.approx(share, abs=1e-5)


def test_simulate__threads_and_batches_change_nothing(
    played: tuple[Games, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    games, _ = played
    game = JerusalemGame(games.players, skip_forced=False)
    policy = policy_of(make_agent("greedy"))
    monkeypatch.setattr("training.balance.simulate.BATCH", 17)
    again = simulate(game, policy, GAMES - 1, seed=5, threads=2)
    for name, kept, new in zip(Games._fields, games, again, strict=True):
        assert np.array_equal(kept[:-1], new), name


def test_simulate__refuses_what_cannot_be_reported() -> None:
    policy = policy_of(make_agent("random"))
    with pytest.raises(BalanceError, match="skip_forced=True"):
        simulate(JerusalemGame(2), policy, 5, seed=0)
    short = JerusalemGame(rules=RuleSet(players=2, rounds=3), skip_forced=False)
    with pytest.raises(BalanceError, match="3 rounds"):
        simulate(short, policy, 5, seed=0)
    with pytest.raises(BalanceError, match="at least 2"):
        simulate(JerusalemGame(2, skip_forced=False), policy, 1, seed=0)


def test_compiled_policy__says_who_has_none() -> None:
    class Slow:
        name = "slow"

        def reset(self, seed: int) -> None: ...

        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return np.zeros(len(views), dtype=np.int64)

    with pytest.raises(BalanceError, match="slow has no compiled policy"):
        policy_of(Slow())
