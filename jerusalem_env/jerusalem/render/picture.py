"""The board as a picture."""

from __future__ import annotations

import numpy as np

from ...drawing import Drawing


def draw(state: np.void, seat: int | None = None, recall: bool = False) -> Drawing:
    """The board as a picture."""
    raise NotImplementedError
