"""Who sits where: tables of entrants, each played in all rotations of every deal.

An *entrant* is one of the agents given to the arena, by its index; the same agent given twice is
two entrants. Four formats:

- ``table``: the n entrants given. Who sits beside whom matters much among bots, so the d-th deal
  seats them in the d-th of the (n - 1)! circular orders, beginning anew after the last. A number of
  deals that (n - 1)! divides gives all orders the same weight.
- ``round-robin``: every n of the entrants, each table as above.
- ``fixed``: the n entrants given, in that order clockwise on every deal. What it finds holds for
  that order: two copies of one agent may do very differently in it.
- ``duel``: every ordered pair, one entrant against n - 1 copies of the other. With 2 seats that is
  the same both ways, so each pair is one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from .playing import EvaluationError

FORMATS = ("table", "round-robin", "duel", "fixed")


@dataclass(frozen=True, eq=False)
class Schedule:
    """The tables of an arena.

    Attributes
    ----------
    format : str
        One of ``FORMATS``.
    players : int
        Number of seats n.
    tables : (T, n) int64
        Entrants of each table, those of ``fixed`` and ``duel`` in clockwise order; in a duel the
        one that is alone is the first.
    orders : (K, n) int64
        Orders in which the places of a table are seated; the d-th deal takes order d mod K.
    """

    format: str
    players: int
    tables: np.ndarray
    orders: np.ndarray

    @property
    def games_per_deal(self) -> int:
        """Every table once in each rotation."""
        return len(self.tables) * self.players

    def tables_of_games(self) -> np.ndarray:
        """(P,) int64 table of each game of a deal: the rotations of a table one after the other."""
        return np.repeat(np.arange(len(self.tables)), self.players)

    def lineups(self, deals: np.ndarray) -> np.ndarray:
        """(D, P, n) int64 entrant in each seat, for (D,) numbers of deals and their P games.

        In rotation r the i-th in the order of the table sits in seat (i + r) mod n.
        """
        n = self.players
        seated = self.tables[:, self.orders[deals % len(self.orders)]]  # (T, D, n)
        at = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n  # [rotation, seat]
        lineups = seated[:, :, at].transpose(1, 0, 2, 3)  # (D, T, rotation, seat)
        return np.ascontiguousarray(lineups.reshape(len(deals), self.games_per_deal, n))


def default_format(entrants: int, players: int) -> str:
    """``table`` for as many entrants as seats, or one; ``round-robin`` for more, else ``duel``."""
    if entrants in (1, players):
        return "table"
    return "round-robin" if entrants > players else "duel"


def make_schedule(form: str, entrants: int, players: int) -> Schedule:
    """The tables of a format.

    Raises
    ------
    EvaluationError
        For an unknown format, or a number of entrants that it cannot seat.
    """
    own = np.arange(players)[None, :]
    orders = np.array([(0, *rest) for rest in permutations(range(1, players))])
    if form in ("table", "fixed"):
        if entrants != players:
            raise EvaluationError(
                f"a table of {players} needs {players} agents, got {entrants}; give {players}, or "
                "choose another --format (round-robin, duel)"
            )
        return Schedule(form, players, own.copy(), orders if form == "table" else own)
    if form == "round-robin":
        if entrants < players:
            raise EvaluationError(
                f"a round-robin needs at least {players} agents, a seat each, got {entrants}; "
                "give more, or choose --format duel"
            )
        tables = list(combinations(range(entrants), players))
        return Schedule(form, players, np.array(tables), orders)
    if form == "duel":
        if entrants < 2:
            raise EvaluationError(f"a duel needs at least 2 agents, got {entrants}")
        pairs = combinations if players == 2 else permutations
        duels = [[one] + [other] * (players - 1) for one, other in pairs(range(entrants), 2)]
        return Schedule(form, players, np.array(duels), own)
    raise EvaluationError(f"unknown format {form!r}; expected one of {', '.join(FORMATS)}")


def entrant_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names given, repeated ones numbered: ``greedy``, ``greedy (2)``."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(found)
