"""Signals: the first one asks, and only Ctrl-C insists."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from training.interrupts import ENDINGS, endings_interrupt, first_interrupt

HANDLED = (signal.SIGINT, *ENDINGS)


@pytest.fixture(autouse=True)
def _unchanged() -> Iterator[None]:
    """Nothing stays changed."""
    before = [signal.getsignal(number) for number in HANDLED]
    yield
    assert [signal.getsignal(number) for number in HANDLED] == before


@pytest.mark.parametrize("first", HANDLED)
def test_first_interrupt__asks_once_and_only_ctrl_c_interrupts(first: signal.Signals) -> None:
    asked: list[int] = []
    with endings_interrupt(), first_interrupt(lambda: asked.append(1), ENDINGS):
        for number in (first, *ENDINGS, *ENDINGS):
            signal.raise_signal(number)
        assert asked == [1]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_first_interrupt__leaves_other_signals_alone_unless_told() -> None:
    before = [signal.getsignal(number) for number in ENDINGS]
    with first_interrupt(lambda: None):
        assert [signal.getsignal(number) for number in ENDINGS] == before


@pytest.mark.parametrize("number", ENDINGS)
def test_endings__interrupt_once(number: signal.Signals) -> None:
    with endings_interrupt():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        for other in ENDINGS:  # while it is cleaned up
            signal.raise_signal(other)


def test_endings__that_are_ignored_stay_so() -> None:
    usual = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    asked: list[int] = []
    try:
        with endings_interrupt(), first_interrupt(lambda: asked.append(1), ENDINGS):
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, usual)
    assert asked == []


def test_endings__other_threads_get_no_signals() -> None:
    def run() -> None:
        with endings_interrupt(), first_interrupt(lambda: None, ENDINGS):
            pass

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()
