"""The application behind the page: tables that are played, records that are stepped through."""

from __future__ import annotations

import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ..envs.opponents import opponent_by_name
from ..errors import RecordError, is_integer
from ..records import GameRecord
from .page_data import check_seat, head_of, judgements_of, pictures_of
from .session import PlayError, Session, new_table
from .table import NotAllowedError, Table
from .timeline import Timeline, timeline_of
from .turns import THINKING
from .web import RefusedError

_MOST_TABLES = 100  # the one that was not used for longest is let go
_MOST_TIMELINES = 8  # records kept replayed
_FRAMES = 16  # pictures in one answer
_MOST_JUDGED = 64  # decisions in one answer
_MOST_SEATS = 16
# A page may name an agent with a budget, such as `name:500` or `name:0.5s`. One that reads a file
# could run what is in it, so it is for the command line to name.
_AGENT = re.compile(r"[a-z][a-z_]*(:[0-9]{1,6}(\.[0-9]{1,3})?s?)?")


@dataclass
class Reel:
    """A record to be stepped through.

    Attributes
    ----------
    title : str
    record : GameRecord
    names : tuple of str or None, or None
        Who played each seat, where it is known.
    """

    title: str
    record: GameRecord
    names: tuple[str | None, ...] | None = None
    replaying: threading.Lock = field(default_factory=threading.Lock)
    agents: dict[str, Any] = field(default_factory=dict)
    judged: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)

    def summary(self, name: str) -> dict[str, Any]:
        """What a list of records says of it."""
        return {
            "id": name,
            "title": self.title,
            "decisions": len(self.record.actions),
            "names": None if self.names is None else list(self.names),
            "result": self.record.result,
            "seed": None if self.record.seed is None else str(self.record.seed),
        }


@dataclass(frozen=True)
class Offer:
    """What the page's form for a new game begins with.

    Attributes
    ----------
    game : str
    players : tuple of str or None
        Who plays each seat; None: a person.
    rules : str
        Empty for a game without presets.
    presets : tuple of str
        Rules to choose from.
    counts : tuple of int
        Numbers of players to choose from.
    agents : tuple of str
        Agents to choose from; those with paths may be named only here.
    hint : str
    seed : int or None
    """

    game: str
    players: tuple[str | None, ...]
    rules: str
    presets: tuple[str, ...]
    counts: tuple[int, ...]
    agents: tuple[str, ...]
    hint: str
    seed: int | None = None


class Room:
    """Answers the page; see ``web.Application``.

    Parameters
    ----------
    offer : Offer
    reels : sequence of Reel
    folder : Path
        Where tables are saved.
    """

    def __init__(self, offer: Offer, reels: Sequence[Reel] = (), folder: Path = Path()) -> None:
        self.offer, self.folder = offer, folder
        self.tables: OrderedDict[str, Table] = OrderedDict()
        self.reels: dict[str, Reel] = {str(number): reel for number, reel in enumerate(reels)}
        self._timelines: OrderedDict[str, Timeline] = OrderedDict()
        self._lock = threading.Lock()

    def add_table(self, session: Session, file: Path | None = None) -> Table:
        """Put a session on a table of its own."""
        name = secrets.token_hex(4)
        table = Table(name, session, file or self.folder / f"table_{name}.json")
        with self._lock:
            self.tables[name] = table
            while len(self.tables) > _MOST_TABLES:
                self.tables.popitem(last=False)
        return table

    # --- addresses ---------------------------------------------------------------------------
    def get(self, path: tuple[str, ...], query: Mapping[str, str]) -> Any:
        """``agents``, ``tables[/ID[/record]]``, ``records[/ID[/frames|/judgements]]``."""
        seat = _seat(_number(query, "seat") if "seat" in query else None)
        with _helpful():
            match path:
                case ("start",):
                    return self._start()
                case ("tables", name):
                    return self._table(name).view(seat, canvas=True)
                case ("tables", name, "record"):
                    return {"line": self._table(name).record_line()}
                case ("records", name):
                    return self._head(name, seat)
                case ("records", name, "frames"):
                    return self._frames(name, seat, _number(query, "first"))
                case ("records", name, "judgements"):
                    first, count = _number(query, "first"), _number(query, "count")
                    return self._judgements(name, seat, query.get("agent", ""), first, count)
        raise RefusedError(HTTPStatus.NOT_FOUND, f"there is nothing at {'/'.join(path)!r}")

    def post(self, path: tuple[str, ...], body: Mapping[str, Any]) -> Any:
        """``tables`` makes one; ``tables/ID/act|advance|take_back|hint|save`` does something."""
        with _helpful():
            match path:
                case ("tables",):
                    return {"id": self._new_table(body).name}
                case ("tables", name, "save"):
                    return {"file": str(self._table(name).save())}
                case ("tables", name, ("act" | "advance" | "take_back" | "hint") as what):
                    return self._at_table(self._table(name), what, body)
        raise RefusedError(HTTPStatus.NOT_FOUND, f"nothing can be done at {'/'.join(path)!r}")

    def _at_table(self, table: Table, what: str, body: Mapping[str, Any]) -> Any:
        number, seat = _checked(body, "number", 0, 10**9), _seat(body.get("seat"))
        if what == "hint":
            return table.hint(number, self._allowed(_text(body, "agent")), seat)
        if what == "act":
            return table.act(number, _text(body, "action"), seat)
        if what == "take_back":
            return table.take_back(number, seat)
        return table.advance(number, _checked(body, "most", 1, 1000), seat)

    def _start(self) -> dict[str, Any]:
        """What the first page shows."""
        with self._lock:
            tables = list(self.tables.values())
            reels = list(self.reels.items())
        return {
            "game": self.offer.game,
            "players": list(self.offer.players),
            "rules": self.offer.rules,
            "presets": list(self.offer.presets),
            "counts": list(self.offer.counts),
            "agents": list(self.offer.agents),
            "hint": self.offer.hint,
            "seed": None if self.offer.seed is None else str(self.offer.seed),
            "tables": [table.summary() for table in reversed(tables)],
            "records": [reel.summary(name) for name, reel in reels],
        }

    # --- tables ------------------------------------------------------------------------------
    def _table(self, name: str) -> Table:
        with self._lock:
            if name not in self.tables:
                raise RefusedError(
                    HTTPStatus.NOT_FOUND,
                    f"there is no table {name!r}; tables that were not saved end with the server",
                )
            self.tables.move_to_end(name)
            return self.tables[name]

    def _new_table(self, body: Mapping[str, Any]) -> Table:
        players = body.get("players")
        if not isinstance(players, list) or not 1 <= len(players) <= _MOST_SEATS:
            raise _bad("players must be a list: for each seat the name of an agent, or null")
        who = [None if one is None else self._allowed(one) for one in players]
        seed = body.get("seed")
        if isinstance(seed, str) and seed.isascii() and seed.isdecimal() and len(seed) <= 20:
            seed = int(seed)
        if seed is not None and not is_integer(seed, 0, 2**64 - 1):
            raise _bad(f"seed must be a whole number from 0 to 2**64 - 1, got {seed!r}")
        agent_seed = secrets.randbits(64) if seed is None else seed
        rules = body.get("rules", self.offer.rules)
        if not isinstance(rules, str):
            raise _bad(f"rules must be the name of a preset, got {rules!r}")
        with THINKING:
            session = new_table(self.offer.game, who, rules or None, seed, agent_seed)
        return self.add_table(session)

    def _allowed(self, agent: Any) -> str:
        """The name of an agent, if a page may name it."""
        if isinstance(agent, str) and (agent in self.offer.agents or _AGENT.fullmatch(agent)):
            return agent
        raise _bad(
            f"no agent can be named {agent!r} here: give a name with or without a budget, such as "
            f"{', '.join(self.offer.agents)}; name others with --agents when you start the server"
        )

    # --- records -----------------------------------------------------------------------------
    def _reel(self, name: str) -> Reel:
        """A record; that of a table, as ``table-ID``, once its game is over."""
        with self._lock:
            if name in self.reels:
                return self.reels[name]
        kind, _, table_name = name.partition("-")
        if kind != "table":
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no record {name!r}")
        table = self._table(table_name)
        if not table.over:
            raise NotAllowedError("a game can be stepped through once it is over")
        title = f"game at table {table_name}"
        reel = Reel(title, table.session.record(), table.session.players)
        with self._lock:
            return self.reels.setdefault(name, reel)

    def _timeline(self, name: str, reel: Reel) -> Timeline:
        """The record replayed; it is only read from then on, so requests may share it."""
        with reel.replaying:
            with self._lock:
                if name in self._timelines:
                    self._timelines.move_to_end(name)
                    return self._timelines[name]
            timeline = timeline_of(reel.record)
            with self._lock:
                self._timelines[name] = timeline
                while len(self._timelines) > _MOST_TIMELINES:
                    self._timelines.popitem(last=False)
            return timeline

    def _head(self, name: str, seat: int | None) -> dict[str, Any]:
        reel = self._reel(name)
        return head_of(self._timeline(name, reel), reel.title, seat, reel.names)

    def _frames(self, name: str, seat: int | None, first: int) -> dict[str, Any]:
        reel = self._reel(name)
        timeline = self._timeline(name, reel)
        check_seat(timeline.game, seat)
        if first >= len(timeline.states):
            raise _bad(f"first must be below {len(timeline.states)}, got {first}")
        last = min(first + _FRAMES, len(timeline.states))
        return pictures_of(timeline, seat, range(first, last))

    def _judgements(
        self, name: str, seat: int | None, agent: str, first: int, count: int
    ) -> dict[str, Any]:
        reel = self._reel(name)
        agent = self._allowed(agent)
        timeline = self._timeline(name, reel)
        check_seat(timeline.game, seat)
        last = min(first + min(count, _MOST_JUDGED), len(timeline))
        numbers = [n for n in range(first, last) if seat in (None, timeline.seat(n))]
        for number in numbers:
            if (agent, number) not in reel.judged:
                self._judge(reel, timeline, agent, number)
        return {str(n): reel.judged[agent, n] for n in numbers}

    def _judge(self, reel: Reel, timeline: Timeline, agent: str, number: int) -> None:
        """Ask an agent for one judgement, unless another request did while this one waited."""
        with THINKING:
            if (agent, number) in reel.judged:
                return
            if agent not in reel.agents:
                reel.agents[agent] = opponent_by_name(agent, timeline.game)
            found = judgements_of(timeline, reel.agents[agent], [number])
            reel.judged[agent, number] = found[number]


@contextmanager
def _helpful() -> Iterator[None]:
    """Turns our own errors into answers with the status that fits."""
    try:
        yield
    except NotAllowedError as error:
        raise RefusedError(HTTPStatus.FORBIDDEN, str(error)) from error
    except PlayError as error:
        raise RefusedError(HTTPStatus.CONFLICT, str(error)) from error
    except RecordError as error:
        raise RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from error
    except ValueError as error:
        raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error


def _bad(message: str) -> RefusedError:
    return RefusedError(HTTPStatus.BAD_REQUEST, message)


def _checked(body: Mapping[str, Any], name: str, low: int, high: int) -> int:
    value = body.get(name)
    if value is None or not is_integer(value, low, high):
        raise _bad(f"{name} must be a whole number from {low} to {high}, got {value!r}")
    return int(value)


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise _bad(f"{name} must be a text, got {value!r}")
    return value


def _seat(value: Any) -> int | None:
    if value is not None and not is_integer(value, 0, _MOST_SEATS):
        raise _bad(f"seat must be the number of a seat, or left out, got {value!r}")
    return None if value is None else int(value)


def _number(query: Mapping[str, str], name: str) -> int:
    value = query.get(name, "")
    if not (value.isascii() and value.isdecimal() and len(value) < 10):
        raise _bad(f"{name} must be a whole number, got {value!r}")
    return int(value)
