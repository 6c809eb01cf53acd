"""The 27 action cards, of 14 kinds (R11.4-R11.13)."""

from __future__ import annotations

CARDS: tuple[str, ...] = (
    "squire",
    "silver_2",
    "prestige_2",
    "resources_2",
    "squire_silver",
    "defector",
    "move_2",
    "genoa",
    "influence_palace",
    "influence_templars",
    "influence_patriarchate",
    "influence_market",
    "influence_nobility",
    "influence_davids_tower",
)
NUM_CARD_KINDS = len(CARDS)
(
    SQUIRE,
    SILVER_2,
    PRESTIGE_2,
    RESOURCES_2,
    SQUIRE_SILVER,
    DEFECTOR,
    MOVE_2,
    GENOA,
    INFLUENCE_PALACE,
    INFLUENCE_TEMPLARS,
    INFLUENCE_PATRIARCHATE,
    INFLUENCE_MARKET,
    INFLUENCE_NOBILITY,
    INFLUENCE_DAVIDS_TOWER,
) = range(14)

COPIES: tuple[int, ...] = (3, 3, 3, 2, 2, 2, 4, 2, 1, 1, 1, 1, 1, 1)  # R11.4-R11.12
DECK_SIZE = sum(COPIES)  # R11.13: 27


def copies_in_play(players: int) -> tuple[int, ...]:
    """Copies of each kind: 27 cards, or 25 with 2 players (R2.6)."""
    if players == 2:
        return tuple(
            0 if kind in (INFLUENCE_PATRIARCHATE, INFLUENCE_NOBILITY) else copies
            for kind, copies in enumerate(COPIES)
        )
    return COPIES
