"""Ierusalem as text: complete, within 100 columns, honest about reconstructed values, discreet."""

from __future__ import annotations

import copy
import re
from typing import Any

import numpy as np
import pytest

from jerusalem_env.ierusalem.game import IerusalemGame
from jerusalem_env.ierusalem.render.seen import MARK, MARKED, NOTE
from jerusalem_env.ierusalem.render.text import WIDTH, render_text
from jerusalem_env.ierusalem.rules.box import load_box
from jerusalem_env.ierusalem.rules.names import AREAS, JUDGMENTS, LOCATIONS
from jerusalem_env.ierusalem.rules.ruleset import RuleSet
from tests.ierusalem.playing import Played, played, redealt
from tests.ierusalem.positions import at
from tests.ierusalem.texts import POSITIONS, file_of, text_of

INFORMATION = ["screen", "recall"]


def flat(text: str) -> str:
    """The text without its line breaks."""
    return re.sub(r"\s+", " ", text)


def check_text(text: str, p: dict[str, Any]) -> None:
    """Everything of a position is in its text."""
    assert max(map(len, text.splitlines())) <= WIDTH
    words = flat(text)
    n = p["ruleset"]["players"]
    if p["phase"] == "over":
        assert "game over" in words
        for seat in range(n):
            assert f". P{seat} {p['points'][seat]}" in words
    else:
        assert f"P{p['to_act']} decides" in words
        assert f"[{p['phase']}]" in words
        assert f"> P{p['to_act']} " in text
    rows = dict(re.findall(r"^[> ] P(\d)  (.*)$", text, re.MULTILINE))
    for seat in range(n):
        supper = sum(x == seat for x in p["supper"].values())
        assert rows[str(seat)].split() == [
            p["colours"][seat],
            *map(str, (p["points"][seat], p["denarii"][seat], *p["resources"][seat])),
            *map(str, (p["offerings"][seat], p["camp"][seat], *p["areas"][seat], supper)),
        ]
    check_supper(text, p)
    for column, (symbols, apostles) in enumerate(zip(p["symbols"], p["apostles"], strict=True)):
        line = next(x for x in text.splitlines() if x.startswith(f"  {column + 1}  "))
        assert " ".join(symbols) in line
        assert sum(int(x or 1) for _, x in re.findall(r"(\w+)(?: x(\d))?(?:,|$)", line[33:])) == (
            len(apostles) or 1
        )
    assert f"Sanhedrin {p['sanhedrin']} of " in words
    for judgment in JUDGMENTS:
        assert (f"{judgment}" in words.split("judgments: ")[1]) or not p["judgments_on"]
    assert f"Display: {p['display'][0] or '-'} (left), {p['display'][1] or '-'} (right)" in words
    for pile, label in (("mahane", "Mahane"), ("xxxiii", "XXXIII")):
        order = f" (from the top: {', '.join(p[pile])})" if p[pile] else ""
        assert f"{label} pile: {len(p[pile])}{order} " in words
    check_players(words, p)


def check_supper(text: str, p: dict[str, Any]) -> None:
    """Followers and Apostles stand where they should in the grid."""
    lines = text.splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith("The Last Supper"))
    grid = lines[begin + 2 : begin + 10]
    for name, who in p["supper"].items():
        if name[-2] == ".":
            row = next(line for line in grid if line.startswith(name[:-2]))
            cell = row[9 + 10 * (int(name[-1]) - 1) :][:10]
        else:
            row = grid[3 if "top" in name else 4]
            place = {"corner.top_left": 0, "corner.bottom_left": 0}.get(name, 89)
            if name.startswith("jesus"):
                place = 39 if name.endswith("left") else 49
            cell = row[place:][: 9 if place == 0 else 10]
        if who is None:
            assert "P" not in cell.replace("P*", "").replace("P ", ""), (name, cell)
        else:
            assert ("neutral" if who == "neutral" else f"P{who}") in cell, (name, cell)
    for name, apostle in p["seats"].items():
        row = grid[3 if name.startswith("top") else 4]
        cell = row[9 + 10 * (int(name[-1]) - 1) :][:10]
        assert cell.strip(" []") == (apostle or ""), (name, cell)


def check_players(words: str, p: dict[str, Any]) -> None:
    """Cards, symbols, markers of each seat."""
    for seat in range(p["ruleset"]["players"]):
        begin = words.index(f" P{seat} {p['colours'][seat]} camp ")
        part = words[begin:].split(" favor markers: ")[0]
        assert f"Parables {p['parables'][seat]} " in part
        assert f"Favors done {p['favors_done'][seat]} " in part
        assert f"Illumination {'unused' if p['illumination'][seat] else 'used'}" in part
        for column, cards in enumerate(p["columns"][seat]):
            assert f" column {column + 1}: {', '.join(cards) or '-'} " in part
        assert f" hand: {', '.join(p['hands'][seat]) or '-'} " in part
        assert f" deck: {len(p['decks'][seat])}" in part
        assert f" discards: {len(p['discards'][seat])}" in part
        for name, count in p["symbols_held"][seat].items():
            held = f"{name} x{count}" if count > 1 else name
            assert (held in part.split("column 1")[0]) == (count > 0)


@pytest.mark.parametrize("players", [3, 4])
def test_text__shows_the_whole_position(players: int) -> None:
    game, states, _ = played(players)
    for state in [*states[::5], states[-1]]:
        check_text(game.render_text(state), game.write_position(state))


@pytest.mark.parametrize("phase", ["column", "market", "from", "give", "change_to", "arrange"])
def test_text__of_set_positions(phase: str) -> None:
    game = IerusalemGame()
    state = game.read_position(at(phase))[0]
    check_text(game.render_text(state), game.write_position(state))


@pytest.mark.parametrize("data", ["box", "other"])
@pytest.mark.parametrize("players", [3, 4])
def test_text__of_every_state_for_every_seat(players: int, data: str) -> None:
    _, states, _ = played(players, data=data)
    for place, state in enumerate(states[::2]):
        for recall in (False, True):
            text = render_text(state, place % players, recall)
            assert max(map(len, text.splitlines())) <= WIDTH
    for seat in (-1, players):
        with pytest.raises(ValueError, match=rf"seat must be None or 0\.\.{players - 1}, got"):
            render_text(state, seat)


@pytest.mark.parametrize("information", INFORMATION)
@pytest.mark.parametrize("players", [3, 4])
def test_hidden__the_text_for_a_seat_stays_when_the_unseen_is_dealt_anew(
    players: int, information: Any
) -> None:
    """P13."""
    game = IerusalemGame(players=players, information=information)
    rng, differ = np.random.default_rng(1), 0
    for place, state in enumerate(played(players).states[::7]):
        seat = place % players
        other = redealt(game, state, seat, rng)
        assert game.render_text(other, seat) == game.render_text(state, seat)
        differ += game.render_text(other) != game.render_text(state)
    assert differ > 5


def test_hidden__recall_shows_what_everybody_has_seen() -> None:
    more = 0
    for state in played().states[::11]:
        known, unknown = render_text(state, 0, True), render_text(state, 0, False)
        more += known != unknown
        for seat in range(1, 4):
            numbers = state["hand_counts"][seat].sum()
            hand = re.search(rf"P{seat} \w+ camp .*?hand: (.*?) deck:", flat(unknown))
            assert hand is not None
            assert sum(int(x) for x in re.findall(r"(\d+) \w+ hidden", hand[1])) == numbers
    assert more > 5


def test_seats__keep_their_numbers_whoever_looks() -> None:
    for state in played().states[::20]:
        public = {render_text(state, seat).split("Apostle columns")[0] for seat in (None, 0, 1, 3)}
        assert len(public) == 1


# --- reconstructed values -------------------------------------------------------------------------
def data_with(origin: str, *entries: tuple[str, str]) -> dict[str, Any]:
    """The usual data with everything from the seed, but these entries from somewhere else."""
    content = copy.deepcopy(load_box().content)
    for section, name, _, _ in load_box().entries():
        found = content
        for part in section.split("."):
            found = found[part]
        found[name]["from"] = origin if (section, name) in entries else "seed"
    return content


def first_text(data: Any, **rules: Any) -> str:
    game = IerusalemGame(rules=RuleSet(data=data, **rules))
    states, masks = game.new_states(1), np.zeros((1, game.num_actions), dtype=np.uint8)
    game.reset(states, np.array([3], dtype=np.uint64), masks)
    return game.render_text(states[0])


def test_marks__are_there_with_the_usual_data() -> None:
    text = first_text("box")
    assert NOTE in text
    assert "components.supply_limits" in text  # shown nowhere, so it is told by name
    for value in (
        "Jesus (7* ",
        "of 22*",
        "3* ",
        "Apostle columns*",
        "I 6*",
        "score 1* 1*",
        "SS* +2D*",
    ):
        assert value in text
    for value in ("purple 4,", "stone 2,", "[      ]"):  # from the rules
        assert value in text


def test_marks__none_where_nothing_is_reconstructed() -> None:
    for origin in ("seed", "found", "derived"):
        assert MARK not in first_text(data_with(origin, *MARKED))


@pytest.mark.parametrize("entry", MARKED, ids=".".join)
def test_marks__follow_the_origins_in_the_data_file(entry: tuple[str, str]) -> None:
    rules = {"apostle_columns": "by_colour"} if entry[1] == "columns_by_colour" else {}
    text = first_text(data_with("reconstructed", entry), **rules)
    lines = [line for line in text.splitlines() if MARK in line and NOTE not in line]
    assert NOTE in text
    shown = {
        "table_cost": "FF* ",
        "row_cost": "SS* ",
        "column_cost": "SS* ",
        "effects_top": "SS +2D*",
        "effects_bottom": "SS +2D*",
        "jesus_points": "7* points at the end",
        "tile_spaces": "3* ",
        "last_space": "of 22*",
        "value": "purple 4*",
        "columns_mixed": "Apostle columns*",
        "columns_by_colour": "Apostle columns*",
        "rewards": "+1D*",
        "markers": "denarii_2* (temple)",
        "symbols": "denarii_2 (temple*)",
        "apostle_points": "starting 1*, Mahane 2*, XXXIII 3*",
        "points": "I 6*" if entry[0] == "parables" else "score 1* 1* 2* 2* 3* 3* 4* 4*",
    }[entry[1]]
    assert shown in " ".join(lines) + " "


def test_marks__what_has_no_place_of_its_own_is_told_by_name() -> None:
    text = first_text(data_with("reconstructed", ("locations", "squares")))
    assert f"{NOTE}; so are locations.squares" in flat(text)


# --- kept texts -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", POSITIONS)
def test_snapshot__is_as_it_was(name: str) -> None:
    """A change that is meant: ``python -m tests.ierusalem.texts``."""
    assert text_of(name) == file_of(name).read_text(encoding="utf-8")


def test_names__all_stand_somewhere() -> None:
    game: Played = played(3)
    texts = " ".join(flat(render_text(state)) for state in game.states[::10])
    for name in (*LOCATIONS, *AREAS, *JUDGMENTS, "purple", "orange", "white", "judas", "neutral"):
        assert name in texts
