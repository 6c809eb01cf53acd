"""Peers of `jerusalem bench --peers`: what is installed runs, and plays legally."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import islice
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from training import peers
from training.peers import Peer, missing

HEAVY = ("jax", "pgx", "pyspiel", "open_spiel", "rlcard", "catanatron", "catanatron_gym")
HEAVY += ("torch", "chess", "pygame", "pettingzoo.classic")
ALL = peers.peers()


def test_import__and_looking_for_what_is_missing_import_no_peer() -> None:
    look = "import sys; from training import peers; [peers.missing(p) for p in peers.peers()]; "
    look += f"print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_peers__have_names_of_their_own() -> None:
    assert len({peer.name for peer in ALL}) == len(ALL)
    assert {peer.library for peer in ALL} >= {"pettingzoo", "open_spiel", "pgx", "rlcard"}


def never(rng: np.random.Generator) -> peers.Run:
    raise AssertionError("not to be prepared")


@pytest.mark.parametrize(
    ("peer", "reason"),
    [
        (Peer("no-such-library", "x", "", never), "no-such-library is not installed"),
        (
            Peer("numpy", "x", "", never, ("no_such_module",)),
            "no_such_module, which it needs, is not installed",
        ),
        (Peer("numpy", "x", "", never, (), lambda: "no data"), "no data"),
        (Peer("numpy", "x", "", never, ("sys",)), None),
        (
            peers._pettingzoo_peer("no_such_game", ()),
            "this pettingzoo has no no_such_game",
        ),
    ],
)
def test_missing(peer: Peer, reason: str | None) -> None:
    assert missing(peer) == reason


# Warnings of other people's packages are theirs to mend.
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("peer", ALL, ids=lambda peer: peer.name)
def test_peer__plays(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := missing(peer):
        pytest.skip(reason)
    monkeypatch.setattr(peers, "PGX_BATCHES", (16, 64))  # each batch size is compiled
    outside = random.getstate()
    run = peer.prepare(np.random.default_rng(1))
    decisions, games, seconds = run(0.1)
    assert random.getstate() == outside
    assert decisions > games >= 0
    assert seconds >= 0.1
    assert run.mode
    longer = run(0.3)
    assert longer[0] > 0
    assert longer[2] >= 0.3


def test_run__counts_and_keeps_the_global_random_state() -> None:
    def plays() -> peers.Plays:
        while True:
            drawn.append(random.random())
            yield 3, 1

    drawn: list[float] = []
    outside = random.getstate()
    run = peers.Run("drawing", plays(), 7)
    for _ in range(5):
        assert run(0.0)[:2] == (3, 1)
    assert random.getstate() == outside
    # The run's own sequence goes on over its calls.
    own = random.Random(7)
    assert drawn == [own.random() for _ in range(5)]


class FakeAEC:
    """Ten decisions a game, two agents; dies of an illegal action."""

    def reset(self, seed: int | None = None) -> None:
        self.seeded = getattr(self, "seeded", False) or seed is not None
        assert self.seeded
        self.left = 10
        self.deal()

    def deal(self) -> None:
        self.mask = np.zeros(7, np.int8)
        self.mask[dice.choice(7, dice.integers(1, 4), replace=False)] = 1
        self.asked = False

    def last(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.asked = True
        return (
            {"observation": np.zeros(1), "action_mask": self.mask},
            0.0,
            self.left == 0,
            False,
            {},
        )

    def step(self, action: int) -> None:
        assert type(action) is int
        assert self.asked
        assert self.mask[action]
        assert self.left
        chosen.append(action)
        self.left -= 1
        self.deal()


class FakeRLCard:
    """As above, with RLCard's interface."""

    def reset(self) -> tuple[dict[str, Any], int]:
        self.left = 10
        return self.state(), 0

    def state(self) -> dict[str, Any]:
        picked = dice.choice(7, dice.integers(1, 4), replace=False)
        self.legal = {int(action): None for action in picked}
        return {"obs": np.zeros(1), "legal_actions": self.legal}

    def step(self, action: int) -> tuple[dict[str, Any], int]:
        assert action in self.legal
        assert self.left
        chosen.append(action)
        self.left -= 1
        return self.state(), 0

    def is_over(self) -> bool:
        return self.left == 0


dice = np.random.default_rng(5)
chosen: list[int] = []


def module(monkeypatch: pytest.MonkeyPatch, name: str, **contents: Any) -> None:
    """Put a made-up module where the real one would be."""
    made = ModuleType(name)
    vars(made).update(contents)
    monkeypatch.setitem(sys.modules, name, made)


def check(plays: peers.Plays) -> None:
    """All actions are chosen, ten a game."""
    chosen.clear()
    made = list(islice(plays, 1100))
    assert abs(sum(item[0] for item in made) - 10 * sum(item[1] for item in made)) <= 10
    assert len(chosen) == sum(item[0] for item in made)
    assert set(chosen) == set(range(7))


def test_pettingzoo__plays_only_legal_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    module(monkeypatch, "made_up_game", raw_env=FakeAEC)
    check(peers._pettingzoo("made_up_game", np.random.default_rng(3)))


def test_rlcard__plays_only_legal_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    module(monkeypatch, "rlcard", make=lambda name, config: FakeRLCard())
    check(peers._rlcard("made-up", np.random.default_rng(3)))


class FakeSpiel:
    """A game (its own first state) where chance comes before every decision."""

    def __init__(self) -> None:
        self.left, self.chance = 10, True

    def clone(self) -> FakeSpiel:
        return FakeSpiel()

    new_initial_state = clone

    def get_type(self) -> SimpleNamespace:
        return SimpleNamespace(provides_observation_tensor=True)

    def num_distinct_actions(self) -> int:
        return 7

    def is_chance_node(self) -> bool:
        return self.chance

    def is_terminal(self) -> bool:
        return not self.chance and self.left == 0

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(8, 0.5), (9, 0.5)]

    def legal_actions(self) -> list[int]:
        self.legal = dice.choice(7, dice.integers(1, 4), replace=False).tolist()
        return self.legal

    def current_player(self) -> int:
        return self.left % 2

    def apply_action(self, action: int) -> None:
        if self.chance:
            assert action in (8, 9)
        else:
            assert action in self.legal
            chosen.append(action)
            self.left -= 1
        self.chance = not self.chance


def test_openspiel__plays_only_legal_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def observer(game: FakeSpiel, kind: bool) -> SimpleNamespace:
        assert kind is False
        return SimpleNamespace(set_from=lambda state, player: seen.append(player))

    module(
        monkeypatch,
        "pyspiel",
        load_game=lambda name: FakeSpiel(),
        IIGObservationType=lambda perfect_recall: perfect_recall,
        sample_action=lambda outcomes, number: outcomes[int(number * len(outcomes))],
    )
    for name in ("open_spiel", "open_spiel.python"):
        module(monkeypatch, name)
    module(monkeypatch, "open_spiel.python.observation", make_observation=observer)
    check(peers._openspiel("made_up", np.random.default_rng(3)))
    assert len(seen) == len(chosen)


def test_nth_legal__is_legal_and_uniform() -> None:
    jax = pytest.importorskip("jax", reason="jax is not installed")
    mask = np.array([0, 1, 0, 0, 1, 1, 0], bool)
    keys = jax.random.split(jax.random.key(0), 3000)
    picked = np.asarray(jax.vmap(peers.nth_legal, (0, None))(keys, mask))
    counts = np.bincount(picked, minlength=7)
    assert not counts[~mask].any()
    assert (abs(counts[mask] - 1000) < 130).all()  # five standard deviations


def test_pgx_env__deals_thirteen_cards_to_each() -> None:
    pytest.importorskip("pgx", reason="pgx is not installed")
    from pgx.bridge_bidding import _key_to_hand

    env = peers._pgx_env("bridge_bidding", np.random.default_rng(2))
    assert env._lut_keys.shape == (peers._DEALS, 4)
    hands = np.array([_key_to_hand(key) for key in env._lut_keys[:20]])
    assert (np.sort(hands, axis=1) == np.arange(52)).all()
    assert len(np.unique(hands, axis=0)) == 20
