"""Checks of a position that has been read (VII.e): phase by phase, whether it hangs together."""

from __future__ import annotations

import numpy as np

from ..errors import PositionError
from .actions import PHASES
from .engine.layout import (
    PHASE_BID,
    PHASE_DAVIDS_TOWER,
    PHASE_DISMISS,
    PHASE_DRAFT,
    PHASE_DROP,
    PHASE_INCOME,
    PHASE_LIFT,
    PHASE_MARKET,
    PHASE_NOBILITY,
    PHASE_OPEN,
    PHASE_OVER,
    PHASE_PATRIARCHATE,
    PHASE_SPECIAL_TAX,
    PHASE_SUCCESSION,
    PHASE_TARGET,
    PHASE_TURN,
    PHASE_WAR,
    SOURCE_DEFECTOR,
    SOURCE_INFLUENCE,
    SOURCE_MARSHAL,
    SOURCE_MOVE_2,
)
from .rules.board import (
    AREA_SECTOR,
    AREAS,
    DAVIDS_TOWER,
    MARKET,
    NOBILITY,
    PATRIARCHATE,
    TEMPLARS,
    areas_in_play,
)
from .rules.events import EVENTS, SPECIAL_TAX, SUCCESSION, WAR
from .rules.offices import MARSHAL, OFFICES

_TURN_PHASES = range(PHASE_TURN, PHASE_TARGET + 1)
_EVENT_OF_PHASE = {PHASE_SUCCESSION: SUCCESSION, PHASE_SPECIAL_TAX: SPECIAL_TAX, PHASE_WAR: WAR}


def check_consistency(state: np.void) -> None:
    """Refuse a to_act, auction, turn or pending that contradicts the phase (VII.e)."""
    phase = int(state["phase"])
    _check_offices(state, phase)
    _check_barons(state, phase)
    _check_pool(state, phase)
    if phase == PHASE_OPEN:
        _check_open(state)
    elif phase == PHASE_BID:
        _check_bid(state)
    else:
        _check_no_auction(state, phase)
    if phase in _TURN_PHASES:
        _check_subflow(state, phase)
    elif PHASE_DAVIDS_TOWER <= phase <= PHASE_NOBILITY:
        _check_phase_3(state, phase)
    elif phase == PHASE_INCOME:
        _check_income(state)
    elif phase in _EVENT_OF_PHASE:
        _check_event(state, phase)
    elif phase == PHASE_OVER:
        _check_over(state)


def _seats(state: np.void) -> range:
    return range(int(state["players"]))


def _order(state: np.void) -> list[int]:
    """Seats in player order (R3.4); only with all offices held."""
    return sorted(_seats(state), key=lambda seat: int(state["office"][seat]))


def _most(state: np.void, counts: list[int]) -> int | None:
    """Seat with the most, ties to the lowest office, None if all have none (R7.1, R12.3)."""
    best = max(counts)
    if best == 0:
        return None
    return next(seat for seat in _order(state) if counts[seat] == best)


def _check_offices(state: np.void, phase: int) -> None:
    n = int(state["players"])
    held = int((state["office"][:n] >= 0).sum())
    if phase in (PHASE_OPEN, PHASE_BID):
        if held > n - 2:
            raise PositionError(
                f"offices: at least two players are without an office while offices are auctioned, "
                f"got {held} of {n} held"
            )
    elif held != n:
        raise PositionError(
            f"offices: every player holds one after the auction (I4), got {held} of {n} in phase "
            f"{PHASES[phase]}"
        )
    last = int((state["last_office"][:n] >= 0).sum())
    expected = 0 if state["round"] == 1 else n
    if last != expected:
        what = "null for all in round 1" if expected == 0 else "held by every player from round 2"
        raise PositionError(f"last_offices: must be {what}, got {last} of {n} held")


def _check_barons(state: np.void, phase: int) -> None:
    if phase <= PHASE_DRAFT:
        for seat in _seats(state):
            if state["baron"][seat] >= 0:
                raise PositionError(f"barons[{seat}]: none is on the board in phase 1 (I6)")
    elif phase in _TURN_PHASES:
        for seat in _seats(state):
            still_to_come = state["office"][seat] > state["office"][state["to_act"]]
            if state["baron"][seat] >= 0 and still_to_come:
                raise PositionError(
                    f"barons[{seat}]: seat {seat}'s turn is still to come, so it has no baron yet"
                )


def _check_pool(state: np.void, phase: int) -> None:
    n = int(state["players"])
    if phase <= PHASE_BID:
        expected = n  # R4.1
    elif phase == PHASE_DRAFT:
        place = _order(state).index(int(state["to_act"]))
        if place == n - 1:
            raise PositionError("to_act: the last in player order gets the last card unasked (A11)")
        expected = n - place  # R5.1
    else:
        expected = 0
    size = int(state["pool_size"])
    # A12: in play the pile never runs out, but in a hand-written position it may have.
    ran_out = state["pile_size"] == 0 and size < expected and (size > 0 or phase != PHASE_DRAFT)
    if size != expected and not ran_out:
        raise PositionError(f"draft_pool: must hold {expected} cards here, got {size}")


def _check_no_auction(state: np.void, phase: int) -> None:
    for key, field in (("office", "auction_office"), ("bid", "bid"), ("bidder", "bidder")):
        if state[field] >= 0:
            raise PositionError(f"auction.{key}: must be null in phase {PHASES[phase]}")
    if state["passed"].any():
        raise PositionError(f"auction.passed: must all be false in phase {PHASES[phase]}")


def _check_open(state: np.void) -> None:
    _check_no_auction(state, PHASE_OPEN)
    if state["office"][state["to_act"]] >= 0:
        raise PositionError(f"to_act: seat {state['to_act']} already holds an office (R4.8)")
    if state["opener"] != state["to_act"]:
        raise PositionError(
            f"auction.opener: is the seat that opens, {state['to_act']}, got {state['opener']}"
        )


def _check_bid(state: np.void) -> None:
    to_act, opener, bidder = (int(state[key]) for key in ("to_act", "opener", "bidder"))
    if state["auction_office"] < 0:
        raise PositionError("auction.office: an office is up for auction in phase bid, got null")
    if state["seat_of_office"][state["auction_office"]] >= 0:
        raise PositionError(
            f"auction.office: {OFFICES[state['auction_office']]} is already held, see offices"
        )
    for seat in _seats(state):
        if state["passed"][seat] and state["office"][seat] >= 0:
            raise PositionError(f"auction.passed[{seat}]: is false for who holds an office")
    for field, seat in (("to_act", to_act), ("auction.opener", opener), ("auction.bidder", bidder)):
        if seat >= 0 and state["office"][seat] >= 0:
            raise PositionError(f"{field}: seat {seat} already holds an office (R4.8)")
    if (state["bid"] < 0) != (bidder < 0):
        raise PositionError("auction.bid, auction.bidder: both are null, or neither is")
    if bidder < 0:
        if to_act != opener:
            raise PositionError(f"to_act: the opener, seat {opener}, bids first, got {to_act}")
        if state["passed"].any():
            raise PositionError("auction.passed: nobody has passed before the opening bid")
        return
    if state["passed"][bidder]:
        raise PositionError(f"auction.passed[{bidder}]: is false for the high bidder")
    if state["silver"][bidder] < state["bid"]:
        raise PositionError(
            f"auction.bid: the bidder, seat {bidder}, owns only {state['silver'][bidder]} silver"
        )
    n = int(state["players"])
    for step in range(1, n):
        seat = (bidder + step) % n
        if state["office"][seat] < 0 and not state["passed"][seat]:
            if seat != to_act:
                raise PositionError(
                    f"to_act: seat {seat} is the next after the bidder who may bid, got {to_act}"
                )
            return
    raise PositionError("auction.passed: all others have passed, so the auction would be over")


def _enterable(state: np.void) -> list[int]:
    return [a for a in areas_in_play(int(state["players"])) if a not in state["baron"]]


def _check_subflow(state: np.void, phase: int) -> None:
    seat, source = int(state["to_act"]), int(state["source"])
    free = _enterable(state)
    own = [int(x) for x in state["board"][seat]]
    origin = int(state["lifted_from"])
    if source == SOURCE_MARSHAL and state["office"][seat] != MARSHAL:
        raise PositionError(f"pending.source: seat {seat} is not the marshal")
    if source == SOURCE_MARSHAL and not state["marshal_used"]:
        raise PositionError("turn.marshal_used: is true once `marshal move` has begun")
    if phase == PHASE_DISMISS and sum(own[a] for a in free) < state["left"]:
        raise PositionError("pending.left: fewer own squires can be dismissed (R8.7)")
    if phase in (PHASE_LIFT, PHASE_DROP, PHASE_TARGET):
        needs_origin = phase != PHASE_LIFT and source < SOURCE_INFLUENCE
        if needs_origin != (origin >= 0):
            expected = "the area of the lifted squire" if needs_origin else "null"
            raise PositionError(f"pending.from: must be {expected} in phase {PHASES[phase]}")
        if origin >= 0 and own[origin] == 0:
            raise PositionError(f"pending.from: seat {seat} has no squire in {AREAS[origin]}")
        may_leave = source == SOURCE_MOVE_2 and bool(state["move_card_may_leave_blocked"])
        if origin >= 0 and origin not in free and not may_leave:
            raise PositionError(f"pending.from: a baron stands in {AREAS[origin]} (R8.6)")
        if not _subflow_goes_on(state, phase, source, free, own, may_leave):
            raise PositionError(f"pending: no action would be legal in phase {PHASES[phase]}")


def _subflow_goes_on(
    state: np.void, phase: int, source: int, free: list[int], own: list[int], may_leave: bool
) -> bool:
    """Whether the seat to act has a lift, drop or target to choose."""
    seat, origin = int(state["to_act"]), int(state["lifted_from"])
    if source >= SOURCE_INFLUENCE:
        sector = source - SOURCE_INFLUENCE
        areas = areas_in_play(int(state["players"]))
        ignores = bool(state["influence_ignores_baron"])
        return any(AREA_SECTOR[a] == sector and (ignores or a in free) for a in areas)
    targets = free
    if source == SOURCE_DEFECTOR:
        targets = [a for a in free if int(state["board"][:, a].sum()) > own[a]]
    if phase == PHASE_LIFT:
        passable = state["left"] == 1 and source != SOURCE_DEFECTOR
        lifts = range(16) if may_leave else free
        return passable or any(own[a] > 0 and any(b != a for b in targets) for a in lifts)
    return any(area != origin for area in targets) and seat >= 0


def _check_phase_3(state: np.void, phase: int) -> None:
    """The seat to act holds the Tower or the privilege, and can use it (VII.c 5, 6)."""
    to_act = int(state["to_act"])
    board = state["board"]
    if phase == PHASE_DAVIDS_TOWER:
        holder = _most(state, [int(board[seat, DAVIDS_TOWER]) for seat in _seats(state)])
        others = [area for area in _enterable(state) if area != DAVIDS_TOWER]
        usable = DAVIDS_TOWER not in state["baron"] and bool(others)
    else:
        sector = {
            PHASE_PATRIARCHATE: PATRIARCHATE,
            PHASE_MARKET: MARKET,
            PHASE_NOBILITY: NOBILITY,
        }[phase]
        rows = board[:, 3 * sector : 3 * sector + 3]
        holder = _most(state, [int(rows[seat].sum()) for seat in _seats(state)])
        usable = True
        if phase == PHASE_PATRIARCHATE:
            usable = state["squires"][to_act] > 0 and state["pile_size"] > 0
        elif phase == PHASE_MARKET:
            usable = state["silver"][to_act] >= 2
    if holder != to_act:
        raise PositionError(
            f"to_act: in phase {PHASES[phase]} the board gives the decision to seat {holder}, "
            f"got {to_act}"
        )
    if not usable:
        raise PositionError(f"phase: {PHASES[phase]} would not be asked of seat {to_act} here")


def _check_income(state: np.void) -> None:
    if not state["decline_income"]:
        raise PositionError("phase: income is decided only with the switch decline_income")
    for seat in _seats(state):
        for index, key in enumerate(("squires", "silver", "prestige")):
            if state["may_decline"][seat, index] > state[key][seat]:
                raise PositionError(
                    f"pending.may_decline[{seat}]: more than seat {seat} owns, see {key}[{seat}]"
                )
    if not state["may_decline"][state["to_act"]].any():
        raise PositionError(f"to_act: seat {state['to_act']} has no income left to decline")


def _check_event(state: np.void, phase: int) -> None:
    this_round, to_act = int(state["round"]), int(state["to_act"])
    if not 2 <= this_round <= 4 or this_round == state["rounds"]:
        raise PositionError(f"phase: no event is carried out in round {this_round}")
    event = int(state["events"][this_round - 2])
    if event != _EVENT_OF_PHASE[phase]:
        raise PositionError(
            f"phase: {PHASES[phase]} contradicts events; {EVENTS[event]} lies over round "
            f"{this_round}"
        )
    board = state["board"]
    if phase == PHASE_SUCCESSION:
        _check_succession(state)
    elif phase == PHASE_SPECIAL_TAX:
        market = [int(x) for x in board[to_act, 3 * MARKET : 3 * MARKET + 3]]
        kept = [int(x) for x in state["kept"]]
        for index in range(3):
            if kept[index] > market[index]:
                raise PositionError(
                    f"pending.kept.{AREAS[3 * MARKET + index]}: more than the {market[index]} "
                    "squires there"
                )
        if kept == market or state["silver"][to_act] == 0:
            raise PositionError(f"to_act: seat {to_act} can keep no more, so it is not asked")
    else:
        if board[to_act, 3 * TEMPLARS : 3 * TEMPLARS + 3].any():
            raise PositionError(
                f"board: seat {to_act}'s Templars squires have left before it decides in war"
            )
        if state["hits"][to_act]:
            raise PositionError(f"pending.hits[{to_act}]: a player does not hit himself")
        areas = [
            a
            for a in areas_in_play(int(state["players"]))
            if state["war_may_hit_templars"] or AREA_SECTOR[a] != TEMPLARS
        ]
        if not any(
            seat != to_act and state["hits"][seat] < 2 and board[seat, areas].any()
            for seat in _seats(state)
        ):
            raise PositionError("pending: no squire may be removed, so war asks nobody")


def _check_succession(state: np.void) -> None:
    to_act = int(state["to_act"])
    if state["baron"][to_act] < 0:
        raise PositionError(f"to_act: seat {to_act} has no baron on the board (R15.2)")
    if state["saved"] >= min(2, int(state["lost"][to_act])):
        raise PositionError(f"pending: seat {to_act} has no Palace squire left to save")
    if state["board"][to_act, state["baron"][to_act]] < state["saved"]:
        raise PositionError("pending.saved: more than the squires in the area of the baron")
    for seat in _seats(state):
        earlier = state["office"][seat] < state["office"][to_act]
        rescued = int(state["saved"]) if seat == to_act else 2 if earlier else 0
        for area in range(3):
            allowed = rescued if state["baron"][seat] == area else 0
            if state["board"][seat, area] > allowed:
                raise PositionError(
                    f"board.{AREAS[area]}[{seat}]: all Palace squires have left before succession "
                    "is decided"
                )


def _check_over(state: np.void) -> None:
    if state["round"] != state["rounds"]:
        raise PositionError(f"round: the game is over after round {int(state['rounds'])}")

    def place(seat: int) -> tuple[int, int, int]:
        return (
            -int(state["floors"][seat]),
            -int(state["prestige"][seat]),
            int(state["office"][seat]),
        )

    expected = sorted(_seats(state), key=place)  # R16.1
    if [int(x) for x in state["ranking"][: len(expected)]] != expected:
        raise PositionError(f"ranking: by R16.1 it is {expected}")
    if state["winner"] != expected[0]:
        raise PositionError(f"winner: by R16.1 it is seat {expected[0]}")
