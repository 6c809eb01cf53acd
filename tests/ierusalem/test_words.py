"""What happens in Ierusalem in words: true, complete as far as it may be told, else silent."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from jerusalem_env.ierusalem.actions import PHASES
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.pieces import pieces
from jerusalem_env.ierusalem.words import (
    _DECISIONS,
    _PASSES,
    _VERBS,
    describe_decision,
    may_take_back,
    narrate,
)
from tests.ierusalem.playing import played, redealt
from tests.ierusalem.positions import at

UNITS = ("Denari(?:us|i)", "stone", "bread", "fish", "points?")


def steps(players: int = 4, **kind: Any) -> Iterator[tuple[np.void, int, np.void]]:
    _, states, actions = played(players, **kind)
    for number, action in enumerate(actions):
        yield states[number], action, states[number + 1]


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("players", [3, 4])
def test_pieces__lead_to_the_next_decision(players: int, skip_forced: bool) -> None:
    forced = 0
    for before, action, after in steps(players, skip_forced=skip_forced):
        found = list(pieces(before, action, after))
        assert found[0].action == action
        assert found[0].before == before
        assert found[-1].after == after
        assert all(one.after == two.before for one, two in itertools.pairwise(found))
        forced += sum(piece.action >= 0 for piece in found) - 1
    assert (forced > 0) == skip_forced


@pytest.mark.parametrize("data", ["box", "other"])
@pytest.mark.parametrize("players", [3, 4])
def test_narrate__the_first_line_is_the_action_of_who_decided(players: int, data: str) -> None:
    for before, action, after in steps(players, data=data):
        actor = int(before["to_act"])
        for seat in (None, actor, (actor + 1) % players):
            lines = narrate(before, action, after, seat)
            assert lines[0].startswith("You " if seat == actor else f"P{actor} "), lines
            for line in lines:
                assert "{" not in line
                assert line == line.strip() != ""


def test_narrate__every_kind_of_action_is_told() -> None:
    game = played().game
    told = set()
    for players in (3, 4):
        for seed in (1, 2, 3):
            for before, action, _ in steps(players, seed=seed):
                kind = next(b.kind for b in reversed(game.action_blocks) if b.start <= action)
                phase = PHASES[before["phase"]]
                told.add(f"pass {phase}" if kind == "pass" else kind)
    assert set(_VERBS) >= {x for x in told if not x.startswith("pass")}
    assert len(told & set(_VERBS)) >= 18
    assert {x[5:] for x in told if x.startswith("pass")} <= set(_PASSES)
    assert set(_DECISIONS) == set(PHASES) - {"over"}


def told_amounts(lines: list[str], action: str, actor: int, players: int) -> np.ndarray:
    """(n, 5) Denarii, stone, bread, fish, points: the sum of all that lines tell of seats."""
    total = np.zeros((players, len(UNITS)), int)
    for line in lines:
        for part in re.split(r"[;:] ", line):
            found = re.match(r"P(\d) ([+−].*)", part)
            seat = int(found[1]) if found else -1
            if found is None and re.match(r"P\d: [+−]", line):
                seat = int(line[1])
            for number, unit in re.findall(r"([+−]\d+) (\w+)", part):
                place = next(k for k, x in enumerate(UNITS) if re.fullmatch(x, unit))
                total[seat, place] += int(number.replace("−", "-"))
        for seat, number in re.findall(r"P(\d) ([+−]\d+)(?:;|$)", line):  # the final count
            total[int(seat), 4] += int(number.replace("−", "-"))
    kind, _, what = action.partition(" ")
    if kind in ("sell", "buy", "discard"):
        total[actor, ["stone", "bread", "fish"].index(what) + 1] += 1 if kind == "buy" else -1
    return total


@pytest.mark.parametrize("data", ["box", "other"])
@pytest.mark.parametrize("players", [3, 4])
def test_narrate__amounts_add_up(players: int, data: str) -> None:
    """All that is told of Denarii, resources and points is what changed."""
    game = played(players, data=data).game
    judged = 0
    for before, action, after in steps(players, data=data):
        lines = narrate(before, action, after)
        wanted = np.column_stack(
            [
                (after[field][:players].astype(int) - before[field][:players]).reshape(players, -1)
                for field in ("denarii", "resources", "points")
            ]
        )
        name, actor = game.action_names[action], int(before["to_act"])
        found = told_amounts(lines, name, actor, players)
        np.testing.assert_array_equal(found, wanted, err_msg=str(lines))
        judged += any("judgment of" in line for line in lines)
    assert judged >= 5


@pytest.mark.parametrize("information", ["screen", "recall"])
@pytest.mark.parametrize("players", [3, 4])
def test_narrate__tells_a_seat_nothing_hidden(players: int, information: Any) -> None:
    """P13: with other cards unseen the same action is told in the same words.

    What is drawn by the seat itself or laid open comes from piles that it has not seen, so only
    steps that draw no such card can be compared.
    """
    game = IerusalemGame(players=players, information=information, skip_forced=False)
    masks = np.zeros((1, game.num_actions), dtype=np.uint8)
    rng, same, drew = np.random.default_rng(3), 0, 0
    for number, (before, action, after) in enumerate(steps(players)):
        seat = number % players
        if seat == before["to_act"] or not np.array_equal(before["display"], after["display"]):
            continue
        other = np.array([redealt(game, before, seat, rng)])
        if not holds(other[0], game.action_names[action], game):
            continue
        result = other.copy()
        game.legal(other, masks)
        assert game.step(result, np.array([action]), masks) == -1
        if not np.array_equal(after["hand"][seat], result["hand"][0, seat]):
            continue  # hands are dealt at the end of set-up
        assert game.narrate(other[0], action, result[0], seat) == game.narrate(
            before, action, after, seat
        )
        same += 1
        drew += not np.array_equal(after["hand"], result["hand"][0])
    assert same > 50
    assert drew > 20


def holds(state: np.void, name: str, game: IerusalemGame) -> bool:
    """Whether a card that is played from or discarded of a hand is in it."""
    if not name.startswith("card ") or PHASES[state["phase"]] == "arrange":
        return True
    kind = game.rules.box.kinds.index(name.removeprefix("card "))
    return bool(int(state["hand"][state["to_act"]]) >> kind & 1)


def test_narrate__others_do_not_learn_which_card_is_drawn() -> None:
    game, seen = played().game, 0
    for before, action, after in steps():
        if game.action_names[action] != "draw deck":
            continue
        actor = int(before["to_act"])
        came = int(after["hand"][actor]) & ~int(before["hand"][actor])
        kinds = [game.rules.box.kinds[k] for k in range(25, 45) if came >> k & 1]
        own = narrate(before, action, after, actor)
        others = narrate(before, action, after, (actor + 1) % 4)
        assert own[0] == "You draw a Mahane card from the pile"
        assert others[0] == f"P{actor} draws a Mahane card from the pile"
        if len(kinds) == 1:
            assert f"You draw {kinds[0]}" in own
            assert not any(kinds[0] in line for line in others)
            seen += 1
    assert seen > 3


def test_narrate__recall_tells_a_card_that_everybody_knows() -> None:
    """VII.g: drawn from a pile that consists of its known tail only."""
    state = IerusalemGame().read_position(at("purchase"))
    game = IerusalemGame(skip_forced=False)
    state["mahane_tail"] = 0
    tail = state["mahane"][0, : state["mahane_size"][0]].copy()
    state["mahane_tail"] = len(tail)
    masks = np.zeros((1, game.num_actions), dtype=np.uint8)
    game.legal(state, masks)
    before, action = state[0].copy(), game.action_names.index("draw deck")
    game.step(state, np.array([action]), masks)
    name, actor = game.rules.box.kinds[tail[0]], int(before["to_act"])
    other = (actor + 1) % 4
    assert f"P{actor} draws {name}" in narrate(before, action, state[0], other, recall=True)
    assert not any(name in line for line in narrate(before, action, state[0], other))


def test_narrate__the_turns_and_the_end() -> None:
    _, states, actions = played()
    lines = [line for before, action, after in steps() for line in narrate(before, action, after)]
    turns = [int(x) for line in lines for x in re.findall(r"turn begins \(turn (\d+)\)", line)]
    assert turns == list(range(1, int(states[-1]["turns"]) + 1))
    ended = [line for line in lines if line.startswith("The game is over")]
    best = [seat for seat in range(4) if states[-1]["ranks"][seat] == 1]
    assert len(ended) == 1
    assert all(f"P{seat}" in ended[0].split(" win")[0] for seat in best)
    assert "You win" in narrate(states[-2], actions[-1], states[-1], best[0])[-1] or len(best) > 1


# --- decisions ------------------------------------------------------------------------------------
@pytest.mark.parametrize("phase", [phase for phase in PHASES if phase != "over"])
def test_describe__every_phase(phase: str) -> None:
    state = IerusalemGame(skip_forced=False).read_position(at(phase))[0]
    actor = int(state["to_act"])
    assert PHASES[state["phase"]] == phase
    assert describe_decision(state).startswith(f"P{actor} decides ")
    assert describe_decision(state, actor).startswith("You decide ")
    assert "{" not in describe_decision(state)


def test_describe__the_end() -> None:
    assert describe_decision(played().states[-1]) == "the game is over"


# --- taking back ----------------------------------------------------------------------------------
def test_take_back__only_ones_own_turn_and_nothing_come_to_light() -> None:
    game, states, actions = played()
    allowed, refused = set(), set()
    for number, action in enumerate(actions):
        before, after = states[number], states[number + 1]
        kind = game.action_names[action].split()[0]
        may = may_take_back(before, after)
        (allowed if may else refused).add(kind)
        if may:
            assert before["to_act"] == after["to_act"] == before["turn"] == after["turn"]
            for field in ("mahane", "xxxiii"):
                size = before[f"{field}_size"]
                assert np.array_equal(before[field][:size], after[field][:size])
            for field in ("deck", "shuffles", "turns"):
                assert np.array_equal(before[field], after[field])
        assert may_take_back(before, before) == (before["to_act"] == before["turn"])
    assert {"card", "column", "space", "offering", "sell"} <= allowed
    assert {"draw", "give"} <= refused
    assert not may_take_back(states[0], states[1])  # set-up goes round the table
    assert not may_take_back(states[-2], states[-1])


def test_take_back__a_card_that_comes_to_the_display_was_hidden() -> None:
    game, states, actions = played()
    seen = 0
    for number, action in enumerate(actions):
        if game.action_names[action] in ("draw left", "draw right", "draw deck"):
            before, after = states[number], states[number + 1]
            if before["mahane_size"] > 0:
                assert not may_take_back(before, after)
                seen += 1
    assert seen > 5
