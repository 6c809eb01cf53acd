"""The masked policy: what is illegal has no probability, whatever the logits."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from agents.network import MaskedPolicy

_FEATURES, _ACTIONS = 5, 7


def _policy(**kwargs):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return MaskedPolicy(
            spaces.Box(0, 9, (_FEATURES,), np.uint8),
            spaces.Discrete(_ACTIONS),
            lambda progress: 1e-3,
            net_arch={"pi": [8], "vf": [8]},
            features_extractor_kwargs={"layers": (16,)},
            **kwargs,
        )


POLICY = _policy()


def _masks(seed, rows=64):
    rng = np.random.default_rng(seed)
    masks = rng.random((rows, _ACTIONS)) < 0.4
    masks[np.arange(rows), rng.integers(_ACTIONS, size=rows)] = True
    return torch.from_numpy(masks)


@given(
    seed=st.integers(0, 10_000),
    scale=st.sampled_from([1.0, 1e3, 1e9, 3e38]),
    low=st.floats(0.0, 1.0),
)
def test_extreme_logits__never_give_an_illegal_action(seed, scale, low):
    """P3: the legal ones may be 1e9 below the illegal ones."""
    rng = np.random.default_rng(seed)
    masks = _masks(seed)
    logits = torch.from_numpy(rng.normal(size=masks.shape)).clamp(-1, 1).float() * scale
    logits = torch.where(masks & torch.tensor(rng.random(masks.shape) < low), -abs(logits), logits)
    log_probabilities = POLICY.log_probabilities(logits, masks)
    assert (log_probabilities[~masks] == -torch.inf).all()
    assert torch.exp(log_probabilities).sum(dim=1) == pytest.approx(1.0, abs=1e-5)
    for uniform in (rng.random(len(masks)), np.zeros(len(masks)), np.full(len(masks), 1 - 1e-16)):
        actions = POLICY.draw(log_probabilities, torch.from_numpy(uniform))
        assert masks[torch.arange(len(masks)), actions].all()


def test_nan__is_an_error_and_not_an_action():
    """P3."""
    masks = _masks(0)
    logits = torch.zeros(masks.shape)
    logits[3, masks[3].nonzero()[0]] = torch.nan
    with pytest.raises(ValueError, match="NaN"):
        POLICY.log_probabilities(logits, masks)


def test_nan__of_an_illegal_action_does_not_matter():
    masks = _masks(0)
    masks[3, 2] = False
    masks[3, 4] = True
    logits = torch.zeros(masks.shape)
    logits[3, 2] = torch.nan
    assert torch.isfinite(POLICY.log_probabilities(logits, masks)[masks]).all()


def test_row_without_a_legal_action__is_an_error():
    """P4."""
    masks = _masks(0)
    masks[5] = False
    with pytest.raises(ValueError, match="no legal action"):
        POLICY.log_probabilities(torch.zeros(masks.shape), masks)


def test_masks__are_required():
    """P8."""
    seen = torch.zeros((2, _FEATURES), dtype=torch.uint8)
    with pytest.raises(ValueError, match="masks"):
        POLICY(seen)
    with pytest.raises(ValueError, match="masks"):
        POLICY.evaluate_actions(seen, torch.zeros(2))


def test_probabilities_and_entropies__equal_those_of_sb3():
    seen = torch.randint(0, 9, (64, _FEATURES), generator=torch.Generator().manual_seed(1))
    masks = _masks(1)
    actions = masks.float().argmax(dim=1)
    values, chosen, entropies = POLICY.evaluate_actions(seen, actions, masks)
    logits, plain_values = POLICY.outputs(seen)
    reference = MaskableCategorical(logits=logits, masks=masks)
    assert torch.allclose(chosen, reference.log_prob(actions), atol=1e-5)
    assert torch.allclose(entropies, reference.entropy(), atol=1e-5)
    assert torch.equal(values.flatten(), plain_values)
    assert torch.equal(POLICY.predict_values(seen).flatten(), plain_values)


def test_gradients__are_finite_where_probabilities_are_zero():
    seen = torch.zeros((64, _FEATURES), dtype=torch.uint8)
    masks = _masks(2)
    policy = _policy()
    _, chosen, entropies = policy.evaluate_actions(seen, masks.float().argmax(dim=1), masks)
    (chosen.mean() + entropies.mean()).backward()
    assert all(torch.isfinite(x.grad).all() for x in policy.parameters() if x.grad is not None)


def test_draw__follows_the_probabilities():
    log_probabilities = torch.log(torch.tensor([[0.0, 0.5, 0.0, 0.2, 0.3]])).repeat(20_000, 1)
    uniform = torch.from_numpy(np.random.default_rng(0).random(20_000))
    counts = torch.bincount(POLICY.draw(log_probabilities, uniform), minlength=5) / 20_000
    assert counts[[0, 2]].sum() == 0
    assert counts[[1, 3, 4]].tolist() == pytest.approx([0.5, 0.2, 0.3], abs=0.015)


def test_inputs__are_brought_to_mean_0_and_variance_1():
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 9, (5_000, _FEATURES)).astype(np.uint8)
    seen[:, 2] = 4  # never varies
    policy = _policy()
    trunk = policy.features_extractor
    trunk.fit_inputs(seen)
    inputs = (torch.from_numpy(seen).float() - trunk.mean) * trunk.factor
    assert inputs.mean(dim=0).tolist() == pytest.approx([0.0] * _FEATURES, abs=1e-4)
    assert inputs.std(dim=0).tolist() == pytest.approx([1, 1, 0, 1, 1], abs=1e-3)


def test_bfloat16__is_close_and_probabilities_still_sum_to_1():
    seen = torch.randint(0, 9, (64, _FEATURES), generator=torch.Generator().manual_seed(1))
    masks = _masks(3)
    half = _policy(precision="bfloat16")
    half.load_state_dict(POLICY.state_dict())
    one, two = (policy.outputs(seen) for policy in (POLICY, half))
    assert torch.allclose(one[0], two[0], atol=0.02)
    assert torch.allclose(one[1], two[1], atol=0.05)
    assert two[0].dtype == two[1].dtype == torch.float32
    total = torch.exp(half.log_probabilities(two[0], masks)).sum(dim=1)
    assert total.tolist() == pytest.approx([1.0] * 64, abs=1e-5)


def test_precision__is_one_of_two():
    with pytest.raises(ValueError, match="precision"):
        _policy(precision="float16")
