"""Kept texts of set positions; written anew with ``python -m tests.ierusalem.texts``."""

from __future__ import annotations

from pathlib import Path

from jerusalem_env.ierusalem.game import IerusalemGame
from tests.ierusalem.positions import Position, at, three_players

FOLDER = Path(__file__).parent
POSITIONS: dict[str, Position] = {"four": at("give"), "three": three_players()}


def text_of(name: str) -> str:
    """The text of a position as seat 1 sees it, with a line break at its end."""
    game = IerusalemGame(players=POSITIONS[name]["ruleset"]["players"])
    return game.render_text(game.read_position(POSITIONS[name])[0], 1) + "\n"


def file_of(name: str) -> Path:
    """Where the text is kept."""
    return FOLDER / f"{name}.txt"
