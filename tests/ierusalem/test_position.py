"""Positions of Ierusalem as JSON: there and back, and what is refused (rules VII.e, VI.a)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from jerusalem_env.errors import PositionError
from jerusalem_env.ierusalem.actions import PHASES
from jerusalem_env.ierusalem.position import KEYS, read_position, rules_of, write_position
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.positions import (
    STEPS,
    SYMBOLS,
    Position,
    at,
    changed,
    first_turn,
    give_marker,
    in_visit,
    received_call,
    seat_all,
    seat_apostle,
    start,
    three_players,
    through_json,
)


def returned(position: Position) -> Position:
    """The position after reading and writing."""
    return write_position(read_position(position)[0])


# --- there and back ---------------------------------------------------------------------------
def test_start__of_seed_7_is_as_the_rules_say() -> None:
    """F49: the reference values of VII.f, read off the file that other tests start from."""
    position = start()
    assert tuple(position) == KEYS
    assert position["key"] == "63cbe1e459320dd7"
    assert position["colours"] == ["blue", "yellow", "red", "green"]
    assert position["judgments"] == ["favor", "call", "resources", "go", "parable", "offering"]
    assert position["symbols"][0] == ["lake", "temple", "lake"]
    assert position["xxxiii"][0] == "market.fish+change+meeting"
    assert position["decks"][0][:2] == ["market.go", "market.fish+parable"]


@pytest.mark.parametrize("phase", PHASES)
def test_position__there_and_back_by_hand(phase: str) -> None:
    position = at(phase)
    assert returned(through_json(position)) == in_order(position)
    assert tuple(returned(position)) == KEYS


def in_order(position: Position) -> Position:
    """As written: sets of cards in the order of the kinds."""
    kinds = RuleSet().box.kinds
    hands = [sorted(hand, key=kinds.index) for hand in position["hands"]]
    return position | {"hands": hands}


def test_position__received_call_there_and_back() -> None:
    assert returned(received_call()) == in_order(received_call())


def test_position__values_have_the_types_of_the_rules() -> None:
    for phase in PHASES:
        position = returned(at(phase))
        assert through_json(position) == position
        for field in ("blocked", "illumination"):
            assert all(type(value) is bool for value in position[field])
        assert type(position["judgments_on"]) is bool
        assert type(position["turns"]) is int


def test_position__is_a_fresh_value() -> None:
    states = read_position(start())
    given_out = write_position(states[0])
    given_out["areas"][0][0] = 9
    given_out["supper"]["top1.1"] = 0
    given_out["ruleset"]["players"] = 3
    assert write_position(states[0]) == start()


def test_position__order_of_keys_and_sets_does_not_matter() -> None:
    position = dict(reversed(at("arrange").items()))
    for field in ("hands", "favors", "apostles"):
        position[field] = [list(reversed(row)) for row in position[field]]
    assert returned(position) == in_order(at("arrange"))


def test_position__missing_switches_take_their_defaults() -> None:
    assert returned(changed(start(), (("ruleset",), {}))) == start()


@pytest.mark.parametrize(
    "switches",
    [
        {"apostle_columns": "by_colour", "orange_scores": "own"},
        {"symbols": ["lake", "temple", "lake", "mountain", "market", "market", "mountain"]},
        {"colours": ["blue", "yellow", "red", "green"], "first_player": 0},
    ],
    ids=["names", "symbols", "seats"],
)
def test_rules_of__a_record_gives_its_rule_set_back(switches: dict[str, Any]) -> None:
    if "symbols" in switches:
        switches = switches | {"symbols": [*switches["symbols"], "desert", "temple"]}
    rules = RuleSet(**switches)
    position = changed(start(), (("ruleset",), rules.to_dict()))
    if "apostle_columns" in switches:
        position["apostles"] = rules.box["apostles", "columns_by_colour"]
    state = read_position(position)[0]
    assert rules_of(state) == rules
    assert write_position(state) == position


def test_rules_of__another_data_file_names_cards_and_amounts() -> None:
    content = copy.deepcopy(RuleSet().box.content)
    content["sanhedrin"]["last_space"]["v"] = 30
    content["parables"]["points"]["v"] = [9, 7, 5, 3]
    content["favors"]["markers"]["v"][0] = "denarii_5"
    rules = RuleSet(data=content)
    position = changed(start(), (("ruleset",), rules.to_dict()), (("sanhedrin",), 30))
    position["parable_stacks"] = [[9, 7, 5, 3]] * 7
    position["favors"] = [list(rules.box.markers)] * 4
    assert returned(through_json(position)) == position


@pytest.mark.parametrize("stage", ["play", "visit"])
def test_steps__every_name_can_be_pending(stage: str) -> None:
    for step in (*STEPS, *(("apostle",) if stage == "visit" else ())):
        position = in_visit("offering") if stage == "visit" else at("offering")
        seat_apostle(position, 0, "orange", "top.1")
        steps = [step, "meeting"]
        if step.startswith("receive"):  # the marker has left the giver (I6)
            position["favors"][0].remove(step.split()[1])
            steps = [step, "favor_done", "meeting"]
        position["steps"] = [*steps, *position["steps"]]
        assert returned(position)["steps"] == position["steps"]


def test_steps__the_next_one_is_the_last_of_the_record() -> None:
    state = read_position(changed(at("offering"), (("steps",), ["go", "meeting"])))[0]
    names = write_position(state)["steps"]
    assert names == ["go", "meeting"]
    assert state["num_steps"] == 2
    assert [int(x) for x in state["steps"][:3]] == [9, 2, 0]  # codes of meeting and go


def test_ranks__follow_from_a_position_that_is_over() -> None:
    """E8: points, then an unused Illumination, then Favors done; the rest shares (A49)."""
    position = at("over")
    position["points"] = [80, 80, 75, 80]
    position["illumination"] = [False, True, False, False]
    for seat, done in enumerate((5, 2, 1, 5)):
        for _ in range(done):
            position["favors"][seat].pop()
        position["favors_done"][seat] = done
        position["blocked"][seat] = done < 2
    assert read_position(position)[0]["ranks"].tolist() == [2, 1, 4, 2]


def test_read__derives_what_the_position_leaves_out() -> None:
    position = first_turn()
    taken = position["mahane"].pop(0)
    position["hands"][2].append(taken)
    state = read_position(position)[0]
    assert state["hand_counts"].tolist() == [[5, 0, 0], [5, 0, 0], [5, 1, 0], [5, 0, 0]]
    assert state["deck"][0, 5:].tolist() == [-1] * 5
    assert state["mahane_size"] == 17
    assert state["ranks"].tolist() == [0] * 4
    assert state["decisions"] == 0


# --- accepted: positions that merely could not arise ---------------------------------------------
def test_read__accepts_amounts_that_could_not_arise() -> None:
    for field in ("denarii", "points"):
        position = changed(at("play"), ((field,), [1_000_000, 0, 77, 1]))
        assert returned(position)[field] == [1_000_000, 0, 77, 1]
    position = changed(
        at("play"), (("resources",), [[0, 0, 0], [1_000_000, 0, 5], [9] * 3, [0] * 3])
    )
    assert returned(position)["resources"][1] == [1_000_000, 0, 5]


def test_read__accepts_points_below_zero_only_at_the_end() -> None:
    """A44: Judas can take more than there is."""
    assert returned(changed(at("over"), (("points", 2), -3)))["points"][2] == -3


def test_read__accepts_neutral_followers_elsewhere() -> None:
    """E1 has one on top3.1; I1 counts them."""
    position = three_players()
    position["supper"] |= {"top1.1": None, "top3.1": "neutral"}
    assert returned(position)["supper"]["top3.1"] == "neutral"


def test_read__accepts_symbols_that_were_not_drawn() -> None:
    """F51 on a board that had two markets already; what a rule set fixes is for set-up alone."""
    position = changed(first_turn(), (("symbols", 0), ["market", "market", "lake"]))
    assert returned(position) == in_order(position)
    position["ruleset"] = RuleSet(symbols=["lake", "market", "temple"] * 3).to_dict()
    assert returned(position) == in_order(position)


def test_read__accepts_hands_of_any_size() -> None:
    for cards in (0, 1, 10):
        position = first_turn(cards)
        if cards == 0:  # A9: then a column can be cleared
            position["columns"][0][0] = [position["decks"][0].pop()]
        assert len(returned(position)["hands"][0]) == cards


def test_read__accepts_a_camp_that_is_too_full_until_the_end_of_the_turn() -> None:
    """R9.4."""
    crowded = (("resources", 1), [5, 5, 5])
    for phase in ("play", "offering", "purchase"):
        assert returned(changed(at(phase), crowded))["resources"][1] == [5, 5, 5]
    assert returned(changed(at("over"), crowded))["resources"][1] == [5, 5, 5]


def test_read__accepts_all_seated_and_the_visit_that_does_it() -> None:
    """I9, R7.12: the judgments stay until that visit has ended."""
    position = first_turn()
    seat_all(position)
    assert returned(position) == in_order(position)
    position = in_visit("supper")
    seat_all(position)
    position |= {"judgments_on": True, "choice": {"free": True}}
    assert returned(position) == in_order(position)


def test_read__accepts_empty_piles_and_slots() -> None:
    """A23."""
    position = first_turn()
    pile, position["mahane"] = position["mahane"], []
    position["columns"][3][2] = pile
    position["columns"][2][2] = [position["display"][1]]
    position["display"][1] = None
    assert returned(position) == in_order(position)


@pytest.mark.parametrize("free", [True, False])
def test_read__a_chosen_space_is_payable_unless_free(free: bool) -> None:
    position = changed(at("from"), (("choice",), {"free": free, "space": "jesus.top_left"}))
    if free:
        assert returned(position)["choice"] == {"free": True, "space": "jesus.top_left"}
    else:
        with pytest.raises(PositionError, match=r"^choice\.space: .*A37"):
            read_position(position)


def test_read__a_visit_with_cards_and_symbols() -> None:
    """F27, F51: cards in order and what they lack."""
    position = in_visit("apostle")
    position["hands"][0].remove("temple.go")
    position["columns"][0][1] = ["temple.go"]
    position["visit"] = [1, 0]
    assert returned(position)["visit"] == [1, 0]
    for symbol, refused in (("temple", False), ("lake", True)):
        short = changed(position, (("symbols_held", 0, symbol), 0))
        if refused:
            with pytest.raises(PositionError, match=r"^visit: .*symbols_held"):
                read_position(short)
        else:
            read_position(short)


def test_read__markers_given_earlier_are_accounted_for() -> None:
    """I6: symbols held by all and used ones are the markers given."""
    position = first_turn()
    give_marker(position, 3, "stone_1", 1, "desert")
    assert returned(position)["symbols_held"][1] == SYMBOLS | {"desert": 1}
    position["symbols_held"][1]["desert"] = 0  # used in a visit
    assert returned(position) == in_order(position)
