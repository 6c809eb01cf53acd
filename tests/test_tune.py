"""Tuning: fitness, the search, going on after an interruption, the command."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.base import AgentError
from agents.scripted.strategies import expert, make_strategy
from agents.scripted.weights import NUM_WEIGHTS, Weights, vector_of, weights_from
from jerusalem_env import RuleSet
from jerusalem_env.jerusalem.game import JerusalemGame
from jerusalem_env.policies import UNIFORM, CompiledPolicy
from training.tune import Settings, Tuning, TuningError, bounds, fitness, main, scripted

# Scripted rivals only: with others the kernel of play would be another one to compile.
SMALL = Settings(
    players=2,
    rivals=("builder",),
    start="expert",
    deals=2,
    population=4,
    sigma=0.5,
    champion_every=1,
    seed=3,
)


def run(folder: Path, generations: int, settings: Settings = SMALL) -> Tuning:
    """A tuning run up to so many generations."""
    tuning = Tuning(folder, settings)
    while tuning.generation < generations:
        tuning.step(threads=1)
    return tuning


def lines_of(folder: Path) -> list[dict[str, object]]:
    """The log of a run, without what differs from run to run."""
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{name: x for name, x in line.items() if name != "seconds"} for line in lines]


# --- fitness -------------------------------------------------------------------------------------
def fitness_of(
    candidates: list[CompiledPolicy],
    tables: list[list[CompiledPolicy]],
    deals: int,
    players: int = 2,
    threads: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    game = JerusalemGame(rules=RuleSet(players=players, rounds=2))
    return fitness(game, candidates, tables, deals, seed=1, episode=0, threads=threads)


def test_fitness__of_random_players_is_chance() -> None:
    """Win rates about 1 / n, floors about equal."""
    scores, wins = fitness_of([UNIFORM] * 2, [[UNIFORM]], deals=400)
    assert scores.shape == (2,)
    assert wins.shape == (2, 1)
    assert (np.abs(wins - 1 / 2) < 0.06).all()
    assert (np.abs(scores - 1 / 2) < 0.08).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_fitness__among_equals_is_one_in_n_exactly(players: int) -> None:
    """With the same player in all seats the rotations of a deal are one game, won once."""
    policy = scripted(Weights()).compiled
    scores, wins = fitness_of([policy], [[policy] * (players - 1)] * 2, 10, players)
    np.testing.assert_allclose(wins, 1 / players, rtol=0, atol=1e-12)
    # Every player is compared once with the others: leads cancel.
    np.testing.assert_allclose(scores, 1 / players, rtol=0, atol=1e-12)


def test_fitness__is_wins_and_a_twentieth_of_the_lead() -> None:
    """Worked out anew: every deal in both seats, the same deals for each candidate."""
    game = JerusalemGame(rules=RuleSet(players=2, rounds=2))
    mine, rivals = make_strategy("builder").compiled, ("expert", "recruiter")
    tables = [[make_strategy(name).compiled] for name in rivals]
    scores, wins = fitness_of([mine, mine], tables, deals=6)
    assert scores[0] == scores[1]
    np.testing.assert_array_equal(wins[0], wins[1])
    seeds = game.derive_seeds(1, 12, 0).reshape(2, 6)
    chance = game.derive_seeds(1, 12, 7_000_000).reshape(2, 6)
    expected = np.zeros(2)
    for table in range(2):
        won, lead = [], []
        for deal in range(6):
            for seat in range(2):
                states = game.new_states(1)
                masks = np.zeros((1, game.num_actions), np.uint8)
                game.reset(states, seeds[table, deal : deal + 1], masks)
                policy_of = np.array([[1, 1]])
                policy_of[0, seat] = 0
                policies = (mine, tables[table][0])
                own = chance[table, deal : deal + 1]
                assert game.play_on(states, own, policy_of, policies) == -1
                won.append(states["winner"][0] == seat)
                floors = states["floors"][0].astype(int)
                lead.append(floors[seat] - floors[1 - seat])
        assert wins[0, table] == pytest.approx(np.mean(won))
        expected[table] = np.mean(won) + 0.05 * np.mean(lead)
    assert scores[0] == pytest.approx(expected.mean())


def test_fitness__is_the_same_on_two_threads_and_beside_others() -> None:
    policies = [make_strategy(name).compiled for name in ("builder", "warden", "expert")]
    tables = [[policies[2]] * 2, [policies[0], policies[1]]]
    one = fitness_of(policies, tables, 5, players=3)
    two = fitness_of(policies, tables, 5, players=3, threads=2)
    alone = fitness_of(policies[1:2], tables, 5, players=3)
    for found, again, single in zip(one, two, alone, strict=True):
        np.testing.assert_array_equal(found, again)
        np.testing.assert_array_equal(found[1], single[0])
    assert len(set(one[0].tolist())) == 3
    assert tables[0] == [policies[2]] * 2  # what was given is left as it was


# --- the search ----------------------------------------------------------------------------------
def test_bounds__hold_sensible_weights_and_keep_games_apart() -> None:
    low, high = bounds()
    assert low.shape == high.shape == (NUM_WEIGHTS,)
    assert (low < high).all()
    for weights in (Weights(), *(expert(players) for players in (2, 3, 4))):
        vector = vector_of(weights)
        assert ((vector >= low) & (vector <= high)).all()
    assert weights_from(low).waver > 0  # without chance in bids games would repeat themselves
    assert (weights_from(low).hold, weights_from(high).hold) == (0.0, 1.0)
    assert weights_from(low).captain < 0


@pytest.mark.parametrize("far", [-1e6, 1e6])
def test_weights__stay_within_their_bounds(tmp_path: Path, far: float) -> None:
    tuning = Tuning(tmp_path, SMALL)
    low, high = bounds()
    np.testing.assert_allclose(
        vector_of(tuning.weights(np.full(NUM_WEIGHTS, far))), [low, high][far > 0]
    )
    origin = vector_of(tuning.weights(np.zeros(NUM_WEIGHTS)))
    np.testing.assert_array_equal(origin, np.clip(vector_of(expert(2)), low, high))
    np.testing.assert_array_equal(vector_of(tuning.mean), origin)


def test_tuning__keeps_a_log_and_the_best(tmp_path: Path) -> None:
    tuning = run(tmp_path, 2)
    low, high = bounds()
    best = Weights.from_dict(json.loads((tmp_path / "best.json").read_text()))
    assert best == tuning.mean
    assert best != expert(2)
    assert ((vector_of(best) >= low) & (vector_of(best) <= high)).all()
    lines = lines_of(tmp_path)
    assert [line["generation"] for line in lines] == [1, 2]
    # The champion, the rival, and four mixed tables; the mean is a candidate too.
    assert {line["games"] for line in lines} == {5 * 6 * 2 * 2}
    assert all(len(line["mean_wins"]) == 6 for line in lines)  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "best.json",
        "log.jsonl",
        "state.pickle",
    ]


def test_tuning__goes_on_as_without_an_interruption(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run(whole, 3)
    for generations in (1, 2, 2, 3):
        run(parts, generations)
    assert (parts / "best.json").read_bytes() == (whole / "best.json").read_bytes()
    assert lines_of(parts) == lines_of(whole)
    run(tmp_path / "again", 3, replace(SMALL, seed=4))
    assert (tmp_path / "again" / "best.json").read_bytes() != (whole / "best.json").read_bytes()


def test_tuning__redoes_a_generation_that_was_cut_short(tmp_path: Path) -> None:
    """Killed after a generation was logged and before its state was kept: no line counts twice."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    run(whole, 2)
    run(parts, 1)
    kept = (parts / "state.pickle").read_bytes()
    run(parts, 2)
    (parts / "state.pickle").write_bytes(kept)
    assert len(lines_of(parts)) == 2
    run(parts, 2)
    assert (parts / "best.json").read_bytes() == (whole / "best.json").read_bytes()
    assert lines_of(parts) == lines_of(whole)


@pytest.mark.parametrize(
    "other",
    [{"seed": 4}, {"deals": 3}, {"rivals": ("warden",)}, {"players": 3}, {"start": "builder"}],
)
def test_tuning__refuses_the_folder_of_another(tmp_path: Path, other: dict[str, object]) -> None:
    run(tmp_path, 1)
    before = (tmp_path / "state.pickle").read_bytes()
    with pytest.raises(TuningError, match="holds another run"):
        Tuning(tmp_path, replace(SMALL, **other))  # type: ignore[arg-type]
    assert (tmp_path / "state.pickle").read_bytes() == before


def test_tuning__leaves_numpys_global_generator_alone(tmp_path: Path) -> None:
    """P16: neither read nor changed."""
    best = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002
        before = pickle.dumps(np.random.get_state())  # noqa: NPY002
        run(tmp_path / str(seed), 2)
        assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002
        best.append((tmp_path / str(seed) / "best.json").read_bytes())
    assert best[0] == best[1]


def test_tuning__begins_from_weights_in_a_file(tmp_path: Path) -> None:
    low, high = bounds()
    middle = weights_from((low + high) / 2)
    path = tmp_path / "start.json"
    path.write_text(json.dumps(middle.to_dict()))
    tuning = Tuning(tmp_path / "run", replace(SMALL, start=str(path)))
    assert tuning.mean == middle
    path.write_text(json.dumps({"hold": 1.0}))
    with pytest.raises(AgentError, match="missing or unknown"):
        Tuning(tmp_path / "other", replace(SMALL, start=str(path)))
    path.write_text("not JSON")
    with pytest.raises(TuningError, match="cannot read weights"):
        Tuning(tmp_path / "third", replace(SMALL, start=str(path)))


def test_tuning__needs_weights_to_begin_from_and_compiled_rivals(tmp_path: Path) -> None:
    with pytest.raises(TuningError, match="greedy has no weights to begin from"):
        Tuning(tmp_path / "start", replace(SMALL, start="greedy"))
    with pytest.raises(AgentError, match="unknown agent"):
        Tuning(tmp_path / "nobody", replace(SMALL, rivals=("nobody",))).tables()


def test_tables__hold_the_champion_a_rival_and_mixed_company(tmp_path: Path) -> None:
    tuning = Tuning(tmp_path, replace(SMALL, players=4, rivals=("builder", "warden")))
    champion = vector_of(expert(4))
    seen = []
    for generation in range(12):
        tuning.generation = generation
        names = [[policy.name for policy in table] for table in tuning.tables()]
        assert names == [[policy.name for policy in table] for table in tuning.tables()]
        assert names[0] == ["candidate"] * 3
        assert names[1] == [("builder", "warden")[generation % 2]] * 3
        seen += [name for table in names[2:] for name in table]
    assert {name: seen.count(name) > 30 for name in set(seen)} == {
        "candidate": True,
        "builder": True,
        "warden": True,
    }
    np.testing.assert_array_equal(tuning.champion, champion)


# --- the command ---------------------------------------------------------------------------------
def command(folder: Path, *more: str) -> int:
    small = ["--players", "2", "--rivals", "builder", "--deals", "2", "--population", "4"]
    return main([*small, "--threads", "1", "--out", str(folder), *more])


def test_command__runs_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path, "--generations", "1") == 0
    assert "   1  fitness" in capsys.readouterr().out
    assert command(tmp_path, "--generations", "2") == 0
    printed = capsys.readouterr().out
    assert "   2  fitness" in printed
    assert "   1  fitness" not in printed
    assert command(tmp_path, "--generations", "2") == 0
    assert capsys.readouterr().out == ""
    Weights.from_dict(json.loads((tmp_path / "best.json").read_text()))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--start", "random"), "no weights to begin from"),
        (("--start", "nobody"), "unknown agent"),
        (("--start", "missing.json"), "missing.json"),
        (("--rivals", "nobody"), "unknown agent"),
    ],
)
def test_command__says_what_is_wrong(
    arguments: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(tmp_path, "--generations", "1", *arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("jerusalem tune: ")
    assert message in error


def test_command__says_that_a_folder_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, 1)
    assert command(tmp_path, "--seed", "9") == 2
    assert "choose another folder" in capsys.readouterr().err
