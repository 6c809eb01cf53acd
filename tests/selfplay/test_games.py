"""Games for self-play: pay, masks, line-ups, opponents that change while training runs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from agents.registry import make_agent
from jerusalem_env.errors import IllegalActionError
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.pitfalls.equipment import fields_of
from training.selfplay.games import SelfPlayGames
from training.selfplay.opponents import BotTables, OpponentPool
from training.selfplay.ppo import SelfPlayPPO

from .equipment import random_actions, small_model

LEARNER = -1


class _First:
    """A past policy that takes the first legal action, and counts its calls."""

    def __init__(self):
        self.rows = 0

    def act_on(self, observations, masks, rng):
        self.rows += len(masks)
        return masks.argmax(axis=1)


class _Last:
    """A bot without a kernel."""

    name = "last"
    rows = 0

    def reset(self, seed):
        pass

    def act(self, views, masks):
        self.rows += len(views)
        assert (views["to_act"] == 0).all()  # its view, not the state
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def _play(games, ticks, rng):
    """Random play of the learner; yields each outcome."""
    for _ in range(ticks):
        rows = np.flatnonzero(games.players == LEARNER)
        yield games.advance(rows, random_actions(games.masks[rows], rng))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pay__sums_to_the_engines_in_every_seat(players):
    """P1: what the buffer credits to each seat of each game is what the engine says of its end."""
    game = JerusalemGame(players)
    games = SelfPlayGames(game, 8, seed=3)
    model = SelfPlayPPO("MlpPolicy", games, n_steps=700, device="cpu", seed=1)
    model._last_obs = games.reset()
    buffer = model.rollout_buffer
    buffer.begin()
    latest: dict[tuple[int, int], int] = {}  # row of each seat's latest decision, kept apart
    expected: dict[int, float] = {}  # what the engine says of the row
    for _ in range(700):
        first = buffer.rows
        slots, seats = np.arange(8), games.seats.copy()
        outcome, _ = model._tick(games, buffer)
        for slot in slots:
            latest[int(slot), int(seats[slot])] = first + int(slot)
        for row, slot in enumerate(outcome.finished):
            utilities = game.utilities(outcome.finals[row : row + 1])[0]
            assert np.isclose(utilities.sum(), 0.0)
            assert (utilities < 0).any(), "losers get their loss"
            for seat in range(players):
                expected[latest.pop((int(slot), seat))] = float(utilities[seat])
    buffer.finish()
    assert len(expected) >= 8 * players
    # Each seat's last decision of a game is paid, and nothing is paid besides.
    paid = {int(row): float(buffer.rewards[row]) for row in np.flatnonzero(buffer.rewards)}
    assert paid == pytest.approx(expected)
    assert buffer.unheard == 0


def test_masks_and_observations__are_the_engines_after_every_tick():
    """P7: also those of games dealt within the tick."""
    game = JerusalemGame(3)
    pool = OpponentPool([BotTables(0.5, (make_agent("greedy"),))])
    games = SelfPlayGames(game, 6, seed=1, pool=pool)
    games.reset()
    rng = np.random.default_rng(0)
    finished = 0
    for outcome in _play(games, 500, rng):
        finished += len(outcome.finished)
        masks = np.zeros_like(games.masks)
        game.legal(games.states, masks)
        assert (masks == games.masks).all()
        assert games.masks.any(axis=1).all()  # P4
        seen = np.zeros_like(games.observations)
        game.observe(games.states, out=seen)
        assert (seen == games.observations).all()
        assert (games.seats == game.to_act(games.states)).all()
    assert finished > 6


def test_deals__depend_on_the_seed_and_the_slot_alone():
    """Game e in slot i is that of ``derive_seeds``, whoever plays."""
    game = JerusalemGame(2)
    games = SelfPlayGames(game, 4, seed=9)
    games.reset()
    states, masks = game.new_states(4), np.zeros((4, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(9, 4, 0), masks)
    assert fields_of(states) == fields_of(games.states)
    rng = np.random.default_rng(0)
    for outcome in _play(games, 400, rng):
        for slot in outcome.finished:
            episode = int(games.episodes[slot])
            fresh, mask = game.new_states(1), np.zeros((1, game.num_actions), np.uint8)
            game.reset(fresh, game.derive_seeds(9, 4, episode)[slot : slot + 1], mask)
            assert fields_of(fresh) == fields_of(games.states[slot : slot + 1])
    assert games.episodes.min() >= 1


def test_line_ups__shares_are_exact_and_seats_uniform():
    """P21: each seat is the learner's equally often; every bot comes to play."""
    bots = (make_agent("greedy"), make_agent("expert"))
    pool = OpponentPool([BotTables(0.25, bots[:1]), BotTables(0.25, bots)], past=0.25)
    kinds = pool.kinds(16)
    assert Counter(kinds.tolist()) == {0: 4, 1: 4, -2: 4, -1: 4}
    rng = np.random.default_rng(0)
    seats = Counter()
    players = Counter()
    for _ in range(4_000):
        line_up = pool.line_up(1, 4, rng)
        assert (line_up == LEARNER).sum() == 1
        seats[int(np.flatnonzero(line_up == LEARNER)[0])] += 1
        players.update(line_up[line_up >= 0].tolist())
    assert all(abs(count - 1_000) < 110 for count in seats.values())  # 4 standard deviations
    assert set(players) == {1, 2}  # bots are counted through all tables: 0 is the first table's
    assert abs(players[1] - players[2]) < 450


def test_line_ups__without_past_policies_the_learner_plays_all_seats():
    pool = OpponentPool(past=1.0)
    assert (pool.line_up(-2, 3, np.random.default_rng(0)) == LEARNER).all()


def test_line_ups__with_past_policies_never_all_or_none():
    pool = OpponentPool(past=1.0, keep=2)
    pool.add_past(10, _First())
    pool.add_past(20, _First())
    rng = np.random.default_rng(0)
    drawn = np.array([pool.line_up(-2, 3, rng) for _ in range(500)])
    learners = (drawn == LEARNER).sum(axis=1)
    assert set(learners.tolist()) == {1, 2}
    assert set(drawn.flatten().tolist()) == {-1, 0, 1}
    by_seat = (drawn == LEARNER).mean(axis=0)
    assert (np.abs(by_seat - 0.5) < 0.1).all()


def test_past__what_is_kept_covers_all_of_the_training():
    pool = OpponentPool(past=1.0, keep=4)
    for decisions in range(0, 1_000, 10):
        pool.add_past(decisions, _First())
    ages = sorted(past.decisions for past in pool.past)
    assert ages[0] == 0
    assert ages[-1] == 990
    assert max(np.diff(ages)) < 700


def test_pool__swaps_while_games_run():
    """P21: a policy added during the training plays in games dealt after that."""
    pool = OpponentPool(past=1.0, keep=2)
    games = SelfPlayGames(JerusalemGame(2), 4, seed=0, pool=pool)
    games.reset()
    rng = np.random.default_rng(0)
    assert (games.line_up == LEARNER).all()
    first, second = _First(), _First()
    pool.add_past(1, first)
    for _ in _play(games, 400, rng):
        pass
    assert first.rows > 0
    pool.add_past(2, second)
    for _ in _play(games, 600, rng):
        pass
    assert second.rows > 0


def test_bots__without_a_kernel_are_asked_with_their_views():
    bot = _Last()
    pool = OpponentPool([BotTables(1.0, (bot, make_agent("greedy")))])
    games = SelfPlayGames(JerusalemGame(3), 6, seed=0, pool=pool)
    games.reset()
    rng = np.random.default_rng(0)
    finished = sum(len(outcome.finished) for outcome in _play(games, 900, rng))
    assert finished > 0
    assert bot.rows > 100


def test_compiled_bots__play_exactly_as_asked_one_by_one():
    """The same games with the kernel taken away: the same ends."""

    class Asked:
        name = "greedy"

        def __init__(self):
            self.inner = make_agent("greedy")

        def reset(self, seed):
            self.inner.reset(seed)

        def act(self, views, masks):
            return self.inner.act(views, masks)

    ends = []
    for bot in (make_agent("greedy"), Asked()):
        pool = OpponentPool([BotTables(1.0, (bot,))])
        games = SelfPlayGames(JerusalemGame(2), 3, seed=5, pool=pool)
        games.reset()
        finals: dict[tuple[int, int], bytes] = {}
        for _ in range(3_000):
            rows = np.flatnonzero(games.players == LEARNER)
            first = games.masks[rows].argmax(axis=1)
            episodes, line_ups = games.episodes.copy(), games.line_up.copy()
            outcome = games.advance(rows, first)
            for row, slot in enumerate(outcome.finished):
                if episodes[slot] == 0:
                    finals[int(slot), 0] = fields_of(outcome.finals[row : row + 1])
                    assert (outcome.line_ups[row] == line_ups[slot]).all()
            if len(finals) == 3:
                break
        ends.append(finals)
    assert len(ends[0]) == 3
    assert ends[0] == ends[1]


def test_rewards__are_the_weighted_sum():
    game = JerusalemGame(2)
    mixed = [(1.0, game), (0.5, JerusalemGame(2, reward="margin"))]
    games = SelfPlayGames(game, 4, seed=2, rewards=mixed)
    games.reset()
    ended = 0
    for outcome in _play(games, 400, np.random.default_rng(0)):
        if len(outcome.finished):
            ended += 1
            floors = outcome.finals["floors"][:, :2].astype(float)
            margin = (floors - floors[:, ::-1]) / 10.0
            expected = game.utilities(outcome.finals) + 0.5 * margin
            assert outcome.utilities == pytest.approx(expected)
    assert ended


def test_illegal_action__changes_nothing_and_is_named():
    games = SelfPlayGames(JerusalemGame(2), 3, seed=0)
    games.reset()
    before = fields_of(games.states)
    actions = games.masks.argmax(axis=1).astype(np.int64)
    actions[1] = int(games.masks[1].argmin())
    with pytest.raises(IllegalActionError, match="slot 1"):
        games.advance(np.arange(3), actions)
    assert fields_of(games.states) == before


def test_step__is_refused_because_it_would_lose_rewards():
    games = SelfPlayGames(JerusalemGame(2), 2)
    with pytest.raises(NotImplementedError, match="SelfPlayPPO"):
        games.step(np.zeros(2, np.int64))


def test_snapshot__goes_on_identically():
    pool = OpponentPool([BotTables(0.5, (make_agent("expert"),))])
    games = SelfPlayGames(JerusalemGame(2), 6, seed=4, pool=pool)
    games.reset()
    rng = np.random.default_rng(0)
    for _ in _play(games, 150, rng):
        pass
    arrays = {name: array.copy() for name, array in games.snapshot().items()}
    generator = games.rng.bit_generator.state
    other = SelfPlayGames(
        JerusalemGame(2), 6, seed=4, pool=OpponentPool([BotTables(0.5, (make_agent("expert"),))])
    )
    other.reset()
    other.restore(arrays, generator)
    one, two = np.random.default_rng(1), np.random.default_rng(1)
    for a, b in zip(_play(games, 300, one), _play(other, 300, two), strict=True):
        assert (a.finished == b.finished).all()
        assert (a.utilities == b.utilities).all()
        assert (games.observations == other.observations).all()
    assert fields_of(games.states) == fields_of(other.states)


@pytest.mark.parametrize(
    ("tables", "past", "message"),
    [
        ([BotTables(0.7, (make_agent("greedy"),))], 0.4, "at most 1"),
        ([BotTables(-0.1, (make_agent("greedy"),))], 0.0, "0 or more"),
        ([BotTables(0.5, ())], 0.0, "at least one bot"),
    ],
)
def test_pool__refuses_shares_that_make_no_sense(tables, past, message):
    with pytest.raises(ValueError, match=message):
        OpponentPool(tables, past=past)


def test_model__needs_self_play_games():
    with pytest.raises(ValueError, match="SelfPlayGames"):
        SelfPlayPPO("MlpPolicy", "CartPole-v1")  # type: ignore[arg-type]


def test_model__refuses_to_learn_without_masks():
    """P8."""
    with pytest.raises(ValueError, match="masks"):
        small_model().learn(10, use_masking=False)
