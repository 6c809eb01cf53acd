"""Minari datasets: an episode is what the environment showed one seat, asked and paid."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import minari
import numpy as np
import pytest

from jerusalem_env import RuleSet
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.record.equipment import SHORT, env_of
from training.record import ParquetRows, RecordingError, command, read_about
from training.record.minari_dataset import MinariEpisodes, write_minari
from training.record.sources import played_pieces, seat_agents

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Minari looks for datasets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return tmp_path / "datasets"


def recorded(
    game: JerusalemGame, agents: list[str], games: int, name: str = "ours/some-v0", **options: Any
) -> minari.MinariDataset:
    seated, names = seat_agents(game, agents)
    write_minari(name, game, names, played_pieces(game, seated, games, seed=3), **options)
    return minari.load_dataset(name)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_minari__episodes_are_what_the_environment_shows_each_seat(players: int) -> None:
    """Seat by seat: so no episode has anything of another seat's view."""
    game = JerusalemGame(players, reward="rank")
    dataset = recorded(game, ["greedy", "random"], 2)
    about = list(dataset.storage.get_episode_metadata(range(dataset.total_episodes)))
    games: dict[int, dict[int, Any]] = defaultdict(dict)
    seeds = {}
    for told, episode in zip(about, dataset.iterate_episodes(), strict=True):
        assert told["agent"] in ("greedy", "random")
        assert (episode.infos["seat"] == told["seat"]).all()
        games[told["game"]][told["seat"]] = episode
        seeds[told["game"]] = told["seed"]
    assert sorted(games) == [0, 1]
    for number, episodes in games.items():
        env = env_of(game)
        env.reset(seed=seeds[number])
        taken = [0] * players
        while not env.terminations["player_0"]:
            seat = int(env.agent_selection.removeprefix("player_"))
            episode, step = episodes[seat], taken[seat]
            seen = env.observe(env.agent_selection)
            np.testing.assert_array_equal(episode.observations[step], seen["observation"])
            np.testing.assert_array_equal(episode.infos["action_mask"][step], seen["action_mask"])
            env.step(int(episode.actions[step]))
            taken[seat] += 1
        for seat, episode in episodes.items():
            agent = f"player_{seat}"
            assert len(episode) == taken[seat]
            last = env.observe(agent)["observation"]
            np.testing.assert_array_equal(episode.observations[-1], last)
            assert len(episode.observations) == len(episode) + 1
            assert not episode.infos["action_mask"][-1].any()
            assert episode.rewards.tolist() == [0.0] * (len(episode) - 1) + [env.rewards[agent]]
            assert episode.terminations.tolist() == [False] * (len(episode) - 1) + [True]
            assert not episode.truncations.any()
        assert sum(x.rewards.sum() for x in episodes.values()) == pytest.approx(0.0)
        assert sorted(episodes) == list(range(players))


def test_minari__fits_the_environment_it_names() -> None:
    game = JerusalemGame(3, "french")
    dataset = recorded(game, ["greedy", "random"], 2)
    env = dataset.recover_environment()
    assert env.spec is not None
    assert env.spec.id == "Jerusalem-v0"
    assert env.spec.kwargs == {
        "players": 3,
        "rules": "french",
        "information": "screen",
        "reward": "win",
        "opponents": ["greedy", "random"],
    }
    assert env.unwrapped.game.rules_dict() == game.rules_dict()  # type: ignore[attr-defined]
    for space, ours in (
        (env.observation_space, dataset.observation_space),
        (env.action_space, dataset.action_space),
    ):
        assert space == ours
    for episode in dataset.iterate_episodes():
        assert all(dataset.observation_space.contains(seen) for seen in episode.observations)
        assert all(dataset.action_space.contains(action) for action in episode.actions)


def test_minari__names_no_environment_that_would_be_another() -> None:
    """Of one's own rules, or with forced decisions asked."""
    assert recorded(JerusalemGame(rules=SHORT[2]), ["random"], 1).env_spec is None
    asked = JerusalemGame(2, skip_forced=False)
    assert recorded(asked, ["random"], 1, "asked-v1").env_spec is None


def test_minari__one_learner_alone() -> None:
    game = JerusalemGame(2)
    dataset = recorded(game, ["greedy", "random"], 3, learner="greedy")
    about = list(dataset.storage.get_episode_metadata(range(3)))
    assert [told["agent"] for told in about] == ["greedy"] * 3
    assert {told["seat"] for told in about} == {0, 1}
    assert dataset.total_episodes == 3
    assert dataset.env_spec is not None
    assert dataset.env_spec.kwargs["opponents"] == ["random"]
    assert dataset.storage.metadata["algorithm_name"] == "greedy"


def test_minari__does_not_depend_on_pieces(datasets: Path) -> None:
    game = JerusalemGame(rules=SHORT[2])
    seated, names = seat_agents(game, ["greedy", "random"])
    for rows, name in ((1, "one-v0"), (10_000, "two-v0")):
        write_minari(name, game, names, played_pieces(game, seated, 5, 2, rows=rows))
    one, two = minari.load_dataset("one-v0"), minari.load_dataset("two-v0")
    assert one.total_steps == two.total_steps == sum(len(episode) for episode in one)
    for first, second in zip(one, two, strict=True):
        np.testing.assert_array_equal(first.observations, second.observations)
        np.testing.assert_array_equal(first.actions, second.actions)
    assert one.storage.metadata["dataset_size"] > 0


def test_minari__an_interruption_leaves_nothing(datasets: Path) -> None:
    game = JerusalemGame(rules=SHORT[2])
    seated, names = seat_agents(game, ["random"])

    def interrupted() -> Any:
        yield from played_pieces(game, seated, 1, 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_minari("some-v0", game, names, interrupted())
    assert os.listdir(datasets) == []
    recorded(game, ["random"], 1, "some-v0")
    with pytest.raises(KeyboardInterrupt):
        write_minari("some-v0", game, names, interrupted(), overwrite=True)
    assert minari.load_dataset("some-v0").total_episodes == 2
    assert os.listdir(datasets) == ["some-v0"]


def test_minari__nothing_is_overwritten_unasked() -> None:
    game = JerusalemGame(rules=SHORT[2])
    recorded(game, ["random"], 1)
    with pytest.raises(RecordingError, match="ours/some-v0 is there already"):
        recorded(game, ["random"], 1)
    assert recorded(game, ["random"], 2, overwrite=True).total_episodes == 4
    assert recorded(game, ["random"], 1, "ours/other-v0").total_episodes == 2


@pytest.mark.parametrize("name", ["", "nameless", "a b-v0", "../up-v0", "some-v"])
def test_minari__wrong_names_are_refused(name: str) -> None:
    with pytest.raises(RecordingError, match="is no name for a Minari dataset"):
        MinariEpisodes(name, JerusalemGame(2), ["random"] * 2)


def test_minari__a_learner_must_be_at_the_table() -> None:
    with pytest.raises(RecordingError, match="no agent is called 'expert'; at the table: random"):
        MinariEpisodes("some-v0", JerusalemGame(2), ["random"] * 2, learner="expert")


def test_minari__the_command_writes_both(datasets: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    options = ["random", "--players", "2", "--games", "2", "--threads", "1", "--out", str(path)]
    assert command.main([*options, "--minari", "ours/both-v0"]) == 0
    assert path.exists()
    dataset = minari.load_dataset("ours/both-v0")
    assert dataset.total_episodes == 4
    assert isinstance(dataset.action_space, gymnasium.spaces.Discrete)
    assert command.main([*options, "--minari", "ours/both-v0"]) == 2  # the file is there
    assert command.main([*options, "--minari", "ours/both-v0", "--force"]) == 0
    assert JerusalemGame(rules=RuleSet(players=2)).rules_dict() == JerusalemGame(2).rules_dict()


def _both(tmp_path: Path, games: int) -> list[str]:
    """The command that replaces a file and a dataset."""
    path = str(tmp_path / "games.parquet")
    options = ["random", "--players", "2", "--games", str(games), "--threads", "1", "--force"]
    return [*options, "--out", path, "--minari", "ours/both-v0"]


def _left(tmp_path: Path, datasets: Path) -> tuple[int, int]:
    """Games of the file and episodes of the dataset; nothing else is there."""
    assert sorted(os.listdir(tmp_path)) == ["datasets", "games.parquet"]
    assert os.listdir(datasets) == ["ours"]
    assert sorted(os.listdir(datasets / "ours")) == ["both-v0", "namespace_metadata.json"]
    dataset = minari.load_dataset("ours/both-v0")
    return read_about(tmp_path / "games.parquet")["games"], dataset.total_episodes


def _failing(function: Any, fails: Callable[..., bool], error: BaseException) -> Any:
    def failing(*arguments: Any, **options: Any) -> Any:
        if fails(*arguments):
            raise error
        return function(*arguments, **options)

    return failing


_FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize("error", [_FULL, KeyboardInterrupt()])
@pytest.mark.parametrize(
    ("part", "step"),
    [(ParquetRows, "finish"), (MinariEpisodes, "finish"), (ParquetRows, "put_in_place")],
)
def test_minari__neither_is_there_unless_both_are_finished(
    part: type,
    step: str,
    error: BaseException,
    datasets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(_both(tmp_path, 1)) == 0
    monkeypatch.setattr(part, step, _failing(None, lambda *_: True, error))
    assert command.main(_both(tmp_path, 3)) == (2 if error is _FULL else 130)
    assert "nothing was written" in capsys.readouterr().err
    assert _left(tmp_path, datasets) == (1, 2)


@pytest.mark.parametrize("error", [_FULL, KeyboardInterrupt()])
@pytest.mark.parametrize("move", [1, 2])
def test_minari__what_cannot_be_replaced_stays(
    move: int,
    error: BaseException,
    datasets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whichever move of a folder fails: the old one aside, or the new one to its place."""
    assert command.main(_both(tmp_path, 1)) == 0
    capsys.readouterr()
    moves = []

    def fails(old: Path, new: Path) -> bool:
        if Path(old).is_dir():
            moves.append(old)
        return Path(old).is_dir() and len(moves) == move

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _failing(os.replace, fails, error))
        assert command.main(_both(tmp_path, 3)) == (2 if error is _FULL else 130)
    told = capsys.readouterr().err
    assert f"written: {tmp_path / 'games.parquet'}: 3 games" in told
    assert "both-v0" not in told.split("written: ")[1]
    assert _left(tmp_path, datasets) == (3, 2)


def test_minari__tells_where_the_old_dataset_is_if_it_cannot_be_moved_back(
    datasets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = JerusalemGame(rules=SHORT[2])
    recorded(game, ["random"], 1, "some-v0")

    def fails(old: Path, new: Path) -> bool:
        return Path(new) == datasets / "some-v0"

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", _failing(os.replace, fails, _FULL))
        with pytest.raises(RecordingError, match="could not be moved back") as caught:
            recorded(game, ["random"], 2, "some-v0", overwrite=True)
    (kept,) = os.listdir(datasets)
    assert str(caught.value).endswith(f"it lies in {datasets / kept}")
    os.replace(datasets / kept, datasets / "some-v0")
    assert minari.load_dataset("some-v0").total_episodes == 2


def test_minari__tells_where_what_was_replaced_is_if_it_cannot_be_deleted(
    datasets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(_both(tmp_path, 1)) == 0

    def fails(path: Path) -> bool:
        return str(path).endswith(".replaced")

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", _failing(shutil.rmtree, fails, _FULL))
        assert command.main(_both(tmp_path, 3)) == 2
    (left,) = datasets.glob(".*")
    told = capsys.readouterr().err
    assert f"what is left of it lies in {left}; written: {tmp_path / 'games.parquet'}" in told
    assert minari.load_dataset("ours/both-v0").total_episodes == 6
    shutil.rmtree(left)
    assert _left(tmp_path, datasets) == (3, 6)
