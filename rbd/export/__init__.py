"""Export of programs: C libraries, WebAssembly, and C source and SymPy expressions of one function.

Functions for JAX and PyTorch are in `rbd.bridges`.
"""

from rbd.export.c import c_source
from rbd.export.c_library import CLibrary, write_c_library
from rbd.export.expressions import sympy_expressions
from rbd.export.wasm import WasmModule, write_wasm

__all__ = ["CLibrary", "WasmModule", "c_source", "sympy_expressions", "write_c_library", "write_wasm"]
