"""Packed action masks: 64 flags a word, flag i in bit ``i % 64`` of word ``i // 64``.

Kernels decide what is legal on packed masks, where a block of actions is one shift and a forced
decision is one count, and spread them out to bytes (``unpack``) for callers. Words are int64, the
type that Numba's loop variables have; the sign bit is a flag like any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .kernels import entry_kernel, kernel

WORD = 64


def words_for(flags: int) -> int:
    """Words that hold so many flags."""
    return -(-flags // WORD)


# --- three machine instructions that Numba has no name for -----------------------------------
@intrinsic
def count_bits(typing_context: Any, word: Any) -> Any:
    """Number of set bits of an int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:
    """Place of the lowest set bit of an int64; undefined for 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def store_flags(typing_context: Any, out: Any, first: Any, word: Any) -> Any:
    """Write the 64 bits of a word as 64 bytes 0 or 1 to ``out[first : first + 64]``.

    ``out`` is a contiguous uint8 array; nothing is checked.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        flags = ir.VectorType(ir.IntType(1), WORD)
        flag_bytes = ir.VectorType(ir.IntType(8), WORD)
        place = cgutils.gep_inbounds(builder, array.data, arguments[1])
        place = builder.bitcast(place, flag_bytes.as_pointer())
        spread = builder.zext(builder.bitcast(arguments[2], flags), flag_bytes)
        builder.store(spread, place, align=1)
        return context.get_dummy_value()

    fits = isinstance(out, types.Array) and (out.dtype, out.ndim) == (types.uint8, 1)
    if not fits or out.layout != "C":
        raise TypeError(f"store_flags writes to a contiguous 1-dimensional uint8 array, got {out}")
    return types.void(out, types.int64, types.int64), generate


# --- writing ---------------------------------------------------------------------------------
@kernel
def clear_flags(words):
    """Set no flag."""
    for word in range(words.shape[0]):
        words[word] = 0


@kernel
def allow(words, flag):
    """Set one flag."""
    words[flag >> 6] |= 1 << (flag & 63)


@kernel
def allow_block(words, first, bits):
    """Set the flags ``first + i`` for every bit i of ``bits``, which lie in 0..47."""
    word, shift = first >> 6, first & 63
    words[word] |= bits << shift
    if shift > 16:  # else they all fit
        beyond = bits >> (64 - shift)
        if beyond != 0:
            words[word + 1] |= beyond


@kernel
def allow_range(words, first, last):
    """Set the flags ``first .. last``; none if ``last < first``."""
    for word in range(words.shape[0]):
        low = max(first - 64 * word, 0)
        high = min(last - 64 * word, 63)
        if low <= high:
            width = high - low + 1
            ones = -1 if width == 64 else (1 << width) - 1
            words[word] |= ones << low


@kernel
def pack(flags, words):
    """Packed form of a row of uint8 flags."""
    clear_flags(words)
    for flag in range(flags.shape[0]):
        if flags[flag] != 0:
            words[flag >> 6] |= 1 << (flag & 63)


# --- reading ---------------------------------------------------------------------------------
@kernel
def has_flag(words, flag):
    """Whether a flag is set."""
    return (words[flag >> 6] >> (flag & 63)) & 1 != 0


@kernel
def count_flags(words):
    """How many flags are set."""
    total = 0
    for word in range(words.shape[0]):
        total += count_bits(words[word])
    return total


@kernel
def only_flag(words):
    """The one flag that is set, or -1 if there are none or several."""
    found = -1
    for word in range(words.shape[0]):
        bits = words[word]
        if bits != 0:
            if found >= 0 or bits & (bits - 1) != 0:
                return -1
            found = 64 * word + lowest_bit(bits)
    return found


@kernel
def nth_flag(words, index):
    """The ``index``-th set flag, counted from 0; there must be as many."""
    word = 0
    count = count_bits(words[0])
    while index >= count:
        index -= count
        word += 1
        count = count_bits(words[word])
    bits = words[word]
    for _ in range(index):
        bits &= bits - 1
    return 64 * word + lowest_bit(bits)


@kernel
def unpack(words, out):
    """Write a packed mask as one byte 0 or 1 a flag; ``out`` (A,) uint8, A >= 64.

    For fewer flags see ``unpack_short``: a choice between them here would cost a step 5 %.
    """
    flags = out.shape[0]
    whole = flags >> 6
    for word in range(whole):
        store_flags(out, 64 * word, words[word])
    rest = flags & 63
    if rest != 0:  # the last 64 flags once more, so that nothing is written beyond the row
        logical = (words[whole - 1] >> rest) & ((1 << (64 - rest)) - 1)
        store_flags(out, flags - 64, logical | (words[whole] << (64 - rest)))


@kernel
def unpack_short(words, out):
    """``unpack`` for any number of flags, one by one."""
    for flag in range(out.shape[0]):
        out[flag] = (words[flag >> 6] >> (flag & 63)) & 1


@entry_kernel
def pack_rows(flags, words):
    """Packed forms (B, W) int64 of (B, A) uint8 flags."""
    for row in range(flags.shape[0]):
        pack(flags[row], words[row])


@entry_kernel
def unpack_rows(words, flags):
    """(B, A) uint8 flags of packed masks (B, W) int64."""
    for row in range(words.shape[0]):
        if flags.shape[1] < 64:
            unpack_short(words[row], flags[row])
        else:
            unpack(words[row], flags[row])


def new_words(rows: int, flags: int) -> np.ndarray:
    """(rows, W) int64 packed masks with no flag set."""
    return np.zeros((rows, words_for(flags)), dtype=np.int64)
