"""The compile cache: never stale, never in the package, and works where it cannot be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jerusalem_env
from jerusalem_env import kernels

PACKAGE = Path(jerusalem_env.__file__).resolve().parent

# Loads kernels.py of each given package by its path, without importing (or compiling) the engine.
DIGESTS = """
import importlib, sys, types
for number, folder in enumerate(sys.argv[1:]):
    package = sys.modules[f"package_{number}"] = types.ModuleType(f"package_{number}")
    package.__path__ = [folder]
    print(importlib.import_module(f"package_{number}.kernels").source_digest())
"""

CALLEE = """
from .kernels import kernel

@kernel
def amount():
    return 1
"""

ENTRY = """
from .callee import amount
from .kernels import cache_root, compile_statistics, entry_kernel

@entry_kernel
def ask():
    return 10 * amount()

def main():
    print(ask(), compile_statistics()[0], cache_root())
"""


def run(
    code: str, *arguments: str, folder: Path | None = None, **environment: str
) -> tuple[str, str]:
    """(stdout, stderr) of a Python process."""
    clean = {k: v for k, v in os.environ.items() if k not in ("JERUSALEM_CACHE_DIR", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env=clean | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small package of its own: kernels.py, an entry and the kernel it calls."""
    package = tmp_path / "house"
    package.mkdir()
    for name in ("kernels.py", "inner_library.py"):
        shutil.copy(PACKAGE / name, package)
    (package / "__init__.py").write_text("")
    (package / "callee.py").write_text(CALLEE)
    (package / "entry.py").write_text(ENTRY)
    return package


def ask(house: Path, **environment: str) -> tuple[list[str], str]:
    """([answer, entries compiled, cache folder], stderr) of the small package."""
    code = "from house.entry import main; main()"
    out, told = run(code, folder=house.parent, **environment)
    return out.strip().split(maxsplit=2), told


CLOSURES = """
import sys
from .kernels import compile_statistics, entry_kernel, kernel

def make(value):
    @kernel
    def amount(times):
        total = 0
        for time in range(times):
            total += value * (time + 1) % 7
        return total

    @entry_kernel(variant=str(value))
    def ask(times):
        return 1000 * value + amount(times)

    return ask

print(*(make(int(value))(3) for value in sys.argv[1:]), compile_statistics()[0])
"""


def test_cache__code_of_several_processes_does_not_mix(house: Path) -> None:
    """Closures of one function, each compiled by a process of its own, then loaded by one."""
    (house / "closures.py").write_text(CLOSURES)
    cache = str(house.parent / "cache")
    code = "import house.closures"
    wanted = {value: 1000 * value + sum(value * k % 7 for k in (1, 2, 3)) for value in (1, 2, 3)}
    for value, answer in wanted.items():
        out, _ = run(code, str(value), folder=house.parent, JERUSALEM_CACHE_DIR=cache)
        assert out.split() == [str(answer), "1"]
    out, _ = run(code, "1", "2", "3", folder=house.parent, JERUSALEM_CACHE_DIR=cache)
    assert out.split() == [*map(str, wanted.values()), "0"]  # none of them compiled anew


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_cache__forks_number_their_functions_apart() -> None:
    code = (
        "import os\n"
        "from jerusalem_env import kernels\n"
        "from numba.core.bytecode import FunctionIdentity\n"
        "def number(): return FunctionIdentity.from_function(kernels.kernel).unique_id\n"
        "child = os.fork()\n"
        "child == 0 or os.wait()\n"
        "print(number(), flush=True)\n"
        "os._exit(0)\n"
    )
    out, _ = run(code)
    numbers = {int(text) for text in out.split()}
    assert len(numbers) == 2


def test_digest__changes_with_every_source_of_kernels(tmp_path: Path) -> None:
    edits = {
        "none": None,
        "callee": "jerusalem/engine/control.py",
        "data": "jerusalem/rules/cards.py",
        "chance": "chance.py",
        "observation": "jerusalem/observation.py",
        "cli": "cli.py",
        "adapter": "envs/aec.py",
        "render": "jerusalem/render/text.py",
    }
    ignore = shutil.ignore_patterns("__pycache__")
    for name, edited in edits.items():
        shutil.copytree(PACKAGE, tmp_path / name, ignore=ignore)
        if edited is not None:
            with (tmp_path / name / edited).open("a") as file:
                file.write("\n# changed\n")
    out, _ = run(DIGESTS, *(str(tmp_path / name) for name in edits))
    digests = dict(zip(edits, out.split(), strict=True))
    assert digests["none"] == kernels.source_digest()
    touching = ("none", "callee", "data", "chance", "observation")
    assert len({digests[name] for name in touching}) == len(touching)
    assert {digests[name] for name in ("cli", "adapter", "render")} == {digests["none"]}


FOREIGN = {
    "lab/__init__.py": "",
    "lab/table.py": "import numpy as np\nWORTH = np.array([1, 2])\nSTEP = 10\n",
    "lab/envs/__init__.py": "",
    "lab/envs/callee.py": """
from jerusalem_env.kernels import kernel
from .. import table

@kernel
def callee(x):
    return table.STEP * x + table.WORTH[0]
""",
    "lab/a/__init__.py": "",
    "lab/b/__init__.py": "",
    "lab/a/bot.py": """
from jerusalem_env.kernels import entry_kernel
from lab.envs.callee import callee

@entry_kernel
def ask():
    return callee(1)
""",
    "lab/b/bot.py": """
from jerusalem_env.kernels import entry_kernel
from lab.envs.callee import callee

@entry_kernel
def ask():
    return callee(2)
""",
}
ASK_FOREIGN = """
from jerusalem_env.kernels import compile_statistics
from lab.a.bot import ask as a
from lab.b.bot import ask as b
print(a(), b(), compile_statistics()[0])
"""


@pytest.mark.slow
def test_foreign_entries__are_kept_and_never_stale(tmp_path: Path) -> None:
    """Entries of other packages: same names apart, edits in any callee or constant seen."""
    for name, text in FOREIGN.items():
        (tmp_path / "code" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "code" / name).write_text(text)

    def ask_both() -> str:
        cache = str(tmp_path / "cache")
        return run(ASK_FOREIGN, folder=tmp_path / "code", JERUSALEM_CACHE_DIR=cache)[0].strip()

    assert ask_both() == "11 21 2"
    assert ask_both() == "11 21 0"
    edits = (
        ("lab/envs/callee.py", "table.STEP * x", "table.STEP * x * x", "11 41 2"),
        ("lab/table.py", "STEP = 10", "STEP = 100", "101 401 2"),
        ("lab/table.py", "[1, 2]", "[5, 2]", "105 405 2"),
        ("lab/b/bot.py", "callee(2)", "callee(3)", "105 905 1"),
    )
    for name, old, new, answer in edits:
        path = tmp_path / "code" / name
        path.write_text(path.read_text().replace(old, new))
        assert ask_both() == answer
        assert ask_both() == answer[:-1] + "0"


def test_code_digest__tells_code_constants_and_closures_apart() -> None:
    def make(number: object) -> object:
        def choose(x: int) -> object:
            return number

        return choose

    digests = [kernels.code_digest(make(value)) for value in (1, 2, 1.0, True, "1", (1,), None)]
    assert len(set(digests)) == len(digests)
    assert kernels.code_digest(make(1)) == digests[0]
    assert None not in digests
    assert kernels.code_digest(make(object())) is None


def test_cache__is_not_stale_after_an_edit_in_a_callee(house: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first, told = ask(house, JERUSALEM_CACHE_DIR=cache)
    assert first == ["10", "1", cache]
    assert told.count("jerusalem: compiling the engine") == 1
    assert "jerusalem: compiled ask in" in told
    again, told = ask(house, JERUSALEM_CACHE_DIR=cache)
    assert again == ["10", "0", cache]
    assert told == ""
    (house / "callee.py").write_text(CALLEE.replace("return 1", "return 2"))
    edited, _ = ask(house, JERUSALEM_CACHE_DIR=cache)
    assert edited == ["20", "1", cache]
    assert len(list(Path(cache).iterdir())) == 2
    assert sorted(path.name for path in house.rglob("*")) == [
        *("__init__.py", "callee.py", "entry.py", "inner_library.py", "kernels.py"),
    ]


def test_cache__that_cannot_be_written_is_reported_and_worked_around(
    house: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    below = str(tmp_path / "file" / "cache")
    home = tmp_path / "home"
    answer, told = ask(house, JERUSALEM_CACHE_DIR=below, XDG_CACHE_HOME=str(home))
    assert answer == ["10", "1", str(home / "jerusalem-env")]
    assert f"cannot write the compile cache {below}; using {home / 'jerusalem-env'}" in told
    assert "Set JERUSALEM_CACHE_DIR" in told
    assert list((home / "jerusalem-env").rglob("*.nbc"))


def test_cache__falls_back_to_the_temporary_folder(house: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    blocked = str(tmp_path / "file" / "below")
    answer, told = ask(house, XDG_CACHE_HOME=blocked, TMPDIR=str(scratch))
    assert answer[:2] == ["10", "1"]
    assert Path(answer[2]).parent == scratch
    assert told.count("cannot write the compile cache") == 1


@pytest.mark.slow
def test_cache__that_is_damaged_is_reported_and_worked_around(house: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for damage in (b"", b"nonsense", None):
        ask(house, JERUSALEM_CACHE_DIR=str(cache))
        damaged = list(cache.rglob("*.nbc"))
        assert damaged
        for path in damaged:
            path.write_bytes(path.read_bytes()[:40] if damage is None else damage)
        answer, told = ask(house, JERUSALEM_CACHE_DIR=str(cache))
        assert answer == ["10", "1", str(cache)]
        assert "cannot use the compiled code in" in told
        assert "set JERUSALEM_CACHE_DIR" in told
        again, told = ask(house, JERUSALEM_CACHE_DIR=str(cache))
        assert again == ["10", "0", str(cache)], "it was not mended"
        assert told == ""


def test_cache__that_fills_up_is_reported_and_worked_around(house: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    code = (
        "import os\n"
        "def full(*arguments): raise OSError(28, 'No space left on device')\n"
        "os.replace = full\n"
        "from house.entry import main; main()"
    )
    out, told = run(code, folder=house.parent, JERUSALEM_CACHE_DIR=str(cache))
    assert out.split()[:2] == ["10", "1"]
    assert "cannot keep compiled code in" in told
    assert "No space left" in told
    assert [path for path in cache.rglob("*") if path.is_file()] == []


VARIANTS = """
from functools import cache
from .kernels import compile_statistics, entry_kernel, kernel

@cache
def make(number):
    @kernel
    def inner():
        return number

    @entry_kernel(variant=f"number {number}")
    def ask():
        return 10 * inner()

    return ask

def main():
    print(make(1)(), make(2)(), compile_statistics()[0])
"""


def test_cache__keeps_variants_of_an_entry_apart(house: Path, tmp_path: Path) -> None:
    (house / "variants.py").write_text(VARIANTS)
    code = "from house.variants import main; main()"
    for compiled in ("2", "0"):
        out, _ = run(code, folder=house.parent, JERUSALEM_CACHE_DIR=str(tmp_path / "cache"))
        assert out.split() == ["10", "20", compiled]


SIGNATURES = """
import sys
import numpy as np
from .kernels import entry_kernel

@entry_kernel
def double(given, out):
    for place in range(given.shape[0]):
        out[place] = 2 * given[place]

def main(dtype):
    given = np.arange(50).astype(dtype)
    out = np.zeros(50, dtype)
    double(given, out)
    print((out == 2 * given).all())
"""


@pytest.mark.slow
def test_cache__two_processes_that_compile_at_once_do_not_mix_up_signatures(
    house: Path, tmp_path: Path
) -> None:
    (house / "signatures.py").write_text(SIGNATURES)
    environment = os.environ | {"JERUSALEM_CACHE_DIR": str(tmp_path / "cache")}
    dtypes = ("float32", "uint8", "int64", "float64")
    for _ in range(2):  # compiled side by side, then loaded
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", f"from house.signatures import main; main('{dtype}')"],
                cwd=house.parent,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for dtype in dtypes
        ]
        assert [process.communicate()[0].strip() for process in processes] == ["True"] * 4
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == len(dtypes)


def test_kernel__called_from_python_is_an_error_not_a_crash() -> None:
    from jerusalem_env import jerusalem_v0
    from jerusalem_env.jerusalem.engine.control import in_play
    from jerusalem_env.jerusalem.engine.state import STATE

    jerusalem_v0.raw_env().reset(seed=0)  # compiled by now
    import numpy as np

    with pytest.raises(TypeError, match="kernel in_play is called by other kernels only"):
        in_play(np.zeros(1, STATE)[0])


FOREIGN_FUNCTION = """
import numba
import numpy as np
from jerusalem_env.kernels import entry_kernel, kernel

@numba.njit
def plus_one(x):
    return x + 1

@kernel
def twice(x):
    return 2 * plus_one(x)

@entry_kernel
def one(x):
    return twice(x)

@entry_kernel(parallel=True)
def several(given, out):
    for place in numba.prange(given.shape[0]):
        out[place] = twice(given[place])

out = np.zeros(4, np.int64)
several(np.arange(4), out)
print(one(4), out.tolist(), plus_one(4))
"""


def test_kernels__a_function_of_others_can_still_be_called_from_python(tmp_path: Path) -> None:
    """Inner kernels are machine code inside of entries alone; this is beside them too."""
    (tmp_path / "play.py").write_text(FOREIGN_FUNCTION)
    out, _ = run("import play", folder=tmp_path, JERUSALEM_CACHE_DIR=str(tmp_path / "cache"))
    assert out.strip() == "10 [2, 4, 6, 8] 5"


@pytest.mark.parametrize(("fallback", "expected"), [(False, 4), (True, 0)])
def test_inner_library__takes_kernels_and_loops__and_does_without(
    tmp_path: Path, fallback: bool, expected: int
) -> None:
    """A kernel, and three functions that Numba makes of a loop; none without Numba's help."""
    code = (
        "from jerusalem_env import inner_library, kernels\n"
        f"if {fallback}:\n"
        "    inner_library.INNER_OPTIONS = {}\n"
        "    del kernels._INNER['pipeline_class']\n"
        "made, begin = [], inner_library._InnerLibrary.__init__\n"
        "def noted(self, owner, name):\n"
        "    made.append(name)\n"
        "    begin(self, owner, name)\n"
        "inner_library._InnerLibrary.__init__ = noted\n"
        "import play\n"
        "print(len(made))\n"
        "from numba.core.registry import cpu_target\n"
        "print('create_library' in vars(cpu_target.target_context.codegen()))\n"
    )
    (tmp_path / "play.py").write_text(FOREIGN_FUNCTION)
    out, _ = run(code, folder=tmp_path, JERUSALEM_CACHE_DIR=str(tmp_path / "cache"))
    assert out.split("\n")[:3] == ["10 [2, 4, 6, 8] 5", str(expected), "False"]


def test_threads__a_fork_uses_one(tmp_path: Path) -> None:
    """GNU OpenMP would end the child."""
    code = (
        "import os, numpy as np\n"
        "from jerusalem_env import jerusalem_v0\n"
        "from jerusalem_env.kernels import thread_limit\n"
        "e = jerusalem_v0.batch_env(256); rng = np.random.default_rng(0); e.reset(seed=0)\n"
        "e.step(e.sample_actions(rng))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    e.step(e.sample_actions(rng))\n"
        "    f = jerusalem_v0.batch_env(256); f.reset(seed=0); f.step(f.sample_actions(rng))\n"
        "    os._exit(40 + e.threads + f.threads + thread_limit())\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), e.threads == thread_limit())\n"
    )
    out, _ = run(code)
    assert out.split() == ["43", "True"]


def test_threads__start_leaves_the_environment_as_it_was() -> None:
    code = (
        "import os; before = dict(os.environ)\n"
        "from jerusalem_env.kernels import start_threads; start_threads()\n"
        "print(dict(os.environ) == before)\n"
    )
    assert run(code)[0].strip() == "True"


@pytest.mark.skipif(sys.platform != "linux", reason="GNU OpenMP, and the list of what is loaded")
def test_threads__that_wait_soon_sleep__also_those_of_torch() -> None:
    """One library serves both, and it has read our wish when it was loaded."""
    code = (
        "from jerusalem_env.kernels import start_threads\n"
        "import torch; start_threads()\n"
        "lines = [line.split() for line in open('/proc/self/maps')]\n"
        "print(len({line[-1] for line in lines if 'gomp' in line[-1]}))\n"
    )
    out, told = run(code, OMP_DISPLAY_ENV="VERBOSE")
    assert out.strip() == "1"
    assert told.count("GOMP_SPINCOUNT = '2000'") == 1
    assert "GOMP_SPINCOUNT = '77'" in run(code, OMP_DISPLAY_ENV="VERBOSE", GOMP_SPINCOUNT="77")[1]


def test_cache__without_a_wish_says_nothing_of_folders(house: Path, tmp_path: Path) -> None:
    answer, told = ask(house, XDG_CACHE_HOME=str(tmp_path / "home"))
    assert answer == ["10", "1", str(tmp_path / "home" / "jerusalem-env")]
    assert "cannot write" not in told


def test_cache__lies_outside_the_package() -> None:
    root = kernels.cache_root().resolve()
    assert PACKAGE not in (root, *root.parents)
    assert root.is_dir()
    assert list(PACKAGE.rglob("*.nbc")) == []


def test_entries__of_the_engine_are_cached_under_the_digest() -> None:
    from jerusalem_env import jerusalem_v0

    env = jerusalem_v0.raw_env()
    env.reset(seed=0)
    folder = kernels.cache_root() / kernels.source_digest()
    assert any("reset_games" in path.name for path in folder.glob("*.nbc"))
