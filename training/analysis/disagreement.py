"""Where an agent chooses otherwise than a reference in the same position, and how surely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jerusalem_env.jerusalem.actions import ACTION_BLOCKS, ACTION_NAMES, PHASES
from jerusalem_env.jerusalem.engine.layout import PHASE_BID, PHASE_DRAFT, PHASE_TARGET, PHASE_TURN
from jerusalem_env.jerusalem.rules.cards import CARDS
from jerusalem_env.jerusalem.rules.offices import OFFICES

from .clusters import Estimate, mean_by_deal, rate_by_deal
from .decisions import Decisions

KINDS: tuple[str, ...] = tuple(block.kind for block in ACTION_BLOCKS)
_KIND_OF = np.repeat(np.arange(len(KINDS)), [len(block.names) for block in ACTION_BLOCKS])


@dataclass(frozen=True)
class DisagreementRow:
    """Decisions of one phase, or about one kind of action.

    Attributes
    ----------
    name : str
    decisions : int
    differs : Estimate
        Share in which the two choose different actions.
    never : Estimate
        Share in which they differ and the agent does not do what the reference would do now at any
        later decision of that turn either: not just another order. Outside of turns as ``differs``.
    probability : Estimate
        Mean probability that the agent's policy gives to the reference's action.
    """

    name: str
    decisions: int
    differs: Estimate
    never: Estimate
    probability: Estimate


def kind_of(actions: np.ndarray) -> np.ndarray:
    """(R,) int64 index into ``KINDS``."""
    return _KIND_OF[actions]


def by_phase(decisions: Decisions) -> list[DisagreementRow]:
    """A row for each phase that occurs, in the order of the rule book."""
    return _rows(decisions, decisions.phases, PHASES)


def by_kind(decisions: Decisions) -> list[DisagreementRow]:
    """A row for each kind of action that the reference would take."""
    return _rows(decisions, kind_of(decisions.reference_actions), KINDS)


def overall(decisions: Decisions) -> DisagreementRow:
    """All decisions together."""
    return _rows(decisions, np.zeros(decisions.size, dtype=np.int64), ("all",))[0]


def _rows(
    decisions: Decisions, groups: np.ndarray, names: tuple[str, ...]
) -> list[DisagreementRow]:
    differs = decisions.actions != decisions.reference_actions
    never = differs & ~done_later(decisions)
    found = []
    for index, name in enumerate(names):
        rows = groups == index
        if not rows.any():
            continue
        deals = decisions.deals[rows]
        found.append(
            DisagreementRow(
                name,
                int(rows.sum()),
                rate_by_deal(differs[rows], deals),
                rate_by_deal(never[rows], deals),
                mean_by_deal(decisions.reference_probabilities[rows], deals),
            )
        )
    return found


def done_later(decisions: Decisions) -> np.ndarray:
    """(R,) bool: what the reference would do now, the agent does later in the same turn.

    Squires may be placed in any order; a difference that is one of order alone is none.
    """
    phases = decisions.phases
    in_turn = np.flatnonzero((phases >= PHASE_TURN) & (phases <= PHASE_TARGET))
    n, rounds = decisions.players, int(decisions.finals["rounds"].max())
    turn = (decisions.games * n + decisions.seats) * rounds + decisions.rounds
    later: dict[tuple[int, int], int] = {}  # (turn, action) -> its last place in the turn
    for row in in_turn:
        later[int(turn[row]), int(decisions.actions[row])] = int(row)
    found = np.zeros(decisions.size, dtype=np.bool_)
    for row in in_turn:
        key = int(turn[row]), int(decisions.reference_actions[row])
        found[row] = later.get(key, -1) > row
    return found


def kinds_table(decisions: Decisions, phase: int) -> tuple[list[str], list[str], np.ndarray]:
    """Kinds of actions in one phase, the agent's against the reference's.

    Returns
    -------
    (K,) kinds of the agent, (L,) kinds of the reference, (K, L) shares of all decisions there.
    """
    rows = decisions.phases == phase
    mine, theirs = kind_of(decisions.actions[rows]), kind_of(decisions.reference_actions[rows])
    own, other = np.unique(mine), np.unique(theirs)
    table = np.zeros((len(own), len(other)))
    np.add.at(table, (np.searchsorted(own, mine), np.searchsorted(other, theirs)), 1.0)
    share = table / max(int(rows.sum()), 1)
    return [KINDS[i] for i in own], [KINDS[i] for i in other], share


def surest(decisions: Decisions, phase: int, count: int) -> list[int]:
    """Rows in which the agent differs most surely, one a deal, different actions first.

    By the probability of its own action less that of the reference's.
    """
    differs = (decisions.actions != decisions.reference_actions) & (decisions.phases == phase)
    rows = np.flatnonzero(differs & ~done_later(decisions))
    gap = decisions.probabilities[rows] - decisions.reference_probabilities[rows]
    chosen: list[int] = []
    seen: set[tuple[int, int]] = set()
    deals: set[int] = set()
    for row in rows[np.argsort(-gap, kind="stable")]:
        pair = int(decisions.actions[row]), int(decisions.reference_actions[row])
        if pair in seen or int(decisions.deals[row]) in deals:
            continue
        seen.add(pair)
        deals.add(int(decisions.deals[row]))
        chosen.append(int(row))
        if len(chosen) == count:
            break
    return chosen


def describe(decisions: Decisions, row: int) -> str:
    """A decision in a line: what is asked, what the player has, both choices."""
    state, seat = decisions.states[row], int(decisions.seats[row])
    asked = f"round {int(state['round'])}, {PHASES[state['phase']]}"
    if state["phase"] == PHASE_BID:
        bid = int(state["bid"])
        stands = f"high bid {bid}" if bid >= 0 else "no bid yet"
        asked += f" for {OFFICES[state['auction_office']]} ({stands})"
    elif state["phase"] == PHASE_DRAFT:
        pool = [card for card, copies in zip(CARDS, state["pool"], strict=True) if copies > 0]
        asked += f" from {', '.join(pool)}"
    office = int(state["office"][seat])
    has = f"{OFFICES[office]}, " if office >= 0 else ""
    has += ", ".join(
        f"{int(state[field][seat])} {name}"
        for field, name in (
            ("silver", "silver"),
            ("squires", "squires"),
            ("prestige", "prestige"),
            ("floors", "floors"),
        )
    )
    mine = ACTION_NAMES[decisions.actions[row]]
    theirs = ACTION_NAMES[decisions.reference_actions[row]]
    return (
        f"{asked}; has {has}: agent `{mine}` ({decisions.probabilities[row]:.1%}), reference "
        f"`{theirs}` ({decisions.reference_probabilities[row]:.2%})"
    )
