"""What is shown: a position as somebody sees it, by true seats; what is read off it for people."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from ...compiled.views import turn_seats, views_of
from ..compiled import IERUSALEM
from ..engine.layout import NEUTRAL, NO_SEAT, PHASE_OVER
from ..rules.box import Box, box_of
from ..rules.names import FIRST_MAHANE, FIRST_XXXIII, NUM_KINDS, NUM_SPACES, SPACES

MARK = "*"
NOTE = f"{MARK} reconstructed, not from the rules: see box.toml"
# Entries of the data file whose values stand in texts and pictures with their own mark.
MARKED: tuple[tuple[str, str], ...] = (
    *(("supper", name) for name in ("table_cost", "row_cost", "column_cost", "jesus_points")),
    *(("supper", name) for name in ("effects_top", "effects_bottom")),
    *(("sanhedrin", name) for name in ("tile_spaces", "last_space")),
    *(("apostles", name) for name in ("value", "columns_mixed", "columns_by_colour")),
    *(("parables", name) for name in ("points", "rewards")),
    *(("favors", name) for name in ("markers", "symbols", "points")),
    ("cards", "apostle_points"),
)


def see(state: np.void, seat: int | None, recall: bool) -> np.void:
    """The position with what a seat may not see blanked as in views; seats keep their numbers.

    ``seat`` None: everything. ValueError if there is no such seat.
    """
    if seat is None:
        return state
    n = int(state["players"])
    if not 0 <= seat < n:
        raise ValueError(f"seat must be None or 0..{n - 1}, got {seat!r}")
    views = views_of(IERUSALEM, np.array([state]), np.array([seat]), recall)
    seen: np.void = turn_seats(IERUSALEM, views, (n - seat) % n)[0]
    return seen


# --- where values are from ------------------------------------------------------------------
class Origins:
    """Marks of the values that are reconstructed, by where the data file has them.

    Parameters
    ----------
    state : STATE record
        Its data file must have been loaded in this process (``rules.box.box_of``).
    """

    def __init__(self, state: np.void) -> None:
        self.box: Box = box_of(int(state["data_id"]))
        self._columns = "columns_by_colour" if state["by_colour"] else "columns_mixed"

    def mark(self, section: str, *names: str) -> str:
        """``*`` if one of these values of a section is reconstructed, else nothing."""
        origins = [self.box.origin(section, name) for name in names]
        return MARK if "reconstructed" in origins else ""

    @property
    def apostle_columns(self) -> str:
        """The mark of how the Apostles stand at first."""
        return self.mark("apostles", self._columns)

    def cost(self, space: int) -> str:
        """The mark of the cost of a space."""
        if not _in_a_row(space):
            return self.mark("supper", "table_cost")
        return self.mark("supper", "row_cost", "column_cost")

    def effect(self, space: int) -> str:
        """The mark of the effect of a space; the table's spaces have none."""
        if not _in_a_row(space):
            return ""
        if SPACES[space].startswith("top"):
            return self.mark("supper", "effects_top")
        turned = isinstance(self.box["supper", "effects_bottom"], str)
        sources = ("effects_top", "effects_bottom") if turned else ("effects_bottom",)
        return self.mark("supper", *sources)

    def any(self) -> bool:
        """Whether any value of the data file is reconstructed."""
        return any(origin == "reconstructed" for _, _, _, origin in self.box.entries())

    def unmarked(self) -> list[str]:
        """Reconstructed entries that have no mark of their own in texts and pictures."""
        return [
            f"{section}.{name}"
            for section, name, _, origin in self.box.entries()
            if origin == "reconstructed" and (section, name) not in MARKED
        ]


def _in_a_row(space: int) -> bool:
    return SPACES[space].startswith(("top", "bottom"))


# --- sets and places ------------------------------------------------------------------------
def members(mask: int, size: int = NUM_KINDS) -> list[int]:
    """The elements of a bit mask, in order."""
    return [index for index in range(size) if int(mask) >> index & 1]


def occupants(state: np.void) -> list[int]:
    """(56,) whose follower stands on each space: a seat, ``NEUTRAL`` or -1."""
    found = [NO_SEAT] * NUM_SPACES
    for row, mask in enumerate(state["supper"].tolist()):
        for space in members(mask, NUM_SPACES):
            found[space] = row
    return found


def columns_of(state: np.void, seat: int) -> list[list[int]]:
    """The cards on a seat's three own columns, first played first."""
    return [
        state["columns"][seat, column, : state["column_size"][seat, column]].tolist()
        for column in range(3)
    ]


def hidden_cards(state: np.void, seat: int) -> list[int]:
    """(3,) cards in a hand that are not seen here, by back: starting, Mahane, XXXIII."""
    back = back_of_kinds()
    left: list[int] = state["hand_counts"][seat].tolist()
    for kind in members(state["hand"][seat]):
        left[back[kind]] -= 1
    return left


@cache
def back_of_kinds() -> tuple[int, ...]:
    """(55,) the back of every kind: 0 starting, 1 Mahane, 2 XXXIII."""
    return tuple((kind >= FIRST_MAHANE) + (kind >= FIRST_XXXIII) for kind in range(NUM_KINDS))


def supper_count(state: np.void, seat: int) -> int:
    """Followers of a seat at the Last Supper."""
    return int(state["supper"][seat]).bit_count()


def camp_use(state: np.void, seat: int) -> tuple[int, int]:
    """Squares of a camp that are needed and that there are (R9.3)."""
    used = int(state["camp"][seat]) + int(state["offerings"][seat])
    used += int(state["resources"][seat].sum())
    squares = state["capacity"] if state["blocked"][seat] else state["capacity_unblocked"]
    return used, int(squares)


def seats_in_order(state: np.void) -> Iterator[tuple[int, int]]:
    """(rank, seat) of every seat, best first; only at the end (R18.6)."""
    n = int(state["players"])
    yield from sorted((int(state["ranks"][seat]), seat) for seat in range(n))


def is_over(state: np.void) -> bool:
    """Whether the game has been played to its end."""
    return bool(state["phase"] == PHASE_OVER)


def who(occupant: int) -> str:
    """``P2``, or ``neutral``."""
    return "neutral" if occupant == NEUTRAL else f"P{occupant}"
