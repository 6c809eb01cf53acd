"""The worked examples of the rule texts, E1 - E27, played through each engine's own flow.

Seats are named as in the examples; numbers marked with an asterisk there are filled in here too.
In the set-up every seat i holds the i-th office unless a case says otherwise.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference_engine import AREAS, OFFICES, deck_of
from tests.table import HIGH, NO_INCOME, Dealer, gained, squires_of

ADMIRAL_LAST: dict[str, Any] = {
    "to_act": 3,
    "round": 1,
}  # the last turn of a round without an event


@pytest.mark.parametrize(("players", "cards"), [(2, 25), (3, 27), (4, 27)])
def test_E1__start_of_a_game(deal: Dealer, players: int, cards: int) -> None:
    """12 silver each; no prestige, floors, squires; 27 cards (25 with 2 players)."""
    start = deal.new({"players": players}).position()
    assert start["silver"] == [12] * players
    assert start["prestige"] == start["floors"] == start["squires"] == [0] * players
    assert start["hands"] == [[]] * players
    assert start["discards"] == []
    dealt = start["pile"] + start["draft_pool"]
    assert len(dealt) == cards
    assert sorted(dealt) == sorted(deck_of(players))
    assert not any(any(counts) for counts in start["board"].values())
    assert start["round"] == 1
    assert start["phase"] == "open"


def test_E2__three_players_lay_out_three_cards(deal: Dealer) -> None:
    """3 players, round 1: 3 cards laid out, 24 in the pile; offices 2, 3, 4 on offer."""
    table = deal.new({"players": 3})
    assert len(table["draft_pool"]) == 3
    assert len(table["pile"]) == 24
    assert table.legal() == ["open treasurer", "open marshal", "open admiral"]


def test_E3__opener_without_money_bids_nothing(deal: Dealer) -> None:
    """An opener with 0 silver must choose an office and bid 0; he may not pass."""
    table = deal(phase="open", silver=[0, 12, 12, 12])
    assert table.to_act == 0
    assert table.legal() == [f"open {office}" for office in OFFICES]
    assert table.refuses("pass")
    table.play("open marshal")
    assert table.legal() == ["bid 0"]
    table.play("bid 0")
    assert table.to_act == 1
    assert "pass" in table.legal()


def test_E3__opener_with_money_may_not_pass_either(deal: Dealer) -> None:
    """The opening bid is any amount from 0 to the opener's silver, never a pass."""
    table = deal(phase="open", silver=[5, 12, 12, 12]).play("open captain")
    assert table.legal() == [f"bid {amount}" for amount in range(6)]


def test_E4__control_in_the_patriarchate(deal: Dealer) -> None:
    """Blue 1, Red 2, Yellow 3: 2-2 goes to Red's lower office, the rest to the most squires."""
    red, blue, yellow, _green = 0, 1, 2, 3
    offices = ["treasurer", "captain", "marshal", "admiral"]
    board = {
        "patriarchate.large": [2, 0, 2, 0],
        "patriarchate.left": [1, 0, 2, 0],
        "patriarchate.right": [0, 1, 0, 0],
    }
    table = deal(offices=offices, board=board, floors=[HIGH] * 4, **ADMIRAL_LAST)
    before = table.position()
    after = table.pass_to("open").position()
    squires, prestige = gained(before, after, "squires"), gained(before, after, "prestige")
    assert (squires[red], prestige[red]) == (4, 2)
    assert (squires[yellow], prestige[yellow]) == (2, 1)
    assert (squires[blue], prestige[blue]) == (2, 1)
    assert sum(squires) == 8
    assert sum(prestige) == 4


def test_E5__tied_captain_controls(deal: Dealer) -> None:
    """Captain and marshal tied for most in an area: the captain controls it."""
    offices = ["marshal", "treasurer", "captain", "admiral"]
    board = {"palace.large": [3, 1, 3, 0], "templars.left": [1, 0, 1, 0]}
    table = deal(offices=offices, board=board, floors=[HIGH] * 4, **ADMIRAL_LAST)
    before = table.position()
    after = table.pass_to("open").position()
    assert gained(before, after, "prestige") == [0, 0, 4, 0]
    assert gained(before, after, "squires") == [0, 0, 3, 0]


def test_E6__baron_blocks_one_area_for_all(deal: Dealer) -> None:
    """A baron with 3 new squires in large Nobility shuts it; the small areas stay open."""
    table = deal(to_act=1, squires=[0, 6, 0, 0])  # the treasurer's turn
    table.play(*["place nobility.large"] * 3, "baron nobility.large")
    assert table["barons"] == [None, "nobility.large", None, None]
    assert table.refuses("place nobility.large")
    table.play("place nobility.left", "place nobility.right", "pass")
    assert table.to_act == 2
    assert table.refuses("place nobility.large", "baron nobility.large")
    table.play(*["place nobility.left"] * 3, "baron nobility.left", "pass")
    assert table.to_act == 3
    assert table.refuses("place nobility.large", "place nobility.left")
    table.play(*["place nobility.right"] * 3, "baron nobility.right", "pass")
    assert table["barons"] == [None, "nobility.large", "nobility.left", "nobility.right"]
    assert table["board"]["nobility.large"] == [0, 3, 0, 0]


def test_E6__barons_come_back_after_the_round(deal: Dealer) -> None:
    """A baron stays until the end of the round, then returns (R8.8)."""
    barons = [None, "nobility.large", None, None]
    table = deal(barons=barons, board={"nobility.large": [0, 3, 0, 0]}, **ADMIRAL_LAST)
    table.pass_to("nobility")
    assert table["barons"] == barons
    assert table.pass_to("open")["barons"] == [None] * 4
    assert table["board"]["nobility.large"] == [0, 3, 0, 0]


@pytest.mark.parametrize("office", ["treasurer", "marshal", "admiral"])
@pytest.mark.parametrize("area", ["palace.left", "templars.large", "davids_tower"])
def test_E7__baron_needs_three_new_squires(deal: Dealer, office: str, area: str) -> None:
    """Old squires do not count: with 3 there since last round, 3 more have to come."""
    seat = OFFICES.index(office)
    old = [3 if other == seat else 0 for other in range(4)]
    table = deal(to_act=seat, board={area: old}, squires=old)
    assert table.refuses(f"baron {area}")
    for _ in range(2):
        table.play(f"place {area}")
        assert table.refuses(f"baron {area}")
    table.play(f"place {area}", f"baron {area}")
    assert table["barons"][seat] == area


@pytest.mark.parametrize(
    ("area", "need"), [("templars.large", 2), ("davids_tower", 2), ("market.right", 1)]
)
def test_E7__captain_needs_fewer(deal: Dealer, area: str, need: int) -> None:
    """The captain's baron needs 2 new squires in a large area (the Tower too), 1 in a small one."""
    table = deal(to_act=0, board={area: [3, 0, 0, 0]}, squires=[2, 0, 0, 0])
    for _ in range(need):
        assert table.refuses(f"baron {area}")
        table.play(f"place {area}")
    table.play(f"baron {area}")
    assert table["barons"][0] == area


@pytest.mark.parametrize("seat", range(4))
def test_E8__no_baron_in_large_palace_in_round_1(deal: Dealer, seat: int) -> None:
    """Round 1: nobody's baron may go to large Palace; its small areas are free."""
    palace = ["palace.large", "palace.left", "palace.right"]
    board = {area: [3 if other == seat else 0 for other in range(4)] for area in palace}
    turn = {"arrivals": dict.fromkeys(palace, 3)}
    table = deal(round=1, to_act=seat, board=board, turn=turn)
    assert table.offers("baron") == ["palace.left", "palace.right"]
    assert table.refuses("baron palace.large")
    table.play("baron palace.left")
    assert table.offers("baron") == []


@pytest.mark.parametrize("troops", [1, 2])
def test_E9__three_dismissed_squires_pay_one(deal: Dealer, troops: int) -> None:
    """3 own squires removed pay 1 silver, 6 pay 2; the supply does not grow."""
    board = {"market.large": [3, 1, 0, 0], "palace.left": [2, 0, 0, 0], "davids_tower": [1] * 4}
    table = deal(board=board, silver=[0] * 4)
    spots = ["market.large", "palace.left", "market.large", "davids_tower"]
    spots += ["palace.left", "market.large"]
    for spot in spots[: 3 * troops]:
        table.play(f"dismiss {spot}")
    after = table.position()
    assert after["phase"] == "turn"
    assert after["silver"] == [troops, 0, 0, 0]
    assert after["squires"] == [0] * 4
    assert squires_of(after, 0) == 6 - 3 * troops
    assert after["board"]["davids_tower"][1:] == [1, 1, 1]


def test_E9__two_squires_cannot_be_dismissed(deal: Dealer) -> None:
    """Fewer than 3 own squires in unblocked areas: no dismissing."""
    board = {"market.large": [2, 5, 0, 0], "palace.large": [1, 0, 0, 0]}
    assert deal(board=board).offers("dismiss") == ["palace.large", "market.large"]
    blocked = deal(board=board, barons=["palace.large", None, None, None])
    assert blocked.refuses("dismiss palace.large", "dismiss market.large")


@pytest.mark.parametrize(("hires", "price"), [(1, 1), (2, 3), (3, 6), (4, 9)])
def test_E10__treasurer_hires_two_cheaply(deal: Dealer, hires: int, price: int) -> None:
    """The treasurer pays 1 / 3 / 6 for 1 / 2 / 3 squires."""
    table = deal(to_act=1, silver=[0, price, 0, 0])
    table.play(*["hire"] * hires)
    assert table["silver"][1] == 0
    assert table["squires"][1] == hires
    assert table.refuses("hire")


@pytest.mark.parametrize("seat", [0, 2, 3])
def test_E10__others_pay_three_each(deal: Dealer, seat: int) -> None:
    """Everybody else pays 3 / 6 / 9."""
    table = deal(to_act=seat, silver=[11] * 4)
    for count in (1, 2, 3):
        table.play("hire")
        assert table["silver"][seat] == 11 - 3 * count
    assert table["squires"][seat] == 3
    assert table.refuses("hire")  # 2 silver left


def test_E11__two_resources_of_choice(deal: Dealer) -> None:
    """+2 resources as silver + prestige: +1 silver, +1 prestige."""
    table = deal(hands=[["resources_2"], [], [], []])
    table.play("play resources_2", "take silver", "take prestige")
    assert table["silver"] == [13, 12, 12, 12]
    assert table["prestige"] == [1, 0, 0, 0]
    assert table["squires"] == [0] * 4
    assert table["discards"] == ["resources_2"]


def test_E12__baron_in_the_tower_stops_the_move(deal: Dealer) -> None:
    """Who controls David's Tower with a baron in it gets 1 silver and moves nobody."""
    fields = {"board": {"davids_tower": [1, 3, 0, 0]}, "silver": [0] * 4, **ADMIRAL_LAST}
    free = deal(**fields).play("pass")
    assert (free["phase"], free.to_act, free["silver"]) == ("davids_tower", 1, [0, 1, 0, 0])
    table = deal(barons=[None, "davids_tower", None, None], **fields).play("pass")
    assert table["phase"] == "open"
    assert table["silver"] == [0, 1, 0, 0]
    assert table["board"]["davids_tower"] == [1, 3, 0, 0]


MARKET_BOARD = {  # seats Y B G R
    "market.large": [3, 0, 4, 0],
    "market.left": [2, 0, 0, 3],
    "market.right": [2, 4, 0, 0],
}


@pytest.mark.parametrize("offices", [list(OFFICES), list(reversed(OFFICES))])
def test_E13__market_privilege_needs_no_area(deal: Dealer, offices: list[str]) -> None:
    """Totals Y7 B4 G4 R3: Yellow, who controls no area, has the Market privilege."""
    last = offices.index("admiral")
    table = deal(offices=offices, board=MARKET_BOARD, round=1, to_act=last).play("pass")
    assert table["phase"] == "market"
    assert table.to_act == 0
    assert table.offers("buy") == [f"prestige {count}" for count in (1, 2, 3, 4)]


@pytest.mark.parametrize("offices", [list(OFFICES), list(reversed(OFFICES))])
def test_E14__market_income(deal: Dealer, offices: list[str]) -> None:
    """The same board: G +2 squires +4 silver; R and B +1 squire +2 silver; Y nothing."""
    last = offices.index("admiral")
    table = deal(offices=offices, board=MARKET_BOARD, round=1, to_act=last)
    before = table.position()
    after = table.pass_to("open").position()
    assert gained(before, after, "squires") == [0, 1, 2, 1]
    assert gained(before, after, "silver") == [0, 2, 4, 2]
    assert gained(before, after, "prestige") == [0, 0, 0, 0]


def test_E15__theft_from_a_player_with_nothing(deal: Dealer) -> None:
    """Thief 3, victim 0: thief 4, victim 0."""
    board, floors = {"nobility.left": [1, 0, 0, 0]}, [HIGH] * 4
    table = deal(NO_INCOME, phase="nobility", board=board, prestige=[3, 0, 2, 0], floors=floors)
    table.play("steal +1")
    assert table["prestige"] == [4, 0, 2, 0]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_E15__theft_takes_a_point(deal: Dealer, k: int) -> None:
    """A victim with prestige loses 1; `steal +k` counts seats clockwise from the thief."""
    board = {"nobility.left": [0, 0, 1, 0]}
    table = deal(NO_INCOME, phase="nobility", board=board, prestige=[5] * 4, floors=[HIGH] * 4)
    table.play(f"steal +{k}")
    expected = [5, 5, 6, 5]
    expected[(2 + k) % 4] = 4
    assert table["prestige"] == expected


@pytest.mark.parametrize(
    ("other", "prestige", "floors", "left"),
    [(3, 5, 3, 1), (3, 4, 3, 0), (2, 5, 3, 0), (2, 4, 2, 4), (3, 3, 2, 3)],
)
def test_E16__floor_3_costs_4_or_5(
    deal: Dealer, other: int, prestige: int, floors: int, left: int
) -> None:
    """Keep 2: floor 3 costs 4 if somebody has one, 5 if nobody has."""
    table = deal(floors=[2, other, 0, 0], prestige=[prestige, 0, 0, 0], **ADMIRAL_LAST)
    table.play("pass")
    assert table["floors"] == [floors, other, 0, 0]
    assert table["prestige"] == [left, 0, 0, 0]


def test_E17__no_limit_of_height(deal: Dealer) -> None:
    """Keep 7, prestige 9, somebody has 8 floors: floor 8 is built for 9."""
    table = deal(floors=[7, 8, 0, 0], prestige=[9, 0, 0, 0], **ADMIRAL_LAST).play("pass")
    assert table["floors"] == [8, 8, 0, 0]
    assert table["prestige"] == [0] * 4


@pytest.mark.parametrize("hand", [["squire"], ["squire", "squire"], ["move_2"] * 4])
def test_E18__cards_give_one_point_however_many(deal: Dealer, hand: list[str]) -> None:
    """Round 5: a hand of any number of cards gives 1 prestige."""
    table = deal(
        round=5,
        to_act=3,
        hands=[hand, [], [], []],
        squires=[0, 1, 0, 0],
        silver=[0, 5, 0, 0],
        floors=[HIGH] * 4,
    )
    table.play("pass")
    assert table["phase"] == "over"
    assert table["prestige"] == [1, 6, 0, 0]


def test_E19__prestige_has_no_cap(deal: Dealer) -> None:
    """Prestige 19 and the +2 card: 21."""
    table = deal(prestige=[19, 0, 0, 0], hands=[["prestige_2"], [], [], []])
    assert table.play("play prestige_2")["prestige"] == [21, 0, 0, 0]


def test_E20__succession(deal: Dealer) -> None:
    """G4 with a baron in Palace, Y3 without, R3 with one in the Patriarchate: 2, 0 and 2 return."""
    green, red, yellow = 0, 1, 3
    board = {
        "palace.large": [2, 1, 0, 1],
        "palace.left": [1, 2, 0, 1],
        "palace.right": [1, 0, 0, 1],
        "patriarchate.large": [0, 3, 0, 0],
    }
    table = deal(
        NO_INCOME,
        events=["succession", "war", "election"],
        to_act=3,
        board=board,
        barons=["palace.left", "patriarchate.large", None, None],
    )
    before = table.position()
    table.play("pass")
    assert (table["phase"], table.to_act) == ("succession", green)
    assert table["pending"] == {"lost": [4, 3, 0, 3], "saved": 0}
    assert squires_of(table.position(), green, "palace") == 0
    assert table.legal() == ["pass", "drop palace.left"]
    table.play("drop palace.left")
    assert table["pending"] == {"lost": [4, 3, 0, 3], "saved": 1}
    table.play("drop palace.left")
    assert (table["phase"], table.to_act) == ("succession", red)
    assert table.legal() == ["pass", "drop patriarchate.large"]
    table.play("drop patriarchate.large", "drop patriarchate.large")
    after = table.position()
    assert (after["phase"], after["round"]) == ("open", 3)
    assert after["board"]["palace.left"] == [2, 0, 0, 0]
    assert after["board"]["patriarchate.large"] == [0, 5, 0, 0]
    lost = [squires_of(before, seat) - squires_of(after, seat) for seat in range(4)]
    assert (lost[green], lost[yellow], lost[red], sum(lost)) == (2, 3, 1, 6)
    assert after["squires"] == before["squires"]


def test_E21__patriarch_election(deal: Dealer) -> None:
    """In each area of Patriarchate and Nobility those present are cut to the smallest of them."""
    board = {  # seats B R Y G
        "patriarchate.large": [4, 0, 2, 0],
        "patriarchate.left": [0, 2, 2, 0],
        "patriarchate.right": [0, 0, 3, 0],
        "nobility.large": [1, 3, 0, 0],
        "nobility.left": [1, 0, 2, 0],
        "palace.large": [3, 1, 0, 0],
    }
    table = deal(NO_INCOME, events=["election", "war", "succession"], to_act=3, board=board)
    before = table.position()
    after = table.pass_to("open").position()
    assert after["board"] == {
        **before["board"],
        "patriarchate.large": [2, 0, 2, 0],
        "nobility.large": [1, 1, 0, 0],
        "nobility.left": [1, 0, 1, 0],
    }
    assert after["squires"] == before["squires"]


def test_E22__special_tax(deal: Dealer) -> None:
    """Market B7 G4 Y2 R1, silver 4 3 0 1: 4, 3, 0 and 1 squires are kept, the silver is gone."""
    board = {  # seats B G Y R
        "market.large": [3, 1, 1, 1],
        "market.left": [2, 3, 0, 0],
        "market.right": [2, 0, 1, 0],
    }
    events, silver = ["special_tax", "war", "succession"], [4, 3, 0, 1]
    table = deal(NO_INCOME, events=events, to_act=3, board=board, silver=silver)
    table.pass_to("special_tax")
    assert table.to_act == 0
    large, left, right = (f"keep market.{part}" for part in ("large", "left", "right"))
    table.play(large, large, left)
    assert table["silver"] == [1, 3, 0, 1]
    assert table["pending"] == {"kept": {"market.large": 2, "market.left": 1, "market.right": 0}}
    table.play(right)
    assert table.to_act == 1
    assert table["board"]["market.large"] == [2, 1, 1, 1]  # Blue's others have left
    table.play(left, left, left)
    assert table.to_act == 3  # Yellow has no silver and is not asked
    table.play(large)
    after = table.position()
    assert (after["phase"], after["round"]) == ("open", 3)
    assert after["silver"] == [0, 0, 0, 0]
    assert after["board"]["market.large"] == [2, 0, 0, 1]
    assert after["board"]["market.left"] == [1, 3, 0, 0]
    assert after["board"]["market.right"] == [1, 0, 0, 0]


def test_E23__war(deal: Dealer) -> None:
    """Templars R4 G7 B1: R removes 2 + 2, G the capped 6, B one; 23 squires leave the board."""
    board = {  # seats R G B Y
        "templars.large": [3, 4, 0, 0],
        "templars.right": [1, 3, 1, 0],
        "palace.large": [4, 3, 5, 3],
        "patriarchate.large": [2, 0, 0, 0],
    }
    events = ["war", "succession", "election"]
    table = deal(NO_INCOME, events=events, to_act=3, board=board)
    before = table.position()
    table.play("pass")
    palace, patriarchate = "palace.large", "patriarchate.large"
    assert (table["phase"], table.to_act) == ("war", 0)
    assert table["pending"] == {"left": 4, "hits": [0, 0, 0, 0]}
    assert table["board"]["templars.large"] == [0, 4, 0, 0]
    table.play(*[f"target +1 {palace}"] * 2)
    assert table.refuses(f"target +1 {palace}")  # 2 of one opponent are the most
    table.play(*[f"target +2 {palace}"] * 2)
    assert table.to_act == 1
    assert table["pending"] == {"left": 7, "hits": [0, 0, 0, 0]}
    table.play(*[f"target +{k} {palace}" for k in (1, 1, 2, 2, 3, 3)])
    assert table.to_act == 2  # a seventh is not allowed
    assert table["pending"] == {"left": 1, "hits": [0, 0, 0, 0]}
    table.play(f"target +2 {patriarchate}")
    after = table.position()
    assert (after["phase"], after["round"]) == ("open", 3)
    assert after["board"]["palace.large"] == [2, 1, 1, 1]
    assert after["board"]["patriarchate.large"] == [1, 0, 0, 0]
    assert [squires_of(after, seat, "templars") for seat in range(4)] == [0, 0, 0, 0]
    lost = [squires_of(before, seat) - squires_of(after, seat) for seat in range(4)]
    assert sum(lost) == 23


def test_E24__move_2_with_one_squire(deal: Dealer) -> None:
    """Move 2 may move one squire only."""
    table = deal(hands=[["move_2"], [], [], []], board={"market.large": [2, 0, 0, 0]})
    table.play("play move_2", "lift market.large", "drop palace.left", "pass")
    assert table["phase"] == "turn"
    assert table["board"]["market.large"] == [1, 0, 0, 0]
    assert table["board"]["palace.left"] == [1, 0, 0, 0]
    assert table["discards"] == ["move_2"]


def test_E25__genoa_mercenaries(deal: Dealer) -> None:
    """With Genoa 4 squires cost 8 silver."""
    table = deal(hands=[["genoa"], [], [], []], silver=[8, 0, 0, 0])
    table.play("play genoa", *["hire"] * 4)
    assert table["silver"][0] == 0
    assert table["squires"][0] == 4


def test_E26__two_players(deal: Dealer) -> None:
    """2 players: offices 3 and 4; Palace, Templars, Market, Tower; 3 events; 25 cards."""
    in_play = [area for area in AREAS if not area.startswith(("patriarchate", "nobility"))]
    table = deal.new({"players": 2})
    assert table.legal() == ["open marshal", "open admiral"]
    assert list(table["board"]) == in_play
    assert sorted(table["events"]) == ["special_tax", "succession", "war"]
    cards = table["pile"] + table["draft_pool"]
    assert len(cards) == 25
    assert not {"influence_patriarchate", "influence_nobility"} & set(cards)
    assert "influence_davids_tower" in cards
    turn = deal({"players": 2}, squires=[1, 0])
    assert turn.offers("place") == in_play
    assert turn.refuses("place nobility.large")


def test_E27__last_player_drafts_without_choice(deal: Dealer) -> None:
    """The admiral gets the one card left; he is not asked."""
    pool = ["genoa", "move_2", "silver_2", "squire"]
    offices = ["admiral", "captain", "treasurer", "marshal"]
    table = deal(phase="draft", offices=offices, draft_pool=pool)
    for seat, card in ((1, "squire"), (2, "genoa"), (3, "silver_2")):
        assert table.to_act == seat
        assert table.offers("draft") == sorted(table["draft_pool"], key=list(CARD_ORDER).index)
        table.play(f"draft {card}")
    after = table.position()
    assert (after["phase"], after["to_act"]) == ("turn", 1)
    assert after["hands"] == [["move_2"], ["squire"], ["genoa"], ["silver_2"]]
    assert after["draft_pool"] == []


CARD_ORDER = dict.fromkeys(deck_of(4))
