"""Outlines: the metadata needed to run cached machine code."""

from __future__ import annotations

from typing import final

import attrs

from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.program.ports import Port
from rbd.program.program import Program


@final
@attrs.frozen
class Outline:
    """The metadata of a program: its ports, the texts of its checks, and the digest of its content.

    >>> from rbd.program.graph import Graph
    >>> graph = Graph()
    >>> x = graph.input("x", (2,))
    >>> Outline.of(Program.of(graph, "double", {"y": (x[0] + x[0], x[1] + x[1])})).inputs
    (Port(name='x', shape=(2,)),)
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    labels: tuple[str, ...]
    digest: str
    calls: tuple[IntrinsicCall, ...] = ()
    instructions: int = 0
    """Number of instructions, calls of intrinsics included."""

    @classmethod
    def of(cls, program: Program) -> Outline:
        """Return the outline of `program`."""
        return cls(
            program.name,
            program.inputs,
            program.outputs,
            program.labels,
            program.digest,
            program.calls,
            len(program.code),
        )

    @property
    def cost(self) -> int:
        """The number of operations for one state, those of intrinsics at worst."""
        return self.instructions + sum(call.operations for call in self.calls)
