"""The game's kernels for compiled search; see ``jerusalem_env.simulation``."""

from __future__ import annotations

from ..bits import has_flag
from ..compiled.simulation import simulation_for
from ..compiled.steps import steps_of
from ..kernels import kernel
from ..simulation import Simulation
from .compiled import JERUSALEM
from .engine.layout import BARON, PHASE_OVER, PHASE_TURN, PLACE
from .engine.step import apply, running

_play = steps_of(JERUSALEM).play
_CLOSE = 0.7  # floors by which a lead of half the way to certainty is ahead


@kernel
def repeat(state, action, times, words):
    """A decision so often in a row, as long as the seat is to act and may."""
    seat = state.to_act
    if state.phase == PHASE_TURN and action >= PLACE and action < BARON:
        # With a squire left he may place it or pass: nothing follows by itself, so masks of the
        # decisions in between are not needed.
        last = state.decision_limit - 1
        while times > 1 and state.squires[seat] > 1 and state.decisions < last:
            apply(state, action)
            times -= 1
    _play(state, action, words)
    while times > 1 and running(state) and state.to_act == seat and has_flag(words, action):
        _play(state, action, words)
        times -= 1


@kernel
def standing(s, seat):
    """Floors, and what is left of prestige as a part of the next one (R16.1, R14.2)."""
    return s.floors[seat] + min(s.prestige[seat] / (s.floors[seat] + 3.0), 0.99)


@kernel
def value(s, seat):
    """Half for winning, half for the lead over the best of the others in floors."""
    if s.phase != PHASE_OVER:
        return 1.0 / s.players
    best = -1.0
    for other in range(s.players):
        if other != seat:
            best = max(best, standing(s, other))
    lead = standing(s, seat) - best
    won = 0.5 if s.ranking[0] == seat else 0.0
    return won + 0.25 + 0.25 * lead / (_CLOSE + abs(lead))


def simulation_of(players: int) -> Simulation:
    """The kernels for a number of players; the rule set is in the records."""
    return simulation_for(JERUSALEM, players, value, repeat)
