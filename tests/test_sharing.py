"""Threads take every game once, whichever of them is faster."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from jerusalem_env.kernels import entry_kernel, start_threads, thread_limit
from jerusalem_env.sharing import claim, games_at_once, new_counter


@entry_kernel(parallel=True)
def _take_all(taken: Any, by: Any, threads: Any, counter: Any) -> None:
    """One game at a time, each with some work, so that threads meet at the counter."""
    games = taken.shape[0]
    counter[0] = 0
    for thread in numba.prange(threads):
        first = claim(counter, 1)
        while first < games:
            for _ in range(20):
                by[first] = by[first] * 3 % 7
            by[first] = thread
            taken[first] += 1
            first = claim(counter, 1)


@entry_kernel
def _at_once(games: Any, threads: Any, most: Any) -> Any:
    return games_at_once(games, threads, most)


@pytest.mark.skipif(thread_limit() < 2, reason="one thread here")
@pytest.mark.parametrize("threads", [2, 64])
@pytest.mark.parametrize("games", [1, 2, 65, 100_000])
def test_claim__every_game_is_taken_once(games: int, threads: int) -> None:
    start_threads()
    counter = new_counter()
    for _ in range(10):
        taken, by = np.zeros(games, dtype=np.int64), np.full(games, -1)
        _take_all(taken, by, threads, counter)
        assert (taken == 1).all()
        assert ((by >= 0) & (by < threads)).all()


@pytest.mark.parametrize(
    ("games", "threads", "most", "expected"),
    [(1, 2, 64, 1), (128, 2, 64, 8), (4096, 2, 64, 64), (4096, 16, 64, 32), (4096, 2, 4, 4)],
)
def test_games_at_once__leaves_each_thread_several_turns(
    games: int, threads: int, most: int, expected: int
) -> None:
    assert _at_once(games, threads, most) == expected
