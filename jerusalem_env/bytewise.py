"""Many bytes at once inside kernels, which Numba has no name for: 8 in a word, 64 of an array."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_BYTE, _WORD = ir.IntType(8), ir.IntType(64)
_EIGHT, _MANY = ir.VectorType(_BYTE, 8), ir.VectorType(_BYTE, 64)


def _all(vector: Any, value: int) -> Any:
    """A vector of one constant."""
    return ir.Constant(vector, [value] * vector.count)


def spread_over(builder: Any, vector: Any, value: Any) -> Any:
    """A vector of one value."""
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    places = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), places)


def _many(context: Any, builder: Any, array_type: Any, array: Any, place: Any) -> Any:
    """Pointer to 64 bytes of an array."""
    data = context.make_array(array_type)(context, builder, array).data
    data = builder.bitcast(data, _BYTE.as_pointer())
    return builder.bitcast(cgutils.gep_inbounds(builder, data, place), _MANY.as_pointer())


def _check(name: str, array: Any, *allowed: Any) -> None:
    fits = isinstance(array, types.Array) and array.dtype in allowed and array.ndim == 1
    if not fits or array.layout != "C":
        raise TypeError(f"{name} takes a contiguous array of bytes, got {array}")


@intrinsic
def at_most(typing_context: Any, word: Any, cap: Any) -> Any:
    """The 8 bytes of a word, none above ``cap`` (0..255)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = builder.bitcast(arguments[0], _EIGHT)
        highest = spread_over(builder, _EIGHT, builder.trunc(arguments[1], _BYTE))
        below = builder.icmp_unsigned("<", given, highest)
        return builder.bitcast(builder.select(below, given, highest), _WORD)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def sum_where(typing_context: Any, values: Any, flags: Any) -> Any:
    """The sum of those of an int8 array's first 64 values whose flag (bit of ``flags``) is set.

    Nothing is checked: of a field of a record, what stands behind it may be read too.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, flags = arguments
        place = context.get_constant(types.int64, 0)
        pointer = _many(context, builder, signature.args[0], array, place)
        chosen = builder.bitcast(flags, ir.VectorType(ir.IntType(1), 64))
        given = builder.select(chosen, builder.load(pointer, align=1), _all(_MANY, 0))
        wide = ir.VectorType(ir.IntType(16), 64)
        name = "llvm.vector.reduce.add.v64i16"
        add = ir.FunctionType(ir.IntType(16), [wide])
        total = builder.call(
            cgutils.get_or_insert_function(builder.module, add, name), [builder.sext(given, wide)]
        )
        return builder.sext(total, _WORD)

    _check("sum_where", values, types.int8)
    return types.int64(values, types.int64), generate


@intrinsic
def store_raised(
    typing_context: Any, out: Any, place: Any, values: Any, offset: Any, cap: Any
) -> Any:
    """Write an int8 array's first 64 values plus ``offset``, within 0..cap, to ``out`` at a place.

    ``out`` is an uint8 array; sums must fit in an int8. Nothing is checked: of a field of a record,
    what stands behind it may be read too.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, place, values, offset, cap = arguments
        source = _many(
            context, builder, signature.args[2], values, context.get_constant(types.int64, 0)
        )
        raised = builder.add(
            builder.load(source, align=1), spread_over(builder, _MANY, builder.trunc(offset, _BYTE))
        )
        lowest, highest = _all(_MANY, 0), spread_over(builder, _MANY, builder.trunc(cap, _BYTE))
        raised = builder.select(builder.icmp_signed("<", raised, lowest), lowest, raised)
        raised = builder.select(builder.icmp_signed(">", raised, highest), highest, raised)
        target = _many(context, builder, signature.args[0], out, place)
        builder.store(raised, target, align=1)
        return context.get_dummy_value()

    _check("store_raised", out, types.uint8)
    _check("store_raised", values, types.int8)
    return types.void(out, types.int64, values, types.int64, types.int64), generate
