"""Export of programs as a C library: a header, one file per function, and a makefile."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, final

import attrs

from rbd.arguments import require_choice
from rbd.errors import ArgumentError
from rbd.export.c_function import END, GUARDS, INCLUDES, CFunction, c_function, input_name, output_name
from rbd.export.c_names import require_function_name, require_not_defined
from rbd.export.exportable import Exportable, require_programs, write_files
from rbd.export.single_precision import C_TYPES, REDUCTIONS, Precision, in_precision
from rbd.program.ports import Port
from rbd.program.program import Program
from rbd.program.status import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK

FLAGS: Final = "-std=c11 -O2 -Wall -Wextra"


@final
@attrs.frozen
class CLibrary:
    """The files of a library, and the workspaces of its functions.

    >>> import tempfile, rbd
    >>> robot = rbd.compile(rbd.robots.double_pendulum())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     library = rbd.export.write_c_library(robot.functions("mass_matrix"), folder, prefix="pendulum")
    >>> library.header.name, [source.name for source in library.sources]
    ('pendulum.h', ['pendulum_mass_matrix.c'])
    """

    header: Path
    sources: tuple[Path, ...]
    makefile: Path
    workspaces: Mapping[str, int]
    """Numbers by name of the C function: how many the caller must give."""

    @property
    def build_line(self) -> str:
        """A command that compiles all sources, for a shell in the directory of the library."""
        return f"cc {FLAGS} -c {' '.join(source.name for source in self.sources)}"


def write_c_library(
    functions: Mapping[str, Exportable],
    directory: str | os.PathLike[str],
    *,
    prefix: str = "robot",
    dtype: Precision = "float64",
) -> CLibrary:
    """Write recorded functions as C: `prefix.h`, a file `prefix_name.c` per function, and a makefile.

    `functions` maps names to recorded functions; `robot.functions("inverse_dynamics", ...)` returns those of a compiled
    robot. The functions are `int prefix_name(const double in_..., double out_..., double *workspace)`: they allocate
    nothing, have no variables outside of functions, call only the mathematics library, and return 0 or a status.
    Outputs are written only if it is 0; they may be the arrays of inputs. The header says what each status means, and
    how many numbers a workspace has. With gcc and clang, results have the bits of the interpreter. `dtype` "float32"
    computes in single precision. The directory is created if it does not exist; existing files are replaced.

    Raises ArgumentError for names that C cannot have or that differ in case only, and if there are no functions.

    >>> import tempfile, rbd
    >>> robot = rbd.compile(rbd.robots.arm7())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     library = write_c_library(robot.functions("inverse_dynamics"), folder, prefix="arm")
    >>> library.header.name, [source.name for source in library.sources], library.workspaces
    ('arm.h', ['arm_inverse_dynamics.c'], {'arm_inverse_dynamics': 19})
    """
    require_choice(dtype, tuple(C_TYPES), "dtype", "precision")
    require_function_name(prefix, "prefix")
    programs = require_programs(functions, prefix)
    _require_different_without_case(programs)
    exported = {f"{prefix}_{name}": program for name, program in programs.items()}
    written = {name: _function(program, name, dtype) for name, program in exported.items()}
    files = {f"{name}.c": _source(function, prefix) for name, function in written.items()}
    files[f"{prefix}.h"] = _header(exported, written, prefix, dtype)
    files["Makefile"] = _makefile(prefix, list(written))
    paths = write_files(directory, files)
    sources = tuple(paths[f"{name}.c"] for name in written)
    sizes = {name: function.workspace_size for name, function in written.items()}
    return CLibrary(paths[f"{prefix}.h"], sources, paths["Makefile"], sizes)


def _require_different_without_case(names: Iterable[str]) -> None:
    """Raise ArgumentError for names that differ in case only: macros are upper case, file systems may ignore case."""
    known = dict[str, str]()
    for name in names:
        other = known.setdefault(name.upper(), name)
        if other != name:
            message = f"functions {other!r} and {name!r} differ in case only and would share a macro; rename one"
            raise ArgumentError(message, argument="functions", value=name)


def _function(program: Program, name: str, dtype: Precision) -> CFunction:
    """Return one function in the precision wanted."""
    function = c_function(program, name, reduction=REDUCTIONS[dtype])
    require_not_defined(name, function.definition)
    parameters, definition = (in_precision(text, dtype) for text in (function.parameters, function.definition))
    return CFunction(function.comment, parameters, definition, function.workspace_size)


def _source(function: CFunction, prefix: str) -> str:
    """Return the file of one function."""
    declared = f'#include "{prefix}.h"\n'
    return "\n".join([function.comment, *INCLUDES[:-1], declared, GUARDS, function.definition, END, ""])


# --- header -----------------------------------------------------------------------------------------------------------


def _header(programs: Mapping[str, Program], written: Mapping[str, CFunction], prefix: str, dtype: Precision) -> str:
    """Return the header: statuses, and each function with its workspace."""
    large, real = prefix.upper(), C_TYPES[dtype]
    names = " ".join(f"{name}.c" for name in programs)
    guard = f"{large}_H"
    lines = [_OPENING.format(real=real, flags=FLAGS, names=names, ok=f"{large}_OK")]
    lines += [f"#ifndef {guard}", f"#define {guard}", '#ifdef __cplusplus\nextern "C" {\n#endif', ""]
    statuses = {"OK": 0, "BAD_INPUT": BAD_INPUT, "BAD_OUTPUT": BAD_OUTPUT, "FIRST_CHECK": FIRST_CHECK}
    lines += [f"#define {large}_{word} {status}" for word, status in statuses.items()]
    for name, program in programs.items():
        lines += ["", *_declaration(program, written[name], name, real)]
    return "\n".join([*lines, "", "#ifdef __cplusplus\n}\n#endif", f"#endif /* {guard} */", ""])


_OPENING: Final = """\
/* Written by rbd. Arrays of {real}, row by row; angles in radians, lengths in metres, masses in kilograms.
 *
 * Every function returns {ok} or a status, and writes its outputs only if it returns {ok}. Outputs may be the
 * arrays of inputs. The workspace is any memory of the given size that nothing else uses during the call; its contents
 * do not matter before and after it. Functions allocate no memory and keep nothing between calls: threads may call
 * them at the same time, each with a workspace of its own.
 *
 * Compile with:  cc {flags} -c {names}
 * and link with -lm. Add -march=native, or an option for fused multiply-adds such as -mfma: without it each
 * is a call of the mathematics library, with the same result.
 */"""


def _declaration(program: Program, function: CFunction, name: str, real: str) -> list[str]:
    """Return the lines of a function in the header."""
    size = f"{name.upper()}_WORKSPACE"
    lines = [function.comment.removesuffix(" */").rstrip("\n")]
    lines += [f" * {input_name(port)}: {_shape_in_words(port)}" for port in program.inputs]
    lines += [f" * {output_name(port)}: {_shape_in_words(port)}" for port in program.outputs]
    lines += [" */", f"#define {size} {function.workspace_size}"]
    return [*lines, _wrapped(name, [*function.parameters.split(", "), f"{real} workspace[{size}]"])]


def _shape_in_words(port: Port) -> str:
    """Return the shape of an array in words."""
    if not port.shape:
        return "1 number"
    return f"{port.size} numbers" if len(port.shape) == 1 else f"{' x '.join(map(str, port.shape))} numbers, row by row"


def _wrapped(name: str, parameters: Sequence[str]) -> str:
    """Return a prototype, a parameter per line if it is long."""
    line = f"int {name}({', '.join(parameters)});"
    return line if len(line) <= 120 else f"int {name}(\n    " + ",\n    ".join(parameters) + ");"


def _makefile(prefix: str, names: Sequence[str]) -> str:
    """Return a makefile that builds a static library."""
    return _MAKEFILE.format(prefix=prefix, flags=FLAGS, objects=" ".join(f"{name}.o" for name in names))


_MAKEFILE: Final = """\
# Written by rbd: `make` builds lib{prefix}.a; link with -l{prefix} -lm.
CFLAGS ?= {flags} -march=native

lib{prefix}.a: {objects}
\t$(AR) rcs $@ $^

{objects}: %.o: %.c {prefix}.h
\t$(CC) $(CFLAGS) -c $< -o $@

clean:
\trm -f lib{prefix}.a {objects}

.PHONY: clean
"""
