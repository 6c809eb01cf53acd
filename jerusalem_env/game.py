"""The Game contract: what an engine gives to the environments. The one page to read first.

Environments (``envs/``) are written against this class alone and know no game's rules; a game
(``jerusalem/``) knows seats and records, not agents or reward accumulation. To add a game, subclass
``Game`` and run ``jerusalem_env.testing.api_test`` on it.

Terms. A *state* is one numpy record (``state_dtype``) that holds everything about one game; a batch
of games is one array of them. A *decision* belongs to one seat and takes one of ``num_actions``
flat actions. A *view* (``view_dtype``) is what one seat may see, turned so that the observer is
seat 0. A *mask* is uint8, 1 = legal.

What every game promises; ``api_test`` checks each:

1. Nothing about a game lives outside its record: a copy of the record is a copy of the game.
2. Chance comes from the game seed given to ``reset`` alone. A game does not depend on the batch it
   is in or on its place there. Where chance comes during play, it comes from a key in the record
   (``hidden_chance_fields``) which no view holds and which ``redeal`` draws afresh: so a position
   and an action give the next position, and nobody can look ahead.
3. While a game runs its mask has a legal action; once it is over the mask is all 0.
4. Observations are whole numbers 0..cap: as uint8 (``out`` decides), or times
   ``observation_scale`` as float32 in [0, 1]. They depend only on what the seat may see: a
   ``redeal`` of what it does not see changes neither its observation nor its mask.
5. The seat to act may be any seat, also one whose turn it is not.
6. Utilities are paid at the end, sum to 0, and are all 0 after a truncation: the watchdog stops a
   game once the field ``decisions`` of its record has reached ``decision_limit``. A game's length
   may be unbounded otherwise. Wins may be shared: with the reward ``win`` each of w winners among n
   seats gets (n - w) / (w (n - 1)), every other seat -1 / (n - 1).
7. ``step`` with an illegal action changes nothing and names the game whose action it was.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from .bits import new_words, pack_rows
from .policies import ActionLog, CompiledPolicy
from .sharing import new_counter
from .simulation import Simulation

if TYPE_CHECKING:
    from .drawing import Drawing

# What a seat is shown: what it sees at the table, or also all that perfect memory would give.
Information = Literal["screen", "recall"]
INFORMATION_MODES: tuple[str, ...] = ("screen", "recall")


@dataclass(frozen=True)
class ActionBlock:
    """A run of flat actions of one kind: ``start`` <= id < ``start + len(names)``."""

    kind: str
    start: int
    names: tuple[str, ...]
    meaning: str


class BatchArrays(NamedTuple):
    """The arrays that ``Game.advance`` works on, for B games of n seats.

    Attributes
    ----------
    seed : (1,) uint64
        Seed of the batch; the e-th game in place i has the seed ``derive_seeds(seed, B, e)[i]``.
    states, finals : (B,) state_dtype
        The games; and for games that finished in this step, their last record.
    blank : (1,) state_dtype
        A record with the rule set alone, from which games are dealt anew.
    episodes : (B,) int64
        Games finished so far in each place.
    legal : (B, W) int64
        Packed action masks; see ``bits``.
    masks : (B, A) uint8
        The same, one byte an action.
    observations : (B, F) float32 or uint8, or (0, 0) to leave them out
    rewards : (B, n) float64
    terminated, truncated : (B,) uint8
    scratch : (threads,) view_dtype
        One record a thread; its length is the number of threads.
    rows : (threads, F) uint8
        Scratch: an observation a thread.
    scale : (F,) float32
        The game's ``observation_scale``.
    counter : (8,) int64
        Scratch: how many games threads have taken in this step; see ``sharing``.
    """

    seed: np.ndarray
    states: np.ndarray
    finals: np.ndarray
    blank: np.ndarray
    episodes: np.ndarray
    legal: np.ndarray
    masks: np.ndarray
    observations: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    scratch: np.ndarray
    rows: np.ndarray
    scale: np.ndarray
    counter: np.ndarray


# What tables have in common with a batch.
_SHARED = ("seed", "states", "finals", "blank", "episodes", "legal", "masks", "observations")
_OUTCOME = ("terminated", "truncated", "scratch", "rows", "scale", "counter")


class TableArrays(NamedTuple):
    """The arrays that ``Game.advance_tables`` works on: B games, one seat of each the learner's.

    Attributes
    ----------
    seed, states, finals, blank, legal, masks, observations, terminated, truncated, scratch, rows
    scale, counter
        As in ``BatchArrays``; what is observed is seen by the learner's seat.
    game_seeds : (B,) uint64
        Seed of each game, from which the seats and the bots' chance are drawn too.
    episodes : (B,) int64
        Games dealt so far in each place, less one.
    rewards : (B,) float64
        The learner's.
    faults : (B,) uint8
        1 where the learner's action was illegal, 2 where a bot's was.
    seats, final_seats : (B,) int64
        The learner's seat; and in the game that finished in this step.
    bots : (B, n) int64
        Index of the policy that plays each seat but the learner's.
    bot_masks : (threads, A) uint8
        Scratch: a bot's mask a thread.
    """

    seed: np.ndarray
    states: np.ndarray
    finals: np.ndarray
    blank: np.ndarray
    game_seeds: np.ndarray
    episodes: np.ndarray
    legal: np.ndarray
    masks: np.ndarray
    observations: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    faults: np.ndarray
    seats: np.ndarray
    final_seats: np.ndarray
    bots: np.ndarray
    bot_masks: np.ndarray
    scratch: np.ndarray
    rows: np.ndarray
    scale: np.ndarray
    counter: np.ndarray


class TableSettings(NamedTuple):
    """How tables with one learner are played.

    Attributes
    ----------
    fixed_seat : int
        The learner's seat in every game, -1: drawn for each.
    illegal_loses : bool
        An illegal action of the learner ends its game with reward -1; else it is refused.
    autoreset : bool
        Finished games are dealt anew at once.
    """

    fixed_seat: int = -1
    illegal_loses: bool = False
    autoreset: bool = True


class Game(ABC):
    """One game with its rule set, information mode, reward and treatment of forced decisions.

    Attributes
    ----------
    name : str
        Name and version, such as ``"jerusalem_v0"``.
    players : int
        Number of seats.
    num_actions : int
    action_names : tuple of str
        The text of every flat action, ``num_actions`` of them.
    action_blocks : tuple of ActionBlock
        The flat actions by kind, in order, without gaps: how legal moves are shown to people.
    state_dtype, view_dtype : numpy.dtype
    observation_size, state_size : int
        Lengths of the observation and of the centralised state vector.
    observation_caps : (F,) uint8
        The most that each entry of a uint8 observation can be.
    observation_scale : (F,) float32
        1 / caps: a uint8 observation times this is the float32 observation, bit for bit.
    skip_forced : bool
        Whether decisions with one legal action are taken without asking.
    plays_compiled : bool
        Whether the game has ``advance_tables`` and ``play_on``.
    simulation : Simulation or None
        The kernels that compiled search works with, if the game gives them.
    hidden_chance_fields : tuple of str
        Fields of ``state_dtype`` that hold the key of chance still to come, empty if there is none
        after the deal. Views that have them hold one and the same value there.
    """

    name: str
    players: int
    num_actions: int
    action_names: tuple[str, ...]
    action_blocks: tuple[ActionBlock, ...]
    state_dtype: np.dtype
    view_dtype: np.dtype
    observation_size: int
    state_size: int
    observation_caps: np.ndarray
    observation_scale: np.ndarray
    plays_compiled: bool = False
    simulation: Simulation | None = None
    hidden_chance_fields: tuple[str, ...] = ()
    skip_forced: bool

    # --- life of a batch of games ------------------------------------------------------------
    @abstractmethod
    def new_states(self, num_games: int) -> np.ndarray:
        """(num_games,) records with the rule set in them, to be reset before use."""

    @abstractmethod
    def reset(self, states: np.ndarray, seeds: np.ndarray, masks: np.ndarray) -> None:
        """Begin every game from its seed ((B,) uint64) and write its first mask (B, A) uint8."""

    @abstractmethod
    def step(self, states: np.ndarray, actions: np.ndarray, masks: np.ndarray) -> int:
        """Take one decision in every running game and write the next masks.

        ``masks`` holds the masks of the decisions at hand. Returns -1, or the index of the first
        game whose action is illegal; then nothing has changed.
        """

    @abstractmethod
    def legal(self, states: np.ndarray, masks: np.ndarray) -> None:
        """Write the masks of the decisions at hand."""

    def check_states(self, states: np.ndarray) -> None:
        """Refuse records that this object cannot go on with: ValueError says why."""
        if states.dtype != self.state_dtype:
            raise ValueError(f"states must be records of game.state_dtype, got {states.dtype}")

    @abstractmethod
    def derive_seeds(self, seed: int, num_games: int, episode: int) -> np.ndarray:
        """(num_games,) uint64: the i-th depends on (seed, i, episode) only."""

    @abstractmethod
    def advance(self, batch: BatchArrays, actions: np.ndarray) -> int:
        """One decision in every game of a batch, finished games dealt anew: the fast path.

        Fills the arrays of ``batch``; its ``finals`` keep the last record of each game that
        finished. Returns -1, or the first game whose action is illegal; then nothing has changed.
        """

    def new_batch(
        self, num_games: int, threads: int = 1, observation_dtype: str | None = "float32"
    ) -> BatchArrays:
        """Arrays for ``advance``, to be dealt by ``reset_batch``; dtype None: no observations."""
        dtype = np.dtype(observation_dtype or "float32")
        size = (num_games, self.observation_size) if observation_dtype else (0, 0)
        return BatchArrays(
            seed=np.zeros(1, dtype=np.uint64),
            states=self.new_states(num_games),
            finals=self.new_states(num_games),
            blank=self.new_states(1),
            episodes=np.zeros(num_games, dtype=np.int64),
            legal=new_words(num_games, self.num_actions),
            masks=np.zeros((num_games, self.num_actions), dtype=np.uint8),
            observations=np.zeros(size, dtype=dtype),
            rewards=np.zeros((num_games, self.players)),
            terminated=np.zeros(num_games, dtype=np.uint8),
            truncated=np.zeros(num_games, dtype=np.uint8),
            scratch=np.zeros(threads, dtype=self.view_dtype),
            rows=np.zeros((threads, self.observation_size), dtype=np.uint8),
            scale=self.observation_scale,
            counter=new_counter(),
        )

    def reset_batch(self, batch: BatchArrays, seed: int) -> None:
        """Deal every game of a batch: place i from ``derive_seeds(seed, B, 0)[i]``."""
        batch.seed[0] = seed
        batch.episodes[:] = 0
        for outcome in (batch.rewards, batch.terminated, batch.truncated):
            outcome[:] = 0
        seeds = self.derive_seeds(seed, len(batch.states), 0)
        self.reset(batch.states, seeds, batch.masks)
        pack_rows(batch.masks, batch.legal)
        if len(batch.observations):
            self.observe(batch.states, out=batch.observations)

    def new_tables(
        self, num_tables: int, threads: int = 1, observation_dtype: str | None = "float32"
    ) -> TableArrays:
        """Arrays for tables with one learner; dtype None: no observations."""
        batch = self.new_batch(num_tables, threads, observation_dtype)
        shared = {name: getattr(batch, name) for name in (*_SHARED, *_OUTCOME)}
        return TableArrays(
            **shared,
            game_seeds=np.zeros(num_tables, dtype=np.uint64),
            rewards=np.zeros(num_tables),
            faults=np.zeros(num_tables, dtype=np.uint8),
            seats=np.zeros(num_tables, dtype=np.int64),
            final_seats=np.zeros(num_tables, dtype=np.int64),
            bots=np.zeros((num_tables, self.players), dtype=np.int64),
            bot_masks=np.zeros((threads, self.num_actions), dtype=np.uint8),
        )

    def advance_tables(
        self,
        tables: TableArrays,
        actions: np.ndarray,
        policies: tuple[CompiledPolicy, ...],
        settings: TableSettings,
        deal: bool = False,
    ) -> int:
        """The learner's decision at every table and the bots' up to its next, compiled.

        With ``deal`` all tables begin anew instead, place i with the seeds of ``derive_seeds``.
        Returns -1, or the first table whose action is refused; then nothing has changed. Only for
        games that say so in ``plays_compiled``.
        """
        raise NotImplementedError(f"{self.name} has no compiled tables")

    def play_on(
        self,
        states: np.ndarray,
        seeds: np.ndarray,
        policy_of: np.ndarray,
        policies: tuple[CompiledPolicy, ...],
        threads: int = 1,
        log: ActionLog | None = None,
    ) -> int:
        """Let compiled policies play games on until another's decision, or to the end; in place.

        Only for games that say so in ``plays_compiled``.

        Parameters
        ----------
        states : (B,) state_dtype
            Games at any decision, or over.
        seeds : (B,) uint64
            From these and the number of decisions taken comes the policies' own chance. Not the
            game seeds, which hold the deal.
        policy_of : (B, n) int64
            Index of the policy that plays each seat; -1: stop when that seat is to act.
        policies : tuple of CompiledPolicy
            Those with the same kernel and one record of parameters are compiled once.
        threads : int
            Changes nothing but the time it takes.
        log : ActionLog, optional
            Where the actions are written down: see ``policies.new_log``.

        Returns
        -------
        -1, or the first game in which a policy chose an illegal action: it stopped there. The other
        games have been played on all the same.
        """
        raise NotImplementedError(f"{self.name} has no compiled play")

    # --- reading a batch of games ------------------------------------------------------------
    @abstractmethod
    def to_act(self, states: np.ndarray) -> np.ndarray:
        """(B,) seat that decides, -1 once the game is over."""

    @abstractmethod
    def terminated(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: played to its end."""

    @abstractmethod
    def truncated(self, states: np.ndarray) -> np.ndarray:
        """(B,) bool: stopped by the watchdog, not at its end."""

    @abstractmethod
    def utilities(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64 reward of each seat where the game is over, else 0; zero-sum."""

    @abstractmethod
    def results(self, state: np.void) -> dict[str, Any]:
        """JSON-able facts about a finished game, among them ``ranking``: seats, best first.

        Where places can be shared also ``ranks``, by seat: 1 is best, seats that share a place all
        have its number (1, 1, 3). Any other list of as many numbers as there are seats is an amount
        of each seat, named by its key; the most telling one first. See ``outcomes``.
        """

    def win_shares(self, states: np.ndarray) -> np.ndarray:
        """(B, players) float64: 1 / w for each of the w winners of a finished game, else 0.

        Unless a game says otherwise, winners are the seats with the highest utility. Games that
        run, and those that the watchdog stopped, have no winner: all 0.
        """
        utilities = self.utilities(states)
        best = utilities == utilities.max(axis=1, keepdims=True)
        over = np.asarray(self.terminated(states), dtype=np.bool_)
        return np.where(over[:, None], best / best.sum(axis=1, keepdims=True), 0.0)

    def breakdowns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """What the results of finished games are split by: nothing, unless a game says more.

        Parameters
        ----------
        states : (B,) state_dtype
            Finished games; labels of others have no meaning.

        Returns
        -------
        Name of the breakdown -> (B, n) str: the label of each seat. The most telling comes first;
        a short summary may show only that one.
        """
        return {}

    # --- what a seat sees --------------------------------------------------------------------
    @abstractmethod
    def views(self, states: np.ndarray, seats: np.ndarray | None = None) -> np.ndarray:
        """(B,) views by the given seats, by default the seats to act."""

    @abstractmethod
    def encode(self, views: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, observation_size) observations of views: float32, or as ``out`` is."""

    @abstractmethod
    def observe(
        self, states: np.ndarray, seats: np.ndarray | None = None, out: np.ndarray | None = None
    ) -> np.ndarray:
        """``encode(views(states, seats))`` in one go."""

    @abstractmethod
    def observe_all_seats(self, states: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """(B, players, observation_size): what every seat sees."""

    @abstractmethod
    def state_vectors(self, states: np.ndarray) -> np.ndarray:
        """(B, state_size) float32 in [0, 1]: everything, for centralised critics."""

    @abstractmethod
    def redeal(self, views: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(B,) full states, observer in seat 0, drawn from what the views leave open."""

    @abstractmethod
    def turn_seats(self, states: np.ndarray, by: int) -> np.ndarray:
        """The same games with the seats renumbered: seat ``by`` becomes seat 0."""

    # --- for people and files ----------------------------------------------------------------
    @abstractmethod
    def rules_dict(self) -> dict[str, Any]:
        """The rule set as JSON-able values."""

    @abstractmethod
    def write_position(self, state: np.void) -> dict[str, Any]:
        """The complete position as JSON-able values."""

    @abstractmethod
    def read_position(self, position: Mapping[str, Any]) -> np.ndarray:
        """An array of one state; raises ``PositionError`` naming the field that is wrong."""

    @abstractmethod
    def render_text(self, state: np.void, seat: int | None = None) -> str:
        """A board that a person can read; ``seat`` hides what that seat may not see."""

    def draw(self, state: np.void, seat: int | None = None) -> Drawing:
        """A picture of a state; ``seat`` hides what that seat may not see."""
        raise NotImplementedError(f"{self.name} has no pictures")

    def narrate(
        self, before: np.void, action: int, after: np.void, seat: int | None = None
    ) -> list[str]:
        """An action and all that followed from it, in words: a line each, the action first.

        Parameters
        ----------
        before, after : records
            The state at the decision, and at the next one: ``step`` led from one to the other.
        action : int
        seat : int, optional
            Tell only what this seat may know (its own doings in the second person); by default all.
        """
        return [f"P{int(self.to_act(np.array([before]))[0])}: {self.action_names[action]}"]

    def describe_decision(self, state: np.void, seat: int | None = None) -> str:
        """What is being decided, in words, as ``seat`` may know it."""
        return "decides"

    def may_take_back(self, before: np.void, after: np.void) -> bool:
        """Whether a person may take the decision at ``before`` back once ``after`` is reached.

        True only if both are the same seat's decisions in one turn of its own, and nothing that
        was hidden from it has come to light in between.
        """
        return False

    def columns(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Facts about states for tables of data: name -> (B,) numbers, flags or texts.

        Everything, hidden things included; amounts of a seat end in its number, as ``score_0``.
        Among them ``phase`` (text): the kind of decision. The same names in the same order and the
        same dtypes whatever the states, so that tables can be written piece by piece.
        """
        return {"phase": np.full(len(states), "decision")}
