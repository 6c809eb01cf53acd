"""How far the engine is from what the memory allows."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

import numba
import numpy as np

from jerusalem_env.game import Game
from jerusalem_env.kernels import entry_kernel, start_threads

from .measure import Figure


@entry_kernel(parallel=True)
def fill(words, value, chunks):
    """Write a value to every word, on so many threads."""
    size = words.shape[0]
    for chunk in numba.prange(chunks):
        for place in range(size * chunk // chunks, size * (chunk + 1) // chunks):
            words[place] = value


def write_bandwidth(megabytes: float, threads: int, repeats: int = 15) -> float:
    """Bytes per second that can be written to a buffer of this size, again and again; median."""
    start_threads()
    words = np.zeros(int(megabytes * 2**20) // 8, dtype=np.int64)
    rounds = max(1, int(64 / megabytes))
    rates = []
    for repeat in range(repeats + 1):
        started = time.perf_counter()
        for value in range(rounds):
            fill(words, value + repeat, threads)
        rates.append(rounds * words.nbytes / (time.perf_counter() - started))
    return median(rates[1:])


def bytes_per_decision(game: Game, itemsize: int) -> int:
    """Bytes written for the caller at every decision: observation, mask, rewards and flags."""
    return game.observation_size * itemsize + game.num_actions + 8 * game.players + 2


def limits(figures: list[Figure], games: int, threads: int, game: Game) -> list[dict[str, Any]]:
    """For each main figure: bytes written, the limit that follows, and the share reached."""
    found = []
    for what, itemsize in (
        ("mask and float32 observation", 4),
        ("mask and uint8 observation", 1),
        ("mask only", 0),
    ):
        reached = [f for f in figures if f.group == "batch" and f.name == what]
        if not reached:
            continue
        best = max(reached, key=lambda figure: figure.median)
        size = bytes_per_decision(game, itemsize)
        bandwidth = write_bandwidth(games * size / 2**20, threads)
        found.append(
            {
                "what": what,
                "bytes": size,
                "bandwidth": bandwidth,
                "limit": bandwidth / size,
                "reached": best.median,
                "share": best.median * size / bandwidth,
            }
        )
    return found
