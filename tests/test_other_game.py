"""Every command and form of use with another game than the first, one whose wins are shared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from jerusalem_env.playroom import serve, terminal
from jerusalem_env.records import read_records
from tests.shared_wins import GAME, Always, SharedGame, registered
from training import evaluate, tune, warmup
from training.arena import command as arena
from training.arena import ratings
from training.arena.blocks import read_results
from training.balance.command import main as balance_main
from training.benchmark import forms
from training.intervals import win_interval
from training.record import command as record
from training.selfplay.config import ConfigError, config_of, read_config

pytest.importorskip("pyarrow")


@pytest.fixture(autouse=True)
def _second_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(ratings, "_RESAMPLES", 20)
    with registered():
        yield


def ended(*histories: tuple[int, int, int]) -> np.ndarray:
    """Finished games in which these numbers were named."""
    states = SharedGame().new_states(len(histories))
    states["history"], states["decisions"] = histories, 3
    return states


# --- shared wins --------------------------------------------------------------------------------
def test_results__shared_wins_are_parts_and_shared_ranks_one_number() -> None:
    states = ended((2, 2, 0), (1, 1, 1), (0, 1, 2))
    found = read_results(SharedGame(), states, np.tile(np.arange(3), (3, 1)))
    assert found.wins.tolist() == [[0.5, 0.5, 0], [1 / 3] * 3, [0, 0, 1]]
    assert found.ranks.tolist() == [[1, 1, 3], [1, 1, 1], [2, 2, 1]]
    assert set(found.amounts) == {"utility", "number"}
    assert not found.truncated.any()


def test_evaluate__equal_players_share_every_win() -> None:
    result = evaluate.evaluate(Always(2), [Always(2)], SharedGame(), deals=10, seed=0)
    assert result.win_rate == pytest.approx(1 / 3)
    assert result.low < 1 / 3 < result.high
    # Every game came out alike: each counts.
    assert (result.low, result.high) == win_interval(np.ones(10), 3)[1:]
    assert result.mean_rank == 1.0
    result = evaluate.evaluate(Always(1), [Always(2), Always(0)], SharedGame(), deals=5, seed=0)
    assert (result.win_rate, result.mean_rank) == (0.0, 2.0)
    assert (result.amounts["number"], result.opponents_amounts["number"]) == (1.0, 1.0)


def test_evaluate__shared_wins_against_random_play() -> None:
    """Naming 2 wins alone with chance 4/9, with one other in 4/9, with both in 1/9."""
    expected = 4 / 9 + 4 / 9 / 2 + 1 / 9 / 3
    result = evaluate.evaluate(Always(2), [RandomAgent()], SharedGame(), deals=400, seed=1)
    assert result.low < expected < result.high
    assert result.high - result.low < 0.1


def test_sb3__wins_are_parts_of_one() -> None:
    from jerusalem_env.envs.sb3 import SoloVecEnv

    env = SoloVecEnv(SharedGame(), 30, [Always(2)], seed=0)
    env.reset()
    for action in (2, 1):
        while len(env.episode_wins) < 30:
            env.step(np.full(30, action))
        assert list(env.episode_wins)[-30:] == [{2: 1 / 3, 1: 0.0}[action]] * 30
        env.episode_wins.clear()


def test_record__tells_who_shares_a_win(tmp_path: Path) -> None:
    import pyarrow.parquet

    path = tmp_path / "games.parquet"
    options = ("--games", "40", "--seed", "3", "--out", str(path))
    assert record.main(["number:1", "random", "--game", "shared", *options]) == 0
    rows = pyarrow.parquet.read_table(path).to_pylist()
    games = {row["game"]: row for row in rows}
    assert len(games) == 40
    for row in rows:
        shares = [row[f"win_share_{seat}"] for seat in range(3)]
        numbers = [row[f"final_number_{seat}"] for seat in range(3)]
        best = [number == max(numbers) for number in numbers]
        assert shares == pytest.approx([won / sum(best) for won in best])
        assert row["winner"] == (best.index(True) if sum(best) == 1 else None)
        assert row["won"] is best[row["seat"]]
        assert row["rank"] == (1 if best[row["seat"]] else 1 + sum(best))
    assert {row["winner"] for row in rows} == {None, 0, 1, 2}


# --- commands -----------------------------------------------------------------------------------
def test_arena__plays_it_and_its_records_can_be_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, records = tmp_path / "arena", tmp_path / "games.jsonl"
    options = ("--deals", "34", "--out", str(folder), "--workers", "1", "--records", str(records))
    assert arena.main(["greedy", "number:1", "random", "--game", "shared", *options]) == 0
    out = capsys.readouterr().out
    assert "Arena: greedy, number:1, random (shared, table, 3 players, screen, seed 0)" in out
    content: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert content["settings"]["name"] == GAME
    assert content["settings"]["rules"] is None
    wins = [x["wins"] for x in content["standings"]]
    assert sum(wins) == pytest.approx(content["games"]) == 102
    assert wins[0] > wins[2] > wins[1]
    assert {one.game for one in read_records(records)} == {GAME}
    assert record.main(["--from", str(records), "--out", str(tmp_path / "games.parquet")]) == 0
    assert "102 games, 306 rows" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (evaluate.main, ["greedy", "random"]),
        (arena.main, ["greedy"]),
        (record.main, ["greedy", "--out", "x"]),
        (warmup.main, []),
        (terminal.main, []),
        (serve.main, []),
        (tune.main, []),
        (balance_main, []),
    ],
)
def test_commands__refuse_an_unknown_game(
    main: Callable[[list[str]], int], arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--game", "chess"])
    assert stopped.value.code == 2
    assert "chess" in capsys.readouterr().err


@pytest.mark.parametrize("main", [tune.main, balance_main])
def test_commands__about_the_first_game_say_so(
    main: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--game", GAME])
    assert "this command is about jerusalem alone" in capsys.readouterr().err


def test_commands__name_the_agents_of_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate.main(["expert", "random", "--game", "shared"]) == 2
    told = capsys.readouterr().err
    assert f"unknown agent 'expert' of {GAME}; expected one of random, greedy, number" in told
    assert evaluate.main(["greedy", "random", "--game", "shared", "--players", "2"]) == 2
    assert f"{GAME} is for 3 players, got 2" in capsys.readouterr().err


def test_playroom__seats_the_games_own_agents() -> None:
    options = serve.parser_of().parse_args(["--game", "shared", "--port", "0"])
    offer = serve.room_of(options).offer
    assert offer.players == (None, "greedy", "greedy")
    assert (offer.hint, offer.counts, offer.rules) == ("greedy", (3,), "")
    assert offer.agents[:2] == ("greedy", "mcts:500")
    session = terminal._session_of(terminal.parser_of().parse_args(["--game", "shared"]))
    assert session.game.name == GAME
    assert session.players == (None, "greedy", "greedy")


def test_bench__has_the_forms_that_the_game_has() -> None:
    work = forms.workloads(4, (1,), game_name=GAME)
    assert {workload.group for workload in work} == {"batch", "batch size", "forms"}
    for workload in work:
        if workload.name in ("AEC raw_env", "mask only"):
            decisions, games, _ = workload.prepare()(0.01)
            assert decisions >= 3 * games > 0


def test_warmup__compiles_what_the_game_has() -> None:
    names = [name for name, _ in warmup.tasks((3,), ("screen",), GAME)]
    assert names[:2] == ["3 players, screen: raw_env", "3 players, screen: views, bots"]
    assert not any("search" in name or "bots at all seats" in name for name in names)


# --- training -----------------------------------------------------------------------------------
def test_config__of_a_game_without_a_file_has_no_teacher_and_no_bots(tmp_path: Path) -> None:
    config = read_config(game="shared")
    assert (config.game.name, config.game.players, config.game.rules) == (GAME, 3, "")
    assert (config.warm_start.teacher, config.opponents.tables) == ("", ())
    assert config_of(config.to_dict()) == config
    path = tmp_path / "mine.toml"
    path.write_text('[game]\nname = "shared"\n')
    assert read_config(path) == config
    assert read_config(path, game="jerusalem").game.name == "jerusalem_v0"
    with pytest.raises(ConfigError, match=r"game\.players must be 3, got 4"):
        read_config(game=GAME, players=4)
    with pytest.raises(ConfigError, match=r"game\.name: unknown game 'chess'"):
        read_config(changes=["game.name=chess"])


@pytest.mark.slow
def test_train__from_the_command_line_to_an_agent(tmp_path: Path) -> None:
    from training.selfplay.command import main

    small = ["games.slots=16", "games.ticks=16", "ppo.batch_size=64", "network.shared=[16]"]
    small += ["network.policy=[16]", "network.value=[16]", "evaluation.final_deals=4"]
    small += ["opponents.tables=[{share=0.5, bots=['greedy', 'number:1']}]"]
    changes = [word for one in small for word in ("--set", one)]
    out = ["--out", str(tmp_path), "--decisions", "600"]
    assert main(["--game", "shared", *changes, *out]) == 0
    agent = f"ppo:{tmp_path / 'agent.zip'}"
    assert evaluate.main([agent, "greedy", "--game", "shared", "--deals", "3"]) == 0
    assert GAME in (tmp_path / "card.md").read_text(encoding="utf-8")
