"""``jerusalem warmup``: compile everything ahead and keep it, and say what was done.

Without it each form of use compiles what it needs when it is first used. What is compiled is kept
in the cache folder until the package changes; this command then finds it there. All games, unless
one is named.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from agents.registry import bot_names, make_agent, standard_policies
from jerusalem_env.bits import unpack_rows
from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.envs.batch import BatchEnv
from jerusalem_env.envs.solo import SoloEnv
from jerusalem_env.envs.tables import Tables
from jerusalem_env.game import INFORMATION_MODES, Game
from jerusalem_env.games import (
    USUAL_GAME,
    add_game_argument,
    counts_text,
    make_game,
    player_counts,
    registered_games,
    short_name,
    usual_players,
)
from jerusalem_env.kernels import (
    cache_folder,
    compile_statistics,
    quiet_compilation,
    thread_limit,
)

_GAMES = 128


def bots_of(game_name: str) -> tuple[tuple[str, ...], ...]:
    """Bots that tables are compiled for: each standard one alone, and the two simplest together."""
    known = bot_names(game_name)
    names = [one.name for one in standard_policies(game_name) if one.name in known]
    together = [tuple(names[:2])] if len(names) > 1 else []
    return (*((name,) for name in names[:2]), *together, *((name,) for name in names[2:]))


def single(game: Game) -> None:
    """``raw_env``, with everything it can do."""
    env = GameAECEnv(game)
    env.reset(seed=0)
    observation = env.last()[0]
    assert observation is not None
    env.step(int(np.flatnonzero(observation["action_mask"])[0]))
    env.state()
    game.utilities(env.states)
    env.set_position(env.position())


def views(game: Game) -> None:
    """Views, redealt states, and agents that act on views."""
    states = game.new_states(2)
    masks = np.zeros((2, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(0, 2, 0), masks)
    seen = game.views(states)
    game.encode(seen)
    game.redeal(seen, np.random.default_rng(0))
    game.turn_seats(states, 1)
    names = dict.fromkeys(name for bots in bots_of(game.name) for name in bots)
    for name in (*names, *(("mcts:4",) if game.simulation is not None else ())):
        make_agent(name, game).act(seen[:1], masks[:1])
    SoloEnv(game).reset(seed=0)


def batch(game: Game, dtype: str | None, threads: int) -> None:
    """A batch of all seats."""
    env = BatchEnv(game, _GAMES, dtype, threads=threads)
    env.reset(seed=0)
    env.step(env.sample_actions(np.random.default_rng(0)))
    env.set_states(env.states)
    for out in (np.float32, np.uint8):
        game.observe_all_seats(
            env.states[:1], np.empty((1, game.players, game.observation_size), out)
        )


def tables(game: Game, bots: tuple[str, ...], dtype: str, threads: int) -> None:
    """Tables with one learner against compiled bots."""
    env = Tables(game, _GAMES, bots, threads=threads, observation_dtype=dtype)
    env.reset(0)
    unpack_rows(env.arrays.legal, env.masks)


def whole_games(game: Game, threads: int) -> None:
    """Named bots at all seats, as evaluations and arenas play them."""
    states = game.new_states(4)
    masks = np.zeros((4, game.num_actions), dtype=np.uint8)
    seeds = game.derive_seeds(0, 4, 0)
    game.reset(states, seeds, masks)
    policy_of = np.zeros((4, game.players), dtype=np.int64)
    game.legal(states, masks)
    game.play_on(states, seeds, policy_of, standard_policies(game.name), threads)


def searching(game: Game) -> None:
    """A search of several views at once."""
    states = game.new_states(2)
    masks = np.zeros((2, game.num_actions), dtype=np.uint8)
    game.reset(states, game.derive_seeds(0, 2, 0), masks)
    make_agent("mcts:4", game).act(game.views(states), masks)


Task = tuple[str, Callable[[], None]]


def tasks(
    players: tuple[int, ...], information: tuple[str, ...], game_name: str = USUAL_GAME
) -> Iterator[Task]:
    """All there is to compile of a game: what it is for, and a call that makes it compile."""
    counts = sorted({1, thread_limit()})
    for n in players:
        for mode in information:
            game: Any = make_game(game_name, n, information=mode)
            where = f"{n} players, {mode}"
            yield f"{where}: raw_env", lambda game=game: single(game)  # type: ignore[misc]
            yield f"{where}: views, bots", lambda game=game: views(game)  # type: ignore[misc]
            if game.simulation is not None:
                yield f"{where}: search", lambda game=game: searching(game)  # type: ignore[misc]
            for threads in counts if game.plays_compiled else ():
                form = f"{threads} thread{'s' * (threads > 1)}"
                yield (
                    f"{where}: bots at all seats, {form}",
                    lambda g=game, t=threads: whole_games(g, t),  # type: ignore[misc]
                )
            for dtype in ("float32", "uint8"):
                for threads in counts:
                    form = f"{dtype}, {threads} thread{'s' * (threads > 1)}"
                    yield (
                        f"{where}: batch_env, {form}",
                        lambda g=game, d=dtype, t=threads: batch(g, d, t),  # type: ignore[misc]
                    )
                    for bots in bots_of(game_name) if game.plays_compiled else ():
                        yield (
                            f"{where}: one seat against {' and '.join(bots)}, {form}",
                            lambda g=game, b=bots, d=dtype, t=threads: tables(g, b, d, t),  # type: ignore[misc]
                        )


def _counts(name: str, players: list[int] | None) -> tuple[int, ...]:
    """The numbers of players to compile a game for, the largest first."""
    can = player_counts(name) or (usual_players(name),)
    return tuple(sorted({n for n in can if players is None or n in players}, reverse=True))


def main(arguments: list[str]) -> int:
    """The command ``jerusalem warmup``."""
    parser = argparse.ArgumentParser(prog="jerusalem warmup", description=__doc__)
    add_game_argument(parser, default=None)
    parser.add_argument(
        "--players", type=int, nargs="+", help="numbers of players (all that a game can have)"
    )
    parser.add_argument(
        "--information",
        nargs="+",
        default=["screen"],
        choices=INFORMATION_MODES,
        help="(screen)",
    )
    parser.add_argument(
        "--only", nargs="+", default=[""], help="only forms with one of these texts in their name"
    )
    options = parser.parse_args(arguments)
    names = (options.game,) if options.game else registered_games()
    counts = {name: _counts(name, options.players) for name in names}
    if not any(counts.values()):
        can = "; ".join(f"{short_name(n)} {counts_text(player_counts(n))}" for n in names)
        parser.error(f"--players: these numbers of players are possible: {can}")
    work = [
        (f"{short_name(name)}, {what}", task)
        for name in names
        for what, task in tasks(counts[name], tuple(options.information), name)
        if any(text in what for text in options.only)
    ]
    folder = cache_folder()
    print(f"{len(work)} forms of use; compiled code is kept in {folder}", flush=True)
    began = time.perf_counter()
    with quiet_compilation():
        for number, (name, task) in enumerate(work, 1):
            before, started = compile_statistics()[0], time.perf_counter()
            task()
            seconds, compiled = time.perf_counter() - started, compile_statistics()[0] - before
            what = f"compiled {compiled} in {seconds:.1f} s" if compiled else "already there"
            print(f"{number:>3}/{len(work)}  {name:<76} {what}", flush=True)
    compiled = compile_statistics()[0]
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []
    size = sum(path.stat().st_size for path in files) / 2**20
    print(
        f"{compiled} functions compiled in {time.perf_counter() - began:.0f} s; "
        f"{folder} holds {size:.0f} MB"
    )
    return 0
