"""The action mask: which of the 309 flat actions are legal (VII.c, VII.d)."""

from __future__ import annotations

from ...kernels import kernel
from .auction import legal_bid, legal_open
from .cards import legal_take
from .draft import legal_draft
from .events import legal_raid, legal_rescue, legal_tax
from .income import legal_decline, legal_privilege, legal_tower
from .layout import (
    NUM_ACTIONS,
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
def legal(s, mask):
    """Write 1 for every legal action of the seat to act, 0 elsewhere; all 0 when the game is over.

    ``mask`` has shape (309,) and any one-byte integer dtype. Works on views too: a seat's own
    legal actions depend on nothing it cannot see.
    """
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    phase = s.phase
    if phase == PHASE_TURN:
        legal_turn(s, mask)
    elif phase == PHASE_BID:
        legal_bid(s, mask)
    elif phase == PHASE_OPEN:
        legal_open(s, mask)
    elif phase == PHASE_DRAFT:
        legal_draft(s, mask)
    elif phase == PHASE_DISMISS:
        legal_dismiss(s, mask)
    elif phase == PHASE_LIFT:
        legal_lift(s, mask)
    elif phase == PHASE_DROP:
        legal_drop(s, mask)
    elif phase == PHASE_TAKE:
        legal_take(mask)
    elif phase == PHASE_TARGET:
        legal_exchange(s, mask)
    elif phase == PHASE_DAVIDS_TOWER:
        legal_tower(s, mask)
    elif phase == PHASE_INCOME:
        legal_decline(s, mask)
    elif phase == PHASE_SUCCESSION:
        legal_rescue(s, mask)
    elif phase == PHASE_SPECIAL_TAX:
        legal_tax(s, mask)
    elif phase == PHASE_WAR:
        legal_raid(s, mask)
    elif phase != PHASE_OVER:
        legal_privilege(s, mask)


@kernel
def only_action(mask):
    """The one legal action of a mask, or -1 if there are none or several (a forced decision)."""
    found = -1
    for action in range(NUM_ACTIONS):
        if mask[action] != 0:
            if found >= 0:
                return -1
            found = action
    return found
