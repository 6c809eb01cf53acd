"""The game's own kernels in one place; ``jerusalem_env.compiled`` makes the rest from them."""

from __future__ import annotations

from ..compiled.rules import Rules
from .encoding import LONGEST_ROW, observers
from .engine.layout import NUM_ACTIONS, PHASE_OVER
from .engine.legal import legal
from .engine.setup import deal
from .engine.state import STATE
from .engine.step import apply, running, settle
from .rewards import utility
from .screen import REDEAL_SCRATCH, VIEW, look, redeal, turn_table

JERUSALEM = Rules(
    name="jerusalem",
    deal=deal,
    apply=apply,
    settle=settle,
    legal=legal,
    running=running,
    look=look,
    turn=turn_table,
    redeal=redeal,
    utility=utility,
    observers=observers,
    over_phase=PHASE_OVER,
    redeal_scratch=REDEAL_SCRATCH,
    state_dtype=STATE,
    view_dtype=VIEW,
    num_actions=NUM_ACTIONS,
    longest_row=LONGEST_ROW,
)
