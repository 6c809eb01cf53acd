"""``jerusalem serve``: play against agents and step through records on a page in the browser."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import threading
import webbrowser
from collections.abc import Iterable
from pathlib import Path

from ..envs.opponents import opponent_by_name, suggested_opponents, usual_opponent
from ..errors import is_integer
from ..games import (
    add_game_argument,
    make_preset_env,
    players_text,
    preset_names,
    usual_players,
    usual_rules,
)
from .files import stored_games
from .room import Offer, Reel, Room
from .session import PlayError, Session
from .terminal import seats_of
from .web import PageServer

_MOST_PLAYERS = 8  # numbers of players that are tried


def parser_of() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(prog="jerusalem serve", description=__doc__)
    parser.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="records (JSON lines) to step through, saved tables to go on with",
    )
    add_game_argument(parser)
    parser.add_argument("--players", type=int, help=f"{players_text()} (the game's usual number)")
    parser.add_argument("--seat", default="0", help="yours (0); several people: 0,2; none to watch")
    parser.add_argument(
        "--against",
        metavar="AGENT[,AGENT...]",
        help="who sits at the other seats, clockwise from your left (the game's usual agent)",
    )
    parser.add_argument("--rules", help="a preset of the rules (the game's usual one)")
    parser.add_argument("--seed", type=int, help="game seed; without one, each game is new")
    parser.add_argument(
        "--agents",
        default="",
        metavar="AGENT[,AGENT...]",
        help="more agents to choose from on the page, such as ppo:PATH; the page itself may name "
        "none that reads a file",
    )
    parser.add_argument("--hint", help="who gives hints (the game's usual agent)")
    parser.add_argument(
        "--folder", type=Path, default=Path(), help="where tables are saved (this folder)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="0: any that is free (8000)")
    parser.add_argument(
        "--open",
        action=argparse.BooleanOptionalAction,
        help="open the page in the browser (where there is a screen)",
    )
    return parser


def main(arguments: list[str]) -> int:
    """Run the command; returns the exit status."""
    options = parser_of().parse_args(arguments)
    try:
        room = room_of(options)
    except PlayError as error:
        print(f"jerusalem serve: {error}", file=sys.stderr)
        return 2
    try:
        server = PageServer(room, options.host, options.port)
    except (OSError, OverflowError) as error:
        print(f"jerusalem serve: {_why_not(error, options.host, options.port)}", file=sys.stderr)
        return 1
    address = server.url + _fragment(room)
    print(f"The page is at {address}\nCtrl-C ends it.", flush=True)
    if not server.is_private:
        print(
            "Others can reach it too, without a password: they see and play what you do.",
            flush=True,
        )
    if options.open or (options.open is None and _has_screen()):
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("\nThe server has ended.")
    finally:
        server.server_close()
    return 0


def room_of(options: argparse.Namespace) -> Room:
    """The tables, records and choices that the command line asks for.

    Raises
    ------
    PlayError
        If a file cannot be read, or players, rules, the seed, the folder or an agent are wrong.
    """
    if options.seed is not None and not is_integer(options.seed, 0, 2**64 - 1):
        raise PlayError(f"--seed must be 0 to 2**64 - 1, got {options.seed}")
    if not options.folder.is_dir():
        raise PlayError(f"--folder must be a folder that exists, got {options.folder}")
    usual = usual_opponent(options.game)
    if options.players is None:
        options.players = usual_players(options.game)
    options.against, options.hint = options.against or usual, options.hint or usual
    counts = _counts(options.game, options.rules)
    if options.players not in counts:
        known = ", ".join(map(str, counts))
        raise PlayError(f"--players must be one of {known}, got {options.players}")
    players = tuple(seats_of(options.players, options.seat, options.against))
    seated = [name for name in players if name is not None]
    more = [name.strip() for name in options.agents.split(",") if name.strip()]
    _check_agents(options, seated, [options.players])
    # Such an agent may be for tables of another size than the one that the page begins with.
    _check_agents(options, [*more, options.hint], [options.players, *counts])
    suggested = suggested_opponents(options.game)
    rules = options.rules or usual_rules(options.game) or ""
    offer = Offer(
        game=options.game,
        players=players,
        rules=rules,
        presets=tuple(dict.fromkeys([rules, *preset_names(options.game)])),
        counts=counts,
        agents=tuple(dict.fromkeys([*seated, *more, options.hint, *suggested])),
        hint=options.hint,
        seed=options.seed,
    )
    reels: list[Reel] = []
    tables: list[tuple[Path, Session]] = []
    files: dict[Path, Path] = {}
    for path in options.files:
        # A file that is named twice is one table: two would save over each other.
        files.setdefault(path.resolve(), path)
    for path in files.values():
        found = stored_games(path)
        if found[0].players and found[0].record.result is None:
            tables.append((path, Session.load(path)))
            continue
        for number, (record, who) in enumerate(found, 1):
            of = f", game {number} of {len(found)}" if len(found) > 1 else ""
            reels.append(Reel(f"{path.name}{of}", record, who or None))
    room = Room(offer, reels, options.folder)
    for path, session in tables:
        room.add_table(session, path)
    return room


def _counts(game: str, rules: str | None) -> tuple[int, ...]:
    """Numbers of players that a game can have under a preset. Raises PlayError if none can."""
    found = []
    told = ""
    for players in range(1, _MOST_PLAYERS + 1):
        try:
            make_preset_env(game, players, rules)
        except ValueError as error:
            told = told or str(error)
        else:
            found.append(players)
    if not found:
        raise PlayError(told)
    return tuple(found)


def _check_agents(options: argparse.Namespace, names: Iterable[str], counts: list[int]) -> None:
    """Raises PlayError for an agent that cannot be made for any of these numbers of players."""
    games = [make_preset_env(options.game, players, options.rules).game for players in counts]
    for name in dict.fromkeys(names):
        told = ""
        for game in games:
            try:
                opponent_by_name(name, game)
                break
            except ValueError as error:
                told = told or str(error)
        else:
            raise PlayError(told)


def _fragment(room: Room) -> str:
    """The part of the address that opens the one thing that was asked for."""
    if len(room.tables) == 1 and not room.reels:
        return f"#/table/{next(iter(room.tables))}"
    if len(room.reels) == 1 and not room.tables:
        return f"#/record/{next(iter(room.reels))}"
    return ""


def _has_screen() -> bool:
    """Whether a browser with windows can be opened; never one in the terminal."""
    if not sys.stdout.isatty():
        return False
    windows = sys.platform in ("darwin", "win32")
    return windows or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _why_not(error: Exception, host: str, port: int) -> str:
    if isinstance(error, OverflowError):
        return f"--port must be 0 to 65535, got {port}"
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return f"port {port} is in use; choose another: --port {port + 1}, or --port 0 for any"
    if number == errno.EACCES:
        return f"port {port} is not for everybody; choose one above 1023"
    return f"cannot listen at {host}, port {port}: {error}"
