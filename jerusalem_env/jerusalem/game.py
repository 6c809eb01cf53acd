"""Jerusalem as a ``Game``: what of the contract knows its rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..compiled.game import CompiledGame
from ..drawing import Drawing
from ..game import Information
from ..simulation import Simulation
from .actions import ACTION_BLOCKS, ACTION_NAMES
from .columns import columns
from .compiled import JERUSALEM
from .engine.state import blank_states, write_rules
from .observation import features, state_features
from .position import read_position, write_position
from .render.picture import draw
from .render.text import render_text
from .rewards import REWARDS
from .rules.offices import OFFICES, offices_in_play
from .rules.ruleset import RuleSet, resolve_rules
from .simulation import simulation_of
from .words import describe_decision, may_take_back, narrate


class JerusalemGame(CompiledGame):
    """The board game for 2 to 4 players.

    Parameters
    ----------
    players : int, optional
        With a preset name; 4 unless given.
    rules : str or RuleSet
        ``"german"``, ``"dutch"``, ``"french"``, or a ``RuleSet``, which brings its own number.
    information : "screen" or "recall"
        What is hidden; see ``screen``.
    reward : "win", "rank" or "margin"
        See ``rewards.utility``.
    skip_forced : bool
        Take decisions with one legal action without asking.

    Raises
    ------
    RuleSetError
        For unknown rules or a wrong number of players.
    ValueError
        For an unknown information mode or reward.
    """

    name = "jerusalem_v0"
    kernels = JERUSALEM
    action_names = ACTION_NAMES
    action_blocks = ACTION_BLOCKS

    def __init__(
        self,
        players: int | None = None,
        rules: str | RuleSet = "german",
        information: Information = "screen",
        reward: str = "win",
        skip_forced: bool = True,
    ) -> None:
        self.rules = resolve_rules(rules, players)
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
    def win_shares(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64: 1 for the winner of a finished game; ties are always broken."""
        shares = np.zeros((len(states), self.players))
        over = np.flatnonzero(self.terminated(states))
        shares[over, states["ranking"][over, 0]] = 1.0
        return shares

    def results(self, state: np.void) -> dict[str, Any]:
        """Ranking, floors and prestige left of a finished game."""
        n = self.players
        return {
            "ranking": [int(seat) for seat in state["ranking"][:n]],
            "floors": [int(x) for x in state["floors"][:n]],
            "prestige": [int(x) for x in state["prestige"][:n]],
        }

    def breakdowns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """By the office held in the last round, and by the number of rounds with each office."""
        n = self.players
        names = np.array([*OFFICES, "none"])  # -1: none
        numbers = np.array([str(number) for number in range(self.rules.rounds + 1)])
        found = {"office of the last round": names[states["office"][:, :n]]}
        for office in offices_in_play(n):
            held = (states["office_log"][:, : self.rules.rounds, :n] == office).sum(axis=1)
            found[f"rounds as {OFFICES[office]}"] = numbers[held]
        return found

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
        """Within one's own turn, as long as no card was drawn; see ``words``."""
        return may_take_back(before, after)

    def columns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Facts about states for tables of data; see ``columns``."""
        return columns(states, self.players)
