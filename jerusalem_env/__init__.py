"""The board game Jerusalem (Michele Mura, 2010) as a reinforcement-learning environment.

``jerusalem_v0.env()`` is the PettingZoo AEC environment; importing this package also registers
``jerusalem/jerusalem_v0`` for ``pettingzoo.make("aec", ...)`` and ``Jerusalem-v0`` (one seat
against bots) for ``gymnasium.make``. A second game of the same sources, Ierusalem: Anno Domini
(Carmen García Jiménez, 2023), is ``ierusalem_v0`` in all the same forms.
"""

from __future__ import annotations

import gymnasium

from . import ierusalem_v0, jerusalem_v0
from .errors import (
    IllegalActionError,
    NotResetError,
    PositionError,
    RecordError,
    RuleSetError,
)
from .jerusalem.rules.ruleset import RuleSet

__version__ = "0.1.0"

__all__ = [
    "IllegalActionError",
    "NotResetError",
    "PositionError",
    "RecordError",
    "RuleSet",
    "RuleSetError",
    "__version__",
    "ierusalem_v0",
    "jerusalem_v0",
]


def _register() -> None:
    """Register with gymnasium, and with PettingZoo where it has a registry (from 1.27 on)."""
    for game in ("jerusalem", "ierusalem"):
        name = f"{game.capitalize()}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"jerusalem_env.{game}_v0:solo_env",
                vector_entry_point=f"jerusalem_env.{game}_v0:solo_vec_env",
            )
    try:
        from pettingzoo import aec_registry, register
    except ImportError:  # older PettingZoo: environments are made by jerusalem_v0.env()
        return
    for game in ("jerusalem", "ierusalem"):
        if f"jerusalem/{game}-v0" not in aec_registry:
            register("aec", f"jerusalem/{game}_v0", entry_point=f"jerusalem_env.{game}_v0:env")


_register()
