"""Memory in whole pieces: records, and inside kernels words of 8 bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_LINE = 64  # bytes that come from memory at once


def bytes_of(records: np.ndarray) -> np.ndarray:
    """(B,) the same contiguous records without fields, which numpy copies in one piece."""
    return records.view(f"V{records.itemsize}")


def take_records(records: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(K,) copies of records, as ``records.take(places)``, which goes field by field.

    ``records`` (B,) must be contiguous.
    """
    return bytes_of(records).take(places).view(records.dtype)


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


def _place(context: Any, builder: Any, array_type: Any, array: Any, place: Any) -> Any:
    """Pointer to 8 bytes of an array, as one integer."""
    data = context.make_array(array_type)(context, builder, array).data
    data = builder.bitcast(data, ir.IntType(8).as_pointer())
    return builder.bitcast(cgutils.gep_inbounds(builder, data, place), ir.IntType(64).as_pointer())


def _is_bytes(array: Any) -> bool:
    return isinstance(array, types.Array) and array.dtype in (types.int8, types.uint8)


@intrinsic
def load_word(typing_context: Any, array: Any, place: Any) -> Any:
    """The 8 bytes of a contiguous int8 or uint8 array from ``place`` on, the first one lowest.

    Nothing is checked: of a field of a record, what stands behind it may be read too.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _place(context, builder, signature.args[0], *arguments)
        return builder.load(pointer, align=1)

    if not _is_bytes(array):
        raise TypeError(f"load_word reads from an array of bytes, got {array}")
    return types.int64(array, types.int64), generate


@intrinsic
def store_word(typing_context: Any, array: Any, place: Any, word: Any) -> Any:
    """Write the 8 bytes of a word to a contiguous uint8 array from ``place`` on; unchecked."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _place(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], pointer, align=1)
        return context.get_dummy_value()

    if not _is_bytes(array):
        raise TypeError(f"store_word writes to an array of bytes, got {array}")
    return types.void(array, types.int64, types.int64), generate


@intrinsic
def prefetch_record(typing_context: Any, records: Any, place: Any) -> Any:
    """Ask for the memory of one of an array of records ahead of its use: a hint, no more."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        size = signature.args[0].dtype.size
        data = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        start = builder.gep(data, [builder.mul(arguments[1], ir.Constant(ir.IntType(64), size))])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [start.type, number, number, number])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        for line in range(0, size, _LINE):
            there = builder.gep(start, [ir.Constant(ir.IntType(64), line)])
            builder.call(prefetch, [there, number(1), number(3), number(1)])
        return context.get_dummy_value()

    if not isinstance(records, types.Array) or not isinstance(records.dtype, types.Record):
        raise TypeError(f"prefetch_record takes an array of records, got {records}")
    return types.void(records, types.int64), generate
