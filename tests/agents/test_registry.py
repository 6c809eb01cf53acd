"""Agents by name belong to games; those that know no rules play any game."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from agents.base import AgentError, UnknownAgentError
from agents.registry import (
    Kind,
    agent_names,
    bot_names,
    make_agent,
    register_agents,
    standard_policies,
    suggested_agents,
    usual_agent,
)
from agents.search.agent import SearchAgent
from agents.search.uniform import choose_uniform, propose_all, uniform_guide
from jerusalem_env.bits import new_words, pack_rows
from jerusalem_env.envs.opponents import suggested_opponents, usual_opponent
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.kernels import entry_kernel
from jerusalem_env.policies import UNIFORM
from tests.shared_wins import GAME, Always, SharedGame, registered
from training.toys.nim import NimGame

ANY_GAME = ("random", "mcts:SIMULATIONS", "ppo:PATH", "guided:SIMULATIONS", "rllib:PATH")


@pytest.fixture
def bots() -> Iterator[None]:
    """The toy game has bots of its own."""
    with registered():
        yield


class Bare(JerusalemGame):
    """A game with kernels for search and without any agents of its own."""

    name = "bare_v0"


def test_names__of_a_game_without_bots_are_those_that_play_any() -> None:
    assert agent_names("nim_v0") == ANY_GAME
    assert bot_names("nim_v0") == ("random",)
    assert suggested_agents("nim_v0") == ("random", "mcts:500")
    assert usual_agent("nim_v0") == "random"
    assert standard_policies("nim_v0") == (UNIFORM,)
    assert agent_names("no name of a module") == ANY_GAME
    with pytest.raises(UnknownAgentError, match=r"unknown agent 'greedy' of nim_v0; .* random, mc"):
        make_agent("greedy", NimGame())


def test_names__are_a_games_own(bots: None) -> None:
    game = SharedGame()
    assert agent_names(GAME) == ("random", "greedy", "number:NUMBER", *ANY_GAME[1:])
    assert bot_names(GAME) == ("random", "greedy")
    assert make_agent("greedy", game).name == "always2"
    assert make_agent("number:1", game).name == "always1"
    assert make_agent("greedy", JerusalemGame(2)).name == make_agent("greedy").name == "greedy"
    with pytest.raises(UnknownAgentError, match=f"unknown agent 'expert' of {GAME}"):
        make_agent("expert", game)
    with pytest.raises(UnknownAgentError, match="unknown agent 'number:1' of jerusalem_v0"):
        make_agent("number:1")


def test_names__of_the_first_game() -> None:
    assert agent_names() == agent_names("jerusalem_v0")
    assert usual_agent() == "expert"
    assert suggested_agents()[:5] == ("expert", "ppo", "mcts:500", "guided:100", "greedy")
    assert suggested_agents()[-1] == "random"
    assert [policy.name for policy in standard_policies()] == ["random", "greedy", "expert"]


def test_environments__ask_for_them(bots: None) -> None:
    assert usual_opponent("jerusalem_v0") == "expert"
    assert usual_opponent(GAME) == "greedy"
    assert usual_opponent("nim_v0") == "random"
    assert suggested_opponents(GAME) == suggested_agents(GAME) == ("greedy", "mcts:500", "random")


def test_register__refuses_what_cannot_be(bots: None) -> None:
    kind = Kind(lambda argument, game: Always(0))
    with pytest.raises(ValueError, match=f"agents of '{GAME}' are registered already"):
        register_agents(GAME, {})
    with pytest.raises(ValueError, match="'mcts' plays any game"):
        register_agents("other_v0", {"mcts": kind})
    with pytest.raises(ValueError, match=r"usual must be one of zero, random, .* got 'expert'"):
        register_agents("other_v0", {"zero": kind}, usual="expert")


def test_learned__of_another_game_is_not_shipped() -> None:
    with pytest.raises(AgentError, match="no checkpoint is shipped for nim_v0 with 2 players"):
        make_agent("ppo", NimGame())
    with pytest.raises(AgentError, match="nim_v0 gives no simulation"):
        make_agent("mcts:10", NimGame())


# --- searching without a guide ------------------------------------------------------------------
def decisions(game: JerusalemGame, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Views and masks of the first decisions of games."""
    states = game.new_states(count)
    masks = np.zeros((count, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(5, count, 0), masks)
    return game.views(states), masks


@pytest.mark.slow
def test_search__without_a_guide_is_legal_and_repeats_itself() -> None:
    game = Bare(2)
    views, masks = decisions(game, 4)
    agent = make_agent("mcts:64", game)
    assert isinstance(agent, SearchAgent)
    chosen = agent.act(views, masks)
    assert masks[np.arange(4), chosen].all()
    assert ((agent.values > 0) & (agent.values < 1)).all()
    for rows in ([3, 1], [0, 1, 2, 3]):  # neither the batch nor earlier calls matter
        assert make_agent("mcts:64", game).act(views[rows], masks[rows]).tolist() == [
            chosen[row] for row in rows
        ]
    agent.reset(1)
    assert agent.act(views, masks).shape == (4,)


@entry_kernel(cached=False)
def ask_guide(words, parameters, proposed, ranks, notes, chosen):  # type: ignore[no-untyped-def]
    """Proposals of one packed mask, their number, and as many choices as there is room for."""
    for index in range(chosen.shape[0]):
        chosen[index] = choose_uniform(0, 0, words, parameters, notes)[0]
    return propose_all(0, 0, words, parameters, proposed, ranks)


def test_uniform_guide__proposes_every_legal_action_and_plays_all_of_them() -> None:
    game = Bare(2)
    guide = uniform_guide(game)
    masks = np.zeros((1, game.num_actions), dtype=np.uint8)
    legal = np.array([0, 1, 63, 64, 200, 308])
    masks[0, legal] = 1
    words = new_words(1, game.num_actions)
    pack_rows(masks, words)
    proposed, chosen = np.zeros(guide.most, np.int64), np.zeros(3000, np.int64)
    notes = np.array([float(2**53 - 1)])
    count = ask_guide(words[0], guide.parameters, proposed, np.zeros(guide.most), notes, chosen)
    assert count == len(legal)
    assert sorted(proposed[:count].tolist()) == legal.tolist() != proposed[:count].tolist()
    counts = np.bincount(chosen, minlength=game.num_actions)
    assert counts[legal].sum() == 3000
    assert (np.abs(counts[legal] - 500) < 6 * np.sqrt(500)).all()
