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

from ..bits import count_bits, store_flags
from ..features import Feature, size_of
from ..kernels import kernel
from .engine.layout import (
    MAHANE,
    NEUTRAL,
    PHASE_ARRANGE,
    PHASE_MARKET,
    PHASE_OVER,
    STARTING,
    XXXIII,
)
from .engine.state import ALL_SPACES, JESUS_SPACES
from .observation import (
    CAP_APOSTLES,
    CAP_AREAS,
    CAP_CAMP,
    CAP_COLUMN,
    CAP_COLUMN_POINTS,
    CAP_DECK,
    CAP_DENARII,
    CAP_FAVORS_DONE,
    CAP_FOLLOWERS,
    CAP_HAND,
    CAP_NEXT_JUDGMENT,
    CAP_OFFERINGS,
    CAP_PARABLES,
    CAP_POINTS,
    CAP_RESOURCES,
    CAP_ROOM,
    CAP_SANHEDRIN,
    CAP_SCORE,
    CAP_SQUARES,
    CAP_SYMBOLS,
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
    JESUS,
    NUM_KINDS,
    NUM_MAHANE,
    NUM_SEATS,
    NUM_SPACES,
    NUM_STARTING,
    NUM_XXXIII,
)
from .rules.ruleset import RuleSet
from .screen import DECK, Information, kind_bit, unseen_starting

LONGEST_ROW = max(size_of(state_features(RuleSet(players=n), "recall")) for n in (3, 4))

_JESUS_FIRST, _JESUS_SECOND, _JESUS_THIRD, _JESUS_FOURTH = JESUS
_PHASES = (1 << PHASE_OVER) - 1
_COMMON = (1 << (NUM_MAHANE + NUM_XXXIII)) - 1
_ACTIONS = (1 << len(ACTIONS)) - 1
# A packed column: 4 bits a card, first played first, this beyond its last card.
_NO_SYMBOL = 7
_EMPTY_COLUMN = _NO_SYMBOL | _NO_SYMBOL << 4 | _NO_SYMBOL << 8 | _NO_SYMBOL << 12
# Counts by location in one word, a byte each: all bits, lowest bits, highest bits of the five.
_COUNTS = 0xFFFFFFFFFF
_ONES = 0x0101010101
_HIGHS = 0x8080808080


@kernel
def clipped(amount, cap):
    """The amount, within 0..cap."""
    return min(max(amount, 0), cap)


@kernel
def one_of(index, first, second, third, fourth):
    """The ``index``-th of four values; an array of them would live in memory."""
    return first if index == 0 else second if index == 1 else third if index == 2 else fourth


@kernel
def is_equal(a, b):
    """1 or 0, without a branch."""
    return 1 if a == b else 0


@kernel
def flag_at(first, index):
    """A word with the flag ``first + index``; an index below 0 sets none."""
    return (1 if index >= 0 else 0) << (first + max(index, 0))


@kernel
def back_of(kind):
    """The back of a card."""
    return XXXIII if kind >= FIRST_XXXIII else MAHANE if kind >= FIRST_MAHANE else STARTING


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


@kernel
def nearer(value, distance):
    """What an Apostle gives a follower at a distance: 1 less in magnitude for each (R18.3)."""
    return max(value - distance, 0) if value > 0 else min(value + distance, 0)


@kernel
def points_at_supper(s, masks, followers):
    """Points of followers (a mask of spaces) around the seated Apostles and beside Jesus."""
    points = s.jesus_points * count_bits(followers & JESUS_SPACES)  # R18.4
    for colour in range(4):
        for distance in range(3):
            number = count_bits(followers & spaces_around(masks, colour, distance))
            points += nearer(s.apostle_value[colour], distance) * number
    return points


@kernel
def score_of(s, seat, masks):
    """A seat's points if the game ended as things stand (R18.1); its final ones once over."""
    final = (
        s.parable_end[s.parables[seat]]  # R18.2
        + points_at_supper(s, masks, s.supper[seat])
        + s.offering_points * s.offerings[seat]  # R18.5
        + s.illumination_points * s.illumination[seat]
    )
    return s.points[seat] + (0 if s.phase == PHASE_OVER else final)


# --- sets (R7) ------------------------------------------------------------------------------
@kernel
def column_symbols(s, seat, column):
    """A seat's own column, packed: the locations of its first three cards."""
    symbols = _EMPTY_COLUMN
    for place in range(min(s.column_size[seat, column], SEEN_IN_COLUMN)):
        location = s.card_location[s.columns[seat, column, place]]
        symbols ^= (_NO_SYMBOL ^ location) << (4 * place)
    return symbols


@kernel
def symbol_counts(symbols):
    """How often each location stands in a packed column."""
    first, second, third = symbols & 7, (symbols >> 4) & 7, (symbols >> 8) & 7
    return ((1 << (8 * first)) + (1 << (8 * second)) + (1 << (8 * third))) & _COUNTS


@kernel
def counts_held(s, seat):
    """How many symbols of each location a seat holds."""
    counts = 0
    for location in range(5):
        counts |= s.symbols_held[seat, location] << (8 * location)
    return counts


@kernel
def apostle_column(s, column):
    """An apostle column's three symbols, packed."""
    return s.symbols[column, 0] | s.symbols[column, 1] << 4 | s.symbols[column, 2] << 8


@kernel
def in_order(symbols, wanted):
    """How many cards of a packed column follow an apostle column's symbols, from the first on."""
    found = is_equal(symbols & 7, wanted & 7)
    found += is_equal((symbols >> (4 * found)) & 7, (wanted >> 4) & 7)
    return found + is_equal((symbols >> (4 * found)) & 7, (wanted >> 8) & 7)


@kernel
def lacking(wanted_counts, held_counts):
    """How many of the symbols wanted are not held."""
    left = (wanted_counts | _HIGHS) - held_counts
    short = ((left & _HIGHS) >> 7) * 0x7F  # bytes where more is wanted than held, or the same
    return ((left & short) * _ONES >> 32) & 0xFF


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
        return me + step if me + step < n else me + step - n

    @kernel
    def encode_sets(s, me, out):
        """Write ``set_missing`` and ``set_lacking``; returns the flags of ``set_ready``."""
        ready = 0
        first, second, third = apostle_column(s, 0), apostle_column(s, 1), apostle_column(s, 2)
        first_counts, second_counts = symbol_counts(first), symbol_counts(second)
        third_counts = symbol_counts(third)
        for step in range(n):
            seat = seat_at(step, me)
            held = counts_held(s, seat)
            fewest_first = lacking(first_counts, held)  # R7.3: symbols held alone
            fewest_second = lacking(second_counts, held)
            fewest_third = lacking(third_counts, held)
            if step == 0:
                ready |= is_equal(fewest_first, 0) << 9
                ready |= is_equal(fewest_second, 0) << 10
                ready |= is_equal(fewest_third, 0) << 11
            for column in range(3):
                size = s.column_size[seat, column]
                symbols = column_symbols(s, seat, column)
                counts = symbol_counts(symbols)
                for index in range(3):
                    wanted = one_of(index, first, second, third, third)
                    wanted_counts = one_of(
                        index, first_counts, second_counts, third_counts, third_counts
                    )
                    serves = in_order(symbols, wanted) == size  # R7.2
                    lacks = lacking(wanted_counts - counts, held) if serves else CAP_SYMBOLS
                    if step == 0:
                        missing = 3 - size if serves else CAP_SYMBOLS
                        out[at.set_missing + 3 * column + index] = missing
                        is_ready = is_equal(lacks, 0) & (1 if size > 0 else 0)
                        ready |= is_ready << (3 * column + index)
                    if index == 0:
                        fewest_first = min(fewest_first, lacks)
                    elif index == 1:
                        fewest_second = min(fewest_second, lacks)
                    else:
                        fewest_third = min(fewest_third, lacks)
            out[at.set_lacking + 3 * step] = fewest_first
            out[at.set_lacking + 3 * step + 1] = fewest_second
            out[at.set_lacking + 3 * step + 2] = fewest_third
        return ready

    @kernel
    def encode_cards(s, me, out):
        """Write the flags of cards and symbols, from ``my_hand`` to ``apostle_symbols``."""
        in_air = s.pool | kind_bit(s.chosen_card)
        store_flags(out, at.my_hand, s.hand[me])
        store_flags(out, at.in_air, in_air)
        mine = s.hand[me] | (in_air if me == s.turn else 0)
        deck = unseen_starting(s, me, mine)
        store_flags(out, at.my_discards, s.discards[me] | deck << NUM_STARTING)
        display = flag_at(0, s.display[0] - FIRST_MAHANE)
        display |= flag_at(NUM_MAHANE, s.display[1] - FIRST_MAHANE)
        store_flags(out, at.display, display)
        mine, wanted = 0, 0
        for column in range(3):
            symbols, apostles = column_symbols(s, me, column), apostle_column(s, column)
            for place in range(3):
                here = (1 << ((symbols >> (4 * place)) & 7)) & 31
                mine |= here << (15 * column + 5 * place)
                wanted |= 1 << (15 * column + 5 * place + ((apostles >> (4 * place)) & 7))
        store_flags(out, at.my_symbols, mine)
        store_flags(out, at.apostle_symbols, wanted)

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
        for step in range(n):
            seat = seat_at(step, me)
            flags |= s.illumination[seat] << (at.illumination - at.judgments + step)
            flags |= s.blocked[seat] << (at.blocked - at.judgments + step)
        steps = 0
        for place in range(s.num_steps):
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
        """Write ``space_worth``."""
        for space in range(NUM_SPACES):
            out[at.space_worth + space] = WORTH_OFFSET
        beside_jesus = clipped(WORTH_OFFSET + s.jesus_points, CAP_WORTH)  # R18.4
        out[at.space_worth + _JESUS_FIRST] = beside_jesus
        out[at.space_worth + _JESUS_SECOND] = beside_jesus
        out[at.space_worth + _JESUS_THIRD] = beside_jesus
        out[at.space_worth + _JESUS_FOURTH] = beside_jesus
        for side in range(2):
            for index in range(6):
                colour = s.seats[6 * side + index]
                value = s.apostle_value[colour] if colour >= 0 else 0
                column = index if index < 3 else index + 2
                for distance in range(3):  # R14.3
                    row = 4 + distance if side == 1 else 2 - distance
                    worth = clipped(WORTH_OFFSET + nearer(value, distance), CAP_WORTH)
                    out[at.space_worth + 8 * row + column] = worth
                if index == 0 or index == 5:
                    corner = 24 + 4 * side + (3 if index == 5 else 0)
                    out[at.space_worth + corner] = clipped(WORTH_OFFSET + value, CAP_WORTH)

    @kernel
    def encode_seats(s, me, out):
        """Write the amounts of each seat, from ``denarii`` to ``column_points``."""
        masks = seat_masks(s)
        for step in range(n):
            seat = seat_at(step, me)
            out[at.denarii + step] = clipped(s.denarii[seat], CAP_DENARII)
            out[at.points + step] = clipped(s.points[seat], CAP_POINTS)
            out[at.score + step] = clipped(score_of(s, seat, masks), CAP_SCORE)
            used = s.camp[seat] + s.offerings[seat]
            for index in range(3):
                amount = s.resources[seat, index]
                used += amount
                out[at.resources + 3 * step + index] = clipped(amount, CAP_RESOURCES)
                out[at.areas + 3 * step + index] = clipped(s.areas[seat, index], CAP_AREAS)
                counted = clipped(s.hand_counts[seat, index], CAP_HAND)
                out[at.hand_counts + 3 * step + index] = counted
                size = s.column_size[seat, index]
                out[at.column_size + 3 * step + index] = clipped(size, CAP_COLUMN)
                points = 0
                for place in range(min(size, SEEN_IN_COLUMN)):
                    kind = s.columns[seat, index, place]
                    back = back_of(kind)
                    points += s.card_points[back]
                out[at.column_points + 3 * step + index] = clipped(points, CAP_COLUMN_POINTS)
            out[at.camp + step] = clipped(s.camp[seat], CAP_CAMP)
            out[at.offerings + step] = clipped(s.offerings[seat], CAP_OFFERINGS)
            squares = s.capacity if s.blocked[seat] == 1 else s.capacity_unblocked
            out[at.room + step] = clipped(ROOM_OFFSET + squares - used, CAP_ROOM)
            out[at.favors_done + step] = clipped(s.favors_done[seat], CAP_FAVORS_DONE)
            for location in range(5):
                held = clipped(s.symbols_held[seat, location], CAP_SYMBOLS_HELD)
                out[at.symbols_held + 5 * step + location] = held
            out[at.parables + step] = clipped(s.parables[seat], CAP_PARABLES)
            followers = count_bits(s.supper[seat])
            out[at.supper_followers + step] = clipped(followers, CAP_FOLLOWERS)
            out[at.deck_size + step] = clipped(s.deck_size[seat], CAP_DECK)
            out[at.discard_size + step] = clipped(count_bits(s.discards[seat]), CAP_DECK)

    @kernel
    def encode_board(s, out):
        """Write the amounts from ``apostles_left`` on."""
        for column in range(3):
            for colour in range(4):
                left = clipped(s.apostles[column, colour], CAP_APOSTLES)
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
        ready = encode_sets(s, me, out)  # its amounts lie beyond what a store of flags reaches
        flow = flag_at(0, s.phase) & _PHASES
        flow |= flag_at(at.to_act, from_me(s.to_act, me))
        flow |= flag_at(at.turn, from_me(s.turn, me))
        store_flags(out, 0, flow)
        encode_cards(s, me, out)
        encode_supper(s, me, ready, out)
        encode_flow(s, me, out)
        if recall:
            encode_memory(s, me, out)
        encode_worth(s, out)
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
