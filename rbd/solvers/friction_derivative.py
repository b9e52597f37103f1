"""How motions under friction move with their data.

While all pairs stay in their modes, the conditions are equations, to which the implicit function theorem applies. Where
a pair is about to change its mode, that is the derivative to the side on which it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import RbdError, SolverError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.workspace import operand
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import inner
from rbd.solvers.dense_factors import cholesky, whiten
from rbd.solvers.friction_modes import Pairs, measure, settle, turn, turn_back


class HeldPairs(Pairs):
    """Pairs whose modes are known: `held` is what `solve_friction` says of them."""

    held = operand("4 * p")


def _solve(w: HeldPairs) -> int:
    if cholesky(w.n, w.matrix, w.factor) > 0:
        return 1
    for k in range(w.p):
        for r in range(3):
            if w.held[4 * k + r] > 0.0:
                w.modes[3 * k + r] = 1
            elif w.held[4 * k + r] < 0.0:
                w.modes[3 * k + r] = -1
        if w.held[4 * k + 3] > 1.0:
            w.shapes[k] = 2
        elif w.held[4 * k + 3] > 0.0:
            w.shapes[k] = 1
    turn(w)
    whiten(w.n, 3 * w.p, w.factor, w.rows, w.white)
    measure(w, w.modes)
    settle(w)
    turn_back(w)
    return 0


def _operations(n: int, p: int) -> int:
    """Bound the operations by those with all forces unknown."""
    size = 3 * p
    refinement = 4 * n * n + 8 * n * size + 2 * size * size + 6 * size
    return n**3 + 3 * size * n * (n + size) + 6 * size * size + 2 * size**3 + 3 * refinement


def _failed(label: str) -> RbdError:
    return SolverError(label, status=label)


SOLVE_FRICTION_MODES: Final = Intrinsic(
    name="solve_friction_modes",
    workspace=HeldPairs,
    function=_solve,
    operations=_operations,
    labels=1,
    error=_failed,
)


def change_of_motion(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, changes: Vector
) -> tuple[Scalar, ...]:
    """Return how motion, forces and modes under friction answer `changes` of their operands."""
    n, p = sizes
    matrix, _, rows, _ = _parts(n, p, operands)
    x, forces, held = outputs[:n], outputs[n : n + 3 * p], outputs[n + 3 * p :]
    of_matrix, of_right, of_rows, of_bounds = _parts(n, p, changes)
    right = [
        change - inner([of_matrix[max(i, j)][min(i, j)] for j in range(n)], x)
        + inner([row[i] for row in of_rows], forces)
        for i, change in enumerate(of_right)
    ]  # fmt: skip
    # A normal's rate is to be b, a slope's -d: their rows' changes count with opposite signs.
    bounds = [
        change + inner(row, x) if k % 3 else change - inner(row, x)
        for k, (change, row) in enumerate(zip(of_bounds, of_rows, strict=True))
    ]
    flat = (*(x for row in matrix for x in row), *right, *(x for row in rows for x in row), *bounds, *held)
    return *SOLVE_FRICTION_MODES((n, p), flat, labels[:1]), *(0,) * (4 * p)


def _parts(n: int, p: int, operands: Vector) -> tuple[Matrix, Vector, Matrix, Vector]:
    """Return matrix, right side, rows and bounds."""
    start = n * n + n
    end = start + 3 * p * n
    matrix = tuple(tuple(operands[i * n : (i + 1) * n]) for i in range(n))
    rows = tuple(tuple(operands[start + j * n : start + (j + 1) * n]) for j in range(3 * p))
    return matrix, tuple(operands[n * n : start]), rows, tuple(operands[end : end + 3 * p])
