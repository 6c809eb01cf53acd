"""``jerusalem bench``: decisions per second of every form of use, and of other environments.

Uniformly random legal play, the game's usual players and rules. Each figure is the median of
several runs after a warm-up, with the lowest and highest beside it. All workloads are run in turn,
again and again, so that a slow spell of the machine hits all alike. Run it on a machine that does
nothing else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from jerusalem_env.games import USUAL_GAME, add_game_argument, make_game, short_name
from jerusalem_env.kernels import compile_statistics, thread_limit

from .. import peers as peer_environments
from ..files import write_json, write_text
from . import forms, report
from .limits import limits
from .measure import Figure, Run, Ticker, Workload, machine, measure

_START = (
    "import time, numpy as np; t = time.perf_counter(); from jerusalem_env import games; "
    "e = games.make_raw_env({!r}); e.reset(seed=0); o = e.last()[0]; "
    "e.step(int(np.flatnonzero(o['action_mask'])[0])); print(time.perf_counter() - t)"
)
_BESIDE = ("mask and float32 observation", "mask and uint8 observation", "AEC raw_env")


def start_seconds(cache: str | None, game: str = USUAL_GAME) -> float:
    """Seconds from import to the first AEC decision in a new process."""
    environment = dict(os.environ)
    if cache is not None:
        environment["JERUSALEM_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", _START.format(game)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def starts(game: str = USUAL_GAME) -> dict[str, float]:
    """Start-up times of the AEC environment."""
    with tempfile.TemporaryDirectory() as cache:
        first = start_seconds(cache, game)
        later = median(start_seconds(cache, game) for _ in range(3))
    return {"first start, compiling": first, "later start, from the cache": later}


def _peer_workloads(seed: int, tell: Ticker, game: str) -> list[Workload]:
    """The peers that are installed, and three of our forms beside them."""
    found, ours = [], short_name(game)
    for workload in forms.workloads(4096, (), seed, game):
        if workload.name in _BESIDE and (
            workload.group == "forms" or workload.mode.endswith(forms.threads_text(thread_limit()))
        ):
            found.append(
                Workload("peers", f"{ours}: {workload.name}", workload.mode, workload.prepare)
            )
    rng = np.random.default_rng(seed)
    for peer in peer_environments.peers():
        why = peer_environments.missing(peer)
        if why is not None:
            tell(f"{peer.name}: left out ({why})\n")
            continue

        def prepare(peer: peer_environments.Peer = peer) -> Run:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # theirs, of old interfaces
                return peer.prepare(rng)

        found.append(Workload("peers", peer.name, peer.mode, prepare))
    return found


def main(arguments: list[str]) -> int:
    """The command ``jerusalem bench``."""
    parser = argparse.ArgumentParser(prog="jerusalem bench", description=__doc__)
    add_game_argument(parser)
    parser.add_argument("--games", type=int, default=4096, help="size of the main batch (4096)")
    parser.add_argument(
        "--sizes",
        default=",".join(str(size) for size in forms.SIZES),
        help="other batch sizes, comma between them; empty for none",
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="seconds a run (3)")
    parser.add_argument("--repeats", type=int, default=3, help="runs a figure, after a warm-up (3)")
    parser.add_argument("--only", default="", help="only what has this text in its name or mode")
    parser.add_argument("--quick", action="store_true", help="one run of 0.3 s: to try it out")
    parser.add_argument("--no-start", action="store_true", help="leave the start-up times out")
    parser.add_argument(
        "--peers",
        action="store_true",
        help="other environments instead, those that are installed (extra `peers`), beside ours",
    )
    parser.add_argument("--json", type=Path, help="also write everything to this file")
    parser.add_argument("--markdown", type=Path, help="also write the tables to this file")
    options = parser.parse_args(arguments)
    if options.quick:
        options.seconds, options.repeats = 0.3, 1
    if options.games < 1 or options.seconds <= 0 or options.repeats < 1:
        parser.error("--games, --seconds and --repeats must be positive")
    try:
        sizes = [int(size) for size in options.sizes.split(",") if size.strip()]
    except ValueError:
        parser.error(f"--sizes must be whole numbers with commas, got {options.sizes!r}")
    if min(sizes, default=1) < 1:
        parser.error("--sizes must be positive")

    tell = Ticker()
    libraries = ["numpy", "numba", "gymnasium", "pettingzoo", "stable-baselines3"]
    if options.peers:
        known = {peer.library for peer in peer_environments.peers()} | {"jax"}
        libraries += sorted(known - set(libraries))
        work = _peer_workloads(0, tell, options.game)
    else:
        work = forms.workloads(options.games, sizes, 0, options.game)
    work = [w for w in work if options.only in f"{w.group} {w.name}, {w.mode}"]
    about, game = machine(libraries), make_game(options.game)
    print(", ".join(f"{key} {value}" for key, value in about.items()), flush=True)
    figures: list[Figure] = list(measure(work, options.seconds, options.repeats, tell))
    content: dict[str, Any] = {
        "game": game.name,
        "machine": about,
        "seconds": options.seconds,
        "repeats": options.repeats,
        "figures": [figure.to_dict() for figure in figures],
        "state_bytes": game.state_dtype.itemsize,
    }
    tell.clear()
    print("\n" + report.text(figures), flush=True)
    if compile_statistics()[0]:
        print("Compiled in this process, where code can run slower: run it again for the figures.")
    if not options.peers:
        tell("measuring the memory's bandwidth")
        content["limits"] = limits(figures, options.games, thread_limit(), game)
        tell.clear()
        if content["limits"]:
            print("\n" + report.limits_text(content["limits"]))
        print(f"A game's state: {content['state_bytes']} bytes", flush=True)
        if not options.no_start:
            tell("measuring start-up times (half a minute)")
            content["starts"] = starts(options.game)
            tell.clear()
            print("\n" + report.start_text(content["starts"]))
    if options.json is not None:
        write_json(options.json, content)
    if options.markdown is not None:
        write_text(options.markdown, report.markdown(figures) + "\n")
    return 0
