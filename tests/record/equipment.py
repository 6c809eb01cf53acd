"""What the tests of recordings share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from agents.base import Agent
from jerusalem_env import RuleSet, jerusalem_v0
from jerusalem_env.envs.aec import GameAECEnv
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.records import GameRecord

SHORT = {players: RuleSet(players=players, rounds=2) for players in (2, 3, 4)}


class Called:
    """An agent without its compiled policy, so that it has to be asked."""

    def __init__(self, agent: Agent, name: str = "called") -> None:
        self._agent, self.name = agent, name

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return self._agent.act(views, masks)


def table_of(batches: Iterable[Any]) -> pa.Table:
    return pa.Table.from_batches(list(batches))


def plain_rows(batches: Iterable[Any]) -> list[dict[str, Any]]:
    """Rows as Python values, whatever the dictionaries of the batches."""
    return [row for batch in batches for row in batch.to_pylist()]


def plain_table(batches: Iterable[Any]) -> pa.Table:
    """One table of plain values, whatever the dictionaries of the batches."""
    table = table_of(batches).combine_chunks()
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pa.string()))
    return table.combine_chunks()


def env_of(game: JerusalemGame) -> GameAECEnv:
    return jerusalem_v0.raw_env(
        rules=game.rules,
        information=game.information,
        reward=game.reward,
        skip_forced=game.skip_forced,
    )


def records_of(game: JerusalemGame, rows: list[dict[str, Any]]) -> list[GameRecord]:
    """Game records with the actions of rows."""
    records = []
    for number in sorted({row["game"] for row in rows}):
        own = [row for row in rows if row["game"] == number]
        env = env_of(game)
        env.reset(seed=own[0]["game_seed"])
        for row in own:
            env.step(row["action"])
        over = game.terminated(env.states)[0]
        records.append(
            GameRecord(
                game=game.name,
                ruleset=game.rules_dict(),
                skip_forced=game.skip_forced,
                seed=own[0]["game_seed"],
                start=None,
                actions=tuple(row["action_name"] for row in own),
                result=game.results(env.states[0]) if over else None,
            )
        )
    return records
