"""David's Tower and the privileges."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference_engine import AREAS, TOWER
from tests.table import HIGH, NO_INCOME, Dealer


def test_tower__controller_may_move_one(deal: Dealer) -> None:
    board = {TOWER: [2, 0, 2, 1], "market.left": [0, 1, 0, 0]}
    barons = [None, "market.left", None, None]
    table = deal(NO_INCOME, round=1, to_act=3, board=board, barons=barons, silver=[0] * 4)
    table.play("pass")
    assert (table["phase"], table.to_act) == ("davids_tower", 0)  # a tie: the lower office
    assert table["silver"] == [1, 0, 0, 0]
    assert table["pending"] == {}
    free = [area for area in AREAS if area not in (TOWER, "market.left")]
    assert table.legal() == ["pass", *[f"drop {area}" for area in free]]
    table.play("drop nobility.right")
    assert (table["phase"], table.to_act) == ("nobility", 0)
    assert table["board"][TOWER] == [1, 0, 2, 1]
    assert table["board"]["nobility.right"] == [1, 0, 0, 0]
    assert table["silver"] == [1, 0, 0, 0]  # judged once, at the start of the step


def test_tower__its_silver_comes_before_the_market_privilege(deal: Dealer) -> None:
    """The Tower's 1 silver may be spent in the Market, this round's income may not (A39)."""
    board = {TOWER: [0, 1, 0, 0], "market.large": [0, 1, 0, 0]}
    table = deal(round=1, to_act=3, board=board, silver=[0, 1, 0, 0], floors=[HIGH] * 4)
    table.play("pass", "pass")
    assert table["phase"] == "market"
    assert table.legal() == ["pass", "buy prestige 1"]
    table.play("buy prestige 1")
    assert table["silver"] == [0, 4, 0, 0]
    assert table["prestige"] == [0, 1, 0, 0]


def test_privileges__come_before_the_income(deal: Dealer) -> None:
    """Neither the Market's silver nor the Patriarchate's squires of this round can be used."""
    board = {"market.large": [0, 1, 0, 0], "patriarchate.large": [0, 1, 0, 0]}
    table = deal(round=1, to_act=3, board=board, silver=[0, 1, 0, 0], squires=[0] * 4)
    table.play("pass")
    assert table["phase"] == "open"
    assert table["silver"] == [0, 5, 0, 0]
    assert table["squires"] == [0, 6, 0, 0]


def test_patriarchate__a_squire_for_the_top_card(deal: Dealer) -> None:
    board = {"patriarchate.left": [0, 0, 2, 1], "patriarchate.right": [0, 0, 0, 1]}
    pile = ["move_2", "genoa", "squire", "silver_2", "squire"]
    table = deal(
        NO_INCOME, round=1, to_act=3, board=board, squires=[0, 0, 2, 9], pile=pile, hands=[[]] * 4
    )
    table.play("pass")
    assert (table["phase"], table.to_act) == ("patriarchate", 2)  # 2 - 2: the lower office
    assert table.legal() == ["pass", "buy card"]
    table.play("buy card")
    assert table["squires"] == [0, 0, 1, 9]
    assert table["hands"] == [[], [], ["move_2"], []]
    assert table["draft_pool"] == sorted(pile[1:])
    assert table["pile"] == []


def test_patriarchate__pass_changes_nothing(deal: Dealer) -> None:
    board = {"patriarchate.left": [0, 0, 2, 1]}
    table = deal(NO_INCOME, phase="patriarchate", round=1, board=board, squires=[0, 0, 2, 9])
    table.play("pass")
    assert table["squires"] == [0, 0, 2, 9]
    assert table["hands"] == [[]] * 4


def test_patriarchate__needs_a_squire_in_supply(deal: Dealer) -> None:
    fields: dict[str, Any] = {"round": 1, "to_act": 3, "board": {"patriarchate.left": [5, 0, 0, 0]}}
    assert deal(NO_INCOME, squires=[0, 9, 9, 9], **fields).play("pass")["phase"] == "open"
    assert deal(NO_INCOME, squires=[1, 0, 0, 0], **fields).play("pass")["phase"] == "patriarchate"


@pytest.mark.parametrize(("silver", "most"), [(2, 1), (3, 1), (7, 3), (8, 4), (30, 4)])
def test_market__buys_up_to_four(deal: Dealer, silver: int, most: int) -> None:
    board = {"market.left": [0, 1, 0, 0]}
    table = deal(
        NO_INCOME,
        round=1,
        to_act=3,
        board=board,
        silver=[50, silver, 50, 50],
        floors=[HIGH] * 4,
    )
    table.play("pass")
    assert (table["phase"], table.to_act) == ("market", 1)
    assert table.legal() == ["pass", *[f"buy prestige {k}" for k in range(1, most + 1)]]
    table.play(f"buy prestige {most}")
    assert table["silver"] == [50, silver - 2 * most, 50, 50]
    assert table["prestige"] == [0, most, 0, 0]


def test_market__needs_two_silver(deal: Dealer) -> None:
    board = {"market.left": [0, 1, 0, 0]}
    table = deal(NO_INCOME, round=1, to_act=3, board=board, silver=[9, 1, 9, 9])
    assert table.play("pass")["phase"] == "open"


def test_nobility__steals_or_not(deal: Dealer) -> None:
    board = {"nobility.left": [0, 2, 0, 1], "nobility.right": [0, 0, 0, 1]}
    fields: dict[str, Any] = {"prestige": [4, 0, 1, 2], "floors": [HIGH] * 4}
    table = deal(NO_INCOME, round=1, to_act=3, board=board, **fields).play("pass")
    assert (table["phase"], table.to_act) == ("nobility", 1)  # 2 - 2: the lower office
    assert table.legal() == ["pass", "steal +1", "steal +2", "steal +3"]
    table.play("steal +3")
    assert table["prestige"] == [3, 1, 1, 2]
    table = deal(NO_INCOME, round=1, to_act=3, board=board, **fields).play("pass", "pass")
    assert table["prestige"] == [4, 0, 1, 2]


def test_nobility__three_players_have_two_victims(deal: Dealer) -> None:
    board = {"nobility.left": [0, 2, 0]}
    rules = {"players": 3, **NO_INCOME}
    table = deal(rules, phase="nobility", round=1, board=board, prestige=[5] * 3, floors=[HIGH] * 3)
    assert table.legal() == ["pass", "steal +1", "steal +2"]
    assert table.play("steal +2")["prestige"] == [4, 6, 5]


def test_privileges__sums_of_the_sector_decide(deal: Dealer) -> None:
    """Most squires in the three areas together, all three privileges in their order."""
    board = {}
    for sector in ("patriarchate", "market", "nobility"):
        board[f"{sector}.large"] = [2, 0, 1, 0]
        board[f"{sector}.left"] = [0, 2, 1, 0]
        board[f"{sector}.right"] = [0, 0, 1, 0]
    table = deal(NO_INCOME, round=1, to_act=3, board=board, squires=[1] * 4)
    for sector in ("patriarchate", "market", "nobility"):
        table.play("pass")
        assert (table["phase"], table.to_act) == (sector, 2)
    assert table.play("pass")["phase"] == "open"
