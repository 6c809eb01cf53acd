"""Sharing games among threads inside kernels: who is free takes the next few.

With a fixed half each, every step would last as long as the slower thread of the two takes. What
becomes of a game does not depend on who takes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernels import kernel

_MOST_AT_ONCE = 64  # games: some 20 microseconds of work
_TURNS = 8  # times that a thread takes games, at least


def new_counter() -> np.ndarray:
    """What ``claim`` counts with: (8,) int64, a cache line of which the first number is used."""
    return np.zeros(8, dtype=np.int64)


@kernel
def games_at_once(games, threads):
    """How many games a thread takes at a time."""
    return max(min(games // (_TURNS * threads), _MOST_AT_ONCE), 1)


@intrinsic
def claim(typing_context: Any, counter: Any, number: Any) -> Any:
    """The first of the next ``number`` games, which no other thread gets: an atomic addition.

    ``counter`` (8,) int64 begins with 0; see ``new_counter``.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        first = cgutils.gep_inbounds(builder, data, ir.Constant(ir.IntType(64), 0))
        return builder.atomic_rmw("add", first, arguments[1], "monotonic")

    if not isinstance(counter, types.Array) or counter.dtype != types.int64:
        raise TypeError(f"claim counts in an array of int64, got {counter}")
    return types.int64(counter, types.int64), generate
