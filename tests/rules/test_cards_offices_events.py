"""Cards, offices and events one by one: when legal, what they do, and what the position shows.

Seat i holds the i-th office and it is round 2 unless a case says otherwise.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference_engine import AREAS, CARDS, EVENTS, OFFICES, TOWER
from tests.table import HIGH, NO_INCOME, Dealer, Table, gained, squires_of


def _hand(*cards: str, seat: int = 0, players: int = 4) -> list[list[str]]:
    """Hands where one seat has these cards."""
    return [list(cards) if other == seat else [] for other in range(players)]


# --- Cards ---


@pytest.mark.parametrize(
    ("card", "gain"),
    [
        ("squire", (1, 0, 0)),
        ("silver_2", (0, 2, 0)),
        ("prestige_2", (0, 0, 2)),
        ("squire_silver", (1, 1, 0)),
        ("genoa", (0, 0, 0)),
    ],
)
def test_card__acts_at_once(deal: Dealer, card: str, gain: tuple[int, int, int]) -> None:
    table = deal(hands=_hand(card, "move_2"))
    before = table.position()
    after = table.play(f"play {card}").position()
    for field, amount in zip(("squires", "silver", "prestige"), gain, strict=True):
        assert gained(before, after, field) == [amount, 0, 0, 0]
    assert (after["phase"], after["to_act"], after["pending"]) == ("turn", 0, {})
    assert after["hands"] == [["move_2"], [], [], []]
    assert after["discards"] == [card]
    assert after["board"] == before["board"]
    assert after["turn"] == {**before["turn"], "genoa": card == "genoa"}
    assert table.refuses(f"play {card}")


def test_card__gains_may_be_used_at_once(deal: Dealer) -> None:
    table = deal(hands=_hand("squire", "silver_2", "squire_silver"), silver=[0] * 4)
    table.play("play squire", "place market.left", "play silver_2", "play squire_silver", "hire")
    assert table["silver"][0] == 0
    assert table["squires"][0] == 2


def test_card__only_own_cards_can_be_played(deal: Dealer) -> None:
    table = deal(hands=[["silver_2"], ["squire"], ["genoa"], []])
    assert table.offers("play") == ["silver_2"]
    assert table.refuses("play squire", "play genoa")


def test_card__any_number_a_turn_and_discards_are_sorted(deal: Dealer) -> None:
    hand = ["squire", "genoa", "silver_2", "prestige_2", "genoa"]
    table = deal(hands=_hand(*hand))
    assert table.offers("play") == ["squire", "silver_2", "prestige_2", "genoa"]
    table.play(*[f"play {card}" for card in hand])
    assert table["discards"] == sorted(hand)
    assert table["hands"][0] == []


@pytest.mark.parametrize(
    ("takes", "gain"),
    [
        (("squire", "squire"), (2, 0, 0)),
        (("silver", "silver"), (0, 2, 0)),
        (("prestige", "prestige"), (0, 0, 2)),
        (("prestige", "squire"), (1, 0, 1)),
    ],
)
def test_resources_2__two_of_any_kind(
    deal: Dealer, takes: tuple[str, str], gain: tuple[int, int, int]
) -> None:
    table = deal(hands=_hand("resources_2", seat=1), to_act=1)
    before = table.position()
    table.play("play resources_2")
    assert table["phase"] == "take"
    assert table["pending"] == {"source": "resources_2", "left": 2}
    assert table["discards"] == ["resources_2"]
    assert table.legal() == ["take squire", "take silver", "take prestige"]
    table.play(f"take {takes[0]}")
    assert table["pending"] == {"source": "resources_2", "left": 1}
    assert table.legal() == ["take squire", "take silver", "take prestige"]
    after = table.play(f"take {takes[1]}").position()
    assert (after["phase"], after["pending"]) == ("turn", {})
    for field, amount in zip(("squires", "silver", "prestige"), gain, strict=True):
        assert gained(before, after, field) == [0, amount, 0, 0]


def test_move_2__step_by_step(deal: Dealer) -> None:
    board = {"palace.left": [1, 2, 0, 0], TOWER: [1, 0, 0, 0]}
    table = deal(hands=_hand("move_2"), board=board, barons=["nobility.left", None, None, None])
    table.play("play move_2")
    assert table["phase"] == "lift"
    assert table["pending"] == {"source": "move_2", "left": 2, "from": None}
    assert table.legal() == ["lift palace.left", f"lift {TOWER}"]  # no pass before the first
    table.play("lift palace.left")
    assert table["phase"] == "drop"
    assert table["pending"] == {"source": "move_2", "left": 2, "from": "palace.left"}
    assert table["board"]["palace.left"] == [1, 2, 0, 0]  # counted there until it comes down
    closed = {"palace.left", "nobility.left"}
    assert table.offers("drop") == [area for area in AREAS if area not in closed]
    table.play("drop market.large")
    assert table["phase"] == "lift"
    assert table["pending"] == {"source": "move_2", "left": 1, "from": None}
    assert table["board"]["palace.left"] == [0, 2, 0, 0]
    assert table["board"]["market.large"] == [1, 0, 0, 0]
    assert table.legal() == ["pass", "lift market.large", f"lift {TOWER}"]
    table.play(f"lift {TOWER}")
    assert table["pending"] == {"source": "move_2", "left": 1, "from": TOWER}
    table.play("drop market.large")
    assert (table["phase"], table["pending"]) == ("turn", {})
    assert table["board"]["market.large"] == [2, 0, 0, 0]
    assert table["turn"]["arrivals"]["market.large"] == 2
    assert sum(table["turn"]["arrivals"].values()) == 2


def test_move_2__unplayable_without_a_free_squire(deal: Dealer) -> None:
    assert deal(hands=_hand("move_2"), squires=[5] * 4).refuses("play move_2")
    board, barons = {"palace.left": [3, 1, 0, 0]}, ["palace.left", None, None, None]
    assert deal(hands=_hand("move_2"), board=board, barons=barons).refuses("play move_2")


def test_defector__step_by_step(deal: Dealer) -> None:
    board = {"palace.left": [1, 1, 0, 0], "market.large": [0, 2, 0, 1], TOWER: [2, 0, 1, 0]}
    table = deal(to_act=1, hands=_hand("defector", seat=1), board=board)
    before = table.position()
    table.play("play defector")
    assert table["phase"] == "lift"
    assert table["pending"] == {"source": "defector", "left": 1, "from": None}
    assert table.legal() == ["lift palace.left", "lift market.large"]
    table.play("lift palace.left")
    assert table["phase"] == "target"
    assert table["pending"] == {"source": "defector", "left": 1, "from": "palace.left"}
    assert table["board"] == before["board"]
    assert table.legal() == [f"target +1 {TOWER}", "target +2 market.large", f"target +3 {TOWER}"]
    table.play("target +2 market.large")  # seat 3
    after = table.position()
    assert (after["phase"], after["pending"]) == ("turn", {})
    assert after["board"]["palace.left"] == [1, 0, 0, 1]
    assert after["board"]["market.large"] == [0, 3, 0, 0]
    assert after["board"][TOWER] == [2, 0, 1, 0]
    arrivals = after["turn"]["arrivals"]
    assert arrivals["market.large"] == sum(arrivals.values()) == 1


def test_defector__counts_for_the_baron(deal: Dealer) -> None:
    board = {"palace.left": [0, 1, 0, 0], "market.large": [0, 0, 0, 1]}
    fields: dict[str, Any] = {"to_act": 1, "squires": [0, 2, 0, 0], "board": board}
    table = deal(hands=_hand("defector", seat=1), **fields)
    table.play("place market.large", "place market.large")
    assert table.refuses("baron market.large")
    table.play("play defector", "lift palace.left", "target +2 market.large")
    table.play("baron market.large")
    assert table["barons"] == [None, "market.large", None, None]


def test_defector__unplayable_without_a_pair(deal: Dealer) -> None:
    same_area = {"palace.left": [2, 2, 0, 0]}
    assert deal(hands=_hand("defector"), board=same_area).refuses("play defector")
    nobody_own = {"palace.left": [0, 2, 0, 0], "palace.right": [0, 2, 0, 0]}
    assert deal(hands=_hand("defector"), board=nobody_own).refuses("play defector")
    nobody_else = {"palace.left": [2, 0, 0, 0], "palace.right": [2, 0, 0, 0]}
    assert deal(hands=_hand("defector"), board=nobody_else).refuses("play defector")


def test_defector__lifts_only_where_a_target_remains(deal: Dealer) -> None:
    board = {"palace.left": [1, 1, 0, 0], "market.left": [1, 0, 0, 0]}
    table = deal(hands=_hand("defector"), board=board).play("play defector")
    assert table.legal() == ["lift market.left"]
    table.play("lift market.left")
    assert table.legal() == ["target +1 palace.left"]


def test_genoa__from_when_it_is_played(deal: Dealer) -> None:
    table = deal(hands=_hand("genoa", "genoa"), silver=[9, 0, 0, 0])
    table.play("hire", "play genoa", "hire", "play genoa", "hire")
    assert table["silver"][0] == 9 - 3 - 2 - 2
    assert table["turn"]["genoa"] is True
    assert table["turn"]["hired"] == 3
    assert table["discards"] == ["genoa", "genoa"]


def test_genoa__ends_with_the_turn(deal: Dealer) -> None:
    table = deal(hands=[["genoa"], [], [], []], silver=[12] * 4).play("play genoa", "hire", "pass")
    assert table["turn"]["genoa"] is False
    assert table["turn"]["hired"] == 0
    table.play("pass", "hire")  # the marshal
    assert table["silver"] == [10, 12, 9, 12]


def test_genoa__treasurer_who_hired_before(deal: Dealer) -> None:
    table = deal(to_act=1, hands=_hand("genoa", seat=1), silver=[0, 8, 0, 0])
    table.play("hire", "hire", "hire", "play genoa", "hire")  # 1 + 2 + 3 + 2
    assert table["silver"][1] == 0


@pytest.mark.parametrize("sector", ["palace", "templars", "patriarchate", "market", "nobility"])
def test_influence__two_squires_into_the_sector(deal: Dealer, sector: str) -> None:
    card, areas = f"influence_{sector}", [f"{sector}.{part}" for part in ("large", "left", "right")]
    table = deal(hands=_hand(card))
    table.play(f"play {card}")
    assert table["phase"] == "drop"
    assert table["pending"] == {"source": card, "left": 2, "from": None}
    assert table.legal() == [f"drop {area}" for area in areas]
    table.play(f"drop {areas[1]}")
    assert table["phase"] == "drop"
    assert table["pending"] == {"source": card, "left": 1, "from": None}
    assert table.legal() == [f"drop {area}" for area in areas]
    table.play(f"drop {areas[2]}")
    after = table.position()
    assert (after["phase"], after["pending"]) == ("turn", {})
    assert after["board"][areas[1]] == after["board"][areas[2]] == [1, 0, 0, 0]
    assert after["squires"] == [0] * 4
    assert after["turn"]["arrivals"][areas[1]] == after["turn"]["arrivals"][areas[2]] == 1


def test_influence__david_s_tower(deal: Dealer) -> None:
    """The sixth influence card; its two squires are enough for the captain's baron."""
    table = deal(hands=_hand("influence_davids_tower"))
    table.play("play influence_davids_tower")
    assert table.legal() == [f"drop {TOWER}"]
    table.play(f"drop {TOWER}", f"drop {TOWER}", f"baron {TOWER}")
    assert table["board"][TOWER] == [2, 0, 0, 0]


def test_cards__every_kind_has_a_case() -> None:
    """The kinds named in this file are the 14 of the deck."""
    at_once = {"squire", "silver_2", "prestige_2", "squire_silver", "genoa"}
    sectors = {"palace", "templars", "patriarchate", "market", "nobility", "davids_tower"}
    influence = {f"influence_{sector}" for sector in sectors}
    assert at_once | influence | {"resources_2", "move_2", "defector"} == set(CARDS)


# --- Auction, draft ---


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


# --- Turn, offices ---


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


# --- Tower, privileges ---


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


# --- Events ---


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
