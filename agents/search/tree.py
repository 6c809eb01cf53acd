"""Search trees over redealt games: nodes in arrays, and one simulation through them.

Single-observer information-set search (Cowling, Powley, Whitehouse 2012): every simulation deals
anew what the searching seat cannot see, and walks one tree whose nodes are reached by sequences of
actions, through those that are legal in its deal. All seats choose in the tree, each for itself
(max^n, Luckhardt and Irani 1986), by PUCT with priors falling with the guide's rank. A node widens
progressively (Coulom 2007): it looks at the guide's first proposals, at more the more it is
visited, and a first visit plays what the guide would play. Beyond the tree the guide plays all
seats to the end of the game.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from jerusalem_env.bits import has_flag, words_for
from jerusalem_env.kernels import kernel
from jerusalem_env.simulation import Guide, Simulation

DEEPEST = 256  # decisions in the tree; beyond it the guide plays
_BEYOND_A_FLOAT = np.uint64(11)  # bits of a key that a float64 cannot hold


class Settings(NamedTuple):
    """How the tree is grown.

    Attributes
    ----------
    explore : float
        Weight of the prior against the mean value in PUCT.
    widen : float
        Proposals looked at: 1 + widen * sqrt(visits).
    prior : float
        Prior of each proposal over that of the one before it.
    """

    explore: float = 0.6
    widen: float = 0.5
    prior: float = 0.7


class Trees(NamedTuple):
    """The trees of several root decisions, one row each, and what a simulation works in.

    As made by ``new_trees`` every array has a leading axis more, the thread's.

    Attributes
    ----------
    action, first_child, next_sibling, visits : (R, N) int32
        Nodes; 0 is the root, links are -1 where there is nothing.
    value : (R, N, n) float64
        Sums of the ends' values by seat.
    size : (R,) int64
        Nodes in use.
    path : (DEEPEST,) int64
    proposals : (C,) int64
    ranks : (C,) float64
    notes : (K + 1,) float64
        The guide's, in a playout; the last is its chance.
    """

    action: np.ndarray
    first_child: np.ndarray
    next_sibling: np.ndarray
    visits: np.ndarray
    value: np.ndarray
    size: np.ndarray
    path: np.ndarray
    proposals: np.ndarray
    ranks: np.ndarray
    notes: np.ndarray


def new_trees(threads: int, nodes: int, players: int, guide: Guide) -> Trees:
    """Room for trees of so many nodes in each thread: one for each proposal of the guide."""
    rows = guide.most
    action, first_child, next_sibling, visits = np.zeros((4, threads, rows, nodes), dtype=np.int32)
    return Trees(
        action=action,
        first_child=first_child,
        next_sibling=next_sibling,
        visits=visits,
        value=np.zeros((threads, rows, nodes, players)),
        size=np.zeros((threads, rows), dtype=np.int64),
        path=np.zeros((threads, DEEPEST), dtype=np.int64),
        proposals=np.zeros((threads, rows), dtype=np.int64),
        ranks=np.zeros((threads, rows)),
        notes=np.zeros((threads, guide.notes + 1)),
    )


@kernel
def plant(trees, row):
    """An empty tree: a root without visits."""
    trees.size[row] = 0
    add_node(trees, row, -1, -1)


@kernel
def add_node(trees, row, parent, action):
    """A new node, linked first among its parent's children."""
    node = trees.size[row]
    trees.size[row] = node + 1
    trees.action[row, node] = action
    trees.first_child[row, node] = -1
    trees.next_sibling[row, node] = -1
    trees.visits[row, node] = 0
    for seat in range(trees.value.shape[2]):
        trees.value[row, node, seat] = 0.0
    if parent >= 0:
        trees.next_sibling[row, node] = trees.first_child[row, parent]
        trees.first_child[row, parent] = node
    return node


@kernel
def find_child(trees, row, node, action):
    """The child reached by an action, -1 if there is none."""
    child = trees.first_child[row, node]
    while child >= 0 and trees.action[row, child] != action:
        child = trees.next_sibling[row, child]
    return child


@kernel
def pick(trees, row, node, seat, count, settings):
    """(index of the proposal, its node or -1): PUCT for the seat that decides."""
    visits = trees.visits[row, node]
    looked_at = min(count, 1 + int(settings.widen * np.sqrt(visits)))
    best, best_child, best_score = 0, -1, -1e9
    prior = 1.0
    for index in range(looked_at):
        child = find_child(trees, row, node, trees.proposals[index])
        tried = trees.visits[row, child] if child >= 0 else 0
        if tried == 0:
            return index, child
        mean = trees.value[row, child, seat] / tried
        score = mean + settings.explore * prior * np.sqrt(visits) / (1.0 + tried)
        if score > best_score:
            best, best_child, best_score = index, child, score
        prior *= settings.prior
    return best, best_child


@cache
def repeat_with(simulation: Simulation) -> Any:
    """``Simulation.repeat`` for a game that has no faster one."""
    play, running, to_act = simulation.step, simulation.running, simulation.to_act

    @kernel
    def repeat(state, action, times, words):
        seat = to_act(state)
        play(state, action, words)
        while times > 1 and running(state) and to_act(state) == seat and has_flag(words, action):
            play(state, action, words)
            times -= 1

    return repeat


@cache
def simulate_with(simulation: Simulation, choose: Any, propose: Any) -> Any:
    """The kernel (trees, row, state, words, key, settings, parameters): one simulation from a root.

    ``state`` is the game after the root's decision, ``words`` its packed mask; it is played to its
    end, and the values of that end are added along the path. ``key`` (uint64) is the chance of the
    guide's playout.
    """
    play, running, to_act, value = (
        simulation.step,
        simulation.running,
        simulation.to_act,
        simulation.value,
    )
    repeat = simulation.repeat or repeat_with(simulation)
    players = simulation.players

    @kernel
    def simulate(trees, row, state, words, key, settings, parameters):
        node, depth = 0, 0
        trees.path[0] = 0
        while running(state) and trees.visits[row, node] > 0 and depth + 1 < DEEPEST:
            seat = to_act(state)
            count = propose(state, seat, words, parameters, trees.proposals, trees.ranks)
            index, child = pick(trees, row, node, seat, count, settings)
            action = trees.proposals[index]
            if child < 0:
                if trees.size[row] >= trees.action.shape[1]:
                    break
                child = add_node(trees, row, node, action)
            play(state, action, words)
            node = child
            depth += 1
            trees.path[depth] = node
        for index in range(trees.notes.shape[0]):
            trees.notes[index] = 0.0
        trees.notes[trees.notes.shape[0] - 1] = np.float64(key >> _BEYOND_A_FLOAT)
        while running(state):
            seat = to_act(state)
            action, times = choose(state, seat, words, parameters, trees.notes)
            repeat(state, action, times, words)
        for step in range(depth + 1):
            trees.visits[row, trees.path[step]] += 1
        for seat in range(players):
            worth = value(state, seat)
            for step in range(depth + 1):
                trees.value[row, trees.path[step], seat] += worth

    return simulate


def words_of(simulation: Simulation) -> int:
    """Words of a packed mask."""
    return words_for(simulation.num_actions)
