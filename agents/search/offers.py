"""Proposals of a search's guide, put in order; see ``Guide.propose``."""

from __future__ import annotations

from jerusalem_env.kernels import kernel


@kernel
def offer(actions, ranks, count, action, rank):
    """Put an action in its place among those offered, the first of which stays; the new count."""
    if action == actions[0]:
        return count
    at = count
    if count == actions.shape[0]:
        if rank <= ranks[count - 1]:
            return count
        at = count - 1
    while at > 1 and ranks[at - 1] < rank:
        actions[at], ranks[at] = actions[at - 1], ranks[at - 1]
        at -= 1
    actions[at], ranks[at] = action, rank
    return min(count + 1, actions.shape[0])


@kernel
def with_pass(actions, count, passing):
    """To decline (the action ``passing``) is always a choice, even where there is no more room."""
    for index in range(count):
        if actions[index] == passing:
            return count
    actions[count - 1] = passing
    return count
