"""The compiled engine of Ierusalem beside the plain reference, decision by decision to the end."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.ierusalem.random_rules import choose, other_data, random_ruleset
from tests.ierusalem.reference_engine import new_game
from tests.ierusalem.table import Table

LONGEST = 10_000  # decisions; then the engine truncates (A50)
# Every switch of VII.a away from its default, one by one.
SWITCHES: dict[str, dict[str, Any]] = {
    "box": {},
    "by_colour": {"apostle_columns": "by_colour"},
    "own": {"orange_scores": "own"},
    "symbols": {"symbols": ["lake"] * 3 + ["temple", "market", "temple"] + ["desert"] * 3},
    "first_player": {"first_player": 2},
    "data": {"data": other_data()},
}


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two positions differ: path, the reference's value, the engine's."""
    if isinstance(one, dict) and isinstance(other, dict) and set(one) == set(other):
        return [line for key in one for line in differences(one[key], other[key], f"{path}.{key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [line for i, (x, y) in pairs for line in differences(x, y, f"{path}[{i}]")]
    if type(one) is type(other) and one == other:
        return []
    return [f"{path.lstrip('.')}: reference {one!r}, engine {other!r}"]


def side_by_side(rules: dict[str, Any], seed: int, eager: bool) -> list[Counter[str]]:
    """Play a random game on both; how often each phase came and each kind of action was taken."""
    rng = random.Random(seed)
    reference, engine = new_game(seed, rules), Table.new("engine", rules, seed)
    phases: Counter[str] = Counter()
    words: Counter[str] = Counter()
    actions: list[str] = []
    while True:
        where = f"seed {seed}, decision {len(actions)}, after {actions[-6:]}, rules {_short(rules)}"
        mine = reference.position()
        wrong = differences(mine, engine.position())
        assert wrong == [], f"{where}:\n" + "\n".join(wrong)
        legal, theirs = reference.legal(), engine.legal()
        assert legal == theirs, (
            f"{where}: phase {mine['phase']}; reference alone {sorted(legal - theirs)}, "
            f"engine alone {sorted(theirs - legal)}"
        )
        assert reference.over == engine.over, where
        phases[mine["phase"]] += 1
        if reference.over:
            assert engine.ranks() == reference.ranks(), where
            return [phases, words]
        assert len(actions) < LONGEST, where
        action = choose(rng, legal, mine if eager else None)
        words[action.split()[0]] += 1
        reference.act(action)
        engine.act(action)
        actions.append(action)


def _short(rules: dict[str, Any]) -> dict[str, Any]:
    data = rules.get("data", "box")
    return {**rules, "data": data if data == "box" else "other_data()"}


@pytest.mark.parametrize("eager", [False, True], ids=["random", "eager"])
@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("players", [3, 4])
def test_engine__equals_reference_with_every_switch(
    players: int, switch: str, eager: bool
) -> None:
    side_by_side({"players": players, **SWITCHES[switch]}, 100 * players + eager, eager)


@pytest.mark.parametrize("seed", range(6))
def test_engine__equals_reference_under_random_rules(seed: int) -> None:
    side_by_side(random_ruleset(random.Random(seed)), seed, eager=seed % 2 == 0)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_engine__equals_reference_in_400_more_games(block: int) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        side_by_side(random_ruleset(random.Random(seed)), seed, eager=seed % 2 == 0)
