"""The state record: all there is to a game, and a little that follows from it (``derived``).

A batch of games is one numpy array of ``STATE``. A *view* (``screen.py``) is the same record seen
from a seat: turned so that the observer is seat 0, with everything he may not see blanked. Hence
every function that reads a state reads a view too.

Sets of card kinds, of spaces and of markers are bit masks (bit i: kind, space or marker i): nobody
ever holds two cards of one kind (VII.c). All values of the data file (rules Part II) that kernels
need stand in the record, so games under different data files can share a process.

Compare records by their fields (``==``), not by their bytes: numpy leaves padding out in copies.
"""

from __future__ import annotations

import numpy as np

from ..rules.names import ALL_SPACES_MASK, AROUND, CORNER_MASK, JESUS_MASK
from ..rules.ruleset import RuleSet
from .layout import MAX_STEPS, NO_SEAT, PHASE_OVER, STAGE_OVER

WATCHDOG = 10_000  # decisions after which a game is truncated, never terminated (A50)

# Shapes and meaning of every field. By seat means 4 rows, those beyond the players 0.
STATE = np.dtype(
    [
        # --- flow
        ("key", np.uint64),  # all chance still to come (VII.f); 0 in views
        ("seat_shift", np.int8),  # by how many seats the table has been turned since set-up
        ("decisions", np.int32),  # taken so far, forced ones included
        ("decision_limit", np.int32),  # the watchdog
        ("turns", np.int32),  # turns begun so far
        ("players", np.int8),  # 3 or 4
        ("stage", np.int8),  # STAGE_*
        ("phase", np.int8),  # PHASE_*
        ("to_act", np.int8),  # seat, -1 when over
        ("turn", np.int8),  # the active player, -1 in set-up
        ("start", np.int8),  # the start player
        ("num_steps", np.int8),
        ("steps", np.int8, (MAX_STEPS,)),  # STEP_*, the next one last; 0 beyond num_steps
        # --- what the current sub-flow has fixed ("choice" and "visit" of VII.e)
        ("chosen_card", np.int8),  # phase column: kind, -1
        ("traded", np.int8),  # phase market: TRADED_*
        ("sold", np.int8),  # phase market: mask of resources sold
        ("free", np.int8),  # phases supper and from: 1 if invited
        ("chosen_space", np.int8),  # phase from: space, -1
        ("must", np.int8),  # phase call: 1 if it cannot be declined
        ("chosen_marker", np.int8),  # phase give: marker, -1
        ("lifted", np.int8),  # phases change_to and swap_with: space, -1
        ("arrange_column", np.int8),  # phase arrange: 0..2
        ("chosen_colour", np.int8),  # phase seat: apostle colour, -1
        ("visit_source", np.int8),  # 0..2 own column, 3 symbols held, -1 no visit
        ("visit_column", np.int8),  # apostle column 0..2, -1
        ("pool", np.int64),  # phase arrange: mask of card kinds in the air
        # --- cards by seat
        ("hand", np.int64, (4,)),  # mask of kinds; in views of others what is known of it
        ("known_hands", np.int64, (4,)),  # mask of kinds that everybody has seen taken
        ("discards", np.int64, (4,)),  # mask of starting kinds
        ("hand_counts", np.int8, (4, 3)),  # cards in hand by back: starting, mahane, xxxiii
        ("deck", np.int8, (4, 10)),  # kinds, top first; -1 beyond its end or unseen
        ("deck_size", np.int8, (4,)),
        ("shuffles", np.int32, (4,)),  # reshuffles so far
        ("column_size", np.int8, (4, 3)),
        ("columns", np.int8, (4, 3, 40)),  # kinds, first played first; -1 beyond the end
        # --- common cards
        ("display", np.int8, (2,)),  # kinds left and right, -1 none
        ("mahane", np.int8, (20,)),  # pile, top first; -1 beyond its end or unseen
        ("mahane_size", np.int8),
        ("mahane_tail", np.int8),  # cards at the bottom that everybody has seen go there
        ("xxxiii", np.int8, (10,)),
        ("xxxiii_size", np.int8),
        ("xxxiii_tail", np.int8),
        # --- by seat
        ("denarii", np.int32, (4,)),
        ("points", np.int32, (4,)),  # after the end: with the final count
        ("resources", np.int32, (4, 3)),  # stone, bread, fish
        ("areas", np.int8, (4, 3)),  # followers in desert, mountain, lake
        ("camp", np.int8, (4,)),  # followers
        ("offerings", np.int8, (4,)),
        ("blocked", np.int8, (4,)),  # 1: the blocked-warehouse tile is there
        ("illumination", np.int8, (4,)),  # 1: unused
        ("favors", np.int16, (4,)),  # mask of markers left
        ("favors_done", np.int8, (4,)),
        ("symbols_held", np.int8, (4, 5)),  # by location
        ("parables", np.int8, (4,)),  # tiles taken: types 1..k (I7)
        ("colours", np.int8, (4,)),  # colour of each seat, -1 beyond the players
        ("ranks", np.int8, (4,)),  # 1 is best, ties share; 0 until over
        # --- the board
        ("supper", np.int64, (5,)),  # mask of spaces by seat; the last row is neutral
        ("seats", np.int8, (12,)),  # apostle colour on each seat of the table, -1 empty
        ("apostles", np.int8, (3, 4)),  # left, by apostle column and colour
        ("symbols", np.int8, (3, 3)),  # locations, by apostle column
        ("sanhedrin", np.int8),
        ("judgments", np.int8, (6,)),  # in the order of the track
        ("judgments_on", np.int8),
        # --- what follows from the rest (``derived``)
        ("symbol_flags", np.int64),  # ``symbols`` as flags: 15 * column + 5 * place + location
        ("symbol_counts", np.int64),  # how often: 4 bits at 20 * column + 4 * location
        ("judgment_flags", np.int64),  # ``judgments`` as flags: 6 * place + tile
        ("seat_flags", np.int64),  # ``seats`` as flags: 4 * seat + apostle colour
        ("column_facts", np.int64, (4, 3)),  # rows beyond the players 0
        ("cards_laid", np.int64, (4,)),  # mask of the kinds on own columns
        ("space_worth", np.int8, (56,)),  # points of a follower there from Apostles or Jesus (R18)
        ("table_points", np.int16, (4,)),  # what the followers of each seat have of them so
        # --- views
        ("observer", np.int8),  # the seat that looks; -1: a full state
        ("recall", np.int8),  # 1 with information="recall"
        # --- rule set (VII.a), constant through a game
        ("data_id", np.uint64),  # digest of the data file
        ("by_colour", np.int8),  # apostle_columns
        ("orange_own", np.int8),  # orange_scores
        ("fixed_first", np.int8),  # first_player, -1 drawn
        ("fixed_colours", np.int8, (4,)),  # -1 drawn
        ("fixed_symbols", np.int8, (3, 3)),  # -1 drawn
        # --- the data file (Part II), constant through a game
        ("card_location", np.int8, (55,)),
        ("card_actions", np.int8, (55, 3)),  # STEP_* of the bottom actions, -1 none
        ("card_points", np.int8, (3,)),  # green circles, by back
        ("starting_cards", np.int64, (4,)),  # mask of kinds, by colour
        ("space_cost", np.int8, (56, 3)),  # stone, bread, fish
        ("space_needs", np.int64, (3, 8)),  # mask of spaces that cost more than k of a resource
        ("space_effect", np.int8, (56,)),  # STEP_*
        ("space_amount", np.int8, (56,)),  # of STEP_POINTS and STEP_DENARII
        ("neutral", np.int64),  # mask of spaces (R4.1); 0 with 4 players
        ("jesus_points", np.int8),
        ("apostle_value", np.int8, (4,)),
        ("apostle_supply", np.int8, (3, 4)),  # at set-up, by apostle column and colour
        ("judas_denarii", np.int8),
        ("parable_points", np.int8, (4,)),  # of a type's tiles, top first
        ("parable_needs", np.int8, (7,)),  # own followers at the Supper
        ("parable_reward", np.int8, (7,)),  # STEP_*
        ("parable_end", np.int8, (8,)),  # points for 0..7 tiles
        ("marker_benefit", np.int8, (8,)),  # resource 0..2 or BENEFIT_*
        ("marker_amount", np.int8, (8,)),
        ("marker_symbol", np.int8, (8,)),  # location on the back
        ("favor_points", np.int8, (8,)),  # of the 1st .. 8th Favor
        ("favor_denarii", np.int8, (8,)),
        ("unblock_at", np.int8),  # Favors done
        ("vp3_points", np.int8),
        ("denarius_amount", np.int8),
        ("gain_amount", np.int8, (3,)),  # of the actions stone, bread, fish
        ("redistribute_discards", np.int8),
        ("offering_points", np.int8),
        ("illumination_points", np.int8),
        ("judgment_space", np.int8, (6,)),
        ("last_space", np.int8),
        ("squares", np.int8),  # in each area, with so many players
        ("max_each", np.int8),  # followers of one player in an area
        ("recruit_price", np.int8, (3,)),
        ("displace_extra", np.int8),
        ("trade_price", np.int8, (3,)),
        ("market_card_price", np.int8),
        ("purchase_price", np.int8),
        ("capacity", np.int8),
        ("capacity_unblocked", np.int8),
        ("setup_denarii", np.int8, (4,)),  # by turn order
        ("setup_points", np.int8, (4,)),
        ("setup_resources", np.int8, (3,)),
        ("setup_offerings", np.int8),
        ("setup_camp", np.int8),
        ("setup_each", np.int8),  # followers in each area
        ("hand_limit", np.int8),
    ],
    align=True,
)

# Fields that are the same through a game: the switches and the data.
FIRST_RULE_FIELD = "data_id"
RULE_FIELDS: tuple[str, ...] = ("players",) + tuple(
    (STATE.names or ())[(STATE.names or ()).index(FIRST_RULE_FIELD) :]
)
# Fields that hold chance still to come: no view has them (VII.g).
HIDDEN_CHANCE_FIELDS = ("key",)  # ``seat_shift`` is blank in views too: it tells streams apart

AROUND_MASKS = np.array(AROUND, dtype=np.int64)  # (12, 3): by seat of the table and distance
ALL_SPACES = ALL_SPACES_MASK
JESUS_SPACES = JESUS_MASK
CORNER_SPACES = CORNER_MASK


def blank_states(num_games: int, rules: RuleSet) -> np.ndarray:
    """``num_games`` records that hold the rule set and no game yet: reset them before use."""
    states = np.zeros(num_games, dtype=STATE)
    write_rules(states, rules)
    clear_game(states)
    return states


def write_rules(states: np.ndarray, rules: RuleSet) -> None:
    """Write the switches and the data of a rule set into records."""
    for name, value in rules.tables().items():
        states[name] = value


def clear_game(states: np.ndarray) -> None:
    """Set every field but the rule set to "nothing there"."""
    for name in STATE.names or ():
        if name not in RULE_FIELDS:
            states[name] = 0
    for name in ("chosen_card", "chosen_space", "chosen_marker", "lifted", "chosen_colour"):
        states[name] = -1
    for name in ("visit_source", "visit_column", "deck", "columns", "display", "mahane", "xxxiii"):
        states[name] = -1
    for name in ("colours", "seats"):
        states[name] = -1
    for name in ("to_act", "turn", "observer"):
        states[name] = NO_SEAT
    states["stage"] = STAGE_OVER
    states["phase"] = PHASE_OVER
    states["decision_limit"] = WATCHDOG
