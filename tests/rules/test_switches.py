"""Every switch of the rule set (VII.a): what changes when it is turned, through positions."""

from __future__ import annotations

from typing import Any

import pytest

from jerusalem_env import RuleSet, RuleSetError, jerusalem_v0
from tests.reference_engine import AREAS, RULESET_DEFAULTS, TOWER, areas_in_play
from tests.table import HIGH, NO_INCOME, Dealer, Table, gained, squires_of

ON_OFF = pytest.mark.parametrize("on", [False, True])
ONLY_SEAT_3 = [0, 0, 0, 1]


# --- players, first_opener ---


@pytest.mark.parametrize(
    ("players", "offices", "areas", "pile"),
    [
        (2, ["marshal", "admiral"], 10, 23),
        (3, ["treasurer", "marshal", "admiral"], 16, 24),
        (4, ["captain", "treasurer", "marshal", "admiral"], 16, 23),
    ],
)
def test_players__decides_offices_areas_and_cards(
    deal: Dealer, players: int, offices: list[str], areas: int, pile: int
) -> None:
    table = deal.new({"players": players})
    assert table.offers("open") == offices
    assert len(table["board"]) == areas
    assert len(table["pile"]) == pile
    assert len(table["draft_pool"]) == players
    assert len(set(table["events"])) == 3


def test_players__two_never_meet_the_election(deal: Dealer) -> None:
    dealt = [deal.new({"players": 2}, seed)["events"] for seed in range(20)]
    assert all(sorted(events) == ["special_tax", "succession", "war"] for events in dealt)
    assert len({tuple(events) for events in dealt}) > 1


@pytest.mark.parametrize("seat", range(3))
def test_first_opener__a_seat_opens(deal: Dealer, seat: int) -> None:
    openers = {deal.new({"players": 3, "first_opener": seat}, s).to_act for s in range(5)}
    assert openers == {seat}


def test_first_opener__drawn_at_setup(deal: Dealer) -> None:
    openers = {deal.new({"players": 3}, seed).to_act for seed in range(40)}
    assert openers == {0, 1, 2}


# --- income ---

# By preset: income of the large and of each small area, in the order of AREAS.
PRINTED = {
    "ludorium": {
        "palace": [(0, 0, 4), (0, 0, 2)],
        "templars": [(6, 0, 0), (3, 0, 0)],
        "patriarchate": [(4, 0, 2), (2, 0, 1)],
        "market": [(2, 4, 0), (1, 2, 0)],
        "nobility": [(0, 4, 2), (0, 2, 1)],
    },
    "six_icons": {
        "palace": [(0, 0, 6), (0, 0, 3)],
        "templars": [(6, 0, 0), (3, 0, 0)],
        "patriarchate": [(4, 0, 2), (2, 0, 1)],
        "market": [(2, 4, 0), (1, 2, 0)],
        "nobility": [(0, 4, 2), (0, 2, 1)],
    },
    "equal_value": {
        "palace": [(0, 0, 4), (0, 0, 2)],
        "templars": [(4, 0, 0), (2, 0, 0)],
        "patriarchate": [(2, 0, 2), (1, 0, 1)],
        "market": [(2, 4, 0), (1, 2, 0)],
        "nobility": [(0, 4, 2), (0, 2, 1)],
    },
}


def _income(deal: Dealer, rules: dict[str, Any], area: str) -> tuple[int, int, int]:
    """What a player with the only squire on the board receives for it in step 3."""
    n = rules.get("players", 4)
    board = {area: [0, 1] + [0] * (n - 2)}
    table = deal(rules, round=1, to_act=n - 1, board=board, floors=[40] * n)
    before = table.position()
    after = table.pass_to("open", "over").position()
    gains = [gained(before, after, field) for field in ("squires", "silver", "prestige")]
    assert all(gain[0] == gain[2:].count(1) == 0 for gain in gains)
    squires, silver, prestige = (gain[1] for gain in gains)
    return squires, silver - (area == TOWER), prestige


@pytest.mark.parametrize("preset", PRINTED)
def test_income__preset_pays_as_printed(deal: Dealer, preset: str) -> None:
    for area in AREAS[:-1]:
        sector, part = area.split(".")
        expected = PRINTED[preset][sector][part != "large"]
        assert _income(deal, {"income": preset}, area) == expected, area
    assert _income(deal, {"income": preset}, TOWER) == (0, 0, 0)


def test_income__custom_table_is_by_area(deal: Dealer) -> None:
    table = [[i, 14 - i, 2 * i] for i in range(15)] + [[0, 0, 0]]
    for players in (2, 3, 4):
        rules = {"players": players, "income": table, "rounds": 2}
        for area in areas_in_play(players):
            assert _income(deal, rules, area) == tuple(table[AREAS.index(area)]), area


def _silver_table(large_market: int, squires: int = 0) -> Any:
    table = [[0, 0, 0] for _ in AREAS]
    table[AREAS.index("market.large")] = [squires, large_market, 0]
    return table


@pytest.mark.parametrize(
    ("players", "rounds", "silver", "squires"),
    [
        (4, 2, 110, 0),  # 12 + 11/3 + 110 + 2 = 127.67
        (4, 2, 110, 1000),  # squires of round 1 cannot be sold before auction 2
        (4, 3, 45, 8),  # 12 + 22/3 + 90 + 8/3 + 17/3 = 117.67
        (4, 5, 22, 1),  # 12 + 44/3 + 88 + 1 + 35/3 = 127.33
        (3, 5, 0, 89),
        (2, 5, 0, 93),  # 12 + 44/3 + 93 + 8 = 127.67
        (4, 1, 1000, 1000),
    ],
)
def test_income__bid_bound_accepts(players: int, rounds: int, silver: int, squires: int) -> None:
    table = _silver_table(silver, squires)
    rules = RuleSet(players=players, rounds=rounds, income=table)
    assert rules.to_dict()["income"] == table


@pytest.mark.parametrize(
    ("players", "rounds", "silver", "squires"),
    [(4, 2, 111, 0), (4, 5, 22, 2), (3, 5, 0, 90), (2, 5, 0, 94), (4, 3, 51, 3)],
)
def test_income__bid_bound_refuses(players: int, rounds: int, silver: int, squires: int) -> None:
    with pytest.raises(RuleSetError, match="income"):
        RuleSet(players=players, rounds=rounds, income=_silver_table(silver, squires))


def test_income__bid_bound_counts_areas_in_play_only() -> None:
    table: Any = [[0, 0, 0] for _ in AREAS]
    table[AREAS.index("nobility.large")] = [0, 500, 0]
    assert RuleSet(players=2, income=table).players == 2
    with pytest.raises(RuleSetError, match="income"):
        RuleSet(players=3, income=table)


@pytest.mark.parametrize("row", [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
def test_income__tower_row_must_be_nothing(row: list[int]) -> None:
    table: Any = [[0, 0, 0] for _ in AREAS]
    table[AREAS.index(TOWER)] = row
    with pytest.raises(RuleSetError, match=r"davids_tower|Tower"):
        RuleSet(income=table)


# --- influence_ignores_baron (D1) ---


@ON_OFF
def test_influence_ignores_baron__card_enters_blocked_areas(deal: Dealer, on: bool) -> None:
    rules = {"influence_ignores_baron": on}
    hands: list[list[str]] = [[], [], [], ["influence_palace"]]
    own_and_other = ["palace.left", None, None, "palace.right"]
    board = {"palace.left": [3, 0, 0, 0], "palace.right": [0, 0, 0, 3]}
    table = deal(rules, to_act=3, hands=hands, barons=own_and_other, board=board)
    table.play("play influence_palace")
    if not on:
        assert table.offers("drop") == ["palace.large"]
        return
    assert table.offers("drop") == ["palace.large", "palace.left", "palace.right"]
    table.play("drop palace.left", "drop palace.right")
    assert table["board"]["palace.left"] == [3, 0, 0, 1]
    assert table["board"]["palace.right"] == [0, 0, 0, 4]
    assert table.refuses("place palace.left")


@ON_OFF
def test_influence_ignores_baron__whole_sector_blocked(deal: Dealer, on: bool) -> None:
    hands: list[list[str]] = [[], [], [], ["influence_davids_tower"]]
    fields = {"to_act": 3, "hands": hands, "barons": ["davids_tower", None, None, None]}
    table = deal({"influence_ignores_baron": on}, **fields)
    if not on:
        assert table.refuses("play influence_davids_tower")
        return
    table.play("play influence_davids_tower", "drop davids_tower", "drop davids_tower")
    assert table["board"]["davids_tower"] == [0, 0, 0, 2]


# --- election_all_sectors (D5) ---


@ON_OFF
def test_election_all_sectors__reaches_the_other_sectors(deal: Dealer, on: bool) -> None:
    board = {area: [3, 1, 0, 2] for area in AREAS}
    events = ["election", "war", "succession"]
    rules = {"election_all_sectors": on, **NO_INCOME}
    after = deal(rules, events=events, to_act=3, board=board, silver=[0] * 4).pass_to("open")
    for area, counts in after["board"].items():
        concerned = area != TOWER and (on or area.startswith(("patriarchate", "nobility")))
        assert counts == ([1, 1, 0, 1] if concerned else [3, 1, 0, 2]), area


# --- move_card_may_leave_blocked (D8) ---


@ON_OFF
def test_move_card_may_leave_blocked__move_2_only(deal: Dealer, on: bool) -> None:
    rules = {"move_card_may_leave_blocked": on}
    fields: dict[str, Any] = {
        "to_act": 2,
        "hands": [[], [], ["defector", "move_2"], []],
        "barons": ["palace.left", None, "market.large", None],
        "board": {"palace.left": [3, 0, 1, 0], "market.large": [1, 0, 3, 0], TOWER: [2, 0, 0, 0]},
    }
    table = deal(rules, **fields)
    assert table.refuses("marshal move", "play defector", "dismiss market.large")
    if not on:
        assert table.refuses("play move_2")
        return
    table.play("play move_2")
    assert table.offers("lift") == ["palace.left", "market.large"]
    table.play("lift palace.left")
    assert table.refuses("drop market.large", "drop palace.left")
    table.play("drop templars.left", "lift market.large", "drop templars.left")
    after = table.position()
    assert after["board"]["palace.left"] == [3, 0, 0, 0]
    assert after["board"]["market.large"] == [1, 0, 2, 0]
    assert after["board"]["templars.left"] == [0, 0, 2, 0]


# --- marshal_moves_count_for_baron (A14) ---


@ON_OFF
def test_marshal_moves_count_for_baron__arrivals(deal: Dealer, on: bool) -> None:
    rules = {"marshal_moves_count_for_baron": on}
    fields = {"to_act": 2, "board": {"palace.left": [0, 0, 2, 0]}, "squires": [0, 0, 2, 0]}
    table = deal(rules, **fields, hands=[[], [], ["move_2"], []])
    table.play("place market.left", "place market.left")
    table.play("marshal move", "lift palace.left", "drop market.left", "pass")
    assert table["turn"]["arrivals"]["market.left"] == 2 + on
    assert table["board"]["market.left"] == [0, 0, 3, 0]
    assert ("baron market.left" in table.legal()) == on
    assert table.refuses("baron market.left") != on
    # The card of the same icon counts whatever the switch says.
    table.play("play move_2", "lift palace.left", "drop market.left", "pass")
    assert table["turn"]["arrivals"]["market.left"] == 3 + on
    assert "baron market.left" in table.legal()


# --- palace_baron_round_1 (A23) ---


@ON_OFF
def test_palace_baron_round_1__then_only_the_leaders_are_barred(deal: Dealer, on: bool) -> None:
    allowed = []
    for seat in range(4):
        new = [3 if other == seat else 0 for other in range(4)]
        turn = {"arrivals": {"palace.large": 3}}
        fields = {"board": {"palace.large": new}, "turn": turn, "prestige": [2, 0, 2, 1]}
        table = deal({"palace_baron_round_1": on}, round=1, to_act=seat, **fields)
        allowed.append("baron palace.large" in table.legal())
    assert allowed == [False, on, False, on]


# --- decline_income (A41, R12.11) ---


def _decliners(deal: Dealer, on: bool) -> Table:
    """Seat 2 (captain) and seat 0 (admiral) have incomes; seat 3 only the Tower's silver."""
    return deal(
        {"decline_income": on},
        round=1,
        offices=["admiral", "treasurer", "captain", "marshal"],
        to_act=0,
        board={"patriarchate.left": [0, 0, 1, 0], "market.left": [1, 0, 0, 0], TOWER: ONLY_SEAT_3},
        silver=[0] * 4,
        prestige=[0, 0, 2, 0],
    )


def test_decline_income__off_asks_nobody(deal: Dealer) -> None:
    table = _decliners(deal, False).pass_to("open")
    assert table["squires"] == [1, 0, 2, 0]
    assert table["silver"] == [2, 0, 0, 1]
    assert table["floors"] == [0, 0, 1, 0]  # 2 + 1 prestige buy the first floor


def test_decline_income__unit_by_unit_in_player_order(deal: Dealer) -> None:
    table = _decliners(deal, True).pass_to("income")
    nothing = {"squire": 0, "silver": 0, "prestige": 0}
    seat_0 = {"squire": 1, "silver": 2, "prestige": 0}
    assert table.to_act == 2
    assert table["pending"] == {
        "may_decline": [seat_0, nothing, {"squire": 2, "silver": 0, "prestige": 1}, nothing]
    }
    assert table["squires"] == [1, 0, 2, 0]  # everything has been paid already
    assert table["prestige"] == [0, 0, 3, 0]
    assert table["floors"] == [0] * 4
    assert table.legal() == ["pass", "decline squire", "decline prestige"]
    table.play("decline prestige")
    assert table.to_act == 2
    assert table["prestige"] == [0, 0, 2, 0]
    assert table.legal() == ["pass", "decline squire"]
    table.play("decline squire", "decline squire")  # nothing left: the admiral is asked
    assert table.to_act == 0
    assert table["pending"] == {"may_decline": [seat_0, nothing, nothing, nothing]}
    assert table.legal() == ["pass", "decline squire", "decline silver"]
    table.play("decline silver", "pass")
    assert table["phase"] == "open"  # the Tower's silver cannot be declined, seat 3 is not asked
    assert table["silver"] == [1, 0, 0, 1]
    assert table["squires"] == [1, 0, 0, 0]
    assert table["prestige"] == [0, 0, 2, 0]
    assert table["floors"] == [0] * 4


def test_decline_income__pass_keeps_the_rest(deal: Dealer) -> None:
    table = _decliners(deal, True).pass_to("income")
    table.play("decline squire", "pass", "pass")
    assert table["phase"] == "open"
    assert table["squires"] == [1, 0, 1, 0]
    assert table["floors"] == [0, 0, 1, 0]


def test_decline_income__gifts_and_earlier_stores_stay(deal: Dealer) -> None:
    """Only what came in this step can be given back, not what one had before."""
    table = deal(
        {"decline_income": True},
        round=5,
        to_act=3,
        board={"market.left": [0, 1, 0, 0]},
        silver=[0, 1, 0, 0],
        squires=[0, 3, 0, 0],
        floors=[HIGH] * 4,
    )
    table.pass_to("income").play("decline squire", "decline silver", "decline silver")
    assert table["phase"] == "over"
    assert table["squires"] == [0, 3, 0, 0]
    assert table["silver"] == [0, 1, 0, 0]
    assert table["prestige"] == [0, 6, 0, 0]


# --- zero_ties_win_gifts (A42) ---


@ON_OFF
def test_zero_ties_win_gifts__nobody_has_anything(deal: Dealer, on: bool) -> None:
    rules, fields = {"zero_ties_win_gifts": on}, {"floors": [HIGH] * 4, "round": 5, "to_act": 3}
    table = deal(rules, silver=[0] * 4, **fields).play("pass")
    assert table["prestige"] == [2 * on] * 4  # a point for squires, one for silver
    table = deal(rules, silver=[0, 1, 0, 1], **fields).play("pass")
    assert table["prestige"] == [0 + on, 1 + on, 0 + on, 1 + on]


# --- war_may_hit_templars (A44) ---


@ON_OFF
def test_war_may_hit_templars__as_targets(deal: Dealer, on: bool) -> None:
    rules = {"war_may_hit_templars": on, **NO_INCOME}
    board = {"templars.left": [2, 2, 0, 0], "palace.left": [1, 1, 0, 0]}
    events = ["war", "succession", "election"]
    table = deal(rules, events=events, to_act=3, board=board).play("pass")
    templars = ["+1 templars.left"] if on else []
    assert table.offers("target") == ["+1 palace.left", *templars]
    table.play("target +1 palace.left")
    if on:
        table.play("target +1 templars.left")
    assert table.to_act == 1
    assert table["pending"] == {"left": 2 - on, "hits": [0, 0, 0, 0]}


@ON_OFF
def test_war_may_hit_templars__only_targets_there(deal: Dealer, on: bool) -> None:
    """If the opponents stand in the Templars only, nobody is asked with the switch off."""
    rules = {"war_may_hit_templars": on, **NO_INCOME}
    events = ["war", "succession", "election"]
    board = {"templars.left": [1, 2, 0, 0]}
    table = deal(rules, events=events, to_act=3, board=board).play("pass")
    assert table["phase"] == ("war" if on else "open")
    if not on:
        assert table["board"]["templars.left"] == [0, 0, 0, 0]


# --- rounds ---


def _last_pass(deal: Dealer, rounds: int, number: int) -> Table:
    """The end of round `number`; the tax lies over it (where an event can), money is gone."""
    events = ["succession", "war", "election"]
    if 2 <= number <= 4:
        events[number - 2] = "special_tax"
    return deal(
        {"rounds": rounds, **NO_INCOME},
        round=number,
        events=events,
        to_act=3,
        board={"market.left": [0, 2, 0, 0]},
        hands=[["genoa"], [], [], []],
        squires=[0, 0, 1, 0],
        silver=[0] * 4,
        floors=[HIGH] * 4,
    ).play("pass")


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
def test_rounds__the_last_has_gifts_and_no_event(deal: Dealer, rounds: int) -> None:
    table = _last_pass(deal, rounds, rounds)
    assert table["phase"] == "over"
    assert table["round"] == rounds
    assert table["board"]["market.left"] == [0, 2, 0, 0]
    assert table["prestige"] == [2, 1, 4, 1]  # squires: C 3; silver: all tied at 0; a card: A
    assert table["offices"] == ["captain", "treasurer", "marshal", "admiral"]
    assert table["ranking"] == [2, 0, 1, 3]


@pytest.mark.parametrize("rounds", [2, 3, 4, 5])
def test_rounds__the_last_but_one_has_its_event(deal: Dealer, rounds: int) -> None:
    table = _last_pass(deal, rounds, rounds - 1)
    assert table["phase"] == "open"
    assert table["round"] == rounds
    assert table["prestige"] == [0, 0, 0, 0]
    assert table["board"]["market.left"] == ([0, 0, 0, 0] if rounds > 2 else [0, 2, 0, 0])


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 5])
def test_rounds__a_whole_game_has_so_many(deal: Dealer, rounds: int) -> None:
    table = deal.new({"rounds": rounds, "players": 3})
    seen = set()
    while table.to_act is not None:
        seen.add(table["round"])
        legal = table.legal()
        table.play("pass" if "pass" in legal else legal[0])
    assert seen == set(range(1, rounds + 1))
    assert squires_of(table.position(), 0) == 0
    assert sum(table["squires"]) == 15 * rounds


# --- presets ---


@pytest.mark.parametrize(
    ("name", "turned"),
    [
        ("german", {}),
        ("dutch", {"influence_ignores_baron": True}),
        ("french", {"election_all_sectors": True, "move_card_may_leave_blocked": True}),
    ],
)
@pytest.mark.parametrize("players", [None, 2, 3, 4])
def test_preset__turns_its_switches_only(
    name: str, turned: dict[str, bool], players: int | None
) -> None:
    env = jerusalem_v0.raw_env(rules=name, players=players)
    env.reset(seed=1)
    expected = {**RULESET_DEFAULTS, **turned, "players": 4 if players is None else players}
    assert env.position()["ruleset"] == expected
