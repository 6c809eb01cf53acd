"""How inner kernels are compiled: they become machine code as parts of entries alone.

Numba takes every function for one that Python may call: it links it with all that it calls,
optimises the whole and makes machine code of it, and does so anew for each of its callers. Of
inner kernels no such code is ever run, and a game's rules are calls ten deep: that was half of the
time to compile them. Here the library of an inner kernel is its own code as Numba lowered it. An
entry takes in the code of all kernels under it, once, and that is optimised as a whole.

What runs on several threads Numba makes three functions of beside the entry: the loop's body and
two around it. They are treated alike.

This uses methods of Numba's that may change; without one of them kernels are compiled as Numba
does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import binding
from numba.core import codegen
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.registry import cpu_target
from numba.core.typed_passes import NopythonTypeInference

_USED = ("finalize", "get_pointer_to_function", "_get_module_for_linking", "_ensure_finalized")


class _NoEngine:
    """Stands for the engine that would hold machine code."""

    def set_env(self, name: str, environment: Any) -> None:
        """Only machine code has the variable that this would set."""


class _InnerLibrary(codegen.JITCodeLibrary):
    """The code of one inner kernel and the libraries of those it calls."""

    @property
    def codegen(self) -> Any:
        """What Numba tells where an environment lies, once a library is compiled."""
        return _NoEngine()

    def finalize(self) -> None:
        """Nothing is linked, optimised or made into machine code yet."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            # As Numba does for modules that are linked: several may bring the same function.
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, as for any function that a library does not have."""
        self._ensure_finalized()
        return 0

    def _get_module_for_linking(self) -> Any:
        """The code of the kernel and of all under it, each once."""
        self._ensure_finalized()
        if self._shared_module is None:
            whole, seen = self._final_module.clone(), {self}
            left = list(self._linking_libraries)
            while left:
                library = left.pop()
                if library not in seen:
                    seen.add(library)
                    if isinstance(library, _InnerLibrary):
                        code = library._final_module
                        left.extend(library._linking_libraries)
                    else:  # a function of Numba's own, whole
                        code = library._get_module_for_linking()
                    whole.link_in(code, preserve=True)
            self._shared_module = whole
        return self._shared_module


@register_pass(mutates_CFG=False, analysis_only=True)
class _UseInnerLibrary(FunctionPass):
    """Makes the library before lowering would make the usual one."""

    _name = "use_inner_library"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Nothing of the function changes."""
        name = state.func_id.func_qualname
        state.library = _InnerLibrary(state.targetctx.codegen(), name)
        return False


class _InnerCompiler(CompilerBase):
    """Numba's usual way, with another library."""

    def define_pipelines(self) -> list[Any]:
        """One pipeline."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_UseInnerLibrary, NopythonTypeInference)
        passes.finalize()
        return [passes]


# Further options of ``numba.njit`` for inner kernels.
INNER_OPTIONS: dict[str, Any] = (
    {"pipeline_class": _InnerCompiler}
    if all(hasattr(codegen.JITCodeLibrary, name) for name in _USED)
    else {}
)


# Parts of the names of what Numba makes of a loop on several threads, and of nothing else.
_PARTS_OF_LOOPS = ("__numba_parfor_gufunc", "._GufuncWrapper object", "parallelgufuncwrapper")


@contextmanager
def inner_loops() -> Iterator[None]:
    """While this lasts, loops on several threads become parts of the entries they stand in."""
    makes = cpu_target.target_context.codegen()
    if not INNER_OPTIONS or not hasattr(makes, "create_library"):
        yield
        return
    with global_compiler_lock:  # or another thread's loops would be treated so too, unasked
        nested = "create_library" in vars(makes)
        usual = makes.create_library

        def create_library(name: str, **options: Any) -> Any:
            if any(part in name for part in _PARTS_OF_LOOPS):
                return _InnerLibrary(makes, name, **options)
            return usual(name, **options)

        makes.create_library = create_library
        try:
            yield
        finally:
            if nested:
                makes.create_library = usual
            else:
                del makes.create_library
