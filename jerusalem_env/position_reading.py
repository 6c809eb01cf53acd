"""What every game needs to read and write positions: typed values, and errors that name the field.

A position is JSON: nested objects, lists, names and numbers. ``Checks`` refuses a value that is not
of the expected kind, with the way to it in the message; ``name_or_null`` and ``seat_or_null`` write
what records hold as -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .errors import PositionError, is_integer


class Checks:
    """Type and range checks that name the field they refuse.

    ``field`` is always the way to the value as it is written in code, ``hands[2][0]`` or
    ``seats.top.1``. Every method raises ``PositionError``.
    """

    def keys(self, field: str, value: Any, expected: Iterable[str]) -> None:
        """``value`` is an object with exactly the expected keys."""
        expected = tuple(expected)
        if not isinstance(value, Mapping):
            raise PositionError(f"{field}: must be an object, got {value!r}")
        inside = "" if field == "position" else f"{field}."
        for key in expected:
            if key not in value:
                raise PositionError(f"{inside}{key}: is missing")
        for key in value:
            if key not in expected:
                names = ", ".join(expected) or "no keys at all"
                raise PositionError(f"{inside}{key}: is not known here; expected {names}")

    def list_of(self, field: str, value: Any, length: int | None) -> list[Any]:
        """``value`` is a list, of the given length if there is one."""
        if not isinstance(value, (list, tuple)):
            raise PositionError(f"{field}: must be a list, got {value!r}")
        if length is not None and len(value) != length:
            raise PositionError(f"{field}: must have {length} entries, got {len(value)}: {value!r}")
        return list(value)

    def list_up_to(self, field: str, value: Any, most: int) -> list[Any]:
        """``value`` is a list of at most so many entries."""
        found = self.list_of(field, value, None)
        if len(found) > most:
            raise PositionError(f"{field}: must have at most {most} entries, got {len(found)}")
        return found

    def integer(self, field: str, value: Any, low: int, high: int) -> int:
        """``value`` is a whole number in ``low..high``."""
        if not is_integer(value, low, high):
            raise PositionError(f"{field}: must be an integer {low}..{high}, got {value!r}")
        return int(value)

    def boolean(self, field: str, value: Any) -> int:
        """``value`` is true or false."""
        if not isinstance(value, (bool, np.bool_)):
            raise PositionError(f"{field}: must be true or false, got {value!r}")
        return int(value)

    def name(self, field: str, value: Any, allowed: tuple[str, ...]) -> int:
        """``value`` is one of the allowed names; returns its place among them."""
        if not isinstance(value, str) or value not in allowed:
            raise PositionError(f"{field}: must be one of {', '.join(allowed)}, got {value!r}")
        return allowed.index(value)


def name_or_null(names: tuple[str, ...], index: int) -> str | None:
    """The name with an index; None for a negative one."""
    return None if index < 0 else names[index]


def seat_or_null(index: int) -> int | None:
    """A seat, or another number, as a plain int; None for a negative one."""
    return None if index < 0 else int(index)
