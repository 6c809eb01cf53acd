"""The notebooks run, and are shipped as they ran; and the tool that runs them."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output  # noqa: E402

from training.analysis import notebooks  # noqa: E402

FILES = notebooks.notebook_files()
NUMBERED = {path.name.partition("_")[0]: path for path in FILES}

each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


# --- the notebooks ------------------------------------------------------------------------------
def test_notebooks__are_there() -> None:
    assert {"1", "2", "3"} <= set(NUMBERED)


@pytest.mark.slow
@each
def test_notebook__runs_with_the_small_budget(path: Path) -> None:
    before = path.read_bytes()
    executed = notebooks.run(path, small=True)
    assert notebooks.problems(executed) == []
    assert path.read_bytes() == before, "a small run must not be written"


@each
def test_notebook__is_shipped_as_it_ran(path: Path) -> None:
    notebook = notebooks.read(path)
    assert notebooks.problems(notebook) == []
    assert path.stat().st_size <= notebooks.LARGEST
    # Byte for byte what the tool writes: no times, versions or names of machines.
    assert nbformat.writes(notebooks.tidied(copy.deepcopy(notebook))).strip() == (
        path.read_text(encoding="utf-8").strip()
    )


@each
def test_notebook__shows_pictures_with_a_text_for_those_who_cannot_see_them(path: Path) -> None:
    notebook = notebooks.read(path)
    assert notebooks.has_figure(notebook)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                told = output.metadata.get("image/png", {}).get("alt")
                assert told, f"a picture without alt text, made by:\n{cell.source}"


@each
def test_notebook__reads_as_prose_and_short_cells(path: Path) -> None:
    notebook = notebooks.read(path)
    assert notebook.cells[0].cell_type == "markdown"
    assert notebook.cells[0].source.startswith("# ")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert len(cell.source.splitlines()) <= 45


# --- the tool -----------------------------------------------------------------------------------
def saved(path: Path, *sources: str) -> Path:
    """A notebook of code cells that was never run."""
    notebook = new_notebook(cells=[new_markdown_cell("# Title"), *map(new_code_cell, sources)])
    nbformat.write(notebook, path)
    return path


def ran(source: str, *outputs: Any) -> Any:
    """A notebook of one code cell that was run."""
    return new_notebook(cells=[new_code_cell(source, execution_count=1, outputs=list(outputs))])


def printed(text: str, name: str = "stdout") -> Any:
    return new_output("stream", name=name, text=text)


def test_run__writes_the_outputs_in_this_python_and_in_an_empty_folder(tmp_path: Path) -> None:
    path = saved(
        tmp_path / "a.ipynb",
        "import os, sys\nprint(os.listdir('.') == [] or os.listdir('.'))",
        f"print(sys.executable == {__import__('sys').executable!r})",
        "from training.analysis.notebooks import budget\nbudget(full='full', small='small')",
    )
    notebooks.run(path)
    first = path.read_bytes()
    outputs = [cell.outputs[0] for cell in notebooks.read(path).cells[1:]]
    assert outputs[1].text == "True\n"
    assert outputs[0].text == "True\n"
    assert outputs[2].data["text/plain"] == "'full'"
    notebooks.run(path)
    assert path.read_bytes() == first, "the same results must make the same file"


def test_run__a_failing_cell_is_told_with_its_source_and_the_file_stays(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.ipynb", "x = 1", "y = x + unknown_name", "z = 2")
    before = path.read_bytes()
    with pytest.raises(notebooks.NotebookError) as caught:
        notebooks.run(path)
    text = str(caught.value)
    assert "cell 3 fails" in text
    assert "    y = x + unknown_name" in text
    assert "NameError" in text
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.ipynb"]


def test_command__small_and_check_write_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path / "a.ipynb", "import os\nprint(1 + 1)")
    before = path.read_bytes()
    assert notebooks.main(["--check", str(path)]) == 0
    assert path.read_bytes() == before
    assert "a.ipynb: runs" in capsys.readouterr().out


def test_command__unknown_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert notebooks.main(["nothing_of_that_name"]) == 1
    assert "there are: 1_first_steps" in capsys.readouterr().err


def test_names__beginnings_are_enough() -> None:
    assert notebooks.notebook_files(["2"]) == [NUMBERED["2"]]


@pytest.mark.parametrize(
    ("notebook", "why"),
    [
        (ran("x = 1", new_output("error", ename="ValueError", evalue="no")), "ValueError"),
        (ran("print(1)", printed("careful", "stderr")), "stderr"),
        (ran("print(1)", printed(f"in {Path.home()}/runs")), "the path"),
        (ran("x", printed("<object at 0x7f3a5c1d2e80>")), "address in memory"),
        (ran("def helper():\n    return 1"), "defines helper"),
        (ran("class Helper:\n    pass"), "defines Helper"),
        (ran("%time 1"), "not plain Python"),
        (new_notebook(cells=[new_code_cell("x = 1")]), "was not run"),
    ],
)
def test_problems__are_found(notebook: Any, why: str) -> None:
    assert why in "\n".join(notebooks.problems(notebook))


def test_write__refuses_what_is_not_fit_to_be_shipped(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(notebooks.NotebookError, match="at most"):
        notebooks.write(ran("x", printed("x" * notebooks.LARGEST)), path)
    with pytest.raises(notebooks.NotebookError, match="stderr"):
        notebooks.write(ran("x", printed("careful", "stderr")), path)
    assert path.read_text(encoding="utf-8") == "before"


def test_tidied__leaves_out_what_differs_from_run_to_run() -> None:
    notebook = ran(
        "x",
        printed("jerusalem: compiled play_on in 12.3 s\n", "stderr"),
        new_output("execute_result", {"text/plain": "1"}, execution_count=1),
    )
    notebook.metadata["language_info"] = {"version": "3.11.7", "name": "python"}
    notebook.cells[0].metadata["execution"] = {"shell.execute_reply": "2026-01-01T00:00:00"}
    text = nbformat.writes(notebooks.tidied(notebook))
    assert "3.11.7" not in text
    assert "2026" not in text
    assert "compiled" not in text
    assert notebooks.problems(notebook) == []


def test_budget__is_small_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(notebooks.BUDGET_VARIABLE, raising=False)
    assert notebooks.budget(full=1, small=2) == 1
    monkeypatch.setenv(notebooks.BUDGET_VARIABLE, "small")
    assert notebooks.budget(full=1, small=2) == 2
