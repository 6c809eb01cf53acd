"""Hidden information and perspective: P13, P15 of the design."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet, jerusalem_v0
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.screen import Information
from tests.scripted import Player, is_done

PLAYERS = [2, 3, 4]
MODES: list[Information] = ["screen", "recall"]
EVERYTHING = ("silver", "squires", "hands", "pile", "draft_pool", "events")


def masks_of(game: JerusalemGame, states: np.ndarray) -> np.ndarray:
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    return masks


# --- P13: hidden information --------------------------------------------------------------------
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", MODES)
def test_p13__a_redeal_leaves_observation_and_mask_bit_identical(
    players: int, information: Information
) -> None:
    env = jerusalem_v0.raw_env(players, information=information, skip_forced=False)
    env.reset(seed=10 + players)
    game, choose, rng = env.game, Player(players), np.random.default_rng(0)
    differing: dict[str, int] = dict.fromkeys(EVERYTHING, 0)
    while not is_done(env):
        for seat in range(players):
            observation = env.observe(f"player_{seat}")
            view = game.views(env.states, np.array([seat]))
            others = game.redeal(np.repeat(view, 3), rng)
            seen = game.observe(others, np.zeros(3, dtype=np.int64))
            assert (seen == observation["observation"]).all()
            if env.agent_selection == f"player_{seat}":
                assert (masks_of(game, others) == observation["action_mask"]).all()
            real = game.write_position(game.turn_seats(env.states, seat)[0])
            for other in others:
                position = game.write_position(other)
                game.read_position(position)  # a redeal is a position that could be written
                for key in EVERYTHING:
                    differing[key] += position[key] != real[key]
        env.step(choose(env))
    hidden = set(EVERYTHING) - ({"silver", "squires"} if information == "recall" else set())
    for key, count in differing.items():
        assert (count > 0) == (key in hidden), f"{key} was redealt {count} times"


def swap_hidden(position: dict[str, Any], seat: int, recall: bool) -> dict[str, Any]:
    """The position with everything changed that a seat does not see, and nothing else."""
    swapped = copy.deepcopy(position)
    n = position["ruleset"]["players"]
    drafts = position["phase"] == "draft" and position["to_act"] == seat
    others = [other for other in range(n) if other != seat]
    unseen = list(position["pile"])
    for other in others:
        unseen += position["hands"][other]
    if not drafts:
        unseen += position["draft_pool"]
    unseen = unseen[1:][::-1] + unseen[:1]
    swapped["pile"] = [unseen.pop() for _ in position["pile"]]
    for other in others:
        swapped["hands"][other] = sorted(unseen.pop() for _ in position["hands"][other])
    if not drafts:
        swapped["draft_pool"] = sorted(unseen.pop() for _ in position["draft_pool"])
    assert not unseen
    face_down = max(position["round"] - 1, 0)
    known = position["events"][:face_down]
    every = ["succession", "special_tax", "war", *(["election"] if n > 2 else [])]
    rest = [event for event in every if event not in known]
    swapped["events"] = known + rest[::-1][: 3 - face_down]
    if not recall:
        for other in others:
            swapped["silver"][other] = position["silver"][other] + 3
            swapped["squires"][other] = position["squires"][other] + 2
    return swapped


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", MODES)
def test_p13__swapping_what_is_hidden_in_a_position_shows_nowhere(
    players: int, information: Information
) -> None:
    env = jerusalem_v0.raw_env(players, information=information, skip_forced=False)
    real, other = (jerusalem_v0.raw_env(players, information=information) for _ in range(2))
    env.reset(seed=20 + players)
    choose, changed, noticed = Player(players), 0, 0
    while not is_done(env):
        position = env.position()
        real.set_position(position)
        for seat in range(players):
            swapped = swap_hidden(position, seat, information == "recall")
            other.set_position(swapped)
            agent = f"player_{seat}"
            for key, value in real.observe(agent).items():
                assert np.array_equal(other.observe(agent)[key], value), (
                    f"{agent} sees what is hidden, in {key}: "
                    f"{np.flatnonzero(other.observe(agent)[key] != value)}"
                )
            # the board as this seat sees it, in text
            shown = [
                game.render_text(e.states[0], seat) for e in (real, other) for game in (e.game,)
            ]
            assert shown[0] == shown[1]
            changed += swapped != position
            noticed += not np.array_equal(real.state(), other.state())
        env.step(choose(env))
    assert changed > 50
    assert noticed > 50, "the swap is not even seen by the state vector"


@pytest.mark.parametrize("players", PLAYERS)
def test_p13__each_mode_shows_what_it_should(players: int) -> None:
    """The other way round: what is public, or remembered, does show."""
    for information in MODES:
        env = jerusalem_v0.raw_env(players, information=information)
        env.reset(seed=3)
        position = env.position()
        before = env.observe("player_0")["observation"]
        for key, visible in (
            ("prestige", True),
            ("floors", True),
            ("silver", information == "recall"),
            ("squires", information == "recall"),
        ):
            changed = json.loads(json.dumps(position))
            changed[key][1] += 1
            env.set_position(changed)
            same = np.array_equal(env.observe("player_0")["observation"], before)
            assert same != visible, f"{key} of another seat with information={information!r}"
        changed = json.loads(json.dumps(position))
        changed["silver"][0] += 1
        env.set_position(changed)
        assert not np.array_equal(env.observe("player_0")["observation"], before)


# --- P15: perspective ---------------------------------------------------------------------------
def turned_position(position: dict[str, Any], by: int) -> dict[str, Any]:
    """The position with seat `by` as seat 0: an independent turn of the table."""
    n = position["ruleset"]["players"]
    turned = copy.deepcopy(position)

    def seats(values: list[Any]) -> list[Any]:
        return values[by:] + values[:by]

    def seat(value: int | None) -> int | None:
        return None if value is None else (value - by) % n

    for key in ("offices", "last_offices", "silver", "squires", "prestige", "floors", "hands"):
        turned[key] = seats(position[key])
    turned["barons"] = seats(position["barons"])
    turned["board"] = {area: seats(counts) for area, counts in position["board"].items()}
    turned["to_act"], turned["winner"] = seat(position["to_act"]), seat(position["winner"])
    auction = turned["auction"]
    auction["opener"], auction["bidder"] = seat(auction["opener"]), seat(auction["bidder"])
    auction["passed"] = seats(auction["passed"])
    turned["ruleset"]["first_opener"] = seat(position["ruleset"]["first_opener"])
    for key in ("may_decline", "lost", "hits"):
        if key in turned["pending"]:
            turned["pending"][key] = seats(position["pending"][key])
    if turned["ranking"] is not None:
        turned["ranking"] = [seat(x) for x in position["ranking"]]
    return turned


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", MODES)
def test_p15__turning_the_seats_turns_nothing_in_what_a_seat_sees(
    players: int, information: Information
) -> None:
    rules = RuleSet(players=players, decline_income=True, first_opener=players - 1)
    plain, turned = (
        jerusalem_v0.raw_env(
            rules=rules, information=information, reward="margin", skip_forced=False
        )
        for _ in range(2)
    )
    for by in range(1, players):
        plain.reset(seed=by)
        plain.set_position(plain.position())  # both forget alike
        turned.set_position(turned_position(plain.position(), by))
        choose = Player(by)
        while not is_done(plain):
            for seat in range(players):
                mine = plain.observe(f"player_{seat}")
                same = turned.observe(f"player_{(seat - by) % players}")
                for key, value in mine.items():
                    assert np.array_equal(value, same[key]), (
                        f"{key} of seat {seat} in phase {plain.position()['phase']}"
                    )
            action = choose(plain)
            plain.step(action)
            turned.step(action)
            assert turned.position() == turned_position(plain.position(), by)
        for seat in range(players):
            assert (
                turned.rewards[f"player_{(seat - by) % players}"] == plain.rewards[f"player_{seat}"]
            )
        assert len(set(plain.rewards.values())) > 1


@pytest.mark.parametrize("players", PLAYERS)
def test_p15__seats_of_one_table_see_different_things(players: int) -> None:
    env = jerusalem_v0.raw_env(players)
    env.reset(seed=5)
    choose = Player(5)
    for _ in range(40):
        env.step(choose(env))
    seen = {env.observe(agent)["observation"].tobytes() for agent in env.possible_agents}
    assert len(seen) == players
