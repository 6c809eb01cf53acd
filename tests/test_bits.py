"""Packed masks hold what the bytes hold, whatever the number of flags."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jerusalem_env.bits import (
    allow,
    allow_block,
    allow_range,
    clear_flags,
    count_flags,
    has_flag,
    new_words,
    nth_flag,
    only_flag,
    pack_rows,
    unpack_rows,
    words_for,
)
from jerusalem_env.chance import sample_legal, sample_packed
from jerusalem_env.kernels import entry_kernel, thread_limit

SIZES = (1, 63, 64, 65, 128, 240, 309, 320)


@entry_kernel
def _allow(words, first, last, block, bits, flag):  # type: ignore[no-untyped-def]
    clear_flags(words)
    allow_range(words, first, last)
    allow_block(words, block, bits)
    allow(words, flag)


@entry_kernel
def _read(words, flags, found):  # type: ignore[no-untyped-def]
    """Number of flags, the only one, each one, and whether each is set."""
    found[0] = count_flags(words)
    found[1] = only_flag(words)
    for index in range(found[0]):
        found[2 + index] = nth_flag(words, index)
    for flag in range(flags.shape[0]):
        flags[flag] = 1 if has_flag(words, flag) else 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_pack__keeps_every_flag(size: int, share: float) -> None:
    flags = (np.random.default_rng(size).random((40, size)) < share).astype(np.uint8)
    words = new_words(40, size)
    assert words.shape == (40, words_for(size))
    pack_rows(flags, words)
    again, found = np.zeros(size, np.uint8), np.zeros(size + 2, np.int64)
    for row in range(40):
        _read(words[row], again, found)
        where = np.flatnonzero(flags[row])
        assert (again == flags[row]).all()
        assert found[0] == len(where)
        assert found[1] == (where[0] if len(where) == 1 else -1)
        assert list(found[2 : 2 + len(where)]) == list(where)
    padded = np.full((42, size), 9, np.uint8)
    unpack_rows(words, padded[1:41])
    assert (padded[1:41] == flags).all()
    assert (padded[[0, 41]] == 9).all(), "written beyond the rows"


@given(
    first=st.integers(0, 308),
    length=st.integers(-3, 140),
    block=st.integers(0, 308 - 47),
    bits=st.integers(0, 2**48 - 1),
    flag=st.integers(0, 308),
)
def test_allow__sets_what_is_named(
    first: int, length: int, block: int, bits: int, flag: int
) -> None:
    last = min(first + length, 308)
    words = np.full(5, -1, np.int64)
    _allow(words, first, last, block, bits, flag)
    expected = set(range(first, last + 1)) | {block + i for i in range(48) if bits >> i & 1}
    flags = np.zeros((1, 309), np.uint8)
    unpack_rows(words[None], flags)
    assert set(np.flatnonzero(flags[0])) == expected | {flag}


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_sampling__is_the_same_from_bytes_and_words_with_any_threads(rows: int) -> None:
    flags = (np.random.default_rng(3).random((rows, 309)) < 0.1).astype(np.uint8)
    flags[rows // 2] = 0
    words = new_words(rows, 309)
    pack_rows(flags, words)
    drawn = sample_legal(flags, np.random.default_rng(5))
    assert drawn[rows // 2] == -1
    for threads in sorted({1, thread_limit()}):
        again = sample_packed(words, np.random.default_rng(5), threads)
        assert (again == drawn).all()
    legal = drawn >= 0
    assert flags[np.flatnonzero(legal), drawn[legal]].all()
