"""Compilation and loading of machine code with LLVM.

Only this module imports llvmlite; callers that run without it check `rbd.native.available` first. LLVM's code generator
runs at level 1; its passes over IR do not run at all, since they do not make straight-line code faster. All of LLVM's
work on a module is done by `native_code` and `webassembly_code`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import count
from typing import Final, final

import attrs
from llvmlite import binding

from rbd.errors import RbdError
from rbd.native.codegen.arithmetic import LIBRARY, library_symbol
from rbd.native.runtime import memory
from rbd.native.runtime.locks import compiler_lock, compiler_unusable, once_under_compiler_lock
from rbd.scalars import libm

OPTIMISATION_LEVEL = 1
"""Level of LLVM's code generator for programs."""
_SHARED_LEVEL: Final = 1
"""That for code which all programs share; a constant of its own, see `assemble_shared`."""
_PER_LINKER = 16
"""Libraries per linker; making a linker takes as long as linking five small libraries."""
_C_FUNCTIONS = (*LIBRARY, "fma", "malloc", "free")
_NOTHING: Final[Mapping[str, int]] = {}


@cache
def c_function_addresses() -> dict[str, int]:
    """Return the addresses of the C library's functions, the ones that the interpreter calls."""
    library = libm.library()
    return {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in _C_FUNCTIONS}


@final
@attrs.frozen(eq=False)
class Processor:
    """The target processor."""

    triple: str
    cpu: str
    features: str
    llvm: str

    @property
    def lanes(self) -> int:
        """The number of doubles in the widest vector register."""
        if "+avx512f" in self.features:
            return 8
        return 4 if "+avx2" in self.features or "+avx" in self.features.split(",") else 2

    @property
    def key(self) -> str:
        """The part of cache keys that identifies compatible object code."""
        return "|".join((self.triple, self.cpu, self.features, self.llvm))


@once_under_compiler_lock
def _initialize_llvm() -> None:
    """Initialise LLVM for this processor, once."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()


@once_under_compiler_lock
def host_processor() -> Processor:
    """Return the processor of this process."""
    features = binding.get_host_cpu_features().flatten()
    version = ".".join(str(part) for part in binding.llvm_version_info)
    return Processor(binding.get_process_triple(), binding.get_host_cpu_name(), features, version)


def target_machine(level: int = OPTIMISATION_LEVEL) -> binding.TargetMachine:
    """Return a new code generator for this processor."""
    _initialize_llvm()
    here = host_processor()
    target = binding.Target.from_triple(here.triple)
    return target.create_target_machine(
        cpu=here.cpu, features=here.features, opt=level, reloc="pic", codemodel="small", jit=True
    )


@cache  # called under the compiler lock
def _code_generator(level: int) -> binding.TargetMachine:
    """Return the code generator of this process; making one takes as long as a small module."""
    return target_machine(level)


@lru_cache(maxsize=1)  # called under the compiler lock
def _linker(number: int) -> binding.LLJIT:
    """Return the linker with this number; the previous one lives as long as the code it has linked.

    A linker keeps 9 kB per library, also of freed ones, so linkers are replaced.
    """
    # JITLink allocates the sections of a library together. LLVM's older linker, used on Windows, allocates them one by
    # one; in the fragmented memory of a process with PyTorch they can be more than 2 GB apart, and then it aborts.
    return binding.create_lljit_compiler(target_machine(), use_jit_link=os.name == "posix")


def assemble(text: str) -> bytes:
    """Return the object code of a module, given as LLVM IR; one thread at a time.

    Raises WorkspaceError if there is not enough memory.
    """
    return _assemble(text, OPTIMISATION_LEVEL)


def assemble_shared(text: str) -> bytes:
    """Return the object code of a module that all programs of the process share, as `assemble` does.

    Its level is fixed: tests change `OPTIMISATION_LEVEL` for a while, and shared code outlives the change.
    """
    return _assemble(text, _SHARED_LEVEL)


def _assemble(text: str, level: int) -> bytes:
    if compiler_unusable():
        raise RbdError("this process was forked while another thread compiled: it cannot compile")
    memory.check_available(memory.WORKING_BYTES + memory.BYTES_PER_CHARACTER * len(text))
    with compiler_lock():
        return native_code(text, level)


def native_code(text: str, level: int) -> bytes:
    """Return LLVM's object code of a module for this processor; called under the compiler lock."""
    context = binding.create_context()  # of its own: a context keeps the constants of all its modules
    module = binding.parse_assembly(text, context)
    module.triple = host_processor().triple
    return bytes(_code_generator(level).emit_object(module))


_WEBASSEMBLY = "wasm32-unknown-unknown"
_WEBASSEMBLY_FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"


@once_under_compiler_lock
def _initialize_webassembly() -> None:
    """Initialise LLVM's targets, among them WebAssembly, once."""
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()


def assemble_webassembly(text: str) -> bytes:
    """Return the WebAssembly object file of a module, given as LLVM IR; one thread at a time."""
    memory.check_available(memory.WORKING_BYTES + memory.BYTES_PER_CHARACTER * len(text))
    _initialize_webassembly()
    with compiler_lock():
        return webassembly_code(text, OPTIMISATION_LEVEL)


def webassembly_code(text: str, level: int) -> bytes:
    """Return LLVM's object code of a module for WebAssembly; called under the compiler lock."""
    target = binding.Target.from_triple(_WEBASSEMBLY)
    machine = target.create_target_machine(opt=level, features=_WEBASSEMBLY_FEATURES)
    module = binding.parse_assembly(text, binding.create_context())
    module.triple, module.data_layout = _WEBASSEMBLY, str(machine.target_data)
    return bytes(machine.emit_object(module))


_library_numbers: Final = count(1)


def _linked(code: bytes, symbols: tuple[str, ...], imports: Mapping[str, int]) -> binding.ResourceTracker:
    """Return the handle of linked code; called under the compiler lock."""
    builder = binding.JITLibraryBuilder().add_object_img(code)
    functions = {library_symbol(name): address for name, address in c_function_addresses().items()}
    for name, address in {**functions, **imports}.items():
        if name.encode() in code:  # a linker keeps some memory for each
            builder = builder.import_symbol(name, address)
    for symbol in symbols:
        builder = builder.export_symbol(symbol)
    number = next(_library_numbers)
    return builder.link(_linker(number // _PER_LINKER), f"rbd{number}")


@final
class Library:
    """Loaded object code. The code lives as long as this object."""

    def __init__(self, code: bytes, symbols: tuple[str, ...], imports: Mapping[str, int] = _NOTHING) -> None:
        """Load `code` and look up `symbols`; raise WorkspaceError if there is not enough memory.

        `imports` are addresses of functions that the code may call, by name.
        """
        memory.check_available(memory.WORKING_BYTES + memory.BYTES_PER_CODE_BYTE * len(code))
        with compiler_lock():
            self._tracker = _linked(code, symbols, imports)
        self.addresses: Final = {symbol: int(self._tracker[symbol]) for symbol in symbols}
        """The addresses of functions."""

    def address(self, symbol: str) -> int:
        """Return the address of a function."""
        return self.addresses[symbol]
