"""Rule sets: switches, presets, incomes and the bound on bids (rules VII.a, VII.b)."""

from __future__ import annotations

import dataclasses
import json
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet, RuleSetError, jerusalem_v0
from jerusalem_env.jerusalem.rules.board import AREAS, income_provenance, preset_table
from jerusalem_env.jerusalem.rules.ruleset import PRESETS, resolve_rules, silver_bound
from tests.reference_engine import RULESET_DEFAULTS, areas_in_play

Table = list[list[int]]

# VII.b: (squires, silver, prestige), large area then each small one.
PRINTED = {
    "ludorium": "0,0,4/0,0,2 6,0,0/3,0,0 4,0,2/2,0,1 2,4,0/1,2,0 0,4,2/0,2,1",
    "six_icons": "0,0,6/0,0,3 6,0,0/3,0,0 4,0,2/2,0,1 2,4,0/1,2,0 0,4,2/0,2,1",
    "equal_value": "0,0,4/0,0,2 4,0,0/2,0,0 2,0,2/1,0,1 2,4,0/1,2,0 0,4,2/0,2,1",
}
SWITCHES = (
    "influence_ignores_baron",
    "election_all_sectors",
    "move_card_may_leave_blocked",
    "marshal_moves_count_for_baron",
    "palace_baron_round_1",
    "decline_income",
    "zero_ties_win_gifts",
    "war_may_hit_templars",
)
NOTHING: Table = [[0, 0, 0] for _ in range(16)]


def table_of(text: str) -> tuple[tuple[int, ...], ...]:
    rows: list[tuple[int, ...]] = []
    for sector in text.split():
        large, small = (tuple(map(int, part.split(","))) for part in sector.split("/"))
        rows += [large, small, small]
    return (*rows, (0, 0, 0))


def test_defaults__are_those_of_the_rules() -> None:
    assert RuleSet().to_dict() == {
        "players": 4,
        "income": "ludorium",
        "first_opener": None,
        "influence_ignores_baron": False,
        "election_all_sectors": False,
        "move_card_may_leave_blocked": False,
        "marshal_moves_count_for_baron": True,
        "palace_baron_round_1": False,
        "decline_income": False,
        "zero_ties_win_gifts": True,
        "war_may_hit_templars": True,
        "rounds": 5,
    }
    assert list(RuleSet().to_dict()) == list(RULESET_DEFAULTS)


EXAMPLES = [
    RuleSet(),
    RuleSet(players=2, rounds=1, first_opener=1),
    RuleSet(players=3, income="six_icons", first_opener=0),
    RuleSet(**{switch: not RULESET_DEFAULTS[switch] for switch in SWITCHES}),
    RuleSet(income=tuple((1, 0, area % 3) if area < 15 else (0, 0, 0) for area in range(16))),
]


@pytest.mark.parametrize("rules", EXAMPLES)
def test_dict__there_and_back_through_json(rules: RuleSet) -> None:
    written = json.loads(json.dumps(rules.to_dict(), allow_nan=False))
    assert written == rules.to_dict()
    read = RuleSet.from_dict(written)
    assert read == rules
    assert hash(read) == hash(rules)
    assert read.income_table == rules.income_table


def test_dict__missing_switches_take_their_defaults() -> None:
    assert RuleSet.from_dict({}) == RuleSet()
    assert RuleSet.from_dict({"players": 3}) == RuleSet(players=3)


@pytest.mark.parametrize("values", [{"house_rule": True}, {"Players": 3}])
def test_dict__unknown_switch_is_named(values: dict[str, Any]) -> None:
    with pytest.raises(RuleSetError, match=f"unknown switch '{next(iter(values))}'.*players"):
        RuleSet.from_dict(values)


@pytest.mark.parametrize("values", [None, [], "german", 4])
def test_dict__must_be_an_object(values: Any) -> None:
    with pytest.raises(RuleSetError, match="must be an object"):
        RuleSet.from_dict(values)


def test_ruleset__is_frozen_and_hashable() -> None:
    rules = RuleSet()
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.players = 3  # type: ignore[misc]
    assert len({RuleSet(), RuleSet(), RuleSet(players=3), RuleSet(rounds=4)}) == 3


def test_ruleset__numbers_and_tables_become_plain() -> None:
    rules = RuleSet(players=np.int8(3), rounds=np.int64(2), income=np.zeros((16, 3), int))  # type: ignore[arg-type]
    assert type(rules.players) is int
    assert type(rules.rounds) is int
    assert rules.income == ((0, 0, 0),) * 16
    assert {type(x) for row in rules.income_table for x in row} == {int}
    table = [list(row) for row in NOTHING]
    held = RuleSet(income=table)  # type: ignore[arg-type]
    table[0][0] = 5
    assert held.income_table[0] == (0, 0, 0)


def row(area: int, *values: Any) -> Any:
    table: list[Any] = [list(entry) for entry in NOTHING]
    table[area] = list(values)
    return table


BAD: list[tuple[dict[str, Any], str]] = [
    *(({"players": bad}, "players") for bad in (1, 5, 0, -2, 2.0, "3", None, True, [4])),
    *(({"rounds": bad}, "rounds") for bad in (0, 6, -1, 5.0, "5", None, True)),
    *(({"first_opener": bad}, "first_opener") for bad in (4, -1, 1.0, "0", True)),
    ({"players": 2, "first_opener": 2}, "first_opener"),
    *(({switch: bad}, switch) for switch in SWITCHES for bad in (0, 1, "yes", None)),
    *(({"income": bad}, "income") for bad in ("", "Ludorium", "custom", None, 3, [], [[0, 0, 0]])),
    ({"income": NOTHING[:15]}, "income"),
    ({"income": [*NOTHING, [0, 0, 0]]}, "income"),
    ({"income": row(3, 0, 0)}, "income"),
    ({"income": row(3, 0, 0, 0, 0)}, "income"),
    ({"income": row(3, -1, 0, 0)}, "income[3][0]"),
    ({"income": row(4, 0, 1.5, 0)}, "income[4][1]"),
    ({"income": row(5, 0, 0, "2")}, "income[5][2]"),
    ({"income": row(6, 0, 0, True)}, "income[6][2]"),
    ({"income": row(7, 0, 0, 1001)}, "income[7][2]"),
    ({"income": row(15, 0, 1, 0)}, "income[15]"),
    ({"income": row(15, 0, 0, 1)}, "income[15]"),
    ({"income": row(15, 1, 0, 0)}, "income[15]"),
    ({"income": row(9, 0, 500, 0)}, "income"),
    ({"income": row(3, 1000, 0, 0)}, "income"),
]


@pytest.mark.parametrize(("values", "field"), BAD, ids=[str(values)[:40] for values, _ in BAD])
def test_ruleset__bad_value_is_refused_by_name(values: dict[str, Any], field: str) -> None:
    for make in (lambda: RuleSet(**values), lambda: RuleSet.from_dict(values)):
        with pytest.raises(RuleSetError) as caught:
            make()
        assert field in str(caught.value).replace(",", " ").replace(":", " ").split()


def test_ruleset__bad_table_and_preset_say_what_is_expected() -> None:
    with pytest.raises(RuleSetError, match="ludorium, six_icons, equal_value"):
        RuleSet(income="gold")
    with pytest.raises(RuleSetError, match="16 rows"):
        RuleSet(income=())
    with pytest.raises(RuleSetError, match="davids_tower"):
        RuleSet(income=row(15, 0, 1, 0))


# --- presets and players --------------------------------------------------------------------------
@pytest.mark.parametrize("players", [2, 3, 4])
def test_presets__are_those_of_the_rules(players: int) -> None:
    differs = {
        "german": set(),
        "dutch": {"influence_ignores_baron"},
        "french": {"election_all_sectors", "move_card_may_leave_blocked"},
    }
    assert set(PRESETS) == set(differs)
    default = RuleSet(players=players).to_dict()
    for name, expected in differs.items():
        values = RuleSet.preset(name, players).to_dict()
        assert {key for key in values if values[key] != default[key]} == expected
        assert resolve_rules(name, players) == RuleSet.preset(name, players)
    assert RuleSet.preset("german").players == 4


@pytest.mark.parametrize("name", ["German", "", "italian", None, 4, ["german"], {}])
def test_presets__unknown_name_is_refused(name: Any) -> None:
    with pytest.raises(RuleSetError, match=r"unknown rules .*german, dutch, french"):
        RuleSet.preset(name)
    with pytest.raises(RuleSetError, match="unknown rules"):
        resolve_rules(name)


@pytest.mark.parametrize("players", [0, 1, 5, "4", 3.0, True])
def test_presets__wrong_number_of_players_is_refused(players: Any) -> None:
    with pytest.raises(RuleSetError, match=r"players must be an integer 2\.\.4"):
        resolve_rules("german", players)


def test_resolve__a_rule_set_brings_its_own_players() -> None:
    rules = RuleSet(players=3, decline_income=True)
    assert resolve_rules(rules) is rules
    assert resolve_rules(rules, 3) is rules
    for players in (2, 4):
        with pytest.raises(RuleSetError, match=f"players={players} contradicts .* for 3"):
            resolve_rules(rules, players)
        with pytest.raises(RuleSetError, match=f"players={players} contradicts"):
            jerusalem_v0.raw_env(players=players, rules=rules)
        with pytest.raises(RuleSetError, match=f"players={players} contradicts"):
            jerusalem_v0.batch_env(4, players=players, rules=rules)
    assert len(jerusalem_v0.raw_env(rules=rules).possible_agents) == 3


# --- incomes --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PRINTED)
def test_income__presets_are_the_table_of_the_rules(name: str) -> None:
    assert RuleSet(income=name).income_table == preset_table(name) == table_of(PRINTED[name])


@pytest.mark.parametrize("name", PRINTED)
def test_income__large_areas_pay_double(name: str) -> None:
    table = preset_table(name)
    for area in range(0, 15, 3):
        assert table[area] == tuple(2 * x for x in table[area + 1])
        assert table[area + 1] == table[area + 2]


def test_income__provenance_is_honest() -> None:
    for name in PRINTED:
        printed = {
            area
            for area, origin in zip(AREAS, income_provenance(name), strict=True)
            if origin == "printed"
        }
        assert printed == {"market.large", "market.left", "market.right", "davids_tower"}
        assert set(income_provenance(name)) == {"printed", "reconstructed"}
    assert income_provenance(preset_table("ludorium")) == ("custom",) * 16


# --- the bound on bids ----------------------------------------------------------------------------
def bound(players: int, rounds: int, table: Table) -> int:
    """The formula of VII.a, in fractions."""
    k = rounds - 1
    rows = [table[AREAS.index(area)] for area in areas_in_play(players) if area != "davids_tower"]
    squires, silver = sum(r[0] for r in rows), sum(r[1] for r in rows)
    cards = (0, 2, Fraction(17, 3), Fraction(28, 3), Fraction(35, 3), Fraction(38, 3))
    from_cards = Fraction(2 * k) if players == 2 else Fraction(cards[k])
    total = 12 + k * (Fraction(11, 3) + silver) + max(k - 1, 0) * Fraction(squires, 3) + from_cards
    return math.floor(total)


def spread(players: int, squires: int, silver: int) -> Table:
    """A table with these sums over the areas in play, each spread over several areas."""
    table = [list(entry) for entry in NOTHING]
    inside = [AREAS.index(a) for a in areas_in_play(players) if a != "davids_tower"]
    for column, amount in ((0, squires), (1, silver)):
        for unit in range(amount):
            table[inside[unit % len(inside)]][column] += 1
    return table


def accepts(players: int, rounds: int, table: Table) -> bool:
    try:
        RuleSet(players=players, rounds=rounds, income=table)  # type: ignore[arg-type]
    except RuleSetError as error:
        if not str(error).startswith("income: ") or "127" not in str(error):
            raise
        return False
    return True


@pytest.mark.parametrize("rounds", [2, 3, 4, 5])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_bound__just_below_is_accepted_and_just_above_refused(players: int, rounds: int) -> None:
    for squires in (0, 1, 2, 3, 10, 31):
        silver = 0
        while bound(players, rounds, spread(players, squires, silver + 1)) <= 127:
            silver += 1
        assert accepts(players, rounds, spread(players, squires, silver))
        assert not accepts(players, rounds, spread(players, squires, silver + 1))
    if rounds == 2:
        return  # squires of the one completed round cannot have been sold
    for silver in (0, 1, 5, 9):
        squires = 0
        while bound(players, rounds, spread(players, squires + 1, silver)) <= 127:
            squires += 1
        assert accepts(players, rounds, spread(players, squires, silver))
        assert not accepts(players, rounds, spread(players, squires + 1, silver))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bound__is_the_formula_for_any_table(players: int) -> None:
    chance = random.Random(players)
    seen = set()
    for _ in range(400):
        rounds, top = chance.randint(1, 5), chance.choice((1, 4, 9, 30))
        table = [[chance.randint(0, top) for _ in range(3)] for _ in range(15)] + [[0, 0, 0]]
        expected = bound(players, rounds, table)
        assert silver_bound(players, rounds, table) == expected  # type: ignore[arg-type]
        assert accepts(players, rounds, table) == (expected <= 127)
        seen.add(expected <= 127)
    assert seen == {True, False}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bound__one_round_takes_any_table(players: int) -> None:
    rich = [[1000, 1000, 1000]] * 15 + [[0, 0, 0]]
    assert bound(players, 1, rich) == 12
    assert accepts(players, 1, rich)
    assert not accepts(players, 2, rich)


def test_bound__areas_out_of_play_do_not_count() -> None:
    table = row(AREAS.index("nobility.large"), 0, 900, 0)
    assert accepts(2, 5, table)
    assert not accepts(3, 5, table)


def test_bound__of_the_rules_text() -> None:
    """The table of VI.b, for no income."""
    assert [silver_bound(4, r, preset_table("ludorium")) for r in (1,)] == [12]
    empty: Any = NOTHING
    assert [silver_bound(4, r, empty) for r in range(1, 6)] == [12, 17, 25, 32, 38]
    assert [silver_bound(2, r, empty) for r in range(1, 6)] == [12, 17, 23, 29, 34]
    for name in PRINTED:
        for players in (2, 3, 4):
            assert silver_bound(players, 5, preset_table(name)) <= 127
