"""Any ``Game`` as a multi-agent environment of RLlib, for its current API stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from jerusalem_env.chance import checked_seed
from jerusalem_env.envs.legality import action_number, legal_names
from jerusalem_env.errors import IllegalActionError, NotResetError
from jerusalem_env.game import Game

_ALL = "__all__"  # RLlib's key for the whole game


class LegalActions(spaces.Discrete):
    """The flat actions; ``sample()`` without a mask draws from those legal now.

    So RLlib's own random play (its environment check, ``sample(random_actions=True)``) is legal.

    Attributes
    ----------
    legal : (A,) int8
        The mask of the decision at hand; all 0 where nothing is known of it.
    """

    def __init__(self, num_actions: int) -> None:
        super().__init__(num_actions)
        self.legal = np.zeros(num_actions, dtype=np.int8)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """A drawn action: by mask or probability if given, else a legal one."""
        if mask is None and probability is None and self.legal.any():
            mask = self.legal
        return super().sample(mask, probability)


class GameMultiAgentEnv(MultiAgentEnv):
    """One game, one agent a seat (``player_0`` ...); a step is a decision of whoever is to act.

    Observation
        ``{"observations": float32 (F,), "action_mask": int8 (A,)}``, given to the seat to act
        alone; at the end every seat gets its last one, with a mask of 0.
    Action
        ``{agent: action}`` of the seat to act.
    Reward
        0 to who has acted or is to act; at the end what ``game.utilities`` says, to every seat
        (P1). RLlib credits it to each seat's own last decision.
    Termination, truncation
        All seats terminate at the end of the game; the watchdog truncates them instead (P12), which
        is said under ``"__all__"``.

    Parameters
    ----------
    config : mapping
        ``make_game``, a callable that can be pickled, and its keyword arguments ``settings``
        (none). RLlib hands over an ``EnvContext``, whose ``worker_index`` goes into the seeds.

    Attributes
    ----------
    utilities, win_shares : (n,) float64
        What the game that ended last has paid, and who has won it; all 0 before.

    Raises
    ------
    IllegalActionError
        By ``step``, for anything but one legal action of the seat to act; nothing has changed then.
    NotResetError
        By ``step`` before the first ``reset`` and after the end of a game.

    Examples
    --------
    >>> from jerusalem_env.jerusalem.game import JerusalemGame
    >>> from training.rllib.environment import GameMultiAgentEnv
    >>> env = GameMultiAgentEnv({"make_game": JerusalemGame, "settings": {"players": 3}})
    >>> observations, infos = env.reset(seed=7)
    >>> len(observations)
    1
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.game: Game = config["make_game"](**config.get("settings", {}))
        game = self.game
        self.possible_agents = [f"player_{seat}" for seat in range(game.players)]
        self.agents = list(self.possible_agents)
        self._actions = LegalActions(game.num_actions)
        seen = spaces.Dict(
            {
                "observations": spaces.Box(0.0, 1.0, (game.observation_size,), np.float32),
                "action_mask": spaces.Box(0, 1, (game.num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.action_spaces = dict.fromkeys(self.possible_agents, self._actions)
        self.states = game.new_states(1)
        self.utilities, self.win_shares = np.zeros((2, game.players))
        self.game_seed: int | None = None
        self._masks = np.zeros((1, game.num_actions), dtype=np.uint8)
        self._worker = int(getattr(config, "worker_index", None) or 0)
        self._rng: np.random.Generator | None = None
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a game; what the seat to act sees.

        Parameters
        ----------
        seed : int, optional
            0 <= seed < 2**64. Starts the generator that game seeds are drawn from, together with
            the number of the worker: RLlib gives place i on worker w the seed ``s + w + i``, the
            same to several places. Without one the generator goes on, or starts from fresh entropy.
        options : dict, optional
            Not used.
        """
        if seed is not None:
            self._rng = np.random.default_rng([checked_seed(seed), self._worker])
            self._actions.seed(int(self._rng.integers(0, 2**31)))
        elif self._rng is None:
            self._rng = np.random.default_rng()
        seeds = self._rng.integers(0, 2**64, size=1, dtype=np.uint64)
        self.game_seed = int(seeds[0])
        self.game.reset(self.states, seeds, self._masks)
        self._running = True
        seat = self._to_act()
        self._actions.legal = self._masks[0].astype(np.int8)
        return {self.possible_agents[seat]: self._seen(seat, self._actions.legal)}, {}

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Take the decision of the seat to act."""
        if not self._running:
            raise NotResetError("no game is running; call reset()")
        agent = self.possible_agents[self._to_act()]
        action = self._checked(agent, action_dict)
        self.game.step(self.states, np.array([action], dtype=np.int64), self._masks)
        terminated = bool(self.game.terminated(self.states)[0])
        truncated = bool(self.game.truncated(self.states)[0])
        if terminated or truncated:
            return self._end(terminated, truncated)
        seat = self._to_act()
        following = self.possible_agents[seat]
        self._actions.legal = self._masks[0].astype(np.int8)
        return (
            {following: self._seen(seat, self._actions.legal)},
            {agent: 0.0, following: 0.0},
            {_ALL: False},
            {_ALL: False},
            {},
        )

    def _end(
        self, terminated: bool, truncated: bool
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """The last step of a game: observation, reward and flags of every seat."""
        self._running = False
        self._masks[:] = 0
        self._actions.legal = np.zeros(self.game.num_actions, dtype=np.int8)
        self.utilities = np.array(self.game.utilities(self.states)[0], dtype=np.float64)
        self.win_shares = self.game.win_shares(self.states)[0]
        seats = dict(enumerate(self.possible_agents))
        return (
            {agent: self._seen(seat, self._actions.legal) for seat, agent in seats.items()},
            {agent: float(self.utilities[seat]) for seat, agent in seats.items()},
            dict.fromkeys((*self.possible_agents, _ALL), terminated),
            # For all at once only: RLlib 2.60 takes a game whose seats are each said to be
            # truncated for terminated, and would not go on from the value of what they see (P12).
            {_ALL: truncated},
            {},
        )

    def _seen(self, seat: int, mask: np.ndarray) -> dict[str, np.ndarray]:
        """What a seat sees, in fresh arrays (P19)."""
        observations = self.game.observe(self.states, np.array([seat], dtype=np.int64))
        return {"observations": observations[0].copy(), "action_mask": mask.copy()}

    def _to_act(self) -> int:
        return int(self.game.to_act(self.states)[0])

    def _checked(self, agent: str, actions: Mapping[str, Any]) -> int:
        """The one action given, if it is legal now."""
        if set(actions) != {agent}:
            given = ", ".join(sorted(map(str, actions))) or "nobody"
            raise IllegalActionError(f"{agent} is to act, and nobody else; {given} did")
        number = action_number(actions[agent], self.game.num_actions)
        if self._masks[0, number] == 0:
            names = self.game.action_names
            raise IllegalActionError(
                f"action {number} ({names[number]!r}) is not legal for {agent} now; "
                f"{legal_names(names, self._masks[0])}"
            )
        return number
