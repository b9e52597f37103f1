"""Export of a program as SymPy expressions.

SymPy is imported when asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rbd.arguments import require_kind
from rbd.errors import ArgumentError, ScalarError
from rbd.extras import requires_extra
from rbd.program.opcodes import Op, operands_of
from rbd.program.ports import Port, offsets
from rbd.program.program import Program
from rbd.program.replay import evaluate_instruction
from rbd.scalars import Scalar


def sympy_expressions(program: Program) -> Mapping[str, object]:
    """Return, per output, a SymPy expression (a SymPy array of them for shapes other than ()).

    Symbols are real and named after the inputs: `q_0`, `tau_2`, `R_0_1`. Integral constants become
    integers, the others Floats; checks are left out. Raises ScalarError for programs that call intrinsics whose
    results depend on comparisons, ArgumentError for what is no program, or when entries of two
    inputs would have the same symbol.
    """
    require_kind(program, Program, operation="sympy_expressions", argument="program")
    with requires_extra("expressions"):
        import sympy  # pyright: ignore[reportMissingTypeStubs]  # it is typed in part, without a marker

    _require_no_comparisons(program)
    library = cast("Any", sympy)
    return _as_arrays(library, program.outputs, _results(library, program))


def _require_no_comparisons(program: Program) -> None:
    """Raise ScalarError for a program that calls an intrinsic whose results depend on comparisons."""
    for name in (call.intrinsic.name for call in program.calls if call.intrinsic.depends_on_comparisons):
        message = f"results of {name} depend on comparisons, which SymPy expressions cannot represent"
        raise ScalarError(message, scalar=name, function=name)


def _results(library: Any, program: Program) -> list[Scalar]:
    """Return the results of a program whose inputs are symbols."""
    values: list[Any] = [library.Symbol(name, real=True) for name in _symbol_names(program.inputs)]
    constants: list[Scalar] = [
        library.Integer(int(x)) if x.is_integer() else library.Float(x) for x in program.constants
    ]

    def value(operand: int) -> Scalar:
        return values[operand] if operand >= 0 else constants[~operand]

    for instruction in program.code:
        operands = [value(r) for r in operands_of(instruction)]
        is_check = instruction[0] == Op.POSITIVE
        values.append(operands[0] if is_check else evaluate_instruction(program, instruction, operands))
    return [value(operand) for operand in program.results]


def _symbol_names(inputs: tuple[Port, ...]) -> list[str]:
    """Return the names of all entries of the inputs; raise ArgumentError where two inputs give the same."""
    owners = dict[str, Port]()
    for port in inputs:
        for name in _names(port):
            owner = owners.setdefault(name, port)
            if owner is not port:
                message = f"the inputs {owner.name!r} and {port.name!r} both have an entry with the symbol {name!r}"
                instead = f"rename {port.name!r}, such as {port.name.replace('_', '')!r}"
                raise ArgumentError(f"{message}; {instead}", argument=port.name, value=name)
    return list(owners)


def _names(port: Port) -> list[str]:
    names = [port.name]
    for length in port.shape:
        names = [f"{name}_{i}" for name in names for i in range(length)]
    return names


def _as_arrays(library: Any, ports: tuple[Port, ...], results: list[Scalar]) -> dict[str, object]:
    parts = ((port, results[start : start + port.size]) for start, port in offsets(ports))
    return {port.name: library.Array(mine, port.shape) if port.shape else mine[0] for port, mine in parts}
