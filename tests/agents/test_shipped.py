"""The agents that come with the package."""

from __future__ import annotations

import json

import numpy as np
import pytest

from agents.base import AgentError
from agents.registry import CHECKPOINTS, make_agent, shipped_checkpoint
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from training.evaluate import evaluate

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_shipped__beats_copies_of_the_expert(players):
    """A small sample of what its card says; chance is 1 in the number of players."""
    game = JerusalemGame(players)
    result = evaluate(make_agent("ppo", game), [make_agent("expert")], game, deals=25, seed=9)
    assert result.low > 0.5


@pytest.mark.slow
def test_shipped__of_the_second_game_is_far_above_chance_against_greedy():
    game = IerusalemGame(4)
    result = evaluate(make_agent("ppo", game), [make_agent("greedy", game)], game, deals=60, seed=9)
    assert result.low > 0.3


SHIPPED = (*(JerusalemGame(players) for players in (2, 3, 4)), IerusalemGame(4))


@pytest.mark.parametrize("game", SHIPPED, ids=lambda game: f"{game.name}_{game.players}p")
def test_card__is_of_the_checkpoint_and_of_what_it_plays(game):
    path = shipped_checkpoint(game)
    card = json.loads(path.with_suffix(".json").read_text())
    assert card["game"] == {"name": game.name, **game.rules_dict()}
    assert card["information"] == "screen"
    assert card["decisions"] == make_agent("ppo", game).model.num_timesteps
    text = path.with_suffix(".md").read_text()
    for result in card["evaluation"]:
        assert result["deals"] >= 2_000
        assert f"{result['win_rate']:.1%}" in text
        assert f"{result['low']:.1%} to {result['high']:.1%}" in text


def test_shipped__are_small_and_all_tested():
    assert sum(path.stat().st_size for path in CHECKPOINTS.iterdir()) < 6_000_000
    names = {f"{game.name}_{game.players}p" for game in SHIPPED}
    assert {path.stem for path in CHECKPOINTS.iterdir()} == names


def test_shipped__plays_other_rule_sets_legally():
    game = JerusalemGame(rules=RuleSet(players=3, income="six_icons", decline_income=True))
    states, masks = game.new_states(8), np.zeros((8, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(1, 8, 0), masks)
    agent = make_agent("ppo", game)
    for _ in range(200):
        actions = agent.act(game.views(states), masks)
        assert masks[np.arange(8), actions].all()
        game.step(states, actions, masks)


def test_shipped__of_another_information_mode_is_told():
    with pytest.raises(AgentError, match="information"):
        make_agent("ppo", JerusalemGame(4, information="recall"))
