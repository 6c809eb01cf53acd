"""Minari datasets of recordings: an episode is what one seat of a game saw, did and got.

Episodes have the form of ``gymnasium.make("Jerusalem-v0")``, or of another game's solo environment:
the observation is that environment's, legal actions are in ``infos["action_mask"]`` and the seat in
``infos["seat"]``; what the other seats do in between belongs to the environment. All reward comes
with the last step, and the last observation is of the game's end, with no legal actions.

Datasets lie where Minari looks for them: ``$MINARI_DATASETS_PATH``, or ``~/.minari/datasets``.
"""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from jerusalem_env import __version__
from jerusalem_env.envs.solo import observation_space
from jerusalem_env.game import Game
from jerusalem_env.games import gymnasium_id, make_game, preset_names

from .errors import RecordingError, needed
from .pieces import Piece
from .staged import Staged


class Episodes(NamedTuple):
    """How much a dataset holds."""

    episodes: int
    steps: int


class Episode(NamedTuple):
    """T decisions of one seat in one game.

    Attributes
    ----------
    game, seat, agent : int
        Number of the game, seat, index of the agent (-1: not known).
    seed : int or None
        The game seed.
    observations : (T + 1, F) float32
        What the seat saw at its decisions, and at the end of the game.
    action_masks : (T + 1, A) int8
        The last row is all 0.
    actions : (T,) int64
    rewards : (T,) float64
        0 but for the last.
    terminated, truncated : bool
        How the game ended; both false if it is unfinished.
    """

    game: int
    seat: int
    agent: int
    seed: int | None
    observations: np.ndarray
    action_masks: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    terminated: bool
    truncated: bool


def episodes_of(game: Game, piece: Piece) -> Iterator[Episode]:
    """An episode for every seat of every game of a piece; seats that decided nothing have none."""
    seats = np.asarray(game.to_act(piece.states), dtype=np.int64)
    seen = game.observe(piece.states)
    masks = np.zeros((len(seats), game.num_actions), dtype=np.uint8)
    game.legal(piece.states, masks)
    last = game.observe_all_seats(piece.finals)
    none = np.zeros((1, game.num_actions), dtype=np.int8)
    utilities = game.utilities(piece.finals)
    terminated, truncated = game.terminated(piece.finals), game.truncated(piece.finals)
    ends = np.cumsum(piece.games.sizes)
    for place, end in enumerate(ends.tolist()):
        first = end - int(piece.games.sizes[place])
        for seat in range(game.players):
            rows = first + np.flatnonzero(seats[first:end] == seat)
            if not len(rows):
                continue
            rewards = np.zeros(len(rows))
            rewards[-1] = utilities[place, seat]
            yield Episode(
                game=piece.first_game + place,
                seat=seat,
                agent=int(piece.games.lineups[place, seat]),
                seed=int(piece.games.seeds[place]) if piece.games.seeded[place] else None,
                observations=np.concatenate([seen[rows], last[place, seat][None]]),
                action_masks=np.concatenate([masks[rows].view(np.int8), none]),
                actions=piece.actions[rows],
                rewards=rewards,
                terminated=bool(terminated[place]),
                truncated=bool(truncated[place]),
            )


class MinariEpisodes(Staged):
    """A Minari dataset that pieces are added to; used in a ``with``.

    It is written beside its place and moved there by ``close``, which is ``finish`` and
    ``put_in_place``; whoever leaves the ``with`` without that leaves nothing behind. A dataset that
    is replaced is moved aside before and deleted at the end of the ``with``.

    Parameters
    ----------
    name : str
        Such as ``jerusalem/expert-v0``: a namespace if wanted, a name, a version.
    game : Game
    agents : sequence of str
        Names of the agents that line-ups mean; empty if they are not known.
    learner : str, optional
        Keep the episodes of this agent alone.
    overwrite : bool
        Replace a dataset that is there.

    Raises
    ------
    RecordingError
        If the name is wrong or taken, no agent is called ``learner``, or minari is missing.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        agents: Sequence[str],
        learner: str | None = None,
        overwrite: bool = False,
    ) -> None:
        self._minari = needed("minari", "minari")
        storage = needed("minari.dataset.minari_storage", "minari")
        needed("minari.dataset._storages.arrow_storage", "minari with pyarrow and pillow")
        paths = needed("minari.storage.datasets_root_dir", "minari")
        self.name, self.game, self.agents, self.learner = name, game, tuple(agents), learner
        self._namespace = _namespace(name)
        if learner is not None and learner not in agents:
            known = ", ".join(dict.fromkeys(agents)) or "none, records do not name them"
            raise RecordingError(f"no agent is called {learner!r}; at the table: {known}")
        self.path: Path = paths.get_dataset_path(name)
        if self.path.exists() and not overwrite:
            raise RecordingError(
                f"the Minari dataset {name} is there already ({self.path}); choose another name or "
                "version, or replace it with --force (overwrite=True)"
            )
        # Minari lists no folders whose names begin with a dot.
        self._partial = paths.get_dataset_path() / f".{name.replace('/', '.')}.{os.getpid()}"
        self._replaced = self._partial.with_name(f"{self._partial.name}.replaced")
        shutil.rmtree(self._partial, ignore_errors=True)
        self._partial.mkdir(parents=True)
        self._storage = storage.MinariStorage.new(
            self._partial / "data",
            observation_space=observation_space(game),
            action_space=gymnasium.spaces.Discrete(game.num_actions),
            env_spec=self._environment(),
            data_format="parquet",
        )
        # Minari measures the whole folder after every episode; here that is done once, at the end.
        self._measure = self._storage.get_size
        self._storage.get_size = lambda: 0.0
        self.episodes = self.steps = 0

    def _environment(self) -> Any:
        """What recovers the environment; None where ``gymnasium.make`` has no such form."""
        game: Any = self.game
        name = gymnasium_id(game.name)
        if name is None or not game.skip_forced:
            return None
        presets = (
            preset
            for preset in preset_names(game.name)
            if make_game(game.name, game.players, preset).rules_dict() == game.rules_dict()
        )
        rules = next(presets, None)
        if rules is None:
            return None
        spec = copy.deepcopy(gymnasium.spec(name))
        spec.kwargs = {
            "players": game.players,
            "rules": rules,
            "information": game.information,
            "reward": game.reward,
        }
        others = [name for name in dict.fromkeys(self.agents) if name != self.learner]
        if self.agents:
            spec.kwargs["opponents"] = others or [self.agents[0]]
        return spec

    def add(self, piece: Piece) -> None:
        """Add the episodes of a piece."""
        kept = [
            episode
            for episode in episodes_of(self.game, piece)
            if self.learner is None or self.agents[episode.agent] == self.learner
        ]
        self._storage.update_episodes(self._buffers(kept))
        self._storage.update_episode_metadata(
            [
                {
                    "game": episode.game,
                    "seat": episode.seat,
                    "agent": self.agents[episode.agent] if episode.agent >= 0 else "",
                }
                for episode in kept
            ],
            range(self.episodes, self.episodes + len(kept)),
        )
        self.episodes += len(kept)
        self.steps += sum(len(episode.actions) for episode in kept)

    def _buffers(self, episodes: Iterable[Episode]) -> Iterator[Any]:
        for episode in episodes:
            steps = len(episode.actions)
            ends = np.zeros((2, steps), dtype=np.bool_)
            ends[:, -1] = episode.terminated, episode.truncated
            yield self._minari.data_collector.EpisodeBuffer(
                seed=episode.seed,
                observations=episode.observations,
                actions=episode.actions,
                rewards=episode.rewards,
                terminations=ends[0],
                truncations=ends[1],
                infos={
                    "action_mask": episode.action_masks,
                    "seat": [episode.seat] * (steps + 1),
                },
            )

    def close(self) -> Episodes:
        """Finish the dataset and move it to its place.

        Raises
        ------
        RecordingError
            If it has no episodes.
        """
        self.finish()
        self.put_in_place()
        return Episodes(self.episodes, self.steps)

    def finish(self) -> None:
        """Write all that is left to write, still beside its place; raises as ``close``."""
        if not self.episodes:
            raise RecordingError("there is nothing to write: no episode was added")
        who = ", ".join(dict.fromkeys(self.agents)) or "players of game records"
        self._storage.update_metadata(
            {
                "dataset_id": self.name,
                "minari_version": self._minari.__version__,
                "algorithm_name": self.learner or who,
                "description": (
                    f"{self.game.name} with {self.game.players} players, by {who}: an episode is "
                    "what one seat of a game saw, did and got. Legal actions: "
                    'infos["action_mask"].'
                ),
                "ruleset": json.dumps(self.game.rules_dict()),
                "requirements": [f"jerusalem-env>={__version__}"],
                "dataset_size": self._measure(),
            }
        )
        if self._namespace is not None:
            names = needed("minari.namespace", "minari")
            if self._namespace not in names.list_local_namespaces():
                names.create_namespace(self._namespace)

    def put_in_place(self) -> None:
        """Move the finished dataset to its place; one that is there is back there if that fails.

        Raises
        ------
        RecordingError
            If it could not be moved back either; the message says where it is.
        """
        try:
            if self.path.exists():
                os.replace(self.path, self._replaced)
            os.replace(self._partial, self.path)
        except BaseException as error:
            # What is on the disk tells how far it came, whatever interrupted it.
            if self._replaced.exists() and not self.path.exists():
                self._move_back(error)
            raise

    def _move_back(self, error: BaseException) -> None:
        try:
            os.replace(self._replaced, self.path)
        except OSError as other:
            raise RecordingError(
                f"{self.name} could not be replaced ({error!r}), and what was there could not be "
                f"moved back ({other}); it lies in {self._replaced}"
            ) from error

    def discard(self) -> None:
        """Throw away what was written, unless it was put in place; and then what it replaced.

        Raises
        ------
        RecordingError
            If what was replaced could not be deleted; the message says where it is.
        """
        shutil.rmtree(self._partial, ignore_errors=True)
        if not (self._replaced.exists() and self.path.exists()):
            return
        try:
            shutil.rmtree(self._replaced)
        except OSError as error:
            raise RecordingError(
                f"{self.name} is replaced, but what was there could not be deleted ({error}); what "
                f"is left of it lies in {self._replaced}"
            ) from error


def _namespace(name: str) -> str | None:
    """The namespace in a dataset's name, if it has one; RecordingError for a name that is none."""
    parse = needed("minari.dataset.minari_dataset", "minari").parse_dataset_id
    try:
        found: str | None = parse(name)[0]
    except (ValueError, TypeError):  # TypeError: Minari itself fails without a version
        raise RecordingError(
            f"{name!r} is no name for a Minari dataset; expected NAME-v0 or FOLDER/NAME-v0, of "
            "letters, digits, - and _"
        ) from None
    return found


def write_minari(
    name: str,
    game: Game,
    agents: Sequence[str],
    pieces: Iterable[Piece],
    learner: str | None = None,
    overwrite: bool = False,
) -> Episodes:
    """Write the pieces of a recording as a Minari dataset; see ``MinariEpisodes``."""
    with MinariEpisodes(name, game, agents, learner, overwrite) as dataset:
        for piece in pieces:
            dataset.add(piece)
        return dataset.close()
