"""The first Ctrl-C asks, the second one interrupts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def first_interrupt(asked: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls ``asked`` the first time, and does what it did before the second time.

    Outside of the main thread, which alone gets signals, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, usual)
        asked()

    usual = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
