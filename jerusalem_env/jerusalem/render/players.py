"""A panel for each seat: tower, prestige, what lies behind the screen, cards."""

from __future__ import annotations

from ...drawing import Line, Polygon, Rect, Shape, Text, fit_text, text_width
from . import palette as p
from .board_layout import Box, panel_box
from .seen import Seen
from .tokens import card_back, coin, pawn, pill, screen, seat_mark, star

_HEADER = 28
_TOWER = 62  # width of a tower's place
_TRACK = 20  # prestige points on the track; there may be more (R14.4)
_ORDINALS = ("", "1st", "2nd", "3rd", "4th")


def panels_backdrop(seen: Seen) -> list[Shape]:
    """Boxes, headers, seats' names, the ground of towers, tracks."""
    shapes: list[Shape] = []
    for seat in range(seen.players):
        box, look = panel_box(seat, seen.players), p.SEATS[seat]
        head = Box(box.x, box.y, box.width, _HEADER)
        shapes += [
            box.rect(6, p.PANEL, p.WALL_EDGE),
            head.rect(6, look.colour, p.INK),
            Rect(box.x + 0.5, head.bottom - 7, box.width - 1, 7, 0, look.colour),
            Line(box.x, head.bottom, box.right, head.bottom, p.INK, 1),
            seat_mark(seat, box.x + 17, box.y + 14, 7.5, look.ink, None),
            Text(box.x + 32, box.y + 20, f"P{seat}", 17, look.ink, bold=True),
            Line(box.x + 10, box.bottom - 25, box.x + 10 + _TOWER, box.bottom - 25, p.WALL_EDGE, 2),
        ]
        shapes += _track(_track_box(box))
    return shapes


def panels_shapes(seen: Seen) -> list[Shape]:
    """What each seat has."""
    shapes: list[Shape] = []
    for seat in range(seen.players):
        box = panel_box(seat, seen.players)
        shapes += _header(seat, box, seen)
        shapes += _tower(seat, box, seen)
        shapes += _prestige(seat, box, seen)
        shapes += _belongings(seat, box, seen)
    return shapes


def _header(seat: int, box: Box, seen: Seen) -> list[Shape]:
    look, office = p.SEATS[seat], seen.office[seat]
    shapes: list[Shape] = []
    text = p.OFFICE_LABELS[office] if office >= 0 else "no office yet"
    shapes.append(Text(box.x + 66, box.y + 19.5, text, 14, look.ink, bold=office >= 0))
    badge = ""
    if seen.over:
        badge = f"{_ORDINALS[seen.rank(seat)]}{', winner' if seen.rank(seat) == 1 else ''}"
    elif seat == seen.to_act:
        badge = "to act"
    elif seen.auction and seen.passed[seat]:
        badge = "passed"
    if badge:
        strong = seat == seen.to_act or seen.rank(seat) == 1
        fill, ink = (p.INK, p.ON_DARK) if strong else (p.PANEL, p.INK)
        width = pill(0, 0, badge, fill, ink, 12)[1]
        shapes += pill(box.right - 8 - width, box.y + 14, badge, fill, ink, 12)[0]
        if seat == seen.to_act:
            x, y = box.right - 8 - width - 8, box.y + 14
            shapes.append(Polygon(((x - 9, y - 6), (x, y), (x - 9, y + 6)), 0, look.ink))
            edge = box.inset(-1)
            shapes.append(Rect(edge.x, edge.y, edge.width, edge.height, 7, None, p.INK, 3))
    return shapes


def _tower(seat: int, box: Box, seen: Seen) -> list[Shape]:
    """So many floors, on one scale for all seats."""
    floors, look = seen.floors[seat], p.SEATS[seat]
    foot = box.bottom - 26
    room = foot - (box.y + _HEADER) - 18
    height = min(20.0, room / max(7, *seen.floors))
    middle, wide = box.x + 10 + _TOWER / 2, 40
    gap = 1 if height >= 5 else 0
    shapes: list[Shape] = []
    for floor in range(min(floors, int(room // max(height, 0.5)))):
        y = foot - (floor + 1) * height
        rect = Rect(middle - wide / 2, y, wide, height - gap, 0, look.colour, p.INK)
        shapes.append(rect)
        if height >= 8:
            shapes.append(Rect(middle - 3, y + height * 0.3, 6, height * 0.4, 0, look.ink))
    if floors:
        top = foot - min(floors * height, room)
        for x in (-wide / 2 - 3, -6, wide / 2 - 9):
            shapes.append(Rect(middle + x, top - 8, 12, 8, 0, look.colour, p.INK))
    label, size = fit_text(plural(floors, "floor"), 14, _TOWER + 8, least=11, bold=True)
    shapes.append(Text(middle, box.bottom - 8, label, size, p.INK, "middle", True))
    return shapes


def _track_box(box: Box) -> Box:
    return Box(box.x + 142, box.y + _HEADER + 9, 200, 12)


def _track(track: Box) -> list[Shape]:
    shapes: list[Shape] = [track.rect(3, p.SLOT, p.WALL_EDGE)]
    for tick in range(0, _TRACK + 1, 5):
        x = track.x + track.width * tick / _TRACK
        if 0 < tick < _TRACK:
            shapes.append(Line(x, track.y, x, track.bottom, p.WALL_EDGE, 1))
        anchor = "middle" if 0 < tick < _TRACK else ("start" if tick == 0 else "end")
        shapes.append(Text(x, track.bottom + 11, str(tick), 11, p.MUTED, anchor))  # type: ignore[arg-type]
    return shapes


def _prestige(seat: int, box: Box, seen: Seen) -> list[Shape]:
    track, value, look = _track_box(box), seen.prestige[seat], p.SEATS[seat]
    y = track.y + 6
    text, size = fit_text(str(value), 19, 31, least=9, bold=True)
    shapes: list[Shape] = [
        *star(box.x + 92, y, 18),
        Text(box.x + 105, y + size * 0.36, text, size, p.INK, bold=True),
    ]
    if value > 0:
        width = track.width * min(value, _TRACK) / _TRACK
        shapes.append(Rect(track.x, track.y, width, track.height, 3, look.colour, p.INK))
        if value > _TRACK:  # R14.4: the track ends, points do not
            x = track.right
            points = ((x - 6, y - 9), (x + 6, y), (x - 6, y + 9))
            shapes.append(Polygon(points, 0, look.colour, p.INK, 1))
    return shapes


def _belongings(seat: int, box: Box, seen: Seen) -> list[Shape]:
    left, top = box.x + 84, box.y + _HEADER + 40
    silver, supply, hand = seen.silver[seat], seen.supply[seat], seen.hand[seat]
    room = Box(left, top, box.right - 10 - left, box.bottom - 8 - top)
    if hand is None and silver is None:
        return _behind_screen(room, seen.hand_size[seat], "silver, supply and cards")
    shapes: list[Shape] = []
    for x, sign, value, what in (
        (left, coin, silver, "silver"),
        (left + 134, pawn, supply, "in supply"),
    ):
        shown = "?" if value is None else str(value)
        shown, size = fit_text(shown, 16, 52, least=9, bold=True)
        shapes += sign(x + 8, top + 8, 16)
        shapes.append(Text(x + 21, top + 8 + size * 0.36, shown, size, p.INK, bold=True))
        at = x + 26 + text_width(shown, size, True)
        shapes.append(Text(at, top + 13, what, 12, p.MUTED))
    cards = Box(room.x, top + 24, room.width, room.height - 24)
    if hand is None and seen.hand_size[seat]:
        return shapes + _behind_screen(cards, seen.hand_size[seat], "cards")
    return shapes + _hand(cards, hand or [])


def _behind_screen(room: Box, cards: int, what: str) -> list[Shape]:
    """R1.9: only the number of cards is public."""
    height = min(room.height, 72)
    x, y = room.centre[0], room.y + height / 2
    shapes = screen(room.x, room.y, room.width, height)
    count = plural(cards, "card") if cards else "no cards"
    backs = min(cards, 6)
    if height < 66:
        text, width = f"{count} hidden", text_width(f"{count} hidden", 13, True)
        left = x - (width + 16 * backs) / 2
        for k in range(backs):
            shapes += card_back(left + 16 * k, y - 10, 14, 19)
        left += 16 * backs + (5 if backs else 0)
        return [*shapes, Text(left, y + 4.5, text, 13, p.ON_SCREEN, bold=True)]
    for k in range(backs):
        shapes += card_back(x - backs * 8 + k * 16 + 1, room.y + 9, 14, 19)
    shapes.append(Text(x, room.y + (45 if backs else 33), count, 13, p.ON_SCREEN, "middle", True))
    below = room.y + (61 if backs else 49)
    shapes.append(Text(x, below, f"{what} hidden", 12, p.ON_SCREEN, "middle"))
    return shapes


def counted(cards: list[int]) -> list[str]:
    """Cards by name, such as ``Move 2  x2``, of copies by kind."""
    return [
        p.CARD_LABELS[card] + (f"  x{count}" if count > 1 else "")
        for card, count in enumerate(cards)
        if count > 0
    ]


def plural(number: int, thing: str) -> str:
    """``1 floor``, ``2 floors``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _hand(room: Box, hand: list[int]) -> list[Shape]:
    if not any(hand):
        return [Text(room.x, room.y + 13, "no cards", 12, p.MUTED)]
    return fit_card_rows(counted(hand), room)


def fit_card_rows(labels: list[str], room: Box) -> list[Shape]:
    """Cards by name in rows, as large as the room allows."""
    shapes: list[Shape] = []
    for size, height in ((12.0, 18.0), (11.0, 15.5), (11.0, 12.5)):
        shapes, left = card_rows(labels, room, size, height)
        if not left:
            break
    return shapes


def card_rows(labels: list[str], room: Box, size: float, height: float) -> tuple[list[Shape], int]:
    """Cards by name in rows; what finds no room is counted in the last row. And how many those."""
    gap = 3 if height > 13 else 2
    rows: list[list[str]] = [[]]
    used = 0.0

    def wide(label: str) -> float:
        return text_width(label, size) + 12

    most = max(1, int((room.height + gap) // (height + gap)))
    for index, label in enumerate(labels):
        left = len(labels) - index
        if rows[-1] and used + wide(label) > room.width:
            if len(rows) == most:
                # The last row makes room for the number of cards that are not shown.
                while rows[-1] and used + wide(f"+{left} more") > room.width:
                    used -= wide(rows[-1].pop()) + gap
                    left += 1
                rows[-1].append(f"+{left} more")
                return _place_cards(rows, room, size, height, gap), left
            rows.append([])
            used = 0.0
        rows[-1].append(label)
        used += wide(label) + gap
    return _place_cards(rows, room, size, height, gap), 0


def _place_cards(
    rows: list[list[str]], room: Box, size: float, height: float, gap: float
) -> list[Shape]:
    shapes: list[Shape] = []
    for row, labels in enumerate(rows):
        x, y = room.x, room.y + row * (height + gap)
        for label in labels:
            width = text_width(label, size) + 12
            shapes.append(Rect(x, y, width, height, 3, p.FIELD, p.WALL_EDGE))
            shapes.append(Text(x + 6, y + height / 2 + size * 0.36, label, size, p.INK))
            x += width + gap
    return shapes
