"""An arena's summary as aligned Markdown tables, which can be read in a terminal too."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from .blocks import GameResults
from .ratings import CHANCE_LEVEL
from .schedule import Schedule
from .statistics import Comparison, Estimate, Share, Summary


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """An aligned Markdown table; the columns ``left`` to the left, the others to the right."""
    widths = [max(len(row[i]) for row in (heads, *rows)) for i in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        filled = [
            cell.ljust(width) if i in left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(filled)} |"

    rule = [
        ":" + "-" * (width + 1) if i in left else "-" * (width + 1) + ":"
        for i, width in enumerate(widths)
    ]
    return "\n".join([line(heads), f"|{'|'.join(rule)}|", *(line(row) for row in rows)])


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _range(estimate: Estimate) -> str:
    return f"{estimate.low:.1%} to {estimate.high:.1%}"


def standings_text(summary: Summary) -> str:
    """A row for each entrant. Rates and means are by seat: copies of one share what they won."""
    amounts = list(dict.fromkeys(name for x in summary.standings for name in x.amounts))
    heads = ["agent", "wins", "95 % interval", "rank", *amounts, "rating", "sigma", "95 % interval"]
    rows = []
    for x in summary.standings:
        means = [f"{x.amounts[a].value:.2f}" if a in x.amounts else "-" for a in amounts]
        rating = x.rating
        spread = "-"
        if rating.low is not None and rating.high is not None:
            spread = f"{rating.low:.1f} to {rating.high:.1f}"
        rows.append(
            [
                x.name,
                _percent(x.win_rate.value),
                _range(x.win_rate),
                f"{x.mean_rank.value:.2f}",
                *means,
                f"{rating.mu:.1f}",
                f"{rating.sigma:.1f}",
                spread,
            ]
        )
    return table(heads, rows)


def duels_text(summary: Summary) -> str:
    """The matrix of a duel: win rate of the row alone against copies of the column."""
    names = [x.name for x in summary.standings]
    rows = [
        [name, *("-" if cell is None else _percent(cell.value) for cell in cells)]
        for name, cells in zip(names, summary.duels, strict=True)
    ]
    return table(["alone, against", *names], rows)


def seats_text(summary: Summary) -> str:
    """Win rates by seat, with what all entrants together won there."""
    heads = ["wins by seat", *(f"seat {seat}" for seat in range(summary.players))]
    rows = [[x.name, *(_percent(seat.value) for seat in x.by_seat)] for x in summary.standings]
    return table(heads, rows)


def _share(share: Share) -> str:
    return "-" if share.win_rate is None else f"{share.win_rate.value:.1%} ({share.seats:,})"


def breakdown_text(summary: Summary, name: str) -> str:
    """Win rates by label, with the number of seats they are from."""
    labels = summary.breakdowns[name]
    rows = [
        [x.name, *(_share(shares[entrant]) for shares in labels.values())]
        for entrant, x in enumerate(summary.standings)
    ]
    return table([f"wins by {name}", *labels], rows)


def _verdict(x: Comparison) -> str:
    if x.reason:
        return f"{x.verdict}: {x.reason}"
    return f"{x.one} above {x.other}" if x.verdict == "above" else f"{x.other} above {x.one}"


def comparisons_text(summary: Summary) -> str:
    """All pairs with their verdicts."""
    heads = ["pair", "difference", "95 % interval", "p (Holm)", "verdict"]
    rows = [
        [
            f"{x.one}, {x.other}",
            f"{x.difference.value:+.1%}",
            f"{x.difference.low:+.1%} to {x.difference.high:+.1%}",
            f"{x.adjusted:.4f}" if x.adjusted >= 0.0001 else "<0.0001",
            _verdict(x),
        ]
        for x in summary.comparisons
    ]
    return table(heads, rows, left=(0, 4))


def closing_line(summary: Summary, seconds: float, games_now: int) -> str:
    """Games, deals, chance level, seconds."""
    cut = f"; {summary.truncated} truncated" if summary.truncated else ""
    speed = f", {games_now / seconds:,.0f} games/s" if games_now and seconds > 0 else ""
    return (
        f"{summary.games:,} games on {summary.deals:,} deals{cut}; chance {summary.chance:.1%}, "
        f"rating at chance {CHANCE_LEVEL:g}; {games_now:,} games played in {seconds:.1f} s{speed}"
    )


def text(summary: Summary, title: str, closing: str, brief: bool) -> str:
    """The whole report; ``brief`` leaves out all breakdowns but the first."""
    breakdowns = list(summary.breakdowns)
    parts = [f"**{title}**", standings_text(summary)]
    if summary.duels:
        parts += ["Above, alone and as copies together, by seat.", duels_text(summary)]
    parts.append(seats_text(summary))
    parts += [breakdown_text(summary, name) for name in breakdowns[: 1 if brief else None]]
    parts += [comparisons_text(summary), closing]
    return "\n\n".join(parts) + "\n"


def games_csv(results: GameResults, schedule: Schedule, names: Sequence[str]) -> str:
    """A line a game, in the order of the records: its deal, who sat where, the ranks."""
    n, games = schedule.players, schedule.games_per_deal
    tables = schedule.tables_of_games()
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    seats = range(n)
    writer.writerow(
        ["line", "deal", "table", "rotation"]
        + [f"agent_{seat}" for seat in seats]
        + [f"rank_{seat}" for seat in seats]
    )
    for game in range(len(results.lineups)):
        place = game % games
        seated = [names[entrant] for entrant in results.lineups[game]]
        ranks = np.round(results.ranks[game], 1).tolist()
        writer.writerow(
            [game + 1, game // games, int(tables[place]), place % n, *seated]
            + [int(rank) if rank == int(rank) else rank for rank in ranks]
        )
    return written.getvalue()
