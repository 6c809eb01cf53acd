"""Sets of symbols, with which Apostles are visited (R7.1 to R7.3)."""

from __future__ import annotations

from ...kernels import kernel
from .layout import SOURCE_FAVORS

NO_FIT = -1


@kernel
def symbols_to_add(s, seat, source, column):
    """Symbols to add to an own column for a set, counted by location, 4 bits each; or NO_FIT.

    ``source`` 0..2 is an own column, SOURCE_FAVORS none (R7.3); ``column`` an apostle column.
    """
    size = 0
    if source < SOURCE_FAVORS:
        size = s.column_size[seat, source]
        if size < 1 or size > 3:
            return NO_FIT  # R7.2, A12: with symbols held alone no own column is named
    needed, matched = 0, 0
    for place in range(3):
        symbol = s.symbols[column, place]
        # The earliest place for each card leaves most for those behind: if any way fits, this does.
        if matched < size and s.card_location[s.columns[seat, source, matched]] == symbol:
            matched += 1
        else:
            needed += 1 << (4 * symbol)
    return needed if matched == size else NO_FIT


@kernel
def missing_symbols(s, seat, source, column):
    """How many symbols a set from an own column needs beside its cards; -1 if it cannot serve."""
    if symbols_to_add(s, seat, source, column) < 0:
        return NO_FIT
    return 3 if source == SOURCE_FAVORS else 3 - s.column_size[seat, source]


@kernel
def has_set(s, seat, source, column):
    """Whether the symbols held complete a set for an apostle column (R7.1)."""
    needed = symbols_to_add(s, seat, source, column)
    if needed < 0:
        return False
    for symbol in range(5):
        if (needed >> (4 * symbol)) & 15 > s.symbols_held[seat, symbol]:
            return False
    return True


@kernel
def set_bits(s, seat):
    """The visits that are possible: bit 3 * source + apostle column (R7.1, R7.10, A22)."""
    bits = 0
    for source in range(4):
        for column in range(3):
            if has_set(s, seat, source, column):
                bits |= 1 << (3 * source + column)
    return bits


@kernel
def spend_symbols(s, seat, source, column):
    """The symbols that complete a set leave the game (R7.11, A13)."""
    needed = symbols_to_add(s, seat, source, column)
    for symbol in range(5):
        s.symbols_held[seat, symbol] -= (needed >> (4 * symbol)) & 15
