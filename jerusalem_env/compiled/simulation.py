"""A compiled game's kernels for a search; see ``jerusalem_env.simulation``."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..kernels import kernel
from ..simulation import Simulation
from .rules import Rules
from .steps import steps_of


@kernel
def to_act(state):
    """The seat that decides."""
    return state.to_act


@cache
def simulation_for(rules: Rules, players: int, value: Any, repeat: Any = None) -> Simulation:
    """A ``Simulation`` of a game for so many players.

    Parameters
    ----------
    rules : Rules
    players : int
    value : kernel (state, seat) -> float in 0..1
        How good the end of a game is for a seat.
    repeat : kernel (state, action, times, words), optional
        A faster way to take the same decision several times; see ``Simulation``.
    """
    return Simulation(
        rules.name,
        rules.redeal,
        rules.legal,
        steps_of(rules).play,
        rules.running,
        to_act,
        value,
        rules.redeal_scratch,
        rules.state_dtype,
        players,
        rules.num_actions,
        repeat,
    )
