"""What is played: blocks of deals, agents of both kinds at one table, records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from agents.base import Agent
from agents.greedy import GreedyAgent, GreedyParameters
from agents.random_agent import RandomAgent
from agents.registry import standard_policies
from jerusalem_env import RuleSet
from jerusalem_env.game import Game
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.policies import new_log
from jerusalem_env.records import replay
from training.arena import ratings
from training.arena.blocks import (
    GameResults,
    deals_of_block,
    deals_per_block,
    number_of_blocks,
    play_block,
)
from training.arena.playing import EvaluationError, chance_seeds, compiled_policies, play_games
from training.arena.schedule import make_schedule
from training.arena.statistics import summarise

SHORT = RuleSet(players=4, rounds=2)


class Called:
    """An agent without its compiled policy: it has to be asked."""

    def __init__(self, agent: Agent) -> None:
        self._agent, self.name, self.asked = agent, agent.name, 0

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        self.asked += 1
        return self._agent.act(views, masks)


def deal(game: Game, deals: int, seed: int = 0) -> np.ndarray:
    return game.derive_seeds(seed, deals, 0)


def same(one: GameResults, other: GameResults) -> bool:
    first, second = one.to_arrays(), other.to_arrays()
    return list(first) == list(second) and all(
        np.array_equal(first[name], second[name], equal_nan=first[name].dtype.kind == "f")
        for name in first
    )


def test_play__compiled_and_called_seats_play_the_same() -> None:
    """Greedy bots play one way, whether the kernel asks them or we do; also in the log."""
    game = JerusalemGame(rules=SHORT)
    players_of = np.tile(np.arange(4), (6, 1))
    finals, logs = [], []
    for called in ((), (0, 2), (0, 1, 2, 3)):
        agents: list[Agent] = [
            Called(GreedyAgent()) if seat in called else GreedyAgent() for seat in range(4)
        ]
        log = new_log(6, 10_000)
        finals.append(play_games(game, agents, players_of, deal(game, 6), 3, log=log))
        logs.append(log)
    for final, log in zip(finals[1:], logs[1:], strict=True):
        np.testing.assert_array_equal(final["floors"], finals[0]["floors"])
        np.testing.assert_array_equal(log.sizes, logs[0].sizes)
        np.testing.assert_array_equal(log.actions, logs[0].actions)


def test_play__random_bots_do_not_play_the_same_in_every_rotation() -> None:
    game = JerusalemGame(rules=SHORT)
    seeds = np.repeat(deal(game, 1), 4)
    states = play_games(game, [RandomAgent()], np.zeros((4, 4), np.int64), seeds, 0)
    assert len({tuple(x) for x in states["played"].reshape(4, -1).tolist()}) == 4


def test_play__chance_depends_on_deal_place_and_seed() -> None:
    game = JerusalemGame(rules=SHORT)
    seeds = np.repeat(deal(game, 2), 2)
    chance = [chance_seeds(game, seeds, seed) for seed in (0, 1)]
    assert len(set(np.concatenate(chance).tolist())) == 8
    assert not set(seeds.tolist()) & set(np.concatenate(chance).tolist())


def test_play__equal_policies_are_compiled_once() -> None:
    agents: Sequence[Agent] = [GreedyAgent(), RandomAgent(), Called(GreedyAgent()), GreedyAgent()]
    policies, of_agent = compiled_policies(JerusalemGame(), agents)
    # The standard ones come first, so that all mixes of named agents share what is compiled.
    assert policies == standard_policies()
    names = [policy.name for policy in policies]
    greedy, random = names.index("greedy"), names.index("random")
    assert of_agent.tolist() == [greedy, random, -1, greedy]
    other = GreedyAgent(GreedyParameters(office_first=1.0))
    policies, of_agent = compiled_policies(JerusalemGame(), [other, GreedyAgent(), other])
    assert len(policies) == len(names) + 1
    assert of_agent.tolist() == [len(names), greedy, len(names)]


def test_play__a_short_log_keeps_the_beginning() -> None:
    game = JerusalemGame(rules=SHORT)
    agents: Sequence[Agent] = [GreedyAgent(), Called(GreedyAgent())]
    players_of = np.array([[0, 1, 0, 1]] * 2)
    long, short = new_log(2, 10_000), new_log(2, 5)
    for log in (long, short):
        play_games(game, agents, players_of, deal(game, 2), 0, log=log)
    np.testing.assert_array_equal(short.actions, long.actions[:, :5])
    assert short.sizes.tolist() == [5, 5]


def test_blocks__hold_all_deals_once() -> None:
    schedule = make_schedule("table", 4, 4)
    assert deals_per_block(schedule) == 32
    deals = [deals_of_block(schedule, 70, block) for block in range(number_of_blocks(schedule, 70))]
    assert np.concatenate(deals).tolist() == list(range(70))
    assert [len(part) for part in deals] == [32, 32, 6]
    large = make_schedule("round-robin", 12, 4)  # 495 tables: 1,980 games a deal
    assert deals_per_block(large) == 2


def test_blocks__do_not_depend_on_what_was_played_before() -> None:
    """Called agents with chance of their own begin every block anew."""
    game = JerusalemGame(rules=SHORT)
    schedule = make_schedule("duel", 2, 4)

    def played(agents: Sequence[Agent], block: int) -> GameResults:
        return play_block(game, agents, schedule, 40, 5, block)[0]

    agents: Sequence[Agent] = [Called(RandomAgent()), GreedyAgent()]
    first, second = played(agents, 0), played(agents, 1)
    assert len(second.lineups) == 8 * 8
    assert same(played([Called(RandomAgent(9)), GreedyAgent()], 1), second)
    assert same(played(agents, 0), first)
    other = play_block(game, agents, schedule, 40, 6, 1)[0]
    assert not same(other, second)


def test_blocks__results_are_those_of_the_final_states() -> None:
    game = JerusalemGame()
    schedule = make_schedule("table", 4, 4)
    results, records = play_block(
        game, [GreedyAgent(), RandomAgent()] * 2, schedule, 3, 7, 0, keep_records=True
    )
    assert len(records) == len(results.lineups) == 12
    assert not results.truncated.any()
    for game_number, record in enumerate(records):
        assert record.seed == int(game.derive_seeds(7, 3, 0)[game_number // 4])
        env = replay(record)  # RecordError unless the actions lead to the result
        state = env.states[0]
        np.testing.assert_array_equal(results.amounts["floors"][game_number], state["floors"])
        np.testing.assert_array_equal(results.amounts["prestige"][game_number], state["prestige"])
        assert results.ranks[game_number, state["winner"]] == 1
        assert results.wins[game_number].tolist() == [
            float(seat == state["winner"]) for seat in range(4)
        ]
        for name, labels in game.breakdowns(env.states).items():
            assert results.labels[name][game_number].tolist() == labels[0].tolist()


def test_records__of_called_agents_replay_to_the_same_states() -> None:
    game = JerusalemGame()
    schedule = make_schedule("duel", 2, 4)
    agents: Sequence[Agent] = [Called(RandomAgent()), GreedyAgent()]
    results, records = play_block(game, agents, schedule, 2, 1, 0, keep_records=True)
    for number in (0, 5, 15):
        state = replay(records[number]).states[0]
        np.testing.assert_array_equal(results.amounts["floors"][number], state["floors"])


@pytest.mark.parametrize("bot", [GreedyAgent, RandomAgent])
def test_a_against_copies_of_a__covers_chance(
    bot: type[GreedyAgent] | type[RandomAgent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P22: the copies' intervals hold 25 %, about 95 in 100; together they win every game."""
    # The ratings' intervals take most of the time, and are not what is tested here.
    monkeypatch.setattr(ratings, "_RESAMPLES", 20)
    game = JerusalemGame()
    schedule = make_schedule("table", 4, 4)
    names = ("a", "a (2)", "a (3)", "a (4)")
    held = 0
    for seed in range(10):
        results, _ = play_block(game, [bot()] * 4, schedule, 32, seed, 0)
        summary = summarise(results, schedule, names, seed)
        assert sum(x.win_rate.value for x in summary.standings) == pytest.approx(1.0)
        held += sum(x.win_rate.low < 0.25 < x.win_rate.high for x in summary.standings)
        if bot is GreedyAgent:  # all rotations are one game: each copy wins it once
            assert [x.win_rate.value for x in summary.standings] == [0.25] * 4
        assert {x.verdict for x in summary.comparisons} == {"not distinguishable"}
    assert held >= 34  # of 40


def test_breakdowns__of_the_game() -> None:
    """One office a seat in the last round; the rounds with each office add up to the rounds."""
    for players, offices in ((4, 4), (3, 3), (2, 2)):
        game = JerusalemGame(players)
        seeds = game.derive_seeds(0, 5, 0)
        states = play_games(game, [RandomAgent()], np.zeros((5, players), np.int64), seeds, 0)
        found = game.breakdowns(states)
        assert len(found) == 1 + offices
        first, *rest = found
        assert first == "office of the last round"
        assert all(len(set(row)) == players for row in found[first].tolist())
        rounds = sum(found[name].astype(np.int64) for name in rest)
        np.testing.assert_array_equal(rounds, np.full((5, players), 5))
    assert Game.breakdowns(game, states) == {}


def test_play__an_illegal_choice_names_the_agent() -> None:
    class Cheat(Called):
        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return masks.argmin(axis=1)

    game = JerusalemGame(rules=SHORT)
    cheat = Cheat(RandomAgent())
    cheat.name = "cheat"
    agents: Sequence[Agent] = [GreedyAgent(), cheat]
    with pytest.raises(EvaluationError, match="cheat chose action"):
        play_block(game, agents, make_schedule("duel", 2, 4), 2, 0, 0)
