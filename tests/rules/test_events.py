"""The four events, and declined income."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference_engine import AREAS, EVENTS, TOWER
from tests.table import NO_INCOME, Dealer, Table, squires_of


def _event(deal: Dealer, event: str, number: int = 2, **fields: Any) -> Table:
    """The last turn of a round over which this event lies; nothing pays an income."""
    others = [other for other in ("election", "war", "special_tax", "succession") if other != event]
    events = others[:2]
    events.insert(number - 2, event)
    return deal(NO_INCOME, round=number, events=events, to_act=3, **fields)


@pytest.mark.parametrize("number", [2, 3, 4])
def test_event__strikes_in_its_round(deal: Dealer, number: int) -> None:
    board = {"palace.left": [1, 2, 0, 0]}
    assert _event(deal, "succession", number, board=board).play("pass")["board"]["palace.left"] == [
        0,
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("number", [1, 5])
def test_event__none_in_rounds_1_and_5(deal: Dealer, number: int) -> None:
    board = {area: [2, 1, 0, 0] for area in AREAS}
    for events in (["election", "war", "special_tax"], ["succession", "election", "war"]):
        table = deal(NO_INCOME, round=number, events=events, to_act=3, board=board)
        table.pass_to("open", "over")
        assert set(map(tuple, table["board"].values())) == {(2, 1, 0, 0)}


def test_succession__without_a_baron_nothing_is_saved(deal: Dealer) -> None:
    board = {
        "palace.large": [3, 2, 0, 1],
        "palace.right": [0, 1, 0, 0],
        "market.left": [1, 0, 0, 0],
    }
    table = _event(deal, "succession", board=board, silver=[0] * 4).play("pass")
    assert (table["phase"], table["round"]) == ("open", 3)
    assert [squires_of(table.position(), seat) for seat in range(4)] == [1, 0, 0, 0]


def test_succession__saves_at_most_what_was_lost(deal: Dealer) -> None:
    board = {"palace.large": [1, 5, 0, 0]}
    barons = [TOWER, None, "market.left", None]  # seat 2 has lost nothing and is not asked
    table = _event(deal, "succession", board=board, barons=barons).play("pass")
    assert table["pending"] == {"lost": [1, 5, 0, 0], "saved": 0}
    assert table.legal() == ["pass", f"drop {TOWER}"]
    table.play(f"drop {TOWER}")
    assert table["phase"] == "open"
    assert table["board"][TOWER] == [1, 0, 0, 0]


def test_succession__two_are_the_most_and_one_may_stop(deal: Dealer) -> None:
    board = {"palace.large": [9, 9, 0, 0]}
    barons = ["palace.large", "market.left", None, None]
    table = _event(deal, "succession", board=board, barons=barons).play("pass")
    table.play("drop palace.large", "drop palace.large")
    assert table.to_act == 1
    assert table["pending"] == {"lost": [9, 9, 0, 0], "saved": 0}
    table.play("drop market.left", "pass")
    assert table["phase"] == "open"
    assert table["board"]["palace.large"] == [2, 0, 0, 0]
    assert table["board"]["market.left"] == [0, 1, 0, 0]


def test_election__barons_protect_nothing(deal: Dealer) -> None:
    board = {"patriarchate.left": [4, 2, 0, 0], "nobility.right": [0, 3, 0, 5]}
    barons = ["patriarchate.left", None, None, "nobility.right"]
    table = _event(deal, "election", board=board, barons=barons, silver=[0] * 4).pass_to("open")
    assert table["board"]["patriarchate.left"] == [2, 2, 0, 0]
    assert table["board"]["nobility.right"] == [0, 3, 0, 3]


def test_special_tax__who_passes_loses_the_rest(deal: Dealer) -> None:
    board = {
        "market.large": [2, 0, 0, 0],
        "market.right": [1, 3, 0, 0],
        "palace.left": [2, 0, 0, 0],
    }
    table = _event(deal, "special_tax", board=board, silver=[9, 1, 0, 0])
    table.pass_to("special_tax")
    kept = {"market.large": 0, "market.left": 0, "market.right": 0}
    assert table["pending"] == {"kept": kept}
    assert table.legal() == ["pass", "keep market.large", "keep market.right"]
    table.play("keep market.right")
    assert table["pending"] == {"kept": {**kept, "market.right": 1}}
    assert table["silver"] == [8, 1, 0, 0]  # paid at once
    assert table.legal() == ["pass", "keep market.large"]
    assert table["board"]["market.large"] == [2, 0, 0, 0]
    table.play("pass")
    assert table.to_act == 1
    assert table["pending"] == {"kept": kept}
    assert table["board"]["market.large"] == [0, 0, 0, 0]
    assert table["board"]["market.right"] == [1, 3, 0, 0]
    table.play("keep market.right")
    assert table["phase"] == "open"
    assert table["board"]["market.right"] == [1, 1, 0, 0]
    assert table["board"]["palace.left"] == [2, 0, 0, 0]
    assert table["silver"] == [8, 0, 0, 0]


def test_special_tax__all_kept_ends_it(deal: Dealer) -> None:
    board = {"market.large": [1, 0, 0, 0], "market.left": [1, 0, 0, 0]}
    barons = ["market.large", None, None, None]
    table = _event(deal, "special_tax", board=board, silver=[9, 9, 9, 9], barons=barons)
    table.pass_to("special_tax").play("keep market.left", "keep market.large")
    assert table["phase"] == "open"  # nobody else has squires there
    assert table["silver"] == [7, 9, 9, 9]


def test_special_tax__income_of_the_round_pays(deal: Dealer) -> None:
    """Incomes are collected before the event (R17.5)."""
    events = ["special_tax", "war", "succession"]
    table = deal(events=events, to_act=3, board={"market.large": [0, 2, 0, 0]}, silver=[0] * 4)
    table.play("pass")
    assert (table["phase"], table.to_act) == ("special_tax", 1)
    assert table["silver"] == [0, 4, 0, 0]


def test_war__needs_own_templars(deal: Dealer) -> None:
    board = {"templars.left": [0, 0, 0, 1], "palace.left": [5, 5, 5, 0]}
    table = _event(deal, "war", board=board).play("pass")
    assert (table["phase"], table.to_act) == ("war", 3)
    assert table["pending"] == {"left": 1, "hits": [0, 0, 0, 0]}
    table.play("target +2 palace.left")
    assert table["phase"] == "open"
    assert table["board"]["palace.left"] == [5, 4, 5, 0]


def test_war__hits_blocked_areas_two_each(deal: Dealer) -> None:
    board = {"templars.left": [9, 0, 0, 0], "palace.left": [0, 4, 0, 0], TOWER: [0, 2, 0, 1]}
    barons = [None, "palace.left", None, None]
    table = _event(deal, "war", board=board, barons=barons).pass_to("war")
    assert table.offers("target") == ["+1 palace.left", f"+1 {TOWER}", f"+3 {TOWER}"]
    table.play("target +1 palace.left")
    assert table["pending"] == {"left": 8, "hits": [0, 1, 0, 0]}
    table.play(f"target +1 {TOWER}")
    assert table["pending"] == {"left": 7, "hits": [0, 2, 0, 0]}
    assert table.legal() == ["pass", f"target +3 {TOWER}"]
    table.play("pass")
    assert table["phase"] == "open"
    assert table["board"]["palace.left"] == [0, 3, 0, 0]
    assert table["board"][TOWER] == [0, 1, 0, 1]
    assert table["board"]["templars.left"] == [0, 0, 0, 0]


def test_war__own_squires_go_even_without_targets(deal: Dealer) -> None:
    board = {"templars.left": [3, 0, 0, 0], "palace.left": [1, 0, 0, 0]}
    table = _event(deal, "war", board=board).play("pass")
    assert table["phase"] == "open"
    assert squires_of(table.position(), 0) == 1


ORDER_2_0_3_1 = ["treasurer", "admiral", "captain", "marshal"]  # player order: seats 2, 0, 3, 1


@pytest.mark.parametrize(
    ("event", "sector"), [("succession", "palace"), ("special_tax", "market"), ("war", "templars")]
)
def test_event__asks_in_player_order(deal: Dealer, event: str, sector: str) -> None:
    board = {f"{sector}.left": [1, 1, 1, 1], "nobility.left": [3, 3, 3, 3]}
    areas: list[str | None] = ["nobility.large", "nobility.left", "nobility.right", TOWER]
    table = deal(
        NO_INCOME,
        offices=ORDER_2_0_3_1,
        to_act=1,
        events=[event, *(other for other in EVENTS if other != event)][:3],
        board=board,
        barons=areas if event == "succession" else [None] * 4,
    )
    table.pass_to(event)
    asked = []
    while table["phase"] == event:
        asked.append(table.to_act)
        table.play("pass")
    assert asked == [2, 0, 3, 1]


def test_income__may_be_declined_in_player_order(deal: Dealer) -> None:
    board = {f"templars.{part}": [0, 0, 0, 0] for part in ("large", "left", "right")}
    for seat, area in enumerate(board):
        board[area][seat] = 1
    rules = {"decline_income": True}
    table = deal(rules, offices=ORDER_2_0_3_1, to_act=1, round=1, board=board).pass_to("income")
    asked = []
    while table["phase"] == "income":
        asked.append(table.to_act)
        table.play("pass")
    assert asked == [2, 0, 1]
