"""Questions to the value head: what is a position worth, and the same one with one thing changed?

Positions are those of VII.e. Every edit gives a legal position or None, changes only what it says,
and asks from the seat to act. What changes are what the seat itself has or what all can see.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.learned import PPOAgent
from jerusalem_env.errors import PositionError
from jerusalem_env.jerusalem.actions import PHASES
from jerusalem_env.jerusalem.engine.layout import PHASE_DRAFT, PHASE_TURN
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.offices import OFFICES

from ..one_thread import networks_on_one_thread
from .clusters import Estimate, mean_by_deal
from .decisions import Decisions, paid

Position = dict[str, Any]
Edit = Callable[[Position], Position | None]

AMOUNTS = ("silver", "squires", "prestige", "floors")


# --- edits ------------------------------------------------------------------------------------
def more(key: str, by: int) -> Edit:
    """The seat to act owns ``by`` more (or less) of silver, squires, prestige or floors."""
    if key not in AMOUNTS:
        raise ValueError(f"key must be one of {AMOUNTS}, got {key!r}")

    def edit(position: Position) -> Position | None:
        changed, seat = copy.deepcopy(position), position["to_act"]
        changed[key][seat] += by
        return changed if changed[key][seat] >= 0 else None

    return edit


def squire_on(area: str, by: int = 1) -> Edit:
    """The seat to act has ``by`` squires more in an area; None where it would be less than 0."""

    def edit(position: Position) -> Position | None:
        if area not in position["board"]:
            return None
        changed, seat = copy.deepcopy(position), position["to_act"]
        changed["board"][area][seat] += by
        return changed if changed["board"][area][seat] >= 0 else None

    return edit


def card_in_hand(card: str) -> Edit:
    """The seat to act has drawn that card from the pile; None if the pile has none."""

    def edit(position: Position) -> Position | None:
        if card not in position["pile"]:
            return None
        changed, seat = copy.deepcopy(position), position["to_act"]
        changed["pile"].remove(card)
        changed["hands"][seat] = sorted([*changed["hands"][seat], card])
        return changed

    return edit


def baron_gone() -> Edit:
    """The player in turn has no baron to place any more; None outside a turn or if it is used."""

    def edit(position: Position) -> Position | None:
        if position["phase"] != PHASES[PHASE_TURN] or position["turn"]["baron_used"]:
            return None
        changed = copy.deepcopy(position)
        changed["turn"]["baron_used"] = True
        return changed

    return edit


def offices_exchanged(position: Position, seat: int, office: str) -> Position | None:
    """At the start of the draft: ``seat`` holds ``office``, its holder what ``seat`` held.

    The first in the new order is to act, for nobody has drafted yet. None for other positions.
    """
    offices: list[str | None] = position["offices"]
    if position["phase"] != PHASES[PHASE_DRAFT] or office not in offices:
        return None
    if len(position["draft_pool"]) != len(offices):
        return None
    changed = copy.deepcopy(position)
    other = offices.index(office)
    changed["offices"][seat], changed["offices"][other] = office, offices[seat]
    first = min(changed["offices"], key=OFFICES.index)
    changed["to_act"] = changed["offices"].index(first)
    return changed


# --- positions to ask about -------------------------------------------------------------------
@dataclass(frozen=True)
class Base:
    """Positions of games, each with its deal."""

    positions: list[Position]
    deals: np.ndarray


def base_positions(
    decisions: Decisions, game: JerusalemGame, phase: int, number: int, count: int, seed: int
) -> Base:
    """Positions in which a phase of a round begins for a seat of the agent.

    The first decision of the seat there, at most one of each game; in turns only those in which
    nothing has been done yet. Drawn at random, as many as there are up to ``count``.
    """
    rows = np.flatnonzero((decisions.phases == phase) & (decisions.rounds == number))
    if phase == PHASE_TURN:
        states = decisions.states[rows]
        fresh = (states["arrivals"].sum(axis=1) == 0) & (states["hired"] == 0)
        rows = rows[fresh & (states["baron_used"] == 0) & (states["marshal_used"] == 0)]
        # One seat of each game, whichever: else the first in order would always be asked.
        rows = np.random.default_rng([seed, 1]).permutation(rows)
    _, first = np.unique(decisions.games[rows], return_index=True)
    rows = np.sort(rows[first])
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(rows)[:count])
    positions = [game.write_position(decisions.states[row]) for row in chosen]
    return Base(positions, decisions.deals[chosen])


def even_positions(game: JerusalemGame, number: int, count: int, seed: int) -> Base:
    """Positions set up by hand: all players alike when the first office of a round is put up.

    In round 1 the start of a game. Later everybody has as many floors as rounds are over, 4 silver,
    3 squires in supply, 1 prestige, no cards in hand, and one squire in every area. Seat 0 opens;
    cards and events are those of ``count`` deals.
    """
    states = game.new_states(count)
    masks = np.zeros((count, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(seed, count, 0), masks)
    positions, n = [], game.players
    for state in states:
        position = game.write_position(state)
        position["to_act"] = position["auction"]["opener"] = 0
        if number > 1:
            gone = position["pile"][: n * (number - 1)]
            position |= {
                "round": number,
                "pile": position["pile"][len(gone) :],
                "discards": sorted(gone),
                "last_offices": list(OFFICES[-n:]),
                "silver": [4] * n,
                "squires": [3] * n,
                "prestige": [1] * n,
                "floors": [number - 1] * n,
                "board": {area: [1] * n for area in position["board"]},
            }
        positions.append(position)
    return Base(positions, np.arange(count))


def expected(agent: PPOAgent, game: JerusalemGame, base: Base) -> Estimate:
    """Mean value of the positions as they are."""
    return mean_by_deal(values_of(agent, game, base.positions), base.deals)


# --- asking -----------------------------------------------------------------------------------
def values_of(
    agent: PPOAgent, game: JerusalemGame, positions: Sequence[Position | None]
) -> np.ndarray:
    """(P,) float64 values for the seats to act, in units of the training; NaN for None.

    Raises
    ------
    PositionError
        If a position is not legal, or the game is over in it.
    """
    values = np.full(len(positions), np.nan)
    there = [index for index, position in enumerate(positions) if position is not None]
    if there:
        states = states_of(game, [positions[index] for index in there])  # type: ignore[misc]
        if (states["to_act"] < 0).any():
            raise PositionError("to_act: nobody decides in a position that is over")
        with networks_on_one_thread():
            judgement = agent.judge(game.views(states), legal_masks(game, states))
        values[there] = judgement.values
    return values


def states_of(game: JerusalemGame, positions: Sequence[Position]) -> np.ndarray:
    """(P,) STATE of positions, each checked."""
    return np.concatenate([game.read_position(position) for position in positions])


def legal_masks(game: JerusalemGame, states: np.ndarray) -> np.ndarray:
    """(P, A) uint8 legal actions."""
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    return masks


def effects(
    agent: PPOAgent, game: JerusalemGame, base: Base, edits: Sequence[Edit]
) -> list[Estimate]:
    """Mean change of the value by each edit, over the positions in which it is possible."""
    before = values_of(agent, game, base.positions)
    found = []
    for edit in edits:
        changed = [edit(position) for position in base.positions]
        difference = values_of(agent, game, changed) - before
        there = ~np.isnan(difference)
        found.append(mean_by_deal(difference[there], base.deals[there]))
    return found


# --- offices, played out ----------------------------------------------------------------------
@dataclass(frozen=True)
class OfficeRow:
    """What holding an office is worth to a seat that holds it instead of another one.

    ``value``: of the value head at the seat's own turn, ``returned`` and ``won``: of what came in
    the end; each less the mean of the same positions over all offices.
    """

    office: str
    value: Estimate
    returned: Estimate
    won: Estimate


def office_worth(
    agent: PPOAgent,
    game: JerusalemGame,
    base: Base,
    reward: dict[str, float],
    rng: np.random.Generator,
) -> list[OfficeRow]:
    """Exchange offices at the start of the draft, let the agent play on in all seats, compare.

    Parameters
    ----------
    agent : PPOAgent
        Plays its likeliest actions.
    game : JerusalemGame
    base : Base
        Of draft positions; in each a seat is drawn that gets every office in turn. Silver stays as
        it was paid.
    reward : dict
        Weights of the return.
    rng : numpy Generator
        Draws the seat.
    """
    offices = [office for office in OFFICES if office in base.positions[0]["offices"]]
    starts, seats = [], []
    for position in base.positions:
        seat = int(rng.integers(len(offices)))
        for office in offices:
            changed = offices_exchanged(position, seat, office)
            if changed is None:
                raise PositionError("phase: offices are exchanged at the start of the draft")
            starts.append(changed)
            seats.append(seat)
    states, focus = states_of(game, starts), np.array(seats)
    with networks_on_one_thread():
        values = _play_out(agent, game, states, focus)
    each = np.arange(len(states))
    returns = paid(states, game.players, reward)[each, focus]
    wins = (states["winner"] == focus).astype(np.float64)

    def compared(amounts: np.ndarray) -> np.ndarray:
        table = amounts.reshape(-1, len(offices))
        return table - table.mean(axis=1, keepdims=True)

    tables = [compared(amounts) for amounts in (values, returns, wins)]
    return [
        OfficeRow(office, *(mean_by_deal(table[:, place], base.deals) for table in tables))
        for place, office in enumerate(offices)
    ]


def _play_out(
    agent: PPOAgent, game: JerusalemGame, states: np.ndarray, focus: np.ndarray
) -> np.ndarray:
    """Play games to their end in place; (B,) values when the turn of ``focus`` begins."""
    masks = legal_masks(game, states)
    values = np.full(len(states), np.nan)
    while True:
        running = np.flatnonzero(~(game.terminated(states) | game.truncated(states)))
        if not len(running):
            return values
        now, legal = states[running], masks[running]
        judgement = agent.judge(game.views(now), legal)
        assert judgement.values is not None
        begins = (now["phase"] == PHASE_TURN) & (now["to_act"] == focus[running])
        begins &= np.isnan(values[running])
        values[running[begins]] = judgement.values[begins]
        actions = judgement.probabilities.argmax(axis=1)
        if game.step(now, actions, legal) >= 0:
            raise PositionError("the agent chose an illegal action")
        states[running], masks[running] = now, legal
