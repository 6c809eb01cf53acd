"""Playing random games of any game, and comparing records: equipment of the checks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..chance import sample_legal
from ..game import Game

MOST_DECISIONS = 20_000  # a random game that is longer than this does not end


def same_states(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays of records agree in every field, or in all bytes (NaNs then too)."""
    assert one.dtype.names is not None
    if one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes():
        return True  # nearly always, and far faster than field by field
    return all(np.array_equal(one[name], other[name]) for name in one.dtype.names)


def differing_fields(one: np.ndarray, other: np.ndarray) -> list[str]:
    """Names of the fields in which two arrays of records differ."""
    assert one.dtype.names is not None
    return [name for name in one.dtype.names if not np.array_equal(one[name], other[name])]


def dealt(game: Game, num_games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(states, masks) of new games."""
    states = game.new_states(num_games)
    masks = np.zeros((num_games, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(seed, num_games, 0), masks)
    return states, masks


def masks_of(game: Game, states: np.ndarray) -> np.ndarray:
    """(B, A) masks, made anew."""
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    return masks


def done(game: Game, states: np.ndarray) -> np.ndarray:
    """(B,) bool: terminated or truncated."""
    return np.asarray(game.terminated(states)) | np.asarray(game.truncated(states))


def actions_for(masks: np.ndarray, games: np.ndarray, ply: int) -> np.ndarray:
    """(B,) int64 legal actions that depend only on the game's number, the ply and the mask."""
    actions = np.zeros(len(masks), dtype=np.int64)
    for row, number in enumerate(games):
        legal = np.flatnonzero(masks[row])
        if len(legal):
            hashed = (int(number) * 2654435761 + ply * 40503 + 97) % 1_000_003
            actions[row] = legal[hashed % len(legal)]
    return actions


Watcher = Callable[[np.ndarray, np.ndarray, int], None]


def play(game: Game, num_games: int, seed: int, watch: Watcher) -> np.ndarray:
    """Play random games; ``watch(states, masks, ply)`` at every ply, also when all are over."""
    states, masks = dealt(game, num_games, seed)
    rng = np.random.default_rng(seed)
    for ply in range(MOST_DECISIONS):
        watch(states, masks, ply)
        if done(game, states).all():
            return states
        wrong = game.step(states, np.maximum(sample_legal(masks, rng), 0), masks)
        assert wrong == -1, f"promise 7: a legal action of game {wrong} was refused, ply {ply}"
    raise AssertionError(f"a random game does not end within {MOST_DECISIONS} decisions")
