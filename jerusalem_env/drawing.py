"""Pictures as lists of shapes: to SVG, to pixels, to PNG. Knows no game.

A game's ``draw`` gives a ``Drawing``; what stays the same through a whole game is its *backdrop*,
so a frame of a film draws only what changes. Colours are opaque ``"#rrggbb"``, lengths are pixels
of the canvas, y grows downwards. Pixels need Pillow (the extra ``render``); SVG needs nothing.

Every text has a known width (``text_width``), the same in SVG and in pixels, without a font at
hand: the widths are those of Pillow's built-in font, and SVG is told to keep them.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    import numpy as np

Point = tuple[float, float]
Bounds = tuple[float, float, float, float]  # left, top, right, bottom
Anchor = Literal["start", "middle", "end"]
Part = Literal["all", "backdrop", "shapes"]

FONT_STACK = "Aileron, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"

# Advance widths of Pillow's built-in font in thousandths of the size, from the space to the tilde.
_WIDTHS = (
    *(216, 242, 339, 580, 580, 740, 654, 176, 315, 315, 560, 580, 220, 274, 220, 303),
    *(580, 580, 580, 580, 580, 580, 580, 580, 580, 580, 220, 220, 580, 580, 580, 499),
    *(852, 639, 627, 699, 709, 587, 567, 710, 730, 264, 544, 609, 575, 866, 718, 737),
    *(598, 733, 619, 585, 612, 682, 622, 952, 625, 581, 591, 307, 303, 295, 580, 500),
    *(300, 531, 611, 529, 615, 549, 290, 615, 593, 238, 233, 522, 247, 855, 593, 586),
    *(611, 615, 330, 459, 313, 592, 514, 785, 482, 513, 462, 303, 250, 303, 580),
)
_OTHER_WIDTH = 620
_BOLD = 0.03  # a bold letter is wider by this part of the size
ASCENT, DESCENT = 0.76, 0.22  # above and below the baseline, in parts of the size
ELLIPSIS = "…"

_OVERSAMPLE = 2  # each way; pixels are averages of so many samples
_FINE_LINE = 3  # in fine pixels
_ROUND_STEPS = 6  # straight pieces of a rounded corner


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of text in pixels."""
    units = sum(
        _WIDTHS[ord(letter) - 32] if 32 <= ord(letter) < 127 else _OTHER_WIDTH for letter in text
    )
    return size * (units / 1000 + _BOLD * bold * len(text))


def fit_text(
    text: str, size: float, width: float, least: float = 11, bold: bool = False
) -> tuple[str, float]:
    """The text and the size with which it is at most ``width`` wide.

    First the size shrinks, down to ``least``; then the end of the text gives way to an ellipsis.
    """
    full = text_width(text, size, bold)
    if full > width:
        size = max(least, math.floor(2 * size * width / full) / 2)
    if text_width(text, size, bold) <= width:
        return text, size
    while text and text_width(text.rstrip() + ELLIPSIS, size, bold) > width:
        text = text[:-1]
    return text.rstrip() + ELLIPSIS, size


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle, its corners rounded by ``radius``."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1

    def bounds(self) -> Bounds:
        """Smallest upright box around it, the stroke included."""
        half = self.stroke_width / 2 if self.stroke else 0
        return (
            self.x - half,
            self.y - half,
            self.x + self.width + half,
            self.y + self.height + half,
        )

    def corners(self) -> tuple[Point, ...]:
        """Its four corners, clockwise."""
        right, bottom = self.x + self.width, self.y + self.height
        return (self.x, self.y), (right, self.y), (right, bottom), (self.x, bottom)

    def to_svg(self) -> str:
        """The SVG element."""
        rx = f' rx="{_n(self.radius)}"' if self.radius else ""
        return (
            f'<rect x="{_n(self.x)}" y="{_n(self.y)}" width="{_n(self.width)}" '
            f'height="{_n(self.height)}"{rx}{_paint(self.fill, self.stroke, self.stroke_width)}/>'
        )


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around (x, y)."""

    x: float
    y: float
    r: float
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1

    def bounds(self) -> Bounds:
        """Smallest upright box around it, the stroke included."""
        r = self.r + (self.stroke_width / 2 if self.stroke else 0)
        return self.x - r, self.y - r, self.x + r, self.y + r

    def to_svg(self) -> str:
        """The SVG element."""
        paint = _paint(self.fill, self.stroke, self.stroke_width)
        return f'<circle cx="{_n(self.x)}" cy="{_n(self.y)}" r="{_n(self.r)}"{paint}/>'


@dataclass(frozen=True, slots=True)
class Polygon:
    """A closed outline through ``points``, its corners rounded by ``radius``."""

    points: tuple[Point, ...]
    radius: float = 0
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1

    def bounds(self) -> Bounds:
        """Smallest upright box around its points, the stroke included."""
        half = self.stroke_width / 2 if self.stroke else 0
        xs, ys = [x for x, _ in self.points], [y for _, y in self.points]
        return min(xs) - half, min(ys) - half, max(xs) + half, max(ys) + half

    def to_svg(self) -> str:
        """The SVG element."""
        paint = _paint(self.fill, self.stroke, self.stroke_width)
        if self.stroke:
            paint += ' stroke-linejoin="round"'
        if not self.radius:
            points = " ".join(f"{_n(x)},{_n(y)}" for x, y in self.points)
            return f'<polygon points="{points}"{paint}/>'
        pieces: list[str] = []
        for before, corner, after in _rounded_corners(self.points, self.radius):
            begin = "L" if pieces else "M"
            pieces.append(
                f"{begin}{_n(before[0])} {_n(before[1])}"
                f"Q{_n(corner[0])} {_n(corner[1])} {_n(after[0])} {_n(after[1])}"
            )
        return f'<path d="{"".join(pieces)}Z"{paint}/>'


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line; ``dash``: lengths drawn and left out, in turn."""

    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str
    stroke_width: float = 1
    dash: tuple[float, float] | None = None

    def bounds(self) -> Bounds:
        """Smallest upright box around it, the stroke included."""
        half = self.stroke_width / 2
        return (
            min(self.x1, self.x2) - half,
            min(self.y1, self.y2) - half,
            max(self.x1, self.x2) + half,
            max(self.y1, self.y2) + half,
        )

    def pieces(self) -> Iterable[tuple[float, float, float, float]]:
        """The straight pieces that are drawn."""
        if self.dash is None:
            yield self.x1, self.y1, self.x2, self.y2
            return
        on, off = self.dash
        length = math.hypot(self.x2 - self.x1, self.y2 - self.y1)
        at = 0.0
        while at < length:
            a, b = at / length, min(at + on, length) / length
            dx, dy = self.x2 - self.x1, self.y2 - self.y1
            yield self.x1 + a * dx, self.y1 + a * dy, self.x1 + b * dx, self.y1 + b * dy
            at += on + off

    def to_svg(self) -> str:
        """The SVG element."""
        dash = f' stroke-dasharray="{_n(self.dash[0])} {_n(self.dash[1])}"' if self.dash else ""
        return (
            f'<line x1="{_n(self.x1)}" y1="{_n(self.y1)}" x2="{_n(self.x2)}" y2="{_n(self.y2)}"'
            f"{_paint(None, self.stroke, self.stroke_width, line=True)}{dash}/>"
        )


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; y is its baseline, ``anchor`` says which part of it x is."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    anchor: Anchor = "start"
    bold: bool = False

    @property
    def width(self) -> float:
        """In pixels."""
        return text_width(self.text, self.size, self.bold)

    def bounds(self) -> Bounds:
        """The box of the line, from the top of the tallest letter to the foot of the lowest."""
        width = self.width
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return left, self.y - ASCENT * self.size, left + width, self.y + DESCENT * self.size

    def to_svg(self) -> str:
        """The SVG element; any font is fitted to the width that was reckoned with."""
        anchor = f' text-anchor="{self.anchor}"' if self.anchor != "start" else ""
        weight = ' font-weight="bold"' if self.bold else ""
        return (
            f'<text x="{_n(self.x)}" y="{_n(self.y)}" font-size="{_n(self.size)}" '
            f'fill="{self.colour}"{anchor}{weight} textLength="{_n(self.width)}" '
            f'lengthAdjust="spacingAndGlyphs">{_escaped(self.text)}</text>'
        )


Shape = Rect | Circle | Polygon | Line | Text


@dataclass(frozen=True)
class Drawing:
    """A picture.

    Parameters
    ----------
    width, height : int
        Of the canvas, in pixels at scale 1.
    backdrop : sequence of shapes
        What stays the same through a whole game, drawn first.
    shapes : sequence of shapes
        What changes.
    title, description : str
        For those who cannot see the picture; in the SVG document.
    ground : str
        Colour of the empty canvas.
    """

    width: int
    height: int
    backdrop: Sequence[Shape]
    shapes: Sequence[Shape]
    title: str = ""
    description: str = ""
    ground: str = field(default="#ffffff")

    def to_svg(self, part: Part = "all") -> str:
        """The picture as a standalone SVG document, or one part of it as a ``<g>`` element.

        A part fits into any SVG with the view box ``0 0 width height``; the backdrop's part begins
        with the ground.
        """
        if part not in ("all", "backdrop", "shapes"):
            raise ValueError(f"part must be 'all', 'backdrop' or 'shapes', got {part!r}")
        groups = []
        if part != "shapes":
            ground = Rect(0, 0, self.width, self.height, fill=self.ground)
            groups.append(_group("backdrop", [ground, *self.backdrop]))
        if part != "backdrop":
            groups.append(_group("shapes", self.shapes))
        if part != "all":
            return groups[0]
        title = f"<title>{_escaped(self.title)}</title>" if self.title else ""
        desc = f"<desc>{_escaped(self.description)}</desc>" if self.description else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img">{title}{desc}'
            f"{''.join(groups)}</svg>\n"
        )

    def to_rgb(self, scale: float = 1.0) -> np.ndarray:
        """The picture as a fresh (H, W, 3) uint8 array; needs Pillow, and no display."""
        import numpy as np

        return np.array(self._image(scale))

    def to_png(self, scale: float = 1.0) -> bytes:
        """The picture as a PNG file; needs Pillow, and no display."""
        file = io.BytesIO()
        self._image(scale).save(file, "PNG")
        return file.getvalue()

    def _image(self, scale: float) -> Any:
        if not scale > 0:
            raise ValueError(f"scale must be positive, got {scale!r}")
        size = (max(1, round(self.width * scale)), max(1, round(self.height * scale)))
        fine = scale * _OVERSAMPLE
        image = _backdrop_image(size, fine, self.ground, tuple(self.backdrop)).copy()
        _rasterise(image, self.shapes, fine)
        return image.reduce(_OVERSAMPLE)


# --- SVG ------------------------------------------------------------------------------------------
def _n(value: float) -> str:
    """A number with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _escaped(text: str) -> str:
    """The text as XML; what XML cannot hold is left out."""
    return escape("".join(c for c in text if c >= " " or c in "\n\t"))


def _paint(fill: str | None, stroke: str | None, width: float, line: bool = False) -> str:
    parts = "" if line else f' fill="{fill or "none"}"'
    if stroke:
        parts += f' stroke="{stroke}"'
        if width != 1:
            parts += f' stroke-width="{_n(width)}"'
    return parts


def _group(name: str, shapes: Iterable[Shape]) -> str:
    inside = "".join(shape.to_svg() for shape in shapes)
    return f'<g class="{name}" font-family="{FONT_STACK}">{inside}</g>'


def _rounded_corners(
    points: Sequence[Point], radius: float
) -> Iterable[tuple[Point, Point, Point]]:
    """For each corner: where the rounding begins, the corner itself, where the rounding ends."""
    for index, corner in enumerate(points):
        ends = []
        for other in (points[index - 1], points[(index + 1) % len(points)]):
            length = math.hypot(other[0] - corner[0], other[1] - corner[1])
            part = min(radius / length, 0.5) if length else 0.0
            ends.append(
                (
                    corner[0] + part * (other[0] - corner[0]),
                    corner[1] + part * (other[1] - corner[1]),
                )
            )
        yield ends[0], corner, ends[1]


# --- pixels ---------------------------------------------------------------------------------------
def _pillow() -> tuple[Any, Any, Any]:
    """Pillow's modules Image, ImageDraw, ImageFont; ImportError says what to install."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise ImportError(
            "pictures in pixels need Pillow: pip install 'jerusalem-env[render]'"
        ) from error
    return Image, ImageDraw, ImageFont


@lru_cache(maxsize=128)
def _font(size: int) -> Any:
    """Pillow's built-in font; without complex layout, which not every Pillow has."""
    image_font = _pillow()[2]
    return image_font.load_default(size).font_variant(layout_engine=image_font.Layout.BASIC)


@lru_cache(maxsize=4)
def _backdrop_image(
    size: tuple[int, int], fine: float, ground: str, backdrop: tuple[Shape, ...]
) -> Any:
    """The backdrop with ``_OVERSAMPLE`` times the pixels each way; callers copy it."""
    image = _pillow()[0].new("RGB", (size[0] * _OVERSAMPLE, size[1] * _OVERSAMPLE), ground)
    _rasterise(image, backdrop, fine)
    return image


def _outline(points: Sequence[Point], radius: float) -> list[Point]:
    """The points of an outline with its corners rounded, as SVG's quadratic curves are."""
    if not radius:
        return list(points)
    found = []
    for (ax, ay), (bx, by), (cx, cy) in _rounded_corners(points, radius):
        for step in range(_ROUND_STEPS + 1):
            t = step / _ROUND_STEPS
            u, v, w = (1 - t) ** 2, 2 * t * (1 - t), t * t
            found.append((u * ax + v * bx + w * cx, u * ay + v * by + w * cy))
    return found


def _rasterise(image: Any, shapes: Iterable[Shape], fine: float) -> None:
    """Draw shapes on an image with ``fine`` pixels to a unit."""
    draw = _pillow()[1].Draw(image)
    for shape in shapes:
        if isinstance(shape, Text):
            _draw_text(image, shape, fine)
        elif isinstance(shape, Rect):
            half = 0.5  # Pillow counts the last pixel in
            left, top = shape.x * fine, shape.y * fine
            right, bottom = left + shape.width * fine - half, top + shape.height * fine - half
            grow = shape.stroke_width * fine / 2 if shape.stroke else 0
            draw.rounded_rectangle(
                (left - grow, top - grow, max(right + grow, left), max(bottom + grow, top)),
                radius=shape.radius * fine + (grow if shape.radius else 0),
                fill=shape.fill,
                outline=shape.stroke,
                width=max(1, round(shape.stroke_width * fine)) if shape.stroke else 0,
            )
        elif isinstance(shape, Circle):
            r = (shape.r + (shape.stroke_width / 2 if shape.stroke else 0)) * fine
            x, y = shape.x * fine, shape.y * fine
            draw.ellipse(
                (x - r, y - r, x + r - 0.5, y + r - 0.5),
                fill=shape.fill,
                outline=shape.stroke,
                width=max(1, round(shape.stroke_width * fine)) if shape.stroke else 0,
            )
        elif isinstance(shape, Polygon):
            points = [(x * fine, y * fine) for x, y in _outline(shape.points, shape.radius)]
            if shape.fill:
                draw.polygon(points, fill=shape.fill)
            if shape.stroke:
                width = max(1, round(shape.stroke_width * fine))
                joint = "curve" if width > _FINE_LINE else None  # slow, and unseen in fine lines
                draw.line([*points, *points[:2]], fill=shape.stroke, width=width, joint=joint)
        else:
            width = max(1, round(shape.stroke_width * fine))
            for x1, y1, x2, y2 in shape.pieces():
                ends = (x1 * fine, y1 * fine, x2 * fine, y2 * fine)
                draw.line(ends, fill=shape.stroke, width=width)


@lru_cache(maxsize=1024)
def _text_mask(text: str, size: int, bold: bool) -> tuple[Any, int, int]:
    """A line of text as a grey image; and where its upper left lies from the line's beginning.

    Bold is the plain letter with a pen's width around it, spaced as wide as it was reckoned.
    """
    image, image_draw, _ = _pillow()
    font, pad = _font(size), 2 + size // 8
    width = math.ceil(1.1 * text_width(text, size, bold)) + 2 * pad
    mask = image.new("L", (width, 2 * size), 0)
    draw, base = image_draw.Draw(mask), round(size * 1.25)
    if bold:
        pen, at = max(1, round(size / 30)), pad + _BOLD * size / 2
        for letter in text:
            draw.text((at, base), letter, 255, font, anchor="ls", stroke_width=pen)
            at += text_width(letter, size, bold)
    else:
        draw.text((pad, base), text, 255, font, anchor="ls")
    return mask, -pad, -base


def _draw_text(image: Any, text: Text, fine: float) -> None:
    mask, dx, dy = _text_mask(text.text, max(1, round(text.size * fine)), text.bold)
    left, base = round(text.bounds()[0] * fine), round(text.y * fine)
    image.paste(text.colour, (left + dx, base + dy), mask)
