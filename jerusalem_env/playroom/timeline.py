"""A game decision by decision: states, actions, words, and what an agent would have done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..chance import derive_seeds
from ..envs.aec import GameAECEnv
from ..envs.opponents import Judgement
from ..game import Game
from ..records import GameRecord, replay

_MOST_SHOWN = 6  # choices of a judgement that are shown


class Timeline:
    """The decisions of a game, first to last, and the state after the last.

    Attributes
    ----------
    game : Game
    states : list of (1,) state_dtype arrays
        ``states[k]`` is the game at decision k; the last one is the game now, or its end.
    actions : list of int
        ``actions[k]`` was taken at ``states[k]``; one fewer than states.
    """

    def __init__(self, game: Game, state: np.ndarray) -> None:
        self.game = game
        self.states: list[np.ndarray] = [state.copy()]
        self.actions: list[int] = []

    def __len__(self) -> int:
        """Decisions taken."""
        return len(self.actions)

    def add(self, action: int, state: np.ndarray) -> None:
        """A decision was taken and led to ``state``, a (1,) array."""
        self.actions.append(int(action))
        self.states.append(state.copy())

    def cut(self, number: int) -> None:
        """Forget all but the first ``number`` decisions."""
        del self.actions[number:]
        del self.states[number + 1 :]

    def over(self, number: int) -> bool:
        """Whether the game has ended at state ``number``, by its end or by the watchdog."""
        state = self.states[number]
        return bool(self.game.terminated(state)[0] or self.game.truncated(state)[0])

    def seat(self, number: int) -> int:
        """The seat of decision ``number``; -1 where the game is over."""
        return -1 if self.over(number) else int(self.game.to_act(self.states[number])[0])

    def mask(self, number: int) -> np.ndarray:
        """(A,) uint8 of the actions that were legal; all 0 once the game is over."""
        masks = np.zeros((1, self.game.num_actions), dtype=np.uint8)
        if not self.over(number):
            self.game.legal(self.states[number], masks)
        return masks[0]

    def name(self, number: int) -> str:
        """The name of the action that was taken."""
        return self.game.action_names[self.actions[number]]

    def lines(self, number: int, seat: int | None = None) -> list[str]:
        """What was done in a decision and what followed, in words, as ``seat`` may know it."""
        before, after = self.states[number][0], self.states[number + 1][0]
        return self.game.narrate(before, self.actions[number], after, seat)

    def judge(self, number: int, agent: Any) -> Judgement:
        """What an agent thinks of a decision, seen from the seat that took it.

        Its chance belongs to the decision: the same whatever it was asked before.
        """
        agent.reset(chance_at(0, number))
        return judged(agent, self.game, self.states[number], self.mask(number))


def chance_at(seed: int, number: int) -> int:
    """The seed of an agent's chance at decision ``number`` of a game."""
    return int(derive_seeds(seed, 1, number)[0])


def judged(agent: Any, game: Game, state: np.ndarray, mask: np.ndarray) -> Judgement:
    """An agent's judgement of one decision; of one that cannot tell, its choice as certain.

    Parameters
    ----------
    agent : Opponent
    state : (1,) state_dtype
    mask : (A,) uint8
        With a legal action.
    """
    views = game.views(state)
    masks = np.ascontiguousarray(mask[None], dtype=np.uint8)
    if hasattr(agent, "judge"):
        found: Judgement = agent.judge(views, masks)
        return found
    chosen = np.zeros((1, game.num_actions))
    chosen[0, int(agent.act(views, masks)[0])] = 1.0
    return Judgement(chosen, None, "")


def likeliest(
    judgement: Judgement, names: Sequence[str], most: int = _MOST_SHOWN
) -> list[tuple[str, float]]:
    """(action name, probability) of the choices that a judgement gives a chance, best first."""
    chances = judgement.probabilities[0]
    order = np.argsort(-chances, kind="stable")[:most]
    return [(names[int(a)], float(chances[a])) for a in order if chances[a] > 0.0]


def timeline_of(record: GameRecord) -> Timeline:
    """A record's game, decision by decision.

    Raises
    ------
    RecordError
        If it does not replay; see ``records.replay``.
    """
    return replayed(record)[1]


def replayed(record: GameRecord) -> tuple[GameAECEnv, Timeline]:
    """A record's environment at its end, and how it got there. Raises RecordError."""
    states: list[np.ndarray] = []
    env = replay(record, lambda env: states.append(env.states.copy()))
    timeline = Timeline(env.game, states[0])
    for name, state in zip(record.actions, states[1:], strict=True):
        timeline.add(env.action_names.index(name), state)
    return env, timeline


def take(env: GameAECEnv, timeline: Timeline, action: int) -> None:
    """Take an action in an environment and add it; an illegal one raises and changes nothing."""
    env.step(action)
    timeline.add(action, env.states)
