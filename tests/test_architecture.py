"""How the house is built: arrows point one way, files stay short, clauses cited exist."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("jerusalem_env", "agents", "training")
MOST_LINES = 600
MAY_BE_LONG = ("tests/reference_engine.py", "tests/ierusalem/reference_engine.py")

# Layers, lowest first. A module imports modules of its own layer and of the layers named.
BOTTOM = ("jerusalem_env.errors", "jerusalem_env.kernels", "jerusalem_env.chance")
BOTTOM += ("jerusalem_env.bits", "jerusalem_env.policies", "jerusalem_env.game")
BOTTOM += ("jerusalem_env.simulation", "jerusalem_env.drawing", "jerusalem_env.features")
BOTTOM += ("jerusalem_env.drawing_parts",)
BOTTOM += ("jerusalem_env.outcomes", "jerusalem_env.copying", "jerusalem_env.bytewise")
BOTTOM += ("jerusalem_env.lanes", "jerusalem_env.sharing")
BOTTOM += ("jerusalem_env.position_reading", "jerusalem_env.inner_library")
COMPILED = "jerusalem_env.compiled"
GAME = "jerusalem_env.jerusalem"
SECOND = "jerusalem_env.ierusalem"
GAMES = (GAME, SECOND)
MIDDLE = ("actions", "screen", "observation", "encoding", "position", "position_checks", "rewards")
MIDDLE += ("compiled", "simulation", "render", "words", "columns", "results", "standing", "pieces")
MIDDLE += ("set_flags",)
GAME_WORDS = r"squires?|barons?|offices?|areas?|auctions?|prestige|silver|palace|templars|market"
GAME_WORDS += r"|followers?|apostles?|supper|sanhedrin|denarii|parables?|offerings?|mahane|favors?"
AGNOSTIC = ("envs", "game.py", "bits.py", "chance.py", "policies.py", "kernels.py", "records.py")
AGNOSTIC += ("testing", "errors.py", "simulation.py", "drawing.py", "features.py", "compiled")
AGNOSTIC += ("playroom", "drawing_parts.py", "position_reading.py", "outcomes.py", "copying.py")
AGNOSTIC += ("bytewise.py", "inner_library.py", "lanes.py", "sharing.py")
HEAVY = ("torch", "stable_baselines3", "sb3_contrib", "pygame", "matplotlib", "agents", "training")
HEAVY += ("tensorboard", "PIL", "pyarrow", "pandas", "minari")


class Book(NamedTuple):
    """A rule book: sub-clauses of R1, R2, ..., and the highest number of each other list."""

    clauses: tuple[int, ...]
    highest: dict[str, int]


FIRST_BOOK = Book(
    (12, 8, 4, 11, 1, 6, 4, 11, 2, 4, 13, 11, 3, 4, 6, 1, 5),
    {"A": 60, "D": 47, "E": 27, "F": 17, "I": 20},
)
SECOND_BOOK = Book(
    (10, 7, 7, 3, 7, 5, 12, 4, 4, 3, 4, 5, 9, 5, 2, 4, 1, 6),
    {"A": 53, "E": 11, "F": 53, "I": 17},
)


@cache
def modules() -> dict[str, Path]:
    """Every module of ours by its dotted name."""
    found: dict[str, Path] = {}
    for package in OURS:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(source: str, name: str, is_package: bool) -> set[str]:
    """Dotted names that a module imports anywhere in it, relative ones made absolute."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                drop = node.level - 1 if is_package else node.level
                kept = name.split(".")
                kept = kept[: len(kept) - drop]
                base = ".".join([*kept, base] if base else kept)
            for alias in node.names:
                # `from . import x` may name a module; then that is what is imported.
                inner = f"{base}.{alias.name}"
                found.add(inner if inner in modules() else base)
    return found


@cache
def arrows() -> dict[str, set[str]]:
    """Module -> the modules of ours it imports."""
    known = modules()
    result = {}
    for name, path in known.items():
        names = imported(path.read_text(encoding="utf-8"), name, path.name == "__init__.py")
        result[name] = {other for other in names if other.split(".")[0] in OURS}
    return result


def within(name: str, *roots: str) -> bool:
    return any(name == root or name.startswith(root + ".") for root in roots)


def layer(name: str) -> tuple[str, ...] | None:
    """Roots that a module of jerusalem_env may import from; None where this test says nothing."""
    if within(name, *BOTTOM):
        return BOTTOM
    if within(name, COMPILED):
        return (COMPILED, *BOTTOM)
    for game in GAMES:
        rules, engine = f"{game}.rules", f"{game}.engine"
        middle = tuple(f"{game}.{part}" for part in MIDDLE)
        if within(name, rules):
            return (rules, "jerusalem_env.errors")
        if within(name, engine):
            return (engine, rules, *BOTTOM)
        if within(name, *middle) or name == f"{game}.game":
            return (*middle, engine, rules, COMPILED, *BOTTOM)
        if name == f"{game}_v0":
            return ("jerusalem_env.envs", game, *BOTTOM)
    if within(name, "jerusalem_env.envs"):
        return ("jerusalem_env.envs", *BOTTOM)
    if within(name, "jerusalem_env.playroom"):
        records = ("jerusalem_env.records", "jerusalem_env.games")
        return ("jerusalem_env.playroom", "jerusalem_env.envs", *records, *BOTTOM)
    if within(name, "jerusalem_env.testing"):
        return ("jerusalem_env.testing", *BOTTOM)
    return None


@pytest.mark.parametrize("name", [name for name in modules() if layer(name) is not None])
def test_arrows__point_to_lower_layers(name: str) -> None:
    allowed = layer(name)
    assert allowed is not None
    upward = {other for other in arrows()[name] if not within(other, *allowed)}
    assert upward == set(), f"{name} imports {sorted(upward)}"


def test_arrows__every_module_of_the_game_has_a_layer() -> None:
    for game in GAMES:
        inside = [name for name in modules() if name.startswith(game + ".")]
        assert inside
        assert [name for name in inside if layer(name) is None] == []


def test_arrows__the_games_know_nothing_of_each_other() -> None:
    across = {
        (name, other)
        for name in modules()
        for mine, others in ((GAME, SECOND), (SECOND, GAME))
        if within(name, mine)
        for other in arrows()[name]
        if within(other, others)
    }
    assert across == set()


def test_arrows__the_package_imports_no_agents_and_no_training() -> None:
    upward = {
        (name, other)
        for name in modules()
        if within(name, "jerusalem_env")
        for other in arrows()[name]
        if within(other, "agents", "training")
    }
    assert upward == set()


def test_arrows__agents_import_no_training() -> None:
    names = [name for name in modules() if within(name, "agents")]
    assert any(within(other, "jerusalem_env") for name in names for other in arrows()[name])
    assert {o for name in names for o in arrows()[name] if within(o, "training")} == set()


def test_arrows__have_no_circle_at_import_time() -> None:
    """Some order lets each module import only earlier ones, lazy imports aside."""
    eager = {
        name: {
            other
            for other in _eager(path.read_text(encoding="utf-8"), name, path.name == "__init__.py")
            if other in modules() and other != name
        }
        for name, path in modules().items()
    }
    placed: set[str] = set()
    while len(placed) < len(eager):
        ready = {name for name in eager if name not in placed and eager[name] <= placed}
        assert ready, f"a circle among {sorted(set(eager) - placed)}"
        placed |= ready


def _eager(source: str, name: str, is_package: bool) -> set[str]:
    """As `imported`, but only statements at the top of the module."""
    top = [
        node for node in ast.parse(source).body if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    return imported("\n".join(ast.unparse(node) for node in top), name, is_package)


def test_imported__sees_every_kind_of_import() -> None:
    source = (
        "import agents.base\nfrom . import kernels\nfrom .chance import draw\n"
        "def f():\n    from ..training import demo\n    from .jerusalem.rules import board\n"
    )
    assert imported(source, "jerusalem_env.x", False) == {
        "agents.base",
        "jerusalem_env.kernels",
        "jerusalem_env.chance",
        "training.demo",
        f"{GAME}.rules.board",
    }


def agnostic_files() -> list[Path]:
    found: list[Path] = []
    for part in AGNOSTIC:
        path = ROOT / "jerusalem_env" / part
        assert path.exists(), part
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return found


@pytest.mark.parametrize(
    "path", agnostic_files(), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_agnostic__files_know_no_games_words(path: Path) -> None:
    words = re.findall(rf"\b({GAME_WORDS})\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    assert words == []


def test_import__pulls_in_nothing_heavy() -> None:
    code = f"import sys, jerusalem_env\nprint([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


def python_files() -> list[Path]:
    folders = (*OURS, "tests", "notebooks")
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def test_files__stay_short() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in python_files()
    }
    assert len(lengths) > 50
    assert [name for name in MAY_BE_LONG if lengths[name] <= MOST_LINES] == []
    long = {name for name, lines in lengths.items() if lines > MOST_LINES}
    assert long == set(MAY_BE_LONG)


def exists(book: Book, letter: str, number: int, part: int | None) -> bool:
    """Whether a rule book has such a clause."""
    if letter == "R":
        if not 1 <= number <= len(book.clauses):
            return False
        return part is None or 1 <= part <= book.clauses[number - 1]
    return part is None and 1 <= number <= book.highest.get(letter, 0)


def books_of(path: Path) -> tuple[Book, ...]:
    """The rule books that a file may cite: its game's, or both where it is of no game."""
    name = path.relative_to(ROOT).as_posix()
    if "ierusalem" in name:
        return (SECOND_BOOK,)
    if name.startswith(("jerusalem_env/jerusalem/", "tests/rules/", "agents/scripted/")):
        return (FIRST_BOOK,)
    return (FIRST_BOOK, SECOND_BOOK)


def cited(text: str) -> list[tuple[str, int, int | None]]:
    """Clauses cited in a source file; lint codes are not clauses."""
    text = re.sub(r"# noqa.*", "", text)
    found = re.findall(r"\b([RADEFI])(\d{1,3})(?:\.(\d{1,2}))?\b", text)
    return [(letter, int(number), int(part) if part else None) for letter, number, part in found]


@pytest.mark.parametrize("path", python_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_clauses__cited_exist(path: Path) -> None:
    if path == Path(__file__):
        return  # it names clauses that do not exist
    found = cited(path.read_text(encoding="utf-8"))
    books = books_of(path)
    assert [c for c in found if not any(exists(book, *c) for book in books)] == []


def test_clauses__that_do_not_exist_are_found() -> None:
    text = "x = 1  # R8.9, A61 and R18.1 (R5.2), D5  # noqa: F401\n"
    assert [clause for clause in cited(text) if not exists(FIRST_BOOK, *clause)] == [
        ("A", 61, None),
        ("R", 18, 1),
        ("R", 5, 2),
    ]


def test_clauses__the_engine_cites_the_rule_book() -> None:
    files = (ROOT / "jerusalem_env" / "jerusalem" / "engine").glob("*.py")
    chapters = {n for path in files for x, n, _ in cited(path.read_text("utf-8")) if x == "R"}
    assert chapters >= set(range(3, 17))
