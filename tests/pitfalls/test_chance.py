"""Seeds, determinism and global generators: P16, P17, P18 of the design."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo.test
import pytest
from pettingzoo import AECEnv

from jerusalem_env import jerusalem_v0
from tests.scripted import Player, is_done

PLAYERS = [2, 3, 4]


def trace(env: AECEnv, seed: int) -> list[Any]:
    """Everything that a loop sees of a game."""
    env.reset(seed=seed)
    choose, seen = Player(seed), []
    while not is_done(env):
        observation = env.observe(env.agent_selection)
        seen.append((env.agent_selection, observation["observation"].tobytes()))
        seen.append((observation["action_mask"].tobytes(), env.state().tobytes()))
        env.step(choose(env))
    return [*seen, env.position(), dict(env.rewards)]


def assert_deterministic(make: Callable[[], AECEnv]) -> None:
    """Two instances, and one instance twice, play the same game from the same seed."""
    env = make()
    first = trace(env, 3)
    for ply, (one, other) in enumerate(zip(first, trace(make(), 3), strict=True)):
        assert one == other, f"another instance differs at {ply}"
    for ply, (one, other) in enumerate(zip(first, trace(env, 3), strict=True)):
        assert one == other, f"a second game differs at {ply}"


def global_generators() -> bytes:
    return pickle.dumps((random.getstate(), np.random.get_state()))  # noqa: NPY002


@pytest.mark.parametrize("make", [jerusalem_v0.raw_env, jerusalem_v0.env])
@pytest.mark.parametrize("players", PLAYERS)
def test_p16__global_generators_are_neither_read_nor_changed(
    make: Callable[..., AECEnv], players: int
) -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    before = global_generators()
    env = make(players)
    first = trace(env, 3)
    env.reset()
    assert global_generators() == before
    random.seed(2)
    np.random.seed(2)  # noqa: NPY002
    assert global_generators() != before
    assert trace(make(players), 3) == first


def test_p16__batch_and_redeal_leave_them_alone_too() -> None:
    batch = jerusalem_v0.batch_env(8, players=3)
    before = global_generators()
    rng = np.random.default_rng(0)
    batch.reset(seed=1)
    for _ in range(300):
        batch.step(batch.sample_actions(rng))
    batch.game.redeal(batch.game.views(batch.states), rng)
    assert global_generators() == before


@pytest.mark.parametrize("make", [jerusalem_v0.raw_env, jerusalem_v0.env])
@pytest.mark.parametrize("players", PLAYERS)
def test_p17__games_are_deterministic(make: Callable[..., AECEnv], players: int) -> None:
    assert_deterministic(lambda: make(players))


class Faulty(jerusalem_v0.raw_env):
    """At step 20 something depends on how many games have been played in this process."""

    games = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        type(self).games += 1
        self.steps = 0
        super().reset(seed, options)

    def step(self, action: int | None) -> None:
        super().step(action)
        self.steps += 1
        if self.steps == 20:
            self.states["prestige"][:, 0] += self.games % 7


def test_p17__a_fault_at_step_20_is_found() -> None:
    with pytest.raises(AssertionError, match="another instance differs at 4"):
        assert_deterministic(lambda: Faulty(4))  # two entries a step: 40 or 41
    with pytest.raises(AssertionError, match="Incorrect observation"):
        pettingzoo.test.seed_test(lambda: Faulty(4), num_cycles=100)


# --- P18 ----------------------------------------------------------------------------------------
def deal_of(env: AECEnv, seed: int) -> tuple[Any, ...]:
    env.reset(seed=seed)
    position = env.position()
    return (
        tuple(position["pile"] + position["draft_pool"]),
        tuple(position["events"]),
        position["to_act"],
    )


@pytest.mark.parametrize("players", PLAYERS)
def test_p18__neighbouring_seeds_share_nothing(players: int) -> None:
    env = jerusalem_v0.raw_env(players)
    deals = [deal_of(env, seed) for seed in range(200)]
    assert len({pile for pile, _, _ in deals}) == 200
    # events and openers are independent of the neighbour's, not shifted or repeated
    events = sorted({events for _, events, _ in deals})
    assert len(events) == (6 if players == 2 else 24)
    for lag in (1, 2):
        same_events = sum(a[1] == b[1] for a, b in zip(deals, deals[lag:], strict=False))
        same_opener = sum(a[2] == b[2] for a, b in zip(deals, deals[lag:], strict=False))
        assert abs(same_events - 200 / len(events)) < 5 * (200 / len(events)) ** 0.5
        assert abs(same_opener - 200 / players) < 5 * (200 / players) ** 0.5
    # each place of the pile agrees with the neighbour's as often as chance lets it
    equal = np.mean([[x == y for x, y in zip(a[0], b[0], strict=True)] for a, b in _pairs(deals)])
    assert 0.04 < equal < 0.12


def _pairs(deals: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(deals, deals[1:], strict=False))


@pytest.mark.parametrize("players", PLAYERS)
def test_p18__chance_is_fair(players: int) -> None:
    """Top cards, events and openers of many seeds are as frequent as they should be."""
    game = jerusalem_v0.raw_env(players).game
    states = game.new_states(4_000)
    masks = np.zeros((4_000, game.num_actions), dtype=np.uint8)
    game.reset(states, np.arange(4_000, dtype=np.uint64), masks)
    openers = np.bincount(states["opener"], minlength=players)
    assert np.abs(openers - 4_000 / players).max() < 5 * (4_000 / players) ** 0.5
    kinds = 3 if players == 2 else 4
    for slot in range(3):
        events = np.bincount(states["events"][:, slot], minlength=4)
        if players == 2:
            assert events[1] == 0
            events = np.delete(events, 1)
        assert np.abs(events - 4_000 / kinds).max() < 5 * (4_000 / kinds) ** 0.5
    copies = np.array([3, 3, 3, 2, 2, 2, 4, 2, 1, 1, 1, 1, 1, 1])
    if players == 2:
        copies[[10, 12]] = 0
    for place in (players, 12, 24):
        cards = np.bincount(states["pile"][:, place], minlength=14)
        expected = 4_000 * copies / copies.sum()
        assert (np.abs(cards - expected) <= 5 * expected**0.5).all()


@pytest.mark.parametrize("players", PLAYERS)
def test_p18__a_game_is_the_same_in_a_batch_of_1_and_of_1024(players: int) -> None:
    big = jerusalem_v0.batch_env(1024, players=players)
    one = jerusalem_v0.batch_env(1, players=players)
    observations, masks, _ = big.reset(seed=12)
    first, first_mask, _ = one.reset(seed=12)
    assert np.array_equal(observations[0], first[0])
    rng = np.random.default_rng(0)
    lone = jerusalem_v0.raw_env(players)  # game 700 by itself
    lone.reset(seed=int(big.game.derive_seeds(12, 1024, 0)[700]))
    running = True
    for _ in range(400):
        actions = big.sample_actions(rng)
        if running:
            mask = lone.observe(lone.agent_selection)["action_mask"]
            assert np.array_equal(mask, masks[700])
            lone.step(int(actions[700]))
        observations, masks, rewards, terminated, _, infos = big.step(actions)
        first, first_mask, first_rewards, *_ = one.step(actions[:1])
        assert np.array_equal(observations[0], first[0])
        assert np.array_equal(masks[0], first_mask[0])
        assert np.array_equal(rewards[0], first_rewards[0])
        if running and terminated[700]:
            running = False
            assert is_done(lone)
            assert list(lone.rewards.values()) == rewards[700].tolist()
            last = infos["final_observation"][list(infos["finished"]).index(700)]
            for seat, agent in enumerate(lone.possible_agents):
                assert np.array_equal(lone.observe(agent)["observation"], last[seat])
    assert not running
    assert one.states["decisions"][0] > 0


def test_p18__games_of_a_batch_differ() -> None:
    batch = jerusalem_v0.batch_env(1024)
    batch.reset(seed=0)
    assert len({state["pile"].tobytes() for state in batch.states}) == 1024
