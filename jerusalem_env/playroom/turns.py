"""One at a time, in the order of asking: agents that requests of many threads ask."""

from __future__ import annotations

import threading


class Turns:
    """A lock that goes to threads in the order in which they asked for it.

    A ``threading.Lock`` may go again and again to the thread that has just released it: one that
    judges a whole game, decision by decision, would hold up every table.

    Attributes
    ----------
    asked : int
        How often it was asked for.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.asked = self._served = 0

    def __enter__(self) -> None:
        """Wait for all that asked before."""
        with self._changed:
            mine, self.asked = self.asked, self.asked + 1
            self._changed.wait_for(lambda: self._served == mine)

    def __exit__(self, *_: object) -> None:
        """The next one's turn."""
        with self._changed:
            self._served += 1
            self._changed.notify_all()


THINKING = Turns()
"""Held by whoever makes or asks an agent. Kernels of agents may run on all cores, and not every
library that Numba runs them with can be entered by two threads: its workqueue ends the process.

Whoever also needs a table's lock takes this one first, so that a table whose agents wait for their
turn can be looked at.
"""
