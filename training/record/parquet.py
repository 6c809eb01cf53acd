"""Parquet files of recordings: there complete or not at all, written piece by piece."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from .errors import RecordingError, needed
from .rows import ABOUT
from .staged import Staged

_SIZE = b"jerusalem.size"  # the key of what is known only at the end
_ROW_GROUP_BYTES = 64 << 20  # of Arrow memory: bounds what is held before it is written


class Written(NamedTuple):
    """What a file holds."""

    games: int
    decisions: int


class ParquetRows(Staged):
    """A Parquet file that batches are added to; used in a ``with``.

    It is written under a temporary name and gets its own by ``close``, which is ``finish`` and
    ``put_in_place``. Whoever leaves the ``with`` by an error, or without that, leaves nothing
    behind.

    Parameters
    ----------
    path : str or path
        Folders that are missing are made.
    overwrite : bool
        Replace a file that is there.

    Raises
    ------
    RecordingError
        If the file is there, or pyarrow is not.
    """

    def __init__(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        self._arrow = needed("pyarrow", "pyarrow")
        self._parquet = needed("pyarrow.parquet", "pyarrow")
        self.path = Path(path)
        if self.path.is_dir():
            raise RecordingError(f"{self.path} is a folder; name a file")
        if self.path.exists() and not overwrite:
            raise RecordingError(
                f"{self.path} is there already; choose another name, or replace it with --force "
                "(overwrite=True)"
            )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._partial = self.path.with_name(f"{self.path.name}.{os.getpid()}.partial")
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._bytes = 0
        self.games = self.decisions = 0

    def add(self, batch: Any) -> None:
        """Add a pyarrow.RecordBatch of whole games; all must have the schema of the first."""
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(
                self._partial, batch.schema, compression="zstd"
            )
        self._waiting.append(batch)
        self._bytes += batch.nbytes
        self.decisions += batch.num_rows
        if batch.num_rows:
            self.games = batch.column("game")[-1].as_py() + 1
        if self._bytes >= _ROW_GROUP_BYTES:
            self._write()

    def _write(self) -> None:
        """What waits, as one row group."""
        if self._waiting:
            # One dictionary a column: a row group with several would be written without.
            table = self._arrow.Table.from_batches(self._waiting).unify_dictionaries()
            self._waiting, self._bytes = [], 0
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))

    def close(self, complete: bool = True) -> Written:
        """Finish the file and give it its name; ``complete``: whether all games are in it.

        Raises
        ------
        RecordingError
            If nothing was added.
        """
        self.finish(complete)
        self.put_in_place()
        return Written(self.games, self.decisions)

    def finish(self, complete: bool = True) -> None:
        """Write all that is left to write, still under the temporary name; raises as ``close``."""
        if self._writer is None:
            raise RecordingError("there is nothing to write: no game was added")
        self._write()
        size = {"games": self.games, "decisions": self.decisions, "complete": complete}
        self._writer.add_key_value_metadata({_SIZE: json.dumps(size)})
        self._writer.close()
        self._writer = None
        with open(self._partial, "rb+") as file:
            os.fsync(file.fileno())

    def put_in_place(self) -> None:
        """Give the finished file its name."""
        os.replace(self._partial, self.path)

    def discard(self) -> None:
        """Throw away what was written, unless it was put in place."""
        try:
            if self._writer is not None:
                with suppress(Exception):  # it may have failed already, on a full disk for one
                    self._writer.close()
                self._writer = None
        finally:
            self._partial.unlink(missing_ok=True)


def write_parquet(
    path: str | os.PathLike[str], batches: Iterable[Any], overwrite: bool = False
) -> Written:
    """Write the batches of ``record_games`` or ``rows_of_records`` to a Parquet file.

    An interruption leaves nothing behind, and a file that was there as it was.

    Raises
    ------
    RecordingError
        If the file is there and ``overwrite`` is not given, if there is no batch, or without
        pyarrow.
    OSError
        If it cannot be written.
    """
    with ParquetRows(path, overwrite) as file:
        for batch in batches:
            file.add(batch)
        return file.close()


def read_about(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file says of itself: ``rows.about``, and ``games``, ``decisions``, ``complete``.

    Raises
    ------
    RecordingError
        If the file is not one of ours, or pyarrow is missing.
    """
    parquet = needed("pyarrow.parquet", "pyarrow")
    try:
        metadata = parquet.read_metadata(path).metadata or {}
        return {**json.loads(metadata[ABOUT]), **json.loads(metadata[_SIZE])}
    except (ValueError, KeyError) as error:
        raise RecordingError(f"{path} is not a recording: {error!r}") from error
