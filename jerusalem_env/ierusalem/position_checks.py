"""Checks of a position that has been read (VII.e): the invariants of VI.a, and whether it goes on.

What is checked are the invariants of a single position, not whether play leads to it: amounts,
points, hands and places of followers may be such as no game has seen, and what the rule set fixes
for set-up alone (colours, symbols, start player) may have become something else.
"""

from __future__ import annotations

import numpy as np

from ..bits import new_words
from ..compiled.batch import batch_entries
from ..errors import PositionError
from .actions import PHASES, STAGES
from .compiled import IERUSALEM
from .engine.layout import (
    NEUTRAL,
    NUM_ACTIONS,
    PHASE_APOSTLE,
    PHASE_ARRANGE,
    PHASE_CALL,
    PHASE_CHANGE_TO,
    PHASE_COLUMN,
    PHASE_EXCESS,
    PHASE_FROM,
    PHASE_GIVE,
    PHASE_ILLUMINATE,
    PHASE_MARKET,
    PHASE_ORANGE,
    PHASE_OVER,
    PHASE_OVERFLOW,
    PHASE_PLAY,
    PHASE_PURCHASE,
    PHASE_REDISTRIBUTE,
    PHASE_SEAT,
    PHASE_SETTLE,
    PHASE_SUPPER,
    PHASE_SWAP_WITH,
    PHASE_VISIT,
    SOURCE_FAVORS,
    STAGE_OVER,
    STAGE_PLAY,
    STAGE_PURCHASE,
    STAGE_REFILL,
    STAGE_SETTLE,
    STAGE_VISIT,
    TRADED_NONE,
    TRADED_SOLD,
)
from .rules import codes
from .rules.box import Box
from .rules.names import (
    APOSTLES,
    AREAS,
    COLOURS,
    FIRST_MAHANE,
    FIRST_XXXIII,
    LOCATIONS,
    NUM_KINDS,
    SEATS,
    SPACES,
)

_FOLLOWERS = 15  # R1.1
_SUB_FLOWS = range(PHASE_MARKET, PHASE_ARRANGE + 1)  # what cards, visits and effects may ask
_PHASES_OF_STAGE: dict[int, tuple[int, ...]] = {
    STAGE_SETTLE: (PHASE_SETTLE,),
    STAGE_PLAY: (PHASE_PLAY, PHASE_COLUMN, PHASE_ILLUMINATE, PHASE_ORANGE, *_SUB_FLOWS),
    STAGE_VISIT: (PHASE_VISIT, PHASE_APOSTLE, PHASE_SEAT, *_SUB_FLOWS),
    STAGE_PURCHASE: (PHASE_PURCHASE,),
    STAGE_REFILL: (PHASE_EXCESS, PHASE_OVERFLOW),
    STAGE_OVER: (PHASE_OVER,),
}
# Phases whose pending steps follow from the phase alone, next first.
_STEPS_OF_PHASE: dict[int, tuple[int, ...]] = {
    PHASE_PLAY: (),
    PHASE_COLUMN: (),
    PHASE_ILLUMINATE: (),
    PHASE_ORANGE: (),
    PHASE_VISIT: (),
    PHASE_PURCHASE: (),
    PHASE_EXCESS: (codes.STEP_REFILL, codes.STEP_OVERFLOW, codes.STEP_END),
    PHASE_OVERFLOW: (codes.STEP_END,),
    PHASE_OVER: (),
}
# Steps that belong to one stage; the others (actions, effects, ...) occur in two.
_OTHER_STAGES = (
    *range(codes.STEP_SETTLE, codes.STEP_SETTLE + 4),
    *(codes.STEP_EXCESS, codes.STEP_REFILL, codes.STEP_OVERFLOW, codes.STEP_END),
)


def final_ranks(state: np.void) -> list[int]:
    """Rank of each seat at the end: 1 is best, ties share (R18.6, A49)."""
    n = int(state["players"])
    merits = [
        tuple(int(state[field][seat]) for field in ("points", "illumination", "favors_done"))
        for seat in range(n)
    ]
    return [1 + sum(other > own for other in merits) for own in merits]


def check_consistency(state: np.void, box: Box) -> None:
    """Refuse a position that breaks an invariant or contradicts itself (VI.a).

    Raises
    ------
    PositionError
        Naming the field.
    """
    _check_flow(state)
    _check_steps(state)
    _check_followers(state)
    _check_cards(state, box)
    _check_apostles(state)
    _check_progress(state)
    _check_favors(state)
    _check_visit(state)
    _check_choice(state, box)
    _check_room(state)


def check_goes_on(states: np.ndarray) -> None:
    """Refuse an array of one state whose decision has no legal action.

    Raises
    ------
    PositionError
        Naming the phase.
    """
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.uint8)
    batch_entries(IERUSALEM).legal_games(states, new_words(1, NUM_ACTIONS)[0], masks)
    phase = int(states["phase"][0])
    if phase != PHASE_OVER and not masks.any():
        raise PositionError(
            f"phase: in phase {PHASES[phase]} seat {int(states['to_act'][0])} has no legal action"
        )


def _seats(state: np.void) -> range:
    return range(int(state["players"]))


def _at_supper(state: np.void, seat: int) -> int:
    return int(state["supper"][seat]).bit_count()


# --- whose decision it is ----------------------------------------------------------------------
def _check_flow(state: np.void) -> None:
    n, stage, phase = int(state["players"]), int(state["stage"]), int(state["phase"])
    if phase not in _PHASES_OF_STAGE[stage]:
        allowed = ", ".join(PHASES[p] for p in _PHASES_OF_STAGE[stage])
        raise PositionError(
            f"phase: must be one of {allowed} in stage {STAGES[stage]}, got {PHASES[phase]}"
        )
    if (stage == STAGE_SETTLE) != (state["turns"] == 0):
        expected = "0 in set-up" if stage == STAGE_SETTLE else "1 or more after set-up"
        raise PositionError(f"turns: must be {expected}, got {int(state['turns'])}")
    if phase in (PHASE_SETTLE, PHASE_OVER):
        return
    to_act, turn = int(state["to_act"]), int(state["turn"])
    received = phase == PHASE_CALL and state["must"]  # A38
    if received and to_act == turn:
        raise PositionError(
            f"choice.must: only a receiver must call (A38), and it is seat {turn}'s turn"
        )
    if not received and to_act != turn:
        raise PositionError(
            f"to_act: must be the active player, seat {turn} (I15), got {to_act} of {n} seats"
        )


def _check_steps(state: np.void) -> None:
    n, stage, phase = int(state["players"]), int(state["stage"]), int(state["phase"])
    steps = [int(step) for step in state["steps"][: state["num_steps"]]][::-1]  # next first
    if phase == PHASE_SETTLE:
        done = (int(state["to_act"]) - int(state["start"])) % n
        order = [(int(state["start"]) + k) % n for k in range(done + 1, n)]
        if steps != [codes.STEP_SETTLE + seat for seat in order]:
            names = [f"settle {seat}" for seat in order]
            raise PositionError(
                f"steps: seats settle clockwise from start, so after seat {int(state['to_act'])} "
                f"they must be {names}"
            )
        return
    if phase in _STEPS_OF_PHASE:
        if steps != list(_STEPS_OF_PHASE[phase]):
            expected = {0: "empty", 1: "end alone", 3: "refill, overflow, end"}[
                len(_STEPS_OF_PHASE[phase])
            ]
            raise PositionError(f"steps: must be {expected} in phase {PHASES[phase]}")
        return
    for place, step in enumerate(steps):
        if step in _OTHER_STAGES:
            raise PositionError(f"steps[{place}]: does not occur in stage {STAGES[stage]}")
        if codes.STEP_SCORE <= step < codes.STEP_SCORE + len(SEATS):
            seat = step - codes.STEP_SCORE
            if state["seats"][seat] < 0:
                raise PositionError(
                    f"steps[{place}]: no Apostle to score for sits on {SEATS[seat]}"
                )
        if step >= codes.STEP_RECEIVE:
            receiver = (step - codes.STEP_RECEIVE) % 4
            if receiver >= n or receiver == state["turn"]:
                raise PositionError(
                    f"steps[{place}]: the receiver must be another of {n} players, got {receiver}"
                )
    ends = [step in (codes.STEP_APOSTLE, codes.STEP_VISIT_END) for step in steps]
    if stage == STAGE_PLAY and any(ends):
        raise PositionError("steps: apostle and visit_end occur in stage visit only")
    last = len(steps) - 1
    if stage == STAGE_VISIT and (
        not steps or steps[last] != codes.STEP_VISIT_END or codes.STEP_VISIT_END in steps[:last]
    ):
        raise PositionError("steps: a visit that goes on must have visit_end as its last step")
    left = 0
    if stage == STAGE_VISIT:
        left = int(state["apostles"][state["visit_column"]].sum())
        left -= phase in (PHASE_APOSTLE, PHASE_SEAT)  # that one is being seated
    if steps.count(codes.STEP_APOSTLE) > max(left, 0):
        raise PositionError(
            f"steps: apostle must be pending at most {max(left, 0)} times, once for an Apostle "
            "left in the column visited"
        )


# --- followers -------------------------------------------------------------------------------
def _check_followers(state: np.void) -> None:
    pending = {
        int(step) - codes.STEP_SETTLE
        for step in state["steps"][: state["num_steps"]]
        if state["phase"] == PHASE_SETTLE
    }
    if state["phase"] == PHASE_SETTLE:
        pending.add(int(state["to_act"]))
    for seat in _seats(state):
        supper, areas = _at_supper(state, seat), int(state["areas"][seat].sum())
        total = int(state["camp"][seat]) + areas + supper
        expected = _FOLLOWERS - (seat in pending)  # I1
        if total != expected:
            raise PositionError(
                f"camp[{seat}]: with areas[{seat}] and supper, seat {seat} must have {expected} "
                f"followers (I1), got {int(state['camp'][seat])} + {areas} + {supper}"
            )
    neutral, expected = _at_supper(state, NEUTRAL), int(state["neutral"]).bit_count()
    if neutral != expected:
        raise PositionError(
            f"supper: must hold {expected} neutral followers with {int(state['players'])} players "
            f"(I1), got {neutral}"
        )
    for area, name in enumerate(AREAS):
        total, squares = int(state["areas"][:, area].sum()), int(state["squares"])
        if total > squares:
            raise PositionError(
                f"areas: {name} has {squares} squares with {int(state['players'])} players (I2), "
                f"got {total} followers there"
            )


# --- cards -----------------------------------------------------------------------------------
def _bits(mask: int) -> list[int]:
    return [kind for kind in range(NUM_KINDS) if int(mask) >> kind & 1]


def _cards_of(state: np.void, seat: int) -> list[int]:
    """Kinds of all cards of a seat but the deck and the discards: hand, own columns and pool."""
    cards = _bits(state["hand"][seat])
    for column in range(3):
        size = state["column_size"][seat, column]
        cards += [int(kind) for kind in state["columns"][seat, column, :size]]
    if seat == state["to_act"]:
        cards += _bits(state["pool"])
    return cards


def _check_cards(state: np.void, box: Box) -> None:
    common = np.zeros(NUM_KINDS, dtype=np.int64)
    for seat in _seats(state):
        mine = np.zeros(NUM_KINDS, dtype=np.int64)
        for kind in _cards_of(state, seat):
            (common if kind >= FIRST_MAHANE else mine)[kind] += 1
        for kind in state["deck"][seat, : state["deck_size"][seat]]:
            mine[kind] += 1
        for kind in _bits(state["discards"][seat]):
            mine[kind] += 1
        colour = int(state["colours"][seat])
        for kind in range(FIRST_MAHANE):  # I3
            expected = int(state["starting_cards"][colour]) >> kind & 1
            if mine[kind] != expected:
                raise PositionError(
                    f"hands[{seat}]: with decks[{seat}], discards[{seat}], columns[{seat}] and the "
                    f"pool, {box.kinds[kind]} must occur {expected} times for colour "
                    f"{COLOURS[colour]} (I3), got {mine[kind]}"
                )
        unseen = int(state["known_hands"][seat]) & ~int(state["hand"][seat])
        if unseen:
            raise PositionError(
                f"known_hands[{seat}]: {box.kinds[_bits(unseen)[0]]} is not in hands[{seat}]"
            )
    _check_common_cards(state, box, common)


def _check_common_cards(state: np.void, box: Box, counts: np.ndarray) -> None:
    """Mahane and XXXIII cards are all there, each once (I4); ``counts`` has those of players."""
    for kind in (
        *state["mahane"][: state["mahane_size"]],
        *state["xxxiii"][: state["xxxiii_size"]],
        *(kind for kind in state["display"] if kind >= 0),
    ):
        counts[kind] += 1
    for kind in range(FIRST_MAHANE, NUM_KINDS):
        if counts[kind] != 1:
            pile = "xxxiii" if kind >= FIRST_XXXIII else "mahane"
            others = "hands and columns" if pile == "xxxiii" else "display, hands and columns"
            raise PositionError(
                f"{pile}: with {others}, {box.kinds[kind]} must occur once (I4), got {counts[kind]}"
            )
    for slot in range(2):
        if state["display"][slot] < 0 and state["mahane_size"] > 0:
            raise PositionError(
                f"display[{slot}]: is null only while the pile mahane is empty (I4, A23)"
            )


# --- Apostles, tracks, favors ----------------------------------------------------------------
def _check_apostles(state: np.void) -> None:
    for colour, name in enumerate(APOSTLES):
        left = int(state["apostles"][:, colour].sum())
        seated = int((state["seats"] == colour).sum())
        expected = int(state["apostle_supply"][:, colour].sum())
        if left + seated != expected:
            raise PositionError(
                f"apostles: with seats there must be {expected} of {name} (I5), got {left} in the "
                f"columns and {seated} seated"
            )
    all_seated = bool((state["seats"] >= 0).all())
    # R7.12: they go only once the visit that seats the 12th has ended.
    if not state["judgments_on"] and not all_seated:
        raise PositionError("judgments_on: must be true until all Apostles are seated (I9)")
    if state["judgments_on"] and all_seated and state["visit_source"] < 0:
        raise PositionError("judgments_on: must be false once all Apostles are seated (I9)")


def _check_progress(state: np.void) -> None:
    for seat in _seats(state):
        supper = _at_supper(state, seat)
        for parable in range(int(state["parables"][seat])):
            needs = int(state["parable_needs"][parable])
            if supper < needs:
                raise PositionError(
                    f"parables[{seat}]: type {parable + 1} needs {needs} followers at the Supper "
                    f"(I7), seat {seat} has {supper}"
                )
        least = int(state["setup_offerings"])
        most = least + supper - 1  # I8: one with each follower but the first
        if not least <= state["offerings"][seat] <= most:
            raise PositionError(
                f"offerings[{seat}]: must be {least}..{most} with {supper} followers at the Supper "
                f"(I8), got {int(state['offerings'][seat])}"
            )


def _check_favors(state: np.void) -> None:
    steps = [int(step) for step in state["steps"][: state["num_steps"]]]
    pending = steps.count(codes.STEP_FAVOR_DONE)
    given = [0] * len(LOCATIONS)
    for step in steps:
        if step >= codes.STEP_RECEIVE:  # given, but not held by the receiver yet
            given[state["marker_symbol"][(step - codes.STEP_RECEIVE) // 4]] -= 1
    for seat in _seats(state):
        left, done = int(state["favors"][seat]), int(state["favors_done"][seat])
        expected = 8 - done - (pending if seat == state["turn"] else 0)  # I6
        if left.bit_count() != expected:
            raise PositionError(
                f"favors[{seat}]: must be {expected} markers with favors_done {done} (I6), got "
                f"{left.bit_count()}"
            )
        blocked = done < state["unblock_at"]  # R16.4
        if bool(state["blocked"][seat]) != blocked:
            raise PositionError(
                f"blocked[{seat}]: must be {str(blocked).lower()} with favors_done {done} (I6)"
            )
        for marker in range(8):
            if not left >> marker & 1:
                given[state["marker_symbol"][marker]] += 1
    for location, name in enumerate(LOCATIONS):
        held = int(state["symbols_held"][:, location].sum())
        if held > given[location]:
            raise PositionError(
                f"symbols_held: {held} of {name} are held, but by favors only {given[location]} "
                "markers with it were given (I6)"
            )


# --- the decision that is pending ------------------------------------------------------------
def _check_visit(state: np.void) -> None:
    visiting = state["visit_source"] >= 0
    expected = state["stage"] == STAGE_VISIT and state["phase"] != PHASE_VISIT
    if visiting != expected:
        what = "the source and the apostle column" if expected else "null"
        raise PositionError(
            f"visit: must be {what} in stage {STAGES[state['stage']]}, phase "
            f"{PHASES[state['phase']]}"
        )
    # Under data whose effects may move the cards of the set its end cannot be foreseen.
    effects = (*state["space_effect"], *state["parable_reward"])
    if not visiting or codes.STEP_REDISTRIBUTE in effects:
        return
    seat, source, column = (int(state[key]) for key in ("turn", "visit_source", "visit_column"))
    wanted = [int(symbol) for symbol in state["symbols"][column]]
    shown: list[int] = []
    if source != SOURCE_FAVORS:
        cards = state["columns"][seat, source, : state["column_size"][seat, source]]
        shown = [int(state["card_location"][kind]) for kind in cards]
        if not cards.size:
            raise PositionError(f"visit: columns[{seat}][{source}] is empty (R7.2)")
    missing = _missing(shown, wanted)
    if missing is None:
        raise PositionError(
            f"visit: the cards of columns[{seat}][{source}] are no part of symbols[{column}] (R7.2)"
        )
    for location in set(missing):
        if state["symbols_held"][seat, location] < missing.count(location):
            raise PositionError(
                f"visit: for symbols[{column}] seat {seat} must hold {missing.count(location)} of "
                f"{LOCATIONS[location]}, see symbols_held[{seat}] (R7.2)"
            )


def _missing(shown: list[int], wanted: list[int]) -> list[int] | None:
    """Symbols that complete a column of cards to a set; None if they are no subsequence (R7.2)."""
    missing, place = [], 0
    for symbol in wanted:
        if place < len(shown) and shown[place] == symbol:
            place += 1
        else:
            missing.append(symbol)
    return missing if place == len(shown) else None


def _check_choice(state: np.void, box: Box) -> None:
    """Nothing has moved before the last choice of a sub-flow (I14), and it can be finished."""
    phase, seat = int(state["phase"]), int(state["to_act"])
    own = int(state["supper"][seat])
    taken = sum(int(mask) for mask in state["supper"])
    if phase == PHASE_COLUMN:
        if not int(state["hand"][seat]) >> int(state["chosen_card"]) & 1:
            card = box.kinds[state["chosen_card"]]
            raise PositionError(f"choice.card: {card} is not in hands[{seat}] (I14)")
    elif phase == PHASE_ILLUMINATE:
        if not state["illumination"][seat]:
            raise PositionError(f"illumination[{seat}]: must be true in phase illuminate (R8.1)")
        if (state["seats"] >= 0).all():
            raise PositionError("phase: no illuminate once all Apostles are seated (R8.3)")
    elif phase == PHASE_MARKET:
        sold, traded = int(state["sold"]), int(state["traded"])
        if (traded == TRADED_NONE and sold) or (traded == TRADED_SOLD and not sold):
            raise PositionError("choice.sold: must name resources if traded is sold, none if none")
    elif phase in (PHASE_SUPPER, PHASE_FROM):
        if not state["areas"][seat].any():
            raise PositionError(f"areas[{seat}]: no follower can go to the Supper (R13.2)")
        if phase == PHASE_FROM:
            _check_chosen_space(state, seat, taken)
    elif phase == PHASE_CALL:
        if not state["camp"][seat]:
            raise PositionError(f"camp[{seat}]: no follower can be called (R13.6)")
    elif phase == PHASE_GIVE:
        if not int(state["favors"][seat]) >> int(state["chosen_marker"]) & 1:
            marker = box.markers[state["chosen_marker"]]
            raise PositionError(f"choice.marker: {marker} is not in favors[{seat}] (I14)")
    elif phase in (PHASE_CHANGE_TO, PHASE_SWAP_WITH):
        if not own >> int(state["lifted"]) & 1:
            space = SPACES[state["lifted"]]
            raise PositionError(f"choice.lift: no follower of seat {seat} is on {space} (I14)")
    elif phase == PHASE_REDISTRIBUTE:
        if not state["column_size"][seat].any():
            raise PositionError(f"columns[{seat}]: no cards to redistribute (R13.8)")
    elif phase == PHASE_ARRANGE:
        for column in range(int(state["arrange_column"]) + 1, 3):
            if state["column_size"][seat, column]:
                raise PositionError(
                    f"columns[{seat}][{column}]: all its cards must be in choice.pool (I14)"
                )
        if not state["pool"]:
            raise PositionError("choice.pool: must not be empty, else arranging is over")
    elif phase == PHASE_SEAT:
        colour, column = int(state["chosen_colour"]), int(state["visit_column"])
        if not state["apostles"][column, colour]:
            raise PositionError(
                f"choice.colour: no {APOSTLES[colour]} Apostle is in apostles[{column}] (I14)"
            )


def _check_chosen_space(state: np.void, seat: int, taken: int) -> None:
    space = int(state["chosen_space"])
    if taken >> space & 1:
        raise PositionError(f"choice.space: {SPACES[space]} is not empty (I14)")
    dear = (state["space_cost"][space] > state["resources"][seat]).any()
    if dear and not state["free"]:
        raise PositionError(
            f"choice.space: seat {seat} cannot pay {SPACES[space]}, see resources[{seat}] (A37)"
        )


def _check_room(state: np.void) -> None:
    """Hand and camp are too full exactly where that is asked (R9.1, R9.3), not at the end (I12)."""
    phase, seat = int(state["phase"]), int(state["turn"])
    if phase == PHASE_EXCESS:
        hand, limit = int(state["hand_counts"][seat].sum()), int(state["hand_limit"])
        if hand <= limit:
            raise PositionError(
                f"hands[{seat}]: phase excess must have more than {limit} cards, got {hand}"
            )
    if phase not in (PHASE_OVERFLOW, PHASE_OVER):
        return
    resources = int(state["resources"][seat].sum())
    things = int(state["camp"][seat]) + int(state["offerings"][seat]) + resources
    squares = int(state["capacity"] if state["blocked"][seat] else state["capacity_unblocked"])
    too_full = things > squares and resources > 0
    if too_full != (phase == PHASE_OVERFLOW):
        raise PositionError(
            f"camp[{seat}]: with offerings[{seat}] and resources[{seat}] it holds {things} of "
            f"{squares} in phase {PHASES[phase]} (R9.3, I12)"
        )
