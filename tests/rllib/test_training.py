"""Training on RLlib: what the learner gets of every game, and whole trainings with local Ray."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

from agents.registry import make_agent
from agents.rllib import RLlibAgent
from jerusalem_env.game import Game
from jerusalem_env.jerusalem.game import JerusalemGame
from tests.rllib.equipment import short_game, watched_game
from training.evaluate import evaluate, play
from training.rllib import command, run
from training.rllib.config import make_config
from training.rllib.game_statistics import GAMES, PAID, TRUNCATED, WINS
from training.rllib.run import Learning, Run, RunError, Scale, checkpoints, cluster

pytestmark = [
    # RLlib registers its wrapper anew with gymnasium for every environment runner of a process.
    pytest.mark.filterwarnings(
        "ignore:.*Overriding environment rllib-multi-agent-env-v0 already in registry:UserWarning"
    ),
    # Ray 2.60 sets deprecated settings of its own when it sends episodes to learners.
    pytest.mark.filterwarnings("ignore:.*is deprecated:DeprecationWarning:ray.data.context"),
]


def runner_of(make_game: Callable[..., Game], **settings: Any) -> MultiAgentEnvRunner:
    """An environment runner in this process; Ray is not started."""
    config = make_config(make_game, settings, env_runners=0, envs_per_runner=4, hidden=(8,))
    return MultiAgentEnvRunner(config=config, worker_index=0)


@pytest.mark.parametrize(
    ("make_game", "settings", "fragment"),
    [
        (short_game, {"players": 2}, 3),
        (short_game, {"players": 4, "reward": "rank"}, 5),
        (short_game, {"players": 3, "reward": "margin"}, 64),
    ],
)
def test_episodes__credit_every_seat_with_its_utility_and_hold_every_decision_once(
    make_game: Callable[..., Game], settings: dict[str, Any], fragment: int
) -> None:
    """P1, where it matters: in what the learner gets, over updates that cut games in parts."""
    runner = runner_of(make_game, **settings)
    agents = runner.env.envs[0].unwrapped.possible_agents
    paid: dict[str, list[float]] = {}
    original = runner._make_on_episode_callback

    def note(which: str, index: int, episodes: Any) -> None:
        if which == "on_episode_end":
            paid[episodes[index].id_] = list(runner.env.envs[index].unwrapped.utilities)
        original(which, index, episodes)

    runner._make_on_episode_callback = note
    credited: dict[str, np.ndarray] = defaultdict(lambda: np.zeros(len(agents)))
    decisions: dict[str, int] = defaultdict(int)
    whole: list[Any] = []
    while len(whole) < 12:
        for part in runner.sample(num_timesteps=4 * fragment):
            for seat, agent in enumerate(agents):
                if agent not in part.agent_episodes:
                    continue
                own = part.agent_episodes[agent]
                credited[part.id_][seat] += float(np.sum(own.get_rewards()))
                actions = own.get_actions()
                decisions[part.id_] += len(actions)
                masks = own.get_observations()["action_mask"][:-1]
                assert (masks[np.arange(len(actions)), actions] == 1).all()  # P3, P4
                assert own.is_terminated == part.is_terminated
                assert not own.is_truncated
            if part.is_done:
                whole.append(part)
    for episode in whole:
        np.testing.assert_allclose(credited[episode.id_], paid[episode.id_], atol=1e-12)
        assert decisions[episode.id_] == episode.env_t
    assert min(np.array(list(paid.values())).min(axis=0)) < 0
    metrics = runner.get_metrics()
    assert metrics[PAID].peek() == metrics[GAMES].peek() >= 12
    assert metrics[TRUNCATED].peek() == 0
    wins = sum(metrics[f"{WINS}/{agent}"].peek() for agent in agents)
    assert wins == pytest.approx(metrics[GAMES].peek())
    runner.stop()


def test_episodes__truncated_by_the_watchdog_are_not_terminated() -> None:
    """P12: RLlib goes on from the value of the last observation there."""
    runner = runner_of(watched_game, players=3, most=40)
    done = [part for part in runner.sample(num_timesteps=600) if part.is_done]
    assert len(done) > 5
    for episode in done:
        assert episode.is_truncated
        assert not episode.is_terminated
        for own in episode.agent_episodes.values():
            assert own.is_truncated
            assert not own.is_terminated
    metrics = runner.get_metrics()
    assert metrics[TRUNCATED].peek() == metrics[PAID].peek() == metrics[GAMES].peek()
    runner.stop()


# --- with local Ray -------------------------------------------------------------------------------
TINY = Learning(steps_per_learner=256, minibatch=64, epochs=2, hidden=(16,))


@pytest.fixture(scope="module")
def ray_here() -> Iterator[None]:
    with cluster(Scale(env_runners=2, learners=2)):
        yield


@pytest.mark.slow
@pytest.mark.parametrize(
    "scale",
    [
        Scale(env_runners=0, envs_per_runner=4),
        Scale(env_runners=2, envs_per_runner=4, learners=2),
    ],
    ids=["in one process", "two runners, two learners"],
)
def test_run__learns_is_saved_resumed_and_plays(
    tmp_path: Path, ray_here: None, scale: Scale
) -> None:
    told: list[str] = []
    training = Run(tmp_path, short_game, {"players": 2}, TINY, scale)
    before = training.arrays()
    assert training.train(minutes=5, iterations=2, tell=told.append)
    after = training.arrays()
    assert any((before[name] != after[name]).any() for name in before if name.startswith("weight"))
    for name in ("mean", "factor"):
        np.testing.assert_array_equal(before[name], after[name])
    agent = RLlibAgent(training.export(), training.game)
    training.stop()
    assert len(told) == 2
    assert "every seat paid in 100.0%" in told[-1]
    history = [json.loads(line) for line in (tmp_path / "history.jsonl").read_text().splitlines()]
    assert [line["number"] for line in history] == [1, 2]
    assert history[-1]["paid"] == 1.0
    assert history[-1]["games"] > 0
    assert sum(history[-1]["wins"]) == pytest.approx(1.0)

    game = short_game()
    states = play(game, [agent], np.zeros((6, 2), np.int64), game.derive_seeds(0, 6, 0))
    assert game.terminated(states).all()

    decisions = training.decisions
    again = Run(tmp_path, short_game, {}, scale=Scale(env_runners=1), resume=True)
    assert again.settings == {"players": 2}
    assert again.learning == TINY
    assert again.decisions == decisions
    for name, array in again.arrays().items():
        np.testing.assert_array_equal(array, after[name])
    again.train(minutes=5, iterations=1, tell=told.append)
    assert again.decisions >= decisions + 256
    again.stop()
    line = json.loads((tmp_path / "history.jsonl").read_text().splitlines()[-1])
    assert line["number"] == 3
    assert line["games"] > history[-1]["games"]
    with pytest.raises(RunError, match="holds a run already"):
        Run(tmp_path, short_game, {"players": 2})
    with pytest.raises(RunError, match="no checkpoint"):
        Run(tmp_path / "other", short_game, {"players": 2}, resume=True)


@pytest.mark.slow
def test_run__stops_after_the_iteration_when_interrupted(tmp_path: Path, ray_here: None) -> None:
    training = Run(tmp_path, short_game, {"players": 2}, TINY, Scale(env_runners=1))
    told: list[str] = []

    def interrupt(text: str) -> None:
        told.append(text)
        if len(told) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    assert threading.current_thread() is threading.main_thread()
    assert training.train(minutes=5, tell=interrupt) is False
    assert signal.getsignal(signal.SIGINT) is before
    training.stop()
    assert any("stopping after this iteration" in text for text in told)
    assert [int(path.name) for path in checkpoints(tmp_path)] == [training.decisions]


def stuck_game(players: int = 2) -> JerusalemGame:
    return _Stuck(players=players)


class _Stuck(JerusalemGame):
    """Fails in the course of every game, past RLlib's check of the environment."""

    def step(self, states: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> int:
        if len(states) == 1 and states["decisions"][0] >= 10:
            raise RuntimeError("a fault of the game")
        return super().step(states, actions, masks)


@pytest.mark.slow
def test_run__gives_up_when_no_runner_plays(
    tmp_path: Path, ray_here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RLlib starts failed runners anew, silently and for ever."""
    monkeypatch.setattr(run, "_PATIENCE", 1)
    training = Run(tmp_path, stuck_game, {}, TINY, Scale(env_runners=1))
    began = time.monotonic()
    with pytest.raises(RunError, match="no environment runner has played"):
        training.train(minutes=5, tell=lambda text: None)
    assert time.monotonic() - began < 200
    training.stop()


@pytest.mark.slow
def test_run__finds_the_winning_moves_of_nim(tmp_path: Path, ray_here: None) -> None:
    """Credit, signs and masks, end to end: a game whose best moves are known."""
    from training.toys import NimGame

    learning = Learning(
        steps_per_learner=1_024, minibatch=256, epochs=8, hidden=(64,), learning_rate=2e-3
    )
    scale = Scale(env_runners=1, envs_per_runner=32)
    training = Run(tmp_path, NimGame, {}, learning, scale)
    training.train(minutes=3, iterations=40, tell=lambda text: None)
    agent = RLlibAgent(training.export(), training.game)
    training.stop()
    game = NimGame()
    states = game.new_states(200)
    masks = np.zeros((200, game.num_actions), np.uint8)
    game.reset(states, game.derive_seeds(9, 200, 0), masks)
    rng = np.random.default_rng(0)
    right = asked = 0
    while (game.to_act(states) >= 0).any():
        running = game.to_act(states) >= 0
        won = game.winning_moves(states).any(axis=1) & running
        best = game.winning_moves(states)
        chosen = np.zeros(200, np.int64)
        chosen[running] = agent.act(game.views(states[running]), masks[running])
        right += int(best[won, chosen[won]].sum())
        asked += int(won.sum())
        legal = np.where(masks.any(axis=1, keepdims=True), masks, 1) / 1.0
        drawn = (legal * rng.random(legal.shape)).argmax(axis=1)
        game.step(states, drawn, masks)
    assert asked > 200
    assert right / asked > 0.9


@pytest.mark.slow
def test_command__trains_and_its_agent_beats_chance(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real game for half a minute: its agent plays in evaluations, not worse than random."""
    out = tmp_path / "run"
    options = ["--players", "2", "--minutes", "0.5", "--out", str(out), "--steps", "2048"]
    assert command.main(options) == 0
    text = capsys.readouterr().out
    assert "every seat paid in 100.0%" in text
    assert f"plays as rllib:{out / 'agent.npz'}" in text
    game = JerusalemGame(players=2)
    agent = make_agent(f"rllib:{out / 'agent.npz'}", game)
    result = evaluate(agent, [make_agent("random")], game, deals=100, seed=0)
    assert result.truncated == 0
    assert result.high > 0.5
    assert command.main([*options, "--players", "9"]) == 2
    assert command.main(options) == 2
    assert "--resume" in capsys.readouterr().err
    assert command.main(["--out", str(out), "--resume", "--learning-rate", "0.1"]) == 2
    assert "--learning-rate cannot change" in capsys.readouterr().err
    assert command.main(["--out", str(tmp_path / "none"), "--resume"]) == 2
    assert "no checkpoint" in capsys.readouterr().err
