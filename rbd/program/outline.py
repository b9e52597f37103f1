"""Outlines: the metadata needed to run cached machine code; sources, which record the program on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import attrs
from typing_extensions import override

from rbd.errors import RecordingError
from rbd.intrinsics.intrinsic import IntrinsicCall
from rbd.program.program import Port, Program


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


@final
class Source:
    """A program or its outline; a program of which only the outline is known is recorded on access."""

    def __init__(self, outline: Outline, record: Callable[[], Program]) -> None:
        """Set the outline, and a function that records the program."""
        self.outline = outline
        self._record = record
        self._program: Program | None = None

    @classmethod
    def of(cls, program: Program) -> Source:
        """Return the source of a recorded program."""
        source = cls(Outline.of(program), lambda: program)
        source._program = program
        return source

    @property
    def is_recorded(self) -> bool:
        """Whether the program is recorded."""
        return self._program is not None

    @property
    def program(self) -> Program:
        """The program, recorded now if only its outline is known.

        Raises RecordingError if the recording does not agree with the outline.
        """
        if self._program is None:
            program = self._record()
            if program.digest != self.outline.digest:
                raise RecordingError(
                    f"recording {self.outline.name!r} gave another program than the machine code on disk was made of; "
                    "RBD_CACHE=0 switches the disk cache off"
                )
            self._program = program
        return self._program

    @override
    def __repr__(self) -> str:
        return f"<Source of {self.outline.name!r}, {'recorded' if self.is_recorded else 'not recorded'}>"
