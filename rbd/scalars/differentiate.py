"""Derivatives of programs: forward and reverse, structural zeros left out.

May import: errors and the files above it in `rbd.scalars`. Griewank and Walther (2008), chapters 3, 6 and 7.

A program is run again on recorded scalars; beside every value stands what it changes by along each direction (forward),
or what each output changes by with it (reverse). Only entries that may differ from zero are kept, so that a Jacobian
costs what its structure asks for. Both modes record programs, which compile and differentiate like any other. In
reverse, the slopes of what `where` does not choose must be finite, too: guard the argument, not the result.

>>> from rbd.scalars import sin
>>> graph = Graph()
>>> x, y = graph.input("x", (2,))
>>> program = Program.of(graph, "example", {"z": (x * y, sin(x))})
>>> print(derivative(program, "z", "x"))
example_d_x: x[2] -> d_z_d_x[2, 2]
  1 operations in 1 instructions: 1 cos
  t0 = cos(x[0])
  d_z_d_x[0, 0] = x[1]
  d_z_d_x[0, 1] = x[0]
  d_z_d_x[1, 0] = t0
  d_z_d_x[1, 1] = 0.0
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from rbd.arguments import require_choice
from rbd.scalars.graph import Graph
from rbd.scalars.opcodes import Op, operands_of
from rbd.scalars.program import Port, Program
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.replay import traced
from rbd.scalars.slopes import Slope, call_slopes, slopes

Mode: TypeAlias = Literal["forward", "reverse"]
Directions: TypeAlias = Callable[[Vector], Matrix]
"""From the entries of an input to a matrix with a row per entry; its columns are directions to differentiate along."""
Row: TypeAlias = dict[int, Scalar]
"""Number of a direction, or of an output -> a derivative that need not be zero."""


def derivative(
    program: Program,
    of: str,
    wrt: str,
    *,
    directions: Directions | None = None,
    mode: Mode | None = None,
    sparse: bool = False,
) -> Program:
    """Return a program with the same inputs whose output `d_<of>_d_<wrt>` has the shape of `of`, then that of `wrt`.

    With `directions`, the last axis counts those instead. `mode` None takes the one that costs less. `sparse` leaves
    zeros out: the output is then the vector of the entries that `sparsity` says may differ from zero, row by row.
    Raises ArgumentError for names that are no output or input, ScalarError for an intrinsic without derivative.
    """
    graph = Graph()
    inputs = [x for port in program.inputs for x in _flat(graph.input(port.name, port.shape), port)]
    at, outputs = _range(program.inputs, wrt, "wrt"), _range(program.outputs, of, "of")
    seeds = _seeds(inputs[at.start : at.stop], directions)
    values, results = traced(program, inputs), program.results[outputs.start : outputs.stop]
    if _mode(program, at, results, mode) == "forward":
        rows = _forward(program, values, at, seeds, results)
    else:
        rows = _reverse(program, values, at, seeds, results)
    width = len(seeds[0]) if seeds else 0
    name, shape = f"d_{of}_d_{wrt}", _port(program.outputs, of).shape
    if sparse:
        pattern = _pattern(program, at, results, seeds)
        kept = tuple(rows[i].get(k, 0) for i, k in np.argwhere(pattern).tolist())
        return Program.of(graph, f"{program.name}_d_{wrt}", {name: kept or np.zeros(0)})
    last = (width,) if directions is not None else _port(program.inputs, wrt).shape
    dense = [row.get(k, 0) for row in rows for k in range(width)]
    return Program.of(graph, f"{program.name}_d_{wrt}", {name: _shaped(dense, (*shape, *last))})


def sparsity(program: Program, of: str, wrt: str, *, directions: Directions | None = None) -> NDArray[np.bool_]:
    """Return where the derivative may differ from zero: a row per entry of `of`, a column per entry of `wrt`.

    With `directions`, a column per direction. Raises ArgumentError for names that are no output or input.

    >>> graph = Graph()
    >>> x, y = graph.input("x", (2,))
    >>> sparsity(Program.of(graph, "example", {"z": (x, x * y)}), "z", "x").tolist()
    [[True, False], [True, True]]
    """
    at, outputs = _range(program.inputs, wrt, "wrt"), _range(program.outputs, of, "of")
    port, graph = _port(program.inputs, wrt), Graph()
    seeds = _seeds(list(_flat(graph.input(port.name, port.shape), port)), directions)
    return _pattern(program, at, program.results[outputs.start : outputs.stop], seeds)


def _pattern(program: Program, at: range, results: Sequence[int], seeds: Matrix) -> NDArray[np.bool_]:
    masks = _dependence(program, at)
    found = [masks[r] if r >= 0 else 0 for r in results]
    by_entry = np.array([[bool(mask >> k & 1) for k in range(len(at))] for mask in found], dtype=bool)
    along = np.array([[not _absent(x) for x in seed] for seed in seeds], dtype=bool)
    pattern: NDArray[np.bool_] = by_entry.reshape(-1, len(at)) @ along.reshape(len(at), -1)
    return pattern


# --- which mode ------------------------------------------------------------------------------------------------------


def _mode(program: Program, at: range, results: Sequence[int], asked: Mode | None) -> Mode:
    """Return the mode asked for, or that in which fewer derivatives stand beside the values."""
    if asked is not None:
        require_choice(asked, ("forward", "reverse"), "mode", "mode")
        return asked
    if program.calls:  # rules of intrinsics go forward
        return "forward"
    ahead, back = _dependence(program, at), _influence(program, results)
    both = [(a.bit_count(), b.bit_count()) for a, b in zip(ahead, back, strict=True) if a and b]
    return "forward" if sum(a for a, _ in both) <= sum(b for _, b in both) else "reverse"


def _dependence(program: Program, at: range) -> list[int]:
    """Return, per value, the set of entries of the input it depends on, as bits."""
    masks = [1 << (k - at.start) if k in at else 0 for k in range(program.input_size)]
    for code in program.code:
        mask = 0
        for r in operands_of(code):
            mask |= masks[r] if r >= 0 else 0
        masks.append(mask)
    return masks


def _influence(program: Program, results: Sequence[int]) -> list[int]:
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


# --- the two sweeps --------------------------------------------------------------------------------------------------


def _forward(program: Program, values: list[Any], at: range, seeds: Matrix, results: Sequence[int]) -> list[Row]:
    """Return the rows of the derivative, from the inputs to the outputs."""
    rows: list[Row] = [{} for _ in range(program.input_size)]
    for k, seed in zip(at, seeds, strict=True):
        rows[k] = {j: x for j, x in enumerate(seed) if not _absent(x)}
    needed = _influence(program, results)
    several: dict[int, list[Row]] = {}
    for position, code in enumerate(program.code, start=program.input_size):
        own: Row = {}
        if code[0] == Op.CALL and needed[position]:
            several[position] = _through_call(program, code, values, rows, position)
        elif code[0] == Op.PICK and needed[position]:
            own = several[code[1]][code[2]]
        elif needed[position] and any(r >= 0 and rows[r] for r in operands_of(code)):
            for r, slope in slopes(program, code, values, position):
                if r >= 0:
                    _accumulate(own, rows[r], slope)
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
        for row, x in zip(found, call_slopes(program, code, values, position, tangents), strict=True):
            if not _absent(x):
                row[j] = x
    return found


def _reverse(program: Program, values: list[Any], at: range, seeds: Matrix, results: Sequence[int]) -> list[Row]:
    """Return the rows of the derivative, from the outputs to the inputs."""
    adjoints = _adjoints(program, values, _dependence(program, at), results)
    result: list[Row] = [{} for _ in results]
    for k, seed in zip(at, seeds, strict=True):
        for output, x in adjoints[k].items():
            for j, weight in enumerate(seed):
                if not _absent(weight):
                    _add(result[output], j, x * weight)
    return result


def _adjoints(program: Program, values: list[Any], needed: list[int], results: Sequence[int]) -> list[Row]:
    """Return, per value, what every output changes by with it."""
    adjoints: list[Row] = [{} for _ in range(program.input_size + len(program.code))]
    for k, r in enumerate(results):
        if r >= 0:
            adjoints[r][k] = 1
    for k in reversed(range(len(program.code))):
        position = program.input_size + k
        if adjoints[position] and needed[position]:
            for r, slope in slopes(program, program.code[k], values, position):
                if r >= 0 and needed[r]:
                    _accumulate(adjoints[r], adjoints[position], slope)
    return adjoints


def _accumulate(total: Row, row: Row, slope: Slope) -> None:
    for j, x in row.items():
        _add(total, j, slope(x))


def _add(row: Row, j: int, x: Scalar) -> None:
    known = row.get(j)
    row[j] = x if known is None else known + x


def _absent(x: Scalar) -> bool:
    return type(x) is int and x == 0


# --- shapes ----------------------------------------------------------------------------------------------------------


def _seeds(entries: Sequence[Scalar], directions: Directions | None) -> Matrix:
    size = range(len(entries))
    if directions is None:
        return tuple(tuple(int(i == j) for j in size) for i in size)
    return directions(tuple(entries))


def _port(ports: tuple[Port, ...], name: str) -> Port:
    return next(port for port in ports if port.name == name)


def _range(ports: tuple[Port, ...], name: str, argument: str) -> range:
    """Return where a port's scalars stand among those of all ports."""
    names = [port.name for port in ports]
    require_choice(name, names, argument, "input" if argument == "wrt" else "output")
    number = names.index(name)
    start = sum(port.size for port in ports[:number])
    return range(start, start + ports[number].size)


def _flat(nested: object, port: Port) -> Iterator[Scalar]:
    """Yield the scalars of an input in order."""
    if not port.shape:
        yield cast("Scalar", nested)
        return
    for part in cast("Sequence[object]", nested):
        yield from _flat(part, Port(port.name, port.shape[1:]))


def _shaped(flat: Sequence[Scalar], shape: tuple[int, ...]) -> object:
    """Return scalars as nested tuples; an empty array, whose shape counts, where there are none."""
    if not math.prod(shape):
        return np.zeros(shape)
    if not shape:
        return flat[0]
    step = len(flat) // shape[0]
    return tuple(_shaped(flat[k * step : (k + 1) * step], shape[1:]) for k in range(shape[0]))
