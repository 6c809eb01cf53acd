"""The compiled engine beside the plain reference, step by step to the end of random games."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.random_play import PRESETS, choose, crowded_position, random_ruleset
from tests.reference_engine import CARDS, INCOME_PRESETS, PHASES, Reference
from tests.table import Table

PLAYERS = (2, 3, 4)
LONGEST = 10_000  # decisions; a game that goes on is a fault


def _side_by_side(table: Table, rng: random.Random) -> list[str]:
    """Play random legal actions on the engine and the reference; the actions played."""
    reference = Reference(table.position())
    by_verb = rng.random() < 0.8
    actions: list[str] = []
    assert reference.position() == table.position()
    while not reference.over:
        assert table.to_act == reference.to_act
        legal = reference.legal()
        assert table.legal() == legal, f"after {actions[-5:]}"
        action = choose(rng, legal, by_verb)
        reference.step(action)
        table.game.step(action)
        actions.append(action)
        assert table.position() == reference.position(), f"after {actions[-5:]}"
        assert len(actions) < LONGEST
    assert table.to_act is None
    assert table.legal() == []
    return actions


def _whole_game(seed: int) -> list[str]:
    """A game from the set-up under random rules."""
    rng = random.Random(seed)
    return _side_by_side(Table.new("engine", random_ruleset(rng), seed), rng)


def _crowded_game(seed: int) -> list[str]:
    """A game from a crowded position under random rules, to its end."""
    rng = random.Random(1_000_000 + seed)
    return _side_by_side(Table.engine(crowded_position(rng, random_ruleset(rng))), rng)


@pytest.mark.parametrize("income", sorted(INCOME_PRESETS))
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("players", PLAYERS)
def test_engine__equals_reference_in_every_preset(players: int, preset: str, income: str) -> None:
    rng = random.Random(f"{players} {preset} {income}")
    rules = {"players": players, "income": income, **PRESETS[preset]}
    _side_by_side(Table.new("engine", rules, rng.randrange(2**32)), rng)


@pytest.mark.parametrize("seed", range(20))
def test_engine__equals_reference_under_random_rules(seed: int) -> None:
    _whole_game(seed)


@pytest.mark.parametrize("seed", range(20))
def test_engine__equals_reference_from_crowded_positions(seed: int) -> None:
    _crowded_game(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_engine__equals_reference_in_400_more_games(block: int) -> None:
    for seed in range(1000 + 10 * block, 1010 + 10 * block):
        _whole_game(seed)
        _crowded_game(seed)


def test_random_play__reaches_everything() -> None:
    """Games like those above meet every phase, play every card, and use every kind of action."""
    met: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        rules = random_ruleset(rng)
        game = Reference(Table.new("reference", rules, seed).position())
        if seed % 3 == 0:
            game = Reference(crowded_position(rng, rules))
        while not game.over:
            action = choose(rng, game.legal())
            words = action.split()
            met.update([game.state["phase"], action if words[0] == "play" else words[0]])
            game.step(action)
    wanted = set(PHASES) - {"over"} | {f"play {card}" for card in CARDS}
    wanted |= {"pass", "open", "bid", "draft", "place", "baron", "hire", "dismiss", "marshal"}
    wanted |= {"lift", "drop", "take", "target", "buy", "steal", "keep", "decline"}
    assert not wanted - set(met)
