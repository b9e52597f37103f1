"""Arguments of the functions of a program: input ports, output ports, workspace, status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rbd.native.codegen.ir import Lanes, Writer, attributes
from rbd.program.program import Program

_STACK_ALIGNMENT: Final = 16
"""Bytes; the compiler aligns the stack for wider vectors that it stores there only on demand."""


def function_head(name: str, program: Program, lanes: Lanes) -> str:
    """Return the head of a function of a program."""
    ports = [f"%in{k}" for k in range(len(program.inputs))] + [f"%out{k}" for k in range(len(program.outputs))]
    arguments = ", ".join(f"ptr noalias {pointer}" for pointer in (*ports, "%ws", "%st"))
    aligned = '"stackrealign" ' if 8 * lanes.width > _STACK_ALIGNMENT else ""
    return f"internal void @{name}({arguments}) noinline {aligned}{attributes(lanes.width)}"


def write_call(w: Writer, name: str, pointers: Iterable[str]) -> None:
    """Write a call of such a function."""
    w.call("void", f"@{name}", *(f"ptr {pointer}" for pointer in pointers))
