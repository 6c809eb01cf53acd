"""A scripted pseudo-random player whose choices depend on nothing but a seed and what is legal.

The generator is written out here, so a golden game cannot change with a library.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# How often a kind of action is chosen against the other kinds that are legal. The kind is the first
# word of the name. Passing is rare, so that turns are long and every kind of action occurs.
WEIGHTS = {
    "pass": 2,
    "open": 1,
    "bid": 3,
    "draft": 1,
    "place": 12,
    "baron": 8,
    "hire": 3,
    "dismiss": 1,
    "play": 8,
    "marshal": 6,
    "lift": 8,
    "drop": 8,
    "take": 1,
    "target": 8,
    "buy": 8,
    "steal": 8,
    "keep": 5,
    "decline": 2,
    # Of the second game: visits whenever there is a set, the Illumination late.
    "card": 60,
    "column": 8,
    "illuminate": 1,
    "follower": 8,
    "from": 8,
    "displace": 8,
    "space": 8,
    "offering": 6,
    "draw": 8,
    "sell": 3,
    "favor": 8,
    "give": 8,
    "visit": 60,
    "apostle": 8,
    "seat": 8,
    "rearrange": 6,
    "discard": 8,
}
LOWEST_BIDS = 3  # bids are drawn from so many of the lowest


class Chance:
    """SplitMix64 in plain integers."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def below(self, n: int) -> int:
        """A number 0..n-1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        x = self.state
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return (x ^ (x >> 31)) % n

    def choose(self, legal: list[str]) -> str:
        """One of the legal actions by name: first its kind by weight, then uniformly."""
        kinds: dict[str, list[str]] = {}
        for name in legal:
            kinds.setdefault(name.split()[0], []).append(name)
        if "bid" in kinds:
            kinds["bid"] = kinds["bid"][:LOWEST_BIDS]
        drawn = self.below(sum(WEIGHTS[kind] for kind in kinds))
        for kind, names in kinds.items():
            drawn -= WEIGHTS[kind]
            if drawn < 0:
                return names[self.below(len(names))]
        raise AssertionError("weights do not add up")


def legal_names(env: Any) -> list[str]:
    """Names of the legal actions in an AEC environment, in flat order."""
    mask = env.observe(env.agent_selection)["action_mask"]
    return [env.action_names[action] for action in np.flatnonzero(mask)]


def is_done(env: Any) -> bool:
    """Whether the game in an AEC environment is over."""
    return any(env.terminations.values()) or any(env.truncations.values())


class Player:
    """Chooses action ids in an AEC environment."""

    def __init__(self, seed: int) -> None:
        self.chance = Chance(seed)

    def __call__(self, env: Any) -> int:
        """An action id for the agent to act."""
        mask = env.observe(env.agent_selection)["action_mask"]
        names = [env.action_names[action] for action in np.flatnonzero(mask)]
        return int(np.flatnonzero(mask)[names.index(self.chance.choose(names))])
