"""What goods, followers and Meetings are worth to a seat at a decision, in victory points.

Kernels read a record ``s`` as the seat ``me``: a view (``me`` 0), or in playouts a state. Of a
state they read nothing that the seat could not see (VII.g): its own hand, and of its own deck and
discards together only which cards they must be, as all its other cards lie open.

``p`` is a record of weights with the fields of ``greedy.GreedyParameters``.
"""

from __future__ import annotations

from typing import NamedTuple

from jerusalem_env.bits import count_bits
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.engine.places import call_bits
from jerusalem_env.ierusalem.engine.sanhedrin import judged_number
from jerusalem_env.ierusalem.engine.scoring import value_at
from jerusalem_env.ierusalem.engine.state import ALL_SPACES, AROUND_MASKS, JESUS_SPACES
from jerusalem_env.ierusalem.rules.names import NUM_SEATS
from jerusalem_env.kernels import kernel

NOTHING = -1e9  # worth of what cannot be had


class Scene(NamedTuple):
    """What holds throughout one decision. Worths are in victory points."""

    left: float  # own turns still to come after this one, about
    later: float  # chance that there is time for one more card of a set
    denarius: float
    goods: tuple[float, float, float]  # a Stone, Bread, Fish
    worker: float  # a follower in an area, there being no other
    square: float  # a free square of the camp
    symbol: float  # a symbol held
    mahane: float  # drawing a Mahane card
    xxxiii: float  # drawing a XXXIII card
    offering: float  # an Offering, its point included
    follower: float  # one follower more at the Supper, wherever
    tile: float  # one Parable more, beside its points and those of the set
    favor: float  # one Favor more, beside its points
    meeting: float  # a Meeting now
    chance: float  # that an open seat of the table is taken by an Apostle in time
    vacancy: float  # an empty space around an Apostle just seated, as a share of his value
    empty: int  # mask of the empty spaces
    others: int  # mask of the spaces of the other players
    waste: float  # lost with each action of a played card that brings nothing
    guest: int  # colour of the Apostle that will be seated this turn, -1 none
    guest_worth: float  # worth of seating him as things stand


# --- the whole -------------------------------------------------------------------------------
@kernel
def apostles_to_seat(s):
    """Apostles that are not seated yet."""
    total = 0
    for column in range(3):
        for colour in range(4):
            total += s.apostles[column, colour]
    return total


@kernel
def turns_left(s, p):
    """Turns that each player still has after this one, about (R17.1, R5.2)."""
    pace = p.pace * s.players
    if s.judgments_on == 0:
        pace += s.players
    return (s.last_space - s.sanhedrin) / pace


@kernel
def judgment_ahead(s):
    """The judgment that a Meeting now would meet, as an index of the track; -1 if none (R11.3)."""
    if s.judgments_on == 0 or s.sanhedrin >= s.last_space:
        return -1
    found = -1
    for index in range(6):
        if s.judgment_space[index] == s.sanhedrin + 1:
            found = index
    return found


@kernel
def meeting_worth(s, me, p):
    """Points of a Meeting now: the judgment's, against what the others have of it (R11)."""
    index = judgment_ahead(s)
    if index < 0:
        return 0.0
    worth = 1.0 * judged_number(s, s.judgments[index], me)
    for seat in range(s.players):
        if seat != me:
            theirs = judged_number(s, s.judgments[index], seat) // 2
            worth -= p.spite * theirs / (s.players - 1)
    return worth


@kernel
def others_spaces(s, me):
    """Mask of the spaces of the other players at the Supper."""
    spaces = 0
    for seat in range(s.players):
        if seat != me:
            spaces |= s.supper[seat]
    return spaces


@kernel
def scene_of(s, me, p):
    """The scene of a decision of ``me``, by weights that lose their worth towards the end."""
    left = turns_left(s, p)
    soon = min(1.0, left / p.horizon)
    others = others_spaces(s, me)
    return Scene(
        left,
        min(1.0, left / p.setting),
        p.denarius * soon,
        (p.stone * soon, p.bread * soon, p.fish * soon),
        p.worker * soon,
        p.square * soon,
        p.symbol * soon,
        p.mahane * soon,
        p.xxxiii * soon,
        s.offering_points + p.offering * soon,
        p.follower * soon,
        0.0,
        0.0,
        meeting_worth(s, me, p),
        p.open_seat * min(1.0, left / p.seating) if apostles_to_seat(s) > 0 else 0.0,
        0.0,
        ALL_SPACES & ~(others | s.supper[me] | s.supper[L.NEUTRAL]),
        others,
        0.0,
        -1,
        0.0,
    )


@kernel
def standing(s, seat):
    """Points that a seat would have if the game ended now, without its Illumination (R18)."""
    total = s.points[seat] + s.parable_end[s.parables[seat]]
    total += s.offerings[seat] * s.offering_points
    total += count_bits(s.supper[seat] & JESUS_SPACES) * s.jesus_points
    for place in range(NUM_SEATS):
        if s.seats[place] >= 0:
            for distance in range(3):
                there = s.supper[seat] & AROUND_MASKS[place, distance]
                if there != 0:
                    total += count_bits(there) * value_at(s, s.seats[place], distance)
    return total


# --- followers in areas ----------------------------------------------------------------------
@kernel
def call_worth(s, me, scene, p):
    """Worth of calling a follower to the best area (R13.6)."""
    bits = call_bits(s, me)
    best = 0.0
    for area in range(3):
        if (bits >> area) & 1:
            best = max(best, worker_worth(s, me, area, scene, p))
    return best


@kernel
def worker_worth(s, me, area, scene, p):
    """Worth of one more own follower in an area."""
    there = s.areas[me, 0] + s.areas[me, 1] + s.areas[me, 2]
    worth = scene.worker * max(1.0 - p.idle * there, 0.0) + scene.square
    return worth + p.harvest * scene.goods[area]


@kernel
def recruit_worth(s, me, area, scene, p):
    """Worth of a follower recruited to a free square of an area, its price paid (R12.3)."""
    return worker_worth(s, me, area, scene, p) - s.recruit_price[area] * scene.denarius
