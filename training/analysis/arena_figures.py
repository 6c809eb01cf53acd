"""Arenas in memory for the notebook on benchmarking, and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from jerusalem_env.jerusalem.rules.offices import OFFICES
from jerusalem_env.kernels import thread_limit

from ..arena.blocks import GameResults, join_results, number_of_blocks, play_block
from ..arena.ratings import CHANCE_LEVEL, Rating
from ..arena.runner import Settings
from ..arena.schedule import Schedule, default_format, entrant_names
from ..arena.statistics import Estimate, Summary, holm, sign_flip_p_values, summarise
from ..intervals import Z_95, win_interval
from ..one_thread import networks_on_one_thread
from .players import player_of
from .style import (
    BLUE,
    ORANGE,
    SERIES_COLOURS,
    SERIES_MARKERS,
    VERMILION,
    chance_line,
    label_axes,
    new_figure,
    note,
    points,
)

FEWEST_SEATS = 40  # for a rate of a breakdown to be shown


@dataclass(frozen=True, eq=False)
class Arena:
    """A finished arena: every game, who sat where, and what it says.

    Attributes
    ----------
    settings : Settings
    schedule : Schedule
    results : GameResults
    """

    settings: Settings
    schedule: Schedule
    results: GameResults

    @cached_property
    def summary(self) -> Summary:
        """What ``jerusalem arena`` reports; made when it is first asked for."""
        return summarise(self.results, self.schedule, self.names, self.settings.seed)

    @property
    def deals(self) -> int:
        """Number of deals."""
        return self.settings.deals

    @property
    def games(self) -> int:
        """Number of games, all tables and rotations."""
        return len(self.results.lineups)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the entrants; copies of one agent numbered."""
        return entrant_names(self.settings.agents)

    def rates(self) -> np.ndarray:
        """(D, E) wins per seat of each entrant on each deal."""
        n, games = self.schedule.players, self.schedule.games_per_deal
        lineups = self.results.lineups.reshape(-1, games, n)
        wins = self.results.wins.reshape(lineups.shape)
        seated = [lineups == entrant for entrant in range(len(self.names))]
        return np.stack(
            [(wins * here).sum(axis=(1, 2)) / here.sum(axis=(1, 2)) for here in seated], axis=1
        )


def play_arena(
    agents: Sequence[str], deals: int, players: int = 4, seed: int = 0, form: str | None = None
) -> Arena:
    """``jerusalem arena`` in memory: the same games and the same summary for the same settings.

    Parameters
    ----------
    agents : sequence of str
        Names for ``make_agent``; one alone plays copies of itself.
    deals : int
        At least 2; each is played by every table in all seat rotations.
    players, seed : int
    form : str, optional
        A format of ``training.arena.schedule``; else as the number of agents says.
    """
    names = tuple(agents) * (players if len(agents) == 1 else 1)
    settings = Settings(
        names, players, "german", "screen", form or default_format(len(names), players), deals, seed
    )
    settings.check()
    game, schedule = settings.game(), settings.schedule()
    made = {name: player_of(name, game) for name in dict.fromkeys(names)}
    seated = [made[name] for name in names]
    with networks_on_one_thread():
        parts = [
            play_block(game, seated, schedule, deals, seed, block, thread_limit())[0]
            for block in range(number_of_blocks(schedule, deals))
        ]
    return Arena(settings, schedule, join_results(parts))


def about(arena: Arena) -> str:
    """The small print of a figure."""
    return (
        f"{arena.deals:,} deals, {arena.games:,} games, seed "
        f"{arena.settings.seed}; bars: 95 % intervals by deal"
    )


# --- what a deal in all seats is worth ----------------------------------------------------------
class Spread(NamedTuple):
    """Standard error of a win rate from the same number of games, planned in three ways.

    Attributes
    ----------
    name : str
    rate : float
        The win rate, over all games.
    independent : float
        Every game another deal, the seat drawn: the binomial error.
    rotated : float
        Every deal in all rotations, measured between deals.
    """

    name: str
    rate: float
    independent: float
    rotated: float

    @property
    def saved(self) -> float:
        """How many independent games one game of rotated deals is worth."""
        return (self.independent / self.rotated) ** 2


def spreads(arena: Arena, games: int) -> list[Spread]:
    """The error of each entrant's win rate from so many games; ``arena`` must be one table."""
    if len(arena.schedule.tables) != 1:
        raise ValueError("spreads needs an arena of one table, such as four agents at four seats")
    rates, n = arena.rates(), arena.schedule.players
    found = []
    for entrant, name in enumerate(arena.names):
        rate = float(rates[:, entrant].mean())
        alone = float(np.sqrt(rate * (1 - rate) / games))
        rotated = float(np.sqrt(rates[:, entrant].var(ddof=1) / (games / n)))
        found.append(Spread(name, rate, alone, rotated))
    return found


def paired_gain(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """What common deals gain in a comparison: correlation, and the error as a part of that without.

    Parameters
    ----------
    one, other : (D,) float
        Win rates of two agents on the same deals, at different tables.
    """
    together = float((one - other).std(ddof=1))
    apart = float(np.sqrt(one.var(ddof=1) + other.var(ddof=1)))
    return float(np.corrcoef(one, other)[0, 1]), together / apart


# --- intervals of equal players -------------------------------------------------------------------
class Coverage(NamedTuple):
    """Many small arenas, cut from a large one.

    Attributes
    ----------
    truth : float
        What the intervals should hold: chance for equal players, else the rate of the whole arena.
    by_deal : (S, 3) float
        Win rate of the first entrant with its interval by deal.
    as_games : (S, 3) float
        The same where every game is taken for independent.
    plain, corrected : (S,) bool
        Whether some pair looked different (p < 0.05), without and with Holm's correction.
    """

    truth: float
    by_deal: np.ndarray
    as_games: np.ndarray
    plain: np.ndarray
    corrected: np.ndarray

    def covered(self, intervals: np.ndarray) -> float:
        """Share of intervals that hold chance."""
        return float(((intervals[:, 1] <= self.truth) & (self.truth <= intervals[:, 2])).mean())


def coverage(arena: Arena, deals: int) -> Coverage:
    """Cut an arena of one table into small ones of so many deals, and look at each.

    Parameters
    ----------
    arena : Arena
    deals : int
        Of each small arena; the rest that does not fill one is left out.
    """
    rates, n = arena.rates(), arena.schedule.players
    small = len(rates) // deals
    parts = rates[: small * deals].reshape(small, deals, -1)  # (S, d, E)
    rng = np.random.default_rng([arena.settings.seed, deals])
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    plain, corrected = np.zeros(small, np.bool_), np.zeros(small, np.bool_)
    for index, part in enumerate(parts):
        p_values = sign_flip_p_values(np.stack([part[:, i] - part[:, j] for i, j in pairs], 1), rng)
        plain[index], corrected[index] = p_values.min() < 0.05, holm(p_values).min() < 0.05
    by_deal = [win_interval(part[:, 0] * n, n) for part in parts]
    as_games = [_binomial(float(part[:, 0].mean()), deals * n) for part in parts]
    return Coverage(
        1 / n if len(set(arena.settings.agents)) == 1 else float(rates[:, 0].mean()),
        np.array(by_deal),
        np.array(as_games),
        plain,
        corrected,
    )


def _binomial(rate: float, games: int) -> tuple[float, float, float]:
    half = Z_95 * float(np.sqrt(rate * (1 - rate) / games))
    return rate, rate - half, rate + half


def best_of(arena: Arena, deals: int, candidates: int) -> np.ndarray:
    """(S,) win rate of the best of so many equal candidates, each measured on its own deals."""
    rates = arena.rates()
    parts = len(rates) // deals
    means = rates[: parts * deals, 0].reshape(parts, deals).mean(axis=1)
    groups = parts // candidates
    return np.asarray(means[: groups * candidates].reshape(groups, candidates).max(axis=1))


def coverage_figure(found: Coverage, shown: int, title: str) -> Figure:
    """The first intervals of equal players; those that miss chance have another colour."""
    figure, axes = new_figure(1, 1, width=9, height=3.4)
    ax = axes[0, 0]
    intervals = found.by_deal[:shown]
    missed = (intervals[:, 1] > found.truth) | (found.truth > intervals[:, 2])
    for here, colour, marker, label in (
        (~missed, BLUE, "o", "holds chance"),
        (missed, VERMILION, "s", "misses it"),
    ):
        places = np.flatnonzero(here)
        points(ax, places + 1, list(intervals[here]), colour, label, marker, scale=100)
    chance_line(ax, 100 * found.truth)
    label_axes(ax, title, "small arena", "win rate of one copy (%)")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    ax.set_xlim(0, len(intervals) + 1)
    return figure


# --- power --------------------------------------------------------------------------------------
def power(arena: Arena, one: int, other: int, sizes: Sequence[int]) -> list[Estimate]:
    """How often arenas of so many deals find a difference between two entrants (p < 0.05).

    Parameters
    ----------
    arena : Arena
        A large one, from which small ones are cut.
    one, other : int
        Entrants.
    sizes : sequence of int
        Deals of the small arenas.
    """
    rates = arena.rates()
    differences = rates[:, one] - rates[:, other]
    rng = np.random.default_rng([arena.settings.seed, one, other])
    found = []
    for size in sizes:
        parts = len(differences) // size
        seen = [
            bool(sign_flip_p_values(part[:, None], rng)[0] < 0.05)
            for part in differences[: parts * size].reshape(parts, size)
        ]
        found.append(Estimate(*win_interval(np.array(seen, dtype=np.float64), 1)))
    return found


def power_figure(
    arena: Arena, pairs: Sequence[tuple[int, int]], sizes: Sequence[int]
) -> tuple[Figure, list[tuple[str, float, list[Estimate]]]]:
    """Share of small arenas that find a difference, by their deals; and the numbers behind it."""
    figure, axes = new_figure(1, 1, width=8, height=3.8)
    ax, found = axes[0, 0], []
    rates = arena.rates().mean(axis=0)
    for index, (one, other) in enumerate(pairs):
        estimates = power(arena, one, other, sizes)
        gap = float(rates[one] - rates[other])
        name = f"{arena.names[one]}, {arena.names[other]}"
        found.append((name, gap, estimates))
        style = SERIES_COLOURS[index], f"{name}: {100 * gap:+.1f} points", SERIES_MARKERS[index]
        points(ax, np.array(sizes) * 1.02**index, estimates, *style, "-", 100)
    ax.axhline(80, color="black", linestyle="--", linewidth=1, label="four of five")
    ax.set_xscale("log")
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    ax.set_ylim(-3, 103)
    label_axes(
        ax,
        "How many deals it takes to see a difference",
        "deals of the arena, each in all seats",
        "arenas that find it (%)",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    note(figure, f"arenas cut from {arena.deals:,} deals of one table; bars: 95 % intervals")
    return figure, found


# --- matrix, standings, breakdowns --------------------------------------------------------------
def duel_matrix_figure(arena: Arena) -> Figure:
    """Win rate of each agent alone against copies of another, with intervals."""
    names, cells = arena.names, arena.summary.duels
    value = np.array([[np.nan if x is None else 100 * x.value for x in row] for row in cells])
    figure, axes = new_figure(1, 1, width=9.5, height=0.62 * len(names) + 1.6)
    ax = axes[0, 0]
    chance = 100 * arena.summary.chance
    image = ax.imshow(
        np.ma.masked_invalid(value),
        cmap="PuOr_r",
        vmin=chance - 75,
        vmax=chance + 75,
        aspect="auto",
    )
    for row, column in np.ndindex(value.shape):
        x = cells[row][column]
        if x is None:
            continue
        dark = abs(value[row, column] - chance) > 45
        ax.text(
            column,
            row,
            f"{100 * x.value:.0f}\n{100 * x.low:.0f} to {100 * x.high:.0f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if dark else "black",
        )
    label_axes(
        ax,
        f"One against {arena.schedule.players - 1} copies: games won (%), chance {chance:.0f}",
        "copies in all other seats",
        "alone",
    )
    ax.set_xticks(range(len(names)), names)
    ax.set_yticks(range(len(names)), names)
    ax.grid(visible=False)
    bar = figure.colorbar(image, ax=ax)
    bar.ax.set_ylim(0, 100)
    bar.set_label("games won (%)")
    note(figure, about(arena) + "; below the rate in each field is its interval")
    return figure


def standings_figure(arenas: Sequence[tuple[str, Arena]]) -> Figure:
    """Win rates of the same agents in several arenas, a series an arena."""
    figure, axes = new_figure(1, 1, width=8.5, height=3.8)
    ax = axes[0, 0]
    names = list(arenas[0][1].names)
    order = np.argsort([-x.win_rate.value for x in arenas[0][1].summary.standings])
    for index, (label, arena) in enumerate(arenas):
        shift = 0.16 * (index - (len(arenas) - 1) / 2)
        there = [
            (place, arena.names.index(names[entrant]))
            for place, entrant in enumerate(order)
            if names[entrant] in arena.names
        ]
        estimates = [arena.summary.standings[entrant].win_rate for _, entrant in there]
        positions = np.array([place for place, _ in there]) + shift
        style = SERIES_COLOURS[index], label, SERIES_MARKERS[index]
        points(ax, positions, estimates, *style, scale=100)
    chance_line(ax, 100 * arenas[0][1].summary.chance)
    ax.set_xticks(range(len(names)), [names[entrant] for entrant in order])
    ax.set_ylim(bottom=0)
    ax.grid(visible=False, axis="x")
    label_axes(ax, "The same agents in other company", "agent", "games won (%)")
    ax.legend()
    note(figure, "; ".join(f"{label}: {x.games:,} games" for label, x in arenas))
    return figure


def ratings_figure(arenas: Sequence[tuple[str, Arena]]) -> Figure:
    """OpenSkill ratings of the same agents in several arenas: sigma and interval by deal."""
    figure, axes = new_figure(1, len(arenas), width=9.5, height=3.8, sharey=True, sharex=True)
    names = list(arenas[0][1].names)
    order = np.argsort([x.rating.mu for x in arenas[0][1].summary.standings])
    sorted_names = [names[entrant] for entrant in order]
    for ax, (label, arena) in zip(axes[0], arenas, strict=True):
        found = dict(zip(arena.names, arena.summary.standings, strict=True))
        there = [name for name in sorted_names if name in found]
        ratings = [found[name].rating for name in there]
        places = np.array([sorted_names.index(name) for name in there], dtype=np.float64)
        sigmas = [(x.mu, x.mu - Z_95 * x.sigma, x.mu + Z_95 * x.sigma) for x in ratings]
        drawn = [(x.mu, x.low, x.high) for x in ratings]
        points(ax, places + 0.13, drawn, BLUE, "resampled deals", "o", sideways=True)
        points(ax, places - 0.13, sigmas, ORANGE, "the library's sigma", "s", sideways=True)
        chance_line(ax, CHANCE_LEVEL, "start", sideways=True)
        label_axes(ax, label, "rating (mu)", "")
        ax.set_yticks(range(len(sorted_names)), sorted_names)
    axes[0, -1].legend(loc="center left")
    note(figure, "bars: 95 %, as the library's sigma says, and by resampling whole deals")
    return figure


def rating_cells(rating: Rating) -> list[str]:
    """A rating in a table: its value, and half the 95 % intervals by sigma and by deal."""
    by_deal = "-" if rating.high is None else f"±{rating.high - rating.mu:.1f}"
    return [f"{rating.mu:.1f}", f"±{Z_95 * rating.sigma:.1f}", by_deal]


def breakdown_figure(arena: Arena, name: str = "office of the last round") -> Figure:
    """Win rates of each entrant by seat, and by a label of its results such as the office."""
    figure, axes = new_figure(1, 2, width=9.5, height=3.6, sharey=True)
    by_seat, by_label = axes[0]
    summary = arena.summary
    labels = sorted(summary.breakdowns[name], key=_office_place)
    for index, standing in enumerate(summary.standings):
        shift = 0.12 * (index - (len(summary.standings) - 1) / 2)
        style = SERIES_COLOURS[index], standing.name, SERIES_MARKERS[index]
        points(by_seat, np.arange(summary.players) + shift, standing.by_seat, *style, scale=100)
        cells = [summary.breakdowns[name][label][index] for label in labels]
        shares = [x.win_rate if x.seats >= FEWEST_SEATS else None for x in cells]
        points(by_label, np.arange(len(labels)) + shift, shares, *style, scale=100)
    for ax in axes[0]:
        chance_line(ax, 100 * summary.chance)
        ax.set_ylim(bottom=0)
        ax.grid(visible=False, axis="x")
    label_axes(by_seat, "By seat", "seat", "games won (%)")
    label_axes(by_label, f"By {name}", name, "")
    by_seat.set_xticks(range(summary.players))
    by_label.set_xticks(range(len(labels)), labels)
    by_label.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    note(figure, f"{about(arena)}; rates from fewer than {FEWEST_SEATS} seats are left out")
    return figure


def _office_place(label: str) -> tuple[int, str]:
    """Offices in their order, other labels by name."""
    return (OFFICES.index(label) if label in OFFICES else len(OFFICES), label)
