"""The state record: all there is to a game, and nothing else.

A batch of games is one numpy array of ``STATE``. A *view* (``screen.py``) is the same record seen
from a seat: turned so that the observer is seat 0, with everything he may not see blanked to -1.
Hence every function that reads a state reads a view too.

Between some fields lie bytes of padding. They hold anything, and numpy leaves them out when it
copies: compare records by their fields (``==``), not by their bytes.
"""

from __future__ import annotations

import numpy as np

from ..rules.board import AREA_SECTOR
from ..rules.ruleset import RuleSet
from .layout import NO_SEAT, PHASE_OVER, SOURCE_NONE

WATCHDOG = 10_000  # decisions after which a game is truncated, never terminated

# Shapes and meaning of every field. Amounts are whole squires, silver, prestige points, floors.
STATE = np.dtype(
    [
        # --- rule set (VII.a), constant through a game
        ("income", np.int16, (16, 3)),  # squires, silver, prestige by area
        ("players", np.int8),
        ("rounds", np.int8),
        ("first_opener", np.int8),  # seat, -1: drawn at set-up
        ("influence_ignores_baron", np.int8),  # switches: 0 or 1
        ("election_all_sectors", np.int8),
        ("move_card_may_leave_blocked", np.int8),
        ("marshal_moves_count_for_baron", np.int8),
        ("palace_baron_round_1", np.int8),
        ("decline_income", np.int8),
        ("zero_ties_win_gifts", np.int8),
        ("war_may_hit_templars", np.int8),
        # --- flow
        ("round", np.int8),  # 1..rounds
        ("phase", np.int8),  # PHASE_*; a STAGE_* only while the engine is at work
        ("to_act", np.int8),  # seat, -1 when over
        ("winner", np.int8),  # seat, -1 until over
        ("ranking", np.int8, (4,)),  # seats, best first; -1 until over and beyond the players
        ("decisions", np.int32),  # taken so far, forced ones included
        ("decision_limit", np.int32),  # the watchdog
        # --- by seat
        ("office", np.int8, (4,)),  # office held this round, -1 none
        ("last_office", np.int8, (4,)),  # office held the round before, -1 in round 1
        ("seat_of_office", np.int8, (4,)),  # by office: its holder, -1 none
        ("baron", np.int8, (4,)),  # area where the baron stands, -1 off the board
        ("silver", np.int32, (4,)),  # -1: unseen
        ("squires", np.int32, (4,)),  # in supply; -1: unseen
        ("prestige", np.int32, (4,)),
        ("floors", np.int32, (4,)),
        ("hand", np.int8, (4, 14)),  # copies of each card kind; -1: unseen
        ("hand_size", np.int8, (4,)),
        # --- board
        ("board", np.int16, (4, 16)),  # squires by seat and area
        # --- cards
        ("discards", np.int8, (14,)),  # copies
        ("pool", np.int8, (14,)),  # laid out for the draft; -1: unseen
        ("pool_size", np.int8),
        ("pile", np.int8, (27,)),  # kinds, top at pile_top; -1: drawn or unseen
        ("pile_top", np.int8),
        ("pile_size", np.int8),  # cards left
        ("events", np.int8, (3,)),  # of rounds 2, 3, 4; -1: face down
        # --- auction
        ("opener", np.int8),
        ("auction_office", np.int8),  # on offer, -1
        ("bid", np.int16),  # -1: none yet
        ("bidder", np.int8),  # -1
        ("passed", np.int8, (4,)),  # 0 or 1
        # --- the turn of to_act
        ("arrivals", np.int16, (16,)),  # own squires that entered each area this turn (A13)
        ("hired", np.int16),  # squires hired this turn
        ("baron_used", np.int8),
        ("genoa", np.int8),
        ("marshal_used", np.int8),
        # --- sub-flows
        ("source", np.int8),  # SOURCE_*, -1
        ("left", np.int16),  # steps still to come; in war: removals still allowed
        ("lifted_from", np.int8),  # area, -1
        ("may_decline", np.int32, (4, 3)),  # squires, silver, prestige by seat
        ("lost", np.int16, (4,)),  # Palace squires lost in the succession
        ("saved", np.int8),  # squires put back by to_act in the succession
        ("kept", np.int16, (3,)),  # Market squires paid for by to_act in the special tax
        ("hits", np.int8, (4,)),  # squires of each seat removed by to_act in the war
        # --- memory of public play and of the drafts (information="recall")
        ("office_log", np.int8, (5, 4)),  # office by round and seat, -1
        ("draft_log", np.int8, (5, 4)),  # card kind drafted by round and seat, -1: none or unseen
        ("played", np.int8, (4, 14)),  # cards played by each seat; -1: not remembered
        ("passed_on", np.int8, (5, 14)),  # in views: cards the observer passed on, by round
        ("observer", np.int8),  # in views: the seat that looks; -1: a full state
        ("recall", np.int8),  # in views: 1 with information="recall"
    ],
    align=True,
)

SWITCHES = (
    "influence_ignores_baron",
    "election_all_sectors",
    "move_card_may_leave_blocked",
    "marshal_moves_count_for_baron",
    "palace_baron_round_1",
    "decline_income",
    "zero_ties_win_gifts",
    "war_may_hit_templars",
)

SECTOR_OF = np.array(AREA_SECTOR, dtype=np.int64)
ALL_AREAS_MASK = (1 << 16) - 1
TWO_PLAYER_MASK = sum(1 << a for a in range(16) if AREA_SECTOR[a] not in (2, 4))  # R2.4


def blank_states(num_games: int, rules: RuleSet) -> np.ndarray:
    """``num_games`` records that hold the rule set and no game yet: reset them before use."""
    states = np.zeros(num_games, dtype=STATE)
    write_rules(states, rules)
    clear_game(states)
    return states


def write_rules(states: np.ndarray, rules: RuleSet) -> None:
    """Write the switches of a rule set into records."""
    states["income"] = np.array(rules.income_table, dtype=np.int16)
    states["players"] = rules.players
    states["rounds"] = rules.rounds
    states["first_opener"] = -1 if rules.first_opener is None else rules.first_opener
    for switch in SWITCHES:
        states[switch] = getattr(rules, switch)


def clear_game(states: np.ndarray) -> None:
    """Set every field but the rule set to "nothing there"."""
    names = list(STATE.names or ())
    for name in names[names.index("round") :]:
        states[name] = 0
    for name in ("office", "last_office", "seat_of_office", "baron", "events", "ranking"):
        states[name] = -1
    for name in ("office_log", "draft_log", "pile"):
        states[name] = -1
    for name in ("to_act", "winner", "bidder", "observer"):
        states[name] = NO_SEAT
    for name in ("auction_office", "bid", "lifted_from"):
        states[name] = -1
    states["source"] = SOURCE_NONE
    states["phase"] = PHASE_OVER
    states["decision_limit"] = WATCHDOG
