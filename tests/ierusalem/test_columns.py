"""Columns of states of Ierusalem: what they say is what the position says, in a fixed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jerusalem_env.ierusalem.columns import column_meanings, columns
from jerusalem_env.ierusalem.results import score_parts
from jerusalem_env.ierusalem.rules.names import AREAS, LOCATIONS, RESOURCES
from jerusalem_env.ierusalem.standing import PARTS, final_count
from tests.ierusalem.playing import played


def expected(p: dict[str, Any], kinds: tuple[str, ...]) -> dict[str, Any]:
    """The columns that a position spells out."""
    found: dict[str, Any] = {
        "phase": p["phase"],
        "stage": p["stage"],
        "turns": p["turns"],
        "turn": -1 if p["turn"] is None else p["turn"],
        "start": p["start"],
        "sanhedrin": p["sanhedrin"],
        "judgments_on": p["judgments_on"],
        "apostles_seated": sum(x is not None for x in p["seats"].values()),
        "invited": bool(p["choice"].get("free", False)),
        "visit_column": -1 if p["visit"] is None else p["visit"][1],
        "lifted": p["choice"].get("lift", ""),
        "mahane_size": len(p["mahane"]),
        "xxxiii_size": len(p["xxxiii"]),
        **{f"seat_{name}": apostle or "" for name, apostle in p["seats"].items()},
        **{f"judgment.{k + 1}": name for k, name in enumerate(p["judgments"])},
    }
    for name, who in p["supper"].items():
        found[f"supper_{name}"] = {None: -1, "neutral": 4}.get(who, who)
    for place, name in enumerate(("left", "right")):
        card = p["display"][place]
        found[f"display_{name}"] = -1 if card is None else kinds.index(card)
    for column, (symbols, left) in enumerate(zip(p["symbols"], p["apostles"], strict=True)):
        for place, name in enumerate(symbols):
            found[f"apostles.{column + 1}.symbol.{place + 1}"] = name
        for name in ("purple", "orange", "white", "judas"):
            found[f"apostles.{column + 1}.{name}"] = left.count(name)
    for seat in range(p["ruleset"]["players"]):
        resources, camp = p["resources"][seat], p["camp"][seat]
        own = {
            "colour": p["colours"][seat],
            "points": p["points"][seat],
            "denarii": p["denarii"][seat],
            **dict(zip(RESOURCES, resources, strict=True)),
            "offerings": p["offerings"][seat],
            "camp": camp,
            "camp_use": camp + p["offerings"][seat] + sum(resources),
            "capacity": 14 if p["blocked"][seat] else 15,
            **dict(zip(AREAS, p["areas"][seat], strict=True)),
            "in_areas": sum(p["areas"][seat]),
            "at_supper": sum(x == seat for x in p["supper"].values()),
            "parables": p["parables"][seat],
            "favors_done": p["favors_done"][seat],
            "markers": len(p["favors"][seat]),
            **{f"symbol_{x}": p["symbols_held"][seat][x] for x in LOCATIONS},
            "illumination": p["illumination"][seat],
            "hand": sum(1 << kinds.index(card) for card in p["hands"][seat]),
            "hand_starting": sum(kinds.index(card) < 25 for card in p["hands"][seat]),
            "hand_mahane": sum(25 <= kinds.index(card) < 45 for card in p["hands"][seat]),
            "hand_xxxiii": sum(kinds.index(card) >= 45 for card in p["hands"][seat]),
            "discards": sum(1 << kinds.index(card) for card in p["discards"][seat]),
            "deck_size": len(p["decks"][seat]),
            **{f"column.{k + 1}": len(cards) for k, cards in enumerate(p["columns"][seat])},
        }
        found |= {f"{name}_{seat}": value for name, value in own.items()}
    return found


@pytest.mark.parametrize("players", [3, 4])
def test_columns__say_what_the_position_says(players: int) -> None:
    game, states, _ = played(players)
    states = np.concatenate([states[::6], states[-1:]])
    found = game.columns(states)
    for row, state in enumerate(states):
        wanted = expected(game.write_position(state), game.rules.box.kinds)
        assert {name: found[name][row].item() for name in wanted} == wanted
    rest = set(found) - set(wanted)
    seats = range(players)
    final = {f"{name}_{x}" for x in seats for name in ("rank", "final")}
    final |= {f"final_{part}_{seat}" for part in PARTS for seat in seats}
    assert rest == {"decisions", "last_space", "visit_source", *final}


@pytest.mark.parametrize("players", [3, 4])
def test_columns__have_one_form_whatever_the_states(players: int) -> None:
    game, states, _ = played(players)
    whole = game.columns(states)
    for part in (states[:0], states[:1], states[-1:]):
        found = game.columns(part)
        assert [(x, y.dtype) for x, y in found.items()] == [(x, y.dtype) for x, y in whole.items()]
        assert all(y.shape == (len(part),) for y in found.values())
    meanings = column_meanings(players)
    assert list(meanings) == list(whole)
    assert all(meanings.values())
    assert {y.dtype.kind for y in whole.values()} <= set("biU")


def test_columns__are_the_callers_own() -> None:
    game, states, _ = played()
    kept = states.copy()
    for values in game.columns(states).values():
        values[:] = values[::-1].copy() if values.dtype.kind == "U" else 0
    assert (states == kept).all()


@pytest.mark.parametrize("data", ["box", "other"])
@pytest.mark.parametrize("players", [3, 4])
def test_final_count__as_things_stand_is_what_the_end_brings(players: int, data: str) -> None:
    game, states, _ = played(players, data=data)
    last, over = states[-2:-1], states[-1:]
    parts = final_count(over)
    found = columns(over, players)
    told = score_parts(over[0])
    for seat in range(players):
        total = sum(int(part[0, seat]) for part in parts.values())
        assert found[f"final_{seat}"][0] == total
        assert sum(told[name][seat] for name in told) == over["points"][0, seat]
        for part in PARTS:
            assert found[f"final_{part}_{seat}"][0] == told[f"points_{part}"][seat]
        # Nothing but a Meeting or a Parable may score between the last decision and the count.
        assert told["points_before"][seat] >= last["points"][0, seat]
    assert (found["rank_0"] > 0).all()
    assert game.terminated(over)[0]
