"""The interface of everything that plays: it chooses from views and masks, never from states."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np


class AgentError(ValueError):
    """An agent that cannot be loaded, or was asked to act without legal actions."""


class UnknownAgentError(AgentError):
    """A name that no agent has; the message lists those that exist."""


@runtime_checkable
class Agent(Protocol):
    """A player for any seat of any number of games at once.

    ``name`` identifies it in tables and records. ``reset(seed)`` restarts its own randomness: the
    same seed and the same calls give the same choices. ``act`` takes (B,) views, in each of which
    the agent is seat 0 and to act, and (B, A) masks (uint8 or bool), and returns (B,) int64 legal
    actions.

    An agent may also have ``compiled``, its ``CompiledPolicy`` (``jerusalem_env.policies``): then
    tables and evaluations play it inside their kernels. And ``chance_from_views``, true if its
    randomness comes from the view and its seed alone: then evaluations reset it for every deal, as
    with one seed it would open all deals alike. And ``judge(views, masks)``, a ``Judgement``: how
    likely it chooses each action and what it expects, which the table for people and the notebooks
    show. Learned and searching agents have one.
    """

    name: str

    def reset(self, seed: int) -> None:
        """Restart the agent's own randomness."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) int64 legal actions for (B,) views with (B, A) masks."""


def require_masks(
    views: np.ndarray, masks: np.ndarray | None, num_actions: int | None = None
) -> np.ndarray:
    """The masks as (B, A) uint8; any A unless ``num_actions`` names it.

    Raises
    ------
    AgentError
        If there are none, of the wrong shape, or a row without a legal action (P4, P8).
    """
    if masks is None:
        raise AgentError("act needs action masks: pass the (B, A) masks of the decisions")
    masks = np.ascontiguousarray(masks)
    if num_actions is None:
        num_actions = masks.shape[-1]
    if masks.shape != (len(views), num_actions):
        raise AgentError(f"masks must have shape {(len(views), num_actions)}, got {masks.shape}")
    masks = masks.view(np.uint8) if masks.dtype == np.bool_ else masks.astype(np.uint8, copy=False)
    empty = np.flatnonzero(~masks.any(axis=1))
    if len(empty):
        raise AgentError(f"row {empty[0]} of the masks has no legal action")
    return masks
