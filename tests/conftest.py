"""Shared test equipment."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.table import ENGINES, Dealer

# The same examples every time: a red test stays red, and no run differs from another.
settings.register_profile(
    "jerusalem",
    derandomize=True,
    deadline=None,
    max_examples=30,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("jerusalem")

# A shell starts what runs in the background with Ctrl-C ignored, and that is handed on to every
# process of the tests: those of Ctrl-C would test nothing, and fail.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# And so `nohup` does with hang-ups.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(params=ENGINES)
def deal(request: pytest.FixtureRequest) -> Dealer:
    """Sets up positions and new games; every test that uses it runs on both engines."""
    return Dealer(request.param)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """One thread for networks: two of them crawl as soon as another test runs beside."""
    import torch  # only where it is used

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
