"""Columns of states: what they say is what the position says, in a form that never changes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from jerusalem_env.jerusalem.columns import column_meanings
from jerusalem_env.jerusalem.engine.control import controller
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.render.text import render_text
from jerusalem_env.jerusalem.rules.board import AREAS, areas_in_play
from jerusalem_env.jerusalem.rules.cards import CARDS
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from jerusalem_env.jerusalem.words import narrate
from tests.random_play import choose, crowded_position, random_ruleset
from tests.record.equipment import env_of


def played_states(game: JerusalemGame, games: int, seed: int) -> np.ndarray:
    """The states at every decision of games between random players, and their ends."""
    states = game.new_states(games)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(seed, games, 0), masks)
    agent, found = RandomAgent(seed), [states.copy()]
    while masks.any():
        running = np.flatnonzero(masks.any(axis=1))
        actions = np.zeros(games, dtype=np.int64)
        actions[running] = agent.act(game.views(states[running]), masks[running])
        game.step(states, actions, masks)
        found.append(states[running].copy())
    return np.concatenate(found)


def varied_states(players: int, count: int) -> np.ndarray:
    """States of all phases: crowded turns under any rules, played on for a while, by verbs."""
    rng = random.Random(players)
    found = []
    for _ in range(count):
        rules = random_ruleset(rng, players)
        game = JerusalemGame(rules=RuleSet.from_dict(rules), skip_forced=rng.random() < 0.5)
        states = game.read_position(crowded_position(rng, rules))
        masks = np.zeros((1, game.num_actions), dtype=np.uint8)
        game.legal(states, masks)
        for _ in range(rng.randrange(40)):
            legal = [game.action_names[action] for action in np.flatnonzero(masks[0])]
            if legal:
                action = game.action_names.index(choose(rng, legal))
                game.step(states, np.array([action]), masks)
        found.append(states)
    return np.concatenate(found)


def expected_columns(position: dict[str, Any]) -> dict[str, Any]:
    """The columns that a position spells out; control is tested apart."""
    p, auction, turn = position, position["auction"], position["turn"]
    number = p["round"]
    pending = p["pending"]
    found: dict[str, Any] = {
        "round": number,
        "phase": p["phase"],
        "event": p["events"][number - 2] if 2 <= number < p["ruleset"]["rounds"] else "",
        **{f"event_of_round_{2 + slot}": event for slot, event in enumerate(p["events"])},
        "opener": auction["opener"],
        "auction_office": auction["office"] or "",
        "bid": -1 if auction["bid"] is None else auction["bid"],
        "bidder": -1 if auction["bidder"] is None else auction["bidder"],
        "baron_used": turn["baron_used"],
        "hired": turn["hired"],
        "genoa": turn["genoa"],
        "marshal_used": turn["marshal_used"],
        "source": pending.get("source", ""),
        "lifted_from": pending.get("from") or "",
        "pile_size": len(p["pile"]),
        **{f"pool_{card}": p["draft_pool"].count(card) for card in CARDS},
        **{f"discards_{card}": p["discards"].count(card) for card in CARDS},
    }
    if "left" in pending:
        found["left"] = pending["left"]
    for seat in range(p["ruleset"]["players"]):
        found |= {
            f"office_{seat}": p["offices"][seat] or "",
            f"last_office_{seat}": p["last_offices"][seat] or "",
            **{
                f"{name}_{seat}": p[name][seat]
                for name in ("floors", "prestige", "silver", "squires")
            },
            f"hand_size_{seat}": len(p["hands"][seat]),
            f"passed_{seat}": auction["passed"][seat],
            f"baron_{seat}": p["barons"][seat] or "",
            f"on_board_{seat}": sum(counts[seat] for counts in p["board"].values()),
            **{f"hand_{card}_{seat}": p["hands"][seat].count(card) for card in CARDS},
            **{f"board_{area}_{seat}": counts[seat] for area, counts in p["board"].items()},
        }
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_columns__are_what_the_position_says(players: int) -> None:
    game = JerusalemGame(players)
    states = np.concatenate([played_states(game, 3, seed=players)[::3], varied_states(players, 80)])
    found = game.columns(states)
    assert len({str(phase) for phase in found["phase"]}) > 12
    told = {name for name in found if not name.startswith(("control_", "areas_"))}
    for place in range(len(states)):
        expected = expected_columns(game.write_position(states[place]))
        assert expected.keys() | {"left", "decisions"} == told
        assert {name: found[name][place].item() for name in expected} == expected
    np.testing.assert_array_equal(found["decisions"], states["decisions"])


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
def test_columns__the_event_is_the_one_that_is_told(rounds: int) -> None:
    """On the board and when its round begins: so none in the last, however many there are."""
    rng = random.Random(rounds)
    game = JerusalemGame(rules=RuleSet(players=2, rounds=rounds))
    env = env_of(game)
    env.reset(seed=rounds)
    before, carried_out = env.states.copy(), set()
    while not game.terminated(before)[0]:
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        action = rng.choice(legal.tolist())
        env.step(action)
        after = env.states.copy()
        number, event = int(after["round"][0]), str(game.columns(after)["event"][0])
        headline = render_text(after[0]).splitlines()[0]
        assert headline.startswith(f"Round {number} of {rounds}   event: {event or 'none'}   ")
        if number > before["round"][0]:
            lies = f": {event} lies over it" if event else ""
            assert narrate(before[0], action, after[0])[-1] == f"Round {number} begins{lies}"
        carried_out |= {number} if event else set()
        before = after
    assert carried_out == set(range(2, rounds))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_columns__control_is_the_engines(players: int) -> None:
    game = JerusalemGame(players)
    states = np.concatenate([played_states(game, 2, seed=9)[::5], varied_states(players, 60)])
    found = game.columns(states)
    settled = 0
    for place, record in enumerate(states.view(np.recarray)):
        board = states["board"][place, :players]
        held = bool((states["office"][place, :players] >= 0).all())
        holders = []
        for area in areas_in_play(players):
            holder = int(found[f"control_{AREAS[area]}"][place])
            most = np.flatnonzero(board[:, area] == board[:, area].max())
            if held:
                assert holder == controller.py_func(record, area)
                settled += holder >= 0
            else:  # offices are open: a tie is nobody's, and what is empty too
                single = len(most) == 1 and board[most[0], area] > 0
                assert holder == (most[0] if single else -1)
            holders.append(holder)
        assert [found[f"areas_{seat}"][place] for seat in range(players)] == [
            holders.count(seat) for seat in range(players)
        ]
    assert settled > 200


@pytest.mark.parametrize("players", [2, 3, 4])
def test_columns__have_one_form_whatever_the_states(players: int) -> None:
    game = JerusalemGame(players)
    states = varied_states(players, 10)
    forms = [
        {name: values.dtype for name, values in game.columns(some).items()}
        for some in (states, states[:1], states[:0], game.new_states(3))
    ]
    assert all(form == forms[0] and list(form) == list(forms[0]) for form in forms)
    assert {dtype.kind for dtype in forms[0].values()} == set("ibU")
    assert list(column_meanings(players)) == list(forms[0])
    assert all(column_meanings(players).values())
    assert all(values.shape == (10,) for values in game.columns(states).values())


def test_columns__are_the_callers() -> None:
    """Fresh arrays: neither does writing to them change a state, nor the other way round (P19)."""
    game = JerusalemGame()
    states = varied_states(4, 3)
    before, found = states.copy(), game.columns(states)
    kept = {name: values.copy() for name, values in found.items()}
    for values in found.values():
        assert not np.shares_memory(values, states)
    states["silver"] += 1
    states["board"] += 1
    for name, values in kept.items():
        np.testing.assert_array_equal(found[name], values)
    for values in found.values():
        values[:] = values[::-1].copy()
    states["silver"] -= 1
    states["board"] -= 1
    assert (states == before).all()
