"""Functions to export: their programs, and the files that they are written to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, TypeAlias, cast

from rbd.arguments import described, file_path
from rbd.atomic_files import replaced_file
from rbd.errors import ArgumentError
from rbd.export.c_names import require_function_name, require_port_names
from rbd.program.program import Program


class HasProgram(Protocol):
    """A recorded function."""

    @property
    def program(self) -> Program:
        """The recorded program."""
        ...


Exportable: TypeAlias = Program | HasProgram


def require_programs(functions: object, prefix: str) -> dict[str, Program]:
    """Return programs by name; raise ArgumentError for anything but a mapping from names to recorded functions."""
    is_mapping = bool(isinstance(functions, Mapping))
    given = cast("Mapping[object, object]", functions) if is_mapping else dict[object, object]()
    if not given:
        shown = "an empty mapping" if is_mapping else described(functions)
        message = f"functions must map names to recorded functions, not {shown}; write robot.functions('mass_matrix')"
        raise ArgumentError(message, argument="functions", value=functions, allowed="a mapping")
    programs = {str(name): _require_program(name, function) for name, function in given.items()}
    for name, program in programs.items():
        require_function_name(f"{prefix}_{name}", "functions")
        require_port_names(program.inputs, program.outputs)
    return programs


def _require_program(name: object, function: object) -> Program:
    """Return the program of a recorded function; raise ArgumentError for anything else."""
    program = function if isinstance(function, Program) else getattr(function, "program", None)
    if not isinstance(program, Program):
        message = f"functions[{name!r}] must be a recorded function, as rbd.record returns, not {described(function)}"
        raise ArgumentError(message, argument="functions", value=function, allowed="a recorded function")
    return program


def write_files(directory: str | os.PathLike[str], files: Mapping[str, str | bytes]) -> dict[str, Path]:
    """Write files by name in a directory, which is made if there is none; return their paths.

    Raises ArgumentError for what is no path, OSError where it cannot be written.
    """
    folder = file_path(directory, operation="export", argument="directory")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with replaced_file(folder / name) as partial:
            partial.write_bytes(content.encode("ascii") if isinstance(content, str) else content)
    return {name: folder / name for name in files}
