"""The 240 flat actions: blocks, ids and names (rules VII.d)."""

from __future__ import annotations

from functools import cache

from ..game import ActionBlock
from .engine import layout
from .rules.box import Box
from .rules.names import APOSTLES, AREAS, DRAW_SOURCES, RESOURCES, SEATS, SPACES

SOURCES: tuple[str, ...] = ("column.1", "column.2", "column.3", "favors")


@cache
def action_blocks(box: Box) -> tuple[ActionBlock, ...]:
    """The flat actions by kind; cards and favor markers are named as the data file has them."""
    steps = range(1, 4)
    return (
        ActionBlock("pass", layout.PASS, ("pass",), "decline, stop, on to the next column"),
        ActionBlock(
            "card",
            layout.CARD,
            tuple(f"card {kind}" for kind in box.kinds),
            "play it, take it from the pool, or discard it",
        ),
        ActionBlock(
            "column",
            layout.COLUMN,
            tuple(f"column {c}" for c in (1, 2, 3)),
            "the own column a card goes to; with an empty hand the one to clear",
        ),
        ActionBlock(
            "illuminate", layout.ILLUMINATE, ("illuminate",), "the Illumination instead of a card"
        ),
        ActionBlock(
            "follower",
            layout.FOLLOWER,
            tuple(f"follower {a}" for a in AREAS),
            "a follower from the camp to a free square",
        ),
        ActionBlock(
            "from",
            layout.FROM,
            tuple(f"from {a}" for a in AREAS),
            "the area a follower leaves for the Supper",
        ),
        ActionBlock(
            "displace",
            layout.DISPLACE,
            tuple(f"displace +{k} {a}" for k in steps for a in AREAS),
            "recruit in a full area: a follower of the player k seats clockwise goes home",
        ),
        ActionBlock(
            "space", layout.SPACE, tuple(f"space {s}" for s in SPACES), "a space of the Last Supper"
        ),
        ActionBlock(
            "lift", layout.LIFT, tuple(f"lift {s}" for s in SPACES), "the own follower that moves"
        ),
        ActionBlock("offering", layout.OFFERING, ("offering",), "an Offering into the camp"),
        ActionBlock(
            "draw",
            layout.DRAW,
            tuple(f"draw {s}" for s in DRAW_SOURCES),
            "a Mahane card of the display or the pile",
        ),
        ActionBlock("sell", layout.SELL, tuple(f"sell {r}" for r in RESOURCES), "one of it"),
        ActionBlock("buy", layout.BUY, tuple(f"buy {r}" for r in RESOURCES), "one of it"),
        ActionBlock(
            "favor", layout.FAVOR, tuple(f"favor {m}" for m in box.markers), "the marker to give"
        ),
        ActionBlock(
            "give",
            layout.GIVE,
            tuple(f"give +{k}" for k in steps),
            "the marker to the player k seats clockwise",
        ),
        ActionBlock(
            "visit",
            layout.VISIT,
            tuple(f"visit {s} apostles.{j}" for s in SOURCES for j in (1, 2, 3)),
            "an apostle column with a set from an own column, or of symbols held alone",
        ),
        ActionBlock(
            "apostle", layout.APOSTLE, tuple(f"apostle {a}" for a in APOSTLES), "which Apostle"
        ),
        ActionBlock("seat", layout.SEAT, tuple(f"seat {s}" for s in SEATS), "a seat of the table"),
        ActionBlock("rearrange", layout.REARRANGE, ("rearrange",), "take up all cards on columns"),
        ActionBlock(
            "discard",
            layout.DISCARD,
            tuple(f"discard {r}" for r in RESOURCES),
            "one of it: the camp is too full",
        ),
    )


@cache
def action_names(box: Box) -> tuple[str, ...]:
    """The text of every flat action."""
    return tuple(name for block in action_blocks(box) for name in block.names)


PHASES: tuple[str, ...] = (
    *("settle", "play", "column", "illuminate", "orange", "market", "temple", "supper", "from"),
    *("offering", "call", "draw", "favor", "give", "change", "change_to", "swap", "swap_with"),
    *("redistribute", "arrange", "visit", "apostle", "seat", "purchase", "excess", "overflow"),
    "over",
)
STAGES: tuple[str, ...] = ("settle", "play", "visit", "purchase", "refill", "over")
