"""The four offices: their order decides turns and ties, their squires open a turn (R6.2)."""

from __future__ import annotations

OFFICES: tuple[str, ...] = ("captain", "treasurer", "marshal", "admiral")
CAPTAIN, TREASURER, MARSHAL, ADMIRAL = range(4)
OFFICE_SQUIRES: tuple[int, ...] = (7, 6, 5, 4)  # R6.2


def offices_in_play(players: int) -> tuple[int, ...]:
    """Office indices in play: the highest-numbered ``players`` of the four (R2.1-R2.3)."""
    return tuple(range(4 - players, 4))
