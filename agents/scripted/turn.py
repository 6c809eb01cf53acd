"""Phase 2: a turn, one action at a time: cards, squires, hires, the baron, the marshal (R6-R11)."""

from __future__ import annotations

from jerusalem_env.bits import has_flag
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.engine.moves import influence_areas
from jerusalem_env.jerusalem.engine.state import SECTOR_OF
from jerusalem_env.jerusalem.engine.turn import hire_price
from jerusalem_env.jerusalem.rules import cards as C
from jerusalem_env.jerusalem.rules.board import NUM_AREAS, SECTORS
from jerusalem_env.kernels import kernel

from .worth import (
    best_addition,
    pay_later,
    pay_now,
    privilege_at_stake,
    risk_of,
    stake,
    swing,
    to_beat,
)

NUM_SECTORS = len(SECTORS)
_MOST_HIRED = 8  # hires that it thinks ahead


@kernel
def best_place(s, me, areas, reach, may_block, scene, p):
    """(area, squires, gain) of the addition among ``areas`` that gains most for each squire."""
    best, best_count, best_gain, best_each = -1, 0, 0.0, 0.0
    for sector in range(NUM_SECTORS):
        within = (areas >> (3 * sector)) & 0b111
        if within == 0:
            continue
        at, privilege = privilege_at_stake(s, me, sector, reach, scene, p)
        for index in range(3):
            if (within >> index) & 1:
                area = 3 * sector + index
                count, gain = best_addition(s, me, area, reach, may_block, at, privilege, scene, p)
                if count > 0 and gain > best_each * count:
                    best, best_count, best_gain, best_each = area, count, gain, gain / count
    return best, best_count, best_gain


@kernel
def hire_cost(s, count):
    """Silver for so many more hires (R9.1, R10.2, A27)."""
    hired = s.hired
    cost = 0
    for _ in range(count):
        cost += hire_price(s)
        s.hired += 1
    s.hired = hired
    return cost


@kernel
def affordable(s, me):
    """Squires it could hire one after the other (R9.1)."""
    hired, silver = s.hired, s.silver[me]
    while s.hired - hired < _MOST_HIRED and silver >= hire_price(s):
        silver -= hire_price(s)
        s.hired += 1
    count = s.hired - hired
    s.hired = hired
    return count


@kernel
def best_hire(s, me, areas, may_block, scene, p):
    """(area, hires, net gain) of the best addition that takes more than the supply."""
    supply = s.squires[me]
    best, best_hires, best_net = -1, 0, 0.0
    hirable = affordable(s, me)
    if hirable == 0:
        return best, best_hires, best_net
    reach = supply + hirable
    at, privilege = 0, 0.0
    for area in range(NUM_AREAS):
        if area % 3 == 0:  # another sector begins
            at, privilege = privilege_at_stake(s, me, SECTOR_OF[area], reach, scene, p)
        if (areas >> area) & 1:
            count, gain = best_addition(s, me, area, reach, may_block, at, privilege, scene, p)
            if count > supply:
                cost = hire_cost(s, count - supply) * scene.silver * p.hire
                net = gain - cost - supply * p.keep[scene.left]
                if net > best_net:
                    best, best_hires, best_net = area, count - supply, net
    return best, best_hires, best_net


@kernel
def last_card_counts(s, me, scene):
    """Whether a card kept to the end is worth a gift that would be lost (R13.3)."""
    return scene.left == 0 and s.hand_size[me] == 1


@kernel
def choose_resource_card(s, me, words, scene):
    """A card that only brings resources, at once (R11.3); -1 if there is none."""
    last = last_card_counts(s, me, scene)
    for card in (C.PRESTIGE_2, C.RESOURCES_2, C.SILVER_2, C.SQUIRE, C.SQUIRE_SILVER):
        if has_flag(words, L.PLAY + card) and not (
            last and card != C.PRESTIGE_2 and card != C.RESOURCES_2
        ):
            return L.PLAY + card
    return -1


@kernel
def choose_influence(s, me, words, may_block, scene, p):
    """An influence card worth its two squires now (R11.12); -1 if there is none."""
    least = p.influence_least[scene.left] + (1.0 if last_card_counts(s, me, scene) else 0.0)
    for sector in range(6):
        if has_flag(words, L.PLAY + C.INFLUENCE_PALACE + sector):
            areas = influence_areas(s, sector)
            _, _, gain = best_place(s, me, areas, 2, may_block, scene, p)
            if gain > least:
                return L.PLAY + C.INFLUENCE_PALACE + sector
    return -1


@kernel
def best_move(s, me, scene, p):
    """Gain of the best move of one squire between unblocked areas (R10.3, R11.10)."""
    loss, origin = 1e9, -1
    for area in range(NUM_AREAS):
        if (scene.open_areas >> area) & 1 and s.board[me, area] > 0:
            cost = -swing(s, me, area, -1, scene, p)
            if cost < loss:
                loss, origin = cost, area
    if origin < 0:
        return 0.0
    gain = 0.0
    for area in range(NUM_AREAS):
        if (scene.open_areas >> area) & 1 and area != origin:
            gain = max(gain, swing(s, me, area, 1, scene, p))
    return gain - loss


@kernel
def worth_of(s, me, area, now, later, scene, p):
    """Worth of an area as it stands: the own stake, less what spite says of the holder's."""
    need, holder = to_beat(s, me, area)
    own = s.board[me, area]
    worth = stake(own, need, now, later, scene, p)
    if own < need and holder >= 0:
        worth -= p.spite * (now + later)
    return worth


@kernel
def worths_swapped(s, me, area, opponent, given, scene, p):
    """Worth of an area as it stands, and with ``given`` own squires more and opponent's less."""
    now, later = pay_now(s, area, scene, p), pay_later(s, area, scene, p)
    before = worth_of(s, me, area, now, later, scene, p)
    s.board[me, area] += given
    s.board[opponent, area] -= given
    after = worth_of(s, me, area, now, later, scene, p)
    s.board[me, area] -= given
    s.board[opponent, area] += given
    return before, after


@kernel
def exchange_gain(s, me, origin, area, opponent, scene, p):
    """Worth of changing an own squire in one area for an opponent's in another (R11.9)."""
    before_origin, after_origin = worths_swapped(s, me, origin, opponent, -1, scene, p)
    before, after = worths_swapped(s, me, area, opponent, 1, scene, p)
    return (after_origin + after) - (before_origin + before)


@kernel
def best_exchange(s, me, scene, p):
    """(area of the own squire, gain) of the best exchange."""
    best, best_gain = -1, -1e9
    for origin in range(NUM_AREAS):
        if (scene.open_areas >> origin) & 1 == 0 or s.board[me, origin] == 0:
            continue
        for opponent in range(s.players):
            if opponent == me:
                continue
            before_origin, after_origin = worths_swapped(s, me, origin, opponent, -1, scene, p)
            for area in range(NUM_AREAS):
                if (scene.open_areas >> area) & 1 == 0 or area == origin:
                    continue
                if s.board[opponent, area] > 0:
                    before, after = worths_swapped(s, me, area, opponent, 1, scene, p)
                    gain = (after_origin + after) - (before_origin + before)
                    if gain > best_gain:
                        best, best_gain = origin, gain
    return best, best_gain


@kernel
def choose_baron(s, me, words, scene, p):
    """The held area where most is at risk from those who move later (R8.1, R8.5); -1: none."""
    best, best_worth = -1, p.baron_least
    if scene.movers == 0:
        return best
    for area in range(NUM_AREAS):
        if has_flag(words, L.BARON + area):
            need, _ = to_beat(s, me, area)
            lead = s.board[me, area] - need
            if lead >= 0:
                later = pay_later(s, area, scene, p)
                worth = (pay_now(s, area, scene, p) + later) * risk_of(lead, scene, p)
                if worth > best_worth:
                    best, best_worth = L.BARON + area, worth
    return best


@kernel
def choose_moving_card(s, me, words, scene, p):
    """A defector or a move card that gains enough; -1 if there is none."""
    extra = 1.0 if last_card_counts(s, me, scene) else 0.0
    if has_flag(words, L.PLAY + C.DEFECTOR):
        _, gain = best_exchange(s, me, scene, p)
        if gain > p.exchange_least[scene.left] + extra:
            return L.PLAY + C.DEFECTOR
    if has_flag(words, L.PLAY + C.MOVE_2):
        if best_move(s, me, scene, p) > p.move_least[scene.left] + extra:
            return L.PLAY + C.MOVE_2
    return -1


@kernel
def choose_first(s, me, words, may_block, scene, p):
    """What comes before placing squires: a card for resources, an influence card; -1: neither."""
    action = choose_resource_card(s, me, words, scene)
    if action < 0:
        action = choose_influence(s, me, words, may_block, scene, p)
    return action


@kernel
def choose_last(s, me, words, may_block, scene, p):
    """What comes after placing squires: hires, cards, the baron, the marshal, the end."""
    if has_flag(words, L.HIRE):
        area, hires, _ = best_hire(s, me, scene.open_areas, may_block, scene, p)
        if area >= 0:
            if hires > 1 and has_flag(words, L.PLAY + C.GENOA):
                return L.PLAY + C.GENOA
            return L.HIRE
    action = choose_moving_card(s, me, words, scene, p)
    if action >= 0:
        return action
    action = choose_baron(s, me, words, scene, p)
    if action >= 0:
        return action
    if has_flag(words, L.MARSHAL_SILVER):
        if has_flag(words, L.MARSHAL_MOVE):
            if best_move(s, me, scene, p) > p.marshal_least + scene.silver:
                return L.MARSHAL_MOVE
        return L.MARSHAL_SILVER
    return L.PASS


@kernel
def choose_turn(s, me, words, scene, p):
    """One action of its turn (R6.3)."""
    may_block = s.baron_used == 0 and scene.movers > 0
    action = choose_first(s, me, words, may_block, scene, p)
    if action >= 0:
        return action
    supply = s.squires[me]
    if supply > 0:
        area, count, gain = best_place(s, me, scene.open_areas, supply, may_block, scene, p)
        if area >= 0 and gain > count * p.keep[scene.left]:
            return L.PLACE + area
    return choose_last(s, me, words, may_block, scene, p)
