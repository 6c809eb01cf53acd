"""Who builds first, who is ahead after each round, and how the gifts of the king fell."""

from __future__ import annotations

from typing import Any

import numpy as np

from .estimates import mean, rate, ratio
from .simulate import ROUNDS, Games


def first_builders(floors: np.ndarray, offices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Round and seat that first reached each floor, and so paid 1 prestige more for it (R14.2).

    Players build one after the other in player order (R14.1), each as far as he can (R14.3): of
    those who have a floor after the round in which it was first reached, the one with the lowest
    office was first (A43).

    Parameters
    ----------
    floors, offices : (G, 5, n) int
        After each round's building, and held in that round.

    Returns
    -------
    (G, F), (G, F) int64
        For floors 1..F, F being the most that anybody has: index of the round from 0, and seat; -1
        where nobody built it.
    """
    games, most = len(floors), int(floors.max(initial=0))
    rounds = np.full((games, most), -1, dtype=np.int64)
    seats = np.full((games, most), -1, dtype=np.int64)
    every = np.arange(games)
    for floor in range(1, most + 1):
        reached = floors >= floor  # (G, 5, n)
        built = np.any(reached, axis=2)  # (G, 5)
        first = np.argmax(built, axis=1)
        in_order = np.where(reached[every, first], offices[every, first], 99)
        there = np.any(built, axis=1)
        rounds[there, floor - 1] = first[there]
        seats[there, floor - 1] = in_order.argmin(axis=1)[there]
    return rounds, seats


def building(games: Games) -> dict[str, Any]:
    """First builders of each floor, and leaders after each round.

    - ``by_floor``: in how many games somebody built the floor, hence paid the surcharge; in which
      round; and how often its first builder won the game.
    - ``share_first``: of all floors built, those at the first builder's price.
    - ``leader``: win rate of whoever is ahead after a round's building. ``ahead`` is R4.2's order
      with its tie-breaks; ``sole`` only has games in which one player alone had most floors, which
      is ``sole_share`` of them. ``floors`` is the mean of all players.
    """
    winner = games.winner
    rounds, seats = first_builders(games.floors, games.offices)
    by_floor = []
    for column in range(rounds.shape[1]):
        built = rounds[:, column] >= 0
        by_floor.append(
            {
                "floor": column + 1,
                "built": rate(built),
                "round": mean(rounds[built, column] + 1),
                "builder_wins": rate((seats[:, column] == winner)[built]),
            }
        )
    highest = games.floors[:, -1].max(axis=1)
    return {
        "by_floor": by_floor,
        "share_first": ratio(highest, games.floors[:, -1].sum(axis=1)),
        "leader": [_leader(games, number) for number in range(ROUNDS)],
    }


def _leader(games: Games, number: int) -> dict[str, Any]:
    floors, winner = games.floors[:, number], games.winner
    alone = (floors == floors.max(axis=1, keepdims=True)).sum(axis=1) == 1
    return {
        "round": number + 1,
        "ahead": rate(games.leader[:, number] == winner),
        "sole": rate((floors.argmax(axis=1) == winner)[alone]),
        "sole_share": rate(alone),
        "floors": mean(floors.mean(axis=1), lowest=0.0),
    }


def gift(amounts: np.ndarray, zero_ties_win: bool) -> np.ndarray:
    """(G, n) prestige for having most of something in supply: 3, or 1 each if tied (R13.2, A42).

    Parameters
    ----------
    amounts : (G, n) int
    zero_ties_win : bool
        Whether those who tie at 0 get 1 each.
    """
    most = amounts.max(axis=1, keepdims=True)
    holds = amounts == most
    alone = holds.sum(axis=1, keepdims=True) == 1
    counts = most > 0 if not zero_ties_win else np.ones_like(most, dtype=np.bool_)
    return np.where(holds & counts, np.where(alone, 3, 1), 0)


def gifts(games: Games) -> dict[str, Any]:
    """Prestige from the gifts of the king, by what it was for (R13).

    The last state still holds what the gifts went by: building takes neither silver nor squires nor
    cards, and the last round has no event. ``winners`` are means of the players who won the game,
    ``others`` means over games of the mean of the others.
    """
    n, finals = games.players, games.finals
    zero = bool(finals["zero_ties_win_gifts"][0])
    parts = {
        "squires": gift(finals["squires"][:, :n], zero),
        "silver": gift(finals["silver"][:, :n], zero),
        "cards": (finals["hand_size"][:, :n] > 0).astype(np.int64),  # R13.3
    }
    parts["all"] = parts["squires"] + parts["silver"] + parts["cards"]
    won = np.arange(n) == games.winner[:, None]
    return {
        name: {
            "winners": mean(points[won], lowest=0.0),
            "others": mean(np.where(won, 0, points).sum(axis=1) / (n - 1), lowest=0.0),
        }
        for name, points in parts.items()
    }
