"""Hand-made positions with one clearly winning decision, which the search must find.

All are at or near the end of the last round, so that the rules alone say who wins. That a decision
is winning is not an opinion: every legal one is tried on many redeals, the expert playing on at all
seats, and only that one wins. Towers stand so high that nobody can pay for a further floor (R14.2),
so what is left of prestige decides, and a tie goes to the lower office (R16.1). In most the city
pays in a few areas only, and memory is perfect (``recall``), so that nothing but the point is open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from agents.registry import make_agent
from agents.scripted.strategies import make_strategy
from jerusalem_env.game import Information
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.board import AREAS, preset_table
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from tests.reference_engine import build_position
from tests.table import HIGH

pytestmark = pytest.mark.slow  # searches for each number of players, to compile

SEEDS = (1, 2, 3)
REDEALS = 40
LAST = ("admiral", "marshal", "treasurer", "captain")  # seat 0 moves last, and loses ties (R7.1)
SHUT = [None, "davids_tower", None, None]  # the baron of seat 1 shuts David's Tower (R8.5, R12.2)
FAR = 20  # squires that nobody can match in a turn
# Where privileges are: a seat far behind that holds them keeps them from mattering.
OTHER_SECTORS = ("patriarchate.large", "market.large", "nobility.large")


def city(*paying: str) -> list[list[int]]:
    """Incomes of a city where only some areas pay, and these what they always do (VII.b)."""
    printed = preset_table("ludorium")
    return [list(printed[area]) if name in paying else [0, 0, 0] for area, name in enumerate(AREAS)]


def held_by(seat: int, players: int, *areas: str) -> dict[str, list[int]]:
    """Areas that one seat holds beyond doubt."""
    return {area: [FAR if other == seat else 0 for other in range(players)] for area in areas}


@dataclass(frozen=True, eq=False)
class Case:
    """A position, and the decision of seat 0 that alone wins it.

    ``missed_by`` names players who do not search and choose otherwise: the expert where no weights
    could make it see the point.
    """

    name: str
    wins: str
    players: int
    income: Any = "ludorium"
    information: Information = "recall"
    missed_by: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)

    def game(self) -> JerusalemGame:
        """What is played."""
        rules = RuleSet.from_dict({"players": self.players, "income": self.income})
        return JerusalemGame(rules=rules, information=self.information)

    def table(self) -> tuple[JerusalemGame, np.ndarray, np.ndarray]:
        """(game, (1,) view, (1, A) mask) of seat 0 at the position."""
        game, n = self.game(), self.players
        given = {
            "round": 5,
            "phase": "turn",
            "to_act": 0,
            "offices": list(LAST[:n]),
            "floors": [HIGH] * n,
            "silver": [0] * n,
            "squires": [0] * n,
            **self.fields,
        }
        state = game.read_position(build_position(game.rules_dict(), **given))
        mask = np.zeros((1, game.num_actions), np.uint8)
        game.legal(state, mask)
        return game, game.views(state), mask


CASES = [
    Case(
        # R7.1, R12.10: third squire in the large Palace area takes its 4 PP from the other; his
        # supplies are hidden, but even both gifts (R13.2) do not help him.
        name="the last squire takes the large Palace area",
        wins="place palace.large",
        players=2,
        information="screen",
        fields={
            "board": {
                "palace.large": [2, 2],
                "templars.large": [2, 2],
            },
            "squires": [1, 0],
            "prestige": [4, 0],
            "barons": SHUT[:2],
        },
    ),
    Case(
        # R13.2: three squires kept are the most and worth 3 PP; with one placed the gift is tied.
        name="holding back wins the gift for squires",
        wins="pass",
        players=3,
        income=city("palace.left"),
        missed_by=("greedy",),
        fields={
            "squires": [3, 2, 0],
            "silver": [0, 0, 5],
            "prestige": [5, 7, 0],
            "barons": SHUT[:3],
        },
    ),
    Case(
        # R13.2 against R13.3: the card's squire breaks a tie for 3 PP, the card kept is worth 1.
        name="a last card played for the gift for squires",
        wins="play squire",
        players=2,
        income=city(),
        missed_by=("expert",),
        fields={
            "squires": [2, 2],
            "hands": [["squire"], []],
            "prestige": [5, 7],
            "barons": SHUT[:2],
            "board": held_by(1, 2, "market.large"),
        },
    ),
    Case(
        # R12.6, R12.8: seat 2 is behind, but gets 4 PP of income after the theft and would win.
        name="stealing from who will be ahead",
        wins="steal +2",
        players=3,
        income=city("palace.large", "palace.left", "palace.right"),
        missed_by=("expert", "greedy"),
        fields={
            "phase": "nobility",
            "board": {
                "palace.large": [0, 0, 3],
                "palace.left": [1, 0, 0],
                "palace.right": [1, 0, 0],
                "nobility.large": [1, 0, 0],
            },
            "prestige": [8, 10, 9],
        },
    ),
    Case(
        # R12.5, R13.2: one point bought leaves the most silver; a second gives the gift away.
        name="buying one point and no more",
        wins="buy prestige 1",
        players=2,
        income=city(),
        missed_by=("greedy",),
        fields={
            "phase": "market",
            "board": {"market.large": [1, 0]},
            "silver": [9, 6],
            "prestige": [5, 8],
        },
    ),
    Case(
        # R12.1, R7.1: the squire from David's Tower takes 4 PP from the leader; in the
        # Patriarchate it earns 2 PP and the gift for squires, which is too little.
        name="out of David's Tower against the leader",
        wins="drop palace.large",
        players=4,
        income=city("palace.large", "patriarchate.large"),
        fields={
            "phase": "davids_tower",
            "offices": ["marshal", "captain", "treasurer", "admiral"],
            "board": {
                "davids_tower": [2, 0, 0, 0],
                "palace.large": [2, 2, 0, 0],
                "patriarchate.large": [2, 0, 2, 0],
            },
            "silver": [0, 0, 9, 0],
            "prestige": [7, 10, 0, 0],
        },
    ),
    Case(
        # R11.9, R7.1: the exchange makes 3 to 2 of 2 to 3; the move would only tie.
        name="a defector turns the large Palace area",
        wins="play defector",
        players=3,
        income=city("palace.large"),
        fields={
            "hands": [["defector", "move_2"], [], []],
            "board": {"palace.large": [2, 3, 0], "templars.left": [1, 0, 0]},
            "prestige": [5, 8, 0],
            "barons": SHUT[:3],
        },
    ),
    Case(
        # R10.3, R13.2: the moved squire would be outnumbered by who moves last; a silver stays.
        name="the marshal's silver instead of his move",
        wins="marshal silver",
        players=3,
        income=city("palace.left"),
        missed_by=("greedy",),
        fields={
            "offices": ["marshal", "admiral", "treasurer"],
            "board": {
                "palace.left": [1, 2, 0],
                "templars.left": [1, 0, 0],
                **held_by(2, 3, *OTHER_SECTORS),
            },
            "silver": [4, 3, 0],
            "prestige": [9, 5, 0],
            "barons": [None, None, "davids_tower"],
        },
    ),
    Case(
        # R8.1, R8.5: of two held areas only one can be retaken by who moves last.
        name="the baron where it would be lost",
        wins="baron palace.left",
        players=2,
        income=city("palace.left", "palace.right"),
        fields={
            "offices": ["marshal", "admiral"],
            "board": {
                "palace.left": [3, 1],
                "palace.right": [9, 0],
                "davids_tower": [0, FAR],
                "market.large": [FAR, 0],
            },
            "turn": {"arrivals": {"palace.left": 3, "palace.right": 3}, "marshal_used": True},
            "prestige": [8, 5],
        },
    ),
    Case(
        # R4.4, R6.2, R13.2: the other has no fourth silver to raise with, and the treasurer's
        # squires are the most; without the bid the gifts are shared and he wins the tie (R16.1).
        name="all silver for the better office",
        wins="bid 3",
        players=3,
        income=city(),
        missed_by=("greedy",),
        fields={
            "phase": "bid",
            "offices": [None, None, "admiral"],
            "auction": {"opener": 1, "office": "treasurer", "bid": 2, "bidder": 1},
            "silver": [3, 3, 0],
            "prestige": [6, 5, 0],
            "board": held_by(2, 3, *OTHER_SECTORS, "davids_tower"),
            "draft_pool": ["move_2", "move_2", "move_2"],
            "pile": [],
        },
    ),
    Case(
        # R4.3, R6.2, R13.2: nobody can bid against it, and the treasurer has the most squires.
        name="opening the office that wins the gift",
        wins="open treasurer",
        players=3,
        income=city(),
        missed_by=("greedy",),
        fields={
            "phase": "open",
            "offices": [None, None, "admiral"],
            "silver": [0, 0, 9],
            "prestige": [8, 10, 0],
            "board": held_by(2, 3, *OTHER_SECTORS, "davids_tower"),
            "draft_pool": ["move_2", "move_2", "move_2"],
            "pile": [],
        },
    ),
    Case(
        # R5.1, R13.2: the squire makes 7 to 6; passed on, it makes 6 to 7 and outweighs 2 PP.
        name="drafting a squire and not prestige",
        wins="draft squire",
        players=3,
        income=city(),
        missed_by=("greedy",),
        fields={
            "phase": "draft",
            "offices": ["treasurer", "marshal", "admiral"],
            "hands": [["move_2"], ["move_2"], []],
            "draft_pool": ["prestige_2", "squire", "squire"],
            "pile": [],
            "squires": [0, 1, 0],
            "silver": [0, 0, 9],
            "prestige": [5, 5, 0],
            "board": held_by(2, 3, *OTHER_SECTORS, "davids_tower"),
        },
    ),
    Case(
        # R11.7, R13.2: a squire more than the other is worth 3 PP, a point of prestige one.
        name="taking a squire and not prestige",
        wins="take squire",
        players=4,
        income=city(),
        missed_by=("greedy",),
        fields={
            "phase": "take",
            "pending": {"source": "resources_2", "left": 1},
            "squires": [4, 4, 0, 0],
            "silver": [0, 0, 5, 0],
            "prestige": [5, 8, 0, 0],
            "barons": SHUT,
            "board": held_by(2, 4, *OTHER_SECTORS),
        },
    ),
    Case(
        # R12.4, R13.2, R13.3: the squire for a card worth 1 PP would tie the gift worth 3.
        name="no card for the squire that decides",
        wins="pass",
        players=4,
        income=city(),
        missed_by=("expert", "greedy"),
        fields={
            "phase": "patriarchate",
            "board": {"patriarchate.large": [1, 0, 0, 0]},
            "squires": [3, 2, 0, 0],
            "silver": [0, 0, 5, 0],
            "prestige": [5, 7, 0, 0],
        },
    ),
    Case(
        # R7.1, R12.3, R13.2: a point, its silver, the theft and the gift all pass over from the
        # leader; 4 PP from somebody else are too few.
        name="the small area of the leader",
        wins="place nobility.left",
        players=4,
        income=city("palace.large", "nobility.left"),
        missed_by=("greedy",),
        fields={
            "squires": [1, 0, 0, 0],
            "board": {
                "nobility.left": [1, 1, 0, 0],
                "palace.large": [1, 0, 1, 0],
                **held_by(2, 4, "patriarchate.large", "market.large"),
            },
            "prestige": [5, 10, 5, 0],
            "barons": SHUT,
        },
    ),
    Case(
        # R12.3, R12.5: the third squire takes the privilege, and 4 PP, from the leader's silver.
        name="the privilege of the Market",
        wins="place market.large",
        players=4,
        income=city("templars.left"),
        fields={
            "squires": [1, 5, 0, 0],
            "silver": [2, 20, 0, 0],
            "board": {
                "market.large": [2, 2, 0, 0],
                **held_by(2, 4, "patriarchate.large", "nobility.large"),
            },
            "prestige": [10, 2, 0, 0],
            "barons": [None, "davids_tower", "market.left", "market.right"],
        },
    ),
    Case(
        # R9.1, R13.2: the hired squire would win 2 PP from the other, and lose the gift to him.
        name="silver kept and not spent on a squire",
        wins="pass",
        players=3,
        income=city("palace.left"),
        missed_by=("greedy",),
        fields={
            "silver": [5, 3, 0],
            "board": {
                "palace.left": [2, 2, 0],
                **held_by(2, 3, *OTHER_SECTORS),
            },
            "prestige": [6, 5, 0],
            "barons": SHUT[:3],
        },
    ),
    Case(
        # R13.2 against R13.3: 2 silver more are the most, worth 3 PP; the card kept is worth 1.
        name="a last card played for the gift for silver",
        wins="play silver_2",
        players=4,
        income=city(),
        missed_by=("expert",),
        fields={
            "silver": [3, 4, 0, 0],
            "hands": [["silver_2"], [], [], []],
            "prestige": [5, 7, 0, 0],
            "barons": SHUT,
            "board": held_by(2, 4, *OTHER_SECTORS),
        },
    ),
    Case(
        # R11.10, R7.1: only the idle squire may go where it wins 2 PP; the others hold 2 PP.
        name="lifting the idle squire",
        wins="lift templars.left",
        players=3,
        income=city("palace.left", "palace.right"),
        fields={
            "phase": "lift",
            "pending": {"source": "move_2", "left": 1},
            "board": {
                "palace.left": [2, 1, 0],
                "palace.right": [1, 1, 0],
                "templars.left": [1, 0, 0],
                **held_by(2, 3, *OTHER_SECTORS),
            },
            "prestige": [5, 7, 0],
            "barons": SHUT[:3],
        },
    ),
    Case(
        # R9.2, R13.2: three idle squires bring the silver that breaks the tie.
        name="dismissing for the silver that decides",
        wins="dismiss templars.left",
        players=3,
        income=city(),
        fields={
            "silver": [4, 4, 0],
            "board": {
                "templars.left": [3, 0, 0],
                **held_by(2, 3, *OTHER_SECTORS),
            },
            "prestige": [5, 8, 0],
            "barons": SHUT[:3],
        },
    ),
    Case(
        # R11.11, R9.1: at 2 silver each it can hire the two squires that take 4 PP from the leader.
        name="mercenaries for the large Palace area",
        wins="play genoa",
        players=3,
        income=city("palace.large"),
        missed_by=("expert", "greedy"),
        fields={
            "silver": [4, 9, 0],
            "hands": [["genoa"], [], []],
            "board": {"palace.large": [1, 2, 0], **held_by(2, 3, *OTHER_SECTORS)},
            "prestige": [7, 5, 0],
            "barons": SHUT[:3],
        },
    ),
    Case(
        # R13.2: as above, but every area could be taken for the silver that it pays.
        name="holding back among many areas",
        wins="pass",
        players=3,
        income=[[0, 1, 0]] * 15 + [[0, 0, 0]],
        fields={
            "squires": [3, 2, 0],
            "silver": [3, 0, 30],
            "prestige": [5, 7, 0],
            "barons": SHUT[:3],
        },
    ),
]


def win_rates(case: Case) -> dict[str, float]:
    """By legal action, how often seat 0 wins when the expert plays on for everybody."""
    game, view, mask = case.table()
    expert = make_strategy("expert").compiled
    rates = {}
    for action in np.flatnonzero(mask[0]):
        # The same redeals for every action.
        states = game.redeal(np.repeat(view, REDEALS), np.random.default_rng(5))
        masks = np.repeat(mask, REDEALS, axis=0)
        assert game.step(states, np.full(REDEALS, action), masks) == -1
        seeds = np.arange(REDEALS, dtype=np.uint64)
        everybody = np.zeros((REDEALS, game.players), np.int64)
        assert game.play_on(states, seeds, everybody, (expert,)) == -1
        assert game.terminated(states).all()
        rates[game.action_names[action]] = float((states["ranking"][:, 0] == 0).mean())
    return rates


def choice(case: Case, name: str, seed: int = 0) -> str:
    """What a player decides."""
    game, view, mask = case.table()
    agent = make_agent(name, game)
    agent.reset(seed)
    return game.action_names[int(agent.act(view, mask)[0])]


def named(cases: list[Case]) -> list[Any]:
    """Test parameters."""
    return [pytest.param(case, id=case.name) for case in cases]


@pytest.mark.parametrize("case", named(CASES))
def test_position__has_one_winning_decision(case: Case) -> None:
    rates = win_rates(case)
    assert len(rates) > 1
    assert rates.pop(case.wins) >= 0.9
    assert max(rates.values()) <= 0.6, rates


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.name) for case in CASES],
)
def test_search__finds_the_winning_decision(case: Case, seed: int) -> None:
    assert choice(case, "mcts:400", seed) == case.wins


@pytest.mark.parametrize("case", named([case for case in CASES if case.missed_by]))
def test_position__is_lost_without_search(case: Case) -> None:
    for name in case.missed_by:
        assert choice(case, name) != case.wins


def test_positions__are_of_all_kinds() -> None:
    assert {case.players for case in CASES} == {2, 3, 4}
    assert {case.information for case in CASES} == {"screen", "recall"}
    assert len({case.fields.get("phase", "turn") for case in CASES}) >= 8
    assert sum("expert" in case.missed_by for case in CASES) >= 4
    assert len(CASES) >= 12
