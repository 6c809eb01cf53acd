"""Games of Ierusalem to look at: eager random play, every decision kept."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.random_rules import choose, other_data


class Played(NamedTuple):
    """A game: its states at every decision and at the end, and the actions between."""

    game: IerusalemGame
    states: np.ndarray
    actions: list[int]


def play(
    rules: RuleSet, seed: int, skip_forced: bool = False, information: Any = "screen"
) -> Played:
    """A game of eager players to its end."""
    game = IerusalemGame(rules=rules, skip_forced=skip_forced, information=information)
    states, masks = game.new_states(1), np.zeros((1, game.num_actions), dtype=np.uint8)
    game.reset(states, np.array([seed], dtype=np.uint64), masks)
    rng, found, actions = random.Random(seed), [states.copy()], []
    while masks.any():
        legal = {game.action_names[action] for action in np.flatnonzero(masks[0])}
        name = choose(rng, legal, game.write_position(states[0]))
        actions.append(game.action_names.index(name))
        assert game.step(states, np.array(actions[-1:]), masks) == -1
        found.append(states.copy())
    return Played(game, np.concatenate(found), actions)


@cache
def played(players: int = 4, seed: int = 1, skip_forced: bool = False, data: str = "box") -> Played:
    """A game with the usual data, or with ``data="other"`` with quite other values."""
    content: Any = other_data() if data == "other" else "box"
    return play(RuleSet(players=players, data=content), seed, skip_forced)


def redealt(game: IerusalemGame, state: np.void, seat: int, rng: np.random.Generator) -> np.void:
    """A state that this seat cannot tell from the given one."""
    views = game.views(np.array([state]), np.array([seat]))
    other: np.void = game.turn_seats(game.redeal(views, rng), game.players - seat)[0]
    return other
