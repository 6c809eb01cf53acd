"""What the results of a finished game say by seat: ranks and amounts. Knows no game's rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_NO_AMOUNTS = ("ranking", "ranks")


def ranks_of(results: Mapping[str, Any]) -> list[int]:
    """Rank of each seat, 1 is best, from ``Game.results``; seats that share a place share it.

    >>> ranks_of({"ranking": [2, 0, 1]})
    [2, 3, 1]
    >>> ranks_of({"ranking": [2, 0, 1], "ranks": [1, 3, 1]})
    [1, 3, 1]
    """
    told = results.get("ranks")
    if told is not None:
        return [int(rank) for rank in told]
    ranks = [0] * len(results["ranking"])
    for rank, seat in enumerate(results["ranking"], 1):
        ranks[seat] = rank
    return ranks


def amounts_of(results: Mapping[str, Any], players: int) -> dict[str, list[Any]]:
    """Name -> amount of each seat, from ``Game.results``: every list that has one for each."""
    return {
        name: values
        for name, values in results.items()
        if name not in _NO_AMOUNTS and isinstance(values, list) and len(values) == players
    }


def fault_of(results: Mapping[str, Any], shares: np.ndarray) -> str:
    """What is wrong with the results and the (n,) win shares of one finished game; "" if nothing.

    Used by ``testing.api_test``.
    """
    seats, ranking = range(len(shares)), results["ranking"]
    if sorted(ranking) != list(seats):
        return f"results()['ranking'] is no order of the seats: {ranking}"
    ranks = ranks_of(results)
    if [ranks[seat] for seat in ranking] != sorted(ranks):
        return f"results()['ranks'] has another order than 'ranking': {ranks}, {ranking}"
    if ranks != [1 + sum(other < rank for other in ranks) for rank in ranks]:
        return f"results()['ranks']: seats that share a place must have its number: {ranks}"
    first = np.array([rank == 1 for rank in ranks])
    if not np.allclose(shares, first / first.sum(), rtol=0, atol=1e-12):
        return f"win_shares() must be 1 / w for each of the w seats of rank 1: {shares}, {ranks}"
    return ""
