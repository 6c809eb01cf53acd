"""A first policy and value by imitation of a teacher's own games, before any reinforcement."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from torch.nn import functional

from agents.base import Agent
from agents.network import Trunk

from .buffer import ENDED, SeatRolloutBuffer, seat_advantages
from .games import SelfPlayGames
from .ppo import SelfPlayPPO

_SLOTS, _TICKS = 256, 1_200
_PURPOSE_GAMES = 7_003

Progress = Callable[[int, dict[str, float]], None]


def imitate(
    model: SelfPlayPPO,
    teacher: Agent,
    decisions: int,
    seed: int = 0,
    learning_rate: float = 1e-3,
    batch_size: int = 2048,
    value_weight: float = 0.5,
    progress: Progress | None = None,
    seconds: float | None = None,
    learner_share: float = 0.0,
) -> dict[str, float]:
    """Let the policy copy a teacher that plays all seats, and the value predict what it is paid.

    Fresh games all the time, each decision seen once; the learning rate falls to 0 along a cosine.
    A policy that has seen its teacher's games alone does not know what to do after its own first
    mistake. So it may play some of the games itself, while the teacher says what it would have
    done there (DAgger: Ross, Gordon and Bagnell 2011).

    Parameters
    ----------
    model : SelfPlayPPO
        Its policy is changed in place; its optimiser is not.
    teacher : Agent
    decisions : int
        As many are learned from, or up to one batch of whole games (300,000) more.
    seed : int
        Of the games, the teacher and the order of minibatches.
    progress : callable (decisions so far, measures), optional
    seconds : float, optional
        Ends earlier, after so much time; what is learned then depends on the machine.
    learner_share : float
        Share of the games, 0..1, that the policy plays by its likeliest action; none in the first
        rollout.

    Returns
    -------
    Measures of the last games: ``decisions`` learned from; ``agreement`` (share of decisions in
    which the likeliest action is the teacher's), ``cross_entropy`` (nats), ``value_error`` (mean
    squared), ``value_explained``.
    """
    env = model.env
    assert isinstance(env, SelfPlayGames)
    games = SelfPlayGames(env.game, _SLOTS, seed=seed ^ _PURPOSE_GAMES, rewards=env.rewards)
    games.reset()
    teacher.reset(seed)
    policy = model.policy
    policy.set_training_mode(True)
    trunk = policy.features_extractor
    assert isinstance(trunk, Trunk)
    optimiser = torch.optim.Adam(policy.parameters(), lr=learning_rate)
    rng = np.random.default_rng([seed, _PURPOSE_GAMES])
    done, fitted = 0, False
    measures: dict[str, float] = {}
    started = time.perf_counter()

    def part() -> float:
        """Of the work, or of the time if that is nearer to its end."""
        gone = 0.0 if seconds is None else (time.perf_counter() - started) / seconds
        return min(max(done / decisions, gone), 1.0)

    while part() < 1.0:
        own = round(learner_share * games.num_envs) if fitted else 0
        buffer = _teachers_games(games, teacher, model, own)
        if not fitted:
            trunk.fit_inputs(buffer.observations[buffer.trainable])
            fitted = True
        sums = np.zeros(4)
        for rows in np.array_split(
            rng.permutation(buffer.trainable), max(1, len(buffer.trainable) // batch_size)
        ):
            if seconds is not None and part() >= 1.0:
                break
            for group in optimiser.param_groups:
                group["lr"] = learning_rate * 0.5 * (1 + np.cos(np.pi * part()))
            to = buffer.to_torch
            logits, values = policy.outputs(to(buffer.observations[rows]))
            log_probabilities = policy.log_probabilities(logits, to(buffer.masks[rows]))
            actions, returns = to(buffer.actions[rows]), to(buffer.returns[rows])
            imitation = functional.nll_loss(log_probabilities, actions)
            value_error = functional.mse_loss(values, returns)
            optimiser.zero_grad()
            (imitation + value_weight * value_error).backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
            optimiser.step()
            done += len(rows)
            agreed = (log_probabilities.argmax(dim=1) == actions).float().mean().item()
            sums += len(rows) * np.array([agreed, imitation.item(), value_error.item(), 1.0])
        if sums[3] == 0.0:
            break
        agreement, cross_entropy, error = sums[:3] / sums[3]
        measures = {
            "decisions": float(done),
            "agreement": float(agreement),
            "cross_entropy": float(cross_entropy),
            "value_error": float(error),
            "value_explained": float(1.0 - error / buffer.returns[buffer.trainable].var()),
        }
        if progress is not None:
            progress(done, measures)
    return measures


def _teachers_games(
    games: SelfPlayGames, teacher: Agent, model: SelfPlayPPO, own: int = 0
) -> SeatRolloutBuffer:
    """A rollout of the teacher's decisions; trainable are those of games that ended within it.

    In the first ``own`` slots the policy plays on by its own; what is kept is the teacher's there.
    """
    game = games.game
    buffer = SeatRolloutBuffer(
        _TICKS,
        games.observation_space,
        games.action_space,
        model.device,
        gamma=model.gamma,
        gae_lambda=1.0,
        n_envs=games.num_envs,
        seats=game.players,
    )
    slots = np.arange(games.num_envs)
    nothing = np.zeros(games.num_envs, dtype=np.float32)
    for _ in range(_TICKS):
        actions = teacher.act(game.views(games.states), games.masks)
        masks = games.masks.view(np.bool_)
        buffer.add_decisions(
            slots, games.seats, games.observations, masks, actions, nothing, nothing
        )
        if own:
            actions = actions.copy()
            actions[:own] = _likeliest(model, buffer, games, own)
        outcome = games.advance(slots, actions)
        if len(outcome.finished):
            buffer.end_games(outcome.finished, outcome.utilities, outcome.line_ups < 0)
    buffer.finish()
    rows = buffer.rows
    ended = (buffer.successors[:rows] == ENDED).astype(np.float32)
    reached = np.zeros(rows, dtype=np.float32)
    zero, one = np.zeros(rows, dtype=np.float32), np.float32(1.0)
    seat_advantages(zero, ended, buffer.successors[:rows], zero, one, one, reached)
    buffer.trainable = np.flatnonzero(reached > 0.5)
    return buffer


def _likeliest(
    model: SelfPlayPPO, buffer: SeatRolloutBuffer, games: SelfPlayGames, own: int
) -> np.ndarray:
    """(own,) the policy's likeliest actions in the first slots."""
    policy = model.policy
    with torch.no_grad():
        logits, _ = policy.outputs(buffer.to_torch(games.observations[:own]))
        masks = buffer.to_torch(games.masks[:own].view(np.bool_))
        chosen = policy.log_probabilities(logits, masks).argmax(dim=1)
    actions: np.ndarray = chosen.cpu().numpy()
    return actions
