"""Training: the same from the same seed, exact after a resume, and no global generator touched."""

from __future__ import annotations

import json
import os
import random

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.learned import PPOAgent
from agents.network import best_precision
from agents.registry import make_agent
from jerusalem_env.jerusalem.game import JerusalemGame
from training.checkpoint_folders import complete_checkpoints as checkpoints
from training.checkpoint_folders import keep_latest
from training.evaluate import evaluate
from training.selfplay import warm_start
from training.selfplay.checkpoints import (
    CheckpointError,
    load_checkpoint,
    provenance,
    read_about,
    save_checkpoint,
)
from training.selfplay.config import read_config
from training.selfplay.games import SelfPlayGames
from training.selfplay.opponents import BotTables, OpponentPool
from training.selfplay.ppo import FrozenPolicy, SelfPlayPPO
from training.selfplay.progress import TrainingProgress
from training.selfplay.run import Run, RunError
from training.selfplay.warm_start import imitate

from .equipment import small_model, weights_of


class _Journal(BaseCallback):
    """Writes down every action, and adds a past policy after each rollout."""

    def __init__(self):
        super().__init__()
        self.actions: list[bytes] = []

    def _on_step(self):
        buffer = self.model.rollout_buffer
        decided = self.locals["decided"]
        self.actions.append(buffer.actions[buffer.rows - decided : buffer.rows].tobytes())
        return True

    def _on_rollout_end(self):
        pool = self.model.games.pool
        pool.add_past(self.num_timesteps, FrozenPolicy(self.model.policy))


def _pool():
    return OpponentPool([BotTables(0.25, (make_agent("expert"),))], past=0.25, keep=2)


def test_seed__gives_the_same_training():
    journals = [_Journal(), _Journal(), _Journal()]
    models = [small_model(seed=5), small_model(seed=5), small_model(seed=6)]
    for model, journal in zip(models, journals, strict=True):
        model.learn(3_000, journal)
    assert journals[0].actions == journals[1].actions
    assert weights_of(models[0]) == weights_of(models[1])
    assert journals[0].actions != journals[2].actions


@pytest.mark.slow
def test_seed__gives_the_same_first_100_000_steps_whatever_the_clock_does(tmp_path):
    """Imitation, opponents, past policies: as a command runs, with and without interruptions by
    checkpoints and evaluations, which go by the clock."""
    common = [
        "games.slots=64",
        "games.ticks=128",
        "ppo.batch_size=1024",
        "network.shared=[32]",
        "network.policy=[32]",
        "network.value=[16]",
        "warm_start.decisions=1000",
        "opponents.past_every=20000",
        "evaluation.deals=2",
        "run.decisions=100000",
    ]
    calm = ["evaluation.minutes=0", "checkpoints.minutes=1000"]
    restless = ["evaluation.minutes=0.02", "checkpoints.minutes=0"]
    runs = []
    for name, clock in (("calm", calm), ("restless", restless)):
        config = read_config(players=4, changes=[*common, *clock])
        run = Run(config, tmp_path / name, TrainingProgress(1, quiet=True))
        assert run.train()
        assert run.model.num_timesteps >= 100_000
        runs.append(run)
    assert (tmp_path / "restless" / "evaluations.jsonl").exists()
    assert not (tmp_path / "calm" / "evaluations.jsonl").exists()
    assert weights_of(runs[0].model) == weights_of(runs[1].model)
    assert runs[0].model.rng.bit_generator.state == runs[1].model.rng.bit_generator.state


def test_global_generators__are_neither_read_nor_moved():
    """P16."""
    results = []
    for disturb in (0, 1):
        np.random.seed(disturb)  # noqa: NPY002
        random.seed(disturb)
        torch.manual_seed(disturb)
        before = np.random.get_state()[1].copy(), random.getstate(), torch.random.get_rng_state()  # noqa: NPY002
        model = small_model(seed=2)
        model.learn(1_500)
        assert (np.random.get_state()[1] == before[0]).all()  # noqa: NPY002
        assert random.getstate() == before[1]
        assert torch.equal(torch.random.get_rng_state(), before[2])
        results.append(weights_of(model))
    assert results[0] == results[1]


def test_resume__is_exact(tmp_path):
    """A training that goes on from a checkpoint ends as one that was never interrupted."""

    class Save(_Journal):
        saved = False

        def _on_rollout_start(self):
            if not self.saved and self.num_timesteps > 1_500:
                save_checkpoint(tmp_path, self.model, {"note": "here"})
                self.saved = True
                self.actions.clear()

    whole, rest = Save(), _Journal()
    model = small_model(seed=3, pool=_pool())
    model.learn(4_000, whole)
    assert whole.saved
    other = small_model(seed=3, pool=_pool())
    found = checkpoints(tmp_path)
    assert len(found) == 1
    assert read_about(found[0]) == {"note": "here"}
    load_checkpoint(found[0], other)
    assert len(other.games.pool.past) > 0
    other.learn(4_000 - other.num_timesteps, rest, reset_num_timesteps=False)
    assert rest.actions == whole.actions
    assert other.num_timesteps == model.num_timesteps
    assert other.num_games == model.num_games
    assert weights_of(other) == weights_of(model)


def test_checkpoints__half_written_ones_do_not_count(tmp_path):
    model = small_model()
    model.learn(500)
    kept = save_checkpoint(tmp_path, model, {})
    (tmp_path / "000000999999.partial").mkdir()
    assert checkpoints(tmp_path) == [kept]
    keep_latest(tmp_path, 1)
    assert list(tmp_path.iterdir()) == [kept]


def test_checkpoints__are_replaced_only_when_the_new_one_is_complete(tmp_path, monkeypatch):
    model = small_model()
    model.learn(500)
    kept = save_checkpoint(tmp_path, model, {"good": True})

    def broken(path):
        raise OSError("no space left on device")

    monkeypatch.setattr(model, "save_agent", broken)
    with pytest.raises(OSError, match="no space"):
        save_checkpoint(tmp_path, model, {"good": False})
    assert read_about(kept) == {"good": True}
    load_checkpoint(kept, small_model())


def test_checkpoints__of_another_network_are_refused(tmp_path):
    model = small_model()
    model.learn(200)
    saved = save_checkpoint(tmp_path, model, {})
    other = small_model(policy_kwargs={"net_arch": {"pi": [8], "vf": [8]}})
    with pytest.raises(CheckpointError, match="config it was trained with"):
        load_checkpoint(saved, other)
    with pytest.raises(CheckpointError, match="config it was trained with"):
        load_checkpoint(saved, small_model(num_games=4))
    (saved / "state.json").write_text("{")
    with pytest.raises(CheckpointError, match="cannot read"):
        load_checkpoint(saved, small_model())


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_agent__is_a_plain_checkpoint_that_plays_the_same(tmp_path, precision):
    game = JerusalemGame(3)
    kwargs = {"features_extractor_kwargs": {"layers": (32,)}, "net_arch": {"pi": [32], "vf": [16]}}
    model = small_model(game, policy_kwargs={**kwargs, "precision": precision})
    model.learn(1_000)
    path = tmp_path / "agent.zip"
    model.save_agent(path)
    plain = MaskablePPO.load(path, device="cpu")
    assert type(plain) is MaskablePPO
    assert not plain.policy.optimizer.state_dict()["state"]
    agent = make_agent(f"ppo:{path}", game)
    assert agent.model.policy.precision in (precision, best_precision())
    agent.model.policy.precision = precision  # a processor without bfloat16 gets float32
    games = SelfPlayGames(game, 32, seed=8)
    games.reset()
    direct = PPOAgent(model, game)
    for _ in range(60):
        views = game.views(games.states)
        assert (agent.logits(games.observations) == direct.logits(games.observations)).all()
        actions = agent.act(views, games.masks)
        assert (actions == direct.act(views, games.masks)).all()
        games.advance(np.arange(32), actions)


def test_learning_again__forgets_the_games_before():
    """``learn`` deals anew by default: no decision of an earlier game may wait for those."""

    class First(BaseCallback):
        waiting = None

        def _on_rollout_start(self):
            if self.waiting is None:
                self.waiting = self.model.rollout_buffer.rows

        def _on_step(self):
            return True

    model = small_model(seed=1)
    model.learn(700)
    assert (model.rollout_buffer.last_rows >= 0).any()
    going_on, anew = First(), First()
    model.learn(700, going_on, reset_num_timesteps=False)
    assert going_on.waiting > 0
    model.learn(700, anew)
    assert anew.waiting == 0


@pytest.mark.slow
def test_imitation__learns_to_play_as_the_teacher():
    game = JerusalemGame(2)
    model = small_model(game, seed=0)
    told: list[int] = []
    untrained = evaluate(PPOAgent(model, game), [make_agent("random")], game, deals=20, seed=1)
    measures = imitate(
        model,
        make_agent("greedy"),
        400_000,
        learning_rate=3e-3,
        progress=lambda done, found: told.append(done),
    )
    assert measures["agreement"] > 0.6
    assert measures["value_explained"] > 0.1
    assert told[-1] >= 400_000
    result = evaluate(PPOAgent(model, game), [make_agent("random")], game, deals=20, seed=1)
    assert result.win_rate > 0.9
    assert untrained.win_rate < 0.9


@pytest.mark.parametrize("own", [0, 5])
def test_imitation__keeps_the_teachers_decisions_where_the_policy_plays(
    monkeypatch: pytest.MonkeyPatch, own: int
):
    game = JerusalemGame(2)
    model = small_model(game, seed=0)
    monkeypatch.setattr(warm_start, "_TICKS", 40)
    games = SelfPlayGames(game, 8, seed=3, rewards=model.env.rewards)
    games.reset()
    said, played, thought = [], [], []
    teacher = make_agent("greedy")

    class Heard:
        def act(self, views, masks):
            said.append(teacher.act(views, masks))
            thought.append(PPOAgent(model, game).act(views, masks))
            return said[-1]

    advance = games.advance
    monkeypatch.setattr(
        games, "advance", lambda slots, actions: played.append(actions) or advance(slots, actions)
    )
    buffer = warm_start._teachers_games(games, Heard(), model, own)
    assert np.array_equal(buffer.actions[: buffer.rows].ravel(), np.concatenate(said))
    assert np.array_equal(np.array(played)[:, own:], np.array(said)[:, own:])
    assert np.array_equal(np.array(played)[:, :own], np.array(thought)[:, :own])
    assert (np.array(thought) != np.array(said)).any()


@pytest.mark.slow
def test_improves__on_random_play_within_seconds():
    """From nothing, against two random bots, without imitation."""
    game = JerusalemGame(2)
    pool = OpponentPool([BotTables(1.0, (make_agent("random"),))])
    games = SelfPlayGames(
        game, 64, seed=0, pool=pool, rewards=[(1.0, JerusalemGame(2, reward="margin"))]
    )
    model = SelfPlayPPO(
        "MlpPolicy",
        games,
        n_steps=64,
        batch_size=1024,
        n_epochs=4,
        learning_rate=2e-3,
        gamma=1.0,
        policy_kwargs={
            "features_extractor_kwargs": {"layers": (64,)},
            "net_arch": {"pi": [64], "vf": [64]},
        },
        seed=0,
        device="cpu",
    )
    before = evaluate(PPOAgent(model, game), [make_agent("random")], game, deals=50, seed=1)
    model.learn(60_000)
    after = evaluate(PPOAgent(model, game), [make_agent("random")], game, deals=50, seed=1)
    assert after.low > 0.5
    assert after.win_rate > before.win_rate


@pytest.mark.slow  # a search for two players, to compile
def test_resume__is_exact_with_bots_called_from_python(tmp_path):
    """The chance of searching bots comes from a seed that a resume must give them again."""

    def model_():
        pool = OpponentPool([BotTables(0.5, (make_agent("mcts:8", JerusalemGame(2)),))], past=0.5)
        return small_model(num_games=4, seed=2, pool=pool)

    class Save(_Journal):
        def _on_rollout_start(self):
            if self.num_timesteps and not checkpoints(tmp_path):
                save_checkpoint(tmp_path, self.model, {})
                self.actions.clear()

    whole, rest = Save(), _Journal()
    model_().learn(250, whole)
    other = model_()
    load_checkpoint(checkpoints(tmp_path)[0], other)
    other.learn(250 - other.num_timesteps, rest, reset_num_timesteps=False)
    assert whole.actions
    assert rest.actions == whole.actions


def test_checkpoints__a_cut_file_is_told(tmp_path):
    model = small_model()
    model.learn(200)
    saved = save_checkpoint(tmp_path, model, {})
    for name in ("arrays.npz", "network.pt"):
        whole = (saved / name).read_bytes()
        (saved / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(CheckpointError, match="cannot go on"):
            load_checkpoint(saved, small_model())
        (saved / name).write_bytes(whole)
    load_checkpoint(saved, small_model())


def test_checkpoints__writing_one_again_never_leaves_none(tmp_path, monkeypatch):
    """Killed between the two renames: the checkpoint is there, under the old or the new name."""
    model = small_model()
    model.learn(200)
    saved = save_checkpoint(tmp_path, model, {"number": 1})
    given, calls = os.replace, []

    def kill_at_second(source, target):
        if "0" in str(source) and str(source).startswith(str(tmp_path / "0")):
            calls.append(source)
            if len(calls) == 6:
                raise KeyboardInterrupt
        return given(source, target)

    monkeypatch.setattr(os, "replace", kill_at_second)
    for _ in range(3):
        try:
            save_checkpoint(tmp_path, model, {"number": 2})
        except KeyboardInterrupt:
            break
    there = [path for path in tmp_path.iterdir() if (path / "state.json").exists()]
    assert there
    assert saved.parent == tmp_path


def test_diverged__is_told_and_not_saved(tmp_path):
    config = read_config(
        players=2,
        changes=["games.slots=4", "games.ticks=8", "network.shared=[8]", "network.policy=[8]"],
    )
    run = Run(config, tmp_path, TrainingProgress(1, quiet=True))
    next(iter(run.model.policy.parameters())).data[0] = torch.nan
    with pytest.raises(RunError, match="diverged"):
        run.save()
    assert not checkpoints(tmp_path / "checkpoints")


def test_truncated_games__return_what_the_critic_hoped_for():
    """P12: through the collector; the watchdog stops every game after some decisions."""
    model = small_model(num_games=6, n_steps=30)
    games, buffer = model.games, model.rollout_buffer
    model._last_obs = games.reset()
    games.states["decision_limit"] = games.states["decisions"] + 12
    buffer.begin()
    truncated = 0
    for _ in range(14):
        outcome, _ = model._tick(games, buffer)
        truncated += int(outcome.truncated.sum())
    assert truncated == 6
    buffer.finish()
    ended = np.flatnonzero(buffer.successors[: buffer.rows] == -2)
    assert len(ended) > 0
    assert (buffer.rewards[ended] == 0).all()
    assert (buffer.bootstraps[ended] != 0).all()
    expected = buffer.bootstraps[ended] - buffer.values[ended]
    assert buffer.advantages[ended] == pytest.approx(expected, abs=1e-5)


def test_first_update__begins_at_ratio_1():
    """What is learned from has the probability that it was played with, in bfloat16 too."""
    for precision in ("float32", "bfloat16"):
        model = small_model(policy_kwargs={"precision": precision})
        model.learn(600)
        model.rollout_buffer.begin()
        model.policy.set_training_mode(False)
        for _ in range(40):
            model._tick(model.games, model.rollout_buffer)
        model.rollout_buffer.finish()
        for part in model.rollout_buffer.get(100):
            fresh = part.old_log_prob
            _, chosen, _ = model.policy.evaluate_actions(
                part.observations, part.actions, part.action_masks
            )
            off = (chosen - fresh).abs()
            assert off.median() < 1e-4
            assert off.max() < 0.6  # those that waited were played before the last update


def test_provenance__names_code_libraries_and_machine():
    made = provenance()
    assert made["code"]["version"]
    assert {"torch", "numpy", "sb3-contrib", "cpu"} <= set(made["machine"])
    json.dumps(made)
