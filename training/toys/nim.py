"""Nim with one heap: perfect information, and the value of every position is known."""

from __future__ import annotations

import numpy as np

from .base import Dealt, ToyGame, drawn, one_hot

MOST_TAKEN = 3
SMALLEST, LARGEST = 5, 12  # heaps at the start

_PURPOSE_HEAP, _PURPOSE_FIRST = 1, 2


class NimGame(ToyGame):
    """Take 1 to 3 from a heap; who takes the last one wins.

    Rules
        Two players take turns. The heap holds 5 to 12 at the start, and either seat opens; both
        are drawn from the game seed. The winner is paid +1, the loser -1.
    Optimum
        A heap that is a multiple of 4 is lost for the seat to act, whatever it takes: its opponent
        makes it the next smaller multiple. Any other is won, by taking the remainder by 4, and by
        nothing else (Bouton 1901; the subtraction game of 1, 2, 3). So six of the eight heaps at
        the start are won for the opener, and both seats win equally often.
    Proves
        Credit over many decisions of both seats: what is good for one is bad for the other, and the
        best action depends on what is seen. A trainer that takes the opponent's decision for a
        seat's next one, without turning the sign, finds neither moves nor values.
    """

    name = "nim_v0"
    players = 2
    action_names = ("take 1", "take 2", "take 3")
    longest = LARGEST
    dealt = (Dealt("heap_at_start", (), SMALLEST, LARGEST),)

    def deal(self, states: np.ndarray, seeds: np.ndarray) -> None:
        """Draw the heap and who opens."""
        heaps = SMALLEST + drawn(seeds, _PURPOSE_HEAP, LARGEST - SMALLEST + 1)
        states["heap_at_start"] = heaps
        states["first"] = drawn(seeds, _PURPOSE_FIRST, self.players)

    def heaps(self, states: np.ndarray) -> np.ndarray:
        """(B,) int64: what is left, 0..12."""
        # Action a takes a + 1; what is not taken yet stands as -1 and takes 0.
        return states["heap_at_start"] - (states["history"].astype(np.int64) + 1).sum(axis=1)

    def allowed(self, states: np.ndarray) -> np.ndarray:
        """(B, 3) bool: no more than there is."""
        return self.heaps(states)[:, None] > np.arange(MOST_TAKEN)

    def finished(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool."""
        return self.heaps(states) == 0

    def payoffs(self, states: np.ndarray) -> np.ndarray:
        """(B, 2) float64: +1 for the place that took last."""
        # Whose turn it would be did not take last.
        lost = self.place_to_act(states)[:, None] == np.arange(self.players)
        return np.where(lost, -1.0, 1.0)

    def entries(self, views: np.ndarray) -> np.ndarray:
        """(B, 15): whether the observer is to act, or the opponent (2), and the heap (13)."""
        return np.concatenate(
            [one_hot(self.to_act(views), 2), one_hot(self.heaps(views), LARGEST + 1)], axis=1
        )

    def describe(self, state: np.void) -> str:
        """The heap."""
        return f"heap {self.heaps(np.array([state]))[0]} of {state['heap_at_start']}"

    def position_values(self, states: np.ndarray) -> np.ndarray:
        """(B,) float64 for the seat to act under best play: +1 or -1; 0 where nobody is to act."""
        values = np.where(self.heaps(states) % (MOST_TAKEN + 1) == 0, -1.0, 1.0)
        return np.where(self.to_act(states) >= 0, values, 0.0)

    def winning_moves(self, states: np.ndarray) -> np.ndarray:
        """(B, 3) bool: the actions that win against best play, at most one."""
        remainders = self.heaps(states) % (MOST_TAKEN + 1)
        return remainders[:, None] == np.arange(1, MOST_TAKEN + 1)
