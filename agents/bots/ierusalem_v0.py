"""The bots of Ierusalem: ``greedy`` and ``planner``."""

from __future__ import annotations

from jerusalem_env.game import Game
from jerusalem_env.policies import CompiledPolicy
from jerusalem_env.simulation import Guide

from ..ierusalem.greedy import GreedyAgent
from ..ierusalem.guide import guide_of
from ..ierusalem.planner import PlannerAgent
from ..random_agent import RandomAgent
from ..registry import Kind, register_agents


def _standard_policies() -> tuple[CompiledPolicy, ...]:
    return RandomAgent.compiled, GreedyAgent().compiled, PlannerAgent().compiled


def _guide(game: Game) -> Guide:
    return guide_of(PlannerAgent())


register_agents(
    "ierusalem_v0",
    {
        "greedy": Kind(lambda argument, game: GreedyAgent()),
        "planner": Kind(lambda argument, game: PlannerAgent()),
    },
    guide=_guide,
    standard_policies=_standard_policies,
    usual="planner",
)
