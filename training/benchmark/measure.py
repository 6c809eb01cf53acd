"""Measuring: what is run, how often, and what a figure is."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from jerusalem_env.kernels import thread_limit

Run = Callable[[float], tuple[int, int, float]]
"""seconds -> (decisions, games finished, seconds that it really took)."""


@dataclass(frozen=True)
class Workload:
    """Something to be timed.

    Attributes
    ----------
    group : str
        The table it belongs to.
    name : str
        What is measured, unique in its group.
    mode : str
        How: batch size, threads, what is written at every decision.
    prepare : callable
        Builds it, compiles and warms it up, and returns its ``Run``, which may have a ``mode`` of
        its own where that is chosen now.
    """

    group: str
    name: str
    mode: str
    prepare: Callable[[], Run]


@dataclass(frozen=True)
class Figure:
    """Rates of several runs of one workload: per second, the median, lowest and highest."""

    group: str
    name: str
    mode: str
    median: float
    lowest: float
    highest: float
    games: float  # finished per second, the median
    runs: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON-able values."""
        return asdict(self)


def run_for(seconds: float, step: Callable[[], tuple[int, int]]) -> tuple[int, int, float]:
    """Call ``step`` -> (decisions, games finished) again and again; see ``Run``."""
    decisions = games = 0
    started = time.perf_counter()
    while True:
        some, finished = step()
        decisions += some
        games += finished
        elapsed = time.perf_counter() - started
        if elapsed >= seconds:
            return decisions, games, elapsed


def measure(
    workloads: Sequence[Workload],
    seconds: float,
    repeats: int,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[Figure]:
    """Figures of the workloads, run in turn (ABC, ABC, ...) so that a slow spell hits all alike.

    Each is warmed up with a run that is not counted. One that fails is told and left out.
    """
    ready: list[tuple[Workload, Run]] = []
    for workload in workloads:
        tell(f"{workload.name}, {workload.mode}: warming up")
        try:
            run = workload.prepare()
            run(min(seconds, 1.0))
        except Exception as error:
            tell(f"{workload.name}, {workload.mode}: left out ({type(error).__name__}: {error})\n")
            continue
        ready.append((workload, run))
    rates: list[list[tuple[float, float]]] = [[] for _ in ready]
    for repeat in range(repeats):
        for index, (workload, run) in enumerate(ready):
            tell(f"{workload.name}, {workload.mode}: run {repeat + 1} of {repeats}")
            decisions, games, elapsed = run(seconds)
            rates[index].append((decisions / elapsed, games / elapsed))
    for (workload, run), measured in zip(ready, rates, strict=True):
        speeds = [speed for speed, _ in measured]
        yield Figure(
            workload.group,
            workload.name,
            getattr(run, "mode", workload.mode),
            median(speeds),
            min(speeds),
            max(speeds),
            median(games for _, games in measured),
            repeats,
        )


class Ticker:
    """One line on a terminal that says what is being measured; silent elsewhere."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def __call__(self, text: str) -> None:
        """Show a text; one that ends with a line feed stays."""
        if text.endswith("\n"):
            print(("\r\033[K" if self._shown else "") + text, end="", file=sys.stderr, flush=True)
        elif self._shown:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def machine(libraries: Sequence[str] = ("numpy", "numba")) -> dict[str, Any]:
    """What the figures depend on; ``libraries`` by their distribution names, if installed."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    about = {"cpu": model, "threads": thread_limit(), "python": platform.python_version()}
    for name in libraries:
        try:
            about[name] = version(name)
        except PackageNotFoundError:
            continue
    return about
