"""The games of this house by name, for whatever names a game in a file (``records.py``).

A maker gets the rule set as JSON-able values and ``skip_forced`` and returns the raw environment.
To add a game, call ``register_game``; nothing else here or in ``records.py`` changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .envs.aec import GameAECEnv
from .jerusalem.rules.ruleset import PRESETS

Maker = Callable[[Mapping[str, Any], bool], GameAECEnv]
PresetMaker = Callable[[int | None, str], GameAECEnv]

_makers: dict[str, Maker] = {}
_preset_makers: dict[str, PresetMaker] = {}
_presets: dict[str, tuple[str, ...]] = {}


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
    if name in _makers:
        raise ValueError(f"a game named {name!r} is registered already")
    _makers[name] = maker
    if preset_maker is not None:
        _preset_makers[name], _presets[name] = preset_maker, presets


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


def preset_names(name: str) -> tuple[str, ...]:
    """The presets of a game's rules, the usual one first; empty for a game without any."""
    return _presets.get(name, ())


def make_preset_env(name: str, players: int | None, rules: str) -> GameAECEnv:
    """The raw environment of a game under a named preset of its rules.

    Raises
    ------
    ValueError
        If there is no such game or it has no presets, or by the game, if it has not this one.
    """
    if name not in _preset_makers:
        known = ", ".join(sorted(_preset_makers))
        raise ValueError(f"no presets are known for game {name!r}; expected one of {known}")
    return _preset_makers[name](players, rules)


def _jerusalem_v0(ruleset: Mapping[str, Any], skip_forced: bool) -> GameAECEnv:
    from . import jerusalem_v0

    rules = jerusalem_v0.RuleSet.from_dict(ruleset)
    return jerusalem_v0.raw_env(rules=rules, skip_forced=skip_forced)


def _jerusalem_v0_preset(players: int | None, rules: str) -> GameAECEnv:
    from . import jerusalem_v0

    return jerusalem_v0.raw_env(players, rules)


register_game("jerusalem_v0", _jerusalem_v0, _jerusalem_v0_preset, tuple(PRESETS))
