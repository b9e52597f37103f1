"""Export of a program as a self-contained C function.

The C file needs a C99 compiler and its mathematics library, nothing of rbd. Compiled without contraction
(`-ffp-contract=off`) it gives the bits that rbd gives: fused multiply-adds are written as fma(), sine and cosine are
the same polynomials.
"""

from __future__ import annotations

from collections.abc import Collection

from rbd.export.c_names import require_function_name, require_not_defined, require_port_names
from rbd.export.rolled import rolled_functions
from rbd.export.routine import call_functions, call_lines
from rbd.export.routine import number as _number
from rbd.program.opcodes import BAD_INPUT, BAD_OUTPUT, CONDITIONS, FIRST_CHECK, NO_MEMORY, Op, operands_of
from rbd.program.program import Port, Program, offsets
from rbd.program.rolling import THRESHOLD
from rbd.scalars import sincos


def c_source(program: Program, name: str, threshold: int = THRESHOLD) -> str:
    """Return C source with one function, `int name(const double *in, ..., double *out, ...)`.

    Its arguments are the program's inputs, then its outputs, row by row. It returns 0, or a status: 1 when an input is
    not finite, 2 when an output is not, 16 and more when a check fails (a comment lists which); outputs are
    written only when it returns 0. Programs of more than `threshold` instructions become loops, with memory from
    malloc; it returns 3 when there is none. The arrays of intrinsics in shorter ones are on the stack. Raises
    ArgumentError when `name` is no C identifier or taken by C or its library, and when the name of an input or output
    has other characters than ASCII letters, digits and underscores.
    """
    require_function_name(name)
    require_port_names(program.inputs, program.outputs)
    source = "\n".join(_parts(program, name, threshold)) + "\n"
    require_not_defined(name, source)
    return source


def _parts(program: Program, name: str, threshold: int) -> list[str]:
    """Return the parts of the source: comment, functions that the program needs, and its function."""
    pointers = library_pointers({code[0] for code in program.code})
    parts = [_head(program, name), *pointers, _sincos(), *call_functions(program.calls)]
    if len(program.code) > threshold:
        return [*parts, *_rolled(program, name, threshold)]
    parts += [_signature(program, name) + " {", *_input_check(program)]
    parts += [f"    {line}" for index in range(len(program.code)) for line in _statement(program, index)]
    parts += _output_check(program)
    return [*parts, "    return 0;\n}"]


def library_pointers(operations: Collection[int]) -> list[str]:
    """Return pointers to the functions of the C library that these operations need, and to sine and cosine.

    Through pointers compilers neither compute functions of constants by themselves nor write pow(x, 2) as x * x, with
    other last bits.
    """
    rows = [op.row for op in Op if op.row.library and (op in (Op.SIN, Op.COS) or op in operations)]
    return [
        f"static double (*volatile lib_{row.library})({', '.join(['double'] * len(row.operands))}) = {row.library};"
        for row in rows
    ]


def _rolled(program: Program, name: str, threshold: int) -> list[str]:
    """Return the function with loops, and the one that allocates its memory and checks inputs and outputs."""
    inputs = [_input_name(port) for port in program.inputs]
    parts, places = rolled_functions(program, f"{name}_run", inputs, threshold)
    size = program.output_size
    lines = [_signature(program, name) + " {", *_input_check(program)]
    lines.append(f"    double *ws = malloc({max(places + size, 1)} * sizeof(double));")
    lines.append(f"    if (!ws) return {NO_MEMORY};\n    double *result = ws + {places};")
    lines.append(f"    int status = {name}_run({', '.join([*inputs, 'result', 'ws'])});")
    lines.append(f"    for (int i = 0; i < {size}; ++i) if (!status && !isfinite(result[i])) status = {BAD_OUTPUT};")
    lines += [f"    if (!status) {line.strip()}" for line in _stores(program)]
    return [*parts, *lines, "    free(ws);\n    return status;\n}"]


def _stores(program: Program) -> list[str]:
    """Return the lines that store results in the outputs."""
    return [
        f"    memcpy({_output_name(port)}, result + {start}, {port.size} * sizeof(double));"
        for start, port in offsets(program.outputs)
        if port.size
    ]


def _head(program: Program, name: str) -> str:
    lines = [f"/* {name}: {program.count().total} operations, recorded by rbd. Status words:"]
    lines += [f" *   {BAD_INPUT}: an input is not finite; {BAD_OUTPUT}: an output is not finite"]
    for number in range(len(program.labels)):
        text = program.error(FIRST_CHECK + number).message.encode("ascii", "replace").decode()
        lines.append(f" *   {FIRST_CHECK + number}: violated: {text.replace('*/', '* /')}")
    return "\n".join(
        [*lines, " */", "#include <math.h>", "#include <stdint.h>", "#include <stdlib.h>", "#include <string.h>", ""]
    )


def _signature(program: Program, name: str) -> str:
    inputs = [f"const double *{_input_name(port)}" for port in program.inputs]
    outputs = [f"double *{_output_name(port)}" for port in program.outputs]
    return f"int {name}({', '.join([*inputs, *outputs]) or 'void'})"


def _input_name(port: Port) -> str:
    return f"in_{port.name}"


def _output_name(port: Port) -> str:
    return f"out_{port.name}"


def _operand(program: Program, operand: int) -> str:
    """Return an operand in C: an entry of an input, an earlier value, or a constant."""
    if operand < 0:
        return _number(program.constants[~operand])
    if operand >= program.input_size:
        return f"t{operand - program.input_size}"
    number, index = program.input_at(operand)
    return f"{_input_name(program.inputs[number])}[{index}]"


def _statement(program: Program, index: int) -> list[str]:
    """Return the lines of one instruction."""
    code = program.code[index]
    op = Op(code[0])
    if op == Op.POSITIVE:
        value = _operand(program, code[1])
        return [f"if (!({value} > 0)) return {FIRST_CHECK + code[2]};", f"const double t{index} = {value};"]
    values = [_operand(program, operand) for operand in operands_of(code)]
    if op == Op.CALL:
        return call_lines(program.calls[code[1]], f"call{index}_", values, FIRST_CHECK)
    if op == Op.PICK:
        return [f"const double t{index} = call{code[1] - program.input_size}_out[{code[2]}];"]
    kind = "int" if op in CONDITIONS else "double"
    return [f"const {kind} t{index} = {op.row.c.format(*values)};"]


def _input_check(program: Program) -> list[str]:
    return [
        f"    for (int i = 0; i < {port.size}; ++i) if (!isfinite({_input_name(port)}[i])) return {BAD_INPUT};"
        for port in program.inputs
        if port.size
    ]


def _output_check(program: Program) -> list[str]:
    """Return the lines that check that outputs are finite, and store them."""
    values = [_operand(program, operand) for operand in program.results]
    if not values:
        return []
    lines = [f"    const double result[{len(values)}] = {{{', '.join(values)}}};"]
    lines.append(f"    for (int i = 0; i < {len(values)}; ++i) if (!isfinite(result[i])) return {BAD_OUTPUT};")
    return lines + _stores(program)


def _sincos() -> str:
    """Return sine and cosine as C functions: the operations of `rbd.scalars.sincos`."""
    lines = list[str]()

    def write(operation: str, *values: str) -> str:
        lines.append(f"    const double a{len(lines)} = {Op[operation.upper()].row.c.format(*values)};")
        return f"a{len(lines) - 1}"

    m, sine, cosine = sincos.written("x", write, _number)
    steps = "\n".join(lines)
    return f"""\
static inline void rbd_sincos(double x, double *sine, double *cosine) {{
    if (!(fabs(x) <= {_number(sincos.LIMIT)})) {{ *sine = lib_sin(x); *cosine = lib_cos(x); return; }}
{steps}
    double s = {sine}, c = {cosine};
    int64_t k;
    memcpy(&k, &{m}, sizeof k);
    if (k & 1) {{ const double swap = s; s = c; c = swap; }}
    *sine = (k & 2) ? -s : s;
    *cosine = ((k + 1) & 2) ? -c : c;
}}
static inline double rbd_sin(double x) {{ double s, c; rbd_sincos(x, &s, &c); return s; }}
static inline double rbd_cos(double x) {{ double s, c; rbd_sincos(x, &s, &c); return c; }}
"""
