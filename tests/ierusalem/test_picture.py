"""Ierusalem as a picture: room for everything, hidden things hidden, colours for all eyes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from jerusalem_env.drawing import Drawing, Polygon, Rect
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.render import palette
from jerusalem_env.ierusalem.render.picture import draw
from jerusalem_env.ierusalem.render.seen import MARK, NOTE
from jerusalem_env.ierusalem.render.supper import SUPPER, seat_box, space_box
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.playing import played, redealt
from tests.ierusalem.positions import at
from tests.ierusalem.test_render import data_with
from tests.looks import (
    APART,
    EYES,
    READABLE,
    check_looks,
    contrast,
    lab,
    linear,
    overlapping,
    texts_of,
)

SMALLEST_TEXT = 5.5  # seats' numbers in small marks, actions in crowded columns


def picture(game: IerusalemGame, state: np.void, seat: int | None = None) -> Drawing:
    drawing = game.draw(state, seat)
    assert (drawing.width, drawing.height) == (1000, 750)
    return drawing


@pytest.mark.parametrize("data", ["box", pytest.param("other", marks=pytest.mark.slow)])
@pytest.mark.parametrize("players", [pytest.param(3, marks=pytest.mark.slow), 4])
def test_looks__every_text_has_its_place_and_can_be_read(players: int, data: str) -> None:
    game, states, _ = played(players, data=data)
    for place, state in enumerate([*states[::25], states[-1]]):
        for seat in (None, place % players):
            check_looks(picture(game, state, seat), SMALLEST_TEXT)


@pytest.mark.parametrize("phase", ["column", "from", "change_to", "arrange", "seat", "excess"])
def test_looks__of_set_positions(phase: str) -> None:
    game = IerusalemGame()
    check_looks(picture(game, game.read_position(at(phase))[0]), SMALLEST_TEXT)


@pytest.mark.parametrize("players", [3, 4])
def test_looks__however_much_there_is_it_has_room(players: int) -> None:
    game, states, _ = played(players)
    rng = np.random.default_rng(0)
    for state in states[::40]:
        s = state.copy()
        for field in ("denarii", "points"):
            s[field][:players] = rng.choice([0, 31, 181, 1000, 99999], players)
        s["resources"][:players] = rng.choice([0, 9, 15, 120], (players, 3))
        s["symbols_held"][:players] = rng.integers(0, 4, (players, 5))
        s["columns"][:players, 0, :40] = np.arange(40)
        s["column_size"][:players, 0] = [12, 40, 9, 20][:players]
        s["hand"][:players] = (1 << 9) - 1
        s["hand_counts"][:players] = [9, 0, 0]
        s["supper"][0] |= ~int(np.bitwise_or.reduce(s["supper"])) & ((1 << 56) - 1)
        check_looks(picture(game, s), SMALLEST_TEXT)


def test_layout__spaces_and_seats_lie_apart() -> None:
    boxes = [space_box(space) for space in range(56)] + [seat_box(seat) for seat in range(12)]
    bounds = [(box.x, box.y, box.right, box.bottom) for box in boxes]
    assert overlapping(bounds) == []
    for left, top, right, bottom in bounds:
        assert SUPPER.x <= left < right <= SUPPER.right
        assert SUPPER.y <= top < bottom <= SUPPER.bottom


def test_shows__who_decides_and_who_wins() -> None:
    game, states, _ = played()
    middle = states[len(states) // 2]
    texts = texts_of(picture(game, middle))
    assert texts.count("to act") == 1
    assert f"Turn {middle['turns']} of P{middle['turn']}" in texts
    texts = texts_of(picture(game, states[-1]))
    assert "to act" not in texts
    assert "wins the game" in texts or "win together" in texts
    assert "1st, winner" in texts


def test_shows__points_goods_and_cards_of_each_seat() -> None:
    game, states, _ = played()
    for state in states[::50]:
        texts = texts_of(picture(game, state))
        for seat in range(4):
            assert str(state["points"][seat]) in texts
            assert f"{state['camp'][seat]} in camp" in texts
            for column in range(3):
                size = state["column_size"][seat, column]
                assert f"column {column + 1}" + (f" ({size})" if size else "") in texts


def test_marks__follow_the_origins_in_the_data_file() -> None:
    def first(data: Any) -> list[str]:
        game = IerusalemGame(rules=RuleSet(data=data))
        states, masks = game.new_states(1), np.zeros((1, game.num_actions), dtype=np.uint8)
        game.reset(states, np.array([3], dtype=np.uint64), masks)
        return texts_of(game.draw(states[0]))

    usual = first("box")
    assert NOTE in usual
    assert usual.count(MARK) >= 48  # the costs of all spaces in rows
    assert {"Jesus 7*", "Sanhedrin 0 of 22*", "Apostles 1*", "meeting*"} <= set(usual)
    assert not any(MARK in text for text in first(data_with("found")))
    only = first(data_with("reconstructed", ("supper", "jesus_points")))
    # The note too, and what the end would bring where somebody stands beside Jesus.
    assert {text for text in only if MARK in text} == {"Jesus 7*", NOTE}
    only = first(data_with("reconstructed", ("locations", "squares")))
    assert [text for text in only if MARK in text] == [NOTE]


@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("players", [3, 4])
def test_hidden__the_picture_for_a_seat_stays_when_the_unseen_is_dealt_anew(
    players: int, information: Any
) -> None:
    """P13."""
    game = IerusalemGame(players=players, information=information)
    rng, differ = np.random.default_rng(1), 0
    for place, state in enumerate(played(players).states[::13]):
        seat = place % players
        other = redealt(game, state, seat, rng)
        assert game.draw(other, seat).to_svg() == game.draw(state, seat).to_svg()
        differ += game.draw(other).to_svg() != game.draw(state).to_svg()
    assert differ > 5


def test_backdrop__stays_the_same_through_a_game() -> None:
    for players in (3, 4):
        game, states, _ = played(players)
        assert len({tuple(game.draw(state).backdrop) for state in states[::25]}) == 1


def test_seats__are_told_by_colour_shape_and_number() -> None:
    game, states, _ = played()
    state = states[0]
    looks = [palette.look_of(state, seat) for seat in range(4)]
    assert len({look.colour for look in looks}) == len({look.shape for look in looks}) == 4
    marks = [palette.numbered(state, seat, 0, 0, 10)[0] for seat in range(4)]
    shapes = [len(m.points) if isinstance(m, Polygon) else type(m).__name__ for m in marks]
    assert shapes == ["Circle", Rect.__name__, 3, 4]
    for seat in range(4):
        assert texts_of(picture(game, state)).count(f"P{seat}") >= 1


@pytest.mark.parametrize("eye", EYES)
def test_colours__of_seats_stay_apart(eye: str) -> None:
    tones = [*(tone for tone, _ in palette.COLOURS)]
    seen = [lab(np.array(EYES[eye]) @ linear(tone)) for tone in tones]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) > APART


def test_colours__text_on_them_is_readable() -> None:
    for tone, ink in (*palette.COLOURS, *palette.APOSTLE_LOOKS):
        assert contrast(tone, ink) >= READABLE


def test_picture__is_drawn_in_pixels_and_described() -> None:
    _, states, _ = played(3)
    drawing = draw(states[-1], 1, True)
    assert drawing.to_rgb(0.5).shape == (375, 500, 3)
    assert "The game is over." in drawing.description
    assert all(f"P{seat} " in drawing.description for seat in range(3))
