"""Other environments, played as ``jerusalem bench --peers`` measures them.

Every peer plays uniformly random legal actions in the fastest mode found for it, with the action
mask (or the list of legal actions, where the library has no mask) and the observation produced at
every decision, and finished games followed by new ones. What counts as a decision is what the
library asks a player for, forced moves included; throws and deals are none. No library is
imported before its peer is prepared.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

# Endless: (decisions, games finished) since the item before. The first item ends the set-up.
Plays = Iterator[tuple[int, int]]

PGX_BATCHES = (64, 256, 1024, 4096, 16_384)
CARTPOLES = 16_384
_DEALS = 100_000


class Run:
    """A peer ready to be measured; each call plays on where the one before stopped.

    Parameters
    ----------
    mode : str
        How it is played, for instance ``"jit + vmap, batch 1024"``.
    plays : iterator
        Yields decisions and games finished, without end.
    seed : int
        Seed of Python's own generator while it plays: some libraries draw from nothing else.
    """

    def __init__(self, mode: str, plays: Plays, seed: int) -> None:
        self.mode = mode
        self._plays = plays
        self._random = random.Random(seed).getstate()

    def __call__(self, seconds: float) -> tuple[int, int, float]:
        """(decisions, games finished, seconds really taken); at least one item is played."""
        outside = random.getstate()
        random.setstate(self._random)
        try:
            decisions = games = 0
            started = perf_counter()
            for made, finished in self._plays:
                decisions += made
                games += finished
                elapsed = perf_counter() - started
                if elapsed >= seconds:
                    return decisions, games, elapsed
        finally:
            self._random = random.getstate()
            random.setstate(outside)
        raise RuntimeError(f"{self.mode}: the plays ended")  # pragma: no cover


@dataclass(frozen=True)
class Peer:
    """An environment of another project.

    Attributes
    ----------
    library : str
        Distribution that it comes from, whose version matters.
    name : str
        Library and game.
    mode : str
        How it is played, as far as known before ``prepare``; ``Run.mode`` says it in full.
    prepare : callable
        Takes the generator that all its seeds come from; imports, builds, compiles, warms up.
    needs : tuple of str
        Top-level modules that it needs beside its library's own.
    lacks : callable
        Says what else is missing although the library is installed, or None.
    """

    library: str
    name: str
    mode: str
    prepare: Callable[[np.random.Generator], Run]
    needs: tuple[str, ...] = ()
    lacks: Callable[[], str | None] = lambda: None


def missing(peer: Peer) -> str | None:
    """Why a peer can't be measured here, or None; imports nothing."""
    try:
        distribution(peer.library)
    except PackageNotFoundError:
        return f"{peer.library} is not installed"
    for module in peer.needs:
        if find_spec(module) is None:
            return f"{module}, which it needs, is not installed"
    return peer.lacks()


def peers() -> tuple[Peer, ...]:
    """All known peers, installed or not."""
    catan = "Gymnasium environment, vector observation; the opponent's moves are not counted"
    return (
        *(_pettingzoo_peer(game, needs) for game, needs in _CLASSIC.items()),
        *(
            _peer("open_spiel", f"OpenSpiel {game}", "one game, numpy observer", _openspiel, game)
            for game in ("backgammon", "gin_rummy", "hearts")
        ),
        *(
            Peer("pgx", f"pgx {game}", "CPU, jit + vmap", partial(_pgx_run, game), ("jax",))
            for game in ("backgammon", "bridge_bidding", "chess", "connect_four")
        ),
        *(
            _peer("rlcard", f"RLCard {game}", "one game, list of legal actions", _rlcard, game)
            for game in ("mahjong", "gin-rummy", "uno", "limit-holdem")
        ),
        _peer(
            "catanatron-gym",
            "catanatron 1 against 1",
            catan,
            _catanatron_gym,
            needs=("catanatron",),
        ),
        _peer("catanatron", "catanatron play only", "2 players, no observation", _catanatron),
        _peer("gymnasium", "Gymnasium CartPole-v1", f"numpy, {CARTPOLES} at once", _cartpole),
    )


def _peer(
    library: str,
    name: str,
    mode: str,
    plays: Callable[..., Plays],
    *arguments: str,
    needs: tuple[str, ...] = (),
) -> Peer:
    """A peer whose mode is known beforehand; its plays are ``plays(*arguments, rng)``."""

    def prepare(rng: np.random.Generator) -> Run:
        return _warm(mode, plays(*arguments, rng), rng)

    return Peer(library, name, mode, prepare, needs)


def _warm(mode: str, plays: Plays, rng: np.random.Generator) -> Run:
    """A run that has played its first item, hence has been set up."""
    run = Run(mode, plays, _seed(rng))
    run(0.0)
    return run


def _seed(rng: np.random.Generator) -> int:
    """A seed that every library takes."""
    return int(rng.integers(1, 2**31 - 1))


# Modules that pettingzoo's extra "classic" brings for each of its games.
_CLASSIC = {
    "connect_four": ("pygame",),
    "chess": ("pygame", "chess"),
    "texas_holdem_no_limit": ("pygame", "rlcard"),
    "gin_rummy": ("pygame", "rlcard"),
}


def _pettingzoo_peer(game: str, needs: tuple[str, ...]) -> Peer:
    mode = "AEC raw_env, last() at every decision"

    def prepare(rng: np.random.Generator) -> Run:
        module = _newest_classic(game)
        assert module is not None
        return _warm(f"{module}, {mode}", _pettingzoo(f"pettingzoo.classic.{module}", rng), rng)

    def lacks() -> str | None:
        return None if _newest_classic(game) else f"this pettingzoo has no {game}"

    return Peer("pettingzoo", f"PettingZoo {game}", mode, prepare, needs, lacks)


def _newest_classic(game: str) -> str | None:
    """Module of a game's newest version; by its file, since the package is not to be imported."""
    folder = Path(str(distribution("pettingzoo").locate_file("pettingzoo/classic")))
    versions = [path.stem.rpartition("_v")[2] for path in folder.glob(f"{game}_v*.py")]
    return f"{game}_v{max(map(int, versions))}" if versions else None


def _pettingzoo(module: str, rng: np.random.Generator) -> Plays:
    """Decision: a step of a living agent; ``last()`` gives mask and observation."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it greets on standard output
    # Without wrappers: they check what this loop keeps to anyway, and take half of the time.
    env = importlib.import_module(module).raw_env()
    chance = random.Random(_seed(rng)).random
    env.reset(seed=_seed(rng))
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            yield 0, 1
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[int(chance() * len(legal))]))
        yield 1, 0


def _openspiel(name: str, rng: np.random.Generator) -> Plays:
    """Decision: a move at a player's node; mask and observer's tensor are written to arrays."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    # Hearts has no observation tensor; the one of the information state takes its place. The
    # observer writes the same numbers as state.observation_tensor(), which makes a list of them.
    recall = not game.get_type().provides_observation_tensor
    observer = make_observation(game, pyspiel.IIGObservationType(perfect_recall=recall))
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    chance = random.Random(_seed(rng)).random
    first = game.new_initial_state()
    state = first.clone()  # gin rummy builds tables for every new state, but not for a clone
    while True:
        if state.is_chance_node():
            state.apply_action(pyspiel.sample_action(state.chance_outcomes(), chance())[0])
        elif state.is_terminal():
            state = first.clone()
            yield 0, 1
        else:
            legal = state.legal_actions()
            mask.fill(0)
            mask[legal] = 1
            observer.set_from(state, state.current_player())
            state.apply_action(legal[int(chance() * len(legal))])
            yield 1, 0


def _pgx_run(name: str, rng: np.random.Generator) -> Run:
    """The fastest of a few batch sizes."""
    best = 0.0
    for batch in PGX_BATCHES:
        run = _warm(f"CPU, jit + vmap, batch {batch}", _pgx(name, batch, rng), rng)
        decisions, _, seconds = run(0.5)
        rate = decisions / seconds
        if rate > best:
            best, chosen = rate, run
        elif rate < 0.7 * best:
            break  # past what the caches hold; a larger one would only take long to compile
    return chosen


def _pgx(name: str, batch: int, rng: np.random.Generator) -> Plays:
    """Decision: a step of one game, never one that only resets; the state holds mask and all."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental.wrappers import auto_reset

    env = _pgx_env(name, rng)
    play = auto_reset(env.step, env.init)  # puts a new game's first state in the last one's place

    def decide(state: Any, key: Any) -> Any:
        choice, chance = jax.random.split(key)
        return play(state, nth_legal(choice, state.legal_action_mask), chance)

    def step(carry: tuple[Any, Any], _: None) -> tuple[tuple[Any, Any], Any]:
        state, key = carry
        key, now = jax.random.split(key)
        state = jax.vmap(decide)(state, jax.random.split(now, batch))
        return (state, key), (state.terminated | state.truncated).sum()

    # Several steps a call save dispatch and allocation for small batches. The observation is
    # part of what the loop carries, so the compiler produces it at each of them.
    steps = max(1, min(16, 4096 // batch))

    @partial(jax.jit, donate_argnums=0)
    def several(carry: tuple[Any, Any]) -> tuple[tuple[Any, Any], Any]:
        carry, finished = jax.lax.scan(step, carry, None, length=steps)
        return carry, jnp.sum(finished)

    # Bound to the processor also where jax has an accelerator.
    key = jax.device_put(jax.random.key(_seed(rng)), jax.devices("cpu")[0])
    key, start = jax.random.split(key)
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(start, batch)), key
    while True:
        carry, finished = jax.block_until_ready(several(carry))
        yield steps * batch, int(finished)


def nth_legal(key: Any, mask: Any) -> Any:
    """A uniformly random legal action in jax: one number instead of noise for every action."""
    import jax
    import jax.numpy as jnp

    count = jnp.cumsum(mask.astype(jnp.int32))
    return jnp.argmax(count > jax.random.randint(key, (), 0, count[-1]))


def _pgx_env(name: str, rng: np.random.Generator) -> Any:
    """The environment; bridge gets made-up double-dummy results instead of a download."""
    import pgx

    if name != "bridge_bidding":
        return pgx.make(name)
    from pgx.bridge_bidding import BridgeBidding

    # A key has a row for each suit, thirteen digits of base 4: who holds which card. The results
    # only enter the rewards, where the work is the same whatever they say.
    holders = rng.permuted(np.tile(np.repeat(np.arange(4), 13), (_DEALS, 1)), axis=1)
    keys = holders.reshape(_DEALS, 4, 13) @ 4 ** np.arange(12, -1, -1)
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as quiet:
        path = Path(folder) / "deals.npy"
        np.save(path, np.stack([keys, np.zeros_like(keys)]).astype(np.int32))
        with contextlib.redirect_stderr(quiet):  # it reports what it loads
            return BridgeBidding(str(path))


def _rlcard(name: str, rng: np.random.Generator) -> Plays:
    """Decision: ``env.step``; the state has the observation array and a dict of legal actions."""
    import rlcard

    env = rlcard.make(name, config={"seed": _seed(rng)})
    chance = random.Random(_seed(rng)).random
    state, _ = env.reset()
    while True:
        legal = list(state["legal_actions"])
        state, _ = env.step(legal[int(chance() * len(legal))])
        over = env.is_over()
        if over:
            state, _ = env.reset()
        yield 1, int(over)


def _catanatron_gym(rng: np.random.Generator) -> Plays:
    """Decision: ``env.step``; it gives the observation vector and the list of valid actions."""
    from catanatron_gym.envs import CatanatronEnv

    env = CatanatronEnv()
    chance = random.Random(_seed(rng)).random
    _, info = env.reset(seed=_seed(rng))
    while True:
        legal = info["valid_actions"]
        _, _, terminated, truncated, info = env.step(legal[int(chance() * len(legal))])
        over = terminated or truncated
        if over:
            _, info = env.reset()
        yield 1, int(over)


def _catanatron(rng: np.random.Generator) -> Plays:
    """Decision: ``play_tick``; only the list of playable actions is produced."""
    from catanatron.game import TURNS_LIMIT, Game
    from catanatron.models.player import Color, RandomPlayer

    while True:
        game = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)], seed=_seed(rng))
        while game.winning_color() is None and game.state.num_turns < TURNS_LIMIT:
            game.play_tick()
            yield 1, 0
        yield 0, 1


def _cartpole(rng: np.random.Generator) -> Plays:
    """Decision: a step of one pole that is not its reset; observed, and without a mask."""
    import gymnasium

    env = gymnasium.make_vec(
        "CartPole-v1", CARTPOLES, vectorization_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT
    )
    env.reset(seed=_seed(rng))
    resets = 0  # poles that have fallen: their next step starts them anew
    while True:
        _, _, terminated, truncated, _ = env.step(rng.integers(0, 2, CARTPOLES))
        fallen = int(np.count_nonzero(terminated | truncated))
        yield CARTPOLES - resets, fallen
        resets = fallen
