"""Cases F1-F18 of Part IV (set-up, locations, the Supper, Parables), played on both engines."""

from __future__ import annotations

import pytest

from tests.ierusalem.reference_box import AREAS, CORNERS, JESUS, SPACES
from tests.ierusalem.scenes import WORTHLESS, Scene
from tests.ierusalem.table import Table, gained

# Cost and effect of every row space, as Part II reads them out (letters S, B, F).
READ_OUT = {
    "top3": "SS denarii_2|SB|SF meeting|SS mahane|SS points_2|SF meeting|SB|SS denarii_2",
    "top2": "SB|BB meeting|BF|SB bread|SB fish|BF|BB meeting|SB",
    "top1": "SF|BF|FF|SF points_2|SF call|FF|BF|SF",
    "bottom1": "SF|BF|FF|SF call|SF points_2|FF|BF|SF",
    "bottom2": "SB|BB meeting|BF|SB fish|SB bread|BF|BB meeting|SB",
    "bottom3": "SS denarii_2|SB|SF meeting|SS points_2|SS mahane|SF meeting|SB|SS denarii_2",
}
HAND = ["desert.go", "desert.favor", "lake.go", "lake.parable", "mountain.favor"]


def going(resources: list[int], areas: list[int] | None = None) -> Scene:
    """Seat 0 is to play; `desert.go` then asks for a space, for nobody of its is in the desert."""
    scene = Scene().cards(0, hand=HAND).own("resources", list(resources))
    return scene.followers(0, areas or [0, 2, 1])


def costs() -> list[tuple[str, list[int], str]]:
    """(space, Stone Bread Fish, effect) of all 56 spaces."""
    found = [(space, [0, 0, 2], "-") for space in (*CORNERS, *JESUS)]
    for row, line in READ_OUT.items():
        for column, text in enumerate(line.split("|"), start=1):
            letters, _, effect = text.partition(" ")
            found.append((f"{row}.{column}", [letters.count(x) for x in "SBF"], effect or "-"))
    return found


@pytest.mark.parametrize("seed", [0, 7, 8])
def test_F1__a_new_game_with_four(which: str, seed: int) -> None:
    """Everyone's set-up; Denarii and points from the start player clockwise; corners; settle."""
    table = Table.new(which, {"players": 4}, seed)
    p = table.position()
    s = p["start"]
    assert p["camp"] == [10] * 4
    assert p["areas"] == p["resources"] == [[1, 1, 1]] * 4
    assert p["offerings"] == [1] * 4
    assert p["blocked"] == p["illumination"] == [True] * 4
    assert [p["denarii"][(s + k) % 4] for k in range(4)] == [4, 5, 6, 7]
    assert [p["points"][(s + k) % 4] for k in range(4)] == [1, 2, 3, 4]
    assert sorted(p["supper"][corner] for corner in CORNERS) == [0, 1, 2, 3]
    assert sum(owner is not None for owner in p["supper"].values()) == 4
    assert (p["stage"], p["phase"], p["to_act"], p["turn"]) == ("settle", "settle", s, None)
    assert table.legal() == {f"follower {area}" for area in AREAS}
    for k in range(4):
        assert table["to_act"] == (s + k) % 4
        table.play("follower lake")
    assert (table["phase"], table["to_act"], table["turns"]) == ("play", s, 1)
    assert [len(hand) for hand in table["hands"]] == [5] * 4
    assert table["areas"] == [[1, 1, 2]] * 4


def test_F2__a_new_game_with_three(which: str) -> None:
    """Nine neutral followers; 6 squares per area; Parable stacks 6 5 4."""
    table = Table.new(which, {"players": 3}, 5)
    p = table.position()
    neutral = {space for space, owner in p["supper"].items() if owner == "neutral"}
    top = {f"top1.{c}" for c in range(1, 6)}
    assert neutral == top | {"corner.top_left", "bottom3.6", "bottom3.7", "bottom3.8"}
    assert p["parable_stacks"] == [[6, 5, 4]] * 7
    scene = Scene(3).cards(0, hand=["temple.go", *HAND[:4]]).own("denarii", 6)
    scene.followers(0, [1, 1, 1]).followers(1, [3, 2, 1]).followers(2, [1, 2, 1])
    table = scene.table(which).play("card temple.go", "column 1")
    assert table.offers("follower") == {"desert", "mountain", "lake"}
    table.play("follower desert")  # the sixth
    assert table.offers("follower") == {"mountain", "lake"}
    assert "+1 desert" in table.offers("displace")


def test_F3__the_sixth_square(which: str) -> None:
    """Three players, two chose the desert: the third may still."""
    table = Table.new(which, {"players": 3}, 5).play("follower desert", "follower desert")
    assert table.legal() == {f"follower {area}" for area in AREAS}
    table.play("follower desert")
    assert [areas[0] for areas in table["areas"]] == [2, 2, 2]


def test_F4__location_then_bottom_actions(which: str) -> None:
    """Two followers in the lake, `lake.stone+go`: 2 Fish, then 1 Stone, then the Go is asked."""
    scene = Scene(colours=["red", "yellow", "green", "blue"]).followers(0, [1, 1, 2])
    scene.cards(0, hand=["lake.stone+go", "lake.favor", "desert.parable", "market.go", "temple.go"])
    table = scene.own("resources", [1, 1, 1]).table(which).play("card lake.stone+go")
    assert (table["phase"], table["choice"]) == ("column", {"card": "lake.stone+go"})
    assert table.legal() == {"column 1", "column 2", "column 3"}
    assert "lake.stone+go" in table["hands"][0]
    table.play("column 1")
    assert table["resources"][0] == [2, 1, 3]
    assert (table["phase"], table["choice"], table["steps"]) == ("supper", {"free": False}, [])
    assert table["columns"][0] == [["lake.stone+go"], [], []]


def market(denarii: int, resources: list[int]) -> Scene:
    """Seat 0 is to play and has a market card."""
    scene = Scene().cards(0, hand=["market.stone+go", *HAND[:4]]).own("denarii", denarii)
    return scene.own("resources", resources)


def test_F5__sales_before_purchases(which: str) -> None:
    """No Denarii, 2 Fish, 1 Bread: sell Fish twice, then Stone may be bought, Fish not."""
    table = market(0, [0, 1, 2]).table(which).play("card market.stone+go", "column 1")
    assert table.legal() == {"sell bread", "sell fish", "pass"}
    table.play("sell fish", "sell fish")
    assert table["denarii"][0] == 8
    assert table["choice"] == {"traded": "sold", "sold": ["fish"]}
    assert table.legal() == {"sell bread", "buy stone", "buy bread", "pass"}
    assert table.refuses("buy fish")
    table.play("buy stone")
    assert (table["denarii"][0], table["resources"][0]) == (6, [1, 1, 0])
    assert table.legal() == {"buy stone", "buy bread", "pass"}
    table.play("buy stone", "buy stone", "buy stone")  # nothing left to pay with
    assert table["phase"] != "market"
    assert table["resources"][0] == [5, 1, 0]  # with the card's own Stone


def test_F6__a_card_at_the_market(which: str) -> None:
    """One Denarius: `draw left` pays it and ends the market; after a sale there is no draw."""
    table = market(1, [1, 0, 0]).table(which).play("card market.stone+go", "column 1")
    left, top = table["display"][0], table["mahane"][0]
    assert table.legal() == {"draw left", "draw right", "draw deck", "sell stone", "pass"}
    table.play("sell stone")
    assert not table.offers("draw")
    table = market(1, [1, 0, 0]).table(which).play("card market.stone+go", "column 1", "draw left")
    assert table["denarii"][0] == 0
    assert left in table["hands"][0]
    assert left in table["known_hands"][0]
    assert table["display"][0] == top
    assert table["phase"] == "supper"


def test_F7__recruiting(which: str) -> None:
    """3 Denarii, camp 2: the desert for 1, the mountain for 2; then the temple ends."""
    scene = Scene().cards(0, hand=["temple.go", *HAND[:4]]).own("denarii", 3)
    scene.followers(0, [2, 2, 2], ["corner.top_left", *WORTHLESS[:6]], camp=2)
    table = scene.own("resources", [5, 5, 5]).table(which).play("card temple.go", "column 1")
    assert table.legal() == {"follower desert", "follower mountain", "follower lake", "pass"}
    table.play("follower desert", "follower mountain")
    assert (table["denarii"][0], table["camp"][0]) == (0, 0)
    assert table["areas"][0] == [3, 3, 2]
    assert table["phase"] == "supper"


def full_lake(denarii: int) -> Scene:
    """A full lake: 1 of seat 0, 3 of seat 1, 2 of each other; seat 0 has a temple card."""
    scene = Scene().cards(0, hand=["temple.go", *HAND[:4]]).own("denarii", denarii)
    for seat, there in enumerate((1, 3, 2, 2)):
        scene.followers(seat, [1, 1, there])
    return scene


def test_F8__displacing_in_a_full_area(which: str) -> None:
    """`displace +1 lake` for 4: 3 to him, 1 to the bank; his follower goes to his camp."""
    table = full_lake(4).table(which).play("card temple.go", "column 1")
    assert table.offers("displace") == {"+1 lake", "+2 lake", "+3 lake"}
    assert "follower lake" not in table.legal()
    before = table.position()
    table.play("displace +1 lake")
    after = table.position()
    assert after["denarii"][0] == 0
    assert gained(before, after, "denarii") == [-4, 3, 0, 0]
    assert gained(before, after, "camp") == [-1, 1, 0, 0]
    assert [areas[2] for areas in after["areas"]] == [2, 2, 2, 2]


def test_F8__three_denarii_do_not_displace(which: str) -> None:
    """With 3 Denarii it is illegal."""
    table = full_lake(3).table(which).play("card temple.go", "column 1")
    assert table.refuses("displace +1 lake")
    assert not table.offers("displace")


@pytest.mark.parametrize("full", [False, True])
def test_F9__never_more_than_three(which: str, full: bool) -> None:
    """With 3 own followers in the desert neither `follower` nor `displace` there."""
    scene = Scene().cards(0, hand=["temple.go", *HAND[:4]]).own("denarii", 9)
    scene.followers(0, [3, 1, 1])
    if full:
        scene.followers(1, [3, 1, 1]).followers(2, [2, 1, 1]).followers(3, [0, 1, 1])
    table = scene.table(which).play("card temple.go", "column 1")
    assert table.offers("follower") == {"mountain", "lake"}
    assert not table.offers("displace")
    assert table.refuses("follower desert", "displace +1 desert")


def test_F10__costs_of_every_space(which: str) -> None:
    """The resources of its cost buy a space, one less do not; nothing is left of them."""
    for space, cost, effect in costs():
        table = going(cost).followers(0, [0, 2, 0]).table(which)
        if table["supper"][space] is not None:
            continue  # the four corners; they cost as the spaces beside Jesus, next case
        table.play("card desert.go", "column 1", f"space {space}")
        left = [0, effect == "bread", effect == "fish"]
        assert table["resources"][0] == left, space
        assert table["supper"][space] == 0
        for resource in range(3):
            if cost[resource]:
                less = [x - (r == resource) for r, x in enumerate(cost)]
                # The other resources are plenty.
                rich = [x if r == resource else 7 for r, x in enumerate(less)]
                table = going(rich).followers(0, [0, 2, 0]).table(which)
                table.play("card desert.go", "column 1")
                assert f"space {space}" not in table.legal()


def test_F10__costs_of_corners(which: str) -> None:
    """A corner costs 2 Fish."""
    for fish in (1, 2):
        scene = going([7, 7, fish]).followers(3, supper=[]).followers(3, supper=["top3.4"])
        table = scene.table(which).play("card desert.go", "column 1")
        free = {corner for corner in CORNERS if table["supper"][corner] is None}
        assert len(free) == 1
        assert (free <= table.offers("space")) == (fish == 2)


def test_F10__effects_of_every_space(which: str) -> None:
    """The effects that Part II reads out, each tried by going there."""
    for space, cost, effect in costs():
        table = going(cost, [0, 2, 0]).own("points", 0).own("denarii", 0).table(which)
        if table["supper"][space] is not None:
            continue
        table.play("card desert.go", "column 1", f"space {space}")
        assert table["points"][0] == (2 if effect == "points_2" else 0), space
        assert table["denarii"][0] == (2 if effect == "denarii_2" else 0), space
        assert table["sanhedrin"] == (effect == "meeting"), space
        asked = {"mahane": "draw", "call": "call"}.get(effect, "offering")
        assert table["phase"] == asked, space
        if asked != "offering":
            assert table["steps"] == ["offering"]
            assert table.play("pass")["phase"] == "offering"


def test_F11__the_area_with_the_most(which: str) -> None:
    """Areas 1 2 2: mountain or lake is asked; 0 1 3: it is the lake, unasked."""
    table = going([0, 0, 4], [1, 2, 2]).table(which).play("card desert.go", "column 1")
    table.play("space jesus.top_left")
    assert (table["phase"], table["steps"]) == ("from", [])
    assert table["choice"] == {"free": False, "space": "jesus.top_left"}
    assert table.legal() == {"from mountain", "from lake"}
    assert table["supper"]["jesus.top_left"] is None
    assert table["resources"][0] == [1, 0, 4]  # the Stone is the desert's; nothing is paid yet
    table.play("from lake")
    assert table["areas"][0] == [1, 2, 1]
    assert table["resources"][0] == [1, 0, 2]
    table = going([0, 0, 4], [0, 1, 3]).table(which).play("card desert.go", "column 1")
    table.play("space jesus.top_left")
    assert table["areas"][0] == [0, 1, 2]
    assert (table["phase"], table.legal()) == ("offering", {"offering", "pass"})


def test_F12__nobody_to_go(which: str) -> None:
    """Without a follower in an area Go and Invited are void and not asked."""
    table = going([5, 5, 5], [0, 0, 0]).own("denarii", 0).table(which)
    table.play("card desert.go", "column 1")
    assert table["stage"] not in ("play", "visit")
    scene = going([5, 5, 5], [0, 0, 0])
    table = scene.cards(0, hand=["desert.bread+invited+meeting"]).table(which)
    table.play("card desert.bread+invited+meeting", "column 1")
    assert table["sanhedrin"] == 1
    assert table["stage"] not in ("play", "visit")
    table = going([5, 5, 5], [0, 0, 0]).table(which).play("illuminate")
    assert "apostle purple" not in table.legal()


def test_F13__exact_costs(which: str) -> None:
    """1 Stone and 1 Bread buy exactly the empty spaces that cost them."""
    table = going([1, 1, 0], [0, 2, 1]).table(which).play("card desert.go", "column 1")
    wanted = {space for space, cost, _ in costs() if cost == [1, 1, 0]}
    assert len(wanted) == 12
    assert table.legal() == {f"space {space}" for space in wanted} | {"pass"}
    scene = going([1, 1, 0], [0, 2, 1]).followers(1, supper=["top3.2", "corner.top_right"])
    table = scene.table(which).play("card desert.go", "column 1")
    assert table.offers("space") == wanted - {"top3.2"}


def test_F14__a_meeting_on_a_space(which: str) -> None:
    """Marker 2 -> 3 by top2.2, judgment `offering`: 3 points; then the Offering is asked."""
    scene = going([0, 2, 0], [0, 2, 1]).judgments("offering").set(sanhedrin=2)
    scene.followers(0, supper=["corner.top_left", "top3.4", "top3.5"]).own("offerings", 3)
    table = scene.table(which).play("card desert.go", "column 1")
    before = table.position()
    table.play("space top2.2")
    after = table.position()
    assert after["sanhedrin"] == 3
    assert gained(before, after, "points") == [3, 0, 0, 0]
    assert after["phase"] == "offering"
    assert table.play("offering")["offerings"][0] == 4


def test_F15__invited_costs_nothing(which: str) -> None:
    """Without resources any empty space may be taken; then the Offering is asked."""
    table = going([0, 0, 0], [0, 2, 1]).table(which).play("illuminate", "apostle purple")
    assert (table["phase"], table["choice"]) == ("supper", {"free": True})
    empty = {space for space in SPACES if table["supper"][space] is None}
    assert table.legal() == {f"space {space}" for space in empty} | {"pass"}
    table.play("space top1.1")
    assert table["resources"][0] == [0, 0, 0]
    assert (table["phase"], table["stage"]) == ("offering", "play")
    assert table["illumination"][0] is False


def listening(tiles: int, at_supper: int) -> Scene:
    """Seat 0 has so many Parables and followers at the Supper, and is to play Listen."""
    supper = WORTHLESS[:at_supper]
    scene = Scene().cards(0, hand=["lake.parable", *HAND[:3]]).followers(0, [1, 1, 0], supper)
    return scene.parables(tiles, 0, 0, 0)


def test_F16__too_few_followers_listen(which: str) -> None:
    """2 followers at the Supper and 2 Parables: nothing."""
    table = listening(2, 2).table(which).play("card lake.parable")
    before = table.position()
    table.play("column 1")
    after = table.position()
    assert after["parables"][0] == 2
    assert after["points"] == before["points"]
    assert after["parable_stacks"] == before["parable_stacks"]
    assert after["phase"] != "column"


@pytest.mark.parametrize("players", [3, 4])
def test_F17__the_third_to_listen(which: str, players: int) -> None:
    """Two already have type I: the third gets 4 points."""
    scene = Scene(players).cards(0, hand=["lake.parable", *HAND[:3]])
    table = scene.parables(*[0, 1, 1, 0][:players]).table(which).play("card lake.parable")
    before = table.position()
    table.play("column 1")
    assert table["points"][0] == before["points"][0] + 4
    assert table["parable_stacks"][0] == ([3] if players == 4 else [])
    assert table["parable_stacks"][1:] == before["parable_stacks"][1:]


def test_F18__rewards_on_the_track(which: str) -> None:
    """2nd: 1 Denarius; 4th: a draw is asked; 6th: a call is asked; 7th: a XXXIII card."""
    for tiles in range(7):
        table = listening(tiles, tiles + 1).own("denarii", 0).table(which).play("card lake.parable")
        before = table.position()
        table.play("column 1")
        after = table.position()
        assert after["parables"][0] == tiles + 1
        assert after["points"][0] == before["points"][0] + 6
        assert after["denarii"][0] == (1 if tiles == 1 else 0)
        if tiles == 3:
            assert after["phase"] == "draw"
            assert table.legal() == {"draw left", "draw right", "draw deck", "pass"}
        if tiles == 5:
            assert (after["phase"], after["choice"]) == ("call", {"must": False})
            assert table.legal() == {
                "follower desert",
                "follower mountain",
                "follower lake",
                "pass",
            }
        top = before["xxxiii"][0]
        assert (top in after["hands"][0]) == (tiles == 6)
        assert len(after["xxxiii"]) == 10 - (tiles == 6)
