"""Export of programs: C libraries, WebAssembly, and C source and SymPy expressions of one function.

c_library.py          C libraries: header, sources, makefile
c.py                  one function as self-contained C source
c_function.py         a program as a C function: checks, outputs, functions of the C library
c_body.py             its instructions: blocks and loops
c_intrinsics.py       the intrinsics that it calls
c_constants.py        floating-point constants
single_precision.py   C source rewritten for float
c_names.py            names that C functions and arguments may have
wasm.py               WebAssembly with a script for JavaScript
wasm_module.py        programs as one module, with the addresses of arrays
wasm_object.py        linking of object files of LLVM
exportable.py         checks of the functions to export, files
expressions.py        SymPy expressions

Functions for JAX and PyTorch are in `rbd.bridges`.
"""

from rbd.export.c import c_source
from rbd.export.c_library import CLibrary, write_c_library
from rbd.export.expressions import sympy_expressions
from rbd.export.wasm import WasmModule, write_wasm

__all__ = ["CLibrary", "WasmModule", "c_source", "sympy_expressions", "write_c_library", "write_wasm"]
