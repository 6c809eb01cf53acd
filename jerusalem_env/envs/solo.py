"""One seat against bots as a gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from ..errors import NotResetError
from ..game import Game
from .legality import action_number
from .opponents import Opponent
from .tables import Tables
from .window import RENDER_FPS, ShowsGame, checked_render_mode, render_modes


def observation_space(game: Game, dtype: str = "float32") -> spaces.Box:
    """The Box of one observation: [0, 1] as float32, 0 to each entry's cap as uint8."""
    if dtype == "uint8":
        return spaces.Box(
            np.zeros_like(game.observation_caps), game.observation_caps, dtype=np.uint8
        )
    return spaces.Box(0.0, 1.0, (game.observation_size,), np.float32)


class SoloEnv(ShowsGame, gymnasium.Env):
    """One seat against bots, as a gymnasium environment.

    Observation
        Box (F,) float32 in [0, 1]; the mask is in ``info["action_mask"]`` (int8) and
        ``action_masks()`` (bool).
    Action
        Discrete(A).
    Reward
        The learner's utility at the end, 0 before.
    Termination
        At the end of the game; the watchdog truncates. By default an illegal action loses: the
        episode ends with reward -1 and ``info["illegal_action"]`` (``illegal="raise"`` raises
        instead and changes nothing).
    State
        ``reset(seed=...)`` deals the game of table 0 of ``Tables`` with a seed drawn from it.

    Parameters
    ----------
    game : Game
    opponents : str, Opponent or a sequence of them, optional
        Names such as ``"greedy"``, or objects; uniformly random bots unless given. For each other
        seat of each game one is drawn.
    seat : int, optional
        The learner's seat; by default drawn for each game.
    illegal : "lose" or "raise"
    render_mode : None, "ansi", "rgb_array" or "human"
        What is shown is what the learner's seat sees: text, a (H, W, 3) uint8 array, or a window
        that every ``reset`` and ``step`` brings up to date. Games without pictures have "ansi"
        alone. A copy has no window until its own ``reset`` or ``render``.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: Game,
        opponents: str | Opponent | Sequence[str | Opponent] | None = None,
        seat: int | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        if illegal not in ("lose", "raise"):
            raise ValueError(f"illegal must be 'lose' or 'raise', got {illegal!r}")
        self.metadata = {"render_modes": render_modes(game), "render_fps": RENDER_FPS}
        self.game = game
        self.action_names = game.action_names
        self.render_mode = checked_render_mode(game, render_mode)
        self.observation_space = observation_space(game)
        self.action_space = spaces.Discrete(game.num_actions)
        self._tables = Tables(
            game, 1, opponents, seat, illegal_loses=illegal == "lose", autoreset=False
        )
        self._running = False
        self._has_reset = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new game; the bots play up to the learner's first decision."""
        super().reset(seed=seed)
        self._tables.reset(int(self.np_random.integers(0, 2**63)))
        self._running = self._has_reset = True
        if self.render_mode == "human":
            self._show(reopen=True)
        return self._tables.observations[0].copy(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The learner's decision, and the bots' up to his next."""
        if not self._running:
            raise NotResetError("the episode is over or has not begun; call reset()")
        number = action_number(action, self.game.num_actions)
        tables = self._tables
        tables.step(np.array([number], dtype=np.int64))
        terminated, truncated = bool(tables.arrays.terminated[0]), bool(tables.arrays.truncated[0])
        self._running = not (terminated or truncated)
        info = self._info()
        if tables.arrays.faults[0]:
            info["illegal_action"] = number
        reward = float(tables.arrays.rewards[0])
        if self._window is not None:
            self._show()
        return tables.observations[0].copy(), reward, terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """(A,) bool: the legal actions, under the name that sb3-contrib looks for."""
        return self._tables.masks[0].astype(np.bool_)

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._tables.masks[0].astype(np.int8),
            "seat": int(self._tables.seats[0]),
        }

    def render(self) -> Any:
        """The game as the learner sees it: as text, as a picture, or in the window."""
        if not self._has_reset:
            raise NotResetError("call reset() first")
        if self.render_mode is None:
            return None
        return self._rendered()

    def _seen(self) -> tuple[np.void, int | None]:
        """The game and who looks at it."""
        return self._tables.states[0], int(self._tables.seats[0])
