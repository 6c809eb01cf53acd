"""Invariants I1-I17 at every decision of random games, and each checker on doctored positions."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.ierusalem.invariants import CHECKS, STEP_CHECKS, broken_invariants, turned
from tests.ierusalem.random_rules import (
    choose,
    crowded_position,
    random_ruleset,
    random_steps,
)
from tests.ierusalem.reference_engine import ReferenceGame, new_game
from tests.ierusalem.scenes import WORTHLESS, Scene
from tests.ierusalem.table import Table

Position = dict[str, Any]


# --- whole games -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_invariants__hold_in_random_games(which: str, seed: int) -> None:
    rng = random.Random(seed)
    table = Table.new(which, random_ruleset(rng), seed)
    _check(table, rng, seed)


@pytest.mark.parametrize("seed", range(4))
def test_invariants__hold_from_crowded_positions(which: str, seed: int) -> None:
    rng = random.Random(50 + seed)
    table = Table.at(which, crowded_position(rng, random_ruleset(rng)))
    _check(table, rng, seed)


def _check(table: Table, rng: random.Random, seed: int) -> None:
    assert broken_invariants(table.position()) == []
    for number, (before, action, after) in enumerate(random_steps(table, rng, seed % 2 == 0)):
        broken = broken_invariants(after, before, action)
        assert broken == [], f"decision {number}, {before['phase']}: {action}"
    assert table.over


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_invariants__hold_in_100_more_games(which: str, block: int) -> None:
    for seed in range(100 + 25 * block, 125 + 25 * block):
        test_invariants__hold_in_random_games(which, seed)


# --- I16, I17 --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4])
def test_I16__turning_the_table_commutes_with_every_step(which: str, players: int) -> None:
    """A step from the turned position leads to the turned next position.

    Reshuffles are keyed by seat, so a step with one is compared by what it does not draw.
    """
    rng = random.Random(players)
    game = ReferenceGame(crowded_position(rng, {"players": players}))
    for number, (before, action, after) in enumerate(random_steps(game, rng, True, 150)):
        if which == "engine" and number % 5:
            continue  # each needs an environment of its own
        by = 1 + number % (players - 1)
        table = Table.at(which, turned(before, by))
        table.play(action)
        found, wanted = table.position(), turned(after, by)
        if before["shuffles"] != after["shuffles"]:
            for field in ("decks", "hands"):
                found.pop(field), wanted.pop(field)
        assert found == wanted, f"decision {number}: {action}"


def test_I17__a_position_and_an_action_give_the_next_position(which: str) -> None:
    """Also after writing the position out and reading it in; later reshuffles are the same."""
    rng = random.Random(17)
    rules = {"players": 3, "data": "box"}
    first = Table.new(which, rules, 3)
    actions = [action for _, action, _ in random_steps(first, rng, True)]
    end = first.position()
    assert sum(end["shuffles"]) > 0
    again = new_game(3, rules)
    for action in actions[:100]:
        again.act(action)
    middle = Table.at(which, again.position())
    for action in actions[100:]:
        middle.play(action)
    assert middle.position() == end


# --- the checkers ----------------------------------------------------------------------------


def _breach(name: str) -> Callable[[Position], None]:
    """What spoils a position of `Scene().gave(0, stone_1, 1)` with one Parable, by invariant."""

    def spoil_cards(p: Position) -> None:
        p["decks"][0][0], p["decks"][1][0] = p["decks"][1][0], p["decks"][0][0]

    breaches: dict[str, Callable[[Position], None]] = {
        "I1 camp": lambda p: p["camp"].__setitem__(0, p["camp"][0] - 1),
        "I1 supper": lambda p: p["supper"].__setitem__("top1.1", "neutral"),
        "I2 squares": lambda p: p["areas"].__setitem__(0, [4, 0, 0]),
        "I3 swapped": spoil_cards,
        "I3 twice": lambda p: p["discards"][0].append(p["decks"][0][0]),
        "I4 lost": lambda p: p["mahane"].pop(),
        "I4 slot": lambda p: p["mahane"].append(p["display"].pop()) or p["display"].append(None),
        "I4 tail": lambda p: p.__setitem__("xxxiii_tail", 11),
        "I4 known": lambda p: p["known_hands"][0].append(p["mahane"][0]),
        "I5 lost": lambda p: p["apostles"][0].pop(),
        "I6 marker": lambda p: p["favors"][1].pop(),
        "I6 tile": lambda p: p["blocked"].__setitem__(0, False),
        "I6 symbol": lambda p: p["symbols_held"][1].__setitem__("temple", 1),
        "I7 stack": lambda p: p["parable_stacks"][1].pop(0),
        "I7 tiles": lambda p: p["parables"].__setitem__(0, 2),
        "I8 offering": lambda p: p["offerings"].__setitem__(2, 2),
        "I9 marker": lambda p: p.__setitem__("sanhedrin", 23),
        "I9 judgments": lambda p: p.__setitem__("judgments_on", False),
        "I10 money": lambda p: p["denarii"].__setitem__(3, -1),
        "I15 decider": lambda p: p.__setitem__("to_act", 1),
    }
    return breaches[name]


BREACHES = (
    *("I1 camp", "I1 supper", "I2 squares", "I3 swapped", "I3 twice", "I4 lost", "I4 slot"),
    *("I4 tail", "I4 known", "I5 lost", "I6 marker", "I6 tile", "I6 symbol", "I7 stack"),
    *("I7 tiles", "I8 offering", "I9 marker", "I9 judgments", "I10 money", "I15 decider"),
)


def found_by(broken: list[str]) -> set[str]:
    """The ids of the invariants that are broken."""
    return {line.split(":")[0] for line in broken}


@pytest.mark.parametrize("name", BREACHES)
def test_checks__notice_a_breach(name: str) -> None:
    scene = Scene().gave(0, ["stone_1"], 1).parables(1, 0, 0, 0)
    assert broken_invariants(scene.p) == []
    _breach(name)(scene.p)
    assert name.split()[0] in found_by(broken_invariants(scene.p))


def test_checks__notice_a_breach_of_the_pool() -> None:
    card = "temple.favor+redistribute"
    game = ReferenceGame(Scene().cards(0, hand=[card], columns=(["lake.go"],)).p)
    game.act(f"card {card}")
    game.act("column 1")
    while game.state["phase"] != "redistribute":
        game.act("pass")
    before = game.position()
    game.act("rearrange")
    after = game.position()
    assert broken_invariants(after, before, "rearrange") == []
    swapped = copy.deepcopy(after)
    swapped["choice"]["pool"].reverse()
    assert found_by(broken_invariants(swapped)) == {"I14"}
    early = copy.deepcopy(after)
    early["choice"]["pool"].remove("lake.go")
    early["columns"][0][2].append("lake.go")
    assert found_by(broken_invariants(early)) == {"I14"}
    moved = copy.deepcopy(after)
    moved["points"][0] += 1
    assert found_by(broken_invariants(moved, before, "rearrange")) == {"I14"}


def _step(scene: Scene, *actions: str) -> tuple[Position, str, Position]:
    """Position, action and next position of the last of these actions."""
    game = ReferenceGame(scene.p)
    for action in actions[:-1]:
        game.act(action)
    before = game.position()
    game.act(actions[-1])
    assert broken_invariants(game.position(), before, actions[-1]) == []
    return before, actions[-1], game.position()


def test_step_checks__notice_a_breach() -> None:
    scene = Scene().own("denarii", 2).at_purchase().own("resources", [0, 0, 0])
    before, action, after = _step(scene.seated({"top.1": "white"}), "pass")

    def broken(change: Callable[[Position], None], old: Position = before) -> set[str]:
        wrong = copy.deepcopy(after)
        change(wrong)
        return found_by(broken_invariants(wrong, old, action))

    assert "I5" in broken(lambda p: p["seats"].update({"top.1": None, "top.2": "white"}))
    assert "I6" in broken(lambda p: p["symbols_held"][0].update(lake=1))
    assert "I9" in broken(lambda p: None, {**before, "sanhedrin": 1})
    assert "I9" in broken(lambda p: None, {**before, "judgments_on": False})
    assert "I8" in broken(lambda p: None, {**before, "offerings": [1, 1, 2, 1]})
    assert "I10" in broken(lambda p: p["denarii"].__setitem__(0, 3))
    assert "I11" in broken(lambda p: p["points"].__setitem__(1, 0))
    assert "I12" in broken(lambda p: p["resources"].__setitem__(0, [2, 2, 1]))
    assert "I13" in broken(lambda p: p["decks"][0].append(p["hands"][0].pop()))
    corner = next(space for space, owner in after["supper"].items() if owner == 2)
    assert "I1" in broken(lambda p: p["supper"].__setitem__(corner, None))


def test_step_checks__notice_a_move_before_the_last_choice() -> None:
    hand = ["desert.favor", "desert.go"]
    scene = Scene().cards(0, hand=hand).own("resources", [0, 0, 9]).followers(0, [2, 2, 0])
    for actions in (
        ["card desert.go"],
        ["card desert.go", "column 1", "space jesus.top_left"],
        ["card desert.favor", "column 1", "favor stone_1"],
    ):
        before, action, after = _step(scene, *actions)
        wrong = copy.deepcopy(after)
        wrong["camp"][0] -= 1
        assert "I14" in found_by(broken_invariants(wrong, before, action)), after["phase"]


def test_I12__followers_and_offerings_may_exceed_the_camp_by_one() -> None:
    """A27: 12 followers and 3 Offerings on 14 squares stay; a resource beside them does not."""
    scene = Scene().own("denarii", 2).at_purchase().own("offerings", 3)
    scene.own("resources", [0, 0, 0]).followers(0, [0, 0, 0], WORTHLESS[:3], camp=12)
    before, action, after = _step(scene, "pass")
    wrong = copy.deepcopy(after)
    wrong["resources"][0][0] = 1
    assert "I12" in found_by(broken_invariants(wrong, before, action))


def test_checks__are_all_there() -> None:
    """Every invariant but I16 and I17, which are played above, has a checker."""
    ids = {check.__name__.split("_")[1] for check in (*CHECKS, *STEP_CHECKS)}
    assert ids == {f"I{number}" for number in range(1, 16)}


@pytest.mark.parametrize("field", ["denarii", "camp", "favors_done", "parables", "offerings"])
def test_checks__notice_a_change_by_one_in_whole_games(field: str) -> None:
    """One more of it somewhere is noticed at nearly every decision, always for Denarii."""
    rng = random.Random(field)
    game = new_game(11, {"players": 3})
    noticed, tried = 0, 0
    for before, action, after in random_steps(game, rng, True, 200):
        wrong = copy.deepcopy(after)
        wrong[field][rng.randrange(3)] += 1
        found = broken_invariants(wrong, before, action)
        noticed, tried = noticed + bool(found), tried + 1
        assert found or field == "offerings", f"{action} in {before['phase']}"
    assert noticed > tried / 3


def test_choose__prefers_visits_when_eager() -> None:
    position = Scene().p
    legal = {"pass", "visit favors apostles.1", "visit column.1 apostles.1"}
    for seed in range(5):
        assert choose(random.Random(seed), legal, position).startswith("visit ")
