"""The games of this house by name, for whatever names a game in a file (``records.py``).

A maker gets the rule set as JSON-able values and ``skip_forced`` and returns the raw environment.
To add a game, call ``register_game``; nothing else here or in ``records.py`` changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .envs.aec import GameAECEnv

Maker = Callable[[Mapping[str, Any], bool], GameAECEnv]

_makers: dict[str, Maker] = {}


def register_game(name: str, maker: Maker) -> None:
    """Make a game known under its name and version, such as ``"jerusalem_v0"``.

    Raises
    ------
    ValueError
        If the name is taken.
    """
    if name in _makers:
        raise ValueError(f"a game named {name!r} is registered already")
    _makers[name] = maker


def registered_games() -> tuple[str, ...]:
    """Names of all games, sorted."""
    return tuple(sorted(_makers))


def make_raw_env(
    name: str, ruleset: Mapping[str, Any] | None = None, skip_forced: bool = True
) -> GameAECEnv:
    """The raw environment of a game; an empty rule set means the game's defaults.

    Raises
    ------
    ValueError
        If there is no such game, or by the game, if the rule set is wrong.
    """
    if name not in _makers:
        raise ValueError(f"unknown game {name!r}; expected one of {', '.join(registered_games())}")
    return _makers[name]({} if ruleset is None else ruleset, skip_forced)


def _jerusalem_v0(ruleset: Mapping[str, Any], skip_forced: bool) -> GameAECEnv:
    from . import jerusalem_v0

    rules = jerusalem_v0.RuleSet.from_dict(ruleset)
    return jerusalem_v0.raw_env(rules=rules, skip_forced=skip_forced)


register_game("jerusalem_v0", _jerusalem_v0)
