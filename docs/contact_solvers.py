"""Comparison of solvers for time steps with Coulomb friction: the table of contact-solvers.md.

    python docs/contact_solvers.py

Each case is a motion; the quadratic programs of its steps are solved as projections, as in
`rbd.solvers.projections.projected_program`, by each method, from no contact forces. Nothing is timed: operations are
counted. Methods are written in NumPy (`block_methods.py`, and below), or are those of rbd, interpreted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.contact_solver_blocks import (
    block_gauss_seidel,
    cone_gauss_seidel,
    cone_newton,
    cone_residual,
    dual_active_set,
)
from docs.contact_solver_cases import Projection, boxes, foot, hand, humanoid, quadruped
from docs.contact_solver_outcomes import ACCURATE, SWEEPS, Method, Outcome, newton_cost
from rbd.scalars import Vector, to_float
from rbd.scalars.arrays import Array
from rbd.solvers.quadratic.quadratic_program import solve_quadratic_program

PENALTY, LARGEST_PENALTY = 1e8, 1e12


# --- methods ----------------------------------------------------------------------------------------------------------


def active_set(problem: Projection) -> Outcome:
    """Solve by the dual active-set method, rbd's reference."""
    U, c = problem.U, problem.c
    n, identity = U.shape[1], np.eye(U.shape[1])
    rows = tuple(tuple(row) for row in U.tolist())
    z, weights, _, rounds = solve_quadratic_program(
        tuple(tuple(row) for row in identity.tolist()), (0.0,) * n, rows, tuple(c.tolist())
    )
    count = int(to_float(rounds))
    cost = count * (len(c) * n + 4 * n * min(n, count)) + 3 * n * n * min(n, count)
    return Outcome(_array(z), _array(weights), count, cost / 1e3)


def _array(values: Vector) -> Array:
    return np.array([to_float(x) for x in values])


def gauss_seidel(problem: Projection) -> Outcome:
    """Solve by projected Gauss-Seidel iterations, row by row."""
    U, c = problem.U, problem.c
    z, weights, count = np.zeros(U.shape[1]), np.zeros(len(c)), 0
    while count < SWEEPS and problem.residual(z, weights) > ACCURATE:
        for i, row in enumerate(U):
            change = max(-weights[i], c[i] - row @ z)
            weights[i] += change
            z += change * row
        count += 1
    return Outcome(z, weights, count, count * 2 * np.count_nonzero(U) / 1e3)


def interior_point(problem: Projection) -> Outcome:
    """Solve by Mehrotra's predictor-corrector method; least squares stand for a factor that bears small pivots."""
    U, c = problem.U, problem.c
    z, s, weights, count = np.zeros(U.shape[1]), np.maximum(-c, 1.0), np.ones(len(c)), 0
    while count < 60 and problem.residual(z, weights) > ACCURATE:
        gap = s @ weights / len(c)
        _, ds, dw = _central_direction(problem, z, s, weights, -s * weights)
        length = _length_to_boundary(s, ds, weights, dw, 1.0)
        centering = ((s + length * ds) @ (weights + length * dw) / len(c) / gap) ** 3
        dz, ds, dw = _central_direction(problem, z, s, weights, centering * gap - ds * dw - s * weights)
        length = _length_to_boundary(s, ds, weights, dw, 0.995)
        z, s, weights, count = z + length * dz, s + length * ds, weights + length * dw, count + 1
    return Outcome(z, weights, count, count * (newton_cost(U) + 4 * np.count_nonzero(U)) / 1e3)


def _central_direction(
    problem: Projection, z: Array, s: Array, weights: Array, target: Array
) -> tuple[Array, Array, Array]:
    """Return the Newton step towards slacks and multipliers whose products change by `target`."""
    U, c = problem.U, problem.c
    ratio, infeasible = np.minimum(weights / s, 1e12), U @ z - s - c
    right = U.T @ (target / s - ratio * infeasible) - (z - U.T @ weights)
    step = np.linalg.lstsq(np.eye(len(z)) + (U.T * ratio) @ U, right, rcond=1e-16)[0]
    slack = U @ step + infeasible
    return step, slack, (target - weights * slack) / s


def _length_to_boundary(s: Array, ds: Array, weights: Array, dw: Array, share: float) -> float:
    return float(min(1.0, share / max(1e-300, (-ds / s).max(), (-dw / weights).max())))


def newton_with_full_steps(problem: Projection) -> Outcome:
    """Solve by the same method without line search: the active set of one iterate is that of the next."""
    return _multipliers(problem, LARGEST_PENALTY, search=False)


def newton_on_multipliers(problem: Projection) -> Outcome:
    """Solve by the augmented Lagrangian method with semismooth Newton steps and a line search: the method of rbd."""
    return _multipliers(problem, LARGEST_PENALTY)


def newton_with_one_penalty(problem: Projection) -> Outcome:
    """Solve by the same method with a penalty that does not grow."""
    return _multipliers(problem, PENALTY)


def _multipliers(problem: Projection, largest: float, *, search: bool = True) -> Outcome:
    U, c = problem.U, problem.c
    z, weights, rho, last, k = np.zeros(U.shape[1]), np.zeros(len(c)), PENALTY, np.inf, 0
    for k in range(41):  # noqa: B007 - the number of iterations
        residual = problem.residual(z, weights)
        if residual <= 1e-12:
            break
        y = weights + rho * (c - U @ z)
        A = U * (y > 0)[:, None]
        step = np.linalg.solve(np.eye(len(z)) + rho * A.T @ A, U.T @ np.maximum(y, 0) - z)
        rates = U @ step
        if ((y - rho * rates > 0) == (y > 0)).all():
            z, weights = z + step, np.where(y > 0, np.maximum(y - rho * rates, 0), 0)
            now = problem.residual(z, weights)
            if now > 0.1 * last:
                rho = min(100 * rho, largest)
            last = now
        else:
            z = z + (_line_search(z, step, y, rates, rho) if search else 1.0) * step
    return Outcome(z, weights, k, k * (newton_cost(U) + 4 * len(c)) / 1e3)


def _line_search(z: Array, step: Array, y: Array, rates: Array, rho: float) -> float:
    """Return where the slope along the step vanishes: Newton's method inside a bracket."""
    low, high, length = 0.0, np.inf, 1.0
    first = abs(z @ step - rates @ np.maximum(y, 0))
    for _ in range(8):
        at = y - rho * length * rates
        slope = z @ step + length * step @ step - rates @ np.maximum(at, 0)
        if abs(slope) <= 1e-3 * first:
            break
        low, high = (low, length) if slope > 0 else (length, high)
        length -= slope / (step @ step + rho * rates[at > 0] @ rates[at > 0])
        if not low < length < high:
            length = (low + high) / 2 if high < np.inf else 2 * low
    return length


# --- table ------------------------------------------------------------------------------------------------------------

METHODS: Mapping[str, Method] = {
    "active set (reference)": active_set,
    "dual active set, lanes": dual_active_set,
    "projected Gauss-Seidel": gauss_seidel,
    "block Gauss-Seidel": block_gauss_seidel,
    "interior point": interior_point,
    "Newton, full steps": newton_with_full_steps,
    "Newton, line search, one penalty": newton_with_one_penalty,
    "Newton, line search, growing penalty": newton_on_multipliers,
    "round cones: block Gauss-Seidel": cone_gauss_seidel,
    "round cones: Newton": cone_newton,
}
CASES: Mapping[str, Callable[[], Iterator[Projection]]] = {
    "quadruped, trot": lambda: quadruped(0.0),
    "quadruped, sliding": lambda: quadruped(1.5),
    "box, eight corners": lambda: boxes(1, 1.0),
    "stack of three boxes": lambda: boxes(3, 0.0),
    "stack, pushed": lambda: boxes(3, 0.2),
    "stiff: two boxes, the upper a thousand times as heavy": lambda: boxes(2, 0.2, 1e3),
    "jamming hand": hand,
    "foot of capsules": foot,
    "humanoid on two boxes, stiff gains": humanoid,
}


def table(cases: Iterable[str]) -> Iterator[str]:
    """Yield the lines of the table, from every fourth problem of each case, of several boxes every eighth one."""
    counted = "iterations: median, 95 %, most | 10³ multiply-adds: median, 95 %"
    yield f"| case | method | solved | largest residual | {counted} |"
    yield "|---|---|---|---|---|---|"
    for case in cases:
        given = list(CASES[case]())[:: 8 if case.startswith("st") else 4]
        sizes = f"{case}: {len(given)} problems, {given[0].U.shape[1]} unknowns, to {max(len(p.c) for p in given)} rows"
        first = True
        for name, method in METHODS.items():
            solved = [(p, outcome) for p in given if (outcome := method(p)) is not None]
            if solved:
                yield f"| {sizes if first else ''} | {name} | {_cells(name, solved)} |"
                first = False


def _cells(name: str, solved: Sequence[tuple[Projection, Outcome]]) -> str:
    """Return what a line says of a method."""
    measure = cone_residual if name.startswith("round") else Projection.residual
    residuals = np.array([measure(p, o.z, o.weights) for p, o in solved])
    counts, costs = [o.iterations for _, o in solved], [o.cost for _, o in solved]
    shown = f"{np.median(counts):.0f}, {np.percentile(counts, 95):.0f}, {max(counts)}"
    work = f"{np.median(costs):.3g}, {np.percentile(costs, 95):.3g}"
    return f"{100 * np.mean(residuals <= ACCURATE):.1f} % | {residuals.max():.0e} | {shown} | {work}"


if __name__ == "__main__":
    for line in table(sys.argv[1:] or CASES):
        print(line, flush=True)
