"""Decisions of the shipped agent, gathered once."""

from __future__ import annotations

import pytest

from agents.base import Agent
from jerusalem_env.jerusalem.game import JerusalemGame
from training.analysis.decisions import Decisions, gather
from training.analysis.players import player_of

SEED = 31


@pytest.fixture(scope="session")
def game() -> JerusalemGame:
    return JerusalemGame(players=4)


@pytest.fixture(scope="session")
def agent(game: JerusalemGame) -> Agent:
    return player_of("ppo", game)


@pytest.fixture(scope="session")
def expert(game: JerusalemGame) -> Agent:
    return player_of("expert", game)


@pytest.fixture(scope="session")
def alone(game: JerusalemGame, agent: Agent, expert: Agent) -> Decisions:
    """Three games of the agent against itself, its likeliest actions."""
    return gather(agent, [], game, 3, SEED, reference=expert)


@pytest.fixture(scope="session")
def at_experts(game: JerusalemGame, agent: Agent, expert: Agent) -> Decisions:
    """Eight games against experts."""
    return gather(agent, [expert], game, 2, SEED, reference=expert)
