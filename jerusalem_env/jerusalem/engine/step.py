"""One decision: apply it, then let everything happen that no player decides (VII.c)."""

from __future__ import annotations

from ...kernels import kernel
from .auction import apply_bid, apply_open, begin_round, next_auction
from .cards import apply_take
from .control import next_after
from .draft import apply_draft, begin_draft
from .events import (
    apply_raid,
    apply_rescue,
    apply_tax,
    event_step,
    next_in_event,
    round_end,
)
from .income import (
    apply_decline,
    apply_market,
    apply_nobility,
    apply_patriarchate,
    apply_tower,
    building_step,
    income_step,
    market_step,
    next_decliner,
    nobility_step,
    patriarchate_step,
    tower_step,
)
from .layout import (
    PHASE_BID,
    PHASE_DAVIDS_TOWER,
    PHASE_DISMISS,
    PHASE_DRAFT,
    PHASE_DROP,
    PHASE_INCOME,
    PHASE_LIFT,
    PHASE_MARKET,
    PHASE_NOBILITY,
    PHASE_OPEN,
    PHASE_OVER,
    PHASE_PATRIARCHATE,
    PHASE_SPECIAL_TAX,
    PHASE_SUCCESSION,
    PHASE_TAKE,
    PHASE_TARGET,
    PHASE_TURN,
    PHASE_WAR,
    STAGE_BUILDING,
    STAGE_DRAFT,
    STAGE_EVENT,
    STAGE_INCOME,
    STAGE_MARKET,
    STAGE_NEXT_AUCTION,
    STAGE_NEXT_DECLINE,
    STAGE_NEXT_IN_EVENT,
    STAGE_NEXT_TURN,
    STAGE_NOBILITY,
    STAGE_PATRIARCHATE,
    STAGE_ROUND,
    STAGE_ROUND_END,
    STAGE_TOWER,
    STAGE_TURNS,
)
from .moves import apply_drop, apply_exchange, apply_lift
from .turn import apply_dismiss, apply_turn, begin_turns, next_turn


@kernel
def apply(s, action):
    """Carry out one legal action; what follows by itself is left to ``settle``."""
    s.decisions += 1
    phase = s.phase
    if phase == PHASE_TURN:
        apply_turn(s, action)
    elif phase == PHASE_BID:
        apply_bid(s, action)
    elif phase == PHASE_OPEN:
        apply_open(s, action)
    elif phase == PHASE_DRAFT:
        apply_draft(s, action)
    elif phase == PHASE_DISMISS:
        apply_dismiss(s, action)
    elif phase == PHASE_LIFT:
        apply_lift(s, action)
    elif phase == PHASE_DROP:
        apply_drop(s, action)
    elif phase == PHASE_TAKE:
        apply_take(s, action)
    elif phase == PHASE_TARGET:
        apply_exchange(s, action)
    elif phase == PHASE_DAVIDS_TOWER:
        apply_tower(s, action)
    elif phase == PHASE_PATRIARCHATE:
        apply_patriarchate(s, action)
    elif phase == PHASE_MARKET:
        apply_market(s, action)
    elif phase == PHASE_NOBILITY:
        apply_nobility(s, action)
    elif phase == PHASE_INCOME:
        apply_decline(s, action)
    elif phase == PHASE_SUCCESSION:
        apply_rescue(s, action)
    elif phase == PHASE_SPECIAL_TAX:
        apply_tax(s, action)
    elif phase == PHASE_WAR:
        apply_raid(s, action)


@kernel
def settle(s):
    """Everything up to the next decision or the end of the game."""
    while s.phase > PHASE_OVER:
        stage = s.phase
        if stage == STAGE_NEXT_TURN:
            next_turn(s)
        elif stage == STAGE_NEXT_AUCTION:
            next_auction(s)
        elif stage == STAGE_ROUND:
            begin_round(s)
        elif stage == STAGE_DRAFT:
            begin_draft(s)
        elif stage == STAGE_TURNS:
            begin_turns(s)
        elif stage == STAGE_TOWER:
            tower_step(s)
        elif stage == STAGE_PATRIARCHATE:
            patriarchate_step(s)
        elif stage == STAGE_MARKET:
            market_step(s)
        elif stage == STAGE_NOBILITY:
            nobility_step(s)
        elif stage == STAGE_INCOME:
            income_step(s)
        elif stage == STAGE_NEXT_DECLINE:
            next_decliner(s, next_after(s, s.to_act))
        elif stage == STAGE_BUILDING:
            building_step(s)
        elif stage == STAGE_EVENT:
            event_step(s)
        elif stage == STAGE_NEXT_IN_EVENT:
            next_in_event(s, next_after(s, s.to_act))
        elif stage == STAGE_ROUND_END:
            round_end(s)


@kernel
def running(s):
    """Whether the game goes on: neither over nor stopped by the watchdog."""
    return s.phase != PHASE_OVER and s.decisions < s.decision_limit
