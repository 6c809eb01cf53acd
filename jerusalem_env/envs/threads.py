"""How many threads a batch uses."""

from __future__ import annotations

from ..errors import is_integer
from ..kernels import thread_limit

ONE_THREAD_BELOW = 128  # games; under this a second thread costs more than it brings


def checked_threads(threads: int | None, games: int) -> int:
    """The number of threads for so many games: all there are, unless given or the batch is small.

    Raises
    ------
    ValueError
        If it is no positive integer or more than Numba has.
    """
    most = thread_limit()
    if threads is None:
        threads = most if games >= ONE_THREAD_BELOW else 1
    if not is_integer(threads, 1, 2**31 - 1):
        raise ValueError(f"threads must be a positive integer, got {threads!r}")
    if threads > most:
        raise ValueError(
            f"threads must be at most {most} here (NUMBA_NUM_THREADS, or 1 in a fork of a process "
            f"that used several), got {threads}"
        )
    return min(int(threads), games)
