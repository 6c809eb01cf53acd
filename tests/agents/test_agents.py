"""Every agent: legal play from the view alone, seeds, masks; the greedy player's strength."""

from __future__ import annotations

import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces

from agents.base import Agent, AgentError, UnknownAgentError
from agents.greedy import GreedyAgent, GreedyParameters, stays
from agents.learned import PPOAgent, choose
from agents.random_agent import RandomAgent
from agents.registry import agent_names, make_agent
from agents.scripted.strategies import STRATEGIES
from jerusalem_env import RuleSet
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.board import AREAS, INCOME_PRESETS
from jerusalem_env.jerusalem.rules.events import ELECTION, SUCCESSION, WAR
from jerusalem_env.jerusalem.rules.ruleset import PRESETS, resolve_rules
from jerusalem_env.kernels import entry_kernel
from tests.pitfalls.equipment import fields_of
from training.evaluate import evaluate, play

SWITCHED = RuleSet(
    players=3,
    income="six_icons",
    influence_ignores_baron=True,
    election_all_sectors=True,
    move_card_may_leave_blocked=True,
    decline_income=True,
    war_may_hit_templars=False,
)
# A search has code of its own for each number of players, which takes long to compile.
SEARCH = pytest.param("mcts:8", marks=pytest.mark.slow)
NAMES = ("random", "greedy", "expert", "warden", SEARCH, "ppo")


pytestmark = pytest.mark.usefixtures("one_thread")


def tiny_model(game: JerusalemGame) -> object:
    """An untrained MaskablePPO for the game."""
    from sb3_contrib import MaskablePPO

    from jerusalem_env.envs.sb3 import SoloVecEnv

    settings = {"net_arch": [8]}
    return MaskablePPO("MlpPolicy", SoloVecEnv(game, 1), policy_kwargs=settings, n_steps=8, seed=0)


def agent_of(name: str, game: JerusalemGame) -> Agent:
    """A new agent of each kind that exists."""
    return PPOAgent(tiny_model(game), game) if name == "ppo" else make_agent(name, game)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rules", [RuleSet(players=2), SWITCHED, RuleSet(players=4)])
def test_agent__plays_legally_to_the_end(name: str, rules: RuleSet) -> None:
    game = JerusalemGame(rules=rules)
    agent = agent_of(name, game)
    assert isinstance(agent, Agent)
    seeds = game.derive_seeds(4, 12, 0)
    states = play(game, [agent], np.zeros((12, game.players), np.int64), seeds)
    assert game.terminated(states).all()


@pytest.mark.parametrize("income", sorted(INCOME_PRESETS))
@pytest.mark.parametrize("preset", sorted(PRESETS))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_agent__plays_every_rule_set_and_its_seed_reproduces(
    players: int, preset: str, income: str
) -> None:
    """``play`` refuses the first illegal choice; no game may run into the watchdog."""
    game = JerusalemGame(rules=replace(resolve_rules(preset, players), income=income))
    seeds = game.derive_seeds(1, 6, 0)
    who = np.arange(6 * players).reshape(6, players) % 2  # both kinds in all seats
    ends = []
    for seed in (3, 3, 4):
        states = play(game, [RandomAgent(), GreedyAgent()], who, seeds, agent_seed=seed)
        assert game.terminated(states).all()
        assert not game.truncated(states).any()
        ends.append(fields_of(states))
    assert ends[0] == ends[1]
    assert ends[0] != ends[2]


@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("name", ["greedy", "expert", SEARCH, "ppo"])
def test_agent__chooses_the_same_under_any_redeal(name: str, information: str) -> None:
    """P13: what a seat cannot see changes nothing."""
    game = JerusalemGame(players=4, information=information)  # type: ignore[arg-type]
    agent = agent_of(name, game)
    games = 8 if name.startswith("mcts") else 20  # it takes a hundred times as long to decide
    rng = np.random.default_rng(0)
    states, masks = game.new_states(games), np.zeros((games, 309), np.uint8)
    game.reset(states, game.derive_seeds(1, games, 0), masks)
    changed = 0
    for _ in range(150):
        views = game.views(states)
        before = views.tobytes()
        actions = agent.act(views, masks)
        assert views.tobytes() == before
        other = game.redeal(views, rng)
        changed += int((other["hand"] != game.turn_seats(states, 0)["hand"]).any())
        again = game.views(other, np.zeros(games, np.int64))
        np.testing.assert_array_equal(agent.act(again, masks), actions)
        alive = ~game.terminated(states)
        mixed = RandomAgent(3).act(views, masks) if alive.all() else actions
        game.step(states, np.where(rng.random(games) < 0.5, actions, mixed), masks)
        if game.terminated(states).any():
            break
    assert changed > 50


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy__reads_nothing_that_a_view_hides(players: int) -> None:
    """P13, stronger: with any full state in the place of its view it chooses the same.

    In a view hidden fields are -1, so a bot that reads them still repeats itself under a redeal.
    """
    game = JerusalemGame(players=players)
    agent, explorer, rng = GreedyAgent(), RandomAgent(3), np.random.default_rng(0)
    states, masks = game.new_states(32), np.zeros((32, 309), np.uint8)
    game.reset(states, game.derive_seeds(1, 32, 0), masks)
    compared = 0
    while not game.terminated(states).any():
        views = game.views(states)
        actions = agent.act(views, masks)
        full = game.redeal(views, rng)
        assert (full["hand"] >= 0).all()
        assert (full["silver"][:, 1:players] >= 0).all()
        np.testing.assert_array_equal(agent.act(full, masks), actions)
        compared += len(actions)
        strayed = np.where(rng.random(32) < 0.1, explorer.act(views, masks), actions)
        assert game.step(states, strayed, masks) == -1
    assert compared > 1000


def test_random__is_seeded() -> None:
    game = JerusalemGame(players=3)
    states, masks = game.new_states(50), np.zeros((50, 309), np.uint8)
    game.reset(states, game.derive_seeds(0, 50, 0), masks)
    views, agent = game.views(states), RandomAgent()
    agent.reset(5)
    first = agent.act(views, masks)
    agent.reset(5)
    np.testing.assert_array_equal(agent.act(views, masks), first)
    agent.reset(6)
    assert (agent.act(views, masks) != first).any()


@pytest.mark.parametrize("income", sorted(INCOME_PRESETS))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy__beats_random_players(players: int, income: str) -> None:
    game = JerusalemGame(rules=RuleSet(players=players, income=income))
    result = evaluate(GreedyAgent(), [RandomAgent()], game, deals=25, seed=0)
    assert result.win_rate >= 0.9


@pytest.mark.slow
def test_greedy__wins_nine_in_ten_against_three_random_players() -> None:
    """1,000 deals in all seats."""
    result = evaluate(GreedyAgent(), [RandomAgent()], JerusalemGame(), deals=1000, seed=1)
    assert result.games == 4000
    assert result.low >= 0.9


def test_greedy__parameters_matter() -> None:
    game = JerusalemGame()
    worse = GreedyAgent(GreedyParameters(placing=1e9, hire_worth=1e9, reinforce=0.0))
    result = evaluate(worse, [GreedyAgent()], game, deals=20, seed=0)
    assert result.high < 0.25


@entry_kernel
def _stays(view, area):  # type: ignore[no-untyped-def]
    return stays(view, area)


@pytest.mark.parametrize(
    ("event", "rules", "cleared"),
    [
        (SUCCESSION, RuleSet(), ("palace",)),
        (WAR, RuleSet(), ("templars",)),
        (ELECTION, RuleSet(), ("patriarchate", "nobility")),
        (
            ELECTION,
            RuleSet(election_all_sectors=True),  # D5
            ("palace", "templars", "patriarchate", "market", "nobility"),
        ),
        (WAR, RuleSet(rounds=2), ()),  # VII.a: no event after the last round
    ],
)
def test_greedy__knows_which_areas_an_event_clears(
    event: int, rules: RuleSet, cleared: tuple[str, ...]
) -> None:
    game = JerusalemGame(rules=rules)
    states, masks = game.new_states(1), np.zeros((1, 309), np.uint8)
    game.reset(states, game.derive_seeds(0, 1, 0), masks)
    states["round"], states["events"][0, 0] = 2, event
    view = game.views(states)[0]
    found = {name for area, name in enumerate(AREAS) if not _stays(view, area)}
    assert found == {name for name in AREAS if name.partition(".")[0] in cleared}


def test_registry__knows_its_agents_and_refuses_others(tmp_path: Path) -> None:
    names = ("random", "greedy", *STRATEGIES, "mcts:SIMULATIONS", "ppo:PATH")
    names += ("guided:SIMULATIONS", "rllib:PATH")
    assert agent_names() == names
    for name in ("nobody", "greedy:5", "expert:2", ""):
        with pytest.raises(UnknownAgentError, match=f"expected one of {', '.join(names)}"):
            make_agent(name)
    game = JerusalemGame()
    with pytest.raises(AgentError, match="cannot load"):
        make_agent(f"ppo:{tmp_path / 'missing.zip'}", game)
    with pytest.raises(AgentError, match="cannot load"):
        make_agent(f"ppo:{tmp_path}", game)


@pytest.mark.parametrize("damage", ["text", "cut", "other zip", "data", "policy.pth"])
def test_registry__refuses_a_damaged_checkpoint(tmp_path: Path, damage: str) -> None:
    game = JerusalemGame(players=2)
    whole, broken = tmp_path / "whole.zip", tmp_path / "broken.zip"
    tiny_model(game).save(whole)  # type: ignore[attr-defined]
    make_agent(f"ppo:{whole}", game)
    if damage == "text":
        broken.write_text("not a checkpoint")
    elif damage == "cut":
        broken.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    else:
        with zipfile.ZipFile(whole) as source, zipfile.ZipFile(broken, "w") as target:
            for name in source.namelist() if damage != "other zip" else ["nothing"]:
                kept = name not in (damage, "nothing")
                target.writestr(name, source.read(name) if kept else b"garbage")
    with pytest.raises(AgentError, match="cannot load the checkpoint"):
        make_agent(f"ppo:{broken}", game)


def test_registry__says_when_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)  # as if not installed
    with pytest.raises(AgentError, match=r"jerusalem-env\[train\]"):
        make_agent("ppo:agent.zip", JerusalemGame())


def test_learned__refuses_another_observation_and_missing_masks(tmp_path: Path) -> None:
    """P8."""
    game = JerusalemGame(players=3)
    model = tiny_model(game)
    model.save(tmp_path / "agent.zip")  # type: ignore[attr-defined]
    agent = make_agent(f"ppo:{tmp_path / 'agent.zip'}", game)
    with pytest.raises(AgentError, match="trained on"):
        make_agent(f"ppo:{tmp_path / 'agent.zip'}", JerusalemGame(players=4))
    states, masks = game.new_states(2), np.zeros((2, 309), np.uint8)
    game.reset(states, game.derive_seeds(0, 2, 0), masks)
    views = game.views(states)
    for player in (agent, GreedyAgent(), RandomAgent()):
        with pytest.raises(AgentError, match="masks"):
            player.act(views, None)  # type: ignore[arg-type]
        with pytest.raises(AgentError, match="shape"):
            player.act(views, masks[:1])
        with pytest.raises(AgentError, match="row 1"):
            player.act(views, masks * np.array([[1], [0]], np.uint8))


@pytest.mark.parametrize("sampled", [False, True])
def test_learned__never_chooses_an_illegal_action(sampled: bool) -> None:
    """P3: extreme logits give a legal action, NaN an error."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        legal = rng.random((16, 309)) < rng.choice([0.01, 0.5])
        legal[np.arange(16), rng.integers(0, 309, 16)] = True
        scale = rng.choice([1.0, 1e9, np.inf])
        logits = np.where(rng.random((16, 309)) < 0.5, -1.0, 1.0) * scale
        draws = rng.choice([0.0, 0.5, 1.0 - 2**-53], 16) if sampled else None
        actions = choose(logits, legal, draws)
        assert legal[np.arange(16), actions].all()
    logits[0, np.flatnonzero(legal[0])[0]] = np.nan
    with pytest.raises(AgentError, match="NaN"):
        choose(logits, legal, draws)


@pytest.mark.parametrize("deterministic", [True, False])
def test_learned__is_legal_with_an_extreme_network_and_refuses_nan(deterministic: bool) -> None:
    """P3, through the network itself: the illegal actions get the highest logits."""
    import torch

    game = JerusalemGame(players=3)
    agent = PPOAgent(tiny_model(game), game, deterministic)  # type: ignore[arg-type]
    states, masks = game.new_states(64), np.zeros((64, 309), np.uint8)
    game.reset(states, game.derive_seeds(0, 64, 0), masks)
    rows, views = np.arange(64), game.views(states)
    for high in (1e9, -1e9):
        with torch.no_grad():
            bias = np.where(masks[0] != 0, -high, high)
            agent.model.policy.action_net.bias.copy_(torch.as_tensor(bias))
        assert (masks[rows, agent.act(views, masks)] == 1).all()
    with torch.no_grad():
        agent.model.policy.action_net.bias.fill_(float("nan"))
    with pytest.raises(AgentError, match="NaN"):
        agent.act(views, masks)


def test_learned__sampling_is_seeded() -> None:
    game = JerusalemGame(players=2)
    agent = PPOAgent(tiny_model(game), game, deterministic=False)  # type: ignore[arg-type]
    states, masks = game.new_states(64), np.zeros((64, 309), np.uint8)
    game.reset(states, game.derive_seeds(0, 64, 0), masks)
    views, chosen = game.views(states), []
    for seed in (1, 1, 2):
        agent.reset(seed)
        chosen.append(agent.act(views, masks).tolist())
    assert chosen[0] == chosen[1] != chosen[2]


def test_learned__draws_from_the_policy() -> None:
    logits = np.log(np.array([[0.2, 0.0001, 0.5, 0.3]]))
    legal = np.array([[True, False, True, True]])
    draws = (np.arange(1000) + 0.5) / 1000
    actions = choose(np.repeat(logits, 1000, 0), np.repeat(legal, 1000, 0), draws)
    np.testing.assert_allclose(np.bincount(actions, minlength=4), [200, 0, 500, 300], atol=2)


def test_learned__model_spaces_are_those_of_the_game() -> None:
    game = JerusalemGame(players=2)
    model = tiny_model(game)
    assert isinstance(model.action_space, spaces.Discrete)  # type: ignore[attr-defined]
    assert PPOAgent(model, game).logits(np.zeros((3, game.observation_size), np.float32)).shape == (  # type: ignore[arg-type]
        3,
        309,
    )
