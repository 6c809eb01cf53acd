"""Two steps a seat; at the second the mask hides every action but the good one."""

from __future__ import annotations

import numpy as np

from .base import ToyGame, one_hot

RED, GREEN, BLUE, GREY = range(4)

# (2, 3) float64: what each place gains by its first step, RED, GREEN or BLUE.
GAINS = np.array([[-0.5, 0.0, 0.5], [-0.5, 0.25, 0.0]])
BEST = (BLUE, GREEN)  # the first step of each place
VALUE = 0.25  # of the game for place 0


class MaskedStepsGame(ToyGame):
    """Choose a gain, then go through the one open door.

    Rules
        Two players take turns, two decisions each. At its first step a seat takes RED, GREEN or
        BLUE, of which each is worth another gain (``GAINS``) to the opener and to the other. At its
        second step only RED is legal. GREY is legal nowhere. A seat is paid its gain less its
        opponent's.
    Optimum
        A gain depends on the seat's own choice alone, so the highest is dominant: BLUE for the
        opener (0.5), GREEN for the other (0.25). The opener's value is 0.5 - 0.25 = 0.25.
    Proves
        Masks. A seat sees its place alone: both steps look the same, only the mask tells them
        apart, and the action forced at the second is the worst of the first. So no policy without
        masks can play this game, however long it learns; and probabilities that are computed with
        the mask of another decision, or none, are not those that actions were drawn with.
    """

    name = "masked_steps_v0"
    players = 2
    action_names = ("red", "green", "blue", "grey")
    longest = 4

    def allowed(self, states: np.ndarray) -> np.ndarray:
        """(B, 4) bool: three colours at the first step, then RED alone."""
        choosing = states["decisions"][:, None] < self.players
        return np.where(choosing, np.arange(4) != GREY, np.arange(4) == RED)

    def finished(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool."""
        return states["decisions"] >= self.longest

    def payoffs(self, states: np.ndarray) -> np.ndarray:
        """(B, 2) float64: own gain less the opponent's, by place."""
        chosen = np.clip(states["history"][:, : self.players], RED, BLUE)
        gains = GAINS[np.arange(self.players), chosen]
        return gains - gains[:, ::-1]

    def entries(self, views: np.ndarray) -> np.ndarray:
        """(B, 2): own place."""
        return one_hot(self.places(views, np.zeros(len(views), dtype=np.int64)), 2)
