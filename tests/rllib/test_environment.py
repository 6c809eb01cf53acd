"""The environment on RLlib: rewards in every seat, masks, truncation, seeds, RLlib's checker."""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")
from ray.rllib.env.env_context import EnvContext
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from jerusalem_env.errors import IllegalActionError, NotResetError
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.rllib.equipment import short_game, watched_game
from training.rllib.environment import GameMultiAgentEnv, LegalActions

SEATS = (2, 3, 4)


def new_env(players: int = 4, worker: int = 0, **settings: Any) -> GameMultiAgentEnv:
    config = {"make_game": JerusalemGame, "settings": {"players": players, **settings}}
    return GameMultiAgentEnv(EnvContext(config, worker_index=worker))


def random_action(observations: dict[str, Any], rng: np.random.Generator) -> dict[str, int]:
    """The one agent that is asked, and a legal action."""
    [(agent, seen)] = observations.items()
    legal = np.flatnonzero(seen["action_mask"])
    return {agent: int(rng.choice(legal))}


@pytest.mark.parametrize("reward", ["win", "rank", "margin"])
@pytest.mark.parametrize("players", SEATS)
def test_rewards__reach_every_seat_in_full(players: int, reward: str) -> None:
    """P1: what is added up is what the engine pays; losers do get their loss."""
    env = new_env(players, reward=reward)
    rng = np.random.default_rng(players)
    lost = np.zeros(players)
    observations, _ = env.reset(seed=players)
    for _ in range(15):
        totals = dict.fromkeys(env.possible_agents, 0.0)
        while True:
            observations, rewards, terminated, truncated, _ = env.step(
                random_action(observations, rng)
            )
            for agent, reward_ in rewards.items():
                totals[agent] += reward_
            if terminated["__all__"] or truncated["__all__"]:
                break
            assert not any(rewards.values())
        paid = env.game.utilities(env.states)[0]
        np.testing.assert_array_equal(list(totals.values()), paid)
        assert set(observations) == set(rewards) == set(env.possible_agents)
        assert terminated == dict.fromkeys((*env.possible_agents, "__all__"), True)
        assert truncated == {"__all__": False}
        lost += np.minimum(paid, 0.0)
        observations, _ = env.reset()
    assert lost.max() < 0, "a seat never lost anything"


@pytest.mark.parametrize("players", SEATS)
def test_masks__are_the_engines_and_only_who_acts_is_asked(players: int) -> None:
    """P4, P5, P7: also the first mask after every reset."""
    env = new_env(players)
    rng = np.random.default_rng(1)
    masks = np.zeros((1, env.game.num_actions), np.uint8)
    for _ in range(3):
        observations, _ = env.reset(seed=int(rng.integers(100)))
        while len(observations) == 1:
            [(agent, seen)] = observations.items()
            seat = env.possible_agents.index(agent)
            assert seat == env.game.to_act(env.states)[0]
            env.game.legal(env.states, masks)
            np.testing.assert_array_equal(seen["action_mask"], masks[0])
            assert seen["action_mask"].any()
            seats = np.array([seat])
            np.testing.assert_array_equal(
                seen["observations"], env.game.observe(env.states, seats)[0]
            )
            assert env.get_observation_space(agent).contains(seen)
            observations = env.step(random_action(observations, rng))[0]
        for seat, agent in enumerate(env.possible_agents):
            last = observations[agent]
            assert not last["action_mask"].any()
            assert env.get_observation_space(agent).contains(last)
            np.testing.assert_array_equal(
                last["observations"], env.game.observe(env.states, np.array([seat]))[0]
            )


def test_truncation__is_not_termination() -> None:
    """P12: the watchdog truncates every seat, with its last observation and no reward."""
    env = GameMultiAgentEnv({"make_game": watched_game, "settings": {"players": 3, "most": 25}})
    rng = np.random.default_rng(0)
    observations, _ = env.reset(seed=0)
    while True:
        observations, rewards, terminated, truncated, _ = env.step(random_action(observations, rng))
        if truncated["__all__"] or terminated["__all__"]:
            break
    assert truncated == {"__all__": True}
    assert not any(terminated.values())
    assert rewards == dict.fromkeys(env.possible_agents, 0.0)
    assert set(observations) == set(env.possible_agents)
    assert not env.utilities.any()


def test_step__refuses_what_is_not_one_legal_action() -> None:
    env = new_env(3)
    with pytest.raises(NotResetError):
        env.step({"player_0": 0})
    observations, _ = env.reset(seed=3)
    [(agent, seen)] = observations.items()
    other = next(name for name in env.possible_agents if name != agent)
    illegal = int(np.flatnonzero(seen["action_mask"] == 0)[0])
    legal = int(np.flatnonzero(seen["action_mask"])[0])
    before = env.states.tobytes()
    wrong: tuple[dict[str, Any], ...] = (
        {},
        {other: legal},
        {agent: legal, other: legal},
        {agent: illegal},
        {agent: -1},
        {agent: 1.5},
        {agent: None},
    )
    for actions in wrong:
        with pytest.raises(IllegalActionError):
            env.step(actions)
        assert env.states.tobytes() == before
    env.step({agent: np.int64(legal)})


def test_step__is_refused_once_the_game_is_over() -> None:
    env = GameMultiAgentEnv({"make_game": short_game})
    rng = np.random.default_rng(0)
    observations, _ = env.reset(seed=0)
    while len(observations) == 1:
        observations = env.step(random_action(observations, rng))[0]
    with pytest.raises(NotResetError, match="reset"):
        env.step({"player_0": 0})


def deals(env: GameMultiAgentEnv, seed: int | None, games: int = 3) -> list[int | None]:
    """Game seeds of one game after the other."""
    found: list[int | None] = []
    for game in range(games):
        env.reset(seed=seed if game == 0 else None)
        found.append(env.game_seed)
    return found


def test_seeds__repeat_and_share_nothing_between_places_of_workers() -> None:
    """P18: RLlib gives place i on worker w the seed s + w + i, so places would play the same."""
    assert deals(new_env(worker=1), 5) == deals(new_env(worker=1), 5)
    found = [
        seed
        for worker in range(4)
        for place in range(4)
        for seed in deals(new_env(worker=worker), 100 + worker + place)
    ]
    assert len(set(found)) == len(found) == 48
    assert deals(new_env(), None) != deals(new_env(), None)


def test_seeds__read_and_leave_no_global_generator() -> None:
    """P16."""
    import random

    env = new_env(3)
    before = (np.random.get_state()[1].tobytes(), random.getstate())  # type: ignore[union-attr]  # noqa: NPY002
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    observations, _ = env.reset()
    for _ in range(30):
        observations = env.step(random_action(observations, rng))[0]
        env.get_action_space("player_0").sample()
    assert before == (np.random.get_state()[1].tobytes(), random.getstate())  # type: ignore[union-attr]  # noqa: NPY002


def test_observations__stay_the_callers() -> None:
    """P19."""
    env, rng = new_env(4), np.random.default_rng(0)
    observations, _ = env.reset(seed=1)
    kept = copy.deepcopy(observations), observations
    for _ in range(60):
        observations = env.step(random_action(observations, rng))[0]
    for agent, seen in kept[0].items():
        for key, value in seen.items():
            np.testing.assert_array_equal(kept[1][agent][key], value)


@pytest.mark.parametrize("players", SEATS)
def test_checker__of_rllib_passes(players: int) -> None:
    check_multiagent_environments(new_env(players))


def test_action_space__samples_legal_actions_without_a_mask() -> None:
    """RLlib's random play knows no masks."""
    env = new_env(4)
    observations, _ = env.reset(seed=2)
    taken = set()
    while len(observations) == 1:
        [agent] = observations
        action = env.get_action_space(agent).sample()
        taken.add(int(action))
        observations = env.step({agent: action})[0]
    assert len(taken) > 20
    space = LegalActions(4)
    space.seed(0)
    assert {int(space.sample()) for _ in range(100)} == {0, 1, 2, 3}
    space.legal[:] = (0, 1, 0, 1)
    assert {int(space.sample()) for _ in range(100)} == {1, 3}
    assert {int(space.sample(np.array([1, 0, 0, 0], np.int8))) for _ in range(20)} == {0}


def test_environment__goes_on_from_a_pickle() -> None:
    """P10."""
    env, rng = new_env(3), np.random.default_rng(0)
    observations, _ = env.reset(seed=1)
    for _ in range(40):
        observations = env.step(random_action(observations, rng))[0]
    for make in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        other = make(env)
        ends = []
        for player in (copy.deepcopy(env), other):
            seen, own = observations, np.random.default_rng(7)
            while len(seen) == 1:
                seen = player.step(random_action(seen, own))[0]
            ends.append(player.states)
        np.testing.assert_array_equal(ends[0], ends[1])


def test_environment__takes_any_callable_that_makes_a_game() -> None:
    env = GameMultiAgentEnv({"make_game": partial(JerusalemGame, players=2)})
    assert env.possible_agents == ["player_0", "player_1"]
    assert env.agents == env.possible_agents
