"""All 14 card kinds: when they may be played, and what they do, step by step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference_engine import AREAS, CARDS, TOWER
from tests.rules.case_equipment import _hand
from tests.table import Dealer, gained


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
