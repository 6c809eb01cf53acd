"""What commands ask about the game that is played: ``--game``, ``--players``, ``--rules``, ..."""

from __future__ import annotations

import argparse
from typing import Any

from agents.registry import agent_names
from jerusalem_env.game import INFORMATION_MODES, Game
from jerusalem_env.games import (
    USUAL_GAME,
    add_game_argument,
    counts_text,
    make_game,
    players_text,
    preset_names,
    registered_games,
    short_name,
    usual_players,
    usual_rules,
)


def add_game_arguments(parser: argparse.ArgumentParser, information_note: str = "") -> None:
    """``--game``, ``--players``, ``--rules`` and ``--information``; see ``settle_game``."""
    usual = {usual_players(name) for name in registered_games()}
    add_game_argument(parser)
    parser.add_argument(
        "--players", type=int, help=f"{players_text()} ({counts_text(tuple(sorted(usual)))})"
    )
    parser.add_argument("--rules", help=rules_text())
    parser.add_argument(
        "--information",
        default="screen",
        choices=INFORMATION_MODES,
        help=f"{information_note + ': ' if information_note else ''}what the table shows, or also "
        "what perfect memory of public play would tell (screen)",
    )


def settle_game(options: argparse.Namespace) -> None:
    """Fill in what was not given of ``players`` and ``rules``: what is usual in the game."""
    if options.players is None:
        options.players = usual_players(options.game)
    if options.rules is None:
        options.rules = usual_rules(options.game)


def game_of(options: argparse.Namespace, **more: Any) -> Game:
    """The game that the options ask for.

    Raises
    ------
    GameError
        If it cannot be made so; the message is the game's own.
    """
    settle_game(options)
    return make_game(
        options.game, options.players, options.rules, information=options.information, **more
    )


def only_first_game(parser: argparse.ArgumentParser, reason: str) -> None:
    """Give a command that is about the first game an option ``--game`` that says so."""
    parser.add_argument(
        "--game",
        default=USUAL_GAME,
        metavar="NAME",
        help=f"{short_name(USUAL_GAME)} only: {reason}",
    )


def refuse_other_games(parser: argparse.ArgumentParser, game: str, reason: str) -> None:
    """End a command that is about the first game if another one is asked for."""
    if game not in (USUAL_GAME, short_name(USUAL_GAME)):
        parser.error(
            f"--game {game}: this command is about {short_name(USUAL_GAME)} alone, as {reason}; "
            "leave --game out"
        )


def agents_text() -> str:
    """The agents of all games, for the help of commands."""
    names = registered_games()
    if len(names) == 1:
        return ", ".join(agent_names(names[0]))
    return "; ".join(f"of {short_name(name)}: {', '.join(agent_names(name))}" for name in names)


def rules_text() -> str:
    """The presets of all games, for the help of commands."""
    with_presets = [name for name in registered_games() if preset_names(name)]
    if len(with_presets) == 1:
        return f"{', '.join(preset_names(with_presets[0]))} (the first of them)"
    found = (f"of {short_name(name)}: {', '.join(preset_names(name))}" for name in with_presets)
    return f"{'; '.join(found)} (the first of them)"
