"""The cases derived from the rules, F1 - F17, played through each engine's own flow."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference_engine import OFFICES
from tests.table import HIGH, NO_INCOME, Dealer, squires_of

ADMIRAL_LAST: dict[str, Any] = {"to_act": 3, "round": 1}


def test_F1__one_player_pays_the_surcharge(deal: Dealer) -> None:
    """A (4 PP) cannot pay a first floor 3 before B (5 PP) does; next round it costs him 4."""
    table = deal(NO_INCOME, floors=[2, 2, 0, 0], prestige=[4, 5, 0, 0], **ADMIRAL_LAST)
    table.play("pass")
    assert table["floors"] == [2, 3, 0, 0]
    assert table["prestige"] == [4, 0, 0, 0]
    table.idle_to("turn").pass_to("open")
    assert table["round"] == 3
    assert table["floors"] == [3, 3, 0, 0]
    assert table["prestige"] == [0, 0, 0, 0]


def test_F2__later_builders_of_the_same_step_pay_less(deal: Dealer) -> None:
    """Keeps 0, PP 7 and 5: A pays 3 + 4, B after him 2 + 3; both have 2 floors and nothing left."""
    offices = ["treasurer", "captain", "marshal", "admiral"]  # A is seat 1
    table = deal(offices=offices, prestige=[5, 7, 0, 0], **ADMIRAL_LAST).play("pass")
    assert table["floors"] == [2, 2, 0, 0]
    assert table["prestige"] == [0, 0, 0, 0]


def test_F2__earlier_player_cannot_wait(deal: Dealer) -> None:
    """With the smaller purse first: A builds floor 1 for 3 and keeps 2; B pays 2 + 4 of his 7."""
    table = deal(prestige=[5, 7, 0, 0], **ADMIRAL_LAST).play("pass")
    assert table["floors"] == [1, 2, 0, 0]
    assert table["prestige"] == [2, 1, 0, 0]


def test_F3__gifts_of_the_king(deal: Dealer) -> None:
    """Squires 3 3 1, silver 5 2 2, cards 0 2 1: prestige 4, 2, 1."""
    table = deal(
        {"players": 3},
        round=5,
        to_act=2,
        squires=[3, 3, 1],
        silver=[5, 2, 2],
        hands=[[], ["squire", "genoa"], ["move_2"]],
        floors=[HIGH] * 3,
    )
    assert table.play("pass")["prestige"] == [4, 2, 1]


def test_F3__gifts_count_the_supply_only(deal: Dealer) -> None:
    """Squires on the board do not count (D29)."""
    table = deal(
        NO_INCOME,
        round=5,
        to_act=3,
        squires=[0, 1, 0, 0],
        silver=[0, 0, 1, 0],
        board={"palace.left": [9, 0, 0, 0]},
        floors=[HIGH] * 4,
    )
    assert table.play("pass")["prestige"] == [0, 3, 3, 0]


def _palace_table(deal: Dealer, seat: int, **fields: Any) -> bool:
    """Whether this seat's baron, with enough new squires, may go to large Palace."""
    new = [3 if other == seat else 0 for other in range(4)]
    turn = {"arrivals": {"palace.large": 3}}
    table = deal(to_act=seat, board={"palace.large": new}, turn=turn, **fields)
    allowed = "baron palace.large" in table.legal()
    assert allowed != table.refuses("baron palace.large")
    return allowed


def test_F4__tied_leader_with_most_prestige_is_barred(deal: Dealer) -> None:
    """Keeps 2 2 1 0, PP 1 0 2 9: only A may not put his baron in large Palace."""
    fields: dict[str, Any] = {"floors": [2, 2, 1, 0], "prestige": [1, 0, 2, 9]}
    assert [_palace_table(deal, seat, **fields) for seat in range(4)] == [False, True, True, True]


def test_F4__single_leader_is_barred(deal: Dealer) -> None:
    """The one with the highest keep may not, however little prestige he has."""
    fields: dict[str, Any] = {"floors": [2, 3, 1, 0], "prestige": [5, 0, 5, 5]}
    assert [_palace_table(deal, seat, **fields) for seat in range(4)] == [True, False, True, True]


def test_F5__equal_leaders_are_all_barred(deal: Dealer) -> None:
    """Keeps 2 2, PP 1 1: both are barred."""
    fields: dict[str, Any] = {"floors": [2, 2, 1, 0], "prestige": [1, 1, 2, 9]}
    assert [_palace_table(deal, seat, **fields) for seat in range(4)] == [False, False, True, True]


@pytest.mark.parametrize(
    ("floors", "prestige", "opener"),
    [
        ([20, 20, 21, 0], [9, 0, 0, 1], 2),
        ([20, 20, 20, 0], [3, 4, 5, 1], 2),
        ([20, 20, 20, 0], [5, 4, 3, 1], 0),
        ([20, 20, 20, 0], [4, 4, 4, 1], 1),  # seat 1 is treasurer, the lowest of the three
        ([20, 20, 20, 20], [4, 4, 4, 4], 3),  # seat 3 is captain
    ],
)
def test_F6__opener_of_the_next_round(
    deal: Dealer, floors: list[int], prestige: list[int], opener: int
) -> None:
    """Highest keep opens, then most prestige, then the lowest office of the round before."""
    offices = ["admiral", "treasurer", "marshal", "captain"]
    table = deal(offices=offices, round=1, to_act=0, floors=floors, prestige=prestige)
    after = table.play("pass").position()
    assert (after["phase"], after["round"]) == ("open", 2)
    assert after["to_act"] == after["auction"]["opener"] == opener
    assert after["last_offices"] == offices


def test_F7__opening_passes_over_office_holders(deal: Dealer) -> None:
    """C wins A's auction, B the second, opened by D: left of B is C, who has one, so D opens."""
    a, b, _c, d = range(4)
    table = deal(phase="open", to_act=a)
    table.play("open captain", "bid 0", "pass", "bid 1", "pass", "pass")
    assert table["offices"] == [None, None, "captain", None]
    assert table.to_act == table["auction"]["opener"] == d
    table.play("open treasurer", "bid 0")
    assert table.to_act == a
    table.play("pass")
    assert table.to_act == b
    table.play("bid 1", "pass")
    assert table["offices"] == [None, "treasurer", "captain", None]
    assert table["silver"] == [12, 11, 11, 12]
    assert (table["phase"], table.to_act, table["auction"]["opener"]) == ("open", d, d)
    assert table.legal() == ["open marshal", "open admiral"]


@pytest.mark.parametrize(("hires", "price"), [(1, 1), (2, 3), (3, 5), (4, 7)])
def test_F8__treasurer_with_genoa(deal: Dealer, hires: int, price: int) -> None:
    """1 / 2 / 3 / 4 squires cost the treasurer with Genoa 1 / 3 / 5 / 7."""
    table = deal(to_act=1, silver=[0, price, 0, 0], hands=[[], ["genoa"], [], []])
    table.play("play genoa", *["hire"] * hires)
    assert table["silver"][1] == 0
    assert table["turn"]["hired"] == hires
    assert table.refuses("hire")


def test_F9__election_ignores_absent_players(deal: Dealer) -> None:
    """B1 R3 Y0 G2 in an area: 1 1 0 1."""
    board = {"patriarchate.left": [1, 3, 0, 2]}
    table = deal(NO_INCOME, events=["election", "war", "succession"], to_act=3, board=board)
    assert table.pass_to("open")["board"]["patriarchate.left"] == [1, 1, 0, 1]


def test_F10__nothing_leaves_the_own_blocked_area(deal: Dealer) -> None:
    """Move 2, Defector, marshal and dismissing do not take squires out of the own blocked area."""
    hands = [[], [], ["defector", "move_2"], []]
    fields: dict[str, Any] = {"to_act": 2, "hands": hands}
    fields["barons"] = [None, None, "palace.left", None]
    board = {"palace.left": [0, 0, 4, 0], "market.large": [1, 0, 0, 0]}
    table = deal(board=board, **fields)
    assert table.refuses("play move_2", "play defector", "marshal move", "dismiss palace.left")
    board["templars.left"] = [0, 0, 1, 0]
    table = deal(board=board, **fields).play("play move_2")
    assert table.legal() == ["lift templars.left"]
    table = deal(board=board, **fields).play("play defector")
    assert table.legal() == ["lift templars.left"]
    table = deal(board=board, **fields).play("marshal move", "lift templars.left")
    assert table.refuses("drop palace.left", "drop templars.left")
    assert len(table.offers("drop")) == 14


def test_F10__nothing_enters_or_leaves_a_foreign_blocked_area(deal: Dealer) -> None:
    """A defector's opponent squire may not stand in a blocked area either."""
    board = {"palace.left": [2, 3, 0, 0], "market.left": [1, 0, 0, 0], "market.large": [0, 0, 1, 0]}
    barons = ["market.right", None, None, None]
    table = deal(board=board, barons=barons, hands=[["defector"], [], [], []])
    table.play("play defector", "lift market.left")
    assert table.legal() == ["target +1 palace.left", "target +2 market.large"]
    barons = [None, "palace.left", None, None]
    fields: dict[str, Any] = {
        "offices": ["admiral", "captain", "treasurer", "marshal"],
        "to_act": 0,
    }
    table = deal(board=board, barons=barons, hands=[["defector"], [], [], []], **fields)
    table.play("play defector")
    assert table.legal() == ["lift market.left"]
    table.play("lift market.left")
    assert table.legal() == ["target +2 market.large"]


def test_F11__influence_stops_at_a_baron(deal: Dealer) -> None:
    """Influence into a blocked area is illegal, into the sector's other areas legal."""
    hands = [[], [], [], ["influence_palace", "influence_davids_tower"]]
    table = deal(to_act=3, barons=["palace.left", None, None, None], hands=hands)
    table.play("play influence_palace")
    assert table.legal() == ["drop palace.large", "drop palace.right"]
    assert table.refuses("drop palace.left")
    barons = ["palace.left", "palace.right", "palace.large", None]
    table = deal(to_act=3, barons=barons, hands=hands)
    assert table.refuses("play influence_palace")
    table.play("play influence_davids_tower")
    assert table.legal() == ["drop davids_tower"]
    table = deal(to_act=3, barons=["davids_tower", None, None, None], hands=hands)
    assert table.refuses("play influence_davids_tower")


def test_F12__war_can_disarm_the_next(deal: Dealer) -> None:
    """R and G have 2 each in the Templars; R removes both of G, who then removes nobody."""
    board = {"templars.left": [2, 2, 0, 0], "palace.left": [3, 0, 0, 0]}
    events = ["war", "succession", "election"]
    table = deal(NO_INCOME, events=events, to_act=3, board=board).play("pass")
    table.play("target +1 templars.left", "target +1 templars.left")
    assert (table["phase"], table["round"]) == ("open", 3)
    assert table["board"]["palace.left"] == [3, 0, 0, 0]
    assert squires_of(table.position(), 1) == 0


def test_F13__moved_squires_count_for_the_baron(deal: Dealer) -> None:
    """2 placed and 1 brought by Move 2: a non-captain's baron is legal."""
    board, squires = {"market.left": [0, 1, 0, 0]}, [0, 2, 0, 0]
    table = deal(to_act=1, board=board, squires=squires, hands=[[], ["move_2"], [], []])
    table.play("place templars.large", "place templars.large")
    assert table.refuses("baron templars.large")
    table.play("play move_2", "lift market.left", "drop templars.large", "pass")
    assert table["turn"]["arrivals"]["templars.large"] == 3
    table.play("baron templars.large")
    assert table["turn"]["baron_used"]


def test_F13__squires_must_still_be_there(deal: Dealer) -> None:
    """A13: 3 arrivals of which one has moved on do not do for the baron."""
    table = deal(to_act=1, squires=[0, 3, 0, 0], hands=[[], ["move_2"], [], []])
    table.play(*["place templars.large"] * 3)
    assert "baron templars.large" in table.legal()
    table.play("play move_2", "lift templars.large", "drop palace.left", "pass")
    assert table["turn"]["arrivals"]["templars.large"] == 3
    assert table.refuses("baron templars.large")


def test_F14__market_privilege_with_five_silver(deal: Dealer) -> None:
    """5 silver buy at most 2 prestige; 1 silver is left."""
    table = deal(
        NO_INCOME,
        phase="market",
        board={"market.left": [1, 0, 0, 0]},
        silver=[5, 0, 0, 0],
        floors=[HIGH] * 4,
    )
    assert table.legal() == ["pass", "buy prestige 1", "buy prestige 2"]
    table.play("buy prestige 2")
    assert table["silver"][0] == 1
    assert table["prestige"][0] == 2


def test_F15__empty_areas_give_nothing(deal: Dealer) -> None:
    """Nobody on the board: no Tower, privilege or income decision, and nobody gains anything."""
    table = deal(squires=[1] * 4, **ADMIRAL_LAST)
    before = table.position()
    after = table.play("pass").position()
    assert (after["phase"], after["round"]) == ("open", 2)
    for field in ("silver", "squires", "prestige", "floors", "hands", "board"):
        assert after[field] == before[field]


@pytest.mark.parametrize(
    ("prestige", "ranking"),
    [([1, 7, 0, 0], [1, 0, 2, 3]), ([5, 5, 0, 0], [1, 0, 2, 3]), ([6, 5, 0, 0], [0, 1, 2, 3])],
)
def test_F16__winner(deal: Dealer, prestige: list[int], ranking: list[int]) -> None:
    """Keeps 6 6: more prestige left wins; equal, the lower office of round 5 (seat 1 captain)."""
    table = deal(
        {"zero_ties_win_gifts": False},
        round=5,
        offices=["marshal", "captain", "treasurer", "admiral"],
        last_offices=["captain", "treasurer", "marshal", "admiral"],
        to_act=3,
        floors=[6, 6, 3, 0],
        prestige=prestige,
        silver=[0] * 4,
    )
    after = table.play("pass").position()
    assert (after["phase"], after["to_act"]) == ("over", None)
    assert after["prestige"] == prestige
    assert after["winner"] == ranking[0]
    assert after["ranking"] == ranking
    assert table.legal() == []


def test_F16__highest_keep_beats_prestige(deal: Dealer) -> None:
    """Keep 6 with nothing left beats keep 5 with 6 prestige left."""
    rules = {"zero_ties_win_gifts": False}
    fields: dict[str, Any] = {"floors": [5, 0, 6, 0], "prestige": [5, 0, 0, 0], "silver": [0] * 4}
    after = deal(rules, round=5, to_act=3, **fields).play("pass").position()
    assert after["ranking"] == [2, 0, 1, 3]
    assert after["floors"] == [5, 0, 6, 0]


def test_F17__last_office_is_free(deal: Dealer) -> None:
    """Three offices sold: the fourth player gets the last one and pays nothing."""
    table = deal(phase="open", to_act=0, silver=[12, 12, 12, 12])
    for office, bid in zip(OFFICES[::-1][:3], (3, 2, 1), strict=True):
        table.play(f"open {office}", f"bid {bid}").play(*["pass"] * (bid))
    after = table.position()
    assert after["offices"] == ["admiral", "marshal", "treasurer", "captain"]
    assert after["silver"] == [9, 10, 11, 12]
    assert after["phase"] == "draft"
    assert after["to_act"] == 3
