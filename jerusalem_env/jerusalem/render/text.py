"""The board as text: areas, squires, barons, offices, towers, prestige, event, who acts."""

from __future__ import annotations

import numpy as np

from ...compiled.views import views_of
from ..actions import PHASES, SOURCES
from ..compiled import JERUSALEM
from ..engine.layout import PHASE_OVER
from ..position import rules_of
from ..rules.board import AREAS, INCOME_NOTE, SECTORS, areas_in_play, income_provenance
from ..rules.cards import CARDS
from ..rules.events import EVENTS
from ..rules.offices import OFFICES

_HIDDEN = "?"
DECISIONS = {
    "open": "puts an office up for auction",
    "bid": "bids or passes",
    "draft": "keeps a card of the pool",
    "turn": "is in turn",
    "dismiss": "dismisses squires",
    "lift": "chooses a squire to move",
    "drop": "chooses where a squire comes down",
    "take": "takes a resource",
    "target": "chooses an opponent's squire",
    "davids_tower": "may move a squire out of David's Tower",
    "patriarchate": "may buy a card",
    "market": "may buy prestige",
    "nobility": "may steal prestige",
    "income": "may decline income",
    "succession": "may save Palace squires",
    "special_tax": "pays for Market squires",
    "war": "may remove opposing squires",
}


def render_text(state: np.void, seat: int | None = None, recall: bool = False) -> str:
    """The board as text.

    Parameters
    ----------
    state : STATE record
    seat : int, optional
        Show only what this seat sees (seats keep their numbers); by default everything.
    recall : bool
        With ``seat``: the seat keeps count of silver and supplies.
    """
    n = int(state["players"])
    shown = state
    shift = 0
    if seat is not None:
        states = np.array([state])
        shown = views_of(JERUSALEM, states, np.array([seat]), recall)[0]
        shift = seat
    lines = [_headline(shown, shift, n), ""]
    lines += _players(shown, shift, n)
    lines += [""]
    lines += _board(shown, shift, n)
    lines += ["", _cards_line(shown)]
    if isinstance(rules_of(state).income, str):
        lines += [INCOME_NOTE]
    return "\n".join(lines)


def _at(seat: int, shift: int, n: int) -> int:
    """Index in the (turned) record of an absolute seat."""
    return (seat - shift) % n


def _back(index: int, shift: int, n: int) -> int:
    """Absolute seat of an index in the (turned) record."""
    return (int(index) + shift) % n


def _headline(s: np.void, shift: int, n: int) -> str:
    this_round, rounds = int(s["round"]), int(s["rounds"])
    event = "none"
    if 2 <= this_round <= 4 and this_round < rounds:
        event = EVENTS[s["events"][this_round - 2]]
    head = f"Round {this_round} of {rounds}   event: {event}"
    if s["phase"] == PHASE_OVER:
        order = [f"P{_back(x, shift, n)}" for x in s["ranking"][:n]]
        return f"{head}   game over: {order[0]} wins ({' > '.join(order)})"
    phase = PHASES[s["phase"]]
    text = f"{head}   P{_back(s['to_act'], shift, n)} {DECISIONS[phase]} [{phase}]"
    if s["auction_office"] >= 0:
        text += f": {OFFICES[s['auction_office']]}"
        if s["bid"] >= 0:
            text += f", high bid {s['bid']} by P{_back(s['bidder'], shift, n)}"
    elif s["source"] >= 0:
        text += f": {SOURCES[s['source']]}, {s['left']} to go"
        if s["lifted_from"] >= 0:
            text += f", from {AREAS[s['lifted_from']]}"
    return text


def _amount(value: int) -> str:
    return _HIDDEN if value < 0 else str(value)


def _players(s: np.void, shift: int, n: int) -> list[str]:
    lines = ["        office      floors  prestige  silver  supply  baron               cards"]
    for seat in range(n):
        k = _at(seat, shift, n)
        office = OFFICES[s["office"][k]] if s["office"][k] >= 0 else "-"
        baron = AREAS[s["baron"][k]] if s["baron"][k] >= 0 else "-"
        acts = ">" if s["to_act"] == k else " "
        hand = s["hand"][k]
        if hand[0] < 0:
            cards = f"{s['hand_size'][k]} hidden" if s["hand_size"][k] else "-"
        else:
            cards = _counted(hand) or "-"
        lines.append(
            f"{acts} P{seat}    {office:<10}  {s['floors'][k]:>6}  {s['prestige'][k]:>8}  "
            f"{_amount(s['silver'][k]):>6}  {_amount(s['squires'][k]):>6}  {baron:<18}  {cards}"
        )
    return lines


def _counted(counts: np.ndarray) -> str:
    """Card names with their numbers, such as ``move_2 x2, genoa``."""
    return ", ".join(
        name if count == 1 else f"{name} x{count}"
        for name, count in zip(CARDS, counts, strict=True)
        if count > 0
    )


def _board(s: np.void, shift: int, n: int) -> list[str]:
    rules = rules_of(s)
    provenance = income_provenance(rules.income)
    seats = "".join(f"{f'P{seat}':>5}" for seat in range(n))
    lines = [f"{'area':<20}{seats}  baron  pays (squires, silver, prestige)"]
    last_sector = ""
    for area in areas_in_play(n):
        name = AREAS[area]
        sector = name.split(".")[0]
        if sector != last_sector and last_sector and sector in SECTORS:
            lines.append("")
        last_sector = sector
        counts = [int(s["board"][_at(seat, shift, n), area]) for seat in range(n)]
        squires = "".join(f"{count or '.':>5}" for count in counts)
        owners = [seat for seat in range(n) if s["baron"][_at(seat, shift, n)] == area]
        baron = f"P{owners[0]}" if owners else ""
        pays = " ".join(str(int(x)) for x in s["income"][area])
        mark = "*" if provenance[area] == "reconstructed" else ""
        if name == "davids_tower":
            pays, mark = "1 silver in step 1", ""
        lines.append(f"{name:<20}{squires}  {baron:<5}  {pays}{mark}".rstrip())
    if "reconstructed" in provenance:
        lines.append("* reconstructed income")
    return lines


def _cards_line(s: np.void) -> str:
    parts = [f"pile {s['pile_size']}"]
    if s["pool_size"] > 0:
        seen = s["pool"][0] >= 0
        pool = _counted(s["pool"]) if seen else f"{s['pool_size']} face down"
        parts.append(f"pool: {pool}")
    parts.append(f"played: {_counted(s['discards']) or 'none'}")
    return "   ".join(parts)
