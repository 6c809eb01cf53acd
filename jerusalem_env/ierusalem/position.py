"""A position as JSON (rules VII.e), both ways: complete, with nothing hidden.

``write_position`` reads a state record; ``read_position`` checks a position field by field and
builds the record. The watchdog's count is not part of a position: a game that is read starts it
afresh. Codes of pending steps and their names in JSON are turned into each other here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from ..errors import PositionError, RuleSetError
from ..position_reading import Checks, name_or_null, seat_or_null
from .actions import PHASES, STAGES
from .engine.derived import derive_games
from .engine.layout import (
    NEUTRAL,
    PHASE_ARRANGE,
    PHASE_CALL,
    PHASE_CHANGE_TO,
    PHASE_COLUMN,
    PHASE_FROM,
    PHASE_GIVE,
    PHASE_MARKET,
    PHASE_OVER,
    PHASE_SEAT,
    PHASE_SUPPER,
    PHASE_SWAP_WITH,
)
from .engine.state import blank_states
from .position_checks import check_consistency, check_goes_on, final_ranks
from .rules import codes
from .rules.box import Box, box_of
from .rules.names import (
    ACTIONS,
    APOSTLES,
    AREAS,
    COLOURS,
    FIRST_MAHANE,
    FIRST_XXXIII,
    JUDGMENTS,
    LOCATIONS,
    RESOURCES,
    SEATS,
    SPACES,
)
from .rules.ruleset import APOSTLE_COLUMNS, ORANGE_SCORES, RuleSet

KEYS: tuple[str, ...] = (
    *("ruleset", "key", "stage", "phase", "to_act", "turn", "turns", "start", "steps", "choice"),
    *("visit", "colours", "symbols", "apostles", "seats", "supper", "sanhedrin", "judgments"),
    *("judgments_on", "mahane", "xxxiii", "display", "mahane_tail", "xxxiii_tail", "areas", "camp"),
    *("resources", "offerings", "blocked", "denarii", "points", "illumination", "favors"),
    *("favors_done", "symbols_held", "parables", "parable_stacks", "hands", "discards"),
    *("known_hands", "decks", "shuffles", "columns"),
)
TRADED: tuple[str, ...] = ("none", "sold", "bought")
MAX_AMOUNT = 1_000_000  # resources, Denarii, points, turns and shuffles a position may name
# Steps a position may name: 8 are to be reserved (VI.b), other data may lead to 12. A record has
# room for more, which what happens next may push.
MAX_STEPS_READ = 12
_MOST_FOLLOWERS = 15
_KEY = re.compile(r"[0-9a-fA-F]{16}", re.ASCII)


# --- names of steps --------------------------------------------------------------------------
@cache
def step_names(box: Box) -> dict[int, str]:
    """The name in ``steps`` of every step by its code, for 4 players."""
    names = dict(enumerate(ACTIONS))
    names |= {
        codes.STEP_NONE: "-",
        codes.STEP_POINTS: "points_2",
        codes.STEP_DENARII: "denarii_2",
        codes.STEP_OFFERING: "offering",
        codes.STEP_FAVOR_DONE: "favor_done",
        codes.STEP_APOSTLE: "apostle",
        codes.STEP_SWAP: "swap",
        codes.STEP_JUDAS: "judas",
        codes.STEP_VISIT_END: "visit_end",
        codes.STEP_EXCESS: "excess",
        codes.STEP_REFILL: "refill",
        codes.STEP_OVERFLOW: "overflow",
        codes.STEP_END: "end",
    }
    names |= {codes.STEP_GAIN + area: f"gain {name}" for area, name in enumerate(AREAS)}
    names |= {codes.STEP_SETTLE + seat: f"settle {seat}" for seat in range(4)}
    names |= {codes.STEP_SCORE + seat: f"score {name}" for seat, name in enumerate(SEATS)}
    for index, marker in enumerate(box.markers):
        for seat in range(4):
            names[codes.STEP_RECEIVE + 4 * index + seat] = f"receive {marker} {seat}"
    return names


@cache
def _step_codes(box: Box) -> dict[str, int]:
    return {name: code for code, name in step_names(box).items()}


# --- writing ---------------------------------------------------------------------------------
def rules_of(state: np.void) -> RuleSet:
    """The rule set held in a state record.

    Raises
    ------
    BoxError
        If its data file has not been loaded in this process.
    """
    n, first = int(state["players"]), int(state["fixed_first"])
    colours, symbols = state["fixed_colours"][:n], state["fixed_symbols"].reshape(-1)
    return RuleSet(
        players=n,
        apostle_columns=APOSTLE_COLUMNS[state["by_colour"]],
        orange_scores=ORANGE_SCORES[state["orange_own"]],
        symbols=None if symbols[0] < 0 else tuple(LOCATIONS[x] for x in symbols),
        colours=None if colours[0] < 0 else tuple(COLOURS[x] for x in colours),
        first_player=None if first < 0 else first,
        data=box_of(int(state["data_id"])),
    )


def _members(names: tuple[str, ...], mask: int) -> list[str]:
    """Names of the bits of a mask, in their order."""
    return [name for index, name in enumerate(names) if int(mask) >> index & 1]


def _row(values: np.ndarray) -> list[int]:
    return [int(x) for x in values]


def write_position(state: np.void) -> dict[str, Any]:
    """The position of a full state record, as JSON-able values with the keys of VII.e in order."""
    rules = rules_of(state)
    n, kinds, markers = rules.players, rules.box.kinds, rules.box.markers
    steps = state["steps"][: state["num_steps"]]
    visiting = state["visit_source"] >= 0

    def cards(pile: np.ndarray, size: int) -> list[str]:
        return [kinds[kind] for kind in pile[:size]]

    def by_seat(field: str) -> list[int]:
        return _row(state[field][:n])

    return {
        "ruleset": rules.to_dict(),
        "key": f"{int(state['key']):016x}",
        "stage": STAGES[state["stage"]],
        "phase": PHASES[state["phase"]],
        "to_act": seat_or_null(state["to_act"]),
        "turn": seat_or_null(state["turn"]),
        "turns": int(state["turns"]),
        "start": int(state["start"]),
        "steps": [step_names(rules.box)[int(code)] for code in steps[::-1]],
        "choice": _write_choice(state, rules.box),
        "visit": [int(state["visit_source"]), int(state["visit_column"])] if visiting else None,
        "colours": [COLOURS[colour] for colour in state["colours"][:n]],
        "symbols": [[LOCATIONS[x] for x in column] for column in state["symbols"]],
        "apostles": [_write_apostles(column) for column in state["apostles"]],
        "seats": {
            seat: name_or_null(APOSTLES, x) for seat, x in zip(SEATS, state["seats"], strict=True)
        },
        "supper": _write_supper(state),
        "sanhedrin": int(state["sanhedrin"]),
        "judgments": [JUDGMENTS[tile] for tile in state["judgments"]],
        "judgments_on": bool(state["judgments_on"]),
        "mahane": cards(state["mahane"], state["mahane_size"]),
        "xxxiii": cards(state["xxxiii"], state["xxxiii_size"]),
        "display": [name_or_null(kinds, kind) for kind in state["display"]],
        "mahane_tail": int(state["mahane_tail"]),
        "xxxiii_tail": int(state["xxxiii_tail"]),
        "areas": [_row(row) for row in state["areas"][:n]],
        "camp": by_seat("camp"),
        "resources": [_row(row) for row in state["resources"][:n]],
        "offerings": by_seat("offerings"),
        "blocked": [bool(x) for x in state["blocked"][:n]],
        "denarii": by_seat("denarii"),
        "points": by_seat("points"),
        "illumination": [bool(x) for x in state["illumination"][:n]],
        "favors": [_members(markers, mask) for mask in state["favors"][:n]],
        "favors_done": by_seat("favors_done"),
        "symbols_held": [
            dict(zip(LOCATIONS, _row(row), strict=True)) for row in state["symbols_held"][:n]
        ],
        "parables": by_seat("parables"),
        "parable_stacks": parable_stacks(state),
        "hands": [_members(kinds, mask) for mask in state["hand"][:n]],
        "discards": [_members(kinds, mask) for mask in state["discards"][:n]],
        "known_hands": [_members(kinds, mask) for mask in state["known_hands"][:n]],
        "decks": [cards(state["deck"][seat], state["deck_size"][seat]) for seat in range(n)],
        "shuffles": by_seat("shuffles"),
        "columns": [
            [cards(state["columns"][seat, c], state["column_size"][seat, c]) for c in range(3)]
            for seat in range(n)
        ],
    }


def parable_stacks(state: np.void) -> list[list[int]]:
    """Points of the tiles left of each Parable type, top first (R2.3, I7)."""
    n = int(state["players"])
    points = _row(state["parable_points"][:n])  # R4.3: one tile a player, the lowest left out
    taken = state["parables"][:n]
    return [points[int((taken >= parable).sum()) :] for parable in range(1, 8)]


def _write_apostles(column: np.ndarray) -> list[str]:
    return [name for name, count in zip(APOSTLES, column, strict=True) for _ in range(count)]


def _write_supper(state: np.void) -> dict[str, int | str | None]:
    supper: dict[str, int | str | None] = dict.fromkeys(SPACES)
    for seat, mask in enumerate(state["supper"]):
        for space in _members(SPACES, mask):
            supper[space] = "neutral" if seat == NEUTRAL else seat
    return supper


def _write_choice(state: np.void, box: Box) -> dict[str, Any]:
    phase = state["phase"]
    if phase == PHASE_COLUMN:
        return {"card": box.kinds[state["chosen_card"]]}
    if phase == PHASE_MARKET:
        sold = _members(RESOURCES, state["sold"])
        return {"traded": TRADED[state["traded"]], "sold": sold}
    if phase == PHASE_SUPPER:
        return {"free": bool(state["free"])}
    if phase == PHASE_FROM:
        return {"free": bool(state["free"]), "space": SPACES[state["chosen_space"]]}
    if phase == PHASE_CALL:
        return {"must": bool(state["must"])}
    if phase == PHASE_GIVE:
        return {"marker": box.markers[state["chosen_marker"]]}
    if phase in (PHASE_CHANGE_TO, PHASE_SWAP_WITH):
        return {"lift": SPACES[state["lifted"]]}
    if phase == PHASE_ARRANGE:
        pool = _members(box.kinds, state["pool"])
        return {"column": int(state["arrange_column"]) + 1, "pool": pool}
    if phase == PHASE_SEAT:
        return {"colour": APOSTLES[state["chosen_colour"]]}
    return {}


# --- reading ---------------------------------------------------------------------------------
def read_position(position: Mapping[str, Any]) -> np.ndarray:
    """The state of a position, as an array of one record.

    Lists that stand for sets (hands, discards, markers, Apostles left, a pool) may be in any order.

    Raises
    ------
    PositionError
        If the position breaks the format or an invariant (VI.a); the message names the field. Also
        above what a record holds: 1,000,000 of a resource, Denarii, points, turns or shuffles, and
        12 pending steps.
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
    _read_choice(check, position["choice"], rules.box, state)
    _read_table(check, position, rules, state)
    _read_piles(check, position, rules.box, state)
    _read_players(check, position, rules, state)
    _read_favors(check, position, rules, state)
    _read_own_cards(check, position, rules, state)
    check_consistency(state, rules.box)
    _check_stacks(check, position["parable_stacks"], state)
    derive_games(states)
    check_goes_on(states)
    if state["phase"] == PHASE_OVER:
        state["ranks"][: rules.players] = final_ranks(state)
    return states


def _check_stacks(check: Checks, stacks: Any, state: np.void) -> None:
    """Refuse stacks that are not what ``parables`` leaves of them."""
    for parable, expected in enumerate(parable_stacks(state)):
        field = f"parable_stacks[{parable}]"
        found = check.list_of("parable_stacks", stacks, 7)[parable]
        for place, points in enumerate(check.list_of(field, found, None)):
            check.integer(f"{field}[{place}]", points, 0, 100)
        if list(found) != expected:
            raise PositionError(f"{field}: by parables it must be {expected} (I7), got {found!r}")


def _mask(check: Checks, field: str, value: Any, allowed: tuple[str, ...]) -> int:
    """A list of different names as a mask of their places."""
    mask = 0
    for place, name in enumerate(check.list_of(field, value, None)):
        bit = 1 << check.name(f"{field}[{place}]", name, allowed)
        if mask & bit:
            raise PositionError(f"{field}[{place}]: {name} is there twice")
        mask |= bit
    return mask


def _read_flow(check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void) -> None:
    n, box = rules.players, rules.box
    key = position["key"]
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise PositionError(f"key: must be 16 hex digits as a string, got {key!r}")
    state["key"] = np.uint64(int(key, 16))
    state["stage"] = check.name("stage", position["stage"], STAGES)
    state["phase"] = check.name("phase", position["phase"], PHASES)
    for field, absent, when in (
        ("to_act", state["phase"] == PHASE_OVER, "when the game is over"),
        ("turn", position["stage"] == "settle", "in set-up"),
    ):
        if absent != (position[field] is None):
            expected = f"null {when}" if absent else f"a seat: it is null only {when}"
            raise PositionError(f"{field}: must be {expected}, got {position[field]!r}")
        if not absent:
            state[field] = check.integer(field, position[field], 0, n - 1)
    state["turns"] = check.integer("turns", position["turns"], 0, MAX_AMOUNT)
    state["start"] = check.integer("start", position["start"], 0, n - 1)
    known = _step_codes(box)
    steps = check.list_up_to("steps", position["steps"], MAX_STEPS_READ)
    for place, step in enumerate(steps):
        if not isinstance(step, str) or step not in known:
            raise PositionError(
                f"steps[{place}]: must be the name of a step, as go, gain desert or visit_end "
                f"(VII.e), got {step!r}"
            )
        state["steps"][len(steps) - 1 - place] = known[step]
    state["num_steps"] = len(steps)
    if position["visit"] is not None:
        source, column = check.list_of("visit", position["visit"], 2)
        state["visit_source"] = check.integer("visit[0]", source, 0, 3)
        state["visit_column"] = check.integer("visit[1]", column, 0, 2)


def _read_choice(check: Checks, choice: Any, box: Box, state: np.void) -> None:
    phase = state["phase"]
    if phase == PHASE_COLUMN:
        check.keys("choice", choice, ("card",))
        state["chosen_card"] = check.name("choice.card", choice["card"], box.kinds)
    elif phase == PHASE_MARKET:
        check.keys("choice", choice, ("traded", "sold"))
        state["traded"] = check.name("choice.traded", choice["traded"], TRADED)
        state["sold"] = _mask(check, "choice.sold", choice["sold"], RESOURCES)
    elif phase == PHASE_SUPPER:
        check.keys("choice", choice, ("free",))
        state["free"] = check.boolean("choice.free", choice["free"])
    elif phase == PHASE_FROM:
        check.keys("choice", choice, ("free", "space"))
        state["free"] = check.boolean("choice.free", choice["free"])
        state["chosen_space"] = check.name("choice.space", choice["space"], SPACES)
    elif phase == PHASE_CALL:
        check.keys("choice", choice, ("must",))
        state["must"] = check.boolean("choice.must", choice["must"])
    elif phase == PHASE_GIVE:
        check.keys("choice", choice, ("marker",))
        state["chosen_marker"] = check.name("choice.marker", choice["marker"], box.markers)
    elif phase in (PHASE_CHANGE_TO, PHASE_SWAP_WITH):
        check.keys("choice", choice, ("lift",))
        state["lifted"] = check.name("choice.lift", choice["lift"], SPACES)
    elif phase == PHASE_ARRANGE:
        check.keys("choice", choice, ("column", "pool"))
        state["arrange_column"] = check.integer("choice.column", choice["column"], 1, 3) - 1
        state["pool"] = _mask(check, "choice.pool", choice["pool"], box.kinds)
    elif phase == PHASE_SEAT:
        check.keys("choice", choice, ("colour",))
        state["chosen_colour"] = check.name("choice.colour", choice["colour"], APOSTLES)
    else:
        check.keys("choice", choice, ())


def _read_table(check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void) -> None:
    """Apostles, the Last Supper and the Sanhedrin."""
    for column, symbols in enumerate(check.list_of("symbols", position["symbols"], 3)):
        for place, symbol in enumerate(check.list_of(f"symbols[{column}]", symbols, 3)):
            field = f"symbols[{column}][{place}]"
            state["symbols"][column, place] = check.name(field, symbol, LOCATIONS)
    for column, apostles in enumerate(check.list_of("apostles", position["apostles"], 3)):
        for place, colour in enumerate(check.list_up_to(f"apostles[{column}]", apostles, 12)):
            found = check.name(f"apostles[{column}][{place}]", colour, APOSTLES)
            state["apostles"][column, found] += 1
    check.keys("seats", position["seats"], SEATS)
    for seat, name in enumerate(SEATS):
        colour = position["seats"][name]
        if colour is not None:
            state["seats"][seat] = check.name(f"seats.{name}", colour, APOSTLES)
    check.keys("supper", position["supper"], SPACES)
    for space, name in enumerate(SPACES):
        who = position["supper"][name]
        if who == "neutral":
            state["supper"][NEUTRAL] |= 1 << space
        elif who is not None:
            if isinstance(who, str):
                raise PositionError(f"supper.{name}: must be null, a seat or neutral, got {who!r}")
            seat = check.integer(f"supper.{name}", who, 0, rules.players - 1)
            state["supper"][seat] |= 1 << space
    last = int(state["last_space"])
    state["sanhedrin"] = check.integer("sanhedrin", position["sanhedrin"], 0, last)  # I9
    _mask(check, "judgments", position["judgments"], JUDGMENTS)
    for place, tile in enumerate(check.list_of("judgments", position["judgments"], 6)):
        state["judgments"][place] = JUDGMENTS.index(tile)
    state["judgments_on"] = check.boolean("judgments_on", position["judgments_on"])


def _read_piles(check: Checks, position: Mapping[str, Any], box: Box, state: np.void) -> None:
    backs = {"mahane": box.kinds[FIRST_MAHANE:FIRST_XXXIII], "xxxiii": box.kinds[FIRST_XXXIII:]}
    for pile, allowed in backs.items():
        cards = check.list_up_to(pile, position[pile], len(allowed))
        for place, card in enumerate(cards):
            check.name(f"{pile}[{place}]", card, allowed)
            state[pile][place] = box.kinds.index(card)
        state[f"{pile}_size"] = len(cards)
        tail = f"{pile}_tail"
        state[tail] = check.integer(tail, position[tail], 0, len(cards))
    for place, card in enumerate(check.list_of("display", position["display"], 2)):
        if card is not None:
            check.name(f"display[{place}]", card, backs["mahane"])
            state["display"][place] = box.kinds.index(card)


def _read_players(
    check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void
) -> None:
    """What each player has but cards and favors."""
    n, over = rules.players, position["phase"] == "over"
    _mask(check, "colours", position["colours"], COLOURS)
    for seat, colour in enumerate(check.list_of("colours", position["colours"], n)):
        state["colours"][seat] = COLOURS.index(colour)
    for field, size, most in (
        ("areas", len(AREAS), int(state["max_each"])),  # I2
        ("resources", len(RESOURCES), MAX_AMOUNT),
    ):
        for seat, row in enumerate(check.list_of(field, position[field], n)):
            for index, amount in enumerate(check.list_of(f"{field}[{seat}]", row, size)):
                where = f"{field}[{seat}][{index}]"
                state[field][seat, index] = check.integer(where, amount, 0, most)
    for field, least, most in (
        ("camp", 0, _MOST_FOLLOWERS),
        ("offerings", 0, 100),
        ("denarii", 0, MAX_AMOUNT),  # I10
        ("points", -MAX_AMOUNT if over else 0, MAX_AMOUNT),  # A44
        ("favors_done", 0, 8),
        ("parables", 0, 7),
        ("shuffles", 0, MAX_AMOUNT),
    ):
        for seat, amount in enumerate(check.list_of(field, position[field], n)):
            state[field][seat] = check.integer(f"{field}[{seat}]", amount, least, most)
    for field in ("blocked", "illumination"):
        for seat, value in enumerate(check.list_of(field, position[field], n)):
            state[field][seat] = check.boolean(f"{field}[{seat}]", value)


def _read_favors(
    check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void
) -> None:
    n, markers = rules.players, rules.box.markers
    for seat, left in enumerate(check.list_of("favors", position["favors"], n)):
        state["favors"][seat] = _mask(check, f"favors[{seat}]", left, markers)
    for seat, held in enumerate(check.list_of("symbols_held", position["symbols_held"], n)):
        field = f"symbols_held[{seat}]"
        check.keys(field, held, LOCATIONS)
        for index, name in enumerate(LOCATIONS):
            amount = check.integer(f"{field}.{name}", held[name], 0, 8 * n)
            state["symbols_held"][seat, index] = amount


def _read_own_cards(
    check: Checks, position: Mapping[str, Any], rules: RuleSet, state: np.void
) -> None:
    """Hands, discard piles, decks and own columns."""
    n, kinds = rules.players, rules.box.kinds
    starting, common = kinds[:FIRST_MAHANE], kinds[FIRST_MAHANE:]
    for key, field, first, allowed in (
        ("hands", "hand", 0, kinds),
        ("discards", "discards", 0, starting),  # R6.4
        ("known_hands", "known_hands", FIRST_MAHANE, common),  # VII.g: no others are taken openly
    ):
        for seat, cards in enumerate(check.list_of(key, position[key], n)):
            state[field][seat] = _mask(check, f"{key}[{seat}]", cards, allowed) << first
    bounds = (0, FIRST_MAHANE, FIRST_XXXIII, len(kinds))
    for seat in range(n):
        hand = int(state["hand"][seat])
        for back in range(3):
            between = (1 << bounds[back + 1]) - (1 << bounds[back])
            state["hand_counts"][seat, back] = (hand & between).bit_count()
    for seat, cards in enumerate(check.list_of("decks", position["decks"], n)):
        field = f"decks[{seat}]"
        for place, card in enumerate(check.list_up_to(field, cards, 10)):
            check.name(f"{field}[{place}]", card, starting)
            state["deck"][seat, place] = kinds.index(card)
        state["deck_size"][seat] = len(cards)
    for seat, columns in enumerate(check.list_of("columns", position["columns"], n)):
        for index, cards in enumerate(check.list_of(f"columns[{seat}]", columns, 3)):
            field = f"columns[{seat}][{index}]"
            for place, card in enumerate(check.list_up_to(field, cards, 40)):
                kind = check.name(f"{field}[{place}]", card, kinds)
                state["columns"][seat, index, place] = kind
            state["column_size"][seat, index] = len(cards)
