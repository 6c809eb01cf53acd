"""Calibration on made-up predictions; probes that ask what they say."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from agents.learned import PPOAgent
from jerusalem_env.errors import PositionError
from jerusalem_env.jerusalem.engine.layout import PHASE_DRAFT, PHASE_OPEN, PHASE_TURN
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.board import AREAS
from jerusalem_env.jerusalem.rules.cards import CARDS
from training.analysis import calibration, probes
from training.analysis.decisions import Decisions


def made_up(
    deals: int = 300, each: int = 20, seed: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(R,) right expectations, outcomes that scatter about them, deals."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(-0.5, 1.0, size=deals * each)
    returns = truth + rng.normal(0.0, 0.4, size=len(truth))
    return truth, returns, np.repeat(np.arange(deals), each)


def test_calibration__perfect_expectations_are_found_right() -> None:
    truth, returns, deals = made_up()
    found = calibration.calibration(truth, returns, deals, draws=100)
    variance = 1.5**2 / 12
    assert found.explained["value"] == pytest.approx(variance / (variance + 0.16), abs=0.03)
    assert found.bias["low"] <= 0.0 <= found.bias["high"]
    assert found.expected_error["value"] < 0.03
    assert found.error["value"] == pytest.approx(0.4 * np.sqrt(2 / np.pi), abs=0.02)
    bins = calibration.value_bins(truth, returns, returns > 0, deals)
    assert len(bins) == 10
    assert sum(one.decisions for one in bins) == len(truth)


def test_value_bins__intervals_hold_right_expectations_as_often_as_they_say() -> None:
    inside = []
    for seed in range(30):
        truth, returns, deals = made_up(seed=seed)
        for one in calibration.value_bins(truth, returns, returns > 0, deals):
            inside.append(one.returns["low"] <= one.value <= one.returns["high"])
    assert 0.92 <= np.mean(inside) <= 0.98


def test_calibration__bad_expectations_are_found_bad() -> None:
    truth, returns, deals = made_up()
    shifted = calibration.calibration(truth + 0.3, returns, deals, draws=100)
    assert shifted.bias["value"] == pytest.approx(0.3, abs=0.03)
    assert shifted.expected_error["low"] > 0.2
    backwards = calibration.calibration(0.5 - truth, returns, deals, draws=100)
    assert backwards.explained["high"] < 0.0
    steep = calibration.value_bins(3.0 * truth, returns, returns > 0, deals)
    assert steep[-1].value > steep[-1].returns["high"]
    assert steep[0].value < steep[0].returns["low"]


def test_value_bins__equal_values_share_a_bin() -> None:
    values = np.repeat([0.0, 1.0], 50)
    wins = values > 0
    bins = calibration.value_bins(values, values, wins, np.arange(100))
    assert [one.value for one in bins] == [0.0, 1.0]
    assert [one.wins["value"] for one in bins] == [0.0, 1.0]


def test_calibration__of_decisions(alone: Decisions) -> None:
    found = calibration.of_decisions(alone)
    error = alone.values - alone.returns
    assert found.error["value"] == pytest.approx(np.abs(error).mean())
    spread = np.mean((alone.returns - alone.returns.mean()) ** 2)
    assert found.explained["value"] == pytest.approx(1 - np.mean(error**2) / spread)
    value, returned = calibration.at_start(alone)
    assert value["rows"] == returned["rows"] == len(alone.finals)


# --- probes -------------------------------------------------------------------------------------
EDITS = {
    "silver": probes.more("silver", 3),
    "squires": probes.more("squires", 2),
    "prestige": probes.more("prestige", 1),
    "floors": probes.more("floors", 1),
    "board": probes.squire_on(AREAS[13]),
}


@pytest.mark.parametrize("key", EDITS)
@pytest.mark.parametrize("phase", [PHASE_OPEN, PHASE_TURN])
def test_edit__changes_what_it_says_and_stays_legal(
    key: str, phase: int, game: JerusalemGame, alone: Decisions
) -> None:
    base = probes.base_positions(alone, game, phase, 2, 5, 0)
    assert len(base.positions) == 3  # one of each game
    for position in base.positions:
        before = copy.deepcopy(position)
        changed = EDITS[key](position)
        assert changed is not None
        assert position == before  # the original is left alone
        assert {k for k in changed if changed[k] != position[k]} == {key}
        state = game.read_position(changed)
        assert game.write_position(state[0]) == changed
        masks = probes.legal_masks(game, state)
        assert masks.any()


def test_edits__that_are_impossible_give_none(game: JerusalemGame, alone: Decisions) -> None:
    position = probes.base_positions(alone, game, PHASE_OPEN, 1, 1, 0).positions[0]
    assert probes.more("floors", -1)(position) is None
    assert probes.squire_on(AREAS[0], -1)(position) is None
    assert probes.baron_gone()(position) is None  # no turn
    position["pile"] = []
    assert probes.card_in_hand(CARDS[0])(position) is None
    with pytest.raises(ValueError, match="key must be one of"):
        probes.more("winner", 1)


def test_card_in_hand__moves_a_card_from_the_pile(game: JerusalemGame, alone: Decisions) -> None:
    position = probes.base_positions(alone, game, PHASE_TURN, 1, 1, 0).positions[0]
    card = position["pile"][0]
    changed = probes.card_in_hand(card)(position)
    assert changed is not None
    assert {k for k in changed if changed[k] != position[k]} == {"pile", "hands"}
    assert len(changed["pile"]) == len(position["pile"]) - 1
    assert changed["hands"][position["to_act"]].count(card) == (
        position["hands"][position["to_act"]].count(card) + 1
    )
    game.read_position(changed)


def test_baron_gone__leaves_everything_else(game: JerusalemGame, alone: Decisions) -> None:
    position = probes.base_positions(alone, game, PHASE_TURN, 3, 1, 0).positions[0]
    changed = probes.baron_gone()(position)
    assert changed is not None
    assert {k for k in changed if changed[k] != position[k]} == {"turn"}
    masks = probes.legal_masks(game, game.read_position(changed))
    assert not masks[0, 163:179].any()  # no baron may be placed


def test_offices_exchanged__two_players_change_theirs(
    game: JerusalemGame, alone: Decisions
) -> None:
    position = probes.base_positions(alone, game, PHASE_DRAFT, 2, 1, 0).positions[0]
    for seat in range(4):
        for office in ("captain", "treasurer", "marshal", "admiral"):
            changed = probes.offices_exchanged(position, seat, office)
            assert changed is not None
            assert changed["offices"][seat] == office
            assert sorted(changed["offices"]) == sorted(position["offices"])
            assert changed["offices"][changed["to_act"]] == "captain"
            differing = {k for k in changed if changed[k] != position[k]}
            assert differing <= {"offices", "to_act"}
            game.read_position(changed)
    opening = probes.base_positions(alone, game, PHASE_OPEN, 2, 1, 0).positions[0]
    assert probes.offices_exchanged(opening, 0, "captain") is None


@pytest.mark.parametrize("players", [2, 3, 4])
def test_even_positions__are_legal_and_alike_for_all(players: int) -> None:
    game = JerusalemGame(players=players)
    for number in range(1, 6):
        base = probes.even_positions(game, number, 2, 8)
        for position in base.positions:
            state = game.read_position(position)
            assert int(state[0]["round"]) == number
            for key in probes.AMOUNTS:
                assert len(set(position[key])) == 1
            assert all(len(set(row)) == 1 for row in position["board"].values())


def test_effects__of_nothing_are_zero(
    game: JerusalemGame, agent: PPOAgent, alone: Decisions
) -> None:
    base = probes.base_positions(alone, game, PHASE_TURN, 4, 3, 0)
    nothing, impossible, richer = probes.effects(
        agent,
        game,
        base,
        [probes.more("floors", 0), probes.more("floors", -99), probes.more("floors", 2)],
    )
    assert nothing["value"] == pytest.approx(0.0, abs=1e-6)
    assert impossible["rows"] == 0
    assert richer["value"] > 0.0  # two floors more
    assert probes.expected(agent, game, base)["rows"] == len(base.positions)


def test_values_of__is_the_agents_own_judgement(
    game: JerusalemGame, agent: PPOAgent, alone: Decisions
) -> None:
    rows = np.flatnonzero((alone.phases == PHASE_TURN) & (alone.rounds == 5))[:4]
    positions = [game.write_position(alone.states[row]) for row in rows]
    values = probes.values_of(agent, game, [*positions, None])
    np.testing.assert_allclose(values[:-1], alone.values[rows], atol=1e-5)
    assert np.isnan(values[-1])
    over = game.write_position(alone.finals[0])
    with pytest.raises(PositionError, match="over"):
        probes.values_of(agent, game, [over])


def test_office_worth__sums_to_nothing_over_offices(
    game: JerusalemGame, agent: PPOAgent, alone: Decisions
) -> None:
    base = probes.base_positions(alone, game, PHASE_DRAFT, 5, 2, 0)
    rows = probes.office_worth(agent, game, base, alone.reward, np.random.default_rng(0))
    again = probes.office_worth(agent, game, base, alone.reward, np.random.default_rng(0))
    assert [row.office for row in rows] == ["captain", "treasurer", "marshal", "admiral"]
    for key in ("value", "returned", "won"):
        assert sum(getattr(row, key)["value"] for row in rows) == pytest.approx(0.0, abs=1e-6)
    assert rows == again
