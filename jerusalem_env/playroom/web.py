"""HTTP for one person's machine: a fixed set of files, JSON in and out, nobody else's pages.

Any page in a browser may send requests to a server on this machine. So requests must name this
server as their host (a foreign name that was made to point here does not), and those that change
something must carry a token which only our own page has.
"""

from __future__ import annotations

import ipaddress
import json
import secrets
import socket
import sys
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

_MOST_BYTES = 64 * 1024  # of a request's body
_PATIENCE = 30.0  # seconds without a byte from the browser
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_TYPES |= {".svg": "image/svg+xml"}
_TOKEN_PLACE = "TOKEN-OF-THIS-SERVER"
_FOREIGN = ("cross-site", "same-site")  # what browsers call requests by other pages
_LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class RefusedError(Exception):
    """A request that is not answered as asked: an HTTP status and a message that helps."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class Application(Protocol):
    """What answers the addresses below ``/api/``: JSON-able values, or raises RefusedError."""

    def get(self, path: tuple[str, ...], query: Mapping[str, str]) -> Any:
        """The answer to a GET; ``path`` is what follows ``/api/``."""

    def post(self, path: tuple[str, ...], body: Mapping[str, Any]) -> Any:
        """The answer to a POST of a JSON object."""


def page_files() -> dict[str, bytes]:
    """The page's own files by name; nothing else is ever served."""
    folder = files("jerusalem_env.playroom") / "page"
    names = [entry.name for entry in folder.iterdir()]
    return {
        name: (folder / name).read_bytes()
        for name in sorted(names)
        if "." + name.rpartition(".")[2] in _TYPES
    }


class PageServer(ThreadingHTTPServer):
    """Serves the page and an application's answers.

    Parameters
    ----------
    application : Application
    host : str
        Address to listen at.
    port : int
        0: any that is free.

    Raises
    ------
    OSError
        If the port is taken or the address is not this machine's.
    """

    daemon_threads = True  # an agent that thinks does not keep the server from ending

    def __init__(self, application: Application, host: str = "127.0.0.1", port: int = 0) -> None:
        self.application = application
        self.token = secrets.token_urlsafe(24)
        self.files = page_files()
        index = self.files["index.html"].decode()
        self.files["index.html"] = index.replace(_TOKEN_PLACE, self.token).encode()
        self.host = host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking a name server for our own name, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.host, self.server_address[1]

    @property
    def url(self) -> str:
        """Where the page is."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if self.host in ("0.0.0.0", "::"):
            host = "127.0.0.1"
        return f"http://{host}:{self.server_port}/"

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def is_our_host(self, given: str) -> bool:
        """Whether a Host header names this server, by a name that nobody else can point here."""
        try:
            parts = urlsplit(f"//{given}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.server_port:
            return False
        if name in _LOCAL_NAMES or name == self.host:
            return True
        try:
            return not self.is_private and bool(ipaddress.ip_address(name))
        except ValueError:
            return False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away is no event; anything else is told."""
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc()


class _Handler(BaseHTTPRequestHandler):
    """One request: checks, then a file or the application's answer."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "playroom", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """A file, or an answer."""
        self._answer(b"")

    def do_POST(self) -> None:
        """An answer to a JSON object."""
        try:
            body = self._body()
        except RefusedError as error:
            self.close_connection = True  # the rest of the body is never read
            self._send_json(error.status, {"error": str(error)})
            return
        self._answer(body)

    def _body(self) -> bytes:
        """The request's body. Raises RefusedError where it has no length or is too long."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "a body needs its Content-Length")
        if len(length) > 9 or int(length) > _MOST_BYTES:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {_MOST_BYTES} bytes"
            )
        return self.rfile.read(int(length))

    def _answer(self, body: bytes) -> None:
        """Never raises for anything that a request holds."""
        try:
            self._check()
            path = tuple(unquote(part) for part in urlsplit(self.path).path.split("/")[1:])
            if self.command == "GET" and path[0] != "api":
                self._send_file("/".join(path) or "index.html")
                return
            self._send_json(HTTPStatus.OK, self._asked(path[1:], body))
        except RefusedError as error:
            self._send_json(error.status, {"error": str(error)})
        except OSError:
            raise  # the browser went away
        except Exception as error:
            traceback.print_exc()
            told = f"a fault in the server: {type(error).__name__}: {error}"
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": told})

    def _asked(self, path: tuple[str, ...], body: bytes) -> Any:
        if self.command == "GET":
            query = urlsplit(self.path).query
            return self.server.application.get(path, dict(parse_qsl(query)))
        try:
            values = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from error
        if not isinstance(values, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the body must be a JSON object")
        return self.server.application.post(path, values)

    def _check(self) -> None:
        """Raises RefusedError for what a foreign page could have sent."""
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if not self.server.is_our_host(host):
            raise RefusedError(
                HTTPStatus.MISDIRECTED_REQUEST,
                f"this server is not {host or 'without a name'}; open {self.server.url}",
            )
        if origin is not None and origin != f"http://{host}":
            raise RefusedError(HTTPStatus.FORBIDDEN, f"requests from {origin} are not answered")
        if self.path.startswith("/api") and self.headers.get("Sec-Fetch-Site") in _FOREIGN:
            raise RefusedError(HTTPStatus.FORBIDDEN, "requests from other pages are not answered")
        if self.command != "POST":
            return
        token = self.headers.get("X-Token", "")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise RefusedError(
                HTTPStatus.FORBIDDEN,
                "this page is not from the server that runs now: load it again",
            )
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "the body must be application/json"
            )

    # --- answers -----------------------------------------------------------------------------
    def _send_file(self, name: str) -> None:
        """One of the page's files by its exact name: a path can lead nowhere else."""
        content = self.server.files.get(name)
        if content is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no page {name!r}")
        kind = _TYPES["." + name.rpartition(".")[2]]
        self._send(HTTPStatus.OK, f"{kind}; charset=utf-8", content)

    def _send_json(self, status: HTTPStatus, values: Any) -> None:
        text = json.dumps(values, allow_nan=False, separators=(",", ":"))
        self._send(status, "application/json", text.encode())

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses, such as other methods, as JSON too."""
        self.close_connection = True
        status = HTTPStatus(code)
        self._send_json(status, {"error": message or status.phrase})

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: requests are not of interest on one's own machine."""
