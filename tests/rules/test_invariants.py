"""Invariants I1-I20 in random play over all player counts, presets and switches."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.random_play import choose, crowded_position, random_ruleset
from tests.reference_engine import (
    EVENTS,
    Position,
    build_position,
    final_ranking,
    full_ruleset,
)
from tests.rules.invariants import (
    CROWDED_CHECKS,
    EVENT_CHECKS,
    PLAYERS,
    Event,
    check_bounds,
    check_game,
    check_I1_squires_flow,
    check_I2_moves_keep_totals,
    check_I3_silver,
    check_I4_offices,
    check_I5_cards,
    check_I6_barons,
    check_I7_blocked_areas,
    check_I8_event,
    check_I8_phases,
    check_I13_keeps,
    check_I14_all_is_built,
    check_I15_prestige,
    check_I16_holders,
    check_I17_one_winner,
    steps,
)
from tests.table import NO_INCOME, Table


def rulesets(players: int) -> st.SearchStrategy[dict[str, Any]]:
    """Presets and any combination of switches, all incomes, and no income at all."""
    drawn = st.integers(0, 2**32 - 1).map(lambda s: random_ruleset(random.Random(s), players))
    return drawn | st.just(full_ruleset({"players": players, **NO_INCOME}))


SEEDS = st.integers(0, 2**32 - 1)


STREAMS = st.lists(st.integers(0, 2**16), max_size=60)


def check_whole_game(rules: dict[str, Any], seed: int, stream: list[int], by_verb: bool) -> None:
    """A game from the set-up: all checks, the bounds, and I13 over the whole game."""
    positions = check_game(Table.new("engine", rules, seed), seed, stream, by_verb)
    check_bounds(positions)
    assert positions[0]["floors"] == [0] * rules["players"]  # so that I13 of the steps adds up


@pytest.mark.parametrize("players", PLAYERS)
def test_invariants__hold_in_whole_games(players: int) -> None:
    @settings(max_examples=20)
    @given(rulesets(players), SEEDS, STREAMS, st.booleans())
    def property_(rules: dict[str, Any], seed: int, stream: list[int], by_verb: bool) -> None:
        check_whole_game(rules, seed, stream, by_verb)

    property_()


@pytest.mark.slow
@pytest.mark.parametrize("players", PLAYERS)
def test_invariants__hold_in_many_whole_games(players: int) -> None:
    @settings(max_examples=100)
    @given(rulesets(players), SEEDS, STREAMS, st.booleans())
    def property_(rules: dict[str, Any], seed: int, stream: list[int], by_verb: bool) -> None:
        check_whole_game(rules, seed, stream, by_verb)

    property_()


@settings(max_examples=40)
@given(SEEDS, STREAMS)
def test_invariants__hold_from_crowded_positions(seed: int, stream: list[int]) -> None:
    rng = random.Random(seed)
    table = Table.engine(crowded_position(rng, random_ruleset(rng)))
    for before, action, after in steps(table, seed, stream, by_verb=True):
        for check in CROWDED_CHECKS:
            check(before, action, after)


BY_SEAT = ("offices", "last_offices", "silver", "squires", "prestige", "floors", "hands", "barons")


def renamed(position: Position, to: list[int]) -> Position:
    """The position with seat s called to[s]."""

    def listed(values: list[Any]) -> list[Any]:
        return [values[to.index(seat)] for seat in range(len(to))]

    def seat(value: int | None) -> int | None:
        return None if value is None else to[value]

    new = copy.deepcopy(position)
    for field in BY_SEAT:
        new[field] = listed(new[field])
    new["board"] = {area: listed(counts) for area, counts in new["board"].items()}
    new["to_act"], new["winner"] = seat(new["to_act"]), seat(new["winner"])
    new["ranking"] = new["ranking"] and [to[s] for s in new["ranking"]]
    auction = new["auction"]
    auction["opener"], auction["bidder"] = seat(auction["opener"]), seat(auction["bidder"])
    auction["passed"] = listed(auction["passed"])
    for field in {"hits", "lost", "may_decline"} & set(new["pending"]):
        new["pending"][field] = listed(new["pending"][field])
    return new


def renamed_action(action: str, me: int, to: list[int]) -> str:
    """The action with the opponent it names, seats clockwise from me, renamed too."""
    if "+" not in action:
        return action
    verb, k, *rest = action.split()
    n = len(to)
    return " ".join([verb, f"+{(to[(me + int(k)) % n] - to[me]) % n}", *rest])


def check_I18_equivariance(start: Position, to: list[int], seed: int, until: set[str]) -> None:
    """The renamed game goes exactly as the game, until a phase is reached."""
    rng, table = random.Random(seed), Table.engine(start)
    trace: list[tuple[Position, list[str], str]] = []
    position = table.position()
    while position["phase"] not in until:
        legal = table.legal()
        action = choose(rng, legal)
        trace.append((position, legal, action))
        position = table.play(action).position()
    other = Table.engine(renamed(start, to))
    for position_then, legal, action in trace:
        me = position_then["to_act"]
        assert other.position() == renamed(position_then, to)
        assert set(other.legal()) == {renamed_action(name, me, to) for name in legal}
        other.play(renamed_action(action, me, to))
    assert other.position() == renamed(position, to)


@settings(max_examples=10)
@given(SEEDS, st.integers(1, 3))
def test_I18__turning_the_table_turns_the_game(seed: int, turn: int) -> None:
    """Seats rotated: the same game from the first auction to the end."""
    rules = {**random_ruleset(random.Random(seed)), "first_opener": None}
    start, n = Table.new("engine", rules, seed).position(), rules["players"]
    check_I18_equivariance(start, [(s + turn) % n for s in range(n)], seed, {"over"})


@settings(max_examples=30)
@given(SEEDS, st.permutations(range(4)))
def test_I18__outside_the_auction_any_seats_may_change(seed: int, to: list[int]) -> None:
    """Seats permuted: the same from a turn to the next auction."""
    rng = random.Random(seed)
    rules = {**random_ruleset(rng), "first_opener": None}
    to = [seat for seat in to if seat < rules["players"]]
    check_I18_equivariance(crowded_position(rng, rules), to, seed, {"open", "over"})


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 6), min_size=4, max_size=4),
    st.lists(st.integers(0, 25), min_size=4, max_size=4),
    st.integers(0, 3),
    st.integers(1, 8),
)
def test_I20__more_prestige_is_never_worse(
    floors: list[int], prestige: list[int], seat: int, more: int
) -> None:
    results = []
    for extra in (0, more):
        points = [p + extra * (s == seat) for s, p in enumerate(prestige)]
        start = build_position(round=5, to_act=3, floors=floors, prestige=points)
        after = Table.engine(start).play("pass").position()
        assert after["phase"] == "over"
        results.append((after["floors"][seat], after["prestige"][seat]))
    assert results[1] >= results[0]


def _board(area: str, seat: int, change: int) -> Callable[[Position], None]:
    def doctor(after: Position) -> None:
        after["board"][area][seat] += change

    return doctor


def _store(field: str, seat: int, change: int) -> Callable[[Position], None]:
    def doctor(after: Position) -> None:
        after[field][seat] += change

    return doctor


def _set(field: str, value: Any) -> Callable[[Position], None]:
    def doctor(after: Position) -> None:
        after[field] = value

    return doctor


def _give_away_a_card(after: Position) -> None:
    after["pile"].pop()


def _turn_round(after: Position) -> None:
    after["ranking"].reverse()


FULL = {"board": {"palace.left": [2, 1, 0, 0], "nobility.large": [0, 3, 0, 0]}, "squires": [1] * 4}


LAST = {**FULL, "to_act": 3, "round": 1}


DOCTORED: list[tuple[Callable[[Position, str, Position], None], dict[str, Any], list[str], Any]] = [
    (check_I1_squires_flow, FULL, ["place market.left"], _store("squires", 0, 1)),
    (check_I1_squires_flow, FULL, ["place market.left"], _board("palace.left", 1, -1)),
    (
        check_I2_moves_keep_totals,
        {**FULL, "phase": "drop"},
        ["drop market.left"],
        _board("palace.left", 0, 1),
    ),
    (check_I3_silver, FULL, ["hire"], _store("silver", 0, 1)),
    (check_I3_silver, {"phase": "bid", "to_act": 0}, ["bid 3"], _store("silver", 0, -3)),
    (check_I4_offices, FULL, ["hire"], _set("offices", ["captain"] * 4)),
    (check_I5_cards, FULL, ["hire"], _give_away_a_card),
    (check_I6_barons, FULL, ["hire"], _set("barons", ["palace.left", None, None, None])),
    (check_I6_barons, FULL, ["hire"], _set("barons", ["palace.left", "palace.left", None, None])),
    (
        check_I7_blocked_areas,
        {**FULL, "barons": ["palace.left", None, None, None]},
        ["hire"],
        _board("palace.left", 0, 1),
    ),
    (check_I8_phases, {"phase": "bid", "to_act": 0}, ["bid 3"], _board("palace.left", 0, 1)),
    (check_I8_phases, LAST, ["pass"], _board("palace.left", 0, -1)),
    (check_I13_keeps, {**LAST, "prestige": [3] * 4}, ["pass", "pass"], _store("prestige", 0, 1)),
    (check_I13_keeps, {**LAST, "prestige": [3] * 4}, ["pass", "pass"], _store("floors", 0, 1)),
    (
        check_I14_all_is_built,
        {**LAST, "prestige": [3] * 4},
        ["pass", "pass"],
        _store("prestige", 0, 3),
    ),
    (check_I15_prestige, FULL, ["hire"], _store("prestige", 0, -1)),
    (check_I16_holders, LAST, ["pass"], _set("to_act", 0)),
    (check_I16_holders, LAST, ["pass"], _set("phase", "income")),
    (check_I17_one_winner, {"round": 5, "to_act": 3}, ["pass"], _turn_round),
    (check_I17_one_winner, FULL, ["hire"], _set("winner", 0)),
]


@pytest.mark.parametrize(("check", "fields", "actions", "doctor"), DOCTORED)
def test_checks__notice_a_doctored_step(
    check: Callable[[Position, str, Position], None],
    fields: dict[str, Any],
    actions: list[str],
    doctor: Callable[[Position], None],
) -> None:
    table = Table.engine(build_position(**fields)).play(*actions[:-1])
    before = table.position()
    after = table.play(actions[-1]).position()
    check(before, actions[-1], after)
    doctor(after)
    if "pending" in after and after["phase"] == "income":
        after["pending"] = {"may_decline": []}
    with pytest.raises(AssertionError):
        check(before, actions[-1], after)


def test_checks__notice_a_doctored_event() -> None:
    board = {area: [3, 2, 0, 1] for area in build_position()["board"]}
    barons = ["palace.left", None, None, None]
    for name in EVENTS:
        events = [name, *(other for other in EVENTS if other != name)][:3]
        start = build_position(
            NO_INCOME, events=events, to_act=3, board=board, barons=barons, floors=[20] * 4
        )
        table, decisions = Table.engine(start), []
        while table["round"] == 2:
            seat, phase = table.to_act, table["phase"]
            action = table.legal()[-1] if phase == name else "pass"
            if phase == name:
                assert seat is not None
                decisions.append((seat, action))
            table.play(action)
        end = table.position()
        start["silver"][0] += 1  # the Tower's
        event = Event(name, start, decisions, end)
        check_I8_event(event)
        EVENT_CHECKS[name](event)
        for area in ("templars.left", "palace.left", "market.left", "nobility.left"):
            broken = Event(name, start, decisions, copy.deepcopy(end))
            broken.end["board"][area][1] += 1
            broken.end["board"][area][3] -= 1
            sectors = {"war": "templars", "special_tax": "market", "succession": "palace"}
            if area.startswith(sectors.get(name, "nobility")):
                with pytest.raises(AssertionError):
                    EVENT_CHECKS[name](broken)
        broken = Event(name, start, decisions, copy.deepcopy(end))
        broken.end["squires"][1] += 1
        with pytest.raises(AssertionError):
            check_I8_event(broken)


def test_final_ranking__of_the_reference_is_the_engine_s() -> None:
    """Ties at every level."""
    for floors, prestige in itertools.product(
        ([5, 5, 4, 5], [5, 5, 5, 5]), ([1, 2, 0, 2], [1] * 4)
    ):
        offices = ["admiral", "marshal", "treasurer", "captain"]
        fields: dict[str, Any] = {"floors": floors, "prestige": prestige, "offices": offices}
        fields["to_act"] = 0
        after = Table.engine(build_position(round=5, **fields)).play("pass").position()
        assert after["ranking"] == final_ranking(after)
