"""What the planner values: its weights, and the record that its kernels read them from.

Worths are in victory points. A weight for four moments is that with 0, 2, 6 and 14 own turns left
after the one at hand, and in between in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

Moments = tuple[float, float, float, float]
TURNS_LEFT = (0.0, 2.0, 6.0, 14.0)


@dataclass(frozen=True)
class Weights:
    """The weights of a planner; a number each, or four by the turns left."""

    # --- goods and followers
    denarius: Moments = (0.24, 0.37, 0.68, 0.65)
    stone: Moments = (0.4, 0.58, 0.79, 0.92)
    bread: Moments = (0.41, 0.3, 0.81, 1.35)
    fish: Moments = (-1.31, 0.27, 0.91, 1.5)
    worker: Moments = (0.26, -0.22, 2.09, 1.88)  # a follower in an area, there being no other
    square: Moments = (-0.1, -0.14, 0.39, 0.3)  # a free square of the camp
    symbol: Moments = (-0.09, 1.0, 1.38, -0.01)  # a symbol held
    mahane: Moments = (0.33, 1.5, -0.4, -0.76)  # drawing a Mahane card
    xxxiii: Moments = (0.46, 0.0, 1.07, 0.72)  # drawing a XXXIII card
    offering: Moments = (-0.02, 0.02, 0.19, 0.12)  # an Offering, beside its point and judgment
    follower: Moments = (0.24, 0.95, 0.45, 0.68)  # a follower more at the Supper, beside judgment
    tile: Moments = (-0.1, 0.27, 0.58, 0.15)  # one Parable more, beside points, set and judgment
    favor: Moments = (0.11, -0.19, 0.17, 0.33)  # one Favor more, beside points and judgment
    chance: Moments = (0.4, -0.46, 1.12, 1.47)  # that an open seat is taken in time
    vacancy: Moments = (0.16, -0.07, 0.09, -0.12)  # empty space around an Apostle, in his values
    waste: Moments = (0.07, 0.17, 0.29, 0.28)  # an action of a played card that brings nothing
    later: Moments = (-0.21, 0.61, 0.98, 1.2)  # chance that there is time for another card of a set
    # --- time
    pace: float = 0.37  # steps of the Sanhedrin's marker in a turn of any player
    seat_rate: float = 0.2  # Apostles seated in a turn of any player
    # --- judgments and the end
    judged: float = 0.509  # one more of what a judgment ahead counts and what stays
    fleeting: float = 0.344  # the same for workers and resources, if that judgment is the next
    approach: float = 0.332  # lost with a Meeting that leaves a judgment to the next player
    hurry: float = 0.189  # gained with a Meeting for each 10 points ahead, lost for each behind
    spite: float = -0.071  # weight of what the others gain on average
    # --- followers in areas
    idle: float = -0.057  # share of a worker's worth lost with each other one
    harvest: float = 0.605  # what the area pays that a follower will collect
    # --- the Supper
    apostle: float = 5.032  # value expected on an open seat
    friends: float = 0.173  # more chance of it for each other own follower around
    rivals: float = -0.019  # less of it for each follower of the others around
    # --- sets and cards
    fit: float = 0.894  # weight of a column's worth beside a card's actions
    visit: float = 1.415  # a visit, beside the seat and the appreciation
    with_symbol: float = 0.684  # chance of a set with each symbol that is held
    in_hand: float = 0.571  # with each card that is in the hand
    in_deck: float = 0.495  # with each card still to be drawn
    absent: float = -0.165  # with each symbol that no own card is known to bring
    dead: float = -0.322  # a column that can serve no visit
    visit_least: float = -0.1  # least worth of a visit
    light: float = 3.006  # Illumination: what it must bring beyond its points
    pick: float = 0.16  # share of what a card would bring now that counts when it is chosen
    typical: float = 8.1  # what a card brings on average
    trade: float = 0.664  # the market before a Go, beside what it makes payable
    redistribute: float = 1.32
    # --- Favors
    danger: float = 2.863  # a symbol that gives its receiver a set
    nearer: float = 0.663  # a symbol that brings him nearer to one
    leader: float = 0.174  # each point that the receiver has


def _is_moments(name: str) -> bool:
    return isinstance(getattr(Weights, name), tuple)


# The same values as a record, so that kernels read them by name.
PLAN = np.dtype(
    [
        (field.name, np.float64, (len(TURNS_LEFT),) if _is_moments(field.name) else ())
        for field in fields(Weights)
    ]
)


def parameters_of(weights: Weights) -> np.ndarray:
    """(1,) PLAN with the weights."""
    parameters = np.zeros(1, dtype=PLAN)
    for field in fields(Weights):
        parameters[field.name][0] = getattr(weights, field.name)
    return parameters
