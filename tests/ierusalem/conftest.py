"""Shared equipment of the tests of Ierusalem."""

from __future__ import annotations

import importlib.util

import pytest

from tests.ierusalem.table import ENGINES

HAS_ENGINE = importlib.util.find_spec("jerusalem_env.ierusalem.position") is not None


@pytest.fixture(params=ENGINES)
def which(request: pytest.FixtureRequest) -> str:
    """The engine a case is played on; every test that asks for it runs on both."""
    name: str = request.param
    if name == "engine" and not HAS_ENGINE:
        pytest.skip("no compiled engine")
    return name
