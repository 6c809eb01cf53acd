"""The batch of all seats: independence, autoreset, rewards, errors."""

from __future__ import annotations

import numpy as np
import pytest

from jerusalem_env import IllegalActionError, NotResetError, RuleSet, jerusalem_v0
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.kernels import thread_limit
from tests.pitfalls.equipment import fields_of


def actions_of(env: BatchEnv, salt: int) -> np.ndarray:
    """A legal action for each game that depends on its record only, not on its place."""
    masks = np.zeros((env.num_games, env.game.num_actions), np.uint8)
    env.game.legal(env.states, masks)
    picks = (env.states["decisions"].astype(np.int64) * 7919 + salt) % masks.sum(
        axis=1, dtype=np.int64
    )
    return np.array([np.flatnonzero(mask)[pick] for mask, pick in zip(masks, picks, strict=True)])


@pytest.mark.parametrize("threads", sorted({1, thread_limit()}))
@pytest.mark.parametrize("num_games", [1, 3, 64])
def test_batch__games_do_not_depend_on_the_batch(num_games: int, threads: int) -> None:
    """P18: game i is the same in any batch with any number of threads."""
    large = jerusalem_v0.batch_env(200, threads=thread_limit())
    small = jerusalem_v0.batch_env(num_games, threads=threads)
    first = large.reset(seed=11)
    other = small.reset(seed=11)
    for step in range(300):
        for a, b in zip(first[:2], other[:2], strict=True):
            np.testing.assert_array_equal(a[:num_games], b)
        assert fields_of(large.states[:num_games]) == fields_of(small.states)
        first = large.step(actions_of(large, step))
        other = small.step(actions_of(small, step))


def test_batch__plays_the_game_of_raw_env_with_its_seed() -> None:
    batch = jerusalem_v0.batch_env(5)
    batch.reset(seed=3)
    seeds = batch.game.derive_seeds(3, 5, 0)
    singles = []
    for seed in seeds:
        env = jerusalem_v0.raw_env()
        env.reset(seed=int(seed))
        singles.append(env)
    returns = np.zeros((5, 4))
    open_games = set(range(5))
    for step in range(3000):
        actions = actions_of(batch, step)
        to_act = batch.to_act
        observations, _, rewards, terminated, _, _ = batch.step(actions)
        for game in sorted(open_games):
            env = singles[game]
            assert env.agent_selection == f"player_{to_act[game]}"
            env.step(int(actions[game]))
            returns[game] += rewards[game]
            if terminated[game]:
                open_games.remove(game)
                paid = [env.rewards[agent] for agent in env.possible_agents]
                np.testing.assert_allclose(returns[game], paid)  # P1
            else:
                seen = env.observe(env.agent_selection)["observation"]
                np.testing.assert_array_equal(seen, observations[game])
        if not open_games:
            return
    raise AssertionError("games did not end")


@pytest.mark.parametrize("reward", ["win", "rank", "margin"])
def test_batch__compiled_rewards_equal_the_documented_ones(reward: str) -> None:
    env = jerusalem_v0.batch_env(64, reward=reward)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    finished, paid = 0, 0.0
    for _ in range(1200):
        _, _, rewards, terminated, truncated, infos = env.step(env.sample_actions(rng))
        assert not truncated.any()
        np.testing.assert_allclose(rewards.sum(axis=1), 0, atol=1e-12)
        if terminated.any():
            expected = env.game.utilities(infos["final_states"])
            np.testing.assert_allclose(rewards[terminated], expected)
            paid += np.abs(expected).sum()
            finished += int(terminated.sum())
        assert (rewards[~terminated] == 0).all()
    assert finished > 60
    assert paid > 10


def test_batch__keeps_the_last_observation_and_fresh_masks() -> None:
    """P7, P11."""
    env = jerusalem_v0.batch_env(32, rules=RuleSet(rounds=1))
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(200):
        observations, masks, _, terminated, _, infos = env.step(env.sample_actions(rng))
        expected = np.zeros((32, 309), np.uint8)
        env.game.legal(env.states, expected)
        np.testing.assert_array_equal(masks, expected.astype(bool))
        assert masks.any(axis=1).all()  # P4
        if terminated.any():
            finals = infos["final_states"]
            np.testing.assert_array_equal(infos["finished"], np.flatnonzero(terminated))
            assert env.game.terminated(finals).all()
            for seat in range(4):
                last = env.game.observe(finals, np.full(len(finals), seat))
                np.testing.assert_array_equal(infos["final_observation"][:, seat], last)
            new = env.game.observe(env.states)
            np.testing.assert_array_equal(observations, new)
            assert (env.states["round"][terminated] == 1).all()
            seen += len(finals)
    assert seen > 32


def test_batch__truncates_without_reward() -> None:
    """P12."""
    env = jerusalem_v0.batch_env(4)
    env.reset(seed=0)
    env.states["decision_limit"] = 10
    rng = np.random.default_rng(0)
    truncations = np.zeros(4, bool)
    for _ in range(10):
        _, _, rewards, terminated, truncated, infos = env.step(env.sample_actions(rng))
        assert (rewards == 0).all()
        assert not terminated.any()
        if truncated.any():
            assert env.game.truncated(infos["final_states"]).all()
        truncations |= truncated
    assert truncations.all()


def test_batch__returned_arrays_stay_the_callers() -> None:
    """P19."""
    env = jerusalem_v0.batch_env(8)
    observations, masks, _ = env.reset(seed=2)
    kept = observations.copy(), masks.copy()
    rng = np.random.default_rng(2)
    for _ in range(100):
        env.step(env.sample_actions(rng))
    np.testing.assert_array_equal(observations, kept[0])
    np.testing.assert_array_equal(masks, kept[1])


def test_batch__illegal_action_changes_nothing() -> None:
    env = jerusalem_v0.batch_env(6)
    env.reset(seed=0)
    before = env.states.tobytes()
    actions = env.sample_actions(np.random.default_rng(0))
    for wrong in (0, -1, 309, 300):  # the opener may not pass (R4.3)
        actions[4] = wrong
        with pytest.raises(IllegalActionError, match=r"game 4.*legal: open"):
            env.step(actions)
        assert env.states.tobytes() == before
    for bad in (actions[:5], actions.astype(float), [[1] * 6]):
        with pytest.raises(IllegalActionError, match="6 integers"):
            env.step(np.asarray(bad))
    assert env.states.tobytes() == before


def test_batch__bad_arguments_are_named() -> None:
    with pytest.raises(NotResetError):
        jerusalem_v0.batch_env(2).step(np.zeros(2, int))
    with pytest.raises(ValueError, match="num_games"):
        jerusalem_v0.batch_env(0)
    with pytest.raises(ValueError, match="threads"):
        jerusalem_v0.batch_env(2, threads=10_000)
    with pytest.raises(ValueError, match="observation_dtype"):
        jerusalem_v0.batch_env(2, observation_dtype="float64")
    with pytest.raises(ValueError, match="seed"):
        jerusalem_v0.batch_env(2).reset(seed=-1)


def test_batch__without_observations_plays_the_same() -> None:
    with_them, without = (
        jerusalem_v0.batch_env(16),
        jerusalem_v0.batch_env(16, observation_dtype=None, copy=False),
    )
    with_them.reset(seed=5)
    assert without.reset(seed=5)[0].shape == (16, 0)
    rng = np.random.default_rng(5)
    for _ in range(600):
        actions = with_them.sample_actions(rng)
        with_them.step(actions)
        without.step(actions)
    assert fields_of(with_them.states) == fields_of(without.states)


def test_sampling__is_uniform_over_the_legal_actions() -> None:
    env = jerusalem_v0.batch_env(4000)
    _, masks, _ = env.reset(seed=0)
    legal = np.flatnonzero(masks[0])
    counts = np.bincount(env.sample_actions(np.random.default_rng(3)), minlength=309)
    assert counts.sum() == counts[legal].sum() == 4000
    assert (np.abs(counts[legal] - 1000) < 150).all()
