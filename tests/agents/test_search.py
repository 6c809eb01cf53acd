"""Information-set search: reproducible, legal, blind to what is hidden, right on small games."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.base import Agent, AgentError
from agents.random_agent import RandomAgent
from agents.registry import make_agent
from agents.scripted.agent import guide_of
from agents.scripted.strategies import make_strategy
from agents.search.agent import SearchAgent
from agents.search.tree import Trees
from jerusalem_env import RuleSet
from jerusalem_env.bits import allow, clear_flags, has_flag
from jerusalem_env.chance import draw
from jerusalem_env.game import Information
from jerusalem_env.jerusalem.engine.layout import PHASE_BID
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.kernels import entry_kernel, kernel
from jerusalem_env.simulation import Guide, Simulation
from tests.pitfalls.equipment import INFORMATION, PLAYERS, fields_of
from tests.reference_engine import build_position
from training.evaluate import evaluate, play

# A search has code of its own for each number of players, which takes long to compile.
ALL_PLAYERS = [pytest.param(n, marks=[pytest.mark.slow] if n != 3 else []) for n in PLAYERS]


def midgame(game: JerusalemGame, number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(states, masks) of running games, each some decisions further on than the one before."""
    expert, explorer = make_agent("expert"), RandomAgent(seed)
    rng = np.random.default_rng(seed)
    states, masks = game.new_states(number), np.zeros((number, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(seed, number, 0), masks)
    stops = rng.permutation(np.linspace(0, 40 * game.rules.rounds, number).astype(int))
    for ply in range(stops.max()):
        rows = np.flatnonzero((stops > ply) & ~game.terminated(states))
        some, their_masks = states[rows], masks[rows]
        views = game.views(some)
        strays = rng.random(len(rows)) < 0.1
        actions = np.where(strays, explorer.act(views, their_masks), expert.act(views, their_masks))
        assert game.step(some, actions, their_masks) == -1
        states[rows], masks[rows] = some, their_masks
    running = ~game.terminated(states)
    assert running.sum() > 0.4 * number
    return states[running], masks[running]


def searcher(game: JerusalemGame, simulations: int, seed: int = 0, **options: Any) -> SearchAgent:
    """A search guided by the expert."""
    agent = SearchAgent(game, guide_of(make_strategy("expert")), simulations, **options)
    agent.reset(seed)
    return agent


# --- reproducible ---------------------------------------------------------------------------------
@pytest.mark.parametrize("players", ALL_PLAYERS)
def test_search__seed_reproduces_its_choices(players: int) -> None:
    game = JerusalemGame(players)
    states, masks = midgame(game, 60, 1)
    views = game.views(states)
    first, same, other = (
        searcher(game, 24, seed, threads=1).act(views, masks) for seed in (5, 5, 6)
    )
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


def test_search__choice_does_not_depend_on_the_batch_or_earlier_calls() -> None:
    """Alone, in any order and asked again: the same choice and the same value of it."""
    game = JerusalemGame(3)
    states, masks = midgame(game, 24, 2)
    views = game.views(states)
    agent = searcher(game, 60, 7, threads=1)
    actions = agent.act(views, masks)
    values = agent.values.copy()
    for order in (np.arange(len(views))[::-1], np.random.default_rng(0).permutation(len(views))):
        np.testing.assert_array_equal(agent.act(views[order], masks[order]), actions[order])
        np.testing.assert_array_equal(agent.values, values[order])
    for row in range(len(views)):
        assert agent.act(views[row : row + 1], masks[row : row + 1])[0] == actions[row]
        assert agent.values[0] == values[row]
    agent.act(game.views(midgame(game, 5, 3)[0]), midgame(game, 5, 3)[1])
    agent.reset(7)
    np.testing.assert_array_equal(agent.act(views, masks), actions)


def test_search__choice_does_not_depend_on_the_number_of_threads() -> None:
    game = JerusalemGame(3)
    states, masks = midgame(game, 25, 4)
    views = game.views(states)
    found = []
    for threads in (1, 2):
        agent = searcher(game, 40, threads=threads)
        actions = agent.act(views, masks)
        found.append((actions.tolist(), agent.values.tolist(), agent.playouts))
    assert found[0] == found[1]


def test_search__choice_does_not_depend_on_a_larger_search_before() -> None:
    """Its trees have room left over then, and hold what was."""
    game = JerusalemGame(3)
    states, masks = midgame(game, 12, 5)
    views = game.views(states)
    fresh, used = searcher(game, 30, threads=1), searcher(game, 30, threads=1)
    used.simulations = 90
    used.act(views, masks)
    used.simulations = 30
    np.testing.assert_array_equal(used.act(views, masks), fresh.act(views, masks))
    np.testing.assert_array_equal(used.values, fresh.values)


# --- legal ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("players", ALL_PLAYERS)
def test_search__plays_legally_to_the_end(
    players: int, information: Information, skip_forced: bool
) -> None:
    """``play`` refuses the first illegal choice; one round has no events, three have two."""
    for rounds, simulations in ((1, 24), (3, 8)):
        rules = RuleSet(players=players, rounds=rounds, decline_income=True)
        game = JerusalemGame(rules=rules, information=information, skip_forced=skip_forced)
        agent = searcher(game, simulations, threads=1)
        seeds = game.derive_seeds(rounds, 3, 0)
        states = play(game, [agent], np.zeros((3, players), np.int64), seeds)
        assert game.terminated(states).all()


@pytest.mark.parametrize("players", ALL_PLAYERS)
def test_search__leaves_views_alone_and_says_what_it_thinks(players: int) -> None:
    game = JerusalemGame(players, skip_forced=False)
    states, masks = midgame(game, 150, 6)
    views = game.views(states)
    before, masks_before = views.tobytes(), masks.tobytes()
    agent = searcher(game, 32, threads=1)
    actions = agent.act(views, masks)
    assert views.tobytes() == before
    assert masks.tobytes() == masks_before
    assert actions.dtype == np.int64
    assert (masks[np.arange(len(actions)), actions] == 1).all()
    searched = agent.values >= 0.0
    assert not searched[masks.sum(axis=1) == 1].any()
    assert (agent.values[~searched] == -1.0).all()
    assert (agent.values[searched] <= 1.0).all()
    assert len(set(agent.values[searched])) > 50
    assert searched.mean() > 0.5  # the rest has nothing else that is worth a look
    assert 16 * searched.sum() <= agent.playouts <= 32 * searched.sum()


def test_search__takes_a_forced_decision_without_a_search() -> None:
    """Who has no silver can only pass (A5)."""
    game = JerusalemGame(3, skip_forced=False)
    bid = {"opener": 2, "office": "marshal", "bid": 0, "bidder": 2}
    position = build_position(
        game.rules_dict(), phase="bid", round=1, to_act=0, auction=bid, silver=[0, 12, 12]
    )
    state, mask = game.read_position(position), np.zeros((1, game.num_actions), np.uint8)
    game.legal(state, mask)
    assert mask.sum() == 1
    agent = searcher(game, 32, threads=1)
    assert game.action_names[int(agent.act(game.views(state), mask)[0])] == "pass"
    assert agent.values.tolist() == [-1.0]
    assert agent.playouts == 0


# --- hidden information ---------------------------------------------------------------------------
@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("players", ALL_PLAYERS)
def test_search__chooses_the_same_under_any_redeal(players: int, information: Information) -> None:
    """P13: what a seat cannot see changes nothing."""
    game = JerusalemGame(players, information=information)
    states, masks = midgame(game, 40, 7)
    views, rng = game.views(states), np.random.default_rng(1)
    agent = searcher(game, 32, threads=1)
    actions = agent.act(views, masks)
    values = agent.values.copy()
    for _ in range(2):
        others = game.redeal(views, rng)
        assert fields_of(others) != fields_of(states)
        other_masks = np.zeros_like(masks)
        game.legal(others, other_masks)
        seen = game.views(others, np.zeros(len(others), np.int64))
        np.testing.assert_array_equal(agent.act(seen, other_masks), actions)
        np.testing.assert_array_equal(agent.values, values)


@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("players", ALL_PLAYERS)
def test_search__deals_what_its_view_leaves_open_and_nothing_else(
    players: int, information: Information
) -> None:
    """P13: the observer of a state that the search deals sees the view that it was dealt from."""
    game = JerusalemGame(players, information=information)
    states, _ = midgame(game, 60, 8)
    views = game.views(states)
    seen = views.tobytes()
    simulation = game.simulation
    scratch = np.zeros(simulation.scratch, np.int64)
    nobody = np.zeros(len(views), np.int64)
    hands = []
    for key in (1, 2, 3):
        dealt = game.new_states(len(views))
        keys = np.full(len(views), key, np.uint64)
        _deal(views, keys, scratch, dealt)
        assert fields_of(game.views(dealt, nobody)) == fields_of(views)
        assert views.tobytes() == seen
        assert (dealt["hand"] >= 0).all()
        assert (dealt["events"] >= 0).all()
        assert (dealt["silver"][:, :players] >= 0).all()
        assert (dealt["squires"][:, :players] >= 0).all()
        hands.append(dealt["pile"].tobytes())
    assert len(set(hands)) == 3


_redeal = JerusalemGame(2).simulation.redeal  # the same kernel for all numbers of players


@entry_kernel
def _deal(views, keys, scratch, states):  # type: ignore[no-untyped-def]
    for row in range(views.shape[0]):
        _redeal(views[row], keys[row], scratch, states[row])


# --- budgets --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mcts:0", "simulations must be"),
        ("mcts:3", "simulations must be"),
        ("mcts:-5", "simulations must be"),
        ("mcts:1000001", "simulations must be"),
        ("mcts:x", "has no budget"),
        ("mcts:1.5", "has no budget"),
        ("mcts:s", "has no budget"),
        ("mcts:-1s", "seconds must be"),
        ("mcts:0s", "seconds must be"),
        ("mcts:nans", "seconds must be"),
        ("mcts:infs", "seconds must be"),
    ],
)
def test_search__refuses_a_bad_budget(name: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        make_agent(name, JerusalemGame(2))


def test_search__needs_one_budget_and_a_game_with_a_simulation() -> None:
    game, guide = JerusalemGame(2), guide_of(make_strategy("expert"))
    for budget in ({}, {"simulations": 10, "seconds": 1.0}):
        with pytest.raises(AgentError, match="needs a budget"):
            SearchAgent(game, guide, **budget)
    with pytest.raises(AgentError, match="needs the game"):
        make_agent("mcts:10")
    without: Any = SimpleNamespace(name="chess_v0", simulation=None)
    with pytest.raises(AgentError, match="chess_v0 gives no simulation"):
        SearchAgent(without, guide, 10)


def test_search__names_itself_by_its_budget() -> None:
    game = JerusalemGame(2)
    for name in ("mcts:50", "mcts:0.5s"):
        assert make_agent(name, game).name == name
    assert make_agent("mcts", game).name == "mcts:1000"
    assert isinstance(make_agent("mcts:50", game), Agent)


def test_search__refuses_missing_masks() -> None:
    """P4, P8."""
    game = JerusalemGame(2)
    states, masks = midgame(game, 8, 9)
    views, agent = game.views(states), searcher(game, 8, threads=1)
    with pytest.raises(AgentError, match="masks"):
        agent.act(views, None)  # type: ignore[arg-type]
    with pytest.raises(AgentError, match="row 0"):
        agent.act(views, np.zeros_like(masks))


def test_search__with_next_to_no_budget_plays_as_its_guide() -> None:
    """Four simulations are too few for two decisions."""
    game = JerusalemGame(3)
    states, masks = midgame(game, 60, 10)
    views = game.views(states)
    agent = searcher(game, 4, threads=1)
    actions = agent.act(views, masks)
    assert (masks[np.arange(len(actions)), actions] == 1).all()
    assert agent.playouts == 0
    steady = states["phase"] != PHASE_BID  # chance moves the expert's limit when it bids
    expected = make_agent("expert").act(views, masks)
    assert steady.sum() > 20
    np.testing.assert_array_equal(actions[steady], expected[steady])


def test_search__keeps_to_its_time() -> None:
    game = JerusalemGame(3)
    states, masks = midgame(game, 8, 11)
    views = game.views(states)
    agent: Any = make_agent("mcts:0.05s", game)
    agent.act(views[:1], masks[:1])  # compiles
    began = time.perf_counter()
    actions = agent.act(views, masks)
    spent = time.perf_counter() - began
    assert (masks[np.arange(len(actions)), actions] == 1).all()
    assert spent < 0.5 * len(views)  # ten times what it has: other programs may be at work
    assert agent.values.shape == (len(views),)


# --- small games with known optima ----------------------------------------------------------------
NODES, CHOICES, SEATS = 100, 4, 3
TOY = np.dtype(
    [
        ("node", np.int64),  # where the game is
        ("secret", np.int64),  # 0 or 1; -1 in a view
        ("mover", np.int64, NODES),  # seat that decides there, -1 at an end
        ("child", np.int64, (NODES, CHOICES)),  # -1: not legal
        ("likes", np.int64, NODES),  # what the guide plays there
        ("pay", np.float64, (2, NODES, SEATS)),  # by secret
    ]
)


@kernel
def toy_legal(s, words):  # type: ignore[no-untyped-def]
    clear_flags(words)
    for action in range(CHOICES):
        if s.child[s.node, action] >= 0:
            allow(words, action)


@kernel
def toy_redeal(view, key, scratch, s):  # type: ignore[no-untyped-def]
    s.node = view.node
    for node in range(NODES):
        s.mover[node] = view.mover[node]
        s.likes[node] = view.likes[node]
        for action in range(CHOICES):
            s.child[node, action] = view.child[node, action]
        for seat in range(SEATS):
            for secret in range(2):
                s.pay[secret, node, seat] = view.pay[secret, node, seat]
    _, s.secret = draw(key, 2)


@kernel
def toy_step(s, action, words):  # type: ignore[no-untyped-def]
    s.node = s.child[s.node, action]
    toy_legal(s, words)


@kernel
def toy_running(s):  # type: ignore[no-untyped-def]
    return s.mover[s.node] >= 0


@kernel
def toy_to_act(s):  # type: ignore[no-untyped-def]
    return s.mover[s.node]


@kernel
def toy_value(s, seat):  # type: ignore[no-untyped-def]
    return s.pay[s.secret, s.node, seat]


@kernel
def toy_choose(s, seat, words, parameters, notes):  # type: ignore[no-untyped-def]
    return s.likes[s.node], 1


@kernel
def toy_propose(s, seat, words, parameters, actions, ranks):  # type: ignore[no-untyped-def]
    actions[0] = s.likes[s.node]
    count = 1
    for action in range(CHOICES):
        if has_flag(words, action) and action != actions[0]:
            actions[count] = action
            count += 1
    return count


TOY_GAME: Any = SimpleNamespace(
    name="toy_v0",
    num_actions=CHOICES,
    simulation=Simulation(
        "toy",
        toy_redeal,
        toy_legal,
        toy_step,
        toy_running,
        toy_to_act,
        toy_value,
        1,
        TOY,
        SEATS,
        CHOICES,
    ),
)
TOY_GUIDE = Guide(toy_choose, toy_propose, np.zeros(1), CHOICES)

# A decision: the seat, what it leads to by action, what the guide plays. An end: pay by seat, or
# two of them by the secret.
Decision = tuple[int, list[Any], int]


def toy_view(root: Decision) -> np.ndarray:
    """(1,) view of a game written as a tree."""
    view = np.zeros(1, dtype=TOY)
    view["mover"], view["child"], view["secret"] = -1, -1, -1
    used = 0

    def add(what: Any) -> int:
        nonlocal used
        node, used = used, used + 1
        if len(what) == 3 and isinstance(what[1], list):
            seat, following, likes = what
            view["mover"][0, node], view["likes"][0, node] = seat, likes
            for action, child in enumerate(following):
                view["child"][0, node, action] = add(child)
        else:
            both = what if isinstance(what[0], tuple) else (what, what)
            for secret in range(2):
                view["pay"][0, secret, node, : len(both[secret])] = both[secret]
        return node

    add(root)
    return view


def search_toy(
    view: np.ndarray, simulations: int = 400, seed: int = 0, doubt: float = 1.0
) -> tuple[int, float, SearchAgent]:
    """(its choice, what that is worth to it, the agent)."""
    agent = SearchAgent(TOY_GAME, TOY_GUIDE, simulations, doubt=doubt, threads=1)
    agent.reset(seed)
    mask = (view["child"][0, view["node"][0]] >= 0)[None, :]
    return int(agent.act(view, mask)[0]), float(agent.values[0]), agent


def tree_of(agent: SearchAgent) -> Trees:
    """The trees of its last search, those of its one thread."""
    return Trees(*(array[0] for array in agent._trees))


def children(trees: Trees, row: int, node: int) -> list[int]:
    """The nodes that a node leads to."""
    found, child = [], int(trees.first_child[row, node])
    while child >= 0:
        found.append(child)
        child = int(trees.next_sibling[row, child])
    return found


# The guide's first move looks best as long as the other replies as the guide would.
TRAP: Decision = (0, [(1, [(1.0, 0.0), (0.0, 1.0)], 0), (1, [(0.6, 0.4), (0.7, 0.3)], 0)], 0)
# Seat 1 gets more by what helps seat 0; who thinks that all are against him would not dare.
THREE: Decision = (0, [(0.5, 0.5, 0.0), (1, [(0.0, 0.1, 0.9), (0.9, 0.6, 0.0)], 0)], 0)
# Seat 1 leaves it to seat 2, who chooses for itself and so against seat 0.
THREE_DEEP: Decision = (
    0,
    [(1, [(0.9, 0.1, 0.0), (2, [(0.9, 0.8, 0.1), (0.0, 0.5, 0.7)], 0)], 0), (0.4, 0.3, 0.3)],
    0,
)
# Whoever could see the secret would go on and guess it right; nobody can.
GUESS: Decision = (0, [(0, [((1.0,), (0.0,)), ((0.0,), (1.0,))], 0), (0.7,)], 0)
# A gamble that is a little better on average, and no more certain than that.
GAMBLE: Decision = (0, [(0.5,), ((1.0,), (0.02,))], 0)
TREES = {"trap": TRAP, "three": THREE, "three deep": THREE_DEEP, "guess": GUESS, "gamble": GAMBLE}


def nim(heap: int) -> Decision:
    """Two players take 1 to 3 in turn; who takes the last wins. The guide takes one."""

    def left(heap: int, seat: int) -> Any:
        if heap == 0:
            return (1.0, 0.0) if seat == 1 else (0.0, 1.0)
        return (seat, [left(heap - take, 1 - seat) for take in range(1, min(heap, 3) + 1)], 0)

    root: Decision = left(heap, 0)
    return root


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["trap", "three", "three deep", "guess"])
def test_search__finds_the_best_move_of_a_small_game(name: str, seed: int) -> None:
    """The guide would play 0; 1 is better against, or thanks to, what the others want."""
    assert search_toy(toy_view(TREES[name]), 800, seed)[0] == 1


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("heap", [2, 3, 6, 7])
def test_search__wins_nim(heap: int, seed: int) -> None:
    """Leave a multiple of 4."""
    action, value, _ = search_toy(toy_view(nim(heap)), 1500, seed)
    assert action + 1 == heap % 4
    assert value > 0.75


def test_search__counts_every_simulation_once() -> None:
    """Visits of the roots are the budget; those of a node are its children's and its own first."""
    for root in (*TREES.values(), nim(7)):
        view = toy_view(root)
        _, _, agent = search_toy(view, 600)
        assert 590 <= agent.playouts <= 600
        trees = tree_of(agent)
        rows = int((view["child"][0, 0] >= 0).sum())
        assert trees.visits[:rows, 0].sum() == agent.playouts
        for row in range(rows):
            for node in range(trees.size[row]):
                below = trees.visits[row, children(trees, row, node)].sum()
                assert below in (0, trees.visits[row, node] - 1)  # 0: an end


def test_search__credits_every_end_to_the_seats_it_pays() -> None:
    """A tree's sums are those of the ends it reached, by seat, all along the way."""
    view = toy_view(THREE)
    _, value, agent = search_toy(view, 400)
    trees = tree_of(agent)
    # The guide's own decision is row 0, and an end at once.
    np.testing.assert_allclose(trees.value[0, 0], trees.visits[0, 0] * np.array([0.5, 0.5, 0.0]))
    kind, unkind = (
        next(node for node in children(trees, 1, 0) if trees.action[1, node] == action)
        for action in (1, 0)
    )
    pays = {kind: np.array([0.9, 0.6, 0.0]), unkind: np.array([0.0, 0.1, 0.9])}
    for node, pay in pays.items():
        np.testing.assert_allclose(trees.value[1, node], trees.visits[1, node] * pay)
    assert trees.visits[1, kind] > 5 * trees.visits[1, unkind]  # seat 1 chooses for itself
    first = pays[unkind]  # beyond the tree the guide played
    below = trees.value[1, kind] + trees.value[1, unkind]
    np.testing.assert_allclose(trees.value[1, 0], below + first)
    assert value == pytest.approx(trees.value[1, 0, 0] / trees.visits[1, 0])


def test_search__doubt_keeps_it_to_the_guide() -> None:
    """Without doubt a better mean is enough; with much the guide's choice stands."""
    view = toy_view(GAMBLE)
    chosen = {
        doubt: {search_toy(view, 200, seed, doubt)[0] for seed in range(20)}
        for doubt in (0.0, 1.0, 100.0)
    }
    assert chosen == {0.0: {0, 1}, 1.0: {0, 1}, 100.0: {0}}
    better = toy_view((0, [(0.4,), (0.5,)], 0))  # no doubt about this one
    assert {search_toy(better, 200, seed, 100.0)[0] for seed in range(5)} == {1}


def test_search__compares_decisions_on_the_same_deals() -> None:
    """What a deal pays either way cancels out: a small gain shows at once through much chance."""
    swings = ((0.9,), (0.0,))
    better = ((0.95,), (0.05,))
    view = toy_view((0, [swings, better], 0))
    assert {search_toy(view, 20, seed, 3.0)[0] for seed in range(20)} == {1}


def test_search__view_of_a_small_game_is_left_alone() -> None:
    view = toy_view(GUESS)
    before = view.tobytes()
    search_toy(view)
    assert view.tobytes() == before


# --- strength -------------------------------------------------------------------------------------
@pytest.mark.slow
def test_search__beats_three_experts() -> None:
    """Some simulations on top of the expert's choices, on 6 deals in all seats."""
    game = JerusalemGame(4)
    challenger = searcher(game, 64, threads=1)
    result = evaluate(challenger, [make_agent("expert")], game, deals=6, seed=0)
    assert result.low > 0.25, result.table()
