"""Libraries of machine code that waste none.

Numba optimises every function by itself, translates it to machine code, and then links its bitcode into each function that calls
it, where all is optimised and translated again. A kernel that only other kernels call needs no code of its own: an `InnerLibrary`
stops at its bitcode. Those that are called from outside link the bitcode of all that they reach, once, and are translated.
"""

from types import CodeType, FunctionType
from typing import Any

import numba
from llvmlite.binding import create_pass_builder, create_pipeline_tuning_options
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

SETTINGS: Any = numba.config


class OuterLibrary(JITCodeLibrary):
    """Code that is called from outside."""

    def finalize(self) -> None:
        self._linking_libraries = _reached(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """One pass is enough: the other one of Numba's prepares the pruning of reference counts, and kernels count none."""
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class ShortLoopLibrary(OuterLibrary):
    """Code that is called from outside, whose loops are over a handful of joints and contacts.

    LLVM would unroll them and handle several turns at once, with code before and after for the turns that are left, and that is
    all that a short loop ever reaches.
    """

    def _optimize_final_module(self) -> None:
        tuning = create_pipeline_tuning_options(speed_level=SETTINGS.OPT)
        tuning.loop_unrolling = tuning.loop_interleaving = tuning.loop_vectorization = tuning.slp_vectorization = False
        builder = create_pass_builder(self._codegen._tm, tuning)
        builder.getModulePassManager().run(self._final_module, builder)


class InnerLibrary(JITCodeLibrary):
    """Bitcode that others link."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, *unused: Any) -> None:
        """What code in Python would need at run time; there is none in a kernel, nor a place for it yet."""


def _reached(libraries: list[Any]) -> list[Any]:
    """These libraries and all that they need in turn, each after all that call it: LLVM leaves out a function that nothing linked
    before it calls, and calls of it that come later would lead nowhere.
    """
    done: dict[Any, None] = {}  # in the order in which they are left: those that are called come first
    path = [(None, iter(reversed(libraries)))]
    seen: set[Any] = set()
    while path:
        library, needed = path[-1]
        following = next((each for each in needed if each not in seen), None)
        if following is not None:
            seen.add(following)
            more = following._linking_libraries if isinstance(following, InnerLibrary) else []
            path.append((following, iter(reversed(more))))
            continue
        path.pop()
        if library is not None:
            done[library] = None
    return list(reversed(done))


class _Compiler(Compiler):
    """Numba's compiler, with another kind of library."""

    library: Any = JITCodeLibrary

    def compile_extra(self, func: Any) -> Any:
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class OuterCompiler(_Compiler):
    library = OuterLibrary


class ShortLoopCompiler(_Compiler):
    library = ShortLoopLibrary


class InnerCompiler(_Compiler):
    library = InnerLibrary


def how_optimised(pipeline: type[_Compiler]) -> tuple[CodeType | int, ...]:
    """What decides how LLVM treats the code of a pipeline: the code of its libraries here, and the settings of Numba."""
    kinds = [kind for kind in pipeline.library.__mro__ if kind.__module__ == __name__]
    codes = [member.__code__ for kind in kinds for member in vars(kind).values() if isinstance(member, FunctionType)]
    return (*codes, int(SETTINGS.OPT), int(SETTINGS.LOOP_VECTORIZE), int(SETTINGS.SLP_VECTORIZE), int(SETTINGS.BOUNDSCHECK or 0))
