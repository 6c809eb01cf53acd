"""A plain, slow reference implementation of the board game Jerusalem, written from the rules only.

The tests play it side by side with the compiled engine. Its state is the position dict of VII.e
itself; clause numbers (R..., A..., D..., VII...) refer to the project's rules file. Every decision
of VII.c is asked, forced ones too.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable
from typing import Any

Position = dict[str, Any]

# --- Names (VII.d) ---------------------------------------------------------------------------

TOWER = "davids_tower"
SECTORS = ("palace", "templars", "patriarchate", "market", "nobility")  # R12.8 order
AREAS = [f"{sector}.{part}" for sector in SECTORS for part in ("large", "left", "right")] + [TOWER]
OFFICES = ("captain", "treasurer", "marshal", "admiral")  # numbers 1..4
OFFICE_SQUIRES = {"captain": 7, "treasurer": 6, "marshal": 5, "admiral": 4}  # R6.2
EVENTS = ("succession", "election", "special_tax", "war")
CARD_COPIES = {  # R11.4 - R11.13
    "squire": 3,
    "silver_2": 3,
    "prestige_2": 3,
    "resources_2": 2,
    "squire_silver": 2,
    "defector": 2,
    "move_2": 4,
    "genoa": 2,
    "influence_palace": 1,
    "influence_templars": 1,
    "influence_patriarchate": 1,
    "influence_market": 1,
    "influence_nobility": 1,
    "influence_davids_tower": 1,
}
CARDS = list(CARD_COPIES)
RESOURCES = ("squire", "silver", "prestige")
STORES = {"squire": "squires", "silver": "silver", "prestige": "prestige"}  # resource -> field
MARKET_AREAS = ("market.large", "market.left", "market.right")
MAX_BID = 127  # VII.a

ACTION_NAMES: list[str] = (
    ["pass"]
    + [f"open {office}" for office in OFFICES]
    + [f"bid {b}" for b in range(MAX_BID + 1)]
    + [f"draft {card}" for card in CARDS]
    + [f"place {area}" for area in AREAS]
    + [f"baron {area}" for area in AREAS]
    + ["hire"]
    + [f"dismiss {area}" for area in AREAS]
    + [f"play {card}" for card in CARDS]
    + ["marshal move", "marshal silver"]
    + [f"lift {area}" for area in AREAS]
    + [f"drop {area}" for area in AREAS]
    + [f"take {resource}" for resource in RESOURCES]
    + [f"target +{k} {area}" for k in (1, 2, 3) for area in AREAS]
    + ["buy card"]
    + [f"buy prestige {k}" for k in (1, 2, 3, 4)]
    + [f"steal +{k}" for k in (1, 2, 3)]
    + [f"keep {area}" for area in MARKET_AREAS]
    + [f"decline {resource}" for resource in RESOURCES]
)
ACTION_INDEX = {name: index for index, name in enumerate(ACTION_NAMES)}

AUCTION_PHASES = ("open", "bid")
TURN_PHASES = ("turn", "dismiss", "lift", "drop", "take", "target")
LATE_PHASES = (TOWER, "patriarchate", "market", "nobility", "income")
EVENT_PHASES = ("succession", "special_tax", "war")
PHASES = (*AUCTION_PHASES, "draft", *TURN_PHASES, *LATE_PHASES, *EVENT_PHASES, "over")
POSITION_KEYS = (
    *("ruleset", "round", "phase", "to_act", "events", "pile", "draft_pool", "discards"),
    *("offices", "last_offices", "silver", "squires", "prestige", "floors", "hands", "barons"),
    *("board", "auction", "turn", "pending", "winner", "ranking"),
)
AUCTION_KEYS = ("opener", "office", "bid", "bidder", "passed")
TURN_KEYS = ("arrivals", "baron_used", "hired", "genoa", "marshal_used")
PENDING_KEYS = ("source", "left", "from", "hits", "may_decline", "lost", "saved", "kept")

# --- Rule set (VII.a, VII.b) -----------------------------------------------------------------

RULESET_DEFAULTS: dict[str, Any] = {
    "players": 4,
    "income": "ludorium",
    "first_opener": None,
    "influence_ignores_baron": False,
    "election_all_sectors": False,
    "move_card_may_leave_blocked": False,
    "marshal_moves_count_for_baron": True,
    "palace_baron_round_1": False,
    "decline_income": False,
    "zero_ties_win_gifts": True,
    "war_may_hit_templars": True,
    "rounds": 5,
}

# (squires, silver, prestige) of the large area and of each small one, by sector.
INCOME_PRESETS: dict[str, dict[str, tuple[tuple[int, int, int], tuple[int, int, int]]]] = {
    "ludorium": {
        "palace": ((0, 0, 4), (0, 0, 2)),
        "templars": ((6, 0, 0), (3, 0, 0)),
        "patriarchate": ((4, 0, 2), (2, 0, 1)),
        "market": ((2, 4, 0), (1, 2, 0)),
        "nobility": ((0, 4, 2), (0, 2, 1)),
    },
    "six_icons": {
        "palace": ((0, 0, 6), (0, 0, 3)),
        "templars": ((6, 0, 0), (3, 0, 0)),
        "patriarchate": ((4, 0, 2), (2, 0, 1)),
        "market": ((2, 4, 0), (1, 2, 0)),
        "nobility": ((0, 4, 2), (0, 2, 1)),
    },
    "equal_value": {
        "palace": ((0, 0, 4), (0, 0, 2)),
        "templars": ((4, 0, 0), (2, 0, 0)),
        "patriarchate": ((2, 0, 2), (1, 0, 1)),
        "market": ((2, 4, 0), (1, 2, 0)),
        "nobility": ((0, 4, 2), (0, 2, 1)),
    },
}


class IllegalAction(ValueError):
    """An action that is not legal in the position it was tried in."""


def full_ruleset(partial: dict[str, Any]) -> dict[str, Any]:
    """All switches of VII.a in the order of its table, the missing ones at their defaults."""
    unknown = sorted(set(partial) - set(RULESET_DEFAULTS))
    if unknown:
        raise ValueError(f"ruleset: unknown switches {unknown}")
    rules = {key: partial.get(key, default) for key, default in RULESET_DEFAULTS.items()}
    if not isinstance(rules["income"], str):
        rules["income"] = [list(row) for row in rules["income"]]
    return rules


def sector_of(area: str) -> str:
    """The sector an area belongs to; David's Tower is its own."""
    return area.split(".")[0]


def is_large(area: str) -> bool:
    """Whether the area counts as large (R1.3: David's Tower does)."""
    return area == TOWER or area.endswith(".large")


def areas_in_play(players: int) -> list[str]:
    """Areas in play (R2.4: without Patriarchate and Nobility for 2 players)."""
    out_of_play = ("patriarchate", "nobility") if players == 2 else ()
    return [area for area in AREAS if sector_of(area) not in out_of_play]


def offices_in_play(players: int) -> tuple[str, ...]:
    """Offices in play, ascending (R2.1 - R2.3)."""
    return OFFICES[4 - players :]


def events_in_play(players: int) -> tuple[str, ...]:
    """Events in play (R2.5: no Patriarch election for 2 players)."""
    return tuple(event for event in EVENTS if players > 2 or event != "election")


def deck_of(players: int) -> list[str]:
    """The action cards in play, in the order of VII.d (R11.13, R2.6)."""
    covers = ("influence_patriarchate", "influence_nobility") if players == 2 else ()
    return [card for card in CARDS for _ in range(CARD_COPIES[card]) if card not in covers]


def income_of(ruleset: dict[str, Any], area: str) -> tuple[int, int, int]:
    """Printed income (squires, silver, prestige) of an area (VII.b); the Tower's is nothing."""
    if not isinstance(ruleset["income"], str):
        squires, silver, prestige = ruleset["income"][AREAS.index(area)]
        return squires, silver, prestige
    if area == TOWER:
        return (0, 0, 0)
    large, small = INCOME_PRESETS[ruleset["income"]][sector_of(area)]
    return large if is_large(area) else small


def fresh_auction(players: int, opener: int) -> dict[str, Any]:
    """The auction field before an office is opened, and outside the auction."""
    return dict(zip(AUCTION_KEYS, (opener, None, None, None, [False] * players), strict=True))


def fresh_turn(players: int) -> dict[str, Any]:
    """The turn field at the start of a turn, and outside turns."""
    arrivals = dict.fromkeys(areas_in_play(players), 0)
    return dict(zip(TURN_KEYS, (arrivals, False, 0, False, False), strict=True))


# --- The game --------------------------------------------------------------------------------


class Reference:
    """One game; `state` is a position dict in the format of VII.e."""

    def __init__(self, position: Position) -> None:
        """Take over a deep copy of a valid position, keys and card lists put in canonical order."""
        state = copy.deepcopy(position)
        self.state: Position = {key: state[key] for key in POSITION_KEYS}
        state = self.state
        state["ruleset"] = full_ruleset(state["ruleset"])
        self.rules: dict[str, Any] = state["ruleset"]
        self.players: int = self.rules["players"]
        self.areas = areas_in_play(self.players)
        state["board"] = {area: state["board"][area] for area in self.areas}
        state["auction"] = {key: state["auction"][key] for key in AUCTION_KEYS}
        state["turn"] = {key: state["turn"][key] for key in TURN_KEYS}
        arrivals = state["turn"]["arrivals"]
        state["turn"]["arrivals"] = {area: arrivals[area] for area in self.areas}
        pending = state["pending"]
        state["pending"] = {key: pending[key] for key in PENDING_KEYS if key in pending}
        for cards in [state["draft_pool"], state["discards"], *state["hands"]]:
            cards.sort()

    @classmethod
    def new(
        cls, ruleset: dict[str, Any], pile: list[str], events: list[str], opener: int
    ) -> Reference:
        """First decision of a game: the whole shuffled pile (top first), three events, opener."""
        rules = full_ruleset(ruleset)
        n = rules["players"]
        values: dict[str, Any] = {
            "ruleset": rules,
            "round": 1,
            "phase": "open",
            "to_act": opener,
            "events": list(events),
            "pile": list(pile[n:]),  # R4.1: n cards are laid out first
            "draft_pool": sorted(pile[:n]),
            "discards": [],
            "offices": [None] * n,
            "last_offices": [None] * n,
            "silver": [12] * n,  # R1.8
            "squires": [0] * n,
            "prestige": [0] * n,
            "floors": [0] * n,
            "hands": [[] for _ in range(n)],
            "barons": [None] * n,
            "board": {area: [0] * n for area in areas_in_play(n)},
            "auction": fresh_auction(n, opener),
            "turn": fresh_turn(n),
            "pending": {},
            "winner": None,
            "ranking": None,
        }
        return cls(values)

    def position(self) -> Position:
        """A fresh deep copy of the complete position."""
        return copy.deepcopy(self.state)

    @property
    def to_act(self) -> int | None:
        """The seat that decides, None when the game is over."""
        return self.state["to_act"]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.state["phase"] == "over"

    @property
    def winner(self) -> int | None:
        """The winner's seat, None before the end."""
        return self.state["winner"]

    @property
    def ranking(self) -> list[int] | None:
        """The seats, best first, None before the end."""
        return copy.copy(self.state["ranking"])

    def legal(self) -> list[str]:
        """Names of the legal actions in flat order."""
        if self.over:
            return []
        found = getattr(self, "_legal_" + self.state["phase"])()
        return sorted(found, key=ACTION_INDEX.__getitem__)

    def step(self, action: str) -> None:
        """Carry out one decision and all that then happens by itself."""
        legal = self.legal()
        if action not in legal:
            where = f"in phase {self.state['phase']}, seat {self.to_act} to act"
            raise IllegalAction(f"{action!r} is illegal {where}; legal: {', '.join(legal) or '-'}")
        verb, *rest = action.split()
        getattr(self, "_do_" + self.state["phase"])(verb, *rest)

    # --- Small questions about the position ---

    def _me(self) -> int:
        """The seat to act (never None here)."""
        return self.state["to_act"]

    def _order(self) -> list[int]:
        """Player order: ascending office number (R3.4)."""
        return sorted(range(self.players), key=self._office_number)

    def _office_number(self, seat: int) -> int:
        """1..4 for this round's office of a seat."""
        return OFFICES.index(self.state["offices"][seat]) + 1

    def _clockwise(self, seat: int) -> list[int]:
        """The other seats, starting left of this one."""
        return [(seat + k) % self.players for k in range(1, self.players)]

    def _blocked(self, area: str) -> bool:
        """Whether a baron stands in the area (R8.1)."""
        return area in self.state["barons"]

    def _open_areas(self) -> list[str]:
        """Areas in play without a baron."""
        return [area for area in self.areas if not self._blocked(area)]

    def _here(self, area: str) -> int:
        """Own squires of the seat to act in an area."""
        return self.state["board"][area][self._me()]

    def _sector(self, sector: str) -> list[str]:
        """The areas of a sector that are in play."""
        return [area for area in self.areas if sector_of(area) == sector]

    def _majority(self, areas: Iterable[str]) -> int | None:
        """Holder of most squires in the areas together; ties to the lower office (R7.1, R12.3)."""
        totals = [0] * self.players
        for area in areas:
            for seat, count in enumerate(self.state["board"][area]):
                totals[seat] += count
        if not any(totals):  # R7.2, A40
            return None
        return min(range(self.players), key=lambda seat: (-totals[seat], self._office_number(seat)))

    def _ask(self, phase: str, seat: int, pending: dict[str, Any] | None = None) -> None:
        """Make the next decision one of this phase, by this seat."""
        self.state["phase"] = phase
        self.state["to_act"] = seat
        self.state["pending"] = pending or {}

    # --- 1. Round start (VII.c 1) ---

    def _start_round(self) -> None:
        """Return offices and barons, move the marker, lay out cards, find the opener (R3.3)."""
        state, n = self.state, self.players
        state["last_offices"] = state["offices"]
        state["offices"] = [None] * n
        state["barons"] = [None] * n
        state["round"] += 1
        assert len(state["pile"]) >= n, "A12: the pile cannot run out"
        state["draft_pool"] = sorted(state["pile"][:n])  # R4.1
        del state["pile"][:n]
        self._start_auction(self._first_opener())

    def _first_opener(self) -> int:
        """Highest keep, then most prestige, then lowest office of the round before (R4.2)."""
        state = self.state

        def strength(seat: int) -> tuple[int, int, int]:
            last_number = OFFICES.index(state["last_offices"][seat]) + 1
            return (-state["floors"][seat], -state["prestige"][seat], last_number)

        return min(range(self.players), key=strength)

    # --- 2. Auction (VII.c 2) ---

    def _start_auction(self, opener: int) -> None:
        """Put one auction before its opener."""
        self.state["auction"] = fresh_auction(self.players, opener)
        self._ask("open", opener)

    def _legal_open(self) -> list[str]:
        """Any office still on offer; no passing (R4.3)."""
        free = [o for o in offices_in_play(self.players) if o not in self.state["offices"]]
        return [f"open {office}" for office in free]

    def _do_open(self, _verb: str, office: str) -> None:
        """Name the office; the opener's opening bid follows."""
        self.state["auction"]["office"] = office
        self._ask("bid", self._me())

    def _legal_bid(self) -> list[str]:
        """Opening bid from 0 (R4.3), afterwards a raise or a pass (A1, A5)."""
        high = self.state["auction"]["bid"]
        most = min(self.state["silver"][self._me()], MAX_BID)  # R4.6, VII.a
        if high is None:
            return [f"bid {b}" for b in range(most + 1)]
        return ["pass"] + [f"bid {b}" for b in range(high + 1, most + 1)]

    def _do_bid(self, verb: str, amount: str = "") -> None:
        """Bid or pass, then the next bidder clockwise, or the office is sold (R4.4 - R4.7)."""
        state, auction, me = self.state, self.state["auction"], self._me()
        if verb == "pass":
            auction["passed"][me] = True
        else:
            auction["bid"], auction["bidder"] = int(amount), me
        for seat in self._clockwise(me):
            still_in = state["offices"][seat] is None and not auction["passed"][seat]
            if still_in and seat != auction["bidder"]:  # A4
                self._ask("bid", seat)
                return
        self._sell_office()

    def _sell_office(self) -> None:
        """The high bidder pays and takes the office; next auction or draft (R4.7 - R4.10)."""
        state, auction = self.state, self.state["auction"]
        winner = auction["bidder"]
        state["silver"][winner] -= auction["bid"]
        state["offices"][winner] = auction["office"]
        without = [seat for seat in self._clockwise(winner) if state["offices"][seat] is None]
        if len(without) > 1:
            self._start_auction(without[0])  # R4.9, A2
            return
        (left_over,) = (o for o in offices_in_play(self.players) if o not in state["offices"])
        state["offices"][without[0]] = left_over  # R4.10, A3
        state["auction"] = fresh_auction(self.players, auction["opener"])
        self._ask("draft", self._order()[0])

    # --- 3. Draft (VII.c 3) ---

    def _legal_draft(self) -> list[str]:
        """One of the kinds in the pool (R5.1)."""
        return [f"draft {card}" for card in set(self.state["draft_pool"])]

    def _do_draft(self, _verb: str, card: str) -> None:
        """Keep a card; the last player gets the remaining one by itself (A11)."""
        pool, order, me = self.state["draft_pool"], self._order(), self._me()
        self._draw(me, card)
        pool.remove(card)
        following = order[order.index(me) + 1]
        if len(pool) > 1:
            self._ask("draft", following)
            return
        self._draw(following, pool.pop())
        self._start_turn(order[0])

    def _draw(self, seat: int, card: str) -> None:
        """Add a card to a hand, kept sorted."""
        self.state["hands"][seat].append(card)
        self.state["hands"][seat].sort()

    # --- 4. Turns (VII.c 4) ---

    def _start_turn(self, seat: int) -> None:
        """Office squires and the admiral's silver, then the seat acts freely (R6.2, A26)."""
        office = self.state["offices"][seat]
        self.state["squires"][seat] += OFFICE_SQUIRES[office]
        if office == "admiral":  # R10.4
            self.state["silver"][seat] += 1
        self.state["turn"] = fresh_turn(self.players)
        self._ask("turn", seat)

    def _end_turn(self) -> None:
        """Next player's turn, or phase 3."""
        order = self._order()
        place = order.index(self._me()) + 1
        self.state["turn"] = fresh_turn(self.players)
        if place < self.players:
            self._start_turn(order[place])
        else:
            self._tower_step()

    def _resume_turn(self) -> None:
        """A sub-flow is finished."""
        self._ask("turn", self._me())

    def _legal_turn(self) -> list[str]:
        """Everything the player may start in his turn, and `pass` to end it (A56)."""
        state, me, free = self.state, self._me(), self._open_areas()
        found = ["pass"]
        if state["squires"][me] > 0:
            found += [f"place {area}" for area in free]  # R6.4, R8.5
        found += [f"baron {area}" for area in free if self._baron_allowed(area)]
        if state["silver"][me] >= self._hire_price():
            found.append("hire")
        if sum(self._here(area) for area in free) >= 3:  # A31
            found += self._legal_dismiss()
        if state["offices"][me] == "marshal" and not state["turn"]["marshal_used"]:  # R10.3
            found.append("marshal silver")
            if self._liftable("marshal"):
                found.append("marshal move")
        found += [f"play {card}" for card in set(state["hands"][me]) if self._playable(card)]
        return found

    def _do_turn(self, verb: str, what: str = "") -> None:
        """Start one action of the turn."""
        state, me = self.state, self._me()
        if verb == "pass":
            self._end_turn()
        elif verb == "place":
            state["squires"][me] -= 1
            state["board"][what][me] += 1
            state["turn"]["arrivals"][what] += 1  # A13
        elif verb == "baron":
            state["barons"][me] = what
            state["turn"]["baron_used"] = True  # A20
        elif verb == "hire":
            state["silver"][me] -= self._hire_price()
            state["squires"][me] += 1
            state["turn"]["hired"] += 1
        elif verb == "dismiss":
            self._remove(me, what)
            self._ask("dismiss", me, {"source": "dismiss", "left": 2})
        elif verb == "marshal":
            state["turn"]["marshal_used"] = True
            if what == "silver":
                state["silver"][me] += 1
            else:
                self._ask("lift", me, {"source": "marshal", "left": 2, "from": None})
        else:
            self._play(what)

    def _remove(self, seat: int, area: str) -> None:
        """One squire goes from the board to the stock."""
        self.state["board"][area][seat] -= 1

    # Baron

    def _baron_allowed(self, area: str) -> bool:
        """Whether the seat to act may put his baron in this unblocked area."""
        state, me = self.state, self._me()
        if state["turn"]["baron_used"]:
            return False
        need = 3  # R8.2
        if state["offices"][me] == "captain":
            need = 2 if is_large(area) else 1  # R8.4
        if state["turn"]["arrivals"][area] < need or self._here(area) < need:  # A13
            return False
        if area == "palace.large":
            if state["round"] == 1 and not self.rules["palace_baron_round_1"]:  # R8.10, A23
                return False
            return not self._barred_leader(me)
        return True

    def _barred_leader(self, seat: int) -> bool:
        """Whether R8.9 keeps this seat's baron out of the large Palace area (A21, A22)."""
        floors, prestige = self.state["floors"], self.state["prestige"]
        leaders = [s for s in range(self.players) if floors[s] == max(floors)]
        most = max(prestige[s] for s in leaders)
        return seat in leaders and prestige[seat] == most

    # Hiring and dismissing

    def _hire_price(self) -> int:
        """Price of the next squire hired in this turn (R9.1, R10.2, R11.11, A27)."""
        turn = self.state["turn"]
        if self.state["offices"][self._me()] == "treasurer" and turn["hired"] < 2:
            return turn["hired"] + 1
        return 2 if turn["genoa"] else 3

    def _legal_dismiss(self) -> list[str]:
        """Own squires in unblocked areas (R9.2, R8.7, A18)."""
        return [f"dismiss {area}" for area in self._open_areas() if self._here(area) > 0]

    def _do_dismiss(self, _verb: str, area: str) -> None:
        """Second and third squire of a troop; the third pays 1 silver (A31)."""
        self._remove(self._me(), area)
        self.state["pending"]["left"] -= 1
        if self.state["pending"]["left"] == 0:
            self.state["silver"][self._me()] += 1
            self._resume_turn()

    # Cards

    def _playable(self, card: str) -> bool:
        """A card may only be played if its effect can be carried out (A32 - A34)."""
        if card in ("move_2", "defector"):
            return bool(self._liftable(card))
        if card.startswith("influence_"):
            return bool(self._landing_areas(card, None))
        return True

    def _play(self, card: str) -> None:
        """Discard the card and begin its effect (R11)."""
        state, me = self.state, self._me()
        state["hands"][me].remove(card)
        state["discards"].append(card)
        state["discards"].sort()
        if card == "squire":
            state["squires"][me] += 1
        elif card == "silver_2":
            state["silver"][me] += 2
        elif card == "prestige_2":
            state["prestige"][me] += 2
        elif card == "squire_silver":
            state["squires"][me] += 1
            state["silver"][me] += 1
        elif card == "genoa":
            state["turn"]["genoa"] = True  # A29
        elif card == "resources_2":
            self._ask("take", me, {"source": card, "left": 2})
        elif card == "move_2":
            self._ask("lift", me, {"source": card, "left": 2, "from": None})
        elif card == "defector":
            self._ask("lift", me, {"source": card, "left": 1, "from": None})
        else:
            self._ask("drop", me, {"source": card, "left": 2, "from": None})

    def _legal_take(self) -> list[str]:
        """Any resource, twice the same too (D13)."""
        return [f"take {resource}" for resource in RESOURCES]

    def _do_take(self, _verb: str, resource: str) -> None:
        """One of the two resources of the card."""
        self.state[STORES[resource]][self._me()] += 1
        self.state["pending"]["left"] -= 1
        if self.state["pending"]["left"] == 0:
            self._resume_turn()

    # Moving squires: marshal, Move 2, Defector, Influence

    def _liftable(self, source: str) -> list[str]:
        """Areas an own squire may be lifted from so that the effect can be completed."""
        may_leave_blocked = source == "move_2" and self.rules["move_card_may_leave_blocked"]  # D8
        found = []
        for area in self.areas:
            if self._here(area) == 0 or (self._blocked(area) and not may_leave_blocked):  # R8.6
                continue
            if source == "defector":
                completes = bool(self._exchanges(area))
            else:
                completes = bool(self._landing_areas(source, area))
            if completes:
                found.append(area)
        return found

    def _landing_areas(self, source: str, origin: str | None) -> list[str]:
        """Areas where a moved squire or one of an influence card may come down."""
        if source.startswith("influence_"):
            sector = self._sector(source.removeprefix("influence_"))
            if self.rules["influence_ignores_baron"]:  # D1
                return sector
            return [area for area in sector if not self._blocked(area)]  # R11.12
        return [area for area in self._open_areas() if area != origin]  # A32

    def _exchanges(self, origin: str) -> list[tuple[int, str]]:
        """(k, area): squires k seats clockwise that a defector from origin may replace (A33)."""
        return [
            (k, area)
            for k, seat in enumerate(self._clockwise(self._me()), start=1)
            for area in self._open_areas()
            if area != origin and self.state["board"][area][seat] > 0
        ]

    def _legal_lift(self) -> list[str]:
        """Which own squire moves; the second move may be refused."""
        pending = self.state["pending"]
        found = [f"lift {area}" for area in self._liftable(pending["source"])]
        if pending["source"] != "defector" and pending["left"] == 1:  # A32
            found.append("pass")
        return found

    def _do_lift(self, verb: str, area: str = "") -> None:
        """Lift a squire; it counts in its area until it comes down."""
        if verb == "pass":
            self._resume_turn()
            return
        pending = self.state["pending"]
        pending["from"] = area
        self.state["phase"] = "target" if pending["source"] == "defector" else "drop"

    def _legal_drop(self) -> list[str]:
        """Where the lifted squire, or the one from the stock, comes down."""
        pending = self.state["pending"]
        return [f"drop {area}" for area in self._landing_areas(pending["source"], pending["from"])]

    def _do_drop(self, _verb: str, area: str) -> None:
        """A squire comes down; perhaps one more follows."""
        state, me, pending = self.state, self._me(), self.state["pending"]
        source = pending["source"]
        if pending["from"] is not None:
            state["board"][pending["from"]][me] -= 1
            pending["from"] = None
        state["board"][area][me] += 1
        if source != "marshal" or self.rules["marshal_moves_count_for_baron"]:  # A14, A16
            state["turn"]["arrivals"][area] += 1
        pending["left"] -= 1
        if pending["left"] == 0:
            self._resume_turn()
        elif not source.startswith("influence_"):
            self._ask("lift", me, pending)

    def _legal_target(self) -> list[str]:
        """The opponent's squire of the exchange."""
        return [f"target +{k} {area}" for k, area in self._exchanges(self.state["pending"]["from"])]

    def _do_target(self, _verb: str, k: str, area: str) -> None:
        """Exchange two squires (R11.9); the own one counts as an arrival (A16)."""
        state, me = self.state, self._me()
        origin, other = state["pending"]["from"], (me + int(k)) % self.players
        state["board"][origin][me] -= 1
        state["board"][origin][other] += 1
        state["board"][area][other] -= 1
        state["board"][area][me] += 1
        state["turn"]["arrivals"][area] += 1
        self._resume_turn()

    # --- 5. David's Tower (VII.c 5) ---

    def _tower_step(self) -> None:
        """Its controller gets 1 silver and may move a squire out (R12.1, A38)."""
        seat = self._majority([TOWER])
        if seat is not None:
            self.state["silver"][seat] += 1
            if not self._blocked(TOWER) and len(self._open_areas()) > 1:  # R12.2
                self._ask("davids_tower", seat)
                return
        self._patriarchate_step()

    def _legal_davids_tower(self) -> list[str]:
        """Any other unblocked area, or no move."""
        return ["pass"] + [f"drop {area}" for area in self._open_areas() if area != TOWER]

    def _do_davids_tower(self, verb: str, area: str = "") -> None:
        """Move one own squire from the Tower, or not."""
        if verb == "drop":
            self.state["board"][TOWER][self._me()] -= 1
            self.state["board"][area][self._me()] += 1
        self._patriarchate_step()

    # --- 6. Privileges (VII.c 6) ---

    def _patriarchate_step(self) -> None:
        """Who has most in the Patriarchate may give a squire for a card (R12.4, A57)."""
        seat = self._majority(self._sector("patriarchate"))
        if seat is not None and self.state["squires"][seat] > 0 and self.state["pile"]:
            self._ask("patriarchate", seat)
        else:
            self._market_step()

    def _legal_patriarchate(self) -> list[str]:
        """Buy or not."""
        return ["pass", "buy card"]

    def _do_patriarchate(self, verb: str, _what: str = "") -> None:
        """A squire returns to the stock, the top card goes to the hand."""
        if verb == "buy":
            self.state["squires"][self._me()] -= 1
            self._draw(self._me(), self.state["pile"].pop(0))
        self._market_step()

    def _market_step(self) -> None:
        """Who has most in the Market may buy prestige (R12.5)."""
        seat = self._majority(self._sector("market"))
        if seat is not None and self.state["silver"][seat] >= 2:
            self._ask("market", seat)
        else:
            self._nobility_step()

    def _legal_market(self) -> list[str]:
        """Up to 4 at 2 silver each (A57)."""
        most = min(4, self.state["silver"][self._me()] // 2)
        return ["pass"] + [f"buy prestige {k}" for k in range(1, most + 1)]

    def _do_market(self, verb: str, _what: str = "", amount: str = "0") -> None:
        """Pay 2 silver for each point."""
        if verb == "buy":
            self.state["silver"][self._me()] -= 2 * int(amount)
            self.state["prestige"][self._me()] += int(amount)
        self._nobility_step()

    def _nobility_step(self) -> None:
        """Who has most in the Nobility may steal a point (R12.6)."""
        seat = self._majority(self._sector("nobility"))
        if seat is not None:
            self._ask("nobility", seat)
        else:
            self._income_step()

    def _legal_nobility(self) -> list[str]:
        """Any other player, also one at 0 (A40, R12.7)."""
        return ["pass"] + [f"steal +{k}" for k in range(1, self.players)]

    def _do_nobility(self, verb: str, k: str = "") -> None:
        """The thief gains 1, the victim loses 1 if he has one (R12.7, A53)."""
        if verb == "steal":
            prestige, victim = self.state["prestige"], (self._me() + int(k)) % self.players
            prestige[victim] = max(0, prestige[victim] - 1)
            prestige[self._me()] += 1
        self._income_step()

    # --- 7. Income (VII.c 7) ---

    def _income_step(self) -> None:
        """All income at once to those in control (R12.8 - R12.10)."""
        received = [dict.fromkeys(RESOURCES, 0) for _ in range(self.players)]
        for area in self.areas:
            seat = self._majority([area])
            if seat is not None:
                for resource, units in zip(RESOURCES, income_of(self.rules, area), strict=True):
                    received[seat][resource] += units
                    self.state[STORES[resource]][seat] += units
        self._ask_decline(self._order(), received)

    def _ask_decline(self, seats: list[int], received: list[dict[str, int]]) -> None:
        """The first of these seats that may give income back decides (A41), else go on."""
        if self.rules["decline_income"]:
            for seat in seats:
                if any(received[seat].values()):
                    self._ask("income", seat, {"may_decline": received})
                    return
        self._finish_phase_3()

    def _legal_income(self) -> list[str]:
        """Units received here and not given back."""
        mine = self.state["pending"]["may_decline"][self._me()]
        return ["pass"] + [f"decline {resource}" for resource in RESOURCES if mine[resource] > 0]

    def _do_income(self, verb: str, resource: str = "") -> None:
        """Give back one unit, or keep the rest."""
        received, me, order = self.state["pending"]["may_decline"], self._me(), self._order()
        following = order[order.index(me) + 1 :]
        if verb == "decline":
            received[me][resource] -= 1
            self.state[STORES[resource]][me] -= 1
            following = [me, *following]
        self._ask_decline(following, received)

    # --- 8. Gifts and building (VII.c 8) ---

    def _finish_phase_3(self) -> None:
        """Gifts in the last round, building, then the end or the event."""
        last = self.state["round"] == self.rules["rounds"]
        if last:
            self._gifts()
        self._build()
        if last:
            self._end_game()
        else:
            self._start_event()

    def _gifts(self) -> None:
        """The king's gifts for squires, silver and cards behind the screens (R13)."""
        prestige = self.state["prestige"]
        counts = [list(self.state["squires"]), list(self.state["silver"])]
        for count in counts:
            most = max(count)
            if most == 0 and not self.rules["zero_ties_win_gifts"]:  # A42
                continue
            winners = [seat for seat in range(self.players) if count[seat] == most]
            for seat in winners:
                prestige[seat] += 3 if len(winners) == 1 else 1  # R13.2
        for seat in range(self.players):
            prestige[seat] += 1 if self.state["hands"][seat] else 0  # R13.3

    def _build(self) -> None:
        """In player order everyone builds all the floors he can pay (R14, A43)."""
        floors, prestige = self.state["floors"], self.state["prestige"]
        for seat in self._order():
            while True:
                floor = floors[seat] + 1
                price = floor + 1 + (1 if max(floors) < floor else 0)  # R14.2
                if prestige[seat] < price:
                    break
                prestige[seat] -= price
                floors[seat] = floor

    # --- 9. Event (VII.c 9) ---

    def _start_event(self) -> None:
        """Carry out the event over this round (R3.3, R15.1)."""
        state, number = self.state, self.state["round"]
        if not 2 <= number <= 4:
            self._start_round()
            return
        event = state["events"][number - 2]
        if event == "election":
            self._election()
            self._start_round()
        elif event == "succession":
            palace = self._sector("palace")
            lost = [sum(state["board"][a][seat] for a in palace) for seat in range(self.players)]
            for area in palace:
                state["board"][area] = [0] * self.players  # R15.2
            self._ask_succession(self._order(), lost)
        elif event == "special_tax":
            self._ask_tax(self._order())
        else:
            self._ask_war(self._order())

    def _after_me(self) -> list[int]:
        """The players whose place in the order is after the seat to act."""
        order = self._order()
        return order[order.index(self._me()) + 1 :]

    def _election(self) -> None:
        """In each area concerned all present are cut to the smallest present (R15.3, D5, A48)."""
        sectors = SECTORS if self.rules["election_all_sectors"] else ("patriarchate", "nobility")
        for area in (area for sector in sectors for area in self._sector(sector)):
            counts = self.state["board"][area]
            least = min((count for count in counts if count > 0), default=0)
            self.state["board"][area] = [min(count, least) for count in counts]

    def _ask_succession(self, seats: list[int], lost: list[int]) -> None:
        """The first of these seats with a baron out and a squire lost may save some (R15.2)."""
        for seat in seats:
            if self.state["barons"][seat] is not None and lost[seat] > 0:
                self._ask("succession", seat, {"lost": lost, "saved": 0})
                return
        self._start_round()

    def _legal_succession(self) -> list[str]:
        """Back to the own baron's area, although blocked (A47)."""
        return ["pass", f"drop {self.state['barons'][self._me()]}"]

    def _do_succession(self, verb: str, area: str = "") -> None:
        """Save one squire, at most 2 in all, or stop."""
        me, pending = self._me(), self.state["pending"]
        if verb == "drop":
            self.state["board"][area][me] += 1
            pending["saved"] += 1
            if pending["saved"] < min(2, pending["lost"][me]):
                return
        self._ask_succession(self._after_me(), pending["lost"])

    def _ask_tax(self, seats: list[int]) -> None:
        """In order: who can pay decides, the Market squires of the others leave (R15.4)."""
        for seat in seats:
            self._ask("special_tax", seat, {"kept": dict.fromkeys(MARKET_AREAS, 0)})
            if len(self._legal_special_tax()) > 1:
                return
            self._leave_market()
        self._start_round()

    def _legal_special_tax(self) -> list[str]:
        """Pay 1 silver for a squire of a chosen Market area (A46)."""
        kept = self.state["pending"]["kept"]
        if self.state["silver"][self._me()] == 0:
            return ["pass"]
        return ["pass"] + [f"keep {area}" for area in MARKET_AREAS if self._here(area) > kept[area]]

    def _do_special_tax(self, verb: str, area: str = "") -> None:
        """Keep one squire, or let the rest go."""
        if verb == "keep":
            self.state["silver"][self._me()] -= 1
            self.state["pending"]["kept"][area] += 1
            if len(self._legal_special_tax()) > 1:
                return
        self._leave_market()
        self._ask_tax(self._after_me())

    def _leave_market(self) -> None:
        """The Market squires not kept by the seat to act go to the stock."""
        for area, kept in self.state["pending"]["kept"].items():
            self.state["board"][area][self._me()] = kept

    def _ask_war(self, seats: list[int]) -> None:
        """In order: own Templars squires leave, then that many opposing ones may go (R15.5)."""
        for seat in seats:
            strength = 0
            for area in self._sector("templars"):
                strength += self.state["board"][area][seat]  # A44: those still there
                self.state["board"][area][seat] = 0
            self._ask("war", seat, {"left": strength, "hits": [0] * self.players})
            if strength > 0 and len(self._legal_war()) > 1:
                return
        self._start_round()

    def _legal_war(self) -> list[str]:
        """Any opposing squire, blocked or not, at most 2 of each opponent (D21, D22)."""
        hits, found = self.state["pending"]["hits"], ["pass"]
        for k, seat in enumerate(self._clockwise(self._me()), start=1):
            for area in self.areas:
                if sector_of(area) == "templars" and not self.rules["war_may_hit_templars"]:
                    continue
                if hits[seat] < 2 and self.state["board"][area][seat] > 0:
                    found.append(f"target +{k} {area}")
        return found

    def _do_war(self, verb: str, k: str = "", area: str = "") -> None:
        """Remove one opposing squire, or stop (A44, A45)."""
        pending = self.state["pending"]
        if verb == "target":
            other = (self._me() + int(k)) % self.players
            self._remove(other, area)
            pending["hits"][other] += 1
            pending["left"] -= 1
            if pending["left"] > 0 and len(self._legal_war()) > 1:
                return
        self._ask_war(self._after_me())

    # --- 10. End (VII.c 10) ---

    def _end_game(self) -> None:
        """Highest keep, most prestige left, lowest office (R16.1, A50); nothing is cleared."""
        state = self.state
        state["phase"], state["to_act"], state["pending"] = "over", None, {}
        state["ranking"] = final_ranking(state)
        state["winner"] = state["ranking"][0]


def final_ranking(position: Position) -> list[int]:
    """Seats, best first, by R16.1."""

    def strength(seat: int) -> tuple[int, int, int]:
        office = OFFICES.index(position["offices"][seat])
        return (-position["floors"][seat], -position["prestige"][seat], office)

    return sorted(range(position["ruleset"]["players"]), key=strength)


# --- Hand-made positions for tests -----------------------------------------------------------


def build_position(ruleset: dict[str, Any] | None = None, **overrides: Any) -> Position:
    """A complete, consistent position: a quiet round-2 turn, changed by top-level keys of VII.e.

    `board` names only areas with squires; `turn` (its `arrivals` too), `auction` and `pending` are
    merged over defaults fitting the phase. Cards of `hands`, `discards` and `draft_pool` are taken
    out of the deck, the rest is the pile in the order of VII.d; if `pile` is given instead, what is
    left over lies in the discards. ValueError says which field is impossible.
    """
    unknown = sorted(set(overrides) - set(POSITION_KEYS))
    if unknown:
        raise ValueError(f"build_position: unknown fields {unknown}")
    given = copy.deepcopy(overrides)
    rules = full_ruleset(ruleset or {})
    n = rules["players"]
    phase = given.get("phase", "turn")
    number = given.get("round", rules["rounds"] if phase == "over" else min(2, rules["rounds"]))
    in_play = list(offices_in_play(n))
    offices = given.get("offices", [None] * n if phase in AUCTION_PHASES else in_play)
    zeros = [0] * n
    position: Position = {
        "ruleset": rules,
        "round": number,
        "phase": phase,
        "to_act": None,
        "events": _default_events(n, phase, number),
        "pile": [],
        "draft_pool": [],
        "discards": [],
        "offices": list(offices),
        "last_offices": [None] * n if number == 1 else in_play,
        "silver": [12] * n,
        "squires": [1] * n if phase == "patriarchate" else list(zeros),
        "prestige": list(zeros),
        "floors": list(zeros),
        "hands": [[] for _ in range(n)],
        "barons": [None] * n,
        "board": {area: list(zeros) for area in areas_in_play(n)},
        "auction": fresh_auction(n, 0),
        "turn": fresh_turn(n),
        "pending": {},
        "winner": None,
        "ranking": None,
    }
    special = ("board", "turn", "auction", "pending", "pile", "draft_pool", "discards", "to_act")
    position.update({key: value for key, value in given.items() if key not in special})
    position["board"].update(given.get("board", {}))
    if phase == "over":
        position["ranking"] = given.get("ranking", final_ranking(position))
        position["winner"] = given.get("winner", position["ranking"][0])
    else:
        position["to_act"] = given["to_act"] if "to_act" in given else _default_seat(position)
        _fill_phase(position, given)
    position["auction"].update(given.get("auction", {}))
    arrivals = {**position["turn"]["arrivals"], **given.get("turn", {}).get("arrivals", {})}
    position["turn"].update({**given.get("turn", {}), "arrivals": arrivals})
    _fill_cards(position, given)
    check_position(position)
    return Reference(position).position()


def _default_events(players: int, phase: str, number: int) -> list[str]:
    """Three events; the one of an event phase lies over this round."""
    quiet_first = ("election", "special_tax", "war", "succession")
    events = [event for event in quiet_first if event in events_in_play(players)][:3]
    if phase in EVENTS and 2 <= number <= 4:
        if phase in events:
            events.remove(phase)
        events = events[:2]
        events.insert(number - 2, phase)
    return events


def _default_seat(position: Position) -> int:
    """The seat to act if the test does not say."""
    phase, n = position["phase"], position["ruleset"]["players"]
    game = Reference(position)
    if phase in AUCTION_PHASES:
        if not any(position["offices"]):
            if position["round"] > 1:
                return game._first_opener()
            return position["ruleset"]["first_opener"] or 0
        return position["offices"].index(None)
    if phase == TOWER or phase in SECTORS:
        holder = game._majority(area for area in game.areas if sector_of(area) == phase)
        if holder is not None:
            return holder
    order = game._order()
    if phase == "draft":
        cards = len(position["draft_pool"]) or n
        return order[max(0, n - cards)]
    return order[0]


def _fill_phase(position: Position, given: dict[str, Any]) -> None:
    """Defaults of board, barons, auction, turn and pending that fit the phase."""
    phase, n, me = position["phase"], position["ruleset"]["players"], position["to_act"]
    other = (me + 1) % n
    board = position["board"]
    want = given.get("pending", {})
    if "board" not in given:
        if phase in ("dismiss", "lift", "drop", "target"):
            board["palace.left"][me] = 2
            board["market.left"][other] = 1
        elif phase == "war":
            board["palace.left"][other] = 1
        elif phase == "special_tax":
            board["market.large"][me] = 1
        elif phase == TOWER:
            board[TOWER][me] = 1
        elif phase in SECTORS and f"{phase}.large" in board:
            board[f"{phase}.large"][me] = 1
    if phase == "succession" and "barons" not in given:
        position["barons"][me] = "market.large"
    if phase in AUCTION_PHASES:
        position["auction"]["opener"] = me
    if phase == "bid":
        free = [o for o in offices_in_play(n) if o not in position["offices"]]
        position["auction"]["office"] = free[0] if free else None
    if phase in TURN_PHASES:
        position["turn"]["baron_used"] = position["barons"][me] is not None
        position["turn"]["marshal_used"] = want.get("source") == "marshal"
    mine = next((area for area in board if board[area][me] > 0), None)
    influence = str(want.get("source", "")).startswith("influence_")
    defaults: dict[str, dict[str, Any]] = {
        "dismiss": {"source": "dismiss", "left": 2},
        "take": {"source": "resources_2", "left": 2},
        "lift": {
            "source": "move_2",
            "left": 1 if want.get("source") == "defector" else 2,
            "from": None,
        },
        "drop": {"source": "move_2", "left": 2, "from": None if influence else mine},
        "target": {"source": "defector", "left": 1, "from": mine},
        "income": {
            "may_decline": [
                {"squire": 0, "silver": int(seat == me), "prestige": 0} for seat in range(n)
            ]
        },
        "succession": {"lost": [2 if seat == me else 0 for seat in range(n)], "saved": 0},
        "special_tax": {"kept": dict.fromkeys(MARKET_AREAS, 0)},
        "war": {"left": 1, "hits": [0] * n},
    }
    pending = {**defaults.get(phase, {}), **want}
    if phase == "special_tax":
        pending["kept"] = {**defaults[phase]["kept"], **want.get("kept", {})}
    position["pending"] = pending


def _fill_cards(position: Position, given: dict[str, Any]) -> None:
    """Share the deck out over hands, discards, draft pool and pile."""
    n, phase = position["ruleset"]["players"], position["phase"]
    rest = deck_of(n)

    def take(cards: list[str], field: str) -> list[str]:
        for card in cards:
            if card not in rest:
                raise ValueError(f"{field}: no copy of {card!r} left in the deck")
            rest.remove(card)
        return list(cards)

    position["hands"] = [sorted(take(hand, "hands")) for hand in position["hands"]]
    if "pile" in given:
        position["pile"] = take(given["pile"], "pile")
    if "discards" in given:
        position["discards"] = take(given["discards"], "discards")
    else:  # the card whose effect is going on has been discarded
        source = position["pending"].get("source")
        played = [source] if source in CARD_COPIES else []
        played += ["genoa"] if position["turn"]["genoa"] else []
        position["discards"] = take(played, "discards")
    if "draft_pool" in given:
        position["draft_pool"] = take(given["draft_pool"], "draft_pool")
    else:
        size = n if phase in AUCTION_PHASES else 0
        if phase == "draft":
            size = n - Reference(position)._order().index(position["to_act"])
        position["draft_pool"] = take(rest[:size], "draft_pool")
    if "pile" not in given:
        position["pile"] = rest
    elif "discards" not in given:
        position["discards"] += rest
    elif rest:
        raise ValueError(f"pile: cards missing: {rest}")


def check_position(position: Position) -> None:
    """ValueError naming the field if VII.e refuses the position, or its decision cannot arise."""
    n = position["ruleset"]["players"]
    phase = position["phase"]

    def require(condition: bool, field: str, why: str) -> None:
        if not condition:
            raise ValueError(f"{field}: {why}")

    def is_count(value: Any) -> bool:
        return type(value) is int and value >= 0

    require(phase in PHASES, "phase", f"unknown phase {phase!r}")
    require(1 <= position["round"] <= position["ruleset"]["rounds"], "round", "out of range")
    per_seat = ["offices", "last_offices", "silver", "squires", "prestige", "floors", "hands"]
    for field in [*per_seat, "barons"]:
        require(len(position[field]) == n, field, f"needs {n} entries")
    for field in ("silver", "squires", "prestige", "floors"):
        require(all(map(is_count, position[field])), field, "needs whole numbers >= 0")
    require(list(position["board"]) == areas_in_play(n), "board", "needs the areas in play")
    for area, counts in position["board"].items():
        require(len(counts) == n and all(map(is_count, counts)), "board", f"bad counts in {area}")
    cards = [*position["pile"], *position["draft_pool"], *position["discards"]]
    cards += [card for hand in position["hands"] for card in hand]
    require(Counter(cards) == Counter(deck_of(n)), "pile", "cards are not the deck")
    events = position["events"]
    require(len(events) == len(set(events)) == 3, "events", "needs three different ones")
    require(set(events) <= set(events_in_play(n)), "events", "not in play")

    held = [office for office in position["offices"] if office is not None]
    require(len(held) == len(set(held)), "offices", "an office held twice")
    require(set(held) <= set(offices_in_play(n)), "offices", "not in play")
    if phase in AUCTION_PHASES:
        require(len(held) <= n - 2, "offices", "an auction needs two players without one")
    else:
        require(len(held) == n, "offices", "not all held after the auction")
    if position["round"] == 1:
        require(position["last_offices"] == [None] * n, "last_offices", "nulls in round 1")
    else:
        last = [str(office) for office in position["last_offices"]]
        require(sorted(last) == sorted(offices_in_play(n)), "last_offices", "not a permutation")

    game, me = Reference(position), position["to_act"]
    require((me is None) == (phase == "over"), "to_act", "null exactly when over")
    require(me is None or me in range(n), "to_act", "no such seat")
    order = [] if phase in AUCTION_PHASES else game._order()
    place = order.index(me) if me in order else 0
    pool = n if phase in AUCTION_PHASES else n - place if phase == "draft" else 0
    require(len(position["draft_pool"]) == pool and pool != 1, "draft_pool", f"needs {pool} cards")

    barons = [area for area in position["barons"] if area is not None]
    require(len(barons) == len(set(barons)), "barons", "two in one area")
    require(set(barons) <= set(game.areas), "barons", "area not in play")
    if phase in (*AUCTION_PHASES, "draft"):
        require(not barons, "barons", "none in phase 1")
    if phase in TURN_PHASES:
        to_come = [seat for seat in order[place + 1 :] if position["barons"][seat] is not None]
        require(not to_come, "barons", f"turn of seats {to_come} is still to come")

    _check_auction(position, require)
    turn = position["turn"]
    if phase in TURN_PHASES:
        require(list(turn["arrivals"]) == game.areas, "turn", "arrivals need the areas in play")
        require(all(map(is_count, turn["arrivals"].values())), "turn", "bad arrivals")
        require(is_count(turn["hired"]), "turn", "bad hired")
        has_baron = position["barons"][me] is not None
        require(turn["baron_used"] == has_baron, "turn", "baron_used contradicts barons")
        marshal = position["offices"][me] == "marshal"
        require(marshal or not turn["marshal_used"], "turn", "marshal_used without the office")
    else:
        require(turn == fresh_turn(n), "turn", "must be quiet outside turns")
    _check_pending(game, require)
    if phase == "over":
        require(position["ranking"] == final_ranking(position), "ranking", "not by R16.1")
        require(position["winner"] == position["ranking"][0], "winner", "not first in ranking")
        require(position["round"] == position["ruleset"]["rounds"], "round", "over too early")
    else:
        require(position["winner"] is position["ranking"] is None, "winner", "null before the end")


def _check_auction(position: Position, require: Any) -> None:
    """The auction field against the phase."""
    n, phase, me = position["ruleset"]["players"], position["phase"], position["to_act"]
    auction, offices = position["auction"], position["offices"]
    opener, bidder, passed = auction["opener"], auction["bidder"], auction["passed"]
    require(opener in range(n), "auction", "no such opener")
    if phase != "bid":
        require(auction == fresh_auction(n, opener), "auction", f"must be quiet in phase {phase}")
        if phase == "open":
            require(opener == me and offices[me] is None, "auction", "the opener acts, officeless")
        return
    free = [office for office in offices_in_play(n) if office not in offices]
    require(auction["office"] in free, "auction", "office not on offer")
    require(len(passed) == n, "auction", f"passed needs {n} entries")
    require(offices[opener] is None and offices[me] is None, "auction", "bidders have no office")
    require(not any(passed[s] for s in range(n) if offices[s]), "auction", "office holder passed")
    require(not passed[me], "auction", "the seat to act has passed")
    require((auction["bid"] is None) == (bidder is None), "auction", "bid without bidder")
    if bidder is None:
        require(me == opener and not any(passed), "auction", "the opener bids first")
        return
    require(bidder in range(n) and bidder != me, "auction", "the high bidder is not asked")
    require(offices[bidder] is None and not passed[bidder], "auction", "bidder is out")
    most = min(position["silver"][bidder], MAX_BID)
    require(0 <= auction["bid"] <= most, "auction", "bid above the bidder's silver")
    for k in range(1, (me - bidder) % n):
        seat = (bidder + k) % n
        require(passed[seat] or offices[seat] is not None, "auction", f"seat {seat} was skipped")


def _check_pending(game: Reference, require: Any) -> None:
    """The pending field, and that a decision of this phase arises for the seat to act."""
    state, me = game.state, game.state["to_act"]
    phase, pending, n = state["phase"], state["pending"], game.players
    shape = {
        "dismiss": ["source", "left"],
        "take": ["source", "left"],
        "lift": ["source", "left", "from"],
        "drop": ["source", "left", "from"],
        "target": ["source", "left", "from"],
        "income": ["may_decline"],
        "succession": ["lost", "saved"],
        "special_tax": ["kept"],
        "war": ["hits", "left"],
    }
    require(sorted(pending) == sorted(shape.get(phase, [])), "pending", f"wrong keys for {phase}")
    if phase == "over":
        return
    source, left, origin = (pending.get(key) for key in ("source", "left", "from"))
    if phase in ("dismiss", "take", "lift", "drop", "target"):
        sources = {
            "dismiss": ["dismiss"],
            "take": ["resources_2"],
            "lift": ["marshal", "move_2", "defector"],
            "drop": ["marshal", "move_2", *[c for c in deck_of(n) if c.startswith("influence_")]],
            "target": ["defector"],
        }
        require(source in sources[phase], "pending", f"source {source!r} in phase {phase}")
        require(left in ((1,) if source == "defector" else (1, 2)), "pending", "bad left")
        if source == "marshal":
            require(state["turn"]["marshal_used"], "pending", "marshal_used is not set")
        lifted = phase == "target" or (phase == "drop" and source in ("marshal", "move_2"))
        if lifted:
            require(origin in game._liftable(source), "pending", f"cannot lift from {origin!r}")
        else:
            require(origin is None, "pending", "from must be null")
        if phase == "dismiss":
            free = sum(game._here(area) for area in game._open_areas())
            require(free >= left, "pending", "too few squires to dismiss")
        require(bool(game.legal()), "pending", "no legal action")
    if phase == TOWER or phase in SECTORS:
        holder = game._majority(area for area in game.areas if sector_of(area) == phase)
        require(holder == me, "to_act", f"{phase} belongs to {holder}")
        minimum = {"patriarchate": min(state["squires"][me], len(state["pile"]))}
        minimum["market"] = state["silver"][me] // 2
        require(minimum.get(phase, 1) >= 1, "phase", f"{phase} cannot be used")
        require(phase != TOWER or not game._blocked(TOWER), "barons", "a baron in the Tower")
    if phase in EVENTS:
        fits = 2 <= state["round"] <= 4 and state["round"] < game.rules["rounds"]
        require(fits and state["events"][state["round"] - 2] == phase, "events", "not this one")
    if phase == "income":
        require(game.rules["decline_income"], "phase", "needs decline_income")
        require(len(pending["may_decline"]) == n, "pending", f"may_decline needs {n} entries")
        require(any(pending["may_decline"][me].values()), "pending", "nothing to decline")
    if phase == "succession":
        lost, saved, baron = pending["lost"], pending["saved"], state["barons"][me]
        require(len(lost) == n and baron is not None, "pending", "needs losses and a baron")
        require(0 <= saved < min(2, lost[me]), "pending", "nothing left to save")
        require(game._here(baron) >= saved, "pending", "saved squires are not there")
    if phase == "special_tax":
        kept = pending["kept"]
        require(sorted(kept) == sorted(MARKET_AREAS), "pending", "kept needs the Market areas")
        fits = all(0 <= kept[area] <= game._here(area) for area in MARKET_AREAS)
        require(fits and len(game.legal()) > 1, "pending", "nothing can be kept")
    if phase == "war":
        hits = pending["hits"]
        require(len(hits) == n and hits[me] == 0, "pending", "bad hits")
        require(all(0 <= hit <= 2 for hit in hits), "pending", "at most 2 hits an opponent")
        templars = sum(game._here(area) for area in game._sector("templars"))
        require(templars == 0 and pending["left"] > 0, "pending", "own Templars must be gone")
        require(len(game.legal()) > 1, "pending", "no target")
