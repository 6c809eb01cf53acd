"""The demo from end to end, with a few seconds of training."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from training.demo import main


@pytest.mark.slow
def test_demo__shows_trains_saves_and_evaluates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "agent.zip"
    assert main(["--seconds", "3", "--deals", "4", "--out", str(path)]) == 0
    printed = capsys.readouterr().out
    assert path.exists()
    assert not list(tmp_path.glob("*.partial*"))
    assert "game over" in printed
    assert len(re.findall(r"[─\-] Round \d", printed)) == 5
    assert "[open]" in printed  # not taken for markup
    for opponent in ("random", "greedy"):
        assert re.search(rf"against {opponent}.*wins \d+\.\d% \(95 % interval", printed)
    assert "chance 25.0%" in printed


@pytest.mark.slow
def test_demo__says_when_it_cannot_save(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert main(["--seconds", "0.5", "--deals", "2", "--out", str(blocked / "agent.zip")]) == 1
    assert "cannot save the agent" in capsys.readouterr().err
