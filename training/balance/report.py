"""The report as Markdown: a table a topic, a row a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from jerusalem_env.jerusalem.rules.events import EVENT_ROUNDS
from jerusalem_env.jerusalem.rules.offices import OFFICES

from .estimates import Estimate
from .simulate import ROUNDS

Result = dict[str, Any]

PROVENANCE = (
    "**Incomes other than the Market's are a reconstruction**: the rule texts give only the "
    "Market's in words (see the README, *Provenance of incomes*). What is said here holds for the "
    "preset named beside it."
)


def percent(x: Estimate) -> str:
    """A rate and its interval, such as ``25.1 (23.8 to 26.4)``, in per cent."""
    return _shown(x, 100, 1)


def number(x: Estimate) -> str:
    """A mean and its interval, such as ``3.42 (3.40 to 3.44)``."""
    return _shown(x, 1, 2)


def points(x: Estimate) -> str:
    """A difference of rates with its interval and signs, in percentage points."""
    return _shown(x, 100, 1, "+")


def _shown(x: Estimate, scale: float, digits: int, sign: str = "") -> str:
    if x["value"] is None:
        return "-"
    value, low, high = (
        None if x[k] is None else f"{round(x[k] * scale, digits) + 0.0:{sign}.{digits}f}"
        for k in ("value", "low", "high")
    )
    return str(value) if low is None else f"{value} ({low} to {high})"


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Lines of a Markdown table."""
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return [*lines, *(f"| {' | '.join(str(cell) for cell in row)} |" for row in rows), ""]


def markdown(report: dict[str, Any], figures: Sequence[Path], out: Path) -> str:
    """The whole report.

    Parameters
    ----------
    report : dict
        As in report.json.
    figures : sequence of Path
        To be shown at the end.
    out : Path
        The report's folder, from which they are linked.
    """
    provenance, results = report["provenance"], report["conditions"]
    lines = [
        "# Balance of the game",
        "",
        f"Agent `{provenance['agent']}` in all seats, {provenance['games']:,} games a condition, "
        f"seed {provenance['seed']}, jerusalem-env {provenance['version']}. Default rules but for "
        "the number of players and the incomes.",
        "",
        f"This is the game as `{provenance['agent']}` plays it, and only as good as that. Copies "
        "of one agent think alike: they may go through the auctions of round 1 in nearly the same "
        "way in every game, even where a little chance moves their bids (see the opening order and "
        "the quartiles of the prices), so what follows for a seat from its place after the first "
        "opener may be the agent's doing and not the game's.",
        "",
        PROVENANCE,
        "",
        "Brackets hold 95 % intervals, each by itself; the unit is the game, an independent deal "
        "(Wilson for rates, normal for means, Newcombe for differences of rates). All conditions "
        "with the same number of players play the same deals.",
        "",
    ]
    for section in SECTIONS:
        lines += section(results)
    lines += ["## Figures", ""]
    for path in figures:
        lines += [f"![{path.stem}]({path.relative_to(out).as_posix()})", ""]
    return "\n".join(lines).rstrip() + "\n"


def _each(results: Sequence[Result]) -> Iterable[tuple[list[Any], dict[str, Any]]]:
    """(Leading cells, numbers) of every condition."""
    for result in results:
        yield [result["players"], result["income"]], result["numbers"]


def _padded(cells: Sequence[str], size: int) -> list[str]:
    return [*cells, *([""] * (size - len(cells)))]


def _seats(results: Sequence[Result]) -> list[str]:
    most = max(result["players"] for result in results)
    heads = ["players", "incomes"]
    steps = ["opener", *(f"opener +{k}" for k in range(1, most))]
    offices = OFFICES[4 - most :]
    return [
        "## Seat advantage",
        "",
        "Games won (%) by seat. Seats differ only by their number, so these show the noise: equal "
        "players win 1 in n.",
        "",
        *table(
            [*heads, *(f"seat {seat}" for seat in range(most))],
            (
                [*head, *_padded([percent(s) for s in x["seats"]["by_seat"]], most)]
                for head, x in _each(results)
            ),
        ),
        "By seat clockwise from whoever opened the first auction of round 1, drawn at set-up:",
        "",
        *table(
            [*heads, *steps],
            (
                [*head, *_padded([percent(s) for s in x["seats"]["from_opener"]], most)]
                for head, x in _each(results)
            ),
        ),
        "By office held in the last round:",
        "",
        *table(
            [*heads, *offices],
            (
                [
                    *head,
                    *(
                        percent(x["seats"]["by_last_office"][o])
                        if o in x["seats"]["by_last_office"]
                        else ""
                        for o in offices
                    ),
                ]
                for head, x in _each(results)
            ),
        ),
    ]


def _prices(results: Sequence[Result]) -> list[str]:
    prices, orders = [], []
    for head, x in _each(results):
        for office in dict.fromkeys(row["office"] for row in x["prices"]):
            rows = [row for row in x["prices"] if row["office"] == office]
            prices.append([*head, office, *(_price(row) for row in rows)])
            orders.append([*head, office, *(_order(row) for row in rows)])
    heads = ["players", "incomes", "office", *(f"round {r}" for r in range(1, ROUNDS + 1))]
    return [
        "## Office prices by round",
        "",
        "Silver paid where the office was auctioned: mean [quartiles]; "
        "then the share of games (%) in which it was the last one and went free.",
        "",
        *table(heads, prices),
        "Opening order: share of games (%) in which the office was the first, second, ... auction "
        "of the round; the last number is that it was left over and went free.",
        "",
        *table(heads, orders),
    ]


def _price(row: dict[str, Any]) -> str:
    free = f"free {100 * row['free']['value']:.0f} %"
    if not row["auctions"]:
        return free
    cuts = ", ".join(f"{cut:g}" for cut in row["quartiles"])
    return f"{row['paid']['value']:.2f} [{cuts}], {free}"


def _order(row: dict[str, Any]) -> str:
    return " / ".join(f"{100 * share['value']:.0f}" for share in row["place"])


def _floors(results: Sequence[Result]) -> list[str]:
    return [
        "## Floors",
        "",
        *table(
            ["players", "incomes", "floors, all players", "floors, winner", "first less second"],
            (
                [*head, *(number(x["floors"][k]["mean"]) for k in ("all", "winner", "margin"))]
                for head, x in _each(results)
            ),
        ),
        "What decided the game (% of games; R16.1: floors, then prestige left, then the lowest "
        "office):",
        "",
        *table(
            ["players", "incomes", "floors", "prestige left", "office"],
            (
                [
                    *head,
                    *(percent(x["floors"]["decided_by"][k]) for k in ("floors", "prestige")),
                    percent(x["floors"]["decided_by"]["office"]),
                ]
                for head, x in _each(results)
            ),
        ),
        "Distribution: % of all players / % of winners with so many floors.",
        "",
        *_distribution(results),
    ]


def _distribution(results: Sequence[Result]) -> list[str]:
    most = max(len(x["floors"]["all"]["counts"]) for _, x in _each(results))
    rows = []
    for head, x in _each(results):
        pairs = zip(x["floors"]["all"]["shares"], x["floors"]["winner"]["shares"], strict=True)
        cells = [f"{100 * a['value']:.1f} / {100 * w['value']:.1f}" for a, w in pairs]
        rows.append([*head, *_padded(cells, most)])
    return table(["players", "incomes", *(str(f) for f in range(most))], rows)


def _length(results: Sequence[Result]) -> list[str]:
    groups = list(results[0]["numbers"]["length"]["by_phase"])
    return [
        "## Game length",
        "",
        "Decisions a game by all players together; choices are those with more than one legal "
        "action.",
        "",
        *table(
            ["players", "incomes", "all", "shortest to longest", "choices", "shortest to longest"],
            (
                [
                    *head,
                    *(
                        cell
                        for k in ("all", "choices")
                        for cell in (
                            number(x["length"][k]["mean"]),
                            f"{x['length'][k]['shortest']} to {x['length'][k]['longest']}",
                        )
                    ),
                ]
                for head, x in _each(results)
            ),
        ),
        "By phase: mean of all decisions, of them choices.",
        "",
        *table(
            ["players", "incomes", *groups],
            (
                [*head, *(_phase(x["length"]["by_phase"][group]) for group in groups)]
                for head, x in _each(results)
            ),
        ),
    ]


def _phase(x: dict[str, Any]) -> str:
    return f"{x['all']['value']:.1f}, {x['choices']['value']:.1f}"


def _building(results: Sequence[Result]) -> list[str]:
    most = max(len(x["building"]["by_floor"]) for _, x in _each(results))
    rounds = [f"round {r}" for r in range(1, ROUNDS)]

    def by_floor(key: str) -> list[list[Any]]:
        return [
            [*head, *_padded([_short(row[key], key) for row in x["building"]["by_floor"]], most)]
            for head, x in _each(results)
        ]

    def leaders(key: str) -> list[list[Any]]:
        return [
            [*head, *(percent(row[key]) for row in x["building"]["leader"][: ROUNDS - 1])]
            for head, x in _each(results)
        ]

    heads = ["players", "incomes"]
    floors = [f"floor {f}" for f in range(1, most + 1)]
    return [
        "## First builders",
        "",
        "The first to build a floor number pays 1 prestige more (R14.2). Share of all floors built "
        "at that price, and how often the first builder of floor 1 won the game (%):",
        "",
        *table(
            [*heads, "floors at the first price", "builder of the first floor 1 wins"],
            (
                [
                    *head,
                    percent(x["building"]["share_first"]),
                    percent(x["building"]["by_floor"][0]["builder_wins"])
                    if x["building"]["by_floor"]
                    else "-",
                ]
                for head, x in _each(results)
            ),
        ),
        "Games in which somebody built the floor and paid the surcharge (%):",
        "",
        *table([*heads, *floors], by_floor("built")),
        "The round in which that happened (mean):",
        "",
        *table([*heads, *floors], by_floor("round")),
        "How often the first builder of the floor won the game (%):",
        "",
        *table([*heads, *floors], by_floor("builder_wins")),
        "## Leaders",
        "",
        "Win rate (%) of the player ahead after a round's building: most floors, then most "
        "prestige, then the lowest office (R4.2).",
        "",
        *table([*heads, *rounds], leaders("ahead")),
        "Of the player alone on most floors, where there is one:",
        "",
        *table([*heads, *rounds], leaders("sole")),
    ]


def _short(x: Estimate, key: str) -> str:
    if x["value"] is None:
        return "-"
    return f"{x['value']:.2f}" if key == "round" else f"{100 * x['value']:.1f}"


_CONTROL = ("before", "after", "to_another", "to_nobody", "tied_before", "tied_after")


def _events(results: Sequence[Result]) -> list[str]:
    removed: list[list[str]] = []
    control: list[list[str]] = []
    wins: list[list[str]] = []
    struck: list[list[str]] = []
    for head, x in _each(results):
        for name, e in x["events"].items():
            r, c = e["removed"], e["control"]
            answer = f"{e['answers']['value']:.2f} {e['answers_unit']}" if e["answers"] else "-"
            removed.append(
                [
                    *(*head, name, number(r["total"]), percent(r["share"])),
                    *(number(r["leader"]), number(r["other"]), answer),
                ]
            )
            control.append(
                [
                    *(*head, name, f"{', '.join(e['sectors'])} ({c['areas']})"),
                    *(number(c[k]) for k in _CONTROL),
                    *(percent(c[k]) for k in ("leader_before", "leader_after")),
                ]
            )
            for rows, kind in ((wins, "revealed"), (struck, "struck")):
                changes = [e["leader_wins"][str(k)][kind]["change"] for k in EVENT_ROUNDS]
                rows.append([*head, name, *(points(change) for change in changes)])
    heads = ["players", "incomes", "event"]
    rounds = [f"round {r}" for r in EVENT_ROUNDS]
    return [
        "## Events",
        "",
        "Squires removed in the round in which the event struck, less those put back: all players "
        "together, that as a share of all squires on the board (%), the player ahead before it "
        "struck, and another player (mean of the others); and what the players did about it.",
        "",
        *table(
            [*heads, "all", "share of the board", "player ahead", "another", "answers"], removed
        ),
        "Control of its areas: how many have a controller before and after, how many pass to "
        "another player and to nobody, in how many several players have most, so that the office "
        "decides, and the share of them (%) that the player ahead controls. After the event, too, "
        "the offices of that round decide ties; they change hands before control next pays.",
        "",
        *table(
            [
                *(*heads, "areas", "before", "after", "to another", "to nobody"),
                *("tied, before", "tied, after", "ahead, before", "ahead, after"),
            ],
            control,
        ),
        "Change of the leader's win rate (percentage points): games in which the event strikes in "
        "that round, less games in which another one does. The leader is the player ahead when the "
        "event is turned up, after the building of the round before. Which event it is lies in the "
        "deal, so the difference is its doing: what players do about it, and that it strikes in no "
        "other round, included.",
        "",
        *table([*heads, *rounds], wins),
        "The same for the player ahead just before it strikes, after that round's building. By "
        "then players have prepared for it, so the leaders compared may differ in more than the "
        "event.",
        "",
        *table([*heads, *rounds], struck),
    ]


def _gifts(results: Sequence[Result]) -> list[str]:
    rows = []
    for head, x in _each(results):
        rows.append(
            [*head, number(x["gifts"]["all"]["winners"]), number(x["gifts"]["all"]["others"])]
            + [
                f"{x['gifts'][k]['winners']['value']:.2f}, {x['gifts'][k]['others']['value']:.2f}"
                for k in ("squires", "silver", "cards")
            ]
        )
    return [
        "## Gifts of the king",
        "",
        "Prestige from the gifts of the last round (R13), mean of winners and of another player; "
        "then by what it was for: winners, others.",
        "",
        *table(
            ["players", "incomes", "winners", "others", "most squires", "most silver", "cards"],
            rows,
        ),
    ]


SECTIONS: tuple[Callable[[Sequence[Result]], list[str]], ...] = (
    _seats,
    _prices,
    _floors,
    _length,
    _building,
    _events,
    _gifts,
)
