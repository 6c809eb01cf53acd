"""Copying whole records inside kernels, which Numba has no name for."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def copy_record(typing_context: Any, source: Any, target: Any) -> Any:
    """Make the record ``target`` equal to ``source``: one block of memory, padding included.

    Both are records of one dtype and not the same record.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        taken, written = arguments
        size = context.get_constant(types.intp, signature.args[0].size)
        cgutils.raw_memcpy(builder, written, taken, size, 1)
        return context.get_dummy_value()

    if not isinstance(source, types.Record) or source != target:
        raise TypeError(f"copy_record takes two records of one dtype, got {source} and {target}")
    return types.void(source, target), generate
