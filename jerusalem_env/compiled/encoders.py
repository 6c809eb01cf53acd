"""Observations of batches: a game's ``Observer`` made into entries, and helpers for writing one.

An ``Observer`` writes the uint8 form (see ``features``); the float32 form is that row times
``features.scale_of`` the table. It is made for a number of players and an information mode, which
so are constants to the compiler: loops over seats unroll, and short loops become vector
instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..kernels import entry_kernel, kernel
from .rules import Rules, keeping, mode


# --- for encoders ---------------------------------------------------------------------------
@kernel
def put(out, place, amount, cap):
    """Write one amount, clipped to 0..cap."""
    out[place] = min(max(amount, 0), cap)


@kernel
def mark(out, place, index):
    """Set a flag of a one-hot run; an index of -1 sets none."""
    if index >= 0:
        out[place + index] = 1


@kernel
def one_of(index, first, second, third, fourth):
    """The ``index``-th of four values; an array of them would live in memory."""
    return first if index == 0 else second if index == 1 else third if index == 2 else fourth


@kernel
def is_equal(a, b):
    """1 or 0, without a branch."""
    return 1 if a == b else 0


@kernel
def all_if_less(a, b):
    """All bits (-1) if ``a < b``, else 0: arithmetic, where a branch would often go wrong."""
    return (a - b) >> 63


# --- entries --------------------------------------------------------------------------------
@kernel
def finish(row, scale, out):
    """Write the uint8 row as it is (``out`` uint8) or times ``scale`` (``out`` float32)."""
    if out.itemsize == 1:
        for place in range(out.shape[0]):
            out[place] = row[place]
    else:
        for place in range(out.shape[0]):
            out[place] = np.float32(row[place]) * scale[place]


class Encoders(NamedTuple):
    """Compiled entries for one number of players and information mode.

    ``rows`` are scratch, (1, longest_row) uint8; ``scratch`` is (1,) view_dtype; for ``scale`` see
    ``features.scale_of``; ``out`` (B, F) uint8 or float32.
    """

    observe: Callable[..., Any]  # the kernel (s, seat, scratch, row), row (F,) uint8
    encode_views: Callable[..., None]  # (views, rows, scale, out)
    observe_games: Callable[..., None]  # (states, seats, scratch, rows, scale, out); -1: to act
    observe_all_seats: Callable[..., None]  # the same, without seats; out (B, n, F)
    encode_states: Callable[..., None]  # (states, scratch, rows, scale, out)


@cache
def emitter_for(rules: Rules, n: int, recall: bool, as_bytes: bool) -> Any:
    """The kernel ``emit(s, seat, scratch, row, scale, out)``: what a seat sees, in its final form.

    ``out`` (F,) is uint8 if ``as_bytes``, else float32.
    """
    observe = encoders_for(rules, n, recall).observe
    if as_bytes:

        @kernel
        def emit(s, seat, scratch, row, scale, out):
            observe(s, seat, scratch, out)

    else:

        @kernel
        def emit(s, seat, scratch, row, scale, out):
            observe(s, seat, scratch, row)
            finish(row, scale, out)

    return emit


@cache
def encoders_for(rules: Rules, n: int, recall: bool) -> Encoders:
    """The entries for ``n`` players."""
    encode, encode_state, needs_view = rules.observers(n, recall)
    look, kept = rules.look, keeping(rules, n, "players", mode(recall))

    if needs_view:

        @kernel
        def observe(s, seat, scratch, row):
            """Write what a seat sees of a state, by way of its view."""
            look(s, seat, recall, scratch)
            encode(scratch, 0, row)

    else:

        @kernel
        def observe(s, seat, scratch, row):
            """Write what a seat sees of a state."""
            encode(s, seat, row)

    @entry_kernel(**kept)
    def encode_views(views, rows, scale, out):
        for game in range(views.shape[0]):
            encode(views[game], 0, rows[0])
            finish(rows[0], scale, out[game])

    @entry_kernel(**kept)
    def observe_games(states, seats, scratch, rows, scale, out):
        for game in range(states.shape[0]):
            seat = seats[game]
            if seat < 0:
                seat = max(states[game].to_act, 0)
            observe(states[game], seat, scratch[0], rows[0])
            finish(rows[0], scale, out[game])

    @entry_kernel(**kept)
    def observe_all_seats(states, scratch, rows, scale, out):
        for game in range(states.shape[0]):
            for seat in range(n):
                observe(states[game], seat, scratch[0], rows[0])
                finish(rows[0], scale, out[game, seat])

    @entry_kernel(**kept)
    def encode_states(states, scratch, rows, scale, out):
        for game in range(states.shape[0]):
            encode_state(states[game], scratch[0], rows[0])
            finish(rows[0], scale, out[game])

    return Encoders(observe, encode_views, observe_games, observe_all_seats, encode_states)


def scratch_view(rules: Rules) -> np.ndarray:
    """One view record for the encoders to work in."""
    return np.zeros(1, dtype=rules.view_dtype)
