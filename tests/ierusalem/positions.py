"""Positions of Ierusalem (rules VII.e) written by hand, one for every phase."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from jerusalem_env.ierusalem.rules.ruleset import RuleSet

Position = dict[str, Any]
Path_ = tuple[Any, ...]
MISSING = object()

# The start of seed 7 with 4 players, from the formulas of VII.f and not from the engine.
START_FILE = Path(__file__).with_name("start_of_seed_7.json")
CARD = "market.go"  # of every deck but yellow's; on top of seat 0's
# Names of steps that may be pending in a card and in a visit alike.
STEPS = ("market", "temple", "go", "invited", "parable", "favor", "call", "change", "redistribute")
STEPS += ("meeting", "mahane", "xxxiii", "denarius", "stone", "bread", "fish", "vp3", "-")
STEPS += ("gain desert", "gain mountain", "gain lake", "points_2", "denarii_2", "offering")
STEPS += ("swap", "judas", "score top.1", "receive stone_2 3", "receive call_mountain 1")
SYMBOLS = {"market": 0, "desert": 0, "mountain": 0, "lake": 0, "temple": 0}


def through_json(position: Position) -> Position:
    """The position as a file would give it back."""
    read: Position = json.loads(json.dumps(position, allow_nan=False))
    return read


def changed(position: Position, *changes: tuple[Path_, Any]) -> Position:
    """A copy with some values replaced, added or (MISSING) taken out."""
    result = copy.deepcopy(position)
    for (*way, key), value in changes:
        inner: Any = result
        for step in way:
            inner = inner[step]
        if value is MISSING:
            del inner[key]
        else:
            inner[key] = value
    return result


def start() -> Position:
    """Seed 7, 4 players: the first decision of set-up."""
    read: Position = json.loads(START_FILE.read_text(encoding="utf-8"))
    return read


def first_turn(cards: int = 5) -> Position:
    """The turn of seat 0 after everybody chose the desert and drew, seat 0 so many cards."""
    position = start()
    position |= {"stage": "play", "phase": "play", "to_act": 0, "turn": 0, "turns": 1, "steps": []}
    position["areas"] = [[2, 1, 1] for _ in range(4)]
    for seat, deck in enumerate(position["decks"]):
        drawn = cards if seat == 0 else 5
        position["hands"][seat], position["decks"][seat] = deck[:drawn], deck[drawn:]
    return position


def three_players() -> Position:
    """A play phase of 3 players, made from that of 4."""
    position = first_turn()
    neutral = ("top1.1", "top1.2", "top1.3", "top1.4", "top1.5", "corner.top_left")
    for field, value in position.items():
        if isinstance(value, list) and len(value) == 4:
            position[field] = value[:3]
    position["ruleset"] = RuleSet(players=3).to_dict()
    position["areas"] = [[1, 2, 1], [1, 1, 2], [2, 1, 1]]
    position["parable_stacks"] = [[6, 5, 4]] * 7
    position["supper"] |= {"corner.bottom_right": 0}
    position["supper"] |= dict.fromkeys(
        (*neutral, "bottom3.6", "bottom3.7", "bottom3.8"), "neutral"
    )
    return position


def give_marker(position: Position, giver: int, marker: str, receiver: int, symbol: str) -> None:
    """A Favor done before: marker, symbol, track and blocked-warehouse tile, without its gains."""
    position["favors"][giver].remove(marker)
    position["favors_done"][giver] += 1
    position["blocked"][giver] = position["favors_done"][giver] < 2
    position["symbols_held"][receiver][symbol] += 1


def seat_apostle(position: Position, column: int, colour: str, seat: str) -> None:
    """An Apostle of an apostle column sits down."""
    position["apostles"][column].remove(colour)
    position["seats"][seat] = colour


def seat_all(position: Position) -> None:
    """All Apostles are seated, and the judgments are gone (R7.12)."""
    colours = [colour for column in position["apostles"] for colour in column]
    position["seats"] = dict(zip(position["seats"], colours, strict=True))
    position["apostles"] = [[], [], []]
    position["judgments_on"] = False


def in_visit(phase: str) -> Position:
    """Seat 0 visits the first apostle column (lake temple lake) with symbols held alone."""
    position = first_turn()
    give_marker(position, 1, "fish_1", 0, "lake")
    give_marker(position, 1, "call_lake", 0, "lake")
    give_marker(position, 2, "denarii_2", 0, "temple")
    position |= {"stage": "visit", "phase": phase, "visit": [3, 0], "steps": ["visit_end"]}
    return position


def received_call() -> Position:
    """Seat 1 must call a follower: seat 0 has given it a marker (A38)."""
    position = first_turn() | {"phase": "call", "to_act": 1, "steps": ["favor_done", "meeting"]}
    position["choice"] = {"must": True}
    position["favors"][0].remove("call_lake")
    position["symbols_held"][1]["lake"] = 1
    return position


_CHOICES: dict[str, dict[str, Any]] = {
    "column": {"card": CARD},
    "market": {"traded": "none", "sold": []},
    "supper": {"free": False},
    "from": {"free": False, "space": "top3.2"},
    "call": {"must": False},
    "give": {"marker": "fish_1"},
    "change_to": {"lift": "corner.top_left"},
    "swap_with": {"lift": "corner.top_left"},
}
PLAY_PHASES = ("play", "column", "illuminate", "market", "temple", "supper", "from", "offering")
PLAY_PHASES += ("call", "draw", "favor", "give", "change", "change_to", "swap", "swap_with")


def at(phase: str) -> Position:
    """A sound position in a phase; seat 0 is to act, except when the game is over."""
    if phase == "settle":
        return start()
    if phase in PLAY_PHASES:
        return first_turn() | {"phase": phase, "choice": dict(_CHOICES.get(phase, {}))}
    position = first_turn(6 if phase == "excess" else 5) | {"phase": phase}
    if phase == "orange":
        seat_apostle(position, 0, "orange", "top.1")
        position["illumination"][0] = False
    elif phase in ("redistribute", "arrange"):
        position["hands"][0].remove(CARD)
        if phase == "redistribute":
            position["columns"][0][1] = [CARD]
        else:
            position["choice"] = {"column": 2, "pool": [CARD]}
    elif phase == "visit":
        position["stage"] = "visit"
    elif phase in ("apostle", "seat"):
        position = in_visit(phase)
        position["choice"] = {"colour": "purple"} if phase == "seat" else {}
    elif phase == "purchase":
        position["stage"] = "purchase"
    elif phase == "excess":
        position |= {"stage": "refill", "steps": ["refill", "overflow", "end"]}
    elif phase == "overflow":
        position |= {"stage": "refill", "steps": ["end"]}
        position["resources"][0] = [1, 1, 2]
    elif phase == "over":
        position |= {"stage": "over", "to_act": None, "sanhedrin": 22}
    else:
        raise ValueError(f"no position is written for phase {phase}")
    return position
