"""Forward and reverse sweeps of automatic differentiation, without structural zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from rbd.program.local_derivatives import call_jvp, call_vjp, local_derivatives
from rbd.program.opcodes import Op, operands_of
from rbd.program.operation import Pushforward
from rbd.program.program import Program
from rbd.program.replay import EvaluatedProgram
from rbd.scalars.protocol import Matrix, Scalar
from rbd.scalars.structural_zeros import is_structural_zero

Row: TypeAlias = dict[int, Scalar]
"""Map from the index of a direction, or of an output, to a derivative that may be nonzero."""


def dependence(program: Program, input_range: range) -> list[int]:
    """Return, per value, the set of entries of the input that it depends on, as a bit mask."""
    masks = [1 << (k - input_range.start) if k in input_range else 0 for k in range(program.input_size)]
    for instruction in program.code:
        mask = 0
        for r in operands_of(instruction):
            mask |= masks[r] if r >= 0 else 0
        masks.append(mask)
    return masks


def influence(program: Program, results: Sequence[int]) -> list[int]:
    """Return, per value, the set of outputs that depend on it, as a bit mask."""
    masks = [0] * (program.input_size + len(program.code))
    for k, r in enumerate(results):
        if r >= 0:
            masks[r] |= 1 << k
    for position in reversed(range(len(program.code))):
        mask = masks[program.input_size + position]
        for r in operands_of(program.code[position]):
            if r >= 0:
                masks[r] |= mask
    return masks


def forward(evaluated: EvaluatedProgram, input_range: range, seeds: Matrix, results: Sequence[int]) -> list[Row]:
    """Forward mode: return the rows of the derivative."""
    program = evaluated.program
    rows: list[Row] = [{} for _ in range(program.input_size)]
    for k, seed in zip(input_range, seeds, strict=True):
        rows[k] = {j: x for j, x in enumerate(seed) if not is_structural_zero(x)}
    needed = influence(program, results)
    call_rows: dict[int, list[Row]] = {}
    for position, instruction in enumerate(program.code, start=program.input_size):
        row: Row = {}
        if instruction[0] == Op.CALL and needed[position]:
            call_rows[position] = _forward_through_call(evaluated, position, rows)
        elif instruction[0] == Op.PICK and needed[position]:
            row = call_rows[instruction[1]][instruction[2]]
        elif needed[position] and any(r >= 0 and rows[r] for r in operands_of(instruction)):
            for r, local in local_derivatives(evaluated, position):
                if r >= 0:
                    _add_mapped(row, rows[r], local)
        rows.append(row)
    return [rows[r] if r >= 0 else {} for r in results]


def _forward_through_call(evaluated: EvaluatedProgram, position: int, rows: list[Row]) -> list[Row]:
    """Return the rows of all results of a call."""
    operands = operands_of(evaluated.instruction(position))
    call_rows: list[Row] = [{} for _ in evaluated.values[position]]
    for j in sorted({j for r in operands if r >= 0 for j in rows[r]}):
        tangents = tuple(rows[r].get(j, 0) if r >= 0 else 0 for r in operands)
        for row, x in zip(call_rows, call_jvp(evaluated, position, tangents), strict=True):
            if not is_structural_zero(x):
                row[j] = x
    return call_rows


def reverse(evaluated: EvaluatedProgram, input_range: range, seeds: Matrix, results: Sequence[int]) -> list[Row]:
    """Reverse mode: return the rows of the derivative."""
    adjoints = _adjoints(evaluated, dependence(evaluated.program, input_range), results)
    result: list[Row] = [{} for _ in results]
    for k, seed in zip(input_range, seeds, strict=True):
        for output, x in adjoints[k].items():
            for j, weight in enumerate(seed):
                if not is_structural_zero(weight):
                    _add_entry(result[output], j, x * weight)
    return result


def _adjoints(evaluated: EvaluatedProgram, needed: list[int], results: Sequence[int]) -> list[Row]:
    """Return the adjoints of each value: the derivative of every output by it."""
    adjoints: list[Row] = [{} for _ in evaluated.values]
    for k, r in enumerate(results):
        if r >= 0:
            adjoints[r][k] = 1
    result_adjoints: dict[int, dict[int, Row]] = {}
    for position in reversed(range(evaluated.program.input_size, len(adjoints))):
        instruction = evaluated.instruction(position)
        if instruction[0] == Op.PICK:
            result_adjoints.setdefault(instruction[1], {})[instruction[2]] = adjoints[position]
        elif instruction[0] == Op.CALL:
            _reverse_through_call(evaluated, position, result_adjoints.pop(position, {}), needed, adjoints)
        elif needed[position] and adjoints[position]:
            _reverse_through_operation(evaluated, position, needed, adjoints)
    return adjoints


def _reverse_through_operation(
    evaluated: EvaluatedProgram, position: int, needed: list[int], adjoints: list[Row]
) -> None:
    """Accumulate the adjoints of the operands of an operation."""
    for r, local in local_derivatives(evaluated, position):
        if r >= 0 and needed[r]:
            _add_mapped(adjoints[r], adjoints[position], local)


def _reverse_through_call(
    evaluated: EvaluatedProgram,
    position: int,
    result_adjoints: dict[int, Row],
    needed: list[int],
    adjoints: list[Row],
) -> None:
    """Accumulate the adjoints of the operands of a call."""
    operands, count = operands_of(evaluated.instruction(position)), len(evaluated.values[position])
    wanted = [r >= 0 and needed[r] != 0 for r in operands]
    for j in sorted({j for row in result_adjoints.values() for j in row}):
        cotangents = tuple(result_adjoints.get(k, {}).get(j, 0) for k in range(count))
        operand_cotangents = call_vjp(evaluated, position, cotangents, wanted)
        for r, is_wanted, x in zip(operands, wanted, operand_cotangents, strict=True):
            if is_wanted and not is_structural_zero(x):
                _add_entry(adjoints[r], j, x)


def _add_mapped(total: Row, row: Row, local: Pushforward) -> None:
    for j, x in row.items():
        _add_entry(total, j, local(x))


def _add_entry(row: Row, j: int, x: Scalar) -> None:
    known = row.get(j)
    row[j] = x if known is None else known + x
