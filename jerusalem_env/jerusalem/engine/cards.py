"""Action cards: which may be played and what they do (R11)."""

from __future__ import annotations

from ...bits import allow_block
from ...kernels import kernel
from ..rules.cards import (
    DEFECTOR,
    GENOA,
    INFLUENCE_PALACE,
    MOVE_2,
    PRESTIGE_2,
    RESOURCES_2,
    SILVER_2,
    SQUIRE,
    SQUIRE_SILVER,
)
from .layout import (
    PHASE_TAKE,
    RESOURCE_SILVER,
    RESOURCE_SQUIRE,
    SOURCE_DEFECTOR,
    SOURCE_MOVE_2,
    SOURCE_RESOURCES_2,
    TAKE,
)
from .moves import (
    begin_exchange,
    begin_influence,
    begin_move,
    end_subflow,
    influence_areas,
    liftable,
)


@kernel
def playable(s, card):
    """Whether a card's effect can be executed (VII.c 4: otherwise it may not be played)."""
    if card == MOVE_2:
        return liftable(s, SOURCE_MOVE_2) != 0
    if card == DEFECTOR:
        return liftable(s, SOURCE_DEFECTOR) != 0
    if card >= INFLUENCE_PALACE:
        return influence_areas(s, card - INFLUENCE_PALACE) != 0
    return True


@kernel
def apply_play(s, card):
    """A card goes to the discards, then takes effect or opens its sub-flow (R11.2)."""
    seat = s.to_act
    s.hand[seat, card] -= 1
    s.hand_size[seat] -= 1
    s.discards[card] += 1
    s.played[seat, card] += 1
    if card == SQUIRE:  # R11.4
        s.squires[seat] += 1
    elif card == SILVER_2:  # R11.5
        s.silver[seat] += 2
    elif card == PRESTIGE_2:  # R11.6
        s.prestige[seat] += 2
    elif card == RESOURCES_2:  # R11.7
        s.source = SOURCE_RESOURCES_2
        s.left = 2
        s.phase = PHASE_TAKE
    elif card == SQUIRE_SILVER:  # R11.8
        s.squires[seat] += 1
        s.silver[seat] += 1
    elif card == DEFECTOR:
        begin_exchange(s)
    elif card == MOVE_2:
        begin_move(s, SOURCE_MOVE_2)
    elif card == GENOA:
        s.genoa = 1  # R11.11; A29: from now on
    else:
        begin_influence(s, card - INFLUENCE_PALACE)


@kernel
def apply_take(s, action):
    """One of the two resources of the card (R11.7, D13: two alike are allowed)."""
    seat = s.to_act
    resource = action - TAKE
    if resource == RESOURCE_SQUIRE:
        s.squires[seat] += 1
    elif resource == RESOURCE_SILVER:
        s.silver[seat] += 1
    else:
        s.prestige[seat] += 1
    s.left -= 1
    if s.left == 0:
        end_subflow(s)


@kernel
def legal_take(words):
    """Any of the three resources."""
    allow_block(words, TAKE, 0b111)
