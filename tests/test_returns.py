"""Returns by seat (P2 of the design), and positions through the wrappers of ``env()``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv

from jerusalem_env import jerusalem_v0
from tests.reference_engine import build_position
from tests.scripted import Player

MAKERS: list[Callable[..., AECEnv]] = [jerusalem_v0.raw_env, jerusalem_v0.env]


def returns_of(env: AECEnv, choose: Callable[[Any], int]) -> dict[str, float]:
    """Each agent's rewards added up as a training loop gets them, from `last`."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        totals[agent] += float(reward)
        env.step(None if terminated or truncated else choose(env))
    assert not env.agents
    return totals


@pytest.mark.parametrize(
    ("floors", "prestige", "reward", "expected"),
    [
        ([3, 1, 2], [0, 0, 0], "win", [1.0, -0.5, -0.5]),
        ([1, 3, 2], [0, 0, 0], "win", [-0.5, 1.0, -0.5]),
        ([1, 2, 2], [0, 0, 1], "win", [-0.5, -0.5, 1.0]),
        ([2, 2, 2], [0, 0, 0], "win", [1.0, -0.5, -0.5]),
        ([3, 1, 2], [0, 0, 0], "rank", [1.0, -1.0, 0.0]),
        ([1, 2, 2], [0, 0, 1], "rank", [-1.0, 0.0, 1.0]),
        ([3, 1, 2], [0, 0, 0], "margin", [0.15, -0.15, 0.0]),
        ([7, 1, 1], [0, 0, 0], "margin", [0.6, -0.3, -0.3]),
        ([2, 2, 2], [0, 0, 0], "margin", [0.0, 0.0, 0.0]),
    ],
)
@pytest.mark.parametrize("make", MAKERS)
def test_returns__by_seat(
    make: Callable[..., AECEnv],
    floors: list[int],
    prestige: list[int],
    reward: str,
    expected: list[float],
) -> None:
    """The last turn of a game whose towers stand so high that nobody builds any more."""
    position = build_position(
        {"players": 3, "rounds": 5, "income": [[0, 0, 0]] * 16, "zero_ties_win_gifts": False},
        round=5,
        phase="turn",
        to_act=2,
        floors=[20 + x for x in floors],
        prestige=prestige,
        offices=["treasurer", "marshal", "admiral"],
    )
    env = make(3, reward=reward)
    env.reset(seed=0)
    env.set_position(position)
    totals = returns_of(env, lambda _: 0)  # pass
    assert list(totals.values()) == pytest.approx(expected)


def test_env__a_position_forgets_the_mask_of_the_game_before() -> None:
    """The wrapper that ends a game at an illegal action keeps the last mask it has given out."""
    env = jerusalem_v0.env(3)
    env.reset(seed=4)
    env.last()
    env.set_position(build_position({"players": 3}, phase="turn"))
    legal = np.flatnonzero(env.unwrapped.observe(env.agent_selection)["action_mask"])
    env.step(int(legal[-1]))
    assert not any(env.terminations.values())


def test_env__set_position_begins_a_game() -> None:
    env = jerusalem_v0.env(3)
    with pytest.raises(AttributeError):
        _ = env.agent_selection
    env.set_position(build_position({"players": 3}, phase="turn"))
    for agent in env.agent_iter(5):
        assert env.last()[0]["action_mask"].any()
        env.step(Player(1)(env))
        assert agent in env.possible_agents


def test_env__keeps_the_name_of_the_game() -> None:
    assert str(jerusalem_v0.env()) == str(jerusalem_v0.raw_env()) == "jerusalem_v0"
    assert jerusalem_v0.env().metadata["name"] == "jerusalem_v0"
