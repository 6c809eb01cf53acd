"""What a training tells about itself: win rates by kind of table, shares of time."""

from __future__ import annotations

import numpy as np
import pytest

from agents.registry import make_agent
from jerusalem_env.jerusalem.game import JerusalemGame
from training.selfplay.games import Outcome, SelfPlayGames
from training.selfplay.opponents import BotTables, OpponentPool
from training.selfplay.profile import PartTimes
from training.selfplay.wins import WinRates

from .equipment import small_model


def _finished_games(game, count):
    """Final states of random games, and who came first in each."""
    states, masks = game.new_states(count), np.zeros((count, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(0, count, 0), masks)
    rng = np.random.default_rng(0)
    while not np.asarray(game.terminated(states)).all():
        actions = np.array([rng.choice(np.flatnonzero(m)) if m.any() else 0 for m in masks])
        game.step(states, actions, masks)
    return states, np.asarray(game.utilities(states)).argmax(axis=1)


def test_rates__count_the_learners_wins_by_table_whatever_is_paid():
    game = JerusalemGame(2)
    bots = (make_agent("greedy"),)
    pool = OpponentPool([BotTables(0.5, bots), BotTables(0.5, bots)])
    games = SelfPlayGames(game, 4, pool=pool)
    wins = WinRates(games)
    finals, winners = _finished_games(game, 4)
    line_ups = np.zeros((4, 2), np.int64)  # the learner wins in slots 0, 1 and 2
    learner = np.where(np.arange(4) < 3, winners, 1 - winners)
    line_ups[np.arange(4), learner] = -1
    paid = -np.asarray(game.utilities(finals))  # a wrong sign, which must not matter
    wins.add(Outcome(np.arange(4), paid, np.zeros(4, np.bool_), finals, line_ups))
    assert wins.rates() == {"greedy": (1.0, 2), "greedy #2": (0.5, 2)}
    again = WinRates(games)
    again.restore(wins.snapshot())
    assert again.rates() == wins.rates()


def test_rates__leave_out_tables_of_the_learner_alone():
    game = JerusalemGame(2)
    wins = WinRates(SelfPlayGames(game, 4))
    finals, _ = _finished_games(game, 4)
    line_ups = np.full((4, 2), -1)
    paid = np.asarray(game.utilities(finals))
    wins.add(Outcome(np.arange(4), paid, np.zeros(4, np.bool_), finals, line_ups))
    assert wins.rates() == {}


def test_profile__shares_sum_to_1_and_nothing_stays_wrapped():
    model = small_model()
    before = set(vars(model.policy)), set(vars(model.rollout_buffer))
    parts = PartTimes(model)
    model.learn(1_500)
    parts.close()
    shares = parts.shares()
    assert sum(shares.values()) == pytest.approx(1.0)
    assert all(share >= -1e-6 for share in shares.values())
    assert {"forward, playing", "backward", "games", "other"} <= set(shares)
    assert min(shares["forward, learning"], shares["backward"], shares["games"]) > 0
    assert set(vars(model.policy)) <= before[0] | {"training"}
    assert "get" not in vars(model.rollout_buffer)
    assert "learned decisions per second" in parts.text()
