"""Phase 1b: the draft of action cards (R5)."""

from __future__ import annotations

from ...bits import allow
from ...kernels import kernel
from ..rules.cards import NUM_CARD_KINDS
from .control import next_after, next_in_order
from .layout import DRAFT, NO_SEAT, PHASE_DRAFT, STAGE_TURNS


@kernel
def begin_draft(s):
    """First in player order looks at the pool; the last gets the last card (R5.1, A11)."""
    s.to_act = next_in_order(s, 0)
    s.phase = PHASE_DRAFT
    if s.pool_size == 0:  # only in hand-written positions with a short pile
        s.to_act = NO_SEAT
        s.phase = STAGE_TURNS


@kernel
def take_from_pool(s, seat, card):
    """One card goes from the pool to a hand."""
    s.pool[card] -= 1
    s.pool_size -= 1
    s.hand[seat, card] += 1
    s.hand_size[seat] += 1
    s.draft_log[s.round - 1, seat] = card


@kernel
def apply_draft(s, action):
    """The chosen card to hand; when one player is left he gets the remaining card."""
    take_from_pool(s, s.to_act, action - DRAFT)
    following = next_after(s, s.to_act)
    if following >= 0 and next_after(s, following) < 0:  # A11: the last pick is no decision
        for card in range(NUM_CARD_KINDS):
            if s.pool[card] > 0:
                take_from_pool(s, following, card)
                break
        following = NO_SEAT
    if s.pool_size == 0:
        following = NO_SEAT  # also where a hand-written position left too few cards
    s.to_act = following
    if following < 0:
        s.phase = STAGE_TURNS


@kernel
def legal_draft(s, words):
    """Any kind in the pool."""
    for card in range(NUM_CARD_KINDS):
        if s.pool[card] > 0:
            allow(words, DRAFT + card)
