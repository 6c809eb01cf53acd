"""The games of this house by name: for commands, files and whatever else names a game.

A game has a name with its version, such as ``"jerusalem_v0"``; people may leave the version out
(``game_name``). To add a game, call ``register_game``: nothing else here, in ``records.py`` or in
the commands changes. Its bots register themselves in ``agents.registry``.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .envs.aec import GameAECEnv
from .errors import GameError
from .game import Game
from .ierusalem.rules.ruleset import PRESETS as IERUSALEM_PRESETS
from .jerusalem.rules.ruleset import PRESETS as JERUSALEM_PRESETS

USUAL_GAME = "jerusalem_v0"  # what commands play unless told otherwise

Maker = Callable[[Mapping[str, Any], bool], GameAECEnv]
PresetMaker = Callable[[int | None, str], GameAECEnv]
GameMaker = Callable[..., Game]


@dataclass(frozen=True)
class _Registered:
    """What is known of a game; see ``register_game``."""

    maker: Maker | None
    preset_maker: PresetMaker | None
    presets: tuple[str, ...]
    make: GameMaker | None
    read_rules: Callable[[Mapping[str, Any]], Any] | None
    players: tuple[int, ...]
    usual_players: int | None
    gymnasium_id: str | None
    column_meanings: Callable[[int], dict[str, str]] | None


_games: dict[str, _Registered] = {}


def register_game(
    name: str,
    maker: Maker | None = None,
    preset_maker: PresetMaker | None = None,
    presets: tuple[str, ...] = (),
    *,
    make: GameMaker | None = None,
    read_rules: Callable[[Mapping[str, Any]], Any] | None = None,
    players: tuple[int, ...] = (),
    usual_players: int | None = None,
    gymnasium_id: str | None = None,
    column_meanings: Callable[[int], dict[str, str]] | None = None,
) -> None:
    """Make a game known under its name and version, such as ``"jerusalem_v0"``.

    A game that gives ``make`` and ``read_rules`` needs no ``maker`` and ``preset_maker``; one that
    gives only a ``maker`` can be recorded and replayed, but commands cannot make it.

    Parameters
    ----------
    name : str
    maker : callable, optional
        Takes a rule set as JSON-able values and ``skip_forced``; returns the raw environment.
    preset_maker : callable, optional
        Takes a number of players (None: the usual one) and a preset; returns the raw environment.
    presets : tuple of str
        Names of rule sets, the usual one first; empty for a game without any.
    make : callable, optional
        Returns the ``Game``. Called with those of ``players``, ``rules`` (a preset or a rule-set
        object), ``information``, ``reward`` and ``skip_forced`` that were given, by keyword; what
        is left out is the game's usual. Raises ValueError for what the game cannot be.
    read_rules : callable, optional
        The rule-set object of what ``Game.rules_dict`` wrote; an empty mapping: the usual rules.
    players : tuple of int
        Numbers of players that the game can have, such as ``(2, 3, 4)``.
    usual_players : int, optional
        What commands take unless told; the highest number unless given.
    gymnasium_id : str, optional
        What ``gymnasium.make`` calls one seat of the game against bots.
    column_meanings : callable, optional
        Takes the number of players; returns what each of ``Game.columns`` says, by its name.

    Raises
    ------
    ValueError
        If the name is taken, or nothing is given that makes the game.
    """
    if name in _games:
        raise ValueError(f"a game named {name!r} is registered already")
    if maker is None and (make is None or read_rules is None):
        raise ValueError(f"game {name!r} needs make and read_rules, or a maker")
    _games[name] = _Registered(
        maker,
        preset_maker,
        presets,
        make,
        read_rules,
        players,
        usual_players,
        gymnasium_id,
        column_meanings,
    )


# --- names --------------------------------------------------------------------------------------
def registered_games() -> tuple[str, ...]:
    """Names of all games, sorted."""
    return tuple(sorted(_games))


def short_name(name: str) -> str:
    """A game's name without its version: ``"jerusalem"`` for ``"jerusalem_v0"``."""
    return re.sub(r"_v\d+$", "", name)


def game_name(name: str) -> str:
    """The full name of a game that is named with or without its version.

    Without a version the highest one is meant.

    Raises
    ------
    GameError
        If there is no such game; the message lists those that exist.
    """
    if name in _games:
        return name
    versions = [known for known in _games if short_name(known) == name]
    if not versions:
        known = ", ".join(registered_games()) or "none"
        raise GameError(
            f"unknown game {name!r}; expected one of {known} (the version may be left out)"
        )
    return max(versions, key=lambda known: int(known.rpartition("_v")[2]))


def add_game_argument(parser: argparse.ArgumentParser, default: str | None = USUAL_GAME) -> None:
    """Give a command the option ``--game``; it holds the full name of a game, or the default."""
    parser.add_argument(
        "--game",
        type=_named_game,
        default=default,
        metavar="NAME",
        help=f"{' or '.join(short_name(name) for name in registered_games())} "
        f"({short_name(default or USUAL_GAME)})",
    )


def _named_game(text: str) -> str:
    """``game_name`` as argparse wants its errors."""
    try:
        return game_name(text)
    except GameError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


# --- what is known of a game --------------------------------------------------------------------
def preset_names(name: str) -> tuple[str, ...]:
    """The presets of a game's rules, the usual one first; empty for a game without any."""
    return _games[name].presets if name in _games else ()


def usual_rules(name: str) -> str | None:
    """The preset that a game is played under unless told; None for a game without presets."""
    return next(iter(preset_names(name)), None)


def player_counts(name: str) -> tuple[int, ...]:
    """Numbers of players that a game can have; empty for a game that did not say."""
    return _games[name].players if name in _games else ()


def usual_players(name: str) -> int:
    """How many play a game unless told."""
    known = _known(name)
    if known.usual_players is not None:
        return known.usual_players
    return max(known.players) if known.players else make_raw_env(name).game.players


def counts_text(counts: tuple[int, ...]) -> str:
    """Numbers of players in words: ``"2, 3 or 4"``."""
    *first, last = (str(count) for count in counts)
    return f"{', '.join(first)} or {last}" if first else last


def players_text(name: str | None = None) -> str:
    """What ``--players`` can be, in words: of one game, or of all together."""
    names = registered_games() if name is None else (name,)
    found = sorted({count for known in names for count in player_counts(known)})
    return counts_text(tuple(found)) if found else "as many as the game has seats"


def gymnasium_id(name: str) -> str | None:
    """What ``gymnasium.make`` calls one seat of the game against bots; None if it knows none."""
    return _games[name].gymnasium_id if name in _games else None


def column_meanings(name: str, players: int) -> dict[str, str]:
    """Name -> what it says, of the game's own columns (``Game.columns``); empty if nobody said."""
    told = _games[name].column_meanings if name in _games else None
    return told(players) if told is not None else {}


def _known(name: str) -> _Registered:
    """A game's entry; GameError if there is none. Takes full names: files hold no others."""
    if name not in _games:
        raise GameError(f"unknown game {name!r}; expected one of {', '.join(registered_games())}")
    return _games[name]


# --- making games -------------------------------------------------------------------------------
def make_game(
    name: str = USUAL_GAME, players: int | None = None, rules: Any = None, **options: Any
) -> Game:
    """A game by its name.

    Parameters
    ----------
    name : str
        With or without its version.
    players : int, optional
        The usual number, or that of the rule set, unless given.
    rules : optional
        A preset's name, the game's rule-set object, what ``Game.rules_dict`` wrote, or None for
        the usual rules.
    **options
        ``information``, ``reward``, ``skip_forced``; what is None or left out is the game's usual.

    Raises
    ------
    GameError
        For an unknown game, or one that cannot be made so; its cause is what the game raised.

    Examples
    --------
    >>> from jerusalem_env.games import make_game
    >>> make_game("jerusalem", players=3, reward="rank").players
    3
    """
    name = game_name(name)
    known = _games[name]
    if known.make is None:
        raise GameError(f"game {name!r} is known to files of records alone and cannot be made here")
    try:
        if isinstance(rules, Mapping):
            if known.read_rules is None:
                raise GameError(f"game {name!r} reads no rule sets; pass the name of a preset")
            rules = known.read_rules(rules)
        given = {"players": players, "rules": rules, **options}
        return known.make(**{key: value for key, value in given.items() if value is not None})
    except GameError:
        raise
    except ValueError as error:
        raise GameError(str(error)) from error


def make_raw_env(
    name: str, ruleset: Mapping[str, Any] | None = None, skip_forced: bool = True
) -> GameAECEnv:
    """The raw environment of a game; an empty rule set means the game's defaults.

    Raises
    ------
    ValueError
        If there is no such game, or by the game, if the rule set is wrong.
    """
    known = _known(name)
    if known.maker is not None:
        return known.maker({} if ruleset is None else ruleset, skip_forced)
    return GameAECEnv(make_game(name, rules=dict(ruleset or {}), skip_forced=skip_forced))


def make_preset_env(name: str, players: int | None, rules: str | None = None) -> GameAECEnv:
    """The raw environment of a game under a named preset of its rules; None: the usual rules.

    Raises
    ------
    ValueError
        If there is no such game or it has no presets, or by the game, if it has not this one.
    """
    known = _games.get(name)
    if known is not None and known.preset_maker is not None:
        return known.preset_maker(players, rules or known.presets[0])
    if known is not None and known.make is not None and (known.presets or rules is None):
        return GameAECEnv(make_game(name, players, rules))
    with_presets = ", ".join(game for game in registered_games() if _games[game].presets)
    raise ValueError(f"no presets are known for game {name!r}; expected one of {with_presets}")


# --- the games of this package: from their entry modules, imported at first use ----------------
def _register(name: str, folder: str, game: str, presets: tuple[str, ...], **facts: Any) -> None:
    """Register a game whose entry module is ``jerusalem_env.NAME``.

    ``folder`` holds the game, whose class ``game`` is in its ``game.py``.
    """
    package = __package__

    def entry() -> Any:
        return import_module(f"{package}.{name}")

    def maker(ruleset: Mapping[str, Any], skip_forced: bool) -> GameAECEnv:
        rules = entry().RuleSet.from_dict(ruleset)
        made: GameAECEnv = entry().raw_env(rules=rules, skip_forced=skip_forced)
        return made

    def preset_maker(players: int | None, rules: str) -> GameAECEnv:
        made: GameAECEnv = entry().raw_env(players, rules)
        return made

    def make(**given: Any) -> Game:
        made: Game = getattr(import_module(f"{package}.{folder}.game"), game)(**given)
        return made

    def read_rules(ruleset: Mapping[str, Any]) -> Any:
        return entry().RuleSet.from_dict(ruleset)

    def column_meanings(players: int) -> dict[str, str]:
        if find_spec(f"{package}.{folder}.columns") is None:
            return {}  # the game has no columns of its own
        columns = import_module(f"{package}.{folder}.columns")
        meanings: dict[str, str] = columns.column_meanings(players)
        return meanings

    register_game(
        name,
        maker,
        preset_maker,
        presets,
        make=make,
        read_rules=read_rules,
        column_meanings=column_meanings,
        **facts,
    )


_register(
    "jerusalem_v0",
    "jerusalem",
    "JerusalemGame",
    tuple(JERUSALEM_PRESETS),
    players=(2, 3, 4),
    usual_players=4,
    gymnasium_id="Jerusalem-v0",
)
_register(
    "ierusalem_v0",
    "ierusalem",
    "IerusalemGame",
    tuple(IERUSALEM_PRESETS),
    players=(3, 4),
    usual_players=4,
    gymnasium_id="Ierusalem-v0",
)
