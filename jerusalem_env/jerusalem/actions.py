"""The 309 flat actions: blocks, ids and names (rules VII.d)."""

from __future__ import annotations

from ..game import ActionBlock
from .engine import layout
from .rules.board import AREAS, SECTORS
from .rules.cards import CARDS
from .rules.offices import OFFICES
from .rules.ruleset import MAX_BID

RESOURCES: tuple[str, ...] = ("squire", "silver", "prestige")


def _blocks() -> tuple[ActionBlock, ...]:
    areas = AREAS
    steps = range(1, 4)
    return (
        ActionBlock("pass", layout.PASS, ("pass",), "pass, end the turn, decline, stop"),
        ActionBlock(
            "open", layout.OPEN, tuple(f"open {o}" for o in OFFICES), "put an office up for auction"
        ),
        ActionBlock(
            "bid",
            layout.BID,
            tuple(f"bid {amount}" for amount in range(MAX_BID + 1)),
            "bid that much silver",
        ),
        ActionBlock(
            "draft", layout.DRAFT, tuple(f"draft {c}" for c in CARDS), "keep this card of the pool"
        ),
        ActionBlock(
            "place", layout.PLACE, tuple(f"place {a}" for a in areas), "one squire from supply"
        ),
        ActionBlock(
            "baron", layout.BARON, tuple(f"baron {a}" for a in areas), "block the area this round"
        ),
        ActionBlock("hire", layout.HIRE, ("hire",), "one squire to supply at the next price"),
        ActionBlock(
            "dismiss",
            layout.DISMISS,
            tuple(f"dismiss {a}" for a in areas),
            "one squire back to the stock; each third pays 1 silver",
        ),
        ActionBlock("play", layout.PLAY, tuple(f"play {c}" for c in CARDS), "play an action card"),
        ActionBlock(
            "marshal",
            layout.MARSHAL_MOVE,
            ("marshal move", "marshal silver"),
            "the marshal's ability: move up to 2 squires, or 1 silver",
        ),
        ActionBlock(
            "lift", layout.LIFT, tuple(f"lift {a}" for a in areas), "the own squire that moves"
        ),
        ActionBlock(
            "drop", layout.DROP, tuple(f"drop {a}" for a in areas), "where a squire comes down"
        ),
        ActionBlock(
            "take", layout.TAKE, tuple(f"take {r}" for r in RESOURCES), "one of two resources"
        ),
        ActionBlock(
            "target",
            layout.TARGET,
            tuple(f"target +{k} {a}" for k in steps for a in areas),
            "a squire of the opponent k seats clockwise",
        ),
        ActionBlock("buy card", layout.BUY_CARD, ("buy card",), "a squire for the top card"),
        ActionBlock(
            "buy prestige",
            layout.BUY_PRESTIGE,
            tuple(f"buy prestige {k}" for k in range(1, 5)),
            "prestige at 2 silver each",
        ),
        ActionBlock(
            "steal",
            layout.STEAL,
            tuple(f"steal +{k}" for k in steps),
            "1 prestige from the player k seats clockwise",
        ),
        ActionBlock(
            "keep",
            layout.KEEP,
            tuple(f"keep {a}" for a in areas if a.startswith("market.")),
            "pay 1 silver to keep a Market squire",
        ),
        ActionBlock(
            "decline",
            layout.DECLINE,
            tuple(f"decline {r}" for r in RESOURCES),
            "give one unit of income back",
        ),
    )


ACTION_BLOCKS = _blocks()
ACTION_NAMES: tuple[str, ...] = tuple(name for block in ACTION_BLOCKS for name in block.names)
ACTION_IDS: dict[str, int] = {name: index for index, name in enumerate(ACTION_NAMES)}

PHASES: tuple[str, ...] = (
    "open",
    "bid",
    "draft",
    "turn",
    "dismiss",
    "lift",
    "drop",
    "take",
    "target",
    "davids_tower",
    "patriarchate",
    "market",
    "nobility",
    "income",
    "succession",
    "special_tax",
    "war",
    "over",
)
SOURCES: tuple[str, ...] = (
    "dismiss",
    "resources_2",
    "marshal",
    "move_2",
    "defector",
    *(f"influence_{sector}" for sector in SECTORS),
)
