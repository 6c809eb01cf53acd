"""What environments show to people: render modes, and a window of pygame's for "human"."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from ..game import Game

RENDER_FPS = 4  # decisions a second that a person can follow


def render_modes(game: Game) -> list[str]:
    """Modes that a game can be shown in: with pictures only if it draws them."""
    if type(game).draw is Game.draw:
        return ["ansi"]
    return ["ansi", "rgb_array", "human"]


def checked_render_mode(game: Game, render_mode: str | None) -> str | None:
    """The mode, if the game has it; ValueError says which it has."""
    modes = render_modes(game)
    if render_mode is None or render_mode in modes:
        return render_mode
    why = ""
    if render_mode in ("rgb_array", "human"):
        why = f" ({game.name} has no pictures: it does not define Game.draw)"
    raise ValueError(
        f"unknown render_mode {render_mode!r}; expected None or one of {', '.join(modes)}{why}"
    )


class Window:
    """A window that shows frames; it opens with the first.

    pygame has one window a process: where several of these are in use, each takes it over when it
    shows something. A window that the user has closed stays closed until ``reopen``.
    """

    _showing: Window | None = None  # whose frame pygame's window has

    def __init__(self, title: str) -> None:
        self.title = title
        self.closed_by_user = False
        self._screen: Any = None
        self._clock: Any = None

    def reopen(self) -> None:
        """Show the next frame even if the user has closed the window."""
        self.closed_by_user = False

    def show(self, frame: np.ndarray, fps: float = 0) -> None:
        """Show an (H, W, 3) uint8 picture, at most ``fps`` a second (0: no limit).

        Raises
        ------
        ImportError
            Without pygame.
        RuntimeError
            Without a display.
        """
        if self.closed_by_user:
            return
        pygame = _pygame()
        height, width = frame.shape[:2]
        if Window._showing is not self or self._screen.get_size() != (width, height):
            self._open(pygame, width, height)
        picture = pygame.image.frombuffer(np.ascontiguousarray(frame), (width, height), "RGB")
        self._screen.blit(picture, (0, 0))
        pygame.display.flip()
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.close()
                self.closed_by_user = True
                return
        if fps:
            self._clock.tick(fps)

    def _open(self, pygame: Any, width: int, height: int) -> None:
        asked = os.environ.get("SDL_VIDEODRIVER")
        why = ""
        try:
            pygame.display.init()
            self._screen = pygame.display.set_mode((width, height))
            # Where there is no display SDL draws into memory; nobody would see that.
            if not asked and pygame.display.get_driver() in ("offscreen", "dummy"):
                why = "SDL found none"
        except pygame.error as error:
            why = str(error)
        if why:
            pygame.display.quit()
            Window._showing = None
            raise RuntimeError(
                f'render_mode="human" needs a display ({why}); use "rgb_array" or "ansi", or set '
                "SDL_VIDEODRIVER=dummy to run without one"
            )
        pygame.display.set_caption(self.title)
        self._clock = pygame.time.Clock()
        Window._showing = self

    def close(self) -> None:
        """Close the window if it shows this one's frame."""
        if Window._showing is self:
            _pygame().display.quit()
            Window._showing = None
        self._screen = self._clock = None

    def __getstate__(self) -> dict[str, Any]:
        """A copy has no window yet (P10)."""
        return {**self.__dict__, "_screen": None, "_clock": None}


class ShowsGame:
    """What the environments that can be looked at have in common.

    They have ``game``, ``render_mode`` and ``metadata``, and say in ``_seen`` what is looked at.
    """

    game: Game
    render_mode: str | None
    metadata: dict[str, Any]
    _window: Window | None = None

    def _seen(self) -> tuple[np.void, int | None]:
        """The state that is shown, and the seat that looks; None: everything."""
        raise NotImplementedError

    def _rendered(self) -> str | np.ndarray | None:
        """Text, a picture, or None once the window shows it: as the mode is."""
        if self.render_mode == "ansi":
            return self.game.render_text(*self._seen())
        if self.render_mode == "rgb_array":
            return self.game.draw(*self._seen()).to_rgb()
        self._show()
        return None

    def _show(self, reopen: bool = False) -> None:
        """Bring the window up to date."""
        if self._window is None:
            self._window = Window(self.game.name)
        if reopen:
            self._window.reopen()
        if not self._window.closed_by_user:
            picture = self.game.draw(*self._seen())
            self._window.show(picture.to_rgb(), self.metadata["render_fps"])

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        """What a copy or a pickle holds: all but the window (P10)."""
        return {**self.__dict__, "_window": None}


def _pygame() -> Any:
    """The module, without its greeting and the warnings of its own imports."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pygame
    except ImportError as error:
        raise ImportError(
            "render_mode=\"human\" needs pygame: pip install 'jerusalem-env[render]'"
        ) from error
    return pygame
