"""Every form of use as a workload: uniformly random legal play, 4 players, default rules.

A decision is one choice of a seat with at least two legal actions; forced ones are taken by the
environments and not counted. For forms with one learner only the learner's decisions count, with
its bots' decisions played in between. Finished games are dealt anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from jerusalem_env import jerusalem_v0
from jerusalem_env.chance import sample_packed
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.envs.opponents import Opponent, compiled_policies
from jerusalem_env.envs.vector import SoloVectorEnv
from jerusalem_env.jerusalem.game import JerusalemGame
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


def batch_run(games: int, dtype: str | None, threads: int, seed: int) -> Run:
    """The batch of all seats: sample, step, again."""
    batch = BatchEnv(JerusalemGame(), games, dtype, copy=False, threads=threads)
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


def greedy_run(games: int, seed: int) -> Run:
    """Compiled bots decide for all seats of a batch without observations, from their views."""
    from agents.greedy import GreedyAgent

    game = JerusalemGame()
    batch = BatchEnv(game, games, None, copy=False)
    masks = batch.reset(seed=seed)[1]
    agent = GreedyAgent()

    def step() -> tuple[int, int]:
        infos = batch.step(agent.act(game.views(batch.states), masks))[5]
        return games, len(infos.get("finished", ()))

    _settle(step, games)
    return lambda seconds: run_for(seconds, step)


def aec_run(seed: int) -> Run:
    """``raw_env`` with ``last()`` at every decision."""
    env = jerusalem_v0.raw_env()
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


def solo_run(opponents: str, seed: int) -> Run:
    """``gymnasium.make("Jerusalem-v0")``: one table."""
    env = jerusalem_v0.solo_env(opponents=opponents)
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
    tables: int, opponents: str | Sequence[str | Opponent], threads: int, seed: int
) -> Run:
    """``gymnasium.make_vec("Jerusalem-v0")``."""
    env = SoloVectorEnv(JerusalemGame(), tables, opponents, threads=threads, copy=False)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)

    def step() -> tuple[int, int]:
        infos = env.step(sample_packed(env.tables.arrays.legal, rng, threads))[4]
        return tables, int(infos["_final_obs"].sum()) if "_final_obs" in infos else 0

    _settle(step, tables)
    return lambda seconds: run_for(seconds, step)


def sb3_run(tables: int, opponents: str, seed: int) -> Run:
    """The stable-baselines3 ``VecEnv``, its masks asked for as MaskablePPO asks."""
    from jerusalem_env.chance import sample_legal
    from jerusalem_env.envs.sb3 import SoloVecEnv

    env = SoloVecEnv(JerusalemGame(), tables, opponents, seed=seed)
    rng = np.random.default_rng(seed)
    env.reset()

    def step() -> tuple[int, int]:
        masks = np.stack(env.env_method("action_masks"))
        dones = env.step(sample_legal(masks, rng))[2]
        return tables, int(dones.sum())

    _settle(step, tables)
    return lambda seconds: run_for(seconds, step)


def expert_run(games: int, threads: int, seed: int) -> Run:
    """The tuned scripted player in all seats, whole games inside the kernel."""
    from agents.registry import make_agent

    game = JerusalemGame()
    policies = compiled_policies([make_agent("expert", game)])
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


def mid_game(games: int, seed: int) -> np.ndarray:
    """(games,) states between scripted players, at the first turn of the third of five rounds."""
    from agents.registry import make_agent
    from jerusalem_env.jerusalem.engine.layout import PHASE_TURN

    game = JerusalemGame()
    agent = make_agent("expert", game)
    states = game.new_states(games)
    masks = np.zeros((games, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(seed, games, 0), masks)
    while True:
        early = (states["round"] < 3) | (states["phase"] != PHASE_TURN)
        rows = np.flatnonzero(early)
        if not len(rows):
            return states
        now, now_masks = states[rows], masks[rows]
        game.step(now, agent.act(game.views(now), now_masks), now_masks)
        states[rows], masks[rows] = now, now_masks


def search_run(simulations: int, threads: int, seed: int) -> Run:
    """Searches from the middle of the game: a decision each, a playout in every simulation."""
    from agents.registry import make_agent
    from agents.scripted.agent import ScriptedAgent, guide_of
    from agents.search.agent import SearchAgent

    game = JerusalemGame()
    expert = make_agent("expert", game)
    assert isinstance(expert, ScriptedAgent)
    agent = SearchAgent(game, guide_of(expert), simulations=simulations, threads=threads)
    states = mid_game(64, seed)
    masks = np.zeros((len(states), game.num_actions), dtype=np.uint8)
    game.legal(states, masks)
    views = game.views(states)

    def step() -> tuple[int, int]:
        agent.act(views, masks)
        return len(views), int(agent.playouts)

    step()
    return lambda seconds: run_for(seconds, step)


def workloads(games: int, sizes: Iterable[int], seed: int = 0) -> list[Workload]:
    """All forms of use; ``games`` is the size of the main batch."""
    most = thread_limit()
    found: list[Workload] = []

    def add(group: str, name: str, mode: str, prepare: Any, *arguments: Any) -> None:
        found.append(Workload(group, name, mode, lambda: prepare(*arguments)))

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
    for opponents in ("random", "greedy"):
        add("forms", f"gymnasium.make, {opponents} bots", "one table", solo_run, opponents, seed)
    for opponents in ("random", "greedy"):
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
        for opponents in ("random", "greedy"):
            name = f"SB3 VecEnv, {opponents} bots"
            add("forms", name, "1,024 tables", sb3_run, 1024, opponents, seed)
    mode = f"batch of {games:,}, from views"
    add("forms", "greedy bots in all seats", mode, greedy_run, games, seed)
    for threads in sorted({1, most}):
        mode = f"{games:,} games, {threads_text(threads)}"
        add("bots", "expert in all seats", mode, expert_run, games, threads, seed)
    for threads in sorted({1, most}):
        mode = f"mid-game, 1,000 simulations, {threads_text(threads)}"
        add("bots", "mcts", mode, search_run, 1000, threads, seed)
    return found
