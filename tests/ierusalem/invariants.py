"""Invariants I1-I15 of VI.a as checks of a position, or of a step from one position to the next.

`broken_invariants` says what is wrong in words. I16 (turning the table) is `turned`, which
`test_invariants` plays with, as it does I17 (the same position and action, the same game).
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from tests.ierusalem.reference_box import AREAS, LOCATIONS, Data, data_of

Position = dict[str, Any]
Checker = Callable[[Position, Data], Iterator[str]]
StepChecker = Callable[[Position, str, Position, Data], Iterator[str]]

# Decisions in the middle of a sub-flow, with those that open them (I14).
MIDDLES = {
    "column": ("play",),
    "from": ("supper",),
    "give": ("favor",),
    "change_to": ("change",),
    "swap_with": ("swap",),
    "seat": ("apostle",),
}


def seats_of(position: Position) -> range:
    """The seats of the players."""
    return range(len(position["camp"]))


def at_supper(position: Position, seat: int | str) -> int:
    """Followers of a seat, or neutral ones, at the Supper."""
    # 0 and False, 1 and True are equal: only seats and "neutral" stand there.
    return sum(owner == seat for owner in position["supper"].values() if owner is not None)


def all_seated(position: Position) -> bool:
    """Whether all Apostles are at the table."""
    return None not in position["seats"].values()


def pool_of(position: Position) -> list[str]:
    """Cards in the air during Redistribute."""
    return list(position["choice"]["pool"]) if position["phase"] == "arrange" else []


def on_columns(position: Position, seat: int) -> list[str]:
    """Cards on a seat's own columns, with those it is rearranging."""
    cards = [card for column in position["columns"][seat] for card in column]
    return cards + (pool_of(position) if position["turn"] == seat else [])


def in_play_order(data: Data, cards: list[str]) -> bool:
    """Whether cards are listed in the order of the kinds, none twice."""
    return cards == data.in_order(set(cards))


# --- a position ------------------------------------------------------------------------------


def check_I1_followers(p: Position, data: Data) -> Iterator[str]:
    each = data["components", "followers_each"]
    pending = {int(step.split()[1]) for step in p["steps"] if step.startswith("settle ")}
    if p["phase"] == "settle":
        pending.add(p["to_act"])
    for seat in seats_of(p):
        found = p["camp"][seat] + sum(p["areas"][seat]) + at_supper(p, seat)
        wanted = each - (seat in pending)
        if found != wanted or p["camp"][seat] < 0:
            yield f"seat {seat} has {found} followers instead of {wanted}"
    neutral = data["setup", "neutral_with_3"] if len(p["camp"]) == 3 else []
    if [s for s, owner in p["supper"].items() if owner == "neutral"] != [
        space for space in p["supper"] if space in neutral
    ]:
        yield "the neutral followers are not where they began"


def check_I2_areas(p: Position, data: Data) -> Iterator[str]:
    squares = data["locations", "squares"][str(len(p["camp"]))]
    most = data["locations", "max_each"]
    for index, area in enumerate(AREAS):
        counts = [areas[index] for areas in p["areas"]]
        if sum(counts) > squares:
            yield f"{area} holds {sum(counts)} of {squares}"
        if not all(0 <= count <= most for count in counts):
            yield f"{area} holds {counts} with {most} each at most"


def check_I3_starting_cards(p: Position, data: Data) -> Iterator[str]:
    for seat in seats_of(p):
        ten = data["cards.starting", p["colours"][seat]]
        found = [c for c in p["hands"][seat] + on_columns(p, seat) if data.back(c) == "starting"]
        if Counter(found + p["decks"][seat] + p["discards"][seat]) != Counter(ten):
            yield f"seat {seat} does not have its ten starting cards"
        if not in_play_order(data, p["hands"][seat]):
            yield f"the hand of seat {seat} is not in the order of the kinds"
        if not in_play_order(data, p["discards"][seat]):
            yield f"the discards of seat {seat} are not in the order of the kinds"


def check_I4_common_cards(p: Position, data: Data) -> Iterator[str]:
    display = [card for card in p["display"] if card is not None]
    held = [c for seat in seats_of(p) for c in p["hands"][seat] + on_columns(p, seat)]
    for back, cards in (("mahane", data.mahane), ("xxxiii", data.xxxiii)):
        found = p[back] + [card for card in held if data.back(card) == back]
        found += display if back == "mahane" else []
        if Counter(found) != Counter(cards):
            yield f"the {back} cards are not all there once"
        if not 0 <= p[f"{back}_tail"] <= len(p[back]):
            yield f"{back}_tail is {p[f'{back}_tail']} of {len(p[back])} cards"
    if len(display) < 2 and p["mahane"]:
        yield "a display slot is empty beside a pile"
    for seat in seats_of(p):
        known = p["known_hands"][seat]
        if not set(known) <= set(p["hands"][seat]) or not in_play_order(data, known):
            yield f"known_hands of seat {seat} are not cards of its hand in order"
        if any(data.back(card) == "starting" for card in known):
            yield f"known_hands of seat {seat} has a starting card"


def check_I5_apostles(p: Position, data: Data) -> Iterator[str]:
    rules = p["ruleset"]
    supply = data["apostles", "columns_" + rules.get("apostle_columns", "mixed")]
    seated = [colour for colour in p["seats"].values() if colour is not None]
    left = [colour for column in p["apostles"] for colour in column]
    if Counter(seated + left) != Counter(colour for column in supply for colour in column):
        yield "the Apostles are not all there once"
    for index, column in enumerate(p["apostles"]):
        if Counter(column) - Counter(supply[index]):
            yield f"apostle column {index} has Apostles of another"


def check_I6_favors(p: Position, data: Data) -> Iterator[str]:
    given: Counter[str] = Counter()
    for seat in seats_of(p):
        left, done = p["favors"][seat], p["favors_done"][seat]
        between = "favor_done" in p["steps"] and p["turn"] == seat
        if len(left) + done + between != len(data.markers):
            yield f"seat {seat} has {len(left)} markers left after {done} Favors"
        if left != [marker for marker in data.markers if marker in left]:
            yield f"the markers of seat {seat} are not in order"
        if p["blocked"][seat] != (done < data["favors", "unblock_at"]):
            yield f"blocked-warehouse tile of seat {seat} after {done} Favors"
        given.update(data.symbol(marker) for marker in data.markers if marker not in left)
    for symbol in LOCATIONS:
        held = [symbols[symbol] for symbols in p["symbols_held"]]
        if sum(held) > given[symbol] or min(held) < 0:
            yield f"{held} symbols {symbol} held, {given[symbol]} given"


def check_I7_parables(p: Position, data: Data) -> Iterator[str]:
    n = len(p["camp"])
    for number, stack in enumerate(p["parable_stacks"], start=1):
        taken = sum(k >= number for k in p["parables"])
        if stack != data["parables", "points"][:n][taken:]:
            yield f"Parable stack {number} is {stack} after {taken} were taken"
    for seat, tiles in enumerate(p["parables"]):
        needed = [data.listeners_needed(k) for k in range(1, tiles + 1)]
        if not 0 <= tiles <= len(p["parable_stacks"]) or at_supper(p, seat) < max(
            needed, default=0
        ):
            yield f"seat {seat} has {tiles} Parables with {at_supper(p, seat)} at the Supper"


def check_I8_offerings(p: Position, data: Data) -> Iterator[str]:
    for seat in seats_of(p):
        if not data["setup", "offerings"] <= p["offerings"][seat] <= at_supper(p, seat):
            yield f"seat {seat} has {p['offerings'][seat]} Offerings"


def check_I9_sanhedrin(p: Position, data: Data) -> Iterator[str]:
    if not 0 <= p["sanhedrin"] <= data["sanhedrin", "last_space"]:
        yield f"the marker is on {p['sanhedrin']}"
    # For the rest of the visit that seats the last Apostle they stay (A20).
    if p["judgments_on"] != (not all_seated(p) or p["visit"] is not None):
        yield f"judgments_on is {p['judgments_on']}"
    if sorted(p["judgments"]) != sorted(data["sanhedrin", "tiles"]):
        yield "the judgments are not all there once"


def check_I10_money(p: Position, data: Data) -> Iterator[str]:
    for seat in seats_of(p):
        if min(p["denarii"][seat], *p["resources"][seat]) < 0:
            yield f"seat {seat} has less than nothing"


def check_I14_pool(p: Position, data: Data) -> Iterator[str]:
    if p["phase"] == "arrange":
        column, pool = p["choice"]["column"], p["choice"]["pool"]
        if not pool or not in_play_order(data, pool):
            yield "the pool is empty or not in the order of the kinds"
        if any(p["columns"][p["turn"]][column:]):
            yield "cards on columns whose turn is still to come"


def check_I15_one_decider(p: Position, data: Data) -> Iterator[str]:
    called = p["phase"] == "call" and p["choice"]["must"]
    if p["stage"] == "over":
        right = p["to_act"] is None and p["phase"] == "over" and p["steps"] == []
    elif p["stage"] == "settle":
        right = p["to_act"] is not None and p["turn"] is None
    else:
        right = p["to_act"] is not None and called == (p["to_act"] != p["turn"])
    if not right:
        yield f"{p['to_act']} decides in phase {p['phase']} in the turn of {p['turn']}"


# --- a step ----------------------------------------------------------------------------------


def step_I1_nothing_leaves(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    for seat in seats_of(new):
        if at_supper(new, seat) < at_supper(old, seat):
            yield f"a follower of seat {seat} left the Supper"


def step_I5_seated_stay(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    for seat, colour in old["seats"].items():
        if colour is not None and new["seats"][seat] != colour:
            yield f"the Apostle on {seat} moved"


def step_I6_symbols(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    """Held by all + used = given: markers given bring symbols, only visits use them."""
    given: Counter[str] = Counter()
    for before, after in zip(old["favors"], new["favors"], strict=True):
        given.update(data.symbol(marker) for marker in set(before) - set(after))
    used: Counter[str] = Counter()
    visit = old["visit"] or _visit_of(action)
    if visit is not None and new["visit"] is None:
        cards = old["columns"][old["turn"]][visit[0]] if visit[0] < 3 else []
        used = Counter(old["symbols"][visit[1]]) - Counter(card.split(".")[0] for card in cards)
    for symbol in LOCATIONS:
        before, after = (sum(x[symbol] for x in p["symbols_held"]) for p in (old, new))
        if after != before + given[symbol] - used[symbol]:
            yield f"{after} symbols {symbol} held after {before}"


def step_I8_offerings(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    for before, after in zip(old["offerings"], new["offerings"], strict=True):
        if after < before:
            yield "an Offering is gone"


def step_I9_marker(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    if new["sanhedrin"] < old["sanhedrin"]:
        yield "the marker fell"
    if new["judgments_on"] and not old["judgments_on"]:
        yield "the judgments came back"


def step_I10_money(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    for seat, (change, wanted) in enumerate(
        zip(_gains(old, new, "denarii"), _denarii_of_step(old, action, new, data), strict=True)
    ):
        if change != wanted:
            yield f"Denarii of seat {seat} changed by {change} instead of {wanted} by {action!r}"


def step_I11_points(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    if new["stage"] != "over" and min(_gains(old, new, "points")) < 0:
        yield "points fell"


def step_I12_camp(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    if old["turn"] is not None and (new["turns"] > old["turns"] or new["stage"] == "over"):
        me = old["turn"]
        squares = data["warehouse", "capacity" if new["blocked"][me] else "capacity_unblocked"]
        people = new["camp"][me] + new["offerings"][me]
        resources = sum(new["resources"][me])
        most = data["components", "followers_each"]  # as Offerings <= followers at the Supper
        if people + resources > squares and (resources > 0 or people > most):  # A27
            yield f"{people} + {resources} on {squares} squares of seat {me}"


def step_I13_hand(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    if new["turns"] > old["turns"] or new["stage"] == "over":
        seats = seats_of(new) if old["turn"] is None else [old["turn"]]
        limit = data["setup", "hand"]
        for seat in seats:
            size, more = len(new["hands"][seat]), new["decks"][seat] or new["discards"][seat]
            if size > limit or (size < limit and more):
                yield f"seat {seat} holds {size} cards after its refill"


def step_I14_sub_choices(old: Position, action: str, new: Position, data: Data) -> Iterator[str]:
    same_turn = new["turns"] == old["turns"]
    if new["phase"] in MIDDLES and old["phase"] in MIDDLES[new["phase"]] and same_turn:
        moved = [f for f in new if f not in ("phase", "choice") and new[f] != old[f]]
        if moved:
            yield f"{moved} changed before the last choice of {old['phase']}"
    if new["phase"] == "arrange":
        moved = [f for f in new if f not in ("phase", "choice", "columns") and new[f] != old[f]]
        seats = seats_of(new)
        if moved or any(Counter(on_columns(new, s)) != Counter(on_columns(old, s)) for s in seats):
            yield f"more than the pool moved: {moved}"


def _gains(old: Position, new: Position, field: str) -> list[int]:
    return [after - before for before, after in zip(old[field], new[field], strict=True)]


def _visit_of(action: str) -> list[int] | None:
    found = re.fullmatch(r"visit (column\.\d|favors) apostles\.(\d)", action)
    if found is None:
        return None
    return [("column.1", "column.2", "column.3", "favors").index(found[1]), int(found[2]) - 1]


def _denarii_of_step(old: Position, action: str, new: Position, data: Data) -> list[int]:
    """By seat, what I10 lets the Denarii change by in this step."""
    change = [0] * len(old["denarii"])
    me, (word, *rest) = old["to_act"], action.split()
    phase = old["phase"]
    if word == "draw" and phase == "market":
        change[me] -= data["locations", "market_card_price"]
    elif word == "draw" and phase == "purchase":
        change[me] -= data["locations", "purchase_price"]
    elif word in ("buy", "sell"):
        change[me] += data["locations", "trade_price"][rest[0]] * (1 if word == "sell" else -1)
    elif phase == "temple" and word in ("follower", "displace"):
        price = data["locations", "recruit_price"][rest[-1]]
        change[me] -= price
        if word == "displace":
            change[me] -= data["locations", "displace_extra"]
            change[(me + int(rest[0])) % len(change)] += price
    elif word == "give" and old["choice"]["marker"].startswith("denarii_"):
        receiver = (me + int(rest[0])) % len(change)
        change[receiver] += int(old["choice"]["marker"].removeprefix("denarii_"))
    if (action == "apostle judas" and phase == "illuminate") or (
        phase == "seat" and old["choice"]["colour"] == "judas"
    ):
        change[me] += data["apostles", "judas_denarii"]
    space = old["choice"]["space"] if phase == "from" else rest[0] if word == "space" else None
    if space is not None and phase != "swap_with" and new["phase"] != "from":
        effect = data.effect[space]
        if effect == "denarius":
            change[me] += data["actions", "denarius"]
        elif effect.startswith("denarii_"):
            change[me] += int(effect.removeprefix("denarii_"))
    for seat in seats_of(new):
        for number in range(old["parables"][seat], new["parables"][seat]):
            if data["parables", "rewards"][number] == "denarius":
                change[seat] += data["actions", "denarius"]
        for done in range(old["favors_done"][seat] + 1, new["favors_done"][seat] + 1):
            change[seat] += data["favors", "denarii_at"].get(str(done), 0)
    if old["turn"] is not None:
        change[old["turn"]] += data["actions", "denarius"] * _times("denarius", old, new)
    return change


def _times(step: str, old: Position, new: Position) -> int:
    """How often a step of a card or one that was pending has been taken."""
    pending = list(old["steps"])
    if old["phase"] == "column":
        pending += old["choice"]["card"].split(".")[1].split("+")
    same = new["turns"] == old["turns"] and new["stage"] == old["stage"]
    return pending.count(step) - (new["steps"].count(step) if same else 0)


# --- all of them -----------------------------------------------------------------------------


def _named(kind: str) -> list[Any]:
    return [check for name, check in sorted(globals().items()) if name.startswith(f"{kind}_I")]


CHECKS: list[Checker] = _named("check")
STEP_CHECKS: list[StepChecker] = _named("step")


def broken_invariants(
    position: Position, previous: Position | None = None, action: str = ""
) -> list[str]:
    """What is wrong with a position, or with the step by `action` from the previous one."""
    data = data_of(position["ruleset"].get("data", "box"))
    found = [f"{_id(check)}: {what}" for check in CHECKS for what in check(position, data)]
    if previous is not None:
        for step in STEP_CHECKS:
            found += [f"{_id(step)}: {what}" for what in step(previous, action, position, data)]
    return found


def _id(check: Any) -> str:
    return str(check.__name__).split("_")[1]


# --- I16 -------------------------------------------------------------------------------------


def turned(position: Position, by: int) -> Position:
    """The position with everybody, and all he owns, `by` seats further round the table."""
    p = copy.deepcopy(position)
    n = len(p["camp"])

    def seat(old: int | None) -> int | None:
        return None if old is None else (old + by) % n

    by_seat = ("colours", "areas", "camp", "resources", "offerings", "blocked", "denarii", "points")
    by_seat += ("illumination", "favors", "favors_done", "symbols_held", "parables", "hands")
    by_seat += ("discards", "known_hands", "decks", "shuffles", "columns")
    for field in by_seat:
        p[field] = [p[field][(new - by) % n] for new in range(n)]
    for field in ("to_act", "turn", "start"):
        p[field] = seat(p[field])
    p["supper"] = {
        space: owner if owner == "neutral" else seat(owner) for space, owner in p["supper"].items()
    }
    p["steps"] = [
        re.sub(r"\d+$", lambda found: str(seat(int(found[0]))), step)
        if step.startswith(("settle ", "receive "))
        else step
        for step in p["steps"]
    ]
    rules = p["ruleset"]
    rules["first_player"] = seat(rules["first_player"])
    if rules["colours"] is not None:
        rules["colours"] = [rules["colours"][(new - by) % n] for new in range(n)]
    return p


__all__ = ["CHECKS", "STEP_CHECKS", "broken_invariants", "turned"]
