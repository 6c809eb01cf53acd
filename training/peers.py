"""Other environments, played as ``jerusalem bench --peers`` measures them.

Every peer plays uniformly random legal actions in the fastest mode found for it, with the action
mask (or the list of legal actions, where the library has no mask) and the observation produced at
every decision, and finished games followed by new ones. What counts as a decision is what the
library asks a player for, forced moves included; throws and deals are none. No library is
imported before its peer is prepared.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

# Endless: (decisions, games finished) since the item before. The first item ends the set-up.
Plays = Iterator[tuple[int, int]]

PGX_BATCHES = (64, 256, 1024, 4096)
CARTPOLES = 16_384
_DEALS = 100_000


class Run:
    """A peer ready to be measured; each call plays on where the one before stopped.

    Parameters
    ----------
    mode : str
        How it is played, for instance ``"jit + vmap, batch 1024"``.
    plays : iterator
        Yields decisions and games finished, without end.
    seed : int
        Seed of Python's own generator while it plays: some libraries draw from nothing else.
    """

    def __init__(self, mode: str, plays: Plays, seed: int) -> None:
        self.mode = mode
        self._plays = plays
        self._random = random.Random(seed).getstate()

    def __call__(self, seconds: float) -> tuple[int, int, float]:
        """(decisions, games finished, seconds really taken); at least one item is played."""
        outside = random.getstate()
        random.setstate(self._random)
        try:
            decisions = games = 0
            started = perf_counter()
            for made, finished in self._plays:
                decisions += made
                games += finished
                elapsed = perf_counter() - started
                if elapsed >= seconds:
                    return decisions, games, elapsed
        finally:
            self._random = random.getstate()
            random.setstate(outside)
        raise RuntimeError(f"{self.mode}: the plays ended")  # pragma: no cover


@dataclass(frozen=True)
class Peer:
    """An environment of another project.

    Attributes
    ----------
    library : str
        Distribution that it comes from, whose version matters.
    name : str
        Library and game.
    mode : str
        How it is played, as far as known before ``prepare``; ``Run.mode`` says it in full.
    prepare : callable
        Takes the generator that all its seeds come from; imports, builds, compiles, warms up.
    needs : tuple of str
        Top-level modules that it needs beside its library's own.
    lacks : callable
        Says what else is missing although the library is installed, or None.
    """

    library: str
    name: str
    mode: str
    prepare: Callable[[np.random.Generator], Run]
    needs: tuple[str, ...] = ()
    lacks: Callable[[], str | None] = lambda: None


def missing(peer: Peer) -> str | None:
    """Why a peer can't be measured here, or None; imports nothing."""
    try:
        distribution(peer.library)
    except PackageNotFoundError:
        return f"{peer.library} is not installed"
    for module in peer.needs:
        if find_spec(module) is None:
            return f"{module}, which it needs, is not installed"
    return peer.lacks()


def peers() -> tuple[Peer, ...]:
    """All known peers, installed or not."""
    return (
        *(_pettingzoo(game, needs) for game, needs in _CLASSIC.items()),
        *(
            Peer("open_spiel", f"OpenSpiel {game}", mode, partial(_warm, mode, _openspiel, game))
            for mode in ("Python, one game, numpy observer",)
            for game in ("backgammon", "gin_rummy", "hearts")
        ),
        *(
            Peer("pgx", f"pgx {game}", "CPU, jit + vmap", partial(_pgx, game), ("jax",))
            for game in ("backgammon", "bridge_bidding", "chess")
        ),
        *(
            Peer("rlcard", f"RLCard {game}", mode, partial(_warm, mode, _rlcard, game))
            for mode in ("one game, extracted state, list of legal actions",)
            for game in ("mahjong", "gin-rummy", "uno", "limit-holdem")
        ),
        *(
            Peer(library, f"catanatron {what}", mode, partial(_warm, mode, plays), needs)
            for library, what, mode, plays, needs in (
                (
                    "catanatron-gym",
                    "1 against 1",
                    "Gymnasium environment, vector observation; the opponent's moves not counted",
                    _catanatron_gym,
                    ("catanatron",),
                ),
                (
                    "catanatron",
                    "play only",
                    "2 RandomPlayers, neither mask nor observation",
                    _catanatron,
                    (),
                ),
            )
        ),
        Peer(
            "gymnasium",
            "Gymnasium CartPole-v1",
            f"numpy, {CARTPOLES} at once, no mask",
            partial(_warm, f"numpy, {CARTPOLES} at once, no mask", _cartpole),
        ),
    )


def _seed(rng: np.random.Generator) -> int:
    """A seed that every library takes."""
    return int(rng.integers(1, 2**31 - 1))


def _warm(
    mode: str, plays: Callable[..., Plays], *arguments: str, rng: np.random.Generator
) -> Run:
    """A run of ``plays(*arguments, rng)`` that has been set up."""
    run = Run(mode, plays(*arguments, rng), _seed(rng))
    run(0.0)
    return run


