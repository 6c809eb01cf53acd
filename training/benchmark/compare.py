"""Compare the speed of two commits on one machine: for whoever is about to merge a change.

    python -m training.benchmark.compare main            the working tree against main
    python -m training.benchmark.compare v0.1 HEAD       two commits

Both are checked out into temporary folders and run in processes of their own, in turn (ABBA, ABBA,
...), so that a slow spell hits both alike. Prints the median ratio of each workload with the lowest
and highest pair; exit status 1 if a median is below ``--least``. Only the public interface is used,
so old commits can be measured too; what one of them lacks is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from ..files import write_json
from .measure import Ticker

ROOT = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("compare_worker.py")
WORKING_TREE = "the working tree"


class CompareError(RuntimeError):
    """A commit that cannot be checked out or run; the message has what git or Python said."""


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """A folder with a commit's files; the project's own for the working tree."""
    if commit == WORKING_TREE:
        yield ROOT
        return
    with tempfile.TemporaryDirectory(prefix="compare-") as folder:
        archive = Path(folder) / "commit.tar"
        tree = Path(folder) / "tree"
        tree.mkdir()
        for command in (
            ["git", "-C", str(ROOT), "archive", f"--output={archive}", commit],
            ["tar", "-xf", str(archive), "-C", str(tree)],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise CompareError(f"cannot check out {commit!r}: {done.stderr.strip()}")
        yield tree


class Worker:
    """A process that runs workloads with one commit's code."""

    def __init__(self, tree: Path, commit: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        self.commit = commit
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=tree,
            text=True,
        )
        hello = self._ask({})
        found = Path(hello["package"]).resolve().parents[1]
        if found != tree.resolve():
            raise CompareError(f"{commit}: jerusalem_env was imported from {found}, not {tree}")
        self.workloads: list[str] = hello["workloads"]

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise CompareError(f"{self.commit}: its process ended; see its messages above")
        result: dict[str, Any] = json.loads(answer)
        return result

    def run(self, workload: str, seconds: float) -> float | None:
        """Decisions per second; None if this commit cannot run it."""
        answer = self._ask({"run": workload, "seconds": seconds})
        return answer["rate"]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def compare(
    base: str, head: str, seconds: float, rounds: int, only: str, tell: Ticker
) -> dict[str, dict[str, Any]]:
    """By workload: the rates of both commits, run by run, and the ratios of the pairs."""
    found: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:
        workers = []
        for commit in (base, head):
            tell(f"compiling {commit}")
            tree = stack.enter_context(checkout(commit))
            # In a process of its own: code runs up to a sixth slower in the one that compiled it.
            compiling = Worker(tree, commit)
            for workload in compiling.workloads:
                if only in workload:
                    compiling.run(workload, 0.01)
            compiling.close()
            worker = Worker(tree, commit)
            stack.callback(worker.close)
            workers.append(worker)
        for workload in workers[0].workloads:
            if only not in workload:
                continue
            tell(f"{workload}: warming up")
            if any(worker.run(workload, min(seconds, 0.5)) is None for worker in workers):
                tell(f"{workload}: left out, one of the commits lacks it\n")
                continue
            rates: list[list[float]] = [[], []]
            for number in range(rounds):
                tell(f"{workload}: round {number + 1} of {rounds}")
                order = (0, 1) if number % 2 == 0 else (1, 0)
                for index in order:
                    rates[index].append(workers[index].run(workload, seconds) or 0.0)
            ratios = [new / old for old, new in zip(*rates, strict=True)]
            found[workload] = {"base": rates[0], "head": rates[1], "ratios": ratios}
    tell.clear()
    return found


def table(results: dict[str, dict[str, Any]], base: str, head: str) -> str:
    """Median rates and ratios as aligned text."""
    width = max((len(name) for name in results), default=0)
    lines = [f"{'':<{width}}  {base[:12]:>14}  {head[:16]:>16}   ratio (lowest to highest pair)"]
    for name, result in results.items():
        ratios = result["ratios"]
        lines.append(
            f"{name:<{width}}  {median(result['base']):>14,.0f}  {median(result['head']):>16,.0f}"
            f"   {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command ``python -m training.benchmark.compare``."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmark.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("base", help="a commit, branch or tag")
    parser.add_argument("head", nargs="?", default=WORKING_TREE, help="another (the working tree)")
    parser.add_argument("--seconds", type=float, default=1.5, help="seconds a run (1.5)")
    parser.add_argument("--rounds", type=int, default=8, help="pairs of runs a workload (8)")
    parser.add_argument("--only", default="", help="only workloads with this text in their name")
    parser.add_argument("--least", type=float, default=0.9, help="ratio below which it fails (0.9)")
    parser.add_argument("--json", type=Path, help="also write every rate to this file")
    options = parser.parse_args(arguments)
    if options.seconds <= 0 or options.rounds < 1:
        parser.error("--seconds and --rounds must be positive")
    try:
        results = compare(
            options.base, options.head, options.seconds, options.rounds, options.only, Ticker()
        )
    except CompareError as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    print(table(results, options.base, options.head))
    if options.json is not None:
        about = {"base": options.base, "head": options.head, "seconds": options.seconds}
        write_json(options.json, {**about, "results": results})
    slower = [name for name, found in results.items() if median(found["ratios"]) < options.least]
    for name in slower:
        print(f"slower than {options.least}: {name}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
