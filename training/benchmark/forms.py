"""Every form of use of a game as a workload: uniformly random legal play, usual players and rules.

A decision is one choice of a seat with at least two legal actions; forced ones are taken by the
environments and not counted. For forms with one learner only the learner's decisions count, with
its bots' decisions played in between. Finished games are dealt anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from agents.base import Agent
from jerusalem_env.chance import sample_packed
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.envs.opponents import Opponent, compiled_policies
from jerusalem_env.envs.solo import SoloEnv
from jerusalem_env.envs.vector import SoloVectorEnv
from jerusalem_env.game import Game
from jerusalem_env.games import USUAL_GAME, make_game, make_raw_env
from jerusalem_env.kernels import thread_limit
from jerusalem_env.policies import new_log

from .measure import Run, Workload, run_for

SIZES = (1, 16, 64, 256, 1024, 4096, 16384, 65536)
_SETTLED = 1.5  # games finished a place before measuring


def threads_text(threads: int) -> str:
    """``"1 thread"``, ``"2 threads"``."""
    return f"{threads} thread{'s' * (threads > 1)}"


def _settle(step: Callable[[], tuple[int, int]], places: int) -> None:
    """Play until the games of a batch are at all stages, each having ended once or more."""
    finished = 0
    while finished < _SETTLED * places:
        finished += step()[1]


def batch_run(name: str, games: int, dtype: str | None, threads: int, seed: int) -> Run:
    """The batch of all seats: sample, step, again."""
    batch = BatchEnv(make_game(name), games, dtype, copy=False, threads=threads)
    rng = np.random.default_rng(seed)
    batch.reset(seed=seed)
    steps = max(1, 4096 // games)

    def step() -> tuple[int, int]:
        finished = 0
        for _ in range(steps):
            infos = batch.step(batch.sample_actions(rng))[5]
            if infos:
                finished += len(infos["finished"])
        return steps * games, finished

    _settle(step, games)
    return lambda seconds: run_for(seconds, step)


def views_run(name: str, bot: str, games: int, seed: int) -> Run:
    """Bots decide for all seats of a batch without observations, from their views."""
    from agents.registry import make_agent

    game = make_game(name)
    batch = BatchEnv(game, games, None, copy=False)
    masks = batch.reset(seed=seed)[1]
    agent = make_agent(bot, game)

    def step() -> tuple[int, int]:
        infos = batch.step(agent.act(game.views(batch.states), masks))[5]
        return games, len(infos.get("finished", ()))

    _settle(step, games)
    return lambda seconds: run_for(seconds, step)


def aec_run(name: str, seed: int) -> Run:
    """``raw_env`` with ``last()`` at every decision."""
    env = make_raw_env(name)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)

    def step() -> tuple[int, int]:
        for decisions in range(200):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                return decisions, 1
            assert observation is not None
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(rng.random() * len(legal))]))
        return 200, 0

    return lambda seconds: run_for(seconds, step)


def solo_run(name: str, opponents: str, seed: int) -> Run:
    """``gymnasium.make``: one table."""
    env = SoloEnv(make_game(name), opponents=opponents)
    rng = np.random.default_rng(seed)
    state: dict[str, Any] = {"mask": env.reset(seed=seed)[1]["action_mask"]}

    def step() -> tuple[int, int]:
        games = 0
        for _ in range(50):
            legal = np.flatnonzero(state["mask"])
            action = int(legal[int(rng.random() * len(legal))])
            _, _, terminated, truncated, info = env.step(action)
            if terminated or truncated:
                games += 1
                info = env.reset()[1]
            state["mask"] = info["action_mask"]
        return 50, games

    return lambda seconds: run_for(seconds, step)


def vector_run(
    name: str, tables: int, opponents: str | Sequence[str | Opponent], threads: int, seed: int
) -> Run:
    """``gymnasium.make_vec``."""
    env = SoloVectorEnv(make_game(name), tables, opponents, threads=threads, copy=False)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)

    def step() -> tuple[int, int]:
        infos = env.step(sample_packed(env.tables.arrays.legal, rng, threads))[4]
        return tables, int(infos["_final_obs"].sum()) if "_final_obs" in infos else 0

    _settle(step, tables)
    return lambda seconds: run_for(seconds, step)


def sb3_run(name: str, tables: int, opponents: str, seed: int) -> Run:
    """The stable-baselines3 ``VecEnv``, its masks asked for as MaskablePPO asks."""
    from jerusalem_env.chance import sample_legal
    from jerusalem_env.envs.sb3 import SoloVecEnv

    env = SoloVecEnv(make_game(name), tables, opponents, seed=seed)
    rng = np.random.default_rng(seed)
    env.reset()

    def step() -> tuple[int, int]:
        masks = np.stack(env.env_method("action_masks"))
        dones = env.step(sample_legal(masks, rng))[2]
        return tables, int(dones.sum())

    _settle(step, tables)
    return lambda seconds: run_for(seconds, step)


def whole_games_run(name: str, bot: str, games: int, threads: int, seed: int) -> Run:
    """A compiled bot in all seats, whole games inside the kernel."""
    from agents.registry import make_agent

    game = make_game(name)
    policies = compiled_policies([make_agent(bot, game)])
    assert policies is not None
    policy_of = np.zeros((games, game.players), dtype=np.int64)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    states = game.new_states(games)

    def step() -> tuple[int, int]:
        seeds = game.derive_seeds(seed, games, 0)
        game.reset(states, seeds, masks)
        log = new_log(games, 0)
        game.play_on(states, seeds, policy_of, policies, threads, log)
        return int(states["decisions"].sum()), games

    step()
    return lambda seconds: run_for(seconds, step)


def mid_game(game: Game, bot: Agent, games: int, seed: int) -> np.ndarray:
    """(games,) states half-way, by decisions, through games that a bot plays in all seats."""
    lengths = _play(game, bot, seed, np.full(games, np.iinfo(np.int64).max))[1]
    states = _play(game, bot, seed, lengths // 2)[0]
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    assert masks.any(axis=1).all(), f"{bot.name} does not play the same games again"
    return states


def _play(game: Game, bot: Agent, seed: int, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States of games after so many decisions (G,) of a bot, or over; and how many there were."""
    bot.reset(seed)
    games = len(most)
    states, taken = game.new_states(games), np.zeros(games, dtype=np.int64)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(seed, games, 0), masks)
    while len(rows := np.flatnonzero(masks.any(axis=1) & (taken < most))):
        now, now_masks = states[rows], masks[rows]
        game.step(now, bot.act(game.views(now), now_masks), now_masks)
        states[rows], masks[rows] = now, now_masks
        taken[rows] += 1
    return states, taken


def search_run(name: str, simulations: int, threads: int, seed: int) -> Run:
    """Searches from the middle of the game: a decision each, a playout in every simulation."""
    from agents.registry import make_agent, search_agent, usual_agent

    game = make_game(name)
    agent = search_agent(game, simulations=simulations, threads=threads)
    states = mid_game(game, make_agent(usual_agent(name), game), 64, seed)
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    views = game.views(states)

    def step() -> tuple[int, int]:
        agent.act(views, masks)
        return len(views), int(agent.playouts)

    step()
    return lambda seconds: run_for(seconds, step)


def workloads(
    games: int, sizes: Iterable[int], seed: int = 0, game_name: str = USUAL_GAME
) -> list[Workload]:
    """All forms of use of a game; ``games`` is the size of the main batch."""
    from agents.registry import make_agent, simple_agent, usual_agent

    most, game = thread_limit(), make_game(game_name)
    found: list[Workload] = []
    simple, usual = simple_agent(game_name), usual_agent(game_name)
    bots = tuple(dict.fromkeys(("random", simple)))

    def add(group: str, name: str, mode: str, prepare: Any, *arguments: Any) -> None:
        found.append(Workload(group, name, mode, lambda: prepare(game_name, *arguments)))

    written = (
        ("float32", "mask and float32 observation"),
        ("uint8", "mask and uint8 observation"),
        (None, "mask only"),
    )
    for dtype, what in written:
        for threads in sorted({1, most}):
            mode = f"{games:,} games, {threads_text(threads)}"
            add("batch", what, mode, batch_run, games, dtype, threads, seed)
    for size in sizes:
        games_text = f"{size:,} game{'s' * (size > 1)}"
        mode = f"{games_text}, {threads_text(most if size >= 128 else 1)}"
        threads = min(size, most if size >= 128 else 1)
        add(
            "batch size",
            "mask and float32 observation",
            mode,
            batch_run,
            size,
            "float32",
            threads,
            seed,
        )
    add("forms", "AEC raw_env", "last() at every decision", aec_run, seed)
    for opponents in bots:
        add("forms", f"gymnasium.make, {opponents} bots", "one table", solo_run, opponents, seed)
    for opponents in bots:
        for threads in sorted({1, most}):
            mode = f"{games:,} tables, {threads_text(threads)}"
            add(
                "forms",
                f"gymnasium.make_vec, {opponents} bots",
                mode,
                vector_run,
                games,
                opponents,
                threads,
                seed,
            )
    if find_spec("stable_baselines3") is not None:
        for opponents in bots:
            name = f"SB3 VecEnv, {opponents} bots"
            add("forms", name, "1,024 tables", sb3_run, 1024, opponents, seed)
    mode = f"batch of {games:,}, from views"
    add("forms", f"{simple} bots in all seats", mode, views_run, simple, games, seed)
    if game.plays_compiled and compiled_policies([make_agent(usual, game)]) is not None:
        for threads in sorted({1, most}):
            mode = f"{games:,} games, {threads_text(threads)}"
            name = f"{usual} in all seats"
            add("bots", name, mode, whole_games_run, usual, games, threads, seed)
    if game.simulation is not None:
        for threads in sorted({1, most}):
            mode = f"mid-game, 1,000 simulations, {threads_text(threads)}"
            add("bots", "mcts", mode, search_run, 1000, threads, seed)
    return found
