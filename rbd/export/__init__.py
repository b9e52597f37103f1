"""Export of programs: C libraries, and C source and SymPy expressions for `RecordedFunction.to_c` and `.to_sympy`.

The functions for JAX and PyTorch, of `rbd.bridges`, are found here too.
"""

from importlib import import_module
from typing import Any

from rbd.export.c import c_source
from rbd.export.c_library import CLibrary, write_c_library
from rbd.export.symbols import sympy_expressions
from rbd.export.wasm import WasmModule, write_wasm

_BRIDGES = ("jax_dynamics", "jax_function", "torch_dynamics", "torch_function", "torch_step")


def __getattr__(name: str) -> Any:
    if name in _BRIDGES:
        return getattr(import_module("rbd.bridges"), name)
    raise AttributeError(f"module 'rbd.export' has no attribute {name!r}")


__all__ = ["CLibrary", "WasmModule", "c_source", "sympy_expressions", "write_c_library", "write_wasm"]
