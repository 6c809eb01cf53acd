"""One experiment's settings: sections of named values from TOML (or JSON), with defaults.

``training/configs/`` holds what a game sets for itself: ``GAME.toml`` for all numbers of players,
``GAME_PLAYERS.toml`` for one, GAME being its name without the version; both may be missing. A file
given to ``jerusalem train`` says only what differs, and ``--set section.name=value`` changes single
values. Agents (teacher, opponents, tables of evaluation) are those of the game that is played.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

from jerusalem_env.errors import GameError
from jerusalem_env.games import (
    USUAL_GAME,
    counts_text,
    game_name,
    player_counts,
    short_name,
    usual_players,
    usual_rules,
)

CONFIGS = Path(__file__).parents[1] / "configs"


class ConfigError(ValueError):
    """A config that cannot be read, or a setting that is unknown or out of range."""


@dataclass(frozen=True)
class GameSettings:
    """What is played."""

    name: str = USUAL_GAME  # the version may be left out
    players: int = 4
    rules: str = ""  # a preset; empty: the game's usual one
    information: str = "screen"


@dataclass(frozen=True)
class RunSettings:
    """How long, and where."""

    decisions: int = 100_000_000  # of the learner, imitation not counted
    seed: int = 0
    device: str = "auto"  # "auto" takes a GPU if there is one
    threads: int = 1  # torch's; two are slower than one as soon as anything else runs


@dataclass(frozen=True)
class GamesSettings:
    """The batch that is learned from."""

    slots: int = 512  # games at once
    ticks: int = 256  # decisions in each game between updates
    threads: int = 0  # for scripted bots, 0: all cores; changes nothing but the time


@dataclass(frozen=True)
class RewardSettings:
    """What seats are paid: weights of the game's rewards (``win``, ``rank``, ``margin``)."""

    win: float = 1.0
    rank: float = 0.0
    margin: float = 0.5


@dataclass(frozen=True)
class NetworkSettings:
    """Widths of layers; ``precision``: float32, bfloat16, or auto, what the machine is fast in."""

    shared: tuple[int, ...] = (512,)
    policy: tuple[int, ...] = (512,)
    value: tuple[int, ...] = (256,)
    precision: str = "auto"


@dataclass(frozen=True)
class PPOSettings:
    """The arguments of ``MaskablePPO``; the learning rate falls linearly to its final value."""

    learning_rate: float = 2e-4
    final_learning_rate: float = 5e-5
    batch_size: int = 4096
    epochs: int = 3
    gamma: float = 1.0
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    entropy: float = 0.003
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    target_kl: float = 0.0  # 0: no early stop


@dataclass(frozen=True)
class WarmStartSettings:
    """What the policy begins with: another agent, the mean of several, or imitation of a bot.

    Without a teacher, or with 0 decisions, there is no imitation.
    """

    agent: str = ""  # path of an agent.zip with the same network
    mean_of: tuple[str, ...] = ()  # or of several, whose weights are averaged
    teacher: str = ""
    decisions: int = 8_000_000
    learning_rate: float = 1e-3
    batch_size: int = 2048
    learner_share: float = (
        0.0  # of the games that the policy plays, the teacher telling what it would
    )

    @property
    def begun_with(self) -> tuple[str, ...]:
        """Paths of the agents whose weights, averaged, a training begins with."""
        return self.mean_of or ((self.agent,) if self.agent else ())


@dataclass(frozen=True)
class TableSettings:
    """A share of the games with one learner among bots drawn from these."""

    share: float
    bots: tuple[str, ...]


@dataclass(frozen=True)
class OpponentSettings:
    """Shares of the games that are not played by the present policy alone."""

    past: float = 0.1  # with past policies in some seats
    past_kept: int = 8
    past_every: int = 4_000_000  # decisions between two that are kept
    tables: tuple[TableSettings, ...] = ()


@dataclass(frozen=True)
class CheckpointSettings:
    """How often the run is saved, and how many of these are kept."""

    minutes: float = 5.0
    kept: int = 2


@dataclass(frozen=True)
class EvaluationSettings:
    """Tables at which the agent is measured: while training, and at the end."""

    minutes: float = 20.0  # 0: only at the end
    deals: int = 100
    final_deals: int = 2_000
    tables: tuple[tuple[str, ...], ...] = (("random",),)  # one name: in all other seats
    seed: int = 1_000_003


@dataclass(frozen=True)
class TrainingConfig:
    """All settings of a training."""

    game: GameSettings = field(default_factory=GameSettings)
    run: RunSettings = field(default_factory=RunSettings)
    games: GamesSettings = field(default_factory=GamesSettings)
    reward: RewardSettings = field(default_factory=RewardSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    ppo: PPOSettings = field(default_factory=PPOSettings)
    warm_start: WarmStartSettings = field(default_factory=WarmStartSettings)
    opponents: OpponentSettings = field(default_factory=OpponentSettings)
    checkpoints: CheckpointSettings = field(default_factory=CheckpointSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able values, section by section."""
        content: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return content


def read_config(
    path: Path | None = None,
    players: int | None = None,
    changes: Sequence[str] = (),
    game: str | None = None,
) -> TrainingConfig:
    """The defaults of the game and number of players, the file's settings, then single changes.

    Parameters
    ----------
    path : Path, optional
        TOML, or JSON if its name ends so.
    players : int, optional
        Overrules the file's; the game's usual number if neither says.
    changes : sequence of "section.name=value"
        Values as TOML has them; a word needs no quotes.
    game : str, optional
        Overrules the file's; the first game if neither says.

    Raises
    ------
    ConfigError
        Naming the file, section and setting, what was given and what was expected.
    """
    given = _read(path) if path is not None else {}
    chosen = _changes(changes)
    for content in (chosen, given):
        section = content.get("game")
        if isinstance(section, Mapping):
            players = section.get("players") if players is None else players
            game = section.get("name") if game is None else game
    game = _full_name(USUAL_GAME if game is None else game)
    players = usual_players(game) if players is None else players
    _check_players(game, players)
    merged: dict[str, Any] = {}
    names = (short_name(game), f"{short_name(game)}_{players}")
    defaults = [CONFIGS / f"{name}.toml" for name in names]
    own = [_read(path) for path in defaults if path.is_file()]
    for content in (*own, given, chosen, {"game": {"name": game, "players": players}}):
        for name, section in content.items():
            if not isinstance(section, Mapping):
                raise ConfigError(f"{name}: expected a section with settings, got {section!r}")
            merged[name] = {**merged.get(name, {}), **section}
    return config_of(merged, str(path or "the settings"))


def config_of(content: Mapping[str, Any], source: str = "the config") -> TrainingConfig:
    """A config from sections of values; what is missing has its default. Raises ConfigError."""
    sections = get_type_hints(TrainingConfig)
    unknown = set(content) - set(sections)
    if unknown:
        raise ConfigError(
            f"{source}: unknown section {sorted(unknown)[0]!r}; expected one of {list(sections)}"
        )
    made = {name: _section(sections[name], values, name) for name, values in content.items()}
    config = _settled(TrainingConfig(**made))
    _check(config)
    return config


def _settled(config: TrainingConfig) -> TrainingConfig:
    """With the full name of its game, and the rules named. Raises ConfigError."""
    name = _full_name(config.game.name)
    rules = config.game.rules or usual_rules(name) or ""
    return dataclasses.replace(
        config, game=dataclasses.replace(config.game, name=name, rules=rules)
    )


def _full_name(name: Any) -> str:
    """A game's name with its version. Raises ConfigError."""
    try:
        return game_name(name)
    except (GameError, TypeError) as error:
        raise ConfigError(f"game.name: {error}") from error


def _check_players(game: str, players: Any) -> None:
    """Raises ConfigError for a number of players that the game cannot have."""
    counts = player_counts(game)
    if counts and players not in counts:
        raise ConfigError(f"game.players must be {counts_text(counts)}, got {players!r}")


def _section(kind: Any, values: Any, name: str) -> Any:
    """A settings dataclass from a mapping."""
    if not isinstance(values, Mapping):
        raise ConfigError(f"{name}: expected settings, got {values!r}")
    kinds = get_type_hints(kind)
    unknown = set(values) - set(kinds)
    if unknown:
        raise ConfigError(
            f"{name}: unknown setting {sorted(unknown)[0]!r}; expected one of {list(kinds)}"
        )
    try:
        return kind(**{key: _value(kinds[key], x, f"{name}.{key}") for key, x in values.items()})
    except TypeError as error:  # a table without share or bots
        raise ConfigError(f"{name}: {error}") from error


def _value(kind: Any, value: Any, name: str) -> Any:
    """A value of the type that a setting has."""
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind is str and isinstance(value, str):
        return value
    arguments = getattr(kind, "__args__", ())
    if arguments and isinstance(value, list | tuple):
        return tuple(_value(arguments[0], one, name) for one in value)
    if dataclasses.is_dataclass(kind):
        return _section(kind, value, name)
    expected = getattr(kind, "__name__", str(kind)) if not arguments else "a list"
    raise ConfigError(f"{name}: expected {expected}, got {value!r}")


def _check(config: TrainingConfig) -> None:
    """Ranges."""

    def need(right: bool, name: str, expected: str, value: Any) -> None:
        if not right:
            raise ConfigError(f"{name} must be {expected}, got {value!r}")

    _check_players(config.game.name, config.game.players)
    for name, value in (
        ("run.decisions", config.run.decisions),
        ("run.threads", config.run.threads),
        ("games.slots", config.games.slots),
        ("games.ticks", config.games.ticks),
        ("warm_start.batch_size", config.warm_start.batch_size),
        ("ppo.epochs", config.ppo.epochs),
        ("opponents.past_every", config.opponents.past_every),
        ("checkpoints.kept", config.checkpoints.kept),
    ):
        need(value >= 1, name, "at least 1", value)
    for name, seed in (("run.seed", config.run.seed), ("evaluation.seed", config.evaluation.seed)):
        need(0 <= seed < 2**64, name, "0..2**64 - 1", seed)
    for table in config.opponents.tables:
        need(bool(table.bots), "a table of opponents", "with at least one bot", table.bots)
    need(
        config.opponents.past_kept >= 2,
        "opponents.past_kept",
        "at least 2",
        config.opponents.past_kept,
    )
    need(config.ppo.batch_size >= 2, "ppo.batch_size", "at least 2", config.ppo.batch_size)
    for name, amount in (
        ("ppo.learning_rate", config.ppo.learning_rate),
        ("ppo.clip_range", config.ppo.clip_range),
        ("ppo.max_grad_norm", config.ppo.max_grad_norm),
        ("warm_start.learning_rate", config.warm_start.learning_rate),
    ):
        need(amount > 0, name, "above 0", amount)
    for name, amount in (
        ("ppo.final_learning_rate", config.ppo.final_learning_rate),
        ("ppo.entropy", config.ppo.entropy),
        ("games.threads", config.games.threads),
        ("ppo.value_weight", config.ppo.value_weight),
        ("ppo.target_kl", config.ppo.target_kl),
        ("warm_start.decisions", config.warm_start.decisions),
        ("checkpoints.minutes", config.checkpoints.minutes),
        ("evaluation.minutes", config.evaluation.minutes),
    ):
        need(amount >= 0, name, "0 or more", amount)
    need(
        not (config.warm_start.agent and config.warm_start.mean_of),
        "warm_start.mean_of",
        "empty beside warm_start.agent",
        config.warm_start.mean_of,
    )
    share = config.warm_start.learner_share
    need(0 <= share <= 1, "warm_start.learner_share", "in [0, 1]", share)
    need(0 < config.ppo.gamma <= 1, "ppo.gamma", "in (0, 1]", config.ppo.gamma)
    need(0 <= config.ppo.gae_lambda <= 1, "ppo.gae_lambda", "in [0, 1]", config.ppo.gae_lambda)
    need(
        config.network.precision in ("auto", "float32", "bfloat16"),
        "network.precision",
        "auto, float32 or bfloat16",
        config.network.precision,
    )
    for name, widths in (
        ("shared", config.network.shared),
        ("policy", config.network.policy),
        ("value", config.network.value),
    ):
        need(all(width >= 1 for width in widths), f"network.{name}", "widths above 0", widths)
    need(bool(config.network.shared), "network.shared", "at least one width", ())
    shares = [table.share for table in config.opponents.tables] + [config.opponents.past]
    need(
        min(shares) >= 0 and sum(shares) <= 1 + 1e-9,
        "the shares of opponents",
        "0 or more each and 1 at most in all",
        shares,
    )
    need(
        any((config.reward.win, config.reward.rank, config.reward.margin)),
        "reward",
        "other than 0 in at least one weight",
        dataclasses.astuple(config.reward),
    )
    need(config.evaluation.deals >= 2, "evaluation.deals", "at least 2", config.evaluation.deals)
    need(
        config.evaluation.final_deals >= 2,
        "evaluation.final_deals",
        "at least 2",
        config.evaluation.final_deals,
    )
    others = (1, config.game.players - 1)
    for names in config.evaluation.tables:
        need(len(names) in others, "a table of evaluation", f"of 1 or {others[1]} names", names)


def _read(path: Path) -> dict[str, Any]:
    """A file's sections."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the config {path}: {error}") from error
    try:
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:  # of both kinds
        raise ConfigError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: expected sections, got {type(content).__name__}")
    return content


def _changes(changes: Sequence[str]) -> dict[str, Any]:
    """Sections from ``section.name=value``."""
    content: dict[str, Any] = {}
    for change in changes:
        name, equals, value = change.partition("=")
        section, dot, key = name.strip().partition(".")
        if not equals or not dot or not key:
            raise ConfigError(f"expected section.name=value, got {change!r}")
        try:
            read = tomllib.loads(f"x = {value}")["x"]
        except tomllib.TOMLDecodeError:
            read = value.strip()
        content.setdefault(section, {})[key] = read
    return content
