"""The invariant checks themselves: each notices a doctored position, and the bounds are VI.b's."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.random_play import random_ruleset
from tests.reference_engine import build_position, full_ruleset
from tests.rules import invariants
from tests.table import Table

MARKET_ONLY = [[0, 0, 0]] * 9 + [[2, 4, 0], [1, 2, 0], [1, 2, 0]] + [[0, 0, 0]] * 4


def fails(check: Callable[..., None], *arguments: Any) -> bool:
    """Whether a check refuses a step."""
    try:
        check(*arguments)
    except AssertionError:
        return True
    return False


def one_step(ruleset: dict[str, Any] | None, action: str, **fields: Any) -> tuple[Any, str, Any]:
    """Position, action and next position of one step from a hand-made position."""
    table = Table.engine(build_position(ruleset, **fields))
    before = table.position()
    return before, action, table.play(action).position()


def test_I19__notices_squires_and_events_out_of_play() -> None:
    before, action, after = one_step({"players": 2}, "hire")
    invariants.check_I19_two_players(before, action, after)
    for field, value in (("board", {**after["board"], "nobility.left": [0, 0]}),):
        assert fails(invariants.check_I19_two_players, before, action, {**after, field: value})
    wrong = copy.deepcopy(after)
    wrong["events"][0] = "election"
    assert fails(invariants.check_I19_two_players, before, action, wrong)


def test_bounds__notice_one_silver_too_many_and_endless_games() -> None:
    first = Table.new("engine", {}, 0).position()
    invariants.check_bounds([first])
    rich = copy.deepcopy(first)
    rich["silver"][0] = 13
    assert fails(invariants.check_bounds, [rich])
    later = copy.deepcopy(first)
    later["round"] = 2
    later["silver"][0] = invariants.silver_bound(first["ruleset"], 2) + 1
    assert fails(invariants.check_bounds, [first, later])
    poor = Table.new("engine", {"income": [[0, 0, 0]] * 16}, 0).position()
    poor["phase"] = "turn"
    assert fails(invariants.check_bounds, [poor] * 2100)


def test_silver_bound__is_the_table_of_VI_b() -> None:
    four = [invariants.silver_bound(full_ruleset({"income": MARKET_ONLY}), r) for r in range(1, 6)]
    two = [
        invariants.silver_bound(full_ruleset({"income": MARKET_ONLY, "players": 2}), r)
        for r in range(1, 6)
    ]
    assert four == [12, 25, 42, 59, 74]
    assert two == [12, 25, 40, 55, 70]


def test_I7__notices_every_change_in_a_blocked_area() -> None:
    before, action, after = one_step(
        None,
        "hire",
        barons=["palace.left", None, None, None],
        board={"palace.left": [3, 1, 0, 0]},
        phase="turn",
        to_act=1,
    )
    for seat in range(4):
        for change in (1, -1):
            wrong = copy.deepcopy(after)
            wrong["board"]["palace.left"][seat] += change
            assert fails(invariants.check_I7_blocked_areas, before, action, wrong)


@pytest.mark.parametrize("store", ["silver", "squires", "prestige", "floors"])
def test_checks__notice_every_change_of_a_store_in_whole_games(store: str) -> None:
    for seed in range(2):
        table = Table.new("engine", random_ruleset(random.Random(seed)), seed)
        for before, action, after in invariants.steps(table, seed, [], True):
            seat = random.Random(len(str(after))).randrange(len(after["offices"]))
            for change in (1, -1):
                wrong = copy.deepcopy(after)
                wrong[store][seat] += change
                caught = any(fails(c, before, action, wrong) for c in invariants.STEP_CHECKS)
                assert caught, f"{store} {change:+d} unseen after {action} in {before['phase']}"
