"""Games for the notebook on balance, and the figures that the report of ``balance`` has not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agents.base import Agent
from jerusalem_env.envs.opponents import compiled_policy
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.offices import OFFICES, offices_in_play
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from jerusalem_env.kernels import thread_limit
from jerusalem_env.policies import new_log

from ..arena.playing import play_games
from ..balance.estimates import Estimate, mean, rate
from ..balance.figures import DRAWERS, OFFICE_COLOURS
from ..balance.measures import measure
from ..balance.simulate import BATCH, MOST_DECISIONS, ROUNDS, Games, new_games, replay, simulate
from ..one_thread import networks_on_one_thread
from .players import player_of
from .style import (
    GREY,
    SERIES_COLOURS,
    SERIES_MARKERS,
    bars,
    chance_line,
    label_axes,
    new_figure,
    note,
    points,
    use_style,
)

_DEALS = 0  # `episode` of derive_seeds, as in training.balance: the same deals


@dataclass(frozen=True, eq=False)
class Condition:
    """Games between copies of one agent, and what they say.

    Attributes
    ----------
    agent : str
    players : int
    income : str
        Name of the preset.
    games : Games
    numbers : dict
        As ``training.balance.measures.measure`` gives them.
    """

    agent: str
    players: int
    income: str
    games: Games
    numbers: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As the figures of ``training.balance`` take it."""
        return {"players": self.players, "income": self.income, "numbers": self.numbers}


def play_condition(
    agent: str, players: int = 4, income: str = "ludorium", games: int = 1000, seed: int = 0
) -> Condition:
    """Play games with copies of one agent in all seats, and measure them.

    Agents with a compiled policy play thousands of games a second; others, such as ``ppo``, are
    called and take much longer. The deals depend on seed and number of players
    alone, not on agent or incomes.

    Parameters
    ----------
    agent : str
        A name for ``make_agent``.
    players : int
    income : str
        An income preset.
    games : int
        At least 2.
    seed : int
    """
    game = JerusalemGame(rules=RuleSet(players=players, income=income), skip_forced=False)
    player = player_of(agent, game)
    policy = compiled_policy(player)
    if policy is not None:
        played = simulate(game, policy, games, seed, thread_limit())
    else:
        played = _simulate_called(game, player, games, seed)
    return Condition(agent, players, income, played, measure(played))


def _simulate_called(game: JerusalemGame, agent: Agent, num_games: int, seed: int) -> Games:
    """``simulate`` for agents without a compiled policy."""
    seeds = game.derive_seeds(seed, num_games, _DEALS)
    games = new_games(game, num_games)
    agent.reset(seed)
    for first in range(0, num_games, BATCH):
        last = min(first + BATCH, num_games)
        log = new_log(last - first, MOST_DECISIONS)
        seated = np.zeros((last - first, game.players), dtype=np.int64)
        with networks_on_one_thread():
            play_games(game, [agent], seated, seeds[first:last], seed, log=log)
        replay(game, seeds[first:last], log.actions, log.sizes, games.rows(first, last))
    return games


def about(conditions: Sequence[Condition]) -> str:
    """The small print of a figure: who played how much."""
    names = list(dict.fromkeys(x.agent for x in conditions))
    sizes = sorted({x.games.size for x in conditions})
    many = " or ".join(f"{size:,}" for size in sizes)
    return f"{', '.join(names)} in all seats, {many} games a condition; bars: 95 % intervals"


def report_figure(name: str, conditions: Sequence[Condition], height: float = 6.6) -> Figure:
    """A figure of ``jerusalem balance``: a panel for each number of players.

    Parameters
    ----------
    name : str
        A key of ``training.balance.figures.DRAWERS``, such as ``seats`` or ``events``.
    conditions : sequence of Condition
        Of one income preset.
    height : float
        In inches.
    """
    title, draw = DRAWERS[name]
    use_style()
    figure = Figure(figsize=(10.0, height), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(2, 1, height_ratios=(29, 1))
    main, foot = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    main.suptitle(f"{title}: incomes {conditions[0].income}")
    draw(main, [condition.to_dict() for condition in conditions])
    foot.text(0.5, 0.5, about(conditions), fontsize=8, color="#555555", ha="center", va="center")
    return figure


# --- offices by round ---------------------------------------------------------------------------
def office_wins(games: Games) -> dict[str, list[Estimate]]:
    """How often the holder of each office in each round went on to win: office -> 5 rates."""
    winner = games.winner
    held = games.offices[np.arange(games.size), :, winner]  # (G, 5) of the one who won
    return {
        OFFICES[office]: [rate(held[:, number] == office) for number in range(ROUNDS)]
        for office in offices_in_play(games.players)
    }


def office_wins_figure(conditions: Sequence[Condition]) -> Figure:
    """Win rate of the office's holder by round, a panel for each condition."""
    figure, axes = new_figure(
        1,
        len(conditions),
        width=10,
        height=3.6,
        title="Who held which office, and won",
        sharey=True,
    )
    for ax, condition in zip(axes[0], conditions, strict=True):
        rates = office_wins(condition.games)
        for index, (office, estimates) in enumerate(rates.items()):
            shift = 0.08 * (index - (len(rates) - 1) / 2)
            rounds = np.arange(1, ROUNDS + 1) + shift
            marker = SERIES_MARKERS[OFFICES.index(office)]
            points(ax, rounds, estimates, OFFICE_COLOURS[office], office, marker, "-", 100)
        chance_line(ax, 100 / condition.players)
        label_axes(ax, f"{condition.players} players", "round", "")
        ax.set_xticks(range(1, ROUNDS + 1))
    axes[0, 0].set_ylabel("games that its holder won (%)")
    axes[0, 0].set_ylim(bottom=0)
    axes[0, -1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    note(figure, about(conditions))
    return figure


# --- gifts --------------------------------------------------------------------------------------
def gifts_figure(conditions: Sequence[Condition]) -> Figure:
    """Prestige from the gifts of the king, winners beside others, a panel for each condition."""
    figure, axes = new_figure(
        1, len(conditions), width=10, height=3.4, title="The king's gifts (R13)", sharey=True
    )
    names = ("squires", "silver", "cards")
    labels = ("most\nsquires", "most\nsilver", "a card\nin hand")
    for ax, condition in zip(axes[0], conditions, strict=True):
        gifts = condition.numbers["gifts"]
        for shift, who, colour in ((-0.2, "winners", SERIES_COLOURS[0]), (0.2, "others", GREY)):
            estimates = [gifts[name][who] for name in names]
            bars(ax, np.arange(len(names)) + shift, estimates, colour, who, 0.38)
        label_axes(ax, f"{condition.players} players", "given for", "")
        ax.set_xticks(range(len(names)), labels)
    axes[0, 0].set_ylabel("prestige (mean a player)")
    axes[0, -1].legend()
    note(figure, about(conditions))
    return figure


# --- conditions side by side ----------------------------------------------------------------------
def _price_of_first(numbers: dict[str, Any]) -> Estimate:
    """Silver paid in round 1 for the lowest office in play."""
    rows = [row for row in numbers["prices"] if row["round"] == 1]
    paid: Estimate = rows[0]["paid"]
    return paid


# What is shown of each condition: title, unit, scale, how it is read from the numbers.
_HEADLINES: tuple[tuple[str, str, float, Callable[[dict[str, Any]], Estimate]], ...] = (
    ("floors of the winner", "floors (mean)", 1, lambda x: x["floors"]["winner"]["mean"]),
    ("margin to the second", "floors (mean)", 1, lambda x: x["floors"]["margin"]["mean"]),
    ("level on floors at the end", "games (%)", 100, lambda x: _level(x)),
    ("first opener wins", "games (%)", 100, lambda x: x["seats"]["from_opener"][0]),
    (
        "ahead after round 3 and wins",
        "games (%)",
        100,
        lambda x: x["building"]["leader"][2]["ahead"],
    ),
    ("first office of round 1", "price (silver, mean)", 1, _price_of_first),
)


def _level(numbers: dict[str, Any]) -> Estimate:
    """Share of games in which floors alone did not decide (R16.1)."""
    floors = numbers["floors"]["decided_by"]["floors"]
    turned = {"value": 1 - floors["value"], "low": 1 - floors["high"], "high": 1 - floors["low"]}
    return turned | {"games": floors["games"]}


def presets_figure(conditions: Sequence[Condition]) -> Figure:
    """Six numbers of every condition by income preset; a series a number of players."""
    figure, axes = new_figure(2, 3, width=10, height=6, title="The income presets side by side")
    presets = list(dict.fromkeys(x.income for x in conditions))
    counts = sorted({x.players for x in conditions})
    for ax, (title, unit, scale, read) in zip(axes.flat, _HEADLINES, strict=True):
        for index, players in enumerate(counts):
            chosen = {x.income: x.numbers for x in conditions if x.players == players}
            positions = np.array([presets.index(name) for name in chosen], dtype=np.float64)
            positions += 0.15 * (index - (len(counts) - 1) / 2)
            estimates = [read(numbers) for numbers in chosen.values()]
            colour, marker = SERIES_COLOURS[index], SERIES_MARKERS[index]
            points(ax, positions, estimates, colour, f"{players} players", marker, scale=scale)
        label_axes(ax, title, "", unit)
        ax.set_xticks(range(len(presets)), [name.replace("_", "\n") for name in presets])
        ax.set_xlim(-0.5, len(presets) - 0.5)
        ax.set_ylim(bottom=0)
        ax.grid(visible=False, axis="x")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    note(figure, about(conditions))
    return figure


def agents_figure(conditions: Sequence[Condition]) -> Figure:
    """The same game between copies of different agents: seats, offices, prices, floors."""
    figure, axes = new_figure(2, 2, width=10, height=7, title="The same game, other players")
    seats, offices, prices, floors = axes.flat
    n = conditions[0].players
    names = [OFFICES[office] for office in offices_in_play(n)]
    for index, condition in enumerate(conditions):
        numbers, colour = condition.numbers, SERIES_COLOURS[index]
        marker, label = SERIES_MARKERS[index], condition.agent
        shift = 0.2 * (index - (len(conditions) - 1) / 2)
        steps = numbers["seats"]["from_opener"]
        points(seats, np.arange(n) + shift, steps, colour, label, marker, scale=100)
        last = [numbers["seats"]["by_last_office"][name] for name in names]
        points(offices, np.arange(n) + shift, last, colour, label, marker, scale=100)
        paid = [_mean_price(condition.games, number) for number in range(ROUNDS)]
        rounds = np.arange(1, ROUNDS + 1) + shift / 3
        points(prices, rounds, paid, colour, label, marker, "-")
        shares = numbers["floors"]["winner"]["shares"]
        bars(floors, np.arange(len(shares)) + 1.3 * shift, shares, colour, label, 0.26, 100)
    for ax in (seats, offices):
        chance_line(ax, 100 / n)
        ax.set_ylim(bottom=0)
        ax.grid(visible=False, axis="x")
    clockwise = ["opener", *(f"+{step}" for step in range(1, n))]
    label_axes(seats, "By place after the first opener", "seats clockwise", "games won (%)")
    seats.set_xticks(range(n), clockwise)
    label_axes(offices, "By office in the last round", "office", "games won (%)")
    offices.set_xticks(range(n), names)
    label_axes(prices, "Silver paid for offices", "round", "sum of the round (silver, mean)")
    prices.set_xticks(range(1, ROUNDS + 1))
    prices.set_ylim(bottom=0)
    label_axes(floors, "Height of the winner's tower", "floors", "games (%)")
    floors.set_xlim(left=_lowest(conditions) - 0.7)
    seats.legend()
    note(figure, about(conditions))
    return figure


def _mean_price(games: Games, number: int) -> tuple[float, float, float]:
    """Silver paid by all players together in a round: mean with its 95 % interval."""
    found = mean(np.maximum(games.price[:, number], 0).sum(axis=1), lowest=0.0)
    return found["value"], found["low"], found["high"]


def _lowest(conditions: Sequence[Condition]) -> int:
    """Fewest floors with which a game was won."""
    counts = [x.numbers["floors"]["winner"]["counts"] for x in conditions]
    return min(next(i for i, count in enumerate(x) if count) for x in counts)


# What a table compares: name, scale, digits, unit, how it is read from a condition's numbers.
COMPARED: tuple[tuple[str, float, int, str, Callable[[dict[str, Any]], Estimate]], ...] = (
    ("first opener wins", 100, 1, " %", lambda x: x["seats"]["from_opener"][0]),
    ("his left neighbour wins", 100, 1, " %", lambda x: x["seats"]["from_opener"][1]),
    ("last office: captain wins", 100, 1, " %", lambda x: x["seats"]["by_last_office"]["captain"]),
    ("last office: admiral wins", 100, 1, " %", lambda x: x["seats"]["by_last_office"]["admiral"]),
    ("floors of the winner", 1, 2, "", lambda x: x["floors"]["winner"]["mean"]),
    ("margin to the second", 1, 2, "", lambda x: x["floors"]["margin"]["mean"]),
    ("level on floors", 100, 1, " %", _level),
    ("ahead after round 3 wins", 100, 1, " %", lambda x: x["building"]["leader"][2]["ahead"]),
    ("floors at the first price", 100, 1, " %", lambda x: x["building"]["share_first"]),
    ("choices a game", 1, 1, "", lambda x: x["length"]["choices"]["mean"]),
)
