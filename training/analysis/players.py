"""Agents as the notebooks play them."""

from __future__ import annotations

from typing import Any

from agents.base import Agent
from agents.registry import make_agent
from jerusalem_env.game import Game


def player_of(name: str, game: Game) -> Agent:
    """``make_agent``, with networks that compute in float32.

    The shipped ones were trained in bfloat16, which takes several times as long on processors that
    have to imitate it, and may round a close decision otherwise there.
    """
    agent = make_agent(name, game)
    policy: Any = getattr(getattr(agent, "model", None), "policy", None)
    if hasattr(policy, "precision"):
        policy.precision = "float32"
    return agent
