"""Render modes: the board as text, for everybody and for one seat; as pixels; in a window."""

from __future__ import annotations

import copy
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from jerusalem_env import RuleSet, jerusalem_v0
from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.envs.solo import SoloEnv
from jerusalem_env.envs.window import Window
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.reference_engine import (
    AREAS,
    CARDS,
    OFFICES,
    Position,
    build_position,
    income_of,
)
from tests.scripted import Player, is_done
from training.toys import KuhnGame

NOTE = "reconstructed"


def counted(cards: list[str]) -> str:
    """Cards in the order of the rules, such as `squire x2, genoa`."""
    kinds = [(card, cards.count(card)) for card in CARDS if card in cards]
    return ", ".join(card if count == 1 else f"{card} x{count}" for card, count in kinds)


def player_rows(text: str) -> dict[int, list[str]]:
    """By seat the columns office, floors, prestige, silver, supply, baron, cards."""
    rows: dict[int, list[str]] = {}
    for line in text.splitlines():
        found = re.match(r"[> ] P(\d) +(\S+) +(\S+) +(\S+) +(\S+) +(\S+) +(\S+) +(.*)", line)
        if found:
            rows[int(found[1])] = list(found.groups()[1:])
    return rows


def area_rows(text: str, n: int) -> dict[str, tuple[list[int], str, str]]:
    """By area: squires by seat, the baron's owner or nothing, what it pays."""
    rows = {}
    for line in text.splitlines():
        name, *columns = line.split() or [""]
        if name in AREAS:
            counts = [0 if column == "." else int(column) for column in columns[:n]]
            rest = columns[n:]
            baron = rest.pop(0) if rest and rest[0].startswith("P") else ""
            rows[name] = (counts, baron, " ".join(rest))
    return rows


def check_text(text: str, p: Position) -> None:
    """Everything a person needs is in the text."""
    n = p["ruleset"]["players"]
    head = text.splitlines()[0]
    assert f"Round {p['round']} of {p['ruleset']['rounds']}" in head
    number, rounds = p["round"], p["ruleset"]["rounds"]
    event = p["events"][number - 2] if 2 <= number <= 4 and number < rounds else "none"
    assert f"event: {event}" in head
    if p["phase"] == "over":
        assert f"P{p['winner']} wins" in head
        assert " > ".join(f"P{seat}" for seat in p["ranking"]) in head
    else:
        assert f"P{p['to_act']} " in head
        assert f"[{p['phase']}]" in head
    if p["auction"]["bid"] is not None:
        assert f"high bid {p['auction']['bid']} by P{p['auction']['bidder']}" in head
    if p["auction"]["office"]:
        assert p["auction"]["office"] in head
    if p["pending"].get("source"):
        assert f"{p['pending']['source']}, {p['pending']['left']} to go" in head
    if p["pending"].get("from"):
        assert f"from {p['pending']['from']}" in head

    acting = [line[3] for line in text.splitlines() if line.startswith("> P")]
    assert acting == ([] if p["to_act"] is None else [str(p["to_act"])])
    assert player_rows(text) == {
        seat: [
            p["offices"][seat] or "-",
            *(str(p[key][seat]) for key in ("floors", "prestige", "silver", "squires")),
            p["barons"][seat] or "-",
            counted(p["hands"][seat]) or "-",
        ]
        for seat in range(n)
    }

    rows = area_rows(text, n)
    assert list(rows) == list(p["board"])
    for area, (counts, baron, pays) in rows.items():
        assert counts == p["board"][area]
        owner = p["barons"].index(area) if area in p["barons"] else None
        assert baron == ("" if owner is None else f"P{owner}")
        income = " ".join(map(str, income_of(p["ruleset"], area)))
        preset = isinstance(p["ruleset"]["income"], str)
        star = "*" if preset and not area.startswith("market") else ""
        assert pays == ("1 silver in step 1" if area == "davids_tower" else income + star)
    assert f"pile {len(p['pile'])} " in text
    assert f"played: {counted(p['discards']) or 'none'}" in text
    if p["draft_pool"]:
        assert f"pool: {counted(p['draft_pool'])} " in text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ansi__shows_the_whole_position(players: int) -> None:
    for seed, rules in enumerate((RuleSet(players=players), RuleSet(players=players, rounds=3))):
        env = jerusalem_v0.raw_env(rules=rules, render_mode="ansi", skip_forced=False)
        env.reset(seed=seed)
        player, ply = Player(seed), 0
        while True:
            if ply % 3 == 0 or is_done(env):
                text = env.render()
                assert isinstance(text, str)
                check_text(text, env.position())
            if is_done(env):
                break
            env.step(player(env))
            ply += 1
        assert ply > 50


def test_ansi__changes_nothing() -> None:
    env = jerusalem_v0.raw_env(render_mode="ansi")
    env.reset(seed=3)
    before = env.states.tobytes()
    assert env.render() == env.render()
    assert env.states.tobytes() == before
    assert "ansi" in env.metadata["render_modes"]


def test_ansi__the_wrapped_environment_renders_too() -> None:
    env, raw = jerusalem_v0.env(render_mode="ansi"), jerusalem_v0.raw_env(render_mode="ansi")
    env.reset(seed=3)
    raw.reset(seed=3)
    assert env.render() == raw.render()


def test_ansi__says_that_incomes_are_reconstructed() -> None:
    for income in ("ludorium", "six_icons", "equal_value"):
        env = jerusalem_v0.raw_env(rules=RuleSet(income=income), render_mode="ansi")
        env.reset(seed=0)
        text = env.render()
        assert text is not None
        assert "* reconstructed income" in text
        assert "only the Market's are given by the rule texts" in text
    table = tuple((1, 1, 0) if area < 15 else (0, 0, 0) for area in range(16))
    env = jerusalem_v0.raw_env(rules=RuleSet(income=table), render_mode="ansi")
    env.reset(seed=0)
    text = env.render()
    assert text is not None
    assert NOTE not in text


def state_of(game: JerusalemGame, position: Position) -> np.void:
    record: np.void = game.read_position(position)[0]
    return record


HANDS = [["genoa", "squire"], ["defector", "move_2"], ["silver_2"], ["prestige_2"] * 2]


@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("seat", range(4))
def test_text__for_a_seat_hides_what_it_may_not_see(seat: int, information: Any) -> None:
    game = JerusalemGame(information=information)
    position = build_position(
        hands=[sorted(hand) for hand in HANDS],
        silver=[101, 102, 103, 104],
        squires=[201, 202, 203, 204],
        prestige=[31, 32, 33, 34],
        floors=[3, 4, 5, 6],
        offices=list(OFFICES[::-1]),
        board={"market.large": [1, 2, 3, 4], "davids_tower": [4, 0, 2, 0]},
        to_act=3,
    )
    rows = player_rows(game.render_text(state_of(game, position), seat))
    for other in range(4):
        office, floors, prestige, silver, supply, baron, cards = rows[other]
        assert (office, baron) == (OFFICES[::-1][other], "-")
        assert (floors, prestige) == (str(3 + other), str(31 + other))
        known = information == "recall" or other == seat
        assert (silver, supply) == ((str(101 + other), str(201 + other)) if known else ("?", "?"))
        expected = counted(HANDS[other]) if other == seat else f"{len(HANDS[other])} hidden"
        assert cards == expected
    text = game.render_text(state_of(game, position), seat)
    assert area_rows(text, 4)["market.large"][:2] == ([1, 2, 3, 4], "")
    assert area_rows(text, 4)["davids_tower"][0] == [4, 0, 2, 0]
    assert "P3 is in turn" in text


def test_text__for_a_seat_hides_the_pool_from_all_but_the_drafter() -> None:
    game = JerusalemGame()
    pool = ["defector", "genoa", "move_2", "squire"]
    drafting = state_of(game, build_position(phase="draft", draft_pool=pool))
    for seat in range(4):
        text = game.render_text(drafting, seat)
        assert (f"pool: {counted(pool)} " in text) == (seat == 0)
        assert ("pool: 4 face down" in text) == (seat != 0)
    auction = state_of(game, build_position(phase="open", draft_pool=pool))
    for seat in range(4):
        assert "pool: 4 face down" in game.render_text(auction, seat)
    assert f"pool: {counted(pool)} " in game.render_text(auction)


@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_text__for_a_seat_stays_the_same_when_the_unseen_is_dealt_anew(
    players: int, information: Any
) -> None:
    game = JerusalemGame(players=players, information=information)
    env = jerusalem_v0.raw_env(players=players, information=information)
    env.reset(seed=players)
    player, chance, differ = Player(players), np.random.default_rng(1), 0
    while not is_done(env):
        for seat in range(players):
            views = game.views(env.states, np.array([seat]))
            others = game.turn_seats(game.redeal(views, chance), players - seat)
            text = game.render_text(env.states[0], seat)
            assert game.render_text(others[0], seat) == text
            differ += game.render_text(others[0]) != game.render_text(env.states[0])
        env.step(player(env))
    assert differ > 20


def test_text__for_a_seat_tells_the_ranking_by_true_seats() -> None:
    game = JerusalemGame(players=3)
    position = build_position({"players": 3}, phase="over", floors=[2, 1, 3])
    for seat in (None, 0, 1, 2):
        text = game.render_text(state_of(game, position), seat)
        assert "P2 wins (P2 > P0 > P1)" in text


# --- modes ----------------------------------------------------------------------------------------
MODES = ["ansi", "rgb_array", "human"]
MAKERS: tuple[Callable[..., Any], ...] = (jerusalem_v0.raw_env, jerusalem_v0.env)


@pytest.fixture
def no_display_needed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """SDL's dummy driver, and no waiting between frames."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for module in ("aec", "solo"):
        monkeypatch.setattr(f"jerusalem_env.envs.{module}.RENDER_FPS", 0)
    yield
    if Window._showing is not None:
        Window._showing.close()


def screen_of(env: Any) -> np.ndarray:
    """What pygame's window shows."""
    import pygame

    surface = pygame.display.get_surface()
    assert surface is not None
    return np.swapaxes(pygame.surfarray.array3d(surface), 0, 1)


def picture_of(env: Any, seat: int | None = None) -> np.ndarray:
    return JerusalemGame(players=env.game.players).draw(env.states[0], seat).to_rgb()


def any_legal(env: Any) -> int:
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])


@pytest.mark.parametrize("make", MAKERS)
def test_modes__pass_pettingzoo_s_test_without_warnings(
    make: Callable[..., Any], no_display_needed: None
) -> None:
    """P6, P23."""
    from pettingzoo.test import render_test

    assert make().metadata["render_modes"] == MODES
    assert isinstance(make().metadata["render_fps"], int)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        render_test(lambda render_mode: make(players=3, render_mode=render_mode))


def test_modes__without_one_render_warns() -> None:
    env = jerusalem_v0.raw_env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="pass 'ansi' or 'rgb_array' or 'human'"):
        assert env.render() is None


@pytest.mark.parametrize("mode", ["rgb_array", "human"])
def test_modes__games_without_pictures_refuse_them(mode: str) -> None:
    assert GameAECEnv(KuhnGame()).metadata["render_modes"] == ["ansi"]
    for make in (GameAECEnv, SoloEnv):
        with pytest.raises(ValueError, match=r"unknown render_mode.*ansi .*has no pictures"):
            make(KuhnGame(), render_mode=mode)


def test_rgb__shows_everything_in_fresh_arrays() -> None:
    env = jerusalem_v0.raw_env(players=3, render_mode="rgb_array")
    env.reset(seed=4)
    before = env.states.tobytes()
    first = env.render()
    assert isinstance(first, np.ndarray)
    assert (first.shape, first.dtype) == ((750, 1000, 3), np.uint8)
    assert np.array_equal(first, picture_of(env))
    assert env.states.tobytes() == before
    stored = first.copy()
    for _ in range(5):
        env.step(any_legal(env))
    later = env.render()
    assert np.array_equal(first, stored)  # P19
    assert not np.array_equal(first, later)
    wrapped = jerusalem_v0.env(players=3, render_mode="rgb_array")
    wrapped.reset(seed=4)
    assert np.array_equal(wrapped.render(), stored)


def test_rgb__of_one_seat_shows_what_it_sees() -> None:
    env = gymnasium.make("Jerusalem-v0", players=3, render_mode="rgb_array")
    env.reset(seed=4)
    solo: Any = env.unwrapped
    assert solo.metadata["render_modes"] == MODES
    picture: Any = env.render()
    states, seat = solo._tables.states, int(solo._tables.seats[0])
    assert np.array_equal(picture, solo.game.draw(states[0], seat).to_rgb())
    assert not np.array_equal(picture, solo.game.draw(states[0]).to_rgb())


# --- the window -----------------------------------------------------------------------------------
def test_human__shows_every_reset_step_and_position(no_display_needed: None) -> None:
    env = jerusalem_v0.raw_env(players=2, render_mode="human")
    assert Window._showing is None  # not before there is something to show
    env.reset(seed=1)
    start = env.position()
    shown = [screen_of(env)]
    assert np.array_equal(shown[0], picture_of(env))
    for _ in range(3):
        env.step(any_legal(env))
        shown.append(screen_of(env))
        assert np.array_equal(shown[-1], picture_of(env))
    assert not np.array_equal(shown[0], shown[-1])
    assert env.render() is None
    env.set_position(start)
    assert np.array_equal(screen_of(env), shown[0])
    env.close()
    assert Window._showing is None
    env.close()
    env.step(any_legal(env))  # a closed window does not come back by itself
    assert Window._showing is None
    env.render()
    assert Window._showing is not None
    env.close()


def test_human__a_window_that_the_user_closes_stays_closed_until_reset(
    no_display_needed: None,
) -> None:
    import pygame

    env = jerusalem_v0.raw_env(players=2, render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(any_legal(env))
    assert Window._showing is None
    env.step(any_legal(env))
    assert env.render() is None
    assert Window._showing is None
    env.reset()
    assert np.array_equal(screen_of(env), picture_of(env))
    env.close()


def test_human__of_one_seat_shows_what_it_sees(no_display_needed: None) -> None:
    env = jerusalem_v0.solo_env(players=3, render_mode="human")
    env.reset(seed=2)
    for _ in range(4):
        states, seat = env._tables.states, int(env._tables.seats[0])
        assert np.array_equal(screen_of(env), env.game.draw(states[0], seat).to_rgb())
        _, _, terminated, _, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
        assert not terminated
    assert env.render() is None
    copied = copy.deepcopy(env)
    copied.step(int(np.flatnonzero(copied.action_masks())[0]))
    states, seat = env._tables.states, int(env._tables.seats[0])
    assert np.array_equal(screen_of(env), env.game.draw(states[0], seat).to_rgb())
    env.close()
    assert Window._showing is None


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_human__copies_play_on_without_the_window(
    make: Callable[..., Any], copied: Callable[[Any], Any], no_display_needed: None
) -> None:
    """P10: a copy that looks ahead neither shows nor shuts anything."""
    env = make(players=2, render_mode="human")
    env.reset(seed=3)
    for _ in range(6):
        before = screen_of(env)
        ahead = copied(env)
        assert np.array_equal(ahead.unwrapped.states, env.unwrapped.states)
        ahead.step(any_legal(ahead))
        ahead.close()
        assert np.array_equal(screen_of(env), before)
        env.step(any_legal(env))
        assert np.array_equal(env.unwrapped.states, ahead.unwrapped.states)
        assert np.array_equal(screen_of(env), picture_of(env.unwrapped))
    ahead.reset(seed=5)
    assert np.array_equal(screen_of(ahead), picture_of(ahead.unwrapped))
    env.step(any_legal(env))  # two that show take turns in pygame's one window
    assert np.array_equal(screen_of(env), picture_of(env.unwrapped))
    ahead.close()
    assert np.array_equal(screen_of(env), picture_of(env.unwrapped))
    env.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a display")
def test_human__says_that_there_is_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    env = jerusalem_v0.raw_env(render_mode="human")
    with pytest.raises(RuntimeError, match=r"needs a display.*rgb_array.*SDL_VIDEODRIVER=dummy"):
        env.reset(seed=0)
    assert Window._showing is None


def test_human__says_that_pygame_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    env = jerusalem_v0.raw_env(render_mode="human")
    with pytest.raises(ImportError, match=r"pip install 'jerusalem-env\[render\]'"):
        env.reset(seed=0)
