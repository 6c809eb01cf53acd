"""Seats as another seat counts them."""

from __future__ import annotations

from ..kernels import kernel


@kernel
def turned(seat, by, players):
    """A seat counted clockwise from seat ``by``, which so is 0; -1 stays -1."""
    return seat if seat < 0 else seat - by if seat >= by else seat - by + players


@kernel
def seat_at(step, by, players):
    """The seat ``step`` places clockwise of seat ``by``; 0 <= step < players."""
    return by + step if by + step < players else by + step - players
