"""What the arena is for: the ladder's order, equal agents equal, more search not weaker."""

from __future__ import annotations

import numpy as np
import pytest

from agents.registry import make_agent
from agents.scripted.strategies import STRATEGIES
from agents.search.agent import SearchAgent
from jerusalem_env.jerusalem.game import JerusalemGame
from training.arena.blocks import join_results, number_of_blocks, play_block
from training.arena.playing import deal_by_deal
from training.arena.schedule import entrant_names, make_schedule
from training.arena.statistics import Summary, summarise
from training.evaluate import evaluate


def arena(names: list[str], players: int, form: str, deals: int, seed: int) -> Summary:
    """An arena without a folder."""
    game = JerusalemGame(players)
    agents = [make_agent(name, game) for name in names]
    schedule = make_schedule(form, len(names), players)
    parts = [
        play_block(game, agents, schedule, deals, seed, block, threads=2)[0]
        for block in range(number_of_blocks(schedule, deals))
    ]
    return summarise(join_results(parts), schedule, entrant_names(names), seed)


def test_table__finds_two_copies_of_an_agent_alike() -> None:
    """In one circular order one of them sits behind the weaker bot on every deal, and wins more."""
    names = ["expert", "random", "expert", "greedy"]
    table = arena(names, 4, "table", 120, seed=0)
    pair = next(c for c in table.comparisons if {c.one, c.other} == {"expert", "expert (2)"})
    assert pair.verdict == "not distinguishable"
    assert abs(pair.difference.value) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_expert__is_above_all_other_named_bots_in_mixed_company(players: int) -> None:
    names = [*STRATEGIES, "greedy"]
    form = "duel" if players == 2 else "round-robin"
    table = arena(names, players, form, 120, seed=3)
    verdicts = {
        c.other if c.one == "expert" else c.one: c.verdict
        for c in table.comparisons
        if "expert" in (c.one, c.other)
    }
    assert set(verdicts) == set(names) - {"expert"}
    for name, verdict in verdicts.items():
        first = names.index(name) < names.index("expert")
        assert verdict == ("below" if first else "above"), name


def test_called_agents__have_fresh_chance_on_every_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent whose chance comes from its view and seed would else open all deals alike."""
    game = JerusalemGame(2)
    agents = [make_agent("mcts:8", game), make_agent("greedy")]
    assert deal_by_deal(game, agents)
    assert not deal_by_deal(game, [make_agent("expert"), make_agent("random")])
    seeds: list[int] = []
    monkeypatch.setattr(SearchAgent, "reset", lambda self, seed: seeds.append(seed))
    monkeypatch.setattr(
        SearchAgent, "act", lambda self, views, masks: masks.argmax(axis=1).astype(np.int64)
    )
    play_block(game, agents, make_schedule("table", 2, 2), 5, 0, 0)
    assert len(seeds) == len(set(seeds)) == 5
    seeds.clear()
    evaluate(agents[0], [agents[1]], game, 5, seed=0)
    assert len(seeds) == len(set(seeds)) == 5


@pytest.mark.slow
def test_search__with_ten_times_the_simulations_is_stronger() -> None:
    game = JerusalemGame(4)
    result = evaluate(make_agent("mcts:80", game), [make_agent("mcts:8", game)], game, 8, seed=4)
    assert result.low > 0.25
