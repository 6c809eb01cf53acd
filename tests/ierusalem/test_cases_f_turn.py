"""Cases F19-F53 of Part IV (Favors, cards, visits, turn and end), played on both engines."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ierusalem.reference_box import CORNERS, SPACES
from tests.ierusalem.scenes import WORTHLESS, Scene
from tests.ierusalem.table import Table, gained

HAND = ["desert.go", "desert.favor", "lake.go", "lake.parable", "mountain.favor"]
LOCATIONS = ("market", "desert", "mountain", "lake", "temple")


def favoring(*markers: str) -> Scene:
    """Seat 0 has done Favors with these markers, and is to play `desert.favor`."""
    return Scene().cards(0, hand=HAND).followers(0, [0, 2, 1]).gave(0, markers, None)


def favor(scene: Scene, which: str, marker: str, to: str) -> tuple[Table, dict[str, Any]]:
    """Do the Favor; the table, and the position before the marker is given."""
    table = scene.table(which).play("card desert.favor", "column 1")
    assert (table["phase"], table["choice"], table["steps"]) == ("favor", {}, [])
    table.play(f"favor {marker}")
    before = table.position()
    assert (before["phase"], before["choice"]) == ("give", {"marker": marker})
    assert marker in before["favors"][0]
    return table.play(f"give {to}"), before


# --- Favors ----------------------------------------------------------------------------------


def test_F19__a_first_favor(which: str) -> None:
    """`favor fish_1`, `give +1`: 1 Fish and a lake symbol there; a XXXIII card and 1 point here."""
    table, before = favor(favoring(), which, "fish_1", "+1")
    after = table.position()
    assert after["resources"][1] == [1, 1, 2]
    assert after["symbols_held"][1] == {**dict.fromkeys(LOCATIONS, 0), "lake": 1}
    assert before["xxxiii"][0] in after["hands"][0]
    assert after["known_hands"][0] == []
    assert (after["favors_done"][0], len(after["favors"][0])) == (1, 7)
    assert gained(before, after, "points") == [1, 0, 0, 0]
    assert after["blocked"][0]


@pytest.mark.parametrize("things", [15, 16])
def test_F20__the_second_favor_frees_a_square(which: str, things: int) -> None:
    """After the 2nd Favor 15 squares are usable."""
    scene = favoring("denarii_2").own("denarii", 0).own("resources", [1, 1, things - 13])
    table, before = favor(scene.followers(0, [0, 2, 2], camp=10), which, "denarii_3", "+1")
    after = table.position()
    assert (after["favors_done"][0], after["blocked"][0]) == (2, False)
    assert gained(before, after, "points") == [1, 0, 0, 0]
    assert gained(before, after, "denarii") == [0, 3, 0, 0]
    if things == 16:
        assert (after["phase"], after["to_act"], after["steps"]) == ("overflow", 0, ["end"])
        table.play("discard fish")
    assert table["to_act"] == 1
    assert sum(table["resources"][0]) == 4


def test_F20__the_fourth_favor_brings_denarii(which: str) -> None:
    """At the 4th: 2 Denarii, and 2 points."""
    scene = favoring("denarii_2", "stone_1", "stone_2").own("denarii", 0)
    table, before = favor(scene, which, "bread_1", "+2")
    after = table.position()
    assert gained(before, after, "denarii") == [2, 0, 0, 0]
    assert gained(before, after, "points") == [2, 0, 0, 0]
    assert after["resources"][2] == [1, 2, 1]


def test_F21__a_call_out_of_turn(which: str) -> None:
    """The receiver of `call_lake` chooses the area and may not pass; then the giver goes on."""
    scene = favoring().own("denarii", 9).followers(2, [3, 1, 1])
    table, before = favor(scene, which, "call_lake", "+2")
    during = table.position()
    assert (during["phase"], during["choice"], during["steps"]) == (
        "call",
        {"must": True},
        ["favor_done"],
    )
    assert (during["to_act"], during["turn"]) == (2, 0)
    assert during["symbols_held"][2]["lake"] == 1
    assert during["favors_done"][0] == 0
    assert during["xxxiii"] == before["xxxiii"]
    assert table.legal() == {"follower mountain", "follower lake"}
    assert table.refuses("pass")
    after = table.play("follower mountain").position()
    assert after["areas"][2] == [3, 2, 1]
    assert gained(before, after, "camp") == [0, 0, -1, 0]
    assert (after["to_act"], after["phase"]) == (0, "purchase")
    assert (after["favors_done"][0], len(after["xxxiii"])) == (1, 9)


def test_F22__a_call_for_an_empty_camp(which: str) -> None:
    """Nothing is asked; the symbol is kept; the Favor counts."""
    scene = favoring().followers(2, [2, 2, 2], ["corner.bottom_left", *WORTHLESS], camp=0)
    table, before = favor(scene.own("denarii", 9), which, "call_lake", "+2")
    after = table.position()
    assert (after["to_act"], after["phase"]) == (0, "purchase")
    assert after["symbols_held"][2]["lake"] == 1
    assert after["areas"] == before["areas"]
    assert after["favors_done"][0] == 1


def test_F23__no_xxxiii_card_left(which: str) -> None:
    """No card; points and track as usual."""
    scene = favoring().xxxiii_on_columns(1).own("denarii", 9)
    table, before = favor(scene, which, "stone_2", "+3")
    after = table.position()
    assert after["hands"][0] == before["hands"][0]
    assert after["favors_done"][0] == 1
    assert gained(before, after, "points") == [1, 0, 0, 0]
    assert after["resources"][3] == [3, 1, 1]


# --- Change Places and Redistribute ----------------------------------------------------------


def test_F24__changing_places_to_a_meeting(which: str) -> None:
    """Change to bottom2.7: the marker advances; no Offering is asked."""
    card = "mountain.stone+change+meeting"
    for space, marker in (("bottom2.7", 2), ("bottom1.1", 1)):  # the card itself has a Meeting
        table = Scene().cards(0, hand=[card, *HAND[:4]]).own("denarii", 9).table(which)
        corner = next(space for space in CORNERS if table["supper"][space] == 0)
        table.play(f"card {card}", "column 1")
        assert (table["phase"], table["steps"]) == ("change", ["meeting"])
        assert table.legal() == {f"lift {corner}", "pass"}
        table.play(f"lift {corner}")
        assert table["choice"] == {"lift": corner}
        assert corner not in table.offers("space")
        assert len(table.legal()) == len(SPACES) - 4
        table.play(f"space {space}")
        assert table["sanhedrin"] == marker
        assert table["supper"][corner] is None
        assert table["supper"][space] == 0
        assert table["phase"] == "purchase"
        assert table["offerings"] == [1] * 4


def rearranging(which: str, *others: str) -> Table:
    """`temple.favor+redistribute` has been played beside these cards and is being rearranged."""
    card = "temple.favor+redistribute"
    scene = Scene().cards(0, hand=[card], columns=(others[:2], others[2:]))
    table = scene.own("denarii", 2).table(which).play(f"card {card}", "column 3")
    table.passes("temple", "favor")
    assert (table["phase"], table["choice"]) == ("redistribute", {})
    assert table.legal() == {"rearrange", "pass"}
    return table.play("rearrange")


def test_F25__at_most_three_cards_are_discarded(which: str) -> None:
    """In column 3 `pass` waits until 3 cards of the 5 are left; then it discards them."""
    table = rearranging(which, "desert.go", "mountain.favor", "lake.go", "market.go+denarius")
    assert table["choice"]["column"] == 1
    assert len(table.offers("card")) == 5
    table.play("pass", "pass")
    assert table["choice"]["column"] == 3
    assert "pass" not in table.legal()
    table.play("card lake.go")
    assert table.refuses("pass")
    table.play("card desert.go")
    assert "pass" in table.legal()
    before = table.position()
    table.play("pass")
    after = table.position()
    assert after["columns"][0] == [[], [], ["lake.go", "desert.go"]]
    assert after["discards"][0] == ["mountain.favor"]
    # The others go under their pile in the order of their kinds (A24).
    assert after["mahane"][-2:] == ["market.go+denarius", "temple.favor+redistribute"]
    assert after["mahane_tail"] == before["mahane_tail"] + 2
    assert after["points"] == before["points"]
    assert after["phase"] == "purchase"


def test_F26__the_card_itself_is_rearranged_too(which: str) -> None:
    """`temple.favor+redistribute` just played is in the pool."""
    table = rearranging(which, "desert.go")
    assert table["choice"] == {"column": 1, "pool": ["desert.go", "temple.favor+redistribute"]}
    assert table["columns"][0] == [[], [], []]
    table.play("card temple.favor+redistribute")
    assert table["columns"][0] == [["temple.favor+redistribute"], [], []]
    table.play("pass", "card desert.go")
    assert table["columns"][0] == [["temple.favor+redistribute"], ["desert.go"], []]
    assert table["phase"] == "purchase"


# --- visits ----------------------------------------------------------------------------------


def visiting(*columns: list[str]) -> Scene:
    """Seat 0 may visit with these own columns; apostle columns: market lake desert, market market
    lake, temple temple temple."""
    return Scene().cards(0, columns=columns).own("denarii", 9).set(stage="visit", phase="visit")


def test_F27__a_set_completed_by_a_symbol_held(which: str) -> None:
    """Market, desert and a lake symbol: legal; 2 points; symbol gone, both cards discarded."""
    scene = visiting(["market.stone+go", "desert.go"]).holds(0, "lake")
    table = scene.table(which)
    assert table.legal() == {"visit column.1 apostles.1", "pass"}
    table.play("visit column.1 apostles.1")
    assert (table["phase"], table["visit"], table["steps"]) == ("apostle", [0, 0], ["visit_end"])
    table.play("apostle orange")
    assert (table["phase"], table["choice"]) == ("seat", {"colour": "orange"})
    before = table.position()
    table.play("seat top.3")
    after = table.position()
    assert gained(before, after, "points") == [2, 0, 0, 0]
    assert set(after["symbols_held"][0].values()) == {0}
    assert after["discards"][0] == ["market.stone+go", "desert.go"]
    assert after["columns"][0] == [[], [], []]
    assert (after["visit"], after["stage"], after["seats"]["top.3"]) == (None, "purchase", "orange")
    assert after["apostles"][0] == ["purple", "purple", "white"]


@pytest.mark.parametrize(
    "column",
    [["desert.go", "market.stone+go"], ["market.stone+go", "desert.go", "lake.go", "lake.parable"]],
)
def test_F28__the_order_counts_and_no_card_too_many(which: str, column: list[str]) -> None:
    """Desert market, or market desert lake lake: illegal."""
    scene = Scene().cards(0, hand=["desert.parable+denarius"], columns=(column,)).own("denarii", 9)
    table = scene.holds(0, "lake").table(which)
    table.play("card desert.parable+denarius", "column 2")
    assert not [name for name in table.legal() if name.startswith("visit column.1")]


def test_F28__the_order_counts_whatever_is_held(which: str) -> None:
    """Desert lake beside market lake desert, market and lake held: illegal; lake desert: legal."""
    for column, legal in (
        (["desert.go", "lake.go"], set()),
        (["lake.go", "desert.go"], {"visit column.1 apostles.1"}),
    ):
        scene = visiting(column).holds(0, "market", "lake")
        assert scene.table(which).legal() == {*legal, "pass"}


def test_F29__three_symbols_held(which: str) -> None:
    """Market, lake and desert held: a visit without cards; the Apostle is seated; 0 points."""
    table = visiting().holds(0, "market", "lake", "desert").table(which)
    assert table.legal() == {"visit favors apostles.1", "pass"}
    table.play("visit favors apostles.1", "apostle orange")
    before = table.position()
    assert before["visit"] == [3, 0]
    after = table.play("seat bottom.8").position()
    assert after["seats"]["bottom.8"] == "orange"
    corner = sum(owner == 0 for owner in [after["supper"]["corner.bottom_right"]])
    assert gained(before, after, "points")[0] == 5 * corner
    assert set(after["symbols_held"][0].values()) == {0}


def test_F30__an_empty_apostle_column(which: str) -> None:
    """Three starting cards score 3; nothing is seated, nothing appreciated."""
    scene = visiting(["market.stone+go", "lake.go", "desert.go"]).seat_all({1: ["purple"]})
    table = scene.table(which)
    before = table.position()
    after = table.play("visit column.1 apostles.1").position()
    assert gained(before, after, "points") == [3, 0, 0, 0]
    assert after["seats"] == before["seats"]
    assert after["phase"] == "purchase"
    assert len(after["discards"][0]) == 3


def test_F31__any_apostle_of_the_column(which: str) -> None:
    """A column of purple, white and Judas offers these three."""
    scene = visiting(["temple.go", "temple.bread+favor", "temple.vp3+redistribute"])
    table = scene.seated({"top.1": "orange"}, 2).table(which).play("visit column.1 apostles.3")
    assert table.legal() == {"apostle purple", "apostle white", "apostle judas"}
    table.play("apostle judas")
    assert len(table.legal()) == 11
    assert "seat top.1" not in table.legal()


def test_F32__white_swaps_with_players_only(which: str) -> None:
    """Three players: only the other two players' followers may be taken, not neutral ones."""
    table = Scene(3).cards(0, hand=HAND).table(which).play("illuminate", "apostle white")
    corners = {table["supper"][corner]: corner for corner in CORNERS}
    assert table.legal() == {f"lift {corners[0]}", "pass"}
    table.play(f"lift {corners[0]}")
    assert (table["phase"], table["choice"]) == ("swap_with", {"lift": corners[0]})
    assert table.legal() == {f"space {corners[1]}", f"space {corners[2]}"}
    before = table.position()
    after = table.play(f"space {corners[2]}").position()
    assert after["supper"][corners[0]] == 2
    assert after["supper"][corners[2]] == 0
    assert after["points"] == before["points"]


def test_F33__judas_pays(which: str) -> None:
    """Judas seated: 5 Denarii."""
    scene = visiting(["temple.go", "temple.bread+favor", "temple.vp3+redistribute"])
    table = scene.table(which).play("visit column.1 apostles.3", "apostle judas")
    before = table.position()
    after = table.play("seat bottom.1").position()
    assert gained(before, after, "denarii") == [5, 0, 0, 0]
    assert gained(before, after, "points") == [4, 0, 0, 0]  # 1 + 1 + 2 of the cards


def test_F34__the_last_apostle_still_meets_a_judgment(which: str) -> None:
    """The 12th is purple, invited to top2.2, marker 2 -> 3: it scores; then all judgments go."""
    scene = visiting(["market.stone+go", "market.parable+meeting", "lake.go"])
    scene.seat_all({1: ["purple"]}).judgments("offering").set(sanhedrin=2)
    table = scene.followers(0, [0, 2, 1]).table(which)
    table.play("visit column.1 apostles.2", "apostle purple", "seat bottom.8")
    assert (table["phase"], table["stage"]) == ("supper", "visit")
    assert table["judgments_on"] is True
    before = table.position()
    table.play("space top2.2")
    assert table["sanhedrin"] == 3
    assert gained(before, table.position(), "points") == [1, 0, 0, 0]
    assert (table["phase"], table["judgments_on"]) == ("offering", True)
    assert table["columns"][0][0] != []
    after = table.play("pass").position()
    assert after["judgments_on"] is False
    assert gained(before, after, "points") == [4, 0, 0, 0]
    assert after["visit"] is None


# --- the turn --------------------------------------------------------------------------------


def test_F35__bureaucracy_with_all_seated(which: str) -> None:
    """All Apostles seated: the marker advances as the next turn begins, and nobody scores."""
    scene = Scene().seat_all().at_purchase().set(sanhedrin=2).own("resources", [0, 0, 0])
    table = scene.own("denarii", 2).table(which)
    before = table.position()
    after = table.play("pass").position()
    assert (after["to_act"], after["phase"], after["turns"]) == (1, "play", before["turns"] + 1)
    assert after["sanhedrin"] == 3
    assert after["points"] == before["points"]


def test_F36__the_illumination_at_the_start(which: str) -> None:
    """No orange Apostle is seated; Judas is legal; then the visit step comes."""
    table = Scene().cards(0, hand=HAND).holds(0, "market", "lake", "desert").table(which)
    table.play("illuminate")
    assert table["illumination"][0] is True
    assert table.legal() == {"apostle purple", "apostle white", "apostle judas"}
    before = table.position()
    after = table.play("apostle judas").position()
    assert gained(before, after, "denarii") == [5, 0, 0, 0]
    assert after["illumination"][0] is False
    assert (after["stage"], after["phase"]) == ("visit", "visit")
    assert after["hands"][0] == before["hands"][0]


def test_F36__with_an_orange_apostle_it_is_chosen(which: str) -> None:
    """With seated orange Apostles one of them is chosen (R8.2)."""
    scene = Scene().cards(0, hand=HAND).seated({"top.2": "orange", "bottom.6": "orange"})
    table = scene.followers(1, supper=["top2.2"]).table(which).play("illuminate", "apostle orange")
    assert (table["phase"], table["choice"]) == ("orange", {})
    assert table.legal() == {"seat top.2", "seat bottom.6"}
    before = table.position()
    assert gained(before, table.play("seat top.2").position(), "points") == [0, 4, 0, 0]


def test_F37__no_illumination_with_all_seated(which: str) -> None:
    """Illegal once all are seated; it still gives 5 at the end."""
    table = Scene().cards(0, hand=HAND).seat_all().table(which)
    assert "illuminate" not in table.legal()
    assert table.refuses("illuminate")
    ends = []
    for unused in (True, False):
        scene = Scene().seat_all().at_purchase().set(sanhedrin=22).own("illumination", unused)
        ends.append(scene.table(which).idle("over")["points"][0])
    assert ends[0] - ends[1] == 5


def test_F38__the_purchase(which: str) -> None:
    """With 1 Denarius it is not asked, with 2 it is and costs them."""
    scene = Scene().cards(0, hand=HAND).followers(0, [0, 2, 1]).own("resources", [0, 0, 0])
    table = scene.own("denarii", 1).table(which).play("card desert.favor", "column 1", "pass")
    assert (table["to_act"], table["stage"]) == (1, "play")
    table = scene.own("denarii", 2).table(which).play("card desert.favor", "column 1", "pass")
    assert (table["phase"], table["stage"], table["to_act"]) == ("purchase", "purchase", 0)
    assert table.legal() == {"draw left", "draw right", "draw deck", "pass"}
    top, rest = table["mahane"][0], table["mahane"][1:]
    table.play("draw deck")
    assert table["denarii"][0] == 0
    assert top in table["hands"][0]
    assert (table["mahane"], table["known_hands"][0]) == (rest, [])


def test_F39__the_display_is_filled_by_the_next_discard(which: str) -> None:
    """Pile empty, `draw left`: the slot stays empty until a Mahane card is discarded."""
    hand = [*HAND, "market.go+denarius"]
    scene = Scene().cards(0, hand=hand).mahane_on_columns(1).own("denarii", 2).at_purchase()
    table = scene.table(which)
    left, right = table["display"]
    assert table.legal() == {"draw left", "draw right", "pass"}
    table.play("draw left")
    assert table["display"] == [None, right]
    assert table["phase"] == "excess"
    table.play("card market.go+denarius")
    assert table["display"] == ["market.go+denarius", right]
    assert (table["mahane"], table["mahane_tail"]) == ([], 0)
    table.play(f"card {left}")
    assert (table["mahane"], table["mahane_tail"]) == ([left], 1)


def test_F40__discarding_down_to_five(which: str) -> None:
    """A hand of 7: two discards; a Mahane card goes under its pile; nothing is drawn."""
    hand = [*HAND, "temple.go", "market.go+denarius"]
    table = Scene().cards(0, hand=hand).at_purchase().own("denarii", 2).table(which).play("pass")
    before = table.position()
    assert (before["phase"], before["steps"]) == ("excess", ["refill", "overflow", "end"])
    assert table.legal() == {f"card {card}" for card in hand}
    table.play("card market.go+denarius")
    assert table["phase"] == "excess"
    assert (table["mahane"][-1], table["mahane_tail"]) == ("market.go+denarius", 1)
    after = table.play("card temple.go").position()
    assert after["hands"][0] == Scene().data.in_order(HAND)
    assert after["discards"][0] == ["temple.go"]
    assert after["decks"] == before["decks"]


def test_F41__a_reshuffle(which: str) -> None:
    """Hand 3, deck 1, discards 4: draws 1, reshuffles 4, draws 1."""
    hand, columns = HAND[:3], (["temple.go", "temple.bread+favor"],)
    discards = ["lake.parable", "mountain.favor", "mountain.fish+parable", "market.stone+go"]
    scene = Scene().cards(0, hand=hand, columns=columns, discards=discards).own("denarii", 2)
    table = scene.at_purchase().own("resources", [0, 0, 0]).table(which)
    last = table["decks"][0]
    assert len(last) == 1
    after = table.play("pass").position()
    assert len(after["hands"][0]) == 5
    assert last[0] in after["hands"][0]
    assert (len(after["decks"][0]), after["discards"][0], after["shuffles"][0]) == (3, [], 1)
    assert sorted(after["decks"][0] + after["hands"][0]) == sorted([*hand, *last, *discards])


def test_F42__nothing_left_to_draw(which: str) -> None:
    """Hand 4, deck and discards empty: the hand stays 4."""
    rest = ["lake.parable", "mountain.favor", "mountain.fish+parable", "market.stone+go"]
    rest += ["temple.go", "market.parable+meeting"]
    hand = ["desert.go", "desert.favor", "lake.go", "temple.bread+favor"]
    scene = Scene().cards(0, hand=hand, columns=(rest,)).own("denarii", 2).at_purchase()
    after = scene.own("resources", [0, 0, 0]).table(which).play("pass").position()
    assert sorted(after["hands"][0]) == sorted(hand)
    assert (after["shuffles"][0], after["to_act"]) == (0, 1)


def test_F43__clearing_a_column(which: str) -> None:
    """No card in hand, Illumination used: only `column c` of non-empty ones; no points."""
    first = ["market.stone+go", "desert.go", "lake.go", "lake.vp3+go", "lake.parable", "temple.go"]
    third = ["mountain.favor", "mountain.fish+parable", "desert.favor", "temple.bread+favor"]
    third += ["market.parable+meeting"]
    scene = Scene().cards(0, columns=(first, (), third)).own("illumination", False)
    table = scene.holds(0, "market", "lake", "desert").table(which)
    assert table.legal() == {"column 1", "column 3"}
    before = table.position()
    after = table.play("column 1").position()
    assert after["points"] == before["points"]
    assert after["columns"][0] == [[], [], third]
    assert sorted(after["discards"][0]) == sorted(x for x in first if x != "lake.vp3+go")
    assert after["mahane"][-1] == "lake.vp3+go"
    assert (after["stage"], after["phase"]) == ("visit", "visit")
    table = scene.own("illumination", True).table(which)
    assert table.legal() == {"column 1", "column 3", "illuminate"}


def test_F44__the_camp_is_made_to_fit(which: str) -> None:
    """Camp 8, Offerings 3, resources 2 2 1, 14 squares: two discards among those held."""
    scene = Scene().at_purchase().own("denarii", 2).own("offerings", 3).own("resources", [2, 2, 1])
    table = scene.followers(0, [2, 1, 1], WORTHLESS[:3], camp=8).table(which).play("pass")
    assert (table["phase"], table["steps"]) == ("overflow", ["end"])
    assert table.legal() == {"discard stone", "discard bread", "discard fish"}
    table.play("discard fish")
    assert table.legal() == {"discard stone", "discard bread"}
    assert table.play("discard bread")["resources"][0] == [2, 1, 0]
    assert table["to_act"] == 1


def test_F45__things_may_lie_outside_until_the_own_turn_ends(which: str) -> None:
    """A Stone by another's Favor over the capacity: no discard before the own next turn's end."""
    scene = favoring().own("resources", [0, 0, 0]).followers(1, [1, 1, 2], camp=10)
    scene.own("resources", [0, 0, 3], 1).cards(1, hand=["temple.go"]).own("denarii", 0, 1)
    scene.own("denarii", 0)
    table, _ = favor(scene, which, "stone_1", "+1")
    assert table["resources"][1] == [1, 0, 3]
    assert (table["to_act"], table["phase"]) == (1, "play")  # 15 on 14 squares
    table.play("card temple.go", "column 1").passes("supper", "visit", "purchase")
    assert (table["to_act"], table["phase"]) == (1, "overflow")
    assert table.legal() == {"discard stone", "discard fish"}


def test_F46__followers_and_offerings_never_go(which: str) -> None:
    """Camp 12, Offerings 3, no resources, 14 squares: nothing happens."""
    scene = Scene().at_purchase().own("denarii", 2).own("offerings", 3).own("resources", [0, 0, 0])
    table = scene.followers(0, [0, 0, 0], WORTHLESS[:3], camp=12).table(which).play("pass")
    assert (table["to_act"], table["phase"]) == (1, "play")
    assert (table["camp"][0], table["offerings"][0]) == (12, 3)


def test_F47__another_meeting_on_the_last_space(which: str) -> None:
    """The marker stays; visit, purchase and refill follow; then the game is over."""
    hand = ["market.parable+meeting", *HAND, "temple.go"]
    scene = Scene().cards(0, hand=hand).holds(0, "market", "lake", "desert").set(sanhedrin=22)
    table = scene.own("denarii", 9).table(which).play("card market.parable+meeting", "column 1")
    table.play("pass")
    assert (table["sanhedrin"], table["phase"]) == (22, "visit")
    table.play("pass")
    assert table["phase"] == "purchase"
    table.play("pass")
    assert table["phase"] == "excess"
    table.play("card temple.go").idle("over", "play")
    assert table.over
    assert (table["stage"], table["to_act"], table["turn"]) == ("over", None, 0)
    assert table["steps"] == []
    assert table.legal() == set()


@pytest.mark.parametrize("there", [14, 15])
def test_F48__all_followers_of_another_at_the_supper(which: str, there: int) -> None:
    """At the end of a turn another player has 15 at the Supper: over."""
    spaces = [s for s in SPACES if s not in CORNERS][:there]
    scene = Scene().at_purchase().followers(1, [15 - there, 0, 0], spaces)
    table = scene.own("resources", [0, 0, 0]).table(which).play("pass")
    assert table.over == (there == 15)
    assert table["sanhedrin"] == 0


def test_F49__the_draws_of_seed_7(which: str) -> None:
    """The reference values of VII.f."""
    p = Table.new(which, {}, 7).position()
    assert p["key"] == "63cbe1e459320dd7"
    assert p["colours"] == ["blue", "yellow", "red", "green"]
    assert p["start"] == 0
    assert p["symbols"] == [
        ["lake", "temple", "lake"],
        ["mountain", "market", "market"],
        ["mountain", "desert", "temple"],
    ]
    assert p["judgments"] == ["favor", "call", "resources", "go", "parable", "offering"]
    assert p["display"] == ["mountain.parable+meeting", "lake.call+denarius"]
    assert p["mahane"][0] == "mountain.market+temple"
    assert p["xxxiii"][0] == "market.fish+change+meeting"
    assert [p["supper"][corner] for corner in CORNERS] == [0, 1, 2, 3]
    first = ["market.go", "market.fish+parable", "temple.go", "lake.favor+meeting"]
    assert p["decks"][0][:5] == [*first, "temple.parable"]


def test_F50__a_reshuffle_knows_the_set_alone(which: str) -> None:
    """The same discards gathered in another order, same seat and count: the same new deck."""
    decks = []
    for order in (["desert.go", "temple.go"], ["temple.go", "desert.go"]):
        hand = ["desert.favor", "lake.go", "lake.parable", "mountain.favor", "temple.bread+favor"]
        rest = ["mountain.fish+parable", "market.stone+go", "market.parable+meeting"]
        scene = Scene().cards(0, hand=[*hand, *order], columns=(rest,)).own("denarii", 2)
        table = scene.at_purchase().table(which).play("pass", *(f"card {card}" for card in order))
        assert sorted(table["discards"][0]) == sorted(order)
        while table["shuffles"][0] == 0:
            table.idle("play")
            table.play(next(name for name in sorted(table.legal()) if name.startswith("card ")))
        decks.append([table["decks"][0], table["hands"][0]])
    assert decks[0] == decks[1]


def test_F51__symbols_for_what_the_column_lacks(which: str) -> None:
    """Own column market; market market lake with market and lake held: both are used."""
    table = visiting(["market.stone+go"]).holds(0, "market", "lake").table(which)
    assert table.legal() == {"visit column.1 apostles.2", "pass"}
    table.play("visit column.1 apostles.2", "apostle orange", "seat bottom.3")
    assert set(table["symbols_held"][0].values()) == {0}
    assert table["discards"][0] == ["market.stone+go"]


def test_F52__no_marker_left(which: str) -> None:
    """All 8 markers given: Favor is void."""
    scene = Scene().cards(0, hand=HAND).own("denarii", 2)
    scene.gave(0, list(scene.data.markers), None)
    table = scene.table(which)
    xxxiii = table["xxxiii"]
    table.play("card desert.favor", "column 1")
    assert table["phase"] == "purchase"
    assert (table["favors_done"][0], table["xxxiii"]) == (8, xxxiii)


def test_F53__a_full_supper(which: str) -> None:
    """All 56 spaces taken: Go, Invited and Change are not asked."""
    invited, change = "desert.bread+invited+meeting", "lake.bread+change+meeting"
    for card in ("desert.go", invited, change):
        scene = Scene().cards(0, hand=[card]).own("denarii", 2).own("resources", [7, 7, 7])
        for seat in range(4):
            scene.followers(seat, supper=[])
        for seat in range(4):
            scene.followers(seat, [0, 1, 0], SPACES[14 * seat : 14 * seat + 14], camp=0)
        table = scene.table(which).play(f"card {card}", "column 1")
        assert table["phase"] == "purchase"
        assert table["sanhedrin"] == (card != "desert.go")
        assert table["offerings"] == [1] * 4
