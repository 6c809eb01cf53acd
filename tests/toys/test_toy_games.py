"""Toy games: the contract, and that each optimum is what its page says."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np
import pytest

from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.envs.tables import Tables
from jerusalem_env.errors import PositionError
from jerusalem_env.testing import api_test, dealt, done, masks_of
from training.toys import KuhnGame, LateRewardGame, MaskedStepsGame, NimGame, kuhn, late_reward
from training.toys import masked_steps as steps
from training.toys.base import ToyGame

GAMES: list[type[ToyGame]] = [MaskedStepsGame, NimGame, LateRewardGame, KuhnGame]
every_game = pytest.mark.parametrize("make", GAMES, ids=lambda make: make.__name__)


def after(game: ToyGame, *history: int, **deal: int | list[int]) -> np.ndarray:
    """An array of one game: dealt so, and these actions taken."""
    states = game.new_states(1)
    for field, value in deal.items():
        states[field] = value
    masks = masks_of(game, states)
    for action in history:
        assert game.step(states, np.array([action]), masks) == -1
    return states


def solved(game: ToyGame, states: np.ndarray) -> np.ndarray:
    """(players,) what each seat gets if all take what is best for them, by trying everything."""
    if done(game, states)[0]:
        return game.utilities(states)[0]
    seat = int(game.to_act(states)[0])
    values = []
    for action in np.flatnonzero(masks_of(game, states)[0]):
        following = states.copy()
        game.step(following, np.array([action]), masks_of(game, states))
        values.append(solved(game, following))
    return max(values, key=lambda value: value[seat])


def reachable(game: ToyGame, states: np.ndarray) -> list[np.ndarray]:
    """Every running game that can follow, this one included."""
    if done(game, states)[0]:
        return []
    found = [states]
    for action in np.flatnonzero(masks_of(game, states)[0]):
        following = states.copy()
        game.step(following, np.array([action]), masks_of(game, states))
        found += reachable(game, following)
    return found


# --- the contract -------------------------------------------------------------------------------
@every_game
@pytest.mark.parametrize("seed", [0, 1])
def test_toys__keep_the_contract(make: type[ToyGame], seed: int) -> None:
    api_test(make(), seed=seed)


class PeekingKuhn(KuhnGame):
    """A seat observes the card that its view hides."""

    def observe(
        self, states: np.ndarray, seats: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        turned = states.copy()
        chosen = np.maximum(self.to_act(states) if seats is None else seats, 0)
        turned["first"] = (states["first"] - chosen) % self.players
        return self.encode(turned, out)


class ForgettingNim(NimGame):
    """The loser is not paid."""

    def payoffs(self, states: np.ndarray) -> np.ndarray:
        return np.maximum(super().payoffs(states), 0)


def test_toys__broken_ones_are_noticed() -> None:
    with pytest.raises(AssertionError, match="observe"):
        api_test(PeekingKuhn())
    with pytest.raises(AssertionError, match="not zero-sum"):
        api_test(ForgettingNim())


@every_game
def test_toys__play_in_every_environment(make: type[ToyGame]) -> None:
    """P1: what the engine pays is what every adapter pays."""
    game = make()
    rng = np.random.default_rng(0)
    batch = BatchEnv(game, 32)
    batch.reset(seed=4)
    paid_games = 0
    for _ in range(60):
        _, _, rewards, _, _, infos = batch.step(batch.sample_actions(rng))
        finished = infos.get("finished", np.zeros(0, dtype=np.int64))
        expected = np.zeros_like(rewards)
        if len(finished):
            expected[finished] = game.utilities(infos["final_states"])
        np.testing.assert_array_equal(rewards, expected)
        paid_games += int(expected.any(axis=1).sum())
    assert paid_games > 32

    env = GameAECEnv(game, render_mode="ansi")
    env.reset(seed=0)
    start = env.position()
    env.set_position(start)
    assert env.position() == start
    for seed in range(8):
        env.reset(seed=seed)
        paid = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            paid[agent] += reward
            assert observation is not None
            legal = np.flatnonzero(observation["action_mask"])
            assert isinstance(env.render(), str)
            env.step(None if terminated or truncated else int(rng.choice(legal)))
        assert list(paid.values()) == game.utilities(env.states)[0].tolist()

    tables = Tables(game, 16)  # one learner against random bots
    tables.reset(0)
    for _ in range(30):
        legal = [np.flatnonzero(mask) for mask in tables.masks]
        assert all(len(some) for some in legal)
        tables.step(np.array([some[0] for some in legal]))


@every_game
def test_positions__say_what_is_wrong(make: type[ToyGame]) -> None:
    game = make()
    position = game.write_position(dealt(game, 1, 0)[0][0])
    for wrong, field in (
        ({**position, "first": game.players}, "first"),
        ({**position, "first": True}, "first"),
        ({**position, "history": ["jump"]}, "history"),
        ({**position, "history": 3}, "history"),
        ({**position, "pawns": 8}, "position"),
        ({key: value for key, value in position.items() if key != "first"}, "position"),
    ):
        with pytest.raises(PositionError, match=field):
            game.read_position(wrong)
    for field in game.dealt:
        with pytest.raises(PositionError, match=field.name):
            game.read_position({**position, field.name: "x"})


def test_positions__of_impossible_games_are_refused() -> None:
    for cards in ([1, 1], [0, 3], [0]):
        with pytest.raises(PositionError, match="cards"):
            KuhnGame().read_position({"first": 0, "cards": cards, "history": []})
    over = {"first": 0, "cards": [0, 1], "history": ["bet", "fold", "check"]}
    with pytest.raises(PositionError, match="action 3"):
        KuhnGame().read_position(over)
    with pytest.raises(PositionError, match="action 3"):
        NimGame().read_position({"first": 0, "heap_at_start": 5, "history": ["take 2"] * 3})


def test_step__refuses_what_stale_masks_allow() -> None:
    game = MaskedStepsGame()
    states = after(game, steps.BLUE, steps.BLUE)
    everything = np.ones((1, 4), dtype=np.uint8)
    assert game.step(states, np.array([steps.BLUE]), everything) == 0
    assert game.step(states, np.array([steps.RED]), everything) == -1


# --- masked steps -------------------------------------------------------------------------------
def test_masked_steps__the_mask_hides_all_but_the_good_action() -> None:
    game = MaskedStepsGame()
    states, masks = dealt(game, 1, 0)
    shown = []
    while not done(game, states)[0]:
        shown.append(masks[0].tolist())
        game.step(states, masks.argmax(axis=1), masks)
    assert shown == [[1, 1, 1, 0]] * 2 + [[1, 0, 0, 0]] * 2


def test_masked_steps__only_the_mask_tells_the_steps_apart() -> None:
    game = MaskedStepsGame()
    first = [after(game), after(game, steps.BLUE)]
    second = [after(game, *steps.BEST), after(game, *steps.BEST, steps.RED)]
    for one, other, best in zip(first, second, steps.BEST, strict=True):
        assert np.array_equal(game.observe(one), game.observe(other))
        assert masks_of(game, one)[0, best] == 1
        assert masks_of(game, other)[0, best] == 0
    assert not np.array_equal(game.observe(first[0]), game.observe(first[1]))


def test_masked_steps__the_value_is_that_of_best_play() -> None:
    game = MaskedStepsGame()
    for opener in (0, 1):
        value = solved(game, after(game, first=opener))
        assert value[opener] == -value[1 - opener] == steps.VALUE


def test_masked_steps__the_best_first_step_is_dominant() -> None:
    game = MaskedStepsGame()
    for other in range(3):
        for place, best in enumerate(steps.BEST):
            paid = []
            for own in range(3):
                chosen = (own, other) if place == 0 else (other, own)
                states = after(game, *chosen, steps.RED, steps.RED)
                paid.append(game.utilities(states)[0, place])
            assert np.flatnonzero(np.array(paid) == max(paid)).tolist() == [best]
            assert paid[steps.RED] == min(paid)  # what is forced later is the worst now


# --- nim ----------------------------------------------------------------------------------------
@cache
def nim_value(heap: int) -> int:
    """+1 if who is to take can win, else -1: from the rules alone."""
    if heap == 0:
        return -1  # the other one took the last
    return max(-nim_value(heap - taken) for taken in (1, 2, 3) if taken <= heap)


def test_nim__values_and_winning_moves_are_those_of_the_rules() -> None:
    game = NimGame()
    assert [heap for heap in range(1, 13) if nim_value(heap) < 0] == [4, 8, 12]
    seen = set()
    for heap in range(5, 13):
        for states in reachable(game, after(game, heap_at_start=heap)):
            left = int(game.heaps(states)[0])
            seen.add(left)
            assert game.position_values(states)[0] == nim_value(left)
            wins = [t <= left and nim_value(left - t) < 0 for t in (1, 2, 3)]
            assert game.winning_moves(states)[0].tolist() == wins
    assert seen == set(range(1, 13))


def test_nim__best_play_is_worth_the_value_of_the_position() -> None:
    game = NimGame()
    for heap, first in product(range(5, 13), (0, 1)):
        states = after(game, heap_at_start=heap, first=first)
        opener = solved(game, states)[first]
        assert opener == game.position_values(states)[0] == nim_value(heap)


def test_nim__deals_are_drawn_from_the_seed() -> None:
    game = NimGame()
    states, masks = dealt(game, 8_000, 0)
    heaps, counts = np.unique(states["heap_at_start"], return_counts=True)
    assert heaps.tolist() == list(range(5, 13))
    assert counts.min() > 850
    openers = np.bincount(states["first"], minlength=2) / len(states)
    assert np.abs(openers - 0.5).max() < 0.03
    heaps_by_opener = [states["heap_at_start"][states["first"] == seat].mean() for seat in (0, 1)]
    assert abs(heaps_by_opener[0] - heaps_by_opener[1]) < 0.2  # one says nothing about the other
    neighbours = game.new_states(64)
    game.reset(neighbours, np.arange(64, dtype=np.uint64), masks[:64])
    assert len(np.unique(neighbours["heap_at_start"])) == 8
    # Best play on both sides: the seats win equally often.
    rng = np.random.default_rng(0)
    while not done(game, states).all():
        best = game.winning_moves(states)
        choices = np.where(best.any(axis=1)[:, None], best, masks == 1)
        actions = (choices * rng.random(choices.shape)).argmax(axis=1)
        assert game.step(states, actions, masks) == -1
    assert abs((game.utilities(states)[:, 0] > 0).mean() - 0.5) < 0.03


# --- late reward --------------------------------------------------------------------------------
def test_late_reward__pays_what_the_table_says() -> None:
    """P2: written out here once more; every seat's payment, whoever moved last."""
    game = LateRewardGame()
    expected = """
        left  left  left   0.375 -0.375  0.0
        left  left  right  0.125 -0.375  0.25
        left  right left   0.375 -0.125 -0.25
        left  right right  0.125 -0.125  0.0
        right left  left  -0.125 -0.375  0.5
        right left  right -0.375 -0.375  0.75
        right right left  -0.125 -0.125  0.25
        right right right -0.375 -0.125  0.5
    """
    lines = [line.split() for line in expected.strip().splitlines()]
    assert len(late_reward.RETURNS) == len(lines) == 8
    for *names, first, second, third in lines:
        actions = tuple(game.action_names.index(name) for name in names)
        paid = (float(first), float(second), float(third))
        assert late_reward.RETURNS[actions[0], actions[1], actions[2]] == paid
        assert sum(paid) == 0
        for opener in range(3):
            states = after(game, first=opener)
            for action in actions:
                assert not game.utilities(states).any()  # nothing before the last move
                game.step(states, np.array([action]), masks_of(game, states))
            assert game.utilities(states)[0].tolist() == np.roll(paid, opener).tolist()


def test_late_reward__each_seat_has_a_dominant_action() -> None:
    for place, best in enumerate(late_reward.BEST):
        for others in product((0, 1), repeat=2):
            good = list(others)
            good.insert(place, best)
            bad = list(others)
            bad.insert(place, 1 - best)
            margin = (
                late_reward.RETURNS[good[0], good[1], good[2]][place]
                - late_reward.RETURNS[bad[0], bad[1], bad[2]][place]
            )
            assert margin == (0.5, 0.25, 0.25)[place]
    game = LateRewardGame()
    assert solved(game, after(game)).tolist() == list(late_reward.VALUES)


def test_late_reward__wrong_payments_teach_something_else() -> None:
    """What is taken for a seat's own payment decides what is best: the game tells them apart."""

    def best_of_first(pay: tuple[float, float, float]) -> float:
        """How much better the good action of the first seat looks under weights of payments."""
        good, bad = (late_reward.RETURNS[action, 1, 1] for action in (0, 1))
        return sum(weight * (g - b) for weight, g, b in zip(pay, good, bad, strict=True))

    assert best_of_first((1, 0, 0)) > 0
    assert best_of_first((0, 0, 1)) < 0  # the mover's payment
    assert best_of_first((0, 1, 0)) == 0  # the next seat's
    losses = [row[1] for row in late_reward.RETURNS.values()]
    assert max(losses) < 0  # the second seat learns from losses alone


# --- kuhn ---------------------------------------------------------------------------------------
def test_kuhn__every_way_to_play_pays_what_the_rules_say() -> None:
    game = KuhnGame()
    ends = {
        ("check", "check"): "1 to the higher",
        ("check", "bet", "fold"): "1 to place 1",
        ("check", "bet", "call"): "2 to the higher",
        ("bet", "fold"): "1 to place 0",
        ("bet", "call"): "2 to the higher",
    }
    for cards, first in product(permutations(range(3), 2), (0, 1)):
        for names, paid in ends.items():
            actions = [kuhn.ACTIONS.index(name) for name in names]
            states = after(game, *actions, cards=list(cards), first=first)
            assert game.terminated(states)[0]
            stake, to = int(paid[0]), paid[-1]
            place = int(to) if to.isdigit() else int(np.argmax(cards))
            winner = (first + place) % 2
            assert game.utilities(states)[0, winner] == stake
            assert game.utilities(states)[0, 1 - winner] == -stake
            assert game.results(states[0])["ranking"][0] == winner
        running = reachable(game, after(game, cards=list(cards), first=first))
        assert len(running) == 4  # nothing else is legal


def test_kuhn__deals_are_equally_likely() -> None:
    states, _ = dealt(KuhnGame(), 6_000, 1)
    deals, counts = np.unique(states["cards"], axis=0, return_counts=True)
    assert deals.tolist() == sorted(map(list, permutations(range(3), 2)))
    assert counts.min() > 880
    assert not states["first"].any()


def test_kuhn__a_view_shows_the_own_card_alone() -> None:
    game = KuhnGame()
    for seat in (0, 1):
        seats = np.array([seat])
        for own in range(3):
            # In seat order, cards by place and seat 0 opening.
            deals = [(own, other) if seat == 0 else (other, own) for other in range(3)]
            for history in ([], [kuhn.CHECK], [kuhn.BET], [kuhn.CHECK, kuhn.BET], [1, kuhn.FOLD]):
                seen = {
                    game.views(after(game, *history, cards=list(cards)), seats).tobytes()
                    for cards in deals
                    if cards[0] != cards[1]
                }
                assert len(seen) == 1
            shown = {
                game.views(after(game, 0, 0, cards=list(cards)), seats).tobytes()
                for cards in deals
                if cards[0] != cards[1]
            }
            assert len(shown) == 2  # upon a comparison both are on the table
    assert "seat 0: king, seat 1: ?" in game.render_text(after(game, cards=[2, 0])[0], 0)
    assert "seat 0: ?, seat 1: jack" in game.render_text(after(game, cards=[2, 0])[0], 1)
    assert "seat 0: king, seat 1: jack" in game.render_text(after(game, cards=[2, 0])[0])


def test_kuhn__a_redeal_draws_both_other_cards_equally_often() -> None:
    game = KuhnGame()
    views = np.repeat(game.views(after(game, kuhn.BET, cards=[0, 1])), 2_000)
    states = game.redeal(views, np.random.default_rng(0))
    assert (states["cards"][:, 1] == 1).all()
    counts = np.bincount(states["cards"][:, 0], minlength=3)
    assert counts[1] == 0
    assert abs(counts[0] - 1_000) < 120
    open_views = game.views(after(game, 0, 0, cards=[0, 1]), np.array([1]))
    assert (game.redeal(open_views, np.random.default_rng(0)) == open_views).all()


def test_kuhn__information_sets_are_what_agents_are_asked() -> None:
    game = KuhnGame()
    views, masks = kuhn.decisions(game)
    assert len(np.unique(game.encode(views), axis=0)) == len(kuhn.INFORMATION_SETS) == 12
    found = {}
    for cards in permutations(range(3), 2):
        for states in reachable(game, after(game, cards=list(cards))):
            taken = states["history"][0, : states["decisions"][0]].tolist()
            place = len(taken) % 2
            known = kuhn.InformationSet(cards[place], tuple(taken))
            found[known] = (game.views(states)[0], masks_of(game, states)[0])
    assert set(found) == set(kuhn.INFORMATION_SETS)
    for known, view, mask in zip(kuhn.INFORMATION_SETS, views, masks, strict=True):
        assert found[known][0] == view
        assert found[known][1].tolist() == mask.tolist() == known.legal.astype(int).tolist()


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_kuhn__the_equilibrium_is_one(alpha: float) -> None:
    opener, other = kuhn.equilibrium(alpha), kuhn.equilibrium()
    assert kuhn.expected_value(opener, other) == pytest.approx(kuhn.VALUE, abs=1e-12)
    assert kuhn.best_response_values(opener) == pytest.approx((kuhn.VALUE, -kuhn.VALUE), abs=1e-12)
    assert kuhn.exploitability(opener) == pytest.approx(0.0, abs=1e-12)


def test_kuhn__other_policies_can_be_exploited() -> None:
    with pytest.raises(ValueError, match="alpha"):
        kuhn.equilibrium(0.5)
    # 11/24: what others compute for the uniform policy.
    assert kuhn.exploitability(kuhn.uniform) == pytest.approx(11 / 24)
    assert kuhn.expected_value(kuhn.uniform, kuhn.uniform) == pytest.approx(1 / 8)
    table = np.array([kuhn.equilibrium()(known) for known in kuhn.INFORMATION_SETS])
    assert kuhn.exploitability(kuhn.from_table(table)) == pytest.approx(0.0, abs=1e-12)
    king_upon_bet = kuhn.INFORMATION_SETS.index(kuhn.InformationSet(kuhn.KING, (kuhn.BET,)))
    table[king_upon_bet] = [0, 0, 1, 0]  # folds a king
    assert kuhn.exploitability(kuhn.from_table(table)) > 0.05


def test_kuhn__expected_values_are_those_of_games_played() -> None:
    game = KuhnGame()
    table = np.array([kuhn.equilibrium(0.2)(known) for known in kuhn.INFORMATION_SETS])
    policies = (kuhn.uniform, kuhn.from_table(table))
    rng = np.random.default_rng(0)
    states, masks = dealt(game, 20_000, 2)
    while not done(game, states).all():
        actions = np.zeros(len(states), dtype=np.int64)
        draws = rng.random(len(states))
        for row in np.flatnonzero(~done(game, states)):
            taken = tuple(states["history"][row, : states["decisions"][row]].tolist())
            place = len(taken) % 2
            known = kuhn.InformationSet(int(states["cards"][row, place]), taken)
            cumulative = np.cumsum(policies[place](known))
            actions[row] = np.searchsorted(cumulative, draws[row], side="right")
        assert game.step(states, actions, masks) == -1
    played = game.utilities(states)[:, 0]
    error = played.std() / np.sqrt(len(played))
    assert abs(played.mean() - kuhn.expected_value(*policies)) < 3 * error
