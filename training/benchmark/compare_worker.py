"""The process that ``compare`` starts for each commit. Run as a script, never imported.

Answers JSON lines: ``{}`` with the package's file and the workloads' names, and ``{"run": name,
"seconds": s}`` with ``{"rate": decisions per second}``, null if the commit lacks it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import jerusalem_env
from jerusalem_env import jerusalem_v0

GAMES = 4096
Step = Callable[[], int]


def batch(dtype: str | None, threads: int | None) -> Step:
    """The batch of all seats under random legal play."""
    options: dict[str, Any] = {"observation_dtype": dtype, "copy": False, "threads": threads}
    env = jerusalem_v0.batch_env(GAMES, **options)
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def step() -> int:
        env.step(env.sample_actions(rng))
        return GAMES

    for _ in range(600):  # until the games are at all stages
        step()
    return step


def aec() -> Step:
    """``raw_env`` with ``last()`` at every decision."""
    env = jerusalem_v0.raw_env()
    rng = np.random.default_rng(0)
    env.reset(seed=0)

    def step() -> int:
        for decisions in range(100):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated or observation is None:
                env.reset()
                return decisions
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(rng.random() * len(legal))]))
        return 100

    return step


def vector(opponents: str) -> Step:
    """``gymnasium.make_vec`` against bots."""
    import gymnasium

    env: Any = gymnasium.make_vec("Jerusalem-v0", num_envs=GAMES, opponents=opponents, copy=False)
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=0)
    state = {"masks": infos["action_mask"]}

    def step() -> int:
        # A cheap legal choice that needs nothing of the commit: the last or the first legal action.
        masks = state["masks"]
        if rng.random() < 0.5:
            actions = masks.argmax(axis=1)
        else:
            actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        state["masks"] = env.step(actions)[4]["action_mask"]
        return GAMES

    return step


WORKLOADS: dict[str, Callable[[], Step]] = {
    "batch, float32, 1 thread": lambda: batch("float32", 1),
    "batch, float32, all threads": lambda: batch("float32", None),
    "batch, uint8, all threads": lambda: batch("uint8", None),
    "batch, mask only, 1 thread": lambda: batch(None, 1),
    "batch, mask only, all threads": lambda: batch(None, None),
    "AEC raw_env": aec,
    "make_vec against random": lambda: vector("random"),
    "make_vec against greedy": lambda: vector("greedy"),
}


@cache
def prepared(name: str) -> Step | None:
    """The workload, built once; None if this commit lacks it."""
    try:
        step = WORKLOADS[name]()
        step()
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return None
    return step


def rate(name: str, seconds: float) -> float | None:
    """Decisions per second."""
    step = prepared(name)
    if step is None:
        return None
    decisions, started = 0, time.perf_counter()
    while True:
        decisions += step()
        elapsed = time.perf_counter() - started
        if elapsed >= seconds:
            return decisions / elapsed


def main() -> None:
    """Answer questions until there are no more."""
    for line in sys.stdin:
        question = json.loads(line)
        if "run" in question:
            answer: dict[str, Any] = {"rate": rate(question["run"], question["seconds"])}
        else:
            answer = {"package": jerusalem_env.__file__, "workloads": list(WORKLOADS)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
