"""What is kept in the record because it follows from the rest does follow from it, always."""

from __future__ import annotations

import random

import numpy as np
import pytest

from jerusalem_env.chance import sample_legal
from jerusalem_env.ierusalem.engine.derived import DERIVED_FIELDS, derive_games
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.random_rules import random_ruleset

GAMES = 24


def assert_follows(states: np.ndarray, where: str) -> None:
    """Deriving anew from records that have lost it gives the same."""
    again = states.copy()
    for name in DERIVED_FIELDS:
        again[name] = 0
    derive_games(again)
    for name in DERIVED_FIELDS:
        assert np.array_equal(again[name], states[name]), f"{where}: {name}"


@pytest.mark.parametrize("seed", range(6))
def test_derived__follows_at_every_decision_and_in_every_view(seed: int) -> None:
    rules = RuleSet.from_dict(random_ruleset(random.Random(seed), 3 + seed % 2))
    game = IerusalemGame(rules=rules, skip_forced=False)
    states = game.new_states(GAMES)
    masks = np.zeros((GAMES, game.num_actions), dtype=np.uint8)
    game.reset(states, np.arange(GAMES, dtype=np.uint64), masks)
    rng, ply = np.random.default_rng(seed), 0
    while not game.terminated(states).all():
        assert_follows(states, f"decision {ply}")
        if ply % 50 == 0:
            for seat in range(game.players):
                assert_follows(game.views(states, np.full(GAMES, seat)), f"seat {seat}")
        game.step(states, sample_legal(masks, rng), masks)
        ply += 1
    assert_follows(states, "at the end")
    assert (states["seats"] >= 0).any()
    assert (states["cards_laid"] != 0).any()


@pytest.mark.parametrize("seed", range(2))
def test_derived__is_there_when_a_position_is_read(seed: int) -> None:
    rules = RuleSet.from_dict(random_ruleset(random.Random(40 + seed), 3 + seed))
    game = IerusalemGame(rules=rules)
    states = game.new_states(GAMES)
    masks = np.zeros((GAMES, game.num_actions), dtype=np.uint8)
    game.reset(states, np.arange(GAMES, dtype=np.uint64), masks)
    rng = np.random.default_rng(seed)
    for _ in range(90):
        game.step(states, sample_legal(masks, rng), masks)
    for state in states:
        read = game.read_position(game.write_position(state))[0]
        for name in DERIVED_FIELDS:
            assert np.array_equal(read[name], state[name]), name
