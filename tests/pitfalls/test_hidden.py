"""Pitfalls P13, P15: hidden information, perspective."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from jerusalem_env import jerusalem_v0
from jerusalem_env.chance import sample_legal
from jerusalem_env.game import Information
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.pitfalls.equipment import (
    INFORMATION,
    PLAYERS,
    REWARDS,
    fields_of,
    is_over,
    random_action,
)


# --- P13: hidden information ----------------------------------------------------------------------
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__a_redeal_changes_nothing_that_a_seat_sees(
    players: int, information: Information
) -> None:
    """P13: at every ply and for every seat, observation and mask are bit-identical."""
    game = JerusalemGame(players, information=information, skip_forced=False)
    states = game.new_states(4)
    masks = np.zeros((4, game.num_actions), np.uint8)
    again = np.zeros_like(masks)
    game.reset(states, game.derive_seeds(0, 4, 0), masks)
    rng = np.random.default_rng(0)
    changed = {"hand": 0, "pile": 0, "events": 0, "silver": 0, "squires": 0}
    zero = np.zeros(4, np.int64)
    while not game.terminated(states).all():
        for seat in range(players):
            seats = np.full(4, seat)
            others = game.redeal(game.views(states, seats), rng)
            seen = game.observe(states, seats)
            assert seen.tobytes() == game.observe(others, zero).tobytes()
            game.legal(others, again)
            acts = game.to_act(states) == seat
            assert np.array_equal(game.to_act(others) == 0, acts)
            assert np.array_equal(again[acts], masks[acts])
            real = game.turn_seats(states, seat)
            for name in changed:
                changed[name] += int((others[name] != real[name]).any())
        game.step(states, np.maximum(sample_legal(masks, rng), 0), masks)
    wanted = set(changed) if information == "screen" else {"hand", "pile", "events"}
    assert {name for name, times in changed.items() if times} == wanted


SEARCH = pytest.param("mcts:16", marks=pytest.mark.slow)


@pytest.mark.parametrize("name", ["random", "greedy", "hoarder", SEARCH])
@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__a_redeal_changes_no_bots_choice(name: str, information: Information) -> None:
    """P13: a bot with the same randomness chooses the same, whatever it does not see."""
    from agents.registry import make_agent

    game = JerusalemGame(3, information=information)
    bot, other_bot = make_agent(name, game), make_agent(name, game)
    bot.reset(1)
    other_bot.reset(1)
    states = game.new_states(8)
    masks = np.zeros((8, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(2, 8, 0), masks)
    rng = np.random.default_rng(2)
    chosen: set[int] = set()
    while not game.terminated(states).any():
        views = game.views(states)
        others = game.redeal(views, rng)
        other_masks = np.zeros_like(masks)
        game.legal(others, other_masks)
        actions = bot.act(views, masks)
        again = other_bot.act(game.views(others), other_masks)
        np.testing.assert_array_equal(actions, again)
        chosen.update(actions.tolist())
        assert game.step(states, actions, masks) == -1
    assert len(chosen) > 20


def swapped(position: dict[str, Any], seat: int, information: Information) -> dict[str, Any]:
    """The position with everything turned round that the seat may not see."""
    other = copy.deepcopy(position)
    n = len(other["hands"])
    opponents = [one for one in range(n) if one != seat]
    drafting = position["phase"] == "draft" and position["to_act"] == seat
    unseen = other["pile"] + [card for one in opponents for card in other["hands"][one]]
    unseen += [] if drafting else other["draft_pool"]
    unseen = unseen[::-1]
    for one in opponents:
        size = len(other["hands"][one])
        other["hands"][one], unseen = sorted(unseen[:size]), unseen[size:]
    if not drafting:
        size = len(other["draft_pool"])
        other["draft_pool"], unseen = sorted(unseen[:size]), unseen[size:]
    other["pile"] = unseen
    face_up = max(0, other["round"] - 1)  # the event of round 2 is the first
    other["events"] = other["events"][:face_up] + other["events"][face_up:][::-1]
    if information == "screen":
        for one in opponents:
            other["silver"][one] += 3
            if other["phase"] not in ("open", "bid", "draft"):
                other["squires"][one] += 2
    return other


@pytest.mark.parametrize("players", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 4))])
@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__swapping_it_in_a_position_changes_nothing_that_a_seat_sees(
    players: int, information: Information
) -> None:
    """P13: the same through ``position`` and ``set_position``, without ``redeal``."""
    env = jerusalem_v0.raw_env(players, information=information, skip_forced=False)
    one, other = (jerusalem_v0.raw_env(players, information=information) for _ in range(2))
    rng = np.random.default_rng(players)
    for seed in range(2):
        env.reset(seed=seed)
        differed = 0
        while not is_over(env):
            position = env.position()
            for seat, agent in enumerate(env.possible_agents):
                changed = swapped(position, seat, information)
                one.set_position(position)
                other.set_position(changed)
                before, after = one.observe(agent), other.observe(agent)
                for key in before:
                    assert before[key].tobytes() == after[key].tobytes(), (key, agent, position)
                differed += one.state().tobytes() != other.state().tobytes()
            env.step(random_action(env, rng))
        assert differed > 100, "the swap changed next to nothing"


@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__screen_hides_more_than_recall(information: Information) -> None:
    """P13: silver that opponents gained shows in an observation with perfect memory only."""
    env = jerusalem_v0.raw_env(players=3, information=information, skip_forced=False)
    env.reset(seed=0)
    before = env.observe("player_0")["observation"]
    position = env.position()
    position["silver"][1] += 5
    env.set_position(position)
    same = np.array_equal(env.observe("player_0")["observation"], before)
    assert same == (information == "screen")


# --- P15: perspective -----------------------------------------------------------------------------
KINDS: list[Any] = [  # each has kernels of its own; some are left to the whole suite
    *((JerusalemGame, players, "screen") for players in PLAYERS),
    (JerusalemGame, 4, "recall"),
    (IerusalemGame, 4, "screen"),
    *(
        pytest.param(kind, players, "recall", marks=pytest.mark.slow)
        for kind, players in ((JerusalemGame, 2), (JerusalemGame, 3), (IerusalemGame, 3))
    ),
]


@pytest.mark.parametrize(("kind", "players", "information"), KINDS)
@pytest.mark.parametrize("reward", REWARDS)
def test_turned_table__looks_the_same_and_pays_turned(
    kind: Any, players: int, information: Information, reward: str
) -> None:
    """P15: the same actions at a turned table give each player the same sights and returns."""
    game = kind(players, information=information, reward=reward)
    for by in range(1, players):
        states = game.new_states(6)
        masks = np.zeros((6, game.num_actions), np.uint8)
        game.reset(states, game.derive_seeds(by, 6, 0), masks)
        turned, turned_masks = game.turn_seats(states, by), masks.copy()
        rng = np.random.default_rng(by)
        while not game.terminated(states).all():
            for seat in range(players):
                there = np.full(6, (seat - by) % players)
                here = game.observe(states, np.full(6, seat))
                assert here.tobytes() == game.observe(turned, there).tobytes()
            assert np.array_equal(masks, turned_masks)
            assert fields_of(game.turn_seats(states, by)) == fields_of(turned)
            running = game.to_act(states) >= 0
            expected = (game.to_act(states) - by) % players
            assert np.array_equal(game.to_act(turned)[running], expected[running])
            actions = np.maximum(sample_legal(masks, rng), 0)
            assert game.step(states, actions, masks) == -1
            assert game.step(turned, actions, turned_masks) == -1
        assert fields_of(game.turn_seats(states, by)) == fields_of(turned)
        paid = game.utilities(states)
        np.testing.assert_array_equal(game.utilities(turned), np.roll(paid, -by, axis=1))
        assert not np.array_equal(paid, np.roll(paid, -by, axis=1))
