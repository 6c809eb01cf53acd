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
    games = taken.shape[0]
    number = games_at_once(games, threads)
    counter[0] = 0
    for thread in numba.prange(threads):
        first = claim(counter, number)
        while first < games:
            for game in range(first, min(first + number, games)):
                taken[game] += 1
                by[game] = thread
            first = claim(counter, number)


@entry_kernel
def _at_once(games: Any, threads: Any) -> Any:
    return games_at_once(games, threads)


@pytest.mark.skipif(thread_limit() < 2, reason="one thread here")
@pytest.mark.parametrize("games", [1, 2, 63, 64, 65, 1000, 4097])
def test_claim__every_game_is_taken_once(games: int) -> None:
    start_threads()
    counter = new_counter()
    for _ in range(20):
        taken, by = np.zeros(games, dtype=np.int64), np.full(games, -1)
        _take_all(taken, by, 2, counter)
        assert (taken == 1).all()
        assert set(by) <= {0, 1}


@pytest.mark.parametrize(
    ("games", "threads", "expected"), [(1, 2, 1), (128, 2, 8), (4096, 2, 64), (4096, 16, 32)]
)
def test_games_at_once__leaves_each_thread_several_turns(
    games: int, threads: int, expected: int
) -> None:
    assert _at_once(games, threads) == expected
