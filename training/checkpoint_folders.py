"""Folders of checkpoints: one a checkpoint, named by its decisions, complete or not there at all.

A checkpoint is written under a name that is no number and renamed when it is complete. One that
goes, or makes room for another of the same step, loses its name before its files: a run that is
killed at any moment leaves no half of one under a number.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_PARTIAL = ".partial"


def new_checkpoint(folder: Path, decisions: int) -> tuple[Path, Path]:
    """(where to write a checkpoint, not there yet; its name when it is complete)."""
    target = folder / f"{decisions:012d}"
    partial = target.with_name(target.name + _PARTIAL)
    if partial.exists():
        shutil.rmtree(partial)
    folder.mkdir(parents=True, exist_ok=True)
    return partial, target


def put_in_place(partial: Path, target: Path) -> None:
    """Give a complete checkpoint its name; one of the same step goes."""
    before = target.with_name(target.name + ".before" + _PARTIAL)
    if target.exists():
        os.replace(target, before)
    os.replace(partial, target)
    shutil.rmtree(before, ignore_errors=True)


def complete_checkpoints(folder: Path) -> list[Path]:
    """The complete checkpoints in a folder, oldest first."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if path.is_dir() and path.name.isdecimal()]
    return sorted(found, key=lambda path: int(path.name))


def keep_latest(folder: Path, kept: int) -> None:
    """Remove all but the latest checkpoints, and what an interruption left half written."""
    for path in complete_checkpoints(folder)[:-kept]:
        os.replace(path, path.with_name(path.name + _PARTIAL))
    for path in folder.glob("*" + _PARTIAL):
        shutil.rmtree(path)
