"""Rule sets and random play for the tests of Ierusalem."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any, Protocol

from tests.ierusalem.reference_box import COLOURS, LOCATIONS, SEATS, data_of
from tests.ierusalem.reference_engine import new_game

Position = dict[str, Any]


def other_data() -> dict[str, Any]:
    """The content of a data file whose numbers, cards and effects differ from the usual ones."""
    content = copy.deepcopy(data_of("box").content)

    def change(section: str, **values: Any) -> None:
        found = content
        for part in section.split("."):
            found = found[part]
        for name, value in values.items():
            assert name in found, name
            found[name]["v"] = value

    change("setup", denarii_by_turn_order=[7, 6, 5, 4], points_by_turn_order=[0, 2, 4, 6])
    change("setup", resources=[2, 0, 1], hand=4)
    change("setup", neutral_with_3=["top2.1", "top2.2", "jesus.top_left", "corner.bottom_right"])
    change("warehouse", capacity=13, capacity_unblocked=17)
    change("locations", squares={"3": 7, "4": 9}, max_each=4, displace_extra=2)
    change("locations", recruit_price={"desert": 2, "mountain": 1, "lake": 2})
    change("locations", trade_price={"stone": 1, "bread": 4, "fish": 3})
    change("locations", market_card_price=2, purchase_price=1)
    change("sanhedrin", tile_spaces=[1, 2, 4, 8, 9, 11], last_space=15)
    change("supper", row_cost={"1": "bread", "2": {"stone": 2}, "3": "fish"}, jesus_points=4)
    change(
        "supper", column_cost=["fish", "bread", "bread", "fish", "fish", "stone", "stone", "fish"]
    )
    effects = {
        "1": ["call", "-", "meeting", "points_3", "call", "vp3", "-", "stone"],
        "2": ["-", "meeting", "mahane", "bread", "xxxiii", "parable", "meeting", "denarius"],
        "3": ["denarii_4", "market", "meeting", "mahane", "points_1", "temple", "-", "favor"],
    }
    change("supper", effects_top=effects)
    change("supper", effects_bottom={row: list(reversed(effects[row])) for row in effects})
    change("apostles", value={"purple": 2, "orange": 1, "white": 7, "judas": -1}, judas_denarii=8)
    change("parables", points=[9, 7, 2, 1], followers_needed=[1, 1, 2, 2, 3, 4, 5])
    change("parables", rewards=["call", "xxxiii", "fish", "mahane", "change", "go", "vp3"])
    change("parables", end_points=[0, 2, 4, 5, 9, 14, 16, 30])
    change("favors", points=[2, 0, 3, 1, 5, 4, 6, 7], unblock_at=3, denarii_at={"2": 3, "5": 1})
    markers = ["fish_2", "call_desert", "denarii_4", "stone_3", "bread_2", "call_lake", "bread_1"]
    change("favors", markers=[*markers, "denarii_1"])
    symbols = ["lake", "desert", "temple", "mountain", "market", "lake", "market", "temple"]
    change("favors", symbols=symbols)
    change("actions", vp3=4, denarius=2, stone=2, bread=3, fish=2, redistribute_discards=2)
    change("end", offering=2, illumination=3)
    change("cards", apostle_points={"starting": 2, "mahane": 1, "xxxiii": 5})
    cards = content["cards"]["mahane"]["kinds"]["v"]
    cards[cards.index("lake.vp3+go")] = "lake.change+invited+call"
    cards[cards.index("temple.mahane+go")] = "temple.redistribute+favor"
    cards = content["cards"]["xxxiii"]["kinds"]["v"]
    cards[0] = "market.stone+temple+market"
    for deck in ("red", "yellow", "green", "blue"):  # temple.go, which all four have
        cards = content["cards"]["starting"][deck]["v"]
        cards[cards.index("temple.go")] = "temple.go+call"
    return content


def random_ruleset(rng: random.Random, players: int | None = None) -> dict[str, Any]:
    """Some value for every switch of VII.a, each at its default half of the time."""
    n = rng.choice((3, 4)) if players is None else players
    tiles = [place for place in LOCATIONS for _ in range(3)]
    rules = {
        "players": n,
        "apostle_columns": rng.choice(("mixed", "by_colour")),
        "orange_scores": rng.choice(("all", "own")),
        "symbols": rng.choice((None, rng.sample(tiles, 9))),
        "colours": rng.choice((None, rng.sample(COLOURS, n))),
        "first_player": rng.choice((None, rng.randrange(n))),
        "data": rng.choice(("box", other_data())),
    }
    return rules


class Playable(Protocol):
    """A game in progress, whichever engine plays it."""

    @property
    def over(self) -> bool: ...

    def legal(self) -> set[str]: ...

    def act(self, name: str) -> None: ...

    def position(self) -> Position: ...


def choose(rng: random.Random, legal: set[str], eager: Position | None = None) -> str:
    """One of the legal actions. Uniform, or as an eager player who is shown the position.

    He passes only if he must, visits whenever he can, and keeps own columns fit for a set.
    """
    names = sorted(legal)
    if eager is None:
        return rng.choice(names)
    best = [name for name in names if name.startswith("visit ")]
    best = best or [name for name in names if name.startswith("column ") and _fits(eager, name)]
    names = best or [name for name in names if name != "pass"] or names
    # First the kind of action, else the many spaces would crowd out the rest.
    word = rng.choice(sorted({name.split()[0] for name in names}))
    return rng.choice([name for name in names if name.split()[0] == word])


def _fits(position: Position, column: str) -> bool:
    """Whether the card played would leave an own column that can still become a set."""
    if position["phase"] != "column":
        return False
    cards = position["columns"][position["turn"]][int(column.split()[1]) - 1]
    shown = [card.split(".")[0] for card in [*cards, position["choice"]["card"]]]
    for symbols in position["symbols"]:
        rest = iter(symbols)
        if all(symbol in rest for symbol in shown):
            return True
    return False


def random_steps(
    game: Playable, rng: random.Random, eager: bool = False, most: int = 10_000
) -> Iterator[tuple[Position, str, Position]]:
    """Play to the end; (position, action, next position) of each decision."""
    before = game.position()
    for _ in range(most):
        if game.over:
            return
        action = choose(rng, game.legal(), before if eager else None)
        game.act(action)
        after = game.position()
        yield before, action, after
        before = after


def crowded_position(rng: random.Random, rules: dict[str, Any]) -> Position:
    """A position late in a game: most Apostles seated, many markers given, Parables taken.

    What random play alone seldom reaches: full areas, the last Apostle, empty apostle columns, a
    marker near its end, the Mahane pile running out.
    """
    game = new_game(rng.randrange(2**32), rules)
    while game.state["stage"] == "settle":
        game.act(rng.choice(sorted(game.legal())))
    data, p, n = game.data, game.position(), game.n
    columns = [(j, colour) for j in range(3) for colour in p["apostles"][j]]
    for (column, colour), seat in zip(rng.sample(columns, 10), rng.sample(SEATS, 10), strict=True):
        p["apostles"][column].remove(colour)
        p["seats"][seat] = colour
    free = [space for space, owner in p["supper"].items() if owner is None]
    for space in rng.sample(free, rng.randrange(6, 6 * n)):
        seat = rng.randrange(n)
        if p["camp"][seat] > 0:
            p["camp"][seat] -= 1
            p["supper"][space] = seat
    for seat in range(n):
        there = sum(owner == seat for owner in p["supper"].values() if owner is not None)
        for area in range(3):
            room = data["locations", "squares"][str(n)] - sum(x[area] for x in p["areas"])
            more = min(rng.randrange(3), room, p["camp"][seat], 3 - p["areas"][seat][area])
            p["areas"][seat][area] += more
            p["camp"][seat] -= more
        p["offerings"][seat] = rng.randrange(1, there + 1)
        p["parables"][seat] = rng.randrange(min(8, there + 1))
        while data.listeners_needed(max(p["parables"][seat], 1)) > there:
            p["parables"][seat] -= 1
        for marker in rng.sample(data.markers, rng.randrange(8)):
            p["favors"][seat].remove(marker)
            p["favors_done"][seat] += 1
            p["symbols_held"][(seat + 1) % n][data.symbol(marker)] += 1
        p["blocked"][seat] = p["favors_done"][seat] < data["favors", "unblock_at"]
        common = rng.randrange(4)  # Mahane and XXXIII cards on the third own column
        p["columns"][seat][2] = p["mahane"][:common] + p["xxxiii"][:1]
        p["mahane"], p["xxxiii"] = p["mahane"][common:], p["xxxiii"][1:]
        p["denarii"][seat] = rng.randrange(20)
        p["resources"][seat] = [rng.randrange(6) for _ in range(3)]
    points = data["parables", "points"][:n]
    p["parable_stacks"] = [points[sum(k >= t for k in p["parables"]) :] for t in range(1, 8)]
    p["sanhedrin"] = rng.randrange(data["sanhedrin", "last_space"] - 4)
    return p
