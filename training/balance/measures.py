"""What the games say: seats, office prices, floors, length. ``measure`` puts all parts together."""

from __future__ import annotations

from typing import Any

import numpy as np

from jerusalem_env.jerusalem.engine import layout
from jerusalem_env.jerusalem.rules.offices import OFFICES, offices_in_play

from .building import building, gifts
from .estimates import DECIMALS, histogram, mean, rate
from .events import events
from .simulate import FREE, ROUNDS, Games

# Phases of decisions, as they are shown: what is decided -> phases of the engine.
PHASE_GROUPS: dict[str, tuple[int, ...]] = {
    "auction": (layout.PHASE_OPEN, layout.PHASE_BID),
    "draft": (layout.PHASE_DRAFT,),
    "turn": (
        layout.PHASE_TURN,
        layout.PHASE_DISMISS,
        layout.PHASE_LIFT,
        layout.PHASE_DROP,
        layout.PHASE_TAKE,
        layout.PHASE_TARGET,
    ),
    "tower and privileges": (
        layout.PHASE_DAVIDS_TOWER,
        layout.PHASE_PATRIARCHATE,
        layout.PHASE_MARKET,
        layout.PHASE_NOBILITY,
    ),
    "income": (layout.PHASE_INCOME,),
    "event": (layout.PHASE_SUCCESSION, layout.PHASE_SPECIAL_TAX, layout.PHASE_WAR),
}
BIN = 10  # decisions a bin of the histogram of lengths


def measure(games: Games) -> dict[str, Any]:
    """Everything that is reported of one condition, JSON-able."""
    return {
        "seats": seats(games),
        "prices": prices(games),
        "floors": floors(games),
        "length": length(games),
        "building": building(games),
        "events": events(games),
        "gifts": gifts(games),
    }


def seats(games: Games) -> dict[str, Any]:
    """Win rates by seat, by seat clockwise from the first opener, by office in the last round."""
    n, winner = games.players, games.winner
    from_opener = (winner - games.opener) % n
    office = games.offices[np.arange(games.size), -1, winner]
    return {
        "chance": round(1 / n, DECIMALS),
        "by_seat": [rate(winner == seat) for seat in range(n)],
        "from_opener": [rate(from_opener == step) for step in range(n)],
        "by_last_office": {OFFICES[k]: rate(office == k) for k in offices_in_play(n)},
    }


def prices(games: Games) -> list[dict[str, Any]]:
    """For each round and office what was paid, how often it went free, and when it was sold.

    ``paid`` is of the games in which the office was auctioned; ``auctions`` is their number.
    ``place[k]`` is the share of games in which it was the k-th auction of the round, the last entry
    that in which it was left and went free (R4.10).
    """
    n, rows = games.players, []
    for number in range(ROUNDS):
        for office in offices_in_play(n):
            price, place = games.price[:, number, office], games.place[:, number, office]
            paid = price[price != FREE]
            cuts = np.quantile(paid, (0.25, 0.5, 0.75)) if len(paid) else (None,) * 3
            rows.append(
                {
                    "round": number + 1,
                    "office": OFFICES[office],
                    "auctions": len(paid),
                    "paid": mean(paid, lowest=0.0),
                    "quartiles": [None if x is None else round(float(x), DECIMALS) for x in cuts],
                    "highest": int(paid.max()) if len(paid) else None,
                    "free": rate(price == FREE),
                    "place": [rate(place == k) for k in range(n)],
                }
            )
    return rows


def floors(games: Games) -> dict[str, Any]:
    """Floors of all and of the winner, the winner's margin, and what decided the game (R16.1).

    Counts and shares begin at 0 floors. Shares of all players have the game as the unit too: the
    mean over games of the share of its players.
    """
    every = games.floors[:, -1]  # (G, n)
    ranking = games.finals["ranking"][:, : games.players].astype(np.int64)
    ranked = np.take_along_axis(every, ranking, axis=1)
    left = np.take_along_axis(games.prestige[:, -1], ranking, axis=1)
    best, margin = ranked[:, 0], ranked[:, 0] - ranked[:, 1]
    most = int(every.max())
    by_floors = margin > 0
    by_prestige = ~by_floors & (left[:, 0] > left[:, 1])
    return {
        "all": {
            "mean": mean(every.mean(axis=1), lowest=0.0),
            "counts": histogram(every, 0, most),
            "shares": [mean((every == f).mean(axis=1), lowest=0.0) for f in range(most + 1)],
        },
        "winner": {
            "mean": mean(best, lowest=0.0),
            "counts": histogram(best, 0, most),
            "shares": [rate(best == f) for f in range(most + 1)],
        },
        "margin": {
            "mean": mean(margin, lowest=0.0),
            "counts": histogram(margin, 0, int(margin.max())),
            "shares": [rate(margin == f) for f in range(int(margin.max()) + 1)],
        },
        "decided_by": {
            "floors": rate(by_floors),
            "prestige": rate(by_prestige),
            "office": rate(~by_floors & ~by_prestige),
        },
    }


def length(games: Games) -> dict[str, Any]:
    """Decisions a game: all, and choices, which are those with more than one legal action."""
    every, choices = games.decisions.sum(axis=1), games.choices.sum(axis=1)
    return {
        "all": _lengths(every),
        "choices": _lengths(choices),
        "by_phase": {
            name: {
                "all": mean(games.decisions[:, phases].sum(axis=1), lowest=0.0),
                "choices": mean(games.choices[:, phases].sum(axis=1), lowest=0.0),
            }
            for name, phases in PHASE_GROUPS.items()
        },
    }


def _lengths(decisions: np.ndarray) -> dict[str, Any]:
    first, last = int(decisions.min()) // BIN, int(decisions.max()) // BIN
    return {
        "mean": mean(decisions),
        "shortest": int(decisions.min()),
        "longest": int(decisions.max()),
        "histogram": {
            "bin": BIN,
            "first": first * BIN,
            "counts": histogram(decisions // BIN, first, last),
        },
    }
