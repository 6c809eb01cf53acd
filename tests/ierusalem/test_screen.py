"""What a seat sees of Ierusalem (VII.g): views, what they hide, states drawn from them, turning."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from jerusalem_env.chance import sample_legal
from jerusalem_env.ierusalem.engine.layout import PHASE_OVER
from jerusalem_env.ierusalem.engine.state import RULE_FIELDS, STATE
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.rules.codes import STEP_RECEIVE, STEP_SETTLE
from tests.ierusalem.invariants import broken_invariants

MODES = ("screen", "recall")
STARTING = range(25)
BY_SEAT = (
    *("hand", "known_hands", "discards", "hand_counts", "deck", "deck_size", "shuffles"),
    *("column_size", "columns", "denarii", "points", "resources", "areas", "camp", "offerings"),
    *("blocked", "illumination", "favors", "favors_done", "symbols_held", "parables", "colours"),
    *("ranks", "fixed_colours", "column_facts", "cards_laid", "table_points"),
)
SEAT_NUMBERS = ("to_act", "turn", "start", "observer", "fixed_first")
HIDDEN = (
    *("key", "hand", "known_hands", "deck", "mahane", "mahane_tail", "xxxiii", "xxxiii_tail"),
    *("observer", "recall", "seat_shift"),
)


@cache
def game_of(players: int, information: str = "screen") -> IerusalemGame:
    mode: Any = information
    return IerusalemGame(players=players, information=mode, skip_forced=False)


@cache
def played(players: int, games: int = 16, every: int = 7) -> np.ndarray:
    """Positions of random games to their end, all from set-up to the last."""
    game = game_of(players)
    states = game.new_states(games)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.reset(states, np.arange(170, 170 + games, dtype=np.uint64), masks)
    rng = np.random.default_rng(players)
    kept, ply = [states.copy()], 0
    while not game.terminated(states).all():
        game.step(states, sample_legal(masks, rng), masks)
        ply += 1
        if ply % every == 0:
            kept.append(states.copy())
    return np.concatenate([*kept, states])


def masks_of(game: IerusalemGame, states: np.ndarray) -> np.ndarray:
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    return masks


def seen_by(game: IerusalemGame, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    out = np.zeros((len(states), game.observation_size), dtype=np.uint8)
    return game.observe(states, seats, out)


def kinds_of(mask: int) -> list[int]:
    return [kind for kind in range(55) if int(mask) >> kind & 1]


def mask_of(kinds: Any) -> int:
    return sum(1 << int(kind) for kind in kinds)


def assert_same(one: np.ndarray, other: np.ndarray, *apart: str) -> None:
    for name in STATE.names or ():
        if name not in apart:
            assert np.array_equal(one[name], other[name]), name


# --- views ----------------------------------------------------------------------------------
@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [3, 4])
def test_view__hides_what_is_hidden_and_nothing_else(players: int, information: str) -> None:
    game, states = game_of(players, information), played(players)
    for seat in range(players):
        views = game.views(states, np.full(len(states), seat))
        turned = game.turn_seats(states, seat)
        assert_same(views, turned, *HIDDEN)
        assert (views["key"] == 0).all()
        assert (views["seat_shift"] == 0).all()
        assert (views["deck"] == -1).all()
        assert (views["observer"] == 0).all()
        assert (views["recall"] == (information == "recall")).all()
        assert np.array_equal(views["hand"][:, 0], turned["hand"][:, 0])
        if information == "screen":
            for name in ("known_hands", "mahane_tail", "xxxiii_tail"):
                assert not views[name].any(), name
            assert not views["hand"][:, 1:].any()
            assert (views["mahane"] == -1).all()
            assert (views["xxxiii"] == -1).all()
            continue
        for name in ("known_hands", "mahane_tail", "xxxiii_tail"):
            assert np.array_equal(views[name], turned[name]), name
        assert np.array_equal(views["hand"][:, 1:], turned["known_hands"][:, 1:])
        for pile in ("mahane", "xxxiii"):
            place = np.arange(views[pile].shape[1])
            size, tail = (views[f"{pile}_{x}"][:, None].astype(int) for x in ("size", "tail"))
            known = (place >= size - tail) & (place < size)
            assert np.array_equal(views[pile], np.where(known, turned[pile], -1))


@pytest.mark.parametrize("players", [3, 4])
def test_recall__has_something_to_tell_in_random_games(players: int) -> None:
    views = game_of(players, "recall").views(played(players))
    for name in ("known_hands", "mahane_tail", "xxxiii_tail"):
        assert views[name].any(), name
    assert views["hand"][:, 1:].any()


def redistributed(state: np.void, me: int, recall: bool, rng: np.random.Generator) -> np.ndarray:
    """The state with all that seat ``me`` cannot know dealt out anew, in plain Python."""
    other = np.array([state])
    s = other[0]
    s["key"] = rng.integers(0, 2**63)
    n = int(s["players"])
    for seat in range(n):
        deck = [int(kind) for kind in s["deck"][seat][: s["deck_size"][seat]]]
        hand = kinds_of(s["hand"][seat])
        chosen = int(s["chosen_card"]) if seat == s["turn"] else -1
        if seat == me:
            s["deck"][seat][: len(deck)] = rng.permutation(deck)
            continue
        open_cards = [kind for kind in hand if kind == chosen]
        mine = [kind for kind in hand if kind in STARTING and kind != chosen]
        cards = rng.permutation(deck + mine)
        s["hand"][seat] = mask_of([*cards[: len(mine)], *open_cards])
        s["deck"][seat][: len(deck)] = cards[len(mine) :]
        s["hand"][seat] |= mask_of(kind for kind in hand if kind not in STARTING)
    for pile, kinds in (("mahane", range(25, 45)), ("xxxiii", range(45, 55))):
        size = int(s[f"{pile}_size"])
        above = size - (int(s[f"{pile}_tail"]) if recall else 0)
        places: list[tuple[int, int]] = []  # (seat, kind) of cards that may lie elsewhere
        for seat in set(range(n)) - {me}:
            for kind in kinds_of(s["hand"][seat]):
                known = recall and int(s["known_hands"][seat]) >> kind & 1
                is_chosen = seat == s["turn"] and kind == s["chosen_card"]
                if kind in kinds and not known and not is_chosen:
                    places.append((seat, kind))
        cards = rng.permutation([*(kind for _, kind in places), *s[pile][:above]]).astype(int)
        for seat, kind in places:
            s["hand"][seat] &= ~np.int64(1 << kind)
        for (seat, _), kind in zip(places, cards, strict=False):
            s["hand"][seat] |= np.int64(1 << int(kind))
        s[pile][:above] = cards[len(places) :]
    if not recall:
        s["known_hands"] = 0
        s["mahane_tail"] = rng.integers(0, s["mahane_size"] + 1)
        s["xxxiii_tail"] = rng.integers(0, s["xxxiii_size"] + 1)
    return other


@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [3, 4])
def test_hidden_things__change_nothing_that_is_seen(players: int, information: str) -> None:
    game, rng = game_of(players, information), np.random.default_rng(4)
    states = played(players)[::3]
    for me in range(players):
        others = np.concatenate(
            [redistributed(state, me, information == "recall", rng) for state in states]
        )
        assert (others["deck"] != states["deck"]).any()
        assert (others["mahane"] != states["mahane"]).any()
        seats = np.full(len(states), me)
        assert_same(game.views(others, seats), game.views(states, seats))
        assert np.array_equal(seen_by(game, others, seats), seen_by(game, states, seats))
        mine = states["to_act"] == me
        assert np.array_equal(masks_of(game, others)[mine], masks_of(game, states)[mine])


# --- redeal ---------------------------------------------------------------------------------
@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [3, 4])
def test_redeal__keeps_the_view(players: int, information: str) -> None:
    game, states = game_of(players, information), played(players)
    for seat in range(players):
        seats = np.full(len(states), seat)
        views = game.views(states, seats)
        dealt = game.redeal(views, np.random.default_rng(seat))
        zero = np.zeros(len(states), dtype=np.int64)
        assert_same(game.views(dealt, zero), views)
        assert (dealt["observer"] == -1).all()
        assert (dealt["recall"] == 0).all()
        for name in ("known_hands", "mahane_tail", "xxxiii_tail"):
            assert np.array_equal(dealt[name], views[name]), name
        assert np.array_equal(seen_by(game, dealt, zero), seen_by(game, states, seats))
        mine = states["to_act"] == seat
        assert np.array_equal(masks_of(game, dealt)[mine], masks_of(game, states)[mine])


@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [3, 4])
def test_redeal__deals_what_can_be(players: int, information: str) -> None:
    game, states = game_of(players, information), played(players)[::5]
    dealt = game.redeal(game.views(states), np.random.default_rng(2))
    assert len(set(dealt["key"].tolist())) == len(dealt)
    assert not set(dealt["key"].tolist()) & set(states["key"].tolist())
    for state in dealt:
        position = game.write_position(state)
        assert not list(broken_invariants(position)), position
        again = game.read_position(position)
        assert_same(again, np.array([state]), "decisions", "ranks", "fixed_first")
        for seat in range(players):
            kinds = kinds_of(state["hand"][seat])
            counts = [sum(low <= k < high for k in kinds) for low, high in ((0, 25), (25, 45))]
            assert [*counts, len(kinds) - sum(counts)] == state["hand_counts"][seat].tolist()


@pytest.mark.parametrize("information", MODES)
def test_redeal__every_unseen_card_is_as_likely(information: str) -> None:
    game, states = game_of(4, information), played(4)
    middle = [s for s in states if s["turns"] == 30 and s["hand_counts"][1, 1] and s["turn"] == 0]
    view = game.views(np.array(middle[:1]), np.zeros(1, dtype=np.int64))
    many = 4000
    dealt = game.redeal(np.repeat(view, many), np.random.default_rng(3))
    for seat in range(1, 4):
        known = int(view["known_hands"][0, seat])
        for back, (low, high) in enumerate(((0, 25), (25, 45), (45, 55))):
            held = np.array([(dealt["hand"][:, seat] >> k & 1).mean() for k in range(low, high)])
            free = [k for k in range(low, high) if 0 < held[k - low] < 1]
            in_known = sum(known >> k & 1 for k in range(low, high))
            size = int(view["hand_counts"][0, seat, back]) - in_known
            assert held.sum() == pytest.approx(size + in_known)
            for kind in free:
                share = size / len(free)
                spread = np.sqrt(share * (1 - share) / many)
                assert held[kind - low] == pytest.approx(share, abs=5 * spread), (seat, kind)
    tops = np.bincount(dealt["mahane"][:, 0], minlength=55)
    counts = tops[tops > 0]
    assert (abs(counts - counts.mean()) < 5 * np.sqrt(counts.mean())).all()


@pytest.mark.parametrize("information", MODES)
def test_redeal__plays_on_to_the_end(information: str) -> None:
    game, rng = game_of(3, information), np.random.default_rng(8)
    states = game.redeal(game.views(played(3)[::17]), rng)
    masks = masks_of(game, states)
    for _ in range(2000):
        if game.terminated(states).all():
            break
        assert game.step(states, sample_legal(masks, rng), masks) == -1
    assert game.terminated(states).all()
    for state in states:
        assert not list(broken_invariants(game.write_position(state)))


def test_redeal__follows_its_key_alone() -> None:
    game = game_of(4, "recall")
    views = game.views(played(4)[:200])
    first = game.redeal(views, np.random.default_rng(5))
    assert_same(game.redeal(views, np.random.default_rng(5)), first)
    other = game.redeal(views, np.random.default_rng(6))
    assert (other["mahane"] != first["mahane"]).any(axis=1).mean() > 0.9


# --- turning the table ----------------------------------------------------------------------
def turned_steps(steps: list[int], by: int, n: int) -> Iterator[int]:
    for step in steps:
        if STEP_SETTLE <= step < STEP_SETTLE + 4:
            yield STEP_SETTLE + (step - STEP_SETTLE - by) % n
        elif step >= STEP_RECEIVE:
            marker, seat = divmod(step - STEP_RECEIVE, 4)
            yield STEP_RECEIVE + 4 * marker + (seat - by) % n
        else:
            yield step


@pytest.mark.parametrize("players", [3, 4])
def test_turn_seats__moves_everything_of_a_seat_and_nothing_else(players: int) -> None:
    n, game, states = players, game_of(players), played(players).copy()
    rng = np.random.default_rng(9)
    states["fixed_first"] = rng.integers(-1, n, len(states))
    states["fixed_colours"][:, :n] = rng.integers(-1, 4, (len(states), n))
    states["observer"] = rng.integers(-1, n, len(states))
    for state in states[::11]:  # steps that no decision leaves pending
        seat, marker = rng.integers(n), rng.integers(8)
        state["steps"][:3] = [STEP_RECEIVE + 4 * marker + seat, STEP_SETTLE + seat, 41]
        state["num_steps"] = 3
    states["seat_shift"] = rng.integers(0, n, len(states))
    names = {*BY_SEAT, *SEAT_NUMBERS, "steps", "supper", "seat_shift"}
    for by in range(n):
        turned = game.turn_seats(states, by)
        for name in BY_SEAT:
            expected = states[name].copy()
            expected[:, :n] = np.roll(states[name][:, :n], -by, axis=1)
            assert np.array_equal(turned[name], expected), name
        for name in SEAT_NUMBERS:
            old = states[name]
            assert np.array_equal(turned[name], np.where(old < 0, old, (old - by) % n)), name
        assert np.array_equal(turned["seat_shift"], (states["seat_shift"] + by) % n)
        supper = states["supper"].copy()
        supper[:, :n] = np.roll(states["supper"][:, :n], -by, axis=1)
        assert np.array_equal(turned["supper"], supper)
        for old, new in zip(states, turned, strict=True):
            steps = old["steps"][: old["num_steps"]].tolist()
            assert new["steps"][: old["num_steps"]].tolist() == list(turned_steps(steps, by, n))
            assert not new["steps"][old["num_steps"] :].any()
        assert_same(turned, states, *names)
        assert_same(game.turn_seats(turned, n - by), states)


@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [3, 4])
def test_turn_seats__changes_nothing_a_seat_sees(players: int, information: str) -> None:
    game, states = game_of(players, information), played(players)
    for by in range(1, players):
        turned = game.turn_seats(states, by)
        for seat in range(players):
            before = np.full(len(states), seat)
            after = (before - by) % players
            assert np.array_equal(seen_by(game, turned, after), seen_by(game, states, before))
            assert_same(game.views(turned, after), game.views(states, before))


@pytest.mark.parametrize("players", [3, 4])
def test_turn_seats__every_field_is_accounted_for(players: int) -> None:
    """A new field of the record with a row for each seat must be turned with it."""
    rows = {
        name
        for name in STATE.names or ()
        if STATE[name].shape[:1] == (4,) and name not in RULE_FIELDS
    }
    assert rows == set(BY_SEAT) - {"fixed_colours"}
    assert (played(players)["phase"] == PHASE_OVER).any()
