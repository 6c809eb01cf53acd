"""Who plays the seats that are not the learner's: objects, or names that packages above make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..chance import sample_legal
from ..game import Game
from ..policies import UNIFORM, CompiledPolicy

GROUP = "jerusalem.agents"
"""Entry points that make an opponent from (name, game); packages above register theirs there.

Their modules may also have ``usual_agent(game_name)`` and ``suggested_agents(game_name)``: the name
of who plays where nobody is named, and names to choose from.
"""


class Opponent(Protocol):
    """What plays a seat: chooses from views and masks, never from states.

    One that also has an attribute ``compiled`` (a ``CompiledPolicy``) is played inside the compiled
    step of tables if all others there are too; ``act`` and ``reset`` then go unused. One may also
    have ``judge(views, masks) -> Judgement``.
    """

    def reset(self, seed: int) -> None:
        """Restart its own randomness."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) actions for (B,) views with (B, A) masks."""


class Judgement(NamedTuple):
    """What a player thinks of decisions: how it would choose, and how well it expects to do.

    Attributes
    ----------
    probabilities : (B, A) float64
        Of each action, 0 where illegal; rows sum to 1.
    values : (B,) float64 or None
        What the seat to act expects, None where the player has no such number.
    meaning : str
        What ``values`` are: their unit and range, in words.
    """

    probabilities: np.ndarray
    values: np.ndarray | None
    meaning: str


class UniformOpponent:
    """Plays uniformly drawn legal actions."""

    name = "random"
    compiled = UNIFORM

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Restart its own randomness."""
        self._rng = np.random.default_rng(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Uniform over the legal actions."""
        return sample_legal(masks, self._rng)


def opponent_by_name(name: str, game: Game) -> Opponent:
    """An opponent that an installed package knows by name, such as ``"greedy"``.

    Raises
    ------
    ValueError
        If there is none.
    """
    if name == "random":
        return UniformOpponent()
    told = ["only 'random' is known here"]
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            opponent: Opponent = point.load()(name, game)
        except ValueError as error:
            told.append(f"{point.value}: {error}")
        else:
            return opponent
    raise ValueError(f"unknown opponent {name!r}; {'; '.join(told[1:] or told)}")


def usual_opponent(game_name: str) -> str:
    """Who plays a game where nobody is named, as installed packages say; else ``"random"``."""
    return next(_told(game_name, "usual_agent"), "random")


def suggested_opponents(game_name: str) -> tuple[str, ...]:
    """Names of opponents to choose from, as installed packages say; at least ``"random"``."""
    names = [name for told in _told(game_name, "suggested_agents") for name in told]
    return tuple(dict.fromkeys([*names, "random"]))


def _told(game_name: str, question: str) -> Iterator[Any]:
    """What each installed package that can be asked answers about a game."""
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        answer = getattr(import_module(point.module), question, None)
        if answer is not None:
            yield answer(game_name)


def checked_opponents(
    opponents: str | Opponent | Sequence[str | Opponent] | None, game: Game
) -> list[Opponent]:
    """The opponents as a list of objects; uniformly random ones by default.

    Raises
    ------
    ValueError
        If there is none, or one is unknown or no opponent.
    """
    if opponents is None:
        return [UniformOpponent()]
    given: Sequence[Any] = (
        opponents
        if isinstance(opponents, Sequence) and not isinstance(opponents, str)
        else [opponents]
    )
    if not given:
        raise ValueError("opponents must hold at least one; leave it out for random ones")
    found = [opponent_by_name(one, game) if isinstance(one, str) else one for one in given]
    for one in found:
        if not (hasattr(one, "act") and hasattr(one, "reset")):
            raise ValueError(
                "an opponent is a name such as 'greedy' or needs act(views, masks) and "
                f"reset(seed), got {one!r}"
            )
    return found


def compiled_policy(one: Opponent) -> CompiledPolicy | None:
    """The kernel of an opponent, if it has one that plays as its ``act`` does.

    A subclass that has its own ``act`` does not play as the kernel that it inherits.
    """
    policy = getattr(one, "compiled", None)
    inherited = _depth(one, "act") < _depth(one, "compiled")
    return None if inherited or not isinstance(policy, CompiledPolicy) else policy


def compiled_policies(opponents: Sequence[Opponent]) -> tuple[CompiledPolicy, ...] | None:
    """The opponents' kernels, if every one of them has one."""
    found = [compiled_policy(one) for one in opponents]
    policies = tuple(policy for policy in found if policy is not None)
    return policies if len(policies) == len(found) else None


def _depth(one: Opponent, name: str) -> int:
    """How far up in its classes an attribute is defined; -1: by the object itself."""
    if name in getattr(one, "__dict__", {}):
        return -1
    classes = type(one).__mro__
    return next((i for i, base in enumerate(classes) if name in vars(base)), len(classes))
