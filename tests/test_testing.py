"""``api_test`` passes the game, and notices each broken promise."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet
from jerusalem_env.game import BatchArrays, Information
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.screen import redeal
from jerusalem_env.jerusalem.simulation import value
from jerusalem_env.kernels import kernel
from jerusalem_env.testing import api_test
from jerusalem_env.testing.promises import check_hidden_chance, check_play

SHORT = RuleSet(players=3, rounds=2)


@pytest.mark.parametrize(
    ("players", "information"),
    [
        pytest.param(*kind, marks=[] if kind == (4, "screen") else [pytest.mark.slow])
        for kind in product((2, 3, 4), ("screen", "recall"))
    ],
)
def test_api_test__passes(players: int, information: Information) -> None:
    rules = RuleSet(players=players, rounds=3, decline_income=True)
    api_test(JerusalemGame(rules=rules, information=information), num_games=2)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize(
    ("rules", "reward"), [("german", "rank"), ("dutch", "win"), ("french", "margin")]
)
def test_api_test__passes_with_every_option(
    players: int, skip_forced: bool, rules: str, reward: str
) -> None:
    game = JerusalemGame(players, rules, "recall", reward, skip_forced)
    api_test(game, num_games=4, seed=3)


class Leaky(JerusalemGame):
    """The observation holds an opponent's silver."""

    def observe(self, states: Any, seats: Any = None, out: Any = None) -> Any:
        seen = super().observe(states, seats, out)
        seen[:, -1] = np.clip(states["silver"].sum(axis=1) / 1000, 0, 1)
        return seen

    def encode(self, views: Any, out: Any = None) -> Any:
        return super().encode(views, out)


class OutOfBounds(JerusalemGame):
    """State vectors reach 2."""

    def state_vectors(self, states: Any) -> Any:
        return super().state_vectors(states) * 2


class Forgetful(JerusalemGame):
    """Something about a game lives outside its record."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.steps = 0

    def step(self, states: Any, actions: Any, masks: Any) -> int:
        self.steps += 1
        wrong = super().step(states, actions, masks)
        if wrong < 0 and self.steps % 7 == 0:
            states["prestige"][:, 0] += 1
        return wrong


class PlaceDependent(JerusalemGame):
    """A game depends on its place in the batch."""

    def reset(self, states: Any, seeds: Any, masks: Any) -> None:
        super().reset(states, seeds + np.arange(len(seeds), dtype=np.uint64), masks)


class GlobalChance(JerusalemGame):
    """Draws from Python's global generator."""

    def reset(self, states: Any, seeds: Any, masks: Any) -> None:
        random.random()
        super().reset(states, seeds, masks)


class Unpaid(JerusalemGame):
    """Rewards that do not sum to 0."""

    def utilities(self, states: Any) -> Any:
        return np.maximum(super().utilities(states), 0)


class AlwaysPaying(JerusalemGame):
    """Pays before the end."""

    def utilities(self, states: Any) -> Any:
        paid = super().utilities(states)
        paid[:, 0] += 1
        paid[:, 1] -= 1
        return paid


class Dogless(JerusalemGame):
    """Never truncates."""

    def truncated(self, states: Any) -> Any:
        return np.zeros(len(states), dtype=bool)


class Obliging(JerusalemGame):
    """An illegal action is replaced by a legal one."""

    def step(self, states: Any, actions: Any, masks: Any) -> int:
        inside = np.clip(actions, 0, self.num_actions - 1)
        legal = masks[np.arange(len(states)), inside] == 1
        return super().step(states, np.where(legal, inside, masks.argmax(axis=1)), masks)


class HalfStep(JerusalemGame):
    """An illegal action of one game does not stop those before it."""

    def step(self, states: Any, actions: Any, masks: Any) -> int:
        wrong = super().step(states, actions, masks)
        if wrong >= 0:
            states["decisions"] += 1
        return wrong


class WrongAdvance(JerusalemGame):
    """The fast path pays nothing."""

    def advance(self, batch: BatchArrays, actions: Any) -> int:
        wrong = super().advance(batch, actions)
        batch.rewards[:] = 0
        return wrong


class WrongPosition(JerusalemGame):
    """Reading a position loses silver."""

    def read_position(self, position: Any) -> Any:
        states = super().read_position(position)
        states["silver"] //= 2
        return states


class WrongTurn(JerusalemGame):
    """Turning the table forgets to turn the towers."""

    def turn_seats(self, states: Any, by: int) -> Any:
        turned = super().turn_seats(states, by)
        turned["floors"] = states["floors"]
        return turned


class Idle(JerusalemGame):
    """A running game with an empty mask."""

    def legal(self, states: Any, masks: Any) -> None:
        super().legal(states, masks)
        masks[states["phase"] == 3] = 0

    def step(self, states: Any, actions: Any, masks: Any) -> int:
        wrong = super().step(states, actions, masks)
        masks[states["phase"] == 3] = 0
        return wrong


class KnowsAll(JerusalemGame):
    """``redeal`` gives the real deal away."""

    def redeal(self, views: Any, rng: Any) -> Any:
        return self.turn_seats(self.last, self.seat)

    def views(self, states: Any, seats: Any = None) -> Any:
        if seats is not None and not hasattr(self, "inside"):
            self.last, self.seat = states.copy(), int(seats[0])
        return super().views(states, seats)


class HastyPlay(JerusalemGame):
    """Compiled play takes the first decision of a seat that is somebody else's."""

    def play_on(self, states: Any, seeds: Any, policy_of: Any, *others: Any, **more: Any) -> int:
        return super().play_on(states, seeds, np.maximum(policy_of, 0), *others, **more)


class LazyPlay(JerusalemGame):
    """Compiled play leaves the last game alone."""

    def play_on(self, states: Any, seeds: Any, policy_of: Any, *others: Any, **more: Any) -> int:
        policy_of = policy_of.copy()
        policy_of[-1] = -1
        return super().play_on(states, seeds, policy_of, *others, **more)


class ForgetfulLog(JerusalemGame):
    """The log of compiled play lacks an action."""

    def play_on(self, *arguments: Any, log: Any = None) -> int:
        wrong = super().play_on(*arguments, log=log)
        if log is not None:
            log.actions[:, 3:-1] = log.actions[:, 4:]
            log.sizes[:] -= 1
        return wrong


@kernel
def _lavish(view, key, scratch, state):  # type: ignore[no-untyped-def]
    redeal(view, key, scratch, state)
    state.prestige[0] += 1


@kernel
def _humble(state, seat):  # type: ignore[no-untyped-def]
    return 0.5 - value(state, seat) / 2.0


class LavishSimulation(JerusalemGame):
    """A search deals itself what it can see that it has not."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.simulation is not None
        self.simulation = self.simulation._replace(redeal=_lavish)


class HumbleSimulation(JerusalemGame):
    """A search that wants to lose."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.simulation is not None
        self.simulation = self.simulation._replace(value=_humble)


class StrictSimulation(JerusalemGame):
    """A search's table of actions is another than the game's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert self.simulation is not None
        self.simulation = self.simulation._replace(players=self.players + 1)


class TiedPlaces(JerusalemGame):
    """Says that the first two share the first place."""

    ranks = (1, 1, 3)

    def results(self, state: Any) -> Any:
        found = super().results(state)
        placed = dict(zip(found["ranking"], self.ranks, strict=True))
        return {**found, "ranks": [placed[seat] for seat in range(self.players)]}

    def win_shares(self, states: np.ndarray) -> np.ndarray:
        first = [rank == 1 for rank in self.ranks]
        shares = np.zeros((len(states), self.players))
        for row in np.flatnonzero(self.terminated(states)):
            shares[row, states["ranking"][row, : self.players]] = np.array(first) / sum(first)
        return shares


class DensePlaces(TiedPlaces):
    """Counts places, not those who are better."""

    ranks = (1, 1, 2)


class UpsideDown(TiedPlaces):
    """Ranks in another order than the ranking."""

    ranks = (3, 2, 1)


class Named(TiedPlaces):
    """Ranks as they should be."""

    ranks = (1, 2, 3)


class HiddenPile(JerusalemGame):
    """The pile stands for a key of chance: unseen, and dealt anew by each ``redeal``."""

    hidden_chance_fields = ("pile",)


class OpenChance(JerusalemGame):
    """What is said to be a key of chance can be seen."""

    hidden_chance_fields = ("pile", "opener")


class FixedChance(JerusalemGame):
    """What is said to be a key of chance is not drawn afresh."""

    hidden_chance_fields = ("winner",)


class NoSuchChance(JerusalemGame):
    """There is no such key."""

    hidden_chance_fields = ("dice",)


class Uncompiled(JerusalemGame):
    """A game that has neither compiled play nor kernels for a search."""

    plays_compiled = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.simulation = None  # type: ignore[assignment]

    def play_on(self, *arguments: Any, **more: Any) -> int:
        raise NotImplementedError


def test_api_test__asks_nothing_that_a_game_does_not_have() -> None:
    api_test(Uncompiled(rules=SHORT), num_games=1)


def test_api_test__wins_may_be_shared_only_as_they_are_paid() -> None:
    check_play(Named(rules=SHORT), 2, 0)
    check_play(TiedPlaces(rules=SHORT, reward="rank"), 2, 0)
    with pytest.raises(AssertionError, match="promise 6: win shares are"):
        check_play(TiedPlaces(rules=SHORT), 2, 0)


def test_api_test__passes_hidden_chance() -> None:
    check_hidden_chance(HiddenPile(rules=SHORT), 3, 0)


BROKEN = [
    (Leaky, "observ|encode"),
    (OutOfBounds, "promise 4: entries"),
    (Forgetful, "promise [12]"),
    (PlaceDependent, "promise 2"),
    (GlobalChance, "global random generator"),
    (Unpaid, "not zero-sum"),
    (AlwaysPaying, "paid before the end"),
    (Dogless, "watchdog"),
    (Obliging, "promise 7"),
    (HalfStep, "promise 7"),
    (WrongAdvance, "advance pays"),
    (WrongPosition, "a position read and written"),
    (WrongTurn, "turn"),
    (Idle, "promise 3|promise 7"),
    (KnowsAll, "only ever deals what was there"),
    (DensePlaces, "seats that share a place must have its number"),
    (UpsideDown, "has another order than"),
    (OpenChance, "promise 2: .* opener"),
    (FixedChance, "promise 2: two deals, or redeals .* the same winner"),
    (NoSuchChance, "state_dtype lacks: ..dice"),
    (HastyPlay, "play_on does not stop"),
    (LazyPlay, "play_on does not play every game to its end"),
    (ForgetfulLog, "the log of play_on|illegal: "),
    (LavishSimulation, "redeal changes what seat 0 sees, .*prestige"),
    (HumbleSimulation, "a winner's value is not the highest"),
    (StrictSimulation, "simulation: players or num_actions"),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN)
def test_api_test__notices(broken: type[JerusalemGame], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        api_test(broken(rules=SHORT, reward="margin"), num_games=2)
