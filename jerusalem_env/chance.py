"""Keyed chance for kernels: streams of SplitMix64 (Steele, Lea, Flood 2014), and masked sampling.

A stream starts at a hash of (seed, purpose), so neighbouring seeds and different purposes share
nothing. No global generator is read or written.

A game with chance during play keeps a key in its record, made once from its seed; each use of
chance has its own stream, told by a purpose and a counter. So what is drawn depends neither on the
actions between nor on the order in which things are drawn.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from .bits import count_flags, new_words, nth_flag, pack_rows
from .errors import is_integer
from .kernels import entry_kernel, kernel, threads_ready
from .sharing import claim, games_at_once, new_counter

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_MOST = np.uint64(2**64 - 1)
_ZERO = np.uint64(0)
_SHIFT_30, _SHIFT_27, _SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
_PURPOSE_EPISODE = 4
_MOST_AT_ONCE = 256  # rows that a thread takes: some 6 microseconds


@kernel
def mix(x):
    """SplitMix64's finaliser: a bijection of 64 bits."""
    x = (x ^ (x >> _SHIFT_30)) * _MIX_1
    x = (x ^ (x >> _SHIFT_27)) * _MIX_2
    return x ^ (x >> _SHIFT_31)


@kernel
def game_key(seed):
    """The key (uint64) of all chance in a game, from its seed; differs from seed to seed."""
    return mix(np.uint64(seed) + _GAMMA)


@kernel
def stream(seed, purpose):
    """Start of the stream for one purpose of one seed (uint64)."""
    return mix(game_key(seed) + np.uint64(purpose) * _GAMMA)


@kernel
def one_way(seed, purpose):
    """A number for one purpose of a seed from which the seed cannot be computed.

    ``stream`` can be undone step by step; adding what goes in to what comes out cannot (Davies and
    Meyer).
    """
    start = stream(seed, purpose)
    return mix(start + _GAMMA) ^ start


@kernel
def draw(state, n):
    """(next stream state, integer 0..n-1). The bias is below n / 2**64."""
    state = state + _GAMMA
    return state, np.int64(mix(state) % np.uint64(n))


@kernel
def keyed_stream(key, purpose, counter):
    """Start of the stream (uint64) for the ``counter``-th use of a purpose of a game's key."""
    place = mix(key + _GAMMA * (np.uint64(purpose) + np.uint64(1)))
    return mix(place + _GAMMA * (np.uint64(counter) + np.uint64(1)))


@kernel
def draw_below(state, n):
    """``draw`` without its bias: numbers of the stream that would cause it are passed over."""
    bound = np.uint64(n)
    last = _MOST - (_ZERO - bound) % bound  # 2**64 - 1 less 2**64 mod n
    state = state + _GAMMA
    number = mix(state)
    while number > last:
        state = state + _GAMMA
        number = mix(state)
    return state, np.int64(number % bound)


@kernel
def shuffle(array, size, state):
    """Shuffle the first ``size`` elements, each order as likely; returns the next stream state.

    From the last to the second, each changes places with one drawn among itself and those before
    (Fisher and Yates).
    """
    for last in range(size - 1, 0, -1):
        state, place = draw_below(state, last + 1)
        moved = array[last]
        array[last] = array[place]
        array[place] = moved
    return state


@kernel
def derived_seed(seed, index, episode):
    """Seed of the ``episode``-th game in place ``index`` of a batch seeded ``seed``."""
    place = mix(stream(seed, _PURPOSE_EPISODE) + np.uint64(index) * _GAMMA)
    return mix(place ^ mix(np.uint64(episode) * _MIX_1 + _GAMMA))


@entry_kernel
def derive_into(seed, episode, seeds):
    """Write the game seed of each place of a batch."""
    for game in range(seeds.shape[0]):
        seeds[game] = derived_seed(seed, game, episode)


@kernel
def sample_row(words, key, row):
    """A uniformly drawn flag of a packed mask, from the stream of a row; -1 where none is set."""
    legal = count_flags(words)
    if legal == 0:
        return -1
    _, index = draw(stream(key, row), legal)
    return nth_flag(words, index)


@entry_kernel
def sample_into(legal, key, actions):
    """Write a uniformly drawn legal action for each row of packed masks; -1 where none is legal."""
    for row in range(legal.shape[0]):
        actions[row] = sample_row(legal[row], key, row)


@entry_kernel(parallel=True)
def sample_parallel(legal, key, actions, threads, counter):
    """``sample_into`` on so many threads; the same result. See ``sharing`` for ``counter``."""
    rows = legal.shape[0]
    taken = games_at_once(rows, threads, _MOST_AT_ONCE)
    counter[0] = 0
    for _ in numba.prange(threads):
        first = claim(counter, taken)
        while first < rows:
            for row in range(first, min(first + taken, rows)):
                actions[row] = sample_row(legal[row], key, row)
            first = claim(counter, taken)


def checked_seed(seed: Any) -> int:
    """A seed as an int; ValueError if it is not an integer 0..2**64-1."""
    if not is_integer(seed, 0, 2**64 - 1):
        raise ValueError(f"seed must be an integer 0..2**64-1 or None, got {seed!r}")
    return int(seed)


def derive_seeds(seed: int, num_games: int, episode: int) -> np.ndarray:
    """(num_games,) uint64 game seeds: the i-th depends on (seed, i, episode) only."""
    seeds = np.empty(num_games, dtype=np.uint64)
    derive_into(np.uint64(seed), np.uint64(episode), seeds)
    return seeds


def sample_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(B,) int64 uniformly drawn legal actions of (B, A) uint8 or bool masks; -1 where none is."""
    masks = masks.view(np.uint8) if masks.dtype == np.bool_ else masks
    legal = new_words(*masks.shape)
    pack_rows(masks, legal)
    return sample_packed(legal, rng)


def sample_packed(legal: np.ndarray, rng: np.random.Generator, threads: int = 1) -> np.ndarray:
    """``sample_legal`` of packed masks (B, W) int64; the same whatever the number of threads."""
    actions = np.empty(len(legal), dtype=np.int64)
    key = rng.integers(0, 2**64, dtype=np.uint64)
    if threads > 1 and threads_ready():
        sample_parallel(legal, key, actions, threads, new_counter())
    else:
        sample_into(legal, key, actions)
    return actions
