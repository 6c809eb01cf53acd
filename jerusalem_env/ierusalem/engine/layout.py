"""Integer codes shared by all engine files: flat-action blocks, phases and stages.

The flat actions are those of rules VII.d, in that order; a block is ``FIRST + index``. Their names
are made in ``actions.py``. Locations, areas, resources, apostles, colours, judgments, card kinds,
seats and spaces are numbered in the order of VII.c (``rules/names.py``).
"""

from __future__ import annotations

MAX_PLAYERS = 4
NO_SEAT = -1
NEUTRAL = 4  # row of ``supper`` that holds the neutral followers (R4.1)
MAX_STEPS = 16  # steps pending; 3 seen, 8 asked for (VI.b)

# --- flat actions (VII.d): first id of each block --------------------------------------------
PASS = 0
CARD = 1  # + card kind 0..54
COLUMN = 56  # + own column 0..2
ILLUMINATE = 59
FOLLOWER = 60  # + area 0..2
FROM = 63  # + area
DISPLACE = 66  # + 3 * (k - 1) + area, player k seats clockwise
SPACE = 75  # + space 0..55
LIFT = 131  # + space
OFFERING = 187
DRAW = 188  # + 0 left, 1 right, 2 deck
SELL = 191  # + resource 0..2
BUY = 194  # + resource
FAVOR = 197  # + marker 0..7
GIVE = 205  # + k - 1
VISIT = 208  # + 3 * source + apostle column; source 0..2 own column, 3 symbols held
APOSTLE = 220  # + apostle colour 0..3
SEAT = 224  # + seat of the table 0..11
REARRANGE = 236
DISCARD = 237  # + resource
NUM_ACTIONS = 240

DRAW_DECK = 2  # index in the block; 0 and 1 are the display
SOURCE_FAVORS = 3  # a visit with symbols held alone (R7.3)

MARKET, DESERT, MOUNTAIN, LAKE, TEMPLE = range(5)  # locations; area = location - 1
PURPLE, ORANGE, WHITE, JUDAS = range(4)
STARTING, MAHANE, XXXIII = range(3)  # backs of cards

# --- phases: what is being decided (VII.b) ---------------------------------------------------
(
    PHASE_SETTLE,
    PHASE_PLAY,
    PHASE_COLUMN,
    PHASE_ILLUMINATE,
    PHASE_ORANGE,
    PHASE_MARKET,
    PHASE_TEMPLE,
    PHASE_SUPPER,
    PHASE_FROM,
    PHASE_OFFERING,
    PHASE_CALL,
    PHASE_DRAW,
    PHASE_FAVOR,
    PHASE_GIVE,
    PHASE_CHANGE,
    PHASE_CHANGE_TO,
    PHASE_SWAP,
    PHASE_SWAP_WITH,
    PHASE_REDISTRIBUTE,
    PHASE_ARRANGE,
    PHASE_VISIT,
    PHASE_APOSTLE,
    PHASE_SEAT,
    PHASE_PURCHASE,
    PHASE_EXCESS,
    PHASE_OVERFLOW,
    PHASE_OVER,
) = range(27)
NUM_PHASES = 27
PHASE_NONE = 32  # nothing is asked yet: the next step is to be carried out. Never between decisions

# --- stages of a turn (VII.e) ----------------------------------------------------------------
STAGE_SETTLE, STAGE_PLAY, STAGE_VISIT, STAGE_PURCHASE, STAGE_REFILL, STAGE_OVER = range(6)

# --- the market (R12.1): what has been traded in this visit ----------------------------------
TRADED_NONE, TRADED_SOLD, TRADED_BOUGHT = range(3)
