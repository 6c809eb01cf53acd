"""A game as moving or single pictures. Needs the extra ``render``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..records import whole_file
from .timeline import Timeline

Counter = Callable[[Sequence[int]], Iterable[int]]
_COLOURS = 128  # of a GIF's palette


def frames_of(timeline: Timeline, every: str, rounds: Sequence[int]) -> Iterator[int]:
    """Numbers of the states that have a picture: of each decision, turn or round, and the last."""
    for number in range(len(timeline)):
        if every == "decision":
            shown = True
        elif every == "round":
            shown = number in rounds
        else:  # what a seat did in a row is shown when it is done
            shown = number == 0 or timeline.seat(number) != timeline.seat(number - 1)
        if shown:
            yield number
    yield len(timeline)


def write_gif(
    path: Path,
    timeline: Timeline,
    numbers: Sequence[int],
    seat: int | None = None,
    scale: float = 1.0,
    seconds: float = 1.0,
    counter: Counter = iter,
) -> None:
    """An animated GIF of the states ``numbers``; the last picture stays three times as long.

    Raises
    ------
    ImportError
        Without Pillow.
    NotImplementedError
        For a game without pictures.
    """
    from PIL import Image

    def pixels(number: int) -> np.ndarray:
        return timeline.game.draw(timeline.states[number][0], seat).to_rgb(scale)

    # One palette for all pictures, else colours flicker.
    several = np.vstack([pixels(numbers[at]) for at in (0, len(numbers) // 2, -1)])
    palette = Image.fromarray(several).quantize(_COLOURS, dither=Image.Dither.NONE)

    def pictures() -> Iterator[Any]:
        for number in counter(numbers):
            picture = Image.fromarray(pixels(number))
            yield picture.quantize(palette=palette, dither=Image.Dither.NONE)

    all_pictures = pictures()
    first = next(all_pictures)
    times = [round(seconds * 1000)] * len(numbers)
    times[-1] *= 3
    with whole_file(path) as partial:
        first.save(
            partial,
            format="GIF",
            save_all=True,
            append_images=all_pictures,
            duration=times,
            loop=0,
            optimize=False,
        )


def write_pngs(
    folder: Path,
    timeline: Timeline,
    numbers: Sequence[int],
    seat: int | None = None,
    scale: float = 1.0,
    counter: Counter = iter,
) -> None:
    """``decision_0001.png`` and so on in a folder; the state before that decision.

    They are made beside the folder and moved into it at the end, over those of the same names.
    """
    partial = folder.with_name(f"{folder.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        for number in counter(numbers):
            picture = timeline.game.draw(timeline.states[number][0], seat).to_png(scale)
            (partial / f"decision_{number + 1:04}.png").write_bytes(picture)
        folder.mkdir(exist_ok=True)
        for made in partial.iterdir():
            os.replace(made, folder / made.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
