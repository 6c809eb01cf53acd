"""The server of the page over real HTTP: playing, stepping through, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.registry import CHECKPOINTS
from jerusalem_env.envs.opponents import UniformOpponent
from jerusalem_env.playroom import serve
from jerusalem_env.playroom.room import Room
from jerusalem_env.playroom.session import new_table
from jerusalem_env.playroom.turns import Turns
from jerusalem_env.playroom.web import PageServer, page_files
from jerusalem_env.records import GameRecord, replay, write_records
from tests.playroom.equipment import played, played_record
from tests.playroom.serving import Client, served

SEED = 12_345_678_901_234_567_890  # one that nothing else looks like


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    with served(tmp_path_factory.mktemp("tables")) as started:
        yield started


@pytest.fixture
def client(server: PageServer) -> Client:
    return Client(server)


def person_to_act(client: Client, name: str, seat: int = 0) -> dict[str, Any]:
    """The view once a person decides or the game is over."""
    view = client.get(f"tables/{name}?seat={seat}")
    while not view["over"] and view["players"][view["to_act"]] is not None:
        body = {"number": view["number"], "seat": seat, "most": 1000}
        view = client.post(f"tables/{name}/advance", **body)
    return dict(view)


def moves(view: dict[str, Any]) -> list[str]:
    return [name for group in view["moves"] for name in group["names"]]


def act(client: Client, name: str, view: dict[str, Any], action: str, status: int = 200) -> Any:
    body = {"number": view["number"], "seat": view["seat"], "action": action}
    return client.post(f"tables/{name}/act", status, **body)


def in_turn(client: Client, name: str) -> dict[str, Any]:
    """A decision of the person that can be taken back."""
    while True:
        view = person_to_act(client, name)
        choices = [move for move in moves(view) if move.startswith("place ")]
        if len(choices) > 1:
            return view
        act(client, name, view, "pass" if "pass" in moves(view) else moves(view)[0])


# --- playing ------------------------------------------------------------------------------------
def test_table__is_played_to_the_end_by_requests(client: Client) -> None:
    name = client.new_table(None, "random", "greedy", seed=SEED)
    while True:
        view = person_to_act(client, name)
        if view["over"]:
            break
        act(client, name, view, next((m for m in moves(view) if m != "pass"), "pass"))
    assert sorted(view["result"]["ranking"]) == [0, 1, 2]
    assert view["seed"] == str(SEED)
    assert view["seat"] is None  # everything is shown now
    assert [step["seat"] for step in view["steps"]] != []
    line = client.get(f"tables/{name}/record")["line"]
    record = GameRecord.from_dict(json.loads(line))
    assert record.seed == SEED
    assert len(record.actions) == view["number"]
    replay(record)
    film = client.get(f"records/table-{name}")
    assert film["names"] == [None, "random", "greedy"]
    assert len(film["steps"]) == view["number"]


def test_act__stale_or_illegal_changes_nothing_and_says_why(client: Client) -> None:
    name = client.new_table(None, "random")
    view = person_to_act(client, name)
    stale = {"number": view["number"] + 1, "seat": 0, "action": moves(view)[0]}
    assert "has gone on" in client.post(f"tables/{name}/act", 409, **stale)["error"]
    wrong = act(client, name, view, "hire", 409)
    assert "not legal" in wrong["error"]
    assert moves(view)[0] in wrong["error"]
    assert "no move named" in act(client, name, view, "win", 409)["error"]
    again = client.get(f"tables/{name}?seat=0")
    again["picture"].pop("canvas")
    view["picture"].pop("canvas", None)
    assert again == view


def test_act__is_for_the_seat_that_decides_and_for_people(client: Client) -> None:
    name = client.new_table(None, None, "random")
    view = person_to_act(client, name)
    other = 1 - view["to_act"]
    mine = client.get(f"tables/{name}?seat={view['to_act']}")
    body = {"number": mine["number"], "action": moves(mine)[0]}
    assert client.get(f"tables/{name}?seat={other}")["moves"] == []
    told = client.post(f"tables/{name}/act", 403, seat=other, **body)
    assert told["error"] == f"P{mine['to_act']} decides now"
    assert "stays hidden" in client.get(f"tables/{name}?seat=2", 403)["error"]
    assert "no seat 7" in client.get(f"tables/{name}?seat=7", 400)["error"]
    assert "P0, P1" in client.get(f"tables/{name}", 403)["error"]
    client.post(f"tables/{name}/act", seat=view["to_act"], **body)


def test_advance__stops_at_a_person_and_after_as_many_as_asked(client: Client) -> None:
    name = client.new_table("random", "random")
    view = client.get(f"tables/{name}")
    for _ in range(3):
        after = client.post(f"tables/{name}/advance", number=view["number"], most=1)
        assert after["number"] == view["number"] + 1
        assert len(after["steps"]) == after["number"]
        view = after
    assert view["seat"] is None  # nobody plays, so nothing is hidden


def test_advance__for_a_seat_that_may_not_see_it_does_nothing(client: Client) -> None:
    name = client.new_table(None, "random", "random", None)
    for seat, status in ((1, 403), (None, 403), (9, 400)):
        client.post(f"tables/{name}/advance", status, number=0, most=5, seat=seat)
        assert client.get(f"tables/{name}?seat=0")["number"] == 0
    watched = client.new_table("random", "random")
    client.post(f"tables/{watched}/advance", 400, number=0, most=5, seat=9)
    assert client.get(f"tables/{watched}")["number"] == 0


def test_take_back__restores_the_view(client: Client) -> None:
    name = client.new_table(None, "random", "random", "random")
    before = in_turn(client, name)
    after = act(client, name, before, "place " + moves(before)[1].removeprefix("place "))
    assert after["may_take_back"]
    assert len(after["steps"]) == len(before["steps"]) + 1
    body = {"number": after["number"], "seat": 0}
    back = client.post(f"tables/{name}/take_back", **body)
    before["picture"].pop("canvas", None)
    before["may_take_back"] = back["may_take_back"]
    assert back == before


def test_take_back__refuses_what_others_have_seen(client: Client) -> None:
    name = client.new_table(None, "random")
    view = person_to_act(client, name)
    told = client.post(f"tables/{name}/take_back", 409, number=view["number"], seat=0)
    assert "cannot be taken back" in told["error"]


def test_hint__is_a_judgement_of_the_legal_moves(client: Client) -> None:
    name = client.new_table(None, "random")
    view = person_to_act(client, name)
    body = {"number": view["number"], "seat": 0}
    judgement = client.post(f"tables/{name}/hint", agent="expert", **body)
    assert {choice for choice, _ in judgement["choices"]} <= set(moves(view))
    assert sum(chance for _, chance in judgement["choices"]) == pytest.approx(1.0)
    assert judgement["value"] is None
    told = client.post(f"tables/{name}/hint", 409, agent="nobody", **body)
    assert "expert" in told["error"]


@pytest.mark.parametrize("agent", ["ppo:/etc/passwd", "ppo:x.zip", "../x", "mcts:9999999", "", 3])
def test_agents__that_read_files_are_not_for_a_page_to_name(client: Client, agent: Any) -> None:
    told = client.post("tables", 400, players=[None, agent])
    assert "no agent can be named" in told["error"]


def test_agents__named_on_the_command_line_are_offered() -> None:
    """Also one that plays at tables of another size only."""
    network = f"ppo:{CHECKPOINTS / 'jerusalem_v0_2p.zip'}"
    arguments = ["--agents", f"{network},mcts:7", "--against", "greedy", "--hint", "random"]
    room = serve.room_of(serve.parser_of().parse_args(arguments))
    assert room.offer.agents[:4] == ("greedy", network, "mcts:7", "random")
    assert room._allowed(network) == network
    assert len(set(room.offer.agents)) == len(room.offer.agents)
    assert set(room.offer.presets) == {"german", "dutch", "french"}
    assert room.offer.counts == (2, 3, 4)


def test_save__writes_a_table_that_is_taken_up_again(client: Client) -> None:
    name = client.new_table(None, "random")
    view = person_to_act(client, name)
    act(client, name, view, moves(view)[0])
    view = person_to_act(client, name)
    file = Path(client.post(f"tables/{name}/save")["file"])
    room = serve.room_of(serve.parser_of().parse_args([str(file)]))
    (again,) = room.tables.values()
    assert again.view(0)["steps"] == view["steps"]
    assert again.file == file
    assert serve._fragment(room) == f"#/table/{again.name}"


def test_file__that_is_named_twice_is_one_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [tmp_path / f"{letter}.json" for letter in "ba"]
    for seed, file in enumerate(names):
        new_table("jerusalem_v0", [None, "random"], seed=seed).save(file)
    (tmp_path / "link.json").symlink_to("a.json")
    monkeypatch.chdir(tmp_path)
    files = ["b.json", str(names[0]), "a.json", "./a.json", "link.json"]
    room = serve.room_of(serve.parser_of().parse_args(files))
    assert [table.file for table in room.tables.values()] == [Path("b.json"), Path("a.json")]


def test_new_table__says_what_is_wrong(client: Client) -> None:
    assert "players must be a list" in client.post("tables", 400, players=2)["error"]
    assert "2..4" in client.post("tables", 409, players=[None])["error"]
    wrong = client.post("tables", 409, players=[None, "random"], rules="martian")
    assert "german" in wrong["error"]
    assert "seed" in client.post("tables", 400, players=[None, "random"], seed="x")["error"]
    assert "no table" in client.get("tables/none", 404)["error"]


def test_tables__that_were_not_used_for_longest_are_let_go(tmp_path: Path) -> None:
    room = Room(serve.room_of(serve.parser_of().parse_args([])).offer, (), tmp_path)
    session = new_table("jerusalem_v0", [None, "random"], seed=1)
    names = [room.add_table(session).name for _ in range(101)]
    assert list(room.tables) == names[1:]


# --- many at once --------------------------------------------------------------------------------
def test_agents__are_asked_one_at_a_time() -> None:
    """Numba's workqueue ends a process in which two threads run kernels on several threads."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.playroom.crowd"],
        env=os.environ | {"NUMBA_THREADING_LAYER": "workqueue", "NUMBA_NUM_THREADS": "4"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("workqueue [40, 40, 40, 40, 40, 40]")


def test_server__answers_while_an_agent_thinks(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def thinks(self: UniformOpponent, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        begun.set()
        assert go_on.wait(60.0)
        return masks.argmax(axis=1)

    mine, theirs = client.new_table(None, "random"), client.new_table("random", "random")
    view = person_to_act(client, mine)
    monkeypatch.setattr(UniformOpponent, "act", thinks)
    monkeypatch.setattr(RandomAgent, "act", thinks)
    with ThreadPoolExecutor() as pool:
        judged = pool.submit(client.get, "records/0/judgements?agent=random&first=50&count=1")
        assert begun.wait(60.0)
        waits = pool.submit(client.post, f"tables/{theirs}/advance", number=0, most=1)
        assert mine in [table["id"] for table in client.get("start")["tables"]]
        assert client.get(f"tables/{theirs}")["number"] == 0
        client.get("records/0/frames?first=0")
        assert act(client, mine, view, moves(view)[0])["number"] == view["number"] + 1
        assert not judged.done()
        assert not waits.done()
        go_on.set()
        assert sorted(judged.result()) == ["50"]
        assert waits.result()["number"] == 1


def test_turns__go_to_threads_in_the_order_of_asking() -> None:
    turns, order = Turns(), []

    def take(name: int) -> None:
        with turns:
            order.append(name)

    threads = [threading.Thread(target=take, args=(name,)) for name in range(5)]
    with turns:
        for number, thread in enumerate(threads, 2):
            thread.start()
            while turns.asked < number:
                time.sleep(0.001)
        order.append(-1)
    for thread in threads:
        thread.join()
    assert order == [-1, 0, 1, 2, 3, 4]


# --- hidden things ------------------------------------------------------------------------------
def test_view__of_a_running_game_has_no_seed_and_nobody_elses_choices(client: Client) -> None:
    name = client.new_table(None, "random", "greedy", "random", seed=SEED)
    drafts = 0
    while True:
        view = person_to_act(client, name)
        if view["over"]:
            break
        text = json.dumps(view)
        assert str(SEED) not in text
        assert "record" not in text
        assert "result" not in view
        for step in view["steps"]:
            drafts += step["seat"] != 0 and "keeps a card of the pool" in step["lines"][0]
        assert not any(f"silver {n}" in line for line in told_of_others(view) for n in range(99))
        act(client, name, view, moves(view)[0])
    assert drafts > 0


def told_of_others(view: dict[str, Any]) -> list[str]:
    return [line for step in view["steps"] if step["seat"] for line in step["lines"][:1]]


def test_record__of_a_running_game_is_refused(client: Client) -> None:
    name = client.new_table(None, "random")
    assert "after the game" in client.get(f"tables/{name}/record", 403)["error"]
    assert "once it is over" in client.get(f"records/table-{name}", 403)["error"]
    for what in ("frames?first=0", "judgements?agent=expert&first=0&count=4"):
        client.get(f"records/table-{name}/{what}", 403)


# --- records ------------------------------------------------------------------------------------
def test_records__are_listed_and_told(client: Client) -> None:
    timeline = played(4, 5, "expert")
    (record, *_) = client.get("start")["records"]
    assert record["decisions"] == len(timeline)
    film = client.get("records/0")
    assert film["title"] == "a <b>game</b>"
    assert len(film["rounds"]) == len(timeline.states)
    assert [step["seat"] for step in film["steps"]] == [
        timeline.seat(n) for n in range(len(timeline))
    ]
    assert all(step["action"] == timeline.name(n) for n, step in enumerate(film["steps"]))


def test_records__as_a_seat_saw_them_name_only_its_own_actions(client: Client) -> None:
    film = client.get("records/0?seat=2")
    assert {step["seat"] for step in film["steps"] if step["action"]} == {2}
    found = client.get("records/0/judgements?agent=expert&first=0&count=64&seat=2")
    assert found
    assert {film["steps"][int(number)]["seat"] for number in found} == {2}
    assert "no seat 9" in client.get("records/0?seat=9", 400)["error"]


def test_frames__unfold_to_the_pictures(client: Client) -> None:
    timeline = played(4, 5, "expert")
    canvas = client.get("records/0")["picture"]
    for seat in (None, 1):
        query = "" if seat is None else f"&seat={seat}"
        chunk = client.get(f"records/0/frames?first=37{query}")
        before: list[int] = []
        for offset, (head, tail, *parts) in enumerate(chunk["frames"]):
            before = before[:head] + parts + (before[-tail:] if tail else [])
            svg = canvas["open"] + "".join(chunk["parts"][part] for part in before) + "</g>"
            drawing = timeline.game.draw(timeline.states[37 + offset][0], seat)
            assert svg == drawing.to_svg("shapes")
            assert drawing.to_svg("backdrop") == canvas["backdrop"]
        assert len(chunk["frames"]) == 16


def test_judgements__tell_choices_value_and_the_action_taken(client: Client) -> None:
    timeline = played(4, 5, "expert")
    found = client.get("records/0/judgements?agent=random&first=10&count=5")
    assert sorted(map(int, found)) == list(range(10, 15))
    for number, judgement in found.items():
        names = [name for name, _ in judgement["choices"]]
        assert timeline.name(int(number)) in names
    again = client.get("records/0/judgements?agent=random&first=12&count=1")
    assert again["12"] == found["12"]  # asked once
    assert "unknown" in client.get("records/0/judgements?agent=x&first=0&count=1", 400)["error"]
    assert "below" in client.get("records/0/frames?first=99999", 400)["error"]
    assert "whole number" in client.get("records/0/frames?first=-1", 400)["error"]
    assert "no record" in client.get("records/17", 404)["error"]


def test_records__that_do_not_replay_say_so(tmp_path: Path) -> None:
    record = played_record(4, 5, "expert").to_dict() | {"seed": 6}
    file = tmp_path / "wrong.jsonl"
    write_records(file, [GameRecord.from_dict(record)])
    room = serve.room_of(serve.parser_of().parse_args([str(file)]))
    with pytest.raises(Exception, match=r"is not legal|the record says") as raised:
        room.get(("records", "0"), {})
    assert raised.value.status == 422  # type: ignore[attr-defined]


# --- what is refused ----------------------------------------------------------------------------
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "", "[::1", "a:b:c"])
def test_host__that_is_not_ours_is_refused(client: Client, host: str) -> None:
    """A name that somebody made to point here does not get at the tables."""
    answer = client.send("GET", "/api/start", Host=host)
    assert answer.status == 421
    assert client.server.url in answer.json["error"]


def test_host__by_each_of_our_names_is_served(client: Client) -> None:
    for name in ("localhost", "127.0.0.1", "[::1]"):
        host = f"{name}:{client.server.server_port}"
        assert client.send("GET", "/", Host=host).status == 200


def test_post__from_elsewhere_is_refused(client: Client) -> None:
    body = json.dumps({"players": [None, "random"]}).encode()
    assert client.send("POST", "/api/tables", body).status == 200
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"https://{client.host}"},
        {"X_Token": None},
        {"X_Token": "wrong"},
        {"X_Token": "\u00e9"},
    ):
        assert client.send("POST", "/api/tables", body, **headers).status == 403
    for kind in (None, "text/plain", "application/x-www-form-urlencoded"):
        assert client.send("POST", "/api/tables", body, Content_Type=kind).status == 415
    assert client.send("GET", "/api/start", Origin="http://evil.example").status == 403
    for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200)):
        assert client.send("GET", "/api/start", Sec_Fetch_Site=site).status == status
    assert client.send("GET", "/", Sec_Fetch_Site="cross-site").status == 200  # a link to us


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"3", b"\xff", b"[" * 50_000, b'{"players": NaN}']
)
def test_post__of_anything_is_answered(client: Client, body: bytes) -> None:
    answer = client.send("POST", "/api/tables", body)
    assert answer.status == 400
    assert answer.json["error"]


def test_post__that_is_too_long_or_has_no_length_is_refused(client: Client) -> None:
    assert client.send("POST", "/api/tables", b"x" * 100_000).status == 413
    assert client.send("POST", "/api/tables", b"", Content_Length=None).status == 411
    assert client.send("POST", "/api/tables", b"", Content_Length="-1").status == 411
    assert client.send("PUT", "/api/tables", b"").status == 501
    assert client.send("GET", "/api/start").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../serve.py",
        "/%2e%2e/serve.py",
        "/..%2fserve.py",
        "/page/index.html",
        "//etc/passwd",
        "/index.html/",
        "/serve.py",
        "/style.css%00.png",
        "/api",
        "/api/",
        "/api/tables/../start",
        "/api/%2e%2e/start",
    ],
)
def test_get__of_anything_else_is_not_found(client: Client, path: str) -> None:
    answer = client.send("GET", path)
    assert answer.status == 404
    assert "error" in answer.json


def test_post__to_anything_else_is_not_found(client: Client) -> None:
    for path in ("start", "tables/x/act", "tables/x/y", "records/0"):
        client.post(path, 404, number=0)
    name = client.new_table(None, "random")
    assert "number must be" in client.post(f"tables/{name}/act", 400)["error"]
    told = client.post(f"tables/{name}/act", 400, number=0, seat="0", action="pass")
    assert "seat must be" in told["error"]
    view = person_to_act(client, name)
    body = {"number": view["number"], "seat": 0}
    assert "action must be" in client.post(f"tables/{name}/act", 400, **body)["error"]


def test_files__are_the_pages_own_with_a_strict_policy(client: Client) -> None:
    files = page_files()
    assert {"index.html", "style.css", "app.js", "stepper.js", "icon.svg"} <= set(files)
    for name in ["", *files]:
        answer = client.send("GET", f"/{name}")
        assert answer.status == 200
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    page = client.send("GET", "/").body.decode()
    assert client.server.token in page
    assert "<script>" not in page
    assert "style=" not in page
    words = ("squire", "baron", "auction", "prestige", "silver", "templars", "market")
    for name, content in files.items():
        assert [word for word in words if word.encode() in content.lower()] == [], name


def test_server__answers_after_a_fault_of_its_own(
    client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("x")

    with monkeypatch.context() as patched:
        patched.setattr(Room, "_start", broken)
        assert "KeyError" in client.get("start", 500)["error"]
    assert "KeyError" in capsys.readouterr().err
    client.get("start")


# --- the command --------------------------------------------------------------------------------
def test_command__says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    for arguments, told in (
        ([str(tmp_path / "missing")], "cannot be read"),
        ([str(tmp_path / "empty.jsonl")], "holds no games"),
        (["--players", "9"], "2, 3, 4"),
        (["--rules", "martian"], "german"),
        (["--seat", "8"], "--seat"),
        (["--seed", "-1"], "--seed must be 0 to 2**64 - 1"),
        (["--seed", str(2**64)], "--seed must be 0 to 2**64 - 1"),
        (["--folder", str(tmp_path / "missing")], "--folder must be a folder"),
        (["--folder", str(tmp_path / "empty.jsonl")], "--folder must be a folder"),
        (["--against", "nobody"], "unknown opponent 'nobody'"),
        (["--against", f"ppo:{CHECKPOINTS / 'jerusalem_v0_2p.zip'}"], "trained on"),
        (["--hint", "nobody"], "unknown opponent 'nobody'"),
        (["--agents", "mcts:7,ppo:missing.zip"], "missing.zip"),
        (["--port", "70000"], "0 to 65535"),
    ):
        assert serve.main(arguments) in (1, 2)
        assert told in capsys.readouterr().err


def test_command__says_that_a_port_is_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert serve.main(["--port", str(port), "--no-open"]) == 1
    told = capsys.readouterr().err
    assert f"port {port} is in use" in told
    assert "--port 0" in told


@pytest.mark.slow
def test_command__serves_until_it_is_interrupted(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    write_records(file, [played_record(4, 5, "expert")])
    command = [sys.executable, "-m", "jerusalem_env.cli", "serve", str(file)]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = line.removeprefix("The page is at ").strip()
        assert address.endswith("/#/record/0")
        with urllib.request.urlopen(address.partition("#")[0], timeout=30) as page:
            assert b"<!doctype html>" in page.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "ended" in out
    assert err == ""
