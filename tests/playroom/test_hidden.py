"""What the page is sent of a running game tells a seat nothing that it may not know."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from jerusalem_env import jerusalem_v0
from jerusalem_env.playroom.session import Session
from jerusalem_env.playroom.table import Table
from jerusalem_env.playroom.timeline import Timeline
from tests.playroom.equipment import first_legal


def test_view__of_two_deals_that_a_seat_cannot_tell_apart_is_the_same() -> None:
    """All that a person is sent depends on what it may see alone."""
    rng = np.random.default_rng(0)
    shown = 0
    for seed in range(12):
        env = jerusalem_v0.raw_env(players=4)
        session = Session(env, [None, "random", "random", "random"], seed)
        for _ in range(int(rng.integers(0, 250))):
            if session.over:
                break
            if session.waits_for_person:
                session.step(session.game.action_names.index(first_legal(session)))
            else:
                session.agent_step()
        if session.over:
            continue
        game = session.game
        seats = np.zeros(1, dtype=np.int64)
        other = game.redeal(game.views(session.env.states, seats), rng)
        assert other.tobytes() != session.env.states.tobytes()
        views = []
        for states in (session.env.states, other):
            session.env.states = states
            session.timeline = Timeline(game, states)
            views.append(json.dumps(Table("x", session, Path("x")).view(0, canvas=True)))
        assert views[0] == views[1]
        shown += 1
    assert shown > 6


def test_view__stays_the_same_while_a_seat_cannot_tell_two_deals_apart() -> None:
    """What is told of moves, too, depends on what a seat may see alone: what is kept, paid, had."""
    rng = np.random.default_rng(1)
    compared = differing = 0
    for seed in range(24):
        players = 2 + seed % 3
        env = jerusalem_v0.raw_env(players=players)
        session = Session(env, [None, *["random"] * (players - 1)], seed)
        game, names = session.game, session.game.action_names
        for _ in range(int(rng.integers(0, 60 * players))):
            session.step(names.index(first_legal(session)))
        while seed % 2 and (session.to_act == 0 or not first_legal(session).startswith("draft ")):
            session.step(names.index(first_legal(session)))
        seats = np.zeros(1, dtype=np.int64)
        states = session.env.states
        worlds = [states, game.redeal(game.views(states, seats), rng)]
        timelines = [Timeline(game, world) for world in worlds]
        tables = [Table("x", session, Path("x")) for _ in worlds]
        for number in range(60):
            masks = [timeline.mask(number) for timeline in timelines]
            chosen = same_for_others(names, masks, timelines[0].seat(number), rng)
            if chosen is None:
                break
            for world, mask, action, timeline in zip(worlds, masks, chosen, timelines, strict=True):
                assert game.step(world, np.array([action]), mask[None]) == -1
                timeline.add(action, world)
            seen = [game.views(world, seats).tobytes() for world in worlds]
            if seen[0] != seen[1] or game.to_act(worlds[0])[0] < 0:
                break  # the seat has seen a card of its own deal
            views = []
            for world, timeline, table in zip(worlds, timelines, tables, strict=True):
                session.env.states, session.timeline = world, timeline
                views.append(json.dumps(table.view(0)))
            assert views[0] == views[1]
            compared += 1
            differing += chosen[0] != chosen[1]
    assert compared > 200
    assert differing > 5


def same_for_others(
    names: Sequence[str], masks: Sequence[np.ndarray], actor: int, rng: np.random.Generator
) -> list[int] | None:
    """An action in each world that P0 cannot tell apart; None where there is none."""
    kept = [[a for a in np.flatnonzero(mask) if names[a].startswith("draft ")] for mask in masks]
    if actor != 0 and all(kept):
        return [int(rng.choice(actions)) for actions in kept]
    both = np.flatnonzero(masks[0] & masks[1])
    return [int(rng.choice(both))] * 2 if len(both) else None
