"""A server in a thread and a headless browser, for tests of the page."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from jerusalem_env.playroom.room import Offer, Reel, Room
from jerusalem_env.playroom.web import PageServer
from tests.playroom.equipment import played_record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_REQUIRE = "JERUSALEM_REQUIRE_CHROMIUM"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)


class Answer(NamedTuple):
    """Status, headers and body of an answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Sends requests to a server as its own page does, unless told otherwise."""

    def __init__(self, server: PageServer) -> None:
        self.server = server
        self.host = f"127.0.0.1:{server.server_port}"

    def send(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> Answer:
        """One request; header names with ``_`` for ``-``, None leaves one out."""
        sent: dict[str, str | None] = {"Host": self.host}
        if method == "POST":
            sent |= {"X-Token": self.server.token, "Content-Type": "application/json"}
            sent |= {"Origin": f"http://{self.host}", "Content-Length": str(len(body or b""))}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=300)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.send("GET", f"/api/{path}")
        assert answer.status == status, answer.body
        return answer.json

    def post(self, path: str, status: int = 200, **values: Any) -> Any:
        answer = self.send("POST", f"/api/{path}", json.dumps(values).encode())
        assert answer.status == status, answer.body
        return answer.json

    def new_table(self, *players: str | None, seed: int | None = 3) -> str:
        return str(self.post("tables", players=list(players), seed=seed)["id"])


def offer(**changed: Any) -> Offer:
    values: dict[str, Any] = {
        "game": "jerusalem_v0",
        "players": (None, "random", "random", "random"),
        "rules": "german",
        "presets": ("german", "dutch", "french"),
        "counts": (2, 3, 4),
        "agents": ("random", "greedy", "expert", "ppo"),
        "hint": "expert",
    }
    return Offer(**(values | changed))


@contextmanager
def served(folder: Path, **changed: Any) -> Iterator[PageServer]:
    """A server with one record of a game between four experts, until the end of the block."""
    record = played_record(4, 5, "expert")
    room = Room(offer(**changed), [Reel("a <b>game</b>", record, ("expert",) * 4)], folder)
    with PageServer(room) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def chromium() -> str:
    """Path of an installed Chromium; without one the test is skipped, or fails if it must not."""
    found = next((path for path in map(shutil.which, _NAMES) if path), None)
    if found is None:
        if os.environ.get(_REQUIRE) == "1":
            pytest.fail(f"{_REQUIRE} is 1, but no Chromium is installed", pytrace=False)
        pytest.skip(f"no Chromium is installed; {_REQUIRE}=1 makes this a failure")
    return found


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    path = chromium()
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield launched
        launched.close()


@contextmanager
def watched(
    browser: Browser, base: str, width: int = 1280, height: int = 800
) -> Iterator[tuple[Page, list[str]]]:
    """A page, and a list of what went wrong on it: it is for the test to say that it is empty.

    Messages of the console, exceptions, failed requests, answers that are errors and requests to
    anything that does not begin with ``base``.
    """
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.set_default_timeout(30_000)
    faults: list[str] = []
    page.on("console", lambda message: faults.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: faults.append(f"exception: {error}"))
    page.on("requestfailed", lambda request: faults.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((base, "data:", "blob:"))
            else faults.append(f"foreign: {request.url}")
        ),
    )
    page.on(
        "response",
        lambda answer: (
            faults.append(f"{answer.status}: {answer.url}") if answer.status >= 400 else None
        ),
    )
    yield page, faults
    context.close()


NAMELESS = """() => [...document.querySelectorAll(
    'button, a, input, select, summary, [role=img], [role=dialog]')]
  .filter((node) => node.checkVisibility())
  .filter((node) => !(node.getAttribute('aria-label') || node.textContent.trim()
    || (node.labels && [...node.labels].some((label) => label.textContent.trim()))))
  .map((node) => node.outerHTML.slice(0, 100))"""
"""Script: what is shown and can be used, but has no name for those who cannot see it."""

TOO_WIDE = """() => document.documentElement.scrollWidth > document.documentElement.clientWidth"""

LOW_CONTRAST = r"""() => {
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => { const v = c / 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const [r, g, b, a = 1] = rgb(getComputedStyle(at).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const node of document.querySelectorAll('body *:not(svg *)')) {
    const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
    if (!own || !node.checkVisibility() || node.disabled || node.closest('script')) continue;
    const [a, b] = [rgb(getComputedStyle(node).color), ground(node)].map(luminance);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)} ${node.outerHTML.slice(0, 80)}`);
  }
  return found;
}"""
"""Script: texts of the page (not of the picture) with less contrast than 4.5."""
