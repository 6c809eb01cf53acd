"""Observations: a view as a float32 vector, and the table that names every entry.

Each entry is a whole number ``0..cap`` divided by its cap, so all lie in [0, 1] and lose nothing
below the cap; larger amounts are clipped. Seats are egocentric: seat 0 is the observer, seat k
sits k places clockwise of him. The pieces stand one after the other in the order of ``features``;
``encode`` writes them in the same order.

``state_features`` adds what nobody sees (all hands, silver, supplies, events, the pile) behind the
observation of seat 0, for centralised critics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels import entry_kernel, kernel
from .actions import PHASES, SOURCES
from .engine.control import in_play
from .engine.layout import NO_SEAT, NUM_SOURCES, PHASE_DRAFT, PHASE_OVER
from .engine.state import STATE
from .rules.board import AREAS, NUM_AREAS, SECTORS, areas_in_play, sectors_in_play
from .rules.cards import CARDS, COPIES, NUM_CARD_KINDS
from .rules.events import EVENTS
from .rules.offices import OFFICES, offices_in_play
from .rules.ruleset import RuleSet
from .screen import Information, look

# Caps: the amount that reads as 1.0. Powers of two where the amount is open-ended.
CAP_SILVER = 64
CAP_SUPPLY = 64
CAP_PRESTIGE = 32
CAP_FLOORS = 16
CAP_HAND = 16
CAP_BOARD = 32
CAP_ARRIVALS = 8
CAP_SECTOR = 64
CAP_HIRED = 8
CAP_LEFT = 16
CAP_UNITS = 16
CAP_PILE = 27
CAP_COPIES = 4
_COPIES = np.array(COPIES, dtype=np.int64)


@dataclass(frozen=True)
class Feature:
    """A named run of an observation.

    Attributes
    ----------
    name : str
    start, size : int
        The entries ``start .. start + size - 1``.
    labels : tuple of str
        What each entry belongs to (seat, area, card, ...), ``size`` of them.
    cap : int or tuple of int
        The amount that reads as 1.0, for all entries or each.
    unit : str
        ``flag``, ``squires``, ``silver``, ``prestige``, ``floors``, ``cards`` or ``rounds``.
    meaning : str
    """

    name: str
    start: int
    size: int
    labels: tuple[str, ...]
    cap: int | tuple[int, ...]
    unit: str
    meaning: str

    @property
    def slice(self) -> slice:
        """Where the feature stands in the vector."""
        return slice(self.start, self.start + self.size)


class _Table:
    """Collects features one after the other."""

    def __init__(self) -> None:
        self.features: list[Feature] = []
        self.size = 0

    def add(
        self,
        name: str,
        labels: list[str] | tuple[str, ...],
        cap: int | tuple[int, ...],
        unit: str,
        meaning: str,
    ) -> None:
        feature = Feature(name, self.size, len(labels), tuple(labels), cap, unit, meaning)
        self.features.append(feature)
        self.size += feature.size


def _pairs(first: list[str] | tuple[str, ...], second: list[str] | tuple[str, ...]) -> list[str]:
    return [f"{a}, {b}" for a in first for b in second]


def _observation_table(rules: RuleSet, information: Information) -> _Table:
    n = rules.players
    seats = ["me", *(f"+{k}" for k in range(1, n))]
    seen = seats if information == "recall" else ["me"]
    offices = [OFFICES[o] for o in offices_in_play(n)]
    areas = [AREAS[a] for a in areas_in_play(n)]
    sectors = [SECTORS[x] for x in sectors_in_play(n) if x < 5]
    rounds = [f"round {r}" for r in range(1, 6)]
    table = _Table()
    add = table.add
    add("phase", PHASES[:17], 1, "flag", "what is being decided (rules VII.e); all 0 when over")
    add("to_act", seats, 1, "flag", "whose decision it is")
    add("round", rounds, 1, "flag", "the current round")
    add("rounds_left", ["all"], 4, "rounds", "rounds after this one")
    add("event_now", EVENTS, 1, "flag", "the event that lies over this round")
    add("events_past", EVENTS, 1, "flag", "events of earlier rounds")
    add("my_hand", CARDS, COPIES, "cards", "action cards in hand")
    add("draft_pool", CARDS, COPIES, "cards", "the pool, while I draft; otherwise 0")
    add("discards", CARDS, COPIES, "cards", "cards played by anybody")
    add("pile", ["all"], CAP_PILE, "cards", "cards left in the pile")
    add("silver", seen, CAP_SILVER, "silver", "silver behind the screen")
    add("supply", seen, CAP_SUPPLY, "squires", "squires behind the screen")
    add("prestige", seats, CAP_PRESTIGE, "prestige", "prestige points")
    add("floors", seats, CAP_FLOORS, "floors", "floors of the tower")
    add("hand_size", seats, CAP_HAND, "cards", "action cards in hand, number only")
    add("office", _pairs(seats, offices), 1, "flag", "office held this round")
    add("last_office", _pairs(seats, offices), 1, "flag", "office held the round before")
    add("auction_office", offices, 1, "flag", "office up for auction")
    add("has_bid", ["all"], 1, "flag", "somebody has bid for it")
    add("bid", ["all"], CAP_SILVER, "silver", "the high bid")
    add("bidder", seats, 1, "flag", "who holds the high bid")
    add("opener", seats, 1, "flag", "who opened this or the last auction")
    add("passed", seats, 1, "flag", "out of this auction")
    add("baron_used", ["all"], 1, "flag", "the player in turn has placed his baron")
    add("hired", ["all"], CAP_HIRED, "squires", "squires hired in this turn")
    add("genoa", ["all"], 1, "flag", "Genoa mercenaries in force in this turn")
    add("marshal_used", ["all"], 1, "flag", "the marshal's ability is used up")
    add("board", _pairs(areas, seats), CAP_BOARD, "squires", "squires in each area")
    add("control", _pairs(areas, seats), 1, "flag", "who controls the area as things stand")
    add("baron", _pairs(areas, seats), 1, "flag", "whose baron blocks the area")
    add("arrivals", areas, CAP_ARRIVALS, "squires", "new squires of the player in turn (A13)")
    add("sector_total", _pairs(sectors, seats), CAP_SECTOR, "squires", "squires in a whole sector")
    add("lifted_from", areas, 1, "flag", "the area of the squire being moved")
    add("source", SOURCES, 1, "flag", "what began the sub-flow")
    add("left", ["all"], CAP_LEFT, "squires", "steps the sub-flow still has; removals in war")
    add(
        "may_decline",
        ["squire", "silver", "prestige"],
        CAP_UNITS,
        "squires",
        "units of income the player to act may still give back (silver, prestige likewise)",
    )
    add("lost", seats, CAP_UNITS, "squires", "Palace squires lost in the succession")
    add("saved", ["all"], 2, "squires", "of these, put back so far by the player to act")
    add("kept", AREAS[9:12], CAP_UNITS, "squires", "Market squires paid for in the special tax")
    add("hits", seats, 2, "squires", "squires of each removed in war by the player to act")
    if information == "recall":
        add(
            "passed_on",
            _pairs(rounds, CARDS),
            CAP_COPIES,
            "cards",
            "cards I passed on in each draft",
        )
        add(
            "drafted_after_me",
            _pairs(rounds, seats[1:]),
            1,
            "flag",
            "who drafted after me in each round",
        )
        add("played", _pairs(seats, CARDS), CAP_COPIES, "cards", "cards played by each")
    return table


def features(rules: RuleSet, information: Information = "screen") -> tuple[Feature, ...]:
    """The table of named features of an observation, in order; together they cover it."""
    return tuple(_observation_table(rules, information).features)


def state_features(rules: RuleSet, information: Information = "screen") -> tuple[Feature, ...]:
    """The table for ``env.state()``: the observation of seat 0, then what is hidden."""
    table = _observation_table(rules, information)
    seats = [f"seat {k}" for k in range(rules.players)]
    add = table.add
    add("all_silver", seats, CAP_SILVER, "silver", "silver of every seat")
    add("all_supply", seats, CAP_SUPPLY, "squires", "squires in supply of every seat")
    add(
        "all_hands", _pairs(seats, CARDS), COPIES * rules.players, "cards", "the hand of every seat"
    )
    add("all_pool", CARDS, COPIES, "cards", "the draft pool")
    add(
        "all_events",
        _pairs([f"round {r}" for r in (2, 3, 4)], EVENTS),
        1,
        "flag",
        "all three events",
    )
    add(
        "pile_order",
        [f"card {k}" for k in range(27)],
        NUM_CARD_KINDS,
        "cards",
        "kinds in the pile, top first: 1 + index of the kind; 0 beyond its end",
    )
    return tuple(table.features)


def size_of(table: tuple[Feature, ...]) -> int:
    """Length of the vector that a feature table describes."""
    return table[-1].start + table[-1].size


# --- encoding -------------------------------------------------------------------------------
@kernel
def put(out, place, amount, cap):
    """Write one amount, clipped to 0..cap, as a fraction of its cap."""
    out[place] = np.float32(min(max(amount, 0), cap)) * (np.float32(1.0) / np.float32(cap))


@kernel
def mark(out, place, index):
    """Set a flag of a one-hot run; an index of -1 sets none."""
    if index >= 0:
        out[place + index] = np.float32(1.0)


@kernel
def leader(v, area, offices_known):
    """Who controls an area as things stand; nobody while offices that break the tie are open.

    R7.1; outside of phase 1 this is ``control.controller``.
    """
    best, holder, tied = 0, NO_SEAT, False
    for seat in range(v.players):
        count = v.board[area, seat]
        if count > best:
            best, holder, tied = count, seat, False
        elif count == best and count > 0:
            if offices_known:
                if v.office[seat] < v.office[holder]:
                    holder = seat
            else:
                tied = True
    return NO_SEAT if tied else holder


@kernel
def encode(v, out):
    """Write the observation of a view; returns its length."""
    n = v.players
    first_office = 4 - n
    playing = in_play(v)
    seen = n if v.recall == 1 else 1
    for place in range(out.shape[0]):
        out[place] = np.float32(0.0)
    at = 0
    if v.phase < PHASE_OVER:
        mark(out, at, v.phase)
    at += 17
    mark(out, at, v.to_act)
    at += n
    mark(out, at, v.round - 1)
    at += 5
    put(out, at, v.rounds - v.round, 4)
    at += 1
    for index in range(3):
        if v.round == index + 2:
            mark(out, at, v.events[index])
        elif v.round > index + 2:
            mark(out, at + 4, v.events[index])
    at += 8
    drafting = v.phase == PHASE_DRAFT and v.to_act == 0
    for card in range(NUM_CARD_KINDS):
        put(out, at + card, v.hand[0, card], _COPIES[card])
        if drafting:
            put(out, at + 14 + card, v.pool[card], _COPIES[card])
        put(out, at + 28 + card, v.discards[card], _COPIES[card])
    at += 42
    put(out, at, v.pile_size, CAP_PILE)
    at += 1
    for seat in range(seen):
        put(out, at + seat, v.silver[seat], CAP_SILVER)
        put(out, at + seen + seat, v.squires[seat], CAP_SUPPLY)
    at += 2 * seen
    offices_known = True
    for seat in range(n):
        put(out, at + seat, v.prestige[seat], CAP_PRESTIGE)
        put(out, at + n + seat, v.floors[seat], CAP_FLOORS)
        put(out, at + 2 * n + seat, v.hand_size[seat], CAP_HAND)
        if v.office[seat] >= 0:
            mark(out, at + 3 * n + seat * n, v.office[seat] - first_office)
        else:
            offices_known = False
        if v.last_office[seat] >= 0:
            mark(out, at + 3 * n + n * n + seat * n, v.last_office[seat] - first_office)
    at += 3 * n + 2 * n * n
    if v.auction_office >= 0:
        mark(out, at, v.auction_office - first_office)
    at += n
    if v.bid >= 0:
        mark(out, at, 0)
        put(out, at + 1, v.bid, CAP_SILVER)
    at += 2
    mark(out, at, v.bidder)
    at += n
    mark(out, at, v.opener)
    at += n
    for seat in range(n):
        if v.passed[seat] == 1:
            mark(out, at, seat)
    at += n
    put(out, at, v.baron_used, 1)
    put(out, at + 1, v.hired, CAP_HIRED)
    put(out, at + 2, v.genoa, 1)
    put(out, at + 3, v.marshal_used, 1)
    at += 4

    areas = 0
    for area in range(NUM_AREAS):
        areas += (playing >> area) & 1
    arrivals = at + 3 * areas * n
    totals = arrivals + areas
    sectors = (areas - 1) // 3
    lifted = totals + sectors * n
    index = 0
    for area in range(NUM_AREAS):
        if (playing >> area) & 1 == 0:
            continue
        row = at + index * n
        for seat in range(n):
            if v.board[area, seat] > 0:
                put(out, row + seat, v.board[area, seat], CAP_BOARD)
            if v.baron[seat] == area:
                mark(out, row + 2 * areas * n, seat)
        mark(out, row + areas * n, leader(v, area, offices_known))
        if v.arrivals[area] > 0:
            put(out, arrivals + index, v.arrivals[area], CAP_ARRIVALS)
        if index % 3 == 0 and index < 3 * sectors:
            for seat in range(n):
                total = v.board[area, seat] + v.board[area + 1, seat] + v.board[area + 2, seat]
                put(out, totals + (index // 3) * n + seat, total, CAP_SECTOR)
        if v.lifted_from == area:
            mark(out, lifted, index)
        index += 1
    at = lifted + areas

    mark(out, at, v.source)
    at += NUM_SOURCES
    put(out, at, v.left, CAP_LEFT)
    at += 1
    if v.to_act >= 0:
        for resource in range(3):
            put(out, at + resource, v.may_decline[v.to_act, resource], CAP_UNITS)
    at += 3
    for seat in range(n):
        put(out, at + seat, v.lost[seat], CAP_UNITS)
    at += n
    put(out, at, v.saved, 2)
    at += 1
    for index in range(3):
        put(out, at + index, v.kept[index], CAP_UNITS)
    at += 3
    for seat in range(n):
        put(out, at + seat, v.hits[seat], 2)
    at += n
    if v.recall == 1:
        at = encode_memory(v, out, at)
    return at


@kernel
def encode_memory(v, out, at):
    """The part of the observation that perfect memory adds; returns where it ends."""
    n = v.players
    for past in range(5):
        for card in range(NUM_CARD_KINDS):
            put(out, at + past * NUM_CARD_KINDS + card, v.passed_on[past, card], CAP_COPIES)
    at += 5 * NUM_CARD_KINDS
    for past in range(5):
        for seat in range(1, n):
            if v.office_log[past, 0] >= 0 and v.office_log[past, seat] > v.office_log[past, 0]:
                mark(out, at, past * (n - 1) + seat - 1)
    at += 5 * (n - 1)
    for seat in range(n):
        for card in range(NUM_CARD_KINDS):
            put(out, at + seat * NUM_CARD_KINDS + card, v.played[seat, card], CAP_COPIES)
    return at + n * NUM_CARD_KINDS


@kernel
def encode_state(s, recall, v, out):
    """Write the state vector: the observation of seat 0, then what is hidden; ``v`` is scratch."""
    look(s, 0, recall, v)
    at = encode(v, out)
    n = s.players
    for seat in range(n):
        put(out, at + seat, s.silver[seat], CAP_SILVER)
        put(out, at + n + seat, s.squires[seat], CAP_SUPPLY)
        for card in range(NUM_CARD_KINDS):
            put(
                out,
                at + 2 * n + seat * NUM_CARD_KINDS + card,
                s.hand[seat, card],
                _COPIES[card],
            )
    at += 2 * n + n * NUM_CARD_KINDS
    for card in range(NUM_CARD_KINDS):
        put(out, at + card, s.pool[card], _COPIES[card])
    at += NUM_CARD_KINDS
    for index in range(3):
        mark(out, at + 4 * index, s.events[index])
    at += 12
    for place in range(s.pile_size):
        put(out, at + place, s.pile[s.pile_top + place] + 1, NUM_CARD_KINDS)


@entry_kernel
def encode_views(views, out):
    """Observations (B, F) float32 of (B,) views."""
    for game in range(views.shape[0]):
        encode(views[game], out[game])


@entry_kernel
def observe_games(states, seats, recall, scratch, out):
    """Observations (B, F) of (B,) states by the given seats; -1: the seat to act (0 when over).

    ``scratch`` is one view record.
    """
    for game in range(states.shape[0]):
        seat = seats[game]
        if seat < 0:
            seat = max(states[game].to_act, 0)
        look(states[game], seat, recall, scratch[0])
        encode(scratch[0], out[game])


@entry_kernel
def encode_states(states, recall, scratch, out):
    """State vectors (B, G) of (B,) states; ``scratch`` is one view record."""
    for game in range(states.shape[0]):
        encode_state(states[game], recall, scratch[0], out[game])


def scratch_view() -> np.ndarray:
    """One view record for ``observe_games`` and ``encode_states`` to work in."""
    return np.zeros(1, dtype=STATE)
