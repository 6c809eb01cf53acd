"""Ablations: one small training recipe in variants that change one thing each.

``python -m training.ablations --out runs/ablations`` trains them one after the other, skips what
is finished and goes on with what was interrupted; ``--export FOLDER`` writes the curves as small
files, which ``training.analysis.curves`` reads.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.base import AgentError

from .checkpoint_folders import complete_checkpoints
from .files import write_json, write_text
from .selfplay.checkpoints import CheckpointError
from .selfplay.config import CONFIGS, ConfigError, TrainingConfig, config_of
from .selfplay.progress import TrainingProgress
from .selfplay.run import Run, RunError

PLAN = CONFIGS / "ablations.toml"
_DONE = "done.json"
_HISTORY_KEPT = (  # of each update, in the exported curves
    "decisions",
    "entropy_loss",
    "explained_variance",
    "approx_kl",
    "clip_fraction",
    "decisions_per_second",
)
_RESULT_KEPT = (  # of each evaluation
    "decisions",
    "kind",
    "opponents",
    "deals",
    "games",
    "win_rate",
    "low",
    "high",
    "mean_rank",
)


@dataclass(frozen=True)
class Variant:
    """One training of the plan.

    Attributes
    ----------
    name, title : str
        As in the plan; the title is for figures.
    seed : int
    config : TrainingConfig
        Complete, but for ``warm_start.agent``, which is found when it begins.
    changes : dict
        Sections of settings in which it differs from the base.
    """

    name: str
    title: str
    seed: int
    config: TrainingConfig
    changes: dict[str, Any]

    @property
    def label(self) -> str:
        """Its folder: name and seed."""
        return f"{self.name}_seed{self.seed}"


@dataclass(frozen=True)
class Plan:
    """What is trained, in this order, and every how many decisions it is measured."""

    variants: tuple[Variant, ...]
    measure_every: int


def read_plan(path: Path = PLAN, changes: Mapping[str, Mapping[str, Any]] | None = None) -> Plan:
    """The plan of a TOML file.

    Parameters
    ----------
    path : Path
    changes : mapping of sections, optional
        Settings that replace those of the base in all variants, such as fewer decisions.

    Raises
    ------
    ConfigError
        If the file cannot be read, or names an unknown variant or setting.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        base, variants = content["base"], content["variants"]
        order = [entry.split() for entry in content["order"]]
        every = int(content["measure"]["every"])
        base = _merged(base, changes or {})
        made = []
        for name, seed in order:
            differing = {key: x for key, x in variants[name].items() if key != "title"}
            settings = _merged(_merged(base, differing), {"run": {"seed": int(seed)}})
            config = config_of(settings, f"{path}, variant {name}")
            made.append(Variant(name, variants[name]["title"], int(seed), config, differing))
    except (OSError, KeyError, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"cannot use the plan {path}: {error!r}") from error
    return Plan(tuple(made), every)


def _merged(
    base: Mapping[str, Mapping[str, Any]], changes: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Sections of both, single settings of ``changes`` first."""
    names = [*base, *(name for name in changes if name not in base)]
    return {name: {**base.get(name, {}), **changes.get(name, {})} for name in names}


class MeasuredRun(Run):
    """A run that is evaluated before its first update and then every so many decisions.

    By decisions and not by minutes, so that the points of all variants can be compared.
    """

    def __init__(
        self, config: TrainingConfig, folder: Path, every: int, progress: TrainingProgress
    ) -> None:
        super().__init__(config, folder, progress)
        self._every = every
        self._next = every

    def resume(self) -> None:
        """As a run does, and the next measure is the next one due."""
        super().resume()
        self._next = (self.model.num_timesteps // self._every + 1) * self._every

    def save(self) -> None:
        """The first checkpoint is made before the first update: measure there too."""
        if not self.saved:
            self.measure(self.config.evaluation.deals, self.progress)
        super().save()

    def note(self, line: dict[str, Any]) -> None:
        """A line of the history, and a measure when one is due."""
        super().note(line)
        decisions = self.model.num_timesteps
        if self._next <= decisions < self.config.run.decisions:
            self.measure(self.config.evaluation.deals, self.progress)
            self._next = (decisions // self._every + 1) * self._every

    def imitate(self) -> None:
        """Imitation alone; writes ``agent.zip`` and how well it agrees with the teacher."""
        self._imitate()
        self.model.save_agent(self.folder / "agent.zip")
        write_json(self.folder / _DONE, self.warm_start)


def run_plan(plan: Plan, folder: Path, progress: TrainingProgress | None = None) -> bool:
    """Train everything that is not finished in ``folder``; False if it was interrupted."""
    progress = progress or TrainingProgress(0)
    started = time.perf_counter()
    for place, variant in enumerate(plan.variants, 1):
        target = folder / variant.label
        minutes = (time.perf_counter() - started) / 60
        text = f"{place} of {len(plan.variants)}: {variant.title}, seed {variant.seed}"
        if (target / _DONE).exists():
            progress.tell(f"{text}: finished before")
            continue
        progress.tell(f"{text}; {minutes:.0f} minutes so far")
        if not _train(variant, target, folder, plan.measure_every):
            return False
    return True


def _train(variant: Variant, target: Path, folder: Path, every: int) -> bool:
    """One variant to its end; False if it was interrupted."""
    config, begun = variant.config, time.perf_counter()
    if config.warm_start.decisions > 0:
        agent = _imitated(config, folder, every)
        start = dataclasses.replace(config.warm_start, agent=str(agent), decisions=0)
        config = dataclasses.replace(config, warm_start=start)
    resumes = bool(complete_checkpoints(target / "checkpoints"))
    if not resumes and target.exists():
        shutil.rmtree(target)  # broken off before its first checkpoint
    run = MeasuredRun(config, target, every, TrainingProgress(config.run.decisions))
    if resumes:
        run.resume()
    if not run.train():
        return False
    run.finish()
    minutes = round((time.perf_counter() - begun) / 60, 2)
    done = {"name": variant.name, "title": variant.title, "seed": variant.seed}
    write_json(target / _DONE, {**done, "changes": variant.changes, "minutes": minutes})
    return True


def _imitated(config: TrainingConfig, folder: Path, every: int) -> Path:
    """The agent that imitated with the seed of the config; made if it is missing."""
    target = folder / f"imitation_seed{config.run.seed}"
    if not (target / _DONE).exists():
        target.mkdir(parents=True, exist_ok=True)
        MeasuredRun(config, target, every, TrainingProgress(0)).imitate()
    return target / "agent.zip"


def export(plan: Plan, folder: Path, out: Path, points: int = 40) -> list[Path]:
    """Write what finished variants say: settings, thinned histories, all evaluations.

    Parameters
    ----------
    plan : Plan
    folder : Path
        Where they were trained.
    out : Path
        Gets ``NAME_seedS.json`` for each that is finished, and ``imitation_seedS.json``.
    points : int
        Lines of a history that are kept, evenly spaced, the last one among them.

    Returns
    -------
    The files written.
    """
    written = []
    for variant in plan.variants:
        source = folder / variant.label
        if not (source / _DONE).exists():
            continue
        history = list(_lines(source / "history.jsonl"))
        stride = max(1, -(-len(history) // points))
        kept = history[::-stride][::-1]
        content = {
            **json.loads((source / _DONE).read_text(encoding="utf-8")),
            "decisions": variant.config.run.decisions,
            "imitated_decisions": variant.config.warm_start.decisions,
            "history": [{key: line[key] for key in _HISTORY_KEPT if key in line} for line in kept],
            "evaluations": [_result(line) for line in _lines(source / "evaluations.jsonl")],
        }
        written.append(_write(out / f"{variant.label}.json", content))
    for seed in sorted({variant.seed for variant in plan.variants}):
        found = folder / f"imitation_seed{seed}" / _DONE
        if found.exists():
            content = {"seed": seed, **json.loads(found.read_text(encoding="utf-8"))}
            written.append(_write(out / f"imitation_seed{seed}.json", content))
    return written


def _result(line: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of an evaluation."""
    floors, others = line["amounts"]["floors"], line["opponents_amounts"]["floors"]
    kept = {key: line[key] for key in _RESULT_KEPT}
    return {**kept, "mean_floors": floors, "opponents_floors": others}


def _write(path: Path, content: Mapping[str, Any]) -> Path:
    write_text(path, json.dumps(_rounded(content), separators=(",", ":")) + "\n")
    return path


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _rounded(content: Any) -> Any:
    """Floats to five significant digits: the files stay small."""
    if isinstance(content, Mapping):
        return {key: _rounded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_rounded(value) for value in content]
    return float(f"{content:.5g}") if isinstance(content, float) else content


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, export, or both; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.ablations", description=__doc__)
    parser.add_argument("--plan", type=Path, default=PLAN, help="TOML file (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("runs/ablations"), help="%(default)s")
    parser.add_argument("--decisions", type=int, help="of each variant, instead of the plan's")
    parser.add_argument("--export", type=Path, metavar="FOLDER", help="write the curves there")
    parser.add_argument("--no-training", action="store_true", help="export what is there")
    options = parser.parse_args(arguments)
    try:
        changes = {"run": {"decisions": options.decisions}} if options.decisions else None
        plan = read_plan(options.plan, changes)
        complete = options.no_training or run_plan(plan, options.out)
        if options.export is not None:
            for path in export(plan, options.out, options.export):
                print(path)
    except (ConfigError, RunError, CheckpointError, AgentError, OSError) as error:
        print(f"python -m training.ablations: {error}", file=sys.stderr)
        return 2
    if not complete:
        print("stopped; the same command goes on", file=sys.stderr)
    return 0 if complete else 130


if __name__ == "__main__":
    sys.exit(main())
