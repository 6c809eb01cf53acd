"""What compiled bots of all games have in common."""

from __future__ import annotations

from functools import cache
from typing import Any

from jerusalem_env.bits import has_flag, nth_flag, pack
from jerusalem_env.kernels import entry_kernel, kernel


@kernel
def legal_choice(words, action):
    """The action if it is legal, else the first that is."""
    if action >= 0 and has_flag(words, action):
        return action
    return nth_flag(words, 0)


@cache
def entry_of(choose: Any) -> Any:
    """The entry that asks a policy's kernel (see ``CompiledPolicy``) about a batch."""

    @entry_kernel
    def choose_actions(views, masks, keys, words, parameters, actions):
        """Write an action for each of (B,) views and keys; the views are left as they were."""
        for row in range(views.shape[0]):
            pack(masks[row], words)
            actions[row] = choose(views[row], masks[row], words, keys[row], parameters)

    return choose_actions
