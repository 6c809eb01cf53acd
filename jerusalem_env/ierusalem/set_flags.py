"""What is lacking for sets of symbols (R7), in words, compiled, for observations.

A word holds 4 bits for each location of each apostle column, at ``20 * column + 4 * location``. All
but ``counts_held`` take such words of one source or of four side by side (``lanes``).
"""

from __future__ import annotations

from ..kernels import kernel

_EACH = 1 | 1 << 20 | 1 << 40  # all three apostle columns at once
_HIGHS, _ONES = 0x88888 * _EACH, 0x11111 * _EACH  # the highest and the lowest bits


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
    left = (wanted | _HIGHS) - (counts | counts << 20 | counts << 40)
    high = left & _HIGHS
    return left & (high - (high >> 3))


@kernel
def lacks_of(more, serves):
    """How many symbols a set of each apostle column lacks, in bits 0, 20 and 40 on; 4: none can be.

    ``more`` are those ``beyond`` what is there, ``serves`` the columns that can serve, flags 0..2.
    """
    pairs = more + (more >> 4)
    lacks = (pairs + (pairs >> 8) + (more >> 16)) & (15 * _EACH)
    fails = 7 & ~serves
    lacks |= (fails << 2 | fails << 21 | fails << 40) & (4 * _EACH)
    fours = (lacks >> 2) & _EACH
    return lacks & ~(fours | fours << 1)  # 4 at most


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
    # Four flags of each column, 3 bits apart from where they were; the fifth 12.
    columns = (may & 31) | (may & 31 << 5) << 15 | (may & 31 << 10) << 30
    lower = columns & 15 * _EACH
    fits = (lower | lower << 3 | lower << 6 | lower << 9) & 0x1111 * _EACH
    fits |= (columns & 16 * _EACH) << 12
    # As many of the lowest of 4 bits as 4 less the symbols lacking, at all five locations.
    one, two, four = lacks & _EACH, (lacks >> 1) & _EACH, (lacks >> 2) & _EACH
    near = (~four & _EACH) | (~(four | (one & two)) & _EACH) << 1
    near |= (~(four | two) & _EACH) << 2 | (~(four | two | one) & _EACH) << 3
    near |= near << 4
    near |= near << 8 | (near & 15 * _EACH) << 16
    helps = fits & (more | (more >> 1) | (more >> 2))  # one symbol less is lacking
    nearer = (near & (7 * _ONES)) << 1 | _ONES
    fits, helps = (fits << 4) - fits, (helps << 4) - helps  # all four bits instead of the lowest
    return fits & (near | (nearer & helps))


@kernel
def far_of(reached):
    """What ``reach`` says as numbers 0..4, 4 bits each."""
    pairs = reached - ((reached >> 1) & (5 * _ONES))
    return (pairs & (3 * _ONES)) + ((pairs >> 2) & (3 * _ONES))
