"""The network of learned players as a sb3-contrib policy. Needs the extra ``train``.

One first layer is shared, then policy and value go their own ways. Inputs are whole numbers as
``uint8`` observations hold them, brought to mean 0 and variance 1 by ``fit_inputs``. With
``precision="bfloat16"`` the layers, but not the probabilities and values, are computed in that
type: on processors that have it two to four times as fast.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

PRECISIONS = ("float32", "bfloat16")


def best_precision(device: str = "cpu") -> str:
    """bfloat16 where the processor or GPU computes in it, else float32."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda"):
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    told: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()  # not in old versions
    return "bfloat16" if told.get("avx512_bf16") or told.get("amx_bf16") else "float32"


_CLIP = 8.0  # standard deviations: what is rarer is no larger to the network


class Trunk(BaseFeaturesExtractor):
    """Standardised inputs through the shared layers.

    Parameters
    ----------
    observation_space : spaces.Box
        (F,), float32 or uint8.
    layers : sequence of int
        Widths.
    """

    def __init__(self, observation_space: spaces.Box, layers: tuple[int, ...] = (512,)) -> None:
        super().__init__(observation_space, features_dim=layers[-1])
        size = int(observation_space.shape[0])
        self.register_buffer("mean", torch.zeros(size))
        # Until fit_inputs: what reads as 1.0 in a float32 observation is 1.0.
        high = torch.as_tensor(np.asarray(observation_space.high, dtype=np.float32))
        self.register_buffer("factor", 1.0 / torch.clamp(high, min=1.0))
        widths = [size, *layers]
        parts: list[nn.Module] = []
        for wide, narrow in pairwise(widths):
            parts += [nn.Linear(wide, narrow), nn.ReLU()]
        self.layers = nn.Sequential(*parts)

    def fit_inputs(self, observations: np.ndarray) -> None:
        """Take mean and variance of (B, F) observations; entries that never vary are left out."""
        amounts = observations.astype(np.float64)
        spread = amounts.std(axis=0)
        factor = np.where(spread > 0.0, 1.0 / np.maximum(spread, 1e-2), 1.0)
        mean = torch.as_tensor(amounts.mean(axis=0), dtype=torch.float32)
        self.get_buffer("mean").copy_(mean)
        self.get_buffer("factor").copy_(torch.as_tensor(factor, dtype=torch.float32))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(B, features_dim)."""
        mean, factor = self.get_buffer("mean"), self.get_buffer("factor")
        amounts = (observations.float() - mean) * factor
        return self.layers(torch.clamp(amounts, -_CLIP, _CLIP))


class MaskedPolicy(MaskableActorCriticPolicy):
    """An actor-critic over the legal actions alone.

    What is illegal has probability 0 exactly, whatever the logits (P3).

    Parameters
    ----------
    precision : "float32" or "bfloat16"
    **kwargs
        Those of ``MaskableActorCriticPolicy``.
    """

    def __init__(self, *args: Any, precision: str = "float32", **kwargs: Any) -> None:
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {PRECISIONS}, got {precision!r}")
        self.precision = precision
        kwargs.setdefault("features_extractor_class", Trunk)
        kwargs.setdefault("activation_fn", nn.ReLU)
        super().__init__(*args, **kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "precision": self.precision}

    def outputs(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(B, A) float32 unmasked logits and (B,) float32 values of (B, F) observations."""
        kind = observations.device.type
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=self.precision == "bfloat16"):
            features = self.features_extractor(observations)
            policy, value = self.mlp_extractor(features)
            logits = self.action_net(policy)
        return logits.float(), self._value(value)

    def _value(self, latent: torch.Tensor) -> torch.Tensor:
        """In float32: neighbouring values differ by less than bfloat16 can tell."""
        return self.value_net(latent.float()).flatten()

    def log_probabilities(self, logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """(B, A): the legal ones sum to 1 in each row, the others are -inf.

        Raises
        ------
        ValueError
            If a legal action's logit is NaN, or a row has no legal action.
        """
        masked = logits.masked_fill(~masks, -torch.inf)
        result = torch.log_softmax(masked, dim=1)
        if torch.isnan(result[:, :1]).any():  # NaN spreads over its row
            raise ValueError(
                "the policy gives NaN, or a row of the masks has no legal action; the training has "
                "diverged: lower the learning rate and go on from an earlier checkpoint"
            )
        return result

    def draw(self, log_probabilities: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
        """(B,) actions by inverse cumulative probability of (B,) uniform draws in [0, 1)."""
        cumulative = torch.cumsum(torch.exp(log_probabilities.double()), dim=1)
        reached = uniform.double()[:, None] * cumulative[:, -1:]
        # The first action above: it has some probability, so it is legal.
        return torch.searchsorted(cumulative, reached, right=True).flatten()

    def forward(
        self,
        obs: torch.Tensor,
        deterministic: bool = False,
        action_masks: Any = None,
        uniform: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions (B,), values (B, 1) and log probabilities (B,); masks are required (P8)."""
        logits, values = self.outputs(obs)
        log_probabilities = self.log_probabilities(logits, self._required(action_masks, logits))
        if deterministic:
            actions = log_probabilities.argmax(dim=1)
        else:
            if uniform is None:
                uniform = torch.rand(len(logits), dtype=torch.float64)
            actions = self.draw(log_probabilities, uniform.to(logits.device))
        chosen = log_probabilities.gather(1, actions[:, None]).flatten()
        return actions, values[:, None], chosen

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values (B, 1), log probabilities (B,) of the actions and entropies (B,)."""
        logits, values = self.outputs(obs)
        masks = self._required(action_masks, logits)
        log_probabilities = self.log_probabilities(logits, masks)
        chosen = log_probabilities.gather(1, actions.long()[:, None]).flatten()
        finite = log_probabilities.masked_fill(~masks, 0.0)  # 0 log 0 is 0
        entropies = -(finite * torch.exp(log_probabilities)).sum(dim=1)
        return values[:, None], chosen, entropies

    def predict_values(self, obs: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """(B, 1) values."""
        kind = obs.device.type
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=self.precision == "bfloat16"):
            latent = self.mlp_extractor.forward_critic(self.features_extractor(obs))
        return self._value(latent)[:, None]

    def _predict(  # type: ignore[override]
        self, observation: torch.Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> torch.Tensor:
        return self(observation, deterministic, action_masks)[0]

    @staticmethod
    def _required(masks: Any, logits: torch.Tensor) -> torch.Tensor:
        if masks is None:
            raise ValueError("this policy needs action masks")
        return torch.as_tensor(masks, device=logits.device).bool().view(logits.shape)
