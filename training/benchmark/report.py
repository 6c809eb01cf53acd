"""Figures as text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .measure import Figure

TITLES = {
    "batch": "Batch of all seats",
    "batch size": "Batch of all seats, by size",
    "forms": "Forms of use",
    "bots": "Bots and search (a search finishes a game in every simulation)",
    "peers": "Beside other environments",
}


def _speed(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


Row = tuple[str, str, str, str, str]


def _row(f: Figure) -> Row:
    spread = f"{_speed(f.lowest)} to {_speed(f.highest)}"
    return f.name, f.mode, _speed(f.median), spread, _speed(f.games)


def _groups(figures: Sequence[Figure]) -> Iterator[tuple[str, list[Row]]]:
    """Title and rows of every table that has any."""
    for group, title in TITLES.items():
        rows = [_row(figure) for figure in figures if figure.group == group]
        if rows:
            yield title, rows


_HEADS = ("what", "how", "decisions/s", "lowest to highest", "games/s")


def text(figures: Sequence[Figure]) -> str:
    """Aligned tables, one a group."""
    lines: list[str] = []
    for title, rows in _groups(figures):
        widths = [max(len(row[i]) for row in (_HEADS, *rows)) for i in range(5)]
        lines += ["", title]
        for row in (_HEADS, *rows):
            left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
            right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
            lines.append("  ".join((*left, *right)).rstrip())
    return "\n".join(lines[1:])


def markdown(figures: Sequence[Figure]) -> str:
    """The same as Markdown tables."""
    lines: list[str] = []
    for title, rows in _groups(figures):
        lines += ["", f"**{title}**", "", f"| {' | '.join(_HEADS)} |", "|---|---|---:|---:|---:|"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines[1:])


def limits_text(limits: Sequence[dict[str, Any]]) -> str:
    """What the memory allows, and how much of that is reached."""
    lines = ["What the memory allows: bytes written a decision, over the measured bandwidth"]
    for limit in limits:
        what, size, share = limit["what"], limit["bytes"], limit["share"]
        bandwidth, most, reached = (limit[k] for k in ("bandwidth", "limit", "reached"))
        lines.append(
            f"{what:<30} {size:>5,} bytes at {bandwidth / 1e9:.1f} GB/s: at most "
            f"{most / 1e6:.1f} million/s; reached {reached / 1e6:.1f} million/s, {share:.0%}"
        )
    return "\n".join(lines)


def start_text(starts: dict[str, float]) -> str:
    """Start-up times."""
    return "\n".join(f"{name}: {seconds:.2f} s" for name, seconds in starts.items())
