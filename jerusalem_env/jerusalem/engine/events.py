"""Phase 4: succession, Patriarch election, special tax, war (R15, A44-A49), and the end (R16)."""

from __future__ import annotations

from ...bits import allow, allow_block
from ...kernels import kernel
from ..rules.board import MARKET, NOBILITY, NUM_AREAS, PATRIARCHATE
from ..rules.events import ELECTION, SPECIAL_TAX, SUCCESSION
from .control import in_play, next_after, next_in_order, own_areas
from .layout import (
    DROP,
    KEEP,
    NO_SEAT,
    PASS,
    PHASE_OVER,
    PHASE_SPECIAL_TAX,
    PHASE_SUCCESSION,
    PHASE_WAR,
    STAGE_NEXT_IN_EVENT,
    STAGE_ROUND,
    STAGE_ROUND_END,
    TARGET,
)
from .state import SECTOR_OF

_MARKET_FIRST = 3 * MARKET
_TEMPLARS_FIRST = 3
_TEMPLARS_AREAS = 0b111 << _TEMPLARS_FIRST


@kernel
def event_step(s):
    """Carry out the event that lies over this round (R15.1)."""
    s.phase = STAGE_ROUND_END
    if s.round == s.rounds or s.round < 2 or s.round > 4:
        return  # VII.a "rounds"
    event = s.events[s.round - 2]
    if event == ELECTION:
        election(s)
        return
    if event == SUCCESSION:
        for seat in range(s.players):
            s.lost[seat] = 0
            for area in range(3):
                s.lost[seat] += s.board[seat, area]
                s.board[seat, area] = 0  # R15.2, R15.6
    next_in_event(s, next_in_order(s, 0))


@kernel
def election(s):
    """Every player present falls to the smallest number among those present (R15.3, A48)."""
    playing = in_play(s)
    for area in range(15):  # D5: never David's Tower
        sector = SECTOR_OF[area]
        if sector != PATRIARCHATE and sector != NOBILITY and s.election_all_sectors == 0:
            continue
        if (playing >> area) & 1 == 0:
            continue
        smallest = 0
        for seat in range(s.players):
            if s.board[seat, area] > 0 and (smallest == 0 or s.board[seat, area] < smallest):
                smallest = s.board[seat, area]
        for seat in range(s.players):
            if s.board[seat, area] > smallest:
                s.board[seat, area] = smallest


@kernel
def next_in_event(s, seat):
    """From ``seat`` on, in player order, the first who has something to decide in the event."""
    event = s.events[s.round - 2]
    while seat >= 0:
        if event == SUCCESSION:
            asked = begin_rescue(s, seat)
        elif event == SPECIAL_TAX:
            asked = begin_tax(s, seat)
        else:
            asked = begin_raid(s, seat)
        if asked:
            s.to_act = seat
            return
        seat = next_after(s, seat)
    for other in range(4):
        s.lost[other] = 0
    s.to_act = NO_SEAT
    s.phase = STAGE_ROUND_END


# --- succession -----------------------------------------------------------------------------
@kernel
def begin_rescue(s, seat):
    """A player with a baron on the board may save up to 2 Palace squires (R15.2, A47)."""
    s.saved = 0
    s.phase = PHASE_SUCCESSION
    return s.baron[seat] >= 0 and s.lost[seat] > 0


@kernel
def apply_rescue(s, action):
    """One squire into the baron's area, or no more."""
    seat = s.to_act
    if action != PASS:
        s.board[seat, action - DROP] += 1
        s.saved += 1
        if s.saved < min(2, s.lost[seat]):
            return
    s.saved = 0
    s.phase = STAGE_NEXT_IN_EVENT


@kernel
def legal_rescue(s, words):
    """The baron's own area, blocked as it is, or pass."""
    allow(words, PASS)
    allow(words, DROP + s.baron[s.to_act])


# --- special tax ----------------------------------------------------------------------------
@kernel
def can_keep(s, seat):
    """Whether the player has silver and a Market squire not yet kept."""
    if s.silver[seat] <= 0:
        return False
    for index in range(3):
        if s.board[seat, _MARKET_FIRST + index] > s.kept[index]:
            return True
    return False


@kernel
def settle_tax(s, seat):
    """His Market squires not kept leave (R15.4)."""
    for index in range(3):
        s.board[seat, _MARKET_FIRST + index] = s.kept[index]
        s.kept[index] = 0


@kernel
def begin_tax(s, seat):
    """Ask whoever can pay; the squires of one without silver leave now (A46)."""
    for index in range(3):
        s.kept[index] = 0
    s.phase = PHASE_SPECIAL_TAX
    if can_keep(s, seat):
        return True
    settle_tax(s, seat)
    return False


@kernel
def apply_tax(s, action):
    """1 silver for one squire, or no more."""
    seat = s.to_act
    if action != PASS:
        s.silver[seat] -= 1
        s.kept[action - KEEP] += 1
        if can_keep(s, seat):
            return
    settle_tax(s, seat)
    s.phase = STAGE_NEXT_IN_EVENT


@kernel
def legal_tax(s, words):
    """Any Market area with a squire not yet kept, or pass."""
    allow(words, PASS)
    for index in range(3):
        if s.board[s.to_act, _MARKET_FIRST + index] > s.kept[index]:
            allow(words, KEEP + index)


# --- war ------------------------------------------------------------------------------------
@kernel
def targets_of(s, seat, opponent):
    """Bit mask of the areas where a squire of the opponent may be removed (R15.5, D21, A44)."""
    if opponent == seat or s.hits[opponent] >= 2:
        return 0
    areas = own_areas(s, opponent)
    return areas if s.war_may_hit_templars == 1 else areas & ~_TEMPLARS_AREAS


@kernel
def can_hit(s, seat):
    """Whether any legal target is left (A45)."""
    targets = 0
    for opponent in range(s.players):
        targets |= targets_of(s, seat, opponent)
    return targets != 0


@kernel
def begin_raid(s, seat):
    """His Templars squires leave; for each he may remove one opposing squire (R15.5)."""
    s.left = 0
    for area in range(_TEMPLARS_FIRST, _TEMPLARS_FIRST + 3):
        s.left += s.board[seat, area]  # A44: those still there
        s.board[seat, area] = 0
    for other in range(4):
        s.hits[other] = 0
    s.phase = PHASE_WAR
    if s.left > 0 and can_hit(s, seat):
        return True
    s.left = 0
    return False


@kernel
def apply_raid(s, action):
    """One opposing squire removed, or no more."""
    seat = s.to_act
    if action != PASS:
        opponent = (seat + (action - TARGET) // NUM_AREAS + 1) % s.players
        s.board[opponent, (action - TARGET) % NUM_AREAS] -= 1
        s.hits[opponent] += 1
        s.left -= 1
        if s.left > 0 and can_hit(s, seat):
            return
    s.left = 0
    for other in range(4):
        s.hits[other] = 0
    s.phase = STAGE_NEXT_IN_EVENT


@kernel
def legal_raid(s, words):
    """Every opposing squire that may be removed, or pass."""
    allow(words, PASS)
    for step in range(1, s.players):
        targets = targets_of(s, s.to_act, (s.to_act + step) % s.players)
        allow_block(words, TARGET + NUM_AREAS * (step - 1), targets)


# --- end of the round and of the game -------------------------------------------------------
@kernel
def round_end(s):
    """On to the next round, or the end of the game (R3.3, R16.1, A50)."""
    if s.round < s.rounds:
        s.phase = STAGE_ROUND
        return
    s.phase = PHASE_OVER
    s.to_act = NO_SEAT
    for seat in range(s.players):
        place = 0
        for other in range(s.players):
            if other != seat and finishes_before(s, other, seat):
                place += 1
        s.ranking[place] = seat
    s.winner = s.ranking[0]


@kernel
def finishes_before(s, seat, other):
    """Higher tower, then more prestige left, then lower office (R16.1)."""
    if s.floors[seat] != s.floors[other]:
        return s.floors[seat] > s.floors[other]
    if s.prestige[seat] != s.prestige[other]:
        return s.prestige[seat] > s.prestige[other]
    return s.office[seat] < s.office[other]
