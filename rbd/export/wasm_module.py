"""Programs as one WebAssembly module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import attrs

from rbd import native
from rbd.errors import MissingPackageError
from rbd.export.wasm_object import LinkedModule, linked
from rbd.native.codegen.declarations import module_declarations
from rbd.native.codegen.function_split import CHUNK
from rbd.native.codegen.ir import Lanes
from rbd.native.codegen.plan import make_plan
from rbd.native.codegen.program_functions import emit_functions
from rbd.native.codegen.software_fma import SOFTWARE_FMA
from rbd.native.codegen.trig import sincos_function
from rbd.native.codegen.wrappers import with_workspace, workspace_size
from rbd.program.program import Port, Program
from rbd.program.rolling import THRESHOLD

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


def wasm_module(programs: Mapping[str, Program]) -> tuple[LinkedModule, Mapping[str, Addresses]]:
    """Return a module with a function `i64 name(i32 inputs, i32 outputs, i32 workspace)` per program, and addresses.

    The arrays of every function are behind the module's data. Raises MissingPackageError without a compiler.
    """
    if not native.available():
        message = "WebAssembly needs llvmlite, and RBD_NATIVE other than 0; pip install llvmlite"
        raise MissingPackageError(message, package="llvmlite", extra="")
    from rbd.native.runtime.jit import assemble_webassembly  # loads llvmlite

    text, slots = _module_text(programs)
    exports = {name: f"entry{number}" for number, name in enumerate(programs)}
    room = _arranged(programs, slots, 0)[1] + _ALIGNMENT
    module = linked(assemble_webassembly(text), exports, room)
    return module, _arranged(programs, slots, module.heap)[0]


def _module_text(programs: Mapping[str, Program]) -> tuple[str, dict[str, int]]:
    """Return the LLVM IR of all programs, each with a function `entry0`, `entry1`, ..., and their workspaces."""
    sines = sincos_function(Lanes(1), "internal ")
    texts, slots = dict.fromkeys([*module_declarations({1}), sines, SOFTWARE_FMA]), dict[str, int]()
    for number, (name, program) in enumerate(programs.items()):
        plan = make_plan(program, CHUNK, 1, THRESHOLD)
        names, functions = emit_functions(plan, Lanes(1), f"program{number}", 1)
        entry = with_workspace(f"entry{number}", program, plan.slot_count, names)
        texts |= dict.fromkeys([*functions, entry])  # functions of intrinsics once
        slots[name] = workspace_size(program, plan.slot_count)
    return "\n".join(texts), slots


def _arranged(
    programs: Mapping[str, Program], slots: Mapping[str, int], start: int
) -> tuple[dict[str, Addresses], int]:
    """Return the addresses of all functions' arrays from an address on, and the first address behind them."""
    addresses, at = dict[str, Addresses](), start

    def taken(size: int) -> int:
        nonlocal at
        address = -(-at // _ALIGNMENT) * _ALIGNMENT
        at = address + size
        return address

    def arrays(ports: tuple[Port, ...]) -> tuple[int, ...]:
        return tuple(taken(8 * port.size) for port in ports)

    for name, program in programs.items():
        tables = taken(4 * len(program.inputs)), taken(4 * len(program.outputs))
        addresses[name] = Addresses(arrays(program.inputs), arrays(program.outputs), *tables, taken(8 * slots[name]))
    return addresses, at
