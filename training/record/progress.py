"""How far a recording is: a line that changes in a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from contextlib import suppress

_SECONDS_A_LINE = 30.0
_SECONDS_A_CHANGE = 0.2


def tell(text: str) -> None:
    """Write to stderr; a terminal that was closed meanwhile ends no recording."""
    with suppress(OSError):
        print(text, end="", file=sys.stderr, flush=True)


class RecordingProgress:
    """Called with games and decisions done so far; writes to stderr."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._terminal = sys.stderr.isatty()
        self._told = time.perf_counter()
        self._first: tuple[float, int, int] | None = None

    def __call__(self, games: int, decisions: int) -> None:
        """Tell it if it is time to."""
        now = time.perf_counter()
        if self._first is None:  # before it something may have been compiled
            self._first = now, games, decisions
            return
        wait = _SECONDS_A_CHANGE if self._terminal else _SECONDS_A_LINE
        if now - self._told < wait or games >= self._games:
            return
        self._told = now
        started, first_games, first_decisions = self._first
        spent = now - started
        left = spent / max(games - first_games, 1) * (self._games - games)
        text = (
            f"{games:,} of {self._games:,} games, {decisions:,} decisions, "
            f"{(decisions - first_decisions) / max(spent, 1e-9):,.0f} a second, {_time(left)} left"
        )
        end = "" if self._terminal else "\n"
        start = "\r\x1b[2K" if self._terminal else ""
        tell(start + text + end)

    def done(self) -> None:
        """Clear the line."""
        if self._terminal:
            tell("\r\x1b[2K")


def _time(seconds: float) -> str:
    """Hours and minutes, or seconds."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"
