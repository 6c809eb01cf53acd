"""What spaces, seats, sets and cards are worth to a seat, in victory points.

Kernels read a record ``s`` as the seat ``me``: a view (``me`` 0), or in playouts a state. Of a
state they read nothing that the seat could not see (VII.g): its own hand, and of its own deck and
discards together only which cards they must be, as all its other cards lie open.

``p`` is a record of weights with the fields of ``greedy.GreedyParameters``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jerusalem_env.bits import count_bits, lowest_bit
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.engine.cards import back_of, draw_bits
from jerusalem_env.ierusalem.engine.places import call_bits, free_squares
from jerusalem_env.ierusalem.engine.sanhedrin import judged_number
from jerusalem_env.ierusalem.engine.scoring import value_at
from jerusalem_env.ierusalem.engine.state import ALL_SPACES, AROUND_MASKS, JESUS_SPACES
from jerusalem_env.ierusalem.engine.turn import room_left
from jerusalem_env.ierusalem.rules.codes import (
    BENEFIT_CALL,
    BENEFIT_DENARII,
    STEP_BREAD,
    STEP_CALL,
    STEP_CHANGE,
    STEP_DENARII,
    STEP_DENARIUS,
    STEP_FAVOR,
    STEP_FISH,
    STEP_GO,
    STEP_INVITED,
    STEP_MAHANE,
    STEP_MARKET,
    STEP_MEETING,
    STEP_PARABLE,
    STEP_POINTS,
    STEP_REDISTRIBUTE,
    STEP_STONE,
    STEP_TEMPLE,
    STEP_VP3,
    STEP_XXXIII,
)
from jerusalem_env.ierusalem.rules.names import AROUND, NUM_SEATS, NUM_SPACES
from jerusalem_env.kernels import kernel

NOTHING = -1e9  # worth of what cannot be had
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


class Scene(NamedTuple):
    """What holds throughout one decision."""

    left: float  # own turns still to come after this one, about
    soon: float  # 1 while there is time to use what is gained, falling to 0 at the end
    denarius: float  # worth of one
    goods: tuple[float, float, float]  # worth of a Stone, Bread, Fish
    meeting: float  # worth of a Meeting now
    empty: int  # mask of the empty spaces
    others: int  # mask of the spaces of the other players
    chance: float  # that an open seat of the table is taken by an Apostle in time
    mahane: float  # worth of drawing a Mahane card
    xxxiii: float  # worth of drawing a XXXIII card


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
def meeting_worth(s, me, p):
    """Points of a Meeting now: the judgment's, against what the others have of it (R11)."""
    if s.judgments_on == 0 or s.sanhedrin >= s.last_space:
        return 0.0
    for index in range(6):
        if s.judgment_space[index] == s.sanhedrin + 1:
            worth = 1.0 * judged_number(s, s.judgments[index], me)
            for seat in range(s.players):
                if seat != me:
                    theirs = judged_number(s, s.judgments[index], seat) // 2
                    worth -= p.spite * theirs / (s.players - 1)
            return worth
    return 0.0


@kernel
def scene_of(s, me, p):
    """The scene of a decision of ``me``."""
    left = turns_left(s, p)
    soon = min(1.0, left / p.horizon)
    others = 0
    for seat in range(s.players):
        if seat != me:
            others |= s.supper[seat]
    empty = ALL_SPACES & ~(others | s.supper[me] | s.supper[L.NEUTRAL])
    chance = p.open_seat * min(1.0, left / p.seating) if apostles_to_seat(s) > 0 else 0.0
    return Scene(
        left,
        soon,
        p.denarius * soon,
        (p.stone * soon, p.bread * soon, p.fish * soon),
        meeting_worth(s, me, p),
        empty,
        others,
        chance,
        p.mahane * soon,
        p.xxxiii * soon,
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


# --- the Supper: spaces ----------------------------------------------------------------------
@kernel
def place_worth(s, me, space, scene, p):
    """Points that an own follower on a space has or may still get (R18.3, R18.4)."""
    if (JESUS_SPACES >> space) & 1:
        return 1.0 * s.jesus_points
    place = SEAT_OF_SPACE[space]
    if place < 0:
        return 0.0
    distance = DISTANCE[space]
    if s.seats[place] >= 0:
        return 1.0 * value_at(s, s.seats[place], distance)
    around = AROUND_MASKS[place, 0] | AROUND_MASKS[place, 1] | AROUND_MASKS[place, 2]
    around &= ~(1 << space)
    friends = count_bits(s.supper[me] & around)
    rivals = count_bits(scene.others & around)
    chance = scene.chance * (1.0 + p.friends * friends - p.rivals * rivals)
    return max(chance, 0.0) * (p.apostle - distance)


@kernel
def effect_worth(s, me, space, scene, p):
    """Worth of the effect of a space (R14.5)."""
    step = s.space_effect[space]
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
def best_space(s, me, how, stone, bread, fish, scene, p):
    """(best empty space, its worth less its cost), paid from so many resources; or (-1, NOTHING).

    ``how`` is PAY, FREE (invited) or TRADE: then with Denarii and what is left over sold.
    """
    best, best_worth = -1, NOTHING
    spaces = scene.empty
    while spaces != 0:
        space = lowest_bit(spaces)
        spaces &= spaces - 1
        cost0, cost1, cost2 = s.space_cost[space, 0], s.space_cost[space, 1], s.space_cost[space, 2]
        worth = 0.0
        if how == PAY:
            if cost0 > stone or cost1 > bread or cost2 > fish:
                continue
        elif how == TRADE:
            # Net of all trade: what is missing is bought, what is left over is sold (A33).
            rest = s.denarii[me] + s.trade_price[0] * (stone - cost0)
            rest += s.trade_price[1] * (bread - cost1) + s.trade_price[2] * (fish - cost2)
            if rest < 0:
                continue
        if how != FREE:
            worth -= cost0 * scene.goods[0] + cost1 * scene.goods[1] + cost2 * scene.goods[2]
        worth += place_worth(s, me, space, scene, p) + effect_worth(s, me, space, scene, p)
        if worth > best_worth:
            best, best_worth = space, worth
    return best, best_worth


@kernel
def go_worth(s, me, how, stone, bread, fish, scene, p):
    """Worth of a Go to the Last Supper or an invitation (R13.1 to R13.3); at least 0."""
    if s.areas[me, 0] + s.areas[me, 1] + s.areas[me, 2] == 0:
        return 0.0  # R13.2
    _, worth = best_space(s, me, how, stone, bread, fish, scene, p)
    return max(worth + arrival_worth(s, me, scene, p), 0.0) if worth > NOTHING else 0.0


@kernel
def arrival_worth(s, me, scene, p):
    """What every arrival at the Supper brings beside its space: an Offering, one follower more."""
    worth = s.offering_points + p.offering * scene.soon + p.at_supper * scene.soon
    return worth - p.worker * scene.soon  # who leaves his area


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


# --- sets ------------------------------------------------------------------------------------
@kernel
def counted(s, cards):
    """Locations of a set of cards (mask), counted, 4 bits each."""
    counts = 0
    while cards != 0:
        card = lowest_bit(cards)
        cards &= cards - 1
        counts += 1 << (4 * s.card_location[card])
    return counts


@kernel
def laid_out(s, me):
    """Mask of all kinds on the own columns."""
    cards = 0
    for column in range(3):
        for place in range(s.column_size[me, column]):
            cards |= 1 << s.columns[me, column, place]
    return cards


@kernel
def cards_to_come(s, me):
    """Mask of the own starting cards in deck and discards: all those that lie nowhere else.

    A starting card in the hand or on the columns is an own one, so the rest is public to ``me``.
    """
    return s.starting_cards[s.colours[me]] & ~(s.hand[me] | laid_out(s, me) | s.pool)


@kernel
def stack_worth(s, me, column, extra, ready, coming, worths, p):
    """Worth of an own column for a set to come, with a card (``extra``, -1 none) put on it.

    ``ready`` and ``coming`` count the locations of the cards that can be played on it soon and
    later; ``worths`` are those of the visits. A column that can serve no more has ``p.dead``.
    """
    size = s.column_size[me, column]
    total = size + 1 if extra >= 0 else size
    if total > 3:
        return p.dead * 1.0  # R7.2
    points = 0
    for place in range(size):
        points += s.card_points[back_of(s.columns[me, column, place])]
    if extra >= 0:
        points += s.card_points[back_of(extra)]
    best = p.dead * 1.0
    for row in range(3):
        matched, needed, chance = 0, 0, 1.0
        for place in range(3):
            symbol = s.symbols[row, place]
            if matched < total:
                card = s.columns[me, column, matched] if matched < size else extra
                if s.card_location[card] == symbol:
                    matched += 1
                    continue
            shift = 4 * symbol
            lacking = ((needed >> shift) & 15) + 1 - s.symbols_held[me, symbol]
            needed += 1 << shift
            if lacking <= 0:
                chance *= p.with_symbol
            elif matched < total:
                chance *= p.absent  # before the last card no other can come any more
            elif lacking <= (ready >> shift) & 15:
                chance *= p.in_hand
            elif lacking <= ((ready >> shift) & 15) + ((coming >> shift) & 15):
                chance *= p.in_deck
            else:
                chance *= p.absent
        if matched == total:
            best = max(best, chance * (worths[row] + points))
    return best


@kernel
def best_column(s, me, card, ready, coming, worths, p):
    """(own column that a card suits best, what that column gains by it)."""
    best, best_gain = 0, NOTHING
    for column in range(3):
        gain = stack_worth(s, me, column, card, ready, coming, worths, p)
        gain -= stack_worth(s, me, column, -1, ready, coming, worths, p)
        if gain > best_gain:
            best, best_gain = column, gain
    return best, best_gain


# --- single actions --------------------------------------------------------------------------
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
    worth = p.worker * max(1.0 - p.idle * there, 0.0) * scene.soon + p.square * scene.soon
    return worth + p.harvest * scene.goods[area]


@kernel
def recruit_worth(s, me, area, scene, p):
    """Worth of a follower recruited to a free square of an area, its price paid (R12.3)."""
    return worker_worth(s, me, area, scene, p) - s.recruit_price[area] * scene.denarius


@kernel
def temple_worth(s, me, scene, p):
    """Worth of the temple: recruits, the dearest last, as long as each is worth its price."""
    denarii, camp, total = s.denarii[me], s.camp[me], 0.0
    for area in range(3):
        each = recruit_worth(s, me, area, scene, p)
        room = min(s.max_each - s.areas[me, area], free_squares(s, area))
        while each > 0.0 and room > 0 and camp > 0 and denarii >= s.recruit_price[area]:
            denarii -= s.recruit_price[area]
            room -= 1
            camp -= 1
            total += each
            each -= p.worker * p.idle * scene.soon
    return total


@kernel
def listen_worth(s, me, scene):
    """Points of the next Parable, those of the growing set and its reward (R13.4)."""
    have = s.parables[me]
    if have >= 7 or count_bits(s.supper[me]) < s.parable_needs[have]:
        return 0.0
    taken = 0
    for other in range(s.players):
        if s.parables[other] > have:
            taken += 1
    worth = 1.0 * (s.parable_points[taken] + s.parable_end[have + 1] - s.parable_end[have])
    reward = s.parable_reward[have]
    if reward == STEP_DENARIUS:
        worth += scene.denarius * s.denarius_amount
    elif reward == STEP_MAHANE:
        worth += scene.mahane
    elif reward == STEP_XXXIII:
        worth += scene.xxxiii
    return worth


@kernel
def gift_worth(s, marker, seat, scene, p):
    """Worth of a favor marker to a receiver: its benefit, the symbol on its back (R16.2)."""
    benefit, amount = s.marker_benefit[marker], s.marker_amount[marker]
    worth = p.symbol * scene.soon
    if benefit == BENEFIT_CALL:
        worth += p.worker * scene.soon if call_bits(s, seat) != 0 else 0.0
    elif benefit == BENEFIT_DENARII:
        worth += amount * scene.denarius
    else:
        worth += amount * scene.goods[benefit]
    return worth


@kernel
def favor_worth(s, me, scene, p):
    """Points and gains of doing a Favor, less what the cheapest marker gives away (R16)."""
    markers = s.favors[me] * 1
    if markers == 0 or s.favors_done[me] >= 8:
        return 0.0
    done = s.favors_done[me]
    worth = s.favor_points[done] + s.favor_denarii[done] * scene.denarius
    if s.xxxiii_size > 0:
        worth += scene.xxxiii
    if s.blocked[me] == 1:
        worth += p.square * scene.soon
    least = -NOTHING
    receiver = me + 1 if me + 1 < s.players else 0
    while markers != 0:
        marker = lowest_bit(markers)
        markers &= markers - 1
        least = min(least, gift_worth(s, marker, receiver, scene, p))
    return worth - p.spite * least / (s.players - 1)


@kernel
def card_worth(s, me, card, scene, p):
    """What playing a card brings by its location and its bottom actions (R6.2, R12, R13)."""
    location = s.card_location[card]
    stone, bread, fish = s.resources[me, 0], s.resources[me, 1], s.resources[me, 2]
    goes = 0
    for place in range(3):
        goes += s.card_actions[card, place] == STEP_GO
    room = room_left(s, me) + 2 * goes  # squares for gains: a Go pays two resources
    how = PAY
    worth = 0.0
    if location == L.MARKET:
        how = TRADE
        worth += market_worth(s, me, goes, scene, p)
    elif location == L.TEMPLE:
        worth += temple_worth(s, me, scene, p)
    else:
        gained = s.areas[me, location - 1]
        stone += gained * (location == L.DESERT)
        bread += gained * (location == L.MOUNTAIN)
        fish += gained * (location == L.LAKE)
        worth += scene.goods[location - 1] * max(min(gained, room), 0)
    for place in range(3):
        step = s.card_actions[card, place]
        if step < 0:
            break
        if step >= STEP_STONE and step <= STEP_FISH:
            amount = s.gain_amount[step - STEP_STONE]
            stone += amount * (step == STEP_STONE)
            bread += amount * (step == STEP_BREAD)
            fish += amount * (step == STEP_FISH)
            worth += scene.goods[step - STEP_STONE] * amount * (room > 0)
        elif step == STEP_GO:
            worth += go_worth(s, me, how, stone, bread, fish, scene, p)
        else:
            worth += step_worth(s, me, step, scene, p)
    return worth


@kernel
def step_worth(s, me, step, scene, p):
    """Worth of a bottom action that depends on nothing else on its card."""
    if step == STEP_PARABLE:
        return listen_worth(s, me, scene)
    if step == STEP_FAVOR:
        return favor_worth(s, me, scene, p)
    if step == STEP_MEETING:
        return scene.meeting
    if step == STEP_INVITED:
        return go_worth(s, me, FREE, 0, 0, 0, scene, p)
    if step == STEP_CHANGE:
        return change_worth(s, me, scene, p)
    if step == STEP_CALL:
        return call_worth(s, me, scene, p)
    if step == STEP_TEMPLE:
        return temple_worth(s, me, scene, p)
    if step == STEP_MARKET:
        return market_worth(s, me, 0, scene, p)
    if step == STEP_MAHANE:
        return scene.mahane
    if step == STEP_XXXIII:
        return scene.xxxiii
    if step == STEP_DENARIUS:
        return scene.denarius * s.denarius_amount
    if step == STEP_VP3:
        return 1.0 * s.vp3_points
    if step == STEP_REDISTRIBUTE:
        return p.redistribute * scene.soon
    return 0.0


@kernel
def market_worth(s, me, goes, scene, p):
    """Worth of the market: a cheap card, unless trade for a Go is to come (R12.1)."""
    if goes == 0 and s.denarii[me] >= s.market_card_price and draw_bits(s) != 0:
        return max(scene.mahane - s.market_card_price * scene.denarius, 0.0)
    return p.trade * scene.soon
