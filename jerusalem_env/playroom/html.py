"""A game as one HTML file that needs nothing else: no server, no network, no other file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from .page_data import head_of, judgements_of, pictures_of
from .timeline import Timeline

# What shows a film, each after those it imports; `film.js` begins it.
_MODULES = ("dom.js", "board.js", "charts.js", "frames.js", "log.js", "stepper.js", "film.js")
_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async function|function|class|const) )", re.MULTILINE)


def html_of(
    timeline: Timeline,
    title: str,
    seat: int | None = None,
    names: Sequence[str | None] | None = None,
    agent: Any | None = None,
    agent_name: str = "",
) -> str:
    """The text of an HTML file to step through a game.

    Parameters
    ----------
    timeline : Timeline
    title : str
    seat : int, optional
        Hold only what this seat knew; by default everything.
    names : sequence of str or None, optional
        Who played each seat; None for a person.
    agent : Opponent, optional
        Its judgement of every decision goes into the file; with ``seat``, of that seat's only.
    agent_name : str
        What the file calls it.

    Raises
    ------
    ValueError
        If there is no such seat, or there are not as many names as seats.
    """
    film = head_of(timeline, title, seat, names)
    film["frames"] = pictures_of(timeline, seat, range(len(timeline.states)))
    film["agent"] = None
    if agent is not None:
        film["agent"] = agent_name or "agent"
        film["judgements"] = judgements_of(timeline, agent, range(len(timeline)), seat)
    script, style = _script(), _page_file("style.css")
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="app"><noscript>This page needs JavaScript.</noscript></div>
<script type="application/json" id="film">{script_json(film)}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def script_json(values: Any) -> str:
    """JSON that can stand inside a script element: nothing in it ends one or begins a comment.

    Only ASCII, so line separators that JavaScript of old did not know in strings are escaped too.
    """
    text = json.dumps(values, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _script() -> str:
    """The modules as one: without imports, since what they name is all there."""
    modules = [_EXPORT.sub("", _IMPORT.sub("", _page_file(name))) for name in _MODULES]
    script = "\n".join(modules)
    assert "</script" not in script.lower()
    return script


def _page_file(name: str) -> str:
    return (files("jerusalem_env.playroom") / "page" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """The text's name in a content security policy."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
