"""What happens at the table, in words."""

from __future__ import annotations

import numpy as np


def narrate(
    before: np.void, action: int, after: np.void, seat: int | None = None, recall: bool = False
) -> list[str]:
    """An action and what followed from it, a line each."""
    raise NotImplementedError


def describe_decision(state: np.void, seat: int | None = None) -> str:
    """What is being decided."""
    raise NotImplementedError


def may_take_back(before: np.void, after: np.void) -> bool:
    """Whether a decision may be taken back."""
    raise NotImplementedError
