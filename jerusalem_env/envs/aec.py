"""PettingZoo AEC environment over any ``Game``: a batch of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ..chance import checked_seed
from ..errors import IllegalActionError, NotResetError, PositionError
from ..game import Game
from .legality import action_number, legal_names
from .window import RENDER_FPS, ShowsGame, checked_render_mode, render_modes


class GameAECEnv(ShowsGame, AECEnv):
    """One game, one agent a seat (``player_0`` ...), in PettingZoo's agent-environment cycle.

    Observation
        ``{"observation": float32 (F,), "action_mask": int8 (A,)}``. The mask is all 0 for an agent
        that is not to act and for all once the game is over (P4).
    Action
        ``Discrete(A)``; ``action_names`` gives each its text.
    Reward
        At the end, zero-sum; 0 before.
    Termination, truncation
        All agents terminate together at the end of the game; the watchdog truncates them instead.
    State
        ``state()``: float32 vector of everything, in ``state_space``.
    Rendering
        Everything is shown, hidden things included. ``"ansi"``: ``render`` gives text.
        ``"rgb_array"``: a fresh (H, W, 3) uint8 array, without a display (P23). ``"human"``: a
        window that every ``reset``, ``set_position`` and ``step`` brings up to date. If the user
        closes it, the game goes on, and the next ``reset`` opens it again. A copy has no window
        until its own ``reset`` or ``render`` (P10). Games without pictures have ``"ansi"`` alone.

    Raises
    ------
    IllegalActionError
        By ``step``, for anything that is not a legal action; nothing has changed then.
    NotResetError
        By anything that needs a game before the first ``reset``.
    PositionError
        By ``set_position``; nothing has changed then.
    """

    metadata: dict[str, Any]

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {
            "name": game.name,
            "render_modes": render_modes(game),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self.game = game
        self.render_mode = checked_render_mode(game, render_mode)
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.action_names = game.action_names
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._action_space = {
            agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents
        }
        self._observation_space = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (game.observation_size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.state_space = spaces.Box(0.0, 1.0, (game.state_size,), np.float32)
        self.states = game.new_states(1)
        self._masks = np.zeros((1, game.num_actions), dtype=np.uint8)
        self._actions = np.zeros(1, dtype=np.int64)
        self._seeds = np.zeros(1, dtype=np.uint64)
        self._seats = np.zeros(1, dtype=np.int64)
        self._rng: np.random.Generator | None = None
        self._has_reset = False
        self.game_seed: int | None = None
        self.agents: list[str] = []

    # --- spaces ------------------------------------------------------------------------------
    def observation_space(self, agent: str) -> spaces.Dict:
        """The agent's observation space; the same object at every call."""
        self._seat(agent)
        return self._observation_space[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The agent's action space; the same object at every call."""
        self._seat(agent)
        return self._action_space[agent]

    def _seat(self, agent: Any) -> int:
        """The seat of an agent; ValueError if there is no such agent."""
        if not isinstance(agent, str) or agent not in self._seat_of:
            raise ValueError(
                f"unknown agent {agent!r}; expected one of {', '.join(self.possible_agents)}"
            )
        return self._seat_of[agent]

    # --- the cycle ---------------------------------------------------------------------------
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Parameters
        ----------
        seed : int, optional
            The game seed, 0 <= seed < 2**64: the deal is a function of it alone. Without one, the
            next seed of a private generator, which the last given seed has started, or else
            fresh entropy.
        options : dict, optional
            Not used.
        """
        if seed is not None:
            self.game_seed = checked_seed(seed)
            self._rng = np.random.default_rng(self.game_seed)
        else:
            if self._rng is None:
                self._rng = np.random.default_rng()
            self.game_seed = int(self._rng.integers(0, 2**64, dtype=np.uint64))
        self._seeds[0] = self.game_seed
        self.game.reset(self.states, self._seeds, self._masks)
        self._begin()

    def _begin(self) -> None:
        """Agents, rewards and flags as at the start of an episode."""
        self._has_reset = True
        self._skip_agent_selection = None
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[max(self._to_act(), 0)]
        self._close_if_done()
        if self.render_mode == "human":
            self._show(reopen=True)

    def step(self, action: int | None) -> None:
        """Take the decision of ``agent_selection``."""
        self._require_reset()
        agent = self.agent_selection
        if not self.agents:
            raise NotResetError("the game is over and every agent has left; call reset()")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._actions[0] = self._checked(action)
        self.game.step(self.states, self._actions, self._masks)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        seat = self._to_act()
        if seat >= 0:
            self.agent_selection = self.possible_agents[seat]
        self._close_if_done()
        if self._window is not None:
            self._show()

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, summed reward, terminated, truncated and info of ``agent_selection``."""
        self._require_reset()
        return super().last(observe)

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Yields ``agent_selection`` until every agent has left."""
        self._require_reset()
        return super().agent_iter(max_iter)

    def action_number(self, action: Any) -> int:
        """The action as an int; IllegalActionError if it is not one of the action space."""
        return action_number(action, self.game.num_actions)

    def _checked(self, action: Any) -> int:
        """The action as an int, if it is legal now."""
        number = self.action_number(action)
        if self._masks[0, number] == 0:
            raise IllegalActionError(
                f"action {number} ({self.action_names[number]!r}) is not legal for "
                f"{self.agent_selection} now; {legal_names(self.action_names, self._masks[0])}"
            )
        return number

    def _to_act(self) -> int:
        """The seat that decides, -1 once the game is over."""
        return int(self.game.to_act(self.states)[0])

    def _close_if_done(self) -> None:
        """At the end of the game: rewards for every seat, and the flags."""
        terminated = bool(self.game.terminated(self.states)[0])
        truncated = bool(self.game.truncated(self.states)[0])
        if not terminated and not truncated:
            return
        self._masks[:] = 0
        utilities = self.game.utilities(self.states)[0]
        result = self.game.results(self.states[0]) if terminated else {}
        for seat, agent in enumerate(self.possible_agents):
            self.rewards[agent] = float(utilities[seat])
            self.terminations[agent] = terminated
            self.truncations[agent] = truncated
            self.infos[agent] = dict(result)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What the agent sees now, in fresh arrays (P19)."""
        self._require_reset()
        seat = self._seats[0] = self._seat(agent)
        if seat == self._to_act():
            mask = self._masks[0].astype(np.int8)
        else:
            mask = np.zeros(self.game.num_actions, dtype=np.int8)
        return {"observation": self.game.observe(self.states, self._seats)[0], "action_mask": mask}

    def state(self) -> np.ndarray:
        """Everything, as a fresh float32 vector in ``state_space``."""
        self._require_reset()
        return self.game.state_vectors(self.states)[0]

    def render(self) -> str | np.ndarray | None:
        """The game as text, as a picture, or in the window; see the class."""
        self._require_reset()
        if self.render_mode is None:
            modes = " or ".join(repr(mode) for mode in self.metadata["render_modes"])
            gymnasium.logger.warn(f"render() was called without a render_mode; pass {modes}.")
            return None
        return self._rendered()

    def _seen(self) -> tuple[np.void, int | None]:
        """Everything is shown."""
        return self.states[0], None

    # --- positions ---------------------------------------------------------------------------
    def position(self) -> dict[str, Any]:
        """The complete position as JSON-able values."""
        self._require_reset()
        return self.game.write_position(self.states[0])

    def set_position(self, position: Mapping[str, Any]) -> None:
        """Go on from a position: rewards and flags as at the start of an episode.

        The position brings its own rule set, for as many players as this environment has; the next
        ``reset`` returns to the environment's. A forced decision at hand is left to be asked. What
        a position does not hold starts afresh: the memory of ``information="recall"`` and the
        watchdog's count. A record or a pickle keeps both.
        """
        states = self.game.read_position(position)
        if states["players"][0] != self.game.players:
            raise PositionError(
                f"ruleset.players: this environment seats {self.game.players}, the position "
                f"{states['players'][0]}; make an environment with that many players"
            )
        self.states = states
        self.game_seed = None
        self.game.legal(self.states, self._masks)
        self._begin()

    def _require_reset(self) -> None:
        if not self._has_reset:
            raise NotResetError("call reset() or set_position() first")


class ZeroSumTerminateIllegalWrapper(wrappers.TerminateIllegalWrapper):
    """PettingZoo's wrapper that ends a game at an illegal action, with zero-sum rewards (P12).

    The offender gets -1 and each other 1/(n-1); the game counts as terminated, not truncated.
    """

    _prev_obs: Any

    def step(self, action: Any) -> None:
        """End the game on an illegal action, else step."""
        raw = self.env.unwrapped
        offender, before = self.agent_selection, self._terminated
        super().step(action)
        if self._terminated and not before:
            others = 1.0 / (len(raw.possible_agents) - 1)
            for agent in raw.possible_agents:
                raw.rewards[agent] = -1.0 if agent == offender else others
                raw._cumulative_rewards[agent] = raw.rewards[agent]
                raw.truncations[agent] = False
            raw._masks[:] = 0

    def observe(self, agent: str) -> Any:
        """The observation; the mask that judges the next action is kept apart from it."""
        observation = super().observe(agent)
        if self._prev_obs is observation:
            self._prev_obs = {key: value.copy() for key, value in observation.items()}
        return observation

    def set_position(self, position: Mapping[str, Any]) -> None:
        """Go on from a position; forget the mask and the illegal end of the game before."""
        self.env.set_position(position)
        self._terminated = False
        self._prev_obs = self._prev_info = None


class OutOfBoundsWrapper(wrappers.AssertOutOfBoundsWrapper):
    """PettingZoo's wrapper that refuses what is no action, with ``IllegalActionError``."""

    def step(self, action: Any) -> None:
        """Refuse what is not in the action space; nothing has changed then."""
        raw = self.env.unwrapped
        agent = self.agent_selection
        if not (raw.terminations.get(agent) or raw.truncations.get(agent)):
            action = raw.action_number(action)
        super().step(action)


class PositionOrderWrapper(wrappers.OrderEnforcingWrapper):
    """PettingZoo's wrapper that enforces the order of calls; ``set_position`` begins a game too."""

    def set_position(self, position: Mapping[str, Any]) -> None:
        """Go on from a position, before the first ``reset`` too."""
        self.env.set_position(position)
        self._has_reset = self._has_updated = True

    def __str__(self) -> str:
        return str(self.env)


def wrapped(raw: GameAECEnv) -> AECEnv:
    """A raw environment in PettingZoo's standard wrappers."""
    env: AECEnv = ZeroSumTerminateIllegalWrapper(raw, illegal_reward=-1)
    env = OutOfBoundsWrapper(env)
    return PositionOrderWrapper(env)
