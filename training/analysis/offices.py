"""What an agent opens, up to which price it stays in an auction, and what it pays for offices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jerusalem_env.jerusalem.engine.layout import BID, NUM_ACTIONS, OPEN, PASS, PHASE_BID
from jerusalem_env.jerusalem.engine.layout import PHASE_OPEN as OPEN_PHASE
from jerusalem_env.jerusalem.rules.offices import offices_in_play
from jerusalem_env.jerusalem.rules.ruleset import MAX_BID

from .clusters import Estimate, grouped, mean_by_deal, quartiles, rate_by_deal
from .decisions import Decisions, paid

FREE = -1


def opened(decisions: Decisions, actions: np.ndarray | None = None) -> dict[int, list[Estimate]]:
    """Which office is put up first or next: by round, the share of each office in play.

    Parameters
    ----------
    decisions : Decisions
    actions : (R,) int, optional
        Other choices in the same positions, such as the reference's.

    Returns
    -------
    Round -> an estimate for each office of ``offices_in_play``, of the decisions to open in which
    that office could still be opened.
    """
    chosen = decisions.actions if actions is None else actions
    asked = decisions.phases == OPEN_PHASE
    found: dict[int, list[Estimate]] = {}
    for number in _rounds(decisions):
        rows = asked & (decisions.rounds == number)
        found[number] = []
        for office in offices_in_play(decisions.players):
            there = rows & decisions.masks[:, OPEN + office]
            found[number].append(
                rate_by_deal(chosen[there] == OPEN + office, decisions.deals[there])
            )
    return found


@dataclass(frozen=True)
class StaysIn:
    """How often an agent goes on bidding at a price.

    Attributes
    ----------
    prices : (P,) int64
        The least silver that staying in costs.
    mine, reference : lists of P estimates
        Share of decisions in which it bids instead of passing, in the same positions.
    """

    prices: np.ndarray
    mine: list[Estimate]
    reference: list[Estimate]


def stays_in(
    decisions: Decisions, office: int, rounds: tuple[int, ...], highest: int = 12
) -> StaysIn:
    """Willingness to go on: by the least price, in auctions where it may bid and may pass.

    Parameters
    ----------
    decisions : Decisions
    office : int
    rounds : tuple of int
    highest : int
        Prices above are left out.
    """
    states = decisions.states
    rows = (decisions.phases == PHASE_BID) & (states["auction_office"] == office)
    rows &= np.isin(decisions.rounds, rounds) & decisions.masks[:, PASS]
    least = states["bid"].astype(np.int64) + 1
    prices = np.arange(1, highest + 1)

    def shares(actions: np.ndarray) -> list[Estimate]:
        stayed = (actions != PASS)[rows]
        return grouped(rate_by_deal, stayed, decisions.deals[rows], least[rows], list(prices))

    return StaysIn(prices, shares(decisions.actions), shares(decisions.reference_actions))


@dataclass(frozen=True)
class Sales:
    """Every office that the agent held: one row for each of its seats and rounds.

    Attributes
    ----------
    rounds, offices, prices : (S,) int64
        Price in silver; ``FREE`` where it made no bid for it, as the last office of a round.
    highest : (S, 4) int64
        The most that it bid for each office in that round, won or not; -1 for no bid.
    deals : (S,) int64
    """

    rounds: np.ndarray
    offices: np.ndarray
    prices: np.ndarray
    highest: np.ndarray
    deals: np.ndarray


def sales(decisions: Decisions) -> Sales:
    """What the agent paid for the offices it held, and what it had offered for the others.

    Who holds an office that he bid for has paid his last bid, for a bid can only be raised.
    """
    n = decisions.players
    games, seats = decisions.player_rows()
    last = decisions.finals["office_log"][:, :, :n].astype(np.int64)  # [game, round, seat]
    rounds = int(decisions.finals["rounds"].max())
    bids = np.full((len(decisions.finals), rounds, n, 4), -1, dtype=np.int64)
    made = (decisions.phases == PHASE_BID) & (decisions.actions >= BID)
    made &= decisions.actions <= BID + MAX_BID
    where = (
        decisions.games[made],
        decisions.rounds[made] - 1,
        decisions.seats[made],
        decisions.states["auction_office"][made].astype(np.int64),
    )
    np.maximum.at(bids, where, decisions.actions[made] - BID)
    held = last[games, :rounds, seats]  # (P, rounds)
    highest = bids[games, :, seats]  # (P, rounds, 4)
    prices = np.take_along_axis(highest, held[:, :, None], axis=2)[:, :, 0]
    return Sales(
        rounds=np.tile(np.arange(1, rounds + 1), len(games)),
        offices=held.ravel(),
        prices=prices.ravel(),
        highest=highest.reshape(-1, 4),
        deals=np.repeat(decisions.game_deals[games], rounds),
    )


@dataclass(frozen=True)
class PriceRow:
    """One office in one round: how often it is held and bought, and for how much.

    ``held`` is of all seats and rounds of the agent; ``bought`` of these, with a bid of its own;
    ``paid`` the mean price of those, ``quartiles`` of it; ``outbid`` the mean of its highest bid
    where it bid and did not get the office. Silver.
    """

    round: int
    office: int
    held: Estimate
    bought: Estimate
    paid: Estimate
    quartiles: tuple[float, float, float]
    outbid: Estimate


def prices(decisions: Decisions) -> list[PriceRow]:
    """A row for every round and office in play."""
    all_sales = sales(decisions)
    rows = []
    for number in _rounds(decisions):
        now = all_sales.rounds == number
        for office in offices_in_play(decisions.players):
            held = now & (all_sales.offices == office)
            bought = held & (all_sales.prices != FREE)
            lost = now & ~held & (all_sales.highest[:, office] >= 0)
            amounts = all_sales.prices[bought]
            rows.append(
                PriceRow(
                    number,
                    office,
                    rate_by_deal(held[now], all_sales.deals[now]),
                    rate_by_deal(bought[held], all_sales.deals[held]),
                    mean_by_deal(amounts, all_sales.deals[bought]),
                    quartiles(amounts),
                    mean_by_deal(all_sales.highest[lost, office], all_sales.deals[lost]),
                )
            )
    return rows


def raises(decisions: Decisions) -> tuple[Estimate, Estimate]:
    """By how much it raises the bid that stands: the agent's mean, and the reference's (silver).

    Of decisions in which both bid and somebody had bid before.
    """
    bid = decisions.states["bid"].astype(np.int64)
    both = (decisions.phases == PHASE_BID) & (bid >= 0)
    for actions in (decisions.actions, decisions.reference_actions):
        both &= (actions >= BID) & (actions <= BID + MAX_BID) & (actions < NUM_ACTIONS)
    deals = decisions.deals[both]
    mine = (decisions.actions - BID - bid)[both]
    theirs = (decisions.reference_actions - BID - bid)[both]
    return mean_by_deal(mine, deals), mean_by_deal(theirs, deals)


@dataclass(frozen=True)
class HolderRow:
    """The seats of the agent that held an office in one round, and how their games ended.

    ``price`` is in silver, 0 for an office that was free.
    """

    office: int
    price: Estimate
    wins: Estimate
    returns: Estimate


def holders(decisions: Decisions, number: int) -> list[HolderRow]:
    """A row for each office in play: what its holder paid in that round, and what came of it."""
    games, seats = decisions.player_rows()
    all_sales = sales(decisions)
    now = all_sales.rounds == number  # one row for each of (games, seats), in order
    wins = decisions.finals["winner"][games] == seats
    returns = paid(decisions.finals, decisions.players, decisions.reward)[games, seats]
    rows = []
    for office in offices_in_play(decisions.players):
        held = all_sales.offices[now] == office
        deals = all_sales.deals[now][held]
        price = np.maximum(all_sales.prices[now][held], 0)
        rows.append(
            HolderRow(
                office,
                mean_by_deal(price, deals),
                rate_by_deal(wins[held], deals),
                mean_by_deal(returns[held], deals),
            )
        )
    return rows


def _rounds(decisions: Decisions) -> range:
    return range(1, int(decisions.finals["rounds"].max()) + 1)
