"""Compiled policies at any seats, playing many games on by themselves.

A game goes on until a seat that no compiled policy plays is to act, or to its end. Policies see
views, never states; a game's course depends on its own seed alone, not on the other games, on how
many there are, or on the number of threads (P18).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np

from ..bits import new_words
from ..kernels import code_digest, entry_kernel, kernel
from ..policies import CompiledPolicy, decision_key
from ..sharing import claim, games_at_once, new_counter
from .rules import Rules, keeping, mode
from .steps import steps_of

_MOST_AT_ONCE = 4  # games that a thread takes: whole ones, which last long


class Bench(NamedTuple):
    """What a call of ``play_on`` works in: one row a thread.

    Attributes
    ----------
    views : (T,) view_dtype
    masks : (T, A) uint8
    words : (T, W) int64
    wrong : (T,) int64
        A game in which a policy erred, -1.
    counter : (8,) int64
        How many games threads have taken; see ``sharing``.
    """

    views: np.ndarray
    masks: np.ndarray
    words: np.ndarray
    wrong: np.ndarray
    counter: np.ndarray


def new_bench(rules: Rules, threads: int) -> Bench:
    """Scratch for so many threads."""
    return Bench(
        np.zeros(threads, dtype=rules.view_dtype),
        np.zeros((threads, rules.num_actions), dtype=np.uint8),
        new_words(threads, rules.num_actions),
        np.full(threads, -1, dtype=np.int64),
        new_counter(),
    )


class Slots(NamedTuple):
    """Policies sorted by their kernels, so that those that share one are compiled once.

    Attributes
    ----------
    kinds : tuple of (choose, needs_view, stacked)
        The distinct kernels. Policies whose parameters are one record share theirs.
    parameters : tuple of arrays
        One a kind: the records of its policies, or what its only policy is given.
    place : (P, 2) int64
        Kind and row of each policy.
    """

    kinds: tuple[tuple[Any, bool, bool], ...]
    parameters: tuple[np.ndarray, ...]
    place: np.ndarray


@cache
def _digest(choose: Any) -> str:
    """``code_digest`` of a kernel, which takes longer than many a call of ``play_on``."""
    return code_digest(choose) or ""


def slots_of(policies: tuple[CompiledPolicy, ...]) -> Slots:
    """Sort policies into slots, in an order that does not depend on theirs."""
    groups: dict[Any, list[int]] = {}
    for index, policy in enumerate(policies):
        stacked = policy.parameters.dtype.names is not None and policy.parameters.shape == (1,)
        kind: Any = policy.parameters.dtype if stacked else index
        key = (policy.choose, policy.needs_view, stacked, kind)
        groups.setdefault(key, []).append(index)
    kinds, parameters = [], []
    place = np.zeros((len(policies), 2), dtype=np.int64)
    order = sorted(groups, key=lambda key: (_digest(key[0]), policies[groups[key][0]].name))
    for kind, key in enumerate(order):
        members = groups[key]
        kinds.append(key[:3])
        parameters.append(np.concatenate([policies[index].parameters for index in members]))
        place[members, 0] = kind
        place[members, 1] = np.arange(len(members))
    return Slots(tuple(kinds), tuple(parameters), place)


def make_chooser(rules: Rules, kinds: tuple[tuple[Any, bool, bool], ...], recall: bool) -> Any:
    """The kernel that lets a policy decide, found by its kind and row.

    Called with (kind, row, state, view, mask, words, key, parameters): ``words`` is the packed
    mask, ``view`` and ``mask`` are scratch, ``parameters`` a tuple, one a kind; see ``Slots``.
    """
    (choose, needs_view, stacked), others = kinds[0], kinds[1:]
    look, spread = rules.look, steps_of(rules).spread

    if stacked:

        @kernel
        def ask(view, mask, words, key, parameters, row):
            return choose(view, mask, words, key, parameters[row : row + 1])

    else:

        @kernel
        def ask(view, mask, words, key, parameters, row):
            return choose(view, mask, words, key, parameters)

    if needs_view:

        @kernel
        def decide(s, view, mask, words, key, parameters, row):
            look(s, s.to_act, recall, view)
            spread(words, mask)
            return ask(view, mask, words, key, parameters[0], row)

    else:

        @kernel
        def decide(s, view, mask, words, key, parameters, row):
            return ask(view, mask, words, key, parameters[0], row)

    if not others:

        @kernel
        def choose_only(kind, row, s, view, mask, words, key, parameters):
            return decide(s, view, mask, words, key, parameters, row)

        return choose_only

    rest = make_chooser(rules, others, recall)

    @kernel
    def choose_any(kind, row, s, view, mask, words, key, parameters):
        if kind == 0:
            return decide(s, view, mask, words, key, parameters, row)
        return rest(kind - 1, row, s, view, mask, words, key, parameters[1:])

    return choose_any


@cache
def players_on(
    rules: Rules, kinds: tuple[tuple[Any, bool, bool], ...], recall: bool
) -> tuple[Callable[..., int], Callable[..., int]]:
    """The kernel that plays games on, for one thread and for several.

    Called with (states, seeds, policy_of, place, skip_forced, bench, log, parameters). Returns -1,
    or the first game in which a policy chose an illegal action.
    """
    choose = make_chooser(rules, kinds, recall)
    legal, running = rules.legal, rules.running
    step, refuses = steps_of(rules).step, steps_of(rules).refuses
    digest = code_digest(*(kind[0] for kind in kinds))
    forms = "".join(("v" if kind[1] else "-") + ("s" if kind[2] else "-") for kind in kinds)
    kept = keeping(rules, mode(recall), digest, forms)

    @kernel
    def play_game(s, seed, policy_of, place, skip_forced, view, mask, words, log, parameters):
        """One game; returns how many actions were logged, -1 if a policy erred."""
        logged = 0
        legal(s, words)
        while running(s):
            policy = policy_of[s.to_act]
            if policy < 0:
                break
            key = decision_key(seed, s.decisions)
            action = choose(
                place[policy, 0], place[policy, 1], s, view, mask, words, key, parameters
            )
            if refuses(words, action):
                return -1
            if logged < log.shape[0]:
                log[logged] = action
                logged += 1
            step(s, action, skip_forced, words)
        return logged

    @kernel
    def play_range(
        first, last, thread, states, seeds, policy_of, place, skip_forced, bench, log, parameters
    ):
        """Play these games; returns the first in which a policy erred, -1."""
        view, mask, words = bench.views[thread], bench.masks[thread], bench.words[thread]
        wrong = -1
        for game in range(first, last):
            done = log.sizes[game]
            logged = play_game(
                states[game],
                seeds[game],
                policy_of[game],
                place,
                skip_forced,
                view,
                mask,
                words,
                log.actions[game, done:],
                parameters,
            )
            if logged >= 0:
                log.sizes[game] = done + logged
            elif wrong < 0:
                wrong = game  # the others go on, so that all is the same on any number of threads
        return wrong

    @entry_kernel(**kept)
    def play_on_one(states, seeds, policy_of, place, skip_forced, bench, log, parameters):
        size = states.shape[0]
        return play_range(
            0, size, 0, states, seeds, policy_of, place, skip_forced, bench, log, parameters
        )

    @entry_kernel(parallel=True, **kept)
    def play_on_several(states, seeds, policy_of, place, skip_forced, bench, log, parameters):
        threads, games = bench.views.shape[0], states.shape[0]
        taken = games_at_once(games, threads, _MOST_AT_ONCE)
        # Numba drops what is written to a tuple's field inside of prange.
        wrong, counter = bench.wrong, bench.counter
        counter[0] = 0
        for thread in numba.prange(threads):
            first = claim(counter, taken)
            while first < games:
                erred = play_range(
                    first,
                    min(first + taken, games),
                    thread,
                    states,
                    seeds,
                    policy_of,
                    place,
                    skip_forced,
                    bench,
                    log,
                    parameters,
                )
                if wrong[thread] < 0:
                    wrong[thread] = erred
                first = claim(counter, taken)
        found = -1
        for thread in range(threads):  # the first of all, whoever took it
            if wrong[thread] >= 0 and (found < 0 or wrong[thread] < found):
                found = wrong[thread]
        return found

    return play_on_one, play_on_several
