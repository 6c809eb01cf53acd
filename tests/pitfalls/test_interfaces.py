"""Pitfalls P6, P10, P12: checkers, copies, truncation and illegal ends."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest

from jerusalem_env import ierusalem_v0, jerusalem_v0
from jerusalem_env.game import Information
from tests.pitfalls.equipment import (
    CONVENTION,
    FORMS,
    SITTINGS,
    TABLES,
    Print,
    episode,
    fingerprint,
    illegal_action,
    is_over,
    play_out,
    random_action,
)

ENVS = tuple(table for table in TABLES if table[0] in (jerusalem_v0.env, ierusalem_v0.env))


# --- P6: other people's checkers ------------------------------------------------------------------
@pytest.mark.parametrize(("make", "players", "information"), SITTINGS)
def test_pettingzoo__checkers_pass_without_warnings(
    make: Callable[..., Any], players: int, information: Information
) -> None:
    """P6: ``api_test``, ``seed_test`` and the test of the state space."""
    from pettingzoo.test import api_test, seed_test
    from pettingzoo.test.state_test import test_state_space as check_state_space

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for told_of_every_masked_game in CONVENTION:
            warnings.filterwarnings("ignore", told_of_every_masked_game)
        api_test(make(players=players, information=information), num_cycles=300)
        seed_test(lambda: make(players=players, information=information), num_cycles=100)
        check_state_space(make(players=players, information=information))


@pytest.mark.parametrize(("make", "players"), ENVS)
def test_pettingzoo__state_stays_in_its_space(make: Callable[..., Any], players: int) -> None:
    """P6: ``state_test`` with its random, mostly illegal actions."""
    from pettingzoo.test import state_test

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state_test(make(players=players), make(players=players))


@pytest.mark.parametrize(("make", "players"), FORMS)
def test_pettingzoo__render_test_passes(
    make: Callable[..., Any], players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P6, P23: every declared mode, after a first "human" by which the checker reads them."""
    from pettingzoo.test import render_test

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    asked = []

    def made(render_mode: str) -> Any:
        asked.append(render_mode)
        return make(players=players, render_mode=render_mode)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        render_test(made)
    assert asked == ["human", *make(players=players).metadata["render_modes"]]


@pytest.mark.parametrize(("make", "players"), ENVS)
def test_pettingzoo__makes_the_environment_by_name(make: Callable[..., Any], players: int) -> None:
    """P6: the registered name gives ``env()`` with the options passed on."""
    direct = make(players=players, reward="rank")
    made = pettingzoo.make("aec", f"jerusalem/{direct}", players=players, reward="rank")
    assert str(made) == str(direct) == direct.unwrapped.game.name
    assert len(made.possible_agents) == players
    made.reset(seed=5)
    direct.reset(seed=5)
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    assert play_out(made, rng) == play_out(direct, other)


def test_spaces__are_the_same_objects_at_every_call() -> None:
    """P6: a space that is made anew forgets its seed."""
    for make, players in FORMS:
        env = make(players=players)
        for agent in env.possible_agents:
            assert env.observation_space(agent) is env.observation_space(agent)
            assert env.action_space(agent) is env.action_space(agent)


# --- P10: copies ----------------------------------------------------------------------------------
def pickled(env: Any) -> Any:
    """A copy by way of bytes."""
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize(("make", "players"), FORMS)
@pytest.mark.parametrize("copied", [copy.deepcopy, pytest.param(pickled, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rendering", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_copies__made_at_every_ply_go_on_identically(
    make: Callable[..., Any], players: int, copied: Callable[[Any], Any], rendering: bool
) -> None:
    """P10: a chain of copies plays the original's game; kept copies do not move."""
    original = make(players=players, render_mode="ansi" if rendering else None)
    original.reset(seed=11)
    chain = copied(original)
    kept: list[tuple[Any, Print]] = []
    rng = np.random.default_rng(0)
    while not is_over(original):
        if rendering:
            assert original.render() == chain.render()
        action = random_action(original, rng)
        if len(kept) < 8 or rng.random() < 0.05:
            kept.append((copied(chain), fingerprint(original)))
        original.last()
        original.step(action)
        chain.step(action)
        chain = copied(chain)
        assert fingerprint(chain) == fingerprint(original)
    for env, before in kept:
        assert fingerprint(env) == before, "playing on moved a copy"
    middle, _ = kept[5]
    final = fingerprint(original)
    play_out(middle, np.random.default_rng(1))
    assert fingerprint(original) == final, "playing a copy moved the original"
    original.reset()
    chain.reset()
    assert fingerprint(chain) == fingerprint(original), "the next game is another"
    assert original.unwrapped.game_seed != 11


@pytest.mark.parametrize(("make", "players"), FORMS[1::2])
def test_copies__leave_the_kernels_where_they_are(make: Callable[..., Any], players: int) -> None:
    """A deep copy shares the game, which nothing changes; a pickle is small, and whole again."""
    game = make(players=players).unwrapped.game
    assert copy.deepcopy(game) is game
    data = pickle.dumps(game)
    again = pickle.loads(data)
    assert len(data) < 100_000
    assert vars(again).keys() == vars(game).keys()
    assert again.simulation is game.simulation
    game.simulation = None
    assert pickle.loads(pickle.dumps(game)).simulation is None, "a replaced one is kept"


@pytest.mark.parametrize(("make", "players"), FORMS[1::2])
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_copies__before_the_first_reset_and_after_an_illegal_end(
    make: Callable[..., Any], players: int, copied: Callable[[Any], Any]
) -> None:
    """P10: the moments at which there is no game."""
    env = make(players=players)
    fresh = copied(env)
    assert episode(fresh, 3) == episode(env, 3)
    env.reset(seed=1)
    offender, others = env.agent_selection, 1 / (players - 1)
    env.step(illegal_action(env))
    ended = copied(env)
    assert fingerprint(ended) == fingerprint(env)
    for one in (env, ended):
        for agent in one.agent_iter():
            assert one.last()[1] == (-1.0 if agent == offender else others)
            one.step(None)
    assert episode(ended, 3) == episode(fresh, 3)


# --- P12: truncation and illegal ends -------------------------------------------------------------
@pytest.mark.parametrize(("make", "players"), TABLES)
@pytest.mark.parametrize("skip_forced", [True, False])
def test_truncation__is_no_termination(
    make: Callable[..., Any], players: int, skip_forced: bool
) -> None:
    """P12: the watchdog sets ``truncations`` only, pays nothing and leaves no legal action."""
    env = make(players=players, skip_forced=skip_forced)
    rng = np.random.default_rng(0)
    for limit in (12, 30):
        env.reset(seed=limit)
        env.states["decision_limit"] = limit
        taken = 0
        while not is_over(env):
            env.step(random_action(env, rng))
            taken += 1
        assert taken == limit if not skip_forced else taken <= limit
        assert env.states["decisions"][0] >= limit
        assert set(env.truncations.values()) == {True}
        assert set(env.terminations.values()) == {False}
        seen = []
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            assert (reward, terminated, truncated, info) == (0.0, False, True, {})
            assert not observation["action_mask"].any()
            seen.append(agent)
            env.step(None)
        assert sorted(seen) == env.possible_agents


@pytest.mark.parametrize(("make", "players"), ENVS)
@pytest.mark.parametrize("after", [0, 25])
def test_illegal_end__is_a_zero_sum_termination(
    make: Callable[..., Any], players: int, after: int
) -> None:
    """P12: the offender loses 1, the others share it; terminated and not truncated."""
    env = make(players=players)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in range(after):
        env.step(random_action(env, rng))
    offender = env.agent_selection
    env.step(illegal_action(env))
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}
    totals = {}
    for agent in env.agent_iter():
        observation, totals[agent], terminated, truncated, _ = env.last()
        assert (terminated, truncated) == (True, False)
        assert not observation["action_mask"].any()
        env.step(None)
    assert len(totals) == players
    assert totals.pop(offender) == -1.0
    np.testing.assert_allclose(list(totals.values()), 1 / (players - 1))


def test_normal_end__is_a_termination() -> None:
    """P12: the other way round, so that the flags are not simply swapped."""
    for make, players in FORMS:
        env = make(players=players)
        episode(env, 0)
        assert set(env.terminations.values()) == {True}
        assert set(env.truncations.values()) == {False}
        assert any(env.rewards.values())
