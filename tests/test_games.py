"""Games by name, and what finished games say of winners, ranks and amounts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet, games
from jerusalem_env.chance import sample_legal
from jerusalem_env.errors import GameError
from jerusalem_env.game import Game
from jerusalem_env.games import make_game, register_game
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.outcomes import amounts_of, fault_of, ranks_of
from tests.shared_wins import GAME, SharedGame, registered


@pytest.fixture
def toy() -> Iterator[None]:
    """A second game is known."""
    with registered():
        yield


def test_make__the_usual_game() -> None:
    game = make_game()
    assert isinstance(game, JerusalemGame)
    assert game.rules_dict() == JerusalemGame().rules_dict()


@pytest.mark.parametrize(
    "rules", ["dutch", RuleSet.preset("dutch", 3), RuleSet.preset("dutch", 3).to_dict()]
)
def test_make__rules_in_every_form(rules: Any) -> None:
    game: Any = make_game("jerusalem", 3, rules, reward="rank", information="recall")
    assert game.rules == RuleSet.preset("dutch", 3)
    assert (game.reward, game.information, game.skip_forced) == ("rank", "recall", True)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"players": 5}, "players must be an integer 2..4"),
        ({"rules": "english"}, "unknown rules 'english'; expected one of german"),
        ({"rules": {"player": 3}}, "unknown switch 'player'"),
        ({"reward": "draw"}, "unknown reward 'draw'"),
        ({"name": "chess"}, "unknown game 'chess'; expected one of .*jerusalem_v0"),
    ],
)
def test_make__errors_are_the_games_own(given: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=message):
        make_game(**given)


def test_names__with_and_without_version(toy: None) -> None:
    assert games.game_name("jerusalem") == games.game_name("jerusalem_v0") == "jerusalem_v0"
    assert games.game_name("shared") == GAME
    assert GAME in games.registered_games()
    with pytest.raises(GameError, match=f"unknown game 'jerusalem_v9'.*jerusalem_v0.*{GAME}"):
        games.game_name("jerusalem_v9")
    with pytest.raises(GameError, match="unknown game 'jerusalem'"):
        games.make_raw_env("jerusalem")  # files hold full names


def test_names__the_highest_version_is_meant(toy: None) -> None:
    register_game("shared_v10", lambda ruleset, skip_forced: None)  # type: ignore[arg-type, return-value]
    assert games.game_name("shared") == "shared_v10"


def test_facts__of_both_games(toy: None) -> None:
    assert games.player_counts("jerusalem_v0") == (2, 3, 4)
    assert games.players_text("jerusalem_v0") == "2, 3 or 4"
    assert games.preset_names("jerusalem_v0") == ("german", "dutch", "french")
    assert games.usual_rules("jerusalem_v0") == "german"
    assert games.usual_players("jerusalem_v0") == 4
    assert games.gymnasium_id("jerusalem_v0") == "Jerusalem-v0"
    assert set(games.column_meanings("jerusalem_v0", 2)) == set(
        JerusalemGame(2).columns(JerusalemGame(2).new_states(0))
    )
    assert (games.player_counts(GAME), games.usual_players(GAME)) == ((3,), 3)
    assert (games.preset_names(GAME), games.usual_rules(GAME)) == ((), None)
    assert games.gymnasium_id(GAME) is None
    assert games.column_meanings(GAME, 3) == {}


def test_environments__follow_from_make_and_read_rules(toy: None) -> None:
    for env in (games.make_raw_env(GAME), games.make_preset_env(GAME, 3)):
        assert isinstance(env.game, SharedGame)
    with pytest.raises(GameError, match="3 players"):
        games.make_preset_env(GAME, 2)
    with pytest.raises(ValueError, match=f"no presets are known for game '{GAME}'"):
        games.make_preset_env(GAME, 3, "german")
    assert games.make_preset_env("jerusalem_v0", 2).game.players == 2


def test_register__needs_something_that_makes_the_game(toy: None) -> None:
    with pytest.raises(ValueError, match="needs make and read_rules, or a maker"):
        register_game("nothing_v0", make=JerusalemGame)
    register_game("files_v0", lambda ruleset, skip_forced: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(GameError, match="known to files of records alone"):
        make_game("files_v0")


def test_argument__resolves_names(toy: None, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    games.add_game_argument(parser)
    assert parser.parse_args([]).game == "jerusalem_v0"
    assert parser.parse_args(["--game", "shared"]).game == GAME
    with pytest.raises(SystemExit):
        parser.parse_args(["--game", "chess"])
    known = ", ".join(games.registered_games())
    assert f"unknown game 'chess'; expected one of {known}" in capsys.readouterr().err
    assert "jerusalem or shared (jerusalem)" in " ".join(parser.format_help().split())


# --- outcomes -----------------------------------------------------------------------------------
def finished(game: Game, games_played: int = 64) -> np.ndarray:
    """States of games that were played at random."""
    states = game.new_states(games_played)
    masks = np.zeros((games_played, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(3, games_played, 0), masks)
    rng = np.random.default_rng(0)
    while masks.any():
        game.step(states, np.maximum(sample_legal(masks, rng), 0), masks)
    return states


@pytest.mark.parametrize("reward", ["win", "rank", "margin"])
def test_win_shares__of_jerusalem_are_the_first_of_the_ranking(reward: str) -> None:
    game = JerusalemGame(3, reward=reward)
    states = finished(game)
    shares = game.win_shares(states)
    for state, row in zip(states, shares, strict=True):
        assert row.tolist() == [float(game.results(state)["ranking"][0] == k) for k in range(3)]
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(0, len(states), 0), masks)
    assert not game.win_shares(states).any()


def test_win_shares__without_another_answer_are_shared_by_the_best_paid() -> None:
    game = SharedGame()
    states = finished(game)
    shares, utilities = game.win_shares(states), game.utilities(states)
    assert set(np.unique(shares)) == {0.0, 1 / 3, 1 / 2, 1.0}
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares > 0, utilities == utilities.max(axis=1, keepdims=True))
    cut = finished(game)
    cut["history"][:, -1], cut["decisions"] = -1, cut["decision_limit"]
    assert game.truncated(cut).all()
    assert not game.win_shares(cut).any()


def test_ranks__with_and_without_shared_places() -> None:
    assert ranks_of({"ranking": [1, 2, 0]}) == [3, 1, 2]
    assert ranks_of({"ranking": [0, 1, 2], "ranks": [1, 1, 3]}) == [1, 1, 3]


def test_amounts__are_lists_by_seat() -> None:
    results = {"ranking": [0, 1], "ranks": [1, 1], "points": [3, 3], "log": [1], "text": "12"}
    assert amounts_of(results, 2) == {"points": [3, 3]}


@pytest.mark.parametrize(
    ("results", "shares", "message"),
    [
        ({"ranking": [0, 1, 2]}, [1.0, 0.0, 0.0], ""),
        ({"ranking": [0, 2, 1], "ranks": [1, 3, 1]}, [0.5, 0.0, 0.5], ""),
        ({"ranking": [0, 0, 1]}, [1.0, 0.0, 0.0], "no order of the seats"),
        ({"ranking": [0, 1, 2], "ranks": [1, 3, 2]}, [1.0, 0.0, 0.0], "another order"),
        ({"ranking": [0, 1, 2], "ranks": [1, 1, 2]}, [0.5, 0.5, 0.0], "must have its number"),
        ({"ranking": [0, 1, 2]}, [0.5, 0.5, 0.0], "1 / w for each"),
        ({"ranking": [0, 1, 2], "ranks": [1, 1, 3]}, [1.0, 0.0, 0.0], "1 / w for each"),
    ],
)
def test_faults__are_found(results: dict[str, Any], shares: list[float], message: str) -> None:
    assert (message in fault_of(results, np.array(shares))) if message else True
    assert bool(message) == bool(fault_of(results, np.array(shares)))
