"""What the tests of the pitfalls share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from jerusalem_env import ierusalem_v0, jerusalem_v0
from jerusalem_env.game import Information

PLAYERS = (2, 3, 4)


INFORMATION: tuple[Information, ...] = ("screen", "recall")


REWARDS = ("win", "rank", "margin")


MAKERS: tuple[Callable[..., Any], ...] = (jerusalem_v0.raw_env, jerusalem_v0.env)


# Ways to make an environment, of every game: (make, players), and (make, players, information).
# Of the second game a few: each number of players, mode and dtype has kernels of its own. For this
# reason some of the sittings are slow.
TABLES: tuple[tuple[Callable[..., Any], int], ...] = (
    *((make, players) for make in MAKERS for players in PLAYERS),
    (ierusalem_v0.raw_env, 4),
    (ierusalem_v0.env, 4),
)
SITTINGS: tuple[Any, ...] = (
    *((*table, "screen") for table in TABLES[:-2]),
    *(
        pytest.param(*table, "recall", marks=[] if table[1] == 4 else [pytest.mark.slow])
        for table in TABLES[:-2]
    ),
    (ierusalem_v0.raw_env, 4, "screen"),
    pytest.param(ierusalem_v0.env, 3, "recall", marks=pytest.mark.slow),
)
# One of each form and game.
FORMS = tuple(table for table in TABLES if table[1] == (3 if table[0] in MAKERS else 4))


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
    """The records field by field; the padding between them is nobody's, and copies leave it out."""
    assert states.dtype.names, "records are compared by fields, other arrays by bytes"
    return b"".join(states[name].tobytes() for name in states.dtype.names)


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
    if "ranking" not in position:
        return returns_of_merits(position, reward)
    ranking, floors = position["ranking"], position["floors"]
    n = len(floors)
    if reward == "win":
        return [1.0 if seat == ranking[0] else -1.0 / (n - 1) for seat in range(n)]
    if reward == "rank":
        return [1.0 - 2.0 * ranking.index(seat) / (n - 1) for seat in range(n)]
    return [(floors[s] - (sum(floors) - floors[s]) / (n - 1)) / 10 for s in range(n)]


def returns_of_merits(position: dict[str, Any], reward: str) -> list[float]:
    """The same for the second game, whose wins and places may be shared (R18.6, VII.h)."""
    points, n = position["points"], len(position["points"])
    if reward == "margin":
        return [(points[s] - (sum(points) - points[s]) / (n - 1)) / 50 for s in range(n)]
    merits = list(zip(points, position["illumination"], position["favors_done"], strict=True))
    order = sorted(merits, reverse=True)
    if reward == "win":
        w = order.count(order[0])
        return [(n - w) / (w * (n - 1)) if m == order[0] else -1 / (n - 1) for m in merits]
    by_place = [1.0 - 2.0 * place / (n - 1) for place in range(n)]
    return [
        sum(paid for paid, other in zip(by_place, order, strict=True) if other == own)
        / order.count(own)
        for own in merits
    ]


# What api_test says of any environment whose observation is a dict with the mask in it, which is
# PettingZoo's own convention, unless it is one of PettingZoo's own by name.
CONVENTION = (
    "Observation is not a NumPy array$",
    "Observation space for each agent probably should be gymnasium.spaces.box or",
)


def illegal_action(env: Any) -> int:
    """The lowest action that is not legal now."""
    return int(np.setdiff1d(np.arange(len(env.action_names)), legal_of(env))[0])
