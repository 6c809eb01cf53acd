"""A game between people and agents: who plays which seat, taking back, hints, saving."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..envs.aec import GameAECEnv
from ..envs.opponents import Judgement, Opponent, opponent_by_name
from ..errors import RecordError, is_integer
from ..games import make_preset_env
from ..records import GameRecord, whole_file
from .timeline import Timeline, chance_at, judged, replayed, take

FORMAT = "jerusalem-env table"
VERSION = 1
PERSON = None  # who plays a seat: this, or the name of an agent


class PlayError(ValueError):
    """Something that cannot be done at this table now; the message says why and what can be."""


class Session:
    """One game and who plays it.

    An agent's chance at a decision comes from ``agent_seed`` and the number of decisions taken, so
    a game that was saved and taken up again goes on as it would have.

    Parameters
    ----------
    env : GameAECEnv
        A ``raw_env``; the session's own from here on.
    players : sequence of str or None
        By seat: the name of an agent, or None for a person.
    seed : int, optional
        Game seed; fresh entropy unless given.
    agent_seed : int
        Seed of the agents' chance.

    Raises
    ------
    PlayError
        If there are not as many players as seats, an agent is unknown, or a seed is out of range.

    Attributes
    ----------
    timeline : Timeline
    players : tuple of str or None
    """

    def __init__(
        self,
        env: GameAECEnv,
        players: Sequence[str | None],
        seed: int | None = None,
        agent_seed: int = 0,
    ) -> None:
        self._prepare(env, players, agent_seed)
        try:
            env.reset(seed=seed)
        except ValueError as error:
            raise PlayError(str(error)) from error
        self._seed: int | None = env.game_seed
        self._start: dict[str, Any] | None = None
        self.timeline = Timeline(env.game, env.states)

    def _prepare(self, env: GameAECEnv, players: Sequence[str | None], agent_seed: int) -> None:
        self.env, self.game = env, env.game
        if len(players) != self.game.players:
            raise PlayError(f"{self.game.players} seats need as many players, got {len(players)}")
        self.players = tuple(players)
        self.agent_seed = agent_seed
        self._agents: dict[str, Opponent] = {}
        self._files: set[Path] = set()  # those that hold this game and no other
        for name in self.players:
            if name is not PERSON:
                self.agent(name)

    # --- reading -----------------------------------------------------------------------------
    @property
    def over(self) -> bool:
        """Whether the game has ended, by its end or by the watchdog."""
        return self.to_act < 0

    @property
    def to_act(self) -> int:
        """The seat that decides; -1 once the game is over."""
        return self.timeline.seat(-1)

    @property
    def waits_for_person(self) -> bool:
        """Whether a person decides next."""
        return not self.over and self.players[self.to_act] is PERSON

    def agent(self, name: str) -> Opponent:
        """An agent by name, made at its first use. Raises PlayError for an unknown one."""
        if name not in self._agents:
            try:
                self._agents[name] = opponent_by_name(name, self.game)
            except ValueError as error:
                raise PlayError(str(error)) from error
        return self._agents[name]

    def ready(self, name: str) -> Opponent:
        """An agent with the chance that belongs to the decision at hand."""
        agent = self.agent(name)
        agent.reset(chance_at(self.agent_seed, len(self.timeline)))
        return agent

    def hint(self, name: str) -> Judgement:
        """What an agent thinks of the decision at hand, knowing what its seat knows."""
        if self.over:
            raise PlayError("the game is over: there is nothing to decide")
        number = len(self.timeline)
        return judged(self.ready(name), self.game, self.env.states, self.timeline.mask(number))

    # --- playing -----------------------------------------------------------------------------
    def step(self, action: int) -> None:
        """Take the decision at hand. Raises IllegalActionError and changes nothing if it cannot."""
        if self.over:
            raise PlayError("the game is over: begin another")
        take(self.env, self.timeline, action)

    def agent_step(self) -> int:
        """Let the agent whose decision it is take it; returns the action."""
        name = self.players[self.to_act] if not self.over else PERSON
        if name is PERSON:
            raise PlayError("the game is over" if self.over else "a person decides now")
        agent, mask = self.ready(name), self.timeline.mask(len(self.timeline))
        action = int(agent.act(self.game.views(self.env.states), mask[None])[0])
        self.step(action)
        return action

    def may_take_back(self) -> bool:
        """Whether ``take_back`` can be done now."""
        if not self.timeline.actions or self.over or not self.waits_for_person:
            return False
        before, now = self.timeline.states[-2][0], self.timeline.states[-1][0]
        return self.game.may_take_back(before, now)

    def take_back(self) -> str:
        """Undo the last decision, within one's own turn; returns the name of the action.

        Raises
        ------
        PlayError
            If it is not the same person's decision in the same turn.
        """
        if not self.may_take_back():
            raise PlayError(
                "this cannot be taken back: only what you did in this turn of yours can, as long "
                "as nobody else has decided anything"
            )
        number = len(self.timeline) - 1
        name = self.timeline.name(number)
        if self._start is None:
            self.env.reset(seed=self._seed)
        else:
            self.env.set_position(self._start)
        for action in self.timeline.actions[:number]:
            self.env.step(action)
        self.timeline.cut(number)
        return name

    # --- records and files -------------------------------------------------------------------
    def record(self) -> GameRecord:
        """The game so far, for ``records`` and replays."""
        return self._record(len(self.timeline))

    def _record(self, number: int) -> GameRecord:
        states = self.timeline.states[number]
        ended = bool(self.game.terminated(states)[0])
        names = self.game.action_names
        return GameRecord(
            game=self.game.name,
            ruleset=self.game.rules_dict(),
            skip_forced=self.game.skip_forced,
            seed=self._seed,
            start=self._start,
            actions=tuple(names[action] for action in self.timeline.actions[:number]),
            result=self.game.results(states[0]) if ended else None,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a JSON file; one that is there stays whole if this fails.

        Raises
        ------
        PlayError
            If there is a file that does not hold this game: it is not replaced.
        OSError
            If it cannot be written.
        """
        path = Path(path)
        if path.exists() and path.resolve() not in self._files:
            raise PlayError(f"{path} exists and is not of this game; name another file")
        values = {
            "format": FORMAT,
            "version": VERSION,
            "players": list(self.players),
            "agent_seed": self.agent_seed,
            "record": self.record().to_dict(),
        }
        with whole_file(path) as partial:
            partial.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
        self._files.add(path.resolve())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Session:
        """Take up a saved table; what is hidden and how it is paid are as the game has it.

        Raises
        ------
        PlayError
            If the file cannot be read, is no saved table or does not replay; it says why.
        """
        players, agent_seed, record = read_table(path)
        try:
            env, timeline = replayed(record)
        except RecordError as error:
            raise PlayError(f"{path}: {error}") from error
        session = cls.__new__(cls)
        session._prepare(env, players, agent_seed)
        session._seed, session._start = record.seed, record.start
        session.timeline = timeline
        session._files.add(Path(path).resolve())
        return session


def read_table(
    path: str | os.PathLike[str],
) -> tuple[tuple[str | None, ...], int, GameRecord]:
    """Players, agents' seed and record of a saved table. Raises PlayError."""
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise PlayError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise PlayError(f"{path} is no saved table: {error}") from error
    if not isinstance(values, Mapping) or values.get("format") != FORMAT:
        raise PlayError(f"{path} is no saved table of `jerusalem play`")
    if values.get("version") != VERSION:
        raise PlayError(
            f"{path} has version {values.get('version')!r} of its format, this package reads "
            f"{VERSION}; use the package that wrote it"
        )
    players, agent_seed = values.get("players"), values.get("agent_seed")
    if not isinstance(players, list) or not all(x is None or isinstance(x, str) for x in players):
        raise PlayError(f"{path}: players must be a list of names and nulls, got {players!r}")
    if agent_seed is None or not is_integer(agent_seed, 0, 2**64 - 1):
        raise PlayError(f"{path}: agent_seed must be an integer 0..2**64-1, got {agent_seed!r}")
    try:
        record = GameRecord.from_dict(values.get("record", {}))
    except RecordError as error:
        raise PlayError(f"{path}: record: {error}") from error
    return tuple(players), int(agent_seed), record


def new_table(
    game: str,
    players: Sequence[str | None],
    rules: str | None = None,
    seed: int | None = None,
    agent_seed: int = 0,
) -> Session:
    """A session of a game by its name, such as ``"jerusalem_v0"``, under a preset of its rules.

    Without a preset it is played under the usual rules.

    Raises
    ------
    PlayError
        If the game cannot be played by so many, or the rules or an agent are unknown.
    """
    try:
        env = make_preset_env(game, len(players), rules)
    except ValueError as error:
        raise PlayError(str(error)) from error
    return Session(env, players, seed, agent_seed)
