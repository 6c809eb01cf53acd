"""Positions for the cases of the rules: real ones, edited so that the invariants of VI.a hold."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from tests.ierusalem.invariants import broken_invariants
from tests.ierusalem.reference_box import SEATS, data_of
from tests.ierusalem.reference_engine import new_game
from tests.ierusalem.table import Table

# Seat 0 is yellow: its cards Go, Favor and Listen stand on areas, which ask nothing.
COLOURS = ["yellow", "red", "green", "blue"]
SYMBOLS = ["market", "lake", "desert", "market", "market", "lake", "temple", "temple", "temple"]
WORTHLESS = [f"{row}.{c}" for row in ("top3", "bottom3", "top2", "bottom2") for c in (4, 5)]


class Scene:
    """A position in the making; seat 0 begins and is to play its first card unless moved on."""

    def __init__(self, players: int = 4, **switches: Any) -> None:
        rules = {"players": players, "colours": COLOURS[:players], "first_player": 0}
        game = new_game(7, {**rules, "symbols": SYMBOLS, **switches})
        for area in ("desert", "mountain", "lake", "desert")[:players]:
            game.act(f"follower {area}")
        self.p: dict[str, Any] = copy.deepcopy(game.position())
        self.n = players
        self.data = data_of(game.rules["data"])

    def set(self, **fields: Any) -> Scene:
        """Set whole fields of the position."""
        assert set(fields) <= set(self.p)
        self.p.update(fields)
        return self

    def own(self, field: str, value: Any, seat: int = 0) -> Scene:
        """Set what one seat has of a field by seat."""
        self.p[field][seat] = value
        return self

    def followers(
        self,
        seat: int = 0,
        areas: list[int] | None = None,
        supper: Iterable[str] | None = None,
        camp: int | None = None,
    ) -> Scene:
        """Put a seat's followers; those not named wait in the camp, which is checked if given."""
        if areas is not None:
            self.p["areas"][seat] = list(areas)
        if supper is not None:
            for space, owner in self.p["supper"].items():
                if owner == seat and owner is not None:
                    self.p["supper"][space] = None
            for space in supper:
                assert self.p["supper"][space] is None, f"{space} is taken"
                self.p["supper"][space] = seat
        there = sum(owner == seat for owner in self.p["supper"].values() if owner is not None)
        self.p["camp"][seat] = 15 - there - sum(self.p["areas"][seat])
        assert camp is None or self.p["camp"][seat] == camp
        return self

    def cards(
        self,
        seat: int = 0,
        hand: Iterable[str] = (),
        columns: tuple[Iterable[str], ...] = (),
        discards: Iterable[str] = (),
    ) -> Scene:
        """Deal a seat's cards anew; starting cards not named are its deck, in their order.

        Mahane and XXXIII cards named leave their piles or the display.
        """
        stacks = [list(column) for column in columns]
        stacks += [[] for _ in range(3 - len(stacks))]
        held = [*hand, *discards, *(card for stack in stacks for card in stack)]
        self._take([card for card in held if self.data.back(card) != "starting"])
        ten = self.data["cards.starting", self.p["colours"][seat]]
        assert all(card in ten for card in held if self.data.back(card) == "starting")
        self.p["hands"][seat] = self.data.in_order(hand)
        self.p["discards"][seat] = self.data.in_order(discards)
        self.p["columns"][seat] = stacks
        self.p["decks"][seat] = self.data.in_order(card for card in ten if card not in held)
        self.p["known_hands"][seat] = []
        return self

    def _take(self, cards: list[str]) -> None:
        for pile in ("mahane", "xxxiii"):
            self.p[pile] = [card for card in self.p[pile] if card not in cards]
        for slot in (0, 1):
            if self.p["display"][slot] in cards:
                self.p["display"][slot] = self.p["mahane"].pop(0) if self.p["mahane"] else None

    def mahane_on_columns(self, seat: int, leave: int = 0) -> Scene:
        """Put the Mahane pile, but for some cards of its top, on a seat's third own column."""
        self.p["columns"][seat][2] += self.p["mahane"][leave:]
        self.p["mahane"] = self.p["mahane"][:leave]
        return self

    def xxxiii_on_columns(self, seat: int) -> Scene:
        """Put the XXXIII pile on a seat's third own column."""
        self.p["columns"][seat][2] += self.p["xxxiii"]
        self.p["xxxiii"] = []
        return self

    def gave(self, giver: int, markers: Iterable[str], receiver: int | None) -> Scene:
        """Favors done before; the symbols are the receiver's, or used if there is none."""
        for marker in markers:
            self.p["favors"][giver].remove(marker)
            self.p["favors_done"][giver] += 1
            if receiver is not None:
                self.p["symbols_held"][receiver][self.data.symbol(marker)] += 1
        unblocked = self.p["favors_done"][giver] >= self.data["favors", "unblock_at"]
        self.p["blocked"][giver] = not unblocked
        return self

    def holds(self, seat: int, *symbols: str) -> Scene:
        """Symbols held by a seat, given by the next one; as many as the markers have."""
        giver = (seat + 1) % self.n
        for symbol in symbols:
            markers = self.p["favors"][giver]
            self.gave(giver, [next(m for m in markers if self.data.symbol(m) == symbol)], seat)
        return self

    def parables(self, *tiles: int) -> Scene:
        """How many Parables each seat has."""
        self.p["parables"] = list(tiles)
        points = self.data["parables", "points"][: self.n]
        self.p["parable_stacks"] = [points[sum(k >= t for k in tiles) :] for t in range(1, 8)]
        return self

    def seated(self, apostles: dict[str, str], column: int | None = None) -> Scene:
        """Seat Apostles, from one apostle column or from the last that has the colour."""
        for seat, colour in apostles.items():
            columns = [column] if column is not None else [2, 1, 0]
            source = next(c for c in columns if colour in self.p["apostles"][c])
            self.p["apostles"][source].remove(colour)
            assert self.p["seats"][seat] is None
            self.p["seats"][seat] = colour
        return self

    def seat_all(self, but: dict[int, list[str]] | None = None) -> Scene:
        """Seat the Apostles of every column but those named, on the first empty seats."""
        for index in range(3):
            stay = list((but or {}).get(index, []))
            for colour in list(self.p["apostles"][index]):
                if colour in stay:
                    stay.remove(colour)
                    continue
                empty = next(seat for seat in SEATS if self.p["seats"][seat] is None)
                self.seated({empty: colour}, index)
        self.p["judgments_on"] = None in self.p["seats"].values()
        return self

    def judgments(self, first: str) -> Scene:
        """Put this judgment on the first space of the track that has one."""
        rest = [judgment for judgment in self.p["judgments"] if judgment != first]
        self.p["judgments"] = [first, *rest]
        return self

    def at_purchase(self) -> Scene:
        """Seat 0 has played and visited: it may buy a card, then its turn ends."""
        return self.set(stage="purchase", phase="purchase")

    def table(self, which: str) -> Table:
        """The position at the engine of this name."""
        broken = broken_invariants(self.p)
        assert broken == [], broken
        return Table.at(which, self.p)
