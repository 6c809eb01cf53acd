"""What sets to come, cards and their actions are worth to a seat; see ``worth``."""

from __future__ import annotations

from jerusalem_env.bits import count_bits, lowest_bit
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.engine.cards import back_of, draw_bits
from jerusalem_env.ierusalem.engine.places import call_bits, free_squares
from jerusalem_env.ierusalem.engine.turn import room_left
from jerusalem_env.ierusalem.rules.codes import (
    BENEFIT_CALL,
    BENEFIT_DENARII,
    STEP_BREAD,
    STEP_CALL,
    STEP_CHANGE,
    STEP_DENARIUS,
    STEP_FAVOR,
    STEP_FISH,
    STEP_GO,
    STEP_INVITED,
    STEP_MAHANE,
    STEP_MARKET,
    STEP_MEETING,
    STEP_PARABLE,
    STEP_REDISTRIBUTE,
    STEP_STONE,
    STEP_TEMPLE,
    STEP_VP3,
    STEP_XXXIII,
)
from jerusalem_env.kernels import kernel

from .supper import FREE, PAY, TRADE, change_worth, go_worth
from .worth import NOTHING, call_worth, recruit_worth


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
def stack_worth(s, me, column, extra, ready, coming, worths, scene, p):
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
                chance *= p.in_hand * scene.later
            elif lacking <= ((ready >> shift) & 15) + ((coming >> shift) & 15):
                chance *= p.in_deck * scene.later
            else:
                chance *= p.absent * scene.later
        if matched == total:
            best = max(best, chance * (worths[row] + points))
    return best


@kernel
def best_column(s, me, card, ready, coming, worths, scene, p):
    """(own column that a card suits best, what that column gains by it)."""
    best, best_gain = 0, NOTHING
    for column in range(3):
        gain = stack_worth(s, me, column, card, ready, coming, worths, scene, p)
        gain -= stack_worth(s, me, column, -1, ready, coming, worths, scene, p)
        if gain > best_gain:
            best, best_gain = column, gain
    return best, best_gain


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
            each -= scene.worker * p.idle
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
    worth = s.parable_points[taken] + s.parable_end[have + 1] - s.parable_end[have] + scene.tile
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
    worth = 1.0 * scene.symbol
    if benefit == BENEFIT_CALL:
        worth += scene.worker if call_bits(s, seat) != 0 else 0.0
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
    worth = s.favor_points[done] + s.favor_denarii[done] * scene.denarius + scene.favor
    if s.xxxiii_size > 0:
        worth += scene.xxxiii
    if s.blocked[me] == 1:
        worth += scene.square
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
        else:
            if step == STEP_GO:
                gain = go_worth(s, me, how, stone, bread, fish, scene, p)
            else:
                gain = step_worth(s, me, step, scene, p)
            worth += gain if gain > 0.0 or step == STEP_MEETING else gain - scene.waste
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
        return p.redistribute * scene.later
    return 0.0


@kernel
def market_worth(s, me, goes, scene, p):
    """Worth of the market: a cheap card, unless trade for a Go is to come (R12.1)."""
    if goes == 0 and s.denarii[me] >= s.market_card_price and draw_bits(s) != 0:
        return max(scene.mahane - s.market_card_price * scene.denarius, 0.0)
    return p.trade * scene.later
