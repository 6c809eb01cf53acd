"""What finished games say while RLlib trains: lengths, winners, and whether all seats were paid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from ray.rllib.callbacks.callbacks import RLlibCallback

# Keys of an iteration's result, under "env_runners"; each is a sum over all games so far.
GAMES = "finished_games"
LENGTH = "decisions_of_finished_games"
PAID = "games_paid_every_seat"
TRUNCATED = "games_truncated"
WINS = "wins"


def credited(episode: Any, earlier: Sequence[Any], agents: Sequence[str]) -> np.ndarray:
    """(n,) rewards of each agent in what the learner gets: a game's last part and earlier ones."""
    totals = np.zeros(len(agents))
    for part in (*earlier, episode):
        for seat, agent in enumerate(agents):
            if agent in part.agent_episodes:
                totals[seat] += part.agent_episodes[agent].get_return()
    return totals


class GameStatistics(RLlibCallback):
    """Compares, at the end of every game, what seats were credited with what the engine paid (P1).

    A seat that has not decided anything has no part in an RLlib episode, and nothing to learn; its
    reward is not counted as missing.
    """

    def on_episode_end(
        self,
        *,
        episode: Any,
        prev_episode_chunks: Sequence[Any] = (),
        env: Any = None,
        env_index: int = 0,
        metrics_logger: Any = None,
        **kwargs: Any,
    ) -> None:
        """Log the game that has ended in one place of a runner."""
        game_env = env.envs[env_index].unwrapped
        agents, paid = game_env.possible_agents, game_env.utilities
        parts = (*prev_episode_chunks, episode)
        played = np.array([any(a in part.agent_episodes for part in parts) for a in agents])
        right = np.abs(credited(episode, prev_episode_chunks, agents) - paid) < 1e-6
        truncated = bool(episode.is_truncated)
        shares = game_env.win_shares
        sums = {
            GAMES: 1.0,
            LENGTH: float(episode.env_t),
            PAID: float((right | ~played).all()),
            TRUNCATED: float(truncated),
            **{f"{WINS}/{agent}": float(shares[seat]) for seat, agent in enumerate(agents)},
        }
        for name, value in sums.items():
            metrics_logger.log_value(name, value, reduce="lifetime_sum")
