"""How the solution of a quadratic program moves with its data, and backwards.

While the same rows are held, the conditions of the minimum are equations, and the implicit function theorem applies:
with changes of the data on the right, H dx - A' dm = dg - dH x + dA' m and A dx = db - dA x for the rows A that are
held, m being their multipliers. Where a row is about to be let go or taken in, that is the derivative to the side on
which the rows stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import RbdError, SolverError
from rbd.intrinsics.intrinsic import Intrinsic
from rbd.intrinsics.language import divide
from rbd.intrinsics.workspace import floats, operand, result
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import inner
from rbd.solvers.dense_factors import (
    ActiveSet,
    backward,
    cholesky,
    forward,
    norm,
    on_active,
    split_off,
    take_in,
)

_DEPENDENT: Final = 1e-12


class HeldRows(ActiveSet):
    """The equations of a minimum at which rows are held."""

    hessian = operand("n", "n")
    rows = operand("m", "n")
    active = operand("m")
    linear = operand("n")
    bounds = operand("m")
    point = result("n")
    multipliers = result("m")
    factor = floats("n", "n")


def _hold(w: HeldRows, k: int, row: int) -> int:
    """Take a row into the basis, as number k, if it is independent of those before; return how many there are."""
    for i in range(w.n):
        w.units[row][i] = w.rows[row][i]
    forward(w.n, w.factor, w.units[row])
    measured = norm(w.n, w.units[row])
    if not measured > 0.0:
        return k
    w.lengths[row] = measured
    for i in range(w.n):
        w.units[row][i] = divide(w.units[row][i], measured)
    length = split_off(w, k, w.units[row])
    if not length > _DEPENDENT:
        return k
    take_in(w, k, row, length)
    return k + 1


def _solve(w: HeldRows) -> int:
    if cholesky(w.n, w.hessian, w.factor) > 0:
        return 1
    k = 0
    for row in range(w.m):
        if w.active[row] > 0.0 and k < w.n:
            k = _hold(w, k, row)
    for i in range(w.n):
        w.z[i] = w.linear[i]
    forward(w.n, w.factor, w.z)
    for j in range(k):
        w.d[j] = divide(w.bounds[w.order[j]], w.lengths[w.order[j]])
    on_active(w, k, w.point)
    backward(w.n, w.factor, w.point)
    for j in range(k):
        w.multipliers[w.order[j]] = divide(w.u[j], w.lengths[w.order[j]])
    return 0


def _operations(n: int, m: int) -> int:
    """Bound the operations by those with all rows active."""
    most = min(n, m)
    one = n * n + 4 * n + 3 + 8 * n * most + 2 * most + 2 * n
    return n**3 + 3 * n * n + most * one + 6 * n * most + 3 * most * most + 3 * most + m


def _failed(label: str) -> RbdError:
    return SolverError(label, status=label)


SOLVE_ACTIVE_SET: Final = Intrinsic(
    name="solve_active_set",
    workspace=HeldRows,
    function=_solve,
    operations=_operations,
    labels=1,
    error=_failed,
)


def change_of_minimum(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, changes: Vector
) -> tuple[Scalar, ...]:
    """Return how x, multipliers, active rows and rounds of a quadratic program answer `changes` of its operands."""
    n, m = sizes
    hessian, _, rows, _ = _parts(n, m, operands)
    x, multipliers, active = outputs[:n], outputs[n : n + m], outputs[n + m : n + 2 * m]
    of_hessian, of_linear, of_rows, of_bounds = _parts(n, m, changes)
    weights = [flag * weight for flag, weight in zip(active, multipliers, strict=True)]
    linear = [
        change - inner([of_hessian[max(i, j)][min(i, j)] for j in range(n)], x)
        + inner([row[i] for row in of_rows], weights)
        for i, change in enumerate(of_linear)
    ]  # fmt: skip
    bounds = [change - inner(row, x) for change, row in zip(of_bounds, of_rows, strict=True)]
    flat = (*(x for row in (*hessian, *rows) for x in row), *active, *linear, *bounds)
    return *SOLVE_ACTIVE_SET((n, m), flat, labels[:1]), *(0,) * (m + 1)


def weights_of_minimum(
    sizes: tuple[int, ...], labels: Sequence[str], operands: Vector, outputs: Vector, weights: Vector
) -> tuple[Scalar, ...]:
    """Return what the operands of a quadratic program weigh when x and the multipliers do.

    The conditions are those of `change_of_minimum`, transposed: H p - A' s = weights of x, A p = - weights of m.
    """
    n, m = sizes
    if all(type(w) is int and w == 0 for w in weights[: n + m]):
        return (0,) * len(operands)
    hessian, _, rows, _ = _parts(n, m, operands)
    x, multipliers, active = outputs[:n], outputs[n : n + m], outputs[n + m : n + 2 * m]
    flat = (*(v for row in (*hessian, *rows) for v in row), *active, *weights[:n], *(-w for w in weights[n : n + m]))
    found = SOLVE_ACTIVE_SET((n, m), flat, labels[:1])
    p, s = found[:n], found[n:]
    of_hessian = [
        -(p[i] * x[j] + p[j] * x[i]) if j < i else -p[i] * x[i] if i == j else 0 for i in range(n) for j in range(n)
    ]
    held = zip(active, multipliers, s, strict=True)
    of_rows = [flag * weight * p[k] + force * x[k] for flag, weight, force in held for k in range(n)]
    return *of_hessian, *p, *of_rows, *(-force for force in s)


def _parts(n: int, m: int, operands: Vector) -> tuple[Matrix, Vector, Matrix, Vector]:
    """Return Hessian, linear part, rows and bounds."""
    start = n * n + n
    hessian = tuple(tuple(operands[i * n : (i + 1) * n]) for i in range(n))
    rows = tuple(tuple(operands[start + j * n : start + (j + 1) * n]) for j in range(m))
    return hessian, tuple(operands[n * n : start]), rows, tuple(operands[start + m * n :])
