"""How far a training is: a bar in a terminal, else a line now and then. Writes to stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

_SECONDS_A_LINE = 30.0


class TrainingProgress:
    """Shows speed, win rates and the time that is left; used in a ``with``."""

    def __init__(self, total: int, quiet: bool = False) -> None:
        self._total = total
        self._quiet = quiet
        # Without emoji, as Ctrl-C may ask for a line in the midst of another: rich would load its
        # table of them in the first one, and fail on the half of it in the second.
        self._console = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._told = 0.0
        self._speed = 0.0

    def __enter__(self) -> TrainingProgress:
        if sys.stderr.isatty() and not self._quiet:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.percentage:>3.0f}%"),
                TimeElapsedColumn(),
                TextColumn("{task.fields[status]}"),
                console=self._console,
            )
            self._task = self._bar.add_task("training", total=self._total, status="")
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
            self._bar = None

    def update(self, decisions: int, speed: float, rates: Mapping[str, tuple[float, int]]) -> None:
        """Decisions learned from so far, per second lately, and win rates by table."""
        self._speed = speed if self._speed == 0.0 else 0.8 * self._speed + 0.2 * speed
        left = max(self._total - decisions, 0) / max(self._speed, 1e-9)
        wins = ", ".join(f"{name} {rate:.0%}" for name, (rate, _) in rates.items())
        status = f"{self._speed:,.0f}/s, {_time(left)} left" + (f"; wins: {wins}" if wins else "")
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=decisions, status=status)
        elif time.monotonic() - self._told >= _SECONDS_A_LINE:
            self._told = time.monotonic()
            self.tell(f"{decisions / 1e6:,.2f} of {self._total / 1e6:,.2f} million, {status}")

    def tell(self, text: str) -> None:
        """A line that stays."""
        if not self._quiet:
            self._console.print(text, markup=False)


def _time(seconds: float) -> str:
    """Hours and minutes, or seconds."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"
