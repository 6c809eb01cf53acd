"""The game's kernels for compiled search; see ``jerusalem_env.simulation``."""

from __future__ import annotations

from ..compiled.simulation import simulation_for
from ..kernels import kernel
from ..simulation import Simulation
from .compiled import IERUSALEM
from .engine.layout import PHASE_OVER

_CLOSE = 12.0  # points by which a lead of half the way to certainty is ahead: a usual margin (V.c)


@kernel
def value(s, seat):
    """Half for winning (R18.6; shared: its part), half for the lead over the best of the others."""
    if s.phase != PHASE_OVER:
        return 1.0 / s.players
    best = s.points[seat] - 1000
    winners = 0
    for other in range(s.players):
        if other != seat:
            best = max(best, s.points[other])
        if s.ranks[other] == 1:
            winners += 1
    lead = float(s.points[seat] - best)
    won = 0.5 / winners if s.ranks[seat] == 1 else 0.0
    return won + 0.25 + 0.25 * lead / (_CLOSE + abs(lead))


def simulation_of(players: int) -> Simulation:
    """The kernels for a number of players; the rule set is in the records."""
    return simulation_for(IERUSALEM, players, value)
