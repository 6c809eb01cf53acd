"""Agents by name: ``random``, ``greedy``, ``ppo:PATH``. Used by every command."""

from __future__ import annotations

from collections.abc import Callable

from jerusalem_env.game import Game

from .base import Agent, AgentError, UnknownAgentError
from .greedy import GreedyAgent
from .random_agent import RandomAgent


def _ppo(argument: str, game: Game | None) -> Agent:
    from .learned import PPOAgent  # torch and stable-baselines3 only where they are used

    if not argument or game is None:
        raise AgentError(
            "ppo needs a checkpoint and the game it plays: make_agent('ppo:PATH', game)"
        )
    return PPOAgent(argument, game)


_MAKERS: dict[str, Callable[[str, Game | None], Agent]] = {
    "random": lambda argument, game: RandomAgent(),
    "greedy": lambda argument, game: GreedyAgent(),
    "ppo": _ppo,
}
_WITH_ARGUMENT = ("ppo",)


def agent_names() -> tuple[str, ...]:
    """What ``make_agent`` knows, with the argument some need."""
    return tuple(f"{name}:PATH" if name in _WITH_ARGUMENT else name for name in _MAKERS)


def make_agent(name: str, game: Game | None = None) -> Agent:
    """A new agent.

    Parameters
    ----------
    name : str
        ``"random"``, ``"greedy"`` or ``"ppo:PATH"``, PATH being a MaskablePPO checkpoint.
    game : Game, optional
        What a learned agent plays: its observations come from there.

    Raises
    ------
    UnknownAgentError
        If there is no such agent.
    AgentError
        If its checkpoint cannot be used, or the extra ``train`` is missing.
    """
    kind, colon, argument = name.partition(":")
    if kind not in _MAKERS or (colon and kind not in _WITH_ARGUMENT):
        known = ", ".join(agent_names())
        raise UnknownAgentError(f"unknown agent {name!r}; expected one of {known}")
    return _MAKERS[kind](argument, game)
