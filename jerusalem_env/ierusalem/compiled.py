"""The game's own kernels in one place; ``jerusalem_env.compiled`` makes the rest from them."""

from __future__ import annotations

from ..compiled.rules import Observer, Rules
from .encoding import LONGEST_ROW, make_encode, make_encode_state
from .engine.layout import NUM_ACTIONS, PHASE_OVER
from .engine.legal import legal
from .engine.setup import deal
from .engine.state import STATE
from .engine.step import apply, running, settle
from .rewards import utility
from .screen import REDEAL_SCRATCH, VIEW, look, redeal_view, turn_table


def observers(players: int, recall: bool) -> Observer:
    """The kernels for a number of players: they read states as they read views."""
    encode = make_encode(players, recall)
    return Observer(encode, make_encode_state(players, recall), needs_view=False)


IERUSALEM = Rules(
    name="ierusalem",
    deal=deal,
    apply=apply,
    settle=settle,
    legal=legal,
    running=running,
    look=look,
    turn=turn_table,
    redeal=redeal_view,
    utility=utility,
    observers=observers,
    over_phase=PHASE_OVER,
    redeal_scratch=REDEAL_SCRATCH,
    state_dtype=STATE,
    view_dtype=VIEW,
    num_actions=NUM_ACTIONS,
    longest_row=LONGEST_ROW,
)
