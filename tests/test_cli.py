"""The command `jerusalem`, and its benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from jerusalem_env import __version__, cli
from training import benchmark

COMMANDS = ("bench", "demo", "evaluate")


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_main__help(capsys: pytest.CaptureFixture[str], flag: str) -> None:
    assert cli.main([flag]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: jerusalem COMMAND")
    assert err == ""
    for command in COMMANDS:
        lines = [line.split() for line in out.splitlines() if line.startswith(f"  {command} ")]
        assert len(lines) == 1
        assert len(lines[0]) > 3, f"{command} has no summary"


def test_main__without_a_command_shows_the_usage_and_fails(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main([]) == 2
    assert "usage: jerusalem COMMAND" in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_main__version(capsys: pytest.CaptureFixture[str], flag: str) -> None:
    assert cli.main([flag]) == 0
    assert capsys.readouterr().out == f"jerusalem-env {__version__}\n"


def test_main__version_is_that_of_the_project() -> None:
    text = (Path(__file__).resolve().parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{__version__}"' in text


@pytest.mark.parametrize("name", ["dance", "", "Bench", "--games"])
def test_main__unknown_command(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert cli.main([name, "--help"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"jerusalem: no command {name!r}")
    assert "bench" in err


def with_command(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Only one command, `try`, is installed."""
    point = EntryPoint(name="try", value=value, group=cli.GROUP)
    monkeypatch.setattr(cli, "entry_points", lambda group: [point])


def answer(arguments: list[str]) -> int:
    return len(arguments)


def interrupt(arguments: list[str]) -> int:
    raise KeyboardInterrupt


def test_main__passes_the_rest_on_and_returns_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    with_command(monkeypatch, f"{__name__}:answer")
    assert cli.main(["try", "-V", "--help", "x"]) == 3


def test_main__takes_the_arguments_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    with_command(monkeypatch, f"{__name__}:answer")
    monkeypatch.setattr(sys, "argv", ["jerusalem", "try", "x"])
    assert cli.main() == 1


def test_main__says_which_extra_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_command(monkeypatch, "a_package_nobody_has:main")
    assert cli.main(["try"]) == 1
    err = capsys.readouterr().err
    assert "a_package_nobody_has" in err
    assert "pip install 'jerusalem-env[train]'" in err


def test_main__interrupted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_command(monkeypatch, f"{__name__}:interrupt")
    assert cli.main(["try"]) == 130
    assert capsys.readouterr().err == "\njerusalem try: interrupted\n"


def test_module__runs_as_a_script() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jerusalem_env.cli", "dance"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no command 'dance'" in done.stderr


# --- jerusalem bench ------------------------------------------------------------------------------
QUICK = ["--games", "8", "--seconds", "0.05", "--repeats", "1", "--no-start"]


def test_bench__prints_a_table_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figures.json"
    assert cli.main(["bench", *QUICK, "--json", str(path)]) == 0
    out = capsys.readouterr().out
    written: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert set(written) == {"machine", "figures"}
    assert set(written["machine"]) == {"cpu", "threads", "python", "numpy", "numba"}
    figures = written["figures"]
    assert "AEC raw_env, last() each decision" in figures
    for label in ("mask and observation", "mask only"):
        assert f"batch of 8, {label}, 1 thread" in figures
    for name, figure in figures.items():
        assert 0 < figure["lowest"] <= figure["median"] <= figure["highest"]
        row = next(line for line in out.splitlines() if line.startswith(name))
        shown = [int(column.replace(",", "")) for column in row[len(name) :].split()]
        expected = [figure[key] for key in ("median", "lowest", "highest")]
        assert shown == [pytest.approx(value, abs=0.51) for value in expected]
    assert not any("start" in name for name in figures)
    assert "decisions per second" in out
    assert [entry.name for entry in tmp_path.iterdir()] == ["figures.json"]


def test_bench__without_json_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert benchmark.main(QUICK) == 0
    assert "AEC raw_env" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "wrong",
    [["--games", "0"], ["--seconds", "0"], ["--repeats", "0"], ["--games", "many"], ["--fast"]],
)
def test_bench__refuses_bad_options(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        benchmark.main(wrong)
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert wrong[0] in err


def test_table__shows_spread_and_seconds() -> None:
    text = benchmark.table(
        {"fast": {"median": 1234567.8, "lowest": 1.0, "highest": 2e6}, "start (s)": {"median": 0.5}}
    )
    lines = text.splitlines()
    assert lines[1].split() == ["fast", "1,234,568", "1", "2,000,000"]
    assert lines[2].split() == ["start", "(s)", "0.50"]


def test_repeated__drops_the_warm_up() -> None:
    rates = iter([(1000.0, 0), (3.0, 0), (1.0, 0), (2.0, 0)])
    figure = benchmark.repeated(lambda: next(rates), 3)
    assert figure == {"median": 2.0, "lowest": 1.0, "highest": 3.0}


@pytest.mark.slow
def test_start__is_measured_in_a_process_of_its_own() -> None:
    assert 0 < benchmark.start_seconds(None) < 120
