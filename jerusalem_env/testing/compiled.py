"""Checks of what only some games have: compiled play, and kernels for a search."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..bits import new_words, unpack_rows
from ..chance import sample_legal
from ..game import Game
from ..kernels import code_digest, entry_kernel
from ..policies import UNIFORM, new_log
from ..simulation import Simulation
from .equipment import MOST_DECISIONS, dealt, differing_fields, done, masks_of, play, same_states


def check_play_on(game: Game, num_games: int, seed: int) -> None:
    """``play_on``: random policies play every game to its end, and the log says how."""
    if not game.plays_compiled:
        return
    states, _ = dealt(game, num_games, seed)
    everyone = np.zeros((num_games, game.players), dtype=np.int64)
    chance = game.derive_seeds(seed, num_games, 1)
    log = new_log(num_games, MOST_DECISIONS)
    assert game.play_on(states, chance, everyone, (UNIFORM,), log=log) == -1
    assert done(game, states).all(), "play_on does not play every game to its end"
    ended = states.copy()
    assert game.play_on(states, chance, everyone, (UNIFORM,)) == -1
    assert same_states(states, ended), "play_on changes games that are over"
    alone = np.where(np.arange(game.players) == 0, -1, everyone)
    stopped, masks = dealt(game, num_games, seed)
    replayed = stopped.copy()
    assert game.play_on(stopped, chance, alone, (UNIFORM,)) == -1
    going, ply = np.arange(num_games), 0
    while len(going := going[(game.to_act(replayed) != 0)[going] & ~done(game, replayed)[going]]):
        _take(game, replayed, masks, going, log.actions[going, ply])
        ply += 1
    assert same_states(replayed, stopped), (
        f"play_on does not stop where it should, in {differing_fields(replayed, stopped)}"
    )
    replayed, masks = dealt(game, num_games, seed)
    for ply in range(int(log.sizes.max())):
        rows = np.flatnonzero(log.sizes > ply)
        _take(game, replayed, masks, rows, log.actions[rows, ply])
    assert same_states(replayed, ended), (
        f"the log of play_on leads elsewhere, in {differing_fields(replayed, ended)}"
    )


def _take(
    game: Game, states: np.ndarray, masks: np.ndarray, rows: np.ndarray, actions: np.ndarray
) -> None:
    """Take a decision in some of the games."""
    now, now_masks = states[rows], masks[rows]
    wrong = game.step(now, actions.astype(np.int64), now_masks)
    assert wrong == -1, f"illegal: {game.action_names[actions[wrong]]}, game {rows[wrong]}"
    states[rows], masks[rows] = now, now_masks


@cache
def _simulated(simulation: Simulation) -> tuple[Any, Any, Any, Any]:
    """A game's kernels for search, made callable for (B,) records."""
    redeal, legal, play = simulation.redeal, simulation.legal, simulation.step
    running, to_act, value = simulation.running, simulation.to_act, simulation.value
    digest = code_digest(redeal, legal, play, running, to_act, value)
    # The digest of compiled code leaves this file out, so its own is added.
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    variant, cached = f"{simulation.name} {digest} {own}", digest is not None

    @entry_kernel(variant=variant, cached=cached)
    def redeal_all(views: Any, keys: Any, scratch: Any, states: Any) -> None:
        for game in range(views.shape[0]):
            redeal(views[game], keys[game], scratch, states[game])

    @entry_kernel(variant=variant, cached=cached)
    def look_at_all(states: Any, words: Any, seats: Any) -> None:
        for game in range(states.shape[0]):
            legal(states[game], words[game])
            seats[game] = to_act(states[game]) if running(states[game]) else -1

    @entry_kernel(variant=variant, cached=cached)
    def step_all(states: Any, actions: Any, words: Any) -> None:
        for game in range(states.shape[0]):
            play(states[game], actions[game], words[game])

    @entry_kernel(variant=variant, cached=cached)
    def value_all(states: Any, values: Any) -> None:
        for game in range(states.shape[0]):
            for seat in range(values.shape[1]):
                values[game, seat] = value(states[game], seat)

    return redeal_all, look_at_all, step_all, value_all


def check_simulation(game: Game, num_games: int, seed: int) -> None:
    """``simulation``: its kernels deal what is unseen and go on as the game does."""
    if game.simulation is None:
        return
    simulation, (redeal, look, step, value) = game.simulation, _simulated(game.simulation)
    assert simulation.state_dtype == game.state_dtype, "simulation: another state_dtype"
    sizes = (simulation.players, simulation.num_actions)
    assert sizes == (game.players, game.num_actions), "simulation: players or num_actions"
    rng, scratch = np.random.default_rng(seed), np.zeros(simulation.scratch, dtype=np.int64)

    def unpacked(words: np.ndarray) -> np.ndarray:
        masks = np.zeros((len(words), game.num_actions), dtype=np.uint8)
        unpack_rows(words, masks)
        return masks

    def watch(states: np.ndarray, masks: np.ndarray, ply: int) -> None:
        rows = np.flatnonzero(~done(game, states))
        size, at = len(rows), f"simulation, ply {ply}:"
        words = new_words(len(states), game.num_actions)
        seats = np.zeros(len(states), dtype=np.int64)
        look(states, words, seats)
        to_act = np.where(done(game, states), -1, game.to_act(states))
        assert np.array_equal(seats, to_act), f"{at} running or to_act"
        assert np.array_equal(unpacked(words)[rows], masks[rows]), f"{at} legal"
        for seat in range(game.players):
            views = game.views(states[rows], np.full(size, seat))
            keys = rng.integers(0, 2**64, size, dtype=np.uint64)
            before, unseen = views.copy(), np.zeros(size, dtype=game.state_dtype)
            redeal(views, keys, scratch, unseen)
            assert same_states(views, before), f"{at} redeal writes to the view"
            again = game.views(unseen, np.zeros(size, dtype=np.int64))
            assert same_states(again, views), (
                f"{at} redeal changes what seat {seat} sees, {differing_fields(again, views)}"
            )
            expected, now_masks = unseen.copy(), masks_of(game, unseen)
            actions, words = sample_legal(now_masks, rng), new_words(size, game.num_actions)
            step(unseen, actions, words)
            _step_through(game, expected, actions, now_masks)
            assert same_states(unseen, expected), (
                f"{at} step leads elsewhere, in {differing_fields(unseen, expected)}"
            )
            alive = ~done(game, expected)
            assert np.array_equal(unpacked(words)[alive], now_masks[alive]), f"{at} step's mask"

    ends = play(game, num_games, seed, watch)
    ends = ends[np.asarray(game.terminated(ends))]
    values = np.zeros((len(ends), game.players))
    value(ends, values)
    assert ((values >= 0) & (values <= 1)).all(), f"simulation: values beyond 0..1: {values}"
    for state, row in zip(ends, values, strict=True):
        best = game.results(state)["ranking"][0]
        assert row[best] == row.max(), "simulation: a winner's value is not the highest"


def _step_through(game: Game, states: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> None:
    """A decision in every game and the forced ones after it, whatever ``skip_forced`` says."""
    assert game.step(states, actions, masks) == -1
    while True:
        rows = np.flatnonzero(~done(game, states) & (masks.astype(np.int64).sum(axis=1) == 1))
        if not len(rows):
            return
        _take(game, states, masks, rows, masks[rows].argmax(axis=1))
