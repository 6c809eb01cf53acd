"""The turn: card, purchase, refill, end check, and arranging the own columns (R5, R6, R9, R17)."""

from __future__ import annotations

from ...bits import allow_block, count_bits
from ...kernels import kernel
from ..rules.codes import (
    STEP_END,
    STEP_EXCESS,
    STEP_GAIN,
    STEP_MARKET,
    STEP_OVERFLOW,
    STEP_REFILL,
    STEP_TEMPLE,
)
from .cards import (
    discard,
    discard_set,
    draw_bits,
    draw_mahane,
    draw_up,
    take_out_of_hand,
)
from .flow import ask, go_on, push
from .layout import (
    CARD,
    COLUMN,
    DISCARD,
    DRAW,
    FOLLOWER,
    ILLUMINATE,
    MARKET,
    PASS,
    PHASE_ARRANGE,
    PHASE_COLUMN,
    PHASE_DRAW,
    PHASE_EXCESS,
    PHASE_ILLUMINATE,
    PHASE_OVERFLOW,
    PHASE_PLAY,
    PHASE_PURCHASE,
    PHASE_REDISTRIBUTE,
    PHASE_SETTLE,
    PHASE_VISIT,
    REARRANGE,
    STAGE_PLAY,
    STAGE_PURCHASE,
    STAGE_REFILL,
    STAGE_SETTLE,
    STAGE_VISIT,
    TEMPLE,
)
from .own_columns import discard_column, lay_down, take_up
from .places import free_squares
from .sanhedrin import bureaucracy
from .scoring import finish
from .sets import set_bits

ALL_FOLLOWERS = 15  # R1.1
MOST_COMMON = 30  # Mahane and XXXIII cards


# --- settling (R3.4, A4) ---------------------------------------------------------------------
@kernel
def ask_settle(s, seat):
    """Ask a seat for its chosen area."""
    s.phase = PHASE_SETTLE
    s.to_act = seat


@kernel
def legal_settle(s, words):
    """An area with a free square."""
    for area in range(3):
        if free_squares(s, area) > 0:
            allow_block(words, FOLLOWER + area, 1)


@kernel
def apply_settle(s, action):
    """The follower goes there."""
    s.areas[s.to_act, action - FOLLOWER] += 1
    go_on(s)


# --- the stages of a turn (R5.1) -------------------------------------------------------------
@kernel
def begin_turn(s, seat):
    """Bureaucracy, and then a card is asked for (R5.2, R5.3)."""
    s.turn = seat
    s.turns += 1
    s.stage = STAGE_PLAY
    bureaucracy(s)
    ask(s, PHASE_PLAY)


@kernel
def next_stage(s):
    """The steps of a stage are done: the next one begins."""
    if s.stage == STAGE_PLAY:
        s.stage = STAGE_VISIT
        if set_bits(s, s.turn) != 0:
            ask(s, PHASE_VISIT)
    elif s.stage == STAGE_VISIT:
        s.stage = STAGE_PURCHASE
        if s.denarii[s.turn] >= s.purchase_price and draw_bits(s) != 0:
            ask(s, PHASE_PURCHASE)
    elif s.stage == STAGE_PURCHASE:
        s.stage = STAGE_REFILL
        push(s, STEP_END)
        push(s, STEP_OVERFLOW)
        push(s, STEP_REFILL)
        push(s, STEP_EXCESS)
    elif s.stage == STAGE_SETTLE:
        for seat in range(s.players):
            draw_up(s, seat)  # R3.6, A4: hands are drawn after settling
        begin_turn(s, s.start)
    else:
        end_turn(s)


@kernel
def end_turn(s):
    """The end check, and the next player's turn (R17.1)."""
    over = s.sanhedrin >= s.last_space
    for seat in range(s.players):
        if count_bits(s.supper[seat]) >= ALL_FOLLOWERS:
            over = True  # A48
    if over:
        finish(s)
    else:
        begin_turn(s, (s.turn + 1) % s.players)


# --- the card (R6, A9) -----------------------------------------------------------------------
@kernel
def legal_play(s, words):
    """A card of the hand, or the Illumination; with an empty hand a column to clear."""
    seat = s.turn
    words[0] |= s.hand[seat] << CARD  # 55 kinds from flag 1 on
    if s.illumination[seat] == 1 and s.judgments_on == 1:
        allow_block(words, ILLUMINATE, 1)  # R8.1, R8.3
    if s.hand[seat] == 0:
        for column in range(3):
            if s.column_size[seat, column] > 0:
                allow_block(words, COLUMN + column, 1)  # A9


@kernel
def apply_play(s, action):
    """The column is asked next; a cleared column goes to the discards without points."""
    if action == ILLUMINATE:
        ask(s, PHASE_ILLUMINATE)
    elif action >= COLUMN:
        discard_column(s, s.turn, action - COLUMN)
        go_on(s)
    else:
        s.chosen_card = action - CARD
        ask(s, PHASE_COLUMN)


@kernel
def legal_column(words):
    """Any own column (R6.1, A6)."""
    allow_block(words, COLUMN, 7)


@kernel
def apply_column(s, action):
    """The card lies there; its location action, then its bottom actions in order (R6.2, A8)."""
    seat, card, column = s.turn, s.chosen_card, action - COLUMN
    s.chosen_card = -1
    take_out_of_hand(s, seat, card)
    lay_down(s, seat, column, card)
    for place in range(2, -1, -1):
        if s.card_actions[card, place] >= 0:
            push(s, s.card_actions[card, place])
    location = s.card_location[card]
    if location == MARKET:
        push(s, STEP_MARKET)
    elif location == TEMPLE:
        push(s, STEP_TEMPLE)
    else:
        push(s, STEP_GAIN + location - 1)
    go_on(s)


# --- drawing a Mahane card, and the purchase (R5.5, R10.1) -----------------------------------
@kernel
def draw_card(s):
    """Ask which card, if there is one (A23)."""
    if draw_bits(s) != 0:
        ask(s, PHASE_DRAW)
    else:
        go_on(s)


@kernel
def legal_draw(s, words):
    """A card of the display, the top of the pile, or none."""
    allow_block(words, PASS, 1)
    if s.phase != PHASE_PURCHASE or s.denarii[s.turn] >= s.purchase_price:  # R5.5
        allow_block(words, DRAW, draw_bits(s))


@kernel
def apply_draw(s, action):
    """The card comes into the hand, and in the purchase is paid for."""
    if action != PASS:
        if s.phase == PHASE_PURCHASE:
            s.denarii[s.turn] -= s.purchase_price
        draw_mahane(s, s.turn, action - DRAW)
    go_on(s)


# --- hand and camp (R9) ----------------------------------------------------------------------
@kernel
def shed(s):
    """With too many cards in hand ask for one to discard (R9.1, A25)."""
    if count_bits(s.hand[s.turn]) > s.hand_limit:
        ask(s, PHASE_EXCESS)
    else:
        go_on(s)


@kernel
def legal_excess(s, words):
    """Any card of the hand."""
    words[0] |= s.hand[s.turn] << CARD


@kernel
def apply_excess(s, action):
    """The card goes where discarded cards go."""
    take_out_of_hand(s, s.turn, action - CARD)
    discard(s, s.turn, action - CARD)
    shed(s)


@kernel
def room_left(s, seat):
    """Squares of the camp that are free; negative if it is too full (R9.3)."""
    squares = s.capacity if s.blocked[seat] == 1 else s.capacity_unblocked
    used = s.camp[seat] + s.offerings[seat]
    return squares - used - s.resources[seat, 0] - s.resources[seat, 1] - s.resources[seat, 2]


@kernel
def resource_bits(s, seat):
    """Resources a seat has: bit resource."""
    bits = 0
    for resource in range(3):
        if s.resources[seat, resource] > 0:
            bits |= 1 << resource
    return bits


@kernel
def make_room(s):
    """While the camp is too full ask for a resource to discard; nothing else has to go (A27)."""
    if room_left(s, s.turn) < 0 and resource_bits(s, s.turn) != 0:
        ask(s, PHASE_OVERFLOW)
    else:
        go_on(s)


@kernel
def legal_overflow(s, words):
    """A resource that is there."""
    allow_block(words, DISCARD, resource_bits(s, s.turn))


@kernel
def apply_overflow(s, action):
    """One of it goes."""
    s.resources[s.turn, action - DISCARD] -= 1
    make_room(s)


# --- redistributing (R13.8, A8, A24, A42) ----------------------------------------------------
@kernel
def redistribute(s):
    """Ask whether to rearrange, if any card lies on the own columns."""
    seat = s.turn
    if s.column_size[seat, 0] + s.column_size[seat, 1] + s.column_size[seat, 2] > 0:
        ask(s, PHASE_REDISTRIBUTE)
    else:
        go_on(s)


@kernel
def legal_redistribute(words):
    """Rearrange or not."""
    allow_block(words, PASS, 1)
    allow_block(words, REARRANGE, 1)


@kernel
def apply_redistribute(s, action):
    """All cards of the own columns are taken up."""
    if action == PASS:
        go_on(s)
        return
    seat = s.turn
    for column in range(3):
        s.pool |= take_up(s, seat, column)
    s.arrange_column = 0
    ask(s, PHASE_ARRANGE)


@kernel
def legal_arrange(s, words):
    """The next card of the current column; on to the next, or discard the last few."""
    words[0] |= s.pool << CARD
    if s.arrange_column < 2 or count_bits(s.pool) <= s.redistribute_discards:
        allow_block(words, PASS, 1)


@kernel
def apply_arrange(s, action):
    """A card is laid down, or the column is done."""
    seat, column = s.turn, s.arrange_column
    if action != PASS:
        lay_down(s, seat, column, action - CARD)
        s.pool &= ~(1 << (action - CARD))
    elif column < 2:
        s.arrange_column = column + 1
    else:
        discard_set(s, seat, s.pool)
        s.pool = 0
    if s.pool == 0:
        s.arrange_column = 0
        go_on(s)
