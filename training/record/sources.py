"""Where recorded games come from: agents that play them now, or records that are there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from agents.base import Agent
from agents.registry import make_agent
from jerusalem_env.chance import checked_seed
from jerusalem_env.errors import GameError, RecordError
from jerusalem_env.game import Game, Information
from jerusalem_env.games import make_game
from jerusalem_env.playroom.session import PlayError, read_table
from jerusalem_env.policies import ActionLog, new_log
from jerusalem_env.records import GameRecord, read_records, replay

from ..arena.playing import deal_by_deal, play_games
from ..arena.schedule import make_schedule
from ..one_thread import networks_on_one_thread
from .errors import RecordingError
from .pieces import ROWS, UNKNOWN, Piece, PlayedGames, ReplayError, pieces_of

# Games that called agents play after one reset. A part of what a recording is: with another number
# it would be another recording.
TOGETHER = 64
_AGENT_SEEDS, _PART_SEEDS = 1, 4  # `episode` of derive_seeds, as in the arena


def seat_agents(
    game: Game, agents: Sequence[str | Agent]
) -> tuple[tuple[Agent, ...], tuple[str, ...]]:
    """One agent for each seat, those given from the first on again; and their names.

    Raises
    ------
    RecordingError
        If there are none, or more than seats.
    AgentError
        If one cannot be made.
    """
    if not 1 <= len(agents) <= game.players:
        raise RecordingError(
            f"1 to {game.players} agents are needed, one for each seat or fewer that sit in "
            f"several, got {len(agents)}"
        )
    made = {
        agent: make_agent(agent, game) for agent in dict.fromkeys(agents) if isinstance(agent, str)
    }
    found = [made[agent] if isinstance(agent, str) else agent for agent in agents]
    seated = tuple(found[seat % len(found)] for seat in range(game.players))
    return seated, tuple(agent.name for agent in seated)


def lineups_of(players: int, numbers: np.ndarray) -> np.ndarray:
    """(G, n) int64 agent in each seat of the games with these numbers.

    Every n games in a row have the agents in all n rotations of an order, and every n! in all
    orders: see ``arena.schedule``.
    """
    schedule = make_schedule("table", players, players)
    rotations = schedule.lineups(numbers // players)
    return np.ascontiguousarray(rotations[np.arange(len(numbers)), numbers % players])


def played_pieces(
    game: Game,
    agents: Sequence[Agent],
    games: int,
    seed: int = 0,
    *,
    paired: bool = False,
    rows: int = ROWS,
    threads: int = 1,
) -> Iterator[Piece]:
    """Games between agents, as they are played.

    Parameters
    ----------
    game : Game
    agents : sequence of Agent
        One for each seat; who sits where changes from game to game, see ``lineups_of``.
    games, seed : int
        The games depend on these, on ``game``, ``agents`` and ``paired`` alone. The seed of game g
        is ``game.derive_seeds(seed, 64, g // 64)[g % 64]``.
    paired : bool
        Play every deal n times, in all rotations of the agents, as the arena does: g stands for the
        deal above. Else every game has a deal of its own.
    rows : int
        Most decisions of a piece; see ``pieces``.
    threads : int
        For compiled agents.

    Raises
    ------
    RecordingError
        For a wrong number of games or rows, or a bad seed.
    EvaluationError
        If an agent chooses an illegal action.
    """
    for name, value in (("games", games), ("rows", rows), ("threads", threads)):
        if value < 1:
            raise RecordingError(f"{name} must be at least 1, got {value}")
    try:
        seed = checked_seed(seed)
    except ValueError as error:
        raise RecordingError(str(error)) from error
    alone = deal_by_deal(game, agents)
    limit = _decision_limit(game)
    for first in range(0, games, TOGETHER):
        block = first // TOGETHER
        numbers = np.arange(first, min(first + TOGETHER, games))
        block_seed = int(game.derive_seeds(seed, TOGETHER + 1, block)[TOGETHER])
        parts = [numbers] if not alone else [numbers[i : i + 1] for i in range(len(numbers))]
        part_seeds = game.derive_seeds(block_seed, len(parts), _PART_SEEDS).tolist()
        for own_numbers, part_seed in zip(parts, part_seeds, strict=True):
            own_seeds = game.derive_seeds(part_seed, len(agents), _AGENT_SEEDS).tolist()
            for agent, own_seed in zip(agents, own_seeds, strict=True):
                agent.reset(own_seed)
            deals = own_numbers // game.players if paired else own_numbers
            seeds = _deal_seeds(game, seed, deals)
            log = new_log(len(seeds), limit)
            lineups = lineups_of(game.players, own_numbers)
            with networks_on_one_thread():
                finals = play_games(game, agents, lineups, seeds, part_seed, threads, log)
            yield from _checked(game, _played(game, seeds, lineups, log), own_numbers, rows, finals)


def _deal_seeds(game: Game, seed: int, deals: np.ndarray) -> np.ndarray:
    """(G,) uint64 seeds of deals, whatever else is dealt."""
    blocks = {int(block): None for block in deals // TOGETHER}
    of_block = {block: game.derive_seeds(seed, TOGETHER, block) for block in blocks}
    return np.array([of_block[int(d) // TOGETHER][d % TOGETHER] for d in deals], dtype=np.uint64)


def _decision_limit(game: Game) -> int:
    """The watchdog's limit, so that no log is ever too short."""
    return int(_begun(game, np.zeros(1, dtype=np.uint64))["decision_limit"][0])


def _begun(game: Game, seeds: np.ndarray) -> np.ndarray:
    """Games at their first decision."""
    states = game.new_states(len(seeds))
    game.reset(states, seeds, np.zeros((len(seeds), game.num_actions), dtype=np.uint8))
    return states


def _played(game: Game, seeds: np.ndarray, lineups: np.ndarray, log: ActionLog) -> PlayedGames:
    return PlayedGames(
        starts=_begun(game, seeds),
        seeds=seeds,
        seeded=np.ones(len(seeds), dtype=np.bool_),
        lineups=lineups,
        actions=log.actions[:, : max(1, int(log.sizes.max()))],
        sizes=log.sizes,
    )


def _checked(
    game: Game, games: PlayedGames, numbers: np.ndarray, rows: int, finals: np.ndarray
) -> Iterator[Piece]:
    """The pieces of games that were just played; they must end as they did."""
    done = 0
    for piece in pieces_of(game, games, int(numbers[0]), rows):
        if not np.array_equal(piece.finals, finals[done : done + len(piece.finals)]):
            raise AssertionError("games played again ended otherwise")
        done += len(piece.finals)
        yield piece


# --- records ------------------------------------------------------------------------------------
def _record_of_table(path: str | os.PathLike[str], error: RecordError) -> GameRecord:
    """The game of a saved table; RecordError if the file, which holds no records, is none either.

    Records are tried first: a file of them may be too large to be read at once, as a table is.
    """
    try:
        return read_table(path)[2]
    except PlayError as other:
        raise RecordError(f"{error}; nor is it a saved table: {other}") from None


class RecordedGames:
    """The games of a file of records, or the one of a saved table.

    Records must be of one game, rule set and ``skip_forced``.

    Parameters
    ----------
    path : str or path
        A file that ``jerusalem_env.records`` or ``jerusalem play`` wrote.
    information, reward
        For the observations and utilities; records do not hold them.

    Attributes
    ----------
    game : Game
        What the records are of.
    games : int
        How many there are.

    Raises
    ------
    RecordError
        If the first record is damaged or of a game that is not known here, and the file is no
        saved table either.
    RecordingError
        If the file holds no record.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        information: Information = "screen",
        reward: str = "win",
    ) -> None:
        self.path = path
        self._table: GameRecord | None = None
        try:
            first = next(read_records(path), None)
        except RecordError as error:
            first = self._table = _record_of_table(path, error)
        if first is None:
            raise RecordingError(f"{path} holds no records")
        if self._table is not None:
            self.games = 1
        else:
            with open(path, "rb") as file:
                self.games = sum(1 for line in file if line.strip())
        try:
            self.game = make_game(
                first.game,
                rules=first.ruleset,
                information=information,
                reward=reward,
                skip_forced=first.skip_forced,
            )
        except GameError as error:
            raise RecordError(f"{path}, record 1: {error}") from None
        self._first = first
        self._rules = self.game.rules_dict()
        self._ids = {name: action for action, name in enumerate(self.game.action_names)}

    def pieces(self, rows: int = ROWS) -> Iterator[Piece]:
        """All games, played again.

        Raises
        ------
        RecordError
            For a record that is damaged, of another game or rule set, or does not replay exactly.
        """
        records = read_records(self.path) if self._table is None else iter([self._table])
        done = 0
        while block := list(islice(records, TOGETHER)):
            games = self._played(block, done)
            try:
                for piece in pieces_of(self.game, games, done, rows):
                    self._check_results(block, piece, piece.first_game - done)
                    yield piece
            except ReplayError as error:
                raise self._told(block[error.game], done + error.game) from None
            done += len(block)

    def _played(self, records: Sequence[GameRecord], done: int) -> PlayedGames:
        games = len(records)
        longest = max(1, max(len(record.actions) for record in records))
        seeds = np.array([record.seed or 0 for record in records], dtype=np.uint64)
        starts = _begun(self.game, seeds)
        actions = np.zeros((games, longest), dtype=np.int16)
        for place, record in enumerate(records):
            where = f"{self.path}, record {done + place + 1}"
            for what in ("game", "skip_forced"):
                if getattr(record, what) != getattr(self._first, what):
                    raise RecordError(
                        f"{where}: {what} is {getattr(record, what)!r}, in the first record "
                        f"{getattr(self._first, what)!r}; record them apart"
                    )
            if record.ruleset != self._first.ruleset:
                raise RecordError(
                    f"{where}: has another rule set than the first record; record them apart"
                )
            if record.start is not None:
                try:
                    starts[place] = self.game.read_position(record.start)[0]
                except ValueError as error:
                    raise RecordError(f"{where}: start: {error}") from None
                if (
                    self.game.write_position(starts[place]).get("ruleset", self._rules)
                    != self._rules
                ):
                    raise self._told(record, done + place)
            try:
                ids = [self._ids[name] for name in record.actions]
            except KeyError:
                raise self._told(record, done + place) from None
            actions[place, : len(ids)] = ids
        return PlayedGames(
            starts=starts,
            seeds=seeds,
            seeded=np.array([record.start is None for record in records]),
            lineups=np.full((games, self.game.players), UNKNOWN, dtype=np.int64),
            actions=actions,
            sizes=np.array([len(record.actions) for record in records], dtype=np.int64),
        )

    def _check_results(self, records: Sequence[GameRecord], piece: Piece, first: int) -> None:
        """Results must be those that the actions lead to."""
        over = self.game.terminated(piece.finals)
        for place in range(len(piece.finals)):
            result = self.game.results(piece.finals[place]) if over[place] else None
            if records[first + place].result != result:
                raise self._told(records[first + place], piece.first_game + place)

    def _told(self, record: GameRecord, number: int) -> RecordError:
        """What is wrong with a record, as ``records.replay`` says it."""
        where = f"{self.path}, record {number + 1}"
        try:
            replay(record)
        except RecordError as error:
            return RecordError(f"{where}: {error}")
        return RecordError(f"{where}: does not replay")
