"""How pictures are judged: room for every text, contrast, colours for eyes of all kinds."""

from __future__ import annotations

from functools import cache

import numpy as np

from jerusalem_env.drawing import Bounds, Circle, Drawing, Line, Rect, Shape, Text

READABLE = 4.5  # WCAG 2, level AA


def inside(inner: Bounds, outer: Bounds, slack: float = 0.01) -> bool:
    return (
        inner[0] >= outer[0] - slack
        and inner[1] >= outer[1] - slack
        and inner[2] <= outer[2] + slack
        and inner[3] <= outer[3] + slack
    )


def overlapping(bounds: list[Bounds]) -> list[tuple[int, int]]:
    """Pairs of boxes that overlap."""
    left, top, right, bottom = np.array(bounds).T
    across = (left[:, None] < right) & (left < right[:, None])
    down = (top[:, None] < bottom) & (top < bottom[:, None])
    return [(int(a), int(b)) for a, b in np.argwhere(across & down) if a < b]


def covers(shape: Shape, x: float, y: float) -> bool:
    """Whether a filled shape lies under a point."""
    if isinstance(shape, (Line, Text)) or shape.fill is None:
        return False
    if isinstance(shape, Circle):
        return (x - shape.x) ** 2 + (y - shape.y) ** 2 <= shape.r**2
    if isinstance(shape, Rect):
        return shape.x <= x <= shape.x + shape.width and shape.y <= y <= shape.y + shape.height
    within = False
    for (ax, ay), (bx, by) in zip(shape.points, shape.points[1:] + shape.points[:1], strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            within = not within
    return within


@cache
def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(colour))


def linear(colour: str) -> np.ndarray:
    """(3,) linear red, green, blue of ``#rrggbb``."""
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio of WCAG 2, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def check_looks(drawing: Drawing, smallest: float) -> None:
    """Nothing off the canvas, no text on another or covered, every text readable."""
    shapes = [
        Rect(0, 0, drawing.width, drawing.height, fill=drawing.ground),
        *drawing.backdrop,
        *drawing.shapes,
    ]
    bounds = [shape.bounds() for shape in shapes]
    edges = np.array(bounds)
    assert (edges[:, :2] >= -0.01).all()
    assert (edges[:, 2:] <= (drawing.width + 0.01, drawing.height + 0.01)).all()
    texts = [(index, shape) for index, shape in enumerate(shapes) if isinstance(shape, Text)]
    assert [
        (texts[one][1], texts[other][1])
        for one, other in overlapping([bounds[index] for index, _ in texts])
    ] == []
    for index, text in texts:
        left, top, right, bottom = bounds[index]
        assert text.size >= smallest, text
        assert text.text.strip(), text
        y = (top + bottom) / 2
        for x in (left + 1, (left + right) / 2, right - 1):
            near = (edges[:, :2] <= (x, y)).all(axis=1) & (edges[:, 2:] >= (x, y)).all(axis=1)
            under = [int(at) for at in np.flatnonzero(near) if covers(shapes[at], x, y)]
            assert under[-1] < index, (text, shapes[under[-1]])  # nothing covers it
            ground = shapes[under[-1]]
            assert not isinstance(ground, (Line, Text))
            assert ground.fill is not None
            assert contrast(text.colour, ground.fill) >= READABLE, (text, ground)


def texts_of(drawing: Drawing) -> list[str]:
    return [shape.text for shape in (*drawing.backdrop, *drawing.shapes) if isinstance(shape, Text)]


# --- eyes of all kinds ----------------------------------------------------------------------------
# Machado, Oliveira and Fernandes 2009, severity 1, on linear colours.
EYES = {
    "usual": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
APART = 25  # in CIELAB; 2 can just be told apart side by side


def lab(colour: np.ndarray) -> np.ndarray:
    """CIELAB of a linear colour."""
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    t = to_xyz @ np.clip(colour, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
