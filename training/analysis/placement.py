"""Where an agent places squires and its baron, by round and area, and when in its turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jerusalem_env.jerusalem.engine.layout import BARON, PHASE_TARGET, PHASE_TURN, PLACE
from jerusalem_env.jerusalem.rules.board import NUM_AREAS
from jerusalem_env.jerusalem.rules.offices import offices_in_play

from .clusters import Estimate, mean_by_deal, rate_by_deal
from .decisions import Decisions


def counts(decisions: Decisions, first_action: int) -> np.ndarray:
    """(P, rounds, 16) int64: how often each seat of the agent took an action about each area.

    Parameters
    ----------
    decisions : Decisions
    first_action : int
        Of a block with an action for every area: ``PLACE``, ``BARON``, ``DISMISS``, ``DROP``.
    """
    n, rounds = decisions.players, int(decisions.finals["rounds"].max())
    area = decisions.actions - first_action
    taken = (area >= 0) & (area < NUM_AREAS)
    table = np.zeros((len(decisions.finals), n, rounds, NUM_AREAS), dtype=np.int64)
    where = (decisions.games, decisions.seats, decisions.rounds - 1, area)
    np.add.at(table, tuple(index[taken] for index in where), 1)
    games, seats = decisions.player_rows()
    return table[games, seats]


def placed(decisions: Decisions, round_number: int | None = None) -> list[Estimate]:
    """Squires placed from supply in each area, by one player in one round.

    Parameters
    ----------
    decisions : Decisions
    round_number : int, optional
        That round alone; else the mean of all rounds.

    Returns
    -------
    16 estimates, in the order of ``AREAS``.
    """
    return _by_area(decisions, PLACE, round_number)


def barons(decisions: Decisions, round_number: int | None = None) -> list[Estimate]:
    """Share of a player's rounds in which he blocks each area with his baron: 16 estimates."""
    return _by_area(decisions, BARON, round_number)


def _by_area(decisions: Decisions, first_action: int, round_number: int | None) -> list[Estimate]:
    table = counts(decisions, first_action)
    by_round = table.mean(axis=1) if round_number is None else table[:, round_number - 1]
    deals = decisions.game_deals[decisions.player_rows()[0]]
    return [mean_by_deal(by_round[:, area], deals) for area in range(NUM_AREAS)]


def baron_use(decisions: Decisions) -> dict[str, dict[int, Estimate]]:
    """Share of a player's rounds in which he uses the baron: ``by_round`` and ``by_office``."""
    used = counts(decisions, BARON).sum(axis=2) > 0  # (P, rounds)
    games, seats = decisions.player_rows()
    deals = np.repeat(decisions.game_deals[games], used.shape[1])
    rounds = np.tile(np.arange(1, used.shape[1] + 1), len(games))
    log = decisions.finals["office_log"].astype(np.int64)
    offices = log[games, : used.shape[1], seats].ravel()
    hits = used.ravel()

    def split(groups: np.ndarray, labels: range | tuple[int, ...]) -> dict[int, Estimate]:
        return {
            label: rate_by_deal(hits[groups == label], deals[groups == label]) for label in labels
        }

    return {
        "by_round": split(rounds, range(1, used.shape[1] + 1)),
        "by_office": split(offices, offices_in_play(decisions.players)),
    }


@dataclass(frozen=True)
class BaronMoments:
    """When in the turn the baron comes, and what stands there then.

    Attributes
    ----------
    share : (B,) float64
        Decisions of the turn before it, of all decisions of the turn other than it: 0 first, 1
        last.
    own, rivals : (B,) int64
        Own squires in the area, and the most that one opponent has there.
    rounds, areas, deals : (B,) int64
    """

    share: np.ndarray
    own: np.ndarray
    rivals: np.ndarray
    rounds: np.ndarray
    areas: np.ndarray
    deals: np.ndarray


def baron_moments(decisions: Decisions) -> BaronMoments:
    """Every use of the baron by the agent; decisions with one legal action do not count."""
    in_turn = np.flatnonzero((decisions.phases >= PHASE_TURN) & (decisions.phases <= PHASE_TARGET))
    n, rounds = decisions.players, int(decisions.finals["rounds"].max())
    turn = (decisions.games * n + decisions.seats) * rounds + decisions.rounds - 1
    turns = turn[in_turn]
    order = np.argsort(turns, kind="stable")
    sorted_turns = turns[order]
    starts = np.flatnonzero(np.r_[True, sorted_turns[1:] != sorted_turns[:-1]])
    sizes = np.diff(np.r_[starts, len(sorted_turns)])
    place = np.empty(len(turns), dtype=np.int64)
    place[order] = np.arange(len(turns)) - np.repeat(starts, sizes)
    length = np.empty(len(turns), dtype=np.int64)
    length[order] = np.repeat(sizes, sizes)
    area = decisions.actions[in_turn] - BARON
    chosen = (area >= 0) & (area < NUM_AREAS)
    rows, areas = in_turn[chosen], area[chosen]
    here = decisions.states["board"][rows, :n, areas].astype(np.int64)  # (B, n)
    seats, each = decisions.seats[rows], np.arange(len(rows))
    own = here[each, seats]
    here[each, seats] = 0
    return BaronMoments(
        share=place[chosen] / np.maximum(length[chosen] - 1, 1),
        own=own,
        rivals=here.max(axis=1, initial=0),
        rounds=decisions.rounds[rows],
        areas=areas,
        deals=decisions.deals[rows],
    )
