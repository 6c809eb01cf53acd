"""The README's examples run, and its generated tables match the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from jerusalem_env.documentation import PAGES, TABLES, updated

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SECOND = ROOT / "jerusalem_env" / "ierusalem" / "README.md"


def example(name: str, page: Path = README) -> str:
    """The code block after ``<!-- example: name -->``."""
    pattern = rf"<!-- example: {name} -->\n```python\n(.*?)```"
    found = re.search(pattern, page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, f"{page} has no example {name!r}"
    return found[1]


@pytest.mark.parametrize("name", ["aec", "batch", "vector", "training"])
def test_readme_example__is_short(name: str) -> None:
    lines = [line for line in example(name).splitlines() if line.strip()]
    assert len(lines) <= 15


def test_readme_aec_example__runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example("aec"), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    rewards = [float(line.split()[1]) for line in printed.splitlines() if line.startswith("player")]
    assert sorted(rewards) == pytest.approx([-1 / 3, -1 / 3, -1 / 3, 1.0])
    assert "game over" in printed


def test_second_games_example__runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example("ierusalem", SECOND), str(SECOND), "exec"), {})
    printed = capsys.readouterr().out
    rewards = [float(line.split()[1]) for line in printed.splitlines() if line.startswith("player")]
    assert len(rewards) == 4
    assert sum(rewards) == pytest.approx(0.0)


def test_second_games_data_example__runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    exec(compile(example("data", SECOND), str(SECOND), "exec"), space)
    data = space["env"].position()["ruleset"]["data"]
    assert data["sanhedrin"]["last_space"]["v"] == 18


@pytest.mark.parametrize("name", ["batch", "vector"])
def test_readme_examples_of_many_games__run(name: str) -> None:
    space: dict[str, Any] = {}
    exec(compile(example(name), "README.md", "exec"), space)
    assert len(space["observations"]) == len(space["rewards"]) >= 1024


@pytest.mark.slow
def test_readme_training_example__runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(example("training"), "README.md", "exec"), {})
    assert (tmp_path / "first_agent.zip").exists()
    assert "%" in capsys.readouterr().out


@pytest.mark.parametrize("page", sorted(PAGES))
def test_readme_tables__match_the_code(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert updated(text, PAGES[page]) == text, "run python -m jerusalem_env.documentation"


@pytest.mark.parametrize("name", sorted(TABLES))
def test_readme_tables__are_refused_without_markers(name: str) -> None:
    text = README.read_text(encoding="utf-8").replace(f"<!-- {name} -->", "")
    with pytest.raises(ValueError, match=name):
        updated(text)


def test_readme__has_no_placeholder() -> None:
    for page in (README, SECOND):
        assert not re.search(r"\b(TODO|TBD|SPEED|XXX)\b", page.read_text(encoding="utf-8"))


def test_agents_readme__tells_every_plan_and_every_name() -> None:
    from agents.registry import agent_names
    from agents.scripted.strategies import STRATEGIES

    text = " ".join((README.parent / "agents" / "README.md").read_text(encoding="utf-8").split())
    for strategy in STRATEGIES.values():
        assert f"**{strategy.name}.** {strategy.description}" in text
    for name in agent_names():
        assert f"`{name.partition(':')[0]}" in text
