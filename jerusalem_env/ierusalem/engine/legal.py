"""The action mask: which of the 240 flat actions are legal (VII.b, VII.d)."""

from __future__ import annotations

from ...bits import clear_flags
from ...kernels import kernel
from .favors import legal_favor, legal_give
from .layout import (
    PHASE_APOSTLE,
    PHASE_ARRANGE,
    PHASE_CALL,
    PHASE_CHANGE,
    PHASE_CHANGE_TO,
    PHASE_COLUMN,
    PHASE_DRAW,
    PHASE_EXCESS,
    PHASE_FAVOR,
    PHASE_FROM,
    PHASE_GIVE,
    PHASE_ILLUMINATE,
    PHASE_MARKET,
    PHASE_OFFERING,
    PHASE_ORANGE,
    PHASE_OVERFLOW,
    PHASE_PLAY,
    PHASE_PURCHASE,
    PHASE_REDISTRIBUTE,
    PHASE_SEAT,
    PHASE_SETTLE,
    PHASE_SUPPER,
    PHASE_SWAP,
    PHASE_SWAP_WITH,
    PHASE_TEMPLE,
    PHASE_VISIT,
)
from .places import legal_call, legal_market, legal_temple
from .supper import (
    legal_change_to,
    legal_from,
    legal_lift,
    legal_offering,
    legal_supper,
    legal_swap_with,
)
from .turn import (
    legal_arrange,
    legal_column,
    legal_draw,
    legal_excess,
    legal_overflow,
    legal_play,
    legal_redistribute,
    legal_settle,
)
from .visit import legal_apostle, legal_illuminate, legal_orange, legal_seat, legal_visit


@kernel
def legal(s, words):
    """Write the packed mask of the seat to act; no flag is set when the game is over.

    ``words`` has shape (4,) int64; see ``bits``. Works on views too: a seat's own legal actions
    depend on nothing it cannot see.
    """
    clear_flags(words)
    phase = s.phase
    if phase == PHASE_PLAY:
        legal_play(s, words)
    elif phase == PHASE_COLUMN:
        legal_column(words)
    elif phase == PHASE_SUPPER:
        legal_supper(s, words)
    elif phase == PHASE_PURCHASE or phase == PHASE_DRAW:
        legal_draw(s, words)
    elif phase == PHASE_MARKET:
        legal_market(s, words)
    elif phase == PHASE_OFFERING:
        legal_offering(words)
    elif phase == PHASE_TEMPLE:
        legal_temple(s, words)
    elif phase == PHASE_FAVOR:
        legal_favor(s, words)
    elif phase == PHASE_GIVE:
        legal_give(s, words)
    elif phase == PHASE_FROM:
        legal_from(s, words)
    elif phase == PHASE_CALL:
        legal_call(s, words)
    elif phase == PHASE_EXCESS:
        legal_excess(s, words)
    elif phase == PHASE_OVERFLOW:
        legal_overflow(s, words)
    elif phase == PHASE_VISIT:
        legal_visit(s, words)
    elif phase == PHASE_APOSTLE:
        legal_apostle(s, words)
    elif phase == PHASE_SEAT:
        legal_seat(s, words)
    elif phase == PHASE_CHANGE or phase == PHASE_SWAP:
        legal_lift(s, words)
    elif phase == PHASE_CHANGE_TO:
        legal_change_to(s, words)
    elif phase == PHASE_SWAP_WITH:
        legal_swap_with(s, words)
    elif phase == PHASE_REDISTRIBUTE:
        legal_redistribute(words)
    elif phase == PHASE_ARRANGE:
        legal_arrange(s, words)
    elif phase == PHASE_ILLUMINATE:
        legal_illuminate(s, words)
    elif phase == PHASE_ORANGE:
        legal_orange(s, words)
    elif phase == PHASE_SETTLE:
        legal_settle(s, words)
