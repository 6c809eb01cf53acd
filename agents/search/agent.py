"""The searching player."""

from __future__ import annotations

import time

import numpy as np

from jerusalem_env.envs.opponents import Judgement
from jerusalem_env.game import Game
from jerusalem_env.kernels import thread_limit, threads_ready
from jerusalem_env.simulation import Guide

from ..base import AgentError, require_masks
from ..keys import keys_of
from .search import Budget, new_workspace, search_with
from .tree import Settings, new_trees

_FIRST_GUESS = 64  # simulations from which a time budget's speed is measured
_MOST = 200_000  # some 150 MB for each thread


class SearchAgent:
    """Information-set Monte Carlo tree search, guided by a scripted player.

    It redeals what its view leaves open, so it knows no more than its seat (P13). Its choice
    depends on the view, the seed and the budget alone: not on the batch, earlier calls, or threads.
    With a budget of time it depends on the machine too.

    Parameters
    ----------
    game : Game
        What is played; needs ``game.simulation``.
    guide : Guide
        Plays all seats beyond the tree, and proposes what to search.
    simulations : int, optional
        At each decision with a choice, 4..200,000; with fewer than 8 it plays as its guide.
    seconds : float, optional
        Instead: time for each decision, on one thread.
    name : str
    settings : tree.Settings, optional
    doubt : float
        Standard errors by which another decision must beat the guide's.
    threads : int, optional
        For several views at once; all cores unless given.

    Attributes
    ----------
    chance_from_views : bool
        True: evaluations reset it for every deal, as with one seed it opens all deals alike.
    values : (B,) float64
        Mean value of each choice of the last call, 0..1; -1 where there was nothing to search.
    playouts : int
        Simulations of the last call.

    Raises
    ------
    AgentError
        If the budget is not one of the two, or out of range, or the game gives no simulation.
    """

    chance_from_views = True

    def __init__(
        self,
        game: Game,
        guide: Guide,
        simulations: int | None = None,
        seconds: float | None = None,
        name: str = "mcts",
        settings: Settings | None = None,
        doubt: float = 1.0,
        threads: int | None = None,
    ) -> None:
        if (simulations is None) == (seconds is None):
            raise AgentError("a search needs a budget: simulations or seconds, not both")
        if simulations is not None and not 4 <= simulations <= _MOST:
            raise AgentError(f"simulations must be 4..{_MOST:,}, got {simulations}")
        if seconds is not None and not 0.0 < seconds <= 3600.0:
            raise AgentError(f"seconds must be above 0 and at most 3600, got {seconds}")
        if game.simulation is None:
            raise AgentError(f"{game.name} gives no simulation to search with")
        self.name = name
        self.simulations, self.seconds = simulations, seconds
        self._game, self._simulation, self._guide = game, game.simulation, guide
        self._settings = settings or Settings()
        self._doubt = doubt
        self._threads = threads or thread_limit()
        self._seed = 0
        self._room: tuple[int, int] = (0, 0)
        self.values = np.zeros(0)
        self.playouts = 0

    def reset(self, seed: int) -> None:
        """Restart its randomness."""
        self._seed = int(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions; ``values`` then holds what the search thinks of them."""
        masks = require_masks(views, masks, self._game.num_actions)
        keys = keys_of(views, self._seed)
        given = self.proposals(views, masks)
        if self.simulations is not None:
            return self._search(views, keys, given, self.simulations)
        assert self.seconds is not None
        actions = np.empty(len(views), dtype=np.int64)
        values = np.empty(len(views))
        for row in range(len(views)):
            one = slice(row, row + 1)
            actions[row] = self._timed(views[one], keys[one], given[one])
            values[row] = self.values[0]
        self.values = values
        return actions

    def judge(self, views: np.ndarray, masks: np.ndarray) -> Judgement:
        """Its choice with probability 1, and the mean result of its simulations (or NaN)."""
        actions = self.act(views, masks)
        chosen = np.zeros((len(views), self._game.num_actions))
        chosen[np.arange(len(views)), actions] = 1.0
        values = np.where(self.values < 0.0, np.nan, self.values)
        return Judgement(chosen, values, "mean result of its simulations, from 0 (lost) to 1 (won)")

    def _timed(self, view: np.ndarray, key: np.ndarray, given: np.ndarray) -> int:
        """As many simulations as fit into the seconds: a short search measures the speed."""
        assert self.seconds is not None
        simulations = _FIRST_GUESS
        while True:
            began = time.perf_counter()
            action = self._search(view, key, given, simulations)
            spent = time.perf_counter() - began
            if self.values[0] < 0.0 or simulations == _MOST:
                return int(action[0])
            fitting = int(simulations * self.seconds / max(spent, 1e-6))
            if fitting < 2 * simulations:  # this search was most of what the time allows
                return int(action[0])
            # The shorter searches are a part of the time; so is what cannot be foreseen.
            simulations = min(max(int(0.8 * fitting) - simulations, simulations + 1), _MOST)

    def proposals(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B, C) what to choose from, -1 beyond: nothing here, so that the guide proposes."""
        return np.full((len(views), 1), -1, dtype=np.int64)

    def _search(
        self, views: np.ndarray, keys: np.ndarray, given: np.ndarray, simulations: int
    ) -> np.ndarray:
        guide, simulation = self._guide, self._simulation
        on_one, on_several = search_with(simulation, guide.choose, guide.propose)
        several = min(self._threads, len(views)) > 1 and threads_ready()
        threads = min(self._threads, len(views)) if several else 1
        if self._room[0] != threads or self._room[1] < simulations:
            self._trees = new_trees(threads, simulations + 2, simulation.players, guide)
            self._work = new_workspace(threads, simulation, guide.most, simulations)
            self._room = (threads, simulations)
        actions = np.empty(len(views), dtype=np.int64)
        self.values = np.empty(len(views))
        playouts = np.zeros(len(views), dtype=np.int64)
        (on_several if several else on_one)(
            views,
            keys,
            given,
            Budget(simulations, self._doubt),
            self._settings,
            self._trees,
            self._work,
            guide.parameters,
            actions,
            self.values,
            playouts,
        )
        self.playouts = int(playouts.sum())
        return actions
