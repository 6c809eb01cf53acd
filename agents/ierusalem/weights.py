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
    denarius: Moments = (0.18, 0.36, 0.67, 0.6)
    stone: Moments = (0.23, 0.53, 0.82, 1.01)
    bread: Moments = (0.51, 0.14, 0.57, 1.24)
    fish: Moments = (-1.07, 0.45, 1.17, 1.39)
    worker: Moments = (0.51, -0.33, 2.17, 2.04)  # a follower in an area, there being no other
    square: Moments = (-0.11, -0.04, 0.39, 0.23)  # a free square of the camp
    symbol: Moments = (0.08, 1.0, 1.2, 0.28)  # a symbol held
    mahane: Moments = (0.79, 1.01, -0.25, -0.6)  # drawing a Mahane card
    xxxiii: Moments = (0.2, 0.29, 0.81, 0.72)  # drawing a XXXIII card
    offering: Moments = (0.0, -0.03, 0.23, 0.16)  # an Offering, beside its point and judgment
    follower: Moments = (0.15, 1.18, 0.41, 0.63)  # one follower more at the Supper, beside judgment
    tile: Moments = (-0.06, 0.28, 0.54, 0.19)  # one Parable more, beside points, set and judgment
    favor: Moments = (0.14, -0.13, 0.28, 0.28)  # one Favor more, beside points and judgment
    chance: Moments = (0.34, -0.26, 0.91, 1.38)  # that an open seat is taken in time
    vacancy: Moments = (0.12, -0.07, 0.11, -0.05)  # empty space around an Apostle, share of his value
    waste: Moments = (-0.01, 0.28, 0.27, 0.32)  # an action of a played card that brings nothing
    later: Moments = (0.01, 0.7, 0.96, 1.24)  # chance that there is time for another card of a set
    # --- time
    pace: float = 0.37  # steps of the Sanhedrin's marker in a turn of any player
    seat_rate: float = 0.2  # Apostles seated in a turn of any player
    # --- judgments and the end
    judged: float = 0.482  # one more of what a judgment ahead counts and what stays
    fleeting: float = 0.36  # the same for workers and resources, if that judgment is the next
    approach: float = 0.373  # lost with a Meeting that leaves a judgment to the next player
    hurry: float = 0.207  # gained with a Meeting for each 10 points ahead, lost for each behind
    spite: float = 0.102  # weight of what the others gain on average
    # --- followers in areas
    idle: float = -0.044  # share of a worker's worth lost with each other one
    harvest: float = 0.622  # what the area pays that a follower will collect
    # --- the Supper
    apostle: float = 5.65  # value expected on an open seat
    friends: float = 0.173  # more chance of it for each other own follower around
    rivals: float = 0.007  # less of it for each follower of the others around
    # --- sets and cards
    fit: float = 0.891  # weight of a column's worth beside a card's actions
    visit: float = 1.316  # a visit, beside the seat and the appreciation
    with_symbol: float = 0.602  # chance of a set with each symbol that is held
    in_hand: float = 0.578  # with each card that is in the hand
    in_deck: float = 0.48  # with each card still to be drawn
    absent: float = -0.189  # with each symbol that no own card is known to bring
    dead: float = -0.565  # a column that can serve no visit
    visit_least: float = -0.094  # least worth of a visit
    light: float = 2.549  # Illumination: what it must bring beyond its points
    pick: float = 0.145  # share of what a card would bring now that counts when it is chosen
    typical: float = 9.518  # what a card brings on average
    trade: float = 0.623  # the market before a Go, beside what it makes payable
    redistribute: float = 1.163
    # --- Favors
    danger: float = 2.715  # a symbol that gives its receiver a set
    nearer: float = 0.765  # a symbol that brings him nearer to one
    leader: float = 0.136  # each point that the receiver has


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
