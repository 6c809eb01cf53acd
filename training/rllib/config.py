"""The PPO configuration: one policy in all seats, any number of runners and learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from jerusalem_env.chance import sample_legal
from jerusalem_env.game import Game

from .environment import GameMultiAgentEnv
from .game_statistics import GameStatistics
from .module import MaskedPolicyModule

POLICY = "all_seats"
_STANDARD_GAMES = 64  # random games that inputs are standardised over


def policy_of(agent_id: Any, *arguments: Any, **keywords: Any) -> str:
    """The policy of a seat: the same for all."""
    return POLICY


def make_config(
    make_game: Callable[..., Game],
    settings: Mapping[str, Any] | None = None,
    *,
    env_runners: int = 1,
    envs_per_runner: int = 16,
    learners: int = 0,
    gpus_per_learner: float = 0,
    steps_per_learner: int = 8_192,
    minibatch: int = 1_024,
    epochs: int = 4,
    learning_rate: float = 3e-4,
    entropy: float = 0.01,
    hidden: tuple[int, ...] = (256, 256),
    seed: int = 0,
) -> PPOConfig:
    """A configuration whose ``build_algo()`` trains on the Ray cluster at hand.

    Parameters
    ----------
    make_game : callable
        Makes the game from ``settings``; a class or function that can be imported on every machine.
    settings : mapping, optional
        Its keyword arguments.
    env_runners : int
        Processes that play games; with 0 the calling process plays them.
    envs_per_runner : int
        Games that each of them plays at once.
    learners : int
        Processes that learn, each on its part of the batch; with 0 the calling process learns.
    gpus_per_learner : float
    steps_per_learner : int
        Decisions between two updates, for each learner.
    minibatch, epochs, learning_rate, entropy
        PPO's.
    hidden : tuple of int
        Widths of the layers of policy and value.
    seed : int
        Game i of each runner depends on it and on the runner's number alone; what is drawn from
        the policy depends on how games are spread over runners too.

    Raises
    ------
    ValueError
        For numbers that cannot be used together.
    """
    settings = dict(settings or {})
    mean, factor = standard_inputs(make_game(**settings))
    batch = steps_per_learner * max(learners, 1)
    places = max(env_runners, 1) * envs_per_runner
    if min(envs_per_runner, minibatch, epochs) < 1 or min(env_runners, learners) < 0:
        raise ValueError("runners and learners must be 0 or more, games and minibatches 1 or more")
    if batch < places:
        raise ValueError(
            f"{places} games at once are more than the {batch} decisions of an update; give more "
            "steps for each learner or fewer games for each runner"
        )
    module = RLModuleSpec(
        module_class=MaskedPolicyModule,
        model_config={"hidden": list(hidden), "mean": mean.tolist(), "factor": factor.tolist()},
    )
    return (
        PPOConfig()
        .framework("torch")
        .environment(GameMultiAgentEnv, env_config={"make_game": make_game, "settings": settings})
        .multi_agent(policies={POLICY}, policy_mapping_fn=policy_of)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={POLICY: module}))
        .env_runners(
            num_env_runners=env_runners,
            num_envs_per_env_runner=envs_per_runner,
            # Games go on over updates: batches of whole games would prefer short ones.
            batch_mode="truncate_episodes",
            rollout_fragment_length="auto",
        )
        .learners(num_learners=learners, num_gpus_per_learner=gpus_per_learner)
        .training(
            gamma=1.0,  # the one reward, at the end, is worth the same to the first decision
            lambda_=0.95,
            lr=learning_rate,
            train_batch_size_per_learner=steps_per_learner,
            minibatch_size=min(minibatch, steps_per_learner),
            num_epochs=epochs,
            clip_param=0.2,
            entropy_coeff=entropy,
            vf_loss_coeff=0.5,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=0.5,
            grad_clip_by="global_norm",
        )
        # An illegal action is a fault of ours and ends the training instead of starting a new game.
        .fault_tolerance(restart_failed_env_runners=True, restart_failed_sub_environments=False)
        .callbacks(GameStatistics)
        .debugging(seed=seed, log_level="ERROR")
    )


def standard_inputs(game: Game, games: int = _STANDARD_GAMES) -> tuple[np.ndarray, np.ndarray]:
    """(F,) mean and factor that bring observations of random games to mean 0 and variance 1.

    Entries that never vary there are left as they are.
    """
    states = game.new_states(games)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(0, games, 0), masks)
    rng = np.random.default_rng(0)
    total, squares, count = np.zeros(game.observation_size), np.zeros(game.observation_size), 0
    while True:
        running = ~(np.asarray(game.terminated(states)) | np.asarray(game.truncated(states)))
        if not running.any():
            break
        seen = game.observe(states)[running].astype(np.float64)
        total, squares, count = total + seen.sum(0), squares + (seen**2).sum(0), count + len(seen)
        game.step(states, np.maximum(sample_legal(masks, rng), 0), masks)
    mean = total / count
    spread = np.sqrt(np.maximum(squares / count - mean**2, 0.0))
    varies = spread > 1e-6
    factor = np.where(varies, 1.0 / np.maximum(spread, 1e-3), 1.0)
    return np.where(varies, mean, 0.0).astype(np.float32), factor.astype(np.float32)
