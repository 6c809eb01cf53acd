"""One seat against bots: a batch of such tables, and a gymnasium environment that is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces

from ..chance import sample_legal
from ..errors import IllegalActionError, NotResetError, is_integer
from ..game import Game
from .legality import action_number


class Opponent(Protocol):
    """What plays a seat: chooses from views and masks, never from states."""

    def reset(self, seed: int) -> None:
        """Restart its own randomness."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """(B,) actions for (B,) views with (B, A) masks."""


class UniformOpponent:
    """Plays uniformly drawn legal actions."""

    name = "random"

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Restart its own randomness."""
        self._rng = np.random.default_rng(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Uniform over the legal actions."""
        return sample_legal(masks, self._rng)


class SoloTables:
    """Tables at which one seat, the learner's, is the caller's and bots play the others.

    Each new game seats the learner anew, uniformly unless ``seat`` is fixed, and draws a bot for
    every other seat (P21). Finished games are dealt anew at once, and the bots play until the
    learner is to act.

    Parameters
    ----------
    game : Game
    num_tables : int
    opponents : sequence of Opponent
        Drawn from, uniformly and independently, for each other seat of each new game.
    seat : int, optional
        The learner's seat in every game; by default drawn for each game.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        opponents: Sequence[Opponent] | None = None,
        seat: int | None = None,
    ) -> None:
        if seat is not None and not is_integer(seat, 0, game.players - 1):
            raise ValueError(f"seat must be 0..{game.players - 1} or None, got {seat!r}")
        if not is_integer(num_tables, 1, 2**31 - 1):
            raise ValueError(f"the number of tables must be a positive integer, got {num_tables!r}")
        self.game = game
        self.num_tables = num_tables
        self.opponents: list[Opponent] = _checked_opponents(opponents)
        self.seat = seat
        self.states = game.new_states(num_tables)
        self.masks = np.zeros((num_tables, game.num_actions), dtype=np.uint8)
        self.seats = np.zeros(num_tables, dtype=np.int64)  # the learner's
        self._players = np.zeros((num_tables, game.players), dtype=np.int64)  # opponent by seat
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Deal every table and play up to the learner's first decisions."""
        self._rng = np.random.default_rng(seed)
        for index, opponent in enumerate(self.opponents):
            opponent.reset(int(self._rng.integers(0, 2**63)) + index)
        self.deal(np.arange(self.num_tables))
        self.play_bots()

    def next_seed(self) -> int:
        """A seed for another ``reset``, from the tables' own generator."""
        return int(self._rng.integers(0, 2**63))

    def deal(self, tables: np.ndarray) -> None:
        """New games at some tables, with new seats; the bots have not played yet."""
        seeds = self._rng.integers(0, 2**64, size=len(tables), dtype=np.uint64)
        states, masks = self.states[tables], self.masks[tables]
        self.game.reset(states, seeds, masks)
        self.states[tables], self.masks[tables] = states, masks
        drawn = self._rng.integers(0, self.game.players, size=len(tables))
        self.seats[tables] = drawn if self.seat is None else self.seat
        self._players[tables] = self._rng.integers(
            0, len(self.opponents), size=(len(tables), self.game.players)
        )

    def done(self) -> np.ndarray:
        """(B,) bool: terminated or truncated."""
        return self.game.terminated(self.states) | self.game.truncated(self.states)

    def play_bots(self) -> None:
        """Bots decide until, at every table, the learner is to act or the game is done."""
        waiting = self._waiting(np.arange(self.num_tables))
        while len(waiting):
            states, masks = self.states[waiting], self.masks[waiting]
            to_act = np.asarray(self.game.to_act(states), dtype=np.int64)
            bots = self._players[waiting, to_act]
            views = self.game.views(states)
            actions = np.empty(len(waiting), dtype=np.int64)
            for index in np.unique(bots):
                rows = bots == index
                actions[rows] = self.opponents[index].act(views[rows], masks[rows])
            wrong = self.game.step(states, actions, masks)
            if wrong >= 0:
                raise IllegalActionError(
                    f"opponent {bots[wrong]} chose action {actions[wrong]}, which is not legal; "
                    "an opponent must choose from its mask"
                )
            self.states[waiting], self.masks[waiting] = states, masks
            waiting = self._waiting(waiting)

    def _waiting(self, tables: np.ndarray) -> np.ndarray:
        """Those of the tables where a bot is to act."""
        states = self.states[tables]
        done = self.game.terminated(states) | self.game.truncated(states)
        return tables[~done & (self.game.to_act(states) != self.seats[tables])]

    def decide(self, actions: np.ndarray) -> int:
        """The learner's decisions at all tables; -1, or the first table with an illegal one."""
        return self.game.step(self.states, actions, self.masks)

    def rewards(self) -> np.ndarray:
        """(B,) float64: the learner's utility where the game is over, else 0."""
        return self.game.utilities(self.states)[np.arange(self.num_tables), self.seats]

    def observations(self) -> np.ndarray:
        """(B, F) float32: what the learner sees."""
        return self.game.observe(self.states, self.seats)


def _checked_opponents(opponents: Sequence[Opponent] | None) -> list[Opponent]:
    """The opponents as a list; uniformly random ones by default."""
    if opponents is None:
        return [UniformOpponent()]
    for opponent in opponents:
        if not (hasattr(opponent, "act") and hasattr(opponent, "reset")):
            raise ValueError(
                f"an opponent needs act(views, masks) and reset(seed), got {opponent!r}; an agent "
                "by name comes from agents.registry.make_agent"
            )
    if not opponents:
        raise ValueError("opponents must hold at least one; leave it out for random ones")
    return list(opponents)


class SoloEnv(gymnasium.Env):
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

    Parameters
    ----------
    game : Game
    opponents : sequence of Opponent, optional
        Uniformly random bots unless given.
    seat : int, optional
        The learner's seat; by default drawn for each game.
    illegal : "lose" or "raise"
    render_mode : None or "ansi"
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Opponent] | None = None,
        seat: int | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        if illegal not in ("lose", "raise"):
            raise ValueError(f"illegal must be 'lose' or 'raise', got {illegal!r}")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"unknown render_mode {render_mode!r}; expected None or 'ansi'")
        self.game = game
        self.action_names = game.action_names
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, (game.observation_size,), np.float32)
        self.action_space = spaces.Discrete(game.num_actions)
        self._illegal = illegal
        self._tables = SoloTables(game, 1, opponents, seat)
        self._running = False
        self._has_reset = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new game; the bots play up to the learner's first decision."""
        super().reset(seed=seed)
        self._tables.reset(int(self.np_random.integers(0, 2**63)))
        while self._tables.done()[0]:  # a game without a decision for the learner
            self._tables.deal(np.arange(1))
            self._tables.play_bots()
        self._running = self._has_reset = True
        return self._tables.observations()[0], self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The learner's decision, and the bots' up to his next."""
        if not self._running:
            raise NotResetError("the episode is over or has not begun; call reset()")
        number = action_number(action, self.game.num_actions)
        wrong = self._tables.decide(np.array([number], dtype=np.int64))
        if wrong >= 0:
            if self._illegal == "raise":
                raise IllegalActionError(
                    f"action {number} ({self.action_names[number]!r}) is not legal now; "
                    "choose one of action_masks()"
                )
            self._running = False
            info = {**self._info(), "illegal_action": number}
            return self._tables.observations()[0], -1.0, True, False, info
        self._tables.play_bots()
        terminated = bool(self.game.terminated(self._tables.states)[0])
        truncated = bool(self.game.truncated(self._tables.states)[0])
        self._running = not (terminated or truncated)
        reward = float(self._tables.rewards()[0])
        return self._tables.observations()[0], reward, terminated, truncated, self._info()

    def action_masks(self) -> np.ndarray:
        """(A,) bool: the legal actions, under the name that sb3-contrib looks for."""
        return self._tables.masks[0].astype(np.bool_)

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._tables.masks[0].astype(np.int8),
            "seat": int(self._tables.seats[0]),
        }

    def render(self) -> str | None:
        """The board as the learner sees it."""
        if not self._has_reset:
            raise NotResetError("call reset() first")
        if self.render_mode is None:
            return None
        return self.game.render_text(self._tables.states[0], int(self._tables.seats[0]))
