"""The Sanhedrin: meetings and judgments (R11)."""

from __future__ import annotations

from ...bits import count_bits
from ...kernels import kernel

PARABLE, OFFERING, RESOURCES, CALL, FAVOR, GO = range(6)


@kernel
def judged_number(s, judgment, seat):
    """The number of a player that a judgment looks at (R11.4)."""
    if judgment == PARABLE:
        return s.parables[seat] * 1
    if judgment == OFFERING:
        return s.offerings[seat] * 1
    if judgment == RESOURCES:
        return s.resources[seat, 0] + s.resources[seat, 1] + s.resources[seat, 2]
    if judgment == CALL:
        return s.areas[seat, 0] + s.areas[seat, 1] + s.areas[seat, 2]
    if judgment == FAVOR:
        return s.favors_done[seat] * 1
    return count_bits(s.supper[seat])


@kernel
def meeting(s):
    """The active player advances the marker; a judgment there is passed at once (R11.2, R11.3)."""
    if s.sanhedrin >= s.last_space:
        return  # R11.1, A31
    s.sanhedrin += 1
    if s.judgments_on == 0:
        return
    for index in range(6):
        if s.judgment_space[index] == s.sanhedrin:
            for seat in range(s.players):
                number = judged_number(s, s.judgments[index], seat)  # A29
                s.points[seat] += number if seat == s.turn else number // 2


@kernel
def bureaucracy(s):
    """With all Apostles seated the marker advances, past no judgment any more (R5.2, A30)."""
    if s.judgments_on == 0 and s.sanhedrin < s.last_space:
        s.sanhedrin += 1
