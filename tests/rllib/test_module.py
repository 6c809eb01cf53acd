"""The network on RLlib: illegal actions are impossible, whatever the logits (P3)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("ray")
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from agents.rllib import RLlibAgent
from jerusalem_env.jerusalem.game import JerusalemGame
from training.rllib.config import make_config, standard_inputs
from training.rllib.environment import GameMultiAgentEnv
from training.rllib.export import write_agent
from training.rllib.module import MaskedPolicyModule, mask_logits, policy_arrays


def new_module(game: JerusalemGame, hidden: tuple[int, ...] = (8, 8)) -> MaskedPolicyModule:
    env = GameMultiAgentEnv({"make_game": lambda: game})
    mean, factor = standard_inputs(game, 8)
    spec = RLModuleSpec(
        module_class=MaskedPolicyModule,
        observation_space=env.get_observation_space("player_0"),
        action_space=env.get_action_space("player_0"),
        model_config={"hidden": list(hidden), "mean": mean.tolist(), "factor": factor.tolist()},
    )
    module = spec.build()
    assert isinstance(module, MaskedPolicyModule)
    return module


def batch_of(game: JerusalemGame, rows: int, seed: int = 0) -> tuple[dict[str, Any], np.ndarray]:
    """Decisions of games at their beginning, and their masks."""
    states, masks = game.new_states(rows), np.zeros((rows, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(seed, rows, 0), masks)
    observations = {
        "observations": torch.as_tensor(game.observe(states)),
        "action_mask": torch.as_tensor(masks.astype(np.int8)),
    }
    return {Columns.OBS: observations}, masks.astype(np.bool_)


@pytest.mark.parametrize("scale", [1.0, 1e9, 3e38, float("inf")])
def test_mask_logits__leaves_illegal_actions_no_probability(scale: float) -> None:
    """P3: drawn and most probable actions are legal under extreme logits, and gradients finite."""
    generator = torch.Generator().manual_seed(0)
    rng = np.random.default_rng(0)
    for share in (0.01, 0.5):
        legal = torch.as_tensor(rng.random((64, 309)) < share)
        legal[torch.arange(64), torch.as_tensor(rng.integers(0, 309, 64))] = True
        signs = torch.where(torch.rand(legal.shape, generator=generator) < 0.5, -1.0, 1.0)
        for logits in (signs * scale, torch.where(legal, -scale, scale)):
            logits = logits.clone().requires_grad_()
            masked = mask_logits(logits, legal)
            drawn = torch.distributions.Categorical(logits=masked)
            assert (drawn.probs[~legal] == 0).all()
            assert legal[torch.arange(64), masked.argmax(dim=1)].all()
            for _ in range(20):
                assert legal[torch.arange(64), drawn.sample()].all()
            drawn.entropy().sum().backward()
            assert logits.grad is not None
            if np.isfinite(scale):
                assert torch.isfinite(logits.grad).all()


def test_mask_logits__refuses_nan_for_a_legal_action_alone() -> None:
    legal = torch.tensor([[True, False]])
    assert mask_logits(torch.tensor([[1.0, float("nan")]]), legal)[0, 0] == 1.0
    with pytest.raises(ValueError, match="NaN"):
        mask_logits(torch.tensor([[float("nan"), 1.0]]), legal)


def test_mask_logits__bears_rows_without_a_legal_action() -> None:
    """The last observation of a game passes through the network, though nothing is drawn."""
    masked = mask_logits(torch.tensor([[1.0, float("inf")]]), torch.tensor([[False, False]]))
    assert torch.isfinite(torch.log_softmax(masked, dim=1)).all()


@pytest.mark.parametrize("high", [1e9, -1e9, float("inf")])
def test_module__never_acts_illegally_with_an_extreme_network(high: float) -> None:
    """P3, through RLlib's own distribution."""
    game = JerusalemGame(players=3)
    module = new_module(game)
    batch, legal = batch_of(game, 64)
    with torch.no_grad():
        bias = np.where(legal[0], -high, high)
        module.policy[-1].bias.copy_(torch.as_tensor(bias))  # type: ignore[union-attr]
    for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
        out = forward(batch)[Columns.ACTION_DIST_INPUTS]
        distribution = module.get_exploration_action_dist_cls().from_logits(out)
        for _ in range(10):
            assert legal[np.arange(64), distribution.sample().numpy()].all()
        best = distribution.to_deterministic().sample().numpy()
        assert legal[np.arange(64), best].all()


def test_module__is_exported_as_it_is(tmp_path: Path) -> None:
    """The agent that plays without Ray gives the module's logits."""
    game = JerusalemGame(players=2)
    module = new_module(game, (16, 8))
    batch, legal = batch_of(game, 32)
    path = tmp_path / "agent.npz"
    write_agent(path, policy_arrays(module.get_state()), game, {"players": 2}, {})
    agent = RLlibAgent(path, game)
    with torch.no_grad():
        expected = module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS].numpy()
        assert module.compute_values(batch).shape == (32,)
    found = agent.logits(batch[Columns.OBS]["observations"].numpy())
    np.testing.assert_allclose(found[legal], expected[legal], rtol=1e-4, atol=1e-5)
    assert expected[~legal].max() < -1e20


def test_standard_inputs__have_mean_0_and_variance_1() -> None:
    game = JerusalemGame(players=2)
    mean, factor = standard_inputs(game, 16)
    assert mean.shape == factor.shape == (game.observation_size,)
    assert mean.dtype == factor.dtype == np.float32
    assert np.isfinite(mean).all()
    assert np.isfinite(factor).all()
    assert (factor > 0).all()
    assert ((mean == 0) & (factor == 1)).any()  # something never varies
    assert ((mean > 0) & (factor > 1)).sum() > 100


def test_config__refuses_numbers_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="games at once"):
        make_config(JerusalemGame, {"players": 2}, envs_per_runner=64, steps_per_learner=32)
    with pytest.raises(ValueError, match="0 or more"):
        make_config(JerusalemGame, {"players": 2}, env_runners=-1)


def test_config__spreads_a_batch_over_runners_and_learners() -> None:
    config = make_config(
        JerusalemGame,
        {"players": 2},
        env_runners=8,
        envs_per_runner=4,
        learners=2,
        steps_per_learner=1_024,
    )
    config.validate()
    assert config.gamma == 1.0
    assert config.total_train_batch_size == 2_048
    assert config.get_rollout_fragment_length(worker_index=1) * 8 * 4 == 2_048
