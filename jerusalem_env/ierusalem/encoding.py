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
from ..bytewise import at_most, store_raised
from ..compiled.encoders import all_if_less
from ..copying import load_word, store_word
from ..features import Feature, size_of
from ..game import Information
from ..kernels import inlined_kernel, kernel
from ..lanes import any_lane, clip_lanes, lane, lanes, load_lanes
from .engine.derived import (
    FACTS_COUNTS,
    FACTS_FOLLOW,
    FACTS_POINTS,
    FACTS_SERVED,
    FLAGS_OF_COLUMN,
    FLAGS_OF_COUNTS,
    NO_COLUMN,
)
from .engine.layout import (
    NEUTRAL,
    PHASE_ARRANGE,
    PHASE_MARKET,
    PHASE_OVER,
)
from .engine.scoring import end_points
from .engine.state import ALL_SPACES
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
    far_of,
    lacks_of,
    reach,
    three_bytes,
)

LONGEST_ROW = max(size_of(state_features(RuleSet(players=n), "recall")) for n in (3, 4))

_PHASES = (1 << PHASE_OVER) - 1
_COMMON = (1 << (NUM_MAHANE + NUM_XXXIII)) - 1
_ACTIONS = (1 << len(ACTIONS)) - 1
_USUAL_STEPS = 4  # pending (VI.b: 3 seen): as many are read without a branch
_BYTES = 0x01010101  # the lowest bits of four bytes, which a product by this
_GATHER = 0x01020408  # puts side by side, from bit 24 on


@kernel
def clipped(amount, cap):
    """The amount, within 0..cap."""
    return min(max(amount, 0), cap)


@kernel
def flag_at(first, index):
    """A word with the flag ``first + index``; an index below 0 sets none."""
    return (1 if index >= 0 else 0) << (first + max(index, 0))


def _starts(table: tuple[Feature, ...]) -> Any:
    """Where each feature begins, by name; a named tuple of ints is a constant to the compiler."""
    at = {feature.name: feature.start for feature in table}
    names = [feature.name for feature in features(RuleSet(), "recall")]
    make: Any = namedtuple
    return make("Starts", names)(*(at.get(name, size_of(table)) for name in names))


@kernel
def goods_of(s, seat):
    """Resources of a seat, all kinds together."""
    return s.resources[seat, 0] + s.resources[seat, 1] + s.resources[seat, 2]


@kernel
def followers_of(s, seat):
    """Followers of a seat at the Supper."""
    return count_bits(s.supper[seat])


@kernel
def discards_of(s, seat):
    """Discarded starting cards of a seat."""
    return count_bits(s.discards[seat])


@inlined_kernel
def each(kernel_of_seat, s):
    """What a kernel (s, seat) says of four seats, as lanes."""
    return lanes(
        kernel_of_seat(s, 0), kernel_of_seat(s, 1), kernel_of_seat(s, 2), kernel_of_seat(s, 3)
    )


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
    def turned(word, me):
        """Bytes by seat from the observer on; what stands above those of the seats is not kept."""
        word &= (1 << (8 * n)) - 1
        return (word >> (8 * me)) | (word << (8 * (n - me)))

    @kernel
    def seat_bytes(array, me):
        """One byte for each seat, from the observer on; what stands above has no meaning."""
        return turned(load_word(array, 0), me)

    @kernel
    def store_seats(out, place, amounts, me):
        """Write a number 0..255 of each seat, from the observer on, of lanes by seat."""
        store_word(out, place, turned(any_lane(amounts << lanes(0, 8, 16, 24)), me))

    @kernel
    def encode_columns(s, me, out):
        """Write the flags ``symbols`` and ``apostle_symbols``."""
        for step in range(n):
            seat, flags = seat_at(step, me), 0
            for column in range(3):
                facts = s.column_facts[seat, column]
                flags |= (facts & FLAGS_OF_COLUMN) << (15 * column)
            store_flags(out, at.symbols + 45 * step, flags)
        store_flags(out, at.apostle_symbols, s.symbol_flags)

    @kernel
    def weigh_sets(s, me):
        """Flags of ``set_ready``, and the bytes of the amounts about sets: see ``encode_sets``."""
        in_air = s.chosen_card if me == s.turn else -1
        place_in_air = 4 * s.card_location[max(in_air, 0)]
        arranged = s.arrange_column if s.phase == PHASE_ARRANGE and me == s.turn else -1
        # The three own columns, and beside them the symbols held (NO_COLUMN).
        facts = load_lanes(s.column_facts[me]) & lanes(-1, -1, -1, 0)
        facts |= lanes(0, 0, 0, NO_COLUMN)
        places, bytes_apart = lanes(0, 1, 2, 3), lanes(0, 24, 0, 24)
        counts = ((facts >> FACTS_COUNTS) & FLAGS_OF_COUNTS) + counts_held(s, me)
        more = beyond(s.symbol_counts, counts)
        lacks = lacks_of(more, facts >> FACTS_SERVED)
        cards = ((facts & FLAGS_OF_COLUMN) + FLAGS_OF_COLUMN) >> 15  # 1 if there are any
        done = complete(lacks) & (0 - cards)  # R7.2: without a card no source
        points = clip_lanes(facts >> FACTS_POINTS, 0, CAP_COLUMN_POINTS)
        columns = 1 << max(arranged, 0) | all_if_less(arranged, 0)  # that a card may be laid on
        laid_on = 0 - ((columns >> places) & 1)
        reached = reach((facts >> FACTS_FOLLOW) & FLAGS_OF_COLUMN & laid_on, more, lacks)
        best = any_lane(reached)
        far = far_of(best | (best >> 20) | (best >> 40))
        lacking = three_bytes(lacks) << bytes_apart
        nearer = three_bytes(far_of(reached) >> place_in_air) & all_if_less(-1, in_air)
        air = nearer << bytes_apart
        return (
            any_lane(done << (places + (places << 1))),
            any_lane(points << (places << 3)),
            lane(lacking, 0) | lane(lacking, 1),
            lane(lacking, 2) | lane(lacking, 3),
            lane(air, 0) | lane(air, 1),
            lane(air, 2),
            far,
        )

    @kernel
    def encode_sets(out, points, lacking, last_lacking, air, last_air):
        """Write the amounts from ``my_column_points`` to ``air_progress``."""
        store_word(out, at.my_column_points, points)
        store_word(out, at.set_lacking, lacking)
        store_word(out, at.set_lacking + 6, last_lacking)
        store_word(out, at.air_progress, air)
        store_word(out, at.air_progress + 6, last_air)

    @kernel
    def encode_progress(s, me, far, out):
        """Write ``card_progress`` and ``display_progress``; ``far`` is 4 bits by location."""
        for place in range(at.card_progress, at.card_progress + NUM_KINDS):
            out[place] = 0
        cards = s.hand[me] | (s.pool if me == s.turn else 0)
        while cards != 0:
            card = lowest_bit(cards)
            cards &= cards - 1
            out[at.card_progress + card] = (far >> (4 * s.card_location[card])) & 7
        for slot in range(2):
            card = s.display[slot]
            near = (far >> (4 * s.card_location[max(card, 0)])) & 7
            out[at.display_progress + slot] = near & all_if_less(-1, card)

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
        store_flags(out, at.set_ready, ready | s.seat_flags << (at.table_seats - at.set_ready))
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
        passed = 0
        for place in range(6):
            passed += 1 if s.judgment_space[place] <= s.sanhedrin else 0
        flags = (s.judgment_flags & -s.judgments_on) >> (6 * passed)
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
    def store_threes(out, place, array, cap, me):
        """Write three bytes for each seat, none above ``cap``, from the observer on."""
        for step in range(n):
            word = load_word(array, 3 * seat_at(step, me))
            store_word(out, place + 3 * step, at_most(word, cap))

    @kernel
    def encode_seats(s, me, out):
        """Write the amounts of each seat, from ``denarii`` to ``column_size``.

        Not clipped is what the rules bound whatever the data says.
        """
        points = load_lanes(s.points)
        more = load_lanes(s.table_points) + each(end_points, s)
        if s.phase == PHASE_OVER:  # R18.1: then it has been added to the points
            more &= 0
        blocked = 0 - (load_lanes(s.blocked) & 1)
        squares = (blocked & s.capacity) | (~blocked & s.capacity_unblocked)
        free = squares - load_lanes(s.camp) - load_lanes(s.offerings) - each(goods_of, s)
        store_seats(out, at.denarii, clip_lanes(load_lanes(s.denarii), 0, CAP_DENARII), me)
        store_seats(out, at.points, clip_lanes(points, 0, CAP_POINTS), me)
        store_seats(out, at.score, clip_lanes(points + more, 0, CAP_SCORE), me)
        for step in range(n):
            seat = seat_at(step, me)
            goods = min(s.resources[seat, 0], CAP_RESOURCES)
            goods |= min(s.resources[seat, 1], CAP_RESOURCES) << 8
            goods |= min(s.resources[seat, 2], CAP_RESOURCES) << 16
            store_word(out, at.resources + 3 * step, goods)
        store_threes(out, at.areas, s.areas[0], CAP_AREAS, me)
        store_word(out, at.camp, seat_bytes(s.camp, me))
        store_word(out, at.offerings, at_most(seat_bytes(s.offerings, me), CAP_OFFERINGS))
        store_seats(out, at.room, clip_lanes(free + ROOM_OFFSET, 0, CAP_ROOM), me)
        store_word(out, at.favors_done, seat_bytes(s.favors_done, me))
        for step in range(n):
            held = load_word(s.symbols_held[0], 5 * seat_at(step, me))
            store_word(out, at.symbols_held + 5 * step, at_most(held, CAP_SYMBOLS_HELD))
        store_word(out, at.parables, seat_bytes(s.parables, me))
        store_seats(out, at.supper_followers, each(followers_of, s), me)
        store_threes(out, at.hand_counts, s.hand_counts[0], 255, me)
        store_word(out, at.deck_size, seat_bytes(s.deck_size, me))
        store_seats(out, at.discard_size, each(discards_of, s), me)
        store_threes(out, at.column_size, s.column_size[0], CAP_COLUMN, me)

    @kernel
    def encode_board(s, out):
        """Write the amounts from ``apostles_left`` on."""
        store_word(out, at.apostles_left, at_most(load_word(s.apostles[0], 0), CAP_APOSTLES))
        store_word(out, at.apostles_left + 4, at_most(load_word(s.apostles[1], 0), CAP_APOSTLES))
        store_word(out, at.apostles_left + 8, at_most(load_word(s.apostles[2], 0), CAP_APOSTLES))
        workers, ahead = 0, 0
        for seat in range(n):
            workers += load_word(s.areas[0], 3 * seat) & 0xFFFFFF
        for place in range(5, -1, -1):
            spaces = s.judgment_space[place] - s.sanhedrin
            ahead = spaces if spaces > 0 else ahead
        # The end of the row: not a byte more may be written.
        last = clipped(s.squares - (workers & 255), CAP_SQUARES)
        last |= clipped(s.squares - ((workers >> 8) & 255), CAP_SQUARES) << 8
        last |= clipped(s.squares - (workers >> 16), CAP_SQUARES) << 16
        last |= (s.mahane_size & 255) << 24 | (s.xxxiii_size & 255) << 32
        last |= clipped(s.sanhedrin, CAP_SANHEDRIN) << 40
        last |= clipped(ahead * s.judgments_on, CAP_NEXT_JUDGMENT) << 48
        last |= clipped(s.last_space - s.sanhedrin, CAP_SANHEDRIN) << 56
        store_word(out, at.squares_left, last)
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
        encode_columns(s, me, out)
        ready, points, lacking, last_lacking, air, last_air, far = weigh_sets(s, me)
        encode_supper(s, me, ready, out)
        encode_flow(s, me, out)
        if recall:
            encode_memory(s, me, out)
        store_raised(out, at.space_worth, s.space_worth, WORTH_OFFSET, CAP_WORTH)
        encode_seats(s, me, out)
        encode_sets(out, points, lacking, last_lacking, air, last_air)
        encode_progress(s, me, far, out)
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
