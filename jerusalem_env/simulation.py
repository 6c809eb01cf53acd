"""What a game gives to compiled search: kernels that deal what a seat cannot see, and play on.

A search works on its own copies of states that ``redeal`` draws from a view, so it knows no more
than the seat it plays for (P13). Nothing here names a game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Simulation(NamedTuple):
    """A game's kernels for a search.

    Attributes
    ----------
    name : str
        Tells apart simulations whose kernels differ.
    redeal : kernel (view, key, scratch, state)
        Write to ``state`` a full state, the observer in seat 0, drawn by ``key`` (uint64) from what
        the view leaves open.
    legal : kernel (state or view, words)
        Write the packed mask of the decision at hand.
    step : kernel (state, action, words)
        Take a decision and all that follows by itself, forced decisions included; write the next
        packed mask.
    running : kernel (state) -> bool
    to_act : kernel (state) -> seat
    value : kernel (state, seat) -> float in 0..1
        How good the end of a game is for a seat: what the search maximises for it. Rises with
        winning; may tell close from clear.
    scratch : (K,) int64 shape
        What ``redeal`` works in.
    state_dtype : numpy.dtype
    players, num_actions : int
    repeat : kernel (state, action, times, words), optional
        A faster way to call ``step`` up to so many times with the same action: once, and again as
        long as the same seat is to act and may.
    """

    name: str
    redeal: Any
    legal: Any
    step: Any
    running: Any
    to_act: Any
    value: Any
    scratch: int
    state_dtype: np.dtype
    players: int
    num_actions: int
    repeat: Any = None


class Guide(NamedTuple):
    """How a search plays where it does not search, and what it looks at where it does.

    Attributes
    ----------
    choose : kernel (state or view, seat, words, parameters, notes) -> (action, times)
        The default policy: plays all seats in playouts. Reads of a state only what the seat sees.
        The action is played so often in a row, as long as the seat is to act and may. ``notes``
        (K + 1,) float64 stay as it leaves them from one of its decisions in a playout to the next.
    propose : kernel (state or view, seat, words, parameters, actions, ranks) -> count
        Write to ``actions`` (C,) int64 the decisions worth a look, best first, the first being
        ``choose``'s; similar ones (bids, placements) may be left out. ``ranks`` (C,) float64 is
        scratch.
    parameters : array
        What both are given.
    most : int
        C, the most that is proposed.
    notes : int
        K; they are all 0 at the beginning of each playout. After them comes one more, a whole
        number 0..2**53 - 1 drawn for the playout: chance for a policy that needs some.
    """

    choose: Any
    propose: Any
    parameters: np.ndarray
    most: int
    notes: int = 0
