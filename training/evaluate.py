"""Win rates over paired deals: every deal is played with the agents rotated through all seats.

The deal is the unit of the statistics: the games of one deal share cards, events and first opener,
so they are not independent. See ``win_interval``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from agents.base import Agent, AgentError
from agents.registry import make_agent
from jerusalem_env.chance import checked_seed
from jerusalem_env.errors import GameError
from jerusalem_env.game import Game

from .arena.blocks import join_results, read_results
from .arena.playing import EvaluationError, deal_by_deal, play_games
from .arena.schedule import make_schedule
from .game_options import add_game_arguments, agents_text, game_of
from .intervals import win_interval

_BATCH_DEALS = 256
_AGENT_SEEDS = 1  # `episode` of derive_seeds for the agents; the deals are episode 0

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Standing:
    """One agent's part in a ``TablesResult``.

    ``wins`` counts shared ones as parts; ``mean_rank`` counts from 1; ``amounts`` are means of what
    the game's results have by seat, over the games that were not truncated.
    """

    agent: str
    wins: float
    games: int
    win_rate: float
    low: float
    high: float
    mean_rank: float
    amounts: dict[str, float]


@dataclass(frozen=True, eq=False)
class TablesResult:
    """All games of ``play_tables``: D deals, each with n agents in n rotations.

    In rotation r the i-th agent sits in seat (i + r) mod n.

    Attributes
    ----------
    agents : tuple of str
        Their names.
    wins, ranks : (D, n, n) float64, by [deal, rotation, agent]
        Each of w winners of a game has 1 / w of its win. Ranks count from 1, seats that share a
        place share the better one; they are (n + 1) / 2 for everyone in a truncated game, which
        nobody wins.
    amounts : name -> (D, n, n) float64, by [deal, rotation, agent]
        What the game's results have by seat; NaN in truncated games.
    truncated : (D, n) bool
    """

    agents: tuple[str, ...]
    wins: np.ndarray
    ranks: np.ndarray
    amounts: Mapping[str, np.ndarray]
    truncated: np.ndarray

    @property
    def deals(self) -> int:
        """Number of deals."""
        return len(self.wins)

    @property
    def games(self) -> int:
        """Number of games: every deal once in each rotation."""
        return self.truncated.size

    @property
    def chance(self) -> float:
        """Win rate of equal players."""
        return 1.0 / len(self.agents)

    def standings(self) -> tuple[Standing, ...]:
        """What each agent reached, in the order given."""
        return tuple(self._standing(index) for index in range(len(self.agents)))

    def _standing(self, index: int) -> Standing:
        wins = self.wins[:, :, index]
        rate, low, high = win_interval(wins.sum(axis=1), len(self.agents))
        amounts = {name: values[:, :, index] for name, values in self.amounts.items()}
        return Standing(
            agent=self.agents[index],
            wins=float(wins.sum()),
            games=self.games,
            win_rate=rate,
            low=low,
            high=high,
            mean_rank=float(self.ranks[:, :, index].mean()),
            amounts={
                name: float(np.nanmean(own))
                for name, own in amounts.items()
                if not np.isnan(own).all()
            },
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able values: the standings, not every game."""
        return {
            "deals": self.deals,
            "games": self.games,
            "chance": self.chance,
            "truncated": int(self.truncated.sum()),
            "standings": [asdict(standing) for standing in self.standings()],
        }

    def table(self) -> str:
        """A line for each agent."""
        width = max(len("agent"), *(len(name) for name in self.agents))
        first = next(iter(self.amounts), "")  # the most telling one
        lines = [f"{'agent':<{width}}   wins  95 % interval     rank  {first}".rstrip()]
        for x in self.standings():
            mean = f"{x.amounts[first]:.2f}" if first in x.amounts else "-"
            lines.append(
                f"{x.agent:<{width}} {x.win_rate:>6.1%}  {x.low:>6.1%} to {x.high:>6.1%}"
                f" {x.mean_rank:>6.2f}" + (f"  {mean:>{len(first)}}" if first else "")
            )
        cut = int(self.truncated.sum())
        lines.append(
            f"{self.games} games on {self.deals} deals; chance {self.chance:.1%}"
            + (f"; {cut} truncated" if cut else "")
        )
        return "\n".join(lines)


@dataclass(frozen=True)
class EvaluationResult:
    """What an evaluation found about the challenger.

    ``by_seat`` are win rates in seat 0, 1, ...; ``mean_rank`` counts from 1; ``amounts`` and
    ``opponents_amounts`` are means of what the game's results have by seat.
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
    amounts: dict[str, float] = field(default_factory=dict)
    opponents_amounts: dict[str, float] = field(default_factory=dict)

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
        for name, own in list(self.amounts.items())[:1]:  # the most telling one
            text += f"; {name} {own:.1f}, opponents {self.opponents_amounts[name]:.1f}"
        return text + (f"; {self.truncated} truncated" if self.truncated else "")


def play(
    game: Game,
    agents: Sequence[Agent],
    players_of: np.ndarray,
    seeds: np.ndarray,
    agent_seed: int = 0,
    threads: int = 1,
) -> np.ndarray:
    """Play games to their end: ``arena.playing.play_games``, where all about it is said.

    Parameters
    ----------
    game : Game
    agents : sequence of Agent
    players_of : (G, n) int
        Index of the agent in each seat of each game.
    seeds : (G,) uint64
        Game seeds.
    agent_seed, threads
        As there.

    Returns
    -------
    (G,) final states.

    Raises
    ------
    EvaluationError
        If an agent chooses an illegal action, or not one integer for each row.
    """
    return play_games(game, agents, players_of, seeds, agent_seed, threads)


def play_tables(
    game: Game,
    agents: Sequence[Agent],
    deals: int,
    seed: int,
    batch: int = _BATCH_DEALS,
    progress: Progress | None = None,
) -> TablesResult:
    """Play every deal n times, the agents moved on by a seat each time.

    All rotations of a deal have the same game seed, hence the same cards, events and opener.

    Parameters
    ----------
    game : Game
    agents : sequence of Agent
        One for each seat, clockwise; an agent may be given several times.
    deals : int
        At least 2.
    seed : int
        The deals and the agents' own seeds depend on it alone; neighbouring seeds share nothing.
    batch : int
        Deals played at once. Agents that draw at random play other games with another value. With
        agents whose chance comes from what they see it is 1, and they are reset for every deal.
    progress : callable, optional
        Called with (deals done, deals) after each batch.

    Raises
    ------
    EvaluationError
        For too few deals, the wrong number of agents, a bad seed or batch, or an agent that does
        not choose legal actions.
    """
    n = game.players
    if len(agents) != n:
        raise EvaluationError(f"{game.name} needs {n} agents here, got {len(agents)}")
    if deals < 2:
        raise EvaluationError(f"deals must be at least 2 for an interval, got {deals}")
    if batch < 1:
        raise EvaluationError(f"batch must be at least 1, got {batch}")
    try:
        seed = checked_seed(seed)
    except ValueError as error:
        raise EvaluationError(str(error)) from error
    each_deal = deal_by_deal(game, agents)
    if each_deal:
        batch = 1
    own_seeds = game.derive_seeds(seed, n * -(-deals // batch), _AGENT_SEEDS).reshape(-1, n)
    seeds = game.derive_seeds(seed, deals, 0)
    schedule = make_schedule("fixed", n, n)
    seat_of = (np.arange(n)[:, None] + np.arange(n)[None, :]) % n  # [rotation, agent]
    parts = []
    for first in range(0, deals, batch):
        rows = np.arange(first, min(first + batch, deals))
        if first == 0 or each_deal:
            for agent, own_seed in zip(agents, own_seeds[first // batch], strict=True):
                agent.reset(int(own_seed))
        lineups = schedule.lineups(rows).reshape(-1, n)
        states = play(game, agents, lineups, np.repeat(seeds[rows], n), agent_seed=seed)
        parts.append(read_results(game, states, lineups))
        if progress is not None:
            progress(int(rows[-1]) + 1, deals)
    results = join_results(parts)
    seats = np.broadcast_to(seat_of, (deals, n, n))

    def by_agent(values: np.ndarray) -> np.ndarray:
        return np.take_along_axis(values.reshape(deals, n, n), seats, axis=2)

    return TablesResult(
        agents=tuple(agent.name for agent in agents),
        wins=by_agent(results.wins),
        ranks=by_agent(results.ranks),
        amounts={name: by_agent(values) for name, values in results.amounts.items()},
        truncated=results.truncated.reshape(deals, n),
    )


def evaluate(
    challenger: Agent,
    opponents: Sequence[Agent],
    game: Game,
    deals: int,
    seed: int,
    progress: Progress | None = None,
) -> EvaluationResult:
    """Play every deal with the challenger in each seat, the opponents in the others.

    Parameters
    ----------
    challenger : Agent
    opponents : sequence of Agent
        One, who then sits in all other seats, or one for each, clockwise from the challenger.
    game, deals, seed, progress
        As for ``play_tables``.

    Raises
    ------
    EvaluationError
        As ``play_tables``, and for the wrong number of opponents.
    """
    n = game.players
    if len(opponents) not in (1, n - 1):
        raise EvaluationError(f"opponents must be 1 or {n - 1} for {n} seats, got {len(opponents)}")
    others = list(opponents) * (n - 1 if len(opponents) == 1 else 1)
    tables = play_tables(game, [challenger, *others], deals, seed, progress=progress)
    first, *rest = tables.standings()
    return EvaluationResult(
        challenger=first.agent,
        opponents=tables.agents[1:],
        players=n,
        deals=deals,
        games=tables.games,
        win_rate=first.win_rate,
        low=first.low,
        high=first.high,
        mean_rank=first.mean_rank,
        by_seat=tuple(float(x) for x in tables.wins[:, :, 0].mean(axis=0)),
        truncated=int(tables.truncated.sum()),
        amounts=first.amounts,
        opponents_amounts={
            name: float(np.mean([x.amounts[name] for x in rest])) for name in first.amounts
        },
    )


def main(arguments: list[str]) -> int:
    """The command ``jerusalem evaluate``."""
    parser = argparse.ArgumentParser(prog="jerusalem evaluate", description=__doc__)
    parser.add_argument("challenger", help=f"an agent: {agents_text()}")
    parser.add_argument("opponents", nargs="+", help="one for all other seats, or one for each")
    add_game_arguments(parser)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    options = parser.parse_args(arguments)

    def progress(done: int, total: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {total} deals", end="" if done < total else "\n", file=sys.stderr)

    try:
        game = game_of(options)
        challenger = make_agent(options.challenger, game)
        opponents = [make_agent(name, game) for name in options.opponents]
        result = evaluate(challenger, opponents, game, options.deals, options.seed, progress)
    except (AgentError, EvaluationError, GameError) as error:
        print(f"jerusalem evaluate: {error}", file=sys.stderr)
        return 2
    print(json.dumps(result.to_dict(), indent=1) if options.json else result.table())
    return 0
