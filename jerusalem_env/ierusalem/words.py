"""What happens at the table, in words: what is decided, an action, what followed from it."""

from __future__ import annotations

import numpy as np

from .actions import PHASES
from .engine.layout import NO_SEAT, PHASE_OVER, STAGE_SETTLE
from .rules.box import box_of
from .rules.names import APOSTLES, RESOURCES, SPACES

_DECISIONS = {
    "settle": "in which area another follower begins",
    "play": "which card to play",
    "column": "on which column to put {card}",
    "illuminate": "which appreciation the Illumination brings",
    "orange": "which orange Apostle scores",
    "market": "what to trade at the market{traded}",
    "temple": "which follower to recruit at the temple",
    "supper": "where to go at the Last Supper{free}",
    "from": "from which area a follower goes to {space}{free}",
    "offering": "whether to take an Offering",
    "call": "into which area to call a follower",
    "draw": "which Mahane card to draw",
    "favor": "which favor marker to give",
    "give": "to whom to give {marker}",
    "change": "which follower changes places",
    "change_to": "where the follower on {lifted} goes",
    "swap": "which follower to exchange",
    "swap_with": "for whose follower to exchange the one on {lifted}",
    "redistribute": "whether to rearrange the columns",
    "arrange": "which card comes next on column {column}",
    "visit": "which apostle column to visit",
    "apostle": "which Apostle of column {visited} to seat",
    "seat": "where to seat the {apostle} Apostle",
    "purchase": "whether to buy a Mahane card",
    "excess": "which card to discard",
    "overflow": "what to discard: the camp is too full",
}


def describe_decision(state: np.void, seat: int | None = None) -> str:
    """Who decides what, in words, such as ``P2 decides which card to play``; all of it is public.

    Parameters
    ----------
    state : STATE record, or a view by true seats
    seat : int, optional
        Who is told, and called "You".
    """
    if state["phase"] == PHASE_OVER:
        return "the game is over"
    actor = int(state["to_act"])
    return f"{'You decide' if actor == seat else f'P{actor} decides'} {decision_of(state)}"


def decision_of(state: np.void) -> str:
    """What is decided, such as ``which card to play``."""
    box = box_of(int(state["data_id"]))
    sold = [name for index, name in enumerate(RESOURCES) if int(state["sold"]) >> index & 1]
    return _DECISIONS[PHASES[state["phase"]]].format(
        card=box.kinds[max(state["chosen_card"], 0)],
        traded=f" (sold {', '.join(sold)})" if sold else "",
        free=", invited" if state["free"] else "",
        space=SPACES[max(state["chosen_space"], 0)],
        marker=box.markers[max(state["chosen_marker"], 0)],
        lifted=SPACES[max(state["lifted"], 0)],
        column=int(state["arrange_column"]) + 1,
        visited=int(state["visit_column"]) + 1,
        apostle=APOSTLES[max(state["chosen_colour"], 0)],
    )


def may_take_back(before: np.void, after: np.void) -> bool:
    """Whether the decision at ``before`` may be taken back at ``after``.

    Within a seat's own turn, as long as no card came from a pile or a deck and nothing was
    shuffled: so no further than to the drawing at the turn's end.
    """
    actor = before["to_act"]
    own = before["turn"] == actor and after["turn"] == actor and after["to_act"] == actor
    if actor == NO_SEAT or not own or before["turns"] != after["turns"]:
        return False
    if before["stage"] == STAGE_SETTLE or after["phase"] == PHASE_OVER:
        return False
    if not np.array_equal(before["shuffles"], after["shuffles"]):
        return False
    if not np.array_equal(before["deck_size"], after["deck_size"]):
        return False
    return _untouched(before, after, "mahane") and _untouched(before, after, "xxxiii")


def _untouched(before: np.void, after: np.void, pile: str) -> bool:
    """Whether nothing was drawn from a pile: all its cards are there yet, in their order."""
    size = before[f"{pile}_size"]
    return bool(
        after[f"{pile}_size"] >= size and np.array_equal(before[pile][:size], after[pile][:size])
    )
