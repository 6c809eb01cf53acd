"""A greedy scripted player, compiled: one step ahead, from the view alone.

Plan. It plays the card that brings most at once by its location and its bottom actions together
with what it adds to one of the own columns, which it keeps fit for sets: a column is worth the
visit it leads to, less the more cards or symbols are missing and the harder these are to come by.
It visits whenever that is worth anything, and seats the Apostle where its own followers score most
against those of the others. Followers go to the space that scores, or may come to score, most for
its cost; at the market it trades for that space. It recruits while a follower is worth its price,
takes Offerings, does Favors for the player who is least ahead, and keeps its Illumination unless
another use beats its points.

Deterministic. Nothing depends on what is hidden, or on constants of one data file.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np

from jerusalem_env.bits import has_flag
from jerusalem_env.ierusalem.engine import layout as L
from jerusalem_env.ierusalem.engine.cards import back_of
from jerusalem_env.ierusalem.engine.turn import room_left
from jerusalem_env.ierusalem.rules.codes import STEP_GO
from jerusalem_env.ierusalem.rules.names import NUM_KINDS, NUM_SEATS, NUM_SPACES
from jerusalem_env.kernels import kernel
from jerusalem_env.policies import CompiledPolicy

from ..compiled import legal_choice
from .agent import DeterministicAgent
from .cards import best_column, card_worth, cards_to_come, counted, gift_worth, stack_worth
from .supper import (
    FREE,
    PAY,
    TRADE,
    arrival_worth,
    best_seat,
    best_space,
    change_worth,
    column_worths,
    place_worth,
    seat_worth,
    swap_worth,
    thanks_worth,
    worst_own,
)
from .worth import NOTHING, recruit_worth, scene_of, standing, worker_worth


@dataclass(frozen=True)
class GreedyParameters:
    """What the greedy player thinks things are worth, in victory points unless said otherwise."""

    # --- time
    pace: float = 0.35  # steps of the Sanhedrin's marker in a turn of any player
    horizon: float = 4.0  # own turns before the end at which goods begin to lose their worth
    setting: float = 1.5  # own turns before the end at which unfinished sets begin to
    seating: float = 5.0  # own turns before the end at which open seats begin to
    # --- goods and followers
    denarius: float = 0.4
    stone: float = 0.8
    bread: float = 1.1
    fish: float = 1.4
    worker: float = 1.6  # a follower in an area, there being no other
    idle: float = 0.05  # share of that lost with each other one
    harvest: float = 0.4  # what the area pays that a follower will collect
    square: float = 0.4  # one more free square of the camp
    mahane: float = 1.6  # drawing a Mahane card
    xxxiii: float = 2.0  # drawing a XXXIII card
    pick: float = 0.3  # share of what a card would bring now that counts when it is chosen
    typical: float = 4.0  # what a card brings on average
    trade: float = 0.5  # the market before a Go, beside what it makes payable
    redistribute: float = 1.0
    symbol: float = 1.0  # a symbol held
    spite: float = 1.0  # weight of what the others gain on average
    # --- the Supper
    apostle: float = 5.0  # value expected on an open seat
    open_seat: float = 1.0  # chance that an open seat is taken in time
    friends: float = 0.25  # more of it for each other own follower around
    rivals: float = 0.05  # less of it for each follower of the others around
    offering: float = 0.3  # an Offering, beside its point
    follower: float = 0.8  # one more follower at the Supper, for Parables and judgments
    # --- sets
    fit: float = 1.0  # weight of a column's worth beside a card's actions
    visit: float = 1.0  # a visit, beside the seat and the appreciation
    with_symbol: float = 0.8  # chance of a set with each symbol that is held
    in_hand: float = 0.6  # with each card that is in the hand
    in_deck: float = 0.35  # with each card still to be drawn
    absent: float = 0.08  # with each symbol that no own card is known to bring
    dead: float = -1.5  # a column that can serve no visit
    visit_least: float = 0.0  # least worth of a visit
    light: float = 1.5  # Illumination: what it must bring beyond its points


# The same values as a record, so that kernels read them by name.
PARAMETERS = np.dtype([(field.name, np.float64) for field in fields(GreedyParameters)])


# --- the card --------------------------------------------------------------------------------
@kernel
def prospects(s, me):
    """(counted cards of the hand, counted cards to come): see ``worth.stack_worth``."""
    return counted(s, s.hand[me]), counted(s, cards_to_come(s, me))


@kernel
def light_worth(s, me, scene, p):
    """(colour of the best use of the Illumination, its worth beyond the points given up) (R8.1)."""
    best, best_worth = L.JUDAS, thanks_worth(s, me, L.JUDAS, scene, p)
    for colour in (L.PURPLE, L.WHITE):
        worth = thanks_worth(s, me, colour, scene, p)
        if worth > best_worth:
            best, best_worth = colour, worth
    _, worth = best_orange(s, me, scene, p)
    if worth > best_worth:
        best, best_worth = L.ORANGE, worth
    return best, best_worth - s.illumination_points - p.light


@kernel
def best_orange(s, me, scene, p):
    """(seat with an orange Apostle that scores best now, its worth); (-1, NOTHING) without one."""
    best, best_worth = -1, NOTHING
    for place in range(NUM_SEATS):
        if s.seats[place] == L.ORANGE:
            worth = seat_worth(s, me, place, L.ORANGE, scene, p) / 2.0
            if worth > best_worth:
                best, best_worth = place, worth
    return best, best_worth


@kernel
def choose_play(s, me, words, scene, p):
    """The card that brings most with what it adds to a column (R6.1); or the Illumination."""
    best, best_worth = -1, NOTHING
    if s.hand[me] == 0:
        return choose_clearing(s, me, words, scene, p)
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    for card in range(NUM_KINDS):
        if (s.hand[me] >> card) & 1:
            ready = hand - (1 << (4 * s.card_location[card]))
            _, gain = best_column(s, me, card, ready, coming, worths, scene, p)
            worth = card_worth(s, me, card, scene, p) + p.fit * gain
            if worth > best_worth:
                best, best_worth = L.CARD + card, worth
    if has_flag(words, L.ILLUMINATE):
        _, worth = light_worth(s, me, scene, p)
        if worth > best_worth:
            best = L.ILLUMINATE
    return best


@kernel
def choose_clearing(s, me, words, scene, p):
    """With an empty hand: the column worth least (A9)."""
    worths = column_worths(s, me, scene, p)
    _, coming = prospects(s, me)
    best, least = -1, -NOTHING
    for column in range(3):
        if has_flag(words, L.COLUMN + column):
            worth = stack_worth(s, me, column, -1, 0, coming, worths, scene, p)
            worth -= 0.1 * s.column_size[me, column]
            if worth < least:
                best, least = L.COLUMN + column, worth
    return best


@kernel
def choose_column(s, me, scene, p):
    """Where the chosen card adds most (R6.1)."""
    card = s.chosen_card
    hand, coming = prospects(s, me)
    ready = hand - (1 << (4 * s.card_location[card]))
    worths = column_worths(s, me, scene, p)
    column, _ = best_column(s, me, card, ready, coming, worths, scene, p)
    return L.COLUMN + column


@kernel
def choose_arrange(s, me, words, scene, p):
    """The card of the pool that makes most of the current column, or the next column (R13.8)."""
    column = s.arrange_column
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    pool = counted(s, s.pool)
    best, best_gain = L.PASS, 0.0
    here = stack_worth(s, me, column, -1, pool + hand, coming, worths, scene, p)
    if s.column_size[me, column] == 0:
        here = 0.0
    for card in range(NUM_KINDS):
        if (s.pool >> card) & 1:
            ready = pool + hand - (1 << (4 * s.card_location[card]))
            gain = stack_worth(s, me, column, card, ready, coming, worths, scene, p) - here
            if gain > best_gain or (best == L.PASS and not has_flag(words, L.PASS)):
                best, best_gain = L.CARD + card, gain
    return best


@kernel
def choose_redistribute(s, me, scene, p):
    """Rearrange when a column can serve no more visit (R13.8)."""
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    for column in range(3):
        worth = stack_worth(s, me, column, -1, hand, coming, worths, scene, p)
        if s.column_size[me, column] > 0 and worth <= p.dead:
            return L.REARRANGE
    return L.PASS


@kernel
def choose_excess(s, me, scene, p):
    """Discard the card that would bring least (R9.1)."""
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    best, least = -1, -NOTHING
    for card in range(NUM_KINDS):
        if (s.hand[me] >> card) & 1:
            ready = hand - (1 << (4 * s.card_location[card]))
            _, gain = best_column(s, me, card, ready, coming, worths, scene, p)
            worth = card_worth(s, me, card, scene, p) + p.fit * gain
            worth += s.card_points[back_of(card)]
            if worth < least:
                best, least = L.CARD + card, worth
    return best


@kernel
def choose_draw(s, me, words, price, scene, p):
    """The Mahane card worth most beyond its price in Denarii, or none (R10.1)."""
    worths = column_worths(s, me, scene, p)
    hand, coming = prospects(s, me)
    best, best_worth = L.PASS, price * scene.denarius
    if has_flag(words, L.DRAW + L.DRAW_DECK) and scene.mahane > best_worth:
        best, best_worth = L.DRAW + L.DRAW_DECK, scene.mahane
    for side in range(2):
        if has_flag(words, L.DRAW + side):
            card = s.display[side]
            _, gain = best_column(s, me, card, hand, coming, worths, scene, p)
            worth = card_worth(s, me, card, scene, p) + p.fit * gain - p.typical
            worth = scene.mahane + p.pick * scene.later * worth
            if worth > best_worth:
                best, best_worth = L.DRAW + side, worth
    return best


# --- locations -------------------------------------------------------------------------------
@kernel
def go_pending(s):
    """Whether a Go is still to come in this stage."""
    pending = False
    for place in range(s.num_steps):
        pending |= s.steps[place] == STEP_GO
    return pending


@kernel
def choose_market(s, me, words, scene, p):
    """Trade for the best space of a Go to come; else a card, or sell what finds no room (R12.1)."""
    stone, bread, fish = s.resources[me, 0], s.resources[me, 1], s.resources[me, 2]
    workers = s.areas[me, 0] + s.areas[me, 1] + s.areas[me, 2]
    goes = workers > 0 and go_pending(s)
    if goes:
        space, worth = best_space(s, me, TRADE, stone, bread, fish, scene, p)
        if space >= 0 and worth + arrival_worth(scene) > 0.0:
            action = trade_for(s, me, words, space)
            if action >= 0:
                return action
    action = choose_draw(s, me, words, s.market_card_price, scene, p)
    if action != L.PASS:
        return action
    if room_left(s, me) + (2 if goes else 0) < 0:
        for resource in range(3):
            spare = not goes or s.resources[me, resource] > 2
            if spare and has_flag(words, L.SELL + resource):
                return L.SELL + resource
    return L.PASS


@kernel
def trade_for(s, me, words, space):
    """The next trade towards a space's cost; -1 if it can be paid already."""
    missing = -1
    for resource in range(3):
        if s.resources[me, resource] < s.space_cost[space, resource]:
            missing = resource
            if has_flag(words, L.BUY + resource) and s.denarii[me] >= bill(s, me, space):
                return L.BUY + resource
    if missing < 0:
        return -1
    for resource in range(3):
        spare = s.resources[me, resource] > s.space_cost[space, resource]
        if spare and has_flag(words, L.SELL + resource):
            return L.SELL + resource
    return -1


@kernel
def bill(s, me, space):
    """Denarii for what a seat lacks to pay a space."""
    total = 0
    for resource in range(3):
        lacking = s.space_cost[space, resource] - s.resources[me, resource]
        total += max(lacking, 0) * s.trade_price[resource]
    return total


@kernel
def choose_temple(s, me, words, scene, p):
    """The follower worth most beyond his price, displacing others only for more (R12.3, R12.4)."""
    best, best_worth = L.PASS, 0.0
    for area in range(3):
        worth = recruit_worth(s, me, area, scene, p)
        if has_flag(words, L.FOLLOWER + area) and worth > best_worth:
            best, best_worth = L.FOLLOWER + area, worth
        worth -= (s.displace_extra + s.recruit_price[area] * p.spite / 3.0) * scene.denarius
        for k in range(3):
            action = L.DISPLACE + 3 * k + area
            if has_flag(words, action) and worth > best_worth:
                best, best_worth = action, worth
    return best


@kernel
def choose_call(s, me, words, scene, p):
    """The area where a follower is worth most (R13.6)."""
    best, best_worth = L.PASS, 0.0 if s.must == 0 else NOTHING
    for area in range(3):
        if has_flag(words, L.FOLLOWER + area):
            worth = worker_worth(s, me, area, scene, p)
            if worth > best_worth:
                best, best_worth = L.FOLLOWER + area, worth
    return best


@kernel
def choose_settle(words, scene):
    """The area that pays best (R3.4)."""
    best, best_worth = -1, NOTHING
    for area in range(3):
        worth = scene.goods[area]
        if has_flag(words, L.FOLLOWER + area) and worth > best_worth:
            best, best_worth = L.FOLLOWER + area, worth
    return best


@kernel
def choose_from(words, scene):
    """The follower leaves the area that pays least (R13.1)."""
    best, least = -1, -NOTHING
    for area in range(3):
        worth = scene.goods[area]
        if has_flag(words, L.FROM + area) and worth < least:
            best, least = L.FROM + area, worth
    return best


# --- the Supper ------------------------------------------------------------------------------
@kernel
def choose_supper(s, me, scene, p):
    """The best space that can be paid, if going there is worth anything (R13.1)."""
    how = FREE if s.free == 1 else PAY
    stone, bread, fish = s.resources[me, 0], s.resources[me, 1], s.resources[me, 2]
    space, worth = best_space(s, me, how, stone, bread, fish, scene, p)
    if space >= 0 and worth + arrival_worth(scene) > 0.0:
        return L.SPACE + space
    return L.PASS


@kernel
def choose_lift(s, me, scene, p):
    """The own follower on the worst space, if another is better (R13.7, R7.7)."""
    if s.phase == L.PHASE_CHANGE:
        gain = change_worth(s, me, scene, p)
    else:
        _, gain = swap_worth(s, me, scene, p)
    space, _ = worst_own(s, me, scene, p)
    return L.LIFT + space if gain > 0.0 else L.PASS


@kernel
def choose_swap_with(s, me, words, scene, p):
    """The best space of another player (R7.7)."""
    best, best_worth = -1, NOTHING
    for space in range(NUM_SPACES):
        if has_flag(words, L.SPACE + space):
            worth = place_worth(s, me, space, scene, p)
            if worth > best_worth:
                best, best_worth = L.SPACE + space, worth
    return best


@kernel
def choose_apostle(s, me, words, scene, p):
    """The Apostle whose seat and appreciation are worth most (R7.4)."""
    best, best_worth = -1, NOTHING
    for colour in range(4):
        if has_flag(words, L.APOSTLE + colour):
            _, worth = best_seat(s, me, colour, scene, p)
            worth += thanks_worth(s, me, colour, scene, p)
            if worth > best_worth:
                best, best_worth = L.APOSTLE + colour, worth
    return best


@kernel
def choose_visit(s, me, words, scene, p):
    """The visit worth most, with the fewest symbols (R7.1, R7.9)."""
    worths = column_worths(s, me, scene, p)
    best, best_worth = L.PASS, p.visit_least
    for source in range(4):
        points, size = 0, 0
        if source < L.SOURCE_FAVORS:
            size = s.column_size[me, source]
            for place in range(min(size, 3)):
                points += s.card_points[back_of(s.columns[me, source, place])]
        for row in range(3):
            action = L.VISIT + 3 * source + row
            if has_flag(words, action):
                worth = worths[row] + points - scene.symbol * (3 - size)
                if worth > best_worth:
                    best, best_worth = action, worth
    return best


# --- Favors ----------------------------------------------------------------------------------
@kernel
def choose_favor(s, me, words, scene, p):
    """The marker that gives least away (R16.1)."""
    receiver = me + 1 if me + 1 < s.players else 0
    best, least = L.PASS, -NOTHING
    for marker in range(8):
        if has_flag(words, L.FAVOR + marker):
            worth = gift_worth(s, marker, receiver, scene, p)
            if worth < least:
                best, least = L.FAVOR + marker, worth
    return best


@kernel
def choose_give(s, me):
    """To the player with the fewest points as things stand (R16.1)."""
    best, least = -1, 1 << 30
    for k in range(1, s.players):
        points = standing(s, (me + k) % s.players)
        if points < least:
            best, least = L.GIVE + k - 1, points
    return best


@kernel
def choose_overflow(s, me, words, scene):
    """The resource worth least (R9.3)."""
    best, least = -1, -NOTHING
    for resource in range(3):
        worth = scene.goods[resource] / (1.0 + s.resources[me, resource])
        if has_flag(words, L.DISCARD + resource) and worth < least:
            best, least = L.DISCARD + resource, worth
    return best


# --- all decisions ---------------------------------------------------------------------------
@kernel
def wanted(s, me, words, scene, p):
    """What it would like to do in the phase at hand."""
    phase = s.phase
    if phase == L.PHASE_PLAY:
        return choose_play(s, me, words, scene, p)
    if phase == L.PHASE_COLUMN:
        return choose_column(s, me, scene, p)
    if phase == L.PHASE_SUPPER:
        return choose_supper(s, me, scene, p)
    if phase == L.PHASE_PURCHASE:
        return choose_draw(s, me, words, s.purchase_price, scene, p)
    if phase == L.PHASE_DRAW:
        return choose_draw(s, me, words, 0, scene, p)
    if phase == L.PHASE_MARKET:
        return choose_market(s, me, words, scene, p)
    if phase == L.PHASE_TEMPLE:
        return choose_temple(s, me, words, scene, p)
    if phase == L.PHASE_OFFERING:
        return L.OFFERING if scene.offering > 0.0 else L.PASS
    if phase == L.PHASE_FAVOR:
        return choose_favor(s, me, words, scene, p)
    if phase == L.PHASE_GIVE:
        return choose_give(s, me)
    if phase == L.PHASE_FROM:
        return choose_from(words, scene)
    if phase == L.PHASE_CALL:
        return choose_call(s, me, words, scene, p)
    if phase == L.PHASE_EXCESS:
        return choose_excess(s, me, scene, p)
    if phase == L.PHASE_OVERFLOW:
        return choose_overflow(s, me, words, scene)
    if phase == L.PHASE_VISIT:
        return choose_visit(s, me, words, scene, p)
    if phase == L.PHASE_APOSTLE:
        return choose_apostle(s, me, words, scene, p)
    if phase == L.PHASE_SEAT:
        place, _ = best_seat(s, me, s.chosen_colour, scene, p)
        return L.SEAT + place
    if phase == L.PHASE_CHANGE or phase == L.PHASE_SWAP:
        return choose_lift(s, me, scene, p)
    if phase == L.PHASE_CHANGE_TO:
        space, _ = best_space(s, me, FREE, 0, 0, 0, scene, p)
        return L.SPACE + space
    if phase == L.PHASE_SWAP_WITH:
        return choose_swap_with(s, me, words, scene, p)
    if phase == L.PHASE_REDISTRIBUTE:
        return choose_redistribute(s, me, scene, p)
    if phase == L.PHASE_ARRANGE:
        return choose_arrange(s, me, words, scene, p)
    if phase == L.PHASE_ILLUMINATE:
        return choose_light(s, me, words, scene, p)
    if phase == L.PHASE_ORANGE:
        place, _ = best_orange(s, me, scene, p)
        return L.SEAT + place
    return choose_settle(words, scene)


@kernel
def choose_light(s, me, words, scene, p):
    """The colour of the Illumination (R8.1, A18)."""
    colour, _ = light_worth(s, me, scene, p)
    if has_flag(words, L.APOSTLE + colour):
        return L.APOSTLE + colour
    return L.APOSTLE + L.JUDAS


@kernel
def greedy_action(s, me, words, p):
    """A legal action for the seat to act, ``me``."""
    return legal_choice(words, wanted(s, me, words, scene_of(s, me, p), p))


@kernel
def choose(view, mask, words, key, parameters):
    """``greedy_action`` as a compiled policy."""
    return greedy_action(view, 0, words, parameters[0])


class GreedyAgent(DeterministicAgent):
    """The scripted player of this module.

    Parameters
    ----------
    parameters : GreedyParameters, optional
        What it thinks things are worth.
    """

    def __init__(self, parameters: GreedyParameters | None = None) -> None:
        self.parameters = parameters or GreedyParameters()
        values = np.array([astuple(self.parameters)], dtype=PARAMETERS)  # (1,)
        super().__init__(CompiledPolicy("greedy", choose, values))
