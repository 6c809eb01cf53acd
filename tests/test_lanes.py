"""Four numbers side by side are what they are one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jerusalem_env.kernels import entry_kernel, kernel
from jerusalem_env.lanes import any_lane, clip_lanes, lane, lanes, load_lanes

WORDS = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=4, max_size=4)
BYTES = st.lists(st.integers(-128, 127), min_size=4, max_size=4)


@kernel
def _work(x: Any, y: Any, shift: Any) -> Any:
    """Every operator, with lanes on either side where they are given."""
    z = (x + y) ^ (7 & ~y) | (x >> 2) - (5 - y)
    z += y << 3
    z -= 1 << shift
    z |= x >> shift
    z ^= 9
    z &= ~(y & 3)
    z <<= 1
    z >>= shift
    return (3 | z) + (1 ^ x)


@entry_kernel
def _four(words: Any, narrow: Any, out: Any) -> Any:
    y = load_lanes(narrow)
    result = _work(load_lanes(words), y, y & 31)
    for place in range(4):
        out[place] = lane(result, place)
    return any_lane(result)


@entry_kernel
def _one(word: Any, narrow: Any) -> Any:
    return _work(word, narrow, narrow & 31)


@entry_kernel
def _clip(words: Any, lowest: Any, highest: Any, out: Any) -> None:
    clipped = clip_lanes(lanes(words[0], words[1], words[2], words[3]), lowest, highest)
    for place in range(4):
        out[place] = lane(clipped, place)


@given(words=WORDS, narrow=BYTES)
def test_lanes__operators_do_as_on_int64(words: list[int], narrow: list[int]) -> None:
    out = np.zeros(4, dtype=np.int64)
    found = _four(np.array(words, dtype=np.int64), np.array(narrow, dtype=np.int8), out)
    expected = [_one(word, other) for word, other in zip(words, narrow, strict=True)]
    assert out.tolist() == expected
    assert found == expected[0] | expected[1] | expected[2] | expected[3]


@given(words=WORDS, lowest=st.integers(-99, 9), highest=st.integers(9, 99))
def test_clip_lanes__keeps_within(words: list[int], lowest: int, highest: int) -> None:
    out = np.zeros(4, dtype=np.int64)
    _clip(np.array(words, dtype=np.int64), lowest, highest, out)
    assert out.tolist() == [min(max(word, lowest), highest) for word in words]


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_load_lanes__refuses_what_is_not_a_signed_integer(dtype: Any) -> None:
    with pytest.raises(Exception, match="load_lanes takes signed integers"):
        _four(np.zeros(4, dtype=np.int64), np.zeros(4, dtype=dtype), np.zeros(4, dtype=np.int64))
