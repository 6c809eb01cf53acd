"""The command `jerusalem`."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from jerusalem_env import __version__, cli

COMMANDS = ("arena", "balance", "bench", "demo", "evaluate", "play", "record", "replay", "rllib")
COMMANDS += ("serve", "train", "tune", "warmup")


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
