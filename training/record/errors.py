"""What recording raises, and the packages it needs only where they are used."""

from __future__ import annotations

import importlib
from typing import Any


class RecordingError(ValueError):
    """A recording that cannot be made: a wrong setting, a file that is there, a missing package."""


def needed(module: str, package: str) -> Any:
    """A module of the extra ``data``.

    Raises
    ------
    RecordingError
        If it is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise RecordingError(
            f"{package} is needed here ({error}): pip install 'jerusalem-env[data]'"
        ) from error
