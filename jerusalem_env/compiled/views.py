"""Batches of views, of full states drawn from views, and of tables turned."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from ..kernels import entry_kernel
from .rules import Rules, keeping


class ViewEntries(NamedTuple):
    """Entries of one game.

    Attributes
    ----------
    view_games : (states, seats, recall, views)
        Views of (B,) states by the given seats; seat -1 means the seat to act (0 when over).
    redeal_views : (views, keys, scratch, states)
        A full state for each view, each drawn with its own key (uint64).
    turn_tables : (states, by, out)
        Renumber the seats of every game: seat ``by`` becomes seat 0.
    """

    view_games: Callable[..., None]
    redeal_views: Callable[..., None]
    turn_tables: Callable[..., None]


@cache
def view_entries(rules: Rules) -> ViewEntries:
    """The entries for one game."""
    look, redeal, turn, kept = rules.look, rules.redeal, rules.turn, keeping(rules)

    @entry_kernel(**kept)
    def view_games(states, seats, recall, views):
        for game in range(states.shape[0]):
            seat = seats[game]
            if seat < 0:
                seat = max(states[game].to_act, 0)
            look(states[game], seat, recall, views[game])

    @entry_kernel(**kept)
    def redeal_views(views, keys, scratch, states):
        for game in range(views.shape[0]):
            redeal(views[game], keys[game], scratch, states[game])

    @entry_kernel(**kept)
    def turn_tables(states, by, out):
        for game in range(states.shape[0]):
            turn(states[game], by, out[game])

    return ViewEntries(view_games, redeal_views, turn_tables)


def seats_or_to_act(states: np.ndarray, seats: np.ndarray | None) -> np.ndarray:
    """(B,) int64 seats, -1 for the seat to act where none are given."""
    if seats is None:
        return np.full(len(states), -1, dtype=np.int64)
    return np.asarray(seats, dtype=np.int64)


def views_of(
    rules: Rules, states: np.ndarray, seats: np.ndarray | None = None, recall: bool = False
) -> np.ndarray:
    """Views of a batch of states.

    Parameters
    ----------
    rules : Rules
    states : (B,) state_dtype
    seats : (B,) int, optional
        Who looks; by default the seat to act.
    recall : bool
        With perfect memory.

    Returns
    -------
    (B,) view_dtype; the observer is seat 0 in each.
    """
    views = np.zeros(len(states), dtype=rules.view_dtype)
    view_entries(rules).view_games(states, seats_or_to_act(states, seats), recall, views)
    return views


def redeal(rules: Rules, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Full states drawn from what the views leave open.

    The observer's own view of each is the view given; he sits in seat 0 (``turn_seats`` turns the
    table back).

    Parameters
    ----------
    rules : Rules
    views : (B,) view_dtype
    rng : numpy Generator

    Returns
    -------
    (B,) state_dtype
    """
    keys = rng.integers(0, 2**64, size=len(views), dtype=np.uint64)
    states = np.zeros(len(views), dtype=rules.state_dtype)
    scratch = np.zeros(rules.redeal_scratch, dtype=np.int64)
    view_entries(rules).redeal_views(views, keys, scratch, states)
    return states


def turn_seats(rules: Rules, states: np.ndarray, by: int) -> np.ndarray:
    """The same games with the seats renumbered: seat 0 <= ``by`` < players becomes seat 0."""
    out = np.zeros(len(states), dtype=rules.state_dtype)
    view_entries(rules).turn_tables(states, int(by), out)
    return out
