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

_TURNS = 8  # times that threads take games if all are as fast


def new_counter() -> np.ndarray:
    """What ``claim`` counts with: (8,) int64, of which the first is used.

    The others keep what the threads write elsewhere out of its cache line, on one side at least.
    """
    return np.zeros(8, dtype=np.int64)


@kernel
def games_at_once(games, threads, most):
    """How many games a thread takes at a time, ``most`` at most."""
    return max(min(games // (_TURNS * threads), most), 1)


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
