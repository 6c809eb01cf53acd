"""Ierusalem: Anno Domini as a ``Game``: what of the contract knows its rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled.game import CompiledGame
from ..drawing import Drawing
from ..game import Information
from ..simulation import Simulation
from .actions import action_blocks, action_names
from .columns import columns
from .compiled import IERUSALEM
from .engine.state import HIDDEN_CHANCE_FIELDS, blank_states, write_rules
from .observation import features, state_features
from .position import read_position, write_position
from .render.picture import draw
from .render.text import render_text
from .results import breakdowns, score_parts
from .rewards import REWARDS
from .rules.ruleset import RuleSet, resolve_rules
from .simulation import simulation_of
from .words import describe_decision, may_take_back, narrate


class IerusalemGame(CompiledGame):
    """The board game for 3 and 4 players.

    Parameters
    ----------
    players : int, optional
        With a preset name; 4 unless given.
    rules : str or RuleSet
        ``"box"`` (the values of Part II), ``"by_colour"`` (the other order of the Apostles), or a
        ``RuleSet``, which brings its own number of players.
    information : "screen" or "recall"
        What is hidden; see ``screen``.
    reward : "win", "rank" or "margin"
        See ``rewards.utility``; a win may be shared.
    skip_forced : bool
        Take decisions with one legal action without asking.

    Raises
    ------
    RuleSetError
        For unknown rules or a wrong number of players.
    ValueError
        For an unknown information mode or reward.
    """

    name = "ierusalem_v0"
    kernels = IERUSALEM
    hidden_chance_fields = HIDDEN_CHANCE_FIELDS

    def __init__(
        self,
        players: int | None = None,
        rules: str | RuleSet = "box",
        information: Information = "screen",
        reward: str = "win",
        skip_forced: bool = True,
    ) -> None:
        self.rules = resolve_rules(rules, players)
        # Cards and favor markers are named by the data file.
        self.action_names = action_names(self.rules.box)
        self.action_blocks = action_blocks(self.rules.box)
        super().__init__(
            self.rules.players,
            information,
            reward,
            skip_forced,
            REWARDS,
            features(self.rules, information),
            state_features(self.rules, information),
        )
        self.simulation = self._own_simulation()

    def _own_simulation(self) -> Simulation:
        return simulation_of(self.players)

    # --- life of a batch of games ------------------------------------------------------------
    def new_states(self, num_games: int) -> np.ndarray:
        """(num_games,) records that hold the rule set."""
        return blank_states(num_games, self.rules)

    def write_rules(self, states: np.ndarray) -> None:
        """Write the rule set into records."""
        write_rules(states, self.rules)

    # --- reading -----------------------------------------------------------------------------
    def results(self, state: np.void) -> dict[str, Any]:
        """Ranking, ranks and final points of a finished game, and what the points came from."""
        n = self.players
        ranks = [int(rank) for rank in state["ranks"][:n]]
        return {
            "ranking": sorted(range(n), key=lambda seat: (ranks[seat], seat)),
            "ranks": ranks,
            "points": [int(x) for x in state["points"][:n]],
            **score_parts(state),
        }

    def win_shares(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64: 1/w for each of the w winners of a finished game (R18.6)."""
        won = (states["ranks"][:, : self.players] == 1) & self.terminated(states)[:, None]
        return won / np.maximum(won.sum(axis=1, keepdims=True), 1)

    def breakdowns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """By colour, whose decks are not alike (VII.h), turn order, Parables and Illumination."""
        return breakdowns(states, self.players)

    # --- for people and files ----------------------------------------------------------------
    def rules_dict(self) -> dict[str, Any]:
        """The switches of VII.a."""
        return self.rules.to_dict()

    def write_position(self, state: np.void) -> dict[str, Any]:
        """The position of VII.e."""
        return write_position(state)

    def read_position(self, position: Mapping[str, Any]) -> np.ndarray:
        """An array of one state from a position of VII.e."""
        return read_position(position)

    def render_text(self, state: np.void, seat: int | None = None) -> str:
        """The board as text."""
        return render_text(state, seat, recall=self._recall)

    def draw(self, state: np.void, seat: int | None = None) -> Drawing:
        """The board as a picture, 1,000 x 750; see ``render.picture``."""
        return draw(state, seat, recall=self._recall)

    def narrate(
        self, before: np.void, action: int, after: np.void, seat: int | None = None
    ) -> list[str]:
        """An action and what followed from it in words; see ``words``."""
        return narrate(before, action, after, seat, recall=self._recall)

    def describe_decision(self, state: np.void, seat: int | None = None) -> str:
        """What is being decided, in words."""
        return describe_decision(state, seat)

    def may_take_back(self, before: np.void, after: np.void) -> bool:
        """Within one's own turn, as long as nothing hidden came to light; see ``words``."""
        return may_take_back(before, after)

    def columns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Facts about states for tables of data; see ``columns``."""
        return columns(states, self.players)
