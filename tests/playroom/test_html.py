"""A game as one HTML file: complete, closed to the network, small, and it works from a disk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from agents.registry import make_agent
from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.envs.opponents import Judgement
from jerusalem_env.playroom.html import html_of, script_json
from jerusalem_env.playroom.page_data import (
    head_of,
    judgement_values,
    judgements_of,
    pictures_of,
)
from jerusalem_env.playroom.timeline import Timeline, take
from tests.playroom.equipment import played
from tests.playroom.serving import LOW_CONTRAST, NAMELESS, TOO_WIDE, browser, watched
from training.toys import KuhnGame

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def chrome() -> Iterator[Browser]:
    with browser() as launched:
        yield launched


def film_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="film">(.*?)</script>', page, re.S)
    assert found is not None
    return dict(json.loads(found[1]))


def beginning(timeline: Timeline, number: int) -> Timeline:
    """The first decisions of a game: fewer pictures to draw."""
    found = Timeline(timeline.game, timeline.states[0])
    for action, state in zip(timeline.actions[:number], timeline.states[1:], strict=False):
        found.add(action, state)
    return found


@pytest.mark.slow
def test_html__holds_all_and_asks_for_nothing() -> None:
    timeline = played(4, 5, "expert")
    page = html_of(timeline, "A <game> & more", None, ["expert"] * 4)
    assert len(page) < 4_000_000
    assert "<title>A &lt;game&gt; &amp; more</title>" in page
    film = film_of(page)
    assert len(film["frames"]["frames"]) == len(timeline.states)
    assert len(film["steps"]) == len(timeline)
    # Nothing in it names another file or place; SVG's name space is no address that is asked for.
    outside = re.findall(r"(?:src|href|url\()=?[\"'(]?([^\"')> ]+)", page.replace("\\u003c", "<"))
    assert set(outside) <= {"data:,"}
    assert "import " not in page.partition('<script type="module">')[2]
    assert "default-src 'none'" in page


def test_html__of_a_seat_holds_only_what_it_knew() -> None:
    """What is in the file is what the seat is told, picture by picture."""
    timeline = beginning(played(3, 5, "random"), 60)
    film = film_of(html_of(timeline, "x", 1, None, make_agent("greedy"), "greedy"))
    assert {step["seat"] for step in film["steps"] if step["action"] is not None} == {1}
    told = [line for n in range(len(timeline)) for line in timeline.lines(n, 1)]
    assert [line for step in film["steps"] for line in step["lines"]] == told
    judged = {film["steps"][int(number)]["seat"] for number in film["judgements"]}
    assert judged == {1}
    hidden = pictures_of(timeline, 1, range(len(timeline.states)))
    assert film["frames"] == json.loads(json.dumps(hidden))
    assert hidden != pictures_of(timeline, None, range(len(timeline.states)))


def test_html__refuses_seats_and_names_that_do_not_fit() -> None:
    timeline = played(3, 5, "random")
    with pytest.raises(ValueError, match="no seat 3"):
        html_of(timeline, "x", 3)
    with pytest.raises(ValueError, match="3 seats need as many names"):
        html_of(timeline, "x", None, ["a"])


def test_script_json__cannot_end_its_element() -> None:
    values = {"a": "</script><!-- <b> & \u2028 \u2029 ]]>", "b": [None, 1.5]}
    text = script_json(values)
    assert json.loads(text) == values
    assert text.isascii()
    assert not set("<>&") & set(text)
    with pytest.raises(ValueError, match="not JSON compliant"):
        script_json(float("nan"))


@pytest.mark.parametrize("name", ["random", "greedy", "expert", "mcts:20", "ppo"])
def test_judgements__of_several_decisions_are_those_of_each(name: str) -> None:
    """Chance and a network's last digits depend on nothing that is asked before or beside."""
    timeline = played(3, 5, "random")
    numbers = range(20, 30)
    found = judgements_of(timeline, make_agent(name, timeline.game), numbers)
    again = make_agent(name, timeline.game)
    for number in reversed(numbers):
        alone = judgements_of(timeline, again, [number])
        assert alone == {number: found[number]}
        assert timeline.name(number) in [choice for choice, _ in alone[number]["choices"]]
    assert judgements_of(timeline, again, []) == {}


def test_judgement_values__tell_the_action_taken_however_unlikely() -> None:
    game = played(3, 5, "random").game
    chances = np.zeros((1, game.num_actions))
    chances[0, 1:9] = np.arange(8, 0, -1) / 36
    told = judgement_values(Judgement(chances, np.array([0.25]), "in words"), game, taken=8)
    names = game.action_names
    assert [name for name, _ in told["choices"]] == [*names[1:7], names[8]]
    assert told["choices"][0][1] == pytest.approx(8 / 36)
    assert (told["value"], told["meaning"]) == (0.25, "in words")
    unknown = Judgement(chances, np.array([np.nan]), "in words")
    assert judgement_values(unknown, game)["value"] is None
    assert json.loads(script_json(told)) == told


def test_html__steps_through_a_game_from_a_disk(chrome: Browser, tmp_path: Path) -> None:
    timeline = beginning(played(4, 5, "expert"), 150)
    last = len(timeline)
    file = tmp_path / "game.html"
    title = "</script><script>alert(1)</script> & \u2028"
    file.write_text(
        html_of(
            timeline, title, None, ["expert", None, "</b>", "x"], make_agent("greedy"), "greedy"
        ),
        encoding="utf-8",
    )
    with watched(chrome, file.as_uri()) as (page, faults):
        page.goto(f"{file.as_uri()}#12")
        page.wait_for_selector(f"text=Decision 12 of {last}")
        assert page.locator(".bars figcaption").inner_text() == "greedy chooses"
        picture = page.locator(".board svg > g").nth(1)
        before = picture.inner_html()
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f"text=Decision 13 of {last}")
        page.keyboard.press("Home")
        page.wait_for_selector(f"text=Decision 1 of {last}")
        assert picture.inner_html() != before
        page.keyboard.press("Shift+ArrowRight")
        page.wait_for_selector("text=round 2")
        page.keyboard.press("End")
        page.wait_for_selector(f"text=After decision {last}")
        drawing = timeline.game.draw(timeline.states[-1][0])
        shown = page.evaluate(
            """(text) => {
              const made = document.createElementNS("http://www.w3.org/2000/svg", "g");
              made.innerHTML = text;
              return made.innerHTML;
            }""",
            drawing.to_svg("shapes"),
        )
        assert picture.inner_html() == shown
        page.get_by_label("Decision", exact=True).nth(1).fill("40")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"text=Decision 40 of {last}")
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate(LOW_CONTRAST) == []
        page.set_viewport_size({"width": 400, "height": 800})
        assert not page.evaluate(TOO_WIDE)
        assert page.locator("h1").text_content() == title
        assert faults == []


def test_html__of_a_game_without_pictures_shows_texts(chrome: Browser, tmp_path: Path) -> None:
    env = GameAECEnv(KuhnGame())
    env.reset(seed=1)
    timeline = Timeline(env.game, env.states)
    while not any(env.terminations.values()):
        take(env, timeline, int(timeline.mask(len(timeline)).argmax()))
    assert head_of(timeline, "x")["picture"] is None
    file = tmp_path / "toy.html"
    file.write_text(html_of(timeline, "x"), encoding="utf-8")
    with watched(chrome, file.as_uri()) as (page, faults):
        page.goto(file.as_uri())
        page.keyboard.press("End")
        page.wait_for_selector("text=After decision")
        assert page.locator(".board-text").inner_text().strip()
        assert faults == []
