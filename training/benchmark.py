"""``jerusalem bench``: decisions per second of batch and AEC environment, and start-up times.

Uniformly random legal play, default rules. Each figure is the median of several repeats after a
warm-up, with the spread (lowest, highest) beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np

from jerusalem_env import jerusalem_v0
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.game import Game
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.kernels import thread_limit

_START = (
    "import time, numpy as np; t = time.perf_counter(); from jerusalem_env import jerusalem_v0; "
    "e = jerusalem_v0.raw_env(); e.reset(seed=0); o = e.last()[0]; "
    "e.step(int(np.flatnonzero(o['action_mask'])[0])); print(time.perf_counter() - t)"
)


def run_batch(env: BatchEnv, seconds: float, rng: np.random.Generator) -> tuple[float, int]:
    """(decisions per second, games finished) of a batch under random legal play."""
    steps = games = 0
    started = time.perf_counter()
    while time.perf_counter() - started < seconds:
        for _ in range(8):
            terminated = env.step(env.sample_actions(rng))[3]
            games += int(terminated.sum())
        steps += 8
    return steps * env.num_games / (time.perf_counter() - started), games


def run_aec(seconds: float, rng: np.random.Generator) -> tuple[float, int]:
    """(decisions per second, games finished) of ``raw_env`` with ``last()`` at every decision."""
    env = jerusalem_v0.raw_env()
    decisions = games = 0
    started = time.perf_counter()
    env.reset(seed=0)
    while time.perf_counter() - started < seconds:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            games += 1
            continue
        assert observation is not None
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[int(rng.random() * len(legal))]))
        decisions += 1
    return decisions / (time.perf_counter() - started), games


def start_seconds(cache: str | None) -> float:
    """Seconds from import to the first AEC decision in a new process."""
    environment = dict(os.environ)
    if cache is not None:
        environment["JERUSALEM_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", _START], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def repeated(run: Callable[[], tuple[float, int]], repeats: int) -> dict[str, float]:
    """Median, lowest and highest of several runs after one warm-up."""
    run()
    rates = [run()[0] for _ in range(repeats)]
    return {"median": median(rates), "lowest": min(rates), "highest": max(rates)}


def machine() -> dict[str, Any]:
    """What the figures depend on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    return {
        "cpu": model,
        "threads": thread_limit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def measure(
    games: int, seconds: float, repeats: int, cold: bool, seed: int = 0
) -> dict[str, dict[str, float]]:
    """All figures, by name."""
    rng = np.random.default_rng(seed)
    figures: dict[str, dict[str, float]] = {}
    game: Game = JerusalemGame()
    for threads in sorted({1, thread_limit()}):
        for label, dtype in (("mask and observation", "float32"), ("mask only", None)):
            env = BatchEnv(game, games, dtype, copy=False, threads=threads)
            env.reset(seed=seed)
            name = f"batch of {games}, {label}, {threads} thread{'s' * (threads > 1)}"
            figures[name] = repeated(partial(run_batch, env, seconds, rng), repeats)
    figures["AEC raw_env, last() each decision"] = repeated(lambda: run_aec(seconds, rng), repeats)
    if cold:
        with tempfile.TemporaryDirectory() as cache:
            figures["first start, compiling (s)"] = {"median": start_seconds(cache)}
            starts = [start_seconds(cache) for _ in range(3)]
        figures["later start, from the cache (s)"] = {
            "median": median(starts),
            "lowest": min(starts),
            "highest": max(starts),
        }
    return figures


def table(figures: dict[str, dict[str, float]]) -> str:
    """The figures as aligned text."""
    heads = "".join(f"{head:>12}" for head in ("median", "lowest", "highest"))
    lines = [f"{'random legal play, decisions per second':<52}{heads}"]
    for name, figure in figures.items():
        form = "{:>12.2f}" if name.endswith("(s)") else "{:>12,.0f}"
        columns = "".join(
            form.format(figure[key]) if key in figure else " " * 12
            for key in ("median", "lowest", "highest")
        )
        lines.append(f"{name:<52}{columns}".rstrip())
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """The command ``jerusalem bench``."""
    parser = argparse.ArgumentParser(prog="jerusalem bench", description=__doc__)
    parser.add_argument("--games", type=int, default=4096, help="batch size (4096)")
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds a run (3)")
    parser.add_argument("--repeats", type=int, default=3, help="runs a figure, after a warm-up (3)")
    parser.add_argument("--no-start", action="store_true", help="leave the start-up times out")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args(arguments)
    if options.games < 1 or options.seconds <= 0 or options.repeats < 1:
        parser.error("--games, --seconds and --repeats must be positive")
    about = machine()
    print(", ".join(f"{key} {value}" for key, value in about.items()), flush=True)
    figures = measure(options.games, options.seconds, options.repeats, not options.no_start)
    print(table(figures))
    if options.json is not None:
        partial = options.json.with_name(options.json.name + ".partial")
        partial.write_text(json.dumps({"machine": about, "figures": figures}, indent=1) + "\n")
        partial.replace(options.json)
    return 0
