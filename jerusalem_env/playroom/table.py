"""A table on a page: what a seat is told of a running game, and what may be done there when.

While the game runs nothing leaves this file that the seat may not know: no seed, no record, no
other seat's judgement, no action by its name.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import IllegalActionError
from .moves import legal_groups
from .page_data import canvas_of, check_seat, drawing_of, judgement_values
from .session import PERSON, PlayError, Session
from .turns import THINKING

_LONGEST = 1.0  # seconds that agents play on for one request


class NotAllowedError(PlayError):
    """Something that this seat may not see or do."""


class Table:
    """A session that requests of many threads share.

    Parameters
    ----------
    name : str
        Its name in addresses.
    session : Session
    file : Path
        Where ``save`` keeps it.
    """

    def __init__(self, name: str, session: Session, file: Path) -> None:
        self.name, self.session, self.file = name, session, file
        self.lock = threading.RLock()
        self._lines: dict[int | None, list[list[str]]] = {}

    @property
    def over(self) -> bool:
        """Whether the game has ended. Needs no lock: states are added whole."""
        return self.session.timeline.over(-1)

    @contextmanager
    def agents_turn(self) -> Iterator[None]:
        """To be held while agents of this table are asked: their turn first, then the table."""
        with THINKING, self.lock:
            yield

    @property
    def people(self) -> list[int]:
        """Seats that people play."""
        return [seat for seat, who in enumerate(self.session.players) if who is PERSON]

    def summary(self) -> dict[str, Any]:
        """What a list of tables says of it, also while an agent thinks there."""
        return {
            "id": self.name,
            "players": list(self.session.players),
            "number": len(self.session.timeline),
            "over": self.over,
        }

    # --- reading -----------------------------------------------------------------------------
    def viewer(self, seat: int | None) -> int | None:
        """The seat whose view is told; None: everything, where nobody may be spoiled by it.

        Raises
        ------
        NotAllowedError
            For a seat that is not a person's while the game runs.
        """
        if self.session.over or not self.people:
            return None
        if seat is None:
            if len(self.people) > 1:
                who = ", ".join(f"P{person}" for person in self.people)
                raise NotAllowedError(f"say whose view you want: seat is one of {who}")
            return self.people[0]
        if seat not in self.people:
            raise NotAllowedError(f"P{seat} is not played by a person: its view stays hidden")
        return seat

    def view(self, seat: int | None = None, canvas: bool = False) -> dict[str, Any]:
        """The table as ``seat`` may know it; ``canvas``: with what all pictures share."""
        with self.lock:
            session, game = self.session, self.session.game
            check_seat(game, seat)
            seat = self.viewer(seat)
            state = session.env.states[0]
            drawing = drawing_of(game, state, seat)
            picture: dict[str, Any] = {"text": game.render_text(state, seat)}
            if drawing is not None:
                picture["shapes"] = drawing.to_svg("shapes")
                picture["alt"] = f"{drawing.title}. {drawing.description}"
            if canvas:
                picture["canvas"] = canvas_of(game, session.timeline.states[0][0])
            mine = session.waits_for_person and seat == session.to_act
            values = {
                "id": self.name,
                "game": game.name,
                "players": list(session.players),
                "people": self.people,
                "seat": seat,
                "number": len(session.timeline),
                "over": session.over,
                "to_act": None if session.over else session.to_act,
                "decision": game.describe_decision(state, seat),
                "picture": picture,
                "steps": self._steps(seat),
                "moves": self._moves() if mine else [],
                "may_take_back": mine and session.may_take_back(),
            }
            if session.over:
                record = session.record()
                values |= {
                    "result": record.result,
                    "seed": str(record.seed),
                }  # too long for JavaScript
            return values

    def _steps(self, seat: int | None) -> list[dict[str, Any]]:
        """The log: whose decision, and lines."""
        timeline = self.session.timeline
        lines = self._lines.setdefault(seat, [])
        for number in range(len(lines), len(timeline)):
            lines.append(timeline.lines(number, seat))
        return [{"seat": timeline.seat(n), "lines": told} for n, told in enumerate(lines)]

    def _moves(self) -> list[dict[str, Any]]:
        """The legal moves by kind; only for the seat whose moves they are."""
        game, timeline = self.session.game, self.session.timeline
        return [
            {
                "kind": group.kind,
                "meaning": group.meaning,
                "names": [game.action_names[action] for action in group.actions],
            }
            for group in legal_groups(game, timeline.mask(len(timeline)))
        ]

    # --- doing -------------------------------------------------------------------------------
    # Doing and telling are under one lock: what is told is what this request led to.
    def _expect(self, number: int) -> None:
        """Raises PlayError if the page that asks shows another decision than the one at hand."""
        now = len(self.session.timeline)
        if number != now:
            raise PlayError(
                f"the table has gone on: this was for decision {number}, now it is decision {now}"
            )

    def _expect_mine(self, number: int, seat: int | None) -> int:
        """The seat, if it is that person's decision now."""
        self._expect(number)
        seat = self.viewer(seat)
        if self.session.over:
            raise PlayError("the game is over")
        if not self.session.waits_for_person or seat != self.session.to_act:
            raise NotAllowedError(f"P{self.session.to_act} decides now")
        assert seat is not None  # a person's
        return seat

    def act(self, number: int, action: str, seat: int | None) -> dict[str, Any]:
        """A person's move, by its name; returns the view. If it raises, nothing has changed.

        Raises
        ------
        PlayError
            If the move cannot be made, by this seat or at all.
        """
        with self.lock:
            self._expect_mine(number, seat)
            names = self.session.game.action_names
            if action not in names:
                raise PlayError(f"there is no move named {action!r}")
            try:
                self.session.step(names.index(action))
            except IllegalActionError as error:
                raise PlayError(str(error)) from error
            return self.view(seat)

    def advance(self, number: int, most: int, seat: int | None) -> dict[str, Any]:
        """Let agents play: at most so many decisions, for about a second, up to a person's.

        Returns what ``seat`` may know then; of a seat that may know nothing, nothing is done.
        """
        with self.agents_turn():
            check_seat(self.session.game, seat)
            self.viewer(seat)
            self._expect(number)
            until = time.monotonic() + _LONGEST
            for _ in range(most):
                if self.session.over or self.session.waits_for_person:
                    break
                self.session.agent_step()
                if time.monotonic() > until:
                    break
            return self.view(seat)

    def take_back(self, number: int, seat: int | None) -> dict[str, Any]:
        """Undo the person's last decision; returns the view."""
        with self.lock:
            self._expect_mine(number, seat)
            self.session.take_back()
            for lines in self._lines.values():
                del lines[len(self.session.timeline) :]
            return self.view(seat)

    def hint(self, number: int, agent: str, seat: int | None) -> dict[str, Any]:
        """What an agent thinks of the decision, knowing what the person knows."""
        with self.agents_turn():
            self._expect_mine(number, seat)
            return judgement_values(self.session.hint(agent), self.session.game)

    def save(self) -> Path:
        """Keep the table in its file, which `jerusalem serve` and `jerusalem play` take up."""
        with self.lock:
            try:
                self.session.save(self.file)
            except OSError as error:
                raise PlayError(f"{self.file} cannot be written: {error.strerror}") from error
            return self.file

    def record_line(self) -> str:
        """The finished game as a line of JSON. Raises NotAllowedError while it runs."""
        with self.lock:
            if not self.session.over:
                raise NotAllowedError("the record tells everything: it is for after the game")
            return json.dumps(self.session.record().to_dict(), separators=(",", ":")) + "\n"
