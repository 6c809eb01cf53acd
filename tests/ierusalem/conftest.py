"""Shared equipment of the tests of Ierusalem."""

from __future__ import annotations

import pytest

from tests.ierusalem.table import ENGINES


@pytest.fixture(params=ENGINES)
def which(request: pytest.FixtureRequest) -> str:
    """The engine a case is played on; every test that asks for it runs on both."""
    name: str = request.param
    return name
