"""The forms of use of Ierusalem: what the tests of all games do not ask of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from jerusalem_env import IllegalActionError, RecordError, ierusalem_v0
from jerusalem_env.chance import sample_legal
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.envs.sb3 import SoloVecEnv
from jerusalem_env.errors import GameError
from jerusalem_env.games import gymnasium_id, make_game, make_raw_env
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from jerusalem_env.records import GameRecord, record_game, replay
from jerusalem_env.testing import api_test
from tests.ierusalem.positions import at
from tests.ierusalem.random_rules import other_data
from tests.ierusalem.scenes import Scene
from tests.ierusalem.test_ruleset import data_with
from tests.scripted import Player, is_done, legal_names

USUAL = IerusalemGame()


# --- the contract -------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reward": "rank", "rules": "by_colour"},
        {"players": 3, "information": "recall", "skip_forced": False, "reward": "margin"},
        {"rules": RuleSet(data=other_data())},
    ],
    ids=["usual", "rank", "recall", "data"],
)
def test_api_test__passes(options: dict[str, Any]) -> None:
    api_test(IerusalemGame(**options), num_games=2)


def test_make_game__knows_it_by_its_name() -> None:
    game = make_game("ierusalem")
    assert (game.name, game.players, game.rules_dict()) == ("ierusalem_v0", 4, USUAL.rules_dict())
    other = make_game("ierusalem_v0", 3, "by_colour", information="recall", reward="margin")
    assert other.rules_dict() == RuleSet(3, "by_colour").to_dict()
    assert other.observation_size != game.observation_size
    assert make_game("ierusalem", rules=other.rules_dict()).rules_dict() == other.rules_dict()
    assert gymnasium_id("ierusalem_v0") == "Ierusalem-v0"
    for wrong in ({"players": 2}, {"rules": "german"}, {"reward": "gold"}, {"rules": {"data": 3}}):
        with pytest.raises(GameError):
            make_game("ierusalem", **wrong)


# --- the end: shared wins -----------------------------------------------------------------------
def last_decision(points: list[int], favors: tuple[int, ...] = ()) -> dict[str, Any]:
    """Seat 0's purchase, after which the game is over: the marker has come to its last space."""
    scene = Scene(len(points)).set(sanhedrin=22, illumination=[False] * len(points))
    scene.set(points=points).at_purchase()
    for seat, number in enumerate(favors):
        scene.gave(seat, scene.data.markers[:number], None)
    return scene.p


ENDS = [
    # points and Favors; ranks; win, rank and margin of each seat
    (
        ([50, 30, 20, 50], (2, 0, 0, 2)),
        [1, 3, 4, 1],
        {
            "win": [1 / 3, -1 / 3, -1 / 3, 1 / 3],  # two of four: (4 - 2) / (2 x 3)
            "rank": [2 / 3, -1 / 3, -1.0, 2 / 3],
            "margin": [1 / 3, -0.2, -7 / 15, 1 / 3],
        },
    ),
    (
        ([40, 40, 40, 40], (1, 1, 1, 1)),
        [1, 1, 1, 1],
        {"win": [0.0] * 4, "rank": [0.0] * 4, "margin": [0.0] * 4},
    ),
    (
        ([50, 30, 20, 50], (1, 0, 0, 2)),  # more Favors done (R18.6)
        [2, 3, 4, 1],
        {"win": [-1 / 3, -1 / 3, -1 / 3, 1.0], "rank": [1 / 3, -1 / 3, -1.0, 1.0]},
    ),
]


@pytest.mark.parametrize("make", [ierusalem_v0.raw_env, ierusalem_v0.env])
@pytest.mark.parametrize(("given", "ranks", "paid"), ENDS, ids=["two", "all", "one"])
def test_end__shared_wins_are_paid_and_sum_to_zero(
    make: Callable[..., Any], given: Any, ranks: list[int], paid: dict[str, list[float]]
) -> None:
    winners = ranks.count(1)
    for reward, expected in paid.items():
        env = make(reward=reward)
        env.reset(seed=0)
        env.set_position(last_decision(*given))
        game = env.unwrapped.game
        assert not game.win_shares(env.states).any()
        env.step(env.action_names.index("pass"))
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        totals = {}
        for agent in env.agent_iter():
            _, totals[agent], terminated, _, info = env.last()
            assert terminated
            assert info["ranks"] == ranks
            assert [ranks[seat] for seat in info["ranking"]] == sorted(ranks)
            env.step(None)
        got = [totals[agent] for agent in env.possible_agents]
        np.testing.assert_allclose(got, expected, atol=1e-12)
        assert sum(got) == pytest.approx(0)
        np.testing.assert_allclose(game.utilities(env.states)[0], expected, atol=1e-12)
        shares = [1 / winners if rank == 1 else 0 for rank in ranks]
        np.testing.assert_allclose(game.win_shares(env.states)[0], shares)


def test_end__the_parts_of_the_points_add_up() -> None:
    env = ierusalem_v0.raw_env(skip_forced=False)
    env.reset(seed=3)
    choose = Player(3)
    while not is_done(env):
        env.step(choose(env))
    results = env.game.results(env.states[0])
    parts = [part for name, part in results.items() if name.startswith("points_")]
    assert len(parts) >= 5
    assert np.sum(parts, axis=0).tolist() == results["points"] == env.position()["points"]


# --- PettingZoo ---------------------------------------------------------------------------------
def test_env__says_whose_decision_it_is() -> None:
    """A38: a marker received may have to be used by one whose turn it is not."""
    env = ierusalem_v0.raw_env()
    env.reset(seed=0)
    position = at("call")
    position |= {"to_act": 1, "choice": {"must": True}, "steps": ["favor_done", "meeting"]}
    position["favors"][0].remove("call_lake")
    position["symbols_held"][1]["lake"] = 1
    env.set_position(position)
    assert env.agent_selection == "player_1"
    assert env.position()["turn"] == 0
    for agent in env.possible_agents:
        assert env.observe(agent)["action_mask"].any() == (agent == "player_1")
    with pytest.raises(IllegalActionError, match=r"\('pass'\) is not legal for player_1"):
        env.step(0)


def test_env__names_cards_and_markers_by_its_data_file() -> None:
    env = ierusalem_v0.env(rules=RuleSet(data=other_data()))
    env.reset(seed=0)
    assert "card temple.go+call" in env.action_names
    assert "favor fish_2" in env.action_names
    assert "card temple.go" not in env.action_names


# --- batches and solo play ----------------------------------------------------------------------
def test_batch__plays_the_games_of_raw_env_with_their_seeds() -> None:
    """P18, P1: observations, masks and rewards, to the end and on."""
    size = 3
    batch = ierusalem_v0.batch_env(size)
    observations, masks, _ = batch.reset(seed=5)
    singles = []
    for seed in batch.game.derive_seeds(5, size, 0):
        singles.append(ierusalem_v0.raw_env())
        singles[-1].reset(seed=int(seed))
    rng, running = np.random.default_rng(1), set(range(size))
    while running:
        actions = batch.sample_actions(rng)
        for place in running:
            seen = singles[place].observe(singles[place].agent_selection)
            np.testing.assert_array_equal(seen["observation"], observations[place])
            np.testing.assert_array_equal(seen["action_mask"], masks[place])
            assert singles[place].possible_agents[batch.to_act[place]] == (
                singles[place].agent_selection
            )
            singles[place].step(int(actions[place]))
        observations, masks, rewards, terminated, truncated, _ = batch.step(actions)
        assert not truncated.any()
        assert masks.any(axis=1).all()
        for place in list(running):
            assert terminated[place] == is_done(singles[place])
            assert rewards[place].tolist() == list(singles[place].rewards.values())
            if terminated[place]:
                running.remove(place)


def test_batch__truncates_without_reward_and_refuses_illegal_actions() -> None:
    """P12."""
    batch = ierusalem_v0.batch_env(4)
    batch.reset(seed=0)
    before = batch.states.tobytes()
    for wrong in (0, -1, batch.game.num_actions):
        with pytest.raises(IllegalActionError, match=r"game 2.*legal: follower desert"):
            batch.step(
                np.where(np.arange(4) == 2, wrong, batch.sample_actions(np.random.default_rng(0)))
            )
        assert batch.states.tobytes() == before
    batch.states["decision_limit"] = 12
    rng, stopped = np.random.default_rng(0), np.zeros(4, bool)
    for _ in range(12):
        _, _, rewards, terminated, truncated, _ = batch.step(batch.sample_actions(rng))
        assert not rewards.any()
        assert not terminated.any()
        stopped |= truncated
    assert stopped.all()


def test_batch__a_shared_win_is_paid_there_too() -> None:
    batch = BatchEnv(IerusalemGame(), 2)
    batch.reset(seed=0)
    state = batch.game.read_position(last_decision([50, 30, 20, 50], (2, 0, 0, 2)))
    batch.set_states(np.repeat(state, 2))
    _, _, rewards, terminated, _, infos = batch.step(np.zeros(2, np.int64))
    assert terminated.all()
    np.testing.assert_allclose(rewards, [[1 / 3, -1 / 3, -1 / 3, 1 / 3]] * 2)
    shares = batch.game.win_shares(infos["final_states"])
    np.testing.assert_allclose(shares, [[0.5, 0, 0, 0.5]] * 2)


def test_solo__passes_the_checkers_without_warnings(monkeypatch: pytest.MonkeyPatch) -> None:
    """P6."""
    from stable_baselines3.common.env_checker import check_env as check_sb3

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # for render_mode="human"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("Ierusalem-v0")
        check_env(env.unwrapped, skip_render_check=False)
        check_sb3(env.unwrapped)


def test_solo__rewards_are_the_engines_for_the_learners_seat() -> None:
    """P1, and an illegal action loses or raises."""
    env = ierusalem_v0.solo_env()
    rng, totals = np.random.default_rng(0), set()
    for seed in range(6):
        _, info = env.reset(seed=seed)
        total, done = 0.0, False
        while not done:
            legal = np.flatnonzero(info["action_mask"])
            _, reward, terminated, truncated, info = env.step(int(rng.choice(legal)))
            total, done = total + reward, terminated or truncated
        assert total == env.game.utilities(env._tables.arrays.finals)[0, info["seat"]]
        totals.add(round(total, 9))
    assert totals <= {1.0, round(-1 / 3, 9), round(1 / 3, 9)}
    _, info = env.reset(seed=0)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    assert env.step(illegal)[1:4] == (-1.0, True, False)
    strict = ierusalem_v0.solo_env(illegal="raise")
    strict.reset(seed=0)
    with pytest.raises(IllegalActionError):
        strict.step(illegal)


def test_vector__many_tables_at_once() -> None:
    """P7, P11: last observations, fresh masks; table 0 is the one of ``gymnasium.make``."""
    env: Any = gymnasium.make_vec("Ierusalem-v0", num_envs=4)
    assert type(env).__name__ == "SoloVectorEnv"
    single: Any = gymnasium.make("Ierusalem-v0").unwrapped
    observations, infos = env.reset(seed=8)
    observation, info = single.reset(seed=8)
    game, rng, ended, going_on = single.game, np.random.default_rng(0), 0, True
    for _ in range(250):
        assert observations in env.observation_space
        actions = sample_legal(infos["action_mask"], rng)
        if going_on:
            np.testing.assert_array_equal(observation, observations[0])
            np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][0])
            observation, reward, done, _, info = single.step(int(actions[0]))
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        if going_on:
            assert (reward, done) == (rewards[0], terminated[0])
            going_on = not done
        for table in np.flatnonzero(terminated):
            final = env.unwrapped.tables.arrays.finals[table : table + 1]
            seat = infos["final_info"]["seat"][table]
            assert rewards[table] == game.utilities(final)[0, seat]
            last = game.observe(final, np.array([seat]))[0]
            np.testing.assert_array_equal(infos["final_obs"][table], last)
            ended += 1
        assert (rewards[~terminated] == 0).all()
        expected = np.zeros((4, game.num_actions), np.uint8)
        game.legal(env.unwrapped.tables.states, expected)
        np.testing.assert_array_equal(infos["action_mask"], expected.astype(bool))
    assert ended >= 4
    assert not going_on


def test_vec_env__serves_stable_baselines3() -> None:
    env = SoloVecEnv(IerusalemGame(), 6, "random", seed=3)
    observations: Any = env.reset()
    rng, finished = np.random.default_rng(0), 0
    for _ in range(200):
        masks = np.stack(env.env_method("action_masks"))
        assert masks.any(axis=1).all()
        np.testing.assert_array_equal(observations, env.tables.observations)
        observations, rewards, dones, infos = env.step(sample_legal(env.tables.masks, rng))
        for table in np.flatnonzero(dones):
            assert infos[table]["episode"]["r"] == rewards[table]
            assert infos[table]["terminal_observation"].shape == (env.game.observation_size,)
            finished += 1
        assert (rewards[~dones] == 0).all()
    assert finished >= 6
    with pytest.raises(IllegalActionError, match="table 0"):
        env.step(np.full(6, env.game.num_actions))


# --- records ------------------------------------------------------------------------------------
@pytest.mark.parametrize("data", ["box", "other"])
def test_record__replays_exactly(data: str) -> None:
    rules = RuleSet(orange_scores="own", data=other_data() if data == "other" else "box")
    env = ierusalem_v0.raw_env(rules=rules)
    record = record_game(env, Player(1), seed=17)
    assert record.game == "ierusalem_v0"
    assert record.ruleset["data"] == ("box" if data == "box" else rules.box.content)
    read = GameRecord.from_dict(record.to_dict())
    again = replay(read)
    assert again.position() == env.position()
    assert again.rewards == env.rewards
    assert read.result == env.game.results(env.states[0])


def refused(record: GameRecord) -> bool:
    """Whether ``replay`` finds that a record is wrong."""
    try:
        replay(record)
    except RecordError:
        return True
    return False


def test_record__one_that_was_tampered_with_is_refused() -> None:
    env = ierusalem_v0.raw_env()
    record = record_game(env, Player(2), seed=2)
    assert record.result is not None
    wrong = {
        "another seed": replace(record, seed=3),
        "an action left out": replace(record, actions=record.actions[:40] + record.actions[41:]),
        "an unknown action": replace(record, actions=("bid 3", *record.actions[1:])),
        "no end": replace(record, actions=record.actions[:-1]),
        "too many": replace(record, actions=(*record.actions, "pass")),
        "other points": replace(record, result={**record.result, "points": [0, 0, 0, 0]}),
        "another game": replace(record, game="jerusalem_v0"),
        "other data": replace(
            record, ruleset={**record.ruleset, "data": data_with(("setup.hand", 4))}
        ),
        "data that cannot be": replace(
            record, ruleset={**record.ruleset, "data": data_with(("setup.hand", 0))}
        ),
    }
    assert [what for what, tampered in wrong.items() if not refused(tampered)] == []


def test_record__from_a_position() -> None:
    start = at("market")
    env = ierusalem_v0.raw_env()
    record = record_game(env, Player(2), start=start)
    assert (record.seed, record.ruleset) == (None, start["ruleset"])
    assert replay(record).position() == env.position()
    with pytest.raises(RecordError, match=r"start: denarii\[0\]"):
        replay(replace(record, start={**start, "denarii": [-1, 0, 0, 0]}))


# --- other data files change play ---------------------------------------------------------------
def points_at_the_end(position: dict[str, Any], *changes: tuple[str, Any]) -> list[int]:
    """The final points from a position one decision before the end, under changed data."""
    rules = {**position["ruleset"], "data": data_with(*changes)}
    env = make_raw_env("ierusalem_v0", rules)
    env.set_position({**position, "ruleset": rules})
    env.step(env.action_names.index("pass"))
    points: list[int] = env.position()["points"]
    return points


def test_data__the_final_count_follows_it() -> None:
    scene = Scene().set(sanhedrin=22, illumination=[True, False, False, False], points=[40] * 4)
    scene.set(offerings=[1, 2, 1, 1]).at_purchase()
    scene.parables(0, 0, 0, 1).followers(2, supper=["jesus.top_left", "corner.bottom_left"])
    scene.followers(1, supper=["corner.top_right", "top2.4"])
    assert points_at_the_end(scene.p) == [46, 42, 48, 42]
    changes = [("end.illumination", 1), ("end.offering", 3), ("supper.jesus_points", 11)]
    end_points = ("parables.end_points", [0, 8, 8, 8, 10, 13, 15, 18])
    assert points_at_the_end(scene.p, *changes, end_points) == [44, 46, 54, 51]


def finish(changes: tuple[tuple[str, Any], ...]) -> Any:
    """A random game under changed data, at its end, and the number of its decisions."""
    env = ierusalem_v0.raw_env(rules=RuleSet(data=data_with(*changes)), skip_forced=False)
    env.reset(seed=5)
    choose, taken = Player(5), 0
    while not is_done(env):
        env.step(choose(env))
        taken += 1
    return env, taken


def test_data__a_shorter_track_ends_the_game_earlier() -> None:
    usual, long = finish(())
    tiles = ("sanhedrin.tile_spaces", [1, 2, 3, 4, 5, 6])
    other, short = finish((tiles, ("sanhedrin.last_space", 6)))
    assert usual.position()["sanhedrin"] == 22
    assert other.position()["sanhedrin"] == 6
    assert short < long / 2


def test_data__set_up_and_prices_follow_it() -> None:
    env = ierusalem_v0.raw_env(
        rules=RuleSet(
            first_player=0,
            data=data_with(
                ("setup.denarii_by_turn_order", [9, 8, 1, 0]),
                ("setup.hand", 3),
                ("locations.purchase_price", 1),
            ),
        ),
        skip_forced=False,
    )
    env.reset(seed=1)
    assert env.position()["denarii"] == [9, 8, 1, 0]
    for _ in range(4):
        env.step(env.action_names.index("follower desert"))
    assert [len(hand) for hand in env.position()["hands"]] == [3] * 4
    position = env.position() | {"stage": "purchase", "phase": "purchase", "steps": []}
    env.set_position(position)
    assert legal_names(env) == ["pass", "draw left", "draw right", "draw deck"]
    env.step(env.action_names.index("draw left"))
    assert env.position()["denarii"][0] == 8


@pytest.mark.parametrize("price", [2, 10])
def test_data__nobody_buys_what_is_too_dear(price: int) -> None:
    position = last_decision([1, 1, 1, 1]) | {"sanhedrin": 0}
    rules = {**position["ruleset"], "data": data_with(("locations.purchase_price", price))}
    env = make_raw_env("ierusalem_v0", rules, skip_forced=False)
    env.set_position({**position, "ruleset": rules})
    assert ("draw left" in legal_names(env)) == (price == 2)
