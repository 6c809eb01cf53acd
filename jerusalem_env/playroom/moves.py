"""Legal moves for people: grouped by kind, and found from a few typed letters. Knows no game."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..game import Game

_SEPARATORS = re.compile(r"[._]")
_SHOWN = 8  # moves listed when what was typed fits several


class MoveGroup(NamedTuple):
    """Legal moves of one kind.

    Attributes
    ----------
    kind, meaning : str
    actions : list of int
    """

    kind: str
    meaning: str
    actions: list[int]


class NoSuchMoveError(ValueError):
    """What was typed names no legal move, or several; the message lists what it could be."""


def legal_groups(game: Game, mask: np.ndarray) -> list[MoveGroup]:
    """The legal moves of a (A,) mask by kind, in the order of the actions."""
    groups = []
    for block in game.action_blocks:
        last = block.start + len(block.names)
        actions = [action for action in range(block.start, last) if mask[action]]
        if actions:
            groups.append(MoveGroup(block.kind, block.meaning, actions))
    return groups


def moves_text(game: Game, mask: np.ndarray, width: int = 100) -> str:
    """The legal moves as indented lines, a kind each; runs of numbers as ``5 to 20``."""
    lines = []
    for group in legal_groups(game, mask):
        names = [game.action_names[action] for action in group.actions]
        rests = [name.removeprefix(group.kind).strip() for name in names]
        if rests == [""]:
            lines.append(f"  {group.kind:<9} ({group.meaning})")
            continue
        indent = " " * 12
        shown = "  ".join(_runs(rests))
        lines += textwrap.wrap(
            f"  {group.kind:<9} {shown}", width, subsequent_indent=indent, break_long_words=False
        )
    return "\n".join(lines)


def _runs(rests: Sequence[str]) -> list[str]:
    """Texts, with three and more numbers in a row written as their first and last."""
    shown: list[str] = []
    at = 0
    while at < len(rests):
        end = at
        while (
            rests[at].isdecimal()
            and end + 1 < len(rests)
            and rests[end + 1] == str(int(rests[end]) + 1)
        ):
            end += 1
        if end - at >= 2:
            shown.append(f"{rests[at]} to {rests[end]}")
        else:
            shown += rests[at : end + 1]
        at = end + 1
    return shown


def find_move(typed: str, names: Sequence[str]) -> str:
    """The one of ``names`` that was meant.

    A name, or the beginning of each of its words; of a word with parts the beginnings of the
    parts, so ``pl d.t``, ``pl dt`` and ``place david`` all stand for ``place davids_tower``. The
    first word may be left out where that leaves one meaning. Numbers are typed whole.

    Raises
    ------
    NoSuchMoveError
        If it fits none of the names, or more than one.
    """
    tokens = typed.lower().split()
    text = " ".join(tokens)
    if text in names:
        return text
    for skipped in (0, 1):
        found = [name for name in names if _fits(tokens, name.split()[skipped:])]
        if len(found) == 1:
            return found[0]
        if found:
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            raise NoSuchMoveError(
                f"{typed!r} could be: {', '.join(found[:_SHOWN])}{more}; type a little more"
            )
    numbered = any(character.isdecimal() for character in text)  # another number is no misprint
    near = [] if numbered else difflib.get_close_matches(text, names, n=3, cutoff=0.6)
    like = f"did you mean {' or '.join(near)}?" if near else "`moves` lists what is"
    raise NoSuchMoveError(f"{typed!r} is no legal move now; {like}")


def shortened(name: str) -> str:
    """What could be typed for a name: two letters of each word and part, numbers whole."""
    words = [_SEPARATORS.split(word) for word in name.split()]
    return " ".join(
        "".join(part if part[-1:].isdecimal() else part[:2] for part in parts) for parts in words
    )


def _fits(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """Whether each token begins the word at its place."""
    return 0 < len(tokens) <= len(words) and all(map(_begins, tokens, words))


def _begins(token: str, word: str) -> bool:
    if word.lstrip("+").isdecimal():
        return token.lstrip("+") == word.lstrip("+")
    letters = _SEPARATORS.sub("", token)
    return bool(letters) and _consumed(letters, _SEPARATORS.split(word))


def _consumed(letters: str, parts: Sequence[str]) -> bool:
    """Whether letters are beginnings of the first parts, one after the other."""
    if not letters:
        return True
    if not parts:
        return False
    return any(
        parts[0].startswith(letters[:size]) and _consumed(letters[size:], parts[1:])
        for size in range(len(parts[0]), 0, -1)
    )
