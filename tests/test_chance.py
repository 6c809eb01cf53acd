"""Chance is fair, and a game is the same in every adapter (P18 of the design)."""

from __future__ import annotations

import numpy as np
import pytest

from jerusalem_env import jerusalem_v0
from tests.scripted import is_done

PLAYERS = [2, 3, 4]


@pytest.mark.parametrize("players", PLAYERS)
def test_chance__is_fair(players: int) -> None:
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
def test_game__is_the_same_in_a_batch_of_1024_of_1_and_in_raw_env(players: int) -> None:
    big = jerusalem_v0.batch_env(1024, players=players)
    one = jerusalem_v0.batch_env(1, players=players)
    observations, masks, _ = big.reset(seed=12)
    first, first_mask, _ = one.reset(seed=12)
    assert np.array_equal(observations[0], first[0])
    rng = np.random.default_rng(0)
    lone = jerusalem_v0.raw_env(players)  # game 700 by itself
    lone.reset(seed=int(big.game.derive_seeds(12, 1024, 0)[700]))
    running = True
    while running:
        actions = big.sample_actions(rng)
        mask = lone.observe(lone.agent_selection)["action_mask"]
        assert np.array_equal(mask, masks[700])
        lone.step(int(actions[700]))
        observations, masks, rewards, terminated, _, infos = big.step(actions)
        first, first_mask, first_rewards, *_ = one.step(actions[:1])
        assert np.array_equal(observations[0], first[0])
        assert np.array_equal(masks[0], first_mask[0])
        assert np.array_equal(rewards[0], first_rewards[0])
        if terminated[700]:
            running = False
            assert is_done(lone)
            assert list(lone.rewards.values()) == rewards[700].tolist()
            last = infos["final_observation"][list(infos["finished"]).index(700)]
            for seat, agent in enumerate(lone.possible_agents):
                assert np.array_equal(lone.observe(agent)["observation"], last[seat])
    assert one.states["decisions"][0] > 0
