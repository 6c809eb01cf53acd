"""The scripted players of Ierusalem: legal, blind to what is hidden, of some strength."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.base import Agent
from agents.ierusalem.greedy import GreedyAgent, GreedyParameters
from agents.ierusalem.guide import MOST_PROPOSED, choose_as, guide_of, propose
from agents.ierusalem.planner import PlannerAgent
from agents.ierusalem.weights import PLAN, Weights
from agents.random_agent import RandomAgent
from agents.registry import make_agent, standard_policies
from jerusalem_env.bits import new_words, pack_rows
from jerusalem_env.ierusalem.engine.layout import NUM_ACTIONS, NUM_PHASES, PHASE_OVER
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from jerusalem_env.kernels import entry_kernel
from tests.ierusalem.random_rules import other_data
from training.evaluate import evaluate, play

BOTS = ("greedy", "planner")
SWITCHED = RuleSet(
    players=3,
    apostle_columns="by_colour",
    orange_scores="own",
    symbols=("lake", "lake", "market", "temple", "desert", "desert", "market", "lake", "temple"),
    colours=("blue", "red", "green"),
    first_player=1,
)
RULES = (RuleSet(players=3), RuleSet(players=4), SWITCHED, RuleSet(data=other_data()))


def walk(game: IerusalemGame, games: int, seed: int, player: Agent, astray: float) -> Any:
    """(states, masks, views) at every ply of games of a player that now and then plays at random.

    What is done at each of the plies must leave the arrays as they are.
    """
    rng, explorer = np.random.default_rng(seed), RandomAgent(seed)
    states, masks = game.new_states(games), np.zeros((games, NUM_ACTIONS), np.uint8)
    game.reset(states, game.derive_seeds(seed, games, 0), masks)
    while len(states) > 0:
        views = game.views(states)
        yield states, masks, views
        strays = rng.random(len(states)) < astray
        actions = np.where(strays, explorer.act(views, masks), player.act(views, masks))
        assert game.step(states, actions, masks) == -1
        running = ~game.terminated(states)
        states, masks = states[running].copy(), masks[running].copy()


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("rules", RULES)
def test_bot__is_legal_in_every_phase_of_random_games(name: str, rules: RuleSet) -> None:
    game, seen = IerusalemGame(rules=rules), np.zeros(NUM_PHASES, np.int64)
    bot = make_agent(name, game)
    assert isinstance(bot, Agent)
    for _, masks, views in walk(game, 40, 1, GreedyAgent(), 0.5):
        before = views.tobytes()
        actions = bot.act(views, masks)
        assert masks[np.arange(len(views)), actions].all()
        assert views.tobytes() == before
        np.testing.assert_array_equal(bot.act(views, masks), actions)
        np.add.at(seen, views["phase"], 1)
    assert (np.delete(seen, PHASE_OVER) > 0).all()


@pytest.mark.parametrize("rules", RULES)
def test_bots__play_to_the_end_and_the_same_again(rules: RuleSet) -> None:
    """``play`` refuses the first illegal choice."""
    game = IerusalemGame(rules=rules)
    who = np.arange(8 * game.players).reshape(8, game.players) % 2  # both in all seats
    seeds = game.derive_seeds(5, 8, 0)
    first = play(game, [GreedyAgent(), PlannerAgent()], who, seeds, agent_seed=1)
    again = play(game, [GreedyAgent(), PlannerAgent()], who, seeds, agent_seed=2)
    assert game.terminated(first).all()
    assert not game.truncated(first).any()
    assert all((first[field] == again[field]).all() for field in first.dtype.names)


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTS)
def test_bot__compiled_and_act_agree(name: str) -> None:
    game = IerusalemGame()
    bot = make_agent(name, game)

    class Slow:
        """The same player without its compiled policy."""

        def __init__(self) -> None:
            self.name = "slow"

        def reset(self, seed: int) -> None:
            bot.reset(seed)

        def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
            return bot.act(views, masks)

    seeds, who = game.derive_seeds(2, 6, 0), np.zeros((6, 4), np.int64)
    fast, slow = play(game, [bot], who, seeds), play(game, [Slow()], who, seeds)
    assert all((fast[field] == slow[field]).all() for field in fast.dtype.names)


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("name", BOTS)
def test_bot__reads_nothing_that_a_view_hides(name: str, information: str, players: int) -> None:
    """VII.g: with any full state in the place of its view it chooses the same."""
    game = IerusalemGame(players=players, information=information)  # type: ignore[arg-type]
    bot, rng, compared = make_agent(name, game), np.random.default_rng(0), 0
    for states, masks, views in walk(game, 10, 3, bot, 0.2):
        actions = bot.act(views, masks)
        full = game.redeal(views, rng)
        assert (full["key"] != views["key"]).all()
        np.testing.assert_array_equal(bot.act(full, masks), actions)
        again = game.views(full, np.zeros(len(states), np.int64))
        np.testing.assert_array_equal(bot.act(again, masks), actions)
        compared += len(states)
    assert compared > 1000


# --- the guide ------------------------------------------------------------------------------------
@entry_kernel
def _guided(states, seats, words, parameters, notes, actions, ranks, chosen, counts):  # type: ignore[no-untyped-def]
    for row in range(states.shape[0]):
        s, seat = states[row], seats[row]
        chosen[row], _ = choose_as(s, seat, words[row], parameters, notes)
        counts[row] = propose(s, seat, words[row], parameters, actions[row], ranks)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_guide__is_the_planner_and_proposes_what_is_legal(rules: RuleSet) -> None:
    """From any seat of a state it plays as the planner from that seat's view."""
    game, planner = IerusalemGame(rules=rules), PlannerAgent()
    most = 0
    for states, masks, views in walk(game, 10, 9, planner, 0.2):
        number = len(states)
        words = new_words(number, NUM_ACTIONS)
        pack_rows(masks, words)
        actions = np.full((number, MOST_PROPOSED), -1)
        chosen, counts = np.zeros(number, np.int64), np.zeros(number, np.int64)
        before = states.tobytes()
        _guided(
            *(states, states["to_act"].astype(np.int64), words, guide_of(planner).parameters),
            *(np.zeros(1), actions, np.zeros(MOST_PROPOSED), chosen, counts),
        )
        assert states.tobytes() == before
        np.testing.assert_array_equal(chosen, planner.act(views, masks))
        np.testing.assert_array_equal(actions[:, 0], chosen)
        for row in range(number):
            proposed = actions[row, : counts[row]]
            assert masks[row, proposed].all()
            assert len(set(proposed.tolist())) == counts[row]
            assert counts[row] >= min(int(masks[row].sum()), 2)
        most = max(most, int(counts.max()))
    assert most == MOST_PROPOSED


@pytest.mark.slow
def test_search__plays_a_legal_game_and_repeats_it() -> None:
    game = IerusalemGame(players=3)
    seeds, who = game.derive_seeds(0, 1, 0), np.array([[0, 1, 1]])
    ends = [
        play(game, [make_agent("mcts:16", game), GreedyAgent()], who, seeds, agent_seed=4)
        for _ in range(2)
    ]
    assert game.terminated(ends[0]).all()
    assert all((ends[0][field] == ends[1][field]).all() for field in ends[0].dtype.names)


@pytest.mark.slow
def test_search__is_blind_to_what_is_hidden() -> None:
    game = IerusalemGame(players=3)
    search, rng, compared = make_agent("mcts:12", game), np.random.default_rng(0), 0
    for states, masks, views in walk(game, 1, 6, GreedyAgent(), 0.2):
        if rng.random() < 0.3:
            search.reset(1)
            actions = search.act(views, masks)
            again = game.views(game.redeal(views, rng), np.zeros(len(states), np.int64))
            search.reset(1)
            np.testing.assert_array_equal(search.act(again, masks), actions)
            compared += len(states)
    assert compared > 50


# --- strength -------------------------------------------------------------------------------------
@pytest.mark.parametrize("players", [3, 4])
def test_greedy__beats_random_players(players: int) -> None:
    game = IerusalemGame(players=players)
    result = evaluate(GreedyAgent(), [RandomAgent()], game, deals=25, seed=0)
    assert result.win_rate >= 0.95


def test_greedy__plays_on_the_scale_of_the_rules_file() -> None:
    """V.c: a mean of 112.6 with four players, about ten Apostles seated."""
    game = IerusalemGame()
    states = play(game, [GreedyAgent()], np.zeros((50, 4), np.int64), game.derive_seeds(0, 50, 0))
    assert 105 < states["points"].mean() < 140
    assert (states["seats"] >= 0).sum(axis=1).mean() > 9.0


@pytest.mark.parametrize("players", [3, 4])
def test_planner__beats_greedy_players(players: int) -> None:
    game = IerusalemGame(players=players)
    result = evaluate(PlannerAgent(), [GreedyAgent()], game, deals=75, seed=0)
    assert result.low > 1.0 / players


def test_bots__parameters_matter() -> None:
    game = IerusalemGame()
    worse = GreedyAgent(GreedyParameters(fit=0.0, open_seat=0.0))
    assert evaluate(worse, [GreedyAgent()], game, deals=25, seed=0).high < 0.25
    careless = PlannerAgent(Weights(fit=0.0, chance=(0.0, 0.0, 0.0, 0.0)))
    assert evaluate(careless, [PlannerAgent()], game, deals=25, seed=0).high < 0.25


def test_registry__has_them() -> None:
    game = IerusalemGame()
    assert [policy.name for policy in standard_policies(game.name)] == ["random", *BOTS]
    for name in BOTS:
        assert make_agent(name, game).name == name
    assert PlannerAgent().parameters.dtype == PLAN
