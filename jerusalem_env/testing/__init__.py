"""``api_test``: whether a game keeps the promises of the ``Game`` contract (``game.py``).

For anyone who adds a game or changes one:

>>> from jerusalem_env.testing import api_test
>>> from jerusalem_env.jerusalem.game import JerusalemGame
>>> api_test(JerusalemGame(players=2), num_games=2)

It plays at random, asks each promise at every decision, and raises ``AssertionError`` saying which
promise was broken, in which game and after how many decisions. Knows no game's rules.
"""

from __future__ import annotations

import pickle
import random

import numpy as np

from ..game import Game
from .compiled import check_play_on, check_simulation
from .equipment import dealt, done, masks_of, same_states
from .promises import (
    check_advance,
    check_batch_independence,
    check_clones,
    check_deals,
    check_hidden_chance,
    check_illegal,
    check_play,
    check_positions,
    check_redeal,
    check_seats,
    check_tables,
    check_truncation,
)

__all__ = ["api_test", "dealt", "done", "masks_of", "same_states"]


def api_test(game: Game, num_games: int = 8, seed: int = 0) -> None:
    """Check every promise of the contract over random games.

    Parameters
    ----------
    game : Game
    num_games : int
        Random games per check; the checks at every decision play this many at once.
    seed : int
        Seed of the games and of the random play.

    Raises
    ------
    AssertionError
        At the first broken promise.
    """
    globals_before = _global_generators()
    for check in (
        check_tables,
        check_deals,
        check_play,
        check_clones,
        check_batch_independence,
        check_advance,
        check_illegal,
        check_truncation,
        check_redeal,
        check_hidden_chance,
        check_seats,
        check_positions,
        check_play_on,
        check_simulation,
    ):
        check(game, num_games, seed)
    assert _global_generators() == globals_before, (
        "promise 2: the game drew from a global random generator"
    )


def _global_generators() -> bytes:
    """State of numpy's and Python's global generators."""
    return pickle.dumps((np.random.get_state(), random.getstate()))  # noqa: NPY002
