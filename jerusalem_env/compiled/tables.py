"""Tables with one learner, compiled: its decision, the bots' up to its next, a new deal when done.

Everything of a table comes from its game seed: the deal, the learner's seat, which bot plays each
other seat, and the bots' own chance. So a table does not depend on the others, on how many there
are, or on the number of threads (P18).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numba

from ..chance import derived_seed
from ..kernels import code_digest, entry_kernel, inlined_kernel, kernel
from ..policies import MOST_DEALS, CompiledPolicy, decision_key, draw_seats
from ..sharing import claim, games_at_once
from .encoders import emitter_for
from .play import make_chooser
from .rules import Rules, form, keeping, mode
from .steps import steps_of

FAULT_LEARNER, FAULT_BOT, FAULT_NO_DECISION = 1, 2, 3


_MOST_AT_ONCE = 16  # tables that a thread takes: several decisions at each


class Settings(NamedTuple):
    """What a step of tables needs to know beside their arrays."""

    skip_forced: bool
    reward: int  # its place among the names of the game's rewards
    fixed_seat: int  # -1: drawn for each game
    illegal_loses: bool
    autoreset: bool


Entry = Callable[..., int]


def table_steps(
    rules: Rules, n: int, recall: bool, as_bytes: bool, policies: tuple[CompiledPolicy, ...]
) -> tuple[Entry, Entry]:
    """The step (tables, actions, deal, settings, parameters) on one thread and on several.

    With ``deal`` every table is dealt anew and ``actions`` are not looked at. Returns -1, or the
    first table with an illegal action if those do not lose the game; then nothing has changed.
    ``parameters`` is a tuple of the policies' own.
    """
    chosen = tuple((policy.choose, policy.needs_view) for policy in policies)
    return _table_steps(rules, n, recall, as_bytes, chosen)


@cache
def _table_steps(
    rules: Rules, n: int, recall: bool, as_bytes: bool, policies: tuple[tuple[Any, bool], ...]
) -> tuple[Entry, Entry]:
    emit = emitter_for(rules, n, recall, as_bytes)
    steps = steps_of(rules)
    step, reset, over, first_illegal = steps.step, steps.reset, steps.over, steps.first_illegal
    refuses, spread = steps.refuses, steps.spread
    running, utility = rules.running, rules.utility
    choose = make_chooser(rules, tuple((*policy, False) for policy in policies), recall)
    num_policies = len(policies)
    digest = code_digest(*(choose for choose, _ in policies))
    views = "".join("v" if needs_view else "-" for _, needs_view in policies)
    kept = keeping(rules, n, mode(recall), form(as_bytes), digest, views)

    @kernel
    def play_bots(s, seat, game_seed, bots, words, mask, scratch, skip_forced, parameters):
        """Bots decide until the learner is to act or the game is done; False: one of them erred."""
        while running(s) and s.to_act != seat:
            key = decision_key(game_seed, s.decisions)
            action = choose(bots[s.to_act], 0, s, scratch, mask, words, key, parameters)
            if refuses(words, action):
                return False
            step(s, action, skip_forced, words)
        return True

    @inlined_kernel
    def deal_table(table, thread, tables, settings, parameters):
        """New games, up to one in which the learner has a decision."""
        s, words, bots = tables.states[table], tables.legal[table], tables.bots[table]
        mask, scratch = tables.bot_masks[thread], tables.scratch[thread]
        for _ in range(MOST_DEALS):
            tables.episodes[table] += 1
            tables.states[table] = tables.blank[0]
            game_seed = derived_seed(tables.seed[0], table, tables.episodes[table])
            seat = draw_seats(game_seed, settings.fixed_seat, num_policies, bots)
            tables.game_seeds[table] = game_seed
            tables.seats[table] = seat
            reset(s, game_seed, settings.skip_forced, words)
            if not play_bots(
                s, seat, game_seed, bots, words, mask, scratch, settings.skip_forced, parameters
            ):
                tables.faults[table] = FAULT_BOT
                return
            if running(s):
                return
        tables.faults[table] = FAULT_NO_DECISION

    @inlined_kernel
    def step_table(table, thread, action, tables, settings, parameters):
        """The learner's decision and the bots' up to its next, or to the end."""
        s, words, seat = tables.states[table], tables.legal[table], tables.seats[table]
        if refuses(words, action):
            tables.faults[table] = FAULT_LEARNER
            tables.rewards[table] = -1.0
            tables.terminated[table] = 1
            return
        step(s, action, settings.skip_forced, words)
        if not play_bots(
            s,
            seat,
            tables.game_seeds[table],
            tables.bots[table],
            words,
            tables.bot_masks[thread],
            tables.scratch[thread],
            settings.skip_forced,
            parameters,
        ):
            tables.faults[table] = FAULT_BOT
        elif over(s):
            tables.terminated[table] = 1
            tables.rewards[table] = utility(s, seat, settings.reward)
        elif not running(s):
            tables.truncated[table] = 1

    @kernel
    def step_range(first, last, thread, tables, actions, deal, settings, parameters):
        for table in range(first, last):
            tables.rewards[table] = 0.0
            tables.terminated[table] = 0
            tables.truncated[table] = 0
            tables.faults[table] = 0
            new = deal
            if not deal:
                step_table(table, thread, actions[table], tables, settings, parameters)
                if tables.terminated[table] == 1 or tables.truncated[table] == 1:
                    tables.finals[table] = tables.states[table]
                    tables.final_seats[table] = tables.seats[table]
                    new = settings.autoreset
            if new:
                deal_table(table, thread, tables, settings, parameters)
            spread(tables.legal[table], tables.masks[table])
            if tables.observations.shape[0] > 0:
                scratch, row = tables.scratch[thread], tables.rows[thread]
                out = tables.observations[table]
                emit(tables.states[table], tables.seats[table], scratch, row, tables.scale, out)

    @kernel
    def refused(tables, actions, deal, settings):
        """First table whose action is illegal where that is an error, else -1."""
        if deal or settings.illegal_loses:
            return -1
        return first_illegal(actions, tables.legal)

    @entry_kernel(**kept)
    def step_tables(tables, actions, deal, settings, parameters):
        wrong = refused(tables, actions, deal, settings)
        if wrong < 0:
            size = tables.states.shape[0]
            step_range(0, size, 0, tables, actions, deal, settings, parameters)
        return wrong

    @entry_kernel(parallel=True, **kept)
    def step_tables_parallel(tables, actions, deal, settings, parameters):
        wrong = refused(tables, actions, deal, settings)
        if wrong < 0:
            threads, games = tables.scratch.shape[0], tables.states.shape[0]
            taken = games_at_once(games, threads, _MOST_AT_ONCE)
            counter = tables.counter  # Numba drops what happens to a tuple's field in prange
            counter[0] = 0
            for thread in numba.prange(threads):
                first = claim(counter, taken)
                while first < games:
                    last = min(first + taken, games)
                    step_range(first, last, thread, tables, actions, deal, settings, parameters)
                    first = claim(counter, taken)
        return wrong

    return step_tables, step_tables_parallel
