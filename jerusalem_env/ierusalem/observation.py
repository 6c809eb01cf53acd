"""Observations: the table that names every entry of the vector.

Each entry is a whole number ``0..cap``; amounts above are clipped. As uint8 it is that number, as
float32 the number divided by its cap, so all lie in [0, 1]. Seats are egocentric: seat 0 is the
observer, seat k sits k places clockwise of him. The pieces stand one after the other in the order
of ``features``; ``encoding`` writes them in the same order, runs of flags 64 at a time.

Numbers that can be negative are given from an offset: ``space_worth`` and ``room``.

``state_features`` adds what nobody sees (all hands, the order of decks and piles) behind the
observation of seat 0, for centralised critics.
"""

from __future__ import annotations

from functools import cache

from ..features import Feature, FeatureTable, pairs
from ..game import Information
from .actions import PHASES, SOURCES
from .rules.names import (
    ACTIONS,
    APOSTLES,
    AREAS,
    COLOURS,
    FIRST_MAHANE,
    FIRST_XXXIII,
    JUDGMENTS,
    LOCATIONS,
    NUM_MAHANE,
    NUM_STARTING,
    NUM_XXXIII,
    RESOURCES,
    SEATS,
    SPACES,
)
from .rules.ruleset import RuleSet

# Caps: the amount that reads as 1.0.
CAP_DENARII = 64
CAP_POINTS = 192
CAP_SCORE = 255
CAP_RESOURCES = 16
CAP_AREAS = 4
CAP_CAMP = 15
CAP_OFFERINGS = 16
CAP_ROOM = 24
CAP_FAVORS_DONE = 8
CAP_SYMBOLS_HELD = 4
CAP_PARABLES = 7
CAP_FOLLOWERS = 15
CAP_DECK = 10
CAP_COLUMN = 8
CAP_COLUMN_POINTS = 12
CAP_SYMBOLS = 4
CAP_APOSTLES = 4
CAP_SQUARES = 12
CAP_SANHEDRIN = 32
CAP_NEXT_JUDGMENT = 8
CAP_WORTH = 16

WORTH_OFFSET = 8  # ``space_worth`` of a space that scores nothing
ROOM_OFFSET = 8  # ``room`` of a camp that is exactly full

KNOWN_PLACES = 3  # cards of a known bottom whose order an observation tells

# Steps that may be pending while something is decided, in the order of ``pending``.
PENDING: tuple[str, ...] = (*ACTIONS, "offering", "favor_done", "visit_end")
SPACE_ROWS: tuple[str, ...] = ("top3", "top2", "top1", "table", "bottom1", "bottom2", "bottom3")


def _observation_table(rules: RuleSet, information: Information) -> FeatureTable:
    n = rules.players
    kinds = rules.box.kinds
    starting, mahane = kinds[:FIRST_MAHANE], kinds[FIRST_MAHANE:FIRST_XXXIII]
    xxxiii = kinds[FIRST_XXXIII:]
    seats = ["me", *(f"+{k}" for k in range(1, n))]
    columns = [f"column.{c}" for c in (1, 2, 3)]
    apostle_columns = [f"apostles.{j}" for j in (1, 2, 3)]
    places = ["1st", "2nd", "3rd"]
    table = FeatureTable()
    add = table.add
    # --- flags
    add("phase", PHASES[:26], 1, "flag", "what is being decided (rules VII.b); all 0 when over")
    add("to_act", seats, 1, "flag", "whose decision it is")
    add("turn", seats, 1, "flag", "the active player; nobody in set-up")
    add("my_hand", kinds, 1, "flag", "cards in my hand")
    add("in_air", kinds, 1, "flag", "the card that goes to a column, or the pool being rearranged")
    add("my_discards", starting, 1, "flag", "cards in my discard pile")
    add("my_deck", starting, 1, "flag", "cards in my deck: its order is hidden")
    add("display", pairs(("left", "right"), mahane), 1, "flag", "Mahane cards of the display")
    add(
        "symbols",
        pairs(pairs(pairs(seats, columns), places), LOCATIONS),
        1,
        "flag",
        "locations of the first three cards on own columns",
    )
    add(
        "apostle_symbols",
        pairs(pairs(apostle_columns, places), LOCATIONS),
        1,
        "flag",
        "symbols of the apostle columns",
    )
    add(
        "set_ready",
        pairs(SOURCES, apostle_columns),
        1,
        "flag",
        "I hold what a visit with that source needs as things stand (R7.1-R7.3)",
    )
    add("table_seats", pairs(SEATS, APOSTLES), 1, "flag", "Apostles at the table")
    owners = [*seats, "neutral"] if n == 3 else seats
    add("supper", pairs(owners, SPACES), 1, "flag", "followers at the Last Supper")
    add("payable", SPACES, 1, "flag", "empty, and I have the resources it costs")
    add(
        "judgments",
        pairs([f"ahead {k}" for k in range(1, 7)], JUDGMENTS),
        1,
        "flag",
        "judgments still ahead of the marker, the next one first; none once they are off",
    )
    add("illumination", seats, 1, "flag", "Illumination unused")
    add("blocked", seats, 1, "flag", "blocked-warehouse tile in the camp")
    add("pending", PENDING, 1, "flag", "what is still to happen in this stage after the decision")
    add("traded", ("sold", "bought"), 1, "flag", "what has been traded in this market visit")
    add("sold", RESOURCES, 1, "flag", "sold in this market visit: not to be bought back (A33)")
    add("free", ["all"], 1, "flag", "the follower goes to the Supper without cost (R13.3)")
    add("must", ["all"], 1, "flag", "the call cannot be declined (A38)")
    add("chosen_marker", [f"marker {k}" for k in range(1, 9)], 1, "flag", "the marker being given")
    add("marked_row", SPACE_ROWS, 1, "flag", "row of the space gone to, or of the follower lifted")
    add("marked_column", [str(c) for c in range(1, 9)], 1, "flag", "its place in the row")
    add("arrange_column", columns, 1, "flag", "the column that the pool's next card goes to")
    add("chosen_apostle", APOSTLES, 1, "flag", "the Apostle being seated")
    add("visit_source", SOURCES, 1, "flag", "what this visit is made with, until it ends")
    add("visit_column", apostle_columns, 1, "flag", "the apostle column visited, until it ends")
    add("my_favors", rules.box.markers, 1, "flag", "favor markers that I have left")
    add("colours", pairs(seats, COLOURS), 1, "flag", "colours, which tell the ten cards of each")
    if information == "recall":
        common = (*mahane, *xxxiii)
        add("known_hands", pairs(seats[1:], common), 1, "flag", "cards seen taken into a hand")
        tops = [f"bottom {k}" for k in range(1, KNOWN_PLACES + 1)]
        add(
            "known_mahane",
            pairs(tops, mahane),
            1,
            "flag",
            "the known bottom of the Mahane pile, the card drawn first of it first",
        )
        add("known_xxxiii", pairs(tops, xxxiii), 1, "flag", "the same of the XXXIII pile")
    # --- amounts
    add(
        "space_worth",
        SPACES,
        CAP_WORTH,
        "points",
        f"what a follower there scores for the Apostles seated so far or for Jesus (R18.3, R18.4), "
        f"plus {WORTH_OFFSET}",
    )
    add("denarii", seats, CAP_DENARII, "denarii", "Denarii")
    add("points", seats, CAP_POINTS, "points", "points scored so far")
    add("score", seats, CAP_SCORE, "points", "points if the game ended as things stand (R18)")
    add("resources", pairs(seats, RESOURCES), CAP_RESOURCES, "resources", "resources in the camp")
    add("areas", pairs(seats, AREAS), CAP_AREAS, "followers", "followers at work")
    add("camp", seats, CAP_CAMP, "followers", "followers in the camp")
    add("offerings", seats, CAP_OFFERINGS, "offerings", "Offerings")
    add(
        "room",
        seats,
        CAP_ROOM,
        "squares",
        f"free squares in the camp, plus {ROOM_OFFSET}: less than that is too much for it (R9.3)",
    )
    add("favors_done", seats, CAP_FAVORS_DONE, "favors", "Favors done")
    add("symbols_held", pairs(seats, LOCATIONS), CAP_SYMBOLS_HELD, "symbols", "symbols held")
    add("parables", seats, CAP_PARABLES, "parables", "Parable tiles")
    add("supper_followers", seats, CAP_FOLLOWERS, "followers", "followers at the Last Supper")
    add(
        "hand_counts",
        pairs(seats, ("starting", "mahane", "xxxiii")),
        (CAP_DECK, NUM_MAHANE, NUM_XXXIII) * n,
        "cards",
        "cards in hand by back (A52)",
    )
    add("deck_size", seats, CAP_DECK, "cards", "cards in the deck")
    add("discard_size", seats, CAP_DECK, "cards", "cards in the discard pile")
    add("column_size", pairs(seats, columns), CAP_COLUMN, "cards", "cards on each own column")
    add(
        "my_column_points",
        columns,
        CAP_COLUMN_POINTS,
        "points",
        "green circles on the first three cards of my columns (R7.9)",
    )
    add(
        "set_lacking",
        pairs(SOURCES, apostle_columns),
        CAP_SYMBOLS,
        "symbols",
        "symbols that I still lack, with those I hold, for a set with that source; "
        f"{CAP_SYMBOLS}: it cannot serve (R7.2)",
    )
    progress = f"{CAP_SYMBOLS} less the symbols that a set then lacks; 0: none can be (R7.2)"
    add(
        "air_progress",
        pairs(columns, apostle_columns),
        CAP_SYMBOLS,
        "symbols",
        f"with the card that goes to a column on mine: {progress}",
    )
    add(
        "card_progress",
        kinds,
        CAP_SYMBOLS,
        "symbols",
        "with that card of my hand or the pool on the best column, in phase `arrange` on the one "
        f"at hand: {progress}",
    )
    add(
        "display_progress",
        ("left", "right"),
        CAP_SYMBOLS,
        "symbols",
        f"the same for the cards of the display: {progress}",
    )
    add("apostles_left", pairs(apostle_columns, APOSTLES), CAP_APOSTLES, "apostles", "not seated")
    add("squares_left", AREAS, CAP_SQUARES, "squares", "free squares of each area")
    add("mahane_pile", ["all"], NUM_MAHANE, "cards", "cards in the Mahane pile")
    add("xxxiii_pile", ["all"], NUM_XXXIII, "cards", "cards in the XXXIII pile")
    add("sanhedrin", ["all"], CAP_SANHEDRIN, "spaces", "place of the Sanhedrin marker")
    add("next_judgment", ["all"], CAP_NEXT_JUDGMENT, "spaces", "to the next judgment; 0: none left")
    add("to_the_end", ["all"], CAP_SANHEDRIN, "spaces", "to the last space of the track")
    if information == "recall":
        backs = ("mahane", "xxxiii")
        add("known_bottom", backs, NUM_MAHANE, "cards", "size of the known bottom of each pile")
        add("above_bottom", backs, NUM_MAHANE, "cards", "cards above it, which nobody has seen")
    return table


@cache
def features(rules: RuleSet, information: Information = "screen") -> tuple[Feature, ...]:
    """The table of named features of an observation, in order; together they cover it."""
    return tuple(_observation_table(rules, information).features)


@cache
def state_features(rules: RuleSet, information: Information = "screen") -> tuple[Feature, ...]:
    """The table for ``env.state()``: the observation of seat 0, then what is hidden."""
    table = _observation_table(rules, information)
    kinds = rules.box.kinds
    seats = [f"seat {k}" for k in range(rules.players)]
    add = table.add
    add("all_hands", pairs(seats, kinds), 1, "flag", "the hand of every seat")
    add(
        "deck_order",
        pairs(seats, [f"card {k}" for k in range(1, 11)]),
        NUM_STARTING,
        "cards",
        "kinds in every deck, top first: 1 + the place among starting kinds; 0 beyond its end",
    )
    add(
        "mahane_order",
        [f"card {k}" for k in range(1, NUM_MAHANE + 1)],
        NUM_MAHANE,
        "cards",
        "the Mahane pile, top first: 1 + the place among Mahane kinds; 0 beyond its end",
    )
    add(
        "xxxiii_order",
        [f"card {k}" for k in range(1, NUM_XXXIII + 1)],
        NUM_XXXIII,
        "cards",
        "the XXXIII pile, top first: 1 + the place among XXXIII kinds; 0 beyond its end",
    )
    return tuple(table.features)
