"""Points: around an Apostle, and the final count (R7.6, R18)."""

from __future__ import annotations

from ...bits import count_bits
from ...kernels import kernel
from ..rules.names import NUM_SEATS
from .layout import NO_SEAT, PHASE_OVER, STAGE_OVER
from .state import AROUND_MASKS, JESUS_SPACES


@kernel
def value_at(s, colour, distance):
    """Points of a follower at a distance from an Apostle: 1 less in magnitude per step (R18.3)."""
    value = s.apostle_value[colour]
    if value >= 0:
        return max(value - distance, 0)
    return min(value + distance, 0)


@kernel
def points_around(s, place, spaces):
    """Points that followers on a set of spaces (mask) have from the Apostle on a seat."""
    colour = s.seats[place]
    if colour < 0:
        return 0
    total = 0
    for distance in range(3):
        there = spaces & AROUND_MASKS[place, distance]
        if there != 0:
            total += count_bits(there) * value_at(s, colour, distance)
    return total


@kernel
def apostle_points(s, seat):
    """Points of a seat's followers from all seated Apostles as things stand (R18.3)."""
    total = 0
    for place in range(NUM_SEATS):
        if s.seats[place] >= 0:
            total += points_around(s, place, s.supper[seat])
    return total


@kernel
def space_value(s, space):
    """Points that a follower on a space has from seated Apostles and Jesus (R18.3, R18.4)."""
    bit = 1 << space
    if bit & JESUS_SPACES != 0:
        return s.jesus_points * 1
    total = 0
    for place in range(NUM_SEATS):
        if s.seats[place] >= 0:
            total += points_around(s, place, bit)
    return total


@kernel
def end_points(s, seat):
    """What Parables, Offerings and an unused Illumination score at the end (R18.2, R18.5, A45)."""
    return (
        s.parable_end[s.parables[seat]]
        + s.offering_points * s.offerings[seat]
        + s.illumination_points * s.illumination[seat]
    )


@kernel
def final_points(s, seat):
    """What the final count adds to a seat's points (R18.2 to R18.5)."""
    beside_jesus = count_bits(s.supper[seat] & JESUS_SPACES) * s.jesus_points  # R18.4, A46
    return apostle_points(s, seat) + beside_jesus + end_points(s, seat)


@kernel
def is_ahead(s, seat, other):
    """Whether a seat ranks before another (R18.6)."""
    if s.points[seat] != s.points[other]:
        return s.points[seat] > s.points[other]
    if s.illumination[seat] != s.illumination[other]:
        return s.illumination[seat] > s.illumination[other]
    return s.favors_done[seat] > s.favors_done[other]


@kernel
def write_ranks(s):
    """Ranks by the final points; ties share the better one (A49)."""
    for seat in range(s.players):
        rank = 1
        for other in range(s.players):
            if is_ahead(s, other, seat):
                rank += 1
        s.ranks[seat] = rank


@kernel
def finish(s):
    """The final count: the game is over (R18)."""
    for seat in range(s.players):
        s.points[seat] += final_points(s, seat)  # A44: no floor
    write_ranks(s)
    s.stage = STAGE_OVER
    s.phase = PHASE_OVER
    s.to_act = NO_SEAT
    for place in range(s.num_steps):
        s.steps[place] = 0
    s.num_steps = 0
