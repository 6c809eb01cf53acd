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


class Keys:
    """The terminal's keys one by one, unechoed, inside a ``with``; as it was after it."""

    def __enter__(self) -> Keys:
        import termios  # not on Windows
        import tty

        self._number = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._number)
        tty.setcbreak(self._number, termios.TCSADRAIN)  # keys that were pressed before count
        return self

    def __exit__(self, *_: object) -> None:
        import termios

        termios.tcsetattr(self._number, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        """Wait for a key: a letter, or ``left``, ``enter``, ``home`` and the like; "" at the end.

        Raises
        ------
        KeyboardInterrupt
            At Ctrl-C.
        """
        letters = os.read(self._number, 1)
        if letters == b"\x1b":
            while len(letters) < 6 and select.select([self._number], [], [], _WAIT)[0]:
                letters += os.read(self._number, 1)
                if letters[1:].decode(errors="replace") in _ESCAPES:
                    break
        while letters and letters[0] >= 0xC0 and not _complete(letters):
            letters += os.read(self._number, 1)
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
