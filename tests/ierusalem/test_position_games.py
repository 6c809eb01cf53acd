"""Positions of whole games of Ierusalem: there and back, and on from there (rules VII.e)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from jerusalem_env import ierusalem_v0
from jerusalem_env.bits import new_words
from jerusalem_env.compiled.batch import batch_entries
from jerusalem_env.errors import PositionError
from jerusalem_env.ierusalem.actions import PHASES, action_names
from jerusalem_env.ierusalem.compiled import IERUSALEM
from jerusalem_env.ierusalem.engine.layout import NUM_ACTIONS, PHASE_OVER
from jerusalem_env.ierusalem.engine.state import blank_states
from jerusalem_env.ierusalem.position import KEYS, read_position, write_position
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.positions import Position, at, changed, start, through_json
from tests.ierusalem.random_rules import choose, other_data, random_ruleset, random_steps
from tests.ierusalem.reference_engine import new_game

FORGOTTEN = {"decisions", "decision_limit"}  # of the watchdog: not part of a position
SEEDS = {3: (0, 1, 2), 4: (3, 4, 5)}


class Table:
    """One game by the compiled engine, without an environment around it."""

    def __init__(self, states: np.ndarray, skip_forced: bool) -> None:
        self.states = states
        self.masks = np.zeros((1, NUM_ACTIONS), dtype=np.uint8)
        self._skip_forced = skip_forced
        self._words = new_words(1, NUM_ACTIONS)[0]

    def deal(self, seed: int) -> None:
        seeds = np.array([seed], dtype=np.uint64)
        deal = batch_entries(IERUSALEM).reset_games
        deal(self.states, seeds, self._skip_forced, self._words, self.masks)

    def show(self) -> None:
        """The mask of the decision at hand."""
        batch_entries(IERUSALEM).legal_games(self.states, self._words, self.masks)

    def step(self, action: int) -> None:
        actions = np.array([action])
        step = batch_entries(IERUSALEM).step_games
        wrong = step(self.states, actions, self._skip_forced, self._words, self.masks)
        assert wrong == -1

    @property
    def over(self) -> bool:
        return bool(self.states["phase"][0] == PHASE_OVER)


def assert_same(first: np.ndarray, second: np.ndarray, where: str) -> None:
    """Two records are the same but for the watchdog's count."""
    assert first.shape == second.shape == (1,)
    for name in first.dtype.names or ():
        if name not in FORGOTTEN:
            assert np.array_equal(first[name], second[name]), f"{name}: {where}"


def picked(rng: random.Random, game: Table, names: tuple[str, ...], position: Position) -> str:
    """Mostly as an eager player, who keeps the Illumination for an orange Apostle."""
    legal = {names[action] for action in np.flatnonzero(game.masks[0])}
    if "apostle orange" in legal and position["phase"] == "illuminate":
        return "apostle orange"
    if "orange" not in position["seats"].values() and legal != {"illuminate"}:
        legal.discard("illuminate")
    return choose(rng, legal, position if rng.random() < 0.8 else None)


def play(rules: RuleSet, seed: int, skip_forced: bool) -> set[str]:
    """Play a game, reading every position back and playing on with both; the phases met."""
    rng = random.Random(seed)
    names = action_names(rules.box)
    game = Table(blank_states(1, rules), skip_forced)
    game.deal(seed)
    phases, ply = set(), 0
    while True:
        position = write_position(game.states[0])
        phases.add(position["phase"])
        where = f"seed {seed}, ply {ply}, phase {position['phase']}"
        assert tuple(position) == KEYS
        again = Table(read_position(through_json(position)), skip_forced)
        assert_same(again.states, game.states, where)
        again.show()
        assert np.array_equal(again.masks, game.masks), where
        if game.over:
            return phases
        action = names.index(picked(rng, game, names, position))
        game.step(action)
        again.step(action)
        assert_same(again.states, game.states, f"after {names[action]}, {where}")
        ply += 1


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("skip_forced", [pytest.param(True, marks=pytest.mark.slow), False])
def test_position__there_and_back_and_on_at_every_ply(players: int, skip_forced: bool) -> None:
    rules = RuleSet(players=players)
    phases = set().union(*(play(rules, seed, skip_forced) for seed in SEEDS[players]))
    rare = {"orange"} if skip_forced else set()  # forced unless two of them are seated
    assert phases | rare == set(PHASES)


@pytest.mark.parametrize(
    "switches",
    [
        {"apostle_columns": "by_colour", "orange_scores": "own", "first_player": 2},
        {"players": 3, "colours": ["green", "red", "blue"], "data": other_data()},
    ],
    ids=["switches", "data"],
)
def test_position__there_and_back_under_other_rules(switches: dict[str, Any]) -> None:
    play(RuleSet(**switches), 11, skip_forced=False)


def test_position__goes_on_as_the_game_it_was_written_from() -> None:
    """The key is part of it: later shuffles are the same (I17, VII.f)."""
    rules = RuleSet()
    names = action_names(rules.box)
    rng = random.Random(1)
    game = Table(blank_states(1, rules), True)
    game.deal(8)
    for _ in range(60):
        game.step(int(rng.choice(np.flatnonzero(game.masks[0]))))
    other = Table(read_position(write_position(game.states[0])), True)
    other.show()
    before = int(game.states["shuffles"].sum())
    while not game.over:
        action = int(rng.choice(np.flatnonzero(game.masks[0])))
        game.step(action)
        other.step(action)
        assert_same(other.states, game.states, names[action])
    assert game.states["shuffles"].sum() > before + 4


def test_position__of_seed_7_is_the_one_of_the_rules() -> None:
    """F49: the whole JSON, keys in order; made from the formulas of VII.f."""
    game = Table(blank_states(1, RuleSet()), True)
    game.deal(7)
    position = write_position(game.states[0])
    assert position == start()
    assert list(position) == list(start())
    assert [list(position[key]) for key in ("ruleset", "seats", "supper")] == [
        list(start()[key]) for key in ("ruleset", "seats", "supper")
    ]


@pytest.mark.parametrize("seed", range(4))
def test_position__those_of_the_reference_can_be_read(seed: int) -> None:
    """Written by other hands from the rules alone, under any switches and data."""
    rng = random.Random(seed)
    game = new_game(seed, random_ruleset(rng))
    for _, action, position in random_steps(game, rng, eager=seed % 2 == 0):
        written = write_position(read_position(position)[0])
        assert written == position, f"after {action}"
        assert list(written) == list(position)


def test_set_position__a_refused_one_changes_nothing() -> None:
    env = ierusalem_v0.raw_env()
    env.reset(seed=7)
    assert env.position() == start()
    for phase in PHASES:
        if phase != "over":
            env.set_position(at(phase))
            before = env.states.copy()
            with pytest.raises(PositionError, match=r"^denarii\[3\]: "):
                env.set_position(changed(at("play"), (("denarii", 3), -1)))
            assert_same(env.states, before, phase)
    env.set_position(at("over"))
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
