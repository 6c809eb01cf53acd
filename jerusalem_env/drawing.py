"""Pictures as lists of shapes: to pixels and to SVG. Knows no game."""

from __future__ import annotations


class Drawing:
    """Shapes on a canvas."""
