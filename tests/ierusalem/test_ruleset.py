"""Rule sets and data files of Ierusalem (rules VII.a, Part II)."""

from __future__ import annotations

import copy
import dataclasses
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jerusalem_env import RuleSetError, ierusalem_v0
from jerusalem_env.ierusalem.rules.box import (
    BOX_FILE,
    ORIGINS,
    Box,
    BoxError,
    box_of,
    load_box,
)
from jerusalem_env.ierusalem.rules.names import COLOURS, LOCATIONS
from jerusalem_env.ierusalem.rules.ruleset import PRESETS, RuleSet, resolve_rules
from tests.ierusalem.random_rules import other_data

SYMBOLS = ("lake", "lake", "market", "temple", "desert", "desert", "market", "lake", "temple")
Change = tuple[str, Any]


def data_with(*changes: Change) -> dict[str, Any]:
    """The content of the usual data file with other values; ``section.name`` or a deeper way."""
    content = copy.deepcopy(load_box().content)
    for where, value in changes:
        *way, name = where.split(".")
        found: Any = content
        for part in way:
            found = found[part]
        found[name] = {**found.get(name, {"from": "reconstructed"}), "v": value}
    return content


def usual(section: str, name: str) -> Any:
    """A copy of a value of the usual data file."""
    return copy.deepcopy(load_box()[section, name])


# --- switches -----------------------------------------------------------------------------------
def test_defaults__are_those_of_the_rules() -> None:
    assert RuleSet().to_dict() == {
        "players": 4,
        "apostle_columns": "mixed",
        "orange_scores": "all",
        "symbols": None,
        "colours": None,
        "first_player": None,
        "data": "box",
    }


EXAMPLES = [
    RuleSet(),
    RuleSet(players=3, apostle_columns="by_colour", orange_scores="own", first_player=2),
    RuleSet(symbols=SYMBOLS, colours=("green", "blue", "red", "yellow"), first_player=0),
    RuleSet(players=3, colours=("yellow", "red", "green"), data=other_data()),
]


@pytest.mark.parametrize("rules", EXAMPLES, ids=range(len(EXAMPLES)))
def test_dict__there_and_back_through_json(rules: RuleSet) -> None:
    written = json.loads(json.dumps(rules.to_dict(), allow_nan=False))
    assert written == rules.to_dict()
    read = RuleSet.from_dict(written)
    assert (read, hash(read)) == (rules, hash(rules))
    assert read.to_dict() == written
    for name, value in read.tables().items():
        assert np.array_equal(value, rules.tables()[name]), name


@given(st.data())
def test_dict__of_any_switches_there_and_back(data: st.DataObject) -> None:
    tiles = [place for place in LOCATIONS for _ in range(3)]
    players = data.draw(st.sampled_from((3, 4)))
    rules = RuleSet(
        players,
        data.draw(st.sampled_from(("mixed", "by_colour"))),
        data.draw(st.sampled_from(("all", "own"))),
        data.draw(st.none() | st.permutations(tiles).map(lambda order: tuple(order[:9]))),
        data.draw(st.none() | st.permutations(COLOURS).map(lambda order: tuple(order[:players]))),
        data.draw(st.none() | st.integers(0, players - 1)),
    )
    assert RuleSet.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules


def test_dict__missing_switches_take_their_defaults() -> None:
    assert RuleSet.from_dict({}) == RuleSet()
    assert RuleSet.from_dict({"players": 3}) == RuleSet(players=3)


@pytest.mark.parametrize("values", [{"rounds": 5}, {"Players": 3}, {"box": "box"}])
def test_dict__an_unknown_switch_is_named(values: dict[str, Any]) -> None:
    with pytest.raises(RuleSetError, match=f"unknown switch '{next(iter(values))}'.*players"):
        RuleSet.from_dict(values)


@pytest.mark.parametrize("values", [None, [], "box", 4])
def test_dict__must_be_an_object(values: Any) -> None:
    with pytest.raises(RuleSetError, match="ruleset must be an object of switches"):
        RuleSet.from_dict(values)


def test_ruleset__is_frozen_and_plain() -> None:
    rules = RuleSet(players=np.int8(3), first_player=np.int64(1), symbols=list(SYMBOLS))  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.players = 4  # type: ignore[misc]
    assert (type(rules.players), type(rules.first_player)) == (int, int)
    assert rules.symbols == SYMBOLS
    assert len({RuleSet(), RuleSet(), RuleSet(players=3), RuleSet(data=other_data())}) == 3


TOO_MANY = ["lake"] * 4 + ["market"] * 3 + ["temple"] * 2
BAD: list[tuple[dict[str, Any], str]] = [
    *(
        ({"players": bad}, r"^players must be an integer 3\.\.4, got ")
        for bad in (2, 5, 0, -3, 3.0, "3", None, True, [4])
    ),
    *(
        ({"apostle_columns": bad}, "^apostle_columns must be mixed or by_colour, got ")
        for bad in ("Mixed", "", None, 0, ["mixed"])
    ),
    *(({"orange_scores": bad}, "^orange_scores must be all or own") for bad in ("none", None, 1)),
    *(
        ({"symbols": bad}, "^symbols must be None or 9 of market, desert, mountain, lake, temple")
        for bad in ([], SYMBOLS[:8], "lake", 9, [*SYMBOLS[:8], "city"], [[*SYMBOLS]])
    ),
    ({"symbols": TOO_MANY}, r"^symbols must hold lake at most 3 times \(R1\.8\)"),
    *(
        ({"colours": bad}, "^colours must be None or 4 of ")
        for bad in ([], ["red"], ["red", "blue", "green"], ["red", "blue", "green", "pink"], "red")
    ),
    ({"colours": ["red", "blue", "red", "green"]}, "^colours must all differ"),
    ({"players": 3, "colours": list(COLOURS)}, "^colours must be None or 3 of "),
    *(
        ({"first_player": bad}, r"^first_player must be None or an integer 0\.\.3")
        for bad in (4, -1, 1.0, "0", True)
    ),
    ({"players": 3, "first_player": 3}, r"^first_player must be None or an integer 0\.\.2"),
    *(
        ({"data": bad}, '^data must be "box", a path or the content of a data file, got ')
        for bad in (None, 7, ["box"], b"box")
    ),
]


@pytest.mark.parametrize(("values", "told"), BAD, ids=[str(values)[:40] for values, _ in BAD])
def test_ruleset__a_bad_value_is_refused_by_name(values: dict[str, Any], told: str) -> None:
    for make in (lambda: RuleSet(**values), lambda: RuleSet.from_dict(values)):
        with pytest.raises(RuleSetError, match=told):
            make()


@pytest.mark.parametrize("players", [3, 4])
def test_presets__are_the_data_of_the_rules(players: int) -> None:
    assert tuple(PRESETS) == ("box", "by_colour")
    assert resolve_rules("box", players) == RuleSet(players)
    assert resolve_rules("by_colour", players) == RuleSet(players, "by_colour")
    assert resolve_rules("box").players == 4


@pytest.mark.parametrize("name", ["Box", "", "german", None, 4, ["box"], {}])
def test_presets__an_unknown_name_is_refused(name: Any) -> None:
    with pytest.raises(RuleSetError, match=r"unknown rules .*box, by_colour, or a RuleSet"):
        resolve_rules(name)


def test_resolve__a_rule_set_brings_its_own_players() -> None:
    rules = RuleSet(players=3)
    assert resolve_rules(rules) is resolve_rules(rules, 3) is rules
    with pytest.raises(RuleSetError, match=r"players=4 contradicts .* for 3"):
        resolve_rules(rules, 4)
    for make in (ierusalem_v0.raw_env, ierusalem_v0.env, ierusalem_v0.solo_env):
        with pytest.raises(RuleSetError, match="players=4 contradicts"):
            make(players=4, rules=rules)
    with pytest.raises(RuleSetError, match=r"players must be an integer 3\.\.4, got 2"):
        ierusalem_v0.batch_env(2, players=2)


# --- data files ---------------------------------------------------------------------------------
def test_box__says_of_each_value_where_it_is_from() -> None:
    entries = list(load_box().entries())
    assert len(entries) > 60
    assert {origin for *_, origin in entries} == set(ORIGINS)
    for section, name, value, origin in entries:
        assert load_box()[section, name] == value
        assert load_box().origin(section, name) == origin
    assert load_box().origin("apostles", "judas_denarii") == "seed"
    assert load_box().origin("supper", "jesus_points") == "reconstructed"


def test_box__by_name_by_path_and_by_content_are_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(BOX_FILE.read_text(encoding="utf-8"), encoding="utf-8")
    for data in ("box", str(path), path, load_box().content, load_box()):
        rules = RuleSet(data=data)
        assert rules == RuleSet()
        assert rules.box.digest == load_box().digest
        assert rules.to_dict()["data"] == "box"


def test_box__of_another_file(tmp_path: Path) -> None:
    text = BOX_FILE.read_text(encoding="utf-8")
    line = "jesus_points          = {v = 7"
    assert text.count(line) == 1
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(line, line.replace("7", "9")), encoding="utf-8")
    rules = RuleSet(data=path)
    assert rules != RuleSet()
    assert rules == RuleSet(data=data_with(("supper.jesus_points", 9)))
    assert rules.tables()["jesus_points"] == 9
    assert rules.to_dict()["data"]["supper"]["jesus_points"]["v"] == 9


def test_box__its_tables_are_the_callers_own() -> None:
    load_box().tables(4, False)["space_cost"][:] = 0
    assert load_box().tables(4, False)["space_cost"].any()


def test_box_of__finds_what_has_been_loaded() -> None:
    mine = load_box(data_with(("supper.jesus_points", 11)))
    assert box_of(mine.digest) is mine
    assert box_of(np.uint64(load_box().digest)) is load_box()  # type: ignore[arg-type]
    unknown = Box(json.dumps(data_with(("supper.jesus_points", 13)))).digest
    with pytest.raises(BoxError, match=f"digest {unknown:016x} that this process has not loaded"):
        box_of(unknown)


def test_file__that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RuleSetError, match='data must be "box" or the path of a TOML file'):
        RuleSet(data=str(tmp_path / "none.toml"))
    with pytest.raises(RuleSetError, match='data must be "box" or the path'):
        RuleSet(data=tmp_path)
    for content in (b"[components", b"\xff\xfe = 1"):
        path = tmp_path / "wrong.toml"
        path.write_bytes(content)
        with pytest.raises(RuleSetError, match=r"data file .*wrong\.toml is no TOML"):
            RuleSet(data=path)


def row_effects(row: str, effects: Any) -> dict[str, Any]:
    """The effects of the upper side with one row replaced."""
    return {**usual("supper", "effects_top"), row: effects}


def columns(*changes: tuple[int, int, str]) -> Any:
    """The mixed apostle columns with some Apostles replaced."""
    found = usual("apostles", "columns_mixed")
    for column, place, colour in changes:
        found[column][place] = colour
    return found


def cards(section: str, name: str, place: int, kind: Any) -> Change:
    """A deck with one card replaced."""
    deck = usual(f"cards.{section}", name)
    deck[place] = kind
    return (f"cards.{section}.{name}", deck)


CORNERS = [f"corner.{where}" for where in ("top_left", "top_right", "bottom_left")]
WRONG: list[tuple[Change, str]] = [
    # what ids and records are built on
    (("components.followers_each", 14), "components.followers_each must be 15: action ids"),
    (("setup.display", 3), "setup.display must be 2"),
    (("supper.seat_columns", [1, 2]), r"supper.seat_columns must be \[1, 2, 3, 6, 7, 8\]"),
    (("sanhedrin.tiles", ["go"]), "sanhedrin.tiles must be "),
    # whole numbers, alone, in lists and by name
    (("supper.jesus_points", "7"), r"supper.jesus_points must be an integer 0\.\.100, got '7'"),
    (("supper.jesus_points", -1), r"supper.jesus_points must be an integer 0\.\.100, got -1"),
    (("supper.jesus_points", 101), "supper.jesus_points must be an integer"),
    (("supper.jesus_points", 7.0), "supper.jesus_points must be an integer"),
    (("supper.jesus_points", True), "supper.jesus_points must be an integer"),
    (("setup.hand", 0), r"setup.hand must be an integer 1\.\.9"),
    (("setup.hand", 10), r"setup.hand must be an integer 1\.\.9"),
    (("favors.unblock_at", 0), r"favors.unblock_at must be an integer 1\.\.8"),
    (("setup.resources", [1, 1]), r"setup.resources must be 3 integers 0\.\.100"),
    (("setup.resources", 1), "setup.resources must be 3 integers"),
    (("parables.end_points", [0] * 7), "parables.end_points must be 8 integers"),
    (("parables.points", [6, 5, 4, "3"]), "parables.points must be 4 integers"),
    (("locations.recruit_price", {"desert": 1}), "recruit_price must have desert, mountain, lake"),
    (("locations.recruit_price", 3), "locations.recruit_price must have desert"),
    (
        ("locations.trade_price", {"stone": 0, "bread": 3, "fish": 4}),
        r"locations.trade_price.stone must be an integer 1\.\.100",
    ),
    (
        ("apostles.value", {"purple": 4, "orange": 5, "white": 6, "judas": -101}),
        r"apostles.value.judas must be an integer -100\.\.100",
    ),
    # cards
    (("cards.mahane.kinds", ["market.go"]), "cards.mahane.kinds must be a list of 20"),
    (("cards.xxxiii.kinds", "market.go"), "cards.xxxiii.kinds must be a list of 10"),
    (("cards.starting.red", []), "cards.starting.red must be a list of 10"),
    (cards("mahane", "kinds", 0, "city.go"), "'city.go' must be location.action"),
    (cards("mahane", "kinds", 0, "market"), "'market' must be location.action"),
    (cards("mahane", "kinds", 0, "market.dance"), "'market.dance' must be location.action"),
    (cards("mahane", "kinds", 0, 5), "5 must be location.action"),
    (cards("starting", "red", 0, "market.go+go+go+go"), "must have 1 to 3 actions"),
    (cards("mahane", "kinds", 0, "market.parable+temple"), "all different; got 54 of 55"),
    (cards("starting", "red", 0, "market.vp3"), "all different; got 56 of 55"),
    (cards("starting", "red", 0, "market.parable"), "starting.red must be 10 different cards"),
    (cards("xxxiii", "kinds", 0, "city.go"), "'city.go' must be location.action"),
    (cards("xxxiii", "kinds", 0, ["market.go"]), "must be location.action"),
    (("cards.apostle_points", {"starting": 1}), "cards.apostle_points must have starting, mahane"),
    # the table
    (("supper.effects_top", {"1": []}), "effects_top must have rows 1, 2 and 3 of 8 effects"),
    (("supper.effects_top", row_effects("1", ["-"] * 7)), "supper.effects_top must have rows"),
    (("supper.effects_bottom", "as above"), "supper.effects_bottom must have rows 1, 2 and 3"),
    (
        ("supper.effects_top", row_effects("3", ["-"] * 7 + ["points_21"])),
        "effects_top: 'points_21' must be - or points_K or denarii_K or one of ",
    ),
    (("supper.effects_top", row_effects("2", ["swap"] * 8)), "supper.effects_top: 'swap' must be"),
    (("supper.row_cost", {"1": "fish"}), "supper.row_cost must have rows 1, 2 and 3"),
    (("supper.row_cost", "fish"), "supper.row_cost must have rows 1, 2 and 3"),
    (("supper.row_cost", {"1": "wine", "2": "fish", "3": "fish"}), "row_cost must name stone, br"),
    (("supper.table_cost", {"fish": 8}), "supper.table_cost must name stone, bread, fish"),
    (("supper.table_cost", {"fish": True}), "supper.table_cost must name stone, bread, fish"),
    (("supper.column_cost", ["fish"] * 7), "supper.column_cost must be a list of 8"),
    (("supper.column_cost", [{"stone": 7}] * 8), "a space may cost at most 7 of a resource"),
    (("setup.neutral_with_3", ["top4.1"]), "neutral_with_3 must be a list of spaces"),
    (("setup.neutral_with_3", CORNERS), "must leave three corners free"),
    # Apostles and tracks
    (("apostles.columns_mixed", [["judas"]]), "apostles.columns_mixed must be a list of 3"),
    (("apostles.columns_mixed", columns((0, 0, "pink"))), "columns_mixed must name purple, orange"),
    (("apostles.columns_mixed", columns((0, 0, "judas"))), "12 Apostles, one of them judas"),
    (("apostles.columns_by_colour", [["judas"], [], []]), "columns_by_colour must hold 12"),
    (("sanhedrin.last_space", 0), r"sanhedrin.last_space must be an integer 1\.\.100"),
    (("sanhedrin.last_space", 17), r"sanhedrin.tile_spaces must be 6 integers 1\.\.17"),
    (("sanhedrin.tile_spaces", [3, 6, 9, 12, 18, 15]), "sanhedrin.tile_spaces must rise"),
    (("sanhedrin.tile_spaces", [3, 6, 9, 12, 15, 15]), "sanhedrin.tile_spaces must rise"),
    # Parables and favors
    (("parables.followers_needed", "many"), 'followers_needed must be "the parable\'s number" or'),
    (("parables.followers_needed", [1.0] * 7), "parables.followers_needed must be"),
    (("parables.rewards", ["-"] * 6), "parables.rewards must be a list of 7"),
    (("parables.rewards", ["sing"] + ["-"] * 6), "parables.rewards: 'sing' must be - or points_K"),
    (("parables.rewards", ["points_2"] + ["-"] * 6), "parables.rewards must be - or names of act"),
    (("favors.markers", ["fish_1"] * 8), "favors.markers must be 8 different names"),
    (("favors.markers", ["fish_1"]), "favors.markers must be a list of 8"),
    (("favors.markers", ["call_sea"] * 8), "favors.markers: 'call_sea' must be call_AREA or K of"),
    (("favors.markers", ["fish_0"] * 8), "favors.markers: 'fish_0' must be call_AREA"),
    (("favors.symbols", ["sea"] * 8), "favors.symbols must name locations"),
    (("favors.denarii_at", {"9": 2}), r"favors.denarii_at must give Denarii by space 1\.\.8"),
    (("favors.denarii_at", {"4": "2"}), "favors.denarii_at must give Denarii by space"),
    (("favors.denarii_at", [2]), "favors.denarii_at must give Denarii by space"),
    # set-up
    (("locations.squares", {"3": 6}), "locations.squares must have 3 and 4 players"),
    (("locations.squares", {"3": 5, "4": 8}), r"locations.squares.3 must be 6\.\.12"),
    (("locations.squares", {"3": 6, "4": 13}), r"locations.squares.4 must be 8\.\.12"),
    (("setup.camp", 9), "setup: camp, areas, the chosen area and the corner must make 15"),
    (("setup.in_each_location", 2), "must make 15 followers"),
    (("locations.max_each", 1), r"locations.max_each must be an integer 2\.\.15"),
]


@pytest.mark.parametrize(
    ("change", "told"), WRONG, ids=[f"{i}-{c[0]}" for i, (c, _) in enumerate(WRONG)]
)
def test_data__a_wrong_value_is_refused_by_name(change: Change, told: str) -> None:
    with pytest.raises(RuleSetError, match=told):
        RuleSet(data=data_with(change))


SHAPES: list[tuple[str, Any, str]] = [
    ("supper", {}, "supper.* is missing from the data file"),
    ("supper", 3, "supper must be an entry or a section, got 3"),
    ("end", {"offering": {"v": 1, "from": "seed"}}, "end.illumination is missing"),
    ("end", {"offering": 1}, "end.offering must be an entry or a section, got 1"),
    ("end", {"offering": {"v": 1}}, r"end.offering must be \{v = value"),
    ("end", {"offering": {"v": 1, "from": "me"}}, "one of seed, found, derived, reconstructed"),
    ("end", {"offering": {"v": 1, "from": "seed", "why": ""}}, r"end.offering must be \{v = value"),
    ("end", {"v": 1, "from": "seed"}, "end.offering"),
]


@pytest.mark.parametrize(("section", "content", "told"), SHAPES, ids=range(len(SHAPES)))
def test_data__a_wrong_shape_is_refused(section: str, content: Any, told: str) -> None:
    with pytest.raises(RuleSetError, match=told):
        RuleSet(data={**load_box().content, section: content})
    with pytest.raises(RuleSetError, match="is missing from the data file"):
        RuleSet(data={k: v for k, v in load_box().content.items() if k != section})


@cache
def numbers() -> list[tuple[str, Any]]:
    """(section.name, value) of every entry of the usual file."""
    return [(f"{section}.{name}", value) for section, name, value, _ in load_box().entries()]


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)


@given(st.data())
def test_data__any_value_anywhere_is_used_or_refused(data: st.DataObject) -> None:
    """Nothing but ``RuleSetError``, and what is used fits the record."""
    where, value = data.draw(st.sampled_from(numbers()))
    if isinstance(value, list) and data.draw(st.booleans()):
        other = copy.deepcopy(value)
        other[data.draw(st.integers(0, len(value) - 1))] = data.draw(VALUES)
    else:
        other = data.draw(st.one_of(VALUES, st.integers(-1, 101)))
    try:
        rules = RuleSet(data=data_with((where, other)))
    except RuleSetError:
        return
    made = ierusalem_v0.raw_env(rules=rules).game.new_states(1)
    for name, table in rules.tables().items():
        there = made[name][0]
        assert np.array_equal(there[tuple(slice(k) for k in np.shape(table))], table), name


@pytest.mark.parametrize("value", [np.int64(7), object(), "\ud800", b"7"])
def test_data__what_no_file_can_hold_is_refused(value: Any) -> None:
    with pytest.raises(RuleSetError, match="a data file must hold numbers, texts, lists"):
        RuleSet(data=data_with(("supper.jesus_points", value)))


def test_file__with_a_date_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('[end]\noffering = {v = 2020-01-01, from = "seed"}\n', encoding="utf-8")
    with pytest.raises(RuleSetError, match="a data file must hold numbers, texts, lists"):
        RuleSet(data=path)


@pytest.mark.parametrize("value", [2**70, 1000, -1000])
def test_data__amounts_that_do_not_fit_the_record_are_refused(value: int) -> None:
    for where, size in (("parables.followers_needed", 7), ("parables.points", 4)):
        with pytest.raises(RuleSetError, match=where):
            RuleSet(data=data_with((where, [value] * size)))
