"""P13: what a redeal draws for the silver and supply of opponents that nobody has counted."""

from __future__ import annotations

import numpy as np
import pytest

from jerusalem_env import RuleSet
from jerusalem_env.chance import sample_legal
from jerusalem_env.jerusalem.engine import layout as L
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.compiled_play import dealt
from tests.pitfalls.equipment import PLAYERS

AUCTION = (L.PHASE_OPEN, L.PHASE_BID)
PHASE_1 = (*AUCTION, L.PHASE_DRAFT)
TURNS = range(L.PHASE_TURN, L.PHASE_TARGET + 1)


def silver_range(state: np.void, seat: int) -> tuple[int, int, bool]:
    """(least, most, certain) of what may be drawn for a seat's silver."""
    phase, acts = state["phase"], state["to_act"] == seat
    if state["round"] == 1 and phase in AUCTION and state["office"][seat] < 0:
        return 12, 12, True  # R1.8: nothing has been paid
    least = 0
    if phase == L.PHASE_BID and state["bidder"] == seat:
        least = int(state["bid"])  # R4.6
    elif phase == L.PHASE_MARKET and acts:
        least = 2  # R12.5
    elif phase == L.PHASE_SPECIAL_TAX and acts:
        least = 1  # R15.4
    elif phase == L.PHASE_INCOME:
        least = int(state["may_decline"][seat, L.RESOURCE_SILVER])  # R12.11
    return least, max(12 + 4 * (int(state["round"]) - 1), least), False


def supply_range(state: np.void, seat: int) -> tuple[int, int, bool]:
    """(least, most, certain) of what may be drawn for a seat's squires in supply."""
    phase, acts = state["phase"], state["to_act"] == seat
    waits = phase in PHASE_1
    if phase in TURNS:
        waits = bool(state["office"][seat] > state["office"][state["to_act"]])  # R3.4
    if state["round"] == 1 and waits:
        return 0, 0, True  # R1.8: squires come with a turn
    least = 0
    if phase == L.PHASE_PATRIARCHATE and acts:
        least = 1  # R12.4
    elif phase == L.PHASE_INCOME:
        least = int(state["may_decline"][seat, L.RESOURCE_SQUIRE])  # R12.11
    return least, max(18 if waits else 9, least), False


@pytest.mark.parametrize("players", PLAYERS)
def test_redeal__draws_amounts_that_can_be(players: int) -> None:
    """At every ply and for every seat; what is certain is so in the game itself too."""
    rules = RuleSet(players=players, decline_income=True)
    game = JerusalemGame(rules=rules, skip_forced=False)
    states, masks = dealt(game, 6, players)
    rng = np.random.default_rng(players)
    certain = {"silver": 0, "squires": 0}
    raised = {"silver": 0, "squires": 0}
    phases: set[int] = set()
    while not game.terminated(states).all():
        phases |= set(states["phase"].tolist())
        for seat in range(players):
            views = game.views(states, np.full(6, seat))
            drawn = game.redeal(np.repeat(views, 3), rng)
            for row, state in enumerate(states):
                if state["phase"] == L.PHASE_OVER:
                    continue
                for other in range(players):
                    step = (other - seat) % players
                    for name, allowed in (("silver", silver_range), ("squires", supply_range)):
                        amounts = drawn[name][3 * row : 3 * row + 3, step]
                        if other == seat:
                            assert (amounts == state[name][seat]).all()
                            continue
                        least, most, sure = allowed(state, other)
                        assert (amounts >= least).all(), (name, game.write_position(state))
                        assert (amounts <= most).all(), (name, game.write_position(state))
                        assert state[name][other] >= least
                        if sure:
                            assert state[name][other] == least == most
                            certain[name] += 1
                        raised[name] += least > 0 and not sure
        game.step(states, np.maximum(sample_legal(masks, rng), 0), masks)
    assert min(certain.values()) >= 30
    assert min(raised.values()) > 20
    unknown = {L.PHASE_PATRIARCHATE, L.PHASE_NOBILITY} if players == 2 else set()  # R2.7
    assert len(set(range(L.PHASE_OVER)) - unknown - phases) <= 2


@pytest.mark.parametrize(
    ("round_number", "phase", "silver", "supply"),
    [
        (1, L.PHASE_TURN, 12, 9),
        (3, L.PHASE_TURN, 20, 9),
        (5, L.PHASE_OPEN, 28, 18),
        (4, L.PHASE_WAR, 24, 9),
    ],
)
def test_redeal__draws_small_amounts_more_often(
    round_number: int, phase: int, silver: int, supply: int
) -> None:
    """The lesser of two even draws: a third of the most on average, every amount possible."""
    game = JerusalemGame(players=3)
    states, _ = dealt(game, 1, 0)
    states["round"], states["phase"], states["to_act"] = round_number, phase, 0
    if phase != L.PHASE_OPEN:
        states["office"][0, :3], states["seat_of_office"][0, 1:] = (3, 1, 2), (1, 2, 0)
    views = np.repeat(game.views(states, np.zeros(1, np.int64)), 20_000)
    drawn = game.redeal(views, np.random.default_rng(0))
    for name, most in (("silver", silver), ("squires", supply)):
        for seat in (1, 2):
            counts = np.bincount(drawn[name][:, seat], minlength=most + 1)
            assert len(counts) == most + 1
            # Of (most + 1)^2 pairs, 2 (most - x) + 1 have x as the lesser.
            expected = 20_000 * (2 * (most - np.arange(most + 1)) + 1) / (most + 1) ** 2
            assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()
            assert drawn[name][:, seat].mean() == pytest.approx(most / 3, rel=0.1)
        pair = np.corrcoef(drawn[name][:, 1], drawn[name][:, 2])[0, 1]
        assert abs(pair) < 0.04  # opponents' amounts are drawn apart
    mixed = np.corrcoef(drawn["silver"][:, 1], drawn["squires"][:, 1])[0, 1]
    assert abs(mixed) < 0.04


@pytest.mark.parametrize("players", PLAYERS)
def test_redeal__with_perfect_memory_knows_the_amounts(players: int) -> None:
    game = JerusalemGame(players, information="recall")
    states, masks = dealt(game, 20, 1)
    rng = np.random.default_rng(0)
    while not game.terminated(states).all():
        drawn = game.redeal(game.views(states, np.zeros(20, np.int64)), rng)
        for name in ("silver", "squires"):
            np.testing.assert_array_equal(drawn[name], states[name])
        game.step(states, np.maximum(sample_legal(masks, rng), 0), masks)
