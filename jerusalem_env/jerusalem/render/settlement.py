"""What happens by itself in phases 3 and 4 of a round, worked out for the log of a game.

The engine goes from one decision to the next in one step, in which a whole settlement may lie. Its
parts are worked out here from the rules, and only believed if they lead to what the engine says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..actions import PHASES
from ..rules.board import DAVIDS_TOWER, areas_in_play
from .seen import majority

AMOUNTS = ("squires", "silver", "prestige", "floors")
_SQUIRES, _SILVER, _PRESTIGE, _FLOORS = range(4)

# The order of a round (VII.c); building lies between income and the events.
_STEPS = {
    **dict.fromkeys(("open", "bid", "draft"), 0),
    **dict.fromkeys(("turn", "dismiss", "lift", "drop", "take", "target"), 1),
    "davids_tower": 2,
    "patriarchate": 3,
    "market": 4,
    "nobility": 5,
    "income": 6,
    **dict.fromkeys(("succession", "special_tax", "war"), 8),
}
_BUILDING, _EVENT, _END = 7, 8, 9


class Settlement(NamedTuple):
    """What a step brought by itself; each (n, 4): squires, silver, prestige, floors by seat.

    Attributes
    ----------
    tower, income, gifts, building : ndarray
        Zero where it did not happen in this step.
    event : bool
        Whether the round's event began to be carried out.
    """

    tower: np.ndarray
    income: np.ndarray
    gifts: np.ndarray
    building: np.ndarray
    event: bool

    @property
    def total(self) -> np.ndarray:
        """(n, 4) all of it."""
        return self.tower + self.income + self.gifts + self.building


def step_of(state: np.void, round_number: int) -> int:
    """How far a round has come; past its end once the next one has begun or the game is over."""
    phase = PHASES[state["phase"]]
    if phase == "over" or state["round"] != round_number:
        return _END
    return _STEPS[phase]


def settlement(
    before: np.void, after: np.void, board: np.ndarray, own: np.ndarray
) -> Settlement | None:
    """The parts of what lies between two decisions; None if they cannot be told apart.

    Parameters
    ----------
    before, after : STATE records
    board : (4, 16)
        The board after the action at ``before``, before anything else.
    own : (n, 4) int64
        What the action itself changes of the amounts.
    """
    n = int(before["players"])
    number = int(before["round"])
    first, last = step_of(before, number), step_of(after, number)
    none = np.zeros((n, 4), dtype=np.int64)
    tower, income, gifts, building = none.copy(), none.copy(), none.copy(), none.copy()
    rank = before["office"][:n].tolist()
    if first < 2 <= last:  # R12.1: the controller of David's Tower gets 1 silver
        seat = majority(board[:n, DAVIDS_TOWER].tolist(), rank)
        if seat >= 0:
            tower[seat, _SILVER] = 1
    if first < 6 <= last:  # R12.8-R12.10
        for area in areas_in_play(n):
            seat = majority(board[:n, area].tolist(), rank)
            if seat >= 0:
                income[seat, :3] += before["income"][area]
    if first < _BUILDING <= last:
        if number == before["rounds"]:
            gifts = _gifts(after, n)
        prestige = before["prestige"][:n] + (own + income + gifts)[:, _PRESTIGE]
        building = _built(before["floors"][:n].astype(int), prestige.astype(int), rank)
    event = (
        first < 8 <= last and last > _BUILDING and 2 <= number <= 4 and number < before["rounds"]
    )
    found = Settlement(tower, income, gifts, building, bool(event))
    now = np.stack([after[x][:n] for x in ("prestige", "floors")], axis=1).astype(int)
    then = np.stack([before[x][:n] for x in ("prestige", "floors")], axis=1).astype(int)
    if not np.array_equal(then + (own + found.total)[:, [_PRESTIGE, _FLOORS]], now):
        return None
    return found


def _gifts(after: np.void, n: int) -> np.ndarray:
    """(n, 4): 3 prestige for most squires, 3 for most silver, 1 for a card (R13.2, R13.3)."""
    gifts = np.zeros((n, 4), dtype=np.int64)
    for amount in ("squires", "silver"):
        held = after[amount][:n]
        best = np.flatnonzero(held == held.max())
        if held.max() == 0 and not after["zero_ties_win_gifts"]:  # A42
            continue
        gifts[best, _PRESTIGE] += 3 if len(best) == 1 else 1
    gifts[:, _PRESTIGE] += after["hand_size"][:n] > 0
    return gifts


def _built(floors: np.ndarray, prestige: np.ndarray, rank: list[int]) -> np.ndarray:
    """(n, 4): floors built and prestige paid, in player order, all that can be (R14.1-R14.3)."""
    change = np.zeros((len(floors), 4), dtype=np.int64)
    floors, prestige = floors.copy(), prestige.copy()
    for seat in np.argsort(rank):
        while True:
            floor = int(floors[seat]) + 1
            cost = floor + 1 + (floor > floors.max())  # R14.2: dearer for the first to reach it
            if prestige[seat] < cost:
                break
            floors[seat] += 1
            prestige[seat] -= cost
            change[seat, _FLOORS] += 1
            change[seat, _PRESTIGE] -= cost
    return change
