"""Where the time of a training goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from .ppo import SelfPlayPPO

NETWORK = ("forward, playing", "forward, learning", "backward", "optimiser")


class PartTimes:
    """Times the parts of a training from now on, by wrapping methods of one model.

    Parts: ``forward, playing`` and ``forward, learning`` (network and masked distribution),
    ``backward`` (gradients, their norm, and the loss around them), ``optimiser``; ``games`` (rules,
    bots, observations, masks), ``storing`` (the rollout buffer), ``minibatches`` (drawing and
    gathering them), ``other`` (logs, checkpoints, evaluations). On a GPU work is only begun when a
    call returns, so what waits for it bears its time.
    """

    def __init__(self, model: SelfPlayPPO) -> None:
        self._model = model
        self._started = time.perf_counter()
        self._decisions = model.num_timesteps
        self._before = dict(model.seconds)
        self._spent = {"evaluate": 0.0, "step": 0.0, "get": 0.0}
        self._wrapped: list[tuple[Any, str]] = []
        self._wrap(model.policy, "evaluate_actions", "evaluate")
        self._wrap(model.policy.optimizer, "step", "step")
        buffer: Any = model.rollout_buffer
        given = buffer.get

        def get(batch_size: int | None = None) -> Iterator[Any]:
            parts = given(batch_size)
            while True:
                started = time.perf_counter()
                part = next(parts, None)
                self._spent["get"] += time.perf_counter() - started
                if part is None:
                    return
                yield part

        buffer.get = get
        self._wrapped.append((buffer, "get"))

    def close(self) -> None:
        """Stop timing, before ``shares`` and ``text``; what has been measured stays."""
        self._total = time.perf_counter() - self._started
        self._made = self._model.num_timesteps - self._decisions
        for owner, name in self._wrapped:
            delattr(owner, name)
        self._wrapped = []

    def shares(self) -> dict[str, float]:
        """Part -> share of all time; they sum to 1."""
        spent = {key: self._model.seconds[key] - self._before[key] for key in self._before}
        around = sum(self._spent.values())  # of an update, all but the backward pass
        parts = {
            "forward, playing": spent["act"],
            "forward, learning": self._spent["evaluate"],
            "backward": spent["update"] - around,
            "optimiser": self._spent["step"],
            "games": spent["games"],
            "storing": spent["store"],
            "minibatches": self._spent["get"],
        }
        parts["other"] = self._total - sum(parts.values())
        return {name: seconds / self._total for name, seconds in parts.items()}

    def text(self) -> str:
        """A table, with decisions per second."""
        shares = self.shares()
        network = sum(shares[name] for name in NETWORK)
        lines = [f"{name:<18} {share:6.1%}" for name, share in shares.items()]
        return "\n".join(
            [
                f"{self._made / self._total:,.0f} learned decisions per second over "
                f"{self._total:.0f} s; {network:.1%} of the time in the network",
                *lines,
            ]
        )

    def _wrap(self, owner: Any, name: str, part: str) -> None:
        """Time a method."""
        given: Callable[..., Any] = getattr(owner, name)

        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return given(*args, **kwargs)
            finally:
                self._spent[part] += time.perf_counter() - started

        setattr(owner, name, timed)
        self._wrapped.append((owner, name))
