"""Agents by name, for all commands: ``random``, ``greedy``, ``expert``, ``mcts:500`` and others."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from jerusalem_env.game import Game
from jerusalem_env.policies import CompiledPolicy

from .base import Agent, AgentError, UnknownAgentError
from .greedy import GreedyAgent
from .random_agent import RandomAgent
from .scripted.agent import guide_of
from .scripted.strategies import STRATEGIES, make_strategy
from .search.agent import SearchAgent

_SIMULATIONS = 1_000
CHECKPOINTS = Path(__file__).parent / "checkpoints"


def _ppo(argument: str, game: Game | None) -> Agent:
    from .learned import PPOAgent  # torch and stable-baselines3 only where they are used

    if game is None:
        raise AgentError("ppo needs the game it plays: make_agent('ppo:PATH', game)")
    if argument:
        return PPOAgent(argument, game)
    agent = PPOAgent(shipped_checkpoint(game), game)
    agent.name = "ppo"
    return agent


def shipped_checkpoint(game: Game) -> Path:
    """The checkpoint for a game that comes with this package; raises AgentError if none does."""
    path = CHECKPOINTS / f"{game.name}_{game.players}p.zip"
    if not path.is_file():
        there = ", ".join(sorted(x.stem for x in CHECKPOINTS.glob("*.zip"))) or "none"
        raise AgentError(
            f"no checkpoint is shipped for {game.name} with {game.players} players (there are: "
            f"{there}); name one: ppo:PATH"
        )
    return path


def _rllib(argument: str, game: Game | None) -> Agent:
    from .rllib import RLlibAgent

    if not argument or game is None:
        raise AgentError(
            "rllib needs an agent's file and the game it plays: make_agent('rllib:PATH', game)"
        )
    return RLlibAgent(argument, game)


def _mcts(argument: str, game: Game | None) -> Agent:
    if game is None:
        raise AgentError("mcts needs the game it plays: make_agent('mcts:500', game)")
    name = f"mcts:{argument}" if argument else f"mcts:{_SIMULATIONS}"
    guide = guide_of(make_strategy("expert"))
    try:
        if argument.endswith("s"):
            return SearchAgent(game, guide, seconds=float(argument[:-1]), name=name)
        simulations = int(argument) if argument else _SIMULATIONS
    except ValueError as error:
        if isinstance(error, AgentError):
            raise
        raise AgentError(
            f"mcts:{argument} has no budget; expected simulations (mcts:500) or seconds (mcts:0.5s)"
        ) from error
    return SearchAgent(game, guide, simulations=simulations, name=name)


def _guided(argument: str, game: Game | None) -> Agent:
    from .search.guided import GuidedSearchAgent

    budget, _, path = argument.partition(":")
    if game is None or not budget.isdecimal():
        raise AgentError(
            "guided needs simulations and the game it plays: make_agent('guided:100', game), or "
            "'guided:100:PATH' with another checkpoint than the shipped one"
        )
    policy = _ppo(path, game)
    guide = guide_of(make_strategy("expert"))
    name = f"guided:{argument}"
    return GuidedSearchAgent(policy, game, guide, simulations=int(budget), name=name)  # type: ignore[arg-type]


class _Kind(NamedTuple):
    """How agents of one kind are made, and what may follow the name after a colon."""

    make: Callable[[str, Game | None], Agent]
    argument: str = ""


_KINDS: dict[str, _Kind] = {
    "random": _Kind(lambda argument, game: RandomAgent()),
    "greedy": _Kind(lambda argument, game: GreedyAgent()),
    **{
        name: _Kind(lambda argument, game, name=name: make_strategy(name))  # type: ignore[misc]
        for name in STRATEGIES
    },
    "mcts": _Kind(_mcts, "SIMULATIONS"),
    "ppo": _Kind(_ppo, "PATH"),
    "guided": _Kind(_guided, "SIMULATIONS"),
    "rllib": _Kind(_rllib, "PATH"),
}


@cache
def standard_policies() -> tuple[CompiledPolicy, ...]:
    """One compiled policy of each kernel that agents made by name have."""
    return RandomAgent.compiled, GreedyAgent().compiled, make_strategy("expert").compiled


def agent_names() -> tuple[str, ...]:
    """What ``make_agent`` knows, with the argument some need."""
    return tuple(
        f"{name}:{kind.argument}" if kind.argument else name for name, kind in _KINDS.items()
    )


def make_agent(name: str, game: Game | None = None) -> Agent:
    """A new agent.

    Parameters
    ----------
    name : str
        ``"random"``, ``"greedy"``, a plan of ``agents.scripted.strategies`` such as ``"expert"``;
        ``"mcts:500"`` for a search of 500 simulations a decision, ``"mcts:0.5s"`` for one of half
        a second; ``"ppo:PATH"``, PATH being a MaskablePPO checkpoint, or
        ``"ppo"`` for the one shipped for the game; ``"guided:100"`` (or ``"guided:100:PATH"``) for
        a search among what that policy thinks of; ``"rllib:PATH"``, PATH being
        the ``agent.npz`` of ``jerusalem rllib``.
    game : Game, optional
        What is played: searching and learned agents need it.

    Raises
    ------
    UnknownAgentError
        If there is no such agent.
    AgentError
        If its budget or checkpoint cannot be used, or the extra ``train`` is missing.
    """
    kind, colon, argument = name.partition(":")
    if kind not in _KINDS or (colon and not _KINDS[kind].argument):
        known = ", ".join(agent_names())
        raise UnknownAgentError(f"unknown agent {name!r}; expected one of {known}")
    return _KINDS[kind].make(argument, game)
