"""Small dense quadratic programs with inequalities.

May import: errors, language, active_rows, active_set_slope, intrinsic.

Minimise 1/2 x'Hx - g'x subject to A x >= b, by the dual active-set method of Goldfarb and Idnani (Mathematical
Programming 27, 1983): begin at the unconstrained minimum, take in the most violated row, let go of rows whose
multiplier would turn negative. In the coordinates y = L'x of H = LL' the objective is the distance from a point, rows
are vectors of length one, and the active ones are kept as an orthonormal basis and a triangle, orthogonalised twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rbd.errors import RbdError, ShapeError, SolverError
from rbd.scalars.intrinsics.active_rows import (
    backward,
    cholesky,
    forward,
    let_go,
    on_active,
    split_off,
    take_in,
    upper,
)
from rbd.scalars.intrinsics.active_set_slope import change_of_minimum, weights_of_minimum
from rbd.scalars.intrinsics.intrinsic import Intrinsic
from rbd.scalars.intrinsics.language import Floats, Ints, divide, fma, sqrt
from rbd.scalars.protocol import Matrix, Scalar, Vector

INDEFINITE: Final = "the Hessian is not positive definite"
INFEASIBLE: Final = "the constraints contradict each other"
STUCK: Final = "the active-set method did not end"

_DEPENDENT: Final = 1e-12
"""A row of length one that is this close to the span of the active ones counts as one of them."""
_VANISHING: Final = 1e-14
"""A row this much shorter than the longest is zero: it constrains nothing, or everything."""
_VIOLATED: Final = 1e-13
"""Violations below this, relative to the size of the problem, are rounding."""


def _whiten(n: int, m: int, factor: Floats, rows: Floats, units: Floats, lengths: Floats) -> float:
    """Turn rows to the coordinates y and measure them; return the longest."""
    longest = 0.0
    for entry in range(m * n):
        units[entry] = rows[entry]
    for j in range(m):
        forward(n, j * n, factor, units)
        square = 0.0
        for i in range(n):
            square = fma(units[j * n + i], units[j * n + i], square)
        lengths[j] = sqrt(square)
        if lengths[j] > longest:
            longest = lengths[j]
    return longest


def _scale(n: int, m: int, longest: float, bounds: Floats, units: Floats, sides: Floats, lengths: Floats) -> int:
    """Make rows one long, bounds with them; return 2 for a zero row that asks for something."""
    for j in range(m):
        if lengths[j] > _VANISHING * longest:
            inverse = divide(1.0, lengths[j])
            for i in range(n):
                units[j * n + i] = units[j * n + i] * inverse
            sides[j] = bounds[j] * inverse
        else:
            lengths[j] = 0.0
            if bounds[j] > 0.0:
                return 2
    return 0


def _slack(n: int, row: int, rows: Floats, bounds: Floats, point: Floats) -> float:
    value = -bounds[row]
    for i in range(n):
        value = fma(rows[row * n + i], point[i], value)
    return value


def _most_violated(
    n: int, m: int, size: float, rows: Floats, bounds: Floats, lengths: Floats, point: Floats, flags: Ints
) -> int:
    """Return the inactive row that is violated most, -1 when none is."""
    worst = -(_VIOLATED * size)
    found = -1
    for j in range(m):
        if flags[j] == 0 and lengths[j] > 0.0:
            slack = _slack(n, j, rows, bounds, point)
            if slack < worst:
                worst = slack
                found = j
    return found


def _blocking(k: int, dual: Floats, steps: Floats) -> int:
    """Return the active row whose multiplier vanishes first, -1 when none does."""
    found = -1
    best = 0.0
    for j in range(k):
        if steps[j] > 0.0:
            ratio = divide(dual[j], steps[j])
            if found < 0 or ratio < best:
                found = j
                best = ratio
    return found


def _imbalance(
    n: int,
    k: int,
    hessian: Floats,
    linear: Floats,
    rows: Floats,
    point: Floats,
    multipliers: Floats,
    rest: Floats,
    order: Ints,
) -> None:
    """Compute g - H x + A' multipliers."""
    for i in range(n):
        entry = linear[i]
        for j in range(i + 1):
            entry = fma(-hessian[i * n + j], point[j], entry)
        for j in range(i + 1, n):
            entry = fma(-hessian[j * n + i], point[j], entry)
        for j in range(k):
            entry = fma(multipliers[order[j]], rows[order[j] * n + i], entry)
        rest[i] = entry


def _refine(
    n: int,
    k: int,
    hessian: Floats,
    linear: Floats,
    rows: Floats,
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
    steps: Floats,
    order: Ints,
) -> None:
    """Take away what point and multipliers leave of the equations as they were given: one round of refinement."""
    _imbalance(n, k, hessian, linear, rows, point, multipliers, rest, order)
    for j in range(k):
        part[j] = divide(-_slack(n, order[j], rows, bounds, point), lengths[order[j]])
    forward(n, 0, factor, rest)
    on_active(n, k, basis, triangle, rest, part, steps, dual, units, order)
    backward(n, factor, steps)
    for i in range(n):
        point[i] = point[i] + steps[i]
    for j in range(k):
        multipliers[order[j]] = multipliers[order[j]] + divide(dual[j], lengths[order[j]])


def _size(n: int, m: int, sides: Floats, start: Floats, lengths: Floats) -> float:
    """Return how large the numbers of the problem are, to tell violations from rounding."""
    square = 0.0
    for i in range(n):
        square = fma(start[i], start[i], square)
    size = sqrt(square)
    for j in range(m):
        if lengths[j] > 0.0:
            size = size + abs(sides[j])
    return size


def _advance(
    n: int, k: int, step: float, point: Floats, dual: Floats, rest: Floats, steps: Floats, dependent: int
) -> None:
    """Go a step towards the row that enters."""
    if dependent == 0:
        for i in range(n):
            point[i] = fma(step, rest[i], point[i])
    for j in range(k):
        dual[j] = fma(-step, steps[j], dual[j])


def _admit(  # noqa: C901 - one round of the method, as the paper has it
    n: int,
    active: int,
    row: int,
    limit: float,
    units: Floats,
    sides: Floats,
    point: Floats,
    counts: Floats,
    basis: Floats,
    triangle: Floats,
    dual: Floats,
    part: Floats,
    rest: Floats,
    steps: Floats,
    order: Ints,
    flags: Ints,
) -> int:
    """Take in a violated row, letting go of others if need be; return the number of active rows, or minus a status."""
    k = active
    weight = 0.0
    taken = 0
    while taken == 0:
        counts[0] = counts[0] + 1.0
        if counts[0] > limit:
            return -3
        length = split_off(n, k, row, units, basis, part, rest)
        upper(n, k, triangle, part, steps)
        blocking = _blocking(k, dual, steps)
        dependent = 0
        if not length > _DEPENDENT or k == n:
            dependent = 1
        if blocking < 0 and dependent == 1:
            return -2
        taken = 1 - dependent
        step = 0.0
        if dependent == 0:
            step = divide(-_slack(n, row, units, sides, point), length * length)
        if blocking >= 0:
            shorter = divide(dual[blocking], steps[blocking])
            if dependent == 1 or shorter < step:
                step = shorter
                taken = 0
        _advance(n, k, step, point, dual, rest, steps, dependent)
        weight = weight + step
        if taken == 1:
            take_in(n, k, length, basis, triangle, part, rest)
            dual[k] = weight
            order[k] = row
            flags[row] = 1
            k = k + 1
        else:
            let_go(n, k, blocking, units, basis, triangle, dual, part, rest, order, flags)
            k = k - 1
    return k


def _search(
    n: int,
    m: int,
    units: Floats,
    sides: Floats,
    start: Floats,
    point: Floats,
    counts: Floats,
    lengths: Floats,
    basis: Floats,
    triangle: Floats,
    dual: Floats,
    part: Floats,
    rest: Floats,
    steps: Floats,
    order: Ints,
    flags: Ints,
) -> int:
    """Run the active-set method; return the number of active rows, or minus a status."""
    size = _size(n, m, sides, start, lengths)
    limit = float(100 + 20 * (n + m))
    k = 0
    row = _most_violated(n, m, size, units, sides, lengths, point, flags)
    while row >= 0:
        k = _admit(
            n, k, row, limit, units, sides, point, counts, basis, triangle, dual, part, rest, steps, order, flags
        )
        if k < 0:
            return k
        row = _most_violated(n, m, size, units, sides, lengths, point, flags)
    return k


def _solve(  # noqa: C901 - plain loops over arrays
    n: int,
    m: int,
    hessian: Floats,
    linear: Floats,
    rows: Floats,
    bounds: Floats,
    point: Floats,
    multipliers: Floats,
    active: Floats,
    counts: Floats,
    factor: Floats,
    units: Floats,
    sides: Floats,
    start: Floats,
    moving: Floats,
    lengths: Floats,
    basis: Floats,
    triangle: Floats,
    dual: Floats,
    part: Floats,
    rest: Floats,
    steps: Floats,
    order: Ints,
    flags: Ints,
) -> int:
    for entry in range(n * n):
        factor[entry] = hessian[entry]
    if cholesky(n, factor) > 0:
        return 1
    longest = _whiten(n, m, factor, rows, units, lengths)
    if _scale(n, m, longest, bounds, units, sides, lengths) > 0:
        return 2
    for i in range(n):
        start[i] = linear[i]
    forward(n, 0, factor, start)
    for i in range(n):
        moving[i] = start[i]
    k = _search(
        n, m, units, sides, start, moving, counts, lengths, basis, triangle, dual, part, rest, steps, order, flags
    )
    if k < 0:
        return -k
    # Point and multipliers begin anew at zero, so that rounding on the way leaves no trace.
    for _again in range(3):
        _refine(
            n, k, hessian, linear, rows, bounds, point, multipliers, factor,
            units, lengths, basis, triangle, dual, part, rest, steps, order,
        )  # fmt: skip
    for j in range(k):
        active[order[j]] = 1.0
        if not multipliers[order[j]] > 0.0:
            multipliers[order[j]] = 0.0
    return 0


def _operations(n: int, m: int) -> int:
    """Bound the operations by the largest number of rounds, each with all rows active: far more than there ever are."""
    most = min(n, m)
    split = 2 * (4 * n * most + most) + 2 * n + 1
    one = 2 * n * m + m + split + most * most + 3 * most + 4 * n + 8 + most * (split + n + 1)
    refinement = 2 * n * (n + 2 * most) + 6 * n * most + 2 * most * most + 4 * n * n + 3 * most
    return n**3 + 2 * n * n * (m + 2) + 6 * n * m + (100 + 20 * (n + m)) * one + 3 * refinement


def _failed(label: str) -> RbdError:
    return SolverError(label, status=label)


SOLVE_QUADRATIC_PROGRAM: Final = Intrinsic(
    name="solve_quadratic_program",
    function=_solve,
    sizes=("n", "m"),
    inputs=(
        ("hessian", lambda n, m: n * n),
        ("linear", lambda n, m: n),
        ("rows", lambda n, m: m * n),
        ("bounds", lambda n, m: m),
    ),
    outputs=(
        ("point", lambda n, m: n),
        ("multipliers", lambda n, m: m),
        ("active", lambda n, m: m),
        ("counts", lambda n, m: 1),
    ),
    work=(
        ("factor", lambda n, m: n * n),
        ("units", lambda n, m: m * n),
        ("sides", lambda n, m: m),
        ("start", lambda n, m: n),
        ("moving", lambda n, m: n),
        ("lengths", lambda n, m: m),
        ("basis", lambda n, m: n * n),
        ("triangle", lambda n, m: n * n),
        ("dual", lambda n, m: n),
        ("part", lambda n, m: n),
        ("rest", lambda n, m: n),
        ("steps", lambda n, m: n),
    ),
    integers=(("order", lambda n, m: n), ("flags", lambda n, m: m)),
    operations=_operations,
    labels=lambda n, m: 3,
    error=_failed,
    derivative=change_of_minimum,
    adjoint=weights_of_minimum,
)


def solve_quadratic_program(
    hessian: Matrix, linear: Sequence[Scalar], rows: Matrix, bounds: Sequence[Scalar]
) -> tuple[Vector, Vector, Vector, Scalar]:
    """Minimise 1/2 x'Hx - `linear`'x subject to `rows` x >= `bounds`; return (x, multipliers, active, rounds).

    `hessian` is symmetric positive definite; its lower triangle is read. Multipliers are not negative, `active` is 1
    for the rows that are held and 0 for the others; of rows that say the same, one is held. A row that vanishes beside
    the longest is ignored when it asks for nothing. Raises SolverError when the Hessian is not positive definite or
    the rows contradict each other, ShapeError when sizes do not fit, ScalarError for scalars that cannot be compared.

    >>> x, multipliers, active, _ = solve_quadratic_program(((2.0,),), (2.0,), ((1.0,), (-1.0,)), (3.0, -9.0))
    >>> x, multipliers, active
    ((3.0,), (4.0, 0.0), (1.0, 0.0))
    """
    n, m = len(linear), len(bounds)
    if len(hessian) != n or any(len(row) != n for row in hessian):
        raise ShapeError(f"the Hessian needs {n} rows of {n}", argument="hessian", expected=(n, n))
    if len(rows) != m or any(len(row) != n for row in rows):
        raise ShapeError(f"there are {m} bounds: needs {m} rows of {n}", argument="rows", expected=(m, n))
    if n == 0:
        return (), (0,) * m, (0,) * m, 0
    operands = (*(x for row in hessian for x in row), *linear, *(x for row in rows for x in row), *bounds)
    flat = SOLVE_QUADRATIC_PROGRAM((n, m), operands, (INDEFINITE, INFEASIBLE, STUCK))
    return flat[:n], flat[n : n + m], flat[n + m : n + 2 * m], flat[-1]
