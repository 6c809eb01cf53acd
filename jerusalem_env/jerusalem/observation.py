"""Observations: the table that names every entry of the vector.

Each entry is a whole number ``0..cap``; amounts above are clipped. As uint8 it is that number, as
float32 the number divided by its cap, so all lie in [0, 1]. Seats are egocentric: seat 0 is the
observer, seat k sits k places clockwise of him. The pieces stand one after the other in the order
of ``features``; ``encoding`` writes them in the same order.

``state_features`` adds what nobody sees (all hands, silver, supplies, events, the pile) behind the
observation of seat 0, for centralised critics.
"""

from __future__ import annotations

from ..features import Feature, FeatureTable, pairs
from ..game import Information
from .actions import PHASES, SOURCES
from .rules.board import AREAS, SECTORS, areas_in_play, sectors_in_play
from .rules.cards import CARDS, COPIES, NUM_CARD_KINDS
from .rules.events import EVENTS
from .rules.offices import OFFICES, offices_in_play
from .rules.ruleset import RuleSet

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


def _observation_table(rules: RuleSet, information: Information) -> FeatureTable:
    n = rules.players
    seats = ["me", *(f"+{k}" for k in range(1, n))]
    seen = seats if information == "recall" else ["me"]
    offices = [OFFICES[o] for o in offices_in_play(n)]
    areas = [AREAS[a] for a in areas_in_play(n)]
    sectors = [SECTORS[x] for x in sectors_in_play(n) if x < 5]
    rounds = [f"round {r}" for r in range(1, 6)]
    table = FeatureTable()
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
    add("office", pairs(seats, offices), 1, "flag", "office held this round")
    add("last_office", pairs(seats, offices), 1, "flag", "office held the round before")
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
    add("board", pairs(areas, seats), CAP_BOARD, "squires", "squires in each area")
    add("control", pairs(areas, seats), 1, "flag", "who controls the area as things stand")
    add("baron", pairs(areas, seats), 1, "flag", "whose baron blocks the area")
    add("arrivals", areas, CAP_ARRIVALS, "squires", "new squires of the player in turn (A13)")
    add("sector_total", pairs(sectors, seats), CAP_SECTOR, "squires", "squires in a whole sector")
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
            pairs(rounds, CARDS),
            CAP_COPIES,
            "cards",
            "cards I passed on in each draft",
        )
        add(
            "drafted_after_me",
            pairs(rounds, seats[1:]),
            1,
            "flag",
            "who drafted after me in each round",
        )
        add("played", pairs(seats, CARDS), CAP_COPIES, "cards", "cards played by each")
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
    add("all_hands", pairs(seats, CARDS), COPIES * rules.players, "cards", "the hand of every seat")
    add("all_pool", CARDS, COPIES, "cards", "the draft pool")
    add(
        "all_events",
        pairs([f"round {r}" for r in (2, 3, 4)], EVENTS),
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
