"""One table to play at, whichever engine deals: the compiled one or the plain reference.

A case of the rules is written once against `Table` and runs on both, because the reference is test
equipment that must be right too.
"""

from __future__ import annotations

import json
import random
from typing import Any, Protocol

import numpy as np

from tests.reference_engine import (
    IllegalAction,
    Position,
    Reference,
    build_position,
    deck_of,
    events_in_play,
    full_ruleset,
)

ENGINES = ("engine", "reference")
AUCTION = ("open", "bid")
NO_INCOME: dict[str, Any] = {"income": [[0, 0, 0]] * 16}  # nothing but what the case is about
HIGH = 20  # floors so high that nobody can pay the next one, so that prestige stays where it is


class Game(Protocol):
    """What a table needs of an engine."""

    illegal: type[Exception]

    def legal(self) -> list[str]: ...

    def step(self, name: str) -> None: ...

    def position(self) -> Position: ...

    def to_act(self) -> int | None: ...


class _ReferenceGame:
    """The plain reference."""

    illegal: type[Exception] = IllegalAction

    def __init__(self, game: Reference) -> None:
        self.game = game

    def legal(self) -> list[str]:
        return self.game.legal()

    def step(self, name: str) -> None:
        self.game.step(name)

    def position(self) -> Position:
        return self.game.position()

    def to_act(self) -> int | None:
        return self.game.to_act


class _EngineGame:
    """The compiled engine behind its AEC environment; one environment a rule set is kept."""

    _environments: dict[str, Any] = {}  # noqa: RUF012 (a cache on purpose)
    _in_use: dict[str, _EngineGame] = {}  # noqa: RUF012

    def __init__(self, ruleset: dict[str, Any]) -> None:
        from jerusalem_env import IllegalActionError, RuleSet, jerusalem_v0

        self.illegal: type[Exception] = IllegalActionError
        self.key = json.dumps(ruleset, sort_keys=True)
        if self.key not in self._environments:
            rules = RuleSet.from_dict(ruleset)
            self._environments[self.key] = jerusalem_v0.raw_env(rules=rules, skip_forced=False)
            self._environments[self.key].reset(seed=0)
        self._in_use[self.key] = self
        self.names: list[str] = list(self.env.action_names)
        self.ids = {name: index for index, name in enumerate(self.names)}

    @property
    def env(self) -> Any:
        """The environment, which has one game at a time."""
        assert self._in_use[self.key] is self, "a newer table has taken over this environment"
        return self._environments[self.key]

    def legal(self) -> list[str]:
        if self.to_act() is None:
            return []
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return [self.names[index] for index in np.flatnonzero(mask)]

    def step(self, name: str) -> None:
        self.env.step(self.ids[name])

    def position(self) -> Position:
        return dict(self.env.position())

    def to_act(self) -> int | None:
        if all(self.env.terminations.values()):
            return None
        return int(self.env.agent_selection.removeprefix("player_"))


class Table:
    """A game in progress: what is legal, play actions by name, read the position."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @classmethod
    def engine(cls, position: Position) -> Table:
        """Go on from a position with the compiled engine."""
        game = _EngineGame(position["ruleset"])
        game.env.reset(seed=0)
        game.env.set_position(position)
        return cls(game)

    @classmethod
    def reference(cls, position: Position) -> Table:
        """Go on from a position with the reference."""
        return cls(_ReferenceGame(Reference(position)))

    @classmethod
    def at(cls, which: str, position: Position) -> Table:
        """Go on from a position with the engine of this name."""
        return cls.engine(position) if which == "engine" else cls.reference(position)

    @classmethod
    def new(cls, which: str, ruleset: dict[str, Any], seed: int) -> Table:
        """Begin a new game."""
        rules = full_ruleset(ruleset)
        if which == "engine":
            game = _EngineGame(rules)
            game.env.reset(seed=seed)
            return cls(game)
        chance, n = random.Random(seed), rules["players"]
        pile, events = deck_of(n), list(events_in_play(n))
        chance.shuffle(pile)
        chance.shuffle(events)
        opener = rules["first_opener"]
        opener = chance.randrange(n) if opener is None else opener
        return cls(_ReferenceGame(Reference.new(rules, pile, events[:3], opener)))

    @property
    def to_act(self) -> int | None:
        """The seat that decides, None when the game is over."""
        return self.game.to_act()

    def legal(self) -> list[str]:
        """Names of the legal actions in flat order."""
        return self.game.legal()

    def offers(self, verb: str) -> list[str]:
        """What follows the verb in each legal action that begins with it."""
        return [name[len(verb) + 1 :] for name in self.legal() if name.startswith(verb + " ")]

    def play(self, *names: str) -> Table:
        """Play these actions in turn; an illegal one fails the test."""
        for name in names:
            legal = self.legal()
            assert name in legal, f"{name!r} is not legal; legal: {legal}"
            self.game.step(name)
        return self

    def refuses(self, *names: str) -> bool:
        """Whether each action is neither offered nor accepted, and trying changes nothing."""
        for name in names:
            if name in self.legal():
                return False
            before = self.position()
            try:
                self.game.step(name)
            except self.game.illegal:
                pass
            else:
                return False
            if self.position() != before:
                return False
        return True

    def position(self) -> Position:
        """The complete position (VII.e)."""
        return self.game.position()

    def __getitem__(self, field: str) -> Any:
        """One field of the position."""
        return self.position()[field]

    def pass_to(self, *phases: str) -> Table:
        """Pass at least once, and on until a decision of one of these phases comes."""
        while True:
            self.play("pass")
            if self["phase"] in phases:
                return self

    def idle_to(self, *phases: str) -> Table:
        """As `pass_to`, but where nobody may pass the first legal action is played."""
        while True:
            legal = self.legal()
            self.play("pass" if "pass" in legal else legal[0])
            if self["phase"] in phases:
                return self


class Dealer:
    """Sets up tables for one of the engines; the fixture `deal` is one for each."""

    def __init__(self, which: str) -> None:
        self.which = which

    def __call__(self, ruleset: dict[str, Any] | None = None, **fields: Any) -> Table:
        """A table at `build_position(ruleset, **fields)`."""
        return Table.at(self.which, build_position(ruleset, **fields))

    def at(self, position: Position) -> Table:
        """A table at a whole position."""
        return Table.at(self.which, position)

    def new(self, ruleset: dict[str, Any] | None = None, seed: int = 0) -> Table:
        """A table at the first decision of a new game."""
        return Table.new(self.which, ruleset or {}, seed)


def gained(before: Position, after: Position, field: str) -> list[int]:
    """By seat, how much a field has grown."""
    return [new - old for old, new in zip(before[field], after[field], strict=True)]


def squires_of(position: Position, seat: int, sector: str = "") -> int:
    """Squires of a seat on the board, or in one sector of it."""
    board = position["board"]
    return sum(counts[seat] for area, counts in board.items() if area.startswith(sector))
