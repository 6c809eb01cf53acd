"""Keys from what is seen: an agent's own chance that depends on the view and its seed alone."""

from __future__ import annotations

import numpy as np
from numpy.lib.recfunctions import repack_fields

from jerusalem_env.chance import mix
from jerusalem_env.kernels import entry_kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@entry_kernel
def hash_rows(rows, seed, keys):  # type: ignore[no-untyped-def]
    """Write a key for each row of (B, K) uint64 words and a seed."""
    for row in range(rows.shape[0]):
        key = mix(seed + _GAMMA)
        for word in range(rows.shape[1]):
            key = mix(key ^ rows[row, word]) + _GAMMA
        keys[row] = mix(key)


def keys_of(views: np.ndarray, seed: int) -> np.ndarray:
    """(B,) uint64: the same for the same view and seed, whatever else is in the batch."""
    packed = np.ascontiguousarray(repack_fields(views))  # without padding, which may hold anything
    size = packed.dtype.itemsize
    rows = np.zeros((len(views), -(-size // 8) * 8), dtype=np.uint8)
    rows[:, :size] = packed.view(np.uint8).reshape(len(views), size)
    keys = np.empty(len(views), dtype=np.uint64)
    hash_rows(rows.view(np.uint64), np.uint64(seed), keys)
    return keys
