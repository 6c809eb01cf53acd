"""Runs the notebooks: ``python -m training.analysis.notebooks`` writes their outputs anew.

Each is executed from its first cell to its last by this very Python, in an empty folder. What is
written is the same for the same results: no times, no numbers of versions, no names of machines. A
notebook with an error, a warning or a path in its outputs is refused, and its file stays as it was.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import nbformat
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from ..files import write_text

T = TypeVar("T")

FOLDER = Path(__file__).parents[2] / "notebooks"
BUDGET_VARIABLE = "JERUSALEM_NOTEBOOK_BUDGET"  # "small": as in the tests; otherwise full
LARGEST = 1_500_000  # bytes of a notebook's file
_SECONDS_A_CELL = 900
_KERNEL = (sys.executable, "-m", "ipykernel_launcher")
_OWN_NOTICES = re.compile(r"^jerusalem: (compil|cannot write the compile cache).*\n?", re.MULTILINE)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{7,}\b")


class NotebookError(RuntimeError):
    """A notebook that cannot be shipped: a cell fails, or its outputs hold what they must not."""


# --- for cells ----------------------------------------------------------------------------------
def small_budget() -> bool:
    """Whether a notebook is only to be tried out, as in the tests."""
    return os.environ.get(BUDGET_VARIABLE, "").lower() == "small"


def budget(full: T, small: T) -> T:
    """The first of two values, or the second if the notebook is only tried out.

    >>> games = budget(full=10_000, small=200)
    """
    return small if small_budget() else full


# --- running ------------------------------------------------------------------------------------
class _ThisPython(KernelSpecManager):
    """Whatever kernels are installed on the machine: the notebook runs in this interpreter."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return KernelSpec(
            # Errors alone: it would warn that it talks to us over the local network.
            argv=[*_KERNEL, "-f", "{connection_file}", "--log-level=ERROR"],
            display_name="Python 3",
            language="python",
        )


@contextmanager
def _environment(small: bool) -> Iterator[dict[str, str]]:
    """The kernel's environment; ``PWD`` in it is an empty folder that is removed at the end."""
    root = str(Path(__file__).parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    with tempfile.TemporaryDirectory(prefix="notebook-") as folder:
        here = Path(folder) / "here"
        here.mkdir()
        yield {
            **os.environ,
            BUDGET_VARIABLE: "small" if small else "full",
            "PYTHONPATH": os.pathsep.join(paths),
            "IPYTHONDIR": str(Path(folder) / ".ipython"),  # nobody's own profile or history
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # else Python warns of its frozen modules
            "PWD": str(here),
        }


def execute(notebook: NotebookNode, small: bool = False) -> NotebookNode:
    """A copy of a notebook, executed; the outputs that the original had are dropped.

    Parameters
    ----------
    notebook : NotebookNode
    small : bool
        With the small budget.

    Raises
    ------
    NotebookError
        If a cell fails or takes too long, with its number and source.
    """
    copy = nbformat.from_dict(notebook)
    with _environment(small) as environment:
        manager = AsyncKernelManager(kernel_spec_manager=_ThisPython())
        client = NotebookClient(
            copy,
            km=manager,
            timeout=_SECONDS_A_CELL,
            resources={"metadata": {"path": environment["PWD"]}},
            record_timing=False,
            coalesce_streams=True,
        )
        try:
            client.execute(env=environment, cleanup_kc=True)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            raise NotebookError(_failure(copy, error)) from None
    return tidied(copy)


def _failure(notebook: NotebookNode, error: Exception) -> str:
    """Which cell failed, its source, and why."""
    failed = 0
    for number, cell in enumerate(notebook.cells, 1):
        if cell.cell_type == "code" and cell.get("execution_count") is not None:
            failed = number
        if any(output.output_type == "error" for output in cell.get("outputs", ())):
            failed = number
            break
    source = notebook.cells[failed - 1].source if failed else ""
    if isinstance(error, CellExecutionError):
        why = f"{error.ename}: {_COLOURS.sub('', error.evalue)}"
        traceback = _COLOURS.sub("", error.traceback).strip()
        if traceback:
            why += f"\n\n{traceback}"
    else:
        why = _COLOURS.sub("", str(error))
    indented = "\n".join(f"    {line}" for line in source.splitlines())
    return f"cell {failed} fails:\n{indented}\n{why}"


def tidied(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what differs from run to run or from machine to machine; in place."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for number, cell in enumerate(notebook.cells, 1):
        cell["id"] = f"cell-{number:02d}"
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if cell.cell_type == "code":
            cell.outputs = [x for x in map(_tidied_output, cell.outputs) if x is not None]
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def _tidied_output(output: NotebookNode) -> NotebookNode | None:
    output.pop("transient", None)
    if output.output_type == "stream" and output.name == "stderr":
        # That something had to be compiled says nothing about the notebook.
        output.text = _OWN_NOTICES.sub("", output.text)
        if not output.text.strip():
            return None
    return output


# --- what may be shipped --------------------------------------------------------------------------
def problems(notebook: NotebookNode) -> list[str]:
    """Why a notebook cannot be shipped, a line each: empty if it can.

    Code cells must have been run once in their order, without errors and without a word on stderr;
    outputs hold no paths, names of machines or addresses in memory; cells define no functions or
    classes, which belong into the package.
    """
    found = []
    code = [(i, cell) for i, cell in enumerate(notebook.cells, 1) if cell.cell_type == "code"]
    for place, (number, cell) in enumerate(code, 1):
        if cell.get("execution_count") != place:
            found.append(f"cell {number}: was not run in its place; run the notebook anew")
        found += [f"cell {number}: {what}" for what in _source_problems(cell.source)]
        for output in cell.outputs:
            found += [f"cell {number}: {what}" for what in _output_problems(output)]
    return found


def _source_problems(source: str) -> list[str]:
    """Definitions in a cell; lines of IPython's own (``%``, ``!``) are no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return [f"is not plain Python ({error.msg}, line {error.lineno})"]
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        f"defines {node.name}; move it into the package"
        for node in ast.walk(tree)
        if isinstance(node, kinds)
    ]


def _output_problems(output: NotebookNode) -> list[str]:
    if output.output_type == "error":
        return [f"ended with {output.ename}"]
    text = _text_of(output)
    found = []
    if output.output_type == "stream" and output.name == "stderr":
        found.append(f"writes on stderr: {text.strip()[:200]}")
    for path in {str(Path.home()), str(FOLDER.parent), tempfile.gettempdir(), sys.prefix}:
        if re.search(re.escape(path) + r"(?![\w-])", text) and len(path) > 1:
            found.append(f"an output holds the path {path}")
    host = socket.gethostname()
    if len(host) > 3 and host != "localhost" and re.search(rf"\b{re.escape(host)}\b", text):
        found.append("an output holds the name of the machine")
    if address := _ADDRESS.search(text):
        found.append(f"an output holds an address in memory, {address[0]}")
    return found


def _text_of(output: NotebookNode) -> str:
    """All text of an output; pictures left out."""
    if output.output_type == "stream":
        return str(output.text)
    data = output.get("data", {})
    return "\n".join(
        str(value) for kind, value in data.items() if kind.startswith("text/") or "json" in kind
    )


def has_figure(notebook: NotebookNode) -> bool:
    """Whether some output is a picture."""
    return any(
        kind.startswith("image/")
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        for kind in output.get("data", {})
    )


# --- files ----------------------------------------------------------------------------------------
def notebook_files(names: list[str] | None = None, folder: Path = FOLDER) -> list[Path]:
    """The notebooks, by name; all if none is named.

    Parameters
    ----------
    names : list of str, optional
        Paths, or beginnings of the names of files: ``2`` for ``2_balance.ipynb``.
    folder : Path

    Raises
    ------
    NotebookError
        If a name fits none.
    """
    there = sorted(folder.glob("*.ipynb"))
    if not names:
        return there
    chosen = []
    for name in names:
        fitting = [path for path in there if path.name.startswith(name)]
        if not fitting and Path(name).is_file():
            fitting = [Path(name)]
        if not fitting:
            known = ", ".join(path.stem for path in there) or "none"
            raise NotebookError(f"no notebook {name!r}; there are: {known}")
        chosen += fitting
    return list(dict.fromkeys(chosen))


def read(path: Path) -> NotebookNode:
    """A notebook from its file; NotebookError if it is none."""
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError) as error:
        raise NotebookError(f"{path.name} cannot be read: {error}") from error


def write(notebook: NotebookNode, path: Path) -> None:
    """Write a notebook, complete or not at all; NotebookError if it is not fit to be shipped."""
    notebook = tidied(notebook)
    text = nbformat.writes(notebook).rstrip("\n") + "\n"
    wrong = problems(notebook)
    if len(text.encode()) > LARGEST:
        wrong.append(f"its file has {len(text.encode()):,} bytes, at most {LARGEST:,} are allowed")
    if wrong:
        raise NotebookError("\n".join(wrong))
    write_text(path, text)


def run(path: Path, small: bool = False, check: bool = False) -> NotebookNode:
    """Execute a notebook and write it with its outputs, unless it is only checked or tried out.

    Raises
    ------
    NotebookError
        As ``execute`` and ``write``; the file stays as it was.
    """
    executed = execute(read(path), small)
    if small or check:
        if wrong := problems(executed):
            raise NotebookError("\n".join(wrong))
    else:
        write(executed, path)
    return executed


def main(arguments: list[str] | None = None) -> int:
    """The command: 0 if all notebooks could be run, else 1 and what is wrong with which."""
    parser = argparse.ArgumentParser(
        prog="python -m training.analysis.notebooks",
        description="Execute notebooks and write them with their outputs.",
    )
    parser.add_argument("names", nargs="*", help="beginnings of names, such as 2 (all)")
    parser.add_argument("--small", action="store_true", help="small budget; nothing is written")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(arguments)
    failed = 0
    try:
        files = notebook_files(options.names)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    for path in files:
        started = time.perf_counter()
        try:
            run(path, options.small, options.check)
        except NotebookError as error:
            failed += 1
            print(f"{path.name}: {error}", file=sys.stderr, flush=True)
            continue
        seconds = time.perf_counter() - started
        what = "runs" if options.small or options.check else "written"
        print(f"{path.name}: {what}, {seconds:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
