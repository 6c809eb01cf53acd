"""What each plan promises, that worths follow the rule set in force, and strength."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from agents.greedy import GreedyAgent
from agents.random_agent import RandomAgent
from agents.scripted.agent import ScriptedAgent
from agents.scripted.strategies import make_strategy, plain
from jerusalem_env import RuleSet
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.board import (
    AREA_SECTOR,
    NOBILITY,
    PALACE,
    PATRIARCHATE,
    TEMPLARS,
    preset_table,
)
from tests.compiled_play import INDEX, PLANS, POLICIES, each_decision, play_out, seats_of
from training.evaluate import evaluate

pytestmark = pytest.mark.slow  # all plans in one kernel, to compile

GAMES = 240
PLAYERS = (2, 3, 4)
SECTOR = np.array(AREA_SECTOR)
# What all plans have in common: what a plan promises is measured against it.
PLAIN = ScriptedAgent("plain", {players: plain(players) for players in PLAYERS}).compiled
WITH_PLAIN = {**INDEX, "plain": len(POLICIES)}


class Course(NamedTuple):
    """How one player's games went against plain players, each of them by [round - 1, game].

    Attributes
    ----------
    floors, earned : at the round's beginning; earned counts the prestige in the floors too
    supply, board, silver : at the round's beginning
    kept : squires left in supply at the end of its turn
    office : held in the round
    """

    floors: np.ndarray
    earned: np.ndarray
    supply: np.ndarray
    board: np.ndarray
    silver: np.ndarray
    kept: np.ndarray
    office: np.ndarray


@cache
def course_of(name: str, players: int) -> Course:
    """Games of a plan, in all seats in turn, against plain players."""
    game = JerusalemGame(players)
    rows, seat = np.arange(GAMES), np.arange(GAMES) % players
    policy_of = np.full((GAMES, players), WITH_PLAIN["plain"])
    policy_of[rows, seat] = WITH_PLAIN[name]
    course = Course(*(np.zeros((5, GAMES)) for _ in Course._fields))
    before = None
    for states in each_decision(game, policy_of, 5, (*POLICIES, PLAIN)):
        turning = (states["phase"] >= L.PHASE_TURN) & (states["phase"] <= L.PHASE_TARGET)
        mine = turning & (states["to_act"] == seat)
        if before is None:
            began = np.ones(GAMES, np.bool_)
        else:
            began = states["round"] > before["round"]
            ended = before["mine"] & ~mine
            course.kept[before["round"][ended] - 1, rows[ended]] = before["squires"][ended]
        now = states["round"] - 1
        floors = states["floors"][rows, seat].astype(np.int64)
        values = {
            "floors": floors,
            # At least what they cost: 3 + 4 + ... less 1 a floor for those who were not first.
            "earned": floors * (floors + 3) // 2 + states["prestige"][rows, seat],
            "supply": states["squires"][rows, seat],
            "board": states["board"][rows, seat].sum(axis=1),
            "silver": states["silver"][rows, seat],
        }
        for field, amounts in values.items():
            getattr(course, field)[now[began], rows[began]] = amounts[began]
        course.office[now, rows] = states["office"][rows, seat]
        before = {"round": states["round"].copy(), "mine": mine, "squires": values["supply"].copy()}
    return course


def assert_more(one: np.ndarray, other: np.ndarray) -> None:
    """One amount, by game, is greater on average than another by more than chance."""
    spread = np.sqrt((one.var() + other.var()) / len(one))
    lead = one.mean() - other.mean()
    assert lead > 2 * spread, f"{one.mean():.2f} against {other.mean():.2f} (+- {2 * spread:.2f})"


# --- what a plan promises, at tables of plain players -------------------------------------------
# With 2 players what squires and silver a player has hangs on the other's plan more than on his.
MANY = (3, 4)


@pytest.mark.parametrize("players", PLAYERS)
def test_builder__is_ahead_in_floors_early(players: int) -> None:
    builder, common = course_of("builder", players), course_of("plain", players)
    recruiter = course_of("recruiter", players)
    for round_index in (1, 2):  # at the beginning of rounds 2 and 3
        for other in (common, recruiter):
            assert_more(builder.floors[round_index], other.floors[round_index])
            assert_more(builder.earned[round_index], other.earned[round_index])


@pytest.mark.parametrize("players", MANY)
def test_recruiter__has_more_squires_after_round_3_and_fewer_floors(players: int) -> None:
    recruiter, common = course_of("recruiter", players), course_of("plain", players)
    squires = recruiter.supply[3] + recruiter.board[3]
    assert_more(squires, common.supply[3] + common.board[3])
    assert_more(common.floors[2], recruiter.floors[2])


@pytest.mark.parametrize("players", PLAYERS)
def test_latecomer__holds_late_offices(players: int) -> None:
    latecomer, common = course_of("latecomer", players), course_of("plain", players)
    assert_more(latecomer.office.mean(axis=0), common.office.mean(axis=0))
    last = L.MAX_PLAYERS - 1
    assert (latecomer.office == last).mean() > 2 / 3


@pytest.mark.parametrize("players", PLAYERS)
def test_warden__holds_the_lowest_office(players: int) -> None:
    warden, common = course_of("warden", players), course_of("plain", players)
    lowest = L.MAX_PLAYERS - players
    held, by_common = ((one.office == lowest).mean(axis=0) for one in (warden, common))
    assert_more(held, by_common)


@pytest.mark.parametrize("players", MANY)
def test_hoarder__keeps_squires_in_supply(players: int) -> None:
    """At the end of its turns, and so at the auction of the last round."""
    hoarder, common = course_of("hoarder", players), course_of("plain", players)
    assert_more(hoarder.kept[:4].mean(axis=0), common.kept[:4].mean(axis=0))
    assert_more(hoarder.supply[4], common.supply[4])


@pytest.mark.parametrize("players", MANY)
def test_hoarder__keeps_silver(players: int) -> None:
    hoarder, common = course_of("hoarder", players), course_of("plain", players)
    assert_more(hoarder.silver[4], common.silver[4])


# --- the rule set in force -----------------------------------------------------------------------
def placed_shares(rules: RuleSet, name: str = "expert") -> np.ndarray:
    """(6,) share of squires by sector at the end, when only these players play."""
    game = JerusalemGame(rules=rules)
    states = play_out(game, seats_of(game, 60, name), seed=2)
    by_area = states["board"].sum(axis=(0, 1))
    by_sector = np.bincount(SECTOR, weights=by_area, minlength=6)
    shares: np.ndarray = by_sector / by_sector.sum()
    return shares


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize(
    ("sector", "players"),
    [(NOBILITY, 3), (NOBILITY, 4), (PATRIARCHATE, 4), (PALACE, 2), (TEMPLARS, 3)],
)
def test_worth__follows_the_income_table(sector: int, players: int, name: str) -> None:
    """Squires go where the rule set pays, whatever the sector is called (R12.10, VII.b)."""
    rich = [list(row) for row in preset_table("ludorium")]
    for area in range(3 * sector, 3 * sector + 3):
        rich[area] = [0, 0, 10]
    usual = placed_shares(RuleSet(players=players, rounds=1), name)
    table = tuple((row[0], row[1], row[2]) for row in rich)
    changed = placed_shares(RuleSet(players=players, rounds=1, income=table), name)
    assert changed[sector] > max(usual[sector] + 0.1, 0.4)


def test_worth__of_areas_that_pay_nothing_is_small() -> None:
    """Only the Tower and privileges are left to fight for (R12.1-R12.6)."""
    nothing = placed_shares(RuleSet(players=4, rounds=1, income=((0, 0, 0),) * 16))
    assert nothing[[PALACE, TEMPLARS]].sum() < 0.1


@pytest.mark.parametrize("name", PLANS)
def test_two_players__leave_alone_what_is_not_in_play(name: str) -> None:
    """R2.4."""
    shares = placed_shares(RuleSet(players=2), name)
    assert (shares[[PATRIARCHATE, NOBILITY]] == 0).all()
    assert (np.delete(shares, [PATRIARCHATE, NOBILITY]) > 0).all()


# --- strength ------------------------------------------------------------------------------------
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", PLANS)
def test_plan__beats_random_players(name: str, players: int) -> None:
    game = JerusalemGame(players)
    rows, seat = np.arange(60), np.arange(60) % players
    policy_of = np.full((60, players), INDEX["random"])
    policy_of[rows, seat] = INDEX[name]
    states = play_out(game, policy_of, seed=3)
    assert (states["winner"] == seat).mean() >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", ["greedy", *PLANS])
def test_plan__wins_nineteen_in_twenty_against_random_players(name: str, players: int) -> None:
    player = GreedyAgent() if name == "greedy" else make_strategy(name)
    result = evaluate(player, [RandomAgent()], JerusalemGame(players), deals=300, seed=1)
    assert result.win_rate >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_expert__wins_most_games_against_greedy_players(players: int) -> None:
    game = JerusalemGame(players)
    result = evaluate(make_strategy("expert"), [GreedyAgent()], game, deals=300, seed=1)
    assert result.low > 0.6
