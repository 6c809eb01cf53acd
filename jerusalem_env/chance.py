"""Keyed chance for kernels: streams of SplitMix64 (Steele, Lea, Flood 2014), and masked sampling.

A stream starts at a hash of (seed, purpose), so neighbouring seeds and different purposes share
nothing. No global generator is read or written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import is_integer
from .kernels import entry_kernel, kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
_PURPOSE_EPISODE = 4


@kernel
def mix(x):
    """SplitMix64's finaliser: a bijection of 64 bits."""
    x = (x ^ (x >> _SHIFT_30)) * _MIX_1
    x = (x ^ (x >> _SHIFT_27)) * _MIX_2
    return x ^ (x >> _SHIFT_31)


@kernel
def stream(seed, purpose):
    """Start of the stream for one purpose of one seed (uint64)."""
    return mix(mix(np.uint64(seed) + _GAMMA) + np.uint64(purpose) * _GAMMA)


@kernel
def draw(state, n):
    """(next stream state, integer 0..n-1). The bias is below n / 2**64."""
    state = state + _GAMMA
    return state, np.int64(mix(state) % np.uint64(n))


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


@entry_kernel
def sample_into(masks, key, actions):
    """Write a uniformly drawn legal action for each row of (B, A) masks; -1 where none is legal."""
    for row in range(masks.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[row, action]
        actions[row] = -1
        if legal == 0:
            continue
        _, skip = draw(stream(key, row), legal)
        for action in range(masks.shape[1]):
            if masks[row, action] != 0:
                if skip == 0:
                    actions[row] = action
                    break
                skip -= 1


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
    actions = np.empty(len(masks), dtype=np.int64)
    masks = masks.view(np.uint8) if masks.dtype == np.bool_ else masks
    sample_into(masks, rng.integers(0, 2**64, dtype=np.uint64), actions)
    return actions
