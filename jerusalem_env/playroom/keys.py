"""Single keys from a terminal."""

from __future__ import annotations

import os
import select
import sys

_ESCAPES = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "[H": "home",
    "[F": "end",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "OH": "home",
    "OF": "end",
    "[1~": "home",
    "[4~": "end",
}
_NAMES = {"\r": "enter", "\n": "enter", "\x7f": "backspace", "\x04": "q"}
_WAIT = 0.05  # seconds for the rest of an arrow key's letters


def read_key() -> str:
    """Wait for a key: a letter, or ``left``, ``enter``, ``home`` and the like; "" at the end.

    Raises
    ------
    KeyboardInterrupt
        At Ctrl-C.
    """
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        letters = os.read(number, 1)
        if letters == b"\x1b":
            while select.select([number], [], [], _WAIT)[0] and len(letters) < 6:
                letters += os.read(number, 1)
                if letters[1:].decode(errors="replace") in _ESCAPES:
                    break
        while letters and letters[0] >= 0xC0 and not _complete(letters):
            letters += os.read(number, 1)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
    text = letters.decode(errors="replace")
    if text.startswith("\x1b"):
        return _ESCAPES.get(text[1:], "escape" if text == "\x1b" else "unknown")
    return _NAMES.get(text, text)


def _complete(letters: bytes) -> bool:
    try:
        letters.decode()
    except UnicodeDecodeError:
        return len(letters) >= 4
    return True
