"""The exception types that the public interfaces raise.

Every message says what was given, what was expected and what to do. After an error the object it
was raised by is as it was before the call.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class IllegalActionError(ValueError):
    """An action that is not an integer, out of range, or not legal now."""


class NotResetError(RuntimeError):
    """An environment used before its first ``reset``."""


class GameError(ValueError):
    """A game that is not known, or that cannot be made as asked; says what can be."""


class RuleSetError(ValueError):
    """A rule set, preset or switch that does not exist or has a value it cannot have."""


class PositionError(ValueError):
    """A position (rules VII.e) that breaks its format or an invariant; names the field."""


class RecordError(ValueError):
    """A game record that is malformed or whose actions do not replay; names the action."""


def is_integer(value: Any, low: int, high: int) -> bool:
    """Whether a value is a whole number in ``low..high``; True and False are not."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return whole and low <= value <= high
