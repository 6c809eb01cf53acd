"""``jerusalem tune``: the weights of a scripted player, tuned by play against others.

CMA-ES (Hansen and Ostermeier 2001; the library ``cma``) over all weights of one number of players.
Each candidate plays every deal of a generation in all seats, at tables of rivals: scripted players
and the champion, which is the mean of the search as it was some generations ago; alike or mixed, as
who is good against copies of one player need not be good in company. Fitness is the win rate plus a
twentieth of the lead in floors, which tells candidates apart sooner.

A run keeps its state in a folder after each generation and goes on from there: the same result as
without the interruption. The log has a line for each generation.
"""

from __future__ import annotations

import argparse
import json
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import AgentError
from agents.registry import make_agent
from agents.scripted.agent import ScriptedAgent
from agents.scripted.weights import NUM_WEIGHTS, Weights, vector_of, weights_from
from jerusalem_env.envs.opponents import compiled_policy
from jerusalem_env.game import Game
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.kernels import thread_limit
from jerusalem_env.policies import CompiledPolicy

from .files import write_json
from .game_options import only_first_game, refuse_other_games

_OF_ONE_GAME = "the weights it tunes are those of its scripted players"
_FLOORS_COUNT = 0.05
_LEAST_SCALE = 0.15
_RELATIVE_SCALE = 0.35
_MIXED_TABLES = 4
_LONG_STEPS = {"last_turn": 2.0, "captain": 1.0, "treasurer": 1.0, "marshal": 1.0}
_SHARES = ("hold", "hold_margin", "firm", "firm_margin", "behind", "shield", "fallback", "share")
_SIGNED = (
    "open_best",
    "last_turn",
    "last_turn_supply",
    "captain",
    "treasurer",
    "marshal",
    "influence",
)
_ROTATION_SEEDS = 7  # `episode` of derive_seeds for the bots' own chance


class TuningError(ValueError):
    """A tuning that cannot be run or gone on with."""


@dataclass(frozen=True)
class Settings:
    """What a tuning run is; a folder goes on only with the same.

    Raises
    ------
    TuningError
        For a number that is out of range.
    """

    players: int
    rivals: tuple[str, ...]
    start: str
    deals: int
    population: int
    sigma: float
    champion_every: int
    seed: int

    def __post_init__(self) -> None:
        for name, least in (("deals", 1), ("population", 2), ("champion_every", 1), ("seed", 0)):
            value = getattr(self, name)
            if value < least:
                raise TuningError(f"{name} must be at least {least}, got {value}")
        if not 0.0 < self.sigma < float("inf"):
            raise TuningError(f"sigma must be above 0, got {self.sigma}")


def bounds() -> tuple[np.ndarray, np.ndarray]:
    """(NUM_WEIGHTS,) least and most of each weight."""
    low, high = Weights().to_dict(), Weights().to_dict()
    for name, value in low.items():
        size = len(value) if isinstance(value, list) else 0
        least, most = (-5.0 if name in _SIGNED else 0.0), (1.0 if name in _SHARES else 20.0)
        if name == "waver":  # chance in bids costs a little, and is what keeps games apart
            least, most = 0.1, 0.3
        low[name] = [least] * size if size else least
        high[name] = [most] * size if size else most
    return vector_of(Weights.from_dict(low)), vector_of(Weights.from_dict(high))


def least_scales() -> np.ndarray:
    """(NUM_WEIGHTS,) least step of each weight; worths of whole offices take longer ones."""
    scales = {
        name: [_LONG_STEPS.get(name, _LEAST_SCALE)] * len(value)
        if isinstance(value, list)
        else _LONG_STEPS.get(name, _LEAST_SCALE)
        for name, value in Weights().to_dict().items()
    }
    return vector_of(Weights.from_dict(scales))


def scripted(weights: Weights, name: str = "candidate") -> ScriptedAgent:
    """A player with the same weights at tables of every size."""
    return ScriptedAgent(name, {2: weights, 3: weights, 4: weights})


def fitness(
    game: Game,
    candidates: Sequence[CompiledPolicy],
    tables: Sequence[Sequence[CompiledPolicy]],
    deals: int,
    seed: int,
    episode: int,
    threads: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(fitness (C,), win rates (C, T)) of candidates at every table, over the same deals.

    Parameters
    ----------
    tables : sequence of T sequences of n - 1 policies
        Those in the other seats, clockwise from the candidate, who sits in each seat in turn.
    deals : int
        Deals for each table.
    seed, episode : int
        The deals depend on these alone.
    """
    n = game.players
    policies = list(candidates)
    places = []
    for table in tables:
        places.append([len(policies) + index for index in range(n - 1)])
        policies += table
    seeds = game.derive_seeds(seed, deals * len(tables), episode)
    own = game.derive_seeds(seed, deals * len(tables), episode + _ROTATION_SEEDS * 1_000_000)
    # (candidate, table, deal, seat of the candidate)
    shape = (len(candidates), len(tables), deals, n)
    policy_of = np.zeros((*shape, n), dtype=np.int64)
    for seat in range(n):
        policy_of[:, :, :, seat, seat] = np.arange(len(candidates))[:, None, None]
        for step in range(1, n):
            others = np.array([place[step - 1] for place in places])
            policy_of[:, :, :, seat, (seat + step) % n] = others[None, :, None]
    by_table = seeds.reshape(len(tables), deals)
    game_seeds = np.broadcast_to(by_table[None, :, :, None], shape).reshape(-1)
    own_seeds = np.broadcast_to(own.reshape(len(tables), deals)[None, :, :, None], shape)
    states = game.new_states(len(game_seeds))
    masks = np.zeros((len(game_seeds), game.num_actions), dtype=np.uint8)
    game.reset(states, np.ascontiguousarray(game_seeds), masks)
    wrong = game.play_on(
        states, own_seeds.reshape(-1), policy_of.reshape(-1, n), tuple(policies), threads
    )
    if wrong >= 0:
        raise TuningError(f"a policy chose an illegal action in game {wrong}")
    seats = np.tile(np.arange(n), len(game_seeds) // n)
    rows = np.arange(len(states))
    wins = (states["winner"] == seats).reshape(shape)
    floors = states["floors"][:, :n].astype(np.float64)
    own_floors = floors[rows, seats]
    lead = own_floors - (floors.sum(axis=1) - own_floors) / (n - 1)
    scores = wins.mean(axis=(2, 3)) + _FLOORS_COUNT * lead.reshape(shape).mean(axis=(2, 3))
    return scores.mean(axis=1), wins.mean(axis=(2, 3))


class _Normal:
    """Standard normal numbers for ``cma``, which would else draw from numpy's global generator."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> np.ndarray:
        return self._rng.standard_normal(shape)


class Tuning:
    """A tuning run in a folder.

    Parameters
    ----------
    folder : Path
        ``state.pickle`` (to go on from), ``log.jsonl`` (a line a generation), ``best.json`` (the
        mean of the search: the tuned weights).
    """

    def __init__(self, folder: Path, settings: Settings) -> None:
        import cma

        self.folder, self.settings = folder, settings
        self.game = JerusalemGame(settings.players)
        self.low, self.high = bounds()
        self.rivals = [self._rival(name) for name in settings.rivals]
        folder.mkdir(parents=True, exist_ok=True)
        state = folder / "state.pickle"
        if state.exists():
            try:
                kept = pickle.loads(state.read_bytes())
            except Exception as error:  # unpickling a damaged file can raise anything
                raise TuningError(
                    f"{state} cannot be read ({error!r}); delete it to begin anew"
                ) from error
            if kept["settings"] != settings:
                raise TuningError(
                    f"{folder} holds another run ({kept['settings']}); choose another folder, or "
                    "delete it"
                )
            self.search, self.champion = kept["search"], kept["champion"]
            self.origin, self.generation = kept["origin"], kept["generation"]
            self.scale = kept["scale"]
            self._cut_log()
            return
        self.origin = self._start()
        self.scale = np.maximum(_RELATIVE_SCALE * np.abs(self.origin), least_scales())
        self.champion = self.origin.copy()
        self.generation = 0
        options = {
            "popsize": settings.population,
            "seed": np.nan,  # leaves numpy's global generator alone
            "randn": _Normal(settings.seed),
            "verbose": -9,
        }
        self.search = cma.CMAEvolutionStrategy(np.zeros(NUM_WEIGHTS), settings.sigma, options)

    def _rival(self, name: str) -> CompiledPolicy:
        policy = compiled_policy(make_agent(name, self.game))
        if policy is None:
            raise TuningError(
                f"{name} has no compiled policy, without which a tuning takes too long; name "
                "another rival"
            )
        return policy

    def _start(self) -> np.ndarray:
        if self.settings.start.endswith(".json"):
            try:
                values = json.loads(Path(self.settings.start).read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise TuningError(
                    f"cannot read weights from {self.settings.start}: {error}"
                ) from error
            return vector_of(Weights.from_dict(values))
        agent = make_agent(self.settings.start)
        if not isinstance(agent, ScriptedAgent):
            raise TuningError(
                f"{self.settings.start} has no weights to begin from; name a scripted player or a "
                "file of weights"
            )
        return vector_of(agent.by_players[self.settings.players])

    def weights(self, point: np.ndarray) -> Weights:
        """The weights of a point of the search, within their bounds."""
        return weights_from(np.clip(self.origin + self.scale * point, self.low, self.high))

    @property
    def mean(self) -> Weights:
        """The weights that the search is about."""
        return self.weights(np.asarray(self.search.mean))

    def tables(self) -> list[list[CompiledPolicy]]:
        """The others' seats at each table of this generation.

        Copies of the champion; copies of one rival, each in turn; and mixed company, drawn anew.
        """
        n = self.game.players
        champion = scripted(weights_from(self.champion)).compiled
        found = [[champion] * (n - 1)]
        if self.rivals:
            found.append([self.rivals[self.generation % len(self.rivals)]] * (n - 1))
        company = [champion, *self.rivals]
        rng = np.random.default_rng([self.settings.seed, self.generation])
        for _ in range(_MIXED_TABLES):
            found.append([company[i] for i in rng.integers(0, len(company), n - 1)])
        return found

    def step(self, threads: int) -> dict[str, Any]:
        """One generation; returns its line of the log."""
        started = time.perf_counter()
        with np.errstate(all="ignore"):
            points = self.search.ask()
        candidates = [scripted(self.weights(np.asarray(point))).compiled for point in points]
        tables = self.tables()
        candidates.append(scripted(self.mean).compiled)
        scores, wins = fitness(
            self.game,
            candidates,
            tables,
            self.settings.deals,
            self.settings.seed,
            self.generation,
            threads,
        )
        self.search.tell(points, list(-scores[:-1]))
        self.generation += 1
        if self.generation % self.settings.champion_every == 0:
            self.champion = vector_of(self.mean)
        line = {
            "generation": self.generation,
            "mean_fitness": round(float(scores[-1]), 4),
            "best_fitness": round(float(scores[:-1].max()), 4),
            "mean_wins": [round(float(rate), 4) for rate in wins[-1]],
            "sigma": round(float(self.search.sigma), 4),
            "games": int(len(candidates) * len(tables) * self.settings.deals * self.game.players),
            "seconds": round(time.perf_counter() - started, 2),
        }
        self._keep(line)
        return line

    def _cut_log(self) -> None:
        """Leave out the line of a generation whose state was not kept: it is done again."""
        log = self.folder / "log.jsonl"
        lines = log.read_text().splitlines(keepends=True) if log.exists() else []
        if len(lines) > self.generation:
            log.write_text("".join(lines[: self.generation]))

    def _keep(self, line: dict[str, Any]) -> None:
        state = {
            "settings": self.settings,
            "search": self.search,
            "champion": self.champion,
            "origin": self.origin,
            "scale": self.scale,
            "generation": self.generation,
        }
        partial = self.folder / "state.partial"
        partial.write_bytes(pickle.dumps(state))
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        write_json(self.folder / "best.json", self.mean.to_dict())
        partial.replace(self.folder / "state.pickle")


def main(arguments: list[str]) -> int:
    """The command ``jerusalem tune``."""
    parser = argparse.ArgumentParser(prog="jerusalem tune", description=__doc__)
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=4)
    parser.add_argument(
        "--rivals", nargs="+", default=["greedy", "builder", "recruiter", "warden", "hoarder"]
    )
    parser.add_argument(
        "--start", default="expert", help="a scripted player, or a .json of weights (expert)"
    )
    parser.add_argument("--generations", type=int, default=300, help="(300)")
    parser.add_argument("--deals", type=int, default=40, help="for each table and generation (40)")
    parser.add_argument("--population", type=int, default=20, help="candidates a generation (20)")
    parser.add_argument(
        "--sigma", type=float, default=0.5, help="first step, in scales of the weights (0.5)"
    )
    parser.add_argument("--champion-every", type=int, default=20, help="generations (20)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=thread_limit())
    parser.add_argument("--out", type=Path, help="folder (runs/tune/PLAYERS)")
    only_first_game(parser, _OF_ONE_GAME)
    options = parser.parse_args(arguments)
    refuse_other_games(parser, options.game, _OF_ONE_GAME)
    try:
        settings = Settings(
            options.players,
            tuple(options.rivals),
            options.start,
            options.deals,
            options.population,
            options.sigma,
            options.champion_every,
            options.seed,
        )
        if options.threads < 1 or options.generations < 1:
            raise TuningError(
                f"threads and generations must be at least 1, got {options.threads} and "
                f"{options.generations}"
            )
        tuning = Tuning(options.out or Path(f"runs/tune/{options.players}"), settings)
        began, first = time.perf_counter(), tuning.generation
        while tuning.generation < options.generations:
            line = tuning.step(options.threads)
            done = tuning.generation - first
            left = (time.perf_counter() - began) / done * (options.generations - tuning.generation)
            wins = " ".join(f"{rate:.3f}" for rate in line["mean_wins"])
            print(
                f"{line['generation']:>4}  fitness {line['mean_fitness']:+.3f}  wins {wins}  "
                f"sigma {line['sigma']:.3f}  {line['games'] / line['seconds']:,.0f} games/s  "
                f"{left / 60:.0f} min left",
                flush=True,
            )
    except (AgentError, TuningError) as error:
        print(f"jerusalem tune: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            f"jerusalem tune: cannot keep the run: {error}. Choose another folder with --out, or "
            "free some space; what was kept is whole.",
            file=sys.stderr,
        )
        return 2
    return 0
