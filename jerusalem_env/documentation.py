"""The tables of the README, made from the code: ``python -m jerusalem_env.documentation``.

Each table stands between ``<!-- NAME -->`` and ``<!-- end NAME -->``; a test compares them with
what the code says.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from .features import Feature, size_of
from .jerusalem.actions import ACTION_BLOCKS
from .jerusalem.observation import features, state_features
from .jerusalem.rules.board import INCOME_PRESETS, SECTORS
from .jerusalem.rules.ruleset import RuleSet


def action_table() -> str:
    """The flat actions, a row per block."""
    lines = ["| ids | kind | names | meaning |", "|---|---|---|---|"]
    for block in ACTION_BLOCKS:
        last = block.start + len(block.names) - 1
        ids = f"{block.start}" if last == block.start else f"{block.start}-{last}"
        first, final = block.names[0], block.names[-1]
        names = f"`{first}`" if first == final else f"`{first}` ... `{final}`"
        lines.append(f"| {ids} | {block.kind} | {names} | {block.meaning} |")
    return "\n".join(lines)


def _cap(feature: Feature) -> str:
    if isinstance(feature.cap, int):
        return str(feature.cap)
    low, high = min(feature.cap), max(feature.cap)
    return f"{low}-{high}"


def _rows(table: tuple[Feature, ...]) -> list[str]:
    return [
        f"| {f.start}-{f.start + f.size - 1} | {f.name} | {f.size} | {f.unit} | {_cap(f)} | "
        f"{f.meaning} |"
        for f in table
    ]


def observation_table() -> str:
    """The observation of 4 players, then what recall and the state vector add."""
    rules = RuleSet()
    screen, recall = features(rules), features(rules, "recall")
    state = state_features(rules)
    head = [
        "| entries | feature | size | unit | 1.0 means | meaning |",
        "|---|---|---|---|---|---|",
    ]
    extra = tuple(f for f in recall if f.name in ("passed_on", "drafted_after_me", "played"))
    lines = [*head, *_rows(screen), "", 'With `information="recall"`, `silver` and `supply`']
    lines[-1] += f" hold all seats ({size_of(recall)} entries in all), and at the end come:"
    lines += ["", *head, *_rows(extra), "", "`env.state()` is the observation of seat 0, then:"]
    lines += ["", *head, *_rows(state[len(screen) :])]
    return "\n".join(lines)


def size_table() -> str:
    """Lengths by number of players."""
    lines = [
        "| players | observation | with recall | state() |",
        "|---|---|---|---|",
    ]
    for players in (2, 3, 4):
        rules = RuleSet(players=players)
        sizes = [features(rules), features(rules, "recall"), state_features(rules)]
        lines.append(f"| {players} | " + " | ".join(str(size_of(table)) for table in sizes) + " |")
    return "\n".join(lines)


def income_table() -> str:
    """Income presets with the provenance of each sector."""
    sectors = SECTORS[:5]
    lines = [
        "| preset | " + " | ".join(sector.capitalize() for sector in sectors) + " |",
        "|---" * 6 + "|",
    ]
    for name, rows in INCOME_PRESETS.items():
        cells = []
        for row in rows:
            large, small = (",".join(str(x) for x in income) for income in (row.large, row.small))
            cells.append(f"{large} / {small} ({row.provenance})")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


TABLES = {
    "actions": action_table,
    "observation": observation_table,
    "sizes": size_table,
    "incomes": income_table,
}


def updated(text: str) -> str:
    """A README with every marked table made anew.

    Raises
    ------
    ValueError
        If a table's markers are missing.
    """
    for name, make in TABLES.items():
        pattern = re.compile(rf"(<!-- {name} -->\n)(?:.*?\n)?(<!-- end {name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"no <!-- {name} --> ... <!-- end {name} --> in the text")
        table = make()
        before, after = pattern.search(text).span()  # type: ignore[union-attr]
        text = f"{text[:before]}<!-- {name} -->\n{table}\n<!-- end {name} -->{text[after:]}"
    return text


def main(arguments: list[str]) -> int:
    """Rewrite the tables of a README in place."""
    path = Path(arguments[0] if arguments else "README.md")
    partial = path.with_name(path.name + ".partial")
    partial.write_text(updated(path.read_text(encoding="utf-8")), encoding="utf-8")
    os.replace(partial, path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
