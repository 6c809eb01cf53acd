"""Random rule sets, choices and crowded positions for games that nobody planned."""

from __future__ import annotations

import random
from typing import Any

from tests.reference_engine import (
    AREAS,
    EVENTS,
    INCOME_PRESETS,
    OFFICES,
    TOWER,
    Position,
    areas_in_play,
    build_position,
    deck_of,
    full_ruleset,
    offices_in_play,
)

SWITCHES = (
    "influence_ignores_baron",
    "election_all_sectors",
    "move_card_may_leave_blocked",
    "marshal_moves_count_for_baron",
    "palace_baron_round_1",
    "decline_income",
    "zero_ties_win_gifts",
    "war_may_hit_templars",
)
PRESETS: dict[str, dict[str, bool]] = {
    "german": {},
    "dutch": {"influence_ignores_baron": True},
    "french": {"election_all_sectors": True, "move_card_may_leave_blocked": True},
}
RARE_PASS = 0.15


def random_income(rng: random.Random) -> str | list[list[int]]:
    """A preset, or a table of small numbers."""
    if rng.random() < 0.7:
        return rng.choice(sorted(INCOME_PRESETS))
    table = [[rng.randrange(3), rng.randrange(2), rng.randrange(4)] for _ in AREAS]
    table[AREAS.index(TOWER)] = [0, 0, 0]
    return table


def random_ruleset(rng: random.Random, players: int | None = None) -> dict[str, Any]:
    """A preset as it is, or any switches."""
    n = rng.choice((2, 3, 4)) if players is None else players
    rules: dict[str, Any] = {"players": n, "income": random_income(rng)}
    if rng.random() < 0.4:
        return full_ruleset({**rules, **rng.choice(list(PRESETS.values()))})
    rules |= {switch: rng.random() < 0.5 for switch in SWITCHES}
    rules["rounds"] = rng.choice((5, 5, 5, 4, 3, 2, 1))
    rules["first_opener"] = rng.choice((None, rng.randrange(n)))
    return full_ruleset(rules)


def choose(rng: random.Random, legal: list[str], by_verb: bool = True) -> str:
    """Any legal action; by verb: bids are low, passing is rare, each kind of action is as likely.

    Without it play is uniform, and large bids soon leave everybody without silver.
    """
    if not by_verb:
        return rng.choice(legal)
    if "pass" in legal and (len(legal) == 1 or rng.random() < RARE_PASS):
        return "pass"
    verbs: dict[str, list[str]] = {}
    for name in legal:
        if name != "pass":
            verbs.setdefault(name.split()[0], []).append(name)
    verb = rng.choice(sorted(verbs))
    return rng.choice(verbs[verb][:3] if verb == "bid" else verbs[verb])


def crowded_position(rng: random.Random, ruleset: dict[str, Any]) -> Position:
    """A turn in the middle of a game: a full board, barons, cards in hands."""
    rules = full_ruleset(ruleset)
    n = rules["players"]
    number = rng.randint(1, rules["rounds"])
    offices = list(offices_in_play(n))
    rng.shuffle(offices)
    order = sorted(range(n), key=lambda seat: OFFICES.index(offices[seat]))
    place = rng.randrange(n)
    me = order[place]
    areas = areas_in_play(n)
    spread = rng.choice((0.2, 0.5, 0.9))
    board = {
        area: [rng.randint(1, 5) if rng.random() < spread else 0 for _ in range(n)]
        for area in areas
    }
    barons: list[str | None] = [None] * n
    free = rng.sample(areas, n)
    for seat in order[: place + 1]:
        if rng.random() < 0.6:
            barons[seat] = free.pop()
    deck = deck_of(n)
    rng.shuffle(deck)
    genoa = rng.random() < 0.2
    played: list[str] = []
    if genoa:
        deck.remove("genoa")
        played = ["genoa"]
    most = n * number + (number - 1 if n > 2 else 0) - len(played)  # as many as may have been dealt
    hands: list[list[str]] = [[] for _ in range(n)]
    for _ in range(rng.randint(0, most)):
        rng.choice([*hands, *hands, played]).append(deck.pop())
    last = list(offices_in_play(n))
    rng.shuffle(last)
    events = rng.sample([event for event in EVENTS if n > 2 or event != "election"], 3)
    return build_position(
        rules,
        round=number,
        phase="turn",
        to_act=me,
        events=events,
        pile=deck,
        hands=hands,
        discards=sorted(played),
        offices=offices,
        last_offices=[None] * n if number == 1 else last,
        board=board,
        barons=barons,
        silver=[rng.randint(0, 14) for _ in range(n)],
        squires=[rng.randint(0, 9) for _ in range(n)],
        prestige=[rng.randint(0, 5) for _ in range(n)],
        floors=[rng.randint(0, 4) for _ in range(n)],
        auction={"opener": rng.randrange(n)},
        turn={
            "arrivals": {area: rng.randint(0, 4) for area in rng.sample(areas, 3)},
            "baron_used": barons[me] is not None,
            "hired": rng.randint(0, 3),
            "genoa": genoa,
            "marshal_used": offices[me] == "marshal" and rng.random() < 0.3,
        },
    )
