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


@pytest.hookimpl(trylast=True)  # when what is left out is out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules of long tests, and with the second game in the middle.

    Every worker of xdist gets an equal part of the list and begins at its front; one that has
    nothing left takes from another's end. So no long test comes last; and while the compile cache
    is empty, two workers do not both compile the same game first.
    """
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)  # modules stay together, for their fixtures
    first, second = (
        [item for item in items if ("ierusalem" in item.path.parts) == is_second]
        for is_second in (False, True)
    )
    middle = len(items) // 2
    items[:] = [*first[:middle], *second, *first[middle:]]


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
