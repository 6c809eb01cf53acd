"""The games of this house by name, for whatever names a game in a file (``records.py``).

A maker gets the rule set as JSON-able values and ``skip_forced`` and returns the raw environment.
To add a game, call ``register_game``; nothing else here or in ``records.py`` changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .envs.aec import GameAECEnv
from .jerusalem.rules.ruleset import PRESETS

Maker = Callable[[Mapping[str, Any], bool], GameAECEnv]
PresetMaker = Callable[[int | None, str], GameAECEnv]


class _Registered(NamedTuple):
    """How a game is made."""

    maker: Maker
    preset_maker: PresetMaker | None
    presets: tuple[str, ...]


_games: dict[str, _Registered] = {}


def register_game(
    name: str,
    maker: Maker,
    preset_maker: PresetMaker | None = None,
    presets: tuple[str, ...] = (),
) -> None:
    """Make a game known under its name and version, such as ``"jerusalem_v0"``.

    ``maker`` takes a rule set as JSON-able values and ``skip_forced``; ``preset_maker`` a number of
    players (None: the game's usual one) and the name of one of the ``presets`` of its rules.

    Raises
    ------
    ValueError
        If the name is taken.
    """
    if name in _games:
        raise ValueError(f"a game named {name!r} is registered already")
    _games[name] = _Registered(maker, preset_maker, presets)


def registered_games() -> tuple[str, ...]:
    """Names of all games, sorted."""
    return tuple(sorted(_games))


def make_raw_env(
    name: str, ruleset: Mapping[str, Any] | None = None, skip_forced: bool = True
) -> GameAECEnv:
    """The raw environment of a game; an empty rule set means the game's defaults.

    Raises
    ------
    ValueError
        If there is no such game, or by the game, if the rule set is wrong.
    """
    if name not in _games:
        raise ValueError(f"unknown game {name!r}; expected one of {', '.join(registered_games())}")
    return _games[name].maker({} if ruleset is None else ruleset, skip_forced)


def preset_names(name: str) -> tuple[str, ...]:
    """The presets of a game's rules, the usual one first; empty for a game without any."""
    return _games[name].presets if name in _games else ()


def make_preset_env(name: str, players: int | None, rules: str) -> GameAECEnv:
    """The raw environment of a game under a named preset of its rules.

    Raises
    ------
    ValueError
        If there is no such game or it has no presets, or by the game, if it has not this one.
    """
    make = _games[name].preset_maker if name in _games else None
    if make is None:
        known = ", ".join(game for game in registered_games() if _games[game].preset_maker)
        raise ValueError(f"no presets are known for game {name!r}; expected one of {known}")
    return make(players, rules)


def _jerusalem_v0(ruleset: Mapping[str, Any], skip_forced: bool) -> GameAECEnv:
    from . import jerusalem_v0

    rules = jerusalem_v0.RuleSet.from_dict(ruleset)
    return jerusalem_v0.raw_env(rules=rules, skip_forced=skip_forced)


def _jerusalem_v0_preset(players: int | None, rules: str) -> GameAECEnv:
    from . import jerusalem_v0

    return jerusalem_v0.raw_env(players, rules)


register_game("jerusalem_v0", _jerusalem_v0, _jerusalem_v0_preset, tuple(PRESETS))
