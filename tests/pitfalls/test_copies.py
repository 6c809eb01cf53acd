"""Copies and kept arrays: P10, P19 of the design."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from jerusalem_env import jerusalem_v0
from tests.scripted import Player, is_done

MAKERS: list[Callable[..., AECEnv]] = [jerusalem_v0.raw_env, jerusalem_v0.env]
COPIERS: list[Callable[[AECEnv], AECEnv]] = [
    copy.deepcopy,
    lambda env: pickle.loads(pickle.dumps(env)),
]


def look_at(env: AECEnv) -> list[Any]:
    """Everything that an environment shows now."""
    seen: list[Any] = [env.agent_selection, list(env.agents), env.render()]
    seen += [dict(env.rewards), dict(env.terminations), dict(env.truncations), dict(env.infos)]
    for agent in env.possible_agents:
        observation = env.observe(agent)
        seen += [observation["observation"].tobytes(), observation["action_mask"].tobytes()]
    return [*seen, env.state().tobytes(), env.unwrapped.states.tobytes(), env.position()]


def finish(env: AECEnv, choose: Player) -> list[Any]:
    """Play to the end; what the environment shows on the way and at the end."""
    seen = []
    while not is_done(env):
        seen.append((env.agent_selection, env.state().tobytes()))
        env.step(choose(env))
    return [*seen, look_at(env)]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("copier", COPIERS)
@pytest.mark.parametrize("players", [2, 4])
def test_p10__a_copy_at_every_ply_goes_on_identically_and_independently(
    make: Callable[..., AECEnv], copier: Callable[[AECEnv], AECEnv], players: int
) -> None:
    env = make(players, render_mode="ansi", information="recall")
    env.reset(seed=6)
    choose, copies = Player(6), []
    while not is_done(env):
        before = look_at(env)
        copies.append((copier(env), before, copy.deepcopy(choose)))
        assert look_at(copies[-1][0]) == before
        stranger = copier(env)
        stranger.step(Player(99)(stranger))
        assert look_at(env) == before, "stepping a copy changed the original"
        env.step(choose(env))
    end = look_at(env)
    for twin, before, player in copies:
        assert look_at(twin) == before, "stepping the original changed a copy"
        twin_steps = 0
        while not is_done(twin) and twin_steps < 12:
            twin.step(player(twin))
            twin_steps += 1
    for twin, _, player in (copies[0], copies[len(copies) // 2], copies[-1]):
        finish(twin, player)
        assert look_at(twin) == end
    assert look_at(env) == end


@pytest.mark.slow
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("copier", COPIERS)
def test_p10__every_copy_reaches_the_same_end(
    make: Callable[..., AECEnv], copier: Callable[[AECEnv], AECEnv]
) -> None:
    env = make(3, render_mode="ansi")
    env.reset(seed=8)
    choose, copies = Player(8), []
    while not is_done(env):
        copies.append((copier(env), copy.deepcopy(choose)))
        env.step(choose(env))
    end = look_at(env)
    for twin, player in copies:
        finish(twin, player)
        assert look_at(twin) == end


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("copier", COPIERS)
def test_p10__a_copy_draws_the_same_next_games(
    make: Callable[..., AECEnv], copier: Callable[[AECEnv], AECEnv]
) -> None:
    env = make(3)
    env.reset(seed=6)
    twin = copier(env)
    for _ in range(3):
        env.reset()
        twin.reset()
        assert env.unwrapped.game_seed == twin.unwrapped.game_seed
        assert env.position() == twin.position()


@pytest.mark.parametrize("copier", COPIERS)
def test_p10__before_the_first_reset(copier: Callable[[AECEnv], AECEnv]) -> None:
    for make in MAKERS:
        twin = copier(make(2))
        twin.reset(seed=1)
        assert twin.agents == ["player_0", "player_1"]


@pytest.mark.parametrize("make", MAKERS)
def test_p19__what_was_given_out_does_not_change(make: Callable[..., AECEnv]) -> None:
    env = make(4, information="recall", skip_forced=False)
    env.reset(seed=2)
    choose, kept = Player(2), []
    for _ in range(150):
        arrays = [env.state()]
        for agent in env.possible_agents:
            arrays += list(env.observe(agent).values())
        position = env.position()
        values = ([array.copy() for array in arrays], copy.deepcopy(position))
        kept.append((arrays, position, values))
        env.step(choose(env))
    changed = 0
    for (arrays, position, (old_arrays, old_position)), later in zip(
        kept[:50], kept[100:], strict=True
    ):
        for array, old, new in zip(arrays, old_arrays, later[0], strict=True):
            assert np.array_equal(array, old)
            assert not np.shares_memory(array, new)
            changed += not np.array_equal(old, new)
        assert position == old_position
    assert changed > 100, "nothing changed in 100 steps; the test shows nothing"


@pytest.mark.parametrize("make", MAKERS)
def test_p19__writing_into_what_was_given_out_changes_nothing(make: Callable[..., AECEnv]) -> None:
    env = make(3)
    env.reset(seed=2)
    before = env.position()
    for agent in env.possible_agents:
        for array in env.observe(agent).values():
            array[:] = 1
    env.state()[:] = 1
    env.position()["silver"][0] = 99
    env.position()["board"].clear()
    assert env.position() == before
    mask = env.observe(env.agent_selection)["action_mask"]
    assert 0 < mask.sum() < len(mask)
