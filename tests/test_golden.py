"""Golden playthroughs: the rules play today as they did when the files were written."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from jerusalem_env.games import registered_games
from jerusalem_env.jerusalem.actions import ACTION_BLOCKS
from jerusalem_env.jerusalem.rules.cards import CARDS
from jerusalem_env.jerusalem.rules.ruleset import PRESETS, RuleSet
from tests.golden.rewrite import FOLDER, PLAYTHROUGHS, path_of, playthrough

CASES = [(game, name) for game, names in PLAYTHROUGHS.items() for name in names]
HINT = "if the change is meant: python -m tests.golden.rewrite, and read the difference"


def first_difference(expected: str, played: str) -> str | None:
    """The first line in which two playthroughs differ, told for a person."""
    pairs = zip_longest(expected.splitlines(), played.splitlines())
    for number, (old, new) in enumerate(pairs, 1):
        if old != new:
            return f"line {number}:\n  file:   {old}\n  played: {new}\n{HINT}"
    return None


@pytest.mark.parametrize(("game", "name"), CASES)
def test_golden__plays_as_written(game: str, name: str) -> None:
    path = path_of(name)
    assert path.exists(), f"{path.name} is missing; {HINT}"
    different = first_difference(path.read_text(encoding="utf-8"), playthrough(game, name))
    assert different is None, f"{path.name}, {different}"


def test_golden__every_game_has_playthroughs() -> None:
    assert set(PLAYTHROUGHS) == set(registered_games())


def test_golden__every_preset_and_player_count_of_jerusalem() -> None:
    covered = {RuleSet.from_dict(rules) for rules in PLAYTHROUGHS["jerusalem_v0"].values()}
    wanted = {RuleSet.preset(preset, players) for preset in PRESETS for players in (2, 3, 4)}
    assert wanted <= covered


def test_golden__no_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {name for _, name in CASES}


def test_golden__together_they_show_every_kind_of_action() -> None:
    text = "".join(path_of(name).read_text(encoding="utf-8") for _, name in CASES)
    shown = {line[20:] for line in text.splitlines() if line[:4].strip().isdigit()}
    for block in ACTION_BLOCKS:
        assert shown & set(block.names), f"no playthrough shows {block.kind}"
    assert {f"play {card}" for card in CARDS} <= shown


def test_golden__a_changed_line_is_shown() -> None:
    name = CASES[0][1]
    text = path_of(name).read_text(encoding="utf-8")
    changed = text.splitlines()
    changed[9] = changed[9] + " x"
    told = first_difference(text, "\n".join(changed))
    assert told is not None
    assert told.startswith("line 10:")
    assert first_difference(text, text + "more\n") is not None
    assert first_difference(text, text) is None
