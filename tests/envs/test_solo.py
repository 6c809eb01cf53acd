"""One seat against bots: the gymnasium environment, the tables and the stable-baselines3 VecEnv."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from jerusalem_env import IllegalActionError, NotResetError, RuleSet, jerusalem_v0
from jerusalem_env.chance import sample_legal
from jerusalem_env.envs.opponents import UniformOpponent
from jerusalem_env.envs.sb3 import SoloVecEnv
from jerusalem_env.envs.tables import Tables
from jerusalem_env.jerusalem.game import JerusalemGame

SHORT = RuleSet(players=3, rounds=1)


class Counting(UniformOpponent):
    """A bot that remembers how many decisions it took, and that its masks were legal ones."""

    compiled = None

    def __init__(self) -> None:
        super().__init__()
        self.decisions = 0

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        assert masks.any(axis=1).all()
        assert (views["observer"] == 0).all()
        assert (views["to_act"] == 0).all()
        assert (views["hand"][:, 1:] == -1)[:, : views["players"][0] - 1].all()
        self.decisions += len(views)
        return super().act(views, masks)


def test_solo__passes_the_checkers_without_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """P6."""
    from stable_baselines3.common.env_checker import check_env as check_sb3

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # for render_mode="human"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("Jerusalem-v0", players=3)
        check_env(env.unwrapped, skip_render_check=False)
        check_sb3(env.unwrapped)


def test_solo__rewards_are_the_engines_for_the_learners_seat() -> None:
    """P1: the learner's summed reward is its seat's utility, losses included."""
    env = jerusalem_v0.solo_env(rules=SHORT)
    rng = np.random.default_rng(0)
    totals = []
    for seed in range(40):
        _, info = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            legal = np.flatnonzero(info["action_mask"])
            np.testing.assert_array_equal(env.action_masks(), info["action_mask"].astype(bool))
            _, reward, terminated, truncated, info = env.step(int(rng.choice(legal)))
            total += reward
            done = terminated or truncated
        state = env._tables.arrays.finals
        assert total == env.game.utilities(state)[0, info["seat"]]
        totals.append(total)
    assert set(totals) == {1.0, -0.5}


def test_solo__seats_are_uniform_and_can_be_fixed() -> None:
    tables = Tables(JerusalemGame(rules=SHORT), 3000, threads=1)
    tables.reset(0)
    counts = np.bincount(tables.seats, minlength=3)
    assert (np.abs(counts - 1000) < 120).all()
    fixed = Tables(JerusalemGame(rules=SHORT), 10, seat=2)
    fixed.reset(0)
    assert (fixed.seats == 2).all()
    assert (fixed.game.to_act(fixed.states) == 2).all()


def test_solo__every_bot_is_used_and_sees_views_only() -> None:
    bots = [Counting(), Counting()]
    tables = Tables(JerusalemGame(players=4), 50, bots)
    tables.reset(1)
    assert min(bot.decisions for bot in bots) > 10


def test_solo__illegal_action_loses_or_raises() -> None:
    env = jerusalem_v0.solo_env(rules=SHORT)
    _, info = env.reset(seed=0)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == illegal
    with pytest.raises(NotResetError):
        env.step(illegal)
    strict = jerusalem_v0.solo_env(rules=SHORT, illegal="raise")
    strict.reset(seed=0)
    before = strict._tables.states.tobytes()
    for bad in (illegal, -1, 309, 1.5, True, None):
        with pytest.raises(IllegalActionError):
            strict.step(bad)  # type: ignore[arg-type]
    assert strict._tables.states.tobytes() == before


def test_solo__seeds_reproduce() -> None:
    runs = []
    for _ in range(2):
        env = jerusalem_v0.solo_env(rules=SHORT)
        rng = np.random.default_rng(4)
        seen = [env.reset(seed=9)[0]]
        for _ in range(40):
            observation, _, terminated, _, _ = env.step(
                int(rng.choice(np.flatnonzero(env.action_masks())))
            )
            seen.append(env.reset()[0] if terminated else observation)
        runs.append(np.stack(seen))
    np.testing.assert_array_equal(runs[0], runs[1])
    assert len(np.unique(runs[0], axis=0)) > 20


def test_vec_env__gives_masks_rewards_and_last_observations() -> None:
    """P1, P7, P11: what stable-baselines3 reads of the VecEnv."""
    game = JerusalemGame(rules=SHORT)
    env = SoloVecEnv(game, 12, [UniformOpponent()], seed=3)
    rng = np.random.default_rng(0)
    observations = env.reset()
    finished = 0
    for _ in range(150):
        masks = np.stack(env.env_method("action_masks"))
        expected = np.zeros((12, 309), np.uint8)
        game.legal(env.tables.states, expected)
        np.testing.assert_array_equal(masks, expected.astype(bool))
        assert (game.to_act(env.tables.states) == env.tables.seats).all()
        np.testing.assert_array_equal(observations, env.tables.observations)
        observations, rewards, dones, infos = env.step(sample_legal(env.tables.masks, rng))
        assert set(np.unique(rewards[dones])) <= {np.float32(1.0), np.float32(-0.5)}
        assert (rewards[~dones] == 0).all()
        for table in np.flatnonzero(dones):
            assert infos[table]["terminal_observation"].shape == (game.observation_size,)
            assert not infos[table]["TimeLimit.truncated"]
            assert infos[table]["episode"]["r"] == rewards[table]
            finished += 1
    assert finished > 20
    assert {round(r, 3) for r in env.episode_rewards} == {1.0, -0.5}
    assert list(env.episode_wins) == [reward > 0 for reward in env.episode_rewards]


def test_vec_env__refuses_illegal_actions() -> None:
    env = SoloVecEnv(JerusalemGame(rules=SHORT), 2)
    env.reset()
    with pytest.raises(IllegalActionError, match="table 0"):
        env.step(np.array([308, 308]))


def test_vec_env__every_reset_deals_other_games() -> None:
    env, again = (SoloVecEnv(JerusalemGame(rules=SHORT), 6, seed=4) for _ in range(2))
    first, second = env.reset(), env.reset()
    assert (first != second).any()
    np.testing.assert_array_equal(again.reset(), first)
    np.testing.assert_array_equal(again.reset(), second)
    env.seed(4)
    np.testing.assert_array_equal(env.reset(), first)


def test_tables__bad_arguments_are_named() -> None:
    game = JerusalemGame(rules=SHORT)
    for number in (0, 2.5, True):
        with pytest.raises(ValueError, match="number of tables"):
            Tables(game, number)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"unknown agent 'gready'.*greedy"):
        Tables(game, 1, ["random", "gready"])
    with pytest.raises(ValueError, match=r"needs act.*got 7"):
        Tables(game, 1, [7])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="at least one"):
        Tables(game, 1, [])
    with pytest.raises(ValueError, match="seed"):
        SoloVecEnv(game, 1, seed=-1)
