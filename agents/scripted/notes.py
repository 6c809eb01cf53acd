"""Placing squires several times in a turn: what has been weighed for one time serves the next.

Most of a playout goes into asking, after every placement, what each area would gain. A placement
changes that in its own sector only, so the rest is noted. ``notes`` (NOTES,) float64 belong to one
playout and are all 0 at its beginning.
"""

from __future__ import annotations

from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.rules.board import NUM_AREAS
from jerusalem_env.kernels import kernel

from .turn import NUM_SECTORS, choose_first, choose_last
from .worth import best_addition, privilege_at_stake

# Decisions taken in the game when the notes will hold, and 1 more: 0 is never; by whom, and where
# he will have placed squires; then the best addition to each area.
_HOLD_AT, _SEAT, _SECTOR, _COUNT = 0, 1, 2, 3
_GAIN = _COUNT + NUM_AREAS
NOTES = _GAIN + NUM_AREAS


@kernel
def note_placement(s, me, area, count, notes):
    """From now on so many squires are placed in an area, and nothing else is done."""
    notes[_HOLD_AT] = s.decisions + count + 1
    notes[_SEAT] = me
    notes[_SECTOR] = area // 3


@kernel
def changed_sector(s, me, notes):
    """The one sector that is not as it was noted; -1 if the notes do not hold."""
    if notes[_HOLD_AT] == s.decisions + 1 and notes[_SEAT] == me:
        return int(notes[_SECTOR])
    return -1


@kernel
def areas_beyond(sector, within, reach, notes):
    """Which of the areas ``within`` a sector would take more squires than there are left.

    Fewer squires leave the best addition to an area as it was, unless it takes more than that: a
    privilege out of reach had no part in it.
    """
    beyond = 0
    for index in range(3):
        if notes[_COUNT + 3 * sector + index] > reach:
            beyond |= 1 << index
    return beyond & within


@kernel
def weigh_areas(s, me, sector, within, reach, may_block, notes, scene, p):
    """Note the best additions to some areas of a sector."""
    at, privilege = privilege_at_stake(s, me, sector, reach, scene, p)
    for index in range(3):
        if (within >> index) & 1:
            area = 3 * sector + index
            count, gain = best_addition(s, me, area, reach, may_block, at, privilege, scene, p)
            notes[_COUNT + area], notes[_GAIN + area] = count, gain


@kernel
def best_noted_place(s, me, areas, reach, may_block, notes, scene, p):
    """``best_place`` for placing squires of the supply in a turn, by notes where they hold."""
    changed = changed_sector(s, me, notes)
    best, best_count, best_gain, best_each = -1, 0.0, 0.0, 0.0
    for sector in range(NUM_SECTORS):
        within = (areas >> (3 * sector)) & 0b111
        anew = within
        if changed >= 0 and sector != changed:
            anew = areas_beyond(sector, within, reach, notes)
        if anew != 0:
            weigh_areas(s, me, sector, anew, reach, may_block, notes, scene, p)
        for index in range(3):
            if (within >> index) & 1:
                area = 3 * sector + index
                count, gain = notes[_COUNT + area], notes[_GAIN + area]
                if count > 0.0 and gain > best_each * count:
                    best, best_count, best_gain, best_each = area, count, gain, gain / count
    return best, int(best_count), best_gain


@kernel
def choose_noted_turn(s, me, words, notes, scene, p):
    """(``choose_turn``'s action, how often in a row), by notes where they hold."""
    may_block = s.baron_used == 0 and scene.movers > 0
    action = choose_first(s, me, words, may_block, scene, p)
    if action >= 0:
        return action, 1
    supply = s.squires[me]
    if supply > 0:
        area, count, gain = best_noted_place(
            s, me, scene.open_areas, supply, may_block, notes, scene, p
        )
        if area >= 0 and gain > count * p.keep[scene.left]:
            note_placement(s, me, area, count, notes)
            return L.PLACE + area, count
    return choose_last(s, me, words, may_block, scene, p), 1
