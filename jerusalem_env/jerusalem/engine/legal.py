"""The action mask: which of the 309 flat actions are legal (VII.c, VII.d)."""

from __future__ import annotations

from ...bits import clear_flags
from ...kernels import kernel
from .auction import legal_bid, legal_open
from .cards import legal_take
from .draft import legal_draft
from .events import legal_raid, legal_rescue, legal_tax
from .income import legal_decline, legal_privilege, legal_tower
from .layout import (
    PHASE_BID,
    PHASE_DAVIDS_TOWER,
    PHASE_DISMISS,
    PHASE_DRAFT,
    PHASE_DROP,
    PHASE_INCOME,
    PHASE_LIFT,
    PHASE_OPEN,
    PHASE_OVER,
    PHASE_SPECIAL_TAX,
    PHASE_SUCCESSION,
    PHASE_TAKE,
    PHASE_TARGET,
    PHASE_TURN,
    PHASE_WAR,
)
from .moves import legal_drop, legal_exchange, legal_lift
from .turn import legal_dismiss, legal_turn


@kernel
def legal(s, words):
    """Write the packed mask of the seat to act; no flag is set when the game is over.

    ``words`` has shape (5,) int64; see ``bits``. Works on views too: a seat's own legal actions
    depend on nothing it cannot see.
    """
    clear_flags(words)
    phase = s.phase
    if phase == PHASE_TURN:
        legal_turn(s, words)
    elif phase == PHASE_BID:
        legal_bid(s, words)
    elif phase == PHASE_OPEN:
        legal_open(s, words)
    elif phase == PHASE_DRAFT:
        legal_draft(s, words)
    elif phase == PHASE_DISMISS:
        legal_dismiss(s, words)
    elif phase == PHASE_LIFT:
        legal_lift(s, words)
    elif phase == PHASE_DROP:
        legal_drop(s, words)
    elif phase == PHASE_TAKE:
        legal_take(words)
    elif phase == PHASE_TARGET:
        legal_exchange(s, words)
    elif phase == PHASE_DAVIDS_TOWER:
        legal_tower(s, words)
    elif phase == PHASE_INCOME:
        legal_decline(s, words)
    elif phase == PHASE_SUCCESSION:
        legal_rescue(s, words)
    elif phase == PHASE_SPECIAL_TAX:
        legal_tax(s, words)
    elif phase == PHASE_WAR:
        legal_raid(s, words)
    elif phase != PHASE_OVER:
        legal_privilege(s, words)
