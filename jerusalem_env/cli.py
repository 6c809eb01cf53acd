"""The ``jerusalem`` command. Its sub-commands are entry points of the group ``jerusalem.commands``.

Each names a function that takes the remaining arguments and returns an exit status, so packages
above this one (training, agents) add commands without being imported from here.
"""

from __future__ import annotations

import sys
from importlib.metadata import entry_points

from . import __version__
from .games import USUAL_GAME, registered_games, short_name

GROUP = "jerusalem.commands"
_INTERRUPTED = 130


def _summary(name: str) -> str:
    """First line of what a command's module says it does, without importing it."""
    return {
        "demo": "show a game, train an agent for about two minutes, evaluate it",
        "bench": "how many decisions per second, also beside other environments",
        "play": "play in the terminal against agents, with hints and undo",
        "serve": "play and step through records on a page in the browser, on this machine",
        "replay": "a recorded game in the terminal, as one HTML file, GIF or PNGs",
        "record": "games as tables (Parquet), a row a decision; or a Minari dataset",
        "warmup": "compile everything ahead, and keep it",
        "arena": "agents against agents: win rates, intervals, ratings, comparisons",
        "evaluate": "win rates of an agent against others, over paired deals in every seat",
        "balance": "seats, prices, floors, events: what many games say about Jerusalem itself",
        "train": "self-play PPO from a config, resumable, measured at the end",
        "rllib": "the same game on a Ray cluster with RLlib, resumable",
        "tune": "weights of Jerusalem's scripted players, found by play against others",
    }.get(name, "")


def main(arguments: list[str] | None = None) -> int:
    """Run a sub-command; returns the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    commands = {point.name: point for point in entry_points(group=GROUP)}
    usage = "usage: jerusalem COMMAND [OPTIONS]; `jerusalem COMMAND --help` tells more\n" + "".join(
        f"\n  {name:<10} {_summary(name)}" for name in sorted(commands)
    )
    games = " or ".join(short_name(name) for name in registered_games())
    usage += f"\n\nThey play {short_name(USUAL_GAME)} unless --game says otherwise ({games})."
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage)
        return 0 if arguments else 2
    if arguments[0] in ("-V", "--version"):
        print(f"jerusalem-env {__version__}")
        return 0
    name, *rest = arguments
    if name not in commands:
        print(f"jerusalem: no command {name!r}\n{usage}", file=sys.stderr)
        return 2
    try:
        command = commands[name].load()
    except ImportError as error:
        print(
            f"jerusalem {name}: {error}. This command needs the extra `train`: "
            "pip install 'jerusalem-env[train]'",
            file=sys.stderr,
        )
        return 1
    try:
        return int(command(rest))
    except KeyboardInterrupt:
        print(f"\njerusalem {name}: interrupted", file=sys.stderr)
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
