"""Tables with one learner: compiled bots, the VectorEnv, independence of tables."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from agents.greedy import GreedyAgent
from agents.registry import make_agent
from jerusalem_env import IllegalActionError, NotResetError, RuleSet, jerusalem_v0
from jerusalem_env.chance import sample_legal
from jerusalem_env.envs.opponents import UniformOpponent
from jerusalem_env.envs.sb3 import SoloVecEnv
from jerusalem_env.envs.tables import Tables
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.kernels import kernel, thread_limit
from jerusalem_env.policies import CompiledPolicy
from tests.pitfalls.equipment import fields_of

SHORT = RuleSet(players=3, rounds=1)


class Plain:
    """A bot without its kernel, so that tables ask it from Python."""

    name = "plain"

    def __init__(self, bot: Any) -> None:
        self.bot = bot

    def reset(self, seed: int) -> None:
        self.bot.reset(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions: np.ndarray = self.bot.act(views, masks)
        return actions


ALL_KINDS = [(players, mode) for players in (2, 3, 4) for mode in ("screen", "recall")]


@pytest.mark.parametrize(
    ("players", "information"),
    [
        pytest.param(*kind, marks=[pytest.mark.slow] if kind != (4, "screen") else [])
        for kind in ALL_KINDS
    ],
)
def test_tables__compiled_bots_play_as_called_ones(players: int, information: Any) -> None:
    """Step for step to the end of games; greedy has no chance of its own."""
    game = JerusalemGame(players, information=information, reward="margin")
    bots = [GreedyAgent(), make_agent("greedy")]
    compiled, called = (Tables(game, 24, some) for some in (bots, [Plain(b) for b in bots]))
    assert (compiled.compiled, called.compiled) == (True, False)
    compiled.reset(5)
    called.reset(5)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(400):
        for name in ("states", "masks", "observations", "seats"):
            one, other = getattr(compiled, name), getattr(called, name)
            np.testing.assert_array_equal(one, other, err_msg=name)
        assert (game.to_act(compiled.states) == compiled.seats).all()
        finished = compiled.step(actions := sample_legal(compiled.masks, rng))
        np.testing.assert_array_equal(finished, called.step(actions))
        for name in ("rewards", "terminated", "truncated", "faults", "episodes", "bots"):
            one, other = getattr(compiled.arrays, name), getattr(called.arrays, name)
            np.testing.assert_array_equal(one, other)
        last = compiled.final_observations(finished)
        np.testing.assert_array_equal(last, called.final_observations(finished))
        ended += len(finished)
    assert ended > 24


@pytest.mark.parametrize(
    "opponents", ["random", pytest.param(("random", "greedy"), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("threads", sorted({1, thread_limit()}))
@pytest.mark.parametrize("size", [1, 3, 150])
def test_tables__do_not_depend_on_each_other(size: int, threads: int, opponents: Any) -> None:
    """P18: the bots' chance too comes from the table's own seeds."""
    game = JerusalemGame()
    large, small = Tables(game, 200, opponents), Tables(game, size, opponents, threads=threads)
    large.reset(9)
    small.reset(9)
    for step in range(150):
        assert fields_of(large.states[:size]) == fields_of(small.states)
        np.testing.assert_array_equal(large.observations[:size], small.observations)
        actions = sample_legal(large.masks, np.random.default_rng(step))
        large.step(actions)
        small.step(actions[:size])
        np.testing.assert_array_equal(large.arrays.rewards[:size], small.arrays.rewards)
    assert (small.arrays.episodes > 0).any()


def test_tables__rewards_are_the_engines() -> None:
    """P1, P21: summed over many games, for every seat; losers get their loss."""
    game = JerusalemGame(rules=SHORT, reward="rank")
    tables = Tables(game, 300, threads=1)
    tables.reset(2)
    rng = np.random.default_rng(2)
    seen: list[tuple[int, float]] = []
    for _ in range(80):
        finished = tables.step(sample_legal(tables.masks, rng))
        utilities = game.utilities(tables.arrays.finals[finished])
        for row, table in enumerate(finished):
            seat = int(tables.arrays.final_seats[table])
            assert tables.arrays.rewards[table] == utilities[row, seat]
            seen.append((seat, float(tables.arrays.rewards[table])))
        going_on = np.delete(np.arange(300), finished)
        assert (tables.arrays.rewards[going_on] == 0).all()
    assert {reward for _, reward in seen} == {-1.0, 0.0, 1.0}
    counts = np.bincount([seat for seat, _ in seen], minlength=3)
    assert (np.abs(counts / len(seen) - 1 / 3) < 0.06).all()


def test_tables__random_bots_are_uniform() -> None:
    """Every legal first action of a bot comes as often as any other."""
    game = JerusalemGame()
    tables = Tables(game, 4000, UniformOpponent(), seat=0)
    tables.reset(0)
    opened = tables.states["decisions"] > 0  # a bot opened the first auction: its office is known
    office = tables.states["auction_office"][opened]
    first = office[tables.states["seat_of_office"][opened].max(axis=1) < 0]
    counts = np.bincount(first[first >= 0], minlength=4)
    assert counts.sum() > 1500
    assert (np.abs(counts / counts.sum() - 0.25) < 0.04).all()


@kernel
def _cheat(view, mask, words, key, parameters):  # type: ignore[no-untyped-def]
    return parameters[0]


class Cheat(UniformOpponent):
    """Always chooses the same action, legal or not."""

    name = "cheat"
    compiled = CompiledPolicy("cheat", _cheat, np.array([308]))

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.full(len(views), 308)


def _maker(add: int) -> Any:
    """A kernel that differs from others by its closure alone."""

    @kernel
    def _first(view, mask, words, key, parameters):  # type: ignore[no-untyped-def]
        found = 0
        for action in range(mask.shape[0]):
            if mask[action] != 0:
                found = action
                if add == 0:
                    break
        return found

    return _first


class Choosing(UniformOpponent):
    """Plays the kernel it is given."""

    def __init__(self, choose: Any, needs_view: bool = True) -> None:
        super().__init__()
        self.compiled = CompiledPolicy("choosing", choose, np.zeros(0), needs_view)


@pytest.mark.slow
def test_tables__bots_that_differ_by_a_closure_are_told_apart() -> None:
    game = JerusalemGame()
    played = []
    for add in (0, 1):
        tables = Tables(game, 6, Choosing(_maker(add)))
        tables.reset(0)
        for _ in range(20):
            tables.step(tables.masks.argmax(axis=1))
        played.append(fields_of(tables.states))
    assert played[0] != played[1]


class Own(GreedyAgent):
    """Inherits a kernel but plays in a way of its own."""

    calls = 0

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        self.calls += len(views)
        return super().act(views, masks)


def test_tables__a_subclass_with_its_own_act_is_asked() -> None:
    own = Own()
    tables = Tables(JerusalemGame(), 4, own)
    assert not tables.compiled
    tables.reset(0)
    assert own.calls > 4
    assert Tables(JerusalemGame(), 4, GreedyAgent()).compiled


def test_tables__opponents_can_be_swapped_while_games_run() -> None:
    """P21."""
    pair = [GreedyAgent(), GreedyAgent()]  # as above: another pair would be another step to compile
    tables = Tables(JerusalemGame(), 30, pair, illegal_loses=False)
    tables.reset(0)
    rng = np.random.default_rng(0)
    for opponents, compiled in ((Own(), False), ("random", True), (pair, True)):
        tables.set_opponents(opponents)
        assert tables.compiled == compiled
        for _ in range(20):
            tables.step(sample_legal(tables.masks, rng))
            assert (tables.game.to_act(tables.states) == tables.seats).all()


@pytest.mark.slow
@pytest.mark.parametrize("bot", [Cheat(), Plain(Cheat())])
def test_tables__a_bot_that_breaks_the_rules_is_named(bot: Any) -> None:
    tables = Tables(JerusalemGame(), 8, bot)
    with pytest.raises(IllegalActionError, match=f"opponent '{bot.name}' in seat"):
        tables.reset(0)
    with pytest.raises(NotResetError):
        tables.step(np.zeros(8, int))


@pytest.mark.parametrize("bots", ["random", Plain(UniformOpponent())])
def test_tables__illegal_actions_change_nothing_or_lose(bots: Any) -> None:
    game = JerusalemGame(rules=SHORT)
    strict = Tables(game, 5, bots)
    strict.reset(1)
    before = strict.states.tobytes()
    actions = sample_legal(strict.masks, np.random.default_rng(0))
    for wrong in (308, -1, 309):
        actions[3] = wrong
        with pytest.raises(IllegalActionError, match=r"table 3.*legal: "):
            strict.step(actions)
        assert strict.states.tobytes() == before
    with pytest.raises(IllegalActionError, match="5 integers"):
        strict.step(actions.astype(float))
    losing = Tables(game, 5, bots, illegal_loses=True)
    losing.reset(1)
    actions[3] = 308
    assert list(losing.step(actions)) == [3]
    assert losing.arrays.rewards[3] == -1
    assert losing.arrays.terminated[3]
    assert list(losing.arrays.faults) == [0, 0, 0, 1, 0]
    assert fields_of(losing.arrays.finals[3]) == fields_of(strict.states[3])
    assert losing.arrays.episodes[3] == 1
    losing.step(sample_legal(losing.masks, np.random.default_rng(0)))
    assert (losing.arrays.faults == 0).all()


def test_tables__the_watchdog_truncates() -> None:
    """P12."""
    game = JerusalemGame(rules=SHORT)
    tables = Tables(game, 6, autoreset=False)
    tables.reset(0)
    tables.states["decision_limit"] = tables.states["decisions"] + 1
    tables.step(sample_legal(tables.masks, np.random.default_rng(0)))
    assert tables.arrays.truncated.all()
    assert not tables.arrays.terminated.any()
    assert (tables.arrays.rewards == 0).all()


# --- gymnasium.make_vec -----------------------------------------------------------------------
def test_make_vec__gives_the_native_environment() -> None:
    env = gymnasium.make_vec("Jerusalem-v0", num_envs=6, players=3, opponents="random")
    assert type(env).__name__ == "SoloVectorEnv"
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert env.spec is not None
    observations, infos = env.reset(seed=1)
    assert observations.shape == (6, env.single_observation_space.shape[0])
    assert observations in env.observation_space
    assert env.action_space.shape == (6,)
    assert infos["action_mask"].shape == (6, 309)
    env.close()


@pytest.mark.parametrize("dtype", ["float32", pytest.param("uint8", marks=pytest.mark.slow)])
def test_vector__keeps_last_observations_and_fresh_masks(dtype: str) -> None:
    """P7, P11, P19."""
    game = JerusalemGame(rules=SHORT)
    env = jerusalem_v0.solo_vec_env(40, rules=SHORT, observation_dtype=dtype)
    observations, infos = env.reset(seed=3)
    kept = observations.copy(), infos["action_mask"].copy()
    first = observations, infos["action_mask"]
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(80):
        actions = sample_legal(infos["action_mask"], rng)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert observations in env.observation_space
        expected = np.zeros((40, 309), np.uint8)
        game.legal(env.tables.states, expected)
        np.testing.assert_array_equal(infos["action_mask"], expected.astype(bool))
        np.testing.assert_array_equal(infos["seat"], game.to_act(env.tables.states))
        seen = game.observe(env.tables.states, env.tables.seats)
        scale = game.observation_scale if dtype == "uint8" else np.float32(1)
        np.testing.assert_array_equal(observations * scale, seen)
        assert not truncated.any()
        if terminated.any():
            np.testing.assert_array_equal(infos["_final_obs"], terminated)
            for table in np.flatnonzero(terminated):
                seat = infos["final_info"]["seat"][table]
                final = env.tables.arrays.finals[table : table + 1]
                last = game.observe(final, np.array([seat]))[0]
                np.testing.assert_array_equal(infos["final_obs"][table] * scale, last)
                assert rewards[table] == game.utilities(final)[0, seat]
            ended += int(terminated.sum())
        assert (rewards[~terminated] == 0).all()
    assert ended > 80
    np.testing.assert_array_equal(first[0], kept[0])
    np.testing.assert_array_equal(first[1], kept[1])


def test_vector__works_with_gymnasiums_wrappers_and_unmasked_actions() -> None:
    """An illegal action loses by default, so that a policy without masks runs too."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make_vec("Jerusalem-v0", num_envs=4, rules=SHORT)
        env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
        env.reset(seed=0)
        env.action_space.seed(0)
        losses = 0
        for _ in range(30):
            _, rewards, terminated, _, infos = env.step(env.action_space.sample())
            if "final_info" in infos:
                illegal = infos["final_info"]["illegal_action"]
                assert (rewards[illegal] == -1).all()
                assert terminated[illegal].all()
                losses += int(illegal.sum())
        assert losses > 20
        assert env.episode_count >= losses
        assert -1.0 in env.return_queue


def test_vector__seeds_reproduce_and_go_on() -> None:
    one, other = (jerusalem_v0.solo_vec_env(7, rules=SHORT) for _ in range(2))
    for env in (one, other):
        env.reset(seed=4)
    np.testing.assert_array_equal(one.reset()[0], other.reset()[0])
    assert (one.reset()[0] != one.reset(seed=4)[0]).any()
    with pytest.raises(ValueError, match="one seed for all"):
        one.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="reset_mask"):
        one.reset(options={"reset_mask": np.ones(7, bool)})
    with pytest.raises(ValueError, match="illegal must be"):
        jerusalem_v0.solo_vec_env(2, illegal="forgive")


def test_vector__table_0_plays_the_game_of_gymnasium_make() -> None:
    """The same class behind both: same deal, same bots."""
    single = gymnasium.make("Jerusalem-v0", rules=SHORT).unwrapped
    many = jerusalem_v0.solo_vec_env(5, rules=SHORT)
    observation, info = single.reset(seed=8)
    observations, infos = many.reset(seed=8)
    rng = np.random.default_rng(0)
    done = False
    while not done:
        np.testing.assert_array_equal(observation, observations[0])
        np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][0])
        actions = sample_legal(infos["action_mask"], rng)
        observation, reward, done, _, info = single.step(int(actions[0]))
        observations, rewards, terminated, _, infos = many.step(actions)
        assert (reward, done) == (rewards[0], terminated[0])


# --- stable-baselines3 --------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["float32", pytest.param("uint8", marks=pytest.mark.slow)])
def test_vec_env__serves_every_table_without_a_loop(dtype: str) -> None:
    env = SoloVecEnv(JerusalemGame(rules=SHORT), 100, "random", observation_dtype=dtype)
    assert env.tables.compiled
    observations = env.reset()
    assert observations in gymnasium.vector.utils.batch_space(env.observation_space, 100)
    masks = env.env_method("action_masks")
    np.testing.assert_array_equal(np.stack(masks), env.action_masks())
    some = env.env_method("action_masks", indices=[2, 0])
    np.testing.assert_array_equal(some, [masks[2], masks[0]])
    rng = np.random.default_rng(0)
    for _ in range(40):
        observations, _, dones, infos = env.step(sample_legal(env.action_masks(), rng))
        assert len(infos) == 100
        for table, info in enumerate(infos):
            assert bool(info) == dones[table]
    assert len(env.episode_rewards) > 50
