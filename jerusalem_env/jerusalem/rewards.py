"""Utilities of a finished game: zero-sum over the seats, paid at the end."""

from __future__ import annotations

from ..kernels import kernel

REWARDS: tuple[str, ...] = ("win", "rank", "margin")
REWARD_WIN, REWARD_RANK, REWARD_MARGIN = range(3)
MARGIN_SCALE = 10.0  # floors that count as 1.0


@kernel
def utility(s, seat, reward):
    """Utility of a seat in a game that is over, by one of ``REWARDS``.

    ``win``: winner +1, the others -1/(n-1). ``rank``: from +1 for the first to -1 for the last in
    equal steps. ``margin``: own floors less the mean of the others', in tens of floors.
    """
    n = s.players
    if reward == REWARD_WIN:
        return 1.0 if s.ranking[0] == seat else -1.0 / (n - 1)
    if reward == REWARD_RANK:
        place = 0
        while place < n - 1 and s.ranking[place] != seat:  # bounded even if undealt
            place += 1
        return 1.0 - 2.0 * place / (n - 1)
    others = 0.0
    for other in range(n):
        if other != seat:
            others += s.floors[other]
    return (s.floors[seat] - others / (n - 1)) / MARGIN_SCALE
