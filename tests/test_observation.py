"""Observations and state vectors, read back by the feature table, against plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from jerusalem_env import RuleSet, jerusalem_v0
from jerusalem_env.features import Feature, size_of
from jerusalem_env.jerusalem.observation import features, state_features
from tests.reference_engine import (
    AREAS,
    CARDS,
    EVENTS,
    MARKET_AREAS,
    OFFICES,
    RESOURCES,
    SECTORS,
    Position,
    Reference,
    build_position,
)
from tests.scripted import Player, is_done

MODES = ("screen", "recall")
Amounts = dict[str, dict[str, int]]  # feature -> label -> amount; what is missing is 0


class Memory:
    """What the played actions alone tell: who held what, drafted what, played what."""

    def __init__(self, position: Position) -> None:
        self.n: int = position["ruleset"]["players"]
        self.offices: dict[int, list[str]] = {}  # by round
        self.passed_on: dict[tuple[int, int], list[str]] = {}  # by (round, seat)
        self.played: list[tuple[int, str]] = []  # (seat, card)
        if position["round"] > 1:
            self.offices[position["round"] - 1] = list(position["last_offices"])
        self.note_offices(position)

    def note_offices(self, position: Position) -> None:
        if all(position["offices"]):
            self.offices[position["round"]] = list(position["offices"])

    def note(self, before: Position, action: str, after: Position) -> None:
        """One action, between two positions."""
        verb, _, what = action.partition(" ")
        if verb == "draft":
            left = list(before["draft_pool"])
            left.remove(what)
            self.passed_on[before["round"], before["to_act"]] = left
        elif verb == "play":
            self.played.append((before["to_act"], what))
        self.note_offices(after)


def rank(office: str) -> int:
    return OFFICES.index(office)


def one(label: str | None) -> dict[str, int]:
    """A flag at one label, or nowhere."""
    return {} if label is None else {label: 1}


def controls(counts: list[int], offices: list[str | None]) -> int | None:
    """Who has the most; a tie goes to the lower office, to nobody while offices are open."""
    most = max(counts)
    first = [seat for seat, count in enumerate(counts) if count == most]
    if most == 0:
        return None
    if len(first) == 1:
        return first[0]
    if None in offices:
        return None
    return min(first, key=lambda seat: rank(str(offices[seat])))


def expected(position: Position, seat: int, information: str, memory: Memory) -> Amounts:
    """Every feature as the seat sees it."""
    p, n = position, position["ruleset"]["players"]
    who = {s: "me" if s == seat else f"+{(s - seat) % n}" for s in range(n)}
    seen = range(n) if information == "recall" else [seat]
    board, auction, turn, pending = p["board"], p["auction"], p["turn"], p["pending"]
    acts, this_round = p["to_act"], p["round"]
    mine = {card: p["hands"][seat].count(card) for card in CARDS}
    events = p["events"]
    out: Amounts = {
        "phase": one(None if p["phase"] == "over" else p["phase"]),
        "to_act": one(None if acts is None else who[acts]),
        "round": one(f"round {this_round}"),
        "rounds_left": {"all": p["ruleset"]["rounds"] - this_round},
        "event_now": one(events[this_round - 2] if this_round in (2, 3, 4) else None),
        "events_past": dict.fromkeys(events[: max(this_round - 2, 0)], 1),
        "my_hand": mine,
        "draft_pool": {},
        "discards": {card: p["discards"].count(card) for card in CARDS},
        "pile": {"all": len(p["pile"])},
        "silver": {who[s]: p["silver"][s] for s in seen},
        "supply": {who[s]: p["squires"][s] for s in seen},
        "prestige": {who[s]: p["prestige"][s] for s in range(n)},
        "floors": {who[s]: p["floors"][s] for s in range(n)},
        "hand_size": {who[s]: len(p["hands"][s]) for s in range(n)},
        "office": {f"{who[s]}, {o}": 1 for s, o in enumerate(p["offices"]) if o},
        "last_office": {f"{who[s]}, {o}": 1 for s, o in enumerate(p["last_offices"]) if o},
        "auction_office": one(auction["office"]),
        "has_bid": {"all": int(auction["bid"] is not None)},
        "bid": {"all": auction["bid"] or 0},
        "bidder": one(None if auction["bidder"] is None else who[auction["bidder"]]),
        "opener": one(who[auction["opener"]]),
        "passed": {who[s]: int(auction["passed"][s]) for s in range(n)},
        "baron_used": {"all": int(turn["baron_used"])},
        "hired": {"all": turn["hired"]},
        "genoa": {"all": int(turn["genoa"])},
        "marshal_used": {"all": int(turn["marshal_used"])},
        "board": {f"{a}, {who[s]}": board[a][s] for a in board for s in range(n)},
        "control": {},
        "baron": {f"{a}, {who[s]}": 1 for s, a in enumerate(p["barons"]) if a},
        "arrivals": dict(turn["arrivals"]),
        "sector_total": {
            f"{x}, {who[s]}": sum(board[a][s] for a in board if a.startswith(x + "."))
            for x in SECTORS
            for s in range(n)
            if f"{x}.large" in board
        },
        "lifted_from": one(pending.get("from")),
        "source": one(pending.get("source")),
        "left": {"all": pending.get("left", 0)},
        "may_decline": dict(pending["may_decline"][acts]) if "may_decline" in pending else {},
        "lost": {who[s]: x for s, x in enumerate(pending.get("lost", []))},
        "saved": {"all": pending.get("saved", 0)},
        "kept": dict(pending.get("kept", {})),
        "hits": {who[s]: x for s, x in enumerate(pending.get("hits", []))},
    }
    if p["phase"] == "draft" and acts == seat:
        out["draft_pool"] = {card: p["draft_pool"].count(card) for card in CARDS}
    for area, counts in board.items():
        holder = controls(counts, p["offices"])
        if holder is not None:
            out["control"][f"{area}, {who[holder]}"] = 1
    if information == "recall":
        out["passed_on"] = {
            f"round {r}, {card}": cards.count(card)
            for (r, s), cards in memory.passed_on.items()
            for card in cards
            if s == seat
        }
        out["drafted_after_me"] = {
            f"round {r}, {who[s]}": 1
            for r, offices in memory.offices.items()
            for s in range(n)
            if rank(offices[s]) > rank(offices[seat])
        }
        out["played"] = {
            f"{who[s]}, {card}": memory.played.count((s, card)) for s, card in memory.played
        }
    return out


def expected_hidden(position: Position) -> Amounts:
    """What the state vector holds behind the observation of seat 0."""
    p = position
    return {
        "all_silver": {f"seat {s}": x for s, x in enumerate(p["silver"])},
        "all_supply": {f"seat {s}": x for s, x in enumerate(p["squires"])},
        "all_hands": {
            f"seat {s}, {card}": hand.count(card)
            for s, hand in enumerate(p["hands"])
            for card in hand
        },
        "all_pool": {card: p["draft_pool"].count(card) for card in p["draft_pool"]},
        "all_events": {f"round {r}, {event}": 1 for r, event in enumerate(p["events"], 2)},
        "pile_order": {f"card {k}": 1 + CARDS.index(card) for k, card in enumerate(p["pile"])},
    }


def caps(feature: Feature) -> tuple[int, ...]:
    return (feature.cap,) * feature.size if isinstance(feature.cap, int) else feature.cap


def check(table: tuple[Feature, ...], vector: np.ndarray, amounts: Amounts, where: str) -> None:
    """Read the vector by the table; every entry is the clipped amount expected under its label."""
    assert [feature.name for feature in table] == list(amounts), where
    for feature in table:
        wanted = amounts[feature.name]
        assert set(wanted) <= set(feature.labels), f"{where}: {feature.name} lacks labels"
        for label, cap, value in zip(
            feature.labels, caps(feature), vector[feature.slice].tolist(), strict=True
        ):
            amount = min(wanted.get(label, 0), cap)
            assert value * cap == pytest.approx(amount, abs=1e-5), (
                f"{where}: {feature.name} [{label}] reads {value * cap}, expected {amount}"
            )


def check_all_seats(env: Any, memory: Memory, where: str) -> None:
    """The observation of every seat, and the state vector."""
    position, information = env.position(), env.game.information
    seats = range(env.game.players)
    for seat in seats:
        vector = env.observe(f"player_{seat}")["observation"]
        amounts = expected(position, seat, information, memory)
        check(env.game.features, vector, amounts, f"{where}, seat {seat}")
    amounts = expected(position, 0, information, memory) | expected_hidden(position)
    check(env.game.state_features, env.state(), amounts, f"{where}, state")


def played_game(
    rules: RuleSet, information: str, seed: int, skip_forced: bool = False
) -> Iterator[tuple[Any, Memory, int]]:
    """A scripted game; (environment, memory of it, ply) at every ply and at the end."""
    env = jerusalem_v0.raw_env(rules=rules, information=information, skip_forced=skip_forced)
    env.reset(seed=seed)
    memory, player, ply = Memory(env.position()), Player(seed), 0
    yield env, memory, ply
    while not is_done(env):
        before, action = env.position(), player(env)
        env.step(action)
        memory.note(before, env.action_names[action], env.position())
        ply += 1
        yield env, memory, ply


@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_features__cover_the_vector_without_gaps(players: int, information: Any) -> None:
    rules = RuleSet(players=players)
    observation, state = features(rules, information), state_features(rules, information)
    for table in (observation, state):
        end = 0
        for feature in table:
            assert feature.start == end, feature.name
            assert feature.size == len(feature.labels) == len(set(feature.labels)) > 0
            assert len(caps(feature)) == feature.size
            assert min(caps(feature)) > 0
            assert feature.unit in (
                *("flag", "squires", "silver", "prestige", "floors", "cards", "rounds"),
            )
            assert feature.meaning
            end += feature.size
        assert end == size_of(table)
        assert len({feature.name for feature in table}) == len(table)
    assert state[: len(observation)] == observation
    env = jerusalem_v0.raw_env(players=players, information=information)
    env.reset(seed=0)
    assert env.observe("player_0")["observation"].shape == (size_of(observation),)
    assert env.state().shape == (size_of(state),)


@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_observation__reads_back_as_the_position(players: int, information: str) -> None:
    chance = random.Random(players)
    cases = [
        (RuleSet(players=players), False),
        (RuleSet(players=players, decline_income=True, influence_ignores_baron=True), False),
        (RuleSet.preset("french", players), False),
    ]
    for seed, (rules, skip) in enumerate(cases):
        for env, memory, ply in played_game(rules, information, 10 * players + seed, skip):
            if ply == 0 or is_done(env) or chance.random() < 0.15:
                check_all_seats(env, memory, f"{players} players, game {seed}, ply {ply}")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_observation__reads_back_in_short_games(players: int) -> None:
    for rounds in (1, 2, 4):
        rules = RuleSet(players=players, rounds=rounds)
        for env, memory, ply in played_game(rules, "recall", rounds):
            if ply % 9 == 0 or is_done(env):
                check_all_seats(env, memory, f"{rounds} rounds, ply {ply}")


def test_observation__the_games_of_this_file_light_every_feature() -> None:
    dark = {feature.name for feature in state_features(RuleSet(players=4), "recall")}
    for seed in range(4):
        for env, _, _ in played_game(RuleSet(decline_income=True), "recall", seed):
            vectors = [env.observe(agent)["observation"] for agent in env.possible_agents]
            for feature in env.game.features:
                if any(vector[feature.slice].any() for vector in vectors):
                    dark.discard(feature.name)
            state = env.state()
            dark -= {f.name for f in env.game.state_features if state[f.slice].any()}
    assert dark == set()


def crowded(players: int) -> dict[str, Any]:
    """Amounts beyond every cap, and ties."""
    n = players
    return {
        "silver": [0, 63, 64, 999_999][:n],
        "squires": [65, 1, 1000, 64][:n],
        "prestige": [32, 33, 31, 100_000][:n],
        "floors": [15, 16, 17, 400][:n],
    }


def full_board(players: int) -> dict[str, list[int]]:
    areas = [a for a in AREAS if players > 2 or a.split(".")[0] not in ("patriarchate", "nobility")]
    amounts = [0, 1, 1, 31, 32, 32, 33, 10_000, 5, 0]
    return {
        area: [amounts[(3 * index + 2 * seat) % len(amounts)] for seat in range(players)]
        for index, area in enumerate(areas)
    }


def crowded_positions(players: int) -> list[Position]:
    """Hand-made positions of every kind of decision that would be rare in play."""
    n, board, rich = players, full_board(players), crowded(players)
    last = n - 1
    no_templars = {a: [0] * n if a.startswith("templars") else c for a, c in board.items()}
    no_palace = {a: [0] * n if a.startswith("palace") else c for a, c in board.items()}
    many = {"hands": [["move_2"] * 4 + ["squire"] * 3, ["silver_2"] * 3, ["genoa"], []][:n]}
    order = {"offices": list(OFFICES[4 - n :][::-1])}
    decline = [{"squire": 1 + s, "silver": 17 * s, "prestige": 16} for s in range(n)]
    turn = {"arrivals": {"palace.large": 7, "davids_tower": 9}, "hired": 9, "genoa": True}
    barons = ["templars.left", "market.right", *[None] * (n - 2)]
    origin = next(a for a in board if board[a][last] > 0 and a not in barons)
    moving = {"source": "move_2", "left": 1, "from": origin}
    bidding = {"office": "admiral", "bid": 63, "bidder": 1, "opener": 1}
    return [
        build_position({"players": n}, board=board, **rich, **many),
        build_position({"players": n}, phase="turn", board=board, turn=turn, **rich, **order),
        build_position({"players": n}, round=5, phase="open", board=board, **rich),
        build_position(
            {"players": n},
            round=3,
            phase="bid",
            board=board,
            **rich,
            auction=bidding,
            to_act=2 % n,
        ),
        build_position({"players": n}, round=4, phase="draft", board=board, **rich, **order),
        build_position(
            {"players": n}, phase="drop", board=board, pending=moving, to_act=last, barons=barons
        ),
        build_position({"players": n}, round=4, phase="market", board=board, silver=[9] * n)
        if n == 2
        else build_position({"players": n}, round=4, phase="nobility", board=board, **rich),
        build_position(
            {"players": n, "decline_income": True},
            phase="income",
            board=board,
            silver=[99] * n,
            squires=[99] * n,
            prestige=[99] * n,
            pending={"may_decline": decline},
        ),
        build_position(
            {"players": n},
            phase="succession",
            round=4,
            board=no_palace,
            barons=barons,
            pending={"lost": [17, 2, 0, 16][:n], "saved": 0},
        ),
        build_position(
            {"players": n},
            phase="special_tax",
            round=3,
            board={"market.left": [40] * n, "market.large": [16] * n, "market.right": [2] * n},
            pending={"kept": {"market.left": 17, "market.large": 16, "market.right": 1}},
        ),
        build_position(
            {"players": n},
            phase="war",
            board=no_templars,
            barons=barons,
            pending={"left": 17, "hits": [0, 1, 2, 2][:n]},
        ),
        build_position({"players": n}, phase="over", board=board, barons=barons, **rich, **order),
    ]


@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_observation__reads_back_in_crowded_positions(players: int, information: str) -> None:
    for index, position in enumerate(crowded_positions(players)):
        rules = RuleSet.from_dict(position["ruleset"])
        env = jerusalem_v0.raw_env(rules=rules, information=information)
        env.set_position(position)
        check_all_seats(env, Memory(position), f"position {index} ({position['phase']})")
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.state_space.contains(env.state())


@pytest.mark.parametrize("information", MODES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_spaces__contain_what_is_observed_at_every_step(players: int, information: str) -> None:
    for env, _, ply in played_game(RuleSet(players=players), information, players, True):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen), f"{agent}, ply {ply}"
            acts = agent == env.agent_selection and not is_done(env)
            assert bool(seen["action_mask"].any()) == acts, f"{agent}, ply {ply}"
        assert env.state_space.contains(env.state()), f"ply {ply}"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_recall__remembers_the_played_history(players: int) -> None:
    names = ("passed_on", "drafted_after_me", "played")
    for seed in range(3):
        total = dict.fromkeys(names, 0)
        for env, memory, ply in played_game(RuleSet(players=players), "recall", 50 + seed):
            if not (is_done(env) or ply % 5 == 0):
                continue
            table = [feature for feature in env.game.features if feature.name in names]
            for seat in range(players):
                amounts = expected(env.position(), seat, "recall", memory)
                vector = env.observe(f"player_{seat}")["observation"]
                wanted = {name: amounts[name] for name in names}
                check(tuple(table), vector, wanted, f"ply {ply}, seat {seat}")
                if is_done(env):
                    for name in names:
                        total[name] += sum(wanted[name].values())
        # Five drafts: of n cards the k-th passes on n - k, and n - k seats draft after him.
        assert total["passed_on"] == total["drafted_after_me"] == 5 * players * (players - 1) // 2
        assert total["played"] == players * len(memory.played) > 0


def test_recall__starts_afresh_after_set_position() -> None:
    rules = RuleSet(players=3)
    for env, memory, _ in played_game(rules, "recall", 1):
        position = env.position()
        if position["round"] == 3 and position["phase"] == "turn" and memory.played:
            break
    other = jerusalem_v0.raw_env(rules=rules, information="recall", skip_forced=False)
    other.set_position(position)
    memory = Memory(position)
    check_all_seats(other, memory, "as read")
    player = Player(3)
    for ply in range(60):
        before, action = other.position(), player(other)
        other.step(action)
        memory.note(before, other.action_names[action], other.position())
        check_all_seats(other, memory, f"{ply} plies after reading")


def test_observation__hides_by_mode() -> None:
    position = build_position({"players": 3}, silver=[1, 2, 3], squires=[4, 5, 6])
    sizes = {}
    for information in MODES:
        env = jerusalem_v0.raw_env(players=3, information=information)  # type: ignore[arg-type]
        env.set_position(position)
        before = env.observe("player_0")["observation"]
        env.set_position(position | {"silver": [1, 9, 3], "squires": [4, 5, 8]})
        sizes[information] = int((env.observe("player_0")["observation"] != before).sum())
    assert sizes == {"screen": 0, "recall": 2}


def test_names__of_the_tables_are_those_of_the_rules() -> None:
    table = {f.name: f.labels for f in features(RuleSet(players=4))}
    assert table["my_hand"] == tuple(CARDS)
    assert table["event_now"] == EVENTS
    assert table["arrivals"] == tuple(AREAS)
    assert table["kept"] == MARKET_AREAS
    assert table["may_decline"] == RESOURCES
    assert table["auction_office"] == OFFICES
    two = {f.name: f.labels for f in features(RuleSet(players=2))}
    assert two["arrivals"] == tuple(Reference(build_position({"players": 2})).areas)
    assert two["auction_office"] == OFFICES[2:]
