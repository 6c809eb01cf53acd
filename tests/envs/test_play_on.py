"""``Game.play_on`` against a plain loop in Python: threads, stops, logs, policies, errors."""

from __future__ import annotations

import numpy as np
import pytest

from agents.greedy import GreedyAgent
from agents.scripted.choices import choose
from jerusalem_env import RuleSet
from jerusalem_env.bits import new_words, pack
from jerusalem_env.chance import sample_legal
from jerusalem_env.jerusalem.engine.layout import NUM_ACTIONS
from jerusalem_env.jerusalem.engine.state import WATCHDOG
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.kernels import entry_kernel
from jerusalem_env.policies import UNIFORM, ActionLog, decision_key, new_log
from tests.compiled_play import (
    BY_EYE,
    INDEX,
    PLANS,
    POLICIES,
    dealt,
    pick,
    play_out,
    seats_of,
)
from tests.pitfalls.equipment import fields_of

pytestmark = pytest.mark.slow  # all plans in one kernel, to compile

PLAYERS = (2, 3, 4)
LEGAL = [index for index, policy in enumerate(POLICIES) if policy.name != "cheat"]
PLANS_STACKED = np.concatenate([POLICIES[INDEX[name]].parameters for name in PLANS])
GREEDY, GREEDY_PARAMETERS = GreedyAgent().compiled.choose, GreedyAgent().compiled.parameters
DRAWN = UNIFORM.choose
NOTHING = np.zeros(0)
TABLES = np.zeros((len(POLICIES), 18), np.int64)
for _index, _policy in enumerate(POLICIES):
    if _policy.choose is pick:
        TABLES[_index] = _policy.parameters


# --- the plain loop ------------------------------------------------------------------------------
@entry_kernel
def ask(views, masks, words, seeds, decisions, policies, names, plans, greedy, nothing, tables):  # type: ignore[no-untyped-def]
    """Write over ``policies`` the action that each chooses; ``names`` are places in POLICIES."""
    for row in range(views.shape[0]):
        view, mask, policy = views[row], masks[row], policies[row]
        key = decision_key(seeds[row], decisions[row])
        pack(mask, words)
        if policy < plans.shape[0]:
            policies[row] = choose(view, mask, words, key, plans[policy : policy + 1])
        elif policy == names[0]:
            policies[row] = GREEDY(view, mask, words, key, greedy)
        elif policy == names[1]:
            policies[row] = DRAWN(view, mask, words, key, nothing)
        else:
            policies[row] = pick(view, mask, words, key, tables[policy])


def plain_play(
    game: JerusalemGame, states: np.ndarray, seeds: np.ndarray, policy_of: np.ndarray
) -> list[list[int]]:
    """What ``play_on`` promises, decision by decision in Python; the actions of each game."""
    taken: list[list[int]] = [[] for _ in states]
    words = new_words(1, NUM_ACTIONS)[0]
    names = np.array([INDEX["greedy"], INDEX["random"]])
    while True:
        over = game.terminated(states) | game.truncated(states)
        deciding = policy_of[np.arange(len(states)), game.to_act(states)]
        rows = np.flatnonzero(~over & (deciding >= 0))
        if not len(rows):
            return taken
        now = states[rows]
        masks = np.zeros((len(rows), NUM_ACTIONS), np.uint8)
        game.legal(now, masks)
        actions = deciding[rows]
        ask(
            game.views(now),
            masks,
            words,
            seeds[rows],
            now["decisions"].astype(np.int64),
            actions,
            names,
            PLANS_STACKED,
            GREEDY_PARAMETERS,
            NOTHING,
            TABLES,
        )
        assert game.step(now, actions, masks) == -1
        states[rows] = now
        for row, action in zip(rows, actions, strict=True):
            taken[row].append(int(action))


def mixed_seats(games: int, players: int, seed: int, outsiders: int = 0) -> np.ndarray:
    """(games, n) legal policies drawn at random; so many seats of each game are -1."""
    rng = np.random.default_rng(seed)
    policy_of = rng.choice(LEGAL, (games, players))
    for row in policy_of:
        row[rng.choice(players, outsiders, replace=False)] = -1
    return policy_of


def seeds_for(games: int, seed: int = 0) -> np.ndarray:
    """(games,) seeds of the policies' own chance."""
    return np.random.default_rng(seed).integers(0, 2**64, games, dtype=np.uint64)


def middle(game: JerusalemGame, games: int, seed: int) -> np.ndarray:
    """Games at all stages: each after its own number of random decisions, some of them over."""
    states, masks = dealt(game, games, seed)
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 400, games)
    for ply in range(400):
        rows = np.flatnonzero(lengths > ply)
        now, now_masks = states[rows], masks[rows]
        game.step(now, np.maximum(sample_legal(now_masks, rng), 0), now_masks)
        states[rows], masks[rows] = now, now_masks
    return states


# --- the same games as the plain loop ------------------------------------------------------------
@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize("players", PLAYERS)
def test_play_on__is_the_plain_loop(players: int, skip_forced: bool) -> None:
    """Byte for byte, all policies mixed, and every action is in the log."""
    game = JerusalemGame(
        rules=RuleSet(players=players, decline_income=True), skip_forced=skip_forced
    )
    states, _ = dealt(game, 40, 1)
    plain = states.copy()
    policy_of, seeds = mixed_seats(40, players, 1), seeds_for(40)
    log = new_log(40, 2000)
    assert game.play_on(states, seeds, policy_of, POLICIES, log=log) == -1
    taken = plain_play(game, plain, seeds, policy_of)
    assert game.terminated(states).all()
    assert fields_of(states) == fields_of(plain)
    for row, actions in enumerate(taken):
        assert log.actions[row, : log.sizes[row]].tolist() == actions


@pytest.mark.parametrize("outsiders", [1, 2, 3])
def test_play_on__stops_at_the_decisions_of_other_seats(outsiders: int) -> None:
    """Exactly there, in every game, until the games are over."""
    game = JerusalemGame(rules=RuleSet(players=4, rounds=2))
    states, _ = dealt(game, 30, 2)
    plain = states.copy()
    policy_of, seeds = mixed_seats(30, 4, 2, outsiders), seeds_for(30, 2)
    rng = np.random.default_rng(2)
    rows, stops = np.arange(30), 0
    masks = np.zeros((30, NUM_ACTIONS), np.uint8)
    while not game.terminated(states).all():
        assert game.play_on(states, seeds, policy_of, POLICIES) == -1
        plain_play(game, plain, seeds, policy_of)
        assert fields_of(states) == fields_of(plain)
        going = ~game.terminated(states)
        assert (policy_of[rows, game.to_act(states)][going] == -1).all()
        stops += int(going.sum())
        game.legal(states, masks)
        actions = np.maximum(sample_legal(masks, rng), 0)
        assert game.step(states, actions, masks.copy()) == -1
        assert game.step(plain, actions, masks.copy()) == -1
    assert stops > 30 * 10 * outsiders


def test_play_on__leaves_games_alone_that_wait_for_others_or_are_over() -> None:
    game = JerusalemGame(players=3)
    states = middle(game, 60, 3)
    over = game.terminated(states)
    assert 5 < over.sum() < 55
    before, log = states.copy(), new_log(60, 10)
    nobody = np.full((60, 3), -1)
    assert game.play_on(states, seeds_for(60), nobody, POLICIES, log=log) == -1
    assert fields_of(states) == fields_of(before)
    assert (log.sizes == 0).all()
    everybody = mixed_seats(60, 3, 3)
    assert game.play_on(states, seeds_for(60), everybody, POLICIES, log=log) == -1
    assert fields_of(states[over]) == fields_of(before[over])
    assert (log.sizes[over] == 0).all()
    assert (log.sizes[~over] > 0).all()
    assert game.play_on(states[:0], seeds_for(0), everybody[:0], POLICIES) == -1
    assert game.play_on(states, seeds_for(60), nobody, ()) == -1


@pytest.mark.parametrize("players", PLAYERS)
def test_play_on__goes_on_from_any_decision(players: int) -> None:
    game = JerusalemGame(rules=RuleSet(players=players, decline_income=True), skip_forced=False)
    states = middle(game, 120, players)
    plain = states.copy()
    assert len(set(states["phase"].tolist())) > 6
    policy_of, seeds = mixed_seats(120, players, 4), seeds_for(120, 4)
    assert game.play_on(states, seeds, policy_of, POLICIES) == -1
    plain_play(game, plain, seeds, policy_of)
    assert game.terminated(states).all()
    assert fields_of(states) == fields_of(plain)


# --- independence --------------------------------------------------------------------------------
def test_play_on__is_the_same_on_any_threads_and_in_any_batch() -> None:
    """P18: threads, the split into calls, the order of the games and of the policies."""
    game = JerusalemGame(players=4)
    policy_of, seeds = mixed_seats(50, 4, 5), seeds_for(50, 5)
    first, _ = dealt(game, 50, 5)
    one = first.copy()
    log = new_log(50, 1000)
    assert game.play_on(one, seeds, policy_of, POLICIES, log=log) == -1
    for threads in (2, 3, 64):
        states, own_log = first.copy(), new_log(50, 1000)
        assert game.play_on(states, seeds, policy_of, POLICIES, threads, own_log) == -1
        assert fields_of(states) == fields_of(one)
        np.testing.assert_array_equal(own_log.actions, log.actions)
        np.testing.assert_array_equal(own_log.sizes, log.sizes)
    for cut in (1, 7, 49):
        states = first.copy()
        for part in (slice(0, cut), slice(cut, 50)):
            own = states[part]
            assert game.play_on(own, seeds[part], policy_of[part], POLICIES, 2) == -1
        assert fields_of(states) == fields_of(one)
    order = np.random.default_rng(0).permutation(50)
    states = first[order]
    assert game.play_on(states, seeds[order], policy_of[order], POLICIES) == -1
    assert fields_of(states) == fields_of(one[order])
    states, turned = first.copy(), POLICIES[::-1]
    assert game.play_on(states, seeds, len(POLICIES) - 1 - policy_of, turned) == -1
    assert fields_of(states) == fields_of(one)


def test_play_on__can_be_cut_anywhere() -> None:
    """Stopping after any decision and going on changes nothing; the log is added to."""
    game = JerusalemGame(players=3)
    whole, _ = dealt(game, 20, 6)
    states = whole.copy()
    policy_of, seeds = mixed_seats(20, 3, 6), seeds_for(20, 6)
    log, parts = new_log(20, 1000), new_log(20, 1000)
    assert game.play_on(whole, seeds, policy_of, POLICIES, log=log) == -1
    steps = 0
    while not game.terminated(states).all():
        states["decision_limit"] = states["decisions"] + 1 + steps % 3
        steps += 1
        assert game.play_on(states, seeds, policy_of, POLICIES, log=parts) == -1
    states["decision_limit"] = WATCHDOG
    assert fields_of(states) == fields_of(whole)
    assert steps > 30
    for row in range(20):  # forced decisions at a cut are asked, and so logged
        assert set(log.actions[row, : log.sizes[row]]) <= set(parts.actions[row].tolist())
    assert (parts.sizes >= log.sizes).all()


# --- the log -------------------------------------------------------------------------------------
@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize("players", PLAYERS)
def test_log__replays_to_the_same_end(players: int, skip_forced: bool) -> None:
    game = JerusalemGame(players, skip_forced=skip_forced)
    log = new_log(30, 2000)
    ends = play_out(game, mixed_seats(30, players, 7), seed=7, log=log)
    states, masks = dealt(game, 30, 7)
    assert (log.sizes <= 2000).all()
    for ply in range(int(log.sizes.max())):
        rows = np.flatnonzero(log.sizes > ply)
        assert not game.terminated(states[rows]).any()
        now, now_masks = states[rows], masks[rows]
        actions = log.actions[rows, ply].astype(np.int64)
        assert game.step(now, actions, now_masks) == -1
        states[rows], masks[rows] = now, now_masks
    assert fields_of(states) == fields_of(ends)
    assert (log.sizes == ends["decisions"]).all() != skip_forced  # forced ones are left out


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("length", [0, 1, 5])
def test_log__keeps_the_first_actions_and_writes_nowhere_else(length: int, threads: int) -> None:
    game = JerusalemGame(players=3)
    policy_of = mixed_seats(20, 3, 8)
    full = new_log(20, 2000)
    ends = play_out(game, policy_of, seed=8, log=full)
    room = np.full(20 * length + 100, -7, np.int16)  # what lies behind the log is watched too
    log = ActionLog(room[: 20 * length].reshape(20, length), np.zeros(20, np.int64))
    again = play_out(game, policy_of, seed=8, threads=threads, log=log)
    assert fields_of(again) == fields_of(ends)
    np.testing.assert_array_equal(log.actions, full.actions[:, :length])
    assert (log.sizes == length).all()
    assert (room[20 * length :] == -7).all()
    play_out(game, policy_of, seed=9, log=log)  # a full log stays as it is
    np.testing.assert_array_equal(log.actions, full.actions[:, :length])
    assert (log.sizes == length).all()


# --- policies ------------------------------------------------------------------------------------
def test_policies__with_one_kernel_use_their_own_parameters() -> None:
    """Beside scripted ones: the lowest legal action, and the highest, in every decision."""
    game = JerusalemGame(rules=RuleSet(players=4, rounds=2))
    names = ("first", "expert", "last", "builder")
    policy_of = seats_of(game, 40, *names)
    log = new_log(40, 2000)
    play_out(game, policy_of, seed=10, log=log)
    states, masks = dealt(game, 40, 10)
    seen = dict.fromkeys(names, 0)
    for row in range(40):
        now, mask = states[row : row + 1], masks[row : row + 1]
        for action in log.actions[row, : log.sizes[row]]:
            name = POLICIES[policy_of[row, game.to_act(now)[0]]].name
            legal = np.flatnonzero(mask[0])
            if name in ("first", "last"):
                assert action == legal[0 if name == "first" else -1]
            seen[name] += 1
            assert game.step(now, np.array([action], np.int64), mask) == -1
    assert min(seen.values()) > 100


def test_policies__see_views() -> None:
    """P13: a policy that acts on the silver of others sees it with perfect memory only."""
    ends = {}
    for information in ("screen", "recall"):
        game = JerusalemGame(players=2, information=information)  # type: ignore[arg-type]
        states, _ = dealt(game, 10, 11)
        # By itself, so that the second kernel compiles fast.
        assert game.play_on(states, seeds_for(10), np.zeros((10, 2)), (BY_EYE,)) == -1
        assert game.terminated(states).all()
        ends[information] = fields_of(states)
    game = JerusalemGame(players=2)
    for information, name in (("screen", "first"), ("recall", "last")):
        plain, _ = dealt(game, 10, 11)
        plain_play(game, plain, seeds_for(10), np.full((10, 2), INDEX[name]))
        assert fields_of(plain) == ends[information]


def test_random_policy__is_uniform_and_differs_from_game_to_game() -> None:
    """Each legal first action comes equally often; seats draw anew at every decision."""
    game = JerusalemGame(players=4)
    deal, masks = dealt(game, 1, 0)
    states = np.repeat(deal, 4000)
    legal = np.flatnonzero(masks[0])
    policy_of = np.full((4000, 4), INDEX["random"])
    log = new_log(4000, 40)
    states["decision_limit"] = states["decisions"] + 40
    assert game.play_on(states, seeds_for(4000, 12), policy_of, POLICIES, log=log) == -1
    counts = np.array([(log.actions[:, 0] == action).sum() for action in legal])
    assert counts.sum() == 4000
    chi_squared = ((counts - 4000 / len(legal)) ** 2 / (4000 / len(legal))).sum()
    assert chi_squared < 16.3  # 3 degrees of freedom: 1 in 1,000
    bids = log.actions[:, 1] - 5  # the opener's first bid: 0..12, whatever he opened
    assert (np.bincount(bids, minlength=13) > 220).all()
    pairs = np.corrcoef(log.actions[:, 0], bids)[0, 1]
    assert abs(pairs) < 0.06
    assert len({row.tobytes() for row in log.actions}) == 4000
    same, again = np.repeat(deal, 2), np.zeros(2, np.uint64) + np.uint64(5)
    assert game.play_on(same, again, policy_of[:2], POLICIES) == -1
    assert fields_of(same[:1]) == fields_of(same[1:])


@pytest.mark.parametrize("threads", [1, 2])
def test_illegal_choice__names_its_game(threads: int) -> None:
    """The game stops at that decision, which is still legal to take otherwise."""
    game = JerusalemGame(players=3)
    states, _ = dealt(game, 12, 13)
    policy_of = np.full((12, 3), INDEX["first"])
    policy_of[7, 1] = INDEX["cheat"]
    seeds = seeds_for(12)
    assert game.play_on(states, seeds, policy_of, POLICIES, threads) == 7
    assert game.to_act(states)[7] == 1
    assert not game.terminated(states)[7]
    plain = dealt(game, 12, 13)[0][7:8]
    policy_of[7, 1] = -1
    plain_play(game, plain, seeds[7:8], policy_of[7:8])
    assert fields_of(plain) == fields_of(states[7:8])
    policy_of[7, 1] = INDEX["first"]
    assert game.play_on(states, seeds, policy_of, POLICIES, threads) == -1
    assert game.terminated(states).all()
    policy_of[[2, 9]] = INDEX["cheat"]
    alone, _ = dealt(game, 12, 13)
    assert game.play_on(alone, seeds, policy_of, POLICIES) == 2
    for _ in range(10):
        states, _ = dealt(game, 12, 13)
        assert game.play_on(states, seeds, policy_of, POLICIES, threads) == 2
        assert fields_of(states) == fields_of(alone), "the other games went another way"
    assert game.terminated(states).sum() == 10


# --- the watchdog --------------------------------------------------------------------------------
@pytest.mark.parametrize("skip_forced", [True, False])
def test_watchdog__truncates(skip_forced: bool) -> None:
    """P12: at the limit exactly, without an end or pay, and play goes no further."""
    game = JerusalemGame(players=3, skip_forced=skip_forced)
    states, _ = dealt(game, 20, 14)
    policy_of, seeds = mixed_seats(20, 3, 14), seeds_for(20)
    limits = np.arange(1, 21) + states["decisions"]
    states["decision_limit"] = limits
    plain = states.copy()
    assert game.play_on(states, seeds, policy_of, POLICIES) == -1
    np.testing.assert_array_equal(states["decisions"], limits)
    assert game.truncated(states).all()
    assert not game.terminated(states).any()
    assert (game.utilities(states) == 0).all()
    plain_play(game, plain, seeds, policy_of)
    assert fields_of(states) == fields_of(plain)
    before = fields_of(states)
    assert game.play_on(states, seeds, policy_of, POLICIES) == -1
    assert fields_of(states) == before


# --- errors --------------------------------------------------------------------------------------
def test_errors__name_what_is_wrong() -> None:
    """Nothing is played, and nothing beyond an array is read or written."""
    game = JerusalemGame(players=3)
    states, _ = dealt(game, 4, 0)
    before, seeds = states.tobytes(), seeds_for(4)
    good = np.full((4, 3), INDEX["random"])
    for shape in ((4, 4), (3, 3), (4,), (1, 3)):
        with pytest.raises(ValueError, match=r"policy_of must have shape \(4, 3\)"):
            game.play_on(states, seeds, np.zeros(shape), POLICIES)
    for wrong in (-2, len(POLICIES)):
        policy_of = good.copy()
        policy_of[3, 2] = wrong
        with pytest.raises(ValueError, match=f"policy_of must be -1..{len(POLICIES) - 1}"):
            game.play_on(states, seeds, policy_of, POLICIES)
    with pytest.raises(ValueError, match="policy_of must be"):
        game.play_on(states, seeds, good, ())
    assert states.tobytes() == before


@pytest.mark.parametrize("length", [3, 5])
def test_errors__seeds_are_one_a_game(length: int) -> None:
    game = JerusalemGame(players=3)
    states, _ = dealt(game, 4, 0)
    seeds = seeds_for(8)[:length]
    with pytest.raises(ValueError, match="seeds"):
        game.play_on(states, seeds, np.full((4, 3), INDEX["random"]), POLICIES)


@pytest.mark.parametrize("rows", [(2, 4), (4, 2), (6, 6)])
def test_errors__logs_have_a_row_a_game(rows: tuple[int, int]) -> None:
    game = JerusalemGame(players=3)
    states, _ = dealt(game, 4, 0)
    room = new_log(8, 10)  # what would be written beyond the slices would stay in here
    log = ActionLog(room.actions[: rows[0]], room.sizes[: rows[1]])
    with pytest.raises(ValueError, match="log"):
        game.play_on(states, seeds_for(4), np.full((4, 3), INDEX["random"]), POLICIES, log=log)
