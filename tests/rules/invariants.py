"""Invariants I1-I20 and the bounds of VI.b as checks of a step, an event or a game."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.random_play import choose
from tests.reference_engine import (
    OFFICES,
    TOWER,
    Position,
    build_position,
    deck_of,
    income_of,
    offices_in_play,
)
from tests.table import NO_INCOME, Table, gained, squires_of

PLAYERS = (2, 3, 4)


STORES = ("squires", "silver", "prestige")


TURN, TOWER_STEP, PATRIARCHATE, MARKET, NOBILITY, INCOME, EVENT = range(2, 9)


STAGES = {
    **dict.fromkeys(("open", "bid"), 0),
    "draft": 1,
    **dict.fromkeys(("turn", "dismiss", "lift", "drop", "take", "target"), TURN),
    **{TOWER: TOWER_STEP, "patriarchate": PATRIARCHATE, "market": MARKET, "nobility": NOBILITY},
    "income": INCOME,
    **dict.fromkeys(("succession", "special_tax", "war"), EVENT),
    "over": 9,
}


PALACE = ("palace.large", "palace.left", "palace.right")


WATCHDOG = 10_000


def stage(position: Position) -> int:
    """Where in its round a position is."""
    return STAGES[position["phase"]]


def crosses(before: Position, after: Position, step: int) -> bool:
    """Whether a step of the round is reached between these two decisions."""
    reached = after["round"] > before["round"] or stage(after) >= step
    return stage(before) < step and reached


def sector(position: Position, name: str) -> list[str]:
    """Areas of a sector that are in play."""
    return [area for area in position["board"] if area.split(".")[0] == name]


def holder(position: Position, areas: Iterable[str]) -> int | None:
    """Who has most squires in these areas together (R7.1, R12.3)."""
    total: Counter[int] = Counter()
    for area in areas:
        total.update(dict(enumerate(position["board"][area])))
    best = max(total.values(), default=0)
    seats = [seat for seat, count in total.items() if count == best]
    offices = position["offices"]
    return min(seats, key=lambda seat: OFFICES.index(offices[seat])) if best else None


def after_tower(before: Position, action: str) -> Position:
    """The position with the Tower's move made, as income and event find it."""
    moved = copy.deepcopy(before)
    if before["phase"] == TOWER and action != "pass":
        moved["board"][TOWER][before["to_act"]] -= 1
        moved["board"][action.split()[1]][before["to_act"]] += 1
    return moved


def _of_the_action(before: Position, action: str, after: Position, add: Any) -> None:
    """What the action itself pays and costs."""
    me, turn, pending = before["to_act"], before["turn"], before["pending"]
    verb, *rest = action.split()
    if before["phase"] == "bid" and after["phase"] != "bid":  # sold: I3, only the winner pays
        auction = before["auction"]
        winner, price = (me, int(rest[0])) if verb == "bid" else (auction["bidder"], auction["bid"])
        add("silver", winner, -price)
    elif verb == "place":
        add("squires", me, -1)
    elif verb == "hire":
        discount = before["offices"][me] == "treasurer" and turn["hired"] < 2
        price = turn["hired"] + 1 if discount else 2 if turn["genoa"] else 3
        add("silver", me, -price)
        add("squires", me, 1)
    elif (verb == "dismiss" and pending.get("left") == 1) or action == "marshal silver":
        add("silver", me, 1)
    elif verb == "play":
        gains = {"squire": (1, 0, 0), "silver_2": (0, 2, 0), "prestige_2": (0, 0, 2)}
        gains["squire_silver"] = (1, 1, 0)
        for store, amount in zip(STORES, gains.get(rest[0], (0, 0, 0)), strict=True):
            add(store, me, amount)
    elif verb in ("take", "decline"):
        store = "squires" if rest[0] == "squire" else rest[0]
        add(store, me, 1 if verb == "take" else -1)
    elif action == "buy card":
        add("squires", me, -1)
    elif verb == "buy":
        add("silver", me, -2 * int(rest[1]))
        add("prestige", me, int(rest[1]))
    elif verb == "steal":
        victim = (me + int(rest[0])) % len(before["offices"])
        add("prestige", me, 1)
        add("prestige", victim, -1 if before["prestige"][victim] else 0)
    elif verb == "keep":
        add("silver", me, -1)


def changes(before: Position, action: str, after: Position) -> dict[str, list[int]]:
    """By store and seat, what this step brings and takes; prestige without what building costs."""
    rules, n = before["ruleset"], len(before["offices"])
    change = {store: [0] * n for store in STORES}

    def add(store: str, seat: int, amount: int) -> None:
        change[store][seat] += amount

    _of_the_action(before, action, after, add)
    begins = before["phase"] == "draft" or (before["phase"] == "turn" and action == "pass")
    if begins and after["phase"] == "turn":  # R6.2, R10.4
        seat = after["to_act"]
        office = before["offices"][seat] or after["offices"][seat]
        add("squires", seat, {"captain": 7, "treasurer": 6, "marshal": 5, "admiral": 4}[office])
        add("silver", seat, int(office == "admiral"))
    if crosses(before, after, TOWER_STEP):
        keeper = holder(before, [TOWER])
        if keeper is not None:
            add("silver", keeper, 1)
    if crosses(before, after, INCOME):
        board = after_tower(before, action)
        for area in board["board"]:
            seat = holder(board, [area])
            for store, units in zip(STORES, income_of(rules, area), strict=True):
                if seat is not None:
                    add(store, seat, units)
    if crosses(before, after, EVENT) and before["round"] == rules["rounds"]:  # gifts, R13
        for store in ("squires", "silver"):
            have = [old + new for old, new in zip(before[store], change[store], strict=True)]
            winners = [seat for seat in range(n) if have[seat] == max(have)]
            for seat in winners if max(have) or rules["zero_ties_win_gifts"] else []:
                add("prestige", seat, 3 if len(winners) == 1 else 1)
        for seat in range(n):
            add("prestige", seat, int(bool(after["hands"][seat])))
    return change


def check_I1_squires_flow(before: Position, action: str, after: Position) -> None:
    """Supply and board gain exactly what they are given; nothing comes back to the supply."""
    assert gained(before, after, "squires") == changes(before, action, after)["squires"]
    assert min(min(counts) for counts in after["board"].values()) >= 0
    if after["round"] > before["round"] or stage(after) == EVENT:
        return  # an event in between; I9 - I12
    board = [0] * len(before["squires"])
    verb, me = action.split()[0], before["to_act"]
    if verb == "place" or (verb == "drop" and "influence" in before["pending"].get("source", "")):
        board[me] = 1
    elif verb == "dismiss":
        board[me] = -1
    growth = [squires_of(after, s) - squires_of(before, s) for s in range(len(board))]
    assert growth == board


def check_I2_moves_keep_totals(before: Position, action: str, after: Position) -> None:
    """Moves keep the mover's total; the defector keeps all totals of players and areas."""
    moves = before["phase"] == "target"
    moves |= before["phase"] == "drop" and before["pending"]["from"] is not None
    if moves:
        for seat in range(len(before["squires"])):
            assert squires_of(before, seat) == squires_of(after, seat)
        changed = {a for a in before["board"] if before["board"][a] != after["board"][a]}
        assert len(changed) == 2
        same_area = [sum(before["board"][a]) == sum(after["board"][a]) for a in changed]
        assert all(same_area) == (before["phase"] == "target")


def check_I3_silver(before: Position, action: str, after: Position) -> None:
    """Each player's silver changes by what the rules name and nothing else; it is never below 0."""
    assert gained(before, after, "silver") == changes(before, action, after)["silver"]
    assert min(after["silver"]) >= 0


def check_I4_offices(before: Position, action: str, after: Position) -> None:
    """After phase 1 every office in play is held once; before, none twice."""
    held = [office for office in after["offices"] if office is not None]
    in_play = list(offices_in_play(len(after["offices"])))
    assert len(set(held)) == len(held)
    assert set(held) <= set(in_play)
    assert stage(after) == 0 or sorted(held) == sorted(in_play)
    if after["round"] > before["round"]:
        assert after["last_offices"] == before["offices"]
    elif stage(before) > 0:
        assert after["offices"] == before["offices"]


def check_I5_cards(before: Position, action: str, after: Position) -> None:
    """All cards are somewhere, discards stay, n cards are laid out, hands have their bound."""
    n = len(after["hands"])
    cards = after["pile"] + after["draft_pool"] + after["discards"]
    cards += [card for hand in after["hands"] for card in hand]
    assert Counter(cards) == Counter(deck_of(n))
    assert not Counter(before["discards"]) - Counter(after["discards"])
    assert stage(after) > 0 or len(after["draft_pool"]) == n
    most = after["round"] if n == 2 else 2 * after["round"] - 1
    assert stage(after) > TURN or max(map(len, after["hands"])) <= most


def check_I6_barons(before: Position, action: str, after: Position) -> None:
    """One an area; off the board in phase 1; large Palace only for whom it is allowed."""
    areas = [area for area in after["barons"] if area is not None]
    assert len(set(areas)) == len(areas)
    if after["round"] > before["round"] or stage(after) < TURN:
        assert not areas
        return
    seats = range(len(after["barons"]))
    moved = {s: after["barons"][s] for s in seats if after["barons"][s] != before["barons"][s]}
    if not action.startswith("baron"):
        assert not moved
        return
    me, where = before["to_act"], action.split()[1]
    assert moved == {me: where}
    assert before["barons"][me] is None
    if where == PALACE[0]:
        assert before["round"] > 1 or before["ruleset"]["palace_baron_round_1"]
        top = max(before["floors"])
        rivals = [p for p, f in zip(before["prestige"], before["floors"], strict=True) if f == top]
        assert before["floors"][me] < top or before["prestige"][me] < max(rivals)


def check_I7_blocked_areas(before: Position, action: str, after: Position) -> None:
    """Until phase 4 nothing enters or leaves a blocked area, but by the two switches."""
    if after["round"] > before["round"] or stage(after) == EVENT:
        return
    rules, me = before["ruleset"], before["to_act"]
    source = before["pending"].get("source", "")
    may_grow = rules["influence_ignores_baron"] and source.startswith("influence")
    may_shrink = rules["move_card_may_leave_blocked"] and source == "move_2"
    for area in filter(None, before["barons"]):
        counts = zip(before["board"][area], after["board"][area], strict=True)
        change = [new - old for old, new in counts]
        mine = change.pop(me)
        assert not any(change)
        assert mine == 0 or (mine == 1 and may_grow) or (mine == -1 and may_shrink)


def check_I8_phases(before: Position, action: str, after: Position) -> None:
    """Phase 1 leaves the board alone; phase 3 moves at most the Tower's one squire."""
    if after["round"] > before["round"] or stage(after) == EVENT:
        return
    if stage(before) < TURN:
        assert after["board"] == before["board"]
    elif stage(before) > TURN or (before["phase"] == "turn" and action == "pass"):
        assert after["board"] == after_tower(before, action)["board"]


def check_I13_keeps(before: Position, action: str, after: Position) -> None:
    """Keeps never fall; floor f cost f + 1, and each new highest floor once 1 more."""
    came, grew = changes(before, action, after)["prestige"], gained(before, after, "prestige")
    spent = [come - growth for come, growth in zip(came, grew, strict=True)]
    plain = []
    for old, new in zip(before["floors"], after["floors"], strict=True):
        assert new >= old
        plain.append(sum(floor + 1 for floor in range(old + 1, new + 1)))
    surcharges = [paid - price for paid, price in zip(spent, plain, strict=True)]
    assert min(surcharges) >= 0
    assert sum(surcharges) == max(after["floors"]) - max(before["floors"])
    if not crosses(before, after, EVENT):
        assert spent == [0] * len(spent)


def check_I14_all_is_built(before: Position, action: str, after: Position) -> None:
    """After building nobody can pay his next floor at the price it had for him."""
    if crosses(before, after, EVENT):
        for prestige, floors in zip(after["prestige"], after["floors"], strict=True):
            assert prestige <= floors + (1 if max(before["floors"]) > floors else 2)


def check_I15_prestige(before: Position, action: str, after: Position) -> None:
    """Never below 0; a theft keeps the sum, or raises it by 1 if the victim had nothing."""
    assert min(after["prestige"]) >= 0
    if action.startswith("steal") and after["phase"] == "income":  # nothing built in between
        victim = (before["to_act"] + int(action.split()[1])) % len(before["prestige"])
        income = [row["prestige"] for row in after["pending"]["may_decline"]]
        growth = sum(after["prestige"]) - sum(before["prestige"]) - sum(income)
        assert growth == (before["prestige"][victim] == 0)


def check_I16_holders(before: Position, action: str, after: Position) -> None:
    """Tower and privileges belong to the one holder, and are asked exactly when there is one."""
    if after["phase"] in (TOWER, "patriarchate", "market", "nobility"):
        assert after["to_act"] == holder(after, sector(after, after["phase"]))
    board = after_tower(before, action)
    skipped = crosses(before, after, NOBILITY) and after["phase"] != "nobility"
    if skipped and sector(board, "nobility"):
        assert holder(board, sector(board, "nobility")) is None
    skipped = crosses(before, after, MARKET) and after["phase"] != "market"
    if skipped:
        seat = holder(board, sector(board, "market"))
        tower = crosses(before, after, TOWER_STEP) and holder(before, [TOWER]) == seat
        assert seat is None or before["silver"][seat] + tower < 2


def check_I17_one_winner(before: Position, action: str, after: Position) -> None:
    """At the end a total order by keep, prestige, office; before it none."""
    if after["phase"] != "over":
        assert after["winner"] is after["ranking"] is None
        return
    strength = [
        (after["floors"][seat], after["prestige"][seat], -OFFICES.index(after["offices"][seat]))
        for seat in after["ranking"]
    ]
    assert sorted(after["ranking"]) == list(range(len(after["offices"])))
    assert strength == sorted(strength, reverse=True)
    assert after["winner"] == after["ranking"][0]
    assert after["round"] == after["ruleset"]["rounds"]


def check_I19_two_players(before: Position, action: str, after: Position) -> None:
    """2 players: nothing in, from or about Patriarchate and Nobility, no election."""
    if len(after["offices"]) == 2:
        assert not {"patriarchate", "nobility"} & {area.split(".")[0] for area in after["board"]}
        assert after["phase"] not in ("patriarchate", "nobility")
        assert "election" not in after["events"]
        assert not action.endswith(("patriarchate", "nobility", "buy card"))


STEP_CHECKS: tuple[Callable[[Position, str, Position], None], ...] = (
    check_I1_squires_flow,
    check_I2_moves_keep_totals,
    check_I3_silver,
    check_I4_offices,
    check_I5_cards,
    check_I6_barons,
    check_I7_blocked_areas,
    check_I8_phases,
    check_I13_keeps,
    check_I14_all_is_built,
    check_I15_prestige,
    check_I16_holders,
    check_I17_one_winner,
    check_I19_two_players,
)


@dataclass
class Event:
    """One event: the position it found, the decisions in it, the position it left."""

    name: str
    start: Position
    decisions: list[tuple[int, str]]
    end: Position

    def lost(self, seat: int, areas: Iterable[str]) -> int:
        """Squires of a seat gone from these areas."""
        board = zip(itertools.repeat(seat), areas)
        return sum(self.start["board"][a][s] - self.end["board"][a][s] for s, a in board)

    def untouched(self, areas: Iterable[str]) -> bool:
        """Whether these areas are as before."""
        return all(self.start["board"][area] == self.end["board"][area] for area in areas)


def check_I8_event(event: Event) -> None:
    """No event raises a player's board total, touches a supply, or, but the tax, takes silver."""
    for seat in range(len(event.start["squires"])):
        assert squires_of(event.end, seat) <= squires_of(event.start, seat)
    assert event.end["squires"] == event.start["squires"]
    assert event.name == "special_tax" or event.end["silver"] == event.start["silver"]
    for field in ("prestige", "floors", "hands"):
        assert event.end[field] == event.start[field]


def check_I9_succession(event: Event) -> None:
    """The Palace is empty but for up to 2 of each baron's own; others lose all they had there."""
    start, board = event.start["board"], event.end["board"]
    areas = set(board)
    for seat, baron in enumerate(event.start["barons"]):
        had = sum(start[area][seat] for area in PALACE)
        saved = event.decisions.count((seat, f"drop {baron}"))
        assert saved <= (min(2, had) if baron is not None else 0)
        if baron is not None:
            areas.discard(baron)
            was = 0 if baron in PALACE else start[baron][seat]
            assert board[baron][seat] == was + saved
        for area in PALACE:
            assert board[area][seat] == (saved if area == baron else 0)
        assert event.lost(seat, board) == had - saved
    assert event.untouched(areas - set(PALACE))


def check_I10_election(event: Event) -> None:
    """All present in an area concerned end at the old minimum of them; no other area changes."""
    everywhere = event.start["ruleset"]["election_all_sectors"]
    for area, counts in event.start["board"].items():
        name = area.split(".")[0]
        concerned = name in ("patriarchate", "nobility") or (everywhere and name != TOWER)
        least = min(filter(None, counts), default=0)
        expected = [least if count else 0 for count in counts] if concerned else counts
        assert event.end["board"][area] == expected


def check_I11_tax(event: Event) -> None:
    """What is left in the Market was paid for, one silver each."""
    market = sector(event.start, "market")
    assert event.untouched(set(event.start["board"]) - set(market))
    for seat in range(len(event.start["squires"])):
        paid = event.start["silver"][seat] - event.end["silver"][seat]
        assert paid == sum(event.end["board"][area][seat] for area in market)
        for area in market:
            kept = event.end["board"][area][seat]
            assert kept == event.decisions.count((seat, f"keep {area}"))
            assert kept <= event.start["board"][area][seat]


def check_I12_war(event: Event) -> None:
    """Templars empty; 2 losses per opponent elsewhere; nobody removes more than he had there."""
    templars = sector(event.start, "templars")
    assert not any(any(event.end["board"][area]) for area in templars)
    n = len(event.start["squires"])
    others = set(event.start["board"]) - set(templars)
    removed: Counter[tuple[int, int]] = Counter()
    for seat, action in event.decisions:
        if action != "pass":
            removed[seat, (seat + int(action.split()[1])) % n] += 1
    for seat in range(n):
        assert event.lost(seat, others) <= 2 * (n - 1)
        by_me = [removed[seat, other] for other in range(n)]
        strength = sum(event.start["board"][area][seat] for area in templars)
        assert sum(by_me) <= min(strength, 2 * (n - 1))
        assert max(by_me) <= 2
        assert by_me[seat] == 0


EVENT_CHECKS = {
    "succession": check_I9_succession,
    "election": check_I10_election,
    "special_tax": check_I11_tax,
    "war": check_I12_war,
}


def silver_bound(rules: dict[str, Any], number: int) -> int:
    """The most silver at the auction of this round."""
    n, k = rules["players"], number - 1
    areas = build_position(rules)["board"]
    squires, silver, _ = map(sum, zip(*(income_of(rules, area) for area in areas), strict=True))
    thirds = 6 * k if n == 2 else (0, 6, 17, 28, 35)[k]
    bound = 12 + k * (Fraction(11, 3) + silver) + max(k - 1, 0) * Fraction(squires, 3)
    return int(bound + Fraction(thirds, 3))


def check_bounds(positions: list[Position]) -> None:
    """Silver at every auction, the decisions in the auctions of a round, and in a game."""
    rules = positions[0]["ruleset"]
    n = rules["players"]
    bounds = {number: silver_bound(rules, number) for number in range(1, rules["rounds"] + 1)}
    auctions: Counter[int] = Counter()
    for position in positions:
        if position["phase"] in ("open", "bid"):
            assert max(position["silver"]) <= bounds[position["round"]]
            auctions[position["round"]] += 1
    assert max(positions[0]["silver"]) == bounds[1] == 12
    for number, decisions in auctions.items():
        assert decisions <= (n - 1) * (bounds[number] + 2) + n * (n - 1) // 2
    longest = 2100 if rules["income"] == NO_INCOME["income"] else WATCHDOG
    assert len(positions) < longest


Step = tuple[Position, str, Position]


def steps(table: Table, seed: int, stream: list[int], by_verb: bool) -> Iterator[Step]:
    """A game to its end: the first choices by the stream, the others drawn from the seed."""
    rng = random.Random(seed)
    before = table.position()
    for number in itertools.count():
        if table.to_act is None:
            return
        legal = table.legal()
        if number < len(stream):
            action = legal[stream[number] % len(legal)]
        else:
            action = choose(rng, legal, by_verb)
        table.play(action)
        after = table.position()
        yield before, action, after
        before = after


def check_game(table: Table, seed: int, stream: list[int], by_verb: bool) -> list[Position]:
    """Apply every check to every step and event of a game; all its positions."""
    positions = [table.position()]
    event: Event | None = None
    for before, action, after in steps(table, seed, stream, by_verb):
        for check in STEP_CHECKS:
            check(before, action, after)
        number = before["round"]
        if event is not None:
            event.decisions.append((before["to_act"], action))
        strikes = crosses(before, after, EVENT) and after["phase"] != "over" and 2 <= number <= 4
        if strikes:
            start = after_tower(before, action)
            change = changes(before, action, after)
            for store in ("squires", "silver"):
                start[store] = [a + b for a, b in zip(start[store], change[store], strict=True)]
            start["prestige"], start["floors"] = after["prestige"], after["floors"]
            start["hands"] = after["hands"]
            event = Event(before["events"][number - 2], start, [], after)
        if event is not None and after["round"] > event.start["round"]:
            event.end = after
            check_I8_event(event)
            EVENT_CHECKS[event.name](event)
            event = None
        positions.append(after)
        assert len(positions) < WATCHDOG
    assert positions[-1]["phase"] == "over"
    return positions


# Hands and prestige there are not bounded as in a game from the set-up.
CROWDED_CHECKS = tuple(check for check in STEP_CHECKS if check is not check_I5_cards)
