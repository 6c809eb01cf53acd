"""What happens at the table, in words: what is decided, an action, all that followed from it.

Everything is read off the pieces that the engine carries a decision out in (``pieces``), so it is
what really happened, in its order. Told to a seat, it leaves out which cards others draw unseen.
"""

from __future__ import annotations

import numpy as np

from .actions import PHASES, SOURCES, action_blocks
from .engine.layout import (
    BUY,
    DISCARD,
    DRAW,
    DRAW_DECK,
    MAX_PLAYERS,
    NO_SEAT,
    PHASE_OVER,
    SELL,
    SOURCE_FAVORS,
    STAGE_SETTLE,
)
from .pieces import ACTION, Piece, pieces
from .rules.box import Box, box_of
from .rules.codes import (
    STEP_FAVOR_DONE,
    STEP_GAIN,
    STEP_JUDAS,
    STEP_MEETING,
    STEP_PARABLE,
    STEP_RECEIVE,
    STEP_SCORE,
    STEP_SETTLE,
    STEP_VISIT_END,
)
from .rules.names import (
    APOSTLES,
    AREAS,
    BACKS,
    DRAW_SOURCES,
    FIRST_MAHANE,
    FIRST_XXXIII,
    JUDGMENTS,
    LOCATIONS,
    NUM_KINDS,
    RESOURCES,
    SEATS,
    SPACES,
)

NUMERALS = ("I", "II", "III", "IV", "V", "VI", "VII")  # of the Parables
BACK_LABELS = ("starting", "Mahane", "XXXIII")

_DECISIONS = {
    "settle": "in which area another follower begins",
    "play": "which card to play",
    "column": "on which column to put {card}",
    "illuminate": "which appreciation the Illumination brings",
    "orange": "which orange Apostle scores",
    "market": "what to trade at the market{traded}",
    "temple": "which follower to recruit at the temple",
    "supper": "where to go at the Last Supper{free}",
    "from": "from which area a follower goes to {space}{free}",
    "offering": "whether to take an Offering",
    "call": "into which area to call a follower",
    "draw": "which Mahane card to draw",
    "favor": "which favor marker to give",
    "give": "to whom to give {marker}",
    "change": "which follower changes places",
    "change_to": "where the follower on {lifted} goes",
    "swap": "which follower to exchange",
    "swap_with": "for whose follower to exchange the one on {lifted}",
    "redistribute": "whether to rearrange the columns",
    "arrange": "which card comes next on column {column}",
    "visit": "which apostle column to visit",
    "apostle": "which Apostle of column {visited} to seat",
    "seat": "where to seat the {apostle} Apostle",
    "purchase": "whether to buy a Mahane card",
    "excess": "which card to discard",
    "overflow": "what to discard: the camp is too full",
}


# What a seat does, by the kind of action, or by kind and phase: for the others to read, and for
# itself. {0} is what the action names.
_VERBS: dict[str, tuple[str, str]] = {
    "card": ("plays {0}", "play {0}"),
    "card arrange": ("lays {0} on column {column}", "lay {0} on column {column}"),
    "card excess": ("discards {0}", "discard {0}"),
    "column": ("puts {card} on column {0}", "put {card} on column {0}"),
    "column play": ("clears column {0}", "clear column {0}"),
    "illuminate": ("uses the Illumination", "use your Illumination"),
    "follower": ("calls a follower to the {0}", "call a follower to the {0}"),
    "follower settle": ("places a follower in the {0}", "place a follower in the {0}"),
    "follower temple": ("recruits a follower for the {0}", "recruit a follower for the {0}"),
    "from": ("sends a follower from the {0} to {space}", "send a follower from the {0} to {space}"),
    "displace": (
        "recruits a follower for the {0}, where one of {owner} goes home",
        "recruit a follower for the {0}, where one of {owner} goes home",
    ),
    "space": ("chooses {0} at the Last Supper", "choose {0} at the Last Supper"),
    "space change_to": (
        "moves a follower from {lifted} to {0}",
        "move your follower from {lifted} to {0}",
    ),
    "space swap_with": (
        "exchanges the follower on {lifted} for one of {owner} on {0}",
        "exchange your follower on {lifted} for one of {owner} on {0}",
    ),
    "lift": ("chooses the follower on {0}", "choose your follower on {0}"),
    "offering": ("takes an Offering", "take an Offering"),
    "draw": ("takes {drawn} from the display", "take {drawn} from the display"),
    "draw deck": ("draws a Mahane card from the pile", "draw a Mahane card from the pile"),
    "sell": ("sells 1 {0}", "sell 1 {0}"),
    "buy": ("buys 1 {0}", "buy 1 {0}"),
    "favor": ("chooses the favor marker {0}", "choose the favor marker {0}"),
    "give": ("gives {marker} to {other}", "give {marker} to {other}"),
    "visit": ("visits apostle column {0}", "visit apostle column {0}"),
    "apostle": ("chooses the {0} Apostle", "choose the {0} Apostle"),
    "apostle illuminate": ("chooses the appreciation of {0}", "choose the appreciation of {0}"),
    "seat": ("seats the {apostle} Apostle on {0}", "seat the {apostle} Apostle on {0}"),
    "seat orange": (
        "lets the orange Apostle on {0} score",
        "let the orange Apostle on {0} score",
    ),
    "rearrange": ("takes up all cards of the columns", "take up all cards of your columns"),
    "discard": ("discards 1 {0}", "discard 1 {0}"),
}
_DISCARDS = ("discards {0}", "discard {0}")
# The same for ``pass``, by phase.
_PASSES = {
    "market": ("leaves the market", "leave the market"),
    "temple": ("recruits no more", "recruit no more"),
    "supper": ("sends nobody to the Last Supper", "send nobody to the Last Supper"),
    "offering": ("takes no Offering", "take no Offering"),
    "call": ("calls nobody", "call nobody"),
    "draw": ("draws no card", "draw no card"),
    "favor": ("does no Favor", "do no Favor"),
    "change": ("changes no places", "change no places"),
    "swap": ("exchanges nobody", "exchange nobody"),
    "redistribute": ("leaves the columns as they are", "leave your columns as they are"),
    "arrange": ("is done with column {column}", "are done with column {column}"),
    "visit": ("visits nobody", "visit nobody"),
    "purchase": ("buys no card", "buy no card"),
}


def describe_decision(state: np.void, seat: int | None = None) -> str:
    """Who decides what, in words, such as ``P2 decides which card to play``; all of it is public.

    Parameters
    ----------
    state : STATE record, or a view by true seats
    seat : int, optional
        Who is told, and called "You".
    """
    if state["phase"] == PHASE_OVER:
        return "the game is over"
    actor = int(state["to_act"])
    return f"{'You decide' if actor == seat else f'P{actor} decides'} {decision_of(state)}"


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
        With ``seat``: it remembers all cards that everybody has seen.
    """
    box = box_of(int(before["data_id"]))
    lines: list[str] = []
    for piece in pieces(before, int(action), after):
        lines += _Told(piece, box, seat, recall).lines()
    return lines


class _Told:
    """One piece, as an observer may know it."""

    def __init__(self, piece: Piece, box: Box, seat: int | None, recall: bool) -> None:
        self.cause, self.action, self.before, self.after = piece
        self.box, self.seat, self.recall = box, seat, recall
        self.players = int(self.before["players"])
        self.actor = int(self.before["to_act"])
        self.turn = int(self.before["turn"])

    def lines(self) -> list[str]:
        """All there is to tell."""
        if self.cause == ACTION:
            found = [self._action_line(), *self._amounts("")]
        else:
            found = self._amounts(self._cause()) if self.after["phase"] != PHASE_OVER else []
        return [*found, *self._cards(), *self._board(), *self._turns()]

    def name(self, seat: int) -> str:
        return "You" if seat == self.seat else f"P{seat}"

    def does(self, seat: int, verb: tuple[str, str], *rest: object, **facts: object) -> str:
        return f"{self.name(seat)} {verb[seat == self.seat].format(*rest, **facts)}"

    def change(self, field: str, *place: int) -> int:
        return int(self.after[field][place]) - int(self.before[field][place])

    # --- the action --------------------------------------------------------------------------
    def _action_line(self) -> str:
        s, actor = self.before, self.actor
        block = next(b for b in reversed(action_blocks(self.box)) if b.start <= self.action)
        index, phase = self.action - block.start, PHASES[s["phase"]]
        kind = block.kind
        rest = block.names[index].removeprefix(kind).strip()
        other = NO_SEAT
        drawn = ""
        if kind == "pass":
            return self.does(actor, _PASSES[phase], column=int(s["arrange_column"]) + 1)
        if kind == "displace":
            other, rest = (actor + 1 + index // len(AREAS)) % self.players, AREAS[index % 3]
        elif kind == "give":
            other = (actor + 1 + index) % self.players
        elif phase == "swap_with":
            other = self._standing(index)
        elif kind == "visit":
            source, column = SOURCES[index // 3], index % 3 + 1
            held = source == SOURCES[SOURCE_FAVORS]
            rest = f"{column} with {'symbols held alone' if held else f'column {source[-1]}'}"
        elif kind == "draw":
            if index == DRAW_DECK:
                phase = "deck"
            else:
                drawn = self.box.kinds[s["display"][index]]
        verb = _VERBS.get(f"{kind} {phase}", _VERBS[kind])
        line = self.does(
            actor,
            verb,
            rest,
            card=self.box.kinds[s["chosen_card"]],
            column=int(s["arrange_column"]) + 1,
            space=SPACES[s["chosen_space"]],
            lifted=SPACES[s["lifted"]],
            marker=self.box.markers[s["chosen_marker"]],
            apostle=APOSTLES[s["chosen_colour"]],
            drawn=drawn,
            other="you" if other == self.seat else f"P{other}",
            owner="yours" if other == self.seat else f"P{other}'s",
        )
        if phase == "supper":  # R13.1: the area was no choice, or it is asked next
            left = [area for area in range(len(AREAS)) if self.change("areas", actor, area) < 0]
            if left:
                goes = (
                    "sends a follower from the {0} to {1}",
                    "send a follower from the {0} to {1}",
                )
                line = self.does(actor, goes, AREAS[left[0]], rest)
        return line

    def _standing(self, space: int) -> int:
        """The seat whose follower stands on a space."""
        return next(x for x in range(self.players) if int(self.before["supper"][x]) >> space & 1)

    # --- what followed -----------------------------------------------------------------------
    def _cause(self) -> str:
        """What brought something, to be told before it."""
        s, cause = self.before, self.cause
        if cause >= STEP_RECEIVE:
            return self.box.markers[(cause - STEP_RECEIVE) // MAX_PLAYERS]
        if cause >= STEP_SCORE:
            return f"Around the orange Apostle on {SEATS[cause - STEP_SCORE]}"
        if STEP_GAIN <= cause < STEP_SETTLE:
            return f"The {AREAS[cause - STEP_GAIN]}"
        if cause == STEP_MEETING and self.change("sanhedrin"):
            line = f"Meeting: the Sanhedrin marker goes to {self.after['sanhedrin']}"
            places = s["judgment_space"].tolist()
            if s["judgments_on"] and int(self.after["sanhedrin"]) in places:
                tile = s["judgments"][places.index(int(self.after["sanhedrin"]))]
                line += f", judgment of {JUDGMENTS[tile]}"
            return line
        if cause == STEP_PARABLE:
            return f"Parable {NUMERALS[self.after['parables'][self.turn] - 1]}"
        if cause == STEP_FAVOR_DONE:
            return f"{self.after['favors_done'][self.turn]}. Favor"
        if cause == STEP_VISIT_END:
            return "The visit ends"
        return "Judas" if cause == STEP_JUDAS else ""

    def _amounts(self, cause: str) -> list[str]:
        """Points, Denarii, resources and Offerings gained and lost, with their cause."""
        told = []
        traded = SELL <= self.action < BUY + len(RESOURCES) or self.action >= DISCARD
        resources = () if traded else RESOURCES  # the action's own line tells of them
        for seat in range(self.players):
            parts = [
                (self.change("denarii", seat), "Denarius", "Denarii"),
                *((self.change("resources", seat, x), y, y) for x, y in enumerate(resources)),
                (self.change("points", seat), "point", "points"),
            ]
            texts = [
                f"{number:+d} {one if abs(number) == 1 else many}".replace("-", "−")
                for number, one, many in parts
                if number
            ]
            if texts:
                told.append((seat, ", ".join(texts)))
        if not cause:
            return [f"{self.name(seat)}: {text}" for seat, text in told]
        if not told:
            bare = self.cause == STEP_MEETING and self.change("sanhedrin")
            return [cause] if bare or self.cause == STEP_VISIT_END else []
        seats = "; ".join(
            f"{'you' if seat == self.seat else f'P{seat}'} {text}" for seat, text in told
        )
        return [f"{cause}: {seats}"]

    # --- cards -------------------------------------------------------------------------------
    def _cards(self) -> list[str]:
        """Cards drawn, shuffled, discarded, turned up."""
        lines: list[str] = []
        for seat in range(self.players):
            if self.change("shuffles", seat):
                whose = "your" if seat == self.seat else f"P{seat}'s"
                lines.append(f"{whose[0].upper()}{whose[1:]} discards are shuffled into a new deck")
            lines += self._drawn(seat)
        if self.cause == STEP_VISIT_END:
            lines += self._used()
        for place in range(len(self.before["display"])):
            card = int(self.after["display"][place])
            if card >= 0 and card != self.before["display"][place]:
                lines.append(f"{self.box.kinds[card]} lies in the display ({DRAW_SOURCES[place]})")
        return lines

    def _drawn(self, seat: int) -> list[str]:
        """Cards that came to a hand unless the action's own line names them."""
        came = int(self.after["hand"][seat]) & ~int(self.before["hand"][seat])
        if not came or DRAW <= self.action < DRAW + DRAW_DECK:
            return []
        known = came
        if self.seat not in (None, seat):
            public = int(self.after["known_hands"][seat]) & ~int(self.before["known_hands"][seat])
            known = came & public if self.recall else 0
        parts = [self.box.kinds[kind] for kind in range(NUM_KINDS) if known >> kind & 1]
        unknown = came & ~known
        numbers = [0] * len(BACKS)
        for kind in range(NUM_KINDS):
            if unknown >> kind & 1:
                numbers[(kind >= FIRST_MAHANE) + (kind >= FIRST_XXXIII)] += 1
        parts += [
            f"{'a' if number == 1 else number} {label} card{'s' if number > 1 else ''}"
            for number, label in zip(numbers, BACK_LABELS, strict=True)
            if number
        ]
        if self.cause == ACTION and not known:
            return []  # the action's line has said so
        return [self.does(seat, ("draws {0}", "draw {0}"), ", ".join(parts))]

    def _used(self) -> list[str]:
        """The cards and symbols that a visit used up (R7.11)."""
        s, source = self.before, int(self.before["visit_source"])
        spent = [
            f"{name} x{-number}" if number < -1 else name
            for place, name in enumerate(LOCATIONS)
            if (number := self.change("symbols_held", self.turn, place)) < 0
        ]
        lines = []
        if source < SOURCE_FAVORS:
            size = int(s["column_size"][self.turn, source])
            cards = [self.box.kinds[kind] for kind in s["columns"][self.turn, source, :size]]
            lines.append(self.does(self.turn, _DISCARDS, ", ".join(cards)))
        if spent:
            uses = ("uses the symbols {0}", "use the symbols {0}")
            lines.append(self.does(self.turn, uses, ", ".join(spent)))
        return lines

    # --- the board and the turns -------------------------------------------------------------
    def _board(self) -> list[str]:
        """What else is new on the board."""
        lines = []
        for seat in range(self.players):
            if self.change("blocked", seat):
                gains = ("has another square in the camp", "have another square in your camp")
                lines.append(self.does(seat, gains))
        if self.change("judgments_on"):
            lines.append("All Apostles are seated: the judgments leave the Sanhedrin")
        return lines

    def _turns(self) -> list[str]:
        """A new turn; the end."""
        s = self.after
        if s["phase"] == PHASE_OVER:
            return self._end() if self.before["phase"] != PHASE_OVER else []
        if not self.change("turns"):
            return []
        lines = []
        if self.change("sanhedrin"):  # R5.2
            lines = [f"Bureaucracy: the Sanhedrin marker goes to {s['sanhedrin']}"]
        whose = "Your turn" if s["turn"] == self.seat else f"P{s['turn']}'s turn"
        return [f"{whose} begins (turn {s['turns']})", *lines]

    def _end(self) -> list[str]:
        s = self.after
        seats = range(self.players)
        counts = "; ".join(f"{self.name(x)} {self.change('points', x):+d}" for x in seats)
        order = sorted(seats, key=lambda x: (s["ranks"][x], x))
        best = [x for x in order if s["ranks"][x] == 1]
        win = "wins" if len(best) == 1 and best[0] != self.seat else "win"
        points = ", ".join(f"{self.name(x)} {s['points'][x]}" for x in order)
        winners = " and ".join(self.name(x) for x in best)
        return [
            f"Final count: {counts}".replace("-", "−"),
            f"The game is over: {winners} {win} ({points})",
        ]


def decision_of(state: np.void) -> str:
    """What is decided, such as ``which card to play``."""
    box = box_of(int(state["data_id"]))
    sold = [name for index, name in enumerate(RESOURCES) if int(state["sold"]) >> index & 1]
    return _DECISIONS[PHASES[state["phase"]]].format(
        card=box.kinds[max(state["chosen_card"], 0)],
        traded=f" (sold {', '.join(sold)})" if sold else "",
        free=", invited" if state["free"] else "",
        space=SPACES[max(state["chosen_space"], 0)],
        marker=box.markers[max(state["chosen_marker"], 0)],
        lifted=SPACES[max(state["lifted"], 0)],
        column=int(state["arrange_column"]) + 1,
        visited=int(state["visit_column"]) + 1,
        apostle=APOSTLES[max(state["chosen_colour"], 0)],
    )


def may_take_back(before: np.void, after: np.void) -> bool:
    """Whether the decision at ``before`` may be taken back at ``after``.

    Within a seat's own turn, as long as no card came from a pile or a deck and nothing was
    shuffled: so no further than to the drawing at the turn's end.
    """
    actor = before["to_act"]
    own = before["turn"] == actor and after["turn"] == actor and after["to_act"] == actor
    if actor == NO_SEAT or not own or before["turns"] != after["turns"]:
        return False
    if before["stage"] == STAGE_SETTLE or after["phase"] == PHASE_OVER:
        return False
    if not np.array_equal(before["shuffles"], after["shuffles"]):
        return False
    if not np.array_equal(before["deck_size"], after["deck_size"]):
        return False
    return _untouched(before, after, "mahane") and _untouched(before, after, "xxxiii")


def _untouched(before: np.void, after: np.void, pile: str) -> bool:
    """Whether nothing was drawn from a pile: all its cards are there yet, in their order."""
    size = before[f"{pile}_size"]
    return bool(
        after[f"{pile}_size"] >= size and np.array_equal(before[pile][:size], after[pile][:size])
    )
