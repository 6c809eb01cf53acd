"""Agents by name, for all commands and each game: ``random``, ``expert``, ``mcts:500`` and others.

Some kinds of agents play any game: ``random``, ``mcts``, ``ppo``, ``guided`` and ``rllib``. The
others belong to one game, whose module in ``agents.bots`` registers them (``register_agents``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from jerusalem_env.game import Game
from jerusalem_env.games import USUAL_GAME
from jerusalem_env.policies import CompiledPolicy
from jerusalem_env.simulation import Guide

from .base import Agent, AgentError, UnknownAgentError
from .random_agent import RandomAgent
from .search.agent import SearchAgent
from .search.uniform import UNIFORM_SEARCH, uniform_guide

_SIMULATIONS = 1_000
CHECKPOINTS = Path(__file__).parent / "checkpoints"
_BOTS = f"{__package__}.bots"  # a module for each game


class Kind(NamedTuple):
    """How agents of one kind are made, and what may follow the name after a colon.

    Attributes
    ----------
    make : callable (argument, game) -> Agent
        ``argument`` is the text after the colon, ``game`` None where none was given.
    argument : str
        A word for what follows the colon; empty if nothing may.
    """

    make: Callable[[str, Game | None], Agent]
    argument: str = ""


class _GameAgents(NamedTuple):
    """What ``register_agents`` was given."""

    kinds: Mapping[str, Kind]
    guide: Callable[[Game], Guide] | None
    standard_policies: Callable[[], tuple[CompiledPolicy, ...]]
    usual: str


def _random_alone() -> tuple[CompiledPolicy, ...]:
    return (RandomAgent.compiled,)


_NO_BOTS = _GameAgents({}, None, _random_alone, "random")
_registered: dict[str, _GameAgents] = {}


def register_agents(
    game_name: str,
    kinds: Mapping[str, Kind],
    *,
    guide: Callable[[Game], Guide] | None = None,
    standard_policies: Callable[[], tuple[CompiledPolicy, ...]] = _random_alone,
    usual: str = "random",
) -> None:
    """Give a game its own agents; called by ``agents.bots.GAME_NAME`` when it is imported.

    Parameters
    ----------
    game_name : str
        Name and version, such as ``"jerusalem_v0"``.
    kinds : mapping of str to Kind
        The game's own agents in the order in which they are told, a simple and fast one first.
    guide : callable, optional
        What ``mcts`` and ``guided`` play by in a game. Without one playouts are random.
    standard_policies : callable, optional
        A compiled policy of each kernel that these agents and ``random`` have: they are compiled
        together, so that any mix of named bots is played by one compiled kernel.
    usual : str
        Who plays where nobody is named, gives hints and teaches: a strong agent that needs no file
        and little time.

    Raises
    ------
    ValueError
        If the game has agents already, or a kind has the name of one that plays any game.
    """
    if game_name in _registered:
        raise ValueError(f"the agents of {game_name!r} are registered already")
    for name in kinds:
        if name in _SHARED:
            raise ValueError(f"{name!r} plays any game; give the agent of {game_name} another name")
    if usual not in (*kinds, *_SHARED):
        raise ValueError(f"usual must be one of {', '.join((*kinds, *_SHARED))}, got {usual!r}")
    _registered[game_name] = _GameAgents(dict(kinds), guide, standard_policies, usual)


def _agents_of(game_name: str) -> _GameAgents:
    """The game's own agents, its module imported at first use; none for games that have none."""
    if game_name not in _registered and game_name.isidentifier():
        module = f"{_BOTS}.{game_name}"
        if find_spec(module) is not None:
            import_module(module)
    return _registered.get(game_name, _NO_BOTS)


# --- agents that play any game ------------------------------------------------------------------
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


def _guide_of(game: Game) -> tuple[Guide, dict[str, Any]]:
    """What a search of a game plays by, and the options of ``SearchAgent`` that suit it."""
    own = _agents_of(game.name).guide
    return (own(game), {}) if own is not None else (uniform_guide(game), UNIFORM_SEARCH)


def search_agent(game: Game, **options: Any) -> SearchAgent:
    """A search by what the game's agents know; ``options`` are those of ``SearchAgent``."""
    guide, suitable = _guide_of(game)
    return SearchAgent(game, guide, **{**suitable, **options})


def _mcts(argument: str, game: Game | None) -> Agent:
    if game is None:
        raise AgentError("mcts needs the game it plays: make_agent('mcts:500', game)")
    name = f"mcts:{argument}" if argument else f"mcts:{_SIMULATIONS}"
    try:
        if argument.endswith("s"):
            return search_agent(game, seconds=float(argument[:-1]), name=name)
        simulations = int(argument) if argument else _SIMULATIONS
    except ValueError as error:
        if isinstance(error, AgentError):
            raise
        raise AgentError(
            f"mcts:{argument} has no budget; expected simulations (mcts:500) or seconds (mcts:0.5s)"
        ) from error
    return search_agent(game, simulations=simulations, name=name)


def _guided(argument: str, game: Game | None) -> Agent:
    from .search.guided import GuidedSearchAgent

    budget, _, path = argument.partition(":")
    if game is None or not budget.isdecimal():
        raise AgentError(
            "guided needs simulations and the game it plays: make_agent('guided:100', game), or "
            "'guided:100:PATH' with another checkpoint than the shipped one"
        )
    policy = _ppo(path, game)
    # The policy's own choice is worth keeping in doubt, whoever plays on after it.
    guide, _ = _guide_of(game)
    name = f"guided:{argument}"
    return GuidedSearchAgent(policy, game, guide, simulations=int(budget), name=name)  # type: ignore[arg-type]


_FIRST = {"random": Kind(lambda argument, game: RandomAgent())}
_LAST = {
    "mcts": Kind(_mcts, "SIMULATIONS"),
    "ppo": Kind(_ppo, "PATH"),
    "guided": Kind(_guided, "SIMULATIONS"),
    "rllib": Kind(_rllib, "PATH"),
}
_SHARED = {**_FIRST, **_LAST}


# --- by name ------------------------------------------------------------------------------------
def _kinds_of(game_name: str) -> dict[str, Kind]:
    """All kinds of agents of a game: from the simplest to those that need something."""
    return {**_FIRST, **_agents_of(game_name).kinds, **_LAST}


@cache
def standard_policies(game_name: str = USUAL_GAME) -> tuple[CompiledPolicy, ...]:
    """One compiled policy of each kernel that agents made by name have in a game."""
    return _agents_of(game_name).standard_policies()


def usual_agent(game_name: str = USUAL_GAME) -> str:
    """Who plays a game where nobody is named, gives hints and teaches."""
    return _agents_of(game_name).usual


def agent_names(game_name: str | None = None) -> tuple[str, ...]:
    """What ``make_agent`` knows for a game, with the argument some need; None: the first game."""
    return tuple(
        f"{name}:{kind.argument}" if kind.argument else name
        for name, kind in _kinds_of(game_name or USUAL_GAME).items()
    )


def bot_names(game_name: str = USUAL_GAME) -> tuple[str, ...]:
    """The agents of a game that need neither a file nor a budget, ``random`` first."""
    return tuple(name for name in agent_names(game_name) if ":" not in name)


def simple_agent(game_name: str = USUAL_GAME) -> str:
    """The first of a game's own agents that needs neither a file nor a budget; else ``random``."""
    return next(iter(bot_names(game_name)[1:]), "random")


def suggested_agents(game_name: str = USUAL_GAME) -> tuple[str, ...]:
    """Agents to choose from, the usual one first, ready to be made as they are named.

    A learned one is named if there is one for some number of players.
    """
    learned = any(CHECKPOINTS.glob(f"{game_name}_*p.zip"))
    policy, guided = (("ppo",), ("guided:100",)) if learned else ((), ())
    random, *own = bot_names(game_name)
    found = (usual_agent(game_name), *policy, "mcts:500", *guided, *own, random)
    return tuple(dict.fromkeys(found))


def make_agent(name: str, game: Game | None = None) -> Agent:
    """A new agent.

    Parameters
    ----------
    name : str
        ``"random"``, or one of the game's own bots, such as ``"greedy"`` or ``"expert"``;
        ``"mcts:500"`` for a search of 500 simulations a decision, ``"mcts:0.5s"`` for one of half
        a second; ``"ppo:PATH"``, PATH being a MaskablePPO checkpoint, or
        ``"ppo"`` for the one shipped for the game; ``"guided:100"`` (or ``"guided:100:PATH"``) for
        a search among what that policy thinks of; ``"rllib:PATH"``, PATH being
        the ``agent.npz`` of ``jerusalem rllib``. ``agent_names(game.name)`` lists them.
    game : Game, optional
        What is played: searching and learned agents need it, and a name means the agent of this
        game. None: the first game, ``jerusalem_v0``.

    Raises
    ------
    UnknownAgentError
        If the game has no such agent.
    AgentError
        If its budget or checkpoint cannot be used, or the extra ``train`` is missing.
    """
    game_name = USUAL_GAME if game is None else game.name
    kind, colon, argument = name.partition(":")
    kinds = _kinds_of(game_name)
    if kind not in kinds or (colon and not kinds[kind].argument):
        known = ", ".join(agent_names(game_name))
        raise UnknownAgentError(f"unknown agent {name!r} of {game_name}; expected one of {known}")
    return kinds[kind].make(argument, game)
