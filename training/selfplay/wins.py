"""How often the learner wins while it trains, by kind of table."""

from __future__ import annotations

from typing import Any

import numpy as np

from .games import Outcome, SelfPlayGames
from .opponents import ALL_LEARNER, WITH_PAST

_WINDOW = 1_000  # games of each kind that a rate is taken over


class WinRates:
    """Win rates of the learner over the latest games of each kind.

    A kind with bots is named by them, or by their number. Among past policies a seat's rate is
    told, chance being 1/n. Tables where it plays all seats say nothing and are left out.
    """

    def __init__(self, games: SelfPlayGames) -> None:
        self._games = games
        self._results: dict[int, list[float]] = {}

    def add(self, outcome: Outcome) -> None:
        """Count the games that a tick ended."""
        if not len(outcome.finished):
            return
        learners = outcome.line_ups < 0
        shares = self._games.game.win_shares(outcome.finals)
        own = (shares * learners).sum(axis=1) / np.maximum(learners.sum(axis=1), 1)
        for row, slot in enumerate(outcome.finished):
            kind = int(self._games.kinds[slot])
            if kind == ALL_LEARNER or learners[row].all():
                continue
            results = self._results.setdefault(kind, [])
            results.append(float(own[row]))
            del results[:-_WINDOW]

    def rates(self) -> dict[str, tuple[float, int]]:
        """Name of the table -> (win rate of a learner's seat, games it is taken over)."""
        return {
            self.name_of(kind): (float(np.mean(results)), len(results))
            for kind, results in sorted(self._results.items())
        }

    def name_of(self, kind: int) -> str:
        """A name for a kind of table."""
        if kind == WITH_PAST:
            return "past"
        names = [self._plain_name(one) for one in range(kind + 1)]
        earlier = names[:-1].count(names[-1])
        return names[-1] + (f" #{earlier + 1}" if earlier else "")

    def _plain_name(self, kind: int) -> str:
        names = [str(getattr(bot, "name", bot)) for bot in self._games.pool.tables[kind].bots]
        return "+".join(names) if len(names) < 3 else f"{len(names)} kinds"

    def snapshot(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {str(kind): results for kind, results in self._results.items()}

    def restore(self, content: dict[str, Any]) -> None:
        """Go on from a ``snapshot``."""
        self._results = {int(kind): list(results) for kind, results in content.items()}
