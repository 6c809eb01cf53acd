"""Sub-flows of a turn that move squires: lift and drop, exchange, influence (R10.3, R11.9-R11.12).

A lifted squire stays counted where it was lifted until it comes down (VII.e).
"""

from __future__ import annotations

from ...bits import allow, allow_block, count_bits
from ...kernels import kernel
from ..rules.board import NUM_AREAS
from .control import blocked, enterable, in_play, own_areas
from .layout import (
    DROP,
    LIFT,
    PASS,
    PHASE_DROP,
    PHASE_LIFT,
    PHASE_TARGET,
    PHASE_TURN,
    SOURCE_DEFECTOR,
    SOURCE_INFLUENCE,
    SOURCE_MARSHAL,
    SOURCE_MOVE_2,
    SOURCE_NONE,
    TARGET,
)


@kernel
def liftable(s, source):
    """Bit mask of the areas a move or an exchange may take an own squire from."""
    seat = s.to_act
    own = own_areas(s, seat) & in_play(s)
    open_areas = enterable(s)
    if source == SOURCE_DEFECTOR:
        own &= open_areas  # A18
        targets = 0
        for opponent in range(s.players):
            if opponent != seat:
                targets |= own_areas(s, opponent)
        targets &= open_areas
    else:
        if not (source == SOURCE_MOVE_2 and s.move_card_may_leave_blocked == 1):  # D8
            own &= open_areas  # R8.6, R10.3, R11.10
        targets = open_areas
    # A32, A33: it can be completed, so there is a target other than the area itself.
    number = count_bits(targets)
    return 0 if number == 0 else own & ~targets if number == 1 else own


@kernel
def influence_areas(s, sector):
    """Bit mask of the areas of a sector that its influence card may enter."""
    areas = (0b111 << (3 * sector)) & in_play(s)  # David's Tower, sector 5, is one area
    return areas if s.influence_ignores_baron == 1 else areas & ~blocked(s)  # D1


@kernel
def droppable(s):
    """Bit mask of the areas where the squire in hand, or from the stock, may come down."""
    if s.source >= SOURCE_INFLUENCE:
        return influence_areas(s, s.source - SOURCE_INFLUENCE)  # R11.12, A34
    return enterable(s) & ~(1 << s.lifted_from)  # A32


@kernel
def begin_move(s, source):
    """Up to two own squires are to be moved (R10.3, R11.10)."""
    s.source = source
    s.left = 2
    s.lifted_from = -1
    s.phase = PHASE_LIFT


@kernel
def begin_exchange(s):
    """One own squire is to change places with an opponent's (R11.9)."""
    s.source = SOURCE_DEFECTOR
    s.left = 1
    s.lifted_from = -1
    s.phase = PHASE_LIFT


@kernel
def begin_influence(s, sector):
    """Two squires are to come down from the stock in a sector (R11.12)."""
    s.source = SOURCE_INFLUENCE + sector
    s.left = 2
    s.lifted_from = -1
    s.phase = PHASE_DROP


@kernel
def end_subflow(s):
    """Back to the turn."""
    s.source = SOURCE_NONE
    s.left = 0
    s.lifted_from = -1
    s.phase = PHASE_TURN


@kernel
def apply_lift(s, action):
    """The squire to move is named, or the second move refused (A32)."""
    if action == PASS:
        end_subflow(s)
        return
    s.lifted_from = action - LIFT
    s.phase = PHASE_TARGET if s.source == SOURCE_DEFECTOR else PHASE_DROP


@kernel
def apply_drop(s, action):
    """A squire comes down: the lifted one, or one from the stock."""
    area = action - DROP
    seat = s.to_act
    if s.lifted_from >= 0:
        s.board[seat, s.lifted_from] -= 1
    s.board[seat, area] += 1
    if s.source != SOURCE_MARSHAL or s.marshal_moves_count_for_baron == 1:  # A13, A14, A16
        s.arrivals[area] += 1
    s.left -= 1
    s.lifted_from = -1
    if s.left == 0:
        end_subflow(s)
    elif s.source < SOURCE_INFLUENCE:
        s.phase = PHASE_LIFT


@kernel
def apply_exchange(s, action):
    """Defector: own squire and opponent's squire change places (R11.9)."""
    step = (action - TARGET) // NUM_AREAS + 1
    area = (action - TARGET) % NUM_AREAS
    seat = s.to_act
    opponent = (seat + step) % s.players
    s.board[seat, s.lifted_from] -= 1
    s.board[seat, area] += 1
    s.board[opponent, area] -= 1
    s.board[opponent, s.lifted_from] += 1
    s.arrivals[area] += 1  # A13, A16
    end_subflow(s)


@kernel
def legal_lift(s, words):
    """Own squires that can be moved; the second move may be refused."""
    allow_block(words, LIFT, liftable(s, s.source))
    if s.left == 1 and s.source != SOURCE_DEFECTOR:
        allow(words, PASS)


@kernel
def legal_drop(s, words):
    """Where the squire may come down."""
    allow_block(words, DROP, droppable(s))


@kernel
def legal_exchange(s, words):
    """Every opponent's squire in another unblocked area (A33)."""
    areas = enterable(s) & ~(1 << s.lifted_from)
    for step in range(1, s.players):
        targets = own_areas(s, (s.to_act + step) % s.players) & areas
        allow_block(words, TARGET + NUM_AREAS * (step - 1), targets)
