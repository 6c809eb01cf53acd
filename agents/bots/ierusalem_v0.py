"""The bots of Ierusalem: ``greedy`` and ``planner``."""

from __future__ import annotations

from jerusalem_env.policies import CompiledPolicy

from ..ierusalem.greedy import GreedyAgent
from ..random_agent import RandomAgent
from ..registry import Kind, register_agents


def _standard_policies() -> tuple[CompiledPolicy, ...]:
    return RandomAgent.compiled, GreedyAgent().compiled


register_agents(
    "ierusalem_v0",
    {"greedy": Kind(lambda argument, game: GreedyAgent())},
    standard_policies=_standard_policies,
    usual="greedy",
)
