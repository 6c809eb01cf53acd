"""What a seat sees, asked through positions (P13, P15 of the design)."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet, jerusalem_v0
from jerusalem_env.game import Information
from tests.scripted import Player, is_done

PLAYERS = [2, 3, 4]
MODES: list[Information] = ["screen", "recall"]
EVERYTHING = ("silver", "squires", "hands", "pile", "draft_pool", "events")


# --- P13: hidden information --------------------------------------------------------------------
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", MODES)
def test_redeal__is_a_position_that_could_be_written(
    players: int, information: Information
) -> None:
    """A search that goes on from a redeal must not stand where the rules ask nobody anything."""
    rules = RuleSet(players=players, decline_income=True)
    env = jerusalem_v0.raw_env(rules=rules, information=information, skip_forced=False)
    differing: dict[str, int] = dict.fromkeys(EVERYTHING, 0)
    game, rng = env.game, np.random.default_rng(0)
    for seed in range(2):
        env.reset(seed=seed)
        choose = Player(seed)
        while not is_done(env):
            for seat in range(players):
                view = game.views(env.states, np.array([seat]))
                real = game.write_position(game.turn_seats(env.states, seat)[0])
                for other in game.redeal(view, rng):
                    position = game.write_position(other)
                    game.read_position(position)
                    for key in EVERYTHING:
                        differing[key] += position[key] != real[key]
            env.step(choose(env))
    hidden = set(EVERYTHING) - ({"silver", "squires"} if information == "recall" else set())
    for key, count in differing.items():
        assert (count > 0) == (key in hidden), f"{key} was redealt {count} times"


@pytest.mark.parametrize("players", PLAYERS)
def test_observation__shows_what_is_public_or_remembered(players: int) -> None:
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
def test_turned_position__looks_the_same_and_goes_on_turned(
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
def test_seats__of_one_table_see_different_things(players: int) -> None:
    env = jerusalem_v0.raw_env(players)
    env.reset(seed=5)
    choose = Player(5)
    for _ in range(40):
        env.step(choose(env))
    seen = {env.observe(agent)["observation"].tobytes() for agent in env.possible_agents}
    assert len(seen) == players
