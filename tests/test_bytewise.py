"""Many bytes at once are what they are one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jerusalem_env.bytewise import at_most, store_raised, sum_where
from jerusalem_env.kernels import entry_kernel

BYTES = st.lists(st.integers(0, 255), min_size=8, max_size=8)
VALUES = st.lists(st.integers(-100, 100), min_size=64, max_size=64)


@entry_kernel
def _capped(word: Any, cap: Any) -> Any:
    return at_most(word, cap)


@entry_kernel
def _sum(values: Any, flags: Any) -> Any:
    return sum_where(values, flags)


@entry_kernel
def _raise(out: Any, place: Any, values: Any, offset: Any, cap: Any) -> Any:
    store_raised(out, place, values, offset, cap)


@given(given_bytes=BYTES, cap=st.integers(0, 255))
def test_at_most__caps_each_byte(given_bytes: list[int], cap: int) -> None:
    word = int.from_bytes(bytes(given_bytes), "little", signed=True)
    found = int(_capped(word, cap)).to_bytes(8, "little", signed=True)
    assert list(found) == [min(value, cap) for value in given_bytes]


@given(values=VALUES, flags=st.integers(-(2**63), 2**63 - 1))
def test_sum_where__adds_the_chosen(values: list[int], flags: int) -> None:
    expected = sum(value for place, value in enumerate(values) if flags >> place & 1)
    assert _sum(np.array(values, dtype=np.int8), flags) == expected


def test_sum_where__holds_the_highest_sum() -> None:
    assert _sum(np.full(64, 127, dtype=np.int8), -1) == 64 * 127
    assert _sum(np.full(64, -128, dtype=np.int8), -1) == -64 * 128


@given(values=VALUES, offset=st.integers(-20, 20), cap=st.integers(0, 120))
def test_store_raised__clips_and_writes_64_bytes(values: list[int], offset: int, cap: int) -> None:
    out = np.full(80, 200, dtype=np.uint8)
    _raise(out, 7, np.array(values, dtype=np.int8), offset, cap)
    assert out[7:71].tolist() == [min(max(value + offset, 0), cap) for value in values]
    assert (out[:7] == 200).all()
    assert (out[71:] == 200).all()


@entry_kernel(cached=False)
def _sum_of_rows(values: Any) -> Any:
    return sum_where(values, 1)


@entry_kernel(cached=False)
def _raise_into(out: Any, values: Any) -> Any:
    store_raised(out, 0, values, 1, 2)


def test_arrays__of_other_types_are_refused() -> None:
    wrong = (np.zeros(64, dtype=np.uint8), np.zeros((2, 64), dtype=np.int8), np.zeros(64))
    for values in wrong:
        with pytest.raises(Exception, match="takes a contiguous array of bytes"):
            _sum_of_rows(values)
    for out in (np.zeros(64, dtype=np.int8), np.zeros(128, dtype=np.uint8)[::2]):
        with pytest.raises(Exception, match="takes a contiguous array of bytes"):
            _raise_into(out, np.zeros(64, dtype=np.int8))
