"""Game records: what was played, as a JSON line, and its exact replay. Knows no game's rules.

A record is ``{"game", "ruleset", "skip_forced", "seed", "start", "actions", "result"}``. The game
began either from a ``seed`` or from a position ``start``, the other one is null; the actions are
names; the result is null for a game that was not played to its end.

>>> from jerusalem_env import jerusalem_v0
>>> from jerusalem_env.records import record_game, replay
>>> env = jerusalem_v0.raw_env(players=2)
>>> first = lambda env: int(env.observe(env.agent_selection)["action_mask"].argmax())
>>> record = record_game(env, first, seed=7)
>>> replay(record).position() == env.position()
True
"""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

from .envs.aec import GameAECEnv
from .envs.legality import legal_names
from .errors import RecordError, is_integer
from .games import make_raw_env


@dataclass(frozen=True)
class GameRecord:
    """One game as it was played.

    Attributes
    ----------
    game : str
        Name and version, see ``games.registered_games``.
    ruleset : dict
        As the game writes it; the position's own where the game began from one.
    skip_forced : bool
        Whether decisions with one legal action were taken unasked and so are not in ``actions``.
    seed : int or None
        The game seed; None where the game began from a position.
    start : dict or None
        The position that the game began from.
    actions : tuple of str
        Names of the actions in order.
    result : dict or None
        ``Game.results`` of the finished game; None for an unfinished or truncated one.
    """

    game: str
    ruleset: dict[str, Any]
    skip_forced: bool
    seed: int | None
    start: dict[str, Any] | None
    actions: tuple[str, ...]
    result: dict[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        values = asdict(self)
        values["actions"] = list(self.actions)
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GameRecord:
        """The record that ``to_dict`` wrote. Whether it replays is for ``replay`` to say.

        Raises
        ------
        RecordError
            For a missing or unknown key or a value of the wrong type, naming it.
        """
        names = [field.name for field in fields(cls)]
        if not isinstance(values, Mapping):
            raise RecordError(f"a record must be an object with {', '.join(names)}, got {values!r}")
        for name in names:
            if name not in values:
                raise RecordError(f"{name}: is missing")
        for name in values:
            if name not in names:
                raise RecordError(f"{name}: is not known here; expected {', '.join(names)}")
        _require("game", values["game"], isinstance(values["game"], str), "a name")
        _require("ruleset", values["ruleset"], isinstance(values["ruleset"], Mapping), "an object")
        skip_forced, seed, start = values["skip_forced"], values["seed"], values["start"]
        _require("skip_forced", skip_forced, isinstance(skip_forced, bool), "true or false")
        if seed is not None:
            _require("seed", seed, is_integer(seed, 0, 2**64 - 1), "an integer 0..2**64-1 or null")
        if start is not None:
            _require("start", start, isinstance(start, Mapping), "a position or null")
        if (seed is None) == (start is None):
            raise RecordError("seed, start: one of them is null and the other is not")
        actions = values["actions"]
        _require("actions", actions, isinstance(actions, (list, tuple)), "a list of names")
        for number, action in enumerate(actions, 1):
            if not isinstance(action, str):
                raise RecordError(f"actions: action {number} must be a name, got {action!r}")
        result = values["result"]
        if result is not None:
            _require("result", result, isinstance(result, Mapping), "an object or null")
        return cls(
            game=values["game"],
            ruleset=copy.deepcopy(dict(values["ruleset"])),
            skip_forced=skip_forced,
            seed=None if seed is None else int(seed),
            start=None if start is None else copy.deepcopy(dict(start)),
            actions=tuple(actions),
            result=None if result is None else copy.deepcopy(dict(result)),
        )


def _require(name: str, value: Any, right: bool, expected: str) -> None:
    if not right:
        raise RecordError(f"{name}: must be {expected}, got {value!r}")


# --- recording ----------------------------------------------------------------------------------
class GameRecorder:
    """Begins a game in a raw environment and notes every action that goes through ``step``.

    Parameters
    ----------
    env : GameAECEnv
        A ``raw_env``; between ``step`` calls it is the caller's to read.
    seed : int, optional
        Game seed; without one the environment chooses, and the record holds what it chose.
    start : position, optional
        Begin from this position instead.
    """

    def __init__(
        self, env: GameAECEnv, seed: int | None = None, start: Mapping[str, Any] | None = None
    ) -> None:
        if not isinstance(env, GameAECEnv):
            raise TypeError(
                f"a recorder takes a raw_env, got {env}; of a wrapped one pass env.unwrapped"
            )
        if seed is not None and start is not None:
            raise ValueError("a game begins from a seed or from a position, not from both")
        self.env = env
        self._seed: int | None = None
        self._start: dict[str, Any] | None = None
        self._actions: list[str] = []
        if start is None:
            env.reset(seed=seed)
            self._seed = env.game_seed
        else:
            env.set_position(start)
            self._start = env.position()

    @property
    def done(self) -> bool:
        """Whether the game is over, by its end or by the watchdog."""
        return _done(self.env)

    def step(self, action: int) -> None:
        """Take a decision and note it; an illegal action raises and is not noted."""
        if self.done:
            raise RecordError(f"the game is over after {len(self._actions)} actions")
        self.env.step(action)
        self._actions.append(self.env.action_names[int(action)])

    def record(self) -> GameRecord:
        """The game so far."""
        game = self.env.game
        rules = game.rules_dict()
        if self._start is not None:
            rules = copy.deepcopy(self._start.get("ruleset", rules))
        return GameRecord(
            game=game.name,
            ruleset=rules,
            skip_forced=game.skip_forced,
            seed=self._seed,
            start=copy.deepcopy(self._start),
            actions=tuple(self._actions),
            result=_result(self.env),
        )


def record_game(
    env: GameAECEnv,
    choose: Callable[[GameAECEnv], int],
    seed: int | None = None,
    start: Mapping[str, Any] | None = None,
) -> GameRecord:
    """Play a whole game and return its record; ``choose(env)`` decides for whoever is to act."""
    recorder = GameRecorder(env, seed, start)
    while not recorder.done:
        recorder.step(choose(env))
    return recorder.record()


def _done(env: GameAECEnv) -> bool:
    return bool(env.game.terminated(env.states)[0] or env.game.truncated(env.states)[0])


def _result(env: GameAECEnv) -> dict[str, Any] | None:
    return env.game.results(env.states[0]) if env.game.terminated(env.states)[0] else None


# --- replaying ----------------------------------------------------------------------------------
def replay(record: GameRecord, watch: Callable[[GameAECEnv], None] | None = None) -> GameAECEnv:
    """Play a record again; returns the environment at its end.

    ``watch`` is called with the environment before the first action and after each.

    Raises
    ------
    RecordError
        At the first action that cannot be played, with its number (from 1), whose decision it is
        and what is legal; for a game, rule set or start that is wrong; and for a result that
        differs from the one the actions lead to.
    """
    env = _begun(record)
    if watch is not None:
        watch(env)
    ids = {name: action for action, name in enumerate(env.action_names)}
    for number, name in enumerate(record.actions, 1):
        what = f"action {number} of {len(record.actions)} ({name!r})"
        if _done(env):
            raise RecordError(f"{what}: the game is over after action {number - 1}")
        mask = env.observe(env.agent_selection)["action_mask"]
        if name not in ids or not mask[ids[name]]:
            wrong = "is not legal" if name in ids else "is no action of this game"
            raise RecordError(
                f"{what} {wrong}: {env.agent_selection} decides; "
                f"{legal_names(env.action_names, mask)}"
            )
        env.step(ids[name])
        if watch is not None:
            watch(env)
    result = _result(env)
    if record.result != result:
        raise RecordError(
            f"result: the {len(record.actions)} actions lead to {_told(result)}, the record says "
            f"{_told(record.result)}"
        )
    return env


def _begun(record: GameRecord) -> GameAECEnv:
    """The environment of a record before its first action. Raises RecordError if it cannot be."""
    try:
        env = make_raw_env(record.game, record.ruleset, record.skip_forced)
    except ValueError as error:
        raise RecordError(f"game, ruleset: {error}") from None
    if record.start is None:
        env.reset(seed=record.seed)
        return env
    try:
        env.set_position(record.start)
    except ValueError as error:
        raise RecordError(f"start: {error}") from None
    rules = env.game.rules_dict()
    if env.position().get("ruleset", rules) != rules:
        raise RecordError("ruleset: contradicts start.ruleset; the two must be the same")
    return env


def _told(result: dict[str, Any] | None) -> str:
    return "an unfinished game" if result is None else json.dumps(result)


# --- files --------------------------------------------------------------------------------------
@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Another name to write to; the file gets its own when all is written, and is on the disk.

    If something fails, what was there before stays as it was.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with open(partial, "rb") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_records(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write a JSON-lines file, replacing one that is there.

    It is written under another name and renamed at the end: an interrupted write leaves what was
    there before. One writer at a time.
    """
    _write(Path(path), records, keep=False)


def append_records(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Add records to a JSON-lines file, which need not exist yet; as safe as ``write_records``."""
    _write(Path(path), records, keep=True)


def _write(path: Path, records: Iterable[GameRecord], keep: bool) -> None:
    with whole_file(path) as partial, open(partial, "wb") as file:
        if keep and path.exists():
            _copy_lines(path, file)
        for record in records:
            line = json.dumps(record.to_dict(), allow_nan=False, separators=(",", ":"))
            file.write(line.encode() + b"\n")


def _copy_lines(path: Path, file: BinaryIO) -> None:
    """Copy a file, with a newline at its end if it has none."""
    with open(path, "rb") as old:
        shutil.copyfileobj(old, file)
        if old.tell() > 0:
            old.seek(-1, os.SEEK_END)
            if old.read(1) != b"\n":
                file.write(b"\n")


def read_records(path: str | os.PathLike[str]) -> Iterator[GameRecord]:
    """The records of a JSON-lines file, one after the other; empty lines are skipped.

    Raises
    ------
    RecordError
        For a line that is not JSON or not a record, naming the line (from 1).
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                values = json.loads(line.decode())
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{path}, line {number}: is not JSON: {error}") from None
            try:
                yield GameRecord.from_dict(values)
            except RecordError as error:
                raise RecordError(f"{path}, line {number}: {error}") from None
