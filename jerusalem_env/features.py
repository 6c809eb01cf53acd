"""Named features: the tables that say what each entry of an observation is.

Each entry is a whole number ``0..cap``; amounts above are clipped. As uint8 it is that number, as
float32 the number divided by its cap, so all lie in [0, 1].
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Feature:
    """A named run of an observation.

    Attributes
    ----------
    name : str
    start, size : int
        The entries ``start .. start + size - 1``.
    labels : tuple of str
        What each entry belongs to (a seat, a card, ...), ``size`` of them.
    cap : int or tuple of int
        The amount that reads as 1.0, for all entries or each.
    unit : str
        What is counted, such as ``cards``; ``flag`` for 0 or 1.
    meaning : str
    """

    name: str
    start: int
    size: int
    labels: tuple[str, ...]
    cap: int | tuple[int, ...]
    unit: str
    meaning: str

    @property
    def slice(self) -> slice:
        """Where the feature stands in the vector."""
        return slice(self.start, self.start + self.size)


class FeatureTable:
    """Collects features one after the other.

    Attributes
    ----------
    features : list of Feature
    size : int
        Entries so far.
    """

    def __init__(self) -> None:
        self.features: list[Feature] = []
        self.size = 0

    def add(
        self,
        name: str,
        labels: list[str] | tuple[str, ...],
        cap: int | tuple[int, ...],
        unit: str,
        meaning: str,
    ) -> None:
        """Put a feature behind those that are there; an entry a label."""
        feature = Feature(name, self.size, len(labels), tuple(labels), cap, unit, meaning)
        self.features.append(feature)
        self.size += feature.size


def pairs(first: list[str] | tuple[str, ...], second: list[str] | tuple[str, ...]) -> list[str]:
    """Labels for every pair, the first changing slowest."""
    return [f"{a}, {b}" for a in first for b in second]


def starts_of(table: tuple[Feature, ...], names_in: tuple[Feature, ...]) -> Any:
    """Where each feature begins, by name: a named tuple of ints is a constant to the compiler.

    Parameters
    ----------
    table : tuple of Feature
    names_in : tuple of Feature
        The longest table. What ``table`` lacks of it begins at its end.
    """
    at = {feature.name: feature.start for feature in table}
    names = [feature.name for feature in names_in]
    make: Any = namedtuple
    return make("Starts", names)(*(at.get(name, size_of(table)) for name in names))


def size_of(table: tuple[Feature, ...]) -> int:
    """Length of the vector that a feature table describes."""
    return table[-1].start + table[-1].size


def caps_of(table: tuple[Feature, ...]) -> np.ndarray:
    """(F,) uint8: the amount that reads as 1.0, entry by entry."""
    caps = [np.broadcast_to(np.array(feature.cap, np.uint8), feature.size) for feature in table]
    return np.concatenate(caps)


def scale_of(table: tuple[Feature, ...]) -> np.ndarray:
    """(F,) float32: what a uint8 observation is multiplied by to give the float32 one, exactly."""
    return np.float32(1.0) / caps_of(table).astype(np.float32)
