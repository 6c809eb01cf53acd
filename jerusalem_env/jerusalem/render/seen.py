"""What a picture shows: a state or a seat's view of it as plain Python values, by true seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...compiled.views import views_of
from ..actions import PHASES
from ..compiled import JERUSALEM
from ..engine.layout import PHASE_OVER
from ..position import rules_of
from ..rules.board import NUM_AREAS, income_provenance


@dataclass(frozen=True)
class Seen:
    """A position as somebody sees it.

    Seats are numbers at the table, -1: nobody; lists are by seat unless said otherwise. Unseen
    amounts and cards are None. ``events`` are of rounds 2, 3, 4, -1 where face down.
    """

    players: int
    rounds: int
    round: int
    phase: str
    to_act: int
    ranking: list[int]  # best first, empty until the end
    office: list[int]
    holder: list[int]  # by office
    baron: list[int]
    silver: list[int | None]
    supply: list[int | None]
    prestige: list[int]
    floors: list[int]
    hand: list[list[int] | None]  # copies by kind
    hand_size: list[int]
    board: list[list[int]]  # by area, then by seat
    income: list[tuple[int, int, int]]  # by area
    reconstructed: list[bool]  # by area
    discards: list[int]  # copies by kind
    pool: list[int] | None  # copies by kind
    pool_size: int
    pile_size: int
    events: list[int]
    face_down: list[bool]  # by event: not turned up yet, even if it is seen here
    on_offer: int  # office, -1
    bid: int  # -1: none yet
    bidder: int
    passed: list[bool]
    arrivals: list[int]  # by area
    hired: int
    baron_used: bool
    genoa: bool
    marshal_used: bool
    source: int  # -1: no sub-flow
    left: int
    lifted_from: int  # area, -1

    @property
    def over(self) -> bool:
        """Whether the game has been played to its end."""
        return self.phase == "over"

    @property
    def auction(self) -> bool:
        """Whether offices are being auctioned."""
        return self.phase in ("open", "bid")

    def rank(self, seat: int) -> int:
        """Place of a seat at the end, from 1 on; 0 before."""
        return self.ranking.index(seat) + 1 if self.ranking else 0

    def controller(self, area: int) -> int:
        """The seat with the most squires (R7.1, R7.2), -1: nobody, or not decided yet."""
        return majority([self.board[area][seat] for seat in range(self.players)], self.office)

    def privileged(self, sector: int) -> int:
        """The seat with the most squires in a sector's three areas (R12.3), -1: nobody."""
        areas = range(3 * sector, 3 * sector + 3)
        counts = [sum(self.board[area][seat] for area in areas) for seat in range(self.players)]
        return majority(counts, self.office)


def majority(counts: Sequence[int], office: Sequence[int]) -> int:
    """The seat with most, of several the one of the lowest office (R7.1, R7.2).

    -1: nobody has any, or it is undecided while one of the tied seats has no office yet.
    """
    most = max(counts)
    tied = [seat for seat, count in enumerate(counts) if count == most]
    if most == 0 or (len(tied) > 1 and any(office[seat] < 0 for seat in tied)):
        return -1
    return min(tied, key=lambda seat: office[seat])


def see(state: np.void, seat: int | None, recall: bool) -> Seen:
    """The position as a seat sees it, or all of it."""
    n = int(state["players"])
    shift, s = 0, state
    if seat is not None:
        if not 0 <= seat < n:
            raise ValueError(f"seat must be None or 0..{n - 1}, got {seat!r}")
        shift = int(seat)
        s = views_of(JERUSALEM, np.array([state]), np.array([seat]), recall)[0]

    def back(index: int) -> int:
        """The seat of an index in the turned record."""
        return (int(index) + shift) % n if index >= 0 else -1

    order = [(at - shift) % n for at in range(n)]  # index in the turned record, by seat

    def by_seat(field: str) -> list[int]:
        values = s[field].tolist()
        return [values[k] for k in order]

    def known(field: str) -> list[int | None]:
        return [None if value < 0 else value for value in by_seat(field)]

    hands = s["hand"].tolist()
    board = s["board"].tolist()
    over = int(s["phase"]) == PHASE_OVER
    pool = s["pool"].tolist()
    number = int(s["round"])
    provenance = income_provenance(rules_of(state).income)
    return Seen(
        players=n,
        rounds=int(s["rounds"]),
        round=number,
        phase=PHASES[s["phase"]],
        to_act=-1 if over else back(s["to_act"]),
        ranking=[back(x) for x in s["ranking"][:n]] if over else [],
        office=by_seat("office"),
        holder=[back(x) for x in s["seat_of_office"]],
        baron=by_seat("baron"),
        silver=known("silver"),
        supply=known("squires"),
        prestige=by_seat("prestige"),
        floors=by_seat("floors"),
        hand=[None if hands[k][0] < 0 else hands[k] for k in order],
        hand_size=by_seat("hand_size"),
        board=[[board[k][area] for k in order] for area in range(NUM_AREAS)],
        income=[(a, b, c) for a, b, c in s["income"].tolist()],
        reconstructed=[source == "reconstructed" for source in provenance],
        discards=s["discards"].tolist(),
        pool=None if pool[0] < 0 else pool,
        pool_size=int(s["pool_size"]),
        pile_size=int(s["pile_size"]),
        events=s["events"].tolist(),
        face_down=[index + 2 > number for index in range(3)],
        on_offer=int(s["auction_office"]),
        bid=int(s["bid"]),
        bidder=back(s["bidder"]),
        passed=[bool(x) for x in by_seat("passed")],
        arrivals=s["arrivals"].tolist(),
        hired=int(s["hired"]),
        baron_used=bool(s["baron_used"]),
        genoa=bool(s["genoa"]),
        marshal_used=bool(s["marshal_used"]),
        source=int(s["source"]),
        left=int(s["left"]),
        lifted_from=int(s["lifted_from"]),
    )
