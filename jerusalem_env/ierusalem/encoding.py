"""Observations: from states and views to vectors, compiled.

``encode`` writes the uint8 form (see ``observation``) of what a seat sees, in the order of
``features``. It reads a state as seat ``me`` or a view as seat 0 and gives the same for both: it
touches nothing that ``screen.look`` would hide. What perfect memory adds (``recall``) stands in
states as in views, so that holds for both information modes.

The kernels are made for a number of players and an information mode, which so are constants to the
compiler. Runs of flags are gathered in words of 64 and written by one instruction each. Such a
store writes 64 bytes however short the run, so runs are written in ascending order, and amounts,
which stand behind them, last.
"""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any

from ..bits import count_bits, lowest_bit, store_flags
from ..compiled.encoders import all_if_less
from ..copying import load_word, store_word
from ..features import Feature, size_of
from ..game import Information
from ..kernels import kernel
from .engine.cards import back_of
from .engine.layout import (
    NEUTRAL,
    PHASE_ARRANGE,
    PHASE_MARKET,
    PHASE_OVER,
    SOURCE_FAVORS,
)
from .engine.scoring import end_points, value_at
from .engine.state import ALL_SPACES, JESUS_SPACES
from .observation import (
    CAP_APOSTLES,
    CAP_AREAS,
    CAP_COLUMN,
    CAP_COLUMN_POINTS,
    CAP_DENARII,
    CAP_NEXT_JUDGMENT,
    CAP_OFFERINGS,
    CAP_POINTS,
    CAP_RESOURCES,
    CAP_ROOM,
    CAP_SANHEDRIN,
    CAP_SCORE,
    CAP_SQUARES,
    CAP_SYMBOLS_HELD,
    CAP_WORTH,
    KNOWN_PLACES,
    ROOM_OFFSET,
    SEEN_IN_COLUMN,
    WORTH_OFFSET,
    features,
    state_features,
)
from .rules.codes import STEP_FAVOR_DONE, STEP_OFFERING, STEP_VISIT_END
from .rules.names import (
    ACTIONS,
    FIRST_MAHANE,
    FIRST_XXXIII,
    NUM_KINDS,
    NUM_MAHANE,
    NUM_SEATS,
    NUM_SPACES,
    NUM_STARTING,
    NUM_XXXIII,
)
from .rules.ruleset import RuleSet
from .screen import DECK, kind_bit, unseen_starting
from .set_flags import (
    beyond,
    complete,
    counts_held,
    counts_of,
    far_at,
    lacks_of,
    may_follow,
    reach,
    served,
)

LONGEST_ROW = max(size_of(state_features(RuleSet(players=n), "recall")) for n in (3, 4))

_PHASES = (1 << PHASE_OVER) - 1
_COMMON = (1 << (NUM_MAHANE + NUM_XXXIII)) - 1
_ACTIONS = (1 << len(ACTIONS)) - 1
_USUAL_STEPS = 4  # pending (VI.b: 3 seen): as many are read without a branch
_BYTES = 0x01010101  # the lowest bits of four bytes, which a product by this
_GATHER = 0x01020408  # puts side by side, from bit 24 on
_BESIDE_JESUS = 1 << 8 | 1 << 16 | 1 << 40 | 1 << 48  # bytes of the table's row of spaces


@kernel
def clipped(amount, cap):
    """The amount, within 0..cap."""
    return min(max(amount, 0), cap)


@kernel
def flag_at(first, index):
    """A word with the flag ``first + index``; an index below 0 sets none."""
    return (1 if index >= 0 else 0) << (first + max(index, 0))


# --- the table (R14) ------------------------------------------------------------------------
@kernel
def seat_masks(s):
    """Masks of seats of the table by the Apostle on them: 16 bits for each colour."""
    masks = 0
    for place in range(NUM_SEATS):
        colour = s.seats[place]
        masks |= (1 if colour >= 0 else 0) << (place + 16 * max(colour, 0))
    return masks


@kernel
def beside_columns(seats):
    """Supper columns (bit c - 1) of a side's seats (bit k: three on the left, three right)."""
    return (seats & 7) | ((seats & 56) << 2)


@kernel
def spaces_around(masks, colour, distance):
    """Mask of the spaces at a distance around all seated Apostles of a colour (R14.3)."""
    seats = masks >> (16 * colour)
    top, bottom = beside_columns(seats & 63), beside_columns((seats >> 6) & 63)
    rows = top << (16 - 8 * distance) | bottom << (32 + 8 * distance)
    corners = (top & 1) << 24 | (top >> 7) << 27 | (bottom & 1) << 28 | (bottom >> 7) << 31
    return rows | (corners if distance == 0 else 0)  # A46


def _starts(table: tuple[Feature, ...]) -> Any:
    """Where each feature begins, by name; a named tuple of ints is a constant to the compiler."""
    at = {feature.name: feature.start for feature in table}
    names = [feature.name for feature in features(RuleSet(), "recall")]
    make: Any = namedtuple
    return make("Starts", names)(*(at.get(name, size_of(table)) for name in names))


@cache
def make_encode(n: int, recall: bool) -> Any:
    """The kernel ``encode(s, me, out)`` for ``n`` players; ``out`` (F,) uint8 may be longer."""
    mode: Information = "recall" if recall else "screen"
    at = _starts(features(RuleSet(players=n), mode))

    @kernel
    def from_me(seat, me):
        """A seat counted clockwise from the observer; -1 stays -1."""
        return seat if seat < 0 else seat - me if seat >= me else seat - me + n

    @kernel
    def seat_at(step, me):
        """The seat ``step`` places clockwise of the observer."""
        return (me + step if me + step < n else me + step - n) & 3  # & 3: not negative

    @kernel
    def seat_flags(word, me):
        """Flags from the observer on, of bytes 0 or 1 by seat (the word's first four)."""
        flags = (((word & _BYTES) * _GATHER) >> 24) & 15
        return ((flags >> me) | (flags << (n - me))) & ((1 << n) - 1)

    @kernel
    def encode_reach(s, me, source, column, wanted, more, lacks, out):
        """Write ``air_progress`` of an own column; how far a card of each location brings it.

        Four bits a location: see ``reach``. ``more`` and ``lacks`` are the symbols that it lacks.
        """
        may = may_follow(column, wanted) & all_if_less(s.column_size[me, source], SEEN_IN_COLUMN)
        if s.phase == PHASE_ARRANGE and me == s.turn and s.arrange_column != source:
            may = 0
        in_air = s.chosen_card if me == s.turn else -1
        location, best = s.card_location[max(in_air, 0)], 0
        for row in range(3):
            reached = reach(may, more, lacks, row)
            best |= reached
            far = far_at(reached, location) & all_if_less(-1, in_air)
            out[at.air_progress + 3 * source + row] = far
        return best

    @kernel
    def encode_progress(s, me, best, out):
        """Write ``card_progress`` and ``display_progress``."""
        for place in range(at.card_progress, at.card_progress + NUM_KINDS):
            out[place] = 0
        cards = s.hand[me] | (s.pool if me == s.turn else 0)
        while cards != 0:
            card = lowest_bit(cards)
            cards &= cards - 1
            out[at.card_progress + card] = far_at(best, s.card_location[card])
        for slot in range(2):
            card = s.display[slot]
            far = far_at(best, s.card_location[max(card, 0)])
            out[at.display_progress + slot] = far & all_if_less(-1, card)

    @kernel
    def encode_sets(s, me, mine, wanted, wanted_counts, out):
        """Write the amounts from ``set_lacking`` to ``display_progress``; flags of ``set_ready``.

        No store of flags reaches these amounts.
        """
        held, ready, best = counts_held(s, me), 0, 0
        for source in range(4):
            column = (mine >> (15 * source)) & 0x7FFF  # R7.3: none of symbols held alone
            serves, used = served(column, wanted), 7
            if source < SOURCE_FAVORS:
                size = s.column_size[me, source]
                serves &= all_if_less(size, SEEN_IN_COLUMN + 1)
                used &= all_if_less(0, size)  # R7.2: an own column without a card is no source
            more = beyond(wanted_counts, counts_of(column) + held)
            lacks = lacks_of(more, serves)
            place = at.set_lacking + 3 * source
            out[place] = lacks & 7
            out[place + 1] = (lacks >> 20) & 7
            out[place + 2] = (lacks >> 40) & 7
            ready |= (complete(lacks) & used) << (3 * source)
            if source < SOURCE_FAVORS:
                best |= encode_reach(s, me, source, column, wanted, more, lacks, out)
        encode_progress(s, me, best, out)
        return ready

    @kernel
    def encode_columns(s, me, out):
        """Write the flags ``symbols`` and ``apostle_symbols``, and the amounts of own columns.

        The amounts lie beyond what a store of flags can reach. Returns the observer's flags, those
        of the apostle columns, and how often each location stands in these (``beyond``).
        """
        mine = 0
        for step in range(n):
            seat, flags = seat_at(step, me), 0
            for column in range(3):
                size = s.column_size[seat, column]
                kinds = load_word(s.columns, 120 * seat + 40 * column)
                first = s.card_location[kinds & 63] & 7
                second = s.card_location[(kinds >> 8) & 63] & 7
                third = s.card_location[(kinds >> 16) & 63] & 7
                cards = 1 << first | 32 << second | 1024 << third
                cards &= (1 << (5 * min(size, SEEN_IN_COLUMN))) - 1
                flags |= cards << (15 * column)
                out[at.column_size + 3 * step + column] = min(size, CAP_COLUMN)
            store_flags(out, at.symbols + 45 * step, flags)
            mine = flags if step == 0 else mine
        wanted, counts = 0, 0
        for column in range(3):
            for place in range(3):
                location = s.symbols[column, place]
                wanted |= 1 << (15 * column + 5 * place + location)
                counts += 1 << (20 * column + 4 * location)
        store_flags(out, at.apostle_symbols, wanted)
        for column in range(3):
            points = 0
            for place in range(SEEN_IN_COLUMN):
                kind = s.columns[me, column, place]
                points += s.card_points[back_of(kind)] * (1 + all_if_less(kind, 0))
            out[at.my_column_points + column] = min(points, CAP_COLUMN_POINTS)
        return mine, wanted, counts

    @kernel
    def encode_cards(s, me, out):
        """Write the flags of cards and symbols, from ``my_hand`` to ``display``."""
        in_air = s.pool | kind_bit(s.chosen_card)
        store_flags(out, at.my_hand, s.hand[me])
        store_flags(out, at.in_air, in_air)
        mine = s.hand[me] | (in_air if me == s.turn else 0)
        deck = unseen_starting(s, me, mine)
        store_flags(out, at.my_discards, s.discards[me] | deck << NUM_STARTING)
        display = flag_at(0, s.display[0] - FIRST_MAHANE)
        display |= flag_at(NUM_MAHANE, s.display[1] - FIRST_MAHANE)
        store_flags(out, at.display, display)

    @kernel
    def encode_supper(s, me, ready, out):
        """Write the flags of the table, from ``set_ready`` to ``payable``."""
        table = ready
        for place in range(NUM_SEATS):
            table |= flag_at(at.table_seats - at.set_ready + 4 * place, s.seats[place])
        store_flags(out, at.set_ready, table)
        taken = s.supper[NEUTRAL]
        for step in range(n):
            followers = s.supper[seat_at(step, me)]
            taken |= followers
            store_flags(out, at.supper + NUM_SPACES * step, followers)
        if n == 3:
            store_flags(out, at.supper + NUM_SPACES * 3, s.supper[NEUTRAL])
        dear = 0
        for resource in range(3):
            dear |= s.space_needs[resource, clipped(s.resources[me, resource], 7)]  # R14.4
        store_flags(out, at.payable, ALL_SPACES & ~(taken | dear))

    @kernel
    def encode_flow(s, me, out):
        """Write the flags from ``judgments`` to ``colours``."""
        flags, passed = 0, 0
        for place in range(6):
            flags |= s.judgments_on << (6 * place + s.judgments[place])
            passed += 1 if s.judgment_space[place] <= s.sanhedrin else 0
        flags >>= 6 * passed
        flags |= seat_flags(load_word(s.illumination, 0), me) << (at.illumination - at.judgments)
        flags |= seat_flags(load_word(s.blocked, 0), me) << (at.blocked - at.judgments)
        steps = 0
        for place in range(_USUAL_STEPS):
            step = s.steps[place]
            steps |= (1 if place < s.num_steps and step < 32 else 0) << (step & 31)
        for place in range(_USUAL_STEPS, s.num_steps):
            step = s.steps[place]
            steps |= (1 if step < 32 else 0) << (step & 31)
        pending = steps & _ACTIONS
        pending |= ((steps >> STEP_OFFERING) & 1) << len(ACTIONS)
        pending |= ((steps >> STEP_FAVOR_DONE) & 1) << (len(ACTIONS) + 1)
        pending |= ((steps >> STEP_VISIT_END) & 1) << (len(ACTIONS) + 2)
        flags |= pending << (at.pending - at.judgments)
        store_flags(out, at.judgments, flags)

        first = at.traded
        flags = flag_at(0, s.traded - 1) if s.phase == PHASE_MARKET else 0
        flags |= s.sold << (at.sold - first)
        flags |= s.free << (at.free - first)
        flags |= s.must << (at.must - first)
        flags |= flag_at(at.chosen_marker - first, s.chosen_marker)
        marked = max(s.chosen_space, s.lifted)
        flags |= flag_at(at.marked_row - first, marked >> 3)
        flags |= flag_at(at.marked_column - first, marked & 7 if marked >= 0 else -1)
        arranging = s.arrange_column if s.phase == PHASE_ARRANGE else -1
        flags |= flag_at(at.arrange_column - first, arranging)
        flags |= flag_at(at.chosen_apostle - first, s.chosen_colour)
        flags |= flag_at(at.visit_source - first, s.visit_source)
        flags |= flag_at(at.visit_column - first, s.visit_column)
        store_flags(out, first, flags)

        flags = 0 | s.favors[me]
        for step in range(n):
            flags |= flag_at(at.colours - at.my_favors + 4 * step, s.colours[seat_at(step, me)])
        store_flags(out, at.my_favors, flags)

    @kernel
    def encode_memory(s, me, out):
        """Write the flags that perfect memory adds (VII.g)."""
        for step in range(1, n):
            known = (s.known_hands[seat_at(step, me)] >> FIRST_MAHANE) & _COMMON
            store_flags(out, at.known_hands + (NUM_MAHANE + NUM_XXXIII) * (step - 1), known)
        flags = 0
        for place in range(min(s.mahane_tail, KNOWN_PLACES)):
            kind = s.mahane[s.mahane_size - s.mahane_tail + place]
            flags |= 1 << (NUM_MAHANE * place + kind - FIRST_MAHANE)
        store_flags(out, at.known_mahane, flags)
        flags = 0
        for place in range(min(s.xxxiii_tail, KNOWN_PLACES)):
            kind = s.xxxiii[s.xxxiii_size - s.xxxiii_tail + place]
            flags |= 1 << (NUM_XXXIII * place + kind - FIRST_XXXIII)
        store_flags(out, at.known_xxxiii, flags)

    @kernel
    def encode_worth(s, out):
        """Write ``space_worth``, a row of eight spaces at a time."""
        # For no Apostle and each colour: a byte for each distance. The table lies in the feature's
        # own entries, until these are written.
        store_word(out, at.space_worth, WORTH_OFFSET * (1 | 1 << 8 | 1 << 16))
        for colour in range(4):
            worths = 0
            for distance in range(3):
                worth = clipped(WORTH_OFFSET + value_at(s, colour, distance), CAP_WORTH)
                worths |= worth << (8 * distance)
            store_word(out, at.space_worth + 8 + 8 * colour, worths)
        jesus = clipped(WORTH_OFFSET + s.jesus_points, CAP_WORTH) * _BESIDE_JESUS  # R18.4
        table, middle = jesus, WORTH_OFFSET << 24 | WORTH_OFFSET << 32
        top_1, top_2, top_3 = middle, middle, middle
        bottom_1, bottom_2, bottom_3 = middle, middle, middle
        for index in range(6):  # R14.3
            shift = 8 * index if index < 3 else 8 * index + 16
            worths = load_word(out, at.space_worth + 8 + 8 * s.seats[index])
            top_1 |= (worths & 255) << shift
            top_2 |= ((worths >> 8) & 255) << shift
            top_3 |= (worths >> 16) << shift
            if index == 0 or index == 5:
                table |= (worths & 255) << (0 if index == 0 else 24)
            worths = load_word(out, at.space_worth + 8 + 8 * s.seats[6 + index])
            bottom_1 |= (worths & 255) << shift
            bottom_2 |= ((worths >> 8) & 255) << shift
            bottom_3 |= (worths >> 16) << shift
            if index == 0 or index == 5:
                table |= (worths & 255) << (32 if index == 0 else 56)
        store_word(out, at.space_worth, top_3)
        store_word(out, at.space_worth + 8, top_2)
        store_word(out, at.space_worth + 16, top_1)
        store_word(out, at.space_worth + 24, table)
        store_word(out, at.space_worth + 32, bottom_1)
        store_word(out, at.space_worth + 40, bottom_2)
        store_word(out, at.space_worth + 48, bottom_3)

    @kernel
    def encode_scores(s, me, out):
        """Write ``score``: points if the game ended as things stand (R18.1)."""
        masks = seat_masks(s)
        seat_0, seat_1 = seat_at(0, me), seat_at(1, me)
        seat_2, seat_3 = seat_at(2, me), seat_at(n - 1, me)
        spaces_0, spaces_1 = s.supper[seat_0], s.supper[seat_1]
        spaces_2, spaces_3 = s.supper[seat_2], s.supper[seat_3]
        more_0 = end_points(s, seat_0) + s.jesus_points * count_bits(spaces_0 & JESUS_SPACES)
        more_1 = end_points(s, seat_1) + s.jesus_points * count_bits(spaces_1 & JESUS_SPACES)
        more_2 = end_points(s, seat_2) + s.jesus_points * count_bits(spaces_2 & JESUS_SPACES)
        more_3 = end_points(s, seat_3) + s.jesus_points * count_bits(spaces_3 & JESUS_SPACES)
        for colour in range(4):
            for distance in range(3):
                around = spaces_around(masks, colour, distance)
                worth = value_at(s, colour, distance)
                more_0 += worth * count_bits(spaces_0 & around)
                more_1 += worth * count_bits(spaces_1 & around)
                more_2 += worth * count_bits(spaces_2 & around)
                more_3 += worth * count_bits(spaces_3 & around)
        counts = 0 if s.phase == PHASE_OVER else 1  # then it has been added to the points
        out[at.score] = clipped(s.points[seat_0] + more_0 * counts, CAP_SCORE)
        out[at.score + 1] = clipped(s.points[seat_1] + more_1 * counts, CAP_SCORE)
        out[at.score + 2] = clipped(s.points[seat_2] + more_2 * counts, CAP_SCORE)
        if n == 4:
            out[at.score + 3] = clipped(s.points[seat_3] + more_3 * counts, CAP_SCORE)

    @kernel
    def encode_seats(s, me, out):
        """Write the other amounts of each seat, from ``denarii`` to ``discard_size``.

        Not clipped is what the rules bound whatever the data says.
        """
        for step in range(n):
            seat = seat_at(step, me)
            out[at.denarii + step] = clipped(s.denarii[seat], CAP_DENARII)
            out[at.points + step] = clipped(s.points[seat], CAP_POINTS)
            used = s.camp[seat] + s.offerings[seat]
            for index in range(3):
                amount = s.resources[seat, index]
                used += amount
                out[at.resources + 3 * step + index] = min(amount, CAP_RESOURCES)
                out[at.areas + 3 * step + index] = min(s.areas[seat, index], CAP_AREAS)
                out[at.hand_counts + 3 * step + index] = s.hand_counts[seat, index]
            out[at.camp + step] = s.camp[seat]
            out[at.offerings + step] = min(s.offerings[seat], CAP_OFFERINGS)
            squares = s.capacity if s.blocked[seat] == 1 else s.capacity_unblocked
            out[at.room + step] = clipped(ROOM_OFFSET + squares - used, CAP_ROOM)
            out[at.favors_done + step] = s.favors_done[seat]
            for location in range(5):
                held = min(s.symbols_held[seat, location], CAP_SYMBOLS_HELD)
                out[at.symbols_held + 5 * step + location] = held
            out[at.parables + step] = s.parables[seat]
            out[at.supper_followers + step] = count_bits(s.supper[seat])
            out[at.deck_size + step] = s.deck_size[seat]
            out[at.discard_size + step] = count_bits(s.discards[seat])

    @kernel
    def encode_board(s, out):
        """Write the amounts from ``apostles_left`` on."""
        for column in range(3):
            for colour in range(4):
                left = min(s.apostles[column, colour], CAP_APOSTLES)
                out[at.apostles_left + 4 * column + colour] = left
        for area in range(3):
            left = s.squares
            for seat in range(n):
                left -= s.areas[seat, area]
            out[at.squares_left + area] = clipped(left, CAP_SQUARES)
        out[at.mahane_pile] = s.mahane_size
        out[at.xxxiii_pile] = s.xxxiii_size
        out[at.sanhedrin] = clipped(s.sanhedrin, CAP_SANHEDRIN)
        ahead = 0
        for place in range(5, -1, -1):
            spaces = s.judgment_space[place] - s.sanhedrin
            ahead = spaces if spaces > 0 else ahead
        out[at.next_judgment] = clipped(ahead * s.judgments_on, CAP_NEXT_JUDGMENT)
        out[at.to_the_end] = clipped(s.last_space - s.sanhedrin, CAP_SANHEDRIN)
        if recall:
            out[at.known_bottom] = s.mahane_tail
            out[at.known_bottom + 1] = s.xxxiii_tail
            out[at.above_bottom] = s.mahane_size - s.mahane_tail
            out[at.above_bottom + 1] = s.xxxiii_size - s.xxxiii_tail

    @kernel
    def encode(s, me, out):
        """Write what seat ``me`` sees to ``out`` (F,) uint8, every entry of it."""
        flow = flag_at(0, s.phase) & _PHASES
        flow |= flag_at(at.to_act, from_me(s.to_act, me))
        flow |= flag_at(at.turn, from_me(s.turn, me))
        store_flags(out, 0, flow)
        encode_cards(s, me, out)
        mine, wanted, counts = encode_columns(s, me, out)
        ready = encode_sets(s, me, mine, wanted, counts, out)
        encode_supper(s, me, ready, out)
        encode_flow(s, me, out)
        if recall:
            encode_memory(s, me, out)
        encode_worth(s, out)
        encode_scores(s, me, out)
        encode_seats(s, me, out)
        encode_board(s, out)

    return encode


@cache
def make_encode_state(n: int, recall: bool) -> Any:
    """The kernel ``encode_state(s, scratch, out)`` for ``n`` players."""
    encode = make_encode(n, recall)
    mode: Information = "recall" if recall else "screen"
    at = {feature.name: feature.start for feature in state_features(RuleSet(players=n), mode)}
    hands, decks = at["all_hands"], at["deck_order"]
    mahane, xxxiii = at["mahane_order"], at["xxxiii_order"]

    @kernel
    def encode_state(s, scratch, out):
        """Write seat 0's observation, then what is hidden; ``scratch`` is not used."""
        encode(s, 0, out)
        for seat in range(n):
            store_flags(out, hands + NUM_KINDS * seat, s.hand[seat])
        for seat in range(n):
            for place in range(DECK):
                out[decks + DECK * seat + place] = s.deck[seat, place] + 1
        for place in range(NUM_MAHANE):
            out[mahane + place] = max(s.mahane[place] - FIRST_MAHANE + 1, 0)
        for place in range(NUM_XXXIII):
            out[xxxiii + place] = max(s.xxxiii[place] - FIRST_XXXIII + 1, 0)

    return encode_state
