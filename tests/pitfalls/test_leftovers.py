"""Pitfalls P19, P20: buffers, and what an episode leaves over."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from jerusalem_env import IllegalActionError
from jerusalem_env.games import make_raw_env
from tests.ierusalem.random_rules import other_data
from tests.pitfalls.equipment import (
    FORMS,
    episode,
    fingerprint,
    illegal_action,
    is_over,
    play_out,
    random_action,
)


# --- P19: buffers ---------------------------------------------------------------------------------
@pytest.mark.parametrize(("make", "players"), FORMS)
def test_arrays__stay_as_they_were_given(make: Callable[..., Any], players: int) -> None:
    """P19: what was stored is unchanged 60 steps later, and nobody shares it."""
    env = make(players=players)
    env.reset(seed=6)
    rng = np.random.default_rng(6)
    given: list[np.ndarray] = []
    for _ in range(10):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            given += [seen["observation"], seen["action_mask"]]
        given.append(env.last()[0]["observation"])
        given.append(env.state())
        env.step(random_action(env, rng))
    position = env.position()
    written = repr(position)
    kept = [array.copy() for array in given]
    for _ in range(60):
        env.step(random_action(env, rng))
        env.observe(env.agent_selection)
        env.state()
    for array, before in zip(given, kept, strict=True):
        np.testing.assert_array_equal(array, before)
    assert repr(position) == written
    for index, array in enumerate(given):
        assert not any(np.shares_memory(array, other) for other in given[index + 1 : index + 9])


@pytest.mark.parametrize(("make", "players"), FORMS)
def test_arrays__are_the_callers_to_write_into(make: Callable[..., Any], players: int) -> None:
    """P19: the other way round, writing into what was given changes no game."""
    env, untouched = make(players=players), make(players=players)
    env.reset(seed=8)
    untouched.reset(seed=8)
    rng = np.random.default_rng(8)
    while not is_over(untouched):
        waiting = next(a for a in env.possible_agents if a != env.agent_selection)
        seen = env.observe(waiting)
        seen["observation"][:] = 1
        seen["action_mask"][:] = 1
        env.unwrapped.observe(env.agent_selection)["action_mask"][:] = 0
        env.state()[:] = 0
        position = env.position()
        for value in position.values():
            if isinstance(value, (list, dict)):
                value.clear()
        action = random_action(untouched, rng)
        env.step(action)
        untouched.step(action)
        assert fingerprint(env) == fingerprint(untouched)


# --- P20: what an episode leaves over -------------------------------------------------------------
def end_illegally(env: Any) -> None:
    """End a game by an illegal action, or get the error for it."""
    if env is env.unwrapped:
        with pytest.raises(IllegalActionError):
            env.step(illegal_action(env))
    else:
        env.observe(env.agent_selection)
        env.step(illegal_action(env))
        assert is_over(env)


def end_illegally_and_leave(env: Any) -> None:
    """The same, and every agent takes its leave."""
    end_illegally(env)
    if env is not env.unwrapped:
        while env.agents:
            env.step(None)


def end_truncated(env: Any) -> None:
    """Let the watchdog stop the game; its limit is a setting and stays until it is set again."""
    limit = env.states["decision_limit"].copy()
    env.states["decision_limit"] = 15
    play_out(env, np.random.default_rng(0))
    env.states["decision_limit"] = limit
    assert set(env.truncations.values()) == {True}


def end_nowhere(env: Any) -> None:
    """Break off in the middle."""
    play_out(env, np.random.default_rng(0), most=40)
    env.observe(env.agent_selection)


def end_properly(env: Any) -> None:
    """Play to the end, and every agent takes its leave."""
    play_out(env, np.random.default_rng(0))
    while env.agents:
        env.step(None)


def end_properly_and_stay(env: Any) -> None:
    """Play to the end; the results are still in the infos."""
    play_out(env, np.random.default_rng(0))
    assert any(env.infos.values())


OTHER_RULES: dict[str, dict[str, Any]] = {
    "jerusalem_v0": {"players": 3, "rounds": 2, "influence_ignores_baron": True},
    "ierusalem_v0": {"players": 4, "orange_scores": "own", "data": other_data()},
}


def end_in_another_rule_set(env: Any) -> None:
    """Go on from a position with other switches."""
    game = env.unwrapped.game.name
    other = make_raw_env(game, OTHER_RULES[game])
    other.reset(seed=0)
    play_out(other, np.random.default_rng(0), most=20)
    env.set_position(other.position())
    play_out(env, np.random.default_rng(0), most=5)


ENDS = (
    end_illegally,
    end_illegally_and_leave,
    end_truncated,
    end_nowhere,
    end_properly,
    end_properly_and_stay,
    end_in_another_rule_set,
)


@pytest.mark.parametrize(("make", "players"), FORMS)
@pytest.mark.parametrize("end", ENDS)
def test_second_episode__equals_a_fresh_instances(
    make: Callable[..., Any], players: int, end: Callable[[Any], None]
) -> None:
    """P20: however the first one ended."""
    env = make(players=players)
    env.reset(seed=1)
    play_out(env, np.random.default_rng(1), most=10)
    end(env)
    assert episode(env, 9) == episode(make(players=players), 9)


@pytest.mark.parametrize(("make", "players"), FORMS)
@pytest.mark.parametrize("end", ENDS)
def test_position__set_after_an_episode_equals_a_fresh_instances(
    make: Callable[..., Any], players: int, end: Callable[[Any], None]
) -> None:
    """P20: ``set_position`` begins a game as well as ``reset``, however the one before ended."""
    source = make(players=players)
    source.reset(seed=2)
    play_out(source, np.random.default_rng(2), most=30)
    runs = []
    for first in (end, None):
        env = make(players=players)
        if first is not None:
            env.reset(seed=1)
            first(env)
        env.set_position(source.position())
        runs.append(play_out(env, np.random.default_rng(3)))
    assert runs[0] == runs[1]
    assert len(runs[0]) > 20


@pytest.mark.parametrize(("name", "actions"), [("Jerusalem-v0", 309), ("Ierusalem-v0", 240)])
def test_gymnasium__does_not_warn_of_the_registered_id(name: str, actions: int) -> None:
    """P6: the id is known, once, and made without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(name, players=4)
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    assert env.action_space.n == actions


@pytest.mark.parametrize(("make", "players"), FORMS[1::2])
def test_arrays__a_mask_written_into_does_not_change_what_is_legal(
    make: Callable[..., Any], players: int
) -> None:
    env = make(players=players)
    env.reset(seed=0)
    agent = env.agent_selection
    observation = env.observe(agent)
    assert observation is not None
    observation["action_mask"][:] = 1
    env.step(0)  # the first decision is no pass
    assert env.terminations[agent]
    assert env.unwrapped.rewards[agent] == -1.0
