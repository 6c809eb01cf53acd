"""What every environment says of an action that is none, or not legal now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import IllegalActionError

_SHOWN = 12  # legal actions listed in an error message


def action_number(action: Any, num_actions: int) -> int:
    """The action as an int; IllegalActionError if it is not one of ``0..num_actions - 1``."""
    number = action[()] if isinstance(action, np.ndarray) and action.ndim == 0 else action
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise IllegalActionError(
            f"action must be an integer 0..{num_actions - 1}, got {action!r} of type "
            f"{type(action).__name__}; names are in action_names"
        )
    if not 0 <= number < num_actions:
        raise IllegalActionError(f"action must be 0..{num_actions - 1}, got {int(number)}")
    return int(number)


def legal_names(action_names: Sequence[str], mask: np.ndarray) -> str:
    """``legal: `` and the names of the legal actions of a (A,) mask, the first twelve of them."""
    names = [action_names[int(action)] for action in np.flatnonzero(mask)]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"legal: {', '.join(names[:_SHOWN])}{more}"


def checked_actions(actions: Any, number: int) -> np.ndarray:
    """One action a game as an integer array (number,); IllegalActionError for anything else."""
    actions = np.asarray(actions)
    if actions.shape != (number,) or actions.dtype.kind not in "iu":
        raise IllegalActionError(
            f"actions must be {number} integers, got shape {actions.shape} of {actions.dtype}"
        )
    return actions


def illegal_in_batch(
    names: Sequence[str], action: int, where: str, seat: int, mask: np.ndarray
) -> IllegalActionError:
    """The error for an action that its mask forbids; ``where`` is such as ``"in game 4"``."""
    name = f" ({names[action]!r})" if 0 <= action < len(names) else ""
    return IllegalActionError(
        f"action {action}{name} is not legal {where}, seat {seat} to act; "
        f"{legal_names(names, mask)}"
    )
