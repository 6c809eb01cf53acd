"""What spaces and seats of the Last Supper are worth to a seat; see ``worth``."""

from __future__ import annotations

import numpy as np

from jerusalem_env.bits import count_bits, lowest_bit
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.engine.scoring import value_at
from jerusalem_env.ierusalem.engine.state import ALL_SPACES, AROUND_MASKS, JESUS_SPACES
from jerusalem_env.ierusalem.rules.codes import (
    STEP_CALL,
    STEP_DENARII,
    STEP_FISH,
    STEP_MAHANE,
    STEP_MEETING,
    STEP_NONE,
    STEP_POINTS,
    STEP_STONE,
)
from jerusalem_env.ierusalem.rules.names import AROUND, NUM_SEATS, NUM_SPACES
from jerusalem_env.kernels import kernel

from .worth import NOTHING, call_worth

PAY, FREE, TRADE = 0, 1, 2  # how a space is paid: with resources, invited, after trading at will

# The seat that a space lies around, -1 for none, and its distance (R14.3).
SEAT_OF_SPACE = np.full(NUM_SPACES, -1, dtype=np.int64)
DISTANCE = np.zeros(NUM_SPACES, dtype=np.int64)
for _place in range(NUM_SEATS):
    for _distance in range(3):
        for _space in range(NUM_SPACES):
            if (AROUND[_place][_distance] >> _space) & 1:
                SEAT_OF_SPACE[_space] = _place
                DISTANCE[_space] = _distance


AROUND_ALL = np.array(
    [sum(distances[:3]) for distances in AROUND], dtype=np.int64
)  # (12,) masks of all spaces around a seat
AROUND_NONE = ALL_SPACES & ~int(np.bitwise_or.reduce(AROUND_ALL))


# --- the Supper: spaces ----------------------------------------------------------------------
@kernel
def open_worth(s, me, place, own, distance, scene, p):
    """Points expected of a space around an open seat of the table; ``own`` 1 if it is taken by me.

    The more own followers wait around a seat, the likelier one seats an Apostle there oneself.
    """
    around = AROUND_ALL[place]
    friends = count_bits(s.supper[me] & around) - own
    rivals = count_bits(scene.others & around)
    chance = scene.chance * (1.0 + p.friends * friends - p.rivals * rivals)
    worth = max(chance, 0.0) * (p.apostle - distance)
    if scene.guest >= 0 and own == 0:  # the follower would meet the Apostle of this turn there
        there = seat_worth(s, me, place, scene.guest, scene, p) - scene.guest_worth
        there += value_at(s, scene.guest, distance) * (2.0 if scene.guest == L.ORANGE else 1.0)
        worth = max(worth, there)
    return worth


@kernel
def place_worth(s, me, space, scene, p):
    """Points that a follower on a space has or may still get for ``me`` (R18.3, R18.4)."""
    if (JESUS_SPACES >> space) & 1:
        return 1.0 * s.jesus_points
    place = SEAT_OF_SPACE[space]
    if place < 0:
        return 0.0
    if s.seats[place] >= 0:
        return 1.0 * value_at(s, s.seats[place], DISTANCE[space])
    own = (s.supper[me] >> space) & 1
    return open_worth(s, me, place, own, DISTANCE[space], scene, p)


@kernel
def effect_worth(s, me, space, scene, p):
    """Worth of the effect of a space (R14.5)."""
    step = s.space_effect[space]
    if step == STEP_NONE:
        return 0.0
    if step == STEP_POINTS:
        return 1.0 * s.space_amount[space]
    if step == STEP_DENARII:
        return s.space_amount[space] * scene.denarius
    if step == STEP_MEETING:
        return scene.meeting
    if step == STEP_CALL:
        return call_worth(s, me, scene, p)
    if step == STEP_MAHANE:
        return scene.mahane
    if step >= STEP_STONE and step <= STEP_FISH:
        return scene.goods[step - STEP_STONE] * s.gain_amount[step - STEP_STONE]
    return 0.0


@kernel
def payable(s, space, how, wealth):
    """Whether a space can be paid after trade: ``wealth`` in Denarii covers it (A33, A37)."""
    if how != TRADE:
        return True
    price = s.trade_price[0] * s.space_cost[space, 0] + s.trade_price[1] * s.space_cost[space, 1]
    return price + s.trade_price[2] * s.space_cost[space, 2] <= wealth


@kernel
def best_space(s, me, how, stone, bread, fish, scene, p):
    """(best empty space, its worth less its cost), paid from so many resources; or (-1, NOTHING).

    ``how`` is PAY, FREE (invited) or TRADE: then what is left over is sold, what is missing bought.
    """
    best, best_worth = -1, NOTHING
    spaces = scene.empty
    wealth = 0
    if how == PAY:
        spaces &= ~s.space_needs[0, min(stone, 7)]
        spaces &= ~s.space_needs[1, min(bread, 7)]
        spaces &= ~s.space_needs[2, min(fish, 7)]
    elif how == TRADE:
        wealth = s.denarii[me] + s.trade_price[0] * stone
        wealth += s.trade_price[1] * bread + s.trade_price[2] * fish
    priced = 0.0 if how == FREE else 1.0
    stone_worth, bread_worth, fish_worth = scene.goods
    for place in range(NUM_SEATS + 1):
        near = spaces & (AROUND_ALL[place] if place < NUM_SEATS else AROUND_NONE)
        if near == 0:
            continue
        # Around an open seat worth falls by a steady step per distance, unless a guest is to come.
        opened = place < NUM_SEATS and s.seats[place] < 0
        first, step = 0.0, 0.0
        if opened and scene.guest < 0:
            first = open_worth(s, me, place, 0, 0, scene, p)
            step = first / p.apostle
        while near != 0:
            space = lowest_bit(near)
            near &= near - 1
            if not payable(s, space, how, wealth):
                continue
            if place == NUM_SEATS:
                worth = 1.0 * s.jesus_points if (JESUS_SPACES >> space) & 1 else 0.0
            elif not opened:
                worth = 1.0 * value_at(s, s.seats[place], DISTANCE[space])
            elif scene.guest < 0:
                worth = first - step * DISTANCE[space]
            else:
                worth = open_worth(s, me, place, 0, DISTANCE[space], scene, p)
            cost = s.space_cost[space, 0] * stone_worth + s.space_cost[space, 1] * bread_worth
            cost += s.space_cost[space, 2] * fish_worth
            worth += effect_worth(s, me, space, scene, p) - priced * cost
            if worth > best_worth:
                best, best_worth = space, worth
    return best, best_worth


@kernel
def go_worth(s, me, how, stone, bread, fish, scene, p):
    """Worth of a Go to the Last Supper or an invitation (R13.1 to R13.3); at least 0."""
    if s.areas[me, 0] + s.areas[me, 1] + s.areas[me, 2] == 0:
        return 0.0  # R13.2
    _, worth = best_space(s, me, how, stone, bread, fish, scene, p)
    return max(worth + arrival_worth(scene), 0.0) if worth > NOTHING else 0.0


@kernel
def arrival_worth(scene):
    """What every arrival at the Supper brings beside its space: an Offering, one follower more."""
    return scene.offering + scene.follower - scene.worker  # who leaves his area


@kernel
def worst_own(s, me, scene, p):
    """(own space worth least, its worth); (-1, NOTHING) without a follower at the Supper."""
    worst, least = -1, -NOTHING
    spaces = s.supper[me]
    while spaces != 0:
        space = lowest_bit(spaces)
        spaces &= spaces - 1
        worth = place_worth(s, me, space, scene, p)
        if worth < least:
            worst, least = space, worth
    return worst, least if worst >= 0 else NOTHING


@kernel
def change_worth(s, me, scene, p):
    """Worth of Change Places: the worst own follower to the best empty space (R13.7)."""
    worst, least = worst_own(s, me, scene, p)
    space, worth = best_space(s, me, FREE, 0, 0, 0, scene, p)
    if worst < 0 or space < 0:
        return 0.0
    return max(worth - least, 0.0)


@kernel
def swap_worth(s, me, scene, p):
    """(another's space worth most in exchange for the worst own one, the gain) (R7.7)."""
    worst, least = worst_own(s, me, scene, p)
    best, best_gain = -1, 0.0
    if worst < 0:
        return best, best_gain
    spaces = scene.others
    while spaces != 0:
        space = lowest_bit(spaces)
        spaces &= spaces - 1
        gain = (place_worth(s, me, space, scene, p) - least) * (1.0 + p.spite / (s.players - 1))
        if gain > best_gain:
            best, best_gain = space, gain
    return best, best_gain


# --- the Supper: seats -----------------------------------------------------------------------
@kernel
def seat_worth(s, me, place, colour, scene, p):
    """Points of an Apostle on a seat: own followers around it, less the others' (R18.3, R7.6)."""
    mine, theirs = 0, 0
    for distance in range(3):
        spaces = AROUND_MASKS[place, distance]
        value = value_at(s, colour, distance)
        mine += value * count_bits(spaces & s.supper[me])
        theirs += value * count_bits(spaces & scene.others)
    worth = mine - p.spite * theirs / (s.players - 1)
    if colour == L.ORANGE:
        worth += mine  # scored now and at the end
        if s.orange_own == 0:
            worth -= p.spite * theirs / (s.players - 1)
    if scene.vacancy != 0.0:
        room = count_bits(scene.empty & AROUND_ALL[place])
        worth += scene.vacancy * room * s.apostle_value[colour]
    return worth


@kernel
def best_seat(s, me, colour, scene, p):
    """(best empty seat for an Apostle, its worth); (-1, NOTHING) if the table is full."""
    best, best_worth = -1, NOTHING
    for place in range(NUM_SEATS):
        if s.seats[place] < 0:
            worth = seat_worth(s, me, place, colour, scene, p)
            if worth > best_worth:
                best, best_worth = place, worth
    return best, best_worth


@kernel
def thanks_worth(s, me, colour, scene, p):
    """Worth of an Apostle's appreciation, the orange one's left to ``seat_worth`` (R7.5-R7.8)."""
    if colour == L.PURPLE:
        return go_worth(s, me, FREE, 0, 0, 0, scene, p)
    if colour == L.WHITE:
        _, gain = swap_worth(s, me, scene, p)
        return gain
    if colour == L.JUDAS:
        return s.judas_denarii * scene.denarius
    return 0.0


@kernel
def colour_worth(s, me, colour, scene, p):
    """Worth of seating an Apostle of a colour in the best way."""
    _, worth = best_seat(s, me, colour, scene, p)
    return worth + thanks_worth(s, me, colour, scene, p)


@kernel
def column_worths(s, me, scene, p):
    """Worth of a visit to each apostle column, without the points of cards; 0 for an empty one."""
    worths = (
        colour_worth(s, me, 0, scene, p),
        colour_worth(s, me, 1, scene, p),
        colour_worth(s, me, 2, scene, p),
        colour_worth(s, me, 3, scene, p),
    )
    return (
        _best_left(s, 0, worths, p),
        _best_left(s, 1, worths, p),
        _best_left(s, 2, worths, p),
    )


@kernel
def _best_left(s, column, worths, p):
    """Worth of the best Apostle left in a column."""
    best = NOTHING
    for colour in range(4):
        if s.apostles[column, colour] > 0:
            best = max(best, worths[colour])
    return best + p.visit if best > NOTHING else 0.0
