"""Misuse is answered by an exception that says what to do, and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jerusalem_env import (
    IllegalActionError,
    NotResetError,
    PositionError,
    RuleSet,
    RuleSetError,
    ierusalem_v0,
    jerusalem_v0,
)
from jerusalem_env.envs.aec import GameAECEnv
from tests.pitfalls.equipment import fields_of
from tests.reference_engine import build_position
from tests.scripted import Player, is_done, legal_names

GAMES = [jerusalem_v0, ierusalem_v0]


@pytest.fixture(params=GAMES, ids=["jerusalem", "ierusalem"])
def env(request: pytest.FixtureRequest) -> GameAECEnv:
    """In the middle of a game, of each game in turn."""
    made: GameAECEnv = request.param.raw_env()
    made.reset(seed=4)
    player = Player(4)
    for _ in range(30):
        made.step(player(made))
    return made


def snapshot(env: GameAECEnv) -> tuple[Any, ...]:
    seen = [env.observe(agent) for agent in env.possible_agents]
    return (
        fields_of(env.states),
        tuple(array.tobytes() for one in seen for array in one.values()),
        env.agent_selection,
        tuple(env.agents),
        dict(env.rewards),
        dict(env._cumulative_rewards),
        dict(env.terminations),
        dict(env.truncations),
        env.game_seed,
    )


def last_action(env: GameAECEnv) -> int:
    """The highest action there is."""
    return len(env.action_names) - 1


NO_INTEGERS: list[Any] = [
    *(0.0, 1.5, float("nan"), np.float64(0), np.float32(3), np.array(2.0)),
    *(True, False, np.bool_(True), None, "pass", "0", b"0", 1j),
    *([0], (0,), np.array([0]), np.zeros((1, 1), int), {}, ...),
]


@pytest.mark.parametrize("action", NO_INTEGERS, ids=repr)
def test_step__refuses_what_is_no_integer(env: GameAECEnv, action: Any) -> None:
    before = snapshot(env)
    with pytest.raises(IllegalActionError) as caught:
        env.step(action)
    assert f"action must be an integer 0..{last_action(env)}" in str(caught.value)
    assert type(action).__name__ in str(caught.value)
    assert snapshot(env) == before


@pytest.mark.parametrize("action", [-1, 309, 10**30, -(2**63), np.int64(400), np.array(-5)])
def test_step__refuses_what_is_out_of_range(env: GameAECEnv, action: Any) -> None:
    before, last = snapshot(env), last_action(env)
    told = rf"action must be 0\.\.{last}, got {int(action)}"
    with pytest.raises(IllegalActionError, match=told):
        env.step(action)
    assert snapshot(env) == before


def test_step__names_the_illegal_action_and_what_is_legal(env: GameAECEnv) -> None:
    legal, before = legal_names(env), snapshot(env)
    for number, name in enumerate(env.action_names):
        if name in legal:
            continue
        with pytest.raises(IllegalActionError) as caught:
            env.step(number)
        told = str(caught.value)
        assert f"action {number} ({name!r}) is not legal for {env.agent_selection}" in told
        listed = told.split("legal: ")[-1]
        assert listed.startswith(", ".join(legal[:5]))
    assert snapshot(env) == before


def test_step__lists_every_legal_action_or_says_how_many_more() -> None:
    env = jerusalem_v0.raw_env(players=3)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError) as caught:
        env.step(0)
    assert str(caught.value).endswith("legal: open treasurer, open marshal, open admiral")
    env.step(env.action_names.index("open admiral"))
    with pytest.raises(IllegalActionError) as caught:
        env.step(env.action_names.index("bid 13"))
    assert str(caught.value).endswith("bid 10, bid 11 and 1 more")


@pytest.mark.parametrize("make", [int, np.int8, np.int64, np.uint16, np.array])
def test_step__takes_every_kind_of_integer(make: Any) -> None:
    env = jerusalem_v0.raw_env()
    env.reset(seed=1)
    env.step(make(env.action_names.index("open captain")))
    assert env.position()["auction"]["office"] == "captain"


def test_step__goes_on_after_an_error(env: GameAECEnv) -> None:
    other = GameAECEnv(env.game)
    other.set_position(env.position())
    player, same = Player(9), Player(9)
    for _ in range(40):
        if is_done(env):
            break
        with pytest.raises(IllegalActionError):
            env.step(last_action(env) + 1)
        env.step(player(env))
        other.step(same(other))
        assert env.position() == other.position()


NEEDS_A_GAME = {
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "position": lambda env: env.position(),
}


@pytest.mark.parametrize("game", GAMES, ids=["jerusalem", "ierusalem"])
@pytest.mark.parametrize("call", NEEDS_A_GAME)
@pytest.mark.parametrize("render_mode", [None, "ansi"])
def test_env__before_the_first_reset(game: Any, call: str, render_mode: str | None) -> None:
    env = game.raw_env(render_mode=render_mode)
    with pytest.raises(NotResetError, match=r"call reset\(\)"):
        NEEDS_A_GAME[call](env)
    with pytest.raises(PositionError):
        env.set_position({})
    with pytest.raises(NotResetError, match=r"call reset\(\)"):
        NEEDS_A_GAME[call](env)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"information": "all"}, ValueError, "unknown information 'all'.*screen or recall"),
        ({"information": None}, ValueError, "unknown information None"),
        ({"reward": "gold"}, ValueError, "unknown reward 'gold'.*win, rank, margin"),
        ({"reward": None}, ValueError, "unknown reward None"),
        ({"players": 1}, RuleSetError, "players must be an integer 2..4, got 1"),
        ({"players": 5}, RuleSetError, "players must be an integer 2..4, got 5"),
        ({"players": "4"}, RuleSetError, "players must be an integer 2..4, got '4'"),
        ({"rules": "italian"}, RuleSetError, "unknown rules 'italian'.*german, dutch, french"),
        ({"rules": None}, RuleSetError, "unknown rules None.*RuleSet"),
        ({"rules": {"players": 3}}, RuleSetError, "unknown rules"),
        ({"rules": RuleSet(players=3), "players": 4}, RuleSetError, "players=4 contradicts"),
    ],
)
@pytest.mark.parametrize("make", ["raw_env", "env", "batch_env", "solo_env"])
def test_making__refuses_unknown_options(
    make: str, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    first = {"num_games": 2} if make == "batch_env" else {}
    with pytest.raises(error, match=told):
        getattr(jerusalem_v0, make)(**first, **options)


@pytest.mark.parametrize("render_mode", ["text", "", 3])
@pytest.mark.parametrize("make", ["raw_env", "env"])
def test_making__refuses_unknown_render_modes(make: str, render_mode: Any) -> None:
    for game in GAMES:
        with pytest.raises(ValueError, match=r"unknown render_mode .*ansi"):
            getattr(game, make)(render_mode=render_mode)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"information": "all"}, ValueError, "unknown information 'all'.*screen or recall"),
        ({"reward": "gold"}, ValueError, "unknown reward 'gold'.*win, rank, margin"),
        ({"players": 2}, RuleSetError, "players must be an integer 3..4, got 2"),
        ({"rules": "german"}, RuleSetError, "unknown rules 'german'.*box, by_colour"),
        (
            {"rules": RuleSet(players=3)},
            RuleSetError,
            "unknown rules",
        ),  # of the first game
    ],
)
@pytest.mark.parametrize("make", ["raw_env", "env", "batch_env", "solo_env", "solo_vec_env"])
def test_making__the_second_game_refuses_unknown_options(
    make: str, options: dict[str, Any], error: type[Exception], told: str
) -> None:
    first = {"num_games": 2} if make == "batch_env" else {}
    with pytest.raises(error, match=told):
        getattr(ierusalem_v0, make)(**first, **options)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "7", True, [1], float("nan")])
def test_reset__refuses_bad_seeds(env: GameAECEnv, seed: Any) -> None:
    before = snapshot(env)
    with pytest.raises(ValueError, match=r"seed must be an integer 0\.\.2\*\*64-1 or None"):
        env.reset(seed=seed)
    assert snapshot(env) == before
    fresh = GameAECEnv(env.game)
    with pytest.raises(ValueError, match="seed must be an integer"):
        fresh.reset(seed=seed)
    with pytest.raises(NotResetError):
        fresh.observe("player_0")


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(5), np.uint64(2**63)])
def test_reset__takes_every_seed_in_range(seed: Any) -> None:
    env, other = jerusalem_v0.raw_env(), jerusalem_v0.raw_env()
    env.reset(seed=seed)
    other.reset(seed=int(seed))
    assert env.game_seed == int(seed)
    assert env.position() == other.position()


def test_step__after_the_end() -> None:
    env = jerusalem_v0.raw_env(players=2)
    env.set_position(build_position({"players": 2}, phase="over"))
    before = env.states.tobytes()
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    assert env.agents == ["player_0", "player_1"]
    env.step(None)
    env.step(None)
    assert env.agents == []
    for action in (None, 0):
        with pytest.raises(NotResetError, match=r"call reset\(\)"):
            env.step(action)
    assert env.states.tobytes() == before
    assert env.position()["winner"] == 0
    env.reset(seed=1)
    env.step(env.action_names.index("open marshal"))
    assert env.position()["auction"]["office"] == "marshal"


def test_render__without_a_mode_warns() -> None:
    env = jerusalem_v0.raw_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@pytest.mark.parametrize("action", [400, -1, "pass", 1.5, None])
def test_env__refuses_what_is_no_action(action: Any) -> None:
    for game, last in zip(GAMES, (308, 239), strict=True):
        env = game.env()
        env.reset(seed=1)
        before = env.unwrapped.states.tobytes()
        with pytest.raises(IllegalActionError, match=rf"0\.\.{last}"):
            env.step(action)
        assert env.unwrapped.states.tobytes() == before
        assert not any(env.terminations.values())


@pytest.mark.parametrize("agent", ["player_9", 0, None, []])
def test_agents__unknown_ones_are_named(agent: Any) -> None:
    env = jerusalem_v0.raw_env(players=3)
    env.reset(seed=0)
    for ask in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(ValueError, match="expected one of player_0, player_1, player_2"):
            ask(agent)


def test_cycle__needs_a_reset_first() -> None:
    env = jerusalem_v0.raw_env()
    for begin in (env.last, env.agent_iter):
        with pytest.raises(NotResetError, match="reset"):
            begin()
