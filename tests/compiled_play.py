"""Compiled play for tests: one set of policies, so that its kernel is compiled once for all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agents.greedy import GreedyAgent
from agents.scripted.strategies import STRATEGIES, make_strategy
from jerusalem_env.game import Game
from jerusalem_env.kernels import kernel
from jerusalem_env.policies import UNIFORM, ActionLog, CompiledPolicy

PLANS = tuple(STRATEGIES)


# Entries of the tables that ``pick`` reads, beside thousandths of the way through the mask.
ILLEGAL = 10_000  # an action that is not legal
BY_SIGHT = 20_000  # the last action if it sees the silver of the seat to its left, else the first


@kernel
def pick(view, mask, words, key, parameters):  # type: ignore[no-untyped-def]
    """The legal action at a place in the mask that a table gives for each phase."""
    wanted = parameters[view.phase]
    if wanted == ILLEGAL:
        return mask.shape[0] - 1 if mask[mask.shape[0] - 1] == 0 else 0
    if wanted == BY_SIGHT:
        wanted = 0 if view.silver[1] < 0 else 999
    total = 0
    for action in range(mask.shape[0]):
        total += mask[action]
    place = total * wanted // 1000
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            if place == 0:
                return action
            place -= 1
    return -1


FIRST = CompiledPolicy("first", pick, np.zeros(18, np.int64))
LAST = CompiledPolicy("last", pick, np.full(18, 999, np.int64))
CHEAT = CompiledPolicy("cheat", pick, np.full(18, ILLEGAL, np.int64))
BY_EYE = CompiledPolicy("by eye", pick, np.full(18, BY_SIGHT, np.int64))

# Every test passes all of them: another tuple would be another kernel, twenty seconds to compile.
POLICIES: tuple[CompiledPolicy, ...] = (
    *(make_strategy(name).compiled for name in PLANS),
    GreedyAgent().compiled,
    UNIFORM,
    FIRST,
    LAST,
    CHEAT,
    BY_EYE,
)
INDEX = {policy.name: index for index, policy in enumerate(POLICIES)}


def dealt(game: Game, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(states, masks) of new games."""
    states = game.new_states(games)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(seed, games, 0), masks)
    return states, masks


def seats_of(game: Game, games: int, *names: str) -> np.ndarray:
    """(games, n) policies: the names in turn, one seat further in each game."""
    chosen = np.array([INDEX[name] for name in names])
    rows, seats = np.arange(games)[:, None], np.arange(game.players)[None, :]
    found: np.ndarray = chosen[(seats + rows) % len(chosen)]
    return found


def play_out(
    game: Game,
    policy_of: np.ndarray,
    seed: int,
    threads: int = 1,
    log: ActionLog | None = None,
) -> np.ndarray:
    """Final states of new games; every choice must be legal and every game end by itself."""
    states, _ = dealt(game, len(policy_of), seed)
    seeds = game.derive_seeds(seed, len(policy_of), 1)
    assert game.play_on(states, seeds, policy_of, POLICIES, threads, log) == -1
    assert game.terminated(states).all()
    return states


def each_decision(
    game: Game,
    policy_of: np.ndarray,
    seed: int,
    policies: tuple[CompiledPolicy, ...] = POLICIES,
) -> Iterator[np.ndarray]:
    """The states of new games (one array, written over) before and after each decision."""
    states, _ = dealt(game, len(policy_of), seed)
    seeds = game.derive_seeds(seed, len(policy_of), 1)
    while True:
        yield states
        if game.terminated(states).all():
            return
        states["decision_limit"] = states["decisions"] + 1  # the watchdog stops play after one
        assert game.play_on(states, seeds, policy_of, policies) == -1
