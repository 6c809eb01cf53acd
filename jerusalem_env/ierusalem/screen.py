"""What a seat may see: the one place where hidden information is filtered (VII.g, A51-A53).

``look`` makes a *view*: the state record turned so that the observer is seat 0, without the key,
the order of decks and piles, and the cards in others' hands. How many cards of each back a hand
holds stays (A52), and so does everything that lies open, the card of phase ``column`` and the pool
of ``arrange`` included.

With ``recall`` a view keeps what perfect memory of public play gives: the cards in hands that
everybody has seen taken (``known_hands``; others' ``hand`` masks are these), and the known bottoms
of both piles. Without it these fields are 0. ``redeal_view`` draws a full state from what a view
leaves open.
"""

from __future__ import annotations

from ..bits import count_bits, lowest_bit
from ..chance import shuffle, stream
from ..compiled.seats import turned
from ..copying import copy_record
from ..kernels import kernel
from .engine.layout import MAHANE, NO_SEAT, STARTING, XXXIII
from .engine.state import STATE
from .rules.codes import STEP_RECEIVE, STEP_SETTLE
from .rules.names import FIRST_MAHANE, FIRST_XXXIII, NUM_KINDS, NUM_MAHANE, NUM_XXXIII

VIEW = STATE  # the same record: whatever reads a state reads a view
REDEAL_SCRATCH = NUM_KINDS  # entries of the scratch that ``redeal_view`` takes

STARTING_KINDS = (1 << FIRST_MAHANE) - 1
MAHANE_KINDS = ((1 << NUM_MAHANE) - 1) << FIRST_MAHANE
XXXIII_KINDS = ((1 << NUM_XXXIII) - 1) << FIRST_XXXIII

_PURPOSE_REDEAL = 101
_PURPOSE_NEW_KEY = 102
DECK = 10  # cards of a colour


@kernel
def turned_step(step, by, players):
    """A pending step after the table has been turned: some name a seat (VII.e)."""
    if step >= STEP_RECEIVE:
        seat = (step - STEP_RECEIVE) % 4
        return step - seat + turned(seat, by, players)
    if step >= STEP_SETTLE and step < STEP_SETTLE + 4:
        return STEP_SETTLE + turned(step - STEP_SETTLE, by, players)
    return step


@kernel
def turn_table(s, by, t):
    """Write to ``t`` the game ``s`` with the seats renumbered: seat ``by`` becomes seat 0 (I16)."""
    copy_record(s, t)
    if by == 0:
        return
    n = s.players
    t.seat_shift = (s.seat_shift + by) % n
    t.to_act = turned(s.to_act, by, n)
    t.turn = turned(s.turn, by, n)
    t.start = turned(s.start, by, n)
    t.observer = turned(s.observer, by, n)
    t.fixed_first = turned(s.fixed_first, by, n)
    for place in range(s.num_steps):
        t.steps[place] = turned_step(s.steps[place], by, n)
    for seat in range(n):  # rows beyond the players stay blank, the neutral one stays
        old = seat + by if seat + by < n else seat + by - n
        t.hand[seat] = s.hand[old]
        t.known_hands[seat] = s.known_hands[old]
        t.discards[seat] = s.discards[old]
        t.shuffles[seat] = s.shuffles[old]
        t.deck_size[seat] = s.deck_size[old]
        for place in range(DECK):
            t.deck[seat, place] = s.deck[old, place]
        for column in range(3):
            size = s.column_size[old, column]
            for place in range(size):
                t.columns[seat, column, place] = s.columns[old, column, place]
            for place in range(size, s.column_size[seat, column]):  # what was copied above
                t.columns[seat, column, place] = -1
            t.column_size[seat, column] = size
            t.column_facts[seat, column] = s.column_facts[old, column]
        t.cards_laid[seat] = s.cards_laid[old]
        for index in range(3):
            t.hand_counts[seat, index] = s.hand_counts[old, index]
            t.resources[seat, index] = s.resources[old, index]
            t.areas[seat, index] = s.areas[old, index]
        t.denarii[seat] = s.denarii[old]
        t.points[seat] = s.points[old]
        t.camp[seat] = s.camp[old]
        t.offerings[seat] = s.offerings[old]
        t.blocked[seat] = s.blocked[old]
        t.illumination[seat] = s.illumination[old]
        t.favors[seat] = s.favors[old]
        t.favors_done[seat] = s.favors_done[old]
        for location in range(5):
            t.symbols_held[seat, location] = s.symbols_held[old, location]
        t.parables[seat] = s.parables[old]
        t.colours[seat] = s.colours[old]
        t.ranks[seat] = s.ranks[old]
        t.supper[seat] = s.supper[old]
        t.table_points[seat] = s.table_points[old]
        t.fixed_colours[seat] = s.fixed_colours[old]


@kernel
def look(s, seat, recall, v):
    """Write to ``v`` what the seat sees of the state ``s``."""
    turn_table(s, seat, v)
    v.key = 0
    v.seat_shift = 0
    v.observer = 0
    v.recall = 1 if recall else 0
    for other in range(4):
        for place in range(DECK):
            v.deck[other, place] = -1
    if not recall:
        v.mahane_tail = 0
        v.xxxiii_tail = 0
        for other in range(4):
            v.known_hands[other] = 0
    for other in range(1, v.players):
        v.hand[other] = v.known_hands[other]  # A52
    for place in range(v.mahane_size - v.mahane_tail):
        v.mahane[place] = -1
    for place in range(v.xxxiii_size - v.xxxiii_tail):
        v.xxxiii[place] = -1


# --- what follows by elimination ------------------------------------------------------------
@kernel
def kind_bit(kind):
    """Mask of one card kind; 0 for -1."""
    return (1 if kind >= 0 else 0) << max(kind, 0)


@kernel
def laid_out(s, seat):
    """Mask of the kinds on a seat's own columns, and of the pool if it is rearranging them."""
    return s.cards_laid[seat] | (s.pool if seat == s.turn else 0)


@kernel
def unseen_starting(s, seat, held):
    """Mask of a seat's starting cards that lie in none of the places given (I3).

    ``held`` is a mask of kinds known to be in its hand. For the whole hand this leaves the deck.
    """
    return s.starting_cards[s.colours[seat]] & ~(held | s.discards[seat] | laid_out(s, seat))


@kernel
def held_openly(v, seat):
    """Mask of the kinds that a view shows in a seat's hand: with the card of phase ``column``."""
    chosen = kind_bit(v.chosen_card) if seat == v.turn and seat > 0 else 0
    return v.hand[seat] | chosen  # I14: it is in the hand until its column is chosen


# --- redeal ---------------------------------------------------------------------------------
@kernel
def shuffled(kinds, cards, state):
    """(stream state, number): the kinds of a mask in random order, in ``cards``."""
    size = 0
    while kinds != 0:
        cards[size] = lowest_bit(kinds)
        kinds &= kinds - 1
        size += 1
    return shuffle(cards, size, state), size


@kernel
def redeal_common(v, back, unseen, pile, above, cards, state, t):
    """Deal the unseen cards of a back to the others' hands, the rest on top of a pile.

    ``above`` is how many cards of the pile are not known. Returns the stream's next state.
    """
    first = FIRST_MAHANE if back == MAHANE else FIRST_XXXIII
    of_back = MAHANE_KINDS if back == MAHANE else XXXIII_KINDS
    state, size = shuffled(unseen & of_back, cards, state)
    used = 0
    for seat in range(1, v.players):
        missing = v.hand_counts[seat, back] - count_bits(t.hand[seat] & of_back)
        while missing > 0 and used < size:
            t.hand[seat] |= 1 << cards[used]
            missing -= 1
            used += 1
    for place in range(above):
        pile[place] = cards[used + place] if used + place < size else first
    return state


@kernel
def redeal_view(v, key, scratch, t):
    """Write to ``t`` a full state (observer in seat 0) drawn from what the view leaves open.

    Uniform over what can be, for one ``key`` (uint64); chance to come is drawn afresh (VII.g).
    ``scratch`` is (REDEAL_SCRATCH,) int64.
    """
    turn_table(v, 0, t)
    t.observer = NO_SEAT
    t.recall = 0
    t.key = stream(key, _PURPOSE_NEW_KEY)
    state = stream(key, _PURPOSE_REDEAL)
    unseen = (MAHANE_KINDS | XXXIII_KINDS) & ~(kind_bit(v.display[0]) | kind_bit(v.display[1]))
    for seat in range(v.players):
        held = held_openly(v, seat)
        unseen &= ~(held | laid_out(v, seat))
        state, size = shuffled(unseen_starting(v, seat, held), scratch, state)
        used = 0
        if seat > 0:
            missing = v.hand_counts[seat, STARTING] - count_bits(held & STARTING_KINDS)
            while missing > 0 and used < size:
                held |= 1 << scratch[used]
                missing -= 1
                used += 1
        t.hand[seat] = held
        for place in range(DECK):
            inside = place < v.deck_size[seat] and used < size
            t.deck[seat, place] = scratch[used] if inside else -1
            used += 1 if inside else 0
    above_mahane = v.mahane_size - v.mahane_tail
    for place in range(above_mahane, v.mahane_size):
        unseen &= ~(1 << v.mahane[place])
    above_xxxiii = v.xxxiii_size - v.xxxiii_tail
    for place in range(above_xxxiii, v.xxxiii_size):
        unseen &= ~(1 << v.xxxiii[place])
    state = redeal_common(v, MAHANE, unseen, t.mahane, above_mahane, scratch, state, t)
    redeal_common(v, XXXIII, unseen, t.xxxiii, above_xxxiii, scratch, state, t)
