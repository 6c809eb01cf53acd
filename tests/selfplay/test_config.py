"""Configs: defaults, files, single changes, and what is said about wrong ones."""

from __future__ import annotations

import json

import pytest

from training.selfplay.config import (
    ConfigError,
    TableSettings,
    TrainingConfig,
    config_of,
    read_config,
)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_defaults__exist_for_every_number_of_players(players):
    config = read_config(players=players)
    assert config.game.players == players
    assert config_of(config.to_dict()) == config


def test_layers__file_over_defaults_and_changes_over_the_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("[ppo]\nlearning_rate = 1e-5\nepochs = 7\n[game]\nplayers = 3\n")
    config = read_config(path, changes=["ppo.epochs=1", "warm_start.teacher=greedy"])
    assert (config.ppo.learning_rate, config.ppo.epochs) == (1e-5, 1)
    assert config.game.players == 3
    assert config.warm_start.teacher == "greedy"
    assert config.ppo.clip_range == TrainingConfig().ppo.clip_range


def test_tables__of_opponents_from_toml(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[opponents]\npast = 0.0\n[[opponents.tables]]\nshare = 0.5\nbots = ["random", "greedy"]\n'
    )
    assert read_config(path).opponents.tables == (TableSettings(0.5, ("random", "greedy")),)


def test_json__of_a_run_is_a_config_too(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(read_config(players=2).to_dict()))
    assert read_config(path) == read_config(players=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[pppo]\nepochs = 1\n", "unknown section 'pppo'"),
        ("[ppo]\nepoch = 1\n", "ppo: unknown setting 'epoch'; expected one of"),
        ("[ppo]\nepochs = 1.5\n", "ppo.epochs: expected int, got 1.5"),
        ("[ppo]\nepochs = true\n", "ppo.epochs: expected int"),
        ("[ppo]\nlearning_rate = 'high'\n", "ppo.learning_rate: expected float"),
        ("[ppo]\nlearning_rate = 0\n", "ppo.learning_rate must be above 0"),
        ("[network]\nshared = 512\n", "network.shared: expected a list"),
        ("[network]\nshared = []\n", "network.shared must be at least one width"),
        ("[network]\nprecision = 'float16'\n", "auto, float32 or bfloat16"),
        ("[game]\nplayers = 5\n", "2, 3 or 4"),
        ("[opponents]\npast = 0.9\n", "1 at most in all"),
        ("[opponents]\ntables = [{share = 0.1}]\n", "bots"),
        ("[reward]\nwin = 0\nmargin = 0\n", "reward must be"),
        ("[evaluation]\ntables = [['expert', 'greedy']]\n", "1 or 3 names"),
        ("ppo = 3\n", "expected a section"),
        ("[ppo\n", "mine.toml"),
    ],
)
def test_errors__say_what_and_where(tmp_path, text, message):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_config(path)


@pytest.mark.parametrize("change", ["epochs=1", "ppo.epochs", "ppo.=1"])
def test_changes__have_a_section_a_name_and_a_value(change):
    with pytest.raises(ConfigError, match=r"section\.name=value"):
        read_config(changes=[change])


def test_missing_file__is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the config"):
        read_config(tmp_path / "none.toml")
