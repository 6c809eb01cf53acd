"""A plain, slow reference implementation of Ierusalem: Anno Domini, written from the rules only.

The tests play it side by side with the compiled engine. Its state is the position dict of VII.e
itself; clause numbers (R..., A..., VII...) refer to the project's rules file. Every decision of
VII.b is asked, forced ones too (`skip_forced=False`), but those in which only `pass` is legal.

How it goes on: `steps` holds what is still to happen in this stage. `act` carries a decision out,
which may put steps in front; then steps are taken from the front until one asks something; with
none left the next stage of the turn begins.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.ierusalem.reference_box import (
    APOSTLES,
    AREAS,
    COLOURS,
    CORNERS,
    DECK,
    DRAWS,
    JESUS,
    LOCATIONS,
    PURPOSES,
    RESOURCES,
    RULESET,
    SEATS,
    SOURCES,
    SPACES,
    around,
    copied,
    data_of,
    key_of,
    shuffled,
)

Position = dict[str, Any]
JUDGMENTS = ("parable", "offering", "resources", "call", "favor", "go")
REFILL = ["excess", "refill", "overflow", "end"]  # R5.6, R5.7
# Steps that are decisions of their own name and fix nothing beforehand.
ASKED = ("temple", "favor", "change", "redistribute", "offering", "apostle", "swap")
ASKED += ("excess", "overflow")
STEPS_OF_COLOUR = {"purple": "invited", "white": "swap", "judas": "judas"}


class IllegalAction(ValueError):
    """An action that is not among the legal ones."""


def new_game(seed: int, ruleset: dict[str, Any] | None = None) -> ReferenceGame:
    """A game at its first decision (R2, R3, R4)."""
    rules = RULESET | (ruleset or {})
    data, n = data_of(rules["data"]), rules["players"]
    key = key_of(seed)

    def drawn(purpose: str, canonical: list[Any]) -> list[Any]:
        return shuffled(key, PURPOSES.index(purpose), 0, canonical)

    colours = rules["colours"] or drawn("colours", list(COLOURS))[:n]  # A2
    start = rules["first_player"]
    if start is None:
        start = drawn("start", list(range(n)))[0]  # R2.7
    symbols = rules["symbols"]
    if symbols is None:  # R2.2
        copies = data["components", "symbol_copies"]
        symbols = drawn("symbols", [place for place in LOCATIONS for _ in range(copies)])
    mahane = drawn("mahane", data.mahane)
    supper: dict[str, Any] = dict.fromkeys(SPACES)
    if n == 3:  # R4.1
        supper.update(dict.fromkeys(data["setup", "neutral_with_3"], "neutral"))
    free = [space for space in CORNERS if supper[space] is None]
    for seat, corner in enumerate(drawn("corners", free)[:n]):  # R3.3
        supper[corner] = seat
    columns_of_apostles = data["apostles", "columns_" + rules["apostle_columns"]]
    tiles = data["parables", "points"][:n]  # R2.3: with three players the lowest are out
    order = [(seat - start) % n for seat in range(n)]  # R3.2: place in the turn order
    each = data["setup", "in_each_location"]
    position: Position = {
        "ruleset": rules,
        "key": f"{key:016x}",
        "stage": "settle",
        "phase": "",
        "to_act": None,
        "turn": None,
        "turns": 0,
        "start": start,
        "steps": [f"settle {(start + k) % n}" for k in range(n)],
        "choice": {},
        "visit": None,
        "colours": list(colours),
        "symbols": [list(symbols[3 * j : 3 * j + 3]) for j in range(3)],
        "apostles": [sorted(column, key=APOSTLES.index) for column in columns_of_apostles],
        "seats": dict.fromkeys(SEATS),
        "supper": supper,
        "sanhedrin": 0,
        "judgments": drawn("judgments", data["sanhedrin", "tiles"]),
        "judgments_on": True,
        "mahane": mahane[2:],
        "xxxiii": drawn("xxxiii", data.xxxiii),
        "display": mahane[:2],
        "mahane_tail": 0,
        "xxxiii_tail": 0,
        "areas": [[each] * 3 for _ in range(n)],
        "camp": [data["setup", "camp"]] * n,
        "resources": [list(data["setup", "resources"]) for _ in range(n)],
        "offerings": [data["setup", "offerings"]] * n,
        "blocked": [True] * n,
        "denarii": [data["setup", "denarii_by_turn_order"][place] for place in order],
        "points": [data["setup", "points_by_turn_order"][place] for place in order],
        "illumination": [True] * n,
        "favors": [list(data.markers) for _ in range(n)],
        "favors_done": [0] * n,
        "symbols_held": [dict.fromkeys(LOCATIONS, 0) for _ in range(n)],
        "parables": [0] * n,
        "parable_stacks": [list(tiles) for _ in range(7)],
        "hands": [[] for _ in range(n)],
        "discards": [[] for _ in range(n)],
        "known_hands": [[] for _ in range(n)],
        "decks": [
            shuffled(key, DECK + seat, 0, data.in_order(data["cards.starting", colours[seat]]))
            for seat in range(n)
        ],
        "shuffles": [0] * n,
        "columns": [[[], [], []] for _ in range(n)],
    }
    game = ReferenceGame(position)
    game.run()
    return game


class ReferenceGame:
    """A game in progress; `state` is its position as VII.e writes it."""

    def __init__(self, position: Position) -> None:
        self.rules: dict[str, Any] = RULESET | position["ruleset"]
        self.state: Position = copied({**position, "ruleset": None})
        self.state["ruleset"] = self.rules
        self.data = data_of(self.rules["data"])
        self.n: int = self.rules["players"]

    @classmethod
    def from_position(cls, position: Position) -> ReferenceGame:
        """Go on from a position; it is not checked."""
        return cls(position)

    def position(self) -> Position:
        """The complete position (VII.e), the caller's own copy but for the rule set."""
        return copied({**self.state, "ruleset": None}) | {"ruleset": self.rules}

    @property
    def to_act(self) -> int | None:
        """The seat that decides, None when the game is over."""
        seat: int | None = self.state["to_act"]
        return seat

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.state["stage"] == "over")

    def legal(self) -> set[str]:
        """Names of the legal actions; none when the game is over."""
        return set() if self.over else self._legal()

    def act(self, name: str) -> None:
        """Carry out a decision and everything up to the next one."""
        if name not in self.legal():
            raise IllegalAction(f"{name!r} is not legal; legal: {sorted(self.legal())}")
        phase, choice = self.state["phase"], self.state["choice"]
        self.state.update(phase="", choice={})
        getattr(self, f"_act_{phase}")(name, choice)
        self.run()

    # --- flow ------------------------------------------------------------------------------

    def run(self) -> None:
        """Go on until a decision is asked or the game is over."""
        state = self.state
        while state["phase"] == "":
            if state["steps"]:
                word, *rest = state["steps"].pop(0).split()
                self._do(word, rest)
            else:
                self._next_stage()

    def _first(self, *steps: str) -> None:
        """Let these steps happen before all others."""
        self.state["steps"][:0] = steps

    def _ask(self, phase: str, seat: int | None = None, **choice: Any) -> None:
        """Ask a decision, unless nothing or only `pass` would be legal (VII.b)."""
        state = self.state
        seat = state["turn"] if seat is None else seat
        state.update(phase=phase, choice=choice, to_act=seat)
        if not self._legal() - {"pass"}:
            state.update(phase="", choice={})

    def _next_stage(self) -> None:
        """What comes after a stage whose steps are done (R5.1)."""
        state = self.state
        if state["stage"] == "settle":
            for seat in range(self.n):  # R3.6, A4
                self._fill_hand(seat)
            self._begin_turn(state["start"])
        elif state["stage"] == "play":
            state["stage"] = "visit"
            self._ask("visit")
        elif state["stage"] == "visit":
            state["stage"] = "purchase"
            self._ask("purchase")
        else:
            assert state["stage"] == "purchase"
            state["stage"], state["steps"] = "refill", list(REFILL)

    def _begin_turn(self, seat: int) -> None:
        """Bureaucracy, then the card (R5.2, R5.3)."""
        state = self.state
        state.update(stage="play", turn=seat, turns=state["turns"] + 1)
        if self._all_seated():  # R5.2; the judgments are gone (A30)
            self._advance()
        self._ask("play")

    def _do(self, word: str, rest: list[str]) -> None:
        """One step."""
        state, me = self.state, self.state["turn"]
        if word == "settle":
            self._ask("settle", int(rest[0]))
        elif word == "market":
            self._ask("market", traded="none", sold=[])
        elif word in ("go", "invited"):
            self._ask("supper", free=word == "invited")
        elif word == "call":
            self._ask("call", must=False)
        elif word == "mahane":
            self._ask("draw")
        elif word in (
            "temple",
            "favor",
            "change",
            "redistribute",
            "offering",
            "apostle",
            "swap",
        ) or word in ("excess", "overflow"):
            self._ask(word)
        elif word == "parable":
            self._listen(me)
        elif word == "meeting":
            self._meeting()
        elif word == "xxxiii":
            self._draw_xxxiii(me)
        elif word == "denarius":
            state["denarii"][me] += self.data["actions", "denarius"]
        elif word in RESOURCES:
            state["resources"][me][RESOURCES.index(word)] += self.data["actions", word]
        elif word == "vp3":
            state["points"][me] += self.data["actions", "vp3"]
        elif word == "gain":  # R12.2
            area = AREAS.index(rest[0])
            state["resources"][me][area] += state["areas"][me][area]
        elif word.startswith("points_"):
            state["points"][me] += int(word.removeprefix("points_"))
        elif word.startswith("denarii_"):
            state["denarii"][me] += int(word.removeprefix("denarii_"))
        elif word == "receive":
            self._receive(rest[0], int(rest[1]))
        elif word == "favor_done":
            self._favor_done(me)
        elif word == "judas":  # R7.8
            state["denarii"][me] += self.data["apostles", "judas_denarii"]
        elif word == "score":  # R7.6, A14
            own = self.rules["orange_scores"] == "own"
            for seat, points in enumerate(self.around_points(rest[0])):
                if seat == me or not own:
                    state["points"][seat] += points
        elif word == "visit_end":
            self._visit_end(me)
        elif word == "refill":
            self._fill_hand(me)
        elif word == "end":
            self._end_check()
        else:
            assert word == "-", word

    # --- what is legal (VII.b) -------------------------------------------------------------

    def _legal(self) -> set[str]:
        legal: set[str] = getattr(self, f"_legal_{self.state['phase']}")()
        return legal

    def _legal_settle(self) -> set[str]:
        return {f"follower {a}" for a in AREAS if self._squares_free(a) > 0}

    def _legal_play(self) -> set[str]:
        me = self.state["turn"]
        legal = {f"card {card}" for card in self.state["hands"][me]}
        if self.state["illumination"][me] and not self._all_seated():  # R8.1, R8.3
            legal.add("illuminate")
        if not self.state["hands"][me]:  # A9
            legal |= {f"column {c + 1}" for c in range(3) if self.state["columns"][me][c]}
        return legal

    def _legal_column(self) -> set[str]:
        return {"column 1", "column 2", "column 3"}

    def _legal_illuminate(self) -> set[str]:  # A18
        me, legal = self.state["turn"], {"apostle judas"}
        if self._spaces(None) and any(self.state["areas"][me]):
            legal.add("apostle purple")
        if "orange" in self.state["seats"].values():
            legal.add("apostle orange")
        if self._spaces(me) and self._spaces_of_others(me):
            legal.add("apostle white")
        return legal

    def _legal_orange(self) -> set[str]:
        return {f"seat {s}" for s, colour in self.state["seats"].items() if colour == "orange"}

    def _legal_market(self) -> set[str]:  # R12.1, A33
        me, choice, legal = self.state["turn"], self.state["choice"], {"pass"}
        denarii = self.state["denarii"][me]
        price = self.data["locations", "trade_price"]
        if choice["traded"] == "none" and denarii >= self.data["locations", "market_card_price"]:
            legal |= self._draws()
        if choice["traded"] != "bought":
            held = zip(RESOURCES, self.state["resources"][me], strict=True)
            legal |= {f"sell {resource}" for resource, amount in held if amount > 0}
        for resource in RESOURCES:
            if denarii >= price[resource] and resource not in choice["sold"]:
                legal.add(f"buy {resource}")
        return legal

    def _legal_temple(self) -> set[str]:  # R12.3 - R12.5, A34
        me, state, legal = self.state["turn"], self.state, {"pass"}
        for index, area in enumerate(AREAS):
            if state["camp"][me] == 0 or self._has_most_allowed(me, index):
                continue
            price = self._recruit_price(area)
            if self._squares_free(area) > 0:
                if state["denarii"][me] >= price:
                    legal.add(f"follower {area}")
            elif state["denarii"][me] >= price + self.data["locations", "displace_extra"]:
                for k in range(1, self.n):
                    if state["areas"][(me + k) % self.n][index] > 0:
                        legal.add(f"displace +{k} {area}")
        return legal

    def _legal_supper(self) -> set[str]:  # R13.1 - R13.3
        me, legal = self.state["turn"], {"pass"}
        if not any(self.state["areas"][me]):
            return legal
        for space in self._spaces(None):
            held = zip(self.state["resources"][me], self.data.cost[space], strict=True)
            if self.state["choice"]["free"] or all(have >= cost for have, cost in held):
                legal.add(f"space {space}")
        return legal

    def _legal_from(self) -> set[str]:  # A36
        followers = self.state["areas"][self.state["turn"]]
        return {f"from {a}" for a, k in zip(AREAS, followers, strict=True) if k == max(followers)}

    def _legal_offering(self) -> set[str]:
        return {"offering", "pass"}

    def _legal_call(self) -> set[str]:  # R13.6, A38
        state, caller = self.state, self.state["to_act"]
        legal = set() if state["choice"]["must"] else {"pass"}
        for index, area in enumerate(AREAS):
            room = self._squares_free(area) > 0 and not self._has_most_allowed(caller, index)
            if state["camp"][caller] > 0 and room:
                legal.add(f"follower {area}")
        return legal

    def _legal_draw(self) -> set[str]:
        return self._draws() | {"pass"}

    def _legal_favor(self) -> set[str]:
        return {f"favor {m}" for m in self.state["favors"][self.state["turn"]]} | {"pass"}

    def _legal_give(self) -> set[str]:
        return {f"give +{k}" for k in range(1, self.n)}

    def _legal_change(self) -> set[str]:  # R13.7
        lifts = {f"lift {s}" for s in self._spaces(self.state["turn"])}
        return {"pass"} | (lifts if self._spaces(None) else set())

    def _legal_change_to(self) -> set[str]:  # A41
        return {f"space {s}" for s in self._spaces(None)}

    def _legal_swap(self) -> set[str]:  # R7.7
        me = self.state["turn"]
        lifts = {f"lift {s}" for s in self._spaces(me)}
        return {"pass"} | (lifts if self._spaces_of_others(me) else set())

    def _legal_swap_with(self) -> set[str]:  # A15
        return {f"space {s}" for s in self._spaces_of_others(self.state["turn"])}

    def _legal_redistribute(self) -> set[str]:
        columns = self.state["columns"][self.state["turn"]]
        return {"rearrange", "pass"} if any(columns) else {"pass"}

    def _legal_arrange(self) -> set[str]:  # R13.8
        choice = self.state["choice"]
        legal = {f"card {card}" for card in choice["pool"]}
        most = self.data["actions", "redistribute_discards"]
        if choice["column"] < 3 or len(choice["pool"]) <= most:
            legal.add("pass")
        return legal

    def _legal_visit(self) -> set[str]:
        legal = {"pass"}
        for source, name in enumerate(SOURCES):
            for column in range(3):
                if self._missing(source, column) is not None:
                    legal.add(f"visit {name} apostles.{column + 1}")
        return legal

    def _legal_apostle(self) -> set[str]:  # A16
        return {f"apostle {colour}" for colour in self.state["apostles"][self.state["visit"][1]]}

    def _legal_seat(self) -> set[str]:
        return {f"seat {s}" for s, colour in self.state["seats"].items() if colour is None}

    def _legal_purchase(self) -> set[str]:  # R5.5
        rich = self.state["denarii"][self.state["turn"]] >= self.data["locations", "purchase_price"]
        return {"pass"} | (self._draws() if rich else set())

    def _legal_excess(self) -> set[str]:  # R9.1
        hand = self.state["hands"][self.state["turn"]]
        return (
            {f"card {card}" for card in hand} if len(hand) > self.data["setup", "hand"] else set()
        )

    def _legal_overflow(self) -> set[str]:  # R9.3, A27
        me = self.state["turn"]
        if self.in_camp(me) <= self.capacity(me):
            return set()
        held = zip(RESOURCES, self.state["resources"][me], strict=True)
        return {f"discard {resource}" for resource, amount in held if amount > 0}

    # --- decisions carried out -------------------------------------------------------------

    def _act_settle(self, name: str, choice: dict[str, Any]) -> None:
        self.state["areas"][self.state["to_act"]][AREAS.index(name.split()[1])] += 1

    def _act_play(self, name: str, choice: dict[str, Any]) -> None:
        me, (word, *rest) = self.state["turn"], name.split()
        if word == "card":
            self._ask("column", card=rest[0])
        elif word == "illuminate":
            self._ask("illuminate")
        else:  # A9
            column = self.state["columns"][me][int(rest[0]) - 1]
            cards, column[:] = list(column), []
            for card in cards:  # A24
                self._discard(me, card)

    def _act_column(self, name: str, choice: dict[str, Any]) -> None:
        me, card = self.state["turn"], choice["card"]
        self._leave_hand(me, card)
        self.state["columns"][me][int(name.split()[1]) - 1].append(card)  # A8
        place, bottom = card.split(".")
        location = place if place in ("market", "temple") else f"gain {place}"
        self._first(location, *bottom.split("+"))  # R6.2

    def _act_illuminate(self, name: str, choice: dict[str, Any]) -> None:
        colour = name.split()[1]
        self.state["illumination"][self.state["turn"]] = False
        if colour == "orange":
            self._ask("orange")
        else:
            self._first(STEPS_OF_COLOUR[colour])

    def _act_orange(self, name: str, choice: dict[str, Any]) -> None:
        self._first(f"score {name.split()[1]}")

    def _act_market(self, name: str, choice: dict[str, Any]) -> None:
        me, (word, *rest) = self.state["turn"], name.split()
        if word == "draw":
            self.state["denarii"][me] -= self.data["locations", "market_card_price"]
            self._draw_mahane(me, rest[0])
        elif word != "pass":
            resource, sign = rest[0], 1 if word == "buy" else -1
            self.state["resources"][me][RESOURCES.index(resource)] += sign
            self.state["denarii"][me] -= sign * self.data["locations", "trade_price"][resource]
            sold = set(choice["sold"]) | ({resource} if word == "sell" else set())
            in_order = [resource for resource in RESOURCES if resource in sold]
            self._ask("market", traded="bought" if word == "buy" else "sold", sold=in_order)

    def _act_temple(self, name: str, choice: dict[str, Any]) -> None:
        me, state, (word, *rest) = self.state["turn"], self.state, name.split()
        if word == "pass":
            return
        index, price = AREAS.index(rest[-1]), self._recruit_price(rest[-1])
        state["denarii"][me] -= price
        state["camp"][me] -= 1
        state["areas"][me][index] += 1
        if word == "displace":  # R12.4, A35
            state["denarii"][me] -= self.data["locations", "displace_extra"]
            victim = (me + int(rest[0])) % self.n
            state["denarii"][victim] += price
            state["areas"][victim][index] -= 1
            state["camp"][victim] += 1
        self._ask("temple")

    def _act_supper(self, name: str, choice: dict[str, Any]) -> None:
        if name == "pass":
            return
        space, followers = name.split()[1], self.state["areas"][self.state["turn"]]
        most = [index for index in range(3) if followers[index] == max(followers)]
        if len(most) > 1:
            self._ask("from", free=choice["free"], space=space)
        else:
            self._go(space, choice["free"], most[0])

    def _act_from(self, name: str, choice: dict[str, Any]) -> None:
        self._go(choice["space"], choice["free"], AREAS.index(name.split()[1]))

    def _go(self, space: str, free: bool, area: int) -> None:  # R13.1, A29
        me, state = self.state["turn"], self.state
        if not free:
            for index, cost in enumerate(self.data.cost[space]):
                state["resources"][me][index] -= cost
        state["areas"][me][area] -= 1
        state["supper"][space] = me
        self._first(self.data.effect[space], "offering")

    def _act_offering(self, name: str, choice: dict[str, Any]) -> None:
        if name == "offering":
            self.state["offerings"][self.state["turn"]] += 1

    def _act_call(self, name: str, choice: dict[str, Any]) -> None:
        if name != "pass":
            caller = self.state["to_act"]
            self.state["camp"][caller] -= 1
            self.state["areas"][caller][AREAS.index(name.split()[1])] += 1

    def _act_draw(self, name: str, choice: dict[str, Any]) -> None:
        if name != "pass":
            self._draw_mahane(self.state["turn"], name.split()[1])

    def _act_favor(self, name: str, choice: dict[str, Any]) -> None:
        if name != "pass":
            self._ask("give", marker=name.split()[1])

    def _act_give(self, name: str, choice: dict[str, Any]) -> None:
        me, marker = self.state["turn"], choice["marker"]
        self.state["favors"][me].remove(marker)
        receiver = (me + int(name.split()[1])) % self.n
        self._first(f"receive {marker} {receiver}", "favor_done")  # A39

    def _act_change(self, name: str, choice: dict[str, Any]) -> None:
        if name != "pass":
            self._ask("change_to", lift=name.split()[1])

    def _act_change_to(self, name: str, choice: dict[str, Any]) -> None:
        supper, space = self.state["supper"], name.split()[1]
        supper[space], supper[choice["lift"]] = supper[choice["lift"]], None
        self._first(self.data.effect[space])

    def _act_swap(self, name: str, choice: dict[str, Any]) -> None:
        if name != "pass":
            self._ask("swap_with", lift=name.split()[1])

    def _act_swap_with(self, name: str, choice: dict[str, Any]) -> None:
        supper, one, other = self.state["supper"], choice["lift"], name.split()[1]
        supper[one], supper[other] = supper[other], supper[one]

    def _act_redistribute(self, name: str, choice: dict[str, Any]) -> None:
        if name == "rearrange":
            columns = self.state["columns"][self.state["turn"]]
            pool = self.data.in_order(card for column in columns for card in column)
            columns[:] = [[], [], []]
            self._ask("arrange", column=1, pool=pool)

    def _act_arrange(self, name: str, choice: dict[str, Any]) -> None:
        me, column, pool = self.state["turn"], choice["column"], list(choice["pool"])
        if name != "pass":
            card = name.split()[1]
            pool.remove(card)
            self.state["columns"][me][column - 1].append(card)
        elif column < 3:
            column += 1
        else:
            for card in pool:  # in the order of the kinds (A24)
                self._discard(me, card)
            pool = []
        if pool:
            self._ask("arrange", column=column, pool=pool)

    def _act_visit(self, name: str, choice: dict[str, Any]) -> None:
        if name == "pass":
            return
        _, source, target = name.split()
        column = int(target.removeprefix("apostles.")) - 1
        self.state["visit"] = [SOURCES.index(source), column]
        self._first(*(["apostle"] if self.state["apostles"][column] else []), "visit_end")

    def _act_apostle(self, name: str, choice: dict[str, Any]) -> None:
        self._ask("seat", colour=name.split()[1])

    def _act_seat(self, name: str, choice: dict[str, Any]) -> None:
        seat, colour = name.split()[1], choice["colour"]
        self.state["apostles"][self.state["visit"][1]].remove(colour)
        self.state["seats"][seat] = colour
        self._first(f"score {seat}" if colour == "orange" else STEPS_OF_COLOUR[colour])

    def _act_purchase(self, name: str, choice: dict[str, Any]) -> None:
        if name != "pass":
            me = self.state["turn"]
            self.state["denarii"][me] -= self.data["locations", "purchase_price"]
            self._draw_mahane(me, name.split()[1])

    def _act_excess(self, name: str, choice: dict[str, Any]) -> None:
        me, card = self.state["turn"], name.split()[1]
        self._leave_hand(me, card)
        self._discard(me, card)
        self._ask("excess")

    def _act_overflow(self, name: str, choice: dict[str, Any]) -> None:
        me = self.state["turn"]
        self.state["resources"][me][RESOURCES.index(name.split()[1])] -= 1
        self._ask("overflow")

    # --- what happens by itself ------------------------------------------------------------

    def _listen(self, me: int) -> None:  # R13.4, A40
        state, number = self.state, self.state["parables"][me] + 1
        if number > len(state["parable_stacks"]):
            return
        if len(self._spaces(me)) < self.data.listeners_needed(number):
            return
        state["parables"][me] = number
        state["points"][me] += state["parable_stacks"][number - 1].pop(0)
        self._first(self.data["parables", "rewards"][number - 1])

    def _advance(self) -> bool:
        """The marker goes on by 1, never beyond the last space (R11.1); whether it moved."""
        moves = bool(self.state["sanhedrin"] < self.data["sanhedrin", "last_space"])
        self.state["sanhedrin"] += moves
        return moves

    def _meeting(self) -> None:  # R11.2, R11.3
        state = self.state
        spaces = self.data["sanhedrin", "tile_spaces"]
        if not self._advance() or not state["judgments_on"] or state["sanhedrin"] not in spaces:
            return
        judgment = state["judgments"][spaces.index(state["sanhedrin"])]
        for seat in range(self.n):
            number = self.judgment_number(judgment, seat)
            state["points"][seat] += number if seat == state["turn"] else number // 2

    def _draw_xxxiii(self, me: int) -> None:  # R10.2, A23
        self._draw_from_pile("xxxiii", me)

    def _draw_mahane(self, me: int, source: str) -> None:  # R10.1
        state = self.state
        if source == "deck":
            self._draw_from_pile("mahane", me)
            return
        slot = DRAWS.index(source)
        card = state["display"][slot]
        state["hands"][me] = self.data.in_order([*state["hands"][me], card])
        state["known_hands"][me] = self.data.in_order([*state["known_hands"][me], card])
        state["display"][slot] = self._top("mahane")[0]

    def _draw_from_pile(self, pile: str, me: int) -> None:
        state = self.state
        card, public = self._top(pile)
        if card is None:
            return
        state["hands"][me] = self.data.in_order([*state["hands"][me], card])
        if public:
            state["known_hands"][me] = self.data.in_order([*state["known_hands"][me], card])

    def _top(self, pile: str) -> tuple[str | None, bool]:
        """The top card of a pile, taken from it, and whether everybody knew it (VII.g)."""
        cards = self.state[pile]
        if not cards:
            return None, False
        public = len(cards) == self.state[f"{pile}_tail"]
        self.state[f"{pile}_tail"] -= public
        return cards.pop(0), public

    def _receive(self, marker: str, receiver: int) -> None:  # R16.2
        state = self.state
        state["symbols_held"][receiver][self.data.symbol(marker)] += 1
        what, _, amount = marker.rpartition("_")
        if what == "denarii":
            state["denarii"][receiver] += int(amount)
        elif what == "call":
            self._ask("call", receiver, must=True)  # A38
        else:
            state["resources"][receiver][RESOURCES.index(what)] += int(amount)

    def _favor_done(self, me: int) -> None:  # R16.3, R16.4
        state = self.state
        self._draw_xxxiii(me)
        state["favors_done"][me] += 1
        done = state["favors_done"][me]
        state["points"][me] += self.data["favors", "points"][done - 1]
        if done >= self.data["favors", "unblock_at"]:
            state["blocked"][me] = False
        state["denarii"][me] += self.data["favors", "denarii_at"].get(str(done), 0)

    def _visit_end(self, me: int) -> None:  # R7.9 - R7.12
        state, (source, column) = self.state, self.state["visit"]
        missing = self._missing(source, column)
        assert missing is not None
        if source < 3:
            cards = state["columns"][me][source]
            state["columns"][me][source] = []
            points = self.data["cards", "apostle_points"]
            state["points"][me] += sum(points[self.data.back(card)] for card in cards)
            for card in cards:
                self._discard(me, card)
        for symbol, amount in missing.items():
            state["symbols_held"][me][symbol] -= amount
        state["visit"] = None
        if self._all_seated():
            state["judgments_on"] = False

    def _fill_hand(self, me: int) -> None:  # R9.2
        state = self.state
        hand, deck, discards = state["hands"][me], state["decks"][me], state["discards"][me]
        while len(hand) < self.data["setup", "hand"] and (deck or discards):
            if not deck:
                state["shuffles"][me] += 1
                key, count = int(state["key"], 16), state["shuffles"][me]
                deck += shuffled(key, DECK + me, count, self.data.in_order(discards))
                discards.clear()
            hand.append(deck.pop(0))
        state["hands"][me] = self.data.in_order(hand)

    def _end_check(self) -> None:  # R17.1, A48
        state, everyone = self.state, self.data["components", "followers_each"]
        last = state["sanhedrin"] == self.data["sanhedrin", "last_space"]
        if last or any(len(self._spaces(seat)) == everyone for seat in range(self.n)):
            for seat in range(self.n):
                state["points"][seat] += self.final_points(seat)
            state.update(stage="over", phase="over", to_act=None, steps=[], choice={})
        else:
            self._begin_turn((state["turn"] + 1) % self.n)

    def _discard(self, owner: int, card: str) -> None:
        """Put a card where discarded cards go (R6.4)."""
        state, pile = self.state, self.data.back(card)
        if pile == "starting":
            state["discards"][owner] = self.data.in_order([*state["discards"][owner], card])
        elif pile == "mahane" and None in state["display"]:  # A23
            state["display"][state["display"].index(None)] = card
        else:
            state[pile].append(card)
            state[f"{pile}_tail"] += 1

    def _leave_hand(self, me: int, card: str) -> None:
        self.state["hands"][me].remove(card)
        if card in self.state["known_hands"][me]:
            self.state["known_hands"][me].remove(card)

    # --- what the table shows --------------------------------------------------------------

    def _all_seated(self) -> bool:
        return None not in self.state["seats"].values()

    def _spaces(self, who: int | None) -> list[str]:
        """The spaces with this seat's followers, or the empty ones."""
        found = self.state["supper"].items()
        return [s for s, x in found if (x is None if who is None else x == who)]

    def _spaces_of_others(self, me: int) -> list[str]:
        found = self.state["supper"].items()
        return [s for s, x in found if x not in (None, "neutral", me)]

    def _squares_free(self, area: str) -> int:
        squares = self.data["locations", "squares"][str(self.n)]
        return int(squares - sum(mine[AREAS.index(area)] for mine in self.state["areas"]))

    def _has_most_allowed(self, seat: int, area: int) -> bool:  # R12.5
        return bool(self.state["areas"][seat][area] >= self.data["locations", "max_each"])

    def _recruit_price(self, area: str) -> int:
        return int(self.data["locations", "recruit_price"][area])

    def _draws(self) -> set[str]:
        """The draws of a Mahane card for which there is one."""
        left, right = self.state["display"]
        there = zip(DRAWS, (left, right, self.state["mahane"]), strict=True)
        return {f"draw {source}" for source, what in there if what}

    def _missing(self, source: int, column: int) -> Counter[str] | None:
        """The symbols held that complete a set (R7.1 - R7.3, A13), None if it is no set."""
        me = self.state["turn"]
        wanted: list[str] = self.state["symbols"][column]
        cards = self.state["columns"][me][source] if source < 3 else []
        if source < 3 and not cards:
            return None
        shown, missing = [card.split(".")[0] for card in cards], []
        for symbol in wanted:
            if shown and shown[0] == symbol:
                shown.pop(0)
            else:
                missing.append(symbol)
        counts, held = Counter(missing), self.state["symbols_held"][me]
        if shown or any(held[symbol] < amount for symbol, amount in counts.items()):
            return None
        return counts

    def in_camp(self, seat: int) -> int:
        """Squares that a seat's things need (R9.3)."""
        state = self.state
        return int(state["camp"][seat] + sum(state["resources"][seat]) + state["offerings"][seat])

    def capacity(self, seat: int) -> int:
        """Usable squares of a seat's camp (R3.1, R16.4)."""
        blocked = self.state["blocked"][seat]
        return int(self.data["warehouse", "capacity" if blocked else "capacity_unblocked"])

    def judgment_number(self, judgment: str, seat: int) -> int:
        """What a judgment counts of a seat (R11.4)."""
        state = self.state
        numbers = {
            "parable": state["parables"][seat],
            "offering": state["offerings"][seat],
            "resources": sum(state["resources"][seat]),
            "call": sum(state["areas"][seat]),
            "favor": state["favors_done"][seat],
            "go": len(self._spaces(seat)),
        }
        return int(numbers[judgment])

    # --- the end (R18) ---------------------------------------------------------------------

    def around_points(self, seat_of_table: str) -> list[int]:
        """By seat, what the followers around an Apostle are worth (R18.3)."""
        points = [0] * self.n
        colour = self.state["seats"][seat_of_table]
        if colour is not None:
            value = self.data["apostles", "value"][colour]
            for space, distance in around(seat_of_table):
                owner = self.state["supper"][space]
                if owner not in (None, "neutral"):  # A47
                    size = max(0, abs(value) - distance)
                    points[owner] += size if value > 0 else -size
        return points

    def final_points(self, seat: int) -> int:
        """Points of the final count without those scored so far (R18.2 - R18.5)."""
        state = self.state
        points = self.data["parables", "end_points"][state["parables"][seat]]
        points += sum(self.around_points(place)[seat] for place in SEATS)
        jesus = sum(state["supper"][space] == seat for space in JESUS)
        points += jesus * self.data["supper", "jesus_points"]
        points += state["offerings"][seat] * self.data["end", "offering"]
        points += state["illumination"][seat] * self.data["end", "illumination"]  # A45
        return int(points)

    def ranks(self) -> list[int]:
        """Ranks once the game is over: 1 is best, ties share (R18.6, A49)."""
        state = self.state
        marks = [
            (state["points"][seat], state["illumination"][seat], state["favors_done"][seat])
            for seat in range(self.n)
        ]
        return [1 + sum(other > mark for other in marks) for mark in marks]
