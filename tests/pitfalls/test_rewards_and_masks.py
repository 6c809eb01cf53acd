"""Pitfalls P1, P2, P4, P5: rewards in every seat, masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet, ierusalem_v0, jerusalem_v0
from tests.pitfalls.equipment import (
    LONGEST,
    MAKERS,
    REWARDS,
    TABLES,
    expected_returns,
    is_over,
    random_action,
    returns_by_last,
)


# --- P1, P2: rewards ------------------------------------------------------------------------------
@pytest.mark.parametrize(("make", "players"), TABLES)
@pytest.mark.parametrize("reward", REWARDS)
def test_rewards__reach_every_seat_in_full(
    make: Callable[..., Any], players: int, reward: str
) -> None:
    """P1: what a loop adds up is what the final position pays; losers get their loss."""
    env = make(players=players, reward=reward)
    rng = np.random.default_rng(players)
    lost = [0.0] * players
    for seed in range(20):
        env.reset(seed=seed)
        totals = returns_by_last(env, rng)
        expected = expected_returns(env.position(), reward)
        np.testing.assert_allclose(totals, expected, atol=1e-12)
        np.testing.assert_allclose(totals, env.unwrapped.game.utilities(env.states)[0])
        lost = [loss + min(total, 0.0) for loss, total in zip(lost, totals, strict=True)]
    assert max(lost) < 0, "a seat never lost anything"


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [*(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3)), 4])
def test_batch_rewards__are_those_of_the_final_positions(players: int, reward: str) -> None:
    """P1: nothing is paid before the end, and at the end what the final position says."""
    env = jerusalem_v0.batch_env(32, rules=RuleSet(players=players, rounds=2), reward=reward)
    env.reset(seed=players)
    rng = np.random.default_rng(players)
    totals = np.zeros((32, players))
    finished = 0
    while finished < 64:
        _, _, rewards, terminated, _, infos = env.step(env.sample_actions(rng))
        totals += rewards
        finals = infos.get("final_states", ())
        for place, final in zip(np.flatnonzero(terminated), finals, strict=True):
            expected = expected_returns(env.game.write_position(final), reward)
            np.testing.assert_allclose(totals[place], expected, atol=1e-12)
            totals[place] = 0
            finished += 1


# Seat 0 opens, places and plays, seat 1 takes the other office, seat 2 does nothing.
SCRIPT = (
    *("open treasurer", "bid 0", "pass", "pass", "open marshal", "bid 0", "pass"),
    *("draft squire", "draft prestige_2"),
    *("place palace.large",) * 6,
    *("dismiss palace.large",) * 6,
    *("play squire", "place palace.large", "pass", "pass", "pass"),
)


# By reward: what the opener, the second and the third seat get.
RETURNS = {"win": (1.0, -0.5, -0.5), "rank": (1.0, 0.0, -1.0), "margin": (0.15, 0.0, -0.15)}


@pytest.mark.parametrize("opener", range(3))
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("make", MAKERS)
def test_returns__of_a_scripted_game(make: Callable[..., Any], reward: str, opener: int) -> None:
    """P2: the table of returns by seat, with the signs where they belong."""
    rules = RuleSet(players=3, rounds=1, first_opener=opener)
    env = make(rules=rules, reward=reward, skip_forced=False)
    env.reset(seed=4)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    script = list(SCRIPT)
    for agent in env.agent_iter():
        _, paid, terminated, truncated, _ = env.last()
        totals[agent] += paid
        assert paid == 0 or terminated
        ended = terminated or truncated
        env.step(None if ended else env.action_names.index(script.pop(0)))
    assert not script
    np.testing.assert_allclose(list(totals.values()), np.roll(RETURNS[reward], opener))


# --- P4, P5: masks --------------------------------------------------------------------------------
@pytest.mark.parametrize(("make", "players"), TABLES)
@pytest.mark.parametrize("skip_forced", [True, False])
def test_masks__only_who_acts_has_legal_actions(
    make: Callable[..., Any], skip_forced: bool, players: int
) -> None:
    """P4: whoever is to act has an action, who waits has none, and nobody has once it is over."""
    env = make(players=players, skip_forced=skip_forced)
    rng = np.random.default_rng(1)
    fewest = LONGEST
    for seed in range(3):
        env.reset(seed=seed)
        while not is_over(env):
            for agent in env.possible_agents:
                legal = int(env.observe(agent)["action_mask"].sum())
                if agent == env.agent_selection:
                    fewest = min(fewest, legal)
                    assert legal > 0
                else:
                    assert legal == 0
            env.step(random_action(env, rng))
        for agent in env.possible_agents:
            assert not env.observe(agent)["action_mask"].any()
    assert fewest == (2 if skip_forced else 1)


@pytest.mark.parametrize(("module", "players"), [(jerusalem_v0, 3), (ierusalem_v0, 4)])
def test_masks__have_the_dtypes_that_readers_want(module: Any, players: int) -> None:
    """P5: int8 that ``Discrete.sample`` takes in the AEC environment, bool in the others."""
    env = module.env(players=players)
    env.reset(seed=0)
    for agent in env.possible_agents:
        env.action_space(agent).seed(0)
    sampled = set()
    while not is_over(env):
        agent = env.agent_selection
        seen = env.observe(agent)
        mask = seen["action_mask"]
        assert mask.dtype == np.int8
        assert seen["observation"].dtype == np.float32
        assert set(np.unique(mask)) <= {0, 1}
        assert env.observation_space(agent).contains(seen)
        action = env.action_space(agent).sample(mask)
        assert mask[action] == 1
        sampled.add(int(action))
        env.step(action)
    assert len(sampled) > 20
    batch = module.batch_env(3)
    assert batch.reset(seed=0)[1].dtype == np.bool_
    assert batch.step(batch.sample_actions(np.random.default_rng(0)))[1].dtype == np.bool_
    solo = module.solo_env(players=players)
    solo.reset(seed=0)
    assert solo.action_masks().dtype == np.bool_
