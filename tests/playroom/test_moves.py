"""Legal moves by kind, and typed in short."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jerusalem_env.jerusalem.actions import ACTION_NAMES
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.playroom.moves import (
    NoSuchMoveError,
    find_move,
    legal_groups,
    moves_text,
    shortened,
)

GAME = JerusalemGame()


def mask_of(*names: str) -> np.ndarray:
    mask = np.zeros(GAME.num_actions, np.uint8)
    mask[[ACTION_NAMES.index(name) for name in names]] = 1
    return mask


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("place market.left", "place market.left"),
        ("PLACE  Market.Left", "place market.left"),
        ("pl ma.l", "place market.large"),
        ("pl mal", "place market.large"),
        ("pl male", "place market.left"),
        ("p m.le", "place market.left"),
        ("dt", "place davids_tower"),
        ("davids", "place davids_tower"),
        ("pl d", "place davids_tower"),
        ("h", "hire"),
        ("pass", "pass"),
        ("pa", "pass"),
        ("bid 5", "bid 5"),
        ("5", "bid 5"),
        ("b 50", "bid 50"),
        ("ta +2 d", "target +2 davids_tower"),
        ("ta 2 d", "target +2 davids_tower"),
        ("buy c", "buy card"),
        ("marshal s", "marshal silver"),
    ],
)
def test_find_move__understands_beginnings(typed: str, meant: str) -> None:
    names = [
        *("pass", "bid 5", "bid 50", "bid 51", "hire", "buy card", "buy prestige 1"),
        *("place davids_tower", "place market.left", "target +1 davids_tower"),
        *("target +2 davids_tower", "marshal move", "marshal silver"),
    ]
    names += ["place market.large"] if "large" in meant else []
    if typed in ("pl ma.l", "pl mal"):
        names.remove("place market.left")
    assert find_move(typed, names) == meant


@pytest.mark.parametrize("name", ACTION_NAMES)
def test_shortened__is_a_beginning_of_the_name(name: str) -> None:
    assert find_move(shortened(name), [name]) == name


def test_find_move__lists_what_it_could_be() -> None:
    names = ["place market.left", "place market.large", "baron market.left"]
    with pytest.raises(NoSuchMoveError, match=r"could be: place market\.left, place market\.large"):
        find_move("pl ma", names)
    with pytest.raises(NoSuchMoveError, match=r"could be: pass, place market\.left"):
        find_move("p", ["pass", *names])  # not the one that ends a turn
    with pytest.raises(NoSuchMoveError, match=r"could be: .*baron market\.left"):
        find_move("market", names)


def test_find_move__suggests_what_is_near() -> None:
    with pytest.raises(NoSuchMoveError, match=r"did you mean place market\.left\?"):
        find_move("plase market.left", ["place market.left", "pass"])
    with pytest.raises(NoSuchMoveError, match="`moves` lists what is"):
        find_move("zzz", ["place market.left", "pass"])
    for empty in ("", " ", ".", "_"):
        with pytest.raises(NoSuchMoveError):
            find_move(empty, ["pass"])


@given(st.lists(st.sampled_from(ACTION_NAMES), min_size=1, unique=True), st.data())
def test_find_move__a_whole_name_always_means_itself(names: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(names))
    assert find_move(name, names) == name


@given(st.text(max_size=20), st.lists(st.sampled_from(ACTION_NAMES), min_size=1, unique=True))
def test_find_move__finds_a_legal_move_or_says_no(typed: str, names: list[str]) -> None:
    with contextlib.suppress(NoSuchMoveError):
        assert find_move(typed, names) in names


def test_legal_groups__hold_every_legal_move_once() -> None:
    mask = np.random.default_rng(0).integers(0, 2, GAME.num_actions).astype(np.uint8)
    groups = legal_groups(GAME, mask)
    assert [a for group in groups for a in group.actions] == np.flatnonzero(mask).tolist()
    assert len({group.kind for group in groups}) == len(groups)


def test_moves_text__shortens_runs_and_wraps() -> None:
    bids = [f"bid {amount}" for amount in (0, 1, 2, 3, 7, 9, 10)]
    assert moves_text(GAME, mask_of("pass", *bids)).splitlines() == [
        "  pass      (pass, end the turn, decline, stop)",
        "  bid       0 to 3  7  9  10",
    ]
    places = [name for name in ACTION_NAMES if name.startswith("place ")]
    lines = moves_text(GAME, mask_of(*places), width=60).splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(lines).split() == ["place", *(name.split()[1] for name in places)]
