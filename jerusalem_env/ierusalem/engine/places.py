"""The locations and the areas: market, temple, calling followers (R12, R13.6)."""

from __future__ import annotations

from ...bits import allow_block, lowest_bit
from ...kernels import kernel
from .cards import draw_bits, draw_mahane
from .flow import ask, go_on
from .layout import (
    BUY,
    DISPLACE,
    DRAW,
    FOLLOWER,
    FROM,
    PASS,
    PHASE_CALL,
    PHASE_MARKET,
    PHASE_TEMPLE,
    SELL,
    TRADED_BOUGHT,
    TRADED_NONE,
    TRADED_SOLD,
)


@kernel
def free_squares(s, area):
    """Squares of an area that nobody stands on (I2)."""
    taken = 0
    for seat in range(s.players):
        taken += s.areas[seat, area]
    return s.squares - taken


@kernel
def gain(s, seat, area):
    """As many of the area's resource as the player has followers there (R12.2)."""
    s.resources[seat, area] += s.areas[seat, area]


# --- the market (R12.1, A33) -----------------------------------------------------------------
@kernel
def market_bits(s):
    """What can be done at the market: bits 0..2 draw, 3..5 sell, 6..8 buy."""
    seat = s.turn
    bits = 0
    if s.traded == TRADED_NONE and s.denarii[seat] >= s.market_card_price:
        bits |= draw_bits(s)
    for resource in range(3):
        if s.traded != TRADED_BOUGHT and s.resources[seat, resource] > 0:
            bits |= 8 << resource
        dear = s.trade_price[resource] > s.denarii[seat]
        if not dear and (s.sold >> resource) & 1 == 0:
            bits |= 64 << resource
    return bits


@kernel
def visit_market(s):
    """Ask for a card or for trade, as long as anything can be done."""
    if market_bits(s) != 0:
        ask(s, PHASE_MARKET)
    else:
        leave_market(s)


@kernel
def leave_market(s):
    """The visit of the market is over."""
    s.traded = TRADED_NONE
    s.sold = 0
    go_on(s)


@kernel
def legal_market(s, words):
    """Draw, sell, buy or leave."""
    bits = market_bits(s)
    allow_block(words, PASS, 1)
    allow_block(words, DRAW, bits & 7)
    allow_block(words, SELL, (bits >> 3) & 7)
    allow_block(words, BUY, bits >> 6)


@kernel
def apply_market(s, action):
    """A card ends the market, a trade asks again."""
    seat = s.turn
    if action == PASS:
        leave_market(s)
    elif action < SELL:
        s.denarii[seat] -= s.market_card_price
        draw_mahane(s, seat, action - DRAW)
        leave_market(s)
    elif action < BUY:
        resource = action - SELL
        s.resources[seat, resource] -= 1
        s.denarii[seat] += s.trade_price[resource]
        s.traded = TRADED_SOLD
        s.sold |= 1 << resource
        visit_market(s)
    else:
        resource = action - BUY
        s.denarii[seat] -= s.trade_price[resource]
        s.resources[seat, resource] += 1
        s.traded = TRADED_BOUGHT
        visit_market(s)


# --- the temple (R12.3 to R12.5, A34, A35) ---------------------------------------------------
@kernel
def recruit_bits(s):
    """How to recruit: bit area for a free square, bit 3 * k + area to displace seat k clockwise."""
    seat = s.turn
    if s.camp[seat] <= 0:
        return 0
    bits = 0
    for area in range(3):
        if s.areas[seat, area] >= s.max_each:
            continue  # R12.5
        price = s.recruit_price[area]
        if free_squares(s, area) > 0:
            if s.denarii[seat] >= price:
                bits |= 1 << area
        elif s.denarii[seat] >= price + s.displace_extra:
            for k in range(1, s.players):
                if s.areas[(seat + k) % s.players, area] > 0:
                    bits |= 1 << (3 * k + area)
    return bits


@kernel
def visit_temple(s):
    """Ask whom to recruit, as long as that is possible."""
    if recruit_bits(s) != 0:
        ask(s, PHASE_TEMPLE)
    else:
        go_on(s)


@kernel
def legal_temple(s, words):
    """Recruit or stop."""
    bits = recruit_bits(s)
    allow_block(words, PASS, 1)
    allow_block(words, FOLLOWER, bits & 7)
    allow_block(words, DISPLACE, bits >> 3)


@kernel
def apply_temple(s, action):
    """A follower goes to an area and is paid for."""
    seat = s.turn
    if action == PASS:
        go_on(s)
        return
    if action < FROM:
        area = action - FOLLOWER
        s.denarii[seat] -= s.recruit_price[area]
    else:
        area = (action - DISPLACE) % 3
        other = (seat + 1 + (action - DISPLACE) // 3) % s.players
        s.denarii[seat] -= s.recruit_price[area] + s.displace_extra
        s.denarii[other] += s.recruit_price[area]  # A35
        s.areas[other, area] -= 1
        s.camp[other] += 1  # R9.4: even if the camp is full
    s.areas[seat, area] += 1
    s.camp[seat] -= 1
    visit_temple(s)


# --- calling a follower (R13.6, A38) ---------------------------------------------------------
@kernel
def call_bits(s, seat):
    """Areas to which a seat can call a follower from its camp: bit area."""
    if s.camp[seat] <= 0:
        return 0
    bits = 0
    for area in range(3):
        if s.areas[seat, area] < s.max_each and free_squares(s, area) > 0:
            bits |= 1 << area
    return bits


@kernel
def call(s, seat, must):
    """Ask a seat where to call a follower, if that is possible."""
    if call_bits(s, seat) != 0:
        s.phase = PHASE_CALL
        s.to_act = seat
        s.must = must
    else:
        go_on(s)


@kernel
def legal_call(s, words):
    """An area; declining only one's own calls."""
    allow_block(words, FOLLOWER, call_bits(s, s.to_act))
    if s.must == 0:
        allow_block(words, PASS, 1)


@kernel
def apply_call(s, action):
    """A follower goes to an area for free."""
    if action != PASS:
        s.areas[s.to_act, action - FOLLOWER] += 1
        s.camp[s.to_act] -= 1
    s.must = 0
    go_on(s)


# --- from where a follower goes to the Supper (R13.1, A36) -----------------------------------
@kernel
def fullest_areas(s, seat):
    """Areas where a seat has the most followers: bit area; 0 if it has none anywhere."""
    most = max(s.areas[seat, 0], max(s.areas[seat, 1], s.areas[seat, 2]))
    if most <= 0:
        return 0
    bits = 0
    for area in range(3):
        if s.areas[seat, area] == most:
            bits |= 1 << area
    return bits


@kernel
def first_area(bits):
    """The lowest area of a set."""
    return lowest_bit(bits)
