"""How far a picture is from another: tolerant of how letters are smoothed, strict about the rest.

Both are shrunk fourfold first, so that a shift by a fraction of a pixel hardly counts.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
SHRINK = 4
MOST_MEAN = 1.0  # mean difference of a colour value, of 255
MOST_AT_ONE_PLACE = 20.0  # difference of a shrunken pixel's worst colour value
MOST_SHARE = 0.002  # of the shrunken pixels may differ by more than half of that


@dataclass(frozen=True)
class Difference:
    """How far two pictures are apart."""

    mean: float
    worst: float
    share: float

    @property
    def small(self) -> bool:
        """Whether nobody would call them different."""
        within = self.worst <= MOST_AT_ONE_PLACE and self.share <= MOST_SHARE
        return within and self.mean <= MOST_MEAN

    def __str__(self) -> str:
        return (
            f"mean difference {self.mean:.3f} (at most {MOST_MEAN}), worst {self.worst:.1f} "
            f"(at most {MOST_AT_ONE_PLACE}), {self.share:.3%} of the places differ by more than "
            f"{MOST_AT_ONE_PLACE / 2} (at most {MOST_SHARE:.1%})"
        )


def shrunk(picture: np.ndarray) -> np.ndarray:
    """(H/4, W/4, 3) means of blocks."""
    height, width = (length // SHRINK * SHRINK for length in picture.shape[:2])
    blocks = picture[:height, :width].reshape(height // SHRINK, SHRINK, width // SHRINK, SHRINK, 3)
    means: np.ndarray = blocks.mean(axis=(1, 3))
    return means


def difference(one: np.ndarray, other: np.ndarray) -> Difference:
    """Between two (H, W, 3) uint8 pictures of the same size."""
    assert one.shape == other.shape, (one.shape, other.shape)
    apart = np.abs(shrunk(one) - shrunk(other))
    worst = apart.max(axis=2)
    return Difference(
        float(apart.mean()), float(worst.max()), float((worst > MOST_AT_ONE_PLACE / 2).mean())
    )


def path_of(name: str) -> Path:
    """The file of a snapshot."""
    return FOLDER / f"{name}.png"


def kept(name: str) -> np.ndarray:
    """The picture that is kept."""
    from PIL import Image

    with Image.open(path_of(name)) as image:
        return np.array(image.convert("RGB"))


def small_png(picture: np.ndarray) -> bytes:
    """A PNG of few colours, as it is kept."""
    from PIL import Image

    image = Image.fromarray(picture).quantize(
        256, method=Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE
    )
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()
