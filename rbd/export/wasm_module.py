"""Programs as one WebAssembly module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs

from rbd import native
from rbd.errors import MissingPackageError
from rbd.export.wasm_object import link
from rbd.native.codegen.declarations import module_declarations
from rbd.native.codegen.entry_points import workspace_function, workspace_size
from rbd.native.codegen.function_split import CHUNK_SIZE
from rbd.native.codegen.ir import Lanes
from rbd.native.codegen.plan import make_plan
from rbd.native.codegen.program_functions import program_functions
from rbd.native.codegen.sincos import sincos_function
from rbd.native.codegen.software_fma import SOFTWARE_FMA
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.rolling import ROLLING_THRESHOLD

_ALIGNMENT = 64


@final
@attrs.frozen
class Addresses:
    """Addresses of the arrays of a function, in bytes."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    input_table: int
    """Address of the table of addresses of the inputs, 32 bits each."""
    output_table: int
    workspace: int


@final
@attrs.frozen
class ProgramModule:
    """A WebAssembly module with a function `i64 name(i32 inputs, i32 outputs, i32 workspace)` per program."""

    code: bytes
    imports: tuple[str, ...]
    """Functions of `Math` that it calls."""
    addresses: Mapping[str, Addresses]
    """Those of the arrays of every function, behind the module's data."""


def wasm_module(programs: Mapping[str, Program]) -> ProgramModule:
    """Return programs as a WebAssembly module.

    Raises MissingPackageError without a compiler.
    """
    if not native.available():
        message = "WebAssembly needs llvmlite, and RBD_NATIVE other than 0; pip install llvmlite"
        raise MissingPackageError(message, package="llvmlite", extra="")
    from rbd.native.runtime.jit import assemble_webassembly  # loads llvmlite

    text, workspace_sizes = _module_text(programs)
    exports = {name: f"entry{number}" for number, name in enumerate(programs)}
    array_bytes = _layout(programs, workspace_sizes, 0).end + _ALIGNMENT
    linked = link(assemble_webassembly(text), exports, array_bytes)
    return ProgramModule(linked.code, linked.imports, _layout(programs, workspace_sizes, linked.heap).addresses)


def _module_text(programs: Mapping[str, Program]) -> tuple[str, dict[str, int]]:
    """Return the LLVM IR of all programs, each with a function `entry0`, `entry1`, ..., and their workspaces."""
    sines = sincos_function(Lanes(1), "internal ")
    texts, workspace_sizes = dict.fromkeys([*module_declarations({1}), sines, SOFTWARE_FMA]), dict[str, int]()
    for number, (name, program) in enumerate(programs.items()):
        plan = make_plan(program, CHUNK_SIZE, 1, ROLLING_THRESHOLD)
        names, functions = program_functions(plan, Lanes(1), f"program{number}", 1)
        entry = workspace_function(f"entry{number}", program, plan.slot_count, names)
        texts |= dict.fromkeys([*functions, entry])  # functions of intrinsics once
        workspace_sizes[name] = workspace_size(program, plan.slot_count)
    return "\n".join(texts), workspace_sizes


@final
class _MemoryLayout:
    """Layout of arrays in memory: addresses by function, and the first address behind all arrays."""

    def __init__(self, start: int) -> None:
        self.addresses = dict[str, Addresses]()
        self.end = start

    def add(self, name: str, program: Program, workspace_size: int) -> None:
        """Lay out the arrays of a function."""
        tables = self._allocate(4 * len(program.inputs)), self._allocate(4 * len(program.outputs))
        inputs, outputs = self._arrays(program.inputs), self._arrays(program.outputs)
        self.addresses[name] = Addresses(inputs, outputs, *tables, self._allocate(8 * workspace_size))

    def _arrays(self, ports: tuple[Port, ...]) -> tuple[int, ...]:
        return tuple(self._allocate(8 * port.size) for port in ports)

    def _allocate(self, size: int) -> int:
        """Return the address of the next `size` bytes."""
        address = -(-self.end // _ALIGNMENT) * _ALIGNMENT
        self.end = address + size
        return address


def _layout(programs: Mapping[str, Program], workspace_sizes: Mapping[str, int], start: int) -> _MemoryLayout:
    """Return the layout of all functions' arrays from an address on."""
    layout = _MemoryLayout(start)
    for name, program in programs.items():
        layout.add(name, program, workspace_sizes[name])
    return layout
