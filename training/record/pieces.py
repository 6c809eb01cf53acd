"""Pieces of a recording: whole games with all their decisions, a bounded number at a time.

Games are first played, or read from records, and then played again in lock step from their actions,
so that every decision can be looked at. A piece has at most as many decisions as asked for, or one
game: so memory does not grow with the number of games.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from jerusalem_env.game import Game

ROWS = 16_384  # decisions of a piece, unless one game has more
UNKNOWN = -1  # an agent that is not known


class PlayedGames(NamedTuple):
    """G games as their actions.

    Attributes
    ----------
    starts : (G,) state_dtype
        The games at their first decision.
    seeds : (G,) uint64
        Game seeds; 0 where ``seeded`` is false.
    seeded : (G,) bool
        Whether the game began from its seed and not from a position.
    lineups : (G, n) int64
        Index of the agent in each seat, ``UNKNOWN``.
    actions : (G, L) int16
    sizes : (G,) int64
        How many actions of each row there are.
    """

    starts: np.ndarray
    seeds: np.ndarray
    seeded: np.ndarray
    lineups: np.ndarray
    actions: np.ndarray
    sizes: np.ndarray

    def part(self, first: int, last: int) -> PlayedGames:
        """Views of the games ``first`` to ``last - 1``."""
        return PlayedGames(*(array[first:last] for array in self))


class Piece(NamedTuple):
    """G games with their R decisions, game by game.

    Attributes
    ----------
    first_game : int
        Number of the first of the games in the recording, from 0.
    games : PlayedGames
    states : (R,) state_dtype
        The state at each decision.
    actions : (R,) int64
        What was decided.
    finals : (G,) state_dtype
        The games after their last decision.
    """

    first_game: int
    games: PlayedGames
    states: np.ndarray
    actions: np.ndarray
    finals: np.ndarray

    @property
    def row_games(self) -> np.ndarray:
        """(R,) int64 which of the G games each decision belongs to."""
        return np.repeat(np.arange(len(self.finals)), self.games.sizes)

    @property
    def row_numbers(self) -> np.ndarray:
        """(R,) int64 number of each decision in its game, from 0."""
        ends = np.cumsum(self.games.sizes)
        return np.arange(len(self.states)) - np.repeat(ends - self.games.sizes, self.games.sizes)


class ReplayError(ValueError):
    """Actions that cannot be played again; ``game`` is the number of the game among those given."""

    def __init__(self, game: int) -> None:
        super().__init__(f"game {game} cannot be played again")
        self.game = game


def pieces_of(game: Game, games: PlayedGames, first_game: int, rows: int) -> Iterator[Piece]:
    """The games in pieces of at most ``rows`` decisions, or of one game.

    Raises
    ------
    ReplayError
        If an action is not legal, or comes after the end of the game.
    """
    first, total = 0, 0
    for place, size in enumerate(games.sizes.tolist()):
        if place > first and total + size > rows:
            yield replayed(game, games.part(first, place), first_game + first, first)
            first, total = place, 0
        total += size
    if len(games.sizes):
        yield replayed(game, games.part(first, len(games.sizes)), first_game + first, first)


def replayed(game: Game, games: PlayedGames, first_game: int = 0, offset: int = 0) -> Piece:
    """The games played again as one piece; ``offset`` is added to the game a ReplayError names."""
    # The longest first: those that still have actions to come are always the first ones.
    order = np.argsort(-games.sizes, kind="stable")
    sizes, places = games.sizes[order], (np.cumsum(games.sizes) - games.sizes)[order]
    states = games.starts[order]
    actions = np.ascontiguousarray(games.actions[order].T).astype(np.int64)  # (L, G)
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    kept = np.empty(int(sizes.sum()), dtype=game.state_dtype)
    taken = np.empty(len(kept), dtype=np.int64)
    # Whole records at a time: numpy would copy them field by field.
    record = np.dtype((np.void, game.state_dtype.itemsize))
    kept_records, records = kept.view(record), states.view(record)
    for turn in range(int(sizes[0]) if len(sizes) else 0):
        running = int(np.searchsorted(-sizes, -turn))  # sizes > turn
        rows = places[:running] + turn
        kept_records[rows] = records[:running]
        taken[rows] = actions[turn, :running]
        over = np.asarray(game.to_act(states[:running])) < 0
        over |= game.truncated(states[:running])
        wrong = int(over.argmax()) if over.any() else -1
        if wrong < 0:
            wrong = game.step(states[:running], actions[turn, :running], masks[:running])
        if wrong >= 0:
            raise ReplayError(offset + int(order[wrong]))
    finals = np.empty_like(states)
    finals.view(record)[order] = records
    return Piece(first_game, games, kept, taken, finals)
