"""Playing an arena block by block into a folder, on several cores, to be gone on with later."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import re
import signal
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np

import agents as agents_package
from agents.base import Agent
from agents.registry import make_agent
from jerusalem_env import __version__
from jerusalem_env.chance import checked_seed
from jerusalem_env.envs.opponents import compiled_policy
from jerusalem_env.errors import RecordError
from jerusalem_env.game import Game, Information
from jerusalem_env.games import USUAL_GAME, make_game, short_name
from jerusalem_env.kernels import code_digest, source_digest, thread_limit
from jerusalem_env.records import GameRecord, read_records, write_records

from ..files import write_arrays, write_json
from ..one_thread import networks_on_one_thread
from .blocks import GameResults, join_results, number_of_blocks, play_block
from .playing import EvaluationError, compiled_policies
from .schedule import Schedule, make_schedule

_FINGERPRINT = "fingerprint.json"
_BLOCKS = "blocks"
_RESULTS = ("results.json", "results.md")
# What reading a damaged file may raise.
_DAMAGED: tuple[type[Exception], ...] = (OSError, KeyError, ValueError, EOFError)
_DAMAGED += (NotImplementedError, zipfile.BadZipFile, zlib.error)
Played = Callable[[int, int, int], None]  # blocks done, blocks, games played just now


@dataclass(frozen=True)
class Settings:
    """What is played; results depend on this alone.

    Attributes
    ----------
    agents : tuple of str
        Names for ``make_agent``, one for each entrant.
    players : int
    rules : str or None
        A preset; None: the game's usual rules.
    information : str
    format : str
        See ``schedule``.
    deals, seed : int
    name : str
        The game's, with its version.
    """

    agents: tuple[str, ...]
    players: int
    rules: str | None
    information: Information
    format: str
    deals: int
    seed: int
    name: str = USUAL_GAME

    def check(self) -> None:
        """EvaluationError for a wrong number of deals or a bad seed."""
        if self.deals < 2:
            raise EvaluationError(f"deals must be at least 2 for an interval, got {self.deals}")
        try:
            checked_seed(self.seed)
        except ValueError as error:
            raise EvaluationError(str(error)) from error

    def schedule(self) -> Schedule:
        """The tables; EvaluationError if the format cannot seat the agents."""
        return make_schedule(self.format, len(self.agents), self.players)

    def game(self) -> Game:
        """The game that is played; GameError for unknown rules or numbers of players."""
        return make_game(self.name, self.players, self.rules, information=self.information)

    def make_agents(self, game: Game) -> list[Agent]:
        """The agents, equal names once; AgentError if one cannot be made."""
        made = {name: make_agent(name, game) for name in dict.fromkeys(self.agents)}
        return [made[name] for name in self.agents]

    def folder_name(self) -> str:
        """A name that tells the settings, for a folder of results."""
        who = "-".join(re.sub(r"[^A-Za-z0-9.]+", "_", Path(name).name) for name in self.agents)
        digest = hashlib.sha256(json.dumps(asdict(self)).encode()).hexdigest()[:8]
        what = f"{short_name(self.name)}-{self.format}-{self.players}p"
        return f"{who[:60]}-{what}-{self.deals}-seed{self.seed}-{digest}"


# --- what a folder belongs to -------------------------------------------------------------------
def fingerprint(settings: Settings, game: Game, agents: Sequence[Agent]) -> dict[str, Any]:
    """What blocks of results must have in common to belong to one arena, as JSON-able values.

    The settings, the rule set itself, the version and the engine's sources; for each agent the
    SHA-256 of the files its name gives, and a digest of its compiled policy, if it has one.
    """
    return {
        **asdict(settings),
        "agents": [_identity(settings.agents[i], agents[i]) for i in range(len(agents))],
        "ruleset": game.rules_dict(),
        "version": __version__,
        "engine": source_digest(),
        # Called agents: all that they may be made of.
        "agents' code": None if all_compiled(game, agents) else _sha256(_agents_files()),
    }


def _agents_files() -> list[Path]:
    folder = Path(agents_package.__file__).parent
    return sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".json"))


def _identity(name: str, agent: Agent) -> dict[str, str]:
    found = {"name": name}
    for text in dict.fromkeys([name.partition(":")[2], *re.split(r"[:,;?=@+]", name)[1:]]):
        path = Path(text)
        if text and path.is_file():
            found[f"sha256 of {text}"] = _sha256([path])
        elif text and path.is_dir():
            found[f"sha256 of {text}"] = _sha256(sorted(p for p in path.rglob("*") if p.is_file()))
    policy = compiled_policy(agent)
    if policy is not None:
        found["policy"] = f"{policy.name} {code_digest(policy.choose)}"
        found["parameters"] = hashlib.sha256(policy.parameters.tobytes()).hexdigest()
    return found


def _sha256(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
    return digest.hexdigest()


class Folder:
    """The blocks of one arena on disk: ``blocks/000003.npz``, and ``.jsonl`` with its records.

    Parameters
    ----------
    path : Path
        Made if it is missing.
    print_of : dict
        The fingerprint of the arena.
    restart : bool
        Discard the blocks that are there.

    Raises
    ------
    EvaluationError
        If the folder holds another arena.
    """

    def __init__(self, path: Path, print_of: dict[str, Any], restart: bool = False) -> None:
        self.path = path
        self._blocks = path / _BLOCKS
        foreign = [name for name in _RESULTS if (path / name).exists()]
        if foreign and not (path / _FINGERPRINT).exists() and not self._files():
            raise EvaluationError(
                f"{path} holds {foreign[0]}, which is not of an arena; choose another folder with "
                "--out"
            )
        if restart:
            self._discard()
        there = self._fingerprint()
        wanted = json.loads(json.dumps(print_of))
        if there is None and self._files():
            raise EvaluationError(
                f"{path} holds blocks of an unknown arena; choose another folder with --out, or "
                "discard them with --restart"
            )
        if there is None:
            write_json(path / _FINGERPRINT, wanted)
        elif there != wanted:
            other = [key for key in wanted if there.get(key) != wanted[key]]
            raise EvaluationError(
                f"{path} holds an arena that differs in {', '.join(other) or 'its settings'}; "
                "choose another folder with --out, or discard its results with --restart"
            )

    def _files(self) -> list[Path]:
        """Blocks that are there, of any arena; nothing else that may lie in the folder."""
        return [
            file
            for file in (self._blocks.iterdir() if self._blocks.is_dir() else ())
            if re.fullmatch(r"\d{6,}\.(npz|jsonl)", file.name)
        ]

    def _discard(self) -> None:
        for name in (_FINGERPRINT, *_RESULTS):
            (self.path / name).unlink(missing_ok=True)
        for file in self._files():
            file.unlink()

    def _fingerprint(self) -> dict[str, Any] | None:
        try:
            found = json.loads((self.path / _FINGERPRINT).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise EvaluationError(
                f"{self.path / _FINGERPRINT} cannot be read ({error}); discard it with --restart"
            ) from error
        return found if isinstance(found, dict) else {}

    def _file(self, block: int, ending: str) -> Path:
        return self._blocks / f"{block:06d}.{ending}"

    def save(self, block: int, results: GameResults, records: Sequence[GameRecord]) -> None:
        """Keep a block; its records first, so that a block with results has all it will have."""
        self._blocks.mkdir(parents=True, exist_ok=True)
        if records:
            write_records(self._file(block, "jsonl"), records)
        write_arrays(self._file(block, "npz"), results.to_arrays())

    def missing(self, blocks: int, with_records: bool) -> list[int]:
        """Blocks that are not there, or without the records asked for."""
        endings = ("npz", "jsonl") if with_records else ("npz",)
        return [
            block
            for block in range(blocks)
            if not all(self._file(block, ending).exists() for ending in endings)
        ]

    def load(self, blocks: int) -> GameResults:
        """The results of all blocks.

        Raises
        ------
        EvaluationError
            If a block's file is damaged.
        """
        parts = []
        for block in range(blocks):
            path = self._file(block, "npz")
            try:
                with np.load(path, allow_pickle=False) as arrays:
                    parts.append(GameResults.from_arrays(dict(arrays)))
            except _DAMAGED as error:
                raise EvaluationError(
                    f"{path} cannot be read ({error}); remove it and run the command again"
                ) from error
        return join_results(parts)

    def records(self, blocks: int) -> Iterator[GameRecord]:
        """The records of all blocks, in the order of the results."""
        for block in range(blocks):
            path = self._file(block, "jsonl")
            try:
                yield from read_records(path)
            except RecordError as error:
                raise EvaluationError(
                    f"{path} cannot be read ({error}); remove it and run the command again"
                ) from error


# --- playing ------------------------------------------------------------------------------------
class _Bench:
    """A game and agents that play blocks, here or in a worker process."""

    def __init__(self, settings: Settings, threads: int, keep_records: bool) -> None:
        self.settings, self.threads, self.keep_records = settings, threads, keep_records
        self.game = settings.game()
        self.agents = settings.make_agents(self.game)
        self.schedule = settings.schedule()

    def play(self, block: int) -> tuple[GameResults, list[GameRecord]]:
        settings = self.settings
        return play_block(
            self.game,
            self.agents,
            self.schedule,
            settings.deals,
            settings.seed,
            block,
            self.threads,
            self.keep_records,
        )


_bench: _Bench | None = None  # of a worker process


def _start_worker(settings: Settings, threads: int, keep_records: bool) -> None:
    global _bench
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent says when to stop
    if threads < thread_limit():  # each worker is one of many
        numba.set_num_threads(threads)
    _bench = _Bench(settings, threads, keep_records)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def _work(block: int) -> tuple[GameResults, list[GameRecord]]:
    assert _bench is not None
    return _bench.play(block)


def all_compiled(game: Game, agents: Sequence[Agent]) -> bool:
    """Whether no agent has to be called."""
    return bool((compiled_policies(game, agents)[1] >= 0).all())


def run_blocks(
    settings: Settings,
    folder: Folder,
    workers: int = 1,
    threads: int = 1,
    keep_records: bool = False,
    played: Played | None = None,
) -> int:
    """Play the blocks that the folder lacks; returns the number of games played now.

    Parameters
    ----------
    settings : Settings
    folder : Folder
    workers : int
        Processes; with 1 this process plays.
    threads : int
        Of each process, for compiled policies.
    keep_records : bool
        Whether to keep a record of every game.
    played : callable, optional
        Called with (blocks done, blocks, games of the last one), first with what is there.

    Raises
    ------
    EvaluationError
        As ``play_block``; or if a worker process is ended from outside.
    KeyboardInterrupt
        When interrupted; finished blocks are kept.
    """
    schedule = settings.schedule()
    total = number_of_blocks(schedule, settings.deals)
    todo = folder.missing(total, keep_records)
    done, games = total - len(todo), 0
    if played is not None:
        played(done, total, 0)

    def keep(block: int, results: GameResults, records: list[GameRecord]) -> None:
        nonlocal done, games
        folder.save(block, results, records)
        done += 1
        games += len(results.lineups)
        if played is not None:
            played(done, total, len(results.lineups))

    if not todo:
        return 0
    if min(workers, len(todo)) <= 1:
        bench = _Bench(settings, threads, keep_records)
        with networks_on_one_thread():
            for block in todo:
                keep(block, *bench.play(block))
        return games
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(workers, len(todo)),
        context,
        initializer=_start_worker,
        initargs=(settings, threads, keep_records),
    )
    try:
        waiting: dict[Future[tuple[GameResults, list[GameRecord]]], int] = {
            pool.submit(_work, block): block for block in todo
        }
        for future in as_completed(waiting):
            # Not kept in the dictionary: the results of all blocks would stay in memory.
            keep(waiting.pop(future), *future.result())
    except BrokenProcessPool as error:
        raise EvaluationError(
            "a worker process ended; if memory ran out, use fewer with --workers. Finished blocks "
            "are kept"
        ) from error
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    pool.shutdown()
    return games
