"""What happens in words: true, complete as far as it may be told, and silent about the rest."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jerusalem_env import RuleSet, jerusalem_v0
from jerusalem_env.jerusalem.actions import ACTION_IDS, ACTION_NAMES
from jerusalem_env.jerusalem.words import (
    _Told,
    describe_decision,
    may_take_back,
    narrate,
)
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


def told_amounts(lines: list[str], players: int) -> np.ndarray:
    """(n, 4) squires, silver, prestige, floors: the sum of all that lines tell of seats."""
    units = ("squire", "silver", "prestige", "floor")
    total = np.zeros((players, 4), int)
    for line in lines:
        built = re.fullmatch(r"P(\d) builds (\d+) floors? for (\d+) prestige", line)
        if built:
            total[int(built[1]), 2:] += [-int(built[3]), int(built[2])]
            continue
        kind = re.match(r"(P\d: |Income: |The king's gifts: |David's Tower pays )", line)
        if not kind:
            continue
        rest = line if line.startswith("P") else line[kind.end() :]
        for part in rest.split("; "):
            seat = int(part[1])
            for number, unit in re.findall(r"([+−]?\d+) (squire|silver|prestige|floor)", part[2:]):
                total[seat, units.index(unit)] += int(number.replace("−", "-"))
    return total


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("agent", ["random", "expert"])
def test_narrate__amounts_add_up(players: int, agent: str) -> None:
    """All that is told of amounts, income and building and the rest, is what changed."""
    settled = 0
    for before, action, after in steps(players, agent):
        lines = narrate(before, action, after)[1:]
        wanted = np.stack(
            [
                after[amount][:players].astype(int) - before[amount][:players]
                for amount in ("squires", "silver", "prestige", "floors")
            ],
            axis=1,
        )
        if ACTION_NAMES[action].startswith("place "):
            wanted[before["to_act"], 0] += 1  # told by the action itself
        np.testing.assert_array_equal(told_amounts(lines, players), wanted, err_msg=str(lines))
        settled += any(line.startswith("Income: ") for line in lines)
    assert settled == 5  # once a round


@pytest.mark.parametrize("switches", [{"decline_income": True}, {"zero_ties_win_gifts": False}])
def test_settlement__can_always_be_told_apart(switches: dict[str, bool]) -> None:
    """The parts worked out from the rules lead to what the engine says, in every step."""
    env = jerusalem_v0.raw_env(rules=RuleSet(**switches))
    rng = np.random.default_rng(0)
    for seed in range(3):
        env.reset(seed=seed)
        incomes = 0
        while not any(env.terminations.values()):
            before = env.states[0].copy()
            mask = env.observe(env.agent_selection)["action_mask"]
            action = int(rng.choice(np.flatnonzero(mask)))
            env.step(action)
            told = _Told(before, action, env.states[0], None, False)
            assert told.settlement is not None
            incomes += bool(told.settlement.income.any())
        assert incomes == 5


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("recall", [False, True])
def test_narrate__tells_a_seat_nothing_hidden(players: int, recall: bool) -> None:
    """P13: other amounts and cards behind the screens leave every line as it is."""
    rng = np.random.default_rng(0)
    for before, action, after in steps(players):
        if int(after["winner"]) >= 0:
            continue  # R13.1: in the end all supplies are revealed
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
