"""The table for people knows no game: it also seats people at the trainer's small games."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.playroom.session import Session
from jerusalem_env.playroom.terminal import Terminal
from tests.playroom.equipment import first_legal
from training.toys.base import ToyGame
from training.toys.kuhn import KuhnGame
from training.toys.nim import NimGame


@pytest.mark.parametrize("game", [NimGame(), KuhnGame()], ids=lambda game: game.name)
def test_terminal__plays_a_toy_game_to_its_end(game: ToyGame, tmp_path: Path) -> None:
    session = Session(GameAECEnv(game), [None, "random"], seed=3)
    out = io.StringIO()
    terminal = Terminal(
        session, tmp_path / "table.json", "random", out, lambda _: first_legal(session)
    )
    assert terminal.play()
    text = out.getvalue()
    for number in range(len(session.timeline)):
        assert session.timeline.name(number) in text
    assert not session.may_take_back()


def test_contract__has_an_answer_for_games_that_say_nothing_of_people() -> None:
    game = NimGame()
    session = Session(GameAECEnv(game), ["random", "random"], seed=3)
    action = session.agent_step()
    before, after = (state[0] for state in session.timeline.states)
    actor = session.timeline.seat(0)
    assert game.narrate(before, action, after) == [f"P{actor}: {game.action_names[action]}"]
    assert not game.may_take_back(before, after)
    assert game.describe_decision(before)
    columns = game.columns(np.concatenate(session.timeline.states))
    assert list(columns["phase"]) == ["decision"] * 2
    with pytest.raises(NotImplementedError, match="has no pictures"):
        game.draw(before)
