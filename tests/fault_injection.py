"""Injects rule faults one by one and shows that the test suite catches each.

    python -m tests.fault_injection [NAME ...]

Each fault is a small edit of a copy of the package; the rule tests then run on the copy and must
fail. The script fails if a fault goes unseen, or if an edit no longer applies.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENGINE = "jerusalem_env/jerusalem/engine"
SECOND_ENGINE = "jerusalem_env/ierusalem/engine"
TESTS = (
    "tests/rules/test_worked_examples.py",
    "tests/rules/test_derived_cases.py",
    "tests/rules/test_switches.py",
    "tests/rules/test_cards.py",
    "tests/rules/test_auction_and_turn.py",
    "tests/rules/test_privileges.py",
    "tests/rules/test_events.py",
)
SECOND_TESTS = (
    "tests/ierusalem/test_cases_e.py",
    "tests/ierusalem/test_cases_f_board.py",
    "tests/ierusalem/test_cases_f_turn.py",
)


@dataclass(frozen=True)
class Fault:
    """One edit: in ``file``, the only occurrence of ``right`` becomes ``wrong``."""

    name: str
    file: str
    right: str
    wrong: str


FAULTS = (
    Fault(
        "ties go to the highest office (R7.1)",
        f"{ENGINE}/control.py",
        "s.board[seat, area] > best:",
        "s.board[seat, area] >= max(best, 1):",
    ),
    Fault(
        "privilege ties go to the highest office (R12.3)",
        f"{ENGINE}/control.py",
        "sector_total(s, sector, seat) > best:",
        "sector_total(s, sector, seat) >= max(best, 1):",
    ),
    Fault(
        "no surcharge for the first to build (R14.2)",
        f"{ENGINE}/income.py",
        "return height + 2",
        "return height + 1",
    ),
    Fault(
        "influence into a blocked area (D1)",
        f"{ENGINE}/moves.py",
        "areas if s.influence_ignores_baron == 1 else",
        "areas if s.influence_ignores_baron < 2 else",
    ),
    Fault(
        "a tie in the gifts pays 3 (R13.2)",
        f"{ENGINE}/income.py",
        "3 if holders == 1 else 1",
        "3",
    ),
    Fault(
        "the captain's baron needs 3 (R8.4)",
        f"{ENGINE}/turn.py",
        "(2 if area % 3 == 0 else 1) if captain else 3",
        "3",
    ),
    Fault(
        "the election counts absent players as 0 (R15.3)",
        f"{ENGINE}/events.py",
        "if s.board[seat, area] > 0 and (smallest == 0 or s.board[seat, area] < smallest):",
        "if seat == 0 or s.board[seat, area] < smallest:",
    ),
    Fault(
        "the special tax is free (R15.4)",
        f"{ENGINE}/events.py",
        "s.silver[seat] -= 1",
        "s.silver[seat] -= 0",
    ),
    Fault(
        "war without the limit of 2 per opponent (R15.5)",
        f"{ENGINE}/events.py",
        "s.hits[opponent] >= 2",
        "s.hits[opponent] >= 99",
    ),
    Fault(
        "the lowest tower opens (R4.2)",
        f"{ENGINE}/auction.py",
        "better = s.floors[seat] > s.floors[best]",
        "better = s.floors[seat] < s.floors[best]",
    ),
    Fault(
        "the treasurer's discount is given twice (R10.2)",
        f"{ENGINE}/turn.py",
        "s.hired < 2:\n        return 1 + s.hired",
        "s.hired < 4:\n        return 1 + s.hired % 2",
    ),
    Fault(
        "the succession saves 3 (R15.2)",
        f"{ENGINE}/events.py",
        "if s.saved < min(2, s.lost[seat]):",
        "if s.saved < min(3, s.lost[seat]):",
    ),
    Fault(
        "dismissing pays 1 for 2 (R9.2)",
        f"{ENGINE}/turn.py",
        "s.left = 3",
        "s.left = 2",
    ),
    Fault(
        "the Palace is open to the leader's baron (R8.9)",
        f"{ENGINE}/turn.py",
        "return True  # D14: tied, but without the most prestige\n    return False",
        "return True  # D14: tied, but without the most prestige\n    return True",
    ),
    Fault(
        "the Palace is open in round 1 (R8.10)",
        f"{ENGINE}/turn.py",
        "if s.round == 1 and s.palace_baron_round_1 == 0:\n        return False",
        "if s.round == 1 and s.palace_baron_round_1 == 0:\n        return True",
    ),
    Fault(
        "Genoa changes nothing (R11.11)",
        f"{ENGINE}/turn.py",
        "return 2 if s.genoa == 1 else 3",
        "return 3",
    ),
    Fault(
        "theft below zero (R12.7)",
        f"{ENGINE}/income.py",
        "if s.prestige[victim] > 0:",
        "if s.prestige[victim] > -9:",
    ),
    Fault(
        "the Tower lets squires out past a baron (R12.2)",
        f"{ENGINE}/income.py",
        "if (blocked(s) >> DAVIDS_TOWER) & 1 == 0 and others != 0:",
        "if others != 0:",
    ),
    Fault(
        "squires old enough count for the baron (R8.2)",
        f"{ENGINE}/turn.py",
        "s.arrivals[area] >= need and s.board",
        "s.board",
    ),
    Fault(
        "building goes on for a second floor only (R14.3)",
        f"{ENGINE}/income.py",
        "while s.prestige[seat] >= price:",
        "if s.prestige[seat] >= price:",
    ),
    Fault(
        "the event of the last round is carried out (VII.a)",
        f"{ENGINE}/events.py",
        "if s.round == s.rounds or s.round < 2 or s.round > 4:",
        "if s.round < 2 or s.round > 4:",
    ),
    Fault(
        "the next opener is the winner's right neighbour (R4.9)",
        f"{ENGINE}/auction.py",
        "first_free_from(s, (winner + 1) % s.players)",
        "first_free_from(s, (winner + s.players - 1) % s.players)",
    ),
)

# Ierusalem: Anno Domini; clauses of its own rule book.
SECOND_FAULTS = (
    Fault(
        "the other players score a judgment in full (R11.3)",
        f"{SECOND_ENGINE}/sanhedrin.py",
        "number if seat == s.turn else number // 2",
        "number",
    ),
    Fault(
        "a bureaucracy step is taken although Apostles are left (R5.2)",
        f"{SECOND_ENGINE}/sanhedrin.py",
        "if s.judgments_on == 0 and s.sanhedrin < s.last_space:",
        "if s.sanhedrin < s.last_space:",
    ),
    Fault(
        "the displaced player is not paid (R12.4, A35)",
        f"{SECOND_ENGINE}/places.py",
        "        s.denarii[other] += s.recruit_price[area]  # A35\n",
        "",
    ),
    Fault(
        "what was sold may be bought back (A33)",
        f"{SECOND_ENGINE}/places.py",
        "if not dear and (s.sold >> resource) & 1 == 0:",
        "if not dear:",
    ),
    Fault(
        "a fourth follower may work in an area (R12.5)",
        f"{SECOND_ENGINE}/places.py",
        "        if s.areas[seat, area] >= s.max_each:\n            continue  # R12.5\n",
        "",
    ),
    Fault(
        "an invited follower pays (R13.3)",
        f"{SECOND_ENGINE}/supper.py",
        "    if s.free == 0:\n",
        "    if s.free < 2:\n",
    ),
    Fault(
        "changing places brings an Offering (R13.7)",
        f"{SECOND_ENGINE}/supper.py",
        "    s.lifted = -1\n    have_effect(s, action - SPACE)\n",
        "    s.lifted = -1\n    push(s, STEP_OFFERING)\n    have_effect(s, action - SPACE)\n",
    ),
    Fault(
        "symbols count in any order (R7.2)",
        f"{SECOND_ENGINE}/sets.py",
        "    return needed if matched == size else NO_FIT\n",
        "    return needed\n",
    ),
    Fault(
        "a marker that calls a follower asks its giver (A38)",
        f"{SECOND_ENGINE}/favors.py",
        "        call(s, seat, 1)\n",
        "        call(s, s.turn, 1)\n",
    ),
    Fault(
        "the reward of the 4th Favor comes with the 3rd (R16.4)",
        f"{SECOND_ENGINE}/favors.py",
        "s.denarii[seat] += s.favor_denarii[place]",
        "s.denarii[seat] += s.favor_denarii[min(place + 1, 7)]",
    ),
    Fault(
        "an unused Illumination breaks no tie (R18.6)",
        f"{SECOND_ENGINE}/scoring.py",
        "    if s.illumination[seat] != s.illumination[other]:\n"
        "        return s.illumination[seat] > s.illumination[other]\n",
        "",
    ),
    Fault(
        "Judas takes more the further away (R18.3)",
        f"{SECOND_ENGINE}/scoring.py",
        "return min(value + distance, 0)",
        "return min(value - distance, 0)",
    ),
    Fault(
        "an empty display slot stays empty (A23)",
        f"{SECOND_ENGINE}/cards.py",
        "        if s.display[0] < 0:\n",
        "        if s.display[0] < -1:\n",
    ),
    Fault(
        "the deck is filled up before it is empty (R9.2)",
        f"{SECOND_ENGINE}/cards.py",
        "        if s.deck_size[seat] == 0:\n",
        "        if s.deck_size[seat] <= 1:\n",
    ),
    Fault(
        "judgments stay when all Apostles are seated (R7.12)",
        f"{SECOND_ENGINE}/visit.py",
        "        s.judgments_on = 0\n",
        "        s.judgments_on = 1\n",
    ),
)


def caught(fault: Fault) -> tuple[bool, str]:
    """Whether the rule tests fail on a copy with the fault, and the first failing test."""
    with tempfile.TemporaryDirectory(prefix="fault-") as folder:
        copy = Path(folder)
        for name in ("jerusalem_env", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        source = copy / fault.file
        text = source.read_text(encoding="utf-8")
        if text.count(fault.right) != 1:
            raise SystemExit(f"{fault.name}: the edit no longer applies to {fault.file}")
        source.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
        environment = {
            **os.environ,
            "PYTHONPATH": folder,
            "JERUSALEM_CACHE_DIR": str(copy / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k"]
        tests = SECOND_TESTS if fault in SECOND_FAULTS else TESTS
        done = subprocess.run(
            [*command, "not reference", *tests],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        if done.returncode not in (0, 1) or (done.returncode == 1 and not failed):
            raise SystemExit(f"{fault.name}: the tests did not run\n{done.stdout[-2000:]}")
        return done.returncode == 1, failed[0].split(" - ")[0] if failed else ""


def main(names: list[str]) -> int:
    """Inject every fault, or those whose name contains one of the given words."""
    faults = [
        f for f in (*FAULTS, *SECOND_FAULTS) if not names or any(name in f.name for name in names)
    ]
    unseen = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for fault, (seen, test) in zip(faults, pool.map(caught, faults), strict=True):
            print(f"{'caught' if seen else 'UNSEEN'}  {fault.name}  {test}", flush=True)
            unseen += not seen
    print(f"{len(faults) - unseen} of {len(faults)} faults caught")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
