"""Scripted players: legal play under every rule set, nothing hidden read, chance, weights."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from agents.base import Agent, AgentError
from agents.keys import keys_of
from agents.random_agent import RandomAgent
from agents.registry import make_agent
from agents.scripted.agent import ScriptedAgent, scripted_actions
from agents.scripted.notes import NOTES
from agents.scripted.proposals import choose_as
from agents.scripted.strategies import STRATEGIES, expert, make_strategy
from agents.scripted.weights import (
    LEADS,
    NUM_WEIGHTS,
    PLAYER_COUNTS,
    ROUNDS,
    Weights,
    parameters_of,
    vector_of,
    weights_from,
)
from agents.search.tree import repeat_with
from jerusalem_env import RuleSet
from jerusalem_env.bits import new_words, pack
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.engine.legal import legal
from jerusalem_env.jerusalem.engine.step import running
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.board import INCOME_PRESETS
from jerusalem_env.jerusalem.rules.ruleset import PRESETS, resolve_rules
from jerusalem_env.jerusalem.simulation import repeat, simulation_of
from jerusalem_env.kernels import entry_kernel
from jerusalem_env.policies import CompiledPolicy
from tests.compiled_play import PLANS, dealt, play_out, seats_of
from tests.pitfalls.equipment import fields_of

pytestmark = pytest.mark.slow  # all plans in one kernel, and their guide, to compile

PLAYERS = (2, 3, 4)
GAMES = 32
SUB_FLOWS = {L.PHASE_LIFT, L.PHASE_DROP, L.PHASE_TARGET, L.PHASE_TAKE}
repeat_singly = repeat_with(simulation_of(4))  # for any number of players
EVENTS = {L.PHASE_SUCCESSION, L.PHASE_SPECIAL_TAX, L.PHASE_WAR}


@entry_kernel
def guided_actions(states, masks, words, parameters, notes, actions, times):  # type: ignore[no-untyped-def]
    """What the guide of a search chooses for the seat to act of (B,) states, and how often."""
    for row in range(states.shape[0]):
        pack(masks[row], words)
        state = states[row]
        notes[:] = 0.0
        actions[row], times[row] = choose_as(state, state.to_act, words, parameters, notes)


@entry_kernel
def play_out_noting(states, others, words, parameters, notes, fresh, found):  # type: ignore[no-untyped-def]
    """Play (B,) states out with notes, ``others`` by single steps.

    Writes how many decisions there were, and how many were others than without notes.
    """
    found[:] = 0
    for row in range(states.shape[0]):
        state = states[row]
        legal(state, words)
        notes[:] = 0.0
        while running(state):
            fresh[:] = 0.0
            seat = state.to_act
            expected, expected_times = choose_as(state, seat, words, parameters, fresh)
            action, times = choose_as(state, seat, words, parameters, notes)
            found[0] += 1
            if action != expected or times != expected_times:
                found[1] += 1
            repeat_singly(others[row], action, times, words)
            repeat(state, action, times, words)


def guided(
    player: ScriptedAgent, states: np.ndarray, masks: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(B,) actions and how often in a row, as the guide of a search."""
    actions, times = np.empty((2, len(states)), dtype=np.int64)
    words = new_words(1, L.NUM_ACTIONS)[0]
    guided_actions(states, masks, words, player.parameters, np.zeros(NOTES), actions, times)
    return actions, times


def choices_of(
    player: ScriptedAgent, views: np.ndarray, masks: np.ndarray, keys: np.ndarray
) -> np.ndarray:
    """(B,) actions by views (or what is given in their place) and keys."""
    actions = np.empty(len(views), dtype=np.int64)
    words = new_words(1, L.NUM_ACTIONS)[0]
    scripted_actions(views, masks, keys, words, player.parameters, actions)
    return actions


class Walk:
    """Games on their way, now and then strayed from; those over are left out.

    Iterating gives the states at hand; ``masks`` are theirs, ``go`` takes their decisions.
    """

    def __init__(self, game: JerusalemGame, seed: int, strayed: float = 0.1) -> None:
        self.game = game
        self.states, self.masks = dealt(game, GAMES, seed)
        self.rng = np.random.default_rng(seed)
        self._explorer, self._strayed = RandomAgent(seed), strayed
        self.phases: set[int] = set()

    @property
    def running(self) -> bool:
        """Whether there is a decision to take."""
        going = ~self.game.terminated(self.states)
        self.states, self.masks = self.states[going], self.masks[going].copy()
        self.phases |= set(self.states["phase"].tolist())
        return len(self.states) > 0

    def go(self, views: np.ndarray, actions: np.ndarray) -> None:
        """Take these actions, or in some games others."""
        stray = self.rng.random(len(views)) < self._strayed
        actions = np.where(stray, self._explorer.act(views, self.masks), actions)
        assert self.game.step(self.states, actions, self.masks) == -1


# --- legal play ----------------------------------------------------------------------------------
@pytest.mark.parametrize("income", sorted(INCOME_PRESETS))
@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("players", PLAYERS)
def test_scripted__plays_every_rule_set(players: int, preset: str, income: str) -> None:
    """All plans at one table with random players; ``play_out`` refuses illegal choices."""
    game = JerusalemGame(rules=replace(resolve_rules(preset, players), income=income))
    play_out(game, seats_of(game, 21, *PLANS, "random"), seed=1)


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("players", PLAYERS)
def test_scripted__plays_any_number_of_rounds_and_forced_decisions_too(
    players: int, rounds: int
) -> None:
    """With what is rarely on: income may be declined, barons and cards follow other readings."""
    rules = RuleSet(
        players=players,
        rounds=rounds,
        decline_income=True,
        palace_baron_round_1=True,
        marshal_moves_count_for_baron=False,
        zero_ties_win_gifts=False,
        war_may_hit_templars=False,
    )
    for skip_forced in (True, False):
        game = JerusalemGame(rules=rules, skip_forced=skip_forced)
        play_out(game, seats_of(game, 14, *PLANS, "random"), seed=rounds)


@pytest.mark.parametrize("name", PLANS)
def test_scripted__answers_in_every_phase_of_strayed_games(name: str) -> None:
    """Also in positions that it would not have come to itself."""
    for players in PLAYERS:
        game = JerusalemGame(rules=RuleSet(players=players, decline_income=True))
        player = make_strategy(name)
        assert isinstance(player, Agent)
        assert player.name == name
        walk = Walk(game, players, strayed=0.5)
        while walk.running:
            views = game.views(walk.states)
            before = views.tobytes()
            actions = player.act(views, walk.masks)
            assert views.tobytes() == before  # also where it tries a squire elsewhere
            assert (walk.masks[np.arange(len(actions)), actions] == 1).all()
            walk.go(views, actions)
        everything = set(range(L.PHASE_OVER))
        unknown = {L.PHASE_PATRIARCHATE, L.PHASE_NOBILITY} if players == 2 else set()  # R2.7
        assert walk.phases == everything - unknown


# --- P13, P15: hidden information and perspective ------------------------------------------------
@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("name", PLANS)
def test_scripted__chooses_the_same_under_any_redeal(name: str, information: Any) -> None:
    """P13: what a seat cannot see changes nothing."""
    game = JerusalemGame(players=4, information=information)
    player = make_strategy(name)
    walk, changed, compared = Walk(game, 1), 0, 0
    while walk.running:
        views = game.views(walk.states)
        actions = player.act(views, walk.masks)
        other = game.redeal(views, walk.rng)
        changed += int((other["hand"][:, 1:] != 0).any())
        again = game.views(other, np.zeros(len(other), np.int64))
        np.testing.assert_array_equal(player.act(again, walk.masks), actions)
        compared += len(actions)
        walk.go(views, actions)
    assert changed > 50
    assert compared > 1000


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", PLANS)
def test_scripted__reads_nothing_that_a_view_hides(name: str, players: int) -> None:
    """P13, stronger: with any full state in the place of its view it chooses the same.

    In a view hidden fields are -1, so a bot that reads them still repeats itself under a redeal.
    The keys are the views', which the bot's own chance comes from.
    """
    game = JerusalemGame(rules=RuleSet(players=players, decline_income=True))
    player = make_strategy(name)
    walk, compared = Walk(game, 2), 0
    while walk.running:
        views = game.views(walk.states)
        keys = keys_of(views, 3)
        actions = choices_of(player, views, walk.masks, keys)
        np.testing.assert_array_equal(player_with(player, 3).act(views, walk.masks), actions)
        full = game.redeal(views, walk.rng)
        assert (full["hand"] >= 0).all()
        assert (full["silver"][:, 1:players] >= 0).all()
        np.testing.assert_array_equal(choices_of(player, full, walk.masks, keys), actions)
        compared += len(actions)
        walk.go(views, actions)
    assert compared > 1000


def player_with(player: ScriptedAgent, seed: int) -> ScriptedAgent:
    """The same player with its chance begun anew."""
    player.reset(seed)
    return player


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", PLANS)
def test_guide__chooses_for_any_seat_of_a_state_as_for_its_view(name: str, players: int) -> None:
    """P13, P15: in playouts it reads states; nothing hangs on what is hidden or on seat numbers."""
    game = JerusalemGame(rules=RuleSet(players=players, decline_income=True))
    player = make_strategy(name)
    walk = Walk(game, 3)
    seats: set[int] = set()
    while walk.running:
        views = game.views(walk.states)
        actions = choices_of(player, views, walk.masks, np.zeros(len(views), np.uint64))
        before = walk.states.tobytes()
        chosen, times = guided(player, walk.states, walk.masks)
        assert walk.states.tobytes() == before
        wrong = np.flatnonzero(chosen != actions)
        assert not len(wrong), (
            f"seat {walk.states['to_act'][wrong[0]]} in phase {walk.states['phase'][wrong[0]]}: "
            f"{game.action_names[chosen[wrong[0]]]} instead of "
            f"{game.action_names[actions[wrong[0]]]}"
        )
        assert (times >= 1).all()
        seats |= set(walk.states["to_act"].tolist())
        walk.go(views, actions)
    assert seats == set(range(players))


@pytest.mark.parametrize("players", PLAYERS)
def test_guide__says_how_often_it_would_place_the_same(players: int) -> None:
    """Playouts place several squires at once; asked again it mostly goes on like that."""
    game = JerusalemGame(players)
    player = make_strategy("expert")
    walk = Walk(game, 4, strayed=0.0)
    planned = np.zeros((GAMES, 2), np.int64)  # by game: action, how often it is still due
    repeated = agreed = 0
    while walk.running and len(walk.states) == GAMES:  # until the first game is over
        actions, times = guided(player, walk.states, walk.masks)
        places = (actions >= L.PLACE) & (actions < L.BARON)
        assert (times[~places & (actions != L.HIRE)] == 1).all()
        due = planned[:, 1] > 0
        same = due & (planned[:, 0] == actions)
        repeated += int(due.sum())
        agreed += int(same.sum())
        begun = np.stack([actions, np.where(places, times - 1, 0)], axis=1)
        planned = np.where(same[:, None], planned - [0, 1], begun)
        walk.go(game.views(walk.states), actions)
    assert repeated > 300
    assert agreed >= 2 / 3 * repeated


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("name", PLANS)
def test_guide__chooses_by_notes_as_without(name: str, players: int) -> None:
    """And several placements at once end where single steps do, the watchdog's stop included."""
    game = JerusalemGame(rules=RuleSet(players=players, decline_income=True))
    states, _ = dealt(game, GAMES, 6)
    states["decision_limit"][::2] = np.arange(40, 40 + 3 * GAMES // 2, 3)
    others, found, words = states.copy(), np.zeros(2, np.int64), new_words(1, L.NUM_ACTIONS)[0]
    parameters = make_strategy(name).parameters
    notes, fresh = np.zeros((2, NOTES))
    play_out_noting(states, others, words, parameters, notes, fresh, found)
    assert found[0] > 40 * GAMES
    assert found[1] == 0
    assert fields_of(states) == fields_of(others)
    assert game.truncated(states).sum() == GAMES // 2


# --- chance --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PLANS)
def test_scripted__only_bids_waver_with_the_seed(name: str) -> None:
    """Every choice depends on the view and the seed alone: not on the batch, its order or calls."""
    game = JerusalemGame(players=3)
    players = [make_strategy(name) for _ in range(6)]
    for seed, player in enumerate(players):
        player.reset(seed)
    again = make_strategy(name)
    walk = Walk(game, 5)
    wavered = 0
    while walk.running:
        views, masks = game.views(walk.states), walk.masks
        by_seed = np.array([player.act(views, masks) for player in players])
        differ = (by_seed != by_seed[0]).any(axis=0)
        assert set(walk.states["phase"][differ].tolist()) <= {L.PHASE_BID}
        wavered += int(differ.sum())
        order = walk.rng.permutation(len(views))
        mixed = player_with(again, 1).act(views[order], np.ascontiguousarray(masks[order]))
        np.testing.assert_array_equal(mixed, by_seed[1][order])
        alone = again.act(views[-1:], masks[-1:])
        np.testing.assert_array_equal(alone, by_seed[1][-1:])
        walk.go(views, by_seed[0])
    assert wavered > 10


def test_keys__come_from_the_view_and_the_seed() -> None:
    game = JerusalemGame(players=4)
    states, _ = dealt(game, 200, 0)
    views = game.views(states)
    keys = keys_of(views, 7)
    assert keys.dtype == np.uint64
    # What is hidden of a deal is not in its key: there are no more keys than different views.
    assert len(set(keys.tolist())) == len({fields_of(view) for view in views})
    np.testing.assert_array_equal(keys_of(game.views(game.redeal(views, walk_rng())), 7), keys)
    assert (keys_of(views, 8) != keys).all()
    changed = views.copy()
    changed["silver"][:, 0] += 1
    assert (keys_of(changed, 7) != keys).all()


def walk_rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_compiled__is_the_same_player() -> None:
    player = make_strategy("warden")
    policy = player.compiled
    assert isinstance(policy, CompiledPolicy)
    assert (policy.name, policy.needs_view) == ("warden", True)
    np.testing.assert_array_equal(policy.parameters, player.parameters)


# --- weights -------------------------------------------------------------------------------------
FINITE = st.floats(-1e6, 1e6, allow_nan=False)
VECTORS = arrays(np.float64, NUM_WEIGHTS, elements=FINITE)


@given(VECTORS)
def test_weights__survive_vectors_and_json(vector: np.ndarray) -> None:
    weights = weights_from(vector)
    np.testing.assert_array_equal(vector_of(weights), vector)
    assert Weights.from_dict(json.loads(json.dumps(weights.to_dict()))) == weights
    assert Weights.from_dict(weights.to_dict()) == weights


def test_weights__are_counted() -> None:
    values = Weights().to_dict()
    sizes = [len(value) if isinstance(value, list) else 1 for value in values.values()]
    assert sum(sizes) == NUM_WEIGHTS == len(vector_of(Weights()))
    assert {size for size in sizes if size > 1} == {ROUNDS}
    assert list(values) == [field.name for field in fields(Weights)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hold": None}, "missing or unknown: hold"),
        ({"castle": 1.0}, "missing or unknown: castle"),
        ({"hold": None, "castle": 1.0}, "missing or unknown: castle, hold"),
        ({"silver": [0.1] * 4}, "weight silver must be 5 finite numbers"),
        ({"silver": 0.1}, "weight silver must be 5 finite numbers"),
        ({"hold": [0.1] * 5}, "weight hold must be a finite number"),
        ({"hold": float("nan")}, "weight hold must be a finite number"),
        ({"silver": [0.1, 0.1, float("inf"), 0.1, 0.1]}, "weight silver must be 5 finite numbers"),
        ({"hold": "much"}, "weight hold"),
        ({"hold": "0.5"}, "weight hold"),
        ({"silver": [0.1, [0.1], 0.1, 0.1, 0.1]}, "weight silver"),
    ],
)
def test_weights__refuses_what_is_not_all_weights(change: dict[str, Any], message: str) -> None:
    values = {**Weights().to_dict(), **change}
    values = {name: value for name, value in values.items() if value is not None}
    with pytest.raises(AgentError, match=message):
        Weights.from_dict(values)


@given(st.tuples(VECTORS, VECTORS, VECTORS))
def test_parameters__are_the_weights_by_number_of_players(vectors: tuple[np.ndarray, ...]) -> None:
    by_players = {n: weights_from(v) for n, v in zip(PLAYER_COUNTS, vectors, strict=True)}
    parameters = parameters_of(by_players)
    assert parameters.shape == (1,)
    for index, players in enumerate((2, 3, 4)):
        plan = parameters["by_players"][0, index]
        for name, value in by_players[players].to_dict().items():
            np.testing.assert_array_equal(plan[name], value, err_msg=name)


@given(st.floats(0, 1), st.floats(0, 1))
def test_parameters__hold_the_chance_to_lose_a_majority(hold: float, margin: float) -> None:
    """Each of the later players leaves it alone with the same chance; a lead scales the risk."""
    weights = replace(Weights(), hold=hold, hold_margin=margin)
    plan = parameters_of({2: Weights(), 3: weights, 4: Weights()})["by_players"][0, 1]
    for movers in range(4):
        kept = 1.0
        for _ in range(movers):
            kept *= hold  # with a bare majority
        assert plan["risk"][movers, 0] == pytest.approx(1.0 - kept, abs=1e-9)
        for lead in range(LEADS):
            one = (1.0 - hold) * margin**lead
            expected = 1.0 - (1.0 - one) ** movers
            assert plan["risk"][movers, lead] == pytest.approx(expected, abs=1e-9)
    assert (plan["risk"][0] == 0).all()


# --- the plans -----------------------------------------------------------------------------------
def test_expert__has_weights_for_every_number_of_players() -> None:
    for players in PLAYER_COUNTS:
        weights = expert(players)
        assert np.isfinite(vector_of(weights)).all()
        assert make_strategy("expert").by_players[players] == weights
    with pytest.raises(KeyError):
        expert(5)


@pytest.mark.parametrize("name", PLANS)
def test_plan__is_made_by_its_name_and_described(name: str) -> None:
    assert STRATEGIES[name].name == name
    description = STRATEGIES[name].description
    assert len(description.split()) >= 8
    assert "\n" not in description
    assert description.endswith(".")
    player = make_agent(name)
    assert isinstance(player, ScriptedAgent)
    assert player.name == name
    for players in PLAYER_COUNTS:
        assert player.by_players[players] == STRATEGIES[name].weights(players)
        if name != "expert":
            assert player.by_players[players] != expert(players)
