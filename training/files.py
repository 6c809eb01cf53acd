"""Files that are there complete or not at all: written to a temporary name and renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write as JSON; see ``write_text``."""
    write_text(path, json.dumps(content, indent=1) + "\n")


def write_text(path: Path, content: str) -> None:
    """Write to a temporary name and rename; folders that are missing are made."""
    partial = _partial(path)
    partial.write_text(content, encoding="utf-8")
    os.replace(partial, path)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """The same for a compressed ``.npz`` file."""
    partial = _partial(path)
    with open(partial, "wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    os.replace(partial, path)


def append_json(path: Path, line: Mapping[str, Any]) -> None:
    """One more line of JSON."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def _partial(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.with_name(path.name + ".partial")
