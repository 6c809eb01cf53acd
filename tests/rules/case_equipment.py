"""What the card, turn and event cases share."""

from __future__ import annotations


def _hand(*cards: str, seat: int = 0, players: int = 4) -> list[list[str]]:
    """Hands where one seat has these cards."""
    return [list(cards) if other == seat else [] for other in range(players)]
