"""Golden playthroughs: whole scripted games as text.

    python -m tests.golden.rewrite

plays them again and writes the files; look at the difference before committing it. A file begins
with a header, then has a line per decision (number, seat, phase, action), and wherever a round
begins and at the end the state that matters for the score.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from jerusalem_env.games import make_raw_env
from tests.scripted import Chance, is_done, legal_names

FOLDER = Path(__file__).resolve().parent
JERUSALEM_PRESETS: dict[str, dict[str, Any]] = {
    "german": {},
    "dutch": {"influence_ignores_baron": True},
    "french": {"election_all_sectors": True, "move_card_may_leave_blocked": True},
    "switched": {  # no preset, but every switch that a preset leaves alone
        "income": "equal_value",
        "first_opener": 1,
        "marshal_moves_count_for_baron": False,
        "palace_baron_round_1": True,
        "decline_income": True,
        "zero_ties_win_gifts": False,
        "war_may_hit_templars": False,
        "rounds": 4,
    },
}
IERUSALEM_PRESETS: dict[str, dict[str, Any]] = {
    "box": {},
    "by_colour": {"apostle_columns": "by_colour"},
}
IERUSALEM_SWITCHED = {  # no preset, but every switch; the data file has tests of its own
    "players": 4,
    "apostle_columns": "by_colour",
    "orange_scores": "own",
    "symbols": [
        *("lake", "lake", "market", "temple", "desert", "desert"),
        *("market", "lake", "temple"),
    ],
    "colours": ["blue", "red", "green", "yellow"],
    "first_player": 2,
}
# By game: name of the file -> rule set.
PLAYTHROUGHS: dict[str, dict[str, dict[str, Any]]] = {
    "jerusalem_v0": {
        f"jerusalem_v0_{preset}_{players}p": {"players": players, **switches}
        for preset, switches in JERUSALEM_PRESETS.items()
        for players in (2, 3, 4)
    },
    "ierusalem_v0": {
        f"ierusalem_v0_{preset}_{players}p": {"players": players, **switches}
        for preset, switches in IERUSALEM_PRESETS.items()
        for players in (3, 4)
    }
    | {"ierusalem_v0_switched_4p": IERUSALEM_SWITCHED},
}


def seed_of(name: str) -> int:
    """A seed for each playthrough, from its name."""
    return sum((place + 1) * ord(letter) for place, letter in enumerate(name))


def jerusalem_summary(position: dict[str, Any]) -> str:
    """One line of what counts: a number by seat each."""
    parts = [f"round {position['round']}"]
    for key in ("silver", "squires", "prestige", "floors"):
        parts.append(f"{key} {' '.join(str(x) for x in position[key])}")
    hands = " ".join(str(len(hand)) for hand in position["hands"])
    parts.append(f"cards {hands}")
    sectors: dict[str, list[int]] = {}
    for area, counts in position["board"].items():
        total = sectors.setdefault(area.split(".")[0], [0] * len(counts))
        for seat, count in enumerate(counts):
            total[seat] += count
    board = ", ".join(f"{s} {'+'.join(str(x) for x in t)}" for s, t in sectors.items())
    parts.append(f"board {board}")
    return "  = " + "; ".join(parts)


def jerusalem_round(position: dict[str, Any]) -> int:
    """Of a game in rounds, the one being played."""
    number: int = position["round"]
    return number


def ierusalem_summary(position: dict[str, Any]) -> str:
    """One line of what counts: a number by seat each."""
    parts = [f"turns {position['turns']}", f"sanhedrin {position['sanhedrin']}"]
    for key in ("points", "denarii", "camp", "offerings", "parables", "favors_done", "shuffles"):
        parts.append(f"{key} {' '.join(str(x) for x in position[key])}")
    for key in ("areas", "resources"):
        parts.append(f"{key} {' '.join('+'.join(map(str, x)) for x in position[key])}")
    for key in ("hands", "discards"):
        parts.append(f"{key} {' '.join(str(len(cards)) for cards in position[key])}")
    on_columns = ("+".join(str(len(cards)) for cards in own) for own in position["columns"])
    parts.append(f"columns {' '.join(on_columns)}")
    taken = list(position["supper"].values())
    seats = (str(taken.count(seat)) for seat in range(len(position["points"])))
    parts.append(f"supper {' '.join(seats)}")
    seated = (f"{seat} {colour}" for seat, colour in position["seats"].items() if colour)
    parts.append(f"seated {', '.join(seated) or '-'}")
    return "  = " + "; ".join(parts)


def ierusalem_round(position: dict[str, Any]) -> int:
    """How often everybody has had a turn; 0 in set-up."""
    turns: int = position["turns"]
    return -(-turns // len(position["points"]))


# By game: what is told of a position, and the number with which it is told again.
SUMMARIES = {"jerusalem_v0": jerusalem_summary, "ierusalem_v0": ierusalem_summary}
ROUNDS = {"jerusalem_v0": jerusalem_round, "ierusalem_v0": ierusalem_round}


def playthrough(game: str, name: str) -> str:
    """Play one scripted game and tell it."""
    ruleset = PLAYTHROUGHS[game][name]
    env = make_raw_env(game, ruleset, skip_forced=False)
    seed = seed_of(name)
    env.reset(seed=seed)
    chance = Chance(seed)
    lines = [
        f"# {game}",
        f"# ruleset {json.dumps(env.game.rules_dict())}",
        f"# seed {seed}",
    ]
    last_round, number = -1, 0
    while not is_done(env):
        position = env.position()
        if ROUNDS[game](position) != last_round:
            last_round = ROUNDS[game](position)
            lines.append(SUMMARIES[game](position))
        number += 1
        action = chance.choose(legal_names(env))
        lines.append(f"{number:>4} {position['to_act']} {position['phase']:<12} {action}")
        env.step(env.action_names.index(action))
    lines.append(SUMMARIES[game](env.position()))
    lines.append(f"# result {json.dumps(env.game.results(env.states[0]))}")
    lines.append(f"# rewards {json.dumps([env.rewards[agent] for agent in env.possible_agents])}")
    return "\n".join(lines) + "\n"


def path_of(name: str) -> Path:
    """Where a playthrough is kept."""
    return FOLDER / f"{name}.txt"


def main() -> int:
    """Write every playthrough anew; says which changed."""
    for game, names in PLAYTHROUGHS.items():
        for name in names:
            path = path_of(name)
            text = playthrough(game, name)
            old = path.read_text(encoding="utf-8") if path.exists() else None
            if text == old:
                print(f"{path.name}: unchanged")
                continue
            partial = path.with_name(path.name + ".partial")
            partial.write_text(text, encoding="utf-8")
            os.replace(partial, path)
            print(f"{path.name}: {'new' if old is None else 'CHANGED'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
