"""Export of a program as a self-contained C function, which has its memory from the stack or from malloc."""

from __future__ import annotations

from rbd.arguments import require_kind
from rbd.export.c_function import END, GUARDS, INCLUDES, c_function, input_name, output_name, status_comment
from rbd.export.c_names import require_function_name, require_not_defined, require_port_names
from rbd.native.codegen.entry_points import STACK_LIMIT
from rbd.program.program import Program
from rbd.program.rolling import ROLLING_THRESHOLD
from rbd.program.status import NO_MEMORY


def c_source(program: Program, name: str, threshold: int = ROLLING_THRESHOLD) -> str:
    """Return C source with one function, `int name(const double *in, ..., double *out, ...)`.

    Its arguments are the program's inputs, then its outputs, row by row. It returns 0, or a status: 1 when an input is
    not finite, 2 when an output is not, 16 and more when a check fails (a comment lists which); outputs are written
    only when it returns 0. Workspaces of more than 64 KB, and those of programs of more than `threshold` instructions,
    are memory from malloc; it returns 3 when there is none. Smaller ones are on the stack. Programs of more than
    `threshold` instructions become loops, and from half of it on those that mostly repeat long iterations. Raises
    ArgumentError for what is no program, when `name` is no C identifier or taken by C or its library, and when the name
    of an input or output has other characters than ASCII letters, digits and underscores.
    """
    require_kind(program, Program, operation="c_source", argument="program")
    require_function_name(name)
    require_port_names(program.inputs, program.outputs)
    inner = f"{name}_with_workspace"
    function = c_function(program, inner, threshold, storage="static ")
    names = [*map(input_name, program.inputs), *map(output_name, program.outputs), "workspace"]
    on_heap = len(program.code) > threshold or 8 * function.workspace_size > STACK_LIMIT
    lines = [status_comment(program, name, on_heap=on_heap), *(["#include <stdlib.h>"] if on_heap else [])]
    lines += [*INCLUDES, GUARDS, function.definition]
    lines.append(f"int {name}({function.parameters or 'void'}) {{")
    lines += (_with_malloc if on_heap else _on_stack)(function.workspace_size, f"{inner}({', '.join(names)})")
    source = "\n".join([*lines, "}", END]) + "\n"
    require_not_defined(name, source)
    return source


def _on_stack(size: int, call: str) -> list[str]:
    return [f"    double workspace[{size}];", f"    return {call};"]


def _with_malloc(size: int, call: str) -> list[str]:
    lines = [f"    double *workspace = malloc({size} * sizeof(double));"]
    lines.append(f"    if (!workspace) return {NO_MEMORY};")
    return [*lines, f"    const int status = {call};", "    free(workspace);", "    return status;"]
