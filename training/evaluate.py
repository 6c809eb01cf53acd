"""Win rates over paired deals: every deal is played with the challenger in every seat.

The deal is the unit of the statistics: the games of one deal share cards, events and first opener,
so they are not independent. See ``win_interval``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agents.base import Agent, AgentError
from agents.registry import agent_names, make_agent
from jerusalem_env.game import Game
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.ruleset import RuleSetError

_Z = 1.959963984540054  # the normal quantile of a 95 % interval
_BATCH_DEALS = 256


class EvaluationError(ValueError):
    """An evaluation that cannot be run: too few deals, or the wrong number of agents."""


def win_interval(wins_by_deal: np.ndarray, games_per_deal: int) -> tuple[float, float, float]:
    """(win rate, low, high): Wilson's 95 % interval with the deal as the unit.

    Wilson's interval (1927) takes the effective number of games n = p (1 - p) / var, where var is
    the variance of the mean over deals; it is kept between the number of deals and the number of
    games, so a rate of 0 or 1 still has an interval.

    Parameters
    ----------
    wins_by_deal : (D,) int or float
        Games won of the ``games_per_deal`` played on each deal; shared wins count as parts.
    games_per_deal : int
    """
    rates = np.asarray(wins_by_deal, dtype=np.float64) / games_per_deal
    deals = len(rates)
    rate = float(rates.mean())
    variance = float(rates.var(ddof=1)) / deals if deals > 1 else 0.0
    spread = rate * (1.0 - rate)
    effective = spread / variance if variance > 0 and spread > 0 else float(deals)
    n = min(max(effective, float(deals)), float(deals * games_per_deal))
    centre = (rate + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * np.sqrt(spread / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return rate, float(max(0.0, centre - half)), float(min(1.0, centre + half))


@dataclass(frozen=True)
class EvaluationResult:
    """What an evaluation found about the challenger.

    ``by_seat`` are win rates in seat 0, 1, ...; ``mean_rank`` counts from 1.
    """

    challenger: str
    opponents: tuple[str, ...]
    players: int
    deals: int
    games: int
    win_rate: float
    low: float
    high: float
    mean_rank: float
    by_seat: tuple[float, ...]
    truncated: int

    @property
    def chance(self) -> float:
        """Win rate of equal players."""
        return 1.0 / self.players

    def to_dict(self) -> dict[str, Any]:
        """JSON-able values."""
        return {**asdict(self), "chance": self.chance}

    def table(self) -> str:
        """The result as two lines of text."""
        seats = ", ".join(f"{rate:.0%}" for rate in self.by_seat)
        verdict = "above" if self.low > self.chance else "below" if self.high < self.chance else ""
        note = f"{verdict} chance" if verdict else "not distinguishable from chance"
        text = (
            f"{self.challenger} against {', '.join(self.opponents)}: wins {self.win_rate:.1%} "
            f"(95 % interval {self.low:.1%} to {self.high:.1%}; chance {self.chance:.1%}, {note})\n"
            f"  {self.games} games on {self.deals} deals; mean rank {self.mean_rank:.2f} of "
            f"{self.players}; by seat {seats}"
        )
        return text + (f"; {self.truncated} truncated" if self.truncated else "")


def play(
    game: Game, agents: Sequence[Agent], players_of: np.ndarray, seeds: np.ndarray
) -> np.ndarray:
    """Play games to their end.

    Parameters
    ----------
    game : Game
    agents : sequence of Agent
    players_of : (G, n) int
        Index of the agent in each seat of each game.
    seeds : (G,) uint64
        Game seeds.

    Returns
    -------
    (G,) final states.

    Raises
    ------
    EvaluationError
        If an agent chooses an illegal action.
    """
    states = game.new_states(len(seeds))
    masks = np.zeros((len(seeds), game.num_actions), dtype=np.uint8)
    game.reset(states, seeds, masks)
    alive = np.flatnonzero(~(game.terminated(states) | game.truncated(states)))
    while len(alive):
        now, now_masks = states[alive], masks[alive]
        to_act = np.asarray(game.to_act(now), dtype=np.int64)
        deciders = players_of[alive, to_act]
        views = game.views(now)
        actions = np.empty(len(alive), dtype=np.int64)
        for index in np.unique(deciders):
            rows = deciders == index
            actions[rows] = agents[index].act(views[rows], now_masks[rows])
        wrong = game.step(now, actions, now_masks)
        if wrong >= 0:
            raise EvaluationError(
                f"{agents[deciders[wrong]].name} chose action {actions[wrong]}, which is not legal"
            )
        states[alive], masks[alive] = now, now_masks
        alive = alive[~(game.terminated(now) | game.truncated(now))]
    return states


def evaluate(
    challenger: Agent,
    opponents: Sequence[Agent],
    game: Game,
    deals: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
) -> EvaluationResult:
    """Play every deal with the challenger in each seat, the opponents in the others.

    Parameters
    ----------
    challenger : Agent
    opponents : sequence of Agent
        One, who then sits in all other seats, or one for each, clockwise from the challenger.
    game : Game
    deals : int
        At least 2.
    seed : int
        The deals and the agents' own seeds depend on it alone.
    progress : callable, optional
        Called with (deals done, deals) after each batch.

    Raises
    ------
    EvaluationError
        For too few deals or the wrong number of opponents.
    """
    n = game.players
    if deals < 2:
        raise EvaluationError(f"deals must be at least 2 for an interval, got {deals}")
    if len(opponents) not in (1, n - 1):
        raise EvaluationError(f"opponents must be 1 or {n - 1} for {n} seats, got {len(opponents)}")
    others = list(opponents) * (n - 1 if len(opponents) == 1 else 1)
    agents = [challenger, *others]
    for index, agent in enumerate(agents):
        agent.reset(seed + index)
    seeds = game.derive_seeds(seed, deals, 0)
    wins = np.zeros((deals, n))
    ranks = np.zeros((deals, n))
    truncated = 0
    clockwise = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n  # [challenger's seat, seat]
    for first in range(0, deals, _BATCH_DEALS):
        batch = np.arange(first, min(first + _BATCH_DEALS, deals))
        states = play(game, agents, np.tile(clockwise, (len(batch), 1)), np.repeat(seeds[batch], n))
        over = game.terminated(states)
        truncated += int((~over).sum())
        for row, state in enumerate(states):
            seat = row % n
            if not over[row]:
                ranks[batch[row // n], seat] = (n + 1) / 2
                continue
            rank = game.results(state)["ranking"].index(seat)
            ranks[batch[row // n], seat] = rank + 1
            wins[batch[row // n], seat] = rank == 0
        if progress is not None:
            progress(int(batch[-1]) + 1, deals)
    rate, low, high = win_interval(wins.sum(axis=1), n)
    return EvaluationResult(
        challenger=challenger.name,
        opponents=tuple(agent.name for agent in others),
        players=n,
        deals=deals,
        games=deals * n,
        win_rate=rate,
        low=low,
        high=high,
        mean_rank=float(ranks.mean()),
        by_seat=tuple(float(x) for x in wins.mean(axis=0)),
        truncated=truncated,
    )


def main(arguments: list[str]) -> int:
    """The command ``jerusalem evaluate``."""
    parser = argparse.ArgumentParser(prog="jerusalem evaluate", description=__doc__)
    parser.add_argument("challenger", help=f"an agent: {', '.join(agent_names())}")
    parser.add_argument("opponents", nargs="+", help="one for all other seats, or one for each")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--rules", default="german")
    parser.add_argument("--information", default="screen", choices=("screen", "recall"))
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args(arguments)

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {total} deals", end="" if done < total else "\n", file=sys.stderr)

    try:
        game = JerusalemGame(options.players, options.rules, options.information)
        challenger = make_agent(options.challenger, game)
        opponents = [make_agent(name, game) for name in options.opponents]
        result = evaluate(challenger, opponents, game, options.deals, options.seed, progress)
    except (AgentError, EvaluationError, RuleSetError) as error:
        print(f"jerusalem evaluate: {error}", file=sys.stderr)
        return 2
    print(json.dumps(result.to_dict(), indent=1) if options.json else result.table())
    return 0
