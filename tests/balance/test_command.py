"""The command ``jerusalem balance`` from end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from training.balance import conditions, figures
from training.balance.command import main

pytestmark = pytest.mark.slow  # figures to draw

FIGURES = ("seats", "prices", "floors", "length", "building", "events")


def run(out: Path, *more: str) -> int:
    """Two conditions, few games."""
    usual = "--agent greedy --games 60 --players 2 4 --income six_icons --seed 3 --threads 1"
    return main([*usual.split(), "--out", str(out), *more])


def files(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("balance")
    assert run(out) == 0
    return out


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the figures, which take most of the time."""
    monkeypatch.setattr(figures, "draw_all", lambda report, out: [])


def test_balance__writes_numbers_with_their_provenance(report: Path) -> None:
    content = json.loads((report / "report.json").read_text())
    provenance = content["provenance"]
    assert (provenance["agent"], provenance["games"], provenance["seed"]) == ("greedy", 60, 3)
    assert "reconstructed" in provenance["incomes"]
    found = [(x["players"], x["income"]) for x in content["conditions"]]
    assert found == [(2, "six_icons"), (4, "six_icons")]
    for condition in content["conditions"]:
        assert condition["rules"]["players"] == condition["players"]
        assert condition["rules"]["income"] == condition["income"]
        assert len(condition["numbers"]["seats"]["by_seat"]) == condition["players"]


def test_balance__writes_tables_and_links_every_figure(report: Path) -> None:
    text = (report / "report.md").read_text()
    assert "Incomes other than the Market's are a reconstruction" in text
    for title in ("Seat advantage", "Office prices", "Floors", "Game length", "First builders"):
        assert f"## {title}" in text
    for path in (report / "figures").iterdir():
        assert f"(figures/{path.name})" in text
    assert "nan" not in text.lower().split()
    assert "None" not in text
    rows = [line for line in text.splitlines() if line.startswith("| 4 | six_icons")]
    assert len(rows) > 20


def test_balance__draws_every_figure(report: Path) -> None:
    names = {path.name for path in (report / "figures").iterdir()}
    assert names == {f"{name}_six_icons.png" for name in FIGURES} | {"income_presets.png"}
    for name in names:
        with Image.open(report / "figures" / name) as picture:
            assert picture.size == (1500, 1125)
            colours = picture.convert("RGB").getcolors(maxcolors=1 << 24)
            assert colours is not None
            assert len(colours) > 50, name
    assert not list(report.rglob("*.partial"))


def test_balance__the_seed_reproduces_every_byte(report: Path, tmp_path: Path) -> None:
    assert run(tmp_path, "--threads", "2") == 0
    assert files(tmp_path) == files(report)


@pytest.mark.usefixtures("undrawn")
def test_balance__another_seed_gives_another_report(report: Path, tmp_path: Path) -> None:
    assert run(tmp_path, "--seed", "4") == 0
    assert files(tmp_path)["report.json"] != files(report)["report.json"]


def no_simulation(*_: Any) -> Any:
    raise AssertionError("simulated again")


@pytest.mark.usefixtures("undrawn")
def test_balance__keeps_finished_conditions(
    report: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kept = tmp_path / "conditions" / "2_players_six_icons.json"
    kept.parent.mkdir()
    kept.write_bytes((report / "conditions" / kept.name).read_bytes())
    assert run(tmp_path) == 0
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "2_players_six_icons: kept"
    assert told[1].startswith("4_players_six_icons: 60 games in")
    assert files(tmp_path)["report.json"] == files(report)["report.json"]
    monkeypatch.setattr(conditions, "simulate", no_simulation)
    assert run(tmp_path) == 0
    for other in (["--restart"], ["--seed", "4"], ["--games", "61"], ["--agent", "random"]):
        with pytest.raises(AssertionError, match="simulated again"):
            run(tmp_path, *other)


def test_balance__damaged_files_are_simulated_again(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conditions, "simulate", no_simulation)
    folder = tmp_path / "conditions"
    folder.mkdir()
    whole = (report / "conditions" / "2_players_six_icons.json").read_text()
    for damaged in ("", whole[:100], "[]", whole.replace('"format": 1', '"format": 0')):
        (folder / "2_players_six_icons.json").write_text(damaged)
        with pytest.raises(AssertionError, match="simulated again"):
            run(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--agent", "nobody"], "unknown agent 'nobody'"),
        (["--seed", "-1"], "seed must be an integer"),
    ],
)
def test_balance__says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(tmp_path, *arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("jerusalem balance: ")
    assert told in err


@pytest.mark.parametrize(
    "arguments",
    [["--games", "1"], ["--threads", "0"], ["--players", "5"], ["--income", "gold"]],
)
def test_balance__refuses_arguments(tmp_path: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(tmp_path, *arguments)


def test_balance__says_when_it_cannot_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert run(blocked / "report") == 1
    assert "cannot write the report" in capsys.readouterr().err
