"""The batch plays bit for bit what single games play, whatever its size and number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jerusalem_env import IllegalActionError, RuleSet, jerusalem_v0
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.games import make_raw_env
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.kernels import thread_limit
from tests.golden.rewrite import PLAYTHROUGHS, path_of, seed_of
from tests.pitfalls.equipment import fields_of
from tests.reference_engine import Position
from tests.rules.invariants import check_bounds, check_game
from tests.table import Table

SIZES = (1, 3, 64, 4096)
THREADS = sorted({1, min(2, thread_limit())})
GOLDEN = PLAYTHROUGHS["jerusalem_v0"]
FEW = SIZES[:3]
# Of the second game those of 4 players; it has far more to compare at every step. Those of other
# numbers of players are slow because each has kernels of its own.
GOLDEN_GAMES = [
    pytest.param(game, name, size, marks=[] if is_quick else [pytest.mark.slow])
    for game in PLAYTHROUGHS
    for name in PLAYTHROUGHS[game]
    for size in SIZES
    for is_quick in [name.endswith("_4p") and size in FEW]
    if game == "jerusalem_v0" or is_quick
]


def played(name: str) -> list[str]:
    """The actions of a golden playthrough."""
    lines = path_of(name).read_text(encoding="utf-8").splitlines()
    return [line[20:] for line in lines if line[:4].strip().isdigit()]


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize(("game", "name", "size"), GOLDEN_GAMES)
def test_batch__plays_the_golden_games(game: str, name: str, size: int, threads: int) -> None:
    """Every place of the batch goes the way of ``raw_env``, byte by byte."""
    single = make_raw_env(game, PLAYTHROUGHS[game][name], skip_forced=False)
    single.reset(seed=seed_of(name))
    batch = BatchEnv(single.game, size, threads=threads)
    batch.reset(seed=0)
    observations, masks, _ = batch.set_states(np.repeat(single.states, size))
    ids = {action: index for index, action in enumerate(single.action_names)}
    actions = played(name)
    for number, action in enumerate(actions):
        seen = single.observe(single.agent_selection)
        if number % 8 == 0 or size < 100:
            assert (observations == seen["observation"]).all()
            assert (masks == seen["action_mask"]).all()
            assert fields_of(batch.states) == fields_of(np.repeat(single.states, size))
        single.step(ids[action])
        observations, masks, rewards, terminated, _, infos = batch.step(np.full(size, ids[action]))
    assert terminated.all()
    assert fields_of(infos["final_states"]) == fields_of(np.repeat(single.states, size))
    assert (rewards == [single.rewards[agent] for agent in single.possible_agents]).all()
    for seat, agent in enumerate(single.possible_agents):
        assert (infos["final_observation"][:, seat] == single.observe(agent)["observation"]).all()


class PlaceInABatch:
    """One game of a batch, for ``tests.table.Table``; the others play at random."""

    illegal: type[Exception] = IllegalActionError

    def __init__(self, ruleset: dict[str, Any], size: int, threads: int, seed: int) -> None:
        game = JerusalemGame(rules=RuleSet.from_dict(ruleset), skip_forced=False)
        self.batch = BatchEnv(game, size, threads=threads)
        self.masks = self.batch.reset(seed=seed)[1]
        self.rng = np.random.default_rng(seed)
        self.place = int(self.rng.integers(size))
        self.final: np.ndarray | None = None

    def state(self) -> np.void:
        record: np.void = self.batch.states[self.place] if self.final is None else self.final[0]
        return record

    def legal(self) -> list[str]:
        if self.final is not None:
            return []
        return [self.batch.action_names[i] for i in np.flatnonzero(self.masks[self.place])]

    def step(self, name: str) -> None:
        actions = self.batch.sample_actions(self.rng)
        actions[self.place] = self.batch.action_names.index(name)
        _, self.masks, _, terminated, _, infos = self.batch.step(actions)
        if terminated[self.place]:
            self.final = infos["final_states"][infos["finished"] == self.place]

    def position(self) -> Position:
        """As the engine writes it; and what is read back is the same position."""
        position = self.batch.game.write_position(self.state())
        again = self.batch.game.read_position(position)[0]
        assert self.batch.game.write_position(again) == position
        return position

    def to_act(self) -> int | None:
        return None if self.final is not None else int(self.batch.to_act[self.place])


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("size", [*FEW, pytest.param(SIZES[-1], marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "ruleset",
    [
        {"players": 4},
        pytest.param(GOLDEN["jerusalem_v0_switched_3p"], marks=pytest.mark.slow),
    ],
    ids=["4", "switched_3"],
)
def test_batch__keeps_the_invariants_and_positions(
    ruleset: dict[str, Any], size: int, threads: int
) -> None:
    rules = JerusalemGame(rules=RuleSet.from_dict(ruleset)).rules_dict()
    place = PlaceInABatch(rules, size, threads, seed=size + ruleset["players"])
    positions = check_game(Table(place), seed=size, stream=[], by_verb=True)
    check_bounds(positions)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_batch__and_single_games_side_by_side_to_the_end(players: int) -> None:
    """1,000 games of each number of players: states, masks, observations and rewards."""
    size = 1000
    batch = jerusalem_v0.batch_env(size, players=players, copy=False)
    observations, masks, _ = batch.reset(seed=17)
    singles = []
    for seed in batch.game.derive_seeds(17, size, 0):
        single = jerusalem_v0.raw_env(players=players)
        single.reset(seed=int(seed))
        singles.append(single)
    running = list(range(size))
    rng = np.random.default_rng(players)
    step = 0
    while running:
        actions = batch.sample_actions(rng)
        if step % 16 == 0:  # what is seen is compared at every step, and the last states below
            apart = np.concatenate([singles[place].states for place in running])
            assert fields_of(batch.states[running]) == fields_of(apart)
        step += 1
        for place in running:
            single = singles[place]
            seen = single.last()[0]
            assert seen is not None
            assert np.array_equal(seen["observation"], observations[place])
            assert np.array_equal(seen["action_mask"], masks[place])
            single.step(int(actions[place]))
        observations, masks, rewards, terminated, _, infos = batch.step(actions)
        ended = dict(zip(infos.get("finished", ()), infos.get("final_states", ()), strict=True))
        for place in list(running):
            single = singles[place]
            assert terminated[place] == all(single.terminations.values())
            if terminated[place]:
                assert fields_of(ended[place]) == fields_of(single.states)
                assert list(rewards[place]) == list(single.rewards.values())
                running.remove(place)


def test_set_states__goes_on_under_their_rules_and_deals_under_its_own() -> None:
    batch = jerusalem_v0.batch_env(6)
    fresh = jerusalem_v0.batch_env(6)
    for env in (batch, fresh):
        env.reset(seed=4)
    other = jerusalem_v0.raw_env(rules=RuleSet(rounds=1, decline_income=True))
    other.reset(seed=1)
    batch.set_states(np.repeat(other.states, 6))
    rng = np.random.default_rng(0)
    ended = np.zeros(6, bool)
    for _ in range(400):
        rounds = batch.states["rounds"].copy()
        _, _, _, terminated, _, infos = batch.step(batch.sample_actions(rng))
        if terminated.any():
            last = infos["final_states"][:1]
            assert (infos["final_states"]["rounds"] == rounds[terminated]).all()
        ended |= terminated
        assert (batch.states["rounds"][ended] == 5).all()
        assert (batch.states["decline_income"][ended] == 0).all()
    assert ended.all()
    three = jerusalem_v0.raw_env(players=3)
    three.reset(seed=0)
    with pytest.raises(ValueError, match="3 players"):
        batch.set_states(np.repeat(three.states, 6))
    with pytest.raises(ValueError, match="6 records"):
        batch.set_states(batch.states[:2])
    with pytest.raises(ValueError, match="is over"):
        batch.set_states(np.repeat(last, 6))


def test_game__is_safe_in_two_threads() -> None:
    """Kernels release the GIL; what they work in belongs to the thread."""
    from concurrent.futures import ThreadPoolExecutor

    game = JerusalemGame()

    def play(seed: int) -> bytes:
        states = game.new_states(1)
        masks = np.zeros((1, game.num_actions), np.uint8)
        seen = np.zeros((1, game.observation_size), np.float32)
        total = b""
        for deal in range(60):
            game.reset(states, game.derive_seeds(seed, 1, deal), masks)
            while not game.terminated(states)[0] and states["decisions"][0] < 60:
                game.step(states, masks.argmax(axis=1), masks)
                game.observe(states, None, seen)
            total += fields_of(states) + masks.tobytes() + seen.tobytes()
        return total

    alone = [play(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(play, range(4))) == alone


def test_game__refuses_masks_that_kernels_cannot_write() -> None:
    game = JerusalemGame()
    states = game.new_states(2)
    seeds = game.derive_seeds(0, 2, 0)
    for masks in (np.zeros((309, 2), np.uint8).T, np.zeros((2, 309), np.int8)):
        with pytest.raises(ValueError, match="contiguous uint8"):
            game.reset(states, seeds, masks)
