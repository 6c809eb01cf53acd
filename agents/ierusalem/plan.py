"""How the planner sees a decision: time, judgments to come, the visit that ends this turn.

Kernels read a record ``s`` as the seat ``me``; see ``worth``. ``p`` is a record ``weights.PLAN``.
"""

from __future__ import annotations

from jerusalem_env.bits import lowest_bit
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.engine.sanhedrin import CALL, FAVOR, GO, OFFERING, PARABLE, RESOURCES
from jerusalem_env.ierusalem.engine.sets import set_bits, symbols_to_add
from jerusalem_env.ierusalem.engine.state import ALL_SPACES
from jerusalem_env.kernels import kernel

from .cards import gift_worth
from .supper import colour_worth
from .weights import TURNS_LEFT
from .worth import (
    NOTHING,
    Scene,
    apostles_to_seat,
    judgment_ahead,
    meeting_worth,
    others_spaces,
    standing,
)

_FIRST, _SECOND, _THIRD, _LAST = TURNS_LEFT


# --- time ------------------------------------------------------------------------------------
@kernel
def turns_to_come(s, p):
    """Own turns to come after this one, about; they pass faster when all Apostles sit (R5.2)."""
    steps = 1.0 * (s.last_space - s.sanhedrin)
    if s.judgments_on == 0:
        return steps / (p.pace + 1.0) / s.players
    turns = apostles_to_seat(s) / p.seat_rate
    if turns * p.pace >= steps:
        turns = steps / p.pace
    else:
        turns += (steps - turns * p.pace) / (p.pace + 1.0)
    return turns / s.players


@kernel
def at(moments, left):
    """A weight for four moments, with so many own turns left."""
    if left <= _FIRST:
        return moments[0]
    if left < _SECOND:
        return moments[0] + (moments[1] - moments[0]) * (left - _FIRST) / (_SECOND - _FIRST)
    if left < _THIRD:
        return moments[1] + (moments[2] - moments[1]) * (left - _SECOND) / (_THIRD - _SECOND)
    if left < _LAST:
        return moments[2] + (moments[3] - moments[2]) * (left - _THIRD) / (_LAST - _THIRD)
    return moments[3]


# --- judgments (R11) -------------------------------------------------------------------------
@kernel
def still_judged(s, judgment):
    """Whether a judgment is still to come: 0 no, 1 yes, 2 as the next one (R11.3)."""
    if s.judgments_on == 0:
        return 0
    found, before = 0, 0
    for index in range(6):
        if s.judgment_space[index] > s.sanhedrin:
            if s.judgments[index] == judgment:
                found = 2 if before == 0 else 1
            before += 1
    return found


@kernel
def planned_meeting(s, me, p):
    """Worth of a Meeting: its judgment, who is next to meet one, and who wants the end (R17.1)."""
    if s.sanhedrin >= s.last_space:
        return 0.0
    worth = meeting_worth(s, me, p)
    if s.judgments_on == 1:
        for index in range(6):
            if s.judgment_space[index] == s.sanhedrin + 2:
                worth -= p.approach
    best = -1000
    for seat in range(s.players):
        if seat != me:
            best = max(best, standing(s, seat))
    return worth + p.hurry * (standing(s, me) - best) / 10.0


# --- the scene -------------------------------------------------------------------------------
@kernel
def planned_scene(s, me, guest, guest_worth, p):
    """The scene of a decision of ``me``; a guest is an Apostle that will be seated this turn."""
    left = turns_to_come(s, p)
    others = others_spaces(s, me)
    worker, goods = at(p.worker, left), 0.0
    if still_judged(s, CALL) == 2:
        worker += p.fleeting
    if still_judged(s, RESOURCES) == 2:
        goods = p.fleeting
    offering = s.offering_points + at(p.offering, left)
    offering += p.judged if still_judged(s, OFFERING) > 0 else 0.0
    follower = at(p.follower, left) + (p.judged if still_judged(s, GO) > 0 else 0.0)
    tile = at(p.tile, left) + (p.judged if still_judged(s, PARABLE) > 0 else 0.0)
    favor = at(p.favor, left) + (p.judged if still_judged(s, FAVOR) > 0 else 0.0)
    meeting = 0.0
    if s.phase == L.PHASE_PLAY or s.phase == L.PHASE_SUPPER or s.phase == L.PHASE_CHANGE_TO:
        meeting = planned_meeting(s, me, p)
    elif judgment_ahead(s) >= 0:
        meeting = meeting_worth(s, me, p)
    return Scene(
        left,
        at(p.later, left),
        at(p.denarius, left),
        (at(p.stone, left) + goods, at(p.bread, left) + goods, at(p.fish, left) + goods),
        worker,
        at(p.square, left),
        at(p.symbol, left),
        at(p.mahane, left),
        at(p.xxxiii, left),
        offering,
        follower,
        tile,
        favor,
        meeting,
        at(p.chance, left) if apostles_to_seat(s) > 0 else 0.0,
        at(p.vacancy, left),
        ALL_SPACES & ~(others | s.supper[me] | s.supper[L.NEUTRAL]),
        others,
        at(p.waste, left),
        guest,
        guest_worth,
    )


@kernel
def with_guest(scene, guest, guest_worth):
    """The same scene with another guest."""
    return Scene(
        scene.left,
        scene.later,
        scene.denarius,
        scene.goods,
        scene.worker,
        scene.square,
        scene.symbol,
        scene.mahane,
        scene.xxxiii,
        scene.offering,
        scene.follower,
        scene.tile,
        scene.favor,
        scene.meeting,
        scene.chance,
        scene.vacancy,
        scene.empty,
        scene.others,
        scene.waste,
        guest,
        guest_worth,
    )


# --- the visit that ends this turn -----------------------------------------------------------
@kernel
def rows_to_visit(s, me):
    """Apostle columns that can be visited as things stand: bit column (R7.1)."""
    bits = set_bits(s, me)
    return (bits | (bits >> 3) | (bits >> 6) | (bits >> 9)) & 0b111


@kernel
def rows_with(s, me, card):
    """Apostle columns that a card from the hand would make a set for, on some own column."""
    rows = 0
    for column in range(3):
        size = s.column_size[me, column]
        if size > 2:
            continue
        for row in range(3):
            if (rows >> row) & 1 == 0 and completes(s, me, column, size, card, row):
                rows |= 1 << row
    return rows


@kernel
def completes(s, me, column, size, card, row):
    """Whether a card put on an own column of at most two makes a set with the symbols held."""
    matched, needed, lacks = 0, 0, False
    for place in range(3):
        symbol = s.symbols[row, place]
        if matched <= size:
            top = s.columns[me, column, matched] if matched < size else card
            if s.card_location[top] == symbol:
                matched += 1
                continue
        needed += 1 << (4 * symbol)
        lacks |= (needed >> (4 * symbol)) & 15 > s.symbols_held[me, symbol]
    return matched == size + 1 and not lacks


@kernel
def guest_of(s, me, rows, scene, p):
    """Colour of the Apostle that a visit to one of some apostle columns would seat; -1 if none."""
    colours = 0
    for row in range(3):
        if (rows >> row) & 1:
            for colour in range(4):
                if s.apostles[row, colour] > 0:
                    colours |= 1 << colour
    best, best_worth = -1, NOTHING
    while colours != 0:
        colour = lowest_bit(colours)
        colours &= colours - 1
        worth = colour_worth(s, me, colour, scene, p)
        if worth > best_worth:
            best, best_worth = colour, worth
    return best


# --- Favors ----------------------------------------------------------------------------------
@kernel
def lacking_symbols(s, seat, source, row):
    """Symbols that a seat lacks for a set from an own column; -1 if it can serve none (R7.1)."""
    needed = symbols_to_add(s, seat, source, row)
    if needed < 0:
        return -1
    lacking = 0
    for symbol in range(5):
        lacking += max(((needed >> (4 * symbol)) & 15) - s.symbols_held[seat, symbol], 0)
    return lacking


@kernel
def danger_of(s, marker, seat, p):
    """What a marker's symbol would do for its receiver's sets (R16.2), weighed."""
    symbol = s.marker_symbol[marker]
    danger = 0.0
    for row in range(3):
        left = 0
        for colour in range(4):
            left += s.apostles[row, colour]
        if left == 0:
            continue
        for source in range(4):
            needed = symbols_to_add(s, seat, source, row)
            if needed < 0:
                continue
            if (needed >> (4 * symbol)) & 15 > s.symbols_held[seat, symbol]:
                lacking = lacking_symbols(s, seat, source, row)
                danger = max(
                    danger, p.danger if lacking == 1 else p.nearer if lacking == 2 else 0.0
                )
    return danger


@kernel
def giving_cost(s, marker, seat, scene, p):
    """What it costs to give a marker to a seat: more if it serves him, and the better he stands."""
    worth = gift_worth(s, marker, seat, scene, p) + danger_of(s, marker, seat, p)
    return worth + p.leader * standing(s, seat)
