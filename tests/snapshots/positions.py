"""The positions that are kept as pictures: by name, the position and who looks at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from jerusalem_env.drawing import Drawing
from jerusalem_env.game import Information
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.reference_engine import build_position


@dataclass(frozen=True)
class Snapshot:
    """A position, by what differs from ``build_position``'s quiet one."""

    fields: dict[str, Any]
    rules: dict[str, Any] = field(default_factory=dict)
    seat: int | None = None
    information: Information = "screen"

    def game(self) -> JerusalemGame:
        return JerusalemGame(
            players=self.rules.get("players", 4), information=self.information, skip_forced=False
        )

    def state(self, **changes: Any) -> np.void:
        """The state; ``changes`` replace fields."""
        position = build_position(self.rules, **{**self.fields, **changes})
        record: np.void = self.game().read_position(position)[0]
        return record

    def drawing(self, **changes: Any) -> Drawing:
        return self.game().draw(self.state(**changes), self.seat)


CUSTOM_INCOME = [[1000, 0, 0], [2, 30, 400], [0, 0, 999]] * 5 + [[0, 0, 0]]

SNAPSHOTS: dict[str, Snapshot] = {
    # P3 in turn, a baron on the board; everything is shown.
    "turn_of_four": Snapshot(
        {
            "round": 3,
            "to_act": 1,
            "offices": ["captain", "marshal", "treasurer", "admiral"],
            "floors": [2, 1, 4, 0],
            "prestige": [3, 0, 23, 7],
            "silver": [7, 12, 0, 31],
            "squires": [2, 5, 0, 11],
            "hands": [["genoa"], ["defector", "move_2", "move_2"], [], ["influence_nobility"]],
            "barons": ["market.left", None, None, None],
            "board": {
                "palace.large": [1, 3, 0, 2],
                "palace.left": [0, 0, 2, 0],
                "templars.large": [0, 4, 4, 1],
                "patriarchate.right": [2, 2, 2, 2],
                "market.large": [5, 0, 1, 0],
                "market.left": [3, 1, 1, 0],
                "nobility.large": [0, 0, 0, 12],
                "davids_tower": [1, 2, 0, 3],
            },
            "turn": {"arrivals": {"palace.large": 3, "davids_tower": 2}, "hired": 2},
            "discards": ["squire", "squire", "silver_2", "prestige_2", "resources_2"],
        }
    ),
    # The marshal's office is on offer; seat 1 sees neither what is behind the others' screens nor
    # the pool and the events to come.
    "auction_of_three": Snapshot(
        {
            "phase": "bid",
            "to_act": 2,
            "round": 2,
            "floors": [1, 1, 0],
            "prestige": [1, 0, 3],
            "silver": [9, 14, 6],
            "squires": [3, 1, 0],
            "hands": [["squire"], ["silver_2", "influence_davids_tower"], []],
            "board": {
                "palace.large": [3, 0, 0],
                "market.right": [2, 2, 0],
                "davids_tower": [0, 3, 1],
            },
            "draft_pool": ["defector", "genoa", "move_2"],
            "auction": {
                "opener": 0,
                "office": "marshal",
                "bid": 4,
                "bidder": 1,
                "passed": [True, False, False],
            },
        },
        {"players": 3},
        seat=1,
    ),
    # The war: P0 removes squires; seat 2 has kept count of silver and supplies.
    "war_of_four": Snapshot(
        {
            "phase": "war",
            "to_act": 0,
            "round": 4,
            "events": ["election", "succession", "war"],
            "floors": [3, 2, 2, 3],
            "prestige": [1, 2, 0, 2],
            "silver": [11, 3, 8, 0],
            "squires": [6, 9, 1, 3],
            "hands": [["squire"], [], ["genoa", "prestige_2"], ["move_2"] * 3],
            "barons": ["palace.large", "davids_tower", None, None],
            "board": {
                "palace.large": [4, 1, 0, 1],
                "templars.left": [0, 3, 1, 0],
                "patriarchate.large": [1, 0, 5, 2],
                "davids_tower": [0, 3, 1, 2],
            },
            "pending": {"left": 3, "hits": [0, 1, 0, 0]},
        },
        seat=2,
        information="recall",
    ),
    # Two players; two of the sectors lie idle; the game is over.
    "end_of_two": Snapshot(
        {
            "phase": "over",
            "floors": [5, 7],
            "prestige": [4, 1],
            "silver": [3, 17],
            "squires": [0, 21],
            "barons": [None, "templars.right"],
            "board": {
                "palace.left": [2, 1],
                "templars.right": [1, 4],
                "market.large": [6, 5],
                "davids_tower": [0, 2],
            },
            "discards": ["genoa", "move_2", "squire", "squire_silver"],
        },
        {"players": 2},
    ),
    # As much of everything as a picture may ever have to hold.
    "full_table": Snapshot(
        {
            "to_act": 3,
            "offices": ["admiral", "marshal", "treasurer", "captain"],
            "floors": [3, 14, 5, 0],
            "prestige": [31, 132, 3, 0],
            "silver": [101, 127, 103, 12],
            "squires": [201, 30, 203, 4],
            "hands": [
                [
                    *("defector", "genoa", "influence_davids_tower", "influence_market"),
                    *("influence_palace", "influence_patriarchate", "influence_templars"),
                    *("move_2", "move_2", "resources_2", "squire", "squire_silver"),
                ],
                [],
                ["silver_2"],
                ["influence_nobility"],
            ],
            "barons": [None, None, None, "market.left"],
            "board": {
                "palace.right": [130, 230, 330, 230],
                "market.large": [31, 30, 30, 30],
                "market.left": [30, 31, 30, 30],
                "davids_tower": [4, 130, 2, 0],
            },
            "turn": {
                "baron_used": True,
                "hired": 12,
                "genoa": True,
                "arrivals": {"market.left": 3},
            },
            "discards": ["genoa", "move_2", "prestige_2", "prestige_2", "silver_2", "squire"],
        },
        {"rounds": 1, "income": CUSTOM_INCOME},
    ),
}
