"""How the solution of a quadratic program moves with its data, and backwards.

May import: errors, language, active_rows, intrinsic.

While the same rows are held, the conditions of the minimum are equations, and the implicit function theorem applies:
with changes of the data on the right, H dx - A' dm = dg - dH x + dA' m and A dx = db - dA x for the rows A that are
held, m being their multipliers. Where a row is about to be let go or taken in, that is the derivative to the side on
which the rows stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import RbdError, SolverError
from rbd.scalars.intrinsics.active_rows import backward, cholesky, forward, on_active, split_off, take_in
from rbd.scalars.intrinsics.intrinsic import Intrinsic
from rbd.scalars.intrinsics.language import Floats, Ints, divide, fma, sqrt
from rbd.scalars.protocol import Matrix, Scalar, Vector
from rbd.scalars.structural_zeros import inner

_DEPENDENT: Final = 1e-12


def _hold(
    n: int,
    k: int,
    row: int,
    rows: Floats,
    factor: Floats,
    units: Floats,
    lengths: Floats,
    basis: Floats,
    triangle: Floats,
    part: Floats,
    rest: Floats,
    order: Ints,
) -> int:
    """Take a row into the basis, as number k, if it is independent of those before; return how many there are."""
    for i in range(n):
        units[row * n + i] = rows[row * n + i]
    forward(n, row * n, factor, units)
    square = 0.0
    for i in range(n):
        square = fma(units[row * n + i], units[row * n + i], square)
    if not square > 0.0:
        return k
    lengths[row] = sqrt(square)
    for i in range(n):
        units[row * n + i] = divide(units[row * n + i], lengths[row])
    length = split_off(n, k, row, units, basis, part, rest)
    if not length > _DEPENDENT:
        return k
    take_in(n, k, length, basis, triangle, part, rest)
    order[k] = row
    return k + 1


def _solve(
    n: int,
    m: int,
    hessian: Floats,
    rows: Floats,
    active: Floats,
    linear: Floats,
    bounds: Floats,
    point: Floats,
    multipliers: Floats,
    factor: Floats,
    units: Floats,
    lengths: Floats,
    basis: Floats,
    triangle: Floats,
    dual: Floats,
    part: Floats,
    rest: Floats,
    order: Ints,
) -> int:
    for entry in range(n * n):
        factor[entry] = hessian[entry]
    if cholesky(n, factor) > 0:
        return 1
    k = 0
    for row in range(m):
        if active[row] > 0.0 and k < n:
            k = _hold(n, k, row, rows, factor, units, lengths, basis, triangle, part, rest, order)
    for i in range(n):
        rest[i] = linear[i]
    forward(n, 0, factor, rest)
    for j in range(k):
        part[j] = divide(bounds[order[j]], lengths[order[j]])
    on_active(n, k, basis, triangle, rest, part, point, dual, units, order)
    backward(n, factor, point)
    for j in range(k):
        multipliers[order[j]] = divide(dual[j], lengths[order[j]])
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
    function=_solve,
    sizes=("n", "m"),
    inputs=(
        ("hessian", lambda n, m: n * n),
        ("rows", lambda n, m: m * n),
        ("active", lambda n, m: m),
        ("linear", lambda n, m: n),
        ("bounds", lambda n, m: m),
    ),
    outputs=(("point", lambda n, m: n), ("multipliers", lambda n, m: m)),
    work=(
        ("factor", lambda n, m: n * n),
        ("units", lambda n, m: m * n),
        ("lengths", lambda n, m: m),
        ("basis", lambda n, m: n * n),
        ("triangle", lambda n, m: n * n),
        ("dual", lambda n, m: n),
        ("part", lambda n, m: n),
        ("rest", lambda n, m: n),
    ),
    integers=(("order", lambda n, m: n),),
    operations=_operations,
    labels=lambda n, m: 1,
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
