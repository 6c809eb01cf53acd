"""Who sits beside the learner: itself, bots, or its own past; swapped while it trains.

A batch of games has a fixed number of slots. Each slot belongs to one kind of table for good, so
the share of a kind is exact; who sits where is drawn anew for every game (P21).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from jerusalem_env.envs.opponents import Opponent, compiled_policy
from jerusalem_env.policies import CompiledPolicy

LEARNER = -1
ALL_LEARNER, WITH_PAST = -1, -2  # kinds of tables; 0.. are tables with bots


@dataclass(frozen=True)
class BotTables:
    """A share of the games with one seat the learner's and bots in the others.

    Attributes
    ----------
    share : float
        Of all slots, 0..1.
    bots : tuple of Opponent
        One is drawn for each seat of each game.
    """

    share: float
    bots: tuple[Opponent, ...]


class PastPolicy(Protocol):
    """A frozen policy as the pool uses it."""

    def act_on(
        self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """(B,) legal actions for (B, F) uint8 observations and (B, A) bool masks."""


@dataclass
class Past:
    """A past policy and when it was the present one."""

    decisions: int
    policy: PastPolicy


class OpponentPool:
    """Draws the line-up of every game.

    Parameters
    ----------
    tables : sequence of BotTables
    past : float
        Share of the slots in which some seats belong to past policies: each seat with even chance,
        but never all or none. Until there is a past policy the learner plays all seats there.
    keep : int
        Past policies that are kept, at least 2. When there are more, one that is close in age to
        its neighbours goes, so that what stays covers all of the training.

    Raises
    ------
    ValueError
        If shares are negative or exceed 1, a table has no bots, or ``keep`` is too small.
    """

    def __init__(self, tables: Sequence[BotTables] = (), past: float = 0.0, keep: int = 8) -> None:
        shares = [*(table.share for table in tables), past]
        if min(shares) < 0.0 or sum(shares) > 1.0 + 1e-9:
            raise ValueError(f"shares must be 0 or more and at most 1 in all, got {shares}")
        if not all(table.bots for table in tables):
            raise ValueError("every table needs at least one bot")
        if keep < 2:
            raise ValueError(f"keep must be at least 2, got {keep}")
        self.tables = tuple(tables)
        self.past_share = past
        self.keep = keep
        self.bots: list[Any] = [bot for table in tables for bot in table.bots]
        self.past: list[Past] = []
        compiled = [compiled_policy(bot) for bot in self.bots]
        self.compiled: tuple[CompiledPolicy, ...] = tuple(one for one in compiled if one)
        # Index of each bot among the compiled ones, -1: called from Python.
        self.compiled_index = np.full(len(self.bots), -1, dtype=np.int64)
        self.compiled_index[[bool(one) for one in compiled]] = np.arange(len(self.compiled))

    def kinds(self, slots: int) -> np.ndarray:
        """(slots,) int64 kind of table of each slot."""
        shares = [table.share for table in self.tables] + [self.past_share]
        bounds = np.rint(np.cumsum(shares) * slots).astype(np.int64)
        kinds = np.full(slots, ALL_LEARNER, dtype=np.int64)
        first = 0
        for index, last in enumerate(bounds):
            kinds[first:last] = index if index < len(self.tables) else WITH_PAST
            first = last
        return kinds

    def line_up(self, kind: int, seats: int, rng: np.random.Generator) -> np.ndarray:
        """(seats,) int64: -1 the learner's seats, 0.. a bot, ``len(bots)``.. a past policy."""
        players = np.full(seats, LEARNER, dtype=np.int64)
        if kind >= 0:
            first = sum(len(table.bots) for table in self.tables[:kind])
            players[:] = first + rng.integers(len(self.tables[kind].bots), size=seats)
            players[rng.integers(seats)] = LEARNER
        elif kind == WITH_PAST and self.past:
            learners = rng.random(seats) < 0.5
            if learners.all() or not learners.any():
                turned = rng.integers(seats)
                learners[turned] = not learners[turned]
            drawn = len(self.bots) + rng.integers(len(self.past), size=seats)
            players[~learners] = drawn[~learners]
        return players

    def add_past(self, decisions: int, policy: PastPolicy) -> None:
        """Let a policy that has learned from so many decisions play from now on.

        Games that run with one that goes are played on by the one that takes its place.
        """
        if len(self.past) < self.keep:
            self.past.append(Past(decisions, policy))
            return
        by_age = sorted(range(len(self.past)), key=lambda index: self.past[index].decisions)
        ages = [self.past[index].decisions for index in by_age] + [decisions]
        gaps = [ages[place + 1] - ages[place - 1] for place in range(1, len(by_age))]
        place = 1 + int(np.argmin(gaps))
        self.past[by_age[place]] = Past(decisions, policy)
