"""Round track, decision, offices with the auction, cards in the middle, legend."""

from __future__ import annotations

from ... import drawing_parts as house
from ...drawing import Rect, Shape, Text, fit_text, text_width
from ...drawing_parts import Box, card_back, coin, fit_card_rows, pawn, plural, star
from ..rules.offices import OFFICE_SQUIRES, offices_in_play
from . import palette as p
from .board_layout import CARDS_BOX, DECISION, LEGEND, OFFICES_BOX, ROUND_TRACK
from .players import counted
from .seen import Seen
from .tokens import (
    crown,
    name_chip,
    name_chip_width,
    seat_mark,
    shield,
)


# --- rounds and the decision --------------------------------------------------------------------
def round_shapes(seen: Seen) -> list[Shape]:
    """A cell for each round with what happens at its end (R15.1, R13)."""
    shapes: list[Shape] = []
    gap = 4
    width = (ROUND_TRACK.width - gap * (seen.rounds - 1)) / seen.rounds
    for index in range(seen.rounds):
        number = index + 1
        cell = Box(ROUND_TRACK.x + index * (width + gap), ROUND_TRACK.y, width, ROUND_TRACK.height)
        now, past = number == seen.round, number < seen.round
        fill = house.HIGHLIGHT if now else (house.IDLE if past else house.PANEL)
        shapes.append(
            Rect(cell.x, cell.y, width, cell.height, 6, fill, house.INK, 2.5 if now else 1)
        )
        ink = house.MUTED if past else house.INK
        shapes.append(Text(cell.x + 9, cell.y + 20, f"Round {number}", 13, ink, bold=now))
        shapes += _event(cell, number, seen, ink)
    return shapes


def _event(cell: Box, number: int, seen: Seen, ink: str) -> list[Shape]:
    y = cell.y + 40
    if number == seen.rounds:
        return [Text(cell.x + 9, y, "gifts, end", 12, ink)]  # R13, R16.1
    if not 2 <= number <= 4:
        return [Text(cell.x + 9, y, "no event", 12, house.MUTED)]
    event, hidden = seen.events[number - 2], seen.face_down[number - 2]
    if event < 0:
        back = card_back(cell.x + 9, cell.y + 26, 14, 19)
        return [*back, Text(cell.x + 29, y, "face down", 12, house.MUTED)]
    label = p.EVENT_LABELS[event]
    x = cell.x + 9
    shapes: list[Shape] = []
    if hidden:
        shapes += card_back(x, cell.y + 26, 14, 19)
        x += 20
    bold = number == seen.round
    label, size = fit_text(label, 12, cell.right - 4 - x, least=11, bold=bold)
    return [*shapes, Text(x, y, label, size, ink, bold=bold)]


def decision_shapes(seen: Seen) -> list[Shape]:
    """Who decides what; or who has won."""
    box = DECISION
    shapes: list[Shape] = [
        Rect(box.x, box.y, box.width, box.height, 6, house.HIGHLIGHT, house.INK, 1)
    ]
    seat = seen.ranking[0] if seen.over else seen.to_act
    if seat < 0:
        return shapes
    shapes += name_chip(seat, box.x + 10, box.y + 8, 22)
    x = box.x + 10 + name_chip_width(22) + 8
    what = "wins the game" if seen.over else p.DECISIONS[seen.phase]
    what, size = fit_text(what, 17, box.right - 10 - x, bold=True)
    shapes.append(Text(x, box.y + 25, what, size, house.INK, bold=True))
    detail, size = fit_text(_detail(seen), 13, box.width - 20)
    shapes.append(Text(box.x + 10, box.y + 45, detail, size, house.INK))
    return shapes


def _detail(seen: Seen) -> str:
    """The second line."""
    if seen.over:
        order = " > ".join(f"P{seat}" for seat in seen.ranking)
        return f"Game over. Ranking: {order}"
    if seen.on_offer >= 0:
        office = p.OFFICE_LABELS[seen.on_offer]
        if seen.bid < 0:
            return f"{office} is on offer, no bid yet"
        return f"{office} is on offer, high bid {seen.bid} by P{seen.bidder}"
    if seen.source >= 0:
        text = f"{p.SOURCE_LABELS[seen.source]}, {seen.left} to go"
        if seen.lifted_from >= 0:
            text += f", from {p.area_label(seen.lifted_from)}"
        return text[0].upper() + text[1:]
    if seen.phase == "war":
        return f"War: up to {plural(seen.left, 'removal')} left"
    if seen.phase == "turn":
        facts = [f"{seen.hired} hired"] if seen.hired else []
        facts += ["baron placed"] if seen.baron_used else []
        facts += ["Genoa in force"] if seen.genoa else []
        facts += ["marshal's ability used"] if seen.marshal_used else []
        return "This turn: " + (", ".join(facts) or "nothing hired, baron not placed")
    return {
        "open": "Auction of offices",
        "bid": "Auction of offices",
        "draft": "Each keeps a card and passes the rest on",
        "davids_tower": "Income, step 1",
        "patriarchate": "Income, step 2: privilege of the Patriarchate",
        "market": "Income, step 2: privilege of the Market",
        "nobility": "Income, step 2: privilege of the Nobility",
        "income": "Income, step 3",
        "succession": "Event of this round",
        "special_tax": "Event of this round",
    }.get(seen.phase, "")


# --- offices and the auction --------------------------------------------------------------------
def strip_backdrop() -> list[Shape]:
    """The two boxes below the city, and the legend."""
    return [
        OFFICES_BOX.rect(6, house.PANEL, house.EDGE),
        CARDS_BOX.rect(6, house.PANEL, house.EDGE),
    ]


def office_shapes(seen: Seen) -> list[Shape]:
    """The offices in their order with their holders; below, the auction or the result."""
    box = OFFICES_BOX
    shapes: list[Shape] = [Text(box.x + 10, box.y + 20, "Offices", 14, house.INK, bold=True)]
    hint = "turns and ties in this order"  # R3.4, R7.1
    shapes.append(Text(box.right - 10, box.y + 20, hint, 11, house.MUTED, "end"))
    offices = offices_in_play(seen.players)
    gap = 5
    width = (box.width - 20 - gap * (len(offices) - 1)) / len(offices)
    for index, office in enumerate(offices):
        cell = Box(box.x + 10 + index * (width + gap), box.y + 29, width, 76)
        shapes += _office(office, cell, seen)
    return shapes + (_result(seen) if seen.over else _auction(seen))


def _office(office: int, cell: Box, seen: Seen) -> list[Shape]:
    holder, offered = seen.holder[office], office == seen.on_offer
    fill = house.HIGHLIGHT if offered else house.FIELD
    edge = 2.5 if offered else 1
    x = cell.centre[0]
    shapes: list[Shape] = [
        Rect(cell.x, cell.y, cell.width, cell.height, 5, fill, house.INK, edge),
        Text(
            x, cell.y + 17, f"{office + 1} {p.OFFICE_LABELS[office]}", 12, house.INK, "middle", True
        ),
        Text(x - 7, cell.y + 35, f"+{OFFICE_SQUIRES[office]}", 12, house.INK, "middle"),  # R6.2
        *pawn(x + 11, cell.y + 31, 13),
    ]
    if holder >= 0:
        width = name_chip_width(20)
        return shapes + name_chip(holder, x - width / 2, cell.y + 47, 20)
    label = "on offer" if offered else "free"
    return [*shapes, Text(x, cell.y + 62, label, 12, house.INK, "middle", offered)]


def _auction(seen: Seen) -> list[Shape]:
    box = OFFICES_BOX
    x, y = box.x + 10, box.y + 126
    if not seen.auction:
        return [Text(x, y + 8, "All offices are taken for this round.", 12, house.MUTED)]
    if seen.on_offer < 0:
        return [Text(x, y + 8, f"P{seen.to_act} chooses the next office.", 12, house.INK)]
    shapes: list[Shape] = []
    if seen.bid < 0:
        shapes.append(Text(x, y + 5, "No bid yet", 14, house.INK, bold=True))
    else:
        text = f"High bid {seen.bid} by"
        shapes.append(Text(x, y + 5, text, 14, house.INK, bold=True))
        shapes += name_chip(seen.bidder, x + text_width(text, 14, True) + 6, y - 10, 20)
    others = [seat for seat in range(seen.players) if seen.office[seat] < 0]
    for label, seats, at in (
        ("still in", [seat for seat in others if not seen.passed[seat]], x),
        ("passed", [seat for seat in others if seen.passed[seat]], x + 168),
    ):
        shapes.append(Text(at, y + 26, label, 12, house.MUTED))
        at += text_width(label, 12) + 12
        for seat in seats:
            shapes.append(seat_mark(seat, at, y + 22, 6))
            shapes.append(Text(at + 10, y + 26, str(seat), 12, house.INK))
            at += 30
        if not seats:
            shapes.append(Text(at - 6, y + 26, "nobody", 12, house.INK))
    return shapes


def _result(seen: Seen) -> list[Shape]:
    """R16.1: floors, then prestige left, then the office."""
    box = OFFICES_BOX
    shapes: list[Shape] = []
    width = (box.width - 20) / seen.players
    for place, seat in enumerate(seen.ranking):
        x, y = box.x + 10 + place * width, box.y + 112
        shapes.append(Text(x, y + 15, f"{place + 1}.", 14, house.INK, bold=True))
        shapes += name_chip(seat, x + 17, y, 20)
        floors, prestige = seen.floors[seat], seen.prestige[seat]
        for line, text in enumerate((plural(floors, "floor"), f"{prestige} prestige")):
            text, size = fit_text(text, 12, width - 4, least=9)
            shapes.append(Text(x, y + 33 + 14 * line, text, size, house.INK))
    return shapes


# --- cards --------------------------------------------------------------------------------------
def card_shapes(seen: Seen) -> list[Shape]:
    """The pile, the draft pool, what has been played."""
    box = CARDS_BOX
    x, y = box.x + 10, box.y
    shapes: list[Shape] = [Text(x, y + 20, "Cards", 14, house.INK, bold=True)]
    shapes += card_back(x + 3, y + 30, 22, 30) if seen.pile_size > 1 else []
    shapes += card_back(x, y + 27, 22, 30) if seen.pile_size > 0 else []
    shapes.append(Text(x + 34, y + 42, str(seen.pile_size), 16, house.INK, bold=True))
    shapes.append(Text(x + 34, y + 57, "in the pile", 12, house.MUTED))
    shapes += _pool(seen, Box(x + 104, y + 8, box.width - 120, 74))
    played = sum(seen.discards)
    shapes.append(Text(x, y + 76, f"Played: {played or 'none'}", 12, house.MUTED))
    room = Box(x, y + 83, box.width - 20, box.height - 89)
    return shapes + fit_card_rows(counted(seen.discards), room)


def _pool(seen: Seen, room: Box) -> list[Shape]:
    if seen.pool_size == 0:
        return []
    shapes: list[Shape] = [
        Text(room.x, room.y + 12, f"Draft pool: {seen.pool_size}", 12, house.MUTED)
    ]
    if seen.pool is None:
        for k in range(seen.pool_size):
            shapes += card_back(room.x + k * 28, room.y + 19, 22, 30)
        return shapes
    rows = Box(room.x, room.y + 17, room.width, room.height - 17)
    return shapes + fit_card_rows(counted(seen.pool), rows)


# --- legend -------------------------------------------------------------------------------------
def legend_backdrop(seen: Seen) -> list[Shape]:
    """What the signs mean."""
    y = LEGEND.centre[1]
    x = LEGEND.x + 4
    shapes: list[Shape] = []
    for sign, label in (
        (lambda at: pawn(at, y, 14), "squires"),
        (lambda at: coin(at, y, 14), "silver"),
        (lambda at: star(at, y, 14), "prestige"),
        (lambda at: crown(at, y, 14), "controls the area"),
        (lambda at: shield(0, at, y, 17), "baron: the area is blocked"),
    ):
        shapes += sign(x + 8)
        shapes.append(Text(x + 20, y + 4.5, label, 12, house.INK))
        x += 20 + text_width(label, 12) + 18
    if any(seen.reconstructed):
        shapes.append(
            Text(x, y + 4.5, "* income reconstructed, not from a rule text", 12, house.INK)
        )
    return shapes
