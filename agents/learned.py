"""A MaskablePPO checkpoint as an agent. Needs the extra ``train``, imported at its first use."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jerusalem_env.envs.opponents import Judgement
from jerusalem_env.game import Game

from .base import AgentError, require_masks

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

# What stable-baselines3 and torch raise for a file that is no checkpoint, or a damaged one.
UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    AssertionError,
    RuntimeError,
    EOFError,
    AttributeError,
    TypeError,
    pickle.UnpicklingError,
    zipfile.BadZipFile,
)


class PPOAgent:
    """Plays the policy of a sb3-contrib ``MaskablePPO`` model.

    Parameters
    ----------
    checkpoint : str, Path or MaskablePPO
    game : Game
        Encodes the views; its observation size and actions must be those of the model.
    deterministic : bool
        The most probable legal action, or one drawn from the policy.

    A file's network computes in bfloat16 only where the processor does too: elsewhere that is eight
    times as slow as float32, which differs in what is all but equal.

    Raises
    ------
    AgentError
        If the extra ``train`` is missing, or the checkpoint cannot be read or was trained on
        another observation or action space; from ``act``, without masks or when the network
        gives NaN (P3, P8).
    """

    def __init__(
        self, checkpoint: str | Path | MaskablePPO, game: Game, deterministic: bool = True
    ) -> None:
        self.name = "ppo"
        if isinstance(checkpoint, str | Path):
            self.name = f"ppo:{Path(checkpoint).stem}"
            self.model = _load(Path(checkpoint))
        else:
            self.model = checkpoint
        observed = self.model.observation_space.shape
        actions = getattr(self.model.action_space, "n", None)
        if observed != (game.observation_size,) or actions != game.num_actions:
            raise AgentError(
                f"{checkpoint}: trained on observations {observed} and {actions} actions, but "
                f"{game.name} for {game.players} players has {(game.observation_size,)} and "
                f"{game.num_actions}; use the game (players, information) it was trained on"
            )
        self.game = game
        self.deterministic = deterministic
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Restart the generator that draws from the policy."""
        self._rng = np.random.default_rng(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions."""
        legal = require_masks(views, masks, self.game.num_actions).astype(np.bool_)
        return choose(self.logits_of(views), legal, self._draw(len(views)))

    def logits_of(self, views: np.ndarray) -> np.ndarray:
        """(B, A) float64 unmasked logits of the policy for views."""
        return self.logits(self.encode(views))

    def encode(self, views: np.ndarray) -> np.ndarray:
        """(B, F) observations of views in the dtype that the model was trained on."""
        dtype = self.model.observation_space.dtype
        out = np.empty((len(views), self.game.observation_size), dtype=dtype)
        return self.game.encode(views, out=out)

    def logits(self, observations: np.ndarray) -> np.ndarray:
        """(B, A) float64 unmasked logits of the policy for (B, F) observations."""
        return self._outputs(observations, values=False)[0]

    def judge(self, views: np.ndarray, masks: np.ndarray) -> Judgement:
        """Its probabilities of each action, and the return it expects: the value head."""
        legal = require_masks(views, masks, self.game.num_actions).astype(np.bool_)
        logits, values = self._outputs(self.encode(views), values=True)
        return Judgement(
            probabilities(logits, legal), values, "the return it expects, in units of its training"
        )

    def _outputs(
        self, observations: np.ndarray, values: bool
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """(B, A) unmasked logits and, if they are asked for, (B,) values; float64."""
        import torch

        policy: Any = self.model.policy
        policy.set_training_mode(False)
        with torch.no_grad():
            tensor = torch.as_tensor(observations, device=policy.device)
            if hasattr(policy, "outputs"):  # agents.network.MaskedPolicy
                logits, found = policy.outputs(tensor)  # the values cost nothing more
            else:
                features = policy.extract_features(tensor, policy.pi_features_extractor)
                latent = policy.mlp_extractor.forward_actor(features)
                logits = policy.action_net(latent)
                found = policy.predict_values(tensor) if values else None
            numbers = found.flatten().double().cpu().numpy() if values else None
            return logits.double().cpu().numpy(), numbers

    def _draw(self, rows: int) -> np.ndarray | None:
        return None if self.deterministic else self._rng.random(rows)


def masked_logits(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """(B, A) logits: finite where legal, else -inf (P3).

    Raises
    ------
    AgentError
        If a legal action's logit is NaN.
    """
    if np.isnan(logits[legal]).any():
        raise AgentError("the policy gives NaN for a legal action; the checkpoint is broken")
    return np.where(legal, np.clip(logits, -1e300, 1e300), -np.inf)


def probabilities(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """(B, A) float64: softmax over the legal actions, exactly 0 elsewhere."""
    weights = _weights(logits, legal)
    return weights / weights.sum(axis=1, keepdims=True)


def _weights(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    masked = masked_logits(logits, legal)
    return np.exp(masked - masked.max(axis=1, keepdims=True))


def choose(logits: np.ndarray, legal: np.ndarray, draws: np.ndarray | None) -> np.ndarray:
    """Legal actions from (B, A) logits: the likeliest, or by inverse cumulative ``draws`` (B,).

    An illegal action is impossible whatever the logits (P3): only legal ones are compared.

    Raises
    ------
    AgentError
        If a legal action's logit is NaN.
    """
    if draws is None:
        return masked_logits(logits, legal).argmax(axis=1)
    weights = _weights(logits, legal)
    cumulative = weights.cumsum(axis=1)
    picked = (cumulative <= draws[:, None] * cumulative[:, -1:]).sum(axis=1)
    last = legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1)
    picked = np.minimum(picked, last)
    # Rounding may end on an illegal action of weight 0: go on to the next legal one.
    for row in np.flatnonzero(~legal[np.arange(len(legal)), picked]):
        picked[row] = np.flatnonzero(legal[row])[np.flatnonzero(legal[row]) >= picked[row]][0]
    return picked


def _load(path: Path) -> MaskablePPO:
    try:
        from sb3_contrib import MaskablePPO
    except ImportError as error:
        raise AgentError(
            f"ppo needs the extra `train`: pip install 'jerusalem-env[train]' ({error})"
        ) from error
    from .network import MaskedPolicy, best_precision

    try:
        model = MaskablePPO.load(path, device="cpu")
    except UNREADABLE as error:
        reason = str(error).partition("\n")[0]
        raise AgentError(f"cannot load the checkpoint {path}: {reason}") from error
    if isinstance(model.policy, MaskedPolicy) and best_precision("cpu") == "float32":
        model.policy.precision = "float32"
    return model
