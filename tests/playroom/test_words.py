"""What happens in words: true, complete as far as it may be told, and silent about the rest."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jerusalem_env import jerusalem_v0
from jerusalem_env.jerusalem.actions import ACTION_IDS, ACTION_NAMES
from jerusalem_env.jerusalem.words import describe_decision, may_take_back, narrate
from tests.playroom.equipment import played

HIDDEN = ("silver", "squires")


def steps(players: int = 4, agent: str = "random"):
    timeline = played(players, agent=agent)
    for number, action in enumerate(timeline.actions):
        yield timeline.states[number][0], action, timeline.states[number + 1][0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_narrate__the_first_line_is_the_action_of_who_decided(players: int) -> None:
    for before, action, after in steps(players):
        actor = int(before["to_act"])
        for seat in (None, *range(players)):
            line = narrate(before, action, after, seat)[0]
            assert line.startswith("You " if seat == actor else f"P{actor} "), line
            assert "{" not in line


@pytest.mark.parametrize("players", [2, 4])
def test_narrate__amounts_add_up(players: int) -> None:
    """What is told of prestige and floors is what changed; of silver too, if all is told."""
    units = {"prestige": "prestige", "floors": "floors?", "silver": "silver"}
    told_something = 0
    for before, action, after in steps(players):
        lines = narrate(before, action, after)[1:]
        for seat in range(players):
            mine = " ".join(line for line in lines if line.startswith(f"P{seat}: "))
            for amount, unit in units.items():
                found = re.search(rf"([+−]\d+) {unit}\b", mine)
                told = int(found[1].replace("−", "-")) if found else 0
                assert told == int(after[amount][seat]) - int(before[amount][seat])
                told_something += told != 0
    assert told_something > 50


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("recall", [False, True])
def test_narrate__tells_a_seat_nothing_hidden(players: int, recall: bool) -> None:
    """P13: other amounts and cards behind the screens leave every line as it is."""
    rng = np.random.default_rng(0)
    for before, action, after in steps(players):
        seat = int(rng.integers(players))
        others = [other for other in range(players) if other != seat]
        changed = [before.copy(), after.copy()]
        for state in changed:
            if not recall:
                for amount in HIDDEN:
                    state[amount][others] = rng.integers(0, 60, players - 1)
            # Other cards in the same number come and go.
            for other in others:
                state["hand"][other] = state["hand"][other][::-1].copy()
            state["pile"][:] = state["pile"][::-1].copy()
        wanted = narrate(before, action, after, seat, recall)
        found = narrate(changed[0], action, changed[1], seat, recall)
        assert found == wanted


def test_narrate__others_do_not_learn_which_card_is_kept() -> None:
    seen = 0
    for before, action, after in steps():
        if ACTION_NAMES[action].startswith("draft "):
            actor = int(before["to_act"])
            card = ACTION_NAMES[action].removeprefix("draft ")
            assert narrate(before, action, after, actor)[0] == f"You keep {card}"
            assert narrate(before, action, after)[0] == f"P{actor} keeps {card}"
            other = (actor + 1) % 4
            assert narrate(before, action, after, other)[0] == f"P{actor} keeps a card of the pool"
            seen += 1
    assert 10 <= seen <= 15  # 3 of 4 choose in each of 5 rounds, unless all cards are alike


def test_narrate__the_end_and_the_rounds() -> None:
    timeline = played()
    told = [line for number in range(len(timeline)) for line in timeline.lines(number)]
    begun = [line for line in told if re.fullmatch(r"Round \d begins.*", line)]
    assert [line.split()[1] for line in begun] == ["2", "3", "4", "5"]
    assert all("lies over it" in line for line in begun[:3])
    assert "lies over it" not in begun[3]
    ended = [line for line in told if line.startswith("The game is over")]
    assert len(ended) == 1
    winner = int(timeline.states[-1]["winner"][0])
    assert f"P{winner} wins" in ended[0]
    assert "You win" in timeline.lines(len(timeline) - 1, winner)[-1]


def position_after(*names: str, players: int = 4):
    env = jerusalem_v0.raw_env(players=players)
    env.reset(seed=7)
    for name in names:
        before = env.states[0].copy()
        env.step(ACTION_IDS[name])
    return before, ACTION_IDS[names[-1]], env.states[0]


def test_narrate__an_auction() -> None:
    before, action, after = position_after("open marshal", "bid 3", "pass", "pass", "pass")
    lines = narrate(before, action, after)
    opener = int(before["opener"])
    assert lines[:2] == [f"P{(opener + 3) % 4} passes", f"P{opener} becomes marshal for 3 silver"]
    assert f"P{opener}: −3 silver" in lines
    mine = narrate(before, action, after, opener)
    assert mine[1] == "You become marshal for 3 silver"
    assert "You: −3 silver" in mine
    other = narrate(before, action, after, (opener + 1) % 4)
    assert not any("silver" in line for line in other[2:])


def test_describe_decision__says_who_decides_what() -> None:
    before, _, after = position_after("open marshal", "bid 3")
    opener = int(before["opener"])
    left = (opener + 1) % 4
    told = f"decides whether to bid for the marshal (high bid 3 by P{opener})"
    assert describe_decision(after) == f"P{left} {told}"
    assert describe_decision(after, left).startswith("You decide whether to bid")
    assert describe_decision(after, opener).endswith("(high bid 3 by you)")
    assert describe_decision(played().states[-1][0]) == "the game is over"


def test_describe_decision__tells_supply_and_silver_only_to_their_owner() -> None:
    for before, _, _ in steps():
        actor = int(before["to_act"])
        own, other = describe_decision(before, actor), describe_decision(before, (actor + 1) % 4)
        assert "supply" not in other
        if "next step of the turn" in own:
            assert f"(supply {before['squires'][actor]}, silver {before['silver'][actor]})" in own


def test_may_take_back__only_within_ones_own_turn() -> None:
    allowed = 0
    for before, _, after in steps():
        if may_take_back(before, after):
            allowed += 1
            assert before["to_act"] == after["to_act"]
            assert before["round"] == after["round"]
            assert before["pile_size"] == after["pile_size"]
            others = np.arange(4) != before["to_act"]
            for field in ("hand", "silver", "squires"):
                np.testing.assert_array_equal(before[field][others], after[field][others])
    assert allowed > 100
    bid = position_after("open marshal", "bid 3")
    assert not may_take_back(bid[0], bid[2])
