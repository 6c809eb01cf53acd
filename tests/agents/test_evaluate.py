"""Paired deals: the arithmetic on made-up results, coverage, seats, errors, the command."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from jerusalem_env import RuleSet
from jerusalem_env.jerusalem.game import JerusalemGame
from training.evaluate import (
    EvaluationError,
    TablesResult,
    evaluate,
    main,
    play,
    play_tables,
    win_interval,
)

SHORT = RuleSet(players=4, rounds=1)


def wilson(p: float, n: float) -> tuple[float, float]:
    """Wilson's interval in its textbook form."""
    z = 1.959963984540054
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return middle - half, middle + half


class Scripted:
    """Wins or loses by arrangement: always the first, or always the last legal action."""

    def __init__(self, name: str, last: bool) -> None:
        self.name, self.last = name, last

    def reset(self, seed: int) -> None:
        """Nothing to restart."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        if self.last:
            return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return masks.argmax(axis=1)


def test_interval__equals_wilson_when_games_of_a_deal_are_independent() -> None:
    rng = np.random.default_rng(0)
    wins = rng.binomial(4, 0.3, size=5000)
    rate, low, high = win_interval(wins, 4)
    expected = wilson(rate, 20_000)
    assert (low, high) == pytest.approx(expected, abs=5e-4)


def test_interval__takes_the_deal_as_the_unit() -> None:
    """All four games of a deal won or lost together: as wide as for the number of deals."""
    wins = np.array([4] * 30 + [0] * 70)
    rate, low, high = win_interval(wins, 4)
    assert rate == pytest.approx(0.3)
    assert (low, high) == pytest.approx(wilson(0.3, 100), abs=2e-3)


def test_interval__of_nothing_but_wins_has_a_width() -> None:
    rate, low, high = win_interval(np.full(50, 4), 4)
    assert (rate, high) == (1.0, pytest.approx(1.0))
    assert low == pytest.approx(wilson(1.0, 50)[0])


def test_interval__is_never_wider_than_by_deals_nor_narrower_than_by_games() -> None:
    wins = np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 2])  # less spread than chance would give
    rate, low, high = win_interval(wins, 4)
    assert (low, high) == pytest.approx(wilson(rate, 40))
    rate, low, high = win_interval(np.ones(100), 4)  # no spread at all: each game counts
    assert (low, high) == pytest.approx(wilson(0.25, 400))


def test_tables__arithmetic_on_made_up_results() -> None:
    """Two agents, three deals, two rotations; one game was truncated."""
    wins = np.array([[[1, 0], [0, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]], dtype=float)
    ranks = np.where(wins == 1, 1.0, 2.0)
    ranks[2, 0] = 1.5
    floors = np.array([[[5, 3], [4, 6]], [[7, 3], [5, 4]], [[2, 2], [1, 3]]], dtype=float)
    truncated = np.zeros((3, 2), dtype=bool)
    truncated[2, 0] = True
    tables = TablesResult(("a", "b"), wins, ranks, {"floors": floors}, truncated)
    a, b = tables.standings()
    assert (tables.deals, tables.games, tables.chance) == (3, 6, 0.5)
    assert (a.agent, a.wins, a.win_rate, a.amounts) == ("a", 3.0, 0.5, {"floors": 4.0})
    assert (b.agent, b.wins, b.amounts) == ("b", 2.0, {"floors": 3.5})
    assert b.win_rate == pytest.approx(1 / 3)
    assert a.mean_rank == pytest.approx((1 + 2 + 1 + 1 + 1.5 + 2) / 6)
    # a's rates by deal are 1/2, 1, 0: variance of their mean 1/12, hence n = 0.25 * 12 = 3.
    assert (a.low, a.high) == pytest.approx(wilson(0.5, 3.0))
    assert "1 truncated" in tables.table()
    assert json.loads(json.dumps(tables.to_dict()))["standings"][0]["wins"] == 3.0
    floors[2, 0] = np.nan  # as truncated games have it
    assert tables.standings()[0].amounts == {"floors": (5 + 4 + 7 + 5 + 1) / 5}
    assert "floors" in tables.table()
    floors[:] = np.nan
    assert tables.standings()[0].amounts == {}
    assert tables.table().splitlines()[1].endswith("-")


def test_tables__agree_with_the_final_states() -> None:
    """Rotation r has agent i in seat i + r, on the same deals."""
    game = JerusalemGame(rules=SHORT)
    agents = [GreedyAgent(), Scripted("first", False), Scripted("last", True), GreedyAgent()]
    done: list[tuple[int, int]] = []
    tables = play_tables(game, agents, 6, 9, progress=lambda *x: done.append(x))
    assert done == [(6, 6)]
    seeds = game.derive_seeds(9, 6, 0)
    for rotation in range(4):
        seats = (np.arange(4) + rotation) % 4  # by agent
        who = np.argsort(seats)[None, :].repeat(6, axis=0)
        states = play(game, agents, who, seeds)
        np.testing.assert_array_equal(
            tables.amounts["floors"][:, rotation], states["floors"][:, seats]
        )
        np.testing.assert_array_equal(
            tables.wins[:, rotation], states["winner"][:, None] == seats[None, :]
        )
    assert sum(x.wins for x in tables.standings()) == tables.games == 24
    np.testing.assert_array_equal(np.sort(tables.ranks, axis=2)[0, 0], [1, 2, 3, 4])
    split = play_tables(game, agents, 6, 9, batch=4)  # none of them draws at random
    np.testing.assert_array_equal(split.ranks, tables.ranks)


def test_tables__a_truncated_game_has_no_winner() -> None:
    class Cut(JerusalemGame):
        def reset(self, states: np.ndarray, seeds: np.ndarray, masks: np.ndarray) -> None:
            super().reset(states, seeds, masks)
            states["decision_limit"] = 20

    result = evaluate(RandomAgent(), [RandomAgent()], Cut(players=3), deals=4, seed=0)
    assert (result.truncated, result.win_rate, result.mean_rank) == (12, 0.0, 2.0)
    assert (result.amounts, result.opponents_amounts) == ({}, {})


def test_tables__neighbouring_seeds_share_no_agent_seed() -> None:
    """P18."""

    class Recorder(Scripted):
        def reset(self, seed: int) -> None:
            seen.append(seed)

    seen: list[int] = []
    game = JerusalemGame(rules=SHORT)
    agents = [Recorder(str(seat), False) for seat in range(4)]
    for seed in (0, 1):
        play_tables(game, agents, 2, seed)
    assert len(set(seen)) == 8


def test_evaluate__equal_players_cover_chance() -> None:
    """P22: A against three copies of A."""
    result = evaluate(RandomAgent(), [RandomAgent()], JerusalemGame(), deals=200, seed=1)
    assert result.low < 0.25 < result.high
    assert result.high - result.low < 0.08
    assert "not distinguishable from chance" in result.table()


def test_evaluate__plays_each_deal_in_every_seat() -> None:
    game = JerusalemGame(rules=SHORT)
    good, bad = Scripted("first", last=False), Scripted("last", last=True)
    result = evaluate(good, [bad], game, deals=10, seed=3)
    seeds = game.derive_seeds(3, 10, 0)
    by_seat = []
    for seat in range(4):
        who = np.ones((10, 4), np.int64)
        who[:, seat] = 0
        states = play(game, [good, bad], who, seeds)
        by_seat.append(float((states["winner"] == seat).mean()))
    assert result.by_seat == pytest.approx(by_seat)
    assert result.win_rate == pytest.approx(np.mean(by_seat))
    assert 1.0 <= result.mean_rank <= 4.0


def test_evaluate__seeds_reproduce() -> None:
    game = JerusalemGame(rules=SHORT)
    runs = [evaluate(RandomAgent(), [RandomAgent()], game, 20, seed) for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_evaluate__refuses_what_it_cannot_run() -> None:
    game = JerusalemGame(rules=SHORT)
    with pytest.raises(EvaluationError, match="at least 2"):
        evaluate(RandomAgent(), [RandomAgent()], game, deals=1, seed=0)
    with pytest.raises(EvaluationError, match="1 or 3"):
        evaluate(RandomAgent(), [RandomAgent()] * 2, game, deals=2, seed=0)

    class Cheat(Scripted):
        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return masks.argmin(axis=1)

    with pytest.raises(EvaluationError, match="cheat chose action"):
        evaluate(Cheat("cheat", False), [RandomAgent()], game, deals=2, seed=0)
    with pytest.raises(EvaluationError, match="seed must be"):
        evaluate(RandomAgent(), [RandomAgent()], game, deals=2, seed=-1)
    with pytest.raises(EvaluationError, match="4 agents"):
        play_tables(game, [RandomAgent()] * 3, 2, 0)
    with pytest.raises(EvaluationError, match="batch"):
        play_tables(game, [RandomAgent()] * 4, 2, 0, batch=0)


@pytest.mark.parametrize("returned", [np.int64(0), np.zeros(1, np.int64), np.zeros(8)])
def test_evaluate__refuses_anything_but_one_integer_a_row(returned: np.ndarray) -> None:
    class Sloppy(Scripted):
        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return np.zeros(len(views)) if returned.dtype == np.float64 else returned

    game = JerusalemGame(rules=SHORT)
    with pytest.raises(EvaluationError, match="sloppy must return"):
        evaluate(Sloppy("sloppy", False), [Scripted("first", False)], game, deals=2, seed=0)


def test_evaluate_command__prints_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["greedy", "random", "--players", "2", "--deals", "5"]
    assert main(arguments) == 0
    assert "greedy against random: wins" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["chance"] == 0.5
    assert printed["games"] == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody", "random"], "unknown agent 'nobody'"),
        (["random", "random", "--players", "5"], "players"),
        (["random", "random", "random", "--deals", "5"], "opponents must be 1 or 3"),
        (["random", "random", "--rules", "spanish"], "spanish"),
        (["random", "random", "--seed", "-1"], "seed must be"),
        (["ppo:missing.zip", "random"], "cannot load the checkpoint"),
    ],
)
def test_evaluate_command__says_what_is_wrong(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err
