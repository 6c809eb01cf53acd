"""A position as JSON (rules VII.e), both ways: complete, with nothing hidden.

``write_position`` reads a state record; ``read_position`` checks a position field by field and
builds the record. The watchdog's count and the memory of drafts are not part of a position: a game
that is read starts them afresh.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import PositionError, RuleSetError
from ..position_reading import Checks, name_or_null, seat_or_null
from .actions import PHASES, RESOURCES, SOURCES
from .engine.layout import (
    PHASE_DISMISS,
    PHASE_DROP,
    PHASE_INCOME,
    PHASE_LIFT,
    PHASE_OVER,
    PHASE_SPECIAL_TAX,
    PHASE_SUCCESSION,
    PHASE_TAKE,
    PHASE_TARGET,
    PHASE_TURN,
    PHASE_WAR,
)
from .engine.state import SWITCHES, blank_states
from .position_checks import check_consistency
from .rules.board import AREAS, INCOME_PRESETS, areas_in_play, preset_table
from .rules.cards import CARDS, copies_in_play
from .rules.events import EVENTS, events_in_play
from .rules.offices import OFFICES, offices_in_play
from .rules.ruleset import MAX_BID, RuleSet

KEYS = (
    "ruleset",
    "round",
    "phase",
    "to_act",
    "events",
    "pile",
    "draft_pool",
    "discards",
    "offices",
    "last_offices",
    "silver",
    "squires",
    "prestige",
    "floors",
    "hands",
    "barons",
    "board",
    "auction",
    "turn",
    "pending",
    "winner",
    "ranking",
)
MAX_AMOUNT = 1_000_000  # silver, squires, prestige and floors a record can hold
MAX_ON_BOARD = 10_000  # squires of one player in one area

_PER_SEAT = ("silver", "squires", "prestige", "floors")
_TURN_PHASES = range(PHASE_TURN, PHASE_TARGET + 1)
_MARKET = AREAS[9:12]


# --- writing --------------------------------------------------------------------------------
def rules_of(state: np.void) -> RuleSet:
    """The rule set held in a state record."""
    table = tuple(tuple(int(x) for x in row) for row in state["income"])
    names = [name for name in INCOME_PRESETS if preset_table(name) == table]
    opener = int(state["first_opener"])
    return RuleSet(
        players=int(state["players"]),
        income=names[0] if names else table,  # type: ignore[arg-type]
        first_opener=None if opener < 0 else opener,
        rounds=int(state["rounds"]),
        **{switch: bool(state[switch]) for switch in SWITCHES},
    )


def _cards(counts: np.ndarray) -> list[str]:
    return sorted(card for card, count in zip(CARDS, counts, strict=True) for _ in range(count))


def write_position(state: np.void) -> dict[str, Any]:
    """The position of a full state record, as JSON-able values with the keys of VII.e in order."""
    rules = rules_of(state)
    n = rules.players
    playing = areas_in_play(n)
    top, size = int(state["pile_top"]), int(state["pile_size"])
    over = state["phase"] == PHASE_OVER
    return {
        "ruleset": rules.to_dict(),
        "round": int(state["round"]),
        "phase": PHASES[state["phase"]],
        "to_act": seat_or_null(state["to_act"]),
        "events": [EVENTS[event] for event in state["events"]],
        "pile": [CARDS[card] for card in state["pile"][top : top + size]],
        "draft_pool": _cards(state["pool"]),
        "discards": _cards(state["discards"]),
        "offices": [name_or_null(OFFICES, office) for office in state["office"][:n]],
        "last_offices": [name_or_null(OFFICES, office) for office in state["last_office"][:n]],
        **{name: [int(x) for x in state[name][:n]] for name in _PER_SEAT},
        "hands": [_cards(hand) for hand in state["hand"][:n]],
        "barons": [name_or_null(AREAS, area) for area in state["baron"][:n]],
        "board": {AREAS[a]: [int(x) for x in state["board"][:n, a]] for a in playing},
        "auction": {
            "opener": int(state["opener"]),
            "office": name_or_null(OFFICES, state["auction_office"]),
            "bid": seat_or_null(state["bid"]),
            "bidder": seat_or_null(state["bidder"]),
            "passed": [bool(x) for x in state["passed"][:n]],
        },
        "turn": {
            "arrivals": {AREAS[a]: int(state["arrivals"][a]) for a in playing},
            "baron_used": bool(state["baron_used"]),
            "hired": int(state["hired"]),
            "genoa": bool(state["genoa"]),
            "marshal_used": bool(state["marshal_used"]),
        },
        "pending": _write_pending(state, n),
        "winner": seat_or_null(state["winner"]),
        "ranking": [int(x) for x in state["ranking"][:n]] if over else None,
    }


def _write_pending(state: np.void, n: int) -> dict[str, Any]:
    phase = state["phase"]
    if phase in (PHASE_DISMISS, PHASE_TAKE):
        return {"source": SOURCES[state["source"]], "left": int(state["left"])}
    if phase in (PHASE_LIFT, PHASE_DROP, PHASE_TARGET):
        return {
            "source": SOURCES[state["source"]],
            "left": int(state["left"]),
            "from": name_or_null(AREAS, state["lifted_from"]),
        }
    if phase == PHASE_INCOME:
        return {
            "may_decline": [
                {
                    name: int(x)
                    for name, x in zip(RESOURCES, state["may_decline"][seat], strict=True)
                }
                for seat in range(n)
            ]
        }
    if phase == PHASE_SUCCESSION:
        return {"lost": [int(x) for x in state["lost"][:n]], "saved": int(state["saved"])}
    if phase == PHASE_SPECIAL_TAX:
        return {"kept": {area: int(x) for area, x in zip(_MARKET, state["kept"], strict=True)}}
    if phase == PHASE_WAR:
        return {"left": int(state["left"]), "hits": [int(x) for x in state["hits"][:n]]}
    return {}


# --- reading --------------------------------------------------------------------------------
def read_position(position: Mapping[str, Any]) -> np.ndarray:
    """The state of a position, as an array of one record.

    Raises
    ------
    PositionError
        If the position breaks a rule of the format or an invariant; the message names the field.
        Also above what a record holds: 1,000,000 of silver, squires, prestige or floors, 10,000
        squires of one player in one area.
    """
    check = Checks()
    check.keys("position", position, KEYS)
    try:
        rules = RuleSet.from_dict(position["ruleset"])
    except RuleSetError as error:
        raise PositionError(f"ruleset: {error}") from None
    states = blank_states(1, rules)
    state = states[0]
    _read_flow(check, position, rules, state)
    _read_cards(check, position, rules, state)
    _read_seats(check, position, rules, state)
    _read_board(check, position, rules, state)
    _read_auction(check, position["auction"], rules, state)
    _read_turn(check, position["turn"], rules, state)
    _read_pending(check, position["pending"], rules, state)
    _read_result(check, position, rules, state)
    check_consistency(state)
    _restore_memory(state)
    return states


def _read_flow(check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void) -> None:
    state["round"] = check.integer("round", position["round"], 1, rules.rounds)
    state["phase"] = check.name("phase", position["phase"], PHASES)
    over = state["phase"] == PHASE_OVER
    if over != (position["to_act"] is None):
        expected = "null when the game is over" if over else "a seat: the game is not over"
        raise PositionError(f"to_act: must be {expected}, got {position['to_act']!r}")
    if not over:
        state["to_act"] = check.integer("to_act", position["to_act"], 0, rules.players - 1)
    allowed = tuple(EVENTS[event] for event in events_in_play(rules.players))
    events = check.list_of("events", position["events"], 3)
    for slot, event in enumerate(events):
        check.name(f"events[{slot}]", event, allowed)
        state["events"][slot] = EVENTS.index(event)
    if len(set(events)) != 3:
        raise PositionError(f"events: must be three different ones, got {events!r}")


def _read_cards(check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void) -> None:
    n = rules.players
    copies = copies_in_play(n)
    allowed = tuple(card for card, count in zip(CARDS, copies, strict=True) if count)
    total = np.zeros(len(CARDS), dtype=np.int64)

    def counts(field: str, cards: Any) -> np.ndarray:
        found = np.zeros(len(CARDS), dtype=np.int64)
        for place, card in enumerate(check.list_of(field, cards, None)):
            check.name(f"{field}[{place}]", card, allowed)
            found[CARDS.index(card)] += 1
        total[:] += found
        return found

    pile = counts("pile", position["pile"])
    pool = counts("draft_pool", position["draft_pool"])
    discards = counts("discards", position["discards"])
    hands = [
        counts(f"hands[{seat}]", hand)
        for seat, hand in enumerate(check.list_of("hands", position["hands"], n))
    ]
    for card, expected in enumerate(copies):
        if total[card] != expected:
            raise PositionError(
                f"pile, draft_pool, discards, hands: together they must be the deck; "
                f"{CARDS[card]} occurs {total[card]} times instead of {expected}"
            )
    size = int(pile.sum())
    state["pile_top"] = sum(copies) - size
    state["pile_size"] = size
    for place, card in enumerate(position["pile"]):
        state["pile"][state["pile_top"] + place] = CARDS.index(card)
    state["pool"] = pool
    state["pool_size"] = pool.sum()
    state["discards"] = discards
    for seat, hand in enumerate(hands):
        state["hand"][seat] = hand
        state["hand_size"][seat] = hand.sum()


def _read_seats(check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void) -> None:
    n = rules.players
    offices = tuple(OFFICES[office] for office in offices_in_play(n))
    for key, field in (("offices", "office"), ("last_offices", "last_office")):
        held = check.list_of(key, position[key], n)
        for seat, office in enumerate(held):
            if office is not None:
                check.name(f"{key}[{seat}]", office, offices)
                state[field][seat] = OFFICES.index(office)
        named = [office for office in held if office is not None]
        if len(set(named)) != len(named):
            raise PositionError(f"{key}: an office is held twice, got {held!r}")
    for seat in range(n):
        if state["office"][seat] >= 0:
            state["seat_of_office"][state["office"][seat]] = seat
    for key in _PER_SEAT:
        for seat, amount in enumerate(check.list_of(key, position[key], n)):
            state[key][seat] = check.integer(f"{key}[{seat}]", amount, 0, MAX_AMOUNT)
        state[key][n:] = 0


def _read_board(check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void) -> None:
    n = rules.players
    areas = tuple(AREAS[area] for area in areas_in_play(n))
    check.keys("board", position["board"], areas)
    for area in areas:
        for seat, count in enumerate(check.list_of(f"board.{area}", position["board"][area], n)):
            value = check.integer(f"board.{area}[{seat}]", count, 0, MAX_ON_BOARD)
            state["board"][seat, AREAS.index(area)] = value
    for seat, place in enumerate(check.list_of("barons", position["barons"], n)):
        if place is not None:
            check.name(f"barons[{seat}]", place, areas)
            state["baron"][seat] = AREAS.index(place)
    standing = [place for place in position["barons"] if place is not None]
    if len(set(standing)) != len(standing):
        raise PositionError(f"barons: two stand in one area (A19), got {position['barons']!r}")


def _read_auction(check: Checks, auction: Any, rules: RuleSet, state: np.void) -> None:
    n = rules.players
    check.keys("auction", auction, ("opener", "office", "bid", "bidder", "passed"))
    state["opener"] = check.integer("auction.opener", auction["opener"], 0, n - 1)
    if auction["office"] is not None:
        offices = tuple(OFFICES[office] for office in offices_in_play(n))
        check.name("auction.office", auction["office"], offices)
        state["auction_office"] = OFFICES.index(auction["office"])
    if auction["bid"] is not None:
        state["bid"] = check.integer("auction.bid", auction["bid"], 0, MAX_BID)
    if auction["bidder"] is not None:
        state["bidder"] = check.integer("auction.bidder", auction["bidder"], 0, n - 1)
    for seat, passed in enumerate(check.list_of("auction.passed", auction["passed"], n)):
        state["passed"][seat] = check.boolean(f"auction.passed[{seat}]", passed)


def _read_turn(check: Checks, turn: Any, rules: RuleSet, state: np.void) -> None:
    keys = ("arrivals", "baron_used", "hired", "genoa", "marshal_used")
    check.keys("turn", turn, keys)
    areas = tuple(AREAS[area] for area in areas_in_play(rules.players))
    check.keys("turn.arrivals", turn["arrivals"], areas)
    for area in areas:
        count = check.integer(f"turn.arrivals.{area}", turn["arrivals"][area], 0, MAX_ON_BOARD)
        state["arrivals"][AREAS.index(area)] = count
    state["hired"] = check.integer("turn.hired", turn["hired"], 0, MAX_ON_BOARD)
    for key in ("baron_used", "genoa", "marshal_used"):
        state[key] = check.boolean(f"turn.{key}", turn[key])
    if state["phase"] not in _TURN_PHASES:
        for key in keys[1:]:
            if state[key]:
                raise PositionError(
                    f"turn.{key}: must be {'0' if key == 'hired' else 'false'} outside a player's "
                    f"turn, got {turn[key]!r} in phase {PHASES[state['phase']]}"
                )
        if state["arrivals"].any():
            raise PositionError(
                f"turn.arrivals: must all be 0 outside a player's turn, got {turn['arrivals']!r}"
            )


def _read_pending(check: Checks, pending: Any, rules: RuleSet, state: np.void) -> None:
    n, phase = rules.players, int(state["phase"])
    if phase in (PHASE_DISMISS, PHASE_TAKE):
        check.keys("pending", pending, ("source", "left"))
        _read_subflow(check, pending, phase, state)
    elif phase in (PHASE_LIFT, PHASE_DROP, PHASE_TARGET):
        check.keys("pending", pending, ("source", "left", "from"))
        _read_subflow(check, pending, phase, state)
        if pending["from"] is not None:
            areas = tuple(AREAS[area] for area in areas_in_play(n))
            check.name("pending.from", pending["from"], areas)
            state["lifted_from"] = AREAS.index(pending["from"])
    elif phase == PHASE_INCOME:
        check.keys("pending", pending, ("may_decline",))
        for seat, units in enumerate(
            check.list_of("pending.may_decline", pending["may_decline"], n)
        ):
            field = f"pending.may_decline[{seat}]"
            check.keys(field, units, RESOURCES)
            for index, name in enumerate(RESOURCES):
                value = check.integer(f"{field}.{name}", units[name], 0, MAX_AMOUNT)
                state["may_decline"][seat, index] = value
    elif phase == PHASE_SUCCESSION:
        check.keys("pending", pending, ("lost", "saved"))
        for seat, lost in enumerate(check.list_of("pending.lost", pending["lost"], n)):
            value = check.integer(f"pending.lost[{seat}]", lost, 0, 3 * MAX_ON_BOARD)
            state["lost"][seat] = value
        state["saved"] = check.integer("pending.saved", pending["saved"], 0, 1)
    elif phase == PHASE_SPECIAL_TAX:
        check.keys("pending", pending, ("kept",))
        check.keys("pending.kept", pending["kept"], _MARKET)
        for index, area in enumerate(_MARKET):
            value = check.integer(f"pending.kept.{area}", pending["kept"][area], 0, MAX_ON_BOARD)
            state["kept"][index] = value
    elif phase == PHASE_WAR:
        check.keys("pending", pending, ("left", "hits"))
        state["left"] = check.integer("pending.left", pending["left"], 1, 3 * MAX_ON_BOARD)
        for seat, hits in enumerate(check.list_of("pending.hits", pending["hits"], n)):
            state["hits"][seat] = check.integer(f"pending.hits[{seat}]", hits, 0, 2)
    else:
        check.keys("pending", pending, ())


def _read_subflow(check: Checks, pending: Any, phase: int, state: np.void) -> None:
    moves = ("marshal", "move_2")
    allowed = {
        PHASE_DISMISS: ("dismiss",),
        PHASE_TAKE: ("resources_2",),
        PHASE_LIFT: (*moves, "defector"),
        PHASE_DROP: (*moves, *SOURCES[5:]),
        PHASE_TARGET: ("defector",),
    }[phase]
    check.name("pending.source", pending["source"], allowed)
    most = 1 if pending["source"] == "defector" else 2
    state["source"] = SOURCES.index(pending["source"])
    state["left"] = check.integer("pending.left", pending["left"], 1, most)


def _read_result(
    check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void
) -> None:
    n = rules.players
    if state["phase"] != PHASE_OVER:
        for key in ("winner", "ranking"):
            if position[key] is not None:
                raise PositionError(
                    f"{key}: must be null until the game is over, got {position[key]!r}"
                )
        return
    state["winner"] = check.integer("winner", position["winner"], 0, n - 1)
    for place, seat in enumerate(check.list_of("ranking", position["ranking"], n)):
        state["ranking"][place] = check.integer(f"ranking[{place}]", seat, 0, n - 1)


def _restore_memory(state: np.void) -> None:
    """What recall knows from the position itself: the offices of this round and the last."""
    n, this_round = int(state["players"]), int(state["round"]) - 1
    if (state["office"][:n] >= 0).all():
        state["office_log"][this_round, :n] = state["office"][:n]
    if this_round > 0:
        state["office_log"][this_round - 1, :n] = state["last_office"][:n]
