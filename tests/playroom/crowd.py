"""Requests of many threads to agents that run on all cores; a script, for a process of its own."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from jerusalem_env.bits import new_words, pack_rows
from jerusalem_env.chance import sample_packed
from jerusalem_env.envs.opponents import UniformOpponent
from jerusalem_env.playroom import room, session
from tests.playroom.equipment import played_record
from tests.playroom.serving import offer


class BusyOpponent(UniformOpponent):
    """Plays the first of many draws that threads make at once."""

    def act(self, views: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Uniform over the legal actions."""
        several = np.repeat(np.ascontiguousarray(masks, dtype=np.uint8), 5_000, axis=0)
        legal = new_words(*several.shape)
        pack_rows(several, legal)
        return sample_packed(legal, self._rng, threads=4)[: len(views)]


def main() -> None:
    """Judge four records and play at two tables, all at once."""
    room.opponent_by_name = session.opponent_by_name = lambda name, game: BusyOpponent()
    record = played_record(2)
    asked = room.Room(offer(), [room.Reel("x", record) for _ in range(4)])
    tables = [asked.post(("tables",), {"players": ["random"] * 2})["id"] for _ in range(2)]

    def judge(reel: int) -> int:
        query = {"agent": "random", "first": "0", "count": "40"}
        return len(asked.get(("records", str(reel), "judgements"), query))

    def play(table: str) -> int:
        number = 0
        for _ in range(40):
            body = {"number": number, "most": 1}
            number = asked.post(("tables", table, "advance"), body)["number"]
        return number

    with ThreadPoolExecutor(6) as pool:
        began = time.perf_counter()
        found = [*pool.map(judge, range(4)), *pool.map(play, tables)]
    print(numba.threading_layer(), found, f"{time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()
