"""The page in a headless Chromium: played and stepped through as people do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jerusalem_env.playroom.web import PageServer
from tests.playroom.equipment import played
from tests.playroom.serving import (
    LOW_CONTRAST,
    NAMELESS,
    TOO_WIDE,
    Client,
    browser,
    served,
    watched,
)

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Watched = tuple["Page", list[str]]
MOVES = ".moves button.primary:visible, .moves [data-move]:visible"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageServer]:
    with served(tmp_path_factory.mktemp("tables")) as started:
        yield started


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with browser() as launched:
        yield launched


@pytest.fixture
def opened(chrome: Browser, server: PageServer) -> Iterator[Watched]:
    """The first page, and what went wrong on it."""
    with watched(chrome, server.url) as (page, faults):
        page.goto(server.url)
        page.wait_for_selector("form")
        yield page, faults


def start(page: Page, seed: str = "7") -> None:
    """A new game as the form offers it, agents playing at once."""
    page.get_by_text("Rules and seed").click()
    page.get_by_label("Seed").fill(seed)
    page.get_by_role("button", name="Start the game").click()
    page.get_by_label("Agents play").select_option("0")
    wait(page)


def wait(page: Page) -> None:
    """Until a person decides or the game is over."""
    page.wait_for_selector(".mine, .result")


def number(page: Page) -> int:
    """Decisions that the log tells."""
    times = page.locator(".right .log .times").all_inner_texts()
    extra = sum(int(text.strip()[1:]) - 1 for text in times)
    return page.locator(".right .log li").count() + extra


def choose(page: Page, move: str | None = None) -> None:
    """Click a move by its name, or the first that there is; wait for the next decision."""
    before = page.locator(".right .log").inner_text()
    one = page.locator(f'[data-move="{move}"]') if move else page.locator(MOVES).first
    one.click()
    page.wait_for_function(
        "(before) => document.querySelector('.right .log').innerText !== before", arg=before
    )
    wait(page)


def to_turn(page: Page) -> None:
    """On to a decision with something to place."""
    for _ in range(60):
        if page.locator('[data-move^="place "]').count() > 1:
            return
        passing = page.locator('[data-move="pass"]').count() > 0
        choose(page, "pass" if passing else None)
    raise AssertionError("no turn came")


def test_first_page__offers_a_game_and_records(opened: Watched, server: PageServer) -> None:
    page, faults = opened
    assert page.get_by_role("link", name="a <b>game</b>").count() == 1
    page.get_by_label("Players").select_option("2")
    assert page.locator(".seats .row").count() == 2
    page.get_by_label("Who plays P1").select_option("other")
    page.get_by_label("Agent at P1").fill("nobody")
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector("#message.bad")
    told = page.locator("#message").inner_text()
    assert "unknown agent" in told
    page.get_by_role("button", name="Close this message").click()
    assert not page.locator("#message").is_visible()
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(LOW_CONTRAST) == []
    # The browser tells of answers that are errors; that one was meant.
    assert len(faults) == 2
    assert all("409" in fault for fault in faults)


def test_play__a_few_turns_by_clicking_with_undo_and_hint(opened: Watched) -> None:
    page, faults = opened
    start(page)
    assert page.title() == "Your turn – Jerusalem"
    to_turn(page)
    before, told = number(page), page.locator(".decision").inner_text()
    undo = page.get_by_role("button", name="Undo")
    assert undo.is_disabled()
    choose(page, page.locator('[data-move^="place "]').nth(1).get_attribute("data-move"))
    assert number(page) == before + 1
    assert undo.is_enabled()
    undo.click()
    page.wait_for_function("() => document.querySelector('.tools button').disabled")
    assert number(page) == before
    assert page.locator(".decision").inner_text() == told
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector(".bars")
    assert page.locator(".bars figcaption").inner_text() == "expert chooses"
    assert page.locator(".hinted").count() == 1
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(LOW_CONTRAST) == []
    assert "hidden" in page.locator(".board svg").inner_html()
    page.get_by_text("The table as text").click()
    assert "Round 1" in page.locator("details .board-text").inner_text()
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("#message.good")
    assert "jerusalem serve" in page.locator("#message").inner_text()
    assert faults == []


def test_play__bids_are_a_number(opened: Watched) -> None:
    page, faults = opened
    start(page)
    for _ in range(20):
        field = page.locator(".moves input[type=number]")
        if field.count():
            break
        choose(page)
    low, high = int(field.get_attribute("min") or 0), int(field.get_attribute("max") or 0)
    take = page.locator(".moves button.primary")
    field.fill(str(high + 1))
    assert take.is_disabled()
    field.fill(str(low))
    page.get_by_role("button", name="one more").click()
    assert take.inner_text() == f"bid {low + 1}"
    choose(page)
    assert f"You bid {low + 1}" in page.locator(".right .log").inner_text()
    assert faults == []


def test_play__agents_one_after_the_other_and_skip(opened: Watched) -> None:
    page, faults = opened
    page.get_by_label("Who plays P0").select_option("random")
    page.get_by_role("button", name="Start the game").click()
    page.get_by_label("Agents play").select_option("250")
    page.wait_for_function("() => document.querySelectorAll('.log li').length > 3")
    assert not page.locator(".tools").is_visible()
    page.keyboard.press("s")
    page.wait_for_selector(".result", timeout=60_000)
    assert faults == []


@pytest.mark.slow
def test_play__a_whole_game_by_keyboard_and_look_at_it(opened: Watched) -> None:
    page, faults = opened
    start(page, "11")
    for _ in range(600):
        if page.locator(".result").count():
            break
        before = page.locator(".right .log").inner_text()
        if page.locator('[data-move][aria-keyshortcuts="1"]').count():
            page.keyboard.press("1")
        elif page.locator('[data-move="pass"]').count():
            page.keyboard.press("0")
        else:
            page.locator(MOVES).first.press("Enter")
        page.wait_for_function(
            "(before) => document.querySelector('.right .log').innerText !== before", arg=before
        )
        wait(page)
    assert page.locator(".result tbody tr").count() == 4
    assert "Seed 11" in page.locator(".now").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the record").click()
    assert download.value.suggested_filename.endswith(".jsonl")
    page.get_by_role("link", name="Step through this game").click()
    page.wait_for_selector(".stepping .bars")
    assert "Decision 1 of" in page.locator(".where").inner_text()
    assert faults == []


def test_play__two_people_do_not_see_each_others_view(opened: Watched) -> None:
    page, faults = opened
    page.get_by_label("Players").select_option("2")
    page.get_by_label("Who plays P1").select_option("person")
    page.get_by_role("button", name="Start the game").click()
    page.wait_for_selector(".mine, .curtain")
    for _ in range(6):
        curtain = page.locator(".curtain button")
        if curtain.count():
            name = curtain.inner_text()
            assert re.fullmatch(r"I am P[01]: show my view", name)
            assert page.locator(".curtain").bounding_box() == {
                "x": 0, "y": 0, "width": 1280, "height": 800,
            }  # fmt: skip
            page.keyboard.press("1")  # nothing can be played behind it
            curtain.click()
            page.wait_for_selector(f".mine .seat-{name[6]}")
        page.locator(MOVES).first.click()
        page.wait_for_selector(".curtain, .mine")
        page.wait_for_timeout(150)
    assert faults == []


def test_play__goes_on_after_the_table_changed_elsewhere(
    opened: Watched, server: PageServer
) -> None:
    page, faults = opened
    start(page)
    name = page.url.rpartition("/")[2]
    client = Client(server)
    view = client.get(f"tables/{name}?seat=0")
    move = view["moves"][0]["names"][0]
    client.post(f"tables/{name}/act", number=view["number"], seat=0, action=move)
    page.locator(MOVES).first.click()
    page.wait_for_selector("#message.bad")
    assert "has gone on" in page.locator("#message").inner_text()
    wait(page)
    assert any("409" in fault for fault in faults)
    assert len(faults) == 2


@pytest.mark.slow
def test_step__by_arrow_keys_and_jumps(opened: Watched) -> None:
    page, faults = opened
    timeline = played(4, 5, "expert")
    last = len(timeline)
    page.get_by_role("link", name="a <b>game</b>").click()
    page.wait_for_selector(f"text=Decision 1 of {last}")
    page.wait_for_selector(".bars .taken .mark")
    for _ in range(25):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(f"text=Decision 25 of {last}")
    line = timeline.lines(24)[0].replace("_", " ").replace(".", " ")
    seat = timeline.seat(24)
    assert page.locator(".happened li").first.inner_text() == line.removeprefix(f"P{seat} ")
    assert page.locator(".log [aria-current]").count() == 1
    page.get_by_label("Stop at").select_option("2")
    page.keyboard.press("ArrowRight")
    following = next(n for n in range(25, last) if timeline.seat(n) == 2)
    page.wait_for_selector(f"text=Decision {following + 1} of {last}")
    page.get_by_label("Show").select_option("1")
    page.wait_for_selector("text=Only decisions of P1 are judged")
    page.wait_for_function(
        "() => document.querySelector('.board svg').textContent.includes('hidden')"
    )
    page.get_by_label("Show").select_option("")
    page.wait_for_selector(".bars")
    page.locator(".log button").nth(3).click()
    page.wait_for_selector(f"text=Decision 4 of {last}")
    page.get_by_label("Stop at").select_option("every")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_label("Speed").select_option("250")
    page.wait_for_function(  # a busy machine may miss single decisions
        "() => Number(document.body.innerText.match(/Decision (\\d+) of/)[1]) >= 7"
    )
    page.get_by_role("button", name="Pause").click()
    page.keyboard.press("End")
    page.wait_for_selector(".result")
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_selector("text=round 5")
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(LOW_CONTRAST) == []
    assert faults == []


@pytest.mark.slow
def test_step__a_learned_agent_shows_its_policy_and_values(opened: Watched) -> None:
    pytest.importorskip("torch", reason="the extra train is not installed")
    page, faults = opened
    page.set_default_timeout(120_000)
    page.get_by_role("link", name="a <b>game</b>").click()
    page.get_by_label("Which agent").select_option("ppo")
    page.wait_for_selector(".bars .value strong")
    total = 0.0
    for text in page.locator(".bars .chance").all_inner_texts():
        total += float(re.sub("[^0-9.]", "", text))
    assert 90 < total < 105
    page.wait_for_function("() => document.querySelectorAll('.chart .line').length === 4")
    page.wait_for_function(
        "(n) => [...document.querySelectorAll('.chart .line')]"
        ".reduce((sum, line) => sum + line.points.numberOfItems, 0) === n",
        arg=len(played(4, 5, "expert")),
    )
    box = page.locator(".chart").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + 20)
    page.wait_for_function(
        "() => +document.querySelector('.controls input[type=number]').value > 100"
    )
    assert faults == []


def test_phone__nothing_is_wider_than_the_screen(
    chrome: Browser, server: PageServer, tmp_path: Path
) -> None:
    with watched(chrome, server.url, 400, 800) as (page, faults):
        page.goto(server.url)
        page.wait_for_selector("form")
        assert not page.evaluate(TOO_WIDE)
        start(page)
        to_turn(page)
        page.get_by_role("button", name="Hint").click()
        page.wait_for_selector(".bars")
        assert not page.evaluate(TOO_WIDE)
        page.get_by_role("button", name="Enlarge").click()
        assert page.locator(".board svg").bounding_box()["width"] == 1000  # type: ignore[index]
        assert not page.evaluate(TOO_WIDE)
        page.goto(f"{server.url}#/record/0")
        page.wait_for_selector(".stepping .bars")
        assert not page.evaluate(TOO_WIDE)
        assert page.evaluate(NAMELESS) == []
        assert faults == []


def test_addresses__that_lead_nowhere_say_so(opened: Watched, server: PageServer) -> None:
    page, faults = opened
    page.goto(f"{server.url}#/table/none")
    page.wait_for_selector("text=there is no table 'none'")
    page.get_by_role("link", name="To the first page").click()
    page.wait_for_selector("form")
    assert not page.locator("#message").is_visible()
    assert all("404" in fault for fault in faults)
