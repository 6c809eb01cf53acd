"""The card of a trained agent: how it was made and how strong it is, as measured."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..evaluate import EvaluationResult
from ..files import write_json, write_text
from .config import TrainingConfig
from .ppo import SelfPlayPPO


def write_card(
    folder: Path,
    config: TrainingConfig,
    model: SelfPlayPPO,
    made: Sequence[Mapping[str, Any]],
    warm_start: Mapping[str, float],
    results: Sequence[EvaluationResult],
) -> None:
    """Write ``card.md`` for people and ``card.json`` with all settings and figures."""
    seconds = dict(model.seconds)
    write_json(
        folder / "card.json",
        {
            "game": {"name": model.games.game.name, **model.games.game.rules_dict()},
            "information": config.game.information,
            "decisions": model.num_timesteps,
            "games": model.num_games,
            "seconds": {name: round(value, 1) for name, value in seconds.items()},
            "warm_start": dict(warm_start),
            "config": config.to_dict(),
            "provenance": [dict(one) for one in made],
            "evaluation": [result.to_dict() for result in results],
        },
    )
    write_text(folder / "card.md", card_text(config, model, made, warm_start, results))


def card_text(
    config: TrainingConfig,
    model: SelfPlayPPO,
    made: Sequence[Mapping[str, Any]],
    warm_start: Mapping[str, float],
    results: Sequence[EvaluationResult],
) -> str:
    """The card as Markdown."""
    game, network, ppo = config.game, config.network, config.ppo
    weights = sum(parameter.numel() for parameter in model.policy.parameters())
    spent = sum(model.seconds.values())
    code, machine = made[-1]["code"], made[-1]["machine"]
    version = code["version"] + (f", commit {code['commit'][:12]}" if code.get("commit") else "")
    tables = "".join(
        f"- {table.share:.0%} of the games: one learner among {_names(table.bots)}\n"
        for table in config.opponents.tables
    )
    if config.opponents.past > 0:
        tables += f"- {config.opponents.past:.0%}: with past policies in some seats\n"
    own = 1 - config.opponents.past - sum(table.share for table in config.opponents.tables)
    tables += f"- {max(own, 0):.0%}: the present policy in all seats\n"
    imitation = "none"
    begun = config.warm_start.begun_with
    if begun:
        mean = "the mean of the weights of " if len(begun) > 1 else ""
        imitation = f"none, but begun with {mean}{_names(begun)}"
    elif config.warm_start.teacher and config.warm_start.decisions > 0:
        imitation = (
            f"{warm_start.get('decisions', 0) / 1e6:.1f} million decisions of "
            f"`{config.warm_start.teacher}` in all seats"
        )
        if warm_start:
            imitation += (
                f"; agreement {warm_start['agreement']:.1%}, value explained "
                f"{warm_start['value_explained']:.0%}"
            )
    rewards = {"win": config.reward.win, "rank": config.reward.rank, "margin": config.reward.margin}
    paid = " + ".join(f"{weight:g} {name}" for name, weight in rewards.items() if weight)
    rows = "".join(
        f"| {', '.join(result.opponents)} | {result.win_rate:.1%} | {result.low:.1%} to "
        f"{result.high:.1%} | {result.chance:.1%} | {result.mean_rank:.2f} | {result.deals:,} |\n"
        for result in results
    )
    cores = f"{config.run.threads} thread" + ("s" if config.run.threads > 1 else "")
    trained = _paragraph(
        f"MaskablePPO by `jerusalem train`, {model.num_timesteps / 1e6:,.1f} million decisions of "
        f"the learner in {model.num_games:,} games, {spent / 3600:.1f} hours of playing and "
        f"learning on {machine.get('cpu')} ({cores} for the network); version {version}."
    )
    settings = "\n".join(
        _paragraph(text, "- ")
        for text in (
            f"paid: {paid}",
            f"before that, imitation: {imitation}",
            f"network: {weights:,} weights; shared {list(network.shared)}, policy "
            f"{list(network.policy)}, value {list(network.value)}, {model.policy.precision}",
            f"learning rate {ppo.learning_rate:g} falling to {ppo.final_learning_rate:g}, "
            f"{config.games.slots} games of {config.games.ticks} ticks an update, minibatches of "
            f"{ppo.batch_size:,}, {ppo.epochs} epochs, gamma {ppo.gamma:g}, lambda "
            f"{ppo.gae_lambda:g}, clip {ppo.clip_range:g}, entropy {ppo.entropy:g}; seed "
            f"{config.run.seed}",
        )
    )
    rules = f", rules `{game.rules}`" if game.rules else ""
    return f"""# {model.games.game.name}, {game.players} players

`ppo:PATH` for {game.players} players, `information="{game.information}"`{rules}.

## Strength

The policy alone, its likeliest action, no search; every deal played in all seats.

| opponents | win rate | 95 % interval | chance | mean rank | deals |
|---|---:|---:|---:|---:|---:|
{rows}
## How it was trained

{trained}

{tables}
{settings}

All settings, versions and figures: `card.json`.
"""


def _paragraph(text: str, first: str = "") -> str:
    """Wrapped as a paragraph, or as an entry of a list."""
    return textwrap.fill(
        text,
        100,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _names(bots: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in bots)
