"""What happens at the table, in words: an action, and all that followed before the next decision.

Everything is read off the two states, so it is what really changed. Told to a seat, it leaves out
what lies behind the others' screens: silver, supplies, cards kept and drawn.
"""

from __future__ import annotations

import numpy as np

from .actions import ACTION_BLOCKS, ACTION_NAMES, PHASES
from .engine.layout import (
    BID,
    PHASE_BID,
    PHASE_DAVIDS_TOWER,
    PHASE_OVER,
    PHASE_TARGET,
    PHASE_TURN,
    PHASE_WAR,
    TARGET,
)
from .render.settlement import AMOUNTS, settlement
from .rules.board import AREAS, DAVIDS_TOWER, NUM_AREAS, areas_in_play
from .rules.cards import CARDS
from .rules.events import EVENT_ROUNDS, EVENTS
from .rules.offices import OFFICES

_TURN = range(PHASE_TURN, PHASE_TARGET + 1)
_UNITS = {"squires": "squire", "silver": "silver", "prestige": "prestige", "floors": "floor"}
_EVENTS = {
    "succession": "Succession: all squires leave the Palace",
    "election": "Election: in Patriarchate and Nobility all come down to the fewest in each area",
    "special_tax": "Special tax: Market squires leave unless they are paid for",
    "war": "War: squires leave the Templars, and take others with them",
}
_HIDDEN = ("squires", "silver")  # amounts behind the screen

# What a seat does, by the kind of action: for the others to read, and for itself. {0} is the rest
# of the action's name.
_VERBS = {
    "open": ("puts the {0} up for auction", "put the {0} up for auction"),
    "bid": ("bids {0}", "bid {0}"),
    "draft": ("keeps {0}", "keep {0}"),
    "place": ("places a squire in {0}", "place a squire in {0}"),
    "baron": ("sets the baron on {0}", "set your baron on {0}"),
    "hire": ("hires a squire", "hire a squire"),
    "dismiss": ("dismisses a squire from {0}", "dismiss a squire from {0}"),
    "play": ("plays {0}", "play {0}"),
    "marshal move": ("uses the marshal to move squires", "use the marshal to move squires"),
    "marshal silver": ("uses the marshal for 1 silver", "use the marshal for 1 silver"),
    "lift": ("lifts a squire from {0}", "lift a squire from {0}"),
    "drop": ("puts a squire into {0}", "put a squire into {0}"),
    "take": ("takes 1 {0}", "take 1 {0}"),
    "buy card": ("buys a card for a squire", "buy a card for a squire"),
    "buy prestige": ("buys {0} prestige", "buy {0} prestige"),
    "keep": ("pays to keep a squire in {0}", "pay to keep a squire in {0}"),
    "decline": ("gives back 1 {0} of income", "give back 1 {0} of income"),
}
# The same for ``pass``, by phase.
_PASSES = {
    "bid": ("passes", "pass"),
    "turn": ("ends the turn", "end your turn"),
    "davids_tower": ("moves nobody out of David's Tower", "move nobody out of David's Tower"),
    "patriarchate": ("buys no card", "buy no card"),
    "market": ("buys no prestige", "buy no prestige"),
    "nobility": ("steals nothing", "steal nothing"),
    "income": ("keeps the income", "keep the income"),
    "succession": ("saves no more squires", "save no more squires"),
    "special_tax": ("pays no more", "pay no more"),
    "war": ("removes no more", "remove no more"),
}
_DECISIONS = {
    "open": "which office to put up for auction",
    "bid": "whether to bid for the {office} ({bid})",
    "draft": "which card of the pool to keep",
    "turn": "the next step of the turn",
    "dismiss": "which squire to dismiss next",
    "lift": "which squire to move",
    "drop": "where the squire comes down",
    "take": "which resource to take",
    "target": "with which squire to change places",
    "davids_tower": "whether a squire leaves David's Tower",
    "patriarchate": "whether to buy a card for a squire",
    "market": "how much prestige to buy",
    "nobility": "from whom to steal a prestige point",
    "income": "what income to give back",
    "succession": "whether a squire is saved from the Palace",
    "special_tax": "which Market squires to pay for",
    "war": "whose squire to remove",
    "over": "nothing: the game is over",
}


def narrate(
    before: np.void, action: int, after: np.void, seat: int | None = None, recall: bool = False
) -> list[str]:
    """An action and what followed from it, a line each, the action first.

    Parameters
    ----------
    before, after : STATE records
        Full states at the decision and at the next one.
    action : int
        Flat action, taken at ``before``.
    seat : int, optional
        Tell what this seat may know, and call it "You"; by default everything.
    recall : bool
        With ``seat``: it keeps count of silver and supplies.
    """
    told = _Told(before, action, after, seat, recall)
    lines = [told.action_line(), *told.auctions(), *told.cards(), *told.amounts(), *told.settled()]
    return [*lines, *told.board(), *told.rounds()]


class _Told:
    """One step, as an observer may know it."""

    def __init__(
        self, before: np.void, action: int, after: np.void, seat: int | None, recall: bool
    ) -> None:
        self.before, self.after, self.action = before, after, int(action)
        self.seat, self.recall = seat, recall
        self.players = int(before["players"])
        self.actor = int(before["to_act"])
        self.phase = PHASES[before["phase"]]
        board = before["board"] + self._by_the_action()
        self.settlement = settlement(before, after, board, self._own_prestige())

    def name(self, seat: int) -> str:
        return "You" if seat == self.seat else f"P{seat}"

    def does(self, seat: int, verb: tuple[str, str], rest: str = "") -> str:
        return f"{self.name(seat)} {verb[seat == self.seat].format(rest)}"

    def sees(self, seat: int, amount: str) -> bool:
        """Whether the observer knows how an amount of a seat changes."""
        return self.seat in (None, seat) or self.recall or amount not in _HIDDEN

    def change(self, amount: str, seat: int) -> int:
        return int(self.after[amount][seat]) - int(self.before[amount][seat])

    # --- the action --------------------------------------------------------------------------
    def action_line(self) -> str:
        actor, name = self.actor, ACTION_NAMES[self.action]
        if name == "pass":
            stops = ("stops", "stop")
            return self.does(actor, _PASSES.get(self.phase, stops))
        block = next(b for b in reversed(ACTION_BLOCKS) if b.start <= self.action)
        if block.kind == "target":
            return self._target_line()
        if block.kind == "steal":
            victim = (actor + int(name.split("+")[1])) % self.players
            from_whom = "you" if victim == self.seat else f"P{victim}"
            if self.before["prestige"][victim] == 0:  # R12.7
                from_whom += ", who has none to lose"
            steals = ("steals 1 prestige from {0}", "steal 1 prestige from {0}")
            return self.does(actor, steals, from_whom)
        if self.before["phase"] == PHASE_DAVIDS_TOWER:
            out_of = "a squire from David's Tower to {0}"
            return self.does(actor, (f"moves {out_of}", f"move {out_of}"), name[5:])
        if block.kind == "draft" and self.seat not in (None, actor):
            return self.does(actor, ("keeps a card of the pool", ""))
        kind = name if name in _VERBS else block.kind
        rest = name.removeprefix(kind).strip()
        if block.kind == "bid":
            rest = f"{rest} for the {OFFICES[self.before['auction_office']]}"
        return self.does(actor, _VERBS[kind], rest)

    def _target_line(self) -> str:
        victim, place = self._target()
        area = AREAS[place]
        whose = "your squire" if victim == self.seat else f"a squire of P{victim}"
        if self.before["phase"] == PHASE_WAR:
            return self.does(self.actor, ("removes {0}", "remove {0}"), f"{whose} from {area}")
        return self.does(
            self.actor, ("changes places with {0}", "change places with {0}"), f"{whose} in {area}"
        )

    def _target(self) -> tuple[int, int]:
        """Seat and area of the squire that a ``target`` names."""
        step, area = divmod(self.action - TARGET, NUM_AREAS)
        return (self.actor + step + 1) % self.players, area

    def _dropped_from(self) -> int:
        """The area where a squire that comes down stands till then; -1: in the stock."""
        if self.before["phase"] == PHASE_DAVIDS_TOWER:
            return DAVIDS_TOWER
        return int(self.before["lifted_from"])

    def _own_prestige(self) -> np.ndarray:
        """(n, 4): what the action itself does to prestige, in the third column."""
        change = np.zeros((self.players, 4), dtype=np.int64)
        kind, _, rest = ACTION_NAMES[self.action].rpartition(" ")
        if kind == "buy prestige":
            change[self.actor, 2] = int(rest)
        elif kind in ("take", "decline") and rest == "prestige":
            change[self.actor, 2] = 1 if kind == "take" else -1
        elif kind == "play" and rest == "prestige_2":
            change[self.actor, 2] = 2
        elif kind == "steal":  # R12.6, R12.7
            victim = (self.actor + int(rest)) % self.players
            change[self.actor, 2] = 1
            change[victim, 2] = -1 if self.before["prestige"][victim] > 0 else 0
        return change

    # --- what followed -----------------------------------------------------------------------
    def auctions(self) -> list[str]:
        """Who got which office, and for how much where that was at stake."""
        lines = []
        begun = self.after["round"] != self.before["round"]
        sold = int(self.before["auction_office"])
        for office in sorted(range(len(OFFICES)), key=lambda office: office != sold):
            holder = int(self.after["seat_of_office"][office])
            if holder < 0 or (holder == self.before["seat_of_office"][office] and not begun):
                continue
            price = ""
            if self.before["phase"] == PHASE_BID and office == sold:
                bid = self.action - BID if self.action >= BID else int(self.before["bid"])
                price = f" for {bid} silver"
            goes = "You become" if holder == self.seat else f"P{holder} becomes"
            lines.append(f"{goes} {OFFICES[office]}{price}")
        return lines

    def board(self) -> list[str]:
        """Squires that came or went without being what the action itself says."""
        change = self.after["board"].astype(np.int64) - self.before["board"]
        change -= self._by_the_action()
        lines = []
        for seat in range(self.players):
            for area in areas_in_play(self.players):
                number = int(change[seat, area])
                if number:
                    have = "You have" if seat == self.seat else f"P{seat} has"
                    what = f"{abs(number)} squire{'s' if abs(number) > 1 else ''}"
                    lines.append(
                        f"{have} {what} {'more' if number > 0 else 'fewer'} in {AREAS[area]}"
                    )
        return lines

    def _by_the_action(self) -> np.ndarray:
        """(4, 16) change of the board that the action's own line tells."""
        change = np.zeros((4, NUM_AREAS), dtype=np.int64)
        kind, _, rest = ACTION_NAMES[self.action].partition(" ")
        moved = {"place": 1, "drop": 1, "dismiss": -1}.get(kind)
        if moved:
            change[self.actor, AREAS.index(rest)] += moved
        if kind == "drop" and self._dropped_from() >= 0:
            change[self.actor, self._dropped_from()] -= 1
        if kind == "target":
            victim, area = self._target()
            change[victim, area] -= 1
            if self.before["phase"] != PHASE_WAR:  # A33: the two change places
                lifted_from = int(self.before["lifted_from"])
                change[self.actor, area] += 1
                change[self.actor, lifted_from] -= 1
                change[victim, lifted_from] += 1
        return change

    def cards(self) -> list[str]:
        """Cards that came to a hand without being what the action itself says."""
        lines = []
        for seat in range(self.players):
            gets = "You get" if seat == self.seat else f"P{seat} gets"
            if self.seat in (None, seat):
                came = self.after["hand"][seat].astype(np.int64) - self.before["hand"][seat]
                came[self._by_hand(seat, "draft ")] -= 1
                names = [CARDS[kind] for kind in np.flatnonzero(came > 0)]
                lines += [f"{gets} the card {', '.join(names)}"] if names else []
            else:
                number = self.change("hand_size", seat)
                number -= len(self._by_hand(seat, "draft ")) - len(self._by_hand(seat, "play "))
                lines += [f"{gets} {'a card' if number == 1 else f'{number} cards'}"] * (number > 0)
        return lines

    def _by_hand(self, seat: int, kind: str) -> list[int]:
        """The card, if the action moves one into or out of this seat's hand."""
        name = ACTION_NAMES[self.action]
        mine = seat == self.actor and name.startswith(kind)
        return [CARDS.index(name.removeprefix(kind))] if mine else []

    def amounts(self) -> list[str]:
        """Floors, prestige, silver and supply gained and lost, as far as they can be seen."""
        lines = []
        placed = ACTION_NAMES[self.action].startswith("place ")  # and one squire less in supply
        for seat in range(self.players):
            parts = []
            for amount, unit in _UNITS.items():
                if not self.sees(seat, amount):
                    continue
                change = self.change(amount, seat)
                if self.settlement is not None:  # that is told by itself
                    change -= int(self.settlement.total[seat, AMOUNTS.index(amount)])
                if placed and seat == self.actor and amount == "squires":
                    change += 1
                if change:
                    plural = "s" if abs(change) != 1 and unit in ("squire", "floor") else ""
                    parts.append(f"{change:+d} {unit}{plural}".replace("-", "−"))
            if parts:
                lines.append(f"{self.name(seat)}: {', '.join(parts)}")
        return lines

    def settled(self) -> list[str]:
        """The Tower's silver, income, gifts and building, all public; the event's beginning."""
        parts = self.settlement
        if parts is None:
            return []
        lines = [f"David's Tower pays {self._gains(parts.tower)}"] if parts.tower.any() else []
        lines += [f"Income: {self._gains(parts.income)}"] if parts.income.any() else []
        lines += [f"The king's gifts: {self._gains(parts.gifts)}"] if parts.gifts.any() else []
        for seat in np.flatnonzero(parts.building[:, 3]):
            paid, floors = -parts.building[seat, 2], parts.building[seat, 3]
            what = f"{floors} floor{'s' if floors > 1 else ''} for {paid} prestige"
            lines.append(self.does(int(seat), ("builds {0}", "build {0}"), what))
        if parts.event:
            name = EVENTS[self.before["events"][int(self.before["round"]) - EVENT_ROUNDS[0]]]
            lines.append(_EVENTS[name])
        return lines

    def _gains(self, amounts: np.ndarray) -> str:
        """(n, 4) amounts as ``P0 2 squires, 4 silver; P2 1 prestige``."""
        told = []
        for seat in np.flatnonzero(amounts.any(axis=1)):
            parts = [
                f"{number} {unit}{'s' if number > 1 and unit == 'squire' else ''}"
                for number, unit in zip(amounts[seat], _UNITS.values(), strict=True)
                if number
            ]
            told.append(f"{'you' if seat == self.seat else f'P{seat}'} {', '.join(parts)}")
        return "; ".join(told)

    def rounds(self) -> list[str]:
        """A new round and its event; the end."""
        if self.after["phase"] == PHASE_OVER:
            order = [int(seat) for seat in self.after["ranking"][: self.players]]
            wins = "You win" if order[0] == self.seat else f"P{order[0]} wins"
            floors = ", ".join(f"{self.name(x)} {self.after['floors'][x]}" for x in order)
            return [f"The game is over: {wins} (floors: {floors})"]
        number = int(self.after["round"])
        if number == self.before["round"]:
            return []
        line = f"Round {number} begins"
        if number in EVENT_ROUNDS and number < self.after["rounds"]:
            line += f": {EVENTS[self.after['events'][number - EVENT_ROUNDS[0]]]} lies over it"
        return [line]


def describe_decision(state: np.void, seat: int | None = None) -> str:
    """Who decides what, in words, such as ``P2 decides which card of the pool to keep``."""
    if state["phase"] == PHASE_OVER:
        return "the game is over"
    actor = int(state["to_act"])
    what = _DECISIONS[PHASES[state["phase"]]]
    if state["phase"] == PHASE_BID:
        bidder = int(state["bidder"])
        holder = "you" if bidder == seat else f"P{bidder}"
        bid = "no bid yet" if bidder < 0 else f"high bid {state['bid']} by {holder}"
        what = what.format(office=OFFICES[state["auction_office"]], bid=bid)
    if state["phase"] == PHASE_WAR:
        what += f" ({state['left']} at most)"
    if state["phase"] in _TURN and seat in (None, actor):
        what += f" (supply {state['squires'][actor]}, silver {state['silver'][actor]})"
    return f"You decide {what}" if actor == seat else f"P{actor} decides {what}"


def may_take_back(before: np.void, after: np.void) -> bool:
    """Whether the decision at ``before`` may be taken back at ``after``.

    Within a seat's own turn (VII.c 4) nobody else decides and nothing hidden comes to light.
    """
    return bool(
        before["phase"] in _TURN
        and after["phase"] in _TURN
        and before["to_act"] == after["to_act"]
        and before["round"] == after["round"]
    )
