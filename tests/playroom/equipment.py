"""Games to look at: played by fast bots, with nothing to wait for."""

from __future__ import annotations

from functools import cache

import numpy as np

from agents.registry import make_agent
from jerusalem_env import jerusalem_v0
from jerusalem_env.playroom.session import Session
from jerusalem_env.playroom.timeline import Timeline, timeline_of
from jerusalem_env.records import GameRecord, record_game


@cache
def played_record(players: int = 4, seed: int = 5, agent: str = "random") -> GameRecord:
    """A whole game of an agent against itself."""
    env = jerusalem_v0.raw_env(players=players)
    bot = make_agent(agent, env.game)
    bot.reset(seed)

    def choose(env: jerusalem_v0.raw_env) -> int:
        mask = env.observe(env.agent_selection)["action_mask"]
        return int(bot.act(env.game.views(env.states), mask[None].astype("u1"))[0])

    return record_game(env, choose, seed=seed)


@cache
def played(players: int = 4, seed: int = 5, agent: str = "random") -> Timeline:
    """The same game, decision by decision; not to be changed."""
    return timeline_of(played_record(players, seed, agent))


def first_legal(session: Session) -> str:
    """The name of the first legal action that does something: ``pass`` only where it must be."""
    mask = session.timeline.mask(len(session.timeline))
    legal = [session.game.action_names[action] for action in np.flatnonzero(mask)]
    return next((name for name in legal if name != "pass"), "pass")
