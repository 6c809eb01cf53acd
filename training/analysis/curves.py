"""The ablations that were run: their curves from small files, compared and drawn.

The files come from ``python -m training.ablations --export notebooks/data/ablations``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .clusters import Estimate
from .style import (
    BLUE,
    GREY,
    ORANGE,
    SERIES_COLOURS,
    chance_line,
    label_axes,
    new_figure,
    note,
    points,
    told,
)

FOLDER = Path(__file__).parents[2] / "notebooks" / "data" / "ablations"
BASE = "base"
_INTERVALS = "error bars: 95 % intervals over deals; they say nothing about other seeds"


class CurvesError(ValueError):
    """Files that are missing or are no curves."""


@dataclass(frozen=True)
class Curve:
    """One variant with one seed.

    Attributes
    ----------
    name, title : str
    seed : int
    changes : dict
        Sections of settings in which it differs from the base.
    decisions, imitated : int
        Learned decisions of self-play; imitated decisions before.
    minutes : float
        Of playing, learning and measuring.
    history : list of dict
        Of some updates: ``decisions``, ``entropy_loss``, ``explained_variance``, ``approx_kl``,
        ``clip_fraction``, ``decisions_per_second``.
    evaluations : list of dict
        As ``evaluations.jsonl`` of a run.
    """

    name: str
    title: str
    seed: int
    changes: dict[str, Any]
    decisions: int
    imitated: int
    minutes: float
    history: list[dict[str, Any]]
    evaluations: list[dict[str, Any]]

    def against(self, table: str, final: bool = False) -> tuple[np.ndarray, list[Estimate]]:
        """(k,) decisions and win rates at a table named by its opponents, such as ``greedy``."""
        kind = "final" if final else "while training"
        lines = [
            line
            for line in self.evaluations
            if table_name(line["opponents"]) == table and line["kind"] == kind
        ]
        at = np.array([line["decisions"] for line in lines], dtype=np.int64)
        return at, [_rate(line) for line in lines]

    def final(self, table: str) -> Estimate:
        """The final win rate at a table. Raises CurvesError if there is none."""
        found = self.against(table, final=True)[1]
        if not found:
            raise CurvesError(f"{self.title}, seed {self.seed}: no final evaluation at {table!r}")
        return found[-1]

    def tables(self) -> list[str]:
        """The tables at which it was measured, in order."""
        return list(dict.fromkeys(table_name(line["opponents"]) for line in self.evaluations))


def _rate(line: dict[str, Any]) -> Estimate:
    return {
        "value": line["win_rate"],
        "low": line["low"],
        "high": line["high"],
        "deals": line["deals"],
        "rows": line["games"],
        "margin": line["mean_floors"] - line["opponents_floors"],
    }


def table_name(opponents: Sequence[str]) -> str:
    """Opponents in short: equal ones once."""
    return "+".join(dict.fromkeys(opponents))


def read_curves(folder: Path = FOLDER) -> list[Curve]:
    """All curves of a folder, the base first, then by name and seed.

    Raises
    ------
    CurvesError
        If there are none, or a file is none.
    """
    curves = []
    for path in sorted(folder.glob("*_seed*.json")):
        if path.name.startswith("imitation"):
            continue
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            curves.append(
                Curve(
                    name=content["name"],
                    title=content["title"],
                    seed=content["seed"],
                    changes=content["changes"],
                    decisions=content["decisions"],
                    imitated=content["imitated_decisions"],
                    minutes=content["minutes"],
                    history=content["history"],
                    evaluations=content["evaluations"],
                )
            )
        except (OSError, ValueError, KeyError) as error:
            raise CurvesError(f"{path.name} is no curve: {error!r}") from error
    if not curves:
        raise CurvesError(f"no curves in {folder.name}; python -m training.ablations makes them")
    return sorted(curves, key=lambda one: (one.name != BASE, one.name, one.seed))


def read_imitations(folder: Path = FOLDER) -> list[dict[str, float]]:
    """What the imitations reached: ``seed``, ``decisions``, ``agreement``, ``cross_entropy``..."""
    paths = sorted(folder.glob("imitation_seed*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def less(first: Estimate, second: Estimate) -> Estimate:
    """Difference of two rates with Newcombe's interval, as if of different deals.

    Both were measured on the same deals, which makes the true interval rather narrower.
    """
    value = first["value"] - second["value"]
    low = value - float(np.hypot(first["value"] - first["low"], second["high"] - second["value"]))
    high = value + float(np.hypot(first["high"] - first["value"], second["value"] - second["low"]))
    return {"value": value, "low": low, "high": high, "deals": first["deals"]}


def titles(curves: Sequence[Curve]) -> dict[str, str]:
    """Name -> title of the variants, in order."""
    return {curve.name: curve.title for curve in curves}


def results_rows(curves: Sequence[Curve]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of a table: final win rates of every variant and seed, and the minutes."""
    tables = curves[0].tables()
    heads = ["variant", "seed", *(f"against {table}" for table in tables), "minutes"]
    rows = [
        [
            curve.title,
            str(curve.seed),
            *(told(curve.final(table), 100, 1, " %") for table in tables),
            f"{curve.minutes:.1f}",
        ]
        for curve in curves
    ]
    return heads, rows


# --- figures ------------------------------------------------------------------------------------
def base_figure(curves: Sequence[Curve]) -> Figure:
    """Win rates of the base while it trains, a line for each seed, a panel for each table."""
    chosen = [curve for curve in curves if curve.name == BASE]
    tables = chosen[0].tables()
    title = "The base recipe: win rate while it trains"
    figure, axes = new_figure(1, len(tables), 12, 3.7, title, sharey=True)
    for ax, table in zip(axes[0], tables, strict=True):
        for index, curve in enumerate(chosen):
            at, rates = curve.against(table)
            last, final = curve.against(table, final=True)
            millions = np.concatenate([at, last]) / 1e6 + 0.008 * index
            colour, marker = SERIES_COLOURS[index], "os^D"[index % 4]
            points(ax, millions, rates + final, colour, f"seed {curve.seed}", marker, "-", 100)
        chance_line(ax, 100 / 4)
        label_axes(ax, f"against {table}", "learned decisions (millions)", "")
    axes[0, 0].set_ylabel("games won (%)")
    axes[0, 0].set_ylim(bottom=-2)
    axes[0, 0].legend()
    note(figure, f"{_deals(chosen)}; {_INTERVALS}")
    return figure


def variants_figure(curves: Sequence[Curve], table: str) -> Figure:
    """Each variant beside the base of the same seed, at one table."""
    named = {name: title for name, title in titles(curves).items() if name != BASE}
    columns = min(4, len(named))
    rows = -(-len(named) // columns)
    title = f"Win rate against {table}: each variant and the base"
    figure, axes = new_figure(rows, columns, 12, 2.7 * rows + 0.7, title, True, True)
    for place, ax in enumerate(axes.ravel()):
        if place >= len(named):
            ax.set_visible(False)
            continue
        name = list(named)[place]
        for curve in [one for one in curves if one.name in (name, BASE)]:
            at, rates = curve.against(table)
            last, final = curve.against(table, final=True)
            millions = np.concatenate([at, last]) / 1e6
            own = curve.name == name
            label = (named[name] if own else "base") if curve.seed == 0 else None
            line = "-" if curve.seed == 0 else ":"
            colour, marker = (BLUE, "o") if own else (GREY, "s")
            points(ax, millions, rates + final, colour, label, marker, line, 100)
        ax.set_title(named[name])
        if place >= len(named) - columns:
            ax.set_xlabel("learned decisions (millions)")
            ax.tick_params(labelbottom=True)  # also where no panel lies below
        if place % columns == 0:
            ax.set_ylabel("games won (%)")
        ax.set_ylim(bottom=-2)
    note(figure, f"blue: variant, grey: base; dotted: seed 1; {_deals(curves)}; {_INTERVALS}")
    return figure


def finals_figure(curves: Sequence[Curve]) -> Figure:
    """Final win rates of all variants and seeds, a panel for each table."""
    named, tables = titles(curves), curves[0].tables()
    title = "Final win rates"
    height = 0.42 * len(named) + 1.5
    figure, axes = new_figure(1, len(tables), 12.5, height, title, sharey=True)
    place = {name: len(named) - 1 - index for index, name in enumerate(named)}
    for ax, table in zip(axes[0], tables, strict=True):
        for seed, colour, marker, shift in ((0, BLUE, "o", 0.12), (1, ORANGE, "s", -0.12)):
            chosen = [curve for curve in curves if curve.seed == seed]
            if not chosen:
                continue
            positions = [place[curve.name] + shift for curve in chosen]
            rates = [curve.final(table) for curve in chosen]
            label = f"seed {seed}"
            points(ax, positions, rates, colour, label, marker, scale=100, sideways=True)
        ax.axvline(25, color="black", linestyle="--", linewidth=1)
        label_axes(ax, f"against {table}", "games won (%)", "")
        ax.set_xlim(left=-1)
    axes[0, 0].set_yticks(list(place.values()), [named[name] for name in place])
    axes[0, 0].legend(loc="lower right")
    deals = curves[0].final(tables[0])["deals"]
    note(figure, f"{deals} deals, each in all seats; dashed: chance; {_INTERVALS}")
    return figure


def differences_figure(curves: Sequence[Curve]) -> Figure:
    """Final win rates less the base's of the same seed."""
    tables, bases = curves[0].tables(), {one.seed: one for one in curves if one.name == BASE}
    chosen = [curve for curve in curves if curve.name != BASE and curve.seed in bases]
    figure, axes = new_figure(
        1, len(tables), 12.5, 0.32 * len(chosen) + 1.6, "Variants less the base", sharey=True
    )
    place = np.arange(len(chosen))[::-1]
    for ax, table in zip(axes[0], tables, strict=True):
        gaps = [less(curve.final(table), bases[curve.seed].final(table)) for curve in chosen]
        points(ax, place, gaps, BLUE, scale=100, sideways=True)
        ax.axvline(0, color="black", linewidth=1)
        label_axes(ax, f"against {table}", "difference (points of %)", "")
    axes[0, 0].set_yticks(place, [f"{curve.title}, seed {curve.seed}" for curve in chosen])
    note(figure, f"against the base of the same seed, as if of different deals; {_INTERVALS}")
    return figure


def learning_figure(curves: Sequence[Curve], seed: int = 0) -> Figure:
    """What the updates tell: entropy, explained variance, KL divergence, clipped share."""
    chosen = [curve for curve in curves if curve.seed == seed]
    panels = (
        ("entropy_loss", "entropy of the policy", "nats", -1.0),
        ("explained_variance", "variance explained by the critic*", "share", 1.0),
        ("approx_kl", "KL divergence of an update", "nats", 1.0),
        ("clip_fraction", "clipped ratios", "share of decisions", 1.0),
    )
    figure, axes = new_figure(2, 2, 12, 6.6, f"Updates, seed {seed}", sharex=True)
    for ax, (key, title, unit, factor) in zip(axes.ravel(), panels, strict=True):
        for index, curve in enumerate(chosen):
            lines = [line for line in curve.history if key in line]
            at = np.array([line["decisions"] for line in lines]) / 1e6
            amounts = factor * np.array([line[key] for line in lines])
            colour = "black" if curve.name == BASE else SERIES_COLOURS[index - 1]
            width = 2.4 if curve.name == BASE else 1.3
            ax.plot(at, amounts, color=colour, linewidth=width, label=curve.title)
        label_axes(ax, title, "", unit)
    for ax in axes[1]:
        ax.set_xlabel("learned decisions (millions)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    note(
        figure,
        "one update in several; *of the lambda-returns that it learns from, which hold the "
        "critic's own values: with lambda 1 they are the true returns",
    )
    return figure


def _deals(curves: Sequence[Curve]) -> str:
    """How many deals the points stand for."""
    table = curves[0].tables()[0]
    training = curves[0].against(table)[1][0]["deals"]
    last = curves[0].final(table)["deals"]
    return f"{training} deals in all seats a point, {last} for the last one"
