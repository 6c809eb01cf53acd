"""A decision carried out piece by piece, each with its cause: what words tell of is read off these.

The engine itself does it, on a copy: the action first, then every step that no player decides, and
decisions with one legal action that were taken without asking.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..bits import count_bits, lowest_bit, new_words
from ..kernels import entry_kernel
from .engine.flow import pop
from .engine.layout import NUM_ACTIONS, PHASE_NONE
from .engine.legal import legal
from .engine.step import apply, perform
from .engine.turn import next_stage

ACTION, STAGE = -1, -2  # causes of pieces that are no steps


class Piece(NamedTuple):
    """What happened at once.

    Attributes
    ----------
    cause : int
        A STEP_*, ``ACTION``, or ``STAGE``: a stage or a turn begins.
    action : int
        The flat action; -1 for other causes.
    before, after : STATE records
        The state before it and after it.
    """

    cause: int
    action: int
    before: np.void
    after: np.void


def pieces(before: np.void, action: int, after: np.void) -> Iterator[Piece]:
    """The pieces of a decision, and of forced ones behind it, up to ``after``.

    Parameters
    ----------
    before, after : STATE records
        Full states at the decision and at the next one.
    action : int
        Flat action, legal at ``before``.
    """
    states, words = np.array([before]), new_words(1, NUM_ACTIONS)[0]
    decisions = int(after["decisions"])
    while action >= 0:
        past = states[0].copy()
        carry_out(states, action)
        yield Piece(ACTION, action, past, states[0].copy())
        while states["phase"][0] == PHASE_NONE:
            past = states[0].copy()
            cause = int(go_on_once(states))
            yield Piece(cause, -1, past, states[0].copy())
        action = -1
        if states["decisions"][0] < decisions:
            action = int(forced_action(states, words))


@entry_kernel
def carry_out(states, action):
    """Apply a legal action to ``states[0]``, and nothing else."""
    apply(states[0], action)


@entry_kernel
def go_on_once(states):
    """Carry out the next step of ``states[0]``, or begin the next stage; its cause."""
    s = states[0]
    if s.num_steps > 0:
        step = pop(s)
        perform(s, step)
        return step
    next_stage(s)
    return STAGE


@entry_kernel
def forced_action(states, words):
    """The only legal action of ``states[0]``; -1 if there are more or none."""
    legal(states[0], words)
    found, action = 0, -1
    for index in range(words.shape[0]):
        found += count_bits(words[index])
        if words[index] != 0:
            action = 64 * index + lowest_bit(words[index])
    return action if found == 1 else -1
