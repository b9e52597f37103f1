"""Programs as machine code. Knows nothing of robots; may import errors, progress and scalars.

Importing this package is light: llvmlite is loaded when the first kernel is compiled.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rbd.native.kernel import NativeKernel
    from rbd.scalars.program import Program


@cache
def available() -> bool:
    """Return whether machine code can be made in this process."""
    return find_spec("llvmlite") is not None


def compile_program(program: Program, *, lanes: int | None = None) -> NativeKernel:
    """Return `program` as machine code; `lanes` None takes what the processor has."""
    from rbd.native.kernel import compile_program as compile_now

    return compile_now(program, lanes=lanes)


__all__ = ["available", "compile_program"]
