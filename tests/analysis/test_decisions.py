"""Gathering: the games are those that were played, the numbers those of the positions."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from agents.base import Agent
from agents.learned import PPOAgent
from agents.registry import shipped_checkpoint
from jerusalem_env import jerusalem_v0
from jerusalem_env.jerusalem.game import JerusalemGame
from training.analysis.decisions import (
    AnalysisError,
    Decisions,
    gather,
    paid,
    strength,
    training_reward,
)
from training.evaluate import evaluate
from training.one_thread import networks_on_one_thread

from .conftest import SEED


def test_gather__agrees_with_a_replay_by_raw_env(game: JerusalemGame, alone: Decisions) -> None:
    env = jerusalem_v0.raw_env(players=4)
    for number in range(len(alone.finals)):
        rows = np.flatnonzero(alone.games == number)
        env.reset(seed=0)
        env.set_position(game.write_position(alone.states[rows[0]]))
        for row in rows:
            seat = int(alone.seats[row])
            assert env.agent_selection == f"player_{seat}"
            mask = env.observe(env.agent_selection)["action_mask"]
            np.testing.assert_array_equal(mask > 0, alone.masks[row])
            env.step(int(alone.actions[row]))
        assert not env.agents or all(env.terminations.values())
        wins = paid(alone.finals[number : number + 1], 4, {"win": 1.0})[0]
        assert [env.rewards[f"player_{seat}"] for seat in range(4)] == pytest.approx(list(wins))


def test_gather__keeps_what_the_agent_thinks(
    game: JerusalemGame, agent: PPOAgent, alone: Decisions
) -> None:
    rows = np.arange(0, alone.size, 37)
    views, masks = game.views(alone.states[rows]), alone.masks[rows]
    with networks_on_one_thread():
        judgement = agent.judge(views, masks)
        np.testing.assert_array_equal(agent.act(views, masks), alone.actions[rows])
    assert judgement.values is not None
    np.testing.assert_allclose(judgement.values, alone.values[rows], atol=1e-5)
    given = judgement.probabilities[np.arange(len(rows)), alone.actions[rows]]
    np.testing.assert_allclose(given, alone.probabilities[rows], atol=1e-5)
    assert (alone.masks.sum(axis=1) > 1).all()
    assert alone.masks[np.arange(alone.size), alone.reference_actions].all()


def test_gather__plays_the_games_of_an_evaluation(
    game: JerusalemGame, agent: Agent, expert: Agent
) -> None:
    found = gather(agent, [expert], game, 6, SEED)
    with networks_on_one_thread():
        measured = evaluate(agent, [expert], game, 6, SEED)
    assert strength(found)[0]["value"] == pytest.approx(measured.win_rate)
    assert found.agent_seats.sum() == measured.games == 24
    assert (found.agent_seats.sum(axis=0) == 6).all()  # each seat as often as the others


def test_gather__pays_each_seat_what_its_training_did(alone: Decisions) -> None:
    both = paid(alone.finals, 4, {"win": 1.0, "margin": 0.5})
    np.testing.assert_allclose(both.sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(alone.returns, both[alone.games, alone.seats])
    assert (alone.wins == (alone.finals["winner"][alone.games] == alone.seats)).all()


@pytest.mark.slow
def test_gather__depends_on_its_seed_alone(
    game: JerusalemGame, agent: Agent, expert: Agent
) -> None:
    one, two = (gather(agent, [], game, 1, 9, reference=expert, sample=True) for _ in range(2))
    for name in ("actions", "values", "reference_actions", "returns"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    other = gather(agent, [], game, 1, 10, sample=True)
    assert other.size != one.size or (other.actions != one.actions).any()


def test_gather__a_bot_in_its_own_place_wins_its_share(game: JerusalemGame, expert: Agent) -> None:
    """Asked one by one it has the chance of each game, and not one opening for all deals."""
    found = gather(expert, [expert], game, 150, 11)
    won = strength(found)[0]
    assert won["low"] <= 0.25 <= won["high"]
    assert (found.probabilities == 1.0).all()
    assert np.isnan(found.values).all()


def test_gather__refuses_too_much_and_the_wrong_table(
    game: JerusalemGame, agent: Agent, expert: Agent
) -> None:
    with pytest.raises(AnalysisError, match="fewer deals"):
        gather(expert, [expert], game, 2, 0, most=10)
    with pytest.raises(AnalysisError, match="0, 1 or 3"):
        gather(agent, [expert, expert], game, 2, 0)


def test_decisions__tell_who_played(alone: Decisions, at_experts: Decisions) -> None:
    assert alone.about().startswith("ppo against itself: 3 games on 3 deals")
    assert at_experts.about().startswith("ppo against expert: 8 games on 2 deals")
    np.testing.assert_array_equal(
        at_experts.mine("silver"),
        at_experts.states["silver"][np.arange(at_experts.size), at_experts.seats],
    )
    assert at_experts.agent_seats[at_experts.games, at_experts.seats].all()
    assert dataclasses.is_dataclass(at_experts)


def test_training_reward__is_read_from_the_card(game: JerusalemGame) -> None:
    assert training_reward(shipped_checkpoint(game)) == {"win": 1.0, "margin": 0.5}
    with pytest.raises(AnalysisError, match="no card"):
        training_reward(shipped_checkpoint(game).with_name("nobody.zip"))
