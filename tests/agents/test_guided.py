"""Search among a learned policy's decisions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.base import AgentError
from agents.learned import PPOAgent
from agents.registry import make_agent
from agents.search.guided import GuidedSearchAgent
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.selfplay.equipment import small_model

pytestmark = pytest.mark.slow  # a search for two players, to compile

GAME = JerusalemGame(2)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy that has learned next to nothing."""
    torch.set_num_threads(1)
    model = small_model(GAME, seed=4)
    path = tmp_path_factory.mktemp("guided") / "agent.zip"
    model.save_agent(path)
    return path


def positions(games: int, plies: int) -> tuple[np.ndarray, np.ndarray]:
    """States some random decisions into their games, and their masks."""
    states, masks = GAME.new_states(games), np.zeros((games, GAME.num_actions), np.uint8)
    GAME.reset(states, GAME.derive_seeds(11, games, 0), masks)
    rng = np.random.default_rng(0)
    for _ in range(plies):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        GAME.step(states, actions, masks)
    return states, masks


def test_choice__is_among_what_the_policy_thinks_of(checkpoint: Path) -> None:
    agent = make_agent(f"guided:16:{checkpoint}", GAME)
    assert isinstance(agent, GuidedSearchAgent)
    states, masks = positions(24, 40)
    views = GAME.views(states)
    given = agent.proposals(views, masks)
    assert (given[:, 0] == PPOAgent(checkpoint, GAME).act(views, masks)).all()
    for row, choices in enumerate(given):
        chosen = choices[choices >= 0]
        assert masks[row, chosen].all()
        assert len(set(chosen.tolist())) == len(chosen)
    actions = agent.act(views, masks)
    assert (given == actions[:, None]).any(axis=1).all()
    assert (actions != given[:, 0]).any(), "it only ever plays the policy's own choice"


def test_sure_policy__plays_without_searching(checkpoint: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    agent = make_agent(f"guided:16:{checkpoint}", GAME)
    states, masks = positions(6, 10)
    sharp = np.where(np.arange(GAME.num_actions) == masks.argmax(axis=1)[:, None], 50.0, 0.0)
    monkeypatch.setattr(agent._policy, "logits_of", lambda views: sharp)  # type: ignore[attr-defined]
    actions = agent.act(GAME.views(states), masks)
    assert (actions == masks.argmax(axis=1)).all()
    assert agent.playouts == 0  # type: ignore[attr-defined]


def test_choice__is_the_same_under_any_redeal_and_in_any_batch(checkpoint: Path) -> None:
    """P13: it knows no more than its view."""
    agent = make_agent(f"guided:16:{checkpoint}", GAME)
    states, masks = positions(12, 60)
    views = GAME.views(states)
    agent.reset(3)
    actions = agent.act(views, masks)
    others = GAME.redeal(views, np.random.default_rng(5))
    agent.reset(3)
    assert (agent.act(GAME.views(others), masks) == actions).all()
    for row in range(3):
        assert agent.act(views[row : row + 1], masks[row : row + 1])[0] == actions[row]


def test_registry__names_the_budget(checkpoint: Path) -> None:
    assert make_agent(f"guided:16:{checkpoint}", GAME).name == f"guided:16:{checkpoint}"
    for name in ("guided", "guided:", "guided:much"):
        with pytest.raises(AgentError, match="guided:100"):
            make_agent(name, GAME)
    with pytest.raises(AgentError, match=r"4\.\."):
        make_agent(f"guided:2:{checkpoint}", GAME)
