"""The bots of Jerusalem: ``greedy``, the plans that people play, and the ``expert``."""

from __future__ import annotations

from jerusalem_env.game import Game
from jerusalem_env.policies import CompiledPolicy
from jerusalem_env.simulation import Guide

from ..base import Agent
from ..greedy import GreedyAgent
from ..random_agent import RandomAgent
from ..registry import Kind, register_agents
from ..scripted.agent import guide_of
from ..scripted.strategies import STRATEGIES, make_strategy


def _plan(name: str) -> Kind:
    def make(argument: str, game: Game | None) -> Agent:
        return make_strategy(name)

    return Kind(make)


def _standard_policies() -> tuple[CompiledPolicy, ...]:
    return RandomAgent.compiled, GreedyAgent().compiled, make_strategy("expert").compiled


def _guide(game: Game) -> Guide:
    return guide_of(make_strategy("expert"))


register_agents(
    "jerusalem_v0",
    {
        "greedy": Kind(lambda argument, game: GreedyAgent()),
        **{name: _plan(name) for name in STRATEGIES},
    },
    guide=_guide,
    standard_policies=_standard_policies,
    usual="expert",
)
