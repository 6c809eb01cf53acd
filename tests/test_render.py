"""The board as text, for everybody and for one seat."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet, jerusalem_v0
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.reference_engine import (
    AREAS,
    CARDS,
    OFFICES,
    Position,
    build_position,
    income_of,
)
from tests.scripted import Player, is_done

NOTE = "reconstructed"


def counted(cards: list[str]) -> str:
    """Cards in the order of the rules, such as `squire x2, genoa`."""
    kinds = [(card, cards.count(card)) for card in CARDS if card in cards]
    return ", ".join(card if count == 1 else f"{card} x{count}" for card, count in kinds)


def player_rows(text: str) -> dict[int, list[str]]:
    """By seat the columns office, floors, prestige, silver, supply, baron, cards."""
    rows: dict[int, list[str]] = {}
    for line in text.splitlines():
        found = re.match(r"[> ] P(\d) +(\S+) +(\S+) +(\S+) +(\S+) +(\S+) +(\S+) +(.*)", line)
        if found:
            rows[int(found[1])] = list(found.groups()[1:])
    return rows


def area_rows(text: str, n: int) -> dict[str, tuple[list[int], str, str]]:
    """By area: squires by seat, the baron's owner or nothing, what it pays."""
    rows = {}
    for line in text.splitlines():
        name, *columns = line.split() or [""]
        if name in AREAS:
            counts = [0 if column == "." else int(column) for column in columns[:n]]
            rest = columns[n:]
            baron = rest.pop(0) if rest and rest[0].startswith("P") else ""
            rows[name] = (counts, baron, " ".join(rest))
    return rows


def check_text(text: str, p: Position) -> None:
    """Everything a person needs is in the text."""
    n = p["ruleset"]["players"]
    head = text.splitlines()[0]
    assert f"Round {p['round']} of {p['ruleset']['rounds']}" in head
    number, rounds = p["round"], p["ruleset"]["rounds"]
    event = p["events"][number - 2] if 2 <= number <= 4 and number < rounds else "none"
    assert f"event: {event}" in head
    if p["phase"] == "over":
        assert f"P{p['winner']} wins" in head
        assert " > ".join(f"P{seat}" for seat in p["ranking"]) in head
    else:
        assert f"P{p['to_act']} " in head
        assert f"[{p['phase']}]" in head
    if p["auction"]["bid"] is not None:
        assert f"high bid {p['auction']['bid']} by P{p['auction']['bidder']}" in head
    if p["auction"]["office"]:
        assert p["auction"]["office"] in head
    if p["pending"].get("source"):
        assert f"{p['pending']['source']}, {p['pending']['left']} to go" in head
    if p["pending"].get("from"):
        assert f"from {p['pending']['from']}" in head

    acting = [line[3] for line in text.splitlines() if line.startswith("> P")]
    assert acting == ([] if p["to_act"] is None else [str(p["to_act"])])
    assert player_rows(text) == {
        seat: [
            p["offices"][seat] or "-",
            *(str(p[key][seat]) for key in ("floors", "prestige", "silver", "squires")),
            p["barons"][seat] or "-",
            counted(p["hands"][seat]) or "-",
        ]
        for seat in range(n)
    }

    rows = area_rows(text, n)
    assert list(rows) == list(p["board"])
    for area, (counts, baron, pays) in rows.items():
        assert counts == p["board"][area]
        owner = p["barons"].index(area) if area in p["barons"] else None
        assert baron == ("" if owner is None else f"P{owner}")
        income = " ".join(map(str, income_of(p["ruleset"], area)))
        preset = isinstance(p["ruleset"]["income"], str)
        star = "*" if preset and not area.startswith("market") else ""
        assert pays == ("1 silver in step 1" if area == "davids_tower" else income + star)
    assert f"pile {len(p['pile'])} " in text
    assert f"played: {counted(p['discards']) or 'none'}" in text
    if p["draft_pool"]:
        assert f"pool: {counted(p['draft_pool'])} " in text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ansi__shows_the_whole_position(players: int) -> None:
    for seed, rules in enumerate((RuleSet(players=players), RuleSet(players=players, rounds=3))):
        env = jerusalem_v0.raw_env(rules=rules, render_mode="ansi", skip_forced=False)
        env.reset(seed=seed)
        player, ply = Player(seed), 0
        while True:
            if ply % 3 == 0 or is_done(env):
                text = env.render()
                assert isinstance(text, str)
                check_text(text, env.position())
            if is_done(env):
                break
            env.step(player(env))
            ply += 1
        assert ply > 50


def test_ansi__changes_nothing() -> None:
    env = jerusalem_v0.raw_env(render_mode="ansi")
    env.reset(seed=3)
    before = env.states.tobytes()
    assert env.render() == env.render()
    assert env.states.tobytes() == before
    assert "ansi" in env.metadata["render_modes"]


def test_ansi__the_wrapped_environment_renders_too() -> None:
    env, raw = jerusalem_v0.env(render_mode="ansi"), jerusalem_v0.raw_env(render_mode="ansi")
    env.reset(seed=3)
    raw.reset(seed=3)
    assert env.render() == raw.render()


def test_ansi__says_that_incomes_are_reconstructed() -> None:
    for income in ("ludorium", "six_icons", "equal_value"):
        env = jerusalem_v0.raw_env(rules=RuleSet(income=income), render_mode="ansi")
        env.reset(seed=0)
        text = env.render()
        assert text is not None
        assert "* reconstructed income" in text
        assert "only the Market's are given by the rule texts" in text
    table = tuple((1, 1, 0) if area < 15 else (0, 0, 0) for area in range(16))
    env = jerusalem_v0.raw_env(rules=RuleSet(income=table), render_mode="ansi")
    env.reset(seed=0)
    text = env.render()
    assert text is not None
    assert NOTE not in text


def state_of(game: JerusalemGame, position: Position) -> np.void:
    record: np.void = game.read_position(position)[0]
    return record


HANDS = [["genoa", "squire"], ["defector", "move_2"], ["silver_2"], ["prestige_2"] * 2]


@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("seat", range(4))
def test_text__for_a_seat_hides_what_it_may_not_see(seat: int, information: Any) -> None:
    game = JerusalemGame(information=information)
    position = build_position(
        hands=[sorted(hand) for hand in HANDS],
        silver=[101, 102, 103, 104],
        squires=[201, 202, 203, 204],
        prestige=[31, 32, 33, 34],
        floors=[3, 4, 5, 6],
        offices=list(OFFICES[::-1]),
        board={"market.large": [1, 2, 3, 4], "davids_tower": [4, 0, 2, 0]},
        to_act=3,
    )
    rows = player_rows(game.render_text(state_of(game, position), seat))
    for other in range(4):
        office, floors, prestige, silver, supply, baron, cards = rows[other]
        assert (office, baron) == (OFFICES[::-1][other], "-")
        assert (floors, prestige) == (str(3 + other), str(31 + other))
        known = information == "recall" or other == seat
        assert (silver, supply) == ((str(101 + other), str(201 + other)) if known else ("?", "?"))
        expected = counted(HANDS[other]) if other == seat else f"{len(HANDS[other])} hidden"
        assert cards == expected
    text = game.render_text(state_of(game, position), seat)
    assert area_rows(text, 4)["market.large"][:2] == ([1, 2, 3, 4], "")
    assert area_rows(text, 4)["davids_tower"][0] == [4, 0, 2, 0]
    assert "P3 is in turn" in text


def test_text__for_a_seat_hides_the_pool_from_all_but_the_drafter() -> None:
    game = JerusalemGame()
    pool = ["defector", "genoa", "move_2", "squire"]
    drafting = state_of(game, build_position(phase="draft", draft_pool=pool))
    for seat in range(4):
        text = game.render_text(drafting, seat)
        assert (f"pool: {counted(pool)} " in text) == (seat == 0)
        assert ("pool: 4 face down" in text) == (seat != 0)
    auction = state_of(game, build_position(phase="open", draft_pool=pool))
    for seat in range(4):
        assert "pool: 4 face down" in game.render_text(auction, seat)
    assert f"pool: {counted(pool)} " in game.render_text(auction)


@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_text__for_a_seat_stays_the_same_when_the_unseen_is_dealt_anew(
    players: int, information: Any
) -> None:
    game = JerusalemGame(players=players, information=information)
    env = jerusalem_v0.raw_env(players=players, information=information)
    env.reset(seed=players)
    player, chance, differ = Player(players), np.random.default_rng(1), 0
    while not is_done(env):
        for seat in range(players):
            views = game.views(env.states, np.array([seat]))
            others = game.turn_seats(game.redeal(views, chance), players - seat)
            text = game.render_text(env.states[0], seat)
            assert game.render_text(others[0], seat) == text
            differ += game.render_text(others[0]) != game.render_text(env.states[0])
        env.step(player(env))
    assert differ > 20


def test_text__for_a_seat_tells_the_ranking_by_true_seats() -> None:
    game = JerusalemGame(players=3)
    position = build_position({"players": 3}, phase="over", floors=[2, 1, 3])
    for seat in (None, 0, 1, 2):
        text = game.render_text(state_of(game, position), seat)
        assert "P2 wins (P2 > P0 > P1)" in text
