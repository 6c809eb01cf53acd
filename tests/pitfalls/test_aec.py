"""Pitfalls of turn-based environments: P1, P2, P4, P5, P6, P12, P20 of the design."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pettingzoo.test
import pytest
from pettingzoo import AECEnv

from jerusalem_env import NotResetError, RuleSet, jerusalem_v0
from tests.reference_engine import build_position
from tests.scripted import Player, is_done

MAKERS: list[Callable[..., AECEnv]] = [jerusalem_v0.raw_env, jerusalem_v0.env]
PLAYERS = [2, 3, 4]
MODES = ["screen", "recall"]


def play_on(env: AECEnv, choose: Callable[[Any], int], most: int = 10**6) -> None:
    """Play until the game is over or so many decisions are taken."""
    for _ in range(most):
        if is_done(env):
            return
        env.step(choose(env))


def returns_of(env: AECEnv, choose: Callable[[Any], int]) -> dict[str, float]:
    """Each agent's rewards added up as a training loop gets them, from `last`."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        totals[agent] += float(reward)
        env.step(None if terminated or truncated else choose(env))
    assert not env.agents
    return totals


# --- P1, P2: rewards ----------------------------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("reward", ["win", "rank", "margin"])
def test_p1__every_seat_gets_the_reward_of_the_engine(
    make: Callable[..., AECEnv], players: int, reward: str
) -> None:
    env = make(players, reward=reward)
    winners = set()
    for seed in range(8):
        env.reset(seed=seed)
        totals = returns_of(env, Player(seed))
        game = env.unwrapped.game
        engine = game.utilities(env.unwrapped.states)[0]
        assert list(totals.values()) == engine.tolist()
        assert engine.min() < 0 < engine.max()
        assert abs(sum(totals.values())) < 1e-12
        ranking = game.results(env.unwrapped.states[0])["ranking"]
        winners.add(ranking[0])
        if reward == "win":
            assert engine[ranking[0]] == 1
            assert (engine[ranking[1:]] == -1 / (players - 1)).all()
        elif reward == "rank":
            assert engine[ranking[0]] == 1
            assert engine[ranking[-1]] == -1
        assert all(np.diff(engine[ranking]) <= 0)
    assert len(winners) > 1, "one seat won every game; the test shows nothing"


@pytest.mark.parametrize(
    ("floors", "prestige", "reward", "expected"),
    [
        ([3, 1, 2], [0, 0, 0], "win", [1.0, -0.5, -0.5]),
        ([1, 3, 2], [0, 0, 0], "win", [-0.5, 1.0, -0.5]),
        ([1, 2, 2], [0, 0, 1], "win", [-0.5, -0.5, 1.0]),
        ([2, 2, 2], [0, 0, 0], "win", [1.0, -0.5, -0.5]),
        ([3, 1, 2], [0, 0, 0], "rank", [1.0, -1.0, 0.0]),
        ([1, 2, 2], [0, 0, 1], "rank", [-1.0, 0.0, 1.0]),
        ([3, 1, 2], [0, 0, 0], "margin", [0.15, -0.15, 0.0]),
        ([7, 1, 1], [0, 0, 0], "margin", [0.6, -0.3, -0.3]),
        ([2, 2, 2], [0, 0, 0], "margin", [0.0, 0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("make", MAKERS)
def test_p2__table_of_returns_by_seat(
    make: Callable[..., AECEnv],
    floors: list[int],
    prestige: list[int],
    reward: str,
    expected: list[float],
) -> None:
    """The last turn of a game whose towers stand so high that nobody builds any more."""
    position = build_position(
        {"players": 3, "rounds": 5, "income": [[0, 0, 0]] * 16, "zero_ties_win_gifts": False},
        round=5,
        phase="turn",
        to_act=2,
        floors=[20 + x for x in floors],
        prestige=prestige,
        offices=["treasurer", "marshal", "admiral"],
    )
    env = make(3, reward=reward)
    env.reset(seed=0)
    env.set_position(position)
    totals = returns_of(env, lambda _: 0)  # pass
    assert list(totals.values()) == pytest.approx(expected)


# --- P4, P5: masks ------------------------------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("skip_forced", [True, False])
def test_p4__masks_are_empty_only_for_who_does_not_act(
    make: Callable[..., AECEnv], players: int, skip_forced: bool
) -> None:
    env = make(players, skip_forced=skip_forced)
    choose = Player(players)
    env.reset(seed=players)
    while not is_done(env):
        for agent in env.possible_agents:
            legal = int(env.observe(agent)["action_mask"].sum())
            if agent == env.agent_selection:
                assert legal >= (2 if skip_forced else 1)
            else:
                assert legal == 0
        env.step(choose(env))
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()


def test_p4__masks_are_empty_after_an_illegal_end_and_a_truncation() -> None:
    env = jerusalem_v0.env(3)
    env.reset(seed=1)
    env.step(308)
    assert is_done(env)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    env.reset(seed=1)
    env.unwrapped.states["decision_limit"] = 20
    play_on(env, Player(1))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


@pytest.mark.parametrize("make", MAKERS)
def test_p5__masks_are_int8_and_sample_a_legal_action(make: Callable[..., AECEnv]) -> None:
    env = make(4)
    env.reset(seed=3)
    space = env.action_space("player_0")
    space.seed(0)
    for _ in range(100):
        mask = env.observe(env.agent_selection)["action_mask"]
        assert mask.dtype == np.int8
        assert set(np.unique(mask)) <= {0, 1}
        action = space.sample(mask)
        assert mask[action] == 1
        env.step(action)


# --- P6: PettingZoo's own checks, warnings as errors --------------------------------------------
# Two warnings of `api_test` say only that this environment is not in its list of known games with
# dictionary observations; the rest are errors.
NOT_IN_ITS_LIST = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)


@NOT_IN_ITS_LIST
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", MODES)
def test_p6__api_test(make: Callable[..., AECEnv], players: int, information: str) -> None:
    pettingzoo.test.api_test(make(players, information=information), num_cycles=300)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", MODES)
def test_p6__seed_test(make: Callable[..., AECEnv], players: int, information: str) -> None:
    pettingzoo.test.seed_test(lambda: make(players, information=information), num_cycles=200)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", MODES)
def test_p6__state_test(make: Callable[..., AECEnv], players: int, information: str) -> None:
    checks = importlib.import_module("pettingzoo.test.state_test")
    env = make(players, information=information)
    checks.test_state_space(env)
    if env is not env.unwrapped:  # it samples without the mask
        checks.test_state(env, num_cycles=200)
    env.reset(seed=players)
    choose, last = Player(players), None
    while not is_done(env):
        state = env.state()
        assert env.state_space.contains(state)
        assert last is None or not np.array_equal(state, last), "a decision left no trace"
        last = state
        env.step(choose(env))
    assert env.state_space.contains(env.state())


@pytest.mark.parametrize("players", PLAYERS)
def test_p6__render_test(players: int) -> None:
    def make(render_mode: str) -> AECEnv:
        # the check always asks for "human" first; there is no window here
        return jerusalem_v0.env(players, render_mode=render_mode.replace("human", "ansi"))

    pettingzoo.test.render_test(make, custom_tests={"ansi": lambda text: "Round" in text})


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("limit", [1, 4, 25])
def test_p6__max_cycles(make: Callable[..., AECEnv], limit: int) -> None:
    """The watchdog ends a game after as many decisions as it says, for all agents at once."""
    env = make(4, skip_forced=False)
    env.reset(seed=0)
    env.unwrapped.states["decision_limit"] = limit
    choose, decisions = Player(0), 0
    while not is_done(env):
        env.step(choose(env))
        decisions += 1
    assert decisions == limit
    assert all(env.truncations.values())


# --- P12: truncation and illegal ends -----------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
def test_p12__the_watchdog_only_truncates(make: Callable[..., AECEnv], players: int) -> None:
    env = make(players)
    env.reset(seed=1)
    env.unwrapped.states["decision_limit"] = 30
    play_on(env, Player(1))
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    assert set(env.rewards.values()) == {0.0}
    totals = returns_of(env, Player(1))
    assert set(totals.values()) == {0.0}


@pytest.mark.parametrize("make", MAKERS)
def test_p12__a_game_to_its_end_only_terminates(make: Callable[..., AECEnv]) -> None:
    env = make(4)
    env.reset(seed=1)
    assert env.unwrapped.states["decision_limit"][0] == 10_000
    play_on(env, Player(1))
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("after", [0, 1, 40])
def test_p12__an_illegal_end_is_zero_sum_and_a_termination(players: int, after: int) -> None:
    env = jerusalem_v0.env(players)
    env.reset(seed=2)
    play_on(env, Player(2), after)
    offender = env.agent_selection
    illegal = int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[-1])
    env.step(illegal)
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}
    totals = returns_of(env, Player(2))
    assert totals.pop(offender) == -1
    assert list(totals.values()) == [pytest.approx(1 / (players - 1))] * (players - 1)


# --- P20: nothing is left over from an illegal end -----------------------------------------------
def trace(env: AECEnv, seed: int | None, most: int = 60) -> list[Any]:
    """What a loop sees of an episode."""
    env.reset(seed=seed)
    choose, seen = Player(7), []
    for agent in env.agent_iter(most):
        observation, reward, terminated, truncated, info = env.last()
        seen.append((agent, observation["observation"].tobytes(), reward, terminated, truncated))
        seen.append((observation["action_mask"].tobytes(), info, env.state().tobytes()))
        env.step(None if terminated or truncated else choose(env))
    return seen


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize("finished", [True, False])
def test_p20__an_episode_after_an_illegal_end_equals_a_fresh_one(
    players: int, observed: bool, finished: bool
) -> None:
    env = jerusalem_v0.env(players)
    env.reset(seed=4)
    play_on(env, Player(4), 30)
    if observed:
        env.last()
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0]))
    if finished:
        returns_of(env, Player(4))
    assert trace(env, 11) == trace(jerusalem_v0.env(players), 11)


def test_p20__a_position_after_an_illegal_end_equals_a_fresh_one() -> None:
    position = build_position({"players": 3}, phase="turn")

    def follow(env: AECEnv) -> list[Any]:
        env.set_position(position)
        choose, seen = Player(7), []
        for agent in env.agent_iter(60):
            observation, *rest = env.last()
            seen.append((agent, observation["observation"].tobytes(), rest))
            env.step(None if rest[1] or rest[2] else choose(env))
        illegal = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])
        offender = env.agent_selection
        env.step(illegal)
        return [*seen, env.rewards[offender], dict(env.terminations), dict(env.truncations)]

    used = jerusalem_v0.env(3)
    used.reset(seed=4)
    used.last()  # the wrapper remembers this mask
    expected = follow(jerusalem_v0.env(3))
    assert follow(used) == expected
    assert follow(used) == expected  # after the illegal end that `follow` makes
    assert expected[-3] == -1
    assert set(expected[-2].values()) == {True}


def test_p20__an_illegal_action_leaves_raw_env_as_it_was() -> None:
    env = jerusalem_v0.raw_env(4)
    env.reset(seed=4)
    play_on(env, Player(4), 30)
    before = (env.states.tobytes(), env.position(), dict(env.rewards), env.agent_selection)
    with pytest.raises(ValueError, match="is not legal"):
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0]))
    assert (env.states.tobytes(), env.position(), env.rewards, env.agent_selection) == before


# --- wrappers and registration ------------------------------------------------------------------
@pytest.mark.parametrize("name", ["jerusalem/jerusalem_v0"])
def test_make__by_pettingzoo(name: str) -> None:
    env = pettingzoo.make("aec", name)
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    rules = RuleSet(players=2, rounds=1)
    env = pettingzoo.make("aec", name, rules=rules, information="recall", skip_forced=False)
    assert len(env.possible_agents) == 2
    assert env.unwrapped.game.rules == rules
    assert env.unwrapped.game.information == "recall"
    assert env.unwrapped.game.skip_forced is False
    assert trace(pettingzoo.make("aec", name, players=3), 5) == trace(jerusalem_v0.env(3), 5)
    with pytest.raises(ValueError, match="players must be an integer"):
        pettingzoo.make("aec", name, players=5)


def test_env__set_position_begins_a_game() -> None:
    env = jerusalem_v0.env(3)
    with pytest.raises(AttributeError):
        _ = env.agent_selection
    env.set_position(build_position({"players": 3}, phase="turn"))
    for agent in env.agent_iter(5):
        assert env.last()[0]["action_mask"].any()
        env.step(Player(1)(env))
        assert agent in env.possible_agents


def test_env__keeps_the_name_of_the_game() -> None:
    assert str(jerusalem_v0.env()) == str(jerusalem_v0.raw_env()) == "jerusalem_v0"
    assert jerusalem_v0.env().metadata["name"] == "jerusalem_v0"


def test_raw_env__refuses_to_be_used_before_reset() -> None:
    env = jerusalem_v0.raw_env(3)
    for call in (
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        env.state,
        env.render,
        env.position,
    ):
        with pytest.raises(NotResetError, match="reset"):
            call()
