"""One look for all figures of the notebooks: colours, sizes, estimates with 95 % intervals.

Figures are plain objects, not pyplot's: nothing is kept open, and no display is needed. In a
notebook ``show`` makes the picture, with the same bytes wherever the same figure is drawn.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ..balance.figures import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, YELLOW

if TYPE_CHECKING:
    from IPython.display import Image, Markdown

# Okabe and Ito's colours (2008), which the colour-blind can tell apart.
SEAT_COLOURS = (BLUE, VERMILION, YELLOW, SKY)  # as on the pictures of the board
SERIES_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, YELLOW, GREY)
SERIES_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

DPI = 90  # readable in a notebook, and its file stays small
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.labelsize": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=SERIES_COLOURS),
    "grid.color": "#DDDDDD",
    "legend.fontsize": 9,
    "legend.frameon": False,
    "figure.titlesize": 12,
    "figure.dpi": DPI,
    "savefig.dpi": DPI,
}


def use_style() -> None:
    """The house style for every figure drawn from here on."""
    mpl.rcParams.update(_STYLE)


def new_figure(
    rows: int = 1,
    columns: int = 1,
    width: float = 8.0,
    height: float = 3.6,
    title: str | None = None,
    sharex: bool = False,
    sharey: bool = False,
) -> tuple[Figure, np.ndarray]:
    """A figure in inches and its (rows, columns) axes, as an array of objects."""
    use_style()
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=sharex, sharey=sharey)
    if title is not None:
        figure.suptitle(title)
    return figure, axes


def label_axes(ax: Axes, title: str, x: str, y: str) -> None:
    """Title, and what the axes are: with the unit in brackets, as in ``price (silver)``."""
    ax.set_title(title)
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def bounds(estimate: Any) -> tuple[float, float, float]:
    """(value, low, high) of an estimate; NaN where it has none.

    Parameters
    ----------
    estimate : mapping, object or sequence
        With the keys or attributes ``value``, ``low``, ``high``, as balance and arena give them, or
        the three in that order.
    """
    if estimate is None:
        return (np.nan,) * 3
    if isinstance(estimate, Mapping):
        found = [estimate["value"], estimate["low"], estimate["high"]]
    elif hasattr(estimate, "value"):
        found = [estimate.value, estimate.low, estimate.high]
    else:
        found = list(estimate)
    value, low, high = (np.nan if x is None else float(x) for x in found)
    return value, low, high


def told(estimate: Any, scale: float = 1.0, digits: int = 1, unit: str = "", sign: str = "") -> str:
    """An estimate in words, such as ``25.1 % (23.8 to 26.4)``; ``sign="+"`` for differences."""
    value, low, high = (scale * x for x in bounds(estimate))
    if np.isnan(value):
        return "-"
    text = f"{value:{sign}.{digits}f}{unit}"
    return text if np.isnan(low) else f"{text} ({low:{sign}.{digits}f} to {high:{sign}.{digits}f})"


def _values(estimates: Sequence[Any], scale: float) -> tuple[np.ndarray, np.ndarray]:
    """(k,) values and (2, k) lengths of the error bars, 0 where there is no interval."""
    value, low, high = scale * np.array([bounds(x) for x in estimates]).reshape(-1, 3).T
    return value, np.nan_to_num(np.abs([value - low, high - value]))


def bars(
    ax: Axes,
    positions: Sequence[float] | np.ndarray,
    estimates: Sequence[Any],
    colour: str | Sequence[str] = BLUE,
    label: str | None = None,
    width: float = 0.7,
    scale: float = 1.0,
) -> None:
    """Bars from 0 with their 95 % intervals.

    Parameters
    ----------
    ax : Axes
    positions : (k,) numbers
    estimates : sequence of k estimates
        As for ``bounds``.
    colour : str or k of them
    label : str, optional
        In the legend.
    width : float
        In the unit of the positions.
    scale : float
        100 for rates in per cent.
    """
    value, spread = _values(estimates, scale)
    error = {"elinewidth": 1.2, "ecolor": "#333333"}
    ax.bar(positions, value, width, color=colour, yerr=spread, capsize=2.5, error_kw=error)
    if label is not None:
        first = colour if isinstance(colour, str) else colour[0]
        ax.bar([np.nan], [np.nan], color=first, label=label)
    ax.grid(visible=False, axis="x")


def points(
    ax: Axes,
    positions: Sequence[float] | np.ndarray,
    estimates: Sequence[Any],
    colour: str = BLUE,
    label: str | None = None,
    marker: str = "o",
    line: str = "none",
    scale: float = 1.0,
    sideways: bool = False,
) -> None:
    """Points with their 95 % intervals.

    Parameters
    ----------
    ax, positions, estimates, colour, label, scale
        As for ``bars``.
    marker, line : str
        matplotlib's marker and line style.
    sideways : bool
        Values along x, positions along y.
    """
    value, spread = _values(estimates, scale)
    style: Any = {"color": colour, "marker": marker, "markersize": 5, "capsize": 2.5}
    style |= {"linestyle": line, "label": label}
    if sideways:
        ax.errorbar(value, positions, xerr=spread, **style)
    else:
        ax.errorbar(positions, value, yerr=spread, **style)


def chance_line(ax: Axes, rate: float, label: str = "chance", sideways: bool = False) -> None:
    """A dashed line at what equal players reach."""
    draw = ax.axvline if sideways else ax.axhline
    draw(rate, color="black", linestyle="--", linewidth=1, label=label)


def note(figure: Figure, text: str) -> None:
    """A line of small print under a figure: what was played, how much of it, what bars are."""
    figure.supxlabel(text, fontsize=8, color="#555555")


def png(figure: Figure) -> bytes:
    """The picture of a figure; the same bytes for the same figure."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=DPI, metadata={"Software": None})
    return content.getvalue()


def show(figure: Figure, alt: str) -> Image:
    """A figure as the result of a notebook's cell, with a text for those who cannot see it."""
    from IPython.display import Image  # of the extra `notebooks`

    return Image(data=png(figure), format="png", alt=alt)


def table(
    heads: Sequence[str], rows: Iterable[Sequence[Any]], left: Sequence[int] = (0,)
) -> Markdown:
    """A table as the result of a notebook's cell; columns ``left`` to the left, others right."""
    from IPython.display import Markdown

    rules = [":---" if column in left else "---:" for column in range(len(heads))]
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(rules)}|"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return Markdown("\n".join(lines))
