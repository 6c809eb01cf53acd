"""Integer codes shared by all engine files: flat-action blocks, phases, stages and sources.

The flat actions are those of rules VII.d, in that order; a block is `FIRST + index`. Their names
are made in ``actions.py``.
"""

from __future__ import annotations

MAX_PLAYERS = 4
NO_SEAT = -1

# --- flat actions (VII.d): first id of each block --------------------------------------------
PASS = 0
OPEN = 1  # + office 0..3
BID = 5  # + silver 0..127
DRAFT = 133  # + card kind 0..13
PLACE = 147  # + area 0..15
BARON = 163  # + area
HIRE = 179
DISMISS = 180  # + area
PLAY = 196  # + card kind
MARSHAL_MOVE = 210
MARSHAL_SILVER = 211
LIFT = 212  # + area
DROP = 228  # + area
TAKE = 244  # + resource 0 squire, 1 silver, 2 prestige
TARGET = 247  # + 16 * (k - 1) + area, opponent k seats clockwise
BUY_CARD = 295
BUY_PRESTIGE = 296  # + amount - 1
STEAL = 300  # + k - 1
KEEP = 303  # + 0 market.large, 1 market.left, 2 market.right
DECLINE = 306  # + resource
NUM_ACTIONS = 309

RESOURCE_SQUIRE, RESOURCE_SILVER, RESOURCE_PRESTIGE = range(3)

# --- phases: what is being decided (VII.e) ---------------------------------------------------
(
    PHASE_OPEN,
    PHASE_BID,
    PHASE_DRAFT,
    PHASE_TURN,
    PHASE_DISMISS,
    PHASE_LIFT,
    PHASE_DROP,
    PHASE_TAKE,
    PHASE_TARGET,
    PHASE_DAVIDS_TOWER,
    PHASE_PATRIARCHATE,
    PHASE_MARKET,
    PHASE_NOBILITY,
    PHASE_INCOME,
    PHASE_SUCCESSION,
    PHASE_SPECIAL_TAX,
    PHASE_WAR,
    PHASE_OVER,
) = range(18)
NUM_PHASES = 18

# --- stages: what happens by itself next. Never seen between two decisions -------------------
(
    STAGE_ROUND,
    STAGE_NEXT_AUCTION,
    STAGE_DRAFT,
    STAGE_TURNS,
    STAGE_NEXT_TURN,
    STAGE_TOWER,
    STAGE_PATRIARCHATE,
    STAGE_MARKET,
    STAGE_NOBILITY,
    STAGE_INCOME,
    STAGE_NEXT_DECLINE,
    STAGE_BUILDING,
    STAGE_EVENT,
    STAGE_NEXT_IN_EVENT,
    STAGE_ROUND_END,
) = range(32, 47)

# --- sources: what began a sub-flow (VII.e "pending") ----------------------------------------
SOURCE_NONE = -1
(
    SOURCE_DISMISS,
    SOURCE_RESOURCES_2,
    SOURCE_MARSHAL,
    SOURCE_MOVE_2,
    SOURCE_DEFECTOR,
) = range(5)
SOURCE_INFLUENCE = 5  # + sector 0..5
NUM_SOURCES = 11
