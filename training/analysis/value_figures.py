"""Figures about the value head: calibration, and what it answers to probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from jerusalem_env.jerusalem.render.palette import OFFICE_LABELS
from jerusalem_env.jerusalem.rules.offices import OFFICES

from .board_map import colour_scale, draw_board
from .calibration import by_round, value_bins
from .clusters import Estimate
from .decisions import Decisions
from .probes import OfficeRow
from .style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    SERIES_COLOURS,
    SERIES_MARKERS,
    label_axes,
    new_figure,
    note,
    points,
)

UNIT = "units of the training's reward"
_BARS = "error bars: 95 % intervals with the deal as the unit"


def calibration_figure(tables: Mapping[str, Decisions], bins: int = 10) -> Figure:
    """Returns and wins by what the value head expects."""
    figure, axes = new_figure(1, 2, 10, 4.0, "Is the value head right?")
    left, right = axes[0]
    low, high = np.inf, -np.inf
    for index, (name, decisions) in enumerate(tables.items()):
        found = value_bins(
            decisions.values, decisions.returns, decisions.wins, decisions.deals, bins
        )
        at = np.array([one.value for one in found])
        colour, marker = SERIES_COLOURS[index], SERIES_MARKERS[index]
        points(left, at, [one.returns for one in found], colour, name, marker, "-")
        points(right, at, [one.wins for one in found], colour, name, marker, "-", 100)
        low, high = min(low, at.min()), max(high, at.max())
    left.plot([low, high], [low, high], color="black", linestyle="--", linewidth=1, label="equal")
    label_axes(left, "return", f"value ({UNIT})", f"mean return ({UNIT})")
    label_axes(right, "wins", f"value ({UNIT})", "seats that won (%)")
    right.set_ylim(-3, 103)
    left.legend(loc="upper left")
    note(figure, f"bins of equal numbers of decisions; {_BARS}")
    return figure


def calibration_by_round_figure(tables: Mapping[str, Decisions]) -> Figure:
    """Explained variance, mean absolute error and bias by round."""
    figure, axes = new_figure(1, 3, 10.5, 3.3, "The value head by round")
    panels = (
        ("explained", "variance of the return explained", "1 - error / variance"),
        ("error", "mean absolute error", UNIT),
        ("bias", "bias: value less return", UNIT),
    )
    for index, (name, decisions) in enumerate(tables.items()):
        found = by_round(decisions)
        rounds = np.array(list(found)) + 0.06 * (index - (len(tables) - 1) / 2)
        for ax, (key, _, _) in zip(axes[0], panels, strict=True):
            # Where nearly all returns are alike, the share explained is anything: left out.
            there = [i for i, one in enumerate(found.values()) if _known(getattr(one, key))]
            estimates = [getattr(list(found.values())[i], key) for i in there]
            colour, marker = SERIES_COLOURS[index], SERIES_MARKERS[index]
            points(ax, rounds[there], estimates, colour, name, marker, "-")
    for ax, (_, title, unit) in zip(axes[0], panels, strict=True):
        label_axes(ax, title, "round", unit)
    for ax in (axes[0, 0], axes[0, 2]):
        ax.axhline(0, color="black", linewidth=1)
    axes[0, 0].set_ylim(-0.3, 1.02)
    axes[0, 1].set_ylim(0.0, 1.4 * axes[0, 1].get_ylim()[1])  # room for the legend
    axes[0, 1].legend(loc="upper right")
    note(figure, f"{_BARS}; left: points whose interval is wider than 1 are left out")
    return figure


def _known(estimate: Estimate) -> bool:
    return bool(estimate["high"] - estimate["low"] <= 1.0)


def amounts_figure(
    found: Mapping[str, Mapping[int, tuple[Sequence[int], Sequence[Estimate]]]],
    titles: Mapping[str, str],
    about: str,
) -> Figure:
    """Change of the value when one amount changes, a panel each, a line for each round.

    Parameters
    ----------
    found : mapping
        Amount -> round -> (changes, estimates).
    titles : mapping
        Amount -> label of the axis, with its unit.
    about : str
        The small print.
    """
    title = "What the seat to act expects when it has more or less"
    figure, axes = new_figure(1, len(found), 11.5, 3.4, title)
    for ax, (key, rounds) in zip(axes[0], found.items(), strict=True):
        for index, (number, (changes, estimates)) in enumerate(rounds.items()):
            colour, marker = SERIES_COLOURS[index], SERIES_MARKERS[index]
            points(ax, np.array(changes), estimates, colour, f"round {number}", marker, "-")
        ax.axhline(0, color="black", linewidth=1)
        ax.axvline(0, color=GREY, linewidth=1)
        label_axes(
            ax, key, titles[key], f"change of value\n({UNIT})" if key == next(iter(found)) else ""
        )
    axes[0, 0].legend(loc="upper left")
    note(figure, f"{about}; {_BARS}")
    return figure


def squire_figure(found: Mapping[str, Sequence[Estimate]], players: int, about: str) -> Figure:
    """What one more squire in an area is worth, a board for each set of positions.

    ``found``: title -> 16 estimates.
    """
    figure, axes = new_figure(
        1, len(found), 4.0 * len(found) + 0.8, 3.4, "Change of value by one more own squire"
    )
    amounts = [np.array([one["value"] for one in estimates]) for estimates in found.values()]
    scale = colour_scale(amounts, signed=True)
    for ax, title, amount in zip(axes[0], found, amounts, strict=True):
        spreads = np.array([(one["high"] - one["low"]) / 2 for one in found[title]])
        draw_board(ax, amount, players, scale, "{:+.3f}".format, title, spreads=spreads)
    figure.colorbar(scale, ax=list(axes[0]), shrink=0.75, label="change of value", pad=0.01)
    note(figure, f"{about}; ±: 95 % intervals with the deal as the unit")
    return figure


def worth_figure(
    names: Sequence[str],
    series: Mapping[str, Sequence[Estimate]],
    title: str,
    x_label: str,
    about: str,
) -> Figure:
    """Changes of the value, one line each, for one or several sets of positions.

    ``series``: label -> an estimate for each name. Sorted by the last series.
    """
    figure, axes = new_figure(1, 1, 8.5, 0.3 * len(names) + 1.6)
    ax = axes[0, 0]
    last = list(series.values())[-1]
    order = np.argsort([np.nan_to_num(one["value"], nan=-9.0) for one in last])
    place = np.arange(len(names))
    for index, (label, estimates) in enumerate(series.items()):
        shift = 0.16 * (index - (len(series) - 1) / 2)
        chosen = [estimates[i] for i in order]
        colour, marker = SERIES_COLOURS[index], SERIES_MARKERS[index]
        points(ax, place - shift, chosen, colour, label, marker, sideways=True)
    ax.axvline(0, color="black", linewidth=1)
    ax.set_yticks(place, [names[i] for i in order])
    label_axes(ax, title, x_label, "")
    if len(series) > 1:
        ax.legend(loc="lower right")
    note(figure, f"{about}; {_BARS}")
    return figure


def offices_figure(by_number: Mapping[int, Sequence[OfficeRow]], about: str) -> Figure:
    """What an office is worth to a seat, by the value head and as played out."""
    figure, axes = new_figure(1, 2, 10, 3.6, "The same seat with another office")
    left, right = axes[0]
    names = [row.office for row in next(iter(by_number.values()))]
    labels = [OFFICE_LABELS[OFFICES.index(name)] for name in names]
    place = np.arange(len(names))
    for index, (number, rows) in enumerate(by_number.items()):
        shift = 0.2 * (index - (len(by_number) - 1) / 2)
        colour = (BLUE, ORANGE, GREEN)[index % 3]
        values, returns = [row.value for row in rows], [row.returned for row in rows]
        points(left, place + shift - 0.04, values, colour, f"round {number}: value at its turn")
        label = f"round {number}: return in the end"
        points(left, place + shift + 0.04, returns, colour, label, "s")
        wins = [row.won for row in rows]
        points(right, place + shift, wins, colour, f"round {number}", scale=100)
    for ax in axes[0]:
        ax.axhline(0, color="black", linewidth=1)
        ax.set_xticks(place, labels)
    unit = "less the mean over offices"
    label_axes(left, "value and return", "office held", f"{unit}\n({UNIT})")
    label_axes(right, "games won", "office held", f"{unit} (points of %)")
    left.legend(fontsize=8)
    right.legend()
    note(figure, f"{about}; {_BARS}")
    return figure
