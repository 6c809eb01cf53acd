"""One table of Ierusalem to play at, whichever engine deals: the compiled one or the reference.

A case of the rules is written once against `Table` and runs on both, because the reference is test
equipment that must be right too.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

import numpy as np

from tests.ierusalem.reference_engine import IllegalAction, ReferenceGame, new_game

Position = dict[str, Any]
ENGINES = ("reference", "engine")


class Game(Protocol):
    """What a table needs of an engine."""

    illegal: type[Exception]

    @property
    def over(self) -> bool: ...

    def legal(self) -> set[str]: ...

    def act(self, name: str) -> None: ...

    def position(self) -> Position: ...

    def ranks(self) -> list[int]: ...


class _Reference(ReferenceGame):
    """The plain reference."""

    illegal: type[Exception] = IllegalAction


class _Engine:
    """The compiled engine behind its AEC environment; one environment a rule set is kept."""

    _environments: dict[str, Any] = {}  # noqa: RUF012 (a cache on purpose)
    _in_use: dict[str, _Engine] = {}  # noqa: RUF012

    def __init__(self, ruleset: dict[str, Any]) -> None:
        from jerusalem_env import IllegalActionError, ierusalem_v0
        from jerusalem_env.ierusalem.rules.ruleset import RuleSet

        self.illegal: type[Exception] = IllegalActionError
        self.key = json.dumps(ruleset, sort_keys=True)
        if self.key not in self._environments:
            rules = RuleSet.from_dict(ruleset)
            self._environments[self.key] = ierusalem_v0.raw_env(rules=rules, skip_forced=False)
            self._environments[self.key].reset(seed=0)
        self._in_use[self.key] = self
        self.names: list[str] = list(self.env.action_names)
        self.ids = {name: index for index, name in enumerate(self.names)}

    @property
    def env(self) -> Any:
        """The environment, which has one game at a time."""
        assert self._in_use[self.key] is self, "a newer table has taken over this environment"
        return self._environments[self.key]

    @property
    def over(self) -> bool:
        return all(self.env.terminations.values())

    def legal(self) -> set[str]:
        if self.over:
            return set()
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return {self.names[index] for index in np.flatnonzero(mask)}

    def act(self, name: str) -> None:
        self.env.step(self.ids[name])

    def position(self) -> Position:
        return dict(self.env.position())

    def ranks(self) -> list[int]:
        return [int(rank) for rank in self.env.states[0]["ranks"][: len(self.env.possible_agents)]]


class Table:
    """A game in progress: what is legal, play actions by name, read the position."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @classmethod
    def at(cls, which: str, position: Position) -> Table:
        """Go on from a position with the engine of this name."""
        if which == "reference":
            return cls(_Reference(position))
        game = _Engine(position["ruleset"])
        game.env.reset(seed=0)
        game.env.set_position(position)
        return cls(game)

    @classmethod
    def new(cls, which: str, ruleset: dict[str, Any], seed: int) -> Table:
        """Begin a new game."""
        start = new_game(seed, ruleset).position()
        if which == "reference":
            return cls(_Reference(start))
        game = _Engine(start["ruleset"])
        game.env.reset(seed=seed)
        return cls(game)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.over

    def legal(self) -> set[str]:
        """Names of the legal actions."""
        return self.game.legal()

    def act(self, name: str) -> None:
        """Carry an action out."""
        self.game.act(name)

    def ranks(self) -> list[int]:
        """Ranks once the game is over."""
        return self.game.ranks()

    def offers(self, verb: str) -> set[str]:
        """What follows the verb in each legal action that begins with it."""
        return {
            name.removeprefix(verb + " ") for name in self.legal() if name.startswith(verb + " ")
        }

    def play(self, *names: str) -> Table:
        """Play these actions in turn; an illegal one fails the test."""
        for name in names:
            legal = self.legal()
            assert name in legal, f"{name!r} is not legal in {self['phase']}; legal: {legal}"
            self.game.act(name)
        return self

    def passes(self, *phases: str) -> Table:
        """Pass through decisions of these phases, as long as one of them is asked."""
        while self["phase"] in phases:
            self.play("pass")
        return self

    def idle(self, *phases: str) -> Table:
        """Pass, or play the first legal action, until a decision of one of these phases."""
        while not self.over and self["phase"] not in phases:
            legal = self.legal()
            self.play("pass" if "pass" in legal else sorted(legal)[0])
        return self

    def refuses(self, *names: str) -> bool:
        """Whether each action is neither offered nor accepted, and trying changes nothing."""
        for name in names:
            if name in self.legal():
                return False
            before = self.position()
            try:
                self.game.act(name)
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


def gained(before: Position, after: Position, field: str) -> list[int]:
    """By seat, how much a field has grown."""
    return [new - old for old, new in zip(before[field], after[field], strict=True)]
