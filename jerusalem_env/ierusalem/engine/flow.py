"""What is asked next: steps pending, and decisions put to a seat (VII.b, VII.e)."""

from __future__ import annotations

from ...kernels import kernel
from .layout import MAX_STEPS, PHASE_NONE


@kernel
def push(s, step):
    """A step that is to happen before all those that are pending."""
    if s.num_steps < MAX_STEPS:
        s.steps[s.num_steps] = step
        s.num_steps += 1


@kernel
def pop(s):
    """The step that is to happen next; there must be one."""
    s.num_steps -= 1
    step = s.steps[s.num_steps]
    s.steps[s.num_steps] = 0
    return step


@kernel
def ask(s, phase):
    """Put a decision to the active player."""
    s.phase = phase
    s.to_act = s.turn


@kernel
def go_on(s):
    """Nothing more is asked here: on to the next step."""
    s.phase = PHASE_NONE
