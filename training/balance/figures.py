"""The report's figures as PNG. They need matplotlib, but no display.

A figure of one income preset has a panel for each number of players. Error bars are 95 % intervals.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure

from jerusalem_env.jerusalem.rules.events import EVENT_ROUNDS, EVENTS
from jerusalem_env.jerusalem.rules.offices import OFFICES

from .estimates import Estimate, nothing
from .simulate import ROUNDS

# Okabe and Ito's colours (2008), which the colour-blind can tell apart.
ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#7F7F7F"
OFFICE_COLOURS = dict(zip(OFFICES, (VERMILION, ORANGE, GREEN, BLUE), strict=True))
SERIES = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (PURPLE, "D"))

_SIZE = (10.0, 7.5)  # inches
_DPI = 150
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.labelsize": 11,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#DDDDDD",
    "legend.fontsize": 10,
    "legend.frameon": False,
    "figure.titlesize": 14,
}

Result = dict[str, Any]
Drawer = Callable[[SubFigure, Sequence[Result]], None]


def draw_all(report: dict[str, Any], out: Path) -> list[Path]:
    """Draw every figure of a report into a folder.

    Parameters
    ----------
    report : dict
        As in report.json.
    out : Path
        The folder, made if it is missing.

    Returns
    -------
    The files, in the order in which the report shows them.
    """
    out.mkdir(parents=True, exist_ok=True)
    provenance = report["provenance"]
    note = (
        f"{provenance['agent']} in all seats, {provenance['games']:,} games a condition, "
        f"seed {provenance['seed']}; error bars: 95 % intervals"
    )
    files = []
    results: list[Result] = report["conditions"]
    presets = list(dict.fromkeys(result["income"] for result in results))
    with mpl.rc_context(_STYLE):
        for income in presets:
            chosen = [result for result in results if result["income"] == income]
            for name, (title, drawer) in DRAWERS.items():
                path = out / f"{name}_{income}.png"
                _draw(path, f"{title}: incomes {income}", note, drawer, chosen)
                files.append(path)
        path = out / "income_presets.png"
        _draw(path, "The income presets side by side", note, _income_presets, results)
        files.append(path)
    return files


def _draw(
    path: Path, title: str, note: str, drawer: Drawer, results: Sequence[dict[str, Any]]
) -> None:
    """One figure, written to a temporary name and renamed."""
    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(2, 1, height_ratios=(29, 1))
    main, foot = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    main.suptitle(title)
    drawer(main, results)
    foot.text(0.5, 0.5, note, fontsize=9, color="#555555", ha="center", va="center")
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content.getvalue())
    os.replace(partial, path)


def _panels(
    figure: SubFigure,
    results: Sequence[Result],
    rows: int = 1,
    sharey: Literal["none", "row"] = "row",
) -> Iterator[tuple[Result, list[Axes]]]:
    """Each result with its column of axes, titled with its number of players."""
    axes = figure.subplots(rows, len(results), sharey=sharey, squeeze=False)
    for column, result in enumerate(results):
        axes[0, column].set_title(f"{result['players']} players")
        yield result, list(axes[:, column])


def _known(estimates: Sequence[Estimate]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(k,) indices of the estimates that have a value, (k,) values, (2, k) bar lengths."""
    where = [i for i, x in enumerate(estimates) if x["value"] is not None]
    value = np.array([estimates[i]["value"] for i in where], dtype=np.float64)
    low = np.array([_or(estimates[i]["low"], estimates[i]["value"]) for i in where])
    high = np.array([_or(estimates[i]["high"], estimates[i]["value"]) for i in where])
    return np.array(where, dtype=np.int64), value, np.abs([value - low, high - value])


def _seen(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Without what never happened: bars of height 0 with intervals only clutter."""
    return [x if x["value"] else nothing() for x in estimates]


def _or(bound: float | None, value: float) -> float:
    return value if bound is None else bound


def _bars(
    ax: Axes,
    positions: Sequence[float] | np.ndarray,
    estimates: Sequence[Estimate],
    width: float,
    colour: str,
    label: str | None = None,
    scale: float = 1.0,
    hatch: str | None = None,
) -> None:
    """Bars with intervals; estimates without a value are left out."""
    where, value, spread = _known(estimates)
    ax.bar(
        np.asarray(positions, dtype=np.float64)[where],
        value * scale,
        width,
        color=colour,
        yerr=spread * scale,
        capsize=2,
        error_kw={"elinewidth": 1},
        label=label,
        hatch=hatch,
        edgecolor="white" if hatch else colour,
    )


def _points(
    ax: Axes,
    positions: Sequence[float] | np.ndarray,
    estimates: Sequence[Estimate],
    style: tuple[str, str],
    label: str | None = None,
    scale: float = 1.0,
    line: str = "none",
) -> None:
    """Points with intervals; estimates without a value are left out."""
    where, value, spread = _known(estimates)
    ax.errorbar(
        np.asarray(positions, dtype=np.float64)[where],
        value * scale,
        yerr=spread * scale,
        color=style[0],
        marker=style[1],
        markersize=5,
        capsize=2,
        linestyle=line,
        label=label,
    )


def _legend_below(
    figure: SubFigure, axes: Sequence[Axes], columns: int = 4, order: Sequence[str] = ()
) -> None:
    """One legend for all panels, under them, each label once; in the order given, if it is."""
    found: dict[str, Any] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    labels = [label for label in order if label in found] or list(found)
    figure.legend(
        [found[label] for label in labels],
        labels,
        loc="outside lower center",
        ncols=min(columns, len(labels)),
    )


# --- the figures -----------------------------------------------------------------------------
def _seats(figure: SubFigure, results: Sequence[Result]) -> None:
    for result, (top, middle, bottom) in _panels(figure, results, rows=3, sharey="none"):
        numbers = result["numbers"]["seats"]
        n = result["players"]
        offices = list(numbers["by_last_office"])
        parts = (
            (top, numbers["by_seat"], [str(seat) for seat in range(n)], "seat", BLUE),
            (
                middle,
                numbers["from_opener"],
                ["opener", *(f"+{step}" for step in range(1, n))],
                "seats clockwise from the first opener",
                GREEN,
            ),
            (
                bottom,
                [numbers["by_last_office"][office] for office in offices],
                offices,
                "office in the last round",
                ORANGE,
            ),
        )
        for ax, estimates, names, label, colour in parts:
            _bars(ax, range(n), estimates, 0.6, colour, scale=100)
            ax.axhline(100 * numbers["chance"], color="black", linestyle="--", label="chance")
            ax.set_xticks(range(n), names)
            ax.set_xlabel(label)
            ax.set_ylim(bottom=0)
            ax.grid(visible=False, axis="x")
            if result is results[0]:
                ax.set_ylabel("games won (%)")
    _legend_below(figure, figure.axes)


def _prices(figure: SubFigure, results: Sequence[Result]) -> None:
    prices = []
    for result, (paid, free) in _panels(figure, results, rows=2):
        prices.append(paid)
        rows = result["numbers"]["prices"]
        names = list(dict.fromkeys(row["office"] for row in rows))
        for index, office in enumerate(names):
            chosen = [row for row in rows if row["office"] == office]
            shift = 0.19 * (index - (len(names) - 1) / 2)
            positions = np.arange(1, ROUNDS + 1) + shift
            colour = OFFICE_COLOURS[office]
            sold = [i for i, row in enumerate(chosen) if row["auctions"]]
            first, third = (
                np.array([chosen[i]["quartiles"][k] for i in sold], dtype=np.float64)
                for k in (0, 2)
            )
            paid.bar(
                positions[sold],
                third - first,
                0.17,
                bottom=first,
                color=mpl.colors.to_rgba(colour, 0.3),
                edgecolor=mpl.colors.to_rgba(colour, 0.6),
            )
            _points(paid, positions, [row["paid"] for row in chosen], (colour, "o"), office)
            shares = _seen([row["free"] for row in chosen])
            _bars(free, positions, shares, 0.17, colour, office, 100)
        for ax in (paid, free):
            ax.set_xticks(range(1, ROUNDS + 1))
            ax.set_xlim(0.5, ROUNDS + 0.5)
            ax.grid(visible=False, axis="x")
        free.set_xlabel("round")
        if result is results[0]:
            paid.set_ylabel("price (silver): mean,\nbox from first to third quartile")
            free.set_ylabel("last office, taken free (% of games)")
    for ax in figure.axes:
        # A price of 0 is to be a whole point.
        ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1] if ax in prices else 0)
    _legend_below(figure, figure.axes, order=OFFICES)


def _floors(figure: SubFigure, results: Sequence[Result]) -> None:
    for result, (levels, margins) in _panels(figure, results, rows=2):
        numbers = result["numbers"]["floors"]
        count = np.arange(len(numbers["all"]["shares"]))
        for shift, who, label, colour in (
            (-0.2, "all", "all players", SKY),
            (0.2, "winner", "winner", BLUE),
        ):
            shares = _seen(numbers[who]["shares"])
            _bars(levels, count + shift, shares, 0.4, colour, label, 100)
        leads = np.arange(len(numbers["margin"]["shares"]))
        _bars(margins, leads, _seen(numbers["margin"]["shares"]), 0.7, GREEN, scale=100)
        tie = numbers["decided_by"]
        margins.set_title(
            f"level on floors {1 - tie['floors']['value']:.0%}: decided by\nprestige left "
            f"{tie['prestige']['value']:.0%}, by office {tie['office']['value']:.0%}",
            fontsize=10,
        )
        levels.set_xlabel("floors at the end")
        margins.set_xlabel("floors of the first less the second")
        fewest = next(f for f, x in enumerate(numbers["all"]["counts"]) if x)
        for ax, first, last in ((levels, fewest, count[-1]), (margins, 0, leads[-1])):
            ax.set_xticks(range(first, last + 1, 2 if last - first > 10 else 1))
            ax.set_xlim(first - 0.6, last + 0.6)
            ax.grid(visible=False, axis="x")
        if result is results[0]:
            levels.set_ylabel("players (%)")
            margins.set_ylabel("games (%)")
    _legend_below(figure, figure.axes)


def _length(figure: SubFigure, results: Sequence[Result]) -> None:
    for result, (spread, phases) in _panels(figure, results, rows=2, sharey="none"):
        numbers = result["numbers"]["length"]
        for which, filled in (("all", True), ("choices", False)):
            histogram = numbers[which]["histogram"]
            counts = np.array(histogram["counts"], dtype=np.float64)
            edges = histogram["first"] + histogram["bin"] * np.arange(len(counts) + 1)
            spread.stairs(
                100 * counts / counts.sum(),
                edges,
                fill=filled,
                color=SKY if filled else BLUE,
                linewidth=2,
            )
        names = [name for name, x in numbers["by_phase"].items() if x["all"]["value"]]
        for shift, which, colour, label in (
            (-0.2, "all", SKY, "all decisions"),
            (0.2, "choices", BLUE, "with more than one legal action"),
        ):
            estimates = [numbers["by_phase"][name][which] for name in names]
            _bars(phases, np.arange(len(names)) + shift, estimates, 0.4, colour, label)
        phases.set_xticks(
            range(len(names)),
            [name.replace("tower and ", "tower,\n") for name in names],
            rotation=40,
            ha="right",
            rotation_mode="anchor",
            fontsize=10,
        )
        phases.grid(visible=False, axis="x")
        spread.set_xlabel(f"decisions a game (bins of {numbers['all']['histogram']['bin']})")
        if result is results[0]:
            spread.set_ylabel("games (%)")
            phases.set_ylabel("decisions a game (mean)")
    _legend_below(figure, figure.axes)


def _building(figure: SubFigure, results: Sequence[Result]) -> None:
    for result, (first, leader) in _panels(figure, results, rows=2):
        numbers = result["numbers"]["building"]
        share, rows = numbers["share_first"], numbers["by_floor"]
        positions = np.array([row["floor"] for row in rows])
        built = [row["built"] for row in rows]
        _bars(first, positions, built, 0.7, SKY, "somebody built it, at 1 prestige more", 100)
        wins = [row["builder_wins"] for row in rows]
        _points(first, positions, wins, (VERMILION, "o"), "its first builder won the game", 100)
        first.set_title(
            f"{result['players']} players\n{share['value']:.0%} of floors at the first price"
        )
        rounds = np.arange(1, ROUNDS + 1)
        for key, style, label in (
            ("ahead", SERIES[2], "player ahead won (ties by prestige, office)"),
            ("sole", SERIES[3], "player alone on most floors won"),
            ("sole_share", (GREY, "x"), "one player alone has most floors"),
        ):
            estimates = [row[key] for row in numbers["leader"]]
            _points(leader, rounds, estimates, style, label, 100, "-")
        leader.axhline(100 / result["players"], color="black", linestyle="--", label="chance")
        first.set_xticks(range(1, len(rows) + 1, 2 if len(rows) > 10 else 1))
        leader.set_xticks(rounds)
        first.set_xlabel("floor")
        leader.set_xlabel("after round")
        for ax in (first, leader):
            ax.set_ylim(0, 105)
        if result is results[0]:
            first.set_ylabel("games (%)")
            leader.set_ylabel("games (%)")
    _legend_below(figure, figure.axes, columns=2)


def _events(figure: SubFigure, results: Sequence[Result]) -> None:
    for result, (removed, control, wins) in _panels(figure, results, rows=3):
        numbers = result["numbers"]["events"]
        names = [name for name in EVENTS if name in numbers]
        places = np.arange(len(names))
        for ax, part, shift, key, label, colour in (
            (removed, "removed", -0.2, "leader", "squires of the player ahead", VERMILION),
            (removed, "removed", 0.2, "other", "squires of another (mean)", SKY),
            (control, "control", -0.27, "to_another", "areas passed to another", PURPLE),
            (control, "control", 0.0, "to_nobody", "areas passed to nobody", GREY),
            (control, "control", 0.27, "tied_after", "areas tied after it", YELLOW),
        ):
            estimates = _seen([numbers[name][part][key] for name in names])
            _bars(ax, places + shift, estimates, 0.4 if ax is removed else 0.27, colour, label)
        for index, number in enumerate(EVENT_ROUNDS):
            estimates = [
                numbers[name]["leader_wins"][str(number)]["revealed"]["change"] for name in names
            ]
            shift = 0.22 * (index - 1)
            label = f"event of round {number}"
            _points(wins, places + shift, estimates, SERIES[index], label, 100)
        wins.axhline(0, color="black", linewidth=1)
        for ax in (removed, control, wins):
            ax.set_xticks(places, [name.replace("_", "\n") for name in names], fontsize=9)
            ax.set_xlim(-0.6, len(names) - 0.4)
            ax.tick_params(labelbottom=ax is wins)
            ax.grid(visible=False, axis="x")
        if result is results[0]:
            removed.set_ylabel("squires removed\n(mean a player)")
            control.set_ylabel("its sectors' areas\n(mean a game)")
            wins.set_ylabel("leader's win rate, with it\nless without (points)")
    _legend_below(figure, figure.axes)


def _income_presets(figure: SubFigure, results: Sequence[Result]) -> None:
    """Six numbers of every condition, by preset; a series a number of players."""
    presets = list(dict.fromkeys(result["income"] for result in results))
    counts = list(dict.fromkeys(result["players"] for result in results))
    panels: tuple[tuple[str, str, float, Callable[[dict[str, Any]], Estimate]], ...] = (
        ("floors of the winner", "floors (mean)", 1, lambda x: x["floors"]["winner"]["mean"]),
        ("first less second", "floors (mean)", 1, lambda x: x["floors"]["margin"]["mean"]),
        ("choices a game", "decisions (mean)", 1, lambda x: x["length"]["choices"]["mean"]),
        ("first opener wins", "games (%)", 100, lambda x: x["seats"]["from_opener"][0]),
        (
            "player ahead after round 3 wins",
            "games (%)",
            100,
            lambda x: x["building"]["leader"][2]["ahead"],
        ),
        ("floors at the first price", "floors (%)", 100, lambda x: x["building"]["share_first"]),
    )
    axes = figure.subplots(2, 3).ravel()
    for ax, (title, label, scale, read) in zip(axes, panels, strict=True):
        for index, players in enumerate(counts):
            shift = 0.15 * (index - (len(counts) - 1) / 2)
            chosen = {x["income"]: x["numbers"] for x in results if x["players"] == players}
            there = [i for i, income in enumerate(presets) if income in chosen]
            estimates = [read(chosen[presets[i]]) for i in there]
            positions = np.array(there) + shift
            _points(ax, positions, estimates, SERIES[index % 4], f"{players} players", scale)
        ax.set_xticks(range(len(presets)), [name.replace("_", "\n") for name in presets])
        ax.set_xlim(-0.5, len(presets) - 0.5)
        if scale == 100:
            ax.set_ylim(0, 100)
        else:
            ax.margins(y=0.15)
        ax.set_title(title)
        ax.set_ylabel(label)
        ax.set_xlabel("income preset")
        ax.grid(visible=False, axis="x")
    _legend_below(figure, axes)


DRAWERS: dict[str, tuple[str, Drawer]] = {
    "seats": ("Seat advantage", _seats),
    "prices": ("Office prices by round", _prices),
    "floors": ("Floors built", _floors),
    "length": ("Length of a game", _length),
    "building": ("First builders and leaders", _building),
    "events": ("What the events do", _events),
}
