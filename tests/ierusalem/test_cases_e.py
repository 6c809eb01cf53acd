"""The worked examples of scoring, E1-E11, played on both engines.

Final counts are those of games that end with the turn at hand, by a marker on its last space.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.ierusalem.reference_box import data_of
from tests.ierusalem.scenes import WORTHLESS, Scene
from tests.ierusalem.table import gained

YELLOW_HAND = ["desert.go", "desert.favor", "mountain.favor", "lake.go", "temple.go"]


def ending(players: int = 4, **switches: Any) -> Scene:
    """The game ends with this turn; Offerings 1, no Parables, every Illumination used."""
    scene = Scene(players, **switches).at_purchase().set(sanhedrin=22)
    return scene.set(illumination=[False] * players)


def counted(scene: Scene, which: str) -> list[int]:
    """Points of the final count by seat but the 1 for each Offering."""
    table = scene.table(which)
    before = table.position()
    table.idle("over")
    assert table.over
    after = table.position()
    points = gained(before, after, "points")
    return [mine - offerings for mine, offerings in zip(points, after["offerings"], strict=True)]


def test_E1__around_a_white_apostle_with_its_corner(which: str) -> None:
    """White on top.1: corner 6 and second row 5 for seat 0, first row 6 for seat 1."""
    data = copy.deepcopy(data_of("box").content)
    neutral = ["top3.1", "top1.2", "top1.3", "top1.4", "top1.5"]  # the case has one on top3.1
    data["setup"]["neutral_with_3"]["v"] = neutral
    scene = ending(3, data=data).seated({"top.1": "white"})
    scene.followers(0, supper=[]).followers(1, supper=[]).followers(2, supper=["top3.4"])
    scene.followers(0, supper=["corner.top_left", "top2.1"]).followers(1, supper=["top1.1"])
    assert counted(scene, which) == [11, 6, 0]


def test_E2__judas_takes_less_with_the_distance(which: str) -> None:
    """Judas on bottom.8: -5 at distance 0 (the corner too), -4 and -3 behind."""
    scene = ending().seated({"bottom.8": "judas"})
    for seat in range(4):
        scene.followers(seat, supper=[])
    scene.followers(2, supper=["corner.bottom_right", "bottom3.8"]).followers(3, supper=["top3.4"])
    scene.followers(0, supper=["bottom1.8"]).followers(1, supper=["bottom2.8"])
    assert counted(scene, which) == [-5, -4, -8, 0]


def test_E3__only_beside_jesus_scores_for_him(which: str) -> None:
    """No Apostle on top.2: of four followers only the one beside Jesus scores, 7."""
    scene = ending().followers(0, supper=["top1.2", "top1.4", "top2.5", "jesus.top_left"])
    assert counted(scene, which) == [7, 0, 0, 0]


def test_E4__third_row_behind_purple_and_orange(which: str) -> None:
    """Purple on top.3 and orange on top.6 give 2 + 3 in the third row."""
    scene = ending().seated({"top.3": "purple", "top.6": "orange"})
    assert counted(scene.followers(0, supper=["top3.3", "top3.6"]), which) == [5, 0, 0, 0]


def test_E5__a_corner_counts_for_the_seat_beside_it_alone(which: str) -> None:
    """White on top.2 only: nothing in the corner beside top.1."""
    scene = ending().seated({"top.2": "white"})
    for seat in range(4):
        scene.followers(seat, supper=[])
    for seat, corner in enumerate(("top_left", "top_right", "bottom_left", "bottom_right")):
        scene.followers(seat, supper=[f"corner.{corner}"])
    assert counted(scene, which) == [0, 0, 0, 0]


@pytest.mark.parametrize(("tiles", "points"), list(enumerate([0, 1, 3, 6, 10, 13, 15, 18])))
def test_E6__parable_tiles(which: str, tiles: int, points: int) -> None:
    """0..7 Parable tiles are worth 0 1 3 6 10 13 15 18."""
    scene = ending().parables(tiles, 0, 0, 0).followers(0, supper=WORTHLESS[: max(tiles, 1)])
    assert counted(scene, which) == [points, 0, 0, 0]


def test_E7__a_whole_final_count(which: str) -> None:
    """Three players: 67 / 77 / 60, ranks 2 / 1 / 3."""
    scene = ending(3).set(
        points=[41, 52, 47], offerings=[3, 4, 2], illumination=[False, True, False]
    )
    for seat in range(3):
        scene.followers(seat, supper=[])
    scene.followers(0, supper=["corner.top_right", "top2.3", "bottom1.6", "jesus.top_left"])
    scene.followers(1, supper=["corner.bottom_left", "top2.2", "bottom1.3", "bottom2.6"])
    scene.followers(2, supper=["corner.bottom_right", "top2.8", "top3.1", "jesus.bottom_right"])
    scene.parables(4, 2, 3)
    top = {"top.1": "purple", "top.2": "orange", "top.3": "white", "top.8": "judas"}
    scene.seated({**top, "bottom.3": "purple", "bottom.6": "white"})
    table = scene.table(which).idle("over")
    assert table["points"] == [67, 77, 60]
    assert table.ranks() == [2, 1, 3]


def test_E8__ties_go_to_illumination_then_favors(which: str) -> None:
    """80 / 80 / 75 / 80, seat 1's Illumination unused, Favors 5 / 2 / 1 / 5: ranks 2 1 4 2."""
    scene = ending().set(illumination=[False, True, False, False], points=[79, 74, 74, 79])
    for seat, favors in enumerate((5, 2, 1, 5)):
        scene.gave(seat, scene.data.markers[:favors], None)
    table = scene.table(which).idle("over")
    assert table["points"] == [80, 80, 75, 80]
    assert table.ranks() == [2, 1, 4, 2]


def test_E9__a_judgment_pays_the_mover_in_full_and_others_half(which: str) -> None:
    """Judgment `call`: 5 followers in areas for the mover; the others' 7, 0, 3 are halved."""
    scene = Scene().judgments("call").set(sanhedrin=2)
    scene.followers(0, [2, 2, 1]).followers(1, [3, 3, 1]).followers(2, [0, 0, 0])
    scene.followers(3, [1, 1, 1]).cards(0, hand=["market.parable+meeting", *YELLOW_HAND[:4]])
    scene.parables(1, 0, 0, 0)  # with one follower at the Supper no second
    table = scene.table(which).play("card market.parable+meeting")
    before = table.position()
    table.play("column 1", "pass")
    assert table["sanhedrin"] == 3
    assert gained(before, table.position(), "points") == [5, 3, 0, 1]


def test_E10__points_in_green_circles(which: str) -> None:
    """A starting, a Mahane and a XXXIII card of a set: 1 + 2 + 3."""
    cards = ["market.stone+go", "lake.vp3+go", "desert.bread+invited+meeting"]
    scene = Scene().cards(0, hand=YELLOW_HAND, columns=(cards,)).seated({"top.1": "judas"})
    scene.set(stage="visit", phase="visit")
    table = scene.table(which).play("visit column.1 apostles.1", "apostle orange")
    before = table.position()
    table.play("seat top.3")
    assert gained(before, table.position(), "points") == [6, 0, 0, 0]
    assert table["mahane"][-1] == "lake.vp3+go"
    assert table["xxxiii"][-1] == "desert.bread+invited+meeting"
    assert table["discards"][0] == ["market.stone+go"]
    assert table["columns"][0] == [[], [], []]


@pytest.mark.parametrize(
    ("orange_scores", "points"), [("all", [5, 5, 3, 0]), ("own", [5, 0, 0, 0])]
)
def test_E11__orange_scores_at_once(which: str, orange_scores: str, points: list[int]) -> None:
    """Orange seated on top.1: corner 5 for seat 1, first row 5 for 0, third row 3 for 2."""
    scene = Scene(orange_scores=orange_scores).holds(0, "market", "lake", "desert")
    for seat in range(4):
        scene.followers(seat, supper=[])
    scene.followers(0, supper=["top1.1"]).followers(1, supper=["corner.top_left"])
    scene.followers(2, supper=["top3.1"]).followers(3, supper=["top3.4"])
    scene.set(stage="visit", phase="visit")
    table = scene.table(which).play("visit favors apostles.1", "apostle orange")
    before = table.position()
    table.play("seat top.1")
    assert gained(before, table.position(), "points") == points
