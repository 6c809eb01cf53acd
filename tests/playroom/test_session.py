"""A table of people and agents: playing, taking back, hints, saving."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.registry import make_agent
from jerusalem_env import IllegalActionError
from jerusalem_env.playroom.files import stored_game, stored_games
from jerusalem_env.playroom.session import PlayError, Session, new_table, read_table
from jerusalem_env.playroom.timeline import judged, likeliest, timeline_of
from jerusalem_env.records import replay, write_records
from tests.pitfalls.equipment import fields_of
from tests.playroom.equipment import first_legal, played, played_record

PLACES = slice(147, 163)  # the actions of that block


def table(*players: str | None, seed: int = 3) -> Session:
    return new_table("jerusalem_v0", players, seed=seed, agent_seed=5)


def play_on(session: Session, decisions: int = 10_000) -> None:
    """Agents as they like; people take the first legal action."""
    for _ in range(decisions):
        if session.over:
            return
        if session.waits_for_person:
            session.step(session.game.action_names.index(first_legal(session)))
        else:
            session.agent_step()


def test_session__plays_to_the_end_and_its_record_replays() -> None:
    session = table(None, "random", "greedy", "expert")
    play_on(session)
    record = session.record()
    assert fields_of(replay(record).states) == fields_of(session.env.states)
    assert record.result is not None
    with pytest.raises(PlayError, match="the game is over"):
        session.step(0)
    with pytest.raises(PlayError, match="the game is over"):
        session.agent_step()
    with pytest.raises(PlayError, match="the game is over"):
        session.hint("expert")


@pytest.mark.parametrize("cut", [0, 1, 57, 150])
def test_session__saved_and_taken_up_again_goes_on_as_it_would_have(
    cut: int, tmp_path: Path
) -> None:
    whole, halves = (table(None, "random", "greedy", "expert") for _ in range(2))
    play_on(whole)
    play_on(halves, cut)
    halves.save(tmp_path / "table.json")
    again = Session.load(tmp_path / "table.json")
    assert len(again.timeline) == cut
    play_on(again)
    assert again.timeline.actions == whole.timeline.actions
    assert again.record() == whole.record()


def to_own_turn(session: Session) -> None:
    """Up to where a person may place something."""
    while not session.over:
        if session.waits_for_person and session.timeline.mask(len(session.timeline))[PLACES].any():
            return
        play_on(session, 1)
    raise AssertionError("the game ended before")


def test_take_back__restores_the_state_and_the_moves() -> None:
    session = table(None, "random", "random", "random")
    to_own_turn(session)
    before, at = fields_of(session.env.states), len(session.timeline)
    mask = session.timeline.mask(at)
    first = int(np.flatnonzero(mask[PLACES])[0]) + PLACES.start
    session.step(first)
    assert session.may_take_back()
    assert session.take_back() == session.game.action_names[first]
    assert fields_of(session.env.states) == before
    np.testing.assert_array_equal(session.timeline.mask(at), mask)
    observed = session.env.observe(session.env.agent_selection)["action_mask"]
    np.testing.assert_array_equal(observed, mask)
    play_on(session)
    assert replay(session.record()).position() == session.env.position()


def test_take_back__stops_where_the_turn_began() -> None:
    session = table(None, "random", "random", "random")
    to_own_turn(session)
    for _ in range(3):
        play_on(session, 1)
    taken = 0
    while session.may_take_back():
        session.take_back()
        taken += 1
    assert taken == 3
    with pytest.raises(PlayError, match="cannot be taken back"):
        session.take_back()
    assert session.waits_for_person


def test_take_back__never_undoes_a_bid_or_another_seat() -> None:
    session = table(None, "random", "random", "random")
    with pytest.raises(PlayError, match="cannot be taken back"):
        session.take_back()
    checked = 0
    while not session.over:
        number = len(session.timeline)
        if number and session.may_take_back():
            assert session.timeline.seat(number - 1) == session.to_act == 0
            assert not session.timeline.name(number - 1).startswith(("bid", "open", "draft"))
            checked += 1
        play_on(session, 1)
    assert checked > 20


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize(
    ("name", "values"),
    [("expert", False), ("random", False), ("mcts:20", True), ("ppo", True)],
)
def test_hint__of_every_kind_of_agent_and_leaves_the_game_alone(name: str, values: bool) -> None:
    session = table(None, "random", "random")
    to_own_turn(session)
    before = fields_of(session.env.states)
    judgement = session.hint(name)
    chances = judgement.probabilities[0]
    mask = session.timeline.mask(len(session.timeline))
    assert chances[mask == 0].sum() == 0
    assert chances.sum() == pytest.approx(1)
    best = likeliest(judgement, session.game.action_names)
    assert best[0][1] == chances.max()
    assert fields_of(session.env.states) == before
    assert (judgement.values is not None) == values


def test_hint__of_an_unknown_agent_is_refused() -> None:
    session = table(None, "random", "random", "random")
    to_own_turn(session)
    with pytest.raises(PlayError, match="unknown agent 'nobody'"):
        session.hint("nobody")


@pytest.mark.usefixtures("one_thread")
def test_judge__the_likeliest_action_is_what_the_agent_plays() -> None:
    timeline = played()
    agent = make_agent("ppo", timeline.game)
    for number in range(0, len(timeline), 7):
        state, mask = timeline.states[number], timeline.mask(number)
        judgement = judged(agent, timeline.game, state, mask)
        action = int(agent.act(timeline.game.views(state), mask[None])[0])
        assert judgement.probabilities[0].argmax() == action
        assert np.isfinite(judgement.values[0])


@pytest.mark.usefixtures("one_thread")
def test_judge__knows_no_more_than_the_seat() -> None:
    """P13: the same under any redeal of what the seat does not see."""
    timeline = played()
    agent = make_agent("ppo", timeline.game)
    rng = np.random.default_rng(1)
    for number in range(3, len(timeline), 40):
        state, mask = timeline.states[number], timeline.mask(number)
        other = timeline.game.redeal(timeline.game.views(state), rng)
        one, two = (agent.judge(timeline.game.views(x), mask[None]) for x in (state, other))
        np.testing.assert_array_equal(one.probabilities, two.probabilities)
        np.testing.assert_array_equal(one.values, two.values)


def test_session__refuses_what_cannot_be() -> None:
    with pytest.raises(PlayError, match="players"):
        new_table("jerusalem_v0", ["expert"] * 5)
    with pytest.raises(PlayError, match="unknown rules 'spanish'"):
        new_table("jerusalem_v0", ["expert"] * 3, rules="spanish")
    with pytest.raises(PlayError, match="unknown agent 'nobody'"):
        table("nobody", None)
    with pytest.raises(PlayError, match="no presets are known for game 'go'"):
        new_table("go", [None, None])
    session = table(None, "random")
    before = fields_of(session.env.states)
    if session.waits_for_person:
        with pytest.raises(PlayError, match="a person decides"):
            session.agent_step()
    with pytest.raises(IllegalActionError):
        session.step(308)
    assert fields_of(session.env.states) == before
    assert len(session.timeline) == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "chess"}, "is no saved table"),
        ({"version": 9}, "version 9"),
        ({"players": "expert"}, "players must be a list"),
        ({"agent_seed": -1}, "agent_seed must be"),
        ({"record": {}}, "record: game: is missing"),
        ({"players": [None, None, None]}, "4 seats need as many players"),
    ],
)
def test_load__says_what_is_wrong(change: dict, told: str, tmp_path: Path) -> None:
    session = table(None, "random", "random", "random")
    play_on(session, 20)
    path = tmp_path / "table.json"
    session.save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(PlayError, match=told):
        Session.load(path)


def test_load__a_game_that_does_not_replay(tmp_path: Path) -> None:
    session = table(None, "random", "random", "random")
    play_on(session, 20)
    path = tmp_path / "table.json"
    session.save(path)
    values = json.loads(path.read_text())
    values["record"]["actions"][5] = "buy card"
    path.write_text(json.dumps(values))
    with pytest.raises(PlayError, match="action 6 of 20"):
        Session.load(path)
    for text in ("", "[1]", "no JSON"):
        path.write_text(text)
        with pytest.raises(PlayError, match="is no saved table"):
            Session.load(path)
    with pytest.raises(PlayError, match="cannot be read"):
        Session.load(tmp_path / "nothing.json")


def test_save__leaves_the_old_file_whole_if_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = table(None, "random", "random", "random")
    path = tmp_path / "table.json"
    session.save(path)
    before = path.read_text()
    play_on(session, 10)

    def fail(*_: object) -> None:
        raise OSError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", fail)
        with pytest.raises(OSError, match="disk full"):
            session.save(path)
    assert path.read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["table.json"]


def test_stored_games__from_records_and_from_tables(tmp_path: Path) -> None:
    records = [played_record(players, seed=2) for players in (2, 3, 4)]
    write_records(tmp_path / "games.jsonl", records)
    assert [game.record for game in stored_games(tmp_path / "games.jsonl")] == records
    assert stored_game(tmp_path / "games.jsonl", 2).players == ()
    session = table(None, "random", "greedy", "random")
    play_on(session, 30)
    session.save(tmp_path / "table.json")
    found = stored_game(tmp_path / "table.json")
    assert found.players == (None, "random", "greedy", "random")
    assert timeline_of(found.record).actions == session.timeline.actions
    assert read_table(tmp_path / "table.json")[1] == 5
    (tmp_path / "empty.jsonl").write_text("")
    for path, number, told in [
        (tmp_path / "games.jsonl", 4, "holds games 1 to 3, asked for 4"),
        (tmp_path / "empty.jsonl", 1, "holds no games"),
        (tmp_path / "nothing.jsonl", 1, "cannot be read"),
    ]:
        with pytest.raises(PlayError, match=told):
            stored_game(path, number)
