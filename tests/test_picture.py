"""The board as a picture: kept pictures, hidden things, room for everything, eyes of all kinds."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jerusalem_env.drawing import (
    Circle,
    Drawing,
    Line,
    Polygon,
    Rect,
    Shape,
    Text,
    fit_text,
    text_width,
)
from jerusalem_env.jerusalem.engine.control import controller, privileged
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.render import palette
from jerusalem_env.jerusalem.render.board_layout import (
    HEIGHT,
    WIDTH,
    area_shape,
    area_shapes,
    areas_out_of_play,
    sector_box,
)
from jerusalem_env.jerusalem.render.seen import see
from jerusalem_env.jerusalem.render.tokens import seat_mark
from jerusalem_env.jerusalem.rules.board import AREA_SECTOR, DAVIDS_TOWER
from jerusalem_env.kernels import entry_kernel
from tests.looks import (
    APART,
    EYES,
    READABLE,
    check_looks,
    contrast,
    covers,
    inside,
    lab,
    linear,
    overlapping,
    texts_of,
)
from tests.reference_engine import build_position
from tests.scripted import Chance
from tests.snapshots import rewrite
from tests.snapshots.compare import difference, kept, path_of, small_png
from tests.snapshots.positions import SNAPSHOTS

SMALLEST_TEXT = 11
CROWDED_TEXT = 7  # where there is more than a picture is made for


# --- positions to draw ----------------------------------------------------------------------------
@cache
def played(players: int, information: str = "screen") -> tuple[JerusalemGame, list[np.ndarray]]:
    """A scripted game: a state array at each seventh decision, and the last one."""
    game = JerusalemGame(players=players, information=information, skip_forced=False)  # type: ignore[arg-type]
    states, masks = game.new_states(1), np.zeros((1, game.num_actions), dtype=np.uint8)
    game.reset(states, np.array([players], dtype=np.uint64), masks)
    chance, found = Chance(players), []
    for ply in itertools.count():
        over = bool(game.terminated(states)[0])
        if over or ply % 7 == 0:
            found.append(states.copy())
        if over:
            return game, found
        legal = [game.action_names[action] for action in np.flatnonzero(masks[0])]
        action = game.action_names.index(chance.choose(legal))
        assert game.step(states, np.array([action]), masks) == -1
    raise AssertionError


def drawings(players: int) -> Iterator[Drawing]:
    game, states = played(players)
    for index, state in enumerate(states):
        yield game.draw(state[0])
        yield game.draw(state[0], index % players)


# --- looks ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("players", [2, 3, 4])
def test_looks__every_text_has_its_place_and_can_be_read(players: int) -> None:
    found = list(drawings(players))
    assert len(found) > 30
    for drawing in found:
        assert (drawing.width, drawing.height) == (WIDTH, HEIGHT) == (1000, 750)
        check_looks(drawing, SMALLEST_TEXT)


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_looks__of_the_set_positions(name: str) -> None:
    check_looks(SNAPSHOTS[name].drawing(), CROWDED_TEXT if name == "full_table" else SMALLEST_TEXT)


AMOUNT = st.sampled_from([0, 1, 9, 30, 99, 127, 999])


@given(
    players=st.integers(2, 4),
    place=st.integers(0, 40),
    amounts=st.lists(AMOUNT, min_size=40, max_size=40),
    income=st.sampled_from([0, 1, 20, 1000]),
    copies=st.lists(st.integers(0, 4), min_size=14, max_size=14),
    look=st.sampled_from([None, 0, 1]),
)
def test_looks__however_much_there_is_it_has_room(
    players: int,
    place: int,
    amounts: list[int],
    income: int,
    copies: list[int],
    look: int | None,
) -> None:
    game, states = played(players)
    state = states[place % len(states)].copy()
    numbers = iter(itertools.cycle(amounts))
    for field in ("silver", "squires", "prestige", "floors"):
        state[field][0, :players] = [next(numbers) for _ in range(players)]
    for area in area_shapes(players):
        state["board"][0, :players, area] = [next(numbers) for _ in range(players)]
        if area != DAVIDS_TOWER:
            state["income"][0, area] = [income, next(numbers), income]
    state["round"] = state["rounds"] = 1  # incomes may be as high as this in a game of one round
    state["hand"][0, :players] = copies
    state["hand_size"][0, :players] = sum(copies)
    state["discards"][0] = copies[::-1]
    check_looks(game.draw(state[0], look), CROWDED_TEXT)


def test_layout__areas_lie_in_their_sectors_and_apart() -> None:
    shapes = area_shapes(4)
    assert list(shapes) == list(range(16))
    for area, shape in shapes.items():
        assert shape == area_shape(area)
        sector, box = sector_box(AREA_SECTOR[area]), shape.box
        edges = (sector.x, sector.y, sector.right, sector.bottom)
        assert inside((box.x, box.y, box.right, box.bottom), edges)
        assert covers(Polygon(shape.outline, fill="#000000"), *shape.centre)
        for x, y in (*shape.outline, *shape.inset(5)):
            assert box.x <= x <= box.right
            assert box.y <= y <= box.bottom
    boxes = [(s.box.x, s.box.y, s.box.right, s.box.bottom) for s in shapes.values()]
    assert overlapping(boxes) == []
    assert list(area_shapes(2)) == [0, 1, 2, 3, 4, 5, 9, 10, 11, 15]  # R2.4
    assert areas_out_of_play(2) == (6, 7, 8, 12, 13, 14)
    assert areas_out_of_play(3) == ()


# --- what is shown --------------------------------------------------------------------------------
def test_shows__who_controls_what_as_the_engine_says() -> None:
    @entry_kernel
    def leaders(states, out):  # type: ignore[no-untyped-def]
        for area in range(16):
            out[area] = controller(states[0], area)
        for sector in range(5):
            out[16 + sector] = privileged(states[0], sector)

    out, compared = np.zeros(21, dtype=np.int64), 0
    for players in (2, 3, 4):
        _, states = played(players)
        for state in states:
            if (state["office"][0, :players] < 0).any():
                continue  # ties are not decided yet
            leaders(state, out)
            for look in (None, 1):
                seen = see(state[0], look, recall=False)
                assert [seen.controller(area) for area in range(16)] == out[:16].tolist()
                assert [seen.privileged(sector) for sector in range(5)] == out[16:].tolist()
                compared += 1
    assert compared > 20


def test_shows__no_control_where_a_tie_waits_for_offices() -> None:
    fields: dict[str, Any] = {"phase": "open", "board": {"market.large": [2, 2, 0, 1]}}
    game = JerusalemGame()
    state = game.read_position(build_position(**fields))[0]
    assert see(state, None, False).controller(9) == -1
    fields["board"]["market.large"] = [2, 3, 0, 1]
    state = game.read_position(build_position(**fields))[0]
    assert see(state, None, False).controller(9) == 1


def test_shows__the_auction() -> None:
    texts = texts_of(SNAPSHOTS["auction_of_three"].drawing())
    assert "Marshal is on offer, high bid 4 by P1" in texts
    assert "High bid 4 by" in texts
    assert {"on offer", "still in", "passed"} <= set(texts)
    assert "1 Captain" not in texts  # R2.2


def test_shows__the_winner_and_the_ranking() -> None:
    texts = texts_of(SNAPSHOTS["end_of_two"].drawing())
    assert "wins the game" in texts
    assert "Game over. Ranking: P1 > P0" in texts
    assert {"1st, winner", "2nd", "1.", "2.", "7 floors", "4 prestige"} <= set(texts)
    assert texts.count("not in play with 2 players") == 2  # R2.4


def test_shows__which_incomes_are_reconstructed() -> None:
    marks = texts_of(SNAPSHOTS["turn_of_four"].drawing()).count("*")
    assert marks == 12  # all but the Market's; David's Tower has none
    assert "* income reconstructed, not from a rule text" in texts_of(
        SNAPSHOTS["turn_of_four"].drawing()
    )
    custom = texts_of(SNAPSHOTS["full_table"].drawing())
    assert "*" not in custom
    assert not any("reconstructed" in text for text in custom)


def test_backdrop__stays_the_same_through_a_game() -> None:
    for players in (2, 3, 4):
        game, states = played(players)
        backdrops = {tuple(game.draw(state[0]).backdrop) for state in states}
        assert len(backdrops) == 1


# --- hidden things --------------------------------------------------------------------------------
@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_hidden__the_picture_for_a_seat_stays_when_the_unseen_is_dealt_anew(
    players: int, information: str
) -> None:
    """P13."""
    game, states = played(players, information)
    chance, differ = np.random.default_rng(1), 0
    for state in states[::2]:
        for seat in range(players):
            views = game.views(state, np.array([seat]))
            other = game.turn_seats(game.redeal(views, chance), players - seat)
            picture = game.draw(state[0], seat)
            assert game.draw(other[0], seat).to_svg() == picture.to_svg()
            differ += game.draw(other[0]).to_svg() != game.draw(state[0]).to_svg()
    assert differ > 5
    assert game.draw(other[0], seat).to_png() == picture.to_png()


def test_hidden__what_is_behind_a_screen_is_not_in_the_picture() -> None:
    snapshot = SNAPSHOTS["auction_of_three"]
    mine = texts_of(snapshot.drawing())
    everything = texts_of(snapshot.game().draw(snapshot.state()))
    assert {"+2 silver", "Influence David's Tower"} <= set(mine)
    for hidden in ("+1 squire", "Defector", "Genoa", "Move 2"):
        assert hidden in everything
        assert hidden not in mine
    assert mine.count("silver, supply and cards hidden") == 2
    assert everything.count("silver, supply and cards hidden") == 0
    assert mine.count("face down") == 2
    assert everything.count("face down") == 0


def test_hidden__recall_keeps_count_of_silver_and_supplies() -> None:
    texts = texts_of(SNAPSHOTS["war_of_four"].drawing())
    assert texts.count("silver") == 5  # four panels and the legend
    assert {"1 card hidden", "3 cards hidden", "no cards"} <= set(texts)


def test_seats__keep_their_numbers_whoever_looks() -> None:
    game, states = played(4)
    for state in states[::4]:
        public = []
        for seat in (None, 0, 1, 2, 3):
            seen = see(state[0], seat, recall=False)
            public.append((seen.floors, seen.prestige, seen.board, seen.baron, seen.office))
            assert seen.to_act == game.to_act(state)[0]
        assert all(view == public[0] for view in public)
    with pytest.raises(ValueError, match=r"seat must be None or 0\.\.3, got 4"):
        game.draw(states[0][0], 4)


# --- kept pictures --------------------------------------------------------------------------------
@pytest.mark.parametrize("name", SNAPSHOTS)
def test_snapshot__is_as_it_was(name: str, tmp_path: Path) -> None:
    """A change that is meant: ``python -m tests.snapshots.rewrite``."""
    picture = SNAPSHOTS[name].drawing().to_rgb()
    found = difference(kept(name), picture)
    if not found.small:
        (tmp_path / f"{name}.png").write_bytes(small_png(picture))
    assert found.small, (
        f"{name}: {found}; the picture now: {tmp_path / name}.png. If the change is meant, run "
        f"`python -m tests.snapshots.rewrite {name}` and look at the result"
    )
    assert path_of(name).stat().st_size < 80_000


BOARD = SNAPSHOTS["turn_of_four"].fields["board"]
TURN = SNAPSHOTS["turn_of_four"].fields["turn"]
CHANGES: dict[str, dict[str, Any]] = {
    "one more squire": {"board": {**BOARD, "palace.large": [1, 4, 0, 2]}},
    "a thirteenth squire": {"board": {**BOARD, "nobility.large": [0, 0, 0, 13]}},
    "a first squire": {"board": {**BOARD, "nobility.left": [0, 0, 1, 0]}},
    "a squire in a small place": {"board": {**BOARD, "market.left": [3, 2, 1, 0]}},
    "another baron": {"barons": ["market.right", None, None, None]},
    "no baron": {"barons": [None] * 4},
    "a coin": {"silver": [7, 13, 0, 31]},
    "a point": {"prestige": [3, 0, 23, 8]},
    "a point beyond the track": {"prestige": [3, 0, 24, 7]},
    "a floor": {"floors": [2, 1, 4, 1]},
    "a squire in supply": {"squires": [2, 6, 0, 11]},
    "one more hired": {"turn": {**TURN, "hired": 3}},
    "one more arrival": {"turn": {**TURN, "arrivals": {"palace.large": 3, "davids_tower": 1}}},
    "another event": {"events": ["election", "war", "special_tax"]},
}


@pytest.mark.parametrize("change", CHANGES)
def test_snapshot__a_visible_change_is_noticed(change: str) -> None:
    drawing = SNAPSHOTS["turn_of_four"].drawing(**CHANGES[change])
    found = difference(kept("turn_of_four"), drawing.to_rgb())
    assert not found.small, str(found)


def test_snapshot__a_change_of_smoothing_is_not_one() -> None:
    picture = SNAPSHOTS["turn_of_four"].drawing().to_rgb().astype(int)
    noise = np.random.default_rng(0).integers(-6, 7, picture.shape)
    found = difference(kept("turn_of_four"), np.clip(picture + noise, 0, 255).astype(np.uint8))
    assert found.worst > 1
    assert found.small, str(found)


def test_snapshot__rewrite_knows_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert rewrite.main(["nonsense"]) == 2
    assert "turn_of_four" in capsys.readouterr().out


# --- eyes of all kinds ----------------------------------------------------------------------------
@pytest.mark.parametrize("eye", EYES)
def test_colours__of_seats_stay_apart(eye: str) -> None:
    seen = [lab(np.array(EYES[eye]) @ linear(look.colour)) for look in palette.SEATS]
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(one - other) > APART


def test_colours__text_on_a_seat_s_colour_is_readable() -> None:
    for look in palette.SEATS:
        assert contrast(look.colour, look.ink) >= READABLE
    for one, other in (("#000000", "#ffffff"), ("#ffffff", "#000000")):
        assert contrast(one, other) == pytest.approx(21)


def test_seats__are_told_by_shape_and_number_too() -> None:
    marks = [seat_mark(seat, 0, 0, 10) for seat in range(4)]
    corners = [len(m.points) if isinstance(m, Polygon) else type(m).__name__ for m in marks]
    assert corners == ["Circle", "Rect", 3, 4]
    assert len({look.shape for look in palette.SEATS}) == 4
    texts = texts_of(SNAPSHOTS["turn_of_four"].drawing())
    for seat in range(4):
        assert texts.count(f"P{seat}") >= 2  # panel and office


# --- formats --------------------------------------------------------------------------------------
def test_svg__is_one_document_or_parts_of_one() -> None:
    for snapshot in SNAPSHOTS.values():
        drawing = snapshot.drawing()
        whole = ElementTree.fromstring(drawing.to_svg())
        name = "{http://www.w3.org/2000/svg}"
        assert whole.tag == f"{name}svg"
        assert whole.attrib["viewBox"] == "0 0 1000 750"
        assert [child.tag.removeprefix(name) for child in whole] == ["title", "desc", "g", "g"]
        assert "".join(drawing.to_svg(part) for part in ("backdrop", "shapes")) in drawing.to_svg()  # type: ignore[arg-type]
        for part, shapes in (("backdrop", drawing.backdrop), ("shapes", drawing.shapes)):
            group = ElementTree.fromstring(drawing.to_svg(part))  # type: ignore[arg-type]
            assert group.tag == "g"
            assert len(group) == len(shapes) + (part == "backdrop")
    with pytest.raises(ValueError, match="part must be"):
        drawing.to_svg("front")  # type: ignore[arg-type]


def test_svg__escapes_what_it_is_given() -> None:
    nasty = "<&>\"' ]]> \x00\x1b é…"
    drawing = Drawing(9, 9, [], [Text(0, 9, nasty, 9, "#000000")], nasty, nasty)
    root = ElementTree.fromstring(drawing.to_svg())
    shown = "<&>\"' ]]>  é…"
    assert [e.text for e in root.iter() if e.tag.endswith(("title", "desc", "text"))] == [shown] * 3


def test_rgb__is_fresh_and_the_same_every_time() -> None:
    drawing = SNAPSHOTS["end_of_two"].drawing()
    one = drawing.to_rgb()
    assert (one.shape, one.dtype) == ((750, 1000, 3), np.uint8)
    kept_one = one.copy()
    one[:] = 0  # the caller's own, not the cached backdrop
    assert np.array_equal(drawing.to_rgb(), kept_one)
    assert drawing.to_rgb(0.5).shape == (375, 500, 3)
    assert drawing.to_rgb(2).shape == (1500, 2000, 3)
    assert drawing.to_png().startswith(b"\x89PNG")
    for scale in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="scale must be positive"):
            drawing.to_rgb(scale)


def test_rgb__svg_and_pixels_agree_on_shapes() -> None:
    shapes: list[Shape] = [
        Rect(10, 10, 30, 20, fill="#ff0000"),
        Circle(70, 20, 10, fill="#00ff00"),
        Polygon(((10, 50), (40, 50), (40, 80), (10, 80)), fill="#0000ff", stroke="#000000"),
        Line(50, 90, 90, 90, "#123456", 4),
    ]
    picture = Drawing(100, 100, [Rect(0, 0, 5, 100, fill="#ffff00")], shapes).to_rgb()
    for (x, y), colour in {
        (25, 20): (255, 0, 0),
        (70, 20): (0, 255, 0),
        (25, 65): (0, 0, 255),
        (70, 90): (0x12, 0x34, 0x56),
        (2, 50): (255, 255, 0),
        (95, 50): (255, 255, 255),
    }.items():
        assert tuple(picture[y, x]) == colour
    reds = (picture == (255, 0, 0)).all(axis=2)
    assert reds.sum() == 600
    assert reds[10:30, 10:40].all()


def test_text__widths_are_those_of_the_built_in_font() -> None:
    from PIL import ImageFont

    font = ImageFont.load_default(1000).font_variant(layout_engine=ImageFont.Layout.BASIC)
    for letter in map(chr, range(32, 127)):
        assert text_width(letter, 1000) == pytest.approx(font.getlength(letter), abs=1)
    assert text_width("Palace", 12, bold=True) > text_width("Palace", 12)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60), st.booleans())
def test_text__is_made_to_fit(text: str, bold: bool) -> None:
    for room in (20, 80, 300):
        fitted, size = fit_text(text, 16, room, least=11, bold=bold)
        assert text_width(fitted, size, bold) <= room
        assert 11 <= size <= 16
        assert fitted in (text, fitted[:-1] + "…")


def test_headless__needs_neither_display_nor_more_than_pillow(tmp_path: Path) -> None:
    """P23."""
    code = (
        "import sys, jerusalem_env.jerusalem_v0 as v0\n"
        "assert 'PIL' not in sys.modules\n"
        "env = v0.raw_env(render_mode='rgb_array')\n"
        "env.reset(seed=1)\n"
        "assert 'PIL' not in sys.modules\n"
        "print(env.render().shape, 'PIL' in sys.modules, 'pygame' in sys.modules)\n"
    )
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    environment = {key: value for key, value in os.environ.items() if key not in hidden}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(__file__).resolve().parents[1],
        check=False,
    )
    assert done.stdout.strip() == "(750, 1000, 3) True False", done.stderr


def test_pillow__is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = SNAPSHOTS["end_of_two"].drawing()
    assert drawing.to_svg()
    monkeypatch.setitem(sys.modules, "PIL", None)
    fresh = Drawing(7, 7, [], [])
    with pytest.raises(ImportError, match=r"pip install 'jerusalem-env\[render\]'"):
        fresh.to_rgb()
    with pytest.raises(ImportError, match=r"pip install 'jerusalem-env\[render\]'"):
        fresh.to_png()
