"""Names and their order (rules VII.c), and the geometry of the Last Supper (R14.1, R14.3)."""

from __future__ import annotations

LOCATIONS: tuple[str, ...] = ("market", "desert", "mountain", "lake", "temple")
AREAS: tuple[str, ...] = ("desert", "mountain", "lake")
RESOURCES: tuple[str, ...] = ("stone", "bread", "fish")
APOSTLES: tuple[str, ...] = ("purple", "orange", "white", "judas")
COLOURS: tuple[str, ...] = ("red", "yellow", "green", "blue")
JUDGMENTS: tuple[str, ...] = ("parable", "offering", "resources", "call", "favor", "go")
# What may stand at the bottom of a card, under the names of R13, in the order of VII.e "steps".
ACTIONS: tuple[str, ...] = (
    *("market", "temple", "go", "invited", "parable", "favor", "call", "change", "redistribute"),
    *("meeting", "mahane", "xxxiii", "denarius", "stone", "bread", "fish", "vp3"),
)
DRAW_SOURCES: tuple[str, ...] = ("left", "right", "deck")

NUM_STARTING, NUM_MAHANE, NUM_XXXIII = 25, 20, 10  # kinds of each back (VII.c)
FIRST_MAHANE = NUM_STARTING
FIRST_XXXIII = NUM_STARTING + NUM_MAHANE
NUM_KINDS = NUM_STARTING + NUM_MAHANE + NUM_XXXIII
BACKS: tuple[str, ...] = ("starting", "mahane", "xxxiii")

# --- the Last Supper (R14.1): 12 seats of the table and 56 spaces ------------------------------
SEAT_COLUMNS = (1, 2, 3, 6, 7, 8)
SEATS: tuple[str, ...] = tuple(
    f"{side}.{column}" for side in ("top", "bottom") for column in SEAT_COLUMNS
)
SPACES: tuple[str, ...] = (
    *(f"top{row}.{column}" for row in (3, 2, 1) for column in range(1, 9)),
    *("corner.top_left", "jesus.top_left", "jesus.top_right", "corner.top_right"),
    *("corner.bottom_left", "jesus.bottom_left", "jesus.bottom_right", "corner.bottom_right"),
    *(f"bottom{row}.{column}" for row in (1, 2, 3) for column in range(1, 9)),
)
NUM_SEATS, NUM_SPACES = len(SEATS), len(SPACES)
CORNERS: tuple[int, ...] = tuple(i for i, name in enumerate(SPACES) if name.startswith("corner"))
JESUS: tuple[int, ...] = tuple(i for i, name in enumerate(SPACES) if name.startswith("jesus"))


def row_space(side: str, row: int, column: int) -> int:
    """The space in a row (1 is nearest the table) and supper column (1..8) of a side."""
    return SPACES.index(f"{side}{row}.{column}")


def around(seat: int) -> tuple[tuple[int, ...], ...]:
    """The spaces around a seat of the table at distance 0, 1 and 2 (R14.3)."""
    side, column = SEATS[seat].split(".")
    near = [row_space(side, 1, int(column))]
    if column == "1":
        near.append(SPACES.index(f"corner.{side}_left"))  # A46: the seat beside it alone
    elif column == "8":
        near.append(SPACES.index(f"corner.{side}_right"))
    return tuple(near), *((row_space(side, row, int(column)),) for row in (2, 3))


def mask_of(spaces: tuple[int, ...] | list[int]) -> int:
    """Bit mask of spaces: bit i for space i."""
    return sum(1 << space for space in spaces)


AROUND: tuple[tuple[int, ...], ...] = tuple(
    tuple(mask_of(spaces) for spaces in around(seat)) for seat in range(NUM_SEATS)
)
ALL_SPACES_MASK = (1 << NUM_SPACES) - 1
JESUS_MASK = mask_of(JESUS)
CORNER_MASK = mask_of(CORNERS)
