"""A command at a pseudo-terminal: type, and wait for what it answers."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# The terminal must be the command's own for Ctrl-C to reach it.
_COMMAND = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from jerusalem_env.cli import main
sys.exit(main(sys.argv[1:]))
"""


class PseudoTerminal:
    """Runs ``jerusalem ARGUMENTS`` with a terminal as its input and output."""

    def __init__(self, arguments: Sequence[str], folder: Path, seconds: float = 180.0) -> None:
        self.seconds = seconds
        self.seen = ""  # all output so far
        self._raw = b""
        self._read = 0  # how much of it earlier calls of ``until`` have used up
        self._ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "50"}
        environment.pop("NO_COLOR", None)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _COMMAND, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)

    def type(self, text: str) -> None:
        """Type a line."""
        self.press(text + "\n")

    def press(self, keys: str) -> None:
        """Press keys, nothing after them."""
        os.write(self._ours, keys.encode())

    def press_until(self, keys: str, pattern: str) -> str:
        """Press keys until a pattern comes: between two reads of a program a key can be lost."""
        for _ in range(8):
            self.press(keys)
            try:
                return self.until(pattern, seconds=8.0)
            except AssertionError:
                continue
        return self.until(pattern, seconds=1.0)

    def until(self, pattern: str, seconds: float | None = None) -> str:
        """Wait for a pattern; returns what was printed since the last wait up to its end."""
        latest = time.monotonic() + (self.seconds if seconds is None else seconds)
        while True:
            found = re.search(pattern, self.seen[self._read :])
            if found:
                text = self.seen[self._read : self._read + found.end()]
                self._read += found.end()
                return text
            if not self._more(latest - time.monotonic()):
                raise AssertionError(f"{pattern!r} did not come; the end:\n{self.seen[-3000:]}")

    def end(self) -> int:
        """Wait for the command to end; returns its exit status."""
        latest = time.monotonic() + self.seconds
        while self._more(latest - time.monotonic()):
            pass
        return self.process.wait(10)

    def _more(self, seconds: float) -> bool:
        """Read what comes next; False at the end, or after that time."""
        if seconds <= 0 or not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self._ours, 65536)
        except OSError:  # the other side has closed
            return False
        self._raw += read
        text = self._raw.decode(errors="ignore").replace("\r\n", "\n")
        # Without colours and the cursor's ways, also one of which only the beginning has come.
        self.seen = re.sub(r"\x1b(\[[0-9;?]*([a-zA-Z]|$)|$)|\r$", "", text)
        return bool(read)
