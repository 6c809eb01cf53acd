"""Phase 1a: the auction of offices (R4, A1-A10)."""

from __future__ import annotations

from ...bits import allow, allow_range
from ...kernels import kernel
from ..rules.ruleset import MAX_BID
from .layout import (
    BID,
    NO_SEAT,
    OPEN,
    PASS,
    PHASE_BID,
    PHASE_OPEN,
    STAGE_DRAFT,
    STAGE_NEXT_AUCTION,
)


@kernel
def begin_round(s):
    """Next round: n cards face down into the pool, the first opener by tower (R3.3, R4.1, R4.2)."""
    s.round += 1
    for seat in range(s.players):
        s.baron[seat] = -1  # R8.8
    for _ in range(s.players):  # A12: the pile cannot run out in play
        if s.pile_size > 0:
            s.pool[s.pile[s.pile_top]] += 1
            s.pile[s.pile_top] = -1
            s.pile_top += 1
            s.pile_size -= 1
            s.pool_size += 1
    if s.round > 1:
        for seat in range(s.players):
            s.last_office[seat] = s.office[seat]
        s.opener = first_opener(s)
        for seat in range(s.players):
            s.office[seat] = -1
        for office in range(4):
            s.seat_of_office[office] = NO_SEAT
    s.to_act = s.opener
    s.phase = PHASE_OPEN


@kernel
def first_opener(s):
    """Highest tower, then most prestige, then lowest office of the last round (R4.2, A8, A9)."""
    best = 0
    for seat in range(1, s.players):
        if s.floors[seat] != s.floors[best]:
            better = s.floors[seat] > s.floors[best]
        elif s.prestige[seat] != s.prestige[best]:
            better = s.prestige[seat] > s.prestige[best]
        else:
            better = s.last_office[seat] < s.last_office[best]  # D3
        if better:
            best = seat
    return best


@kernel
def first_free_from(s, seat):
    """``seat`` itself or the next clockwise without an office, -1 if all have one (A2)."""
    for step in range(s.players):
        candidate = (seat + step) % s.players
        if s.office[candidate] < 0:
            return candidate
    return NO_SEAT


@kernel
def apply_open(s, action):
    """The opener names the office; his bid is next (R4.3)."""
    s.auction_office = action - OPEN
    s.phase = PHASE_BID


@kernel
def apply_bid(s, action):
    """A bid or a pass; the last one left takes the office and pays (R4.4-R4.7)."""
    seat = s.to_act
    if action == PASS:
        s.passed[seat] = 1  # R4.5
    else:
        s.bid = action - BID
        s.bidder = seat
    for step in range(1, s.players):
        candidate = (seat + step) % s.players
        if s.office[candidate] < 0 and s.passed[candidate] == 0 and candidate != s.bidder:
            s.to_act = candidate  # R4.4, R4.8
            return
    s.silver[s.bidder] -= s.bid  # R4.7; A4: he is not asked again
    give_office(s, s.bidder, s.auction_office)
    winner = s.bidder
    s.auction_office = -1
    s.bid = -1
    s.bidder = NO_SEAT
    for candidate in range(s.players):
        s.passed[candidate] = 0
    s.to_act = first_free_from(s, (winner + 1) % s.players)  # R4.9, A2
    s.phase = STAGE_NEXT_AUCTION


@kernel
def give_office(s, seat, office):
    """A seat takes an office for this round."""
    s.office[seat] = office
    s.seat_of_office[office] = seat


@kernel
def next_auction(s):
    """The next opener chooses, or the last player takes the last office free (R4.10, A3)."""
    opener = s.to_act
    free_seats = 0
    for seat in range(s.players):
        if s.office[seat] < 0:
            free_seats += 1
    if free_seats > 1:
        s.opener = opener
        s.phase = PHASE_OPEN
        return
    for office in range(4 - s.players, 4):
        if s.seat_of_office[office] < 0:
            give_office(s, opener, office)  # R4.10, R4.11
    for seat in range(s.players):
        s.office_log[s.round - 1, seat] = s.office[seat]
    s.to_act = NO_SEAT
    s.phase = STAGE_DRAFT


@kernel
def legal_open(s, words):
    """Any office not yet sold; no pass (R4.3)."""
    for office in range(4 - s.players, 4):
        if s.seat_of_office[office] < 0:
            allow(words, OPEN + office)


@kernel
def legal_bid(s, words):
    """Every bid above the high bid that the seat can pay, or a pass unless opening (A1, A5)."""
    highest = min(s.silver[s.to_act], MAX_BID)  # R4.6
    allow_range(words, BID + s.bid + 1, BID + highest)
    if s.bid >= 0:
        allow(words, PASS)
