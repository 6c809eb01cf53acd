"""Cards: hands, decks, discard piles, the two common piles and the display (R6.4, R9, R10)."""

from __future__ import annotations

from ...bits import count_bits, lowest_bit
from ...chance import keyed_stream, shuffle
from ...kernels import kernel
from ..rules.names import FIRST_MAHANE, FIRST_XXXIII
from .layout import DRAW_DECK, MAHANE, STARTING, XXXIII

PURPOSE_DECK = 8  # + seat (VII.f)


@kernel
def back_of(card):
    """The back of a card kind: starting, Mahane or XXXIII (A52)."""
    return STARTING if card < FIRST_MAHANE else MAHANE if card < FIRST_XXXIII else XXXIII


@kernel
def take_into_hand(s, seat, card, public):
    """A card comes into a hand; ``public`` if everybody has seen which."""
    s.hand[seat] |= 1 << card
    s.hand_counts[seat, back_of(card)] += 1
    if public:
        s.known_hands[seat] |= 1 << card


@kernel
def take_out_of_hand(s, seat, card):
    """A card leaves a hand, shown to all (A53)."""
    s.hand[seat] &= ~(1 << card)
    s.known_hands[seat] &= ~(1 << card)
    s.hand_counts[seat, back_of(card)] -= 1


@kernel
def draw_from_mahane_pile(s):
    """The top card of the Mahane pile; (card, whether everybody knows it). It must have one."""
    public = s.mahane_tail >= s.mahane_size
    card = s.mahane[0]
    last = s.mahane_size - 1
    for place in range(last):
        s.mahane[place] = s.mahane[place + 1]
    s.mahane[last] = -1
    s.mahane_size = last
    if public:
        s.mahane_tail = last
    return card, public


@kernel
def draw_from_xxxiii_pile(s):
    """The top card of the XXXIII pile; (card, whether everybody knows it). It must have one."""
    public = s.xxxiii_tail >= s.xxxiii_size
    card = s.xxxiii[0]
    last = s.xxxiii_size - 1
    for place in range(last):
        s.xxxiii[place] = s.xxxiii[place + 1]
    s.xxxiii[last] = -1
    s.xxxiii_size = last
    if public:
        s.xxxiii_tail = last
    return card, public


@kernel
def draw_bits(s):
    """Where a Mahane card can be drawn: bit 0 left, 1 right, 2 the pile (R10.1, A23)."""
    bits = 0
    if s.display[0] >= 0:
        bits |= 1
    if s.display[1] >= 0:
        bits |= 2
    if s.mahane_size > 0:
        bits |= 4
    return bits


@kernel
def draw_mahane(s, seat, source):
    """A Mahane card into the hand; a taken display card is replaced at once (R10.1)."""
    if source == DRAW_DECK:
        card, public = draw_from_mahane_pile(s)
        take_into_hand(s, seat, card, public)
    else:
        take_into_hand(s, seat, s.display[source], True)
        s.display[source] = -1
        if s.mahane_size > 0:
            card, public = draw_from_mahane_pile(s)
            s.display[source] = card  # A23: else it stays empty


@kernel
def draw_xxxiii(s, seat):
    """The top XXXIII card into the hand, if there is one (R10.2, A23)."""
    if s.xxxiii_size > 0:
        card, public = draw_from_xxxiii_pile(s)
        take_into_hand(s, seat, card, public)


@kernel
def discard(s, seat, card):
    """A card goes where discarded cards go, always (R6.4)."""
    if card < FIRST_MAHANE:
        s.discards[seat] |= 1 << card
    elif card < FIRST_XXXIII:
        if s.display[0] < 0:
            s.display[0] = card  # A23: an empty slot is filled at once, the left one first
        elif s.display[1] < 0:
            s.display[1] = card
        else:
            s.mahane[s.mahane_size] = card
            s.mahane_size += 1
            s.mahane_tail += 1
    else:
        s.xxxiii[s.xxxiii_size] = card
        s.xxxiii_size += 1
        s.xxxiii_tail += 1


@kernel
def discard_set(s, seat, cards):
    """A set of cards (mask) is discarded, in the order of their kinds (A24)."""
    while cards != 0:
        card = lowest_bit(cards)
        cards &= cards - 1
        discard(s, seat, card)


@kernel
def fill_deck(s, seat, cards, counter):
    """A seat's deck is a set of starting cards (mask), shuffled (VII.f).

    The stream is that of the seat at set-up, so turning the table turns nothing in what is dealt.
    """
    size = 0
    while cards != 0:
        s.deck[seat, size] = lowest_bit(cards)
        cards &= cards - 1
        size += 1
    s.deck_size[seat] = size
    at_setup = (seat + s.seat_shift) % s.players
    shuffle(s.deck[seat], size, keyed_stream(s.key, PURPOSE_DECK + at_setup, counter))


@kernel
def draw_up(s, seat):
    """Draw from the own deck up to the hand limit, reshuffling when it is empty (R5.6, R9.2)."""
    while count_bits(s.hand[seat]) < s.hand_limit:
        if s.deck_size[seat] == 0:
            if s.discards[seat] == 0:
                return  # A26
            s.shuffles[seat] += 1
            fill_deck(s, seat, s.discards[seat], s.shuffles[seat])
            s.discards[seat] = 0
        last = s.deck_size[seat] - 1
        card = s.deck[seat, 0]
        for place in range(last):
            s.deck[seat, place] = s.deck[seat, place + 1]
        s.deck[seat, last] = -1
        s.deck_size[seat] = last
        take_into_hand(s, seat, card, False)
