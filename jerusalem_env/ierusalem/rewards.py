"""Utilities of a finished game: zero-sum over the seats, paid at the end; wins may be shared."""

from __future__ import annotations

from ..kernels import kernel

REWARDS: tuple[str, ...] = ("win", "rank", "margin")
REWARD_WIN, REWARD_RANK, REWARD_MARGIN = range(3)
MARGIN_SCALE = 50.0  # points that count as 1.0


@kernel
def sharing(s, rank):
    """How many seats have a rank."""
    seats = 0
    for seat in range(s.players):
        if s.ranks[seat] == rank:
            seats += 1
    return seats


@kernel
def utility(s, seat, reward):
    """Utility of a seat in a game that is over, by one of ``REWARDS``.

    ``win``: each of w winners (n - w) / (w (n - 1)), the others -1/(n-1) (VII.h). ``rank``: from +1
    for the first to -1 for the last in equal steps, ties share theirs. ``margin``: own points less
    the mean of the others', in fifties.
    """
    n = s.players
    if reward == REWARD_WIN:
        winners = sharing(s, 1)
        if s.ranks[seat] != 1 or winners == 0:
            return -1.0 / (n - 1)
        return (n - winners) / (winners * (n - 1.0))
    if reward == REWARD_RANK:
        rank = s.ranks[seat]
        place = rank - 1 + (sharing(s, rank) - 1) / 2.0
        return 1.0 - 2.0 * place / (n - 1)
    others = 0.0
    for other in range(n):
        if other != seat:
            others += s.points[other]
    return (s.points[seat] - others / (n - 1)) / MARGIN_SCALE
