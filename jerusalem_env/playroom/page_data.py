"""A game as the data that pages show: words, pictures and judgements, as JSON-able values.

Pictures are lists of pieces of SVG, and a piece that comes again is stored once: a whole game of
pictures takes the room of a few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..drawing import Drawing
from ..envs.opponents import Judgement
from ..game import Game
from .timeline import Timeline, likeliest


def head_of(
    timeline: Timeline,
    title: str,
    seat: int | None = None,
    names: Sequence[str | None] | None = None,
) -> dict[str, Any]:
    """All of a game but its pictures and judgements, as ``seat`` may know it; by default all.

    ``names`` tells who played each seat: an agent, or None for a person.

    Raises
    ------
    ValueError
        If there is no such seat, or there are not as many names as seats.
    """
    game = timeline.game
    check_seat(game, seat)
    if names is not None and len(names) != game.players:
        raise ValueError(f"{game.players} seats need as many names, got {len(names)}")
    ended = bool(game.terminated(timeline.states[-1])[0])
    return {
        "title": title,
        "game": game.name,
        "players": game.players,
        "names": None if names is None else list(names),
        "seat": seat,
        "steps": [_step(timeline, number, seat) for number in range(len(timeline))],
        "end": game.describe_decision(timeline.states[-1][0], seat),
        "rounds": _rounds(timeline),
        "picture": canvas_of(game, timeline.states[0][0]),
        "result": game.results(timeline.states[-1][0]) if ended else None,
    }


def check_seat(game: Game, seat: int | None) -> None:
    """Raises ValueError if the game has no such seat; None is everybody."""
    if seat is not None and not 0 <= seat < game.players:
        raise ValueError(f"there is no seat {seat}: they are numbered 0..{game.players - 1}")


def _step(timeline: Timeline, number: int, seat: int | None) -> dict[str, Any]:
    """A decision and what followed. The action's own name can tell what only its seat knows."""
    actor = timeline.seat(number)
    return {
        "seat": actor,
        "decision": timeline.game.describe_decision(timeline.states[number][0], seat),
        "action": timeline.name(number) if seat in (None, actor) else None,
        "lines": timeline.lines(number, seat),
    }


def _rounds(timeline: Timeline) -> list[int] | None:
    """The round of every state, for games whose columns have one."""
    columns = timeline.game.columns(np.concatenate(timeline.states))
    return [int(number) for number in columns["round"]] if "round" in columns else None


# --- pictures -----------------------------------------------------------------------------------
def drawing_of(game: Game, state: np.void, seat: int | None = None) -> Drawing | None:
    """The picture of a state; None where the game has none."""
    try:
        return game.draw(state, seat)
    except NotImplementedError:
        return None


def canvas_of(game: Game, state: np.void) -> dict[str, Any] | None:
    """What all pictures of a game share; None where it has none."""
    drawing = drawing_of(game, state)
    if drawing is None:
        return None
    return {
        "width": drawing.width,
        "height": drawing.height,
        "backdrop": drawing.to_svg("backdrop"),
        "open": replace(drawing, shapes=()).to_svg("shapes").removesuffix("</g>"),
    }


def pictures_of(timeline: Timeline, seat: int | None, numbers: range) -> dict[str, Any]:
    """Pictures of the states ``numbers`` as ``seat`` sees them.

    Returns
    -------
    dict
        ``first``: the first number. ``parts``: pieces of SVG, or whole texts for a game without
        pictures. ``frames``: for each state ``[head, tail, part, ...]``: so many parts as at the
        head and at the tail of the frame before (0, 0 for the first), and those in between.
        ``alts``: each picture in words.
    """
    parts: dict[str, int] = {}
    frames, alts = [], []
    before: list[int] = []
    for number in numbers:
        state = timeline.states[number][0]
        drawing = drawing_of(timeline.game, state, seat)
        if drawing is None:
            pieces = [timeline.game.render_text(state, seat)]
            alts.append(timeline.game.describe_decision(state, seat))
        else:
            pieces = [shape.to_svg() for shape in drawing.shapes]
            alts.append(f"{drawing.title}. {drawing.description}".strip(". ") + ".")
        frame = [parts.setdefault(piece, len(parts)) for piece in pieces]
        frames.append(_change(before, frame))
        before = frame
    return {"first": numbers.start, "parts": list(parts), "frames": frames, "alts": alts}


def _change(before: list[int], after: list[int]) -> list[int]:
    """How to get from one list to the next: see ``pictures_of``."""
    most = min(len(before), len(after))
    head = 0
    while head < most and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < most - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return [head, tail, *after[head : len(after) - tail]]


# --- judgements ---------------------------------------------------------------------------------
def judgement_values(judgement: Judgement, game: Game, taken: int | None = None) -> dict[str, Any]:
    """A judgement of one decision: best choices first, the value, what that means.

    ``taken`` is the action that was taken: it is among the choices, however unlikely.
    """
    choices = [list(choice) for choice in likeliest(judgement, game.action_names)]
    if taken is not None and game.action_names[taken] not in [name for name, _ in choices]:
        choices.append([game.action_names[taken], float(judgement.probabilities[0, taken])])
    value = None if judgement.values is None else float(judgement.values[0])
    return {
        "choices": choices,
        "value": value if value is None or np.isfinite(value) else None,
        "meaning": judgement.meaning,
    }


def judgements_of(
    timeline: Timeline, agent: Any, numbers: Iterable[int], seat: int | None = None
) -> dict[int, dict[str, Any]]:
    """What an agent thinks of decisions; with ``seat``, of that seat's own ones only.

    One by one, so that a judgement does not depend on which others are asked for: chance and the
    last digits of a network would.
    """
    return {
        number: judgement_values(
            timeline.judge(number, agent), timeline.game, timeline.actions[number]
        )
        for number in numbers
        if seat in (None, timeline.seat(number))
    }
