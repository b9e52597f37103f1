"""A program as a C function whose memory is given by the caller.

The C file needs a C99 compiler and its mathematics library, nothing of rbd: no memory is allocated, there are no
variables outside of functions. The source keeps the bits itself: fused multiply-adds are written as fma(), sine and
cosine are polynomials, other multiplications and additions are not contracted, and options that break IEEE arithmetic
are refused.
"""

from __future__ import annotations

from typing import Final, final

import attrs

from rbd.export.c_body import body_function
from rbd.export.c_constants import c_constant
from rbd.export.c_intrinsics import call_functions
from rbd.program.opcodes import Op
from rbd.program.ports import Port, offsets
from rbd.program.program import Program
from rbd.program.rolling import ROLLING_THRESHOLD
from rbd.program.status import BAD_INPUT, BAD_OUTPUT, FIRST_CHECK, NO_MEMORY
from rbd.scalars import sincos

INCLUDES: Final = ("#include <float.h>", "#include <math.h>", "#include <stdint.h>", "")

GUARDS: Final = """\
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "compile without -ffast-math and -ffinite-math-only: they change results, and switch off checks"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "compile without -funsafe-math-optimizations and its parts: they change results"
#endif
#if !(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16 || FLT_EVAL_METHOD == 32)
#error "compile for arithmetic without excess precision, such as with -msse2 -mfpmath=sse: FLT_EVAL_METHOD must be 0"
#endif
#if defined(__clang__) /* keeps the bits, and copies without calls of memcpy and memset */
#if defined(__x86_64__) || defined(__i386__)
#pragma float_control(precise, on)
#endif
#pragma STDC FP_CONTRACT OFF
#pragma clang attribute push(__attribute__((no_builtin("memcpy", "memmove", "memset"))), apply_to = function)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-loop-distribute-patterns")
#else
#pragma STDC FP_CONTRACT OFF
#endif
"""

END: Final = """\
#if defined(__clang__)
#pragma clang attribute pop
#endif"""


@final
@attrs.frozen
class CFunction:
    """Source of `int name(const double *in_..., double *out_..., double *workspace)`."""

    comment: str
    """The number of operations, and what each status means."""
    parameters: str
    definition: str
    """The function, after all that it needs."""
    workspace_size: int
    """The number of doubles of the workspace."""


def c_function(
    program: Program,
    name: str,
    threshold: int = ROLLING_THRESHOLD,
    reduction: sincos.Reduction = sincos.DOUBLE,
    storage: str = "",
) -> CFunction:
    """Return the function; long programs become loops (see `program/rolling.py`); `reduction` is that of sines."""
    inputs = [input_name(port) for port in program.inputs]
    parts, slot_count = body_function(program, f"{name}_run", inputs, threshold)
    declared = parameters(program)
    lines = [*_helpers(program, reduction), *call_functions(program.calls), *parts]
    size = max(slot_count + program.output_size, 1)
    lines += [f"{storage}int {name}({', '.join([*declared, f'double workspace[{size}]'])}) {{", *_input_check(program)]
    lines.append(f"    double *result = workspace + {slot_count};")
    lines.append(f"    const int status = {name}_run({', '.join([*inputs, 'result', 'workspace'])});")
    lines.append("    if (status) return status;")
    lines.append(f"    for (int i = 0; i < {program.output_size}; ++i) if (!isfinite(result[i])) return {BAD_OUTPUT};")
    lines += [_store(start, port) for start, port in offsets(program.outputs) if port.size]
    definition = "\n".join([*lines, "    return 0;\n}"])
    return CFunction(status_comment(program, name), ", ".join(declared), definition, size)


def status_comment(program: Program, name: str, *, on_heap: bool = False) -> str:
    """Return a comment with the meaning of each status."""
    lines = [f"/* {name}: {program.count().total} operations, recorded by rbd. It returns 0, or:"]
    lines += [f" *   {BAD_INPUT}: an input is not finite; {BAD_OUTPUT}: an output is not finite"]
    lines += [f" *   {NO_MEMORY}: there is no memory"] if on_heap else []
    for label in range(len(program.labels)):
        text = program.error(FIRST_CHECK + label).message.encode("ascii", "replace").decode()
        lines.append(f" *   {FIRST_CHECK + label}: violated: {text.replace('*/', '* /')}")
    return "\n".join([*lines, " */"])


def parameters(program: Program) -> list[str]:
    """Return the declarations of inputs and outputs."""
    inputs = [f"const double {_declared(input_name(port), port)}" for port in program.inputs]
    return [*inputs, *(f"double {_declared(output_name(port), port)}" for port in program.outputs)]


def _declared(name: str, port: Port) -> str:
    """Return the declaration of an array parameter; C has no arrays without entries."""
    return f"{name}[{port.size}]" if port.size else f"*{name}"


def input_name(port: Port) -> str:
    """Return the parameter of an input."""
    return f"in_{port.name}"


def output_name(port: Port) -> str:
    """Return the parameter of an output."""
    return f"out_{port.name}"


def _input_check(program: Program) -> list[str]:
    """Return the lines that check inputs, and name empty arrays, which are used nowhere."""
    lines = [
        f"    for (int i = 0; i < {port.size}; ++i) if (!isfinite({input_name(port)}[i])) return {BAD_INPUT};"
        for port in program.inputs
        if port.size
    ]
    empty = [input_name(port) for port in program.inputs if not port.size]
    empty += [output_name(port) for port in program.outputs if not port.size]
    return [*lines, *(f"    (void){name};" for name in empty)]


def _store(start: int, port: Port) -> str:
    """Return the line that stores an output."""
    return f"    for (int i = 0; i < {port.size}; ++i) {output_name(port)}[i] = result[{start} + i];"


# --- functions that programs call -------------------------------------------------------------------------------------


def _helpers(program: Program, reduction: sincos.Reduction) -> list[str]:
    """Return the functions of the C library that a program calls, and sine and cosine."""
    used = {Op(code[0]) for code in program.code}
    angles = used.intersection({Op.SIN, Op.COS})
    called = [op for op in Op if op.row.library and (op in used or (angles and op in (Op.SIN, Op.COS)))]
    lines = [_library_function(op) for op in called]
    if angles:
        lines.append(_sincos(reduction))
    return lines + [_SINE_OR_COSINE[op] for op in (Op.SIN, Op.COS) if op in angles]


def _library_function(op: Op) -> str:
    """Return a call of the C library with operands hidden from constant folding.

    Otherwise compilers compute functions of constants by themselves, or write pow(x, 2) as x * x, with other last bits.
    """
    names = "xyz"[: len(op.row.operand_types)]
    given, copies = ", ".join(f"double {x}" for x in names), ", ".join(f"{x}_ = {x}" for x in names)
    values = ", ".join(f"{x}_" for x in names)
    library = op.row.library
    return f"static double lib_{library}({given}) {{ volatile double {copies}; return {library}({values}); }}"


_SINE_OR_COSINE: Final = {
    Op.SIN: "static double rbd_sin(double x) { double s, c; rbd_sincos(x, &s, &c); return s; }",
    Op.COS: "static double rbd_cos(double x) { double s, c; rbd_sincos(x, &s, &c); return c; }",
}


def _sincos(reduction: sincos.Reduction) -> str:
    """Return sine and cosine as C functions: the operations of `rbd.scalars.sincos`."""
    lines = list[str]()

    def write(operation: str, *values: str) -> str:
        lines.append(f"    const double a{len(lines)} = {Op[operation.upper()].row.c.format(*values)};")
        return f"a{len(lines) - 1}"

    m, sine, cosine = sincos.emit_sincos("x", write, c_constant, reduction)
    steps = "\n".join(lines)
    return f"""\
static inline void rbd_sincos(double x, double *sine, double *cosine) {{
    if (!(fabs(x) <= {c_constant(reduction.limit)})) {{ *sine = lib_sin(x); *cosine = lib_cos(x); return; }}
{steps}
    const int32_t k = (int32_t)({m} - {c_constant(reduction.rounder)});
    const double s = (k & 1) ? {cosine} : {sine}, c = (k & 1) ? {sine} : {cosine};
    *sine = (k & 2) ? -s : s;
    *cosine = ((k + 1) & 2) ? -c : c;
}}"""
