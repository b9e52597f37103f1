"""How derivatives go through a program: from its inputs on, or from its outputs back; structural zeros are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from rbd.program.local_derivatives import call_derivatives, call_weights, local_derivatives
from rbd.program.opcodes import Op, operands_of
from rbd.program.program import Program
from rbd.program.rows import LocalDerivative
from rbd.scalars.protocol import Matrix, Scalar
from rbd.scalars.structural_zeros import absent

Row: TypeAlias = dict[int, Scalar]
"""Number of a direction, or of an output -> a derivative that need not be zero."""


def dependence(program: Program, at: range) -> list[int]:
    """Return, per value, the set of entries of the input it depends on, as bits."""
    masks = [1 << (k - at.start) if k in at else 0 for k in range(program.input_size)]
    for code in program.code:
        mask = 0
        for r in operands_of(code):
            mask |= masks[r] if r >= 0 else 0
        masks.append(mask)
    return masks


def influence(program: Program, results: Sequence[int]) -> list[int]:
    """Return, per value, the set of outputs that depend on it, as bits."""
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


def forward(program: Program, values: list[Any], at: range, seeds: Matrix, results: Sequence[int]) -> list[Row]:
    """Return the rows of the derivative, from the inputs to the outputs."""
    rows: list[Row] = [{} for _ in range(program.input_size)]
    for k, seed in zip(at, seeds, strict=True):
        rows[k] = {j: x for j, x in enumerate(seed) if not absent(x)}
    needed = influence(program, results)
    several: dict[int, list[Row]] = {}
    for position, code in enumerate(program.code, start=program.input_size):
        own: Row = {}
        if code[0] == Op.CALL and needed[position]:
            several[position] = _through_call(program, code, values, rows, position)
        elif code[0] == Op.PICK and needed[position]:
            own = several[code[1]][code[2]]
        elif needed[position] and any(r >= 0 and rows[r] for r in operands_of(code)):
            for r, local in local_derivatives(program, code, values, position):
                if r >= 0:
                    _accumulate(own, rows[r], local)
        rows.append(own)
    return [rows[r] if r >= 0 else {} for r in results]


def _through_call(
    program: Program, code: tuple[int, ...], values: list[Any], rows: list[Row], position: int
) -> list[Row]:
    """Return the rows of all outputs of a call."""
    operands = operands_of(code)
    found: list[Row] = [{} for _ in values[position]]
    for j in sorted({j for r in operands if r >= 0 for j in rows[r]}):
        tangents = tuple(rows[r].get(j, 0) if r >= 0 else 0 for r in operands)
        for row, x in zip(found, call_derivatives(program, code, values, position, tangents), strict=True):
            if not absent(x):
                row[j] = x
    return found


def reverse(program: Program, values: list[Any], at: range, seeds: Matrix, results: Sequence[int]) -> list[Row]:
    """Return the rows of the derivative, from the outputs to the inputs."""
    adjoints = _adjoints(program, values, dependence(program, at), results)
    result: list[Row] = [{} for _ in results]
    for k, seed in zip(at, seeds, strict=True):
        for output, x in adjoints[k].items():
            for j, weight in enumerate(seed):
                if not absent(weight):
                    _add(result[output], j, x * weight)
    return result


def _adjoints(program: Program, values: list[Any], needed: list[int], results: Sequence[int]) -> list[Row]:
    """Return, per value, what every output changes by with it."""
    adjoints: list[Row] = [{} for _ in range(program.input_size + len(program.code))]
    for k, r in enumerate(results):
        if r >= 0:
            adjoints[r][k] = 1
    picked: dict[int, dict[int, Row]] = {}
    for position in reversed(range(program.input_size, len(adjoints))):
        code = program.code[position - program.input_size]
        if code[0] == Op.PICK:
            picked.setdefault(code[1], {})[code[2]] = adjoints[position]
        elif code[0] == Op.CALL:
            _back_through_call(program, values, position, picked.pop(position, {}), needed, adjoints)
        elif needed[position] and adjoints[position]:
            _back_through(program, values, position, needed, adjoints)
    return adjoints


def _back_through(program: Program, values: list[Any], position: int, needed: list[int], adjoints: list[Row]) -> None:
    """Add what every output of the program changes by with the operands of an operation."""
    for r, local in local_derivatives(program, program.code[position - program.input_size], values, position):
        if r >= 0 and needed[r]:
            _accumulate(adjoints[r], adjoints[position], local)


def _back_through_call(
    program: Program, values: list[Any], position: int, picked: dict[int, Row], needed: list[int], adjoints: list[Row]
) -> None:
    """Add what every output of the program changes by with the operands of a call."""
    code = program.code[position - program.input_size]
    operands, count = operands_of(code), len(values[position])
    asked = [r >= 0 and needed[r] != 0 for r in operands]
    for j in sorted({j for row in picked.values() for j in row}):
        weights = tuple(picked.get(k, {}).get(j, 0) for k in range(count))
        found = call_weights(program, code, values, position, weights, asked)
        for r, wanted, x in zip(operands, asked, found, strict=True):
            if wanted and not absent(x):
                _add(adjoints[r], j, x)


def _accumulate(total: Row, row: Row, local: LocalDerivative) -> None:
    for j, x in row.items():
        _add(total, j, local(x))


def _add(row: Row, j: int, x: Scalar) -> None:
    known = row.get(j)
    row[j] = x if known is None else known + x
