"""Many games between any agents, played to their end: the one loop behind all evaluations.

Seats of agents with a compiled policy are played inside the kernel (``Game.play_on``); the others
are asked for their actions, many games at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.base import Agent
from agents.registry import standard_policies
from jerusalem_env.envs.opponents import compiled_policy
from jerusalem_env.game import Game
from jerusalem_env.policies import ActionLog, CompiledPolicy

_CHANCE_SEEDS = 2  # `episode` of derive_seeds; deals are 0, the agents' own seeds 1


class EvaluationError(ValueError):
    """An evaluation that cannot be run: too few deals, a bad seed, agents too few or illegal."""


def compiled_policies(
    game: Game, agents: Sequence[Agent]
) -> tuple[tuple[CompiledPolicy, ...], np.ndarray]:
    """The compiled policies of agents, equal ones once.

    Returns
    -------
    policies : tuple of CompiledPolicy
        With the standard ones before them if one of those kernels is used: what is compiled for any
        mix of named agents then serves all.
    policy_of_agent : (N,) int64
        Index of each agent's policy, -1 for agents that have to be called.
    """
    found = [compiled_policy(agent) if game.plays_compiled else None for agent in agents]
    standard = standard_policies(game.name)
    kernels = {policy.choose for policy in standard}
    uses_standard = any(policy is not None and policy.choose in kernels for policy in found)
    policies: list[CompiledPolicy] = list(standard) if uses_standard else []
    places = {_key(policy): place for place, policy in enumerate(policies)}
    policy_of_agent = np.full(len(agents), -1, dtype=np.int64)
    for index, policy in enumerate(found):
        if policy is None:
            continue
        key = _key(policy)
        if key not in places:
            places[key] = len(policies)
            policies.append(policy)
        policy_of_agent[index] = places[key]
    return tuple(policies), policy_of_agent


def _key(policy: CompiledPolicy) -> tuple[object, ...]:
    """What equal policies have in common."""
    values = policy.parameters
    return policy.choose, policy.needs_view, str(values.dtype), values.shape, values.tobytes()


def deal_by_deal(game: Game, agents: Sequence[Agent]) -> bool:
    """Whether an agent must be reset for every deal, lest it open all deals of a seed alike."""
    called = compiled_policies(game, agents)[1] < 0
    return any(
        called[index] and getattr(agent, "chance_from_views", False)
        for index, agent in enumerate(agents)
    )


def chance_seeds(game: Game, seeds: np.ndarray, agent_seed: int) -> np.ndarray:
    """(G,) uint64 seeds of the compiled policies' own chance.

    They differ from game to game also where the deal is the same, so that a bot that draws at
    random does not play the same in every rotation. Policies see neither these nor the game seeds,
    only keys from which neither can be computed (``policies.decision_key``).
    """
    return game.derive_seeds(agent_seed, len(seeds), _CHANCE_SEEDS) ^ seeds.astype(np.uint64)


def _decide(agent: Agent, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The agent's choices, refused unless they are one integer for each row."""
    chosen = np.asarray(agent.act(views, masks))
    if chosen.shape != (len(views),) or chosen.dtype.kind not in "iu":
        raise EvaluationError(
            f"{agent.name} must return {len(views)} integer actions, got {chosen.dtype} of shape "
            f"{chosen.shape}"
        )
    return chosen


def play_games(
    game: Game,
    agents: Sequence[Agent],
    players_of: np.ndarray,
    seeds: np.ndarray,
    agent_seed: int,
    threads: int = 1,
    log: ActionLog | None = None,
) -> np.ndarray:
    """Play games to their end.

    Agents are not reset here: those that draw at random go on with their generators. The games
    depend on the arguments other than ``threads``, also on the number of games and their order.

    Parameters
    ----------
    game : Game
    agents : sequence of Agent
    players_of : (G, n) int
        Index of the agent in each seat of each game.
    seeds : (G,) uint64
        Game seeds.
    agent_seed : int
        From it comes the chance of compiled policies; see ``chance_seeds``.
    threads : int
        For compiled policies.
    log : ActionLog, optional
        Where all actions are written down, those of called agents too.

    Returns
    -------
    (G,) final states.

    Raises
    ------
    EvaluationError
        If an agent chooses an illegal action, or not one integer for each row.
    """
    states = game.new_states(len(seeds))
    masks = np.zeros((len(seeds), game.num_actions), dtype=np.uint8)
    game.reset(states, seeds, masks)
    policies, policy_of_agent = compiled_policies(game, agents)
    policy_of = policy_of_agent[players_of]
    chance = chance_seeds(game, seeds, agent_seed)
    while True:
        if policies:
            wrong = game.play_on(states, chance, policy_of, policies, threads, log)
            if wrong >= 0:
                seat = int(game.to_act(states)[wrong])
                raise EvaluationError(
                    f"{agents[players_of[wrong, seat]].name} chose an action that is not legal"
                )
            game.legal(states, masks)
        waiting = np.flatnonzero(~(game.terminated(states) | game.truncated(states)))
        if not len(waiting):
            return states
        _ask(game, agents, players_of, states, masks, waiting, log)


def _ask(
    game: Game,
    agents: Sequence[Agent],
    players_of: np.ndarray,
    states: np.ndarray,
    masks: np.ndarray,
    waiting: np.ndarray,
    log: ActionLog | None,
) -> None:
    """One decision of called agents in every game that waits for one; (W,) their indices."""
    now, now_masks = states[waiting], masks[waiting]
    deciders = players_of[waiting, np.asarray(game.to_act(now), dtype=np.int64)]
    views = game.views(now)
    actions = np.empty(len(waiting), dtype=np.int64)
    for index in np.unique(deciders):
        rows = deciders == index
        actions[rows] = _decide(agents[index], views[rows], now_masks[rows])
    wrong = game.step(now, actions, now_masks)
    if wrong >= 0:
        raise EvaluationError(
            f"{agents[deciders[wrong]].name} chose action {actions[wrong]}, which is not legal"
        )
    states[waiting], masks[waiting] = now, now_masks
    if log is not None:
        fits = log.sizes[waiting] < log.actions.shape[1]
        rows = waiting[fits]
        log.actions[rows, log.sizes[rows]] = actions[fits]
        log.sizes[rows] += 1
