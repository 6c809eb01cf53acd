"""The board as text: the Last Supper, Apostles, tracks, piles, players; never wider than 100."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import numpy as np

from ..actions import PHASES, SOURCES, STAGES
from ..engine.layout import STAGE_SETTLE
from ..position import parable_stacks, step_names
from ..rules.box import box_of
from ..rules.codes import STEP_DENARII, STEP_NONE, STEP_POINTS
from ..rules.names import (
    APOSTLES,
    AREAS,
    COLOURS,
    JUDGMENTS,
    LOCATIONS,
    NUM_MAHANE,
    NUM_XXXIII,
    RESOURCES,
    SEAT_COLUMNS,
    SEATS,
    SPACES,
)
from ..standing import final_count
from ..words import BACK_LABELS, NUMERALS, describe_decision
from .seen import (
    NOTE,
    Origins,
    camp_use,
    columns_of,
    hidden_cards,
    is_over,
    members,
    occupants,
    seats_in_order,
    see,
    supper_count,
    who,
)

WIDTH = 100
_LEFT, _CELL = 9, 10  # of the Supper's grid
# Actions in at most four letters, in the order of ``rules.names.ACTIONS``.
EFFECTS = (
    *("mkt", "tem", "go", "inv", "par", "fav", "call", "chg", "red"),
    *("meet", "mah", "xxx", "+{}D", "+{}S", "+{}B", "+{}F", "+{}P"),
)


def render_text(state: np.void, seat: int | None = None, recall: bool = False) -> str:
    """The board as text.

    Parameters
    ----------
    state : STATE record
    seat : int, optional
        Show only what this seat sees (seats keep their numbers); by default everything.
    recall : bool
        With ``seat``: the seat remembers all cards that everybody has seen.
    """
    shown = see(state, seat, recall)
    origins = Origins(state)
    lines = [
        *_headline(shown),
        "",
        *_players(shown),
        "",
        *_supper(shown, origins),
        "",
        *_board(shown, origins),
    ]
    for player in range(int(shown["players"])):
        lines += ["", *_belongings(shown, player, origins)]
    if origins.any():
        note = NOTE
        if origins.unmarked():
            note += f"; so are {', '.join(origins.unmarked())}"
        lines += ["", *_wrapped(note)]
    return "\n".join(lines)


def _wrapped(line: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(
        line, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def counted(names: Iterable[str]) -> str:
    """Names with their numbers, such as ``purple x2, white``; ``-`` for none."""
    numbers: dict[str, int] = {}
    for name in names:
        numbers[name] = numbers.get(name, 0) + 1
    parts = [name if number == 1 else f"{name} x{number}" for name, number in numbers.items()]
    return ", ".join(parts) or "-"


# --- what is going on -----------------------------------------------------------------------
def _headline(s: np.void) -> list[str]:
    head = f"Turn {s['turns']}" if s["stage"] != STAGE_SETTLE else "Set-up"
    head += f" (P{s['start']} began)"
    if is_over(s):
        ranking = list(seats_in_order(s))
        best = [f"P{seat}" for rank, seat in ranking if rank == 1]
        order = ", ".join(f"{rank}. P{seat} {s['points'][seat]}" for rank, seat in ranking)
        wins = "wins" if len(best) == 1 else "win together"
        return _wrapped(f"{head}   game over: {' and '.join(best)} {wins} ({order})")
    turn = "" if s["turn"] < 0 else f", turn of P{s['turn']}"
    head += f"   {STAGES[s['stage']]}{turn}"
    lines = _wrapped(f"{head}   {describe_decision(s)} [{PHASES[s['phase']]}]")
    if s["num_steps"]:
        names = step_names(box_of(int(s["data_id"])))
        pending = [names[step] for step in s["steps"][: s["num_steps"]][::-1].tolist()]
        lines += _wrapped(f"then: {', '.join(pending)}")
    if s["decisions"] >= s["decision_limit"]:
        lines.append("stopped by the watchdog")
    if s["visit_source"] >= 0:
        column = int(s["visit_column"]) + 1
        lines.append(f"visit of apostle column {column} with {SOURCES[s['visit_source']]}")
    if s["pool"]:
        kinds = Origins(s).box.kinds
        pool = [kinds[kind] for kind in members(s["pool"])]
        lines += _wrapped(f"in the air: {', '.join(pool)}")
    return lines


def _players(s: np.void) -> list[str]:
    lines = [
        "      colour  points  denarii  stone bread fish  offerings  camp  "
        "desert mountain lake  supper"
    ]
    for seat in range(int(s["players"])):
        acts = ">" if s["to_act"] == seat else " "
        stone, bread, fish = s["resources"][seat]
        desert, mountain, lake = s["areas"][seat]
        lines.append(
            f"{acts} P{seat}  {COLOURS[s['colours'][seat]]:<6}  {s['points'][seat]:>6}  "
            f"{s['denarii'][seat]:>7}  {stone:>5} {bread:>5} {fish:>4}  "
            f"{s['offerings'][seat]:>9}  {s['camp'][seat]:>4}  {desert:>6} {mountain:>8} "
            f"{lake:>4}  {supper_count(s, seat):>6}"
        )
    taken = [f"{name} {s['areas'][:, area].sum()}" for area, name in enumerate(AREAS)]
    lines.append(f"squares taken, of {s['squares']} each: {', '.join(taken)}")
    return lines


# --- the Last Supper (R14.1) ----------------------------------------------------------------
def cost_label(cost: Iterable[int]) -> str:
    """A cost such as ``SF`` or ``FF``; more than two of one are ``3S``."""
    parts = [
        letter * count if count < 3 else f"{count}{letter}"
        for letter, count in zip("SBF", (int(x) for x in cost), strict=True)
    ]
    return "".join(parts) or "free"


def effect_label(s: np.void, step: int, amount: int = 0) -> str:
    """An action, the effect of a space or the reward of a Parable in at most four letters."""
    if step == STEP_NONE:
        return ""
    if step in (STEP_POINTS, STEP_DENARII):
        return f"+{amount}{'P' if step == STEP_POINTS else 'D'}"
    amounts = (int(s["denarius_amount"]), *s["gain_amount"].tolist(), int(s["vp3_points"]))
    own = amounts[step - len(EFFECTS)] if step >= len(EFFECTS) - len(amounts) else 0
    return EFFECTS[step].format(own)


def _supper(s: np.void, origins: Origins) -> list[str]:
    standing = occupants(s)

    def cell(space: int) -> str:
        if standing[space] >= 0:
            return who(standing[space])
        text = f"{cost_label(s['space_cost'][space])}{origins.cost(space)}"
        effect = effect_label(s, int(s["space_effect"][space]), int(s["space_amount"][space]))
        return f"{text} {effect}{origins.effect(space)}" if effect else text

    def row(side: str, number: int) -> str:
        cells = [cell(SPACES.index(f"{side}{number}.{column}")) for column in range(1, 9)]
        return f"{f'{side}{number}':<{_LEFT}}" + "".join(f"{x:<{_CELL}}" for x in cells).rstrip()

    def table(side: str) -> str:
        apostles = dict(zip(SEATS, s["seats"].tolist(), strict=True))
        cells = []
        for column in range(1, 9):
            if column in SEAT_COLUMNS:
                colour = apostles[f"{side}.{column}"]
                cells.append(f"[{APOSTLES[colour] if colour >= 0 else '':<6}]")
            else:
                half = "left" if column == 4 else "right"
                cells.append(f"J {cell(SPACES.index(f'jesus.{side}_{half}'))}")
        corners = [f"C {cell(SPACES.index(f'corner.{side}_{end}'))}" for end in ("left", "right")]
        line = f"{corners[0]:<{_LEFT}}" + "".join(f"{x:<{_CELL}}" for x in cells)
        return f"{line}{corners[1]}"

    value = origins.mark("apostles", "value")
    apostles = ", ".join(
        f"{name} {points}{value}" for name, points in zip(APOSTLES, s["apostle_value"], strict=True)
    )
    jesus = f"{s['jesus_points']}{origins.mark('supper', 'jesus_points')}"
    return [
        "The Last Supper: cost and effect of empty spaces, [seats] for Apostles",
        " " * _LEFT + "".join(f"{column:<{_CELL}}" for column in range(1, 9)).rstrip(),
        *(row("top", number) for number in (3, 2, 1)),
        table("top"),
        table("bottom"),
        *(row("bottom", number) for number in (1, 2, 3)),
        *_wrapped(
            f"  C corner, J beside Jesus ({jesus} points at the end); S stone, B bread, F fish, "
            "P points, D Denarii; meet Meeting, mah Draw Mahane, xxx Draw XXXIII, call Call"
        ),
        *_wrapped(f"  around an Apostle: {apostles}, each row further 1 nearer to 0"),
    ]


# --- the rest of the board ------------------------------------------------------------------
def _board(s: np.void, origins: Origins) -> list[str]:
    lines = [f"Apostle columns{origins.apostle_columns}: symbols, Apostles left"]
    for column in range(3):
        symbols = " ".join(LOCATIONS[x] for x in s["symbols"][column] if x >= 0)
        left = [
            name
            for name, count in zip(APOSTLES, s["apostles"][column], strict=True)
            for _ in range(int(count))
        ]
        lines.append(f"  {column + 1}  {symbols:<26}  {counted(left)}")
    lines += _wrapped(_sanhedrin(s, origins))
    lines += _wrapped(_parables(s, origins))
    mark = origins.mark("favors", "points")
    points = " ".join(f"{x}{mark}" for x in s["favor_points"])
    denarii = [f"{k + 1}. brings {x} Denarii" for k, x in enumerate(s["favor_denarii"]) if x]
    lines += _wrapped(
        f"Favors done score {points}; "
        + ", ".join([f"{s['unblock_at']}. frees a square of the camp", *denarii])
    )
    benefit, back = origins.mark("favors", "markers"), origins.mark("favors", "symbols")
    markers = [
        f"{marker}{benefit} ({LOCATIONS[symbol]}{back})"
        for marker, symbol in zip(origins.box.markers, s["marker_symbol"], strict=True)
    ]
    lines += _wrapped(f"Favor markers (back): {', '.join(markers)}")
    mark = origins.mark("cards", "apostle_points")
    green = ", ".join(
        f"{label} {x}{mark}" for label, x in zip(BACK_LABELS, s["card_points"], strict=True)
    )
    lines += _wrapped(f"Cards used in a visit score: {green}")
    trade = ", ".join(f"{name} {x}" for name, x in zip(RESOURCES, s["trade_price"], strict=True))
    recruit = ", ".join(f"{name} {x}" for name, x in zip(AREAS, s["recruit_price"], strict=True))
    lines += _wrapped(
        f"Prices: {trade}; recruiting: {recruit}, {s['displace_extra']} more in a full area; "
        f"a Mahane card: {s['market_card_price']} at the market, {s['purchase_price']} afterwards"
    )
    return lines + _piles(s, origins)


def _sanhedrin(s: np.void, origins: Origins) -> str:
    last = origins.mark("sanhedrin", "last_space")
    line = f"Sanhedrin {s['sanhedrin']} of {s['last_space']}{last}; judgments: "
    if not s["judgments_on"]:
        return line + "gone, all Apostles are seated"
    mark = origins.mark("sanhedrin", "tile_spaces")
    return line + ", ".join(
        f"{space}{mark} {JUDGMENTS[tile]}{' (met)' if s['sanhedrin'] >= space else ''}"
        for space, tile in zip(s["judgment_space"], s["judgments"], strict=True)
    )


def _parables(s: np.void, origins: Origins) -> str:
    parts = []
    for kind, (numeral, stack) in enumerate(zip(NUMERALS, parable_stacks(s), strict=True)):
        text = (
            f"{numeral} {stack[0]}{origins.mark('parables', 'points')}" if stack else f"{numeral} -"
        )
        reward = effect_label(s, int(s["parable_reward"][kind]))
        text += f" {reward}{origins.mark('parables', 'rewards')}" if reward else ""
        parts.append(f"{text} ({len(stack)} left)")
    return f"Parables, points and reward of the next tile: {', '.join(parts)}"


def _piles(s: np.void, origins: Origins) -> list[str]:
    kinds = origins.box.kinds
    left, right = (kinds[kind] if kind >= 0 else "-" for kind in s["display"])
    lines = _wrapped(f"Display: {left} (left), {right} (right)")
    for pile, label, most in (("mahane", "Mahane", NUM_MAHANE), ("xxxiii", "XXXIII", NUM_XXXIII)):
        size = min(int(s[f"{pile}_size"]), most)
        known = [kinds[kind] for kind in s[pile][:size] if kind >= 0]
        text = f"{label} pile: {size}"
        if known:
            where = "from the top" if len(known) == size else "at the bottom"
            text += f" ({where}: {', '.join(known)})"
        lines += _wrapped(text)
    return lines


# --- players --------------------------------------------------------------------------------
def _belongings(s: np.void, seat: int, origins: Origins) -> list[str]:
    kinds, markers = origins.box.kinds, origins.box.markers
    used, squares = camp_use(s, seat)
    parts = {part: int(points[0, seat]) for part, points in final_count(np.array([s])).items()}
    tile = "unused" if s["illumination"][seat] else "used"
    head = (
        f"P{seat} {COLOURS[s['colours'][seat]]}   camp {used} of {squares} squares   "
        f"Parables {s['parables'][seat]}   Favors done {s['favors_done'][seat]}   "
        f"Illumination {tile}"
    )
    if not is_over(s):
        total = sum(parts.values())
        head += f"   the end would bring {total:+d}, of it Apostles {parts['apostles']:+d}"
    held = [
        name
        for name, count in zip(LOCATIONS, s["symbols_held"][seat], strict=True)
        for _ in range(int(count))
    ]
    benefit = origins.mark("favors", "markers")
    left = [f"{markers[marker]}{benefit}" for marker in members(s["favors"][seat], 8)]
    lines = _wrapped(head)
    if held:
        lines += _wrapped(f"  symbols held: {counted(held)}", 4)
    for column, cards in enumerate(columns_of(s, seat)):
        names = ", ".join(kinds[kind] for kind in cards)
        lines += _wrapped(f"  column {column + 1}: {names or '-'}", 4)
    lines += _wrapped(f"  hand: {_hand(s, seat, kinds)}", 4)
    discards = [kinds[kind] for kind in members(s["discards"][seat])]
    deck = [kinds[kind] for kind in s["deck"][seat, : s["deck_size"][seat]] if kind >= 0]
    order = f" (from the top: {', '.join(deck)})" if deck else ""
    lines += _wrapped(f"  deck: {s['deck_size'][seat]}{order}", 4)
    lines += _wrapped(f"  discards: {len(discards)}{_in_brackets(discards)}", 4)
    return [*lines, *_wrapped(f"  favor markers: {', '.join(left) or '-'}", 4)]


def _in_brackets(names: list[str]) -> str:
    return f" ({', '.join(names)})" if names else ""


def _hand(s: np.void, seat: int, kinds: tuple[str, ...]) -> str:
    parts = [kinds[kind] for kind in members(s["hand"][seat])]
    hidden = hidden_cards(s, seat)
    parts += [
        f"{count} {BACK_LABELS[back]} hidden" for back, count in enumerate(hidden) if count > 0
    ]
    return ", ".join(parts) or "-"
