"""The Last Supper: going there, changing places, swapping (R13.1 to R13.3, R13.7, R7.7, R14)."""

from __future__ import annotations

from ...bits import allow_block
from ...kernels import kernel
from ..rules.codes import (
    STEP_DENARII,
    STEP_NONE,
    STEP_OFFERING,
    STEP_POINTS,
)
from .derived import note_supper
from .flow import ask, go_on, push
from .layout import (
    FROM,
    LIFT,
    NEUTRAL,
    OFFERING,
    PASS,
    PHASE_CHANGE,
    PHASE_CHANGE_TO,
    PHASE_FROM,
    PHASE_OFFERING,
    PHASE_SUPPER,
    PHASE_SWAP,
    PHASE_SWAP_WITH,
    SPACE,
)
from .places import first_area, fullest_areas
from .state import ALL_SPACES


@kernel
def allow_spaces(words, first, spaces):
    """Set the flags ``first + i`` for every space of a mask, which has more bits than a block."""
    allow_block(words, first, spaces & 0xFFFFFFF)
    allow_block(words, first + 28, spaces >> 28)


@kernel
def empty_spaces(s):
    """Mask of the spaces that nobody stands on (R14.2)."""
    taken = s.supper[NEUTRAL]
    for seat in range(s.players):
        taken |= s.supper[seat]
    return ALL_SPACES & ~taken


@kernel
def payable_spaces(s, seat):
    """Mask of the spaces, empty or not, that a seat could pay for (R14.4, A37)."""
    dear = 0
    for resource in range(3):
        dear |= s.space_needs[resource, min(s.resources[seat, resource], 7)]
    return ALL_SPACES & ~dear


@kernel
def go_spaces(s, free):
    """Mask of the spaces that the active player can send a follower to (R13.1, R13.3)."""
    if fullest_areas(s, s.turn) == 0:
        return 0  # R13.2
    spaces = empty_spaces(s)
    return spaces if free == 1 else spaces & payable_spaces(s, s.turn)


@kernel
def go(s, free):
    """Ask for a space, if there is one; ``free`` 1 when invited."""
    if go_spaces(s, free) != 0:
        s.free = free
        ask(s, PHASE_SUPPER)
    else:
        go_on(s)


@kernel
def legal_supper(s, words):
    """A space, or not to go."""
    allow_block(words, PASS, 1)
    allow_spaces(words, SPACE, go_spaces(s, s.free))


@kernel
def apply_supper(s, action):
    """The space is chosen; the area too, unless the most followers are tied."""
    if action == PASS:
        s.free = 0
        go_on(s)
        return
    areas = fullest_areas(s, s.turn)
    if areas & (areas - 1) != 0:
        s.chosen_space = action - SPACE
        ask(s, PHASE_FROM)
    else:
        arrive(s, action - SPACE, first_area(areas))


@kernel
def legal_from(s, words):
    """One of the tied areas (R13.1)."""
    allow_block(words, FROM, fullest_areas(s, s.turn))


@kernel
def apply_from(s, action):
    """The area is chosen: the follower goes."""
    space = s.chosen_space
    s.chosen_space = -1
    arrive(s, space, action - FROM)


@kernel
def arrive(s, space, area):
    """Pay, move, have the effect of the space, and then perhaps take an Offering (R13.1)."""
    seat = s.turn
    if s.free == 0:
        for resource in range(3):
            s.resources[seat, resource] -= s.space_cost[space, resource]
    s.free = 0
    s.areas[seat, area] -= 1
    s.supper[seat] |= 1 << space
    note_supper(s)
    push(s, STEP_OFFERING)
    have_effect(s, space)
    go_on(s)


@kernel
def have_effect(s, space):
    """The effect of a space: a gain, or an action that is carried out next (R14.5)."""
    step = s.space_effect[space]
    if step == STEP_POINTS:
        s.points[s.turn] += s.space_amount[space]
    elif step == STEP_DENARII:
        s.denarii[s.turn] += s.space_amount[space]
    elif step != STEP_NONE:
        push(s, step)


@kernel
def legal_offering(words):
    """Take one or not (A28)."""
    allow_block(words, PASS, 1)
    allow_block(words, OFFERING, 1)


@kernel
def apply_offering(s, action):
    """An Offering comes into the camp (R15.1)."""
    if action == OFFERING:
        s.offerings[s.turn] += 1
    go_on(s)


@kernel
def offer(s):
    """Ask whether to take an Offering."""
    ask(s, PHASE_OFFERING)


# --- changing places (R13.7, A41) ------------------------------------------------------------
@kernel
def change(s):
    """Ask which own follower moves, if one can."""
    if s.supper[s.turn] != 0 and empty_spaces(s) != 0:
        ask(s, PHASE_CHANGE)
    else:
        go_on(s)


@kernel
def legal_lift(s, words):
    """An own follower, or none."""
    allow_block(words, PASS, 1)
    allow_spaces(words, LIFT, s.supper[s.turn])


@kernel
def apply_change(s, action):
    """The follower is chosen; where to is next."""
    if action == PASS:
        go_on(s)
    else:
        s.lifted = action - LIFT
        ask(s, PHASE_CHANGE_TO)


@kernel
def legal_change_to(s, words):
    """A space that was empty before."""
    allow_spaces(words, SPACE, empty_spaces(s))


@kernel
def apply_change_to(s, action):
    """The follower moves; the new space has its effect, there is no Offering."""
    s.supper[s.turn] &= ~(1 << s.lifted)
    s.supper[s.turn] |= 1 << (action - SPACE)
    note_supper(s)
    s.lifted = -1
    have_effect(s, action - SPACE)
    go_on(s)


# --- swapping (R7.7, A15) --------------------------------------------------------------------
@kernel
def others_spaces(s):
    """Mask of the spaces of the other players; neutral followers cannot be swapped."""
    spaces = 0
    for seat in range(s.players):
        if seat != s.turn:
            spaces |= s.supper[seat]
    return spaces


@kernel
def can_swap(s):
    """Whether the active player can exchange a follower."""
    return s.supper[s.turn] != 0 and others_spaces(s) != 0


@kernel
def swap(s):
    """Ask which own follower is exchanged, if one can be."""
    if can_swap(s):
        ask(s, PHASE_SWAP)
    else:
        go_on(s)


@kernel
def apply_swap(s, action):
    """The own follower is chosen; with which is next."""
    if action == PASS:
        go_on(s)
    else:
        s.lifted = action - LIFT
        ask(s, PHASE_SWAP_WITH)


@kernel
def legal_swap_with(s, words):
    """A follower of another player."""
    allow_spaces(words, SPACE, others_spaces(s))


@kernel
def apply_swap_with(s, action):
    """Two followers change places: no cost, no effect."""
    mine, theirs = 1 << s.lifted, 1 << (action - SPACE)
    for seat in range(s.players):
        if seat != s.turn and s.supper[seat] & theirs != 0:
            s.supper[seat] = (s.supper[seat] & ~theirs) | mine
    s.supper[s.turn] = (s.supper[s.turn] & ~mine) | theirs
    note_supper(s)
    s.lifted = -1
    go_on(s)
