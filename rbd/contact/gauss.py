"""The motion that contacts allow: readable, recorded once, run as machine code.

Gauss's principle: among the accelerations, velocities or changes of velocity that the contacts allow, the one nearest
to what would happen without them, measured by the mass matrix. Pairs that do not touch have rows of zeros, which
constrain nothing, so that the number of rows never changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from rbd.algorithms.constrained import constraint_torques
from rbd.algorithms.inverse_dynamics import dynamics_bias_kernel
from rbd.algorithms.mass_matrix import factored, mass_matrix_kernel
from rbd.algorithms.passive import passive_torques_kernel, vanishes
from rbd.contact.kinematics import distance_and_row, second_order
from rbd.contact.pairs import Pair
from rbd.joints.tuples import dot, matvec
from rbd.scalars import Condition, Matrix, Scalar, Vector, absolute, const, less, maximum, where
from rbd.solvers import minimum_norm_solve
from rbd.solvers.linear import Factor
from rbd.solvers.quadratic_program import solve_quadratic_program
from rbd.state import ScalarState

Law: TypeAlias = Literal["inelastic", "euclidean", "unilateral"]
LAWS: Final[tuple[str, ...]] = get_args(Law)
_HALF = const(1, 2)


class Contacts(NamedTuple):
    """The pairs of a state: whether they touch, their distances, and their rows, zero for those that do not."""

    touching: tuple[Condition, ...]
    distances: Vector
    rows: Matrix

    def masked(self, values: Sequence[Scalar]) -> Vector:
        """Return values of pairs, zero for those that do not touch."""
        return tuple(where(touches, x, 0) for touches, x in zip(self.touching, values, strict=True))

    def flags(self) -> Vector:
        """Return 1 for pairs that touch, 0 for others."""
        return tuple(where(touches, 1, 0) for touches in self.touching)


class Allowed(NamedTuple):
    """The solution of a quadratic program of contacts."""

    motion: Vector
    multipliers: Vector
    active: Vector
    residual: Scalar


def contacts_of(state: ScalarState, pairs: Sequence[Pair], touching: Callable[[int, Scalar], Condition]) -> Contacts:
    """Return the contacts of a state; `touching` tells from number and distance of a pair whether it counts."""
    conditions: list[Condition] = []
    distances: list[Scalar] = []
    rows: list[Vector] = []
    for number, pair in enumerate(pairs):
        distance, row = distance_and_row(state, pair)
        condition = touching(number, distance)
        conditions.append(condition)
        distances.append(distance)
        rows.append(tuple(x if vanishes(x) else where(condition, x, 0) for x in row))
    return Contacts(tuple(conditions), tuple(distances), tuple(rows))


def nearer_than(threshold: Scalar) -> Callable[[int, Scalar], Condition]:
    """Return the rule by which pairs nearer than `threshold` touch."""

    def rule(number: int, distance: Scalar) -> Condition:
        del number
        return less(distance, threshold)

    return rule


def driving_torques(state: ScalarState, torques: Vector) -> Vector:
    """Return what accelerates: torques and passive torques less the bias."""
    terms = zip(torques, passive_torques_kernel(state), dynamics_bias_kernel(state), strict=True)
    return tuple(torque + passive - bias for torque, passive, bias in terms)


def required_accelerations(state: ScalarState, pairs: Sequence[Pair], contacts: Contacts, *, exact: bool) -> Vector:
    """Return what J vd must not fall below: -d, less what the second derivative of d holds beside J vd if `exact`."""
    bounds = [-distance for distance in contacts.distances]
    if exact:
        bounds = [bound - second_order(state, pair) for bound, pair in zip(bounds, pairs, strict=True)]
    return contacts.masked(bounds)


def allowed(matrix: Matrix, right: Vector, rows: Matrix, bounds: Vector) -> Allowed:
    """Return the x nearest to M⁻¹ `right` with `rows` x >= `bounds`: M x = right + rows' multipliers."""
    motion, multipliers, active, _ = solve_quadratic_program(matrix, right, rows, bounds)
    return Allowed(motion, multipliers, active, kkt_residual(matrix, right, rows, bounds, motion, multipliers))


def kkt_residual(
    matrix: Matrix, right: Vector, rows: Matrix, bounds: Vector, motion: Vector, multipliers: Vector
) -> Scalar:
    """Return the largest violation of the conditions of a minimum: balance, constraints, complementarity."""
    worst: Scalar = 0
    pushed = constraint_torques(rows, multipliers, len(right))
    for row, torque, push in zip(matrix, right, pushed, strict=True):
        worst = maximum(worst, absolute(dot(row, motion) - torque - push))
    for row, bound, weight in zip(rows, bounds, multipliers, strict=True):
        slack = dot(row, motion) - bound
        worst = maximum(worst, maximum(-slack, maximum(-weight, absolute(slack * weight))))
    return worst


# --- impacts ----------------------------------------------------------------------------------------------------------


def impacted(state: ScalarState, law: Law, restitution: Scalar, contacts: Contacts) -> Allowed:
    """Return the velocities after an impact along the rows of all contacts, and the impulses."""
    matrix, factor = mass_and_factor(state)
    rows, v = contacts.rows, tuple(state.v)
    if law == "unilateral":
        return unilateral(matrix, rows, v, restitution)
    after = euclidean(rows, v) if law == "euclidean" else inelastic(factor, rows, v)
    changes = tuple(a - b for a, b in zip(after, v, strict=True))
    momentum = matvec(matrix, changes)
    impulses = impulses_of(rows, momentum)
    pushed = (changes, impulses_of(rows, changes)) if law == "euclidean" else (momentum, impulses)
    return Allowed(after, impulses, contacts.flags(), _imbalance(rows, after, *pushed))


def _imbalance(rows: Matrix, after: Vector, change: Vector, weights: Vector) -> Scalar:
    """Return how far the rates of the rows are from zero, or a change from being along the rows."""
    worst: Scalar = 0
    for rate in matvec(rows, after):
        worst = maximum(worst, absolute(rate))
    for x, push in zip(change, constraint_torques(rows, weights, len(after)), strict=True):
        worst = maximum(worst, absolute(x - push))
    return worst


def euclidean(rows: Matrix, v: Vector) -> Vector:
    """Return v less its part along the rows, in the metric of the coordinates: v - J⁺ J v."""
    change, _ = minimum_norm_solve(rows, matvec(rows, v), columns=len(v))
    return tuple(a - b for a, b in zip(v, change, strict=True))


def inelastic(factor: Factor, rows: Matrix, v: Vector) -> Vector:
    """Return the nearest velocity, measured by kinetic energy, at which no distance of the rows changes."""
    white = tuple(factor.whitened(row) for row in rows)
    change, _ = minimum_norm_solve(white, matvec(rows, v), columns=len(v))
    return tuple(a - b for a, b in zip(v, factor.coloured(change), strict=True))


def unilateral(matrix: Matrix, rows: Matrix, v: Vector, restitution: Scalar) -> Allowed:
    """Return the nearest velocity, measured by kinetic energy, at which no pair approaches, J v⁺ >= -e J v."""
    rates = matvec(rows, v)
    # Pairs that separate already are only kept from turning back.
    bounds = tuple(where(less(rate, 0), -(restitution * rate), 0) for rate in rates)
    return allowed(matrix, matvec(matrix, v), rows, bounds)


def impulses_of(rows: Matrix, momentum: Vector) -> Vector:
    """Return the least impulses along the rows that make a change of the generalized momentum."""
    columns = tuple(tuple(row[j] for row in rows) for j in range(len(momentum)))
    impulses, _ = minimum_norm_solve(columns, momentum, columns=len(rows))
    return impulses


def kinetic(matrix: Matrix, v: Vector) -> Scalar:
    """Return 1/2 v'Mv."""
    energy: Scalar = _HALF * dot(v, matvec(matrix, v))
    return energy


def mass_and_factor(state: ScalarState) -> tuple[Matrix, Factor]:
    """Return the mass matrix, and its factor that names joints which move nothing."""
    matrix = mass_matrix_kernel(state)
    return matrix, factored(state, matrix)
