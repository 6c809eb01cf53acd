"""Chains of decisions: returns per seat, what waits, what a truncation is worth."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from training.selfplay.buffer import ENDED, OPEN, SeatRolloutBuffer

_FEATURES, _ACTIONS = 3, 4


def _buffer(ticks=8, slots=1, seats=2, gamma=1.0, gae_lambda=1.0):
    return SeatRolloutBuffer(
        ticks,
        spaces.Box(0, 9, (_FEATURES,), np.uint8),
        spaces.Discrete(_ACTIONS),
        "cpu",
        gae_lambda=gae_lambda,
        gamma=gamma,
        n_envs=slots,
        seats=seats,
    )


def _decide(buffer, slot, seat, value=0.0, label=0):
    """One decision; ``label`` is found again in its observation."""
    buffer.add_decisions(
        np.array([slot]),
        np.array([seat]),
        np.full((1, _FEATURES), label, np.uint8),
        np.ones((1, _ACTIONS), np.bool_),
        np.array([label % _ACTIONS]),
        np.array([value], np.float32),
        np.array([-1.0], np.float32),
    )


def _end(buffer, slot, utilities, final_values=None):
    buffer.end_games(
        np.array([slot]),
        np.array([utilities]),
        np.ones((1, len(utilities)), np.bool_),
        None if final_values is None else np.array([final_values]),
    )


def test_returns__table_of_a_short_game():
    """P2: seats 0, 1, 0, 0, 2 decide, and seat 1 wins: every decision of a seat returns its pay."""
    buffer = _buffer(seats=3)
    buffer.begin()
    for label, seat in enumerate((0, 1, 0, 0, 2)):
        _decide(buffer, 0, seat, label=label)
    _end(buffer, 0, [-0.5, 1.0, -0.5])
    buffer.finish()
    assert buffer.returns[:5] == pytest.approx([-0.5, 1.0, -0.5, -0.5, -0.5])
    assert buffer.successors[:5].tolist() == [2, ENDED, 3, ENDED, ENDED]
    assert buffer.trainable.tolist() == [0, 1, 2, 3, 4]


def test_pay__reaches_a_seat_that_decided_long_before_the_end():
    """P1: the loser's last decision is the first of the game; others decide until it is over."""
    buffer = _buffer(ticks=20)
    buffer.begin()
    _decide(buffer, 0, 1)
    for _ in range(15):
        _decide(buffer, 0, 0)
    _end(buffer, 0, [1.0, -1.0])
    buffer.finish()
    assert buffer.rewards[0] == -1.0
    assert buffer.returns[0] == pytest.approx(-1.0)
    assert buffer.rewards[1:16].tolist() == [0.0] * 14 + [1.0]


def test_pay__to_a_learner_without_a_decision_is_counted():
    buffer = _buffer()
    buffer.begin()
    _decide(buffer, 0, 0)
    _end(buffer, 0, [1.0, -1.0])
    assert buffer.unheard == 1


def test_waiting__is_learned_from_once_and_with_the_true_successor():
    """A decision whose successor is in the next rollout waits for it, value and all."""
    buffer = _buffer(ticks=2)
    buffer.begin()
    _decide(buffer, 0, 0, value=0.25, label=1)
    _decide(buffer, 0, 1, value=0.50, label=2)
    buffer.finish()
    assert buffer.trainable.tolist() == []
    buffer.begin()
    assert buffer.rows == 2
    _decide(buffer, 0, 0, value=0.75, label=3)
    _end(buffer, 0, [1.0, -1.0])
    buffer.finish()
    assert sorted(buffer.observations[buffer.trainable, 0].tolist()) == [1, 2, 3]
    assert buffer.returns[buffer.trainable] == pytest.approx([1.0, -1.0, 1.0])
    assert buffer.values[:3].tolist() == [0.25, 0.5, 0.75]


def test_waiting__bootstraps_what_leads_to_it():
    """With lambda 0 a decision returns the value of the same seat's next one alone."""
    buffer = _buffer(ticks=4, gae_lambda=0.0)
    buffer.begin()
    _decide(buffer, 0, 0, value=0.1)
    _decide(buffer, 0, 1, value=-9.0)
    _decide(buffer, 0, 0, value=0.6)
    buffer.finish()
    assert buffer.trainable.tolist() == [0]
    assert buffer.returns[0] == pytest.approx(0.6)


def test_pay__of_two_games_that_end_in_one_tick_in_one_slot():
    """The first is that of the decisions; of the second the learner has not heard."""
    buffer = _buffer()
    buffer.begin()
    _decide(buffer, 0, 0)
    slots, learners = np.array([0, 0]), np.array([[True, False], [False, True]])
    buffer.end_games(slots, np.array([[1.0, -1.0], [-1.0, 1.0]]), learners)
    buffer.finish()
    assert buffer.rewards[0] == 1.0
    assert buffer.unheard == 1


def test_next_game__does_not_follow_from_the_last():
    """P11: the first decision after a game has ended belongs to another chain."""
    buffer = _buffer()
    buffer.begin()
    _decide(buffer, 0, 0, value=0.3)
    _end(buffer, 0, [-1.0, 1.0])
    _decide(buffer, 0, 0, value=5.0)
    buffer.finish()
    assert buffer.returns[0] == pytest.approx(-1.0)
    assert buffer.successors[:2].tolist() == [ENDED, OPEN]


def test_truncation__is_not_an_end():
    """P12: a truncated game pays nothing; its last decisions return what was hoped for."""
    buffer = _buffer()
    buffer.begin()
    _decide(buffer, 0, 0, value=0.1)
    _decide(buffer, 0, 1, value=0.2)
    _end(buffer, 0, [0.0, 0.0], final_values=[0.4, -0.7])
    buffer.finish()
    assert buffer.returns[:2] == pytest.approx([0.4, -0.7])


def _slow_advantages(values, rewards, successors, gamma, gae_lambda):
    """Sums along each chain, straight from the definition."""
    advantages = np.zeros(len(values))
    for row in range(len(values)):
        at, weight, total = row, 1.0, 0.0
        while successors[at] != OPEN:
            after = successors[at]
            following = 0.0 if after == ENDED else values[after]
            total += weight * (rewards[at] + gamma * following - values[at])
            if after == ENDED:
                break
            weight *= gamma * gae_lambda
            at = after
        advantages[row] = total
    return advantages


@given(
    seed=st.integers(0, 10_000),
    gamma=st.sampled_from([1.0, 0.9]),
    gae_lambda=st.sampled_from([0.0, 0.7, 1.0]),
)
def test_advantages__equal_the_definition_over_random_games(seed, gamma, gae_lambda):
    """Over three rollouts each decision is learned from at most once; at the end the rest waits."""
    rng = np.random.default_rng(seed)
    slots, seats, ticks = 3, 3, 12
    buffer = _buffer(ticks, slots, seats, gamma, gae_lambda)
    decided = learned = 0
    for _ in range(3):
        buffer.begin()
        for _ in range(ticks):
            for slot in range(slots):
                _decide(buffer, slot, int(rng.integers(seats)), value=float(rng.normal()))
                decided += 1
                if rng.random() < 0.15:
                    _end(buffer, slot, rng.normal(size=seats))
        buffer.finish()
        rows = buffer.rows
        expected = _slow_advantages(
            buffer.values[:rows].astype(float),
            buffer.rewards[:rows].astype(float),
            buffer.successors[:rows],
            gamma,
            gae_lambda,
        )
        assert buffer.advantages[:rows] == pytest.approx(expected, abs=1e-4)
        later = buffer.successors[:rows]
        assert (later[later >= 0] > np.flatnonzero(later >= 0)).all()
        learned += len(buffer.trainable)
    assert decided - learned == (buffer.last_rows >= 0).sum()


def test_minibatches__cover_the_rollout_once_without_a_small_rest():
    buffer = _buffer(ticks=100)
    buffer.begin()
    for label in range(100):
        _decide(buffer, 0, 0, label=label)
    _end(buffer, 0, [1.0, -1.0])
    buffer.finish()
    parts = list(buffer.get(33))
    assert [len(part.actions) for part in parts] == [34, 33, 33]
    seen = np.concatenate([part.observations[:, 0].numpy() for part in parts])
    assert sorted(seen.tolist()) == list(range(100))
    assert seen.tolist() != list(range(100))


def test_minibatches__need_a_finished_rollout():
    buffer = _buffer()
    buffer.begin()
    with pytest.raises(ValueError, match="not finished"):
        next(buffer.get(4))


def test_full__refuses_more_decisions():
    buffer = _buffer(ticks=1, seats=2)
    buffer.begin()
    for seat in (0, 1, 0):
        _decide(buffer, 0, seat)
    with pytest.raises(ValueError, match="full"):
        _decide(buffer, 0, 1)


def test_spaces__of_other_kinds_are_refused():
    box, discrete = spaces.Box(0, 1, (2,)), spaces.Discrete(2)
    with pytest.raises(ValueError, match="Box"):
        SeatRolloutBuffer(1, discrete, discrete)
    with pytest.raises(ValueError, match="Discrete"):
        SeatRolloutBuffer(1, box, box)
