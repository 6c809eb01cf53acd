"""The conditions of a report, and their results kept as files, so that none is simulated twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.registry import make_agent
from jerusalem_env import __version__
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.jerusalem.rules.ruleset import RuleSet
from jerusalem_env.kernels import code_digest

from ..files import write_json
from .measures import measure
from .simulate import policy_of, simulate

FORMAT = 1  # to be raised whenever the numbers of a condition change their meaning or their names
FOLDER = "conditions"


@dataclass(frozen=True)
class Plan:
    """What is simulated under every condition.

    Attributes
    ----------
    agent : str
        A name that ``agents.registry.make_agent`` knows.
    games : int
        A condition.
    seed : int
    threads : int
        Changes nothing but the time it takes.
    """

    agent: str
    games: int
    seed: int
    threads: int = 1


@dataclass(frozen=True)
class Condition:
    """One number of players with one income preset, under the default rules otherwise."""

    players: int
    income: str

    @property
    def name(self) -> str:
        """Of its file, and in progress lines."""
        return f"{self.players}_players_{self.income}"

    @property
    def rules(self) -> RuleSet:
        """Its rule set."""
        return RuleSet(players=self.players, income=self.income)


def run_condition(
    condition: Condition,
    plan: Plan,
    out: Path,
    restart: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[dict[str, Any], bool]:
    """A condition's numbers, simulated or from its file in ``out``.

    Parameters
    ----------
    condition : Condition
    plan : Plan
    out : Path
        The report's folder.
    restart : bool
        Simulate even if the file has it.
    progress : callable, optional
        Called with the number of games just finished.

    Returns
    -------
    ({"players", "income", "rules", "numbers"}, whether it was simulated now).

    Raises
    ------
    AgentError, BalanceError
        If the agent does not exist, or cannot play this.
    OSError
        If the file cannot be written.
    """
    game = JerusalemGame(rules=condition.rules, skip_forced=False)
    policy = policy_of(make_agent(plan.agent, game))
    fingerprint = {
        "format": FORMAT,
        "version": __version__,
        "agent": plan.agent,
        # Without it a bot that was changed meanwhile would be taken for what it was.
        "code": code_digest(policy.choose, policy.parameters),
        "rules": condition.rules.to_dict(),
        "games": plan.games,
        "seed": plan.seed,
    }
    path = out / FOLDER / f"{condition.name}.json"
    kept = None if restart else _kept(path, fingerprint)
    numbers = kept
    if numbers is None:
        games = simulate(game, policy, plan.games, plan.seed, plan.threads, progress)
        numbers = measure(games)
        write_json(path, {"fingerprint": fingerprint, "numbers": numbers})
    result = {
        "players": condition.players,
        "income": condition.income,
        "rules": condition.rules.to_dict(),
        "numbers": numbers,
    }
    return result, kept is None


def _kept(path: Path, fingerprint: dict[str, Any]) -> dict[str, Any] | None:
    """The numbers in a file if it has this fingerprint; code without a digest is never the same."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    same = isinstance(content, dict) and content.get("fingerprint") == fingerprint
    if not same or fingerprint["code"] is None or not isinstance(content.get("numbers"), dict):
        return None
    return content["numbers"]
