"""Decisions of a learned agent over many games: positions, judgements, choices, what came of them.

Every deal is played with the agent in each seat against opponents, or once with the agent in all
seats. Decisions with one legal action are left to the game and are not among them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.base import Agent
from agents.learned import choose
from jerusalem_env.envs.opponents import Judgement
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.policies import new_log

from ..arena.playing import chance_seeds, compiled_policies
from ..one_thread import networks_on_one_thread
from .clusters import Estimate, mean_by_deal, rate_by_deal

MOST_DECISIONS = 400_000  # at 1.1 kB each
DEFAULT_REWARD = {"win": 1.0, "margin": 0.5}  # of the agents that are shipped; see their cards

_AGENT_SEEDS = 1  # `episode` of derive_seeds; the deals are 0
_PURPOSE_DRAWS = 9_101


class AnalysisError(ValueError):
    """What cannot be gathered or analysed: too much of it, or the wrong number of players."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """R decisions with more than one legal action, in G games; those of a game are in order.

    Attributes
    ----------
    agent : str
    opponents : tuple of str
        Empty if the agent played all seats.
    players : int
    states : (R,) STATE
        The position, complete; who decides is ``states["to_act"]``.
    masks : (R, A) bool
        Legal actions.
    actions : (R,) int64
        What was chosen.
    probabilities : (R,) float64
        That the policy gives to the action chosen.
    entropies : (R,) float64
        Of the policy, nats.
    values : (R,) float64
        The return the agent expects, in units of its training; NaN if it has no value head.
    reference_actions : (R,) int64
        What the reference would do in the same position, -1 without a reference.
    reference_probabilities : (R,) float64
        That the agent's policy gives to that; NaN without a reference.
    games, deals : (R,) int64
        Game and deal of each decision.
    returns : (R,) float64
        What the seat was paid at the end, in units of the training: see ``reward``.
    wins : (R,) bool
        Whether the seat won.
    finals : (G,) STATE
    agent_seats : (G, n) bool
        Which seats were the agent's.
    game_deals : (G,) int64
    reward : dict
        Weights of the utilities of which the return is the sum.
    """

    agent: str
    opponents: tuple[str, ...]
    players: int
    states: np.ndarray
    masks: np.ndarray
    actions: np.ndarray
    probabilities: np.ndarray
    entropies: np.ndarray
    values: np.ndarray
    reference_actions: np.ndarray
    reference_probabilities: np.ndarray
    games: np.ndarray
    deals: np.ndarray
    returns: np.ndarray
    wins: np.ndarray
    finals: np.ndarray
    agent_seats: np.ndarray
    game_deals: np.ndarray
    reward: dict[str, float]

    @property
    def size(self) -> int:
        """R, the number of decisions."""
        return len(self.actions)

    @property
    def seats(self) -> np.ndarray:
        """(R,) int64 seat that decides."""
        return self.states["to_act"].astype(np.int64)

    @property
    def rounds(self) -> np.ndarray:
        """(R,) int64, from 1."""
        return self.states["round"].astype(np.int64)

    @property
    def phases(self) -> np.ndarray:
        """(R,) int64 codes of ``engine.layout``."""
        return self.states["phase"].astype(np.int64)

    def mine(self, field: str) -> np.ndarray:
        """(R, ...) a field by seat of the states, as the seat to act has it."""
        return self.states[field][np.arange(self.size), self.seats]

    def player_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) games and (P,) seats: every seat that the agent played, once for each game."""
        games, seats = np.nonzero(self.agent_seats)
        return games, seats

    def about(self) -> str:
        """A line: who played whom, how much."""
        against = " and ".join(dict.fromkeys(self.opponents)) or "itself"
        return (
            f"{self.agent} against {against}: {len(self.finals):,} games on "
            f"{len(np.unique(self.game_deals)):,} deals, {self.size:,} decisions"
        )


def training_reward(checkpoint: Path) -> dict[str, float]:
    """Weights of win, rank and margin in what an agent was trained on, from its card.

    Parameters
    ----------
    checkpoint : Path
        An ``agent.zip`` with its card (``.json`` or ``card.json``) beside it.

    Raises
    ------
    AnalysisError
        If there is no card.
    """
    for card in (checkpoint.with_suffix(".json"), checkpoint.with_name("card.json")):
        if card.is_file():
            weights: Mapping[str, float] = json.loads(card.read_text(encoding="utf-8"))["config"][
                "reward"
            ]
            return {name: float(weight) for name, weight in weights.items() if weight}
    raise AnalysisError(f"{checkpoint.name} has no card beside it that tells its reward")


def paid(finals: np.ndarray, players: int, reward: Mapping[str, float]) -> np.ndarray:
    """(G, players) float64: the weighted sum of the utilities of finished games."""
    out = np.zeros((len(finals), players))
    for name, weight in reward.items():
        out += weight * JerusalemGame(players, reward=name).utilities(finals)
    return out


def strength(decisions: Decisions) -> tuple[Estimate, Estimate]:
    """Share of its games that the agent won, and its mean return."""
    games, seats = decisions.player_rows()
    deals = decisions.game_deals[games]
    wins = decisions.finals["winner"][games] == seats
    returns = paid(decisions.finals, decisions.players, decisions.reward)[games, seats]
    return rate_by_deal(wins, deals), mean_by_deal(returns, deals)


def gather(
    agent: Agent,
    opponents: Sequence[Agent],
    game: JerusalemGame,
    deals: int,
    seed: int,
    reference: Agent | None = None,
    sample: bool = False,
    reward: Mapping[str, float] | None = None,
    batch: int = 64,
    most: int = MOST_DECISIONS,
) -> Decisions:
    """Play games and keep the agent's decisions.

    Parameters
    ----------
    agent : Agent
        With ``judge`` (a learned one), else its choices count as certain and it has no values.
    opponents : sequence of Agent
        None at all: the agent plays all seats, each deal once. One, in all other seats, or one for
        each of them, clockwise: each deal is played with the agent in every seat.
    game : JerusalemGame
    deals, seed : int
        The deals depend on the seed alone and are those of ``training.evaluate`` for it.
    reference : Agent, optional
        Asked for its choice in each of these positions.
    sample : bool
        Draw actions from the policy, as in training, instead of taking the likeliest.
    reward : mapping, optional
        Weights of the returns; those of the shipped agents unless given.
    batch : int
        Deals played at once.
    most : int
        Decisions to be kept in memory.

    Raises
    ------
    AnalysisError
        For a wrong number of opponents, or more decisions than ``most``.
    """
    n = game.players
    if len(opponents) not in (0, 1, n - 1):
        raise AnalysisError(f"opponents must be 0, 1 or {n - 1}, got {len(opponents)}")
    others = list(opponents) * (n - 1 if len(opponents) == 1 else 1)
    weights = dict(DEFAULT_REWARD if reward is None else reward)
    cast = [agent, *(others or [agent] * (n - 1))]
    rotations = n if others else 1
    line_up = (np.arange(n)[None, :] - np.arange(rotations)[:, None]) % n  # [rotation, seat]
    own_seeds = game.derive_seeds(seed, n + 1, _AGENT_SEEDS)
    for member, own_seed in zip([agent, *others], own_seeds, strict=False):
        member.reset(int(own_seed))
    if reference is not None:
        reference.reset(int(own_seeds[n]))
    draws = np.random.default_rng([seed, _PURPOSE_DRAWS]) if sample else None
    seeds = game.derive_seeds(seed, deals, 0)
    parts: list[dict[str, np.ndarray]] = []
    finals, rows = [], 0
    for first in range(0, deals, batch):
        chosen = np.repeat(np.arange(first, min(first + batch, deals)), rotations)
        players_of = np.tile(line_up, (len(chosen) // rotations, 1))
        with networks_on_one_thread():
            part, states = _play(
                game, cast, players_of, seeds[chosen], seed, reference, draws, bool(others)
            )
        part["games"] += first * rotations
        rows += len(part["actions"])
        if rows > most:
            raise AnalysisError(
                f"more than {most:,} decisions after {first + batch} of {deals} deals; gather "
                "fewer deals or raise `most`"
            )
        parts.append(part)
        finals.append(states)
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    last = np.concatenate(finals)
    payments = paid(last, n, weights)
    game_deals = np.repeat(np.arange(deals), rotations)
    where, who = joined["games"], joined["states"]["to_act"].astype(np.int64)
    players_of_all = np.tile(line_up, (deals, 1))
    return Decisions(
        agent=agent.name,
        opponents=tuple(other.name for other in others),
        players=n,
        deals=game_deals[where],
        returns=payments[where, who],
        wins=last["winner"][where] == who,
        finals=last,
        agent_seats=players_of_all == 0 if others else np.ones((len(last), n), dtype=np.bool_),
        game_deals=game_deals,
        reward=weights,
        **joined,
    )


def _chosen(
    agent: Agent, game: JerusalemGame, states: np.ndarray, masks: np.ndarray, chance: np.ndarray
) -> np.ndarray:
    """(B,) int64 what an agent does in positions with a choice.

    A compiled one gets the chance that tables would give it, (B,) uint64 of the games: called, its
    chance would hang on its one seed, alike in all deals.
    """
    policies, place = compiled_policies(game, [agent])
    if place[0] < 0:
        return np.asarray(agent.act(game.views(states), masks), dtype=np.int64)
    policy_of = np.full((len(states), game.players), -1, dtype=np.int64)
    policy_of[np.arange(len(states)), states["to_act"].astype(np.int64)] = place[0]
    log = new_log(len(states), 1)  # it plays on to the end of its turn: only the first is kept
    if game.play_on(states.copy(), chance, policy_of, policies, log=log) >= 0:
        raise AnalysisError(f"{agent.name} chose an illegal action")
    return log.actions[:, 0].astype(np.int64)


def _play(
    game: JerusalemGame,
    cast: Sequence[Agent],
    players_of: np.ndarray,
    seeds: np.ndarray,
    seed: int,
    reference: Agent | None,
    draws: np.random.Generator | None,
    watch_first: bool,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Games to their end, and the decisions of ``cast[0]``, or of all who are the same agent."""
    states = game.new_states(len(seeds))
    masks = np.zeros((len(seeds), game.num_actions), dtype=np.uint8)
    game.reset(states, seeds, masks)
    # By place and not by object: the opponents may be the very bot that is looked at.
    watched = np.arange(len(cast)) == 0 if watch_first else np.ones(len(cast), dtype=np.bool_)
    policies, policy_of_agent = compiled_policies(game, cast)
    policy_of_agent[watched] = -1  # looked at, so never played inside the kernel
    policy_of = policy_of_agent[players_of]
    chance = chance_seeds(game, seeds, seed)
    kept: dict[str, list[np.ndarray]] = {name: [] for name in _COLUMNS}
    while True:
        if (policy_of >= 0).any():
            if game.play_on(states, chance, policy_of, policies) >= 0:
                raise AnalysisError("a compiled opponent chose an illegal action")
            game.legal(states, masks)
        running = np.flatnonzero(~(game.terminated(states) | game.truncated(states)))
        if not len(running):
            break
        now, legal = states[running], masks[running]
        deciders = players_of[running, now["to_act"].astype(np.int64)]
        if not watch_first:
            deciders[:] = 0  # one agent in all seats is asked once
        actions = np.empty(len(running), dtype=np.int64)
        for member in np.unique(deciders[~watched[deciders]]):
            rows = deciders == member
            actions[rows] = cast[member].act(game.views(now[rows]), legal[rows])
        mine = np.flatnonzero(watched[deciders])
        if len(mine):
            own = chance[running[mine]]
            found = _decide(cast[0], game, now[mine], legal[mine], own, reference, draws)
            actions[mine] = found["actions"]
            found |= {"states": now[mine], "masks": legal[mine] > 0, "games": running[mine]}
            for name, column in found.items():
                kept[name].append(column)
        if game.step(now, actions, legal) >= 0:
            raise AnalysisError("an agent chose an illegal action")
        states[running], masks[running] = now, legal
    joined = {name: np.concatenate(columns) for name, columns in kept.items()}
    order = np.argsort(joined["games"], kind="stable")  # each game's decisions in sequence
    return {name: column[order] for name, column in joined.items()}, states


_COLUMNS = (
    "states",
    "masks",
    "games",
    "actions",
    "probabilities",
    "entropies",
    "values",
    "reference_actions",
    "reference_probabilities",
)


def _decide(
    agent: Agent,
    game: JerusalemGame,
    states: np.ndarray,
    masks: np.ndarray,
    chance: np.ndarray,
    reference: Agent | None,
    draws: np.random.Generator | None,
) -> dict[str, np.ndarray]:
    """Choices and judgements of the agent in (B,) positions."""
    rows = np.arange(len(states))
    judge: Callable[..., Judgement] | None = getattr(agent, "judge", None)
    values: np.ndarray | None = None
    if judge is None:  # sure of what it does
        actions = _chosen(agent, game, states, masks, chance)
        given = np.zeros(masks.shape)
        given[rows, actions] = 1.0
    else:
        given, values, _ = judge(game.views(states), masks)
        logits = np.log(np.maximum(given, 1e-300))
        uniform = None if draws is None else draws.random(len(states))
        actions = choose(logits, masks.astype(np.bool_), uniform)
    found = {
        "actions": actions,
        "probabilities": given[rows, actions],
        "entropies": -(given * np.log(np.maximum(given, 1e-300))).sum(axis=1),
        "values": np.full(len(states), np.nan) if values is None else values,
        "reference_actions": np.full(len(states), -1, dtype=np.int64),
        "reference_probabilities": np.full(len(states), np.nan),
    }
    if reference is not None:
        theirs = _chosen(reference, game, states, masks, chance)
        found["reference_actions"] = theirs
        found["reference_probabilities"] = given[rows, theirs]
    return found
