"""A greedy scripted player, compiled, that acts from the view alone.

Plan. Every area is worth what it pays, in prestige: silver and squires count by how many rounds are
left to use them, and an area that this round's event will clear counts for this round only. In the
auction it bids a modest price for the remaining offices, dearer for late ones, which answer all
others. In its turn it plays cards that only bring resources, then puts squires, one by one, where
control is cheapest for its worth, counting those who still move after it; it closes the best area
it has just taken with its baron, hires while a conquest within reach is worth the silver, and ends
the turn when nothing is worth a squire. It buys prestige, steals from the leader, saves what events
threaten, and in war hits where it hurts the leader or frees an area for itself.

Nothing depends on what is hidden, on chance, or on constants of one income table.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

import numpy as np

from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.engine.control import controller, enterable, sector_total
from jerusalem_env.jerusalem.engine.moves import influence_areas
from jerusalem_env.jerusalem.engine.state import SECTOR_OF
from jerusalem_env.jerusalem.engine.turn import hire_price
from jerusalem_env.jerusalem.rules import cards as C
from jerusalem_env.jerusalem.rules.board import DAVIDS_TOWER, MARKET, NOBILITY, PATRIARCHATE
from jerusalem_env.jerusalem.rules.events import ELECTION, SPECIAL_TAX, SUCCESSION, WAR
from jerusalem_env.kernels import entry_kernel, kernel
from jerusalem_env.policies import CompiledPolicy

from .base import require_masks


@dataclass(frozen=True)
class GreedyParameters:
    """What the greedy player thinks things are worth, in prestige points unless said otherwise."""

    silver_now: float = 0.10  # a silver in the last round
    silver_per_round: float = 0.12  # more for each round left, up to three
    squire_per_round: float = 0.18  # a squire in supply, for each round left, up to three
    future: float = 0.45  # share of an area's pay expected from each of up to two later rounds
    hold: float = 0.75  # chance that control survives one player who moves later
    spite: float = 0.25  # share of an opponent's loss that counts as own gain
    privilege: float = 0.8  # the most squires in the Patriarchate, Market or Nobility
    tower: float = 0.6  # control of David's Tower
    reinforce: float = 0.12  # one more squire in an area held by less than two
    placing: float = 0.10  # least worth of a squire put on the board
    office_first: float = 3.0  # silver bid for the lowest office in play
    office_step: float = 0.5  # silver more for each later office
    office_share: float = 0.55  # most of its silver it bids
    office_last: float = 1.5  # factor on bids of the last round: late turns decide close games
    hire_worth: float = 0.20  # least prestige gained per silver hired with
    supply_share: float = 0.5  # share of a supply squire's worth that placing it must exceed
    shield: float = 0.5  # share of the risk from later players that a baron to come takes away
    strength: float = 0.02  # share of an area's worth that a squire nearer to control adds
    card_gain: float = 0.3  # least gain that a defector or a move card is played for
    marshal_gain: float = 0.5  # least gain of the marshal's move, which costs him a silver
    second_gain: float = 0.05  # least gain of a second move
    drop_gain: float = 0.2  # least gain of a move out of David's Tower
    thinning: float = 0.05  # share of an area's worth that an opponent's squire less there adds
    at_leader: float = 0.1  # more for hitting the leading opponent
    reserve: float = 5.0  # silver not spent on prestige before the last two rounds
    reserve_late: float = 2.0  # the same in the round before the last


_DRAFT = np.zeros(14)
for _card, _worth in (
    (C.SQUIRE, 3.0),
    (C.SILVER_2, 4.0),
    (C.PRESTIGE_2, 6.0),
    (C.RESOURCES_2, 7.0),
    (C.SQUIRE_SILVER, 5.0),
    (C.DEFECTOR, 4.5),
    (C.MOVE_2, 2.0),
    (C.GENOA, 2.5),
):
    _DRAFT[_card] = _worth
_DRAFT[C.INFLUENCE_PALACE :] = 5.5

# The same values as a record, so that kernels read them by name.
PARAMETERS = np.dtype([(field.name, np.float64) for field in fields(GreedyParameters)])


# --- what things are worth ----------------------------------------------------------------------
@kernel
def silver_worth(v, p):
    """Prestige that a silver is worth now."""
    return p.silver_now + p.silver_per_round * min(v.rounds - v.round, 3)


@kernel
def squire_worth(v, p):
    """Prestige that a squire in supply is worth after this round."""
    return p.squire_per_round * min(v.rounds - v.round, 3)


@kernel
def stays(v, area):
    """Whether this round's event leaves the area's squires alone (R15)."""
    if v.round < 2 or v.round > 4 or v.round == v.rounds:
        return True  # R15.1; VII.a: none after the last round
    event = v.events[v.round - 2]
    sector = SECTOR_OF[area]
    if event == SUCCESSION:
        return sector != 0
    if event == WAR:
        return sector != 1
    if event == SPECIAL_TAX:
        return sector != MARKET
    if event == ELECTION and v.election_all_sectors == 1:  # D5
        return area == DAVIDS_TOWER
    return event != ELECTION or (sector != PATRIARCHATE and sector != NOBILITY)


@kernel
def area_worth(v, area, p):
    """What control of an area is worth: its pay now, and a share of it later (R7.4, R12.10)."""
    if area == DAVIDS_TOWER:
        pay = p.tower
    else:
        pay = (
            v.income[area, 2]
            + v.income[area, 1] * silver_worth(v, p)
            + v.income[area, 0] * squire_worth(v, p)
        )
    later = min(v.rounds - v.round, 2) if stays(v, area) else 0
    return pay * (1.0 + p.future * later)


@kernel
def still_to_move(v):
    """Players whose turn comes after seat 0's (R3.4)."""
    later = 0
    for seat in range(1, v.players):
        if v.office[seat] > v.office[0]:
            later += 1
    return later


@kernel
def squires_needed(v, area):
    """Squires that seat 0 must add to control an area; 0 or less if it does (R7.1)."""
    needed = 1 - v.board[0, area]
    for seat in range(1, v.players):
        count = v.board[seat, area]
        if count > 0:
            if v.office[seat] < v.office[0]:
                count += 1
            needed = max(needed, count - v.board[0, area])
    return needed


@kernel
def privilege_gain(v, area, added, p):
    """Worth of overtaking the leader of a sector's privilege by adding squires (R12.3)."""
    sector = SECTOR_OF[area]
    if sector != PATRIARCHATE and sector != MARKET and sector != NOBILITY:
        return 0.0
    own = sector_total(v, sector, 0)
    most = 0
    for seat in range(1, v.players):
        total = sector_total(v, sector, seat)
        if total > 0 and v.office[seat] < v.office[0]:
            total += 1
        most = max(most, total)
    return p.privilege if own < max(most, 1) and own + added >= max(most, 1) else 0.0


@kernel
def conquest_worth(v, area, p):
    """Worth of taking control of an area: own gain, and the holder's loss."""
    worth = area_worth(v, area, p)
    holder = controller(v, area)
    return worth * (1.0 + p.spite) if holder > 0 else worth


@kernel
def squire_score(v, area, reach, p):
    """Worth of one more own squire in an area, when ``reach`` squires could still be added."""
    later = still_to_move(v)
    needed = squires_needed(v, area)
    if needed > reach:
        return 0.0
    if needed <= 0:
        if later == 0 or needed < -1:
            return privilege_gain(v, area, 1, p)
        return p.reinforce * area_worth(v, area, p) + privilege_gain(v, area, 1, p)
    chance = p.hold**later
    if v.baron_used == 0 and v.arrivals[area] + needed >= 3 and later > 0:
        chance += p.shield * (1.0 - chance)  # the baron may close it (R8.5)
    gain = conquest_worth(v, area, p) * chance + privilege_gain(v, area, needed, p)
    return gain / needed


@kernel
def swing(v, area, added, p):
    """Change of worth for seat 0 when its squires in an area change by ``added`` (-1 or 1)."""
    before = controller(v, area)
    v.board[0, area] += added
    after = controller(v, area)
    v.board[0, area] -= added
    worth = area_worth(v, area, p)
    change = 0.0
    if before != after:
        if after == 0:
            change += worth * (1.0 + (p.spite if before > 0 else 0.0))
        elif before == 0:
            change -= worth
        elif before > 0:
            change += p.spite * worth
    # A small preference for strength where it nearly matters, so that moves are not wasted.
    needed = squires_needed(v, area)
    return change + p.strength * worth * added / (1.0 + abs(needed))


@kernel
def leader(v):
    """The strongest opponent: most floors, then most prestige (R16.1)."""
    best = 1
    for seat in range(2, v.players):
        if v.floors[seat] > v.floors[best] or (
            v.floors[seat] == v.floors[best] and v.prestige[seat] > v.prestige[best]
        ):
            best = seat
    return best


# --- decisions ------------------------------------------------------------------------------------
@kernel
def office_limit(v, office, p):
    """Most silver it bids for an office: more for later turns (R3.4), within its means (R4.6)."""
    worth = p.office_first + p.office_step * (office - (4 - v.players))
    if v.round == v.rounds:
        worth *= p.office_last
    return min(worth, p.office_share * v.silver[0])


@kernel
def choose_open(v, mask):
    """The last office still free (R4.3): it answers all others."""
    for office in range(3, -1, -1):
        if mask[L.OPEN + office] != 0:
            return L.OPEN + office
    return L.OPEN


@kernel
def choose_bid(v, mask, p):
    """One more than the high bid while that is within its limit (R4.4, A1)."""
    bid = v.bid + 1
    if bid == 0 or (bid <= office_limit(v, v.auction_office, p) and mask[L.BID + bid] != 0):
        return L.BID + bid
    return L.PASS


@kernel
def choose_draft(v, mask):
    """The card worth most by a fixed order (R5.1, R11), prestige first in the last rounds."""
    best, best_worth = -1, -1.0
    for card in range(14):
        if mask[L.DRAFT + card] != 0:
            worth = _DRAFT[card]
            if card == C.PRESTIGE_2 and v.round >= v.rounds - 1:
                worth += 2.0
            if worth > best_worth:
                best, best_worth = L.DRAFT + card, worth
    return best


@kernel
def choose_baron(v, mask, p):
    """The best controlled area to close against those who still move, or -1 (R8.1, R8.5)."""
    best, best_worth = -1, 0.0
    if still_to_move(v) == 0:
        return best
    for area in range(16):
        if mask[L.BARON + area] != 0 and controller(v, area) == 0:
            worth = area_worth(v, area, p)
            if worth > best_worth:
                best, best_worth = L.BARON + area, worth
    return best


@kernel
def best_place(v, areas, reach, p):
    """(area, score) of the best next squire among a bit mask of areas."""
    best, best_score = -1, 0.0
    for area in range(16):
        if (areas >> area) & 1:
            score = squire_score(v, area, reach, p)
            if score > best_score:
                best, best_score = area, score
    return best, best_score


@kernel
def affordable(v):
    """Squires it could hire one after the other, at most 8 (R9.1)."""
    silver = v.silver[0]
    hired = v.hired
    count = 0
    while count < 8:
        price = hire_price(v)
        if silver < price:
            break
        silver -= price
        v.hired += 1
        count += 1
    v.hired = hired
    return count


@kernel
def choose_card(v, mask, p):
    """A card worth playing now (R11.1, R11.3); -1 if none is."""
    for card in (C.PRESTIGE_2, C.SILVER_2, C.SQUIRE, C.SQUIRE_SILVER, C.RESOURCES_2):
        if mask[L.PLAY + card] != 0:
            return L.PLAY + card
    for sector in range(6):
        if mask[L.PLAY + C.INFLUENCE_PALACE + sector] != 0:
            _, score = best_place(v, influence_areas(v, sector), 2, p)
            if score > p.placing or v.round == v.rounds:
                return L.PLAY + C.INFLUENCE_PALACE + sector
    if mask[L.PLAY + C.DEFECTOR] != 0:
        _, gain = best_exchange(v, p)
        if gain > p.card_gain:
            return L.PLAY + C.DEFECTOR
    if mask[L.PLAY + C.MOVE_2] != 0 and best_move(v, p) > p.card_gain:
        return L.PLAY + C.MOVE_2
    return -1


@kernel
def best_move(v, p):
    """Gain of the best move of one squire between unblocked areas (R10.3, R11.10)."""
    areas = enterable(v)
    loss, origin = 1e9, -1
    for area in range(16):
        if (areas >> area) & 1 and v.board[0, area] > 0:
            cost = -swing(v, area, -1, p)
            if cost < loss:
                loss, origin = cost, area
    if origin < 0:
        return 0.0
    gain = 0.0
    for area in range(16):
        if (areas >> area) & 1 and area != origin:
            gain = max(gain, swing(v, area, 1, p))
    return gain - loss


@kernel
def exchange_gain(v, origin, area, opponent, p):
    """Worth of changing an own squire in one area for an opponent's in another (R11.9)."""
    mine = area_worth(v, origin, p) * (controller(v, origin) == 0)
    mine += area_worth(v, area, p) * (controller(v, area) == 0)
    v.board[0, origin] -= 1
    v.board[0, area] += 1
    v.board[opponent, area] -= 1
    v.board[opponent, origin] += 1
    after = area_worth(v, origin, p) * (controller(v, origin) == 0)
    after += area_worth(v, area, p) * (controller(v, area) == 0)
    v.board[0, origin] += 1
    v.board[0, area] -= 1
    v.board[opponent, area] += 1
    v.board[opponent, origin] -= 1
    return after - mine


@kernel
def best_exchange(v, p):
    """(area of the own squire, gain) of the best exchange."""
    areas = enterable(v)
    best, best_gain = -1, -1e9
    for origin in range(16):
        if (areas >> origin) & 1 == 0 or v.board[0, origin] == 0:
            continue
        for area in range(16):
            if (areas >> area) & 1 == 0 or area == origin:
                continue
            for opponent in range(1, v.players):
                if v.board[opponent, area] > 0:
                    gain = exchange_gain(v, origin, area, opponent, p)
                    if gain > best_gain:
                        best, best_gain = origin, gain
    return best, best_gain


@kernel
def choose_turn(v, mask, p):
    """One action of its turn (R6.3); see the plan above."""
    action = choose_card(v, mask, p)
    if action >= 0:
        return action
    areas = enterable(v)
    supply = v.squires[0]
    hirable = affordable(v)
    area, score = best_place(v, areas, supply, p)
    least = max(p.placing, squire_worth(v, p) * p.supply_share)
    if supply > 0 and score > least and mask[L.PLACE + area] != 0:
        return L.PLACE + area
    # Beyond its supply: is a conquest worth hiring for?
    price = hire_price(v)
    area, score = best_place(v, areas, supply + hirable, p)
    if area >= 0 and squires_needed(v, area) > supply and mask[L.HIRE] != 0:
        if mask[L.PLAY + C.GENOA] != 0 and squires_needed(v, area) - supply > 1:
            return L.PLAY + C.GENOA
        worth = max(p.hire_worth, silver_worth(v, p))
        if score > worth * price:
            return L.HIRE
    action = choose_baron(v, mask, p)
    if action >= 0:
        return action
    if mask[L.MARSHAL_MOVE] != 0 and best_move(v, p) > p.marshal_gain:
        return L.MARSHAL_MOVE
    if mask[L.MARSHAL_SILVER] != 0:
        return L.MARSHAL_SILVER
    return L.PASS


@kernel
def choose_lift(v, mask, p):
    """The squire whose leaving costs least; no second move without a gain (A32)."""
    if v.source == L.SOURCE_DEFECTOR:
        origin, _ = best_exchange(v, p)
        if origin >= 0 and mask[L.LIFT + origin] != 0:
            return L.LIFT + origin
    if mask[L.PASS] != 0 and best_move(v, p) <= p.second_gain:
        return L.PASS
    best, least = -1, 1e9
    for area in range(16):
        if mask[L.LIFT + area] != 0:
            cost = -swing(v, area, -1, p)
            if cost < least:
                best, least = L.LIFT + area, cost
    return best


@kernel
def choose_drop(v, mask, p):
    """Where one more squire is worth most (R11.12, R12.1, R15.2); out of the Tower for a gain."""
    best, best_gain = -1, -1e9
    for area in range(16):
        if mask[L.DROP + area] != 0:
            if v.source >= L.SOURCE_INFLUENCE:
                gain = squire_score(v, area, v.left, p)
            else:
                gain = swing(v, area, 1, p)
            if gain > best_gain:
                best, best_gain = L.DROP + area, gain
    if v.phase == L.PHASE_SUCCESSION:
        return best
    if mask[L.PASS] != 0 and best_gain < p.drop_gain:
        return L.PASS
    return best


@kernel
def choose_target(v, mask, p):
    """The opponent's squire whose loss (R15.5), or exchange for an own (R11.9), helps most."""
    strongest = leader(v)
    best, best_gain = L.PASS, -1e9
    for step in range(1, v.players):
        for area in range(16):
            action = L.TARGET + 16 * (step - 1) + area
            if mask[action] == 0:
                continue
            if v.source == L.SOURCE_DEFECTOR:
                gain = exchange_gain(v, v.lifted_from, area, step, p)
            else:
                before = controller(v, area)
                v.board[step, area] -= 1
                after = controller(v, area)
                v.board[step, area] += 1
                worth = area_worth(v, area, p)
                gain = p.thinning * worth
                if before == step and after != step:
                    gain += worth if after == 0 else p.spite * worth
            if step == strongest:
                gain += p.at_leader
            if gain > best_gain:
                best, best_gain = action, gain
    return best


@kernel
def choose_privilege(v, p):
    """Cards and prestige while they are of use; steal from the leader (R12.4-R12.6)."""
    left = v.rounds - v.round
    if v.phase == L.PHASE_PATRIARCHATE:
        return L.BUY_CARD if left > 0 or v.hand_size[0] == 0 else L.PASS
    if v.phase == L.PHASE_MARKET:
        kept = p.reserve if left > 1 else p.reserve_late if left == 1 else 0.0
        amount = min(4, int((v.silver[0] - kept) // 2))  # R12.5
        return L.BUY_PRESTIGE + amount - 1 if amount >= 1 else L.PASS
    return L.STEAL + leader(v) - 1


@kernel
def choose_take(v):
    """Squires early, prestige in the last two rounds (R11.7)."""
    if v.rounds - v.round >= 2:
        return L.TAKE + L.RESOURCE_SQUIRE
    return L.TAKE + L.RESOURCE_PRESTIGE


@kernel
def choose_keep(v, mask, p):
    """Market squires while there is silver (R15.4): a new one costs three times that (R9.1)."""
    best, best_worth = L.PASS, 0.0
    for index in range(3):
        if mask[L.KEEP + index] != 0:
            worth = area_worth(v, 3 * MARKET + index, p)
            if worth > best_worth:
                best, best_worth = L.KEEP + index, worth
    return best


@kernel
def greedy_action(v, mask, p):
    """A legal action for the seat to act, seat 0 of the view."""
    phase = v.phase
    action = -1
    if phase == L.PHASE_TURN:
        action = choose_turn(v, mask, p)
    elif phase == L.PHASE_OPEN:
        action = choose_open(v, mask)
    elif phase == L.PHASE_BID:
        action = choose_bid(v, mask, p)
    elif phase == L.PHASE_DRAFT:
        action = choose_draft(v, mask)
    elif phase == L.PHASE_LIFT:
        action = choose_lift(v, mask, p)
    elif phase == L.PHASE_DROP or phase == L.PHASE_DAVIDS_TOWER or phase == L.PHASE_SUCCESSION:
        action = choose_drop(v, mask, p)
    elif phase == L.PHASE_TAKE:
        action = choose_take(v)
    elif phase == L.PHASE_TARGET or phase == L.PHASE_WAR:
        action = choose_target(v, mask, p)
    elif phase == L.PHASE_SPECIAL_TAX:
        action = choose_keep(v, mask, p)
    elif phase == L.PHASE_INCOME:
        action = L.PASS
    elif phase != L.PHASE_DISMISS:
        action = choose_privilege(v, p)
    if action >= 0 and mask[action] != 0:
        return action
    for other in range(L.NUM_ACTIONS):  # also the rest of a dismissal that somebody else began
        if mask[other] != 0:
            return other
    return -1


@entry_kernel
def greedy_actions(views, masks, parameters, actions):
    """Write an action for each of (B,) views; the views are left as they were."""
    for row in range(views.shape[0]):
        actions[row] = greedy_action(views[row], masks[row], parameters[0])


@kernel
def choose(view, mask, words, key, parameters):
    """``greedy_action`` as a compiled policy."""
    return greedy_action(view, mask, parameters[0])


class GreedyAgent:
    """The scripted player of this module; deterministic, so its seed changes nothing."""

    name = "greedy"

    def __init__(self, parameters: GreedyParameters | None = None) -> None:
        self.parameters = parameters or GreedyParameters()
        self._values = np.array([astuple(self.parameters)], dtype=PARAMETERS)  # (1,)

    @property
    def compiled(self) -> CompiledPolicy:
        """The same player for compiled tables."""
        return CompiledPolicy("greedy", choose, self._values)

    def reset(self, seed: int) -> None:
        """It has no randomness of its own."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions."""
        masks = require_masks(views, masks, L.NUM_ACTIONS)
        actions = np.empty(len(views), dtype=np.int64)
        greedy_actions(views, masks, self._values, actions)
        return actions
