"""What areas, privileges and one more squire are worth, by the weights and the rule set in force.

Kernels read a record ``s`` as the seat ``me``: a view (``me`` 0), or in playouts a state. Of a
state they read nothing that the seat could not see: a test gives them full states for views.
"""

from __future__ import annotations

from typing import NamedTuple

from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.engine.control import enterable, sector_total
from jerusalem_env.jerusalem.engine.state import SECTOR_OF
from jerusalem_env.jerusalem.rules.board import (
    DAVIDS_TOWER,
    MARKET,
    NOBILITY,
    PALACE,
    PATRIARCHATE,
    TEMPLARS,
)
from jerusalem_env.jerusalem.rules.events import ELECTION, SPECIAL_TAX, SUCCESSION, WAR
from jerusalem_env.jerusalem.rules.offices import CAPTAIN
from jerusalem_env.kernels import kernel

from .weights import LEADS


class Scene(NamedTuple):
    """What holds for all areas at one decision."""

    left: int  # rounds after this one
    now: float  # 1 before the income of this round, 0 after it
    silver: float  # worth of a silver paid now, and next round
    silver_next: float
    squire: float
    squire_next: float
    rounds: float  # rounds of later pay that count
    cleared: int  # bit mask of the sectors that this round's event empties
    war: bool  # the event of this round is the war, still to come
    movers: int  # players whose turn comes after this one
    strongest: int  # the strongest opponent
    open_areas: int  # bit mask of the areas that may be entered


@kernel
def cleared_sectors(s):
    """Bit mask of the sectors that this round's event empties or levels (R15)."""
    if s.round < 2 or s.round > 4 or s.round == s.rounds:
        return 0  # R15.1; VII.a: none after the last round
    event = s.events[s.round - 2]
    if event == SUCCESSION:
        return 1 << PALACE
    if event == WAR:
        return 1 << TEMPLARS
    if event == SPECIAL_TAX:
        return 1 << MARKET
    if event == ELECTION:
        if s.election_all_sectors == 1:  # D5
            return 0b11111
        return (1 << PATRIARCHATE) | (1 << NOBILITY)
    return 0


@kernel
def rank_of(s, seat):
    """A number that is higher the further ahead a seat is: floors, then prestige (R16.1)."""
    return (s.floors[seat] << 32) + s.prestige[seat]


@kernel
def strongest_rival(s, me):
    """The opponent who is ahead of the others; of equal ones the next clockwise."""
    best = me + 1 if me + 1 < s.players else 0
    most = rank_of(s, best)
    for step in range(2, s.players):
        seat = me + step if me + step < s.players else me + step - s.players
        rank = rank_of(s, seat)
        best = seat if rank > most else best
        most = max(most, rank)
    return best


@kernel
def turns_after(s, me):
    """Players whose turn comes after a seat's (R3.4)."""
    after = 0
    for seat in range(s.players):
        if s.office[seat] > s.office[me]:
            after += 1
    return after


@kernel
def scene_of(s, me, p):
    """What holds for all areas at this decision."""
    left = s.rounds - s.round
    following = max(left - 1, 0)
    paid = s.phase == L.PHASE_SUCCESSION or s.phase == L.PHASE_SPECIAL_TAX
    paid = paid or s.phase == L.PHASE_WAR or s.phase == L.PHASE_INCOME
    placing = s.phase >= L.PHASE_TURN and s.phase <= L.PHASE_TARGET
    cleared = cleared_sectors(s)
    war = cleared == 1 << TEMPLARS
    if paid:  # who lost his squires there has lost them; the others' are still to go
        cleared = 0
    return Scene(
        left,
        0.0 if paid else 1.0,
        p.silver[left],
        p.silver[following],
        p.squire[left],
        p.squire[following],
        p.later[left] if left > 0 else 0.0,
        cleared,
        war and not paid,
        turns_after(s, me) if placing else 0,
        strongest_rival(s, me),
        enterable(s),
    )


@kernel
def pay_now(s, area, scene, p):
    """What control of an area pays this round (R7.4, R12.1, R12.10)."""
    if area == DAVIDS_TOWER:
        return scene.now * (p.tower + scene.silver)
    return scene.now * (
        s.income[area, L.RESOURCE_PRESTIGE]
        + s.income[area, L.RESOURCE_SILVER] * scene.silver
        + s.income[area, L.RESOURCE_SQUIRE] * scene.squire
    )


@kernel
def pay_later(s, area, scene, p):
    """What control of an area is expected to pay in later rounds."""
    if (scene.cleared >> SECTOR_OF[area]) & 1:
        return 0.0
    if area == DAVIDS_TOWER:
        return scene.rounds * (p.tower + scene.silver_next)
    return scene.rounds * (
        s.income[area, L.RESOURCE_PRESTIGE]
        + s.income[area, L.RESOURCE_SILVER] * scene.silver_next
        + s.income[area, L.RESOURCE_SQUIRE] * scene.squire_next
    )


@kernel
def to_beat(s, me, area):
    """(squires with which a seat controls an area, who holds it among the others) (R7.1).

    At least 1; the holder is -1 if no other has squires there.
    """
    # No branches: offices are below 16, and seats beyond the players have no squires.
    mine = s.office[me]
    need, holder, most = 1, -1, 15
    for seat in range(L.MAX_PLAYERS):
        count = 0 if seat == me else s.board[seat, area]
        office = s.office[seat]
        need = max(need, count + (1 if office < mine else 0))
        strength = 32 * count - office
        holder = seat if strength > most else holder
        most = max(most, strength)
    return need, holder


@kernel
def risk_of(lead, scene, p):
    """Chance that a majority with so many squires more than needed is lost to later players."""
    return p.risk[scene.movers, min(lead, LEADS - 1)]


@kernel
def stake(count, need, now, later, scene, p):
    """Worth of having ``count`` squires in an area where ``need`` control it."""
    lead = count - need
    if lead >= 0:
        firm = p.firm + p.firm_margin * min(lead, 4)
        return now * (1.0 - risk_of(lead, scene, p)) + later * firm
    return later * p.behind * count / need if count > 0 else 0.0


@kernel
def privilege_worth(s, me, sector, scene, p):
    """Worth of the privilege of a sector this round (R12.4-R12.6)."""
    if scene.now == 0.0:
        return 0.0
    if sector == PATRIARCHATE:
        return max(p.card - scene.squire, 0.0)
    if sector == NOBILITY:
        return p.steal
    if sector == MARKET:
        bought = min(4.0, s.silver[me] // 2)
        return p.market_base + p.market * bought * max(1.0 - 2.0 * scene.silver, 0.0)
    return 0.0


@kernel
def privilege_need(s, me, sector):
    """Squires that a seat must add to have the most in a sector; 0 or less if it has (R12.3)."""
    own = sector_total(s, sector, me)
    need = 1
    for seat in range(s.players):
        if seat != me:
            total = sector_total(s, sector, seat)
            need = max(need, total + (1 if s.office[seat] < s.office[me] else 0))
    return need - own


@kernel
def baron_needs(s, me, area):
    """New squires that a baron needs beside it (R8.2, R8.4)."""
    if s.office[me] == CAPTAIN:
        return 2 if area % 3 == 0 else 1
    return 3


@kernel
def spite_for(holder, scene, p):
    """Share of a holder's loss that counts as gain."""
    if holder < 0:
        return 0.0
    return p.spite + (p.spite_leader if holder == scene.strongest else 0.0)


@kernel
def privilege_at_stake(s, me, sector, reach, scene, p):
    """(squires that win the privilege of a sector, its worth); worth 0 if it cannot be won."""
    if sector != PATRIARCHATE and sector != MARKET and sector != NOBILITY:
        return 0, 0.0
    need = privilege_need(s, me, sector)
    if need <= 0 or need > reach:
        return need, 0.0
    return need, privilege_worth(s, me, sector, scene, p) * (1.0 - risk_of(0, scene, p))


@kernel
def best_addition(s, me, area, reach, may_block, privilege_at, privilege, scene, p):
    """(squires, gain) of the addition to an area that is worth most for each squire.

    At most ``reach`` squires; (0, 0) if none is worth anything. ``may_block``: the own baron can
    still follow them. ``privilege_at``, ``privilege``: see ``privilege_at_stake``.
    """
    need, holder = to_beat(s, me, area)
    own = s.board[me, area]
    lead = own - need
    if privilege == 0.0:  # most areas are out of reach, or safe
        if lead < 0 and -lead > reach:
            return 0, 0.0
        if lead >= 0 and scene.movers == 0 and scene.left == 0:
            return 0, 0.0
    now, later = pay_now(s, area, scene, p), pay_later(s, area, scene, p)
    before = stake(own, need, now, later, scene, p)
    spite = spite_for(holder, scene, p) * now if lead < 0 else 0.0
    weapon = p.weapon if scene.war and SECTOR_OF[area] == TEMPLARS else 0.0
    first = -lead if lead < 0 else 1
    best, best_gain, best_each = 0, 0.0, 0.0
    for more in range(3):
        added = first + more
        if added > reach:
            break
        risk = risk_of(lead + added, scene, p)
        gain = stake(own + added, need, now, later, scene, p) - before
        gain += spite * (1.0 - risk) + weapon * added
        if may_block and s.arrivals[area] + added >= baron_needs(s, me, area):
            gain += p.shield * risk * now
        if added >= privilege_at:
            gain += privilege
        if gain > best_each * added:
            best, best_gain, best_each = added, gain, gain / added
        if scene.movers == 0 and scene.left == 0:
            break  # more than enough is wasted
    if privilege > 0.0 and privilege_at < first:  # short of control, but enough for the privilege
        gain = privilege + stake(own + privilege_at, need, now, later, scene, p) - before
        if gain > best_each * privilege_at:
            best, best_gain = privilege_at, gain
    return best, best_gain


@kernel
def swing(s, me, area, added, scene, p):
    """Change of worth when the own squires in an area change by ``added`` (-1 or 1)."""
    need, holder = to_beat(s, me, area)
    own = s.board[me, area]
    now, later = pay_now(s, area, scene, p), pay_later(s, area, scene, p)
    change = stake(own + added, need, now, later, scene, p) - stake(own, need, now, later, scene, p)
    if own < need and own + added >= need:
        change += spite_for(holder, scene, p) * (now + later)
    elif own >= need and own + added < need:
        change -= spite_for(holder, scene, p) * (now + later)
    sector = SECTOR_OF[area]
    if sector == PATRIARCHATE or sector == MARKET or sector == NOBILITY:
        wanted = privilege_need(s, me, sector)
        if wanted == 1 and added == 1:
            change += privilege_worth(s, me, sector, scene, p)
        elif wanted == 0 and added == -1:
            change -= privilege_worth(s, me, sector, scene, p)
    return change + p.nearer * (now + later) * added / (1.0 + abs(need - own))
