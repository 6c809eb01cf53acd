"""Positions edited by hand, as tests of rules write them, go on as the reference does."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable

import numpy as np
import pytest

from jerusalem_env.errors import PositionError
from jerusalem_env.ierusalem.actions import PHASES, action_names
from jerusalem_env.ierusalem.position import read_position, write_position
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.positions import (
    STEPS,
    SYMBOLS,
    Position,
    at,
    give_marker,
    in_visit,
    received_call,
    seat_all,
    three_players,
)
from tests.ierusalem.random_rules import choose
from tests.ierusalem.reference_engine import ReferenceGame
from tests.ierusalem.test_position_games import Table, assert_same

MOST_PLIES = 20
PLACES = tuple(SYMBOLS)
# Phases behind which steps of any kind may be pending.
OPEN_PHASES = ("market", "temple", "supper", "from", "offering", "draw", "favor", "change")


# --- edits: each keeps a position sound or breaks an invariant ------------------------------------
def edit_amounts(rng: random.Random, p: Position, seat: int) -> None:
    p["denarii"][seat] = rng.randrange(8)
    p["resources"][seat] = [rng.randrange(4) for _ in range(3)]
    p["illumination"][seat] = rng.random() < 0.5
    p["sanhedrin"] = rng.choice((0, 2, 5, 17, 20, 21, 22))


def edit_steps(rng: random.Random, p: Position, seat: int) -> None:
    if p["phase"] in OPEN_PHASES:
        names = [name for name in STEPS if name.split()[0] not in ("score", "receive")]
        p["steps"] = [rng.choice(names) for _ in range(rng.randrange(4))]
        p["steps"] += ["visit_end"] if p["stage"] == "visit" else []


def edit_supper(rng: random.Random, p: Position, seat: int) -> None:
    empty = [space for space, who in p["supper"].items() if who is None]
    for space in rng.sample(empty, min(len(empty), rng.randrange(8), p["camp"][seat])):
        p["camp"][seat] -= 1
        p["supper"][space] = seat
    p["offerings"][seat] = rng.choice((1, 1, 2, 4))


def edit_areas(rng: random.Random, p: Position, seat: int) -> None:
    by = rng.choice((-1, 1))
    p["areas"][seat][rng.randrange(3)] += by
    p["camp"][seat] -= by


def edit_own_cards(rng: random.Random, p: Position, seat: int) -> None:
    cards = p[rng.choice(("hands", "decks"))][seat]
    rng.shuffle(cards)
    goals = (p["hands"][seat], p["decks"][seat], p["discards"][seat], *p["columns"][seat])
    goal = rng.choice(goals)
    goal += [cards.pop() for _ in range(rng.randrange(len(cards) + 1))]


def edit_common_cards(rng: random.Random, p: Position, seat: int) -> None:
    pile = p[rng.choice(("mahane", "xxxiii"))]
    goal = rng.choice((p["hands"][seat], *p["columns"][seat]))
    goal += [pile.pop(0) for _ in range(rng.randrange(len(pile) + 1))]


def edit_apostles(rng: random.Random, p: Position, seat: int) -> None:
    p["symbols"][rng.randrange(3)] = [rng.choice(PLACES) for _ in range(3)]
    if rng.random() < 0.3 and not any(p["seats"].values()):
        seat_all(p)


def edit_favors(rng: random.Random, p: Position, seat: int) -> None:
    box, n = RuleSet().box, len(p["camp"])
    for marker in rng.sample(p["favors"][seat], min(len(p["favors"][seat]), rng.randrange(4))):
        symbol = box["favors", "symbols"][box.markers.index(marker)]
        give_marker(p, seat, marker, (seat + rng.randrange(1, n)) % n, symbol)


def edit_parables(rng: random.Random, p: Position, seat: int) -> None:
    n = len(p["camp"])
    p["parables"][seat] = rng.choice((0, 1, 1, 2, 4))
    taken = [sum(k >= parable for k in p["parables"]) for parable in range(1, 8)]
    p["parable_stacks"] = [[6, 5, 4, 3][:n][gone:] for gone in taken]


Edit = Callable[[random.Random, Position, int], None]
EDITS: tuple[Edit, ...] = (edit_amounts, edit_steps, edit_supper, edit_areas, edit_own_cards)
EDITS += (edit_common_cards, edit_apostles, edit_favors, edit_parables)


def edited(rng: random.Random) -> Position:
    """A position of a random phase with some things changed; not always a sound one."""
    bases = [at(phase) for phase in PHASES if phase not in ("offering", "over")]
    bases += [received_call(), three_players(), in_visit("supper") | {"choice": {"free": True}}]
    position = copy.deepcopy(rng.choice(bases))
    for edit in rng.sample(EDITS, rng.randrange(1, 5)):
        edit(rng, position, rng.randrange(len(position["camp"])))
    return position


def follow(rng: random.Random, states: np.ndarray, where: str) -> None:
    """Play on beside the reference; every position there can be read again."""
    names = action_names(RuleSet().box)
    game = Table(states, skip_forced=False)
    game.show()
    reference = ReferenceGame.from_position(write_position(states[0]))
    for ply in range(MOST_PLIES):
        position = write_position(game.states[0])
        assert position == reference.position(), f"{where}, ply {ply}"
        assert_same(read_position(position), game.states, f"{where}, ply {ply}")
        if game.over:
            return
        legal = {names[action] for action in np.flatnonzero(game.masks[0])}
        assert legal == reference.legal(), f"{where}, ply {ply}, phase {position['phase']}"
        action = choose(rng, legal, position if rng.random() < 0.7 else None)
        game.step(names.index(action))
        reference.act(action)


@pytest.mark.parametrize("part", range(4))
def test_edited__sound_ones_go_on_as_the_reference_does(part: int) -> None:
    followed = 0
    for seed in range(40 * part, 40 * part + 40):
        rng = random.Random(seed)
        position = edited(rng)
        try:
            states = read_position(position)
        except PositionError:
            continue
        follow(rng, states, f"seed {seed}, from phase {position['phase']}")
        followed += 1
    assert followed >= 10
