"""Figures of what a learned agent does: auctions, places, barons, cards, differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from jerusalem_env.jerusalem.engine.layout import PHASE_TURN
from jerusalem_env.jerusalem.render.palette import CARD_LABELS, OFFICE_LABELS
from jerusalem_env.jerusalem.rules.cards import NUM_CARD_KINDS
from jerusalem_env.jerusalem.rules.offices import OFFICES, offices_in_play

from ..balance.figures import OFFICE_COLOURS
from . import disagreement, drafts, offices, placement
from .board_map import colour_scale, draw_board
from .clusters import Estimate
from .decisions import Decisions
from .style import BLUE, GREEN, GREY, ORANGE, label_axes, new_figure, note, points, told

AGENT, REFERENCE = BLUE, ORANGE
_BARS = "error bars: 95 % intervals with the deal as the unit"


def values_of(estimates: Sequence[Estimate]) -> np.ndarray:
    """(k,) float64 values of estimates."""
    return np.array([estimate["value"] for estimate in estimates], dtype=np.float64)


def widest(estimates: Sequence[Estimate]) -> float:
    """Half of the widest interval."""
    return float(np.nanmax([(one["high"] - one["low"]) / 2 for one in estimates]))


def opening_rows(decisions: Decisions) -> list[list[str]]:
    """A row for each round and office: how often agent and reference put it up where they could."""
    mine = offices.opened(decisions)
    theirs = offices.opened(decisions, decisions.reference_actions)
    return [
        [
            f"round {number}, {OFFICES[office]}",
            told(mine[number][place], 100, 0, " %"),
            told(theirs[number][place], 100, 0, " %"),
        ]
        for number in mine
        for place, office in enumerate(offices_in_play(decisions.players))
    ]


def staying_figure(decisions: Decisions, spans: Sequence[tuple[int, ...]]) -> Figure:
    """Up to which price it goes on bidding: an office a column, a span of rounds a row."""
    shown = offices_in_play(decisions.players)[:-1]  # the last is hardly ever bid for: it is free
    figure, axes = new_figure(
        len(spans),
        len(shown),
        10,
        2.4 * len(spans) + 0.6,
        "Goes on bidding at this price (and could pass)",
        sharex=True,
        sharey=True,
    )
    for row, rounds in enumerate(spans):
        for column, office in enumerate(shown):
            ax, found = axes[row, column], offices.stays_in(decisions, office, rounds)
            for shift, shares, colour, marker, who in (
                (-0.08, found.mine, AGENT, "o", "agent"),
                (0.08, found.reference, REFERENCE, "s", "expert, same positions"),
            ):
                there = [i for i, share in enumerate(shares) if share["rows"] >= 10]
                positions = found.prices[there] + shift
                points(ax, positions, [shares[i] for i in there], colour, who, marker, "-", 100)
            span = f"rounds {rounds[0]}-{rounds[-1]}" if len(rounds) > 1 else f"round {rounds[0]}"
            ax.set_title(f"{OFFICE_LABELS[office]}, {span}")
            ax.set_ylim(-3, 103)
            if row == len(spans) - 1:
                ax.set_xlabel("least price (silver)")
            if column == 0:
                ax.set_ylabel("bids (%)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2)
    note(figure, f"{decisions.about()}; prices seen 10 times or more; {_BARS}")
    return figure


def prices_figure(tables: Mapping[str, Decisions]) -> Figure:
    """What it pays, what it offered where it was outbid, which offices it holds: a row a table."""
    title = "Offices: what the agent pays, and which it holds"
    figure, axes = new_figure(len(tables), 3, 10.5, 2.9 * len(tables) + 0.8, title)
    for row, (name, decisions) in enumerate(tables.items()):
        _prices_row(axes[row], name, decisions)
    axes[0, 0].legend(loc="upper right")
    text = f"points: means, {_BARS}; pale bars: first to third quartile; 5 sales or more"
    note(figure, "\n".join([*(table.about() for table in tables.values()), text]))
    return figure


def _prices_row(axes: np.ndarray, name: str, decisions: Decisions) -> None:
    rows = offices.prices(decisions)
    paid, lost, held = axes
    alone = not decisions.opponents  # then every office is held by the agent in every round
    for place, office in enumerate(offices_in_play(decisions.players)):
        label, marker = OFFICES[office], "os^D"[place]
        chosen = [row for row in rows if row.office == office]
        positions = np.array([row.round for row in chosen]) + 0.14 * (place - 1.5)
        colour = OFFICE_COLOURS[label]
        bought = [i for i, row in enumerate(chosen) if row.paid["rows"] >= 5]
        for i in bought:
            first, _, third = chosen[i].quartiles
            paid.plot([positions[i]] * 2, [first, third], color=colour, linewidth=6, alpha=0.25)
        paid_there = [chosen[i].paid for i in bought]
        points(paid, positions[bought], paid_there, colour, label, marker)
        outbid = [i for i, row in enumerate(chosen) if row.outbid["rows"] >= 5]
        points(lost, positions[outbid], [chosen[i].outbid for i in outbid], colour, None, marker)
        shares = [row.bought if alone else row.held for row in chosen]
        points(held, positions, shares, colour, None, marker, scale=100)
    label_axes(paid, f"against {name}: paid", "round", "price (silver)")
    label_axes(lost, "its highest bid, where it was outbid", "round", "bid (silver)")
    what = "got by a bid and not free" if alone else "holds the office"
    label_axes(
        held,
        what,
        "round",
        "share of its rounds with it (%)" if alone else "share of its rounds (%)",
    )
    for ax in axes:
        ax.set_xlim(0.5, int(decisions.finals["rounds"].max()) + 0.5)
    highest = max(paid.get_ylim()[1], lost.get_ylim()[1])
    for ax in (paid, lost):
        ax.set_ylim(-0.5, highest)
    held.set_ylim(-3, 104)


def placing_figure(agent: Decisions, expert: Decisions) -> Figure:
    """Squires placed by area over all rounds: the agent, the expert, the difference."""
    title = "Squires placed from supply by one player in one round"
    figure, axes = new_figure(1, 3, 11.5, 3.2, title)
    both = placement.placed(agent), placement.placed(expert)
    amounts = values_of(both[0]), values_of(both[1])
    scale, difference = colour_scale(amounts), amounts[0] - amounts[1]
    signed = colour_scale([difference], signed=True)
    for ax, amount, name in zip(axes[0], amounts, ("agent", "expert in its place"), strict=False):
        draw_board(ax, amount, agent.players, scale, "{:.2f}".format, name)
    right = axes[0, 2]
    draw_board(right, difference, agent.players, signed, "{:+.2f}".format, "agent less expert")
    figure.colorbar(scale, ax=list(axes[0, :2]), shrink=0.8, label="squires a round")
    figure.colorbar(signed, ax=right, shrink=0.8, label="difference (squires a round)")
    text = "the expert: the same deals, an expert in its place; "
    text += f"95 % intervals by deal: ±{widest([*both[0], *both[1]]):.2f} at most"
    note(figure, f"{agent.about()}; {text}")
    return figure


def rounds_figure(decisions: Decisions) -> Figure:
    """Squires placed (above) and barons (below) of the agent, a board for each round."""
    rounds = range(1, int(decisions.finals["rounds"].max()) + 1)
    figure, axes = new_figure(2, len(rounds), 11.5, 4.5, "By round: squires placed, and the baron")
    squires = [placement.placed(decisions, number) for number in rounds]
    blocks = [placement.barons(decisions, number) for number in rounds]
    placed = [values_of(estimates) for estimates in squires]
    barons = [100 * values_of(estimates) for estimates in blocks]
    for row, (amounts, text, unit) in enumerate(
        ((placed, "{:.1f}", "squires placed"), (barons, "{:.0f}", "baron (% of rounds)"))
    ):
        scale = colour_scale(amounts)
        for column, amount in enumerate(amounts):
            title = f"round {rounds[column]}" if row == 0 else ""
            ax = axes[row, column]
            draw_board(ax, amount, decisions.players, scale, text.format, title, small=True)
        figure.colorbar(scale, ax=list(axes[row]), shrink=0.85, label=unit, pad=0.01)
    at_most = [widest([one for board in boards for one in board]) for boards in (squires, blocks)]
    text = f"95 % intervals by deal: ±{at_most[0]:.2f} squires, ±{100 * at_most[1]:.0f} % at most"
    note(figure, f"{decisions.about()}; by one player in that round; {text}")
    return figure


def baron_use_figure(agent: Decisions, expert: Decisions) -> Figure:
    """How often the baron is used, by round and office, and when in the turn."""
    figure, axes = new_figure(1, 3, 10.5, 3.3, "Use of the baron")
    by_round, by_office, moment = axes[0]
    for shift, decisions, colour, marker, who in (
        (-0.06, agent, AGENT, "o", "agent"),
        (0.06, expert, REFERENCE, "s", "expert in its place"),
    ):
        use = placement.baron_use(decisions)
        for ax, key in ((by_round, "by_round"), (by_office, "by_office")):
            labels = np.array(list(use[key]), dtype=np.float64)
            estimates = list(use[key].values())
            line = "-" if key == "by_round" else "none"
            points(ax, labels + shift, estimates, colour, who, marker, line, 100)
        share = placement.baron_moments(decisions).share
        edges = np.linspace(0, 1, 11)
        heights = np.histogram(share, edges)[0] / max(len(share), 1)
        moment.stairs(100 * heights, edges, color=colour, linewidth=2, label=who)
    label_axes(by_round, "by round", "round", "rounds with a baron (%)")
    label_axes(by_office, "by office held", "", "rounds with a baron (%)")
    shown = offices_in_play(agent.players)
    by_office.set_xticks(shown, [OFFICE_LABELS[office] for office in shown])
    label_axes(moment, "when in the turn", "share of the turn's decisions before it", "barons (%)")
    for ax in axes[0]:
        ax.set_ylim(bottom=0)
    by_round.legend()
    note(figure, f"{agent.about()}; {_BARS}")
    return figure


def cards_figure(decisions: Decisions) -> Figure:
    """Which kinds of cards are kept where they can be, and how soon they are played."""
    figure, axes = new_figure(1, 2, 10, 4.4, "Cards: kept of the pool, and played at once")
    rows = drafts.kept(decisions)
    soon = drafts.played_at_once(decisions)
    order = np.argsort([np.nan_to_num(row.mine["value"], nan=-1.0) for row in rows])
    place = np.arange(NUM_CARD_KINDS)
    left, right = axes[0]
    mine, theirs = [rows[i].mine for i in order], [rows[i].reference for i in order]
    points(left, place + 0.12, mine, AGENT, "agent", "o", scale=100, sideways=True)
    label = "expert, same pools"
    points(left, place - 0.12, theirs, REFERENCE, label, "s", scale=100, sideways=True)
    chance = [100 * rows[i].by_chance for i in order]
    left.plot(chance, place, "|", color=GREY, markersize=9, label="drawn at random")
    estimates = [soon[i] for i in order]
    points(right, place, estimates, AGENT, "agent", "o", scale=100, sideways=True)
    label_axes(left, "kept", "share of the pools that hold it (%)", "")
    label_axes(right, "played in the same round", "share of those drafted (%)", "")
    for ax in axes[0]:
        ax.set_yticks(place, [CARD_LABELS[i] for i in order])
        ax.set_xlim(-3, 103)
    left.legend(loc="lower right")
    note(figure, f"{decisions.about()}; {_BARS}")
    return figure


def disagreement_figure(decisions: Decisions) -> Figure:
    """Where it differs from the reference, and what it does instead of what in its turn."""
    figure, axes = new_figure(1, 2, 11, 4.4, "Agent and expert in the same positions")
    rows = [row for row in disagreement.by_phase(decisions) if row.decisions >= 30]
    place = np.arange(len(rows))[::-1]
    ax = axes[0, 0]
    for shift, key, colour, marker, label in (
        (0.14, "differs", AGENT, "o", "chooses differently"),
        (-0.14, "never", GREEN, "^", "and does not do it later in the turn"),
    ):
        estimates = [getattr(row, key) for row in rows]
        points(ax, place + shift, estimates, colour, label, marker, scale=100, sideways=True)
    ax.set_yticks(place, [f"{row.name.replace('_', ' ')} ({row.decisions:,})" for row in rows])
    label_axes(ax, "by phase (decisions)", "share of decisions (%)", "")
    ax.set_xlim(-3, 103)
    ax.legend(loc="upper right")
    mine, theirs, shares = disagreement.kinds_table(decisions, PHASE_TURN)
    right = axes[0, 1]
    image = right.imshow(100 * shares, cmap="cividis", aspect="auto")
    for i, j in np.ndindex(*shares.shape):
        if shares[i, j] >= 0.0005:
            ink = "black" if shares[i, j] > 0.55 * shares.max() else "white"
            text = f"{100 * shares[i, j]:.1f}"
            right.text(j, i, text, ha="center", va="center", color=ink, fontsize=8)
    right.set_xticks(range(len(theirs)), theirs)
    right.set_yticks(range(len(mine)), mine)
    right.grid(visible=False)
    label_axes(right, "kinds of action in the turn", "expert would", "agent does")
    figure.colorbar(image, ax=right, label="share of its turn decisions (%)")
    note(figure, f"{decisions.about()}; phases with 30 decisions or more; {_BARS}")
    return figure
