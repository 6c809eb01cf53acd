"""Golden playthroughs: the rules play today as they did when the files were written."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from jerusalem_env.games import make_game, player_counts, preset_names, registered_games
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


@pytest.mark.parametrize("game", PLAYTHROUGHS)
def test_golden__every_preset_and_player_count(game: str) -> None:
    covered = [make_game(game, rules=rules).rules_dict() for rules in PLAYTHROUGHS[game].values()]
    for preset in preset_names(game):
        for players in player_counts(game):
            assert make_game(game, players, preset).rules_dict() in covered


@pytest.mark.parametrize("game", PLAYTHROUGHS)
def test_golden__every_switch_at_a_value_of_no_preset(game: str) -> None:
    """But the number of players, and the data file, whose values have tests of their own."""
    usual = [
        make_game(game, players, preset).rules_dict()
        for preset in preset_names(game)
        for players in player_counts(game)
    ]
    ours = [make_game(game, rules=rules).rules_dict() for rules in PLAYTHROUGHS[game].values()]
    for switch in set(usual[0]) - {"players", "data"}:
        assert len({str(rules[switch]) for rules in ours}) > 1, switch


def test_golden__no_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {name for _, name in CASES}


# In each game: the kind of action that names a card, all of which shall be played.
CARDS = {"jerusalem_v0": "play", "ierusalem_v0": "card"}


@pytest.mark.parametrize("game", PLAYTHROUGHS)
def test_golden__together_they_show_every_kind_of_action(game: str) -> None:
    text = "".join(path_of(name).read_text(encoding="utf-8") for name in PLAYTHROUGHS[game])
    shown = {line[20:] for line in text.splitlines() if line[:4].strip().isdigit()}
    blocks = make_game(game).action_blocks
    for block in blocks:
        assert shown & set(block.names), f"no playthrough shows {block.kind}"
    cards = next(block for block in blocks if block.kind == CARDS[game])
    assert set(cards.names) <= shown


def test_golden__a_changed_line_is_shown() -> None:
    name = CASES[0][1]
    text = path_of(name).read_text(encoding="utf-8")
    changed = text.splitlines()
    changed[9] += " x"
    told = first_difference(text, "\n".join(changed))
    assert told is not None
    assert told.startswith("line 10:")
    assert first_difference(text, text + "more\n") is not None
    assert first_difference(text, text) is None
