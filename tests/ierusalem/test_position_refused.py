"""What is refused as a position of Ierusalem; the message names the field (rules VII.e, VI.a)."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jerusalem_env.errors import PositionError
from jerusalem_env.ierusalem.actions import PHASES
from jerusalem_env.ierusalem.position import KEYS, read_position, write_position
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.positions import (
    CARD,
    MISSING,
    STEPS,
    Path_,
    Position,
    at,
    changed,
    first_turn,
    give_marker,
    in_visit,
    received_call,
    seat_all,
    three_players,
)

# --- refused ----------------------------------------------------------------------------------
FIELDS_BY_SEAT = ("areas", "camp", "resources", "offerings", "blocked", "denarii", "points")
FIELDS_BY_SEAT += ("illumination", "favors", "favors_done", "symbols_held", "parables", "hands")
FIELDS_BY_SEAT += ("discards", "known_hands", "decks", "shuffles", "columns", "colours")
KEPT = ["denarii_2", "denarii_3", "stone_1", "stone_2", "bread_1", "fish_1", "call_mountain"]
VISITING = [3, 0]

# (phase to start from, where, what stands there instead, the field the message begins with)
BROKEN: list[tuple[str, Path_, Any, str]] = [
    # the format
    *[("play", (key,), MISSING, key) for key in KEYS],
    ("play", ("round",), 1, "round"),
    ("play", (3,), 1, "3"),
    *[("play", (field,), [], field) for field in FIELDS_BY_SEAT],
    *[("play", (field, 0), None, f"{field}[0]") for field in FIELDS_BY_SEAT],
    ("play", ("ruleset",), None, "ruleset"),
    ("play", ("ruleset", "players"), 2, "ruleset"),
    ("play", ("ruleset", "house_rule"), True, "ruleset"),
    ("play", ("ruleset", "data"), {}, "ruleset"),
    ("play", ("key",), "63cbe1e459320dd", "key"),
    ("play", ("key",), "63cbe1e459320ddg", "key"),
    ("play", ("key",), " 3cbe1e459320dd7", "key"),
    ("play", ("key",), 7, "key"),
    ("play", ("stage",), "tea", "stage"),
    ("play", ("phase",), "none", "phase"),
    ("play", ("phase",), ["play"], "phase"),
    ("play", ("to_act",), 4, "to_act"),
    ("play", ("to_act",), True, "to_act"),
    ("play", ("to_act",), None, "to_act"),
    ("over", ("to_act",), 0, "to_act"),
    ("play", ("turn",), None, "turn"),
    ("play", ("turn",), -1, "turn"),
    ("settle", ("turn",), 0, "turn"),
    ("play", ("turns",), -1, "turns"),
    ("play", ("turns",), 1.0, "turns"),
    ("play", ("turns",), 0, "turns"),
    ("settle", ("turns",), 1, "turns"),
    ("play", ("start",), 4, "start"),
    ("play", ("steps",), "go", "steps"),
    ("offering", ("steps",), ["tea"], "steps[0]"),
    ("offering", ("steps",), [2], "steps[0]"),
    ("offering", ("steps",), ["go"] * 13, "steps"),
    ("offering", ("steps",), ["gain market"], "steps[0]"),
    ("offering", ("steps",), ["receive fish_1 4"], "steps[0]"),
    ("play", ("choice",), None, "choice"),
    ("play", ("choice",), {"card": CARD}, "choice.card"),
    ("column", ("choice",), {}, "choice.card"),
    ("column", ("choice", "card"), "joker", "choice.card"),
    ("market", ("choice", "traded"), "all", "choice.traded"),
    ("market", ("choice", "sold"), ["gold"], "choice.sold[0]"),
    ("market", ("choice", "sold"), "stone", "choice.sold"),
    ("market", ("choice",), {"traded": "sold", "sold": ["fish", "fish"]}, "choice.sold[1]"),
    ("supper", ("choice", "free"), 0, "choice.free"),
    ("from", ("choice", "space"), "top4.1", "choice.space"),
    ("call", ("choice", "must"), None, "choice.must"),
    ("give", ("choice", "marker"), "fish_2", "choice.marker"),
    ("change_to", ("choice", "lift"), 24, "choice.lift"),
    ("arrange", ("choice", "column"), 0, "choice.column"),
    ("arrange", ("choice", "pool"), [CARD, CARD], "choice.pool[1]"),
    ("seat", ("choice", "colour"), "red", "choice.colour"),
    ("play", ("visit",), [0], "visit"),
    ("apostle", ("visit",), [4, 0], "visit[0]"),
    ("apostle", ("visit",), [0, 3], "visit[1]"),
    ("play", ("colours", 0), "pink", "colours[0]"),
    ("play", ("colours", 0), "yellow", "colours[1]"),
    ("play", ("symbols",), [], "symbols"),
    ("play", ("symbols", 1), ["lake"], "symbols[1]"),
    ("play", ("symbols", 1, 0), "sea", "symbols[1][0]"),
    ("play", ("apostles",), [[], []], "apostles"),
    ("play", ("apostles", 0, 0), "peter", "apostles[0][0]"),
    ("play", ("seats",), [], "seats"),
    ("play", ("seats", "top.4"), None, "seats.top.4"),
    ("play", ("seats", "top.1"), MISSING, "seats.top.1"),
    ("play", ("seats", "top.1"), "black", "seats.top.1"),
    ("play", ("supper", "top1.1"), MISSING, "supper.top1.1"),
    ("play", ("supper", "top1.1"), 4, "supper.top1.1"),
    ("play", ("supper", "top1.1"), False, "supper.top1.1"),
    ("play", ("supper", "top1.1"), "red", "supper.top1.1"),
    ("play", ("sanhedrin",), "0", "sanhedrin"),
    ("play", ("judgments", 0), "war", "judgments[0]"),
    ("play", ("judgments", 0), "call", "judgments[1]"),
    ("play", ("judgments",), [], "judgments"),
    ("play", ("judgments_on",), 1, "judgments_on"),
    ("play", ("mahane", 0), "joker", "mahane[0]"),
    ("play", ("mahane", 0), CARD, "mahane[0]"),
    ("play", ("mahane",), None, "mahane"),
    ("play", ("xxxiii", 0), "lake.vp3+go", "xxxiii[0]"),
    ("play", ("display",), [None], "display"),
    ("play", ("display", 0), CARD, "display[0]"),
    ("play", ("mahane_tail",), 19, "mahane_tail"),
    ("play", ("xxxiii_tail",), -1, "xxxiii_tail"),
    ("play", ("areas", 2, 1), -1, "areas[2][1]"),
    ("play", ("areas", 2), [2, 2], "areas[2]"),
    ("play", ("camp", 1), 10.0, "camp[1]"),
    ("play", ("camp", 1), -1, "camp[1]"),
    ("play", ("resources", 0, 2), "1", "resources[0][2]"),
    ("play", ("offerings", 3), True, "offerings[3]"),
    ("play", ("blocked", 3), 1, "blocked[3]"),
    ("play", ("points", 3), -1, "points[3]"),
    ("play", ("points", 3), 10**7, "points[3]"),
    ("over", ("points", 3), -(10**7), "points[3]"),
    ("play", ("illumination", 2), "yes", "illumination[2]"),
    ("play", ("favors", 0), ["fish_1"] * 8, "favors[0][1]"),
    ("play", ("favors", 0, 3), "fish_3", "favors[0][3]"),
    ("play", ("favors_done", 0), 9, "favors_done[0]"),
    ("play", ("symbols_held", 1), {}, "symbols_held[1].market"),
    ("play", ("symbols_held", 1, "lake"), -1, "symbols_held[1].lake"),
    ("play", ("symbols_held", 1, "sea"), 0, "symbols_held[1].sea"),
    ("play", ("parables", 2), 8, "parables[2]"),
    ("play", ("parable_stacks", 2), [6, 5, 4], "parable_stacks[2]"),
    ("play", ("parable_stacks", 2), [6, 5, 4, True], "parable_stacks[2][3]"),
    ("play", ("parable_stacks",), [[6, 5, 4, 3]] * 6, "parable_stacks"),
    ("play", ("hands", 0, 0), "war", "hands[0][0]"),
    ("play", ("hands", 0), [CARD, CARD], "hands[0][1]"),
    ("play", ("discards", 1), ["lake.vp3+go"], "discards[1][0]"),
    ("play", ("known_hands", 0), [CARD], "known_hands[0][0]"),
    ("play", ("decks", 0, 1), "lake.vp3+go", "decks[0][1]"),
    ("play", ("decks", 0), [CARD] * 11, "decks[0]"),
    ("play", ("shuffles", 1), -1, "shuffles[1]"),
    ("play", ("columns", 0), [[], []], "columns[0]"),
    ("play", ("columns", 0, 2), "none", "columns[0][2]"),
    ("play", ("columns", 0, 2), [CARD] * 41, "columns[0][2]"),
    ("play", ("columns", 0, 2), ["war"], "columns[0][2][0]"),
    # I1 followers, I2 areas
    ("play", ("camp", 1), 9, "camp[1]"),
    ("play", ("camp", 1), 11, "camp[1]"),
    ("play", ("areas", 3), [1, 1, 1], "camp[3]"),
    ("settle", ("areas", 0), [2, 1, 1], "camp[0]"),
    ("settle", ("areas", 2), [2, 1, 1], "camp[2]"),
    ("play", ("supper", "top1.1"), 2, "camp[2]"),
    ("play", ("supper", "corner.top_left"), None, "camp[0]"),
    ("play", ("supper", "top3.1"), "neutral", "supper"),
    ("play", ("areas", 0), [4, 0, 0], "areas[0][0]"),
    ("play", ("areas",), [[3, 0, 1], [2, 1, 1], [2, 1, 1], [2, 1, 1]], "areas"),
    # I3 starting cards, I4 common cards
    ("play", ("hands", 0, 0), "market.favor", "hands[0]"),
    ("play", ("hands", 0), [], "hands[0]"),
    ("play", ("discards", 0), [CARD], "hands[0]"),
    ("play", ("columns", 0, 0), [CARD], "hands[0]"),
    ("play", ("columns", 1, 0), [CARD], "hands[1]"),
    ("play", ("decks", 3), [], "hands[3]"),
    ("arrange", ("choice", "pool"), [CARD, "temple.go"], "hands[0]"),
    ("play", ("mahane",), [], "mahane"),
    ("play", ("mahane", 0), "mountain.parable+meeting", "mahane"),
    ("play", ("columns", 2, 1), ["lake.vp3+go"], "mahane"),
    ("play", ("display", 0), None, "mahane"),
    ("play", ("xxxiii",), [], "xxxiii"),
    ("play", ("columns", 2, 1), ["market.fish+change+meeting"], "xxxiii"),
    ("play", ("known_hands", 0), ["lake.vp3+go"], "known_hands[0]"),
    # I5 Apostles, I9 Sanhedrin
    ("play", ("apostles", 0), ["purple"], "apostles"),
    ("play", ("seats", "top.1"), "white", "apostles"),
    ("play", ("apostles", 2, 3), "white", "apostles"),
    ("play", ("judgments_on",), False, "judgments_on"),
    ("play", ("sanhedrin",), -1, "sanhedrin"),
    ("play", ("sanhedrin",), 23, "sanhedrin"),
    # I6 Favors
    ("play", ("favors", 1), KEPT, "favors[1]"),
    ("play", ("favors_done", 1), 1, "favors[1]"),
    ("play", ("blocked", 1), False, "blocked[1]"),
    ("apostle", ("blocked", 1), True, "blocked[1]"),
    ("play", ("symbols_held", 1, "market"), 1, "symbols_held"),
    ("apostle", ("symbols_held", 1, "lake"), 1, "symbols_held"),
    ("apostle", ("symbols_held", 3, "desert"), 1, "symbols_held"),
    # I7 Parables, I8 Offerings, I10 money
    ("play", ("parables", 1), 2, "parables[1]"),
    ("play", ("parables", 1), 1, "parable_stacks[0]"),
    ("play", ("offerings", 1), 0, "offerings[1]"),
    ("play", ("offerings", 1), 2, "offerings[1]"),
    ("play", ("denarii", 1), -1, "denarii[1]"),
    ("play", ("resources", 1, 0), -1, "resources[1][0]"),
    # I12 the camp
    ("over", ("resources", 0), [2, 1, 1], "camp[0]"),
    ("overflow", ("resources", 0), [1, 1, 1], "camp[0]"),
    # I14 sub-choices
    ("column", ("choice", "card"), "temple.parable+meeting", "choice.card"),
    ("column", ("choice", "card"), "mountain.favor", "choice.card"),
    ("from", ("choice", "space"), "corner.top_left", "choice.space"),
    ("from", ("choice", "space"), "top3.1", "choice.space"),
    ("change_to", ("choice", "lift"), "corner.top_right", "choice.lift"),
    ("change_to", ("choice", "lift"), "top1.1", "choice.lift"),
    ("swap_with", ("choice", "lift"), "top1.1", "choice.lift"),
    ("seat", ("choice", "colour"), "judas", "choice.colour"),
    ("market", ("choice", "sold"), ["fish"], "choice.sold"),
    ("market", ("choice", "traded"), "sold", "choice.sold"),
    # I15 one decider
    ("play", ("to_act",), 1, "to_act"),
    ("call", ("to_act",), 1, "to_act"),
    ("call", ("choice", "must"), True, "choice.must"),
    ("apostle", ("to_act",), 2, "to_act"),
    # stage, phase, steps and visit
    ("play", ("stage",), "visit", "phase"),
    ("market", ("stage",), "purchase", "phase"),
    ("offering", ("stage",), "settle", "turn"),
    ("settle", ("phase",), "play", "phase"),
    ("settle", ("to_act",), 1, "steps"),
    ("settle", ("steps",), [], "steps"),
    ("settle", ("steps",), ["settle 1", "settle 3", "settle 2"], "steps"),
    ("play", ("steps",), ["go"], "steps"),
    ("visit", ("steps",), ["visit_end"], "steps"),
    ("apostle", ("steps",), [], "steps"),
    ("seat", ("steps",), ["go"], "steps"),
    ("seat", ("steps",), ["visit_end", "go"], "steps"),
    ("seat", ("steps",), ["apostle"] * 4 + ["visit_end"], "steps"),
    ("offering", ("steps",), ["receive fish_1 1"], "symbols_held"),
    ("excess", ("steps",), ["overflow", "end"], "steps"),
    ("overflow", ("steps",), [], "steps"),
    ("over", ("steps",), ["end"], "steps"),
    ("offering", ("steps",), ["visit_end"], "steps"),
    ("offering", ("steps",), ["end"], "steps[0]"),
    ("offering", ("steps",), ["go", "settle 1"], "steps[1]"),
    ("offering", ("steps",), ["score top.2"], "steps[0]"),
    ("offering", ("steps",), ["receive fish_1 0"], "steps[0]"),
    ("offering", ("steps",), ["favor_done"], "favors[0]"),
    ("play", ("visit",), VISITING, "visit"),
    ("visit", ("visit",), VISITING, "visit"),
    ("apostle", ("visit",), None, "visit"),
    ("apostle", ("visit",), [0, 0], "visit"),
    ("apostle", ("visit",), [3, 1], "visit"),
    # a decision that can be taken
    ("illuminate", ("illumination", 0), False, "illumination[0]"),
]


@pytest.mark.parametrize(
    ("phase", "where", "value", "field"),
    BROKEN,
    ids=[f"{phase}-{'.'.join(map(str, way))}-{i}" for i, (phase, way, *_) in enumerate(BROKEN)],
)
def test_read__refuses(phase: str, where: Path_, value: Any, field: str) -> None:
    broken = changed(at(phase), (where, value))
    before = copy.deepcopy(broken)
    with pytest.raises(PositionError) as caught:
        read_position(broken)
    assert str(caught.value).split(": ")[0] == field
    assert broken == before


def test_read__the_broken_ones_touch_every_field() -> None:
    assert len({repr(case) for case in BROKEN}) == len(BROKEN)
    assert {way[0] for _, way, *_ in BROKEN} >= set(KEYS)
    assert {way[0] for _, way, value, _ in BROKEN if value is not MISSING} >= set(KEYS)


@pytest.mark.parametrize("value", [None, [], "position", 3])
def test_read__refuses_what_is_no_object(value: Any) -> None:
    with pytest.raises(PositionError, match=r"^position: must be an object"):
        read_position(value)


def _visiting(changes: dict[str, Any]) -> Position:
    return in_visit("supper") | {"choice": {"free": True}} | changes


def _emptied(phase: str) -> Position:
    """Nobody of seat 0 in the areas, or nothing on its columns."""
    position = at(phase)
    if phase == "redistribute":
        position["hands"][0].append(position["columns"][0][1].pop())
    elif phase == "arrange":
        position["hands"][0].append(position["choice"]["pool"].pop())
    elif phase == "call":
        position["areas"][0], position["camp"][0] = [2, 3, 3], 0
        spaces = ("top1.1", "top1.2", "top1.3", "top2.1", "top2.2", "top2.3")
        position["supper"] |= dict.fromkeys(spaces, 0)
    else:
        position["areas"][0], position["camp"][0] = [0, 0, 0], 14
    return position


def _all_seated(phase: str) -> Position:
    position = at(phase)
    seat_all(position)
    return position


def _off_the_end() -> Position:
    """A display slot is empty though there is a pile: its card is in a hand."""
    position = first_turn()
    position["hands"][0].append(position["display"][0])
    position["display"][0] = None
    return position


def _cards_of_later_columns() -> Position:
    position = at("arrange")
    position["hands"][0].remove("temple.go")
    position["columns"][0][2] = ["temple.go"]
    return position


def _given_away() -> Position:
    """The marker that is being given was given before."""
    position = at("give")
    give_marker(position, 0, "fish_1", 1, "lake")
    return position


def _hand_of(cards: int) -> Position:
    return at("excess") | {f: first_turn(cards)[f] for f in ("hands", "decks")}


@pytest.mark.parametrize(
    ("position", "field"),
    [
        (_visiting({"steps": []}), "steps"),
        (_visiting({"steps": ["meeting"]}), "steps"),
        (_visiting({"steps": ["visit_end", "meeting"]}), "steps"),
        (_visiting({"steps": ["visit_end", "visit_end"]}), "steps"),
        (_visiting({"visit": None}), "visit"),
        (_emptied("supper"), "areas[0]"),
        (_emptied("from"), "areas[0]"),
        (_emptied("call"), "camp[0]"),
        (_emptied("redistribute"), "columns[0]"),
        (_emptied("arrange"), "choice.pool"),
        (_all_seated("illuminate"), "phase"),
        (_all_seated("play") | {"judgments_on": True}, "judgments_on"),
        (_off_the_end(), "display[0]"),
        (_cards_of_later_columns(), "columns[0][2]"),
        (_hand_of(5), "hands[0]"),
        (received_call() | {"steps": []}, "favors[0]"),
        (_given_away(), "choice.marker"),
        (received_call() | {"to_act": 0}, "choice.must"),
        (received_call() | {"choice": {"must": False}}, "to_act"),
        (three_players() | {"turn": 3, "to_act": 3}, "to_act"),
        (three_players() | {"areas": [[3, 1, 0], [2, 1, 1], [2, 1, 1]]}, "areas"),
    ],
)
def test_read__refuses_what_cannot_go_on(position: Position, field: str) -> None:
    with pytest.raises(PositionError) as caught:
        read_position(position)
    assert str(caught.value).split(": ")[0] == field


# --- whatever is given ------------------------------------------------------------------------
SOUND = [at(phase) for phase in PHASES]
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 60),
    st.integers(),
    st.floats(),
    st.text(max_size=4),
    st.sampled_from([*PHASES, *STEPS, *RuleSet().box.kinds, "neutral", "white", "visit_end"]),
    st.lists(st.integers(-1, 3), max_size=5),
    st.dictionaries(st.sampled_from(["card", "free", "top.1", "x"]), st.integers(0, 3), max_size=2),
)


def ways(value: Any, way: Path_ = ()) -> list[Path_]:
    """The way to every value inside a position."""
    found = [way] if way else []
    if isinstance(value, (dict, list)):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in inner:
            found += ways(one, (*way, key))
    return found


WAYS = [ways(position) for position in SOUND]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_read__refuses_or_gives_back_whatever_it_is_given(data: st.DataObject) -> None:
    which = data.draw(st.integers(0, len(SOUND) - 1))
    where = data.draw(st.lists(st.sampled_from(WAYS[which]), min_size=1, max_size=2))
    position = SOUND[which]
    for way in where:
        try:
            position = changed(position, (way, data.draw(JUNK)))
        except (KeyError, IndexError, TypeError):
            return  # the first change took away what the second was to change
    try:
        states = read_position(position)
    except PositionError:
        return
    written = write_position(states[0])
    again = read_position(written)
    for name in states.dtype.names or ():
        assert np.array_equal(states[name], again[name]), name
