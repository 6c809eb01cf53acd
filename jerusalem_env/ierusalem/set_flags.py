"""What is lacking for sets of symbols (R7), in words, compiled, for observations.

A word holds 4 bits for each location of each apostle column, at ``20 * column + 4 * location``.
What own columns are to sets stands in the record: see ``engine.derived``.
"""

from __future__ import annotations

import numpy as np

from ..kernels import kernel
from .engine.derived import SPREAD

_EACH = 1 | 1 << 20 | 1 << 40  # all three apostle columns at once
_HIGHS, _ONES = 0x88888 * _EACH, 0x11111 * _EACH  # the highest and the lowest bits
# As many of the lowest of 4 bits as 4 less the symbols lacking, at all five locations.
_NEAR = np.array([0x11111 * flags for flags in (15, 7, 3, 1, 0)], dtype=np.int64)


@kernel
def counts_held(s, seat):
    """How many symbols of each location a seat holds, 3 at most: that many a set can need."""
    counts = 0
    for location in range(5):
        counts |= min(s.symbols_held[seat, location], 3) << (4 * location)
    return counts


@kernel
def beyond(wanted, counts):
    """The symbols of each apostle column (``wanted``) beyond some counts by location."""
    left = (wanted | _HIGHS) - counts * _EACH
    return left & (((left & _HIGHS) >> 3) * 7)


@kernel
def lacks_of(more, serves):
    """How many symbols a set of each apostle column lacks, in bits 0, 20 and 40 on; 4: none can be.

    ``more`` are those ``beyond`` what is there, ``serves`` the columns that can serve, flags 0..2.
    """
    pairs = more + (more >> 4)
    lacks = (pairs + (pairs >> 8) + (more >> 16)) & (15 * _EACH)
    fails = 7 & ~serves
    lacks |= (fails << 2 | fails << 21 | fails << 40) & (4 * _EACH)
    return lacks & ~(((lacks >> 2) & _EACH) * 3)  # 4 at most


@kernel
def complete(lacks):
    """Flags 0, 1 and 2 of the apostle columns of which a set lacks nothing."""
    sets = ~(lacks | (lacks >> 1) | (lacks >> 2)) & _EACH
    return (sets | (sets >> 19) | (sets >> 38)) & 7


@kernel
def three_bytes(word):
    """The numbers 0..15 in bits 0, 20 and 40 on as three bytes, the first one lowest."""
    return (word & 15) | ((word >> 12) & 0xF00) | ((word >> 24) & 0xF0000)


@kernel
def reach(may, more, lacks):
    """How far a card of each location brings an own column towards sets of the apostle columns.

    Four bits a location: as many of the lowest as 4 less the symbols that then lack, none if such
    a card cannot follow. So the "or" of several is the highest of them.

    ``may`` are the locations that may follow, 5 flags for each apostle column; ``more`` is of
    ``beyond``, ``lacks`` of ``lacks_of``.
    """
    fits = SPREAD[may & 31] | SPREAD[(may >> 5) & 31] << 20 | SPREAD[(may >> 10) & 31] << 40
    near = _NEAR[lacks & 7] | _NEAR[(lacks >> 20) & 7] << 20 | _NEAR[(lacks >> 40) & 7] << 40
    helps = fits & (more | (more >> 1) | (more >> 2))  # one symbol less is lacking
    nearer = (near & (7 * _ONES)) << 1 | _ONES
    return (15 * fits) & (near | (nearer & (15 * helps)))


@kernel
def far_of(reached):
    """What ``reach`` says as numbers 0..4, 4 bits each."""
    pairs = reached - ((reached >> 1) & (5 * _ONES))
    return (pairs & (3 * _ONES)) + ((pairs >> 2) & (3 * _ONES))
