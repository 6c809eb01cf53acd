"""The plan of the ablations, a tiny run of it, and what is read from the files."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from training import ablations
from training.analysis import curves
from training.selfplay.config import ConfigError
from training.selfplay.progress import TrainingProgress

TINY: dict[str, dict[str, Any]] = {
    "run": {"decisions": 1024},
    "games": {"slots": 8, "ticks": 64},
    "network": {"shared": [16], "policy": [16], "value": [16]},
    "opponents": {"tables": [], "past": 0.0},  # bots would have to be compiled
    "ppo": {"batch_size": 128, "epochs": 1},
    "evaluation": {"deals": 2, "final_deals": 2, "tables": [["random"]], "minutes": 0.0},
}


def test_plan__variants_differ_in_one_section_each() -> None:
    plan = ablations.read_plan()
    base = next(x for x in plan.variants if x.name == curves.BASE).config.to_dict()
    labels = [variant.label for variant in plan.variants]
    assert len(set(labels)) == len(labels)
    for variant in plan.variants:
        content = variant.config.to_dict()
        content["run"]["seed"] = base["run"]["seed"]
        differing = {name for name in content if content[name] != base[name]}
        assert differing == set(variant.changes)
        assert len(differing) == (variant.name != curves.BASE)


def test_plan__settings_may_be_replaced_in_all_variants() -> None:
    plan = ablations.read_plan(changes=TINY)
    assert {variant.config.run.decisions for variant in plan.variants} == {1024}
    assert {variant.config.games.slots for variant in plan.variants} == {8}


def test_plan__what_is_wrong_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    with pytest.raises(ConfigError, match="cannot use the plan"):
        ablations.read_plan(path)
    settings = 'order = ["x 0"]\n[base.ppo]\n{}\n[measure]\nevery = 5\n[variants.x]\n'
    path.write_text(settings.format("epochs = 1"))
    with pytest.raises(ConfigError, match="title"):
        ablations.read_plan(path)
    path.write_text(settings.format("learning = 1") + 'title = "x"\n')
    with pytest.raises(ConfigError, match="learning"):
        ablations.read_plan(path)


@pytest.mark.slow
def test_run_plan__trains_measures_resumes_and_exports(tmp_path: Path, one_thread: None) -> None:
    plan = ablations.read_plan(changes=TINY)
    chosen = tuple(x for x in plan.variants if x.label == "no_imitation_seed0")
    plan = dataclasses.replace(plan, variants=chosen, measure_every=600)
    quiet = TrainingProgress(0, quiet=True)
    assert ablations.run_plan(plan, tmp_path, quiet)
    folder = tmp_path / "no_imitation_seed0"

    def measured() -> list[tuple[int, str]]:
        lines = (folder / "evaluations.jsonl").read_text().splitlines()
        return [(x["decisions"], x["kind"]) for x in map(json.loads, lines)]

    at = measured()
    assert at[0] == (0, "while training")  # before the first update
    assert [kind for _, kind in at].count("final") == 1
    middle = [decisions for decisions, kind in at[1:] if kind == "while training"]
    assert all(600 <= decisions < 1024 for decisions in middle)

    before = (folder / "agent.zip").read_bytes()
    assert ablations.run_plan(plan, tmp_path, quiet)  # nothing is left to do
    assert (folder / "agent.zip").read_bytes() == before

    (folder / "done.json").unlink()  # as if it had been stopped after its last checkpoint
    longer = ablations.read_plan(changes={**TINY, "run": {"decisions": 2048}})
    chosen = tuple(x for x in longer.variants if x.label == "no_imitation_seed0")
    assert ablations.run_plan(dataclasses.replace(plan, variants=chosen), tmp_path, quiet)
    history = [json.loads(x) for x in (folder / "history.jsonl").read_text().splitlines()]
    decisions = [line["decisions"] for line in history]
    assert decisions == sorted(set(decisions))  # it went on and did not begin anew

    written = ablations.export(plan, tmp_path, tmp_path / "out", points=2)
    assert [path.name for path in written] == ["no_imitation_seed0.json"]
    (curve,) = curves.read_curves(tmp_path / "out")
    assert len(curve.history) <= 2
    assert curve.tables() == ["random"]
    assert 0.0 <= curve.final("random")["value"] <= 1.0


def test_curves__those_that_are_shipped_are_complete_and_small() -> None:
    found = curves.read_curves()
    assert found[0].name == curves.BASE
    labels = [f"{curve.name}_seed{curve.seed}" for curve in found]
    assert set(labels) <= {variant.label for variant in ablations.read_plan().variants}
    for curve in found:
        assert curve.tables() == ["expert", "greedy", "expert+warden+recruiter"]
        at, rates = curve.against("expert")
        assert at[0] == 0
        assert len(rates) == len(at) >= 3
        assert curve.history[-1]["decisions"] >= curve.decisions
        for table in curve.tables():
            rate = curve.final(table)
            assert rate["low"] <= rate["value"] <= rate["high"]
    size = sum(path.stat().st_size for path in curves.FOLDER.glob("*.json"))
    assert size < 200_000
    heads, rows = curves.results_rows(found)
    assert len(rows) == len(found)
    assert all(len(row) == len(heads) for row in rows)
    assert {x["seed"] for x in curves.read_imitations()} <= {0, 1}


def test_curves__what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(curves.CurvesError, match="no curves"):
        curves.read_curves(tmp_path)
    (tmp_path / "x_seed0.json").write_text("{}")
    with pytest.raises(curves.CurvesError, match="is no curve"):
        curves.read_curves(tmp_path)


def test_less__has_newcombes_interval() -> None:
    first = {"value": 0.6, "low": 0.5, "high": 0.7, "deals": 9}
    second = {"value": 0.3, "low": 0.25, "high": 0.4, "deals": 9}
    found = curves.less(first, second)
    assert found["value"] == pytest.approx(0.3)
    assert found["low"] == pytest.approx(0.3 - (0.1**2 + 0.1**2) ** 0.5)
    assert found["high"] == pytest.approx(0.3 + (0.1**2 + 0.05**2) ** 0.5)
