"""Worths worked out by hand, on small positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agents.scripted.turn import affordable, exchange_gain, hire_cost
from agents.scripted.weights import Weights, parameters_of
from agents.scripted.worth import (
    baron_needs,
    best_addition,
    cleared_sectors,
    pay_later,
    pay_now,
    privilege_need,
    privilege_worth,
    scene_of,
    strongest_rival,
    swing,
    to_beat,
)
from jerusalem_env import RuleSet
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.engine.state import SECTOR_OF
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.board import AREAS, MARKET, NOBILITY, PATRIARCHATE
from jerusalem_env.jerusalem.rules.events import ELECTION, SPECIAL_TAX, SUCCESSION, WAR
from jerusalem_env.jerusalem.rules.offices import ADMIRAL, CAPTAIN, MARSHAL, TREASURER
from jerusalem_env.kernels import entry_kernel
from tests.compiled_play import dealt

AREA = {name: index for index, name in enumerate(AREAS)}
# Plain numbers, so that sums can be done by hand.
PLAIN = replace(
    Weights(),
    silver=(0.5,) * 5,
    squire=(0.25,) * 5,
    later=(0.0, 1.0, 2.0, 3.0, 4.0),
    hold=0.8,
    hold_margin=0.5,
    firm=0.5,
    firm_margin=0.125,
    behind=0.0,
    spite=0.25,
    spite_leader=0.0,
    shield=0.0,
    weapon=0.0,
    nearer=0.0,
    tower=1.0,
    market=1.0,
    market_base=0.5,
    card=1.25,
    steal=1.5,
)
MEASURES = (
    *("need", "holder", "to add", "needed by a baron", "now", "later", "privilege"),
    *("added", "gain", "swing up", "swing down", "cleared", "rival", "movers"),
)


@entry_kernel
def measure_area(s, me, area, reach, parameters, found):  # type: ignore[no-untyped-def]
    """Write what ``MEASURES`` names for one seat and area; no privilege counts in the addition."""
    p = parameters[0].by_players[s.players - 2]
    scene = scene_of(s, me, p)
    sector = SECTOR_OF[area]
    found[0], found[1] = to_beat(s, me, area)
    found[2] = privilege_need(s, me, sector) if sector < 5 else 0
    found[3] = baron_needs(s, me, area)
    found[4], found[5] = pay_now(s, area, scene, p), pay_later(s, area, scene, p)
    found[6] = privilege_worth(s, me, sector, scene, p)
    found[7], found[8] = best_addition(s, me, area, reach, False, 0, 0.0, scene, p)
    found[9], found[10] = swing(s, me, area, 1, scene, p), swing(s, me, area, -1, scene, p)
    found[11], found[12] = cleared_sectors(s), strongest_rival(s, me)
    found[13] = scene.movers


@entry_kernel
def measure_hires(s, me, count, found):  # type: ignore[no-untyped-def]
    """Write the price of so many hires and how many can be paid."""
    found[0], found[1] = hire_cost(s, count), affordable(s, me)


@entry_kernel
def measure_exchange(s, me, origin, area, opponent, parameters, found):  # type: ignore[no-untyped-def]
    """Write the gain of changing two squires."""
    p = parameters[0].by_players[s.players - 2]
    found[0] = exchange_gain(s, me, origin, area, opponent, scene_of(s, me, p), p)


def position(
    offices: tuple[int, ...] = (MARSHAL, CAPTAIN, TREASURER, ADMIRAL),
    board: Mapping[str, tuple[int, ...]] | None = None,
    rules: RuleSet | None = None,
    **values: Any,
) -> np.ndarray:
    """A state in the turn of seat 0, in the first round unless said otherwise."""
    game = JerusalemGame(rules=rules or RuleSet(players=len(offices)))
    states, _ = dealt(game, 1, 0)
    states["phase"], states["to_act"] = L.PHASE_TURN, 0
    for seat, office in enumerate(offices):
        states["office"][0, seat] = office
        states["seat_of_office"][0, office] = seat
    for area, squires in (board or {}).items():
        states["board"][0, : len(squires), AREA[area]] = squires
    for name, value in values.items():
        if np.ndim(value) and len(value) < states[name].shape[1]:
            states[name][0, : len(value)] = value
        else:
            states[name][0] = value
    return states


def measured(
    states: np.ndarray, area: str, reach: int = 9, me: int = 0, weights: Weights = PLAIN
) -> dict[str, float]:
    """What ``MEASURES`` names; the state is left as it was."""
    found, before = np.zeros(len(MEASURES)), states.tobytes()
    parameters = parameters_of({2: weights, 3: weights, 4: weights})
    measure_area(states[0], me, AREA[area], reach, parameters, found)
    assert states.tobytes() == before
    return dict(zip(MEASURES, found.tolist(), strict=True))


# --- control -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("squires", "need", "holder"),
    [
        ((0, 0, 0, 0), 1, -1),  # R7.2
        ((5, 0, 0, 0), 1, -1),
        ((0, 0, 0, 3), 3, 3),  # the marshal wins the tie with the admiral: R7.1
        ((0, 3, 0, 0), 4, 1),  # and loses it to the captain
        ((0, 2, 0, 3), 3, 3),
        ((0, 3, 0, 3), 4, 1),
        ((0, 2, 2, 0), 3, 1),
        ((1, 0, 2, 1), 3, 2),
    ],
)
def test_to_beat__knows_ties_and_holders(squires: tuple[int, ...], need: int, holder: int) -> None:
    found = measured(position(board={"palace.left": squires}), "palace.left")
    assert (found["need"], found["holder"]) == (need, holder)


@pytest.mark.parametrize(
    ("large", "left", "to_add"),
    [
        ((0, 0, 0, 0), (0, 0, 0, 0), 1),  # at least one squire: R12.3
        ((2, 0, 0, 1), (1, 0, 0, 2), 0),  # 3 against the admiral's 3
        ((2, 1, 0, 0), (1, 2, 0, 0), 1),  # against the captain's 3
        ((5, 1, 0, 0), (0, 2, 0, 0), -1),  # one of them could go
    ],
)
def test_privilege_need__counts_the_three_areas(
    large: tuple[int, ...], left: tuple[int, ...], to_add: int
) -> None:
    states = position(board={"market.large": large, "market.left": left})
    for area in ("market.large", "market.left", "market.right"):
        assert measured(states, area)["to add"] == to_add


def test_baron_needs__are_smaller_for_the_captain() -> None:
    """R8.2, R8.4."""
    states = position()
    by_captain = [measured(states, area, me=1)["needed by a baron"] for area in AREAS]
    assert by_captain == [2, 1, 1] * 5 + [2]
    assert {measured(states, area)["needed by a baron"] for area in AREAS} == {3}


def test_movers__are_those_with_a_later_office() -> None:
    """R3.4; before the turns it is open who moves when."""
    states = position()
    assert [measured(states, "palace.left", me=me)["movers"] for me in range(4)] == [1, 3, 2, 0]
    states["phase"] = L.PHASE_DRAFT
    assert measured(states, "palace.left", me=1)["movers"] == 0


def test_strongest_rival__has_floors_then_prestige() -> None:
    """R16.1."""
    states = position(floors=(9, 2, 3, 3), prestige=(9, 8, 0, 1))
    assert [measured(states, "palace.left", me=me)["rival"] for me in range(4)] == [3, 0, 0, 0]


# --- pay -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("area", "pay"),
    [
        ("palace.large", 4.0),
        ("palace.right", 2.0),
        ("templars.large", 6 * 0.25),
        ("patriarchate.left", 2 * 0.25 + 1),
        ("market.large", 2 * 0.25 + 4 * 0.5),
        ("nobility.left", 2 * 0.5 + 1),
        ("davids_tower", 1.0 + 0.5),  # R12.1: a silver, and the move
    ],
)
def test_pay__is_the_printed_income_at_the_weights(area: str, pay: float) -> None:
    """R12.10; once more for each later round that counts."""
    found = measured(position(), area)
    assert found["now"] == pytest.approx(pay)
    assert found["later"] == pytest.approx(4.0 * pay)
    last = measured(position(round=5), area)
    assert (last["now"], last["later"]) == (pytest.approx(pay), 0.0)
    assert measured(position(phase=L.PHASE_WAR, round=2), area)["now"] == 0.0  # it has been paid


@pytest.mark.parametrize(
    ("event", "rules", "cleared"),
    [
        (SUCCESSION, RuleSet(), ("palace",)),
        (WAR, RuleSet(), ("templars",)),
        (SPECIAL_TAX, RuleSet(), ("market",)),
        (ELECTION, RuleSet(), ("patriarchate", "nobility")),
        (
            ELECTION,
            RuleSet(election_all_sectors=True),  # D5
            ("palace", "templars", "patriarchate", "market", "nobility"),
        ),
        (WAR, RuleSet(rounds=2), ()),  # VII.a: no event after the last round
    ],
)
def test_cleared__sectors_pay_nothing_later(
    event: int, rules: RuleSet, cleared: tuple[str, ...]
) -> None:
    """R15.2-R15.5."""
    states = position(rules=rules, round=2)
    states["events"][0, 0] = event
    found = {name for name in AREAS if measured(states, name)["later"] == 0.0}
    expected = {name for name in AREAS if name.partition(".")[0] in cleared}
    assert found == (set(AREAS) if rules.rounds == 2 else expected)
    states["round"] = 1
    assert measured(states, "palace.large")["cleared"] == 0  # it strikes in round 2: R15.1


def test_privileges__are_worth_what_they_allow() -> None:
    """R12.4-R12.6."""
    states = position(silver=(5, 0, 0, 0))
    assert measured(states, "market.left")["privilege"] == pytest.approx(0.5)  # no gain at 0.5
    cheap = replace(PLAIN, silver=(0.25,) * 5)
    # 5 silver buy 2 prestige, each worth 1 - 2 x 0.25.
    assert measured(states, "market.left", weights=cheap)["privilege"] == pytest.approx(1.5)
    rich = position(silver=(20, 0, 0, 0))
    assert measured(rich, "market.left", weights=cheap)["privilege"] == pytest.approx(2.5)
    assert measured(states, "patriarchate.left")["privilege"] == pytest.approx(1.25 - 0.25)
    assert measured(states, "nobility.left")["privilege"] == pytest.approx(1.5)
    assert measured(states, "palace.left")["privilege"] == 0.0
    assert [SECTOR_OF[AREA[f"{x}.left"]] for x in ("patriarchate", "market", "nobility")] == [
        PATRIARCHATE,
        MARKET,
        NOBILITY,
    ]


# --- additions -----------------------------------------------------------------------------------
LAST = (ADMIRAL, CAPTAIN, TREASURER, MARSHAL)  # seat 0 moves last


@pytest.mark.parametrize(
    ("squires", "reach", "added", "gain"),
    [
        ((0, 0, 0, 0), 9, 1, 4.0),  # alone: one squire takes 4 prestige
        ((0, 0, 0, 2), 9, 3, 4.0 + 0.25 * 4.0),  # more than the marshal's 2, who loses them
        ((1, 0, 0, 2), 9, 2, 5.0),
        ((0, 0, 0, 2), 2, 0, 0.0),  # out of reach
        ((3, 0, 0, 2), 9, 0, 0.0),  # safe: nobody moves later
    ],
)
def test_addition__of_the_last_mover_is_exact(
    squires: tuple[int, ...], reach: int, added: int, gain: float
) -> None:
    """In the last round nothing is left to chance, and no squire more than needed is of use."""
    states = position(LAST, board={"palace.large": squires}, round=5)
    found = measured(states, "palace.large", reach)
    assert (found["added"], found["gain"]) == (added, pytest.approx(gain))


def test_addition__counts_the_risk_of_later_players() -> None:
    """One later player leaves a bare majority alone with 0.8, each further squire halves that."""
    states = position(board={"palace.large": (0, 0, 0, 0)}, round=5)
    found = measured(states, "palace.large")
    assert (found["added"], found["gain"]) == (1, pytest.approx(4.0 * 0.8))  # 3.2 each; 2: 1.8
    held = position(board={"palace.large": (1, 0, 0, 0)}, round=5)
    assert measured(held, "palace.large")["gain"] == pytest.approx(4.0 * (0.9 - 0.8))
    assert measured(states, "palace.large", me=1)["gain"] == pytest.approx(4.0 * 0.8**3)


def test_swing__is_control_won_or_lost() -> None:
    states = position(LAST, board={"palace.large": (2, 0, 0, 2)}, round=5)
    found = measured(states, "palace.large")
    assert (found["swing up"], found["swing down"]) == (pytest.approx(5.0), pytest.approx(0.0))
    states = position(LAST, board={"palace.large": (3, 0, 0, 2)}, round=5)
    found = measured(states, "palace.large")
    assert (found["swing up"], found["swing down"]) == (pytest.approx(0.0), pytest.approx(-5.0))


def test_exchange__counts_both_areas() -> None:
    """R11.9: a squire of his out of the Palace for one of mine too many there."""
    board = {"palace.large": (2, 2, 0, 0), "palace.left": (3, 0, 0, 0)}
    states = position(LAST, board=board, round=5)
    found, before = np.zeros(1), states.tobytes()
    parameters = parameters_of({2: PLAIN, 3: PLAIN, 4: PLAIN})
    measure_exchange(states[0], 0, AREA["palace.left"], AREA["palace.large"], 1, parameters, found)
    assert states.tobytes() == before
    # He has the Palace by the tie, 2 against 2; then 3 against 1 is mine, as is 2 against 1 beside.
    assert found[0] == pytest.approx(4.0 + 0.25 * 4.0)


# --- hires ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("office", "values", "costs", "payable"),
    [
        (MARSHAL, {}, [0, 3, 6, 9, 12], 2),  # R9.1
        (MARSHAL, {"genoa": 1}, [0, 2, 4, 6, 8], 3),  # R11.11
        (TREASURER, {}, [0, 1, 3, 6, 9], 3),  # R10.2
        (TREASURER, {"hired": 1}, [0, 2, 5, 8, 11], 2),
    ],
)
def test_hires__cost_what_the_rules_say(
    office: int, values: dict[str, int], costs: list[int], payable: int
) -> None:
    offices = (office, CAPTAIN, *(x for x in (TREASURER, MARSHAL, ADMIRAL) if x != office))
    states = position(offices, silver=(7, 0, 0, 0), **values)
    found, before = np.zeros(2), states.tobytes()
    for count, cost in enumerate(costs):
        measure_hires(states[0], 0, count, found)
        assert found.tolist() == [cost, payable]
    assert states.tobytes() == before
