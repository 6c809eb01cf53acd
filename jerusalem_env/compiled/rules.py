"""What a compiled game is made of: its own kernels, by name.

Everything else in this folder is made from a ``Rules`` by factories, once each, and compiled for a
game only when that game uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..kernels import code_digest


class Observer(NamedTuple):
    """The kernels that write what a seat sees, for one number of players and information mode.

    Attributes
    ----------
    encode : kernel (s, me, out)
        Write to ``out`` (F,) uint8 what seat ``me`` sees of a state, or what seat 0 of a view sees:
        the same for both. Writes every entry; ``out`` may be longer.
    encode_state : kernel (s, scratch, out)
        Write to ``out`` (K,) uint8 seat 0's observation, then what is hidden; ``scratch`` is a
        view record.
    needs_view : bool
        ``encode`` is right for views only, so that ``look`` must come before it. False is faster.
    """

    encode: Any
    encode_state: Any
    needs_view: bool = True


class Rules(NamedTuple):
    """A game's own kernels, each a plain ``kernel``, and what its records are.

    ``s`` is a record of ``state_dtype``. Of its fields these are read here: ``players``, ``phase``,
    ``to_act`` (-1 once over), ``decisions`` (taken so far) and ``decision_limit`` (the watchdog).

    Attributes
    ----------
    name : str
        Letters and digits. Tells kernels apart on disk.
    deal : kernel (s, seed)
        A new game from a seed (uint64), into a record that holds the rule set.
    apply : kernel (s, action)
        One legal action; what follows by itself is left to ``settle``. Counts ``decisions`` up.
    settle : kernel (s)
        Everything up to the next decision or the end of the game.
    legal : kernel (s or view, words)
        The packed mask (see ``bits``) of the decision at hand, no flag when over.
    running : kernel (s) -> bool
        Neither over nor stopped by the watchdog.
    look : kernel (s, seat, recall, v)
        Write to ``v`` what the seat sees, turned so that it is seat 0.
    turn : kernel (s, by, t)
        Write to ``t`` the same game with the seats renumbered: seat ``by`` becomes seat 0.
    redeal : kernel (view, key, scratch, state)
        Write to ``state`` a full state, the observer in seat 0, drawn by ``key`` (uint64) from what
        the view leaves open, keys of chance to come included. ``scratch`` is (redeal_scratch,)
        int64.
    utility : kernel (s, seat, reward) -> float64
        Of a seat in a game that is over; ``reward`` is the place of its name among the game's.
    observers : function (players, recall) -> Observer
        Called once each.
    over_phase : int
        What ``phase`` is once the game is over.
    redeal_scratch : int
    state_dtype, view_dtype : numpy.dtype
    num_actions : int
    longest_row : int
        At least as many entries as any observation or state vector has.
    """

    name: str
    deal: Any
    apply: Any
    settle: Any
    legal: Any
    running: Any
    look: Any
    turn: Any
    redeal: Any
    utility: Any
    observers: Callable[[int, bool], Observer]
    over_phase: int
    redeal_scratch: int
    state_dtype: np.dtype
    view_dtype: np.dtype
    num_actions: int
    longest_row: int


@cache
def _digest(rules: Rules) -> str | None:
    """``code_digest`` of all of it: kernels may also be those of a game outside this package."""
    kernels = (rules.deal, rules.apply, rules.settle, rules.legal, rules.running, rules.look)
    others = (rules.turn, rules.redeal, rules.utility, rules.observers)
    return code_digest(*kernels, *others)


def keeping(rules: Rules, *parts: object) -> dict[str, Any]:
    """How an entry that is made for a game is told from others on disk: for ``entry_kernel``.

    Parameters
    ----------
    rules : Rules
    *parts
        What else it is made for; with a digest of None among them it is not kept.
    """
    digest = _digest(rules)
    variant = " ".join(str(part) for part in (rules.name, *parts, digest))
    return {"variant": variant, "cached": None not in (digest, *parts)}


def mode(recall: bool) -> str:
    """Name of an information mode."""
    return "recall" if recall else "screen"


def form(as_bytes: bool) -> str:
    """Name of an observation's form."""
    return "uint8" if as_bytes else "float32"
