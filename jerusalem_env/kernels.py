"""Compiled kernels: two decorators, and a compile cache that cannot go stale.

``@kernel`` marks an inner function; ``@entry_kernel`` one that Python calls. Only entries are
cached on disk: their machine code holds everything they call. Numba keys its cache by the entry's
own file, so an edit in a callee would go unseen; here the key is a digest of all kernel sources.

The cache lies in ``$JERUSALEM_CACHE_DIR``, else in the user's cache folder, else in a temporary
folder: never beside the sources, which may be read-only.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import importlib
import itertools
import os
import pickle
import re
import sys
import tempfile
import threading
import time
import types
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import bytecode, caching
from numba.core import types as numba_types
from numba.core.serialize import dumps

from .inner_library import INNER_OPTIONS, inner_loops

_PACKAGE = Path(__file__).resolve().parent
_NOT_KERNELS = (
    *("envs", "render", "cli.py", "documentation.py", "games.py", "jerusalem_v0.py"),
    *("ierusalem_v0.py", "results.py"),
    *("records.py", "testing", "drawing.py", "words.py", "columns.py", "playroom"),
)


def _number_apart() -> None:
    """Let this process number the functions it compiles from where no other does.

    Numba counts from 1 in every process, and the number is all that tells the symbols of two
    closures of one function apart. Code that two processes compiled and kept could then have the
    same symbol for different closures, and a process that loads both would run one for the other.
    """
    first = int.from_bytes(os.urandom(5), "big") + 1
    bytecode.FunctionIdentity._unique_ids = itertools.count(first)


_number_apart()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_number_apart)


@cache
def source_digest() -> str:
    """Digest of every file of this package that kernels are made of."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        if not set(_NOT_KERNELS) & set(path.relative_to(_PACKAGE).parts):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def code_digest(*functions: Any) -> str | None:
    """Digest of what functions and kernels compile to: code, constants, closures, and all callees.

    For code that is not of this package, whose sources may lie anywhere. None if something in it
    has no value that is the same in every process; such code is not kept on disk.
    """
    digest = hashlib.sha256()
    seen: dict[int, int] = {}

    def add(*parts: Any) -> None:
        digest.update(repr(parts).encode() + b"\0")

    def visit_code(code: types.CodeType) -> None:
        add(code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_freevars)
        for constant in code.co_consts:
            visit_code(constant) if isinstance(constant, types.CodeType) else visit(constant, ())

    def visit(value: Any, names: tuple[str, ...]) -> None:
        """``names`` are those that the code around uses: only these count of a module."""
        function = getattr(value, "py_func", None) or getattr(value, "_defn", None) or value
        if isinstance(function, types.FunctionType):
            if id(function) in seen:
                add("seen", seen[id(function)])
                return
            seen[id(function)] = len(seen)
            if function.__module__.partition(".")[0] == __package__:
                add(source_digest(), function.__module__, function.__qualname__)
            else:
                visit_code(function.__code__)
                visit(function.__defaults__, ())
                for name in function.__code__.co_names:
                    if name in function.__globals__:
                        add(name)
                        visit(function.__globals__[name], function.__code__.co_names)
            for cell in function.__closure__ or ():
                visit(cell.cell_contents, function.__code__.co_names)
        elif isinstance(value, types.ModuleType):
            add(value.__name__)
            if value.__name__.partition(".")[0] not in ("numpy", "numba", "math"):
                for name in sorted(set(names) & set(vars(value))):
                    add(name)
                    visit(vars(value)[name], names)
        elif isinstance(value, (tuple, list)):
            add(type(value).__name__, len(value), getattr(value, "_fields", ()))
            for item in value:
                visit(item, names)
        elif isinstance(value, np.ndarray):
            add(value.dtype.descr, value.shape, value.tobytes())
        elif isinstance(value, (np.dtype, np.generic)):
            add(type(value).__name__, repr(value))
        elif value is None or isinstance(value, (bool, int, float, str, bytes)):
            add(type(value).__name__, value)
        elif isinstance(value, (type, types.BuiltinFunctionType, np.ufunc)):
            add(getattr(value, "__module__", ""), getattr(value, "__qualname__", value.__name__))
        else:
            raise _NotStableError(repr(value))

    try:
        for function in functions:
            visit(function, ())
    except _NotStableError:
        return None
    return digest.hexdigest()[:16]


class _NotStableError(Exception):
    """A value that may differ from process to process."""


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@cache
def cache_root() -> Path:
    """The first usable cache folder; says on stderr when the wanted one cannot be used."""
    wanted = os.environ.get("JERUSALEM_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    candidates = [Path(wanted)] if wanted else []
    candidates += [
        Path(home) / "jerusalem-env",
        Path(tempfile.gettempdir())
        / f"jerusalem-env-{os.getuid() if hasattr(os, 'getuid') else 0}",
    ]
    for folder in candidates:
        if _usable(folder):
            if folder != candidates[0]:
                print(
                    f"jerusalem: cannot write the compile cache {candidates[0]}; using {folder}. "
                    "Set JERUSALEM_CACHE_DIR to a writable folder.",
                    file=sys.stderr,
                )
            return folder
    return Path(tempfile.mkdtemp(prefix="jerusalem-env-"))


def cache_folder() -> Path:
    """Where compiled code of this package as it is now is kept."""
    return cache_root() / source_digest()


class _KernelLocator(caching._CacheLocator):
    """Places an entry's machine code in a folder named after the digest of all sources."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._path = str(cache_folder())
        self._line = py_func.__code__.co_firstlineno
        self._variant = getattr(py_func, "variant", "")

    def get_cache_path(self) -> str:
        return self._path

    def get_source_stamp(self) -> str:
        return os.path.basename(self._path)

    def get_disambiguator(self) -> str:
        return f"{self._line}{self._variant}"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _KernelLocator:
        return cls(py_func, py_file)


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_KernelLocator]  # noqa: RUF012


class _CacheFiles:
    """The files of one entry's compiled code, one a signature and processor, found by their names.

    Numba numbers its files and keeps an index of them. Two processes that compile at the same time
    can then give the same number to code for different signatures, and the index of one names the
    file of the other. Here a name says what is in the file, and it appears complete or not at all.
    """

    def __init__(self, folder: str, base: str) -> None:
        self._folder, self._base = Path(folder), base

    def _path(self, key: Any) -> Path:
        name = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return self._folder / f"{self._base}.{name}.nbc"

    def load(self, key: Any) -> Any:
        """What was saved under the key, None if nothing was."""
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        saved_key, data = pickle.loads(content)
        return data if saved_key == repr(key) else None

    def save(self, key: Any, data: Any) -> None:
        """Keep it under the key."""
        path = self._path(key)
        with tempfile.NamedTemporaryFile(dir=self._folder, suffix=".partial", delete=False) as file:
            try:
                file.write(dumps((repr(key), data)))
                file.close()
                os.replace(file.name, path)
            except BaseException:
                file.close()
                os.unlink(file.name)
                raise

    def flush(self) -> None:
        """Forget everything about the entry."""
        for path in self._folder.glob(f"{glob.escape(self._base)}.*.nbc"):
            path.unlink(missing_ok=True)


class _KernelCache(caching.FunctionCache):
    """Numba's function cache with our locator; tells the listener about loads and compiles."""

    _impl_class = _KernelCacheImpl

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        files: Any = _CacheFiles(self._cache_path, self._impl.filename_base)
        self._cache_file = files

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Signature and processor: what the code is made of is in the folder and file names.

        Numba would add a hash of the closure, which differs from process to process when kernels
        are in it.
        """
        return sig, codegen.magic_tuple()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except Exception as error:  # unpickling a damaged file can raise anything
            self._say(f"cannot use the compiled code in {self._cache_path} ({error!r})")
            with contextlib.suppress(OSError):
                self.flush()
            found = None
        if found is None:
            _progress.compiling()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, for instance
            self._say(f"cannot keep compiled code in {self._cache_path} ({error!r})")

    @staticmethod
    @cache
    def _say(what: str) -> None:
        """Tell it once."""
        print(
            f"jerusalem: {what}; compiling anew in this process. If it happens again, delete the "
            "folder or set JERUSALEM_CACHE_DIR to another.",
            file=sys.stderr,
        )


class _Progress:
    """Says once per process, on stderr, that kernels compile, and how long it took."""

    def __init__(self) -> None:
        self.compiled = 0
        self.seconds = 0.0
        self.quiet = False
        self._started: float | None = None
        self._lock = threading.Lock()

    def compiling(self) -> None:
        with self._lock:
            if self.compiled == 0 and not self.quiet:
                print(
                    "jerusalem: compiling the engine (once per installation, under a minute) ...",
                    file=sys.stderr,
                    flush=True,
                )
            self.compiled += 1

    def done(self, name: str, seconds: float) -> None:
        with self._lock:
            self.seconds += seconds
            if not self.quiet:
                print(f"jerusalem: compiled {name} in {seconds:.1f} s", file=sys.stderr, flush=True)


_progress = _Progress()


@contextlib.contextmanager
def quiet_compilation() -> Iterator[None]:
    """Compile without a word; for whoever tells it in another way."""
    before, _progress.quiet = _progress.quiet, True
    try:
        yield
    finally:
        _progress.quiet = before


# --- threads ---------------------------------------------------------------------------------
_SPINS = "2000"
_threads_of: int | None = None  # the process that started them


def _load_openmp() -> None:
    """Load Numba's OpenMP, such that threads that wait for others soon sleep.

    By default GNU OpenMP lets them spin for milliseconds. With another program on the same cores
    the one that works then waits for the one that spins: a batch fell to a thirtieth. The variable
    is read once, when the library is loaded, and put back after. Torch has a copy of the library,
    and whichever is loaded first serves both: so this is done before anyone can import torch.
    """
    given = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & set(os.environ)
    if not given:
        os.environ["GOMP_SPINCOUNT"] = _SPINS
    try:
        with contextlib.suppress(ImportError):  # Numba may use other threads
            importlib.import_module("numba.np.ufunc.omppool")
    finally:
        if not given:
            del os.environ["GOMP_SPINCOUNT"]


_load_openmp()


def thread_limit() -> int:
    """Threads that Numba may use in this process; 1 in a fork of one that has started them.

    GNU OpenMP ends a forked process that uses threads again.
    """
    if _threads_of is not None and _threads_of != os.getpid():
        return 1
    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


def start_threads() -> None:
    """Start Numba's threads."""
    global _threads_of
    if _threads_of is None:
        _threads_of = os.getpid()
        numba.get_num_threads()


def threads_ready() -> bool:
    """Start the threads if need be; whether a kernel may run on several here."""
    start_threads()
    return thread_limit() > 1


def compile_statistics() -> tuple[int, float]:
    """(entries compiled rather than loaded, seconds spent) in this process."""
    return _progress.compiled, _progress.seconds


# Division as in C; and no reference counts, which would be atomic operations on every array that a
# kernel takes a row of (they took more than half of a step's time). So kernels allocate nothing.
_njit: Any = numba.njit
# Inner kernels cannot be called from Python, which saves more than half of the time to compile.
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **INNER_OPTIONS}
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner function: no Python objects, no exceptions, integer division as in C."""
    dispatcher = _njit(**_OPTIONS, **_INNER)(function)
    call_template = dispatcher.get_call_template

    def widened(arguments: Any, keywords: Any) -> Any:
        return call_template(tuple(map(_widened, arguments)), keywords)

    def refused(*arguments: Any, **keywords: Any) -> Any:
        raise TypeError(
            f"the kernel {function.__name__} is called by other kernels only; write an "
            "entry_kernel that calls it"
        )

    dispatcher.get_call_template = widened
    # A call from Python would find the overloads that Numba registers, which lead nowhere.
    dispatcher.add_overload = lambda result: dispatcher.overloads.update(
        {tuple(result.signature.args): result}
    )
    dispatcher._compile_for_args = refused
    return dispatcher


_SMALL = (numba_types.int8, numba_types.int16, numba_types.int32)


def _widened(argument: Any) -> Any:
    """int64 for every constant and smaller integer, so that a kernel is compiled once for all."""
    argument = numba_types.unliteral(argument)
    return numba_types.int64 if argument in _SMALL else argument


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """``kernel`` that is copied into its callers before typing.

    For what takes a tuple of many arrays: a call would pass each array's pointer, shape and
    strides on the stack, once a game.
    """
    return _njit(**_OPTIONS, **_INNER, inline="always")(function)


def entry_kernel(
    function: Callable[..., Any] | None = None,
    *,
    parallel: bool = False,
    variant: str = "",
    cached: bool = True,
) -> Any:
    """Compile a function that Python calls, cached on disk under the digest of all sources.

    An entry that is made several times by a function around it, with other constants each time,
    says in ``variant`` which of them it is: that tells them apart on disk. One with kernels in it
    that are not of this package must have their ``code_digest`` in it, or not be ``cached``; so
    must one outside of this package. Without a variant those are kept under their own digest.
    """

    def decorate(py_func: Callable[..., Any]) -> Any:
        if variant:
            py_func.variant = "-" + re.sub("[^a-z0-9]+", "-", variant.lower())  # type: ignore[attr-defined]
        dispatcher: Any = _njit(**_OPTIONS, parallel=parallel)(py_func)
        ours = Path(py_func.__code__.co_filename).resolve().is_relative_to(_PACKAGE)
        if cached and (ours or variant):
            dispatcher._cache = _KernelCache(py_func)
        compile_one = dispatcher.compile

        def timed_compile(signature: Any) -> Any:
            if cached and not ours and "variant" not in py_func.__dict__:  # all it calls is there
                digest = code_digest(py_func)
                py_func.__dict__["variant"] = f"-{digest}"
                if digest is not None:
                    dispatcher._cache = _KernelCache(py_func)
            compiled_before, started = _progress.compiled, time.perf_counter()
            with inner_loops() if parallel else contextlib.nullcontext():
                result = compile_one(signature)
            if _progress.compiled > compiled_before:
                _progress.done(py_func.__name__, time.perf_counter() - started)
            return result

        dispatcher.compile = timed_compile
        return dispatcher

    return decorate(function) if function is not None else decorate
