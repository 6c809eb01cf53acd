"""What went wrong in other environments, a test each: P1, P2, ... as the docstrings say."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest

from jerusalem_env import IllegalActionError, RuleSet, jerusalem_v0
from jerusalem_env.chance import sample_legal
from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.screen import Information

PLAYERS = (2, 3, 4)
INFORMATION: tuple[Information, ...] = ("screen", "recall")
REWARDS = ("win", "rank", "margin")
MAKERS: tuple[Callable[..., Any], ...] = (jerusalem_v0.raw_env, jerusalem_v0.env)
LONGEST = 3000  # decisions; no game here is longer

Print = tuple[Any, ...]


# --- equipment ------------------------------------------------------------------------------------
def is_over(env: Any) -> bool:
    """Whether every agent has ended."""
    return any(env.terminations.values()) or any(env.truncations.values())


def legal_of(env: Any) -> np.ndarray:
    """Ids of the legal actions, without going through the wrappers."""
    raw = env.unwrapped
    return np.flatnonzero(raw.observe(raw.agent_selection)["action_mask"])


def random_action(env: Any, rng: np.random.Generator) -> int:
    """A uniformly drawn legal action."""
    return int(rng.choice(legal_of(env)))


def fields_of(states: np.ndarray) -> bytes:
    """The records field by field; the padding between fields is nobody's."""
    return b"".join(states[name].tobytes() for name in states.dtype.names or ())


def fingerprint(env: Any) -> Print:
    """Everything that anybody can see of an environment at this moment."""
    raw = env.unwrapped
    seen = [raw.observe(agent) for agent in raw.possible_agents]
    return (
        raw.agent_selection,
        tuple(raw.agents),
        fields_of(raw.states),
        tuple(o["observation"].tobytes() for o in seen),
        tuple(o["action_mask"].tobytes() for o in seen),
        raw.state().tobytes(),
        repr(raw.rewards),
        repr(raw._cumulative_rewards),
        repr(raw.terminations),
        repr(raw.truncations),
        repr(raw.infos),
        raw.game_seed,
    )


def play_out(env: Any, rng: np.random.Generator, most: int = LONGEST) -> list[Print]:
    """Fingerprints at every ply of a game that goes on at random, ``most`` decisions at most."""
    prints = [fingerprint(env)]
    while not is_over(env) and len(prints) <= most:
        env.step(random_action(env, rng))
        prints.append(fingerprint(env))
    return prints


def episode(env: Any, seed: int, most: int = LONGEST) -> list[Print]:
    """Fingerprints at every ply of a game from a seed, played at random with the same seed."""
    env.reset(seed=seed)
    return play_out(env, np.random.default_rng(seed), most)


def returns_by_last(env: Any, rng: np.random.Generator) -> list[float]:
    """Summed reward of each agent as a training loop over ``agent_iter`` and ``last`` sees it."""
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(LONGEST):
        observation, reward, terminated, truncated, _ = env.last()
        totals[agent] += reward
        if terminated or truncated:
            env.step(None)
        else:
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    assert not env.agents, "the game did not end"
    return list(totals.values())


def expected_returns(position: dict[str, Any], reward: str) -> list[float]:
    """Returns worked out anew from the final position."""
    ranking, floors = position["ranking"], position["floors"]
    n = len(floors)
    if reward == "win":
        return [1.0 if seat == ranking[0] else -1.0 / (n - 1) for seat in range(n)]
    if reward == "rank":
        return [1.0 - 2.0 * ranking.index(seat) / (n - 1) for seat in range(n)]
    return [(floors[s] - (sum(floors) - floors[s]) / (n - 1)) / 10 for s in range(n)]


# --- P1, P2: rewards ------------------------------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("reward", REWARDS)
def test_rewards__reach_every_seat_in_full(
    make: Callable[..., Any], players: int, reward: str
) -> None:
    """P1: what a loop adds up is what the final position pays; losers get their loss."""
    env = make(players=players, reward=reward)
    rng = np.random.default_rng(players)
    lost = [0.0] * players
    for seed in range(20):
        env.reset(seed=seed)
        totals = returns_by_last(env, rng)
        expected = expected_returns(env.position(), reward)
        np.testing.assert_allclose(totals, expected, atol=1e-12)
        np.testing.assert_allclose(totals, env.unwrapped.game.utilities(env.states)[0])
        lost = [loss + min(total, 0.0) for loss, total in zip(lost, totals, strict=True)]
    assert max(lost) < 0, "a seat never lost anything"


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", PLAYERS)
def test_batch_rewards__are_those_of_the_final_positions(players: int, reward: str) -> None:
    """P1: nothing is paid before the end, and at the end what the final position says."""
    env = jerusalem_v0.batch_env(32, rules=RuleSet(players=players, rounds=2), reward=reward)
    env.reset(seed=players)
    rng = np.random.default_rng(players)
    totals = np.zeros((32, players))
    finished = 0
    while finished < 64:
        _, _, rewards, terminated, _, infos = env.step(env.sample_actions(rng))
        totals += rewards
        finals = infos.get("final_states", ())
        for place, final in zip(np.flatnonzero(terminated), finals, strict=True):
            expected = expected_returns(env.game.write_position(final), reward)
            np.testing.assert_allclose(totals[place], expected, atol=1e-12)
            totals[place] = 0
            finished += 1


# Seat 0 opens, places and plays, seat 1 takes the other office, seat 2 does nothing.
SCRIPT = (
    *("open treasurer", "bid 0", "pass", "pass", "open marshal", "bid 0", "pass"),
    *("draft squire", "draft prestige_2"),
    *("place palace.large",) * 6,
    *("dismiss palace.large",) * 6,
    *("play squire", "place palace.large", "pass", "pass", "pass"),
)
# By reward: what the opener, the second and the third seat get.
RETURNS = {"win": (1.0, -0.5, -0.5), "rank": (1.0, 0.0, -1.0), "margin": (0.15, 0.0, -0.15)}


@pytest.mark.parametrize("opener", range(3))
@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("make", MAKERS)
def test_returns__of_a_scripted_game(make: Callable[..., Any], reward: str, opener: int) -> None:
    """P2: the table of returns by seat, with the signs where they belong."""
    rules = RuleSet(players=3, rounds=1, first_opener=opener)
    env = make(rules=rules, reward=reward, skip_forced=False)
    env.reset(seed=4)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    script = list(SCRIPT)
    for agent in env.agent_iter():
        _, paid, terminated, truncated, _ = env.last()
        totals[agent] += paid
        assert paid == 0 or terminated
        ended = terminated or truncated
        env.step(None if ended else env.action_names.index(script.pop(0)))
    assert not script
    np.testing.assert_allclose(list(totals.values()), np.roll(RETURNS[reward], opener))


# --- P4, P5: masks --------------------------------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize("players", PLAYERS)
def test_masks__only_who_acts_has_legal_actions(
    make: Callable[..., Any], skip_forced: bool, players: int
) -> None:
    """P4: whoever is to act has an action, who waits has none, and nobody has once it is over."""
    env = make(players=players, skip_forced=skip_forced)
    rng = np.random.default_rng(1)
    fewest = LONGEST
    for seed in range(3):
        env.reset(seed=seed)
        while not is_over(env):
            for agent in env.possible_agents:
                legal = int(env.observe(agent)["action_mask"].sum())
                if agent == env.agent_selection:
                    fewest = min(fewest, legal)
                    assert legal > 0
                else:
                    assert legal == 0
            env.step(random_action(env, rng))
        for agent in env.possible_agents:
            assert not env.observe(agent)["action_mask"].any()
    assert fewest == (2 if skip_forced else 1)


def test_masks__have_the_dtypes_that_readers_want() -> None:
    """P5: int8 that ``Discrete.sample`` takes in the AEC environment, bool in the others."""
    env = jerusalem_v0.env(players=3)
    env.reset(seed=0)
    for agent in env.possible_agents:
        env.action_space(agent).seed(0)
    sampled = set()
    while not is_over(env):
        agent = env.agent_selection
        seen = env.observe(agent)
        mask = seen["action_mask"]
        assert mask.dtype == np.int8
        assert seen["observation"].dtype == np.float32
        assert set(np.unique(mask)) <= {0, 1}
        assert env.observation_space(agent).contains(seen)
        action = env.action_space(agent).sample(mask)
        assert mask[action] == 1
        sampled.add(int(action))
        env.step(action)
    assert len(sampled) > 20
    batch = jerusalem_v0.batch_env(3)
    assert batch.reset(seed=0)[1].dtype == np.bool_
    assert batch.step(batch.sample_actions(np.random.default_rng(0)))[1].dtype == np.bool_
    solo = jerusalem_v0.solo_env(players=3)
    solo.reset(seed=0)
    assert solo.action_masks().dtype == np.bool_


# What api_test says of any environment whose observation is a dict with the mask in it, which is
# PettingZoo's own convention, unless it is one of PettingZoo's own by name.
CONVENTION = (
    "Observation is not a NumPy array$",
    "Observation space for each agent probably should be gymnasium.spaces.box or",
)


# --- P6: other people's checkers ------------------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", INFORMATION)
def test_pettingzoo__checkers_pass_without_warnings(
    make: Callable[..., Any], players: int, information: Information
) -> None:
    """P6: ``api_test``, ``seed_test`` and the test of the state space."""
    from pettingzoo.test import api_test, seed_test
    from pettingzoo.test.state_test import test_state_space as check_state_space

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for told_of_every_masked_game in CONVENTION:
            warnings.filterwarnings("ignore", told_of_every_masked_game)
        api_test(make(players=players, information=information), num_cycles=300)
        seed_test(lambda: make(players=players, information=information), num_cycles=100)
        check_state_space(make(players=players, information=information))


@pytest.mark.parametrize("players", PLAYERS)
def test_pettingzoo__state_stays_in_its_space(players: int) -> None:
    """P6: ``state_test`` with its random, mostly illegal actions."""
    from pettingzoo.test import state_test

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state_test(jerusalem_v0.env(players=players), jerusalem_v0.env(players=players))


@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoo__render_test_passes(make: Callable[..., Any]) -> None:
    """P6, P23: every declared mode; the checker begins with "human", which is not one of them."""
    from pettingzoo.test import render_test

    asked = []

    def made(render_mode: str) -> Any:
        asked.append(render_mode)
        return make(players=3, render_mode=None if render_mode == "human" else render_mode)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        render_test(made)
    assert asked == ["human", *make(players=3).metadata["render_modes"]]


@pytest.mark.parametrize("players", PLAYERS)
def test_pettingzoo__makes_the_environment_by_name(players: int) -> None:
    """P6: the registered name gives ``env()`` with the options passed on."""
    made = pettingzoo.make("aec", "jerusalem/jerusalem_v0", players=players, reward="rank")
    assert str(made) == "jerusalem_v0"
    assert len(made.possible_agents) == players
    made.reset(seed=5)
    direct = jerusalem_v0.env(players=players, reward="rank")
    direct.reset(seed=5)
    rng, other = np.random.default_rng(5), np.random.default_rng(5)
    assert play_out(made, rng) == play_out(direct, other)


def test_spaces__are_the_same_objects_at_every_call() -> None:
    """P6: a space that is made anew forgets its seed."""
    for make in MAKERS:
        env = make(players=2)
        for agent in env.possible_agents:
            assert env.observation_space(agent) is env.observation_space(agent)
            assert env.action_space(agent) is env.action_space(agent)


# --- P10: copies ----------------------------------------------------------------------------------
def pickled(env: Any) -> Any:
    """A copy by way of bytes."""
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("rendering", [False, True])
def test_copies__made_at_every_ply_go_on_identically(
    make: Callable[..., Any], copied: Callable[[Any], Any], rendering: bool
) -> None:
    """P10: a chain of copies plays the original's game; kept copies do not move."""
    original = make(players=3, render_mode="ansi" if rendering else None)
    original.reset(seed=11)
    chain = copied(original)
    kept: list[tuple[Any, Print]] = []
    rng = np.random.default_rng(0)
    while not is_over(original):
        if rendering:
            assert original.render() == chain.render()
        action = random_action(original, rng)
        if len(kept) < 8 or rng.random() < 0.05:
            kept.append((copied(chain), fingerprint(original)))
        original.last()
        original.step(action)
        chain.step(action)
        chain = copied(chain)
        assert fingerprint(chain) == fingerprint(original)
    for env, before in kept:
        assert fingerprint(env) == before, "playing on moved a copy"
    middle, _ = kept[5]
    final = fingerprint(original)
    play_out(middle, np.random.default_rng(1))
    assert fingerprint(original) == final, "playing a copy moved the original"
    original.reset()
    chain.reset()
    assert fingerprint(chain) == fingerprint(original), "the next game is another"
    assert original.unwrapped.game_seed != 11


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_copies__before_the_first_reset_and_after_an_illegal_end(
    copied: Callable[[Any], Any],
) -> None:
    """P10: the moments at which there is no game."""
    env = jerusalem_v0.env(players=3)
    fresh = copied(env)
    assert episode(fresh, 3) == episode(env, 3)
    env.reset(seed=1)
    env.step(illegal_action(env))
    ended = copied(env)
    assert fingerprint(ended) == fingerprint(env)
    for one in (env, ended):
        for agent in one.agent_iter():
            assert one.last()[1] == (-1.0 if agent == ended.possible_agents[opener(1)] else 0.5)
            one.step(None)
    assert episode(ended, 3) == episode(fresh, 3)


def opener(seed: int) -> int:
    """The seat that decides first in a game of three."""
    env = jerusalem_v0.raw_env(players=3)
    env.reset(seed=seed)
    return env.possible_agents.index(env.agent_selection)


def illegal_action(env: Any) -> int:
    """The lowest action that is not legal now."""
    return int(np.setdiff1d(np.arange(len(env.action_names)), legal_of(env))[0])


# --- P12: truncation and illegal ends -------------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("skip_forced", [True, False])
def test_truncation__is_no_termination(
    make: Callable[..., Any], players: int, skip_forced: bool
) -> None:
    """P12: the watchdog sets ``truncations`` only, pays nothing and leaves no legal action."""
    env = make(players=players, skip_forced=skip_forced)
    rng = np.random.default_rng(0)
    for limit in (12, 30):
        env.reset(seed=limit)
        env.states["decision_limit"] = limit
        taken = 0
        while not is_over(env):
            env.step(random_action(env, rng))
            taken += 1
        assert taken == limit if not skip_forced else taken <= limit
        assert env.states["decisions"][0] >= limit
        assert set(env.truncations.values()) == {True}
        assert set(env.terminations.values()) == {False}
        seen = []
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            assert (reward, terminated, truncated, info) == (0.0, False, True, {})
            assert not observation["action_mask"].any()
            seen.append(agent)
            env.step(None)
        assert sorted(seen) == env.possible_agents


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("after", [0, 25])
def test_illegal_end__is_a_zero_sum_termination(players: int, after: int) -> None:
    """P12: the offender loses 1, the others share it; terminated and not truncated."""
    env = jerusalem_v0.env(players=players)
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in range(after):
        env.step(random_action(env, rng))
    offender = env.agent_selection
    env.step(illegal_action(env))
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}
    totals = {}
    for agent in env.agent_iter():
        observation, totals[agent], terminated, truncated, _ = env.last()
        assert (terminated, truncated) == (True, False)
        assert not observation["action_mask"].any()
        env.step(None)
    assert len(totals) == players
    assert totals.pop(offender) == -1.0
    np.testing.assert_allclose(list(totals.values()), 1 / (players - 1))


def test_normal_end__is_a_termination() -> None:
    """P12: the other way round, so that the flags are not simply swapped."""
    for make in MAKERS:
        env = make(players=2)
        episode(env, 0)
        assert set(env.terminations.values()) == {True}
        assert set(env.truncations.values()) == {False}
        assert any(env.rewards.values())


# --- P13: hidden information ----------------------------------------------------------------------
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__a_redeal_changes_nothing_that_a_seat_sees(
    players: int, information: Information
) -> None:
    """P13: at every ply and for every seat, observation and mask are bit-identical."""
    game = JerusalemGame(players, information=information, skip_forced=False)
    states = game.new_states(4)
    masks = np.zeros((4, game.num_actions), np.uint8)
    again = np.zeros_like(masks)
    game.reset(states, game.derive_seeds(0, 4, 0), masks)
    rng = np.random.default_rng(0)
    changed = {"hand": 0, "pile": 0, "events": 0, "silver": 0, "squires": 0}
    zero = np.zeros(4, np.int64)
    while not game.terminated(states).all():
        for seat in range(players):
            seats = np.full(4, seat)
            others = game.redeal(game.views(states, seats), rng)
            seen = game.observe(states, seats)
            assert seen.tobytes() == game.observe(others, zero).tobytes()
            game.legal(others, again)
            acts = game.to_act(states) == seat
            assert np.array_equal(game.to_act(others) == 0, acts)
            assert np.array_equal(again[acts], masks[acts])
            real = game.turn_seats(states, seat)
            for name in changed:
                changed[name] += int((others[name] != real[name]).any())
        game.step(states, np.maximum(sample_legal(masks, rng), 0), masks)
    wanted = set(changed) if information == "screen" else {"hand", "pile", "events"}
    assert {name for name, times in changed.items() if times} == wanted


@pytest.mark.parametrize("name", ["random", "greedy"])
@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__a_redeal_changes_no_bots_choice(name: str, information: Information) -> None:
    """P13: a bot with the same randomness chooses the same, whatever it does not see."""
    from agents.registry import make_agent

    game = JerusalemGame(3, information=information)
    bot, other_bot = make_agent(name, game), make_agent(name, game)
    bot.reset(1)
    other_bot.reset(1)
    states = game.new_states(8)
    masks = np.zeros((8, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(2, 8, 0), masks)
    rng = np.random.default_rng(2)
    chosen: set[int] = set()
    while not game.terminated(states).any():
        views = game.views(states)
        others = game.redeal(views, rng)
        other_masks = np.zeros_like(masks)
        game.legal(others, other_masks)
        actions = bot.act(views, masks)
        again = other_bot.act(game.views(others), other_masks)
        np.testing.assert_array_equal(actions, again)
        chosen.update(actions.tolist())
        assert game.step(states, actions, masks) == -1
    assert len(chosen) > 20


def swapped(position: dict[str, Any], seat: int, information: Information) -> dict[str, Any]:
    """The position with everything turned round that the seat may not see."""
    other = copy.deepcopy(position)
    n = len(other["hands"])
    opponents = [one for one in range(n) if one != seat]
    drafting = position["phase"] == "draft" and position["to_act"] == seat
    unseen = other["pile"] + [card for one in opponents for card in other["hands"][one]]
    unseen += [] if drafting else other["draft_pool"]
    unseen = unseen[::-1]
    for one in opponents:
        size = len(other["hands"][one])
        other["hands"][one], unseen = sorted(unseen[:size]), unseen[size:]
    if not drafting:
        size = len(other["draft_pool"])
        other["draft_pool"], unseen = sorted(unseen[:size]), unseen[size:]
    other["pile"] = unseen
    face_up = max(0, other["round"] - 1)  # the event of round 2 is the first
    other["events"] = other["events"][:face_up] + other["events"][face_up:][::-1]
    if information == "screen":
        for one in opponents:
            other["silver"][one] += 3
            if other["phase"] not in ("open", "bid", "draft"):
                other["squires"][one] += 2
    return other


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__swapping_it_in_a_position_changes_nothing_that_a_seat_sees(
    players: int, information: Information
) -> None:
    """P13: the same through ``position`` and ``set_position``, without ``redeal``."""
    env = jerusalem_v0.raw_env(players, information=information, skip_forced=False)
    one, other = (jerusalem_v0.raw_env(players, information=information) for _ in range(2))
    rng = np.random.default_rng(players)
    for seed in range(2):
        env.reset(seed=seed)
        differed = 0
        while not is_over(env):
            position = env.position()
            for seat, agent in enumerate(env.possible_agents):
                changed = swapped(position, seat, information)
                one.set_position(position)
                other.set_position(changed)
                before, after = one.observe(agent), other.observe(agent)
                for key in before:
                    assert before[key].tobytes() == after[key].tobytes(), (key, agent, position)
                differed += one.state().tobytes() != other.state().tobytes()
            env.step(random_action(env, rng))
        assert differed > 100, "the swap changed next to nothing"


@pytest.mark.parametrize("information", INFORMATION)
def test_hidden__screen_hides_more_than_recall(information: Information) -> None:
    """P13: silver that opponents gained shows in an observation with perfect memory only."""
    env = jerusalem_v0.raw_env(players=3, information=information, skip_forced=False)
    env.reset(seed=0)
    before = env.observe("player_0")["observation"]
    position = env.position()
    position["silver"][1] += 5
    env.set_position(position)
    same = np.array_equal(env.observe("player_0")["observation"], before)
    assert same == (information == "screen")


# --- P15: perspective -----------------------------------------------------------------------------
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("reward", REWARDS)
def test_turned_table__looks_the_same_and_pays_turned(
    players: int, information: Information, reward: str
) -> None:
    """P15: the same actions at a turned table give each player the same sights and returns."""
    game = JerusalemGame(players, information=information, reward=reward)
    for by in range(1, players):
        states = game.new_states(6)
        masks = np.zeros((6, game.num_actions), np.uint8)
        game.reset(states, game.derive_seeds(by, 6, 0), masks)
        turned, turned_masks = game.turn_seats(states, by), masks.copy()
        rng = np.random.default_rng(by)
        while not game.terminated(states).all():
            for seat in range(players):
                there = np.full(6, (seat - by) % players)
                here = game.observe(states, np.full(6, seat))
                assert here.tobytes() == game.observe(turned, there).tobytes()
            assert np.array_equal(masks, turned_masks)
            running = game.to_act(states) >= 0
            expected = (game.to_act(states) - by) % players
            assert np.array_equal(game.to_act(turned)[running], expected[running])
            actions = np.maximum(sample_legal(masks, rng), 0)
            assert game.step(states, actions, masks) == -1
            assert game.step(turned, actions, turned_masks) == -1
        paid = game.utilities(states)
        np.testing.assert_array_equal(game.utilities(turned), np.roll(paid, -by, axis=1))
        assert not np.array_equal(paid, np.roll(paid, -by, axis=1))


# --- P16: global generators -----------------------------------------------------------------------
def global_generators() -> bytes:
    """State of numpy's and Python's global generators."""
    return pickle.dumps((np.random.get_state(), random.getstate()))  # noqa: NPY002


def use_everything(seed: int | None) -> bytes:
    """Play in every environment; returns the last records."""
    env = jerusalem_v0.env(players=3, render_mode="ansi")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while not is_over(env):
        env.render()
        env.state()
        env.step(random_action(env, rng))
    batch = jerusalem_v0.batch_env(4)
    batch.reset(seed=seed)
    solo = jerusalem_v0.solo_env(players=3)
    _, info = solo.reset(seed=seed)
    played = []
    for _ in range(60):
        batch.step(batch.sample_actions(rng))
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        seen, reward, terminated, truncated, info = solo.step(action)
        played.append(pickle.dumps((seen, reward)))
        if terminated or truncated:
            _, info = solo.reset()
    views = batch.game.views(batch.states)
    dealt = batch.game.redeal(views, np.random.default_rng(seed))
    records = b"".join(fields_of(states) for states in (env.states, batch.states, dealt))
    return records + b"".join(played)


@pytest.mark.parametrize("seed", [0, None])
def test_global_generators__are_left_alone(seed: int | None) -> None:
    """P16: nothing is drawn from them, with or without a seed."""
    before = global_generators()
    use_everything(seed)
    assert global_generators() == before


def test_global_generators__have_no_influence(monkeypatch: pytest.MonkeyPatch) -> None:
    """P16: whatever state they are in, the same seeds play the same games."""
    before = np.random.get_state(), random.getstate()  # noqa: NPY002
    runs = []
    try:
        for disturbance in (1, 2):
            np.random.seed(disturbance)  # noqa: NPY002
            random.seed(disturbance)
            runs.append(use_everything(0))
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])
    assert runs[0] == runs[1]
    assert use_everything(1) != runs[0]


# --- P17: determinism, and that its test tests something ------------------------------------------
def check_determinism(make: Callable[[], Any], seed: int = 7) -> None:
    """Two environments play the same game from the same seed; says at which ply they part."""
    one, other = make(), make()
    one.reset(seed=seed)
    other.reset(seed=seed)
    rng = np.random.default_rng(seed)
    ply = 0
    while not is_over(one):
        assert fingerprint(one) == fingerprint(other), f"ply {ply}"
        action = random_action(one, rng)
        one.step(action)
        other.step(action)
        ply += 1
    assert fingerprint(one) == fingerprint(other), f"ply {ply}"
    assert ply > 30


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("information", INFORMATION)
def test_determinism__same_seed_same_game(
    make: Callable[..., Any], players: int, information: Information
) -> None:
    """P17: step for step, everything that can be seen."""
    check_determinism(lambda: make(players=players, information=information))


def add_silver(env: GameAECEnv) -> None:
    """A fault in the record."""
    env.states["silver"][0, 0] += 1


def pay_early(env: GameAECEnv) -> None:
    """A fault in the rewards."""
    env.rewards["player_1"] += 1e-9


def drop_a_legal_action(env: GameAECEnv) -> None:
    """A fault in the mask."""
    env._masks[0, np.flatnonzero(env._masks[0])[0]] = 0


def tell_more(env: GameAECEnv) -> None:
    """A fault in the infos."""
    env.infos["player_2"]["faulty"] = True


@pytest.mark.parametrize("fault", [add_silver, pay_early, drop_a_legal_action, tell_more])
def test_determinism__a_fault_at_step_20_is_noticed(fault: Callable[[GameAECEnv], None]) -> None:
    """P17: one of two environments goes wrong once, and the check says at which step."""

    class Faulty(jerusalem_v0.raw_env):
        steps = 0
        made = 0

        def __init__(self) -> None:
            super().__init__(players=3)
            type(self).made += 1
            self.is_faulty = type(self).made == 2

        def step(self, action: int | None) -> None:
            super().step(action)
            self.steps += 1
            if self.is_faulty and self.steps == 20:
                fault(self)

    with pytest.raises(AssertionError, match=r"^ply 20"):
        check_determinism(Faulty)


def test_determinism__chance_from_elsewhere_is_noticed() -> None:
    """P17: a deal that does not come from the seed alone."""

    class Careless(jerusalem_v0.raw_env):
        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            super().reset(seed=None)

    with pytest.raises(AssertionError, match=r"^ply 0"):
        check_determinism(lambda: Careless(players=3))


# --- P18: seeds and batches -----------------------------------------------------------------------
def actions_by_number(states: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """A legal action for each game that depends on its record only."""
    picks = states["decisions"].astype(np.int64) * 7919 % masks.sum(axis=1, dtype=np.int64)
    order = np.argsort(masks == 0, axis=1, kind="stable")  # legal ones first
    return order[np.arange(len(masks)), picks]


@pytest.mark.parametrize("players", PLAYERS)
def test_batch__game_i_is_the_same_alone_and_among_1024(players: int) -> None:
    """P18: its place, its neighbours and the size of the batch are nothing to a game."""
    game = JerusalemGame(players)
    seeds = game.derive_seeds(5, 1024, 0)
    states, masks = game.new_states(1024), np.zeros((1024, game.num_actions), np.uint8)
    game.reset(states, seeds, masks)
    places = (0, 1, 511, 1023)
    alone = []
    for place in places:
        one, mask = game.new_states(1), np.zeros((1, game.num_actions), np.uint8)
        game.reset(one, seeds[place : place + 1], mask)
        alone.append((one, mask))
    for _ in range(40):
        for place, (one, mask) in zip(places, alone, strict=True):
            assert fields_of(states[place : place + 1]) == fields_of(one)
            assert np.array_equal(masks[place], mask[0])
            game.step(one, actions_by_number(one, mask), mask)
        game.step(states, actions_by_number(states, masks), masks)
    assert len(np.unique(states["silver"], axis=0)) > 50, "the games are all the same"


def test_seeds__neighbours_share_nothing() -> None:
    """P18: piles of the seeds s and s + 1 agree no more than shuffled ones; no deal comes twice."""
    game = JerusalemGame(4)
    number = 2000
    states = game.new_states(number + 1)
    masks = np.zeros((number + 1, game.num_actions), np.uint8)
    game.reset(states, np.arange(number + 1, dtype=np.uint64), masks)
    top, size = int(states["pile_top"][0]), int(states["pile_size"][0])
    assert (states["pile_top"] == top).all()
    assert (states["pile_size"] == size).all()
    piles = states["pile"][:, top : top + size]
    deals = {pile.tobytes() for pile in piles}
    assert len(deals) == number + 1
    cards = np.bincount(piles[0])
    by_chance = float((cards * cards).sum()) / size**2
    for apart in (1, 2, 256):
        agreeing = (piles[apart:] == piles[:-apart]).mean(axis=0)  # by place
        assert np.abs(agreeing - by_chance).max() < 0.05
        assert abs(agreeing.mean() - by_chance) < 0.01
    for name in ("opener", "events"):
        values = states[name].astype(np.int64)
        same = (values[1:] == values[:-1]).mean()
        assert abs(same - 0.25) < 0.04, name


def test_seeds__batches_with_neighbouring_seeds_share_no_game() -> None:
    """P18: nor do the episodes of one batch."""
    game = JerusalemGame(4)
    seen: set[int] = set()
    for seed in range(20):
        for number in range(3):
            seen.update(game.derive_seeds(seed, 1024, number).tolist())
    assert len(seen) == 20 * 3 * 1024


# --- P19: buffers ---------------------------------------------------------------------------------
@pytest.mark.parametrize("make", MAKERS)
def test_arrays__stay_as_they_were_given(make: Callable[..., Any]) -> None:
    """P19: what was stored is unchanged 100 steps later, and nobody shares it."""
    env = make(players=4)
    env.reset(seed=6)
    rng = np.random.default_rng(6)
    given: list[np.ndarray] = []
    for _ in range(10):
        for agent in env.possible_agents:
            seen = env.observe(agent)
            given += [seen["observation"], seen["action_mask"]]
        given.append(env.last()[0]["observation"])
        given.append(env.state())
        env.step(random_action(env, rng))
    position = env.position()
    written = repr(position)
    kept = [array.copy() for array in given]
    for _ in range(100):
        env.step(random_action(env, rng))
        env.observe(env.agent_selection)
        env.state()
    for array, before in zip(given, kept, strict=True):
        np.testing.assert_array_equal(array, before)
    assert repr(position) == written
    for index, array in enumerate(given):
        assert not any(np.shares_memory(array, other) for other in given[index + 1 : index + 9])


@pytest.mark.parametrize("make", MAKERS)
def test_arrays__are_the_callers_to_write_into(make: Callable[..., Any]) -> None:
    """P19: the other way round, writing into what was given changes no game."""
    env, untouched = make(players=3), make(players=3)
    env.reset(seed=8)
    untouched.reset(seed=8)
    rng = np.random.default_rng(8)
    while not is_over(untouched):
        waiting = next(a for a in env.possible_agents if a != env.agent_selection)
        seen = env.observe(waiting)
        seen["observation"][:] = 1
        seen["action_mask"][:] = 1
        env.unwrapped.observe(env.agent_selection)["action_mask"][:] = 0
        env.state()[:] = 0
        position = env.position()
        position["silver"][:] = [0] * 3
        position["ruleset"]["rounds"] = 1
        action = random_action(untouched, rng)
        env.step(action)
        untouched.step(action)
        assert fingerprint(env) == fingerprint(untouched)


# --- P20: what an episode leaves over -------------------------------------------------------------
def end_illegally(env: Any) -> None:
    """End a game by an illegal action, or get the error for it."""
    if env is env.unwrapped:
        with pytest.raises(IllegalActionError):
            env.step(illegal_action(env))
    else:
        env.observe(env.agent_selection)
        env.step(illegal_action(env))
        assert is_over(env)


def end_illegally_and_leave(env: Any) -> None:
    """The same, and every agent takes its leave."""
    end_illegally(env)
    if env is not env.unwrapped:
        while env.agents:
            env.step(None)


def end_truncated(env: Any) -> None:
    """Let the watchdog stop the game; its limit is a setting and stays until it is set again."""
    limit = env.states["decision_limit"].copy()
    env.states["decision_limit"] = 15
    play_out(env, np.random.default_rng(0))
    env.states["decision_limit"] = limit
    assert set(env.truncations.values()) == {True}


def end_nowhere(env: Any) -> None:
    """Break off in the middle."""
    play_out(env, np.random.default_rng(0), most=40)
    env.observe(env.agent_selection)


def end_properly(env: Any) -> None:
    """Play to the end, and every agent takes its leave."""
    play_out(env, np.random.default_rng(0))
    while env.agents:
        env.step(None)


def end_in_another_rule_set(env: Any) -> None:
    """Go on from a position with other switches."""
    other = jerusalem_v0.raw_env(rules=RuleSet(players=3, rounds=2, influence_ignores_baron=True))
    other.reset(seed=0)
    play_out(other, np.random.default_rng(0), most=20)
    env.set_position(other.position())
    play_out(env, np.random.default_rng(0), most=5)


ENDS = (
    end_illegally,
    end_illegally_and_leave,
    end_truncated,
    end_nowhere,
    end_properly,
    end_in_another_rule_set,
)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("end", ENDS)
def test_second_episode__equals_a_fresh_instances(
    make: Callable[..., Any], end: Callable[[Any], None]
) -> None:
    """P20: however the first one ended."""
    env = make(players=3)
    env.reset(seed=1)
    play_out(env, np.random.default_rng(1), most=10)
    end(env)
    assert episode(env, 9) == episode(make(players=3), 9)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("end", ENDS)
def test_position__set_after_an_episode_equals_a_fresh_instances(
    make: Callable[..., Any], end: Callable[[Any], None]
) -> None:
    """P20: ``set_position`` begins a game as well as ``reset``, however the one before ended."""
    source = jerusalem_v0.raw_env(players=3)
    source.reset(seed=2)
    play_out(source, np.random.default_rng(2), most=30)
    runs = []
    for first in (end, None):
        env = make(players=3)
        if first is not None:
            env.reset(seed=1)
            first(env)
        env.set_position(source.position())
        runs.append(play_out(env, np.random.default_rng(3)))
    assert runs[0] == runs[1]
    assert len(runs[0]) > 20


def test_gymnasium__does_not_warn_of_the_registered_id() -> None:
    """P6: the id is known, once, and made without a word."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("Jerusalem-v0", players=2)
    assert isinstance(env.action_space, gymnasium.spaces.Discrete)
    assert env.action_space.n == 309
