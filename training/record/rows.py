"""Rows: what a decision is in a table, as Arrow record batches with a fixed schema.

Beside the columns of ``Game.columns`` a row says whose decision of which game it is, what was
decided, and how the game ended. Texts are dictionary-encoded. Where something is not known (the
agents of records, the result of an unfinished game) it is null.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import Agent
from jerusalem_env import __version__, outcomes
from jerusalem_env.game import Game, Information
from jerusalem_env.games import column_meanings

from .errors import RecordingError, needed
from .pieces import ROWS, Piece, PlayedGames
from .sources import RecordedGames, played_pieces, seat_agents

ABOUT = b"jerusalem"  # the key of the metadata
_FINISHED, _TRUNCATED, _UNFINISHED = range(3)
OUTCOMES = ("finished", "truncated", "unfinished")


def record_games(
    game: Game,
    agents: Sequence[str | Agent],
    games: int,
    seed: int = 0,
    *,
    observations: bool = False,
    paired: bool = False,
    rows: int = ROWS,
    threads: int = 1,
) -> Iterator[Any]:
    """Play games and yield their decisions, as they come; memory does not grow with ``games``.

    Parameters
    ----------
    game : Game
        With ``skip_forced=False`` decisions with one legal action are rows too.
    agents : sequence of str or Agent
        One for each seat, or fewer that sit in several; who sits where changes from game to game.
    games, seed : int
        The rows depend on these, ``game``, ``agents``, ``observations`` and ``paired`` alone.
    observations : bool
        Also what the seat saw (``observation``, uint8: times ``game.observation_scale`` it is the
        float32 observation) and its legal actions (``action_mask``).
    paired : bool
        Play every deal in all rotations of the agents; else every game has its own.
    rows : int
        Most rows of a batch, unless one game has more.
    threads : int
        For compiled agents; changes nothing but the time it takes.

    Yields
    ------
    pyarrow.RecordBatch
        Of whole games, in order; the schema's metadata says what it is, see ``about``.

    Raises
    ------
    RecordingError, AgentError, EvaluationError
        For wrong settings, agents that cannot be made, an illegal choice; or without pyarrow.
    """
    seated, names = seat_agents(game, agents)
    settings = {"seed": seed, "paired": paired}
    table = Rows(game, names, observations, about(game, names, observations, settings))
    for piece in played_pieces(
        game, seated, games, seed, paired=paired, rows=rows, threads=threads
    ):
        yield table.batch(piece)


def rows_of_records(
    path: str | os.PathLike[str],
    *,
    observations: bool = False,
    information: Information = "screen",
    rows: int = ROWS,
) -> Iterator[Any]:
    """The decisions of a file of records or of a saved table, in the same form; agents are null.

    Raises
    ------
    RecordError
        For a record that is damaged, does not replay, or is not of the game of the first one.
    RecordingError
        If there are none, or without pyarrow.
    """
    recorded = RecordedGames(path, information)
    game = recorded.game
    table = Rows(
        game, (), observations, about(game, (), observations, {"records": Path(path).name})
    )
    for piece in recorded.pieces(rows):
        yield table.batch(piece)


def about(
    game: Game, agents: Sequence[str], observations: bool, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """What a recording is, as JSON-able values: game, rules, agents, settings, columns."""
    found = {
        "game": game.name,
        "version": __version__,
        "players": game.players,
        "ruleset": game.rules_dict(),
        "information": getattr(game, "information", None),
        "reward": getattr(game, "reward", None),
        "skip_forced": game.skip_forced,
        "agents": list(agents),
        **settings,
        "columns": meanings(game, observations),
    }
    if observations:
        found["observation_caps"] = game.observation_caps.tolist()
    return found


def meanings(game: Game, observations: bool = False) -> dict[str, str]:
    """Name -> what it says, of every column in order; the game's own may be without."""
    n = game.players
    told = column_meanings(game.name, n)
    found = {
        "game": "number of the game, from 0",
        "game_seed": "seed that the game was dealt from; null where it began from a position",
        "decision": "number of the decision among those of the game that were asked, from 0",
        "seat": "seat that decides",
        "agent": "agent that decides",
        **{f"agent_{seat}": f"agent in seat {seat}" for seat in range(n)},
        "action": "the flat action",
        "action_name": "its name",
        "legal_actions": "number of legal actions",
    }
    own = {name: told.get(name, "") for name in game.columns(game.new_states(0))}
    ending = {
        "outcome": "of the game: finished, truncated (by the watchdog) or unfinished",
        "rank": "of the seat that decides, at the end, 1 is best; shared places have one number",
        "won": "whether that seat won, alone or with others",
        "utility": "its reward at the end",
        "winner": "seat that won; null where several share the win",
        **{
            f"win_share_{seat}": f"part of the win that seat {seat} has: 1, 1/w of w winners, or 0"
            for seat in range(n)
        },
    }
    for name, kind in amounts_of(game).items():
        for seat in range(n):
            ending[f"final_{name}_{seat}"] = f"{name} of seat {seat} at the end ({kind.__name__})"
    twice = sorted((found.keys() & own.keys()) | ((found.keys() | own.keys()) & ending.keys()))
    if twice:
        raise RecordingError(f"{game.name} has columns that every recording has: {twice}")
    found |= own | ending
    if observations:
        found["observation"] = "what the seat saw, whole numbers; divided by observation_caps: 0..1"
        found["action_mask"] = "1 for every legal action"
    return found


def amounts_of(game: Game) -> dict[str, type]:
    """Amounts by seat that the results of the game have, int or float: from a game played out."""
    states = game.new_states(1)
    masks = np.zeros((1, game.num_actions), dtype=np.uint8)
    game.reset(states, np.zeros(1, dtype=np.uint64), masks)
    while masks.any():
        game.step(states, masks.argmax(axis=1), masks)
    if not game.terminated(states)[0]:
        return {}
    return {
        name: float if any(isinstance(value, float) for value in values) else int
        for name, values in outcomes.amounts_of(game.results(states[0]), game.players).items()
    }


class Rows:
    """Makes record batches of pieces.

    Parameters
    ----------
    game : Game
    agents : sequence of str
        Names of the agents that line-ups mean.
    observations : bool
    metadata : dict
        Kept in the schema as JSON under ``ABOUT``.

    Attributes
    ----------
    schema : pyarrow.Schema

    Raises
    ------
    RecordingError
        Without pyarrow.
    """

    def __init__(
        self, game: Game, agents: Sequence[str], observations: bool, metadata: Mapping[str, Any]
    ) -> None:
        self._arrow = needed("pyarrow", "pyarrow")
        self.game, self.observations = game, observations
        self._amounts = amounts_of(game)
        self._agents = self._arrow.array(list(agents), self._arrow.string())
        self._actions = self._arrow.array(list(game.action_names), self._arrow.string())
        self._outcomes = self._arrow.array(OUTCOMES, self._arrow.string())
        arrays = self._arrays(_no_piece(game))
        self.schema = self._arrow.schema(
            [self._arrow.field(name, array.type) for name, array in arrays.items()],
            metadata={ABOUT: json.dumps(metadata)},
        )

    def batch(self, piece: Piece) -> Any:
        """A pyarrow.RecordBatch with a row for each decision of a piece."""
        arrays = self._arrays(piece)
        return self._arrow.record_batch(list(arrays.values()), schema=self.schema)

    def _arrays(self, piece: Piece) -> dict[str, Any]:
        game, array = self.game, self._arrow.array
        place, games = piece.row_games, piece.games
        seats = np.asarray(game.to_act(piece.states), dtype=np.int64)
        masks = np.zeros((len(seats), game.num_actions), dtype=np.uint8)
        game.legal(piece.states, masks)
        found = {
            "game": array((piece.first_game + place).astype(np.int32)),
            "game_seed": array(games.seeds[place], mask=~games.seeded[place]),
            "decision": array(piece.row_numbers.astype(np.int32)),
            "seat": array(seats.astype(np.int8)),
            "agent": self._named(games.lineups[place, seats], self._agents),
            **{
                f"agent_{seat}": self._named(games.lineups[place, seat], self._agents)
                for seat in range(game.players)
            },
            "action": array(piece.actions.astype(np.int16)),
            "action_name": self._named(piece.actions, self._actions),
            "legal_actions": array(np.count_nonzero(masks, axis=1).astype(np.int16)),
        }
        for name, values in game.columns(piece.states).items():
            text = values.dtype.kind == "U"
            found[name] = array(values).dictionary_encode() if text else array(values)
        found |= self._endings(piece, place, seats)
        if self.observations:
            seen = np.empty((len(seats), game.observation_size), dtype=np.uint8)
            game.observe(piece.states, out=seen)
            found["observation"] = self._lists(seen)
            found["action_mask"] = self._lists(masks)
        return found

    def _named(self, indices: np.ndarray, names: Any) -> Any:
        """A dictionary array; null where the index is negative."""
        codes = self._arrow.array(indices.astype(np.int32), mask=indices < 0)
        return self._arrow.DictionaryArray.from_arrays(codes, names)

    def _lists(self, values: np.ndarray) -> Any:
        flat = self._arrow.array(values.reshape(-1))
        return self._arrow.FixedSizeListArray.from_arrays(flat, values.shape[1])

    def _endings(self, piece: Piece, place: np.ndarray, seats: np.ndarray) -> dict[str, Any]:
        """How each decision's game ended, for the seat that decides and for all."""
        game, array, finals = self.game, self._arrow.array, piece.finals
        n, games = game.players, len(finals)
        over = np.asarray(game.terminated(finals), dtype=np.bool_)
        cut = np.asarray(game.truncated(finals), dtype=np.bool_)
        outcome = np.where(over, _FINISHED, np.where(cut, _TRUNCATED, _UNFINISHED))
        ranks = np.zeros((games, n), dtype=np.int8)
        shares = game.win_shares(finals)
        alone = (shares == 1.0).any(axis=1)
        winner = shares.argmax(axis=1).astype(np.int8)
        amounts: dict[str, np.ndarray] = {
            name: np.zeros((games, n), kind) for name, kind in self._amounts.items()
        }
        for row in np.flatnonzero(over):
            results = game.results(finals[row])
            ranks[row] = outcomes.ranks_of(results)
            for name in amounts:
                amounts[name][row] = results[name]
        unknown, unfinished = ~over[place], outcome[place] == _UNFINISHED
        won = shares[place, seats] > 0.0
        return {
            "outcome": self._named(outcome[place], self._outcomes),
            "rank": array(ranks[place, seats], mask=unknown),
            "won": array(won, mask=unfinished),
            "utility": array(game.utilities(finals)[place, seats], mask=unfinished),
            "winner": array(winner[place], mask=~alone[place]),
            **{
                f"win_share_{seat}": array(shares[place, seat], mask=unfinished)
                for seat in range(n)
            },
            **{
                f"final_{name}_{seat}": array(values[place, seat], mask=unknown)
                for name, values in amounts.items()
                for seat in range(n)
            },
        }


def _no_piece(game: Game) -> Piece:
    """A piece without games, from which the types of columns are read."""
    none = np.zeros(0, dtype=np.int64)
    games = PlayedGames(
        starts=game.new_states(0),
        seeds=none.astype(np.uint64),
        seeded=none.astype(np.bool_),
        lineups=np.zeros((0, game.players), dtype=np.int64),
        actions=np.zeros((0, 1), dtype=np.int16),
        sizes=none,
    )
    return Piece(0, games, game.new_states(0), none, game.new_states(0))
