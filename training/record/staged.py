"""Writers whose work gets its name only when all of it is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Staged(ABC):
    """Used in a ``with``: what was not put in place by its end is thrown away.

    Finishing and naming are two steps, so that several can be finished before any gets its name.
    """

    @abstractmethod
    def put_in_place(self) -> None:
        """Give what is finished its name."""

    @abstractmethod
    def discard(self) -> None:
        """Throw away what was written, unless it was put in place."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.discard()
