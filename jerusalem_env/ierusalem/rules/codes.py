"""Integer codes that the data is turned into: steps, benefits of favor markers, Judas."""

from __future__ import annotations

JUDAS_COLOUR = 3  # of the Apostles

# --- steps: what is still to happen in the stage (VII.e) -------------------------------------
(
    STEP_MARKET,
    STEP_TEMPLE,
    STEP_GO,
    STEP_INVITED,
    STEP_PARABLE,
    STEP_FAVOR,
    STEP_CALL,
    STEP_CHANGE,
    STEP_REDISTRIBUTE,
    STEP_MEETING,
    STEP_MAHANE,
    STEP_XXXIII,
    STEP_DENARIUS,
    STEP_STONE,
    STEP_BREAD,
    STEP_FISH,
    STEP_VP3,
    STEP_NONE,  # the effect "-"
    STEP_POINTS,  # the effect points_2; the amount stands in the data of the space
    STEP_DENARII,  # the effect denarii_2
    STEP_OFFERING,
    STEP_FAVOR_DONE,
    STEP_APOSTLE,
    STEP_SWAP,
    STEP_JUDAS,
    STEP_VISIT_END,
    STEP_EXCESS,
    STEP_REFILL,
    STEP_OVERFLOW,
    STEP_END,
) = range(30)
STEP_GAIN = 32  # + area
STEP_SETTLE = 36  # + seat
STEP_SCORE = 40  # + seat of the table
STEP_RECEIVE = 64  # + 4 * marker + seat

# --- benefits of markers (``marker_benefit``): a resource 0..2, or --------------------------
BENEFIT_DENARII, BENEFIT_CALL = 3, 4
