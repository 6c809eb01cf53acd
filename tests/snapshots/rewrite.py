"""Write the pictures of the set positions anew: ``python -m tests.snapshots.rewrite [NAME ...]``.

Says how far each is from the one it replaces. Look at them before they are committed.
"""

from __future__ import annotations

import sys

from tests.snapshots.compare import difference, kept, path_of, small_png
from tests.snapshots.positions import SNAPSHOTS


def main(names: list[str]) -> int:
    """Rewrite the named snapshots, or all."""
    unknown = set(names) - set(SNAPSHOTS)
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(SNAPSHOTS)}")
        return 2
    for name in names or SNAPSHOTS:
        picture = SNAPSHOTS[name].drawing().to_rgb()
        told = str(difference(kept(name), picture)) if path_of(name).exists() else "new"
        path_of(name).write_bytes(small_png(picture))
        print(f"{path_of(name).name}: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
