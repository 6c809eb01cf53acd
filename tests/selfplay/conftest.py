"""Every test here has one thread for its networks."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _one_thread(one_thread: None) -> None:
    """See ``tests.conftest.one_thread``."""
