"""Pitfalls P16-P18: global generators, determinism, seeds and batches."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jerusalem_env import ierusalem_v0, jerusalem_v0
from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.game import Information
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.pitfalls.equipment import (
    PLAYERS,
    SITTINGS,
    fields_of,
    fingerprint,
    is_over,
    random_action,
)

GAMES = [(jerusalem_v0, 3), (ierusalem_v0, 4)]


# --- P16: global generators -----------------------------------------------------------------------
def global_generators() -> bytes:
    """State of numpy's and Python's global generators."""
    return pickle.dumps((np.random.get_state(), random.getstate()))  # noqa: NPY002


def use_everything(seed: int | None, module: Any = jerusalem_v0, players: int = 3) -> bytes:
    """Play in every environment; returns the last records."""
    env = module.env(players=players, render_mode="ansi")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while not is_over(env):
        env.render()
        env.state()
        env.step(random_action(env, rng))
    batch = module.batch_env(4)
    batch.reset(seed=seed)
    solo = module.solo_env(players=players)
    _, info = solo.reset(seed=seed)
    played = []
    for _ in range(60):
        batch.step(batch.sample_actions(rng))
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        seen, reward, terminated, truncated, info = solo.step(action)
        played.append(pickle.dumps((seen, reward)))
        if terminated or truncated:
            _, info = solo.reset()
    views = batch.game.views(batch.states)
    dealt = batch.game.redeal(views, np.random.default_rng(seed))
    records = b"".join(fields_of(states) for states in (env.states, batch.states, dealt))
    return records + b"".join(played)


@pytest.mark.parametrize(("module", "players"), GAMES)
@pytest.mark.parametrize("seed", [0, None])
def test_global_generators__are_left_alone(seed: int | None, module: Any, players: int) -> None:
    """P16: nothing is drawn from them, with or without a seed."""
    before = global_generators()
    use_everything(seed, module, players)
    assert global_generators() == before


@pytest.mark.parametrize(("module", "players"), GAMES)
def test_global_generators__have_no_influence(module: Any, players: int) -> None:
    """P16: whatever state they are in, the same seeds play the same games."""
    before = np.random.get_state(), random.getstate()  # noqa: NPY002
    runs = []
    try:
        for disturbance in (1, 2):
            np.random.seed(disturbance)  # noqa: NPY002
            random.seed(disturbance)
            runs.append(use_everything(0, module, players))
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])
    assert runs[0] == runs[1]
    assert use_everything(1, module, players) != runs[0]


# --- P17: determinism, and that its test tests something ------------------------------------------
def check_determinism(make: Callable[[], Any], seed: int = 7) -> None:
    """Two environments play the same game from the same seed; says at which ply they part."""
    one, other = make(), make()
    one.reset(seed=seed)
    other.reset(seed=seed)
    rng = np.random.default_rng(seed)
    ply = 0
    while not is_over(one):
        assert fingerprint(one) == fingerprint(other), f"ply {ply}"
        action = random_action(one, rng)
        one.step(action)
        other.step(action)
        ply += 1
    assert fingerprint(one) == fingerprint(other), f"ply {ply}"
    assert ply > 30


@pytest.mark.parametrize(("make", "players", "information"), SITTINGS)
def test_determinism__same_seed_same_game(
    make: Callable[..., Any], players: int, information: Information
) -> None:
    """P17: step for step, everything that can be seen."""
    check_determinism(lambda: make(players=players, information=information))


def add_silver(env: GameAECEnv) -> None:
    """A fault in the record."""
    env.states["silver"][0, 0] += 1


def pay_early(env: GameAECEnv) -> None:
    """A fault in the rewards."""
    env.rewards["player_1"] += 1e-9


def drop_a_legal_action(env: GameAECEnv) -> None:
    """A fault in the mask."""
    env._masks[0, np.flatnonzero(env._masks[0])[0]] = 0


def tell_more(env: GameAECEnv) -> None:
    """A fault in the infos."""
    env.infos["player_2"]["faulty"] = True


@pytest.mark.parametrize("fault", [add_silver, pay_early, drop_a_legal_action, tell_more])
def test_determinism__a_fault_at_step_20_is_noticed(fault: Callable[[GameAECEnv], None]) -> None:
    """P17: one of two environments goes wrong once, and the check says at which step."""

    class Faulty(jerusalem_v0.raw_env):
        steps = 0
        made = 0

        def __init__(self) -> None:
            super().__init__(players=3)
            type(self).made += 1
            self.is_faulty = type(self).made == 2

        def step(self, action: int | None) -> None:
            super().step(action)
            self.steps += 1
            if self.is_faulty and self.steps == 20:
                fault(self)

    with pytest.raises(AssertionError, match=r"^ply 20"):
        check_determinism(Faulty)


def test_determinism__chance_from_elsewhere_is_noticed() -> None:
    """P17: a deal that does not come from the seed alone."""

    class Careless(jerusalem_v0.raw_env):
        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            super().reset(seed=None)

    with pytest.raises(AssertionError, match=r"^ply 0"):
        check_determinism(lambda: Careless(players=3))


# --- P18: seeds and batches -----------------------------------------------------------------------
def actions_by_number(states: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A legal action for each game that depends on its record only."""
    picks = states["decisions"].astype(np.int64) * 7919 % masks.sum(axis=1, dtype=np.int64)
    order = np.argsort(masks == 0, axis=1, kind="stable")  # legal ones first
    return order[np.arange(len(masks)), picks]


@pytest.mark.parametrize(
    ("kind", "players"), [*((JerusalemGame, n) for n in PLAYERS), (IerusalemGame, 4)]
)
def test_batch__game_i_is_the_same_alone_and_among_1024(kind: Any, players: int) -> None:
    """P18: its place, its neighbours and the size of the batch are nothing to a game."""
    game = kind(players)
    seeds = game.derive_seeds(5, 1024, 0)
    states, masks = game.new_states(1024), np.zeros((1024, game.num_actions), np.uint8)
    game.reset(states, seeds, masks)
    places = (0, 1, 511, 1023)
    alone = []
    for place in places:
        one, mask = game.new_states(1), np.zeros((1, game.num_actions), np.uint8)
        game.reset(one, seeds[place : place + 1], mask)
        alone.append((one, mask))
    for _ in range(40):
        for place, (one, mask) in zip(places, alone, strict=True):
            assert fields_of(states[place : place + 1]) == fields_of(one)
            assert np.array_equal(masks[place], mask[0])
            game.step(one, actions_by_number(one, mask), mask)
        game.step(states, actions_by_number(states, masks), masks)
    told = {str(game.write_position(state)) for state in states[:100]}
    assert len(told) > 50, "the games are all the same"


def test_seeds__neighbours_share_nothing() -> None:
    """P18: piles of the seeds s and s + 1 agree no more than shuffled ones; no deal comes twice."""
    game = JerusalemGame(4)
    number = 2000
    states = game.new_states(number + 1)
    masks = np.zeros((number + 1, game.num_actions), np.uint8)
    game.reset(states, np.arange(number + 1, dtype=np.uint64), masks)
    top, size = int(states["pile_top"][0]), int(states["pile_size"][0])
    assert (states["pile_top"] == top).all()
    assert (states["pile_size"] == size).all()
    piles = states["pile"][:, top : top + size]
    deals = {pile.tobytes() for pile in piles}
    assert len(deals) == number + 1
    cards = np.bincount(piles[0])
    by_chance = float((cards * cards).sum()) / size**2
    for apart in (1, 2, 256):
        agreeing = (piles[apart:] == piles[:-apart]).mean(axis=0)  # by place
        assert np.abs(agreeing - by_chance).max() < 0.05
        assert abs(agreeing.mean() - by_chance) < 0.01
    for name in ("opener", "events"):
        values = states[name].astype(np.int64)
        same = (values[1:] == values[:-1]).mean()
        assert abs(same - 0.25) < 0.04, name


def test_seeds__batches_with_neighbouring_seeds_share_no_game() -> None:
    """P18: nor do the episodes of one batch."""
    game = JerusalemGame(4)
    seen: set[int] = set()
    for seed in range(20):
        for number in range(3):
            seen.update(game.derive_seeds(seed, 1024, number).tolist())
    assert len(seen) == 20 * 3 * 1024
