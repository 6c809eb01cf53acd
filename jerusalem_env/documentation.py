"""The tables of the READMEs, made from the code: ``python -m jerusalem_env.documentation``.

Each table stands between ``<!-- NAME -->`` and ``<!-- end NAME -->``; a test compares them with
what the code says. The README of the whole has those of Jerusalem, the page of the second game,
``jerusalem_env/ierusalem/README.md``, its own.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import ierusalem_v0
from .features import Feature, size_of
from .game import ActionBlock
from .ierusalem.actions import action_blocks
from .ierusalem.observation import features as ierusalem_features
from .ierusalem.observation import state_features as ierusalem_state_features
from .ierusalem.rules.box import load_box
from .jerusalem.actions import ACTION_BLOCKS
from .jerusalem.observation import features, state_features
from .jerusalem.rules.board import INCOME_PRESETS, SECTORS
from .jerusalem.rules.ruleset import RuleSet

_OBSERVATION_HEAD = (
    "| entries | feature | size | unit | 1.0 means | meaning |",
    "|---|---|---|---|---|---|",
)
_SIZES_HEAD = ("| players | observation | with recall | state() |", "|---|---|---|---|")


def action_table(blocks: tuple[ActionBlock, ...] = ACTION_BLOCKS) -> str:
    """The flat actions, a row per block."""
    lines = ["| ids | kind | names | meaning |", "|---|---|---|---|"]
    for block in blocks:
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
    head = [*_OBSERVATION_HEAD]
    extra = tuple(f for f in recall if f.name in ("passed_on", "drafted_after_me", "played"))
    lines = [*head, *_rows(screen), "", 'With `information="recall"`, `silver` and `supply`']
    lines[-1] += f" hold all seats ({size_of(recall)} entries in all), and at the end come:"
    lines += ["", *head, *_rows(extra), "", "`env.state()` is the observation of seat 0, then:"]
    lines += ["", *head, *_rows(state[len(screen) :])]
    return "\n".join(lines)


def size_table() -> str:
    """Lengths by number of players."""
    lines = [*_SIZES_HEAD]
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


def _ierusalem_actions() -> str:
    """The flat actions of the second game under the usual data."""
    return action_table(action_blocks(load_box()))


def _ierusalem_observation() -> str:
    """The observation of 4 players, then what recall and the state vector add."""
    rules = ierusalem_v0.RuleSet()
    screen, recall = ierusalem_features(rules), ierusalem_features(rules, "recall")
    state = ierusalem_state_features(rules)
    lines = [*_OBSERVATION_HEAD, *_rows(screen), ""]
    lines += [f'With `information="recall"` ({size_of(recall)} entries in all) at the end come:']
    lines += ["", *_OBSERVATION_HEAD, *_rows(recall[len(screen) :]), ""]
    lines += ["`env.state()` is the observation of seat 0, then:"]
    lines += ["", *_OBSERVATION_HEAD, *_rows(state[len(screen) :])]
    return "\n".join(lines)


def _ierusalem_sizes() -> str:
    """Lengths by number of players."""
    lines = [*_SIZES_HEAD]
    for players in (3, 4):
        rules = ierusalem_v0.RuleSet(players=players)
        tables = [ierusalem_features(rules), ierusalem_features(rules, "recall")]
        sizes = [size_of(table) for table in (*tables, ierusalem_state_features(rules))]
        lines.append(f"| {players} | " + " | ".join(str(size) for size in sizes) + " |")
    return "\n".join(lines)


def data_table() -> str:
    """Every value of the second game's data file with where it is from."""
    lines = ["| section | value | from | is |", "|---|---|---|---|"]
    for section, name, value, origin in load_box().entries():
        lines.append(f"| {section} | {name} | {origin} | {_shown(value)} |")
    return "\n".join(lines)


def _shown(value: Any) -> str:
    """A value of the data file in a cell; lists of names only by their number."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(part)}" for name, part in value.items())
    if isinstance(value, list):
        if len(value) > 8:
            return f"{len(value)} names"
        return " ".join(_shown(part) for part in value)
    return str(value)


TABLES: dict[str, Callable[[], str]] = {
    "actions": action_table,
    "observation": observation_table,
    "sizes": size_table,
    "incomes": income_table,
}
IERUSALEM_TABLES: dict[str, Callable[[], str]] = {
    "actions": _ierusalem_actions,
    "observation": _ierusalem_observation,
    "sizes": _ierusalem_sizes,
    "data": data_table,
}
# Pages by their path in the repository.
PAGES: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": TABLES,
    "jerusalem_env/ierusalem/README.md": IERUSALEM_TABLES,
}


def updated(text: str, tables: Mapping[str, Callable[[], str]] = TABLES) -> str:
    """A page with every marked table made anew.

    Raises
    ------
    ValueError
        If a table's markers are missing.
    """
    for name, make in tables.items():
        pattern = re.compile(rf"(<!-- {name} -->\n)(?:.*?\n)?(<!-- end {name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"no <!-- {name} --> ... <!-- end {name} --> in the text")
        table = make()
        before, after = pattern.search(text).span()  # type: ignore[union-attr]
        text = f"{text[:before]}<!-- {name} -->\n{table}\n<!-- end {name} -->{text[after:]}"
    return text


def main(arguments: list[str]) -> int:
    """Rewrite the tables of the pages in place; the folder of the repository may be given."""
    root = Path(arguments[0] if arguments else ".")
    for name, tables in PAGES.items():
        path = root / name
        partial = path.with_name(path.name + ".partial")
        partial.write_text(updated(path.read_text(encoding="utf-8"), tables), encoding="utf-8")
        os.replace(partial, path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
