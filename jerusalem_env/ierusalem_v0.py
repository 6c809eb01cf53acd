"""Ierusalem: Anno Domini, version 0: ``env()``, ``raw_env()`` for PettingZoo, ``batch_env()``,
``solo_env()``, ``solo_vec_env()``.

Version history: v0 (0.1.0) first release.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from .envs.aec import GameAECEnv, wrapped
from .envs.batch import BatchEnv
from .envs.solo import SoloEnv
from .envs.vector import SoloVectorEnv
from .game import Information
from .ierusalem.game import IerusalemGame
from .ierusalem.rules.ruleset import RuleSet


class raw_env(GameAECEnv):
    """Ierusalem: Anno Domini as a PettingZoo AEC environment, without wrappers.

    Parameters
    ----------
    players : int, optional
        3 or 4, with a preset name; 4 unless given.
    rules : str or RuleSet
        ``"box"``, ``"by_colour"``, or a ``RuleSet`` (with another data file, say), which brings its
        own number of players; another number beside it is an error.
    information : "screen" or "recall"
        Hide hands and the order of decks and piles, as at the table; or give beside it what perfect
        memory of public play would.
    reward : "win", "rank" or "margin"
        Paid at the end, zero-sum; a win may be shared.
    skip_forced : bool
        Take decisions with one legal action without asking.
    render_mode : None, "ansi", "rgb_array" or "human"

    Examples
    --------
    >>> from jerusalem_env import ierusalem_v0
    >>> env = ierusalem_v0.raw_env(players=3)
    >>> env.reset(seed=7)
    >>> env.observe(env.agent_selection)["action_mask"].sum() > 0
    np.True_
    """

    def __init__(
        self,
        players: int | None = None,
        rules: str | RuleSet = "box",
        information: Information = "screen",
        reward: str = "win",
        skip_forced: bool = True,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            IerusalemGame(players, rules, information, reward, skip_forced), render_mode
        )


def env(
    players: int | None = None,
    rules: str | RuleSet = "box",
    information: Information = "screen",
    reward: str = "win",
    skip_forced: bool = True,
    render_mode: str | None = None,
) -> AECEnv:
    """``raw_env`` in PettingZoo's standard wrappers: an illegal action ends the game."""
    return wrapped(raw_env(players, rules, information, reward, skip_forced, render_mode))


def batch_env(
    num_games: int,
    players: int | None = None,
    rules: str | RuleSet = "box",
    information: Information = "screen",
    reward: str = "win",
    skip_forced: bool = True,
    observation_dtype: str | None = "float32",
    copy: bool = True,
    threads: int | None = None,
) -> BatchEnv:
    """Many games at once, all seats: see ``envs.batch.BatchEnv``."""
    game = IerusalemGame(players, rules, information, reward, skip_forced)
    return BatchEnv(game, num_games, observation_dtype, copy, threads)


def solo_vec_env(
    num_envs: int = 1,
    players: int | None = None,
    rules: str | RuleSet = "box",
    information: Information = "screen",
    reward: str = "win",
    **options: Any,
) -> SoloVectorEnv:
    """One seat against bots at many tables, compiled: see ``envs.vector.SoloVectorEnv``."""
    game = IerusalemGame(players, rules, information, reward, skip_forced=True)
    return SoloVectorEnv(game, num_envs, **options)


def solo_env(
    players: int | None = None,
    rules: str | RuleSet = "box",
    information: Information = "screen",
    reward: str = "win",
    render_mode: str | None = None,
    **options: Any,
) -> SoloEnv:
    """One seat against bots, as a gymnasium environment: see ``envs.solo.SoloEnv``."""
    game = IerusalemGame(players, rules, information, reward, skip_forced=True)
    return SoloEnv(game, render_mode=render_mode, **options)
