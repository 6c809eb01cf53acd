"""What a scripted player values: the weights of one plan, for every number of players.

Worths are in prestige points. A weight for each of five moments is indexed by the rounds left after
the current one: 0 in the last round, 4 in the first of five.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..base import AgentError

ROUNDS = 5
PLAYER_COUNTS = (2, 3, 4)

Moments = tuple[float, float, float, float, float]


@dataclass(frozen=True)
class Weights:
    """The weights of one player at a table of one size.

    Every field is a number, or five by rounds left.
    """

    # --- what resources are worth
    silver: Moments = (0.25, 0.2, 0.25, 0.3, 0.35)  # a silver after the turns of the round
    squire: Moments = (0.15, 0.25, 0.4, 0.5, 0.6)  # a squire paid as income
    keep: Moments = (0.1, 0.25, 0.3, 0.3, 0.3)  # a squire kept back: placing one must be worth more
    later: Moments = (0.0, 0.5, 0.9, 1.1, 1.2)  # rounds of pay expected beyond this one
    # --- holding areas
    hold: float = 0.7  # chance that one later player leaves a bare majority alone
    hold_margin: float = 0.6  # what is left of the risk with each squire more than needed
    firm: float = 0.5  # share of the later pay that a bare majority keeps
    firm_margin: float = 0.1  # more of it for each squire more than needed, up to four
    behind: float = 0.15  # share of the later pay that squires without a majority may still win
    spite: float = 0.2  # share of the holder's loss that counts as gain
    spite_leader: float = 0.15  # more if he is the strongest opponent
    shield: float = 0.7  # share of the risk that a baron to come takes away
    baron_least: float = 0.1  # least worth at risk that the baron is spent on
    weapon: float = 0.2  # a squire among the Templars in the round of war
    # --- privileges and David's Tower
    tower: float = 0.8  # control of David's Tower, beside its silver
    card: float = 1.2  # a card from the pile
    steal: float = 1.2  # the Nobility's privilege
    market: float = 1.0  # share of what the Market's privilege would earn with the silver at hand
    market_base: float = 0.5  # the Market's privilege without silver
    # --- auction
    muster: Moments = (0.4, 0.5, 0.55, 0.6, 0.65)  # a squire that the office gives
    last_turn: Moments = (2.5, 1.5, 1.5, 1.2, 1.0)  # acting last instead of first
    last_turn_supply: float = 0.05  # more for each squire in supply
    captain: float = 0.3  # the cheaper baron
    treasurer: float = 0.5  # the cheaper hires
    marshal: float = 0.4  # the moves or a silver
    fallback: float = 0.5  # 1: compares with the best other office left, 0: with the worst
    price: Moments = (0.3, 0.35, 0.35, 0.35, 0.35)  # a silver, when bidding
    share: Moments = (0.8, 0.5, 0.4, 0.4, 0.4)  # most of its silver that it bids
    waver: float = 0.15  # how far chance moves a limit up or down: nobody bids by the table
    open_best: float = 1.0  # opens the office worth most (1) or least (-1)
    # --- hiring and the market
    hire: float = 1.0  # factor on the worth of the silver that a hire costs
    reserve: Moments = (1.0, 2.0, 4.0, 5.0, 5.0)  # silver not spent on prestige
    tax: float = 0.5  # a squire that the special tax would take
    # --- cards
    defector: float = 1.3  # worth in the draft
    move: float = 0.6
    genoa: float = 0.6
    influence: float = 0.5  # beside its two squires
    influence_least: Moments = (0.2, 0.5, 0.6, 0.6, 0.6)  # least gain that one is played for
    exchange_least: Moments = (0.2, 0.8, 0.8, 0.8, 0.8)  # the same for a defector
    move_least: Moments = (0.2, 0.5, 0.5, 0.5, 0.5)  # for a move card
    marshal_least: float = 0.4  # for the marshal's move, beside the silver
    nearer: float = 0.03  # share of an area's worth that a squire nearer to control adds

    def to_dict(self) -> dict[str, Any]:
        """JSON-able values by name."""
        return {
            field.name: list(value) if isinstance(value, tuple) else value
            for field in fields(self)
            for value in (getattr(self, field.name),)
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Weights:
        """From JSON values; every weight must be there.

        Raises
        ------
        AgentError
            If a weight is missing, unknown, not a number, or not five of them where there are five.
        """
        names = {field.name for field in fields(cls)}
        if set(values) != names:
            wrong = sorted(set(values) ^ names)
            raise AgentError(f"weights are missing or unknown: {', '.join(wrong)}")
        read: dict[str, Any] = {}
        for field in fields(cls):
            given = values[field.name]
            try:
                value = np.asarray(given)
            except ValueError:  # ragged
                value = np.asarray(None)
            expected = (ROUNDS,) if _is_moments(field.name) else ()
            numbers = value.dtype.kind in "iuf" and value.shape == expected
            if not numbers or not np.isfinite(value).all():
                wanted = f"{ROUNDS} finite numbers" if expected else "a finite number"
                raise AgentError(f"weight {field.name} must be {wanted}, got {given!r}")
            value = value.astype(np.float64)
            read[field.name] = tuple(value.tolist()) if expected else float(value)
        return cls(**read)


def _is_moments(name: str) -> bool:
    return isinstance(getattr(Weights, name), tuple)


NUM_WEIGHTS = sum(ROUNDS if _is_moments(field.name) else 1 for field in fields(Weights))
LEADS = 8  # squires more than needed that are told apart

PLAN = np.dtype(
    [
        *((f.name, np.float64, (ROUNDS,) if _is_moments(f.name) else ()) for f in fields(Weights)),
        # What follows from the weights: the chance to lose a majority, by players still to move
        # and by squires more than needed.
        ("risk", np.float64, (4, LEADS)),
    ]
)
# Plans for tables of 2, 3 and 4, in that order.
PARAMETERS = np.dtype([("by_players", PLAN, (len(PLAYER_COUNTS),))])


def risks(weights: Weights) -> np.ndarray:
    """(4, LEADS) chance that a majority is lost, by players still to move and by its lead."""
    movers, leads = np.arange(4)[:, None], np.arange(LEADS)[None, :]
    one = (1.0 - weights.hold) * weights.hold_margin**leads
    return 1.0 - (1.0 - one) ** movers


def parameters_of(by_players: Mapping[int, Weights]) -> np.ndarray:
    """(1,) PARAMETERS from the weights for 2, 3 and 4 players."""
    parameters = np.zeros(1, dtype=PARAMETERS)
    for index, players in enumerate(PLAYER_COUNTS):
        weights = by_players[players]
        for field in fields(Weights):
            parameters["by_players"][field.name][0, index] = getattr(weights, field.name)
        parameters["by_players"]["risk"][0, index] = risks(weights)
    return parameters


def vector_of(weights: Weights) -> np.ndarray:
    """(NUM_WEIGHTS,) float64: all weights one after the other."""
    return np.concatenate(
        [np.atleast_1d(np.asarray(getattr(weights, field.name))) for field in fields(Weights)]
    ).astype(np.float64)


def weights_from(vector: np.ndarray) -> Weights:
    """The weights of such a vector."""
    read: dict[str, Any] = {}
    at = 0
    for field in fields(Weights):
        if _is_moments(field.name):
            read[field.name] = tuple(float(x) for x in vector[at : at + ROUNDS])
            at += ROUNDS
        else:
            read[field.name] = float(vector[at])
            at += 1
    return Weights(**read)
