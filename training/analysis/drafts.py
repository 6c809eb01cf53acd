"""Which cards an agent keeps of a pool, and how soon it plays them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jerusalem_env.jerusalem.engine.layout import DRAFT, PHASE_DRAFT, PLAY
from jerusalem_env.jerusalem.rules.cards import NUM_CARD_KINDS

from .clusters import Estimate, rate_by_deal
from .decisions import Decisions


@dataclass(frozen=True)
class CardRow:
    """One kind of card: how often it is kept where it can be.

    ``mine`` and ``reference`` are shares of the drafts with a choice in which the kind is in the
    pool; ``by_chance`` is what drawing a card of the pool at random would give.
    """

    card: int
    mine: Estimate
    reference: Estimate
    by_chance: float


def kept(decisions: Decisions, rounds: tuple[int, ...] | None = None) -> list[CardRow]:
    """A row for each of the 14 kinds.

    Parameters
    ----------
    decisions : Decisions
    rounds : tuple of int, optional
        These alone.
    """
    asked = decisions.phases == PHASE_DRAFT
    if rounds is not None:
        asked &= np.isin(decisions.rounds, rounds)
    pools = decisions.states["pool"].astype(np.int64)
    rows = []
    for card in range(NUM_CARD_KINDS):
        there = asked & (pools[:, card] > 0)
        deals, pool = decisions.deals[there], pools[there]
        drawn = pool[:, card] / np.maximum(pool.sum(axis=1), 1)
        rows.append(
            CardRow(
                card,
                rate_by_deal(decisions.actions[there] == DRAFT + card, deals),
                rate_by_deal(decisions.reference_actions[there] == DRAFT + card, deals),
                float(drawn.mean()) if len(drawn) else np.nan,
            )
        )
    return rows


def played_at_once(decisions: Decisions) -> list[Estimate]:
    """Of the cards drafted by choice, by kind: the share that is played in the same round."""
    n, rounds = decisions.players, int(decisions.finals["rounds"].max())
    shape = (len(decisions.finals), n, rounds, NUM_CARD_KINDS)

    def table(first_action: int) -> np.ndarray:
        card = decisions.actions - first_action
        taken = (card >= 0) & (card < NUM_CARD_KINDS)
        found = np.zeros(shape, dtype=np.int64)
        where = (decisions.games, decisions.seats, decisions.rounds - 1, card)
        np.add.at(found, tuple(index[taken] for index in where), 1)
        return found

    drafted, played = table(DRAFT), table(PLAY)
    estimates = []
    for card in range(NUM_CARD_KINDS):
        games, seats, numbers = np.nonzero(drafted[..., card])
        soon = played[games, seats, numbers, card] > 0
        estimates.append(rate_by_deal(soon, decisions.game_deals[games]))
    return estimates
