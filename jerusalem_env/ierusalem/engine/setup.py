"""Set-up: everything that is dealt from the key of a game (R2, R3, R4, VII.f)."""

from __future__ import annotations

from ...bits import lowest_bit
from ...chance import game_key, keyed_stream, shuffle
from ...kernels import kernel
from ..rules.codes import STEP_SETTLE
from ..rules.names import FIRST_MAHANE, FIRST_XXXIII, NUM_MAHANE, NUM_XXXIII
from .cards import fill_deck
from .derived import derive
from .flow import push
from .layout import MAX_STEPS, NEUTRAL, NO_SEAT, PHASE_NONE, STAGE_SETTLE, TRADED_NONE
from .state import CORNER_SPACES

(
    PURPOSE_COLOURS,
    PURPOSE_START,
    PURPOSE_SYMBOLS,
    PURPOSE_JUDGMENTS,
    PURPOSE_MAHANE,
    PURPOSE_XXXIII,
    PURPOSE_CORNERS,
) = range(7)
_SYMBOL_TILES = 15
_ALL_FAVORS = 255


@kernel
def clear(s):
    """Every field but the rule set and the watchdog's limit as before a game."""
    s.seat_shift = 0
    s.decisions = 0
    s.turns = 0
    s.turn = NO_SEAT
    s.num_steps = 0
    for place in range(MAX_STEPS):
        s.steps[place] = 0
    s.chosen_card = -1
    s.traded = TRADED_NONE
    s.sold = 0
    s.free = 0
    s.chosen_space = -1
    s.must = 0
    s.chosen_marker = -1
    s.lifted = -1
    s.arrange_column = 0
    s.chosen_colour = -1
    s.visit_source = -1
    s.visit_column = -1
    s.pool = 0
    s.sanhedrin = 0
    s.judgments_on = 1
    s.mahane_tail = 0
    s.xxxiii_tail = 0
    s.observer = NO_SEAT
    s.recall = 0
    for place in range(12):
        s.seats[place] = -1
    for seat in range(4):
        s.hand[seat] = 0
        s.known_hands[seat] = 0
        s.discards[seat] = 0
        s.deck_size[seat] = 0
        s.shuffles[seat] = 0
        s.denarii[seat] = 0
        s.points[seat] = 0
        s.camp[seat] = 0
        s.offerings[seat] = 0
        s.blocked[seat] = 0
        s.illumination[seat] = 0
        s.favors[seat] = 0
        s.favors_done[seat] = 0
        s.parables[seat] = 0
        s.colours[seat] = -1
        s.ranks[seat] = 0
        s.supper[seat] = 0
        for index in range(3):
            s.hand_counts[seat, index] = 0
            s.resources[seat, index] = 0
            s.areas[seat, index] = 0
            s.column_size[seat, index] = 0
            for place in range(40):
                s.columns[seat, index, place] = -1
        for place in range(10):
            s.deck[seat, place] = -1
        for symbol in range(5):
            s.symbols_held[seat, symbol] = 0


@kernel
def deal_board(s):
    """Apostles, symbols, judgments, common cards (R2.1 to R2.6)."""
    for column in range(3):
        for colour in range(4):
            s.apostles[column, colour] = s.apostle_supply[column, colour]
    tiles = s.columns[0, 0]  # scratch; emptied below
    for tile in range(_SYMBOL_TILES):
        tiles[tile] = tile // 3
    shuffle(tiles, _SYMBOL_TILES, keyed_stream(s.key, PURPOSE_SYMBOLS, 0))
    for column in range(3):
        for place in range(3):
            fixed = s.fixed_symbols[column, place]
            s.symbols[column, place] = tiles[3 * column + place] if fixed < 0 else fixed  # A3
    for tile in range(_SYMBOL_TILES):
        tiles[tile] = -1

    for place in range(6):
        s.judgments[place] = place
    shuffle(s.judgments, 6, keyed_stream(s.key, PURPOSE_JUDGMENTS, 0))

    for place in range(NUM_MAHANE):
        s.mahane[place] = FIRST_MAHANE + place
    shuffle(s.mahane, NUM_MAHANE, keyed_stream(s.key, PURPOSE_MAHANE, 0))
    s.display[0] = s.mahane[0]
    s.display[1] = s.mahane[1]
    for place in range(NUM_MAHANE):
        s.mahane[place] = s.mahane[place + 2] if place < NUM_MAHANE - 2 else -1
    s.mahane_size = NUM_MAHANE - 2

    for place in range(NUM_XXXIII):
        s.xxxiii[place] = FIRST_XXXIII + place
    shuffle(s.xxxiii, NUM_XXXIII, keyed_stream(s.key, PURPOSE_XXXIII, 0))
    s.xxxiii_size = NUM_XXXIII


@kernel
def deal_seats(s):
    """Colours, start player, goods, followers, decks (R2.7, R3, A2)."""
    n = s.players
    order = s.columns[0, 0]  # scratch; emptied below
    for colour in range(4):
        order[colour] = colour
    shuffle(order, 4, keyed_stream(s.key, PURPOSE_COLOURS, 0))
    for seat in range(n):
        s.colours[seat] = order[seat] if s.fixed_colours[seat] < 0 else s.fixed_colours[seat]
    for seat in range(n):
        order[seat] = seat
    shuffle(order, n, keyed_stream(s.key, PURPOSE_START, 0))
    s.start = order[0] if s.fixed_first < 0 else s.fixed_first

    s.supper[NEUTRAL] = s.neutral  # R4.1
    corners = CORNER_SPACES & ~s.neutral
    free = 0
    while corners != 0:
        order[free] = lowest_bit(corners)
        corners &= corners - 1
        free += 1
    shuffle(order, free, keyed_stream(s.key, PURPOSE_CORNERS, 0))
    for seat in range(n):
        s.supper[seat] = 1 << order[seat]  # R3.3
    for place in range(4):
        order[place] = -1

    for seat in range(n):
        place = (seat - s.start + n) % n
        s.denarii[seat] = s.setup_denarii[place]  # R3.2
        s.points[seat] = s.setup_points[place]
        s.camp[seat] = s.setup_camp
        s.offerings[seat] = s.setup_offerings
        s.blocked[seat] = 1
        s.illumination[seat] = 1
        s.favors[seat] = _ALL_FAVORS
        for index in range(3):
            s.resources[seat, index] = s.setup_resources[index]  # R3.1
            s.areas[seat, index] = s.setup_each  # R3.4
        fill_deck(s, seat, s.starting_cards[s.colours[seat]], 0)  # R3.6


@kernel
def deal(s, seed):
    """A new game from its seed; then the seats settle in turn order (R3.4, A4)."""
    clear(s)
    s.key = game_key(seed)
    deal_board(s)
    deal_seats(s)
    derive(s)
    for k in range(s.players - 1, -1, -1):
        push(s, STEP_SETTLE + (s.start + k) % s.players)
    s.stage = STAGE_SETTLE
    s.phase = PHASE_NONE
    s.to_act = NO_SEAT
