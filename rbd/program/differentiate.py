"""Derivatives of programs: forward and reverse mode, with structural zeros.

Griewank and Walther (2008), chapters 3, 6 and 7.

The program is evaluated on recorded scalars. Forward mode propagates the tangents of every value, reverse mode its
adjoints; both are stored sparsely, so that the cost of a Jacobian follows its structure. Both modes record programs,
which compile and differentiate like any other. In reverse mode the derivative of the branch that `where` does not
select must be finite, too: guard the argument, not the result.

>>> from rbd.scalars import sin
>>> with recording() as graph:
...     x, y = graph.input("x", (2,))
...     program = Program.of(graph, "example", {"z": (x * y, sin(x))})
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
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rbd.arguments import boolean, require_choice
from rbd.program.graph import Graph, Nested, nested_tuples
from rbd.program.ports import Port, offsets
from rbd.program.program import Program
from rbd.program.recording import recording
from rbd.program.replay import evaluate
from rbd.program.sweeps import Row, dependence, forward, influence, reverse
from rbd.scalars.entries import flattened
from rbd.scalars.linear_algebra import identity
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import is_structural_zero

Mode: TypeAlias = Literal["forward", "reverse"]
Directions: TypeAlias = Callable[[Vector], Matrix]
"""From the entries of an input to a matrix with a row per entry; its columns are directions to differentiate along."""


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
    input_range, outputs = _range(program.inputs, wrt, "wrt"), _range(program.outputs, of, "of")
    results, only_entries = program.results[outputs.start : outputs.stop], boolean(sparse, "sparse")
    with recording() as graph:
        inputs = [x for port in program.inputs for x in _scalars_of_input(graph, port)]
        seeds = _seeds(inputs[input_range.start : input_range.stop], directions)
        sweep = forward if _mode(program, input_range, results, mode) == "forward" else reverse
        rows = sweep(evaluate(program, inputs), input_range, seeds, results)
        if only_entries:
            entries = _sparse(rows, _pattern(program, input_range, results, seeds))
        else:
            columns = _port(program.inputs, wrt).shape if directions is None else (len(seeds[0]) if seeds else 0,)
            entries = _dense(rows, _port(program.outputs, of).shape, columns)
        return Program.of(graph, f"{program.name}_d_{wrt}", {f"d_{of}_d_{wrt}": entries})


def sparsity(program: Program, of: str, wrt: str, *, directions: Directions | None = None) -> NDArray[np.bool_]:
    """Return the sparsity of a derivative, True where it may be nonzero: a row per entry of `of`, a column per `wrt`.

    With `directions`, a column per direction. Raises ArgumentError for names that are no output or input.

    >>> with recording() as graph:
    ...     x, y = graph.input("x", (2,))
    ...     program = Program.of(graph, "example", {"z": (x, x * y)})
    >>> sparsity(program, "z", "x").tolist()
    [[True, False], [True, True]]
    """
    input_range, outputs = _range(program.inputs, wrt, "wrt"), _range(program.outputs, of, "of")
    port, results = _port(program.inputs, wrt), program.results[outputs.start : outputs.stop]
    with recording() as graph:
        seeds = _seeds(_scalars_of_input(graph, port), directions)
        return _pattern(program, input_range, results, seeds)


def _pattern(program: Program, input_range: range, results: Sequence[int], seeds: Matrix) -> NDArray[np.bool_]:
    masks = dependence(program, input_range)
    row_masks = [masks[r] if r >= 0 else 0 for r in results]
    by_entry = np.array([[bool(mask >> k & 1) for k in range(len(input_range))] for mask in row_masks], dtype=bool)
    along = np.array([[not is_structural_zero(x) for x in seed] for seed in seeds], dtype=bool)
    width = len(seeds[0]) if seeds else 0
    pattern: NDArray[np.bool_] = by_entry.reshape(len(row_masks), len(input_range)) @ along.reshape(
        len(input_range), width
    )
    return pattern


# --- which mode ------------------------------------------------------------------------------------------------------


def _mode(program: Program, input_range: range, results: Sequence[int], asked: Mode | None) -> Mode:
    """Return the given mode, or the one that propagates fewer derivatives."""
    if asked is not None:
        require_choice(asked, ("forward", "reverse"), "mode", "mode")
        return asked
    if any(call.intrinsic.adjoint is None for call in program.calls):
        return "forward"
    ahead, back = dependence(program, input_range), influence(program, results)
    both = [(a.bit_count(), b.bit_count()) for a, b in zip(ahead, back, strict=True) if a and b]
    return "forward" if sum(a for a, _ in both) <= sum(b for _, b in both) else "reverse"


# --- shapes ----------------------------------------------------------------------------------------------------------


def _seeds(entries: Sequence[Scalar], directions: Directions | None) -> Matrix:
    if directions is None:
        return identity(len(entries))
    return directions(tuple(entries))


def _port(ports: tuple[Port, ...], name: str) -> Port:
    return next(port for port in ports if port.name == name)


def _range(ports: tuple[Port, ...], name: str, argument: str) -> range:
    """Return the range of a port among the scalars of all ports."""
    names = [port.name for port in ports]
    require_choice(name, names, argument, "input" if argument == "wrt" else "output")
    return next(range(start, start + port.size) for start, port in offsets(ports) if port.name == name)


def _scalars_of_input(graph: Graph, port: Port) -> Sequence[Scalar]:
    """Add an input to a graph; return its scalars in order."""
    return flattened(graph.input(port.name, port.shape))[0]


def _dense(rows: Sequence[Row], of: tuple[int, ...], columns: tuple[int, ...]) -> Nested:
    """Return all entries as nested tuples; an empty array, whose shape counts, where there are none."""
    flat, shape = (row.get(k, 0) for row in rows for k in range(math.prod(columns))), (*of, *columns)
    return nested_tuples(flat, shape) if math.prod(shape) else np.zeros(shape)


def _sparse(rows: Sequence[Row], pattern: NDArray[np.bool_]) -> Nested:
    """Return the entries of a pattern, row by row; an empty array where there are none."""
    return tuple(rows[i].get(k, 0) for i, k in np.argwhere(pattern).tolist()) or np.zeros(0)
