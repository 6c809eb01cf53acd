"""Rows: what an independent replay by the raw environment says, whatever the batches."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.base import UnknownAgentError
from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from jerusalem_env import RecordError, RuleSet
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.records import GameRecord, GameRecorder, write_records
from tests.record.equipment import SHORT, Called, env_of, plain_rows, plain_table, records_of
from tests.record.test_columns import expected_columns
from training.arena.playing import EvaluationError
from training.record import RecordingError, record_games, rows_of_records
from training.record.rows import meanings
from training.record.sources import TOGETHER

AGENTS = ["greedy", "random"]


@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_rows__are_what_a_replay_sees(players: int, skip_forced: bool) -> None:
    game = JerusalemGame(players, reward="rank", skip_forced=skip_forced)
    rows = plain_rows(record_games(game, AGENTS, games=3, seed=players, observations=True))
    env = env_of(game)
    assert {row["game"] for row in rows} == {0, 1, 2}
    for number in range(3):
        own = [row for row in rows if row["game"] == number]
        env.reset(seed=own[0]["game_seed"])
        assert [row["decision"] for row in own] == list(range(len(own)))
        for row in own:
            position, seat = env.position(), int(env.agent_selection.removeprefix("player_"))
            expected = expected_columns(position)
            assert {name: row[name] for name in expected} == expected
            assert row["seat"] == position["to_act"] == seat
            assert row["agent"] == row[f"agent_{seat}"]
            assert row["action_name"] == game.action_names[row["action"]]
            seen = env.observe(env.agent_selection)
            assert row["action_mask"] == seen["action_mask"].tolist()
            assert row["legal_actions"] == seen["action_mask"].sum()
            floats = np.array(row["observation"], np.uint8) * game.observation_scale
            np.testing.assert_array_equal(floats, seen["observation"])
            env.step(row["action"])  # raises if it is not legal
        result = game.results(env.states[0])
        assert game.terminated(env.states)[0]
        for row in own:
            seat = row["seat"]
            assert row["outcome"] == "finished"
            assert row["winner"] == result["ranking"][0]
            assert row["rank"] == result["ranking"].index(seat) + 1
            assert row["won"] is (row["rank"] == 1)
            assert row["utility"] == env.rewards[f"player_{seat}"]
            for name in ("floors", "prestige"):
                assert [row[f"final_{name}_{s}"] for s in range(players)] == result[name]
    forced = [row for row in rows if row["legal_actions"] == 1]
    assert bool(forced) is not skip_forced


@pytest.mark.parametrize("agents", [AGENTS, [Called(RandomAgent()), GreedyAgent()]])
def test_rows__do_not_depend_on_batches_or_threads(agents: list[Any]) -> None:
    game = JerusalemGame(rules=SHORT[3])
    games = TOGETHER + 3  # agents begin anew once

    def played(seed: int = 5, **options: int) -> Any:
        return plain_table(record_games(game, agents, games, seed, **options))

    expected = played()
    assert expected.column("game")[-1].as_py() == games - 1
    for options in ({"rows": 1}, {"rows": 700, "threads": 2}):
        assert played(**options).equals(expected)
    assert not played(seed=6).equals(expected)


def test_rows__called_and_compiled_agents_play_the_same() -> None:
    game = JerusalemGame(rules=SHORT[2])
    compiled = plain_rows(record_games(game, [GreedyAgent()], 5, seed=1))
    called = plain_rows(record_games(game, [Called(GreedyAgent(), "greedy")], 5, seed=1))
    assert called == compiled


def test_rows__agents_take_turns_at_all_seats() -> None:
    game = JerusalemGame(rules=SHORT[3])
    agents = [Called(GreedyAgent(), name) for name in "abc"]
    rows = plain_rows(record_games(game, agents, 6, seed=1))
    seatings = [
        tuple(next(row for row in rows if row["game"] == number)[f"agent_{s}"] for s in range(3))
        for number in range(6)
    ]
    assert len(set(seatings)) == 6
    assert seatings[:3] == [("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a")]
    assert len({row["game_seed"] for row in rows}) == 6
    seeds = [next(row for row in rows if row["game"] == g)["game_seed"] for g in range(6)]
    assert seeds == game.derive_seeds(1, TOGETHER, 0)[:6].tolist()


def test_rows__fewer_agents_sit_in_several_seats() -> None:
    game = JerusalemGame(rules=SHORT[4])
    agents = [Called(GreedyAgent(), name) for name in "ab"]
    first = next(record_games(game, agents, 1)).to_pylist()[0]
    assert [first[f"agent_{seat}"] for seat in range(4)] == ["a", "b", "a", "b"]


def test_rows__paired_deals_are_played_in_all_rotations() -> None:
    game = JerusalemGame(rules=SHORT[3])
    agents = [Called(GreedyAgent(), name) for name in "abc"]
    rows = plain_rows(record_games(game, agents, 7, seed=1, paired=True))
    firsts = [next(row for row in rows if row["game"] == number) for number in range(7)]
    assert len({row["game_seed"] for row in firsts}) == 3
    for deal in (firsts[:3], firsts[3:6]):
        assert len({row["game_seed"] for row in deal}) == 1
        assert {row["agent_0"] for row in deal} == {"a", "b", "c"}


def test_rows__come_in_bounded_batches_of_whole_games() -> None:
    game = JerusalemGame(rules=SHORT[2])
    for rows in (1, 200):
        seen = 0
        for batch in record_games(game, ["random"], 12, seed=2, rows=rows):
            games = sorted(set(batch.column("game").to_pylist()))
            assert games == list(range(seen, seen + len(games)))
            assert batch.num_rows <= rows or len(games) == 1
            seen += len(games)
        assert seen == 12


def test_rows__of_any_number_of_games_begin_at_once() -> None:
    """Nothing is laid out for all games: a billion of them begin like one."""
    batches = record_games(JerusalemGame(rules=SHORT[2]), ["random"], 10**9, rows=500)
    assert all(batch.num_rows for batch in islice(batches, 3))


def test_rows__every_column_says_what_it_is() -> None:
    game = JerusalemGame(rules=SHORT[3])
    batch = next(record_games(game, ["random"], 1, observations=True))
    told = meanings(game, observations=True)
    assert list(told) == batch.schema.names
    assert all(told.values())


def test_rows__have_one_schema() -> None:
    game = JerusalemGame(rules=SHORT[2])
    batches = list(record_games(game, ["random"], 4, rows=1))
    assert len(batches) == 4
    assert all(batch.schema.equals(batches[0].schema, check_metadata=True) for batch in batches)


@pytest.mark.parametrize(
    ("agents", "options", "message"),
    [
        ([], {}, "1 to 4 agents"),
        (["random"] * 5, {}, "got 5"),
        (["random"], {"games": 0}, "games must be at least 1, got 0"),
        (["random"], {"rows": 0}, "rows must be at least 1"),
        (["random"], {"threads": 0}, "threads must be at least 1"),
        (["random"], {"seed": -1}, "seed must be an integer"),
    ],
)
def test_rows__wrong_settings_are_named(
    agents: list[str], options: dict[str, int], message: str
) -> None:
    with pytest.raises(RecordingError, match=message):
        next(record_games(JerusalemGame(), agents, **{"games": 1, **options}))


def test_rows__agents_must_exist_and_choose_legally() -> None:
    class Stubborn(Called):
        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return np.full(len(views), 308)

    with pytest.raises(UnknownAgentError, match="nobody"):
        next(record_games(JerusalemGame(), ["nobody"], 1))
    with pytest.raises(EvaluationError, match="stubborn chose action 308"):
        next(record_games(JerusalemGame(), [Stubborn(RandomAgent(), "stubborn")], 1))


# --- records --------------------------------------------------------------------------------
@pytest.mark.parametrize("skip_forced", [True, False])
def test_records__give_the_rows_of_the_games(skip_forced: bool, tmp_path: Path) -> None:
    game = JerusalemGame(rules=RuleSet(players=3, rounds=1), skip_forced=skip_forced)
    batches = list(record_games(game, AGENTS, TOGETHER + 2, seed=3, observations=True))
    path = tmp_path / "games.jsonl"
    brief = plain_table(batches).select(["game", "game_seed", "action", "action_name"])
    write_records(path, records_of(game, brief.to_pylist()))
    agents = ["agent", "agent_0", "agent_1", "agent_2"]
    for rows in (1, 1000):
        found = plain_table(rows_of_records(path, observations=True, rows=rows))
        assert all(found.column(name).null_count == len(found) for name in agents)
        assert found.drop_columns(agents).equals(plain_table(batches).drop_columns(agents))


def one_record(rules: int = 2, actions: int | None = None) -> GameRecord:
    """The first game, or as much of it."""
    game = JerusalemGame(rules=SHORT[rules])
    rows = plain_rows(record_games(game, ["random"], 1, seed=4))
    return records_of(game, rows[:actions])[0]


def test_records__may_be_unfinished_or_begin_from_a_position(tmp_path: Path) -> None:
    whole, part = one_record(), one_record(actions=5)
    env = env_of(JerusalemGame(rules=SHORT[2]))
    env.reset(seed=whole.seed)
    for name in whole.actions[:5]:
        env.step(env.action_names.index(name))
    recorder = GameRecorder(env, start=env.position())
    for name in whole.actions[5:]:
        recorder.step(env.action_names.index(name))
    nothing = replace(part, actions=())
    write_records(tmp_path / "some.jsonl", [part, recorder.record(), nothing, whole])
    rows = plain_rows(rows_of_records(tmp_path / "some.jsonl"))
    by_game = [[row for row in rows if row["game"] == number] for number in range(4)]
    assert [len(own) for own in by_game] == [5, len(whole.actions) - 5, 0, len(whole.actions)]
    for row in by_game[0]:
        assert row["outcome"] == "unfinished"
        unknown = ("rank", "won", "winner", "utility", "final_floors_0")
        assert [row[name] for name in unknown] == [None] * 5
    same = {"game", "game_seed", "decision", "decisions"}
    for row, other in zip(by_game[1], by_game[3][5:], strict=True):
        assert row["game_seed"] is None
        assert {k: v for k, v in row.items() if k not in same} == {
            k: v for k, v in other.items() if k not in same
        }


def test_records__truncated_games_have_no_winner(tmp_path: Path) -> None:
    """A watchdog of few decisions stands for one that nobody meets."""
    game = JerusalemGame(rules=SHORT[2])
    first = plain_rows(record_games(game, ["random"], 1, seed=4))
    limited = _Limited(rules=SHORT[2])
    rows = plain_rows(record_games(limited, ["random"], 1, seed=4))
    assert len(rows) < len(first)
    assert [row["action"] for row in rows] == [row["action"] for row in first[: len(rows)]]
    for row in rows:
        assert row["outcome"] == "truncated"
        assert (row["rank"], row["winner"], row["won"], row["utility"]) == (None, None, False, 0.0)


class _Limited(JerusalemGame):
    """The game with a watchdog after 30 decisions."""

    def reset(self, states: np.ndarray, seeds: np.ndarray, masks: np.ndarray) -> None:
        super().reset(states, seeds, masks)
        if seeds.any():  # the game from which the kinds of results are read has seed 0
            states["decision_limit"] = 30


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"actions": ("pass",)}, r"record 2: action 1 of 1 \('pass'\) is not legal"),
        ({"actions": ("jump",)}, "record 2: action 1 .* is no action"),
        ({"result": {"ranking": [0, 1], "floors": [0, 0], "prestige": [0, 0]}}, "record 2: result"),
        ({"skip_forced": False}, "record 2: skip_forced is False, in the first record True"),
        ({"ruleset": {"players": 3}}, "record 2: has another rule set"),
        ({"game": "chess_v0"}, "record 2: game is 'chess_v0'"),
    ],
)
def test_records__that_are_wrong_are_named(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    good = one_record()
    write_records(tmp_path / "two.jsonl", [good, replace(good, **change)])
    with pytest.raises(RecordError, match=message):
        plain_rows(rows_of_records(tmp_path / "two.jsonl"))


def test_records__actions_after_the_end_are_refused(tmp_path: Path) -> None:
    good = one_record()
    write_records(tmp_path / "long.jsonl", [replace(good, actions=(*good.actions, "pass"))])
    with pytest.raises(RecordError, match=r"record 1: .* the game is over after action"):
        plain_rows(rows_of_records(tmp_path / "long.jsonl"))


def test_records__an_empty_or_strange_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(RecordingError, match="holds no records"):
        next(rows_of_records(tmp_path / "none.jsonl"))
    write_records(tmp_path / "chess.jsonl", [replace(one_record(), game="chess_v0")])
    with pytest.raises(RecordError, match="record 1: unknown game 'chess_v0'"):
        next(rows_of_records(tmp_path / "chess.jsonl"))
    with pytest.raises(FileNotFoundError):
        next(rows_of_records(tmp_path / "missing.jsonl"))
