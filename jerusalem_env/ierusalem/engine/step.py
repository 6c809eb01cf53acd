"""One decision: apply it, then let everything happen that no player decides (VII.b)."""

from __future__ import annotations

from ...kernels import kernel
from ..rules.codes import (
    STEP_APOSTLE,
    STEP_CALL,
    STEP_CHANGE,
    STEP_DENARII,
    STEP_DENARIUS,
    STEP_END,
    STEP_EXCESS,
    STEP_FAVOR,
    STEP_FAVOR_DONE,
    STEP_FISH,
    STEP_GAIN,
    STEP_GO,
    STEP_INVITED,
    STEP_JUDAS,
    STEP_MAHANE,
    STEP_MARKET,
    STEP_MEETING,
    STEP_OFFERING,
    STEP_OVERFLOW,
    STEP_PARABLE,
    STEP_POINTS,
    STEP_RECEIVE,
    STEP_REDISTRIBUTE,
    STEP_REFILL,
    STEP_SCORE,
    STEP_SETTLE,
    STEP_STONE,
    STEP_SWAP,
    STEP_TEMPLE,
    STEP_VISIT_END,
    STEP_VP3,
    STEP_XXXIII,
)
from .cards import draw_up, draw_xxxiii
from .favors import apply_favor, apply_give, favor, favor_done, listen, receive
from .flow import pop
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
    PHASE_NONE,
    PHASE_OFFERING,
    PHASE_ORANGE,
    PHASE_OVER,
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
from .places import apply_call, apply_market, apply_temple, call, gain, visit_market, visit_temple
from .sanhedrin import meeting
from .supper import (
    apply_change,
    apply_change_to,
    apply_from,
    apply_offering,
    apply_supper,
    apply_swap,
    apply_swap_with,
    change,
    go,
    offer,
    swap,
)
from .turn import (
    apply_arrange,
    apply_column,
    apply_draw,
    apply_excess,
    apply_overflow,
    apply_play,
    apply_redistribute,
    apply_settle,
    ask_settle,
    draw_card,
    end_turn,
    make_room,
    next_stage,
    redistribute,
    shed,
)
from .visit import (
    apply_apostle,
    apply_illuminate,
    apply_orange,
    apply_seat,
    apply_visit,
    choose_apostle,
    end_visit,
    judas,
    score_around,
)

_EFFECT_AMOUNT = 2  # of points_2 and denarii_2 as steps; effects of spaces have their own


@kernel
def apply(s, action):
    """Carry out one legal action; what follows by itself is left to ``settle``."""
    s.decisions += 1
    phase = s.phase
    if phase == PHASE_PLAY:
        apply_play(s, action)
    elif phase == PHASE_COLUMN:
        apply_column(s, action)
    elif phase == PHASE_SUPPER:
        apply_supper(s, action)
    elif phase == PHASE_PURCHASE or phase == PHASE_DRAW:
        apply_draw(s, action)
    elif phase == PHASE_MARKET:
        apply_market(s, action)
    elif phase == PHASE_OFFERING:
        apply_offering(s, action)
    elif phase == PHASE_TEMPLE:
        apply_temple(s, action)
    elif phase == PHASE_FAVOR:
        apply_favor(s, action)
    elif phase == PHASE_GIVE:
        apply_give(s, action)
    elif phase == PHASE_FROM:
        apply_from(s, action)
    elif phase == PHASE_CALL:
        apply_call(s, action)
    elif phase == PHASE_EXCESS:
        apply_excess(s, action)
    elif phase == PHASE_OVERFLOW:
        apply_overflow(s, action)
    elif phase == PHASE_VISIT:
        apply_visit(s, action)
    elif phase == PHASE_APOSTLE:
        apply_apostle(s, action)
    elif phase == PHASE_SEAT:
        apply_seat(s, action)
    elif phase == PHASE_CHANGE:
        apply_change(s, action)
    elif phase == PHASE_CHANGE_TO:
        apply_change_to(s, action)
    elif phase == PHASE_SWAP:
        apply_swap(s, action)
    elif phase == PHASE_SWAP_WITH:
        apply_swap_with(s, action)
    elif phase == PHASE_REDISTRIBUTE:
        apply_redistribute(s, action)
    elif phase == PHASE_ARRANGE:
        apply_arrange(s, action)
    elif phase == PHASE_ILLUMINATE:
        apply_illuminate(s, action)
    elif phase == PHASE_ORANGE:
        apply_orange(s, action)
    elif phase == PHASE_SETTLE:
        apply_settle(s, action)


@kernel
def perform(s, step):
    """Carry out a step: what no player decides, or up to the decision it asks for (R13)."""
    if step >= STEP_RECEIVE:
        receive(s, (step - STEP_RECEIVE) // 4, (step - STEP_RECEIVE) % 4)
    elif step >= STEP_SCORE:
        score_around(s, step - STEP_SCORE)
    elif step >= STEP_SETTLE:
        ask_settle(s, step - STEP_SETTLE)
    elif step >= STEP_GAIN:
        gain(s, s.turn, step - STEP_GAIN)
    elif step == STEP_GO:
        go(s, 0)
    elif step == STEP_EXCESS:
        shed(s)
    elif step == STEP_REFILL:
        draw_up(s, s.turn)
    elif step == STEP_OVERFLOW:
        make_room(s)
    elif step == STEP_END:
        end_turn(s)
    elif step == STEP_OFFERING:
        offer(s)
    elif step == STEP_MEETING:
        meeting(s)
    elif step == STEP_PARABLE:
        listen(s)
    elif step == STEP_FAVOR:
        favor(s)
    elif step == STEP_FAVOR_DONE:
        favor_done(s)
    elif step == STEP_MARKET:
        visit_market(s)
    elif step == STEP_TEMPLE:
        visit_temple(s)
    elif step == STEP_INVITED:
        go(s, 1)
    elif step == STEP_CALL:
        call(s, s.turn, 0)
    elif step == STEP_CHANGE:
        change(s)
    elif step == STEP_REDISTRIBUTE:
        redistribute(s)
    elif step == STEP_MAHANE:
        draw_card(s)
    elif step == STEP_XXXIII:
        draw_xxxiii(s, s.turn)
    elif step == STEP_DENARIUS:
        s.denarii[s.turn] += s.denarius_amount  # R13.9
    elif step >= STEP_STONE and step <= STEP_FISH:
        s.resources[s.turn, step - STEP_STONE] += s.gain_amount[step - STEP_STONE]
    elif step == STEP_VP3:
        s.points[s.turn] += s.vp3_points
    elif step == STEP_POINTS:
        s.points[s.turn] += _EFFECT_AMOUNT
    elif step == STEP_DENARII:
        s.denarii[s.turn] += _EFFECT_AMOUNT
    elif step == STEP_APOSTLE:
        choose_apostle(s)
    elif step == STEP_SWAP:
        swap(s)
    elif step == STEP_JUDAS:
        judas(s)
    elif step == STEP_VISIT_END:
        end_visit(s)


@kernel
def settle(s):
    """Everything up to the next decision or the end of the game."""
    while s.phase == PHASE_NONE:
        if s.num_steps > 0:
            perform(s, pop(s))
        else:
            next_stage(s)


@kernel
def running(s):
    """Whether the game goes on: neither over nor stopped by the watchdog (A50)."""
    return s.phase != PHASE_OVER and s.decisions < s.decision_limit


@kernel
def over(s):
    """Whether the game has been played to its end."""
    return s.phase == PHASE_OVER
