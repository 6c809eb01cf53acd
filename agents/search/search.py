"""A budget of simulations spent on the decisions at hand: sequential halving at the root.

The guide's proposals at a root share the budget evenly; then the worse half is dropped and the rest
share again, until two are left (Karnin, Koren, Somekh 2013; Pepels and others 2014): what counts at
the root is which decision is chosen, not what was earned while trying. The i-th simulation of every
proposal uses the same redeal, so that they are compared on the same hidden cards (common random
numbers). The guide's own choice stays to the end, and is played unless another is better by more
than ``doubt`` standard errors of their paired difference, so that few simulations do little harm.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from jerusalem_env.chance import stream
from jerusalem_env.kernels import code_digest, entry_kernel, kernel
from jerusalem_env.simulation import Simulation

from .tree import Trees, plant, simulate_with, words_of

_PURPOSE_PLAYOUT = 1  # of a redeal's key: the guide's chance; the redeal draws from the key itself


class Workspace(NamedTuple):
    """What threads search in: the leading axis of every array is the thread's.

    Attributes
    ----------
    state : (T,) state_dtype
    words : (T, W) int64
    scratch : (T, K) int64, what ``redeal`` works in
    actions, order : (T, C) int64
        The proposals at the root; and their places, best first.
    tried : (T, C) int64
        Simulations of each proposal.
    ranks, totals : (T, C) float64
        Scratch; sums of the values.
    differences, squares : (T, C) float64
        Sums of the differences from the first proposal's values, and of their squares.
    first_values : (T, N) float64
        The first proposal's value in each redeal.
    """

    state: np.ndarray
    words: np.ndarray
    scratch: np.ndarray
    actions: np.ndarray
    order: np.ndarray
    tried: np.ndarray
    ranks: np.ndarray
    totals: np.ndarray
    differences: np.ndarray
    squares: np.ndarray
    first_values: np.ndarray


def new_workspace(threads: int, simulation: Simulation, most: int, simulations: int) -> Workspace:
    """Room for searches with so many simulations a decision."""
    actions, order, tried = np.zeros((3, threads, most), dtype=np.int64)
    ranks, totals, differences, squares = np.zeros((4, threads, most))
    return Workspace(
        state=np.zeros(threads, dtype=simulation.state_dtype),
        words=np.zeros((threads, words_of(simulation)), dtype=np.int64),
        scratch=np.zeros((threads, simulation.scratch), dtype=np.int64),
        actions=actions,
        order=order,
        tried=tried,
        ranks=ranks,
        totals=totals,
        differences=differences,
        squares=squares,
        first_values=np.zeros((threads, simulations + most + 1)),
    )


@kernel
def sort_by_mean(w, kept):
    """Order the first ``kept`` places by mean value, best first; equal ones as they were."""
    for place in range(1, kept):
        chosen = w.order[place]
        mean = w.totals[chosen] / w.tried[chosen]
        at = place
        while at > 0 and w.totals[w.order[at - 1]] / w.tried[w.order[at - 1]] < mean:
            w.order[at] = w.order[at - 1]
            at -= 1
        w.order[at] = chosen


@kernel
def keep_first(w, kept):
    """Make sure that the guide's own choice is among the first ``kept`` places."""
    for place in range(kept):
        if w.order[place] == 0:
            return
    w.order[kept - 1] = 0


@kernel
def better_than_first(w, kept, doubt):
    """The place in ``actions`` of what to play."""
    best, best_mean = 0, 0.0
    for place in range(kept):
        index = w.order[place]
        number = w.tried[index]
        if index == 0 or number < 2:
            continue
        mean = w.differences[index] / number
        spread = max(w.squares[index] / number - mean * mean, 0.0)
        error = np.sqrt(spread / (number - 1.0))
        if mean > best_mean and mean > doubt * error:
            best, best_mean = index, mean
    return best


class Budget(NamedTuple):
    """What a search may spend, and how it decides.

    Attributes
    ----------
    simulations : int
        At each decision with a choice.
    doubt : float
        Standard errors by which another decision must beat the guide's.
    """

    simulations: int
    doubt: float = 1.0


@cache
def search_with(simulation: Simulation, choose: Any, propose: Any) -> tuple[Any, Any]:
    """Compiled search of (B,) views by as many keys, on one thread and on several.

    Called with (views, keys, given, budget, settings, trees, work, parameters, actions, values,
    playouts); ``trees`` and ``work`` have room for as many threads as are used. ``given`` (B, C)
    int64: what to choose from at each root, the first being kept in doubt, then -1; all -1: the
    guide proposes. Writes an action, its mean value (-1 where there was nothing to search) and the
    number of simulations for each view, and leaves the views as they were.
    """
    simulate = simulate_with(simulation, choose, propose)
    redeal, legal, play, value = (
        simulation.redeal,
        simulation.legal,
        simulation.step,
        simulation.value,
    )

    @kernel
    def own_trees(trees, thread):
        return Trees(
            trees.action[thread],
            trees.first_child[thread],
            trees.next_sibling[thread],
            trees.visits[thread],
            trees.value[thread],
            trees.size[thread],
            trees.path[thread],
            trees.proposals[thread],
            trees.ranks[thread],
            trees.notes[thread],
        )

    @kernel
    def own_work(work, thread):
        return Workspace(
            work.state[thread : thread + 1],
            work.words[thread],
            work.scratch[thread],
            work.actions[thread],
            work.order[thread],
            work.tried[thread],
            work.ranks[thread],
            work.totals[thread],
            work.differences[thread],
            work.squares[thread],
            work.first_values[thread],
        )

    @kernel
    def try_proposal(view, index, first, last, key, trees, w, settings, parameters):
        """Simulations ``first`` to ``last`` of a proposal."""
        state = w.state[0]
        for number in range(first, last):
            deal = stream(key, number)
            redeal(view, deal, w.scratch, state)
            play(state, w.actions[index], w.words)
            chance = stream(deal, _PURPOSE_PLAYOUT)
            simulate(trees, index, state, w.words, chance, settings, parameters)
            worth = value(state, 0)
            w.totals[index] += worth
            if index == 0:
                w.first_values[number] = worth
            difference = worth - w.first_values[number]
            w.differences[index] += difference
            w.squares[index] += difference * difference
        w.tried[index] = last

    @kernel
    def root_proposals(view, given, w, parameters):
        """Write what to choose from; how many."""
        legal(view, w.words)
        count = 0
        while count < given.shape[0] and given[count] >= 0:
            w.actions[count] = given[count]
            count += 1
        if count == 0:
            count = propose(view, 0, w.words, parameters, w.actions, w.ranks)
        return count

    @kernel
    def search(view, key, given, budget, trees, w, settings, parameters):
        """(action, its mean value, or -1 without a search; simulations)."""
        count = root_proposals(view, given, w, parameters)
        count = min(count, max(budget.simulations // 4, 1))
        for index in range(count):
            w.order[index] = index
            w.tried[index] = 0
            w.totals[index] = 0.0
            w.differences[index] = 0.0
            w.squares[index] = 0.0
            plant(trees, index)
        if count == 1:
            return w.actions[0], -1.0, 0
        halvings = 0
        while (1 << halvings) < count:
            halvings += 1
        kept, done, spent = count, 0, 0
        for left in range(halvings, 0, -1):
            each = max((budget.simulations - spent) // (left * kept), 1)
            upto = done + each
            # The guide's choice first: the others are compared with it, deal by deal.
            try_proposal(view, 0, done, upto, key, trees, w, settings, parameters)
            for place in range(kept):
                index = w.order[place]
                if index != 0:
                    try_proposal(view, index, done, upto, key, trees, w, settings, parameters)
            done = upto
            spent += each * kept
            sort_by_mean(w, kept)
            if left > 1:
                kept = max((kept + 1) // 2, 2)
                keep_first(w, kept)
        chosen = better_than_first(w, kept, budget.doubt)
        return w.actions[chosen], w.totals[chosen] / w.tried[chosen], spent

    @kernel
    def search_some(
        thread,
        threads,
        views,
        keys,
        given,
        budget,
        settings,
        trees,
        work,
        parameters,
        actions,
        values,
        playouts,
    ):
        """Every ``threads``-th view."""
        own, w = own_trees(trees, thread), own_work(work, thread)
        for row in range(thread, views.shape[0], threads):
            actions[row], values[row], playouts[row] = search(
                views[row], keys[row], given[row], budget, own, w, settings, parameters
            )

    digest = code_digest(choose, propose, search_some)
    variant = f"{simulation.name} {simulation.players} {digest}"

    @entry_kernel(variant=variant, cached=digest is not None)
    def search_on_one(
        views, keys, given, budget, settings, trees, work, parameters, actions, values, playouts
    ):
        search_some(
            0,
            1,
            views,
            keys,
            given,
            budget,
            settings,
            trees,
            work,
            parameters,
            actions,
            values,
            playouts,
        )

    @entry_kernel(parallel=True, variant=variant, cached=digest is not None)
    def search_on_several(
        views, keys, given, budget, settings, trees, work, parameters, actions, values, playouts
    ):
        threads = work.state.shape[0]
        for thread in numba.prange(threads):
            search_some(
                thread,
                threads,
                views,
                keys,
                given,
                budget,
                settings,
                trees,
                work,
                parameters,
                actions,
                values,
                playouts,
            )

    return search_on_one, search_on_several
