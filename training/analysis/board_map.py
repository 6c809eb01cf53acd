"""Amounts of areas as colours on the board."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.patches import Polygon

from jerusalem_env.jerusalem.render.board_layout import CITY, area_shapes, sector_box
from jerusalem_env.jerusalem.render.palette import SECTOR_LABELS
from jerusalem_env.jerusalem.rules.board import AREA_SECTOR, sectors_in_play

AMOUNTS_MAP = "cividis"  # for the colour-blind too
DIFFERENCES_MAP = "PuOr_r"


def colour_scale(amounts: Sequence[np.ndarray], signed: bool = False) -> ScalarMappable:
    """One scale for several boards: from 0 to the most, or around 0 for differences."""
    highest = max(float(np.nanmax(np.abs(one))) for one in amounts) or 1.0
    if signed:
        return ScalarMappable(TwoSlopeNorm(0.0, -highest, highest), DIFFERENCES_MAP)
    return ScalarMappable(Normalize(0.0, highest), AMOUNTS_MAP)


def draw_board(
    ax: Axes,
    amounts: np.ndarray,
    players: int,
    scale: ScalarMappable,
    text: Callable[[float], str] = "{:.2f}".format,
    title: str = "",
    small: bool = False,
    spreads: np.ndarray | None = None,
) -> None:
    """Every area in play in the colour of its amount, with the amount in it.

    Parameters
    ----------
    ax : Axes
        Its frame and ticks are taken away.
    amounts : (16,) float64
        NaN: left white.
    players : int
    scale : ScalarMappable
        See ``colour_scale``.
    text : callable
        What is written for an amount.
    title : str
    small : bool
        Smaller letters, and nothing written where it would be 0.
    spreads : (16,) float64, optional
        Half widths of the 95 % intervals, written below the amounts.
    """
    for area, shape in area_shapes(players).items():
        amount = float(amounts[area])
        known = not np.isnan(amount)
        colour = _colour(scale, amount) if known else "white"
        ax.add_patch(Polygon(shape.outline, closed=True, facecolor=colour, edgecolor="#333333"))
        if known and not (small and float(text(amount)) == 0.0):
            ink = "black" if _brightness(colour) > 0.5 else "white"
            size = 6.5 if small else 9
            words = text(amount)
            if spreads is not None:
                size, words = 7.5, f"{words}\n±{spreads[area]:.3f}"
            ax.text(*shape.centre, words, ha="center", va="center", color=ink, fontsize=size)
    for sector in sectors_in_play(players):
        box = sector_box(sector)
        label = SECTOR_LABELS[sector]
        if small and sector == AREA_SECTOR[-1]:
            label = "Tower"
        # The Tower is one area: its name goes into it, above the amount.
        y = box.y + (40 if sector == AREA_SECTOR[-1] else 13)
        size = 6 if small else 8.5
        ink = "#333333"
        if sector == AREA_SECTOR[-1] and not np.isnan(amounts[-1]):
            ink = "black" if _brightness(_colour(scale, float(amounts[-1]))) > 0.5 else "white"
        ax.text(box.centre[0], y, label, ha="center", va="center", fontsize=size, color=ink)
    ax.set_xlim(CITY.x - 4, CITY.right + 4)
    ax.set_ylim(CITY.bottom + 4, CITY.y - 4)  # y grows downwards in pictures
    ax.set_aspect("equal")
    ax.grid(visible=False)
    ax.set_xticks([])
    ax.set_yticks([])
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title(title)


def _colour(scale: ScalarMappable, amount: float) -> str:
    colour: str = mpl.colors.to_hex(scale.to_rgba(np.array([amount]))[0])
    return colour


def _brightness(colour: str) -> float:
    red, green, blue, _ = mpl.colors.to_rgba(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue
