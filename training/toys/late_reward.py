"""Three seats decide once each; all are paid when the last has decided."""

from __future__ import annotations

import numpy as np

from .base import ToyGame, one_hot

LEFT, RIGHT = range(2)

# Actions of places 0, 1 and 2 -> what places 0, 1 and 2 are paid. Each line sums to 0.
RETURNS: dict[tuple[int, int, int], tuple[float, float, float]] = {
    (LEFT, LEFT, LEFT): (0.375, -0.375, 0.0),
    (LEFT, LEFT, RIGHT): (0.125, -0.375, 0.25),
    (LEFT, RIGHT, LEFT): (0.375, -0.125, -0.25),
    (LEFT, RIGHT, RIGHT): (0.125, -0.125, 0.0),
    (RIGHT, LEFT, LEFT): (-0.125, -0.375, 0.5),
    (RIGHT, LEFT, RIGHT): (-0.375, -0.375, 0.75),
    (RIGHT, RIGHT, LEFT): (-0.125, -0.125, 0.25),
    (RIGHT, RIGHT, RIGHT): (-0.375, -0.125, 0.5),
}
BEST = (LEFT, RIGHT, RIGHT)  # the dominant action of each place
VALUES = RETURNS[BEST]

_TABLE = np.array([RETURNS[actions] for actions in np.ndindex(2, 2, 2)]).reshape(2, 2, 2, 3)


class LateRewardGame(ToyGame):
    """A seat's good or bad action is paid only after its opponents have moved.

    Rules
        Three players decide once each, LEFT or RIGHT, in turn; then ``RETURNS`` says what each is
        paid.
    Optimum
        Each seat has an action that is better for it whatever the others do: LEFT for the first
        (by 0.5), RIGHT for the second (by 0.25), RIGHT for the third (by 0.25). With these the
        seats get 0.125, -0.125 and 0.
    Proves
        Only the last seat is paid upon its own move. A trainer that pays the mover alone teaches
        the first two nothing; one that gives all of them what the mover gets, or turns its sign
        from seat to seat, teaches the first the wrong action, since what is good for the first is
        bad for the last. The second seat can only lose, more or less: a trainer that forgets losses
        teaches it nothing (P1, P2).
    """

    name = "late_reward_v0"
    players = 3
    action_names = ("left", "right")
    longest = 3

    def allowed(self, states: np.ndarray) -> np.ndarray:
        """(B, 2) bool: everything."""
        return np.ones((len(states), self.num_actions), dtype=np.bool_)

    def finished(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool."""
        return states["decisions"] >= self.longest

    def payoffs(self, states: np.ndarray) -> np.ndarray:
        """(B, 3) float64 by place."""
        taken = np.maximum(states["history"], LEFT)
        return _TABLE[taken[:, 0], taken[:, 1], taken[:, 2]]

    def entries(self, views: np.ndarray) -> np.ndarray:
        """(B, 9): own place (3), and what each place has done (2 each)."""
        places = self.places(views, np.zeros(len(views), dtype=np.int64))
        done = [one_hot(views["history"][:, place], 2) for place in range(self.players)]
        return np.concatenate([one_hot(places, 3), *done], axis=1)
