"""Blocks of deals: what is played at once, and what is kept of it.

A block depends on the seed and its own number alone: agents begin it anew, and its deals are drawn
by their numbers. So results depend neither on the number of threads or processes, nor on the order
in which blocks are played, nor on an interruption between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.base import Agent
from jerusalem_env.game import Game
from jerusalem_env.outcomes import amounts_of, ranks_of
from jerusalem_env.policies import ActionLog, new_log
from jerusalem_env.records import GameRecord

from .playing import deal_by_deal, play_games
from .schedule import Schedule

MOST_DEALS = 32  # of a block
MOST_GAMES = 4096  # of a block; more only if one deal has more

_DEALS, _AGENT_SEEDS, _BLOCK_SEEDS, _PART_SEEDS = 0, 1, 3, 4  # `episode` of derive_seeds
_AMOUNT, _LABEL = "amount ", "label "  # before the names in a file


@dataclass(frozen=True, eq=False)
class GameResults:
    """G games as they ended, in the order of deals, tables and rotations.

    Attributes
    ----------
    lineups : (G, n) int64
        Entrant in each seat.
    ranks, wins : (G, n) float64
        By seat. Ranks count from 1, seats that share a place share the better one; each of the w
        winners of a game has 1 / w of its win. A truncated game has no winner and rank (n + 1) / 2
        for all.
    truncated : (G,) bool
    amounts : name -> (G, n) float64
        The amounts by seat that the game's results have; NaN in truncated games.
    labels : name -> (G, n) str
        ``Game.breakdowns``; empty in truncated games.
    """

    lineups: np.ndarray
    ranks: np.ndarray
    wins: np.ndarray
    truncated: np.ndarray
    amounts: Mapping[str, np.ndarray]
    labels: Mapping[str, np.ndarray]

    def to_arrays(self) -> dict[str, np.ndarray]:
        """What is written to a file."""
        return {
            "lineups": self.lineups,
            "ranks": self.ranks,
            "wins": self.wins,
            "truncated": self.truncated,
            **{_AMOUNT + name: values for name, values in self.amounts.items()},
            **{_LABEL + name: values for name, values in self.labels.items()},
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> GameResults:
        """What ``to_arrays`` gave; KeyError if something is missing."""

        def named(kind: str) -> dict[str, np.ndarray]:
            return {
                name.removeprefix(kind): arrays[name] for name in arrays if name.startswith(kind)
            }

        return cls(
            arrays["lineups"],
            arrays["ranks"],
            arrays["wins"],
            arrays["truncated"],
            named(_AMOUNT),
            named(_LABEL),
        )


def join_results(parts: Sequence[GameResults]) -> GameResults:
    """The games of several blocks, one after the other."""

    def joined(which: str, missing: Any) -> dict[str, np.ndarray]:
        # A block of truncated games alone has no amounts: its game never told their names.
        names = list(dict.fromkeys(name for part in parts for name in getattr(part, which)))
        blank = [np.full(part.ranks.shape, missing) for part in parts]
        return {
            name: np.concatenate(
                [
                    getattr(part, which).get(name, none)
                    for part, none in zip(parts, blank, strict=True)
                ]
            )
            for name in names
        }

    return GameResults(
        lineups=np.concatenate([part.lineups for part in parts]),
        ranks=np.concatenate([part.ranks for part in parts]),
        wins=np.concatenate([part.wins for part in parts]),
        truncated=np.concatenate([part.truncated for part in parts]),
        amounts=joined("amounts", np.nan),
        labels=joined("labels", ""),
    )


def read_results(game: Game, states: np.ndarray, lineups: np.ndarray) -> GameResults:
    """What final states (G,) say about games with the given line-ups (G, n)."""
    games, n = lineups.shape
    ranks, wins = np.full((games, n), (n + 1) / 2), game.win_shares(states)
    over = np.asarray(game.terminated(states), dtype=np.bool_)
    amounts: dict[str, np.ndarray] = {}
    for place in np.flatnonzero(over):
        results = game.results(states[place])
        ranks[place] = ranks_of(results)
        for name, values in amounts_of(results, n).items():
            amounts.setdefault(name, np.full((games, n), np.nan))[place] = values
    labels = {
        name: np.where(over[:, None], found, "") for name, found in game.breakdowns(states).items()
    }
    return GameResults(lineups, ranks, wins, ~over, amounts, labels)


def deals_per_block(schedule: Schedule) -> int:
    """Deals of every block but the last; depends on the schedule alone."""
    return max(1, min(MOST_DEALS, MOST_GAMES // schedule.games_per_deal))


def number_of_blocks(schedule: Schedule, deals: int) -> int:
    """Blocks of so many deals, the last one perhaps shorter."""
    return -(-deals // deals_per_block(schedule))


def deals_of_block(schedule: Schedule, deals: int, block: int) -> np.ndarray:
    """Numbers of the deals of a block."""
    size = deals_per_block(schedule)
    return np.arange(block * size, min((block + 1) * size, deals))


def play_block(
    game: Game,
    agents: Sequence[Agent],
    schedule: Schedule,
    deals: int,
    seed: int,
    block: int,
    threads: int = 1,
    keep_records: bool = False,
) -> tuple[GameResults, list[GameRecord]]:
    """Play all games of a block.

    Parameters
    ----------
    game : Game
    agents : sequence of Agent
        One for each entrant. They are reset with seeds derived from ``seed`` and ``block``, for
        every deal if their chance comes from what they see.
    schedule : Schedule
    deals, seed : int
        Of the whole arena.
    block : int
        Number of the block, from 0.
    threads : int
        Changes nothing but the time it takes.
    keep_records : bool
        Whether to return a record of every game.

    Raises
    ------
    EvaluationError
        As ``play_games``.
    """
    numbers = deals_of_block(schedule, deals, block)
    block_seed = int(game.derive_seeds(seed, block + 1, _BLOCK_SEEDS)[block])
    seeds = game.derive_seeds(seed, int(numbers[-1]) + 1, _DEALS)[numbers]
    seeds = np.repeat(seeds, schedule.games_per_deal)
    lineups = schedule.lineups(numbers).reshape(-1, schedule.players)
    log = _log_for(game, len(seeds)) if keep_records else None
    together = len(seeds)  # games that agents play after one reset
    if deal_by_deal(game, agents):
        together = schedule.games_per_deal
    part_seeds = game.derive_seeds(block_seed, len(seeds) // together, _PART_SEEDS)
    parts = []
    for part, part_seed in enumerate(part_seeds.tolist()):
        own_seeds = game.derive_seeds(part_seed, len(agents), _AGENT_SEEDS)
        for agent, own_seed in zip(agents, own_seeds, strict=True):
            agent.reset(int(own_seed))
        rows = slice(part * together, (part + 1) * together)
        own_log = None if log is None else ActionLog(log.actions[rows], log.sizes[rows])
        parts.append(
            play_games(game, agents, lineups[rows], seeds[rows], part_seed, threads, own_log)
        )
    states = np.concatenate(parts)
    results = read_results(game, states, lineups)
    return results, [] if log is None else _records(game, seeds, states, log)


def _log_for(game: Game, games: int) -> ActionLog:
    """A log that holds any game: the watchdog stops it after ``decision_limit`` decisions."""
    states = game.new_states(1)
    masks = np.zeros((1, game.num_actions), dtype=np.uint8)
    game.reset(states, np.zeros(1, dtype=np.uint64), masks)
    return new_log(games, int(states["decision_limit"][0]))


def _records(game: Game, seeds: np.ndarray, states: np.ndarray, log: ActionLog) -> list[GameRecord]:
    rules = game.rules_dict()
    over = game.terminated(states)
    return [
        GameRecord(
            game=game.name,
            ruleset=rules,
            skip_forced=game.skip_forced,
            seed=int(seeds[place]),
            start=None,
            actions=tuple(
                game.action_names[action] for action in log.actions[place, : log.sizes[place]]
            ),
            result=game.results(states[place]) if over[place] else None,
        )
        for place in range(len(states))
    ]
