"""Observations: from states and views to vectors, compiled.

``encode`` writes the uint8 form (see ``observation``) of what a seat sees, in the order of
``features``; the float32 form is that row times ``scale_of`` the table. It reads a state as
seat ``me`` or a view as seat 0 and gives the same for both: it touches nothing that ``screen.look``
would hide. With perfect memory (``recall``) it reads views only, where ``look`` has put it.

The kernels are made for a number of players and an information mode, which so are constants to the
compiler: loops over seats unroll, and loops over areas become vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bits import store_flags
from ..compiled.encoders import is_equal, mark, one_of, put
from ..compiled.rules import Observer
from ..compiled.seats import seat_at, turned
from ..features import size_of, starts_of
from ..game import Information
from ..kernels import kernel
from .engine.layout import PHASE_DRAFT, PHASE_OVER
from .observation import (
    CAP_ARRIVALS,
    CAP_BOARD,
    CAP_COPIES,
    CAP_FLOORS,
    CAP_HAND,
    CAP_HIRED,
    CAP_LEFT,
    CAP_PILE,
    CAP_PRESTIGE,
    CAP_SECTOR,
    CAP_SILVER,
    CAP_SUPPLY,
    CAP_UNITS,
    features,
    state_features,
)
from .rules.board import areas_in_play
from .rules.cards import COPIES, NUM_CARD_KINDS
from .rules.ruleset import RuleSet
from .screen import look

_COPIES = np.array(COPIES, dtype=np.int8)
LONGEST_ROW = size_of(state_features(RuleSet(), "recall"))


@kernel
def priority(s, seat):
    """How a tie for an area is broken: the lower office counts more; 0 while it has none (R7.1)."""
    return 7 - s.office[seat] if s.office[seat] >= 0 else 0


@kernel
def strength(count, first):
    """What is compared for control: the squires, then who wins a tie; 0 without squires."""
    return (8 * count + first) * (1 if count > 0 else 0)


def _make_encode(n: int, recall: bool) -> Any:
    """The kernel ``encode(s, me, out)`` for ``n`` players; see the module."""
    table = features(RuleSet(players=n), "recall" if recall else "screen")
    size = size_of(table)
    at = starts_of(table, features(RuleSet(), "recall"))
    first_office = 4 - n
    playing = np.array(areas_in_play(n), dtype=np.int64)
    areas = len(playing)
    all_areas = areas == 16
    sectors = (areas - 1) // 3
    seen = n if recall else 1

    @kernel
    def encode_areas(s, me, out):
        """Squires and control, area by area and seat by seat, and the squires of whole sectors.

        Control as things stand (R7.1): while offices that would break a tie are open, nobody's.
        """
        seat_0, seat_1 = me, seat_at(1, me, n)
        seat_2, seat_3 = seat_at(min(2, n - 1), me, n), seat_at(n - 1, me, n)
        first_0, first_1 = priority(s, seat_0), priority(s, seat_1)
        first_2, first_3 = priority(s, seat_2), priority(s, seat_3)
        if first_0 == 0 or first_1 == 0 or first_2 == 0 or first_3 == 0:
            first_0, first_1, first_2, first_3 = 0, 0, 0, 0
        for index in range(areas):
            area = index if all_areas else playing[index]
            for step in range(n):
                count = s.board[one_of(step, seat_0, seat_1, seat_2, seat_3), area]
                out[at.board + index * n + step] = min(count, CAP_BOARD)
        holders = 0
        for index in range(areas):
            area = index if all_areas else playing[index]
            strength_0 = strength(s.board[seat_0, area], first_0)
            strength_1 = strength(s.board[seat_1, area], first_1)
            strength_2 = strength(s.board[seat_2, area], first_2) if n > 2 else 0
            strength_3 = strength(s.board[seat_3, area], first_3) if n > 3 else 0
            most = max(max(strength_0, strength_1), max(strength_2, strength_3))
            has_0, has_1 = is_equal(strength_0, most), is_equal(strength_1, most)
            has_2, has_3 = is_equal(strength_2, most), is_equal(strength_3, most)
            alone = is_equal(has_0 + has_1 + has_2 + has_3, 1)
            holder = (has_0 | (has_1 << 1) | (has_2 << 2) | (has_3 << 3)) * alone
            holders |= holder << (n * index)
        if areas * n == 64:
            store_flags(out, at.control, holders)
        else:
            for place in range(areas * n):
                out[at.control + place] = (holders >> place) & 1
        for index in range(sectors):
            area = 3 * index if all_areas else playing[3 * index]
            for step in range(n):
                seat = one_of(step, seat_0, seat_1, seat_2, seat_3)
                total = s.board[seat, area] + s.board[seat, area + 1] + s.board[seat, area + 2]
                out[at.sector_total + index * n + step] = min(total, CAP_SECTOR)

    @kernel
    def encode_memory(v, out):
        """The part that perfect memory adds, from a view."""
        for past in range(5):
            for card in range(NUM_CARD_KINDS):
                place = at.passed_on + past * NUM_CARD_KINDS + card
                put(out, place, v.passed_on[past, card], CAP_COPIES)
            for seat in range(1, n):
                if v.office_log[past, 0] >= 0 and v.office_log[past, seat] > v.office_log[past, 0]:
                    out[at.drafted_after_me + past * (n - 1) + seat - 1] = 1
        for seat in range(n):
            for card in range(NUM_CARD_KINDS):
                put(out, at.played + seat * NUM_CARD_KINDS + card, v.played[seat, card], CAP_COPIES)

    @kernel
    def encode(s, me, out):
        """Write what seat ``me`` sees to ``out`` (F,) uint8."""
        for place in range(size):
            out[place] = 0
        if s.phase < PHASE_OVER:
            mark(out, at.phase, s.phase)
        mark(out, at.to_act, turned(s.to_act, me, n))
        mark(out, at.round, s.round - 1)
        put(out, at.rounds_left, s.rounds - s.round, 4)
        for index in range(3):  # R3.3: the others are face down
            if s.round == index + 2:
                mark(out, at.event_now, s.events[index])
            elif s.round > index + 2:
                mark(out, at.events_past, s.events[index])
        drafting = s.phase == PHASE_DRAFT and s.to_act == me  # R5.1
        for card in range(NUM_CARD_KINDS):
            out[at.my_hand + card] = min(s.hand[me, card], _COPIES[card])
        if drafting:
            for card in range(NUM_CARD_KINDS):
                out[at.draft_pool + card] = min(s.pool[card], _COPIES[card])
        for card in range(NUM_CARD_KINDS):
            out[at.discards + card] = min(s.discards[card], _COPIES[card])
        put(out, at.pile, s.pile_size, CAP_PILE)
        for step in range(seen):  # R1.9
            put(out, at.silver + step, s.silver[seat_at(step, me, n)], CAP_SILVER)
            put(out, at.supply + step, s.squires[seat_at(step, me, n)], CAP_SUPPLY)
        for step in range(n):
            seat = seat_at(step, me, n)
            put(out, at.prestige + step, s.prestige[seat], CAP_PRESTIGE)
            put(out, at.floors + step, s.floors[seat], CAP_FLOORS)
            put(out, at.hand_size + step, s.hand_size[seat], CAP_HAND)
            mark(out, at.office + step * n, s.office[seat] - first_office)
            mark(out, at.last_office + step * n, s.last_office[seat] - first_office)
            out[at.passed + step] = s.passed[seat]
            put(out, at.lost + step, s.lost[seat], CAP_UNITS)
            put(out, at.hits + step, s.hits[seat], 2)
        mark(out, at.auction_office, s.auction_office - first_office)
        if s.bid >= 0:
            out[at.has_bid] = 1
            put(out, at.bid, s.bid, CAP_SILVER)
        mark(out, at.bidder, turned(s.bidder, me, n))
        mark(out, at.opener, turned(s.opener, me, n))
        out[at.baron_used] = s.baron_used
        put(out, at.hired, s.hired, CAP_HIRED)
        out[at.genoa] = s.genoa
        out[at.marshal_used] = s.marshal_used
        encode_areas(s, me, out)
        for index in range(areas):
            area = index if all_areas else playing[index]
            out[at.arrivals + index] = min(s.arrivals[area], CAP_ARRIVALS)
        if all_areas:
            for step in range(n):
                mark(out, at.baron + step, n * s.baron[seat_at(step, me, n)])
            mark(out, at.lifted_from, s.lifted_from)
        else:
            for index in range(areas):
                for step in range(n):
                    if s.baron[seat_at(step, me, n)] == playing[index]:
                        out[at.baron + index * n + step] = 1
                if s.lifted_from == playing[index]:
                    out[at.lifted_from + index] = 1
        mark(out, at.source, s.source)
        put(out, at.left, s.left, CAP_LEFT)
        if s.to_act >= 0:
            for resource in range(3):
                put(out, at.may_decline + resource, s.may_decline[s.to_act, resource], CAP_UNITS)
        put(out, at.saved, s.saved, 2)
        for index in range(3):
            put(out, at.kept + index, s.kept[index], CAP_UNITS)
        if recall:
            encode_memory(s, out)

    return encode


def _make_encode_state(encode: Any, n: int, recall: bool) -> Any:
    """The kernel ``encode_state(s, scratch, out)`` for ``n`` players."""
    mode: Information = "recall" if recall else "screen"
    rules = RuleSet(players=n)
    seen, size = size_of(features(rules, mode)), size_of(state_features(rules, mode))

    @kernel
    def encode_state(s, scratch, out):
        """Write seat 0's observation, then what is hidden; ``scratch`` is a view record."""
        look(s, 0, recall, scratch)
        encode(scratch, 0, out)
        at = seen
        for seat in range(n):
            put(out, at + seat, s.silver[seat], CAP_SILVER)
            put(out, at + n + seat, s.squires[seat], CAP_SUPPLY)
            for card in range(NUM_CARD_KINDS):
                place = at + 2 * n + seat * NUM_CARD_KINDS + card
                put(out, place, s.hand[seat, card], _COPIES[card])
        at += 2 * n + n * NUM_CARD_KINDS
        for card in range(NUM_CARD_KINDS):
            put(out, at + card, s.pool[card], _COPIES[card])
        at += NUM_CARD_KINDS
        for place in range(at, size):
            out[place] = 0
        for index in range(3):
            mark(out, at + 4 * index, s.events[index])
        at += 12
        for place in range(s.pile_size):
            put(out, at + place, s.pile[s.pile_top + place] + 1, NUM_CARD_KINDS)

    return encode_state


def observers(players: int, recall: bool) -> Observer:
    """The kernels for a number of players: with perfect memory they need ``look`` before them."""
    encode = _make_encode(players, recall)
    return Observer(encode, _make_encode_state(encode, players, recall), needs_view=recall)
