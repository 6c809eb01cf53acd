"""Game records: what is written replays exactly, and what is wrong is refused by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from jerusalem_env import IllegalActionError, RecordError, RuleSet, jerusalem_v0
from jerusalem_env import games as games_module
from jerusalem_env.games import make_raw_env, register_game, registered_games
from jerusalem_env.records import (
    GameRecord,
    GameRecorder,
    append_records,
    read_records,
    record_game,
    replay,
    write_records,
)
from tests.reference_engine import build_position
from tests.scripted import Player, legal_names

RULES = [
    RuleSet(players=2),
    RuleSet(players=3, election_all_sectors=True, decline_income=True),
    RuleSet(players=4, income="equal_value", rounds=3),
    RuleSet(players=2, income=((1, 2, 3),) * 15 + ((0, 0, 0),), rounds=2, first_opener=1),
]


def played(rules: RuleSet = RULES[0], skip_forced: bool = True, seed: int = 5) -> GameRecord:
    env = jerusalem_v0.raw_env(rules=rules, skip_forced=skip_forced)
    return record_game(env, Player(seed), seed=seed)


# --- recording and replaying --------------------------------------------------------------------
@pytest.mark.parametrize("skip_forced", [True, False])
@pytest.mark.parametrize("rules", RULES)
def test_record__replays_exactly(rules: RuleSet, skip_forced: bool) -> None:
    env = jerusalem_v0.raw_env(rules=rules, skip_forced=skip_forced)
    record = record_game(env, Player(1), seed=17)
    again = replay(record)
    assert again.position() == env.position()
    assert again.rewards == env.rewards
    assert again.game.skip_forced is skip_forced
    assert record.result is not None
    assert record.seed == 17
    assert record.start is None


@pytest.mark.parametrize("rules", RULES)
def test_record__survives_json(rules: RuleSet) -> None:
    record = played(rules)
    assert GameRecord.from_dict(json.loads(json.dumps(record.to_dict()))) == record


def test_record__keys_are_those_of_the_format() -> None:
    keys = ["game", "ruleset", "skip_forced", "seed", "start", "actions", "result"]
    assert list(played().to_dict()) == keys


def test_record__is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        played().seed = 3  # type: ignore[misc]


def test_record__without_a_seed_holds_the_one_drawn() -> None:
    env = jerusalem_v0.raw_env(players=2)
    env.reset(seed=3)
    record = record_game(env, Player(1))
    assert record.seed == env.game_seed != 3
    assert replay(record).position() == env.position()


def test_record__from_a_position() -> None:
    start = build_position({"players": 3, "rounds": 3, "decline_income": True}, phase="turn")
    env = jerusalem_v0.raw_env(players=3)
    record = record_game(env, Player(2), start=start)
    assert (record.seed, record.start) == (None, start)
    assert record.ruleset == start["ruleset"]
    assert replay(record).position() == env.position()


def test_record__of_an_unfinished_game() -> None:
    env = jerusalem_v0.raw_env(players=4)
    recorder, choose = GameRecorder(env, seed=9), Player(9)
    for _ in range(20):
        recorder.step(choose(env))
    record = recorder.record()
    assert record.result is None
    assert len(record.actions) == 20
    assert replay(record).position() == env.position()


def test_recorder__an_illegal_action_is_not_noted() -> None:
    env = jerusalem_v0.raw_env(players=4)
    recorder = GameRecorder(env, seed=9)
    with pytest.raises(IllegalActionError):
        recorder.step(308)
    assert recorder.record().actions == ()
    recorder.step(Player(1)(env))
    assert len(recorder.record().actions) == 1


def test_recorder__a_record_is_not_changed_by_later_steps() -> None:
    env = jerusalem_v0.raw_env(players=4)
    recorder, choose = GameRecorder(env, seed=9), Player(9)
    recorder.step(choose(env))
    early = recorder.record()
    recorder.step(choose(env))
    assert len(early.actions) == 1


def test_recorder__refuses_a_wrapped_environment_and_two_beginnings() -> None:
    with pytest.raises(TypeError, match="unwrapped"):
        GameRecorder(jerusalem_v0.env(players=2))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not from both"):
        GameRecorder(jerusalem_v0.raw_env(), seed=1, start={})


def test_recorder__refuses_to_go_on_after_the_end() -> None:
    env = jerusalem_v0.raw_env(rules=RuleSet(players=2, rounds=1))
    recorder, choose = GameRecorder(env, seed=1), Player(1)
    while not recorder.done:
        recorder.step(choose(env))
    with pytest.raises(RecordError, match="the game is over after"):
        recorder.step(0)


# --- wrong records ------------------------------------------------------------------------------
def test_replay__first_wrong_action_is_named() -> None:
    record = played()
    env = make_raw_env(record.game, record.ruleset, record.skip_forced)
    env.reset(seed=record.seed)
    for name in record.actions[:12]:
        env.step(env.action_names.index(name))
    wrong = next(name for name in env.action_names if name not in legal_names(env))
    actions = (*record.actions[:12], wrong, *record.actions[13:])
    with pytest.raises(RecordError) as error:
        replay(replace(record, actions=actions))
    message = str(error.value)
    assert f"action 13 of {len(actions)} ({wrong!r}) is not legal" in message
    assert f"{env.agent_selection} decides" in message
    assert legal_names(env)[0] in message


def test_replay__an_unknown_action_is_named() -> None:
    record = played()
    actions = (*record.actions[:3], "castle", *record.actions[4:])
    with pytest.raises(RecordError, match=r"action 4 of \d+ \('castle'\) is no action"):
        replay(replace(record, actions=actions))


def test_replay__an_action_left_out_or_too_many() -> None:
    record = played()
    with pytest.raises(RecordError, match="lead to an unfinished game"):
        replay(replace(record, actions=record.actions[:-1]))
    count = len(record.actions)
    with pytest.raises(RecordError, match=f"action {count + 1} .*over after action {count}"):
        replay(replace(record, actions=(*record.actions, "pass")))


def test_replay__a_wrong_result() -> None:
    record = played()
    assert record.result is not None
    changed = {**record.result, "ranking": record.result["ranking"][::-1]}
    with pytest.raises(RecordError, match=r"^result: "):
        replay(replace(record, result=changed))
    with pytest.raises(RecordError, match="the record says an unfinished game"):
        replay(replace(record, result=None))


def test_replay__another_seed_or_another_rule_set() -> None:
    record = played(seed=5)
    with pytest.raises(RecordError):
        replay(replace(record, seed=6))
    with pytest.raises(RecordError, match=r"players must be an integer 2\.\.4"):
        replay(replace(record, ruleset={**record.ruleset, "players": 7}))
    with pytest.raises(
        RecordError, match="unknown game 'go'; expected one of ierusalem_v0, jerusalem_v0"
    ):
        replay(replace(record, game="go"))


def test_replay__a_wrong_start() -> None:
    start = build_position({"players": 3}, phase="turn")
    record = record_game(jerusalem_v0.raw_env(players=3), Player(2), start=start)
    with pytest.raises(RecordError, match=r"start: silver\[0\]"):
        replay(replace(record, start={**start, "silver": [-1, 0, 0]}))
    with pytest.raises(RecordError, match=r"ruleset: contradicts start\.ruleset"):
        replay(replace(record, ruleset={**record.ruleset, "decline_income": True}))
    with pytest.raises(RecordError, match=r"start: ruleset\.players"):
        replay(replace(record, ruleset={**record.ruleset, "players": 4}))


GOOD: dict[str, Any] = {
    "game": "jerusalem_v0",
    "ruleset": {"players": 2},
    "skip_forced": True,
    "seed": 1,
    "start": None,
    "actions": ["pass"],
    "result": None,
}
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"game": 3}, "^game: "),
    ({"game": None}, "^game: "),
    ({"ruleset": "german"}, "^ruleset: "),
    ({"ruleset": None}, "^ruleset: "),
    ({"skip_forced": 1}, "^skip_forced: "),
    ({"seed": -1}, "^seed: "),
    ({"seed": 2**64}, "^seed: "),
    ({"seed": 1.0}, "^seed: "),
    ({"seed": True}, "^seed: "),
    ({"seed": "1"}, "^seed: "),
    ({"seed": None}, "^seed, start: "),
    ({"start": {}}, "^seed, start: "),
    ({"seed": None, "start": []}, "^start: "),
    ({"actions": "pass"}, "^actions: "),
    ({"actions": ["pass", 0]}, "^actions: action 2 "),
    ({"actions": None}, "^actions: "),
    ({"result": []}, "^result: "),
    ({"comment": "x"}, "^comment: is not known here"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_from_dict__refuses_naming_the_key(change: dict[str, Any], message: str) -> None:
    assert GameRecord.from_dict(GOOD).actions == ("pass",)
    with pytest.raises(RecordError, match=message):
        GameRecord.from_dict({**GOOD, **change})


@pytest.mark.parametrize("key", list(GOOD))
def test_from_dict__refuses_a_missing_key(key: str) -> None:
    values = {name: value for name, value in GOOD.items() if name != key}
    with pytest.raises(RecordError, match=f"^{key}: is missing"):
        GameRecord.from_dict(values)


@pytest.mark.parametrize("value", [None, [], "x", 3])
def test_from_dict__refuses_what_is_no_object(value: Any) -> None:
    with pytest.raises(RecordError, match="must be an object"):
        GameRecord.from_dict(value)


# --- files --------------------------------------------------------------------------------------
def test_files__write_append_and_read(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    records = [played(rules) for rules in RULES]
    write_records(path, records[:1])
    append_records(path, records[1:3])
    append_records(path, records[3:])
    assert list(read_records(path)) == records
    assert len(path.read_text(encoding="utf-8").splitlines()) == 4
    write_records(path, records[:2])
    assert list(read_records(path)) == records[:2]
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


def test_files__append_begins_a_file_and_mends_a_missing_newline(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    record = played()
    append_records(path, [record])
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append_records(path, [record])
    assert list(read_records(path)) == [record, record]


@pytest.mark.parametrize("write", [write_records, append_records])
def test_files__an_interrupted_write_loses_nothing(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "games.jsonl"
    record = played()
    write_records(path, [record])

    def interrupted() -> Iterator[GameRecord]:
        yield record
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(path, interrupted())
    assert list(read_records(path)) == [record]
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 3: is not JSON"),
        (b'{"game": "jerusalem_v0"}', "line 3: ruleset: is missing"),
        (b"[]", "line 3: a record must be an object"),
        (b"\xff\xfe", "line 3: is not JSON"),
        (b"[" * 100_000, "line 3: is not JSON"),
    ],
)
def test_files__a_wrong_line_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "games.jsonl"
    record = played()
    write_records(path, [record])
    with open(path, "ab") as file:
        file.write(b"\n" + line + b"\n")
    records = read_records(path)
    assert next(records) == record
    with pytest.raises(RecordError, match=message):
        next(records)


# --- the registry -------------------------------------------------------------------------------
def test_games__a_second_game_needs_no_change_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_module, "_games", dict(games_module._games))

    def maker(ruleset: Any, skip_forced: bool) -> Any:
        env = jerusalem_v0.raw_env(rules=RuleSet.from_dict(ruleset), skip_forced=skip_forced)
        env.game.name = "other_v0"
        return env

    register_game("other_v0", maker)
    assert registered_games() == ("ierusalem_v0", "jerusalem_v0", "other_v0")
    env = make_raw_env("other_v0", {"players": 2})
    record = record_game(env, Player(1), seed=1)
    assert record.game == "other_v0"
    assert replay(record).position() == env.position()
    with pytest.raises(ValueError, match="registered already"):
        register_game("other_v0", maker)


def test_games__an_unknown_name() -> None:
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        make_raw_env("chess")
