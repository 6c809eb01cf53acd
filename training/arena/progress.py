"""How far a long run is: a bar in a terminal, else a line now and then."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

_SECONDS_A_LINE = 30.0


class ArenaProgress:
    """Called with (blocks done, blocks, games just played); to be used in a ``with``.

    Writes to stderr.
    """

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._games = 0
        self._started = self._told = time.perf_counter()
        if sys.stderr.isatty():
            self._bar = Progress(
                TextColumn("blocks"),
                BarColumn(bar_width=30),
                MofNCompleteColumn(),
                TextColumn("{task.fields[speed]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )

    def __enter__(self) -> ArenaProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int, games: int) -> None:
        """Move the bar, or tell if it is time for a line."""
        now = time.perf_counter()
        self._games += games
        speed = f"{self._games / max(now - self._started, 1e-9):,.0f} games/s"
        if self._bar is not None:
            if self._task is None:  # what was there before is no sign of the speed
                self._task = self._bar.add_task("", total=total, completed=done, speed="")
            else:
                self._bar.update(self._task, completed=done, speed=speed)
        elif now - self._told >= _SECONDS_A_LINE and done < total:
            self._told = now
            print(f"{done} of {total} blocks, {speed}", file=sys.stderr, flush=True)
