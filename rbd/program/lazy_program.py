"""Lazy programs: found on disk by their outlines, recorded on demand."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from typing_extensions import override

from rbd.errors import RecordingError
from rbd.program.outline import Outline
from rbd.program.program import Program


@final
class LazyProgram:
    """A program; one of which only the outline is known is recorded at the first access."""

    def __init__(self, outline: Outline, record: Callable[[], Program]) -> None:
        """Set the outline, and a function that records the program."""
        self.outline = outline
        self._record = record
        self._program: Program | None = None

    @classmethod
    def of(cls, program: Program) -> LazyProgram:
        """Return a recorded program as a lazy one."""
        lazy_program = cls(Outline.of(program), lambda: program)
        lazy_program._program = program
        return lazy_program

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
        return f"<LazyProgram {self.outline.name!r}, {'recorded' if self.is_recorded else 'not recorded'}>"
