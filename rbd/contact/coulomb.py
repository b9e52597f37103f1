"""Coulomb's law: solving it, solving it by quadratic programs, and how well it is fulfilled (internal).

The law is a complementarity problem, which is an operation of the engine. Other solvers know quadratic programs alone:
minimising over forces in the cones would let points that slide rise as well, mu times as fast (Anitescu); taking that
rise off the bounds and solving again, until nothing changes, is Coulomb's law (De Saxcé). That need not come to an end
where there is a solution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple, TypeAlias

from rbd.algorithms.constrained import constraint_torques
from rbd.contact.accelerations import Problem
from rbd.contact.cones import CORNERS, corners
from rbd.contact.gauss import Allowed, allowed, kkt_residual
from rbd.joints.tuples import dot
from rbd.scalars import Matrix, Scalar, Vector, absolute, const, less, maximum, where
from rbd.solvers.friction import solve_friction

_INSTEAD = "; contact_step finds velocities with any friction"
_JAMMED = "no accelerations obey Coulomb's law, with this friction what slides jams (Painlevé's paradox)" + _INSTEAD
_LOST = "no accelerations found that obey Coulomb's law, and there are too many combinations to try all" + _INSTEAD
_AGAINST = 1
"""The corner against the way: n - mu t of the first direction."""
_ROUNDS = 8
"""Of solving twice and extrapolating."""
_SHRINKING = const(9, 10)

Solve: TypeAlias = Callable[[Matrix, Vector, Matrix, Vector], Allowed]


class Rubbed(NamedTuple):
    """A solution: accelerations, per pair the forces along its rows, and 1 where it is held."""

    motion: Vector
    forces: Vector
    active: Vector


def summary(problem: Problem, v: Vector, solve: Solve | None = None) -> Mapping[str, object]:
    """Solve a problem, by quadratic programs if a solver is given, and return what is said of it, arrays by name."""
    if not problem.slopes:
        data = problem.matrix, problem.right, problem.normals, problem.bounds
        found = (solve or allowed)(*data)
        rows, rubbed, residual, width = problem.normals, Rubbed(*found[:3]), found.residual, 1
    else:
        rubbed = rub(problem) if solve is None else repeated(problem, solve)
        rows, residual, width = _rows(problem), residual_of(problem, rubbed), 3
    push = constraint_torques(rows, rubbed.forces, len(v))
    return {
        "vd": rubbed.motion,
        "multipliers": rubbed.forces[::width],
        "active": rubbed.active,
        "contact_torques": push,
        "residual": residual,
        "power": dot(push, v),
    }


def rub(problem: Problem) -> Rubbed:
    """Return accelerations and forces that obey Coulomb's law."""
    bounds = [x for k, bound in enumerate(problem.bounds) for x in (bound, *problem.drifts[2 * k : 2 * k + 2])]
    motion, forces, held = solve_friction(
        problem.matrix, problem.right, _rows(problem), bounds, problem.slides, jammed=_JAMMED, lost=_LOST
    )
    return Rubbed(motion, forces, held[::4])


def _rows(problem: Problem) -> Matrix:
    """Return the rows of the pairs: normal and slopes of each."""
    slopes = problem.slopes
    return tuple(row for k, normal in enumerate(problem.normals) for row in (normal, *slopes[2 * k : 2 * k + 2]))


def residual_of(problem: Problem, rubbed: Rubbed) -> Scalar:
    """Return by how much Coulomb's law and the balance of torques are missed at most."""
    normals, motion = rubbed.forces[::3], rubbed.motion
    across = tuple(x for k, x in enumerate(rubbed.forces) if k % 3)
    torques = constraint_torques(problem.slopes, across, len(motion))
    right = tuple(a + b for a, b in zip(problem.right, torques, strict=True))
    worst = kkt_residual(problem.matrix, right, problem.normals, problem.bounds, motion, normals)
    rates = _rates(problem, motion)
    for k, slides in enumerate(problem.slides):
        worst = maximum(worst, _missed(slides, rubbed.forces[3 * k : 3 * k + 3], rates[2 * k : 2 * k + 2]))
    return worst


def _rates(problem: Problem, motion: Vector) -> Vector:
    """Return how the points accelerate along the slopes."""
    return tuple(dot(slope, motion) + drift for slope, drift in zip(problem.slopes, problem.drifts, strict=True))


def _missed(slides: Scalar, forces: Vector, rates: Vector) -> Scalar:
    """Return by how much a pair misses the law: forces against the way; or within the cone, and braking most."""
    normal, first, second = forces
    against = maximum(absolute(normal + first), absolute(second))
    braked = first * rates[0] + second * rates[1] + normal * maximum(absolute(rates[0]), absolute(rates[1]))
    within = maximum(absolute(first) + absolute(second) - normal, absolute(braked))
    return where(less(0, slides), against, within)


# --- by quadratic programs --------------------------------------------------------------------------------------------


def repeated(problem: Problem, solve: Solve) -> Rubbed:
    """Return what solving quadratic programs again and again leads to.

    Rises are extrapolated from every second one to the next (Steffensen), pair by pair.
    """
    rows = _corner_rows(problem)

    def again(rises: Vector) -> Allowed:
        return solve(problem.matrix, problem.right, rows, _lowered(problem, rises))

    rises: Vector = (0,) * len(problem.slides)
    for _ in range(_ROUNDS):
        first = _rises(problem, again(rises).motion)
        second = _rises(problem, again(first).motion)
        rises = tuple(_extrapolated(*three) for three in zip(rises, first, second, strict=True))
    found = again(rises)
    starts = range(0, len(rows), CORNERS)
    return Rubbed(
        found.motion,
        tuple(x for k in starts for x in _along_rows(found.multipliers[k : k + CORNERS])),
        tuple(reduce(maximum, found.active[k : k + CORNERS]) for k in starts),
    )


def _along_rows(weights: Vector) -> Vector:
    """Return the forces along normal and slopes of weights of the corners."""
    return reduce(lambda a, b: a + b, weights), weights[0] - weights[1], weights[2] - weights[3]


def _corner_rows(problem: Problem) -> Matrix:
    """Return all corners of pairs at rest, and the one against its way of a pair that slides."""
    slopes, rows = problem.slopes, list[Vector]()
    for k, (normal, slides) in enumerate(zip(problem.normals, problem.slides, strict=True)):
        for corner, row in enumerate(corners(normal, slopes[2 * k : 2 * k + 2])):
            free = less(0, slides)
            rows.append(row if corner == _AGAINST else tuple(where(free, 0, x) for x in row))
    return tuple(rows)


def _extrapolated(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """Return where a, b, c lead, if their differences shrink; else c."""
    before, after = b - a, c - b
    shrinks = less(absolute(after), _SHRINKING * absolute(before))
    return where(shrinks, c + after * after / where(shrinks, before - after, 1), c)


def _rises(problem: Problem, motion: Vector) -> Vector:
    """Return, pair by pair, how fast points rise that slide with the accelerations `motion`."""
    rates = _rates(problem, motion)
    return tuple(
        where(less(0, slides), rates[2 * k], maximum(absolute(rates[2 * k]), absolute(rates[2 * k + 1])))
        for k, slides in enumerate(problem.slides)
    )


def _lowered(problem: Problem, rises: Vector) -> Vector:
    """Return the bounds of the corners less the rises; of a point that slides, one corner alone is held."""
    bounds: list[Scalar] = []
    for k, (slides, rise) in enumerate(zip(problem.slides, rises, strict=True)):
        for corner in range(CORNERS):
            shift = problem.drifts[2 * k + corner // 2]
            bound = problem.bounds[k] - rise + (shift if corner % 2 else -shift)
            bounds.append(bound if corner == _AGAINST else where(less(0, slides), 0, bound))
    return tuple(bounds)
