"""Games between copies of one agent, and what is worth keeping of them.

Every game is first played by the agent's compiled policy, which writes its actions down, and then
played again in lock step with the rest of its batch, so that each decision can be looked at before
and after it was taken. Forced decisions are asked here, hence seen too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from agents.base import Agent
from jerusalem_env.envs.opponents import compiled_policy
from jerusalem_env.jerusalem.engine.layout import (
    BID,
    NUM_PHASES,
    PASS,
    PHASE_BID,
    PHASE_DAVIDS_TOWER,
    PHASE_OVER,
    PHASE_SUCCESSION,
)
from jerusalem_env.jerusalem.engine.layout import DROP as DROP_ACTION
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.board import DAVIDS_TOWER, NUM_AREAS
from jerusalem_env.jerusalem.rules.events import EVENT_ROUNDS
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from jerusalem_env.policies import CompiledPolicy, new_log

ROUNDS = RuleSet().rounds
NUM_OFFICES = 4
BATCH = 500  # games in lock step: no result depends on it
MOST_DECISIONS = 10_000  # the watchdog's limit, so no log is ever too short
FREE = -1  # the price of an office that its holder took as the last one (R4.10)
NOT_IN_PLAY = -2

_DEALS, _CHANCE = 0, 1  # `episode` of derive_seeds: for the deals, for the agent's own chance

Progress = Callable[[int], None]


class BalanceError(ValueError):
    """A report that cannot be made: an agent without compiled policy, a bad number or seed."""


class Games(NamedTuple):
    """What is kept of G games of n seats.

    Attributes
    ----------
    finals : (G,) state_dtype
        The last states; nothing is cleared at the end of a game.
    opener : (G,) int8
        Seat that opened the first auction of round 1.
    price : (G, 5, 4) int16
        Silver paid, by round and office; ``FREE`` for the last one, ``NOT_IN_PLAY``.
    place : (G, 5, 4) int8
        Which auction of the round the office was, from 0; n - 1 for the free one; ``NOT_IN_PLAY``.
    floors, prestige : (G, 5, n) int32
        After each round's building; prestige is what is left of it.
    leader : (G, 5) int8
        Seat ahead after each round's building, by R4.2, and in the last round by R16.1.
    decisions, choices : (G, 18) int32
        By phase: all decisions, and those with more than one legal action.
    before, after : (G, 3, n, 16) int16
        The board just before and just after the events of rounds 2, 3 and 4.
    answers : (G, 3) int16
        By event: squires saved, silver paid or opposing squires removed, by all players together.
    """

    finals: np.ndarray
    opener: np.ndarray
    price: np.ndarray
    place: np.ndarray
    floors: np.ndarray
    prestige: np.ndarray
    leader: np.ndarray
    decisions: np.ndarray
    choices: np.ndarray
    before: np.ndarray
    after: np.ndarray
    answers: np.ndarray

    @property
    def size(self) -> int:
        """G, the number of games."""
        return len(self.finals)

    @property
    def players(self) -> int:
        """n, the number of seats."""
        return self.floors.shape[2]

    @property
    def winner(self) -> np.ndarray:
        """(G,) seat that won."""
        return self.finals["winner"].astype(np.int64)

    @property
    def offices(self) -> np.ndarray:
        """(G, 5, n) office held by round and seat."""
        return self.finals["office_log"][:, :, : self.players].astype(np.int64)

    def rows(self, first: int, last: int) -> Games:
        """Views of the games ``first`` to ``last - 1``."""
        return Games(*(array[first:last] for array in self))


def new_games(game: JerusalemGame, games: int) -> Games:
    """Arrays for so many games, nothing in them yet."""
    n = game.players
    shape = (games, ROUNDS, NUM_OFFICES)
    return Games(
        finals=game.new_states(games),
        opener=np.full(games, -1, np.int8),
        price=np.full(shape, NOT_IN_PLAY, np.int16),
        place=np.full(shape, NOT_IN_PLAY, np.int8),
        floors=np.zeros((games, ROUNDS, n), np.int32),
        prestige=np.zeros((games, ROUNDS, n), np.int32),
        leader=np.full((games, ROUNDS), -1, np.int8),
        decisions=np.zeros((games, NUM_PHASES), np.int32),
        choices=np.zeros((games, NUM_PHASES), np.int32),
        before=np.zeros((games, len(EVENT_ROUNDS), n, NUM_AREAS), np.int16),
        after=np.zeros((games, len(EVENT_ROUNDS), n, NUM_AREAS), np.int16),
        answers=np.zeros((games, len(EVENT_ROUNDS)), np.int16),
    )


def see_decisions(
    games: Games, before: np.ndarray, actions: np.ndarray, options: np.ndarray, after: np.ndarray
) -> None:
    """Write down what one decision of each game shows.

    Games that were over before it are left alone. The decisions must be all that there are:
    forced ones asked, none skipped.

    Parameters
    ----------
    games : Games
        Where it is written.
    before, after : (G,) state_dtype
        The games when the decision is to be taken, and when the next one is.
    actions : (G,) int
    options : (G,) int
        Number of legal actions.
    """
    phase = before["phase"]
    running = np.flatnonzero(phase != PHASE_OVER)
    games.decisions[running, phase[running]] += 1
    games.choices[running, phase[running]] += options[running] > 1
    _see_sales(games, before, actions, after)
    _see_events(games, before, actions, after)
    over = after["phase"] == PHASE_OVER
    ended = np.flatnonzero((phase != PHASE_OVER) & (over | (after["round"] > before["round"])))
    if len(ended):
        n, last, rounds = games.players, after[ended], before["round"][ended] - 1
        games.floors[ended, rounds] = last["floors"][:, :n]
        games.prestige[ended, rounds] = last["prestige"][:, :n]
        # R4.2: who is ahead opens the next round, and events change neither floors nor prestige.
        games.leader[ended, rounds] = np.where(over[ended], last["winner"], last["opener"])


def _see_sales(games: Games, before: np.ndarray, actions: np.ndarray, after: np.ndarray) -> None:
    """Auctions that this decision ended: the office is sold once nobody is left to bid (R4.7)."""
    sold = np.flatnonzero((before["phase"] == PHASE_BID) & (after["phase"] != PHASE_BID))
    if not len(sold):
        return
    then, now, action = before[sold], after[sold], actions[sold]
    office, rounds = then["auction_office"], then["round"] - 1
    place = (then["seat_of_office"] >= 0).sum(axis=1)
    games.price[sold, rounds, office] = np.where(action == PASS, then["bid"], action - BID)
    games.place[sold, rounds, office] = place
    # R4.10: after the last auction of the round one office is left, and is taken free.
    last = place == games.players - 2
    held_now = now["seat_of_office"][last] >= 0
    held_then = then["seat_of_office"][last] >= 0
    new = held_now & ~held_then
    new[np.arange(len(new)), office[last]] = False
    free = new.argmax(axis=1)
    games.price[sold[last], rounds[last], free] = FREE
    games.place[sold[last], rounds[last], free] = games.players - 1


def _see_events(games: Games, before: np.ndarray, actions: np.ndarray, after: np.ndarray) -> None:
    """The board around events, and what players did about them (R15)."""
    phase, rounds = before["phase"], before["round"]
    first = EVENT_ROUNDS[0]
    struck = (rounds >= first) & (rounds <= EVENT_ROUNDS[-1]) & (phase != PHASE_OVER)
    in_event = (phase >= PHASE_SUCCESSION) & (phase < PHASE_OVER)
    now_in_event = (after["phase"] >= PHASE_SUCCESSION) & (after["phase"] < PHASE_OVER)
    answered = np.flatnonzero(struck & in_event & (actions != PASS))
    games.answers[answered, rounds[answered] - first] += 1
    ended = struck & (after["round"] > rounds)
    begun = np.flatnonzero(struck & ~in_event & (now_in_event | ended))
    if len(begun):
        boards = before["board"][begun, : games.players]  # a copy
        # Between the last decision before an event and the event, only that decision itself can
        # move a squire: out of David's Tower (R12.1).
        moved = (phase[begun] == PHASE_DAVIDS_TOWER) & (actions[begun] != PASS)
        place, mover = np.flatnonzero(moved), before["to_act"][begun][moved]
        boards[place, mover, DAVIDS_TOWER] -= 1
        boards[place, mover, actions[begun][moved] - DROP_ACTION] += 1
        games.before[begun, rounds[begun] - first] = boards
    done = np.flatnonzero(ended)
    games.after[done, rounds[done] - first] = after["board"][done, : games.players]


def replay(
    game: JerusalemGame, seeds: np.ndarray, actions: np.ndarray, sizes: np.ndarray, games: Games
) -> None:
    """Play logged games again in lock step and write down what they show.

    Parameters
    ----------
    game : JerusalemGame
        One that asks forced decisions.
    seeds : (B,) uint64
        Of the deals.
    actions : (B, L) int16
        Every action of each game.
    sizes : (B,) int
        How many of each row there are.
    games : Games
        Of B games; filled.
    """
    states = game.new_states(len(seeds))
    masks = np.zeros((len(seeds), game.num_actions), dtype=np.uint8)
    game.reset(states, seeds, masks)
    games.opener[:] = states["opener"]
    for turn in range(int(sizes.max())):
        before = states.copy()
        chosen = actions[:, turn].astype(np.int64)
        options = masks.sum(axis=1, dtype=np.int64)
        if game.step(states, chosen, masks) >= 0:
            raise AssertionError("a logged action was not legal when played again")
        see_decisions(games, before, chosen, options, states)
    games.finals[:] = states


def policy_of(agent: Agent) -> CompiledPolicy:
    """The agent's compiled policy.

    Raises
    ------
    BalanceError
        If it has none.
    """
    policy = compiled_policy(agent)
    if policy is None:
        raise BalanceError(
            f"{agent.name} has no compiled policy (`compiled`), without which thousands of games "
            "take too long; name an agent that has one, such as greedy"
        )
    return policy


def simulate(
    game: JerusalemGame,
    policy: CompiledPolicy,
    num_games: int,
    seed: int,
    threads: int = 1,
    progress: Progress | None = None,
) -> Games:
    """Play games with one policy in all seats.

    Parameters
    ----------
    game : JerusalemGame
        Of 5 rounds, with ``skip_forced=False``.
    policy : CompiledPolicy
    num_games : int
        At least 2.
    seed : int
        The i-th game depends on it and on i alone; the deal does not depend on incomes or agent.
    threads : int
        Changes nothing but the time it takes.
    progress : callable, optional
        Called with the number of games just finished, after each batch.

    Raises
    ------
    BalanceError
        If the game skips forced decisions or has not 5 rounds, ``num_games`` is below 2, or the
        policy chooses an illegal action or does not come to an end.
    """
    if game.skip_forced or game.rules.rounds != ROUNDS:
        raise BalanceError(
            f"the game must ask forced decisions and have {ROUNDS} rounds, got skip_forced="
            f"{game.skip_forced} and {game.rules.rounds} rounds; make it with skip_forced=False"
        )
    if num_games < 2:
        raise BalanceError(f"games must be at least 2 for an interval, got {num_games}")
    seeds = game.derive_seeds(seed, num_games, _DEALS)
    chances = game.derive_seeds(seed, num_games, _CHANCE)
    games = new_games(game, num_games)
    for first in range(0, num_games, BATCH):
        last = min(first + BATCH, num_games)
        log = new_log(last - first, MOST_DECISIONS)
        states = game.new_states(last - first)
        masks = np.zeros((last - first, game.num_actions), dtype=np.uint8)
        game.reset(states, seeds[first:last], masks)
        nobody_else = np.zeros((last - first, game.players), dtype=np.int64)
        wrong = game.play_on(states, chances[first:last], nobody_else, (policy,), threads, log)
        if wrong >= 0:
            raise BalanceError(f"{policy.name} chose an illegal action in game {first + wrong}")
        endless = np.flatnonzero(~game.terminated(states))
        if len(endless):
            raise BalanceError(
                f"game {first + endless[0]} of {policy.name} was stopped after "
                f"{MOST_DECISIONS:,} decisions; only agents that come to an end can be reported on"
            )
        part = games.rows(first, last)
        replay(game, seeds[first:last], log.actions, log.sizes, part)
        if not np.array_equal(part.finals, states):
            raise AssertionError("games played again ended otherwise")
        if progress is not None:
            progress(last - first)
    return games
