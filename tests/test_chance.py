"""Chance is fair, and a game is the same in every adapter (P18 of the design)."""

from __future__ import annotations

import numpy as np
import pytest

from jerusalem_env import jerusalem_v0
from jerusalem_env.chance import draw_below, game_key, keyed_stream, shuffle
from jerusalem_env.kernels import entry_kernel
from tests.scripted import is_done

PLAYERS = [2, 3, 4]
WORD = 2**64
GAMMA = 0x9E3779B97F4A7C15


# --- the formulas of VII.f of the second rule book, written once more with Python's integers ----
def mixed(x: int) -> int:
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB % WORD
    return x ^ x >> 31


def key_of(seed: int) -> int:
    return mixed((seed + GAMMA) % WORD)


def stream_of(key: int, purpose: int, counter: int) -> int:
    place = mixed((key + GAMMA * (purpose + 1)) % WORD)
    return mixed((place + GAMMA * (counter + 1)) % WORD)


def below(state: int, bound: int) -> tuple[int, int, int]:
    """(next state, number, how many were passed over)."""
    passed = -1
    number = WORD
    while number >= WORD - WORD % bound:
        state = (state + GAMMA) % WORD
        number = mixed(state)
        passed += 1
    return state, number % bound, passed


def shuffled(items: list[int], state: int) -> tuple[list[int], int]:
    items = items.copy()
    for last in reversed(range(1, len(items))):
        state, place, _ = below(state, last + 1)
        items[last], items[place] = items[place], items[last]
    return items, state


@entry_kernel
def keys_into(seeds, keys):  # type: ignore[no-untyped-def]
    for row in range(seeds.shape[0]):
        keys[row] = game_key(seeds[row])


@entry_kernel
def streams_into(keys, purposes, counters, starts):  # type: ignore[no-untyped-def]
    for row in range(keys.shape[0]):
        starts[row] = keyed_stream(keys[row], purposes[row], counters[row])


@entry_kernel
def draws_into(start, bounds, states, numbers):  # type: ignore[no-untyped-def]
    state = start
    for row in range(bounds.shape[0]):
        state, numbers[row] = draw_below(state, bounds[row])
        states[row] = state


@entry_kernel
def shuffle_into(array, size, start, states):  # type: ignore[no-untyped-def]
    states[0] = shuffle(array, size, start)


SEEDS = [0, 1, 7, 12345, 2**32, 2**63, 2**64 - 1]


def test_keys__are_those_of_the_formula() -> None:
    keys = np.zeros(len(SEEDS), np.uint64)
    keys_into(np.array(SEEDS, np.uint64), keys)
    assert keys.tolist() == [key_of(seed) for seed in SEEDS]
    assert keys[SEEDS.index(7)] == 0x63CBE1E459320DD7
    assert len(set(keys.tolist())) == len(SEEDS)


def test_streams__are_those_of_the_formula_and_share_nothing() -> None:
    uses = [(seed, p, c) for seed in SEEDS for p in (0, 1, 11) for c in (0, 1, 500)]
    keys = np.array([key_of(seed) for seed, _, _ in uses], np.uint64)
    purposes, counters = np.array([use[1:] for use in uses], np.int64).T.copy()
    starts = np.zeros(len(uses), np.uint64)
    streams_into(keys, purposes, counters, starts)
    assert starts.tolist() == [stream_of(key_of(seed), p, c) for seed, p, c in uses]
    assert len(set(starts.tolist())) == len(uses)


def test_draw_below__is_the_formula_and_passes_over_what_would_cause_a_bias() -> None:
    small, large = [1, 2, 3, 6, 10, 55, 64, 1000], [2**62 + 1, 2**63 - 1, 3 * 2**61, 2**62]
    bounds = np.array((small + large) * 20, np.int64)
    states, numbers = np.zeros(len(bounds), np.uint64), np.zeros(len(bounds), np.int64)
    start = stream_of(key_of(7), 3, 0)
    draws_into(np.uint64(start), bounds, states, numbers)
    state, passed = start, 0
    for row, bound in enumerate(bounds.tolist()):
        state, number, over = below(state, bound)
        passed += over
        assert (int(states[row]), int(numbers[row])) == (state, number)
    assert passed > 10  # of the large bounds


def test_draw_below__is_fair() -> None:
    bounds = np.full(60_000, 6, np.int64)
    states, numbers = np.zeros(60_000, np.uint64), np.zeros(60_000, np.int64)
    draws_into(np.uint64(stream_of(key_of(1), 0, 0)), bounds, states, numbers)
    assert np.abs(np.bincount(numbers, minlength=6) - 10_000).max() < 5 * 10_000**0.5


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64])
@pytest.mark.parametrize("size", [0, 1, 2, 9, 25])
def test_shuffle__is_the_formula_and_leaves_the_rest_alone(size: int, dtype: type) -> None:
    array, states = np.arange(30).astype(dtype), np.zeros(1, np.uint64)
    start = stream_of(key_of(7), 8, 2)
    shuffle_into(array, size, np.uint64(start), states)
    expected, state = shuffled(list(range(size)), start)
    assert array.tolist() == expected + list(range(size, 30))
    assert int(states[0]) == state


# --- games ------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("players", [*(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3)), 4])
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
