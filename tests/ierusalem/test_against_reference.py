"""The compiled engine of Ierusalem beside the plain reference, decision by decision to the end."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.golden.rewrite import PLAYTHROUGHS, ierusalem_summary, path_of, seed_of
from tests.ierusalem.random_rules import choose, crowded_position, other_data, random_ruleset
from tests.ierusalem.reference_box import data_of
from tests.ierusalem.reference_engine import ReferenceGame, new_game
from tests.ierusalem.table import Table

LONGEST = 10_000  # decisions; then the engine truncates (A50)
PHASES = (
    *("settle", "play", "column", "illuminate", "orange", "market", "temple", "supper", "from"),
    *("offering", "call", "draw", "favor", "give", "change", "change_to", "swap", "swap_with"),
    *("redistribute", "arrange", "visit", "apostle", "seat", "purchase", "excess", "overflow"),
)
WORDS = (
    *("pass", "column", "illuminate", "follower", "from", "displace", "space", "lift", "offering"),
    *("draw", "sell", "buy", "favor", "give", "visit", "apostle", "seat", "rearrange", "discard"),
)
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


def side_by_side(rules: dict[str, Any], seed: int, eager: bool, crowded: bool = False) -> None:
    """Play a random game on both, from its beginning or from a crowded position."""
    rng = random.Random(seed)
    if crowded:
        start = crowded_position(rng, rules)
        reference, engine = ReferenceGame(start), Table.at("engine", start)
    else:
        reference, engine = new_game(seed, rules), Table.new("engine", rules, seed)
    actions: list[str] = []
    while True:
        where = f"seed {seed}, decision {len(actions)}, after {actions[-6:]}, rules {_short(rules)}"
        mine, theirs = reference.state, engine.position()
        if repr(mine) != repr(theirs):  # tells True from 1, and is quick
            wrong = differences(mine, theirs)
            assert wrong == [], f"{where}:\n" + "\n".join(wrong)
        legal, offered = reference.legal(), engine.legal()
        assert legal == offered, (
            f"{where}: phase {mine['phase']}; reference alone {sorted(legal - offered)}, "
            f"engine alone {sorted(offered - legal)}"
        )
        assert reference.over == engine.over, where
        if reference.over:
            assert engine.ranks() == reference.ranks(), where
            return
        assert len(actions) < LONGEST, where
        action = choose(rng, legal, mine if eager else None)
        if len(actions) % 17 == 16:  # the middle of any sub-flow can be written and read
            engine = Table.at("engine", reference.position())
        reference.act(action)
        engine.act(action)
        actions.append(action)


def _short(rules: dict[str, Any]) -> dict[str, Any]:
    data = rules.get("data", "box")
    return {**rules, "data": data if data == "box" else "other_data()"}


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("players", [3, 4])
def test_engine__equals_reference_with_every_switch(players: int, switch: str) -> None:
    seed = 10 * players + list(SWITCHES).index(switch)
    side_by_side({"players": players, **SWITCHES[switch]}, seed, eager=seed % 2 == 0)


@pytest.mark.parametrize("seed", range(4))
def test_engine__equals_reference_under_random_rules(seed: int) -> None:
    side_by_side(random_ruleset(random.Random(seed)), seed, eager=seed % 2 == 0)


@pytest.mark.parametrize("seed", range(8))
def test_engine__equals_reference_from_crowded_positions(seed: int) -> None:
    side_by_side(random_ruleset(random.Random(seed)), seed, seed % 2 == 0, crowded=True)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_engine__equals_reference_in_200_more_games(block: int) -> None:
    for seed in range(1000 + 20 * block, 1020 + 20 * block):
        rules = random_ruleset(random.Random(seed))
        side_by_side(rules, seed, eager=seed % 2 == 0, crowded=seed % 4 >= 2)


def test_random_play__reaches_everything() -> None:
    """Games like those above meet every phase, play every card and use every kind of action."""
    met: Counter[str] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        rules = {**random_ruleset(rng), "data": "box"}
        game = ReferenceGame(crowded_position(rng, rules)) if seed % 2 else new_game(seed, rules)
        while not game.over:
            action = choose(rng, game.legal(), game.state if seed % 4 < 2 else None)
            words, phase = action.split(), game.state["phase"]
            met.update([phase, action if words[0] == "card" else words[0]])
            if words[0] == "visit" and not game.state["apostles"][int(action[-1]) - 1]:
                met["visit to an empty column"] += 1
            game.act(action)
        met["all Apostles seated"] += None not in game.state["seats"].values()
        met["reshuffles"] += sum(game.state["shuffles"])
    wanted = set(PHASES) | {f"card {kind}" for kind in data_of("box").kinds} | set(WORDS)
    wanted |= {"visit to an empty column", "all Apostles seated", "reshuffles"}
    assert not wanted - set(met)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "turns", "decisions", "points"), [(3, 24.7, 397, 72.7), (4, 19.3, 415, 56.6)]
)
def test_reference__plays_as_the_rules_simulated(
    players: int, turns: float, decisions: float, points: float
) -> None:
    """Uniformly random play gives the means of V.c, which another program had."""
    found: Counter[str] = Counter()
    games = 200
    for seed in range(games):
        rng, game = random.Random(seed), new_game(seed, {"players": players})
        while not game.over:
            game.act(choose(rng, game.legal()))
            found["decisions"] += 1
        found["turns"] += game.state["turns"]
        found["points"] += sum(game.state["points"])
    assert found["turns"] / games / players == pytest.approx(turns, rel=0.03)
    assert found["decisions"] / games == pytest.approx(decisions, rel=0.03)
    assert found["points"] / games / players == pytest.approx(points, rel=0.04)


@pytest.mark.parametrize("name", PLAYTHROUGHS["ierusalem_v0"])
def test_reference__plays_the_golden_games(name: str) -> None:
    """What the files say was not only so when the engine wrote them: it is right."""
    game = new_game(seed_of(name), PLAYTHROUGHS["ierusalem_v0"][name])
    told = 0
    for line in path_of(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("  = "):
            assert ierusalem_summary(game.position()) == line
            told += 1
        elif line[:4].strip().isdigit():
            before = game.position()
            assert f"{before['to_act']} {before['phase']:<12} " == line[5:20]
            game.act(line[20:])
    assert game.over
    assert told > 10
