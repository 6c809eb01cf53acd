"""Auction, draft, turns and the four offices, with every field of the position."""

from __future__ import annotations

import pytest

from tests.reference_engine import AREAS, OFFICES, TOWER
from tests.rules.case_equipment import _hand
from tests.table import Dealer


def test_auction__position_step_by_step(deal: Dealer) -> None:
    table = deal(phase="open", to_act=2)
    empty = {"office": None, "bid": None, "bidder": None, "passed": [False] * 4}
    assert table["auction"] == {"opener": 2, **empty}
    table.play("open marshal")
    assert table["auction"] == {"opener": 2, **empty, "office": "marshal"}
    assert (table["phase"], table.to_act) == ("bid", 2)
    table.play("bid 3")
    bid = {"opener": 2, "office": "marshal", "bid": 3, "bidder": 2}
    assert table["auction"] == {**bid, "passed": [False] * 4}
    assert table.to_act == 3
    assert table.legal() == ["pass", *[f"bid {amount}" for amount in range(4, 13)]]
    assert table.refuses("bid 3", "bid 13")
    table.play("pass", "bid 5")
    assert table["auction"] == {
        **bid,
        "bid": 5,
        "bidder": 0,
        "passed": [False, False, False, True],
    }
    table.play("pass")
    assert table.to_act == 2  # seat 3 is out of this auction
    table.play("pass")
    after = table.position()
    assert after["offices"] == ["marshal", None, None, None]
    assert after["silver"] == [7, 12, 12, 12]  # only the winner pays
    assert after["auction"] == {"opener": 1, **empty}  # left of the winner
    assert (after["phase"], after["to_act"]) == ("open", 1)
    table.play("open captain", "bid 0")
    assert table["auction"]["passed"] == [False] * 4  # office holders are not marked
    assert table.to_act == 2


def test_auction__poor_bidder_can_only_pass(deal: Dealer) -> None:
    table = deal(phase="open", to_act=0, silver=[5, 5, 12, 12]).play("open captain", "bid 5")
    assert table.to_act == 1
    assert table.legal() == ["pass"]


def test_auction__bids_end_at_127(deal: Dealer) -> None:
    table = deal(phase="open", to_act=0, silver=[400, 400, 0, 0]).play("open captain")
    assert table.legal()[-1] == "bid 127"
    table.play("bid 127")
    assert table.legal() == ["pass"]


def test_auction__fields_outside_it(deal: Dealer) -> None:
    """After the last auction: nothing but who opened it last."""
    table = deal({"players": 2}, phase="open", to_act=1)
    table.play("open admiral", "bid 2", "pass")
    quiet = {"opener": 1, "office": None, "bid": None, "bidder": None, "passed": [False] * 2}
    assert table["phase"] == "draft"
    assert table["offices"] == ["marshal", "admiral"]
    assert table["auction"] == quiet
    table.idle_to("open")
    assert table["auction"]["opener"] == table.to_act


def test_draft__player_order_and_sorted_lists(deal: Dealer) -> None:
    pool = ["defector", "genoa", "squire", "squire"]
    offices = ["marshal", "admiral", "captain", "treasurer"]
    table = deal(phase="draft", offices=offices, draft_pool=pool, hands=_hand("move_2", seat=2))
    assert table.to_act == 2
    assert table.legal() == ["draft squire", "draft defector", "draft genoa"]
    table.play("draft defector")
    assert table["hands"][2] == ["defector", "move_2"]
    assert table["draft_pool"] == ["genoa", "squire", "squire"]
    assert table.to_act == 3
    assert table.refuses("draft defector")
    table.play("draft squire", "draft squire")
    assert table["hands"] == [["squire"], ["genoa"], ["defector", "move_2"], ["squire"]]
    assert (table["phase"], table.to_act) == ("turn", 2)


def test_round__lays_out_the_top_of_the_pile(deal: Dealer) -> None:
    table = deal(round=1, to_act=3)
    pile = table["pile"]
    table.play("pass")
    assert table["draft_pool"] == sorted(pile[:4])
    assert table["pile"] == pile[4:]


@pytest.mark.parametrize("office", OFFICES)
def test_turn__starts_with_office_squires_and_the_admiral_s_silver(
    deal: Dealer, office: str
) -> None:
    place = OFFICES.index(office)
    amount = {"captain": 7, "treasurer": 6, "marshal": 5, "admiral": 4}[office]
    if place == 0:
        table = deal(phase="draft", to_act=0, silver=[12] * 4)
        table.play(*[f"draft {card}" for card in table["draft_pool"][:3]])
    else:
        table = deal(to_act=place - 1).play("pass")
    squires, silver = [0] * 4, [12] * 4
    squires[place] = amount
    silver[place] += office == "admiral"
    assert (table["phase"], table.to_act) == ("turn", place)
    assert table["squires"] == squires
    assert table["silver"] == silver


def test_turn__place_counts_arrivals_of_this_turn_only(deal: Dealer) -> None:
    table = deal(squires=[2, 0, 0, 0])
    nothing = {"arrivals": dict.fromkeys(AREAS, 0), "baron_used": False, "hired": 0}
    nothing |= {"genoa": False, "marshal_used": False}
    assert table["turn"] == nothing
    table.play("place palace.large", "place palace.large")
    assert table["turn"]["arrivals"]["palace.large"] == 2
    assert table["board"]["palace.large"] == [2, 0, 0, 0]
    assert table["squires"] == [0] * 4
    assert table.refuses("place palace.large")  # none left
    table.play("pass")
    assert table["turn"] == nothing


def test_turn__one_baron_a_round(deal: Dealer) -> None:
    table = deal(squires=[4, 0, 0, 0]).play("place palace.left", "place palace.right")
    assert table.offers("baron") == ["palace.left", "palace.right"]
    table.play("baron palace.left")
    assert table["turn"]["baron_used"] is True
    assert table.offers("baron") == []
    assert table.refuses("baron palace.right", "place palace.left")
    assert table["squires"][0] == 2


def test_turn__end_of_turn_keeps_everything(deal: Dealer) -> None:
    table = deal(squires=[7, 0, 0, 0], hands=_hand("squire")).play("pass")
    assert table["squires"][0] == 7
    assert table["hands"][0] == ["squire"]
    assert table.to_act == 1


def test_dismiss__three_in_a_row(deal: Dealer) -> None:
    table = deal(board={"palace.left": [1, 0, 0, 0], TOWER: [3, 0, 0, 0]}, silver=[0] * 4)
    table.play(f"dismiss {TOWER}")
    assert table["phase"] == "dismiss"
    assert table["pending"] == {"source": "dismiss", "left": 2}
    assert table.legal() == ["dismiss palace.left", f"dismiss {TOWER}"]
    table.play("dismiss palace.left")
    assert table["pending"] == {"source": "dismiss", "left": 1}
    assert table["silver"] == [0] * 4
    assert table.legal() == [f"dismiss {TOWER}"]
    table.play(f"dismiss {TOWER}")
    assert (table["phase"], table["pending"]) == ("turn", {})
    assert table["silver"] == [1, 0, 0, 0]
    assert table["board"][TOWER] == [1, 0, 0, 0]
    assert table.offers("dismiss") == []


def test_dismiss__blocked_squires_do_not_make_up_the_three(deal: Dealer) -> None:
    board = {"palace.left": [5, 0, 0, 0], "market.left": [2, 0, 0, 0], TOWER: [1, 0, 0, 0]}
    barons = ["palace.left", None, None, None]
    assert deal(board=board, barons=barons).offers("dismiss") == ["market.left", TOWER]
    board[TOWER] = [0, 0, 0, 0]
    assert deal(board=board, barons=barons).offers("dismiss") == []


def test_marshal__takes_one_silver(deal: Dealer) -> None:
    table = deal(to_act=2, board={"palace.left": [0, 0, 2, 0]})
    assert table.offers("marshal") == ["move", "silver"]
    table.play("marshal silver")
    assert table["silver"] == [12, 12, 13, 12]
    assert table["turn"]["marshal_used"] is True
    assert table.refuses("marshal silver", "marshal move")


def test_marshal__or_moves_two(deal: Dealer) -> None:
    table = deal(to_act=2, board={"palace.left": [0, 0, 2, 0]}).play("marshal move")
    assert table["turn"]["marshal_used"] is True
    assert table["pending"] == {"source": "marshal", "left": 2, "from": None}
    assert table.legal() == ["lift palace.left"]
    table.play("lift palace.left", "drop market.left")
    assert table["pending"] == {"source": "marshal", "left": 1, "from": None}
    assert table.legal() == ["pass", "lift palace.left", "lift market.left"]
    table.play("lift palace.left", "drop nobility.left")
    assert table["phase"] == "turn"
    assert table["silver"] == [12] * 4
    assert table["board"]["market.left"] == table["board"]["nobility.left"] == [0, 0, 1, 0]
    assert table.refuses("marshal silver", "marshal move")


def test_marshal__may_move_one_only(deal: Dealer) -> None:
    table = deal(to_act=2, board={"palace.left": [0, 0, 2, 0]})
    table.play("marshal move", "lift palace.left", "drop market.left", "pass")
    assert (table["phase"], table["pending"], table.to_act) == ("turn", {}, 2)
    assert table["board"]["palace.left"] == [0, 0, 1, 0]


def test_marshal__no_move_without_squires(deal: Dealer) -> None:
    table = deal(to_act=2, squires=[0, 0, 5, 0])
    assert table.offers("marshal") == ["silver"]
    assert table.refuses("marshal move")


@pytest.mark.parametrize("seat", [0, 1, 3])
def test_marshal__abilities_are_nobody_else_s(deal: Dealer, seat: int) -> None:
    board = {"palace.left": [2, 2, 2, 2]}
    assert deal(to_act=seat, board=board).refuses("marshal move", "marshal silver")
