"""What each event does: squires it removes, control it shifts, and the leader's chances (R15)."""

from __future__ import annotations

from typing import Any

import numpy as np

from jerusalem_env.jerusalem.rules.board import (
    AREA_SECTOR,
    MARKET,
    NOBILITY,
    PALACE,
    PATRIARCHATE,
    SECTORS,
    TEMPLARS,
)
from jerusalem_env.jerusalem.rules.events import (
    ELECTION,
    EVENT_ROUNDS,
    EVENTS,
    SPECIAL_TAX,
    SUCCESSION,
    WAR,
    events_in_play,
)

from .estimates import difference, mean, rate, ratio
from .simulate import Games

# Where an event strikes (R15.2-R15.5), and what players can do about it.
SECTORS_OF: dict[int, tuple[int, ...]] = {
    SUCCESSION: (PALACE,),
    ELECTION: (PATRIARCHATE, NOBILITY),
    SPECIAL_TAX: (MARKET,),
    WAR: (TEMPLARS,),
}
ANSWERS: dict[int, str | None] = {
    SUCCESSION: "squires put back with a baron",
    ELECTION: None,
    SPECIAL_TAX: "silver paid",
    WAR: "opposing squires removed in return",
}


def controllers(board: np.ndarray, offices: np.ndarray) -> np.ndarray:
    """(G, 16) seat that controls each area, -1 nobody: most squires, ties to the lowest office.

    Parameters
    ----------
    board : (G, n, 16) int
    offices : (G, n) int
        0..3, different in each game.
    """
    rank = board.astype(np.int64) * 8 - offices[:, :, None]  # R7.1
    return np.where(board.max(axis=1) > 0, rank.argmax(axis=1), -1)  # R7.2


def tied(board: np.ndarray) -> np.ndarray:
    """(G, 16) bool: several players have the most squires in an area.

    Parameters
    ----------
    board : (G, n, 16) int
    """
    most = board.max(axis=1, keepdims=True)
    return ((board == most) & (most > 0)).sum(axis=1) > 1


def events(games: Games) -> dict[str, Any]:
    """The effect of each event in play, by its name."""
    return {EVENTS[event]: _effect(games, event) for event in events_in_play(games.players)}


def _effect(games: Games, event: int) -> dict[str, Any]:
    """One event.

    - ``struck``: number of games in which it struck, by round.
    - ``removed``: squires that it took off the board in a game, less those put back: of all players
      together (``total``, ``by_round``), of the one ahead after that round's building (``leader``),
      and of another player (``other``); ``share`` of all squires on the board.
    - ``answers``: what all players together did about it, in the unit ``answers_unit``.
    - ``control``: of its areas, those with a controller before and after; those that passed to
      another player and to nobody; those in which several have most, so that the office decides;
      the leader's share of those with a controller. After the event it is still this round's
      offices that decide ties, though they are given back before control next pays.
    - ``leader_wins``: by round, the win rate of the player ahead if this event struck then or
      another one. ``revealed``: ahead when the event is turned up, after the round before. Which
      event it is lies in the deal, so the difference is the event's doing; what players do about
      it, and that it strikes in no other round, included. ``struck``: ahead just before it
      struck, after that round's building; players had the round to prepare, so the two groups of
      leaders may differ.
    """
    struck = games.finals["events"] == event  # (G, 3)
    game, slot = np.nonzero(struck)  # an event strikes at most once in a game
    number = slot + EVENT_ROUNDS[0] - 1  # index of the round
    before, after = games.before[game, slot], games.after[game, slot]
    leader = games.leader[game, number].astype(np.int64)
    removed = before.sum(axis=2, dtype=np.int64) - after.sum(axis=2, dtype=np.int64)  # (H, n)
    every = np.arange(len(game))
    of_leader = removed[every, leader]
    total = removed.sum(axis=1)
    answers = games.answers[game, slot]
    return {
        "sectors": [SECTORS[sector] for sector in SECTORS_OF[event]],
        "struck": {str(r): int(struck[:, i].sum()) for i, r in enumerate(EVENT_ROUNDS)},
        "removed": {
            "total": mean(total, lowest=0.0),
            "leader": mean(of_leader, lowest=0.0),
            "other": mean((total - of_leader) / (games.players - 1), lowest=0.0),
            "share": ratio(total, before.sum(axis=(1, 2), dtype=np.int64)),
            "by_round": {
                str(r): mean(total[slot == i], lowest=0.0) for i, r in enumerate(EVENT_ROUNDS)
            },
        },
        "answers_unit": ANSWERS[event],
        "answers": mean(answers, lowest=0.0) if ANSWERS[event] else None,
        "control": _control(before, after, games.offices[game, number], leader, event),
        "leader_wins": {str(r): _leader_wins(games, struck, i) for i, r in enumerate(EVENT_ROUNDS)},
    }


def _control(
    before: np.ndarray, after: np.ndarray, offices: np.ndarray, leader: np.ndarray, event: int
) -> dict[str, Any]:
    """How control of the event's areas moved, in areas a game."""
    areas = [area for area, sector in enumerate(AREA_SECTOR) if sector in SECTORS_OF[event]]
    then = controllers(before, offices)[:, areas]
    now = controllers(after, offices)[:, areas]
    held_then, held_now = (then >= 0).sum(axis=1), (now >= 0).sum(axis=1)
    return {
        "areas": len(areas),
        "before": mean(held_then, lowest=0.0),
        "after": mean(held_now, lowest=0.0),
        "to_another": mean(((then >= 0) & (now >= 0) & (then != now)).sum(axis=1), lowest=0.0),
        "to_nobody": mean(((then >= 0) & (now < 0)).sum(axis=1), lowest=0.0),
        "tied_before": mean(tied(before)[:, areas].sum(axis=1), lowest=0.0),
        "tied_after": mean(tied(after)[:, areas].sum(axis=1), lowest=0.0),
        "leader_before": ratio((then == leader[:, None]).sum(axis=1), held_then),
        "leader_after": ratio((now == leader[:, None]).sum(axis=1), held_now),
    }


def _leader_wins(games: Games, struck: np.ndarray, slot: int) -> dict[str, Any]:
    """The leader's win rate by whether the event struck in a round, for both kinds of leader."""
    number = slot + EVENT_ROUNDS[0] - 1
    here = struck[:, slot]
    found = {}
    for name, leader in (
        ("revealed", games.leader[:, number - 1]),
        ("struck", games.leader[:, number]),
    ):
        wins = leader == games.winner
        found[name] = {
            "with": rate(wins[here]),
            "without": rate(wins[~here]),
            "change": difference(wins[here], wins[~here]),
        }
    return found
