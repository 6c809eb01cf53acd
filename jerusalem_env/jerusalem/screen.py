"""What a seat may see: the one place where hidden information is filtered (R1.9, A10, A11, A37).

``look`` makes a *view*: the state record turned so that the observer is seat 0, with all he may
not see set to -1. With ``recall`` the view also holds what perfect memory of public play and of
the drafts would give: all silver and supplies (every gain and payment is public), who held which
office and played which cards, and which cards the observer passed on in each draft.

Hidden in both modes: other hands, the pile's order, face-down events, the pool except from the
seat that drafts. ``redeal`` draws a full state from what a view leaves open.
"""

from __future__ import annotations

import numpy as np

from ..chance import draw, stream
from ..compiled.seats import turned
from ..kernels import kernel
from .engine.layout import (
    NO_SEAT,
    PHASE_BID,
    PHASE_DRAFT,
    PHASE_INCOME,
    PHASE_MARKET,
    PHASE_OPEN,
    PHASE_PATRIARCHATE,
    PHASE_SPECIAL_TAX,
    PHASE_TARGET,
    PHASE_TURN,
    RESOURCE_SILVER,
    RESOURCE_SQUIRE,
)
from .engine.state import STATE
from .rules.cards import (
    COPIES,
    DECK_SIZE,
    INFLUENCE_NOBILITY,
    INFLUENCE_PATRIARCHATE,
    NUM_CARD_KINDS,
)

VIEW = STATE  # the same record: whatever reads a state reads a view

_COPIES = np.array(COPIES, dtype=np.int64)
_PURPOSE_REDEAL = 101
REDEAL_SCRATCH = 2 * NUM_CARD_KINDS + DECK_SIZE  # what ``redeal`` works in
_TRIES = 64


@kernel
def turn_table(s, by, t):
    """Write to ``t`` the game ``s`` with the seats renumbered: seat ``by`` becomes seat 0 (I18)."""
    n = s.players
    for area in range(16):
        for resource in range(3):
            t.income[area, resource] = s.income[area, resource]
        t.arrivals[area] = s.arrivals[area]
        for seat in range(4):
            t.board[seat, area] = 0
        for seat in range(n):
            t.board[turned(seat, by, n), area] = s.board[seat, area]
    t.players = n
    t.rounds = s.rounds
    t.first_opener = turned(s.first_opener, by, n)
    t.influence_ignores_baron = s.influence_ignores_baron
    t.election_all_sectors = s.election_all_sectors
    t.move_card_may_leave_blocked = s.move_card_may_leave_blocked
    t.marshal_moves_count_for_baron = s.marshal_moves_count_for_baron
    t.palace_baron_round_1 = s.palace_baron_round_1
    t.decline_income = s.decline_income
    t.zero_ties_win_gifts = s.zero_ties_win_gifts
    t.war_may_hit_templars = s.war_may_hit_templars
    t.round = s.round
    t.phase = s.phase
    t.to_act = turned(s.to_act, by, n)
    t.winner = turned(s.winner, by, n)
    t.decisions = s.decisions
    t.decision_limit = s.decision_limit
    for office in range(4):
        t.seat_of_office[office] = turned(s.seat_of_office[office], by, n)
        t.ranking[office] = turned(s.ranking[office], by, n)
    for old in range(4):
        seat = turned(old, by, n) if old < n else old
        t.office[seat] = s.office[old]
        t.last_office[seat] = s.last_office[old]
        t.baron[seat] = s.baron[old]
        t.silver[seat] = s.silver[old]
        t.squires[seat] = s.squires[old]
        t.prestige[seat] = s.prestige[old]
        t.floors[seat] = s.floors[old]
        t.hand_size[seat] = s.hand_size[old]
        t.passed[seat] = s.passed[old]
        t.lost[seat] = s.lost[old]
        t.hits[seat] = s.hits[old]
        for resource in range(3):
            t.may_decline[seat, resource] = s.may_decline[old, resource]
        for card in range(NUM_CARD_KINDS):
            t.hand[seat, card] = s.hand[old, card]
            t.played[seat, card] = s.played[old, card]
        for past in range(5):
            t.office_log[past, seat] = s.office_log[past, old]
            t.draft_log[past, seat] = s.draft_log[past, old]
    for card in range(NUM_CARD_KINDS):
        t.discards[card] = s.discards[card]
        t.pool[card] = s.pool[card]
        for past in range(5):
            t.passed_on[past, card] = s.passed_on[past, card]
    t.pool_size = s.pool_size
    for place in range(27):
        t.pile[place] = s.pile[place]
    t.pile_top = s.pile_top
    t.pile_size = s.pile_size
    for index in range(3):
        t.events[index] = s.events[index]
        t.kept[index] = s.kept[index]
    t.opener = turned(s.opener, by, n)
    t.auction_office = s.auction_office
    t.bid = s.bid
    t.bidder = turned(s.bidder, by, n)
    t.hired = s.hired
    t.baron_used = s.baron_used
    t.genoa = s.genoa
    t.marshal_used = s.marshal_used
    t.source = s.source
    t.left = s.left
    t.lifted_from = s.lifted_from
    t.saved = s.saved
    t.observer = s.observer
    t.recall = s.recall


@kernel
def remember_drafts(t):
    """Cards the observer passed on, by round, from the full draft log (before it is hidden)."""
    for past in range(5):
        for card in range(NUM_CARD_KINDS):
            t.passed_on[past, card] = 0
        if t.draft_log[past, 0] < 0:
            continue
        for seat in range(1, t.players):
            later = t.office_log[past, seat] > t.office_log[past, 0]  # R5.1
            if later and t.draft_log[past, seat] >= 0:
                t.passed_on[past, t.draft_log[past, seat]] += 1
        if past == t.round - 1 and t.phase == PHASE_DRAFT:
            for card in range(NUM_CARD_KINDS):
                t.passed_on[past, card] += t.pool[card]


@kernel
def look(s, seat, recall, v):
    """Write to ``v`` what the seat sees of the state ``s``."""
    turn_table(s, seat, v)
    v.observer = 0
    v.recall = 1 if recall else 0
    if recall:
        remember_drafts(v)
    for other in range(1, v.players):
        for card in range(NUM_CARD_KINDS):
            v.hand[other, card] = -1  # R11.1
        if not recall:
            v.silver[other] = -1  # R1.9
            v.squires[other] = -1
    for other in range(4):
        for past in range(5):
            if not recall:
                v.office_log[past, other] = -1
            if other > 0 or not recall:
                v.draft_log[past, other] = -1
        if not recall:
            for card in range(NUM_CARD_KINDS):
                v.played[other, card] = -1
    for place in range(27):
        v.pile[place] = -1
    for index in range(3):
        if index + 2 > v.round:  # R3.3
            v.events[index] = -1
    if v.pool_size > 0 and not (v.phase == PHASE_DRAFT and v.to_act == 0):  # R4.1, R5.1
        for card in range(NUM_CARD_KINDS):
            v.pool[card] = -1


# --- redeal ---------------------------------------------------------------------------------
@kernel
def group_card(counts, index):
    """The ``index``-th card of a multiset given as counts; -1 beyond its end."""
    for card in range(NUM_CARD_KINDS):
        if index < counts[card]:
            return card
        index -= counts[card]
    return -1


@kernel
def still_drafting(v, past):
    """Whether the draft of that round is going on."""
    return past == v.round - 1 and v.phase == PHASE_DRAFT


@kernel
def has_drafted(v, past, seat):
    """Whether a seat has taken its card in the draft of a round that has begun."""
    if still_drafting(v, past):
        return v.office_log[past, seat] < v.office_log[past, max(v.to_act, 0)]
    return True


@kernel
def assign_group(v, past, order, t, pool):
    """Give the cards passed on in one draft to the later seats, in one of up to six orders.

    Writes the draft log of ``t``; cards still in the pool are counted into ``pool``.
    """
    total = 0
    for card in range(NUM_CARD_KINDS):
        total += v.passed_on[past, card]
    first = order % 3 if total == 3 else order % 2 if total == 2 else 0
    swap = (order // 3) % 2 if total == 3 else 0
    given = 0
    for seat in range(1, v.players):
        if v.office_log[past, seat] > v.office_log[past, 0] and has_drafted(v, past, seat):
            place = (first + (given if swap == 0 else total - given)) % max(total, 1)
            t.draft_log[past, seat] = group_card(v.passed_on[past], place)
            given += 1
    if still_drafting(v, past):
        while given < total:
            place = (first + (given if swap == 0 else total - given)) % total
            pool[group_card(v.passed_on[past], place)] += 1
            given += 1


@kernel
def hands_fit(v, t):
    """Whether the unplayed cards that the draft log gives each opponent fit his hand."""
    for seat in range(1, v.players):
        unplayed = 0
        for card in range(NUM_CARD_KINDS):
            known = 0
            for past in range(5):
                if t.draft_log[past, seat] == card:
                    known += 1
            unplayed += max(0, known - v.played[seat, card])
        if unplayed > v.hand_size[seat]:
            return False
    return True


@kernel
def recall_drafts(v, state, t, pool):
    """Draw the opponents' drafts that the observer's memory leaves open; next stream state.

    Rejection sampling: uniform over the assignments that agree with the cards played; after
    ``_TRIES`` failures the assignments are searched in order from a random start.
    """
    combinations = 1
    for past in range(5):
        if v.draft_log[past, 0] >= 0:
            combinations *= 6
    state, start = draw(state, combinations)
    for attempt in range(_TRIES + combinations):
        if attempt < _TRIES:
            state, code = draw(state, combinations)
        else:
            code = (start + attempt) % combinations
        for card in range(NUM_CARD_KINDS):
            pool[card] = 0
        for past in range(5):
            if v.draft_log[past, 0] >= 0:
                assign_group(v, past, code % 6, t, pool)
                code //= 6
        if hands_fit(v, t):
            break
    return state


@kernel
def draw_amount(state, low, high):
    """(stream state, low..high): the lesser of two uniform draws; small supplies are likelier."""
    state, one = draw(state, high - low + 1)
    state, other = draw(state, high - low + 1)
    return state, low + min(one, other)


@kernel
def unseen_silver(v, seat, state):
    """(stream state, silver) of an opponent for a seat that keeps no count.

    Certain: 12 before the first purchase (R1.8), at least the own high bid (R4.6) and what being
    asked at all needs (R12.5, R15.4, R12.11). Otherwise up to 12 + 4 a completed round, a third of
    that on average: near what scripted players hold.
    """
    low = v.bid if v.bidder == seat and v.phase == PHASE_BID else 0
    if v.phase == PHASE_MARKET and v.to_act == seat:
        low = 2
    elif v.phase == PHASE_SPECIAL_TAX and v.to_act == seat:
        low = 1
    elif v.phase == PHASE_INCOME:
        low = v.may_decline[seat, RESOURCE_SILVER]
    auction = v.phase == PHASE_OPEN or v.phase == PHASE_BID
    if auction and v.round == 1 and v.office[seat] < 0:
        return state, 12
    return draw_amount(state, low, max(12 + 4 * (v.round - 1), low))


@kernel
def unseen_squires(v, seat, state):
    """(stream state, squires in supply) of an opponent for a seat that keeps no count.

    Certain: none in phase 1 of round 1, at least what being asked needs (R12.4, R12.11). Otherwise
    up to 18, or up to 9 for who has had his turn in this round: near what scripted players hold.
    """
    phase_1 = v.phase == PHASE_OPEN or v.phase == PHASE_BID or v.phase == PHASE_DRAFT
    if phase_1 and v.round == 1:
        return state, 0  # R1.8
    low = 0
    if v.phase == PHASE_PATRIARCHATE and v.to_act == seat:
        low = 1
    elif v.phase == PHASE_INCOME:
        low = v.may_decline[seat, RESOURCE_SQUIRE]
    turns = v.phase >= PHASE_TURN and v.phase <= PHASE_TARGET
    waiting = phase_1 or (turns and v.office[seat] > v.office[max(v.to_act, 0)])
    if turns and v.round == 1 and waiting:
        return state, 0  # nothing comes before the first turn
    return draw_amount(state, low, max(18 if waiting else 9, low))


@kernel
def redeal_view(v, key, pool, unseen, cards, t):
    """Write to ``t`` a full state (observer in seat 0) drawn from what the view leaves open.

    ``pool``, ``unseen`` (14,) and ``cards`` (27,) int64 are scratch.
    """
    turn_table(v, 0, t)
    state = stream(key, _PURPOSE_REDEAL)
    t.observer = NO_SEAT
    t.recall = 0
    for card in range(NUM_CARD_KINDS):
        pool[card] = 0
    if v.recall == 1:
        state = recall_drafts(v, state, t, pool)
    else:
        for seat in range(4):
            for card in range(NUM_CARD_KINDS):
                t.played[seat, card] = 0
        for seat in range(1, v.players):
            state, amount = unseen_silver(v, seat, state)
            t.silver[seat] = amount
            state, amount = unseen_squires(v, seat, state)
            t.squires[seat] = amount
    for past in range(5):
        for card in range(NUM_CARD_KINDS):
            t.passed_on[past, card] = 0

    # Every card that the observer does not see, less those he knows the place of.
    pool_seen = v.pool_size == 0 or v.pool[0] >= 0
    for card in range(NUM_CARD_KINDS):
        copies = _COPIES[card]
        if v.players == 2 and (card == INFLUENCE_PATRIARCHATE or card == INFLUENCE_NOBILITY):
            copies = 0
        unseen[card] = copies - v.hand[0, card] - v.discards[card]
        if pool_seen:
            unseen[card] -= v.pool[card]
            t.pool[card] = v.pool[card]
        else:
            t.pool[card] = pool[card]
            unseen[card] -= pool[card]
    for seat in range(1, v.players):
        for card in range(NUM_CARD_KINDS):
            t.hand[seat, card] = 0
            if v.recall == 1:
                known = 0
                for past in range(5):
                    if t.draft_log[past, seat] == card:
                        known += 1
                held = min(max(0, known - v.played[seat, card]), max(unseen[card], 0))
                t.hand[seat, card] = held
                unseen[card] -= held

    size = 0
    for card in range(NUM_CARD_KINDS):
        for _ in range(unseen[card]):
            cards[size] = card
            size += 1
    for last in range(size - 1, 0, -1):
        state, place = draw(state, last + 1)
        card = cards[last]
        cards[last] = cards[place]
        cards[place] = card
    used = 0
    for seat in range(1, v.players):
        held = 0
        for card in range(NUM_CARD_KINDS):
            held += t.hand[seat, card]
        while held < v.hand_size[seat] and used < size:
            t.hand[seat, cards[used]] += 1
            held += 1
            used += 1
    laid_out = 0
    for card in range(NUM_CARD_KINDS):
        laid_out += t.pool[card]
    while laid_out < v.pool_size and used < size:
        t.pool[cards[used]] += 1
        laid_out += 1
        used += 1
    for place in range(v.pile_size):
        if used < size:
            t.pile[v.pile_top + place] = cards[used]
            used += 1
    redeal_events(v, state, t)


@kernel
def redeal_events(v, state, t):
    """Draw the face-down events among those not yet seen (R1.4, R2.5)."""
    for index in range(3):
        while t.events[index] < 0:
            state, event = draw(state, 4)
            if v.players == 2 and event == 1:
                continue
            seen = False
            for other in range(3):
                seen = seen or t.events[other] == event
            if not seen:
                t.events[index] = event


@kernel
def redeal(view, key, scratch, state):
    """``redeal_view`` with its scratch, (REDEAL_SCRATCH,) int64, in one piece.

    Unseen cards and events are dealt uniformly; with information="recall" in agreement with the
    drafts the observer saw and the cards played since. Without recall, opponents' silver and supply
    come from a plain prior (see ``unseen_silver``).
    """
    cards = scratch[2 * NUM_CARD_KINDS :]
    pool, unseen = scratch[:NUM_CARD_KINDS], scratch[NUM_CARD_KINDS : 2 * NUM_CARD_KINDS]
    redeal_view(view, key, pool, unseen, cards, state)
