"""Four numbers side by side inside kernels, for which Numba has no type: a vector of int64.

``lanes(a, b, c, d)`` makes one. ``+ - & | ^ << >>`` and ``~`` work on all four at once, the other
side being another four or one int64 for all; ``>>`` keeps the sign as on int64. Code written with
these alone does the same to an int64 and to four of them. Products are left out: few processors
have them for four int64.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from .bytewise import spread_over

_WORD = ir.IntType(64)
_FOUR = ir.VectorType(_WORD, 4)


class Lanes(types.Type):
    """Numba's type of four int64 side by side."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _FOUR)


def _four(builder: Any, numba_type: Any, value: Any) -> Any:
    """Lanes as they are, one int64 as all four."""
    if isinstance(numba_type, Lanes):
        return value
    return spread_over(builder, _FOUR, value)


def _add_operator(function: Any, instruction: str) -> None:
    """Teach Numba an operator of lanes and lanes, or of lanes and an integer."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, arguments: Any, keywords: Any) -> Any:
            fits = (isinstance(argument, (Lanes, types.Integer)) for argument in arguments)
            if len(arguments) != 2 or LANES not in arguments or not all(fits):
                return None
            taken = (LANES if argument == LANES else types.int64 for argument in arguments)
            return signature(LANES, *taken)

    def lowered(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one, other = map(_four, [builder] * 2, signature.args, arguments)
        return getattr(builder, instruction)(one, other)

    infer_global(function)(Template)
    for pair in ((LANES, LANES), (LANES, types.int64), (types.int64, LANES)):
        lower_builtin(function, *pair)(lowered)


for _function, _instruction in (
    (operator.add, "add"),
    (operator.sub, "sub"),
    (operator.and_, "and_"),
    (operator.or_, "or_"),
    (operator.xor, "xor"),
    (operator.lshift, "shl"),
    (operator.rshift, "ashr"),
):
    _add_operator(_function, _instruction)
    _add_operator(getattr(operator, f"i{_function.__name__.strip('_')}"), _instruction)


@infer_global(operator.invert)
class _Invert(AbstractTemplate):
    key = operator.invert

    def generic(self, arguments: Any, keywords: Any) -> Any:
        return signature(LANES, LANES) if arguments == (LANES,) else None


@lower_builtin(operator.invert, LANES)
def _lowered_invert(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.not_(arguments[0])


def _check(name: str, argument: Any) -> None:
    if argument != LANES:
        raise TypeError(f"{name} takes lanes, got {argument}")


@intrinsic
def lanes(typing_context: Any, first: Any, second: Any, third: Any, fourth: Any) -> Any:
    """Four int64 side by side."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.Constant(_FOUR, ir.Undefined)
        for place, value in enumerate(arguments):
            vector = builder.insert_element(vector, value, ir.IntType(32)(place))
        return vector

    return LANES(*[types.int64] * 4), generate


@intrinsic
def load_lanes(typing_context: Any, array: Any) -> Any:
    """The first four elements of a contiguous array of signed integers.

    Nothing is checked: of a field of a record, what stands behind it may be read too.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type = signature.args[0]
        data = context.make_array(array_type)(context, builder, arguments[0]).data
        vector = ir.VectorType(ir.IntType(array_type.dtype.bitwidth), 4)
        given = builder.load(builder.bitcast(data, vector.as_pointer()), align=1)
        return given if vector == _FOUR else builder.sext(given, _FOUR)

    if not isinstance(array, types.Array) or array.layout != "C" or array.ndim != 1:
        raise TypeError(f"load_lanes takes a contiguous array, got {array}")
    if array.dtype not in types.signed_domain:
        raise TypeError(f"load_lanes takes signed integers, got {array}")
    return LANES(array), generate


@intrinsic
def lane(typing_context: Any, four: Any, place: Any) -> Any:
    """One of the four (``place`` 0..3)."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_element(*arguments)

    _check("lane", four)
    return types.int64(LANES, types.int64), generate


@intrinsic
def any_lane(typing_context: Any, four: Any) -> Any:
    """Bits that are set in any of the four: their "or"."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_WORD, [_FOUR])
        name = "llvm.vector.reduce.or.v4i64"
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)

    _check("any_lane", four)
    return types.int64(LANES), generate


@intrinsic
def clip_lanes(typing_context: Any, four: Any, lowest: Any, highest: Any) -> Any:
    """Each of the four within ``lowest..highest``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given, low, high = map(_four, [builder] * 3, signature.args, arguments)
        given = builder.select(builder.icmp_signed("<", given, low), low, given)
        return builder.select(builder.icmp_signed(">", given, high), high, given)

    _check("clip_lanes", four)
    return LANES(LANES, types.int64, types.int64), generate
