"""The first Ctrl-C asks, the second one interrupts; so may what else ends a process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# From outside: `kill`, `timeout` and service managers; a terminal that closes.
ENDINGS = (signal.SIGTERM, signal.SIGHUP)

_Handler = Callable[[int, Any], None]


@contextmanager
def first_interrupt(
    asked: Callable[[], None], also: Iterable[signal.Signals] = ()
) -> Iterator[None]:
    """Ctrl-C calls ``asked`` the first time, and does what it did before the second time.

    The signals ``also`` ask too, but never interrupt: `timeout` and closing terminals send theirs
    twice. Outside of the main thread, which alone gets signals, nothing changes.
    """
    others = _heard(also)

    def handler(number: int, frame: Any) -> None:
        signal.signal(signal.SIGINT, usual[signal.SIGINT])
        _ignore(others)
        asked()

    with _handled(dict.fromkeys((signal.SIGINT, *others), handler)) as usual:
        yield


@contextmanager
def endings_interrupt() -> Iterator[None]:
    """What ends a process raises KeyboardInterrupt, so that half-written files are cleaned up."""
    numbers = _heard(ENDINGS)

    def handler(number: int, frame: Any) -> None:
        _ignore(numbers)  # a second one would interrupt the cleaning up
        raise KeyboardInterrupt

    with _handled(dict.fromkeys(numbers, handler)):
        yield


def _heard(numbers: Iterable[signal.Signals]) -> tuple[signal.Signals, ...]:
    """Those that are not ignored, as SIGHUP is under `nohup`: that must stay so."""
    return tuple(x for x in numbers if signal.getsignal(x) is not signal.SIG_IGN)


def _ignore(numbers: Iterable[signal.Signals]) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _handled(handlers: Mapping[signal.Signals, _Handler]) -> Iterator[dict[signal.Signals, Any]]:
    """Handle signals so, as long as this lasts; gives what handled them before."""
    usual: dict[signal.Signals, Any] = {}
    if threading.current_thread() is not threading.main_thread():
        yield usual
        return
    try:
        for number, handler in handlers.items():
            usual[number] = signal.getsignal(number)
            signal.signal(number, handler)
        yield usual
    finally:
        for number, before in usual.items():
            signal.signal(number, before)
