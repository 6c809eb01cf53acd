"""Text for the terminal: colours of seats, logs, bars of probabilities. Knows no game."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import IO

import numpy as np

from ..envs.opponents import Judgement
from .timeline import likeliest

# Colours of a 256-colour terminal near those of the pictures; names always tell seats apart too.
_SEAT_COLOURS = ("38;5;31", "38;5;166", "38;5;227", "38;5;74")
_SEAT = re.compile(r"\bP([0-9])\b")
_BAR = 20  # characters that mean 100 %


class Paint:
    """Adds colours where the output can show them and ``NO_COLOR`` is not set."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self.on = out.isatty() and not os.environ.get("NO_COLOR")

    def seats(self, text: str) -> str:
        """The names of seats, such as ``P2``, in the seat's colour."""
        return _SEAT.sub(self._seat, text) if self.on else text

    def _seat(self, match: re.Match[str]) -> str:
        colour = _SEAT_COLOURS[int(match[1]) % len(_SEAT_COLOURS)]
        return f"\033[1;{colour}m{match[0]}\033[0m"

    def clear(self) -> None:
        """Wipe the terminal, what has scrolled out of sight too."""
        if self._out.isatty():
            print("\033[2J\033[3J\033[H", end="", file=self._out, flush=True)

    def strong(self, text: str) -> str:
        """Bold text."""
        return f"\033[1m{text}\033[0m" if self.on else text


def pressed(lines: Iterable[str]) -> list[str]:
    """The lines, one that comes several times in a row once, with how often."""
    found = [(line, sum(1 for _ in same)) for line, same in groupby(lines)]
    return [line if times == 1 else f"{line} (×{times})" for line, times in found]


def log_lines(steps: Iterable[Sequence[str]]) -> list[str]:
    """What happened in decisions, each a list of lines: consequences follow their action."""
    told = [f"{lines[0]}; {'; '.join(lines[1:])}" if lines[1:] else lines[0] for lines in steps]
    return pressed(told)


def named(players: Sequence[str | None], seat: int | None = None) -> str:
    """Who plays which seat, in a line."""
    who = [
        f"P{number} {name or ('you' if number == seat else 'a person')}"
        for number, name in enumerate(players)
    ]
    return ", ".join(who)


def judgement_line(judgement: Judgement, names: Sequence[str], most: int = 3) -> str:
    """The likeliest choices and the value in a line."""
    parts = [f"{choice} {chance:.0%}" for choice, chance in likeliest(judgement, names, most)]
    if judgement.values is not None and np.isfinite(judgement.values[0]):
        parts.append(f"value {judgement.values[0]:+.3f}")
    return ", ".join(parts)


def judgement_text(
    name: str, judgement: Judgement, names: Sequence[str], taken: str | None = None
) -> str:
    """An agent's likeliest choices as bars, and what it expects."""
    lines = [f"{name} would choose:"]
    for choice, chance in likeliest(judgement, names):
        bar = "█" * round(chance * _BAR)
        mark = "  <- taken" if choice == taken else ""
        lines.append(f"  {chance:>6.1%} {bar:<{_BAR}} {choice}{mark}")
    if judgement.values is not None and np.isfinite(judgement.values[0]):
        lines.append(f"  value {judgement.values[0]:+.3f} ({judgement.meaning})")
    return "\n".join(lines)
