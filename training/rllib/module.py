"""The network that plays every seat, as an RLModule of RLlib: illegal actions have probability 0.

Policy and value are two plain multi-layer perceptrons over standardised inputs, so that the policy
can be written to a file and played without Ray (``agents/rllib.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from torch import nn

from agents.rllib import INPUT_CLIP

# A legal logit is at least -_BOUND, an illegal one _ILLEGAL: exp of the difference is 0 in float32,
# and neither is so large that sums overflow.
_BOUND, _ILLEGAL = 1e9, -1e30


def mask_logits(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """(B, A) logits of which illegal ones have probability 0 exactly, whatever they were (P3).

    RLlib's own example adds -3.4e38 to illegal logits, which an infinite logit outweighs; here they
    are replaced. A row without a legal action, such as the last observation of a game, is left with
    equal logits: no action is drawn from it and no loss taken.

    Raises
    ------
    ValueError
        If a legal action's logit is NaN.
    """
    if torch.isnan(logits).any() and torch.isnan(logits[legal]).any():
        raise ValueError(
            "the policy gives NaN for a legal action; the training has diverged: lower the "
            "learning rate and go on from an earlier checkpoint"
        )
    return torch.where(legal, torch.clamp(logits, -_BOUND, _BOUND), _ILLEGAL)


def perceptron(sizes: Sequence[int], last_gain: float) -> nn.Sequential:
    """Linear layers of these sizes with ReLU between; the last one starts small."""
    parts: list[nn.Module] = []
    for wide, narrow in pairwise(sizes):
        layer = nn.Linear(wide, narrow)
        nn.init.orthogonal_(layer.weight, gain=2**0.5)
        nn.init.zeros_(layer.bias)
        parts += [layer, nn.ReLU()]
    last = parts[-2]
    assert isinstance(last, nn.Linear)
    nn.init.orthogonal_(last.weight, gain=last_gain)
    return nn.Sequential(*parts[:-1])


class MaskedPolicyModule(TorchRLModule, ValueFunctionAPI):
    """Actor and critic over ``{"observations", "action_mask"}``, for PPO and its relatives.

    ``model_config``: ``hidden``, the widths of the layers between input and output; ``mean`` and
    ``factor``, (F,) lists that bring inputs to mean 0 and variance 1.
    """

    def setup(self) -> None:
        """Build both networks."""
        settings = self.model_config
        size = int(self.observation_space["observations"].shape[0])
        actions = int(self.action_space.n)
        hidden = [int(width) for width in settings["hidden"]]
        self.register_buffer("mean", torch.tensor(settings["mean"], dtype=torch.float32))
        self.register_buffer("factor", torch.tensor(settings["factor"], dtype=torch.float32))
        self.policy = perceptron([size, *hidden, actions], last_gain=0.01)
        self.value = perceptron([size, *hidden, 1], last_gain=1.0)

    def _inputs(self, batch: dict[str, Any]) -> torch.Tensor:
        """(B, F) standardised inputs."""
        amounts = (batch[Columns.OBS]["observations"] - self.mean) * self.factor
        return torch.clamp(amounts, -INPUT_CLIP, INPUT_CLIP)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """(B, A) masked logits, for acting and for training."""
        legal = batch[Columns.OBS]["action_mask"] != 0
        return {Columns.ACTION_DIST_INPUTS: mask_logits(self.policy(self._inputs(batch)), legal)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """(B,) value of the seat whose observation it is."""
        return self.value(self._inputs(batch)).squeeze(-1)


def policy_arrays(state: dict[str, Any]) -> dict[str, np.ndarray]:
    """Arrays of an agent's file (``agents/rllib.py``) from a module's state."""
    arrays = {name: np.asarray(state[name], dtype=np.float32) for name in ("mean", "factor")}
    numbers = sorted({int(name.split(".")[1]) for name in state if name.startswith("policy.")})
    for layer, number in enumerate(numbers):
        for part in ("weight", "bias"):
            value = state[f"policy.{number}.{part}"]
            arrays[f"{part}_{layer}"] = np.asarray(value, dtype=np.float32)
    return arrays
