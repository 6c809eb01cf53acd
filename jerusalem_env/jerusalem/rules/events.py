"""The four events, three of which lie over rounds 2, 3 and 4 (R1.4, R15)."""

from __future__ import annotations

EVENTS: tuple[str, ...] = ("succession", "election", "special_tax", "war")
SUCCESSION, ELECTION, SPECIAL_TAX, WAR = range(4)
EVENT_ROUNDS: tuple[int, ...] = (2, 3, 4)


def events_in_play(players: int) -> tuple[int, ...]:
    """Event indices that can be drawn: all four, or without the election with 2 players (R2.5)."""
    return (SUCCESSION, SPECIAL_TAX, WAR) if players == 2 else (0, 1, 2, 3)
