"""Observations: the table that names every entry of the vector.

Each entry is a whole number ``0..cap``; amounts above are clipped. As uint8 it is that number, as
float32 the number divided by its cap, so all lie in [0, 1]. Seats are egocentric: seat 0 is the
observer, seat k sits k places clockwise of him. The pieces stand one after the other in the order
of ``features``; ``encoding`` writes them in the same order.

``state_features`` adds what nobody sees (all hands, silver, supplies, events, the pile) behind the
observation of seat 0, for centralised critics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .actions import PHASES, SOURCES
from .rules.board import AREAS, SECTORS, areas_in_play, sectors_in_play
from .rules.cards import CARDS, COPIES, NUM_CARD_KINDS
from .rules.events import EVENTS
from .rules.offices import OFFICES, offices_in_play
from .rules.ruleset import RuleSet
from .screen import Information

# Caps: the amount that reads as 1.0. Powers of two where the amount is open-ended.
CAP_SILVER = 64
CAP_SUPPLY = 64
CAP_PRESTIGE = 32
CAP_FLOORS = 16
CAP_HAND = 16
CAP_BOARD = 32
CAP_ARRIVALS = 8
CAP_SECTOR = 64
CAP_HIRED = 8
CAP_LEFT = 16
CAP_UNITS = 16
CAP_PILE = 27
CAP_COPIES = 4


@dataclass(frozen=True)
class Feature:
    """A named run of an observation.

    Attributes
    ----------
    name : str
    start, size : int
        The entries ``start .. start + size - 1``.
    labels : tuple of str
        What each entry belongs to (seat, area, card, ...), ``size`` of them.
    cap : int or tuple of int
        The amount that reads as 1.0, for all entries or each.
    unit : str
        ``flag``, ``squires``, ``silver``, ``prestige``, ``floors``, ``cards`` or ``rounds``.
    meaning : str
    """

    name: str
    start: int
    size: int
    labels: tuple[str, ...]
    cap: int | tuple[int, ...]
    unit: str
    meaning: str

    @property
    def slice(self) -> slice:
        """Where the feature stands in the vector."""
        return slice(self.start, self.start + self.size)


class _Table:
    """Collects features one after the other."""

    def __init__(self) -> None:
        self.features: list[Feature] = []
        self.size = 0

    def add(
        self,
        name: str,
        labels: list[str] | tuple[str, ...],
        cap: int | tuple[int, ...],
        unit: str,
        meaning: str,
    ) -> None:
        feature = Feature(name, self.size, len(labels), tuple(labels), cap, unit, meaning)
        self.features.append(feature)
        self.size += feature.size


def _pairs(first: list[str] | tuple[str, ...], second: list[str] | tuple[str, ...]) -> list[str]:
    return [f"{a}, {b}" for a in first for b in second]


def _observation_table(rules: RuleSet, information: Information) -> _Table:
    n = rules.players
    seats = ["me", *(f"+{k}" for k in range(1, n))]
    seen = seats if information == "recall" else ["me"]
    offices = [OFFICES[o] for o in offices_in_play(n)]
    areas = [AREAS[a] for a in areas_in_play(n)]
    sectors = [SECTORS[x] for x in sectors_in_play(n) if x < 5]
    rounds = [f"round {r}" for r in range(1, 6)]
    table = _Table()
    add = table.add
    add("phase", PHASES[:17], 1, "flag", "what is being decided (rules VII.e); all 0 when over")
    add("to_act", seats, 1, "flag", "whose decision it is")
    add("round", rounds, 1, "flag", "the current round")
    add("rounds_left", ["all"], 4, "rounds", "rounds after this one")
    add("event_now", EVENTS, 1, "flag", "the event that lies over this round")
    add("events_past", EVENTS, 1, "flag", "events of earlier rounds")
    add("my_hand", CARDS, COPIES, "cards", "action cards in hand")
    add("draft_pool", CARDS, COPIES, "cards", "the pool, while I draft; otherwise 0")
    add("discards", CARDS, COPIES, "cards", "cards played by anybody")
    add("pile", ["all"], CAP_PILE, "cards", "cards left in the pile")
    add("silver", seen, CAP_SILVER, "silver", "silver behind the screen")
    add("supply", seen, CAP_SUPPLY, "squires", "squires behind the screen")
    add("prestige", seats, CAP_PRESTIGE, "prestige", "prestige points")
    add("floors", seats, CAP_FLOORS, "floors", "floors of the tower")
    add("hand_size", seats, CAP_HAND, "cards", "action cards in hand, number only")
    add("office", _pairs(seats, offices), 1, "flag", "office held this round")
    add("last_office", _pairs(seats, offices), 1, "flag", "office held the round before")
    add("auction_office", offices, 1, "flag", "office up for auction")
    add("has_bid", ["all"], 1, "flag", "somebody has bid for it")
    add("bid", ["all"], CAP_SILVER, "silver", "the high bid")
    add("bidder", seats, 1, "flag", "who holds the high bid")
    add("opener", seats, 1, "flag", "who opened this or the last auction")
    add("passed", seats, 1, "flag", "out of this auction")
    add("baron_used", ["all"], 1, "flag", "the player in turn has placed his baron")
    add("hired", ["all"], CAP_HIRED, "squires", "squires hired in this turn")
    add("genoa", ["all"], 1, "flag", "Genoa mercenaries in force in this turn")
    add("marshal_used", ["all"], 1, "flag", "the marshal's ability is used up")
    add("board", _pairs(areas, seats), CAP_BOARD, "squires", "squires in each area")
    add("control", _pairs(areas, seats), 1, "flag", "who controls the area as things stand")
    add("baron", _pairs(areas, seats), 1, "flag", "whose baron blocks the area")
    add("arrivals", areas, CAP_ARRIVALS, "squires", "new squires of the player in turn (A13)")
    add("sector_total", _pairs(sectors, seats), CAP_SECTOR, "squires", "squires in a whole sector")
    add("lifted_from", areas, 1, "flag", "the area of the squire being moved")
    add("source", SOURCES, 1, "flag", "what began the sub-flow")
    add("left", ["all"], CAP_LEFT, "squires", "steps the sub-flow still has; removals in war")
    add(
        "may_decline",
        ["squire", "silver", "prestige"],
        CAP_UNITS,
        "squires",
        "units of income the player to act may still give back (silver, prestige likewise)",
    )
    add("lost", seats, CAP_UNITS, "squires", "Palace squires lost in the succession")
    add("saved", ["all"], 2, "squires", "of these, put back so far by the player to act")
    add("kept", AREAS[9:12], CAP_UNITS, "squires", "Market squires paid for in the special tax")
    add("hits", seats, 2, "squires", "squires of each removed in war by the player to act")
    if information == "recall":
        add(
            "passed_on",
            _pairs(rounds, CARDS),
            CAP_COPIES,
            "cards",
            "cards I passed on in each draft",
        )
        add(
            "drafted_after_me",
            _pairs(rounds, seats[1:]),
            1,
            "flag",
            "who drafted after me in each round",
        )
        add("played", _pairs(seats, CARDS), CAP_COPIES, "cards", "cards played by each")
    return table


def features(rules: RuleSet, information: Information = "screen") -> tuple[Feature, ...]:
    """The table of named features of an observation, in order; together they cover it."""
    return tuple(_observation_table(rules, information).features)


def state_features(rules: RuleSet, information: Information = "screen") -> tuple[Feature, ...]:
    """The table for ``env.state()``: the observation of seat 0, then what is hidden."""
    table = _observation_table(rules, information)
    seats = [f"seat {k}" for k in range(rules.players)]
    add = table.add
    add("all_silver", seats, CAP_SILVER, "silver", "silver of every seat")
    add("all_supply", seats, CAP_SUPPLY, "squires", "squires in supply of every seat")
    add(
        "all_hands", _pairs(seats, CARDS), COPIES * rules.players, "cards", "the hand of every seat"
    )
    add("all_pool", CARDS, COPIES, "cards", "the draft pool")
    add(
        "all_events",
        _pairs([f"round {r}" for r in (2, 3, 4)], EVENTS),
        1,
        "flag",
        "all three events",
    )
    add(
        "pile_order",
        [f"card {k}" for k in range(27)],
        NUM_CARD_KINDS,
        "cards",
        "kinds in the pile, top first: 1 + index of the kind; 0 beyond its end",
    )
    return tuple(table.features)


def size_of(table: tuple[Feature, ...]) -> int:
    """Length of the vector that a feature table describes."""
    return table[-1].start + table[-1].size


def caps_of(table: tuple[Feature, ...]) -> np.ndarray:
    """(F,) uint8: the amount that reads as 1.0, entry by entry."""
    caps = [np.broadcast_to(np.array(feature.cap, np.uint8), feature.size) for feature in table]
    return np.concatenate(caps)


def scale_of(table: tuple[Feature, ...]) -> np.ndarray:
    """(F,) float32: what a uint8 observation is multiplied by to give the float32 one, exactly."""
    return np.float32(1.0) / caps_of(table).astype(np.float32)
