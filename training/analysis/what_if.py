"""What follows from changing a value of Ierusalem's data: games under each, and figures.

A variant is a rule set with a name. All are played with the same game seeds by copies of one
agent, which acts by what it sees and knows of no variant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from agents.registry import make_agent
from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.results import score_parts
from jerusalem_env.ierusalem.rules.box import load_box
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from jerusalem_env.kernels import thread_limit

from ..arena.playing import play_games
from ..balance.estimates import Estimate, mean, rate
from .style import GREY, SERIES_COLOURS, bars, chance_line, label_axes, new_figure, told

PARTS: dict[str, str] = {
    "points_before": "during the game",
    "points_apostles": "around Apostles",
    "points_jesus": "beside Jesus",
    "points_parables": "set of Parables",
    "points_offerings": "Offerings",
    "points_illumination": "Illumination",
}


@dataclass(frozen=True, eq=False)
class Played:
    """Games between copies of one agent under one rule set.

    Attributes
    ----------
    name : str
        Of the variant.
    game : IerusalemGame
    states : (G,) finished games
    parts : mapping
        Name of a part of the score -> (G, n) points.
    """

    name: str
    game: IerusalemGame
    states: np.ndarray
    parts: Mapping[str, np.ndarray]

    @property
    def points(self) -> np.ndarray:
        """(G, n) final points."""
        found: np.ndarray = self.states["points"][:, : self.game.players]
        return found

    @property
    def turns(self) -> np.ndarray:
        """(G,) turns a player."""
        found: np.ndarray = self.states["turns"] / self.game.players
        return found

    @property
    def seated(self) -> np.ndarray:
        """(G,) Apostles at the table in the end."""
        found: np.ndarray = (self.states["seats"] >= 0).sum(axis=1)
        return found

    @property
    def margins(self) -> np.ndarray:
        """(G,) points by which the best is ahead of the second."""
        best = np.sort(self.points, axis=1)
        found: np.ndarray = best[:, -1] - best[:, -2]
        return found

    def shares_by_turn_order(self) -> list[Estimate]:
        """Win rate of the start player, of the next, and so on; a shared win counts its part."""
        shares = self.game.win_shares(self.states)
        n = self.game.players
        order = (self.states["start"][:, None].astype(int) + np.arange(n)) % n
        by_order = np.take_along_axis(shares, order, axis=1)
        return [mean(by_order[:, place], lowest=0.0) for place in range(n)]

    def share_of(self, flags: np.ndarray) -> Estimate:
        """How often (G,) flags are true."""
        return rate(flags)


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The content of the usual data file with something changed in it.

    >>> shorter = changed(lambda data: data["sanhedrin"]["last_space"].update(v=18))
    >>> shorter["sanhedrin"]["last_space"]["v"]
    18
    """
    content = deepcopy(load_box().content)
    change(content)
    return content


def with_value(section: str, name: str, value: Any) -> dict[str, Any]:
    """The content of the usual data file with another value of one entry; see ``changed``."""
    return changed(lambda data: data[section][name].update(v=value))


def play(name: str, rules: RuleSet, agent: str, games: int, seed: int) -> Played:
    """Games between copies of an agent; the same seeds whatever the rule set."""
    game = IerusalemGame(rules=rules)
    player = make_agent(agent, game)
    player.reset(seed)
    seats = np.zeros((games, game.players), dtype=np.int64)
    seeds = game.derive_seeds(seed, games, 0)
    states = play_games(game, [player], seats, seeds, seed, thread_limit())
    parts = [score_parts(state) for state in states]
    return Played(
        name, game, states, {part: np.array([one[part] for one in parts]) for part in PARTS}
    )


def rows_of(played: Sequence[Played]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of a table: what games under each variant are like."""
    heads = ["variant", "points", "the winner's", "margin", "turns a player", "Apostles seated"]
    rows = []
    for one in played:
        numbers = [one.points.mean(axis=1), one.points.max(axis=1), one.margins]
        rows.append([one.name, *(told(mean(x)) for x in (*numbers, one.turns, one.seated))])
    return heads, rows


def parts_figure(played: Sequence[Played], title: str) -> Figure:
    """Where points come from under each variant, as stacked bars: means over all seats."""
    figure, axes = new_figure(1, 1, 8.0, 0.9 + 0.45 * len(played))
    ax = axes[0, 0]
    left = np.zeros(len(played))
    places = np.arange(len(played))[::-1]
    for colour, (part, label) in zip(SERIES_COLOURS, PARTS.items(), strict=False):
        values = np.array([one.parts[part].mean() for one in played])
        ax.barh(places, values, left=left, color=colour, label=label, edgecolor="white")
        left += values
    ax.set_yticks(places, [one.name for one in played])
    label_axes(ax, title, "points of a player (mean)", "")
    ax.grid(axis="y", visible=False)
    figure.legend(loc="outside lower center", ncols=3)
    return figure


def order_figure(played: Sequence[Played]) -> Figure:
    """Win rates by place in turn order under each variant."""
    figure, axes = new_figure(1, 1, 8.0, 3.4)
    ax = axes[0, 0]
    n = played[0].game.players
    width = 0.8 / len(played)
    for index, one in enumerate(played):
        places = np.arange(n) + (index - (len(played) - 1) / 2) * width
        colour = SERIES_COLOURS[index % len(SERIES_COLOURS)]
        bars(ax, places, one.shares_by_turn_order(), colour, one.name, width, scale=100)
    chance_line(ax, 100 / n)
    ax.set_xticks(np.arange(n), ["start player", "second", "third", "fourth"][:n])
    label_axes(ax, "Does it matter who starts?", "", "games won (%)")
    ax.legend(ncols=2, edgecolor=GREY)
    return figure


def origins() -> dict[str, int]:
    """How many entries of the usual data file are from where."""
    found: dict[str, int] = {}
    for _, _, _, origin in load_box().entries():
        found[origin] = found.get(origin, 0) + 1
    return found
