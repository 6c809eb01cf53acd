"""Games from files: records (JSON lines) and saved tables."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from ..errors import RecordError
from ..records import GameRecord, read_records
from .session import FORMAT, PlayError, read_table


class StoredGame(NamedTuple):
    """A game from a file.

    Attributes
    ----------
    record : GameRecord
    players : tuple of str or None
        Who played each seat, None for a person; empty where the file does not say.
    """

    record: GameRecord
    players: tuple[str | None, ...]


def stored_games(path: str | os.PathLike[str]) -> list[StoredGame]:
    """All games of a file of records, or the one of a saved table.

    Raises
    ------
    PlayError
        If the file cannot be read, holds neither, or nothing.
    """
    path = Path(path)
    try:
        if _is_table(path):
            players, _, record = read_table(path)
            return [StoredGame(record, players)]
        games = [StoredGame(record, ()) for record in read_records(path)]
    except OSError as error:
        raise PlayError(f"{path} cannot be read: {error.strerror or error}") from error
    except RecordError as error:
        raise PlayError(str(error)) from error
    if not games:
        raise PlayError(f"{path} holds no games")
    return games


def stored_game(path: str | os.PathLike[str], number: int = 1) -> StoredGame:
    """Game ``number`` (from 1) of a file. Raises PlayError if it has not so many."""
    games = stored_games(path)
    if not 1 <= number <= len(games):
        raise PlayError(f"{path} holds games 1 to {len(games)}, asked for {number}")
    return games[number - 1]


def _is_table(path: Path) -> bool:
    """Whether a file is a saved table, not lines of records."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(values, dict) and values.get("format") == FORMAT
