"""Observations of Ierusalem, read back by the feature table, against plain Python."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from jerusalem_env.chance import sample_legal
from jerusalem_env.compiled.encoders import encoders_for, scratch_view
from jerusalem_env.features import Feature, caps_of, size_of
from jerusalem_env.ierusalem.compiled import IERUSALEM
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.observation import features, state_features
from jerusalem_env.ierusalem.rules.box import load_box
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.random_rules import other_data
from tests.ierusalem.reference_box import (
    APOSTLES,
    AREAS,
    BACKS,
    JESUS,
    RESOURCES,
    SOURCES,
    SPACES,
    around,
    data_of,
)
from tests.ierusalem.reference_engine import ReferenceGame

# Each has kernels of its own; the last is left to the whole suite.
KINDS = (
    *((3, "screen"), (4, "screen"), (4, "recall")),
    pytest.param(3, "recall", marks=pytest.mark.slow),
)
KNOWN_PLACES = 3
Position = dict[str, Any]
Amounts = dict[str, dict[str, int]]  # feature -> label -> amount; what is missing is 0


def one(label: str | None) -> dict[str, int]:
    """A flag at one label, or nowhere."""
    return {} if label is None else {label: 1}


def row_of(space: str) -> str:
    """The row of eight that a space is in."""
    line = space.split(".")[0]
    return "table" if line in ("corner", "jesus") else line


def place_in_row(space: str) -> str:
    """Its place there, 1..8."""
    return str(1 + [other for other in SPACES if row_of(other) == row_of(space)].index(space))


def worth_of(position: Position, data: Any, space: str) -> int:
    """What a follower on a space scores as things stand (R18.3, R18.4)."""
    worth = data["supper", "jesus_points"] if space in JESUS else 0
    for seat, apostle in position["seats"].items():
        for other, distance in around(seat) if apostle else ():
            if other == space:
                value = data["apostles", "value"][apostle]
                worth += value - distance if value > 0 else value + distance
    return int(worth)


def missing_of(symbols: list[str], shown: list[str]) -> Counter[str] | None:
    """What an own column lacks of an apostle column; None if it cannot be part of it (R7.2)."""
    if shown in [list(part) for part in combinations(symbols, len(shown))]:
        return Counter(symbols) - Counter(shown)
    return None


def progress(p: Position, me: int, card: str, column: int, row: int) -> int:
    """4 less the symbols that a set lacks with the card on an own column; 0 if none can be."""
    shown = [other.split(".")[0] for other in [*p["columns"][me][column], card]]
    rest = missing_of(p["symbols"][row], shown)
    return 0 if rest is None else 4 - sum((rest - Counter(p["symbols_held"][me])).values())


def best_progress(p: Position, me: int, card: str) -> int:
    """The same on the best column and for the best apostle column."""
    given = p["phase"] == "arrange" and p["turn"] == me
    columns = [p["choice"]["column"] - 1] if given else range(3)
    return max(progress(p, me, card, c, j) for c in columns for j in range(3))


def expected(position: Position, me: int, information: str) -> Amounts:
    """Every feature as the seat sees it."""
    p, data = position, data_of(position["ruleset"]["data"])
    game, n = ReferenceGame(position), position["ruleset"]["players"]
    who = {s: "me" if s == me else f"+{(s - me) % n}" for s in range(n)}
    seats = range(n)
    phase, choice, visit = p["phase"], p["choice"], p["visit"]
    acting, active = p["to_act"], p["turn"]
    pool = choice.get("pool", [])
    air = [choice["card"]] if phase == "column" else pool
    mine = [card for column in p["columns"][me] for card in column] + (pool if active == me else [])
    ten = data["cards.starting", p["colours"][me]]
    own_deck = set(ten) - set(mine) - set(p["hands"][me]) - set(p["discards"][me])
    columns = [(s, c, p["columns"][s][c]) for s in seats for c in range(3)]
    ahead = [
        judgment
        for judgment, space in zip(p["judgments"], data["sanhedrin", "tile_spaces"], strict=True)
        if space > p["sanhedrin"] and p["judgments_on"]
    ]
    spaces_ahead = [space for space in data["sanhedrin", "tile_spaces"] if space > p["sanhedrin"]]
    marked = choice.get("space", choice.get("lift"))
    held = Counter(p["symbols_held"][me])
    lacks = {}
    for source in range(4):
        for j in range(3):
            cards = p["columns"][me][source] if source < 3 else []
            rest = missing_of(p["symbols"][j], [card.split(".")[0] for card in cards])
            lacks[f"{SOURCES[source]}, apostles.{j + 1}"] = (
                4 if rest is None else sum((rest - held).values())
            )
    sets = {
        label: int(lack == 0 and (label.startswith("favors") or bool(p["columns"][me][source])))
        for (label, lack), source in zip(lacks.items(), np.repeat(range(4), 3), strict=True)
    }
    ended = phase == "over"
    out: Amounts = {
        "phase": one(None if ended else phase),
        "to_act": one(None if acting is None else who[acting]),
        "turn": one(None if active is None else who[active]),
        "my_hand": dict.fromkeys(p["hands"][me], 1),
        "in_air": dict.fromkeys(air, 1),
        "my_discards": dict.fromkeys(p["discards"][me], 1),
        "my_deck": dict.fromkeys(own_deck, 1),
        "display": {
            f"{side}, {card}": 1
            for side, card in zip(("left", "right"), p["display"], strict=True)
            if card
        },
        "symbols": {
            f"{who[s]}, column.{c + 1}, {place}, {card.split('.')[0]}": 1
            for s, c, cards in columns
            for place, card in zip(("1st", "2nd", "3rd"), cards, strict=False)
        },
        "apostle_symbols": {
            f"apostles.{j + 1}, {place}, {symbol}": 1
            for j in range(3)
            for place, symbol in zip(("1st", "2nd", "3rd"), p["symbols"][j], strict=True)
        },
        "set_ready": sets,
        "table_seats": {f"{seat}, {apostle}": 1 for seat, apostle in p["seats"].items() if apostle},
        "supper": {
            f"{'neutral' if owner == 'neutral' else who[owner]}, {space}": 1
            for space, owner in p["supper"].items()
            if owner is not None
        },
        "payable": {
            space: 1
            for space in SPACES
            if p["supper"][space] is None
            and all(
                cost <= have
                for cost, have in zip(data.cost[space], p["resources"][me], strict=True)
            )
        },
        "judgments": {f"ahead {k}, {judgment}": 1 for k, judgment in enumerate(ahead, 1)},
        "illumination": {who[s]: int(p["illumination"][s]) for s in seats},
        "blocked": {who[s]: int(p["blocked"][s]) for s in seats},
        "pending": {
            step: 1
            for step in p["steps"]
            if step.split()[0] not in ("settle", "excess", "refill", "overflow", "end")
        },
        "traded": {kind: 1 for kind in ("sold", "bought") if choice.get("traded") == kind},
        "sold": dict.fromkeys(choice.get("sold", []), 1),
        "free": {"all": int(choice.get("free", False))},
        "must": {"all": int(choice.get("must", False))},
        "chosen_marker": one(
            f"marker {data.markers.index(choice['marker']) + 1}" if "marker" in choice else None
        ),
        "marked_row": one(row_of(marked) if marked else None),
        "marked_column": one(place_in_row(marked) if marked else None),
        "arrange_column": one(f"column.{choice['column']}" if phase == "arrange" else None),
        "chosen_apostle": one(choice.get("colour")),
        "visit_source": one(SOURCES[visit[0]] if visit else None),
        "visit_column": one(f"apostles.{visit[1] + 1}" if visit else None),
        "my_favors": dict.fromkeys(p["favors"][me], 1),
        "colours": {f"{who[s]}, {p['colours'][s]}": 1 for s in seats},
    }
    if information == "recall":
        out["known_hands"] = {
            f"{who[s]}, {card}": 1 for s in seats for card in p["known_hands"][s] if s != me
        }
        for pile in ("mahane", "xxxiii"):
            bottom = p[pile][len(p[pile]) - p[f"{pile}_tail"] :]
            out[f"known_{pile}"] = {
                f"bottom {k}, {card}": 1 for k, card in enumerate(bottom[:KNOWN_PLACES], 1)
            }
    out |= {
        "space_worth": {space: 8 + worth_of(p, data, space) for space in SPACES},
        "denarii": {who[s]: p["denarii"][s] for s in seats},
        "points": {who[s]: p["points"][s] for s in seats},
        "score": {who[s]: p["points"][s] + (0 if ended else game.final_points(s)) for s in seats},
        "resources": {
            f"{who[s]}, {r}": x
            for s in seats
            for r, x in zip(RESOURCES, p["resources"][s], strict=True)
        },
        "areas": {
            f"{who[s]}, {a}": x for s in seats for a, x in zip(AREAS, p["areas"][s], strict=True)
        },
        "camp": {who[s]: p["camp"][s] for s in seats},
        "offerings": {who[s]: p["offerings"][s] for s in seats},
        "room": {who[s]: 8 + game.capacity(s) - game.in_camp(s) for s in seats},
        "favors_done": {who[s]: p["favors_done"][s] for s in seats},
        "symbols_held": {
            f"{who[s]}, {x}": k for s in seats for x, k in p["symbols_held"][s].items()
        },
        "parables": {who[s]: p["parables"][s] for s in seats},
        "supper_followers": {who[s]: list(p["supper"].values()).count(s) for s in seats},
        "hand_counts": {
            f"{who[s]}, {back}": sum(data.back(card) == back for card in p["hands"][s])
            for s in seats
            for back in BACKS
        },
        "deck_size": {who[s]: len(p["decks"][s]) for s in seats},
        "discard_size": {who[s]: len(p["discards"][s]) for s in seats},
        "column_size": {f"{who[s]}, column.{c + 1}": len(cards) for s, c, cards in columns},
        "my_column_points": {
            f"column.{c + 1}": sum(
                data["cards", "apostle_points"][data.back(card)] for card in cards[:3]
            )
            for s, c, cards in columns
            if s == me
        },
        "set_lacking": lacks,
        "air_progress": {
            f"column.{c + 1}, apostles.{j + 1}": progress(p, me, air[0], c, j)
            for c in range(3)
            for j in range(3)
            if phase == "column" and me == active
        },
        "card_progress": {
            card: best_progress(p, me, card)
            for card in {*p["hands"][me], *(pool if me == active else [])}
        },
        "display_progress": {
            side: best_progress(p, me, card)
            for side, card in zip(("left", "right"), p["display"], strict=True)
            if card
        },
        "apostles_left": {
            f"apostles.{j + 1}, {apostle}": p["apostles"][j].count(apostle)
            for j in range(3)
            for apostle in APOSTLES
        },
        "squares_left": {
            area: data["locations", "squares"][str(n)] - sum(p["areas"][s][i] for s in seats)
            for i, area in enumerate(AREAS)
        },
        "mahane_pile": {"all": len(p["mahane"])},
        "xxxiii_pile": {"all": len(p["xxxiii"])},
        "sanhedrin": {"all": p["sanhedrin"]},
        "next_judgment": {
            "all": spaces_ahead[0] - p["sanhedrin"] if ahead and p["judgments_on"] else 0
        },
        "to_the_end": {"all": data["sanhedrin", "last_space"] - p["sanhedrin"]},
    }
    if information == "recall":
        tails = {pile: p[f"{pile}_tail"] for pile in ("mahane", "xxxiii")}
        out["known_bottom"] = tails
        out["above_bottom"] = {pile: len(p[pile]) - tail for pile, tail in tails.items()}
    return out


def expected_hidden(position: Position) -> Amounts:
    """What the state vector holds behind the observation of seat 0."""
    p, data = position, data_of(position["ruleset"]["data"])

    def order(pile: list[str], kinds: list[str]) -> dict[str, int]:
        return {f"card {k}": 1 + kinds.index(card) for k, card in enumerate(pile, 1)}

    return {
        "all_hands": {f"seat {s}, {card}": 1 for s, hand in enumerate(p["hands"]) for card in hand},
        "deck_order": {
            f"seat {s}, {label}": x
            for s, deck in enumerate(p["decks"])
            for label, x in order(deck, data.starting).items()
        },
        "mahane_order": order(p["mahane"], data.mahane),
        "xxxiii_order": order(p["xxxiii"], data.xxxiii),
    }


def check(table: tuple[Feature, ...], vector: np.ndarray, amounts: Amounts, where: str) -> None:
    """Read the vector by the table; every entry is the clipped amount expected under its label."""
    assert [feature.name for feature in table] == list(amounts), where
    caps = caps_of(table)
    for feature in table:
        wanted = amounts[feature.name]
        assert set(wanted) <= set(feature.labels), f"{where}: {feature.name} lacks labels"
        entries = zip(feature.labels, caps[feature.slice], vector[feature.slice], strict=True)
        for label, cap, value in entries:
            amount = min(max(wanted.get(label, 0), 0), int(cap))
            assert value == amount, (
                f"{where}: {feature.name} [{label}] reads {value}, expected {amount}"
            )


@cache
def game_of(players: int, information: str) -> IerusalemGame:
    mode: Any = information
    return IerusalemGame(players=players, information=mode, skip_forced=False)


@cache
def played(players: int, games: int = 12, every: int = 9) -> np.ndarray:
    """Positions of random games to their end, each game's last one included."""
    return play(game_of(players, "screen"), games, every)


def play(game: IerusalemGame, games: int, every: int) -> np.ndarray:
    """See ``played``."""
    states = game.new_states(games)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.reset(states, np.arange(70, 70 + games, dtype=np.uint64), masks)
    rng = np.random.default_rng(game.players)
    kept = [states.copy()]
    ply = 0
    while not game.terminated(states).all():
        game.step(states, sample_legal(masks, rng), masks)
        ply += 1
        if ply % every == 0:
            kept.append(states.copy())
    return np.concatenate([*kept, states])


def uint8_of(game: IerusalemGame, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    out = np.zeros((len(states), game.observation_size), dtype=np.uint8)
    return game.observe(states, seats, out)


@pytest.mark.parametrize(("players", "information"), KINDS)
def test_observation__says_what_the_table_says(players: int, information: Any) -> None:
    game = game_of(players, information)
    states = played(players)
    table = features(RuleSet(players=players), information)
    rng = np.random.default_rng(1)
    for index in rng.permutation(len(states))[:160]:
        position, me = game.write_position(states[index]), int(rng.integers(players))
        seen = uint8_of(game, states[index : index + 1], np.array([me]))[0]
        where = f"state {index}, {position['phase']}, seat {me}"
        check(table, seen, expected(position, me, information), where)


@pytest.mark.parametrize("players", [3, 4])
def test_observation__says_what_the_table_says_under_other_data(players: int) -> None:
    """Worths and sums far beyond what entries can hold are clipped at the end alone."""
    data = other_data()
    data["apostles"]["value"]["v"] = {"purple": 40, "orange": 9, "white": 2, "judas": -30}
    data["supper"]["jesus_points"]["v"] = 25
    game = IerusalemGame(rules=RuleSet(players=players, data=load_box(data)), skip_forced=False)
    table = features(game.rules)
    states = play(game, games=4, every=12)
    rng = np.random.default_rng(2)
    for index in rng.permutation(len(states))[:60]:
        position, me = game.write_position(states[index]), int(rng.integers(players))
        seen = uint8_of(game, states[index : index + 1], np.array([me]))[0]
        check(table, seen, expected(position, me, "screen"), f"state {index}, seat {me}")


@pytest.mark.parametrize(("players", "information"), KINDS)
def test_state_vector__has_everything(players: int, information: Any) -> None:
    game = game_of(players, information)
    table = state_features(RuleSet(players=players), information)
    seen = len(features(RuleSet(players=players), information))
    caps = caps_of(table).astype(np.float64)
    for state in played(players)[::97]:
        vector = np.rint(game.state_vectors(np.array([state]))[0] * caps).astype(np.int64)
        position = game.write_position(state)
        amounts = expected(position, 0, information) | expected_hidden(position)
        assert table[:seen] == features(RuleSet(players=players), information)
        check(table, vector, amounts, position["phase"])


@pytest.mark.parametrize(("players", "information"), KINDS)
def test_encode__states_and_views_alike(players: int, information: Any) -> None:
    game, states = game_of(players, information), played(players)
    out = np.zeros((len(states), game.observation_size), dtype=np.uint8)
    for seat in range(players):
        seats = np.full(len(states), seat)
        from_views = game.encode(game.views(states, seats), out.copy())
        assert np.array_equal(uint8_of(game, states, seats), from_views)


@pytest.mark.parametrize(("players", "information"), KINDS)
def test_features__cover_the_vector(players: int, information: Any) -> None:
    rules = RuleSet(players=players)
    for table in (features(rules, information), state_features(rules, information)):
        assert len({feature.name for feature in table}) == len(table)
        place = 0
        for feature in table:
            assert feature.start == place
            assert feature.size == len(feature.labels) == len(set(feature.labels))
            place += feature.size
        assert place == size_of(table)
        assert (caps_of(table) > 0).all()


@pytest.mark.parametrize("players", [pytest.param(3, marks=pytest.mark.slow), 4])
def test_features__all_vary_within_their_caps(players: int) -> None:
    game = game_of(players, "recall")
    states = played(players)
    seen = np.concatenate(
        [uint8_of(game, states, np.full(len(states), seat)) for seat in range(players)]
    )
    table = features(RuleSet(players=players), "recall")
    assert (seen <= caps_of(table)).all()
    lowest, highest = seen.min(axis=0), seen.max(axis=0)
    for feature in table:
        if feature.name != "must":  # a Favor marker that calls, received with followers in camp
            assert (lowest[feature.slice] < highest[feature.slice]).any(), feature.name


@pytest.mark.parametrize(("players", "information"), KINDS)
def test_encode__writes_every_entry_and_none_behind_the_last(
    players: int, information: Any
) -> None:
    """Runs of flags are stored 64 at a time, shorter ones too."""
    game = game_of(players, information)
    observe = encoders_for(IERUSALEM, players, information == "recall").observe_games
    states = played(players)[::40]
    size = game.observation_size
    seats, scale = np.zeros(1, dtype=np.int64), game.observation_scale
    for before in (0, 7):
        memory = np.full(size + 256, before, dtype=np.uint8)
        row = memory[:size].reshape(1, size)
        out = np.zeros((1, size), dtype=np.uint8)
        for state, seen in zip(
            states, uint8_of(game, states, seats.repeat(len(states))), strict=True
        ):
            row[:] = before
            observe(np.array([state]), seats, scratch_view(IERUSALEM), row, scale, out)
            assert np.array_equal(out[0], seen)
            assert (memory[size:] == before).all()
